"""The experiments are played in small with our strategies, judged, and shown on a page."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from society.claims.types import ClaimVerdict
from society.experiments.clusters import local_processes
from society.experiments.progress import NoProgress
from society.reproduction.reproduction_page import write_page
from society.reproduction.run import ReproductionRun
from society.scenarios.reproductions.willis2026 import PAPER

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux"),
    pytest.mark.xdist_group("reproduction of strategies"),
    pytest.mark.thorough,
]

EVOLUTION = {"agents": 64, "rounds": 6, "replicates": 5, "parameters": {"elite": 8}}
SMALL: Mapping[str, Mapping[str, Any]] = {
    "evolution": EVOLUTION,
    "without": EVOLUTION,
    "self_play": {"replicates": 10},
    "threefold": {"replicates": 10},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ReproductionRun:
    """Evolution and self-play by few agents, in few rounds and runs."""
    trials = tuple(
        trial.model_copy(update={"instead": {**trial.instead, **SMALL[trial.name]}})
        for trial in PAPER.rules.trials
    )
    small = replace(PAPER, rules=replace(PAPER.rules, trials=trials))
    run = ReproductionRun(small, tmp_path_factory.mktemp("strategies"))
    with local_processes(1) as cluster:
        ended = run.play(cluster, NoProgress(), None)
    assert {done.status for done in ended.values()} == {"finished"}
    return run


@pytest.fixture(scope="module")
def verdicts(run: ReproductionRun) -> dict[str, ClaimVerdict]:
    return {one.claim: one for one in run.verdicts()}


def test_group_selection_is_the_cause_in_small_groups(verdicts: dict[str, ClaimVerdict]) -> None:
    found = verdicts[
        "In the common pool selection between groups outweighs that within them, in small groups "
        "only"
    ]
    assert found.outcome == "reproduced"
    assert "changes of cooperation in a generation" in found.notes


def test_the_axes_of_our_strategies_mean_what_the_paper_says(
    verdicts: dict[str, ClaimVerdict],
) -> None:
    axes = verdicts["The first axis tracks cooperation, and the second one responsiveness"]
    assert axes.outcome == "reproduced"


def test_every_claim_is_judged(verdicts: dict[str, ClaimVerdict]) -> None:
    assert len(verdicts) == len(PAPER.rules.claims)
    assert all(one.found or one.notes for one in verdicts.values())


def test_the_page_shows_welfare_winners_and_shares(
    run: ReproductionRun, verdicts: dict[str, ClaimVerdict]
) -> None:
    page: Path = write_page(run, list(verdicts.values()))
    text = page.read_text("utf-8")
    for words in (
        "Welfare in common_pool by the share of exploitative strategies",
        "Share of runs that each gene wins, and how they end",
        "Shares of genes in one run",
        "Counterpart of Figure 1 and Table 1 of Willis et al.",
    ):
        assert words in text
    assert (page.parent / "figures/behaviour_plane.svg").exists()
    assert (page.parent / "figures/self_play-welfare_public_goods.svg").exists()
