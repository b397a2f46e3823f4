"""A model of the user's own: any langchain-core BaseChatModel that a function of theirs makes.

Its settings and keys are the function's affair; limits, budget and retries are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from society.calls import Message
from society.errors import InputError, SocietyError, blamed, brief

from .keys import quoted
from .settings import ModelSpec
from .wire import Failed, Place, Reply, refusal, spoken

# What providers call the two ends that matter here.
_FINISH = {"max_tokens": "length", "MAX_TOKENS": "length", "end_turn": "stop", "STOP": "stop"}


class Own:
    """The model that FILE.py:function makes; raises InputError if it makes none."""

    def __init__(self, spec: ModelSpec, make: Callable[[], BaseChatModel]) -> None:
        name = brief(spec.model)
        self.place = Place(name, name, "its environment variable")
        try:
            model = make()
        except SocietyError:
            raise
        except Exception as error:
            raise InputError(quoted(blamed(error))) from None
        if not isinstance(model, BaseChatModel):
            raise InputError(
                f"{name} gave {quoted(repr(model)[:60])}; "
                "expected a BaseChatModel of langchain-core"
            )
        self._model = model

    def check(self) -> None:
        """Its keys are the function's affair."""

    async def send(self, messages: Sequence[Message], room: int | None) -> Reply:
        """The reply to one attempt; the model decides itself how long it may become."""
        try:
            said = await self._model.ainvoke([(role, content) for role, content in messages])
        except SocietyError:
            raise
        except Exception as error:
            raise self._verdict(error) from None
        return _reply(said)

    def _verdict(self, error: Exception) -> Exception:
        """Clients of providers say a status; what is neither that nor the network is a mistake."""
        status = getattr(error, "status_code", None)
        words = quoted(f"{type(error).__name__}: {error}")
        if isinstance(status, int):
            headers = getattr(getattr(error, "response", None), "headers", None) or {}
            return refusal(status, words, headers, self.place)
        if isinstance(error, OSError | TimeoutError):
            return Failed(words)
        return InputError(f"{self.place.model}: {words}")

    async def close(self) -> None:
        """Connections are the model's own."""


def _reply(said: AIMessage) -> Reply:
    usage, about = said.usage_metadata, said.response_metadata
    finish = about.get("finish_reason") or about.get("stop_reason") or about.get("done_reason")
    return Reply(
        spoken(str(said.text)),
        _FINISH.get(str(finish), str(finish or "")),
        usage["input_tokens"] if usage else None,
        usage["output_tokens"] if usage else None,
        model=str(about.get("model_name") or about.get("model") or ""),
    )
