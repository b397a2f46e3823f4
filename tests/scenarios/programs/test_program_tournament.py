"""Tournaments of programs: payoffs among defectors and among copies, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.history import InMemoryRecorder

if TYPE_CHECKING:
    from tests.scenarios.programs.conftest import WriteFolder


def test_cooperators_and_defectors_are_paid_as_the_dilemma_says(write_folder: WriteFolder) -> None:
    """n = 4, k = 2: a cooperator has 2 / 4 among defectors, a defector 1; copies have 2 and 1."""
    folder = write_folder(
        {("m", "collective"): ("cooperates",), ("m", "exploitative"): ("defects",)}
    )
    changes = {"agents": 8, "rounds": 1, "parameters": {"folders": [folder]}}
    recorder = InMemoryRecorder()
    build(load_config("program_tournament", changes)).gamemaster([recorder]).play()
    told = {
        name: values[0].tolist()
        for step in recorder.pages[1].steps
        for (_, name), values in step.arrays.items()
    }
    assert told["program"] == [0, 1] * 4
    assert told["among_defectors"] == pytest.approx([0.5, 1.0] * 4)
    assert told["among_copies"] == pytest.approx([2.0, 1.0] * 4)
    assert sum(told["payoff"]) / 8 == pytest.approx(1.5)  # half of all cooperate
