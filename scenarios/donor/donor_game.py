"""The donor game: who gives loses, who receives gains more, and nobody is paid back directly.

Each round agents are paired, one of a pair may give, and under stake
    share    gives x of the r units it owns, 0 <= x <= r; the recipient gets m x
    fixed    gives or not: it costs c, and is worth b to the recipient
With `punishment` it may instead take from the recipient: x units of its own destroy 2 x, at most
all that the recipient has (under stake `fixed`, c destroys 2 c).

A game has T rounds, and everybody begins it with an endowment; in every second game the roles of a
fixed schedule are exchanged, so that an even number of games favours nobody (society.scenarios.
schedules has who meets whom). Agents are not told how many rounds there are. What a donor is shown
of the recipient is built by the game (society.scenarios.donor.traces). Where somebody comes to own
more than can be counted, 1e308, the replicate is over.

If all take turns and give all, a unit becomes m^k in the k rounds that are left if its owner gives
next, and m^(k - 1) if its owner receives next: endowments E come to a mean of
E (m + 1) m^(T - 1) / 2, which for m > 1 is the most that can be had: 30,720 for m = 2, E = 10,
T = 12.
Source: Vallinder and Hughes 2024, arXiv 2412.10270; stake `fixed`: Nowak and Sigmund 1998, Nature
393. Ours: the schedules, records, chance to know (q), errors of execution, refusals, gossip.
"""

from __future__ import annotations

from itertools import chain
from typing import Literal

import numpy as np
from pydantic import Field

from society.components.donor.donation import Donation
from society.components.donor.opinions import Opinions
from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.components.language.strategy_text import Strategy
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.mechanism import Declared, declares
from society.engine.observations import read_only
from society.engine.parameters import Positive, Share
from society.engine.population import Cohort, fill_from_params
from society.engine.rng import Array
from society.engine.scenario import (
    OF_DEFAULT_CAST,
    DisplaySpec,
    Interventions,
    Live,
    Measure,
    Meeting,
    Params,
    RoundFacts,
    mean_over,
    scenario,
)
from society.engine.script import Fact, Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.donor.decisions import (
    ask_decision,
    end_uncountable,
    owned_fact,
    settle_encounters,
)
from society.scenarios.donor.gossip import Reviews, spread_gossip
from society.scenarios.donor.measures import told_by_traits
from society.scenarios.donor.pairing import DonorPairs, Schedule, pairing, refuse_unplayable
from society.scenarios.donor.partner_choice import Partners, choose_partners
from society.scenarios.donor.probe import ask_probe, bias_of_mutation
from society.scenarios.donor.refusal_chains import POST_MORTEM
from society.scenarios.donor.traces import DEEDS, DonorTrace, informed_agents


class DonorGame(Params):
    """Symbols in brackets are those of the docstring above."""

    endowment: Live[Positive] = Field(10, description="units at the beginning of each game")
    multiplier: Live[Positive] = Field(
        2, description="m, value to the recipient of a unit given, under stake share"
    )
    stake: Literal["share", "fixed"] = Field(
        "share",
        description="share: give any share of what one owns; fixed: give a fixed sum or nothing",
    )
    cost: Live[float] = Field(1, gt=0, description="c, cost of giving, under stake fixed")
    benefit: Live[Positive] = Field(3, description="b, benefit of a gift, under stake fixed")
    punishment: Live[bool] = Field(False, description="whether donors may punish instead of giving")
    games: int = Field(
        2,
        ge=1,
        description="played one after the other, every second one with roles exchanged: an even "
        "number favours nobody",
    )
    schedule: Schedule = Field("ordered-once", description="who meets whom, and who gives")
    medium: Literal["trace", "record", "review"] = Field(
        "trace",
        description="what is shown of the recipient: deeds along a chain, all its own, or reviews; "
        "who gives by opinions of its own, as rules that gossip do, does not look at it",
    )
    trace: int = Field(
        3, ge=0, le=100, description="entries of a trace, or reviews, at most; a record has all"
    )
    known: Live[Share] = Field(
        1,
        description="q, the chance to learn of the recipient's past; with opinions of one's own, "
        "to see a deed of somebody else",
    )
    execution_error: Live[Share] = Field(0, description="chance that a gift or punishment fails")
    partners: Partners = Field(
        "given", description="whether agents may refuse a partner; then they do not play"
    )
    gossip: bool = Field(
        False, description="whether agents tell neighbours their opinion of others"
    )
    probe: bool = Field(
        False, description="whether strategies are probed with a set of hypothetical recipients"
    )
    minds: Literal["rules", "language"] = Field(
        "rules", description="who plays", json_schema_extra=OF_DEFAULT_CAST
    )
    thinking: Live[bool] = Field(True, description="whether models reason before they answer")


