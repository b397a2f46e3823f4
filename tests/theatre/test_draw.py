"""Frames of the theatre."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.norms import quote_apart
from society.theatre.view import View
from tests.theatre.conftest import Record

UTF8 = TerminalStyle("utf-8", 80)


@pytest.mark.parametrize("size", [Size(60, 16), Size(80, 24), Size(120, 40), Size(200, 60)])
def test_a_frame_fills_the_screen_exactly(village: History, size: Size) -> None:
    for number in range(village.last + 1):
        frame = draw(village, View(round=number), size, UTF8)
        assert len(frame.lines) == size.height
        assert {cell_len(line.plain) for line in frame.lines} == {size.width}


def test_a_terminal_that_is_too_small_is_told_how_large_it_must_be(village: History) -> None:
    frame = draw(village, View(), Size(40, 10), UTF8)
    assert "needs 60 x 16" in frame.plain.replace("\n", " ")


def test_a_long_note_is_folded_and_can_be_read_to_its_end(village: History) -> None:
    note = "Round 12, replicate 0: everybody was told " + "of fish, " * 16 + "and of its end"
    frame = draw(village, View(note=note), Size(80, 24), UTF8)
    lines = frame.plain.splitlines()
    assert len(lines) == 24
    assert " ".join(line.strip() for line in lines[-3:]) == note
    assert "of fish" not in lines[-4]


def test_ascii_consoles_are_drawn_in_ascii(village: History) -> None:
    frame = draw(village, View(round=1), Size(120, 40), TerminalStyle("ascii", 80))
    assert frame.plain.isascii()


def test_after_its_end_a_replicate_is_shown_as_it_ended(uneven: History) -> None:
    shown, later = (
        draw(uneven, View(round=number), Size(120, 40), UTF8).plain.splitlines()
        for number in (2, 6)
    )
    assert shown[0].rstrip().endswith("round 2 of 6 · ended · ‖")
    assert later[0].rstrip().endswith("round 6 of 6 · ended in 2 · ‖")
    agents = next(place for place, line in enumerate(shown) if "── agents" in line)
    assert shown[agents:] == later[agents:]


def test_those_who_are_gone_come_last_with_round_and_cause(uneven: History) -> None:
    lines = draw(uneven, View(round=2), Size(80, 24), UTF8).plain.splitlines()
    rows = [line for line in lines if line.startswith("  villager") and "fined" not in line[12:20]]
    assert "† 2" in rows[3]


def test_at_level_summary_a_share_is_not_taken_for_the_stock(record: Record) -> None:
    changes = {"agents": 4, "rounds": 3, "seed": 2}
    history = record("fishing_village", changes, "summary")
    shown = draw(history, View(round=3), Size(80, 24), UTF8).plain
    assert " fish " not in shown
    assert [line.split()[0] for line in shown.splitlines() if line].count("stock") == 1


def test_proposals_that_differ_in_one_word_are_told_apart_in_little_room() -> None:
    proposals = [f"Everybody should keep to about {n} a round and help those." for n in (3, 8)]
    assert quote_apart(proposals, 21, UTF8) == ['"… 3 a … those."', '"… 8 a … those."']
    apart = ["Take little.", "Take much."]
    assert quote_apart(apart, 21, UTF8) == ['"Take little."', '"Take much."']
