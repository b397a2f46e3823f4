"""Factors of an experiment: their levels, and what each level sets.

A level is a value of the setting that its factor is called after, or a label with all settings that
it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator

from society.checks import Fault, Keys, Refused
from society.errors import ScenarioError
from society.positions import Source
from society.scenario_file import Key, Setting, placed

from .naming import Label, label_of

_FOR_ALL = {
    "seed": "random_numbers: independent gives each condition luck of its own",
    "replicates": "all conditions have the same number",
    "limits": "they hold for all runs together",
}


def _levels(said: Any) -> Any:
    """Those of a factor, whose labels may also be numbers."""
    listed = isinstance(said, list) and said
    named = isinstance(said, Mapping) and said
    if listed or (named and all(isinstance(one, Mapping | None) for one in said.values())):
        return said
    words = "expected a list of values, or a mapping from labels to settings"
    raise ValueError(f"got {said!r:.60}; {words}")


Levels = Annotated[list[Any] | dict[Label, Any], BeforeValidator(_levels)]


def _label(value: Any, keys: Keys) -> Label:
    try:
        return label_of(value)
    except ValueError as error:
        raise Refused(Fault(keys, str(error))) from None


class Choice(NamedTuple):
    """One level of a factor, and where its settings were said."""

    factor: str
    label: Label
    settings: tuple[Setting, ...]


def choices(
    factor: str, levels: list[Any] | Mapping[Any, Any], keys: Keys, origin: Source
) -> list[Choice]:
    """The levels of a factor, said at `keys`; raises Refused for one that comes twice."""
    if isinstance(levels, Mapping):
        found = [
            Choice(factor, label, tuple(settings(given or {}, (*keys, label), origin)))
            for label, given in levels.items()
        ]
    else:
        found = [
            Choice(
                factor,
                _label(value, (*keys, index)),
                (setting(factor, value, (*keys, index), origin),),
            )
            for index, value in enumerate(levels)
        ]
    labels = [choice.label for choice in found]
    twice = {str(label) for label in labels if labels.count(label) > 1}
    if twice:
        raise Refused(Fault(keys, f"comes twice: {', '.join(sorted(twice))}"))
    return found


def settings(given: Mapping[str, Any], keys: Keys, origin: Source) -> Iterator[Setting]:
    """One for each key, and one for each entry of a mapping to which a base may add."""
    for key, value in given.items():
        if key in ("parameters", "models", "graphs") and isinstance(value, Mapping):
            for name, inner in value.items():
                yield setting((key, str(name)), inner, (*keys, key, name), origin)
        else:
            yield setting(key, value, (*keys, key), origin)


def setting(key: Key, value: Any, keys: Keys, origin: Source) -> Setting:
    """A value, with the place where it was said."""
    position = origin.positions.get(keys)
    return Setting(key, value, position.value if position else origin.found)


def general_first(given: Iterable[Setting]) -> list[Setting]:
    """In the order in which one does not undo another: graph before graphs and graphs.learn."""

    def depth(one: Setting) -> tuple[int, bool]:
        keys = placed(one.key)
        return len(keys), keys != ("graph",)

    return sorted(given, key=depth)


def refuse_clashes(choices: Iterable[Choice]) -> None:
    """Raises ScenarioError where two factors set the same, or one what no factor may set."""
    by: dict[tuple[str, ...], str] = {}
    for choice in choices:
        for setting in choice.settings:
            keys, where = placed(setting.key), setting.where
            if keys[0] in _FOR_ALL:
                raise ScenarioError(f"{where}: {keys[0]} is no factor: {_FOR_ALL[keys[0]]}")
            other = by.setdefault(keys, choice.factor)
            if other != choice.factor:
                words = f"{setting.words} is set by two factors, {other} and {choice.factor}"
                raise ScenarioError(f"{where}: {words}; leave it to one of them")
