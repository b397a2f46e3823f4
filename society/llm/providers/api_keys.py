"""Keys: from the environment or a .env file to the provider, and nowhere else.

What goes into messages and run files passes through `redact`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from society.errors import FileError

if TYPE_CHECKING:
    from pydantic import JsonValue

# What prefixes of model names on a server of one's own mean; other prefixes belong to the name.
SERVERS = ("openai", "hosted_vllm", "litellm_proxy", "lm_studio", "ollama")

# A word of the name ends so, whatever follows: OPENAI_APIKEY, X_TOKEN_2, AWS_SECRET_ACCESS_KEY_ID.
_SECRET = re.compile(
    r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTHORIZATION|COOKIE)S?\d*(_|$)", re.IGNORECASE
)
# Variables that say where keys and requests go, or whose certificates count.
_ROUTE = re.compile(r"(_API)?_?(BASE|BASE_URL|URL|URI|ENDPOINT|HOST|HOSTS)$", re.IGNORECASE)
_ANY_ROUTE = re.compile(r"PROXY|^SSL_|^REQUESTS_|^CURL_|^SOCIETY_", re.IGNORECASE)
# Variables that say which account, region or version of a provider is meant; with plain values.
_DETAIL = re.compile(
    r"_(REGION(_NAME)?|LOCATION|PROJECT(_ID)?|ORG(ANIZATION)?(_ID)?|ACCOUNT_ID|VERSION)$",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[\w.-]+")
# By the first word of a variable: providers whose keys have another one.
_FAMILIES = {
    **dict.fromkeys(("GEMINI", "VERTEX", "VERTEXAI", "PALM"), "GOOGLE"),
    "HF": "HUGGINGFACE",
    "CO": "COHERE",
    "BEDROCK": "AWS",
    "SAGEMAKER": "AWS",
}
_SHORTEST = 8  # characters; servers without keys are given words like "none" or "EMPTY"
_LONG = 16  # characters that do not stand within others by accident
_SHOWN = 240  # characters of what a provider said


def load_env_file() -> None:
    """Add the variables of the .env file here to the environment, which wins.

    The folder may be somebody else's. So its file may bring keys, and say which server, account or
    region they are for, but must not send those that are set outside it anywhere. Other variables
    are left out: some decide which code is executed, as PYTHONPATH does in workers. Raises
    FileError.
    """
    from dotenv import dotenv_values

    file = Path.cwd() / ".env"
    try:
        # A value that is made of other variables would be one of their secrets under another name.
        given = dotenv_values(file, interpolate=False) if file.is_file() else {}
        new = {
            name: value
            for name, value in given.items()
            if value and name not in os.environ and _is_for_providers(name, value)
        }
        for name in new:
            _refuse_route(name)
        os.environ.update(new)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise FileError(f"cannot read .env: {reason}; repair the file, or move it away") from None


def _is_for_providers(name: str, value: str) -> bool:
    """Tell if a variable of .env is a key, or says where and for what keys are used."""
    if _DETAIL.search(name):
        return bool(_PLAIN.fullmatch(value))
    return any(pattern.search(name) for pattern in (_SECRET, _ROUTE, _ANY_ROUTE))


def _family(name: str) -> str:
    """Return the provider that a variable is for, by its first word."""
    word = name.partition("_")[0].upper()
    return _FAMILIES.get(word, word)


def _refuse_route(name: str) -> None:
    """Raise FileError if a variable of .env says where secrets go that are set outside of it."""
    general, route = _ANY_ROUTE.search(name), _ROUTE.search(name)
    if general:
        carried = sorted(_secrets().values())
    elif route:
        carried = sorted(one for one in _secrets().values() if _family(one) == _family(name))
    else:
        return
    if carried:
        raise FileError(
            f".env sets {name}, and would decide where the secret in {carried[0]} goes, which is "
            f"set outside of that file; set {name} in the environment too, or remove it from .env"
        )


def key_names() -> list[str]:
    """Names, never values, of the keys that are set."""
    load_env_file()
    return sorted(name for name, value in os.environ.items() if name.endswith("_API_KEY") and value)


def for_server(model: str) -> tuple[str, str | None]:
    """The variable that holds the key of a server of one's own, and the key."""
    prefix = model.partition("/")[0]
    variable = f"{prefix if prefix in SERVERS else 'openai'}_API_KEY".upper()
    return variable, os.environ.get(variable, "").strip() or None


@lru_cache(maxsize=4096)  # every reply is looked through
def _holds_secret(variable: str) -> bool:
    return bool(_SECRET.search(variable))


class _Known(NamedTuple):
    """The environment at some time, as the system has it, and its secrets."""

    environment: dict[Any, Any]
    secrets: dict[str, str]


_known = _Known({}, {})


def _secrets() -> dict[str, str]:
    """The secrets of the environment, and in which variable each one is."""
    global _known
    # Every word of every reply is looked through. To decode the environment for each of them took
    # a third of the time of a call; to compare it with what it was takes nothing.
    now = getattr(os.environ, "_data", None)
    if now is None:  # another Python
        return _read_secrets()
    if now != _known.environment:
        _known = _Known(dict(now), _read_secrets())
    return _known.secrets


def _read_secrets() -> dict[str, str]:
    return {
        value: name
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and _holds_secret(name)
    }


def nested_texts(value: JsonValue) -> Iterator[str]:
    """Every text in a setting, however deep; not the names there."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from nested_texts(one)


def exposed_secret(settings: JsonValue) -> str | None:
    """The variable whose secret stands among the settings; None if there is none."""
    known = _secrets().items()
    for text in nested_texts(settings):
        for secret, name in known:
            if text == secret or (len(secret) >= _LONG and secret in text):
                return name
    return None


def redact(text: str) -> str:
    """The same text with "[key]" in place of every secret of the environment."""
    # The longest first: one secret may begin another.
    for secret in sorted(_secrets(), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return text


def redact_reply(text: str) -> str:
    """The same text with "[key]" in place of the secrets that cannot stand there by accident."""
    present = [secret for secret in _secrets() if len(secret) >= _LONG and secret in text]
    return redact(text) if present else text


def quote_stranger(text: str) -> str:
    """Quote a stranger's words for a message: short, on one line, without keys.

    >>> quote_stranger("Bad\\x1b[31m  Gateway")
    'Bad [31m Gateway'
    """
    shown = redact(text)[: 20 * _SHOWN]
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in shown).split())
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}..."


def url_host(url: str) -> str:
    """Return the host that a URL leads to.

    >>> url_host("https://me:secret@api.example.org:8000/v1?key=1")
    'api.example.org:8000'
    """
    return urlsplit(url).netloc.rpartition("@")[2]
