"""A fishing village: a common pool, fines, imitation of the better-off, and a cap by vote.

N villagers share a lake with stock R. Each round
    1. villager i fishes with effort e_i in [0, 1] and lands h_i = alpha e_i R (pro rata if that
       exceeds R: ours, it matters only if alpha N > 1);
    2. everyone may inspect one peer and fine it if h_j > G, the community's cap;
    3. wealth: P_i += h_i - c - gamma [fined somebody] - beta [was fined];
    4. who has P_i < 0 starves and is removed;
    5. the stock regrows: R = R+ + r R+ (1 - R+ / K);
    6. with chance q a villager meets a peer and may copy its effort, monitoring and belief;
    7. everyone proposes a cap; the median (or the plurality) is G of the next round.
Survival time: the first round that ends with R <= R_min or with a death. Efficiency: the catch
over the maximum sustainable yield r K / 4, which is exact for this order of events.
Units: fish of stock, catch, wealth and fines are the same.
Source: Gupta et al. 2026 (AAMAS), sections 3 and 4.1, Table 3. What the paper leaves open (alpha,
c, wealth, stock, q, delta, the noises, R_min, the horizon) is set by us to make governance matter.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from society.components.village.grievance import Grievance
from society.components.village.harvest import Harvest
from society.components.village.norm_belief import NormBelief
from society.components.village.persona import Persona, Temper
from society.components.village.punishment import Punishment
from society.components.village.social_learning import SocialLearning
from society.components.village.voting import Voting
from society.engine.action_spaces import Real
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import count_true
from society.engine.mechanism import Declared, declares
from society.engine.parameters import Positive, Share
from society.engine.population import Cohort, fill_from_params
from society.engine.rng import Array
from society.engine.scenario import (
    OF_DEFAULT_CAST,
    DisplaySpec,
    Interventions,
    Live,
    Measure,
    Params,
    RoundFacts,
    scenario,
)
from society.engine.script import Ask, Script, Tell, common, own, seen
from society.scenarios.village.institutions import (
    VoteRule,
    detection_chance,
    fine_neighbours,
    imitate_neighbours,
    no_fines,
    propose_and_vote,
)
from society.scenarios.village.lake import land_catch, maximum_yield, regrow
from society.scenarios.village.village_post_mortem import POST_MORTEM


class Village(Params):
    """Symbols in brackets are the paper's."""

    capacity: float = Field(300, gt=0, description="K, fish that the lake can hold")
    growth: Live[float] = Field(0.6, ge=0, le=3, description="r, a round")
    stock: Share = Field(1.0, description="R0, as a share of K")
    catchability: Live[Share] = Field(0.05, description="alpha, share of the stock at full effort")
    consumption: Live[Positive] = Field(2.5, description="c, fish a round")
    wealth: Positive = Field(30, description="P0, fish")
    fine: Live[Positive] = Field(10, description="beta, fish for each round in which one is fined")
    fining_cost: Live[Positive] = Field(0, description="gamma, fish for fining somebody")
    punish_until: Live[int | None] = Field(
        None, ge=0, description="last round with fines; none: always, 0: never"
    )
    social_learning: Live[bool] = Field(True, description="whether villagers imitate")
    revision: Live[Share] = Field(0.5, description="q, chance a round to reconsider")
    selection: Live[Positive] = Field(0.3, description="delta, per fish of payoff")
    effort_noise: Live[Positive] = Field(0.03, description="sigma of copied effort and monitoring")
    belief_noise: Live[Positive] = Field(0.3, description="sigma of a copied belief")
    payoff: Live[Literal["wealth", "average"]] = Field(
        "wealth", description="what is imitated: wealth, or a moving average of gains (weight .1)"
    )
    vote: Live[VoteRule] = Field(
        "median", description="how the cap is chosen; none: the first one stays"
    )
    effort_rule: Live[Literal["deterrence", "trait"]] = Field(
        "deterrence",
        description="deterrence: the expected fine lowers effort (ours); trait: it does not",
    )
    punishers: Literal["table", "text"] = Field(
        "table",
        description="who fines more: the selfish (the paper's table) or altruists (its text)",
    )
    population: Literal["general", "altruist", "mixed", "selfish"] = Field(
        "general",
        description="the personas; mixed: altruists, then selfish",
        json_schema_extra=OF_DEFAULT_CAST,
    )
    altruists: Share = Field(
        0.5,
        description="share of altruists in a mixed population",
        json_schema_extra=OF_DEFAULT_CAST,
    )
    collapse_at: Live[Share] = Field(0.01, description="R_min, as a share of K")
    ends_on: Live[Literal["death", "collapse", "horizon"]] = Field(
        "death",
        description="a replicate ends at the first death or collapse, at collapse, or never",
    )


