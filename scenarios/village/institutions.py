"""Institutions: sub-scripts that a scenario calls in its rounds.

Each asks, tells and gives back what follows for the world; arrays are (R, N), caps are (R, 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from society.components.village.voting import nearest_option
from society.engine.action_spaces import Choice, Neighbour, Real
from society.engine.environment import Environment
from society.engine.graph import NOBODY, AgentRows, count_true
from society.engine.rng import Array, Draws
from society.engine.script import Ask, Fact, Inherit, Script, Tell, common, own, seen

CHANCE_ID = "proposed_and_voted"
VoteRule = Literal["median", "plurality", "none"]
Known = Mapping[str, Fact]  # facts that a scenario adds to a question
NOTHING: Known = MappingProxyType({})


class Fines(NamedTuple):
    """The fines of a round, (R, N): whom each fined, a seat or NOBODY, and who was fined, of bool.

    Nobody pays for more than one fine, or for more than one that it received.
    """

    victim: Array
    received: Array

    @property
    def given(self) -> Array:
        """Tell who fined somebody, (R, N) of bool."""
        fined: Array = self.victim != NOBODY
        return fined


def no_fines(catch: Array) -> Fines:
    """Return fines of nobody."""
    return Fines(np.full(catch.shape, NOBODY), np.zeros(catch.shape, bool))


def detection_chance(env: Environment, known: Known = NOTHING) -> Script:
    """The chance that a violator is caught, rho = 1 - prod_j (1 - B_j / deg_j), (R, N).

    j runs over those who can see the agent; each inspects one of its deg_j neighbours and fines a
    violation with chance B_j. The formula is ours.
    """
    graph = env.graph("monitor")
    watch = yield Ask("watch", Real(0, 1), known, fallback=0.0)
    missed = 1 - watch / np.maximum(graph.degree(env.present), 1)
    return 1 - graph.combined(np.multiply, missed, env.present, "watchers")


def fine_neighbours(env: Environment, catch: Array, cap: Array, known: Known = NOTHING) -> Script:
    """Let everybody fine one neighbour, by its catch, the cap and other facts; returns Fines.

    Rules hold catches against the cap; minds that judge in words are asked with facts of theirs.
    """
    facts = {"catch": seen("monitor", catch), "cap": common(cap), **known}
    victim = yield Ask("punish", Neighbour("monitor"), facts, fallback=NOBODY)
    received = fined_by(victim)
    yield Tell("punished", {"fined": own(received)})
    return Fines(victim, received)


def fined_by(victim: Array) -> Array:
    """Tell who was fined, (R, N) of bool, by whom each fined, a seat or NOBODY."""
    received = np.zeros(victim.shape, bool)
    finer = np.flatnonzero(victim != NOBODY)
    first = finer - finer % victim.shape[1]  # the node of seat 0 in the same replicate
    received.reshape(-1)[first + victim.reshape(-1)[finer]] = True
    return received


def misdirected(env: Environment, victim: Array, error: float, draws: Draws) -> Array:
    """Return whom fines hit, (R, N): with chance `error` a neighbour by lot, and not the victim."""
    errs, lot = draws.uniform("errs") < error, draws.uniform("hits")
    nodes = np.arange(victim.size)
    rows = AgentRows(*np.divmod(nodes, env.agents), nodes)
    other = env.graph("monitor").drawn(lot.reshape(-1), rows, env.present).reshape(victim.shape)
    hit: Array = np.where(errs & (victim != NOBODY) & (other != NOBODY), other, victim)
    return hit


def name_finers(env: Environment, fines: Fines, peers_seen: int | None = None) -> Array:
    """Names of those who fined each agent, and whom it sees on `monitor`, by id; (R, N) of text.

    peers_seen: how many of its neighbours an agent sees in a round; None: all of them.
    """
    graph, names = env.graph("monitor"), np.full(fines.victim.shape, "", object)
    for replicate, seat in zip(*np.nonzero(fines.received), strict=True):
        peers = graph.neighbours(int(replicate), int(seat))
        peers = peers[env.present[replicate, peers]]
        if peers_seen is not None:
            order = env.sight(int(replicate) * env.agents + int(seat), env.ids[peers])
            peers = peers[order[:peers_seen]]
        finers = peers[fines.victim[replicate, peers] == seat]
        lives = env.lives[replicate, finers[np.argsort(env.ids[finers])]]
        names[replicate, seat] = ", ".join(env.name(life) for life in lives.tolist())
    return names


def imitate_neighbours(payoff: Array, columns: tuple[str, ...]) -> Script:
    """Let everybody copy one neighbour's columns."""
    facts = {"payoff": seen("learn", payoff)}
    model = yield Ask("imitate", Neighbour("learn"), facts, fallback=NOBODY)
    yield Inherit("imitated", model, columns)


