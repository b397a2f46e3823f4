"""The rounds of games in normal form, read off the lines of a run.

A round is a question `move`, or several where seats have different actions or groups different
rules, and the tell `played` that follows them, on whatever page: mixed strategies, actions drawn
from them, points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.draws import Array
from society.history import Page, Step
from society.replies import Mix
from society.theatre.scene import opened

MOVE, PLAYED, DELEGATE = "move", "played", "delegate"
BALLOTS = {"contract": "approve_contracts", "mediator": "approve_mediators"}  # by what is voted on
_FORM = f"{Mix.code} over "


class Round(NamedTuple):
    """What everybody did in one round; R replicates, N agents, games of n players.

    number: of the page. took: who took part, (R, N) of bool. submitted: the probability that each
    label was given, (R, N) each, NaN for those to whom it was not offered. seat: from 0. action:
    index among the own seat's actions, whoever chose it. others: of the co-players, (R, N, n - 1).
    facts: all that was told with it, (R, N, ...) or, of whole replicates, (R, 1, ...), and what all
    knew when they were asked. ballots: how many there have been by then, of contracts and of
    mediators.
    """

    number: int
    took: Array
    submitted: Mapping[str, Array]
    seat: Array
    action: Array
    others: Array
    facts: Mapping[str, Array]
    ballots: Mapping[str, int]

    @property
    def earned(self) -> Array:
        """Weighted points, (R, N); NaN where nobody took part."""
        earned: Array = self.facts["weight"] * self.facts["payoff"]
        return np.where(self.took, earned, np.nan)

    def drawn(self, label: str, actions: tuple[tuple[str, ...], ...]) -> Array:
        """Whose draw came out so, (R, N) of bool: delegating is what it was, whatever came of it.

        actions: labels by seat.
        """
        delegated = self.delegated
        if label == DELEGATE:
            return self.took & delegated
        index = np.array([own.index(label) if label in own else -1 for own in actions])
        drawn: Array = self.took & ~delegated & (self.action == index[self.seat])
        return drawn

    @property
    def delegated(self) -> Array:
        """Who left the action to a mediator, (R, N) of bool."""
        told = self.facts.get("mediator_delegated", np.False_)
        return np.broadcast_to(np.asarray(told, bool), self.took.shape)


def rounds(pages: Iterable[Page]) -> Iterator[Round]:
    """Every round, in order."""
    before = None
    asked: list[tuple[Step, Array]] = []
    held: Counter[str] = Counter()
    for page in pages:
        there = _There(*opened(page, before))
        for step in page.steps:
            if step.sort == "ask":
                held[step.kind] += 1
                if step.kind == MOVE:
                    asked.append((step, there.asked(step)))
            elif step.kind == PLAYED and step.sort == "tell":
                ballots = {sort: held[kind] for sort, kind in BALLOTS.items()}
                yield _round(page.number, asked, step, there.active, ballots)
                asked = []
            there.follow(step)
        before = page


class _There:
    """Who is there while a page is read: present, (R, N), in replicates that run, (R, 1)."""

    def __init__(self, present: Array, running: Array) -> None:
        self._present, self._running = present, running

    @property
    def active(self) -> Array:
        return self._present & self._running

    def asked(self, step: Step) -> Array:
        """Those of them whom a question goes to."""
        asked: Array = self.active & step.arrays.get(("who", ""), np.True_)
        return asked

    def follow(self, step: Step) -> None:
        """Some leave, some come back, some replicates end."""
        said = step.arrays
        self._present = self._present & ~said.get(("gone", ""), np.False_)
        self._present = self._present | said.get(("back", ""), np.False_)
        for role in ("ends", "void"):
            self._running = self._running & ~said.get((role, ""), np.False_)


def _round(
    number: int,
    asked: Sequence[tuple[Step, Array]],
    told: Step,
    active: Array,
    ballots: Mapping[str, int],
) -> Round:
    submitted: dict[str, Array] = {}
    for step, whom in asked:
        labels = step.form.removeprefix(_FORM).split("/")
        for label, given in zip(labels, np.moveaxis(step.arrays["answer", ""], -1, 0), strict=True):
            known = submitted.get(label, np.full(active.shape, np.nan))
            submitted[label] = np.where(whom, given, known)
    facts = {name: said for step, _ in asked for name, said in _common(step)}
    facts |= {name: values for (role, name), values in told.arrays.items() if role != "ends"}
    seat = asked[-1][0].arrays["own", "seat"] - 1  # of all, whoever was asked
    return Round(number, active, submitted, seat, facts["action"], facts["others"], facts, ballots)


def _common(step: Step) -> Iterator[tuple[str, Array]]:
    """What a question says to all."""
    return ((name, said) for (role, name), said in step.arrays.items() if role == "common")
