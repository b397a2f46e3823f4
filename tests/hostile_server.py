"""An HTTP server that answers in whatever way a test wants, and notes what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class HostileHandler(BaseHTTPRequestHandler):
    """One request; `send(status, body, ...)` answers it, or a test writes to `wfile` itself.

    body: the JSON that it brought, if it is any.
    """

    server: _Server
    body: Any

    def send(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        """Answer with a status, headers (underscores stand for hyphens) and a body."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _heard(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with suppress(ValueError):
            self.body = json.loads(sent)
        self.server.heard.append({name.lower(): value for name, value in self.headers.items()})
        try:
            self.server.answer(self)
        except OSError:  # the client has hung up, as it should
            self.close_connection = True

    do_GET = do_POST = _heard

    def log_message(self, *said: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Callable[[HostileHandler], None]
    heard: list[dict[str, str]]


class HostileServer:
    """A server under way. heard: the headers of each request; `said` are all of them as text."""

    def __init__(self, server: _Server) -> None:
        self._server, self.port = server, server.server_address[1]

    @property
    def url(self) -> str:
        """The address of the server on this machine."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def foreign(self) -> str:
        """The same server under an address that is none of this machine's loopback addresses."""
        return f"http://0.0.0.0:{self.port}/v1"

    @property
    def heard(self) -> list[dict[str, str]]:
        return self._server.heard

    @property
    def said(self) -> str:
        return json.dumps(self.heard)

    def answers(self, answer: Callable[[HostileHandler], None]) -> None:
        """Answer so from now on."""
        self._server.answer = answer


def chat_completion(text: str = '{"answer": 0.5}', **more: Any) -> bytes:
    """A chat completion as a server sends it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    said = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
    return json.dumps({**said, "choices": [{**choice, "finish_reason": "stop"}], **more}).encode()


@contextmanager
def hostile_server() -> Iterator[HostileServer]:
    """Serve until the end of the block; it answers sensibly at first."""
    server = _Server(("0.0.0.0", 0), HostileHandler)
    server.heard, server.answer = [], lambda request: request.send(body=chat_completion())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield HostileServer(server)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
