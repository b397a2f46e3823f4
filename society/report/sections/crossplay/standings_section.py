"""The section of cross-play: Mean, Fitness and DevRank of types, payoff matrices, selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from society.analysis.crossplay import Contest, CrossPlay, GameCell
from society.analysis.crossplay.adoption import designs
from society.analysis.study.condition import ConditionRun
from society.report.figures.type_colours import TypeStyle
from society.report.page import Caveat, Section, SectionPart
from society.report.sections.provenance_section import count_of

from .payoffs import payoff_table, ranking_figure
from .scores import scores_of_game, scores_over_games, truncation
from .selection_dynamics import selection_figures

_LEAD = (
    "Types of agents met each other, and themselves, in all seats. Mean: average payoff of a "
    "type in all these matches. Fitness: its payoff in the population to which replicator "
    "dynamics leads (1,000 steps at a rate of 0.1 from equal shares); the average over types is "
    "weighted by that population. DevRank: its rank by deviation ratings (Marris et al. 2025); 1 "
    "is best, and ties share the average rank. {rule}"
)
_RULES = {
    "strict": (
        "Ratings are strict: a type is rated once it is tight in every optimum, so that they do "
        "not depend on the solver (deviation_rule: strict)."
    ),
    "tight": (
        "Ratings are of what is tight at the one optimum that the solver returns, as the paper of "
        "CoopEval has them; another solver may give others (deviation_rule: tight)."
    ),
}
_MATCHES = (
    "The replicates of these runs are matches, each between other types, and not samples of one "
    "society: the intervals and tests in other sections show how much matches differ. The "
    "standard errors in this section show how certain a number is: they are taken over runs, "
    "each of which is one repetition of all matches."
)
_SHARED = (
    "In {names}, designs were made once and used by all repetitions of a match, so standard errors "
    "over repetitions do not include the differences between designs. Runs made now have designs "
    "of their own for each repetition."
)
_NAMED = 6  # seatings in a caveat
_VOID = (
    "Replicates with an answer that could not be read are void and count nowhere. Where seats "
    "differ, a run is left out if it has lost a seating of types that met in another order; if "
    "every run has lost one, all repetitions count as one, without a standard error."
)
_UNFINISHED = (
    "Some runs are not finished. Their scores would be parts of sums, and are left out of all "
    "tables of scores; let these runs finish, or resume them."
)
_SUMMARY = (
    "Runs at level summary do not keep the payoffs of agents. Run them with record: full to have "
    "them in the sections on cross-play."
)


def standings_section(of: CrossPlay, styles: Mapping[str, TypeStyle]) -> Section:
    """Score the types; empty if no types have met."""
    met = [contest for contest in of.contests if len(contest.types) > 1]
    summary = [run.name for run in of.study.played if _lacks_payoffs(run)]
    parts: list[SectionPart] = []
    if met or summary:
        games = _games(met, styles)
        lead = _LEAD.format(rule=_RULES[of.deviation_rule])
        parts = [*_caveats(met, summary), *games, lead, *scores_over_games(met), _MATCHES]
        parts += truncation(met)
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
    shared = [cell.run.name for cell in cells if _shares_designs(cell)]
    if shared:
        yield _SHARED.format(names=", ".join(shared))


def _shares_designs(cell: GameCell) -> bool:
    """Tell whether all repetitions of a cell went by the same designs."""
    return cell.repetition.max(initial=0) > 0 and {
        design.repetition for design in designs(cell)
    } == {1}


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


def _games(met: Sequence[Contest], styles: Mapping[str, TypeStyle]) -> Iterator[Section]:
    """Show a section for each game: who scores highest, against whom, and who would spread."""
    for game in dict.fromkeys(contest.game for contest in met):
        own = [contest for contest in met if contest.game == game]
        parts = [
            *ranking_figure(game, own, styles),
            *selection_figures(game, own, styles),
            *scores_of_game(game, own),
            *payoff_table(game, own),
        ]
        yield Section(game, parts)
