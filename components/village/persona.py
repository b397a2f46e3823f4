"""The persona of a villager: general, altruist or selfish.

Source: Gupta et al. 2026 (AAMAS), Table 3: the ranges from which a faculty draws its first trait
depend on the persona. Each faculty states its own column of that table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from society.engine.component import AgentGroup, Column, Component
from society.engine.rng import Array

Temper = Literal["general", "altruist", "selfish"]
TEMPERS: tuple[Temper, ...] = ("general", "altruist", "selfish")
Range = tuple[float, float]
Ranges = tuple[Range, Range, Range]  # in the order of TEMPERS


@dataclass(frozen=True)
class Persona(Component):
    """A persona, general, altruist or selfish: it shapes first habits and beliefs.

    Keeps the temper as an index into TEMPERS, in the column `persona`.
    """

    temper: Temper = "general"

    chance_id = "persona"
    at_birth = ("temper",)
    columns = (
        Column(
            "persona",
            np.int8,
            public=True,
            heritable=True,
            labels=TEMPERS,
            text="Temper, on which its first traits depend",
        ),
    )

    def begin(self, agents: AgentGroup) -> None:
        agents["persona"] = TEMPERS.index(self.temper)


def first_trait(agents: AgentGroup, ranges: Ranges) -> Array:
    """A uniform draw from the range of each member's persona; (M,)."""
    low, high = np.array(ranges)[agents["persona"]].T
    return agents.draws.between("first", low, high)
