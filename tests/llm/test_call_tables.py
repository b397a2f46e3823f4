"""What is kept of calls reads back as it was written, and its sums count what nobody knows."""

from __future__ import annotations

import itertools
import sqlite3
import zlib
from typing import Any

import numpy as np
import pytest

from society.engine.calls import (
    BARE,
    Address,
    Completion,
    Message,
    PromptPart,
    Request,
    Spent,
    Usage,
)
from society.llm.call_tables import (
    CALL,
    LOSE,
    SENT,
    VECTOR,
    call_row,
    checksum,
    find_agents_calls,
    find_call,
    find_earlier_call,
    find_vectors,
    list_calls,
    text_key,
    unanswered_calls,
    usage_entries,
    use_so_far,
    vector_row,
)

ADDRESS = Address("oracle", "answer bid", 0, 0, 0, 0)
WHOLE = Completion("0.4", "stop", 7, 2, 0.25, 1.5, 3, "gpt", {"temperature": 1.0, "stop": ["\n"]})


def request(words: str = "How much?", **more: Any) -> Request:
    names = [name for name in more if name in Address._fields]
    address = ADDRESS._replace(**{name: more.pop(name) for name in names})
    return Request(address, "default", (Message("user", words),), **more)


def write(book: sqlite3.Connection, said: Completion = WHOLE, round: int = 1, **more: Any) -> None:
    book.execute(CALL, call_row(round, request(**more), said))


# Calls


@pytest.mark.parametrize(
    "said",
    [
        WHOLE,
        Completion("0.4"),
        Completion("", "length", 0, 0, 0.0),
        Completion("0.4", prompt_tokens=7, sent={"seed": 1}, cached_tokens=5),
        Completion("0.4", cost=1, latency=2),
        Completion("a\x1fb\x00c\nd", model="m\x1f"),
    ],
    ids=["whole", "unknown", "empty", "cached", "whole numbers", "control characters"],
)
def test_a_call_reads_back_as_it_was_written(book: sqlite3.Connection, said: Completion) -> None:
    asked = request("What, \U0001f600 or \ud83d?", room=64, again="repair", reason="no number")
    book.execute(CALL, call_row(3, asked, said))
    read = find_call(book, ADDRESS)
    assert read == (3, asked, said)
    assert list(list_calls(book)) == [read]


def test_who_has_given_what_of_a_prompt_reads_back(book: sqlite3.Connection) -> None:
    parts = (PromptPart("mood", "brief", 0, 3), PromptPart("weather", "question", 4, 5))
    asked = request(parts=parts)
    book.execute(CALL, call_row(3, asked, WHOLE))
    assert find_call(book, ADDRESS) == (3, asked, WHOLE)


@pytest.mark.parametrize(
    "parts",
    [
        [("mood", "brief", 4, 6)],  # of nine characters
        [("mood", "brief", 4, 2), ("mood", "thought", 5, 1)],
        [("mood", "spell", 0, 1)],
        [("mood", "brief", "0", 1)],
    ],
)
def test_parts_that_no_prompt_has_are_damage(book: sqlite3.Connection, parts: Any) -> None:
    book.execute(CALL, call_row(3, request(parts=parts), WHOLE))
    with pytest.raises(ValueError, match=r"part|value"):
        find_call(book, ADDRESS)


def test_a_long_form_is_kept_once_and_read_with_every_call(book: sqlite3.Connection) -> None:
    forms: dict[str, Address] = {}
    long: dict[str, Any] = {"response_format": {"enum": [*range(100)]}, "seed": 1}
    short: dict[str, Any] = {"response_format": {"type": "json_object"}}
    for agent, sent in enumerate((long, long, short, short)):
        said = WHOLE._replace(sent=sent)
        book.execute(CALL, call_row(1, request(agent=agent), said, forms))
    kept = [len(sent) for (sent,) in book.execute("SELECT sent FROM calls")]
    assert kept[0] > 400
    assert max(kept[1:]) < 100
    assert [call.said.sent for call in list_calls(book)] == [long, long, short, short]
    second = find_call(book, ADDRESS._replace(agent=1))
    assert second is not None
    assert second.said.sent == long


@pytest.mark.parametrize("agent", [1, 7], ids=["itself", "nobody"])
def test_a_form_that_stands_nowhere_is_no_form(book: sqlite3.Connection, agent: int) -> None:
    sent = {"tools": {"as_in_call": [*ADDRESS._replace(agent=agent)]}}
    write(book, WHOLE._replace(sent=sent), agent=1)
    with pytest.raises(ValueError, match="the form of another one, which has none"):
        list(list_calls(book))


def test_where_nothing_was_kept_nothing_is_found(book: sqlite3.Connection) -> None:
    write(book)
    assert find_call(book, ADDRESS._replace(turn=1)) is None


def test_calls_come_in_the_order_in_which_they_were_kept(book: sqlite3.Connection) -> None:
    for agent in (2, 0, 1):
        write(book, agent=agent)
    assert [call.request.address.agent for call in list_calls(book)] == [2, 0, 1]


