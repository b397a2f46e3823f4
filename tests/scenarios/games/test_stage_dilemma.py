"""Collective risk and common pool pay, grow and tell what Willis et al. 2026 say they do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.games.classic_strategies import STRATEGIES, ClassicStrategies, StrategyName
from society.config.build import build
from society.config.run_config import load_config
from society.engine.population import Cohort
from society.engine.scenario import Scenario
from society.errors import InputError, ScenarioError
from society.sandbox.stage_games import StageGame, stage_game
from society.scenarios.games.collective_risk import collective_risk
from society.scenarios.games.common_pool import common_pool
from society.scenarios.games.public_goods import PublicGood, public_goods
from society.scenarios.games.stage_dilemma import StageDilemma

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded
    from tests.scenarios.conftest import Puppets, Shown

BOTH = (collective_risk, common_pool)
DILEMMAS = (public_goods, *BOTH)


def names(scenario: Scenario) -> str:
    return scenario.name


# Payoffs and stocks


def test_a_disaster_is_averted_by_half_of_the_players(puppets: Puppets) -> None:
    over = puppets(collective_risk, ["0001", "0011", "0111", "0111"], rounds=4)
    assert [payoff[0].tolist() for payoff in over.told("payoff")] == [
        [2, 2, 2, 2],
        [2, 2, 3, 3],
        [0, 1, 1, 1],
        [1, 1, 1, 1],
    ]
    assert [met[0].tolist() for met in over.told("threshold_met")] == [
        [True] * 4,
        [True] * 4,
        [False] * 4,
        [False] * 4,
    ]


def test_a_stock_pays_less_as_it_shrinks(puppets: Puppets) -> None:
    """Of 16, all spare 8, which grow to 16; one who takes twice as much leaves 6, then 13.5."""
    over = puppets(common_pool, ["0000", "0000", "0000", "0110"], rounds=3)
    assert [payoff[0].tolist() for payoff in over.told("payoff")] == [
        [2, 2, 2, 2],
        [2, 2, 2, 4],
        [1.6875, 1.6875, 1.6875, 3.375],
    ]
    stocks = [step.arrays["own", "stock"][0] for step in over.steps]
    assert [stock[0] for stock in stocks] == pytest.approx(
        [16, 16, 16, 13.5, 13.5, 5.0625 + 10.125 * (1 - 5.0625 / 16)]
    )


def test_a_stock_that_is_gone_never_grows_again(puppets: Puppets) -> None:
    over = puppets(common_pool, ["1000", "1000"], rounds=4, params={"players": 2})
    assert [payoff[0].tolist() for payoff in over.told("payoff")] == [
        [4, 4],
        [0, 0],
        [0, 0],
        [0, 0],
    ]
    assert [stock[0].tolist() for stock in over.told("stock")] == [[0, 0]] * 4


def test_each_match_has_a_stock_of_its_own(puppets: Puppets) -> None:
    over = puppets(common_pool, ["11", "11", "00", "00"], rounds=2, params={"players": 2})
    assert [stock[0].tolist() for stock in over.told("stock")] == [[0, 0, 8, 8]] * 2
    assert over.told("payoff")[1][0].tolist() == [0, 0, 2, 2]


def by_hand(game: StageGame, actions: list[Any]) -> list[Any]:
    """Payoffs round by round of one match whose actions are these, (T, n)."""
    stock, paid = game.first_stock, []
    for one in actions:
        paid.append(game.paid(one == 0, stock))
        stock = game.next_stock(one == 0, stock)
    return paid


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_a_run_pays_what_the_stage_game_pays(play: Play, scenario: Scenario, players: int) -> None:
    over = play(
        scenario,
        ClassicStrategies("random"),
        agents=2 * players,
        replicates=3,
        rounds=6,
        params={"players": players},
    )
    actions, payoffs = over.told("action"), over.told("payoff")
    game = stage_game(scenario.name, players, 6)  # type: ignore[arg-type]
    for replicate in range(3):
        for match in (slice(players), slice(players, None)):
            expected = by_hand(game, [one[replicate, match] for one in actions])
            np.testing.assert_array_equal([one[replicate, match] for one in payoffs], expected)


@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_everybody_sees_what_the_others_did_and_got(puppets: Puppets, scenario: Scenario) -> None:
    over = puppets(scenario, ["0", "0", "1"], params={"players": 3})
    (others,), (cooperators,), (got,) = (
        over.told(name) for name in ("others", "cooperators", "others_payoff")
    )
    ((payoff,),) = over.told("payoff")
    first, second, third = payoff
    assert others[0].tolist() == [[0, 1], [0, 1], [0, 0]]
    assert cooperators[0].tolist() == [1, 1, 2]
    assert got[0].tolist() == [[second, third], [first, third], [first, second]]


def test_a_public_good_pays_as_in_both_forms_of_it() -> None:
    """The scenario for programs and the older one, of which some players may be absent."""
    profiles = np.random.default_rng(1).integers(0, 2, (50, 5))
    game = stage_game("public_goods", 5, factor=1.7)
    older = PublicGood(5, 1.7).paid(profiles)
    np.testing.assert_array_equal(game.paid(profiles == 0), older)


def test_without_all_its_players_a_match_pays_nothing_that_is_a_number() -> None:
    pool = StageDilemma(stage_game("common_pool", 2, 1))
    profiles, stocks = np.array([[0, 0], [0, -1]]), np.array([8.0, 8.0])
    np.testing.assert_array_equal(pool.paid(profiles, stocks), [[2, 2], [np.nan, np.nan]])
    np.testing.assert_array_equal(pool.stock_after(profiles, stocks), [8, np.nan])


@pytest.mark.parametrize(("players", "threshold"), [(2, 2), (4, 2), (5, 4), (4, 4)])
def test_that_all_keep_is_an_equilibrium_unless_one_contribution_is_enough(
    players: int, threshold: int
) -> None:
    game = StageDilemma(stage_game("collective_risk", players, 1, threshold=threshold))
    assert game.equilibrium == (1,) * players
    assert game.equilibrium in game.equilibria()
    assert all(profile.count(0) in (0, threshold) for profile in game.equilibria())
    alone = StageDilemma(stage_game("collective_risk", players, 1, threshold=1))
    assert alone.equilibrium is None
    assert (1,) * players not in alone.equilibria()


# Measures


@pytest.mark.parametrize(
    ("scenario", "plan", "efficiency"),
    [
        (collective_risk, ["00000", "00000", "11111", "11111"], 1),
        (collective_risk, ["00000", "11111", "11111", "11111"], 0),
        (collective_risk, ["00000"] * 4, (2 - 0.75) / (2.5 - 0.75)),
        (common_pool, ["00001"] * 4, 1),
        (common_pool, ["11111"] * 4, 0),
        (common_pool, ["00000"] * 4, (2 - 0.8) / (2.4 - 0.8)),
    ],
)
def test_efficiency_is_one_at_the_best_play_and_zero_at_the_worst(
    puppets: Puppets, scenario: Scenario, plan: list[str], efficiency: float
) -> None:
    over = puppets(scenario, plan, rounds=5)
    assert over.outcome.measures["efficiency"].mean == pytest.approx(efficiency, abs=1e-12)


def test_rounds_in_which_enough_contributed_are_counted(puppets: Puppets) -> None:
    over = puppets(collective_risk, ["0010", "0110", "1110", "1110"], rounds=4)
    means = {name: one.mean for name, one in over.outcome.measures.items()}
    assert means["threshold_met"] == 0.5
    assert means["cooperation"] == (2 + 1 + 0 + 4) / 16


def test_the_stock_is_measured_as_a_share_of_its_capacity(puppets: Puppets) -> None:
    over = puppets(common_pool, ["001", "001"], rounds=3, params={"players": 2, "capacity": 100})
    assert over.outcome.measures["stock"].mean == pytest.approx((1 + 1 + 0) / 3)


# Horizons


def test_rounds_are_known_unless_chance_ends_them(puppets: Puppets, shown: Shown) -> None:
    known = puppets(collective_risk, ["0", "0"], rounds=3, params={"players": 2})
    geometric = puppets(
        collective_risk, ["0", "0"], rounds=3, params={"players": 2, "continuation": 0.5}
    )
    rounds = [
        int(step.arrays["common", "rounds"].item()) for step in known.steps if step.sort == "ask"
    ]
    assert rounds == [3, 3, 3]
    assert not shown(geometric, "rounds")
    assert [weight.item() for weight in geometric.told("weight")] == [0.5, 0.25, 0.25]
    assert [weight.item() for weight in known.told("weight")] == pytest.approx([1 / 3] * 3)


def test_rounds_that_chance_weighs_have_bounds_only_without_a_stock(puppets: Puppets) -> None:
    given: dict[str, Any] = {"rounds": 3, "params": {"players": 2, "continuation": 0.5}}
    risk, pool = (puppets(one, ["001", "001"], **given).outcome.measures for one in BOTH)
    assert risk["efficiency"].mean == pytest.approx((0.75 * 2 + 0.25 * 1 - 0.5) / (2 - 0.5))
    assert pool["efficiency"].mean is None
    assert pool["payoff"].mean == pytest.approx(0.5 * 2 + 0.25 * 2 + 0.25 * 4)


# Settings that are refused


@pytest.mark.parametrize(
    ("scenario", "parameters", "said"),
    [
        ("collective_risk", {"threshold": 5}, "1 <= threshold <= players"),
        ("collective_risk", {"factor": 1}, "expected a number above 1"),
        ("collective_risk", {"players": 1}, "expected a whole number from 2 to 1000"),
        ("collective_risk", {"continuation": 1}, "got 1; expected"),
        ("common_pool", {"capacity": 0}, "expected a number above 0 or none"),
    ],
)
def test_what_is_no_dilemma_is_refused(
    scenario: str, parameters: Mapping[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        build(load_config(scenario, {"parameters": parameters}))


def test_agents_who_make_no_whole_matches_are_refused(puppets: Puppets) -> None:
    with pytest.raises(ScenarioError, match="6 agents make no matches of 4; take 8 agents"):
        puppets(common_pool, ["0"] * 6)


# Minds


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_every_classic_strategy_plays(
    play: Play, scenario: Scenario, strategy: StrategyName
) -> None:
    over = play(scenario, ClassicStrategies(strategy), agents=4, rounds=5, replicates=2)
    assert len(over.told("payoff")) == 5
    assert all(np.isfinite(payoff).all() for payoff in over.told("payoff"))


@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_conditional_cooperators_stop_when_somebody_defects(play: Play, scenario: Scenario) -> None:
    fair, rider = (ClassicStrategies(name) for name in ("tit_for_tat", "always_defect"))
    cast = [Cohort("fair", 3, (fair,)), Cohort("rider", 1, (rider,))]
    over = play(scenario, cast=cast, agents=4, rounds=3)
    assert [action[0].tolist() for action in over.told("action")] == [
        [0, 0, 0, 1],
        [1, 1, 1, 1],
        [1, 1, 1, 1],
    ]


@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_a_thousand_play_one_match(play: Play, scenario: Scenario) -> None:
    over = play(
        scenario, ClassicStrategies("random"), agents=1000, rounds=2, params={"players": 1000}
    )
    assert over.told("others_payoff")[0].shape == (1, 1000, 999)


@pytest.mark.parametrize("scenario", DILEMMAS, ids=names)
def test_rules_and_language_models_play_in_one_society(
    recorded: Recorded, scenario: Scenario
) -> None:
    """Two of each; those that read remember every round, whoever played it."""
    reads = [{"recall": {"k": 20}}, {"language_policy": {"thinking": False}}]
    rules = [{"classic_strategies": {"strategy": "tit_for_tat"}}]
    changes = {
        "rounds": 4,
        "parameters": {"players": 4},
        "cohorts": [
            {"name": "reader", "count": 2, "components": reads},
            {"name": "rule", "count": 2, "components": rules},
        ],
        "models": {"default": {"model": "offline"}},
    }
    over: Played = recorded(build(load_config(scenario.name, changes)).gamemaster())
    actions = np.array([action[0] for action in over.told("action")])
    assert actions.shape == (4, 4)
    (entry,) = over.outcome.ledger
    assert (entry.calls, entry.repairs, entry.fallbacks) == (2 * 4, 0, 0)
    kind = np.array([[(np.delete(row, seat) == 0).all() for seat in (2, 3)] for row in actions])
    assert (actions[0, 2:] == 0).all()
    assert ((actions[1:, 2:] == 0) == kind[:-1]).all()


# Mechanisms

AROUND: Mapping[str, Mapping[str, Any]] = {
    "baseline": {},
    "repetition": {"games": 2},
    "reputation": {"games": 2},
    "contracts": {},
    "mediation": {},
    "peer_punishment": {},
    "peer_reward": {},
    "cheap_talk": {},
    "leadership": {},
    "correlation_device": {"profiles": [{"profile": [0, 1], "probability": 1}]},
    "institution_choice": {"options": ["baseline", "peer_punishment"]},
    "quota": {"kind": "move", "at": 0.5},
    "tournament": {},
}
OF_SINGLE_GAMES = {
    "repetition": "a game has 3 rounds, and what is shown of the past counts games",
    "reputation": "a game has 3 rounds, and what is shown of the past counts games",
    "institution_choice": "the rules are chosen for one round, and this play has 3",
}
OF_NO_ROUNDS = {"quota": "quota"}


def wrapped(scenario: Scenario, mechanism: str, rounds: int) -> dict[str, float | None]:
    """Means of measures under a mechanism, of minds who can use it."""
    able = ["sanctions", {"mechanism_use": {"skill": "any"}}, "classic_strategies"]
    count = 4 if mechanism == "reputation" else 2
    cohorts = [{"name": "player", "count": count, "components": able}]
    types = [{"name": name, "components": able} for name in ("one", "other")]
    changes = {
        "rounds": rounds,
        "parameters": {"players": 2},
        "mechanisms": [{mechanism: AROUND[mechanism]}],
        "cohorts": types if mechanism == "tournament" else cohorts,
    }
    outcome = build(load_config(scenario.name, changes)).gamemaster().play()
    return {name: one.mean for name, one in outcome.measures.items()}


@pytest.mark.parametrize("mechanism", sorted(AROUND.keys() - OF_NO_ROUNDS.keys()))
@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_every_mechanism_for_games_stands_around_a_single_round(
    scenario: Scenario, mechanism: str
) -> None:
    means = wrapped(scenario, mechanism, rounds=1)
    assert means["payoff"] is not None
    assert means["efficiency"] is not None


@pytest.mark.parametrize(
    "mechanism", sorted(AROUND.keys() - OF_NO_ROUNDS.keys() - OF_SINGLE_GAMES.keys())
)
@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_those_that_do_not_count_games_stand_around_several_rounds(
    scenario: Scenario, mechanism: str
) -> None:
    assert wrapped(scenario, mechanism, rounds=3)["payoff"] is not None


@pytest.mark.parametrize(("mechanism", "said"), [*OF_SINGLE_GAMES.items(), *OF_NO_ROUNDS.items()])
@pytest.mark.parametrize("scenario", BOTH, ids=names)
def test_the_others_say_why_they_do_not(scenario: Scenario, mechanism: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        wrapped(scenario, mechanism, rounds=3)
