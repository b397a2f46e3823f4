"""Meanings of the words of an answer: a number, an option, a peer, or none.

Each is read only if the words leave no second reading: 3-5, "not 3", "3 or 4" and "3 out of 4" give
no number. What is in doubt can be asked for again; what is read wrongly is never found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from society.engine.graph import NOBODY

WRAPPING = " \t\r\n*_`\"'“”‘’«»$<>|\\"  # markup and quotes around what is said
NONE = frozenset({"none", "n/a", "na", "null"})
NO_ONE = NONE | {"nobody", "no one", "noone", "no-one"}
_YES = frozenset({"yes", "true"})
_NO = frozenset({"no", "false"})
YES_OR_NO = _YES | _NO
_SENTENCE = 24  # characters; options that are longer are shown with numbers

_DENIED = re.compile(
    r"\b(?:not|never|cannot|refuse|unable|unless|neither|nor|sorry|if|or)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
# Who names one number of several, or one that may be right, has not decided on it.
_DOUBTED = re.compile(
    r"\b(?:one|some|any|many) of (?:the|many|several)\b"
    r"|\b(?:could|might|perhaps|maybe|possibl[ey])\b",
    re.IGNORECASE,
)
_N = r"[$€£]?\d{1,15}(?:[.,]\d{1,15})?%?"
_RANGE = re.compile(
    rf"\b(?:between|from)\s{_N}\s(?:and|to)\s{_N}"
    rf"|[\[(]\s?{_N}\s?(?:,|;|\.\.\.?|-|–|to)\s?{_N}\s?[\])]"
    rf"|(?<![\w.,]){_N}\s?(?:\.\.\.?|-|–|—|to)\s?{_N}(?!\w|[-–/]\d)"
    r"|(?:\b(?:at (?:most|least)|up to|(?:more|less|fewer|higher|lower) than|below|above|under|over"
    rf"|(?:max|maximum|min|minimum|limit)(?: of)?)|[<>≤≥])\s?{_N}",
    re.IGNORECASE,
)
_TITLES = "villager|agent|player|fisher|peer|id|seat"
_COUNTED = re.compile(
    rf"(?:\b(?:{_TITLES}|round|step|day|option|turn|game|week|year|case)s?\s?#?|#)\d+(?:_\d+)?"
    r"|\b\d+_\d+\b",  # the name of an agent where lives succeed one another
    re.IGNORECASE,
)
_TITLED = re.compile(rf"(?:\b(?:{_TITLES})s?\s?#?|#)([\w-]+)", re.IGNORECASE)
_NUMBER = re.compile(
    r"[-+]?[$€£]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d{1,4})?%?"
)
_LABEL = re.compile(r"[^\W\d]\w*")  # A0 is no number
_PERCENT = re.compile(r"(?<=\d)\s?(?:%|per ?cent\b)", re.IGNORECASE)
_CLOSING = {'"': '"', "'": "'", "`": "`", "*": "*", "_": "_", "“": "”", "‘": "’", "«": "»"}
_AROUND = "*_`\"'“”()[]{},;:!~≈=\\"


@lru_cache(maxsize=4096)  # the same options are offered to many
def normalise_words(words: str) -> str:
    """Words without markup, case and a full stop.

    >>> normalise_words(' **"Stay_home"**. ')
    'stay home'
    """
    bare = words.strip(WRAPPING).rstrip(".!").strip(WRAPPING)
    return " ".join(bare.replace("_", " ").casefold().split())


def strip_wrapping(words: str) -> str:
    """Text without blanks, quotes and stars around all of it; nothing else of it is changed.

    >>> strip_wrapping('**"Stay home" is "law".** ')
    '"Stay home" is "law".'
    """
    words = words.encode("utf-8", "replace").decode().strip()  # JSON can spell half characters
    while len(words) > 1 and _CLOSING.get(words[0]) == words[-1]:
        inner = words[1:-1]
        if words[0] in inner.strip("*") or words[-1] in inner.strip("*"):
            break
        words = inner.strip()
    return words


def means_nothing(said: Any) -> bool:
    """Tell if a value says that there is none: null, NaN, "none", "n/a"."""
    if isinstance(said, str):
        return normalise_words(said) in NONE
    return said is None or (isinstance(said, float) and math.isnan(said))


# Numbers


def parse_number(said: Any, whole: float = math.nan) -> float | None:
    """The one number that is said, or None; a percentage is a part of `whole`.

    whole: 1 or 100; with any other value percentages are not read.

    >>> parse_number("I take 5.5 fish (of the 0 to 10 allowed)")
    5.5
    >>> parse_number("40 percent", whole=1)
    0.4
    """
    if isinstance(said, str):
        return _in_words(said, whole)
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    try:
        value = float(said)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def _in_words(said: str, whole: float) -> float | None:
    if _DENIED.search(said) or _DOUBTED.search(said):
        return None
    found = set()
    said = _PERCENT.sub("%", said.replace("−", "-"))
    for token in _COUNTED.sub(" ", _RANGE.sub(" ", said)).split():
        figure = token.lstrip(_AROUND).rstrip(_AROUND + ".")
        if any(sign.isdigit() for sign in figure) and not _LABEL.fullmatch(figure):
            found.add(_figure(figure, whole))
    return found.pop() if len(found) == 1 else None


def _figure(figure: str, whole: float) -> float | None:
    """A number as people write it: 1,000, $5, 40%; None if it is written in another way."""
    if len(figure) > 40 or not _NUMBER.fullmatch(figure):
        return None
    value = float(re.sub("[$€£,%]", "", figure))
    if figure.endswith("%"):
        value = value * whole / 100 if whole in (1, 100) else math.nan
    return value if math.isfinite(value) else None


# Options


def are_numbered(labels: Collection[str]) -> bool:
    """Tell if options are shown with numbers, counted from 1: they are if one is a sentence."""
    return any(len(label) > _SENTENCE or " " in label.strip() for label in labels)


def match_option(said: Any, options: Mapping[str, int]) -> int | None:
    """The index of the one option that is said, or None.

    >>> match_option("I choose Cooperate.", {"cooperate": 0, "defect": 1})
    0
    """
    if isinstance(said, bool):
        said = str(said)
    elif isinstance(said, int | float):
        said = repr(said)
    if not isinstance(said, str):
        return None
    if said in options:
        return options[said]
    for find in (_verbatim, _agreed, _by_number, _by_value, _mentioned):
        index = find(said, options)
        if index is not None:
            return index
    return None


def _verbatim(said: str, options: Mapping[str, int]) -> int | None:
    words = re.sub(r"^(?:option|action) ", "", normalise_words(said))
    return _only(index for label, index in options.items() if normalise_words(label) == words)


def _agreed(said: str, options: Mapping[str, int]) -> int | None:
    """Match yes with true and no with false, between two options that say so."""
    labels = {normalise_words(label): index for label, index in options.items()}
    if len(labels) == 2 and labels.keys() & _YES and labels.keys() & _NO:
        for words in (_YES, _NO):
            if normalise_words(said) in words:
                return labels[(labels.keys() & words).pop()]
    return None


def _by_number(said: str, options: Mapping[str, int]) -> int | None:
    """`2`, `Option 2` or `2. its text`, where the options are shown with numbers."""
    match = re.fullmatch(
        r"(?:option |number |no\.? ?|#)?(\d{1,9})(?:[.):]? (.+))?", normalise_words(said)
    )
    labels = list(options)
    if match is None or not are_numbered(labels) or not 1 <= int(match[1]) <= len(labels):
        return None
    label = labels[int(match[1]) - 1]
    return options[label] if match[2] in (None, normalise_words(label)) else None


def _by_value(said: str, options: Mapping[str, int]) -> int | None:
    """The option that equals the number which is said, if all options are numbers."""
    values = {index: parse_number(label) for label, index in options.items()}
    if None in values.values():
        return None
    value = parse_number(said)
    return _only(index for index, known in values.items() if known == value)


def _mentioned(said: str, options: Mapping[str, int]) -> int | None:
    """The only option that a sentence names; A and I, which are also words, do not count."""
    if not options or _DENIED.search(said):
        return None
    labels = _words(tuple(options))
    named = {normalise_words(words) for words in labels.findall(said)}
    if len(named) != 1 or named <= {"a", "i"}:
        return None
    if are_numbered(options) and re.search(r"\d", labels.sub("", said)):
        return None  # a number that may be another option's
    return _only(index for label, index in options.items() if normalise_words(label) in named)


@lru_cache(maxsize=256)
def _words(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a pattern of labels as words, the longest first; short ones with their capitals."""
    ordered = sorted(set(labels) - {""}, key=len, reverse=True)
    each = (re.escape(label) if len(label) < 3 else f"(?i:{re.escape(label)})" for label in ordered)
    return re.compile(rf"(?<!\w)(?:{'|'.join(each) or '(?!)'})(?!\w)")


