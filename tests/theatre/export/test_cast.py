"""A recording, when its codes are obeyed, shows the frames that it was made of."""

from __future__ import annotations

import json
import re
from typing import Any

from rich.text import Text

from society.theatre.export.cast import Shot, cast_lines
from society.theatre.frame import Frame, Size, fit

SIZE = Size(12, 3)
_CODE = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])")


class Terminal:
    """As much of a terminal as recordings use: it moves, clears and writes."""

    def __init__(self, size: Size) -> None:
        self.size, self.row, self.column = size, 0, 0
        self.cells = [[" "] * size.width for _ in range(size.height)]
        self.styles = [[""] * size.width for _ in range(size.height)]
        self.style = ""

    def obey(self, output: str) -> None:
        place = 0
        while place < len(output):
            code = _CODE.match(output, place)
            if code is None:
                assert output[place].isprintable(), ascii(output[place])
                self.cells[self.row][self.column] = output[place]
                self.styles[self.row][self.column] = self.style
                self.column, place = self.column + 1, place + 1
                continue
            self._do(*code.groups())
            place = code.end()

    def _do(self, given: str, code: str) -> None:
        if code == "H":
            self.row, self.column = int(given) - 1, 0
        elif code == "m":
            self.style = "" if given == "0" else given
        elif (code, given) == ("K", ""):
            rest = self.size.width - self.column
            self.cells[self.row][self.column :] = [" "] * rest
            self.styles[self.row][self.column :] = [""] * rest
        else:
            assert given + code in ("2J", "?25l", "?25h", "?7l", "?7h")

    @property
    def lines(self) -> list[str]:
        return ["".join(row) for row in self.cells]


def frames() -> list[Frame]:
    lines = [
        [Text("round 1", "bold"), Text("████░░", "green"), Text("same")],
        [Text("round 2", "bold"), Text("██░░░░", "red"), Text("same")],
        [Text("round 3", "bold"), Text("█"), Text("a").append("  b ", "reverse")],
    ]
    return [fit(one, SIZE) for one in lines]


def recorded(*marks: str, speed: float = 4) -> tuple[dict[str, Any], list[list[Any]]]:
    """The header and the events of a recording of the frames."""
    shots = [Shot(frame, mark) for frame, mark in zip(frames(), marks or ("",) * 3, strict=True)]
    header, *events = map(json.loads, cast_lines(shots, SIZE, "A village", speed))
    return header, events


def test_each_event_leaves_the_next_frame_on_the_screen() -> None:
    terminal, shown = Terminal(SIZE), []
    for _, code, output in recorded()[1]:
        assert code == "o"
        terminal.obey(output)
        shown.append(terminal.lines)
    wanted = [[line.plain for line in frame.lines] for frame in frames()]
    assert shown == [*wanted, wanted[-1]]
    assert terminal.styles[0][:8] == ["1"] * 7 + [""]
    assert terminal.styles[2][:6] == ["", "7", "7", "7", "7", ""]


def test_only_lines_that_differ_are_written() -> None:
    _, events = recorded()
    assert events[1][2] == "\x1b[1H\x1b[1mround 2\x1b[0m\x1b[K\x1b[2H\x1b[31m██░░░░\x1b[0m\x1b[K"


def test_times_follow_the_speed_and_the_last_frame_stays_for_two_seconds() -> None:
    assert [time for time, *_ in recorded(speed=4)[1]] == [0, 0.25, 0.5, 2.5]


def test_the_header_names_version_size_and_title() -> None:
    assert recorded()[0] == {
        "version": 2,
        "width": 12,
        "height": 3,
        "title": "A village",
        "env": {"TERM": "xterm-256color"},
    }


def test_marks_can_be_jumped_to() -> None:
    _, events = recorded("", "first fine", "")
    assert [event for event in events if event[1] == "m"] == [[0.25, "m", "first fine"]]


def test_codes_in_the_words_of_agents_have_no_power() -> None:
    shots = [Shot(fit([Text("\x1b[2Jgone\x07")], SIZE), "\x1b]0;title\x07")]
    _, *events = map(json.loads, cast_lines(shots, SIZE, "\x1b[2J", 4))
    terminal = Terminal(SIZE)
    terminal.obey(events[0][2])
    assert terminal.lines[0] == "\ufffd[2Jgone    "  # rich itself drops the bell
    assert events[1][2] == "\\x1b]0;title\\x07"
