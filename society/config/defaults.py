"""Defaults for all runs of a project, from `society.toml` or the section `[tool.society]`.

The file is `society.toml`, or a `pyproject.toml` with that section, in the working folder or the
nearest folder above it. It fills in only what neither a command line nor a scenario file says.
"""

from __future__ import annotations

import logging
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from society.engine.parameters import Issue, Keys, ValidationIssues, parameters_of, validate
from society.errors import FileError, ScenarioError, short_path
from society.llm.providers.settings import FREE_SORTS, LimitCount, Limits, ModelSpec

from .build import Society, build
from .run_config import FileSection, Model, RunConfig, Setting, override
from .yaml_source import Position, Source

LOGGER = logging.getLogger(__name__)
_PART = r"""(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEY = rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*"
_TABLE, _VALUE = re.compile(rf"\s*\[\[?{_KEY}\]"), re.compile(f"{_KEY}=")
_RATES = ("concurrency", "requests_per_minute", "tokens_per_minute")


class DefaultLimits(Limits):
    """Hard stops of each command, and the rates of each model.

    concurrency: calls under way at once. requests_per_minute, tokens_per_minute: of one model.
    """

    concurrency: LimitCount | None = Field(None, description="calls under way at once")
    requests_per_minute: LimitCount | None = Field(None, description="attempts per minute")
    tokens_per_minute: LimitCount | None = Field(None, description="of prompts and replies")

    def stops(self) -> dict[str, Any]:
        """Return the hard stops that are given, by name."""
        given = self.model_dump(exclude_none=True)
        return {name: value for name, value in given.items() if name not in _RATES}


class ProjectDefaults(FileSection):
    """The settings of `society.toml`, or of `[tool.society]`.

    model: of language agents, where nobody names one; it makes no rule agent a language agent.
    limits: see DefaultLimits. out: the folder in which runs/, sweeps/ and reproductions/ are made.
    embedder: of texts, for scenarios, components and mechanisms with a parameter whose name ends in
    "embedder". Relative paths start at the folder of the file.
    """

    model: Model | None = None
    embedder: Annotated[str, Field(min_length=1)] | None = None
    limits: DefaultLimits = DefaultLimits()
    out: str | None = None


class DefaultsFile:
    """The defaults that hold in a folder, and the places where they stand.

    path: the file that was found; None if there is none.
    """

    def __init__(
        self, said: Mapping[str, Any] | None = None, path: Path | None = None, text: str = ""
    ) -> None:
        self.path, said = path, said or {}
        found = "" if path is None else short_path(path)
        self.source = Source(found, dict(_positions(said, text, found)))
        folder = Path.cwd() if path is None else path.parent
        try:
            self.values = validate(ProjectDefaults, said, "key", {"folder": folder})
        except ValidationIssues as refused:
            raise self.source.refusal(map(_without_null, refused.faults)) from None
        self.out = Path() if self.values.out is None else folder / self.values.out

    def place(self, *keys: str) -> str:
        """Return file and line of a value."""
        return self.source.positions[keys].value

    def folder(self, name: str) -> Path:
        """Return where outputs of a kind go, such as "runs"; relative without a file."""
        if self.values.out is not None:
            LOGGER.info("out: %s (%s)", self.values.out, self.place("out"))
        return Path(short_path(self.out / name))

    def limits(self) -> dict[str, Any]:
        """Return the hard stops that the file gives."""
        return self.values.limits.stops()

    def fill(self, spec: RunConfig, own: Iterable[object] = (), *, stops: bool = True) -> RunConfig:
        """Fill in what a configuration leaves open; raises InputError.

        own: objects that it may name. stops: the hard stops, too.
        """
        settings = [*self._of_society(spec, tuple(own))]
        if stops:
            settings += self._stops(spec)
        if settings:
            spec = override(spec, settings)
        if rates := [*self._rates(spec)]:
            spec = override(spec, rates)
        for keys, position in spec._source.positions.items():
            if keys:
                LOGGER.info("%s: from %s", ".".join(map(str, keys)), position.value)
        return spec

    def fill_recorded(self, spec: RunConfig) -> RunConfig:
        """Fill in what neither a run file nor a command line says; raises InputError.

        These are limits and rates: models, prompts and parameters of a run stay as they were.
        """
        settings = [one for one in self._stops(spec) if getattr(spec.limits, one.key[-1]) is None]
        if settings:
            spec = override(spec, settings)
        usual = ModelSpec()
        rates = [
            one
            for one in self._rates(spec)
            if getattr(spec.models[one.key[1]], one.key[2]) == getattr(usual, one.key[2])
        ]
        for one in (*settings, *rates):
            LOGGER.info("%s: from %s", one.words, one.where)
        return override(spec, rates) if rates else spec

    def _stops(self, spec: RunConfig) -> Iterable[Setting]:
        """Set the hard stops that nobody has set or lifted."""
        for name, value in self.limits().items():
            if ("limits", name) not in spec._source.positions:
                yield Setting(("limits", name), value, self.place("limits", name))

    def _of_society(self, spec: RunConfig, own: tuple[object, ...]) -> Iterable[Setting]:
        """Set model and embedder where a society uses one that nobody has named."""
        wanted = (self.values.model and not spec.models) or self.values.embedder
        if not wanted:
            return
        setup = build(spec, own, rehearsed=False)
        # A society without language agents would refuse a model, or get other agents by it.
        if not spec.models and "default" in setup.models_named:
            yield from self._model()
        if not self.values.embedder:
            return
        for name in filter(_embeds, setup.scenario.params.model_fields):
            if ("parameters", name) not in spec._source.positions:
                yield Setting(("parameters", name), self.embedder, self.place("embedder"))
        if ("embedder",) not in spec._source.positions and any(_open_embedders(setup)):
            yield Setting(("embedder",), self.embedder, self.place("embedder"))

    def _model(self) -> Iterable[Setting]:
        if given := self.values.model:
            said = {name: getattr(given, name) for name in given.model_fields_set}
            yield Setting(("models", "default"), said, self.place("model"))

    @property
    def embedder(self) -> str:
        """The embedder, with its file named from wherever this is."""
        file, mark, function = (self.values.embedder or "").rpartition(".py:")
        if not mark or self.path is None:
            return self.values.embedder or ""
        return f"{(self.path.parent / f'{file}.py').resolve()}:{function}"

    def _rates(self, spec: RunConfig) -> Iterable[Setting]:
        """Set the rates of models that have none of their own."""
        for model, one in spec.models.items():
            for name in _RATES:
                value, keys = getattr(self.values.limits, name), ("models", model, name)
                if value and one.sort not in FREE_SORTS and keys not in spec._source.positions:
                    yield Setting(keys, value, self.place("limits", name))


def _embeds(parameter: str) -> bool:
    return parameter.endswith("embedder")


def _open_embedders(setup: Society) -> Iterator[bool]:
    """Tell of each embedder of components and mechanisms whether it is left to the run."""
    for part in (part for cohort in setup.cast() for part in cohort.components):
        names = filter(_embeds, parameters_of(type(part)).model_fields)
        yield from (getattr(part, name) is None for name in names)
    for layer in setup.scenario.layers:
        yield from (layer.parameters[name] is None for name in filter(_embeds, layer.parameters))


def find_defaults(folder: Path | None = None) -> DefaultsFile:
    """Read the defaults that hold in a folder; raises FileError, ScenarioError.

    folder: None: the working directory. The nearest file counts alone; in one folder society.toml
    goes before pyproject.toml.
    """
    start = Path.cwd() if folder is None else folder.resolve()
    for each in (start, *start.parents):
        for path in (each / "society.toml", each / "pyproject.toml"):
            if path.name == "society.toml" and os.path.lexists(path) and not path.is_file():
                raise FileError(f"{short_path(path)} is not a file; make it one, or rename it")
            if path.is_file():
                text, said = _read_toml(path)
                if path.name == "society.toml":
                    return DefaultsFile(said, path, text)
                if (section := _section(said)) is None:
                    continue
                if not isinstance(section, dict):
                    raise ScenarioError(
                        f"{short_path(path)}: tool.society: got {section!r}; expected a table with "
                        "embedder, limits, model, out"
                    )
                return DefaultsFile(section, path, text)
    return DefaultsFile()


def _section(said: Mapping[str, Any]) -> Any:
    """Return what a pyproject.toml has under tool.society, None if it has nothing there."""
    tools = said.get("tool")
    return tools.get("society") if isinstance(tools, dict) else None


def _read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Read a TOML file; of a pyproject.toml without our section, nothing is checked."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {short_path(path)}: {error}") from None
    if path.name == "pyproject.toml" and "society" not in text:
        return text, {}
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(
            f"{short_path(path)} is not valid TOML: {error}; expected lines such as max_cost = 2"
        ) from None


def _positions(
    said: Mapping[str, Any], text: str, found: str, keys: Keys = ()
) -> Iterable[tuple[Keys, Position]]:
    """Find the lines of values; a value in a table on one line has the line of that table."""
    lines = _lines(text)
    for name, value in said.items():
        here = (*keys, name)
        depth = next((end for end in range(len(here), 0, -1) if here[:end] in lines), 0)
        place = f"{found}:{lines[here[:depth]]}" if depth else found
        yield here, Position(place, place)
        if isinstance(value, Mapping):
            yield from _positions(value, text, found, here)


def _lines(text: str) -> dict[Keys, int]:
    """Return the line of each key and table, without tool.society before it.

    >>> _lines("[tool.society]\\nout = 'x'\\n[tool.society.limits]\\nmax_cost = 2")
    {(): 1, ('out',): 2, ('limits',): 3, ('limits', 'max_cost'): 4}
    """
    found: dict[Keys, int] = {}
    table: Keys = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            names = _key_parts(header[1])
            table = names[2:] if names[:2] == ("tool", "society") else names
            found.setdefault(table, number)
        elif key := _VALUE.match(line):
            parts = _key_parts(key[1])
            for end in range(1, len(parts) + 1):
                found.setdefault((*table, *parts[:end]), number)
    return found


def _key_parts(written: str) -> Keys:
    """Split a key of a TOML file, quoted or not.

    >>> _key_parts('limits."max cost"')
    ('limits', 'max cost')
    """
    try:
        parts, inner = list[str](), tomllib.loads(f"{written} = 0")
    except tomllib.TOMLDecodeError:  # within a text of several lines
        return ()
    while isinstance(inner, dict):
        [(name, inner)] = inner.items()
        parts.append(name)
    return tuple(parts)


def _without_null(fault: Issue) -> Issue:
    """Leave out of a message that there may be nothing: TOML has no word for that."""
    return fault._replace(words=fault.words.removesuffix(" or none"))
