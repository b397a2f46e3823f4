"""The fishing village: its arithmetic by hand, what is conserved, and how it may end."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from society.engine.environment import Environment
from society.engine.graph import NOBODY, from_networkx
from society.engine.rng import Array
from society.engine.scenario import Estimate
from society.scenarios.village.fishing_village import fishing_village, gini, villagers
from society.scenarios.village.lake import land_catch, regrow

if TYPE_CHECKING:
    from tests.conftest import Played
    from tests.scenarios.village.conftest import Puppets, Village

# K = 100, alpha = 0.1, c = 2, P0 = 10, r = 0.5, beta = 4, gamma = 1: sums that one can do by hand.
TINY = {
    "capacity": 100,
    "catchability": 0.1,
    "consumption": 2,
    "wealth": 10,
    "growth": 0.5,
    "fine": 4,
    "fining_cost": 1,
    "effort_rule": "trait",
}


def parameters(**given: Any) -> Any:
    return fishing_village.params(**given)


def row(values: Array) -> list[float]:
    """Replicate 0."""
    listed: list[float] = values[0].tolist()
    return listed


def measured(over: Played, name: str) -> float | None:
    estimate: Estimate = over.outcome.measures[name]
    return estimate.mean


# By hand


def test_two_rounds_by_hand(puppets: Puppets) -> None:
    """Seat 0 lands 10 of 100 and is fined by seat 1, who lands 5, since the cap is 6."""
    over = puppets(2, rounds=2, effort=[1, 0.5], punish=[NOBODY, 0], propose=[6, 6], **TINY)
    assert over.told("cap")[0].tolist() == [[6]]
    assert row(over.told("catch")[0]) == [10, 5]
    assert row(over.told("fined")[0]) == [True, False]
    assert row(over.told("wealth")[0]) == [10 + 10 - 2 - 4, 10 + 5 - 2 - 1]
    assert over.told("stock")[0].item() == pytest.approx(85 + 0.5 * 85 * 0.15)  # 91.375
    assert row(over.told("catch")[1]) == pytest.approx([9.1375, 4.56875])
    assert row(over.told("wealth")[1]) == pytest.approx([14 + 9.1375 - 6, 12 + 4.56875 - 3])
    left = 91.375 - 13.70625
    assert over.told("stock")[1].item() == pytest.approx(left + 0.5 * left * (1 - left / 100))


def test_the_measures_of_that_round_by_hand(puppets: Puppets) -> None:
    """Wealth 14 and 12: Gini = 2 |14 - 12| / (2 N^2 mean) = 4 / (2 x 4 x 13) = 1/26."""
    over = puppets(2, effort=[1, 0.5], punish=[NOBODY, 0], propose=[6, 6], **TINY)
    assert measured(over, "gini") == pytest.approx(1 / 26)
    assert measured(over, "efficiency") == pytest.approx(15 / (0.5 * 100 / 4))
    assert measured(over, "compliance") == 1 / 2
    assert measured(over, "fines") == 1 / 2
    assert measured(over, "over_use") == 1 / 2  # 10 > 6.25 > 5
    assert measured(over, "norm") == 6
    survival = over.outcome.measures["survival_time"]
    assert (survival.mean, survival.censored) == (1, 1)


def test_when_they_ask_for_more_than_there_is_the_lake_is_shared_pro_rata(
    puppets: Puppets,
) -> None:
    over = puppets(3, effort=[1, 1, 0.5], **TINY | {"catchability": 1})
    assert row(over.told("catch")[0]) == pytest.approx([40, 40, 20])
    assert over.told("stock")[0].item() == 0
    assert over.outcome.ends == {"collapsed": 1}


def test_one_is_fined_once_however_many_look(puppets: Puppets) -> None:
    """Seats 0 and 1 pay gamma for fining, seat 2 pays beta once."""
    over = puppets(3, punish=[2, 2, NOBODY], **TINY)
    assert row(over.told("wealth")[0]) == [10 - 2 - 1, 10 - 2 - 1, 10 - 2 - 4]


def test_wealth_of_exactly_nothing_is_no_death(puppets: Puppets) -> None:
    over = puppets(2, effort=[0, 0.1], **TINY | {"wealth": 2})
    assert row(over.told("wealth")[0]) == pytest.approx([0, 1])
    assert over.pages[-1].present.all()


def test_who_starves_and_who_was_fined_have_their_cause_kept(puppets: Puppets) -> None:
    hungry = puppets(2, effort=[0, 1], **TINY | {"wealth": 1})
    assert hungry.outcome.ends == {"starved": 1}
    assert hungry.pages[-1].present.tolist() == [[False, True]]
    fined = puppets(2, effort=[0.2, 1], punish=[NOBODY, 0], **TINY | {"wealth": 1})
    assert row(fined.told("wealth")[0]) == pytest.approx([1 + 2 - 2 - 4, 1 + 10 - 2 - 1])
    assert fined.outcome.ends == {"fined_to_death": 1}
    assert fined.pages[-1].present.tolist() == [[False, True]]


def test_two_deaths_of_one_round_keep_a_cause_each(puppets: Puppets) -> None:
    over = puppets(3, effort=[0, 0, 1], punish=[NOBODY, NOBODY, 0], **TINY | {"wealth": 1})
    buried = [step for step in over.steps if ("gone", "") in step.arrays]
    gone = {step.kind: row(step.arrays["gone", ""]) for step in buried}
    assert gone == {"starved": [False, True, False], "fined_to_death": [True, False, False]}
    assert over.outcome.ends == {"starved": 1}  # told first


def test_imitation_copies_effort_monitoring_and_belief(village: Village) -> None:
    """Of two villagers the poorer copies the richer, without noise, after their first day."""
    over = village(
        agents=2,
        rounds=1,
        revision=1,
        selection=1e6,
        effort_noise=0,
        belief_noise=0,
        ends_on="horizon",
        effort_rule="trait",
    )
    wealth = row(over.told("wealth")[0])
    assert wealth[0] != wealth[1]
    model = [1, NOBODY] if wealth[0] < wealth[1] else [NOBODY, 0]
    assert row(over.answers("imitate")[0]) == model
    for name in ("effort", "monitoring", "belief"):
        before, after = over.pages[0].public[name][0], over.pages[1].public[name][0]
        assert after.tolist() == [before[max(model)]] * 2


def test_the_moving_average_can_be_imitated_instead_of_wealth(puppets: Puppets) -> None:
    """P = 10 + 8 and 10 + 3; the averages are a tenth of the gains, 8 and 3."""
    for payoff, expected in (("wealth", [18, 13]), ("average", [0.8, 0.3])):
        over = puppets(2, effort=[1, 0.5], payoff=payoff, **TINY)
        learning = next(step for step in over.steps if step.kind == "imitate")
        assert row(learning.arrays["seen learn", "payoff"]) == pytest.approx(expected)


def test_the_cap_of_a_round_is_the_median_of_the_proposals_before_it(village: Village) -> None:
    over = village(rounds=10, ends_on="horizon")
    proposals, caps = over.told("proposal"), over.told("cap")
    for round_, limit in enumerate(over.told("limit")):
        assert limit.item() == caps[round_].item()
        proposed = proposals[round_][0]
        alive = over.pages[round_].present[0]
        assert caps[round_].item() == np.median(proposed[alive])


def test_without_votes_the_first_cap_stays(village: Village) -> None:
    over = village(rounds=5, vote="none")
    assert len(over.answers("propose")) == 1
    assert len({limit.item() for limit in over.told("limit")}) == 1


def test_without_social_learning_nobody_changes(village: Village) -> None:
    over = village(rounds=5, social_learning=False)
    assert "imitate" not in {step.kind for step in over.steps}
    for name in ("effort", "monitoring", "belief"):
        assert over.pages[0].public[name].tolist() == over.pages[-1].public[name].tolist()


# Landing and growing


@given(
    efforts=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    stock=st.just(0.0) | st.floats(1e-6, 1e6),
    alpha=st.floats(0, 1),
)
def test_no_more_is_landed_than_there_is(efforts: list[float], stock: float, alpha: float) -> None:
    catch = land_catch(parameters(catchability=alpha), np.array([efforts]), np.array([[stock]]))
    assert (catch >= 0).all()
    assert catch.sum() <= stock * (1 + 1e-12)
    if alpha * len(efforts) <= 1:
        assert catch[0] == pytest.approx([alpha * effort * stock for effort in efforts])


def test_the_lake_regrows_by_the_logistic_law() -> None:
    """r = 0.6, K = 300: nothing from nothing, r K / 4 from K / 2, nothing at K."""
    left = np.array([[0.0], [150.0], [300.0]])
    assert regrow(parameters(), left).ravel().tolist() == pytest.approx([0, 150 + 45, 300])


def test_a_lake_that_overshoots_does_not_fall_below_nothing() -> None:
    overfull = np.array([[500.0]])
    assert regrow(parameters(growth=3), overfull).item() == 0
    assert regrow(parameters(), np.array([[-1e-12]])).item() == 0


@given(
    wealth=st.lists(st.floats(-10, 100).map(lambda fish: round(fish, 3)), min_size=1, max_size=8),
    data=st.data(),
)
def test_gini_is_the_mean_difference_over_twice_the_mean(
    wealth: list[float], data: st.DataObject
) -> None:
    """Among those present, debts counted as nothing."""
    env = Environment(
        parameters(),
        seed=1,
        ids=np.arange(len(wealth)),
        replicate_ids=np.arange(1),
        horizon=1,
    )
    flags = data.draw(st.lists(st.booleans(), min_size=len(wealth), max_size=len(wealth)))
    env.close(~np.array([flags]), None)
    there = np.maximum(np.array(wealth)[flags], 0)
    found = gini({"wealth": np.array([wealth])}, env).item()
    if there.size == 0:
        assert np.isnan(found)
    elif there.sum() == 0:
        assert found == 0
    else:
        differences = np.abs(there[:, None] - there).mean()
        assert found == pytest.approx(differences / (2 * there.mean()), abs=1e-9)


# What is conserved

RUGGED = st.fixed_dictionaries(
    {},
    optional={
        "growth": st.just(0.0) | st.floats(0.01, 3),
        "stock": st.floats(0, 1),
        "catchability": st.floats(0, 1),
        "consumption": st.floats(0, 20),
        "wealth": st.floats(0, 50),
        "fine": st.floats(0, 30),
        "fining_cost": st.floats(0, 5),
        "punish_until": st.sampled_from([0, 3, None]),
        "social_learning": st.booleans(),
        "payoff": st.sampled_from(["wealth", "average"]),
        "vote": st.sampled_from(["median", "plurality", "none"]),
        "effort_rule": st.sampled_from(["deterrence", "trait"]),
        "punishers": st.sampled_from(["table", "text"]),
        "population": st.sampled_from(["general", "altruist", "mixed", "selfish"]),
        "ends_on": st.sampled_from(["death", "collapse", "horizon"]),
    },
)


@given(params=RUGGED, agents=st.integers(1, 5), seed=st.integers(0, 99))
def test_fish_and_coins_are_conserved(
    village: Village, params: dict[str, Any], agents: int, seed: int
) -> None:
    """What was landed and what is left is what was there; wealth comes from catches alone."""
    p = parameters(**params)
    over = village(agents=agents, rounds=6, at={"replicates": 2, "seed": seed}, **params)
    stock = np.full((2, 1), p.stock * p.capacity)
    wealth = np.full((2, agents), p.wealth)
    fishing = np.ones((2, agents), bool)
    for page in over.pages[1:]:
        told = {key[1]: array for step in page.steps for key, array in step.arrays.items()}
        punish = [step for step in page.steps if step.kind == "punish"]
        fined_somebody = punish[0].arrays["answer", ""] != NOBODY if punish else False
        catch, fined = told["catch"], told["fined"]
        assert (catch[~fishing] == 0).all()
        left = stock - catch.sum(1, keepdims=True)
        assert (left >= -1e-9 * p.capacity).all()
        left = np.maximum(left, 0)
        grown = np.maximum(left + p.growth * left * (1 - left / p.capacity), 0)
        np.testing.assert_allclose(told["stock"], grown, rtol=1e-12, atol=1e-9)
        costs = p.consumption * fishing + p.fining_cost * fined_somebody + p.fine * fined
        np.testing.assert_allclose(told["wealth"], wealth + catch - costs, rtol=1e-9, atol=1e-9)
        stock, wealth = told["stock"], told["wealth"]
        fishing = page.present & page.running


@given(params=RUGGED, agents=st.integers(1, 5), seed=st.integers(0, 99))
def test_measures_are_shares_or_nothing_at_all(
    village: Village, params: dict[str, Any], agents: int, seed: int
) -> None:
    over = village(agents=agents, rounds=6, at={"replicates": 2, "seed": seed}, **params)
    for name in ("gini", "over_use", "compliance", "fines"):
        value = measured(over, name)
        assert value is None or -1e-12 <= value <= 1
    efficiency = measured(over, "efficiency")
    assert efficiency is None or 0 <= efficiency < np.inf


# Fines


@pytest.mark.parametrize(("until", "rounds"), [(0, []), (2, [1, 2]), (None, [1, 2, 3, 4])])
def test_fines_last_until_the_round_that_is_stated(
    village: Village, until: int | None, rounds: list[int]
) -> None:
    for rule, kinds in (("deterrence", {"watch", "punish"}), ("trait", {"punish"})):
        over = village(rounds=4, punish_until=until, effort_rule=rule)
        asked = {
            page.number: {step.kind for step in page.steps} & {"watch", "punish"}
            for page in over.pages
        }
        assert {number: kinds for number, kinds in asked.items() if kinds} == dict.fromkeys(
            rounds, kinds
        )


def test_once_fines_are_over_none_is_expected(village: Village) -> None:
    over = village(rounds=3, punish_until=1, at={"replicates": 20})
    expected = [step.arrays["own", "expected_fine"] for step in over.steps if step.kind == "effort"]
    assert expected[0].max() > 0
    assert not any(fine.any() for fine in expected[1:])


def test_deterred_villagers_comply_more_than_fearless_ones(village: Village) -> None:
    at = {"replicates": 100}
    deterred, fearless = (
        measured(village(rounds=5, effort_rule=rule, ends_on="horizon", at=at), "compliance")
        for rule in ("deterrence", "trait")
    )
    assert deterred is not None
    assert fearless is not None
    assert deterred > fearless + 0.1


@pytest.mark.parametrize(("reading", "zealots"), [("table", "selfish"), ("text", "altruists")])
def test_the_table_has_the_selfish_fine_more_and_the_text_the_altruists(
    village: Village, reading: str, zealots: str
) -> None:
    over = village(rounds=1, population="mixed", punishers=reading, at={"replicates": 100})
    monitoring = over.pages[0].public["monitoring"]
    altruists, selfish = monitoring[:, :5], monitoring[:, 5:]
    if zealots == "selfish":
        assert altruists.max() <= 0.1 < 0.4 <= selfish.min()
    else:
        assert selfish.max() <= 0.1 < 0.4 <= altruists.min()


# Who lives there


@pytest.mark.parametrize(
    ("population", "share", "cohorts"),
    [
        ("general", 0.5, {"villager": 10}),
        ("altruist", 0.5, {"altruist": 10}),
        ("selfish", 0.5, {"selfish": 10}),
        ("mixed", 0.5, {"altruist": 5, "selfish": 5}),
        ("mixed", 0.26, {"altruist": 3, "selfish": 7}),
        ("mixed", 0.0, {"altruist": 0, "selfish": 10}),
        ("mixed", 1.0, {"altruist": 10, "selfish": 0}),
    ],
)
def test_a_population_is_made_of_its_personas(
    village: Village, population: Any, share: float, cohorts: dict[str, int]
) -> None:
    cast = villagers(parameters(population=population, altruists=share), 10)
    assert {cohort.name: cohort.count for cohort in cast} == cohorts
    village(rounds=2, population=population, altruists=share)


@pytest.mark.parametrize("agents", [1, 2])
def test_a_village_may_be_tiny(village: Village, agents: int) -> None:
    """A lone fisher is fined by nobody and copies nobody."""
    over = village(agents=agents, rounds=30, ends_on="horizon", at={"replicates": 5})
    assert over.outcome.rounds == 30
    if agents == 1:
        assert not any(fined.any() for fined in over.told("fined"))
        assert all((model == NOBODY).all() for model in over.answers("imitate"))


# Graphs


def test_graphs_limit_who_is_fined_and_who_is_imitated(village: Village) -> None:
    """Villagers look along a ring, and learn along a star."""
    n = 20
    ring, star = nx.cycle_graph(10), nx.star_graph(9)
    graphs = {
        "monitor": from_networkx([ring] * n, np.arange(10)),
        "learn": from_networkx([star] * n, np.arange(10)),
    }
    over = village(rounds=10, ends_on="horizon", revision=1, at={"replicates": n, "graphs": graphs})
    for kind, graph in (("punish", ring), ("imitate", star)):
        pairs = {
            (seat, int(peer))
            for answer in over.answers(kind)
            for replicate in answer
            for seat, peer in enumerate(replicate)
            if peer != NOBODY
        }
        assert pairs
        assert all(graph.has_edge(*pair) for pair in pairs)


# How it ends


def lives(village: Village, ends_on: str) -> Played:
    """Thirty hard years of the selfish."""
    hard = {"population": "selfish", "catchability": 0.07, "wealth": 10, "consumption": 5}
    over: Played = village(rounds=30, ends_on=ends_on, at={"replicates": 20}, **hard)
    return over


def test_a_village_may_end_with_the_first_death(village: Village) -> None:
    over = lives(village, "death")
    assert not over.pages[-1].running.any()
    for before, after in itertools.pairwise(over.pages):
        died = (before.present & ~after.present).any(1)
        ended = (before.running & ~after.running)[:, 0]
        assert (ended | ~died).all()


def test_a_village_may_live_on_after_a_death_until_its_lake_collapses(village: Village) -> None:
    over = lives(village, "collapse")
    deaths = (~over.pages[-1].present).sum(1)
    assert deaths.max() > 1
    stocks, collapse = over.told("stock"), 0.01 * 300
    for (before, after), stock in zip(itertools.pairwise(over.pages), stocks, strict=True):
        empty = ~after.present.any(1, keepdims=True)
        over_now = before.running & ~after.running
        assert ((stock <= collapse) | empty)[over_now].all()
        assert ((stock > collapse) & ~empty)[after.running].all()


def test_a_village_may_go_on_to_the_horizon_whatever_happens(village: Village) -> None:
    over = lives(village, "horizon")
    assert over.outcome.rounds == 30
    assert over.outcome.ends == {"": 20}
    assert over.pages[-1].running.all()
    assert not over.pages[-1].present.all()


def test_survival_is_the_same_whether_or_not_a_village_lives_on(village: Village) -> None:
    """The first round with a death or a collapse."""
    times = [
        lives(village, ends_on).game.folded["survival_time"].values().tolist()
        for ends_on in ("death", "collapse", "horizon")
    ]
    assert times[0] == times[1] == times[2]


def starving(puppets: Puppets, ends_on: str) -> Played:
    """Nobody fishes, everybody is dead after round 2, and the lake is full."""
    wealth = TINY | {"wealth": 3}
    over: Played = puppets(2, rounds=8, effort=[0, 0], ends_on=ends_on, stock=0.5, **wealth)
    assert over.outcome.measures["survival_time"].mean == 2
    assert not over.pages[-1].present.any()
    return over


@pytest.mark.parametrize("ends_on", ["death", "collapse"])
def test_when_all_are_dead_a_living_lake_ends_the_village(puppets: Puppets, ends_on: str) -> None:
    over = starving(puppets, ends_on)
    assert over.outcome.ends == {"starved": 1}
    assert over.outcome.rounds == 2


def test_a_lake_without_a_village_regrows_until_the_horizon(puppets: Puppets) -> None:
    over = starving(puppets, "horizon")
    assert over.outcome.rounds == 8
    stocks = [stock.item() for stock in over.told("stock")]
    assert all(before < after for before, after in itertools.pairwise(stocks))
    assert over.told("cap")[-1].item() == 99  # the last cap that anybody chose
    for name in ("compliance", "fines", "over_use"):
        lived = over.game.folded[name].count.tolist()
        assert lived == [2], f"{name} was measured where nobody fished"
    assert measured(over, "gini") == 0  # of the round before the last two died: both had 1


def test_a_lake_that_is_empty_from_the_start_collapses_in_round_1(puppets: Puppets) -> None:
    over = puppets(2, rounds=5, effort=[1, 1], **TINY | {"stock": 0})
    assert over.outcome.ends == {"collapsed": 1}
    assert over.outcome.rounds == 1
    assert measured(over, "efficiency") == 0


def test_a_lake_that_does_not_grow_has_no_efficiency(puppets: Puppets) -> None:
    """Its maximum sustainable yield is 0."""
    over = puppets(2, rounds=5, effort=[1, 1], **TINY | {"growth": 0})
    assert measured(over, "efficiency") is None


# Parameters


@pytest.mark.parametrize(
    "wrong",
    [
        {"capacity": 0},
        {"growth": -0.1},
        {"stock": 1.1},
        {"catchability": "lots"},
        {"fine": -1},
        {"punish_until": -1},
        {"population": "martian"},
        {"ends_on": "friday"},
        {"grwoth": 0.5},
    ],
    ids=str,
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        fishing_village.params(**wrong)
