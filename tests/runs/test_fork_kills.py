"""A fork that is killed goes on without its parent, and nothing is paid for twice."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.cli.main import main
from society.runs.runfile import open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.runs.conftest import Launch

VILLAGE = ("language_village", "--rounds", "8", "--agents", "6", "--set", "ends_on=horizon")

pytestmark = [pytest.mark.xdist_group("provider"), pytest.mark.thorough]


def asked(provider: Provider) -> int:
    count: int = provider.stats()["count"]
    return count


def calls(path: Path) -> tuple[int, int]:
    """The calls that a run has on record, and how many of them are its parent's."""
    with open_run_file(path) as run:
        entries = run.ledger()
        return sum(one.calls for one in entries), sum(one.copied for one in entries)


@pytest.mark.parametrize("fresh", [True, False], ids=["all anew", "where it differs"])
def test_a_killed_fork_asks_only_for_what_was_in_flight(
    provider: Provider, launch: Launch, tmp_path: Path, fresh: bool
) -> None:
    parent, child, whole = (tmp_path / f"{name}.run" for name in ("a", "b", "whole"))
    model = ("--model", "resident", "--api-base", provider.url, "--quiet")
    assert main(["run", *VILLAGE, *model, "--out", str(parent)]) == 0
    how = ["--fresh"] if fresh else ["--norm", "Nobody fishes more than half of the day."]
    forking = ["fork", str(parent), "--at", "4", *how, "--quiet", "--out"]
    provider.reset()
    assert main([*forking, str(whole)]) == 0
    new = asked(provider)
    assert new == calls(whole)[0] - calls(whole)[1] > 0

    provider.reset()
    provider.plan(latency=[0.01, 0.03], seed=3)
    process = launch([*forking, str(child)])
    while asked(provider) < new / 2 and process.is_alive():
        time.sleep(0.002)
    process.kill()
    process.join()
    parent.unlink()
    assert main(["resume", str(child), "--quiet"]) == 0
    assert new <= asked(provider) <= new + 6, "six agents: at most six in flight"
    with open_run_file(child) as one, open_run_file(whole) as other:
        assert one.outcome().digest == other.outcome().digest
    assert calls(child) == calls(whole)
    assert verify(child).ok
