"""Runs from before there were some settings are rebuilt as they were."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xxhash import xxh3_128_hexdigest

from society.config.build import build
from society.config.run_config import load_config
from society.runs.manifest import manifest_of
from society.runs.provenance import config_hash
from society.runs.runfile import open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.runs.conftest import Keep

BEFORE = {"perceive": "prompts", "caps": "on"}


def make_old(path: Path) -> None:
    """Take from a run file the settings that its program would not have known."""
    with closing(sqlite3.connect(path)) as connection:
        said = dict(connection.execute("SELECT key, value FROM manifest"))
        del said["seal"]
        spec, params = json.loads(said["spec"]), json.loads(said["params"])
        del spec["option_order"]
        for name in (*BEFORE, "stock_shown"):
            params.pop(name, None)
            spec["parameters"].pop(name, None)
        said |= {"spec": json.dumps(spec), "params": json.dumps(params)}
        words = "\x1f".join(map(str, sorted(said.items()))) + "\x1f"
        said["seal"] = xxh3_128_hexdigest(words.encode())
        for key, value in said.items():
            connection.execute("UPDATE manifest SET value = ? WHERE key = ?", (value, key))
        connection.commit()


def villagers(keep: Keep, **changes: Any) -> Path:
    changes = {"parameters": BEFORE, "option_order": "fixed", "agents": 4, "rounds": 2} | changes
    return keep("language_village", **changes).path


def test_a_village_from_before_there_were_two_readings_is_the_one_of_the_prompts(
    keep: Keep,
) -> None:
    path = villagers(keep)
    make_old(path)
    with open_run_file(path) as run:
        config = run.manifest.config
    assert config.parameters == BEFORE
    assert config.option_order == "fixed"
    verdict = verify(path)
    assert verdict.ok, verdict
    assert "changed since" not in verdict.checks[-1].words


def test_a_run_of_today_is_as_it_says(keep: Keep) -> None:
    path = villagers(keep, parameters={"perceive": "section3"}, option_order="round")
    with open_run_file(path) as run:
        config = run.manifest.config
    assert (config.parameters, config.option_order) == ({"perceive": "section3"}, "round")
    assert verify(path).ok


def test_an_experiment_of_rules_from_before_there_were_orders_goes_on() -> None:
    """An order means nothing to rules, so the runs of such an experiment are still its own."""
    setup = build(load_config("fishing_village"))
    manifest = manifest_of(setup)
    old = manifest.model_copy(
        update={"spec": {k: v for k, v in manifest.spec.items() if k != "option_order"}}
    )
    assert config_hash(old.config) == config_hash(setup.spec)
    speakers = build(load_config("language_village"))
    manifest = manifest_of(speakers)
    old = manifest.model_copy(
        update={"spec": {k: v for k, v in manifest.spec.items() if k != "option_order"}}
    )
    assert config_hash(old.config) != config_hash(speakers.spec)
