"""Batch interfaces: one job for all that are open, found again after a kill, never paid twice."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.cli.main import main
from society.engine.calls import Completion, Request, Spent
from society.engine.cancellation import CancellationToken
from society.engine.gateway import ModelGateway
from society.engine.rng import seed_at
from society.errors import InputError, Paused
from society.llm.call_tables import BatchCall, BatchRecord
from society.llm.providers.budget import Budget
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import Limits, ModelSpec
from society.runs.runfile import open_run_file
from tests.hostile_server import chat_completion

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.hostile_server import HostileHandler, HostileServer

    from .conftest import Ask, Spec

pytestmark = pytest.mark.xdist_group("provider")

Reported = Callable[..., Any]
GAME = ["run", "public_goods", "--rounds", "3", "--replicates", "2", "--seed", "5"]


async def at_once() -> None:
    """Do nothing: there is nothing to note before a call."""


def batched(
    spec: ModelSpec,
    requests: Sequence[Request],
    limits: Limits | None = None,
    records: Kept | None = None,
) -> list[Completion | BaseException]:
    """Ask everything at once, in batches; a call that fails gives its error."""

    async def all_of_them() -> list[Completion | BaseException]:
        budget = Budget(limits or Limits(), Spent())
        pool = ModelPool({"default": spec}, budget, batch=True)
        pool.check(["default"])
        if records is not None:
            pool.desk.records = records
        token = CancellationToken()
        calls = (pool.call(one, at_once, token) for one in requests)
        try:
            return await asyncio.gather(*calls, return_exceptions=True)
        finally:
            await pool.close()

    return asyncio.run(all_of_them())


def texts(said: Sequence[Completion | BaseException]) -> list[str]:
    return [one.text if isinstance(one, Completion) else str(one) for one in said]


def sizes(provider: Provider) -> list[int]:
    """The numbers of lines of all jobs."""
    return [job["request_counts"]["total"] for job in provider.jobs().values()]


def test_all_that_are_open_at_once_are_one_job(provider: Provider, spec: Spec, ask: Ask) -> None:
    provider.plan(brain="echo", batch={"polls": 3})
    said = batched(spec(max_tokens=77), [ask(f"I am {agent}", agent) for agent in range(5)])
    assert texts(said) == [f"I am {agent}" for agent in range(5)]
    assert sizes(provider) == [5]
    (job,) = provider.jobs().values()
    assert (job["endpoint"], job["completion_window"]) == ("/v1/chat/completions", "24h")
    body = provider.stats()["last"]["body"]
    name = "test_all_that_are_open_at_once_are_one_job"
    assert body == {
        "model": name, "messages": [{"role": "user", "content": "I am 4"}], "max_tokens": 77,
        "seed": seed_at(0, ask("", 4).address),
    }  # fmt: skip


def test_lines_that_fail_are_asked_again_with_the_next_job(
    provider: Provider, spec: Spec, ask: Ask
) -> None:
    """Each prompt fails once with 500; then an odd status pauses nobody else."""
    provider.plan(brain="echo", script=["500"])
    said = batched(spec(), [ask(f"I am {agent}", agent) for agent in range(3)])
    assert texts(said) == ["I am 0", "I am 1", "I am 2"]
    assert sizes(provider) == [3, 3]
    assert [one.retries for one in said if isinstance(one, Completion)] == [1, 1, 1]


@pytest.fixture
def one(provider: Provider, surroundings: pytest.MonkeyPatch, request: Any) -> ModelSpec:
    """A model on the server, named as the test."""
    name = request.node.name.partition("[")[0]
    return ModelSpec(model=name, api_base=provider.url, backoff=0.001)


# Servers that do it their own way

ENDED = {"id": "batch_1", "status": "completed", "output_file_id": "out"}
REPLIES = [
    {"custom_id": str(n), "response": {"status_code": 200, "body": json.loads(chat_completion(w))}}
    for n, w in enumerate(["I am 0", "I am 1"])
]


def ask_oddly(hostile: HostileServer, ask: Ask, **odd: Any) -> list[str]:
    """Ask two questions of a server whose answers are given, by path; a number is a status."""
    answers = {"files": {"id": "in"}, "batches": ENDED, "batches/": ENDED, "content": REPLIES}

    def answer(request: HostileHandler) -> None:
        kind = next(name for name in ("content", "?", "batches/", "batches", "files")
                    if name in request.path)  # fmt: skip
        told = (answers | odd)[kind]
        status = told if isinstance(told, int) else 200
        lines = told if isinstance(told, list) else [told]
        request.send(status, b"\n".join(json.dumps(line).encode() for line in lines))

    hostile.answers(answer)
    name = f"odd-{len(hostile.heard)}-{hostile.port}"
    spec = ModelSpec(model=name, api_base=hostile.url, backoff=0.001, attempts=1, deadline=0.1)
    return texts(batched(spec, [ask(f"I am {agent}", agent) for agent in range(2)]))


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ({"content": REPLIES[::-1]}, None),
        ({"content": [REPLIES[0] | {"custom_id": 0}, REPLIES[1]]}, None),
        ({"content": [*REPLIES, REPLIES[0] | {"response": None, "error": {"message": "?"}}]}, None),
        ({"content": [*REPLIES, REPLIES[1] | {"custom_id": "0"}]}, None),
        ({"batches/": ENDED | {"status": "COMPLETED", "request_counts": ["2"]}}, None),
        ({"batches/": ENDED | {"status": "canceled"}}, None),
        ({"content": 404}, "does not know batch batch_1 or its files any more; resume asks again"),
        ({"files": 413}, "takes no file of so many questions: HTTP 413"),
        ({"batches": 504, "?": {"data": [{"metadata": "mine"}]}}, "HTTP 504"),
        ({"batches": 504, "?": {"data": 7}}, "HTTP 504"),
        ({"batches/": {"id": "b", "status": "failed", "errors": "too many"}}, "b: too many"),
        ({"batches/": {"id": "b", "status": "failed", "errors": {"data": 7}}}, "does not say"),
    ],
)  # fmt: skip
def test_odd_batch_interfaces_are_read_or_described(
    hostile: HostileServer, ask: Ask, odd: dict[str, Any], told: str | None
) -> None:
    said = ask_oddly(hostile, ask, **odd)
    if told is None:
        assert said == ["I am 0", "I am 1"]
    else:
        assert [told in one for one in said] == [True, True], said


@pytest.mark.parametrize(
    ("end", "lines", "kind", "words"),
    [
        ("expired", 2, Paused, "not done within 24 hours: 1 of 3 questions have no reply, and"),
        ("cancelled", 0, Paused, "was cancelled: 3 of 3 questions have no reply, and cost nothing"),
        ("failed", 3, InputError, "refused batch batch_1: too many at once"),
    ],
)
def test_a_job_that_comes_to_nothing_is_told_and_replies_that_came_are_kept(
    end: str,
    lines: int,
    kind: type[Exception],
    words: str,
    provider: Provider,
    one: ModelSpec,
    ask: Ask,
) -> None:
    provider.plan(brain="echo", batch={"end": end, "lines": lines})
    said = batched(one, [ask(f"I am {agent}", agent) for agent in range(3)])
    good = [one.text for one in said if isinstance(one, Completion)]
    assert good == [f"I am {agent}" for agent in range(lines if end != "failed" else 0)]
    bad = [one for one in said if isinstance(one, kind)]
    assert words in str(bad[0])


def test_a_job_whose_beginning_nobody_heard_is_looked_for_and_not_begun_again(
    provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    provider.plan(brain="echo", batch={"script": ["lost"]})
    assert texts(batched(one, [ask("a")])) == ["a"]
    assert sizes(provider) == [1]


def test_a_job_that_is_refused_is_begun_again(provider: Provider, one: ModelSpec, ask: Ask) -> None:
    provider.plan(brain="echo", batch={"script": ["503"]})
    assert texts(batched(one, [ask("a", 0), ask("b", 1)])) == ["a", "b"]
    assert sizes(provider) == [2]


def test_what_does_not_fit_into_the_budget_waits_for_the_next_job(
    provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    """A call may take 16 + 16 + 1 tokens of a prompt and 100 of a reply."""
    provider.plan(brain="echo")
    asked = [ask("a", agent) for agent in range(3)]
    said = batched(one.model_copy(update={"max_tokens": 100}), asked, Limits(max_tokens=280))
    assert texts(said) == ["a", "a", "a"]
    assert sizes(provider) == [2, 1]


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-5", "azure/mini"])
def test_a_model_without_batches_is_refused_before_anything_is_asked(
    model: str, surroundings: pytest.MonkeyPatch
) -> None:
    surroundings.setenv("AZURE_API_KEY", "a-key-of-azure")
    with pytest.raises(InputError, match=f"--batch: {model} has no batch.*leave the option out"):
        ModelPool({"default": ModelSpec(model=model)}, batch=True).check(["default"])


def test_a_server_without_batches_is_told_at_the_first_job(
    provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    lost = one.model_copy(update={"api_base": f"{provider.url}/nowhere"})
    (error,) = batched(lost, [ask("a")])
    assert isinstance(error, InputError)
    assert "has no batch interface at this address: HTTP 404" in str(error)
    assert provider.stats()["count"] == 0


def test_a_limit_on_cost_needs_a_price_in_batches(one: ModelSpec) -> None:
    pool = ModelPool({"default": one}, Budget(Limits(max_cost=1.0), Spent()), batch=True)
    with pytest.raises(InputError, match=r"the price of '.*' in batches is unknown"):
        pool.check(["default"])


def test_replies_cost_what_the_list_says_of_batches(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    """Of gpt-4o-mini: 0.075 dollars for a million tokens of prompts, 0.3 of replies."""
    surroundings.setenv("OPENAI_BASE_URL", provider.url)
    provider.plan(brain="echo")
    spec = ModelSpec(model="openai/gpt-4o-mini", backoff=0.001)
    (said,) = batched(spec, [ask("x" * 400)])
    assert isinstance(said, Completion)
    assert (said.prompt_tokens, said.completion_tokens) == (100, 50)
    assert said.cost == pytest.approx((0.075 * 100 + 0.3 * 50) / 1e6)
    assert said.cached_tokens is None, "the price takes no account of caches"


class Kept:
    """A record of batches, with one of an earlier session."""

    def __init__(self, earlier: BatchRecord) -> None:
        self.earlier, self.forgotten = earlier, list[str]()

    def open_batches(self) -> list[BatchRecord]:
        return [self.earlier]

    async def keep_batch(self, batch: BatchRecord) -> None:
        """Do nothing."""

    async def forget_batch(self, batch: BatchRecord) -> None:
        self.forgotten.append(batch.key)


def resumed(spec: ModelSpec, kept: Kept, *requests: Request) -> list[Completion | BaseException]:
    return batched(spec, requests, records=kept)


def earlier_job(provider: Provider, spec: ModelSpec, asked: Sequence[Request]) -> BatchRecord:
    """A job of an earlier session, as the run file would keep it."""
    batched(spec, asked)
    (job,) = provider.jobs().values()
    place = f"{provider.url.removeprefix('http://').removesuffix('/v1')} {spec.model}"
    calls = [BatchCall(number, one.address, one.fingerprint) for number, one in enumerate(asked)]
    key = job["metadata"]["society"]
    return BatchRecord(key, job["id"], place, time.time(), tuple(calls), len(calls))


def test_a_job_whose_id_was_never_kept_is_found_by_our_key(
    provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    """A kill came between its beginning and the note of its id; one reply was kept since."""
    provider.plan(brain="echo")
    asked = [ask("a", 0), ask("b", 1)]
    record = earlier_job(provider, one, asked)
    kept = Kept(record._replace(job="", calls=record.calls[1:]))
    assert texts(resumed(one, kept, asked[1])) == ["b"]
    assert (sizes(provider), kept.forgotten) == ([2], [])


@pytest.mark.parametrize(
    "changes",
    [{"job": "", "key": "another"}, {"job": "batch_9"}, {"place": "elsewhere m"}],
    ids=str,
)
def test_a_job_that_is_gone_or_elsewhere_is_begun_anew(
    changes: Any, provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    provider.plan(brain="echo")
    record = earlier_job(provider, one, [ask("a")])
    assert texts(resumed(one, Kept(record._replace(**changes)), ask("a"))) == ["a"]
    assert sizes(provider) == [1, 1]


def test_a_question_in_other_words_is_not_answered_by_an_earlier_job(
    provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    provider.plan(brain="echo")
    record = earlier_job(provider, one, [ask("a")])
    assert texts(resumed(one, Kept(record), ask("other"))) == ["other"]


def test_a_job_that_outlives_its_day_pauses_the_run(
    provider: Provider, one: ModelSpec, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.llm.providers.batches.WINDOW", -1)
    provider.plan(batch={"polls": 10**9})
    (error,) = batched(one, [ask("a")])
    assert isinstance(error, Paused)
    assert "batch batch_1 at 127.0.0.1" in str(error)
    assert "is still in_progress after 0 hours; look there, and resume later" in str(error)


def test_a_server_that_fails_meanwhile_is_asked_again(
    provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    provider.plan(brain="echo", batch={"polls": 3, "looks": ["503", "cut"]})
    assert texts(batched(one, [ask("a")])) == ["a"]


def words(provider: Provider, out: str, *more: str) -> list[str]:
    model = ["--model", "resident", "--api-base", provider.url, "--out", out]
    return [*GAME, *model, "--set", "model.backoff=0.001", "--quiet", *more]


def told(capsys: pytest.CaptureFixture[str], *command: str) -> Any:
    capsys.readouterr()
    assert main([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def wait_until(happened: Callable[[], bool], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)


def test_each_round_of_a_run_is_one_job_and_the_digest_is_that_of_single_calls(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three players in two replicates, over three rounds."""
    assert main(words(provider, "single.run")) == 0
    assert provider.jobs() == {}
    loud = [word for word in words(provider, "batch.run", "--batch") if word != "--quiet"]
    assert main(loud) == 0
    host = provider.url.removeprefix("http://").removesuffix("/v1")
    sent = f"sent batch batch_1 of 6 questions at {host}; waiting for it, up to 24 hours"
    assert sent in capsys.readouterr().err.splitlines()
    assert sizes(provider) == [6, 6, 6]
    single, batch = told(capsys, "show", "single.run"), told(capsys, "show", "batch.run")
    assert batch["digest"] == single["digest"]
    assert batch["ledger"] == single["ledger"]
    assert batch["batches"] == []
    assert told(capsys, "verify", "batch.run")["ok"]


