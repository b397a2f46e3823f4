"""What makes a run what it is: its spec, but for how models are reached and what may be spent.

And but for designs that a run before it has made, which follow from the rest.
"""

from __future__ import annotations

import json
from hashlib import sha256

from society.models.settings import Limits, ModelSpec
from society.scenario_file import Spec

from .shares import BOUNDS

_REACH = ("api_base", "timeout", "attempts", "backoff", "deadline", *BOUNDS)


def essence(spec: Spec) -> str:
    """The same for two specs if their runs are to come out the same: a SHA-256."""
    models = {name: _unreached(model) for name, model in spec.models.items()}
    bare = spec.model_copy(update={"limits": Limits(), "models": models})
    said = bare.model_dump(mode="json", exclude={"drafts"})
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _unreached(model: ModelSpec) -> ModelSpec:
    usual = ModelSpec()
    return model.model_copy(update={name: getattr(usual, name) for name in _REACH})
