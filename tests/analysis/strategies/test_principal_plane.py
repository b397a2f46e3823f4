"""The plane of principal components is turned so that its axes mean what the paper says."""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.strategies.measured_behaviour import last_cooperators
from society.analysis.strategies.principal_plane import (
    PrincipalPlane,
    deviation_ellipse,
    principal_plane,
    responsiveness,
)
from society.engine.rng import Array


def follows(least: int, *, first: float = 1) -> Array:
    """Cooperates if at least so many opponents cooperated last."""
    last = last_cooperators()
    return np.where(np.isnan(last), first, last >= least).astype(float)


REFERENCES = {
    "A-C": np.ones(961),
    "A-D": np.zeros(961),
    **{f"CC({n})": follows(n) for n in (1, 2, 3)},
    **{f"CD({n})": 1 - follows(n) for n in (1, 2, 3)},
}


@pytest.fixture(scope="module")
def plane() -> PrincipalPlane:
    mixed = {"mild": np.full((1, 961), 0.6), "firm": np.stack([follows(2), np.zeros(961)])}
    return principal_plane(mixed, REFERENCES)


def test_to_the_right_strategies_cooperate_more(plane: PrincipalPlane) -> None:
    across = {name: place[0] for name, place in plane.references.items()}
    assert max(across, key=lambda name: across[name]) == "A-C"
    assert min(across, key=lambda name: across[name]) == "A-D"
    assert plane.meanings.cooperation > 0.99


def test_upwards_strategies_cooperate_where_others_defected(plane: PrincipalPlane) -> None:
    upwards = {name: place[1] for name, place in plane.references.items()}
    assert max(upwards, key=lambda name: upwards[name]) == "CD(2)"
    assert min(upwards, key=lambda name: upwards[name]) == "CC(2)"
    assert plane.meanings.responsiveness < -0.98


def test_shares_of_variance_are_those_of_the_covariance(plane: PrincipalPlane) -> None:
    stacked = np.stack([np.full(961, 0.6), follows(2), np.zeros(961), *REFERENCES.values()])
    values = np.linalg.eigvalsh(np.cov(stacked.T))[::-1]
    assert plane.explained == pytest.approx(values[:2] / values.sum())


def test_places_keep_the_distances_within_the_plane(plane: PrincipalPlane) -> None:
    """A-C and A-D differ in all 961 features, and lie nearly in the plane."""
    apart = np.linalg.norm(plane.references["A-C"] - plane.references["A-D"])
    assert 0.9 * 31 < apart <= 31


def test_responsiveness_is_the_slope_over_cooperators() -> None:
    third = np.nan_to_num(last_cooperators()) / 3
    found = responsiveness(np.stack([third, 1 - third, np.ones(961)]))
    assert found == pytest.approx([1 / 3, -1 / 3, 0])


def test_sets_that_never_vary_have_no_meaning_of_axes() -> None:
    flat = principal_plane({"all": np.ones((3, 961))}, {"A-C": np.ones(961)})
    assert np.isnan(flat.meanings).all()
    assert flat.explained == (0, 0)


def test_an_ellipse_has_the_deviations_of_its_points_as_half_axes() -> None:
    """Points on a cross that is turned by 45 degrees: deviations 2 and 1 along its arms."""
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    cross = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]]) @ turn * np.sqrt(2) + np.array([5, 7])
    found = deviation_ellipse(cross)
    assert found.centre == pytest.approx((5, 7))
    assert (found.long, found.short, found.angle) == pytest.approx((2, 1, 45))


def test_the_ellipse_of_a_single_strategy_is_a_point() -> None:
    assert deviation_ellipse(np.array([[1.0, 2]]))[1:3] == (0, 0)
