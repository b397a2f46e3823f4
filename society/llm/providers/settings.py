"""Settings of models, and limits of a run, as a user gives them.

Nothing here is secret: keys come from the environment or a .env file (api_keys.py), so that
settings may stand in scenario files and run files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from .api_keys import nested_texts

ModelSort = Literal["offline", "tape", "own", "local", "lean", "litellm"]
BATCH_PROVIDERS = ("openai",)  # of those that litellm knows
FREE_SORTS = ("offline", "tape")  # they cost nothing, and answer at once
Structured = Literal["auto", "schema", "tools", "json", "none"]
Above = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(gt=0, le=1)]
LimitCount = Annotated[int, Field(ge=1)]
# More of them make llama.cpp fail, or end the process.
SlotCount = Annotated[int, Field(ge=1, le=256)]
ThreadCount = Annotated[int, Field(ge=1, le=512)]

SMALL = "local"
SMALL_LABEL = "SmolLM2-135M-Instruct (a real language model that is too small to be a mind)"
_LOCAL = "local:"
PLUGIN = "plugin:"
SLOTS = 4  # more share the prompts that they have in common less, and take more memory
# Processors answer slowly, and nothing is lost on the way.
_LOCAL_DEFAULTS = {"slots": SLOTS, "timeout": 1800.0, "deadline": 3600.0}
_ONLY_LOCAL = ("context", "slots", "threads")

_STRICT = ConfigDict(
    extra="forbid",
    frozen=True,
    strict=True,
    allow_inf_nan=False,
    hide_input_in_errors=True,  # somebody may have written a key where none belongs
)
_SAID_ELSEWHERE = ("max_tokens", "messages", "model", "reasoning_effort", "temperature", "timeout")
_NEVER = ("n", "stream", "stream_options")  # one whole reply to each call
_SECRET = re.compile(
    "key|token|secret|passw|authoriz|(^|[^a-z])auth($|[^a-z])|credential|cookie|bearer|header"
)


class ModelSpec(BaseModel):
    """A model, how to reach it, and what it may take."""

    model_config = _STRICT

    model: str = Field(
        "offline",
        min_length=1,
        description="offline, tape:FILE, local:FILE.gguf, local, provider/name, FILE.py:function, "
        "or plugin:NAME",
    )
    api_base: str | None = Field(
        None, description="URL of an OpenAI-compatible server, up to /chat/completions"
    )
    temperature: float | None = Field(None, ge=0, le=2, description="none: the provider's own")
    max_tokens: int | None = Field(
        1024, ge=1, description="most tokens in a reply; none: as many as the provider allows"
    )
    most_room: int | None = Field(
        None,
        ge=1,
        description="most tokens for a reply that was cut off and is asked for again; "
        "none: four times max_tokens",
    )
    reasoning_effort: str | None = Field(
        None, description="low, medium, high, as providers name it; null: the provider's own"
    )
    structured: Structured = Field(
        "auto",
        description="how the form of an answer is enforced: by the best way that the server takes "
        "(auto), by one of them, or not at all (none)",
    )
    roles: Literal["auto", "user-only"] = Field(
        "auto",
        description="user-only: system messages stand in the user's; auto: where the model has no "
        "system role",
    )
    timeout: float = Field(
        120.0, gt=0, description="seconds for one attempt; of a local model 1800 by default"
    )
    concurrency: int = Field(
        256, ge=1, description="calls under way at once; of a local model at most its slots"
    )
    requests_per_minute: LimitCount | None = Field(None, description="attempts per minute")
    tokens_per_minute: LimitCount | None = Field(None, description="of prompts and replies")
    attempts: int = Field(6, ge=1, description="attempts for one call while a provider fails")
    backoff: float = Field(
        1.0,
        gt=0,
        description="longest wait before the second attempt, in seconds; doubled each time",
    )
    deadline: float = Field(
        600.0,
        gt=0,
        description="seconds for all attempts of a call; of a local model 3600 by default",
    )
    context: LimitCount | None = Field(
        None, description="of a local model: tokens of prompt and reply together; none: 4096"
    )
    slots: SlotCount | None = Field(
        None, description="of a local model: questions that it answers at once; none: 4"
    )
    threads: ThreadCount | None = Field(
        None, description="of a local model: threads that compute; none: half the cores"
    )
    extra: dict[str, JsonValue] = Field({}, description="more settings, sent as they are")

    @property
    def sort(self) -> ModelSort:
        """The way it is reached."""
        if self.model == "offline":
            return "offline"
        if self.model.startswith("tape:"):
            return "tape"
        if is_local(self.model):
            return "local"
        if ".py:" in self.model or self.model.startswith(PLUGIN):
            return "own"
        return "lean" if self.api_base else "litellm"

    @property
    def file(self) -> str:
        """The file of a local model or a tape: what follows the first colon."""
        return self.model.partition(":")[2]

    @property
    def label(self) -> str:
        """Its name on pages and in tables."""
        if self.model == SMALL:
            return SMALL_LABEL
        return PurePath(self.file).stem if self.sort == "local" else self.model

    @field_validator(
        *("api_base", "temperature", "max_tokens", "most_room"),
        *("requests_per_minute", "tokens_per_minute", "context", "slots", "threads"),
        mode="before",
    )
    @classmethod
    def _unset(cls, value: object) -> object:
        """Take the word none, as `list models` shows it; `reasoning_effort` may have that value."""
        return None if value == "none" else value

    @field_validator("api_base")
    @classmethod
    def _plain_url(cls, url: str | None) -> str | None:
        """Remove user, password and query, which may hold keys and would reach the run file."""
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            known = parts.scheme in ("http", "https") and bool(parts.hostname)
            hides = parts.username is not None or bool(parts.query or parts.fragment)
            _ = parts.port  # raises ValueError for what is no number
            known = known and not any(map(str.isspace, url))
            (parts.hostname or "").encode("idna")  # raises UnicodeError, which is one, too
        except ValueError:
            known, hides = False, False
        if hides:
            raise ValueError(
                "holds a user, password or query; give the bare URL, and a key by the environment"
            )
        if not known:
            raise ValueError("is not a URL; expected one like http://localhost:8000/v1")
        return url.rstrip("/")

    @model_validator(mode="after")
    def _somebody_answers(self) -> Self:
        if self.api_base and self.sort in ("offline", "tape", "local"):
            raise ValueError(
                f"a server is given, but the model is {self.model!r}; name the one it has (--model)"
            )
        given = [name for name in _ONLY_LOCAL if getattr(self, name) is not None]
        if given and self.sort != "local":
            raise ValueError(
                f"{' and '.join(given)} would have no effect on {self.model!r}: only local models "
                "(local:FILE.gguf) take it; leave it out"
            )
        return self

    @model_validator(mode="before")
    @classmethod
    def _local_defaults(cls, said: Any) -> Any:
        """Fill in what is usual for a local model; its calls under way are those in its slots."""
        name = said.get("model") if isinstance(said, Mapping) else None
        if not isinstance(name, str) or not is_local(name):
            return said
        unset = {key for key, value in said.items() if value is None or value == "none"}
        unset -= {"reasoning_effort"}  # which may have that value
        given = _LOCAL_DEFAULTS | {key: value for key, value in said.items() if key not in unset}
        slots, calls = given["slots"], given.get("concurrency")
        if isinstance(slots, int) and (calls is None or (isinstance(calls, int) and calls > slots)):
            given["concurrency"] = slots
        return given

    @field_validator("extra")
    @classmethod
    def _harmless(cls, extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name in _secrets(extra):
            raise ValueError(f"{name!r} must not be given here; set keys in the environment")
        try:
            json.dumps(extra, allow_nan=False)
        except ValueError:
            raise ValueError(
                "holds NaN or infinity, which JSON cannot express; give finite numbers"
            ) from None
        for name in map(str.lower, extra):
            if name in _SAID_ELSEWHERE:
                raise ValueError(f"{name!r} has its own setting; give it there")
            if name in _NEVER:
                raise ValueError(f"{name!r} cannot be changed: each call gets one whole reply")
        return extra


def is_local(model: str) -> bool:
    """Check if a name is that of a model in this process."""
    return model == SMALL or model.startswith(_LOCAL)


def _secrets(value: JsonValue) -> Iterator[str]:
    """Names, however deep, under which a secret may stand.

    Only words can be one: max_completion_tokens and stop_token_ids are numbers.
    """
    if isinstance(value, list):
        for one in value:
            yield from _secrets(one)
    if isinstance(value, dict):
        for name, one in value.items():
            if _SECRET.search(name.lower()) and any(nested_texts(one)):
                yield name
            yield from _secrets(one)


class Limits(BaseModel):
    """Hard stops of a run, counted over all its sessions; the run pauses before it exceeds one."""

    model_config = _STRICT

    max_cost: Above | None = Field(None, description="US dollars")
    max_calls: LimitCount | None = Field(None, description="exchanges, retries not counted")
    max_tokens: LimitCount | None = Field(None, description="of prompts and replies")
    max_fallbacks: Share | None = Field(
        None, description="share of answers that no model gave, from the twentieth answer on"
    )

    @field_validator("*", mode="before")
    @classmethod
    def _lifted(cls, value: object) -> object:
        """Take the word none, which lifts a limit."""
        return None if value == "none" else value


def model_syntax() -> list[tuple[str, str]]:
    """List what `--model` takes, and what it means."""
    return [
        ("offline", "a scripted resident, no language model: free, instant, the same every time"),
        ("tape:FILE", "the answers that a run file keeps, to the same questions"),
        ("local:FILE.gguf", "a model in this process (llama.cpp): no server, no key, no cost"),
        ("local", f"{SMALL_LABEL}; `make local` installs it"),
        (
            "provider/name",
            "through litellm, as in openai/gpt-4o-mini; its key from the environment",
        ),
        ("name --api-base URL", "an OpenAI-compatible server: vLLM, Ollama, llama.cpp, a proxy"),
        ("FILE.py:function", "a function of yours that makes a BaseChatModel or an answerer"),
        ("plugin:NAME", "such a function of an installed package"),
    ]
