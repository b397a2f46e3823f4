"""Fines that end in the village paper's Fig. 2: how we judge what becomes of the village.

Rules of judging
    lasting       survival with fines for good against fines until round 15, paired
    cooperation   after round 15 more catches above an equal share of the sustainable yield
                  (over_use), and fewer within the cap (compliance)
    lake          after round 15 a smaller share of the lake's capacity at the end of rounds (stock)
The paper names neither a measure nor how many rounds it looks at. We take the 5, 10, 20 and 40 that
follow, all of which count: a claim that holds in some windows alone is reproduced in part. Until
round 15 both villages of a pair are the same, so that the same pairs enter it; their means are over
rounds in which both live, since a village that has ended uses nothing.

Our first rule counted over_use in ten rounds alone, and took it for the use of the lake as well:
a sign that turns with the window, for an empty lake yields nothing to over-use. It was replaced on
2026-11-21, after its results were known.

Source: Gupta et al. 2026 (AAMAS), section 4.1, Fig. 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.claims.comparisons import Comparison
from society.claims.types import Claim, Evidence, Finding, noted, ordered, outcome_of
from society.draws import Array

FINES = (10, 14)
SWITCHED_OFF = 15  # round
WINDOWS = (5, 10, 20, 40)  # rounds afterwards

CHANGED = (
    "this rule is of 2026-11-21 and replaces one whose results were known: it counted over-use in "
    "rounds 16 to 25 alone, which changes its sign with the window, as an empty lake yields none"
)


def claims(name: str, under: str) -> Iterator[Claim]:
    """Of Fig. 2, under one set of parameters."""
    yield Claim(
        "1. Fines sustain the village",
        "Fig. 2",
        "With fines it lasts longer than if they end at round 15. Fines of 10 and 14.",
        lambda evidence: ordered(switched_off(evidence, name)),
        under,
    )
    yield Claim(
        "1a. Fifteen rounds of fines are better than none",
        "Ours",
        "Not claimed: fines until round 15 against no fines at all.",
        lambda evidence: ordered(_never(evidence, name)),
        under,
        ours=True,
    )
    yield Claim(
        "1b. Cooperation collapses once fines have ended",
        "Fig. 2",
        "After round 15 it declines rapidly, and faster than with fines.",
        lambda evidence: _in_windows(evidence, name, {"over_use": 1, "compliance": -1}),
        under,
    )
    yield Claim(
        "1c. The lake is used up faster once fines have ended",
        "Fig. 2",
        "After round 15, than with fines.",
        lambda evidence: _in_windows(evidence, name, {"stock": -1}),
        under,
    )


def switched_off(evidence: Evidence, name: str) -> list[Comparison]:
    """Fines for good against fines until round 15, under each fine."""
    return evidence.paired(
        {
            f"fine {fine}: always > until_15": (
                _survival(evidence, name, f"always_{fine}"),
                _survival(evidence, name, f"until_15_{fine}"),
            )
            for fine in FINES
        }
    )


def _never(evidence: Evidence, name: str) -> list[Comparison]:
    never = _survival(evidence, name, "never")
    return evidence.paired(
        {
            f"fine {fine}: until_15 > never": (
                _survival(evidence, name, f"until_15_{fine}"),
                never,
            )
            for fine in FINES
        }
    )


def _in_windows(evidence: Evidence, name: str, signs: dict[str, int]) -> Finding:
    """Whether measures change after round 15 as claimed, whatever the window.

    signs: 1 if a measure is claimed to be larger without fines, -1 if smaller.
    """
    pairs = {}
    for window in WINDOWS:
        for measure, sign in signs.items():
            for fine in FINES:
                ended, fined = _afterwards(evidence, name, measure, fine, window)
                what = f"fine {fine}, {_rounds(window)}, {measure}"
                pairs[f"{what}: {'until_15 > always' if sign > 0 else 'always > until_15'}"] = (
                    (ended, fined) if sign > 0 else (fined, ended)
                )
    compared = evidence.paired(pairs)
    each = len(compared) // len(WINDOWS)
    by_window = [compared[at : at + each] for at in range(0, len(compared), each)]
    return Finding(
        outcome_of(one.holds for one in compared),
        "; ".join(map(str, compared)),
        noted(compared, f"{_by_window(by_window)}; {CHANGED}"),
    )


def _by_window(compared: Sequence[Sequence[Comparison]]) -> str:
    """How the verdict depends on the window."""
    verdicts = {
        _rounds(window): outcome_of(one.holds for one in some)
        for window, some in zip(WINDOWS, compared, strict=True)
    }
    if len(set(verdicts.values())) == 1:
        return "the same in every window"
    words = ", ".join(f"{window} {verdict}" for window, verdict in verdicts.items())
    return f"the verdict depends on the window: {words}"


def _afterwards(
    evidence: Evidence, name: str, measure: str, fine: int, window: int
) -> tuple[Array, Array]:
    """Means over the window, of the village whose fines have ended and of the other; (R,) each."""
    ended, fined = (
        evidence.courses(f"punishment-{name}", measure, {"condition": f"{punishment}_{fine}"})
        for punishment in ("until_15", "always")
    )
    last = SWITCHED_OFF + window
    both = [course[:, SWITCHED_OFF:last] for course in (ended, fined)]
    known = ~(np.isnan(both[0]) | np.isnan(both[1]))
    return _mean(both[0], known), _mean(both[1], known)


def _mean(course: Array, known: Array) -> Array:
    """Over the rounds that are known, (R, T) -> (R,); NaN where there is none."""
    total, count = np.where(known, course, 0).sum(1), known.sum(1)
    mean: Array = np.divide(total, count, out=np.full(len(course), np.nan), where=count > 0)
    return mean


def _rounds(window: int) -> str:
    return f"rounds {SWITCHED_OFF + 1} to {SWITCHED_OFF + window}"


def _survival(evidence: Evidence, name: str, condition: str) -> Array:
    return evidence.runs(f"punishment-{name}", "survival_time", {"condition": condition})
