"""Values that a user gives: checked by pydantic, refused in words.

What was expected is read off the JSON schema of the type, so that a message names the whole legal
range, whatever was wrong with the value: growth: got 'fast'; expected a number from 0 to 3.
"""

from __future__ import annotations

import dataclasses
import inspect
import keyword
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    create_model,
)
from pydantic.json_schema import GenerateJsonSchema

from society.errors import suggest

M = TypeVar("M", bound=BaseModel)
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(ge=0)]


def _check_words(words: str) -> str:
    if not words.strip():
        raise ValueError(f"got {words!r:.60}; expected words")
    return words


Words = Annotated[  # a text that is not blank
    str, AfterValidator(_check_words), WithJsonSchema({"type": "string", "minLength": 1})
]
Keys = tuple[str | int, ...]  # ("cohorts", 0, "count")
Schema = Mapping[str, Any]

_LONGEST = 60  # characters of an offending value that are shown
_KNOWN = 512  # parts whose parameters are remembered: a sweep prepares the same ones many times


class Issue(NamedTuple):
    """An error at one place; `name`: in the name that stands there, not in its value."""

    path: Keys
    words: str
    name: bool = False

    def __str__(self) -> str:
        return f"{dotted_path(self.path)}: {self.words}" if self.path else self.words

    def under(self, *path: str | int) -> Issue:
        """The same fault seen from further out."""
        return self._replace(path=(*path, *self.path))


class ValidationIssues(Exception):
    """Some values are not what was expected."""

    def __init__(self, *faults: Issue) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


def dotted_path(path: Keys) -> str:
    """A place inside nested values, in words.

    >>> dotted_path(("cohorts", 0, "count"))
    'cohorts[0].count'
    """
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def unknown_name(path: Keys, sort: str, legal: Iterable[str]) -> Issue:
    """The last part of `path` names nothing."""
    return Issue(path, f"there is no {sort} {path[-1]!r}; {suggest(str(path[-1]), legal)}", True)


def resolve_path(file: str, info: ValidationInfo) -> str:
    """An absolute path; a relative one starts in the folder that the validation's context names."""
    folder = (info.context or {}).get("folder", Path.cwd())
    return str(Path(folder, Path(file).expanduser()).resolve())


def parameters_of(part: Callable[..., Any]) -> type[BaseModel]:
    """Return the parameters of a part: fields of a dataclass, keyword-only ones of a function.

    A class that is no dataclass takes nothing. Raises ValidationIssues for types that are not
    imported.
    """
    return _parameters_of(part)


@lru_cache(_KNOWN)
def _parameters_of(part: Callable[..., Any]) -> type[BaseModel]:
    try:
        if not isinstance(part, type):
            fields = _keywords(part)
        else:
            fields = _fields(part) if dataclasses.is_dataclass(part) else {}
    except NameError as error:
        raise ValidationIssues(
            Issue((), f"a type in {part.__name__} cannot be read: {error}")
        ) from None
    config = ConfigDict(
        extra="forbid",
        arbitrary_types_allowed=True,
        protected_namespaces=(),
        allow_inf_nan=False,
    )
    model: type[BaseModel] = create_model(part.__name__, __config__=config, **fields)
    return model


def _fields(part: type) -> dict[str, Any]:
    hints = get_type_hints(part, include_extras=True)
    fields = {}
    for field in dataclasses.fields(part):
        default: Any = ... if field.default is dataclasses.MISSING else field.default
        if field.default_factory is not dataclasses.MISSING:
            default = Field(default_factory=field.default_factory)
        fields[field.name.removesuffix("_")] = hints[field.name], default
    return fields


def attribute_name(parameter: str) -> str:
    """The attribute that holds a parameter: a word of Python's own ends in an underscore there.

    >>> attribute_name("growth"), attribute_name("class")
    ('growth', 'class_')
    """
    return f"{parameter}_" if keyword.iskeyword(parameter) else parameter


def _keywords(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    keywords = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    # The other parameters may be annotated with what only a type checker imports.
    annotated = SimpleNamespace(__annotations__={p.name: p.annotation for p in keywords})
    names = inspect.unwrap(function).__globals__
    hints = get_type_hints(annotated, names, include_extras=True)
    return {p.name: (hints[p.name], ... if p.default is p.empty else p.default) for p in keywords}


def validate(
    model: type[M],
    values: Mapping[str, Any],
    sort: str = "parameter",
    context: Mapping[str, Any] | None = None,
) -> M:
    """The values as typed by a model; raises ValidationIssues with all that is wrong, each once.

    The word `none` stands for nothing wherever nothing may stand; true and false are no numbers.
    sort: what a name stands for, in words. context: of pydantic's validators.
    """
    given, found = dict(values), []
    for name, value in values.items():
        if not (isinstance(value, bool) or (isinstance(value, str) and value == "none")):
            continue  # schemas take long to make, and few values need them
        here = _inner(schema_of(model), name) or {}
        if isinstance(value, str) and {"type": "null"} in here.get("anyOf", ()):
            given[name] = None
        elif isinstance(value, bool) and here.get("type") in ("number", "integer"):
            found.append(Issue((name,), _got(value, here)))
    try:
        made = model.model_validate(given, context=dict(context or {}))
    except ValidationError as error:
        details, schema = error.errors(), schema_of(model)
        # Entries that are wrong do not count for pydantic, which then finds the list too short.
        within = {
            detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))
        }
        found += [
            _fault(detail, schema, sort)
            for detail in details
            if detail["type"] != "too_short" or detail["loc"] not in within
        ]
    if found:
        raise ValidationIssues(*dict.fromkeys(found))
    return made