def donors(p: DonorGame, agents: int) -> list[Cohort]:
    """The default cast: language models, or donors by rule, of many different strategies.

    Where they gossip, rules give by reputation, each by any social norm, since only who has an
    opinion can pass it on, and language models remember what they hear.
    """
    if p.minds == "language":
        ears = (Recall(),) if p.gossip else ()
        return [Cohort("donor", agents, (Strategy(), *ears, fill_from_params(LanguagePolicy, p)))]
    rule = fill_from_params(Opinions, p, norm="any") if p.gossip else fill_from_params(Donation, p)
    return [Cohort("donor", agents, (rule,))]


def share_given(told: RoundFacts, env: Environment) -> Array:
    """Share given by those who had a chance to give, and something to give, (R,)."""
    return mean_over(~np.isnan(told["share"]), told["share"])


def share_refused(told: RoundFacts, env: Environment) -> Array:
    """Share of encounters, (R,); the two whom a refusal parts have no partner any more."""
    return mean_over((told["partner"] != NOBODY) | told["refused"], told["refused"])


def share_alone(told: RoundFacts, env: Environment) -> Array:
    """Share of those present whom nobody was found for, (R,)."""
    return mean_over(env.present, (told["partner"] == NOBODY) & ~told["refused"])


MEASURES = (
    Measure(
        "final_resources",
        "units, mean over agents and games",
        lambda told, env: mean_over(env.present, told["final"]),
        bounds=(0, None),
    ),
    Measure("donation", "share of what donors owned", share_given),
    Measure(
        "punished",
        "share of encounters",
        lambda told, env: mean_over(told["donor"], told["spent"] > 0),
        label="punishment",
    ),
    Measure("refused", "share of encounters", share_refused, label="refusals"),
    Measure(
        "sat_out",
        "share of agents without a partner",
        share_alone,
        label="agents without a partner",
    ),
)

FACTS = {
    "generation": FactSpec("Number of the generation"),
    "round": FactSpec("Number of the round"),
    "recipient": FactSpec("Number of the recipient's life"),
    "partner": FactSpec("Seat of the partner"),
    "partner_life": FactSpec("Number of the partner's life"),
    "resources": FactSpec("Units that an agent owns", "units"),
    "recipient_resources": FactSpec("Units that the recipient owns", "units"),
    "final": FactSpec("Units that an agent owns at the end of a game", "units"),
    "given": FactSpec("Units that a donor gives", "units"),
    "received": FactSpec("Units that a recipient gets", "units"),
    "spent": FactSpec("Units that a donor spends on punishing", "units"),
    "taken": FactSpec("Units that a punished recipient loses", "units"),
    "donate": FactSpec("Units that a donor wants to give", "units"),
    "donate amount": FactSpec("Units that a donor wants to give or to spend", "units"),
    "donate deed": FactSpec("Whether a donor wants to give or to punish"),
    "accept": FactSpec("Whether an agent wants to meet its partner"),
    "share": FactSpec("Share that a donor gives of what it owns"),
    "received_share": FactSpec("Share that was given to a recipient, of what the donor owned"),
    "deed": FactSpec("What a donor did", labels=DEEDS),
    "donor": FactSpec("Whether an agent was to give"),
    "gives": FactSpec("Whether an agent is to give, if both agree to meet"),
    "refuses": FactSpec("Whether an agent refuses its partner"),
    "refused": FactSpec("Whether one of the two refused the other"),
    "suppose": FactSpec("What an agent would give to an imagined recipient"),
    "suppose amount": FactSpec("Units that an agent would give, or spend on punishing", "units"),
    "suppose deed": FactSpec("Whether an agent would give or punish"),
    "reaction": FactSpec("Share that an agent would give to imagined recipients"),
    "encounter": FactSpec("Imagined recipients, in the order of the shares"),
    "review": FactSpec("Latest review of an agent"),
    "reviews": FactSpec("Reviews of the recipient, the latest first"),
    "gossip about": FactSpec("Seat of the agent of whom it speaks"),
    "gossip verdict": FactSpec("What it says of that agent"),
    "about": FactSpec("Seat of the agent who is spoken of"),
    "good": FactSpec("Whether good was said of it"),
    "trace_deed": FactSpec("What was done, the latest first", labels=DEEDS),
    "trace_share": FactSpec("Share that was given, the latest first"),
    "trace_units": FactSpec("Units that were given or spent, the latest first", "units"),
    "trace_to": FactSpec("Number of the life to which it was done, the latest first"),
    "trace_round": FactSpec("Round of each deed, the latest first"),
}

