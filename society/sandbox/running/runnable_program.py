"""Make instances of a checked program in one game, and ask them for moves."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, NamedTuple

from society.sandbox.running.facades import (
    C,
    Chance,
    D,
    DescribableGame,
    ProgramFacts,
    define,
    describe,
    make_namespace,
    new_instance,
    use_chance,
)
from society.sandbox.running.instance_state import can_change_objects
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.step_budget import STEPS, RuleBroken, budget, program_line
from society.sandbox.source.source_nodes import SourceNodes, stored_names
from society.sandbox.source.sufficient_history import sufficient_history

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
def _frozen_namespace() -> dict[str, Any]:
    """Make the frozen names that all programs share; calls that may draw set chance before.

    Thousands of programs called in turn are faster if what they look up is one object.
    """
    return make_namespace()


class RunnableProgram:
    """A loaded program in one game: its class, and how instances are made and called."""

    def __init__(self, program: LoadedProgram, game: DescribableGame) -> None:
        self.program = program
        self.fallback = program.fallback == "C"
        nodes = SourceNodes(program.source, program.name)
        self.sufficient = sufficient_history(nodes)
        stored = stored_names(nodes.playing)
        # Instrumented code may store a program's own attribute under its name and a dot.
        self.stored = stored | {f"{name}." for name in stored}
        self.changes = can_change_objects(nodes.playing)
        self._description = describe(game, program.interface)
        self._namespace = {**_frozen_namespace()}
        self._slot = self._namespace[".slot"]
        self._class: Any = None
        self._has_act = program.interface == "society"

    @property
    def shares(self) -> bool:
        """Tell if something that its class holds may change while it plays."""
        return hasattr(self._class, "__remake__")

    def start(self, chance: Chance | None = None) -> tuple[Any, Failure | None]:
        """Make an instance that draws from this chance, or tell why there is none."""
        budget.reset()
        try:
            if self._class is None:
                # What a class draws while it is defined is the same in every game.
                use_chance(self._namespace, Chance(0))
                self._class = define(self.program.code, self.program.name, self._namespace)
            use_chance(self._namespace, chance or Chance(0))
            instance = new_instance(self._class, self._description)
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
            self._slot.chance = chance
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
