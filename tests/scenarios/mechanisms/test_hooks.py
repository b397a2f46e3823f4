"""Mechanisms as classes: on_move, on_payoff and begin."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config import registry
from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Real
from society.engine.environment import Environment
from society.engine.mechanism import Play
from society.engine.rng import Array
from society.engine.scenario import MechanismSpec, mechanism, wrap_scenario
from society.engine.script import Ask, Tell
from society.errors import InputError, ScenarioError
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.repetition.repetition import repetition
from society.scenarios.village.fishing_village import fishing_village

if TYPE_CHECKING:
    from tests.scenarios.conftest import Puppets

GUIDE = Path(__file__).parents[3] / "docs" / "writing-mechanisms.md"
UNTAXED = {
    "donor_game": "takes no payments",
    **dict.fromkeys(
        (
            *("collective_labour", "haggling", "irrigation_election", "marketplace"),
            "cultural_evolution",
            "norm_coding",
            "persona_writing",
            "program_tournament",
            "pub_coordination",
            "self_play",
            "strategy_writing",
            "village_meeting",
        ),
        "declares no move",
    ),
}


@dataclass(frozen=True)
class Bonus:
    """Everybody gets a bonus."""

    points: float = 1.0

    def on_payoff(self, tell: Tell, payoff: Array) -> Array:
        return np.full_like(payoff, self.points)


class HalfEffort:
    """Nobody can do more than half of what it could."""

    def on_move(self, ask: Ask) -> Ask:
        assert isinstance(ask.reply, Real)
        return replace(ask, reply=replace(ask.reply, high=ask.reply.high / 2))


@dataclass(frozen=True)
class Growing:
    """The first game pays a point more than it would, the next one two, and so on."""

    most: int = 9

    def begin(self, env: Environment, play: Play) -> Grown:
        if env.agents > self.most:
            raise ScenarioError(f"growing: {env.agents} agents are too many")
        return Grown()


class Grown:
    """Counts the games of one run."""

    games = 0

    def on_payoff(self, tell: Tell, payoff: Array) -> Array:
        self.games += 1
        return np.full_like(payoff, self.games)


# Type checkers take a decorated class for the class that it was.
bonus, growing = mechanism(Bonus), mechanism(Growing)
half_effort = mechanism(HalfEffort, chance_id="gentle")


def test_a_class_may_be_laid_around_a_scenario_without_its_decorator() -> None:
    class Taxed:
        """A tax."""

        rate: float = 0.5

        def on_payoff(self, tell: Tell, payoff: Array) -> Array:
            return -self.rate * payoff

    taxed = wrap_scenario(prisoners_dilemma, Taxed, rate=0.25)
    assert [(layer.name, layer.given) for layer in taxed.layers] == [("taxed", {"rate": 0.25})]


def test_a_class_is_a_mechanism_of_its_name_with_fields_as_parameters() -> None:
    assert isinstance(half_effort, MechanismSpec)
    assert (half_effort.name, half_effort.chance_id) == ("half_effort", "gentle")
    assert (bonus.name, bonus.chance_id, bonus.summary) == (
        "bonus",
        "bonus",
        "Everybody gets a bonus.",
    )
    assert bonus.parameters.model_fields["points"].default == 1.0


def test_what_is_added_to_payoffs_is_told_and_adds_up(puppets: Puppets) -> None:
    once = wrap_scenario(prisoners_dilemma, bonus, points=2)
    twice = wrap_scenario(once, bonus)
    assert puppets(once, ["0", "1"]).told("payoff")[0].tolist() == [[2, 5]]
    assert puppets(twice, ["0", "1"]).told("payoff")[0].tolist() == [[3, 6]]


def test_a_village_adds_it_to_what_its_people_own() -> None:
    bare = {"parameters": {"social_learning": False}, "rounds": 2, "agents": 3}
    paid = {"mechanisms": [{"bonus": {"points": 3.0}}], **bare}

    def wealth(said: dict[str, Any]) -> list[float]:
        game = build(load_config("fishing_village", said), [bonus]).gamemaster([kept := Kept()])
        game.play()
        return [values.mean() for values in kept.wealth]

    richer = np.array(wealth(paid)) - np.array(wealth(bare))
    np.testing.assert_allclose(richer, [3, 6])


class Kept:
    """A recorder that keeps what everybody owned."""

    def __init__(self) -> None:
        self.wealth: list[Array] = []

    def page(self, page: Any) -> None:
        told = [step.arrays for step in page.steps if step.kind == "paid"]
        self.wealth += [arrays["seen monitor", "wealth"] for arrays in told]


def test_the_question_for_a_move_may_be_another_one() -> None:
    env = build(load_config("fishing_village", {"rounds": 1})).gamemaster().env
    script = half_effort(fishing_village.play)(env)
    asked, line = [], next(script)
    for _ in range(4):
        asked.append(line)
        line = script.send(np.zeros(env.present.shape) if isinstance(line, Ask) else None)
    (effort,) = [one for one in asked if isinstance(one, Ask) and one.kind == "effort"]
    assert isinstance(effort.reply, Real)
    assert effort.reply.high == 0.5


def test_what_it_keeps_of_a_run_begins_with_the_run(puppets: Puppets) -> None:
    outside = wrap_scenario(wrap_scenario(prisoners_dilemma, repetition, games=3), growing)
    inside = wrap_scenario(wrap_scenario(prisoners_dilemma, growing), repetition, games=3)
    for scenario, more in ((outside, [1, 2, 3]), (inside, [1, 1, 1])):
        payoff = puppets(scenario, ["000", "000"]).told("payoff")
        assert [one[0, 0] - 2 for one in payoff] == more


def test_it_can_refuse_a_play_before_anything_is_asked() -> None:
    with pytest.raises(InputError, match="growing: 2 agents are too many"):
        build(load_config("trust", {"mechanisms": [{"growing": {"most": 1}}]}), [growing])


def test_a_class_without_hooks_is_refused() -> None:
    class Idle:
        """Nothing."""

    with pytest.raises(ScenarioError, match=r"idle: the class changes nothing; give it on_move"):
        mechanism(Idle)(prisoners_dilemma.play)


def test_the_mechanism_of_the_guide_stands_around_all_scenarios_or_is_refused(
    tmp_path: Path,
) -> None:
    (block,) = re.findall(r"^```python\n(# taxed\.py\n.*?)^```$", GUIDE.read_text(), re.M | re.S)
    (tmp_path / "taxed.py").write_text(block)
    said = {"uses": [str(tmp_path / "taxed.py")], "mechanisms": [{"taxed": {}}], "rounds": 1}
    for name in registry.scenarios():
        if name in UNTAXED:
            with pytest.raises(InputError, match=f"taxed: .*{UNTAXED[name]}"):
                build(load_config(name, said))
        else:
            build(load_config(name, said)).gamemaster().play()


FORMERLY = """
import functools

from society.scenario import Additions, brings
from society.talk import Tell
from society.wrap import declared_by, mechanism, overhear, topped_up


@brings(Additions(levels=("year",)))
@mechanism
def bonus(play, *, points: float = 1.0):
    @functools.wraps(play)
    def paid(env):
        declared = declared_by(play, "bonus")

        def line(said):
            if not isinstance(said, Tell) or said.kind != declared.told:
                return said
            return topped_up(said, declared, said.facts[declared.payoff].values * 0 + points)

        return overhear(play(env), line=line)

    return paid
"""


def test_a_file_that_was_written_for_former_names_still_works(tmp_path: Path) -> None:
    (tmp_path / "bonus.py").write_text(FORMERLY)
    repeats = {"repetition": {"games": 2}}
    said = {"uses": [str(tmp_path / "bonus.py")], "mechanisms": [{"bonus": {"points": 2}}, repeats]}
    setup = build(load_config("trust", said))
    assert setup.scenario.display.levels == ("game", "year", "round")
    now = [{"bonus": {"points": 2}}, repeats]
    same = build(load_config("trust", {"mechanisms": now}), [bonus]).gamemaster().play()
    assert setup.gamemaster().play().measures["payoff"] == same.measures["payoff"]
