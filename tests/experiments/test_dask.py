"""Sweeps on a dask cluster: a real scheduler, real workers, and what happens when they die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from society.config.run_config import load_config
from society.engine.calls import Spent
from society.experiments.experiment import read_experiment
from society.experiments.folder import SweepFolder
from society.experiments.limits import divide_rate_limits, max_at_once, share_of_limits
from society.experiments.worker import Job, JobResult, run_job
from society.llm.providers.settings import Limits, ModelSpec
from society.runs.runfile import open_run_file
from society.runs.session import Session

if TYPE_CHECKING:
    from tests.conftest import Provider, Typed
    from tests.experiments.conftest import Begun, Digests, Until

SPOKEN = """
base: language_village
rounds: 3
parameters: {{ends_on: horizon, norm_embedder: hashing}}
models: {{default: {{model: resident, api_base: "{url}", concurrency: 6}}}}
factors: {{growth: [0.2, 0.4, 0.6]}}
"""

pytestmark = [pytest.mark.xdist_group("sweeps"), pytest.mark.thorough]
pytest.importorskip("distributed", reason="dask comes with the extra distributed")


class Cluster(NamedTuple):
    """A scheduler's address, a way to begin workers, and its process."""

    address: str
    worker: Callable[[], subprocess.Popen[bytes]]
    process: subprocess.Popen[bytes]