def propose_and_vote(env: Environment, rule: VoteRule, cap: Array) -> Script:
    """A new cap from everybody's proposals; where nobody is left, and under `none`, the old one.

    A proposal that cannot be read is for the old cap, and a vote for the own proposal.
    """
    if rule == "none":
        return cap
    known = {"cap": common(cap)}
    proposal = yield Ask("propose", Real(0, np.inf), known, fallback=cap)
    if rule == "median":
        chosen = median_voter(proposal, env.active)
    else:
        options = distinct_values(proposal, env.active)
        own_option = partial(_option_of, options, proposal)
        vote = yield Ask("vote", Choice(options=options), known, fallback=own_option)
        chosen = plurality_winner(
            options, vote, env.draws(CHANCE_ID, per="replicate").uniform("tie")
        )
    cap = np.where(env.active.any(1, keepdims=True), chosen, cap)
    yield Tell("adopted", {"cap": common(cap), "proposal": own(proposal)})
    return cap


def _option_of(options: Array, proposal: Array) -> Array:
    """Return the index of everybody's own proposal among the options, (R, N)."""
    replicate, _ = np.indices(proposal.shape)
    mine = nearest_option(options, replicate.reshape(-1), proposal.reshape(-1))
    return mine.reshape(proposal.shape)


def median_voter(values: Array, counted: Array) -> Array:
    """The median voter's proposal among those counted, (R, 1); 0 where there is none.

    Source: Black 1948, Journal of Political Economy 56.
    """
    ranked = np.sort(values if counted.all() else np.where(counted, values, np.inf), axis=1)
    count = count_true(counted)[:, None]
    low = np.take_along_axis(ranked, np.maximum(count - 1, 0) // 2, 1)
    high = np.take_along_axis(ranked, count // 2, 1)
    return np.where(count > 0, (low + high) / 2, 0.0)


def median_in_groups(env: Environment, groups: Array, values: Array, before: Array) -> Array:
    """The median voter's proposal of each one's own group, (R, N), among those who go on.

    groups: (R, N) of numbers. before: (R, N), which stays where nobody of a group goes on.
    """
    chosen = before
    for number in np.unique(groups):
        ours = groups == number
        here = ours & env.active
        some = ours & here.any(1, keepdims=True)
        chosen = np.where(some, median_voter(values, here), chosen)
    return chosen


def distinct_values(values: Array, counted: Array) -> Array:
    """The distinct values among those counted, ascending, then NaN; (R, N) -> (R, N)."""
    ranked = np.sort(np.where(counted, values, np.nan), axis=1)
    again = ranked[:, 1:] == ranked[:, :-1]
    if again.any():
        ranked[:, 1:][again] = np.nan
        ranked.sort(axis=1)
    return ranked


def plurality_winner(options: Array, vote: Array, uniform: Array) -> Array:
    """The option with most votes, (R, 1); `uniform` (R, 1) picks among the winners of a tie."""
    replicates, count = options.shape
    place = np.arange(replicates)[:, None] * (count + 1) + vote + 1
    votes = np.bincount(place.reshape(-1), minlength=replicates * (count + 1))
    tally = votes.reshape(replicates, count + 1)[:, 1:]
    winner = tally == tally.max(1, keepdims=True)
    kth = np.floor(uniform * winner.sum(1, keepdims=True)).astype(np.int64) + 1
    index = np.argmax(np.cumsum(winner, axis=1) == kth, axis=1)[:, None]
    return np.take_along_axis(options, index, 1)
