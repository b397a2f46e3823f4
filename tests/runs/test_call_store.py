"""Answers from outside are on the disk before they are used, and refused if they are damaged."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import BARE, Address, Completion, Message, Request
from society.engine.gateway import ModelGateway
from society.engine.rng import Array
from society.errors import FileError, InputError, Paused, RunFileError
from society.llm.call_tables import CALL, SCHEMA, call_addresses, call_row
from society.runs import call_store
from society.runs.call_store import RecordedCalls, RunFileCallStore
from society.runs.runfile import Writer, manifest_of, open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.runs.conftest import Reading

SAID = Completion("0.4", "stop", 7, 2, 0.25)


def request(agent: int = 0, words: str = "How much?", **more: Any) -> Request:
    kind = more.pop("kind", "answer bid")
    address = Address("oracle", kind, 0, 0, agent, more.pop("turn", 0))
    return Request(address, "default", (Message("user", words),), round=4, **more)


Job = Callable[[RunFileCallStore], Awaitable[object]]


def in_time(job: Callable[[], Awaitable[object]]) -> None:
    """Do it; raises TimeoutError if it takes for ever."""

    async def scene() -> None:
        # A writer that has died is told by those who wait for it, and not from a destructor.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        async with asyncio.timeout(1):
            await job()

    asyncio.run(scene())


class Book:
    """A call_store on tables of its own, and the statements that reached them."""

    def __init__(self, path: Path) -> None:
        self.published: sqlite3.Connection | None = None
        self.path, self.statements = path, list[str]()
        self.call_store = RunFileCallStore(
            path, lambda: self.published, self.publish, "; changed since: all"
        )

    def publish(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        connection.executescript(SCHEMA)
        connection.set_trace_callback(self.statements.append)
        self.published = connection
        return connection

    @property
    def transactions(self) -> list[list[str]]:
        """The first words of what was written in each, after how far it waits for the disk."""
        words = [" ".join(statement.split()[:3]) for statement in self.statements]
        starts = [place - 1 for place, word in enumerate(words) if word == "BEGIN"]
        ends = [place for place, word in enumerate(words) if word == "COMMIT"]
        return [
            [self.statements[start].split()[-1], *words[start + 2 : end]]
            for start, end in zip(starts, ends, strict=True)
        ]

    def on_record(self, asked: Request) -> Completion | None:
        """Return the reply that the next session finds."""
        assert self.published is not None
        self.call_store.known = call_addresses(self.published)
        return self.call_store.kept(asked)

    def run(self, *jobs: Job) -> None:
        """Several jobs at once."""
        in_time(lambda: asyncio.gather(*(job(self.call_store) for job in jobs)))


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    book = Book(tmp_path / "a.run")
    yield book
    if book.published is not None:
        book.published.close()


def keeping(asked: Request, said: Completion = SAID) -> Job:
    return lambda call_store: call_store.keep(asked, said)


def sending(asked: Request) -> Job:
    return lambda call_store: call_store.sending(asked)


INSERT = "INSERT INTO calls"
NOTE = "INSERT OR IGNORE"


# When it is written


def test_answers_that_arrive_together_share_a_transaction_that_waits_for_the_disk(
    book: Book,
) -> None:
    book.run(*(keeping(request(agent)) for agent in range(3)))
    assert book.transactions == [["FULL", INSERT, INSERT, INSERT]]


def test_the_first_answer_waits_a_little_for_others(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_store, "_TOGETHER", 0.05)

    async def soon(call_store: RunFileCallStore) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        await call_store.keep(request(1), SAID)

    book.run(keeping(request(0)), soon)
    assert book.transactions == [["FULL", INSERT, INSERT]]


def test_a_note_that_a_call_goes_out_need_not_wait_for_the_disk(book: Book) -> None:
    book.run(sending(request(0)), sending(request(1)))
    book.run(sending(request(2)), keeping(request(0)))
    assert book.transactions == [["NORMAL", NOTE, NOTE], ["FULL", NOTE, INSERT]]


def test_only_answers_are_written_by_another_thread(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, threads = book.call_store._write, list[bool]()

    def noting(rows: Sequence[Any]) -> None:
        threads.append(threading.current_thread() is threading.main_thread())
        write(rows)

    monkeypatch.setattr(book.call_store, "_write", noting)
    book.run(sending(request()))
    book.run(keeping(request()))
    assert threads == [True, False]


def test_after_an_answer_rounds_are_written_without_waiting_again(book: Book) -> None:
    book.run(keeping(request()))
    assert book.statements[-2:] == ["COMMIT", "PRAGMA synchronous = NORMAL"]


@pytest.mark.parametrize("letter", ["a", "é", "😀"])
def test_a_prompt_that_the_file_could_not_give_back_is_refused_before_it_is_asked(
    book: Book, letter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_store, "MOST_WORDS", 3_000)
    size = len(request(words=letter).words) - len(request(words="").words)
    asyncio.run(book.call_store.sending(request(words=letter * (2_900 // size))))
    with pytest.raises(
        InputError, match=r"agent 0 of replicate 0 for 'bid' has 3,\d+ bytes; a run"
    ):
        asyncio.run(book.call_store.sending(request(words=letter * (3_012 // size))))
    assert sum(one.startswith("INSERT") for one in book.statements) == 1


def test_answers_that_arrive_while_others_are_written_go_into_the_next_transaction(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, late = book.call_store._write, list[asyncio.Task[None]]()

    async def scene() -> None:
        loop = asyncio.get_running_loop()

        def slowly(rows: Sequence[Any]) -> None:
            if not late:
                late.append(loop.create_task(book.call_store.keep(request(1), SAID)))
                asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result()
            write(rows)

        monkeypatch.setattr(book.call_store, "_write", slowly)
        await book.call_store.keep(request(0), SAID)
        await late[0]

    in_time(scene)
    assert book.transactions == [["FULL", INSERT], ["FULL", INSERT]]


def test_an_answer_is_in_the_file_when_keeping_it_is_over(book: Book) -> None:
    """As another process sees it."""

    async def look(call_store: RunFileCallStore) -> None:
        await call_store.keep(request(), SAID)
        with sqlite3.connect(book.path) as other:
            assert other.execute("SELECT round, text FROM calls").fetchall() == [(4, "0.4")]
        other.close()

    book.run(look)


def test_before_the_file_is_there_nothing_is_on_record(book: Book) -> None:
    assert book.call_store.kept(request()) is None
    assert book.call_store.vectors("minilm", ["lake"]) == {}
    assert book.published is None


# What cannot be written


def test_what_cannot_be_written_pauses_the_run_and_says_how_to_go_on(book: Book) -> None:
    """All that shared the transaction is as if it had never come."""
    book.run(keeping(request(0)))
    with pytest.raises(
        Paused, match=r"cannot write an answer to .*a\.run: UNIQUE .* society resume .*a\.run"
    ):
        book.run(keeping(request(1)), keeping(request(0)))
    assert book.on_record(request(1)) is None
    book.run(keeping(request(1)))
    assert book.on_record(request(1)) == SAID


def test_an_answer_can_be_read_that_comes_after_one_which_could_not_be_written(book: Book) -> None:
    """Prompts of a question share their words, of which those of the first one are not there."""
    long = "How much? " * 100
    lost, later = (request(agent, long, kind="answer sell") for agent in (1, 2))
    book.run(keeping(request(0, long)))
    with pytest.raises(Paused, match="UNIQUE"):
        book.run(keeping(lost), keeping(request(0, long)))
    book.run(keeping(later))
    assert book.on_record(later) == SAID


def test_the_file_of_another_run_that_came_meanwhile_is_refused_and_nobody_waits_for_ever(
    tmp_path: Path,
) -> None:
    """Two runs were started with the same --out."""
    setup = build(load_config("fishing_village", {"rounds": 1}))
    manifest = manifest_of(setup)
    first, second = (Writer(tmp_path / "a.run", manifest) for _ in range(2))

    in_time(lambda: first.call_store.keep(request(), SAID))
    with pytest.raises(FileError, match=r"a\.run already exists"):
        in_time(lambda: second.call_store.keep(request(), SAID))
    first.close("paused")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (SAID._replace(model="\ud83d"), UnicodeEncodeError),
        (SAID._replace(prompt_tokens=10**30), OverflowError),
    ],
    ids=["half a surrogate pair", "a number of 31 digits"],
)
def test_nobody_waits_for_ever_for_what_the_file_cannot_hold(
    book: Book, said: Completion, error: type[Exception]
) -> None:
    """society.llm.providers.responses lets neither of them through."""
    with pytest.raises(error):
        book.run(keeping(request(), said))
    book.run(keeping(request()))
    assert book.on_record(request()) == SAID


# What is on record


def test_other_words_than_those_of_the_record_are_refused_with_round_agent_and_reason(
    book: Book,
) -> None:
    book.run(keeping(request(3)))
    with pytest.raises(
        RunFileError,
        match=r"a\.run, round 4: agent 3 of replicate 0 is not asked 'bid' in the words of the "
        r"record; changed since: all; restore the earlier version",
    ):
        book.on_record(request(3, "How little?"))


def test_a_damaged_answer_is_refused_and_not_used(book: Book) -> None:
    book.run(keeping(request()))
    assert book.published is not None
    book.published.execute("UPDATE calls SET text = '0.9'")
    with pytest.raises(RunFileError, match=r"a\.run: a call is not what was written; take a whole"):
        book.on_record(request())


def test_vectors_are_kept_with_what_comes_next(book: Book) -> None:
    vectors = {"lake": np.array([1.0, 2.0]), "sea": np.array([3.0, 4.0])}
    book.call_store.keep_vectors("minilm", vectors)
    kept = book.call_store.vectors("minilm", ["sea", "ocean"])
    assert {text: vector.tolist() for text, vector in kept.items()} == {"sea": [3, 4]}


def test_a_damaged_vector_is_refused_and_not_used(book: Book) -> None:
    book.call_store.keep_vectors("minilm", {"lake": np.ones(2)})
    assert book.published is not None
    book.published.execute("UPDATE vectors SET vector = x'0000000000000000'")
    with pytest.raises(RunFileError, match="an embedding is not what was written"):
        book.call_store.vectors("minilm", ["lake"])


def test_a_vector_that_cannot_be_written_pauses_the_run(book: Book) -> None:
    book.publish().execute("DROP TABLE vectors")
    with pytest.raises(Paused, match=r"to .*a\.run: no such table"):
        book.call_store.keep_vectors("minilm", {"lake": np.ones(2)})


# Components that find answers on their own

NEIGHBOUR = """
from pathlib import Path
from society.engine.component import Component
from society.errors import Paused, Unparsed