@contextmanager
def scheduler(folder: Path, until: Until) -> Iterator[Cluster]:
    """A scheduler without workers; all are killed in the end."""
    file, running = folder / "scheduler.json", list[subprocess.Popen[bytes]]()

    def begin(*words: str) -> subprocess.Popen[bytes]:
        running.append(
            subprocess.Popen(
                [sys.executable, "-m", *words, "--host", "127.0.0.1", "--no-dashboard"],
                cwd=folder,
                env=os.environ | {"TMPDIR": str(folder)},  # what dying workers leave
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        return running[-1]

    begin("distributed.cli.dask_scheduler", "--port", "0", "--scheduler-file", str(file))
    until(lambda: file.exists() and file.read_text().endswith("}"))
    address = json.loads(file.read_text())["address"]
    worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny")
    try:
        yield Cluster(address, lambda: begin(*worker), running[0])
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, until: Until) -> Iterator[Cluster]:
    """A scheduler without workers."""
    with scheduler(tmp_path_factory.mktemp("cluster"), until) as made:
        yield made


def test_a_worker_that_is_killed_in_the_middle_of_its_condition_costs_nothing(
    cluster: Cluster,
    begun: Begun,
    long: Path,
    whole: dict[str, str],
    digests: Digests,
    tmp_path: Path,
    until: Until,
) -> None:
    """Of two that play, one is killed."""
    first, second = cluster.worker(), cluster.worker()
    until(lambda: workers(cluster) == 2)
    sweep = ("sweep", long, "--quiet", "--dask", cluster.address, "--out", tmp_path / "s")
    process = begun(*sweep)
    until(lambda: playing(first))
    first.kill()
    assert process.ended() == (0, "", "")
    assert digests(tmp_path / "s") == whole
    second.kill()
    until(lambda: workers(cluster) == 0)


def workers(cluster: Cluster) -> int:
    from distributed import Client

    with Client(cluster.address) as client:
        return len(client.nthreads())


def playing(worker: subprocess.Popen[bytes]) -> bool:
    """Check whether a process has a run file open."""
    for descriptor in Path(f"/proc/{worker.pid}/fd").iterdir():
        with suppress(OSError):
            if descriptor.readlink().suffix == ".run":
                return True
    return False


def test_minds_keep_their_limits_also_among_workers_and_are_not_asked_twice(
    cluster: Cluster,
    begun: Begun,
    typed: Typed,
    provider: Provider,
    digests: Digests,
    tmp_path: Path,
    until: Until,
) -> None:
    """Paused by a limit, interrupted while they are asked, and played to the end."""
    helpers = [cluster.worker(), cluster.worker()]
    file, folder = tmp_path / "spoken.yaml", tmp_path / "s"
    file.write_text(SPOKEN.format(url=provider.url))
    assert typed("sweep", file, "--quiet", "--out", tmp_path / "whole").code == 0
    calls = provider.stats()["count"]
    sweep = ("sweep", file, "--dask", cluster.address, "--quiet", "--out", folder)
    until(lambda: workers(cluster) == 2)
    provider.reset()
    provider.plan(latency=0.01)
    code, _, err = typed(*sweep, "--max-calls", 100)
    assert (code, err.count("\n")) == (3, 1), err
    assert provider.stats()["count"] == 3 * (100 // 3)
    provider.plan(latency=0.1)
    before = provider.stats()["count"]
    interrupted = begun(*sweep, "--max-calls", "none")
    until(lambda: provider.stats()["count"] > before)
    interrupted.send_signal(signal.SIGINT)
    code, _, err = interrupted.ended()
    assert (code, err.count("\n")) == (130, 1), err
    assert provider.stats()["count"] == sum(map(answers, folder.glob("*.run")))
    provider.plan(latency=0)
    assert typed(*sweep) == (0, "", "")
    assert (provider.stats()["count"], provider.stats()["most"]) == (calls, 6)
    assert digests(folder) == digests(tmp_path / "whole")
    for helper in helpers:
        helper.kill()


def answers(file: Path) -> int:
    with open_run_file(file) as run:
        return sum(entry.calls for entry in run.ledger())


def test_a_scheduler_without_workers_begins_nothing_and_one_that_dies_ends_the_sweep(
    begun: Begun, typed: Typed, long: Path, tmp_path: Path, until: Until
) -> None:
    with scheduler(tmp_path, until) as lost:
        sweep = ("sweep", long, "--dask", lost.address, "--out", tmp_path / "s")
        code, out, err = typed(*sweep, "--quiet")
        assert (code, out) == (2, "")
        assert "it has no workers; start some with `dask worker`" in err
        worker = lost.worker()
        until(lambda: workers(lost) == 1)
        process = begun(*sweep)
        until(lambda: playing(worker))
        lost.process.kill()
        code, out, err = process.ended()
    assert (code, out) == (1, "")
    assert "fine=10: the connection to the cluster was lost; repeat the command to play it" in err
    assert "Traceback" not in err


def test_without_an_address_a_cluster_is_made_for_the_sweep(
    begun: Begun, long: Path, whole: dict[str, str], digests: Digests, tmp_path: Path
) -> None:
    words = ("--dask", "--workers", 2, "--quiet", "--out", tmp_path / "s")
    assert begun("sweep", long, *words).ended() == (0, "", "")
    assert digests(tmp_path / "s") == whole


def test_an_interrupt_while_the_cluster_is_being_made_is_quiet(
    begun: Begun, long: Path, tmp_path: Path, until: Until
) -> None:
    process = begun("sweep", long, "--dask", "--workers", 1, "--quiet", "--out", tmp_path / "s")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    until(children.read_text)
    os.killpg(process.pid, signal.SIGINT)
    code, out, err = process.ended()
    assert (code, out, "Traceback" in err) == (130, "", False)


def test_where_there_is_no_scheduler_or_no_dask_one_line_says_what_to_do(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.experiments.clusters._PATIENCE", 0.2)
    Path("long.yaml").write_text("base: fishing_village\n")
    for address, words in (
        ("tcp://127.0.0.1:9", "there is no scheduler"),
        ("nowhere:", "there is no scheduler"),
        ("foo://here", "unknown address scheme 'foo'"),
    ):
        said = typed("sweep", "long.yaml", "--dask", address, "--quiet")
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
        assert said.err.startswith(f"society: --dask {address}: ")
        assert words in said.err
        assert "start one with `dask scheduler`" in said.err
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = typed("sweep", "long.yaml", "--dask", "--quiet")
    assert (said.code, said.err) == (
        2,
        "society: distributed is not installed; "
        "in the folder of society, type: pip install -e '.[distributed]'\n",
    )
    assert not Path("sweeps").exists()


def away(file: Path) -> Job:
    """A job for a worker that may be on another machine."""
    return Job(
        load_config("fishing_village", {"rounds": 2}).model_dump(mode="json"), str(file), away=True
    )


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path: Path) -> None:
    done = run_job(away(tmp_path / "a.run"))
    assert done.status == "failed"
    assert done.words == (
        f"a worker does not see the folder {tmp_path}; sweep into one that is at this path for "
        "all workers, with --out"
    )
    assert not list(tmp_path.iterdir())


def test_a_worker_replaces_what_was_left_of_a_run(tmp_path: Path) -> None:
    """A run that was never closed has a journal beside it, which fits no other file."""
    (tmp_path / "e.yaml").write_text("base: fishing_village\nrounds: 2\n")
    read = read_experiment(tmp_path / "e.yaml")
    SweepFolder.of(read, tmp_path).keep({})
    file = tmp_path / "a.run"
    Session.begun(read.conditions[0].setup, file).play()
    assert Path(f"{file}-wal").exists()
    assert run_job(away(file)) == JobResult("finished")
    with open_run_file(file) as run:
        assert (run.status, run.rounds) == ("finished", 2)
    assert not Path(f"{file}-wal").exists()


def test_what_is_left_is_shared_equally_and_never_exceeded() -> None:
    limits = Limits(max_calls=100, max_cost=2.0)
    used, own = Spent(calls=40, cost=0.5), Spent(calls=10, cost=0.2)
    assert share_of_limits(limits, used, own, among=3) == Limits(
        max_calls=10 + 20, max_cost=0.2 + 0.5
    )
    assert share_of_limits(limits, used, own, among=61) is None, "less than a call for each"
    assert share_of_limits(limits, Spent(cost=None), own, among=3) is None, (
        "nobody knows what is left"
    )


def test_no_more_jobs_are_under_way_than_a_model_can_bear() -> None:
    spec = load_config("language_village", {"models": {"default": {"model": "offline"}}})
    narrow = spec.model_copy(update={"models": {"default": ModelSpec(requests_per_minute=5)}})
    assert max_at_once([spec], slots=8) == 8
    assert max_at_once([spec, narrow], slots=8) == 5
    shared = divide_rate_limits(narrow, among=5).models["default"]
    assert (shared.requests_per_minute, shared.concurrency) == (1, 256 // 5)
    assert shared.tokens_per_minute is None
