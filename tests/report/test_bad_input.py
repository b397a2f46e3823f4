"""Pages of runs that are damaged, unfinished, of other kinds, without spread, or too many."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.analysis.findings.descriptions import describe_outcome
from society.analysis.study import ConditionRun, Study
from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.page import Section, render_page
from society.report.sections import SECTIONS, StudyView
from society.report.sections.networks_section import networks_section
from society.report.tables import Table, TableColumn
from society.runs.runfile import Writer, manifest_of
from tests.analysis.findings.made_studies import made_run, made_study


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two short villages."""
    return play(tmp_path_factory.mktemp("kept") / "a.run", replicates=2)


def play(path: Path, scenario: str = "fishing_village", **changes: Any) -> Path:
    setup = build(load_config(scenario, {"rounds": 4, "agents": 4, "seed": 1, **changes}))
    with Writer(path, manifest_of(setup)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return path


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def made_by_a_later_version(file: Path) -> None:
    with sqlite3.connect(file) as database:
        database.execute("pragma user_version = 99")
    database.close()


def overwritten(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[2 * 4096 :] = bytes(len(data) - 2 * 4096)
    file.write_bytes(data)


def a_text(file: Path) -> None:
    file.write_text("fine = 2", "utf-8")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            cut_in_half,
            r"b\.run is cut off: [\d,]+ of [\d,]+ bytes; take a whole copy",
        ),
        (made_by_a_later_version, r"b\.run is a run file of format 99, and this program reads"),
        (overwritten, r"b\.run"),
        (a_text, r"b\.run is not a run file; name a file that `society run` has written"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_no_page_is_written(
    kept: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
    words: str,
) -> None:
    """Beside a sound one, whose page would leave it out in silence."""
    file = tmp_path / "b.run"
    shutil.copy(kept, file)
    damage(file)
    assert main(["report", str(kept), str(file), "--out", str(tmp_path / "page")]) == 2
    said = capsys.readouterr().err
    assert re.search(words, said)
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "page").exists()


def test_a_folder_without_runs_is_no_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "page")]) == 2
    assert "is not the folder of a sweep; `society sweep EXPERIMENT.yaml` makes one" in (
        capsys.readouterr().err
    )


def view(*runs: ConditionRun, **more: Any) -> StudyView:
    return StudyView(Study("s", runs, more.pop("levels", {}), **more))


def words_of(section: Section) -> str:
    """All sentences of a section, those of warnings included."""
    said = []
    for part in section.walk():
        said.append(part if isinstance(part, str) else getattr(part, "text", ""))
        said += getattr(part, "items", [])
    return " ".join(map(str, said))


def test_a_run_that_is_not_finished_is_described_and_not_tested(kept: Path) -> None:
    run = ConditionRun.read(kept, "a", {})
    of = view(run, replace(run, name="b", status="interrupted"))
    first = of.answers.findings[0]
    assert first.kind == "trouble"
    assert first.sentence == (
        "1 of 2 conditions is not finished: what they have so far is described, and not tested (b)."
    )
    assert not any(one.kind == "effect" for one in of.answers.findings)
    assert "interrupted" in words_of(SECTIONS["summary"](of))


def test_runs_of_two_scenarios_stand_beside_each_other_and_are_not_compared(
    kept: Path, tmp_path: Path
) -> None:
    donor = play(tmp_path / "donor.run", "donor_game")
    of = view(*(ConditionRun.read(one, one.stem, {}) for one in (kept, donor)))
    assert of.answers.title.startswith("Fishing village and donor game: ")
    assert not any(one.kind == "effect" for one in of.answers.findings)
    outcome = SECTIONS["outcome"](of)
    (table,) = (one for one in outcome.walk() if isinstance(one, Table))
    assert [row[:2] for row in table.rows] == [("a", "2"), ("donor", "0")]


def test_measures_without_spread_have_no_interval_and_no_claim() -> None:
    every = []
    for fine in (0, 1):
        own = {"catch": [5.0] * 6}
        every.append((made_run(own, name=f"fine={fine}", factors={"fine": fine}), own))
    of = StudyView(made_study(*every, random_numbers="common").study)
    outcome = SECTIONS["outcome"](of)
    (figure,) = (one for one in outcome.walk() if isinstance(one, Figure))
    assert "(no interval: all runs of a condition are alike)" in figure.caption
    assert all(one.low is None or np.isnan(one.low).all() for one in figure.data.series)
    tests = words_of(SECTIONS["tests"](of))
    assert "without spread" in tests


