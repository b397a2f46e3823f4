"""A hundred providers through litellm, held to the rules of the lean path.

litellm is asked for one attempt at a time: it would retry what is hopeless, and hide what it drops.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from society.engine.calls import Message, sum_known
from society.errors import InputError

from .api_keys import quote_stranger
from .pricing import find_price
from .responses import FILTERED, Reply, ResponsePlace, http_error, parse_completion
from .settings import ModelSpec

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else the import asks the network for prices

import litellm
from litellm.exceptions import BadRequestError, ContentPolicyViolationError

litellm.suppress_debug_info = True
litellm.drop_params = False  # what a model does not take is an error, and not left out in silence
for _name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class Litellm:
    """A model that litellm knows how to reach; raises InputError for any other."""

    def __init__(self, spec: ModelSpec) -> None:
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

    def check(self) -> None:
        """Raises InputError if its keys are not set, or a setting would be dropped in silence."""
        taken = litellm.get_supported_openai_params(self._spec.model) or ()
        if "user" in self._spec.extra and "user" not in taken:  # the one that litellm never checks
            raise InputError(f"model {self._spec.model!r} takes no setting 'user'; leave it out")
        if self._missing:
            raise InputError(
                f"model {self._spec.model!r} needs {' and '.join(self._missing)}; "
                "set it in the environment or in .env"
            )

    def sent(self, room: int | None) -> dict[str, JsonValue]:
        """The settings that go out."""
        return self._spec.sent(room)

    async def send(self, messages: Sequence[Message], room: int | None) -> Reply:
        """The reply to one attempt."""
        try:
            response = await litellm.acompletion(
                model=self._spec.model,
                messages=[message._asdict() for message in messages],
                timeout=self._spec.timeout,
                max_retries=0,
                num_retries=0,
                **self.sent(room),
            )
        except ContentPolicyViolationError:
            return FILTERED
        except Exception as error:
            # Whatever it is, litellm says it by a status; what has none is a body it cannot read.
            headers = getattr(error, "litellm_response_headers", None) or {}
            words = quote_stranger(str(getattr(error, "message", None) or error))
            raise http_error(_status(error), words, dict(headers), self.place) from None
        reply = parse_completion(response.model_dump())
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


def _status(error: Exception) -> int:
    status = getattr(error, "status_code", None)
    return int(status) if status else 500
