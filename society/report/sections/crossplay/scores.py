"""Tables of how types fare: for each game, and over all social dilemmas on one scale."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.crossplay.adoption import is_equilibrium
from society.analysis.crossplay.standings import METRICS, MeanOverRuns
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.draws import Array
from society.report.page import Fold, Part
from society.report.sections.crossplay.names import filed
from society.report.tables import Cell, Column, Table

_DECIMALS = 3
_WIDEST = 12  # types that have a column each
Row = tuple[str, str, MeanOverRuns | NotEstimable, Sequence[str]]  # mechanism, metric, sums, types


def of_game(game: str, contests: Sequence[Contest]) -> Iterator[Part]:
    """Means over runs."""
    rows = [
        (contest.mechanism, metric, try_compute(contest.summed, metric), contest.types)
        for contest in contests
        for metric in METRICS
    ]
    runs = "Means over runs, in points (DevRank: ranks) ± one standard error."
    yield from _tables(f"crossplay_{filed(game)}", f"Types in {game}", rows, runs, "runs")


def of_all_games(contests: Sequence[Contest]) -> Iterator[Part]:
    """Means over social dilemmas, where there are two at least."""
    dilemmas = [contest for contest in contests if _is_dilemma(contest)]
    games = list(dict.fromkeys(contest.game for contest in dilemmas))
    if len(games) < 2:
        return
    by_mechanism = _by_mechanism(dilemmas)
    rows = [
        (mechanism, metric, try_compute(_over_games, own, metric), own[0].types)
        for mechanism, own in by_mechanism.items()
        for metric in METRICS
    ]
    left_out = dict.fromkeys(contest.game for contest in contests if contest.game not in games)
    words = (
        f"Means over {', '.join(games)} ± one standard error over games. Payoffs are 0 in "
        "equilibrium and 1 where all cooperate."
    )
    if any(len(own) < len(games) for own in by_mechanism.values()):
        words += (
            " Of mechanisms that were not played in all of them, over those in which they were."
        )
    if left_out:
        words += f" Not in it, as there cooperation is no dilemma: {', '.join(left_out)}."
    yield from _tables("crossplay", "Types over all social dilemmas", rows, words, "games")


def _by_mechanism(contests: Sequence[Contest]) -> Mapping[str, list[Contest]]:
    """Where the same types have met; a mechanism with other types in some games is left out."""
    found: dict[str, list[Contest]] = {}
    for contest in contests:
        found.setdefault(contest.mechanism, []).append(contest)
    return {
        name: own for name, own in found.items() if len({contest.types for contest in own}) == 1
    }


def _over_games(contests: Sequence[Contest], metric: str) -> MeanOverRuns:
    return MeanOverRuns.of(np.stack([contest.scaled(metric) for contest in contests]))


def _is_dilemma(contest: Contest) -> bool:
    """Whether cooperation pays, and is no equilibrium of the game."""
    game = contest.first.game
    if game.cooperation is None or game.cooperative is None or game.equilibrial is None:
        return False
    if sum(game.cooperative) <= sum(game.equilibrial):
        return False
    return game.table is None or not is_equilibrium(game.table, game.cooperation)


def _tables(name: str, caption: str, rows: Sequence[Row], words: str, of: str) -> Iterator[Part]:
    types = list(dict.fromkeys(one for *_, own in rows for one in own))
    numbers = _numbers(name, caption, rows, of, words)
    if len(types) > _WIDEST:
        yield numbers
        return
    columns = [
        Column("mechanism", [mechanism for mechanism, *_ in rows]),
        Column("metric", [metric for _, metric, *_ in rows]),
        Column("average", [_text(sums, 0) for *_, sums, _ in rows]),
        *(Column(one, [_text(sums, _place(one, own)) for *_, sums, own in rows]) for one in types),
    ]
    yield Table(name, caption, columns, [words])
    yield Fold(f"{caption}, in numbers", [numbers])


def _place(one: str, types: Sequence[str]) -> int | None:
    return types.index(one) + 1 if one in types else None


def _text(sums: MeanOverRuns | NotEstimable, place: int | None) -> Cell:
    """Mean and error of one type; the reason, where there is none."""
    if isinstance(sums, NotEstimable):
        return sums
    if place is None or np.isnan(sums.mean[place]):
        return None
    mean, error = round(float(sums.mean[place]), _DECIMALS) + 0.0, float(sums.error[place])
    if np.isnan(error):
        return f"{mean:.{_DECIMALS}f}"
    return f"{mean:.{_DECIMALS}f} ± {error:.{_DECIMALS}f}"


def _numbers(name: str, caption: str, rows: Sequence[Row], of: str, words: str) -> Table:
    """The same, one number a row, in full in its CSV."""
    flat = [
        (mechanism, metric, one, sums, place)
        for mechanism, metric, sums, types in rows
        for place, one in enumerate(["average", *types])
    ]

    def cells(part: Callable[[MeanOverRuns], Array]) -> list[Cell]:
        return [
            sums if isinstance(sums, NotEstimable) else float(part(sums)[place])
            for *_, sums, place in flat
        ]

    columns = [
        Column("mechanism", [mechanism for mechanism, *_ in flat]),
        Column("metric", [metric for _, metric, *_ in flat]),
        Column("type", [one for _, _, one, *_ in flat]),
        Column("mean", cells(lambda sums: sums.mean), "share"),
        Column("standard error", cells(lambda sums: sums.error), "share"),
        Column(of, cells(lambda sums: sums.n), "count"),
    ]
    return Table(f"{name}_numbers", f"{caption}, in numbers", columns, [words])
