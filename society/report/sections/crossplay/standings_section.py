"""The section of cross-play: Mean, Fitness and DevRank of types, payoff matrices, selection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from society.analysis.crossplay import Contest, CrossPlay, GameCell
from society.analysis.crossplay.adoption import designs
from society.analysis.study.condition import ConditionRun
from society.report.page import Caveat, Section, SectionPart
from society.report.sections.provenance_section import count_of

from .scores import scores_of_game, scores_over_games, truncation
from .selection_dynamics import payoff_matrices, selection_curves

_LEAD = (
    "Types of agents met each other, and themselves, on all seats. Mean: their average payoff in "
    "all these matches. Fitness: their payoff in the population to which replicator dynamics leads "
    "(1,000 steps at a rate of 0.1 from equal shares); its average is weighted by that population. "
    "DevRank: their rank by deviation ratings (Marris et al. 2025), 1 is best; ties share the "
    "average rank."
)
_MATCHES = (
    "Replicates of these runs are matches, each between other types, and no samples of one "
    "society: intervals and tests of other sections show how matches differ. How certain a number "
    "is, standard errors over runs show here: a run is one repetition of all matches."
)
_SHARED = (
    "Designs were made once, and all repetitions of a match use them: standard errors over "
    "repetitions leave out how much designs differ. Other seeds bring other designs."
)
_NAMED = 6  # seatings in a caveat
_VOID = (
    "Replicates in which an answer could not be read are void, and count nowhere. Where seats "
    "differ, a run that has lost a seating of types that met in another order is left out; if each "
    "run has lost some, all repetitions count as one, without a standard error."
)
_UNFINISHED = (
    "Scores of runs that are not finished are parts of sums, and stand in no table of scores; let "
    "them finish, or resume them."
)
_SUMMARY = (
    "Runs at level summary do not keep the payoffs of agents. Run them with record: full to have "
    "them in the sections on cross-play."
)


def standings_section(of: CrossPlay) -> Section:
    """Score the types; empty if no types have met."""
    met = [contest for contest in of.contests if len(contest.types) > 1]
    summary = [run.name for run in of.study.played if _lacks_payoffs(run)]
    parts: list[SectionPart] = []
    if met or summary:
        parts = [_LEAD, Caveat(_MATCHES), *_caveats(met, summary), *_scores(met)]
    return Section("Cross-play", parts, "crossplay")


def _lacks_payoffs(run: ConditionRun) -> bool:
    manifest = run.manifest
    several = manifest.game is not None and len(manifest.cohorts) > 1
    return several and manifest.level != "full"


def _caveats(met: Sequence[Contest], summary: Sequence[str]) -> Iterator[SectionPart]:
    cells = [cell for contest in met for cell in contest.cells]
    unfinished = [
        f"{cell.run.name} is {cell.run.status}" for cell in cells if cell.run.status != "finished"
    ]
    lost = [words for contest in met if (words := _lost(contest))]
    for words, items in ((_SUMMARY, summary), (_VOID, lost), (_UNFINISHED, unfinished)):
        if items:
            yield Caveat(words, items)
    if any(map(designs, cells)):
        yield _SHARED


def _lost(contest: Contest) -> str:
    """Count void replicates, and name seatings without scores for it; "" if there are none."""
    count = sum(int(cell.void.sum()) for cell in contest.cells)
    if not count:
        return ""
    words = f"{contest.game}, {contest.mechanism}: {count_of(count, 'replicate')}"
    seatings = list(dict.fromkeys(name for cell in contest.cells for name in _void(cell)))
    if not seatings:
        return words
    more = f" and {len(seatings) - _NAMED} more" if len(seatings) > _NAMED else ""
    return f"{words} ({'; '.join(seatings[:_NAMED])}{more})"


def _void(cell: GameCell) -> Iterator[str]:
    """The types in matches that are void, in order of seat; nothing of populations."""
    if cell.matches == 1:
        found = cell.matchups(cell.void)
        for match in found.seats.tolist():
            yield ", ".join(found.types[number] for number in match)


def _scores(met: Sequence[Contest]) -> Iterator[SectionPart]:
    yield from scores_over_games(met)
    yield from truncation(met)
    for game in dict.fromkeys(contest.game for contest in met):
        own = [contest for contest in met if contest.game == game]
        parts = [
            *scores_of_game(game, own),
            *payoff_matrices(game, own),
            *selection_curves(game, own),
        ]
        yield Section(game, parts)
