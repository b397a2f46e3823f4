"""What children have from their parents, as a history tells it of those who have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.terminal.agent_table import Traits

if TYPE_CHECKING:
    from tests.terminal.conftest import Hand


@pytest.mark.parametrize(
    ("replicate", "told"),
    [(0, [None, None]), (1, [None, "grim"]), (2, ["always", None]), (3, ["always", "grim"])],
)
def test_who_has_a_trait_depends_on_who_sits_where(
    hand: Hand, replicate: int, told: list[str | None]
) -> None:
    """Seats of a tournament: wordy against wordy first, and rule against rule last."""
    column = {"name": "plan", "heritable": True, "labels": ["always", "grim"], "cohorts": ["rule"]}
    manifest = hand.manifest(
        agents=2,
        replicates=4,
        cohorts=[{"name": "wordy", "seats": [0, 1]}, {"name": "rule", "seats": []}],
        columns=[column],
        seating=[[0, 0], [0, 1], [1, 0], [1, 1]],
    )
    traits = Traits(manifest, replicate)
    assert traits.shown("plan", np.array([0, 1])).tolist() == told
