"""Rules laid over the fishing village from outside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from society.config import registry
from society.config.build import build
from society.config.run_config import load_config
from society.engine.game_master import GameMaster
from society.engine.tape import Tape
from society.errors import ScenarioError
from society.scenarios.mechanisms import all_mechanisms
from society.scenarios.village.fishing_village import fishing_village

if TYPE_CHECKING:
    from tests.conftest import Recorded


def test_the_shelf_holds_every_mechanism_in_order() -> None:
    assert all_mechanisms.__all__ == list(registry.mechanisms())
    assert all(
        f"\n    {name} " in (all_mechanisms.__doc__ or "") for name in all_mechanisms.__all__
    )


def village(**changes: Any) -> GameMaster:
    return build(
        load_config("fishing_village", {"rounds": 5, "replicates": 4, **changes})
    ).gamemaster()


def with_quota(kind: str = "effort", at: float = 0.3) -> GameMaster:
    return village(mechanisms=[{"quota": {"kind": kind, "at": at}}])


def test_nobody_fishes_harder_than_the_authority_allows(recorded: Recorded) -> None:
    assert recorded(village()).answers("effort")[0].max() > 0.9
    assert max(effort.max() for effort in recorded(with_quota(at=0.3)).answers("effort")) == 0.3


def test_whoever_wishes_for_less_is_left_alone(recorded: Recorded) -> None:
    free, bound = (recorded(game).answers("effort")[0] for game in (village(), with_quota(at=0.3)))
    modest = free < 0.3
    assert modest.any()
    assert (free[modest] == bound[modest]).all()


def test_a_cap_above_every_answer_leaves_all_answers_as_they_are(recorded: Recorded) -> None:
    free, bound = (recorded(game).answers("effort") for game in (village(), with_quota(at=1)))
    assert all((before == after).all() for before, after in zip(free, bound, strict=True))


def test_the_bound_is_on_the_record_and_replay_keeps_to_it(recorded: Recorded) -> None:
    played = recorded(with_quota(at=0.3))
    assert {step.form for step in played.steps if step.kind == "effort"} == {"amount 0..0.3"}
    again = with_quota(at=0.3)
    again.answerer = Tape(played.steps)
    assert again.play().digest == played.outcome.digest


def test_a_cap_can_bound_what_may_be_proposed(recorded: Recorded) -> None:
    """The villagers believe in 2 to 8 fish; no proposal above 3 reaches the vote."""
    proposals = recorded(with_quota(kind="propose", at=3)).answers("propose")
    assert max(proposal.max() for proposal in proposals) == 3


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("efort", "the play never asks 'efort'; did you mean 'effort'?"),
        ("vote", "the play never asks 'vote'; choose one of: effort, imitate, propose, punish"),
        ("punish", "'punish' asks for peer on monitor; only an amount can be capped"),
    ],
)
def test_a_cap_that_fits_no_question_is_refused_before_the_game(kind: str, words: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        with_quota(kind, 0.5)
    assert f"mechanisms[0]: quota: {words}" in str(refused.value)


def test_a_cap_in_a_scenario_of_ones_own_is_refused_as_early() -> None:
    play = all_mechanisms.quota(fishing_village.play, kind="efort", at=0.5)
    with pytest.raises(ScenarioError, match="scenario: quota: the play never asks 'efort'"):
        build(load_config("lake"), own=[replace(fishing_village, name="lake", play=play)])


def test_a_cap_below_every_legal_answer_is_refused() -> None:
    with pytest.raises(ScenarioError, match="at=-1 is below the least legal answer to 'effort', 0"):
        with_quota(at=-1).play()
