"""The donor game: who gives loses, who receives gains more, and nobody is paid back directly.

Each round agents are paired, one of a pair may give, and under stake
    share    gives x of the r units it owns, 0 <= x <= r; the recipient gets m x
    fixed    gives or not: it costs c, and is worth b to the recipient
With `punishment` it may instead take from the recipient: x units of its own destroy 2 x, at most
all that the recipient has (under stake `fixed`, c destroys 2 c).

A game has T rounds, and everybody begins it with an endowment; in every second game the roles are
exchanged. Agents are not told how many rounds there are. What a donor is shown of the recipient is
built by the game (society.scenarios.traces), who meets whom stands in society.scenarios.schedules.

With k rounds left a unit is worth m^ceil(k / 2) to who gives next, and as much to who receives
next one round later, so that under stake `share` and strict turns giving all is best for all:
with m = 2, 12 rounds and an endowment of 10, a mean of 30,720; always giving half comes to 393.9.
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
from society.components.strategy import Strategy
from society.draws import Array
from society.errors import ScenarioError
from society.graph import NOBODY
from society.scenario import OF_DEFAULT_CAST, Measure, Params, Stage, Told, scenario
from society.scenarios.battery import supposed
from society.scenarios.donations import decided, settled
from society.scenarios.hearsay import Reviews, gossiped
from society.scenarios.partners import Partners, accepted
from society.scenarios.schedules import Halves, Pairs, Schedule, feasible, on_everybody
from society.scenarios.traces import Trace
from society.table import Table
from society.talk import Fact, Script, Tell, common, own


class DonorGame(Params):
    """Symbols in brackets are those of the docstring above."""

    endowment: Positive = Field(10, description="units at the beginning of each game")
    multiplier: Positive = Field(2, description="m, what a given unit is worth to the recipient")
    stake: Literal["share", "fixed"] = Field(
        "share", description="any share of what one owns is given, or a fixed sum"
    )
    cost: Positive = Field(1, description="c, of giving under stake fixed")
    benefit: Positive = Field(3, description="b, of a gift under stake fixed")
    punishment: bool = Field(False, description="whether one may destroy instead of giving")
    games: int = Field(2, ge=1, description="played one after the other, with roles exchanged")
    schedule: Schedule = Field("ordered-once", description="who meets whom, and who gives")
    medium: Literal["trace", "record", "review"] = Field(
        "trace", description="what is shown of the recipient"
    )
    trace: int = Field(3, ge=0, description="entries of it that are shown")
    known: Share = Field(1, description="q, the chance to learn of the recipient's past")
    execution_error: Share = Field(0, description="chance that a gift or punishment fails")
    partners: Partners = Field(
        "given", description="whether one may refuse a partner, and seek another one thereafter"
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
    """The default cast: donors by rule, of many different strategies, or language models."""
    if p.minds == "language":
        return [Cohort("donor", agents, (Strategy(), fitted(LanguagePolicy, p)))]
    return [Cohort("donor", agents, (fitted(Donation, p),))]


def final(told: Told, table: Table) -> Array:
    """Resources at the end of a game, mean over agents, (R,)."""
    mean: Array = told["final"].mean(1)
    return mean


def over_donors(values: Array, told: Told) -> Array:
    """Mean over those who had a chance to give, and something to give, (R,); NaN if nobody."""
    able = ~np.isnan(told["share"])
    count = able.sum(1)
    total: Array = np.where(able, values, 0).sum(1)
    return total / np.where(count, count, np.nan)


def per_pair(happened: Array, told: Told) -> Array:
    """Share of the encounters of a round, (R,); NaN if there was none."""
    pairs = told["donor"].sum(1)
    share: Array = (happened & told["donor"]).sum(1) / np.where(pairs, pairs, np.nan)
    return share


def alone(told: Told, table: Table) -> Array:
    """Share of those present who have no partner, (R,)."""
    present = table.present.sum(1)
    idle: Array = (table.present & (told["partner"] == NOBODY)).sum(1)
    return idle / np.where(present, present, np.nan)


def reaction_of_newborn(told: Told, table: Table) -> Array:
    """Share given to the battery by newborn agents less that of the others, (R,)."""
    share = np.nanmean(told["reaction"], axis=2)
    newborn = table.lives // table.agents == table.births
    both = newborn.any(1) & ~newborn.all(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        young, old = ((share * some).sum(1) / some.sum(1) for some in (newborn, ~newborn))
    return np.where(both, young - old, np.nan)


MEASURES = (
    Measure("final_resources", "units, mean over agents and games", final),
    Measure(
        "donation",
        "share of what donors owned",
        lambda told, table: over_donors(told["share"], told),
    ),
    Measure(
        "punished",
        "share of encounters",
        lambda told, table: per_pair(told["spent"] > 0, told),
    ),
    Measure("refused", "share of encounters", lambda told, t: per_pair(told["refused"], told)),
    Measure("sat_out", "share of agents without a partner", alone),
    Measure(
        "mutation_bias",
        "share given to the battery, newborn less other agents",
        reaction_of_newborn,
    ),
)

STAGE = Stage(
    columns=("resources", "share", "spent"),
    links={},
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
    p = table.params
    feasible(p.schedule, table.agents, table.horizon)
    on_everybody(table)
    if p.partners == "rewired" and p.schedule != "random":
        raise ScenarioError("partners rewired needs schedule random, since the graph changes")
    return _played(table)


def _played(table: Table) -> Script:
    p, halves = table.params, Halves(table)
    if p.probe:
        yield from supposed(table)
    for game in table.rounds(p.games):
        held, trace, reviews = (
            np.full(table.present.shape, float(p.endowment)),
            Trace(table),
            Reviews(table),
        )
        for number in table.rounds():
            if number == 1:
                yield Tell("endowed", {"resources": own(held)}, restores=("meet",))
            pairs = halves.round(game, number)
            facts = (
                encounter(table, pairs, held, number) | trace.facts(pairs) | reviews.facts(pairs)
            )
            pairs, refused = yield from accepted(table, pairs, facts)
            done = settled(table, pairs, held, (yield from decided(p, held, facts, pairs.gives)))
            held = held + done.gain
            yield Tell(
                "donated",
                done.facts(table, pairs) | {"resources": own(held), "refused": own(refused)},
            )
            trace.add(pairs, done.deeds(pairs, number))
            yield from reviews.written(pairs, done)
            if p.gossip:
                yield from gossiped(table)
        yield Tell("scored", {"final": own(held)})


def encounter(table: Table, pairs: Pairs, held: Array, number: int) -> dict[str, Fact]:
    """What a donor knows besides the recipient's past."""
    return {
        "generation": common(table.births + 1),
        "round": common(number),
        "resources": own(held),
        "recipient": own(pairs.other(table.lives)),
        "recipient_resources": own(pairs.other(held)),
    }
