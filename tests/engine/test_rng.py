"""Chance has an address: what is drawn depends on where, never on what was drawn before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.environment import Environment
from society.engine.rng import (
    STRIDE,
    Array,
    DrawPlaces,
    Draws,
    generator,
    lend_generator,
    mix_words,
)
from society.engine.scenario import Params

KINDS = ("uniform", "normal", "integers")
LARGEST = float(np.nextafter(1, 0))  # no uniform in [0, 1) lies above it


def lottery(places: DrawPlaces, *, seed: int = 7, address: str = "lottery", use: int = 0) -> Draws:
    return Draws(seed, address, places, use=use)


def drawn(draws: Draws, kind: str, channel: str = "ticket") -> Any:
    if kind == "integers":
        return draws.integers(channel, 1000).tolist()
    return getattr(draws, kind)(channel).tolist()


def test_an_address_gives_the_numbers_it_always_gave() -> None:
    """Golden: every recorded run depends on them. If they change, no run file can be verified."""
    draws = lottery(DrawPlaces(0, 3), seed=2026)
    assert [number.hex() for number in drawn(draws, "uniform")] == [
        "0x1.9f2157b9e089dp-1",  # 0.81080126...
        "0x1.486fa0383219cp-3",  # 0.16036916...
        "0x1.42d114f680373p-1",  # 0.63050142...
    ]
    assert drawn(lottery(DrawPlaces(0, 3), seed=2026), "integers") == [810, 160, 630]
    normals = drawn(lottery(DrawPlaces(0, 3), seed=2026), "normal")
    assert normals == pytest.approx([0.59998535, 1.89070067, -0.00254219], abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@given(start=st.integers(0, 60), size=st.integers(0, 30))
def test_a_slice_equals_the_whole(kind: str, start: int, size: int) -> None:
    whole = drawn(lottery(DrawPlaces(0, 100)), kind)
    assert drawn(lottery(DrawPlaces(start, start + size)), kind) == whole[start : start + size]


@pytest.mark.parametrize("kind", KINDS)
@given(places=st.lists(st.integers(0, 99), unique=True, max_size=20))
def test_scattered_places_equal_the_whole_in_any_order(kind: str, places: list[int]) -> None:
    whole = drawn(lottery(DrawPlaces(0, 100)), kind)
    scattered = lottery(DrawPlaces.at(np.array(places, int)))
    assert drawn(scattered, kind) == [whole[place] for place in places]


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_any_split_of_the_places_draws_what_the_whole_draws(kind: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, 40), unique=True, min_size=1))
    here = np.array(data.draw(st.lists(st.booleans(), min_size=len(places), max_size=len(places))))
    everybody = DrawPlaces.at(np.array(places))
    whole = np.array(drawn(lottery(everybody), kind))
    assert drawn(lottery(everybody.among(np.flatnonzero(here))), kind) == whole[here].tolist()
    assert drawn(lottery(everybody.among(np.flatnonzero(~here))), kind) == whole[~here].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_one_agent_alone_draws_what_it_draws_among_others(kind: str) -> None:
    for places in (DrawPlaces(5, 9), DrawPlaces.at(np.array([8, 3, 20]))):
        whole = drawn(lottery(places), kind)
        for entry, expected in enumerate(whole):
            assert drawn(lottery(places).single(entry), kind) == expected


def test_a_channel_does_not_feel_what_is_drawn_on_another() -> None:
    quiet, busy = lottery(DrawPlaces(0, 5)), lottery(DrawPlaces(0, 5))
    for _ in range(100):
        busy.uniform("gossip")
        busy.normal("weather")
    assert drawn(quiet, "uniform") == drawn(busy, "uniform")


def test_a_second_draw_on_a_channel_differs_from_the_first() -> None:
    draws = lottery(DrawPlaces(0, 5))
    assert not set(drawn(draws, "uniform")) & set(drawn(draws, "uniform"))


def test_every_part_of_an_address_matters() -> None:
    here = drawn(lottery(DrawPlaces(0, 5)), "uniform")
    elsewhere = [
        drawn(lottery(DrawPlaces(0, 5), seed=8), "uniform"),
        drawn(lottery(DrawPlaces(0, 5), address="market"), "uniform"),
        drawn(lottery(DrawPlaces(0, 5), use=1), "uniform"),
        drawn(lottery(DrawPlaces(0, 5)), "uniform", channel="price"),
        drawn(lottery(DrawPlaces(5, 10)), "uniform"),
    ]
    assert all(not set(here) & set(other) for other in elsewhere)


def test_the_second_draw_of_one_use_is_not_the_first_of_the_next() -> None:
    draws = lottery(DrawPlaces(0, 5))
    drawn(draws, "uniform")
    assert drawn(draws, "uniform") != drawn(lottery(DrawPlaces(0, 5), use=1), "uniform")


def test_the_place_of_an_agent_is_its_replicate_times_the_seats_plus_its_id() -> None:
    table = Environment(
        Params(),
        seed=7,
        ids=np.array([2, 0, 1]),
        replicate_ids=np.array([4, 1]),
        horizon=1,
    )
    assert table.places.tolist() == [14, 12, 13, 5, 3, 4]
    whole = Draws(7, "sky\0agent", DrawPlaces(0, 15)).uniform("weather")
    assert (
        table.draws("sky").uniform("weather").tolist() == whole[[[14, 12, 13], [5, 3, 4]]].tolist()
    )
    once = Draws(7, "sky\0replicate", DrawPlaces(0, 5)).uniform("weather")
    assert table.draws("sky", per="replicate").uniform("weather").tolist() == [[once[4]], [once[1]]]


def test_uniforms_fill_ten_equal_bins_equally() -> None:
    """Chi-square with 9 degrees of freedom: above 33.7 with chance 1e-4."""
    uniform = lottery(DrawPlaces(0, 100_000)).uniform("ticket")
    assert uniform.min() >= 0
    assert uniform.max() < 1
    counts, _ = np.histogram(uniform, bins=10, range=(0, 1))
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 33.7


def test_normals_have_mean_0_and_variance_1_within_four_standard_errors() -> None:
    n = 200_000
    normal = lottery(DrawPlaces(0, n)).normal("height")
    assert normal.mean() == pytest.approx(0, abs=4 / np.sqrt(n))
    assert normal.var() == pytest.approx(1, abs=4 * np.sqrt(2 / n))
    assert (normal**3).mean() == pytest.approx(0, abs=4 * np.sqrt(15 / n))
    assert (normal**4).mean() == pytest.approx(3, abs=4 * np.sqrt(96 / n))


def test_neighbouring_places_and_uses_are_uncorrelated() -> None:
    n = 100_000
    for kind in ("uniform", "normal"):
        here = np.array(drawn(lottery(DrawPlaces(0, n)), kind))
        later = np.array(drawn(lottery(DrawPlaces(0, n), use=1), kind))
        for other in (np.roll(here, 1), np.roll(here, 10), later):
            assert np.corrcoef(here, other)[0, 1] == pytest.approx(0, abs=4 / np.sqrt(n))


@given(count=st.integers(1, 2**40))
def test_integers_never_reach_count_even_for_the_largest_uniform(count: int) -> None:
    class Luckiest(Draws):
        def uniform(self, channel: str) -> Array:
            return np.array([0.0, LARGEST])

    assert Luckiest(7, "lottery", DrawPlaces(0, 2)).integers("ticket", count).tolist() == [
        0,
        count - 1,
    ]


def test_integers_are_minus_one_where_there_is_nothing_to_choose_from() -> None:
    counts = np.array([0, 1, 0, 1])
    assert lottery(DrawPlaces(0, 4)).integers("ticket", counts).tolist() == [-1, 0, -1, 0]


def test_between_takes_bounds_that_differ_from_place_to_place() -> None:
    low, high = np.array([0.0, 10.0, -5.0]), np.array([1.0, 10.0, -4.0])
    draws = lottery(DrawPlaces(0, 3)).between("ticket", low, high)
    assert 0 <= draws[0] < 1
    assert draws[1] == 10
    assert -5 <= draws[2] < -4


def test_nobody_draws_nothing() -> None:
    assert drawn(lottery(DrawPlaces.at(np.array([], int))), "normal") == []


def test_words_are_mixed_as_by_splitmix64() -> None:
    """The first numbers of Vigna's reference generator from seed 1234567."""
    words = np.uint64(1234567) + STRIDE * np.arange(1, 4, dtype=np.uint64)
    assert mix_words(words).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_a_generator_that_is_lent_gives_the_numbers_of_one_of_its_own() -> None:
    own = generator(7, "mood")
    lent = lend_generator(7, "mood")
    assert lent.integers(0, 100, 3).tolist() == own.integers(0, 100, 3).tolist()
    drawn(lottery(DrawPlaces(0, 3)), "uniform")  # draws of the society in between change nothing
    assert lent.random() == own.random()
    assert lend_generator(7, "mood").random() == generator(7, "mood").random()
    assert lend_generator(8, "mood").random() != generator(7, "mood").random()
