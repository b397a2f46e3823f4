"""Words of a replicate by agent and by round: what is held with its changes, what is said, votes.

Of what an agent holds, or what is in force, a text stands where it changed, with the words that are
new and gone; rounds without a change are summed up in a line. Proposals have their votes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from society.analysis.study.condition import ConditionRun
from society.report.page import Chronicle, ChronicleEntry
from society.terminal.round_view import RoundView

_WORDS = re.compile(r"\s+|\w+\s*|[^\w\s]\s*")  # spaces go with words: alone they would match any
_ALL = "all"  # who, of common facts
_ALIKE = 0.5  # of a text and the one before, from which on changes are marked
_MOST_ENTRIES = 600  # of a condition in a page; its table has all

Pieces = list[tuple[str, str]]


class Quote(NamedTuple):
    """A text: of which kind, in which round, by whom."""

    name: str
    round: int
    who: str
    text: str


class Vote(NamedTuple):
    """The votes that a text got in a round, of how many."""

    given: int
    total: int


def read_votes(run: ConditionRun, replicate: int) -> dict[tuple[int, str], Vote]:
    """Count the votes in each round by the text that was voted for; nothing if nobody votes."""
    stage, found = run.manifest.stage, dict[tuple[int, str], Vote]()
    if not any(stage.notes.values()):
        return found
    with run.opened() as file:
        before = None
        for page in file.pages():
            scene = RoundView(page, before, stage)
            for note in stage.notes:
                chosen = scene.chosen(note, replicate)
                if chosen is None or not chosen.voted:
                    continue
                total = int(chosen.counts.sum())
                for text, count in zip(chosen.answers, chosen.counts, strict=True):
                    found[page.number, str(text)] = Vote(int(count), total)
            before = page
    return found


def word_chronicle(
    quotes: Sequence[Quote],
    held: Sequence[str],
    last: int,
    votes: Mapping[tuple[int, str], Vote],
) -> Chronicle:
    """Put texts in groups by agent, what is common first.

    held: the kinds that stand until they change. last: the round in which the replicate ended.
    """
    speakers = sorted({one.who for one in quotes}, key=_order)
    # Rounds, not agents, are cut off; quotes may stand in order of kinds.
    shown = sorted(quotes, key=lambda one: one.round)[:_MOST_ENTRIES]
    last = last if len(shown) == len(quotes) else max(one.round for one in shown)
    groups = []
    for who in speakers:
        own = [one for one in shown if one.who == who]
        if own:
            entries = list(_entries(own, held, last, votes))
            texts = sum(isinstance(one, ChronicleEntry) for one in entries)
            groups.append((f"{who}: {texts} {'text' if texts == 1 else 'texts'}", entries))
    note = ""
    if (more := len(quotes) - len(shown)) > 0:
        note = (
            f"The first {len(shown):,} of {len(quotes):,} texts, up to round {last}; {more:,} more "
            "stand in the file of the table below."
        )
    return Chronicle(groups, note)


def _order(who: str) -> tuple[bool, list[tuple[bool, Any]]]:
    """Order names as people do: common words first, agent 2 before agent 10."""
    parts = re.split(r"(\d+)", who)
    return who != _ALL, [(one.isdigit(), int(one) if one.isdigit() else one) for one in parts]


def _entries(
    quotes: Sequence[Quote],
    held: Sequence[str],
    last: int,
    votes: Mapping[tuple[int, str], Vote],
) -> Iterator[ChronicleEntry | str]:
    """The texts of one agent in order, and the rounds in which what it holds did not change."""
    before = dict[str, Quote]()
    for one in sorted(quotes, key=lambda quote: quote.round):
        former = before.get(one.name)
        if former is not None and one.name in held:
            yield from _unchanged(one.name, former.round + 1, one.round - 1)
        text = former.text if former and one.name in held else None
        note = _votes_in_words(votes.get((one.round, one.text)))
        yield ChronicleEntry(one.round, one.who, one.name, word_changes(text, one.text), note)
        before[one.name] = one
    for name, former in before.items():
        if name in held:
            yield from _unchanged(name, former.round + 1, last)


def _unchanged(name: str, first: int, last: int) -> Iterator[str]:
    if first == last:
        yield f"round {first}: {name} unchanged"
    elif first < last:
        yield f"rounds {first} to {last}: {name} unchanged"


def _votes_in_words(vote: Vote | None) -> str:
    if vote is None:
        return ""
    return f"{vote.given} of {vote.total} {'vote' if vote.total == 1 else 'votes'}"


def word_changes(before: str | None, now: str) -> Pieces:
    """Cut a text where words are "new" or "gone" since the text before; all "" without one.

    A text that shares less than half of its words with the one before is not cut: it is another.

    >>> word_changes("Take no more than we need.", "Take less than we need.")
    [('', 'Take '), ('gone', 'no more '), ('new', 'less '), ('', 'than we need.')]
    """
    if before is None:
        return [("", now)]
    old, new = _WORDS.findall(before), _WORDS.findall(now)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [("new", now)]
    pieces: Pieces = []
    for sort, i, j, k, m in matcher.get_opcodes():
        if sort == "equal":
            pieces.append(("", "".join(new[k:m])))
            continue
        if i < j:
            pieces.append(("gone", "".join(old[i:j])))
        if k < m:
            pieces.append(("new", "".join(new[k:m])))
    return pieces
