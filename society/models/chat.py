"""Our two ways to a model as a langchain-core chat model, for use outside a run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from society.calls import Address, Message, Request, Said
from society.errors import InputError

from .desk import Desk
from .settings import ModelSpec

_ROLES: dict[str, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "human": "user",
    "ai": "assistant",
}


class ChatSociety(BaseChatModel):
    """A model by the lean path or through litellm, with the limits and retries of a run.

    The fields are those of ModelSpec that matter to a single call.
    """

    model: str
    api_base: str | None = None
    temperature: float | None = None
    max_tokens: int = 1024
    reasoning_effort: str | None = None
    timeout: float = 120.0

    @property
    def _llm_type(self) -> str:
        return "society"

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        own = {name: getattr(self, name) for name in ModelSpec.model_fields if hasattr(self, name)}
        extra = {"stop": list(stop)} if stop else {}
        desk = Desk({"default": ModelSpec.model_validate(own | {"extra": extra} | kwargs)})
        address = Address("chat", "", 0, 0, 0, 0)
        try:
            said = await desk.call(Request(address, "default", _ours(messages)), _at_once)
        finally:
            await desk.close()
        return ChatResult(generations=[ChatGeneration(message=_theirs(said))])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # In a thread of its own, since an event loop may be running in this one.
        with ThreadPoolExecutor(1) as pool:
            job = self._agenerate(messages, stop, None, **kwargs)
            return pool.submit(asyncio.run, job).result()


async def _at_once() -> None:
    """Nothing to note before a call."""


def _ours(messages: Sequence[BaseMessage]) -> tuple[Message, ...]:
    strange = [message.type for message in messages if message.type not in _ROLES]
    if strange:
        raise InputError(f"got a message of type {strange[0]}; expected system, human or ai")
    return tuple(Message(_ROLES[message.type], str(message.text)) for message in messages)


def _theirs(said: Said) -> AIMessage:
    usage = None
    if said.prompt_tokens is not None and said.completion_tokens is not None:
        usage = {
            "input_tokens": said.prompt_tokens,
            "output_tokens": said.completion_tokens,
            "total_tokens": said.prompt_tokens + said.completion_tokens,
        }
    about = {"model_name": said.model, "finish_reason": said.finish, "retries": said.retries}
    return AIMessage(said.text, usage_metadata=usage, response_metadata=about)
