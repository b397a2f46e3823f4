"""The post-mortem of a village: when it was too late, who took how much, and who is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import society
from society.analysis.histories import Explanation, explain
from society.config.run_config import Setting
from society.engine.graph import NOBODY
from society.engine.post_mortem import Statement
from society.runs.fork import Changes, fork
from society.runs.runfile import Level, open_run_file
from society.scenarios.village.blame import find_blame, own_ways, sources
from society.scenarios.village.fishing_village import Village
from society.scenarios.village.village_course import VillageCourse, lives


def cohort(name: str, count: int, efforts: tuple[float, float], **harvest: Any) -> dict[str, Any]:
    """Villagers whose first efforts are drawn from this range, and who seldom fine anybody."""
    parts: list[Any] = [{"persona": {"temper": "altruist"}}, "norm_belief", "punishment"]
    parts += ["social_learning", "voting"]
    return {
        "name": name,
        "count": count,
        "components": [*parts, {"harvest": {**harvest, "efforts": [list(efforts)] * 3}}],
    }


RESTRAINED = cohort("restrained", 9, (0.2, 0.5))
GREEDY = cohort("greedy", 1, (1, 1), effort_rule="trait")


def told(tmp_path: Path, level: Level = "full", **config: Any) -> Explanation:
    """What is told of the first replicate of a village."""
    society.run(
        {"scenario": "fishing_village", "seed": 1, **config},
        out=tmp_path / "lake.run",
        level=level,
    )
    with open_run_file(tmp_path / "lake.run") as run:
        return explain(run)


def said(found: Explanation, name: str) -> Statement:
    return next(one for one in found.statements if one.name == name)


def test_a_village_that_lives_needs_no_explanation(tmp_path: Path) -> None:
    found = told(tmp_path, cohorts=[{**RESTRAINED, "count": 10}])
    assert [one.words for one in found.statements] == [
        "The village lived to its last round, 100: nobody died and the lake did not collapse. "
        "There is nothing to explain."
    ]


def test_a_poor_lake_was_too_poor_from_the_beginning(tmp_path: Path) -> None:
    found = told(tmp_path, parameters={"growth": 0.2})
    late = said(found, "too_late")
    assert late.words.startswith(
        "It was too late from the beginning: to live to round 100, each of 10 villagers would have "
        "needed 75.7 to 76.0 fish to begin with, whatever their efforts, and had 30; the lake "
        "yields at most 1.50 a head and round, and each eats 2.5."
    )
    assert (late.numbers["first"], late.numbers["last"]) == (0, 0)
    assert said(found, "cause").words == (
        "Nobody is named: the lake could not feed them all, however they fished."
    )


def test_a_greedy_villager_among_restrained_ones_is_named(tmp_path: Path) -> None:
    found = told(tmp_path, cohorts=[RESTRAINED, GREEDY])
    assert found.named == (9,)
    words = said(found, "cause").words
    assert words.startswith("Villager 9 (greedy) is named: of its own accord it fished with an ")
    assert "effort of 1.00, and no other with more than 0." in words
    assert "was not measured" not in words


def test_where_agents_are_asked_in_words_a_name_is_said_to_be_unmeasured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.analysis.histories.explanation._Recorded.asks_models", True)
    found = told(tmp_path, cohorts=[RESTRAINED, GREEDY])
    assert found.named == (9,)
    assert "where language models are asked was not measured" in said(found, "cause").words


def test_nobody_is_named_where_all_fish_alike(tmp_path: Path) -> None:
    found = told(tmp_path, cohorts=[cohort("villager", 10, (0.9, 0.9))])
    assert found.named == ()
    assert "no one stands out" in said(found, "cause").words


def test_nobody_is_named_where_two_are_greedy(tmp_path: Path) -> None:
    few = {**RESTRAINED, "count": 8}
    found = told(tmp_path, cohorts=[few, {**GREEDY, "count": 2}])
    assert found.named == ()


def test_takings_add_up_to_those_above_the_line(tmp_path: Path) -> None:
    """Without a norm and without imitation, 0.9 of 5 % of 300 fish is 13.5, 9 above the share."""
    found = told(
        tmp_path,
        rounds=1,
        cohorts=[cohort("villager", 10, (0.9, 0.9), effort_rule="trait")],
        parameters={"social_learning": False, "wealth": 1, "consumption": 15, "fine": 0},
    )
    above = said(found, "above_share")
    assert above.numbers["total"] == pytest.approx([9.0] * 10)
    assert above.words == (
        "In round 1, the sustainable share of 4.50 fish a round was exceeded: villager 0 by 9.0 "
        "fish in 1 round, villager 1 by 9.0 fish in 1 round, villager 2 by 9.0 fish in 1 round and "
        "7 others together by 63.0."
    )


def test_a_mechanism_that_may_change_the_village_is_named(tmp_path: Path) -> None:
    found = told(
        tmp_path, rounds=2, mechanisms=[{"generations": {"count": 2, "fitness": "wealth"}}]
    )
    assert [one.words for one in found.statements] == [
        "The village is played within generations, which may change who fishes, how much, or what "
        "it is worth; this post-mortem knows a village alone."
    ]


def test_level_summary_keeps_too_little(tmp_path: Path) -> None:
    found = told(tmp_path, "summary", rounds=2)
    assert found.statements[0].words.startswith("This run was recorded at level summary")


def test_of_a_lake_that_overshoots_the_turning_point_is_not_told(tmp_path: Path) -> None:
    found = told(tmp_path, parameters={"growth": 2.5, "wealth": 0, "consumption": 10})
    assert said(found, "too_late").words.startswith(
        "From when on it was too late cannot be told: at a growth of 2.5, above 1,"
    )


HEAVY = cohort("villager", 4, (0.9, 0.9), effort_rule="trait")
ALONE = {"fine": 0, "social_learning": False, "effort_noise": 0}  # efforts stay as they are


def told_of_fork(
    tmp_path: Path, at: int, changes: Changes, cohorts: list[Any], **parameters: Any
) -> Explanation:
    """What is told of a fork of a village of 30 rounds."""
    config = {"scenario": "fishing_village", "seed": 1, "rounds": 30, "cohorts": cohorts}
    config["parameters"] = ALONE | parameters
    society.run(config, out=tmp_path / "lake.run")
    fork(tmp_path / "lake.run", at, changes, tmp_path / "changed.run")
    with open_run_file(tmp_path / "changed.run") as run:
        return explain(run)


def test_of_a_fork_each_round_is_reckoned_by_its_own_rules(tmp_path: Path) -> None:
    """Four take 0.9 x 5 % of the lake each; from round 11 on nothing regrows, and all eat 20."""
    changes = Changes(settings=[Setting("growth", 0.0), Setting("consumption", 20.0)])
    found = told_of_fork(tmp_path, 10, changes, [HEAVY])
    assert said(found, "changed").words.startswith(
        "It was changed in its course: lake.run after round 10: growth 0.6 -> 0; consumption 2.5 "
        "-> 20. Each round is reckoned by its own rules"
    )
    share = said(found, "above_share")
    assert "the sustainable share of 11.25, then 0.00 fish a round" in share.words
    assert found.named == ()


FOUR_AND_ONE = [cohort("restrained", 4, (0.35, 0.35), effort_rule="trait"), GREEDY]
HUNGRY = {"wealth": 5, "consumption": 5, "catchability": 0.1}
TO_SLOW_GROWTH = Changes(settings=[Setting("growth", 0.35)])


def test_of_a_change_that_may_have_made_the_difference_it_is_told_beside_the_name(
    tmp_path: Path,
) -> None:
    """A lake that grows by 0.35 bears four who fish with 0.35, and not one with 1 beside them.

    One that grows by 0.6, as it did at first, bears them all.
    """
    found = told_of_fork(tmp_path, 2, TO_SLOW_GROWTH, FOUR_AND_ONE, **HUNGRY)
    assert found.named == (4,)
    assert said(found, "cause").words.endswith(
        "Without what was changed the village might have lived, too: by the efforts recorded "
        "before and after, both may have been needed."
    )


def test_of_a_change_without_which_the_village_would_have_failed_it_is_told(tmp_path: Path) -> None:
    found = told_of_fork(tmp_path, 2, TO_SLOW_GROWTH, FOUR_AND_ONE, **HUNGRY, growth=0.37)
    assert found.named == (4,)
    assert said(found, "cause").words.endswith(
        "The village would have failed without what was changed, too, by the efforts recorded "
        "before and after."
    )


def test_a_fork_of_other_agents_is_refused(tmp_path: Path) -> None:
    found = told_of_fork(tmp_path, 10, Changes(remove=["2"]), [HEAVY])
    assert [one.words for one in found.statements] == [
        "The village was changed in its course (lake.run after round 10: without villager 2), and "
        "this post-mortem knows no villages whose agents are others, or think otherwise, later on; "
        "ask why of the run before the fork."
    ]


def test_a_language_village_is_told_of_like_any_other(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        scenario="language_village",
        rounds=3,
        agents=4,
        parameters={"wealth": 3, "norm_embedder": "hashing", "catchability": 0.01},
    )
    assert said(found, "end").numbers["failed"]
    assert found.named == ()


# Sums that one can do by hand: two rounds of three villagers.
MODELS = np.array([[NOBODY, 0, NOBODY], [NOBODY, NOBODY, 1]])
EFFORTS = np.array([[0.9, 0.2, 0.3], [0.8, 0.9, 0.4], [0.8, 0.9, 0.9]])


def course(model: list[list[int]] | None = None) -> VillageCourse:
    rounds = len(EFFORTS)
    models = np.full((rounds, 3), NOBODY)
    if model is None:
        models[:2] = MODELS
    return VillageCourse(
        EFFORTS,
        EFFORTS * 10,
        np.full(rounds, np.inf),
        models,
        np.full(rounds + 1, 100.0),
        np.full((rounds + 1, 3), 10.0),
        np.array([0.9, 0.2, 0.3]),
        {},
        True,
        True,
    )


def test_who_has_imitated_goes_by_the_way_of_whom_it_imitated() -> None:
    """1 imitates 0 in the first night, 2 imitates 1 in the second."""
    assert sources(course()).tolist() == [[0, 1, 2], [0, 0, 2], [0, 0, 0]]


def test_a_way_of_ones_own_ends_with_the_first_imitation() -> None:
    assert own_ways(course()).tolist() == [0.9, 0.2, 0.4]


def test_what_imitators_take_is_counted_to_the_way_that_they_imitate() -> None:
    """Shares of 1 fish: 8 + 7 + 7 by 0, 8 + 8 by 1 afterwards and 8 by 2 in the end, of 52."""
    p = Village(capacity=12, growth=1, catchability=0.1)
    found = find_blame([p] * 3, course())
    assert found.followers == 2
    assert found.share == pytest.approx(46 / 52)


@pytest.mark.parametrize(
    ("before", "after", "by_then", "later", "fails"),
    [
        (11, 12, 1.0, 1.0, True),  # 10 fish a round each, and 11 to eat: they had 10 to begin with
        (9, 12, 1.0, 1.0, False),  # they would have had enough
        (9, 12, 1.0, 0.2, False),
        (9, 12, 0.6, 1.0, False),  # as they fished later they would have lived under former rules
        (11, 12, 0.2, 0.2, True),
    ],
)
def test_a_village_is_played_on_without_what_was_changed(
    before: float, after: float, by_then: float, later: float, fails: bool
) -> None:
    """Two on a lake of 100 fish that double; what they eat changes after round 2 of 15."""
    lake = {"capacity": 100, "growth": 1, "catchability": 0.1, "wealth": 10}
    rules = [Village(**lake, consumption=before)] * 2 + [Village(**lake, consumption=after)] * 13
    effort = np.array([[by_then] * 2] * 2 + [[later] * 2] * 3)
    lived = course()._replace(
        effort=effort, catch=effort * 10, limit=np.full(5, np.inf), habit=effort[0],
        model=np.full((5, 2), NOBODY), stock=np.full(6, 100.0), wealth=np.full((6, 2), 10.0),
    )  # fmt: skip
    assert find_blame(rules, lived, [2]).fails_unchanged == fails
    assert find_blame(rules, lived, [0]).fails_unchanged


@pytest.mark.parametrize(("learned_before", "fails"), [(True, True), (False, False)])
def test_without_a_change_villagers_take_over_the_ways_of_others_all_the_same(
    learned_before: bool, fails: bool
) -> None:
    """One of four takes 20 of 100 fish a round; the others 3, and as much as it from round 4 on.

    They eat 2 and began with 10. 29 fish a round are borne, and 80 are not. What they eat is
    changed after round 2, or that they imitate at all: then they would not have taken it over.
    """
    lake = {"capacity": 100, "growth": 1, "catchability": 0.2, "wealth": 10, "consumption": 2}
    early = Village(**lake, social_learning=learned_before)
    rules = [early] * 2 + [Village(**lake | {"consumption": 2.5})] * 28
    effort = np.array([[1.0, 0.15, 0.15, 0.15]] * 3 + [[1.0] * 4] * 4)
    model = np.full((7, 4), NOBODY)
    model[2] = [NOBODY, 0, 0, 0]
    lived = course()._replace(
        effort=effort, catch=effort * 20, limit=np.full(7, np.inf), habit=effort[0],
        model=model, stock=np.full(8, 100.0), wealth=np.full((8, 4), 10.0),
    )  # fmt: skip
    assert find_blame(rules, lived, [2]).fails_unchanged == fails


def test_villages_are_played_on_with_the_law_of_the_lake() -> None:
    """100 fish that double: two who take 10 each live; who eats 11 a day has 0 after ten days."""
    p = Village(capacity=100, growth=1, catchability=0.1, consumption=11, wealth=10)
    everybody = np.ones((1, 2), bool)
    lived = [lives([p] * t, np.ones((1, t, 2)), everybody)[0] for t in (5, 12)]
    assert [bool(one) for one in lived] == [True, False]
