"""A model of the user's own: any langchain-core BaseChatModel that a function of theirs makes.

Its settings and keys are the function's affair; limits, budget and retries are ours. Two settings
are given with each call, if the model declares them: `response_format`, the form of the answer, and
`max_tokens`, which langchain counts among its standard parameters. A model without it writes
replies as long as it likes; a budget then sets aside what our `max_tokens` says, and so a limit may
be exceeded by what replies are longer than that.
"""

from __future__ import annotations

import json
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from society.engine.calls import Request
from society.errors import SocietyError, short_path

from .endpoint import Endpoint, Outgoing
from .own_model import own_error, refuse_idle_settings
from .responses import Reply, ResponsePlace, checked_reply
from .settings import ModelSpec

# What providers call the two ends that matter here.
_FINISH = {"max_tokens": "length", "MAX_TOKENS": "length", "end_turn": "stop", "STOP": "stop"}


class LangChain:
    """A chat model that FILE.py:function has made."""

    def __init__(self, spec: ModelSpec, model: BaseChatModel) -> None:
        name = short_path(spec.model)
        self.place = ResponsePlace(name, name, "its environment variable")
        self._model, self._spec = model, spec
        self._takes_room = "max_tokens" in type(model).model_fields
        # Other classes take whatever they are given, and may send it or not.
        self._takes_form = "response_format" in type(model).model_fields
        structured = spec.structured if self._takes_form else "none"
        asked = ModelSpec(
            model=spec.model,
            max_tokens=spec.max_tokens if self._takes_room else None,
            structured=structured,
            roles=spec.roles,
        )
        self.endpoint = Endpoint(asked, 0, takes_seed=False, takes_room=self._takes_room)

    def check(self) -> None:
        """Raise InputError for settings that would have no effect."""
        refuse_idle_settings(self._spec, takes_form=self._takes_form)

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
            raise own_error(error, self.place) from None
        return _reply(said)

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
    text = str(said.text)
    if not text.strip() and said.tool_calls:
        text = json.dumps(said.tool_calls[0]["args"])
    return checked_reply(text, _FINISH.get(str(finish), finish), tokens, model)
