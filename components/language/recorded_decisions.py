"""Decisions that were made elsewhere, by people or in another study, played again from a table.

The table is a file of comma-separated values whose first line names the columns, or of one JSON
object per line (.jsonl):

    match     the number of the replicate, from 0
    round     how often that player has been asked this in this match, from 1
    stage     the kind of question: move, design_contract, sign_contract, ...
    seat      the player, from 1 (its id is one less)
    decision  a label, a number or words; for a mixed strategy a label, or as an answer of several
              fields a JSON object, {"A0": 50, "A1": 50}
Only stages that the table has are answered from it; others go to the component that is next in the
cohort. Every question of such a stage must find its row, so agents without rows are a cohort of
their own. A row can stand only once; what is never asked may stand in the table, too.

In a tournament types make their designs (contracts, mediators) in a run of their own: of K types
and a game of n players type k, counted from 0 in the order of cohorts, makes that for seat s in
match n k + s - 1. For the first of two types whose decisions are tables that is

    match,round,stage,seat,decision
    0,1,design_contract,1,"{""A0"": 2, ""A1"": 0}"
    1,1,design_contract,2,"{""A0"": 2, ""A1"": 0}"

and all else has the number of its match in the tournament. People who made a design in each match
can play again what they did, without a tournament: one row for each match and seat.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from society.components.language.llm_policy import agent_view
from society.engine.action_spaces import ActionSpace, Fields, Legal, MixedStrategy
from society.engine.component import ANYTHING, Agent, Component, Inquiry, per_agent
from society.errors import FileError, short_path
from society.llm.parsing.answers import hint, interpret

COLUMNS = ("match", "round", "stage", "seat", "decision")


class DecisionPlace(NamedTuple):
    """The question that a decision answers."""

    match: int
    round: int
    stage: str
    seat: int

    def __str__(self) -> str:
        return f"match {self.match}, round {self.round}, stage {self.stage!r}, seat {self.seat}"


class RecordedDecision(NamedTuple):
    """A decision, and the line that holds it."""

    said: Any
    line: int


@dataclass(frozen=True)
class RecordedDecisions(Component):
    """Decisions from a file, played again; raises FileError with a line that does not fit.

    file: .csv or .jsonl; a relative path starts at the scenario file.
    """

    file: str

    chance_id = "recorded"
    answers = ANYTHING

    def __post_init__(self) -> None:
        stages = (place.stage for place in self.records.decisions)
        object.__setattr__(self, "answers", tuple(dict.fromkeys(stages)))

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file,)

    @property
    def places_of_answers(self) -> Mapping[str, tuple[str, int]]:
        """The first line of each stage."""
        places: dict[str, tuple[str, int]] = {}
        for place, decision in self.records.decisions.items():
            places.setdefault(place.stage, (self.file, decision.line))
        return places

    @cached_property
    def records(self) -> Records:
        return Records(Path(self.file))

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        asked = agent.times_asked(ask.kind) + 1
        address = DecisionPlace(agent.address.replicate, asked, ask.kind, agent.agent + 1)
        return self.records.answer(address, ask.reply, agent_view(ask, agent).legal)


class Records:
    """The decisions of a file; raises FileError for one that is no table of them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.decisions = read_decisions(file)

    def answer(self, address: DecisionPlace, reply: ActionSpace, legal: Legal) -> Any:
        """Return the decision for a question; raises FileError if none is there, or legal."""
        if address not in self.decisions:
            raise FileError(
                f"{short_path(self.file)} has no decision for {address}; add a row for it, or put "
                "agents without rows into a cohort of their own"
            )
        said, line = self.decisions[address]
        answer = interpret_decision(reply, said, legal)
        if answer is None:
            expected = hint(reply, legal)
            if isinstance(reply, MixedStrategy):
                expected = f"one of {', '.join(reply.actions)}, or {expected}"
            words = f"{said!r:.80} is no decision for {address}; expected {expected}"
            raise _wrong(self.file, line, words)
        return answer


def read_decisions(file: Path) -> dict[DecisionPlace, RecordedDecision]:
    """All decisions of a file; raises FileError."""
    found: dict[DecisionPlace, RecordedDecision] = {}
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = _objects(lines) if file.suffix == ".jsonl" else _cells(lines)
            for line, row in rows:
                address, said = _read(file, line, row)
                if address in found:
                    raise _wrong(file, line, f"{address} stands in line {found[address].line}, too")
                found[address] = RecordedDecision(said, line)
    except OSError as error:
        raise FileError(f"cannot read {short_path(file)}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{short_path(file)} is no table of text: {error}") from None
    return found


def interpret_decision(reply: ActionSpace, said: Any, legal: Legal) -> Any:
    """The answer that a decision is, or None."""
    if isinstance(reply, Fields):
        entries = said if isinstance(said, Mapping) else {}
        answers = {
            name: interpret(part, entries.get(name), legal) for name, part in reply.fields.items()
        }
        whole = set(entries) == set(answers) and None not in answers.values()
        return answers if whole else None
    if isinstance(reply, MixedStrategy) and said in reply.actions:
        return [float(action == said) for action in reply.actions]
    return interpret(reply, said, legal)


def _cells(lines: Iterator[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = csv.DictReader(lines)
    for row in rows:
        yield rows.line_num, {key: _said(cell) for key, cell in row.items()}


def _objects(lines: Iterator[str]) -> Iterator[tuple[int, Any]]:
    for line, text in enumerate(lines, 1):
        if text.strip():
            try:
                yield line, json.loads(text)
            except ValueError:
                yield line, text


def _said(cell: Any) -> Any:
    """An object if the cell holds one; else its text."""
    if isinstance(cell, str) and cell.lstrip().startswith("{"):
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell


def _read(file: Path, line: int, row: Any) -> tuple[DecisionPlace, Any]:
    if not isinstance(row, Mapping) or set(row) != set(COLUMNS):
        names = ", ".join(map(str, row)) if isinstance(row, Mapping) else repr(row)
        raise _wrong(file, line, f"got {names:.80}; expected the columns {', '.join(COLUMNS)}")
    numbers = {}
    for name, least in (("match", 0), ("round", 1), ("seat", 1)):
        text = str(row[name]).strip()
        if not text.isdecimal() or int(text) < least:
            raise _wrong(file, line, f"{name} is {row[name]!r:.40}; expected a number from {least}")
        numbers[name] = int(text)
    address = DecisionPlace(numbers["match"], numbers["round"], str(row["stage"]), numbers["seat"])
    return address, row["decision"]


def _wrong(file: Path, line: int, words: str) -> FileError:
    return FileError(f"{short_path(file)}, line {line}: {words}")
