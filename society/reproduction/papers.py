"""Papers to reproduce, read from their `claims.yaml`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from society.claims.data import ClaimData, DesignData, PaperData, Trial, problems
from society.claims.types import Claim, Reproduction, ReproductionDesign, as_levels
from society.config.yaml_source import Source, read_yaml
from society.engine.parameters import Issue
from society.errors import short_path

from .claim_samples import Variables, fill_variables, overlay_sample
from .judges import ClaimPanel, Stated


def read_paper(file: Path, package: str) -> Reproduction:
    """The reproduction that a `claims.yaml` describes; raises FileError and ScenarioError.

    package: where the code of its odd judges is.
    """
    values, positions = read_yaml(file)
    try:
        data = PaperData.model_validate(values)
    except ValidationError as error:
        faults = [Issue(*problem) for problem in problems(error, values)]
        raise Source(short_path(file), positions).refusal(faults) from None
    language = None if data.language is None else _design(data.language, package)
    return Reproduction(data.name, data.paper, _design(data.rules, package), language)


def _design(data: DesignData, package: str) -> ReproductionDesign:
    stated, claims = list[Stated](), list[Claim]()
    panel = ClaimPanel(data, package, stated)
    for claim, one in _stated(data):
        stated.append(one)
        text, source, said, under = (
            str(fill_variables(words, one.variables))
            for words in (claim.claim, claim.source, claim.said, claim.under)
        )
        judge = partial(panel.finding, one)
        claims.append(Claim(text, source, said, judge, under, claim.ours))
    minds = as_levels
    if data.minds:
        module, _, name = data.minds.rpartition(".")
        minds = getattr(importlib.import_module(f"{package}.{module}"), name)
    trials = [
        _trial(one, each) for each in _combinations(data.repeat_trials) for one in data.trials
    ]
    return ReproductionDesign(tuple(trials), tuple(claims), data.judging, minds)


def _stated(data: DesignData) -> Iterator[tuple[ClaimData, Stated]]:
    """Each claim of each group, with every combination of values of their variables."""
    for group in data.claims:
        for outer in _combinations(group.each):
            for claim in group.claims:
                sample = overlay_sample(group.sample, claim.sample)
                for inner in _combinations(claim.each):
                    yield claim, Stated(claim.id, claim.judge, sample, {**outer, **inner})


def _combinations(each: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    for chosen in product(*each.values()):
        yield dict(zip(each, chosen, strict=True))


def _trial(trial: Trial, variables: Variables) -> Trial:
    """Put values in place of the variables of a trial; its tuples have none."""
    fields = {name: getattr(trial, name) for name in trial.model_fields_set}
    texts = {name: one for name, one in fields.items() if not isinstance(one, tuple)}
    return trial.model_copy(update=fill_variables(texts, variables))
