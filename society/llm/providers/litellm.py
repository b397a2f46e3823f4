"""A hundred providers through litellm, held to the rules of the lean path.

litellm is asked for one attempt at a time: it would retry what is hopeless, and hide what it drops.
"""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from functools import wraps
from typing import Any

from pydantic import JsonValue

from society.engine.calls import Request, sum_known
from society.errors import ContextOverflow, InputError

from .api_keys import quote_stranger
from .endpoint import Endpoint, Outgoing, Way
from .pricing import find_price
from .responses import (
    FILTERED,
    Failed,
    Reply,
    ResponsePlace,
    bounded_body,
    http_error,
    parse_completion,
)
from .settings import ModelSpec

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else the import asks the network for prices
# Else the import reads, in a notebook, the .env of the working directory or of any folder above it,
# whatever it says; `api_keys.load_env_file` reads it with care.
os.environ.setdefault("LITELLM_MODE", "PRODUCTION")

import httpx
import litellm
from litellm.exceptions import (
    BadRequestError,
    ContentPolicyViolationError,
    ContextWindowExceededError,
)
from litellm.litellm_core_utils.streaming_handler import CustomStreamWrapper
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler
from litellm.llms.openai.common_utils import BaseOpenAILLM
from litellm.types.utils import all_litellm_params
from litellm.utils import get_optional_params

litellm.suppress_debug_info = True
litellm.drop_params = False  # what a model does not take is an error, and not left out in silence
for _name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

# Settings by which litellm goes elsewhere, to whoever it may be, with the key.
_ROUTE = re.compile(
    r"base|url|uri|host|endpoint|proxy|provider|fallback|deployment|callback|client|session|"
    r"mock|model_list|litellm|project|region|location|credentials|ssl|cert|^aws|^azure|^vertex|"
    r"tenant",
    re.IGNORECASE,
)
# What litellm takes for itself decides how it works, and not what a model is asked.
_OF_MODELS = frozenset({"allowed_openai_params", "api_version", "metadata"})
_OF_LITELLM = frozenset({*all_litellm_params, "drop_params"}) - _OF_MODELS


class _BoundedStream(httpx.AsyncByteStream):
    """The body of a response, unpacked, which ends in an error where it is too long."""

    def __init__(self, stream: httpx.AsyncByteStream, packed: str) -> None:
        self._stream, self._packed = stream, packed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in bounded_body(self._stream, self._packed):
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx.Response) -> None:
    if isinstance(response.stream, httpx.AsyncByteStream):
        packed = response.headers.pop("Content-Encoding", "")
        response.stream = _BoundedStream(response.stream, packed)


