"""Streams of replies, put together: what servers send that give no whole replies.

A body of server-sent events, each `data:` line with a piece of a chat completion, until [DONE].
Source: OpenAI API reference, "Chat completion chunk"; WHATWG HTML, section 9.2.
"""

from __future__ import annotations

import json
from typing import Any

from .api_keys import quote_stranger
from .responses import THOUGHTS, Failed

_TEXTS = ("content", "refusal", *THOUGHTS)


def assemble_stream(body: bytes) -> dict[str, Any]:
    """Return the chat completion that a stream tells piece by piece; raises Failed.

    An error within the stream is returned as it came; a stream without an end was cut off.
    """
    whole: dict[str, Any] = {}
    texts: dict[str, list[str]] = {name: [] for name in (*_TEXTS, "arguments")}
    finish: Any = None
    ended = False
    for line in body.splitlines():
        if not line.startswith(b"data:"):
            continue
        data = line.removeprefix(b"data:").strip()
        if not data:  # only to keep the connection alive
            continue
        if data == b"[DONE]":
            ended = True
            break
        piece = _piece(data)
        if piece.get("error"):
            return piece
        for name in ("model", "usage"):
            whole[name] = piece.get(name) or whole.get(name)
        finish = _add(piece, texts) or finish
    if not ended and finish is None:
        raise Failed("a stream that broke off")
    message: dict[str, Any] = {name: "".join(texts[name]) for name in _TEXTS}
    if arguments := "".join(texts["arguments"]):
        message["tool_calls"] = [{"function": {"arguments": arguments}}]
    return {**whole, "choices": [{"message": message, "finish_reason": finish}]}


def _piece(data: bytes) -> dict[str, Any]:
    try:
        piece = json.loads(data)
    except (ValueError, RecursionError):
        piece = None
    if not isinstance(piece, dict):
        said = quote_stranger(data.decode(errors="replace"))
        raise Failed(f"a stream with a piece that is no JSON object: {said}")
    return piece


def _add(piece: dict[str, Any], texts: dict[str, list[str]]) -> Any:
    """Add what a piece tells of the first choice; return the reason of its end, if it tells one.

    Some servers give the whole message in one piece. Of several tool calls the first counts.
    """
    match piece.get("choices"):
        case [{**choice}, *_] if choice.get("index") in (0, None):
            delta = choice.get("delta") or choice.get("message")
            delta = delta if isinstance(delta, dict) else {}
            for name in _TEXTS:
                if isinstance(said := delta.get(name), str):
                    texts[name].append(said)
            match delta.get("tool_calls"):
                case [{"function": {"arguments": str() as said}, **call}, *_]:
                    if call.get("index") in (0, None):
                        texts["arguments"].append(said)
            return "error" if choice.get("error") else choice.get("finish_reason")
    return None
