"""People spread over declared axes, such that few of them cover the whole space of traits.

    axes:
      - {name: age, low: 18, high: 80, whole: true}
      - {name: trust, levels: [none, some, much], wording: "You have {value} trust in strangers."}

A person is a point u of the unit cube, one coordinate an axis. A range has low + u (high - low) at
it, or a whole number, all equally wide; the K levels of another axis divide [0, 1) evenly. Points
are quasi-random: a Sobol' or Halton sequence, scrambled by the seed, so that the first ten of
twenty people are the ten that are drawn alone. A Sobol' sequence is balanced best at powers of 2.

How even the points lie is their centred L2 discrepancy, squared; for n independent random points in
d dimensions its expectation is ((5/4)^d - (13/12)^d) / n.
Source: Sobol' 1967; Halton 1960; Owen 1998; Hickernell 1998, Mathematics of Computation 67.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from society.config.yaml_source import Source, read_yaml
from society.engine.parameters import Issue, ValidationIssues, validate
from society.engine.rng import Array, seed_at
from society.errors import short_path
from society.optional import require
from society.text import clean_line, format_number, round_figures

from .people import DESCRIPTION, NUMBER, is_heading

SequenceName = Literal["sobol", "halton"]
_MOST_COMPARED = 4096  # people whose discrepancy is computed, which compares all pairs
_QUARTERS = 4  # parts of a range whose people are counted


class Axis(BaseModel):
    """One trait: some levels, or a range from low to high, of whole numbers if `whole`.

    wording: a sentence with {value}, for the description of a person.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: str
    levels: tuple[str | int | float, ...] = ()
    low: float | None = None
    high: float | None = None
    whole: bool = False
    wording: str = ""

    @field_validator("name")
    @classmethod
    def _heads_a_column(cls, name: str) -> str:
        if not is_heading(name) or name in (DESCRIPTION, NUMBER):
            raise ValueError(
                f"got {name!r:.60}; expected a name of letters, digits, blanks and _ . ( ) % / ' "
                f"-, other than {DESCRIPTION} and {NUMBER}"
            )
        return name

    @field_validator("levels")
    @classmethod
    def _differ(cls, levels: tuple[str | int | float, ...]) -> tuple[str, ...]:
        words = tuple(clean_line(str(one)) for one in levels)
        if len(words) == 1:
            raise ValueError(f"got the one level {words[0]!r}; expected two or more")
        if len(set(words)) < len(words) or not all(words):
            raise ValueError("got a level that is empty or stands there twice; give each one once")
        return words

    @field_validator("wording")
    @classmethod
    def _names_the_value(cls, wording: str) -> str:
        if wording and "{value}" not in wording:
            raise ValueError(f"got {wording!r:.60}; expected a sentence with {{value}} in it")
        return wording

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if bool(self.levels) == (self.low is not None or self.high is not None):
            raise ValueError(f"{self.name}: give either levels, or low and high")
        if self.levels:
            if self.whole:
                raise ValueError(f"{self.name}: whole is about a range; leave it out, or levels")
            return self
        if self.low is None or self.high is None or not self.low < self.high:
            low, high = (
                "none" if end is None else format_number(end) for end in (self.low, self.high)
            )
            raise ValueError(
                f"{self.name}: got the range from {low} to {high}; expected a low below a high"
            )
        if self.whole and (self.low % 1 or self.high % 1):
            raise ValueError(f"{self.name}: low and high of whole numbers are whole, too")
        return self

    def values(self, uniform: Array) -> list[str]:
        """The value at each coordinate in [0, 1), as it stands in a table; (P,)."""
        if self.levels:
            return [str(self.levels[part]) for part in _parts(uniform, len(self.levels))]
        low, high = self.bounds
        if self.whole:
            return [str(int(low) + part) for part in _parts(uniform, int(high - low) + 1)]
        return [format_number(round_figures(one)) for one in low + (high - low) * uniform]

    def counts(self, uniform: Array) -> dict[str, int]:
        """Count the people of each level, or of each quarter of a range."""
        if self.levels:
            names, parts = [str(level) for level in self.levels], _parts(uniform, len(self.levels))
        else:
            names, parts = self._quarters(), _parts(uniform, _QUARTERS)
        found = Counter(parts)
        return {name: found[place] for place, name in enumerate(names)}

    def _quarters(self) -> list[str]:
        low, high = self.bounds
        ends = low + (high - low) * np.arange(_QUARTERS + 1) / _QUARTERS
        words = [format_number(round_figures(end)) for end in ends]
        return [f"{one} to {other}" for one, other in pairwise(words)]

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends of the range; raises ValueError for an axis of levels."""
        if self.low is None or self.high is None:
            raise ValueError(f"{self.name} has levels and no bounds")
        return self.low, self.high


class _Axes(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    axes: Annotated[list[Axis], Field(min_length=1)]


class AxisCoverage(NamedTuple):
    """How people cover the axes. discrepancy: of their points; random: of independent ones.

    Of more than 4,096 people there is no discrepancy.
    counts: people of each level, or of each quarter of a range, by axis.
    """

    discrepancy: float | None
    random: float
    counts: Mapping[str, Mapping[str, int]]


class AxesDraw(NamedTuple):
    """People drawn from axes: a table of them, and how they cover the axes."""

    columns: tuple[str, ...]
    cells: list[tuple[str, ...]]
    coverage: AxisCoverage


def read_axes(file: Path) -> tuple[Axis, ...]:
    """Read the axes of a YAML file; raises FileError, ScenarioError with the place."""
    said, positions = read_yaml(file)
    source = Source(short_path(file), positions)
    if not isinstance(said, dict):
        raise source.refusal([Issue((), f"{source.found}: got no keys; begin with axes:")])
    try:
        axes = tuple(validate(_Axes, said, "key").axes)
    except ValidationIssues as refused:
        raise source.refusal(refused.faults) from None
    names = [axis.name for axis in axes]
    for number, name in enumerate(names):
        if names.index(name) < number:
            words = f"two axes are called {name!r}; rename one"
            raise source.refusal([Issue(("axes", number, "name"), words)])
    return axes


def draw_from_axes(
    axes: tuple[Axis, ...], count: int, seed: int, sequence: SequenceName = "sobol"
) -> AxesDraw:
    """Draw people from axes; if one has a wording, with a description of each person."""
    points = quasi_random_points(count, len(axes), seed, sequence)
    by_axis = [axis.values(column) for axis, column in zip(axes, points.T, strict=True)]
    columns = tuple(axis.name for axis in axes)
    cells = list(zip(*by_axis, strict=True))
    if any(axis.wording for axis in axes):
        columns = (*columns, DESCRIPTION)
        cells = [(*row, _described(axes, row)) for row in cells]
    counts = {axis.name: axis.counts(one) for axis, one in zip(axes, points.T, strict=True)}
    return AxesDraw(columns, cells, AxisCoverage(*_discrepancies(points), counts))


def _described(axes: tuple[Axis, ...], row: tuple[str, ...]) -> str:
    sentences = (
        axis.wording.replace("{value}", value) if axis.wording else f"{axis.name}: {value}."
        for axis, value in zip(axes, row, strict=True)
    )
    return clean_line(" ".join(sentences))


def quasi_random_points(count: int, axes: int, seed: int, sequence: SequenceName) -> Array:
    """Points of a scrambled sequence in the unit cube, (count, axes)."""
    qmc: Any = require("scipy.stats").qmc
    lots = seed_at(seed, ("personas", sequence))
    if sequence == "halton":
        points: Array = qmc.Halton(axes, scramble=True, rng=lots).random(count)
        return points
    # By powers of 2, of which scipy does not warn; a shorter sequence is the beginning of it.
    whole: Array = qmc.Sobol(axes, scramble=True, rng=lots).random_base2((count - 1).bit_length())
    return whole[:count]


def _discrepancies(points: Array) -> tuple[float | None, float]:
    """Return the discrepancy of points, and the one expected of as many independent ones."""
    count, axes = points.shape
    found = None
    if count <= _MOST_COMPARED:
        found = float(require("scipy.stats").qmc.discrepancy(points, method="CD"))
    return found, (math.pow(5 / 4, axes) - math.pow(13 / 12, axes)) / count


def _parts(uniform: Array, count: int) -> list[int]:
    """The part of [0, 1), divided evenly, in which each coordinate lies."""
    parts: list[int] = np.minimum(np.floor(uniform * count), count - 1).astype(int).tolist()
    return parts
