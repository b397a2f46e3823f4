"""The texts of runs, and the tables in which people code them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.analysis.coding.texts import Rounds, TextPlace, gather_texts, write_sheet
from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Text
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.environment import Environment
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Params, scenario
from society.engine.script import Ask, Script, Tell, common
from society.errors import FileError, InputError, ScenarioError
from society.experiments.coding_plan import read_hand_codes
from society.runs.runfile import Level, Writer, manifest_of
from society.scenarios.coding.rubric import Criterion

if TYPE_CHECKING:
    from tests.conftest import Written

HERE = "here"
DEMAND = Criterion(
    name="demand", question="What is asked for?", labels={"spare": "less", "use": "more"}
)
FORCE = Criterion(
    name="force",
    question="How firmly?",
    labels={"wish": "as a hope", "law": "without exception"},
    scale="ordinal",
)
CRITERIA = (DEMAND, FORCE)


class Speaker(Component):
    """Says on each day what it always says on that day, and holds what it said last."""

    answers = ("say",)
    notices = ("over",)
    columns = (Column("creed", object, public=True),)

    DAYS = (("Fish less.", "Sing."), ("", "Fish  more."), ("Rest.", "Fish less."))

    def begin(self, agents: AgentGroup) -> None:
        agents["creed"] = "Be."

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return self.said(ask.facts["day"], agents)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["creed"] = self.said(tell.facts["day"], agents)

    def said(self, day: Array, agents: AgentGroup) -> Array:
        days = np.array(self.DAYS, object)
        words: Array = days[day - 1, agents.audience.rows.seat]
        return words


@scenario(
    params=Params,
    cast=lambda p, agents: [Cohort("speaker", agents, (Speaker(),))],
    agents=2,
    rounds=3,
    display=DisplaySpec(quotes={"say": "says", "creed": "holds"}),
)
def assembly(env: Environment) -> Script:
    """On day 2 the second agent of replicate 1 goes, and replicate 2 ends."""
    replicate, second = env.replicate_ids[:, None], env.ids == 1
    for day in env.rounds():
        yield Ask("say", Text(), {"day": common(day)})
        gone, ends = (replicate == 1) & second, replicate == 2
        yield Tell("over", {"day": common(day)}, gone=gone & (day == 2), ends=ends & (day == 2))


Speaking = Callable[..., Path]


@pytest.fixture
def speaking(tmp_path: Path) -> Speaking:
    """`speaking()` plays the assembly, or a scenario of ours, into a run file."""

    def kept(name: str = "assembly", level: Level = "full", **changes: Any) -> Path:
        setup = build(load_config(name, changes), own=[assembly])
        file = tmp_path / f"{name}.run"
        with Writer(file, manifest_of(setup, level)) as writer:
            setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
        return file

    return kept


def found(
    file: Path, quote: str | None = "say", rounds: Rounds = "all"
) -> dict[str, list[tuple[int, int, int]]]:
    """The replicate, agent and round of each text."""
    texts = gather_texts({HERE: file}, quote, rounds)
    return {text: [place[1:] for place in places] for text, places in texts.items()}


# Which texts


def test_a_text_has_all_places_where_it_was_said(speaking: Speaking) -> None:
    assert found(speaking()) == {
        "Fish less.": [(0, 0, 1), (0, 1, 3)],
        "Sing.": [(0, 1, 1)],
        "Fish more.": [(0, 1, 2)],
        "Rest.": [(0, 0, 3)],
    }


def test_the_last_text_of_an_agent_is_the_last_that_says_something(speaking: Speaking) -> None:
    assert found(speaking(rounds=2), rounds="last") == {
        "Fish less.": [(0, 0, 1)],
        "Fish more.": [(0, 1, 2)],
    }


def test_every_second_round_may_be_looked_at(speaking: Speaking) -> None:
    assert found(speaking(), rounds=2) == {"Fish more.": [(0, 1, 2)]}


def test_who_has_gone_and_what_has_ended_says_nothing_any_more(speaking: Speaking) -> None:
    last = found(speaking(replicates=3), "creed", "last")
    assert last["Fish less."] == [(0, 1, 3), (2, 0, 1)]
    assert last["Fish more."] == [(1, 1, 2), (2, 1, 2)]
    assert last["Rest."] == [(0, 0, 3), (1, 0, 3)]


def test_columns_are_texts_too_from_the_first_round_on(speaking: Speaking) -> None:
    assert "Be." not in found(speaking(), "creed")


def test_without_a_name_the_first_quote_is_meant(speaking: Speaking) -> None:
    file = speaking(rounds=2)
    assert found(file, None) == found(file, "say")


def test_texts_of_several_runs_are_one_list_in_an_order_of_its_own(speaking: Speaking) -> None:
    file = speaking()
    texts = gather_texts({"a": file, "b": file}, "say", 1)
    assert list(texts) == list(gather_texts({"b": file}, "say", 1))
    assert texts["Sing."] == (TextPlace("a", 0, 1, 1), TextPlace("b", 0, 1, 1))


def test_norms_of_language_agents_are_found(speaking: Speaking) -> None:
    file = speaking("language_village", agents=3, rounds=2)
    places = [place for places in found(file, None, "last").values() for place in places]
    assert sorted(places) == [(0, 0, 2), (0, 1, 2), (0, 2, 2)]


def test_a_quote_that_the_scenario_does_not_have_is_refused(speaking: Speaking) -> None:
    with pytest.raises(InputError, match="assembly quotes no 'says'; did you mean 'say'"):
        found(speaking(), "says")


def test_a_scenario_without_words_cannot_be_coded(speaking: Speaking) -> None:
    with pytest.raises(InputError, match="fishing_village quotes no text; code a scenario whose"):
        found(speaking("fishing_village", rounds=1), None)


def test_a_summary_keeps_no_texts(speaking: Speaking) -> None:
    with pytest.raises(InputError, match="nothing of what was said; record it in full: `society"):
        found(speaking(level="summary"))


# Tables of people


def test_texts_are_written_with_an_empty_column_for_each_criterion(tmp_path: Path) -> None:
    write_sheet(tmp_path / "texts.csv", ["Fish less.", '=1, "2"'], CRITERIA)
    assert (tmp_path / "texts.csv").read_text("utf-8-sig").splitlines() == [
        "text,demand,force",
        "«Fish less.»,,",
        '"«=1, ""2""»",,',
    ]


def test_a_table_that_somebody_has_filled_in_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    assert write_sheet(file, ["Sing."], CRITERIA)
    assert write_sheet(file, ["Sing."], CRITERIA), "it is still blank"
    file.write_text(filled := file.read_text("utf-8").replace("»,,", "»,use,law"))
    assert not write_sheet(file, ["Sing."], CRITERIA)
    assert file.read_text("utf-8") == filled


def test_what_was_written_is_read_again_with_the_codes(tmp_path: Path) -> None:
    texts = ["Fish less.", '=1, "2"', "x" * 2000]
    file = tmp_path / "texts.csv"
    write_sheet(file, texts, CRITERIA)
    file.write_text(file.read_text("utf-8").replace("»,,", "»,use,").replace('»",,', '»",,law'))
    assert read_hand_codes(file, CRITERIA) == {
        "demand": {"Fish less.": "use", "x" * 2000: "use"},
        "force": {'=1, "2"': "law"},
    }


def test_a_table_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot write .*texts\.csv: No such file or directory"):
        write_sheet(tmp_path / "nowhere" / "texts.csv", [], CRITERIA)


def test_columns_stand_in_any_order_and_may_be_left_out(written: Written) -> None:
    file = Path(written("ann.csv", "force,text\nlaw,Fish less.\n\n , Sing. \nuncoded,Rest.\n"))
    assert read_hand_codes(file, CRITERIA) == {"demand": {}, "force": {"Fish less.": "law"}}


def test_the_same_code_twice_is_one(written: Written) -> None:
    file = Path(written("ann.csv", "text,force\nSing.,law\n«Sing.»,law\n"))
    assert read_hand_codes(file, CRITERIA)["force"] == {"Sing.": "law"}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "ann.csv:1: got the columns nothing; expected text,demand,force"),
        ("demand\nuse\n", "ann.csv:1: got the columns demand; expected text,demand,force"),
        ("text,demnad\n", "ann.csv:1: there is no criterion 'demnad'; did you mean 'demand'?"),
        ("text,force,force\n", "ann.csv:1: column 'force' stands there twice; keep one of them"),
        (
            "text,demand\nSing.,uses\nRest.,use\nBe.,take\n",
            "ann.csv:2: demand has no label 'uses'; did you mean 'use'?\n"
            "ann.csv:4: demand has no label 'take'; choose one of: spare, use",
        ),
        ("text,force\n,law\n", "ann.csv:2: codes without a text; fill the column text"),
        (
            "text,force\nSing.,law\nSing.,wish\n",
            "ann.csv:3: force of this text is wish, and law further up",
        ),
        ('text,force\n"Sing.,law\n', "ann.csv:2: unexpected end of data"),
        (
            "text,force\n" + "".join(f"{place},{place}\n" for place in range(7)),
            "\n".join(
                f"ann.csv:{place + 2}: force has no label '{place}'; choose one of: law, wish"
                for place in range(5)
            )
            + "\nand 2 more",
        ),
    ],
)
def test_mistakes_are_told_with_their_lines(written: Written, table: str, words: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        read_hand_codes(Path(written("ann.csv", table)), CRITERIA)
    assert str(refusal.value) == words


def test_a_table_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    words = "cannot read .*ann.csv: No such file or directory; it is to hold a person's codes, with"
    with pytest.raises(FileError, match=f"{words} the columns text,demand,force"):
        read_hand_codes(tmp_path / "ann.csv", CRITERIA)


def test_a_table_is_text_in_utf_8(tmp_path: Path) -> None:
    (tmp_path / "ann.csv").write_bytes("text\nWählt.".encode("latin-1"))
    with pytest.raises(ScenarioError, match=r"ann\.csv is not text in UTF-8"):
        read_hand_codes(tmp_path / "ann.csv", CRITERIA)
