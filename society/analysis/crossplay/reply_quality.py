"""Quality of replies: how often models were understood at once, and how often repaired."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from society.analysis.study.condition import ConditionRun
from society.engine.rng import Array
from society.optional import require
from society.runs.design_runs import design_file
from society.runs.runfile import open_run_file

_PLACE = ["file", "component", "kind", "round", "replicate", "agent"]


def reply_quality_rows(run: ConditionRun) -> Mapping[str, Array]:
    """Return one row for each model that a run asked; see CrossPlay.minds."""
    calls, troubles = _exchanges(run)
    if calls.empty:
        return {}
    index = require("pandas").MultiIndex
    # A question is an occasion; what is again asked belongs to the first exchange.
    questions = calls.drop_duplicates(["model", *_PLACE, "use"])
    # Not by the model that troubles name: that is what the provider calls it.
    places, lost = (index.from_frame(table[_PLACE]) for table in (questions, troubles))
    questions = questions.assign(
        valid=~places.isin(lost),
        fell=places.isin(lost[(troubles["what"] == "fallback").to_numpy()]),
    )
    by_model = questions.groupby("model")
    count, valid = by_model.size(), by_model["valid"].sum()
    again = calls.groupby(["model", "again"]).size().unstack(fill_value=0)
    again = again.reindex(columns=["repair", "cut"], fill_value=0)
    return {
        "model": count.index.to_numpy(object),
        "questions": count.to_numpy(int),
        "valid": valid.to_numpy(int),
        "first_try": (valid / count).to_numpy(float),
        "repairs": again["repair"].to_numpy(int),
        "cut": again["cut"].to_numpy(int),
        "fallbacks": by_model["fell"].sum().to_numpy(int),
    }


def _exchanges(run: ConditionRun) -> tuple[Any, Any]:
    """Return frames of the calls of a run and of its troubles, with those of its design runs."""
    calls, troubles = list[tuple[Any, ...]](), list[tuple[Any, ...]]()
    for path in _files(run):
        with open_run_file(path) as file:
            for call in file.calls():
                at, asked = call.request.address, call.request
                place = (str(path), at.component, at.kind, call.round, at.replicate, at.agent)
                calls.append((*place, at.use, asked.model, asked.again))
            for record in file.records(lines=False):
                for one in record.page.troubles:
                    number = record.page.number
                    place = (str(path), one.component, one.kind, number, one.replicate, one.agent)
                    troubles.append((*place, one.what))
    frame = require("pandas").DataFrame
    return (
        frame(calls, columns=[*_PLACE, "use", "model", "again"]),
        frame(troubles, columns=[*_PLACE, "what"]),
    )


def _files(run: ConditionRun) -> Iterator[Path]:
    """List the run file, and those beside it in which designs were made."""
    yield run.path
    for mechanism in run.manifest.spec.get("drafts", {}):
        path = design_file(run.path, mechanism)
        if path.exists():
            yield path
