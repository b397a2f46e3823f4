"""Evolutionary stability: whether a population of one type keeps rare mutants out.

With n seats, a resident i meets k mutants j among its n - 1 co-players; T(i; k) is what it scores
then. i resists j if, for the smallest k where T(i; k) and T(j; k) differ, T(i; k) is larger: rare
mutants meet residents first of all, and each other only where this decides nothing.
Sources: Maynard Smith and Price 1973, Nature 246, for n = 2; Broom, Cannings and Vickers 1997,
Bull. Math. Biol. 59, for more.
"""

from __future__ import annotations

import numpy as np

from society.draws import Array

from .shapes import check_tensor

_EQUAL = 1e-9  # scores that differ by less, relative to the largest, are the same


def resists(tensor: Array) -> Array:
    """Whether a population of type i keeps rare mutants of type j out, [i, j]; (K, K) of bool.

    tensor: of `payoff_tensor`, seats averaged. True on the diagonal; False for types that score
    the same whatever they meet, since mutants then drift.

    >>> hawk_dove = np.array([[-1.0, 4.0], [0.0, 2.0]])  # each is invaded by the other
    >>> resists(hawk_dove).tolist()
    [[True, False], [False, True]]
    """
    seats, types = check_tensor(tensor, by_seat=False)
    equal = _EQUAL * np.abs(tensor).max()
    resident, mutant = np.indices((types, types))
    verdict = np.zeros((types, types))
    for mutants in range(seats):
        company = [mutant] * mutants + [resident] * (seats - 1 - mutants)
        ahead = tensor[(resident, *company)] - tensor[(mutant, *company)]
        verdict = np.where(verdict == 0, np.sign(ahead) * (np.abs(ahead) > equal), verdict)
    return np.asarray((verdict > 0) | (resident == mutant))


def evolutionarily_stable(tensor: Array) -> Array:
    """Which types are evolutionarily stable among these: they resist every other; (K,) of bool."""
    return np.asarray(resists(tensor).all(1))
