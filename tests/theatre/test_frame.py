"""Frames cover a screen exactly."""

import pytest
from rich.text import Text

from society.theatre.frame import Size, about_agent, agent_of, fit
from society.theatre.paragraphs import fold


def test_lines_are_cut_and_filled_to_the_size_of_the_screen() -> None:
    frame = fit([Text("stock 184.6"), Text("cap"), Text("never seen")], Size(8, 2))
    assert [line.plain for line in frame.lines] == ["stock 18", "cap     "]
    assert fit([], Size(3, 2)).plain == "\n\n"


def test_a_line_knows_the_agent_that_it_is_about_also_when_it_is_cut() -> None:
    lines = [about_agent(Text("agent 7").append(" 184.6", "bold"), 7), Text("stock")]
    assert [agent_of(line) for line in fit(lines, Size(9, 3)).lines] == [7, None, None]


@pytest.mark.parametrize(
    ("words", "pieces"),
    [
        ("one two three", ["one two ", "three"]),
        ("漁獲量が少ない", ["漁獲量が", "少ない"]),
        ("abcdefghijkl", ["abcdefgh", "ijkl"]),
        ("a\u0301" * 9, ["a\u0301" * 8, "a\u0301"]),
        ("", [""]),
    ],
)
def test_long_lines_are_folded_at_blanks_and_nothing_is_lost(words: str, pieces: list[str]) -> None:
    assert [piece.plain for piece in fold(Text(words), 8)] == pieces


def test_signs_above_others_do_not_make_a_line_longer() -> None:
    words = "e" + "\u0301" * 500 + " fish" * 40
    folded = fold(Text(words), 20)
    assert "".join(piece.plain for piece in folded) == words
    assert max(piece.cell_len for piece in folded) <= 20