def _fault(detail: Mapping[str, Any], schema: Schema, sort: str) -> Issue:
    if detail["type"] == "extra_forbidden":
        *parents, name = detail["loc"]
        path, around = _descended(tuple(parents), schema)
        options = (around, *around.get("anyOf", ()))
        legal = [name for option in options for name in option.get("properties", ())]
        return unknown_name((*path, name), sort, legal)
    path, here = _descended(detail["loc"], schema)
    if detail["type"] == "value_error":
        return Issue(path, str(detail["ctx"]["error"]))
    if detail["type"] == "missing":
        return Issue(path, f"is missing; expected {describe_schema(here) or 'a value'}")
    return Issue(path, _got(detail["input"], here, detail["msg"]))


def _got(value: Any, schema: Schema, hint: str = "") -> str:
    wanted = describe_schema(schema) or hint.removeprefix("Input should be ")
    return f"got {_shown(value)}; expected {wanted}"


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    words = str(value).lower() if isinstance(value, bool) else repr(value)
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."


def describe_schema(schema: Schema) -> str:
    """Describe in words the values that a JSON schema allows; "" where it says nothing.

    >>> describe_schema({"type": "number", "minimum": 0, "maximum": 3})
    'a number from 0 to 3'
    """
    match schema:
        case {"anyOf": options}:
            return " or ".join(describe_schema(option) for option in options)
        case {"enum": names}:
            return f"one of {', '.join(map(str, names))}"
        case {"const": name}:
            return str(name)
        case {"type": "number"}:
            return f"a number{_span(schema)}"
        case {"type": "integer"}:
            return f"a whole number{_span(schema)}"
        case {"type": "array", "maxItems": count}:
            return f"a list of {count}"
        case {"type": "array", "minItems": 1}:
            return "a list with at least one entry"
        case {"type": "array", "minItems": count}:
            return f"a list with at least {count} entries"
        case {"type": "object", "properties": properties}:
            return f"a mapping with {', '.join(properties)}"
        case {"type": "string", "pattern": pattern}:
            return f"text like {pattern}"
    return _PLAIN.get(schema.get("type", ""), "")


_PLAIN = {
    "array": "a list",
    "boolean": "true or false",
    "null": "none",
    "object": "a mapping of names to values",
    "string": "text",
}


_BOUNDS = {
    "minimum": "of at least",
    "exclusiveMinimum": "above",
    "maximum": "of at most",
    "exclusiveMaximum": "below",
    "multipleOf": "divisible by",
}


def _span(bounds: Schema) -> str:
    given = [name for name in _BOUNDS if name in bounds]
    parts = [f"{_BOUNDS[name]} {_plain(bounds[name])}" for name in given]
    if "minimum" in given and "maximum" in given:
        low, high = _plain(bounds["minimum"]), _plain(bounds["maximum"])
        parts = [f"from {low} to {high}", *parts[2:]]
    return f" {' and '.join(parts)}" if parts else ""


def _plain(number: float) -> str:
    return str(int(number) if number == int(number) else number)


def _descended(path: Keys, schema: Schema) -> tuple[Keys, Schema]:
    """Follow a place into a schema: return how far it leads, and what is legal there.

    pydantic adds the branches of a type to its places; they lead nowhere.
    """
    for depth, part in enumerate(path):
        inner = _inner(schema, part)
        if inner is None:
            return path[:depth], schema
        schema = inner
    return path, schema


def _inner(schema: Schema, part: str | int) -> Schema | None:
    """Return the schema of one entry; None if there is no such entry."""
    for option in (schema, *schema.get("anyOf", ())):
        if isinstance(part, int):
            first = option.get("prefixItems", ())
            inner = first[part] if part < len(first) else option.get("items")
        else:
            inner = option.get("properties", {}).get(part, option.get("additionalProperties"))
        if isinstance(inner, Mapping):
            return inner
    return None


def schema_of(model: type[BaseModel]) -> Schema:
    """The JSON schema of a model, with its references written out."""
    return _schema_of(model)


@lru_cache(_KNOWN)
def _schema_of(model: type[BaseModel]) -> Schema:
    schema: Schema = model.model_json_schema(schema_generator=_Tolerant)
    written: Schema = _written_out(schema, schema.get("$defs", {}))
    return written


class _Tolerant(GenerateJsonSchema):
    """Says nothing about types that JSON does not know."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
        return {}

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Drop a warning, which nobody would read."""


def _written_out(schema: Any, definitions: Schema) -> Any:
    if isinstance(schema, list):
        return [_written_out(entry, definitions) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _written_out(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {name: _written_out(entry, definitions) for name, entry in schema.items()}
