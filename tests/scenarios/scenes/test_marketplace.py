"""A marketplace: needs that are met, and words for one alone."""

from __future__ import annotations

import numpy as np

from society.config.build import build
from society.config.run_config import load_config
from society.engine.history import InMemoryRecorder
from society.scenarios.scenes.needs import share_secret, tell_needs

WHO = np.array([[True, True, False]])


def test_needs_are_met_up_to_what_is_needed() -> None:
    """0 has 3 bread and 1 wine and needs 2 of each; 1 has 2 wine."""
    before = {"bread": np.array([[3.0, 0, 0]]), "wine": np.array([[0.0, 3, 0]])}
    after = {"bread": np.array([[3.0, 0, 0]]), "wine": np.array([[1.0, 2, 0]])}
    facts = tell_needs(before, after, WHO, 2)
    assert facts["met"].values.tolist() == [[3, 2, 0]]
    # 3 bread and 3 wine are there, and 4 of each are needed.
    assert facts["satisfied"].values.tolist() == [[5 / 6]]
    assert facts["traded"].values.tolist() == [[1]]


def test_acts_for_one_alone_are_counted_among_acts() -> None:
    acts = np.array([["I wait.", "Psst.", ""], ["", "", ""]], object)
    share = share_secret(acts, np.array([[-1, 0, -1], [-1, -1, -1]]))
    assert share[0].tolist() == [0.5]
    assert np.isnan(share[1]).all()


def test_gifts_by_chance_meet_some_needs_and_nothing_is_lost() -> None:
    setup = build(load_config("marketplace_chance", {"replicates": 20}))
    recorder = InMemoryRecorder()
    measures = setup.gamemaster([recorder]).play().measures
    assert measures["overruled"].mean == 0
    assert measures["secret"].mean == 0
    start = 1 / 3  # of six needs two are met by what one has made
    satisfied = measures["satisfied"].mean
    assert satisfied is not None
    assert start + 0.1 < satisfied < 0.95
    bread = [s.arrays["own", "bread"] for p in recorder.pages for s in p.steps if s.kind != "act"
             if ("own", "bread") in s.arrays and s.sort == "tell"]  # fmt: skip
    assert {int(total) for values in bread for total in values.sum(1)} == {18}
