"""Places at which an answer may stand in a reply: what is in doubt is not read.

    an object:  the last one that fits, alone on its line or at the end of its sentence
    in words:   after "answer:" or in \\boxed{}; on a line of its own, the first or the last; or all

A reply that stops in mid-sentence, or goes on for long, has not come to its answer: it is cut off.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from society.errors import CutOff, Unparsed

from .json_objects import decode_objects, decode_whole, unclosed_brace
from .values import WRAPPING, normalise_words

REASONING = "reasoning"  # the name of the thoughts before an answer
_ROOM = 3000  # characters; if more is said after it, an answer was a step of the reasoning
_SHORT = 80  # characters; so much may end without a full stop
_LONG = 10_000  # characters; who thinks for so long without an answer has met a limit
_FENCES = frozenset({"", "json", "text", "boxed"})  # what may stand before an object on its line

_ESCAPED = re.compile(r"(?<!\\)\\([{}%$#&])")  # after another backslash it belongs to JSON
_TEXT = re.compile(r"(?<!\\)\\(?:text|textbf|textit|mathrm|mathbf)\s?\{([^{}]*)\}")
_BOXED = re.compile(r"\\boxed\s?\{([^{}]*)\}")
_MARKED = ("answer", "decision", "choice", "vote")
_MARK = re.compile(
    r"(?:\b(?:answer|(?:final|my) (?:decision|choice|vote))[ \t*_`\"']{0,6}[:=]"
    r"|^[ \t>*_#]{0,6}(?:(?:so|thus|therefore|hence),? )?(?:my|the)(?: final)?"
    r" (?:answer|decision|choice|vote) is\b:?)[ \t]*([^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_SPEECH = re.compile(r"^[ \t>*_#]{0,6}(?:final )?answer[ \t*_]{0,6}:", re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(r"[\s`*_\"'”$}|)\]\\]*")
_OPENING = " \t>*_`#$(|-[\\{"
_OBJECT = re.compile(r"\{\s{0,80}[\"'\w]")
_LINE = re.compile(r"\s*(\S[^\n]*)")
_BARE = re.compile(r"[-+−]?[$€£#]?\d[\d.,]*%?(?: [^\W\d]+)?\.?")
_NAMED_FIGURE = re.compile(
    r"\n[ \t>*_#-]{0,8}[\"'`]?(\w[\w ]{0,40}?)[\"'`]?[ \t*_]{0,8}[:=][ \t*_]{0,8}[-+]?\d"
)
_TITLE = re.compile(r"^(?:villager|agent|player|fisher|peer|id|option|#) ?#?")


class Given(NamedTuple):
    """A JSON value, or words, in the place of an answer."""

    said: Any


def quote_excerpt(said: Any, *, end: bool = False) -> str:
    """A short quote, from the beginning or from the end.

    >>> quote_excerpt("well, " * 30)
    "'well, well, well, well, well, well, well, well, well, well, ...'"
    """
    text = said.strip() if isinstance(said, str) else reprlib.repr(said)
    if len(text) > 60:
        text = f"...{text[-60:]}" if end else f"{text[:60]}..."
    return repr(" ".join(text.split()))


def unread_error(text: str, given: Given | None, expected: str) -> Unparsed:
    """The error for a reply in which `given` is no answer, or nothing stands in its place."""
    if not text.strip():
        return Unparsed(f"got an empty reply; expected {expected}")
    said = text if given is None else given.said
    if isinstance(said, str) and len(said) > (_SHORT if _unfinished(said) else _LONG):
        return CutOff(f"{breaking_off(text)}; expected {expected}")
    if given is not None:
        return Unparsed(f"got {quote_excerpt(said)}; expected {expected}")
    return Unparsed(
        f"got {quote_excerpt(text, end=True)} without a clear answer; expected {expected}"
    )


def breaking_off(text: str) -> str:
    """The beginning of an error about a reply that has no end.

    >>> breaking_off("So I think that")
    "got a reply that breaks off, 'So I think that'"
    """
    return f"got a reply that breaks off, {quote_excerpt(text, end=True)}"


def _unfinished(text: str) -> bool:
    """Tell if a text stops in the middle of a sentence."""
    last = text.rstrip()[-1:]
    return last.isalnum() or (last != "" and last in ",:;-–—([“‘→=<+/&")


# What a single value, a form and a speech are found by


def strip_thoughts(text: str) -> str:
    """Remove the thoughts that a model marks as such, and LaTeX around the answer.

    Marks within a reply that is one object are words like others.
    """
    if "think>" in text and decode_whole(text) is None:
        _, closed, after = text.rpartition("</think>")
        if not closed and text.lstrip().startswith("<think>"):
            raise CutOff(f"got thoughts without an end, {quote_excerpt(text, end=True)}")
        text = after if closed else text
    return strip_latex(text) if "\\" in text else text


def strip_latex(text: str) -> str:
    """Remove LaTeX around words and before signs.

    >>> strip_latex(r"\\textbf{half}, 50\\%")
    'half, 50%'
    """
    return _ESCAPED.sub(r"\1", _TEXT.sub(r"\1", text))


def find_answer(text: str, known: Callable[[], Collection[str]] = tuple) -> Given | None:
    """Find what stands in the place of a single answer; None if nothing does.

    known: gives plain words that are an answer if a line says nothing else. Raises CutOff.
    """
    end, given = _in_object(text)
    _whole(text, end)
    boxed = _last(_BOXED, text, end)
    mark = _last(_MARK, text, _hinted(text, boxed.end() if boxed else end)) or boxed
    if mark is not None:
        return Given(_after(text, mark))
    return given or _in_lines(text, known())


def find_fields(text: str, names: Sequence[str]) -> dict[str, Any]:
    """Find what a reply gives to these names, in any case, in the place of `filled_in`.

    A name that comes twice there is left out. Raises CutOff.
    """
    return entries_named(filled_in(text, names).items(), names)


def filled_in(text: str, names: Sequence[str]) -> Mapping[str, Any]:
    """Find all that stands beside these names: in the last object that has one, or in lines.

    Raises CutOff.
    """
    for found in decode_objects(text):
        entries = _entries(found.value, names)
        if entries is not None:
            _whole(text, found.end)
            _placed(text, found.start, found.end)
            return entries
    _whole(text, -1)
    return _in_labelled_lines(text, names)


def find_speech(text: str, limit: int, *, wrapped: bool = False) -> Given | None:
    """Words that are said: an answer in an object or after "Answer:", or all; None if in doubt.

    An object without an answer says nothing.

    wrapped: leave markup and quotes around words, for who can tell to what they belong.
    Several paragraphs beyond the limit are thoughts without an answer. Raises CutOff.
    """
    end, given = _in_object(text)
    _whole(text, end)
    if given is not None or decode_whole(text) is not None:
        return given
    mark = _last(_SPEECH, text, 0)
    said = text[mark.end() if mark else 0 :]
    bare = said.strip(WRAPPING)
    if not bare or (len(bare) > limit and "\n\n" in bare):
        return None
    return Given(said if wrapped else bare)


# Objects


def _in_object(text: str) -> tuple[int, Given | None]:
    """Find the end of the last object with one answer, and this: `answer`, or its only entry."""
    for found in decode_objects(text):
        entries = {normalise_words(key): entry for key, entry in found.value.items()}
        if "answer" in entries or (len(entries) == 1 and REASONING not in entries):
            _placed(text, found.start, found.end)
            return found.end, Given(entries.get("answer", next(iter(entries.values()))))
    return 0, None


def _entries(value: dict[str, Any], names: Sequence[str]) -> dict[str, Any] | None:
    """The object that has the wanted entries; None if this one is about something else.

    It may wrap them as its `answer`, or as all it has; wrapped in another way they are in doubt.
    """
    if entries_named(value.items(), names):
        return value
    wrapped = {
        normalise_words(key): inner
        for key, inner in value.items()
        if isinstance(inner, dict) and entries_named(inner.items(), names)
    }
    if len(value) == 1:
        return next(iter(wrapped.values()), None)
    return wrapped.get("answer", {}) if wrapped else None


def entries_named(entries: Iterable[tuple[str, Any]], names: Collection[str]) -> dict[str, Any]:
    """The entries under these names, in any case; a name that comes twice is left out."""
    wanted = {normalise_words(name): name for name in names}
    found: dict[str, Any] = {}
    twice = set()
    for key, entry in entries:
        name = wanted.get(normalise_words(key))
        if name in found:
            twice.add(name)
        elif name is not None:
            found[name] = entry
    return {name: entry for name, entry in found.items() if name not in twice}


def first_unnamed(entries: Mapping[str, Any], names: Collection[str]) -> str | None:
    """The first other name that is given a figure, be it on a line of its own, if there is one.

    >>> first_unnamed({"a": 1, "why": "It is safe.", "c": "2 %"}, ["a", "b"])
    'c'
    """
    wanted = {normalise_words(name) for name in names}
    for key, entry in entries.items():
        if normalise_words(key) not in wanted and _figure(entry):
            return key
        if isinstance(entry, str) and (line := _NAMED_FIGURE.search(entry)):
            return line[1]
    return None


def _figure(said: Any) -> bool:
    if isinstance(said, str):
        return _BARE.fullmatch(said.strip(WRAPPING).replace(" %", "%")) is not None
    return isinstance(said, int | float) and not isinstance(said, bool)


def _placed(text: str, start: int, end: int) -> None:
    """Raise CutOff unless an object stands on its own, and the text goes on to an end."""
    closing = _CLOSING.match(text, end)
    rest = closing.end() if closing else end
    if rest == len(text):
        return
    before = text[text.rfind("\n", 0, start) + 1 : start].strip(_OPENING)
    if before not in _FENCES and text[rest] not in ".!?" and "\n" not in text[end:rest]:
        raise CutOff(f"got an object in the middle of a sentence, {quote_excerpt(text[start:])}")
    _ended(text, end)


def _ended(text: str, end: int) -> None:
    """Raise CutOff if what follows an answer is too much, or stops in mid-sentence."""
    if len(text) - end > _ROOM:
        raise CutOff(
            f"got {len(text) - end} more characters after {quote_excerpt(text[:end], end=True)}"
        )
    if _unfinished(text[end:]):
        raise CutOff(breaking_off(text))


def _whole(text: str, end: int) -> None:
    """Raise CutOff if an object begins after `end` and is never closed."""
    start = unclosed_brace(text)
    if start >= max(end, 0) and _OBJECT.match(text, start) and "\n\n" not in text[start:]:
        raise CutOff(f"got an object that is not closed, {quote_excerpt(text[start:])}")


# Words


def _last(mark: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    last = None
    for found in mark.finditer(text, start):
        last = found
    return last


def _hinted(text: str, start: int) -> int:
    """Find where the search for a mark may begin: far quicker than the search itself."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters become two
        return start
    places = [place for word in _MARKED if (place := lowered.find(word, start)) >= 0]
    return max(start, text.rfind("\n", 0, min(places)) + 1) if places else len(text)


