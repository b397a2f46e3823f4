"""How long the meta-game of six types and three seats takes: replicator dynamics and ratings.

The baseline is the textbook loop: one term per composition of co-players, type by type. It is not
tuned; both must end in the same population. Programs take turns and the best turn counts, since a
busy machine can only add. The payoffs are those of public goods among types that give with
different chances, plus noise, so that no two types are alike.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np

from society.analysis.metagame import deviation_ratings, replicator_dynamics
from society.engine.rng import Array, generator

TYPES, SEATS, STEPS, TURNS = 6, 3, 1000, 7


def payoffs() -> Array:
    """T[i, j, k], alike in j and k: (K, K, K)."""
    gives = np.linspace(0, 1, TYPES)
    given = gives[:, None, None] + gives[:, None] + gives
    noise = generator(0, "benchmark meta-game").normal(scale=0.05, size=(TYPES,) * SEATS)
    scores: Array = 1 - gives[:, None, None] + given / 2 + noise + noise.swapaxes(1, 2)
    return scores


def by_seat() -> Array:
    """S[p, a]: the same game with a little luck of each seat, (n, K, K, K)."""
    luck = generator(0, "benchmark seats").normal(scale=0.05, size=(SEATS, *(TYPES,) * SEATS))
    return np.stack([np.moveaxis(payoffs(), 0, seat) for seat in range(SEATS)]) + luck


def looped(tensor: Array) -> list[float]:
    """The baseline: replicator dynamics in plain Python; the last shares."""
    scores = tensor.tolist()
    shares = [1 / TYPES] * TYPES
    for _ in range(STEPS):
        fitness = [
            sum(
                scores[i][j][k] * shares[j] * shares[k]
                for j, k in product(range(TYPES), repeat=SEATS - 1)
            )
            for i in range(TYPES)
        ]
        average = sum(share * one for share, one in zip(shares, fitness, strict=True))
        grown = [
            share * math.exp(0.1 * (one - average))
            for share, one in zip(shares, fitness, strict=True)
        ]
        total = sum(grown)
        shares = [one / total for one in grown]
    return shares


def best(jobs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the best of some turns."""
    taken = dict.fromkeys(jobs, math.inf)
    for _ in range(TURNS):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            taken[name] = min(taken[name], time.perf_counter() - start)
    return taken


def main() -> None:
    tensor, seats = payoffs(), by_seat()
    assert np.allclose(replicator_dynamics(tensor).population, looped(tensor), atol=1e-9)
    loop, ours = "plain Python loop", "replicator dynamics, 1,000 steps"
    taken = best(
        {
            ours: partial(replicator_dynamics, tensor),
            loop: partial(looped, tensor),
            "replicator dynamics, a population a seat": partial(
                replicator_dynamics, seats, by_seat=True
            ),
            "strict deviation ratings": partial(deviation_ratings, tensor),
            "tight deviation ratings": partial(deviation_ratings, tensor, rule="tight"),
            "strict deviation ratings by seat": partial(deviation_ratings, seats, by_seat=True),
        }
    )
    for name, seconds in taken.items():
        print(f"{name:42} {seconds * 1e3:8.1f} ms")
    print(f"loop / ours {taken[loop] / taken[ours]:37.1f}")


if __name__ == "__main__":
    main()
