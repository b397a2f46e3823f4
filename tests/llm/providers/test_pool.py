"""Each call goes to the model that it names."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.engine.calls import Completion, Spent
from society.engine.cancellation import CancellationToken
from society.errors import InputError, Paused
from society.llm.providers.budget import Budget
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import Limits, ModelSpec

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.llm.providers.conftest import Ask, Asked


def test_a_name_among_the_models_has_their_settings_and_any_other_is_a_model() -> None:
    small = ModelSpec(model="small", temperature=0.0)
    pool = ModelPool({"default": ModelSpec(model="big", temperature=1.0), "little": small})
    assert pool.spec("little") == small
    assert pool.spec("huge") == ModelSpec(model="huge", temperature=1.0)
    assert ModelPool({"little": small}).spec("default") == ModelSpec(), (
        "offline, if nothing is said"
    )


def test_different_calls_may_go_to_different_models(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    specs = {
        "default": ModelSpec(model="openai/big", api_base=provider.url),
        "little": ModelSpec(model="meta-llama/Llama-3", api_base=provider.url),
    }
    said = asked(specs, [ask("a", 0), ask("b", 1, model="little"), ask("c", 2, model="other")])
    assert [one.model for one in said] == ["big", "meta-llama/Llama-3", "other"]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("nonsense", "there is no provider for model 'nonsense'; write provider/name"),
        ("foo/bar", "there is no provider for model 'foo/bar'"),
        ("mine.py:model", r"mine\.py:model was not loaded"),
    ],
)
def test_a_model_that_can_never_answer_is_refused_before_play(
    model: str, words: str, surroundings: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match=words):
        ModelPool({"default": ModelSpec(model=model)}).check(["default"])
    printed = capfd.readouterr()
    assert printed.out == printed.err == "", "litellm says nothing on its own"


def test_models_that_nobody_calls_are_not_looked_at() -> None:
    pool = ModelPool({"default": ModelSpec(), "other": ModelSpec(model="nonsense")})
    pool.check(["default"])
    with pytest.raises(InputError, match="there is no provider for model 'nonsense'"):
        pool.check(["default", "other"])


@pytest.mark.thorough
def test_a_setting_that_litellm_would_drop_in_silence_is_refused_before_play(
    surroundings: pytest.MonkeyPatch,
) -> None:
    spec = ModelSpec(model="openai/no-such-model", extra={"user": "me"})
    with pytest.raises(InputError, match="takes no setting 'user'"):
        ModelPool({"default": spec}).check(["default"])


def test_a_server_that_is_not_there_pauses_the_run(
    surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    """Port 9 of this machine takes no connections."""
    spec = ModelSpec(model="m", api_base="http://127.0.0.1:9/v1", attempts=2, backoff=0.001)
    with pytest.raises(Paused, match=r"127\.0\.0\.1:9 did not answer after 2 attempts .*resume"):
        asked(spec, ask())


async def at_once() -> None:
    """Do nothing: there is nothing to note before a call."""


def test_nobody_waits_for_a_turn_in_a_run_that_was_stopped(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    """The second call would start after a minute; the first one fails for good at once."""
    provider.plan(script=["400"])
    spec = ModelSpec(model="stopped", api_base=provider.url, requests_per_minute=1)

    async def both() -> list[BaseException]:
        pool = ModelPool({"default": spec})
        token = CancellationToken()
        calls = (pool.call(ask(f"I am {agent}", agent), at_once, token) for agent in range(2))
        results = await asyncio.gather(*calls, return_exceptions=True)
        await pool.close()
        return [result for result in results if isinstance(result, BaseException)]

    first, second = asyncio.run(both())
    assert isinstance(first, InputError)
    assert str(second) == "the run was stopped"


@pytest.mark.parametrize(
    ("settings", "limits", "sent"),
    [
        ({}, Limits(), 3),  # sleep before another attempt, for as long as the provider asks
        ({"concurrency": 1}, Limits(), 1),  # wait for a place
        ({"requests_per_minute": 1}, Limits(), 1),  # wait for the pace
        ({}, Limits(max_tokens=100), 1),  # wait for what others leave of the budget
    ],
    ids=["retry", "place", "pace", "budget"],
)
def test_whoever_waits_ends_when_the_run_is_halted(
    settings: dict[str, Any],
    limits: Limits,
    sent: int,
    provider: Provider,
    surroundings: pytest.MonkeyPatch,
    ask: Ask,
) -> None:
    """A quarter of an hour would pass otherwise."""
    provider.plan(script=["429"], retry_after=900)
    model = f"halted {settings} {limits}"  # with a limiter of its own
    fixed = {"api_base": provider.url, "deadline": 5000.0, "max_tokens": 40}
    pool = ModelPool(
        {"default": ModelSpec(model=model, **fixed, **settings)}, Budget(limits, Spent())
    )

    async def interrupted() -> list[Completion | BaseException]:
        token = CancellationToken()
        waiting = [pool.call(ask(f"I am {n}", n), at_once, token) for n in range(3)]
        calls = [asyncio.create_task(call) for call in waiting]
        while (await asyncio.to_thread(provider.stats))["count"] < sent:
            await asyncio.sleep(0.01)
        token.cancel(KeyboardInterrupt())
        ends = await asyncio.gather(*calls, return_exceptions=True)
        await pool.close()
        return ends

    assert [str(end) for end in asyncio.run(interrupted())] == ["the run was stopped"] * 3
    assert provider.stats()["count"] == sent


def test_what_is_under_way_when_the_run_is_halted_may_end(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    provider.plan(latency=0.2, brain="echo")
    pool = ModelPool({"default": ModelSpec(model="under-way", api_base=provider.url, timeout=7.0)})

    async def interrupted() -> Completion:
        token = CancellationToken()
        call = asyncio.create_task(pool.call(ask("hello"), at_once, token))
        while (await asyncio.to_thread(provider.stats))["count"] < 1:
            await asyncio.sleep(0.01)
        token.cancel(KeyboardInterrupt())
        with pytest.raises(Paused, match="the run was stopped"):
            await pool.call(ask("hello too", 1), at_once, token)
        try:
            return await call
        finally:
            await pool.close()

    assert asyncio.run(interrupted()).text == "hello"


def test_a_desk_is_as_patient_as_its_models_in_use(
    surroundings: pytest.MonkeyPatch,
) -> None:
    specs = {
        "default": ModelSpec(model="m", api_base="http://localhost/v1", timeout=30.0),
        "slow": ModelSpec(model="n", api_base="http://localhost/v1", timeout=90.0),
        "unused": ModelSpec(model="o", api_base="http://localhost/v1", timeout=900.0),
        "free": ModelSpec(),
    }
    pool = ModelPool(specs)
    assert pool.patience == 0
    pool.check(["free"])
    assert pool.patience == 0, "the offline mind answers at once"
    pool.check(["default", "slow"])
    assert pool.patience == 90


def test_a_redirect_is_not_followed(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    """It would turn the question into a look-up, or hand the key to somebody else."""
    provider.plan(script=["307"])
    with pytest.raises(InputError, match="HTTP 307"):
        asked(ModelSpec(model="moved", api_base=provider.url), ask())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("old.run", "write tape:old.run for the file"),
        ("small.gguf", "write local:small.gguf for the file"),
        ("mine.py", "write mine.py:function for the file"),
        ("openai/gpt-4o", "move the file, or run from another folder"),
    ],
)
def test_a_model_that_is_also_a_file_is_not_guessed(
    surroundings: pytest.MonkeyPatch, tmp_path: Path, name: str, words: str
) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    with pytest.raises(InputError, match=f"is also a file in this folder; {words}"):
        ModelPool({"default": ModelSpec(model=name)}).check(["default"])


@pytest.mark.parametrize(
    "name", ["offline", "tape:a.run", "local", "mine.py:model", "openai/gpt-4o"]
)
def test_a_name_by_which_another_model_is_meant_is_refused(name: str) -> None:
    specs = {name: ModelSpec(model="openai/gpt-4o-mini")}
    with pytest.raises(InputError, match="means two models"):
        ModelPool(specs).check([])
