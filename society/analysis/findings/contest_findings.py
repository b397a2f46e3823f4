"""Findings of cross-play: who scored most, who is last, and whether that is sure.

Types that play fixed rules meet as often as they like with the same result: a score then has no
error, and no interval is given. Where repetitions of all matches differ, types are compared by
paired t tests over repetitions (rankings.py), as in the figure of the ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.crossplay import CrossPlay
from society.analysis.crossplay.rankings import FEWEST, Ranking
from society.analysis.crossplay.standings import Contest
from society.analysis.statistics.samples import NotEstimable, has_spread, try_compute
from society.analysis.study.design import StudyDesign
from society.engine.rng import Array
from society.terminal.labels import count_noun
from society.text import shorten

from .statements import Basis, StudyFinding
from .wording import format_decimals, format_value, join_words, shared_decimals

_COOPERATION = "cooperation"
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
    """Say who is first and who last by scores, one row for each repetition of all matches, (S, K).

    NaN: a type without a score there. Places are those of the figure of the ranking.
    """
    there: Array = np.asarray((~np.isnan(runs)).any(0))
    if there.sum() < 2:
        return
    names = [shorten(name, _LONGEST) for name, own in zip(types, there, strict=True) if own]
    runs = runs[:, there]
    ranking, means = Ranking.of(runs), np.nanmean(runs, axis=0)
    order = ranking.order
    decimals = _decimals(runs, means[order])
    scores = [format_decimals(float(mean), decimals) for mean in means]
    tied = list(ranking.leaders) if ranking.tied else [order[0]]
    rest = [one for one in order if one not in tied]
    first = join_words([names[one] for one in tied[:_NAMED]])
    if len(tied) > _NAMED:
        first += f" and {len(tied) - _NAMED} more"
    short = f"{first} tied for the highest score" if ranking.tied else f"{first} scored highest"
    words = [f"{short}, {scores[order[0]]}"]
    place = dict(zip(order, ranking.places, strict=True))
    lowest = [one for one in rest if place[one] == place[order[-1]]]
    middle = [one for one in rest if one not in lowest]
    near = middle[: _NAMED - 1] if len(rest) > _NAMED else middle
    if near:
        follow = join_words([f"{names[one]} {scores[one]}" for one in near])
        words.append(f"then {follow}")
    if lowest:
        last = join_words([names[one] for one in lowest[:_NAMED]])
        more = f" and {len(lowest) - _NAMED} more" if len(lowest) > _NAMED else ""
        words.append(f"{last}{more} lowest, {scores[lowest[-1]]}")
    yield StudyFinding(
        f"{where}{', '.join(words)} (mean over matches and seats; {len(order)} types).",
        Basis("mean scores over matches and seats", len(runs), float(means[order[0]])),
        short=short,
    )
    if not ranking.tied:
        yield _certainty(names, runs, ranking, where)


def _decimals(runs: Array, means: Array) -> int:
    """Count decimals: by the error of scores if there is one, else as the first two need them."""
    spread = runs[:, ~np.isnan(runs).any(0)]
    if len(runs) >= FEWEST and spread.size and has_spread(spread - spread.mean(0)):
        errors = spread.std(0, ddof=1) / np.sqrt(len(spread))
        return max(min(shared_decimals([2 * error for error in errors[errors > 0].tolist()]), 3), 2)
    close = abs(means[0] - means[1])
    return 2 if close >= 0.01 or close == 0 else 3


def _certainty(names: Sequence[str], runs: Array, ranking: Ranking, where: str) -> StudyFinding:
    """Say whether the first place is sure."""
    first, *near = ranking.leaders
    begin = f"{where}{'t' if where else 'T'}he first place"
    if len(runs) > 1 and not np.isnan(runs).any() and not (runs != runs[0]).any():
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
    test = "paired t tests over repetitions, Bonferroni"
    basis = Basis(test, len(runs), None, None, ranking.p)
    tests = f"paired t tests, corrected for {count_noun(len(names) - 1, 'comparison')}"
    if not near:
        return StudyFinding(
            f"{begin} is sure: {names[first]} scored more than every other type over "
            f"{len(runs)} repetitions of all matches ({tests}).",
            basis,
            "effect",
        )
    more = [f"{len(near) - _NAMED} more"] if len(near) > _NAMED else []
    listed = join_words([*(names[one] for one in near[:_NAMED]), *more])
    return StudyFinding(
        f"{begin} is not sure: {names[first]} cannot be told apart from {listed} over "
        f"{len(runs)} repetitions of all matches ({tests}).",
        basis,
        "no effect",
    )


def cooperation_finding(design: StudyDesign) -> Iterator[StudyFinding]:
    """Give the rate of cooperation in all matches, by condition; nothing where none is measured."""
    if _COOPERATION not in design.measured:
        return
    names = [
        f" with {design.panel_title(place, list(design.levels))}" if design.levels else ""
        for place in range(len(design.conditions))
    ]
    known = {
        name: values[~np.isnan(values)]
        for name, values in zip(names, design.values(_COOPERATION), strict=True)
        if not np.isnan(values).all()
    }
    count = sum(map(len, known.values()))
    if not count:
        return
    rates = [f"{format_value(100 * own.mean())} % of moves{name}" for name, own in known.items()]
    left = len(rates) - _MOST_CONTESTS
    more = [f"{left} more in the tables"] if left > 0 else []
    matches = "1 match" if count == 1 else f"{count:,} matches, which differ by who plays"
    yield StudyFinding(
        f"Cooperation averaged {join_words([*rates[:_MOST_CONTESTS], *more])} (mean over "
        f"{matches}: no interval).",
        Basis("mean over matches", count, float(np.concatenate([*known.values()]).mean())),
    )
