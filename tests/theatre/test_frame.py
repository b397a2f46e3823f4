"""Frames cover a screen exactly."""

from rich.text import Text

from society.theatre.frame import Size, fit


def test_lines_are_cut_and_filled_to_the_size_of_the_screen() -> None:
    frame = fit([Text("stock 184.6"), Text("cap"), Text("never seen")], Size(8, 2))
    assert [line.plain for line in frame.lines] == ["stock 18", "cap     "]
    assert fit([], Size(3, 2)).plain == "\n\n"
