"""The tables of a run file in which everything from outside is kept, and how they are read.

    sent      calls that were about to go out; those without a row in calls may have been paid for
    lost      such calls of earlier sessions, which may have been asked again since
    calls     one row a call: whose it is, what was asked, what was said, what it cost
    vectors   embeddings, by embedder and hash of the text
    batches   jobs of batch interfaces, if there are any: where, since when, and which calls; job is
              "" until the provider has told its id
    inherited of a fork that has not finished, if any: calls of its parent, whose answers it takes
              over, into calls, where it is asked the same

messages, in a row of calls: the words as JSON, or a cell that refers to those of another call
(society.llm.shared_words).

sent: the settings that were sent, as JSON; with them the cached tokens that the
provider told, where it told any, and which component has given what of the last message. Files of
before have neither, and need no other format. A long form of the answer stands there with the first
call that it went out with; in later ones stands the address of that call.

Rows of calls, vectors and batches are sealed with a hash of what they say, those of calls with
messages in full. The last two tables are made when they are needed: a file without them has the
same format.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, get_args

import numpy as np
from xxhash import xxh3_128_hexdigest

from society.engine.calls import (
    ASKED_ON,
    BARE,
    COPIED,
    Address,
    Completion,
    Message,
    PartRole,
    PromptPart,
    Request,
    Spent,
    Usage,
    fingerprint,
)
from society.engine.rng import Array
from society.errors import RunFileError, short_path

from .shared_words import SCHEMA as SHARED
from .shared_words import SHARE, SharedWords, WordsReader
from .stored_database import StoredDatabase, check_types, load_json, read_schema

_CACHED, _PARTS = "cached_tokens", "parts_of_prompt"  # no settings have these names
_FORMS = frozenset({"response_format", "tools"})
_AS_IN = "as_in_call"
_SYSTEM = '[["system", '  # how messages begin of which the first is for the system
_SCANNER = json.JSONDecoder()
_MESSAGES = 12  # the place of the messages in a row
_SHORT = 200  # characters of a form that is not worth a reference
_MOST_FORMS = 1024  # that are kept at hand
_ADDRESS = "component, occasion, use, replicate, agent, turn"
_ASKED = "fingerprint, name, room, again, reason, messages"
_SAID = "text, finish, prompt_tokens, completion_tokens, cost, latency, retries, model, sent"
_ROW = f"round, {_ADDRESS}, {_ASKED}, {_SAID}"
_COPIED = f"coalesce(json_extract(sent, '$.{COPIED}'), 0)"
_KEY = "component TEXT, occasion TEXT, use INTEGER, replicate INTEGER, agent INTEGER, turn INTEGER"

SCHEMA = f"""
CREATE TABLE sent ({_KEY}, PRIMARY KEY ({_ADDRESS})) WITHOUT ROWID;
CREATE TABLE lost ({_KEY});
CREATE TABLE calls (
    call INTEGER PRIMARY KEY, round INTEGER, {_KEY},
    fingerprint TEXT, name TEXT, room INTEGER, again TEXT, reason TEXT, messages TEXT,
    text TEXT, finish TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL,
    latency REAL, retries INTEGER, model TEXT, sent TEXT, seal TEXT,
    UNIQUE ({_ADDRESS}));
CREATE TABLE vectors (
    embedder TEXT, text TEXT, vector BLOB, seal TEXT, PRIMARY KEY (embedder, text)) WITHOUT ROWID;
{SHARED}"""
INHERITED = f"""CREATE TABLE inherited (
    round INTEGER, {_KEY},
    fingerprint TEXT, name TEXT, room INTEGER, again TEXT, reason TEXT, messages TEXT,
    text TEXT, finish TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL,
    latency REAL, retries INTEGER, model TEXT, sent TEXT, seal TEXT,
    PRIMARY KEY ({_ADDRESS})) WITHOUT ROWID;