class Neighbour(Component):
    answers = ("effort",)

    async def consult(self, ask, one):
        said = Path("said.txt")
        before = said.read_text() if said.exists() else ""
        if one.moment == 3 and not Path("open").exists():
            raise Paused("nobody is at home")
        said.write_text(f"{before}{one.moment}/{one.agent} ")
        if one.agent == 1:
            raise Unparsed("a shrug")
        return 0.25
"""
STREET = """
scenario: fishing_village
rounds: 4
uses: [neighbour.py]
parameters: {social_learning: false, ends_on: horizon}
cohorts: [{name: all, count: 2, replace: {harvest: neighbour}}]
"""


@pytest.fixture
def street(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Words that play a village in which each effort is asked of a neighbour, not through us."""
    monkeypatch.chdir(tmp_path)
    Path("neighbour.py").write_text(NEIGHBOUR)
    Path("street.yaml").write_text(STREET)
    return ["run", "street.yaml", "--quiet", "--out"]


def test_answers_found_without_us_are_not_sought_again_when_a_run_goes_on(
    street: list[str], reading: Reading
) -> None:
    assert main([*street, "a.run"]) == 3
    Path("open").touch()
    assert main(["resume", "a.run", "--quiet"]) == 0
    said = Path("said.txt").read_text().split()
    assert said == [f"{number}/{agent}" for number in range(1, 5) for agent in (0, 1)]
    assert main([*street, "whole.run"]) == 0
    run, whole = reading(Path("a.run")), reading(Path("whole.run"))
    assert run.outcome() == whole.outcome()
    assert [call.request.address.turn for call in run.calls()] == [BARE] * 8
    assert [(entry.unasked, entry.fallbacks) for entry in run.ledger()] == [(8, 4)]


