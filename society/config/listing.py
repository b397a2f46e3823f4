"""The output of `society list`: names, a line about each, and its parameters."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from society.claims.types import Reproduction
from society.engine.parameters import Schema, describe_schema, parameters_of, schema_of
from society.index import presets
from society.llm.providers.api_keys import key_names
from society.llm.providers.settings import ModelSpec, model_syntax

from .graph_families import FAMILIES
from .registry import components, mechanisms, reproductions, scenarios
from .run_config import load_config

Kind = Literal["scenarios", "components", "mechanisms", "graphs", "models", "reproductions"]

_WIDTH = 80


class Entry(NamedTuple):
    """A named thing in the list: a line about it, and a line for each of its parameters."""

    words: str
    parameters: tuple[str, ...]


def entries(kind: Kind) -> dict[str, Entry]:
    """Return all entries of one kind, by name."""
    if kind == "scenarios":
        played = {
            name: Entry(part.summary, _parameters(part.params))
            for name, part in scenarios().items()
        }
        return played | {name: _preset(file) for name, file in presets().items()}
    if kind == "models":
        settings = _parameters(ModelSpec)[1:]  # all but the model itself
        plain = {name: Entry(words, ()) for name, words in model_syntax()}
        keys = Entry(", ".join(key_names()) or "none set in the environment or in .env", ())
        of_each = Entry("of each model, under `models` in a scenario file", settings)
        return plain | {"keys": keys, "settings": of_each}
    if kind == "reproductions":
        return {name: _reproduction(part) for name, part in reproductions().items()}
    parts: dict[Kind, Callable[[], Mapping[str, Callable[..., Any]]]] = {
        "components": components,
        "mechanisms": lambda: {name: one.source for name, one in mechanisms().items()},
        "graphs": lambda: FAMILIES,
    }
    return {
        name: Entry(_first_line(part), _parameters(parameters_of(part)))
        for name, part in parts[kind]().items()
    }


def listing_lines(kind: Kind, *, parameters: bool) -> Iterator[str]:
    """Yield the lines of a list: one for each entry, or each with its parameters below it."""
    yield f"{kind}:"
    for name, entry in entries(kind).items():
        if not parameters:
            yield f"  {name:30} {entry.words}"
            continue
        yield _indent(f"{name} · {entry.words}", 2)
        yield from (_indent(line, 6) for line in entry.parameters)


def _indent(line: str, depth: int) -> str:
    start, rest = " " * depth, " " * (depth + 4)
    return fill(line, _WIDTH, initial_indent=start, subsequent_indent=rest, break_on_hyphens=False)


def _first_line(part: object) -> str:
    return (inspect.getdoc(part) or "").partition("\n")[0]


def _preset(file: Path) -> Entry:
    """Describe a preset by its first comment and the parameters that it sets."""
    spec = load_config(str(file))
    said = "".join(f", {name} = {_value(value)}" for name, value in spec.parameters.items())
    words = file.read_text("utf-8").strip("# ").partition("\n")[0]
    return Entry(words, (f"as {spec.scenario}{said}",))


def _reproduction(part: Reproduction) -> Entry:
    """Describe a reproduction by its paper and its experiments."""
    designs = {"rules": part.rules, "with --model": part.language}
    played = (
        f"{minds}: {', '.join(trial.name for trial in design.trials)}"
        for minds, design in designs.items()
        if design is not None
    )
    return Entry(part.paper, tuple(played))


def _parameters(model: type[BaseModel]) -> tuple[str, ...]:
    """Describe each parameter: name, default, legal values, meaning.

    >>> from pydantic import Field
    >>> class Wood(BaseModel):
    ...     growth: float = Field(0.2, ge=0, description="r, a round")
    >>> _parameters(Wood)
    ('growth = 0.2 · a number of at least 0 · r, a round',)
    """
    schema = schema_of(model)
    needed = schema.get("required", ())
    return tuple(
        _parameter(name, inner, name in needed)
        for name, inner in schema.get("properties", {}).items()
    )


def _parameter(name: str, schema: Schema, needed: bool) -> str:
    default = " (required)" if needed else ""
    if "default" in schema:
        default = f" = {_value(schema['default'])}"
    cast = "only without `cohorts`" if "of_default_cast" in schema else ""
    words = [f"{name}{default}", describe_schema(schema), schema.get("description", ""), cast]
    return " · ".join(word for word in words if word)


def _value(value: Any) -> str:
    """Format a value as a scenario file writes it."""
    if isinstance(value, str):
        return value or '""'
    return "none" if value is None else json.dumps(value)
