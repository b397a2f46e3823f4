"""Programs unrolled on demand into automata: what was computed once is looked up.

A deterministic program is a function of what it saw. A node of its automaton stands for a part of
the history that decides its move, and for what its instance remembers; it has the move. An edge
leads from a node, by the number of opponents who cooperated, to the node of the next round (where a
program sees who did, by the set of them). Only nodes that nobody came to before call the program.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from society.sandbox.matches.history_keys import PART_FIELDS, HistoryKeys, key_part
from society.sandbox.matches.match_record import MOST_OPPONENTS_IN_SETS, history_view
from society.sandbox.running.instance_state import (
    STATELESS,
    InstanceState,
    capture_key,
    copy_state,
    remembered_names,
)
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import Failure, RunnableProgram
from society.sandbox.running.seeded_random import Chance, Comparison, ScriptedChance
from society.sandbox.source.sufficient_history import OPPONENTS
from society.sandbox.stage_games import StageGame

UNKNOWN = -1
_MOST_PLAYERS_IN_PATHS = 8  # with more, whole histories hardly ever come again
MOST_BYTES = 700_000_000  # of nodes, their keys, and states, as measured
_BYTES_OF_KEY, _BYTES_OF_STATE = 256, 700
_MOST_EDGES = 32_000_000
_TRIED = 4000  # decisions after which it shows whether looking up is worth it
_TRIED_IN_LARGE_GROUPS = 80
_WORTH_IT = 0.7  # of the decisions at most call the program


class Automaton:
    """The automaton of one program in one game; its nodes are numbers of a common table.

    number: its place in the table; part: which fields of a key decide its moves, None if the whole
    history does. decisions and calls count what it was asked for, and how often the program ran;
    shared is the instance that all games share.
    """

    def __init__(self, number: int, index: int, program: LoadedProgram, game: StageGame) -> None:
        self.number, self.index, self.program = number, index, program
        self.runnable = RunnableProgram(program, game)
        self.move = self.runnable.move
        self.view = history_view(program, game)
        self.sees_sets = bool(OPPONENTS & program.reads) and program.interface != "counts"
        self.root = self.out = UNKNOWN
        self.part = key_part(self.runnable.sufficient, game)
        self.decisions = self.calls = 0
        large = game.players > _MOST_PLAYERS_IN_PATHS
        self._tries = _TRIED_IN_LARGE_GROUPS if large else _TRIED
        few = not large or self.part is not None
        sets = not self.sees_sets or game.players <= MOST_OPPONENTS_IN_SETS + 1
        # Nodes do not tell who the opponents are, so that programs which read them are called.
        self._can_be_tabled = few and sets and not program.sees_sources
        self._names: tuple[str, ...] | None = None  # of attributes that can change
        self._states: dict[Any, InstanceState] = {}
        self.forgets = False  # whether each move depends on what is shown alone
        self.shared: Any = None
        self._shared_state: InstanceState | None = None

    @property
    def is_tabled(self) -> bool:
        """Tell if looking up is possible, and worth it."""
        tried = self.decisions >= self._tries
        return self._can_be_tabled and not (tried and self.calls > _WORTH_IT * self.decisions)

    def leave_tables(self) -> None:
        """Have the program called in all games from now on."""
        self._can_be_tabled = False

    def fresh(self) -> tuple[Any, InstanceState | None, Failure | None]:
        """Make an instance, with a copy of what it remembers."""
        script = ScriptedChance()
        instance, failure = self.runnable.start(script)
        if self.program.random and (script.unscripted or script.bounds):
            self.leave_tables()
        if failure:
            return None, None, failure
        if not self.program.keeps_state and not self.program.random:
            self._names = ()
        elif not self.runnable.shares and not self.program.analysis.identities:
            stored, changes = self.runnable.stored, self.runnable.changes
            self._names = remembered_names(instance, stored, changes=changes)
        self.forgets = self._names == () and not self.program.random
        if self.forgets:
            self.shared, self._shared_state = instance, STATELESS
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
        if self.shared is None:
            self.shared, self._shared_state, _ = self.fresh()
        if state is not self._shared_state:
            state.restore(self.shared)
        return self.shared

    def ask(
        self,
        instance: Any,
        arguments: tuple[Any, ...],
        errors: int,
        chance: Chance | None = None,
    ) -> tuple[bool, Failure | None, InstanceState | None]:
        """Ask for a move; returns it with what the instance remembers afterwards."""
        self.calls += 1
        move, failure = self.move(instance, arguments, errors, chance)
        state = self._capture(instance)
        if instance is self.shared:
            self._shared_state = state
            if state is None:  # it is one game's own from here on
                self.shared = None
        return move, failure, state


class Toss(NamedTuple):
    """A node at which a program tosses a coin: `compare(a number from [0, 1), bound)`."""

    compare: Comparison
    bound: Any
    true: int
    false: int


class NodeTable:
    """The nodes of all automata in one game, as arrays that a round looks up at once.

    Of each node: its move, whether there was a failure, whether a coin is tossed before there is a
    move, the automaton that owns it, what the instance remembers (a number of `states`, 0 where
    that is not known), and its errors so far.
    """

    def __init__(self, game: StageGame) -> None:
        self.game = game
        self.keys = HistoryKeys(game)
        sets = 2 ** (game.players - 1) if game.players <= MOST_OPPONENTS_IN_SETS + 1 else 0
        self.width = max(game.players, sets)
        self.moves = np.zeros(1024, bool)
        self.troubled = np.zeros(1024, bool)
        self.tossing = np.zeros(1024, bool)
        self.edges = np.full(1024 * self.width, UNKNOWN, np.int32)
        self.owners = np.zeros(1024, np.int32)
        self.memories = np.zeros(1024, np.int32)
        self.errors = np.zeros(1024, np.int8)
        self.size = 0
        self.automata: list[Automaton] = []
        self.parts = np.zeros(64, PART_FIELDS)  # by the numbers of automata
        self.states: list[InstanceState | None] = [None, STATELESS]
        self.known: dict[bytes, int] = {}  # nodes by their keys
        self.failures: dict[int, Failure] = {}
        self.tosses: dict[int, Toss] = {}
        self._of_program: dict[int, Automaton] = {}
        self._most_nodes = _MOST_EDGES // self.width
        self._bytes_of_node = 2 * (16 + 4 * self.width)
        self._forget_new()

    def _forget_new(self) -> None:
        """Begin to collect nodes that are new since `write`."""
        # Owners, moves, memories, errors.
        self._new: tuple[list[int], list[bool], list[int], list[int]] = ([], [], [], [])
        self._new_failed: list[int] = []
        self._new_tossing: list[int] = []
        self._new_ends: list[tuple[int, Automaton]] = []  # after them only fallbacks follow
        self._new_loops: list[int] = []  # fallbacks, which follow themselves

    def has_room(self) -> bool:
        """Tell if a node can be added."""
        taken = self._bytes_of_node * self.size + _BYTES_OF_KEY * len(self.known)
        taken += _BYTES_OF_STATE * len(self.states)
        return taken < MOST_BYTES and self.size < self._most_nodes

    def automaton(self, index: int, program: LoadedProgram) -> Automaton:
        """The automaton of a program."""
        if index not in self._of_program:
            found = Automaton(len(self.automata), index, program, self.game)
            self._of_program[index] = found
            self.automata.append(found)
            if found.number == len(self.parts):
                self.parts = np.concatenate([self.parts, np.zeros_like(self.parts)])
            if found.part is not None:
                self.parts[found.number] = found.part
        return self._of_program[index]

    def add(
        self,
        owner: Automaton,
        move: bool,
        failure: Failure | None,
        state: InstanceState | None,
        errors: int,
    ) -> int:
        """Add a node, which `write` puts into the arrays."""
        node = self.size
        self.size = node + 1
        owners, moves, memories, counts = self._new
        owners.append(owner.number)
        moves.append(move)
        memories.append(0 if state is None else state.number or self._number(state))
        counts.append(errors if failure is None else errors + 1)
        if failure:
            self.failures[node] = failure
            self._new_failed.append(node)
            if failure.ends_the_game:
                self._new_ends.append((node, owner))
        return node

    def _number(self, state: InstanceState) -> int:
        state.number = len(self.states)
        self.states.append(state)
        return state.number

    def add_toss(self, owner: Automaton, toss: Toss) -> int:
        """Add a node at which a coin is tossed."""
        node = self.add(owner, False, None, None, 0)
        self.tosses[node] = toss
        self._new_tossing.append(node)
        return node

    def write(self) -> None:
        """Put new nodes into the arrays; after a failure that ends a game only fallbacks follow."""
        ends = [(node, self.fallback(owner)) for node, owner in self._new_ends]
        ends += [(node, node) for node in self._new_loops]
        owners, moves, memories, errors = self._new
        while self.size > len(self.moves):
            self._grow()
        new = slice(self.size - len(moves), self.size)
        self.owners[new], self.moves[new] = owners, moves
        self.memories[new], self.errors[new] = memories, errors
        self.troubled[self._new_failed], self.tossing[self._new_tossing] = True, True
        for node, after in ends:
            self.edges[node * self.width : (node + 1) * self.width] = after
        self._forget_new()

    def fallback(self, owner: Automaton) -> int:
        """The node from which a program plays its fallback to the end."""
        if owner.out == UNKNOWN:
            owner.out = self.add(owner, owner.runnable.fallback, None, STATELESS, 0)
            self._new_loops.append(owner.out)
        return owner.out

    def _grow(self) -> None:
        for name in ("moves", "troubled", "tossing", "owners", "memories", "errors"):
            before = getattr(self, name)
            setattr(self, name, np.concatenate([before, np.zeros_like(before)]))
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
