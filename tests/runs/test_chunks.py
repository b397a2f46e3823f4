"""The rounds of a closed file are packed into chunks, and come out as they went in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.engine.history import Page, Step, page_digest
from society.errors import RunFileError
from society.runs.chunks import _decompress as open_chunk
from society.runs.runfile import Writer, manifest_of, open_run_file

GENERATIONS = {"replicates": 2, "seed": 5}
LASTING: dict[str, Any] = {"parameters": {"ends_on": "horizon"}}


def counts(path: Path) -> tuple[int, int]:
    """Return the numbers of rows in the tables of rounds and chunks."""
    with closing(sqlite3.connect(path)) as connection:
        tables = ("rounds", "chunks")
        one, two = (
            connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables
        )
        return one, two


def play(
    path: Path,
    stop: Callable[[Page], bool] = lambda page: False,
    source: str = "donor_generations",
    **changes: Any,
) -> list[Page]:
    """Play generations of donors into a file, up to a page at which they are interrupted."""
    setup = build(load_config(source, changes or GENERATIONS))
    pages: list[Page] = []

    class Watch:
        def page(self, page: Page) -> None:
            pages.append(page)
            if stop(page):
                raise KeyboardInterrupt

    writer = Writer(path, manifest_of(setup, "full"))
    try:
        with writer:
            setup.gamemaster([writer, Watch()]).play()
    except KeyboardInterrupt:
        pass
    return pages


def assert_same(before: Page, now: Page) -> None:
    assert (before.number, before.path, before.digest) == (now.number, now.path, now.digest)
    assert [step[:3] for step in before.steps] == [step[:3] for step in now.steps]
    for one, other in zip(before.steps, now.steps, strict=True):
        for key, values in one.arrays.items():
            assert values.dtype == other.arrays[key].dtype
            assert repr(values.tolist()) == repr(other.arrays[key].tolist())  # NaN, too
    for name, values in before.public.items():
        assert repr(values.tolist()) == repr(now.public[name].tolist())
    for name, values in before.measures.items():
        assert np.array_equal(values, now.measures[name], equal_nan=True)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Page]]:
    path = tmp_path_factory.mktemp("chunks") / "a.run"
    return path, play(path)


def test_all_rounds_come_out_as_they_went_in(finished: tuple[Path, list[Page]]) -> None:
    path, pages = finished
    rows, chunks = counts(path)
    assert rows == 0
    assert chunks >= 1
    with open_run_file(path) as run:
        assert run.rounds == pages[-1].number
        assert run.paths() == [page.path for page in pages]
        for before, now in zip(pages, run.pages(), strict=True):
            assert_same(before, now)
        assert_same(pages[100], next(run.pages(100)))


def test_a_small_run_of_generations_takes_a_fifth_of_its_arrays_manifest_and_all(
    finished: tuple[Path, list[Page]],
) -> None:
    path, pages = finished
    steps = [step for page in pages for step in page.steps]
    raw = sum(values.nbytes for step in steps for values in step.arrays.values())
    assert path.stat().st_size < raw / 5


def test_a_small_run_keeps_its_rows(tmp_path: Path) -> None:
    words = ["run", "fishing_village", "--rounds", "3", "--quiet", "--out"]
    assert main([*words, str(tmp_path / "a.run")]) == 0
    assert counts(tmp_path / "a.run") == (4, 0)


@pytest.mark.thorough
def test_a_run_interrupted_twice_goes_on_after_its_chunks(
    finished: tuple[Path, list[Page]], tmp_path: Path
) -> None:
    path = tmp_path / "b.run"
    play(path, lambda page: page.number == 120)
    assert counts(path)[0] == 0
    with open_run_file(path) as run:
        assert (run.status, run.rounds) == ("interrupted", 120)
    assert main(["resume", str(path), "--quiet"]) == 0
    with open_run_file(path) as run, open_run_file(finished[0]) as whole:
        assert run.status == "finished"
        assert run.outcome().digest == whole.outcome().digest == run.standing.digest
        assert len(list(run.pages())) == len(finished[1])
    assert main(["verify", str(path)]) == 0


def test_a_flipped_bit_in_a_chunk_is_found(
    finished: tuple[Path, list[Page]], tmp_path: Path
) -> None:
    path = tmp_path / "c.run"
    path.write_bytes(finished[0].read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        (data,) = connection.execute("SELECT data FROM chunks").fetchone()
        data = bytes([*data[:500], data[500] ^ 1, *data[501:]])
        connection.execute("UPDATE chunks SET data = ? WHERE first = 0", (data,))
    with open_run_file(path) as run, pytest.raises(RunFileError, match="checksum"):
        list(run.pages())


def test_arrays_that_were_compressed_by_themselves_come_out_as_they_went_in(tmp_path: Path) -> None:
    path = tmp_path / "d.run"
    pages = play(path, source="fishing_village", agents=1000, rounds=40, **LASTING)
    assert counts(path)[0] == 0
    with closing(sqlite3.connect(path)) as connection:
        words = [words for (words,) in connection.execute("SELECT words FROM looks")]
    # As the rounds were written, and as the chunk has them.
    assert sum(".zlib" in one for one in words) > 0
    assert sum(".zlib" not in one for one in words) > 1
    with open_run_file(path) as run:
        for before, now in zip(pages, run.pages(), strict=True):
            assert_same(before, now)


def test_seeking_opens_only_the_chunk_of_the_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.runs.chunks._ROUNDS", 16)
    pages = play(tmp_path / "e.run")
    assert counts(tmp_path / "e.run") == (0, -(-len(pages) // 16))
    opened: list[int] = []

    def opening(data: bytes) -> Any:
        opened.append(len(data))
        return open_chunk(data)

    monkeypatch.setattr("society.runs.chunks._decompress", opening)
    with open_run_file(tmp_path / "e.run") as run:
        assert next(run.pages(200)).digest == pages[200].digest
        assert next(run.pages(207)).digest == pages[207].digest
        assert len(opened) == 1
        assert next(run.pages(208)).digest == pages[208].digest
    assert len(opened) == 2


def test_rounds_too_large_for_a_chunk_stay_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.runs.chunks._MOST", 2**14)
    pages = play(tmp_path / "f.run", source="fishing_village", agents=5000, rounds=9, **LASTING)
    assert counts(tmp_path / "f.run") == (10, 0)
    with open_run_file(tmp_path / "f.run") as run:
        assert [page.digest for page in run.pages()] == [page.digest for page in pages]


@pytest.mark.thorough
def test_a_million_agent_rounds_in_few_rounds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "wide.run"
    words = ["fishing_village", "--agents", "100000", "--rounds", "10", "--set", "ends_on=horizon"]
    assert main(["run", *words, "--record", "full", "--quiet", "--out", str(path)]) == 0
    with open_run_file(path) as run:
        assert len(list(run.pages())) == 11
        assert run.outcome().rounds == 10


class Talking:
    """Adds lines to the first round, and gives all rounds to a writer."""

    def __init__(self, writer: Writer, steps: list[Step]) -> None:
        self.writer, self.steps = writer, steps

    def page(self, page: Page) -> None:
        steps = (*page.steps, *(self.steps if page.number == 1 else ()))
        self.writer.page(page._replace(steps=steps, digest=page_digest(page.number, steps)))


@pytest.mark.parametrize(("lines", "entries"), [(1_300, 8_000), (12, 1_000_000)])
def test_rounds_that_are_large_once_unpacked_can_be_read(
    lines: int, entries: int, tmp_path: Path
) -> None:
    """Lines of equal numbers: 83 and 96 MB in memory, and next to nothing if compressed."""
    path = tmp_path / "a.run"
    setup = build(load_config("fishing_village", {"replicates": 1, "agents": 5, "rounds": 2}))
    steps = [
        Step("tell", "said", "", {("common", "number"): np.full((1, entries), float(number))})
        for number in range(lines)
    ]
    writer = Writer(path, manifest_of(setup, "full"))
    with writer:
        setup.gamemaster([Talking(writer, steps)]).play()
    with open_run_file(path) as run:
        page = next(run.pages(1))
    said = [step.arrays["common", "number"] for step in page.steps if step.kind == "said"]
    assert [float(one[0, -1]) for one in said] == [*range(lines)]
    assert all((one == one[0, 0]).all() for one in said)


def test_what_hardly_shrinks_keeps_its_rows(tmp_path: Path) -> None:
    """Wealth and catches of a thousand villages are different numbers: half their bytes stay."""
    path = tmp_path / "a.run"
    pages = play(path, source="fishing_village", replicates=1_000, rounds=4, **LASTING)
    assert counts(path) == (5, 0)
    with open_run_file(path) as run:
        for page, record in zip(pages, run.records(), strict=True):
            assert_same(page, record.page)


def test_chunks_are_the_same_on_any_number_of_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.runs.chunks._ROUNDS", 10)
    seals = []
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        path = tmp_path / f"{cores}.run"
        play(path, source="fishing_village", replicates=30, rounds=40, **LASTING)
        with closing(sqlite3.connect(path)) as connection:
            seals.append(connection.execute("SELECT first, last, seal FROM chunks").fetchall())
    assert [seal[:2] for seal in seals[0]] == [(0, 9), (10, 19), (20, 29), (30, 39), (40, 40)]
    assert seals[0] == seals[1]
