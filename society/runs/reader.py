"""The reader of run files, whole or cut off, finished or still being written."""

from __future__ import annotations

import difflib
import sqlite3
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from pydantic import ValidationError

from society.engine.calls import Address, ParseIssue, Spent, Usage
from society.engine.game_master import Outcome
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.engine.scenario import Finding
from society.errors import RunFileError
from society.llm.call_tables import (
    BatchRecord,
    Call,
    CallSettings,
    call_settings,
    check_calls,
    checksum,
    find_agents_calls,
    find_call,
    find_earlier_call,
    find_vectors,
    list_calls,
    open_batches,
    system_prompts,
    unanswered_calls,
    usage_entries,
    use_so_far,
)
from society.llm.stored_database import StoredDatabase, check_types, load_json
from society.sandbox.kept_programs import MOST_PACKED

from .chunks import ChunkRow, last_of_chunks, paths_in_chunks, rows_around
from .encoding import ArrayLayout, StoredLine, unpack_lines
from .manifest import READABLE, Manifest
from .moved_files import find_moved_files
from .results import MeasuresSoFar, RecordedLedger, RunResults, read_results
from .schema import SIDES, Header, RunStanding, Status, check_schema, side_file
from .series import read_series

_MOST_KEYS, _MOST_BYTES = 64, 16 * 2**20  # of a manifest, beside the texts of programs
_MOST_AGENTS, _PER_BYTE = 2**24, 64  # in all replicates; more for each byte of the file
_MOST_CHECKED = 10_000  # calls that are checked at a look, a tenth of a second
_LONGEST_PATH = 200  # characters of the place of a round
_AT_HAND = 16 * 2**20  # bytes of rounds from chunks that are kept ready
_WHOLE_COPY = "take a whole copy, or run again"  # of a file that is cut off


class Record(NamedTuple):
    """A recorded round; ends: the replicates that ended in it, by cause."""

    page: Page
    chain: str
    ends: Mapping[str, list[int]]


