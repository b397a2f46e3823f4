"""What a program does in each of 961 situations: its behaviour, as a point in [0, 1] ** 961.

It plays a game of four players and five rounds against all multisets of three opponents that follow
fixed histories of four rounds: 16 histories, C(18, 3) = 816 multisets. A context is what it has
seen of them: a multiset of three histories of 0 to 4 rounds, of which there are

    1 + 4 + 20 + 120 + 816 = 961

Its feature is the share of games with this context in which the program cooperates next. Many
multisets begin alike, and all games that come to a context count equally.
Source: Willis et al. 2026.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from society.sandbox.matches.match_batch import MatchBatch
from society.sandbox.stage_games import StageGame

ROUNDS = 5
OPPONENTS = 3
LUCKY_GAMES = 50  # against each multiset, of a program that draws at random
HISTORIES = tuple(product((False, True), repeat=ROUNDS - 1))
MULTISETS = tuple(combinations_with_replacement(range(len(HISTORIES)), OPPONENTS))


def opponents_source() -> str:
    """Write the opponents, a program for each history.

    >>> print(opponents_source().split("class ")[2].strip())
    Follows_DDDC:
        def act(self, history):
            return C if history.round_number in (3,) else D
    """
    return "\n\n".join(map(_opponent, HISTORIES))


def _opponent(history: Sequence[bool]) -> str:
    name = "".join("DC"[move] for move in history)
    rounds = tuple(number for number, move in enumerate(history) if move)
    return (
        f"class Follows_{name}:\n    def act(self, history):\n"
        f"        return C if history.round_number in {rounds} else D\n"
    )


def behaviour_batch(
    game: StageGame, program: int, opponents: int, seeds: NDArray[np.uint64]
) -> MatchBatch:
    """The games that show a program's behaviour, against each multiset as often as there are seeds.

    program: its index; opponents: the index of the first of the opponents' programs; seeds: those
    of the program, (repetitions, 816). Raises ValueError for a game of another size.
    """
    if (game.players, game.rounds) != (OPPONENTS + 1, ROUNDS):
        raise ValueError(f"behaviour is seen in 5 rounds of 4 players; {game} has others")
    repetitions = len(seeds)
    seats = np.empty((len(MULTISETS), OPPONENTS + 1), np.int64)
    seats[:, 0], seats[:, 1:] = program, np.array(MULTISETS) + opponents
    every = np.zeros((repetitions, *seats.shape), np.uint64)
    every[:, :, 0] = seeds
    return MatchBatch(game, np.tile(seats, (repetitions, 1)), every.reshape(-1, OPPONENTS + 1))


def behaviour_features(actions: NDArray[Any]) -> NDArray[np.float64]:
    """The 961 features of the program of a behaviour_batch, from its result, (G, 4, 5)."""
    contexts = np.tile(_contexts(), (len(actions) // len(MULTISETS), 1))
    games = np.bincount(contexts.ravel())
    cooperated = np.bincount(contexts.ravel(), weights=actions[:, 0].ravel().astype(float))
    return cooperated / games


@cache
def _contexts() -> NDArray[np.int64]:
    """The context of each multiset in each round, (816, 5)."""
    numbers: dict[tuple[tuple[bool, ...], ...], int] = {}
    for length in range(ROUNDS):
        prefixes = product((False, True), repeat=length)
        for context in combinations_with_replacement(prefixes, OPPONENTS):
            numbers[context] = len(numbers)
    return np.array(
        [
            [
                numbers[tuple(sorted(HISTORIES[one][:length] for one in multiset))]
                for length in range(ROUNDS)
            ]
            for multiset in MULTISETS
        ]
    )


def behaviour_classes(features: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number programs, (P, 961), such that those of identical behaviour share a number.

    >>> behaviour_classes(np.array([[1.0, 0.5], [0.0, 0.0], [1.0, 0.5]])).tolist()
    [0, 1, 0]
    """
    numbers: dict[bytes, int] = {}
    rows = np.ascontiguousarray(features) + 0.0  # -0.0 is 0.0
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], np.int64)
