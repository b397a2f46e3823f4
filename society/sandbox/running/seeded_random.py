"""Chance for programs: `random` and `np.random` of one program, from a seed of its own.

The functions look like Python's and numpy's and draw from a generator that the runner sets, so that
each program in each seat of each game has its own addressed luck. This file may make generators of
Python and numpy directly, since programs call them by their names.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from society.sandbox.running.frozen import Frozen, freeze
from society.sandbox.running.numpy_charges import charge_arguments
from society.sandbox.running.size_guards import (
    check_bits,
    check_broadcast,
    check_items,
    count_items,
)
from society.sandbox.running.step_budget import budget
from society.sandbox.running.work_charges import hashed, sized
from society.sandbox.source.names import NUMPY_RANDOM, RANDOM

# Where the size stands among the positional arguments of np.random.NAME, by NAME.
_SIZE_AT = {
    **dict.fromkeys(("random", "random_sample", "standard_exponential", "standard_normal"), 0),
    **dict.fromkeys(
        (
            *("chisquare", "choice", "dirichlet", "exponential", "geometric", "pareto", "poisson"),
            *("power", "rayleigh", "standard_gamma", "weibull"),
        ),
        1,
    ),
    **dict.fromkeys(
        (
            *("beta", "binomial", "gamma", "gumbel", "integers", "laplace", "logistic"),
            *("lognormal", "multinomial", "normal", "randint", "uniform", "vonmises"),
        ),
        2,
    ),
    "triangular": 3,
}
Comparison = Callable[[Any, Any], Any]
_BOUNDS = (bool, int, float, np.float64, np.int64)  # they compare with a number as numbers do
# They draw again until a number fits, and none ever fits what is not finite.
_ONLY_FINITE = ("betavariate", "gammavariate", "vonmisesvariate")
_SLOW = frozenset({"choice", "dirichlet", "multinomial", "seed"})
_GENERATOR = 5  # steps that a new generator takes
_NEW = ("integers",)  # what np.random itself has not
_OLD = ("rand", "randint", "randn", "random_sample", "seed")  # what a numpy Generator has not


class Chance:
    """The generators of one program in one seat, all made from one seed, when they are needed."""

    __slots__ = ("_legacy", "_numpy", "_python", "seed")

    def __init__(self, seed: int) -> None:
        self.seed = int(seed)
        self._python: random.Random | None = None
        self._numpy: np.random.Generator | None = None
        self._legacy: np.random.RandomState | None = None

    @property
    def python(self) -> random.Random:
        """The generator of `random`."""
        if self._python is None:
            self._python = random.Random(self.seed)
        return self._python

    @property
    def numpy(self) -> np.random.Generator:
        """A generator of numpy."""
        if self._numpy is None:
            self._numpy = np.random.Generator(np.random.PCG64(self.seed))
        return self._numpy

    @property
    def legacy(self) -> np.random.RandomState:
        """The generator of `np.random`."""
        if self._legacy is None:
            # RandomState(seed) asks the kernel for chance before it is seeded; the jail refuses.
            self._legacy = np.random.RandomState(np.random.MT19937(0))
            self._legacy.seed(self.seed % 2**32)
        return self._legacy

    def toss(self, compare: Comparison, bound: Any) -> Any:
        """Compare a number drawn from [0, 1) with a bound."""
        return compare(self.python.random(), bound)

    def note_use(self) -> None:
        """Note that a program uses its chance; only scripts need to know."""

    def reseed(self, seed: int) -> None:
        """Begin again with a seed."""
        self.seed = int(seed)
        self._python = self._numpy = self._legacy = None

    def draw_seed(self) -> int:
        """Draw a seed for a generator that a program makes without one."""
        return self.python.getrandbits(63)


class ScriptedChance(Chance):
    """Chance whose tosses come out as they are told, for a decision that is tried in all its ways.

    outcomes: those of the first tosses; later ones come out False. bounds: the comparison of each
    toss, and what it compared with. unscripted: something else was drawn, or compared.
    """

    __slots__ = ("bounds", "outcomes", "unscripted")

    def __init__(self, outcomes: Sequence[bool] = ()) -> None:
        super().__init__(0)
        self.outcomes = outcomes
        self.bounds: list[tuple[Comparison, Any]] = []
        self.unscripted = False

    def toss(self, compare: Comparison, bound: Any) -> bool | np.bool_:
        """Return the outcome that the script has for the next toss."""
        turn = len(self.bounds)
        self.bounds.append((compare, bound))
        self.unscripted |= type(bound) not in _BOUNDS
        outcome = turn < len(self.outcomes) and self.outcomes[turn]
        # A comparison with a number of numpy gives numpy's True or False.
        return np.bool_(outcome) if isinstance(bound, np.generic) else outcome

    def note_use(self) -> None:
        """Note that a program uses its chance for more than tosses."""
        self.unscripted = True


class ChanceSlot:
    """Holds the chance of one namespace; the runner may exchange what is `held`."""

    __slots__ = ("held",)

    def __init__(self, chance: Chance) -> None:
        self.held = chance

    @property
    def chance(self) -> Chance:
        """The chance for a program that uses it for more than tosses."""
        self.held.note_use()
        return self.held

    def toss(self, compare: Comparison) -> Callable[[Any], Any]:
        """Make what compares a number drawn from [0, 1) with a bound: `random.random() < bound`."""

        def compared(bound: Any) -> Any:
            return self.held.toss(compare, bound)

        return compared


def python_random(slot: ChanceSlot) -> Frozen:
    """Make the `random` of a namespace."""

    def new_generator(seed: Any = None) -> Frozen:
        """Make a random.Random, from the seed given or from the program's chance."""
        budget.charge(2 * _GENERATOR)
        chance = Chance(slot.chance.draw_seed())
        own = _python_functions(lambda: chance.python)
        own["seed"](seed)
        return freeze("Random", own)

    functions = _python_functions(lambda: slot.chance.python)
    drawn = functions["seed"]

    def seed(value: Any = None) -> None:
        """Seed the program's chance; without a value, as at its beginning."""
        drawn(slot.chance.seed if value is None else value)

    return freeze("random", {**functions, "seed": seed, "Random": new_generator})


