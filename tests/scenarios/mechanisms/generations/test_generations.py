"""Generations: who lives on, what children have, what fitness is, who waits and who is no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Real
from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry, News, Question
from society.engine.environment import Environment
from society.engine.graph import NOBODY, from_networkx
from society.engine.rng import Array
from society.engine.scenario import Measure, Params, Scenario, wrap_scenario
from society.engine.script import Ask, Script, Tell, common, own
from society.errors import ScenarioError, Unparsed
from society.scenarios.mechanisms.generations.generations import (
    generations,
    over_survivors,
    selection_term,
)
from society.scenarios.mechanisms.generations.lineage_recorder import Succession
from society.scenarios.mechanisms.generations.selection import Selection
from society.scenarios.mechanisms.repetition.repetition import repetition

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded


class Body(Component):
    """Has a size, which children inherit a tenth larger, and keeps a diary of generations."""

    answers = ("show",)
    notices = ("descended",)
    columns = (Column("size", public=True, heritable=True), Column("diary", object))

    def begin(self, agents: AgentGroup) -> None:
        agents["size"] = agents.agent + 1.0
        agents["diary"] = np.full(len(agents), "", object)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return agents["size"]

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["diary"] = agents["diary"] + tell.facts["generation"].astype(str).astype(object)

    def born(self, agents: AgentGroup) -> None:
        agents["size"] = agents["size"] * 1.1


class Clone(Body):
    """Is as its parent."""

    def born(self, agents: AgentGroup) -> None:
        """Change nothing."""


BETTER_HALF = Selection("truncation")


def paying(*payoffs: Any, **lines: Mapping[int, Array]) -> Any:
    """A script that tells these payoffs, a round each; gone, ends: by round, of its own tell."""

    def script(env: Environment) -> Script:
        for number in env.rounds(len(payoffs)):
            facts = {
                "payoff": own(np.atleast_2d(np.asarray(payoffs[number - 1], float))),
                "day": common(number),
            }
            more: Any = {name: by.get(number) for name, by in lines.items()}
            yield Tell("paid", facts, **more)

    return script


def showing(env: Environment) -> Script:
    """Fitness is size."""
    for _ in env.rounds():
        size = yield Ask("show", Real())
        yield Tell("shown", {"payoff": own(size)})


Evolve = Callable[..., "Played"]


@pytest.fixture
def evolve(play: Play) -> Evolve:
    """`evolve(script, *components, count=3, ..., at={"agents": 4})` plays generations of it."""

    def evolved(
        script: Any,
        *parts: Component,
        at: Mapping[str, Any] | None = None,
        measures: tuple[Measure, ...] = (),
        games: int = 1,
        **given: Any,
    ) -> Played:
        scenario = Scenario("life", script, cast=lambda p, n: [], measures=measures)
        if games > 1:
            scenario = wrap_scenario(scenario, repetition, games=games)
        scenario = wrap_scenario(scenario, generations, **given)
        over: Played = play(scenario, *(parts or (Body(),)), **{"agents": 4} | dict(at or {}))
        return over

    return evolved


def lists(arrays: list[Array]) -> list[Any]:
    """Return the lists of replicate 0."""
    return [values[0].tolist() for values in arrays]


# Lives


def test_the_better_half_lives_on_and_has_all_the_children(evolve: Evolve) -> None:
    over = evolve(paying([1, 2, 3, 4]), count=3)
    assert lists(over.told("life")) == [[0, 1, 2, 3], [4, 5, 2, 3], [8, 9, 2, 3]]
    assert lists(over.told("newborn")) == [[True] * 4, *[[True, True, False, False]] * 2]
    first, second, third = lists(over.told("parent"))
    assert first == [NOBODY] * 4
    assert second[2:] == third[2:] == [NOBODY, NOBODY]
    assert {*second[:2], *third[:2]} <= {2, 3}
    assert lists(over.told("survives")) == [[False, False, True, True]] * 3


def test_the_generations_are_numbered_and_hold_the_rounds_of_the_play(evolve: Evolve) -> None:
    over = evolve(paying([1, 2, 3, 4], [1, 2, 3, 4]), count=2)
    paths = [page.path for page in over.pages]
    assert paths == [(), (1,), (1, 1), (1, 2), (2,), (2, 1), (2, 2)]
    kinds = [[step.kind for step in page.steps] for page in over.pages]
    assert kinds[3:5] == [["paid", "selected", "extinct"], ["born", "descended"]]
    assert lists(over.told("generation")) == [[1], [2]]


def test_children_inherit_and_mutate_and_survivors_stay_as_they_are(evolve: Evolve) -> None:
    over = evolve(showing, count=2, survivors=0.25)
    assert over.column("size") == pytest.approx([4.4, 4.4, 4.4, 4])


def test_survivors_remember_and_children_do_not(evolve: Evolve) -> None:
    over = evolve(paying([1, 2, 3, 4]), count=3)
    (members,) = over.population.states
    assert members.values["diary"].tolist() == ["3", "3", "123", "123"]


def test_discrete_generations_are_all_children(evolve: Evolve) -> None:
    over = evolve(showing, count=2, survivors=0.25, overlapping=False)
    assert lists(over.told("life")) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert lists(over.told("parent"))[1] == [3, 3, 3, 3]
    assert over.column("size") == pytest.approx([4.4] * 4)


def test_without_selection_nobody_is_born(evolve: Evolve) -> None:
    over = evolve(showing, count=3, selection="none")
    assert lists(over.told("life")) == [[0, 1, 2, 3]] * 3
    assert lists(over.told("descendants")) == [[1, 1, 1, 1]] * 3
    assert over.column("size") == [1, 2, 3, 4]


# Fitness


@pytest.mark.parametrize(
    ("fold", "fitness"), [("mean", [3, 5, 2, 7]), ("sum", [6, 10, 2, 7]), ("last", [5, 4, 2, 7])]
)
def test_fitness_is_folded_over_a_generation(
    evolve: Evolve, fold: str, fitness: list[float]
) -> None:
    """What is not known in a round does not count in it."""
    over = evolve(paying([1, 6, np.nan, 7], [5, 4, 2, np.nan]), count=1, fold=fold)
    assert lists(over.told("fitness")) == [fitness]


def test_each_generation_starts_at_nothing(evolve: Evolve) -> None:
    over = evolve(paying([1, 2, 3, 4]), count=3, fold="sum")
    assert lists(over.told("fitness")) == [[1, 2, 3, 4]] * 3


def test_who_has_no_fitness_at_all_has_nan_whatever_the_fold(evolve: Evolve) -> None:
    for fold in ("mean", "sum", "last"):
        (fitness,) = lists(evolve(paying([1, np.nan, 3, 4]), count=1, fold=fold).told("fitness"))
        assert np.isnan(fitness[1])


def test_a_phenotype_is_followed_beside_fitness(evolve: Evolve) -> None:
    def twice(env: Environment) -> Script:
        for number in env.rounds(2):
            yield Tell("paid", {"payoff": own([[1, 2, 3, 4]]), "gift": own([[number, 0, 0, 9]])})

    over = evolve(twice, count=1, phenotype="gift")
    assert lists(over.told("phenotype")) == [[1.5, 0, 0, 9]]
    assert lists(evolve(twice, count=1).told("phenotype")) == [[1, 2, 3, 4]]


# Measures


def measured(of: Any, phenotype: list[float], rule: Selection = BETTER_HALF, **told: Any) -> float:
    """A measure of one replicate."""
    env = Environment(Params(), seed=1, ids=np.arange(4), replicate_ids=np.arange(1), horizon=1)
    env.public["succession"] = Succession(rule, "payoff", "mean")
    facts = {name: np.array([values]) for name, values in {"phenotype": phenotype, **told}.items()}
    (value,) = of(facts, env)
    return float(value)


def differential(phenotype: list[float], survives: list[bool]) -> float:
    return measured(over_survivors, phenotype, survives=survives)


def test_the_selection_differential_is_survivors_less_others_over_the_mean() -> None:
    kept = [False, False, True, True]
    assert differential([1, 2, 3, 6], kept) == 1.0  # (4.5 - 1.5) / 3
    assert differential([1, np.nan, 3, 6], kept) == pytest.approx(3.5 / (10 / 3))
    assert np.isnan(differential([1, 2, 3, 6], [True] * 4))
    assert np.isnan(differential([0, 0, 0, 0], kept))


def test_who_does_better_is_ahead_also_where_all_do_badly() -> None:
    assert differential([-6, -3, -2, -1], [False, False, True, True]) == 1.0  # (-1.5 + 4.5) / 3


@pytest.mark.parametrize(
    "rule", [Selection("proportional"), Selection("moran"), Selection(overlapping=False)]
)
def test_other_rules_have_no_selection_differential(rule: Selection) -> None:
    """Survivors are an elite, those whom chance has spared, or nobody."""
    kept = [False, False, False, True]
    assert np.isnan(measured(over_survivors, [1, 2, 3, 6], rule, survives=kept))


def term(phenotype: list[float], descendants: list[int]) -> float:
    return measured(selection_term, phenotype, descendants=descendants)


def test_selection_is_what_descendants_make_of_the_mean() -> None:
    """The mean over descendants less the mean over all."""
    assert term([1, 2, 3, 6], [0, 0, 2, 2]) == (3 + 6) / 2 - 3
    assert term([1, 2, 3, 6], [0, 0, 3, 1]) == (3 * 3 + 6) / 4 - 3
    assert term([1, 2, 3, 6], [1, 1, 1, 1]) == 0
    assert term([-4, -1, -1, -2], [0, 4, 0, 0]) == 1
    assert term([1, np.nan, 3, 8], [0, 1, 3, 0]) == 3 - 4  # of those who have a phenotype
    assert np.isnan(term([1, 2, 3, 6], [0, 0, 0, 0]))


@pytest.mark.parametrize(
    "rule",
    [
        {"selection": "truncation"},
        {"selection": "truncation", "overlapping": False},
        {"selection": "proportional"},
        {"selection": "tournament", "overlapping": False},
        {"selection": "fermi"},
        {"selection": "moran"},
        {"selection": "none"},
    ],
    ids=str,
)
def test_where_children_are_as_their_parents_selection_is_all_that_happens(
    evolve: Evolve, rule: Mapping[str, Any]
) -> None:
    """So the selection measured is the change of the mean, to rounding."""
    at = {"agents": 12, "replicates": 20, "rounds": 1}
    over = evolve(showing, Clone(), count=4, at=at, **rule)
    means = np.array([phenotype.mean(1) for phenotype in over.told("phenotype")])
    measures = [page.measures for page in over.pages]
    selection = np.array([each["selection"] for each in measures if "selection" in each])
    np.testing.assert_allclose(selection[:-1], np.diff(means, axis=0), atol=1e-12)
    assert (selection[:-1] != 0).any() == (rule["selection"] != "none")


def test_the_first_and_the_last_generation_are_measured(evolve: Evolve) -> None:
    values = evolve(showing, count=3, survivors=0.25).outcome.values
    assert values["first_fitness"].tolist() == [2.5]
    sizes = sorted([4.0, *(4 * 1.1 for _ in range(3))])
    assert values["fitness"] > np.mean(sizes)
    assert values["selection_differential"] > 0


# Deaths, and games that end


def test_the_dead_are_replaced_by_children_of_the_living(evolve: Evolve) -> None:
    dead = np.array([[False, False, True, True]])
    over = evolve(paying([1, 2, 3, 4], [1, 2, 3, 4], gone={1: dead}), count=2)
    assert lists(over.told("survives"))[0] == [True, True, False, False]
    assert lists(over.told("life"))[1] == [0, 1, 6, 7]
    assert set(lists(over.told("parent"))[1][2:]) <= {0, 1}
    assert over.pages[4].path == (2,)
    assert over.pages[4].present.all()


def test_what_the_dead_came_to_counts_as_well(evolve: Evolve) -> None:
    """Fitness and phenotype are of the same agents; who has died has no descendants."""
    dead = np.array([[True, True, False, False]])
    over = evolve(paying([1, 2, 3, 4], [9, 9, 5, 6], gone={1: dead}), count=1)
    assert lists(over.told("fitness")) == lists(over.told("phenotype")) == [[1, 2, 4, 5]]
    assert lists(over.told("alive")) == [[False, False, True, True]]
    assert lists(over.told("survives")) == [[False, False, True, True]]
    assert lists(over.told("descendants"))[0][:2] == [0, 0]
    values = {name: found.tolist() for name, found in over.outcome.values.items()}
    assert values["fitness"] == values["phenotype"] == values["first_fitness"] == [3]
    assert values["selection_differential"] == [(4.5 - 1.5) / 3]


def test_where_the_play_ends_its_agents_wait_for_the_next_generation(evolve: Evolve) -> None:
    ends = {1: np.array([[True], [False]])}
    both, late = [[1, 2, 3, 4], [4, 3, 2, 1]], [[9, 9, 1, 1], [9, 9, 1, 1]]
    over = evolve(paying(both, late, ends=ends), count=2, at={"replicates": 2})
    assert [page.present[:, 0].tolist() for page in over.pages[2:5]] == [
        [False, True],
        [False, True],
        [True, True],
    ]
    fitness = over.told("fitness")[0].tolist()
    assert fitness == [[1, 2, 3, 4], [6.5, 6, 1.5, 1]]  # what came later is nobody's
    kept = [[False, False, True, True], [True, True, False, False]]
    assert over.told("survives")[0].tolist() == kept
    assert over.outcome.ends == {"": 2}


def test_nothing_is_measured_of_a_game_that_is_over(evolve: Evolve) -> None:
    def lake(env: Environment) -> Script:
        for number in env.rounds(3):
            over = np.full((env.replicates, 1), number == 2)
            yield Tell("rose", {"level": common(float(number)), "payoff": own(1.0)}, ends=over)

    def level(told: Mapping[str, Array], env: Environment) -> Array:
        return told["level"]

    measures = (Measure("level", "feet", level),)
    over = evolve(lake, count=2, measures=measures)
    assert over.outcome.values["level"].tolist() == [1.5]


def test_a_replicate_in_which_nobody_is_left_is_over(evolve: Evolve) -> None:
    dead = np.array([[True] * 4, [False] * 4])
    over = evolve(paying([1, 2, 3, 4], gone={1: dead}), count=3, at={"replicates": 2})
    assert over.outcome.ends == {"extinct": 1, "": 1}
    assert over.told("newborn")[1].tolist() == [[False] * 4, [True, True, False, False]]
    assert over.told("parent")[1][0].tolist() == [NOBODY] * 4


def test_a_play_that_ends_by_the_last_death_is_extinct_as_well(evolve: Evolve) -> None:
    everybody, over = np.ones((1, 4), bool), np.ones((1, 1), bool)
    script = paying([1, 2, 3, 4], gone={1: everybody}, ends={1: over})
    assert evolve(script, count=3).outcome.ends == {"extinct": 1}


# Games


def test_a_generation_may_play_several_games(evolve: Evolve) -> None:
    over = evolve(paying([1, 2, 3, 4]), count=2, games=2)
    assert [page.path for page in over.pages if len(page.path) == 3] == [
        (1, 1, 1),
        (1, 2, 1),
        (2, 1, 1),
        (2, 2, 1),
    ]
    assert over.game.scenario.display.levels == ("generation", "game", "round")


def test_who_waits_is_back_in_the_next_game_and_who_is_dead_is_not(evolve: Evolve) -> None:
    dead, ends = np.array([[False, False, False, True]]), np.ones((1, 1), bool)
    script = paying([1, 2, 3, 4], gone={1: dead}, ends={1: ends})
    over = evolve(script, games=3, count=1, fold="sum")
    assert lists(over.told("fitness"))[0][:3] == [3, 6, 9]
    assert lists(over.told("survives")) == [[False, True, True, False]]


# Strategies


class Author(Component):
    """Devises a strategy from what it hears: who it is, and the best of its elders with a score."""

    answers = ("devise",)
    notices = ("devised",)
    columns = (Column("strategy", object, public=True),)

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        if "elder" not in ask.facts:
            return f"{agent.agent} after {ask.facts['strategy']!r} ({ask.facts['score']:g})"
        known = {name: ask.facts.seen(name) for name in ("elder", "strategy", "score")}
        elders = [seat for seat, elder in known["elder"].items() if elder]
        heard = [f"{known['strategy'][seat]}={known['score'][seat]:g}" for seat in elders]
        assert all(known["strategy"][seat] == "" for seat in set(known["strategy"]) - set(elders))
        return f"{agent.agent}:" + ",".join(heard)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["strategy"] = tell.facts["strategy"]


def test_the_newborn_hear_the_strategies_of_survivors_with_their_scores(evolve: Evolve) -> None:
    """Who survives keeps its own, word for word."""
    over = evolve(paying([1, 2, 3, 4]), Author(), count=2, strategies="advice")
    assert lists(over.told("strategy")) == [
        ["0:", "1:", "2:", "3:"],
        ["0:2:=3,3:=4", "1:2:=3,3:=4", "2:", "3:"],
    ]
    assert lists(over.answers("devise"))[1][2:] == ["", ""]


def test_advice_comes_from_those_whom_one_sees(evolve: Evolve) -> None:
    path = from_networkx([nx.path_graph(4)], np.arange(4))
    at = {"graphs": {"advise": path}}
    over = evolve(paying([1, 2, 3, 4]), Author(), count=2, strategies="advice", at=at)
    assert lists(over.told("strategy"))[1] == ["0:", "1:2:=3", "2:", "3:"]


def test_where_all_are_replaced_the_best_of_them_advise(evolve: Evolve) -> None:
    """Also those who, by chance, have no child."""
    given = {"strategies": "advice", "overlapping": False, "count": 2}
    over = evolve(paying([1, 2, 3, 4]), Author(), at={"replicates": 20}, **given)
    *_, second = (step for step in over.steps if step.kind == "devise")
    assert (second.arrays["seen advise", "elder"] == [False, False, True, True]).all()
    parents = over.told("parent")[1]
    assert any(len(set(row)) == 1 for row in parents.tolist())


def test_who_is_replaced_sees_not_itself_among_the_elders(evolve: Evolve) -> None:
    given = {"strategies": "advice", "survivors": 0.25, "overlapping": False}
    over = evolve(paying([1, 2, 3, 4]), Author(), count=2, **given)
    # The seat of the parent has a child, too, who does not see itself.
    assert lists(over.told("strategy"))[1] == ["0:3:=4", "1:3:=4", "2:3:=4", "3:"]


def test_a_strategy_may_come_from_the_parent_alone(evolve: Evolve) -> None:
    given = {"strategies": "parent", "survivors": 0.25}
    over = evolve(paying([1, 2, 3, 4]), Author(), count=2, **given)
    first = "3 after '' (nan)"
    others = [f"{agent} after {first!r} (4)" for agent in range(3)]
    assert lists(over.told("strategy"))[1] == [*others, first]


class Mumbler(Author):
    """Is understood at first only."""

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        if ask.facts["generation"] > 1:
            raise Unparsed("nothing but dots")
        return await super().consult(ask, agent)


class Silent(Author):
    """Says nothing after the first generation."""

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        return "" if ask.facts["generation"] > 1 else await super().consult(ask, agent)


@pytest.mark.parametrize(("author", "fallbacks"), [(Mumbler(), 3), (Silent(), 0)])
def test_who_says_nothing_that_can_be_read_has_its_parents_strategy(
    evolve: Evolve, author: Component, fallbacks: int
) -> None:
    given = {"strategies": "advice", "survivors": 0.25}
    over = evolve(paying([1, 2, 3, 4]), author, count=2, **given)
    assert lists(over.told("strategy"))[1] == ["3:", "3:", "3:", "3:"]
    assert sum(entry.fallbacks for entry in over.outcome.ledger) == fallbacks


# Wrong use


def test_facts_that_are_not_told_are_missed_before_the_first_line() -> None:
    env = Environment(Params(), seed=1, ids=np.arange(2), replicate_ids=np.arange(1), horizon=1)
    with pytest.raises(ScenarioError, match=r"tells no number 'payof' .* did you mean 'payoff'"):
        generations(paying([1, 2]), fitness="payof")(env)
    with pytest.raises(ScenarioError, match="'day' of each agent, which is to be its phenotype"):
        generations(paying([1, 2]), phenotype="day")(env)


def test_facts_are_looked_for_until_they_are_found() -> None:
    """And no further: a rehearsal of all rounds may take long."""
    rounds = []

    def slow(env: Environment) -> Script:
        for number in env.rounds():
            rounds.append(number)
            yield Tell("paid", {"payoff": own(1.0), "gift": own(float(number))})

    env = Environment(Params(), seed=1, ids=np.arange(2), replicate_ids=np.arange(1), horizon=100)
    generations(slow, phenotype="gift")(env)
    assert rounds == [1]


def test_generations_within_generations_are_refused(evolve: Evolve) -> None:
    with pytest.raises(ScenarioError, match="has generations already; name the mechanism once"):
        evolve(generations(paying([1, 2, 3, 4])), count=2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"elite": 3}, "elite: 3 makes no difference under selection truncation; .* proportional"),
        ({"selection": "none", "survivors": 0.3}, "survivors: 0.3 .* or take truncation"),
        ({"selection": "proportional", "entrants": 3}, "entrants: 3 .* or take tournament"),
        ({"selection": "tournament", "strength": 5}, "strength: 5 .* or take fermi or moran"),
        (
            {"selection": "tournament", "elite": 2, "overlapping": False},
            "elite: 2 makes no difference where nobody lives on",
        ),
        ({"embedder": "hashing"}, "nobody devises any; leave it out"),
    ],
)
def test_parameters_that_make_no_difference_are_refused(
    given: Mapping[str, Any], said: str
) -> None:
    with pytest.raises(ScenarioError, match=said):
        generations(showing, **given)


@pytest.mark.parametrize("rule", ["proportional", "tournament"])
def test_an_elite_leaves_a_place_for_children(evolve: Evolve, rule: str) -> None:
    with pytest.raises(ScenarioError, match=r"elite of 4 among 4 agents .* take at most 3"):
        evolve(showing, selection=rule, elite=4)
    with pytest.raises(ScenarioError, match="take more agents, or elite: 0"):
        evolve(showing, selection=rule, at={"agents": 1})
    evolve(showing, selection=rule, elite=3)


@pytest.mark.parametrize("rule", ["fermi", "moran", "none"])
def test_rules_that_replace_some_have_overlapping_generations(rule: Any) -> None:
    with pytest.raises(ScenarioError, match=f"under selection {rule} .* generations overlap"):
        generations(showing, selection=rule, overlapping=False)


# Scenarios of ours


def of_ours(recorded: Recorded, source: str, rule: Mapping[str, Any], **changes: Any) -> Played:
    given = {"mechanisms": [{"generations": rule}], **changes}
    return recorded(build(load_config(source, given)).gamemaster())


LAKE = {"fitness": "wealth", "fold": "last", "phenotype": "effort"}


def test_villagers_who_starve_are_replaced_and_villages_whose_lake_fails_begin_again(
    recorded: Recorded,
) -> None:
    hard = {"wealth": 5, "growth": 0.3}
    over = of_ours(
        recorded, "fishing_village", LAKE | {"count": 4}, rounds=10, replicates=8, parameters=hard
    )
    assert len(over.told("life")) == 4
    assert "adjourned" in {step.kind for step in over.steps}
    assert over.outcome.ends == {"": 8}
    begun = [page for page in over.pages if len(page.path) == 1]
    assert all(page.present.all() for page in begun)
    stocks = [page for page in over.pages if page.path[1:] == (1,)]
    assert len(stocks) == 4


def test_villages_of_language_minds_have_generations_too(recorded: Recorded) -> None:
    rule = {"fitness": "wealth", "fold": "last", "count": 2}
    over = of_ours(recorded, "language_village", rule, rounds=2, agents=4)
    assert lists(over.told("generation")) == [[1], [2]]
    assert [page.path for page in over.pages] == [(), (1,), (1, 1), (1, 2), (2,), (2, 1), (2, 2)]


def test_a_meeting_that_has_agreed_waits_and_meets_again(recorded: Recorded) -> None:
    over = of_ours(recorded, "village_meeting", {"fitness": "limit", "count": 2}, seed=3)
    assert over.outcome.values["fitness"] > 0
