"""Names of former times that still work, with a warning that says the new one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from society.engine.action_spaces import Real
from society.engine.script import VOID_REPLICATE, Ask


def test_a_question_still_takes_its_fallback_as_otherwise() -> None:
    with pytest.warns(DeprecationWarning, match=r"Ask\('bid', otherwise=...\) is now .*fallback="):
        ask = Ask("bid", Real(0, 9), otherwise=VOID_REPLICATE)
    assert ask.fallback is VOID_REPLICATE


def test_a_changed_question_keeps_its_fallback() -> None:
    ask = Ask("bid", Real(0, 9), fallback=3)
    assert replace(ask, kind="offer").fallback == 3
    assert replace(ask, fallback=4).fallback == 4
