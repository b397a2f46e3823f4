"""Who somebody is, and the ranges of Table 3 from which its first traits come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from society.components.village.harvest import Harvest
from society.components.village.norm_belief import NormBelief
from society.components.village.persona import Persona, Temper
from society.components.village.punishment import Punishment
from society.engine.component import Component

if TYPE_CHECKING:
    from tests.components.conftest import Column

MANY = {"agents": 10, "replicates": 400}


@pytest.mark.parametrize(("temper", "index"), [("general", 0), ("altruist", 1), ("selfish", 2)])
def test_a_temper_is_kept_as_its_place_in_the_list(
    column: Column, temper: Temper, index: int
) -> None:
    assert column("persona", Persona(temper)).tolist() == [[index] * 3]


@pytest.mark.parametrize(
    ("name", "faculty", "temper", "low", "high"),
    [
        ("effort", Harvest(), "general", 0, 1),
        ("effort", Harvest(), "altruist", 0.2, 0.5),
        ("effort", Harvest(), "selfish", 0.7, 1),
        ("belief", NormBelief(), "general", 2, 8),
        ("belief", NormBelief(), "altruist", 4, 8),
        ("belief", NormBelief(), "selfish", 10, 14),
        ("monitoring", Punishment(), "general", 0, 1),
        ("monitoring", Punishment(), "altruist", 0, 0.1),
        ("monitoring", Punishment(), "selfish", 0.4, 0.5),
        ("monitoring", Punishment(punishers="text"), "general", 0, 1),
        ("monitoring", Punishment(punishers="text"), "altruist", 0.4, 0.5),
        ("monitoring", Punishment(punishers="text"), "selfish", 0, 0.1),
    ],
    ids=str,
)
def test_first_traits_fill_the_range_of_the_persona(
    column: Column, name: str, faculty: Component, temper: Temper, low: float, high: float
) -> None:
    """Gupta et al. 2026, Table 3; its text has altruists and selfish change places as punishers."""
    traits = column(name, Persona(temper), faculty, **MANY)
    assert low <= traits.min() < low + 0.01 * (high - low)
    assert high - 0.01 * (high - low) < traits.max() <= high
    standard_error = (high - low) / (12 * traits.size) ** 0.5
    assert traits.mean() == pytest.approx((low + high) / 2, abs=4 * standard_error)
