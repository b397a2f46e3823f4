"""Benchmarks compare what ran in turns, and a check finds what has become slower."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks import ratios
from tests.benchmarks.contests import Contest, all_contests
from tests.benchmarks.ratios import Measured, Ratio, falls, page_of


def played() -> int:
    return 10


def measured(ours: list[float], floor: list[float]) -> Measured:
    contest = Contest("lake", "rounds", played, {"floor": played}, aims={"floor": 0.7})
    return Measured(contest, {"ours": ours, "floor": floor})


def entry(median: float) -> dict[str, object]:
    return {
        "when": "2026-01-01",
        "commit": "abc",
        "load": [0.1, 0.2],
        "machine": {"processor": "slow", "cores": 2},
        "ratios": {"lake": {"floor": [median, median, median]}},
    }


def test_a_ratio_is_the_median_of_repetitions_and_not_that_of_the_best_rates() -> None:
    assert Ratio.of([1, 2, 9], [2, 2, 3]) == (1.0, 0.5, 3.0)


def test_a_fall_of_more_than_a_fifth_is_found() -> None:
    assert falls(entry(1.0), [measured([81, 81, 81], [100, 100, 100])]) == []
    assert falls(entry(1.0), [measured([79, 79, 79], [100, 100, 100])]) == [
        "lake / floor: 0.79 (0.79 to 0.79), and 1.00 (1.00 to 1.00) on 2026-01-01"
    ]
    assert falls(entry(1.0) | {"ratios": {}}, [measured([1], [100])]) == [], "it was not there"


def test_the_last_entry_of_this_machine_is_compared_or_else_the_last_one() -> None:
    ours, other = {"machine": {"processor": "ours"}}, {"machine": {"processor": "other"}}
    compared = ratios.entry_to_compare
    assert compared([ours, other], {"processor": "ours"}) is ours
    assert compared([ours, other], {"processor": "third"}) is other
    assert compared([], {"processor": "third"}) is None


def test_the_page_has_rates_ratios_and_aims_that_were_missed() -> None:
    page = page_of([measured([60, 50, 70], [100, 100, 100])], entry(1.0))
    assert "Machine: processor slow, cores 2; load before and after 0.1 and 0.2" in page
    assert "| **lake** (rounds) | ours | 60 | | |" in page
    assert "| | floor | 100 | 0.60 (0.50 to 0.70) | 0.7: missed |" in page


@pytest.mark.parametrize(("now", "code"), [(0.9, 0), (0.5, 1)])
def test_a_check_measures_what_has_fallen_once_more(
    now: float,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    history = tmp_path / "history.json"
    history.write_text(json.dumps([entry(1.0)]))
    monkeypatch.setattr(ratios, "HISTORY", history)
    contest = measured([1], [1]).contest
    seen: list[str] = []

    def measure(contest: Contest) -> Measured:
        seen.append(contest.name)
        return measured([now], [1])

    monkeypatch.setattr(ratios, "measure", measure)
    assert ratios.check([contest]) == code
    assert seen == ["lake"] * (1 + code)
    assert ("fallen: lake / floor: 0.50" in capsys.readouterr().out) == bool(code)
    assert json.loads(history.read_text()) == [entry(1.0)], "a check writes nothing"


def test_every_contest_has_somebody_to_compare_with_and_a_name_of_its_own() -> None:
    contests = all_contests()
    assert len({one.name for one in contests}) == len(contests)
    assert all(one.others for one in contests)
    assert all(one.aims.keys() <= one.others.keys() for one in contests)


def test_the_history_is_one_that_can_be_compared() -> None:
    history = json.loads(ratios.HISTORY.read_text("utf-8"))
    names = {one.name for one in all_contests() if not one.wall}
    assert names <= history[-1]["ratios"].keys()


def test_a_busy_machine_is_not_asked_for_wall_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    for load, names in ((0.0, {"two cores"}), (1000.0, set[str]())):
        monkeypatch.setattr(ratios, "_load", lambda load=load: load)
        assert {one.name for one in ratios.fair_now(all_contests()) if one.wall} == names
