"""The first line in which two histories differ is found and put into words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import society
from society.analysis.histories import FirstDifference, first_difference
from society.errors import InputError
from society.runs.runfile import Level, open_run_file

LAKE: dict[str, Any] = {"scenario": "fishing_village", "seed": 3, "rounds": 6, "agents": 4}
HABITS: dict[str, Any] = {"agents": None, "parameters": {"social_learning": False}}


def villager(effort: float, count: int = 1, name: str = "villager") -> dict[str, Any]:
    """A cohort of villagers who fish as hard as this, whatever the fines."""
    faculties: list[Any] = ["persona", "norm_belief", "punishment", "voting"]
    harvest = {"effort_rule": "trait", "efforts": [[effort, effort]] * 3}
    return {"name": name, "count": count, "components": [*faculties, {"harvest": harvest}]}


def played(path: Path, level: Level = "full", **changes: Any) -> Path:
    """A village of this configuration, in a run file."""
    society.run({**LAKE, **changes}, out=path, level=level)
    return path


def apart(one: Path, other: Path, replicate: int | None = None) -> FirstDifference | None:
    with open_run_file(one) as first, open_run_file(other) as second:
        return first_difference(first, second, replicate, ("A", "B"))


def test_an_agent_that_answers_otherwise_is_named_with_both_answers(tmp_path: Path) -> None:
    cohorts = [[villager(0.2, 3), villager(effort, name="other")] for effort in (0.5, 0.9)]
    a, b = (
        played(tmp_path / f"{number}.run", **HABITS, cohorts=given)
        for number, given in enumerate(cohorts)
    )
    found = apart(a, b)
    assert found is not None
    assert found.words == (
        'Round 1: villager 3 (other) was asked "effort" and answered 0.50 in A, 0.90 in B'
    )
    assert (found.round, found.kind, found.role, found.replicates) == (1, "effort", "answer", (0,))
    assert found.values == ((3, "0.50", "0.90"),)


def test_another_fine_is_first_seen_in_what_villagers_are_told_of_it(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run")
    b = played(tmp_path / "b.run", parameters={"fine": 20})
    found = apart(a, b)
    assert found is not None
    assert (found.round, found.kind, found.name) == (1, "effort", "expected_fine")
    assert found.words.startswith('Round 1: villager 0 was asked "effort" with expected fine ')
    assert found.words.endswith(" (3 others differ in this, too)")


def test_a_lake_that_grows_otherwise_differs_for_everybody_once_it_has_grown(
    tmp_path: Path,
) -> None:
    a = played(tmp_path / "a.run")
    b = played(tmp_path / "b.run", parameters={"growth": 0.5})
    found = apart(a, b)
    assert found is not None
    assert (found.kind, found.role, found.name, found.values[0].seat) == (
        "regrown",
        "common",
        "stock",
        -1,
    )
    assert 'everybody was told "regrown" with stock ' in found.words


def test_values_that_look_alike_when_rounded_are_written_out(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run", **HABITS, cohorts=[villager(0.5, 4)])
    b = played(tmp_path / "b.run", **HABITS, cohorts=[villager(0.5000001, 4)])
    found = apart(a, b)
    assert found is not None
    assert found.values[0] == (0, "0.5", "0.5000001")


def test_a_shift_in_one_replicate_is_found_there_and_nowhere_else(tmp_path: Path) -> None:
    """The villages differ from the round after the fines have ended in one of them."""
    a = played(tmp_path / "a.run", replicates=3)
    b = played(tmp_path / "b.run", replicates=3, parameters={"punish_until": 3})
    found = apart(a, b)
    assert found is not None
    assert found.round == 4
    assert found.words == 'Round 4: "watch" is asked (amount 0..1) in A, and "effort" is asked ' + (
        "(amount 0..1) in B"
    )


def test_more_replicates_leave_those_that_both_runs_have_as_they_are(tmp_path: Path) -> None:
    a, b = played(tmp_path / "a.run", replicates=2), played(tmp_path / "b.run", replicates=5)
    assert apart(a, b) is None
    assert apart(a, b, replicate=1) is None
    with pytest.raises(InputError, match=r"there is no replicate 4 in .*; it has 2 replicates"):
        apart(a, b, replicate=4)


def test_a_run_is_its_own_twin(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run")
    assert apart(a, a) is None


def test_at_level_summary_the_round_is_known_and_nothing_more(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run")
    b = played(tmp_path / "b.run", level="summary", parameters={"punish_until": 3})
    found = apart(a, b)
    assert found is not None
    assert (found.round, found.line, found.kind) == (4, -1, "")
    assert found.words == (
        "Round 4: the digests differ; what was said is not kept at level summary (--record full "
        "keeps it)"
    )


def test_digests_of_all_replicates_tell_nothing_of_one(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run", replicates=2, level="summary")
    with pytest.raises(InputError, match="cannot tell a part of them; play it with --record full"):
        apart(a, a, replicate=1)


def test_other_scenarios_and_other_numbers_of_agents_are_refused(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run")
    with pytest.raises(InputError, match="one run has 4 agents, the other 5"):
        apart(a, played(tmp_path / "b.run", agents=5))
    with pytest.raises(InputError, match="one run plays fishing_village, the other donor_game"):
        apart(a, played(tmp_path / "c.run", scenario="donor_game", rounds=2))
