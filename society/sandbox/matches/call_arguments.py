"""The arguments with which a program is called, in each of the three interfaces."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from society.sandbox.running.facades import new_history, new_state
from society.sandbox.running.loaded_program import LoadedProgram


class SeenGame(Protocol):
    """The rounds that a player has seen: actions, (r, n), and payoffs, (r, n), its own part first.

    stock has r + 1 entries, that of now the last.
    """

    @property
    def actions(self) -> NDArray[Any]: ...
    @property
    def payoffs(self) -> NDArray[Any]: ...
    @property
    def stock(self) -> NDArray[Any] | None: ...


def call_arguments(program: LoadedProgram, seen: SeenGame, rounds: int) -> tuple[Any, ...]:
    """Return the arguments of a program's call after this number of rounds."""
    if program.interface == "full":
        return _show_full(seen, rounds)
    if program.interface == "society":
        return _show_all(seen, rounds)
    history = new_history(round_number=rounds, **_own(seen, rounds), **_counts(seen, rounds))
    if program.takes_stock and seen.stock is not None:
        return history, float(seen.stock[rounds])
    return (history,)


def _show_full(seen: SeenGame, rounds: int) -> tuple[Any, ...]:
    stock = {} if seen.stock is None else {"current_stock": float(seen.stock[rounds])}
    state = new_state(round_number=rounds, **stock)
    return state, new_history(**_own(seen, rounds), **_others(seen, rounds)) if rounds else None


def _show_all(seen: SeenGame, rounds: int) -> tuple[Any, ...]:
    rows = {**_own(seen, rounds), **_counts(seen, rounds), **_others(seen, rounds)}
    stock = None if seen.stock is None else frozen_copy(seen.stock[: rounds + 1])
    return (new_history(round_number=rounds, stock=stock, **rows),)


_Rows = dict[str, NDArray[Any]]


def _own(seen: SeenGame, rounds: int) -> _Rows:
    return {
        "my_actions": frozen_copy(seen.actions[:rounds, 0]),
        "my_payoffs": frozen_copy(seen.payoffs[:rounds, 0]),
    }


def _counts(seen: SeenGame, rounds: int) -> _Rows:
    counts = seen.actions[:rounds, 1:].sum(-1, dtype=np.int64)
    return {"opponent_cooperators": frozen_copy(counts)}


def _others(seen: SeenGame, rounds: int) -> _Rows:
    return {
        "opponent_actions": frozen_copy(seen.actions[:rounds, 1:]),
        "opponent_payoffs": frozen_copy(seen.payoffs[:rounds, 1:]),
    }


def frozen_copy(values: NDArray[Any]) -> NDArray[Any]:
    """Copy an array, so that nobody can write into it."""
    copy = values.copy()
    copy.flags.writeable = False
    return copy
