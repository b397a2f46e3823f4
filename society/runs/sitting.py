"""One sitting of a run: played from where it stands to its end, or as far as it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from traceback import walk_tb
from typing import NamedTuple, Self

from society.errors import Exhausted, Paused, SocietyError, blamed
from society.gamemaster import GameMaster
from society.heap import keep_freed
from society.history import Recorder
from society.models.budget import Budget
from society.outside import Outside
from society.spec import Setup
from society.table import Table
from society.wording import clean

from .afterword import concluded
from .drafting import drafted_beside
from .manifest import Level, manifest_of
from .reader import open_run
from .spending import total
from .store import Status
from .writer import Writer


class End(NamedTuple):
    """How a sitting ended: the status to keep, an exit code, and why.

    bug: what a component or script raised, whose author needs to see where. limited: whether a
    limit that the user set has stopped it, and would stop it again. error: what ended it early.
    """

    status: Status
    code: int = 0
    words: str = ""
    bug: BaseException | None = None
    limited: bool = False
    error: BaseException | None = None


class Sitting(NamedTuple):
    """A run that is ready to be played, or to go on."""

    setup: Setup
    table: Table
    outside: Outside
    writer: Writer

    @classmethod
    def begun(
        cls,
        setup: Setup,
        path: Path,
        level: Level | None = None,
        *,
        overwrite: bool = False,
        budget: Budget | None = None,
        awaiting: Callable[[int], None] | None = None,
    ) -> Self:
        """Of a new run; raises InputError. budget: in place of the run's own.

        awaiting: told how many calls are still under way when the run is interrupted.
        """
        minds, table = setup.minds(total(drafted_beside(path, setup.spec)), budget), setup.table()
        writer = Writer(path, manifest_of(setup, level, table), overwrite=overwrite)
        return cls(setup, table, setup.outside(writer.vault, awaiting, minds), writer)

    def play(self, *watching: Recorder) -> End:
        """Play from synchronous code; an interrupt ends the sitting, too."""
        try:
            self._game(watching).play()
        except BaseException as error:  # a component may also leave by sys.exit
            return _ended(error)._replace(error=error)
        return End("finished")

    async def perform(self, *watching: Recorder) -> End:
        """The same among other runs of one event loop; a cancelled one ends as interrupted."""
        try:
            await self._game(watching).perform()
        except BaseException as error:
            return _ended(error)._replace(error=error)
        return End("finished")

    def _game(self, watching: Sequence[Recorder]) -> GameMaster:
        keep_freed()
        return self.setup.gamemaster(
            [self.writer, *watching], table=self.table, outside=self.outside
        )

    def conclude(self) -> None:
        """Keep what the scenario concludes from its run, so that it need not be found again."""
        if self.setup.scenario.afterword is not None:
            with open_run(self.writer.path) as run:
                findings, note = concluded(run, self.setup, self.writer.vault)
            if not note:
                self.writer.conclude(findings)

    def close(self, end: End) -> None:
        """Keep how it ended."""
        # Where the disk is full, its end cannot be written either: why it ended says more.
        with suppress(Paused) if end.code else nullcontext():
            self.writer.close(end.status)


def _ended(error: BaseException) -> End:
    match error:
        case KeyboardInterrupt() | asyncio.CancelledError():
            return End("interrupted", 130, "interrupted")
        case Paused():
            limited = isinstance(error, Exhausted)
            return End("paused", error.exit_code, f"paused: {error}", limited=limited)
        case SocietyError():
            return End("failed", error.exit_code, str(error))
    *_, (frame, _) = walk_tb(error.__traceback__)
    return End("failed", 1, clean(blamed(error, frame.f_code.co_filename)), error)
