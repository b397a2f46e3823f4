"""Identical questions at temperature 0 are asked once; every agent's reply is recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.cli.main import main
from society.engine.calls import Completion, Request, Spent
from society.engine.cancellation import CancellationToken
from society.errors import InputError, Paused
from society.llm.providers.budget import Budget
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import Limits, ModelSpec
from society.runs.runfile import open_run_file

if TYPE_CHECKING:
    from tests.conftest import Provider

    from .conftest import Ask, Spec

SCENARIO = """
scenario: public_goods
replicates: 2
rounds: 3
option_order: fixed
models:
  default: {{model: pool, api_base: "{url}", temperature: 0, backoff: 0.001}}
"""


async def at_once() -> None:
    """Do nothing: there is nothing to note before a call."""


def shared(
    spec: ModelSpec,
    requests: Sequence[Request],
    recorded: Sequence[Completion] = (),
    limits: Limits | None = None,
) -> list[Completion]:
    """Ask everything at once, of a pool that asks identical questions once."""

    async def all_of_them() -> list[Completion]:
        pool = ModelPool({"default": spec}, Budget(limits or Limits(), Spent()), share=True)
        pool.check(["default"])
        pool.remember(recorded)
        token = CancellationToken()
        try:
            return await asyncio.gather(*(pool.call(one, at_once, token) for one in requests))
        finally:
            await pool.close()

    return asyncio.run(all_of_them())


def test_identical_questions_are_asked_once_and_each_gets_the_reply(
    provider: Provider, spec: Spec, ask: Ask
) -> None:
    """Three agents are asked alike, at the same time; one call answers them."""
    provider.plan(latency=0.05)
    said = shared(spec(temperature=0.0), [ask("a", 0), ask("a", 1), ask("b", 2), ask("a", 3)])
    assert provider.stats()["count"] == 2
    assert said[0].text == said[1].text == said[3].text != said[2].text
    assert [one.copied for one in said] == [False, True, False, True]
    copies = [(one.prompt_tokens, one.completion_tokens, one.cost) for one in said if one.copied]
    assert copies == [(0, 0, 0.0), (0, 0, 0.0)]


@pytest.mark.parametrize(
    "more", [{"room": 9}, {"schema": {"type": "number"}}, {"model": "other"}], ids=str
)
def test_questions_that_differ_in_anything_but_the_seed_are_asked_for_themselves(
    more: dict[str, Any], provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    spec = ModelSpec(model="differs", api_base=provider.url, temperature=0.0)
    said = shared(spec, [ask("a", 0), ask("a", 1, **more)])
    assert (provider.stats()["count"], [one.copied for one in said]) == (2, [False, False])


def test_copies_count_to_no_limit(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    spec = ModelSpec(model="limited", api_base=provider.url, temperature=0.0)
    said = shared(spec, [ask("a", agent) for agent in range(9)], limits=Limits(max_calls=1))
    assert sum(one.copied for one in said) == 8


def test_who_waits_for_a_call_that_fails_ends_with_it(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    provider.plan(script=["400"])
    spec = ModelSpec(model="failing", api_base=provider.url, temperature=0.0)

    async def both() -> list[BaseException | Completion]:
        pool = ModelPool({"default": spec}, share=True)
        token = CancellationToken()
        calls = (pool.call(ask("a", agent), at_once, token) for agent in range(2))
        ended = await asyncio.gather(*calls, return_exceptions=True)
        await pool.close()
        return ended

    first, second = asyncio.run(both())
    assert isinstance(first, InputError)
    assert isinstance(second, Paused)
    assert provider.stats()["count"] == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "none is set for m; set it: --set model.temperature=0, or leave the option out"),
        ({"temperature": 0.2}, "m has 0.2; set it: --set model.temperature=0"),
    ],
)
def test_without_temperature_zero_nothing_is_asked(settings: dict[str, Any], words: str) -> None:
    spec = ModelSpec(model="m", api_base="http://localhost:9/v1", **settings)
    with pytest.raises(InputError, match=f"--share-identical needs temperature 0.*{words}"):
        ModelPool({"default": spec}, share=True).check(["default"])


def test_minds_that_cost_nothing_share_nothing(ask: Ask) -> None:
    """The offline mind answers by address, whatever its temperature."""
    pool = ModelPool({}, share=True)
    pool.check(["default"])


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code = main([*words, "--json"])
    out = capsys.readouterr()
    assert code == 0, out.err
    return json.loads(out.out)


def test_replicates_that_share_have_the_same_digest_for_fewer_calls(
    provider: Provider,
    surroundings: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "game.yaml").write_text(SCENARIO.format(url=provider.url))
    run = "run", "game.yaml", "--api-base", provider.url
    alone = told(capsys, *run, "--out", "alone.run")
    asked = provider.stats()["count"]
    provider.reset()
    some = told(capsys, *run, "--share-identical", "--out", "some.run")
    copied = some["ledger"]["copied"]
    assert some["digest"] == alone["digest"]
    assert (alone["ledger"]["copied"], alone["ledger"]["calls"]) == (0, asked)
    assert 0 < copied < asked
    assert (some["ledger"]["calls"], provider.stats()["count"]) == (asked, asked - copied)
    with open_run_file(Path("some.run")) as file:
        assert file.manifest.config.share_identical
        assert file.spent.calls == asked - copied
    assert told(capsys, "verify", "some.run")["ok"]
    assert main(["run", *run[1:], "--share-identical", "--max-calls", "2", "--out", "cut.run"]) == 3
    capsys.readouterr()
    provider.reset()
    rest = told(capsys, "resume", "cut.run", "--max-calls", "none")
    assert rest["digest"] == alone["digest"]
    assert provider.stats()["count"] == asked - copied - 2, "a resumed run shares what is recorded"
    taped = told(capsys, "run", "game.yaml", "--model", "tape:some.run", "--out", "tape.run")
    assert (taped["digest"], taped["ledger"]["copied"]) == (alone["digest"], copied)
