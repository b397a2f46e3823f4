"""Names of the matches of a tournament, by the types that meet: patient-rogue, seat by seat.

A match is a replicate, and all matches of a repetition come before those of the next one.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import NamedTuple

import numpy as np

from society.errors import InputError, suggest

from .manifest import Manifest

_MOST_SEATS = 4  # of which all orders are tried


class MatchName(NamedTuple):
    """One match: the types on its seats, and its repetition of all `repetitions`, from 1."""

    types: tuple[str, ...]
    repetition: int
    repetitions: int

    @property
    def key(self) -> str:
        """The name by which it is asked for, without its repetition."""
        return "-".join(self.types)

    def words(self) -> str:
        """Name the match for a reader: "patient against rogue, repetition 2 of 5"."""
        who = " against ".join(self.types)
        if len(self.types) > 2:
            counts = Counter(self.types)
            who = " and ".join(f"{count} {name}" for name, count in counts.items())
        which = f", repetition {self.repetition} of {self.repetitions}"
        return who + (which if self.repetitions > 1 else "")


class MatchNames:
    """The matches of a run in which each replicate is a match of types."""

    def __init__(self, manifest: Manifest) -> None:
        self._types, self._replicates = manifest.types, manifest.replicates
        self._cohorts = [cohort.name for cohort in manifest.cohorts]

    def __getitem__(self, replicate: int) -> MatchName:
        period = len(self._types)
        types = tuple(self._cohorts[number] for number in self._types[replicate % period].tolist())
        return MatchName(types, replicate // period + 1, -(-self._replicates // period))

    @property
    def seatings(self) -> list[MatchName]:
        """The matches of the first repetition, by replicate."""
        return [self[replicate] for replicate in range(len(self._types))]

    def find(self, asked: str) -> int:
        """Return the replicate of a match: patient-rogue, or its repetition patient-rogue:2.

        If types have not met on these seats, they are looked for on others. Raises InputError.
        """
        name, colon, number = asked.rpartition(":")
        if not colon or not number.isdecimal():
            name, number = asked, "1"
        keys = {match.key: replicate for replicate, match in enumerate(self.seatings)}
        at = next((keys[one] for one in self._orders(name) if one in keys), None)
        if at is None:
            strange = [part for part in name.split("-") if part not in self._cohorts]
            hint = suggest(strange[0], self._cohorts) if strange else suggest(name, keys)
            raise InputError(f"no match is called {name!r}; {hint}")
        repetitions = self[at].repetitions
        if not 1 <= int(number) <= repetitions:
            raise InputError(
                f"there is no repetition {number} of {name}; give a number from 1 to {repetitions}"
            )
        return at + (int(number) - 1) * len(self._types)

    def _orders(self, name: str) -> list[str]:
        """Return a name with its types as they stand, then in other orders."""
        parts = name.split("-")
        if len(parts) > _MOST_SEATS:
            return [name]
        return list(dict.fromkeys([name, *("-".join(one) for one in permutations(parts))]))


def has_matches(manifest: Manifest) -> bool:
    """Check if each replicate is one match among types, on seats that are all taken."""
    return (
        manifest.game is not None
        and len(manifest.cohorts) > 1
        and bool(manifest.seating)
        and manifest.agents == manifest.game.players
        and bool(np.all(manifest.types >= 0))
    )
