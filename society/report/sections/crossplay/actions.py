"""The sections of actions: how often each was played, and whether replies could be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from society.analysis.crossplay import Contest, CrossPlay
from society.analysis.crossplay.action_frequencies import Frequency, MoveTable
from society.report.figures.heatmaps import HeatPanel, heatmap
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import Head, Table, TableColumn

from .scores import file_name

_MOST = 12  # panels of a figure
_LEAD = (
    "Types submit mixed strategies, and the game draws their actions. Submitted: the mean "
    "probability of an action; drawn: the share of moves in which it was drawn (numbers in the "
    "literature that speak of probabilities may be such shares). Every move of a match that is not "
    "void has the same weight."
)
_SEEN = (
    "Last actions: the actions of co-players in the round before, in any match; the order of "
    "several co-players does not count. none yet: first rounds, in which nothing had been seen; "
    "they are kept apart from all others."
)
_REPLIES = (
    "A question is valid at the first try if its first reply could be read. A reply that could "
    "not be read is shown to the model again with the reason (repair); a reply that was cut off "
    "by the limit of tokens is requested again with more room (cut). If a reply stays "
    "unreadable, the fallback of the question takes its place; in a match of its own it ends the "
    "replicate."
)
ActionRow = tuple[
    str, str, str, Frequency
]  # mechanism, type, what was seen, how often what was done


def actions_section(of: CrossPlay) -> Section:
    """Show how often actions were played, also by the last actions of co-players."""
    contests = [one for one in of.contests if any(len(cell.decisions) for cell in one.cells)]
    sections = []
    for game in dict.fromkeys(contest.game for contest in contests):
        own = {one: MoveTable.of(*one.cells) for one in contests if one.game == game}
        sections.append(Section(game, list(_actions(game, own))))
    return Section("What was played", [_LEAD, *sections] if sections else [], "conduct")


def _actions(game: str, own: Mapping[Contest, MoveTable]) -> Iterator[SectionPart]:
    name, title = f"conduct_{file_name(game)}", f"Actions in {game}"
    labels = _labels(own)
    panels = [_heat(contest, moves, labels) for contest, moves in own.items()][:_MOST]
    caption = "Mean probability with which each type submitted each action."
    yield heatmap(name, title, caption, "probability", panels)
    rows = [
        (contest.mechanism, one, "", often)
        for contest, moves in own.items()
        for one, often in [("all", moves.in_all), *_by_type(contest, moves)]
    ]
    yield folded_section(f"{title}, in numbers", _table(name, title, rows, labels))
    yield from _reactions(game, {one: moves for one, moves in own.items() if moves.contexts[1:]})


def _labels(own: Mapping[Contest, MoveTable]) -> list[str]:
    return list(dict.fromkeys(one for moves in own.values() for one in moves.labels))


def _by_type(contest: Contest, moves: MoveTable) -> list[tuple[str, Frequency]]:
    return [(one, moves.of_type(number)) for number, one in enumerate(contest.types)]


def _heat(contest: Contest, moves: MoveTable, labels: Sequence[str]) -> HeatPanel:
    """The first type stands at the top."""
    often = [each.submitted for _, each in _by_type(contest, moves)]
    values = np.array([[own.get(label, np.nan) for label in labels] for own in often])
    axes = "type", "action"
    return HeatPanel(contest.mechanism, axes, contest.types[::-1], labels, values[::-1])


def _reactions(game: str, own: Mapping[Contest, MoveTable]) -> Iterator[SectionPart]:
    """Tabulate actions given the last ones of co-players, where any were seen."""
    if not own:
        return
    pooled = [
        (contest.mechanism, "all", seen, often)
        for contest, moves in own.items()
        for seen, often in moves.after()
        if often.n
    ]
    by_type = [
        (contest.mechanism, one, seen, often)
        for contest, moves in own.items()
        for number, one in enumerate(contest.types)
        for seen, often in moves.of_type_after(number)
    ]
    name, title = (
        f"conduct_{file_name(game)}_after",
        f"Actions in {game}, by co-players' last actions",
    )
    yield _table(name, title, pooled, _labels(own), _SEEN)
    table = _table(f"{name}_by_type", title, by_type, _labels(own), _SEEN)
    yield folded_section(f"{title}, type by type", table)


def _table(
    name: str, title: str, rows: Sequence[ActionRow], labels: Sequence[str], *notes: str
) -> Table:
    seen = (
        [TableColumn("co-players' last actions", [seen for _, _, seen, _ in rows])] if notes else []
    )
    often = [each for *_, each in rows]
    columns = [
        TableColumn("mechanism", [mechanism for mechanism, *_ in rows]),
        TableColumn("type", [one for _, one, *_ in rows]),
        *seen,
        *(
            TableColumn(f"{one} {part}", [getattr(each, part).get(one) for each in often], "share")
            for part in ("submitted", "drawn")
            for one in labels
        ),
        TableColumn("moves", [each.n for each in often], "count"),
    ]
    return Table(name, title, columns, notes)


def replies_section(of: CrossPlay) -> Section:
    """Count replies of models that could be read; empty if no model was asked."""
    frame, parts = of.minds, list[SectionPart]()
    if len(frame):
        sums = frame.groupby("model", sort=True)[
            ["questions", "valid", "repairs", "cut", "fallbacks"]
        ].sum()
        sums.insert(2, "share", sums["valid"] / sums["questions"])
        rows = [(model, *row) for model, *row in sums.reset_index().to_numpy(object).tolist()]
        head: Head = [
            ("text", "model"),
            ("count", "questions", "valid at first try"),
            ("share", "share"),
            ("count", "repairs", "cut", "fallbacks"),
        ]
        parts = [_REPLIES, Table.of("understanding", "Replies that could be read", head, rows)]
    return Section("Models at the first try", parts, "understanding")
