"""What becomes of a run that is still being written, for those who look at it meanwhile."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Text

from society.runs.runfile import Status
from society.terminal.console import TerminalStyle, flow_items
from society.terminal.labels import count_noun

from .frame import Panel

_AT_ONCE = 3  # lines for what is told in clauses


class LiveClause(NamedTuple):
    """A clause about what the run is doing; wrong: whether something does not go as it should."""

    words: str
    wrong: bool = False


class Doing(NamedTuple):
    """What a run is doing: in clauses, and a line for each call, those that went wrong first."""

    clauses: tuple[LiveClause, ...] = ()
    calls: tuple[LiveClause, ...] = ()


class LiveRun(NamedTuple):
    """A run that is being written, as it stands now.

    last: its last round. doing: nothing where nobody tells.
    """

    status: Status
    last: int
    doing: Doing = Doing()

    def title(self, number: int, style: TerminalStyle) -> str:
        """Say how the run stands, and how many rounds there are after the one that is shown."""
        words = f"{'●' if style.blocks else '*'} live" if self.status == "running" else self.status
        if number < self.last:
            words += f", {count_noun(self.last - number, 'round')} on: End"
        return words


def doing_panel(live: LiveRun | None, width: int, rows: int, style: TerminalStyle) -> Panel:
    """Draw what a run is doing, nothing if it is over; rows: for its calls, one by one."""
    if live is None or live.status != "running" or not live.doing.clauses:
        return []
    items = [_drawn(clause, style) for clause in live.doing.clauses]
    panel = [*flow_items(items, width - 1, gap=style.words(" · "))][:_AT_ONCE]
    shown = live.doing.calls[:rows]
    panel += [Text("  ").append_text(_drawn(clause, style)) for clause in shown]
    return [Text(" ").append_text(line) for line in panel]


def _drawn(clause: LiveClause, style: TerminalStyle) -> Text:
    return style.text(clause.words, "yellow" if clause.wrong else "cyan")
