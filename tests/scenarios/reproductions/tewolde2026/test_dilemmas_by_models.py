"""CoopEval's claims about models: which made-up results make its judges say what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.config.registry import reproduction
from society.experiments.jobs import forecasts
from society.reproduction.run import ReproductionRun
from society.scenarios.reproductions.tewolde2026.agent_types import as_types

if TYPE_CHECKING:
    from society.claims.comparisons import Metric
    from tests.scenarios.reproductions.tewolde2026.conftest import Fares, Judged

PAPER = reproduction("dilemmas")
assert PAPER.language is not None
CLAIMS = PAPER.language.claims

# As users name them.
CLAUDE, GEMINI = "anthropic/claude-sonnet-4-5-20250929", "gemini/gemini-3-flash-preview"
GPT, OLD = "openai/gpt-5.2", "openai/gpt-4o-2024-05-13"
QWEN = "openrouter/qwen/qwen3-30b-a3b-instruct-2507"
MODELS = (CLAUDE, GEMINI, GPT, OLD, QWEN)

DEFECT = "Without a mechanism modern models defect in all dilemmas"
HALF = "Without a mechanism GPT-4o cooperates about half of the time, but for public goods"
WORSE = "Without a mechanism selection makes all poorer"
RANKS = "Contracts and mediation serve cooperation better than repetition, which beats reputation"
HIGHER = "Higher-order reputation does more harm than good"
BOOST = "Selection makes models cooperate under repetition, mediation and contracts"
BEST = "Gemini 3 Flash fares best of all models, and GPT-4o worst"
APPROVED = "In 70% to 90% of matches all approve of a proposal"
AFTER = "Contracts serve cooperation better than mediation before selection, and alike after it"
DELEGATES = "GPT-4o and Qwen3 30B delegate less than the other models"
BY_ALL = "By payoff after selection and by rank Gemini 3 Flash is best, too, and GPT-4o worst"
GAMES = "Models do well in the prisoner's dilemma and badly in public goods"
MISSED = "In stag hunt GPT-4o and GPT-5.2 often miss the best outcome"
HUNT = "In stag hunt contracts alone fail with GPT-4o and Qwen3 30B"
FIRST = "In the first round under reputation all but Gemini defect in half of their moves or more"
HARD = "Under repetition GPT-5.2, GPT-4o and Qwen3 30B defect often in two dilemmas"
FALLS = "In public goods under contracts Qwen3 30B fares well at first, and badly after selection"
SIGNED = "The contract that has won is signed by all in even more matches"

# Table 2, averages.
MEANS = {
    "none": 0.07,
    "repetition": 0.59,
    "reputation_first": 0.32,
    "reputation_higher": 0.23,
    "mediation": 0.7,
    "contract": 0.8,
}
BY_GAME = {"prisoners_dilemma": 0.06, "public_goods": -0.06}  # more or less than the mean
AGREED = {"mediator_unanimity": 0.8, "contract_unanimity": 0.8, "contracts": 0.95}


def as_printed(metric: Metric, game: str, mechanism: str) -> Mapping[str, float]:
    if metric == "cooperation":
        return cooperation(game, mechanism)
    if metric == "first_cooperation":
        return {name: 0.9 if name == GEMINI else 0.3 for name in MODELS}
    luck = 0.0001 * len(game)  # games differ a little, by mechanism and by model
    usual = 0.9 if game == "stag_hunt" else MEANS[mechanism]
    level = {"mean": usual, "fitness": 0.02 if mechanism == "none" else 0.99}
    apart = {
        "mean": {GEMINI: 0.2, OLD: -0.2},
        "fitness": {GEMINI: 0.15, OLD: -0.2},
        "rank": {GEMINI: -1.5, OLD: 1.5},
        "delegation": {OLD: -0.5, QWEN: -0.4},
    }[metric]
    if (game, mechanism) == ("public_goods", "contract"):  # Fig. 2
        apart = {**apart, QWEN: {"mean": 0.15, "fitness": -0.25}.get(metric, 0)}
    if (game, mechanism) == ("stag_hunt", "contract"):  # Table 7
        apart = {OLD: -0.6, QWEN: -0.6}
    if metric == "mean":
        apart = {name: apart.get(name, 0) + BY_GAME.get(game, 0) for name in MODELS}
    return {
        name: level.get(metric, 3 if metric == "rank" else 0.9)
        + apart.get(name, 0)
        + luck * (len(mechanism) + len(name))
        for name in MODELS
    }


def cooperation(game: str, mechanism: str) -> Mapping[str, float]:
    """Shares of moves, Fig. 4."""
    if game == "stag_hunt":
        return {name: 0.6 if name in (GPT, OLD) else 0.95 for name in MODELS}
    if mechanism == "repetition":
        return {name: 0.4 if name in (GPT, OLD, QWEN) else 0.9 for name in MODELS}
    old = 0.2 if game == "public_goods" else 0.5
    return {name: old if name == OLD else 0.01 for name in MODELS}


def without(name: str) -> Fares:
    return lambda *cell: {model: x for model, x in as_printed(*cell).items() if model != name}


def test_models_that_do_as_in_the_paper_reproduce_it(judging: Judged) -> None:
    found = dict(judging(CLAIMS, as_printed, AGREED))
    alike = found.pop(FALLS)
    assert alike.outcome == "cannot be told", "made-up types are as far apart in all repetitions"
    assert {claim: one.outcome for claim, one in found.items()} == dict.fromkeys(
        (
            *(DEFECT, HALF, WORSE, RANKS, HIGHER, BOOST, BEST, APPROVED, SIGNED, AFTER),
            *(DELEGATES, BY_ALL, GAMES, MISSED, HUNT, FIRST, HARD),
        ),
        "reproduced",
    )
    assert not any(one.ours for one in found.values())


@pytest.mark.parametrize("name", MODELS)
def test_without_one_of_the_papers_models_little_can_be_told(judging: Judged, name: str) -> None:
    found = judging(CLAIMS, without(name), AGREED)
    told = {claim for claim, one in found.items() if one.outcome != "cannot be told"}
    assert told == {
        CLAUDE: {HALF, MISSED, HARD},
        GEMINI: {HALF, MISSED, HARD, FIRST},
        GPT: {HALF},
        OLD: {DEFECT},
        QWEN: {HALF, MISSED},
    }.get(name)
    assert found[RANKS].notes.endswith("was not asked; name it under --model")


def test_a_modern_model_that_cooperates_leaves_a_part(judging: Judged) -> None:
    def fares(metric: Metric, game: str, mechanism: str) -> Mapping[str, float]:
        found = as_printed(metric, game, mechanism)
        return {**found, CLAUDE: 0.6} if metric == "cooperation" else found

    assert judging(CLAIMS, fares, AGREED)[DEFECT].outcome == "in part"


def test_where_higher_orders_help_the_claim_fails(judging: Judged) -> None:
    def fares(metric: Metric, game: str, mechanism: str) -> Mapping[str, float]:
        other = {"reputation_first": "reputation_higher", "reputation_higher": "reputation_first"}
        return as_printed(metric, game, other.get(mechanism, mechanism))

    assert judging(CLAIMS, fares, AGREED)[HIGHER].outcome == "not reproduced"


def test_approval_in_all_matches_is_more_than_the_paper_says(judging: Judged) -> None:
    found = judging(CLAIMS, as_printed, {**AGREED, "contract_unanimity": 1.0})
    assert found[APPROVED].outcome == "in part"
    assert found[SIGNED].outcome == "not reproduced"


def test_what_hangs_on_designs_is_tested_over_the_four_games(judging: Judged) -> None:
    """All repetitions of a game go by the same contracts, so that they are not independent."""
    found = judging(CLAIMS, as_printed, AGREED)
    over = {claim for claim, one in found.items() if "over the four dilemmas" in one.notes}
    assert over == {RANKS, BEST, SIGNED, AFTER, DELEGATES, BY_ALL}


def test_a_contract_that_serves_in_some_games_only_is_not_shown_to_serve(judging: Judged) -> None:
    """Better than repetition by .5 in two games, worse by .1 in two, however often repeated."""

    def fares(metric: Metric, game: str, mechanism: str) -> Mapping[str, float]:
        found = as_printed(metric, game, mechanism)
        if metric != "mean" or mechanism != "contract":
            return found
        apart = 0.5 if game in ("trust", "public_goods") else -0.1
        return dict.fromkeys(found, MEANS["repetition"] + apart)

    found = judging(CLAIMS, fares, AGREED)[RANKS]
    assert found.outcome == "in part"
    assert "not shown: 1 of 4" in found.notes


def test_a_game_without_a_finished_match_tells_nothing(judging: Judged) -> None:
    found = judging(CLAIMS, as_printed, {**AGREED, "contracts": math.nan})
    assert found[SIGNED].outcome == "cannot be told"
    assert found[SIGNED].notes == (
        "no match of prisoners_dilemma under contract was played to its end"
    )


def test_every_model_is_a_type_and_one_alone_meets_itself() -> None:
    types = as_types(["lab/one", "lab/two"], quick=False)
    assert types["models"]["lab/two"] == {"model": "lab/two", "temperature": 1}
    assert [one["name"] for one in types["cohorts"]] == ["lab/one", "lab/two"]
    alone = as_types(["lab/one"], quick=True)
    assert list(alone["models"]) == ["lab/one", "lab/one again"]
    assert {one["model"] for one in alone["models"].values()} == {"lab/one"}


SERVED = [*MODELS, "openrouter/google/gemini-2.5-flash"]
BARE = [name.rpartition("/")[2] for name in SERVED]  # as those who serve them alone know them


@pytest.mark.parametrize("models", [SERVED, BARE], ids=["served", "bare"])
def test_six_models_are_asked_at_the_papers_size(models: list[str]) -> None:
    """Per game of two 36 matches, three times, and per game of three 216; 36 cells in all."""
    run = ReproductionRun(reproduction("dilemmas"), Path("nowhere"), models)
    sizes = {
        (one.setup.agents, one.setup.replicates)
        for result in run.results.values()
        for one in result.experiment.conditions
    }
    assert sizes == {(2, 108), (3, 648), (12, 3), (18, 3)}
    assert len(run.parts) == 6 * 6
    assert all(list(part.setup.spec.models) == models for part in run.parts)


def test_what_it_would_cost_counts_designs_and_matches_of_all_models() -> None:
    """Two models, four matches of two, three times: a move each; with contracts one for each
    seat to design, each time, and a vote, a signature and a move of each player."""
    run = ReproductionRun(reproduction("dilemmas"), Path("nowhere"), [GPT, "gpt-4.1"], quick=True)
    by_name = {part.name: part for part in run.parts}
    calls = {
        name: {
            one.model: one.calls
            for one in forecasts([by_name[f"game=prisoners_dilemma,mechanism={name}"]])
        }
        for name in ("none", "contract")
    }
    assert calls == {
        "none": {GPT: 12, "gpt-4.1": 12},
        "contract": {GPT: 6 + 36, "gpt-4.1": 6 + 36},
    }
