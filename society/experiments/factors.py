"""Factors of an experiment: their levels, what each level sets, and the names of levels.

A level is a value of the setting that its factor is called after, or a label with all settings that
it stands for. Names of levels make up names of conditions, and these the names of run files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator

from society.config.run_config import Setting, read_setting, read_settings, setting_place
from society.config.yaml_source import Source
from society.engine.parameters import Issue, Keys, ValidationIssues
from society.errors import ScenarioError

Label = str | float | int | bool | None

_CODING = "coding"  # of the norms of a sweep, in the folder where each condition has a file

_LONGEST = 80  # characters of a condition's name in the name of its file


def label_of(value: Any) -> Label:
    """Name the value of a level; raises ValueError for what YAML takes for a date or worse."""
    if isinstance(value, str | float | int | bool | None):
        return value
    if isinstance(value, Mapping):
        named = value.get("model", value.get("kind"))
        if named is not None and len(value) == 1:
            return str(named)
        return " ".join(f"{key} {label_of(inner)}" for key, inner in value.items())
    if not isinstance(value, Sequence):
        raise ValueError(f"got {value}, a {type(value).__name__}; put it in quotes if it is a text")
    return " ".join(str(label_of(inner)) for inner in value)


def format_label(label: Label) -> str:
    """Write a label as a person does; a number with all its digits, which tell conditions apart.

    >>> [format_label(label) for label in (0.12345671, 2.0, None, True)]
    ['0.12345671', '2', 'none', 'true']
    """
    if label is None or isinstance(label, bool):
        return str(label).lower()
    return repr(float(label)).removesuffix(".0") if isinstance(label, float) else str(label)


def independent_seed(seed: int, name: str) -> int:
    """Derive a seed for a condition that shares no random numbers with others."""
    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=6).digest())


def run_file_name(name: str) -> str:
    """Turn the name of a condition into that of its run file.

    >>> run_file_name("fine=2,lake=harsh")
    'fine=2,lake=harsh.run'
    """
    plain = re.sub(r"[^\w.,=+-]+", "-", name, flags=re.ASCII)
    if plain == name and len(name) <= _LONGEST and not name.startswith((".", "-")):
        return f"{name}.run"
    return f"{plain[:_LONGEST].strip('.-')}-{blake2b(name.encode(), digest_size=4).hexdigest()}.run"


def coding_name(rater: str) -> str:
    """Name the coding by a rater; no condition has such a name."""
    return f"{_CODING}-{rater}"


def is_coding_file(file: str) -> bool:
    """Tell whether a run file name is kept for codings, also where capitals do not count.

    >>> [is_coding_file(f"{name}.run") for name in ("Coding-ann", "coding", "coding=2")]
    [True, True, False]
    """
    return file.casefold().startswith((f"{_CODING}-", f"{_CODING}."))


_FOR_ALL = {
    "seed": "random_numbers: independent gives each condition random numbers of its own",
    "replicates": "all conditions have the same number",
    "limits": "they hold for all runs together",
}


def _levels(said: Any) -> Any:
    """Return the levels of a factor, whose labels may also be numbers."""
    listed = isinstance(said, list) and said
    named = isinstance(said, Mapping) and said
    if listed or (named and all(isinstance(one, Mapping | None) for one in said.values())):
        return said
    words = (
        "expected a list of values, or a mapping from labels to settings, such as "
        "{harsh: {growth: 0.2}, fined: {mechanisms: [peer_punishment]}}"
    )
    raise ValueError(f"got {said!r:.60}; {words}")


LevelsSpec = Annotated[list[Any] | dict[Label, Any], BeforeValidator(_levels)]


def _label(value: Any, keys: Keys) -> Label:
    try:
        return label_of(value)
    except ValueError as error:
        raise ValidationIssues(Issue(keys, str(error))) from None


class FactorLevel(NamedTuple):
    """One level of a factor, and where its settings were said."""

    factor: str
    label: Label
    settings: tuple[Setting, ...]


def factor_levels(
    factor: str, levels: list[Any] | Mapping[Any, Any], keys: Keys, origin: Source
) -> list[FactorLevel]:
    """The levels of a factor, said at `keys`; raises ValidationIssues for one that comes twice."""
    if isinstance(levels, Mapping):
        found = [
            FactorLevel(factor, label, tuple(read_settings(given or {}, (*keys, label), origin)))
            for label, given in levels.items()
        ]
    else:
        found = [
            FactorLevel(
                factor,
                _label(value, (*keys, index)),
                (read_setting(factor, value, (*keys, index), origin),),
            )
            for index, value in enumerate(levels)
        ]
    labels = [choice.label for choice in found]
    twice = {str(label) for label in labels if labels.count(label) > 1}
    if twice:
        raise ValidationIssues(Issue(keys, f"comes twice: {', '.join(sorted(twice))}"))
    return found


def refuse_clashes(choices: Iterable[FactorLevel]) -> None:
    """Raise ScenarioError where two factors set the same, or one what no factor may set."""
    by: dict[tuple[str, ...], str] = {}
    for choice in choices:
        for setting in choice.settings:
            keys, where = setting_place(setting.key), setting.where
            if keys[0] in _FOR_ALL:
                raise ScenarioError(f"{where}: {keys[0]} is no factor: {_FOR_ALL[keys[0]]}")
            other = by.setdefault(keys, choice.factor)
            if other != choice.factor:
                words = f"{setting.words} is set by two factors, {other} and {choice.factor}"
                raise ScenarioError(f"{where}: {words}; leave it to one of them")
