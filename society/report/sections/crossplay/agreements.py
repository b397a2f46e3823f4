"""The chapter on contracts and mediators: adoption, who was needed for it, quality of designs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.crossplay import Contest, CrossPlay
from society.analysis.crossplay.adoption import (
    JudgedDesign,
    adoption_rows,
    agreement_kinds,
    designs,
)
from society.draws import Array
from society.report.page import Chapter, Fold, Heading, Paragraph, Part
from society.report.tables import Cell, Column, Table

_LEAD = (
    "Players propose contracts or mediators, all vote on each proposal, and the one that most "
    "approve of is chosen, by lot among equals. A contract is in force if all have signed it, a "
    "mediator acts for those who delegate to it."
)
_CAPABLE = (
    "Mean payoff of all players of a match, in points and over runs. alone: all seats are of this "
    "type. others alone: all are of one other type. one of them: one player at least is of this "
    "type, and one is not. If a mechanism works as soon as one player can use it, one of them is "
    "near the higher of the two others."
)
_QUALITY = (
    "Of designs made once by each type and seat. dominant: to cooperate (under a mediator, to "
    "delegate) is a best action, whatever the others do; equilibrium: if the others do the same. "
    "better: everybody then gets more than in equilibrium without it. Gains of up to 1e-9 points "
    "are none. A mediator that would not cooperate for all is none of them. Capable minds of ours "
    "sign what is dominant and better, and delegate if that is an equilibrium and better."
)


def agreements(of: CrossPlay) -> Chapter | None:
    """The chapter; None if there is neither contract nor mediator."""
    made = [contest for contest in of.contests if agreement_kinds(contest.first)]
    if not made:
        return None
    parts: list[Part] = [Paragraph(_LEAD), _adoption(made), *_capable(made), *_quality(made)]
    return Chapter("agreements", "Contracts and mediators", parts)


class _Adopted(NamedTuple):
    """One row: of all or of one type; shares of its seats, and of all ballots those it won.

    n: seats in ballots; proposed: those in which anything was proposed.
    """

    contest: Contest
    sort: str
    type: str
    unanimous: float | None
    won: float | None
    agreed: float | None
    active: float | None
    n: int
    proposed: int


def _adoption(made: Sequence[Contest]) -> Table:
    pairs = [(contest, sort) for contest in made for sort in agreement_kinds(contest.first)]
    rows = [row for contest, sort in pairs for row in _rows(contest, sort)]
    columns = [
        *_of(row.contest for row in rows),
        Column("by", [row.sort for row in rows]),
        Column("type", [row.type for row in rows]),
        Column("approved by all", [row.unanimous for row in rows], "share"),
        Column("won", [row.won for row in rows], "share"),
        Column("agreed", [row.agreed for row in rows], "share"),
        Column("in force", [row.active for row in rows], "share"),
        Column("seats", [row.n for row in rows], "count"),
        Column("with a proposal", [row.proposed for row in rows], "count"),
    ]
    notes = [
        "Of the seats that a type had in ballots, one for each match, or for each game where "
        "contracts and mediators are made anew in every game: how often, where something was "
        "proposed, the winner was approved by all, and the type signed (the share of its moves "
        "that it delegated); how often the contract was in force (somebody delegated). won: the "
        "share of all seats, where something was proposed, in whose ballot its own proposal won. "
        "Matches that are played under other rules have no ballot."
    ]
    return Table("agreements", "How contracts and mediators were taken up", columns, notes)


def _rows(contest: Contest, sort: str) -> Iterator[_Adopted]:
    blocks = [adoption_rows(cell) for cell in contest.cells]
    facts = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    of_sort = facts["mechanism"] == sort
    proposed = of_sort & ~np.isnan(facts["approvals"])
    winners = facts["winner"][proposed]
    for one in ("all", *contest.types):
        some = of_sort & ((facts["type"] == one) | (one == "all"))
        had = some & proposed
        unanimous, agreed = (_mean(facts[name][had]) for name in ("unanimous", "agreed"))
        won = None if one == "all" else _mean(winners == one)
        active = _mean(facts["active"][some])
        yield _Adopted(
            contest, sort, one, unanimous, won, agreed, active, int(some.sum()), int(had.sum())
        )


def _mean(values: Array) -> float | None:
    return float(values.mean()) if values.size else None


def _of(contests: Iterable[Contest]) -> Iterator[Column]:
    """The first columns: games and mechanisms."""
    rows = list(contests)
    yield Column("game", [contest.game for contest in rows])
    yield Column("mechanism", [contest.mechanism for contest in rows])


def _capable(made: Sequence[Contest]) -> Iterator[Part]:
    """What a match pays if all, one or none of the players are of a type."""
    rows = [
        (contest, one, _welfare(contest, number))
        for contest in made
        if contest.first.matches == 1 and len(contest.types) > 1
        for number, one in enumerate(contest.types)
    ]
    if rows:
        columns = [
            *_of(contest for contest, *_ in rows),
            Column("type", [one for _, one, _ in rows]),
            *(
                Column(heading, [welfare[at] for *_, welfare in rows], "share")
                for at, heading in enumerate(("alone", "others alone", "one of them"))
            ),
        ]
        yield Table("agreements_capable", "Is one capable player enough?", columns, [_CAPABLE])


def _welfare(contest: Contest, number: int) -> list[float | None]:
    """Mean payoff where all are of a type, all of another one, and where some are of it."""
    matches = [cell.matchups() for cell in contest.finished]
    if not matches:
        return [None, None, None]
    seats = np.concatenate([each.seats for each in matches])
    mean = np.concatenate([each.payoffs for each in matches]).mean(1)
    alike = (seats == seats[:, :1]).all(1)
    here = (seats == number).any(1)
    cases = [mean[some & ~np.isnan(mean)] for some in (alike & here, alike & ~here, ~alike & here)]
    return [float(own.mean()) if own.size else None for own in cases]


def _quality(made: Sequence[Contest]) -> Iterator[Part]:
    found = [
        (contest, design) for contest in made for cell in contest.cells for design in designs(cell)
    ]
    if not found:
        return
    yield Heading("How good designs are")
    keys = dict.fromkeys((contest, design.sort, design.type) for contest, design in found)
    groups = [
        [design for other, design in found if (other, design.sort, design.type) == key]
        for key in keys
    ]
    columns = [
        *_of(contest for contest, *_ in keys),
        Column("by", [sort for _, sort, _ in keys]),
        Column("type", [one for *_, one in keys]),
        Column("designs", [len(own) for own in groups], "count"),
        Column("unreadable", [sum(one.fields is None for one in own) for own in groups], "count"),
        Column("dominant", [_share([one.dominant for one in own]) for own in groups], "share"),
        Column("equilibrium", [_share([one.stable for one in own]) for own in groups], "share"),
        Column("better", [_share([one.better for one in own]) for own in groups], "share"),
    ]
    yield Table("designs", "Designs under which cooperation pays", columns, [_QUALITY])
    yield Fold("All designs", [_all(found)])


def _share(flags: Sequence[bool | None]) -> float | None:
    known = [flag for flag in flags if flag is not None]
    return sum(known) / len(known) if known else None


def _all(found: Sequence[tuple[Contest, JudgedDesign]]) -> Table:
    columns = [
        *_of(contest for contest, _ in found),
        Column("by", [design.sort for _, design in found]),
        Column("type", [design.type for _, design in found]),
        Column("seat", [design.seat for _, design in found], "count"),
        Column("design", [_words(design) for _, design in found], "words"),
        Column("dominant", [_yes(design.dominant) for _, design in found]),
        Column("equilibrium", [_yes(design.stable) for _, design in found]),
        Column("better", [_yes(design.better) for _, design in found]),
    ]
    return Table("designs_all", "All designs", columns)


def _words(design: JudgedDesign) -> str:
    if design.fields is None:
        return "could not be read"
    said = (
        f"{name}: {value + 0:g}" if isinstance(value, int | float) else f"{name}: {value}"
        for name, value in design.fields.items()
    )
    return "; ".join(said)


def _yes(flag: bool | None) -> Cell:
    return None if flag is None else "yes" if flag else "no"
