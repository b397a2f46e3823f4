"""A finding in words: a sentence, and the numbers that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from society.analysis.statistics.samples import Interval

Kind = Literal["trouble", "effect", "no effect", "description"]


@dataclass(frozen=True)
class Basis:
    """The numbers behind a sentence.

    test: by which it was found, or how numbers were taken. n: runs. estimate: in the unit of the
    measure; a difference, a ratio or a mean, as the sentence has it. p: two-sided, adjusted for all
    tests that findings of the same page rest on.
    """

    test: str
    n: int = 0
    estimate: float | None = None
    interval: Interval | None = None
    p: float | None = None


@dataclass(frozen=True)
class StudyFinding:
    """A sentence about a study, to be read on its own.

    kind: an effect is a claimed difference; without one nothing is claimed but what was counted.
    short: the same in a few words, for a title; "" if it is worth none.
    """

    sentence: str
    basis: Basis
    kind: Kind = "description"
    short: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the sentence and its basis, as JSON has them."""
        basis = self.basis
        return {
            "sentence": self.sentence,
            "kind": self.kind,
            "basis": {
                "test": basis.test,
                "n": basis.n,
                "estimate": basis.estimate,
                "interval": list(basis.interval[:2]) if basis.interval else None,
                "p": basis.p,
            },
        }
