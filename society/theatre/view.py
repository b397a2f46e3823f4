"""What one looks at in a recorded history: a round, an agent, a lane of marks, a screen.

A view never changes: each transition gives another one, so that keys, exports and tests share them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from society.errors import InputError
from society.terminal.labels import Place, find_round

from .history import BORDER, History
from .lanes import lanes
from .live_run import LiveRun

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 20.0)  # rounds a second
NOBODY_CHOSEN = -1
Pane = Literal["agents", "events"]
Request = Literal["", "fork", "parting"]
Typing = Literal["", "jump", "find", "fork"]


@dataclass(frozen=True)
class View:
    """What one looks at.

    screens: those that are open, the top one last; none: the stage. pane: which list the arrows
    move in. agent: the seat that is chosen, -1 for none. event: the place of the chosen event in
    its round. exchange: the place of the chosen exchange among those of the agent in the round.
    changes: show how prompts differ from those before. top: the first line, or the chosen one, of a
    screen that is a list. lane: the one lane of marks that is shown, "" for all. sort: the column
    by which agents are sorted, "" for their seats; reverse: turns that order round. typing: what is
    being typed in, "" for nothing; typed: so far. found: the text that was searched for; origin:
    the round where the search began. change: what a fork from here would change. beside: two runs
    stand side by side; second: keys are about the second one. row, column: what is chosen on a
    screen with rows of its own; arranged: how that is laid out, "" as usual. life: the number of a
    life with which others are compared, -1 for none. asked: what is to be done outside the view.
    note: a line for the one who looks, until the next key. live: how the run stands, if it is
    followed while it is written.
    """

    round: int = 0
    replicate: int = 0
    screens: tuple[str, ...] = ()
    pane: Pane = "agents"
    agent: int = NOBODY_CHOSEN
    event: int = 0
    exchange: int = 0
    changes: bool = False
    top: int = 0
    lane: str = ""
    sort: str = ""
    reverse: bool = False
    playing: bool = False
    speed: float = 4.0
    typing: Typing = ""
    typed: str = ""
    found: str = ""
    origin: int = 0
    change: str = ""
    beside: bool = False
    second: bool = False
    row: int = 0
    column: int = 0
    arranged: str = ""
    life: int = -1
    asked: Request = ""
    note: str = ""
    live: LiveRun | None = None

    @property
    def screen(self) -> str:
        """The screen that is open; "" for the stage."""
        return self.screens[-1] if self.screens else ""

    def open(self, screen: str) -> View:
        """Open a screen above this one; a screen that is open already is not opened again."""
        if self.screen == screen:
            return self
        return replace(self, screens=(*self.screens, screen), top=0, playing=False)

    def back(self) -> View:
        """Close the top screen; on the stage, let go of the agent, the lane and what was found."""
        if self.screens:
            return replace(self, screens=self.screens[:-1], top=0)
        return replace(self, agent=NOBODY_CHOSEN, pane="agents", event=0, lane="", found="")

    def at(self, history: History, number: int) -> View:
        """Go to a round; before the first and after the last there are none."""
        number = min(max(number, 0), history.last)
        return replace(self, round=number, event=0, top=0)

    def scroll(self, by: int) -> View:
        """Scroll a screen by some lines."""
        return replace(self, top=max(self.top + by, 0))

    def step(self, history: History, by: int) -> View:
        """Go some rounds on, or back."""
        return self.at(history, self.round + by)

    def play_on(self, history: History) -> View:
        """Show the next round of a history that plays; stop at its end."""
        on = self.step(history, 1)
        return replace(on, playing=on.round < history.last)

    def toggle_playing(self, history: History) -> View:
        """Play, from the start if this is the end; or pause."""
        if not self.playing and self.round == history.last:
            return replace(self.at(history, 0), playing=True)
        return replace(self, playing=not self.playing)

    def faster(self, by: int) -> View:
        """Play at the next higher speed, or with by=-1 at the next lower one."""
        if by > 0:
            speed = next((one for one in SPEEDS if one > self.speed), SPEEDS[-1])
        else:
            speed = next((one for one in reversed(SPEEDS) if one < self.speed), SPEEDS[0])
        return replace(self, speed=speed)

    def jump(self, history: History, place: Place) -> View:
        """Go to a round by its number or path; a note says if there is none."""
        try:
            return self.at(history, find_round(place, history.paths))
        except InputError as error:
            return replace(self, note=str(error))

    def mark(self, history: History, by: int) -> View:
        """Go to the round of the next mark, or with by=-1 of the one before."""
        found = lanes(history, self.replicate).values()
        here = [lane.rounds for lane in found if self.lane in ("", lane.name)]
        rounds = np.concatenate(here) if here else np.zeros(0, int)
        beyond = rounds[rounds > self.round] if by > 0 else rounds[rounds < self.round]
        if not len(beyond):
            which = f"mark of the lane {self.lane}" if self.lane else "mark"
            return replace(self, note=f"there is no {which} {'after' if by > 0 else 'before'} this")
        return self.at(history, int(beyond.min() if by > 0 else beyond.max()))

    def next_lane(self, history: History, by: int) -> View:
        """Show only the next lane of marks, or the one before; after the last one, all."""
        names = ["", *(name for name in lanes(history, self.replicate) if name != BORDER)]
        here = names.index(self.lane) if self.lane in names else 0
        return replace(self, lane=names[(here + by) % len(names)])

    def other_replicate(self, history: History, by: int) -> View:
        """Look at the next replicate, or at the one before."""
        count = history.manifest.replicates
        if count == 1:
            return replace(self, note="this run has one replicate")
        return self.in_replicate(history, (self.replicate + by) % count)

    def in_replicate(self, history: History, number: int) -> View:
        """Look at a replicate by its number; a note says if there is none."""
        last = history.manifest.replicates - 1
        if number > last:
            return replace(self, note=f"there is no replicate {number}; the last one is {last}")
        lane = self.lane if self.lane in lanes(history, number) else ""
        return replace(self, replicate=number, event=0, lane=lane)

    def ask_for(self, what: Request) -> View:
        """Ask the one who shows this view to do something, and close the screen."""
        return replace(self.back(), asked=what)

    def on_other_run(self, history: History) -> View:
        """Return this view of another run: what that one does not have is let go."""
        manifest = history.manifest
        replicate = min(self.replicate, manifest.replicates - 1)
        lane = self.lane if self.lane in lanes(history, replicate) else ""
        agent = self.agent if self.agent < manifest.agents else NOBODY_CHOSEN
        number = min(self.round, history.last)
        return replace(self, round=number, replicate=replicate, lane=lane, agent=agent)

    def choose(self, agent: int) -> View:
        """Choose an agent by its seat; -1 lets go."""
        return replace(self, agent=agent)

    def sorted_by(self, column: str) -> View:
        """Sort agents by a column; "" is by their seats."""
        return replace(self, sort=column, reverse=False)


def parse_place(text: str) -> Place | None:
    """Read the number of a round, 30, or a path, 3.1.5 or 3.; None for anything else."""
    parts = text.strip().removesuffix(".").split(".")
    if not all(part.isdecimal() and part.isascii() and len(part) < 10 for part in parts):
        return None
    path = tuple(map(int, parts))
    return path if "." in text else path[0]
