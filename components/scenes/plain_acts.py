"""Acts in plain words, read without a language model: give, take, go, and all else is waiting.

    I give 3 coins to 2.      I pay villager 2 one coin for the fish.      I take 2 fish.
    I go to the pub.          I wait.

Tolerant of how it is put, exact in what it says: a clause that denies, asks, doubts or depends on
something ("I would give", "if you pay", "maybe") does nothing, and so does one with words left over
that could mean something else.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_DOUBTED = re.compile(
    r"\b(?:not|never|no|if|unless|or|maybe|perhaps|might|may|would|could|should|can|offer|promise"
    r"|cannot|let us|until|when|after)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: number for number, word in enumerate(_COUNTS)} | {"a": 1, "an": 1}
_NUMBER = rf"(?P<number>\d+(?:\.\d+)?|{'|'.join(_NUMBERS)})"
_SPEAKER = (
    r"(?:(?:so|then|now|and|well|ok)\s+)*(?:i(?:['’]ll)?\s+)?(?:now\s+)?(?:will\s+|shall\s+)?"
)
_TAIL = r"(?:\s+(?:now|today|tonight|then|again|please|back|for|because|since|as|with|so)\b.*)?"
_GIVE = r"(?:give|pay|hand|send|pass)"
_TAKE = r"(?:take|catch|fetch|draw)"
_GO = r"(?:go|walk|move|head|come|run|return)"
_CLAUSES = re.compile(
    r"[.;!\n]+|,?\s+and\s+then\s+|,\s+then\s+|,?\s+and\s+(?=(?:i\s+)?(?:"
    rf"{_GIVE}|{_TAKE}|{_GO})\b)",
    re.IGNORECASE,
)


class Transfer(NamedTuple):
    """Somebody gives some of an item to another one, by name, or takes it from the stock ("")."""

    amount: float
    item: str
    to: str


def clauses(text: str) -> list[str]:
    """The clauses of an act that say something without a doubt."""
    found = re.split(r"(?<=[.!?;\n])\s+", text.strip())
    sure = [sentence for sentence in found if not _DOUBTED.search(sentence)]
    parts = [part for sentence in sure for part in _CLAUSES.split(sentence)]
    return [" ".join(part.split()) for part in parts if part and part.strip()]


@lru_cache(maxsize=4096)  # the same words are read for each of those who hear them
def read_gifts(text: str, items: tuple[str, ...], names: tuple[str, ...]) -> tuple[Transfer, ...]:
    """Read the gifts of one agent to others.

    >>> read_gifts("Fine. I give 3 coins to 2.", ("coins", "fish"), ("villager 1", "villager 2"))
    (Transfer(amount=3.0, item='coins', to='villager 2'),)
    >>> read_gifts("I would give 3 coins to 2.", ("coins",), ("villager 2",))
    ()
    """
    what, whom = rf"{_NUMBER}\s+{_any(items, 'item')}", rf"(?:the\s+)?{_any_name(names)}"
    forms = (rf"{_GIVE}\s+{what}\s+to\s+{whom}", rf"{_GIVE}\s+{whom}\s+{what}")
    return tuple(
        Transfer(_number(found["number"]), _word(found["item"], items), to)
        for clause in clauses(text)
        if (found := _first(clause, forms)) is not None
        if (to := _named(found["to"], names)) is not None
    )


@lru_cache(maxsize=4096)
def read_takings(text: str, items: tuple[str, ...]) -> tuple[Transfer, ...]:
    """Read the amounts that one agent takes from the common stock.

    >>> read_takings("I take two fish from the lake for my family.", ("fish",))
    (Transfer(amount=2.0, item='fish', to=''),)
    """
    form = rf"{_TAKE}\s+{_NUMBER}\s+{_any(items, 'item')}(?:\s+(?:from|out of)\s+(?:the\s+)?\w+)?"
    return tuple(
        Transfer(_number(found["number"]), _word(found["item"], items), "")
        for clause in clauses(text)
        if (found := _first(clause, (form,))) is not None
    )


@lru_cache(maxsize=4096)
def read_moves(text: str, places: tuple[str, ...]) -> tuple[str, ...]:
    """The places to which somebody goes.

    >>> read_moves("I go to the Crown, and you should come, too.", ("Crown", "Anchor"))
    ()
    >>> read_moves("Come along! I go to the crown.", ("Crown", "Anchor"))
    ('Crown',)
    """
    form = rf"{_GO}\s+(?:over\s+)?(?:back\s+)?(?:to\s+)?(?:the\s+)?{_any(places, 'place')}"
    return tuple(
        _word(found["place"], places)
        for clause in clauses(text)
        if (found := _first(clause, (form,))) is not None
    )


def _first(clause: str, forms: tuple[str, ...]) -> re.Match[str] | None:
    for form in forms:
        if found := re.fullmatch(rf"{_SPEAKER}{form}{_TAIL}", clause, re.IGNORECASE):
            return found
    return None


def _any_name(names: tuple[str, ...]) -> str:
    """An expression for a name, or for its last word with any noun before it: "fisher 2"."""
    whole = "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name))))
    last = "|".join(sorted({re.escape(name.rpartition(" ")[2]) for name in names}))
    return rf"(?P<to>{whole or '(?!)'}|(?:[a-z]+\s+)?(?:{last or '(?!)'}))(?=\s|$)"


def _named(said: str, names: tuple[str, ...]) -> str | None:
    """The one who is meant by a whole name or, if only one has it, by its last word."""
    whole = [name for name in names if name.lower() == said.lower()]
    last = said.lower().rpartition(" ")[2]
    ending = [name for name in names if name.lower().rpartition(" ")[2] == last]
    found = whole or ending
    return found[0] if len(found) == 1 else None


def _any(words: tuple[str, ...], name: str) -> str:
    """An expression for one of some words, the longest first; of "coins" also "coin"."""
    alike = {spelling for word in words for spelling in _spellings(word)}
    choice = "|".join(map(re.escape, sorted(alike, key=lambda word: (-len(word), word))))
    return rf"(?P<{name}>{choice or '(?!)'})"


def _spellings(word: str) -> set[str]:
    bare = re.sub(r"^the\s+", "", word, flags=re.IGNORECASE)
    return {bare, bare[:-1]} if bare.endswith("s") and len(bare) > 2 else {bare}


def _word(said: str, words: tuple[str, ...]) -> str:
    """The word that was meant."""
    return next(word for word in words if said.lower() in {s.lower() for s in _spellings(word)})


def _number(said: str) -> float:
    return float(_NUMBERS.get(said.lower(), 0)) if said.lower() in _NUMBERS else float(said)
