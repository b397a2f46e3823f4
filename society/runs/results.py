"""What a run has measured, folded round by round, and the row in which a closed run file says it.

    results   one row: rounds and their chain, each measure over replicates, calls and their cost;
              the ledger, since format 4

A list of many runs shows this row, which spares it all rounds. The row is made when the file is
closed, and counts only as long as its chain is that of the last round: a run that was killed, or
goes on, is read whole. Files of before have none.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.engine.calls import Usage
from society.engine.game_master import Outcome
from society.engine.scenario import Estimate, Folded
from society.engine.script import UNREAD
from society.llm.call_tables import checksum
from society.llm.stored_database import check_types, load_json

if TYPE_CHECKING:
    from society.engine.history import Page

    from .manifest import Manifest

RESULTS = "CREATE TABLE results (words TEXT, seal TEXT);"

_NUMBER = (int, float, type(None))


class RecordedLedger(NamedTuple):
    """The ledger of a run; unanswered: calls that were sent and have no recorded answer."""

    entries: tuple[Usage, ...]
    unanswered: int


class RunResults(NamedTuple):
    """The results of a run as far as it was played; cost: in US dollars, None where unknown.

    ledger: what was asked, and how many calls were sent and have no recorded answer; None in files
    of formats before 4.
    """

    rounds: int
    chain: str
    measures: Mapping[str, Estimate]
    calls: int
    cost: float | None
    ledger: RecordedLedger | None = None


class MeasuresSoFar:
    """The measures of a run while its rounds come in, one after another from the first one on."""

    def __init__(self, manifest: Manifest) -> None:
        self._folded = {
            measure.name: Folded(measure.fold, measure.unit, manifest.replicates)
            for measure in manifest.measures
        }
        self._cause = np.full(manifest.replicates, "", object)
        self._running = np.ones(manifest.replicates, bool)
        self._fallbacks = Counter[tuple[str, str, str]]()
        self.rounds = 0

    def add(self, page: Page, ends: Mapping[str, Collection[int]]) -> None:
        """Take in a round; ends: the replicates that ended in it, by cause."""
        self.rounds = page.number
        for name, values in page.measures.items():
            self._folded[name].add(page.number, values, self._running)
        self._running = page.running[:, 0]
        for kind, replicates in ends.items():
            self._cause[[*replicates]] = kind
        for component, line, model, _, _, what, _ in page.troubles:
            self._fallbacks[component, line, model] += what == "fallback"

    def ledger(self, asked: Iterable[Usage]) -> tuple[Usage, ...]:
        """Return what was asked, with the fallbacks that are told in rounds.

        Those of programs, which call no model, follow as entries of their own.
        """
        left = self._fallbacks.copy()
        entries = [one._replace(fallbacks=left.pop(one[:3], 0)) for one in asked]
        return (*entries, *(Usage(*key, fallbacks=n) for key, n in sorted(left.items())))

    def estimates(self) -> dict[str, Estimate]:
        """Estimate each measure over replicates; void ones do not count."""
        for each in self._folded.values():
            each.strike(self._cause == UNREAD)
        return {name: values.estimate() for name, values in self._folded.items()}

    def outcome(self, chain: str, ledger: tuple[Usage, ...]) -> Outcome:
        """Return the outcome of the rounds that have come in."""
        return Outcome(
            self.rounds,
            chain,
            self.estimates(),
            dict(Counter(self._cause.tolist())),
            ledger,
            {name: values.values() for name, values in self._folded.items()},
            {name: own.censored() for name, own in self._folded.items() if own.fold == "first"},
        )


def write_results(connection: sqlite3.Connection, found: RunResults) -> None:
    """Write the row of results, in place of an earlier one."""
    measures = [[name, *vars(one).values()] for name, one in found.measures.items()]
    told = [found.rounds, found.chain, measures, found.calls, found.cost]
    words = json.dumps(told if found.ledger is None else [*told, found.ledger])
    connection.execute(RESULTS.replace("TABLE", "TABLE IF NOT EXISTS", 1))
    connection.execute("DELETE FROM results")
    connection.execute("INSERT INTO results VALUES (?, ?)", (words, checksum(words)))


def read_results(connection: sqlite3.Connection) -> RunResults | None:
    """Read the row of results; None without one. Raises ValueError if it is damaged."""
    query = "SELECT 1 FROM sqlite_schema WHERE name = 'results'"
    if connection.execute(query).fetchone() is None:
        return None
    row = connection.execute("SELECT words, seal FROM results").fetchone()
    if row is None:
        return None
    words, sealed = row
    check_types(row, str, str)
    if checksum(words) != sealed:
        raise ValueError("its checksum does not match")
    (rounds, chain, estimates, calls, cost), *more = _parts(load_json(words))
    check_types((rounds, chain, estimates, calls, cost), int, str, list, int, _NUMBER)
    ledger = _ledger(*more) if more else None
    return RunResults(rounds, chain, dict(map(_estimate, estimates)), calls, cost, ledger)


def _parts(said: Any) -> list[Any]:
    check_types((said,), list)
    return [said[:5], *said[5:]]


def _ledger(said: Any) -> RecordedLedger:
    check_types(said, list, int)
    entries, unanswered = said
    for one in entries:
        check_types(one[:3], str, str, str)
        check_types(one[3:], *(_NUMBER for _ in Usage._fields[3:]))
    return RecordedLedger(tuple(Usage._make(one) for one in entries), unanswered)


def _estimate(said: Any) -> tuple[str, Estimate]:
    check_types(said[:6], str, _NUMBER, _NUMBER, int, str, int)
    check_types(said[6:], *(int for _ in said[6:7]))  # files of before have no seventh
    name, *fields = said
    return name, Estimate(*fields)
