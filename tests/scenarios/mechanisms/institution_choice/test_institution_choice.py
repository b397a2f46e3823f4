"""Players choose their rules: by vote for all, or each for itself with its feet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.component import Agent, Component, Inquiry
from society.engine.population import Cohort
from society.engine.scenario import wrap_scenario
from society.errors import ScenarioError, Unparsed
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms import all_mechanisms
from society.scenarios.mechanisms.correlation_device.correlation_device import Recommendation
from society.scenarios.mechanisms.institution_choice.institution_choice import institution_choice
from society.scenarios.mechanisms.institution_choice.options import describe_options, parse_option
from society.scenarios.mechanisms.peer_incentives.peer_punishment import peer_punishment
from society.scenarios.mechanisms.repetition.repetition import repetition

if TYPE_CHECKING:
    from society.engine.component import Question
    from society.engine.graph import AgentRows
    from society.engine.rng import Array
    from tests.conftest import Play
    from tests.scenarios.mechanisms.conftest import Actor, Actors

FINES = {"options": ["baseline", {"peer_punishment": {"most": 1}}]}
FEET = {**FINES, "by": "feet"}
PROFILES = [Recommendation(profile=profile, probability=0.5) for profile in ([0, 1], [1, 0])]


def test_the_option_with_most_votes_is_played(actors: Actors) -> None:
    """All defect; the first is fined by both others, who pay for it."""
    fines = [[0, 0], [1, 0], [1, 0]]
    votes = ["baseline", "peer_punishment", "peer_punishment"]
    over = actors(
        public_goods,
        (institution_choice, FINES),
        agents=3,
        choose=votes,
        move=[1, 1, 1],
        fine=fines,
    )
    assert over.told("chosen_option")[-1].tolist() == [[1, 1, 1]]
    assert over.told("payoff")[0].tolist() == [[1 - 6, 1 - 1, 1 - 1]]
    assert over.outcome.measures["payoff"].mean == pytest.approx(-5 / 3)


def test_under_no_mechanism_it_is_the_bare_game(actors: Actors) -> None:
    over = actors(
        prisoners_dilemma, (institution_choice, FINES), choose=["baseline"] * 2, move=[0, 1]
    )
    assert over.told("payoff")[0].tolist() == [[0, 3]]
    assert over.outcome.measures["cooperation"].mean == 0.5
    assert "fine_spent" in {name for step in over.steps for _, name in step.arrays}


def test_chance_decides_between_equals(actors: Actors) -> None:
    over = actors(
        prisoners_dilemma,
        (institution_choice, FINES),
        choose=["baseline", "peer_punishment"],
        move=[0, 0],
        fine=[[0], [0]],
        at={"replicates": 400},
    )
    (option,) = over.told("chosen_option")
    assert (option[:, 0] == option[:, 1]).all()
    assert option[:, 0].mean() == pytest.approx(0.5, abs=4 * 0.5 / 20)


def test_everybody_is_told_once_what_it_got_wherever_it_played(actors: Actors) -> None:
    """Replicate 0 votes for nothing, replicate 1 for fines; nobody is asked in vain."""

    def by_replicate(ask: Question, rows: AgentRows) -> Array:
        return np.asarray(rows.replicate)

    over = actors(
        prisoners_dilemma,
        (institution_choice, FINES),
        choose=by_replicate,
        move=[0, 1],
        fine=[[1], [0]],
        at={"replicates": 2},
    )
    assert over.told("payoff")[0].tolist() == [[0, 3], [-1, 0]]
    received = np.array([[np.nan, np.nan], [0, 1]])  # there are no fines in replicate 0
    np.testing.assert_array_equal(over.told("fine_received")[0], received)
    assert len(over.told("payoff")) == 1
    assert over.outcome.values["payoff"].tolist() == [1.5, -0.5]
    assert over.game.env.present.all()


def test_rules_are_chosen_anew_before_each_game_that_is_repeated(actors: Actors) -> None:
    """First without, then with fines; what is shown of the past is as it was."""

    def turns(ask: Question, rows: AgentRows) -> Array:
        return np.full(len(rows.seat), int(ask.facts["games_played"][0] > 0))

    layers = (institution_choice, FINES), (repetition, {"games": 3})
    over = actors(prisoners_dilemma, *layers, choose=turns, move=[0, 1], fine=[[1], [0]])
    assert [one.tolist() for one in over.told("payoff")] == [[[0, 3]], [[-1, 0]], [[-1, 0]]]
    assert over.outcome.measures["payoff"].mean == pytest.approx((1.5 - 0.5 - 0.5) / 3)
    moves = [step.arrays for step in over.steps if step.kind == "move"]
    assert moves[-1]["own", "past_own"].tolist() == [[[0, 0], [1, 1]]]


def test_an_option_may_be_several_mechanisms_and_hold_parameters() -> None:
    """Parameters are NaN of mechanisms that have none of that name."""
    stack = parse_option(["cheap_talk", {"peer_punishment": {"most": 2}}], "here")
    assert stack.title == "cheap_talk + peer_punishment"
    facts = describe_options([parse_option("baseline", "here"), stack], replicates=1)
    entries = {name: fact.values[0, 0].tolist() for name, fact in facts.items()}
    assert entries["option_mechanism"] == ["baseline", "cheap_talk", "peer_punishment"]
    assert entries["option_of"] == [0, 1, 1]
    np.testing.assert_array_equal(entries["option_most"], [np.nan, np.nan, 2])


LEVY = """
import numpy as np
from society import mechanism


