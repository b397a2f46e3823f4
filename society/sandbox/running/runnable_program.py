"""Make instances of a checked program in one game, and ask them for moves."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, NamedTuple

from society.sandbox.running.facades import (
    AnyDescription,
    C,
    Chance,
    D,
    DescribableGame,
    ProgramFacts,
    define,
    describe,
    namespace_in,
    new_instance,
    slot_of,
    use_chance,
    world_of,
)
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.open_source import turn
from society.sandbox.running.seeded_random import ChanceSlot
from society.sandbox.running.step_budget import STEPS, RuleBroken, budget, program_line

ERRORS_ALLOWED = 2  # in one game
_LONGEST_MESSAGE = 200
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # it differs from run to run


class Failure(NamedTuple):
    """The reason why a call gave no move; the line is one of the program's file."""

    kind: Literal["error", "rule", "errors", "jail"]
    sentence: str
    line: int | None = None

    @property
    def ends_the_game(self) -> bool:
        """Tell if the program plays its fallback from here to the end of the game."""
        return self.kind != "error"


@cache
def _shared_world() -> dict[str, Any]:
    """Make the names that all programs share; calls that may draw set chance before.

    Thousands of programs called in turn are faster if what they look up is one object.
    """
    return world_of(ChanceSlot(Chance(0)))


class RunnableProgram:
    """A loaded program in one game: its class, and how instances are made and called."""

    def __init__(self, program: LoadedProgram, game: DescribableGame) -> None:
        self.program = program
        self.fallback = program.fallback == "C"
        analysis = program.analysis
        self.sufficient, self.changes = analysis.sufficient, analysis.changes
        # Instrumented code may store a program's own attribute under its name and a dot.
        self.stored = analysis.stored | {f"{name}." for name in analysis.stored}
        self.description = describe(game, program.interface)
        self._namespace = namespace_in(_shared_world())
        self._slot = slot_of(self._namespace)
        self._class: Any = None
        self._undefined: Failure | None = None  # why there is no class
        self._has_act = program.interface == "society"

    @property
    def shares(self) -> bool:
        """Tell if something that its class holds may change while it plays."""
        return hasattr(self._class, "__remake__")

    def define(self) -> Failure | None:
        """Define the class, once; tell why that fails."""
        if self._class is not None or self._undefined is not None:
            return self._undefined
        budget.reset()
        # What a class draws while it is defined is the same in every game, and it simulates none.
        use_chance(self._namespace, Chance(0))
        try:
            with turn.of(None):
                self._class = define(self.program.code, self.program.name, self._namespace)
        except RuleBroken as broken:
            self._undefined = _broken(broken)
        except Exception as error:  # a program may raise anything; it is counted and shown
            self._undefined = _failure(f"__init__: {describe_error(error)}", _MANY, error)
        if budget.broken:
            self._undefined = _broken(budget.broken)
        return self._undefined

    def use_chance(self, chance: Chance) -> Chance:
        """Let programs draw from this chance; returns the one before."""
        before, self._slot.held = self._slot.held, chance
        return before

    def new_instance(self, description: AnyDescription) -> Any:
        """Make an instance of the defined class; a program may raise anything."""
        return new_instance(self._class, description)

    def start(
        self, chance: Chance | None = None, description: AnyDescription | None = None
    ) -> tuple[Any, Failure | None]:
        """Make an instance that draws from this chance, or tell why there is none."""
        if failure := self.define():
            return None, failure
        budget.reset()
        use_chance(self._namespace, chance or Chance(0))
        try:
            instance = self.new_instance(description or self.description)
        except RuleBroken as broken:
            return None, _broken(broken)
        except MemoryError:  # memory is shared: another program may have filled it
            raise
        except Exception as error:  # a program may raise anything; it is counted and shown
            return None, _failure(f"__init__: {describe_error(error)}", _MANY, error)
        return instance, _broken(budget.broken) if budget.broken else None

    def ask(
        self, instance: Any, method: str, facts: ProgramFacts, chance: Chance, errors: int = 0
    ) -> tuple[Any, Failure | None]:
        """Call a method with facts; what it returns is not looked at."""
        use_chance(self._namespace, chance)
        budget.reset()
        try:
            value = getattr(type(instance), method)(instance, facts)
        except RuleBroken as broken:
            return None, _broken(broken)
        except MemoryError:  # memory is shared: another program may have filled it
            raise
        except Exception as error:  # a program may raise anything; it is counted and shown
            failure = _broken(budget.broken) if budget.broken else None
            return None, failure or _failure(describe_error(error), errors, error)
        return value, _broken(budget.broken) if budget.broken else None

    def move(
        self,
        instance: Any,
        arguments: tuple[Any, ...],
        errors: int,
        chance: Chance | None = None,
    ) -> tuple[bool, Failure | None]:
        """Ask for a move: True is C; errors: how many this instance made in the game so far."""
        if chance is not None:
            self._slot.held = chance
        budget.left = STEPS
        if budget.broken:
            budget.reset()
        try:
            answer = instance.act(*arguments) if self._has_act else instance(*arguments)
        except RuleBroken as broken:
            return self.fallback, _broken(broken)
        except MemoryError:  # memory is shared: another program may have filled it
            raise
        except Exception as error:  # a program may raise anything; it is counted and shown
            failure = _broken(budget.broken) if budget.broken else None
            return self.fallback, failure or _failure(describe_error(error), errors, error)
        if budget.broken:
            return self.fallback, _broken(budget.broken)
        if answer is C:
            return _COOPERATES
        if answer is D:
            return _DEFECTS
        sentence = f"it returned a value of type {type(answer).__name__}; expected C or D"
        return self.fallback, _failure(sentence, errors)


_MANY = 1 << 30
_COOPERATES: tuple[bool, Failure | None] = (True, None)
_DEFECTS: tuple[bool, Failure | None] = (False, None)


def _broken(broken: RuleBroken) -> Failure:
    return Failure("rule", f"it broke a rule: {broken.rule}", broken.line)


def _failure(sentence: str, errors: int, error: BaseException | None = None) -> Failure:
    """An error; one too many ends the game."""
    line = None if error is None else program_line(error)
    return Failure("error" if errors < ERRORS_ALLOWED else "errors", sentence, line)


def describe_error(error: Exception) -> str:
    """Describe an error by its type and message; a program's own objects are never printed."""
    message = error.args[0] if error.args and type(error.args[0]) is str else ""
    message = _ADDRESS.sub("", message[:1000])
    return f"it raised {type(error).__name__}: {message[:_LONGEST_MESSAGE]}".rstrip(": ")
