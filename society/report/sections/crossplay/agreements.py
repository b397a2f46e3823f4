"""The section on contracts and mediators: adoption, need of capable players, quality of designs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.crossplay import Contest, CrossPlay
from society.analysis.crossplay.adoption import (
    JudgedDesign,
    adoption_shares,
    agreement_kinds,
    designs,
)
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import Head, Table, known_mean

_LEAD = (
    "Players propose contracts or mediators, all vote on each proposal, and the proposal with "
    "most approvals is chosen, by lot among equals. A contract is in force if all have signed "
    "it; a mediator acts for those who delegate to it."
)
_ADOPTION = (
    "Shares of the seats that a type had in ballots. There is one ballot for each match, or for "
    "each game if contracts and mediators are made anew in every game. Where something was "
    "proposed: how often all approved of the winner, and how often the type signed (for "
    "mediators, the share of its moves that it delegated). in force: how often the contract was "
    "in force (for mediators, how often somebody delegated). won: the share of all seats with a "
    "proposal in whose ballot the type's own proposal won. Matches played under other rules have "
    "no ballot."
)
_CAPABLE = (
    "Mean payoff of all players of a match, in points, over runs. alone: all seats have this "
    "type. others alone: all seats have one other type. one of them: at least one player has "
    "this type and at least one does not. If a mechanism works as soon as one player can use it, "
    "one of them is close to the higher of the two others."
)
_QUALITY = (
    "Designs made by each type for each seat, before the matches. dominant: to cooperate (under "
    "a mediator, to delegate) is a best action, whatever the others do. equilibrium: it is a best "
    "action if the others do the same. better: everybody then gets more than in equilibrium "
    "without the design. Gains of up to 1e-9 points count as none. A mediator that would not "
    "cooperate for all is none of the three. The capable rule agents of this package sign "
    "contracts that are dominant and better, and delegate if that is an equilibrium and better."
)
_JUDGEMENTS = ("dominant", "equilibrium", "better")


def agreements_section(of: CrossPlay) -> Section:
    """Show agreements; empty if there is neither contract nor mediator."""
    made = [contest for contest in of.contests if agreement_kinds(contest.first)]
    parts = [_LEAD, _adoption_table(made), *_capable(made), *_quality(made)] if made else []
    return Section("Contracts and mediators", parts, "agreements")


def _place(contest: Contest) -> tuple[str, str]:
    return contest.game, contest.mechanism


def _adoption_table(made: Sequence[Contest]) -> Table:
    rows = [
        (*_place(contest), sort, *own)
        for contest in made
        for sort in agreement_kinds(contest.first)
        for own in adoption_shares(contest.cells, sort)
    ]
    head: Head = [
        ("text", "game", "mechanism", "by", "type"),
        ("share", "approved by all", "won", "agreed", "in force"),
        ("count", "seats", "with a proposal"),
    ]
    title = "How contracts and mediators were taken up"
    return Table.of("agreements", title, head, rows, _ADOPTION)


def _capable(made: Sequence[Contest]) -> Iterator[SectionPart]:
    """The payoff of a match if all, one or none of the players are of a type."""
    rows = [
        (*_place(contest), one, *_welfare(contest, number))
        for contest in made
        if contest.first.matches == 1 and len(contest.types) > 1
        for number, one in enumerate(contest.types)
    ]
    if rows:
        head: Head = [
            ("text", "game", "mechanism", "type"),
            ("share", "alone", "others alone", "one of them"),
        ]
        title = "Is one capable player enough?"
        yield Table.of("agreements_capable", title, head, rows, _CAPABLE)


def _welfare(contest: Contest, number: int) -> list[float | None]:
    """Mean payoff where all are of a type, all of another one, and where some are of it."""
    matches = [cell.matchups() for cell in contest.finished]
    if not matches:
        return [None, None, None]
    seats = np.concatenate([each.seats for each in matches])
    mean = np.concatenate([each.payoffs for each in matches]).mean(1)
    alike = (seats == seats[:, :1]).all(1)
    here = (seats == number).any(1)
    return [known_mean(mean[some]) for some in (alike & here, alike & ~here, ~alike & here)]


def _quality(made: Sequence[Contest]) -> Iterator[SectionPart]:
    found = [
        (contest, design) for contest in made for cell in contest.cells for design in designs(cell)
    ]
    groups: dict[tuple[Contest, str, str], list[JudgedDesign]] = {}
    for contest, design in found:
        groups.setdefault((contest, design.sort, design.type), []).append(design)
    rows = [
        (
            *(*_place(contest), sort, one),
            *(len(own), sum(each.fields is None for each in own)),
            *(_share(flags) for flags in zip(*map(_judgements, own), strict=True)),
        )
        for (contest, sort, one), own in groups.items()
    ]
    head: Head = [
        ("text", "game", "mechanism", "by", "type"),
        ("count", "designs", "unreadable"),
        ("share", *_JUDGEMENTS),
    ]
    title = "Designs under which cooperation pays"
    if found:
        table = Table.of("designs", title, head, rows, _QUALITY)
        yield Section(
            "How good designs are", [table, folded_section("All designs", _all_designs(found))]
        )


def _judgements(design: JudgedDesign) -> tuple[bool | None, bool | None, bool | None]:
    return design.dominant, design.stable, design.better


def _share(flags: Sequence[bool | None]) -> float | None:
    known = [flag for flag in flags if flag is not None]
    return sum(known) / len(known) if known else None


def _all_designs(found: Sequence[tuple[Contest, JudgedDesign]]) -> Table:
    rows = [
        (
            *(*_place(contest), design.sort, design.type),
            *(design.repetition, design.seat, _terms(design)),
            *(None if flag is None else "yes" if flag else "no" for flag in _judgements(design)),
        )
        for contest, design in found
    ]
    head: Head = [
        ("text", "game", "mechanism", "by", "type"),
        ("count", "repetition", "seat"),
        ("words", "design"),
        ("text", *_JUDGEMENTS),
    ]
    return Table.of("designs_all", "All designs", head, rows)


def _terms(design: JudgedDesign) -> str:
    if design.fields is None:
        return "could not be read"
    return "; ".join(
        f"{name}: {value + 0:g}" if isinstance(value, int | float) else f"{name}: {value}"
        for name, value in design.fields.items()
    )
