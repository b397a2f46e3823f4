"""Counterparts of the paper's figures on what agents do: actions, reactions, votes.

The agents are rules of ours, or the models that were asked. Actions are ordered from cooperation
to its opposite, which is not the order of their labels in the traveller's dilemma. Like the
paper's, frequencies are shares of moves in which an action was drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.crossplay.action_frequencies import NOTHING_YET, Frequency, MoveTable
from society.analysis.crossplay.adoption import adoption_shares
from society.analysis.crossplay.game_decisions import DELEGATE
from society.claims.types import InsufficientEvidence
from society.report.figures.block_rows import ActionStyle, BarPanelOfRows, RowBlock, block_bars
from society.report.figures.dot_panels import MetricPanel, dot_panels
from society.report.figures.style import FAINT, HUES, Figure
from society.report.page import Section
from society.reproduction.evidence import Evidence

from .played_dilemmas import ALL, GAMES, MECHANISMS, PlayedDilemmas, name_counterpart, name_dots

_TWO = {"A0": "cooperates", "A1": "defects"}
WORDS: Mapping[str, Mapping[str, str]] = {  # of actions, cooperation first
    **dict.fromkeys(GAMES, _TWO),
    "travellers_dilemma": {f"A{at}": f"claims {at + 2}" for at in (3, 2, 1, 0)},
}
DELEGATES = ActionStyle("delegates to the mediator", FAINT, "////")
REPEATED = ("repetition", "reputation_first", "reputation_higher")
_FIGURES = {"prisoners_dilemma": 0, "public_goods": 1, "travellers_dilemma": 2, "trust": 3}
_DRAWN = "Shares of moves in which an action was drawn, all moves of matches that are not void."


def action_styles(game: str) -> list[ActionStyle]:
    """Give the actions of a game from cooperation to its opposite, and delegating, with colours."""
    words = [*WORDS[game].values()]
    places = np.linspace(len(HUES) - 1, 0, len(words)).round().astype(int)
    shown = [ActionStyle(one, HUES[at].colour) for one, at in zip(words, places, strict=True)]
    return [*shown, DELEGATES]


def actions_section(evidence: Evidence) -> Section:
    """Draw Figs 3 and 4: how often each action was done, by all and by each type."""
    played = PlayedDilemmas.of(evidence)
    tables = {key: MoveTable.of(*own.cells) for key, own in played.contests.items()}
    mechanisms = [MECHANISMS[one] for one in played.mechanisms]
    pooled, by_type = list[BarPanelOfRows](), list[BarPanelOfRows]()
    for game in played.games:
        rows = [tables.get((game, one)) for one in played.mechanisms]
        often = [None if moves is None else moves.in_all for moves in rows]
        pooled.append(_panel(GAMES[game], game, [RowBlock("", mechanisms)], often))
        blocks = [RowBlock(name, played.names) for name in mechanisms]
        each = [
            None if moves is None else _moves_of(played.contests[game, one], moves, type_)
            for one, moves in zip(played.mechanisms, rows, strict=True)
            for type_ in played.types
        ]
        by_type.append(_panel(GAMES[game], game, blocks, each))
    across = len(pooled)
    figures = [
        block_bars(
            "figure-3",
            f"{name_counterpart('3')}: actions by mechanism, all types together",
            f"{_DRAWN} {played.who}",
            pooled,
            across=across,
            xlabel="share of moves",
        ),
        block_bars(
            "figure-4",
            f"{name_counterpart('4')}: actions by mechanism and type",
            f"{_DRAWN} {played.who} –: it was not played.",
            by_type,
            across=across,
            xlabel="share of moves",
        ),
    ]
    return Section(name_counterpart("3", "4"), figures, "figure-3")


def _moves_of(contest: Contest, moves: MoveTable, type_: str) -> Frequency | None:
    """Count the moves of a type; None if it did not take part."""
    return moves.of_type(contest.types.index(type_)) if type_ in contest.types else None


def _panel(
    title: str, game: str, blocks: Sequence[RowBlock], rows: Sequence[Frequency | None]
) -> BarPanelOfRows:
    labels = [*WORDS[game], DELEGATE]
    shares = [
        [np.nan] * len(labels)
        if often is None or not often.n
        else [often.drawn.get(label, np.nan) for label in labels]
        for often in rows
    ]
    counts = [0 if often is None else often.n for often in rows]
    return BarPanelOfRows(title, blocks, np.array(shares), np.array(counts), action_styles(game))


def reactions_section(evidence: Evidence) -> Section:
    """Draw Figs 5 to 8: what types do after what co-players did last."""
    played = PlayedDilemmas.of(evidence)
    figures = [
        figure for game in played.games if game in _FIGURES for figure in _reactions(played, game)
    ]
    if not figures:
        raise InsufficientEvidence("no game was repeated")
    return Section(name_counterpart("5 to 8"), figures, "figure-5")


def _reactions(played: PlayedDilemmas, game: str) -> Iterator[Figure]:
    tables = {
        one: MoveTable.of(*played.contests[game, one].cells)
        for one in REPEATED
        if (game, one) in played.contests
    }
    contexts = _order_contexts(game, tables.values())
    if len(contexts) < 2:
        return
    blocks = [RowBlock(name_context(game, one), played.names) for one in contexts]
    panels = []
    for one, moves in tables.items():
        types = played.contests[game, one].types
        rows = [
            moves.among((moves.types == types.index(type_)) & (moves.seen == at))
            if type_ in types and (at := _place(moves, context)) is not None
            else None
            for context in contexts
            for type_ in played.types
        ]
        panels.append(_panel(MECHANISMS[one], game, blocks, rows))
    number = 5 + _FIGURES[game]
    # Nobody delegates under repetition or reputation.
    shown = [one._replace(shares=one.shares[:, :-1], actions=one.actions[:-1]) for one in panels]
    yield block_bars(
        f"figure-{number}",
        f"{name_counterpart(str(number))}: actions after those of co-players, {GAMES[game]}",
        "Shares of moves in which an action was drawn, by what co-players had done when they last "
        f"moved; –: it never came to that. First moves are ours. {played.who}",
        shown,
        across=len(panels),
        xlabel="share of moves",
    )


def _place(moves: MoveTable, context: str) -> int | None:
    return moves.contexts.index(context) if context in moves.contexts else None


def _order_contexts(game: str, tables: Iterable[MoveTable]) -> list[str]:
    """Order what was seen: nothing yet, then from cooperation to its opposite."""
    ranks = {label: rank for rank, label in enumerate(WORDS[game])}
    seen = {one for moves in tables for one in moves.contexts} - {NOTHING_YET}
    ordered = sorted(seen, key=lambda one: sum(ranks[label] for label in one.split(", ")))
    return [NOTHING_YET, *ordered]


def name_context(game: str, context: str) -> str:
    """Say what co-players had done.

    >>> name_context("trust", "A1"), name_context("public_goods", "A0, A1")
    ('after defection', 'after 1 of 2 cooperated')
    >>> name_context("travellers_dilemma", "A3"), name_context("trust", "none yet")
    ('after a claim of 5', 'first moves')
    """
    if context == NOTHING_YET:
        return "first moves"
    labels = context.split(", ")
    if len(labels) > 1:
        return f"after {labels.count('A0')} of {len(labels)} cooperated"
    words = WORDS[game][labels[0]]
    if words.startswith("claims"):
        return f"after a claim of {words.removeprefix('claims ')}"
    return "after cooperation" if words == "cooperates" else "after defection"


AGREEMENTS = {  # by mechanism: the sort, and what of it is shown, in words
    "contract": ("contract", ("winner approved by all", "own one wins", "signed", "in force")),
    "mediation": (
        "mediator",
        ("winner approved by all", "own one wins", "moves delegated", "anyone delegates"),
    ),
}


def votes_section(evidence: Evidence) -> Section:
    """Draw Figs 9 to 12: how contracts and mediators were voted on and taken up."""
    played = PlayedDilemmas.of(evidence)
    games = [
        one for one in played.games
        if one in _FIGURES and any((one, agreed) in played.contests for agreed in AGREEMENTS)
    ]  # fmt: skip
    if not games:
        raise InsufficientEvidence("there were neither contracts nor mediators")
    figure = dot_panels(
        "figure-9",
        f"{name_counterpart('9 to 12')}: votes on contracts and mediators, and their adoption",
        "Shares of the seats that a type had in ballots, all types together in black. Own one "
        "wins: the type's own proposal is chosen. Anyone delegates: the mediator acts. "
        f"Where seats have the same type, each counts. {played.who}",
        [_votes_panel(played, game) for game in games],
        across=len(games),
    )
    return Section(name_counterpart("9 to 12"), [figure], "figure-9")


def _votes_panel(played: PlayedDilemmas, game: str) -> MetricPanel:
    """Put contracts and mediators into blocks of their own, with a row for each share."""
    blocks = [RowBlock(MECHANISMS[one], rows) for one, (_, rows) in AGREEMENTS.items()]
    shares = np.full((1 + len(played.types), sum(len(block.rows) for block in blocks)), np.nan)
    start = 0
    for one, (sort, rows) in AGREEMENTS.items():
        contest = played.contests.get((game, one))
        for own in adoption_shares(contest.cells, sort) if contest else ():
            place = 0 if own.type == ALL else 1 + played.types.index(own.type)
            known = own.unanimous, own.won, own.agreed, own.active
            shares[place, start : start + len(rows)] = np.array(known, float)
        start += len(rows)
    return MetricPanel(GAMES[game], blocks, name_dots(played, shares), bounds=(0, 1))
