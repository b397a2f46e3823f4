"""What becomes of a run that is still being written, for those who look at it meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from society.runs.runfile import Status
from society.terminal.console import TerminalStyle, flow_items
from society.terminal.labels import count_noun

from .frame import Panel
from .history import History


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

    file: Path
    status: Status
    last: int
    doing: Doing = Doing()

    def title(self, number: int, style: TerminalStyle) -> str:
        """Say how the run stands, and how many rounds there are after the one that is shown."""
        words = f"{'●' if style.blocks else '*'} live" if self.status == "running" else self.status
        if number < self.last:
            words += f", {count_noun(self.last - number, 'round')} on: End"
        return words


def live_of(history: History, live: LiveRun | None) -> LiveRun | None:
    """Return how the run of a history stands, if it is the one that is followed."""
    return live if live is not None and live.file == history.run.path else None


def doing_panel(live: LiveRun | None, width: int, rows: int, style: TerminalStyle) -> Panel:
    """Draw what a run is doing, in this many lines lest all others jump; none if it is over."""
    if live is None or live.status != "running" or not live.doing.clauses:
        return []
    items = [_drawn(clause, style) for clause in live.doing.clauses]
    panel = [*flow_items(items, width - 1, gap=style.words(" · "))]
    panel += [Text("  ").append_text(_drawn(clause, style)) for clause in live.doing.calls]
    panel += [Text()] * (rows - len(panel))
    return [Text(" ").append_text(line) for line in panel[:rows]]


def _drawn(clause: LiveClause, style: TerminalStyle) -> Text:
    return style.text(clause.words, "yellow" if clause.wrong else "cyan")
