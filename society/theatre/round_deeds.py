"""Who did what to whom in a round, as pairs of seats, and what the one knew of the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.terminal.console import TerminalStyle
from society.terminal.labels import Names
from society.terminal.pairs import fill_clause
from society.terminal.round_view import RoundView

from .history import History


class Deed(NamedTuple):
    """What one agent did to another one in a round.

    verb: the sort of deed, the same for all of its sort. words: the deed with its figures, to stand
    between the two names. told: what the actor had been told of the other's last deed, "" for none.
    """

    actor: int
    peer: int
    verb: str
    words: str
    told: str = ""


def deeds_in(
    history: History, number: int, replicate: int, names: Names, style: TerminalStyle
) -> list[Deed]:
    """List the deeds of a round, by actor; those who do not take part have none."""
    scene = history.scene(number)
    if not scene.running[replicate, 0]:
        return []
    found = [*_links(scene, replicate), *_meetings(history, scene, replicate, names, style)]
    return sorted(found, key=lambda deed: (deed.verb, deed.actor))


def _links(scene: RoundView, replicate: int) -> Iterator[Deed]:
    for verb, peers in scene.links():
        peer = peers[replicate]
        for seat in np.flatnonzero(peer != NOBODY).tolist():
            yield Deed(seat, int(peer[seat]), verb, verb)


def _meetings(
    history: History, scene: RoundView, replicate: int, names: Names, style: TerminalStyle
) -> Iterator[Deed]:
    """Yield what partners did to each other."""
    meeting, specs = scene.stage.meeting, history.manifest.specs
    if meeting is None:
        return
    peers, deeds = scene.column(meeting.peer), scene.column(meeting.deed)
    if peers is None or deeds is None:
        return
    rounds = _heard(scene, meeting.heard)
    for seat in np.flatnonzero(peers[replicate] != NOBODY).tolist():
        clause = _clause(meeting.clauses, deeds[replicate, seat])
        if not clause:
            continue
        peer = int(peers[replicate, seat])
        words = fill_clause(scene, replicate, clause, seat, style, specs)
        at = 0 if rounds is None else int(rounds[replicate, seat, 0])
        told = _told_of(history, scene, replicate, peer, at, names, style) if at > 0 else ""
        yield Deed(seat, peer, clause.partition(" ")[0], words, told)


def _clause(clauses: tuple[str, ...], deed: float) -> str:
    return clauses[int(deed)] if 0 <= deed < len(clauses) else ""


def _heard(scene: RoundView, name: str) -> Array | None:
    """Return the rounds of what agents were told of their partners, (R, N, K)."""
    for step in scene.page.steps if name else ():
        values = step.arrays.get(("own", name))
        if values is not None and values.ndim == 3 and values.shape[2]:
            return values
    return None


def _told_of(
    history: History,
    scene: RoundView,
    replicate: int,
    actor: int,
    at: int,
    names: Names,
    style: TerminalStyle,
) -> str:
    """Say what an agent had done in an earlier round of the same game."""
    path = (*scene.page.path[:-1], at)
    if path not in history.paths:
        return ""
    earlier, meeting = history.scene(history.paths.index(path)), scene.stage.meeting
    if meeting is None:
        return ""
    peers, deeds = earlier.column(meeting.peer), earlier.column(meeting.deed)
    if peers is None or deeds is None or peers[replicate, actor] == NOBODY:
        return ""
    clause = _clause(meeting.clauses, deeds[replicate, actor])
    words = fill_clause(earlier, replicate, clause, actor, style, history.manifest.specs)
    whom = short_label(names, int(peers[replicate, actor]))
    return f"{words} {style.words('→')} {whom}, round {at}"


def short_label(names: Names, seat: int) -> str:
    """Name an agent without its noun: 3, or 2_4."""
    return names[seat].rpartition(" ")[2]
