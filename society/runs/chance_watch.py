"""Notice chance that no seed addresses: a draw from a generator that the whole process shares.

A run that draws from np.random or random cannot be repeated. A user's files are read before the
run (society.config.source_look); what reading does not show is noticed here, by the states of both
generators. Clients of models draw from random for their own ends, so that beside them it says
nothing, and np.random alone is looked at.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable

import numpy as np

from society.config.build import Society
from society.config.hook_checks import is_foreign, source_file
from society.engine.history import Page
from society.errors import WiringWarning


class ChanceWatch:
    """A recorder that warns, once for each, if a shared generator has been used.

    It looks after rounds 0, 1, 2, 4, 8 and so on, so that long runs are not slowed down.
    """

    def __init__(self, *, clients: bool = False) -> None:
        """clients: whether clients of models play along."""
        states: dict[str, Callable[[], object]] = {"np.random": _numpy_state}
        if not clients:
            states["random"] = random.getstate
        self._states = states
        self._before = {name: state() for name, state in states.items()}

    def page(self, page: Page) -> None:
        if page.number & (page.number - 1):
            return
        for name in self.drawn():
            warnings.warn(
                f"something has drawn from {name} up to round {page.number}: chance that the seed "
                "does not address, so the run cannot be repeated; draw by agents.draws in a "
                "component, or by env.draws(NAME) in a script",
                WiringWarning,
                stacklevel=2,
            )

    def drawn(self) -> list[str]:
        """Return the generators that were used since this was made, each once."""
        drawn = [name for name, state in self._states.items() if state() != self._before[name]]
        for name in drawn:
            del self._states[name]
        return drawn


def chance_watch(setup: Society) -> list[ChanceWatch]:
    """Return a watcher for a society that runs code of the user's.

    What the files themselves say was said already.
    """
    if unaddressed_files(setup) or not any(map(is_foreign, setup.code)):
        return []
    return [ChanceWatch(clients=setup.has_clients)]


def unaddressed_files(setup: Society) -> list[str]:
    """Return the user's files that say themselves that they draw chance without an address."""
    files = (file for file in setup.files if file.endswith(".py"))
    return [file for file in files if source_file(file).draws_unaddressed]


def _numpy_state() -> object:
    """Return the state of numpy's generator, in a form that is compared by value."""
    state = np.random.get_state(legacy=False)  # noqa: NPY002 (nothing is drawn)
    inner = state["state"]
    return inner["key"].tobytes(), inner["pos"], state["gauss"]
