"""The meta-game: choosing a type to play for you, given how types fare against each other.

    payoffs     Matchups, mean_payoffs, payoff_tensor, ...          what was observed
                normalised, standard_error                          what tables show
    dynamics    replicator_dynamics, ReplicatorOutcome              which types spread
                resists, evolutionarily_stable                      which types keep others out
    ratings     deviation_ratings, dev_ranks                        ratings that clones cannot bend

K types, n seats, M rows; all arrays run in the order of `Matchups.types`. Seats are averaged, as if
a type were given a seat by lot; with `by_seat` each seat has a population, and ratings, of its own.
"""

from __future__ import annotations

from .dynamics import (
    ReplicatorOutcome,
    evolutionarily_stable,
    replicator_dynamics,
    resistance_matrix,
)
from .payoffs import (
    Matchups,
    lopsided_seatings,
    mean_payoffs,
    metagame_gap,
    normalise_payoffs,
    payoff_tensor,
    standard_error,
)
from .ratings import Rule, dev_ranks, deviation_ratings

__all__ = [
    "Matchups",
    "ReplicatorOutcome",
    "Rule",
    "dev_ranks",
    "deviation_ratings",
    "evolutionarily_stable",
    "lopsided_seatings",
    "mean_payoffs",
    "metagame_gap",
    "normalise_payoffs",
    "payoff_tensor",
    "replicator_dynamics",
    "resistance_matrix",
    "standard_error",
]
