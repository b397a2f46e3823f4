"""What a real model said is read as before: words that nobody would make up for a test.

Each line of real_replies.jsonl is one reply of SmolLM2-135M-Instruct: the form that was asked for,
whether a schema held it, text, end, the answer that is read, and why none is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.real_minds import FORMS, reading

KEPT = [
    json.loads(line)
    for line in Path(__file__).with_name("real_replies.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: kept[0])
def test_a_real_reply_is_read_as_it_was(kept: list[Any]) -> None:
    form, _, text, finish, answer, trouble = kept
    assert reading(FORMS[form], text, finish) == (answer, trouble)


def test_all_forms_are_there_with_a_schema_and_without() -> None:
    assert {(form, held) for form, held, *_ in KEPT} == {
        (form, held) for form in FORMS for held in (True, False)
    }


def test_what_a_schema_held_is_read_in_every_form() -> None:
    assert [kept for kept in KEPT if kept[1] and kept[5]] == []
