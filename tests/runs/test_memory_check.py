"""A society of rules that does not fit into memory is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.errors import InputError
from society.runs import memory_check
from society.runs.memory_check import memory_of_replicate, refuse_too_large
from society.runs.play import play


def village(replicates: int, scenario: str = "fishing_village") -> Society:
    return build(load_config(scenario, {"replicates": replicates, "agents": 50}))


def test_a_replicate_of_fifty_villagers_takes_some_ten_thousand_bytes() -> None:
    assert 5_000 < memory_of_replicate(village(1_000)) < 200_000


def test_it_is_said_how_many_replicates_fit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory_check, "memory_of_replicate", lambda setup: 40_000.0)
    monkeypatch.setattr(memory_check, "available_memory", lambda: 2_000_000_000)
    words = (
        r"100,000 replicates of 50 agents need about 4\.0 GB of memory, and 2\.0 are free; about "
        "50,000 replicates fit: take no more than that, or play several runs with other seeds"
    )
    with pytest.raises(InputError, match=words):
        play(village(100_000), tmp_path / "a.run")
    assert list(tmp_path.iterdir()) == []
    refuse_too_large(village(50_000))


def test_small_societies_and_those_that_ask_models_are_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory_check, "available_memory", lambda: 1)
    monkeypatch.setattr(memory_check, "memory_of_replicate", lambda setup: 1e9)
    refuse_too_large(village(1_000))
    refuse_too_large(village(100_000, "language_village"))