def test_a_study_whose_measure_has_no_value_says_so() -> None:
    own = {"catch": [float("nan")] * 6}
    of = StudyView(made_study((made_run(own), own)).study)
    (finding,) = describe_outcome(of.layout, 0)
    assert finding.sentence == "Catch was measured in no run."
    outcome = SECTIONS["outcome"](of)
    (table,) = (one for one in outcome.walk() if isinstance(one, Table))
    assert table.rows[0][1] == "0"


LONG = "x" * 200


def test_names_of_two_hundred_characters_are_shortened_in_figures_and_broken_in_tables() -> None:
    every = []
    for place in range(2):
        own = {"catch": [float(place), place + 1.0]}
        factors = {"fine": f"{place}{LONG}"}
        every.append((made_run(own, name=f"fine={place}{LONG}", factors=factors), own))
    of = StudyView(made_study(*every, random_numbers="independent").study)
    outcome = SECTIONS["outcome"](of)
    (figure,) = (one for one in outcome.walk() if isinstance(one, Figure))
    longest = max(re.findall(r"x+", re.sub(r"<!--.*?-->", "", figure.svg)), key=len)
    assert len(longest) <= 40
    assert len(of.answers.title) <= 160
    page = render_page("t", "", [outcome], "")
    assert re.search(r'<th scope="row" class="words">0x+', page)
    short = Table("t", "T", [TableColumn("fine", ["2"])])
    assert '<th scope="row">2</th>' in render_page("t", "", [Section("s", [short])], "")


@pytest.fixture(scope="module")
def thousand() -> StudyView:
    """A thousand conditions of two factors without order, five runs each."""
    every = []
    for fine in range(40):
        for lake in range(25):
            own = {"catch": [float(fine), fine + 1.0, fine + 2.0, fine + 1.5, float(lake)]}
            factors = {"fine": f"fine {fine}", "lake": f"lake {lake}"}
            run = made_run(own, name=f"{fine},{lake}", factors=factors, rounds=2)
            every.append((run, own))
    by_round = {
        "catch": np.linspace(0, 1, 10_000).reshape(5000, 2),
        "running": np.ones((5000, 2), bool),
    }
    return StudyView(made_study(*every, by_round=by_round, random_numbers="common").study)


def test_a_thousand_conditions_say_what_is_left_out(thousand: StudyView) -> None:
    said = words_of(SECTIONS["outcome"](thousand))
    assert "1,000 conditions are too many for one figure of points; see the table" in said
    sentences = " ".join(one.sentence for one in thousand.answers.findings)
    assert "of 1,000 conditions. Not tested: 1,000 conditions are too many for an analysis" in (
        sentences
    )
    (table,) = (one for one in SECTIONS["outcome"](thousand).walk() if isinstance(one, Table))
    page = render_page("t", "", [Section("s", [table])], "")
    assert "The first 60 of 1000 rows; all are in" in page
    course = SECTIONS["time"](thousand)
    (figure,) = (one for one in course.walk() if isinstance(one, Figure))
    assert "Of 1000 conditions those with the lowest and the highest mean" in figure.caption
    assert "others in grey (100 of them)" in figure.caption


def test_graphs_of_conditions_that_name_the_same_are_drawn_once(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To draw them is to set a society up: a thousand took a quarter of the time of a page."""
    module = import_module("society.report.sections.networks_section")
    drawn = list[int]()
    known = module.relations_at

    def count(*given: Any) -> Any:
        drawn.append(1)
        return known(*given)

    monkeypatch.setattr(module, "relations_at", count)
    run = ConditionRun.read(kept, "a", {})
    monkeypatch.setattr(module, "count_deeds", lambda run, replicate: [])
    runs = tuple(replace(run, name=name) for name in "abc")
    section = networks_section(Layout(Study("s", runs, {})), {})
    assert section.parts == ()
    assert len(drawn) == 1