STAGE = DisplaySpec(
    columns=("resources", "share", "spent"),
    better={"resources": "more", "final_resources": "more"},
    meeting=Meeting(
        "partner",
        "deed",
        ("", "gave {share:%}", "had nothing to give", "punished with {spent}"),
        share="share",
        holds="resources",
        apart="refused",
        heard="trace_round",
    ),
    links={"gossip about": "spoke of"},
    quotes={"review": "is said to be"},
    endings={"uncountable": "somebody owned more than can be counted"},
    levels=("game", "round"),
)


@scenario(
    params=DonorGame,
    cast=donors,
    measures=MEASURES,
    relations=("meet", "hear"),
    agents=12,
    rounds=12,
    display=STAGE,
    facts=FACTS,
    language_variant={"minds": "language"},
    post_mortem=POST_MORTEM,
    post_analysis=lambda after: chain(bias_of_mutation(after), told_by_traits(after)),
    interventions=Interventions(removal=True),
)
@declares(Declared("donate", "donated", payoff=""))  # what is owned compounds: none is paid in
def donor_game(env: Environment) -> Script:
    """Agents give to each other by what they hear of each other (Vallinder and Hughes 2024)."""
    refuse_unplayable(env)
    _fitting(env.params)
    return _played(env)


def _fitting(p: DonorGame) -> None:
    """Raise ScenarioError for options that cannot be had together."""
    if p.partners == "rewired" and p.schedule != "random":
        raise ScenarioError(
            f"partners rewired changes who can meet whom, and schedule {p.schedule} is fixed; "
            "take schedule random, or partners agreed"
        )
    if p.probe and p.medium == "review":
        raise ScenarioError(
            "probe asks what one would give after certain shares, and medium review shows none; "
            "take medium trace or record, or leave out probe"
        )


def _played(env: Environment) -> Script:
    p, meetings = env.params, pairing(env)
    if p.probe:
        yield from ask_probe(env)
    for game in env.rounds(p.games):
        held = read_only(np.full(env.present.shape, float(env.params.endowment)))
        trace, reviews = DonorTrace(env), Reviews(env)
        for number in env.rounds():
            if number == 1:
                yield Tell("endowed", {"resources": own(held)}, restores=("meet",))
            now = {"generation": common(env.births + 1), "round": common(number)}
            pairs, learns = meetings.round(game, number), informed_agents(env)
            facts = {
                **now,
                **encounter(pairs, held),
                **trace.facts(pairs, learns),
                **reviews.facts(pairs, learns),
            }
            pairs, apart = yield from choose_partners(env, pairs, facts)
            choice = yield from ask_decision(env, held, facts, pairs.gives)
            done = settle_encounters(env, pairs, held, choice)
            held = done.added(held)
            more = {"resources": owned_fact(held), "refused": own(apart)}
            yield Tell("donated", done.facts(pairs) | more)
            yield from end_uncountable(env, held)
            trace.add(pairs, done.deeds(pairs, number))
            yield from reviews.written(pairs, done, now)
            if p.gossip:
                yield from spread_gossip(now)
        yield Tell("scored", {"final": owned_fact(held)})


def encounter(pairs: DonorPairs, held: Array) -> dict[str, Fact]:
    """Return the facts about what each agent owns, and its partner."""
    return {
        "resources": own(held),
        "recipient": own(pairs.partner_life),
        "recipient_resources": own(read_only(pairs.other(held, np.nan))),
    }
