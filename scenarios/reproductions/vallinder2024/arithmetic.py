"""The donor paper's game held against arithmetic.

    sums     all runs come to what a pair comes to by arithmetic, to a billionth
    last     the recipient of the last round ends with more than its donor, for shares of 1% to 100%
    most     and that is what a pair comes to if, from the last round backwards, every unit is given
             or kept, whatever is worth more

Source: Vallinder and Hughes 2024, arXiv 2412.10270, sections 3 and 4.1. Sizes and numbers are ours.
"""

from __future__ import annotations

import math

import numpy as np

from society.claims.types import ClaimFinding, outcome_of
from society.errors import ScenarioError
from society.reproduction.claim_samples import Samples
from society.scenarios.donor.pairing import Schedule, refuse_infeasible, round_shift

CEILING = "ceiling"  # the experiment
AGENTS = ROUNDS = 12
ENDOWMENT = 10.0
MULTIPLIERS = (1.5, 2, 3)
SHARES = {"all": 1.0, "half": 0.5}
CLOSE = 1e-9


def constant_share_outcome(multiplier: float, share: float, schedule: Schedule) -> float:
    """Return the mean final resources of a pair that always gives the same share.

    >>> constant_share_outcome(2, 1, "ordered-once"), constant_share_outcome(2, 1, "published")
    (30720.0, 15360.0)
    """
    return sum(constant_share_resources(multiplier, share, schedule)) / 2


def constant_share_resources(multiplier: float, share: float, schedule: Schedule) -> list[float]:
    """Return what both of a pair end with that always gives the same share; last recipient last.

    >>> constant_share_resources(2, 0.5, "ordered-once")
    [211.09375, 576.71875]
    """
    held = [ENDOWMENT, ENDOWMENT]
    for first_gives in _turns(schedule):
        donor, recipient = (0, 1) if first_gives else (1, 0)
        gift = share * held[donor]
        held[donor] -= gift
        held[recipient] += multiplier * gift
    return held if first_gives else held[::-1]


def most_attainable(multiplier: float, schedule: Schedule) -> float:
    """Return the largest mean final resources of a pair, if units go where they are worth most.

    >>> [most_attainable(2, schedule) for schedule in ("ordered-once", "published")]
    [30720.0, 15360.0]
    >>> most_attainable(0.5, "ordered-once")
    10.0
    """
    worth = [1.0, 1.0]  # of a unit of either's, at the end
    for first_gives in reversed(_turns(schedule)):
        donor, recipient = (0, 1) if first_gives else (1, 0)
        worth[donor] = max(worth[donor], multiplier * worth[recipient])
    return ENDOWMENT * sum(worth) / 2


def _turns(schedule: Schedule) -> list[bool]:
    """Tell whether the first half gives, round by round."""
    return [round_shift(schedule, number, AGENTS // 2)[1] for number in range(1, ROUNDS + 1)]


def giving_all_is_most(samples: Samples) -> ClaimFinding:
    """Does giving all come to its sum, and no other way of giving to more?"""
    found = agrees_with_arithmetic(samples, given="all", schedule="ordered-once")
    parts, words = [found.outcome == "reproduced"], list[str]()
    for multiplier in MULTIPLIERS:
        highest = most_attainable(multiplier, "ordered-once")
        all_given = constant_share_outcome(multiplier, 1, "ordered-once")
        parts.append(math.isclose(highest, all_given, rel_tol=CLOSE))
        words.append(f"{highest:,.1f}")
    return ClaimFinding(outcome_of(parts), f"{found.found}; at most {', '.join(words)}")


def agrees_with_arithmetic(samples: Samples, *, given: str, schedule: Schedule) -> ClaimFinding:
    """Do all runs come to what a pair comes to by arithmetic?"""
    parts, words = list[bool | None](), list[str]()
    for multiplier in MULTIPLIERS:
        levels = {"multiplier": multiplier, "given": given, "schedule": schedule}
        found = samples.evidence.runs(CEILING, "final_resources", levels)
        due = constant_share_outcome(multiplier, SHARES[given], schedule)
        parts.append(bool(np.allclose(found, due, rtol=CLOSE, atol=0)))
        words.append(f"multiplier {multiplier}: {found.mean():,.1f}, by arithmetic {due:,.1f}")
    return ClaimFinding(outcome_of(parts), "; ".join(words))


def last_recipients_richer() -> ClaimFinding:
    """Is the recipient of the last round richer, whatever share all give?"""
    parts, words = list[bool | None](), list[str]()
    for multiplier in MULTIPLIERS:
        ends = [
            constant_share_resources(multiplier, percent / 100, "ordered-once")
            for percent in range(1, 101)
        ]
        richer = sum(recipient > donor for donor, recipient in ends)
        parts.append(richer == len(ends))
        donor, recipient = ends[49]
        words.append(f"multiplier {multiplier}: {richer} (half: {donor:,.1f}, {recipient:,.1f})")
    return ClaimFinding(
        outcome_of(parts),
        f"of 100 shares, from 1% to 100%, the last recipient is richer in: {'; '.join(words)}",
        "who gives last in one game receives last in the other one: both have the same mean",
    )


def no_pair_twice() -> ClaimFinding:
    """Is there a schedule of twelve rounds in which no agent faces another twice?"""
    try:
        refuse_infeasible("no-repeat", AGENTS, ROUNDS)
    except ScenarioError as error:
        return ClaimFinding(
            "not reproduced", str(error), "it cannot be played; see above for our pairs"
        )
    return ClaimFinding("reproduced", "such a schedule was found")
