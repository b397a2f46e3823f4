"""Keys of the part of a history that decides a move.

Two seats of one program with equal keys get the same move, now and, as long as they see the same,
in all later rounds. Keys of many seats are packed at once: a row of a structured array each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from society.sandbox.matches.match_record import MatchRecord, has_exact_sums
from society.sandbox.source.sufficient_history import EVERY_ROUND, SufficientHistory
from society.sandbox.stage_games import StageGame

# What is kept of each round: how many opponents cooperated, the own move and payoff, and which
# opponents cooperated (as a set, in bits).
KEPT = ("counts", "moves", "payoffs", "sets")
# For each program: rounds up to which their number matters, the lengths of tails and heads, and
# whether (0 or 1) the bag of counts, sums, and the stock are part of its key.
PART_FIELDS = np.dtype(
    [
        ("rounds", np.int64),
        *((f"tail_{name}", np.int64) for name in KEPT),
        *((f"head_{name}", np.int64) for name in KEPT),
        *((name, np.int64) for name in ("bag", "sum_counts", "sum_moves", "sum_payoffs", "stock")),
    ]
)
_SUMS = {
    "my_actions": "sum_moves",
    "my_payoffs": "sum_payoffs",
    "opponent_actions": "sum_counts",
    "opponent_cooperators": "sum_counts",
}
_KEPT_OF = {
    "my_actions": ("moves",),
    "opponent_actions": ("sets",),
    "opponent_cooperators": ("counts",),
}
_PAYOFFS = ("my_payoffs", "opponent_payoffs")


def key_part(found: SufficientHistory, game: StageGame) -> NDArray[Any] | None:
    """Return which fields of a key a program needs, a row of PART_FIELDS; None if it needs all."""
    part = np.zeros((), PART_FIELDS)
    if found.whole or ("my_payoffs" in found.sums and not has_exact_sums(game)):
        return None
    stock = game.first_stock is not None
    if stock and "opponent_payoffs" in (*found.tails, *found.heads):
        return None
    part["rounds"] = min(found.rounds, EVERY_ROUND)
    # A key and what is seen next must give the next key; payoffs follow from the stock.
    part["stock"] = stock and (found.stock or bool({*_PAYOFFS} & {*found.tails, *found.heads}))
    for side, lengths in (("tail", found.tails), ("head", found.heads)):
        for attribute, length in lengths.items():
            for name in _kept(attribute, stock=stock):
                part[f"{side}_{name}"] = max(part[f"{side}_{name}"], length)
    for attribute in found.sums:
        part[_SUMS[attribute]] = 1
    part["bag"] = "opponent_cooperators" in found.bags
    part["sum_moves"] |= "my_actions" in found.bags
    return part


def _kept(attribute: str, *, stock: bool) -> tuple[str, ...]:
    """Return what must be kept of a round so that an attribute of the history follows from it."""
    if attribute == "my_payoffs":
        return ("payoffs",) if stock else ("counts", "moves")
    return ("sets", "moves") if attribute == "opponent_payoffs" else _KEPT_OF[attribute]


class HistoryKeys:
    """Packs the keys of one game. Fields that are often zero come last and take no room."""

    def __init__(self, game: StageGame) -> None:
        small, rounds = np.min_scalar_type(game.players), game.rounds
        self._stock = game.first_stock is not None
        fields: list[Any] = [("owner", np.int32), ("state", np.int32)]
        fields += [("rounds", np.int32), ("errors", np.int8)]
        fields += [(name, np.int32) for name in ("sum_counts", "sum_moves")]
        fields += [(name, np.float64) for name in ("sum_payoffs", "stock")]
        for side in ("tail", "head"):
            fields += [(side, small, (rounds, 2)), (f"{side}_sets", np.uint8, (rounds,))]
        fields += [("bag", small, (rounds,))]
        if self._stock:
            fields += [(f"{side}_payoffs", np.float64, (rounds,)) for side in ("tail", "head")]
        self._dtype = np.dtype(fields)

    def pack(
        self,
        record: MatchRecord,
        seats: NDArray[Any],
        number: int,
        parts: NDArray[Any],
        owners: NDArray[Any],
        states: NDArray[Any],
        errors: NDArray[Any],
    ) -> list[bytes]:
        """Pack the key of each seat before round `number`; parts: a row of PART_FIELDS each."""
        keys = np.zeros(len(seats), self._dtype)
        keys["owner"], keys["state"], keys["errors"] = owners, states, errors
        keys["rounds"] = np.minimum(number, parts["rounds"])
        kept = record.kept(seats, number)
        for name, values in kept.items():
            for side in ("tail", "head"):
                self._add_rounds(keys, side, name, values, parts[f"{side}_{name}"])
        for name, total in (("counts", "counts"), ("moves", "moves")):
            wanted = parts[f"sum_{name}"]
            if wanted.any():
                keys[f"sum_{name}"] = kept[total].sum(1) * wanted
        if parts["sum_payoffs"].any():
            keys["sum_payoffs"] = record.my_payoffs[seats, :number].sum(1) * parts["sum_payoffs"]
        if self._stock:
            keys["stock"] = record.stock_of(seats, number) * parts["stock"]
        if parts["bag"].any():
            bags = np.flatnonzero(parts["bag"])
            keys["bag"][bags, :number] = np.sort(kept["counts"][bags])[:, ::-1]
        text: list[bytes] = keys.view(f"S{self._dtype.itemsize}").tolist()
        return text

    def _add_rounds(
        self, keys: NDArray[Any], side: str, name: str, values: NDArray[Any], lengths: NDArray[Any]
    ) -> None:
        longest = min(int(lengths.max(initial=0)), values.shape[1])
        if not longest:
            return
        some = values[:, ::-1][:, :longest] if side == "tail" else values[:, :longest]
        some = some * (np.arange(longest) < lengths[:, None])
        if name in ("counts", "moves"):
            keys[side][:, :longest, int(name == "moves")] = some
        else:
            keys[f"{side}_{name}"][:, :longest] = some
