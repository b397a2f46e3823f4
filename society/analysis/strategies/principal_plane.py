"""Strategies in the plane of their first two principal components, and what its axes mean.

Features of all sets and of the references are stacked and centred, and not standardised: all of
them are shares of cooperation. To the right strategies cooperate more; upwards they cooperate the
less, the more opponents cooperated last. Source: Willis et al. 2026, section 4.2 and figure 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array

from .measured_behaviour import last_cooperators


class Ellipse(NamedTuple):
    """The region within one standard deviation; long, short: half axes; angle: in degrees."""

    centre: tuple[float, float]
    long: float
    short: float
    angle: float


class AxisMeanings(NamedTuple):
    """Correlations over strategies; NaN where nothing varies.

    cooperation: of the first axis with the cooperation rate. responsiveness: of the second one with
    the slope of cooperation over the number of opponents who cooperated last.
    """

    cooperation: float
    responsiveness: float


class PrincipalPlane(NamedTuple):
    """Places of strategies, (S, 2), by set, in the plane of the components.

    explained: shares of the variance. references: places by name.
    """

    explained: tuple[float, float]
    places: Mapping[str, Array]
    references: Mapping[str, Array]
    meanings: AxisMeanings

    def ellipses(self) -> dict[str, Ellipse]:
        """The ellipse of one standard deviation of each set."""
        return {name: deviation_ellipse(places) for name, places in self.places.items()}


def responsiveness(features: Array) -> Array:
    """The slope of each strategy's cooperation over opponents who cooperated last, (S,)."""
    last = last_cooperators()
    later = ~np.isnan(last)
    away = last[later] - last[later].mean()
    slope: Array = features[:, later] @ away / (away @ away)
    return slope


def principal_plane(sets: Mapping[str, Array], references: Mapping[str, Array]) -> PrincipalPlane:
    """Fit the plane to all sets, (S, 961) each, and to references, (961,) each."""
    fixed = np.array(list(references.values()))
    stacked = np.concatenate([*sets.values(), fixed])
    middle = stacked.mean(0)
    _, deviations, directions = np.linalg.svd(stacked - middle, full_matrices=False)
    cooperation, slope = stacked.mean(1), responsiveness(stacked)
    places = (stacked - middle) @ directions[:2].T
    places *= _signs(places, cooperation, -slope)
    meanings = AxisMeanings(
        _correlation(places[:, 0], cooperation), _correlation(places[:, 1], slope)
    )
    variances = deviations**2 / max((deviations**2).sum(), np.finfo(float).tiny)
    ends = np.cumsum([len(one) for one in sets.values()])
    parts = np.split(places, ends)
    return PrincipalPlane(
        explained=(float(variances[0]), float(variances[1])),
        places=dict(zip(sets, parts, strict=False)),
        references=dict(zip(references, parts[-1], strict=True)),
        meanings=meanings,
    )


def _signs(places: Array, *ways: Array) -> list[float]:
    """Choose the direction of each axis, so that it rises with what is given for it."""
    return [
        -1.0 if (place - place.mean()) @ (way - way.mean()) < 0 else 1.0
        for place, way in zip(places.T, ways, strict=True)
    ]


def _correlation(first: Array, second: Array) -> float:
    """Pearson's correlation; NaN where one of them does not vary."""
    if min(np.ptp(first), np.ptp(second)) == 0:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def deviation_ellipse(places: Array) -> Ellipse:
    """The ellipse of one standard deviation around points, (S, 2)."""
    centre = places.mean(0)
    variances, directions = np.linalg.eigh((places - centre).T @ (places - centre) / len(places))
    long, short = np.sqrt(np.maximum(variances[::-1], 0))
    angle = float(np.degrees(np.arctan2(*directions[::-1, -1]))) % 180
    return Ellipse((float(centre[0]), float(centre[1])), float(long), float(short), angle)
