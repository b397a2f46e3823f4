"""Runs in which most answers of language models are fallbacks: they tell little about a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from society.engine.calls import Usage

_FEW = 10  # answers; fewer say little
_MOST = 0.5  # of the answers, unless the limit max_fallbacks says otherwise


class CountedAnswers(NamedTuple):
    """Answers that language models were asked for, and those that could not be read in the end."""

    asked: int
    fallbacks: int

    @classmethod
    def of(cls, ledger: Iterable[Usage]) -> CountedAnswers:
        """Count answers: calls that only repeat a question are no further ones.

        >>> CountedAnswers.of([Usage("language_policy", "effort", "m", calls=14, repairs=4)])
        CountedAnswers(asked=10, fallbacks=0)
        """
        entries = [entry for entry in ledger if entry.model]
        again = sum(entry.repairs + entry.cut + entry.shortened for entry in entries)
        asked = sum(entry.calls for entry in entries) - again
        return cls(asked, sum(entry.fallbacks for entry in entries))


def describe_fallbacks(ledger: Iterable[Usage], most: float | None = None) -> str:
    """Say how many answers of models are fallbacks, if these are too many; else "".

    most: the share that they may be, one half if it is not given.

    >>> asked = Usage("language_policy", "effort", "m", calls=14, repairs=4, fallbacks=6)
    >>> describe_fallbacks([asked]), describe_fallbacks([asked], 0.6)
    ('6 of 10 answers of language models could not be read', '')
    """
    asked, fallbacks = CountedAnswers.of(ledger)
    if asked < _FEW or fallbacks <= (most or _MOST) * asked:
        return ""
    return f"{fallbacks} of {asked} answers of language models could not be read"
