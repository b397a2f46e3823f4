"""People from axes: quasi-random, in sentences, with a report of how they cover the axes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest

from society.errors import InputError
from society.personas.axes import Axis, SequenceName, draw_from_axes, quasi_random_points, read_axes

if TYPE_CHECKING:
    from tests.conftest import Written

AXES = (
    Axis(name="age", low=18, high=81, whole=True),
    Axis(name="trust", levels=("none", "some", "much", "blind"), wording="You have {value} trust."),
    Axis(name="patience", low=0, high=1),
)


@pytest.mark.parametrize("sequence", ["sobol", "halton"])
def test_the_same_seed_gives_the_same_people_and_fewer_are_the_first_of_more(
    sequence: SequenceName,
) -> None:
    twenty = draw_from_axes(AXES, 20, 5, sequence).cells
    assert twenty == draw_from_axes(AXES, 20, 5, sequence).cells
    assert twenty[:9] == draw_from_axes(AXES, 9, 5, sequence).cells
    assert twenty != draw_from_axes(AXES, 20, 6, sequence).cells


def test_sixteen_people_of_a_sobol_sequence_cover_four_levels_evenly() -> None:
    coverage = draw_from_axes(AXES, 16, seed=1).coverage
    assert coverage.counts["trust"] == {"none": 4, "some": 4, "much": 4, "blind": 4}
    assert coverage.counts["patience"] == {
        "0 to 0.25": 4,
        "0.25 to 0.5": 4,
        "0.5 to 0.75": 4,
        "0.75 to 1": 4,
    }
    assert coverage.discrepancy is not None
    assert coverage.discrepancy < coverage.random / 3


def test_the_discrepancy_of_too_many_people_is_not_computed_since_it_compares_all_pairs() -> None:
    axes = (Axis(name="x", low=0, high=1),)
    assert draw_from_axes(axes, 4096, seed=1).coverage.discrepancy is not None
    assert draw_from_axes(axes, 4097, seed=1).coverage.discrepancy is None


def test_the_discrepancy_of_random_points_is_the_one_expected() -> None:
    """300 sets of 16 points; the mean has a standard error of about 2 % of it."""
    from scipy.stats import qmc

    from society.engine.rng import generator

    lots = generator(1, "points")
    found = [qmc.discrepancy(lots.random((16, 3)), method="CD") for _ in range(300)]
    assert np.mean(found) == pytest.approx(draw_from_axes(AXES, 16, 1).coverage.random, rel=0.08)


def test_whole_numbers_lie_between_both_ends() -> None:
    ages = [int(row[0]) for row in draw_from_axes(AXES, 64, seed=2).cells]
    assert sorted(ages) == list(range(18, 82))  # 64 ages, 64 people


def test_a_wording_makes_a_description_of_all_axes() -> None:
    draw = draw_from_axes(AXES, 4, seed=1)
    assert draw.columns == ("age", "trust", "patience", "description")
    age, trust, patience, description = draw.cells[0]
    assert description == f"age: {age}. You have {trust} trust. patience: {patience}."
    bare = draw_from_axes((AXES[0], AXES[2]), 4, seed=1)
    assert bare.columns == ("age", "patience")


def test_points_are_spread_in_the_unit_cube() -> None:
    for sequence in get_args(SequenceName):
        points = quasi_random_points(1, 2, 1, sequence)
        assert points.shape == (1, 2)
        assert ((points >= 0) & (points < 1)).all()


def test_axes_are_read_from_a_file(written: Written) -> None:
    file = written(
        "a.yaml",
        "axes:\n"
        "  - {name: age, low: 18, high: 80, whole: true}\n"
        "  - {name: answer, levels: [yes, no, 3]}\n",
    )
    age, answer = read_axes(Path(file))
    assert (age.bounds, age.whole) == ((18, 80), True)
    assert answer.levels == ("yes", "no", "3")


@pytest.mark.parametrize(
    ("axis", "words"),
    [
        ("{name: t, levels: [one]}", "a.yaml:2:23 axes[0].levels: got the one level 'one'"),
        ("{name: t, levels: [a, a]}", "a level that is empty or stands there twice"),
        ("{name: t, low: 1, high: 1}", "t: got the range from 1 to 1; expected a low below"),
        ("{name: t, low: 1}", "t: got the range from 1 to none"),
        ("{name: t}", "t: give either levels, or low and high"),
        ("{name: t, levels: [a, b], low: 1, high: 2}", "t: give either levels, or low and high"),
        ("{name: t, levels: [a, b], whole: true}", "t: whole is about a range"),
        ("{name: t, low: 0.5, high: 2, whole: true}", "whole numbers are whole, too"),
        ("{name: t, lvels: [a, b]}", "there is no key 'lvels'; did you mean 'levels'?"),
        ("{name: 'a,b', levels: [a, b]}", "got 'a,b'; expected a name of letters"),
        ("{levels: [a, b]}", "name: is missing"),
        ("{name: t, levels: [a, b], wording: You are.}", "expected a sentence with {value} in it"),
        ("{name: description, levels: [a, b]}", "got 'description'; expected a name of letters"),
    ],
)
def test_an_axis_that_is_none_is_refused_with_its_place(
    written: Written, axis: str, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        read_axes(Path(written("a.yaml", f"axes:\n  - {axis}\n")))
    assert words in str(refused.value)
    assert str(refused.value).startswith("a.yaml:2")
    assert "\n" not in str(refused.value)


def test_two_axes_have_two_names(written: Written) -> None:
    axis = "{name: t, levels: [a, b]}"
    with pytest.raises(InputError, match=r"a\.yaml:3:.*two axes are called 't'"):
        read_axes(Path(written("a.yaml", f"axes:\n  - {axis}\n  - {axis}\n")))
    with pytest.raises(InputError, match="begin with axes:"):
        read_axes(Path(written("a.yaml", "[]\n")))
