"""Sweeps in processes: any number of them, killed or interrupted at any moment, and gone on with.

The sweeps are programs of their own in a session of their own, as in a terminal.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.runs.runfile import open_run_file

if TYPE_CHECKING:
    from tests.conftest import Provider, Typed
    from tests.experiments.conftest import Begun, Digests, Program, Until

VILLAGERS = 10
SPOKEN = """
base: language_village
rounds: 4
agents: {agents}
parameters: {{ends_on: horizon, norm_embedder: hashing}}
models: {{default: {{model: resident, api_base: "{url}", concurrency: 8}}}}
factors: {{growth: [0.2, 0.4, 0.6]}}
"""

pytestmark = [pytest.mark.xdist_group("sweeps"), pytest.mark.thorough]


@pytest.fixture
def sweep(long: Path, begun: Begun, tmp_path: Path) -> Begun:
    """Begin to sweep the long experiment into the folder s."""
    words = ("sweep", long, "--quiet", "--out", tmp_path / "s")
    return lambda *more: begun(*words, *more)


def begun_runs(folder: Path) -> list[Path]:
    return list(folder.glob("*.run"))


def statuses(folder: Path) -> set[str]:
    found = set[str]()
    for file in begun_runs(folder):
        with open_run_file(file) as run:
            found.add(run.status)
    return found


def descendants(process: int) -> Iterable[int]:
    """The processes that a process has begun, and theirs."""
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        yield int(child)
        yield from descendants(int(child))


def workers(process: Program) -> list[int]:
    """List the workers of a sweep that play."""
    return [
        child
        for child in descendants(process.pid)
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def test_one_worker_comes_to_the_same_as_two(
    sweep: Begun, whole: dict[str, str], digests: Digests, tmp_path: Path
) -> None:
    assert sweep("--workers", 1).ended() == (0, "", "")
    assert digests(tmp_path / "s") == whole
    assert len(set(whole.values())) == 3


def test_a_sweep_that_was_killed_goes_on_and_leaves_no_process_behind(
    sweep: Begun, whole: dict[str, str], digests: Digests, tmp_path: Path, until: Until
) -> None:
    process = sweep("--workers", 2)
    until(lambda: len(begun_runs(tmp_path / "s")) == 2)
    left = workers(process)
    process.kill()
    process.ended()
    assert len(left) == 2
    until(lambda: not any(map(_alive, left)))
    assert "interrupted" in statuses(tmp_path / "s")
    assert sweep("--workers", 1).ended() == (0, "", "")
    assert digests(tmp_path / "s") == whole


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_that_is_killed_costs_nothing(
    sweep: Begun, whole: dict[str, str], digests: Digests, tmp_path: Path, until: Until
) -> None:
    process = sweep("--workers", 2)
    until(lambda: begun_runs(tmp_path / "s"))
    os.kill(workers(process)[0], signal.SIGKILL)
    assert process.ended() == (0, "", "")
    assert digests(tmp_path / "s") == whole


@pytest.mark.parametrize(
    ("to", "sent"),
    [
        ("the terminal", signal.SIGINT),
        ("the program alone", signal.SIGINT),
        ("the program alone", signal.SIGTERM),
    ],
)
def test_an_interrupt_keeps_what_was_played_and_says_how_to_go_on(
    to: str,
    sent: signal.Signals,
    sweep: Begun,
    long: Path,
    whole: dict[str, str],
    digests: Digests,
    tmp_path: Path,
    typed: Typed,
    until: Until,
) -> None:
    """A terminal sends it to all processes of the program, `kill` to one; TERM is as good."""
    process = sweep("--workers", 2)
    until(lambda: begun_runs(tmp_path / "s"))
    (os.killpg if to == "the terminal" else os.kill)(process.pid, sent)
    folder = tmp_path / "s"
    code, out, err = process.ended()
    assert (code, out, err.count("\n")) == (130, "", 1), err
    assert "of 3 conditions are finished; everything played so far is saved" in err
    assert err.endswith(f"continue with: society sweep {long} --out {folder}\n")
    assert "interrupted" in statuses(folder)
    assert not list(folder.glob("*-wal")), "each run is a single file"
    assert typed("sweep", long, "--quiet", "--out", folder) == (0, "", "")
    assert digests(folder) == whole


def test_an_interrupt_before_anything_was_played_is_as_quiet(
    sweep: Begun, tmp_path: Path, until: Until
) -> None:
    process = sweep("--workers", 2)
    until(lambda: workers(process))
    os.killpg(process.pid, signal.SIGINT)
    code, out, err = process.ended()
    assert (code, out) == (130, "")
    assert err.startswith("society: long: 0 of 3 conditions are finished")
    assert "Traceback" not in err


def test_minds_that_were_killed_or_interrupted_are_not_asked_twice(
    begun: Begun,
    typed: Typed,
    provider: Provider,
    digests: Digests,
    tmp_path: Path,
    until: Until,
) -> None:
    """Killed, twice interrupted while answers are under way, and played to the end."""
    file, folder = tmp_path / "spoken.yaml", tmp_path / "s"
    file.write_text(SPOKEN.format(url=provider.url, agents=VILLAGERS))
    assert typed("sweep", file, "--quiet", "--out", tmp_path / "whole").code == 0
    calls = provider.stats()["count"]
    provider.reset()
    provider.plan(latency=0.01)
    killed = begun("sweep", file, "--out", folder)
    until(lambda: provider.stats()["count"] > 0.3 * calls)
    killed.kill()
    killed.ended()
    until(lambda: not provider.stats()["in_flight"])
    lost = provider.stats()["count"] - _answers(folder)
    assert 0 <= lost <= 3 * VILLAGERS, "those that were out, or not yet on the disk"
    provider.plan(latency=0.2)
    for sent in (signal.SIGINT, signal.SIGTERM):
        interrupted = begun("sweep", file, "--out", folder)
        until(lambda: provider.stats()["in_flight"] == 8)
        os.killpg(interrupted.pid, sent)
        code, _, err = interrupted.ended()
        assert (code, "Traceback" in err) == (130, False)
        kept = _answers(folder)
        assert provider.stats()["count"] - kept == lost, "what was under way was awaited"
    provider.plan(latency=0)
    assert typed("sweep", file, "--quiet", "--out", folder).code == 0
    assert provider.stats()["count"] == calls + lost
    assert digests(folder) == digests(tmp_path / "whole")


def _answers(folder: Path) -> int:
    total = 0
    for file in begun_runs(folder):
        with open_run_file(file) as run:
            total += sum(entry.calls for entry in run.ledger())
    return total


def test_a_process_that_keeps_dying_is_given_up_and_takes_no_other_along(
    begun: Begun, tmp_path: Path
) -> None:
    """One village ends the process that plays it; the other is played by its neighbour."""
    (tmp_path / "own.py").write_text(
        "import os\nimport numpy as np\nfrom dataclasses import dataclass\n"
        "from society.engine.component import Component\n"
        "@dataclass(frozen=True)\nclass Deadly(Component):\n"
        "    deadly: bool = False\n    answers = ('effort',)\n"
        "    def answer(self, ask, me):\n"
        "        return os._exit(9) if self.deadly else np.full(len(me), 0.1)\n"
    )
    (tmp_path / "e.yaml").write_text(
        "base: fishing_village\nuses: [own.py]\n"
        "cohorts: [{name: folk, count: 4, replace: {harvest: deadly}}]\n"
        "factors: {cohorts.folk.parameters.deadly: [true, false]}\n"
    )
    said = begun("sweep", tmp_path / "e.yaml", "--workers", 2, "--out", tmp_path / "s").ended()
    assert (said[0], said[1]) == (1, "")
    assert "deadly=true: its worker died 3 times; check that there is enough memory" in said[2]
    assert "e: 1 of 2 conditions are finished" in said[2]