def villagers(p: Village, agents: int) -> list[Cohort]:
    """The default cast: everybody has every faculty; personas as the population says."""
    altruists = round(p.altruists * agents)
    counts: dict[str, dict[Temper, int]] = {
        "general": {"general": agents},
        "altruist": {"altruist": agents},
        "selfish": {"selfish": agents},
        "mixed": {"altruist": altruists, "selfish": agents - altruists},
    }
    faculties = (Harvest, NormBelief, Punishment, SocialLearning, Voting, Grievance)
    return [
        Cohort(
            "villager" if temper == "general" else temper,
            count,
            (Persona(temper), *(fill_from_params(part, p) for part in faculties)),
        )
        for temper, count in counts[p.population].items()
    ]


def sustainable_yield(env: Environment) -> float:
    """Maximum sustainable yield, fish a round."""
    return maximum_yield(env.params)


def gini(told: RoundFacts, env: Environment) -> Array:
    """Return the Gini coefficient of wealth of those present, (R,); debts count as nothing."""
    # Whoever is absent joins the poorest with nothing, and is taken out of the ranks again.
    wealth = np.sort(np.maximum(told["wealth"], 0) * env.present, axis=1)
    present, total = count_true(env.present), wealth.sum(1)
    ranks = (np.arange(1.0, env.agents + 1) * wealth).sum(1)
    twice = np.divide(2 * ranks, total, out=2.0 * env.agents - present + 1, where=total > 0)
    index: Array = (twice - (2 * env.agents - present + 1)) / np.where(present, present, np.nan)
    return index


def catch_efficiency(told: RoundFacts, env: Environment) -> Array:
    """Catch over the maximum sustainable yield, (R,); NaN after the village has failed."""
    best = sustainable_yield(env)
    counts = told["survived"][:, 0] & (best > 0)
    share: Array = np.where(counts, told["catch"].sum(1) / (best or 1), np.nan)
    return share


def per_fisher(told: RoundFacts, happened: Array) -> Array:
    """Share of those who fished this round, (R,); NaN where nobody did."""
    fishers = count_true(told["fishing"])
    counted = count_true(happened & told["fishing"])
    share: Array = counted / np.where(fishers, fishers, np.nan)
    return share


def compliance(told: RoundFacts, env: Environment) -> Array:
    """Share of catches within the cap, (R,); NaN while there is none."""
    capped = np.isfinite(told["limit"][:, 0])
    return np.where(capped, per_fisher(told, told["catch"] <= told["limit"]), np.nan)


def stated_cap(told: RoundFacts, env: Environment) -> Array:
    """The cap in force, (R,); NaN while there is none."""
    cap: Array = told["limit"][:, 0]
    return np.where(np.isfinite(cap), cap, np.nan)


MEASURES = (
    Measure("survival_time", "rounds", lambda told, env: told["failed"], fold="first"),
    # Of a village that has ended nobody fishes. Its lake may still have fish, so that the stock
    # is known no longer.
    Measure(
        "efficiency",
        "catch / maximum sustainable yield",
        catch_efficiency,
        bounds=(0, None),
        ended=0,
    ),
    Measure(
        "stock",
        "share of the capacity, at the end of rounds",
        lambda told, env: told["stock"][:, 0] / env.params.capacity,
    ),
    Measure(
        "gini",
        "of the wealth of those present, last round",
        gini,
        fold="last",
        label="inequality (Gini)",
        bounds=(0, 1),
    ),
    Measure(
        "over_use",
        "share of catches above an equal share of the sustainable yield",
        lambda told, env: per_fisher(told, told["catch"] > sustainable_yield(env) / env.agents),
        label="over-use",
    ),
    Measure(
        "compliance",
        "share of catches within the cap",
        compliance,
    ),
    Measure(
        "fines",
        "fines per fisher and round",
        lambda told, env: per_fisher(told, told["fined"]),
        bounds=(0, None),
    ),
    Measure(
        "norm",
        "cap, fish a round, last round",
        stated_cap,
        fold="last",
        label="cap",
        bounds=(0, None),
    ),
)

