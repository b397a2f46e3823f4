"""The Price equation: what changes the mean of a phenotype from one generation to the next.

    change = Cov(w, z) / w  +  E(w dz) / w  +  entry

z is the phenotype of those who lived before, w how many of those who live now descend from each (an
agent that lives on descends from itself), w without index its mean, and dz how much descendants
differ from those they descend from. A descendant of several elders belongs to each of them by a
share; shares are the rows of an ancestry matrix. The second term is split by who changed: agents
who lived on (their traits are the same, so that this is what others made of them) and newborn ones
(mutation and biased transmission, and what others make of them). The third is there if somebody
descends from nobody: it is the mean with them less the mean without (immigration).
Sources: Price 1970, Nature 227; Frank 1998, Foundations of Social Evolution, chapter 2; the last
term: Kerr and Godfrey-Smith 2009, Evolution 63, in a form for ancestors and immigrants only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.draws import Array


class Change(NamedTuple):
    """The change of a mean, and its parts, which add up to it; NaN where there is nothing to tell.

    selection: Cov(w, z) / w. survivors, newborn: their parts of E(w dz) / w. entry: of those
    without ancestors.
    """

    change: float
    selection: float
    survivors: float
    newborn: float
    entry: float


UNKNOWN = Change(*[np.nan] * 5)


def price(before: Array, after: Array, ancestry: Array, stayed: Array) -> Change:
    """Split the change of the mean from `before`, (N,), to `after`, (M,).

    ancestry: (M, N), by which share each agent of now descends from each of before; rows sum to 1,
    or to 0 for those who descend from nobody. stayed: (M,) of bool, who lived on. Agents without a
    phenotype (NaN) are left out: those of before from the shares of their descendants, which the
    other ancestors take over; who has no known ancestor counts as having entered.

    >>> zeros, ones = np.zeros(2), np.ones(2)
    >>> z, nobody_stays = np.array([0.0, 1.0]), np.array([False, False])
    >>> price(z, ones, np.array([[0, 1], [0, 1]]), nobody_stays).selection
    0.5
    """
    known, told = ~np.isnan(before), ~np.isnan(after)
    old, new, shares = before[known], after[told], ancestry[told][:, known].astype(float)
    total = shares.sum(1)
    descends = total > 0
    if not descends.any():
        return UNKNOWN
    shares = shares[descends] / total[descends, None]
    fitness = shares.sum(0)
    differences = new[descends] - shares @ old
    lived_on = stayed[told][descends]
    count = len(shares)
    return Change(
        change=float(new.mean() - old.mean()),
        selection=float(np.mean((fitness - fitness.mean()) * (old - old.mean())) / fitness.mean()),
        survivors=float(differences[lived_on].sum() / count),
        newborn=float(differences[~lived_on].sum() / count),
        entry=float(new.mean() - new[descends].mean()),
    )
