"""How different the people of a table are, by the embeddings of their texts.

For unit vectors x_1 ... x_P of P texts

    distance           mean of 1 - x_i . x_j over pairs i < j
    nearest            the pair with the largest cosine x_i . x_j
    effective number   exp of the entropy of the eigenvalues of (1/P) X X'; 1 if all texts are one,
                       P if all are at right angles to each other (the Vendi score)

What these numbers mean depends on the embedder and on what the texts are about, so they stand
beside those of two other sets: copies (every second person is the one before), which shows what
half of the people would be; and shuffled (the words of all texts, dealt out anew at the same
lengths), which shows how far texts of these words are apart by chance. People who are closer than
that follow one pattern; people about as far apart share no more than words that all of them use.

Source of the effective number: Friedman and Dieng 2023, "The Vendi score", TMLR.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array, DrawPlaces, Draws
from society.memory.embedders import Embedder, unit
from society.memory.norm_space import similarity

_SHUFFLES = 20
_AT_ONCE = 1024  # rows whose cosines with all others are in memory


class Diversity(NamedTuple):
    """Diversity of texts: mean distance of pairs, cosine of the nearest pair, effective number."""

    distance: float
    nearest: float
    effective: float


class NearPair(NamedTuple):
    """Two people whose texts have a high cosine, as rows."""

    first: int
    second: int
    cosine: float


class PeopleDiversity(NamedTuple):
    """How different people are. size: P. copies, shuffled: the baselines; shuffled is a mean.

    near: pairs with a cosine of at least the threshold, the nearest first; at least the nearest.
    """

    size: int
    embedder: str
    people: Diversity
    copies: Diversity
    shuffled: Diversity
    near: list[NearPair]


def measure_diversity(
    texts: Sequence[str], embedder: Embedder, near: float = 0.95, seed: int = 1
) -> PeopleDiversity:
    """Measure how different at least two texts are; raises ValueError for one without words."""
    vectors = unit(embedder.embed(texts))
    wordless = np.flatnonzero(~vectors.any(1))
    if len(wordless):
        raise ValueError(f"text {wordless[0] + 1} has no words")
    pairs = nearest_pairs(vectors, near)
    copies = vectors[np.arange(len(vectors)) // 2 * 2]
    shuffles = [
        diversity(unit(embedder.embed(shuffle_words(texts, seed, number))))
        for number in range(_SHUFFLES)
    ]
    return PeopleDiversity(
        len(texts),
        embedder.name,
        diversity(vectors),
        diversity(copies),
        Diversity(*np.mean(shuffles, axis=0).tolist()),
        [pair for pair in pairs if pair.cosine >= near] or pairs[:1],
    )


def diversity(vectors: Array) -> Diversity:
    """Diversity of unit vectors, (P, d); costs O(P^2 d) time."""
    nearest = nearest_pairs(vectors, 1.0)[0].cosine
    return Diversity(1 - similarity(vectors), nearest, effective_number(vectors))


def effective_number(vectors: Array) -> float:
    """Effective number of different unit vectors, (P, d), from 1 to min(P, d)."""
    # The smaller of X X' and X' X: both have the same eigenvalues above 0.
    inner = vectors @ vectors.T if len(vectors) <= vectors.shape[1] else vectors.T @ vectors
    shares = np.linalg.eigvalsh(inner / len(vectors)).clip(0)
    shares = shares[shares > 1e-12]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def nearest_pairs(vectors: Array, near: float) -> list[NearPair]:
    """The nearest pair of unit vectors, and all others of at least a cosine; the nearest first."""
    found: list[NearPair] = []
    best = NearPair(0, 1, -np.inf)
    for start in range(0, len(vectors), _AT_ONCE):
        cosines = (vectors[start : start + _AT_ONCE] @ vectors.T).clip(-1, 1)
        later = np.arange(len(vectors)) > np.arange(start, start + len(cosines))[:, None]
        cosines = np.where(later, cosines, -np.inf)
        first, second = np.unravel_index(cosines.argmax(), cosines.shape)
        if cosines[first, second] > best.cosine:
            best = NearPair(int(start + first), int(second), float(cosines[first, second]))
        found += [
            NearPair(int(start + one), int(other), float(cosines[one, other]))
            for one, other in np.argwhere(cosines >= near)
        ]
    # Of equal cosines the first pair comes first; the best may be below the threshold.
    return sorted({best, *found}, key=lambda pair: (-pair.cosine, pair.first, pair.second))


def shuffle_words(texts: Sequence[str], seed: int, number: int) -> list[str]:
    """Deal the words of all texts out anew, at the same lengths; number: of the shuffle."""
    lengths = [len(text.split()) for text in texts]
    words = np.array(" ".join(texts).split(), object)
    lots = Draws(seed, f"personas\0shuffle\0{number}", DrawPlaces(0, len(words))).uniform("word")
    dealt = np.split(words[np.argsort(lots, kind="stable")], np.cumsum(lengths)[:-1])
    return [" ".join(part) for part in dealt]
