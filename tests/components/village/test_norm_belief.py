"""What one ought not to exceed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.components.village.norm_belief import NormBelief
from society.components.village.persona import Persona

if TYPE_CHECKING:
    from tests.components.conftest import Column


def believing(belief: float, noise: float) -> tuple[Persona, NormBelief]:
    return Persona(), NormBelief(belief_noise=noise, beliefs=((belief, belief),) * 3)


def test_a_copied_belief_is_noisy(column: Column) -> None:
    parents = np.full((1000, 3), 1)
    beliefs = column("belief", *believing(6, 0.3), parents=parents, replicates=1000)
    assert beliefs.mean() == pytest.approx(6, abs=4 * 0.3 / 3000**0.5)
    assert beliefs.std() == pytest.approx(0.3, rel=4 / 6000**0.5)


def test_a_belief_never_falls_below_nothing(column: Column) -> None:
    parents = np.full((1000, 3), 1)
    beliefs = column("belief", *believing(0.1, 5), parents=parents, replicates=1000)
    assert beliefs.min() == 0
    assert beliefs.max() > 1
