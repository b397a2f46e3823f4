"""An attitude as a gene: a sentence before every question, which children inherit.

Source: ours, also the sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import numpy as np
from pydantic import Field

from society.components.common.genes import First, first_alleles, mutate
from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry
from society.engine.parameters import Share

Allele = Literal["cooperative", "selfish", "neutral"]
ATTITUDES: tuple[Allele, ...] = get_args(Allele)

_WORDS = {
    "cooperative": "You want everybody here to do well, and are ready to bear a cost for it.",
    "selfish": "You want to do as well as you can yourself, and do not mind how others fare.",
    "neutral": "",
}


@dataclass(frozen=True)
class Attitude(Component):
    """A sentence of attitude, cooperative or selfish, or none; inherited from the parent.

    alleles: those that there are. first: in equal shares, or by chance. mutation: chance that a
    child draws anew. Keeps the column `attitude`, an index into ATTITUDES.
    """

    alleles: Annotated[tuple[Allele, ...], Field(min_length=1)] = ATTITUDES
    first: First = "shares"
    mutation: Share = 0.0

    chance_id = "attitude"
    columns = (
        Column(
            "attitude",
            np.int8,
            public=True,
            heritable=True,
            labels=ATTITUDES,
            text="Attitude that its prompts state",
        ),
    )

    def begin(self, agents: AgentGroup) -> None:
        alleles = np.array([ATTITUDES.index(allele) for allele in self.alleles])
        agents["attitude"] = alleles[first_alleles(agents, len(alleles), self.first)]

    def born(self, agents: AgentGroup) -> None:
        alleles = np.array([ATTITUDES.index(allele) for allele in self.alleles])
        agents["attitude"] = mutate(agents, agents["attitude"], alleles, self.mutation)

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        return _WORDS[ATTITUDES[agent["attitude"]]]
