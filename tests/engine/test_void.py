"""An answer that cannot be read may end its replicate, which then counts in no measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.action_spaces import Real
from society.engine.component import Agent, Component, Inquiry
from society.engine.environment import Environment
from society.engine.scenario import Folded, Measure
from society.engine.script import UNREAD, VOID_REPLICATE, Ask, Script, Tell, own
from society.engine.tape import Tape
from society.errors import Unparsed

if TYPE_CHECKING:
    from tests.conftest import Play, Played


class Stubborn(Component):
    """Bids 5; seat 1 of replicate 1 cannot be understood from the second question on."""

    answers = ("bid",)

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        if (agent.replicate, agent.seat) == (1, 1) and agent.moment > 1:
            raise Unparsed("mumble")
        return 5


def auction(env: Environment) -> Script:
    """A bid in each round, and what was bid."""
    for _ in env.rounds():
        bid = yield Ask("bid", Real(0, 9), fallback=VOID_REPLICATE)
        yield Tell("sold", {"bid": own(bid)})


SOLD = Measure("bid", "coins", lambda told, env: told["bid"].mean(1), "sum")


@pytest.fixture(scope="module")
def over(play: Play) -> Played:
    played: Played = play(auction, Stubborn(), replicates=3, rounds=3, measures=(SOLD,))
    return played


def test_the_replicate_is_over_and_the_others_go_on(over: Played) -> None:
    assert over.outcome.ends == {"": 2, UNREAD: 1}
    assert [page.running[:, 0].tolist() for page in over.pages[1:]] == [
        [True, True, True],
        [True, False, True],
        [True, False, True],
    ]


def test_nobody_in_it_has_answered_and_nobody_is_asked_again(over: Played) -> None:
    first, second, third = over.answers("bid")
    assert first.tolist() == [[5, 5, 5]] * 3
    assert second.tolist() == third.tolist() == [[5, 5, 5], [0, 0, 0], [5, 5, 5]]
    (entry,) = over.outcome.ledger
    assert (entry.unasked, entry.fallbacks) == (9 + 9 + 6, 1)


def test_it_counts_in_no_measure_not_even_with_its_earlier_rounds(over: Played) -> None:
    assert over.outcome.values["bid"].tolist() == pytest.approx([15, np.nan, 15], nan_ok=True)
    assert (over.outcome.measures["bid"].mean, over.outcome.measures["bid"].n) == (15, 2)


def test_its_record_plays_the_same_without_agents(play: Play, over: Played) -> None:
    again = play(
        auction, replicates=3, rounds=3, measures=(SOLD,), answerer=Tape(over.steps)
    ).outcome
    assert (again.digest, again.ends) == (over.outcome.digest, over.outcome.ends)


def test_what_is_struck_counts_as_not_measured() -> None:
    folded = Folded("sum", "coins", 3)
    folded.add(1, np.array([1.0, 2.0, 3.0]))
    folded.strike(np.array([False, True, False]))
    assert folded.values().tolist() == pytest.approx([1, np.nan, 3], nan_ok=True)
    waiting = Folded("first", "round", 2)
    waiting.add(1, np.zeros(2))
    waiting.strike(np.array([True, False]))
    assert waiting.values().tolist() == pytest.approx([np.nan, 1], nan_ok=True)
    assert waiting.censored().tolist() == [False, True]