def _python_functions(generator: Callable[[], random.Random]) -> dict[str, Callable[..., Any]]:
    """Make the functions of `random` that draw from a generator."""

    def forwarded(name: str) -> Callable[..., Any]:
        def call(*values: Any, **named: Any) -> Any:
            return getattr(generator(), name)(*values, **named)

        return call

    functions = {name: forwarded(name) for name in RANDOM - {"Random"}}
    choices, sample, bits, seed, shuffle = (
        functions[name] for name in ("choices", "sample", "getrandbits", "seed", "shuffle")
    )

    def guarded_choices(
        population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1
    ) -> list[Any]:
        check_items(k)
        budget.charge(max(0, k) // 16)
        for given in (population, weights, cum_weights):
            sized(given)
        return list(choices(population, weights, cum_weights=cum_weights, k=k))

    def guarded_sample(population: Any, k: int, *, counts: Any = None) -> list[Any]:
        check_items(k)
        budget.charge(max(0, k) // 8)
        sized(population)
        hashed(counts)
        return list(
            sample(population, k) if counts is None else sample(population, k, counts=counts)
        )

    def guarded_shuffle(values: Any) -> None:
        budget.charge(len(values) // 8)
        shuffle(values)

    def finite(name: str) -> Callable[..., float]:
        draw = functions[name]

        def call(*values: Any, **named: Any) -> float:
            if not all(map(math.isfinite, (*values, *named.values()))):
                raise ValueError(f"random.{name} needs finite numbers")
            return float(draw(*values, **named))

        return call

    def guarded_bits(k: int) -> int:
        check_bits(k)
        return int(bits(k))

    def guarded_seed(value: Any = None) -> None:
        value = _checked_seed(value)
        if value is not None:
            budget.charge(2 + len(value) // 64 if isinstance(value, str) else 2)
            seed(value)

    return {
        **functions,
        **{name: finite(name) for name in _ONLY_FINITE},
        "shuffle": guarded_shuffle,
        "choices": guarded_choices,
        "sample": guarded_sample,
        "getrandbits": guarded_bits,
        "seed": guarded_seed,
    }


def _checked_seed(value: Any) -> int | float | str | None:
    """Return a seed that is the same everywhere; raises TypeError or ValueError for any other.

    Only numbers and text: a seed of another object would be its hash, which is its address.
    """
    if isinstance(value, np.integer):
        return int(value)
    if value is not None and not isinstance(value, int | float | str):
        raise TypeError(f"a seed is a number or a text, not {type(value).__name__}")
    if value != value:  # the hash of a NaN is its address
        raise ValueError("a seed that is no number")
    return value


def numpy_random(slot: ChanceSlot) -> Frozen:
    """Make the `np.random` of a namespace."""

    def default_rng(seed: Any = None) -> Frozen:
        """Make a numpy Generator, from the seed given or from the program's chance."""
        if isinstance(seed, Frozen):
            return seed
        budget.charge(2 * _GENERATOR)
        start = slot.chance.draw_seed() if seed is None else _seed(seed)
        chance = Chance(start)
        return freeze("Generator", _numpy_functions(lambda: chance.numpy, _OLD))

    def random_state(seed: Any = None) -> Frozen:
        """Make a RandomState, from the seed given or from the program's chance."""
        budget.charge(4 * _GENERATOR)
        chance = Chance(slot.chance.draw_seed() if seed is None else _seed(seed))
        own = _numpy_functions(lambda: chance.legacy, _NEW)
        return freeze("RandomState", {**own, "seed": lambda value: chance.reseed(_seed(value))})

    functions = _numpy_functions(lambda: slot.chance.legacy, _NEW)
    drawn = functions["seed"]

    def seed(value: Any = None) -> None:
        """Seed `np.random`; without a value, as at its beginning."""
        drawn(slot.chance.seed % 2**32 if value is None else _seed(value))

    makers = {"seed": seed, "default_rng": default_rng, "RandomState": random_state}
    return freeze("numpy.random", {**functions, **makers})


def _seed(seed: Any) -> int:
    """Return the seed of a numpy generator as a whole number."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(
            f"a seed of numpy is a whole number of at least 0, not {type(seed).__name__}"
        )
    return int(seed)


def _numpy_functions(
    generator: Callable[[], Any], absent: tuple[str, ...]
) -> dict[str, Callable[..., Any]]:
    """Make the functions of a numpy generator, those that are absent left out."""

    def forwarded(name: str) -> Callable[..., Any]:
        place = _SIZE_AT.get(name)
        steps = 3 if name in _SLOW else 1

        def call(*values: Any, **named: Any) -> Any:
            size: Any = named.get("size")
            if size is None and place is not None and len(values) > place:
                size = values[place]
            if name in ("rand", "randn"):
                size = values
            elif name == "permutation" and isinstance(values[0], int | np.integer):
                check_items(int(values[0]))
                size = values[0]
            if size is not None:
                budget.charge(count_items(size) // 16)
            budget.charge(steps)
            if len(arrays := charge_arguments(*values, **named)) > 1:
                check_broadcast(*arrays)
            return getattr(generator(), name)(*values, **named)

        return call

    makers = {"default_rng", "RandomState"}
    return {name: forwarded(name) for name in NUMPY_RANDOM - makers - set(absent)}
