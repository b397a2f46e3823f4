"""The words of findings: numbers with the digits that their error deserves, measures, levels, p.

Sentences give shares in percent, and differences of shares in percentage points; figures and tables
have them as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.means import Mean, mean
from society.analysis.statistics.samples import Interval, NotEstimable, try_compute
from society.analysis.statistics.value_scale import ValueScale
from society.analysis.study.design import is_share, short_unit
from society.engine.rng import Array
from society.experiments.factors import Label, format_label
from society.text import decimals_of_error, shorten

FEWEST = 5  # runs of a condition; with fewer, values are given, and nothing is concluded
_LONGEST_NAME = 60  # characters of a condition or a level in a sentence
_MOST_STEPS = 6  # means in a row
_MOST_DECIMALS = 6
_DIGITS = 3  # of a number without an error
_PERCENT = "%"


class Quantity(NamedTuple):
    """A measure in words, and the scale on which it is averaged.

    unit: behind numbers; of shares "%", so that a value of 0.033 is written "3.3 %".
    """

    label: str
    unit: str = ""
    scale: ValueScale = ValueScale("linear")

    @classmethod
    def of(cls, label: str, unit: str, scale: ValueScale) -> Quantity:
        """Keep of a unit what can stand behind a number: "rounds", and of shares "%"."""
        short = _PERCENT if is_share(unit) else short_unit(unit)
        return cls(shorten(label, _LONGEST_NAME), short, scale)

    @property
    def factor(self) -> float:
        """Return the factor from a value to the number that is written, such as 100 for percent."""
        return 100.0 if self.unit == _PERCENT else 1.0

    @property
    def subject(self) -> str:
        """The label at the beginning of a sentence."""
        return self.label[:1].upper() + self.label[1:]

    def with_unit(self, number: str) -> str:
        return f"{number} {self.unit}".rstrip()

    def difference_above(self, most: float) -> str:
        """Write a difference that no other exceeds, with its unit."""
        number = format_above(most * self.factor)
        return f"{number} percentage points" if self.factor != 1 else self.with_unit(number)

    def value(self, value: float) -> str:
        """Write a value without an error, without its unit."""
        return format_value(value * self.factor)


class Averages(NamedTuple):
    """Means of some samples on the scale of a quantity, and decimals that fit all of them.

    means: as they are written, those of shares in percent.
    """

    means: list[float]
    decimals: int

    @classmethod
    def of(cls, quantity: Quantity, samples: Sequence[Array]) -> Averages:
        """Average the known values of each sample, (R,); NaN without any."""
        scale, factor = quantity.scale, quantity.factor
        known = [scale.transform(values[~np.isnan(values)]) for values in samples]
        means = [
            factor * float(scale.invert(float(one.mean()))) if len(one) else np.nan for one in known
        ]
        reaches = [half_width(estimate_mean(quantity, values)) for values in samples]
        known_reaches = [factor * reach for reach in reaches if reach]
        if known_reaches:
            return cls(means, shared_decimals(known_reaches))
        return cls(means, decimals_of_values(means))

    def words(self, quantity: Quantity) -> str:
        """Write means one after another: "40.1 → 59.3 → 69.0 rounds"."""
        numbers = [format_decimals(one, self.decimals) for one in self.means]
        if len(numbers) > _MOST_STEPS:
            between = len(numbers) - 2
            return f"{quantity.with_unit(f'{numbers[0]} → {numbers[-1]}')} ({between} between)"
        return quantity.with_unit(" → ".join(numbers))

    def number(self, place: int) -> str:
        return format_decimals(self.means[place], self.decimals)


class WordedDifference(NamedTuple):
    """A difference of two means in the unit of a quantity, or a ratio, with its interval."""

    quantity: Quantity
    value: float
    interval: Interval

    @classmethod
    def of(cls, quantity: Quantity, difference: float, interval: Interval) -> WordedDifference:
        """Take a difference on the scale of a quantity back to its unit."""
        invert = quantity.scale.invert
        found, low, high = (float(invert(one)) for one in (difference, *interval[:2]))
        return cls(quantity, found, Interval(low, high, interval.level))

    @property
    def factor(self) -> float:
        return 1.0 if self.quantity.scale.logarithmic else self.quantity.factor

    @property
    def decimals(self) -> int:
        return shared_decimals([self.factor * (self.interval.high - self.interval.low) / 2])

    @property
    def size(self) -> WordedDifference:
        """The same without its sign; a ratio stays as it is."""
        if self.quantity.scale.logarithmic or self.value >= 0:
            return self
        low, high, level = self.interval
        return self._replace(value=-self.value, interval=Interval(-high, -low, level))

    @property
    def number(self) -> str:
        """Write it: "20.0", and of shares "3.3 percentage points"."""
        return f"{format_decimals(self.factor * self.value, self.decimals)}{self.points}"

    @property
    def points(self) -> str:
        """What stands behind it where it is one of shares."""
        return " percentage points" if self.factor != 1 else ""

    @property
    def limits(self) -> str:
        """Write the ends of its interval: "14.8 to 25.2"."""
        return self.joined(" to ")

    def joined(self, words: str) -> str:
        """Write the ends of its interval with words between them."""
        low, high = (
            format_decimals(self.factor * limit, self.decimals) for limit in self.interval[:2]
        )
        return f"{low}{words}{high}"


def estimate_mean(quantity: Quantity, values: Array) -> Mean | NotEstimable:
    """Estimate the mean of a sample, (R,), on the scale of the quantity, and in its unit."""
    scale = quantity.scale
    found: Mean | NotEstimable = try_compute(mean, scale.transform(values[~np.isnan(values)]))
    if isinstance(found, NotEstimable) or not scale.logarithmic:
        return found
    low, high, level = found.interval
    interval = Interval(float(np.exp(low)), float(np.exp(high)), level)
    return Mean(float(np.exp(found.mean)), interval, found.sd, found.se, found.n, found.dropped)


def half_width(found: Mean | NotEstimable) -> float | None:
    """Return half of the length of an interval; None if there is none."""
    if isinstance(found, NotEstimable):
        return None
    return (found.interval.high - found.interval.low) / 2


def shared_decimals(half_widths: Sequence[float]) -> int:
    """Count the decimals for numbers in a row, from halves of their 95 % intervals.

    Such a half is about two standard errors; the median of them counts.
    """
    return min(decimals_of_error(float(np.median(list(half_widths))) / 2), _MOST_DECIMALS)


def decimals_of_values(values: Sequence[float]) -> int:
    """Count decimals for values without an error: three figures, three decimals at most."""
    known = [abs(value) for value in values if np.isfinite(value) and value]
    if all(float(value).is_integer() for value in known):
        return 0
    return int(np.clip(_DIGITS - 1 - np.floor(np.log10(max(known))), 0, 3))


def format_decimals(value: float, decimals: int) -> str:
    """Write a number with these decimals, and never as minus zero."""
    return "none" if np.isnan(value) else f"{round(value, decimals) + 0.0:,.{decimals}f}"


def format_value(value: float) -> str:
    """Write a number without an error: three figures, none of them cut off before the point."""
    return format_decimals(float(value), decimals_of_values([float(value)]))


def format_above(value: float) -> str:
    """Write a number that nothing exceeds, rounded up."""
    decimals = shared_decimals([value / 4])
    return format_decimals(float(np.ceil(value * 10**decimals) / 10**decimals), decimals)


def format_interval(interval: Interval, decimals: int) -> str:
    """Write the limits of an interval: "56.1 to 68.0"."""
    low, high = (format_decimals(limit, decimals) for limit in interval[:2])
    return f"{low} to {high}"


def format_p(p: float) -> str:
    """Write a p value as papers do.

    >>> format_p(0.03213), format_p(0.00001), format_p(1.0)
    ('p = .032', 'p < .001', 'p = 1')
    """
    if p < 0.001:
        return "p < .001"
    return f"p = {f'{p:.3f}'.lstrip('0')}" if p < 0.9995 else "p = 1"


def format_adjusted_p(adjusted: float, alone: float, level: float) -> str:
    """Write an adjusted p, and why it disagrees with the interval of the test alone, if it does.

    >>> format_adjusted_p(0.075, 0.042, 0.05), format_adjusted_p(0.3, 0.2, 0.05)
    ('p = .075 by Holm over all tests', 'p = .300')
    """
    disagrees = alone < level <= adjusted
    return f"{format_p(adjusted)}{' by Holm over all tests' if disagrees else ''}"


def at_level(factor: str, label: Label) -> str:
    """Name a level with its factor: "fine = 2"; that of `condition` has its name alone."""
    name = shorten(format_label(label), _LONGEST_NAME)
    return name if factor == "condition" else f"{shorten(factor, _LONGEST_NAME)} = {name}"


def list_levels(levels: Sequence[Label]) -> str:
    """List levels, those in the middle left out where there are many."""
    names = [shorten(format_label(label), _LONGEST_NAME) for label in levels]
    if len(names) > _MOST_STEPS:
        return f"{names[0]} to {names[-1]}"
    return ", ".join(names)


def join_words(words: Sequence[str]) -> str:
    """Join words: "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def count_runs(samples: Sequence[Array]) -> int:
    """Count the values that there are in all samples."""
    return sum(int((~np.isnan(values)).sum()) for values in samples)


def per_condition(samples: Sequence[Array]) -> str:
    """Count runs by condition: "100 runs each", "18 to 20 runs each"."""
    counts = [count_runs([values]) for values in samples]
    low, high = min(counts), max(counts)
    many = str(low) if low == high else f"{low} to {high}"
    return f"{many} run{'' if high == 1 else 's'} each"


def is_ordered(levels: Sequence[Label]) -> bool:
    """Tell whether levels are three or more numbers, so that they have an order."""
    return len(levels) > 2 and all(
        isinstance(level, int | float) and not isinstance(level, bool) for level in levels
    )
