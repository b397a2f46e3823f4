"""A model of the user's own: any langchain-core BaseChatModel that a function of theirs makes.

Its settings and keys are the function's affair; limits, budget and retries are ours. One setting is
given with each call, if the model declares it: `max_tokens`, which langchain counts among its
standard parameters. A model without it writes replies as long as it likes; a budget then sets aside
what our `max_tokens` says, and so a limit may be exceeded by what replies are longer than that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from society.engine.calls import Request
from society.errors import InputError, SocietyError, describe_user_error, short_path

from .api_keys import quote_stranger
from .endpoint import Endpoint, Outgoing
from .responses import Failed, Reply, ResponsePlace, checked_reply, http_error
from .settings import ModelSpec

# What providers call the two ends that matter here.
_FINISH = {"max_tokens": "length", "MAX_TOKENS": "length", "end_turn": "stop", "STOP": "stop"}
# Of our settings; the function makes these choices.
_NO_EFFECT = ("api_base", "temperature", "reasoning_effort", "extra")


class LangChain:
    """The model that FILE.py:function makes; raises InputError if it makes none."""

    def __init__(self, spec: ModelSpec, make: Callable[[], BaseChatModel]) -> None:
        name = short_path(spec.model)
        self.place = ResponsePlace(name, name, "its environment variable")
        try:
            model = make()
        except SocietyError:
            raise
        except Exception as error:  # a function of the user's may raise anything
            raise InputError(quote_stranger(describe_user_error(error))) from None
        if not isinstance(model, BaseChatModel):
            raise InputError(
                f"{name} gave {quote_stranger(repr(model)[:60])}; "
                "expected a BaseChatModel of langchain-core"
            )
        self._model, self._spec = model, spec
        self._takes_room = "max_tokens" in type(model).model_fields
        # Other classes take whatever they are given, and may send it or not.
        takes_form = "response_format" in type(model).model_fields
        structured = spec.structured if takes_form else "none"
        asked = ModelSpec(
            model=spec.model,
            max_tokens=spec.max_tokens if self._takes_room else None,
            structured=structured,
            roles=spec.roles,
        )
        self.endpoint = Endpoint(asked, 0, takes_seed=False, takes_room=self._takes_room)

    def check(self) -> None:
        """Raise InputError for settings that would have no effect."""
        given = [name for name in _NO_EFFECT if getattr(self._spec, name) not in (None, {})]
        if given:
            raise InputError(
                f"{self.place.model} makes its model itself, so that {' and '.join(given)} would "
                "have no effect; set it in the function, and leave it out here"
            )

    async def send(self, request: Request, sent: Outgoing) -> Reply:
        """The reply to one attempt."""
        settings: dict[str, Any] = sent.settings
        try:
            said = await self._model.ainvoke(
                [(one["role"], one["content"]) for one in sent.messages], **settings
            )
        except SocietyError:
            raise
        except Exception as error:  # each provider's client has errors of its own
            raise self._verdict(error) from None
        return _reply(said)

    def _verdict(self, error: Exception) -> Exception:
        """Clients of providers say a status; what is neither that nor the network is a mistake."""
        status = getattr(error, "status_code", None)
        words = quote_stranger(f"{type(error).__name__}: {error}")
        if isinstance(status, int):
            headers = getattr(getattr(error, "response", None), "headers", None) or {}
            return http_error(status, words, headers, self.place)
        if isinstance(error, OSError | TimeoutError):
            return Failed(words)
        return InputError(f"{self.place.model}: {words}")

    async def close(self) -> None:
        """Connections are the model's own."""


def _reply(said: AIMessage) -> Reply:
    usage, about = said.usage_metadata, said.response_metadata
    finish = about.get("finish_reason") or about.get("stop_reason") or about.get("done_reason")
    tokens: tuple[object, object, object] = (None, None, None)
    if usage:
        cached = usage.get("input_token_details", {}).get("cache_read")
        tokens = usage["input_tokens"], usage["output_tokens"], cached
    model = about.get("model_name") or about.get("model")
    return checked_reply(str(said.text), _FINISH.get(str(finish), finish), tokens, model)
