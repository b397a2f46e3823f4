"""Games in normal form: what they pay, how moves are drawn, what is no game."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.games.classic_strategies import ClassicStrategies
from society.config.build import build
from society.config.run_config import load_config
from society.engine.component import AgentGroup, Component, Question
from society.engine.scenario import Scenario
from society.errors import ScenarioError
from society.scenarios.games.game import NormalForm, number_labels
from society.scenarios.games.normal_form import NormalFormParams, normal_form, tabulate_game
from society.scenarios.games.player_matching import Matches
from society.scenarios.games.public_goods import PublicGood, public_goods
from society.scenarios.games.travellers_dilemma import travellers_dilemma
from society.scenarios.games.two_by_two import matching_pennies, prisoners_dilemma, stag_hunt, trust

if TYPE_CHECKING:
    from tests.conftest import Play
    from tests.scenarios.conftest import Puppets


class Undecided(Component):
    """Mixes its two actions, the first with a probability that differs by seat."""

    answers = ("move",)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        first = np.where(ask.facts["seat"] == 1, 0.25, 0.9)
        return np.stack([first, 1 - first], axis=1)


# Payoffs


@pytest.mark.parametrize(
    ("scenario", "paid"),
    [
        (prisoners_dilemma, {"00": (2, 2), "01": (0, 3), "10": (3, 0), "11": (1, 1)}),
        (trust, {"00": (10, 10), "01": (0, 20), "10": (6, 2), "11": (4, 4)}),
        (stag_hunt, {"00": (5, 5), "01": (0, 3), "10": (3, 0), "11": (3, 3)}),
        (matching_pennies, {"00": (1, -1), "01": (-1, 1), "10": (-1, 1), "11": (1, -1)}),
        # Claims are 2, 3, 4, 5 and the bonus is 2.
        (travellers_dilemma, {"33": (5, 5), "32": (2, 6), "03": (4, 0), "10": (0, 4)}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_two_players_are_paid_by_the_table(
    puppets: Puppets, scenario: Scenario, paid: dict[str, tuple[int, int]]
) -> None:
    over = puppets(scenario, ["".join(one) for one in zip(*paid, strict=True)], rounds=len(paid))
    assert [tuple(payoff[0]) for payoff in over.told("payoff")] == list(paid.values())


def test_whoever_keeps_has_a_point_more_than_who_contributes(puppets: Puppets) -> None:
    """Factor 1.5 and three players: k contributors make k / 2 for everybody."""
    over = puppets(public_goods, ["0111", "0011", "0001"], rounds=4)
    assert [payoff[0].tolist() for payoff in over.told("payoff")] == [
        [1.5, 1.5, 1.5],
        [2, 1, 1],
        [1.5, 1.5, 0.5],
        [1, 1, 1],
    ]


@pytest.mark.parametrize(("players", "factor"), [(2, 1.2), (4, 1.5), (5, 3.0)])
def test_to_keep_dominates_in_a_public_good_of_any_size(players: int, factor: float) -> None:
    game = PublicGood(players, factor)
    assert list(game.equilibria()) == [game.equilibrium] == [(1,) * players]
    assert game.paid(np.array(game.cooperation)).tolist() == [factor] * players


def test_to_undercut_by_one_pays_down_to_the_lowest_claim() -> None:
    game = build(load_config("travellers_dilemma", {"parameters": {"lowest": 1, "highest": 9}}))
    env = game.gamemaster().env
    game.scenario.play(env)
    assert [env.rules.best(0, (0, claim)) for claim in range(9)] == [
        [0],
        *([claim - 1] for claim in range(1, 9)),
    ]
    assert list(env.rules.equilibria()) == [env.rules.equilibrium] == [(0, 0)]
    assert env.rules.cooperation == (8, 8)


@pytest.mark.parametrize("sizes", [(2, 3), (2, 2, 3), (3, 1, 2, 2)])
def test_a_table_is_looked_up_for_all_profiles_at_once(sizes: tuple[int, ...]) -> None:
    cells = np.arange(np.prod(sizes) * len(sizes), dtype=float).reshape(*sizes, len(sizes))
    game = NormalForm(cells, number_labels(*sizes))
    profiles = list(product(*map(range, sizes)))
    expected = [cells[profile].tolist() for profile in profiles]
    assert game.paid(np.array(profiles)).tolist() == expected


def test_without_all_its_players_a_table_pays_nothing_that_is_a_number() -> None:
    game = NormalForm(np.array([[[2, 2], [0, 3]], [[6, 1], [1, 1]]]), number_labels(2, 2))
    paid = game.paid(np.array([[1, 0], [-1, 0], [-1, -1]]))
    np.testing.assert_array_equal(paid, [[6, 1], [np.nan, np.nan], [np.nan, np.nan]])


def test_a_player_is_shown_each_cell_with_its_own_action_first() -> None:
    game = NormalForm(np.array([[[2, 2], [0, 3]], [[6, 1], [1, 1]]]), number_labels(2, 2))
    second = [(cell.mine, cell.theirs, cell.points, cell.their_points) for cell in game.listed(1)]
    assert second == [
        ("A0", ("A0",), 2, (2,)),
        ("A0", ("A1",), 1, (6,)),
        ("A1", ("A0",), 3, (0,)),
        ("A1", ("A1",), 1, (1,)),
    ]


# Moves


def test_actions_are_drawn_from_the_mixed_strategies(play: Play) -> None:
    """Within four standard errors, and the two players by chances of their own."""
    over = play(prisoners_dilemma, Undecided(), agents=2, replicates=20_000)
    (action,) = over.told("action")
    cooperates = action == 0
    for seat, probability in enumerate((0.25, 0.9)):
        error = math.sqrt(probability * (1 - probability) / 20_000)
        assert cooperates[:, seat].mean() == pytest.approx(probability, abs=4 * error)
    together = 0.25 * 0.9
    error = math.sqrt(together * (1 - together) / 20_000)
    assert cooperates.all(1).mean() == pytest.approx(together, abs=4 * error)


def test_others_see_what_was_drawn_in_order_of_seat(puppets: Puppets) -> None:
    over = puppets(public_goods, ["0", "1", "0", "1", "1", "0"])
    assert over.told("others")[0][0].tolist() == [[1, 0], [0, 0], [0, 1], [1, 0], [1, 0], [1, 1]]


def test_seats_with_different_actions_are_asked_apart(puppets: Puppets) -> None:
    """Three players with 2, 3 and 2 actions; the points say who took which."""
    sizes = 2, 3, 2
    cells = np.moveaxis(np.indices(sizes), 0, -1) * [1, 10, 100]
    over = puppets(normal_form, ["10", "20", "01"], agents=3, rounds=2, params=table(cells))
    assert [payoff[0].tolist() for payoff in over.told("payoff")] == [[1, 20, 0], [0, 0, 100]]
    forms = [step.form for step in over.steps if step.kind == "move"]
    assert forms == ["mix over A0/A1", "mix over A0/A1/A2"] * 2
    asked = [step.arrays["who", ""][0].tolist() for step in over.steps if step.kind == "move"]
    assert asked == [[True, False, True], [False, True, False]] * 2


def test_many_matches_are_played_at_one_table(puppets: Puppets) -> None:
    over = puppets(prisoners_dilemma, ["0", "0", "0", "1", "1", "1"], rounds=1)
    assert over.told("payoff")[0][0].tolist() == [2, 2, 0, 3, 1, 1]
    assert over.told("partner")[0][0].tolist() == [1, 0, 3, 2, 5, 4]


def test_agents_who_make_no_whole_matches_are_refused() -> None:
    with pytest.raises(ScenarioError, match="5 agents make no matches of 2; take 6 agents"):
        build(load_config("trust", {"agents": 5}))


def test_who_meets_whom_may_be_any_seating() -> None:
    """Agents 3 and 0 are a match, and so are 1 and 2; the first of each has the first seat."""
    matches = Matches(np.array([[[3, 0], [1, 2]]]))
    assert matches.seat.tolist() == [[1, 0, 1, 0]]
    assert matches.opposite[..., 0].tolist() == [[3, 2, 1, 0]]
    points = np.array([[10.0, 11.0, 12.0, 13.0]])
    assert matches.gathered(points).tolist() == [[[13, 10], [11, 12]]]
    assert matches.profile(points).tolist() == [[[13, 10], [11, 12], [11, 12], [13, 10]]]
    assert matches.spread(matches.gathered(points)).tolist() == points.tolist()


# Measures


def test_efficiency_is_nought_in_equilibrium_and_one_in_cooperation(puppets: Puppets) -> None:
    for plan, efficiency in (("11", 0.0), ("00", 1.0), ("01", (1.5 - 1) / (2 - 1))):
        over = puppets(prisoners_dilemma, list(plan))
        assert over.outcome.values["efficiency"].tolist() == [efficiency]


def test_of_matching_pennies_it_is_told_what_player_1_wins(puppets: Puppets) -> None:
    """Two matches, two rounds: 1 and -1, then 1 and 1."""
    pennies = puppets(matching_pennies, ["00", "00", "01", "11"], rounds=2)
    won = (0 + 1) / 2
    assert {name: values.tolist() for name, values in pennies.outcome.values.items()} == {
        "payoff": [0],
        "won": [won],
    }


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0, 4.0])
def test_where_nothing_is_to_be_gained_there_is_no_efficiency(
    puppets: Puppets, factor: float
) -> None:
    """Contributing harms all, or changes nothing, or no one is tempted to keep."""
    over = puppets(public_goods, ["0", "1", "0"], params={"factor": factor})
    assert np.isnan(over.outcome.values["efficiency"]).all()
    assert over.outcome.values["cooperation"].tolist() == [2 / 3]


def test_rounds_of_a_game_count_the_same(puppets: Puppets) -> None:
    over = puppets(prisoners_dilemma, ["0001", "0011"], rounds=4)
    assert over.outcome.values["payoff"].tolist() == [pytest.approx((2 + 2 + 1.5 + 1) / 4)]


# Bad input


def table(payoffs: Any, **given: Any) -> dict[str, Any]:
    return {"payoffs": np.array(payoffs).tolist(), **given}


DILEMMA = [[[2, 2], [0, 3]], [[3, 0], [1, 1]]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"payoffs": [[[2, 2], [0, 3]], [[3, 0]]]}, r"payoffs\[1\] is nested by \[1, 2\] entries"),
        ({"payoffs": [[["2", 2], [0, 3]], [[3, 0], [1, 1]]]}, r"payoffs\[0\]\[0\]\[0\] is '2'"),
        ({"payoffs": [[[True, 2], [0, 3]], [[3, 0], [1, 1]]]}, r"\[0\]\[0\]\[0\] is True"),
        ({"payoffs": [2, 3]}, "nested 0 deep above the points of 2 players"),
        ({"payoffs": []}, "nested 0 deep above the points of 0 players"),
        ({"payoffs": [[[2, math.nan], [0, 3]], [[3, 0], [1, 1]]]}, "is nan; points are finite"),
        ({"payoffs": [[2, 0], [3, 1]]}, "nested 1 deep above the points of 2 players"),
        ({"payoffs": [[[2, 2, 2]], [[3, 0, 1]]]}, "nested 2 deep above the points of 3 players"),
        (table(DILEMMA, actions=[["C", "D"], ["C"]]), "labels for 2 x 1 actions.* are for 2 x 2"),
        (table(DILEMMA, actions=[["C", "C"], ["C", "D"]]), "each differently"),
        (table(DILEMMA, actions=[["C", "D"]]), "labels for 2 actions"),
        (table(DILEMMA, cooperation=[0]), r"cooperation is \[0\]; expected an action"),
        (table(DILEMMA, cooperation=[0, 2]), r"cooperation is \[0, 2\]"),
        (table(DILEMMA, equilibrium=[0, 0]), r"\[0, 0\] is no Nash equilibrium"),
    ],
)
def test_what_is_no_game_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NormalFormParams(**given)


def test_a_single_equilibrium_is_found_and_one_of_several_must_be_named() -> None:
    assert tabulate_game(NormalFormParams(**table(DILEMMA))).equilibrium == (1, 1)
    stags = [[[5, 5], [0, 3]], [[3, 0], [3, 3]]]
    assert tabulate_game(NormalFormParams(**table(stags))).equilibrium is None
    assert tabulate_game(NormalFormParams(**table(stags, equilibrium=[1, 1]))).equilibrium == (1, 1)


@pytest.mark.parametrize(("lowest", "highest"), [(5, 5), (5, 4), (1, 501)])
def test_a_travellers_dilemma_needs_two_claims_and_no_more_than_can_be_shown(
    lowest: int, highest: int
) -> None:
    told = f"lowest {lowest} to highest {highest}; take from 2 to 500 claims"
    with pytest.raises(ScenarioError, match=told):
        build(
            load_config(
                "travellers_dilemma", {"parameters": {"lowest": lowest, "highest": highest}}
            )
        )


def test_claims_of_80_to_200_are_played_as_in_experiments(play: Play) -> None:
    """Capra et al. 1999: 121 claims; the last one is the highest."""
    params = {"lowest": 80, "highest": 200, "bonus": 10}
    over = play(travellers_dilemma, ClassicStrategies("always_cooperate"), agents=2, params=params)
    assert over.told("action")[0].tolist() == [[120, 120]]
    assert over.told("payoff")[0].tolist() == [[200, 200]]
    meeting = travellers_dilemma.display.meeting
    assert meeting is not None
    assert (meeting.clauses[120], len(meeting.clauses)) == ("played A120", 500)
