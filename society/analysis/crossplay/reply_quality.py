"""Quality of replies: how often models were understood at once, and how often repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from society.analysis.study.condition import ConditionRun
from society.engine.calls import ParseIssue
from society.engine.rng import Array
from society.llm.call_tables import Call
from society.runs.design_runs import design_file
from society.runs.runfile import RunFile, open_run_file

_Where = tuple[Path, str, str, int, int, int]  # file, component, kind, round, replicate, agent
_Question = tuple[Path, str, str, int, int, int, int]  # the same, and its number there


def reply_quality_rows(run: ConditionRun) -> Mapping[str, Array]:
    """Return one row for each model that a run asked; see CrossPlay.minds."""
    calls, asked = list[Call](), set[tuple[str, _Question]]()
    lost, fell = set[_Where](), set[_Where]()
    for path in _files(run):
        with open_run_file(path) as file:
            own, troubles = list(file.calls()), list(_troubles(file))
        calls += own
        # A question is an occasion; what is again asked belongs to the first exchange.
        asked |= {(call.request.model, _question(path, call)) for call in own}
        lost |= {_lost(path, number, trouble) for number, trouble in troubles}
        fell |= {
            _lost(path, number, trouble)
            for number, trouble in troubles
            if trouble.what == "fallback"
        }
    models = sorted({model for model, _ in asked})
    count = Counter(model for model, _ in asked)
    valid = Counter(model for model, question in asked if question[:-1] not in lost)
    mended = Counter((call.request.model, call.request.again) for call in calls)
    # Not by the model that they name: that is what the provider calls it.
    fallbacks = Counter(model for model, question in asked if question[:-1] in fell)
    return {
        "model": np.array(models, object),
        "questions": np.array([count[model] for model in models], int),
        "valid": np.array([valid[model] for model in models], int),
        "first_try": np.array([valid[model] / count[model] for model in models], float),
        "repairs": np.array([mended[model, "repair"] for model in models], int),
        "cut": np.array([mended[model, "cut"] for model in models], int),
        "fallbacks": np.array([fallbacks[model] for model in models], int),
    }


def _files(run: ConditionRun) -> Iterator[Path]:
    """List the run file, and those beside it in which designs were made."""
    yield run.path
    for mechanism in run.manifest.spec.get("drafts", {}):
        path = design_file(run.path, mechanism)
        if path.exists():
            yield path


def _troubles(file: RunFile) -> Iterator[tuple[int, ParseIssue]]:
    """Return the answers that could not be used as they came, with the number of the round."""
    for record in file.records(lines=False):
        for trouble in record.page.troubles:
            yield record.page.number, trouble


def _question(path: Path, call: Call) -> _Question:
    """Return the address of a question, with its number among those of its kind there."""
    at = call.request.address
    return path, at.component, at.kind, call.round, at.replicate, at.agent, at.use


def _lost(path: Path, number: int, trouble: ParseIssue) -> _Where:
    return path, trouble.component, trouble.kind, number, trouble.replicate, trouble.agent
