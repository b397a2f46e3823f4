"""Whatever keys are pressed, a frame fills the screen, and the view stays within the history."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from society.terminal.console import TerminalStyle
from society.theatre.draw import draw, draw_beside
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.keys import KEYS, press
from society.theatre.view import View

NAMES = sorted({name for key in KEYS for name in key.names} | set("0129.xr"))
PRESSED = st.lists(st.sampled_from(NAMES), max_size=25)
SIZES = st.builds(Size, st.integers(20, 170), st.integers(8, 50))
FEW = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def after(history: History, view: View, names: list[str]) -> View:
    """Press keys one after another."""
    for name in names:
        view = press(history, view, name, name if len(name) == 1 else None)
        assert 0 <= view.round <= history.last
        assert 0 <= view.replicate < history.manifest.replicates
        assert -1 <= view.agent < history.manifest.agents
    return view


@FEW
@given(names=PRESSED, size=SIZES, encoding=st.sampled_from(["utf-8", "ascii"]))
def test_any_keys_give_a_whole_frame(
    uneven: History, thinkers: History, names: list[str], size: Size, encoding: str
) -> None:
    style = TerminalStyle(encoding, 80)
    for history in (uneven, thinkers):
        frame = draw(history, after(history, View(), names), size, style)
        assert len(frame.lines) == size.height
        assert {cell_len(line.plain) for line in frame.lines} == {size.width}
        frame.plain.encode(encoding)


@FEW
@given(names=PRESSED, size=SIZES)
def test_any_keys_give_a_whole_frame_of_two_runs(
    uneven: History, village: History, names: list[str], size: Size
) -> None:
    view = View(beside=True)
    for name in names:
        front = village if view.second else uneven
        turned = press(front, view, name, name if len(name) == 1 else None)
        if turned.second != view.second:
            turned = turned.on_other_run(village if turned.second else uneven)
        view = turned
    frame = draw_beside(uneven, village, view, size, TerminalStyle("utf-8", 80))
    assert {cell_len(line.plain) for line in frame.lines} == {size.width}
