"""One sitting of a run: played from where it stands to its end, or as far as it goes."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext, suppress
from pathlib import Path
from traceback import walk_tb
from typing import NamedTuple, Self

from society.errors import Exhausted, Paused, SocietyError, blamed
from society.gamemaster import GameMaster
from society.heap import keep_freed
from society.models.budget import Budget
from society.spec import Setup
from society.talk import Recorder
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
    game: GameMaster
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
    ) -> Self:
        """Of a new run; raises InputError. budget: in place of the run's own."""
        used = total(drafted_beside(path, setup.spec))
        game = setup.gamemaster(minds=setup.minds(used, budget))
        return cls(setup, game, Writer(path, manifest_of(setup, game, level), overwrite=overwrite))

    def play(self, *watching: Recorder) -> End:
        """Play from synchronous code; an interrupt ends the sitting, too."""
        keep_freed()
        self.game.recorders = [self.writer, *watching]
        try:
            self.game.play()
        except BaseException as error:  # a component may also leave by sys.exit
            return _ended(error)._replace(error=error)
        return End("finished")

    async def perform(self, *watching: Recorder) -> End:
        """The same among other runs of one event loop; a cancelled one ends as interrupted."""
        keep_freed()
        self.game.recorders = [self.writer, *watching]
        try:
            await self.game.perform()
        except BaseException as error:
            return _ended(error)._replace(error=error)
        return End("finished")

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