LAKE_FACTS = {
    "stock": FactSpec("Fish in the lake", "fish"),
    "effort": FactSpec("Effort, from 0 to 1"),
    "catch": FactSpec("Catch of the round", "fish"),
    "wealth": FactSpec("Fish that a villager owns", "fish"),
    "cap": FactSpec("Largest catch that is allowed", "fish"),
    "limit": FactSpec("Largest catch that was allowed", "fish"),
    "watch": FactSpec("Chance to fine a peer whose catch is too large"),
    "punish": FactSpec("Seat of the villager whom it fines"),
    "imitate": FactSpec("Seat of the villager whom it copies"),
    "fishing": FactSpec("Whether a villager has fished"),
    "fined": FactSpec("Whether a villager was fined"),
    "full_catch": FactSpec("Catch at full effort", "fish", private=True),
    "expected_fine": FactSpec("Fine to be expected for too large a catch", "fish", private=True),
    "failed": FactSpec("Whether somebody died, or the lake collapsed"),
    "survived": FactSpec("Whether nobody had died before, nor the lake collapsed"),
}
FACTS = {
    **LAKE_FACTS,
    "propose": FactSpec("Cap that a villager proposes", "fish"),
    "proposal": FactSpec("Cap that a villager has proposed", "fish"),
    "vote": FactSpec("Cap that a villager votes for", "fish"),
    "payoff": FactSpec("Wealth or mean gains, which others compare with their own", "fish"),
}

FIRST_EFFORT = 0.5  # of those who cannot make themselves understood at first
IMITATED = ("effort", "monitoring", "belief")

STAGE = DisplaySpec(
    gauge=("stock", "capacity"),
    reference={"MSY stock": lambda p: p.capacity / 2},
    columns=("effort", "catch", "wealth", "belief"),
    better={
        "stock": "more",
        "wealth": "more",
        "survival_time": "more",
        "efficiency": "more",
        "gini": "less",
        "over_use": "less",
        "compliance": "more",
    },
    links={"punish": "fined", "imitate": "copied"},
    amounts={"punish": "fine"},
    notes={"cap": {"propose": "the median of {n} proposals", "vote": "the plurality of {n} votes"}},
    limits={"catch": "limit"},
    endings={
        "starved": "a villager starved",
        "fined_to_death": "a villager was fined to death",
        "collapsed": "the lake collapsed",
    },
    presence="alive",
    noun="villager",
)


def read_cap(words: str, env: Environment) -> Array:
    """Return the cap that an experimenter imposes, fish a round, (R, 1); raises ValueError."""
    try:
        cap = float(words)
    except ValueError:
        cap = -1.0
    if not 0 <= cap < np.inf:
        raise ValueError(f"got {words!r:.60}; expected a cap, a number of fish of at least 0")
    return np.full((env.replicates, 1), cap)


