"""Mechanisms to choose from: as a scenario file names them, each an option or part of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from society.config.registry import Registry
from society.engine.mechanism import Play
from society.engine.parameters import ValidationIssues, validate
from society.engine.scenario import InnerMechanism, Layer, Measure, MechanismSpec
from society.engine.script import Fact, common
from society.errors import CatalogueError, ScenarioError
from society.former_names import with_current_parameters

# They share among all players of a match, and count those of them who play in another group.
_FIXED = ("contracts", "mediation")


class Option(NamedTuple):
    """Mechanisms, the innermost first, and each one's name as it was given.

    Players are offered, and run files keep, the names as given: a former name stays in use.
    """

    layers: tuple[Layer, ...]
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        return " + ".join(self.names)

    def laid_over(self, play: Play) -> Play:
        return reduce(lambda inner, layer: layer.spec(inner, **layer.given), self.layers, play)

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(chain.from_iterable(layer.spec.measures for layer in self.layers))


def parse_option(given: Any, place: str, registry: Registry | None = None) -> Option:
    """Read an option: a mechanism, {mechanism: {parameter: value}}, or a list of these.

    A mechanism is given by its name, ours or the user's, or as the object. Raises ScenarioError for
    what names no mechanism that can be chosen, or not its parameters.
    """
    parts = given if isinstance(given, list) else [given]
    if not parts:
        raise ScenarioError(f"{place}: got an empty list; write baseline for no mechanism")
    names = registry or Registry()
    return Option(*zip(*(_layer(part, place, names) for part in parts), strict=True))


def parse_options(given: list[Any], registry: Registry | None = None) -> list[Option]:
    """Read all options; those that are read already stay. registry: of the user's mechanisms."""
    return [
        one
        if isinstance(one, Option)
        else parse_option(one, f"institution_choice: options[{number}]", registry)
        for number, one in enumerate(given)
    ]


def option_titles(options: list[Option]) -> tuple[str, ...]:
    """Return the labels of options; those with the same mechanisms are numbered.

    >>> option_titles(parse_options(["quota", "baseline", "baseline"]))
    ('quota', 'baseline', 'baseline (2)')
    """
    seen: Counter[str] = Counter()
    named = []
    for one in options:
        seen[one.title] += 1
        number = seen[one.title]
        named.append(one.title if number == 1 else f"{one.title} ({number})")
    return tuple(named)


def parts_of(options: list[Option], fact: str) -> Iterator[InnerMechanism]:
    """Yield the mechanisms of options, each in force for those who play under its option."""
    for number, one in enumerate(options):
        for layer in one.layers:
            yield InnerMechanism(fact, number, layer)


def _numbers(layer: Layer) -> Mapping[str, float]:
    """Return the parameters that are numbers."""
    return {
        name: value
        for name, value in layer.given.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def describe_options(options: list[Option], replicates: int) -> dict[str, Fact]:
    """Describe the options, one mechanism after the other, (R, 1, L) each.

    option_of: of which option, counted from 0. option_mechanism: its name. The others: a parameter
    that is a number, NaN where a mechanism has none of that name.
    """
    layers = [(number, layer) for number, one in enumerate(options) for layer in one.layers]
    names = dict.fromkeys(chain.from_iterable(_numbers(layer) for _, layer in layers))
    columns: dict[str, Any] = {
        "of": [number for number, _ in layers],
        "mechanism": np.array([name for one in options for name in one.names], object),
    }
    columns |= {name: [_numbers(one).get(name, np.nan) for _, one in layers] for name in names}
    shape = replicates, 1, len(layers)
    return {
        f"option_{name}": common(np.broadcast_to(column, shape)) for name, column in columns.items()
    }


def refuse_fixed(options: list[Option]) -> None:
    """Raise ScenarioError for what cannot be played by some of the players of a match."""
    for layer in (layer for one in options for layer in one.layers):
        if layer.name in _FIXED:
            raise ScenarioError(
                f"institution_choice: {layer.name} is for all players of a match, and by feet only "
                "some of them play; leave it out, or take by: vote"
            )


def _layer(part: Any, place: str, registry: Registry) -> tuple[Layer, str]:
    named = {part: {}} if isinstance(part, str | MechanismSpec) else part
    if not isinstance(named, Mapping) or len(named) != 1:
        raise ScenarioError(
            f"{place}: got {part!r:.60}; expected the name of a mechanism, or one name with its "
            "parameters below"
        )
    name, given = next(iter(named.items()))
    try:
        spec = name if isinstance(name, MechanismSpec) else registry.mechanism(str(name))
    except CatalogueError as error:
        raise ScenarioError(f"{place}: {error}") from None
    if spec.name == "institution_choice":
        raise ScenarioError(
            f"{place}: an option is no choice of its own; name its options beside the others"
        )
    try:
        given = with_current_parameters(spec.name, given or {})
        layer = Layer(spec, dict(validate(spec.parameters, given)))
    except ValidationIssues as refused:
        raise ScenarioError(f"{place}: {spec.name}: {refused}") from None
    _refuse_unplayed(layer, place)
    return layer, spec.name if spec is name else str(name)


def _refuse_unplayed(layer: Layer, place: str) -> None:
    """Raise ScenarioError for what cannot be played once, as it is, by those who choose it."""
    spec, drafts = layer.spec, layer.spec.drafts
    if spec.levels or spec.seating:
        raise ScenarioError(
            f"{place}: {layer.name} holds whole games, and an option is played for one; name it "
            "after `institution_choice`"
        )
    if drafts is not None and layer.given[drafts.stage[0]] == drafts.stage[1]:
        raise ScenarioError(
            f"{place}: {layer.name} with {drafts.stage[0]}: {drafts.stage[1]} plays nothing; leave "
            f"{drafts.stage[0]} out"
        )