"""
BATCHES = """CREATE TABLE batches (
    batch TEXT PRIMARY KEY, job TEXT, place TEXT, began REAL, calls TEXT, seal TEXT);"""

SENT = f"INSERT OR IGNORE INTO sent VALUES ({', '.join('?' * 6)})"
CALL = f"INSERT INTO calls ({_ROW}, seal) VALUES ({', '.join('?' * 23)})"
INHERIT = CALL.replace("INTO calls", "INTO inherited", 1)
FORGET_INHERITED = "DROP TABLE IF EXISTS inherited"
WITHDRAWN = f"DELETE FROM sent WHERE ({_ADDRESS}) = ({', '.join('?' * 6)})"
# When a run is resumed: what went out before, and never came back.
LOSE = (
    f"INSERT INTO lost SELECT {_ADDRESS} FROM sent EXCEPT SELECT {_ADDRESS} FROM calls",
    "DELETE FROM sent",
)
MAKE_BATCHES = BATCHES.replace("TABLE", "TABLE IF NOT EXISTS", 1)
BATCH = "INSERT OR REPLACE INTO batches VALUES (?, ?, ?, ?, ?, ?)"
FORGET_BATCH = "DELETE FROM batches WHERE batch = ?"
VECTOR = "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)"


_WHOLE, _NUMBER = (int, NoneType), (int, float, NoneType)
_TYPES = (
    *(int, str, str, int, int, int, int),  # round and address
    *(str, str, _WHOLE, str, str, str),  # asked
    *(str, str, _WHOLE, _WHOLE, _NUMBER, float, int, str, str),  # said
)
_MOST_DIMENSIONS = 2**17  # of an embedding
_MOST_OF_A_CALL = 16 * 2**20  # bytes of a call on a tape: prompts and replies are far shorter


Write = tuple[str, tuple[Any, ...]]  # a statement, and the values that it inserts
Exchange = tuple[int, Request, Completion]  # the number of the round, what was asked and said


class Call(NamedTuple):
    """A row of calls: the round that was being played, and the exchange."""

    round: int
    request: Request
    said: Completion


class BatchCall(NamedTuple):
    """A line of a job: its number there, and the address and fingerprint of the question."""

    number: int
    address: Address
    fingerprint: str


class BatchRecord(NamedTuple):
    """A job of a batch interface, as a run file keeps it.

    key: ours, which the provider keeps as well. job: its id there, "" until that is known. place:
    server and model. began: seconds since 1970. size: lines of the whole job, of which `calls` may
    be a part.
    """

    key: str
    job: str
    place: str
    began: float
    calls: tuple[BatchCall, ...]
    size: int


def checksum(*words: object, blob: bytes = b"") -> str:
    """A hash of stored values, which finds damage: it need not tell apart every two rows."""
    told = "\x1f".join(map(str, words)).encode("utf-8", "surrogatepass")
    return xxh3_128_hexdigest(told + b"\x1f" + blob)


class CallRows:
    """Makes the rows of the calls of one session, which share long forms and words of prompts.

    words: None for a file of a format in which each prompt stands in full.
    """

    def __init__(self, words: SharedWords | None = None) -> None:
        self._words = words
        self._forms: dict[str, Address] = {}  # the calls that forms of answers were kept with

    def write(self, number: int, request: Request, said: Completion) -> Iterator[Write]:
        """Yield what to write for an exchange in round `number`, in this order."""
        *row, sealed = call_row(number, request, said, self._forms)
        if self._words is not None:
            address = request.address
            question = address.component, address.occasion, request.model
            cell, shared = self._words.pack(question, row[_MESSAGES])
            if shared is not None:
                yield SHARE, shared
            row[_MESSAGES] = cell
        yield CALL, (*row, sealed)

    def vector(self, embedder: str, text: str, vector: Array) -> Write:
        """Return what to write for an embedding."""
        return VECTOR, vector_row(embedder, text, vector, packed=self._words is not None)

    def forget(self) -> None:
        """Refer to no row that was made before: the last ones have not been written."""
        self._forms.clear()
        if self._words is not None:
            self._words.forget()


def call_row(
    number: int,
    request: Request,
    said: Completion,
    forms: dict[str, Address] | None = None,
) -> tuple[Any, ...]:
    """Return the row that CALL inserts for an exchange in round `number`, with its words in full.

    forms: the calls that forms of answers were kept with, by form; a new one is added.
    """
    words = request.words
    name = fingerprint(request.model, words)
    asked = name, request.model, request.room, request.again, request.reason, words
    # As SQLite gives them back, since the seal is taken over their words.
    cost = None if said.cost is None else float(said.cost)
    sent = dict(said.sent)
    if said.cached_tokens is not None:
        sent[_CACHED] = said.cached_tokens
    if request.parts:
        sent[_PARTS] = request.parts
    for name in _FORMS & sent.keys():
        form = json.dumps(sent[name])
        if forms is not None and len(form) > _SHORT:
            first = forms.setdefault(form, request.address)
            if first != request.address:
                sent[name] = {_AS_IN: [*first]}
    told = *said[:4], cost, float(said.latency), *said[6:-2], json.dumps(sent)
    row = (number, *request.address, *asked, *told)
    return (*row, checksum(*row))


def vector_row(embedder: str, text: str, vector: Array, *, packed: bool = False) -> tuple[Any, ...]:
    """Return the row that VECTOR inserts; packed: as files have it since format 4."""
    key, blob = text_key(text), np.asarray(vector, "<f4").tobytes()
    blob = _pack_vector(blob) if packed else blob
    return embedder, key, blob, checksum(embedder, key, blob=blob)


def _pack_vector(plain: bytes) -> bytes:
    """Return an embedding as it is kept: float32 numbers, or DEFLATE where that is half as long.

    The length tells which: that of numbers is a multiple of four. Embeddings by hashed words are
    mostly zeros; those of models hardly shrink.
    """
    packed = zlib.compress(plain, 1)
    if 2 * len(packed) > len(plain):
        return plain
    return packed if len(packed) % 4 else packed + b"\0"


def _unpack_vector(blob: bytes) -> bytes:
    """Return the numbers of an embedding; raises ValueError for damage."""
    if len(blob) % 4 == 0:
        return blob
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(blob, 4 * _MOST_DIMENSIONS + 4)
    except zlib.error as error:
        raise ValueError(f"an embedding is damaged: {error}") from None
    if not stream.eof:
        raise ValueError("an embedding is cut off, or has too many numbers")
    return plain


def batch_row(batch: BatchRecord) -> tuple[Any, ...]:
    """Return the row that BATCH inserts."""
    calls = json.dumps([(number, *address, words) for number, address, words in batch.calls])
    row = (batch.key, batch.job, batch.place, float(batch.began), calls)
    return (*row, checksum(*row))


def list_batches(connection: sqlite3.Connection) -> list[BatchRecord]:
    """All jobs, in the order in which they were begun; raises ValueError if a row is damaged."""
    query = "SELECT 1 FROM sqlite_schema WHERE name = 'batches'"
    if connection.execute(query).fetchone() is None:
        return []
    found = []
    for *said, sealed in connection.execute("SELECT * FROM batches ORDER BY rowid"):
        if checksum(*said) != sealed:
            raise ValueError("a batch is not what was written")
        check_types(said, str, str, str, float, str)
        calls = []
        for line in load_json(said[4]):
            check_types(line, int, str, str, int, int, int, int, str)
            calls.append(BatchCall(line[0], Address(*line[1:-1]), line[-1]))
        key, job, place, began, _ = said
        found.append(BatchRecord(key, job, place, began, tuple(calls), len(calls)))
    return found


def open_batches(connection: sqlite3.Connection) -> list[BatchRecord]:
    """List jobs with calls that are still without a reply on record, with these calls only."""
    batches = list_batches(connection)
    if not batches:
        return []
    answered, latest = call_addresses(connection), dict[Address, str]()
    for batch in batches:
        latest |= dict.fromkeys((call.address for call in batch.calls), batch.key)
    left = [
        batch._replace(
            calls=tuple(
                call
                for call in batch.calls
                if call.address not in answered and latest[call.address] == batch.key
            )
        )
        for batch in batches
    ]
    return [batch for batch in left if batch.calls]


def text_key(text: str) -> str:
    """A hash that stands for a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def find_call(connection: sqlite3.Connection, address: Address) -> Call | None:
    """The call at an address; raises ValueError if the row is damaged."""
    where = " AND ".join(f"{name} = ?" for name in Address._fields)
    row = connection.execute(f"SELECT {_ROW}, seal FROM calls WHERE {where}", address).fetchone()
    return None if row is None else _CallsReader(connection).read(row)


