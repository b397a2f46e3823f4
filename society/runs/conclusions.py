"""Findings of a scenario's own analysis of a finished run, recorded in the run file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.config.build import Society
from society.engine.calls import CallStore
from society.engine.gateway import ModelGateway, TextEmbedder
from society.engine.graph import Graph
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.scenario import Finding
from society.errors import InputError

from .call_store import RecordedCalls
from .reader import RunFile


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

    setup: of the run, if it is at hand. call_store: where embeddings are kept.
    """
    kept = run.findings()
    if kept is not None:
        return PostAnalysisResults(kept)
    if run.manifest.level != "full":
        return PostAnalysisResults()
    try:
        setup = setup or run.manifest.society()
    except (InputError, ValueError) as error:
        return PostAnalysisResults(
            note=f"no analysis of the run, which cannot be built again: {error}"
        )
    if setup.scenario.post_analysis is None:
        return PostAnalysisResults()
    try:
        found = setup.scenario.post_analysis(
            _Epilogue(run, setup, call_store or RecordedCalls(run))
        )
        return PostAnalysisResults(
            tuple(_check_finding(finding, run.manifest.replicates) for finding in found)
        )
    except (ImportError, RuntimeError) as error:  # an extra is missing, or not what we know
        return PostAnalysisResults(note=str(error))


def _check_finding(finding: Finding, replicates: int) -> Finding:
    values = np.broadcast_to(np.asarray(finding.values, float), (replicates,))
    return finding._replace(values=values)
