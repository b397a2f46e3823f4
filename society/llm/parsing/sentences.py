"""One sentence that opens with given words, found in all that a model says around it.

It begins where the opening begins a sentence, be it in an object, after "Answer:" or at the end of
thoughts, and ends with its paragraph:

    markup and quotes        around the sentence are left out; items of a list in it stand in line
    another paragraph        is chatter, unless the sentence goes on there: after ":", ";" or ","
    another sentence in it   leaves in doubt which is meant, so that neither is read
    another opening          does so, too, unless the same is said again; what stands before an
                             object or "Answer:", or is marked as thoughts, has not been said
    abbreviations, decimals  and numbers of items end no sentence, nor does what goes on in lower
                             case
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise

from society.engine.action_spaces import Sentence
from society.errors import CutOff, Unparsed
from society.text import clean_line

from .extract import Given, find_speech, quote_excerpt, strip_latex, strip_thoughts, unread_error
from .values import WRAPPING

_LEADING = WRAPPING + ":•–—-"
_GOES_ON = (":", ";", ",")
_BREAKS_OFF = (*_GOES_ON, "-", "–", "—", "(")
_QUOTES = tuple("\"'“”‘’‹›")
_OPENED_BY = {
    '"': '"',
    "”": "“",
    "›": "‹",
    "**": "**",
    "`": "`",
}  # `clean_line` has made « and » single
_BEFORE = re.compile(r"(?:^|[^\w\s]|\b(?:so|thus|hence|therefore))[\s>#*_`]*$", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*•–>#]+\s+)+")
_NUMBERED = re.compile(r"\(?(\d{1,2})[.)]\s+(?=\S)")
_ITEM_NUMBER = re.compile(r"(?:^|[,;:(])\s*\d{1,2}$")
_MARKUP = re.compile(r"\*\*+|``+")
_DEBRIS = re.compile(r"[\"”']\s*,?\s*\}\W*$")
_CLOSED_BY = {mark: mark for mark in "\"'*_`"} | {"“": "”", "‘": "’", "‹": "›"}
_CLOSED = re.compile(r"[.!?](\"|”|›|\*\*)")
_END = re.compile(r"([.!?…]+)[\"'”’›)\]]*\s+")
_OPENS = "([\"'“‘‹"
_SHORT = {"a.k.a", "al", "approx", "avg", "ca", "cf", "e.g", "gen", "i.e", "incl", "max", "min"}
_SHORT |= {"no", "resp", "vs", "w.r.t"}


def parse_sentence(space: Sentence, text: str, expected: str) -> str:
    """The sentence in a whole reply; raises Unparsed with the reason, or CutOff if it breaks off.

    expected: the hint, for errors.
    """
    text = strip_thoughts(text)
    given = _string(text) or find_speech(text, len(text), wrapped=True)
    if given is None or not isinstance(given.said, str):
        raise unread_error(text, given, expected)
    return find_sentence(space, given.said, expected)


def find_sentence(space: Sentence, said: str, expected: str) -> str:
    """The sentence in what was said; raises Unparsed, or CutOff."""
    sentence = _found(space, said, expected)
    # What would be read in another way when it is read again is in doubt.
    if _found(space, sentence, expected) != sentence:
        raise Unparsed(f"got {quote_excerpt(sentence)}; expected {expected}")
    return sentence


def _found(space: Sentence, said: str, expected: str) -> str:
    """The sentence that begins with the opening, as it is kept: on one line."""
    said = "\n".join(map(clean_line, strip_latex(said).splitlines()))
    openings = _opened(said, space.opening)
    if not openings:
        raise unread_error(said, Given(said), expected)
    rest = said[openings[-1].end() :]
    first = rest.lstrip(_LEADING)
    colon = ":" in rest[: len(rest) - len(first)]
    begun = colon or "\n\n" not in rest[: len(rest) - len(first)]
    before = _MARKUP.sub("", said[: openings[-1].start()])[-1:]
    lead = _MARKUP.sub("", rest[: len(rest) - len(first)])[-1:]
    body = _body(first, before, lead) if begun else ""
    if not any(map(str.isalnum, body)):
        raise Unparsed(f"got no more than {space.opening!r}; expected {expected}")
    if _DEBRIS.search(body):
        raise Unparsed(f"got a broken object, {quote_excerpt(body, end=True)}; expected {expected}")
    _single(body, expected)
    if other := _another(said, openings, body):
        both = f"{quote_excerpt(other)} and {quote_excerpt(body)} after {space.opening!r}"
        raise Unparsed(f"got {both}; expected {expected}")
    sentence = f"{space.opening}{':' if colon else ''} {body}"
    if len(sentence) > space.limit:
        raise Unparsed(f"got {len(sentence)} characters; expected {expected}")
    return sentence


def _opened(said: str, opening: str) -> list[re.Match[str]]:
    """Find where the opening begins a sentence, and is not only quoted itself."""
    words = r"[\s*_`]+".join(map(re.escape, opening.split()))
    openings = []
    for found in re.finditer(rf"(?<!\w){words}(?!\w)", said, re.IGNORECASE):
        line = said.rfind("\n", 0, found.start()) + 1
        before = said[max(line, found.start() - 40) : found.start()]
        mentioned = before[-1:] in _QUOTES and said[found.end() : found.end() + 1] in _QUOTES
        if _BEFORE.search(before) and not mentioned:
            openings.append(found)
    return openings


def _another(said: str, openings: Sequence[re.Match[str]], body: str) -> str:
    """Find words after an opening before the last that say something else; "" if there are none."""
    for one, following in pairwise(openings):
        other = _body(said[one.end() : following.start()].lstrip(_LEADING))
        if _alike(other) not in ("", _alike(body)):
            return other
    return ""


def _string(text: str) -> Given | None:
    """Decode a text that is a JSON string, and nothing else."""
    try:
        said = json.loads(text) if text.lstrip().startswith('"') else None
    except ValueError:
        return None
    return Given(said) if isinstance(said, str) else None


def _body(text: str, before: str = "", lead: str = "") -> str:
    """Return the first line of a text that follows an opening.

    before, lead: the sign before the opening, and the one between it and the text; if it is a
    quote or markup, that by which it is closed is left out, too.
    """
    body = _trimmed(_alone(_in_line(text)))
    for mark in (lead, before):
        if mark in _CLOSED_BY:
            body = _unclosed(body, _CLOSED_BY[mark], inside=mark is lead or mark in "*_`")
    return body.rstrip()


def _unclosed(body: str, mark: str, *, inside: bool) -> str:
    """Remove the first mark that closes what the text does not open, or only one at the end."""
    sign = re.escape(mark)
    if not inside:  # an apostrophe in the text closes nothing
        return re.sub(rf"{sign}(?=[.!?]?$)", "", body, count=1)
    opened = 0
    for found in re.finditer(rf"(?<!\w){sign}(?=\w)|(?<=\S){sign}(?!\w)", body):
        closes = found.end() == len(body) or not body[found.end()].isalnum()
        opened += -1 if closes else 1
        if opened < 0:
            return body[: found.start()] + body[found.end() :]
    return body


def _alike(body: str) -> str:
    """Reduce a sentence to what all sentences that say the same have in common."""
    return " ".join(re.findall(r"\w+", body.casefold()))


def _in_line(text: str) -> str:
    """The paragraph that a text begins with, and those in which its sentence goes on, on one line.

    >>> _in_line("to\\n- start low;\\n- then copy.\\n\\nI hope that this helps!")
    'to start low; then copy.'
    """
    parts: list[str] = []
    listed = apart = False
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        words = line[bullet.end() :] if bullet else line
        if not words.strip(WRAPPING):
            apart = True
            continue
        number = _NUMBERED.match(words)
        ended = not parts or parts[-1].endswith((*_GOES_ON, ".", "!", "?"))
        item = bool(bullet) or (number is not None and (ended or listed))
        if parts and apart and not item and not parts[-1].endswith(_GOES_ON):
            break
        if number and item:
            words = f"({number[1]}) {words[number.end() :]}"
        if parts and item and listed and not ended:
            parts[-1] += ";"
        parts.append(words.strip())
        listed, apart = item, False
    return " ".join(parts)


def _alone(text: str) -> str:
    """Return what stands before a closing quote or star that nothing in the text has opened."""
    for found in _CLOSED.finditer(text):
        if _unopened(text[: found.start()], found[1]):
            return text[: found.start() + 1]
    return text


def _trimmed(text: str) -> str:
    """Remove markup, and quotes at the end that nothing in the text has opened."""
    text = clean_line(_MARKUP.sub("", text))
    while text[-1:] in _OPENED_BY and _unopened(text[:-1], text[-1]):
        text = text[:-1].rstrip()
    return text


def _unopened(before: str, mark: str) -> bool:
    opening = _OPENED_BY[mark]
    opened = before.count(opening)
    return opened % 2 == 0 if opening == mark else opened <= before.count(mark)


def _single(body: str, expected: str) -> None:
    """Raise Unparsed if a sentence ends before the end of a text, CutOff if it does not end."""
    if body.endswith(_BREAKS_OFF):
        raise CutOff(f"got a sentence that breaks off, {quote_excerpt(body, end=True)}")
    for found in _END.finditer(body):
        if found.end() < len(body) and _ends(body, found):
            raise Unparsed(
                f"got several sentences, the second begins {quote_excerpt(body[found.end() :])}; "
                f"expected {expected}"
            )


def _ends(body: str, found: re.Match[str]) -> bool:
    """Tell if a full stop, or what looks like one, ends a sentence."""
    if body[found.end() :].lstrip(_OPENS)[:1].islower():
        return False  # an abbreviation, an ellipsis, or a quoted question in the middle
    start = body.rfind(" ", 0, found.start()) + 1
    word = body[start : found.start()].lstrip(_OPENS).casefold()
    return not (word in _SHORT or _ITEM_NUMBER.search(body[: found.start()]))
