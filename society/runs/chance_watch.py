"""Notice chance that no seed addresses: a draw from a generator that the whole process shares.

A run that draws from np.random or random cannot be repeated. Both generators are looked at before
the first round and after it; a user's files, which may draw from others, are read as well.
"""

from __future__ import annotations

import random
import warnings

import numpy as np

from society.config.build import Society
from society.config.wiring import is_foreign, source_file
from society.engine.history import Page
from society.engine.mechanism import as_play
from society.errors import WiringWarning


class ChanceWatch:
    """A recorder that warns after the first round if a shared generator has been used."""

    def __init__(self) -> None:
        self._before = _shared_states()

    def page(self, page: Page) -> None:
        if page.number != 1:
            return
        for name, before, after in zip(
            ("np.random", "random"), self._before, _shared_states(), strict=True
        ):
            if before != after:
                warnings.warn(
                    f"something drew from {name} in the first round: chance that the seed does not "
                    "address, so the run cannot be repeated; draw by agents.draws in a component, "
                    "or by env.draws(NAME) in a script",
                    WiringWarning,
                    stacklevel=2,
                )


def chance_watch(setup: Society) -> list[ChanceWatch]:
    """Return a watcher for a society that runs code of the user's, and asks no models.

    Clients of models draw for their own ends; what the files themselves say was said already.
    """
    origin = as_play(setup.scenario.play).origin
    parts = [type(part) for cohort in setup.cast() for part in cohort.components]
    around = [layer.spec.source for layer in setup.scenario.layers]
    files = [source_file(file) for file in setup.files if file.endswith(".py")]
    known = any(file.draws_unaddressed for file in files)
    foreign = any(map(is_foreign, [origin, *parts, *around]))
    return [ChanceWatch()] if foreign and not known and not setup.models_named else []


def _shared_states() -> tuple[str, object]:
    """Return the states of the generators, in a form that is compared by value."""
    state = np.random.get_state(legacy=False)  # noqa: NPY002 (nothing is drawn)
    inner = state["state"]
    return repr((inner["key"].tobytes(), inner["pos"], state["gauss"])), random.getstate()
