"""How hard to fish: the trait, and the threat of a fine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.components.village.harvest import Harvest
from society.components.village.persona import Persona
from society.engine.action_spaces import Real
from society.engine.rng import Array
from society.engine.script import common, own

if TYPE_CHECKING:
    from tests.components.conftest import Answer, Column


def fishing(effort: float, **other: Any) -> tuple[Persona, Harvest]:
    """Return components that give everybody this effort as its trait."""
    return Persona(), Harvest(efforts=((effort, effort),) * 3, **other)


def efforts(
    answer: Answer, trait: float, *, full: float, cap: float, fines: list[float], **other: Any
) -> Array:
    """Efforts under three expected fines."""
    facts = {"full_catch": common(full), "cap": common(cap), "expected_fine": own([fines])}
    found: Array = answer("effort", Real(0, 1), *fishing(trait, **other), facts=facts)[0]
    return found


def test_an_agent_takes_the_cap_instead_when_the_gain_is_not_worth_the_fine(
    answer: Answer,
) -> None:
    """It plans 0.9 x 10 = 9 against a cap of 6: the gain is 3."""
    found = efforts(answer, 0.9, full=10, cap=6, fines=[2.9, 3.0, 9.0])
    assert found == pytest.approx([0.9, 0.6, 0.6])


def test_who_plans_to_comply_is_not_bent(answer: Answer) -> None:
    assert efforts(answer, 0.5, full=10, cap=6, fines=[0, 3, 99]).tolist() == [0.5] * 3


def test_without_an_expected_fine_nobody_is_deterred(answer: Answer) -> None:
    assert efforts(answer, 0.9, full=10, cap=6, fines=[0, 0, 0]).tolist() == [0.9] * 3


def test_the_bare_trait_knows_no_fear(answer: Answer) -> None:
    fearless = efforts(answer, 0.9, full=10, cap=6, fines=[99] * 3, effort_rule="trait")
    assert fearless.tolist() == [0.9] * 3


def test_in_an_empty_lake_there_is_nothing_to_fear(answer: Answer) -> None:
    assert efforts(answer, 0.9, full=0, cap=6, fines=[99] * 3).tolist() == [0.9] * 3


@given(full=st.floats(1e-3, 1e4), share=st.just(0.0) | st.floats(1e-6, 1))
def test_a_deterred_agent_lands_no_more_than_the_cap(
    answer: Answer, full: float, share: float
) -> None:
    """Compared as the village compares: effort times the full catch against the cap."""
    cap = share * full
    landed = full * efforts(answer, 1.0, full=full, cap=cap, fines=[1e9] * 3)
    assert (landed <= cap).all()
    assert landed == pytest.approx(cap)


def test_copied_effort_is_noisy_and_stays_between_0_and_1(column: Column) -> None:
    parents = np.full((1000, 3), 1)
    for trait in (0.0, 0.5, 1.0):
        noisy = column(
            "effort", *fishing(trait, effort_noise=0.1), parents=parents, replicates=1000
        )
        assert 0 <= noisy.min() <= noisy.max() <= 1
        assert len(np.unique(noisy)) > 1000
    middle = column("effort", *fishing(0.5, effort_noise=0.1), parents=parents, replicates=1000)
    assert middle.mean() == pytest.approx(0.5, abs=4 * 0.1 / 3000**0.5)
    assert middle.std() == pytest.approx(0.1, rel=4 / 6000**0.5)


def test_without_noise_a_copy_is_exact(column: Column) -> None:
    parents = np.array([[1, 1, 1]])
    copied = column("effort", Persona(), Harvest(effort_noise=0), parents=parents)
    first = column("effort", Persona(), Harvest(effort_noise=0))
    assert copied.tolist() == [[first[0, 1]] * 3]
