"""What it changes that an infinite game is played for so many rounds only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from society.analysis.crossplay import Contest
from society.report.page import Part
from society.report.tables import Column, Table


def truncation(contests: Sequence[Contest]) -> Iterator[Part]:
    """The weight of the rounds that were not played, of each mechanism that repeats a game."""
    rows = dict.fromkeys(
        (contest.mechanism, *repeating)
        for contest in contests
        if (repeating := _repeating(contest)) is not None
    )
    if not rows:
        return
    mechanisms, games, continuations = zip(*rows, strict=True)
    shares = [d**t for _, t, d in rows]
    words = (
        "After T games with the continuation probability d, games that were not played have the "
        "weight d^T, which the last one bears: payoffs may be wrong by that share of the range of "
        "payoffs in the game, at most."
    )
    if (15, 0.8) in [(t, d) for _, t, d in rows]:
        words += " For d = 0.8 and T = 15 this is 3.5 %; Tewolde et al. 2026 say 4.2 %."
    columns = [
        Column("mechanism", mechanisms),
        Column("games T", games, "count"),
        Column("continuation d", continuations, "share"),
        Column("bound d^T", shares, "share"),
    ]
    yield Table("crossplay_truncation", "What was not played", columns, [words])


def _repeating(contest: Contest) -> tuple[int, float] | None:
    """Games and continuation probability, if there is one."""
    cell = contest.first
    if cell.continuation is None:
        return None
    played = max(int(each.facts["games_played"].max()) for each in cell.rounds)
    return played + 1, cell.continuation
