"""What a program sees of the world: its namespace, its game, the history, and two actions.

All of it is frozen, or made anew for each program, so that programs cannot change each other. The
runner makes a namespace for each program, `define`s the class in it, makes instances with
`new_instance`, and sets a History's values with SETTERS, which no program can reach.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any, Literal, NoReturn, Protocol

import numpy as np

from society.sandbox.running import (
    guarded_operators,
    offered_builtins,
    quick_numbers,
    size_guards,
    step_budget,
    work_charges,
)
from society.sandbox.running.frozen import Frozen, freeze
from society.sandbox.running.offered_builtins import EnumType, builtins_for, make_dataclass
from society.sandbox.running.offered_numpy import math_facade, numpy_facade, plain_numpy
from society.sandbox.running.open_source import simulate
from society.sandbox.running.seeded_random import Chance, ChanceSlot, numpy_random, python_random
from society.sandbox.source.names import TYPING

Interface = Literal["counts", "full", "society"]


class OfferedEnum(enum.Enum, metaclass=EnumType):
    """Stands for Enum as a base."""


class OfferedIntEnum(int, OfferedEnum):
    """Stands for IntEnum as a base."""

    __str__ = int.__repr__
    __format__ = int.__format__  # type: ignore[assignment]


class Action(OfferedEnum):
    """A move: cooperate or defect."""

    C = 1
    D = 0

    @property
    def flip(self) -> Action:
        """The other action; `flip()` is the same."""
        return D if self is C else C

    def __call__(self) -> Action:
        return self

    def __hash__(self) -> int:
        return int(self.value)


C, D = Action.C, Action.D


class BaseStrategy:
    """Base of the published strategies; it keeps the description of the game."""

    def __init__(self, game_description: object = None) -> None:
        self.game_description = game_description


@dataclass(frozen=True, slots=True)
class PublicGoodsDescription:
    """Tells a published strategy its public goods game."""

    n_players: int
    n_rounds: int
    k: float


@dataclass(frozen=True, slots=True)
class CollectiveRiskDescription:
    """Tells a published strategy its collective risk dilemma."""

    n_players: int
    n_rounds: int
    m: int
    k: float


@dataclass(frozen=True, slots=True)
class CommonPoolDescription:
    """Tells a published strategy its common pool."""

    n_players: int
    n_rounds: int
    capacity: float


@dataclass(frozen=True, slots=True)
class GameDescription:
    """Tells a program its game; what a game has not is None.

    my_source, opponent_sources: the texts of the players, the co-players' in order of seat, if
    sources are open; of a co-player that is no program None.
    """

    name: str
    n_players: int
    n_rounds: int
    k: float | None = None
    m: int | None = None
    capacity: float | None = None
    my_source: str | None = None
    opponent_sources: tuple[str | None, ...] | None = None


class _Fixed:
    """Refuses to have its attributes set; SETTERS pass by it."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")


class PlayerHistory(_Fixed):
    """The rounds so far, as one player saw them; what an interface does not tell is not set."""

    __slots__ = (
        "my_actions",
        "my_payoffs",
        "opponent_actions",
        "opponent_cooperators",
        "opponent_payoffs",
        "round_number",
        "stock",
    )


class GameState(_Fixed):
    """The state of a game in the full interface: the round, and the stock of a common pool."""

    __slots__ = ("current_stock", "round_number")


Setter = Callable[[Any, Any], None]


def _setters(kind: type[_Fixed]) -> dict[str, Setter]:
    names: tuple[str, ...] = kind.__slots__
    return {name: getattr(kind, name).__set__ for name in names}


# SETTERS["my_actions"](history, array); arrays must be copies, and not writeable.
SETTERS: Mapping[str, Setter] = _setters(PlayerHistory)
STATE_SETTERS: Mapping[str, Setter] = _setters(GameState)


def new_history(**values: Any) -> PlayerHistory:
    """Make a history with these values."""
    history = PlayerHistory()
    for name, value in values.items():
        SETTERS[name](history, value)
    return history


def new_state(**values: Any) -> GameState:
    """Make a state of the full interface with these values."""
    state = GameState()
    for name, value in values.items():
        STATE_SETTERS[name](state, value)
    return state


class ProgramFacts(Frozen):
    """The facts of a question or of news, as attributes."""


