"""An array with one axis is never spread over two, wherever an author gives one.

There are as many replicates as agents, so that numpy would take (3,) for either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.action_spaces import Choice, MixedStrategy, Real
from society.engine.arrays import WrongShape, fits, spread_exactly, spread_fallback
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.environment import Environment
from society.engine.mechanism import Declared, add_extra_payoff, as_play, hook_play
from society.engine.scenario import Finding, Measure
from society.engine.script import Ask, Inherit, Line, Script, Tell, common, own, seen
from society.errors import ArgumentError, InputError, PartError, ScenarioError
from society.runs.conclusions import _check_finding

if TYPE_CHECKING:
    from tests.conftest import Play

THREE, WIDE = np.ones(3), np.ones((3, 3))
WHOLE = np.zeros(3, np.int64)
ONE_AXIS = r"shape \(3,\)"
EACH_PAYS = Declared(move="bid", told="paid")


class Bidder(Component):
    answers = ("bid",)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return np.zeros(len(agents), np.int64)


LINES: dict[str, Callable[[], Line]] = {
    "own": lambda: Tell("told", {"x": own(THREE)}),
    "common": lambda: Tell("told", {"x": common(THREE)}),
    "seen": lambda: Tell("told", {"x": seen("all", THREE)}),
    "several values": lambda: Tell("told", {"x": own(np.ones((3, 2)))}),
    "a fact of a question": lambda: Ask("bid", Real(), {"x": own(THREE)}),
    "who": lambda: Ask("bid", Real(), who=THREE > 0),
    "low": lambda: Ask("bid", Real(-THREE, 1)),
    "high": lambda: Ask("bid", Real(0, THREE)),
    "gone": lambda: Tell("told", gone=THREE > 0),
    "back": lambda: Tell("told", back=THREE > 0),
    "ends": lambda: Tell("told", ends=THREE > 0),
    "joins": lambda: Tell("told", joins={"all": WHOLE}),
    "cuts": lambda: Tell("told", cuts={"all": WHOLE}),
    "parents": lambda: Inherit("born", WHOLE, ()),
    "newborn": lambda: Inherit("born", np.zeros((3, 3), np.int64), (), newborn=THREE > 0),
}


@pytest.mark.parametrize("entry", LINES)
def test_a_line_of_a_script_has_both_axes(play: Play, entry: str) -> None:
    def script(env: Environment) -> Script:
        for _ in env.rounds():
            yield LINES[entry]()

    with pytest.raises(PartError, match=r"shape \(3,( 2)?\) .* was expected"):
        play(script, Bidder(), replicates=3)


def test_options_have_a_row_for_each_replicate() -> None:
    with pytest.raises(ArgumentError, match=r"options has shape \(3,\); expected \(R, K\)"):
        Choice(options=THREE)


def test_options_have_as_many_rows_as_there_are_replicates(play: Play) -> None:
    def script(env: Environment) -> Script:
        yield Ask("bid", Choice(options=np.ones((2, 2))))

    with pytest.raises(PartError, match=r"shape \(2, 2\) where \(3, 2\) was expected"):
        play(script, Bidder(), replicates=3)


def test_a_fallback_is_one_answer_or_one_for_each_agent() -> None:
    with pytest.raises(WrongShape, match=rf"fallback is {ONE_AXIS} where \(3, 3\)"):
        spread_fallback(THREE, "", Real(), (3, 3))
    mix = MixedStrategy("left", "middle", "right")
    assert spread_fallback(THREE / 3, "", mix, (3, 3)).shape == (9, 3)  # one mix for all
    assert spread_fallback(THREE[:, None], "", Real(), (3, 3)).tolist() == [1.0] * 9


@pytest.mark.parametrize("values", [THREE, np.ones((1, 3)), 1.0])
def test_a_measure_has_a_number_for_each_replicate(play: Play, values: Any) -> None:
    def script(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("told", {"x": common(1)})

    measure = Measure("m", "", lambda told, env: values)
    if np.shape(values) == (3,):  # one for each replicate: here a single axis says which it is
        played = play(script, replicates=3, measures=(measure,))
        assert played.outcome.values["m"].tolist() == [1, 1, 1]
    else:
        with pytest.raises(InputError, match=r"expected \(3,\) or \(3, 1\)"):
            play(script, replicates=3, measures=(measure,))


@pytest.mark.parametrize("shape", [(1,), (1, 3), (3, 3)])
def test_a_finding_has_a_number_for_each_replicate(shape: tuple[int, ...]) -> None:
    with pytest.raises(PartError, match=r"expected \(3,\), a number for each replicate"):
        _check_finding(Finding("f", "", np.ones(shape)), 3)
    assert _check_finding(Finding("f", "", np.ones((3, 1))), 3).values.shape == (3,)


@pytest.mark.parametrize("shape", [(3,), (3, 3, 1), (2, 3)])
def test_an_extra_payoff_has_both_axes(shape: tuple[int, ...]) -> None:
    tell = Tell("paid", {"payoff": own(WIDE)})
    with pytest.raises(ScenarioError, match=r"an extra payoff has shape .* where \(3, 3\)"):
        add_extra_payoff(tell, EACH_PAYS, np.ones(shape))


def test_each_replicate_may_have_one_extra_payoff() -> None:
    told = add_extra_payoff(Tell("paid", {"payoff": own(WIDE)}), EACH_PAYS, 2 * THREE[:, None])
    assert told.facts["payoff"].values.tolist() == [[3.0] * 3] * 3


class Subsidy:
    """Adds what it was made with."""

    def __init__(self, added: Any) -> None:
        self.added = added

    def on_payoff(self, tell: Tell, payoff: Any) -> Any:
        return self.added


@pytest.mark.parametrize("shape", [(3,), (1, 1, 3), (3, 2)])
def test_a_mechanism_adds_a_payoff_for_each_agent(play: Play, shape: tuple[int, ...]) -> None:
    def paying(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("paid", {"payoff": own(0.0)})

    inner = replace(as_play(paying), declared=EACH_PAYS)
    with pytest.raises(ScenarioError, match=r"test_shapes.py:\d+: an extra payoff has shape"):
        play(hook_play(Subsidy(np.ones(shape)), inner, "subsidy"), replicates=3)


@pytest.mark.parametrize("answer", [np.zeros((3, 3)), np.zeros(3), np.zeros((9, 1))])
def test_a_component_answers_with_one_value_for_each_member(play: Play, answer: Any) -> None:
    class Odd(Component):
        answers = ("bid",)

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            return answer

    def script(env: Environment) -> Script:
        yield Ask("bid", Real())

    with pytest.raises(PartError, match=r"one per member \(9 members\)"):
        play(script, Odd(), replicates=3)


class Judging(Component):
    """Thinks of its peers, and is told how."""

    columns = (Column("liking", per_peer=True), Column("wealth"))
    notices = ("told",)

    def __init__(self, liking: Any, wealth: Any) -> None:
        self.liking, self.wealth = liking, wealth

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["liking"] = self.liking
        agents["wealth"] = self.wealth


def told_once(env: Environment) -> Script:
    yield Tell("told")


def test_a_column_per_peer_is_not_set_by_one_axis(play: Play) -> None:
    """Of three members in one replicate, who also have three peers."""
    with pytest.raises(PartError, match=r"has an entry per peer, to an array of one axis"):
        play(told_once, Judging(THREE, 0))
    assert play(told_once, Judging(THREE[:, None], 0)).game.pages == 1


@pytest.mark.parametrize("wealth", [np.ones(2), WIDE])
def test_a_column_is_set_by_one_value_for_each_member(play: Play, wealth: Any) -> None:
    with pytest.raises(PartError, match="sets column 'wealth' of float64 for 3 members"):
        play(told_once, Judging(0, wealth))


def test_bounds_of_draws_have_both_axes(play: Play) -> None:
    drawn = {}

    def script(env: Environment) -> Script:
        draws = env.draws("rain")
        drawn["whole"] = draws.integers("days", np.full((3, 1), 5)).shape
        with pytest.raises(ArgumentError, match="have a single axis"):
            draws.between("much", 0, THREE)
        with pytest.raises(ArgumentError, match="have a single axis"):
            draws.integers("days", WHOLE)
        yield Tell("told")

    play(script, replicates=3)
    assert drawn == {"whole": (3, 3)}


@pytest.mark.parametrize(
    ("given", "shape", "fitting"),
    [
        ((), (3, 3), True),
        ((3, 1), (3, 3), True),
        ((1, 3), (3, 3), True),
        ((3,), (3, 3), False),
        ((1,), (3, 1), False),
        ((3, 3, 1), (3, 3), False),
        ((3, 2), (3, 3), False),
    ],
)
def test_an_array_fits_with_all_its_axes(
    given: tuple[int, ...], shape: tuple[int, ...], fitting: bool
) -> None:
    assert fits(given, shape) == fitting
    if fitting:
        assert spread_exactly(np.ones(given), shape).shape == shape
    else:
        with pytest.raises(WrongShape):
            spread_exactly(np.ones(given), shape)
