"""Messages between the pool and its workers.

To a worker goes a head in JSON and a body of raw bytes, which it may trust. From a worker comes
JSON alone, behind its length: so it can be refused unread, and nothing in it is ever executed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

REQUEST = struct.Struct("=IQ")  # bytes of the head and of the body
REPLY = struct.Struct("=Q")  # bytes of the JSON


class WorkerRequest(NamedTuple):
    """A request to a worker: a task, and arrays or code."""

    head: dict[str, Any]
    body: bytes


def pack_request(task: str, head: Mapping[str, Any], body: bytes = b"") -> bytes:
    """Encode a request of this task."""
    text = json.dumps({"task": task, **head}).encode()
    return b"".join([REQUEST.pack(len(text), len(body)), text, body])


def read_request(read: Callable[[int], bytes]) -> WorkerRequest:
    """Read one request; raises EOFError where the pool has gone."""
    head, body = REQUEST.unpack(_read_exactly(read, REQUEST.size))
    return WorkerRequest(json.loads(_read_exactly(read, head)), _read_exactly(read, body))


def pack_reply(reply: Mapping[str, Any]) -> bytes:
    """Encode what a worker says."""
    text = json.dumps(reply, allow_nan=False).encode()
    return REPLY.pack(len(text)) + text


def _read_exactly(read: Callable[[int], bytes], size: int) -> bytes:
    parts, left = [], size
    while left:
        part = read(min(left, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