def test_an_address_can_be_answered_only_once(book: sqlite3.Connection) -> None:
    write(book)
    with pytest.raises(sqlite3.IntegrityError):
        write(book, Completion("0.9"))


@pytest.mark.parametrize(
    "change",
    [
        "round = 2", "component = 'oracl'", "occasion = 'answer bids'", "fingerprint = ''",
        "name = 'gpt'", "room = 1", "again = 'cut'", "reason = 'none'", "messages = '[]'",
        "text = '0.5'", "finish = 'length'", "prompt_tokens = NULL", "completion_tokens = 3",
        "cost = 0.2", "latency = 0", "retries = 0", "model = 'gpt-2'", "sent = '{}'",
    ],
)  # fmt: skip
def test_a_call_of_which_anything_was_changed_is_not_read(
    book: sqlite3.Connection, change: str
) -> None:
    write(book)
    book.execute(f"UPDATE calls SET {change}")
    with pytest.raises(ValueError, match="a call is not what was written"):
        list(list_calls(book))


# Vectors


def test_vectors_read_back_bit_for_bit_by_embedder_and_text(book: sqlite3.Connection) -> None:
    vector = np.array([0.1, -2.5e-30, np.inf], np.float32)
    book.execute(VECTOR, vector_row("minilm", "half a pair: \ud83d", vector))
    read = find_vectors(book, "minilm", ["half a pair: \ud83d", "another"])
    assert list(read) == ["half a pair: \ud83d"]
    assert read["half a pair: \ud83d"].tobytes() == vector.tobytes()
    assert find_vectors(book, "hashing", ["half a pair: \ud83d"]) == {}


def test_the_first_vector_of_a_text_stands(book: sqlite3.Connection) -> None:
    for value in (1.0, 2.0):
        book.execute(VECTOR, vector_row("minilm", "lake", np.array([value])))
    assert find_vectors(book, "minilm", ["lake"])["lake"].tolist() == [1]


@pytest.mark.parametrize("change", ["vector = x'00000000'", "seal = ''"])
def test_a_changed_vector_is_not_read(book: sqlite3.Connection, change: str) -> None:
    book.execute(VECTOR, vector_row("minilm", "lake", np.ones(1)))
    book.execute(f"UPDATE vectors SET {change}")
    with pytest.raises(ValueError, match="an embedding is not what was written"):
        find_vectors(book, "minilm", ["lake"])


# Sums


def test_the_ledger_counts_by_component_kind_and_model(book: sqlite3.Connection) -> None:
    write(book)
    write(book, turn=1, again="repair")
    write(book, turn=2, again="cut")
    write(book, occasion="notice bid", agent=4)
    write(book, WHOLE._replace(model="mini"), agent=4)
    assert list(usage_entries(book)) == [
        (-1, Usage("oracle", "bid", "gpt", 4, 12, 1, 1, 0, 28, 8, 1.0, None)),
        (-1, Usage("oracle", "bid", "mini", 1, 3, 0, 0, 0, 7, 2, 0.25, None)),
    ]
    by_agent = [
        (agent, entry.model, entry.calls) for agent, entry in usage_entries(book, per_agent=True)
    ]
    assert by_agent == [(0, "gpt", 3), (4, "gpt", 1), (4, "mini", 1)]


def test_a_sum_in_which_something_is_unknown_is_unknown(book: sqlite3.Connection) -> None:
    write(book)
    write(book, WHOLE._replace(cost=None), agent=1)
    write(book, WHOLE._replace(prompt_tokens=None), agent=2)
    ((_, entry),) = usage_entries(book)
    assert (entry.prompt_tokens, entry.completion_tokens, entry.cost) == (None, 6, None)
    assert use_so_far(book).cost is None


def test_cached_tokens_are_summed_where_every_call_tells_them(book: sqlite3.Connection) -> None:
    for agent, cached in enumerate((5, 0)):
        write(book, WHOLE._replace(cached_tokens=cached), agent=agent)
    assert [entry.cached_tokens for _, entry in usage_entries(book)] == [5]
    write(book, agent=2)  # as files of before have them
    assert [entry.cached_tokens for _, entry in usage_entries(book)] == [None]


def test_where_nobody_tells_tokens_the_most_that_there_can_have_been_count(
    book: sqlite3.Connection,
) -> None:
    """A token for each byte of the messages, and all the room of the reply."""
    silent = WHOLE._replace(prompt_tokens=None)
    words = len('[["user", "How much?"]]')
    write(book, agent=0)
    write(book, silent, agent=1)
    write(book, silent, agent=2, room=100)
    write(book, silent._replace(sent={"max_tokens": 50}), agent=3)
    assert use_so_far(book) == Spent(4, 9 + words + (words + 100) + (words + 50), 1.0)


def test_nothing_asked_is_nothing_spent(book: sqlite3.Connection) -> None:
    assert list(usage_entries(book)) == []
    assert use_so_far(book) == Spent(0, 0, 0.0)


