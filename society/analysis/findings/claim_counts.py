"""Findings of a reproduction: how many claims of a paper were reproduced, and which were not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from society.claims.types import ClaimVerdict, VerdictOutcome
from society.text import shorten

from .statements import Basis, StudyFinding
from .wording import join_words

_NAMED = 4  # claims by name in a sentence
_LONGEST = 90  # characters of a claim
_BY_JUDGES = "judges of claims"
_MIXED = "with different outcomes under different readings"


def claim_findings(verdicts: Sequence[ClaimVerdict]) -> list[StudyFinding]:
    """Count claims of the paper by outcome; name them by outcome, in its order.

    A claim that was judged under several readings of the paper counts once.
    """
    outcomes: dict[str, dict[str, None]] = {}
    for one in verdicts:
        if not one.ours:
            outcomes.setdefault(one.bare, {})[one.outcome] = None
    if not outcomes:
        return []
    by_outcome: dict[str, list[str]] = {name: [] for name in (*get_args(VerdictOutcome), _MIXED)}
    for claim, found in outcomes.items():
        by_outcome[next(iter(found)) if len(found) == 1 else _MIXED].append(claim)
    judged = len(outcomes) - len(by_outcome["cannot be told"])
    counted = join_words([f"{len(some)} {outcome}" for outcome, some in by_outcome.items() if some])
    whole = StudyFinding(
        f"{judged} of {len(outcomes)} claims of the paper could be judged: {counted}.",
        Basis(_BY_JUDGES, len(outcomes)),
        short=f"{len(by_outcome['reproduced'])} of {len(outcomes)} claims reproduced",
    )
    return [whole, *(one for name, some in by_outcome.items() for one in _named(name, some))]


def _named(outcome: str, claims: Sequence[str]) -> Iterator[StudyFinding]:
    """Name the first claims of an outcome, and count the others."""
    if not claims:
        return
    names = [f"«{shorten(claim, _LONGEST)}»" for claim in claims[:_NAMED]]
    more = [f"{len(claims) - _NAMED} more"] if len(claims) > _NAMED else []
    begin = outcome[:1].upper() + outcome[1:]
    yield StudyFinding(f"{begin}: {join_words([*names, *more])}.", Basis(_BY_JUDGES, len(claims)))
