"""The state of agents: columns that components declare, and their values in one cohort."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from society.errors import CastError

from .fact_specs import FactSpec
from .graph import AgentRows
from .observations import read_only
from .rng import Array, DrawPlaces

_MOST_CELLS = 50_000_000  # of a column per peer: 400 MB


@dataclass(frozen=True)
class Column:
    """State that a component keeps for each agent: one value of `dtype` each, zero at first.

    public: kept per round in the run file, for display and for measures.
    heritable: a newborn agent has it from its parent.
    per_peer: one value for each seat, (M, N): for small societies. When a new life begins in a
    seat, what others hold there is still about the old one, until their owner sees to it.
    text, unit, labels: as in FactSpec, for the displays and frames of public columns.
    """

    name: str
    dtype: DTypeLike = float
    public: bool = False
    heritable: bool = False
    per_peer: bool = False
    labels: tuple[str, ...] = ()
    unit: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        if self.public and self.per_peer:
            raise ValueError(f"column {self.name!r} is public and per peer; choose one of the two")

    @property
    def spec(self) -> FactSpec:
        """The words, unit and labels of its values."""
        return FactSpec(self.text, self.unit, self.labels)


class PromptHook(NamedTuple):
    """A hook that gives words for a prompt, from the question and the agent.

    component: the chance_id of the component that has it. shortens: whether the words may be
    shortened.
    """

    component: str
    words: Callable[..., str]
    shortens: bool = False


class CohortState:
    """A cohort in play: which rows it has, and their columns, (M,) each.

    titles: of the components, by their ids, in their order. declared: the columns that each
    component declares, by its id. briefs: what the components add to a prompt. ponders: questions
    that they put to the agent's mind. agents: N.
    """

    def __init__(
        self,
        name: str,
        titles: Mapping[str, str],
        declared: Mapping[str, Sequence[Column]],
        rows: AgentRows,
        places: DrawPlaces,
        *,
        agents: int,
        whole: bool,
        briefs: Sequence[PromptHook] = (),
        ponders: Sequence[PromptHook] = (),
    ) -> None:
        self.name, self.titles, self.briefs, self.ponders = name, titles, briefs, ponders
        self.rows, self.places, self.whole = rows, places, whole
        self.owners = {one.name: part for part, own in declared.items() for one in own}
        self.declared = {one.name: one for own in declared.values() for one in own}
        self.unbegun: set[str] = set()  # columns whose owner has not begun yet
        self.values = {
            name: read_only(np.zeros(self._shape(column, agents), column.dtype))
            for name, column in self.declared.items()
        }

    def _shape(self, column: Column, agents: int) -> tuple[int, ...]:
        """Return (M,), or (M, N) for a column per peer; raises CastError if that is too large."""
        members = len(self.rows.node)
        if not column.per_peer:
            return (members,)
        if members * agents > _MOST_CELLS:
            raise CastError(
                f"column {column.name!r} of {members:,} agents has an entry for each of {agents:,} "
                f"peers, and at most {_MOST_CELLS:,} fit; take fewer agents or replicates"
            )
        return members, agents

    def put(self, name: str, values: Array) -> None:
        """Replace a column."""
        self.values[name] = read_only(values)
