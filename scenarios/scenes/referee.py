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

from society.components.scenes.verdict_form import ActorNames, Row, Rows, Story
from society.engine.action_spaces import Choice, Fields, Value
from society.engine.rng import Array
from society.errors import ScenarioError

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
) -> tuple[list[dict[str, Any]], list[str], Array]:
    """One verdict for each replicate, why it cannot be one, "" where it can, and who tells of it.

    Of those who decide together that is the first who wanted all rows that have been decided and
    no other, (R, N) of bool; there may be none.
    """
    verdicts, reasons = [], []
    tellers = np.zeros(judges.here.shape, bool)
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
                    verdict[name] = _voted(part, given, verdict[name])
            tellers[replicate, _tellers(form, said, judges, verdict, replicate, seats)] = True
        except ValueError as error:
            reason = f"{error}."
        verdicts.append(verdict)
        reasons.append(reason)
    return verdicts, reasons, tellers


def _tellers(
    form: Fields,
    said: Mapping[str, Array],
    judges: Judges,
    verdict: Mapping[str, Any],
    replicate: int,
    seats: Array,
) -> list[int]:
    """The first seat at each place, of those in order, that wanted what has been decided."""
    parts = {name: part for name, part in form.fields.items() if isinstance(part, Rows)}
    decided = {(n, part.write([row])) for n, part in parts.items() for row in verdict[n]}
    wanted: dict[int, dict[int, set[tuple[str, str]]]] = {}
    for seat in seats.tolist():
        place = 0 if judges.place is None else int(judges.place[replicate, seat])
        wanted.setdefault(place, {})[seat] = {
            (n, part.write([row]))
            for n, part in parts.items()
            for row in part.read(said[n][replicate, seat])
        }
    first = []
    for by_seat in wanted.values():
        theirs = decided & set().union(*by_seat.values())
        first += [seat for seat, rows in by_seat.items() if rows == theirs][:1]
    return first


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
    named = [name for name, words in part.parts.items() if isinstance(words, ActorNames)]
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
        kept += _voted(part, there, [])
    return kept


def _read(part: Value, said: Any) -> Any:
    return part.read(said) if isinstance(part, Rows) else said


def _voted(part: Value, given: Sequence[Any], before: Any) -> Any:
    """What most want: rows that more than half of them have, the median, the commonest option.

    Of equally common options it is the one of before, else the first.
    """
    if isinstance(part, Rows):
        if len(given) == 1:
            return given[0]
        sentences = [{part.write([row]): row for row in rows} for rows in given]
        wanted = Counter(sentence for one in sentences for sentence in one)
        known = {sentence: row for one in sentences for sentence, row in one.items()}
        return [row for sentence, row in known.items() if 2 * wanted[sentence] > len(given)]
    if isinstance(part, Choice):
        votes = Counter(int(one) for one in given)
        return min(votes, key=lambda option: (-votes[option], option != before, option))
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
        wrong = _broken(rule, stage, state, after)
        for replicate in np.flatnonzero(np.any(wrong, axis=1)).tolist():
            reasons[replicate] = reasons[replicate] or rule.sentence
    return after, reasons


def check_rules(rules: Sequence[HardRule], stage: Stage, state: State) -> None:
    """Refuse rules that cannot be checked, and those that are broken where nothing changes."""
    for rule in rules:
        if not isinstance(rule, HardRule):
            raise ScenarioError(f"{rule!r:.80} is no rule; write HardRule(sentence, broken)")
        try:
            wrong = _broken(rule, stage, state, state)
        except KeyError as error:
            raise ScenarioError(
                f"the rule {rule.sentence!r} reads {error}, which no part of the scene changes; "
                f"there is {', '.join(state)}"
            ) from error
        if wrong.any():
            raise ScenarioError(
                f"the rule {rule.sentence!r} is broken at the start, or where nothing changes, as "
                "after a verdict that is refused; change the start or the rule"
            )


def _broken(rule: HardRule, stage: Stage, before: State, after: State) -> Array:
    """Where a rule is broken, (R, N) or (R, 1)."""
    wrong = np.asarray(rule.broken(before, after))
    shapes = (stage.env.present.shape, stage.env.running.shape)
    if wrong.dtype != bool or wrong.shape not in shapes:
        raise ScenarioError(
            f"the rule {rule.sentence!r} gives {wrong.dtype} of shape {wrong.shape}; expected bool "
            f"of shape {shapes[0]}, for each agent, or {shapes[1]}"
        )
    return wrong
