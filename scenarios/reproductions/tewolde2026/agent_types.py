"""The models that a user names, as types of agents in CoopEval's population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def as_types(models: Sequence[str], *, quick: bool) -> Mapping[str, Any]:
    """Each model a type of agent; one alone is two, so that it meets somebody under reputation.

    A quick look has the same types.
    """
    types = {name: name for name in models}
    if len(models) == 1:
        types[f"{models[0]} again"] = models[0]
    return {
        "models": {name: {"model": model, "temperature": 1} for name, model in types.items()},
        "cohorts": [
            {"name": name, "components": [{"language_policy": {"model": name, "thinking": True}}]}
            for name in types
        ],
    }
