"""Users who let programs play for them: which program each has, and what run files keep of it.

Which gene and program a user has is told by the script, since it depends on what others came to;
users note it, so that displays, lineages and run files have it as a column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from society.engine.component import AgentGroup, Column, Component, News
from society.sandbox.kept_programs import KeptFolder
from society.scenarios.programs.strategy_pool import StrategyPool

ENROLLED = "enrolled"  # the event that tells users their genes and programs


@dataclass(frozen=True, eq=False)
class ProgramUser(Component):
    """A user of a program; children have the gene of their parent, before it mutates."""

    pool: StrategyPool

    chance_id = "program_user"
    notices = (ENROLLED,)
    columns = (
        Column("gene", object, public=True, heritable=True, text="Model and attitude"),
        Column("program", object, public=True, text="Program"),
    )

    @property
    def kept_folders(self) -> Mapping[str, KeptFolder]:
        return self.pool.folders

    def begin(self, agents: AgentGroup) -> None:
        agents["gene"] = agents["program"] = np.full(len(agents), "", object)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        genes = np.array([*map(str, self.pool.genes)], object)
        agents["gene"] = genes[tell.facts["gene"]]
        agents["program"] = np.array(self.pool.names, object)[tell.facts["program"]]
