"""The societies from which the conditions of an experiment start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from society.config.run_config import RunConfig, Setting, apply_settings, load_config
from society.config.yaml_source import Source
from society.errors import InputError, ScenarioError

from .factors import read_settings, sort_general_first


class BaseReader:
    """Reads what an experiment calls base: a scenario, a file, or a scenario file's content."""

    def __init__(self, origin: Source, folder: Path) -> None:
        self.origin, self.folder, self._read = origin, folder, dict[str, RunConfig]()

    def base(self, said: Setting) -> RunConfig:
        """The society that is meant; raises InputError, with the place where it was said."""
        try:
            if isinstance(said.value, str):
                return self._named(said.value, said.where)
            return self._written(said.value)
        except InputError as error:
            first, *more = str(error).splitlines()
            if first.startswith(self.origin.found):
                raise
            raise ScenarioError("\n".join([f"{said.where} base: {first}", *more])) from None

    def _named(self, name: str, where: str) -> RunConfig:
        if name not in self._read:
            self._read[name] = load_config(name, folder=self.folder)
        spec = self._read[name]
        if ("scenario",) in spec._source.positions:
            return spec
        return copy_spec(spec, source=spec._source.said_again(("scenario",), where))

    def _written(self, said: Any) -> RunConfig:
        if not isinstance(said, Mapping) or not isinstance(said.get("scenario"), str):
            words = "expected a scenario, FILE.yaml, or a mapping that names a scenario"
            raise ScenarioError(f"got {said!r:.60}; {words}")
        others = {key: value for key, value in said.items() if key != "scenario"}
        inner = sort_general_first(read_settings(others, ("base",), self.origin))
        return apply_settings(load_config(said["scenario"], folder=self.folder), inner, self.folder)


def copy_spec(spec: RunConfig, source: Source | None = None, **changes: Any) -> RunConfig:
    """Copy a spec with some other values, unchecked; it keeps the places of its words."""
    changed = spec.model_copy(update=changes)
    changed._source = source or spec._source
    return changed