@mechanism
class Levy:
    \"\"\"Everybody pays a levy.\"\"\"

    amount: float = 1.0

    def on_payoff(self, tell, payoff):
        return np.full(payoff.shape, -self.amount)
"""


def test_a_users_mechanism_may_be_an_option(tmp_path: Path) -> None:
    (tmp_path / "levy.py").write_text(LEVY)
    options = ["levy", ["baseline", {"levy": {"amount": 4}}]]
    changes: dict[str, Any] = {
        "uses": [str(tmp_path / "levy.py")],
        "mechanisms": [{"institution_choice": {"options": options}}],
        "cohorts": [
            {
                "name": "all",
                "count": 2,
                "components": [
                    {"classic_strategies": {"strategy": "always_defect"}},
                    {"sanctions": {"favours": "levy"}},
                ],
            }
        ],
    }
    over = build(load_config("prisoners_dilemma", changes)).gamemaster().play()
    assert over.measures["payoff"].mean == 1 - 1
    assert over.measures["chose_levy"].mean == 1
    assert "chose_baseline_levy" in over.measures


def test_a_mechanism_may_be_an_option_as_an_object(actors: Actors) -> None:
    options = {"options": ["baseline", {peer_punishment: {"most": 1}}]}
    votes = ["baseline"] * 2
    over = actors(prisoners_dilemma, (institution_choice, options), choose=votes, move=[0, 1])
    assert over.told("payoff")[0].tolist() == [[0, 3]]
    assert "chose_peer_punishment" in over.outcome.measures


def test_those_who_choose_know_what_each_option_is(actors: Actors) -> None:
    over = actors(
        prisoners_dilemma, (institution_choice, FINES), choose=["baseline"] * 2, move=[0, 1]
    )
    (asked,) = [step for step in over.steps if step.kind == "choose"]
    assert asked.form == "choice baseline/peer_punishment"
    assert asked.arrays["common", "option_mechanism"][0, 0].tolist() == [
        "baseline",
        "peer_punishment",
    ]
    assert asked.arrays["common", "option_impact"][0, 0, 1] == 3


def test_and_they_know_what_holds_under_all_options(actors: Actors) -> None:
    layers = (
        (peer_punishment, {"most": 2}),
        (institution_choice, {"options": ["baseline", "cheap_talk"]}),
    )
    over = actors(prisoners_dilemma, *layers, choose=["baseline"] * 2, move=[0, 1], fine=[[0], [0]])
    (asked,) = [step.arrays for step in over.steps if step.kind == "choose"]
    assert asked["common", "fine_most"].tolist() == [[2]]


def test_all_options_are_one_round(actors: Actors) -> None:
    layers = (institution_choice, FINES), (repetition, {"games": 2})
    over = actors(
        prisoners_dilemma, *layers, choose=["peer_punishment"] * 2, move=[0, 1], fine=[[1], [0]]
    )
    assert [page.path for page in over.pages] == [(), (1, 1), (2, 1)]
    assert over.outcome.rounds == 2


def test_an_option_is_measured_where_it_is_played(actors: Actors) -> None:
    """Replicate 0 has no fines; in replicate 1 one of two players spends a point."""

    def by_replicate(ask: Question, rows: AgentRows) -> Array:
        return np.asarray(rows.replicate)

    over = actors(
        prisoners_dilemma,
        (institution_choice, FINES),
        choose=by_replicate,
        move=[0, 1],
        fine=[[1], [0]],
        at={"replicates": 2},
    )
    np.testing.assert_array_equal(over.outcome.values["fine_spent"], [np.nan, 0.5])


def test_what_several_options_measure_is_the_mean_over_those_who_play_under_any(
    actors: Actors,
) -> None:
    """Two spend 1 point on each other, three spend 2 on each of the two others: (2 + 12) / 5."""
    options = [{"peer_punishment": {"most": 1}}, {"peer_punishment": {"most": 2}}]
    over = actors(
        public_goods,
        (institution_choice, {"options": options, "by": "feet"}),
        agents=5,
        at={"params": {"players": 5}},
        choose=["peer_punishment", "peer_punishment"] + ["peer_punishment (2)"] * 3,
        move=[0] * 5,
        fine=lambda ask, rows: np.full((len(rows.seat), 4), ask.facts["fine_most"][:1]),
    )
    assert over.told("fine_spent")[0].tolist() == [[1, 1, 4, 4, 4]]
    assert over.outcome.measures["fine_spent"].mean == pytest.approx(14 / 5)
    shares = [
        over.outcome.measures[f"chose_{name}"].mean
        for name in ("peer_punishment", "peer_punishment_2")
    ]
    assert shares == [0.4, 0.6]


@pytest.mark.parametrize(
    "name",
    [
        "peer_punishment",
        "peer_reward",
        "cheap_talk",
        "leadership",
        "correlation_device",
        "contracts",
        "mediation",
    ],
)
def test_under_an_option_all_is_as_with_that_mechanism_alone(actors: Actors, name: str) -> None:
    """Player 2 delegates, is fined and gives; of two profiles one is recommended."""
    given = {"correlation_device": {"profiles": PROFILES}}.get(name, {})
    said: dict[str, Any] = {
        "move": [0, 2],  # where nobody mediates, the last action
        "say": ["I take A0.", "So do I."],
        "fine": [[1], [0]],
        "give": [[0], [2]],
        "design_contract": [[0, -2]] * 2,
        "design_mediator": [["A1", "A0"]] * 2,
        "approve_contracts": [["yes", "yes"]] * 2,
        "approve_mediators": [["yes", "yes"]] * 2,
        "sign_contract": ["yes"] * 2,
    }
    alone = actors(
        prisoners_dilemma, (getattr(all_mechanisms, name), given), at={"replicates": 20}, **said
    )
    choice = {"options": ["baseline", {name: given}, "cheap_talk"]}
    over = actors(
        prisoners_dilemma,
        (institution_choice, choice),
        at={"replicates": 20},
        choose=[1, 1],
        **said,
    )
    told = {fact: values for step in alone.steps for (_, fact), values in step.arrays.items()}
    played = [step.arrays for step in alone.steps if step.kind == "played"][-1]
    for _, fact in played:
        np.testing.assert_array_equal(over.told(fact)[0], told[fact])
    for measure, values in alone.outcome.values.items():
        np.testing.assert_array_equal(over.outcome.values[measure], values, measure)


def test_types_may_meet_in_a_game_whose_rules_they_choose() -> None:
    """Every type on every seat: nobody acts on what was not played."""
    cohorts = [
        {"name": name, "components": ["sanctions", "classic_strategies"]}
        for name in ("one", "other")
    ]
    over = build(
        load_config(
            "trust",
            {
                "mechanisms": [{"institution_choice": FINES}, "repetition", "tournament"],
                "cohorts": cohorts,
            },
        )
    )
    assert over.gamemaster().play().ends == {"": 4}


class Mumbler(Component):
    """Cannot make itself understood when there is something to choose."""

    answers = ("choose",)

    async def consult(self, ask: Inquiry, agent: Agent) -> object:
        raise Unparsed("mumbled")


@pytest.mark.parametrize(("by", "ends"), [("vote", {"unread": 1}), ("feet", {"": 1})])
def test_a_choice_that_cannot_be_read(
    play: Play, actor: type[Actor], by: str, ends: dict[str, int]
) -> None:
    """A vote ends the match; by feet one is in the first group."""
    said = {"choose": ["baseline"] * 3, "move": [0, 0, 0]}
    cast = [
        Cohort("clear", 2, (actor(said),)),
        Cohort("unclear", 1, (Mumbler(), actor(said))),
    ]
    over = play(
        wrap_scenario(public_goods, institution_choice, **FINES, by=by), cast=cast, agents=3
    )
    assert over.outcome.ends == ends


def test_groups_play_apart_and_each_under_its_own_rules(actors: Actors) -> None:
    """Three of five play without fines: two give, 2 * 1.5 / 3 for each, and 1 more for who keeps.
    The other two have fines: one gives, 1.5 / 2 for each, and who keeps is fined by it.
    """
    over = actors(
        public_goods,
        (institution_choice, FEET),
        agents=5,
        at={"params": {"players": 5}},
        choose=["baseline", "peer_punishment", "baseline", "peer_punishment", "baseline"],
        move=[0, 0, 0, 1, 1],
        fine=[[1] * 4] * 5,
    )
    one, two = 1.5 * 2 / 3, 1.5 * 1 / 2
    assert over.told("payoff")[0].tolist() == [[one, two - 1 - 3, one, two + 1 - 1 - 3, one + 1]]
    assert over.told("others")[0].tolist() == [
        [[-1, 0, -1, 1], [-1, -1, 1, -1], [0, -1, -1, 1], [-1, 0, -1, -1], [0, -1, 0, -1]]
    ]
    moves = [step.arrays for step in over.steps if step.kind == "move"]
    assert [one["own", "chosen_group"].tolist() for one in moves] == [[[3, 2, 3, 2, 3]]] * 2


@pytest.mark.parametrize("move", [0, 1])
def test_who_is_alone_in_a_group_keeps_what_it_has(actors: Actors, move: int) -> None:
    over = actors(
        public_goods,
        (institution_choice, FEET),
        agents=3,
        choose=["baseline", "baseline", "peer_punishment"],
        move=[0, 0, move],
        fine=[[1, 1]] * 3,
    )
    assert over.told("payoff")[0].tolist() == [[1.5, 1.5, 1]]


@pytest.mark.parametrize(
    ("scenario", "options", "changes", "words"),
    [
        (
            "trust",
            ["baseline", "find"],
            {},
            "options\\[1\\]: there is no mechanism 'find'; `society list mechanisms` names",
        ),
        ("trust", ["baseline", 3], {}, "options\\[1\\]: got 3; expected the name of a mechanism"),
        (
            "trust",
            ["baseline", {"peer_punishment": {"mots": 3}}],
            {},
            "options\\[1\\]: peer_punishment: mots: there is no parameter 'mots'; did you",
        ),
        (
            "trust",
            ["baseline", {"peer_punishment": {"most": 0}}],
            {},
            "peer_punishment: most: got 0; expected a whole number of at least 1",
        ),
        ("trust", ["baseline"], {}, "options: got \\['baseline'\\]; expected"),
        ("trust", ["baseline", "repetition"], {}, "repetition holds whole games"),
        ("trust", ["baseline", "tournament"], {}, "tournament holds whole games"),
        (
            "trust",
            ["baseline", {"institution_choice": {"options": [1, 2]}}],
            {},
            "is no choice of its own",
        ),
        ("trust", ["baseline", {"mediation": {"stage": "design"}}], {}, "design plays nothing"),
        ("trust", ["baseline", {"leadership": {"leader": 3}}], {}, "leader is seat 3 of 2"),
        (
            "trust",
            ["baseline", "peer_punishment"],
            {"agents": 4},
            "4 agents make 2 matches; take 2 agents",
        ),
        (
            "trust",
            ["baseline", "peer_punishment"],
            {"rounds": 2},
            "this play has 2; take rounds: 1",
        ),
        (
            "donor_game",
            ["baseline", "peer_punishment"],
            {},
            "has no list of actions for each player",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused(
    scenario: str, options: list[Any], changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ScenarioError, match=words):
        build(
            load_config(
                scenario, {"mechanisms": [{"institution_choice": {"options": options}}], **changes}
            )
        )


@pytest.mark.parametrize(
    ("scenario", "options", "words"),
    [
        (
            "trust",
            ["baseline", "peer_punishment"],
            "by feet groups have any size, and this is a game of 2",
        ),
        ("public_goods", ["baseline", "contracts"], "contracts is for all players of a match"),
    ],
)
def test_by_feet_any_number_of_players_must_be_able_to_play(
    scenario: str, options: list[Any], words: str
) -> None:
    choice = {"institution_choice": {"options": options, "by": "feet"}}
    with pytest.raises(ScenarioError, match=words):
        build(load_config(scenario, {"mechanisms": [choice]}))


def test_an_option_without_a_mechanism_is_refused_with_what_to_write() -> None:
    with pytest.raises(ScenarioError, match="here: got an empty list; write baseline for no mech"):
        parse_option([], "here")
