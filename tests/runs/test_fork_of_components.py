"""A component that lives on with other parameters follows them, or its fork is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import society
from society.errors import ScenarioError
from society.runs.fork import Changes, fork
from society.runs.runfile import open_run_file

VILLAGE: dict[str, Any] = {
    "scenario": "language_village",
    "rounds": 3,
    "parameters": {"norm_embedder": "hashing", "condition": "neither", "ends_on": "horizon"},
}
STORIES = ["You are old.", "You are young.", "You are new here."]


def forked(folder: Path, given: dict[str, Any], **parameters: Any) -> Path:
    """Play a society, and fork it after round 2 with other parameters of its cohort."""
    society.run({"seed": 1, **given}, out=folder / "a.run")
    (cohort,) = given["cohorts"]
    changes = Changes(cohorts=[{"name": cohort["name"], "parameters": parameters}])
    end = fork(folder / "a.run", 2, changes, folder / "b.run", conclude=False)
    assert end.error is None, end.words
    return folder / "b.run"


def villagers(*parts: Any) -> dict[str, Any]:
    """A village of three, asked of the offline mind, with further components."""
    faculties = ["persona", "personal_norm", *parts, "language_policy"]
    return VILLAGE | {"cohorts": [{"name": "villager", "count": 3, "components": faculties}]}


def prompts(path: Path, number: int) -> list[str]:
    """What three villagers were asked for efforts in a round, by seat."""
    with open_run_file(path) as run:
        calls = [call.request for call in run.calls() if call.round == number]
    calls = [one for one in calls if one.address.kind == "effort"]
    assert [one.address.agent for one in calls] == [0, 1, 2]
    return ["\n".join(message.content for message in one.messages) for one in calls]


def test_donors_take_over_the_traits_of_a_fork(tmp_path: Path) -> None:
    donors = {"name": "donor", "count": 4, "components": [{"donation": {"policy": "fixed"}}]}
    given = {"scenario": "donor_game", "rounds": 4, "cohorts": [donors]}
    path = forked(tmp_path, given, generosity=0.25, severity=1)
    with open_run_file(path) as run:
        traits = {name: run.series(name) for name in ("generosity", "threshold", "severity")}
    assert traits["generosity"][3].tolist() == [0.25] * 4
    assert traits["severity"][3].tolist() == [1] * 4
    assert traits["threshold"][3].tolist() == traits["threshold"][2].tolist()
    assert traits["generosity"][2].tolist() != [0.25] * 4


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"kind": "episodic"}, {"kind": "associative"}),
        ({"kind": "associative"}, {"kind": "episodic"}),
        ({"kind": "episodic"}, {"limit": 1}),
    ],
)
def test_memories_move_into_a_store_of_the_kind_and_size_of_a_fork(
    before: dict[str, Any], after: dict[str, Any], tmp_path: Path
) -> None:
    path = forked(tmp_path, villagers({"recall": before}), **after)
    whole = prompts(tmp_path / "a.run", 3)[0].count("\n- Round")
    assert whole > 1
    assert [one.count("\n- Round") for one in prompts(path, 3)] == [after.get("limit", whole)] * 3


@pytest.mark.parametrize("texts", [STORIES[:1], ["You are from afar."]])
def test_of_fewer_backstories_each_has_one_that_there_is(texts: list[str], tmp_path: Path) -> None:
    path = forked(tmp_path, villagers({"backstory": {"texts": STORIES}}), texts=texts)
    assert all(texts[0] in one for one in prompts(path, 3))


def test_a_backstory_that_is_still_told_stays_with_whom_it_belongs(tmp_path: Path) -> None:
    path = forked(tmp_path, villagers({"backstory": {"texts": STORIES}}), texts=STORIES[::-1])
    had, has = (
        [next(one for one in STORIES if one in said) for said in prompts(path, number)]
        for number in (2, 3)
    )
    assert had == has


def test_a_parameter_that_adapt_does_not_follow_is_refused(tmp_path: Path) -> None:
    """`observation` makes its memory of a size as a life begins, and stays with it."""
    with pytest.raises(ScenarioError, match="limit of observation"):
        forked(tmp_path, villagers({"observation": {"limit": 5}}), limit=2)