def _guard(make: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the maker of litellm's clients: they follow no redirects and read no endless body.

    A redirect would hand on keys and prompts to another server.
    """

    @wraps(make)
    def made(*given: Any, **named: Any) -> Any:
        client = make(*given, **named)
        if client is not None:
            client.follow_redirects = False
            client.headers["Accept-Encoding"] = "gzip, deflate"
            hooks = client.event_hooks
            client.event_hooks = {**hooks, "response": [*hooks["response"], _bound]}
        return client

    return made


setattr(AsyncHTTPHandler, "create_client", _guard(AsyncHTTPHandler.create_client))  # noqa: B010
setattr(  # noqa: B010
    BaseOpenAILLM,
    "_get_async_http_client",
    staticmethod(_guard(BaseOpenAILLM._get_async_http_client)),
)


class Litellm:
    """A model that litellm knows how to reach; raises InputError for any other."""

    def __init__(self, spec: ModelSpec, seed: int = 0) -> None:
        _refuse_routes(spec)
        try:
            _, provider, *_ = litellm.get_llm_provider(spec.model)
        except BadRequestError:
            raise InputError(
                f"there is no provider for model {spec.model!r}; write provider/name, as in "
                "openai/gpt-4o-mini, or give --api-base for a server of your own"
            ) from None
        missing = litellm.validate_environment(spec.model)["missing_keys"]
        self._missing = [name for name in missing if name.endswith(("_KEY", "_TOKEN"))]
        variable = missing[0] if missing else f"{provider.upper()}_API_KEY"
        self.place = ResponsePlace(provider, spec.model, variable, key=not self._missing)
        self._spec, self._priced = spec, find_price(spec) is not None
        best, seeded = _best_way(spec.model), "seed" in _taken(spec.model)
        self.endpoint = Endpoint(spec, seed, best=best, takes_seed=seeded, bounds=True)

    def check(self) -> None:
        """Raise InputError if its keys are not set, or a setting would be dropped in silence."""
        # The one that litellm never checks.
        if "user" in self._spec.extra and "user" not in _taken(self._spec.model):
            raise InputError(f"model {self._spec.model!r} takes no setting 'user'; leave it out")
        if self._missing:
            raise InputError(
                f"model {self._spec.model!r} needs {' and '.join(self._missing)}; "
                "set it in the environment or in .env"
            )

    async def send(self, request: Request, sent: Outgoing) -> Reply:
        """The reply to one attempt."""
        try:
            response = await litellm.acompletion(
                model=self._spec.model,
                messages=sent.messages,
                timeout=self._spec.timeout,
                max_retries=0,
                num_retries=0,
                # Else it looks among our tools for those of servers, and needs a package for that.
                **({"_skip_mcp_handler": True} if "tools" in sent.settings else {}),
                **sent.settings,
            )
            if isinstance(response, CustomStreamWrapper):
                pieces = [piece async for piece in response]
                response = litellm.stream_chunk_builder(pieces, messages=sent.messages)
                if response is None:
                    raise Failed("a stream without any piece")
        except Failed:
            raise
        except ContentPolicyViolationError:
            return FILTERED
        except ContextWindowExceededError as error:
            words = quote_stranger(str(error.message))
            raise ContextOverflow(
                f"the prompt does not fit into {self._spec.model}: {words}"
            ) from None
        except Exception as error:
            # Whatever it is, litellm says it by a status; what has none is a body it cannot read.
            headers = getattr(error, "litellm_response_headers", None) or {}
            words = str(getattr(error, "message", None) or error)
            raise http_error(_status(error), words, dict(headers), self.place) from None
        reply = parse_completion(_with_native_end(response.model_dump()), self.place)
        counted = sum_known((reply.prompt_tokens, reply.completion_tokens)) is not None
        return reply._replace(cost=self._cost(response) if counted and self._priced else None)

    def _cost(self, response: Any) -> float | None:
        """Return the cost by litellm's own reckoning, which knows of cached tokens."""
        try:
            cost = float(litellm.completion_cost(response, model=self._spec.model))
        except Exception:  # it reckons with many things; that it cannot must not cost the answer
            return None
        return cost if 0 <= cost < math.inf else None

    async def close(self) -> None:
        """Connections are litellm's, shared with other runs."""


def _with_native_end(payload: dict[str, Any]) -> dict[str, Any]:
    """A completion that ended in an error, as its provider says it: litellm calls that `stop`."""
    for choice in payload.get("choices") or ():
        own = choice.get("provider_specific_fields") or {}
        if own.get("native_finish_reason") == "error":
            choice["finish_reason"] = "error"
    return payload


def translated(model: str, settings: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Translate settings for OpenAI as a single call through litellm would."""
    given: dict[str, Any] = dict(settings)
    name = model.removeprefix("openai/")
    taken = get_optional_params(model=name, custom_llm_provider="openai", **given)
    more = taken.pop("extra_body", None) or {}
    return {**{key: one for key, one in taken.items() if key != "stream"}, **more}


def _taken(model: str) -> Sequence[str]:
    """The settings that a model takes, as far as litellm knows."""
    return litellm.get_supported_openai_params(model) or ()


def _best_way(model: str) -> Way:
    """The best way to enforce a form that may work: by litellm's table, else all are tried."""
    if model not in litellm.model_cost and model.partition("/")[2] not in litellm.model_cost:
        return "schema"
    if "response_format" in _taken(model):
        return "schema" if litellm.supports_response_schema(model=model) else "json"
    return "tools" if "tools" in _taken(model) else "none"


def _refuse_routes(spec: ModelSpec) -> None:
    """Raise InputError for settings that name a server, or another way to reach one."""
    if "://" in spec.model:
        raise InputError(f"the model {spec.model!r} names a server; give its address by --api-base")
    for name in spec.extra:
        if _ROUTE.search(name):
            raise InputError(
                f"the setting {name!r} of model {spec.model!r} says where requests go; name a "
                "server by --api-base, and a provider in the model's name"
            )
        if name in _OF_LITELLM:
            raise InputError(
                f"the setting {name!r} of model {spec.model!r} is one of litellm's own, and would "
                "change how it works; leave it out"
            )


def _status(error: Exception) -> int:
    status = getattr(error, "status_code", None)
    return int(status) if status else 500