def _after(text: str, found: re.Match[str]) -> str:
    """Find what stands after a mark: on its line, or on the next one that says something."""
    said, end = found[1].strip(WRAPPING), found.end()
    if not said:
        line = _LINE.match(text, end)
        if line is None:
            raise CutOff(breaking_off(text))
        said, end = line[1].strip(WRAPPING), line.end()
    _ended(text, end)
    return said


def _in_lines(text: str, known: Collection[str]) -> Given | None:
    """The only line; else the first or the last, if it says nothing but an answer."""
    lines = [line for line in text.splitlines() if line.strip(WRAPPING) not in _FENCES]
    if len(lines) == 1 and "{" not in lines[0]:  # an object that does not fit is no prose
        return Given(lines[0].strip(WRAPPING))
    bare = {
        said for line in (lines[:1] + lines[-1:]) if _alone(said := line.strip(WRAPPING), known)
    }
    if len(bare) != 1:
        return None
    said = bare.pop()
    if lines[-1].strip(WRAPPING) != said:
        _ended(text, text.index(said) + len(said))
    return Given(said)


def _alone(line: str, known: Collection[str]) -> bool:
    said = normalise_words(line)
    return said in known or _TITLE.sub("", said, count=1) in known or bool(_BARE.fullmatch(line))


def _in_labelled_lines(text: str, names: Sequence[str]) -> dict[str, Any]:
    """`Name: words` for each name, if the text begins or ends with these lines."""
    labels = list(_labels(tuple(names)).finditer(text))
    if not labels:
        return {}
    ends = [*(label.start() for label in labels[1:]), len(text)]
    said = [text[label.end() : end].strip() for label, end in zip(labels, ends, strict=True)]
    said[-1], _, after = said[-1].partition("\n\n")
    if after and text[: labels[0].start()].strip(WRAPPING):
        return {}
    keys = (label[1] for label in labels)
    return entries_named(zip(keys, (words.strip(WRAPPING) for words in said), strict=True), names)


@lru_cache(maxsize=256)
def _labels(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(re.sub(r"\\ |_", "[ _]", re.escape(name)) for name in names)
    return re.compile(
        rf"^[ \t>*_#-]*(?:\d{{1,2}}[.)] ?)?[\"'`]?({either})[\"'`]?[ \t*_]*[:=][ \t*_]*",
        re.IGNORECASE | re.MULTILINE,
    )
