"""Genes: of a few alleles everybody has one, from its parent, unless it mutates.

At first the K alleles are dealt out in equal shares, or drawn by chance, all equally likely. To be
dealt out, each of K agents whose ids follow on each other draws one of K lots: so a cohort has
equal shares as well, as far as K divides it, and two genes are independent of each other. A
mutation draws anew from all alleles: with chance mu in a child, so that it has another allele than
its parent with chance mu (K - 1) / K.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from society.agent import Members
from society.draws import Array, Draws, Places

First = Literal["shares", "chance"]


def first_alleles(me: Members, count: int, first: First) -> Array:
    """Which of the alleles everybody has at first, (M,)."""
    return _dealt(me, count) if first == "shares" else me.draws.integers("first", count)


def _dealt(me: Members, count: int) -> Array:
    """As many agents as there are alleles draw one each, (M,)."""
    table, place = me.world.table, me.agent % count
    # All draw where the first of them does, in whatever cohort that one is.
    lots = Places.at(table.replicate_ids[me.replicate] * table.agents + me.agent - place)
    draws = Draws(table.seed, f"{me.occasion.component}\0alleles", lots, use=table.births)
    tickets = np.column_stack([draws.uniform(str(allele)) for allele in range(count)])
    order = np.argsort(tickets, axis=1)
    dealt: Array = order[np.arange(len(me)), place]
    return dealt


def mutated(me: Members, inherited: Array, alleles: Array, chance: float) -> Array:
    """What children have in place of what they inherited, (M,); alleles: (K,)."""
    anew = alleles[me.draws.integers("allele", len(alleles))]
    return np.where(me.draws.uniform("mutation") < chance, anew, inherited)
