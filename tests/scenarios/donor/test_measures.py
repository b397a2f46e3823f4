"""What a society of donors ends with, as its afterword tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.history import Page
from society.engine.rng import Array
from society.runs.reader import open_run_file
from society.runs.session import Session

Told = Callable[..., tuple[Mapping[str, Array], list[Page]]]
EVOLVING = {"generations": {"count": 4, "fitness": "final", "phenotype": "share"}}


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """Findings of a run by name, and its pages."""

    def played(**said: Any) -> tuple[Mapping[str, Array], list[Page]]:
        setup = build(load_config("donor_game", {"rounds": 4, "replicates": 3, **said}))
        session = Session.begun(setup, tmp_path / "a.run", "full")
        end = session.play()
        session.conclude()
        session.close(end)
        with open_run_file(tmp_path / "a.run") as run:
            return {one.name: one.values for one in run.findings() or ()}, list(run.pages())

    return played


def test_shares_are_those_of_the_last_generation(told: Told) -> None:
    """Counted anew from the public column; policies that nobody ever had are left out."""
    found, pages = told(mechanisms=[EVOLVING])
    last = pages[-1].public["policy"]
    assert found["policy_free_rider"].tolist() == (last == 5).mean(1).tolist()
    assert sum(found.values()) == pytest.approx(np.ones(3))
    assert all(name.startswith("policy_") for name in found)


def test_seats_without_the_trait_do_not_count(told: Told) -> None:
    """Six have a policy, six a norm; the zeros of the others are no policy."""
    cohorts = [
        {"name": "one", "count": 6, "components": [{"donation": {"policy": "random"}}]},
        {"name": "other", "count": 6, "components": [{"opinions": {"norm": "L8"}}]},
    ]
    found, _ = told(cohorts=cohorts)
    assert {name: values.tolist() for name, values in found.items()} == {
        "policy_random": [1, 1, 1],
        "norm_L8": [1, 1, 1],
    }


def test_words_of_strategies_are_counted_in_the_first_and_last_generation(told: Told) -> None:
    """Rules devise a sentence each; free riders one of seven words."""
    riders = {"name": "rider", "count": 12, "components": [{"donation": {"policy": "free_rider"}}]}
    devising = {"generations": {**EVOLVING["generations"], "count": 1, "strategies": "advice"}}
    found, _ = told(cohorts=[riders], mechanisms=[devising])
    assert found["strategy_words"].tolist() == found["first_strategy_words"].tolist() == [7, 7, 7]
