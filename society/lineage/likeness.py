"""Which of several texts is most like another one, in its words and their order.

Likeness is the share of words, and of pairs of words that follow each other, that two texts have in
common: 2 |A and B| / (|A| + |B|), each counted as often as it is there (Dice 1945, Ecology 26).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from society.draws import Array


class Wordings:
    """Texts that can be compared with each other; quickly, since there are many pairs of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        self._parts = list(map(_parts, self._numbers))
        self._sizes = np.array([parts.total() for parts in self._parts], float)
        found: dict[object, list[tuple[int, int]]] = {}
        for number, parts in enumerate(self._parts):
            for part, count in parts.items():
                found.setdefault(part, []).append((number, count))
        # By part, in which texts it is and how often: (2, K).
        self._found = {part: np.array(places).T for part, places in found.items()}

    def most_alike(self, text: str, others: Sequence[str]) -> int:
        """The place of the one that is most like a text; of equally alike ones the first.

        >>> texts = ["keep all", "give all but half", "give half", "give all but a tenth"]
        >>> Wordings(texts).most_alike(texts[3], texts[:3])
        1
        """
        likeness = self._likeness(self._numbers[text])
        return int(np.argmax(likeness[[self._numbers[other] for other in others]]))

    def _likeness(self, number: int) -> Array:
        """Of one text to each of them, in [0, 1]."""
        shared = np.zeros(len(self._sizes))
        for part, count in self._parts[number].items():
            places, counts = self._found[part]
            shared[places] += np.minimum(counts, count)
        likeness: Array = 2 * shared / np.maximum(self._sizes + self._sizes[number], 1)
        return likeness


def _parts(text: str) -> Counter[object]:
    words = text.split()
    return Counter([*words, *pairwise(words)])
