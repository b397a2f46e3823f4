"""Single decisions and answers: what is asked of one program, and the instances that wait for more.

A call tells all that its program has seen, so what comes of it depends on the call alone. A worker
keeps the instance, and goes on from there if the next call continues the same path; otherwise it
makes a new one and takes it down the path again.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from society.sandbox.matches.call_arguments import call_arguments, frozen_copy
from society.sandbox.matches.simulation import OpenSeat
from society.sandbox.running.facades import Chance, new_facts
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import Failure, RunnableProgram
from society.sandbox.stage_games import StageGame

KEPT = 4096  # instances that wait in a worker
LONGEST_TEXT = 10_000  # signs of all texts of an answer
LARGEST = 2**53  # numbers that JSON keeps exactly
MOST_FIELDS = 100

Scalar = bool | int | float | str
AnswerValue = Scalar | dict[str, Scalar]
FactValue = Scalar | None | NDArray[Any]


@dataclass(frozen=True)
class DecisionCall:
    """A request for one decision: the round, and all that the program has seen before it.

    actions, (r, n) of bool, and payoffs, (r, n), have the program itself in the first column; stock
    has r + 1 entries, that of now the last. key tells apart games that look the same. opponents, of
    a game of open source: the programs of the co-players, None for one that is no program.
    """

    program: int
    seed: int
    key: str
    game: StageGame
    actions: NDArray[Any]
    payoffs: NDArray[Any]
    stock: NDArray[Any] | None = None
    opponents: tuple[int | None, ...] | None = None


@dataclass(frozen=True)
class SocietySetting:
    """The society in which questions are asked, as a program's __init__ is told it."""

    name: str
    players: int
    rounds: int
    factor: float | None = None
    threshold: int | None = None
    capacity: float | None = None


class Notice(NamedTuple):
    """News of a kind, for `notice_KIND`."""

    kind: str
    facts: Mapping[str, FactValue]


@dataclass(frozen=True)
class AnswerCall:
    """A question of a kind, for `answer_KIND`, and all news that the program had before.

    seed is that of the instance and its notices, draw that of this answer: so an answer does not
    depend on whether others were asked for.
    """

    program: int
    seed: int
    key: str
    setting: SocietySetting
    notices: Sequence[Notice]
    kind: str
    facts: Mapping[str, FactValue]
    draw: int = 0


class CallOutcome(NamedTuple):
    """The result of a call: a value; or, with the reason, the fallback or None."""

    value: Any
    failure: Failure | None


@dataclass
class _Waiting:
    """An instance between two calls. errors counts those of one game; out: it is not called more.

    player: asks it for moves. seen: the path that it has gone, and last what came of its end.
    """

    runnable: RunnableProgram
    player: RunnableProgram | OpenSeat
    instance: Any
    chance: Chance
    last: CallOutcome
    errors: int = 0
    out: bool = False
    seen: list[Any] = field(default_factory=list)


class LiveInstances:
    """The instances of a worker that wait for further calls."""

    def __init__(self, programs: Sequence[LoadedProgram], mark: Callable[[int], object]) -> None:
        self._programs = programs
        self._mark = mark
        self._waiting: OrderedDict[tuple[object, ...], _Waiting] = OrderedDict()
        self._runnable: dict[tuple[int, StageGame | SocietySetting], RunnableProgram] = {}

    def decide(self, call: DecisionCall) -> CallOutcome:
        """Ask for a move: True is C."""
        path = [_round_bytes(call, number) for number in range(len(call.actions) + 1)]
        waiting = self._resume(call, call.game, path, call.opponents)
        for number in range(len(waiting.seen), len(path)):
            _decide_round(waiting, call, number)
            waiting.seen.append(path[number])
        return waiting.last

    def answer(self, call: AnswerCall) -> CallOutcome:
        """Tell the news that the program has not had yet, and ask for an answer."""
        path = [(notice.kind, _fact_bytes(notice.facts)) for notice in call.notices]
        waiting = self._resume(call, call.setting, path)
        for number in range(len(waiting.seen), len(path)):
            _give_notice(waiting, call.notices[number])
            waiting.seen.append(path[number])
        if waiting.out:
            return CallOutcome(None, waiting.last.failure)
        asked = f"answer_{call.kind}", _frozen_facts(call.facts), Chance(call.draw)
        value, failure = waiting.runnable.ask(waiting.instance, *asked)
        return CallOutcome(None, failure) if failure else _plain_outcome(value)

    def _resume(
        self,
        call: DecisionCall | AnswerCall,
        game: StageGame | SocietySetting,
        path: list[Any],
        opponents: tuple[int | None, ...] | None = None,
    ) -> _Waiting:
        """Return the instance that has gone a part of this path, or a new one."""
        self._mark(call.program)
        key = (call.program, call.seed, call.key, game, opponents)
        waiting = self._waiting.pop(key, None)
        if waiting is None or waiting.seen != path[: len(waiting.seen)]:
            waiting = self._start(call.program, call.seed, game, opponents)
        self._waiting[key] = waiting
        if len(self._waiting) > KEPT:
            self._waiting.popitem(last=False)
        return waiting

    def _start(
        self,
        program: int,
        seed: int,
        game: StageGame | SocietySetting,
        opponents: tuple[int | None, ...] | None,
    ) -> _Waiting:
        runnable = self._runnable_in(game, program)
        player: RunnableProgram | OpenSeat = runnable
        if opponents is not None and runnable.program.sees_sources:
            assert isinstance(game, StageGame)
            others = [None if one is None else self._runnable_in(game, one) for one in opponents]
            player = OpenSeat([runnable, *others], game, seed)
        chance = Chance(seed)
        instance, failure = player.start(chance)
        last = CallOutcome(runnable.fallback, failure)
        return _Waiting(runnable, player, instance, chance, last, out=failure is not None)

    def _runnable_in(self, game: StageGame | SocietySetting, program: int) -> RunnableProgram:
        runnable = self._runnable.get((program, game))
        if runnable is None:
            runnable = RunnableProgram(self._programs[program], game)
            self._runnable[program, game] = runnable
        return runnable


