"""The battery of recipients: what is asked, what is told, and that nothing comes of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.donor.donation import POLICIES, Donation
from society.components.donor.opinions import Opinions
from society.components.donor.social_norms import NORMS
from society.engine.component import AgentGroup, Column, Component, Question
from society.engine.population import Cast, Cohort
from society.engine.rng import Array
from society.engine.scenario import Finding, wrap_scenario
from society.scenarios.donor.donor_game import donor_game
from society.scenarios.donor.probe import BATTERY, bias_of_mutation
from society.scenarios.mechanisms.generations.generations import generations
from society.scenarios.mechanisms.generations.selection import SelectionRule

if TYPE_CHECKING:
    from tests.conftest import Play, Played

    from .conftest import Donors, Game, Speaking

NAMES = [encounter.name for encounter in BATTERY]


def reaction(over: Donors) -> dict[str, list[float]]:
    """Return the reaction of each seat of replicate 0 to each recipient."""
    (told,) = over.facts("supposed", "reaction")
    return {name: told[0, :, place].tolist() for place, name in enumerate(NAMES)}


def as_the_recipient_did(ask: Any, me: Any) -> Any:
    """Gives the share that is first on the trace; half of it to a stranger."""
    shares = ask.facts["trace_share"]
    none = np.full(len(shares), 0.5)
    return none if not shares.shape[1] else np.where(np.isnan(shares[:, 0]), none, shares[:, 0])


def test_a_strategy_becomes_a_function_of_the_trace(donors: Game) -> None:
    norm = reaction(donors(agents=2, rounds=2, probe=True, donate=as_the_recipient_did))
    assert {name: gives[0] for name, gives in norm.items()} == {
        "stranger": 0.5,
        "gave nothing": 0.0,
        "gave a quarter": 0.25,
        "gave half": 0.5,
        "gave three quarters": 0.75,
        "gave all": 1.0,
        "gave nothing to one who gave nothing": 0.0,
        "gave nothing to one who gave all": 0.0,
        "gave all to one who gave nothing": 1.0,
        "gave all to one who gave all": 1.0,
        "gave half in a chain of halves": 0.5,
    }


def test_all_agents_are_asked_about_all_recipients(donors: Game) -> None:
    told = donors(agents=4, rounds=2, probe=True, donate=[0.1, 0.2, 0.3, 0.4], at={"replicates": 3})
    (values,) = told.facts("supposed", "reaction")
    assert values.shape == (3, 4, len(BATTERY))
    np.testing.assert_allclose(
        values, np.broadcast_to([[[0.1], [0.2], [0.3], [0.4]]], values.shape)
    )


def test_what_is_shown_is_a_chain_latest_first(donors: Game) -> None:
    """Of one who gave nothing to one who gave all: in the second round of a game, of 10 units."""
    place = NAMES.index("gave nothing to one who gave all")
    over = donors(agents=2, rounds=2, probe=True)
    facts = {
        name: over.facts("suppose", name)[place][0, 0].tolist()
        for name in ("trace_share", "trace_units", "trace_round")
    }
    assert facts["trace_share"][:2] == [0, 1]
    assert np.isnan(facts["trace_share"][2])
    assert facts["trace_units"] == [0, 10, 0]
    assert facts["trace_round"] == [2, 1, 0]
    assert over.facts("suppose", "round")[place].tolist() == [[3]]


@pytest.mark.parametrize(
    ("trace", "medium", "entries"), [(1, "trace", 1), (0, "trace", 0), (3, "record", 1)]
)
def test_no_more_is_shown_than_the_game_shows(
    donors: Game, trace: int, medium: str, entries: int
) -> None:
    """Of a record, what the recipient itself did."""
    over = donors(agents=2, rounds=2, probe=True, trace=trace, medium=medium)
    shown = over.facts("suppose", "trace_share")[NAMES.index("gave all to one who gave nothing")]
    assert shown[0, 0].tolist() == [1.0][:entries]


@pytest.mark.parametrize("params", [{}, {"punishment": True}, {"stake": "fixed"}], ids=str)
def test_answers_change_nothing_of_what_follows(play: Play, params: dict[str, Any]) -> None:
    """The digests of all rounds are the same with and without, for donors by every rule."""
    (with_, without) = (
        [
            page.digest
            for page in play(
                donor_game, Donation(), agents=12, rounds=12, params={**params, "probe": probe}
            ).pages
            if page.path
        ]
        for probe in (True, False)
    )
    assert with_ == without


def test_under_a_fixed_stake_reactions_are_chances_to_give(donors: Game) -> None:
    """Recipients gave all or nothing: of a fixed sum there is no part."""
    over = donors(
        agents=2, rounds=2, probe=True, stake="fixed", punishment=True, suppose=[0.7, -0.4]
    )
    (names,), (told,) = over.facts("supposed", "encounter"), over.facts("supposed", "reaction")
    assert names.ravel().tolist() == [
        "stranger",
        "gave nothing",
        "gave all",
        "gave nothing to one who gave nothing",
        "gave nothing to one who gave all",
        "gave all to one who gave nothing",
        "gave all to one who gave all",
    ]
    assert told.tolist() == [[[0.7] * 7, [0.0] * 7]]


def test_donors_by_rule_say_their_chance_and_draw_no_lot(play: Play) -> None:
    params = {"probe": True, "stake": "fixed"}
    over = play(donor_game, Donation("fixed", 0.3), agents=4, rounds=2, params=params)
    assert np.unique(over.told("reaction")[0]).tolist() == [0.3]


def test_answers_in_words_that_cannot_be_read_are_a_chance_of_nothing(speaking: Speaking) -> None:
    spoken = speaking(
        lambda request: '{"keep": 25, "give": 75}' if request.address.agent else "Perhaps.",
        probe=True,
        stake="fixed",
    )
    (told,) = spoken.donors.facts("supposed", "reaction")
    assert told.tolist() == [[[0.0] * 7, [0.75] * 7]]


@pytest.mark.parametrize(
    ("params", "owned", "units"),
    [
        ({"endowment": 8}, 8, 4),
        ({"endowment": 0}, 1, 0.5),
        ({"endowment": 0, "stake": "fixed", "cost": 3}, 0, 3),
    ],
    ids=str,
)
def test_units_are_shares_of_what_both_own(
    donors: Game, params: dict[str, Any], owned: float, units: float
) -> None:
    """Of half, or of one gift; where nobody owns anything, of one unit."""
    over = donors(agents=2, rounds=2, probe=True, **params)
    place = NAMES.index("gave half") if "stake" not in params else 2
    assert (over.facts("suppose", "resources")[place] == owned).all()
    assert over.facts("suppose", "trace_units")[place][0, 0].tolist() == [units, 0, 0]


# What is passed on, and what is not


def found(over: Played) -> list[Finding]:
    """Return the conclusions from a run that is over."""
    after: Any = SimpleNamespace(params=over.game.env.params, pages=lambda: iter(over.pages))
    return list(bias_of_mutation(after))


def bias(over: Played) -> Array:
    """Return the bias of each replicate."""
    (finding,) = found(over)
    assert finding.name == "mutation_bias"
    return finding.values


RULES: tuple[SelectionRule, ...] = ("truncation", "proportional", "tournament", "fermi", "moran")
LASTING = sorted(set(POLICIES) - {"random"})
# Like their parents, of whichever cohort these are.
CLONES = [Cohort(policy, 2, (Donation(policy, noise=0, mutation=0),)) for policy in LASTING]
FOLLOWERS = [Cohort(norm, 2, (Opinions(norm, mutation=0),)) for norm in NORMS]


def evolved(play: Play, cast: Cast, *, count: int = 3, **given: Any) -> Played:
    """Generations with a battery, among those who meet by chance and err."""
    rule = {"count": count, "fitness": "final", "phenotype": "share", **given.pop("rule", {})}
    params = {
        "probe": True,
        "schedule": "random",
        "execution_error": 0.2,
        **given.pop("params", {}),
    }
    society = wrap_scenario(donor_game, generations, **rule)
    agents = sum(cohort.count for cohort in cast)
    return play(society, cast=cast, agents=agents, rounds=6, params=params, replicates=20, **given)


@pytest.mark.parametrize("overlapping", [True, False])
@pytest.mark.parametrize("selection", RULES)
@pytest.mark.parametrize("stake", ["share", "fixed"])
def test_who_has_clones_passes_on_what_it_does_whoever_is_selected(
    play: Play, selection: SelectionRule, stake: str, overlapping: bool
) -> None:
    rule = {"selection": selection, "overlapping": overlapping or selection in ("fermi", "moran")}
    over = evolved(play, CLONES, rule=rule, params={"stake": stake})
    assert np.unique(bias(over)).tolist() == [0.0]


class Upwards(Component):
    """Each child gives a share of .0625 more than its parent, to everybody."""

    answers = ("donate", "suppose")
    columns = (Column("gift", heritable=True),)

    def begin(self, agents: AgentGroup) -> None:
        agents["gift"] = agents.draws.integers("gift", 9) / 16

    def born(self, agents: AgentGroup) -> None:
        agents["gift"] = agents["gift"] + 0.0625

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        given: Array = ask.facts["resources"] * agents["gift"]
        return given


@pytest.mark.parametrize("selection", RULES)
def test_by_how_much_children_exceed_their_parents_is_found(
    play: Play, selection: SelectionRule
) -> None:
    """Though those who give least are selected."""
    over = evolved(play, [Cohort("all", 12, (Upwards(),))], rule={"selection": selection})
    np.testing.assert_allclose(bias(over), 0.0625, rtol=1e-12)


def test_agents_may_sit_anywhere(play: Play) -> None:
    ids = [2, 0, 3, 1]
    over = evolved(play, [Cohort("all", 4, (Upwards(),))], ids=ids)
    np.testing.assert_allclose(bias(over), 0.0625, rtol=1e-12)


@pytest.mark.parametrize("cast", [CLONES, FOLLOWERS], ids=["policies", "norms"])
@pytest.mark.parametrize("stake", ["share", "fixed"])
def test_survivors_answer_as_they_did_bit_by_bit(play: Play, cast: Cast, stake: str) -> None:
    """Whatever has happened to them in the last game."""
    over = evolved(play, cast, rule={"selection": "none"}, params={"stake": stake})
    first, *later = over.told("reaction")
    assert len(later) == 2
    assert all(np.array_equal(first, one) for one in later)


def test_where_nobody_is_born_there_is_no_bias(play: Play) -> None:
    assert np.isnan(bias(evolved(play, CLONES, rule={"selection": "none"}))).all()


def test_without_a_battery_or_without_children_nothing_is_found(play: Play) -> None:
    assert found(evolved(play, CLONES, params={"probe": False})) == []
    assert found(evolved(play, CLONES, count=1)) == []
    once = play(donor_game, Donation(), agents=12, rounds=2, params={"probe": True})
    assert found(once) == []
