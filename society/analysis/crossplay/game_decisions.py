"""The moves of games in normal form as an agent-round table, read off the lines of a run.

A round is a question `move`, or several where seats have different actions or groups different
rules, and the tell `played` that follows them: mixed strategies, actions drawn from them, points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from society.analysis.study.events import PageReading, asked_agents
from society.analysis.study.frames import LongForm
from society.engine.history import Step
from society.engine.rng import Array

MOVE, PLAYED, DELEGATE = "move", "played", "delegate"
BALLOTS = {"contract": "approve_contracts", "mediator": "approve_mediators"}  # by what is voted on
_FORM = "mix over "
_OF_CO_PLAYERS = ("others", "opponents")  # facts with an entry for each of them


@dataclass(frozen=True, eq=False)
class GameDecisions:
    """All m moves of a cell, in order of round, replicate and agent; games of n players.

    replicate, round, agent: (m,); rounds by page. seat: from 0. submitted: the probability that
    each label was given, (m,) each; NaN for those to whom it was not offered. facts: numbers that
    were told with the move, or known to all when it was asked, (m,) each, or (m, n - 1) where they
    are about co-players; NaN where a round has none of them. ballots: how many there had been by
    then, of contracts and of mediators, (m,). first_seats: of all agents in the first round, from
    0, (R, N); None if nothing was played.
    """

    replicate: Array
    round: Array
    agent: Array
    seat: Array
    submitted: Mapping[str, Array]
    facts: Mapping[str, Array]
    ballots: Mapping[str, Array]
    first_seats: Array | None

    @classmethod
    def read(cls, pages: Iterable[PageReading]) -> Self:
        """Read all moves, as far as the game has been played."""
        places, submitted, facts, held = LongForm(), LongForm(), LongForm(), LongForm()
        asks, counts, first = list[tuple[Step, Array]](), Counter[str](), None
        for reading in pages:
            for step, present, running in reading.steps():
                if step.sort == "ask":
                    counts[step.kind] += 1
                    if step.kind == MOVE:
                        asks.append((step, asked_agents(step, present & running)))
                elif step.kind == PLAYED and step.sort == "tell":
                    took: Array = present & running
                    seats = asks[-1][0].arrays["own", "seat"] - 1  # of all, whoever was asked
                    first = seats if first is None else first
                    replicate, agent = np.nonzero(took)
                    number = np.full(len(agent), reading.page.number)
                    here = {"replicate": replicate, "agent": agent, "seat": seats[took]}
                    places.add({"round": number, **here})
                    submitted.add(_submitted_probabilities(asks, took))
                    facts.add(_facts([ask for ask, _ in asks], step, took))
                    ballots = {name: np.full(len(agent), counts[BALLOTS[name]]) for name in BALLOTS}
                    held.add(ballots)
                    asks = []
        none = dict.fromkeys(("round", "replicate", "agent", "seat"), np.empty(0, int))
        return cls(
            **{**none, **places.arrays()},
            submitted=submitted.arrays(),
            facts=facts.arrays(),
            ballots=held.arrays(),
            first_seats=first,
        )

    def __len__(self) -> int:
        return len(self.round)

    @property
    def action(self) -> Array:
        """The action of each move as an index among the seat's own, whoever chose it, (m,)."""
        return self.facts.get("action", np.empty(0, int))

    @property
    def earned(self) -> Array:
        """The points of each move times their weight, (m,)."""
        none = np.empty(0)
        earned: Array = self.facts.get("weight", none) * self.facts.get("payoff", none)
        return earned

    @property
    def delegated(self) -> Array:
        """The moves that were left to a mediator, (m,) of bool."""
        flags = self.facts.get("mediator_delegated", np.zeros(len(self)))
        delegated: Array = np.nan_to_num(flags.astype(float)) != 0
        return delegated

    def drawn(self, label: str, actions: Sequence[Sequence[str]]) -> Array:
        """Mark the moves whose draw gave a label, (m,) of bool; delegating is a label of its own.

        actions: labels by seat.
        """
        if label == DELEGATE:
            return self.delegated
        index = np.array([own.index(label) if label in own else -1 for own in actions])
        drawn: Array = ~self.delegated & (self.action == index[self.seat])
        return drawn


def _submitted_probabilities(asks: Sequence[tuple[Step, Array]], took: Array) -> dict[str, Array]:
    """Return the probability of each label that participants submitted, (m,) each."""
    submitted: dict[str, Array] = {}
    for step, whom in asks:
        labels = step.form.removeprefix(_FORM).split("/")
        for label, given in zip(labels, np.moveaxis(step.arrays["answer", ""], -1, 0), strict=True):
            known = submitted.get(label, np.full(took.shape, np.nan))
            submitted[label] = np.where(whom, given, known)
    return {label: values[took] for label, values in submitted.items()}


def _facts(asks: Sequence[Step], played: Step, took: Array) -> dict[str, Array]:
    """Return the facts told with the moves, and those that all knew before, (m, ...) each."""
    known = {
        name: values
        for step in asks
        for (role, name), values in step.arrays.items()
        if role == "common"
    }
    known |= {name: values for (role, name), values in played.arrays.items() if role != "ends"}
    return {
        name: np.broadcast_to(values, (*took.shape, *values.shape[2:]))[took]
        for name, values in known.items()
        if values.ndim == 2 or name in _OF_CO_PLAYERS
    }
