"""Runs that are cut short go on as if nothing had happened, and nothing is paid for twice."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from society.cli.main import main
from society.engine.calls import Usage
from society.llm.call_tables import checksum
from society.runs import writer
from society.runs.runfile import open_run_file
from society.runs.verify import verify
from tests.child_processes import heed_interrupts

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.runs.conftest import Launch

VILLAGE = ("language_village", "--rounds", "10", "--seed", "5", "--set", "ends_on=horizon")

pytestmark = pytest.mark.xdist_group("provider")


class Told(NamedTuple):
    """The facts of a run file that nobody writes any more."""

    status: str
    digest: str
    calls: int
    unanswered: int


def told(path: Path) -> Told:
    with open_run_file(path) as run:
        calls = sum(entry.calls for entry in run.ledger())
        return Told(run.status, run.outcome().digest, calls, run.unanswered)


def ledger(path: Path) -> tuple[Usage, ...]:
    with open_run_file(path) as run:
        return run.ledger()


def asked(provider: Provider) -> int:
    count: int = provider.stats()["count"]
    return count


def words(path: Path, provider: Provider, *more: str) -> list[str]:
    """The command that plays a village of ten language agents over ten rounds."""
    model = ("--model", "resident", "--api-base", provider.url)
    return ["run", *VILLAGE, *model, "--out", str(path), "--quiet", *more]


@pytest.fixture(scope="module")
def file(_server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The village, played without interruption."""
    path = tmp_path_factory.mktemp("whole") / "whole.run"
    _server.reset()
    assert main(words(path, _server)) == 0
    _server.reset()
    return path


@pytest.fixture(scope="module")
def whole(file: Path) -> Told:
    """The facts of the run file of a whole run."""
    return told(file)


@pytest.mark.thorough
def test_kills_at_twenty_moments_cost_at_most_the_calls_in_flight(
    provider: Provider, whole: Told, launch: Launch, tmp_path: Path
) -> None:
    """Five villages are killed with SIGKILL and resumed four times each, and proved in the end."""
    rng = np.random.default_rng(7)
    moments = np.sort(rng.permutation(20).reshape(5, 4)) / 20
    halfway = 0
    for number, shares in enumerate(moments):
        path = tmp_path / f"{number}.run"
        provider.reset()
        provider.plan(latency=[0.002, 0.02], seed=number)
        kept = Told("", "", 0, 0)
        for kills, share in enumerate(shares, 1):
            process = launch(_on(path, provider, kept))
            # By calls, since machines differ, and anywhere between one call and the next.
            while asked(provider) < share * whole.calls and process.is_alive():
                time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.02))
            process.kill()
            process.join()
            before = asked(provider)
            kept = told(path) if path.exists() else kept
            halfway += 0 < kept.calls < whole.calls
            assert kept.calls <= before <= kept.calls + 10 * kills, "ten agents: ten in flight"
            assert before <= kept.calls + kept.unanswered, "and they are counted"
            if kept.status == "finished":
                break
        else:
            launch(_on(path, provider, kept)).join()
            assert asked(provider) - before == whole.calls - kept.calls, "nothing is asked again"
        assert told(path) == (*whole[:3], kept.unanswered), "the same history; what is lost counts"
        assert verify(path).ok
    assert halfway >= 10, "most kills must hit a village that is being played"


def _on(path: Path, provider: Provider, kept: Told) -> list[str]:
    """The command that begins the village, or goes on where there is a file of it."""
    return ["resume", str(path), "--quiet"] if kept.status else words(path, provider)


@pytest.mark.thorough
def test_one_run_can_be_killed_again_and_again(
    provider: Provider, whole: Told, tmp_path: Path
) -> None:
    """What was cut short five times by a limit has asked exactly what the whole run asked."""
    path = tmp_path / "a.run"
    code = main(words(path, provider, "--max-calls", "37"))
    for limit in (74, 111, 150, 222, 1000):
        assert (code, told(path).status) == (3, "paused")
        code = main(["resume", str(path), "--quiet", "--max-calls", str(limit)])
    assert code == 0
    assert (told(path), asked(provider)) == (whole, whole.calls)


