"""A view changes by keys alone, and never leaves the history."""

from __future__ import annotations

from society.theatre.history import History
from society.theatre.keys import press
from society.theatre.view import View

START = View()


def after(history: History, *keys: str, view: View = START) -> View:
    """Press keys one after another; a key of one sign sends that sign."""
    for key in keys:
        view = press(history, view, key, key if len(key) == 1 else None)
    return view


def test_arrows_step_through_rounds_and_stop_at_both_ends(village: History) -> None:
    assert after(village, "right", "right").round == 2
    assert after(village, "left").round == 0
    assert after(village, "shift+right", "shift+right").round == village.last


def test_digits_open_the_prompt_and_enter_jumps(village: History) -> None:
    assert after(village, "2").typing == "jump"
    assert after(village, "2", "enter").round == 2
    assert after(village, "9", "9", "enter").note.startswith("there is no round 99")


def test_marks_are_visited_in_order_and_in_one_lane_if_one_is_chosen(village: History) -> None:
    marks = village.course(0).marks
    assert after(village, "n").round == next(mark.round for mark in marks if mark.round > 0)
    assert after(village, "right_square_bracket").lane == marks[0].lane


def test_escape_closes_screens_then_lets_go_of_the_agent(village: History) -> None:
    opened = after(village, "down", "question_mark")
    assert (opened.screen, opened.agent) == ("help", 0)
    assert after(village, "escape", view=opened) == after(village, "down")
    assert after(village, "escape", "escape", view=opened) == View()
