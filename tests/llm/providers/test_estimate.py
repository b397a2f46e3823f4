"""What a run would ask of its models is counted before anything is spent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Text
from society.engine.calls import Address, Completion, Message, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import Inquiry
from society.errors import Paused
from society.llm.providers.estimate import Counting, Forecast
from society.llm.providers.settings import ModelSpec

NO_FACTS: Any = {}  # the offline mind reads the form of the question only
MINI = "openai/gpt-4o-mini"


def asked(model: str, words: str, agent: int = 0, **more: Any) -> Request:
    address = Address("language", "answer say", 0, 0, agent, 0)
    question = Inquiry("say", NO_FACTS, Text())
    return Request(address, model, (Message("user", words),), question=question, **more)


def counted(
    specs: dict[str, ModelSpec], requests: Iterable[Request], **saving: bool
) -> tuple[list[Completion], list[Forecast]]:
    """Count requests; return the replies and the forecasts."""
    minds = Counting(specs, seed=1, **saving)

    async def never() -> None:
        """Do nothing: nothing goes out, so nothing is to be noted."""

    async def all_of_them() -> list[Completion]:
        said = [await minds.call(request, never, CancellationToken()) for request in requests]
        await minds.close()
        return said

    return asyncio.run(all_of_them()), minds.forecasts()


def test_calls_and_tokens_are_counted_at_four_characters_a_token() -> None:
    said, (forecast,) = counted({}, [asked("default", "x" * 41), asked("default", "y" * 40, 1)])
    replies = [-(-len(one.text) // 4) for one in said]
    assert forecast == Forecast("offline", 2, 11 + 10, sum(replies), 2 * 1024, 0.0, 0.0, 0.0, 0.0)


def test_a_reply_takes_at_most_the_room_of_its_call_or_else_of_its_model() -> None:
    specs = {"default": ModelSpec(max_tokens=100)}
    _, (forecast,) = counted(specs, [asked("default", "a", room=300), asked("default", "b", 1)])
    assert forecast.most_reply_tokens == 300 + 100


def test_each_model_is_counted_for_itself_with_what_it_costs_at_least_and_at_most() -> None:
    """Of gpt-4o-mini: 0.15 dollars for a million tokens of prompts, 0.60 of replies."""
    specs = {"default": ModelSpec(model=MINI), "judge": ModelSpec(model=MINI, max_tokens=50)}
    requests = [asked("default", "x" * 4000), asked("judge", "x" * 400)]
    _, (default, judge) = counted(specs, requests)
    assert (default.model, default.calls, default.prompt_tokens) == (MINI, 1, 1000)
    assert default.cost == pytest.approx((0.15 * 1000 + 0.6 * default.reply_tokens) / 1e6)
    assert default.most_cost == pytest.approx((0.15 * 1000 + 0.6 * 1024) / 1e6)
    assert judge.most_cost == pytest.approx((0.15 * 100 + 0.6 * 50) / 1e6)


@pytest.mark.parametrize(
    "spec", [ModelSpec(model="openai/nobody-knows"), ModelSpec(model=MINI, api_base="http://here")]
)
def test_an_unknown_price_is_unknown_and_not_zero(spec: ModelSpec) -> None:
    _, (forecast,) = counted({"default": spec}, [asked("default", "a")])
    assert (forecast.cost, forecast.most_cost) == (None, None)


def test_counting_ends_with_the_run() -> None:
    minds = Counting({}, seed=1)
    assert minds.patience == 0

    async def never() -> None:
        """Do nothing: nothing goes out, so nothing is to be noted."""

    token = CancellationToken()
    token.cancel(KeyboardInterrupt())
    with pytest.raises(Paused, match="the run was stopped"):
        asyncio.run(minds.call(asked("default", "a"), never, token))


def test_who_asks_nobody_has_nothing_to_forecast() -> None:
    assert counted({}, []) == ([], [])


def test_a_village_is_counted_without_any_server_or_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three villagers answer four questions a round: effort, fine, norm and vote."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    models = {"default": {"model": "openai/nobody", "api_base": "http://localhost:1/v1"}}
    setup = build(load_config("language_village", {"agents": 3, "rounds": 2, "models": models}))
    minds = Counting(setup.spec.models, seed=setup.seed)
    outcome = setup.gamemaster(minds=minds).play()
    (forecast,) = minds.forecasts()
    assert (forecast.model, forecast.calls, forecast.cost) == ("openai/nobody", 3 * 4 * 2, None)
    assert sum(entry.calls for entry in outcome.ledger) == 24


@pytest.mark.parametrize(("faculties", "calls"), [("together", 1), ("chain", 3)])
def test_thoughts_cost_nothing_together_and_a_call_each_in_a_chain(
    faculties: str, calls: int
) -> None:
    """Three villagers answer four questions a round, after two thoughts."""
    parts = ["persona", "personal_norm", "situation", "options"]
    minds = [*parts, {"language_policy": {"faculties": faculties}}]
    cohort = {"name": "people", "count": 3, "components": minds}
    setup = build(load_config("language_village", {"cohorts": [cohort], "rounds": 2}))
    counting = setup.counting()
    setup.gamemaster(minds=counting).play()
    (forecast,) = counting.forecasts()
    assert forecast.calls == calls * 3 * 4 * 2


def test_questions_that_come_again_are_counted_and_shared_ones_cost_nothing() -> None:
    """Three agents are asked, two of them alike: two calls are enough."""
    requests = [asked("default", "a" * 400), asked("default", "b" * 400, 1)]
    requests.append(asked("default", "a" * 400, 2))
    specs = {"default": ModelSpec(model=MINI)}
    _, (usual,) = counted(specs, requests)
    assert (usual.calls, usual.prompt_tokens, usual.identical) == (3, 300, 1)
    _, (shared,) = counted(specs, requests, share=True)
    assert (shared.calls, shared.prompt_tokens, shared.identical) == (2, 200, 1)


def test_batches_are_counted_at_their_listed_price() -> None:
    """Of gpt-4o-mini in batches: half a price, 0.075 dollars for a million tokens of prompts."""
    specs = {"default": ModelSpec(model=MINI)}
    _, (usual,) = counted(specs, [asked("default", "x" * 4000)])
    _, (batched,) = counted(specs, [asked("default", "x" * 4000)], batch=True)
    half = pytest.approx((0.075 * 1000 + 0.3 * usual.reply_tokens) / 1e6)
    assert usual.batch_cost == batched.cost == half
    assert usual.cost == pytest.approx(2 * (batched.cost or 0))


@pytest.mark.parametrize("model", ["azure/gpt-4o-mini", "openai/o1-preview-nobody"])
def test_batches_without_a_listed_price_or_an_interface_have_no_known_cost(model: str) -> None:
    _, (forecast,) = counted({"default": ModelSpec(model=model)}, [asked("default", "a")])
    assert (forecast.batch_cost, forecast.most_batch_cost) == (None, None)
