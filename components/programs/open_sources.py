"""The programs of all players of a run, as the programs that they meet read them.

Each component notes the programs of its own members when their lives begin, in the environment,
since a cohort does not see another one's columns. Players of a dilemma keep their co-players: the
first n by id are a match, then the next n.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from society.engine.component import AgentGroup
from society.engine.environment import Environment
from society.sandbox.running.loaded_program import LoadedProgram

from .program_host import ProgramHost

_SHARED = "open sources"  # the name under which an environment holds them


def are_sources_open(env: Environment) -> bool:
    """Tell if the programs of this game may read each other."""
    return bool(getattr(env.params, "open_source", False))


def open_sources(agents: AgentGroup, programs: Sequence[LoadedProgram]) -> None:
    """Let co-players read the programs of these members."""
    env, rows = agents.env, agents.audience.rows
    everybody = env.shared.setdefault(_SHARED, np.full(env.present.shape, None, object))
    for replicate, seat, program in zip(rows.replicate, rows.seat, programs, strict=True):
        everybody[replicate, seat] = program


class CoPlayers:
    """The co-players of some members, and their programs by the numbers of a host."""

    def __init__(self, agents: AgentGroup, host: ProgramHost) -> None:
        self._agents, self._host = agents, host
        self._open = are_sources_open(agents.env)
        if self._open:
            order = np.argsort(agents.env.ids, kind="stable")
            self._matches = order.reshape(-1, agents.rules.players)
            self._match_of = np.argsort(order, kind="stable") // agents.rules.players

    def programs_facing(self, entry: int) -> tuple[int | None, ...] | None:
        """Return the programs of a member's co-players, in order of seat; None if not open.

        In the place of a co-player that is no program stands None.
        """
        if not self._open:
            return None
        env, rows = self._agents.env, self._agents.audience.rows
        replicate, seat = int(rows.replicate[entry]), int(rows.seat[entry])
        others = [one for one in self._matches[self._match_of[seat]].tolist() if one != seat]
        programs = [env.shared[_SHARED][replicate, one] for one in others]
        numbers = iter(self._host.numbers([one for one in programs if one is not None]))
        return tuple(None if one is None else next(numbers) for one in programs)
