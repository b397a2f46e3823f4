"""Names for rounds, nested rounds, agents, kinds of events, endings and states of a run.

Nested rounds are named by the levels of the scenario's display, such as generation and game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from society.engine.history import Page
from society.engine.scenario import DisplaySpec
from society.engine.script import UNREAD
from society.errors import InputError
from society.runs.agent_names import AgentNames

from .console import TerminalStyle

if TYPE_CHECKING:
    from society.runs.runfile import Manifest


Place = int | tuple[int, ...]  # the number of a round, or its path

_MOST_EXTENTS = 3  # in a sentence
_LONGEST_NAME, _LONGEST_TYPE, _LONGEST_TYPED = 40, 16, 60
_STANDING = {
    "running": "the run is in progress",
    "interrupted": "the run was interrupted",
    "paused": "the run is paused",
}


class RoundLabels:
    """Names the rounds of one run; levels that have but one round are left out."""

    def __init__(self, manifest: Manifest) -> None:
        self.most, self.levels = manifest.most, manifest.stage.levels
        self.sizes = () if manifest.extent is None else manifest.extent.sizes
        # Where a mechanism adds a level without a name, no name would be right.
        self.nested = len(self.sizes) == len(self.levels) > 1
        # What is counted: rounds, or what the only level of rounds is called.
        self.counted = self.levels[0] if len(self.levels) == 1 else "round"

    def title(self, page: Page) -> str:
        """Title a page: Round 3 of 10; Generation 2 · game 1 · round 5; Before the first day."""
        if page.number == 0:
            return f"Before the first {self.levels[0] if self.nested else self.counted}"
        if self.nested:
            words = " · ".join(f"{level} {number}" for level, number, _ in self._parts(page.path))
            return words[0].upper() + words[1:]
        if len(page.path) > 1:
            return f"Round {page.number} ({_dotted(page.path)})"
        return f"{self.counted} {self.among(page.number)}".capitalize()

    def label(self, page: Page) -> str:
        """Return a short label: round 3, day 3, or 2.1.5."""
        return _dotted(page.path) if self.nested else f"{self.counted} {page.number}"

    def reached(self, path: Sequence[int], number: int) -> list[str]:
        """Name each level: generation 2 of 10, game 1 of 2, round 5 of 12; or day 3 of 10."""
        if not self.nested:
            return [f"{self.counted} {self.among(number)}"]
        parts = self._parts(path or (0,))
        return [f"{level} {number} of {size}" for level, number, size in parts]

    def among(self, number: int) -> str:
        """Return "3 of 10"; or "3", where a play has had more rounds than planned."""
        # A mechanism may play one round after another, each for some of the agents.
        return f"{number} of {self.most}" if number <= self.most else str(number)

    def rounds_among(self, number: int) -> str:
        """Return "3 of 10 rounds", "1 of 1 round", or "3 of 10 generations" of a named level."""
        most = self.most if number <= self.most else number
        return f"{self.among(number)} {self.counted}{'' if most == 1 else 's'}"

    def all(self) -> str:
        """Name the planned extent: 10 rounds; 10 generations of 2 games of 12 rounds."""
        if not self.nested:
            return count_noun(self.most, self.counted)
        parts = self._parts(self.sizes)
        return " of ".join(count_noun(size, level) for level, _, size in parts)

    def _parts(self, path: Sequence[int]) -> Iterator[tuple[str, int, int]]:
        """Yield level, number and count of each level, from the outermost."""
        levels = zip(self.levels, path, self.sizes, strict=False)
        for depth, (level, number, size) in enumerate(levels, start=1):
            if size > 1 or depth == len(path):
                yield level, number, size


def describe_extents(manifests: Iterable[Manifest]) -> str:
    """Name the planned extents of runs: "10 generations of 25 rounds", "2 to 100 rounds"."""
    given = [RoundLabels(one) for one in manifests]
    every = dict.fromkeys(one.all() for one in given)
    if len(every) <= _MOST_EXTENTS:
        return " or ".join(every)
    rounds, counted = [one.most for one in given], {one.counted for one in given}
    what = counted.pop() if len(counted) == 1 else "round"
    return f"{min(rounds):,} to {count_noun(max(rounds), what)}"


def find_round(place: Place, paths: Sequence[tuple[int, ...]]) -> int:
    """Return the number of a round in a run; raises InputError if there is no such round.

    paths: of all rounds, by number. A shorter path stands for the first round within it.
    """
    if not paths:
        raise InputError(
            "no round has been recorded yet; look again when the run has begun, or continue one "
            "that was broken off with `society resume`"
        )
    if isinstance(place, int):
        if place < len(paths):
            return place
        last = len(paths) - 1
        raise InputError(f"there is no round {place}; the record goes from round 0 to {last}")
    for number, path in enumerate(paths):
        if path[: len(place)] == place:
            return number
    raise InputError(
        f"there is no round {_dotted(place)}; the record goes to {_dotted(paths[-1]) or 'round 0'}"
    )


def enclosing_rounds(paths: Sequence[tuple[int, ...]], number: int) -> list[int]:
    """Return the numbers of the rounds within which a round is played, from the outermost."""
    path = paths[number]
    within = {path[:depth] for depth in range(1, len(path))}
    return [other for other, one in enumerate(paths[:number]) if one in within]


def _dotted(path: Sequence[int]) -> str:
    return ".".join(map(str, path))


def count_noun(number: int, what: str) -> str:
    """Return a number with its noun: 1 round, 10 rounds."""
    return f"{number} {what}" if number == 1 else f"{number:,} {what}s"


class Names:
    """Names of the agents of a replicate, as prompts have them, in few cells.

    cohorts: the type of the agent on each seat, which prompts do not name. several: whether the run
    has more than one type.
    """

    def __init__(self, manifest: Manifest, ink: TerminalStyle, replicate: int = 0) -> None:
        self._known, self._ink, self._replicate = AgentNames(manifest), ink, replicate
        self.cohorts = [""] * manifest.agents
        types = manifest.types
        types = types[replicate % len(types)]
        self.several = len(manifest.cohorts) > 1
        for number, cohort in enumerate(manifest.cohorts):
            name = ink.cut(cohort.name, _LONGEST_TYPE)
            for seat in np.flatnonzero(types == number).tolist():
                self.cohorts[seat] = name

    def __getitem__(self, seat: SupportsIndex) -> str:
        return self._ink.cut(self._known.name(self._replicate, int(seat)), _LONGEST_NAME)

    def former(self, seat: int) -> str:
        """Return the name of the agent who had a seat until the page that was met last."""
        return self._ink.cut(self._known.former(self._replicate, seat), _LONGEST_NAME)

    def with_type(self, seat: int) -> str:
        """Return the name with the type, if there are several: "agent 2 (tit_for_tat)"."""
        return self._ink.cut(self._known.with_type(self._replicate, int(seat)), _LONGEST_TYPED)

    def meet(self, page: Page) -> None:
        """Learn which lives have the seats from this page on."""
        self._known.meet(page)

    def of_life(self, life: int) -> str:
        """Return the name of a life, where lives have the seats by turns: "agent 2_4"."""
        return self._ink.cut(self._known.of_life(life), _LONGEST_NAME)


def spell_kind(kind: str) -> str:
    """Spell the kind of a line as words: fined_to_death -> fined to death."""
    return kind.replace("_", " ")


def describe_ending(stage: DisplaySpec, kind: str) -> str:
    """Describe how a replicate ended, from a kind of tell or UNREAD."""
    usual = "an answer could not be read" if kind == UNREAD else spell_kind(kind)
    return stage.endings.get(kind, usual)


def describe_status(status: str) -> str:
    """Describe the state of an unfinished run, as a clause."""
    return _STANDING.get(status, f"the run {status}")
