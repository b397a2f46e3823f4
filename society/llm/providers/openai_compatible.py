"""OpenAI-compatible servers (vLLM, Ollama, llama.cpp, proxies) by the shortest way there is.

One POST to {api_base}/chat/completions for each attempt, on one pool of connections.
Source: OpenAI API reference, "Create chat completion".
"""

from __future__ import annotations

import json
from functools import cached_property

import aiohttp

from society.engine.calls import Request
from society.errors import InputError

from .api_keys import SERVERS, for_server, quote_stranger, url_host
from .endpoint import Endpoint, Outgoing
from .named_servers import TRUSTED_HOSTS, is_loopback, is_named
from .responses import (
    FILTERED,
    Failed,
    Reply,
    ResponsePlace,
    bounded_body,
    complaint,
    http_error,
    most_reply_bytes,
    parse_completion,
)
from .settings import ModelSpec
from .streams import assemble_stream

_FILTERS = ("content_filter", "content_policy_violation")


class OpenAICompatible:
    """A model on one server; used in one event loop."""

    def __init__(self, spec: ModelSpec, seed: int = 0) -> None:
        assert spec.api_base is not None, "a server has an address"
        variable, key = for_server(spec.model)
        named = key is None or is_named(spec.api_base, variable)
        self._refused = not named and not is_loopback(spec.api_base)
        self._key = key if named else None
        prefix, _, rest = spec.model.partition("/")
        name = rest if prefix in SERVERS and rest else spec.model
        self.place = ResponsePlace(url_host(spec.api_base), name, variable, key is not None)
        if not named:
            self.place = self.place._replace(withheld=True)
        self._spec, self._url = spec, f"{spec.api_base}/chat/completions"
        # llama.cpp holds whole numbers within bounds, and others not; who else does, nobody says.
        bounds = url_host(spec.api_base).endswith("api.openai.com")
        self.endpoint = Endpoint(spec, seed, bounds=bounds)

    @cached_property
    def _session(self) -> aiohttp.ClientSession:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip, deflate"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        return aiohttp.ClientSession(
            headers=headers,
            # How many go out at once, and how long they may take, is decided by others.
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            # No cookies: what one agent is told depends on nobody else.
            cookie_jar=aiohttp.DummyCookieJar(),
            # It would unpack as much as is sent; `bounded_body` stops at a limit.
            auto_decompress=False,
        )

    def check(self) -> None:
        """Raise InputError if a key would go to a server that the user has not named.

        Else only the server knows if it wants one.
        """
        if self._refused:
            raise InputError(_describe_unnamed(self._spec.api_base or "", self.place.variable))

    async def send(self, request: Request, sent: Outgoing) -> Reply:
        """The reply to one attempt."""
        self.check()
        body = {"model": self.place.model, "messages": sent.messages, **sent.settings}
        try:
            # A redirected POST would arrive as a GET, or hand the key to another host.
            async with self._session.post(
                self._url, data=json.dumps(body).encode(), allow_redirects=False
            ) as response:
                return self._read(response, await _read_body(response))
        except aiohttp.InvalidURL:
            raise InputError(f"{self.place.host} is not a valid host; correct --api-base") from None
        except aiohttp.ClientConnectorError as error:
            raise Failed(quote_stranger(f"{type(error).__name__}: {error}"), billed=False) from None
        except (aiohttp.ClientError, OSError) as error:
            raise Failed(quote_stranger(f"{type(error).__name__}: {error}")) from None

    def _read(self, response: aiohttp.ClientResponse, body: bytes) -> Reply:
        if response.status == 200 and response.content_type == "text/event-stream":
            return parse_completion(assemble_stream(body), self.place)
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            payload = body.decode(errors="replace")
        if response.status == 200 and not isinstance(payload, str):
            return parse_completion(payload, self.place)
        if response.status == 200:
            said = f"a body of {response.content_type} that is no JSON: {payload}"
            raise Failed(quote_stranger(said))
        words, code = complaint(payload)
        if response.status == 400 and code in _FILTERS:
            return FILTERED
        details = body.decode(errors="replace")
        raise http_error(response.status, words, response.headers, self.place, details)

    async def close(self) -> None:
        """Let go of connections."""
        if "_session" in vars(self):
            await self._session.close()


async def _read_body(response: aiohttp.ClientResponse) -> bytes:
    packed, size = response.headers.get("Content-Encoding", ""), response.content_length
    if not packed and size is not None and size <= most_reply_bytes():
        return await response.read()  # it ends after so many bytes
    return b"".join([piece async for piece in bounded_body(response.content.iter_any(), packed)])


def _describe_unnamed(address: str, variable: str) -> str:
    """Describe a server that only a file names, and how to let the key go there."""
    host = url_host(address)
    return (
        f"only a file names the server {host}, and the key in {variable} would go there; nothing "
        f"was sent. If you trust it, name it yourself: --api-base {address}, or "
        f"{TRUSTED_HOSTS}={host} in the environment"
    )
