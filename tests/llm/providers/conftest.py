"""What tests of models share: two paths to one server, and requests without a game."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.engine.calls import Address, Completion, Message, Request, Spent
from society.engine.cancellation import CancellationToken
from society.llm.providers.budget import Budget
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import Limits, ModelSpec

if TYPE_CHECKING:
    from tests.conftest import Provider

KEY = "sk-do-not-tell-anybody"

Ask = Callable[..., Request]
Spec = Callable[..., ModelSpec]
Asked = Callable[..., list[Completion]]


def _ask(words: str = "a number from 0 to 1", agent: int = 0, **more: Any) -> Request:
    address = Address("language", "answer effort", 0, 0, agent, 0)
    return Request(address, more.pop("model", "default"), (Message("user", words),), **more)


@pytest.fixture(scope="session")
def ask() -> Ask:
    """`ask(words, agent, room=...)` is a request."""
    return _ask


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An empty working directory, and one key in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return monkeypatch


# litellm takes seconds to import: what it shares with the other path is thoroughly tried.
@pytest.fixture(params=["lean", pytest.param("litellm", marks=pytest.mark.thorough)])
def spec(
    request: pytest.FixtureRequest, provider: Provider, surroundings: pytest.MonkeyPatch
) -> Spec:
    """`spec(attempts=2)`: settings that lead to the server, once on each of the two paths.

    The model is called as the test, so that tests share no limiter.
    """
    name = request.node.name.partition("[")[0]
    reached = {"model": f"openai/{name}", "backoff": 0.001}
    surroundings.setenv("OPENAI_BASE_URL", provider.url)  # so the user has named the server
    if request.param == "lean":
        reached["api_base"] = provider.url

    def made(**settings: Any) -> ModelSpec:
        return ModelSpec.model_validate(reached | settings)

    return made


async def at_once() -> None:
    """Do nothing: there is nothing to note before a call."""


def _asked(
    spec: ModelSpec | Mapping[str, ModelSpec],
    requests: Request | Iterable[Request],
    *,
    limits: Limits | None = None,
    spent: Spent | None = None,
    going: Callable[[], Awaitable[None]] = at_once,
    **more: Any,
) -> list[Completion]:
    """Make requests at once and return the replies; raises the error of the first that fails."""
    specs = {"default": spec} if isinstance(spec, ModelSpec) else spec
    calls: Sequence[Request] = [requests] if isinstance(requests, Request) else list(requests)

    async def all_of_them() -> list[Completion]:
        pool = ModelPool(specs, Budget(limits or Limits(), spent or Spent()), **more)
        token = CancellationToken()
        try:
            return await asyncio.gather(*(pool.call(one, going, token) for one in calls))
        finally:
            await pool.close()

    return asyncio.run(all_of_them())


@pytest.fixture(scope="session")
def asked() -> Asked:
    """`asked(spec, requests)`: what a pool says to them, all made at once."""
    return _asked
