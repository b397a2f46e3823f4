"""Servers that the user of this machine has named: a key of this machine goes to no other.

A run file or scenario file may come from anybody. So the address in it does not count as named, but
one does that stands

    on the command line under way (--api-base, --set ...api_base=), or in a call of `society.run`
    in SOCIETY_TRUSTED_HOSTS: hosts, hosts with ports, or URLs, with commas between them
    beside the key in the environment: OPENAI_BASE_URL or OPENAI_API_BASE for OPENAI_API_KEY

and OpenAI's own for OpenAI's key.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address
from typing import Any

TRUSTED_HOSTS = "SOCIETY_TRUSTED_HOSTS"
_OWN = {"OPENAI_API_KEY": "https://api.openai.com"}
_BESIDE = ("BASE_URL", "API_BASE")

_named: ContextVar[tuple[str, ...]] = ContextVar("addresses of servers named by the user")


@contextmanager
def naming_servers(addresses: Iterable[str]) -> Iterator[None]:
    """Take the addresses as named by the user while this lasts, beside those named before."""
    token = _named.set((*named_addresses(), *addresses))
    try:
        yield
    finally:
        _named.reset(token)


def named_addresses() -> tuple[str, ...]:
    """Return the addresses that were named on the command line or in a call."""
    return _named.get(())


def addresses_in(said: Any) -> Iterator[str]:
    """Yield each address of a server in settings, however deep."""
    if isinstance(said, Mapping):
        for key, value in said.items():
            if str(key).rpartition(".")[2] == "api_base" and isinstance(value, str):
                yield value
            yield from addresses_in(value)
    elif isinstance(said, list | tuple):
        for one in said:
            yield from addresses_in(one)


def is_named(address: str, variable: str) -> bool:
    """Check if the key in a variable may go to the server at an address."""
    prefix = variable.removesuffix("API_KEY")
    beside = (os.environ.get(f"{prefix}{name}", "") for name in _BESIDE)
    named = (*named_addresses(), *beside, _OWN.get(variable, ""))
    origin = _origin(address)
    return origin in filter(None, map(_origin, named)) or _is_trusted(address)


def is_loopback(address: str) -> bool:
    """Check if a server is on this machine."""
    from yarl import URL

    try:
        host = URL(address).host or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(address: str) -> str:
    """Return scheme, host and port, as the client that sends will read them; "" if there is none.

    >>> _origin("https://API.openai.com/v1"), _origin("nonsense")
    ('https://api.openai.com', '')
    """
    from yarl import URL  # another parser could read another host

    try:
        return str(URL(address.strip()).origin())
    except (ValueError, TypeError):
        return ""


def _is_trusted(address: str) -> bool:
    """Check if the environment trusts a server: its URL, its host, or its host at this port."""
    from yarl import URL

    origin = _origin(address)
    if not origin:
        return False
    url = URL(origin)
    hosts = {url.host, f"{url.host}:{url.port}"}
    trusted = filter(None, map(str.strip, os.environ.get(TRUSTED_HOSTS, "").split(",")))
    return any(_origin(one) == origin if "://" in one else one.lower() in hosts for one in trusted)
