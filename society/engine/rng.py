"""Chance has an address: a draw depends on where it is used, never on what was drawn before.

A uniform is word number `place` of the stream keyed by (seed, owner, occasion, channel, use):

    place = replicate * seats + id      who draws
    owner                               a chance_id: a component's, an institution's, a script's
    occasion                            the hook and the kind of line: "answer punish"
    channel                             one name per decision: "whom"
    use                                 which line of that kind, and which draw while it is answered

So a batch equals a loop, a cohort may be split, and a new question or component shifts nobody's
luck. A chance_id is no name of a class or function, so that these can be renamed.
Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3" (Philox, numpy's own).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from society.errors import ArgumentError

Array = NDArray[Any]

STRIDE = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, to the next odd number

_WORDS = 4  # Philox4x64 turns one counter into four words


class DrawPlaces(NamedTuple):
    """The places of draws: entry k is at start + offsets[k]; None means all of [start, stop)."""

    start: int
    stop: int
    offsets: Array | None = None

    @classmethod
    def at(cls, places: Array) -> DrawPlaces:
        """Return these places; a gapless ascending range is recognised, since it is cheaper."""
        if places.size < 2:  # nobody, or a single agent who is asked
            start = int(places[0]) if places.size else 0
            return cls(start, start + places.size)
        start, stop = int(places.min()), int(places.max()) + 1
        if stop - start == places.size and bool((places[1:] > places[:-1]).all()):
            return cls(start, stop)
        return cls(start, stop, places - start)

    def single(self, entry: int) -> DrawPlaces:
        """The place of one of the entries."""
        place = self.start + (entry if self.offsets is None else int(self.offsets[entry]))
        return DrawPlaces(place, place + 1)

    def among(self, entries: Array) -> DrawPlaces:
        """The places of some of the entries."""
        return DrawPlaces.at(
            self.start + (entries if self.offsets is None else self.offsets[entries])
        )

    def __len__(self) -> int:
        return self.stop - self.start if self.offsets is None else len(self.offsets)


class _Streams(threading.local):
    """One generator for each thread, which is set to any place of any stream.

    A new one takes five times as long: numpy seeds it from the system before it takes the key.
    """

    def __init__(self) -> None:
        self.bits = np.random.Philox(key=0)
        self.numbers = np.random.Generator(self.bits)
        self._counter = np.zeros(_WORDS, np.uint64)
        self._place = {"counter": self._counter, "key": self._counter}
        self._state: Any = {**self.bits.state, "state": self._place}

    def set(self, key: Array, counter: tuple[int, int, int, int]) -> None:
        """Go to a place."""
        self._counter[:] = counter
        self._place["key"] = key
        self.bits.state = self._state


_streams, _lent = _Streams(), _Streams()


@lru_cache(maxsize=65_536)
def _key(seed: int, address: str) -> Array:
    return np.frombuffer(blake2b(f"{seed}\0{address}".encode(), digest_size=16).digest(), "<u8")


class Draws:
    """Draws for one owner on one occasion, one number per place.

    All draws have one number per place: (M,) of members, (R, N) or (R, 1) in a script, or a
    scalar of a single agent. use: which line of that kind it is.

    >>> draws = Draws(seed=7, address="lottery", places=DrawPlaces(0, 3))
    >>> first = draws.uniform("ticket")
    >>> bool((first == Draws(7, "lottery", DrawPlaces(0, 5)).uniform("ticket")[:3]).all())
    True
    """

    def __init__(
        self,
        seed: int,
        address: str,
        places: DrawPlaces,
        *,
        use: int = 0,
        shape: tuple[int, ...] | None = None,
    ) -> None:
        self._seed = seed
        self._address = address
        self._places = places
        self._use = use
        self._shape = shape
        self._drawn: Counter[str] = Counter()

    def single(self, entry: int) -> Draws:
        """The same draws for one entry alone, as scalars."""
        place = self._places.single(entry)
        return Draws(self._seed, self._address, place, use=self._use, shape=())

    def among(self, entries: Array) -> Draws:
        """The same draws for some of the entries.

        entries: (K,) of integers, or (M,) of bool.
        """
        return Draws(self._seed, self._address, self._places.among(entries), use=self._use)

    def move(self, seed: int, places: DrawPlaces) -> None:
        """Go on at other places, or with another seed: for a society that is forked."""
        self._seed, self._places = seed, places

    def _go_to(self, channel: str) -> tuple[int, int]:
        """Set the stream before the first wanted word: (words to skip, words in all)."""
        start, stop, _ = self._places
        block, skip = divmod(start, _WORDS)
        key = _key(self._seed, f"{self._address}\0{channel}")
        _streams.set(key, (block, self._use, self._drawn[channel], 0))
        self._drawn[channel] += 1
        return skip, skip + stop - start

    def _placed(self, words: Array) -> Array:
        offsets = self._places.offsets
        placed = words if offsets is None else words[offsets]
        return placed if self._shape is None else placed.reshape(self._shape)

    def _check(self, *bounds: Array | float) -> None:
        """Raises ArgumentError for bounds of a single axis among draws that have two."""
        if self._shape and any(np.ndim(bound) == 1 for bound in bounds):
            raise ArgumentError(
                f"bounds of draws of shape {self._shape} have a single axis; write x[:, None] if "
                "each replicate has one of its own, x[None, :] if each agent has one"
            )

    def uniform(self, channel: str) -> Array:
        """Floats in [0, 1).

        One for each place: (M,), (R, N) or (R, 1).
        """
        skip, words = self._go_to(channel)
        return self._placed(_streams.numbers.random(words)[skip:])

    def between(self, channel: str, low: Array | float, high: Array | float) -> Array:
        """Floats in [low, high); the bounds may differ from place to place.

        One for each place: (M,), (R, N) or (R, 1). Raises ArgumentError for bounds of
        another number of axes.
        """
        self._check(low, high)
        scaled: Array = low + (high - np.asarray(low)) * self.uniform(channel)
        return scaled

    def integers(self, channel: str, count: Array | int) -> Array:
        """Whole numbers in [0, count); -1 where count is 0.

        One for each place: (M,), (R, N) or (R, 1). Raises ArgumentError for counts of
        another number of axes.
        """
        self._check(count)
        floored = np.floor(self.uniform(channel) * count).astype(np.int64)
        # u * count can round up to count itself; where count is 0 this gives the -1.
        below: Array = np.minimum(floored, np.asarray(count) - 1)
        return below

    def normal(self, channel: str) -> Array:
        """Standard normals, by Box and Muller (1958) from the two halves of one word.

        One for each place: (M,), (R, N) or (R, 1).
        """
        skip, words = self._go_to(channel)
        word = self._placed(np.asarray(_streams.bits.random_raw(words))[skip:])
        angle: Array = np.asarray(word & np.uint64(0xFFFFFFFF)).astype(float)
        angle *= 2.0**-31 * np.pi
        np.cos(angle, out=angle)
        radius: Array = np.asarray(word >> np.uint64(32)).astype(float)
        radius += 0.5
        radius *= 2.0**-32
        np.log(radius, out=radius)
        radius *= -2.0
        np.sqrt(radius, out=radius)
        radius *= angle
        return radius if radius.ndim else radius[()]


def mix_words(words: Array) -> Array:
    """Words of 64 bits, each stirred so that alike ones come out unlike; of uint64.

    Whoever counts, does so in steps of STRIDE. The finisher of splitmix64: Steele, Lea and Flood
    2014, "Fast splittable pseudorandom number generators", OOPSLA.
    """
    stirred = words.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        stirred = (stirred ^ (stirred >> np.uint64(shift))) * np.uint64(factor)
    out: Array = stirred ^ (stirred >> np.uint64(31))
    return out


def seed_at(seed: int, address: Iterable[object]) -> int:
    """A seed of 31 bits for a generator outside of this program, by seed and address of its use."""
    words = "\0".join(map(str, address))
    said = blake2b(f"{seed}\0{words}".encode(), digest_size=4).digest()
    return int.from_bytes(said, "little") & 0x7FFFFFFF


def generator(seed: int, address: str) -> np.random.Generator:
    """A generator of its own for one purpose, where nobody knows how many words it will take."""
    return np.random.Generator(np.random.Philox(key=_key(seed, address)))


def lend_generator(seed: int, address: str) -> np.random.Generator:
    """Return `generator` for use at once: the next one that is lent in this thread is the same.

    Nothing is made anew, which takes a tenth of the time.
    """
    _lent.set(_key(seed, address), (0, 0, 0, 0))
    return _lent.numbers
