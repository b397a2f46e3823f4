"""The chapter on what was played: frequencies of actions, also by what co-players did last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from society.analysis.crossplay import Contest, CrossPlay
from society.analysis.crossplay.action_frequencies import Frequency, MoveTable
from society.report.figures.heatmaps import Heat, heat_maps
from society.report.page import Chapter, Fold, Heading, Paragraph, Part
from society.report.sections.crossplay.names import filed
from society.report.tables import Column, Table

_MOST = 12  # panels of a figure
_LEAD = (
    "Types submit mixed strategies, and the game draws their actions. Submitted: the mean "
    "probability of an action; drawn: the share of moves in which it came out (figures in the "
    "literature that speak of probabilities may count these). Every move of a match that is not "
    "void has the same weight."
)
Row = tuple[str, str, str, Frequency]  # mechanism, type, what was seen, how often what was done


def conduct(of: CrossPlay) -> Chapter | None:
    """The chapter; None if nothing was played."""
    parts: list[Part] = [Paragraph(_LEAD)]
    contests = [one for one in of.contests if any(len(cell.decisions) for cell in one.cells)]
    for game in dict.fromkeys(contest.game for contest in contests):
        own = {one: MoveTable.of(*one.cells) for one in contests if one.game == game}
        parts += [Heading(game), *_of_game(game, own)]
    return Chapter("conduct", "What was played", parts) if contests else None


def _of_game(game: str, own: Mapping[Contest, MoveTable]) -> Iterator[Part]:
    labels = list(dict.fromkeys(one for moves in own.values() for one in moves.labels))
    panels = [_heat(contest, moves, labels) for contest, moves in own.items()][:_MOST]
    words = "Mean probability with which each type submitted each action."
    name = f"conduct_{filed(game)}"
    axes = ("type", "action")
    yield heat_maps(name, f"Actions in {game}", words, axes, "probability", panels)
    rows = [
        (contest.mechanism, one, "", often)
        for contest, moves in own.items()
        for one, often in _by_type(contest, moves)
    ]
    caption = f"Actions in {game}"
    yield Fold(f"{caption}, in numbers", [_table(name, caption, rows, labels)])
    yield from _after(game, {one: moves for one, moves in own.items() if moves.contexts[1:]})


def _by_type(contest: Contest, moves: MoveTable) -> Iterator[tuple[str, Frequency]]:
    """Of all types together, then of each."""
    yield "all", moves.in_all
    for number, one in enumerate(contest.types):
        yield one, moves.of_type(number)


def _heat(contest: Contest, moves: MoveTable, labels: Sequence[str]) -> Heat:
    """The first type stands at the top."""
    often = [moves.of_type(number).submitted for number in range(len(contest.types))]
    values = np.array([[own.get(label, np.nan) for label in labels] for own in often])
    return Heat(contest.mechanism, contest.types[::-1], labels, values[::-1])


def _after(game: str, own: Mapping[Contest, MoveTable]) -> Iterator[Part]:
    """What was done given what co-players did last, where anything was seen before."""
    if not own:
        return
    labels = list(dict.fromkeys(one for moves in own.values() for one in moves.labels))
    rows = [
        (contest.mechanism, one, seen, often)
        for contest, moves in own.items()
        for number, one in enumerate(contest.types)
        for seen, often in moves.of_type_after(number)
    ]
    pooled = [
        (contest.mechanism, "all", seen, often)
        for contest, moves in own.items()
        for seen, often in moves.after()
        if often.n
    ]
    caption = f"Actions in {game}, by what co-players did last"
    name = f"conduct_{filed(game)}_after"
    yield _table(name, caption, pooled, labels, _SEEN)
    by_type = _table(f"{name}_by_type", caption, rows, labels, _SEEN)
    yield Fold(f"{caption}, type by type", [by_type])


_SEEN = (
    "Last actions: what co-players really did in the round before, in whatever match; of several "
    "co-players in any order. none yet: first rounds, in which nothing has been seen, apart from "
    "all others."
)


def _table(
    name: str, caption: str, rows: Sequence[Row], labels: Sequence[str], *notes: str
) -> Table:
    often = [each for *_, each in rows]
    seen = [Column("co-players' last actions", [seen for _, _, seen, _ in rows])] if notes else []
    columns = [
        Column("mechanism", [mechanism for mechanism, *_ in rows]),
        Column("type", [one for _, one, *_ in rows]),
        *seen,
        *(
            Column(f"{one} submitted", [each.submitted.get(one) for each in often], "share")
            for one in labels
        ),
        *(
            Column(f"{one} drawn", [each.drawn.get(one) for each in often], "share")
            for one in labels
        ),
        Column("moves", [each.n for each in often], "count"),
    ]
    return Table(name, caption, columns, notes)
