"""How near norms came to each other, from recorded embeddings, which are made here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from society.analysis.findings import norm_findings as module
from society.analysis.findings.norm_findings import norm_findings
from society.analysis.findings.statements import StudyFinding
from society.analysis.study.condition import ConditionRun
from society.analysis.study.norm_vectors import HeldNorms, NormEnds

from .made_studies import made_run, made_study

Said = dict[str, Sequence[NormEnds]]
SIMILARITY = {"name": "norm_similarity", "unit": "mean cosine", "fold": "last"}
ALIKE, APART = 0.0, np.pi / 2  # angles between the norms of two agents


def held(angle: float, number: int) -> HeldNorms:
    """Norms of two agents at this angle: their alignment is the cosine of half of it."""
    vectors = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    return HeldNorms(number, np.arange(2), ("take little", "take much"), vectors)


def ends(first: float, last: float, when: tuple[int, int] = (0, 9)) -> NormEnds:
    early, late = held(first, when[0]), held(last, when[1])
    return NormEnds("hashing", early, late, {0: "villager 1", 1: "villager 2"}.__getitem__)


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Said:
    """The norms of each condition by its name, in place of those in its file."""
    said: Said = {}

    def read(run: ConditionRun, replicates: Sequence[int]) -> Sequence[NormEnds]:
        return said[run.name]

    monkeypatch.setattr(module, "read_norm_ends", read)
    return said


def found(*names: str, **more: Any) -> list[StudyFinding]:
    own = {"norm_similarity": [0.5] * 8}
    runs = [
        made_run(own, name=name, measures=[SIMILARITY], factors={"rule": name}, **more)
        for name in names
    ]
    return norm_findings(made_study(*((run, own) for run in runs)))


def test_norms_that_came_nearer_in_all_runs_have_converged(recorded: Said) -> None:
    recorded["a"] = [ends(APART - step, ALIKE) for step in np.linspace(0, 0.4, 8)]
    (finding,) = found("a")
    assert finding.kind == "effect"
    assert finding.sentence.startswith(
        "Alignment of norms (embeddings: hashing) rose from 0.773 in round 0 to 1.000 in round 9, "
        "by 0.227 (95 % interval "
    )
    assert finding.sentence.endswith("paired t test, 8 runs, p < .001).")


def test_norms_that_went_both_ways_cannot_be_told_to_have_changed(recorded: Said) -> None:
    steps = np.array([-0.3, 0.3, 0.2, -0.2, 0.1, -0.1, 0.25, -0.2])
    recorded["a"] = [ends(1.0, 1.0 + step) for step in steps]
    (finding,) = found("a")
    assert finding.kind == "no effect"
    assert finding.sentence.startswith("Whether alignment of norms (embeddings: hashing) changed ")


@pytest.mark.parametrize(("runs", "words"), [(1, "1 run"), (3, "mean of 3 runs")])
def test_few_runs_with_norms_are_described(recorded: Said, runs: int, words: str) -> None:
    recorded["a"] = [ends(APART, ALIKE)] * runs
    (finding,) = found("a")
    assert finding.kind == "description"
    assert finding.sentence == (
        "Alignment of norms (embeddings: hashing) was 0.71 in round 0 and 1.00 in round 9 "
        f"({words}: too few to conclude anything)."
    )


def test_norms_that_moved_alike_in_all_runs_are_not_tested(recorded: Said) -> None:
    recorded["a"] = [ends(APART, ALIKE)] * 8
    (finding,) = found("a")
    assert finding.sentence.endswith("(all 8 runs changed by the same).")


def test_ends_in_other_rounds_are_named_as_such(recorded: Said) -> None:
    recorded["a"] = [ends(APART, ALIKE, (place % 2, 5 + place)) for place in range(3)]
    (finding,) = found("a")
    assert "in the first round with norms and 1.00 in the last round with norms" in finding.sentence


def test_conditions_are_one_family_of_tests_and_named(recorded: Said) -> None:
    """The same changes twice: by Holm the lower p is doubled."""
    steps = np.array([-0.1, 0.3, 0.2, 0.25, 0.1, 0.15, 0.25, 0.2])
    recorded["a"] = recorded["b"] = [ends(1.2, 1.2 - step) for step in steps]
    (alone,) = found("a")
    both = found("a", "b")
    assert [" with rule = a rose " in both[0].sentence, " with rule = b " in both[1].sentence] == [
        True,
        True,
    ]
    assert [one.basis.p for one in both] == [pytest.approx(2 * (alone.basis.p or 0))] * 2


def test_runs_without_recorded_norms_or_details_say_nothing(recorded: Said) -> None:
    recorded["a"] = []
    assert found("a") == []
    recorded["a"] = [ends(APART, ALIKE)] * 8
    assert found("a", level="summary") == []
    assert norm_findings(made_study((made_run({"catch": [1.0]}), {"catch": [1.0]}))) == []