def test_a_run_is_proved_from_answers_found_without_us(street: list[str]) -> None:
    Path("open").touch()
    assert main([*street, "a.run"]) == 0
    before = Path("said.txt").read_text()
    assert verify("a.run").ok
    assert Path("said.txt").read_text() == before


# Playing again from the record

RESIDENTS = ["run", "language_village", "--agents", "3", "--rounds", "2", "--quiet", "--out"]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A village of offline minds that has been played."""
    path = tmp_path_factory.mktemp("residents") / "a.run"
    assert main([*RESIDENTS, str(path)]) == 0
    return path


@pytest.fixture
def residents(lived: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    copy = tmp_path / "a.run"
    shutil.copy(lived, copy)
    return copy


class Unasked:
    """An embedder that must not be needed."""

    name = "minilm"

    def embed(self, texts: Sequence[str]) -> Array:
        raise AssertionError("it was asked")


def test_the_record_gives_calls_and_vectors_and_says_what_it_lacks(
    residents: Path, reading: Reading
) -> None:
    run = reading(residents)
    first = next(iter(run.calls()))
    recorded = RecordedCalls(run)
    assert recorded.kept(first.request) == first.said
    with pytest.raises(RunFileError, match="not asked 'effort' in the words of the record"):
        recorded.kept(first.request._replace(messages=()))
    stranger = first.request._replace(address=first.request.address._replace(agent=7))
    with pytest.raises(
        RunFileError, match="agent 7 of replicate 0 is asked 'effort', but the record has no answer"
    ):
        recorded.kept(stranger)
    bare = first.request._replace(address=first.request.address._replace(turn=BARE))
    assert recorded.kept(bare) is None, "it asked through us"


def test_vectors_of_a_finished_run_are_not_computed_again(residents: Path) -> None:
    with sqlite3.connect(residents) as connection:
        book = RunFileCallStore(residents, lambda: connection, lambda: connection)
        connection.isolation_level = None
        book.keep_vectors("minilm", {"lake": np.array([1.0, 2.0])})
    connection.close()
    with open_run_file(residents) as run:
        outside = ModelGateway(call_store=RecordedCalls(run))
        assert outside.embedded(Unasked(), ["lake", "lake"]).tolist() == [[1, 2], [1, 2]]


def test_an_answer_that_was_exchanged_is_found_by_playing_again(residents: Path) -> None:
    """It is sealed as if it had been written so."""
    with open_run_file(residents) as run:
        call = next(iter(run.calls()))
    with sqlite3.connect(residents) as file:
        file.execute("DELETE FROM calls WHERE call = 1")
        file.execute(CALL, call_row(1, call.request, call.said._replace(text='{"answer": 0.125}')))
    file.close()
    verdict = verify(residents)
    assert [check.ok for check in verdict.checks] == [True, True, False]
    said = "villager 0 of replicate 0 is not asked 'punish' in the words of the record"
    assert said in verdict.checks[2].words, "the prompt tells what became of the effort"


def test_an_answer_that_is_gone_is_found_and_named(residents: Path) -> None:
    with sqlite3.connect(residents) as file:
        file.execute("DELETE FROM calls WHERE occasion = 'answer vote' AND use = 1 AND agent = 2")
    file.close()
    assert verify(residents).checks[2].words == (
        "round 2: villager 2 of replicate 0 is asked 'vote', but the record has no answer"
    )


def test_a_changed_answer_is_found_by_its_seal(residents: Path) -> None:
    with sqlite3.connect(residents) as file:
        file.execute("UPDATE calls SET text = text || ' ' WHERE call = 5")
    file.close()
    (record,) = verify(residents).checks
    assert record.ok is False
    assert "the calls cannot be read (a call is not what was written)" in record.words
