"""Replies of a server that means harm, or has lost its mind: bounded in bytes, depth and time."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.engine.action_spaces import Choice, Integer, Legal, Real, Text
from society.errors import InputError, Paused, Unparsed
from society.llm.parsing.answers import parse
from society.llm.providers.settings import ModelSpec
from tests.hostile_server import chat_completion

if TYPE_CHECKING:
    from tests.conftest import Typed
    from tests.hostile_server import HostileHandler, HostileServer
    from tests.llm.providers.conftest import Ask, Asked

KEY = "sk-do-not-tell-anybody"
DEEP = 100_000


@pytest.fixture(autouse=True)
def around(surroundings: pytest.MonkeyPatch, hostile: HostileServer) -> None:
    """The user has named the server."""
    surroundings.setenv("OPENAI_BASE_URL", hostile.url)


@pytest.fixture
def mind(hostile: HostileServer, request: pytest.FixtureRequest) -> Callable[..., ModelSpec]:
    """`mind(timeout=1)`: settings of a model of the test's own on the hostile server."""
    name = f"{request.node.name[:80]}"

    def made(**more: Any) -> ModelSpec:
        settings = {"model": name, "api_base": hostile.url, "attempts": 1, "backoff": 0.001}
        return ModelSpec.model_validate(settings | more)

    return made


def packed(body: bytes, coding: str = "gzip") -> Callable[[HostileHandler], None]:
    return lambda request: request.send(200, body, Content_Encoding=coding)


def plain(body: bytes) -> Callable[[HostileHandler], None]:
    return lambda request: request.send(200, body)


def endless(piece: bytes) -> Callable[[HostileHandler], None]:
    def answer(request: HostileHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.end_headers()
        while True:
            request.wfile.write(piece)

    return answer


def drops(request: HostileHandler) -> None:
    """Send a byte every tenth of a second, so that no time-out notices a silence."""
    request.send_response(200)
    request.end_headers()
    for _ in range(100):
        request.wfile.write(b" ")
        time.sleep(0.1)


def bomb(size: int, window: int, head: bytes = b"") -> Callable[[HostileHandler], None]:
    """A packed body that unpacks to so many blanks. window: of zlib; 31 is gzip, 15 zlib."""

    def answer(request: HostileHandler) -> None:
        packer, blanks = zlib.compressobj(9, wbits=window), b" " * 1_000_000
        body = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
        # After a full flush pieces do not depend on each other: one is packed, and repeated, since
        # packing all takes longer than the client waits. Nobody gets to the checksum, which is off.
        piece = packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH)
        body += piece * (size // len(blanks))
        request.send(200, body + packer.flush(), Content_Encoding=BY_WINDOW[window])

    return answer


BY_WINDOW = {31: "gzip", 15: "deflate"}
TOO_LONG = "a body of more than 2,000,000 bytes"


@pytest.mark.usefixtures("watchdog")
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (bomb(256_000_000, 31), TOO_LONG),
        (bomb(256_000_000, 15), TOO_LONG),
        (bomb(64_000_000, 31, chat_completion()), TOO_LONG),
        (packed(gzip.compress(gzip.compress(b"0")), "gzip, gzip"), "which nobody asked for"),
        (packed(b"\x8b\x02\x80", "br"), "packed as br"),
        (packed(b"\x28\xb5\x2f\xfd", "zstd"), "packed as zstd"),
        (packed(b"this is not packed"), "cannot be unpacked"),
        (packed(gzip.compress(chat_completion())[:40]), "no JSON"),
        (plain(b" " * 5_400_000), TOO_LONG),
        (plain(chat_completion("y" * 5_400_000)), TOO_LONG),
        (endless(b"[" * 65_536), TOO_LONG),
        (endless(b"\r\n" * 65_536), TOO_LONG),
        (drops, "no answer within 1 s"),
        (plain(b"[" * DEEP), "no JSON"),
        (plain(b"[" * DEEP + b"]" * DEEP), "a body (of|that)"),
        (plain(b'{"a":' * DEEP + b"1" + b"}" * DEEP), "a body (of|that)"),
        (plain(b'{"choices": ' + b"[" * 900 + b"]" * 900 + b"}"), "no chat completion"),
        (plain(b'{"choices": [{"message": {"content": ' + b"9" * 5_000 + b"}}]}"), "no JSON"),
        (plain(b'{"choices": [{"message": {"content": NaN}}]}'), "no chat completion"),
        (plain(b'{"choices": {"0": {"message": 1}}}'), "no chat completion"),
        (plain(b'{"choices": [[[[]]]]}'), "no chat completion"),
        (plain(b'{"choices": [{"message": {"content": [{"type": "text", "text": 1}]}}]}'), "no "),
        (plain(b"null"), "no chat completion"),
        (plain(b"NaN"), "no chat completion"),
        (plain(b"\xff\xfe\x00"), "no JSON"),
        (plain(b""), "no JSON"),
    ],
    ids=[
        "gzip bomb", "zlib bomb", "bomb that is a reply", "bomb in a bomb", "brotli", "zstd",
        "not packed", "packed and cut", "blanks", "long reply", "endless brackets",
        "endless lines", "endless drops", "open brackets", "deep list", "deep object",
        "deep choices", "long number", "NaN", "choices by name", "lists", "number as text",
        "null", "bare NaN", "no text", "nothing",
    ],
)  # fmt: skip
def test_a_hostile_body_is_a_failed_attempt_and_little_work(
    answer: Callable[[HostileHandler], None], words: str, hostile: HostileServer,
    mind: Callable[..., ModelSpec], ask: Ask, asked: Asked,
) -> None:  # fmt: skip
    hostile.answers(answer)
    tracemalloc.start()
    try:
        with pytest.raises(Paused, match=words):
            asked(mind(timeout=60.0 if answer is not drops else 1.0), ask())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if words == TOO_LONG:
        assert peak < 120_000_000, "the body that the test itself sends counts too"


