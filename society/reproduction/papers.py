"""Papers to reproduce, read from their `claims.yaml`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from society.claims.coverage import Coverage, CoverageEntry
from society.claims.data import (
    ClaimData,
    Data,
    DesignData,
    PaperData,
    Reading,
    Trial,
    problems,
)
from society.claims.types import Claim, ClaimFinding, Reproduction, ReproductionDesign, as_levels
from society.config.yaml_source import Source, read_yaml
from society.engine.parameters import Issue
from society.errors import ScenarioError, short_path

from .claim_samples import Variables, fill_variables, overlay_sample
from .evidence import Evidence
from .judges import ClaimPanel, Stated

M = TypeVar("M", bound=Data)


def read_paper(file: Path, package: str) -> Reproduction:
    """The reproduction that a `claims.yaml` describes; raises FileError and ScenarioError.

    package: where the code of its odd judges is. The `coverage.yaml` beside the file is read, too,
    if there is one.
    """
    data, _ = _read_model(file, PaperData)
    ours = data.institutions, data.institutions_language
    rules, language, *institutions = (
        None if design is None else _design(design, package, file.parent)
        for design in (data.rules, data.language, *ours)
    )
    assert rules is not None
    paper = Reproduction(
        data.name,
        data.paper,
        rules,
        language,
        institutions=institutions[0],
        institutions_language=institutions[1],
    )
    beside = file.with_name("coverage.yaml")
    return replace(paper, coverage=_read_coverage(beside, paper)) if beside.exists() else paper


def _read_coverage(file: Path, paper: Reproduction) -> tuple[CoverageEntry, ...]:
    """The coverage of a paper; raises FileError and ScenarioError, as for unknown claims."""
    data, source = _read_model(file, Coverage)
    known = {claim.claim for design in paper.designs for claim in design.claims}
    unknown = [
        Issue(
            ("entries", number, "judged_by", place),
            f"there is no claim {name!r} in claims.yaml; copy the words of one from there",
        )
        for number, entry in enumerate(data.entries)
        for place, name in enumerate(entry.judged_by)
        if name not in known
    ]
    if unknown:
        raise source.refusal(unknown)
    return data.entries


def _read_model(file: Path, model: type[M]) -> tuple[M, Source]:
    """Read a file as a model, with the places of its values; raises FileError, ScenarioError."""
    values, positions = read_yaml(file)
    source = Source(short_path(file), positions)
    try:
        return model.model_validate(values), source
    except ValidationError as error:
        faults = [Issue(*problem) for problem in problems(error, values, model)]
        raise source.refusal(faults) from None


def _design(data: DesignData, package: str, here: Path) -> ReproductionDesign:
    stated, claims = list[Stated](), list[Claim]()
    panel = ClaimPanel(data, package, stated)
    for claim, one, shared in _expand_claims(data):
        stated.append(one)
        departures = tuple(fill_variables([*shared, *claim.departures], one.variables))
        text, source, said, under = (
            str(fill_variables(words, one.variables))
            for words in (claim.claim, claim.source, claim.said, claim.under)
        )
        for reading in data.readings:
            judge = partial(_find_by_reading, panel, one, reading)
            both = ", ".join(filter(None, (under, reading.under)))
            claims.append(Claim(text, source, said, judge, both, claim.ours, departures))
    minds = _function(data.minds, package) if data.minds else as_levels
    sections = tuple(_function(name, package) for name in data.sections)
    trials = [
        _trial_by_reading(_trial(one, {**each, "here": str(here)}), reading)
        for reading in data.readings
        for each in _combinations(data.repeat_trials)
        for one in data.trials
    ]
    if unknown := set(data.main_claims) - {one.claim for one in claims}:
        raise ScenarioError(
            f"claims.yaml: main_claims has {min(unknown)!r}, which is no claim of the design; copy "
            "the words of one"
        )
    rest = (data.judging, data.changes, sections, minds, data.asks, data.main_claims)
    return ReproductionDesign(tuple(trials), tuple(claims), *rest)


def _function(path: str, package: str) -> Any:
    """The function of a package that is named MODULE.NAME."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"{package}.{module}"), name)


def _find_by_reading(
    panel: ClaimPanel, stated: Stated, reading: Reading, evidence: Evidence
) -> ClaimFinding:
    """Judge a claim by the results of one reading; raises InsufficientEvidence."""
    return panel.finding(stated, evidence.of_reading(reading))


def _trial_by_reading(trial: Trial, reading: Reading) -> Trial:
    """Have a trial played by a reading, beside others that are."""
    if not reading.name:
        return trial
    given = {**trial.instead.get("parameters", {}), **reading.parameters}
    quick = trial.quick
    if "parameters" in quick:
        quick = {**quick, "parameters": {**given, **quick["parameters"]}}
    return trial.model_copy(
        update={
            "name": reading.trial(trial.name),
            "title": f"{trial.title} ({reading.under})",
            "instead": {**trial.instead, "parameters": given},
            "quick": quick,
            "beside": {reading.trial(name): levels for name, levels in trial.beside.items()},
        }
    )


def _expand_claims(data: DesignData) -> Iterator[tuple[ClaimData, Stated, tuple[str, ...]]]:
    """Each claim of each group, with every combination of values of their variables.

    The last is the departures that all claims of the group share.
    """
    for group in data.claims:
        for outer in _combinations(group.each):
            for claim in group.claims:
                sample = overlay_sample(group.sample, claim.sample)
                for inner in _combinations(claim.each):
                    variables = {**outer, **inner}
                    stated = Stated(claim.id, claim.source, claim.judge, sample, variables)
                    yield claim, stated, group.departures


def _combinations(each: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    for chosen in product(*each.values()):
        yield dict(zip(each, chosen, strict=True))


def _trial(trial: Trial, variables: Variables) -> Trial:
    """Put values in place of the variables of a trial; its tuples have none.

    {here} is the paper's own folder.
    """
    fields = {name: getattr(trial, name) for name in trial.model_fields_set}
    texts = {name: one for name, one in fields.items() if not isinstance(one, tuple)}
    return trial.model_copy(update=fill_variables(texts, variables))
