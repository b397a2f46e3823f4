"""Resolution: a referee's verdict is read, bounded by hard rules, and may be given once more.

Referees are agents like any other. Several of them vote, on each row of a list by majority and on
each number by the median, or each decides for the place where it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import Any, NamedTuple

import numpy as np

from society.components.scenes.verdict_form import Names, Row, Rows, Story
from society.engine.action_spaces import Choice, Fields, Value
from society.engine.rng import Array

from .consequences import Consequence, HardRule, Stage, State


class Judges(NamedTuple):
    """Who decides: (R, N) of bool, and for each the place it decides for, or None for all of it."""

    here: Array
    place: Array | None


def silent_verdict(form: Fields, state: State, replicate: int) -> dict[str, Any]:
    """The verdict that changes nothing."""
    return {name: _silent(name, part, state, replicate) for name, part in form.fields.items()}


def _silent(name: str, part: Value, state: State, replicate: int) -> Any:
    if isinstance(part, Rows):
        return []
    if isinstance(part, Story):
        return part.silent
    return state[name][replicate, 0] if name in state else 0


def read_verdicts(
    form: Fields, said: Mapping[str, Array], judges: Judges, stage: Stage, state: State
) -> tuple[list[dict[str, Any]], list[str]]:
    """One verdict for each replicate, and why it cannot be one, "" where it can."""
    verdicts, reasons = [], []
    for replicate in range(stage.env.replicates):
        seats = np.flatnonzero(judges.here[replicate])
        seats = seats[np.argsort(stage.env.ids[seats])]
        verdict, reason = silent_verdict(form, state, replicate), ""
        try:
            for name, part in form.fields.items():
                given = [_read(part, said[name][replicate, seat]) for seat in seats]
                if not given or isinstance(part, Story):
                    continue
                if isinstance(part, Rows):
                    places = None if judges.place is None else judges.place[replicate, seats]
                    verdict[name] = _rows(part, given, places, stage, state, replicate)
                else:
                    verdict[name] = _voted(part, given)
        except ValueError as error:
            reason = f"{error}."
        verdicts.append(verdict)
        reasons.append(reason)
    return verdicts, reasons


def _rows(
    part: Rows,
    given: Sequence[list[Row]],
    places: Array | None,
    stage: Stage,
    state: State,
    replicate: int,
) -> list[Row]:
    """The rows that count: of all referees by their votes, or of those of each place.

    Raises ValueError for a row about somebody who is gone, or in another place than the referee.
    """
    where = [None] * len(given) if places is None else places.tolist()
    named = [name for name, words in part.parts.items() if isinstance(words, Names)]
    for rows, place in zip(given, where, strict=True):
        for who in (str(row[name]) for row in rows for name in named):
            seat = stage.seats.get(who)  # None for a stock
            if seat is not None and not stage.env.active[replicate, seat]:
                raise ValueError(f"{who} is gone")
            if place is not None and seat is not None and state["place"][replicate, seat] != place:
                raise ValueError(f"{who} is somewhere else")
    kept: list[Row] = []
    for place in dict.fromkeys(where):
        there = [rows for rows, at in zip(given, where, strict=True) if at == place]
        kept += _voted(part, there)
    return kept


def _read(part: Value, said: Any) -> Any:
    return part.read(said) if isinstance(part, Rows) else said


def _voted(part: Value, given: Sequence[Any]) -> Any:
    """What most want: rows that more than half of them have, the median, the commonest option."""
    if isinstance(part, Rows):
        if len(given) == 1:
            return given[0]
        sentences = [{part.write([row]): row for row in rows} for rows in given]
        wanted = Counter(sentence for one in sentences for sentence in one)
        known = {sentence: row for one in sentences for sentence, row in one.items()}
        return [row for sentence, row in known.items() if 2 * wanted[sentence] > len(given)]
    if isinstance(part, Choice):
        votes = Counter(int(one) for one in given)
        return min(votes, key=lambda option: (-votes[option], option))
    return median_low(given)


def apply_verdicts(
    parts: Sequence[Consequence],
    rules: Sequence[HardRule],
    stage: Stage,
    state: State,
    verdicts: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, Array], list[str]]:
    """The state after all verdicts, and what each of them breaks, "" where nothing."""
    after, reasons = dict(state), [""] * len(verdicts)
    for part in parts:
        changed, broken = part.change(stage, state, verdicts)
        after |= changed
        reasons = [one or other for one, other in zip(reasons, broken, strict=True)]
    for rule in rules:
        wrong = np.broadcast_to(rule.broken(state, after), stage.env.present.shape)
        for replicate in np.flatnonzero(np.any(wrong, axis=1)).tolist():
            reasons[replicate] = reasons[replicate] or rule.sentence
    return after, reasons
