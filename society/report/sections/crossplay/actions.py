"""The sections of actions: how often each was played, after what, and whether replies were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from society.analysis.crossplay import Contest, CrossPlay
from society.analysis.crossplay.action_frequencies import Frequency, MoveTable
from society.analysis.crossplay.cell import GameCell
from society.analysis.crossplay.game_decisions import DELEGATE
from society.analysis.crossplay.reaction_profiles import (
    ReactionProfile,
    context_names,
    cooperation_submitted,
    cooperative_labels,
)
from society.engine.rng import Array
from society.report.figures.heatmaps import HeatPanel, heatmap
from society.report.figures.style import Figure
from society.report.figures.type_colours import TypeStyle
from society.report.figures.type_rows import ActionPanel, action_plot
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import Head, Table, TableColumn, known_mean

from .payoffs import MOST_PANELS, rank_types
from .scores import file_name

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
_COOPERATION = (
    "Left: mean probability with which each type submitted {action}, which the game calls "
    "cooperation{delegated}."
)
_DELEGATED = " (grey, and after the plus: with which it delegated to the mediator)"
_AFTER = (
    " Right: the same by what came before, from vermilion for 0 to blue for 1: first moves, and "
    "moves after the type's own last action and {others}; C: cooperated, D: did not. Empty: it "
    "never came to that."
)
_OTHER = "that of its co-player (CD: it cooperated, the other did not)"
_OTHERS = "how many of its co-players cooperated when they last moved"
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


def actions_section(of: CrossPlay, styles: Mapping[str, TypeStyle]) -> Section:
    """Show how often actions were played, also by the last actions of co-players."""
    contests = [one for one in of.contests if any(len(cell.decisions) for cell in one.cells)]
    sections = []
    for game in dict.fromkeys(contest.game for contest in contests):
        own = {one: MoveTable.of(*one.cells) for one in contests if one.game == game}
        sections.append(Section(game, list(_actions(game, own, styles))))
    return Section("What types did", [_LEAD, *sections] if sections else [], "conduct")


def _actions(
    game: str, own: Mapping[Contest, MoveTable], styles: Mapping[str, TypeStyle]
) -> Iterator[SectionPart]:
    name, title = f"conduct_{file_name(game)}", f"Actions in {game}"
    labels = _labels(own)
    contests = list(own)[:MOST_PANELS]
    if cooperative_labels(contests[0].first.game) is None:
        panels = [_heat(contest, own[contest], labels) for contest in contests]
        caption = "Mean probability with which each type submitted each action."
        yield heatmap(name, title, caption, "probability", panels)
    else:
        yield _cooperation(name, game, contests, styles)
    rows = [
        (contest.mechanism, one, "", often)
        for contest, moves in own.items()
        for one, often in [("all", moves.in_all), *_by_type(contest, moves)]
    ]
    yield folded_section(f"{title}, in numbers", _table(name, title, rows, labels))
    yield from _reactions(game, {one: moves for one, moves in own.items() if moves.contexts[1:]})


def _cooperation(
    name: str, game: str, contests: Sequence[Contest], styles: Mapping[str, TypeStyle]
) -> Figure:
    """Draw cooperation, which tells all where there are two actions, and what it follows."""
    types = rank_types(contests)
    panels = [_cooperation_panel(contest, types) for contest in contests]
    first = contests[0].first.game
    action = " or ".join(dict.fromkeys(cooperative_labels(first) or ()))
    delegated = _DELEGATED * any(len(panel.shares) > 1 for panel in panels)
    caption = _COOPERATION.format(action=action, delegated=delegated)
    if any(panel.reactions is not None for panel in panels):
        caption += _AFTER.format(others=_OTHER if first.players == 2 else _OTHERS)
    title = f"How often types cooperate in {game}"
    if any(panel.reactions is not None for panel in panels):
        title += ", and after what"
    contexts = context_names(first.players)
    return action_plot(name, title, caption, types, contexts, panels, styles)


def _cooperation_panel(contest: Contest, types: Sequence[str]) -> ActionPanel:
    """Put what types do into the rows of the figure; NaN for those who are not there."""
    shares = {"probability of cooperation": _by_type_of(contest, cooperation_submitted)}
    if all(DELEGATE in cell.decisions.submitted for cell in contest.cells):
        shares["of delegating"] = _by_type_of(
            contest,
            lambda cell: cell.decisions.submitted.get(DELEGATE, np.zeros(len(cell.decisions))),
        )
    profile = ReactionProfile.of(contest.cells)
    reactions = None if profile is None else profile.cooperation
    return ActionPanel(
        contest.mechanism,
        {words: _in_rows(contest, types, each) for words, each in shares.items()},
        None if reactions is None else _in_rows(contest, types, reactions),
    )


def _by_type_of(contest: Contest, value: Callable[[GameCell], Array]) -> Array:
    """Average a value of each move by type, (K,), over matches that are not void."""
    values = np.concatenate([value(cell) for cell in contest.cells])
    types = np.concatenate([cell.types.ravel()[cell.agents] for cell in contest.cells])
    void = np.concatenate([cell.void[cell.decisions.replicate] for cell in contest.cells])
    own = [values[(types == number) & ~void] for number in range(len(contest.types))]
    return np.array([np.nan if known_mean(each) is None else known_mean(each) for each in own])


def _in_rows(contest: Contest, types: Sequence[str], values: Array) -> Array:
    """Put values by type, (K, ...), into the order of rows; NaN for a type that is not there."""
    nothing = np.full(values.shape[1:], np.nan)
    rows = [contest.types.index(one) if one in contest.types else None for one in types]
    return np.stack([nothing if at is None else values[at] for at in rows])


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
