"""Calls in full: headings, margins and words that control no terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from society.engine.calls import Address, Completion, Message, PromptPart, Request
from society.llm.call_tables import Call
from society.runs.call_search import NamedCall
from society.terminal.call_texts import mark_lines, print_calls

ADDRESS = Address("language_policy", "answer bid", 3, 1, 0, 0)


def called(
    *messages: Message, parts: tuple[PromptPart, ...] = (), said: Completion, **more: Any
) -> NamedCall:
    request = Request(ADDRESS, "default", messages, parts=parts, **more)
    return NamedCall(Call(4, request, said), "farmer 0")


def printed(*calls: NamedCall, replicates: int = 1) -> list[str]:
    file = io.StringIO()
    assert print_calls(calls, Console(file=file, width=40), replicates=replicates) == len(calls)
    return file.getvalue().splitlines()


def test_a_call_is_printed_with_its_parts_in_the_margin() -> None:
    words = "The well is dry.\nI am poor.\nHow much?"
    parts = (PromptPart("purse", "brief", 17, 10), PromptPart("greed", "question", 28, 9))
    asked = Message("system", "You farm."), Message("user", words)
    said = Completion("A little.\n0.25", prompt_tokens=1200, completion_tokens=7, model="gpt")
    assert printed(called(*asked, parts=parts, said=said)) == [
        "round 4 · farmer 0 · bid (language_policy) · gpt · 1,200 + 7 tokens",
        "    system | You farm.",
        "           | The well is dry.",
        "     purse | I am poor.",
        "greed asks | How much?",
        "     reply | A little.",
        "     reply | 0.25",
    ]


def test_what_went_wrong_stands_in_the_heading() -> None:
    said = Completion("0.2", finish="length", prompt_tokens=3)
    call = called(Message("user", "Well?"), said=said, again="repair", reason="got nothing")
    assert printed(call, replicates=2)[0] == (
        "round 4 · replicate 1 · farmer 0 · bid (language_policy) · default · 3 + unknown tokens · "
        "length · repair: got nothing"
    )


def test_the_heading_tells_cached_tokens_cost_seconds_and_failed_attempts() -> None:
    said = Completion("0.2", "stop", 900, 12, 0.00125, 1.234, 2, "gpt", cached_tokens=640)
    assert printed(called(Message("user", "Well?"), said=said))[0] == (
        "round 4 · farmer 0 · bid (language_policy) · gpt · 900 + 12 tokens (640 cached) · "
        "0.0013 US dollars · 1.23 s · 2 failed attempts"
    )


def test_long_lines_stay_whole_and_calls_stand_apart() -> None:
    one = called(Message("user", "word " * 40), said=Completion("1"))
    lines = printed(one, one)
    assert lines[1] == "      | " + "word " * 40
    assert lines[3] == ""
    assert lines[:3] == lines[4:]


def test_nothing_in_a_call_controls_the_terminal() -> None:
    lines = printed(called(Message("user", "\x1b[31mred"), said=Completion("[bold]\x07")))
    assert lines[1:] == ["      | \\x1b[31mred", "reply | [bold]\\x07"]


@pytest.mark.parametrize(
    ("start", "length", "margins"),
    [(0, 3, ["mood", "", ""]), (2, 4, ["mood", "mood", ""]), (4, 0, ["", "", ""])],
)
def test_a_part_marks_the_lines_in_which_it_has_words(
    start: int, length: int, margins: list[str]
) -> None:
    part = PromptPart("mood", "brief", start, length)
    assert [margin for margin, _ in mark_lines("One\nTwo\n", [part])] == margins
