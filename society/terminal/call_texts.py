"""Calls to models in full: who has given which words of a prompt stands in the margin.

Nothing is shortened or broken into lines, so that what is piped can be searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from society.engine.calls import PromptPart
from society.runs.call_search import NamedCall

from .console import TerminalStyle

if TYPE_CHECKING:
    from rich.console import Console

_ROLES = {"brief": "{}", "question": "{} asks", "thought": "{} thought"}
_REPLY = "reply"


def print_calls(calls: Iterable[NamedCall], console: Console, *, replicates: int = 1) -> int:
    """Print calls one below the other; returns how many there were."""
    style, count = TerminalStyle(console.encoding, console.width, whole=True), 0
    for count, named in enumerate(calls, 1):
        if count > 1:
            _print(console, Text())
        _print(console, style.text(_heading(named, replicates), "bold"))
        lines = [*_lines(named)]
        width = max(len(margin) for margin, _ in lines)
        for margin, words in lines:
            # Blanks at the end of a line are words of the prompt, too.
            shown = Text.assemble((f"{style.words(margin):>{width}} ", "cyan"), ("| ", "dim"))
            _print(console, shown.append(style.words(words)))
    return count


def _print(console: Console, line: Text) -> None:
    console.print(line, soft_wrap=True)


def _heading(named: NamedCall, replicates: int) -> str:
    """Who was asked what, by whom, and what it took: "round 3 · villager 2 · effort ..."."""
    (number, request, said), address = named.call, named.call.request.address
    parts = [
        f"round {number}" if number else "before the first round",
        *([f"replicate {address.replicate}"] if replicates > 1 else []),
        named.agent,
        f"{address.kind} ({address.component})",
        said.model or request.model,
        _tokens(said.prompt_tokens, said.completion_tokens),
    ]
    if request.again:
        parts.append(f"{request.again}: {request.reason}" if request.reason else request.again)
    if said.finish != "stop":
        parts.append(said.finish)
    if said.copied:
        parts.append("copied")
    return " · ".join(parts)


def _tokens(sent: int | None, got: int | None) -> str:
    """Tokens of a prompt and its reply.

    >>> _tokens(512, None)
    '512 + unknown tokens'
    """
    sides = ("unknown" if tokens is None else f"{tokens:,}" for tokens in (sent, got))
    return f"{' + '.join(sides)} tokens"


def _lines(named: NamedCall) -> Iterator[tuple[str, str]]:
    """Yield the lines of a call: what stands in the margin, and the words."""
    request, said = named.call.request, named.call.said
    for place, message in enumerate(request.messages):
        last = place == len(request.messages) - 1
        for margin, line in mark_lines(message.content, request.parts if last else ()):
            yield margin or ("" if last else message.role), line
    for line in said.text.split("\n"):
        yield _REPLY, line


def mark_lines(words: str, parts: Iterable[PromptPart]) -> Iterator[tuple[str, str]]:
    """Yield each line of a prompt, after the names of those who have given some of it.

    >>> part = PromptPart("mood", "brief", 4, 10)
    >>> list(mark_lines("One\\nI am well.\\n", [part]))
    [('', 'One'), ('mood', 'I am well.'), ('', '')]
    """
    given, start = list(parts), 0
    for line in words.split("\n"):
        end = start + len(line)
        names = (
            _ROLES[one.role].format(one.component)
            for one in given
            if one.start < end and start < one.start + one.length
        )
        yield ", ".join(names), line
        start = end + 1
