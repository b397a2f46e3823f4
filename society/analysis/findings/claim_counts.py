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


def claim_findings(verdicts: Sequence[ClaimVerdict]) -> list[StudyFinding]:
    """Count the outcomes; name claims by outcome, in the order of the paper."""
    if not verdicts:
        return []
    own = {
        outcome: [one for one in verdicts if one.outcome == outcome]
        for outcome in get_args(VerdictOutcome)
    }
    judged = len(verdicts) - len(own["cannot be told"])
    counted = join_words([f"{len(some)} {outcome}" for outcome, some in own.items() if some])
    whole = StudyFinding(
        f"{judged} of {len(verdicts)} claims could be judged: {counted}.",
        Basis(_BY_JUDGES, len(verdicts)),
        short=f"{len(own['reproduced'])} of {len(verdicts)} claims reproduced",
    )
    return [whole, *(one for outcome, some in own.items() for one in _named(outcome, some))]


def _named(outcome: str, claims: Sequence[ClaimVerdict]) -> Iterator[StudyFinding]:
    """Name the first claims of an outcome, and count the others."""
    if not claims:
        return
    names = [f"«{shorten(one.claim, _LONGEST)}»" for one in claims[:_NAMED]]
    more = [f"{len(claims) - _NAMED} more"] if len(claims) > _NAMED else []
    begin = outcome[:1].upper() + outcome[1:]
    yield StudyFinding(f"{begin}: {join_words([*names, *more])}.", Basis(_BY_JUDGES, len(claims)))