def _only(indices: Iterable[int]) -> int | None:
    """The one index, or None if there are none or several."""
    found = set(indices)
    return found.pop() if len(found) == 1 else None


# Peers


def match_peer(said: Any, peers: Mapping[str, int]) -> int | None:
    """The seat of the one peer who is named, NOBODY if nobody is; None if that is unclear.

    >>> match_peer("Villager 3, who took 5 fish", {"3": 2, "5": 4})
    2
    """
    if said is None:
        return NOBODY
    if isinstance(said, bool) or not isinstance(said, int | str):
        return None
    words = str(said)
    if words in peers:
        return peers[words]
    if normalise_words(words) in NO_ONE:
        return NOBODY
    if _DENIED.search(words):
        return None
    names = {name.casefold(): seat for name, seat in peers.items()}
    named = _names(_TITLED.findall(words), names) or _names(re.findall(r"[\w.-]+", words), names)
    if re.search(r"\b(?:nobody|no one|none)\b", words, re.IGNORECASE):
        return None if named else NOBODY
    return names.get(named.pop()) if len(named) == 1 else None


def _names(words: Iterable[str], names: Collection[str]) -> set[str]:
    """The words that may name a peer: known names, and numbers that would be one."""
    said = (word.strip(".-").casefold() for word in words)
    return {word for word in said if word in names or word.isdigit()}
