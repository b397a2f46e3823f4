"""Rules that every society must keep: ways to play it otherwise that may change nothing.

A batch of replicates equals each alone; splitting a cohort, asking twice and playing from recorded
answers change no bit of what is told, kept and measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from society.engine.action_spaces import (
    Choice,
    Integer,
    MixedStrategy,
    Neighbour,
    Real,
    Text,
    Value,
    fields,
)
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.history import Page
from society.engine.population import Cast, Cohort, Population, Raw
from society.engine.rng import Array
from society.engine.script import Ask


class BrokenRule(AssertionError):
    """A society does not keep a rule that all must keep."""


class ExactArray(NamedTuple):
    """An array as it was kept, to the last bit."""

    dtype: str
    shape: tuple[int, ...]
    content: Any


def exact_array(values: Array) -> ExactArray:
    """Return an array as it is kept."""
    content = values.tolist() if values.dtype.kind in "OU" else values.tobytes()
    return ExactArray(values.dtype.str, values.shape, content)


def page_arrays(page: Page) -> dict[Any, Array]:
    """Return everything that a page keeps."""
    return {
        **{
            (place, *key): a
            for place, step in enumerate((*page.steps, *page.asides))
            for key, a in step.arrays.items()
        },
        **{("public", name): values for name, values in page.public.items()},
        **{("measure", name): values for name, values in page.measures.items()},
        "present": page.present,
        "running": page.running,
    }


def replicate_record(page: Page, replicate: int | slice) -> Any:
    """Return what one replicate keeps of a page."""
    lines = [(step.sort, step.kind, step.form) for step in (*page.steps, *page.asides)]
    own = {key: exact_array(values[replicate]) for key, values in page_arrays(page).items()}
    return page.number, page.path, lines, own


def exact_record(pages: Iterable[Page]) -> Any:
    """Return what all replicates keep."""
    return [replicate_record(page, slice(None)) for page in pages]


def split_cohorts(cast: Cast, shape: tuple[int, int], here: Array) -> Cast:
    """Split each cohort in two: its rows in a mask, and the others."""
    halves = []
    first = 0
    for cohort in cast:
        seats = np.arange(shape[1])
        mask = (seats >= first) & (seats < first + cohort.count)
        mask = np.broadcast_to(mask if cohort.where is None else cohort.where, shape)
        first += cohort.count
        for name, half in (("these", mask & here), ("those", mask & ~here)):
            count = int(half[0].sum())
            halves.append(Cohort(f"{cohort.name} {name}", count, cohort.components, half))
    return halves


def legal_answers(reply: Value, values: Array, env: Environment) -> Any:
    """Mark legal answers, (R, N) of bool."""
    if isinstance(reply, Real | Integer):
        unstated = np.isnan(values) & getattr(reply, "optional", False)
        return unstated | (reply.low <= values) & (values <= reply.high)
    if isinstance(reply, Choice):
        is_open = reply.open.repeat(len(values) // len(reply.open), axis=0)
        return np.take_along_axis(is_open, values, 1)
    if isinstance(reply, Neighbour):
        legal = values == NOBODY
        for replicate, seat in np.argwhere(~legal):
            peer = values[replicate, seat]
            near = env.graph(reply.graph).neighbours(replicate, seat)
            legal[replicate, seat] = peer in near and env.present[replicate, peer]
        return legal
    if isinstance(reply, MixedStrategy):
        return np.isclose(values.sum(-1), 1, atol=1e-12) & (values >= 0).all(-1)
    assert isinstance(reply, Text)
    return np.frompyfunc(len, 1, 1)(values) <= reply.limit


class WithinBounds(Population):
    """Agents whose answers must be within the bounds before anything is cut to them."""

    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw:
        raw = await super().answer(ask, asked, use)
        here = self.env.active if asked is None else asked
        for name, reply in fields(ask.reply).items():
            bounded = isinstance(reply, Real | Integer)
            if bounded and not legal_answers(reply, raw.values[name], self.env)[here].all():
                raise BrokenRule(f"{ask.kind!r} is answered outside its bounds")
        return raw


class AskedApart(Population):
    """Agents of whom each cohort is asked by itself, also where some are alike."""

    def _pool(self) -> None:
        """Join nothing."""


class AskedTwice(Population):
    """Agents who are asked everything twice; nothing may change."""

    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw:
        before, times = self.columns(), dict(self.context.asked)
        first = await super().answer(ask, asked, use)
        self.context.asked = times  # it is the same question, and not the next one of its kind
        second = await super().answer(ask, asked, use)
        if self.columns() != before:
            raise BrokenRule(f"answering {ask.kind!r} changes columns")
        for name, values in first.values.items():
            again = exact_array(second.values[name])
            if again != exact_array(values):
                raise BrokenRule(f"{ask.kind!r} is answered differently the second time")
        return second

    def columns(self) -> list[dict[str, ExactArray]]:
        return [
            {name: exact_array(values) for name, values in members.values.items()}
            for members in self.states
        ]
