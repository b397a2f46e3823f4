"""Frames cover a screen exactly."""

from rich.text import Text

from society.theatre.frame import Size, about_agent, agent_of, fit


def test_lines_are_cut_and_filled_to_the_size_of_the_screen() -> None:
    frame = fit([Text("stock 184.6"), Text("cap"), Text("never seen")], Size(8, 2))
    assert [line.plain for line in frame.lines] == ["stock 18", "cap     "]
    assert fit([], Size(3, 2)).plain == "\n\n"


def test_a_line_knows_the_agent_that_it_is_about_also_when_it_is_cut() -> None:
    lines = [about_agent(Text("agent 7").append(" 184.6", "bold"), 7), Text("stock")]
    assert [agent_of(line) for line in fit(lines, Size(9, 3)).lines] == [7, None, None]
