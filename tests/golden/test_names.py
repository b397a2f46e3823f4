"""An agent has one name: in its prompts, in the replay and in the frames of a study."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from society.analysis.study import open_study

from .test_golden import replayed, spoken, told

GENERATIONS = {
    "agents": 4,
    "rounds": 3,
    "seed": 4,
    "parameters": {"minds": "language", "games": 1},
    "mechanisms": [{"generations": {"count": 2, "fitness": "final", "phenotype": "share"}}],
}


@pytest.mark.parametrize(
    ("scenario", "changes", "names"),
    [
        (
            "language_village",
            {"agents": 3, "rounds": 2, "seed": 4},
            {"villager 0", "villager 1", "villager 2"},
        ),
        (
            "donor_game",
            GENERATIONS,
            {"agent 1_1", "agent 1_2", "agent 1_3", "agent 1_4", "agent 2_1", "agent 2_3"},
        ),
    ],
)
def test_prompts_replay_and_frames_have_the_same_names(
    tmp_path: Path, scenario: str, changes: dict[str, object], names: set[str]
) -> None:
    run = replayed(tmp_path, scenario, changes)
    pattern = f"{min(names).split()[0]} [0-9_]*[0-9]"
    prompts = "\n".join(spoken(run))
    assert set(re.findall(rf"You are ({pattern})", prompts)) == names
    assert set(re.findall(pattern, told(run))) == names
    frame = open_study([tmp_path / "golden.run"]).agents
    assert set(frame["name"]) == names
    quotes = open_study([tmp_path / "golden.run"]).quotes
    assert set(quotes["who"].dropna()) <= names


def test_the_type_of_an_agent_stands_beside_its_name_and_not_in_it(tmp_path: Path) -> None:
    run = replayed(
        tmp_path,
        "fishing_village",
        {"agents": 2, "rounds": 1, "seed": 1, "parameters": {"population": "mixed"}},
    )
    frame = open_study([tmp_path / "golden.run"]).agents
    first = frame[frame["round"] == 1][["agent", "name", "cohort"]].astype(str).values.tolist()
    assert first == [["0", "villager 0", "altruist"], ["1", "villager 1", "selfish"]]
    assert re.search(r"^villager 1 +selfish ", told(run), re.MULTILINE)