@pytest.mark.thorough
def test_an_interrupt_waits_for_the_answers_under_way(
    provider: Provider, whole: Told, tmp_path: Path
) -> None:
    path = tmp_path / "a.run"
    provider.plan(latency=0.3)
    program = [sys.executable, "-m", "society", *words(path, provider)]
    with subprocess.Popen(
        program, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as process:
        while asked(provider) < 15:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
    assert process.returncode == 130
    assert f"continue with: society resume {path}" in said
    assert "waiting for 10 replies under way" in said
    assert "Traceback" not in said
    assert "never retrieved" not in said
    kept = told(path)
    assert (kept.status, kept.unanswered, kept.calls) == ("interrupted", 0, asked(provider))
    provider.plan(latency=0)
    assert main(["resume", str(path), "--quiet"]) == 0
    assert told(path) == whole


@pytest.mark.thorough
def test_an_outage_pauses_and_the_run_goes_on_when_it_is_over(
    provider: Provider, whole: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, spec = tmp_path / "a.run", tmp_path / "a.yaml"
    spec.write_text(
        "scenario: language_village\nrounds: 10\nseed: 5\nparameters: {ends_on: horizon}\n"
        f"models: {{default: {{model: resident, api_base: '{provider.url}', backoff: 0.01}}}}\n"
    )
    assert main(["run", str(spec), "--out", str(path), "--quiet", "--max-calls", "95"]) == 3
    provider.plan(faults={"500": 1})
    assert main(["resume", str(path), "--quiet", "--max-calls", "1000"]) == 3
    assert "HTTP 500" in capsys.readouterr().err
    assert told(path).status == "paused"
    provider.plan()
    assert main(["resume", str(path), "--quiet", "--max-calls", "1000"]) == 0
    assert told(path)[:3] == whole[:3]


def test_a_full_disk_pauses_the_run_and_costs_no_kept_answer(
    provider: Provider, whole: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite is given 60 pages of disk, and then more."""
    path = tmp_path / "a.run"

    def small(path: Path) -> sqlite3.Connection:
        connection = connected(path)
        connection.execute("PRAGMA max_page_count = 60")
        return connection

    connected = writer._connected
    with monkeypatch.context() as patched:
        patched.setattr(writer, "_connected", small)
        assert main(words(path, provider, "--max-concurrency", "3")) == 3
    kept, before = told(path), asked(provider)
    assert kept.status == "paused"
    assert 0 < kept.calls < whole.calls
    assert before - kept.calls <= 10, "no more than the question that each villager waits for"
    assert kept.unanswered == before - kept.calls
    assert main(["resume", str(path), "--quiet"]) == 0
    assert told(path)[:3] == whole[:3]
    assert asked(provider) - before == whole.calls - kept.calls


@pytest.mark.thorough
def test_order_and_number_of_calls_under_way_change_nothing(
    provider: Provider, whole: Told, tmp_path: Path
) -> None:
    for concurrency, latency in (("1", 0), ("3", [0, 0.03]), ("10", [0.01, 0.05])):
        path = tmp_path / f"{concurrency}.run"
        provider.plan(latency=latency, seed=int(concurrency))
        assert main(words(path, provider, "--max-concurrency", concurrency)) == 0
        assert told(path) == whole


@pytest.mark.usefixtures("hashed_words")
def test_a_finished_run_has_nothing_to_resume(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM findings")
    assert main(["resume", str(file), "--quiet"]) == 0
    assert "is finished; its findings were missing and are recorded now" in capsys.readouterr().err
    assert main(["resume", str(file), "--quiet"]) == 0
    assert "is finished; there is nothing to resume" in capsys.readouterr().err


def test_a_village_of_rules_is_resumed_as_well(tmp_path: Path) -> None:
    path, again = tmp_path / "a.run", tmp_path / "b.run"
    village = ["run", "fishing_village", "--set", "ends_on=horizon", "--quiet", "--out"]
    assert main([*village, str(path)]) == 0
    assert main([*village, str(again)]) == 0
    with sqlite3.connect(again) as file:
        file.execute("DELETE FROM rounds WHERE round > 40")
        file.execute("UPDATE status SET status = 'running'")
    with sqlite3.connect(again) as file:
        *said, _ = file.execute("SELECT * FROM status").fetchone()
        file.execute("UPDATE status SET seal = ?", (checksum(*said),))
    assert told(again).status == "interrupted"
    assert main(["resume", str(again), "--quiet"]) == 0
    assert told(again) == told(path)
    assert verify(again).ok


def test_other_words_than_those_of_the_record_are_refused_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, pack = tmp_path / "a.run", tmp_path / "pack"
    (pack / "language_village").mkdir(parents=True)
    template = pack / "language_village" / "effort.md"
    template.write_text("How hard? {{ hint }} {{ briefs }}\n")
    run = ["run", *VILLAGE, "--model", "offline", "--prompts", str(pack), "--out", str(path)]
    assert main([*run, "--quiet", "--max-calls", "57"]) == 3
    template.write_text("How hard will you fish? {{ hint }} {{ briefs }}\n")
    assert main(["resume", str(path), "--quiet", "--max-calls", "900"]) == 2
    said = capsys.readouterr().err
    assert (
        "round 1: villager 0 of replicate 0 is not asked 'effort' in the words of the record"
        in said
    )
    assert "prompt language_village/effort.md has changed" in said
    template.write_text("How hard? {{ hint }} {{ briefs }}\n")
    assert main(["resume", str(path), "--quiet", "--max-calls", "900"]) == 0


def test_code_that_was_mended_between_two_sittings_is_named_ever_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    part = tmp_path / "own.py"
    part.write_text(MENDED.format("1 / 0 if one.moment == 3 else 0.4"))
    (tmp_path / "a.yaml").write_text(
        "scenario: language_village\nuses: [own.py]\nrounds: 4\nparameters: {ends_on: horizon}\n"
        "cohorts: [{name: a, count: 2, components: [persona: "
        "{temper: altruist}, personal_norm, own, language_policy]}]\n"
    )
    assert main(["run", "a.yaml", "--quiet", "--out", "a.run"]) == 1
    part.write_text(MENDED.format("0.9"))
    assert main(["resume", "a.run", "--quiet", "--trust"]) == 0
    assert "changed since: own.py has changed" in capsys.readouterr().err
    with open_run_file("a.run") as run:
        assert run.sittings() == [(2, "changed since: own.py has changed")]
        efforts = [
            step.arrays["answer", ""].tolist()
            for page in run.pages(1)
            for step in page.steps
            if step.kind == "effort"
        ]
    assert efforts == [[[0.4, 0.4]], [[0.4, 0.4]], [[0.9, 0.9]], [[0.9, 0.9]]]
    assert (
        "resumed after round 2, changed since: own.py"
        in verify("a.run", trust=True).checks[0].words
    )


MENDED = """
from society.engine.component import Component
class Own(Component):
    answers = ("effort",)
    async def consult(self, ask, one):
        return {}
"""


def test_calls_that_were_refused_when_a_limit_stopped_the_run_are_no_open_calls(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some wait to be tried again at that moment; the next session may ask them all the same."""
    monkeypatch.chdir(tmp_path)
    provider.plan(faults={"429": 0.4}, retry_after=20, seed=3)
    Path("a.yaml").write_text(
        "scenario: language_village\nrounds: 4\nagents: 12\nparameters: {norm_embedder: hashing}\n"
        f"models: {{default: {{model: refused, api_base: '{provider.url}', backoff: 0.01}}}}\n"
        "limits: {max_calls: 9}\n"
    )
    assert main(["run", "a.yaml", "--quiet", "--out", "a.run"]) == 3
    with open_run_file(Path("a.run")) as run:
        assert run.unanswered == 0
        assert run.spent.calls == len([*run.calls()]) <= 9
