"""Findings of cross-play: who scored most, who is last, and whether that is sure.

Types that play fixed rules meet as often as they like with the same result: a score then has no
error, and no interval is given. Where repetitions of all matches differ, types are compared by
paired t tests over repetitions, with Bonferroni's correction for all pairs of types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from society.analysis.crossplay import CrossPlay
from society.analysis.crossplay.standings import Contest
from society.analysis.statistics.contrasts import paired
from society.analysis.statistics.samples import NotEstimable, has_spread, try_compute
from society.engine.rng import Array
from society.terminal.labels import count_noun
from society.text import shorten

from .statements import Basis, StudyFinding
from .wording import FEWEST, format_decimals, join_words, shared_decimals

LEVEL = 0.05
_MOST_CONTESTS = 4
_NAMED = 4
_LONGEST = 60


def contest_findings(cross_play: CrossPlay) -> list[StudyFinding]:
    """Say of each game under a mechanism who scored most; none for games of a single type."""
    contests = [one for one in cross_play.contests if len(one.types) > 1]
    several = len(contests) > 1
    said = [
        finding
        for contest in contests[:_MOST_CONTESTS]
        for finding in _contest(contest, several=several)
    ]
    left = len(contests) - _MOST_CONTESTS
    if left > 0:
        words = count_noun(left, "more game or mechanism") if left == 1 else f"{left} more"
        said.append(
            StudyFinding(
                f"{words} of {len(contests)} games under mechanisms are in the tables.",
                Basis("counted", len(contests)),
            )
        )
    return said


def _contest(contest: Contest, *, several: bool) -> Iterator[StudyFinding]:
    where = f"In {contest.game}, {contest.mechanism}: " if several else ""
    runs = try_compute(_scores, contest)
    if isinstance(runs, NotEstimable):
        yield StudyFinding(f"{where}no scores ({runs}).", Basis("mean scores"))
        return
    yield from rank_types([*contest.types], runs, where)


def _scores(contest: Contest) -> Array:
    """The mean score of each type in each repetition of all matches, (S, K)."""
    known = [try_compute(lambda run: run.mean, run) for run in contest.standings]
    rows = [one for one in known if not isinstance(one, NotEstimable)]
    if not rows:
        return contest.summed("Mean").mean[None, 1:]
    return np.stack(rows)


def rank_types(types: Sequence[str], runs: Array, where: str = "") -> Iterator[StudyFinding]:
    """Rank types by their scores, one row for each repetition of all matches, (S, K).

    NaN: a type without a score there.
    """
    names = [shorten(name, _LONGEST) for name in types]
    counts = (~np.isnan(runs)).sum(0)
    means = np.nansum(runs, 0) / np.where(counts, counts, np.nan)
    order = [int(place) for place in np.argsort(-means, kind="stable") if counts[place]]
    if len(order) < 2:
        return
    decimals = _decimals(runs, means[order])
    scores = {place: format_decimals(float(means[place]), decimals) for place in order}
    tied = [one for one in order if np.isclose(means[one], means[order[0]], rtol=1e-12)]
    rest = [one for one in order if one not in tied]
    first = join_words([names[one] for one in tied[:_NAMED]])
    if len(tied) > _NAMED:
        first += f" and {len(tied) - _NAMED} more"
    short, score = f"{first} scored highest", scores[order[0]]
    if len(tied) > 1:
        short = f"{first} tied for the highest score"
        verb = f"{short}, {score}"
    else:
        verb = f"{first} scored highest, {score}"
    words = [verb]
    near = rest[: _NAMED - 1] if len(rest) > _NAMED else rest[:-1]
    if near:
        follow = join_words([f"{names[one]} {scores[one]}" for one in near])
        words.append(f"then {follow}")
    if rest:
        words.append(f"{names[rest[-1]]} lowest, {scores[rest[-1]]}")
    yield StudyFinding(
        f"{where}{', '.join(words)} (mean over matches and seats; {len(order)} types).",
        Basis("mean scores over matches and seats", len(runs), float(means[order[0]])),
        short=short,
    )
    if len(tied) == 1:
        yield _certainty(names, runs, order, where)


def _decimals(runs: Array, means: Array) -> int:
    """Count decimals: by the error of scores if there is one, else as the first two need them."""
    spread = runs[:, ~np.isnan(runs).any(0)]
    if len(runs) >= FEWEST and spread.size and has_spread(spread - spread.mean(0)):
        errors = spread.std(0, ddof=1) / np.sqrt(len(spread))
        return max(min(shared_decimals([2 * error for error in errors[errors > 0].tolist()]), 3), 2)
    close = abs(means[0] - means[1])
    return 2 if close >= 0.01 or close == 0 else 3


def _certainty(names: Sequence[str], runs: Array, order: Sequence[int], where: str) -> StudyFinding:
    """Say whether the first place is sure."""
    first, test = order[0], "paired t tests over repetitions, Bonferroni"
    begin = f"{where}{'t' if where else 'T'}he first place"
    whole = runs[:, [int(place) for place in order]]
    if len(runs) > 1 and not np.isnan(whole).any() and not (whole != whole[0]).any():
        return StudyFinding(
            f"{begin} is sure: all {len(runs)} repetitions of all matches went the same way.",
            Basis("equal repetitions", len(runs)),
        )
    if len(runs) < FEWEST:
        played = "once" if len(runs) == 1 else f"{len(runs)} times"
        return StudyFinding(
            f"How sure the first place is cannot be told: all matches were played {played}.",
            Basis("counted", len(runs)),
        )
    pairs = len(list(combinations(order, 2)))
    open_, worst = list[int](), 0.0
    for other in order[1:]:
        found = try_compute(paired, runs[:, first], runs[:, other])
        if isinstance(found, NotEstimable):  # always the same difference: it is above zero
            continue
        p = min(found.p * pairs, 1.0)
        worst = max(worst, p)
        if p >= LEVEL or found.difference <= 0:
            open_.append(other)
    basis = Basis(test, len(runs), None, None, worst)
    if not open_:
        return StudyFinding(
            f"{begin} is sure: {names[first]} scored more than every other type over "
            f"{len(runs)} repetitions of all matches (paired t tests, corrected for {pairs} "
            "pairs).",
            basis,
            "effect",
        )
    more = [f"{len(open_) - _NAMED} more"] if len(open_) > _NAMED else []
    listed = join_words([*(names[one] for one in open_[:_NAMED]), *more])
    return StudyFinding(
        f"{begin} is not sure: {names[first]} cannot be told apart from {listed} over "
        f"{len(runs)} repetitions of all matches (paired t tests, corrected for {pairs} pairs).",
        basis,
        "no effect",
    )
