"""A recorded history can be looked at anywhere."""

from pathlib import Path

import numpy as np

import society
from society.runs.reader import open_run_file
from society.theatre.history import ENDED, History


def test_series_and_marks_of_a_village_are_those_of_its_rounds(tmp_path: Path) -> None:
    society.run("fishing_village", seed=3, rounds=6, out=tmp_path / "v.run")
    with open_run_file(tmp_path / "v.run") as run:
        history = History(run)
        assert history.last == 6
        course = history.course(0)
        assert course.common["stock"].shape == (7,)
        assert course.own["wealth"].shape == (7, 10)
        told = history.scene(4).column("wealth")
        assert told is not None
        np.testing.assert_allclose(course.own["wealth"][4], told[0])
        assert ENDED not in {mark.lane for mark in course.marks}
