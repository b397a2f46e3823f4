"""Premises and rules that cannot be played are refused before anybody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.scenes.verdict_form import Rows, Span
from society.engine.action_spaces import Choice, Legal, Real
from society.engine.script import Script
from society.errors import ScenarioError
from society.scenarios.scenes.consequences import (
    Clock,
    DeclaredFact,
    HardRule,
    Inventory,
    Places,
    Scores,
)
from society.scenarios.scenes.scene import Scene, SceneAct
from tests.scenarios.scenes.conftest import Judge, Talker

if TYPE_CHECKING:
    from tests.scenarios.scenes.conftest import Stages

SPEAK = {0: ["I speak."]}
COINS = Inventory(("coins",), start={"coins": {0: 5, 1: 2}})
MOOD = Choice("calm", "angry")
TEXT: Any = "coins"
ALL: Any = "all"


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (Inventory(()), r"the items are \(\); give a tuple of names"),
        (Inventory(TEXT), "the items are 'coins'; give a tuple of names"),
        (Inventory(("coins", " ")), "one has no name"),
        (Inventory(("coin", "coins")), "the items 'coin' and 'coins' read alike"),
        (Inventory(("tickets to town",)), "'tickets to town' cannot stand in a ruling"),
        (Inventory(("bread; wine",)), "'bread; wine' cannot stand in a ruling"),
        (Inventory(("story",)), "two parts of the scene have a fact 'story'"),
        (Inventory(("fish",), start={"fish": 2.5}), "fish at the start are 2.5; give whole"),
        (Inventory(("fish",), start={"fish": np.nan}), "fish at the start are nan; give amounts"),
        (Inventory(("fish",), start={"fish": {1: "two"}}), "fish at the start are 'two'"),
        (Inventory(("fish",), start={"fish": [1, 2]}), r"an array of shape \(2,\); give a number"),
        (Inventory(("fish",), stock={"fish": -1}), "fish in the stock are -1; give amounts"),
        (Places(("the pub", "pub")), "the places 'the pub' and 'pub' read alike"),
        (Places(()), "the places are"),
        (Scores(most=np.inf), "the most of Scores is inf; give a number from 0"),
        (Clock(most=0), "the most of a Clock is 0; give a whole number from 1"),
        (DeclaredFact("over", MOOD), "two parts of the scene have a fact 'over'"),
        (
            DeclaredFact("mood", MOOD, start=2),
            "the start of mood is 2; give a whole number from 0 to 1",
        ),
        (
            DeclaredFact("price", Real(0, 9), start=10),
            "the start of price is 10; give a number from 0",
        ),
        (DeclaredFact("mood", MOOD, scope=ALL), "the scope of mood is 'all'; choose"),
        (
            DeclaredFact("mood", MOOD, scope="own", phrases={"I rage": "wild"}),
            "a phrase about mood is 'wild'; choose one of: calm, angry",
        ),
    ],
)
def test_a_part_that_cannot_be_played_is_refused(stages: Stages, part: Any, said: str) -> None:
    talker = Talker(SPEAK)
    with pytest.raises(ScenarioError, match=said):
        stages(talker, Judge(), part)
    assert talker.saw == []


def test_parts_with_a_fact_of_the_same_name_are_refused(stages: Stages) -> None:
    with pytest.raises(ScenarioError, match="two parts of the scene have a fact 'time'"):
        stages(Talker(SPEAK), Judge(), Inventory(("time",)), Clock())


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (HardRule("Be poor.", lambda old, new: new["coins"] > 4), "is broken at the start"),
        (HardRule("Be poor.", lambda old, new: new["cents"] > 4), "reads 'cents', which no part"),
        (HardRule("Be poor.", lambda old, new: new["coins"][0] > 9), r"bool of shape \(4,\)"),
        (HardRule("Be poor.", lambda old, new: new["coins"] - 9), "gives float64 of shape"),
        (lambda old, new: new["coins"] > 9, r"is no rule; write HardRule\(sentence, broken\)"),
    ],
)
def test_a_rule_that_cannot_be_checked_or_kept_is_refused(
    stages: Stages, rule: Any, said: str
) -> None:
    talker = Talker(SPEAK)
    with pytest.raises(ScenarioError, match=said):
        stages(talker, Judge(), COINS, rules=[rule])
    assert talker.saw == []


def test_words_for_how_a_scene_is_played_are_checked(stages: Stages) -> None:
    with pytest.raises(ScenarioError, match="each is 'palce'; choose one of: vote, place"):
        stages(Talker(SPEAK), Judge(), each="palce")
    with pytest.raises(ScenarioError, match="resolve is 'apart'; choose one of: together, each"):
        stages(Talker(SPEAK), Judge(), turn={"resolve": "apart"})
    with pytest.raises(ScenarioError, match=r"players: an array of shape \(3,\)"):
        stages(Talker(SPEAK), Judge(), players=np.ones(3, bool))
    acts = [SceneAct(0, "Talk."), SceneAct(1, "Vote.")]
    with pytest.raises(ScenarioError, match=r"the rounds of the act 'Talk\.' is 0"):
        stages(Talker(SPEAK), Judge(), script=lambda scene: scene.play(acts))


def test_a_scene_is_opened_before_it_is_played(stages: Stages) -> None:
    def unopened(scene: Scene) -> Script:
        yield from Scene(scene.env, COINS).turn("What do you do?")

    with pytest.raises(ScenarioError, match=r"before it is open; yield from scene\.open\(\)"):
        stages(Talker(SPEAK), Judge(), COINS, script=unopened)


def test_a_turn_of_referees_alone_is_refused_and_a_turn_of_nobody_is_not(stages: Stages) -> None:
    referee, nobody = np.array([[False, False, False, True]]), np.zeros((1, 4), bool)
    with pytest.raises(ScenarioError, match="nobody may act in this turn: all in `who` are"):
        stages(Talker(SPEAK), Judge(), turn={"who": referee})
    assert len(stages(Talker(SPEAK), Judge(), turn={"who": nobody}).told("story")) == 2


def test_a_referee_is_told_of_paths_and_of_rules_beforehand(stages: Stages) -> None:
    road = Places(("hut", "ford", "town"), paths={"hut": ["ford"], "ford": ["hut", "town"]})
    modest = HardRule("Nobody may own more than 9 coins.", lambda old, new: new["coins"] > 9)
    lines: list[str] = []

    def overheard(scene: Scene) -> Script:
        turn = scene.turn("What do you do?")
        line = next(turn)
        while True:
            lines.append(getattr(line, "text", "") or "")
            try:
                line = turn.send((yield line))
            except StopIteration:
                return

    stages(Talker(SPEAK), Judge(), COINS, road, rules=[modest], script=overheard)
    ways = "In a turn one can go from hut to ford; from ford to hut and town; from town to nowhere."
    assert lines[1].endswith(f"{ways} Nobody may own more than 9 coins.")


def test_what_is_made_has_a_bound_up_to_which_sums_are_exact(stages: Stages) -> None:
    bread = Inventory(("bread",), made=("bread",))
    judge = Judge({"transfers": "nobody gives 1e300 bread to agent 0"})
    stages(Talker(SPEAK), judge, bread)
    assert judge.saw[1][1] == "1e+300 bread would come from nowhere; at most 1e+12 can."


def test_nobody_owns_less_than_nothing_of_what_is_divided(stages: Stages) -> None:
    wine = Inventory(("wine",), start={"wine": {0: 0.3}}, whole=False)
    rows = "agent 0 gives 0.1 wine to agent 1; agent 0 gives 0.2 wine to agent 2"
    over = stages(Talker(SPEAK), Judge({"transfers": rows}), wine)
    assert over.told("wine")[-1].tolist() == [[0, 0.1, 0.2, 0]], "and not -5e-17"


def test_the_schema_of_points_takes_bounds_in_whole_numbers() -> None:
    """Bounds may be given as 5 or as 5.0."""
    parts: Any = {"who": ("a", "b"), "points": Span(-5, 5, whole=False)}
    rows = Rows(pattern="{who} gets {points} points", parts=parts, plain=lambda facts: "")
    bounds = rows.schema(Legal())["items"]["properties"]["points"]
    assert bounds == {"type": "number", "minimum": -5, "maximum": 5}
    assert '"points": <number from -5 to 5>' in rows.hint(Legal())