@pytest.mark.xdist_group("litellm")
@pytest.mark.usefixtures("watchdog")
@pytest.mark.parametrize("answer", [bomb(256_000_000, 31), endless(b"[" * 65_536)])
@pytest.mark.parametrize(
    ("model", "base"),
    [
        ("openai/m", "OPENAI_BASE_URL"),
        pytest.param(
            "anthropic/claude-3-5-haiku-20241022", "ANTHROPIC_API_BASE", marks=pytest.mark.thorough
        ),
    ],
)
def test_what_litellm_reads_is_bounded_too(
    model: str, base: str, answer: Callable[[HostileHandler], None], hostile: HostileServer,
    surroundings: pytest.MonkeyPatch, ask: Ask, asked: Asked,
) -> None:  # fmt: skip
    """Without a bound, pieces that are always there keep even the time-out from its turn."""
    surroundings.setenv(base, hostile.url)
    surroundings.setenv("ANTHROPIC_API_KEY", KEY)
    hostile.answers(answer)
    with pytest.raises(Paused, match="did not answer after 1 attempt "):
        asked(ModelSpec(model=model, attempts=1, timeout=60), ask())


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "deflate"])
def test_an_honest_reply_may_be_packed(
    coding: str, hostile: HostileServer, mind: Callable[..., ModelSpec], ask: Ask, asked: Asked
) -> None:
    pack = zlib.compress if coding == "deflate" else gzip.compress
    hostile.answers(packed(pack(chat_completion("7")), coding))
    [said] = asked(mind(), ask())
    assert said.text == "7"


def test_the_bound_can_be_set(
    surroundings: pytest.MonkeyPatch, hostile: HostileServer, mind: Callable[..., ModelSpec],
    ask: Ask, asked: Asked,
) -> None:  # fmt: skip
    hostile.answers(plain(chat_completion("y" * 3_000_000)))
    surroundings.setenv("SOCIETY_MAX_REPLY_BYTES", "4000000")
    [said] = asked(mind(), ask())
    assert len(said.text) == 3_000_000
    surroundings.setenv("SOCIETY_MAX_REPLY_BYTES", "much")
    with pytest.raises(InputError, match="SOCIETY_MAX_REPLY_BYTES is 'much'; give a whole number"):
        asked(mind(), ask())


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": float("inf"), "completion_tokens": float("nan")},
        {"prompt_tokens": 10**400, "completion_tokens": -(10**400)},
        {"prompt_tokens": "7", "completion_tokens": [7]},
        {"prompt_tokens": True, "completion_tokens": {}},
        [1, 2],
        "many",
    ],
    ids=str,
)
def test_counts_of_tokens_that_are_none_are_unknown(
    usage: Any, hostile: HostileServer, mind: Callable[..., ModelSpec], ask: Ask, asked: Asked
) -> None:
    hostile.answers(plain(chat_completion(usage=usage)))
    [said] = asked(mind(), ask())
    assert (said.prompt_tokens, said.completion_tokens) == (None, None)


# A reply of book length


@pytest.mark.usefixtures("watchdog")
@pytest.mark.parametrize(
    "text",
    ["{}" * 1_000_000, "{" * 2_000_000, '{"answer":' * 200_000, "[" * 2_000_000, "9" * 2_000_000,
     "a" * 400_001, "```json\n" * 250_000, "$" * 2_000_000],
    ids=lambda text: text[:9].strip(),
)  # fmt: skip
@pytest.mark.parametrize("space", [Real(0, 1), Choice("a", "b"), Text(100), Integer(0, 3)])
def test_a_reply_of_book_length_is_not_looked_through(space: Any, text: str) -> None:
    with pytest.raises(Unparsed, match=r"characters, and at most 400,000 are read; expected"):
        parse(space, text, Legal())


