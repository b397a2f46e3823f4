"""Matches of programs, all rounds of many games at once, inside a worker."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from society.sandbox.matches.automata import UNKNOWN, Automaton, AutomatonTables, Toss
from society.sandbox.matches.match_record import HistoryView, MatchRecord, ObservedRounds
from society.sandbox.matches.simulation import OpenSeat
from society.sandbox.running.facades import Chance
from society.sandbox.running.instance_state import STATELESS, InstanceState
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import Failure
from society.sandbox.running.seeded_random import ScriptedChance
from society.sandbox.source.sufficient_history import OPPONENTS
from society.sandbox.stage_games import StageGame

_SEATS_AT_ONCE = 8192
_MOST_TOSSES = 4  # of one decision that is looked up


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


MoveOfProgram = Callable[..., tuple[bool, Failure | None]]


@dataclass(slots=True)
class _LiveSeat:
    """A seat whose program, of this index, is called each round."""

    seat: int
    index: int
    move: MoveOfProgram
    instance: Any
    chance: Chance
    errors: int = 0


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
        seats, self.seeds = batch.seats[part].ravel(), batch.seeds[part].ravel()
        used, first, which = np.unique(seats, return_index=True, return_inverse=True)
        automata = [self.table.automaton(one, programs[one]) for one in used.tolist()]
        # Programs of one view stand side by side, as they are shown the past at once.
        order = sorted(range(len(used)), key=lambda one: automata[one].view)
        self.automata = [automata[one] for one in order]
        self.first, self.which = first[order], np.argsort(order)[which]
        views = [one.view for one in self.automata]
        self.views = [
            (view, views.index(view), views.index(view) + len([*same]))
            for view, same in groupby(views)
        ]
        self.out = {
            one for one, found in enumerate(self.automata) if found.index in batch.disqualified
        }
        self.has_part = np.array([one.part is not None for one in self.automata])
        self.sets = np.array([one.sees_sets for one in self.automata])[self.which]
        games = len(seats) // self.game.players
        sees_opponents = any(OPPONENTS & {*view.arrays} for view in views)
        self.record = MatchRecord(self.game, games, opponents=sees_opponents)
        self.seats = seats
        self.nodes = np.full(len(seats), UNKNOWN, np.int64)
        self.chances: dict[int, Chance] = {}
        self.live: dict[int, _LiveSeat] = {}
        self.held: dict[int, tuple[int, Any]] = {}  # an instance by its seat, and where it stands
        self.troubles: list[Trouble] = []

    def play(self) -> NDArray[Any]:
        """Play all rounds; returns who cooperated, (G, n, rounds)."""
        self._begin()
        for number in range(self.game.rounds):
            if number:
                self._follow_edges(number)
            self._play_round(number)
        self._count_decisions()
        return self.record.my_actions.reshape(-1, self.game.players, self.game.rounds)

    def _count_decisions(self) -> None:
        seats = np.bincount(self.which, minlength=len(self.automata))
        for automaton, count in zip(self.automata, seats.tolist(), strict=True):
            automaton.decisions += count * self.game.rounds
        for one in self.live:
            self.automata[self.which[one]].calls += self.game.rounds

    def _play_round(self, number: int) -> None:
        cooperates = np.empty(len(self.nodes), bool)
        if self.table.tosses:
            self._toss()
        at = self.nodes[self.tabled]
        cooperates[self.tabled] = self.table.moves[at]
        if self.table.failures:
            for place in np.flatnonzero(self.table.troubled[at]).tolist():
                seat = int(self.tabled[place])
                self._report(seat, number, self.table.failures[int(at[place])])
        if self.playing.size:
            self._call_live(number, cooperates)
        self.record.add_round(number, cooperates)

    def _toss(self) -> None:
        """Let programs toss their coins, each with the chance of its seat."""
        tosses = self.table.tosses
        seats = self.tabled[self.table.tossing[self.nodes[self.tabled]]]
        for seat, node in zip(seats.tolist(), self.nodes[seats].tolist(), strict=True):
            draw = self._chance(seat).python.random
            while toss := tosses.get(node):
                node = toss.true if toss.compare(draw(), toss.bound) else toss.false
            self.nodes[seat] = node

    def _chance(self, seat: int) -> Chance:
        if seat not in self.chances:
            self.chances[seat] = Chance(int(self.seeds[seat]))
        return self.chances[seat]

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
            elif automaton.is_tabled and (automaton.root != UNKNOWN or self.table.has_room()):
                first[one] = self._root(automaton, int(self.first[one]))
        self.table.write()
        self.nodes = first[self.which]
        for seat in np.flatnonzero(self.nodes == UNKNOWN).tolist():
            self._start_live(seat)
        self._part_live()

    def _part_live(self) -> None:
        """Part the seats that look moves up from those whose programs play, in their order."""
        self.tabled = np.flatnonzero(self.nodes != UNKNOWN)
        playing = np.flatnonzero(self.nodes == UNKNOWN)
        self.playing = playing[np.argsort(self.which[playing], kind="stable")]
        self.players = [self.live[seat] for seat in self.playing.tolist()]

    def _root(self, automaton: Automaton, seat: int) -> int:
        if automaton.root == UNKNOWN:
            self.mark(automaton.index)
            instance, state, failure = automaton.fresh()
            if not automaton.is_tabled:  # it draws before the first round
                return UNKNOWN
            shown = self._show(seat, 0, automaton.view)
            if failure:
                fallback = automaton.runnable.fallback
                automaton.root = self.table.add(automaton, fallback, failure, state, 0)
            elif automaton.program.random:
                automaton.root = self._tried(automaton, state, shown, 0)
            else:
                automaton.root = self._called(automaton, instance, shown, 0, seat)
        return automaton.root

    def _show(self, seat: int, rounds: int, view: HistoryView) -> tuple[Any, ...]:
        return ObservedRounds(self.record, np.array([seat]), rounds).arguments(view)[0]

    def _shown(self, seats: NDArray[Any], number: int) -> list[tuple[Any, ...]]:
        """The arguments for the programs of seats, which are ordered by program."""
        which = self.which[seats]
        shown: list[tuple[Any, ...]] = []
        for view, begin, end in self.views:
            start, stop = np.searchsorted(which, (begin, end)).tolist()
            if start < stop:
                shown += ObservedRounds(self.record, seats[start:stop], number).arguments(view)
        return shown

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
        symbols = self.record.symbols(number - 1, self.sets)[tabled]
        edges = self.nodes[tabled] * table.width + symbols
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

    def _find(self, seats: NDArray[Any], number: int) -> NDArray[np.int64]:
        """The nodes that edges lead to, those of one seat each; UNKNOWN if there is no room."""
        table, known, parents = self.table, self.table.known, self.nodes[seats]
        owners, memories = table.owners[parents], table.memories[parents]
        errors = table.errors[parents]
        keyed = np.flatnonzero((memories != 0) & self.has_part[self.which[seats]])
        keys: list[bytes | None] = [None] * len(seats)
        found = [UNKNOWN] * len(seats)
        parts = table.parts[owners[keyed]]
        at = owners[keyed], memories[keyed], errors[keyed]
        packed = table.keys.pack(self.record, seats[keyed], number, parts, *at)
        for place, key in zip(keyed.tolist(), packed, strict=True):
            keys[place] = key
            found[place] = known.get(key, UNKNOWN)
        unknown = np.array([place for place, node in enumerate(found) if node == UNKNOWN], int)
        unknown = unknown[np.argsort(self.which[seats[unknown]], kind="stable")]
        has_room = table.has_room()
        calls = zip(
            unknown.tolist(),
            owners[unknown].tolist(),
            memories[unknown].tolist(),
            errors[unknown].tolist(),
            self._shown(seats[unknown], number),
            strict=True,
        )
        for place, owner, memory, mistakes, shown in calls:
            key = keys[place]
            node = UNKNOWN if key is None else known.get(key, UNKNOWN)
            if node == UNKNOWN:
                automaton = table.automata[owner]
                if not has_room:
                    continue
                self.mark(automaton.index)
                if automaton.forgets:
                    automaton.calls += 1
                    move, failure = automaton.move(automaton.shared, shown, mistakes)
                    node = table.add(automaton, move, failure, STATELESS, mistakes)
                else:
                    parent, seat = int(parents[place]), int(seats[place])
                    state = table.states[memory]
                    node = self._child(automaton, state, parent, seat, number, shown, mistakes)
                if key is not None and node != UNKNOWN:
                    known[key] = node
            found[place] = node
        table.write()
        return np.array(found)

    def _child(
        self,
        automaton: Automaton,
        state: InstanceState | None,
        parent: int,
        seat: int,
        rounds: int,
        shown: tuple[Any, ...],
        errors: int,
    ) -> int:
        """Call a program that remembers or draws, and add the node that it comes to."""
        if automaton.program.random:
            tabled = automaton.is_tabled
            return self._tried(automaton, state, shown, errors) if tabled else UNKNOWN
        if state is None:
            instance = self._instance_at(parent, seat, rounds)
        else:
            instance = automaton.at_state(state)
        return self._called(automaton, instance, shown, errors, seat)

    def _tried(
        self,
        automaton: Automaton,
        state: InstanceState | None,
        shown: tuple[Any, ...],
        errors: int,
        outcomes: tuple[bool, ...] = (),
    ) -> int:
        """Call a program once for each way in which its coins can fall; returns the first node.

        UNKNOWN if that cannot be done, since it uses chance for more than a few tosses.
        """
        script, after = ScriptedChance(outcomes), None
        if state is not None:
            instance = automaton.at_state(state)
            move, failure, after = automaton.ask(instance, shown, errors, script)
        if after is None or script.unscripted or len(script.bounds) > _MOST_TOSSES:
            automaton.leave_tables()
            return UNKNOWN
        node = self.table.add(automaton, move, failure, after, errors)
        fallen = (*outcomes, *(False,) * (len(script.bounds) - len(outcomes)))
        for turn in reversed(range(len(outcomes), len(fallen))):
            other = self._tried(automaton, state, shown, errors, (*fallen[:turn], True))
            if other == UNKNOWN:
                return UNKNOWN
            node = self.table.add_toss(automaton, Toss(*script.bounds[turn], other, node))
        return node

    def _at(self, node: int) -> tuple[Automaton, InstanceState | None]:
        table = self.table
        return table.automata[table.owners[node]], table.states[table.memories[node]]

    def _instance_at(self, parent: int, seat: int, rounds: int) -> Any:
        """An instance that has played up to a node, where what it remembers is not known."""
        node, instance = self.held.get(seat, (UNKNOWN, None))
        if node == parent:
            return instance
        return self._replayed(self._at(parent)[0], seat, rounds)

    def _replayed(self, automaton: Automaton, seat: int, rounds: int) -> Any:
        """A new instance that has seen the rounds before; its moves are known."""
        instance, _ = automaton.runnable.start()
        for number in range(rounds):
            automaton.runnable.move(instance, self._show(seat, number, automaton.view), 0)
        return instance

    # Seats whose programs are called each round.

    def _start_live(self, seat: int) -> None:
        automaton = self.automata[self.which[seat]]
        chance = self._chance(seat)
        self.mark(automaton.index)
        opened = self._open_seat(seat, automaton) if self.open_source else None
        instance, failure = (opened or automaton.runnable).start(chance)
        if failure:
            self._report(seat, 0, failure)
            self._play_fallback(seat)
        else:
            move = (opened or automaton).move
            self.live[seat] = _LiveSeat(seat, automaton.index, move, instance, chance)

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
        """Call a seat's program no more in this game."""
        self._play_fallback(seat)
        self._part_live()

    def _play_fallback(self, seat: int) -> None:
        self.nodes[seat] = self.table.fallback(self.automata[self.which[seat]])
        self.table.write()

    def _go_live(self, seats: NDArray[Any], edges: NDArray[Any], number: int) -> None:
        """Let seats leave the table, which has no room for what they see."""
        for seat, edge in zip(seats.tolist(), edges.tolist(), strict=True):
            parent = edge // self.table.width
            automaton, state = self._at(parent)
            if state is None:
                instance = self._instance_at(parent, seat, number)
            else:
                instance, _ = automaton.runnable.start()
                state.restore(instance)
            called = automaton.index, automaton.move, instance, self._chance(seat)
            self.live[seat] = _LiveSeat(seat, *called, int(self.table.errors[parent]))
        self._part_live()

    def _call_live(self, number: int, cooperates: NDArray[Any]) -> None:
        seats = self.playing
        moves = []
        mark = self.mark
        for one, shown in zip(self.players, self._shown(seats, number), strict=True):
            mark(one.index)
            move, failure = one.move(one.instance, shown, one.errors, one.chance)
            if failure:
                one.errors += 1
                self._report(one.seat, number, failure)
                if failure.ends_the_game:
                    self._give_up(one.seat)
            moves.append(move)
        cooperates[seats] = moves
