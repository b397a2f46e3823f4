"""Programs unrolled on demand into automata: what was computed once is looked up.

A deterministic program is a function of what it saw. A node of its automaton stands for a part of
the history that decides its move, and for what its instance remembers; it has the move. An edge
leads from a node, by the number of opponents who cooperated, to the node of the next round (where a
program sees who did, by the set of them). Only nodes that nobody came to before call the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from society.sandbox.matches.match_record import ObservedRounds, has_exact_sums, history_view
from society.sandbox.running.instance_state import (
    STATELESS,
    InstanceState,
    capture_key,
    copy_state,
    remembered_names,
)
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import Failure, RunnableProgram
from society.sandbox.source.sufficient_history import OPPONENTS
from society.sandbox.stage_games import StageGame

UNKNOWN = -1
_MOST_OPPONENTS_IN_SETS = 5  # of 2 ** 5 edges
_MOST_PLAYERS_IN_PATHS = 8  # with more, whole histories hardly ever come again
MOST_NODES = 4_000_000
_MOST_EDGES = 64_000_000

_PAYOFFS = frozenset({"my_payoffs", "opponent_payoffs"})
_TOTALS = {
    "my_actions": "my_actions",
    "my_payoffs": "my_payoffs",
    "opponent_actions": "opponent_cooperators",
    "opponent_cooperators": "opponent_cooperators",
}


class Automaton:
    """The automaton of one program in one game; its nodes are numbers of a common table."""

    def __init__(self, index: int, program: LoadedProgram, game: StageGame) -> None:
        self.index, self.program = index, program
        self.runnable = RunnableProgram(program, game)
        self.view = history_view(program, game)
        self.sees_sets = bool(OPPONENTS & program.reads) and program.interface != "counts"
        self.root = self.out = UNKNOWN
        self.nodes: dict[Any, int] = {}
        part = self.runnable.sufficient
        self.whole = part.whole or ("my_payoffs" in part.sums and not has_exact_sums(game))
        self._rounds = part.rounds
        # An edge must tell what the next payoff is, and that depends on the stock.
        self._stock = part.stock or bool(_PAYOFFS & {*part.tails, *part.heads})
        self._tails, self._heads = list(part.tails.items()), list(part.heads.items())
        self._sums = sorted({_TOTALS[one] for one in part.sums})
        self._names: tuple[str, ...] | None = None  # of attributes that can change
        self._states: dict[Any, InstanceState] = {}
        self._shared: Any = None
        self._shared_state: InstanceState | None = None

    def is_tabled(self, players: int) -> bool:
        """Tell if looking up is possible, and worth it."""
        if self.program.random or (self.sees_sets and players > _MOST_OPPONENTS_IN_SETS + 1):
            return False
        if self.program.sees_sources:  # nodes do not tell who the opponents are
            return False
        return players <= _MOST_PLAYERS_IN_PATHS or not self.whole

    def fresh(self) -> tuple[Any, InstanceState | None, Failure | None]:
        """Make an instance, with a copy of what it remembers."""
        instance, failure = self.runnable.start()
        if failure:
            return None, None, failure
        if not self.program.keeps_state:
            self._names = ()
        elif not self.runnable.shares:
            stored, changes = self.runnable.stored, self.runnable.changes
            self._names = remembered_names(instance, stored, changes=changes)
        return instance, self._capture(instance), None

    def _capture(self, instance: Any) -> InstanceState | None:
        if self._names is None:
            return None
        if not self._names:
            return STATELESS
        key = capture_key(instance, self._names)
        if key is None:
            return None
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = copy_state(instance, self._names, key)
        return state

    def at_state(self, state: InstanceState) -> Any:
        """The instance that all games share, made to remember this."""
        if self._shared is None:
            self._shared, self._shared_state, _ = self.fresh()
        if state is not self._shared_state:
            state.restore(self._shared)
        return self._shared

    def ask(
        self, instance: Any, arguments: tuple[Any, ...], errors: int
    ) -> tuple[bool, Failure | None, InstanceState | None]:
        """Ask for a move; returns it with what the instance remembers afterwards."""
        move, failure = self.runnable.move(instance, arguments, errors)
        state = self._capture(instance)
        if instance is self._shared:
            self._shared_state = state
            if state is None:  # it is one game's own from here on
                self._shared = None
        return move, failure, state

    def key(self, seen: ObservedRounds, place: int) -> tuple[Any, ...]:
        """The part of the history that decides the move, if that is not all of it."""
        rounds = seen.rounds
        key: list[Any] = [rounds if rounds < self._rounds else self._rounds]
        for one, length in self._tails:
            data, size = seen.packed(one)
            end = (place + 1) * rounds * size
            key.append(data[end - (length if length < rounds else rounds) * size : end])
        for one, length in self._heads:
            data, size = seen.packed(one)
            start = place * rounds * size
            key.append(data[start : start + (length if length < rounds else rounds) * size])
        for one in self._sums:
            key.append(seen.totals(one)[place])
        if self._stock and seen.record.stock is not None:
            key.append(seen.stocks()[place])
        return tuple(key)


class NodeTable:
    """The nodes of all automata in one game, as arrays that a round looks up at once."""

    def __init__(self, game: StageGame) -> None:
        self.game = game
        sets = 2 ** (game.players - 1) if game.players <= _MOST_OPPONENTS_IN_SETS + 1 else 0
        self.width = max(game.players, sets)
        self.moves = np.zeros(1024, bool)
        self.troubled = np.zeros(1024, bool)
        self.edges = np.full(1024 * self.width, UNKNOWN, np.int32)
        # Of each node, beside its move: lists, as the garbage collector would walk many tuples.
        self.owners: list[Automaton] = []
        self.states: list[InstanceState | None] = []
        self.errors: list[int] = []
        self.failures: dict[int, Failure] = {}
        self._automata: dict[int, Automaton] = {}
        self._most = min(MOST_NODES, _MOST_EDGES // self.width)

    def has_room(self, owner: Automaton) -> bool:
        """Tell if a node can be added; paths, which rarely come again, leave room for others."""
        return len(self.owners) < (self._most * 3 // 4 if owner.whole else self._most)

    def automaton(self, index: int, program: LoadedProgram) -> Automaton:
        """The automaton of a program."""
        if index not in self._automata:
            self._automata[index] = Automaton(index, program, self.game)
        return self._automata[index]

    def add(
        self,
        owner: Automaton,
        move: bool,
        failure: Failure | None,
        state: InstanceState | None,
        errors: int,
    ) -> int:
        """Add a node; after a failure that ends the game only the fallback follows."""
        node = len(self.owners)
        if node == len(self.moves):
            self._grow()
        self.owners.append(owner)
        self.states.append(state)
        self.errors.append(errors + (failure is not None))
        self.moves[node] = move
        if failure:
            self.failures[node] = failure
            self.troubled[node] = True
            if failure.ends_the_game:
                self.edges[node * self.width : (node + 1) * self.width] = self.fallback(owner)
        return node

    def fallback(self, owner: Automaton) -> int:
        """The node from which a program plays its fallback to the end."""
        if owner.out == UNKNOWN:
            node = owner.out = self.add(owner, owner.runnable.fallback, None, STATELESS, 0)
            self.edges[node * self.width : (node + 1) * self.width] = node
        return owner.out

    def _grow(self) -> None:
        self.moves = np.concatenate([self.moves, np.zeros_like(self.moves)])
        self.troubled = np.concatenate([self.troubled, np.zeros_like(self.troubled)])
        self.edges = np.concatenate([self.edges, np.full_like(self.edges, UNKNOWN)])


class AutomatonTables:
    """The memory of a worker between batches of the same programs: a table per game."""

    def __init__(self) -> None:
        self._tables: dict[StageGame, NodeTable] = {}

    def of(self, game: StageGame) -> NodeTable:
        """The table of a game."""
        if game not in self._tables:
            self._tables[game] = NodeTable(game)
        return self._tables[game]