class RunFile:
    """A run file, open for reading; `open_run_file` gives one. Nothing is ever written to it.

    Every method raises RunFileError where it meets damage.
    """

    def __init__(
        self,
        path: Path,
        database: StoredDatabase,
        files: Path | None = None,
        *,
        parse: bool = True,
    ) -> None:
        """Check schema and checksums, and the manifest unless it is to be parsed when needed."""
        self.path, self._files = path, files
        self._held: StoredDatabase | None = database  # None while it is let go of
        connection = database.connection
        self._looks: dict[int, tuple[ArrayLayout, str]] = {}
        self._chunk: dict[int, ChunkRow] = {}  # of the chunks that were read last
        with self._reading("the manifest"):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            self._chunked = version >= 3
            check_schema(connection, version)
            _check_manifest_size(connection)
            rows = dict(connection.execute("SELECT key, value FROM manifest").fetchall())
            self._seal = rows.pop("seal")
            _check_seal(self._seal, *sorted(rows.items()))
            self._given: Mapping[str, str] = rows
        if parse:
            _ = self.manifest

    @cached_property
    def manifest(self) -> Manifest:
        """The inputs of the run."""
        with _reading(self.path, "the manifest"):
            given = {key: load_json(value, _most_bytes(key)) for key, value in self._given.items()}
            manifest = Manifest.model_validate(given)
            _check_agents(manifest, self.path.stat().st_size)
            return find_moved_files(manifest, self.path, self._files)

    def entry(self, key: str) -> Any:
        """Return one entry of the manifest as it was written; None where there is none."""
        with _reading(self.path, "the manifest"):
            words = self._given.get(key)
            return None if words is None else load_json(words, _most_bytes(key))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._held is not None:
            self._held.close()

    def let_go(self) -> None:
        """Let go of the file until something is read again, which is then as new as can be.

        Meanwhile its writer can make it a single file, and another one can continue it.
        """
        self.close()
        self._held, self._chunk = None, {}

    @property
    def _database(self) -> StoredDatabase:
        if self._held is None:
            again = open_run_file(self.path, self._files)
            if again._seal != self._seal:
                again.close()
                raise RunFileError(f"{self.path} holds another run by now; open it again")
            self._held = again._held
        assert self._held is not None
        return self._held

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._database.connection

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        with _reading(self.path, what), self._database.limited():
            yield

    @property
    def standing(self) -> RunStanding:
        """The recorded status: the writing process, and the digest at the end."""
        with self._reading("the status"):
            *said, sealed = self._connection.execute("SELECT * FROM status").fetchone()
            _check_seal(sealed, *said)
            return RunStanding.read(said)

    @property
    def status(self) -> Status:
        """The status of the run; also interrupted if the process that wrote it is gone."""
        standing = self.standing
        gone = standing.status == "running" and not standing.alive
        return "interrupted" if gone else standing.status

    @property
    def rounds(self) -> int:
        """The number of committed rounds."""
        with self._reading("the list of rounds"):
            last = self._connection.execute("SELECT max(round) FROM rounds").fetchone()[0]
            chunked = last_of_chunks(self._connection) if self._chunked else 0
            return max(last or 0, chunked or 0)

    def paths(self) -> list[tuple[int, ...]]:
        """Return the path of each round among nested rounds, by number."""
        with self._reading("the list of rounds"):
            rows = self._connection.execute("SELECT path FROM rounds ORDER BY round").fetchall()
            packed = paths_in_chunks(self._connection) if self._chunked else ()
            words = [*packed, *(path for (path,) in rows)]
            return [_path(path) for path in words]

    def looks(self) -> dict[ArrayLayout, tuple[int, str]]:
        """Return the layouts of lines, with number and checksum."""
        with self._reading("the layouts"):
            rows = self._connection.execute("SELECT look, words FROM looks").fetchall()
            return {ArrayLayout.read(words): (number, checksum(words)) for number, words in rows}

    def calls(self) -> Iterator[Call]:
        """Yield every model call, in the order in which they were recorded."""
        with self._reading("the calls"):
            yield from list_calls(self._connection)

    def check_calls(self) -> str:
        """Say why model calls cannot be read; "" if all are as they were written.

        Of a large society they are too many to be checked at each look, which is said.
        """
        try:
            with self._reading("the calls"):
                count = self._connection.execute("SELECT max(call) FROM calls").fetchone()[0] or 0
                if count > _MOST_CHECKED:
                    return (
                        f"its {count:,} calls to models were not checked for damage, which takes "
                        f"long; to check them: society verify {self.path}"
                    )
                check_calls(self._connection)
        except RunFileError as damage:
            return str(damage)
        return ""

    def call(self, address: Address) -> Call | None:
        """The call at an address."""
        with self._reading("a call"):
            return find_call(self._connection, address)

    def calls_of(self, replicate: int, agent: int, number: int) -> list[Call]:
        """Return the calls of one agent in a round, in the order of their addresses."""
        with self._reading("the calls"):
            return find_agents_calls(self._connection, number, replicate, agent)

    def earlier_call(self, address: Address) -> Call | None:
        """The call of the same agent on its last occasion of this kind before an address."""
        with self._reading("a call"):
            return find_earlier_call(self._connection, address)

    def call_settings(self) -> list[CallSettings]:
        """Sum the calls by model and by the settings that were sent."""
        with self._reading("the calls"):
            return call_settings(self._connection)

    def system_prompts(self) -> dict[str, list[str]]:
        """Return the different system messages that each model was sent."""
        with self._reading("the calls"):
            return system_prompts(self._connection)

    @property
    def unanswered(self) -> int:
        """The number of calls that were sent and have no recorded answer; they may be billed."""
        with self._reading("the calls"):
            recorded = self._recorded_ledger()
            return unanswered_calls(self._connection) if recorded is None else recorded.unanswered

    def open_batches(self) -> list[BatchRecord]:
        """List the batches with questions whose replies are still to come, and these questions."""
        with self._reading("the batches"):
            return open_batches(self._connection)

    @property
    def spent(self) -> Spent:
        """The use of models that counts towards limits."""
        with self._reading("the calls"):
            return use_so_far(self._connection)

    def findings(self) -> tuple[Finding, ...] | None:
        """Return the recorded findings of the analysis after the run; None if there are none."""
        with self._reading("the findings"):
            row = self._connection.execute("SELECT findings, seal FROM findings").fetchone()
            if row is None:
                return None
            words, sealed = row
            _check_seal(sealed, words)
            return tuple(map(self._finding, load_json(words)))

    def _finding(self, said: Sequence[Any]) -> Finding:
        name, unit, values = said
        check_types((name, unit), str, str)
        numbers = np.array(values, float)
        if numbers.shape != (self.manifest.replicates,):
            raise ValueError(f"finding {name!r:.40} has the shape {numbers.shape}")
        return Finding(name, unit, numbers)

    def sittings(self) -> list[tuple[int, str]]:
        """List each resumption: the last round before it, and changes since the run was made."""
        with self._reading("the list of sessions"):
            rows = self._connection.execute("SELECT round, changed, seal FROM sittings").fetchall()
            for number, changed, sealed in rows:
                _check_seal(sealed, number, changed)
                check_types((number, changed), int, str)
            return [(number, changed) for number, changed, _ in rows]

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the recorded embeddings, by text."""
        with self._reading("the embeddings"):
            return find_vectors(self._connection, embedder, texts)

    def embedders(self) -> list[str]:
        """Name those whose embeddings are recorded."""
        with self._reading("the embeddings"):
            query = "SELECT DISTINCT embedder FROM vectors ORDER BY embedder"
            return [str(name) for (name,) in self._connection.execute(query)]

    def vector_rows(self) -> Iterator[tuple[str, str, bytes, str]]:
        """Yield the rows of all recorded embeddings; they are not looked into."""
        with self._reading("the embeddings"):
            yield from self._connection.execute("SELECT * FROM vectors")

    def ledger(self) -> tuple[Usage, ...]:
        """Return the use of models by component, kind of question and model."""
        with self._reading("the results"):
            recorded = self._recorded_ledger()
        if recorded is not None:
            return recorded.entries
        return tuple(entry for _, entry in self._entries(per_agent=False))

    def _recorded_ledger(self) -> RecordedLedger | None:
        """Return the ledger that was written when the file was closed, if nothing came after it."""
        found = self._recorded_results()
        return None if found is None else found.ledger

    def _recorded_results(self) -> RunResults | None:
        found = read_results(self._connection)
        return found if found is not None and found.chain == self.standing.digest else None

    def ledger_by_agent(self) -> dict[int, tuple[Usage, ...]]:
        """Return the use of models of each agent."""
        by_agent: dict[int, list[Usage]] = {}
        for agent, entry in self._entries(per_agent=True):
            by_agent.setdefault(agent, []).append(entry)
        return {agent: tuple(entries) for agent, entries in by_agent.items()}

    def _entries(self, per_agent: bool) -> Iterator[tuple[int, Usage]]:
        with self._reading("the calls"):
            entries = list(usage_entries(self._connection, per_agent))
        fallbacks: Counter[tuple[int, str, str, str]] = Counter()
        for record in self.records(lines=False) if entries or self.manifest.programs else ():
            for component, kind, model, _, agent, what, _ in record.page.troubles:
                who = agent if per_agent else -1
                fallbacks[who, component, kind, model] += what == "fallback"
        for agent, entry in entries:
            yield (
                agent,
                entry._replace(
                    fallbacks=fallbacks.pop((agent, entry.component, entry.kind, entry.model), 0)
                ),
            )
        for (who, component, kind, model), count in sorted(fallbacks.items()):
            yield who, Usage(component, kind, model, fallbacks=count)  # of programs: no calls

    def pages(self, start: int = 0) -> Iterator[Page]:
        """Yield the rounds from `start` on; at level summary of all lines only asides."""
        return (record.page for record in self.records(start))

    def records(self, start: int = 0, *, lines: bool = True) -> Iterator[Record]:
        """Yield the rounds with their records; reading is faster without lines."""
        while (record := self._record(start, lines)) is not None:
            yield record
            start += 1

    def series(self, name: str, replicate: int = 0, *, measure: bool = False) -> Array:
        """Return a fact, public column, answer or measure over the rounds of a replicate.

        (T + 1,), or (T + 1, N) where each agent has one: entry t is what was told last in round t,
        of which 0 precedes the first. NaN, or "" among texts, stands where nothing was told, for
        agents who were absent or do not have it, and after the replicate had ended. measure: take
        the measure, even if there is a fact of its name. Raises InputError for a name or a
        replicate that is not there.
        """
        rounds = ((record.page, record.ends) for record in self.records())
        return read_series(self.manifest, rounds, name, replicate, measure)

    def outcome(self) -> Outcome:
        """Return the outcome of the run so far, from its committed rounds."""
        so_far, record = MeasuresSoFar(self.manifest), None
        with self._reading("the measures"):
            for record in self.records(lines=False):
                so_far.add(record.page, record.ends)
        return so_far.outcome(record.chain if record else "", self.ledger())

    def results(self) -> RunResults:
        """Return the results of the run so far; faster than `outcome` once the file is closed."""
        with self._reading("the results"):
            if (found := self._recorded_results()) is not None:
                return found
        so_far, spent = self.outcome(), self.spent
        ledger = RecordedLedger(so_far.ledger, self.unanswered)
        return RunResults(
            so_far.rounds, so_far.digest, so_far.measures, spent.calls, spent.cost, ledger
        )

    def _record(self, number: int, lines: bool) -> Record | None:
        with self._reading(f"round {number}"):
            if (row := self._row_in_chunk(number)) is not None:
                return self._record_of(row, lines)
            columns = "round, path, digest, chain, ends, troubles, look, arrays, line_seal, seal"
            query = f"SELECT {columns} FROM rounds WHERE round >= ? ORDER BY round"
            row = self._connection.execute(query, (number,)).fetchone()
            if row is None:
                return None
            *said, look_number, blob, line_seal, sealed = row
            stored, path, digest, chain, ends, troubles = said
            if stored != number:
                raise ValueError("it is missing, though later ones are there")
            look, look_seal = self._look(look_number)
            _check_seal(sealed, *said, look_seal, line_seal, blob=blob)
            ((_, _, _, arrays),) = unpack_lines(look, blob)
            told = self._lines(number, line_seal) if lines else ()
            said = number, path, digest, chain, ends, troubles
            return self._checked(_compose(*said, arrays, told))

    def _row_in_chunk(self, number: int) -> ChunkRow | None:
        """Return the row of a round that is in a chunk; else None."""
        if self._chunked and number not in self._chunk:
            rows = rows_around(self._connection, number, lambda one: self._look(one)[0])
            # Summaries go through all rounds several times; those of most runs can stay at hand.
            size = sum(
                len(row.arrays) + len(row.lines) for row in (*self._chunk.values(), *rows.values())
            )
            self._chunk = rows if size > _AT_HAND else self._chunk | rows
        return self._chunk.get(number)

    def _record_of(self, row: ChunkRow, lines: bool) -> Record:
        """Read a round from its row in a chunk."""
        ((_, _, _, arrays),) = unpack_lines(self._look(row.look)[0], row.arrays)
        told = unpack_lines(self._look(row.line_look)[0], row.lines) if lines else ()
        said = row.round, row.path, row.digest, row.chain, row.ends, row.troubles
        return self._checked(_compose(*said, arrays, told))

    def _checked(self, record: Record) -> Record:
        """Return a record; raises ValueError if it is not of as many agents as the manifest."""
        page, agents, replicates = record.page, self.manifest.agents, self.manifest.replicates
        shapes = {values.shape for values in (page.present, *page.public.values())}
        if shapes != {(replicates, agents)} or page.running.shape != (replicates, 1):
            raise ValueError(f"it is not of {agents:,} agents x {replicates:,} replicates")
        if strange := page.measures.keys() - {one.name for one in self.manifest.measures}:
            raise ValueError(f"the manifest has no measure {min(strange)!r:.40}")
        if any(values.shape != (replicates,) for values in page.measures.values()):
            raise ValueError(f"a measure is not of {replicates:,} replicates")
        return record

    def _lines(self, number: int, sealed: str) -> list[StoredLine]:
        """Return the lines of a round and its public columns; at level summary only asides."""
        query = "SELECT line_look, lines FROM rounds WHERE round = ?"
        look_number, blob = self._connection.execute(query, (number,)).fetchone()
        look, look_seal = self._look(look_number)
        _check_seal(sealed, look_seal, blob=blob)
        return unpack_lines(look, blob)

    def _look(self, number: int) -> tuple[ArrayLayout, str]:
        """Return a layout and its checksum."""
        if number not in self._looks:
            query = "SELECT words FROM looks WHERE look = ?"
            (words,) = self._connection.execute(query, (number,)).fetchone()
            self._looks[number] = ArrayLayout.read(words), checksum(words)
        return self._looks[number]


def _compose(
    number: int,
    path: str,
    digest: str,
    chain: str,
    ends: str,
    troubles: str,
    arrays: Mapping[tuple[str, str], Array],
    lines: Iterable[StoredLine],
) -> Record:
    """Compose the record of a round from its row, and its lines, if they were read."""
    steps, asides, public = list[Step](), list[Step](), dict[str, Array]()
    for sort, kind, form, found in lines:
        if sort == "public":
            public = {name: values for (_, name), values in found.items()}
        elif sort == "aside":
            asides.append(Step("ask", kind, form, found))
        elif sort != "round":
            steps.append(Step(sort, kind, form, found))
    ended, issues = load_json(ends), [ParseIssue(*one) for one in load_json(troubles)]
    check_types((ended,), dict)
    for one in issues:
        check_types(one, str, str, str, int, int, str, str)
    page = Page(
        number,
        _path(path),
        tuple(steps),
        bytes.fromhex(digest),
        public,
        {name: values for (role, name), values in arrays.items() if role == "measure"},
        arrays["present", ""],
        arrays["running", ""],
        troubles=tuple(issues),
        asides=tuple(asides),
    )
    return Record(page, chain, ended)


def _check_manifest_size(connection: sqlite3.Connection) -> None:
    size = "length(CAST(value AS BLOB))"
    query = f"SELECT key = 'programs', count(*), coalesce(sum({size}), 0) FROM manifest GROUP BY 1"
    for programs, keys, size in connection.execute(query):
        if keys > _MOST_KEYS or size > _most_bytes("programs" if programs else ""):
            raise ValueError(f"it has {keys:,} keys with {size:,} bytes, which no run needs")


def _most_bytes(key: str) -> int:
    """The most bytes of a value in the manifest."""
    return _MOST_BYTES + (MOST_PACKED if key == "programs" else 0)


def _check_agents(manifest: Manifest, size: int) -> None:
    agents, replicates = manifest.agents, manifest.replicates
    if agents < 0 or replicates < 0 or agents * replicates > _MOST_AGENTS + _PER_BYTE * size:
        raise ValueError(
            f"a file of {size:,} bytes says that it has {agents:,} agents in each of "
            f"{replicates:,} replicates"
        )


def _path(words: str) -> tuple[int, ...]:
    """Parse a path such as 3.1.5."""
    if len(words) > _LONGEST_PATH:
        raise ValueError(f"the place of a round has {len(words):,} characters")
    return tuple(int(part) for part in words.split(".") if part)


def open_run_file(path: Path | str, files: Path | None = None, *, parse: bool = True) -> RunFile:
    """Open a run file. files: a folder in which the files that it names are looked up first.

    parse: the manifest now, and not when it is needed. Raises RunFileError if there is none, or it
    is foreign, cut off or of another format.
    """
    path = Path(path)
    held_aside = _check_file(path)
    if not held_aside:
        # Nobody writes it, so that reading needs no locks and makes no side files; unless a
        # process has just begun and its -wal is about to come.
        run = _open_database(path, "immutable=1", files, parse=parse)
        if not run.standing.alive:
            return run
        run.close()
    return _open_database(path, "mode=ro", files, parse=parse)


def _open_database(path: Path, how: str, files: Path | None, *, parse: bool) -> RunFile:
    with _reading(path, "the file"):
        database = StoredDatabase(path, how)
    try:
        return RunFile(path, database, files, parse=parse)
    except BaseException:  # an interrupt, too, must not leave the file open
        database.close()
        raise


def _check_file(path: Path) -> bool:
    """Check the file, and if a -wal holds part of it; raises RunFileError for no run file."""
    try:
        if path.is_dir():
            raise IsADirectoryError
        if path.exists() and not path.is_file():
            raise RunFileError(f"{path} is a device or a pipe; name a run file")
        for side in (side_file(path, suffix) for suffix in SIDES):
            if side.is_symlink() or (side.exists() and not side.is_file()):
                raise RunFileError(f"{side} is a link, a pipe or a folder; remove it and try again")
        header, size = Header.of(path), path.stat().st_size
        wal = side_file(path, "-wal")
        held_aside = wal.exists() and wal.stat().st_size > 0
    except FileNotFoundError:
        raise RunFileError(f"there is no file {path}; {_similar_runs(path)}") from None
    except IsADirectoryError:
        raise RunFileError(
            f"{path} is a folder; name a run file in it (`society list runs {path}` lists them)"
        ) from None
    except (OSError, ValueError) as error:
        raise RunFileError(f"{path} cannot be read: {error}") from error
    _check_header(path, header, size)
    if held_aside and not header.wal:
        raise RunFileError(
            f"{wal} does not belong to {path}, which is complete without it; "
            f"remove {wal} and try again"
        )
    if size < header.size and not held_aside:
        raise RunFileError(f"{path} is cut off: {size:,} of {header.size:,} bytes; {_WHOLE_COPY}")
    return held_aside


def _check_header(path: Path, header: Header, size: int) -> None:
    """Raise RunFileError for what is no run file, or one of a format that is not read."""
    if not header.sqlite:
        raise RunFileError(f"{path} is not a run file; name a file that `society run` has written")
    if not header.whole:
        raise RunFileError(f"{path} is cut off after {size} bytes; {_WHOLE_COPY}")
    if not header.ours:
        raise RunFileError(
            f"{path} is an SQLite database, but not a run file; "
            "name a file that `society run` has written"
        )
    if header.version not in READABLE:
        raise RunFileError(
            f"{path} is a run file of format {header.version}, and this program reads formats "
            f"{READABLE[0]} to {READABLE[-1]}; read it with the version "
            "of society that wrote it, or run again"
        )


@contextmanager
def _reading(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise RunFileError(
            f"{path}: {what} cannot be read ({_describe_damage(error)}); take a whole copy of the "
            "file, or run again"
        ) from error


def _describe_damage(error: BaseException) -> str:
    """Say in one line what is damaged; of many faults the first."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


# What decoding bytes that nobody wrote can raise.
_DAMAGE = (
    sqlite3.Error,
    zlib.error,
    struct.error,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    RecursionError,
    MemoryError,
)


def _similar_runs(path: Path) -> str:
    """Name the run files that may have been meant."""
    folders = dict.fromkeys((path.parent, Path("runs")))
    there = [str(file) for folder in folders for file in folder.glob("*.run")]
    if not there:
        return "`society run SCENARIO` makes a run file"
    close = difflib.get_close_matches(str(path), there, n=1)
    return f"did you mean {close[0]!r}?" if close else "`society list runs` names those in runs/"


def _check_seal(sealed: object, *words: object, blob: bytes = b"") -> None:
    if checksum(*words, blob=blob) != sealed:
        raise ValueError("its checksum does not match")
