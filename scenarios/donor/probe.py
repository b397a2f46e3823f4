"""A battery of recipients: what everybody would give to each of them.

All agents are asked about the same encounters, and nothing comes of it: so a strategy, be it a
rule, a sentence or code, becomes a function from what is known of a recipient to the share that it
is given (a reaction norm), strategies of all generations can be compared, and newborn ones with
those that they were made from, before the same recipients. Everybody is asked as at the beginning
of a game, of which nothing is left from the last one. Donor and recipient own the same, and each is
shown as much as the game ever shows: of a record only what the recipient itself did. Under stake
`fixed`, where no gift is a part, recipients are those who gave all or nothing, and what is asked is
the chance to give.

Mutation bias is by how much newborn agents give more than their parents did, who were asked the
same at the beginning of the generation before. Who was selected as a parent does not matter to it.
Source: ours; Vallinder and Hughes 2024, section 4.1, ask for such a fixed background.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from society.engine.action_spaces import MixedStrategy
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import Finding, PostAnalysis, mean_over
from society.engine.script import Ask, Fact, Script, Tell, common, own
from society.lineage import Generation, list_generations
from society.scenarios.donor.decisions import GIVE, ask_decision
from society.scenarios.donor.traces import GAVE, Deeds, blank_deeds


class Encounter(NamedTuple):
    """A recipient of whom is known which shares were given, its own first, then along the chain."""

    name: str
    shares: tuple[float, ...] = ()


BATTERY = (
    Encounter("stranger"),
    Encounter("gave nothing", (0.0,)),
    Encounter("gave a quarter", (0.25,)),
    Encounter("gave half", (0.5,)),
    Encounter("gave three quarters", (0.75,)),
    Encounter("gave all", (1.0,)),
    Encounter("gave nothing to one who gave nothing", (0.0, 0.0)),
    Encounter("gave nothing to one who gave all", (0.0, 1.0)),
    Encounter("gave all to one who gave nothing", (1.0, 0.0)),
    Encounter("gave all to one who gave all", (1.0, 1.0)),
    Encounter("gave half in a chain of halves", (0.5, 0.5, 0.5)),
)


def probe_encounters(p: Any) -> tuple[Encounter, ...]:
    """The encounters that there can be with these parameters."""
    if p.stake == "share":
        return BATTERY
    return tuple(one for one in BATTERY if set(one.shares) <= {0.0, 1.0})


def probe_endowments(p: Any) -> float:
    """Return what imagined donors and recipients own; from nothing no share is given."""
    return float(p.endowment if p.stake == "fixed" else p.endowment or 1)


def ask_probe(env: Environment) -> Script:
    """Ask everybody about the battery; tells `reaction`, the shares given, (R, N, B).

    Under stake `fixed` the chances to give. NaN of those who do not take part.
    """
    p = env.params
    held = np.full(env.present.shape, probe_endowments(p))
    yield Tell("endowed", {"resources": own(held)})  # of the last game nobody keeps anything
    shares = []
    for encounter in probe_encounters(p):
        facts = {
            "generation": common(env.births + 1),
            "round": common(len(encounter.shares) + 1),
            "resources": own(held),
            "recipient": own(np.full(held.shape, NOBODY)),
            "recipient_resources": own(held),
            **probe_deeds(env, encounter).facts(),
        }
        share = yield from _imagined(env, held, facts)
        shares.append(np.where(env.active, share, np.nan))
    names = np.array([[[encounter.name for encounter in probe_encounters(p)]]], object)
    reaction = own(np.stack(shares, axis=2))
    yield Tell("supposed", {"encounter": common(names), "reaction": reaction})


def _imagined(env: Environment, held: Array, facts: dict[str, Fact]) -> Script:
    """The share of what they own that everybody would give, or the chance that they would."""
    p = env.params
    if p.stake == "share":
        choice = yield from ask_decision(env, held, facts, env.active, "suppose")
        return choice.given / held
    form = (
        MixedStrategy("keep", "give", "punish") if p.punishment else MixedStrategy("keep", "give")
    )
    keeps = np.eye(form.width)[0]
    chance = yield Ask("suppose", form, facts, who=env.active, fallback=keeps)
    return chance[..., GIVE]


def probe_deeds(env: Environment, encounter: Encounter) -> Deeds:
    """Return the trace of an imagined recipient, who owned the endowment when it gave."""
    p, rounds = env.params, len(encounter.shares)
    shown = encounter.shares[: p.trace if p.medium == "trace" else 1]
    length = p.trace if p.medium == "trace" else len(shown)
    known = blank_deeds((*env.present.shape, length))
    for place, share in enumerate(shown):
        known.sort[..., place] = GAVE
        known.share[..., place] = share
        known.units[..., place] = share * (p.cost if p.stake == "fixed" else probe_endowments(p))
        known.when[..., place] = rounds - place
    return known


def bias_of_mutation(after: PostAnalysis) -> Iterator[Finding]:
    """Return how much more newborn agents give to the battery than their parents did, (R,).

    Nothing is found in a run without a battery, or in which nobody was born to anybody.
    """
    if not (after.params.probe and _of_generations(after)):
        return
    changes = [_changed(*pair) for pair in pairwise(list_generations(after.pages()))]
    if changes:
        change = np.concatenate(changes, axis=1)
        unit = "share given to the battery, newborn agents less their own parents"
        yield Finding("mutation_bias", unit, mean_over(~np.isnan(change), change))


def _of_generations(after: PostAnalysis) -> bool:
    """Tell whether the first page of its rounds holds the descent of agents."""
    first = islice(after.pages(), 2)
    return any(step.kind == "descended" for page in first for step in page.steps)


def _changed(before: Generation, now: Generation) -> Array:
    """Return the share that newborn agents give beyond their parents', (R, N); NaN for others."""
    was, gives = (_mean_reaction(one) for one in (before, now))
    agents = now.life.shape[1]
    # The number of a life is births * N + id, and seats keep their ids.
    seat = np.argsort(now.life[0] % agents)[now.parent % agents]
    born = now.newborn & (now.parent != NOBODY)
    return np.where(born, gives - np.take_along_axis(was, seat, 1), np.nan)


def _mean_reaction(one: Generation) -> Array:
    """Average over all encounters, (R, N); NaN if nobody was asked."""
    if one.reaction is None:
        return np.full(one.life.shape, np.nan)
    mean: Array = one.reaction.mean(2)
    return mean
