"""The first line in which two histories differ, in words.

A history is what a run file keeps of each round: who was asked what and answered what, and what all
were told. Rounds are held against each other by their digests; of the first two that differ, line
by line, the first array with another value counts. Whatever differs later came after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from society.engine.action_spaces import Choice, Neighbour
from society.engine.fact_specs import UNSPECIFIED
from society.engine.graph import NOBODY
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.errors import InputError
from society.runs.agent_names import AgentNames
from society.runs.runfile import RunFile
from society.terminal.console import TerminalStyle
from society.terminal.labels import count_noun, describe_ending, spell_kind
from society.terminal.round_view import answer_labels, forms_of

_INK = TerminalStyle("utf-8", 100)
_MOST_ENTRIES = 8  # of a list in one answer or fact
ALL = -1  # in place of a seat: the value is one of all agents of a replicate
_FLAGS = {  # roles that mark agents, with what is true of those who are marked
    "who": "was asked",
    "unread": "gave an answer that could not be read",
    "gone": "left",
    "back": "came back",
}


class ValuePair(NamedTuple):
    """The values of one agent, or of ALL agents, in the first run and in the second, in words."""

    seat: int
    first: str
    second: str


class FirstDifference(NamedTuple):
    """The first line in which two histories differ.

    round, path: its round. line: its place in the round, from 0; -1 where lines were not kept.
    kind: of the line; "" where two different lines stand there. role, name: of the array that
    differs; "" likewise. replicate: the first that differs; replicates: all that differ in this
    array. values: of the agents of that replicate who differ. words: a sentence.
    """

    round: int
    path: tuple[int, ...]
    words: str
    line: int = -1
    kind: str = ""
    role: str = ""
    name: str = ""
    replicate: int = 0
    replicates: tuple[int, ...] = ()
    values: tuple[ValuePair, ...] = ()


def first_difference(
    first: RunFile,
    second: RunFile,
    replicate: int | None = None,
    names: tuple[str, str] = ("the first run", "the second"),
) -> FirstDifference | None:
    """Return where two histories part; None if they do not, as far as both have come.

    replicate: looks at this one alone, in both. names: of the runs, in the words. Replicates that
    only one run has are left out. Raises InputError for runs that cannot be held against each
    other: of another scenario, number of agents, or of lines that were not kept for a part of the
    replicates.
    """
    _refuse(first, second, replicate)
    shared = min(first.manifest.replicates, second.manifest.replicates)
    rows = slice(0, shared) if replicate is None else slice(replicate, replicate + 1)
    lines = all(run.manifest.level == "full" for run in (first, second))
    if not lines and not _whole(first, second, replicate):
        raise InputError(
            "one of the runs was recorded at level summary, which keeps a digest of all its "
            "replicates together and cannot tell a part of them; play it with --record full"
        )
    differ = _Pair((first, second), names, rows)
    for one, other in zip(first.pages(), second.pages(), strict=False):
        if one.digest == other.digest:
            differ.meet(one, other)
        elif not lines:
            if first.manifest.digest_rule != second.manifest.digest_rule:
                raise InputError(
                    "the runs are digested by two rules, of which one was made later, and level "
                    "summary keeps no more than digests; play the older one again"
                )
            words = (
                f"{capital(place_words(one))}: the digests differ; what was said is not kept at "
                "level summary (--record full keeps it)"
            )
            return FirstDifference(one.number, one.path, words)
        elif (found := differ.between(one, other)) is not None:
            return found
    return None


def _whole(first: RunFile, second: RunFile, replicate: int | None) -> bool:
    replicates = {run.manifest.replicates for run in (first, second)}
    return replicates == {1} or (replicate is None and len(replicates) == 1)


def _refuse(first: RunFile, second: RunFile, replicate: int | None) -> None:
    scenarios = first.manifest.scenario, second.manifest.scenario
    if scenarios[0] != scenarios[1]:
        raise InputError(
            f"one run plays {scenarios[0]}, the other {scenarios[1]}: their histories have no "
            "lines in common"
        )
    agents = first.manifest.agents, second.manifest.agents
    if agents[0] != agents[1]:
        raise InputError(
            f"one run has {agents[0]:,} agents, the other {agents[1]:,}: their histories cannot be "
            "held against each other agent by agent"
        )
    for run in (first, second):
        if replicate is not None and not 0 <= replicate < run.manifest.replicates:
            raise InputError(
                f"there is no replicate {replicate} in {run.path}; it has "
                f"{count_noun(run.manifest.replicates, 'replicate')}, numbered from 0"
            )


def place_words(page: Page) -> str:
    """Name a round: "round 12", "round 41 (3.1.5)"."""
    if page.number == 0:
        return "before the first round"
    nested = f" ({'.'.join(map(str, page.path))})" if len(page.path) > 1 else ""
    return f"round {page.number}{nested}"


def capital(words: str) -> str:
    """Return a sentence with a capital at its beginning."""
    return words[:1].upper() + words[1:]


class _Line(NamedTuple):
    """One line of both histories, at the same place of the same round."""

    page: Page
    number: int
    steps: tuple[Step, Step]


class _Pair:
    """Two runs, and the replicates of both that are looked at."""

    def __init__(self, runs: tuple[RunFile, RunFile], names: tuple[str, str], rows: slice) -> None:
        self.runs, self.names, self.rows = runs, names, rows
        self.agents = tuple(map(AgentNames.of_run, runs))

    def meet(self, *pages: Page) -> None:
        """Learn which lives have the seats in these rounds."""
        for known, page in zip(self.agents, pages, strict=True):
            known.meet(page)

    def between(self, first: Page, second: Page) -> FirstDifference | None:
        """Return the first difference of two rounds, in the replicates that are looked at."""
        self.meet(first, second)
        for number, steps in enumerate(zip_longest(first.steps, second.steps)):
            one, other = steps
            if one is None or other is None or one[:3] != other[:3]:
                return self._of_lines(first, number, steps)
            for key in dict.fromkeys([*one.arrays, *other.arrays]):
                found = self._of_arrays(_Line(first, number, steps), key)
                if found is not None:
                    return found
        return None

    def _of_lines(
        self, page: Page, number: int, steps: tuple[Step | None, Step | None]
    ) -> FirstDifference:
        said = (
            f"{_describe(step)} in {name}" for step, name in zip(steps, self.names, strict=True)
        )
        words = f"{capital(place_words(page))}: {', and '.join(said)}"
        return FirstDifference(page.number, page.path, words, number)

    def _of_arrays(self, line: _Line, key: tuple[str, str]) -> FirstDifference | None:
        """Return the difference of one array of a line; None if there is none."""
        arrays = [step.arrays.get(key) for step in line.steps]
        one, other = (None if array is None else array[self.rows] for array in arrays)
        if one is None or other is None or one.shape != other.shape:
            return self._of_lines(line.page, line.number, line.steps)._replace(
                words=f"{capital(place_words(line.page))}: {_describe(line.steps[0])} in both, and "
                f"{key[1] or key[0]} has another form in {self.names[1]} than in {self.names[0]}",
                kind=line.steps[0].kind,
                role=key[0],
                name=key[1],
            )
        differing = _unequal(one, other)
        if not differing.any():
            return None
        differing = differing.reshape(*(*one.shape, 1)[:2], -1)  # (R, N or 1, entries)
        where = np.flatnonzero(differing.any((1, 2)))
        replicate = int(where[0]) + self.rows.start
        values = tuple(self._values(line, key, replicate, differing[where[0]].any(1)))
        place = place_words(line.page)
        if self.runs[0].manifest.replicates > 1 or self.runs[1].manifest.replicates > 1:
            place += f", replicate {replicate}"
        words = f"{capital(place)}: {self._sentence(line, key, replicate, values)}"
        return FirstDifference(
            line.page.number,
            line.page.path,
            words,
            line.number,
            line.steps[0].kind,
            *key,
            replicate,
            tuple((where + self.rows.start).tolist()),
            values,
        )

    def _values(
        self, line: _Line, key: tuple[str, str], replicate: int, differing: Array
    ) -> Iterator[ValuePair]:
        """Yield what those who differ had in the one run and in the other."""
        everybody = len(differing) == self.runs[0].manifest.agents and key[0] != "common"
        for place in np.flatnonzero(differing).tolist():
            shown = [
                self._shown(side, line.steps[side], key, (replicate, place)) for side in (0, 1)
            ]
            if shown[0] == shown[1]:  # rounded, they look alike
                raw = (step.arrays[key][replicate, place] for step in line.steps)
                shown = [np.array2string(np.asarray(value), precision=17) for value in raw]
            yield ValuePair(place if everybody else ALL, *shown)

    def _shown(self, side: int, step: Step, key: tuple[str, str], place: tuple[int, int]) -> str:
        """Put a value into words: a label, a name, a quantity, a quotation, or a list of them."""
        role, name = key
        value, form = step.arrays[key][place], forms_of(step).get(name, "")
        if role == "parents" or (role == "answer" and form.startswith(Neighbour.code)):
            return "nobody" if value == NOBODY else self.agents[side].name(place[0], int(value))
        if role == "answer" and form.startswith(Choice.code):
            options = step.arrays.get(("options", name))
            value = answer_labels(step.arrays[key], form, options)[place]
        spec = self.runs[side].manifest.specs.get(name or step.kind, UNSPECIFIED)
        entries = np.asarray(value, object).reshape(-1)
        shown = [_quoted_or(one, lambda one: _INK.quantity(one, spec)) for one in entries]
        if len(shown) == 1:
            return shown[0]
        more = ", ..." if len(shown) > _MOST_ENTRIES else ""
        return f"({', '.join(shown[:_MOST_ENTRIES])}{more})"

    def _sentence(
        self, line: _Line, key: tuple[str, str], replicate: int, values: tuple[ValuePair, ...]
    ) -> str:
        """Say of the first agent who differs what it did or was told, and count the others."""
        (role, name), step, one = key, line.steps[0], values[0]
        what, pair = f'"{step.kind}"', f"{one.first} in {self.names[0]}, {one.second} in"
        both = f"{pair} {self.names[1]}"
        here, there = self.names if one.first == "yes" else self.names[::-1]
        if role in ("ends", "void"):
            ending = describe_ending(self.runs[0].manifest.stage, step.kind)
            reason = "an answer could not be read" if role == "void" else ending
            return f"it ended in {here} ({reason}), and not in {there}"
        who = "everybody" if one.seat == ALL else self.agents[0].with_type(replicate, one.seat)
        others = _others(len(values) - 1)
        if role in _FLAGS:
            of = f" {what}" if role == "who" else f" ({what})"
            kind = f" ({spell_kind(step.kind)})" if role == "gone" else of
            return f"{who} {_FLAGS[role]}{kind} in {here}, and not in {there}{others}"
        if role == "answer":
            field = f" as {name}" if name else ""
            return f"{who} was asked {what} and answered{field} {both}{others}"
        if role == "parents":
            return f"{who} copied ({what}) {both}{others}"
        verb = "was asked" if step.sort == "ask" else "was told"
        if role in ("common", "own") or role.startswith("seen "):
            fact = name.replace("_", " ")
            if role.startswith("seen "):
                return f"{fact} of {who} was {both}, as told by {what}{others}"
            return f"{who} {verb} {what} with {fact} {both}{others}"
        return f"{role} of {what} differs for {who}: {both}{others}"


def _quoted_or(value: Any, figure: Any) -> str:
    return _INK.quoted(value, _INK.width) if isinstance(value, str) else figure(value)


def _others(count: int) -> str:
    if not count:
        return ""
    return f" ({count_noun(count, 'other')} differ{'s' if count == 1 else ''} in this, too)"


def _describe(step: Step | None) -> str:
    match step:
        case None:
            return "the round is over"
        case Step(sort="ask"):
            return f'"{step.kind}" is asked ({step.form})'
        case Step(sort="inherit"):
            return f'"{step.kind}" passes on {step.form}'
    return f'"{step.kind}" is told'


def _unequal(one: Array, other: Array) -> Array:
    """Mark the entries that differ; NaN equals NaN."""
    unequal: Array = np.asarray(one != other, bool)
    if one.dtype.kind == "f" and other.dtype.kind == "f":
        unequal &= ~(np.isnan(one) & np.isnan(other))
    return unequal
