"""Whatever comes over the wire is a reply, or a failed attempt; never an answer made up."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.llm.providers.responses import (
    Failed,
    Reply,
    ResponsePlace,
    http_error,
    parse_completion,
    retry_after,
    without_thoughts,
)


def body(content: Any, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **more}, "finish_reason": finish}]}


def test_the_first_choice_is_the_reply() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    assert parse_completion(body("0.4") | {"usage": usage, "model": "m-2024"}) == Reply(
        "0.4", "stop", 3, 4, None, "m-2024"
    )


def test_reasoning_is_no_part_of_the_text() -> None:
    assert parse_completion(body("0.4", reasoning_content="hm")).text == "0.4"
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "0.4"}]
    assert parse_completion(body(parts)).text == "0.4"


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("<think>7 or 8?</think>\n\n7", "7"),
        ("7 or 8? </think> 7", "7"),
        ("<think>7 or", ""),
        ("[THINK]7?[/THINK]\n[THINK]8?[/THINK] 7", "7"),
        ("I <think> 7 </think> 8", "I <think> 7 </think> 8"),
        ("7", "7"),
        ("", ""),
    ],
)
def test_thoughts_before_the_answer_are_cut_off(said: str, heard: str) -> None:
    assert without_thoughts(said) == heard


def test_marks_within_a_json_object_are_words_of_it() -> None:
    said = '{"reasoning": "It ends with </think>, not [/THINK].", "answer": 7}'
    assert without_thoughts(said) == said
    assert without_thoughts(f"<think>7?</think>{said}<|im_end|>") == said


def test_thoughts_that_a_server_keeps_apart_are_read_if_there_is_nothing_else() -> None:
    """Under the name that vLLM and DeepSeek give them, or Ollama and OpenRouter."""
    for name in ("reasoning_content", "reasoning"):
        assert parse_completion(body("", **{name: '{"answer": 7}'})).text == '{"answer": 7}'
        assert parse_completion(body("8", **{name: '{"answer": 7}'})).text == "8"
        assert parse_completion(body("", **{name: [7]})).text == ""


def test_a_tool_call_whose_arguments_are_null_has_not_answered() -> None:
    """It would be read as "none", or nobody."""
    call = {"function": {"name": "answer", "arguments": None}}
    said = body(None, tool_calls=[call], reasoning_content='{"answer": 7}')
    assert parse_completion(said).text == '{"answer": 7}'
    assert parse_completion(body(None, tool_calls=[call])).text == ""


def test_words_of_refusal_are_the_reply_and_what_was_thought_before_is_none() -> None:
    said = body(None, refusal="I cannot help with that.", reasoning='{"answer": 7}')
    reply = parse_completion(said)
    assert (reply.text, reply.finish) == ("I cannot help with that.", "refusal")


def test_an_error_beside_half_an_answer_is_a_failed_attempt() -> None:
    """As OpenRouter tells that the provider behind it broke off."""
    said = body('{"answer": 7}')
    said["choices"][0]["error"] = {"code": 502, "message": "upstream"}
    with pytest.raises(Failed, match=r"ended in an error: .*upstream"):
        parse_completion(said)


@pytest.mark.usefixtures("watchdog")
@pytest.mark.parametrize("said", ["<think></think>", "</think>", "[THINK]x[/THINK]", "{</think>"])
def test_thoughts_without_number_hold_up_nobody(said: str) -> None:
    without_thoughts(said * 120_000)


def test_calls_of_tools_say_nothing() -> None:
    reply = parse_completion(body(None, "tool_calls", tool_calls=[{"id": "1"}]))
    assert (reply.text, reply.finish, reply.empty) == ("", "tool_calls", False)


def test_a_model_that_a_server_names_by_its_file_has_the_name_of_the_file() -> None:
    for name in ("/home/ann/models/qwen3-8b-q4.gguf", "C:\\models\\qwen3-8b-q4.gguf"):
        assert parse_completion(body("0.4") | {"model": name}).model == "qwen3-8b-q4"


@pytest.mark.parametrize("finish", ["stop", None])
def test_no_words_for_no_reason_are_an_empty_reply(finish: str | None) -> None:
    assert parse_completion(body(None, finish)).empty
    assert parse_completion(body(" \n", finish)).empty
    assert parse_completion({"choices": []}).empty


def test_no_words_because_all_room_went_into_thoughts_are_not() -> None:
    assert not parse_completion(body("", "length")).empty


def test_an_answer_without_the_reason_of_its_end_is_an_answer() -> None:
    whole = {"choices": [{"message": {"content": "0.4"}}]}
    assert parse_completion(whole) == parse_completion(body("0.4", None)) == Reply("0.4", "")


@pytest.mark.parametrize(
    ("name", "heard"),
    [
        ("m-2024", "m-2024"),
        ("m\ud800", "m"),
        ("m\x1b[2J\n", "m [2J"),
        ("m" * 999, "m" * 240 + "..."),
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B"),
        (7, ""),
        (["m"], ""),
        (None, ""),
    ],
)
def test_words_of_a_provider_are_fit_for_files_and_tables(name: Any, heard: str) -> None:
    said = parse_completion(body("0.4", name) | {"model": name})
    assert (said.model, said.finish) == (heard, heard)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        [3],
        "3",
        *({"prompt_tokens": odd} for odd in (None, -1, "3", 3.0, True, 10**30, [3])),
    ],
)
def test_tokens_that_are_not_told_are_unknown(usage: Any) -> None:
    said = parse_completion(body("0.4") | {"usage": usage})
    assert (said.text, said.prompt_tokens) == ("0.4", None)


@pytest.mark.parametrize(
    ("told", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 6}}, 6),
        ({"prompt_tokens_details": {"cached_tokens": 0}}, 0),
        ({"prompt_cache_hit_tokens": 6}, 6),
        ({}, None),
        ({"prompt_tokens_details": None}, None),
        ({"prompt_tokens_details": {"cached_tokens": None}}, None),
        ({"prompt_tokens_details": {"cached_tokens": "6"}}, None),
        ({"prompt_tokens_details": {"cached_tokens": 9}}, None),
        ({"prompt_tokens": None, "prompt_cache_hit_tokens": 6}, None),
    ],
    ids=["OpenAI", "none", "DeepSeek", "silent", "null", "unknown", "text", "too many", "of what"],
)
def test_cached_tokens_are_counted_where_they_are_told(
    told: dict[str, Any], cached: int | None
) -> None:
    usage = {"prompt_tokens": 8, "completion_tokens": 1} | told
    assert parse_completion(body("0.4") | {"usage": usage}).cached_tokens == cached


@pytest.mark.parametrize(
    "payload", [None, 7, [], {}, {"choices": None}, {"choices": [{}]}, body(3), body([7])]
)
def test_what_is_no_completion_is_a_failed_attempt(payload: Any) -> None:
    with pytest.raises(Failed, match="no chat completion"):
        parse_completion(payload)


def test_a_body_that_is_deeply_nested_is_a_failed_attempt() -> None:
    with pytest.raises(Failed, match="no chat completion"):
        parse_completion(json.loads("[" * 500 + "]" * 500))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)


@given(st.lists(json_values, max_size=2), json_values, json_values)
def test_no_body_does_worse_than_to_fail(choices: Any, content: Any, finish: Any) -> None:
    for payload in ({"choices": choices}, body(content, finish)):
        with suppress(Failed):
            assert isinstance(parse_completion(payload).text, str)


@pytest.mark.parametrize(
    ("status", "headers", "billed"),
    [
        (500, {"Server": "test"}, False),
        (429, {"Server": "test"}, False),
        (408, {"Server": "test"}, True),
        (504, {"Server": "test"}, True),
        (500, {}, True),
    ],
)
def test_what_nobody_knows_the_end_of_may_have_to_be_paid_for(
    status: int, headers: dict[str, str], billed: bool
) -> None:
    """A gateway that gave up waiting; a client that has no answer and calls that a 500."""
    failed = http_error(status, "", headers, ResponsePlace("host", "m", "KEY"))
    assert isinstance(failed, Failed)
    assert failed.billed == billed


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("2", 2.0),
        ("0.25", 0.25),
        ("-3", 0.0),
        ("Fri, 01 Mar 2024 12:00:30 GMT", 30.0),
        ("Fri, 01 Mar 2024 11:00:00 GMT", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("Fri, 01 Mar 2024 12:00:30 -9999999999999999999", None),
        ("", None),
    ],
)
def test_how_long_to_wait_is_said_in_seconds_or_as_a_date(said: str, seconds: float | None) -> None:
    now = datetime(2024, 3, 1, 12, tzinfo=UTC)
    assert retry_after({"retry-after": said}, now) == seconds


def test_not_said_is_not_known() -> None:
    assert retry_after({"X-Retry-After": "3"}) is None
