"""The recipe of the donor paper played: in small, and by the command line with the offline mind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from society.claims.types import ClaimVerdict, Reproduction, ReproductionDesign
from society.cli.main import main
from society.config.registry import reproduction
from society.experiments.clusters import local_processes
from society.experiments.progress import NoProgress
from society.reproduction.claim_samples import samples_by_generation
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun

RESOURCES, DONATION = "fitness", "phenotype"

pytestmark = [
    pytest.mark.xdist_group("reproduction of donors"),
    pytest.mark.thorough,
]  # played once for all

DONOR = reproduction("donor")
SMALL: Mapping[str, Mapping[str, Any]] = {
    "ceiling": {},
    "image_scoring": {"replicates": 100, "factors": {"known": [0, 1]}},
    "neutral": {"replicates": 100, "factors": {"known": [0, 1]}},
    "drift": {"replicates": 3},
    "protocols": {"replicates": 3},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """Five of the experiments with rules, played with few runs."""
    trials = tuple(
        trial.model_copy(update={"instead": SMALL[trial.name]})
        for trial in DONOR.rules.trials
        if trial.name in SMALL
    )
    small = Reproduction("small", "Nobody 2026", ReproductionDesign(trials))
    run = ReproductionRun(small, tmp_path_factory.mktemp("donor"))
    with local_processes(1) as cluster:
        ended = run.play(cluster, NoProgress(), None)
    assert {done.status for done in ended.values()} == {"finished"}
    return Evidence(run.results)


class Relabelled(Evidence):
    """The same results with some experiments under the names of others."""

    def __init__(self, results: Evidence, names: Mapping[str, str]) -> None:
        super().__init__({name: results._results[other] for name, other in names.items()})


@pytest.fixture(scope="module")
def verdicts(results: Evidence) -> dict[str, ClaimVerdict]:
    """Verdicts on the first eight claims, which these experiments can tell."""
    claims = list(DONOR.rules.claims)[:8]
    return {verdict.claim: verdict for verdict in judge_claims(claims, results)}


def test_what_is_played_comes_to_what_arithmetic_says(verdicts: dict[str, ClaimVerdict]) -> None:
    first, *_ = verdicts.values()
    assert first.claim == "Who always gives all ends with 30,720 units"
    assert first.outcome == "reproduced"
    assert first.found.startswith(
        "multiplier 1.5: 1,081.2, by arithmetic 1,081.2; multiplier 2: 30,720.0, by arithmetic"
    )


def test_image_scoring_stands_where_all_is_known_and_falls_where_nothing_is(
    verdicts: dict[str, ClaimVerdict],
) -> None:
    stands, falls, _ = list(verdicts.values())[5:]
    assert stands.outcome == falls.outcome == "reproduced"
    assert stands.found.startswith("q = 1: free riders there: in 0 of 100 runs, 0.0% [0.0%, 3.6%]")
    assert falls.found.startswith("q = 0: free riders alone: in 100 of 100 runs, 100.0% [96.4%, ")


def test_lines_are_kept_where_an_experiment_says_so_and_tell_who_is_left(results: Evidence) -> None:
    """Always givers and image scorers, of which the one is the complement of the other."""
    levels = {"condition": "with_errors"}
    givers = results.runs("drift", "policy_fixed", levels)
    scorers = results.runs("drift", "policy_discriminating", levels)
    assert (givers + scorers).tolist() == [1, 1, 1]


def test_where_nothing_selects_the_same_rules_tell_of_nothing(results: Evidence) -> None:
    """The judges of image scoring are shown the runs in which selection is switched off."""
    stands, falls = list(DONOR.rules.claims)[5:7]
    off = Relabelled(results, {"image_scoring": "neutral"})
    for verdict in judge_claims([stands, falls], off):
        assert verdict.outcome != "reproduced"


def test_generations_are_found_in_the_rounds_of_a_run(results: Evidence) -> None:
    """Ten of 24 rounds and a page of births; a run's measures are those of the first and last."""
    levels = {"condition": "paper"}
    assert results.rounds("protocols", RESOURCES, levels).shape == (3, 250)
    resources = samples_by_generation(results, "protocols", RESOURCES, levels)
    assert resources.shape == (3, 10)
    assert resources[:, 0].tolist() == results.runs("protocols", "first_fitness", levels).tolist()
    assert resources[:, -1].tolist() == results.runs("protocols", RESOURCES, levels).tolist()
    # What a round has of each donor, its mean over a generation has as well: all give as often.
    per_round = samples_by_generation(results, "protocols", "donation", levels)
    per_agent = samples_by_generation(results, "protocols", DONATION, levels)
    assert np.allclose(per_round, per_agent, atol=0.01)
    assert not np.allclose(per_round[:, :-1], per_agent[:, 1:], atol=0.01)


