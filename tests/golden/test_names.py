"""An agent has one name: in prompts, in the replay, in frames, in the summary and the report."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from society.analysis.study import open_study
from society.config.registry import scenarios
from society.report import write_report
from society.runs.runfile import RunFile
from society.terminal.summary import print_summary

from .test_golden import replayed, told

# A number of points is no number of a player: "the other player 2 points".
NAME = re.compile(
    r"(?:the (?:referee|owner)|(?:villager|agent|player|program|rater|author|user|friend|seller"
    r"|buyer|worker|person|farmer) \d+(?:_\d+)?\b"
    r"(?: of match \d+)?)(?! points)",
    re.IGNORECASE,
)
LANGUAGE = {"parameters": {"minds": "language"}}
EVOLVING = {"generations": {"count": 2, "fitness": "final", "phenotype": "share"}}
LIVES = {"agents": 4, "rounds": 3, "parameters": {"minds": "language", "games": 1}}

FEW = {"agents": 4, "rounds": 2}
USERS = {f"user {generation}_{life}" for generation in (1, 2) for life in (1, 2, 3, 4)}

CASES: list[tuple[str, Mapping[str, Any], set[str]]] = [
    ("fishing_village", {"agents": 2, "rounds": 2}, {"villager 0", "villager 1"}),
    ("language_village", {"agents": 2, "rounds": 2}, {"villager 0", "villager 1"}),
    (
        "language_village",
        {"agents": 2, "rounds": 2, "mechanisms": ["leadership", "peer_punishment"]},
        {"villager 0", "villager 1"},
    ),
    (
        "village_meeting",
        {"agents": 3, "rounds": 2},
        {"villager 0", "villager 1", "the referee"},
    ),
    (
        "haggling",
        {"agents": 4, "rounds": 2},
        {"seller 0", "seller 1", "buyer 2", "buyer 3"},
    ),
    (
        "collective_labour",
        {"agents": 4, "rounds": 2},
        {"worker 0", "worker 1", "the owner", "the referee"},
    ),
    ("irrigation_election", {"agents": 2, "rounds": 2}, {"farmer 0", "farmer 1"}),
    ("marketplace", {"agents": 3, "rounds": 2}, {"person 0", "person 1", "the referee"}),
    ("pub_coordination", {"agents": 3, "rounds": 2}, {"friend 0", "friend 1", "the referee"}),
    ("strategy_writing", {"agents": 2, "rounds": 2}, {"author 0", "author 1"}),
    ("norm_coding", {"agents": 2, "rounds": 2}, {"rater 0", "rater 1"}),
    ("persona_writing", {"agents": 2, "rounds": 2}, {"author 0", "author 1"}),
    ("donor_game", {"agents": 2, "rounds": 2, **LANGUAGE}, {"agent 0", "agent 1"}),
    (
        "donor_game",
        {**LIVES, "mechanisms": [EVOLVING]},
        {"agent 1_1", "agent 1_2", "agent 1_3", "agent 1_4", "agent 2_1", "agent 2_3"},
    ),
    (
        "collective_risk",
        {"agents": 2, "rounds": 2, "parameters": {"minds": "language", "players": 2}},
        {"player 1", "player 2"},
    ),
    (
        "common_pool",
        {"agents": 3, "rounds": 2, "parameters": {"minds": "language", "players": 3}},
        {"player 1", "player 2", "player 3"},
    ),
    ("self_play", FEW, {f"agent {number}" for number in range(4)}),
    ("program_tournament", FEW, {f"program {number}" for number in range(4)}),
    ("cultural_evolution", FEW, USERS),
    ("normal_form", LANGUAGE, {"player 1", "player 2"}),
    ("matching_pennies", LANGUAGE, {"player 1", "player 2"}),
    ("stag_hunt", {**LANGUAGE, "mechanisms": ["mediation"]}, {"player 1", "player 2"}),
    ("travellers_dilemma", LANGUAGE, {"player 1", "player 2"}),
    ("trust", {**LANGUAGE, "mechanisms": ["cheap_talk"]}, {"player 1", "player 2"}),
    (
        "public_goods",
        {**LANGUAGE, "mechanisms": ["contracts", "peer_punishment"]},
        {"player 1", "player 2", "player 3"},
    ),
    (
        "prisoners_dilemma",
        {**LANGUAGE, "agents": 4, "mechanisms": [{"reputation": {"games": 2}}]},
        {"agent 0", "agent 1", "agent 2", "agent 3"},
    ),
]


# One of each way to name agents: by number, by role, by life, by seat of a match.
QUICK = {"fishing_village", "haggling", "cultural_evolution", "normal_form"}


def marks(scenario: str) -> list[pytest.MarkDecorator]:
    return [] if scenario in QUICK else [pytest.mark.thorough]


@pytest.mark.parametrize(
    ("scenario", "changes", "names"),
    [
        pytest.param(*case, id=f"{case[0]}-{number}", marks=marks(case[0]))
        for number, case in enumerate(CASES)
    ],
)
def test_all_that_names_agents_has_the_same_names(
    tmp_path: Path, scenario: str, changes: Mapping[str, Any], names: set[str]
) -> None:
    run = replayed(tmp_path, scenario, {"seed": 4, **changes})
    study = open_study([tmp_path / "golden.run"])
    assert set(study.agents["name"]) == names
    assert named(told(run), names) == names
    calls = study.calls
    for who, prompt in zip(calls["who"], calls["prompt"], strict=True):
        assert who in names
        assert named(prompt, names) <= names
        assert named(" ".join(re.findall(r"You are [^.,]*", prompt)), names) <= {who}
    for frame in (study.events, study.quotes, study.troubles):
        assert set(frame["who"].dropna()) <= names
    assert named(summary(run), names) <= names
    page = write_report(study, tmp_path / "report").read_text("utf-8")
    assert set(study.quotes["who"].dropna()) <= named(page, names) <= names


def test_no_scenario_is_left_out() -> None:
    assert {name for name, _, _ in CASES} == set(scenarios())


def named(text: str, names: set[str]) -> set[str]:
    """The names in a text that have the noun of these: an agent may be a player of a match, too."""
    nouns = {name.split()[0] for name in names}
    found = {name[0].lower() + name[1:] for name in NAME.findall(text)}
    return {name for name in found if name.split()[0] in nouns}


def summary(run: RunFile) -> str:
    text = io.StringIO()
    print_summary(run, run.outcome(), [], Console(file=text, width=100))
    return text.getvalue()


def test_players_of_several_matches_are_named_by_seat_and_match(tmp_path: Path) -> None:
    run = replayed(tmp_path, "prisoners_dilemma", {"agents": 4, "seed": 2, **LANGUAGE})
    assert set(open_study([tmp_path / "golden.run"]).agents["name"]) == {
        "player 1 of match 1",
        "player 2 of match 1",
        "player 1 of match 2",
        "player 2 of match 2",
    }
    assert re.search(r"player 1 of match 2 .* player 2 of match 2 ", told(run))


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
