"""Villages to look at: of puppets that do as they are told, or of the usual villagers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from society.engine.component import AgentGroup, Component, Question
from society.engine.graph import NOBODY
from society.scenarios.village.fishing_village import fishing_village

if TYPE_CHECKING:
    from tests.conftest import Play, Played


class Puppet(Component):
    """Gives to each kind of question what it was told to: a value, or one for each seat."""

    answers: ClassVar[tuple[str, ...]] = (
        "effort", "watch", "punish", "imitate", "propose", "vote",
    )  # fmt: skip

    def __init__(self, said: dict[str, Any]) -> None:
        quiet = {"effort": 0.0, "watch": 0.0, "punish": NOBODY, "imitate": NOBODY, "propose": 99.0}
        self.said = quiet | said

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        said = self.said[ask.kind]
        return np.asarray(said)[agents.audience.rows.seat] if np.ndim(said) else said


Puppets = Callable[..., "Played"]
Village = Callable[..., "Played"]


@pytest.fixture(scope="session")
def village(play: Play) -> Village:
    """`village(agents=10, seed=1, rounds=20, ..., growth=.2, ...)` plays the usual villagers."""

    def lived(
        *parts: Component, agents: int = 10, rounds: int = 20, at: Any = None, **params: Any
    ) -> Played:
        over: Played = play(
            fishing_village, *parts, params=params, agents=agents, rounds=rounds, **at or {}
        )
        return over

    return lived


@pytest.fixture(scope="session")
def puppets(village: Village) -> Puppets:
    """`puppets(agents, effort=[1, .5], ..., capacity=100, ...)` plays puppets who say that."""

    def danced(agents: int, *, rounds: int = 1, at: Any = None, **given: Any) -> Played:
        said = {kind: given.pop(kind) for kind in Puppet.answers if kind in given}
        return village(Puppet(said), agents=agents, rounds=rounds, at=at, **given)

    return danced
