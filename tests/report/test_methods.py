"""Methods, settings of models and literature for papers: what is named, and that it is there."""

from __future__ import annotations

import ast
import re
import sqlite3
from functools import cache
from pathlib import Path

import pytest

import society.report
from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.study import Study
from society.engine.calls import Address, Completion, Message, Request
from society.llm.call_tables import (
    CALL,
    SCHEMA,
    CallSettings,
    call_row,
    call_settings,
    system_prompts,
)
from society.llm.providers.settings import ModelSpec
from society.report import methods
from society.report.figures.style import figures_for_print, render_figure
from society.report.model_settings import ModelUse, _use, settings_table
from society.report.references import bibliography, references
from society.report.tables import Table, TableColumn


def cited_keys() -> set[str]:
    """Find every key that methods can cite."""
    words = [one.words for one in methods._STATISTICS] + [*methods._EMBEDDERS.values()]
    found = {
        key for text in words for keys in methods.CITED.findall(text) for key in keys.split(", ")
    }
    return found | {*methods._SOURCES, *methods._LIBRARIES, "society", "numpy", "networkx"}


def test_everything_that_can_be_cited_is_in_the_literature_and_nothing_else() -> None:
    assert cited_keys() == set(references())


@pytest.mark.parametrize("key", sorted(references()))
def test_an_entry_has_what_a_bibliography_needs(key: str) -> None:
    entry = references()[key]
    needed = {"article": "journal", "book": "publisher", "inproceedings": "booktitle"}
    assert {"author", "title", "year"} <= entry.fields.keys()
    assert needed.get(entry.sort, "title") in entry.fields
    assert re.fullmatch(r"(19|20)\d\d", entry.fields["year"])
    assert re.fullmatch(r"10\.\d{4,5}/\S+", entry.fields.get("doi", "10.1000/x"))
    assert entry.bibtex().count("{") == entry.bibtex().count("}")


def test_bibtex_has_each_entry_once_and_the_version_of_this_program() -> None:
    text = bibliography(["kaplan1958", "society", "kaplan1958"], "0.1.0")
    assert re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE) == ["kaplan1958", "society"]
    assert "  doi = {10.1080/01621459.1958.10501452},\n" in text
    assert "  version = {0.1.0},\n" in text


def test_authors_are_cited_by_name_and_year() -> None:
    shown = [references()[key].cited for key in ("student1908", "kaplan1958", "gupta2026")]
    assert shown == ["Student 1908", "Kaplan and Meier 1958", "Gupta et al. 2026"]


# Statistics are named if they have results.


def named(*tables: Table, paired: bool = False) -> str:
    study = Study("s", (), random_numbers="common" if paired else "independent")
    return " ".join(methods.statistics_used([methods.DescribedStudy("", study, tables)]))


def p_values(name: str, *cells: float | NotEstimable) -> Table:
    return Table(name, "T", [TableColumn("p", cells, "p")])


def test_a_statistic_without_a_result_is_not_named() -> None:
    none = NotEstimable("1 value, at least 2 are needed")
    assert named() == ""
    assert named(p_values("log_rank_silence", none)) == ""
    assert named(p_values("log_rank_silence", none, 0.2)).startswith("Survival was compared")


def test_tests_are_those_of_the_random_numbers() -> None:
    assert "Friedman's test [friedman1937]" in named(p_values("ranks", 0.1), paired=True)
    assert "Kruskal-Wallis tests [kruskal1952]" in named(p_values("ranks", 0.1))


def test_a_correction_says_for_how_many_contrasts() -> None:
    table = Table("contrasts", "T", [TableColumn("p (Holm)", [0.1, 0.2, float("nan")], "p")])
    assert (
        named(table) == "Their p values were corrected for 2 contrasts by Holm's method [holm1979]."
    )


def test_those_without_ancestors_are_cited_only_where_there_are_some() -> None:
    selection = TableColumn("selection", [0.1], "share")
    entry = TableColumn("entry", [0.02], "share")
    assert named(Table("price", "T", [selection])).endswith("the Price equation [price1970].")
    assert named(Table("price", "T", [selection, entry])).endswith(
        "What those without ancestors add to a mean is a term of its own [kerr2009]."
    )


def test_agreements_in_games_are_no_agreement_of_raters() -> None:
    counts = Table("agreements", "T", [TableColumn("agreed", [0.5], "share")])
    alpha = [TableColumn("Krippendorff's α", [0.7], "share")]
    assert named(counts) == ""
    assert "[krippendorff2011]" in named(Table("agreement_1", "T", alpha))


# Models


def use(**changes: object) -> ModelUse:
    given = {
        "model": "openai/gpt-x",
        "answered_as": "gpt-x-2026",
        "place": "openai",
        "sort": "litellm",
        "settings": {"temperature": "0.8"},
        "prompts": ["ab"],
        "calls": 3,
        "prompt_tokens": 90,
        "completion_tokens": None,
        "cost": 0.5,
        "first": "2026-11-27",
        "last": "2026-11-28",
    }
    return ModelUse(**{**given, **changes})  # type: ignore[arg-type]


