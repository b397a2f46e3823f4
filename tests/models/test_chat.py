"""Both paths as a langchain-core chat model: langchain's own tests, and what they leave out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_tests.unit_tests import ChatModelUnitTests

from society.errors import InputError
from society.models.chat import ChatSociety

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.models.conftest import Spec


class TestByLangchain(ChatModelUnitTests):
    """The standard tests."""

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatSociety

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "openai/gpt-4o"}


@pytest.fixture
def chat(spec: Spec) -> ChatSociety:
    """A chat model that leads to the server, on each of the two paths."""
    settings = spec(max_tokens=50)
    return ChatSociety(model=settings.model, api_base=settings.api_base, max_tokens=50)


def test_it_answers_a_conversation(provider: Provider, chat: ChatSociety) -> None:
    messages = [SystemMessage("Be brief."), HumanMessage("Hi"), AIMessage("Hm"), HumanMessage("?")]
    answer = chat.invoke(messages, stop=["\n\n"])
    assert answer.text == 'Having weighed it up: {"answer": 0.263}'
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["total_tokens"] == 13
    assert answer.response_metadata["finish_reason"] == "stop"
    arrived = provider.stats()["last"]["body"]
    assert [one["role"] for one in arrived["messages"]] == ["system", "user", "assistant", "user"]
    assert (arrived["max_tokens"], arrived["stop"]) == (50, ["\n\n"])


def test_it_answers_within_an_event_loop_too(provider: Provider, chat: ChatSociety) -> None:
    provider.plan(brain="echo")

    async def both() -> tuple[str, list[str]]:
        alone = chat.invoke("one")
        batch = await chat.abatch(["two", "three"])
        return alone.text, [answer.text for answer in batch]

    assert asyncio.run(both()) == ("one", ["two", "three"])


def test_it_tries_again_like_a_run(provider: Provider, chat: ChatSociety) -> None:
    provider.plan(script=["429"], retry_after=0.01, brain="echo")
    answer = chat.invoke("hello")
    assert (answer.text, answer.response_metadata["retries"]) == ("hello", 1)


def test_messages_of_tools_are_refused() -> None:
    with pytest.raises(InputError, match="got a message of type tool; expected system, human"):
        ChatSociety(model="openai/gpt-4o").invoke([ToolMessage("7", tool_call_id="1")])