def _round_bytes(call: DecisionCall, number: int) -> tuple[bytes, ...]:
    """Return as bytes what a program sees in this round that it had not seen before."""
    before = slice(max(0, number - 1), number)
    stock = b"" if call.stock is None else call.stock[number].tobytes()
    return call.actions[before].tobytes(), call.payoffs[before].tobytes(), stock


def _decide_round(waiting: _Waiting, call: DecisionCall, number: int) -> None:
    """Let an instance decide in a round; one that is out plays its fallback."""
    if waiting.out:
        if number:  # in the first round it is told why there is no instance
            waiting.last = CallOutcome(waiting.runnable.fallback, None)
        return
    arguments = call_arguments(waiting.runnable.program, call, number)
    move = waiting.player.move(waiting.instance, arguments, waiting.errors, waiting.chance)
    waiting.last = CallOutcome(*move)
    _count(waiting, waiting.last.failure)


def _count(waiting: _Waiting, failure: Failure | None) -> None:
    waiting.errors += failure is not None
    waiting.out = failure is not None and failure.ends_the_game


def _give_notice(waiting: _Waiting, notice: Notice) -> None:
    if waiting.out:
        return
    method = f"notice_{notice.kind}"
    facts = _frozen_facts(notice.facts)
    _, failure = waiting.runnable.ask(
        waiting.instance, method, facts, waiting.chance, waiting.errors
    )
    _count(waiting, failure)
    if waiting.out:
        waiting.last = CallOutcome(None, failure)


def _frozen_facts(facts: Mapping[str, FactValue]) -> Any:
    return new_facts(
        {
            name: frozen_copy(value) if isinstance(value, np.ndarray) else value
            for name, value in facts.items()
        }
    )


def _fact_bytes(facts: Mapping[str, FactValue]) -> tuple[object, ...]:
    """Facts in a form in which equal ones are equal."""
    return tuple(
        (name, value.dtype.str, value.shape, value.tobytes())
        if isinstance(value, np.ndarray)
        else (name, type(value), repr(value))
        for name, value in facts.items()
    )


def _plain_outcome(value: object) -> CallOutcome:
    """Accept what a question can be answered with; a program's own objects are never printed."""
    plain = _plain_fields(value) if type(value) is dict else _plain_scalar(value)
    if plain is None:
        return CallOutcome(None, Failure("error", _NOT_PLAIN.format(type(value).__name__)))
    return CallOutcome(plain, None)


def _plain_fields(fields: dict[Any, Any]) -> dict[str, Scalar] | None:
    if len(fields) > MOST_FIELDS or any(type(name) is not str for name in fields):
        return None
    plain = {name: _plain_scalar(value) for name, value in fields.items()}
    texts = [*plain, *(value for value in plain.values() if isinstance(value, str))]
    if sum(map(len, texts)) > LONGEST_TEXT:
        return None
    found = {name: value for name, value in plain.items() if value is not None}
    return found if len(found) == len(plain) else None


_NOT_PLAIN = (
    "it returned a value of type {} that is no answer; expected a finite number, a text, or a "
    "dictionary of these"
)
_NUMPY = (np.bool_, np.int64, np.int32, np.float64, np.float32)


def _plain_scalar(value: Any) -> Scalar | None:
    """Return a number or text as plain Python has it; None if it is neither."""
    if type(value) in _NUMPY:
        value = value.item()
    if type(value) is bool:
        return value
    if type(value) is int:
        return value if abs(value) <= LARGEST else None
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) is str:
        return value if len(value) <= LONGEST_TEXT else None
    return None
