"""Check an instrument by itself: its items and scales, and how they fit each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from society.config.yaml_source import Source, read_yaml
from society.engine.parameters import ValidationIssues, validate
from society.errors import short_path
from society.scenarios.mechanisms.questionnaire.instrument import Instrument

from .society_checks import CheckResult, refused_results


def is_instrument(said: object) -> bool:
    """Tell whether the content of a YAML file is meant as an instrument."""
    return isinstance(said, Mapping) and "items" in said and not {"scenario", "base"} & said.keys()


def check_instrument(path: Path) -> Iterator[CheckResult]:
    """Check the file of an instrument."""
    said, positions = read_yaml(path)
    content: dict[str, Any] = {"name": path.stem, **said}
    try:
        instrument = validate(Instrument, content, "key")
        if issues := [*instrument.issues()]:
            raise ValidationIssues(*issues)
    except ValidationIssues as refused:
        error = Source(short_path(path), positions).refusal(refused.faults)
        yield from refused_results(path.name, error)
        return
    scales = ", ".join(instrument.scales) or "none"
    yield CheckResult(path.name, "ok", f"{len(instrument.items)} items; scales: {scales}")
