"""Notes of forks in a manifest.

A fork plays its past again, as it was, and lives on with what the notes say. So its manifest has
the configuration of the last stage, like that of any run, and a note for each fork before it, with
the configuration up to there.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from society.config.run_config import RunConfig


class ForkNote(BaseModel):
    """A fork in the past of a run.

    parent: the file name of the run that was forked, and digest: of its rounds up to there. after:
    the number of the last round that both share; path: its place among nested rounds. spec: the
    configuration before. cohorts: entries of a scenario file with other components for cohorts.
    norm: that was imposed, in words. removed: ids of agents who were taken out. seed: of chance
    from then on; None: the same chance goes on. changes: all that was changed, in words. fresh:
    whether models were asked anew from then on, also what they had answered in the same words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parent: str
    digest: str
    after: int
    path: tuple[int, ...] = ()
    spec: dict[str, Any]
    cohorts: tuple[dict[str, Any], ...] = ()
    norm: str | None = None
    removed: tuple[int, ...] = ()
    seed: int | None = None
    changes: tuple[str, ...] = ()
    fresh: bool = False

    @property
    def config(self) -> RunConfig:
        """The configuration before the fork; its names are not looked up again."""
        return RunConfig.model_validate(self.spec, context={"resolved": True})

    @property
    def words(self) -> str:
        """The fork in words: "lake.run after round 40: fine 10 -> 20"."""
        where = f"after round {self.after}" if self.after else "before round 1"
        if len(self.path) > 1:
            where += f" ({'.'.join(map(str, self.path))})"
        return f"{self.parent} {where}: {self.changes_words}"

    @property
    def changes_words(self) -> str:
        """All that was changed: "fine 10 -> 20; models asked anew", or "nothing changed"."""
        anew = ("models asked anew",) if self.fresh else ()
        return "; ".join((*self.changes, *anew)) or "nothing changed"
