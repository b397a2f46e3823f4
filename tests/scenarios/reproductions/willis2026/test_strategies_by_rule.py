"""Games, printed tables and made-up strategies: which of them make judges of the paper say what."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import numpy as np
import pytest

from society.analysis.strategies.compared_sets import FolderSet
from society.analysis.strategies.measured_behaviour import context_lengths
from society.claims.data import DesignData
from society.claims.types import InsufficientEvidence
from society.config.registry import reproduction
from society.errors import InputError, SandboxError
from society.reproduction.claim_samples import Samples
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun
from society.sandbox.stage_games import stage_game
from society.sandbox.strategy_folder import read_strategies
from society.scenarios.programs.strategy_pool import Gene
from society.scenarios.reproductions.willis2026 import behaviour_judges, printed_tables
from society.scenarios.reproductions.willis2026.behaviour_judges import by_round_alone
from society.scenarios.reproductions.willis2026.dilemma_arithmetic import (
    enumerated_bounds,
    pool_ceiling,
    welfare,
)
from society.scenarios.reproductions.willis2026.strategy_levels import (
    _groups,
    as_levels_of_strategies,
)

PAPER = reproduction("strategies")
FOLDER = Path(printed_tables.__file__).with_name("strategies")
COMPUTED = 21


def test_what_is_computed_is_reproduced_but_for_three_sentences_about_tables() -> None:
    verdicts = list(judge_claims(PAPER.rules.claims[:COMPUTED], Evidence({})))
    assert {one.claim: one.outcome for one in verdicts if one.outcome != "reproduced"} == {
        "By table 1 GPT's strategies vary in most dimensions, and its attitudes are little apart": (
            "in part"
        ),
        "Raw distances of appendix A.3 agree with table 1": "in part",
        "By table 2 outcomes are poor where exploitative strategies win": "in part",
    }


def test_the_raw_distance_of_gemini_disagrees_with_table_1() -> None:
    found = printed_tables.raw_distances().found
    assert "gemini-2.5-flash 6.49 / 12.67 = 0.51 against 0.4: no" in found


def test_welfare_in_the_common_pool_is_that_of_its_plan() -> None:
    """Two players spare half of 8 units for two rounds: 2 each; then they take 4 each."""
    game = stage_game("common_pool", 2, 3)
    assert welfare(game, (2, 2, 0)) == pytest.approx((2 + 2 + 4) / 3)


def test_no_plan_of_a_small_pool_is_better_than_its_bound() -> None:
    game = stage_game("common_pool", 2, 4)
    assert enumerated_bounds("common_pool", 2, 4) == pytest.approx(game.bounds())


def test_the_ceiling_of_a_pool_is_not_below_any_plan() -> None:
    best = enumerated_bounds("common_pool", 2, 4).high
    assert best <= pool_ceiling(2, 4) <= 1.02 * best


def test_rotas_do_the_same_in_all_contexts_of_a_round_and_not_in_all_rounds() -> None:
    rounds = context_lengths()
    strategies = np.stack([rounds % 2, np.ones(961), np.arange(961) % 2]).astype(float)
    assert by_round_alone(strategies).tolist() == [True, False, False]


def test_our_strategies_are_accepted_and_have_all_genes() -> None:
    for folder in sorted(FOLDER.iterdir()):
        read = read_strategies(folder)
        assert all(one.accepted for one in read.programs())
        assert {one.model for one in read.manifest.strategies} == {"narrow", "broad"}
        assert len(read.manifest.strategies) == 16
        assert {one.attitude for one in read.manifest.strategies} == {folder.name.split("_")[-1]}


def test_folders_become_levels_by_game_model_and_size() -> None:
    factors = as_levels_of_strategies([str(FOLDER)], quick=False)["factors"]
    assert list(factors["game"]) == ["public_goods", "collective_risk", "common_pool"]
    assert factors["game"]["common_pool"]["parameters"]["folders"] == [
        str(FOLDER / "common_pool_collective"),
        str(FOLDER / "common_pool_exploitative"),
    ]
    assert list(factors["model"]) == ["broad", "narrow"]
    assert list(factors["group"]) == ["4"]


def test_a_single_folder_is_a_single_game() -> None:
    levels = as_levels_of_strategies([str(FOLDER / "public_goods_collective")], quick=False)
    assert list(levels["factors"]["game"]) == ["public_goods"]


def test_a_folder_without_strategies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"has no manifest\.json, nor has a folder in it"):
        as_levels_of_strategies([str(tmp_path)], quick=False)


def test_groups_are_as_large_as_the_smallest_set(tmp_path: Path) -> None:
    manifest = json.loads((FOLDER / "public_goods_collective/manifest.json").read_text())
    manifest["strategies"] *= 3
    for number, one in enumerate(manifest["strategies"]):
        manifest["strategies"][number] = {**one, "class": f"{one['class']}{number}"}
        (tmp_path / one["file"]).touch()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    groups = as_levels_of_strategies([str(tmp_path)], quick=False)["factors"]["group"]
    assert groups == {
        "4": {"agents": 4, "rounds": 5, "parameters": {"players": 4, "step": 1}},
        "16": {"agents": 16, "rounds": 17, "parameters": {"players": 16, "step": 1}},
    }


def test_groups_play_all_compositions_as_in_the_paper_or_five_for_a_quick_look() -> None:
    rounds = {n: one["rounds"] for n, one in _groups(512, quick=False).items()}
    assert rounds == {"4": 5, "16": 17, "64": 65, "256": 65}
    assert {one["rounds"] for one in _groups(512, quick=True).values()} == {5}


def test_figure_6_is_played_where_there_are_strategies_for_public_goods(tmp_path: Path) -> None:
    goods = ReproductionRun(PAPER, tmp_path, strategies=FOLDER, quick=True).results["threefold"]
    assert goods.experiment.levels["game"] == ("public_goods",)
    assert {one.setup.spec.parameters["factor"] for one in goods.experiment.conditions} == {3}
    for attitude in ("collective", "exploitative"):
        name = f"common_pool_{attitude}"
        copytree(FOLDER / name, tmp_path / "pool" / name)
    assert "threefold" not in ReproductionRun(PAPER, tmp_path, strategies=tmp_path / "pool").results


def test_models_are_not_asked_but_their_strategies_are_played(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="society strategies write"):
        ReproductionRun(PAPER, tmp_path, ["gpt-5-mini"])
    run = ReproductionRun(PAPER, tmp_path, strategies=FOLDER, quick=True)
    assert set(run.results) == {"evolution", "self_play", "threefold"}
    assert run.results["self_play"].experiment.levels["model"] == ("broad", "narrow")


def test_papers_about_models_take_no_strategies(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="village plays no strategies; leave out --strategies"):
        ReproductionRun(reproduction("village"), tmp_path, strategies=FOLDER)


@pytest.mark.parametrize(
    ("model", "missing"),
    [("gpt-5-mini", "for collective_risk by gpt-5-mini"), ("mistral-7b", "by mistral-7b")],
)
def test_rotas_cannot_be_told_without_strategies_for_collective_risk(
    model: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SimpleNamespace(manifest=SimpleNamespace(game="public_goods"))
    own = FolderSet(0, Gene("gpt-5-mini", "collective"))
    compared = SimpleNamespace(folders=[folder], measured={own: None})
    monkeypatch.setattr(behaviour_judges, "measured_sets", lambda evidence: compared)
    samples = Samples(Evidence({}), DesignData(trials=(), claims=()))
    with pytest.raises(InsufficientEvidence, match=missing):
        behaviour_judges.rotas(samples, model=model)


@pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")
def test_experiments_are_played_with_our_strategies(tmp_path: Path) -> None:
    run = ReproductionRun(PAPER, tmp_path, quick=True)
    assert [one.name for one in run.design.trials] == [
        "evolution",
        "without",
        "self_play",
        "threefold",
    ]
    (condition, *_) = run.results["without"].experiment.conditions
    (folder,) = condition.setup.spec.parameters["folders"]
    assert Path(folder).resolve() == (FOLDER / "public_goods_exploitative").resolve()
