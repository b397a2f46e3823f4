"""Findings of a scenario's own analysis of a finished run, recorded in the run file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.engine.calls import CallStore
from society.engine.gateway import ModelGateway, TextEmbedder
from society.engine.graph import Graph
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.scenario import Finding
from society.errors import InputError, PartError, RunFileError, UntrustedCodeError
from society.llm.call_tables import checksum
from society.slow_work import slow_work
from society.user_code import guard_user_code

from .call_store import RecordedCalls
from .reader import RunFile, open_run_file
from .trust import refuse_user_code

if TYPE_CHECKING:
    from society.config.build import Society


class PostAnalysisResults(NamedTuple):
    """The findings, and a note on an analysis that failed."""

    findings: tuple[Finding, ...] = ()
    note: str = ""


class _Epilogue:
    """An Afterword on a run file."""

    def __init__(self, run: RunFile, setup: Society, call_store: CallStore) -> None:
        self._run, self._setup = run, setup
        self._outside = ModelGateway(call_store=call_store)

    @property
    def params(self) -> Any:
        return self._setup.params

    @property
    def graphs(self) -> Mapping[str, Graph]:
        return self._setup.environment().graphs

    def pages(self) -> Iterator[Page]:
        return self._run.pages()

    def holders(self, column: str) -> Array:
        manifest, held = self._run.manifest, np.zeros(self._run.manifest.agents, bool)
        having = {name for note in manifest.columns if note.name == column for name in note.cohorts}
        for cohort in manifest.cohorts:
            if cohort.name in having:
                held[list(cohort.seats)] = True
        return held

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        return self._outside.embedded(embedder, texts)


def run_post_analysis(
    run: RunFile, setup: Society | None = None, call_store: CallStore | None = None
) -> PostAnalysisResults:
    """Return the findings of the scenario's analysis of a finished run, from the file if there.

    setup: of the run, if it is at hand; without it, no code of the user's is executed. call_store:
    where embeddings are kept.
    """
    if setup is None:
        with guard_user_code(refuse_user_code):
            return _run_post_analysis(run, setup, call_store)
    return _run_post_analysis(run, setup, call_store)


def _run_post_analysis(
    run: RunFile, setup: Society | None, call_store: CallStore | None
) -> PostAnalysisResults:
    kept = run.findings()
    if kept is not None:
        return PostAnalysisResults(kept)
    if run.manifest.level != "full":
        return PostAnalysisResults()
    try:
        setup = setup or run.manifest.society()
    except UntrustedCodeError:
        return PostAnalysisResults(note=_unread(run))
    except (InputError, ValueError) as error:
        return PostAnalysisResults(
            note=f"no analysis of the run, which cannot be built again: {error}"
        )
    if setup.scenario.post_analysis is None:
        return PostAnalysisResults()
    try:
        with slow_work("analysing the run"):
            found = setup.scenario.post_analysis(
                _Epilogue(run, setup, call_store or RecordedCalls(run))
            )
        return PostAnalysisResults(
            tuple(_check_finding(finding, run.manifest.replicates) for finding in found)
        )
    except UntrustedCodeError:
        return PostAnalysisResults(note=_unread(run))
    except (ImportError, RuntimeError) as error:  # an extra is missing, or not what we know
        return PostAnalysisResults(note=str(error))


def _unread(run: RunFile) -> str:
    return (
        "findings of the scenario's analysis were not computed, since that would execute Python "
        f"code that the run file names; to compute and record them: society resume {run.path} "
        "--trust"
    )


def record_findings(path: Path, files: Path | None = None) -> None:
    """Compute and record the findings of a finished run that has none; raises InputError."""
    with open_run_file(path, files) as run:
        if run.findings() is not None or run.manifest.level != "full" or run.manifest.objects:
            return
        found, note = run_post_analysis(run, run.manifest.society())
    if note:
        return
    words = findings_text(found)
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("INSERT INTO findings VALUES (?, ?)", (words, checksum(words)))
    except sqlite3.Error as error:
        raise RunFileError(f"cannot write the findings to {path}: {error}") from error


def findings_text(findings: Iterable[Finding]) -> str:
    """Return findings as a run file keeps them."""
    return json.dumps([(one.name, one.unit, one.values.tolist()) for one in findings])


def _check_finding(finding: Finding, replicates: int) -> Finding:
    values = np.asarray(finding.values, float)
    if values.shape not in ((), (replicates,), (replicates, 1)):
        raise PartError(
            f"the finding {finding.name!r} has shape {values.shape}; expected ({replicates},), a "
            "number for each replicate, NaN where there is none; or one number for all"
        )
    each = values.reshape(replicates) if values.ndim else np.full(replicates, values)
    return finding._replace(values=each)
