"""The exchanges of one agent in a round: each question, what it knew, and its answer.

An exchange is a question of the script to the agent, or another occasion on which a component of
its asked a model: as its life began, or when it heard of an event. Answers are those in the record,
as they were settled; calls are those to models, repairs included, in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from society.engine.action_spaces import Choice, Neighbour
from society.engine.graph import NOBODY
from society.llm.call_tables import Call
from society.llm.parsing.json_objects import decode_objects
from society.runs.manifest import ComponentNote
from society.terminal.round_view import answer_labels, forms_of

from .history import BORN, History
from .knowledge import HeardLine, heard_lines
from .lanes import lanes

Outcome = Literal["answered", "fallback", "unanswered", "void"]
Hook = Literal["answer", "notice", "begin", "born"]


class AnsweredField(NamedTuple):
    """One field of an answer; a plain answer is one field without a name.

    value: a number, label, text, list, or a seat where `peer` is true. options: the labels or
    numbers that were open, of a choice. low, high: own bounds, None where the form has them.
    """

    name: str
    form: str
    value: Any
    peer: bool
    options: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None


class AgentExchange(NamedTuple):
    """One occasion on which an agent was asked, or a component of its asked a model.

    line: the question or event as the agent heard it, None where none is recorded. outcome: how the
    answer was settled; reason: why it could not be read. calls: to models; bare: what a component
    found without a call, as it is kept. component: the one that answered; its title is known from
    calls, too. respondent: what the manifest tells of it, None in files of before.
    """

    hook: Hook
    kind: str
    line: HeardLine | None
    answer: tuple[AnsweredField, ...]
    outcome: Outcome
    reason: str
    calls: tuple[Call, ...]
    bare: Call | None
    component: str
    respondent: ComponentNote | None

    @property
    def repairs(self) -> int:
        """The number of calls that asked again."""
        return sum(bool(call.request.again) for call in self.calls)

    @property
    def thoughts(self) -> dict[str, str]:
        """Texts that stand in the last reply beside its answer, such as thoughts of faculties."""
        if not self.calls:
            return {}
        said = next(decode_objects(self.calls[-1].said.text), None)
        if said is None or not isinstance(said.value, dict):
            return {}
        taken = {"answer", *(field.name for field in self.answer)}
        return {
            str(name): value
            for name, value in said.value.items()
            if name not in taken and isinstance(value, str)
        }


def exchanges(history: History, number: int, replicate: int, seat: int) -> list[AgentExchange]:
    """List the exchanges of an agent in a round, in the order of the script.

    What was asked as its life began comes first, questions beside the history last.
    """
    return list(_RoundOfAgent(history, number, replicate, seat).exchanges())


def earlier_prompt(history: History, exchange: AgentExchange, place: int) -> Call | None:
    """Return the call to compare a call of an exchange with; None if there was none before.

    A repair is compared with the call that it repeats, others with the agent's last one of the same
    question; what another life on its seat was asked does not count.
    """
    call = exchange.calls[place]
    if call.request.again and place:
        return exchange.calls[place - 1]
    address = call.request.address
    earlier = history.run.earlier_call(address)
    lane = lanes(history, address.replicate).get(BORN)
    if earlier is None or lane is None:
        return earlier
    born = [mark.round for mark in lane.until(call.round) if mark.agent == address.agent]
    return earlier if earlier.round >= max(born, default=0) else None


class _RoundOfAgent:
    """Finds the exchanges of one agent in one round."""

    def __init__(self, history: History, number: int, replicate: int, seat: int) -> None:
        self._history, self._number = history, number
        self._replicate, self._seat = replicate, seat
        self._page = history.page(number)
        self._lines = heard_lines(history, number, replicate, seat)
        self._occasions: dict[tuple[str, str], dict[int, list[Call]]] = {}
        for call in history.run.calls_of(replicate, seat, number):
            address = call.request.address
            uses = self._occasions.setdefault((address.component, address.occasion), {})
            uses.setdefault(address.use, []).append(call)

    def exchanges(self) -> Iterator[AgentExchange]:
        by_line: dict[int, list[AgentExchange]] = {}
        first: list[AgentExchange] = []
        for (component, occasion), uses in self._occasions.items():
            hook, _, kind = occasion.partition(" ")
            sort = {"answer": "ask", "notice": "tell"}.get(hook, "")
            lines = [one for one in self._lines if (one.sort, one.kind) == (sort, kind)]
            for use, line in zip(uses, self._placed(lines, list(uses)), strict=True):
                made = self._exchange(hook, kind or hook, line, component, uses[use])
                place = -1 if line is None else self._lines.index(line)
                (first if line is None else by_line.setdefault(place, [])).append(made)
        yield from first
        for place, line in enumerate(self._lines):
            found = by_line.get(place, [])
            yield from found
            if line.sort == "ask" and not any(one.hook == "answer" for one in found):
                yield self._exchange("answer", line.kind, line, "", [])

    def _placed(self, lines: Sequence[HeardLine], uses: Sequence[int]) -> list[HeardLine | None]:
        """Return the line of each use: those of a round have numbers that follow each other."""
        if not lines:
            return [None] * len(uses)
        if len(lines) == len(uses):
            return [*lines]
        before = self._lines_before(lines[0].sort, lines[0].kind)
        by_use = {before + line.nth: line for line in lines}
        return [by_use.get(use) for use in uses]

    def _lines_before(self, sort: str, kind: str) -> int:
        """Count the lines of a sort and kind in earlier rounds, which takes a pass over them."""
        return sum(
            (step.sort, step.kind) == (sort, kind)
            for number in range(self._number)
            for page in [self._history.page(number)]
            for step in (*page.steps, *page.asides)
        )

    def _exchange(
        self,
        hook: str,
        kind: str,
        line: HeardLine | None,
        component: str,
        calls: Sequence[Call],
    ) -> AgentExchange:
        asked = line if hook == "answer" else None
        outcome, reason = self._outcome(kind, asked, calls)
        manifest = self._history.manifest
        respondent = None
        if hook == "answer":
            respondent = manifest.respondent(self._replicate, self._seat, kind)
        made: Hook = "answer" if hook == "answer" else "notice" if hook == "notice" else "begin"
        return AgentExchange(
            "born" if hook == "born" else made,
            kind,
            line,
            tuple(self._answer(asked)) if asked is not None else (),
            outcome,
            reason,
            tuple(call for call in calls if not call.request.address.bare),
            next((call for call in calls if call.request.address.bare), None),
            respondent.name if respondent else component,
            respondent,
        )

    def _outcome(
        self, kind: str, line: HeardLine | None, calls: Sequence[Call]
    ) -> tuple[Outcome, str]:
        if line is None:
            return "answered", ""
        arrays, here = line.step.arrays, (self._replicate, self._seat)
        mine = [
            one
            for one in self._page.troubles
            if (one.kind, one.replicate, one.agent, one.what) == (kind, *here, "fallback")
        ]
        alike = sum((one.sort, one.kind) == ("ask", kind) for one in self._lines)
        if alike > 1 and calls and not calls[-1].request.again:
            mine = []  # it was another question of this kind whose answer could not be read
        reason = mine[-1].reason if mine else ""
        if ("unread", "") in arrays and arrays["unread", ""][here]:
            return "unanswered", reason
        if ("void", "") in arrays and arrays["void", ""][self._replicate, 0] and mine:
            return "void", reason
        return ("fallback", reason) if mine else ("answered", "")

    def _answer(self, line: HeardLine) -> Iterator[AnsweredField]:
        step, here = line.step, (self._replicate, self._seat)
        for name, form in forms_of(step).items():
            values = step.arrays["answer", name]
            value: Any = values[here]
            options: tuple[Any, ...] = ()
            if form.startswith(Choice.code):
                offered = step.arrays.get(("options", name))
                labels = form.removeprefix(f"{Choice.code} ").split("/")
                shown = labels if offered is None else offered[self._replicate].tolist()
                options = tuple(one for one in shown if one is not None and one == one)
                unasked = values[here] == NOBODY
                value = "" if unasked else answer_labels(values, form, offered)[here]
            bounds = (step.arrays.get((bound, name)) for bound in ("low", "high"))
            low, high = (None if bound is None else float(bound[here]) for bound in bounds)
            yield AnsweredField(
                name,
                form,
                value.tolist() if isinstance(value, np.ndarray | np.generic) else value,
                form.startswith(Neighbour.code),
                options,
                low,
                high,
            )
