"""Mechanisms to choose from: as a scenario file names them, each an option or part of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import reduce
from typing import Any, NamedTuple

from society.checks import Refused, checked, parameters_of
from society.errors import ScenarioError, nearest
from society.scenario import Additions
from society.wrap import Mechanism, Play

# They share among all players of a match, and count those of them who play in another group.
_FIXED = ("contracted", "mediated")


class Layer(NamedTuple):
    """A mechanism with its parameters."""

    wrap: Mechanism
    given: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.wrap.__name__

    def in_words(self) -> str:
        """What it is, and its numbers."""
        summary = (self.wrap.__doc__ or "").partition("\n")[0]
        numbers = {
            name: value
            for name, value in self.given.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        terms = ", ".join(f"{name} {value:g}" for name, value in numbers.items())
        return f"{summary.removesuffix('.')} ({terms})." if terms else summary


class Option(NamedTuple):
    """Mechanisms, the innermost first."""

    layers: tuple[Layer, ...]

    @property
    def title(self) -> str:
        return " + ".join(layer.name for layer in self.layers)

    def laid_over(self, play: Play) -> Play:
        return reduce(lambda inner, layer: layer.wrap(inner, **layer.given), self.layers, play)

    def in_words(self) -> str:
        return " ".join(layer.in_words() for layer in self.layers)


def option(said: Any, place: str) -> Option:
    """An option as it was said: a name, {name: {parameter: value}}, or a list of these.

    Raises ScenarioError for what names no mechanism that can be chosen, or not its parameters.
    """
    parts = said if isinstance(said, list) else [said]
    return Option(tuple(_layer(part, place) for part in parts))


def titles(options: list[Option]) -> tuple[str, ...]:
    """By what an option is chosen; those with the same mechanisms are numbered.

    >>> titles([option(name, "here") for name in ("fined", "unchanged", "fined")])
    ('fined', 'unchanged', 'fined (2)')
    """
    seen: Counter[str] = Counter()
    named = []
    for one in options:
        seen[one.title] += 1
        number = seen[one.title]
        named.append(one.title if number == 1 else f"{one.title} ({number})")
    return tuple(named)


def refuse_fixed(options: list[Option]) -> None:
    """Raises ScenarioError for what cannot be played by some of the players of a match."""
    for layer in (layer for one in options for layer in one.layers):
        if layer.name in _FIXED:
            raise ScenarioError(
                f"chosen: {layer.name} is for all players of a match, and by feet only some of "
                "them play; leave it out, or take by: vote"
            )


def _layer(said: Any, place: str) -> Layer:
    # The shelf holds `chosen` as well, which is made of options.
    from society.scenarios import mechanisms as shelf

    named = {said: {}} if isinstance(said, str) else said
    if not isinstance(named, Mapping) or len(named) != 1:
        raise ScenarioError(
            f"{place}: got {said!r:.60}; expected the name of a mechanism, or one name with its "
            "parameters below"
        )
    name, given = next(iter(named.items()))
    if name not in shelf.__all__:
        raise ScenarioError(
            f"{place}: there is no mechanism {name!r}; {nearest(str(name), shelf.__all__)}"
        )
    wrap: Mechanism = getattr(shelf, name)
    added: Additions = getattr(wrap, "brings", Additions())
    if added.levels or added.seating:
        raise ScenarioError(
            f"{place}: {name} holds whole games, and an option is played for one; name it after "
            "`chosen`"
        )
    try:
        return Layer(wrap, dict(checked(parameters_of(wrap), given or {})))
    except Refused as refused:
        raise ScenarioError(f"{place}: {name}: {refused}") from None
