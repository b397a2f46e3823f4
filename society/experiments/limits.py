"""Shares of limits, for runs on a cluster, which cannot see what the others use.

On a cluster every job gets its part of the limits of the whole sweep, and of what each of its
models can bear, so that all jobs together never exceed them, however many workers come and go.
"""

from __future__ import annotations

from collections.abc import Iterable

from society.config.run_config import RunConfig
from society.engine.calls import Spent
from society.llm.providers.settings import Limits, ModelSpec
from society.runs.provenance import BOUNDS


def share_of_limits(limits: Limits, used: Spent, own: Spent, among: int) -> Limits | None:
    """Divide what is left of limits, and add what this run has used; None if nothing is left.

    used: by all runs so far. own: by this one. among: runs that are still to be played.

    >>> limits, used = Limits(max_calls=100), Spent(calls=40)
    >>> share_of_limits(limits, used, own=Spent(calls=10), among=3).max_calls
    30
    """
    shares: dict[str, float] = {}
    for name, all_used, own_used in zip(
        ("max_calls", "max_tokens", "max_cost"), used, own, strict=True
    ):
        limit = getattr(limits, name)
        if limit is None:
            continue
        if all_used is None or own_used is None:  # nobody knows what is left
            return None
        left = (limit - all_used) / among
        part = left if name == "max_cost" else int(left)
        if part <= 0:
            return None
        shares[name] = part + own_used
    return Limits(**shares, max_fallbacks=limits.max_fallbacks)


def max_at_once(specs: Iterable[RunConfig], slots: int) -> int:
    """Count the runs that can be played at once if each needs a part of every rate limit."""
    bounds = [
        bound for spec in specs for model in _models(spec).values() for bound in _of(model).values()
    ]
    return min([slots, *bounds])


def divide_rate_limits(spec: RunConfig, among: int) -> RunConfig:
    """Divide the rate limits of each model: a provider counts all workers together."""
    models = {
        name: model.model_copy(update={bound: most // among for bound, most in _of(model).items()})
        for name, model in _models(spec).items()
    }
    return spec.model_copy(update={"models": models})


def _models(spec: RunConfig) -> dict[str, ModelSpec]:
    return {"default": ModelSpec()} | spec.models


def _of(model: ModelSpec) -> dict[str, int]:
    given = {name: getattr(model, name) for name in BOUNDS}
    return {name: bound for name, bound in given.items() if bound is not None}
