"""Genes: of a few alleles everybody has one, from its parent, unless it mutates.

At first the alleles are dealt out in equal shares, in the order of ids, or drawn by chance, all
equally likely. A mutation draws anew from all alleles: with chance mu in a child, so that it has
another allele than its parent with chance mu (K - 1) / K, if there are K.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from society.agent import Members
from society.draws import Array

First = Literal["shares", "chance"]


def first_alleles(me: Members, count: int, first: First) -> Array:
    """Which of the alleles everybody has at first, (M,)."""
    return me.agent % count if first == "shares" else me.draws.integers("first", count)


def mutated(me: Members, inherited: Array, alleles: Array, chance: float) -> Array:
    """What children have in place of what they inherited, (M,); alleles: (K,)."""
    anew = alleles[me.draws.integers("allele", len(alleles))]
    return np.where(me.draws.uniform("mutation") < chance, anew, inherited)
