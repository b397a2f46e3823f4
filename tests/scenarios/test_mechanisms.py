"""Rules laid over the fishing village from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from society.errors import ScenarioError
from society.gamemaster import GameMaster
from society.spec import load, prepared
from society.tape import Tape

if TYPE_CHECKING:
    from tests.conftest import Recorded


def village(**changes: Any) -> GameMaster:
    return prepared(load("fishing_village", {"rounds": 5, "replicates": 4, **changes})).gamemaster()


def capped(kind: str = "effort", at: float = 0.3) -> GameMaster:
    return village(mechanisms=[{"capped": {"kind": kind, "at": at}}])


def test_nobody_fishes_harder_than_the_authority_allows(recorded: Recorded) -> None:
    assert recorded(village()).answers("effort")[0].max() > 0.9
    assert max(effort.max() for effort in recorded(capped(at=0.3)).answers("effort")) == 0.3


def test_whoever_wishes_for_less_is_left_alone(recorded: Recorded) -> None:
    free, bound = (recorded(game).answers("effort")[0] for game in (village(), capped(at=0.3)))
    modest = free < 0.3
    assert modest.any()
    assert (free[modest] == bound[modest]).all()


def test_a_cap_above_every_answer_leaves_all_answers_as_they_are(recorded: Recorded) -> None:
    free, bound = (recorded(game).answers("effort") for game in (village(), capped(at=1)))
    assert all((before == after).all() for before, after in zip(free, bound, strict=True))


def test_the_bound_is_on_the_record_and_replay_keeps_to_it(recorded: Recorded) -> None:
    played = recorded(capped(at=0.3))
    assert {step.form for step in played.steps if step.kind == "effort"} == {"amount 0..0.3"}
    again = capped(at=0.3)
    again.answerer = Tape(played.steps)
    assert again.play().digest == played.outcome.digest


def test_a_cap_can_bound_what_may_be_proposed(recorded: Recorded) -> None:
    """The villagers believe in 2 to 8 fish; no proposal above 3 reaches the vote."""
    proposals = recorded(capped(kind="propose", at=3)).answers("propose")
    assert max(proposal.max() for proposal in proposals) == 3


@pytest.mark.parametrize(
    ("kind", "at", "words"),
    [
        ("efort", 0.5, "never asked 'efort', so nothing was capped; did you mean 'effort'?"),
        ("punish", 0.5, "'punish' asks for peer on monitor; only an amount can be capped"),
        ("effort", -1, "at=-1 is below the least legal answer to 'effort', 0; raise it"),
    ],
)
def test_a_cap_that_fits_no_question_is_refused(kind: str, at: float, words: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        capped(kind, at).play()
    assert words in str(refused.value)
