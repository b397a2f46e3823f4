"""Answers to questions that a display shows nowhere else: proposals, votes, fines.

    a choice              the number of agents for each option, with names where they are few
    several such ballots  the same, a line for each; a common fact with a row of numbers for each of
                          them gives their subjects as figures
    several alike fields  a line for each distinct answer, with the agents who gave it
    a referee's verdict   the same, by the words of its fields, without those that are empty
    fields about others   the agents to whom each one has given a number above 0; the fact `whom`,
                          the seat of another agent for each field, marks such questions
A single number, mixture or peer is a move, as are fields of several sorts, such as an action and an
amount: the game tells the result. Texts are quoted, where the display names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from rich.text import Text

from society.engine.action_spaces import Choice
from society.engine.fact_specs import UNSPECIFIED, FactSpec
from society.engine.history import Step
from society.engine.rng import Array

from .console import TerminalStyle, flow_items
from .labels import Names, spell_kind
from .round_view import Answered, RoundView, answer_words

_GAP = "   "
_SHOWN = 12  # agents in a line, or with a line each; the others are counted
_BALLOT = f"{Choice.code} no/yes"
_ROWS = " in rows"  # ends the form of a list in a verdict


class Answers:
    """Prints the answers of one replicate."""

    def __init__(
        self, ink: TerminalStyle, names: Names, replicate: int, facts: Mapping[str, FactSpec]
    ) -> None:
        self.ink, self.names, self.replicate, self.facts = ink, names, replicate, facts
        self.most = ink.most(_SHOWN)

    def lines(self, scene: RoundView) -> Iterator[Text]:
        """Lay out a paragraph for each question each time it was asked, aligned at one cell."""
        told = []
        for step, fields in scene.unshown():
            seats = np.flatnonzero(next(iter(fields.values())).asked[self.replicate])
            if len(seats):
                told.append((self._label(step.kind), [*self._items(step, fields, seats)]))
        told = [(label, items) for label, items in told if items]
        gutter = max([self.ink.gutter, *(label.cell_len + 2 for label, _ in told)])
        for label, items in told:
            for item in items:
                parts = map(self.ink.text, item)
                width = self.ink.width
                yield from flow_items(parts, width, label=label, gutter=gutter, gap=_GAP)
                label = Text()

    def _label(self, kind: str) -> Text:
        return Text(self.ink.cut(spell_kind(kind), self.ink.width // 2), "bold")

    def _items(
        self, step: Step, fields: Mapping[str, Answered], seats: Array
    ) -> Iterator[list[str]]:
        """Yield lines, each in parts that are not broken."""
        said = {name: answer_words(field)[self.replicate] for name, field in fields.items()}
        forms = [field.form for field in fields.values()]
        if "" in fields:
            if forms[0].startswith(Choice.code):
                yield [self._tally(said[""], seats, forms[0])]
        elif ("own", "whom") in step.arrays:
            points = np.stack(list(said.values()), axis=-1)
            yield from self._directed(points, seats, step.arrays["own", "whom"][self.replicate])
        elif all(form == _BALLOT for form in forms):
            about = self._subjects(step, len(said))
            subjects = {f"{name}{what}": said[name] for name, what in zip(said, about, strict=True)}
            yield from self._ballots(subjects, seats)
        elif any(form.endswith(_ROWS) for form in forms):
            specs = {name: self.facts.get(f"{step.kind} {name}", UNSPECIFIED) for name in said}
            yield from self._each({specs[n].text or n: held for n, held in said.items()}, seats)
        elif len({form.partition(" ")[0] for form in forms}) == 1:
            yield from self._each(said, seats)

    def _subjects(self, step: Step, count: int) -> list[str]:
        """Return the subject of each ballot, as in " (1.50, 0)"."""
        for (role, _), values in step.arrays.items():
            if role == "common" and values.ndim == 4 and values.shape[2] == count:
                rows = values[self.replicate, 0, :, : self.most]
                return [f" ({', '.join(map(self.ink.figure, row))})" for row in rows]
        return [""] * count

    def _ballots(self, said: Mapping[str, Array], seats: Array) -> Iterator[list[str]]:
        """Yield a line for each ballot in order; of many, only those with most approval."""
        approvals = np.array([(votes[seats] == "yes").sum() for votes in said.values()])
        most = set(np.argsort(-approvals, kind="stable")[: self.most].tolist())
        for number, (name, votes) in enumerate(said.items()):
            if number in most:
                yield [f"{name}: {self._tally(votes, seats, _BALLOT)}"]
        yield from self._others(len(said))

    def _tally(self, votes: Array, seats: Array, form: str) -> str:
        """Count: 2 yes (player 1, player 3), 1 no (player 2); else the most frequent first."""
        took: dict[str, list[int]] = {}
        for seat in seats.tolist():
            took.setdefault(str(votes[seat]), []).append(seat)
        if len(took) == 1 and len(seats) > 1:
            return f"all {len(seats)} {next(iter(took))}"
        ranked = sorted(took.items(), key=lambda one: -len(one[1]))
        if form == _BALLOT:
            ranked = sorted(took.items(), reverse=True)
        counts = (
            f"{len(who)} {option}" + (f" ({self._named(who)})" if len(who) <= self.most else "")
            for option, who in ranked
        )
        return ", ".join(counts)

    def _named(self, seats: Sequence[int]) -> str:
        names = [self.names[seat] for seat in seats[: self.most]]
        more = [f"and {len(seats) - self.most} more"] if len(seats) > self.most else []
        return ", ".join([*names, *more])

    def _directed(self, points: Array, seats: Array, whom: Array) -> Iterator[list[str]]:
        """Yield gifts: player 1 → player 2 (3), player 3 (1); points, whom: (N, K)."""
        givers = [seat for seat in seats.tolist() if points[seat].any()]
        for seat in givers[: self.most]:
            those = [
                f"{self.names[other]} ({self.ink.figure(value)})"
                for other, value in zip(whom[seat], points[seat], strict=True)
                if value
            ]
            yield [f"{self.names[seat]} → {', '.join(those)}"]
        yield from self._others(len(givers))
        if not givers:
            yield ["nobody"]

    def _each(self, said: Mapping[str, Array], seats: Array) -> Iterator[list[str]]:
        """Yield distinct answers with their agents: player 1, player 2   A0: 2   A1: -3."""
        agreeing: dict[tuple[str, ...], list[int]] = {}
        for seat in seats.tolist():
            entries = [
                f"{name}: {self.ink.figure(values[seat])}"
                for name, values in said.items()
                if str(values[seat]) != ""
            ]
            agreeing.setdefault(tuple(entries or ["nothing"]), []).append(seat)
        for entry, who in islice(agreeing.items(), self.most):
            unanimous = len(who) == len(seats) > 1
            yield [f"all {len(who)}" if unanimous else self._named(who), *entry]
        yield from self._others(len(agreeing))

    def _others(self, count: int) -> Iterator[list[str]]:
        if count > self.most:
            yield [f"and {count - self.most} more"]
