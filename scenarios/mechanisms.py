"""Mechanisms: rules laid over a game from outside. Each wraps a play and is a play again.

A scenario file lists them under `mechanisms`, in Python they are called:
replace(fishing_village, play=capped(fishing_village.play, kind="effort", at=0.5)).
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from society.errors import ScenarioError, nearest
from society.replies import Amount
from society.table import Table
from society.talk import Ask, Line, Script
from society.wrap import Play, mechanism, overhear


@mechanism
def capped(play: Play, *, kind: str, at: float) -> Play:
    """An authority lets no answer to the question `kind`, an amount, be above `at`.

    The agents are asked for an amount up to `at`, in the units of the question, and whoever wishes
    for more gets `at`. Raises ScenarioError if the play asks for no such amount.
    """

    @functools.wraps(play)
    def bounded(table: Table) -> Script:
        asked: set[str] = set()

        def limited(said: Line) -> Line:
            if not isinstance(said, Ask):
                return said
            asked.add(said.kind)
            return _below(said, at) if said.kind == kind else said

        result = yield from overhear(play(table), line=limited)
        if kind not in asked:
            raise ScenarioError(
                f"capped: the play never asked {kind!r}, so nothing was capped; "
                f"{nearest(kind, asked)}"
            )
        return result

    return bounded


def _below(ask: Ask, at: float) -> Ask:
    """The same question with `at` as the upper bound."""
    if not isinstance(ask.reply, Amount):
        raise ScenarioError(
            f"capped: {ask.kind!r} asks for {ask.reply.form()}; only an amount can be capped"
        )
    if np.any(ask.reply.low > at):
        raise ScenarioError(
            f"capped: at={at:g} is below the least legal answer to {ask.kind!r}, "
            f"{np.max(ask.reply.low):g}; raise it"
        )
    bound = Amount(ask.reply.low, np.minimum(ask.reply.high, at))
    return dataclasses.replace(ask, reply=bound)
