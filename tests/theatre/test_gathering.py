"""Series and marks of all replicates, from one pass over the rounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import society
from society.index import presets
from society.runs.runfile import open_run_file
from society.theatre.history import BORDER, BORN, ENDED, GONE, Course, History
from tests.theatre.conftest import Record


def lanes(course: Course, *names: str) -> list[tuple[int, str, str]]:
    return [(mark.round, mark.lane, mark.words) for mark in course.marks if mark.lane in names]


def test_every_replicate_has_the_numbers_of_its_rounds(record: Record) -> None:
    history = record("fishing_village", {"agents": 4, "rounds": 5, "replicates": 3, "seed": 2})
    for replicate in range(3):
        course = history.course(replicate)
        for name in ("catch", "wealth", "belief"):
            told = history.run.series(name, replicate)
            np.testing.assert_allclose(course.own[name], told, rtol=0)
        np.testing.assert_array_equal(
            course.common["stock"], history.run.series("stock", replicate)
        )
        shares = history.run.series("stock", replicate, measure=True)
        np.testing.assert_array_equal(course.measures["stock"], shares)
    assert not np.array_equal(history.course(0).own["catch"], history.course(1).own["catch"])


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(presets()))
def test_courses_of_a_preset_are_the_series_of_its_run(record: Record, name: str) -> None:
    """Two paths, one truth: gathered for all replicates at once, and read for one alone."""
    history = record(name, {"seed": 5})
    for replicate in {0, history.manifest.replicates - 1}:
        course = history.course(replicate)
        for series, values in course.own.items():
            np.testing.assert_array_equal(history.run.series(series, replicate), values)
        for series, values in course.measures.items():
            told = history.run.series(series, replicate, measure=True)
            np.testing.assert_array_equal(told, values)


def test_measures_of_which_single_rounds_say_nothing_have_no_course(village: History) -> None:
    assert "survival_time" not in village.course(0).measures
    assert "efficiency" in village.course(0).measures


def test_deaths_and_the_end_are_marked_once_and_nothing_after(village: History) -> None:
    course = village.course(0)
    (gone,) = [mark for mark in course.marks if mark.lane == GONE]
    assert (gone.words, gone.agent >= 0) == ("fined to death", True)
    assert course.marks[-1].lane == ENDED
    assert course.first(ENDED) == course.marks[-1]
    assert course.marks[-1].words == "a villager was fined to death"
    assert max(mark.round for mark in course.marks) == gone.round == village.last


def test_deeds_are_counted_by_round(village: History) -> None:
    course = village.course(0)
    for mark in (mark for mark in course.marks if mark.lane == "fined"):
        peers = village.scene(mark.round).answered["punish"][-1].values[0]
        assert mark.times == (peers >= 0).sum()
    assert course.first("fined") is not None
    assert course.first("robbed") is None


@pytest.mark.parametrize(("fine", "marked"), [(10.0, True), (0.0, False)])
def test_only_fines_that_were_paid_are_marked(record: Record, fine: float, marked: bool) -> None:
    given = {"fine": fine, "effort_rule": "trait", "ends_on": "horizon"}
    history = record("fishing_village", {"rounds": 4, "seed": 3, "parameters": given})
    fined = [
        (history.scene(number).answered["punish"][-1].values >= 0).any() for number in range(1, 5)
    ]
    assert any(fined)  # somebody is named in either case
    assert any(mark.lane == "fined" for mark in history.course(0).marks) == marked


def test_a_norm_is_marked_where_it_differs_from_the_round_before(record: Record) -> None:
    given = {"vote": "none"}
    history = record("fishing_village", {"rounds": 4, "seed": 3, "parameters": given})
    assert [at for at, *_ in lanes(history.course(0), "cap")] == [0]  # the first one stays
    cap = history.course(0).common["cap"]
    assert len({*cap[1:].tolist()}) == 1
    assert lanes(history.course(0), "cap")[0][2] == f"{cap[0]:.2f} fish"


def test_norms_in_words_are_marked_with_their_words(record: Record) -> None:
    changes = {"agents": 3, "rounds": 3, "seed": 1, "models": {"default": "offline"}}
    history = record("language_village", changes)
    marked = lanes(history.course(0), "policy")
    assert marked
    for at, _, words in marked:
        first, last = history.scene(at).stated("policy") or ([[""]], [[""]])
        assert words == last[0][0]
        assert words != first[0][0]


def test_generations_have_borders_births_and_those_who_are_not_selected(record: Record) -> None:
    lives = {"count": 2, "fitness": "final", "phenotype": "share", "strategies": "advice"}
    changes = {"agents": 4, "seed": 1, "rounds": 2, "mechanisms": [{"generations": lives}]}
    history = record("donor_game", changes)
    course = history.course(0)
    assert lanes(course, BORDER) == [
        (4, BORDER, "game 2"),
        (6, BORDER, "generation 2"),
        (9, BORDER, "game 2"),
    ]
    born = [(mark.round, mark.agent) for mark in course.marks if mark.lane == BORN]
    left = [mark for mark in course.marks if mark.lane == GONE]
    assert [at for at, _ in born] == [6, 6]
    assert [mark.agent for mark in left if mark.round == 5] == [agent for _, agent in born]
    assert {mark.words for mark in left} == {"not selected"}


def test_at_level_summary_there_are_measures_and_ends(record: Record) -> None:
    poor = {"population": "mixed", "wealth": 2, "consumption": 3, "punishers": "text"}
    given = {**poor, "effort_rule": "trait"}
    changes = {"agents": 4, "rounds": 6, "seed": 9, "parameters": given}
    course = record("fishing_village", changes, "summary").course(0)
    assert {mark.lane for mark in course.marks} == {ENDED}
    assert (course.own, "efficiency" in course.common) == ({}, True)
    # The measure `stock` is a share, and the fact `stock` a number of fish, which is not recorded.
    assert ("stock" in course.common, "stock" in course.measures) == (False, True)


def test_quantiles_are_those_of_the_agents_who_are_there() -> None:
    wealth = np.array([[1.0, 2, 3, 4], [np.nan, 5, np.nan, 7], [np.nan] * 4])
    course = Course({}, {"wealth": wealth}, ())
    found = course.quantiles("wealth", np.array([0, 0.5, 1]))
    np.testing.assert_array_equal(found, [[1, 2.5, 4], [5, 6, 7], [np.nan] * 3])


def test_a_scenario_without_a_display_has_courses_of_all_that_it_tells(tmp_path: Path) -> None:
    code = """
import numpy as np
from society import Ask, Cohort, Component, Real, Tell, own, common, scenario

class Cutter(Component):
    answers = ("cut",)
    def answer(self, ask, me):
        return np.full(len(me), 2.0)

@scenario(cast=lambda p, n: [Cohort("cutters", n, (Cutter(),))], agents=3, rounds=2)
def wood(env):
    "Trees are cut."
    for number in env.rounds():
        cut = yield Ask("cut", Real(0, 9))
        yield Tell("felled", {"wood": own(cut * number), "left": common(100 - number)})
"""
    (tmp_path / "wood.py").write_text(code)
    society.run(tmp_path / "wood.py", out=tmp_path / "w.run")
    with open_run_file(tmp_path / "w.run") as run:
        course = History(run).course(0)
    assert course.own["wood"][1:].tolist() == [[2, 2, 2], [4, 4, 4]]
    assert course.common["left"][1:].tolist() == [99, 98]
    assert course.marks == ()
