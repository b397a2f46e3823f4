"""Run files made by an attacker, with checksums that fit, are refused in words and at once."""

from __future__ import annotations

import json
import lzma
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from platform import node
from typing import Any

import pytest

from society.cli.main import main
from society.engine.calls import Address, Completion, Message, Request
from society.errors import RunFileError
from society.llm.call_tables import (
    CALL,
    VECTOR,
    RecordedAnswers,
    call_row,
    checksum,
    text_key,
)
from society.runs.chunks import compact
from society.runs.encoding import ArrayLayout
from society.runs.runfile import RunFile, open_run_file

pytestmark = pytest.mark.usefixtures("watchdog")

Attack = Callable[[sqlite3.Connection], object]


def manifest(**changes: str) -> Attack:
    """Change values of the manifest, JSON, and seal it again."""

    def attack(connection: sqlite3.Connection) -> None:
        rows = dict(connection.execute("SELECT key, value FROM manifest")) | changes
        del rows["seal"]
        rows["seal"] = checksum(*sorted(rows.items()))
        connection.executemany("INSERT OR REPLACE INTO manifest VALUES (?, ?)", rows.items())

    return attack


def part(dtype: str, shape: Any, codec: str, cell: bytes, size: int | None = None) -> Attack:
    """Give the lines of the second round one array of this layout, and seal it again."""

    def attack(connection: sqlite3.Connection) -> None:
        key = [["answer", ""]]
        words = json.dumps([[["ask", "effort", "", key]], [0], [[dtype, shape, codec]]])
        blob = struct.pack("<I", len(cell) if size is None else size) + cell
        connection.execute("INSERT INTO looks VALUES (99, ?)", (words,))
        connection.execute("UPDATE rounds SET line_look = 99, lines = ? WHERE round = 1", (blob,))
        _seal_round(connection, line_seal=checksum(checksum(words), blob=blob))

    return attack


def look(said: object) -> Attack:
    """Let the second round have this layout, sealed."""

    def attack(connection: sqlite3.Connection) -> None:
        words = json.dumps(said)
        connection.execute("INSERT INTO looks VALUES (99, ?)", (words,))
        query = "UPDATE rounds SET line_look = 99, lines = ? WHERE round = 1"
        connection.execute(query, (b"",))
        _seal_round(connection, line_seal=checksum(checksum(words), blob=b""))

    return attack


def row(**changes: object) -> Attack:
    """Change cells of the second round, and seal it again."""

    def attack(connection: sqlite3.Connection) -> None:
        for name, value in changes.items():
            connection.execute(f"UPDATE rounds SET {name} = ? WHERE round = 1", (value,))
        _seal_round(connection)

    return attack


def _seal_round(connection: sqlite3.Connection, **changes: str) -> None:
    names = "round, path, digest, chain, ends, troubles"
    query = f"SELECT {names}, look, arrays, line_seal FROM rounds WHERE round = 1"
    *said, look, blob, line_seal = connection.execute(query).fetchone()
    line_seal = changes.get("line_seal", line_seal)
    (words,) = connection.execute("SELECT words FROM looks WHERE look = ?", (look,)).fetchone()
    seal = checksum(*said, checksum(words), line_seal, blob=blob)
    connection.execute(
        "UPDATE rounds SET line_seal = ?, seal = ? WHERE round = 1", (line_seal, seal)
    )


def chunk(data: bytes, first: int = 0, last: int = 9) -> Attack:
    """Put the rounds of the file into a chunk of these bytes, sealed."""

    def attack(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM rounds")
        seal = checksum(first, last, blob=data)
        connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?)", (first, last, data, seal))

    return attack


def packed_chunk(last: int = 9, **changes: Any) -> Attack:
    """Put the rounds into a chunk that is packed as ours are, its head changed."""

    def attack(connection: sqlite3.Connection) -> None:
        looks = connection.execute("SELECT look, words FROM looks").fetchall()
        layouts = {number: ArrayLayout.read(words) for number, words in looks}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("society.runs.chunks._WORTH_IT", 0)
            assert compact(connection, layouts.__getitem__)
        (data,) = connection.execute("SELECT data FROM chunks").fetchone()
        words, _ = struct.unpack_from("<II", data)
        found = lzma.decompress(data[8:])
        names = ("rows", "before", "groups", "refs")
        head = dict(zip(names, json.loads(found[:words]), strict=True))
        said = json.dumps([*(head | changes).values()]).encode()
        body = found[words:]
        data = struct.pack("<II", len(said), len(body)) + lzma.compress(said + body)
        connection.execute("DELETE FROM chunks")
        chunk(data, 0, last)(connection)

    return attack


