"""Classic minds in CoopEval's experiment: which made-up results make its judges say what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from society.config.registry import reproduction

if TYPE_CHECKING:
    from society.claims.comparisons import Metric
    from tests.scenarios.reproductions.tewolde2026.conftest import Fares, Judged

THEOREM = "Played, the strategies of theorem 1 come to what they promise"
ALONE = "Without a mechanism selection leads to defection"
OTHERWISE = "Under repetition selection leads to cooperation with other probabilities, too"
REPUTATION = "Reputation pays less than repetition"
KEPT = {"efficiency": 1.0}

# Those about what is played; the others are computed.
CLASSIC = reproduction("dilemmas").rules.claims[21:]
assert CLASSIC[0].claim == THEOREM


def as_expected(metric: Metric, game: str, mechanism: str) -> Mapping[str, float]:
    """Two types, of which selection leaves what cooperates, but without a mechanism."""
    if metric == "fitness":
        return {"nice": 0.05, "nasty": 0.05} if mechanism == "none" else {"nice": 1, "nasty": 0.95}
    mean = {"reputation_first": 0.3, "reputation_higher": 0.2}.get(mechanism, 0.6)
    return {"nice": mean, "nasty": mean}


def only(game: str, mechanism: str, fitness: float) -> Fares:
    """Results as expected, but in one cell."""

    def fares(metric: Metric, of: str, under: str) -> Mapping[str, float]:
        if metric == "fitness" and (of, under) == (game, mechanism):
            return {"nice": fitness, "nasty": fitness}
        return as_expected(metric, of, under)

    return fares


def test_what_is_expected_is_reproduced(judging: Judged) -> None:
    found = dict(judging(CLASSIC, as_expected, KEPT))
    windows = found.pop("Under repetition selection leads to cooperation with other windows, too")
    assert (windows.outcome, windows.notes[:29]) == (
        "cannot be told",
        "these minds ignore the window",
    )
    assert {one.outcome for one in found.values()} == {"reproduced"}
    assert all(one.ours for one in found.values())
    assert len(found) == 7


def test_payoffs_before_and_after_selection_are_said(judging: Judged) -> None:
    found = judging(CLASSIC, as_expected, KEPT)
    assert found["Selection leads to cooperation (under contract)"].found.endswith(
        "prisoners_dilemma 0.6 to 0.975; travellers_dilemma 0.6 to 0.975; trust 0.6 to 0.975; "
        "public_goods 0.6 to 0.975"
    )


def test_one_game_that_does_not_cooperate_leaves_a_part(judging: Judged) -> None:
    found = judging(CLASSIC, only("trust", "contract", 0.5), KEPT)
    assert found["Selection leads to cooperation (under contract)"].outcome == "in part"
    assert found["Selection leads to cooperation (under mediation)"].outcome == "reproduced"


def test_one_game_that_cooperates_without_a_mechanism_leaves_a_part(judging: Judged) -> None:
    found = judging(CLASSIC, only("trust", "none", 1), KEPT)
    assert found[ALONE].outcome == "in part"


def test_what_is_true_in_some_repetitions_only_is_not_shown(judging: Judged) -> None:
    """Payoffs a little below 0.9, 0.9, and a little above, in all games."""

    def fares(metric: Metric, game: str, mechanism: str) -> Mapping[str, float]:
        return {"nice": 0.9, "nasty": 0.9}

    found = judging(CLASSIC, fares, KEPT)
    assert found["Selection leads to cooperation (under mediation)"].outcome == "cannot be told"


@pytest.mark.parametrize(("efficiency", "outcome"), [(1, "reproduced"), (0.99, "not reproduced")])
def test_theorem_1_keeps_its_promise_in_every_game_or_not_at_all(
    judging: Judged, efficiency: float, outcome: str
) -> None:
    found = judging(CLASSIC, as_expected, {"efficiency": efficiency})
    assert found[THEOREM].outcome == outcome


def test_reputation_that_pays_as_much_is_not_held_to_pay_less(judging: Judged) -> None:
    def fares(metric: Metric, game: str, mechanism: str) -> Mapping[str, float]:
        return {"nice": 0.6, "nasty": 0.6}

    assert judging(CLASSIC, fares, KEPT)[REPUTATION].outcome == "not reproduced"


def test_other_settings_are_judged_game_by_game(judging: Judged) -> None:
    found = judging(CLASSIC, only("trust", "repetition", 0.2), KEPT)
    assert found[OTHERWISE].outcome == "in part"
