"""Matches of programs, all rounds of many games at once, inside a worker."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, repeat
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from society.sandbox.matches.automata import UNKNOWN, Automaton, AutomatonTables
from society.sandbox.matches.match_record import HistoryView, MatchRecord, ObservedRounds
from society.sandbox.matches.simulation import OpenSeat
from society.sandbox.running.facades import Chance
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import Failure
from society.sandbox.source.sufficient_history import OPPONENTS
from society.sandbox.stage_games import StageGame

_SEATS_AT_ONCE = 8192


@dataclass(frozen=True)
class MatchBatch:
    """Games of one kind: seats[g, i] is the index of the program that plays seat i of game g.

    seeds, (G, n) of uint64, are those of the programs' generators. The disqualified programs (by
    index) are not run: they play their fallback. open_source: whether programs see each other's
    sources, and may simulate each other.
    """

    game: StageGame
    seats: NDArray[Any]
    seeds: NDArray[Any]
    disqualified: frozenset[int] = frozenset()
    open_source: bool = False


class Trouble(NamedTuple):
    """A call that gave no move: an error, a broken rule, or the third error of one game."""

    game: int
    seat: int
    round: int
    program: int
    kind: Literal["error", "rule", "errors", "jail"]
    sentence: str
    line: int | None


class BatchResult(NamedTuple):
    """Who cooperated, (G, n, rounds) of bool, and every call that gave no move, in order."""

    actions: NDArray[Any]
    troubles: list[Trouble]


def play_batch(
    programs: Sequence[LoadedProgram],
    batch: MatchBatch,
    tables: AutomatonTables,
    mark: Callable[[int], object],
) -> BatchResult:
    """Play all games of a batch; `mark` is called with a program's index before it is run.

    The result depends on the programs and the batch only, not on what the tables know already.
    """
    games, players = batch.seats.shape
    at_once = max(1, _SEATS_AT_ONCE // players)
    actions = np.zeros((games, players, batch.game.rounds), bool)
    troubles: list[Trouble] = []
    # A program that divides by zero computes with infinities; nobody reads numpy's warnings here.
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        for start in range(0, games, at_once):
            part = _Games(programs, batch, slice(start, start + at_once), tables, mark)
            with _no_collection():
                actions[start : start + at_once] = part.play()
            troubles += (one._replace(game=one.game + start) for one in part.troubles)
    return BatchResult(actions, sorted(troubles, key=lambda one: (one.game, one.round, one.seat)))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let no garbage be collected for a while: collections would walk large tables each time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _LiveSeat:
    """A seat whose program is called each round, with an instance of its own."""

    __slots__ = ("chance", "errors", "index", "instance", "move")

    def __init__(
        self,
        automaton: Automaton,
        instance: Any,
        chance: Chance,
        errors: int,
        seat: OpenSeat | None = None,
    ) -> None:
        self.index, self.move = automaton.index, (seat or automaton.runnable).move
        self.instance, self.chance, self.errors = instance, chance, errors


class _Games:
    """Games that are played side by side, round by round."""

    def __init__(
        self,
        programs: Sequence[LoadedProgram],
        batch: MatchBatch,
        part: slice,
        tables: AutomatonTables,
        mark: Callable[[int], object],
    ) -> None:
        self.game, self.mark, self.open_source = batch.game, mark, batch.open_source
        self.programs = programs
        self.table = tables.of(batch.game)
        seats, seeds = batch.seats[part].ravel(), batch.seeds[part].ravel()
        used, first, which = np.unique(seats, return_index=True, return_inverse=True)
        automata = [self.table.automaton(one, programs[one]) for one in used.tolist()]
        # Programs of one view stand side by side, as they are shown the past at once.
        order = sorted(range(len(used)), key=lambda one: automata[one].view)
        self.automata = [automata[one] for one in order]
        self.first, self.which = first[order].tolist(), np.argsort(order)[which]
        views = [one.view for one in self.automata]
        self.views = [
            (view, views.index(view), views.index(view) + len([*same]))
            for view, same in groupby(views)
        ]
        self.out = {
            one for one, found in enumerate(self.automata) if found.index in batch.disqualified
        }
        self.sets = np.array([one.sees_sets for one in self.automata])[self.which]
        sees_opponents = any(OPPONENTS & {*view.arrays} for view in views)
        games = len(seats) // self.game.players
        self.record = MatchRecord(self.game, games, opponents=sees_opponents)
        self.seats, self.seeds = seats, seeds
        self.nodes = np.full(len(seats), UNKNOWN, np.int64)
        self.live: dict[int, _LiveSeat] = {}
        self._part_live()
        self.held: dict[int, tuple[int, Any]] = {}  # an instance by its seat, and where it stands
        self.troubles: list[Trouble] = []

    def play(self) -> NDArray[Any]:
        """Play all rounds; returns who cooperated, (G, n, rounds)."""
        self._begin()
        for number in range(self.game.rounds):
            if number:
                self._follow_edges(number)
            self._play_round(number)
        return self.record.my_actions.reshape(-1, self.game.players, self.game.rounds)

    def _play_round(self, number: int) -> None:
        cooperates = np.empty(len(self.nodes), bool)
        at = self.nodes[self.tabled]
        cooperates[self.tabled] = self.table.moves[at]
        if self.table.failures:
            for place in np.flatnonzero(self.table.troubled[at]).tolist():
                seat = int(self.tabled[place])
                self._report(seat, number, self.table.failures[int(at[place])])
        if self.playing.size:
            self._call_live(number, cooperates)
        self.record.add_round(number, cooperates)

    def _report(self, seat: int, number: int, failure: Failure) -> None:
        game, player = divmod(seat, self.game.players)
        program = self.automata[self.which[seat]].index
        self.troubles.append(Trouble(game, player, number, program, *failure))

    # Seats whose moves are looked up.

    def _begin(self) -> None:
        """Place each seat at its program's first node, or make it live."""
        first = np.full(len(self.automata), UNKNOWN, np.int64)
        for one, automaton in enumerate(self.automata):
            if one in self.out:
                first[one] = self.table.fallback(automaton)
            elif automaton.is_tabled(self.game.players) and self.table.has_room(automaton):
                first[one] = self._root(automaton, self.first[one])
        self.nodes = first[self.which]
        self._part_live()
        for seat in np.flatnonzero(self.nodes == UNKNOWN).tolist():
            self._start_live(seat)

    def _part_live(self) -> None:
        """Part the seats that look moves up from those whose programs play."""
        self.tabled = np.flatnonzero(self.nodes != UNKNOWN)
        self.playing = np.flatnonzero(self.nodes == UNKNOWN)

    def _root(self, automaton: Automaton, seat: int) -> int:
        if automaton.root == UNKNOWN:
            self.mark(automaton.index)
            instance, state, failure = automaton.fresh()
            if failure:
                fallback = automaton.runnable.fallback
                automaton.root = self.table.add(automaton, fallback, failure, state, 0)
            else:
                shown = self._show(seat, 0, automaton.view)
                automaton.root = self._called(automaton, instance, shown, 0, seat)
        return automaton.root

    def _show(self, seat: int, rounds: int, view: HistoryView) -> tuple[Any, ...]:
        return ObservedRounds(self.record, np.array([seat]), rounds).arguments(view)[0]

    def _by_view(self, seats: NDArray[Any]) -> Iterator[tuple[HistoryView, slice]]:
        """Part seats, which are ordered by program, by what their programs are shown."""
        which = self.which[seats]
        for view, begin, end in self.views:
            start, stop = np.searchsorted(which, (begin, end)).tolist()
            if start < stop:
                yield view, slice(start, stop)

    def _called(
        self, automaton: Automaton, instance: Any, shown: tuple[Any, ...], errors: int, seat: int
    ) -> int:
        """Call a program, and add a node with its move."""
        move, failure, state = automaton.ask(instance, shown, errors)
        node = self.table.add(automaton, move, failure, state, errors)
        if state is None:
            self.held[seat] = node, instance
        return node

    def _follow_edges(self, number: int) -> None:
        """Take each seat to its next node, by what it saw of the last round."""
        table, tabled = self.table, self.tabled
        edges = self.nodes[tabled] * table.width + self._symbols(number - 1)[tabled]
        after = table.edges[edges].astype(np.int64)
        missing = np.flatnonzero(after == UNKNOWN)
        if missing.size:
            unknown, first, which = np.unique(
                edges[missing], return_index=True, return_inverse=True
            )
            found = self._find(tabled[missing[first]], number)
            table.edges[unknown] = found
            after[missing] = found[which]
        self.nodes[tabled] = after
        if missing.size and (after == UNKNOWN).any():
            self._go_live(tabled[after == UNKNOWN], edges[after == UNKNOWN], number)

    def _symbols(self, number: int) -> NDArray[Any]:
        """Number what each seat saw of a round: the count, or the set, of those who cooperated."""
        counts: NDArray[Any] = self.record.opponent_cooperators[:, number]
        if not self.record.sees_opponents or self.table.width <= self.game.players:
            return counts
        bits = 1 << np.arange(self.game.players - 1)
        return np.where(self.sets, self.record.opponent_actions[:, number] @ bits, counts)

    def _find(self, seats: NDArray[Any], number: int) -> NDArray[np.int64]:
        """The nodes that edges lead to, those of one seat each; UNKNOWN if there is no room."""
        order = np.argsort(self.which[seats], kind="stable")
        seats = seats[order]
        nodes: list[int] = []
        for view, part in self._by_view(seats):
            seen = ObservedRounds(self.record, seats[part], number)
            parents, shown = self.nodes[seats[part]].tolist(), seen.arguments(view)
            for place, seat in enumerate(seats[part].tolist()):
                nodes.append(self._child(parents[place], seat, seen, place, shown[place]))
        found = np.empty(len(seats), np.int64)
        found[order] = nodes
        return found

    def _child(
        self, parent: int, seat: int, seen: ObservedRounds, place: int, shown: tuple[Any, ...]
    ) -> int:
        table = self.table
        automaton, state, errors = table.owners[parent], table.states[parent], table.errors[parent]
        key = None
        if state is not None and not automaton.whole:
            key = automaton.key(seen, place), state.key, errors
            node = automaton.nodes.get(key, UNKNOWN)
            if node != UNKNOWN:
                return node
        if not table.has_room(automaton):
            return UNKNOWN
        self.mark(automaton.index)
        if state is None:
            instance = self._instance_at(parent, seat, seen.rounds)
        else:
            instance = automaton.at_state(state)
        node = self._called(automaton, instance, shown, errors, seat)
        if key is not None:
            automaton.nodes[key] = node
        return node

    def _instance_at(self, parent: int, seat: int, rounds: int) -> Any:
        """An instance that has played up to a node, where what it remembers is not known."""
        node, instance = self.held.get(seat, (UNKNOWN, None))
        if node == parent:
            return instance
        return self._replayed(self.table.owners[parent], seat, rounds)

    def _replayed(self, automaton: Automaton, seat: int, rounds: int) -> Any:
        """A new instance that has seen the rounds before; its moves are known."""
        instance, _ = automaton.runnable.start()
        for number in range(rounds):
            automaton.runnable.move(instance, self._show(seat, number, automaton.view), 0)
        return instance

    # Seats whose programs are called each round.

    def _start_live(self, seat: int) -> None:
        automaton = self.automata[self.which[seat]]
        chance = Chance(int(self.seeds[seat]))
        self.mark(automaton.index)
        opened = self._open_seat(seat, automaton) if self.open_source else None
        instance, failure = (opened or automaton.runnable).start(chance)
        if failure:
            self._report(seat, 0, failure)
            self._give_up(seat)
        else:
            self.live[seat] = _LiveSeat(automaton, instance, chance, 0, opened)

    def _open_seat(self, seat: int, automaton: Automaton) -> OpenSeat | None:
        """The seat of a program that sees the sources of its co-players, or None."""
        if not automaton.program.sees_sources:
            return None
        first = seat - seat % self.game.players
        others = [one for one in range(first, first + self.game.players) if one != seat]
        table = [
            self.table.automaton(one, self.programs[one]).runnable
            for one in self.seats[[seat, *others]].tolist()
        ]
        return OpenSeat(table, self.game, int(self.seeds[seat]))

    def _give_up(self, seat: int) -> None:
        """Let a seat's program play its fallback to the end of the game."""
        self.nodes[seat] = self.table.fallback(self.automata[self.which[seat]])
        self._part_live()

    def _go_live(self, seats: NDArray[Any], edges: NDArray[Any], number: int) -> None:
        """Let seats leave the table, which has no room for what they see."""
        for seat, edge in zip(seats.tolist(), edges.tolist(), strict=True):
            parent = edge // self.table.width
            automaton, state = self.table.owners[parent], self.table.states[parent]
            if state is None:
                instance = self._instance_at(parent, seat, number)
            else:
                instance, _ = automaton.runnable.start()
                state.restore(instance)
            chance = Chance(int(self.seeds[seat]))
            self.live[seat] = _LiveSeat(automaton, instance, chance, self.table.errors[parent])
        self._part_live()

    def _call_live(self, number: int, cooperates: NDArray[Any]) -> None:
        order = np.argsort(self.which[self.playing], kind="stable")
        seats = self.playing[order]
        for view, part in self._by_view(seats):
            shown = ObservedRounds(self.record, seats[part], number).arguments(view)
            cooperates[seats[part]] = list(
                map(self._call, seats[part].tolist(), shown, repeat(number))
            )

    def _call(self, seat: int, shown: tuple[Any, ...], number: int) -> bool:
        one = self.live[seat]
        self.mark(one.index)
        move, failure = one.move(one.instance, shown, one.errors, one.chance)
        if failure:
            one.errors += 1
            self._report(seat, number, failure)
            if failure.ends_the_game:
                self._give_up(seat)
        return move