def standing(*said: object) -> Attack:
    """Let the status say this, sealed."""

    def attack(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM status")
        row = (*said, checksum(*said))
        connection.execute("INSERT INTO status VALUES (?, ?, ?, ?, ?, ?)", row)

    return attack


def findings(words: str) -> Attack:
    """Let the findings be this JSON, sealed."""

    def attack(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM findings")
        connection.execute("INSERT INTO findings VALUES (?, ?)", (words, checksum(words)))

    return attack


def sitting(*said: object) -> Attack:
    def attack(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO sittings VALUES (?, ?, ?)", (*said, checksum(*said)))

    return attack


def call(**changes: object) -> Attack:
    """Add a call, sealed, with these values among those of a sound one."""

    def attack(connection: sqlite3.Connection) -> None:
        request = Request(ASKED, "default", (Message("user", "How much?"),))
        *said, _ = call_row(1, request, Completion("0.5"))
        names = [part.strip() for part in CALL.split("(")[1].split(")")[0].split(",")][:-1]
        row = [*(dict(zip(names, said, strict=True)) | changes).values()]
        # As it comes back: columns of numbers make numbers of what looks like one.
        connection.execute(CALL, (*row, ""))
        stored = connection.execute(f"SELECT {', '.join(names)} FROM calls").fetchone()
        connection.execute("UPDATE calls SET seal = ?", (checksum(*stored),))

    return attack


def vector(blob: object) -> Attack:
    """Add an embedding of `norm`, sealed."""

    def attack(connection: sqlite3.Connection) -> None:
        sealed = checksum("E", text_key("norm"), blob=blob if isinstance(blob, bytes) else b"")
        connection.execute(VECTOR, ("E", text_key("norm"), blob, sealed))

    return attack


def sql(script: str) -> Attack:
    return lambda connection: connection.executescript(script)


def packed_zeros(size: int) -> bytes:
    """Return what zlib makes of so many zeros, a multiple of 2**20: one piece of it, repeated."""
    packer = zlib.compressobj(1)
    head = packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum_of_zeros = struct.pack(">I", (size % 65521) << 16 | 1)
    return head + piece * (size // 2**20) + packer.flush()[:-4] + checksum_of_zeros


ENDLESS = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT 'finished' AS status, i AS process, '' AS host, 0 AS born, '' AS digest, '' AS seal FROM n
WHERE i < 0"""
ZEROS = packed_zeros(2**29)
ATTACKS: dict[str, tuple[Attack, str]] = {
    "endless view": (sql(f"DROP TABLE status; CREATE VIEW status AS {ENDLESS}"), "status"),
    "view beside": (sql("CREATE VIEW more AS SELECT 1"), "view 'more'"),
    "trigger": (
        sql("CREATE TRIGGER t AFTER INSERT ON looks BEGIN DELETE FROM rounds; END"),
        "trigger 't'",
    ),
    "index": (sql("CREATE INDEX i ON rounds (abs(round))"), "index 'i'"),
    "table beside": (sql("CREATE TABLE more (a)"), "table 'more'"),
    "virtual table": (sql("CREATE VIRTUAL TABLE v USING fts5(a)"), "table 'v"),
    "another column": (sql("ALTER TABLE rounds ADD COLUMN more TEXT"), "table 'rounds'"),
    "deep manifest": (manifest(params="[" * 100_000), "manifest"),
    "wide manifest": (manifest(**{f"k{n}": "1" for n in range(99)}), "keys"),
    "large manifest": (manifest(params=f'"{"a" * 2**25}"'), "bytes"),
    "manifest of lists": (manifest(params=f'{{"a": [{"[]," * 2**20}[]]}}'), "lists and mappings"),
    "manifest of numbers": (manifest(params=f'{{"a": [{"1," * 2**22}1]}}'), "4,194,304 values"),
    "scenario of no name": (manifest(spec='{"scenario": 7}'), "the manifest"),
    "parameters of no name": (
        manifest(spec='{"scenario": "fishing_village", "parameters": []}'),
        "the manifest",
    ),
    "unknown key": (manifest(more="1"), "manifest"),
    "no number": (manifest(replicates="NaN"), "manifest"),
    "zlib bomb": (part("<f8", [10], "raw.zlib", ZEROS), "compressed array"),
    "text bomb": (part("|O", [10], "json.zlib", ZEROS), "compressed array"),
    "absurd shape": (part("<f8", [200_000, 100_000], "few", b"\x01" + bytes(8)), "more than any"),
    "absurd flags": (part("|b1", [200_000, 100_000], "bits", b"\0"), "bytes of flags"),
    "negative shape": (part("<f8", [-1], "raw", bytes(8)), "shape"),
    "many dimensions": (part("<f8", [1] * 60, "raw", bytes(8)), "shape"),
    "structured dtype": (part("i4,O", [1], "raw", bytes(16)), "array of"),
    "huge text dtype": (part("<U999999999", [1], "json", b'["a"]'), "array of"),
    "unknown codec": (part("<f8", [1], "pickle", bytes(8)), "in the code"),
    "objects as bytes": (part("|O", [1], "raw", bytes(8)), "cannot be read"),
    "size beyond the end": (part("<f8", [1], "raw", bytes(8), size=2**32 - 1), "expected"),
    "deep text": (part("|O", [1], "json", b"[" * 100_000), "cannot be read"),
    "long place": (row(path="1." * 10**6), "characters"),
    "deep troubles": (row(troubles="[" * 100_000), "round 1"),
    "no digest": (row(digest="zz"), "round 1"),
    "chunk bomb": (chunk(struct.pack("<II", 2**31, 2**31) + bytes(90)), "says that it holds"),
    "empty chunk": (chunk(b""), "cannot be read"),
    "chunk of many rounds": (packed_chunk(last=2**60), "other rounds than it says"),
    "chunk of none": (packed_chunk(last=-5), "other rounds than it says"),
    "chunk of copies": (packed_chunk(groups=[[1, 0]], refs=[5]), "cannot be read"),
    "chunk without cells": (packed_chunk(groups=[], refs=[]), "expected"),
    "chunk of negative cells": (packed_chunk(refs=[-1] * 9999), "no array -1"),
    "chunk of many cells": (packed_chunk(groups=[[10**9, 0]]), "1,000,000,000 arrays for"),
    "chunk of many kinds": (
        packed_chunk(groups=[[10**6, 0]] * 999, refs=[0] * 10**6),
        "999,000,000 arrays for 1,000,000 places",
    ),
    "chunk of less than none": (packed_chunk(groups=[[-5, 0]]), "-5 arrays for"),
    "layout without places": (look([[["ask", "effort", "", [["a", ""]]]], [], []]), "places"),
    "layout of lists": (look([[]] * 2**20), "lists and mappings"),
    "long layout": (look("a" * 2**25), "characters of JSON"),
    "troubles of lists": (row(troubles=f"[{'[],' * 2**20}[]]"), "lists and mappings"),
    "troubles of numbers": (row(troubles="[[1, 2, 3, 4, 5, 6, 7]]"), "another type"),
    "ends of no kind": (row(ends="[1]"), "another type"),
    "ends of nobody": (row(ends='{"bare": [9999999]}'), "the measures"),
    "too many agents": (manifest(agents="1000000", replicates="1000000"), "1,000,000 agents"),
    "negative agents": (manifest(agents="-1"), "other seats than those of its -1 agents"),
    "fewer agents": (manifest(agents="9"), "other seats than those of its 9 agents"),
    "more agents": (manifest(agents="1000"), "not of 1,000 agents x 1 replicates"),
    "more replicates": (manifest(replicates="100000"), "not of 10 agents x 100,000 replicates"),
    "no replicates": (manifest(replicates="0"), "not of 10 agents x 0 replicates"),
    "seats of nobody": (manifest(seating="[[7, 0, 0, 0, 0, 0, 0, 0, 0, 0]]"), "it does not have"),
    "seats of fewer": (manifest(seating="[[0]]"), "other seats than those of its 10 agents"),
    "no such measure": (manifest(measures="[]"), "the manifest has no measure"),
    "no such status": (standing("gone", None, None, None, None), "no status"),
    "every process": (standing("running", -1, node(), None, None), "no process -1"),
    "status of bytes": (standing("finished", b"1", None, None, None), "another type"),
    "findings of words": (findings('[["a", "", ["b"]]]'), "the findings"),
    "findings of others": (findings('[["a", "", [1, 2, 3]]]'), "the shape (3,)"),
    "findings of no name": (findings('[[1, "", [1]]]'), "another type"),
    "deep findings": (findings("[" * 100_000), "the findings"),
    "session of bytes": (sitting(1, b"a"), "another type"),
    "call by bytes": (call(component=b"mind"), "another type"),
    "call of a text": (call(replicate="one"), "another type"),
    "tokens of words": (call(prompt_tokens="many"), "another type"),
    "cost of words": (call(cost="much"), "another type"),
    "messages of numbers": (call(messages="[[1, 2]]"), "another type"),
    "messages of lists": (call(messages=f"[{'[],' * 2**20}[]]"), "lists and mappings"),
    "deep messages": (call(messages="[" * 100_000), "the calls"),
    "settings of no kind": (call(sent="{"), "the calls"),
    "cut embedding": (vector(bytes(5)), "the embeddings"),
    "embedding of nothing": (vector(b""), "0 numbers"),
    "large embedding": (vector(bytes(2**24)), "4,194,304 numbers"),
    "embedding of words": (vector("words"), "the embeddings"),
    "chunk of noise": (chunk(struct.pack("<II", 9, 9) + bytes(90)), "damaged"),
}


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "valid.run"
    assert main(["run", "fishing_village", "--rounds", "9", "--quiet", "--out", str(path)]) == 0
    return path


def read_all(run: RunFile) -> None:
    """Read all that reading commands do."""
    assert run.status
    list(run.pages())
    run.outcome()
    run.findings()
    run.sittings()
    run.ledger_by_agent()
    list(run.calls())
    assert run.spent
    run.vectors("E", ["norm"])


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_refused_in_words(valid: Path, tmp_path: Path, name: str) -> None:
    attack, words = ATTACKS[name]
    path = tmp_path / "hostile.run"
    path.write_bytes(valid.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        attack(connection)
    with pytest.raises(RunFileError) as refused, open_run_file(path) as run:
        read_all(run)
    assert words in str(refused.value)


BOMBS = (
    *("zlib bomb", "text bomb", "absurd shape", "chunk bomb", "chunk of many rounds"),
    *("layout of lists", "troubles of lists", "too many agents", "chunk of many kinds"),
    *("manifest of lists", "manifest of numbers"),
)
# Each file is read by a fork, which begins with what imports take.
MEMORY = """
import os, sys
from pathlib import Path
from society.errors import RunFileError
from society.runs.runfile import open_run_file
for path in sys.argv[1:]:
    if os.fork() == 0:
        try:
            with open_run_file(path) as run:
                list(run.pages())
        except RunFileError:
            lines = open("/proc/self/status").read().splitlines()
            most = next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))
            print(f"{Path(path).stem}: {most}", flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_takes_less_than_200_mb_to_refuse(valid: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.run" for name in BOMBS]
    for path in paths:
        path.write_bytes(valid.read_bytes())
        with closing(sqlite3.connect(path)) as connection, connection:
            ATTACKS[path.stem][0](connection)
    words = [sys.executable, "-c", MEMORY, *map(str, paths)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    most = dict(line.split(": ") for line in done.stdout.splitlines())
    assert [*most] == [*BOMBS]
    assert {name: size for name, size in most.items() if int(size) >= 200} == {}


@pytest.mark.parametrize("sizes", [{"agents": 10**7}, {"replicates": 10**6}, {"agents": 3}])
def test_a_run_is_not_built_in_another_size_than_it_had(
    valid: Path, tmp_path: Path, sizes: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hostile.run"
    path.write_bytes(valid.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        (words,) = connection.execute("SELECT value FROM manifest WHERE key = 'spec'").fetchone()
        manifest(spec=json.dumps({**json.loads(words), **sizes}))(connection)
    assert main(["verify", str(path)]) == 1
    said = capsys.readouterr().out
    assert "not that of a run of 10 agents x 1 replicates; take a whole copy" in said


def test_a_parameter_of_no_number_is_no_gauge(
    valid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hostile.run"
    path.write_bytes(valid.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        (words,) = connection.execute("SELECT value FROM manifest WHERE key = 'params'").fetchone()
        manifest(params=json.dumps({**json.loads(words), "capacity": "many"}))(connection)
    assert main(["replay", str(path)]) == 0
    assert "The end, after 9 of 9 rounds." in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="has no such pipes")
@pytest.mark.parametrize("command", ["show", "replay", "report", "verify", "resume"])
def test_a_pipe_is_not_waited_for(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe.run"
    os.mkfifo(pipe)
    assert main([command, str(pipe)]) == 2
    assert capsys.readouterr().err.startswith(
        f"society: {pipe} is a device or a pipe; name a run file"
    )
    assert main(["list", "runs", str(tmp_path)]) == 0
    (line,) = capsys.readouterr().out.splitlines()[1:]
    assert "pipe.run  " in line
    assert line.endswith("  unreadable  is a device or a pipe; name a run file")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("sort", ["link", "dangling link", "pipe"])
def test_what_lies_beside_a_run_file_is_neither_written_nor_waited_for(
    suffix: str, sort: str, valid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, precious = tmp_path / "a.run", tmp_path / "precious"
    path.write_bytes(valid.read_bytes())
    side = tmp_path / f"a.run{suffix}"
    if sort == "link":
        precious.write_text("precious")
    if sort == "pipe":
        os.mkfifo(side)
    else:
        side.symlink_to(precious)
    for command in ("show", "verify", "resume"):
        assert main([command, str(path)]) == 2
        said = capsys.readouterr().err
        assert f"{side} is a link, a pipe or a folder; remove it and try again" in said
    assert precious.exists() == (sort == "link")
    assert sort != "link" or precious.read_text() == "precious"


def endless_table(path: Path, name: str) -> None:
    """Give a table pages of which each names the next one 300 times: 300 ** 15 rows."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (root,) = connection.execute(query, (name,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    last = len(data) // size

    def tree(child: int) -> bytes:
        cell = struct.pack(">IB", child, 1)
        head = struct.pack(">BHHHBI", 5, 0, 300, size - len(cell), 0, child)
        places = struct.pack(">H", size - len(cell)) * 300
        return (head + places).ljust(size - len(cell), b"\0") + cell

    record = bytes([7, 0, 0, 0, 0, 0, 0])  # six columns, all NULL
    cell = bytes([len(record), 1]) + record
    leaf = struct.pack(">BHHHBH", 13, 0, 1, size - len(cell), 0, size - len(cell))
    pages = [tree(last + number + 2) for number in range(15)]
    data += b"".join(pages) + leaf.ljust(size - len(cell), b"\0") + cell
    data[(root - 1) * size : root * size] = tree(last + 1)
    data[28:32] = struct.pack(">I", len(data) // size)
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["lost", "calls", "status", "findings", "rounds", "chunks"])
def test_a_table_without_end_is_refused(valid: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "endless.run"
    path.write_bytes(valid.read_bytes())
    endless_table(path, name)
    with pytest.raises(RunFileError), open_run_file(path) as run:
        read_all(run)


def test_an_interrupt_ends_a_query_at_once(valid: Path, tmp_path: Path) -> None:
    path = tmp_path / "endless.run"
    path.write_bytes(valid.read_bytes())
    endless_table(path, "lost")
    with pytest.MonkeyPatch.context() as patched, open_run_file(path) as run:
        patched.setattr(run._database, "_most", 10**9)
        old = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            with pytest.raises(KeyboardInterrupt):
                assert run.spent
        finally:
            signal.signal(signal.SIGALRM, old)


def test_a_tape_is_opened_as_carefully(valid: Path, tmp_path: Path) -> None:
    path = tmp_path / "tape.run"
    for attack in (
        "DROP TABLE calls; CREATE VIEW calls AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
        "SELECT i + 1 FROM n) SELECT * FROM n",
        "DROP TABLE calls; CREATE TABLE calls (more)",
    ):
        path.write_bytes(valid.read_bytes())
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(attack)
        with pytest.raises(RunFileError, match="not as `society run` writes them"):
            RecordedAnswers(path)


ASKED = Address("mind", "answer effort", 0, 0, 0, 0)


def test_a_tape_without_end_is_not_read_to_its_end(valid: Path, tmp_path: Path) -> None:
    path = tmp_path / "tape.run"
    path.write_bytes(valid.read_bytes())
    endless_table(path, "calls")
    with closing(RecordedAnswers(path)) as tape:
        assert tape.find(ASKED) is None


def test_a_reply_on_a_tape_has_a_limit_and_the_others_are_not_loaded(
    valid: Path, tmp_path: Path
) -> None:
    path = tmp_path / "tape.run"
    path.write_bytes(valid.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        for agent, size in enumerate((10, 2 * 10**7, 10**7)):
            request = Request(ASKED._replace(agent=agent), "m", (Message("user", "?"),))
            connection.execute(CALL, call_row(1, request, Completion("a" * size)))
    tracemalloc.start()
    with closing(RecordedAnswers(path)) as tape:
        found = tape.find(ASKED)
        assert found is not None
        assert found.said.text == "a" * 10
        with pytest.raises(RunFileError, match="cannot be read as a tape: string or blob too big"):
            tape.find(ASKED._replace(agent=1))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5 * 10**6


def test_an_absurdly_large_data_file_is_refused_before_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = tmp_path / "ties.txt"
    with graph.open("wb") as file:
        file.truncate(2**36)  # takes no room on the disk
    spec = tmp_path / "a.yaml"
    spec.write_text("scenario: fishing_village\ngraphs: {all: {kind: file, file: ties.txt}}\n")
    assert main(["run", str(spec), "--quiet", "--out", str(tmp_path / "a.run")]) == 2
    assert "ties.txt: it has 68,719,476,736 bytes; at most 268,435,456" in capsys.readouterr().err
