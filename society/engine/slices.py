"""Slices of replicates, each a game of its own, so that none waits for the answers of another.

A batch of replicates equals a loop over them: scripts, components and measures look at no other
replicate. So each slice has an environment, agents and a game master of its own, and all share the
models, the record, the limits and the token that stops the run. A round is over when all slices
have played it; then it is merged, and handed on as the batch would have done. Slices say the same
lines, so that they need one another in three places only:

ends      rounds go on while any replicate runs, so a slice in which none does waits to hear of one
ahead     no slice has played more than MOST_AHEAD rounds that the last one has not
failures  of a script or a rule: all slices come up to the line at which the first of them failed
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from society.errors import PartError

from .environment import Environment
from .game_master import GameMaster, Outcome, Runner
from .gateway import ModelGateway, add_usage
from .history import Page, Recorder, Step, chain_digest, page_digest
from .rng import Array
from .scenario import estimate_measure

MOST_SLICES = 64
MOST_AHEAD = 50  # rounds, which stay in memory until they are merged

_NONE = np.zeros(0, bool)
# Arrays of the whole, by those of the slices; these are kept, so that nothing else has their id.
_Joined = dict[tuple[int, ...], tuple[Sequence[Array], Array]]


def slice_replicates(count: int) -> list[Array]:
    """Split the numbers of replicates into at most MOST_SLICES slices of about the same size."""
    return np.array_split(np.arange(count), min(count, MOST_SLICES))


class _Slice:
    """A slice in play.

    lines: how many lines it has played. ended: after how many of them none of its replicates ran
    any more, None while one runs. over: it has played its last line. failure: of its next line.
    pages: rounds that wait to be merged.
    """

    def __init__(self, game: GameMaster) -> None:
        self.game = game
        self.lines, self.over = -1, False
        self.ended: int | None = None
        self.failure: Exception | None = None
        self.pages: list[Page] = []

    def look(self) -> None:
        """Note whether any of its replicates still runs."""
        if self.ended is None and not self.game.env.running.any():
            self.ended = self.lines

    def runs_after(self, lines: int) -> bool | None:
        """Tell whether a replicate runs after so many lines; None if that is not known yet."""
        if self.ended is not None and self.ended <= lines:
            return False
        return True if self.over or self.lines >= lines or self.ended is not None else None


class SlicedGame(Runner):
    """Plays the slices of one society at the same time, and merges their rounds.

    env: of the whole, in which nothing is played, and which counts rounds. gateway: of the run.
    games: of the slices, in the order of their replicates, each with a part of the gateway.
    """

    def __init__(
        self,
        env: Environment,
        gateway: ModelGateway,
        games: Sequence[GameMaster],
        recorders: Sequence[Recorder] = (),
    ) -> None:
        self.env, self.gateway, self.recorders = env, gateway, recorders
        self.digest = b""
        self._slices = [_Slice(game) for game in games]
        self._last_line: float = np.inf  # the number of the first one that failed
        self._waiting: list[asyncio.Future[None]] = []

    async def perform(self) -> Outcome:
        if self.pages:
            raise PartError("this game has already been played; make a new one to play again")
        try:
            await self.gateway.together(self._play(one) for one in self._slices)
        finally:
            await self.gateway.close()
        if any(one.pages for one in self._slices):
            raise _unlike(self.pages)
        return self._outcome()

    async def _play(self, one: _Slice) -> None:
        """Play a slice to its end; raises the failure of the first line, if it is its own."""
        game = one.game
        game.recorders = [_Merging(self, one)]
        game.ready = lambda: self._ready(one)
        game.in_parts = True
        try:
            await game.play_lines()
        except Exception as error:
            if self.gateway.token.reason is not None:
                raise
            one.failure, self._last_line = error, min(self._last_line, one.lines)
            self._wake()
            await self._until(lambda: self._explains(one))
            raise
        one.over = True
        self._wake()

    async def _ready(self, one: _Slice) -> None:
        """Returns when a slice may say its next line; raises Paused if the run is stopped."""
        self.gateway.token.check()
        one.lines += 1
        one.look()
        self._wake()
        await self._until(lambda: self._may_go_on(one))
        one.game.env.others_run = one.ended is not None and self._runs_after(one.lines) is True

    def _may_go_on(self, one: _Slice) -> bool:
        if one.lines > self._last_line or one.game.pages >= self.pages + MOST_AHEAD:
            return False
        return one.ended is None or self._runs_after(one.lines) is not None

    def _runs_after(self, lines: int) -> bool | None:
        """Tell whether any replicate runs after so many lines; None if that is not known yet."""
        known = {one.runs_after(lines) for one in self._slices}
        return True if True in known else None if None in known else False

    def _explains(self, failed: _Slice) -> bool:
        """Tell whether all slices have come up to the line that failed, and it is the first."""
        line = self._last_line
        first = next(one for one in self._slices if one.failure and one.lines == line)
        others = (one for one in self._slices if one.failure is None)
        return failed is first and all(one.over or one.lines > line for one in others)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            progress = asyncio.get_running_loop().create_future()
            self._waiting.append(progress)
            await self.gateway.token.wait_for(progress)

    def _wake(self) -> None:
        """Let everybody who waits for another slice look again."""
        waiting, self._waiting = self._waiting, []
        for progress in waiting:
            if not progress.done():
                progress.set_result(None)

    def merge(self) -> None:
        """Hand on the rounds that all slices have played."""
        while all(one.pages for one in self._slices):
            page = merge_pages([one.pages.pop(0) for one in self._slices])
            self.digest = chain_digest(self.digest, page.digest)
            self.pages += 1
            self.env.moment = self.pages
            for recorder in self.recorders:
                recorder.page(page)
        self._wake()

    def _outcome(self) -> Outcome:
        parts = [one.game.outcome() for one in self._slices]
        values, censored = (
            {name: np.concatenate([part[name] for part in by_slice]) for name in by_slice[0]}
            for by_slice in ([one.values for one in parts], [one.censored for one in parts])
        )
        measures = {
            name: estimate_measure(values[name], said.unit, int(censored.get(name, _NONE).sum()))
            for name, said in parts[0].measures.items()
        }
        ends = Counter[str]()
        for part in parts:
            ends.update(part.ends)
        ledger = self.gateway.ledger.entries()
        rounds = max(self.pages - 1, 0)
        return Outcome(rounds, self.digest.hex(), measures, dict(ends), ledger, values, censored)


class _Merging:
    """Receives the rounds of one slice."""

    def __init__(self, whole: SlicedGame, one: _Slice) -> None:
        self._whole, self._one = whole, one

    def page(self, page: Page) -> None:
        self._one.pages.append(page)
        try:
            self._whole.merge()
        except BaseException as error:  # the record cannot go on, whatever other slices do
            self._whole.gateway.token.cancel(error)
            raise


def merge_pages(pages: Sequence[Page]) -> Page:
    """Merge one round of all slices, in the order of their replicates.

    Raises PartError for slices that have said other lines.
    """
    first = pages[0]
    if any(_lines(page) != _lines(first) for page in pages):
        raise _unlike(first.number)
    joined: _Joined = {}  # an array that is told twice stays one array
    steps = _merge_lines([page.steps for page in pages], joined)
    return Page(
        first.number,
        first.path,
        steps,
        page_digest(first.number, steps),
        {name: _join([page.public[name] for page in pages], joined) for name in first.public},
        {name: _join([page.measures[name] for page in pages], joined) for name in first.measures},
        _join([page.present for page in pages], joined),
        _join([page.running for page in pages], joined),
        add_usage(entry for page in pages for entry in page.ledger),
        tuple(sorted(trouble for page in pages for trouble in page.troubles)),
        _merge_lines([page.asides for page in pages], joined),
    )


def _unlike(number: int) -> PartError:
    return PartError(
        f"round {number} has other lines in one replicate than in another; let no line of the "
        "script depend on data: ask nobody by `who` instead"
    )


def _lines(page: Page) -> object:
    said = [(step.sort, step.kind, step.form) for step in (*page.steps, *page.asides)]
    return page.number, page.path, said, len(page.asides), page.measures.keys()


def _merge_lines(slices: Sequence[Sequence[Step]], joined: _Joined) -> tuple[Step, ...]:
    """Merge the lines of one round, which all slices have said in the same order."""
    return tuple(_merge_steps(steps, joined) for steps in zip(*slices, strict=True))


def _merge_steps(steps: Sequence[Step], joined: _Joined) -> Step:
    """Merge one line of all slices; what only some of them have is all False in the others."""
    most = max(steps, key=lambda step: len(step.arrays))
    arrays = {}
    for key, values in most.arrays.items():
        parts = [
            step.arrays[key] if key in step.arrays else np.zeros(_height(step, values), bool)
            for step in steps
        ]
        arrays[key] = _join(parts, joined)
    return most._replace(arrays=arrays)


def _height(step: Step, values: Array) -> tuple[int, ...]:
    """Return the shape of an array, with as many replicates as those of a line have."""
    return len(next(iter(step.arrays.values()))), *values.shape[1:]


def _join(parts: Sequence[Array], joined: _Joined) -> Array:
    key = tuple(map(id, parts))
    if key not in joined:
        whole = np.concatenate(parts)
        whole.flags.writeable = False
        joined[key] = parts, whole
    return joined[key][1]
