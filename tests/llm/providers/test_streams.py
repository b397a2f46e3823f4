"""Replies that come in pieces: put together, whatever else stands in the stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

from society.llm.providers.responses import Failed, parse_completion
from society.llm.providers.streams import assemble_stream

DONE = b"data: [DONE]"


def piece(finish: str | None = None, **choice: Any) -> bytes:
    """A line with one choice; delta: what it adds."""
    return b"data: " + json.dumps({"choices": [{"finish_reason": finish, **choice}]}).encode()


def read(*lines: bytes) -> tuple[str, str]:
    """The text of a stream, and the reason of its end."""
    reply = parse_completion(assemble_stream(b"\n\n".join(lines)))
    return reply.text, reply.finish


def call(arguments: str, index: int = 0) -> bytes:
    calls = [{"index": index, "function": {"arguments": arguments}}]
    return piece(delta={"tool_calls": calls})


END = piece("stop", delta={})


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([piece(delta={"content": "0."}), piece(delta={"content": "4"}), END, DONE], "0.4"),
        ([piece(delta={"content": "0.4"}), b": ping", b"data:", b"event: x", END], "0.4"),
        ([piece(message={"content": "0.4"}), END, DONE], "0.4"),
        ([piece(delta={"content": "9"}, index=1), piece(delta={"content": "7"}), END], "7"),
        ([call('{"answer": '), call("1}"), call('{"answer": 2}', 1), END], '{"answer": 1}'),
    ],
    ids=["pieces", "kept alive", "whole message", "second choice", "second call"],
)
def test_the_first_choice_is_put_together(lines: list[bytes], text: str) -> None:
    assert read(*lines) == (text, "stop")


def test_words_of_refusal_are_put_together_as_well() -> None:
    said = [piece(delta={"refusal": "I "}), piece(delta={"refusal": "cannot."}), END]
    assert read(*said) == ("I cannot.", "refusal")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([piece(delta={"content": "0."})], "a stream that broke off"),
        (
            [piece(delta={"content": "0."}, error={"message": "upstream"}), DONE],
            "ended in an error",
        ),
        ([piece("error", delta={"content": "0."}), DONE], "ended in an error"),
        ([b"data: {"], "a piece that is no JSON object"),
        (
            [b'data: {"error": {"message": "overloaded"}}'],
            "an error in place of a reply: overloaded",
        ),
    ],
)
def test_a_stream_that_fails_on_the_way_is_no_reply(lines: list[bytes], words: str) -> None:
    with pytest.raises(Failed, match=words):
        read(*lines)
