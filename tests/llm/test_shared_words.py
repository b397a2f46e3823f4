"""Prompts of one question are kept as what they add to one of them, and read back word for word."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from typing import Any

import pytest

from society.engine.calls import Address, Completion, Message, Request
from society.llm.call_tables import (
    CallRows,
    call_row,
    find_call,
    list_calls,
    system_prompts,
    use_so_far,
)
from society.llm.shared_words import SharedWords, first_free_number

RULES = "The lake holds fish for all of us, and who takes too much leaves less for others. " * 12
ADDRESS = Address("mind", "answer effort", 0, 0, 0, 0)


def prompt(agent: int, day: int = 0, rules: str = RULES) -> str:
    return f"{rules}You are villager {agent}, and it is day {day}. You own {agent * 37} fish."


def asked(words: str, agent: int = 0, use: int = 0, system: str = "", **more: Any) -> Request:
    before = (Message("system", system),) if system else ()
    address = ADDRESS._replace(agent=agent, use=use)
    return Request(address, "default", (*before, Message("user", words)), **more)


def write(book: sqlite3.Connection, rows: CallRows, *requests: Request, **said: Any) -> None:
    for request in requests:
        for statement, values in rows.write(1, request, Completion("0.4", **said)):
            book.execute(statement, values)


def cells(book: sqlite3.Connection) -> list[int]:
    """Bytes of the messages of each call."""
    query = "SELECT length(CAST(messages AS BLOB)) FROM calls ORDER BY call"
    return [size for (size,) in book.execute(query)]


def in_full(book: sqlite3.Connection) -> int:
    """How many prompts are kept in full."""
    return int(book.execute("SELECT count(words) FROM shared").fetchone()[0])


def test_common_words_are_kept_once_and_each_prompt_reads_back(book: sqlite3.Connection) -> None:
    requests = [asked(prompt(agent), agent) for agent in range(50)]
    write(book, CallRows(SharedWords(0)), *requests)
    assert in_full(book) == 1
    assert max(cells(book)) < len(RULES) / 10
    assert [call.request for call in list_calls(book)] == requests
    found = find_call(book, ADDRESS._replace(agent=7))
    assert found is not None
    assert found.request == requests[7]


def test_odd_characters_read_back(book: sqlite3.Connection) -> None:
    requests = [asked(f"{RULES} \U0001f41f \ud83d \x1f {agent}", agent) for agent in range(3)]
    write(book, CallRows(SharedWords(0)), *requests)
    assert [call.request for call in list_calls(book)] == requests


def test_a_short_prompt_is_kept_as_it_is(book: sqlite3.Connection) -> None:
    write(book, CallRows(SharedWords(0)), asked("How much?"))
    assert book.execute("SELECT messages FROM calls").fetchone() == ('[["user", "How much?"]]',)
    assert in_full(book) == 0


def test_each_question_has_common_words_of_its_own(book: sqlite3.Connection) -> None:
    rows = CallRows(SharedWords(0))
    fine = ADDRESS._replace(occasion="answer fine")
    for agent in range(5):
        effort = asked(prompt(agent), agent)
        write(book, rows, effort, effort._replace(address=fine._replace(agent=agent)))
    assert in_full(book) == 2


def test_once_a_question_has_changed_enough_it_is_kept_in_full_again(
    book: sqlite3.Connection,
) -> None:
    """A new rule of noise costs its length in each cell, until a prompt in full is cheaper."""
    rows = CallRows(SharedWords(0))
    write(book, rows, *(asked(prompt(agent), agent) for agent in range(50)))
    usual = sum(cells(book)) / 50
    noise = "".join(chr(33 + (place * place * 7919) % 89) for place in range(len(RULES)))
    write(book, rows, *(asked(prompt(agent, 1, noise), agent, use=1) for agent in range(50)))
    assert in_full(book) == 2
    assert sum(cells(book)[-40:]) / 40 < 1.2 * usual
    assert [call.request.messages[0].content for call in list_calls(book)][-1] == prompt(
        49, 1, noise
    )


def test_prompts_with_nothing_in_common_cost_little_more_than_in_full(
    book: sqlite3.Connection,
) -> None:
    rows, plain = CallRows(SharedWords(0)), 0
    for agent in range(40):
        words = "".join(chr(33 + (place * (agent + 3) ** 3) % 91) for place in range(1000))
        write(book, rows, request := asked(words, agent))
        plain += len(request.words)
    kept = sum(cells(book))
    kept += book.execute("SELECT sum(length(words)) FROM shared").fetchone()[0]
    assert kept < 1.6 * plain


def test_a_call_keeps_the_seal_that_it_has_in_full(book: sqlite3.Connection) -> None:
    request = asked(prompt(3), 3)
    write(book, CallRows(SharedWords(0)), request)
    *_, sealed = call_row(1, request, Completion("0.4"))
    assert book.execute("SELECT seal FROM calls").fetchone() == (sealed,)


def test_without_room_for_common_words_each_prompt_stands_in_full(
    book: sqlite3.Connection,
) -> None:
    requests = [asked(prompt(agent), agent) for agent in range(3)]
    write(book, CallRows(), *requests)
    assert cells(book) == [len(request.words) for request in requests]
    assert in_full(book) == 0


def test_another_session_goes_on_with_numbers_of_its_own(book: sqlite3.Connection) -> None:
    write(book, CallRows(SharedWords(0)), asked(prompt(0), 0), asked(prompt(1), 1))
    assert first_free_number(book) == 1
    later = [asked(prompt(agent, 1), agent, use=1) for agent in range(2)]
    write(book, CallRows(SharedWords(first_free_number(book))), *later)
    assert [call.request for call in list_calls(book)][2:] == later
    assert book.execute("SELECT shared FROM shared").fetchall() == [(0,), (1,)]


def test_system_messages_are_found_among_packed_words(book: sqlite3.Connection) -> None:
    requests = [asked(prompt(agent), agent, system="Be brief.") for agent in range(3)]
    write(book, CallRows(SharedWords(0)), *requests, asked(prompt(3), 3))
    assert system_prompts(book) == {"default": ["Be brief."]}


def test_untold_tokens_count_by_the_words_in_full(book: sqlite3.Connection) -> None:
    requests = [asked(prompt(agent), agent, room=20) for agent in range(3)]
    write(book, CallRows(SharedWords(0)), *requests, prompt_tokens=None)
    assert use_so_far(book).tokens == sum(len(request.words) + 20 for request in requests)


def deflated(plain: bytes, number: int = 0) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return struct.pack("<I", number) + packer.compress(plain) + packer.flush()


@pytest.mark.parametrize(
    ("cell", "change", "words"),
    [
        (b"ab", "", "cut off"),
        (deflated(b"[]", number=9), "", "the prompt 9 to which others refer"),
        (b"\0\0\0\0\xff\xff\xff", "", "damaged"),
        (deflated(b"[]")[:-1], "", "cut off"),
        (deflated(bytes(2**25)), "", "more than 16,777,216 bytes"),
        (deflated(json.dumps([["user", "other words"]]).encode()), "", "not what was written"),
        (deflated("\u00e9".encode()), "", "ascii"),
        (b"", "UPDATE shared SET words = words || ' '", "damaged or missing"),
        (b"", "UPDATE shared SET words = 7", "damaged or missing"),
        (b"", "DELETE FROM shared", "damaged or missing"),
    ],
    ids=[
        *("short", "no such prompt", "noise", "cut", "bomb", "other words", "no ascii"),
        *("other words in full", "number in full", "none in full"),
    ],
)
def test_damage_is_found_and_not_shown(
    book: sqlite3.Connection, cell: bytes, change: str, words: str
) -> None:
    write(book, CallRows(SharedWords(0)), asked(prompt(0)))
    if cell:
        book.execute("UPDATE calls SET messages = ?", (cell,))
    if change:
        book.execute(change)
    with pytest.raises(ValueError, match=words):
        list(list_calls(book))
