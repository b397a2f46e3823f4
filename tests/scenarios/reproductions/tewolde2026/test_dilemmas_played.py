"""The recipe of CoopEval played in small: with classic minds, and with the offline mind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.claims.data import Trial
from society.claims.types import ClaimVerdict, Reproduction, ReproductionDesign
from society.config.registry import reproduction
from society.experiments.clusters import local_processes
from society.experiments.progress import NoProgress
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun
from society.scenarios.reproductions.tewolde2026.agent_types import as_types

pytestmark = pytest.mark.xdist_group("reproduction of dilemmas")  # played once for all

PAPER = reproduction("dilemmas")
OF_TWO_PLAYERS = ("prisoners_dilemma", "travellers_dilemma", "trust")
ONCE: Mapping[str, Any] = {
    "mechanism": {
        "none": {"mechanisms": [{"tournament": {}}]},
        "repetition": {
            "mechanisms": [
                {"repetition": {"games": 15, "continuation": 0.8, "window": 3}},
                {"tournament": {}},
            ]
        },
    }
}
OF_TWO: Mapping[str, Any] = {"game": {name: {"base": name} for name in OF_TWO_PLAYERS}}
TRUST: Mapping[str, Any] = {"game": {"trust": {"base": "trust"}}}
TYPES = (
    "always_cooperate",
    "always_defect",
    "tit_for_tat",
    "suspicious_tit_for_tat",
    "theorem",
    "win_stay_lose_shift",
)


def tried(trials: tuple[Trial, ...], folder: Path, models: tuple[str, ...] = ()) -> ReproductionRun:
    """Some of the experiments, played to their end."""
    assert PAPER.language is not None
    design = ReproductionDesign(trials, PAPER.language.claims, minds=as_types)
    run = ReproductionRun(Reproduction("small", "Nobody 2026", design, design), folder, models)
    with local_processes(1) as cluster:
        ended = run.play(cluster, NoProgress(), None)
    assert {done.status for done in ended.values()} == {"finished"}
    return run


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """Games of two and of three, once through, without a mechanism and repeated."""
    pairs, goods, *_ = PAPER.rules.trials
    less = (
        pairs.model_copy(update={"instead": {"factors": {**OF_TWO, **ONCE}}}),
        goods.model_copy(update={"instead": {"factors": {**goods.instead["factors"], **ONCE}}}),
    )
    return Evidence(tried(less, tmp_path_factory.mktemp("dilemmas")).results)


@pytest.fixture(scope="module")
def verdicts(results: Evidence) -> dict[str, ClaimVerdict]:
    """Verdicts on selection, as far as it was played."""
    some = [one for one in PAPER.rules.claims if one.claim.startswith(("Without", "Selection"))]
    return {one.claim: one for one in judge_claims(some, results)}


def test_without_a_mechanism_types_fare_as_by_hand(results: Evidence) -> None:
    """Four of six types cooperate: 2 from 4 and 0 from 2 of 6, which is 4 / 3 points, and 1 / 3 of
    the way from 1 point to 2; the others get 3 from 4 and 1 from 2, 7 / 3 points."""
    levels = {"game": "prisoners_dilemma", "mechanism": "none"}
    found = results.type_scores("classic_pairs", "mean", levels)
    assert {name: found.each[name].tolist() for name in TYPES} == {
        "always_cooperate": pytest.approx([1 / 3]),
        "always_defect": pytest.approx([4 / 3]),
        "tit_for_tat": pytest.approx([1 / 3]),
        "suspicious_tit_for_tat": pytest.approx([4 / 3]),
        "theorem": pytest.approx([1 / 3]),
        "win_stay_lose_shift": pytest.approx([1 / 3]),
    }
    assert found.average == pytest.approx([2 / 3])
    cooperation = results.type_scores("classic_pairs", "cooperation", levels)
    assert cooperation.average == pytest.approx([2 / 3])
    assert cooperation.each["theorem"].tolist() == [1]
    ranks = results.type_scores("classic_pairs", "rank", levels).each
    assert ranks["always_defect"] < ranks["theorem"]


def test_the_first_round_is_scored_apart_from_all_rounds(results: Evidence) -> None:
    """Who begins with defection never cooperates in the first of fifteen rounds."""
    levels = {"game": "prisoners_dilemma", "mechanism": "repetition"}
    first = results.type_scores("classic_pairs", "first_cooperation", levels)
    assert {name: first.each[name].tolist() for name in TYPES} == {
        "always_cooperate": [1],
        "always_defect": [0],
        "tit_for_tat": [1],
        "suspicious_tit_for_tat": [0],
        "theorem": [1],
        "win_stay_lose_shift": [1],
    }
    assert first.average == pytest.approx([4 / 6])
    every = results.type_scores("classic_pairs", "cooperation", levels)
    assert 0 < every.each["suspicious_tit_for_tat"][0] < 1


def test_selection_leads_where_it_leads(verdicts: dict[str, ClaimVerdict]) -> None:
    """All matches are played once here, which is too seldom for a verdict."""
    alone = verdicts["Without a mechanism selection leads to defection"]
    repeated = verdicts["Selection leads to cooperation (under repetition)"]
    assert repeated.outcome == "cannot be told"
    assert "prisoners_dilemma 0.667 to 0;" in alone.found
    assert "prisoners_dilemma 0.607 to 1;" in repeated.found


def test_what_was_not_played_cannot_be_told(verdicts: dict[str, ClaimVerdict]) -> None:
    contracts = verdicts["Selection leads to cooperation (under contract)"]
    assert contracts.outcome == "cannot be told"


@pytest.mark.thorough
@pytest.mark.parametrize("mechanism", ["mediation", "contracts"])
def test_who_refuses_an_agreement_meets_the_equilibrium(tmp_path: Path, mechanism: str) -> None:
    """As the proof of theorem 1 has it: 1 point each, not 0 against 3; together they get 2."""
    pairs, *_ = PAPER.rules.trials
    two = {
        "theorem": [
            {"classic_strategies": {"strategy": "grim"}},
            {"mechanism_use": {"skill": "capable"}},
        ],
        "refuser": [
            {"classic_strategies": {"strategy": "always_defect"}},
            {"mechanism_use": {"skill": "stubborn"}},
        ],
    }
    agreed: Mapping[str, Any] = {"agreed": {"mechanisms": [{mechanism: {}}, {"tournament": {}}]}}
    instead = {
        "cohorts": [{"name": name, "components": parts} for name, parts in two.items()],
        "factors": {"game": {"prisoners_dilemma": {}}, "mechanism": agreed},
    }
    less = pairs.model_copy(update={"beside": {}, "instead": instead})
    results = Evidence(tried((less,), tmp_path).results)
    found = results.type_scores("classic_pairs", "mean", {"mechanism": "agreed"})
    assert {name: float(mean[0]) for name, mean in found.each.items()} == {
        "theorem": pytest.approx((1 + 0) / 2),
        "refuser": pytest.approx(0),
    }
    delegated = results.type_scores("classic_pairs", "delegation", {"mechanism": "agreed"})
    willing = 1 if mechanism == "mediation" else 0  # there is nobody to delegate to under contracts
    assert {name: float(share[0]) for name, share in delegated.each.items()} == {
        "theorem": willing,
        "refuser": 0,
    }


@pytest.mark.thorough
def test_a_dry_run_plays_the_offline_mind_and_tells_nothing(tmp_path: Path) -> None:
    """Under its own name and a second one, so that it meets somebody under reputation."""
    assert PAPER.language is not None
    pairs, goods, populations, _ = PAPER.language.trials
    once = {"factors": {**TRUST, "mechanism": ONCE["mechanism"]}}
    alone = {"none": ONCE["mechanism"]["none"]}
    less = (
        pairs.model_copy(update={"beside": {}, "instead": once}),
        goods.model_copy(
            update={"instead": {"factors": {**goods.instead["factors"], "mechanism": alone}}}
        ),
        populations.model_copy(update={"instead": {"factors": TRUST}}),
    )
    run = tried(less, tmp_path, ("offline",))
    assert {one.outcome for one in run.verdicts()} == {"cannot be told"}
    found = Evidence(run.results).type_scores(
        "models_populations", "mean", {"game": "trust", "mechanism": "reputation_first"}
    )
    assert list(found.each) == ["offline", "offline again"]
    assert np.isfinite(found.average).all()
