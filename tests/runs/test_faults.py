"""A village of language agents among failing servers: it ends, and nothing is invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.cli.main import main
from society.runs.runfile import RunFile, open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.conftest import Provider

pytestmark = pytest.mark.xdist_group("provider")

TRANSPORT = ("429", "500", "cut", "truncated", "malformed", "html", "hang", "drip", "null", "empty")
WORDS = ("garbage", "length")


@pytest.fixture
def village(provider: Provider, tmp_path: Path) -> list[str]:
    """The words that play it: one attempt in five fails, in all the ways there are."""
    kinds = dict.fromkeys([*TRANSPORT, *WORDS], 0.2 / 12)
    provider.plan(faults=kinds, retry_after=0.01, hang=3, seed=3)
    spec = tmp_path / "a.yaml"
    reached = {"model": "resident", "api_base": provider.url, "backoff": 0.01, "timeout": 0.7}
    spec.write_text(
        "scenario: language_village\nrounds: 5\nparameters: {ends_on: horizon}\n"
        f"models: {{default: {json.dumps(reached | {'attempts': 12})}}}\n"
    )
    return ["run", str(spec), "--quiet", "--out", str(tmp_path / "a.run")]


def fallbacks(run: RunFile) -> list[tuple[str, int, int]]:
    """List the answers that fallbacks settled: kind, round, agent."""
    return [
        (trouble.kind, page.number, trouble.agent)
        for page in run.pages()
        for trouble in page.troubles
        if trouble.what == "fallback"
    ]


@pytest.mark.thorough
def test_it_ends_and_every_retry_repair_and_fallback_is_counted(
    village: list[str], provider: Provider, tmp_path: Path
) -> None:
    assert main(village) == 0
    with open_run_file(tmp_path / "a.run") as run:
        calls, ledger = list(run.calls()), run.ledger()
        asked = provider.stats()["count"]
        assert sum(entry.calls for entry in ledger) == len(calls)
        assert sum(entry.retries for entry in ledger) == asked - len(calls) > 20
        assert sum(entry.repairs for entry in ledger) > 0
        assert sum(entry.cut for entry in ledger) > 0
        unread = fallbacks(run)
        assert sum(entry.fallbacks for entry in ledger) == len(unread)
        by_agent = run.ledger_by_agent()
        for agent in range(10):
            counted = sum(entry.fallbacks for entry in by_agent[agent])
            assert counted == sum(who == agent for _, _, who in unread)
    assert verify(tmp_path / "a.run").ok


@pytest.mark.thorough
def test_no_effort_is_played_that_nobody_has_stated(
    village: list[str], provider: Provider, tmp_path: Path
) -> None:
    """Each effort stands in a reply of its agent, or is the stated fallback and counted as such."""
    assert main(village) == 0
    with open_run_file(tmp_path / "a.run") as run:
        replies: dict[tuple[int, int], str] = {}
        for call in run.calls():
            if call.request.address.kind == "effort":
                address = call.request.address
                replies[address.use, address.agent] = call.said.text  # the last one counts
        unread, last, alive = fallbacks(run), [0.5] * 10, np.ones(10, bool)
        for page in run.pages(1):
            [efforts] = [
                step.arrays["answer", ""][0] for step in page.steps if step.kind == "effort"
            ]
            for agent, effort in enumerate(efforts.tolist()):
                if not alive[agent]:
                    assert (page.number - 1, agent) not in replies, "the dead are not asked"
                elif ("effort", page.number, agent) in unread:
                    assert effort == last[agent]
                else:
                    said = replies[page.number - 1, agent].rpartition("Having weighed it up: ")[2]
                    assert effort == json.loads(said)["answer"]
            last, alive = efforts.tolist(), page.present[0]
