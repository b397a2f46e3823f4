"""A run file that is deleted or replaced while it is written costs no more calls or answers."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.cli.main import main
from society.engine.history import Page
from society.errors import Paused
from society.runs.runfile import open_run_file

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.runs.conftest import Keep, Launch

pytestmark = pytest.mark.xdist_group("provider")


@pytest.fixture
def village(provider: Provider, tmp_path: Path) -> list[str]:
    """Arguments that play ten villagers, whose model takes a moment for each answer."""
    provider.plan(latency=0.02)
    spec = tmp_path / "a.yaml"
    reached = {"model": "resident", "api_base": provider.url, "concurrency": 2}
    spec.write_text(
        "scenario: language_village\nrounds: 4\nparameters: {ends_on: horizon}\n"
        f"models: {{default: {json.dumps(reached)}}}\n"
    )
    return ["run", str(spec), "--quiet", "--out", str(tmp_path / "a.run")]


@pytest.mark.thorough
@pytest.mark.parametrize("replaced", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_a_lost_run_file_is_noticed_before_the_next_paid_call(
    village: list[str], provider: Provider, tmp_path: Path, launch: Launch, replaced: bool
) -> None:
    path = tmp_path / "a.run"
    process = launch(village)
    while not path.exists() or provider.stats()["count"] < 15:
        assert process.is_alive()
        time.sleep(0.005)
    path.unlink()
    if replaced:
        path.write_bytes(b"something else")
    before = provider.stats()["count"]
    process.join(20)
    assert not process.is_alive()
    # Two were under way, and two more may have passed the check in that moment.
    assert provider.stats()["count"] - before <= 4
    rescued = tmp_path / "a.rescued.run"
    with open_run_file(rescued) as run:
        assert run.status == "paused"
        assert len(list(run.calls())) == provider.stats()["full"]
    assert main(["resume", str(rescued), "--quiet"]) == 0
    assert main(["verify", str(rescued)]) == 0
    # No prompt was paid for twice.
    assert {one["count"] for one in provider.log().values()} == {1}
    assert not replaced or path.read_bytes() == b"something else"


def test_a_run_of_rules_goes_on_in_a_rescued_file(keep: Keep, tmp_path: Path) -> None:
    def told(page: Page) -> Page:
        if page.number == 5:
            (tmp_path / "a.run").unlink()
        return page

    with pytest.raises(
        Paused, match=r"a\.run was deleted, moved or replaced .* saved in .*a\.rescued\.run"
    ):
        keep(told=told)
    with open_run_file(tmp_path / "a.rescued.run") as run:
        assert (run.status, run.rounds) == ("paused", 4)