def find_agents_calls(
    connection: sqlite3.Connection, number: int, replicate: int, agent: int
) -> list[Call]:
    """Return the calls of one agent in a round, by address; raises ValueError if one is damaged.

    Rows of a component and occasion lie in the order of their uses, and uses in that of rounds: two
    searches by halves find those of a round, however many calls there are.
    """
    found, reader = list[Call](), _CallsReader(connection)
    for occasion in _occasions(connection):
        first = _first_use(connection, occasion, number)
        last = _first_use(connection, occasion, number + 1)
        where = "component = ? AND occasion = ? AND use = ? AND replicate = ? AND agent = ?"
        query = f"SELECT {_ROW}, seal FROM calls WHERE {where} ORDER BY turn"
        for use in range(first, last):
            rows = connection.execute(query, (*occasion, use, replicate, agent)).fetchall()
            found += map(reader.read, rows)
    return found


def find_earlier_call(connection: sqlite3.Connection, address: Address) -> Call | None:
    """Return the call at the same turn on an agent's last occasion of this kind before an address.

    Raises ValueError if the row is damaged.
    """
    where = "component = ? AND occasion = ? AND use < ? AND replicate = ? AND agent = ?"
    query = f"SELECT {_ROW}, seal FROM calls WHERE {where} AND turn = ? ORDER BY use DESC LIMIT 1"
    row = connection.execute(query, address).fetchone()
    return None if row is None else _CallsReader(connection).read(row)


