"""The changes from one prompt to a later one: lines that stayed, went and came, and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal, NamedTuple

Sign = Literal[" ", "-", "+"]
_WORD = re.compile(r"\s+|[^\s]+")
_MOST = 4000  # words of a line that are compared one by one


class ChangedLine(NamedTuple):
    """A line of either prompt: whether it stayed (" "), went ("-") or came ("+").

    place: its number in the later prompt, or of the line before which it went. parts: its words,
    each with whether the other line in its place lacks them.
    """

    sign: Sign
    place: int
    parts: tuple[tuple[str, bool], ...]

    @property
    def words(self) -> str:
        """The whole line."""
        return "".join(words for words, _ in self.parts)


def prompt_changes(before: str, after: str) -> Iterator[ChangedLine]:
    r"""Yield the lines of two prompts in order; a line that changed goes and comes.

    >>> for line in prompt_changes("I have 3 fish.\nWell?", "I have 4 fish.\nWell?"):
    ...     print(line.sign, [words for words, new in line.parts if new])
    - ['3']
    + ['4']
      []
    """
    old, new = before.split("\n"), after.split("\n")
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            for place in range(k, m):
                yield ChangedLine(" ", place, ((new[place], False),))
            continue
        for number, (gone, come) in enumerate(zip_longest(old[i:j], new[k:m])):
            went, came = _compared(gone, come)
            place = min(k + number, m)
            if gone is not None:
                yield ChangedLine("-", place, went)
            if come is not None:
                yield ChangedLine("+", place, came)


Parts = tuple[tuple[str, bool], ...]


def _compared(old: str | None, new: str | None) -> tuple[Parts, Parts]:
    """Mark the words of each line that the other one lacks."""
    if old is None or new is None:
        return ((old or "", True),), ((new or "", True),)
    one, other = _WORD.findall(old), _WORD.findall(new)
    if len(one) + len(other) > _MOST:
        return ((old, True),), ((new, True),)
    went, came = list[tuple[str, bool]](), list[tuple[str, bool]]()
    for tag, i, j, k, m in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        for parts, words in ((went, one[i:j]), (came, other[k:m])):
            if words:
                parts.append(("".join(words), tag != "equal"))
    return _or_empty(went), _or_empty(came)


def _or_empty(parts: Sequence[tuple[str, bool]]) -> Parts:
    return tuple(parts) or (("", False),)