class Dry(NamedTuple):
    """A dry run by the command line: its exit code, what it printed, its page as text."""

    code: int
    said: dict[str, Any]
    text: str


@pytest.fixture(scope="module")
def dry(tmp_path_factory: pytest.TempPathFactory) -> Dry:
    """`society reproduce donor --quick --model offline`."""
    out = tmp_path_factory.mktemp("dry")
    words = ["reproduce", "donor", "--quick", "--model", "offline", "--json", "--quiet"]
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("builtins.print", lambda *words, **_: printed.append(" ".join(words)))
        code = main([*words, "--out", str(out)])
    said = json.loads(printed[0])
    html = Path(said["report"]).read_text("utf-8")
    return Dry(code, said, unescape(re.sub(r"<(style|svg).*?</\1>|<[^>]+>", " ", html, flags=re.S)))


def test_a_dry_run_plays_the_papers_experiment_and_tells_nothing(dry: Dry) -> None:
    """Two generations of four rounds, 13 runs: 12 + 6 strategies and 2 x 2 x 4 x 6 gifts."""
    assert dry.code == 0
    assert {one["outcome"] for one in dry.said["verdicts"]} == {"cannot be told"}
    battery = 2 * 12 * 11
    assert dry.said["spent"]["calls"] == 13 * (12 + 6 + 96) + battery


def test_its_page_says_what_of_the_paper_cannot_be_played(dry: Dry) -> None:
    words = " ".join(dry.text.split())
    assert words.startswith("DRY RUN of donor: Vallinder and Hughes 2024")
    assert "Claims DRY RUN: the offline mind is no language model." in words
    assert "and never meet anybody twice. That cannot be:" in words


def test_models_are_asked_at_the_papers_size_and_temperature() -> None:
    run = ReproductionRun(DONOR, Path("nowhere"), ["lab/one", "lab/two"])
    assert run.extent == "70 runs in 14 conditions with lab/one, lab/two"
    for result in run.results.values():
        for one in result.experiment.conditions:
            asked_model = one.setup.spec.models["default"]
            assert (asked_model.model, asked_model.temperature) == (one.factors["model"], 0.8)
            assert (one.setup.agents, one.setup.rounds, one.setup.replicates) == (12, 12, 5)
            assert one.setup.models_named == {"default"}


def test_the_offline_mind_is_not_asked_with_the_rules_unnoticed() -> None:
    """It stands among the experiments with rules, in a title of its own."""
    (offline,) = (trial for trial in DONOR.rules.trials if trial.file == "donor_models")
    assert "DRY RUN" in offline.title
    run = ReproductionRun(DONOR, Path("nowhere"))
    assert run.results["offline"].experiment.levels["model"] == ("offline",)
    assert not run.dry


def test_the_quick_look_plays_the_experiments_that_the_full_one_does() -> None:
    for models in ([], ["lab/one"]):
        full, quick = (
            ReproductionRun(DONOR, Path("nowhere"), models, quick=short).results
            for short in (False, True)
        )
        assert {name: one.experiment.levels for name, one in full.items()} == {
            name: one.experiment.levels for name, one in quick.items()
        }
