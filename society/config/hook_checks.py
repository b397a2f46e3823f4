"""Check classes by themselves: hooks of components and mechanisms that can never be called."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from society.engine.component import ANYTHING, Component

from .source_look import SourceFile
from .wiring_issues import Severity, WiringIssue

_HOOKS = ("begin", "adapt", "answer", "consult", "brief", "ponder", "notice", "born")
_MECHANISM_HOOKS = ("begin", "on_move", "on_payoff")


def component_issues(kind: type[Component]) -> Iterator[WiringIssue]:
    """Find hooks of a component that can never be called, by its class alone."""
    yield from _undeclared_hooks(kind)
    yield from _unanswered_questions(kind)
    yield from _idle_hooks(kind)
    for name, value in vars(kind).items():
        if inspect.isfunction(value) and not (hasattr(Component, name) or name.startswith("_")):
            yield from _misnamed(kind, name, value)


def _undeclared_hooks(kind: type[Component]) -> Iterator[WiringIssue]:
    """Find hooks without the declaration of what they are for, and the other way round."""
    title, told, notices = kind.title(), kind.notices, kind.overrides("notice")
    if notices and not told:
        yield part_issue(
            kind,
            "notice",
            f"{title} has `notice`, but no `notices`, so it is never called; "
            'write notices = ("KIND", ...), the events that it shall notice',
            "error",
        )
    if told and not notices:
        yield part_issue(
            kind,
            "notices",
            f"{title} has `notices`, but no `notice` to take them in; write "
            "notice(self, tell, agents), or leave `notices` out",
            "error",
        )
    if kind.overrides("answer") and not kind.answers:
        yield part_issue(
            kind,
            "answer",
            f"{title} has `answer`, but no `answers`, so it is never asked; "
            'write answers = ("KIND", ...)',
            "error",
        )


def _unanswered_questions(kind: type[Component]) -> Iterator[WiringIssue]:
    """Find questions that a component says it answers, and has no method for."""
    title, answers = kind.title(), kind.overrides("answer")
    general = kind.answer is not Component.answer or kind.overrides("consult")
    for question in kind.answers:
        if not general and question != "*" and answers and not hasattr(kind, f"answer_{question}"):
            words = f"{title} answers {question!r} and has no method answer_{question}; write it"
            yield part_issue(kind, "answers", words, "error")


def _idle_hooks(kind: type[Component]) -> Iterator[WiringIssue]:
    """Find hooks that are passed over for want of columns, or since another one goes before."""
    title = kind.title()
    if kind.overrides("answer") and kind.overrides("consult"):
        yield part_issue(
            kind,
            "consult",
            f"{title} has both `answer` and `consult`, and `consult` is never called; "
            "leave one of them out",
            "warning",
        )
    if kind.overrides("born") and not kind.columns:
        words = f"{title} has `born`, but no columns that could be inherited, so it is never "
        yield part_issue(kind, "born", f"{words}called; declare columns", "error")


def _misnamed(
    kind: type[Component], name: str, method: Callable[..., object]
) -> Iterator[WiringIssue]:
    """Find what is wrong with the name of a method that is no hook."""
    title = kind.title()
    close = difflib.get_close_matches(name, _HOOKS, n=1, cutoff=0.8)
    given = len(inspect.signature(method).parameters)
    alike = close and given == len(inspect.signature(getattr(Component, close[0])).parameters)
    answer = name.removeprefix("answer_")
    answers = answer != name and answer in kind.answers  # of a short kind: close to `answer`
    if alike and not answers and not _calls(kind, name):
        words = f"{title} has a method {name!r}, which is never called"
        yield part_issue(kind, name, f"{words}; did you mean {close[0]!r}?", "error")
    if answer != name and answer not in kind.answers and kind.answers != ANYTHING:
        words = f"{title} has the method {name}, but {answer!r} is not among its `answers`"
        yield part_issue(kind, name, f"{words}, so it is never called; add it", "error")


def unset_columns(kind: type[Component]) -> Iterator[WiringIssue]:
    """Find columns that no code of the file sets, so that they stay as they were made."""
    file = file_of(kind)
    named = source_file(file).columns_set if file else None
    if named is None or kind.__bases__ != (Component,):
        return
    for column in kind.columns:
        if column.name not in named and not (column.heritable or column.per_peer):
            words = f"{kind.title()} never sets its column {column.name!r}, which stays as it began"
            hint = (
                f"set it in begin, notice or born: agents[{column.name!r}] = ..., or leave it out"
            )
            yield part_issue(kind, "columns", f"{words}; {hint}", "warning")


def mechanism_issues(kind: type, name: str) -> Iterator[WiringIssue]:
    """Find misspelt hooks of a mechanism that is a class; name: of the mechanism."""
    for method, value in vars(kind).items():
        close = difflib.get_close_matches(method, _MECHANISM_HOOKS, n=1, cutoff=0.7)
        misspelt = inspect.isfunction(value) and close and method not in _MECHANISM_HOOKS
        if misspelt and not _calls(kind, method):
            words = f"{name} has a method {method!r}, which is never called"
            yield part_issue(kind, method, f"{words}; did you mean {close[0]!r}?", "error")


def is_foreign(part: object) -> bool:
    """Tell whether a class or function is the user's, and did not come with the program."""
    return not getattr(part, "__module__", "").startswith("society.")


def part_issue(kind: type, member: str, words: str, severity: Severity) -> WiringIssue:
    """An issue of a class, at the line of one of its members."""
    file = file_of(kind)
    if not file or not is_foreign(kind):
        return WiringIssue(words, severity)
    return WiringIssue(words, severity, file, source_file(file).member_line(kind.__name__, member))


def file_of(part: Any) -> str:
    """Return the file of a class or function, "" for what was typed in a notebook."""
    try:
        file = inspect.getsourcefile(part) or ""
    except (TypeError, OSError):
        return ""
    return file if file.endswith(".py") else ""


def source_file(file: str) -> SourceFile:
    """Return a file of the user's, which is read again when it has changed."""
    try:
        changed = Path(file).stat().st_mtime_ns
    except OSError:
        changed = 0
    return _read(file, changed)


@cache
def _read(file: str, changed: int) -> SourceFile:
    return SourceFile(file)


def _calls(kind: type, method: str) -> bool:
    """Tell whether a method is used somewhere in the file of its class."""
    file = file_of(kind)
    return bool(file) and source_file(file).mentions(method)
