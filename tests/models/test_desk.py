"""Each call goes to the model that it names."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from society.errors import InputError, Paused
from society.models.desk import Desk
from society.models.settings import ModelSpec

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.models.conftest import Ask, Asked


def test_a_name_among_the_models_has_their_settings_and_any_other_is_a_model() -> None:
    small = ModelSpec(model="small", temperature=0.0)
    desk = Desk({"default": ModelSpec(model="big", temperature=1.0), "little": small})
    assert desk.spec("little") == small
    assert desk.spec("huge") == ModelSpec(model="huge", temperature=1.0)
    assert Desk({"little": small}).spec("default") == ModelSpec(), "offline, if nothing is said"


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
        Desk({"default": ModelSpec(model=model)}).check(["default"])
    printed = capfd.readouterr()
    assert printed.out == printed.err == "", "litellm says nothing on its own"


def test_models_that_nobody_calls_are_not_looked_at() -> None:
    desk = Desk({"default": ModelSpec(), "other": ModelSpec(model="nonsense")})
    desk.check(["default"])


def test_a_setting_that_litellm_would_drop_in_silence_is_refused_before_play(
    surroundings: pytest.MonkeyPatch,
) -> None:
    spec = ModelSpec(model="openai/no-such-model", extra={"user": "me"})
    with pytest.raises(InputError, match="takes no setting 'user'"):
        Desk({"default": spec}).check(["default"])


def test_a_server_that_is_not_there_pauses_the_run(
    surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    """Port 9 of this machine takes no connections."""
    spec = ModelSpec(model="m", api_base="http://127.0.0.1:9/v1", attempts=2, backoff=0.001)
    with pytest.raises(Paused, match=r"127\.0\.0\.1:9 did not answer after 2 attempts .*resume"):
        asked(spec, ask())


def test_nobody_waits_for_a_turn_in_a_run_that_was_stopped(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    """The second call would start after a minute; the first one fails for good at once."""
    provider.plan(script=["400"])
    spec = ModelSpec(model="stopped", api_base=provider.url, requests_per_minute=1)

    async def at_once() -> None:
        """Nothing to be noted before a call."""

    async def both() -> list[BaseException]:
        desk = Desk({"default": spec})
        calls = (desk.call(ask(f"I am {agent}", agent), at_once) for agent in range(2))
        results = await asyncio.gather(*calls, return_exceptions=True)
        await desk.close()
        return [result for result in results if isinstance(result, BaseException)]

    first, second = asyncio.run(both())
    assert isinstance(first, InputError)
    assert str(second) == "the run was stopped"


def test_a_redirect_is_not_followed(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked
) -> None:
    """It would turn the question into a look-up, or hand the key to somebody else."""
    provider.plan(script=["307"])
    with pytest.raises(InputError, match="HTTP 307"):
        asked(ModelSpec(model="moved", api_base=provider.url), ask())
