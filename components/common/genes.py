"""Genes: of a few alleles everybody has one, from its parent, unless it mutates.

At first the K alleles are dealt out in equal shares, or drawn by chance, all equally likely. To be
dealt out, each of K agents whose ids follow on each other draws one of K lots: so a cohort has
equal shares as well, as far as K divides it, and two genes are independent of each other. A
mutation draws anew from all alleles: with chance mu in a child, so that it has another allele than
its parent with chance mu (K - 1) / K.

Which model one thinks with, as a gene: models compete, since children have their parent's.

Source: ours; Vallinder and Hughes 2024, arXiv 2412.10270, section 5, ask what becomes of mixed
populations of models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from society.engine.component import AgentGroup, Column, Component
from society.engine.parameters import Share
from society.engine.rng import Array, DrawPlaces, Draws

First = Literal["shares", "chance"]


def first_alleles(agents: AgentGroup, count: int, first: First) -> Array:
    """Return the allele that each member has at first, as its index, (M,)."""
    return _dealt(agents, count) if first == "shares" else agents.draws.integers("first", count)


def _dealt(agents: AgentGroup, count: int) -> Array:
    """Deal alleles out to groups of as many agents as there are alleles, one each, (M,)."""
    env, place = agents.env, agents.agent % count
    # All draw where the first of them does, in whatever cohort that one is.
    lots = DrawPlaces.at(env.replicate_ids[agents.replicate] * env.agents + agents.agent - place)
    draws = Draws(env.seed, f"{agents.occasion.component}\0alleles", lots, use=env.births)
    tickets = np.column_stack([draws.uniform(str(allele)) for allele in range(count)])
    order = np.argsort(tickets, axis=1)
    dealt: Array = order[np.arange(len(agents)), place]
    return dealt


def mutate(agents: AgentGroup, inherited: Array, alleles: Array, chance: float) -> Array:
    """Return the alleles of children, mutations included, (M,); alleles: (K,)."""
    anew = alleles[agents.draws.integers("allele", len(alleles))]
    return np.where(agents.draws.uniform("mutation") < chance, anew, inherited)


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
    columns = (
        Column("model_gene", object, public=True, heritable=True, text="Model that it asks"),
    )

    @property
    def models(self) -> tuple[str, ...]:
        return self.alleles

    def begin(self, agents: AgentGroup) -> None:
        alleles = np.array(self.alleles, object)
        agents["model_gene"] = alleles[first_alleles(agents, len(alleles), self.first)]

    def born(self, agents: AgentGroup) -> None:
        alleles = np.array(self.alleles, object)
        agents["model_gene"] = mutate(agents, agents["model_gene"], alleles, self.mutation)