@scenario(
    params=Village,
    cast=villagers,
    measures=MEASURES,
    relations=("monitor", "learn"),
    display=STAGE,
    facts=FACTS,
    post_mortem=POST_MORTEM,
    language_variant="language_village",
    interventions=Interventions(norm=read_cap, longer=True, removal=True),
)
@declares(Declared("effort", "paid", payoff="wealth", open=True))
def fishing_village(env: Environment) -> Script:
    """A lake shared by villagers who fish, fine, imitate and vote (Gupta et al. 2026)."""
    p = env.params
    stock = np.full((env.replicates, 1), p.stock * p.capacity)
    wealth, effort = (np.full(env.present.shape, one) for one in (float(p.wealth), FIRST_EFFORT))
    average, survived = np.zeros_like(wealth), np.ones_like(stock, bool)
    cap = yield from propose_and_vote(env, "median", np.full_like(stock, np.inf))
    for number in env.rounds():
        wealth, average, effort = yield from renew_books(env, wealth, average, effort)
        p, fishing, cap = env.params, env.active, env.imposed("norm", cap)
        facts = {"cap": common(cap), "full_catch": common(p.catchability * stock)}
        punishing = p.punish_until is None or number <= p.punish_until
        if p.effort_rule == "deterrence":
            risk = (yield from detection_chance(env)) if punishing else np.zeros_like(wealth)
            facts["expected_fine"] = own(p.fine * risk)
        effort = yield Ask("effort", Real(0, 1), facts | {"wealth": own(wealth)}, fallback=effort)
        catch = land_catch(p, effort, stock)
        seen_catch = {"effort": seen("monitor", effort), "catch": seen("monitor", catch)}
        yield Tell("harvested", seen_catch | {"limit": common(cap), "fishing": own(fishing)})
        fines = (yield from fine_neighbours(env, catch, cap)) if punishing else no_fines(catch)
        payoff = catch - p.consumption - p.fining_cost * fines.given - p.fine * fines.received
        wealth = wealth + payoff * fishing
        more = yield from tell_payoffs(wealth, fines.received)
        wealth, average = wealth + more, 0.9 * average + 0.1 * (payoff + more)
        dead, left = fishing & (wealth < 0), stock - catch.sum(1, keepdims=True)
        stock, survived = yield from pass_night(env, dead, fines.received, left, survived)
        if p.social_learning:
            yield from imitate_neighbours(wealth if p.payoff == "wealth" else average, IMITATED)
        cap = yield from propose_and_vote(env, p.vote, cap)


def admit_newcomers(env: Environment) -> Script:
    """Let people come and go, if they do; returns whose seats newcomers have, (R, N) of bool."""
    lives = env.lives
    yield from env.turnover()
    return env.lives != lives


def renew_books(env: Environment, wealth: Array, average: Array, effort: Array) -> Script:
    """Let people come and go; returns what villagers own, their mean gains and last efforts."""
    new = yield from admit_newcomers(env)
    if not new.any():
        return wealth, average, effort
    firsts = (wealth, env.params.wealth), (average, 0), (effort, FIRST_EFFORT)
    return tuple(np.where(new, first, one) for one, first in firsts)


def tell_payoffs(wealth: Array, fined: Array) -> Script:
    """Tell all what they own; returns what mechanisms add to it, (R, N), or 0."""
    more = yield Tell("paid", {"wealth": seen("monitor", wealth), "fined": own(fined)})
    return 0.0 if more is None else more


def pass_night(env: Environment, dead: Array, fined: Array, left: Array, survived: Array) -> Script:
    """Burials, regrowth and collapse; gives the stock and which villages have not failed yet."""
    p = env.params
    yield from bury_indebted(env, dead, fined)
    stock = regrow(p, left)
    collapsed = stock <= p.collapse_at * p.capacity
    failed = collapsed | dead.any(1, keepdims=True)
    lake = {"stock": stock, "failed": failed, "survived": survived}
    yield Tell("regrown", {name: common(value) for name, value in lake.items()})
    yield Tell("collapsed", ends=collapsed if p.ends_on != "horizon" else None)
    return stock, survived & ~failed


def bury_indebted(env: Environment, dead: Array, fined: Array) -> Script:
    """Let those in debt leave; the cause tells whether a fine of this round was in it."""
    ends_on = env.params.ends_on
    emptied = ~(env.present & ~dead).any(1, keepdims=True)
    for kind, gone in (("starved", dead & ~fined), ("fined_to_death", dead & fined)):
        died = gone.any(1, keepdims=True)
        over = np.asarray(died & emptied if ends_on == "collapse" else died)
        yield Tell(kind, gone=gone, ends=None if ends_on == "horizon" else over)
