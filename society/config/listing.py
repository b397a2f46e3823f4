"""The output of `society list`: names, a line about each, and its parameters."""

from __future__ import annotations

import difflib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from textwrap import fill
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from pydantic import BaseModel

from society.claims.types import Reproduction
from society.engine.action_spaces import ActionSpace, Fields
from society.engine.component import ANYTHING, Component
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import rehearsal_environment, silent_lines
from society.engine.parameters import Schema, describe_schema, parameters_of, schema_of
from society.engine.scenario import Measure
from society.engine.script import Ask, Fact, Tell
from society.engine.state import Column
from society.errors import CatalogueError, suggest
from society.former_names import NameSort, current
from society.index import experiments, instruments, presets
from society.llm.perturbations import perturbations
from society.llm.providers.api_keys import key_names
from society.llm.providers.settings import PLUGIN, ModelSpec, model_syntax
from society.memory.embedders import embedder_makers
from society.plugins import plugin_origin, usable_plugins

from .build import Society, build
from .graph_families import graph_families
from .registry import (
    SUFFIXES,
    Registry,
    RegistryItem,
    components,
    mechanisms,
    reproductions,
    scenarios,
)
from .run_config import load_config
from .yaml_source import read_yaml

Kind = Literal[
    "scenarios",
    "components",
    "mechanisms",
    "instruments",
    "graphs",
    "embedders",
    "models",
    "experiments",
    "reproductions",
    "perturbations",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

_WIDTH = 80


class Entry(NamedTuple):
    """A named thing in the list: a line about it, and a line for each of its parameters.

    origin: the installed package that brings it; empty for ours.
    """

    words: str
    parameters: tuple[str, ...]
    origin: str = ""


def entries(kind: Kind) -> dict[str, Entry]:
    """Return all entries of one kind, by name, each with the package that brings it."""
    return {
        name: entry._replace(origin=entry.origin or plugin_origin(kind, name))
        for name, entry in _entries(kind).items()
    }


def _entries(kind: Kind) -> dict[str, Entry]:
    if kind == "scenarios":
        played = {
            name: Entry(part.summary, _parameters(part.params))
            for name, part in scenarios().items()
        }
        return played | {name: _preset(file) for name, file in presets().items()}
    if kind == "models":
        settings = _parameters(ModelSpec)[1:]  # all but the model itself
        plain = {name: Entry(words, ()) for name, words in model_syntax()}
        plain |= {
            f"{PLUGIN}{name}": Entry(_first_line(make), (), plugin_origin("models", name))
            for name, make in usable_plugins("models", ()).items()
        }
        keys = Entry(", ".join(key_names()) or "none set in the environment or in .env", ())
        of_each = Entry("of each model, under `models` in a scenario file", settings)
        return plain | {"keys": keys, "settings": of_each}
    if kind == "experiments":
        return {name: _experiment(file) for name, file in experiments().items()}
    if kind == "instruments":
        return {name: _instrument(file) for name, file in instruments().items()}
    if kind == "perturbations":
        return {name: Entry(one.summary, ()) for name, one in perturbations().items()}
    if kind == "reproductions":
        return {name: _reproduction(part) for name, part in reproductions().items()}
    parts: dict[Kind, Callable[[], Mapping[str, Callable[..., Any]]]] = {
        "components": components,
        "mechanisms": lambda: {name: one.source for name, one in mechanisms().items()},
        "graphs": graph_families,
        "embedders": embedder_makers,
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
            yield f"  {name:30} {entry.words}{_from(entry)}"
            continue
        yield _indent(f"{name} · {entry.words}{_from(entry)}", 2)
        yield from (_indent(line, 6) for line in entry.parameters)


def _from(entry: Entry) -> str:
    return f" (from {entry.origin})" if entry.origin else ""


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


def _experiment(file: Path) -> Entry:
    """Describe an experiment by the first clause of its comment, and the levels of its factors."""
    said, _ = read_yaml(file)
    text = " ".join(line.strip("# ") for line in _first_comment(file))
    words = re.split(r" \(|;|\.(?: (?=[A-Z`])|$)", text)[0]
    base, factors = said["base"], said.get("factors", {})
    levels = [f"{name}: {', '.join(map(_value, some))}" for name, some in factors.items()]
    if "conditions" in said:
        levels.append(f"conditions: {', '.join(map(_value, said['conditions']))}")
    played = base if isinstance(base, str) else base["scenario"]
    runs = f"replicates: {said['replicates']}" if "replicates" in said else ""
    return Entry(words, tuple(one for one in (f"plays {played}", *levels, runs) if one))


def _instrument(file: Path) -> Entry:
    """Describe an instrument by its title and note, its items and its scales."""
    said, _ = read_yaml(file)
    items = [f"{item['id']} · {item['kind']} · {item['text']}" for item in said["items"]]
    scales = [
        f"{name} · scale of {', '.join(scale['items'])}"
        for name, scale in said.get("scales", {}).items()
    ]
    return Entry(f"{said['title']}. {said.get('note', '')}".strip(), (*items, *scales))


def _first_comment(file: Path) -> Iterator[str]:
    lines = file.read_text("utf-8").splitlines()
    return takewhile(lambda line: line.startswith("#"), lines)


def _reproduction(part: Reproduction) -> Entry:
    """Describe a reproduction by its paper and its experiments."""
    designs = {"rules": part.rules, "with --model": part.language}
    played = (
        f"{minds}: {', '.join(trial.name for trial in design.trials)}"
        for minds, design in designs.items()
        if design is not None
    )
    return Entry(part.paper, tuple(played))


def _parameters(model: type[BaseModel], given: Mapping[str, Any] = {}) -> tuple[str, ...]:
    """Describe each parameter: name, value, legal values, meaning; its default if none is given.

    >>> from pydantic import Field
    >>> class Wood(BaseModel):
    ...     growth: float = Field(0.2, ge=0, description="r, a round")
    >>> _parameters(Wood)
    ('growth = 0.2 · a number of at least 0 · r, a round',)
    """
    schema = schema_of(model)
    needed = schema.get("required", ())
    return tuple(
        _parameter(
            name,
            {**inner, "default": given[name]} if name in given else inner,
            name in needed and name not in given,
        )
        for name, inner in schema.get("properties", {}).items()
    )


def _parameter(name: str, schema: Schema, needed: bool) -> str:
    default = " (required)" if needed else ""
    if "default" in schema:
        default = f" = {_value(schema['default'])}"
    cast = "only without `cohorts`" if "of_default_cast" in schema else ""
    text, unit = schema.get("description", ""), schema.get("unit", "")
    words = [f"{name}{default}", describe_schema(schema), text, unit, cast]
    return " · ".join(word for word in words if word)


def _value(value: Any) -> str:
    """Format a value as a scenario file writes it."""
    if isinstance(value, str):
        return value or '""'
    return "none" if value is None else json.dumps(value)


class Description(NamedTuple):
    """The words of `society list NAME` about one name.

    parts: headings, each with its lines. origin: as in Entry.
    """

    name: str
    kind: str
    words: str
    parts: dict[str, list[str]]
    origin: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the description as lines of text."""
        yield _indent(f"{self.name} · {self.kind.removesuffix('s')} · {self.words}", 0)
        if self.origin:
            yield f"  from {self.origin}"
        for heading, lines in self.parts.items():
            yield f"  {heading}:"
            yield from (_indent(line, 4) for line in lines)


def describe_name(name: str, kinds: Iterable[Kind]) -> Description:
    """Describe one name of any kind, or what is in FILE.py or FILE.yaml; raises InputError."""
    if Path(name).suffix in SUFFIXES or ".py:" in name:
        return _describe_file(name)
    for kind in kinds:
        of_kind = entries(kind)
        current_name = current(_SORTS[kind], name) if kind in _SORTS else name
        if kind == "models" and f"{PLUGIN}{name}" in of_kind:
            current_name = f"{PLUGIN}{name}"
        if current_name in of_kind:
            entry = of_kind[current_name]
            parts = _parts(kind, current_name, entry)
            return Description(current_name, kind, entry.words, parts, entry.origin)
    every = [one for kind in kinds if kind != "models" for one in entries(kind)]
    near = difflib.get_close_matches(name, [*kinds, "runs", *every], n=1)
    legal = near or [*kinds, "runs"]
    raise CatalogueError(f"there is no kind and no name {name!r}; {suggest(name, legal)}")


def _describe_file(name: str) -> Description:
    """Describe the scenario that a file plays; without one, its components and mechanisms."""
    if Path(name).suffix == ".py":
        things = Registry().add(str(Path(name).expanduser().resolve()))
        parts = [thing for thing in things if thing.sort in ("component", "mechanism")]
        if parts and not any(thing.sort == "scenario" for thing in things):
            described = {f"{one.sort} {one.name}": _describe_part(one) for one in parts}
            return Description(name, "file", "components and mechanisms", described)
    setup = build(load_config(name))
    said = setup.params.model_dump(mode="json", include=set(setup.spec.parameters))
    parameters = _parameters(type(setup.params), said)
    words = f"{setup.scenario.name}: {setup.scenario.summary}".removesuffix(": ")
    return Description(name, "scenarios", words, _of_scenario(setup, parameters))


def _describe_part(thing: RegistryItem) -> list[str]:
    """Lines about a component or mechanism of the user's."""
    source = thing.value.source if thing.sort == "mechanism" else thing.value
    parts = {"parameters": list(_parameters(parameters_of(source)))}
    if thing.sort == "component":
        parts = {**_of_component(source), **parts}
    lines = [f"{heading}: {', '.join(said)}" for heading, said in parts.items() if said]
    return [one for one in (_first_line(source), *lines) if one]


_SORTS: Mapping[str, NameSort] = {
    "scenarios": "scenario",
    "components": "component",
    "mechanisms": "mechanism",
}


def _parts(kind: Kind, name: str, entry: Entry) -> dict[str, list[str]]:
    if kind == "scenarios":
        return _of_scenario(build(load_config(name)), entry.parameters)
    if kind == "experiments":
        return {"design": list(entry.parameters), "play it by": [f"society sweep {name}"]}
    if kind == "instruments":
        return {"items and scales": list(entry.parameters)}
    parts: dict[str, list[str]] = {}
    if kind == "components":
        parts = _of_component(components()[name])
    if kind == "mechanisms":
        spec = mechanisms()[name]
        parts = {
            "facts": [_fact(*one) for one in spec.facts.items()],
            "measures": [_measure(one) for one in spec.measures],
            "relations": [*spec.relations],
        }
    return _without_empty({**parts, "parameters": list(entry.parameters)})


def _of_component(part: type[Component]) -> dict[str, list[str]]:
    """Describe a component: its questions, events and columns."""
    every = "everything that no component before it does"
    named = {"answers": part.answers, "notices": part.notices}
    said = {name: [every] if kinds == ANYTHING else [*kinds] for name, kinds in named.items()}
    return {**said, "columns": [_column(one) for one in part.columns]}


def _column(one: Column) -> str:
    flags = [word for word in ("public", "heritable") if getattr(one, word)]
    labels = f"({', '.join(one.labels)})" if one.labels else ""
    words = [one.text, one.unit, np.dtype(one.dtype).name, labels, ", ".join(flags)]
    return f"{one.name} · {' · '.join(word for word in words if word)}"


def _fact(name: str, spec: FactSpec) -> str:
    labels = f"({', '.join(spec.labels)})" if spec.labels else ""
    words = [spec.text, spec.unit, labels, "private" if spec.private else ""]
    return f"{name} · {' · '.join(word for word in words if word)}"


def _measure(one: Measure) -> str:
    return f"{one.name} · {one.unit} · {_FOLDS[one.fold]}"


_FOLDS = {
    "mean": "mean over rounds",
    "sum": "sum over rounds",
    "total": "sum over rounds",
    "last": "last round",
    "first": "first round in which it is true",
}


def _of_scenario(setup: Society, parameters: Iterable[str]) -> dict[str, list[str]]:
    """Describe a scenario: questions and events with their facts, relations, measures and cast."""
    scenario = setup.scenario
    asked, told = dict[str, str](), dict[str, str]()
    alone = rehearsal_environment(setup.environment(np.arange(1)), first_rounds_only=True)
    for line in silent_lines(scenario.play, alone):
        if isinstance(line, Ask):
            asked.setdefault(line.kind, f" · {_reply(line.reply)}{_facts(line.facts)}")
        elif isinstance(line, Tell):
            told.setdefault(line.kind, _facts(line.facts))
    return _without_empty(
        {
            "asks": [f"{kind}{words}" for kind, words in asked.items()],
            "tells": [f"{kind}{words}" for kind, words in told.items()],
            "facts": [_fact(*one) for one in scenario.facts.items()],
            "relations": list(scenario.relations),
            "measures": [_measure(one) for one in scenario.measures],
            "components": [
                f"{cohort.name} · {', '.join(part.title() for part in cohort.components)}"
                for cohort in {one.name: one for one in setup.cast()}.values()
            ],
            "mechanisms": list(scenario.mechanisms),
            "parameters": list(parameters),
        }
    )


def _reply(reply: ActionSpace) -> str:
    """The form of an answer, by the type that authors write: "Real 0..1"."""
    if isinstance(reply, Fields):
        return "; ".join(f"{name}: {_reply(one)}" for name, one in reply.fields.items())
    return f"{type(reply).__name__}{reply.form().removeprefix(reply.code)}"


def _facts(facts: Mapping[str, Fact]) -> str:
    """Facts with their scopes: " · stock (common), catch (own)"."""
    scopes = (
        f"{name} ({f'seen on {fact.graph}' if fact.graph else fact.scope})"
        for name, fact in facts.items()
    )
    return f" · {', '.join(scopes)}" if facts else ""


def _without_empty(parts: dict[str, list[str]]) -> dict[str, list[str]]:
    return {heading: lines for heading, lines in parts.items() if lines}
