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
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from society.errors import PartError

from .array_digests import DigestRule, Rows
from .calls import Usage
from .environment import Environment
from .game_master import GameMaster, Outcome, Runner
from .gateway import ModelGateway, add_usage
from .history import Page, Recorder, Step, chain_digest, page_digest
from .joined_arrays import JoinedArrays, SplitArray
from .rng import Array
from .scenario import estimate_measure

MOST_SLICES = 64
MOST_AHEAD = 50  # rounds, which stay in memory until they are merged

K = TypeVar("K")

_NONE = np.zeros(0, bool)
# Arrays of the whole, by those of the slices; these are kept, so that nothing else has their id.
_Joined = dict[tuple[int, ...], tuple[Sequence[Rows], SplitArray]]


def slice_replicates(count: int) -> list[Array]:
    """Split the numbers of replicates into at most MOST_SLICES slices of about the same size."""
    return np.array_split(np.arange(count), min(count, MOST_SLICES))


class SliceProgress:
    """How far a slice has been played.

    lines: how many lines it has played. ended: after how many of them none of its replicates ran
    any more, None while one runs. over: it has played its last line.
    """

    def __init__(self) -> None:
        self.lines, self.over = -1, False
        self.ended: int | None = None

    def runs_after(self, lines: int) -> bool | None:
        """Tell whether a replicate runs after so many lines; None if that is not known yet."""
        if self.ended is not None and self.ended <= lines:
            return False
        return True if self.over or self.lines >= lines or self.ended is not None else None

    def begin_line(self, env: Environment) -> None:
        """Count a line that is about to be played, and note whether any replicate still runs."""
        self.lines += 1
        if self.ended is None and not env.running.any():
            self.ended = self.lines


def any_runs_after(slices: Iterable[SliceProgress], lines: int) -> bool | None:
    """Tell whether any replicate runs after so many lines; None if that is not known yet."""
    known = {one.runs_after(lines) for one in slices}
    return True if True in known else None if None in known else False


class _Slice(SliceProgress):
    """A slice in play; pages: rounds that wait to be merged; failure: of its next line."""

    def __init__(self, game: GameMaster) -> None:
        super().__init__()
        self.game = game
        self.pages: list[Page] = []
        self.failure: Exception | None = None


class MergingRunner(Runner):
    """Plays the slices of one society, and hands on their rounds, merged.

    env: of the whole, in which nothing is played, and which counts rounds. gateway: of the run.
    """

    def __init__(
        self, env: Environment, gateway: ModelGateway, recorders: Sequence[Recorder] = ()
    ) -> None:
        self.env, self.gateway, self.recorders = env, gateway, recorders
        self.digest = b""

    def hand_on(self, page: Page) -> None:
        """Add a merged round to the digest, and hand it to the recorders."""
        self.digest = chain_digest(self.digest, page.digest)
        self.pages += 1
        self.env.moment = self.pages
        for recorder in self.recorders:
            recorder.page(page)


class SlicedGame(MergingRunner):
    """Plays the slices of one society at the same time, in this process.

    games: of the slices, in the order of their replicates, each with a part of the gateway.
    """

    def __init__(
        self,
        env: Environment,
        gateway: ModelGateway,
        games: Sequence[GameMaster],
        recorders: Sequence[Recorder] = (),
    ) -> None:
        super().__init__(env, gateway, recorders)
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
            raise UnlikeSlices(self.pages)
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
        one.begin_line(one.game.env)
        self._wake()
        await self._until(lambda: self._may_go_on(one))
        others_run = any_runs_after(self._slices, one.lines) is True
        one.game.env.others_run = one.ended is not None and others_run

    def _may_go_on(self, one: _Slice) -> bool:
        if one.lines > self._last_line or one.game.pages >= self.pages + MOST_AHEAD:
            return False
        return one.ended is None or any_runs_after(self._slices, one.lines) is not None

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
            pages = [one.pages.pop(0) for one in self._slices]
            self.hand_on(merge_pages(pages, self.env.digest_rule))
        self._wake()

    def _outcome(self) -> Outcome:
        parts = [one.game.outcome() for one in self._slices]
        return merge_outcomes(parts, self.pages, self.digest, self.gateway.ledger.entries())


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


def merge_outcomes(
    parts: Sequence[Outcome], pages: int, digest: bytes, ledger: tuple[Usage, ...]
) -> Outcome:
    """Merge the results of slices, in the order of their replicates; pages: that were merged."""
    values, censored = (
        {name: np.concatenate([part[name] for part in by_slice]) for name in by_slice[0]}
        for by_slice in ([one.values for one in parts], [one.censored for one in parts])
    )
    measures = {
        name: estimate_measure(
            values[name],
            said.unit,
            int(censored.get(name, _NONE).sum()),
            sum(part.measures[name].earlier for part in parts),
        )
        for name, said in parts[0].measures.items()
    }
    ends = Counter[str]()
    for part in parts:
        ends.update(part.ends)
    rounds = max(pages - 1, 0)
    return Outcome(rounds, digest.hex(), measures, dict(ends), ledger, values, censored)


def merge_pages(pages: Sequence[Page], rule: DigestRule) -> Page:
    """Merge one round of all slices, in the order of their replicates; rule: of its digest.

    Raises UnlikeSlices for slices that have said other lines.
    """
    first = pages[0]
    if any(_lines(page) != _lines(first) for page in pages):
        raise UnlikeSlices(first.number)
    joined: _Joined = {}
    steps = _merge_lines([page.steps for page in pages], joined)
    return Page(
        first.number,
        first.path,
        steps,
        page_digest(first.number, steps, rule),
        _merge_named([page.public for page in pages], joined),
        _merge_named([page.measures for page in pages], joined),
        _join([page.present for page in pages], joined).whole,
        _join([page.running for page in pages], joined).whole,
        add_usage(entry for page in pages for entry in page.ledger),
        tuple(sorted(trouble for page in pages for trouble in page.troubles)),
        _merge_lines([page.asides for page in pages], joined),
    )


class UnlikeSlices(PartError):
    """Slices have said other lines in a round."""

    def __init__(self, number: int) -> None:
        super().__init__(
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
    for key in most.arrays:
        width = _rows(most.arrays, key).shape[1:]
        parts: list[Rows] = [
            _rows(step.arrays, key)
            if key in step.arrays
            else np.zeros((_height(step), *width), bool)
            for step in steps
        ]
        arrays[key] = _join(parts, joined)
    return most._replace(arrays=JoinedArrays(arrays))


def _height(step: Step) -> int:
    """Return how many replicates the arrays of a line have."""
    return len(_rows(step.arrays, next(iter(step.arrays))))


def _rows(arrays: Mapping[K, Array], key: K) -> Rows:
    """Return an array of a slice, whose rows may have stayed where they were computed."""
    if isinstance(arrays, JoinedArrays):
        (part,) = arrays.split(key).parts
        return part
    return arrays[key]


def _merge_named(slices: Sequence[Mapping[str, Array]], joined: _Joined) -> Mapping[str, Array]:
    """Merge arrays of one round that have names, which are the same in all slices."""
    names = slices[0]
    return JoinedArrays(
        {name: _join([_rows(one, name) for one in slices], joined) for name in names}
    )


def _join(parts: Sequence[Rows], joined: _Joined) -> SplitArray:
    key = tuple(map(id, parts))
    if key not in joined:
        joined[key] = parts, SplitArray(parts)
    return joined[key][1]
