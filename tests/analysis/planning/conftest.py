"""A lottery, which is played beside each test's files, and the plan of an experiment."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from society.cli.main import main

# Whoever plays wins the prize, and a share of the pool by luck: uniform in [0, 1).
LOTTERY = """
from society.engine.component import Component
from society.engine.population import Cohort
from society.engine.scenario import Measure, Params, scenario
from society.engine.script import Tell, common

class Stakes(Params):
    prize: float = 0.0
    pool: float = 1.0

@scenario(
    cast=lambda params, agents: [Cohort("players", agents, [Component()])],
    params=Stakes,
    measures=(Measure("won", "coins", lambda told, env: told["won"]),),
    rounds=1,
)
def lottery(env):
    for _ in env.rounds():
        luck = env.draws("lottery", per="replicate").uniform("ticket")
        yield Tell("drawn", {"won": common(env.params.prize + env.params.pool * luck)})
"""

Written = Callable[[str, str], str]
Planning = Callable[[str], dict[str, Any]]


@pytest.fixture
def lottery(written: Written) -> Written:
    """`lottery("a.yaml", text)` writes a file beside lottery.py."""
    written("lottery.py", LOTTERY)
    return written


@pytest.fixture
def plan(lottery: Written, capsys: pytest.CaptureFixture[str]) -> Planning:
    """`plan(text)` is the plan of an experiment file as JSON, beside lottery.py."""

    def planning(text: str) -> dict[str, Any]:
        assert main(["sweep", lottery("plan.yaml", text), "--plan", "--json"]) == 0
        told: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
        return told

    return planning