def _occasions(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """List the components that have called, with each of their occasions, by way of the index."""
    # Compared as pairs, they would be found by going through all calls of an occasion.
    within = """SELECT component, occasion FROM calls WHERE component = ? AND occasion > ?
        ORDER BY occasion LIMIT 1"""
    beyond = """SELECT component, occasion FROM calls WHERE component > ?
        ORDER BY component, occasion LIMIT 1"""
    found, last = [], ("", "")
    while row := (
        connection.execute(within, last).fetchone()
        or connection.execute(beyond, last[:1]).fetchone()
    ):
        check_types(row, str, str)
        last = row
        found.append(last)
    return found


def _first_use(connection: sqlite3.Connection, occasion: tuple[str, str], number: int) -> int:
    """Return the first use of an occasion in round `number` or later; one more than the last."""
    where = "component = ? AND occasion = ?"
    query = f"SELECT use, round FROM calls WHERE {where} AND use >= ? ORDER BY use LIMIT 1"
    last = f"SELECT use FROM calls WHERE {where} ORDER BY use DESC LIMIT 1"
    low, high = 0, connection.execute(last, occasion).fetchone()[0] + 1
    while low < high:
        middle = (low + high) // 2
        use, at = connection.execute(query, (*occasion, middle)).fetchone()
        if at < number:
            low = use + 1
        else:
            high = middle
    return low


def find_inherited(connection: sqlite3.Connection, address: Address) -> Call | None:
    """The call at an address among those inherited; raises ValueError if the row is damaged."""
    where = " AND ".join(f"{name} = ?" for name in Address._fields)
    query = f"SELECT {_ROW}, seal FROM inherited WHERE {where}"
    row = connection.execute(query, address).fetchone()
    return None if row is None else _CallsReader(connection).read(row)


def inherits(connection: sqlite3.Connection) -> bool:
    """Tell whether a file has calls that it may take over from the run that it was forked from."""
    query = "SELECT 1 FROM sqlite_schema WHERE name = 'inherited'"
    return connection.execute(query).fetchone() is not None


def list_calls(connection: sqlite3.Connection) -> Iterator[Call]:
    """All calls, in the order in which they were kept."""
    reader = _CallsReader(connection)
    for row in connection.execute(f"SELECT {_ROW}, seal FROM calls ORDER BY call"):
        yield reader.read(row)


def check_calls(connection: sqlite3.Connection) -> None:
    """Check that all calls are as they were written; raises ValueError at the first that is not.

    Takes less than half of the time of reading them.
    """
    reader = _CallsReader(connection)
    for row in connection.execute(f"SELECT {_ROW}, seal FROM calls"):
        _check_row(reader.unpacked(row))


class _CallsReader:
    """Reads rows of calls, and keeps at hand to what they refer."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self._words = connection, WordsReader(connection)
        self._forms: dict[tuple[Any, ...], Any] = {}  # of answers, by name and address

    def read(self, row: Sequence[Any]) -> Call:
        """Read a row with its seal; raises ValueError if it is damaged."""
        call = self._read(row)
        if _FORMS.isdisjoint(call.said.sent):
            return call
        sent = {
            name: self._form(name, one) if name in _FORMS else one
            for name, one in call.said.sent.items()
        }
        return call._replace(said=call.said._replace(sent=sent))

    def unpacked(self, row: Sequence[Any]) -> Sequence[Any]:
        """Return a row with its messages in full; raises ValueError if they are damaged."""
        words = self._words.unpack(row[_MESSAGES])
        return (*row[:_MESSAGES], words, *row[_MESSAGES + 1 :])

    def _read(self, row: Sequence[Any]) -> Call:
        return _call(self.unpacked(row))

    def _form(self, name: str, form: Any) -> Any:
        """Return a form of the answer, in place of a reference to it; raises ValueError."""
        if not isinstance(form, dict) or _AS_IN not in form:
            return form
        address = tuple(form[_AS_IN])
        check_types(address, str, str, int, int, int, int)
        if (name, *address) not in self._forms:
            where = f"({_ADDRESS}) = (?, ?, ?, ?, ?, ?)"
            query = f"SELECT {_ROW}, seal FROM calls WHERE {where}"
            row = self._connection.execute(query, address).fetchone()
            first = None if row is None else self._read(row).said.sent.get(name)
            if first is None or (isinstance(first, dict) and _AS_IN in first):
                raise ValueError("a call names the form of another one, which has none")
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            self._forms[name, *address] = first
        return self._forms[name, *address]


def _check_row(row: Sequence[Any]) -> list[Any]:
    """Return a row without its seal; raises ValueError if that is of other words."""
    *said, sealed = row
    if checksum(*said) != sealed:
        raise ValueError("a call is not what was written")
    return said


def _call(row: Sequence[Any]) -> Call:
    said = _check_row(row)
    check_types(said, *_TYPES)
    _, name, room, again, reason, messages = said[7:13]
    words = tuple(Message(*message) for message in load_json(messages))
    for message in words:
        check_types(message, str, str)
    sent = load_json(said[-1])
    check_types((sent,), dict)
    cached = sent.pop(_CACHED, None)
    check_types((cached,), _WHOLE)
    parts = _parts(sent.pop(_PARTS, []), words)
    address = Address(*said[1:7])
    request = Request(address, name, words, room, again, reason, parts=parts)
    return Call(said[0], request, Completion._make((*said[13:-1], sent, cached)))


def _parts(said: Any, words: Sequence[Message]) -> tuple[PromptPart, ...]:
    """Return the parts of the last message as they were kept; raises ValueError for no such."""
    check_types((said,), list)
    end, parts = 0, []
    for one in said:
        check_types(one, str, str, int, int)
        part = PromptPart(*one)
        if part.role not in get_args(PartRole) or part.start < end or part.length < 0:
            raise ValueError("the parts of a prompt are out of order")
        end = part.start + part.length
        parts.append(part)
    if end > (len(words[-1].content) if words else 0):
        raise ValueError("a part of a prompt is beyond its end")
    return tuple(parts)


def find_vectors(
    connection: sqlite3.Connection, embedder: str, texts: Iterable[str]
) -> dict[str, Array]:
    """Find stored embeddings, by text; raises ValueError if one is damaged."""
    known = {}
    for text in texts:
        query = "SELECT vector, seal FROM vectors WHERE embedder = ? AND text = ?"
        row = connection.execute(query, (embedder, text_key(text))).fetchone()
        if row is not None:
            blob, sealed = row
            if checksum(embedder, text_key(text), blob=blob) != sealed:
                raise ValueError("an embedding is not what was written")
            known[text] = np.frombuffer(_unpack_vector(blob), "<f4")
            if not 0 < known[text].size <= _MOST_DIMENSIONS:
                raise ValueError(f"an embedding has {known[text].size:,} numbers")
    return known


def usage_entries(
    connection: sqlite3.Connection, per_agent: bool = False
) -> Iterator[tuple[int, Usage]]:
    """Yield what was asked: (agent or -1, entry); without fallbacks, which rounds know."""
    agent = "agent" if per_agent else "-1"

    def total(name: str) -> str:
        return f"CASE WHEN count({name}) = count(*) THEN sum({name}) END"

    cached = f"json_extract(sent, '$.{_CACHED}')"

    query = f"""
        SELECT {agent}, component, substr(occasion, instr(occasion, ' ') + 1) AS kind, model,
            sum(turn != {BARE}), sum(retries), sum(again = 'repair'), sum(again = 'cut'),
            {total("prompt_tokens")}, {total("completion_tokens")}, {total("cost")},
            {total(cached)}, sum(again = 'shortened'), sum({_COPIED}), sum(turn = {BARE})
        FROM calls GROUP BY 1, component, kind, model ORDER BY 1, component, kind, model"""
    for who, component, kind, model, count, retries, repairs, cut, *used in connection.execute(
        query
    ):
        check_types((who, component, kind, model), int, str, str, str)
        check_types(used, _WHOLE, _WHOLE, _NUMBER, _WHOLE, int, int, int)
        yield who, Usage(component, kind, model, count, retries, repairs, cut, 0, *used)


class CallSettings(NamedTuple):
    """How a model was asked, by what was sent: calls that were alike are one of these.

    name: as the run knows the model; model: as the provider calls it. sent: settings that went out,
    as they are kept, without seeds and forms; form: how that of the answer was enforced. first,
    last: days, "" where they are not on record. Tokens and cost are None where one is unknown.
    """

    name: str
    model: str
    sent: Mapping[str, Any]
    form: str
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    first: str
    last: str


def call_settings(connection: sqlite3.Connection) -> list[CallSettings]:
    """Sum the calls that went out by model and settings; raises ValueError for damage."""
    every = (_CACHED, _PARTS, ASKED_ON, "seed", *sorted(_FORMS))
    bare = ", ".join(f"'$.{name}'" for name in every)
    day = f"json_extract(sent, '$.{ASKED_ON}')"

    def total(name: str) -> str:
        return f"CASE WHEN count({name}) = count(*) THEN sum({name}) END"

    query = f"""
        SELECT name, model, json_remove(sent, {bare}) AS settings,
            CASE WHEN json_type(sent, '$.tools') IS NOT NULL THEN 'tools' ELSE
                coalesce(json_extract(sent, '$.response_format.type'),
                    CASE WHEN json_type(sent, '$.response_format') IS NULL THEN '' ELSE 'json' END)
            END AS form,
            count(*), {total("prompt_tokens")}, {total("completion_tokens")}, {total("cost")},
            coalesce(min({day}), ''), coalesce(max({day}), '')
        FROM calls WHERE turn != {BARE} AND NOT {_COPIED}
        GROUP BY name, model, settings, form ORDER BY min(call)"""
    found = []
    for name, model, sent, *rest in connection.execute(query):
        check_types((name, model, sent), str, str, str)
        check_types(rest, str, int, _WHOLE, _WHOLE, _NUMBER, str, str)
        found.append(CallSettings(name, model, load_json(sent), *rest))
    return found


def system_prompts(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Find the different system messages that each model was sent, by its name in the run."""
    found: dict[str, dict[str, None]] = {}
    reader = WordsReader(connection)
    for name, cell in connection.execute("SELECT name, messages FROM calls ORDER BY call"):
        words = reader.unpack(cell)
        check_types((name, words), str, str)
        if words.startswith(_SYSTEM):
            said, _ = _SCANNER.raw_decode(words, len(_SYSTEM))
            check_types((said,), str)
            found.setdefault(name, {})[said] = None
    return {name: [*said] for name, said in found.items()}


def call_addresses(connection: sqlite3.Connection) -> set[Address]:
    """Return the addresses of all calls."""
    return {Address(*row) for row in connection.execute(f"SELECT {_ADDRESS} FROM calls")}


def unanswered_calls(connection: sqlite3.Connection) -> int:
    """Count calls that went out, or were about to, without a reply on record, in all sessions.

    Those of open batches do not count: their replies can still be had.
    """
    open_now = f"SELECT {_ADDRESS} FROM sent EXCEPT SELECT {_ADDRESS} FROM calls"
    # SQLite counts rows, but not values, in one step, which no limit on steps would end.
    query = f"SELECT (SELECT count(use) FROM lost) + (SELECT count(use) FROM ({open_now}))"
    count = int(connection.execute(query).fetchone()[0])
    waiting = {call.address for batch in open_batches(connection) for call in batch.calls}
    if not waiting:
        return count
    sent = {Address(*row) for row in connection.execute(open_now)}
    return count - len(sent & waiting)


def use_so_far(connection: sqlite3.Connection) -> Spent:
    """Return the use that counts towards the limits of a run."""
    known = "prompt_tokens + completion_tokens"
    query = f"""SELECT count(*), coalesce(sum({known}), 0), count({known}), sum(cost), count(cost)
        FROM calls WHERE turn >= 0 AND NOT {_COPIED}"""
    count, tokens, told, cost, priced = connection.execute(query).fetchone()
    if told < count:
        tokens += _most_untold(connection, known)
    spent = (cost or 0.0) if priced == count else None
    return Spent(count + unanswered_calls(connection), tokens, spent)


def _most_untold(connection: sqlite3.Connection, known: str) -> int:
    """Return the most tokens that calls can have taken of which nobody told how many.

    A token is at least a byte, and a reply takes no more than its room.
    """
    names = ("max_tokens", "max_completion_tokens")
    rooms = ", ".join(f"json_extract(sent, '$.{name}')" for name in names)
    query = f"""SELECT messages, coalesce(room, {rooms}, 0)
        FROM calls WHERE turn >= 0 AND NOT {_COPIED} AND {known} IS NULL"""
    most, reader = 0, WordsReader(connection)
    for cell, room in connection.execute(query):
        words = reader.unpack(cell)
        check_types((words, room), str, int)
        most += len(words.encode("utf-8", "surrogatepass")) + room
    return most


class RecordedAnswers:
    """The calls of a run file, each of them read when it is asked for: a file may be large.

    Raises RunFileError for a file that cannot be read.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = path
        if not Path(path).is_file():
            raise RunFileError(f"there is no run file {short_path(path)} to take answers from")
        with self._reading():
            self._database = StoredDatabase(Path(path), "mode=ro")
        try:
            with self._reading(), self._database.limited():
                connection = self._database.connection
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_OF_A_CALL)
                _check_table_of_calls(connection)
                row = connection.execute("SELECT 1 FROM calls").fetchone()
                self.empty = row is None
        except BaseException:  # an interrupt, too, must not leave the file open
            self.close()
            raise

    def find(self, address: Address) -> Call | None:
        """Return the call at an address; None if there is none."""
        with self._reading(), self._database.limited():
            return find_call(self._database.connection, address)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (
            sqlite3.Error,
            OSError,
            ValueError,
            TypeError,
            LookupError,
            RecursionError,
        ) as error:
            raise RunFileError(
                f"{short_path(self._path)} cannot be read as a tape: {error}; name a run file"
            ) from error


def _check_table_of_calls(connection: sqlite3.Connection) -> None:
    """Raise ValueError if the calls are no table of ours: a view may compute without end."""
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(SCHEMA)
        expected = {one[1]: one for one in read_schema(ours) if one[1] in ("calls", "shared")}
    found = {one[1]: one for one in read_schema(connection) if one[1] in expected}
    if "calls" not in found or any(one != expected[name] for name, one in found.items()):
        raise ValueError("its calls are not as `society run` writes them")
