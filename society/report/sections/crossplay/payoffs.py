"""The ranking of types in a game, and what each of them earns against each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.crossplay.rankings import Ranking
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.engine.rng import Array
from society.report.figures.type_colours import TypeStyle
from society.report.figures.type_rows import Anchors, RankingPanel, ranking_plot
from society.report.page import SectionPart, folded_section
from society.report.tables import Head, Table

from .scores import file_name

MOST_PANELS = 12  # mechanisms of a figure
_SCORES = (
    "Left: mean score of each type in all its matches, with its place; types that tie share a "
    "place (=)."
)
_RUNS = {
    "none": " One run, so nothing says how far scores vary by chance.",
    "few": " Strokes: the {n} runs.",
    "many": " Bars: 95 % t intervals over {n} runs, each one repetition of all matches.",
}
_EARNED = (
    " Right: what the type in the row earns in a match with the type in the column, mean over "
    "seats and runs; what its partner earns stands in the mirrored cell."
)
_SEATS = (
    " Right: matches of the type in the row, in the first seat, with the type in the column, in "
    "the second one: lower left the payoff of the first seat, upper right that of the second; "
    "means over runs."
)
_OTHERS = " One co-player has the type in the column, the others are of all types."
_NO_ANCHORS = " Greys: the game names no equilibrium below full cooperation."


def rank_types(contests: Sequence[Contest]) -> list[str]:
    """Order the types of a game by their mean scores, averaged over its mechanisms."""
    scores: dict[str, list[float]] = {}
    for contest in contests:
        found = try_compute(contest.by_run, "Mean")
        means = np.full(len(contest.types), np.nan)
        if not isinstance(found, NotEstimable):
            means = np.nanmean(found[:, 1:], axis=0)
        for one, score in zip(contest.types, means.tolist(), strict=True):
            scores.setdefault(one, []).append(score)
    totals = np.array([[np.nanmean(each) for each in scores.values()]])
    return [list(scores)[at] for at in Ranking.of(totals).order]


def ranking_figure(
    game: str, contests: Sequence[Contest], styles: Mapping[str, TypeStyle]
) -> Iterator[SectionPart]:
    """Draw who scores how much, and against whom; nothing where no scores are known."""
    found = [(contest, try_compute(contest.by_run, "Mean")) for contest in contests]
    known = [
        (contest, scores[:, 1:])
        for contest, scores in found
        if not isinstance(scores, NotEstimable)
    ]
    if not known:
        return
    types = rank_types([contest for contest, _ in known])
    shown = known[:MOST_PANELS]
    panels = [_panel(contest, scores, types) for contest, scores in shown]
    caption = _caption([contest for contest, _ in shown], panels, len(known))
    anchors = _anchors(shown[0][0], panels)
    name = f"crossplay_{file_name(game)}_ranking"
    title = _title(game, known)
    yield ranking_plot(name, title, caption, types, panels, anchors, styles)


def _panel(contest: Contest, scores: Array, types: Sequence[str]) -> RankingPanel:
    """Put the types of a mechanism into the rows of the figure; others have no score there."""
    ranking = Ranking.of(scores)
    places = dict(zip(ranking.order, ranking.names_of_places, strict=True))
    rows = [contest.types.index(one) if one in contest.types else None for one in types]
    nothing = np.full(len(scores), np.nan)
    in_rows = np.stack([nothing if at is None else scores[:, at] for at in rows], axis=1)
    words = ["" if at is None else places[at] for at in rows]
    return RankingPanel(contest.mechanism, in_rows, words, _payoffs(contest, rows))


def _payoffs(contest: Contest, rows: Sequence[int | None]) -> Array | None:
    """What types earn from each other in the order of rows, (1 or 2, K, K); None if unknown."""
    seats_differ = contest.first.game.players == 2 and not contest.first.exchangeable
    found = try_compute(contest.by_seat if seats_differ else contest.tensors)
    if isinstance(found, NotEstimable):
        return None
    mean: Array = np.mean(found, axis=0)
    if not seats_differ:
        mean = mean.mean(axis=tuple(range(2, mean.ndim)))[None]
    payoffs = np.full((len(mean), len(rows), len(rows)), np.nan)
    there = [place for place, at in enumerate(rows) if at is not None]
    types = [at for at in rows if at is not None]
    payoffs[:, np.array(there)[:, None], there] = mean[:, np.array(types)[:, None], types]
    return payoffs


def _anchors(contest: Contest, panels: Sequence[RankingPanel]) -> Anchors | None:
    """The payoffs of equilibrium and cooperation; None unless cooperation pays more there."""
    game = contest.first.game
    if game.equilibrial is None or game.cooperative is None:
        return None
    low, high = game.equilibrial, game.cooperative
    if not any(panel.payoffs is not None and len(panel.payoffs) == 2 for panel in panels):
        low, high = (float(np.mean(low)),), (float(np.mean(high)),)
    if any(coop <= rest for rest, coop in zip(low, high, strict=True)):
        return None
    return Anchors(low, high)


def _caption(contests: Sequence[Contest], panels: Sequence[RankingPanel], mechanisms: int) -> str:
    runs = sorted({len(panel.scores) for panel in panels})
    n = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    kind = "none" if runs[-1] < 2 else "few" if runs[-1] < 5 else "many"
    caption = _SCORES + _RUNS[kind].format(n=n)
    known = [panel.payoffs for panel in panels if panel.payoffs is not None]
    if known:
        caption += _SEATS if len(known[0]) == 2 else _EARNED
        caption += _OTHERS * (contests[0].first.game.players > 2)
        caption += _NO_ANCHORS * (_anchors(contests[0], panels) is None)
    if mechanisms > len(panels):
        caption += f" The first {len(panels)} of {mechanisms} mechanisms."
    return caption


def _title(game: str, known: Sequence[tuple[Contest, Array]]) -> str:
    """Say who scores highest, if it is the same under all mechanisms."""
    claims = {Ranking.of(scores).claim(contest.types) for contest, scores in known}
    if len(claims) > 1:
        return f"Who scores highest in {game} depends on the mechanism"
    return f"{claims.pop()} in {game}"


def payoff_table(game: str, contests: Sequence[Contest]) -> Iterator[SectionPart]:
    """List the payoff of each type against the types that it meets, whatever their order."""
    found = [(contest, try_compute(contest.tensors)) for contest in contests]
    known = [
        (contest, np.mean(tensors, axis=0))
        for contest, tensors in found
        if not isinstance(tensors, NotEstimable)
    ]
    if not known:
        return
    rows = [
        (contest.mechanism, types[0], ", ".join(types[1:]), float(tensor[at]))
        for contest, tensor in known
        for at in np.ndindex(*tensor.shape)
        if list(at[1:]) == sorted(at[1:]) and (types := [contest.types[each] for each in at])
    ]
    head: Head = [("text", "mechanism", "type", "meets"), ("share", "payoff")]
    name = f"crossplay_{file_name(game)}_payoffs"
    note = "Points, mean over seats and runs."
    table = Table.of(name, f"Payoffs in {game}", head, rows, note)
    yield folded_section(f"All payoffs in {game}", table)
