"""Forks of games, of the donor game and of scenes: what is changed shows in the next round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from society.config.build import build
from society.config.run_config import Setting, load_config
from society.errors import SocietyError
from society.runs.fork import Changes, fork
from society.runs.play import play
from society.runs.runfile import open_run_file

COOPERATE = {"strategy": "always_cooperate"}
TABLE = [[[2, 2], [0, 3]], [[3, 0], [1, 1]]]
RICHER = [[[7, 5], [0, 3]], [[3, 0], [1, 1]]]
HALVES = [
    {"name": name, "count": 2, "components": [{"classic_strategies": {"strategy": name}}]}
    for name in ("always_cooperate", "always_defect")
]
PUNISHED = {"mechanisms": ["peer_punishment", {"repetition": {"games": 4}}], "rounds": 1}


def played(folder: Path, scenario: str, config: dict[str, Any]) -> Path:
    """Play four rounds into a file."""
    path = folder / "a.run"
    play(build(load_config(scenario, {"rounds": 4, **config})), path, conclude=False)
    return path


def forked(parent: Path, at: Any, **values: Any) -> Path:
    """Fork a run with these values of parameters."""
    settings = [Setting(name, value, "here") for name, value in values.items()]
    path = parent.with_name("b.run" if values else "same.run")
    end = fork(parent, at, Changes(settings=settings), path, conclude=False)
    if end.error is not None:
        raise end.error
    return path


def digest(path: Path) -> str:
    with open_run_file(path) as run:
        return run.outcome().digest


def told(path: Path, kind: str, fact: str) -> list[Any]:
    """Values of a fact in each round, of replicate 0."""
    with open_run_file(path) as run:
        return [
            values[0].tolist()
            for page in run.pages()
            for step in page.steps
            if step.kind == kind
            for (_, name), values in step.arrays.items()
            if name == fact
        ]


@pytest.mark.parametrize(
    ("scenario", "config", "at", "values", "before", "after"),
    [
        (
            "normal_form",
            {"parameters": {**COOPERATE, "payoffs": TABLE, "cooperation": [0, 0]}},
            2,
            {"payoffs": RICHER},
            [2, 2],
            [7, 5],
        ),
        ("public_goods", {"parameters": COOPERATE}, 2, {"factor": 2.5}, [1.5] * 3, [2.5] * 3),
        (
            "public_goods",
            {"parameters": COOPERATE, **PUNISHED},
            (2,),
            {"factor": 2.5},
            [1.5] * 3,
            [2.5] * 3,
        ),
        ("collective_risk", {"parameters": COOPERATE}, 2, {"factor": 5}, [2] * 4, [5] * 4),
        ("collective_risk", {"cohorts": HALVES}, 2, {"threshold": 3}, [2, 2, 3, 3], [0, 0, 1, 1]),
        (
            "travellers_dilemma",
            {"cohorts": [{**half, "count": 1} for half in HALVES]},
            2,
            {"bonus": 10},
            [0, 4],
            [-8, 12],
        ),
    ],
    ids=["table", "factor", "within mechanisms", "benefit", "threshold", "bonus"],
)
def test_payoffs_of_a_fork_are_others_from_the_next_round_on(
    tmp_path: Path,
    scenario: str,
    config: dict[str, Any],
    at: Any,
    values: dict[str, Any],
    before: list[float],
    after: list[float],
) -> None:
    parent = played(tmp_path, scenario, config)
    assert told(parent, "played", "payoff") == [before] * 4
    assert told(forked(parent, at, **values), "played", "payoff") == [before] * 2 + [after] * 2
    assert digest(forked(parent, at)) == digest(parent)


def test_players_who_are_given_another_strategy_follow_it(tmp_path: Path) -> None:
    parent = played(tmp_path, "public_goods", {"parameters": COOPERATE})
    child = forked(parent, 2, **{"cohorts.player.parameters.strategy": "always_defect"})
    assert told(child, "played", "action") == [[0] * 3] * 2 + [[1] * 3] * 2


def test_donors_may_punish_and_begin_with_more_from_the_next_game_on(tmp_path: Path) -> None:
    parent = played(tmp_path, "donor_game", {"parameters": {"games": 2}})
    child = forked(parent, (1,), punishment=True, endowment=30)
    assert told(child, "endowed", "resources") == [[10.0] * 12, [30.0] * 12]
    spent = [sum(units) for units in told(child, "donated", "spent")]
    assert spent[:4] == [0, 0, 0, 0]
    assert sum(spent[4:]) > 0


@pytest.mark.parametrize(
    ("scenario", "values", "words"),
    [
        ("normal_form", {"payoffs": [[[1, 1]] * 3] * 2}, "for 2 x 2 actions so far, and cannot be"),
        ("public_goods", {"open_source": True}, "those that may: factor, thinking"),
        ("public_goods", {"players": 6}, "players cannot change while public_goods lives"),
        ("travellers_dilemma", {"highest": 9}, "highest cannot change while travellers_dilemma"),
        ("common_pool", {"capacity": 9}, "its first state depends on it; those that may: thinking"),
        ("collective_risk", {"threshold": 9}, "1 <= threshold <= players"),
    ],
)
def test_what_would_contradict_the_past_is_refused(
    tmp_path: Path, scenario: str, values: dict[str, Any], words: str
) -> None:
    parent = played(tmp_path, scenario, {})
    with pytest.raises(SocietyError) as refused:
        forked(parent, 2, **values)
    assert words in str(refused.value)
    assert not (tmp_path / "b.run").exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("scenario", "values", "kind", "fact"),
    [
        ("pub_coordination", {"bonus": 10, "order": "fixed"}, "enjoyed", "joy"),
        ("collective_labour", {"worth": 3, "needed": 1}, "paid", "wage"),
        ("irrigation_election", {"inflow": 9}, "watered", "water"),
        ("marketplace", {"need": 4}, "counted", "met"),
    ],
)
def test_scenes_go_on_with_other_numbers(
    tmp_path: Path, scenario: str, values: dict[str, Any], kind: str, fact: str
) -> None:
    parent = played(tmp_path, scenario, {"models": {"default": {"model": "offline"}}})
    assert digest(forked(parent, 2)) == digest(parent)
    was, now = (told(one, kind, fact) for one in (parent, forked(parent, 2, **values)))
    assert now[:2] == was[:2]
    assert now[2:] != was[2:]
    most = {"wage": 3, "water": 9}.get(fact)
    if most is not None:
        assert max(max(values) for values in was[2:]) > most
        assert max(max(values) for values in now[2:]) <= most
