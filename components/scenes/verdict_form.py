"""The form of a verdict: lists of rows, each a sentence of one pattern, beside numbers and words.

    "2 gives 3 coins to 4; 5 gives 1 fish to 2"

A cell holds the sentences, so that run files, reports and people read what was decided. A language
model answers with a JSON list of objects, to which its server can hold it; rules and people answer
in the sentences. Agents are named by their ids.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from society.engine.action_spaces import Legal, Text

Row = Mapping[str, str | float]
PlainWords = Callable[[Mapping[str, Any]], str]
_NOTHING = frozenset({"", "none", "nothing", "nobody", "[]"})
_LONGEST = 4_000  # characters of a list


class Span(NamedTuple):
    """The numbers that may stand in a place of a row."""

    low: float = 0.0
    high: float = math.inf
    whole: bool = True

    def read(self, said: Any) -> float | None:
        """The number that is said, or None if it is none or out of bounds."""
        try:
            value = math.nan if isinstance(said, bool) else float(said)
        except (TypeError, ValueError):
            return None
        legal = self.low <= value <= self.high and math.isfinite(value)
        return value if legal and (not self.whole or value.is_integer()) else None


class ActorNames(tuple[str, ...]):
    """Words that are the names of agents."""

    __slots__ = ()


Part = tuple[str, ...] | Span


@dataclass(frozen=True, eq=False)
class Rows(Text):
    """A list of rows, none to many, each a sentence of the same pattern.

    pattern: "{from} gives {amount} {item} to {to}". parts: what may stand for each name in it,
    words or a Span of numbers. plain: the rows that acts in plain words come to, by the facts that
    a referee knows; for rules and the offline mind.
    """

    limit: int = _LONGEST
    pattern: str = field(kw_only=True)
    parts: Mapping[str, Part] = field(kw_only=True)
    plain: PlainWords = field(kw_only=True)

    code = "words"
    optional = True  # a list that a reply leaves out is empty

    def form(self) -> str:
        return f"{super().form()} in rows"

    def expected(self) -> str:
        shown = self.pattern.replace("{", "<").replace("}", ">")
        return f"sentences such as {shown!r}, with a semicolon between two"

    def write(self, rows: Iterable[Row]) -> str:
        """Rows as sentences."""
        return "; ".join(self.pattern.format_map(self._words(row)) for row in rows)

    def _words(self, row: Row) -> dict[str, str]:
        """The parts of a row as they are written: 3 and not 3.0, and one coin in the singular."""
        single = 1 in row.values()
        words = {}
        for name, said in row.items():
            plain = f"{said:.12g}" if isinstance(said, float | int) else said
            words[name] = singular(plain) if single and _counted(self.parts[name]) else plain
        return words

    def read(self, text: str) -> list[Row]:
        """The rows of a text; raises ValueError for a sentence of another form."""
        rows = []
        for sentence in re.split(r"[;\n]", text):
            if bare := sentence.strip().rstrip("."):
                found = self._sentence.fullmatch(bare)
                row = self.legal(found.groupdict()) if found else None
                if row is None:
                    raise ValueError(f"{bare!r:.80} is no ruling; expected {self.expected()}")
                rows.append(row)
        return rows

    @cached_property
    def _sentence(self) -> re.Pattern[str]:
        """The pattern as an expression; a part stands for any words."""
        parts = re.split(r"\{(\w+)\}", self.pattern)
        words = [re.escape(word) for word in parts[::2]]
        groups = [f"(?P<{name}>.+?)" for name in parts[1::2]]
        joined = "".join(w + g for w, g in zip(words, [*groups, ""], strict=True))
        return re.compile(joined, re.IGNORECASE)

    def misread(self) -> str | None:
        """A word that a sentence does not give back, such as one with a semicolon; else None."""
        bounds = [part for part in self.parts.values() if isinstance(part, Span)]
        for number in (1.0, 2.0):
            first = {
                name: min(max(number, part.low), part.high) if part in bounds else part[0]
                for name, part in self.parts.items()
            }
            for name, part in self.parts.items():
                for word in () if isinstance(part, Span | ActorNames) else part:
                    row = {**first, name: word}
                    try:
                        same = self.read(self.write([row])) == [row]
                    except ValueError:
                        same = False
                    if not same:
                        return word
        return None

    def legal(self, said: Mapping[str, Any]) -> Row | None:
        """A row from what stands for its parts; None if one is missing, strange or too many."""
        if set(said) != set(self.parts):
            return None
        row = {name: _read_part(part, said[name]) for name, part in self.parts.items()}
        return None if None in row.values() else row  # type: ignore[return-value]

    # How a language model is asked for it

    def hint(self, legal: Legal) -> str:
        """Say what each object of the list holds, and what may stand in it."""
        shown = ", ".join(f'"{name}": {_placeholder(part)}' for name, part in self.parts.items())
        alike: dict[tuple[str, ...], list[str]] = {}
        for name, part in self.parts.items():
            if not isinstance(part, Span):
                alike.setdefault(part, []).append(name)
        said = [
            f"{' and '.join(names)}: one of {', '.join(words)}" for words, names in alike.items()
        ]
        return f"a list of objects {{{shown}}}, [] if there is none; {'; '.join(said)}"

    def schema(self, legal: Legal) -> dict[str, Any]:
        """The JSON schema of the list."""
        parts = {name: _part_schema(part) for name, part in self.parts.items()}
        item = {
            "type": "object",
            "properties": parts,
            "required": [*parts],
            "additionalProperties": False,
        }
        return {"type": "array", "description": self.hint(legal), "items": item}

    def taken(self, said: Any, legal: Legal) -> str | None:
        """The sentences of a list of objects, or of a text; None for what is neither."""
        if said is None or (isinstance(said, str) and said.strip().lower() in _NOTHING):
            return ""
        if isinstance(said, str):
            try:
                return self.write(self.read(said))
            except ValueError:
                return None
        if isinstance(said, Mapping):
            said = [said]
        if not isinstance(said, list) or not all(isinstance(one, Mapping) for one in said):
            return None
        rows = [self.legal(one) for one in said]
        return None if None in rows else self.write(row for row in rows if row is not None)

    def improvise(self, facts: Mapping[str, Any], rng: np.random.Generator) -> str:
        """Read acts in plain words, for the offline mind."""
        return self.plain(facts)


def _counted(part: Part) -> bool:
    return not isinstance(part, Span | ActorNames)


def singular(word: str) -> str:
    """The singular of a plural: "coins" -> "coin"."""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _read_part(part: Part, said: Any) -> str | float | None:
    """A value of a part: a number, or one of the words; a name may be its last word alone."""
    if isinstance(part, Span):
        return part.read(said)
    bare = _bare(str(said))
    for word in part:
        if bare in (_bare(word), singular(_bare(word))):
            return word
    if isinstance(
        part, ActorNames
    ):  # "2", "villager 2" and "fisher 2" are the one whose name ends so
        last = bare.rpartition(" ")[2]
        found = [word for word in part if _bare(word).rpartition(" ")[2] == last]
        return found[0] if len(found) == 1 and bare.count(" ") <= 2 else None
    return None


def _bare(words: str) -> str:
    return " ".join(words.split()).strip(" .\"'«»").casefold().removeprefix("the ")


def _placeholder(part: Part) -> str:
    if not isinstance(part, Span):
        return '"<word>"'
    kind = "whole number" if part.whole else "number"
    bounded = math.isfinite(part.low) and math.isfinite(part.high)
    return f"<{kind} from {part.low:g} to {part.high:g}>" if bounded else "<number>"


def _part_schema(part: Part) -> dict[str, Any]:
    if not isinstance(part, Span):
        return {"type": "string", "enum": [*part]}
    finite = {"minimum": part.low, "maximum": part.high}
    bounds = {
        name: int(bound) if float(bound).is_integer() else bound
        for name, bound in finite.items()
        if math.isfinite(bound)
    }
    return {"type": "integer" if part.whole else "number", **bounds}


@dataclass(frozen=True, eq=False)
class Act(Text):
    """The words and deeds of one agent, in free text.

    plain: the acts in plain words that are open to who knows these facts, for rules and the offline
    mind. places: where one can be, in the order in which facts count them.
    """

    plain: Callable[[Mapping[str, Any]], Sequence[str]] = field(kw_only=True)
    places: tuple[str, ...] = field(default=(), kw_only=True)

    code = "words"

    def improvise(self, facts: Mapping[str, Any], rng: np.random.Generator) -> str:
        """Do one of them, for the offline mind."""
        open_acts = self.plain(facts)
        return open_acts[int(rng.random() * len(open_acts))]


@dataclass(frozen=True, eq=False)
class Story(Text):
    """The story that a referee tells of what happened.

    plain: the same in plain words, by the facts that it knows. of: those who notice it, in words.
    """

    plain: PlainWords = field(kw_only=True)
    of: str = field(default="all", kw_only=True)

    code = "words"
    optional = True  # there may be nothing to tell

    def hint(self, legal: Legal) -> str:
        """Say what is told, and of whom it is noticed."""
        return f"what {self.of} notice of it, in at most {self.limit} characters"

    def schema(self, legal: Legal) -> dict[str, Any]:
        """The JSON schema of the story."""
        return {"type": "string", "description": self.hint(legal), "maxLength": self.limit}

    def taken(self, said: Any, legal: Legal) -> str | None:
        """Any text, also an empty one."""
        return "" if said is None else said.strip() if isinstance(said, str) else None

    def improvise(self, facts: Mapping[str, Any], rng: np.random.Generator) -> str:
        """Tell it, for the offline mind."""
        return self.plain(facts)
