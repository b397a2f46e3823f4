"""Calls to models in full: who has given which words of a prompt stands in the margin.

Nothing is shortened or broken into lines, so that what is piped can be searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from society.engine.calls import PromptPart
from society.runs.call_search import NamedCall

from .console import TerminalStyle
from .labels import count_noun
from .usage_tables import format_dollars

if TYPE_CHECKING:
    from rich.console import Console

    from society.llm.call_tables import Call

_ROLES = {"brief": "{}", "question": "{} asks", "thought": "{} thought"}
REPLY, ANSWER = "reply", "answer"
_FINEST = 0.005  # seconds that are worth a word


def print_calls(
    calls: Iterable[NamedCall],
    console: Console,
    *,
    replicates: int = 1,
    read: Callable[[Call], str] = lambda call: "",
) -> int:
    """Print calls one below the other; returns how many there were.

    read: says what was settled after the last call of a question; "" after others.
    """
    style, count = TerminalStyle(console.encoding, console.width, whole=True), 0
    for count, named in enumerate(calls, 1):
        lines = [*_lines(named)]
        if settled := read(named.call):
            lines += [(ANSWER, line) for line in settled.split("\n")]
        width = max(len(margin) for margin, _ in lines)
        shown = [style.text(_heading(named, replicates), "bold")]
        for margin, words in lines:
            # Blanks at the end of a line are words of the prompt, too.
            line = Text.assemble((f"{style.words(margin):>{width}} ", "cyan"), ("| ", "dim"))
            shown.append(line.append(style.words(words)))
        if count > 1:
            shown.insert(0, Text())
        _print(console, shown)
    return count


def _print(console: Console, lines: Sequence[Text]) -> None:
    """Print lines that are harmless already; without colours, which take most of the time."""
    if console.is_terminal:
        console.print(Text("\n").join(lines), soft_wrap=True)
    else:
        console.file.write("".join(f"{line.plain}\n" for line in lines))


def _heading(named: NamedCall, replicates: int) -> str:
    """Who was asked what, by whom, and what it took: "round 3 · villager 2 · effort ..."."""
    (number, request, _), address = named.call, named.call.request.address
    parts = [
        f"round {number}" if number else "before the first round",
        *([f"replicate {address.replicate}"] if replicates > 1 else []),
        named.agent,
        f"{address.kind} ({address.component})",
        *describe_call(named.call),
    ]
    if request.again:
        parts.append(f"{request.again}: {request.reason}" if request.reason else request.again)
    return " · ".join(parts)


def describe_call(call: Call) -> Iterator[str]:
    """Yield the model, tokens, cost in US dollars and seconds of a call; and why it was cut off."""
    request, said = call.request, call.said
    yield said.model or request.model
    yield _tokens(said.prompt_tokens, said.completion_tokens, said.cached_tokens)
    if said.cost:
        yield f"{format_dollars(said.cost)} US dollars"
    if said.latency >= _FINEST:
        yield f"{said.latency:.2f} s"
    if said.retries:
        yield count_noun(said.retries, "failed attempt")
    if said.finish != "stop":
        yield said.finish
    if said.copied:
        yield "copied"


def _tokens(sent: int | None, got: int | None, cached: int | None = None) -> str:
    """Tokens of a prompt and its reply, and those of the prompt that the provider had in its cache.

    >>> _tokens(512, None, 400)
    '512 + unknown tokens (400 cached)'
    """
    sides = ("unknown" if tokens is None else f"{tokens:,}" for tokens in (sent, got))
    return f"{' + '.join(sides)} tokens{f' ({cached:,} cached)' if cached else ''}"


def _lines(named: NamedCall) -> Iterator[tuple[str, str]]:
    """Yield the lines of a call: what stands in the margin, and the words."""
    yield from prompt_lines(named.call)
    for line in named.call.said.text.split("\n"):
        yield REPLY, line


def prompt_lines(call: Call) -> Iterator[tuple[str, str]]:
    """Yield the lines of a prompt: who has given some of it, or the role of an earlier message."""
    messages = call.request.messages
    for place, message in enumerate(messages):
        last = place == len(messages) - 1
        for margin, line in mark_lines(message.content, call.request.parts if last else ()):
            yield margin or ("" if last else message.role), line


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
