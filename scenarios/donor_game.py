"""The donor game: who gives loses, who receives gains more, and nobody is paid back directly.

Each round agents are paired, one of a pair may give, and under stake
    share    gives x of the r units it owns, 0 <= x <= r; the recipient gets m x
    fixed    gives or not: it costs c, and is worth b to the recipient
With `punishment` it may instead take from the recipient: x units of its own destroy 2 x, at most
all that the recipient has (under stake `fixed`, c destroys 2 c).

A game has T rounds, and everybody begins it with an endowment; in every second game the roles are
exchanged. Agents are not told how many rounds there are. What a donor is shown of the recipient is
built by the game (society.scenarios.traces), who meets whom stands in society.scenarios.schedules.

If all take turns and give all, a unit becomes m^k in the k rounds that are left if its owner gives
next, and m^(k - 1) if its owner receives next: endowments E come to a mean of
E (m + 1) m^(T - 1) / 2, which for m > 1 is the most that can be had: 30,720 for m = 2, E = 10,
T = 12.
Source: Vallinder and Hughes 2024, arXiv 2412.10270; stake `fixed`: Nowak and Sigmund 1998, Nature
393. Ours: the schedules, records, chance to know (q), errors of execution, refusals, gossip.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from society.cast import Cohort, fitted
from society.checks import Positive, Share
from society.components.donation import Donation
from society.components.language import LanguagePolicy
from society.components.recall import Recall
from society.components.reputation import Reputation
from society.components.strategy import Strategy
from society.draws import Array
from society.errors import ScenarioError
from society.graph import NOBODY
from society.scenario import OF_DEFAULT_CAST, Measure, Meeting, Params, Stage, Told, scenario
from society.scenarios.battery import supposed
from society.scenarios.donations import decided, settled
from society.scenarios.hearsay import Reviews, gossiped
from society.scenarios.partners import Partners, accepted
from society.scenarios.schedules import Halves, Pairs, Schedule, playable
from society.scenarios.traces import Trace, informed
from society.table import Table
from society.talk import Fact, Script, Tell, common, own


class DonorGame(Params):
    """Symbols in brackets are those of the docstring above."""

    endowment: Positive = Field(10, description="units at the beginning of each game")
    multiplier: Positive = Field(2, description="m, what a given unit is worth to the recipient")
    stake: Literal["share", "fixed"] = Field(
        "share", description="any share of what one owns is given, or a fixed sum"
    )
    cost: float = Field(1, gt=0, description="c, of giving under stake fixed")
    benefit: Positive = Field(3, description="b, of a gift under stake fixed")
    punishment: bool = Field(False, description="whether one may destroy instead of giving")
    games: int = Field(2, ge=1, description="played one after the other, with roles exchanged")
    schedule: Schedule = Field("ordered-once", description="who meets whom, and who gives")
    medium: Literal["trace", "record", "review"] = Field(
        "trace",
        description="what is shown of the recipient: deeds along a chain, all its own, or reviews",
    )
    trace: int = Field(3, ge=0, le=100, description="entries of a trace, or reviews, at most")
    known: Share = Field(1, description="q, the chance to learn of the recipient's past")
    execution_error: Share = Field(0, description="chance that a gift or punishment fails")
    partners: Partners = Field(
        "given", description="whether one may refuse a partner, and is then rid of it"
    )
    gossip: bool = Field(False, description="whether agents tell neighbours what they think of one")
    probe: bool = Field(
        False, description="whether strategies are put before a battery of recipients beforehand"
    )
    minds: Literal["rules", "language"] = Field(
        "rules", description="who plays", json_schema_extra=OF_DEFAULT_CAST
    )
    thinking: bool = Field(True, description="whether models reason before they answer")


def donors(p: DonorGame, agents: int) -> list[Cohort]:
    """The default cast: language models, or donors by rule, of many different strategies.

    Where they gossip, rules give by reputation, since only who has an opinion can pass it on, and
    language models remember what they hear.
    """
    if p.minds == "language":
        ears = (Recall(),) if p.gossip else ()
        return [Cohort("donor", agents, (Strategy(), *ears, fitted(LanguagePolicy, p)))]
    rule = fitted(Reputation if p.gossip else Donation, p)
    return [Cohort("donor", agents, (rule,))]


def mean_over(some: Array, values: Array) -> Array:
    """The mean over those marked, (R, N) -> (R,); NaN if there are none."""
    count = some.sum(1)
    total: Array = np.where(some, values, 0).sum(1)
    return total / np.where(count, count, np.nan)


def share_given(told: Told, table: Table) -> Array:
    """Share given by those who had a chance to give, and something to give, (R,)."""
    return mean_over(~np.isnan(told["share"]), told["share"])


def share_refused(told: Told, table: Table) -> Array:
    """Share of encounters, (R,); the two whom a refusal parts have no partner any more."""
    return mean_over((told["partner"] != NOBODY) | told["refused"], told["refused"])


def share_alone(told: Told, table: Table) -> Array:
    """Share of those present whom nobody was found for, (R,)."""
    return mean_over(table.present, (told["partner"] == NOBODY) & ~told["refused"])


def reaction_of_newborn(told: Told, table: Table) -> Array:
    """Share given to the battery by newborn agents less that of the others, (R,)."""
    share = told["reaction"].mean(2)
    newborn, known = table.lives // table.agents == table.births, ~np.isnan(share)
    return mean_over(newborn & known, share) - mean_over(~newborn & known, share)


MEASURES = (
    Measure(
        "final_resources",
        "units, mean over agents and games",
        lambda told, table: mean_over(table.present, told["final"]),
    ),
    Measure("donation", "share of what donors owned", share_given),
    Measure(
        "punished",
        "share of encounters",
        lambda told, table: mean_over(told["donor"], told["spent"] > 0),
    ),
    Measure("refused", "share of encounters", share_refused),
    Measure("sat_out", "share of agents without a partner", share_alone),
    Measure(
        "mutation_bias",
        "share given to the battery, newborn less other agents",
        reaction_of_newborn,
    ),
)

STAGE = Stage(
    columns=("resources", "share", "spent"),
    meeting=Meeting(
        "partner",
        "deed",
        ("", "gave {share:%}", "had nothing to give", "punished with {spent}"),
        share="share",
        holds="resources",
        apart="refused",
    ),
    links={"gossip about": "spoke of"},
    quotes={"review": "is said to be"},
    levels=("game", "round"),
)


@scenario(
    params=DonorGame,
    cast=donors,
    measures=MEASURES,
    relations=("meet", "hear"),
    agents=12,
    rounds=12,
    stage=STAGE,
    in_words={"minds": "language"},
)
def donor_game(table: Table) -> Script:
    """Agents give to each other by what they hear of each other (Vallinder and Hughes 2024)."""
    playable(table)
    _fitting(table.params)
    return _played(table)


def _fitting(p: DonorGame) -> None:
    """Raises ScenarioError for options that cannot be had together."""
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


def _played(table: Table) -> Script:
    p, halves = table.params, Halves(table)
    if p.probe:
        yield from supposed(table)
    for game in table.rounds(p.games):
        held = np.full(table.present.shape, float(p.endowment))
        trace, reviews = Trace(table), Reviews(table)
        for number in table.rounds():
            if number == 1:
                yield Tell("endowed", {"resources": own(held)}, restores=("meet",))
            now = {"generation": common(table.births + 1), "round": common(number)}
            pairs, learns = halves.round(game, number), informed(table)
            facts = {
                **now,
                **encounter(table, pairs, held),
                **trace.facts(pairs, learns),
                **reviews.facts(pairs, learns),
            }
            pairs, apart = yield from accepted(table, pairs, facts)
            choice = yield from decided(table, held, facts, pairs.gives)
            done = settled(table, pairs, held, choice)
            held = done.added(held)
            owned = {"resources": own(held), "refused": own(apart)}
            yield Tell("donated", done.facts(table, pairs) | owned)
            trace.add(pairs, done.deeds(pairs, number))
            yield from reviews.written(pairs, done, now)
            if p.gossip:
                yield from gossiped(now)
        yield Tell("scored", {"final": own(held)})


def encounter(table: Table, pairs: Pairs, held: Array) -> dict[str, Fact]:
    """What each agent owns, and who is opposite with how much."""
    return {
        "resources": own(held),
        "recipient": own(pairs.lives(table)),
        "recipient_resources": own(pairs.other(held, np.nan)),
    }
