"""Objects `{...}` in a text: JSON, or what people and models write in its place.

    text -> matching braces -> JSON -> if it is none: comments, loose quotes and commas mended

Linear in the length of the text: what nests deeper than DEPTH and what comes before the last MOST
pairs is passed over, and nothing is decoded beyond its own closing brace.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from society.errors import Unparsed

DEPTH = 6
MOST = 1000
_QUOTED = 40  # characters of a key

_BRACE = re.compile(r"[{}]")
_TOKEN = re.compile(
    r"""(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
      | (?P<single>'[^'\\]*(?:\\.[^'\\]*)*')
      | (?P<passed>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<mark>[{}\[\]:,])
      | (?P<word>[^\s{}\[\]:,"'/]+)
      | (?P<strange>.)""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_QUOTES = str.maketrans("“”", '""')
_LITERALS = {"true": "true", "false": "false", "null": "null", "none": "null"}


class Found(NamedTuple):
    """An object and where it stands: text[start:end]."""

    value: dict[str, Any]
    start: int
    end: int


class _Braces(NamedTuple):
    """A closed pair, and how many pairs nest in it."""

    start: int
    end: int
    height: int


class KeyTwice(Unparsed, ValueError):
    """An object that gives two values to one key: it is in doubt which is meant."""


def decode_objects(text: str) -> Iterator[Found]:
    """The objects that can be decoded, the last first; what stands inside another is left out.

    Raises KeyTwice where it comes to an object that is in doubt.
    """
    first = text.find("{")
    if first < 0:
        return
    alone = _first(text, first)
    if alone is not None:
        yield alone
        return
    start = len(text)
    flat = (pair for pair in reversed(_closed(text)[0]) if pair.height <= DEPTH)
    for pair in itertools.islice(flat, MOST):
        if pair.start < start:
            value = _decoded(text[pair.start : pair.end])
            if value is not None:
                yield Found(value, pair.start, pair.end)
                start = pair.start


def decode_whole(text: str) -> dict[str, Any] | None:
    """The object that a text is, in strict JSON and with nothing around it; None if it is none."""
    bare = text.strip()
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    try:
        value: dict[str, Any] = _STRICT.decode(bare)
    except (ValueError, RecursionError):
        return None
    return value


def unclosed_brace(text: str) -> int:
    """Find the last brace that is never closed; -1 if there is none."""
    return _closed(text)[1]


def _first(text: str, start: int) -> Found | None:
    """The object at the first brace, if no other comes after it: nearly every reply.

    Only here may braces stand within strings.
    """
    try:
        value, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return None if "{" in text[end:] else Found(value, start, end)


def _closed(text: str) -> tuple[list[_Braces], int]:
    """Pairs of braces by their ends, and the last brace left open (or -1)."""
    pairs: list[_Braces] = []
    starts: list[int] = []
    heights: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            starts.append(match.start())
            heights.append(0)
        elif starts:
            height = heights.pop()
            pairs.append(_Braces(starts.pop(), match.end(), height))
            if heights:
                heights[-1] = max(heights[-1], height + 1)
    return pairs, starts[-1] if starts else -1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises KeyTwice for an object that gives two values to one key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise KeyTwice(f"got an object in which {twice[:_QUOTED]!r} comes twice")
    return found


_STRICT = json.JSONDecoder(object_pairs_hook=_once)


def _decoded(span: str) -> dict[str, Any] | None:
    for text in (span, _mended(span)):
        try:
            value: dict[str, Any] = _STRICT.decode(text)
            return value
        except KeyTwice:
            raise
        except (ValueError, RecursionError):
            continue
    return None


def _mended(span: str) -> str:
    """Rewrite as JSON: no comments, no trailing commas, all words and keys in double quotes.

    >>> _mended("{A0: +40%, 'A1': 60, // the rest" + chr(10) + "}")
    '{ "A0" : "+40%" , "A1" : 60 }'
    """
    parts: list[str] = []
    for token in _TOKEN.finditer(span.translate(_QUOTES)):
        kind, said = token.lastgroup, token[0]
        if kind == "strange":
            return ""
        if kind == "passed":
            continue
        if said in ("}", "]") and parts[-1] == ",":
            parts.pop()
        if kind == "single":
            said = json.dumps(said[1:-1].replace("\\'", "'"))
        elif kind == "word":
            said = _LITERALS.get(said.lower()) or _word(said)
        parts.append(said)
    return " ".join(parts)  # "1 2" must not become 12


def _word(said: str) -> str:
    """A number as it is; any other word, 40% among them, in quotes."""
    number = said.removeprefix("+")
    return number if _NUMBER.fullmatch(number) else json.dumps(said)
