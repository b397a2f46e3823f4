"""A recorded history can be looked at anywhere."""

from pathlib import Path

import numpy as np
import pytest

import society
from society.config.build import build
from society.config.run_config import load_config
from society.runs.reader import open_run_file
from society.runs.runfile import Writer, manifest_of
from society.theatre import history as histories
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


def test_until_all_is_gathered_there_is_what_came_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "_AT_ONCE", 1)
    society.run("fishing_village", seed=3, rounds=30, out=tmp_path / "v.run")
    with open_run_file(tmp_path / "v.run") as run:
        history, whole = History(run), History(run).course(0)
        history.gather_behind(0)
        while not history.ready(0):
            course = history.course(0)
            assert {series.shape for series in course.common.values()} <= {(31,)}
        assert history.course(0).marks == whole.marks
        np.testing.assert_array_equal(history.course(0).own["wealth"], whole.own["wealth"])
        history.close()


def test_a_growing_run_is_taken_in_as_its_rounds_are_committed(tmp_path: Path) -> None:
    setup = build(load_config("fishing_village", {"rounds": 5, "seed": 3}))
    seen: list[tuple[int, int]] = []
    with Writer(tmp_path / "v.run", manifest_of(setup)) as writer:
        history: History | None = None

        class Onlooker:
            def page(self, page: object) -> None:
                nonlocal history
                if writer.published and history is None:
                    history = History(open_run_file(tmp_path / "v.run"))
                elif history is not None:
                    assert history.refresh()
                    assert not history.refresh()
                if history is not None:
                    stock = history.course(0).common["stock"]
                    seen.append((history.last, int((~np.isnan(stock)).sum())))

        setup.gamemaster([writer, Onlooker()]).play()
    assert seen == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]
    assert history is not None
    with open_run_file(tmp_path / "v.run") as run:
        assert history.course(0).marks == History(run).course(0).marks
        assert history.paths == run.paths()
    history.run.close()