def test_a_model_is_described_with_its_settings_and_days() -> None:
    assert use().sentence() == (
        "openai/gpt-x (openai; temperature 0.8) answered 3 calls on 2026-11-27 to 2026-11-28."
    )
    assert use(first="", last="").sentence().endswith("answered 3 calls (days are not recorded).")
    assert use(sort="offline").sentence().startswith("A scripted resident, which is no language ")


def test_settings_of_models_are_a_table_in_which_the_unknown_is_unknown() -> None:
    (row,) = settings_table([use()], "1").rows
    assert row == (
        *("openai/gpt-x", "gpt-x-2026", "openai", "0.8", "ab", "2026-11-27 to 2026-11-28"),
        *("3", "90", "unknown", "0.5000"),
    )


def test_calls_are_summed_by_what_was_sent() -> None:
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    days = ["2026-11-27", "2026-11-28", "2026-11-28"]
    for number, day in enumerate(days):
        address = Address("mind", "answer effort", number, 0, 0, 0)
        words = (Message("system", "You fish."), Message("user", f"How much, {number}?"))
        form = {"type": "json_schema"}
        sent = {"temperature": 0.8, "seed": number, "asked_on": day, "response_format": form}
        said = Completion("1", "stop", 10, 2, 0.25, model="x-1", sent=sent)
        database.execute(CALL, call_row(1, Request(address, "default", words), said))
    (found,) = call_settings(database)
    assert (found.name, found.model, found.sent) == ("default", "x-1", {"temperature": 0.8})
    assert (found.calls, found.prompt_tokens, found.cost) == (3, 30, 0.75)
    assert (found.form, found.first, found.last) == ("json_schema", "2026-11-27", "2026-11-28")
    assert system_prompts(database) == {"default": ["You fish."]}


def test_a_function_of_the_users_is_named_without_the_folders_of_one_machine() -> None:
    called = "/home/ann/minds/gifts.py:reads_order"
    counts = (3, 30, 6, 0.0, "2026-11-27", "2026-11-27")
    call = CallSettings("default", called, {}, "", *counts)
    given = {"default": ModelSpec.model_validate({"model": called})}
    found = _use(call, given, ())
    assert (found.model, found.answered_as) == ("gifts.py:reads_order", "")
    assert "/home" not in found.sentence()


# Print


@pytest.mark.thorough
def test_methods_name_no_path_of_one_machine() -> None:
    folders = ["/home/ann/strategies/public_goods", ["/srv/strategies/common_pool"], "relative"]
    assert methods.parameter_word(folders) == (
        "['strategies/public_goods', ['strategies/common_pool'], 'relative']"
    )
    assert methods.parameter_word("/home/ann/strategies/public_goods") == "strategies/public_goods"
    assert [methods.parameter_word(one) for one in (0.5, True, None)] == ["0.5", "true", "none"]


def test_a_figure_for_print_has_its_width_its_fonts_and_no_date() -> None:
    def draw(figure: object) -> None:
        figure.subplots().plot([1, 2], [3, 4])  # type: ignore[attr-defined]

    with figures_for_print():
        one, again = (render_figure("f", "F", "", "", draw, 2.0) for _ in range(2))
    assert one.pdfs == again.pdfs
    assert list(one.pdfs) == ["88mm", "180mm"]
    boxes = {
        width: re.findall(rb"/MediaBox \[ 0 0 ([\d.]+)", pdf) for width, pdf in one.pdfs.items()
    }
    millimetres = {width: round(float(box[0]) / 72 * 25.4) for width, box in boxes.items()}
    assert millimetres == {"88mm": 88, "180mm": 180}
    for pdf in one.pdfs.values():
        assert b"/CIDFontType2" in pdf
        assert b"/FontFile2" in pdf
        assert b"/Type3" not in pdf
        assert b"Date" not in pdf
    assert not render_figure("f", "F", "", "", draw, 2.0).pdfs


# Names that methods look for are names that sections give.

SECTIONS = Path(society.report.__file__).parent / "sections"


@cache
def table_names() -> set[str]:
    """Read the names of tables in the source of sections; what differs from table to table is X."""
    found: set[str] = set()
    for file in SECTIONS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (
                    part.value if isinstance(part, ast.Constant) else "X" for part in node.values
                )
                found.add("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


@pytest.mark.parametrize("pattern", sorted({one.table for one in methods._STATISTICS} - {".*"}))
def test_a_table_that_methods_look_for_is_made_by_a_section(pattern: str) -> None:
    for piece in pattern.split(".*"):  # names are composed, f"{game}_numbers" say
        assert any(piece in name for name in table_names()), piece


@pytest.mark.parametrize("heading", sorted({one.column for one in methods._STATISTICS} - {""}))
def test_a_heading_that_methods_look_for_is_given_by_a_section(heading: str) -> None:
    assert any(heading in name for name in table_names())


def test_this_program_is_cited_as_its_citation_file_says() -> None:
    lines = (Path(__file__).parents[2] / "CITATION.cff").read_text("utf-8").splitlines()
    told = dict(line.split(": ", 1) for line in lines if ": " in line)
    fields = references()["society"].fields
    assert fields["title"] == told["title"].strip('"')
    assert fields["author"] == "{" + told["  - name"] + "}"
    assert society.__version__ == told["version"]