@pytest.mark.parametrize("size", range(60, 70))
def test_an_embedding_of_few_numbers_is_packed_and_read_back(
    book: sqlite3.Connection, size: int
) -> None:
    """Whatever its length: that of plain numbers is a multiple of four, and no other is."""
    few = np.zeros(size, np.float32)
    few[[3, 50]] = (0.6, 0.8)
    many = np.linspace(0.1, 0.9, size, dtype=np.float32) ** 3
    for text, vector in (("few", few), ("many", many)):
        book.execute(VECTOR, vector_row("hashing", text, vector, packed=True))
    sizes = dict(book.execute("SELECT text, length(vector) FROM vectors"))
    assert sorted(sizes.values())[0] < 4 * size / 2
    assert sorted(sizes.values())[1] == 4 * size
    found = find_vectors(book, "hashing", ["few", "many"])
    assert found["few"].tolist() == few.tolist()
    assert found["many"].tolist() == many.tolist()


def test_a_packed_embedding_that_is_damaged_is_no_embedding(book: sqlite3.Connection) -> None:
    for text, blob in (("cut", zlib.compress(bytes(4000))[:9]), ("noise", b"abcde")):
        sealed = checksum("hashing", text_key(text), blob=blob)
        book.execute(VECTOR, ("hashing", text_key(text), blob, sealed))
        with pytest.raises(ValueError, match="an embedding is"):
            find_vectors(book, "hashing", [text])


def test_calls_of_which_nothing_was_kept_count_as_spent(book: sqlite3.Connection) -> None:
    """They may have been paid for."""
    for agent in (0, 1, 1, 2):
        book.execute(SENT, ADDRESS._replace(agent=agent))
    write(book, agent=0)
    assert unanswered_calls(book) == 2
    assert use_so_far(book) == Spent(3, 9, 0.25)


def test_what_was_lost_in_one_sitting_stays_lost_when_it_is_answered_in_the_next(
    book: sqlite3.Connection,
) -> None:
    for agent in (0, 1):
        book.execute(SENT, ADDRESS._replace(agent=agent))
    write(book, agent=0)
    for _ in range(2):  # two more sessions, the second of which asks nobody
        for statement in LOSE:
            book.execute(statement)
    book.execute(SENT, ADDRESS._replace(agent=1))
    write(book, agent=1)
    assert unanswered_calls(book) == 1
    assert use_so_far(book) == Spent(3, 18, 0.5)


def test_answers_that_a_component_found_on_its_own_spend_nothing_of_ours(
    book: sqlite3.Connection,
) -> None:
    write(book, Completion("{}", cost=0.0, prompt_tokens=0, completion_tokens=0), turn=BARE)
    assert use_so_far(book) == Spent(0, 0, 0.0)


def fill(book: sqlite3.Connection, rounds: int, agents: int) -> None:
    """Ask about bids each round, about votes every other round, and about plans before them."""
    rows = []
    for agent in range(agents):
        rows.append(call_row(0, request(occasion="begin", component="plan", agent=agent), WHOLE))
    for number in range(1, rounds + 1):
        for kind, use in (("bid", number - 1), ("vote", number // 2 - 1)):
            if kind == "vote" and number % 2:
                continue
            for agent in range(agents):
                asked = request(occasion=f"answer {kind}", use=use, agent=agent)
                rows.append(call_row(number, asked, WHOLE))
    book.executemany(CALL, rows)


def test_the_calls_of_an_agent_in_a_round_are_found_by_address(book: sqlite3.Connection) -> None:
    fill(book, rounds=7, agents=3)
    write(book, round=4, occasion="answer bid", use=3, agent=2, turn=1, again="repair")
    for number in range(9):
        for agent in range(3):
            mine = [
                call.request.address
                for call in list_calls(book)
                if (call.round, call.request.address.agent) == (number, agent)
            ]
            found = find_agents_calls(book, number, 0, agent)
            assert [call.request.address for call in found] == sorted(mine)
    assert find_agents_calls(book, 4, 1, 2) == []
    assert len(find_agents_calls(book, 4, 0, 2)) == 3


def test_an_empty_book_has_no_calls_of_anybody(book: sqlite3.Connection) -> None:
    assert find_agents_calls(book, 1, 0, 0) == []


def test_the_earlier_call_is_that_of_the_last_time_the_agent_was_asked(
    book: sqlite3.Connection,
) -> None:
    write(book, use=0)
    write(book, use=0, turn=1, again="repair")
    write(book, use=2)
    write(book, use=3, agent=1)
    earlier = find_earlier_call(book, ADDRESS._replace(use=4))
    assert earlier is not None
    assert earlier.request.address == ADDRESS._replace(use=2)
    assert find_earlier_call(book, ADDRESS._replace(use=0)) is None


def test_calls_are_found_by_halving_however_many_there_are(book: sqlite3.Connection) -> None:
    fill(book, rounds=270, agents=10)
    assert book.execute("SELECT count(*) FROM calls").fetchone()[0] == 4060
    steps = itertools.count()
    book.set_progress_handler(lambda: next(steps) < 0, 1)
    assert len(find_agents_calls(book, 200, 0, 7)) == 2
    assert next(steps) < 2000  # of SQLite's machine; to look at each call takes several a call
