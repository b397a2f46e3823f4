"""Which model one thinks with, as a gene: models compete, since children have their parent's.

Source: ours; Vallinder and Hughes 2024, arXiv 2412.10270, section 5, ask what becomes of mixed
populations of models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from society.agent import Column, Component, Members
from society.checks import Share

from .genes import First, first_alleles, mutated


@dataclass(frozen=True)
class ModelGene(Component):
    """The model that a language policy beside it asks, inherited from the parent.

    alleles: names among the run's models. first: in equal shares, or by chance. mutation: chance
    that a child draws anew. Keeps the column `model_gene`, a name.
    """

    alleles: Annotated[tuple[str, ...], Field(min_length=1)]
    first: First = "shares"
    mutation: Share = 0.0

    chance_id = "model_gene"
    columns = (Column("model_gene", object, public=True, heritable=True),)

    @property
    def models(self) -> tuple[str, ...]:
        return self.alleles

    def begin(self, me: Members) -> None:
        alleles = np.array(self.alleles, object)
        me["model_gene"] = alleles[first_alleles(me, len(alleles), self.first)]

    def born(self, me: Members) -> None:
        alleles = np.array(self.alleles, object)
        me["model_gene"] = mutated(me, me["model_gene"], alleles, self.mutation)
