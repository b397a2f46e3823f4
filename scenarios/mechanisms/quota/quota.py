"""A cap: an authority lets no answer to one question be above a bound.

In Python: replace(fishing_village, play=quota(fishing_village.play, kind="effort", at=0.5)).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from society.engine.action_spaces import Real
from society.engine.environment import Environment
from society.engine.mechanism import Play, PlayFunction, intercept, questions
from society.engine.scenario import mechanism
from society.engine.script import Ask, Line, Script
from society.errors import ScenarioError, suggest


@mechanism(chance_id="capped")
def quota(play: Play, *, kind: str, at: float) -> PlayFunction:
    """No answer to the question `kind`, an amount, may be above `at`.

    The agents are asked for an amount up to `at`, in the units of the question, and whoever wishes
    for more gets `at`. Raises ScenarioError, before the first line, if the play asks for no such
    amount.
    """

    def bounded(env: Environment) -> Script:
        _find(kind, play, env)

        def limited(line: Line) -> Line:
            return _below(line, at) if isinstance(line, Ask) and line.kind == kind else line

        return intercept(play(env), line=limited)

    return bounded


def _find(kind: str, play: Play, env: Environment) -> None:
    """Raise ScenarioError unless the play asks `kind` for an amount."""
    others = set()
    for ask in questions(play, env):
        if ask.kind == kind:
            _amount(ask)
            return
        others.add(ask.kind)
    raise ScenarioError(f"quota: the play never asks {kind!r}; {suggest(kind, others)}")


def _amount(ask: Ask) -> Real:
    if not isinstance(ask.reply, Real):
        raise ScenarioError(
            f"quota: {ask.kind!r} asks for {ask.reply.form()}; only an amount can be capped"
        )
    return ask.reply


def _below(ask: Ask, at: float) -> Ask:
    """The same question with `at` as the upper bound."""
    amount = _amount(ask)
    if np.any(amount.low > at):
        raise ScenarioError(
            f"quota: at={at:g} is below the least legal answer to {ask.kind!r}, "
            f"{np.max(amount.low):g}; raise it"
        )
    lower = dataclasses.replace(amount, high=np.minimum(amount.high, at))
    return dataclasses.replace(ask, reply=lower)
