"""Rehearse a script: all that it asks and tells, for one replicate, when nobody answers.

Lines never depend on data, so that what is said in a rehearsal is what is said in a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations, islice, product
from typing import Any, Literal, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ValidationError

from society.engine.action_spaces import Choice, Illegal, Integer, Neighbour, Real, Value, fields
from society.engine.arrays import ArrayNormaliser, WrongShape, spread_fallback
from society.engine.environment import Environment, UnknownGraph
from society.engine.mechanism import PlayFunction, rehearsal_environment, silent_lines
from society.engine.rng import Array
from society.engine.scenario import Measure, Params
from society.engine.script import (
    Ask,
    Fact,
    Inherit,
    Line,
    Tell,
    Unanswered,
    VoidReplicate,
)
from society.errors import ScenarioError
from society.llm.default_words import check_figures

_MOST_LINES = 4_000  # of one rehearsal
MakeEnvironment = Callable[
    [Params, bool, bool], Environment
]  # parameters, all rounds, first rounds only


@dataclass
class Rehearsal:
    """All that a script asks and tells when nobody answers.

    failed: why it could not be played to its end. unmeasured: for each measure that was never
    computed, the fact that it missed last. used: facts that measures have read. facts: of tells;
    in_questions: of asks; common: of both, those that everybody knows. facts_of: those of each
    tell, by its kind; news: of tells that only inform. lines: how many were heard. partial: whether
    some were not. misshapen: wrong arrays, by the kind of their line; out_of_bounds: fallbacks that
    will be cut to the bounds. graphs: relations that were used.
    """

    asked: set[str] = field(default_factory=set)
    in_answers: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    in_questions: set[str] = field(default_factory=set)
    common: set[str] = field(default_factory=set)
    facts_of: dict[str, set[str]] = field(default_factory=dict)
    news: dict[str, set[str]] = field(default_factory=dict)
    graphs: set[str] = field(default_factory=set)
    lines: int = 0
    partial: bool = False
    opens_rounds: bool = False
    failed: BaseException | None = None
    measured: set[str] = field(default_factory=set)
    unmeasured: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    misshapen: dict[tuple[str, str], str] = field(default_factory=dict)
    out_of_bounds: dict[str, str] = field(default_factory=dict)

    def hear(self, play: PlayFunction, env: Environment, measures: Iterable[Measure]) -> None:
        """Rehearse a play, and add what is said there."""
        measures, said = tuple(measures), _FactsTold(self.used)
        normaliser = ArrayNormaliser(env)
        in_a_round = False
        try:
            for number, line in enumerate(islice(silent_lines(play, env), _MOST_LINES), 1):
                self.lines += 1
                self.partial |= number == _MOST_LINES
                if env.newly_opened():
                    if in_a_round:
                        self._measure(measures, said, env)
                    in_a_round, said = True, _FactsTold(self.used)
                self._hear_line(line, normaliser)
                if isinstance(line, Tell):
                    said |= _as_told(line, env)
            in_a_round |= bool(env.newly_opened())
        except Exception as error:  # whatever a script of the user's raises
            self.failed = error
        self.opens_rounds |= in_a_round
        if in_a_round:
            self._measure(measures, said, env)

    def _hear_line(self, line: Line, normaliser: ArrayNormaliser) -> None:
        try:
            if isinstance(line, Ask):
                self._hear_ask(line, normaliser)
            elif isinstance(line, Tell):
                self._hear_tell(line, normaliser)
            elif isinstance(line, Inherit):
                normaliser.seats(line.parents, "parent")
                _check_masks(normaliser, newborn=line.newborn)
            if isinstance(line, Ask | Tell) and line.text:
                check_figures(line, normaliser.env.params)
        except (WrongShape, UnknownGraph, ScenarioError) as error:
            self.misshapen.setdefault((type(line).__name__, line.kind), str(error))

    def _hear_ask(self, ask: Ask, normaliser: ArrayNormaliser) -> None:
        """Note a question; raises WrongShape, UnknownGraph."""
        values = fields(ask.reply)
        names = [name for name in values if name]
        self.asked.add(ask.kind)
        self.in_answers |= {*names, *(f"{ask.kind} {name}" for name in names)}
        self.in_questions |= set(ask.facts)
        self._hear_facts(ask.facts, normaliser)
        _check_masks(normaliser, who=ask.who)
        for name, value in values.items():
            if isinstance(value, Neighbour):
                normaliser.env.graph(value.graph)
                self.graphs.add(value.graph)
            for bound, array in getattr(value, "bounds", {}).items():
                _check_masks(normaliser, **{f"bound {bound!r}": array})
            if isinstance(value, Choice) and not value.fixed:
                normaliser.options(value.options)
            self._hear_fallback(ask, name, value, normaliser.env)

    def _hear_fallback(self, ask: Ask, name: str, value: Value, env: Environment) -> None:
        """Check the fallback of a question for one field of its answer; raises WrongShape."""
        if ask.fallback is None or isinstance(ask.fallback, Unanswered | VoidReplicate):
            return
        shape = env.present.shape
        settled = given = spread_fallback(ask.fallback, name, value, shape).reshape(
            *shape, *(() if value.width is None else (value.width,))
        )
        # Bounds and options that differ between agents depend on answers, which are silent here.
        if value.alike and not isinstance(value, Neighbour) and getattr(value, "fixed", True):
            try:
                settled = value.settle(given, np.ones(shape, bool), env.graphs, env.present)
            except Illegal as error:
                raise WrongShape(f"fallback is {ask.fallback!r:.60}; expected {error}") from None
        cut = isinstance(value, Real | Integer) and not np.array_equal(
            settled, given, equal_nan=True
        )
        if cut:
            self.out_of_bounds[ask.kind] = f"{ask.fallback!r:.60} is not {value.expected()}"

    def _hear_tell(self, tell: Tell, normaliser: ArrayNormaliser) -> None:
        """Note an event; raises WrongShape, UnknownGraph."""
        self.told.add(tell.kind)
        self.facts |= set(tell.facts)
        self.facts_of.setdefault(tell.kind, set()).update(tell.facts)
        changes = (tell.gone, tell.ends, tell.back)
        edges = {**tell.joins, **tell.cuts}
        if all(one is None for one in changes) and not (edges or tell.groups):
            self.news.setdefault(tell.kind, set()).update(tell.facts)
        self._hear_facts(tell.facts, normaliser)
        _check_masks(normaliser, gone=tell.gone, back=tell.back, ends=tell.ends)
        for name in (*edges, *tell.restores, *tell.groups):
            normaliser.env.graph(name)
            self.graphs.add(name)
        for peers in (*tell.joins.values(), *tell.cuts.values()):
            normaliser.peers(peers)
        for labels in tell.groups.values():
            normaliser.labels(labels)

    def _hear_facts(self, facts: Mapping[str, Fact], normaliser: ArrayNormaliser) -> None:
        normaliser.facts(facts)
        self.graphs |= {fact.graph for fact in facts.values() if fact.graph}
        self.common |= {name for name, fact in facts.items() if fact.scope == "common"}

    def _measure(self, measures: Iterable[Measure], said: _FactsTold, env: Environment) -> None:
        """Compute measures from the facts of a round, to see which facts they read."""
        for measure in measures:
            try:
                with np.errstate(all="ignore"):
                    values = np.asarray(measure.of(said, env))
            except _NotTold as error:
                self.unmeasured[measure.name] = str(error.args[0])
            except Exception:  # of a measure of the user's: silent answers may be too strange
                self.measured.add(measure.name)
            else:
                self.measured.add(measure.name)
                if values.shape not in ((1,), (1, 1)):
                    came = f"shape {values.shape}" if values.ndim else f"{values.item()!r:.60}"
                    words = f"gives {came}; expected (1,) or (1, 1), a number for each replicate"
                    self.misshapen.setdefault(("Measure", measure.name), words)


def _check_masks(normaliser: ArrayNormaliser, **masks: Array | None) -> None:
    """Raises WrongShape for an array that has not one value per agent; `ends`, per replicate."""
    for role, mask in masks.items():
        if mask is None:
            continue
        shaped = normaliser.tall if role == "ends" else normaliser.wide
        try:
            shaped(mask, None)
        except WrongShape as error:
            raise WrongShape(f"{role} has {error}") from None


def _as_told(tell: Tell, env: Environment) -> dict[str, Array]:
    """Return the facts of an event as measures read them."""
    told = {}
    for name, fact in tell.facts.items():
        if isinstance(fact, Fact):
            shape = (1, env.agents if fact.scope != "common" else 1, *fact.values.shape[2:])
            told[name] = fact.values
            with suppress(ValueError):  # of a wrong shape, which is reported by itself
                told[name] = np.broadcast_to(fact.values, shape)
    return told


class _NotTold(KeyError):
    """A measure reads a fact that was not told."""


class _FactsTold(dict[str, Array]):
    """Facts told in a round; notes which of them are read."""

    def __init__(self, used: set[str]) -> None:
        super().__init__()
        self._used = used

    def __getitem__(self, name: str) -> Array:
        self._used.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._used.add(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self._used.add(str(name))
        return super().__contains__(name)

    def __missing__(self, name: str) -> Array:
        raise _NotTold(name)


def switched(params: Params) -> Iterator[Params]:
    """Yield parameters with other values of switches: of one, then of two at once, and so on.

    All others are as given, or have their defaults.
    """
    model, switches = type(params), switch_values(type(params))
    made = [params]
    for count in range(len(switches) + 1):
        for names in combinations(switches, count):
            for base in ({}, dict(params)):
                for values in product(*(switches[name] for name in names)):
                    with suppress(ValidationError, ValueError):
                        one = model(**{**base, **dict(zip(names, values, strict=True))})
                        if one not in made:
                            made.append(one)
                            yield one


def switch_values(model: type[BaseModel]) -> dict[str, Sequence[Any]]:
    """List the values of each parameter that is a switch."""
    options = {name: _options(info.annotation) for name, info in model.model_fields.items()}
    return {name: values for name, values in options.items() if values}


def _options(annotation: Any) -> Sequence[Any]:
    """List the values of a switch: a bool, a Literal or an Enum; none for other types."""
    if annotation is bool:
        return (False, True)
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(annotation)
    return [value for one in get_args(annotation) for value in _options(one)]


def rehearsal_stage(
    bare: Callable[[Params, int], Environment], rounds: int, usual: int
) -> MakeEnvironment:
    """Return a function that makes environments for rehearsals, of so many rounds or as usual."""

    def stage(params: Params, whole: bool, first_rounds_only: bool) -> Environment:
        env = bare(params, max(rounds, usual) if whole else rounds)
        return rehearsal_environment(env, first_rounds_only=first_rounds_only)

    return stage