def new_facts(values: Mapping[str, Any]) -> ProgramFacts:
    """Make facts; arrays must be copies, and not writeable."""
    facts = ProgramFacts()
    facts.__dict__.update(values)
    return facts


class DescribableGame(Protocol):
    """A game that can be described; society.sandbox.stage_games has three."""

    @property
    def name(self) -> str: ...
    @property
    def players(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    @property
    def factor(self) -> float | None: ...
    @property
    def threshold(self) -> int | None: ...
    @property
    def capacity(self) -> float | None: ...


AnyDescription = (
    PublicGoodsDescription | CollectiveRiskDescription | CommonPoolDescription | GameDescription
)


def describe(game: DescribableGame, interface: Interface) -> AnyDescription:
    """Describe a game as programs of an interface expect it."""
    n, rounds = game.players, game.rounds
    if interface == "society":
        return GameDescription(game.name, n, rounds, game.factor, game.threshold, game.capacity)
    if game.threshold is not None:
        return CollectiveRiskDescription(n, rounds, game.threshold, game.factor or 0)
    if game.capacity is not None:
        return CommonPoolDescription(n, rounds, game.capacity)
    return PublicGoodsDescription(n, rounds, game.factor or 0)


class _TypingWord:
    """Stands for a word of `typing`, which says nothing while a program runs."""

    def __getitem__(self, _: object) -> _TypingWord:
        return self

    def __or__(self, _: object) -> _TypingWord:
        return self

    __ror__ = __or__

    def __call__(self, _: object, value: object = None) -> object:
        return value


_WORD = _TypingWord()

# What code that was instrumented calls; no source text can spell these names.
_GUARDS: dict[str, Any] = {
    f".{name}": getattr(module, name)
    for module, names in (
        (step_budget, "step enter leave steps_over caught with_order"),
        (step_budget, "parts_over parts_with_order"),
        (size_guards, "call_method check_size as_text"),
        (work_charges, "bound charged key nested ordered ordered_by picked searched"),
        (work_charges, "sized summed walked inside outside"),
        (guarded_operators, "added bounded chained divisor exponent growing matrix multiplied"),
        (guarded_operators, "paired shift"),
        (guarded_operators, "plus times to_power shifted modulo minus divided floor_divided"),
        (guarded_operators, "bits_of_both bits_of_either bits_of_one shifted_right"),
        (guarded_operators, "matrix_product equal unequal less at_most more at_least"),
        (offered_builtins, "as_dict as_frozenset as_set class_name own_object total rounded"),
        (quick_numbers, "mean_of std_of var_of plain_item"),
    )
    for name in names.split()
}
_OFFERED: dict[str, Any] = {
    **dict.fromkeys(TYPING | {"ArrayLike", "NDArray"}, _WORD),
    "Action": Action,
    "BaseStrategy": BaseStrategy,
    "C": C,
    "CollectiveRiskDescription": CollectiveRiskDescription,
    "CommonPoolDescription": CommonPoolDescription,
    "D": D,
    "Enum": OfferedEnum,
    "IntEnum": OfferedIntEnum,
    "PlayerHistory": PlayerHistory,
    "PublicGoodsDescription": PublicGoodsDescription,
    "auto": enum.auto,
    "dataclass": make_dataclass,
    "field": field,
    "simulate": simulate,
}


def make_namespace(generator_seed: int = 0) -> dict[str, Any]:
    """Make a namespace in which one program is defined, with chance of its own."""
    return _namespace(ChanceSlot(Chance(generator_seed)))


def _namespace(slot: ChanceSlot) -> dict[str, Any]:
    return namespace_in(world_of(slot))


def namespace_in(world: dict[str, Any]) -> dict[str, Any]:
    """Make an empty namespace in which the names of a world are there."""
    return {"__builtins__": world, "__name__": "program"}


def world_of(slot: ChanceSlot) -> dict[str, Any]:
    """Make all names that programs are offered; nothing of it can change but what the slot holds.

    Python looks names up there that a program has not defined, as it does with its own builtins.
    """
    numpy = numpy_facade(numpy_random(slot))
    randomness = python_random(slot)

    def opened(*names: str) -> Frozen:
        """Return numpy with names that the user has opened."""
        return numpy_facade(numpy_random(slot), names)

    return {
        **builtins_for(slot),
        **_OFFERED,
        **_GUARDS,
        ".math": math_facade(),
        ".numpy": numpy,
        ".opened": opened,
        ".plain_numpy": plain_numpy(),
        ".random": randomness,
        ".slot": slot,
        ".draw_lt": slot.toss(guarded_operators.less),
        ".draw_le": slot.toss(guarded_operators.at_most),
        ".draw_gt": slot.toss(guarded_operators.more),
        ".draw_ge": slot.toss(guarded_operators.at_least),
        "math": math_facade(),
        "np": numpy,
        "numpy": numpy,
        "random": randomness,
    }


def slot_of(namespace: Mapping[str, Any]) -> ChanceSlot:
    """Return what holds the chance of a namespace."""
    slot: ChanceSlot = namespace["__builtins__"][".slot"]
    return slot


def reseed(namespace: Mapping[str, Any], seed: int) -> None:
    """Let a program draw from a seed, from its beginning."""
    slot_of(namespace).chance.reseed(seed)


def use_chance(namespace: Mapping[str, Any], chance: Chance) -> None:
    """Let a program draw from this chance, say that of the seat it plays next."""
    slot_of(namespace).held = chance


def define(code: CodeType, name: str, namespace: dict[str, Any]) -> type[Any]:
    """Define a program's class in a namespace made for it, and return it."""
    before = {id(value) for value in (*namespace.values(), *namespace["__builtins__"].values())}
    exec(code, namespace)
    kind: type[Any] = namespace[name]
    if not all(id(value) in before or _is_immutable(value) for value in namespace.values()):
        # What instances could write on is made anew for each of them.
        kind.__remake__ = (code, slot_of(namespace))
    return kind


def new_instance(kind: type[Any], description: object) -> Any:
    """Make an instance of a program's class; it shares nothing that can change with another one."""
    remake = kind.__dict__.get("__remake__")
    if remake is not None:
        code, slot = remake
        namespace = _namespace(slot)
        exec(code, namespace)
        kind = namespace[kind.__name__]
    return kind() if kind.__init__ is object.__init__ else kind(description)


_PLAIN = (
    *(type(None), bool, int, float, str, range, np.generic, np.ufunc, enum.Enum),
    *(MemberDescriptorType, _TypingWord),
)


def _is_immutable(value: Any) -> bool:
    """Tell if no use of a value can change it, so that instances may share it."""
    if isinstance(value, tuple | frozenset):
        return all(map(_is_immutable, value))
    if isinstance(value, FunctionType):
        return all(map(_is_immutable, _kept_by(value)))
    if isinstance(value, BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType)
    if isinstance(value, staticmethod):
        return _is_immutable(value.__func__)
    if isinstance(value, property):
        return all(map(_is_immutable, (value.fget, value.fset, value.fdel)))
    if isinstance(value, type):
        return _is_immutable_class(value)
    return isinstance(value, _PLAIN) or value is math_facade()


def _kept_by(function: FunctionType) -> Iterator[Any]:
    """Find what a function of a program keeps from call to call."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    # Those that `dataclass` writes keep fields, which stand in their class, too.
    if function.__code__.co_filename.startswith(step_budget.PROGRAM):
        names = function.__code__.co_freevars
        cells = zip(names, function.__closure__ or (), strict=True)
        yield from (cell.cell_contents for name, cell in cells if name != "__class__")


def _is_immutable_class(kind: type[Any]) -> bool:
    if issubclass(kind, enum.Enum):
        return all(_is_immutable(member.value) for member in kind)
    inner = {"__init__", "__call__"}
    return kind.__module__ != "program" or all(
        _is_immutable(value)
        for name, value in vars(kind).items()
        if not name.startswith("__") or name in inner
    )


__all__ = [
    "SETTERS",
    "STATE_SETTERS",
    "Action",
    "C",
    "Chance",
    "D",
    "Interface",
    "PlayerHistory",
    "ProgramFacts",
    "define",
    "describe",
    "freeze",
    "make_namespace",
    "namespace_in",
    "new_facts",
    "new_history",
    "new_instance",
    "new_state",
    "reseed",
    "slot_of",
    "use_chance",
    "world_of",
]
