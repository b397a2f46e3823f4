"""Tables of the scores of types: for each game, and over all social dilemmas on one scale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.crossplay.adoption import is_equilibrium
from society.analysis.crossplay.standings import METRICS, MeanOverRuns
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.report.page import SectionPart, folded_section
from society.report.tables import CellValue, Head, Table, TableColumn

_DECIMALS = 3
_WIDEST = 12  # types that have a column each
_TRUNCATION = (
    "After T games with the continuation probability d, the games that were not played would "
    "have the weight d^T, which the last game bears instead. Payoffs may be wrong by at most "
    "that share of the range of payoffs in the game."
)
_TEWOLDE = " For d = 0.8 and T = 15 this is 3.5 %; Tewolde et al. 2026 say 4.2 %."
ScoreRow = tuple[
    str, str, MeanOverRuns | NotEstimable, Sequence[str]
]  # mechanism, metric, sums, types


def file_name(name: str) -> str:
    """Spell the name of a game or mechanism as part of the name of a file, and of an id.

    >>> file_name("public goods (players = 7)")
    'public_goods_players_7'
    """
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()


def scores_of_game(game: str, contests: Sequence[Contest]) -> Iterator[SectionPart]:
    """Average the scores of a game over runs."""
    rows = [
        (contest.mechanism, metric, try_compute(contest.summed, metric), contest.types)
        for contest in contests
        for metric in METRICS
    ]
    note = "Means over runs, in points (DevRank: ranks) ± one standard error."
    yield from _tables(f"crossplay_{file_name(game)}", f"Types in {game}", rows, note, "runs")


def scores_over_games(contests: Sequence[Contest]) -> Iterator[SectionPart]:
    """Average the scores over social dilemmas, where there are two at least."""
    dilemmas = [contest for contest in contests if _is_dilemma(contest)]
    games = list(dict.fromkeys(contest.game for contest in dilemmas))
    if len(games) < 2:
        return
    mechanisms: dict[str, list[Contest]] = {}
    for contest in dilemmas:
        mechanisms.setdefault(contest.mechanism, []).append(contest)
    # A mechanism with other types in some games is left out.
    same = [own for own in mechanisms.values() if len({contest.types for contest in own}) == 1]
    rows = [
        (own[0].mechanism, metric, try_compute(_sum_games, own, metric), own[0].types)
        for own in same
        for metric in METRICS
    ]
    left_out = dict.fromkeys(contest.game for contest in contests if contest.game not in games)
    note = (
        f"Means over {', '.join(games)} ± one standard error over games. Payoffs are 0 in "
        "equilibrium and 1 where all cooperate."
    )
    if any(len(own) < len(games) for own in same):
        note += " Mechanisms that some of these games lack are averaged over the others."
    if left_out:
        note += f" Left out, since cooperation is no dilemma there: {', '.join(left_out)}."
    yield from _tables("crossplay", "Types over all social dilemmas", rows, note, "games")


def _sum_games(contests: Sequence[Contest], metric: str) -> MeanOverRuns:
    return MeanOverRuns.of(np.stack([contest.scaled(metric) for contest in contests]))


def _is_dilemma(contest: Contest) -> bool:
    """Check that cooperation pays, and is no equilibrium of the game."""
    game = contest.first.game
    if game.cooperation is None or game.cooperative is None or game.equilibrial is None:
        return False
    if sum(game.cooperative) <= sum(game.equilibrial):
        return False
    return game.table is None or not is_equilibrium(game.table, game.cooperation)


def _tables(
    name: str, title: str, rows: Sequence[ScoreRow], note: str, of: str
) -> Iterator[SectionPart]:
    types = list(dict.fromkeys(one for *_, own in rows for one in own))
    numbers = _numbers(f"{name}_numbers", f"{title}, in numbers", rows, of, note)
    if len(types) > _WIDEST:
        yield numbers
        return
    columns = [
        TableColumn("mechanism", [mechanism for mechanism, *_ in rows]),
        TableColumn("metric", [metric for _, metric, *_ in rows]),
        TableColumn("average", [_score(sums, 0) for *_, sums, _ in rows]),
        *(
            TableColumn(
                one,
                [
                    _score(sums, own.index(one) + 1 if one in own else None)
                    for *_, sums, own in rows
                ],
            )
            for one in types
        ),
    ]
    yield Table(name, title, columns, [note])
    yield folded_section(f"{title}, in numbers", numbers)


def _score(sums: MeanOverRuns | NotEstimable, place: int | None) -> CellValue:
    """Mean and error of one type; the reason, where there is none."""
    if isinstance(sums, NotEstimable):
        return sums
    if place is None or np.isnan(sums.mean[place]):
        return None
    mean, error = round(float(sums.mean[place]), _DECIMALS) + 0.0, float(sums.error[place])
    words = f"{mean:.{_DECIMALS}f}"
    return words if np.isnan(error) else f"{words} ± {error:.{_DECIMALS}f}"


def _numbers(name: str, title: str, rows: Sequence[ScoreRow], of: str, note: str) -> Table:
    """List scores with one number a row, in full in the CSV."""
    cells = [
        (
            *(mechanism, metric, one),
            *(
                [sums] * 3
                if isinstance(sums, NotEstimable)
                else [float(part[place]) for part in (sums.mean, sums.error, sums.n)]
            ),
        )
        for mechanism, metric, sums, types in rows
        for place, one in enumerate(["average", *types])
    ]
    head: Head = [
        ("text", "mechanism", "metric", "type"),
        ("share", "mean", "standard error"),
        ("count", of),
    ]
    return Table.of(name, title, head, cells, note)


def truncation(contests: Sequence[Contest]) -> Iterator[SectionPart]:
    """Weigh the rounds that were not played, of each mechanism that repeats a game."""
    rows = dict.fromkeys(
        (contest.mechanism, games := _games(contest), d, d**games)
        for contest in contests
        if (d := contest.first.continuation) is not None
    )
    if rows:
        note = _TRUNCATION + _TEWOLDE * any((t, d) == (15, 0.8) for _, t, d, _ in rows)
        head: Head = [
            ("text", "mechanism"),
            ("count", "games T"),
            ("share", "continuation d", "bound d^T"),
        ]
        yield Table.of("crossplay_truncation", "Rounds that were not played", head, rows, note)


def _games(contest: Contest) -> int:
    return int(np.nanmax(contest.first.decisions.facts["games_played"])) + 1