@pytest.mark.usefixtures("watchdog")
@pytest.mark.parametrize("text", ["{}" * 200_000, "{" * 400_000, "[" * 400_000, "9" * 400_000])
def test_the_longest_reply_that_is_read_takes_no_long_time(text: str) -> None:
    with pytest.raises(Unparsed):
        parse(Real(0, 1), text, Legal())


# Keys that a server says back


@pytest.mark.parametrize("place", ["text", "model", "finish", "error", "type"])
def test_a_key_that_a_server_says_back_is_neither_stored_nor_shown(
    place: str, hostile: HostileServer, typed: Typed
) -> None:
    said = json.loads(chat_completion(f'{{"answer": 0.5}} {KEY if place == "text" else ""}'))
    if place == "model":
        said["model"] = f"gpt-{KEY}"
    if place == "finish":
        said["choices"][0]["finish_reason"] = KEY

    def answer(request: HostileHandler) -> None:
        if place == "error":
            request.send(500, json.dumps({"error": {"message": KEY, "code": KEY}}).encode())
        elif place == "type":
            request.send(200, b"x", Content_Type=f"text/{KEY}")
        else:
            request.send(200, json.dumps(said).encode())

    hostile.answers(answer)
    Path("a.yaml").write_text(
        "scenario: language_village\nrounds: 1\nagents: 2\nparameters: {norm_embedder: hashing}\n"
        f"models: {{default: {{model: echo-{place}, api_base: '{hostile.url}', attempts: 1}}}}\n"
    )
    shown = [typed("run", "a.yaml", "-vv", "--out", "a.run"), typed("show", "a.run", "--json")]
    assert hostile.heard[0]["authorization"] == f"Bearer {KEY}"
    assert not [one for one in shown if KEY in one.out + one.err]
    assert not [file for file in Path().glob("a.run*") if KEY.encode() in file.read_bytes()]


def test_a_short_secret_does_not_change_replies(
    surroundings: pytest.MonkeyPatch, hostile: HostileServer, mind: Callable[..., ModelSpec],
    ask: Ask, asked: Asked,
) -> None:  # fmt: skip
    surroundings.setenv("SORT_KEY", "population")
    hostile.answers(plain(chat_completion("the population")))
    [said] = asked(mind(), ask())
    assert said.text == "the population"


# One odd status among good answers


def odd_every_third(status: int) -> Callable[[HostileHandler], None]:
    def answer(request: HostileHandler) -> None:
        if len(request.server.heard) % 3 == 2:
            request.send(status, b"", Location="http://elsewhere.example/")
        else:
            request.send(200, chat_completion())

    return answer


@pytest.mark.parametrize("status", [204, 206, 302, 307, 400, 404, 405, 410, 415, 422, 451])
def test_an_odd_status_among_good_answers_is_tried_again(
    status: int, hostile: HostileServer, typed: Typed
) -> None:
    hostile.answers(odd_every_third(status))
    Path("a.yaml").write_text(
        "scenario: language_village\nrounds: 1\nagents: 3\nparameters: {norm_embedder: hashing}\n"
        f"models: {{default: {{model: odd{status}, api_base: '{hostile.url}', backoff: 0.001, "
        "concurrency: 1}}\n"
    )
    said = typed("run", "a.yaml", "--json", "--out", "a.run")
    assert said.code == 0, said.err
    assert json.loads(said.out)["ledger"]["retries"] > 0


@pytest.mark.parametrize("status", [302, 400, 401, 404])
def test_a_refusal_that_stays_among_good_answers_pauses_the_run(
    status: int, hostile: HostileServer, typed: Typed
) -> None:
    def answer(request: HostileHandler) -> None:
        good = len(request.server.heard) < 4
        request.send(200, chat_completion()) if good else request.send(status, b"{}")

    hostile.answers(answer)
    Path("a.yaml").write_text(
        "scenario: language_village\nrounds: 1\nagents: 3\nparameters: {norm_embedder: hashing}\n"
        f"models: {{default: {{model: stays{status}, api_base: '{hostile.url}', backoff: 0.001, "
        "attempts: 2, concurrency: 1}}\n"
    )
    said = typed("run", "a.yaml", "--quiet", "--out", "a.run")
    assert said.code == 3
    assert f"HTTP {status}" in said.err
    assert "society resume a.run" in said.err
    assert json.loads(typed("show", "a.run", "--json").out)["status"] == "paused"
