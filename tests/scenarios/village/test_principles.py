"""Ostrom's principles around a village: what each one does, by hand, and what all of them keep."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.village.grievance import Grievance
from society.config.build import build
from society.config.run_config import load_config
from society.engine.component import AgentGroup, Component, Question
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import wrap_scenario
from society.errors import ScenarioError
from society.scenarios.mechanisms.all_mechanisms import (
    conflict_resolution,
    fitted_rules,
    graduated_sanctions,
    monitoring,
    nested_villages,
    outside_authority,
)
from society.scenarios.village.fishing_village import fishing_village
from society.scenarios.village.principles import village_lines
from society.scenarios.village.principles.village_lines import INSIDE_OUT
from tests.every_question import listen
from tests.scenarios.village.conftest import Puppet

if TYPE_CHECKING:
    from society.engine.scenario import MechanismSpec
    from tests.conftest import Play, Played, Recorded

# K = 100, alpha = 0.1, c = 2, P0 = 20, beta = 4: sums that one can do by hand.
TINY = {
    "capacity": 100,
    "catchability": 0.1,
    "consumption": 2,
    "wealth": 20,
    "growth": 0.5,
    "fine": 4,
    "effort_rule": "trait",
}


class Doll(Puppet):
    """A puppet that also says whether it looks and whether it appeals, and does not vote."""

    answers = ("effort", "watch", "inspect", "punish", "appeal", "imitate", "propose")


@dataclass(frozen=True)
class Obedient(Component):
    """Lands exactly what the cap allows."""

    answers = ("effort",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return ask.facts["cap"] / ask.facts["full_catch"]


def dolls(
    play: Play,
    agents: int,
    *layers: tuple[MechanismSpec, dict[str, Any]],
    rounds: int = 1,
    **said: Any,
) -> Played:
    """Play a tiny village of dolls under mechanisms, from the inside."""
    village = fishing_village
    for spec, given in layers:
        village = wrap_scenario(village, spec, **given)
    params = {**TINY, **{name: said.pop(name) for name in list(said) if name in TINY}}
    return play(village, Doll(said), agents=agents, rounds=rounds, params=params)


def usual(recorded: Recorded, *mechanisms: Any, agents: int = 10, **parameters: Any) -> Played:
    """Play the usual villagers under mechanisms."""
    changes = {"mechanisms": list(mechanisms), "parameters": parameters, "agents": agents}
    changes |= {"rounds": 12, "replicates": 8, "seed": 5}
    return recorded(build(load_config("fishing_village", changes)).gamemaster())


def same(one: Played, other: Played, *names: str) -> bool:
    """Tell whether two runs told the same of some facts."""
    pairs = (zip(one.told(name), other.told(name), strict=True) for name in names)
    return all(np.array_equal(*both) for each in pairs for both in each)


# Boundaries


def test_who_may_not_fish_takes_nothing_and_is_asked_nothing(recorded: Recorded) -> None:
    over = usual(recorded, {"boundaries": {"members": 6}})
    belongs = over.told("member")[0]
    assert belongs.sum(1).tolist() == [6] * 8
    assert all((catch[~belongs] == 0).all() for catch in over.told("catch"))
    assert all((effort[~belongs] == 0).all() for effort in over.answers("effort"))
    assert not any(wealth[~belongs].any() for wealth in (w - 30 for w in over.told("wealth")))


def test_strangers_have_no_seat_of_their_own(recorded: Recorded) -> None:
    belongs = usual(recorded, {"boundaries": {"members": 6}}).told("member")[0]
    assert len(np.unique(belongs, axis=0)) > 1  # chance draws them, in each village anew


def test_boundaries_that_let_everybody_in_change_nothing(recorded: Recorded) -> None:
    wide = usual(recorded, {"boundaries": {"members": 10}})
    assert same(wide, usual(recorded), "effort", "catch", "wealth", "cap")


def test_more_members_than_villagers_are_refused() -> None:
    with pytest.raises(ScenarioError, match="members is 11, and 10 agents are at the lake"):
        build(load_config("fishing_village", {"mechanisms": [{"boundaries": {"members": 11}}]}))


# Rules fitted to the place


def test_a_village_that_keeps_to_the_fitted_rule_takes_the_maximum_yield_for_good(
    play: Play,
) -> None:
    """r = .6, K = 300: S tends to K (1 + r / 2) / 2 = 195, of which r K / 4 = 45 are taken."""
    village = wrap_scenario(fishing_village, fitted_rules)
    over = play(
        village,
        Obedient(),
        Doll({}),
        agents=10,
        rounds=100,
        params={"capacity": 300, "growth": 0.6},
    )
    assert over.told("stock")[-1].item() == pytest.approx(195, abs=1e-6)
    assert over.told("catch")[-1].sum() == pytest.approx(45, abs=1e-6)
    assert over.told("limit")[-1].item() == pytest.approx(4.5, abs=1e-7)


def test_of_two_caps_the_lower_one_holds(play: Play) -> None:
    """Of 100 fish .5 / 2.5 = a fifth may be taken: 10 each; two fish a day were voted for."""
    for proposed, limit in ((99, 10), (2, 2)):
        over = dolls(play, 2, (fitted_rules, {}), propose=proposed)
        assert over.told("limit")[0].item() == limit


# Monitoring


def test_only_who_looks_can_fine_and_pays_for_it(play: Play) -> None:
    """All would fine seat 0; seat 1 looks, and seat 2 does not. A look costs half a fish."""
    over = dolls(
        play,
        3,
        (monitoring, {"cost": 0.5}),
        effort=[1, 0, 0],
        inspect=["no", "yes", "no"],
        punish=[NOBODY, 0, 0],
        propose=1,
    )
    assert over.answers("punish")[0].tolist() == [[NOBODY, 0, NOBODY]]
    assert over.told("wealth")[0].tolist() == [[20 + 10 - 2 - 4, 20 - 2 - 0.5, 20 - 2]]
    assert over.outcome.measures["monitoring"].mean == pytest.approx(1 / 3)


def test_a_look_costs_the_same_whatever_it_finds_and_is_paid_once(play: Play) -> None:
    over = dolls(play, 2, (monitoring, {"cost": 0.5}), rounds=3, inspect=["yes", "no"])
    assert [wealth.tolist() for wealth in over.told("wealth")] == [
        [[17.5, 18]],
        [[15, 16]],
        [[12.5, 14]],
    ]


def test_mistakes_hit_others_and_leave_the_number_of_fines_as_it_is(play: Play) -> None:
    """Seat 1 always means seat 0, and errs: its fine hits seat 0 or another than itself."""
    over = dolls(
        play,
        4,
        (monitoring, {"cost": 0, "error": 1}),
        rounds=20,
        wealth=200,
        inspect="yes",
        punish=[NOBODY, 0, NOBODY, NOBODY],
    )
    fined = np.concatenate(over.told("fined")[::2])
    assert (fined.sum(1) == 1).all()
    assert not fined[:, 1].any()
    assert set(fined.argmax(1).tolist()) == {0, 2, 3}


def test_villagers_who_look_fine_as_they_did_before(recorded: Recorded) -> None:
    """Where looking is free and never errs, as many fines are given as without the choice."""
    free = usual(recorded, {"monitoring": {"cost": 0}}).outcome.measures
    assert free["fines"].mean == pytest.approx(
        usual(recorded).outcome.measures["fines"].mean, abs=0.02
    )


# Graduated sanctions


def test_fines_rise_from_offence_to_offence_and_are_burnt(play: Play) -> None:
    """A quarter, a half, once and twice the usual fine of 4, and no more: 1, 2, 4, 8, 8."""
    over = dolls(
        play, 2, (graduated_sanctions, {}), rounds=5, wealth=100, punish=[NOBODY, 0], propose=9
    )
    wealth = np.concatenate([[[100.0, 100.0]], *over.told("wealth")])
    assert (-np.diff(wealth[:, 0]) - 2).tolist() == [1, 2, 4, 8, 8]
    assert np.diff(wealth[:, 1]).tolist() == [-2] * 5


def test_a_graduated_fine_is_expected_at_its_height(recorded: Recorded) -> None:
    """First offenders expect a quarter, so that the flat fine deters more of them."""
    first = {"first": 1, "factor": 1, "most": 1}
    flat = usual(recorded, {"graduated_sanctions": first})
    assert same(flat, usual(recorded), "effort", "catch", "wealth")
    mild = usual(recorded, {"graduated_sanctions": {}})
    assert mild.told("catch")[0].sum() > flat.told("catch")[0].sum()


# Conflict resolution


@pytest.mark.parametrize(("accuracy", "lifted"), [(1, [False, True]), (0, [True, False])])
def test_an_arbiter_lifts_fines_from_whom_it_finds_within_the_cap(
    play: Play, accuracy: float, lifted: list[bool]
) -> None:
    """The cap is 6; seat 0 landed 10 and seat 1 landed 5. Both are fined and appeal, for 1 fish."""
    over = dolls(
        play,
        2,
        (conflict_resolution, {"cost": 1, "accuracy": accuracy}),
        effort=[1, 0.5],
        punish=[1, 0],
        appeal="yes",
        propose=6,
    )
    assert over.told("lifted")[0].tolist() == [lifted]
    fines = np.where(lifted, 0, 4)
    assert over.told("wealth")[0].tolist() == [(20 + np.array([10, 5]) - 2 - 1 - fines).tolist()]


def test_who_does_not_appeal_pays_the_fine_and_no_cost(play: Play) -> None:
    over = dolls(
        play,
        2,
        (conflict_resolution, {"cost": 1}),
        effort=[1, 0.5],
        punish=[1, 0],
        appeal="no",
        propose=6,
    )
    assert over.told("wealth")[0].tolist() == [[20 + 10 - 2 - 4, 20 + 5 - 2 - 4]]


def test_by_rule_only_the_innocent_appeal_and_only_mistakes_are_lifted(
    recorded: Recorded,
) -> None:
    over = usual(recorded, "conflict_resolution", {"monitoring": {"error": 0.5}})
    appeals, lifted = np.array(over.told("appeals")), np.array(over.told("lifted"))
    assert appeals.sum() > 10
    assert (appeals == lifted).all()


def test_grievance_weighs_the_own_catch_against_the_cap(play: Play) -> None:
    village = wrap_scenario(fishing_village, conflict_resolution)
    doll = Doll({"effort": [1, 0.5], "punish": [1, 0], "propose": 6})
    over = play(village, Grievance(), doll, agents=2, rounds=1, params=TINY)
    assert over.told("appeals")[0].tolist() == [[False, True]]


# An outside authority


def test_an_authority_that_overrules_everything_leaves_a_village_without_fines(
    recorded: Recorded,
) -> None:
    ruled = usual(recorded, {"outside_authority": {"overrules": 1}})
    unfined = usual(recorded, punish_until=0)
    assert same(ruled, unfined, "catch", "wealth", "stock")


def test_an_authority_that_never_overrules_changes_nothing(recorded: Recorded) -> None:
    free = usual(recorded, {"outside_authority": {"overrules": 0, "cap": 3}})
    assert same(free, usual(recorded), "catch", "wealth", "stock", "limit")


def test_the_cap_of_the_authority_stands_in_place_of_the_villages(play: Play) -> None:
    over = dolls(play, 2, (outside_authority, {"cap": 3}), propose=6)
    assert over.told("limit")[0].item() == 3
    assert over.told("cap")[0].item() == 6  # which is voted for all the same


# Nested levels


def test_each_village_has_the_median_of_its_own_proposals(play: Play) -> None:
    """Seats 0 and 1 propose 2 and 4, seats 2 and 3 propose 8 and 9: caps 3, 8.5, and 6 in all."""
    over = dolls(play, 4, (nested_villages, {}), propose=[2, 4, 8, 9])
    assert over.told("village")[0].tolist() == [[1, 1, 2, 2]]
    assert over.told("home_cap")[0].tolist() == [[3, 3, 8.5, 8.5]]
    ask = next(step for step in over.steps if step.kind == "effort")
    assert ask.arrays["own", "cap"].tolist() == [[3, 3, 6, 6]]


def test_nobody_fines_villagers_of_another_village(recorded: Recorded) -> None:
    over = usual(recorded, {"nested_villages": {"villages": 2}})
    home = over.told("village")[0]
    for victim in over.answers("punish"):
        replicate, seat = np.nonzero(victim != NOBODY)
        assert (home[replicate, seat] == home[replicate, victim[replicate, seat]]).all()


def test_villages_have_two_villagers_at_least() -> None:
    with pytest.raises(ScenarioError, match="10 agents do not make 6 villages of two and more"):
        build(
            load_config("fishing_village", {"mechanisms": [{"nested_villages": {"villages": 6}}]})
        )


# All of them


def test_fines_that_are_burnt_and_costs_are_all_that_leaves_the_village(
    recorded: Recorded,
) -> None:
    """Catch - consumption - looks - appeals - graduated fines is what wealth changes by, in sum."""
    over = usual(
        recorded,
        "conflict_resolution",
        {"monitoring": {"cost": 0.2, "error": 0.3}},
        {"graduated_sanctions": {"first": 0.5, "factor": 1, "most": 1}},
        wealth=500,
    )
    wealth = np.array([np.full((8, 10), 500.0), *over.told("wealth")])
    fined, looks, appeals = (np.array(over.told(name)) for name in ("fined", "looks", "appeals"))
    spent = 2.5 + 0.2 * looks + 0.5 * appeals + 5 * fined[1::2]
    assert np.diff(wealth, axis=0) == pytest.approx(np.array(over.told("catch")) - spent)


@pytest.mark.parametrize("outer", range(1, len(INSIDE_OUT)))
def test_principles_stand_in_an_order(outer: int) -> None:
    given = {"boundaries": {"members": 5}}
    names = [INSIDE_OUT[outer], INSIDE_OUT[outer - 1]]
    layers = [{name: given.get(name, {})} for name in names]
    words = rf"{names[1]}: it has to stand within {names[0]}; name {names[1]} before it"
    with pytest.raises(ScenarioError, match=words):
        build(load_config("fishing_village", {"mechanisms": layers}))


def test_a_principle_is_named_once() -> None:
    with pytest.raises(ScenarioError, match="stands around this village already; name it once"):
        build(load_config("fishing_village", {"mechanisms": ["fitted_rules", "fitted_rules"]}))


def test_a_principle_around_another_play_is_refused() -> None:
    words = "this play asks 'move' and tells 'played'; take fishing_village or language_village"
    with pytest.raises(ScenarioError, match=words):
        build(load_config("public_goods", {"mechanisms": ["fitted_rules"]}))


def test_each_principle_is_a_file_of_at_most_sixty_lines() -> None:
    """The lines that they share stand in village_lines; nested levels keep their rules apart."""
    folder = Path(village_lines.__file__).parent
    lengths = {
        file.stem: len(file.read_text(encoding="utf-8").splitlines())
        for file in folder.glob("*.py")
        if file.stem != "village_lines"
    }
    assert {*INSIDE_OUT, "home_rules"} <= lengths.keys()
    assert {name: length for name, length in lengths.items() if length > 60} == {}


def asked_under(principle: str, kind: str) -> list[str]:
    """What villagers of two days read of a question, under one principle alone."""
    given: dict[str, Any] = {"mechanisms": [principle], "rounds": 2, "agents": 4}
    return [one.words for one in listen("village", **given) if one.kind == kind]


def test_a_question_about_fines_names_no_fixed_fine_where_fines_rise() -> None:
    for words in asked_under("graduated_sanctions", "punish"):
        assert "the first fine of a villager is 2.5 fish" in words
        assert "a fine takes from its payoff what the rule on fines says" in words
        assert "takes 10 fish" not in words


def test_a_vote_at_home_tells_the_village_its_rule_and_the_policy_of_all() -> None:
    votes = asked_under("nested_villages", "vote")
    at_home = [words for words in votes if "This vote is on the rule of your own village" in words]
    assert len(at_home) == 8
    assert all("Policy of all villages: «" in words for words in at_home)
    assert all("You live in village " in words for words in at_home)
    assert sum("Your own village has no rule of its own yet." in words for words in at_home) == 4
    assert not any("Policy so far" in words for words in at_home)
