"""What a scenario declares so that `society why` can tell what became of a run.

A post-mortem is written by whoever wrote the scenario, since nothing general can be said of why a
society has ended. It reads one replicate from its run file: rounds, parameters, names. It plays
nothing, draws nothing and asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from .history import Page


class RecordedChange(NamedTuple):
    """What a fork has changed in the course of a run.

    after: the last round before it. words: the fork in words. same_agents: whether the agents are
    those of before, with the same components and models, so that parameters, a norm or the number
    of rounds have changed alone.
    """

    after: int
    words: str
    same_agents: bool


class RecordedReplicate(Protocol):
    """One replicate of a run, as its file tells of it."""

    @property
    def params(self) -> Any:
        """The scenario's parameters; after forks that have changed some, the last ones."""
        ...

    def params_in(self, number: int) -> Any:
        """Return the parameters by which a round, numbered from 1, was or would be played."""
        ...

    @property
    def replicate(self) -> int:
        """The row of the arrays, (R, ...), of which something is to be told."""
        ...

    @property
    def horizon(self) -> int:
        """The number of the last round, if nothing ends the run before."""
        ...

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end."""
        ...

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Names of the mechanisms around the scenario, from the inside."""
        ...

    @property
    def interventions(self) -> tuple[RecordedChange, ...]:
        """What forks have changed in the course of the run; fresh chance is no change."""
        ...

    @property
    def asks_models(self) -> bool:
        """Whether agents are asked in words, of a language model or of another mind."""
        ...

    def pages(self) -> Iterator[Page]:
        """Yield the rounds, with their lines and public columns."""
        ...

    def name(self, seat: int) -> str:
        """Return the name of an agent, with its type if there are several."""
        ...


class Statement(NamedTuple):
    """One thing that a post-mortem says.

    name: for programs. words: a sentence or two. numbers: what the words rest on, for JSON. agents:
    seats of those who are named as the cause; empty for all that is only described.
    """

    name: str
    words: str
    numbers: Mapping[str, Any] = {}
    agents: tuple[int, ...] = ()


@dataclass(frozen=True)
class PostMortem:
    """What can be told of a replicate of a scenario.

    tell: the statements, in order; one that says why nothing can be said, where that is so.
    lives: a measure with the fold "first" that is true in the round of the end that is explained;
    where it never comes, a replicate has lived to its horizon.
    """

    tell: Callable[[RecordedReplicate], Iterable[Statement]]
    lives: str = ""
