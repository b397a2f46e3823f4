"""Scenes: who acts when, who perceives what, and what a referee can make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.scenes.plain_referee import PlainReferee
from society.engine.action_spaces import Choice, Real
from society.engine.component import Agent, Inquiry, per_agent
from society.engine.script import Script, Tell
from society.errors import CastError, ScenarioError
from society.scenarios.scenes.consequences import (
    Clock,
    DeclaredFact,
    HardRule,
    Inventory,
    Places,
    Scores,
)
from society.scenarios.scenes.scene import NOTHING_HAPPENS, Scene, SceneAct
from tests.scenarios.scenes.conftest import Judge, Talker

if TYPE_CHECKING:
    from tests.conftest import Played
    from tests.scenarios.scenes.conftest import Stages

COINS = Inventory(("coins",), start={"coins": {0: 5, 1: 2}})
PUBS = Places(("the street", "the Crown", "the Mill"))
SPEAK = {0: ["I begin."], 1: ["I follow."], 2: ["I end."]}


def asked(over: Played, kind: str) -> list[list[int]]:
    """The seats that were asked, each time a kind of question was."""
    asks = [step for step in over.steps if step.sort == "ask" and step.kind == kind]
    return [np.flatnonzero(step.arrays["who", ""][0]).tolist() for step in asks]


def last(over: Played, name: str) -> list[Any]:
    values: list[Any] = over.told(name)[-1][0].tolist()
    return values


# Turns


def test_all_at_once_nobody_has_heard_anybody(stages: Stages) -> None:
    talker = Talker(SPEAK)
    over = stages(talker, Judge())
    assert asked(over, "act") == [[0, 1, 2]]
    assert [said for _, said, _ in talker.saw] == [{}, {}, {}]


def test_in_turn_by_id_each_has_heard_those_before_it(stages: Stages) -> None:
    talker = Talker(SPEAK)
    over = stages(talker, Judge(), turn={"order": "fixed"})
    assert asked(over, "act") == [[0], [1], [2]]
    assert [said for _, said, _ in talker.saw] == [
        {},
        {0: "I begin."},
        {0: "I begin.", 1: "I follow."},
    ]


def test_the_fixed_order_goes_by_id_and_not_by_seat(stages: Stages) -> None:
    talker = Talker(SPEAK)
    stages(talker, Judge(), turn={"order": "fixed"}, ids=[2, 3, 0, 1])
    assert [agent for agent, _, _ in talker.saw] == [0, 1, 2]


def test_a_shuffled_order_is_another_one_in_each_round_and_everybody_acts_once(
    stages: Stages,
) -> None:
    over = stages(Talker({}), Judge(), turns=20, turn={"order": "shuffled"})
    orders = [tuple(seat for (seat,) in asked(over, "act")[k : k + 3]) for k in range(0, 60, 3)]
    assert {tuple(sorted(order)) for order in orders} == {(0, 1, 2)}
    assert len(set(orders)) > 3


def test_whoever_wants_to_most_acts_first(stages: Stages) -> None:
    over = stages(Talker({}, eager=[2, 9, 5]), Judge(), turn={"order": "initiative"})
    assert asked(over, "initiative") == [[0, 1, 2]]
    assert asked(over, "act") == [[1], [2], [0]]


def test_the_referee_says_who_acts_next_and_nobody_acts_where_it_names_nobody(
    stages: Stages,
) -> None:
    over = stages(Talker(SPEAK), Judge(order=[2, -1, 2]), turn={"order": "referee"})
    assert asked(over, "choose_next") == [[3], [3], [3]]
    assert asked(over, "act") == [[2], [], []]  # 2 has had its turn when it is named again


def test_one_verdict_for_all_acts_or_one_for_each(stages: Stages) -> None:
    together = stages(Talker(SPEAK), Judge(), turn={"order": "fixed"})
    each = stages(Talker(SPEAK), Judge(), turn={"order": "fixed", "resolve": "each"})
    decided = [[who for who in asked(over, "resolve") if who] for over in (together, each)]
    assert decided == [[[3]], [[3], [3], [3]]]


def test_a_referee_is_not_asked_when_nobody_has_acted(stages: Stages) -> None:
    assert asked(stages(Talker({}), Judge()), "resolve") == [[], []]


# Perception


def test_those_in_the_same_place_perceive_each_other_and_others_do_not(stages: Stages) -> None:
    talker = Talker({0: ["Hello."], 1: ["Hush."], 2: ["Hm."]})
    where = Places(("inside", "outside"), start={"inside": [0, 1], "outside": [2]})
    stages(talker, Judge(), where, turns=2)
    assert [said for _, said, _ in talker.saw[3:]] == [{1: "Hush."}, {0: "Hello."}, {}]


def test_who_arrives_has_not_heard_what_was_said_before(stages: Stages) -> None:
    talker = Talker({0: ["A secret."], 2: ["I go in."]})
    where = Places(("inside", "outside"), start={"inside": [0, 1], "outside": [2]})
    judge = Judge({"moves": "agent 2 goes to inside", "story_inside": "A door opens."})
    over = stages(talker, judge, where, turns=2)
    assert last(over, "place")[:3] == [0, 0, 0]
    assert [said for _, said, _ in talker.saw[3:]] == [{}, {}, {}]
    assert [story for _, _, story in talker.saw[3:]] == ["A door opens."] * 2 + [NOTHING_HAPPENS]


def test_agents_are_shown_no_referee(stages: Stages) -> None:
    over = stages(Talker({}), Judge(), PUBS)
    graph = over.game.env.graph("here")
    assert graph.neighbours(0, 0).tolist() == [1, 2]
    assert graph.neighbours(0, 3).tolist() == []


def test_the_premise_is_told_before_the_first_round(stages: Stages) -> None:
    over = stages(Talker({}), Judge(), premise="It rains {in torrents}.")
    assert [step.kind for step in over.pages[0].steps] == ["opened"]


# Verdicts


def test_a_verdict_changes_what_it_says(stages: Stages) -> None:
    judge = Judge({"transfers": "agent 0 gives 3 coins to agent 1", "story": "They shake hands."})
    over = stages(Talker(SPEAK), judge, COINS)
    assert last(over, "coins") == [2, 5, 0, 0]
    assert last(over, "story") == ["They shake hands."] * 4
    assert last(over, "overruled") == [0]
    assert judge.saw == [({0: "I begin.", 1: "I follow.", 2: "I end."}, "")]


def test_what_is_not_owned_is_not_spent_and_the_referee_hears_why_once(stages: Stages) -> None:
    judge = Judge(
        {"transfers": "agent 1 gives 3 coins to agent 0"},
        {"transfers": "agent 1 gives 2 coins to agent 0"},
    )
    over = stages(Talker(SPEAK), judge, COINS)
    assert [refusal for _, refusal in judge.saw] == [
        "",
        "agent 1 would give away 3 coins, but has 2.",
    ]
    assert last(over, "coins") == [7, 0, 0, 0]
    assert last(over, "overruled") == [0]


def test_a_referee_that_breaks_the_rules_twice_changes_nothing_and_is_counted(
    stages: Stages,
) -> None:
    wrong = {"transfers": "agent 1 gives 3 coins to agent 0", "story": "He is robbed."}
    over = stages(Talker({0: ["Give!", "Give!"]}), Judge(wrong, wrong, {}), COINS, turns=2)
    assert [told[0].tolist() for told in over.told("coins")] == [[5, 2, 0, 0]] * 3
    assert [told[0].tolist() for told in over.told("overruled")] == [[1], [0.5]]
    assert over.told("story")[1][0].tolist() == [NOTHING_HAPPENS] * 4


def test_what_comes_in_a_turn_cannot_be_spent_in_it(stages: Stages) -> None:
    rows = "agent 0 gives 5 coins to agent 2; agent 2 gives 5 coins to agent 1"
    judge = Judge({"transfers": rows})
    stages(Talker(SPEAK), judge, COINS)
    assert judge.saw[1][1] == "agent 2 would give away 5 coins, but has 0."


def test_a_common_stock_gives_what_it_has_and_no_more(stages: Stages) -> None:
    fish = Inventory(("fish",), stock={"fish": 4})
    rows = "stock gives 3 fish to agent 0; stock gives 2 fish to agent 1"
    judge = Judge({"transfers": rows}, {"transfers": "stock gives 3 fish to agent 0"})
    over = stages(Talker(SPEAK), judge, fish)
    assert judge.saw[1][1] == "the stock would give away 5 fish, but has 4."
    assert (last(over, "fish"), last(over, "fish_left")) == ([3, 0, 0, 0], [1])


def test_only_what_is_declared_as_made_comes_from_nowhere(stages: Stages) -> None:
    bread = Inventory(("bread", "coins"), made=("bread",))
    rows = ("nobody gives 2 bread to agent 0", "nobody gives 2 coins to agent 0")
    judge = Judge({"transfers": rows[0]}, {"transfers": rows[1]}, {})
    over = stages(Talker({0: ["I bake.", "I mint."]}), judge, bread, turns=2)
    assert (last(over, "bread")[0], last(over, "coins")[0]) == (2, 0)
    assert judge.saw[2][1] == "2 coins would come from nowhere."


def test_nobody_is_in_two_places_and_paths_are_kept(stages: Stages) -> None:
    road = Places(("hut", "ford", "town"), paths={"hut": ["ford"], "ford": ["hut", "town"]})
    judge = Judge(
        {"moves": "agent 0 goes to ford; agent 0 goes to hut"},
        {"moves": "agent 0 goes to town"},
        {"moves": "agent 0 goes to ford; agent 1 goes to ford"},
    )
    over = stages(Talker({0: ["Go.", "Go."]}), judge, road, turns=2)
    assert [refusal for _, refusal in judge.saw] == [
        "",
        "agent 0 would be in two places, ford and hut.",
        "",
    ]
    assert last(over, "place")[:3] == [1, 1, 0]
    assert over.told("overruled")[0].tolist() == [[1]]


def test_points_minutes_and_facts_of_ones_own(stages: Stages) -> None:
    mood = DeclaredFact("mood", Choice("calm", "angry"), scope="own", words="Mood")
    price = DeclaredFact("price", Real(0, 10), start=4.0)
    judge = Judge(
        {
            "points": "agent 0 gets 2.5 points; agent 2 gets -1 points",
            "minutes": 20,
            "mood": "mood of agent 1 becomes angry",
            "price": 6.5,
        }
    )
    over = stages(Talker(SPEAK), judge, Scores(), Clock(), mood, price)
    assert last(over, "score") == [2.5, 0, -1, 0]
    assert last(over, "time") == [20]
    assert last(over, "mood") == [0, 1, 0, 0]
    assert last(over, "price") == [6.5]


def test_no_more_points_than_there_are_in_a_turn(stages: Stages) -> None:
    rows = "agent 0 gets 3 points; agent 0 gets 3 points"
    judge = Judge({"points": rows})
    over = stages(Talker(SPEAK), judge, Scores(most=5))
    assert judge.saw[1][1] == "agent 0 would get 6 points, more than 5 in a turn."
    assert last(over, "score")[0] == 0


def test_a_rule_of_the_scenes_own_is_a_hard_rule_too(stages: Stages) -> None:
    rich = HardRule("Nobody may have more than 6 coins.", lambda old, new: new["coins"] > 6)
    judge = Judge({"transfers": "agent 1 gives 2 coins to agent 0"})
    over = stages(Talker(SPEAK), judge, COINS, rules=[rich])
    assert judge.saw[1][1] == "Nobody may have more than 6 coins."
    assert last(over, "coins") == [5, 2, 0, 0]


def test_a_verdict_that_was_cut_off_is_refused_with_the_reason(stages: Stages) -> None:
    judge = Judge({"transfers": "agent 0 gives 3 coins to age"})
    stages(Talker(SPEAK), judge, COINS)
    assert judge.saw[1][1].startswith("'agent 0 gives 3 coins to age' is no ruling; expected")


def test_a_referee_may_end_the_scene(stages: Stages) -> None:
    judge = Judge({}, {"over": 1})
    over = stages(Talker({0: ["a", "b", "c"]}), judge, closes=True, turns=3)
    assert over.outcome.ends == {"closed": 1}
    assert over.outcome.rounds == 2


# Several referees


def test_three_referees_vote_row_by_row_and_by_the_median(stages: Stages) -> None:
    class Panel(Judge):
        def __init__(self) -> None:
            super().__init__()
            self.given = {
                3: ("agent 0 gives 1 coin to agent 1; agent 0 gives 1 coin to agent 2", 5),
                4: ("agent 0 gives 1 coin to agent 2; agent 1 gives 2 coins to agent 0", 60),
                5: ("agent 0 gives 1 coin to agent 2; agent 0 gives 1 coin to agent 1", 10),
            }

        def answer(self, ask: Any, agents: Any) -> Any:
            rows, minutes = zip(
                *(self.given.get(one, ("", 0)) for one in agents.agent.tolist()), strict=True
            )
            return {"transfers": list(rows), "minutes": list(minutes), "story": ""}

    over = stages(Talker(SPEAK), Panel(), COINS, Clock(), referees=3)
    assert last(over, "coins")[:3] == [3, 3, 1]
    assert last(over, "time") == [10]


def test_a_referee_of_a_place_decides_for_those_who_are_there(stages: Stages) -> None:
    where = Places(("in", "out"), start={"in": [0, 1, 3], "out": [2, 4]})
    judge = Judge({"transfers": "agent 0 gives 1 coin to agent 1", "story": "Here."})
    over = stages(Talker({0: ["I pay."]}), judge, COINS, where, referees=2, each="place")
    assert asked(over, "resolve") == [[3], []]
    assert last(over, "coins")[:3] == [4, 3, 0]
    assert last(over, "story")[:3] == ["Here.", "Here.", ""]


def test_a_referee_of_a_place_has_no_say_about_others(stages: Stages) -> None:
    where = Places(("in", "out"), start={"in": [0, 1, 3], "out": [2, 4]})
    judge = Judge({"transfers": "agent 0 gives 1 coin to agent 2"})
    stages(Talker({0: ["I pay."]}), judge, COINS, where, referees=2, each="place")
    assert judge.saw[1][1] == "agent 2 is somewhere else."


def test_referees_of_one_place_vote_there(stages: Stages) -> None:
    where = Places(("in", "out"), start={"in": [0, 1, 3, 4], "out": [2]})
    judge = Judge({"transfers": "agent 0 gives 1 coin to agent 1"})
    over = stages(Talker({0: ["I pay."]}), judge, COINS, where, referees=2, each="place")
    assert last(over, "coins")[:3] == [4, 3, 0], "they agree, and it counts once"


def test_nothing_is_decided_about_who_is_gone(stages: Stages) -> None:
    def leaving(scene: Scene) -> Script:
        yield Tell("left", gone=np.array([[False, True, False, False]]))
        yield from scene.turn("What do you do?")

    judge = Judge({"transfers": "agent 0 gives 1 coin to agent 1"})
    over = stages(Talker({0: ["I pay."]}), judge, COINS, script=leaving)
    assert judge.saw[1][1] == "agent 1 is gone."
    assert last(over, "coins") == [5, 2, 0, 0]


class Panel(Judge):
    """Referees who each have a verdict of their own, by id."""

    def __init__(self, **given: Mapping[int, Any]) -> None:
        super().__init__()
        self.given = given

    def answer(self, ask: Any, agents: Any) -> Any:
        ids = agents.agent.tolist()
        return {name: [said.get(one, "") for one in ids] for name, said in self.given.items()}


def gift(to: int) -> str:
    return f"agent 0 gives 1 coin to agent {to}"


def test_the_story_is_that_of_a_referee_who_wanted_what_has_been_decided(stages: Stages) -> None:
    rows = {3: "agent 0 gives 5 coins to agent 2", 4: gift(1), 5: gift(1)}
    panel = Panel(transfers=rows, story={3: "He gives all.", 4: "He pays.", 5: "He pays up."})
    over = stages(Talker(SPEAK), panel, COINS, referees=3)
    assert last(over, "coins")[:3] == [4, 3, 0]
    assert last(over, "story")[0] == "He pays."


def test_where_no_story_is_of_what_has_been_decided_its_rows_are_told(stages: Stages) -> None:
    more = "agent 1 gives 1 coin to agent 2"
    rows = {3: gift(1), 4: f"{gift(1)}; {gift(2)}", 5: f"{gift(2)}; {more}"}
    panel = Panel(transfers=rows, story={3: "A", 4: "B", 5: "C"})
    over = stages(Talker(SPEAK), panel, COINS, referees=3)
    assert last(over, "story")[0] == "B"
    panel.given["transfers"][4] = f"{gift(2)}; agent 1 gives 2 coins to agent 0"  # type: ignore[index]
    over = stages(Talker(SPEAK), panel, COINS, referees=3)
    assert last(over, "coins")[:3] == [4, 2, 1]
    assert last(over, "story")[0] == "Agent 0 gives 1 coin to agent 2."


def test_referees_who_want_different_things_change_nothing(stages: Stages) -> None:
    panel = Panel(transfers={3: gift(1), 4: gift(2)}, story={3: "A", 4: "B"})
    over = stages(Talker(SPEAK), panel, COINS, referees=2)
    assert last(over, "coins")[:3] == [5, 2, 0]
    assert last(over, "story") == [NOTHING_HAPPENS] * 5


def test_of_a_split_vote_on_a_choice_nothing_comes(stages: Stages) -> None:
    weather = DeclaredFact("weather", Choice("dry", "wet", "snow"), start=1)
    panel = Panel(weather=dict.fromkeys(range(5), 0) | {4: 1}, story={})
    assert last(stages(Talker(SPEAK), panel, weather, referees=2), "weather") == [1]


@pytest.mark.parametrize("ids", [None, (4, 3, 2, 1, 0)])
def test_the_story_of_a_place_goes_by_id_and_not_by_seat(stages: Stages, ids: Any) -> None:
    where = Places(("in", "out"), start={"in": [0, 1, 3, 4], "out": [2]})
    panel = Panel(moves={}, story={3: "Three tells.", 4: "Four tells."})
    over = stages(Talker({0: ["On."]}), panel, where, referees=2, each="place", ids=ids)
    told = dict(zip(ids or range(5), last(over, "story"), strict=True))
    assert (told[0], told[2]) == ("Three tells.", "")


def test_of_acts_without_a_referee_nothing_comes_and_that_is_told(stages: Stages) -> None:
    def alone(scene: Scene) -> Script:
        yield Tell("left", gone=np.array([[False, False, False, True]]))
        yield from scene.turn("What do you do?")

    over = stages(Talker({0: ["I pay."]}), Judge(), COINS, script=alone)
    assert last(over, "story")[:3] == [NOTHING_HAPPENS] * 3
    assert last(over, "coins")[:3] == [5, 2, 0]


def test_the_plain_referee_gives_nothing_to_who_is_gone(stages: Stages) -> None:
    """What others do then still counts."""

    def leaving(scene: Scene) -> Script:
        yield Tell("left", gone=np.array([[False, False, True, False]]))
        yield from scene.turn("What do you do?")

    words = {0: ["I give 1 coin to 2."], 1: ["I give 1 coin to agent 0."]}
    over = stages(Talker(words), PlainReferee(), COINS, script=leaving)
    assert last(over, "coins")[:3] == [6, 1, 0]
    assert last(over, "overruled") == [0]


# Acts of a play, and scripts that decide themselves


def test_a_play_goes_through_its_acts_and_stays_in_the_last_one(stages: Stages) -> None:
    acts = [SceneAct(2, "Talk."), SceneAct(1, "Part.", who="person", order="fixed")]
    over = stages(Talker({}), Judge(), turns=4, script=lambda scene: scene.play(acts))
    assert asked(over, "act") == [[0, 1, 2]] * 2 + [[0], [1], [2]] * 2


def test_a_script_hands_over_things_within_the_rules(stages: Stages) -> None:
    to = np.array([[1, 0, 0, 0]])
    over = stages(
        Talker({}),
        Judge(),
        COINS,
        script=lambda scene: scene.hand_over(to, {"coins": np.array([[4, 0, 0, 0]])}),
    )
    assert last(over, "coins") == [1, 6, 0, 0]
    with pytest.raises(ScenarioError, match="agent 0 would give away 6 coins, but has 5"):
        stages(
            Talker({}),
            Judge(),
            COINS,
            script=lambda scene: scene.hand_over(to, {"coins": np.array([[6, 0, 0, 0]])}),
        )


def hand_over(amount: float, to: int) -> Callable[[Scene], Script]:
    """Let agent 0 hand over coins."""
    given = {"coins": np.array([[amount, 0, 0, 0]])}
    return lambda scene: scene.hand_over(np.array([[to, 0, 0, 0]]), given)


@pytest.mark.parametrize(
    ("amount", "to", "said"),
    [
        (-3, 1, "agent 0 gives -3 coins to agent 1"),
        (1.5, 1, "agent 0 gives 1.5 coins to agent 1"),
        (np.nan, 1, "agent 0 gives nan coins to agent 1"),
        (2, -1, "agent 0 gives 2 coins to nobody who acts"),
        (2, 3, "agent 0 gives 2 coins to nobody who acts"),
    ],
)
def test_a_script_hands_over_no_debts_no_halves_and_nothing_to_nobody(
    stages: Stages, amount: float, to: int, said: str
) -> None:
    with pytest.raises(ScenarioError, match=f"hands over what cannot be: {said}"):
        stages(Talker({}), Judge(), COINS, script=hand_over(amount, to))


def test_a_script_hands_over_things_that_there_are(stages: Stages) -> None:
    with pytest.raises(ScenarioError, match="give the scene an Inventory"):
        stages(Talker({}), Judge(), script=hand_over(1, 1))
    with pytest.raises(ScenarioError, match="hands over is 'coins'; choose one of: fish"):
        stages(Talker({}), Judge(), Inventory(("fish",)), script=hand_over(1, 1))


# What cannot be played


@pytest.mark.parametrize(
    ("parts", "more", "said"),
    [
        (
            (Places(("a", "b"), start={"a": [0], "b": [1, 0]}),),
            {},
            "agent 0 begins at a and at b; nobody is in two places, name it once",
        ),
        ((Places(("a", "b"), start={"c": [0]}),), {}, "there is no place 'c'"),
        ((Places(("a",), start={"a": [9]}),), {}, "agent 9 begins at a, but ids go from 0 to 3"),
        (
            (Inventory(("coins",), start={"coins": 5}, in_all={"coins": 3}),),
            {},
            "15 coins are owned at the start, and there are 3 in all",
        ),
        (
            (Inventory(("coins",), start={"coins": {3: 1}}),),
            {},
            "agent 3 owns coins at the start, but does not act; those who do are 0, 1, 2",
        ),
        ((Inventory(("coins",), start={"coin": 1}),), {}, "no item 'coin'; did you mean 'coins'"),
        (
            (Inventory(("coins",), start={"coins": -1}),),
            {},
            "coins at the start are -1; give amounts from 0",
        ),
        ((), {"each": "place"}, "each='place' needs Places"),
        ((PUBS,), {"each": "place"}, "a referee decides for its place, and is nowhere"),
        (
            (Places(("a",), start={"a": [3]}), Clock()),
            {"each": "place"},
            "Clock is shared by all places",
        ),
        ((COINS, COINS), {}, "two parts of the scene have a fact 'coins'"),
        ((COINS, Inventory(("fish",))), {}, "a field 'transfers'; take one Inventory"),
    ],
)
def test_a_premise_that_contradicts_itself_is_refused_before_anything_is_asked(
    stages: Stages, parts: Any, more: Any, said: str
) -> None:
    talker = Talker({})
    with pytest.raises(ScenarioError, match=said):
        stages(talker, Judge(), *parts, **more)
    assert talker.saw == []


def test_a_scene_in_which_nobody_may_act_is_refused(stages: Stages) -> None:
    with pytest.raises(ScenarioError, match="nobody may act in this scene: all 1 agents are"):
        stages(Talker({}), Judge(), people=0)


def test_an_act_of_nobody_but_referees_is_refused(stages: Stages) -> None:
    acts = [SceneAct(1, "Judge.", who="referee")]
    with pytest.raises(ScenarioError, match=r"nobody may act in the act 'Judge\."):
        stages(Talker({}), Judge(), script=lambda scene: scene.play(acts))


def test_an_act_of_a_cohort_that_there_is_not_is_refused(stages: Stages) -> None:
    with pytest.raises(CastError, match="a cohort called 'chorus'; choose one of: person, referee"):
        stages(
            Talker({}),
            Judge(),
            script=lambda scene: scene.play([SceneAct(1, "Sing.", who="chorus")]),
        )


def test_an_order_that_there_is_not_is_refused(stages: Stages) -> None:
    with pytest.raises(ScenarioError, match="there is no order 'now'; choose one of: at_once"):
        stages(Talker({}), Judge(), turn={"order": "now"})


# Words for one alone


class Whisperer(Talker):
    """Says its lines, each to an agent by seat, -1 for all."""

    def __init__(self, lines: Mapping[int, Sequence[tuple[str, int]]]) -> None:
        super().__init__({})
        self.spoken = lines
        self.heard: list[tuple[int, dict[int, str], str]] = []

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        deeds = {seat: text for seat, text in ask.facts.seen("deed").items() if text}
        self.heard.append((agent.agent, deeds, ask.facts["heard"]))
        lines = self.spoken.get(agent.agent, ())
        number = agent.times_asked("act")
        words, to = lines[number] if number < len(lines) else ("", -1)
        return {"words": words, "to": to}


def test_what_is_said_to_one_alone_is_heard_by_nobody_else(stages: Stages) -> None:
    talker = Whisperer({0: [("Psst.", 1)], 1: [("Hello.", -1)], 2: [("To 1.", 1)]})
    judge = Judge()
    over = stages(talker, judge, whispers=True, turn={"order": "fixed"}, turns=2)
    assert talker.heard == [
        (0, {}, ""),
        (1, {}, "agent 0: Psst."),
        (2, {1: "Hello."}, ""),
        (0, {1: "Hello."}, ""),
        (1, {}, "agent 2: To 1."),
        (2, {1: "Hello."}, ""),
    ]
    assert judge.saw[0][0] == {0: "Psst.", 1: "Hello.", 2: "To 1."}
    told = over.told("heard")[1][0].tolist()
    assert told == ["", "agent 0: Psst. agent 2: To 1.", "", ""]
    assert over.told("deed")[1][0].tolist() == ["", "Hello.", "", ""]


def test_the_referee_knows_to_whom_somebody_speaks(stages: Stages) -> None:
    talker = Whisperer({0: [("Psst.", 1)], 1: [("Hello.", -1)]})
    over = stages(talker, Judge(), whispers=True)
    (ask,) = [s for s in over.steps if s.kind == "resolve" and s.arrays["who", ""].any()]
    assert ask.arrays["seen stage", "addressee"][0].tolist() == ["agent 1", "", "", ""]
