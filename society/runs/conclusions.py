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
from society.llm.call_tables import VECTOR, checksum, vector_row
from society.llm.shared_words import shares_words
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


class _Unrecorded(RuntimeError):
    """An analysis needs embeddings that are not in the run file."""


class _KeptVectors(RecordedCalls):
    """The recorded calls of a run file, and the embeddings that are still to be written to it."""

    def __init__(self, run: RunFile) -> None:
        super().__init__(run)
        self.made: dict[tuple[str, str], Array] = {}

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the embeddings that are in the file, or were made since."""
        known = super().vectors(embedder, texts)
        made = {text: self.made[embedder, text] for text in texts if (embedder, text) in self.made}
        return known | made

    def keep_vectors(self, embedder: str, vectors: Mapping[str, Array]) -> None:
        """Hold embeddings until the findings are written."""
        self.made |= {(embedder, text): vector for text, vector in vectors.items()}


class _Epilogue:
    """An Afterword on a run file; embeds: whether texts may be embedded that are not recorded."""

    def __init__(
        self, run: RunFile, setup: Society, call_store: CallStore, *, embeds: bool
    ) -> None:
        self._run, self._setup, self._embeds = run, setup, embeds
        self._outside, self._call_store = ModelGateway(call_store=call_store), call_store

    @property
    def params(self) -> Any:
        return self._setup.params

    @property
    def graphs(self) -> Mapping[str, Graph]:
        return self._setup.environment().graphs

    @property
    def embedder(self) -> str:
        return self._setup.spec.embedder or ""

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
        if not self._embeds:
            missing = {*texts} - {*self._call_store.vectors(embedder.name, texts)}
            if missing:
                raise _Unrecorded(
                    "findings on texts were not computed, since their embeddings are not in the "
                    f"run file; to compute and record them: society resume {self._run.path}"
                )
        return self._outside.embedded(embedder, texts)


def run_post_analysis(
    run: RunFile, setup: Society | None = None, call_store: CallStore | None = None
) -> PostAnalysisResults:
    """Return the findings of the scenario's analysis of a finished run, from the file if there.

    setup: of the run, if it is at hand; without it, no code of the user's is executed and no text
    is embedded: recorded embeddings are used, or a note says that there are none. call_store: where
    embeddings are kept.
    """
    if setup is None:
        with guard_user_code(refuse_user_code):
            return _run_post_analysis(run, setup, call_store)
    return _run_post_analysis(run, setup, call_store)


def _run_post_analysis(
    run: RunFile, setup: Society | None, call_store: CallStore | None
) -> PostAnalysisResults:
    kept, embeds = run.findings(), setup is not None
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
                _Epilogue(run, setup, call_store or RecordedCalls(run), embeds=embeds)
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


def record_findings(path: Path, files: Path | None = None) -> bool:
    """Compute and record the findings of a finished run that has none; raises InputError.

    Embeddings that they rest on are recorded with them, so that its page can show them. Returns
    whether there was anything to record.
    """
    with open_run_file(path, files) as run:
        if run.findings() is not None or run.manifest.level != "full" or run.manifest.objects:
            return False
        calls = _KeptVectors(run)
        found, note = run_post_analysis(run, run.manifest.society(), calls)
    if note:
        return False
    words = findings_text(found)
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            packed = shares_words(connection)
            made = calls.made.items()
            rows = [vector_row(*named, vector, packed=packed) for named, vector in made]
            connection.executemany(VECTOR, rows)
            connection.execute("INSERT INTO findings VALUES (?, ?)", (words, checksum(words)))
    except sqlite3.Error as error:
        raise RunFileError(f"cannot write the findings to {path}: {error}") from error
    return bool(found)


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