CHAIN = """
scenario: public_goods
agents: 3
cohorts:
  - name: players
    count: 3
    components: [situation, {language_policy: {faculties: chain}}]
"""


def test_each_step_of_a_chain_of_thoughts_is_one_job(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three players in two replicates, over three rounds: their situation, then the answer."""
    Path("chain.yaml").write_text(CHAIN)
    digests = []
    for name, *batch in (("single.run",), ("batch.run", "--batch")):
        assert main(["run", "chain.yaml", *words(provider, name, *batch)[2:]]) == 0
        shown = told(capsys, "show", name)
        assert (shown["ledger"]["calls"], shown["ledger"]["fallbacks"]) == (36, 0)
        digests.append(shown["digest"])
    assert digests[0] == digests[1]
    assert sizes(provider) == [6] * 6


def test_a_file_that_asks_for_batches_is_outweighed_by_the_command(
    provider: Provider, surroundings: pytest.MonkeyPatch
) -> None:
    Path("goods.yaml").write_text("scenario: public_goods\nbatch: true\nrounds: 1\n")
    given = ["run", "goods.yaml", *words(provider, "a.run")[2:]]
    assert main([*given, "--no-batch"]) == 0
    assert provider.jobs() == {}
    assert main([*given, "--overwrite"]) == 0
    assert provider.jobs() != {}


def started(command: Sequence[str]) -> subprocess.Popen[str]:
    program = [sys.executable, "-m", "society", *command]
    return subprocess.Popen(program, stderr=subprocess.PIPE, text=True)


def test_a_job_is_found_again_after_a_kill_and_paid_once(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The limit is as high as the whole run needs, so that no call may count twice."""
    provider.plan(batch={"polls": 10**9})
    with started(words(provider, "a.run", "--batch", "--max-calls", "18")) as process:
        wait_until(lambda: any(job["polls"] > 1 for job in provider.jobs().values()))
        process.kill()
    shown = told(capsys, "show", "a.run")
    assert (shown["status"], shown["ledger"]["unanswered"]) == ("interrupted", 0)
    place = f"{provider.url.removeprefix('http://').removesuffix('/v1')} resident"
    assert shown["batches"] == [{"job": "batch_1", "place": place, "questions": 6}]
    provider.plan()
    rest = told(capsys, "resume", "a.run")
    assert sizes(provider) == [6, 6, 6], "no question was in two jobs"
    assert (rest["status"], rest["ledger"]["calls"]) == ("finished", 18)
    assert rest["ledger"]["unanswered"] == 0
    assert told(capsys, "verify", "a.run")["ok"]


@pytest.mark.thorough
def test_an_interrupt_leaves_the_job_and_says_so(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.child_processes import heed_interrupts

    provider.plan(batch={"polls": 10**9})
    program = [sys.executable, "-m", "society", *words(provider, "a.run", "--batch")]
    with subprocess.Popen(
        program, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as process:
        wait_until(lambda: any(job["polls"] > 1 for job in provider.jobs().values()))
        process.send_signal(2)
        said = process.communicate()[1]
    assert process.returncode == 130
    assert "batch batch_1 of 6 questions stays at 127.0.0.1" in said
    assert "resume picks it up" in said
    assert "replies under way" not in said
    assert "Traceback" not in said
    assert "never retrieved" not in said
    provider.plan()
    assert told(capsys, "resume", "a.run")["status"] == "finished"
    assert sizes(provider) == [6, 6, 6]


def test_an_expired_job_is_told_and_resume_asks_the_rest_again(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.plan(batch={"end": "expired", "lines": 4})
    assert main(words(provider, "a.run", "--batch")) == 3
    assert "was not done within 24 hours: 2 of 6 questions have no reply" in capsys.readouterr().err
    with open_run_file(Path("a.run")) as run:
        assert (run.spent.calls, run.unanswered) == (4, 0)
    provider.plan()
    assert told(capsys, "resume", "a.run")["ledger"]["calls"] == 18
    # The replicate that has all its replies goes on, while the other one asks its two again.
    assert sizes(provider) == [6, 2 + 3, 6, 3]


def test_a_replicate_whose_lines_failed_is_asked_again_in_one_job_with_the_next_round_of_others(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first line with each of three prompts fails: one for each player, in one replicate."""
    provider.plan(script=["500"])
    assert main(words(provider, "a.run", "--batch", "--replicates", "4")) == 0
    assert sizes(provider) == [12, 3 + 9, 3 + 9, 3]
    ledger = told(capsys, "show", "a.run")["ledger"]
    assert (ledger["calls"], ledger["retries"]) == (36, 3)
    assert told(capsys, "verify", "a.run")["ok"]


def test_what_a_server_refuses_within_a_job_is_asked_otherwise_in_the_next(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It takes no schema: all of the first job are refused, and no others."""
    provider.plan(odd=["no schema", "obeys"])
    assert main(words(provider, "a.run", "--batch")) == 0
    assert "does not take a JSON schema of the answer" in capsys.readouterr().err
    assert sizes(provider) == [6, 6, 6, 6]
    assert provider.stats()["last"]["body"]["response_format"] == {"type": "json_object"}
    ledger = told(capsys, "show", "a.run")["ledger"]
    assert (ledger["calls"], ledger["retries"]) == (18, 0)


def test_questions_that_follow_from_replies_are_the_next_job(
    provider: Provider, one: ModelSpec, ask: Ask
) -> None:
    """One agent asks twice, the second time by what it was told; another one asks three at once."""
    provider.plan(brain="echo")

    async def played() -> None:
        pool = ModelPool({"default": one}, batch=True)
        gateway = ModelGateway(lambda: pool)

        async def twice() -> None:
            first = await gateway.call(ask("once", 0))
            await gateway.call(ask(f"{first.text} more", 1))

        async def thrice() -> None:
            await asyncio.sleep(0.1)  # thinks for longer than a look takes
            await gateway.together([gateway.call(ask(f"{n}", 2 + n)) for n in range(3)])

        await gateway.together([twice(), thrice()])
        assert gateway.token.jobs == set()
        await gateway.close()

    asyncio.run(played())
    assert sizes(provider) == [4, 1]


def test_a_job_is_begun_in_the_end_though_somebody_waits_for_what_nobody_sees(
    provider: Provider, one: ModelSpec, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second agent asks only after it has heard of the first one's reply."""
    monkeypatch.setattr("society.llm.providers.batches._QUIET", 3)
    provider.plan(brain="echo")

    async def played() -> None:
        pool = ModelPool({"default": one}, batch=True)
        gateway, heard = ModelGateway(lambda: pool), asyncio.Event()

        async def first() -> None:
            await gateway.call(ask("a", 0))
            heard.set()

        async def second() -> None:
            await heard.wait()
            await gateway.call(ask("b", 1))

        await gateway.together([first(), second()])
        await gateway.close()

    asyncio.run(played())
    assert sizes(provider) == [1, 1]


def test_identical_questions_are_one_line(
    provider: Provider, surroundings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ("--batch", "--share-identical", "--set", "model.temperature=0")
    assert main(words(provider, "a.run", *both)) == 0
    ledger = told(capsys, "show", "a.run")["ledger"]
    assert sum(sizes(provider)) == 18 - ledger["copied"] < 18
