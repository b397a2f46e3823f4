"""Texts by agent and round with their changes and votes, and how runs ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from society.analysis.findings.study_answers import StudyAnswers
from society.analysis.study import ConditionRun, Study
from society.analysis.study.departures import read_departures
from society.analysis.study.norm_vectors import HeldNorms, NormEnds, read_norm_ends
from society.config.build import build
from society.config.run_config import load_config
from society.report.layout import Layout
from society.report.page import Section
from society.report.sections.endings_section import endings_section
from society.report.sections.norms_section import similarity_figure
from society.report.sections.word_chronicle import Quote, Vote, word_changes, word_chronicle
from society.report.tables import Table
from society.runs.play import play_session
from society.runs.runfile import Writer, manifest_of
from society.runs.session import Session

# A crowd of which agents leave one by one; a run is over when two of three are gone.
LEAVERS = """
import numpy as np

from society.engine.component import Component
from society.engine.population import Cohort
from society.engine.action_spaces import Real
from society.engine.scenario import DisplaySpec, Params, scenario
from society.engine.script import Ask, Tell, common


class Wait(Component):
    answers = ("wait",)

    def answer(self, ask, me):
        return np.zeros(len(me))


@scenario(
    params=Params,
    cast=lambda p, n: [Cohort("waiter", n, (Wait(),))],
    display=DisplaySpec(endings={"emptied": "hardly anybody was left"}, noun="waiter"),
    agents=3,
    rounds=6,
)
def leavers(env):
    "Agents leave by seat, one every second round."
    for number in env.rounds():
        yield Ask("wait", Real(0, 1))
        seats = np.broadcast_to(np.arange(3), (env.replicates, 3))
        left = (number % 2 == 0) & (seats == number // 2 - 1)
        yield Tell("walked_off", gone=left)
        yield Tell("emptied", ends=np.full((env.replicates, 1), number == 4))
"""

Played = Callable[[int], Layout]


def quote(name: str, number: int, text: str, who: str = "villager 1") -> Quote:
    return Quote(name, number, who, text)


def test_what_is_held_stands_where_it_changed_with_the_words_that_are_new_and_gone() -> None:
    said = [
        quote("norm", 0, "Take no more than we need."),
        quote("norm", 3, "Take less than we need."),
        quote("law", 1, "Be fair.", "all"),
    ]
    chronicle = word_chronicle(said, ["norm", "law"], 7, {(1, "Be fair."): Vote(4, 9)})
    (everybody, law), (villager, norms) = chronicle.groups
    assert (everybody, villager) == ("all: 1 text", "villager 1: 2 texts")
    assert [one if isinstance(one, str) else (one.round, one.pieces, one.note) for one in law] == [
        (1, [("", "Be fair.")], "4 of 9 votes"),
        "rounds 2 to 7: law unchanged",
    ]
    assert [one if isinstance(one, str) else one.pieces for one in norms] == [
        [("", "Take no more than we need.")],
        "rounds 1 to 2: norm unchanged",
        [("", "Take "), ("gone", "no more "), ("new", "less "), ("", "than we need.")],
        "rounds 4 to 7: norm unchanged",
    ]


def test_what_is_only_said_has_no_changes() -> None:
    said = [quote("proposal", number, "Fish less.") for number in (1, 4)]
    ((_, entries),) = word_chronicle(said, [], 9, {}).groups
    assert [one if isinstance(one, str) else one.round for one in entries] == [1, 4]


def test_a_chronicle_of_many_texts_keeps_early_rounds_and_says_so() -> None:
    said = [quote("norm", number, f"{number}", who) for who in ("a", "b") for number in range(400)]
    chronicle = word_chronicle(said, ["norm"], 400, {})
    assert chronicle.note == (
        "The first 600 of 800 texts, up to round 299; 200 more stand in the file of the table "
        "below."
    )
    assert [title for title, _ in chronicle.groups] == ["a: 300 texts", "b: 300 texts"]
    assert word_chronicle(said[:600], ["norm"], 400, {}).note == ""


def test_agents_stand_in_the_order_of_their_numbers() -> None:
    said = [quote("norm", 0, "x", f"villager {seat}") for seat in (10, 2, 1)]
    groups = word_chronicle(said, [], 0, {}).groups
    assert [title.partition(":")[0] for title, _ in groups] == [
        *("villager 1", "villager 2", "villager 10")
    ]


def test_another_text_is_new_as_a_whole() -> None:
    assert word_changes("Take no more than we need.", "Nobody owns the lake") == [
        ("new", "Nobody owns the lake")
    ]


def norms(number: int, seats: list[int], vectors: list[list[float]]) -> HeldNorms:
    return HeldNorms(number, np.array(seats), ("x",) * len(seats), np.array(vectors))


def test_norms_are_compared_in_pairs_by_recorded_embeddings_in_one_order() -> None:
    first = norms(1, [0, 1, 2], [[1, 0], [0, 1], [1, 1]])
    last = norms(8, [0, 2], [[1, 0], [1, 0]])
    names = {seat: f"villager {seat}" for seat in range(3)}
    figure = similarity_figure("n", "", NormEnds("hashing", first, last, names.__getitem__))
    # Cosines of the first round are 0, 0.71 and 0.71; those who are left agree.
    assert figure.title == "Mean cosine of two agents' norms: 0.47 in round 1, 1.00 in round 8"
    assert "who had left" in figure.caption
    assert "Embeddings: hashing." in figure.caption


def test_norms_of_a_run_are_those_that_its_similarity_was_measured_on(tmp_path: Path) -> None:
    changes = {"parameters": {"norm_embedder": "hashing"}, "rounds": 2, "agents": 4, "seed": 3}
    society = build(load_config("language_village", changes))
    path = tmp_path / "village.run"
    play_session(Session.begun(society, path, "full"), None, conclude=True)
    run = ConditionRun.read(path, "village", {})
    (ends,) = read_norm_ends(run)
    with run.opened() as file:
        found = {one.name: one.values[0] for one in file.findings() or ()}
    assert (ends.embedder, ends.first.round, ends.last.round) == ("hashing", 1, 2)
    assert ends.last.similarity == pytest.approx(found["norm_similarity"], abs=1e-6)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """`played(2)`: a study of one condition of two runs."""

    def play(replicates: int) -> Layout:
        folder: Path = tmp_path_factory.mktemp("leavers")
        (folder / "leavers.py").write_text(LEAVERS)
        changes = {"replicates": replicates, "seed": 1}
        society = build(load_config(str(folder / "leavers.py"), changes))
        path = folder / "leavers.run"
        with Writer(path, manifest_of(society, "full")) as writer:
            society.gamemaster([writer], outside=society.outside(writer.call_store)).play()
        return Layout(Study("leavers", (ConditionRun.read(path, "leavers", {}),), {}))

    return play


def table(section: Section, name: str) -> list[tuple[str, ...]]:
    (found,) = (part for part in section.walk() if isinstance(part, Table) and part.name == name)
    return found.rows


def test_who_left_for_good_has_a_round_and_a_reason(played: Played) -> None:
    layout = played(1)
    left = read_departures(layout.conditions[0])
    assert [(one.replicate, one.round, one.kind) for one in left] == [
        (0, 2, "walked_off"),
        (0, 4, "walked_off"),
    ]
    section = endings_section(layout)
    assert section.parts[0] == "The run ended in round 4: hardly anybody was left."
    assert [row[2:] for row in table(section, "departures")] == [
        ("2", left[0].who, "walked off"),
        ("4", left[1].who, "walked off"),
    ]


def test_the_sentences_of_a_single_run_say_why_it_ended_and_who_had_left(played: Played) -> None:
    layout = played(1)
    waiters = [one.who for one in read_departures(layout.conditions[0])]
    assert [one.sentence for one in StudyAnswers(layout).findings] == [
        "The leavers lasted 4 of 6 rounds, then hardly anybody was left.",
        f"1 of 3 were present at the end; {waiters[0]} (since round 2) and {waiters[1]} (since "
        "round 4) were not.",
    ]
    several = StudyAnswers(played(2)).findings
    assert [one.sentence for one in several] == [
        "2 of 2 replicates ended: in 2 hardly anybody was left."
    ]


def test_few_runs_are_listed_and_many_are_counted_by_cause(played: Played) -> None:
    few = endings_section(played(2))
    assert table(few, "endings") == [
        ("leavers", "0", "4", "hardly anybody was left"),
        ("leavers", "1", "4", "hardly anybody was left"),
    ]
    many = endings_section(played(13))
    assert [row[1:] for row in table(many, "endings")] == [
        ("hardly anybody was left", "13", "1", "4", "4", "4")
    ]
