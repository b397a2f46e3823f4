"""Matches of programs, all rounds of many games at once, inside a worker."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from society.sandbox.automata import OPPONENTS, UNKNOWN, Automaton, AutomatonTables
from society.sandbox.facades import Chance
from society.sandbox.loaded_program import LoadedProgram
from society.sandbox.match_record import MatchRecord, ObservedRounds
from society.sandbox.runnable_program import Failure
from society.sandbox.stage_games import StageGame

_SEATS_AT_ONCE = 8192
_ALWAYS = frozenset({"my_actions", "my_payoffs", "opponent_cooperators"})


@dataclass(frozen=True)
class MatchBatch:
    """Games of one kind: seats[g, i] is the index of the program that plays seat i of game g.

    seeds, (G, n) of uint64, are those of the programs' generators. The disqualified programs (by
    index) are not run: they play their fallback.
    """

    game: StageGame
    seats: NDArray[Any]
    seeds: NDArray[Any]
    disqualified: frozenset[int] = frozenset()


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
            actions[start : start + at_once] = part.play()
            troubles += (one._replace(game=one.game + start) for one in part.troubles)
    return BatchResult(actions, sorted(troubles, key=lambda one: (one.game, one.round, one.seat)))


class _LiveSeat:
    """A seat whose program is called each round, with an instance of its own."""

    __slots__ = ("automaton", "chance", "errors", "instance", "seat")

    def __init__(
        self, seat: int, automaton: Automaton, instance: Any, chance: Any, errors: int
    ) -> None:
        self.seat, self.automaton, self.instance = seat, automaton, instance
        self.chance, self.errors = chance, errors


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
        self.game, self.mark = batch.game, mark
        self.table = tables.of(batch.game)
        seats, seeds = batch.seats[part].ravel(), batch.seeds[part].ravel()
        used, self.which = np.unique(seats, return_inverse=True)
        self.automata = [self.table.automaton(one, programs[one]) for one in used.tolist()]
        self.out = frozenset(
            one for one, index in enumerate(used.tolist()) if index in batch.disqualified
        )
        reads = frozenset().union(*(one.program.reads for one in self.automata))
        self.attributes = _ALWAYS | (reads & OPPONENTS)
        games = len(seats) // self.game.players
        self.record = MatchRecord(self.game, games, opponents=bool(reads & OPPONENTS))
        self.seeds = seeds
        self.nodes = np.full(len(seats), UNKNOWN, np.int64)
        self.live: list[_LiveSeat] = []
        self.tabled = np.arange(len(seats))
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
        if self.live:
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
                first[one] = self._root(automaton, int(np.argmax(self.which == one)))
        self.nodes = first[self.which]
        self._part_live()
        live = np.flatnonzero(self.nodes == UNKNOWN)
        for seat in live[np.argsort(self.which[live], kind="stable")].tolist():
            self._start_live(seat)

    def _part_live(self) -> None:
        self.tabled = np.flatnonzero(self.nodes != UNKNOWN)

    def _root(self, automaton: Automaton, seat: int) -> int:
        if automaton.root == UNKNOWN:
            self.mark(automaton.index)
            instance, state, failure = automaton.fresh()
            if failure:
                fallback = automaton.runnable.fallback
                automaton.root = self.table.add(automaton, fallback, failure, state, 0)
            else:
                seen = self._see(np.array([seat]), 0)
                automaton.root = self._called(automaton, instance, seen, 0, 0, seat)
        return automaton.root

    def _see(self, seats: NDArray[Any], rounds: int) -> ObservedRounds:
        return ObservedRounds(self.record, seats, rounds, self.attributes)

    def _called(
        self,
        automaton: Automaton,
        instance: Any,
        seen: ObservedRounds,
        place: int,
        errors: int,
        seat: int,
    ) -> int:
        """Call a program, and add a node with its move."""
        move, failure, state = automaton.ask(
            instance, seen.arguments(place, automaton.program), errors
        )
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
        sets = np.array([one.sees_sets for one in self.automata])[self.which]
        bits = 1 << np.arange(self.game.players - 1)
        return np.where(sets, self.record.opponent_actions[:, number] @ bits, counts)

    def _find(self, seats: NDArray[Any], number: int) -> NDArray[np.int64]:
        """The nodes that edges lead to, those of one seat each; UNKNOWN if there is no room."""
        order = np.argsort(self.which[seats])  # a program that was just called is in the cache
        seats = seats[order]
        seen = self._see(seats, number)
        parents = self.nodes[seats].tolist()
        found = np.empty(len(seats), np.int64)
        found[order] = [
            self._child(parent, seat, seen, place)
            for place, (parent, seat) in enumerate(zip(parents, seats.tolist(), strict=True))
        ]
        return found

    def _child(self, parent: int, seat: int, seen: ObservedRounds, place: int) -> int:
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
        instance = (
            automaton.at_state(state)
            if state is not None
            else self._instance_at(parent, seat, seen, place)
        )
        node = self._called(automaton, instance, seen, place, errors, seat)
        if key is not None:
            automaton.nodes[key] = node
        return node

    def _instance_at(self, parent: int, seat: int, seen: ObservedRounds, place: int) -> Any:
        """An instance that has played up to a node, where what it remembers is not known."""
        automaton = self.table.owners[parent]
        node, instance = self.held.get(seat, (UNKNOWN, None))
        return instance if node == parent else self._replayed(automaton, seat, seen.rounds)

    def _replayed(self, automaton: Automaton, seat: int, rounds: int) -> Any:
        """A new instance that has seen the rounds before; its moves are known."""
        instance, _ = automaton.runnable.start()
        for number in range(rounds):
            seen = self._see(np.array([seat]), number)
            automaton.runnable.move(instance, seen.arguments(0, automaton.program), 0)
        return instance

    # Seats whose programs are called each round.

    def _start_live(self, seat: int) -> None:
        automaton = self.automata[self.which[seat]]
        chance = Chance(int(self.seeds[seat]))
        self.mark(automaton.index)
        instance, failure = automaton.runnable.start(chance)
        if failure:
            self._report(seat, 0, failure)
            self._give_up(seat)
        else:
            self.live.append(_LiveSeat(seat, automaton, instance, chance, 0))

    def _give_up(self, seat: int) -> None:
        """Let a seat's program play its fallback to the end of the game."""
        self.nodes[seat] = self.table.fallback(self.automata[self.which[seat]])
        self._part_live()

    def _go_live(self, seats: NDArray[Any], edges: NDArray[Any], number: int) -> None:
        """Let seats leave the table, which has no room for what they see."""
        seen = self._see(seats, number)
        for place, (seat, edge) in enumerate(zip(seats.tolist(), edges.tolist(), strict=True)):
            parent = edge // self.table.width
            automaton = self.table.owners[parent]
            chance = Chance(int(self.seeds[seat]))
            state = self.table.states[parent]
            if state is None:
                instance = self._instance_at(parent, seat, seen, place)
            else:
                instance, _ = automaton.runnable.start()
                state.restore(instance)
            errors = self.table.errors[parent]
            self.live.append(_LiveSeat(seat, automaton, instance, chance, errors))
        self._part_live()

    def _call_live(self, number: int, cooperates: NDArray[Any]) -> None:
        seats = np.array([one.seat for one in self.live])
        seen = self._see(seats, number)
        moves = [self._call(one, seen, place) for place, one in enumerate(self.live)]
        cooperates[seats] = moves
        self.live = [one for one in self.live if self.nodes[one.seat] == UNKNOWN]

    def _call(self, one: _LiveSeat, seen: ObservedRounds, place: int) -> bool:
        self.mark(one.automaton.index)
        move, failure = one.automaton.runnable.move(
            one.instance, seen.arguments(place, one.automaton.program), one.errors, one.chance
        )
        if failure:
            one.errors += 1
            self._report(one.seat, seen.rounds, failure)
            if failure.ends_the_game:
                self._give_up(one.seat)
        return move
