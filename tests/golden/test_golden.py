"""Small runs kept as text, so that a change in them is read like code.

`make golden` (or SOCIETY_GOLDEN=rewrite pytest tests/golden) writes the text anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from society.config.build import build
from society.config.run_config import load_config
from society.runs.runfile import RunFile, Writer, manifest_of, open_run_file
from society.terminal.replay import print_history

HERE = Path(__file__).parent


def replayed(folder: Path, scenario: str, changes: Mapping[str, Any]) -> RunFile:
    """A run that went through a run file."""
    setup = build(load_config(scenario, changes))
    with Writer(folder / "golden.run", manifest_of(setup)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return open_run_file(folder / "golden.run")


def told(run: RunFile) -> str:
    """The printed history."""
    text = io.StringIO()
    print_history(run, Console(file=text, width=80))
    return text.getvalue()


def spoken(run: RunFile) -> Iterator[str]:
    """Every prompt and every reply, in the order of who was asked what."""
    for call in sorted(run.calls(), key=lambda call: (call.round, call.request.address)):
        address = call.request.address
        yield f"\n== round {call.round}: {address.occasion}, agent {address.agent}"
        yield from (message.content for message in call.request.messages)
        yield f"-> {call.said.text}"


def check(text: str, name: str) -> None:
    kept = HERE / name
    if os.environ.get("SOCIETY_GOLDEN") == "rewrite":
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")


def test_a_small_village_is_told_as_it_was(tmp_path: Path) -> None:
    """Four poor villagers, three rounds: fines, imitation, and one who is fined to death."""
    poor = {"population": "mixed", "wealth": 2, "consumption": 3, "punishers": "text"}
    rules = {"effort_rule": "trait", "ends_on": "collapse"}
    changes = {"agents": 4, "rounds": 3, "seed": 9, "parameters": poor | rules}
    check(told(replayed(tmp_path, "fishing_village", changes)), "fishing_village.txt")


def test_a_small_donor_game_is_told_as_it_was(tmp_path: Path) -> None:
    """Six donors, three rounds, roles exchanged: gifts, a punishment, and who had nothing left."""
    changes = {"agents": 6, "rounds": 3, "seed": 3, "parameters": {"punishment": True}}
    check(told(replayed(tmp_path, "donor_game", changes)), "donor_game.txt")


SCENES = (
    *("collective_labour", "haggling", "irrigation_election", "marketplace"),
    "pub_coordination",
)
OTHERS = (
    *("language_village", "norm_coding", "persona_writing", "strategy_writing"),
    "village_meeting",
)


@pytest.mark.parametrize("scenario", SCENES + OTHERS)
def test_language_agents_are_asked_and_answer_as_they_did(tmp_path: Path, scenario: str) -> None:
    """Three agents, two rounds, the offline mind: all prompts and replies, then the history."""
    run = replayed(tmp_path, scenario, {"agents": 3, "rounds": 2, "seed": 4})
    check("\n".join([*spoken(run), "", told(run)]), f"{scenario}.txt")


PRINCIPLES: Mapping[str, Mapping[str, Any]] = {
    "boundaries": {"members": 3},
    "nested_villages": {"villages": 2},
    "fitted_rules": {},
    "conflict_resolution": {"accuracy": 0.5},
    "monitoring": {"error": 0.2},
    "graduated_sanctions": {},
    "outside_authority": {"overrules": 0.5, "cap": 4},
}


@pytest.mark.parametrize("principle", PRINCIPLES)
def test_villagers_under_a_principle_are_asked_and_answer_as_they_did(
    tmp_path: Path, principle: str
) -> None:
    """Four villagers, two rounds, the offline mind: each question once, then the history."""
    mechanisms = [{principle: PRINCIPLES[principle]}]
    changes = {"agents": 4, "rounds": 2, "seed": 4, "mechanisms": mechanisms}
    run = replayed(tmp_path, "language_village", changes)
    asked = dict[str, str]()  # the last villager stands for all, in the last round
    for call in sorted(run.calls(), key=lambda call: (call.round, call.request.address)):
        words = "\n".join(message.content for message in call.request.messages)
        asked[call.request.address.occasion] = f"{words}\n-> {call.said.text}"
    spoken = [f"== {occasion}\n{words}\n" for occasion, words in asked.items()]
    check("\n".join([*spoken, told(run)]), f"principle_{principle}.txt")


def test_villagers_with_faculties_think_as_they_did(tmp_path: Path) -> None:
    """One thinks and answers in one reply, the other in a chain of calls; one round, offline."""
    ponder = ["situation", {"options": {"before": ["punish"]}}]
    mind = ["formative_memories", "observation", {"relationships": {"every": 1}}, "plan", *ponder]
    cohorts = [
        {
            "name": faculties,
            "count": 1,
            "components": [
                {"persona": {"temper": "selfish"}},
                "personal_norm",
                *mind,
                {"language_policy": {"faculties": faculties}},
            ],
        }
        for faculties in ("together", "chain")
    ]
    run = replayed(tmp_path, "language_village", {"cohorts": cohorts, "rounds": 1, "seed": 4})
    check("\n".join([*spoken(run), "", told(run)]), "faculties.txt")


def test_language_donors_advise_their_successors_as_they_did(tmp_path: Path) -> None:
    """Four donors, one game of three rounds in each of two generations, the offline mind."""
    evolving = {"count": 2, "fitness": "final", "phenotype": "share", "strategies": "advice"}
    changes = {
        "agents": 4,
        "rounds": 3,
        "seed": 4,
        "parameters": {"minds": "language", "games": 1},
        "mechanisms": [{"generations": evolving}],
    }
    run = replayed(tmp_path, "donor_game", changes)
    check("\n".join([*spoken(run), "", told(run)]), "language_donors.txt")


REPEATED = {"repetition": {"games": 3, "continuation": 0.8, "window": 2}}
REPUTED = {"reputation": {"games": 3, "order": "higher"}}


@pytest.mark.parametrize(
    ("scenario", "agents", "mechanism", "name"),
    [("trust", 2, REPEATED, "repeated_trust"), ("prisoners_dilemma", 4, REPUTED, "reputations")],
)
def test_players_are_asked_and_answer_as_they_did(
    tmp_path: Path, scenario: str, agents: int, mechanism: Mapping[str, Any], name: str
) -> None:
    """Three games, with the same player or with ever new ones, the offline mind."""
    minds = {"parameters": {"minds": "language"}, "mechanisms": [mechanism]}
    run = replayed(tmp_path, scenario, {"agents": agents, "seed": 2, **minds})
    check("\n".join([*spoken(run), "", told(run)]), f"{name}.txt")


@pytest.mark.parametrize("scenario", ["collective_risk", "common_pool"])
def test_players_of_several_rounds_are_asked_and_answer_as_they_did(
    tmp_path: Path, scenario: str
) -> None:
    """Three models that remember, the offline mind, and one who always defects; two rounds."""
    rule = {"classic_strategies": {"strategy": "always_defect"}}
    cohorts = [
        {"name": "reader", "count": 3, "components": ["recall", "language_policy"]},
        {"name": "rule", "count": 1, "components": [rule]},
    ]
    changes = {"rounds": 2, "seed": 2, "cohorts": cohorts}
    run = replayed(tmp_path, scenario, changes)
    check("\n".join([*spoken(run), "", told(run)]), f"{scenario}.txt")


def test_a_contract_is_told_as_it_came_about(tmp_path: Path) -> None:
    """Two who know what makes cooperation rational, and one who agrees to anything; then fines."""
    changes = {
        "agents": 3,
        "seed": 2,
        "cohorts": [
            {
                "name": "capable",
                "count": 2,
                "components": ["mechanism_use", "sanctions", "classic_strategies"],
            },
            {
                "name": "naive",
                "count": 1,
                "components": [
                    {"mechanism_use": {"skill": "naive"}},
                    "sanctions",
                    {"classic_strategies": {"strategy": "always_defect"}},
                ],
            },
        ],
        "mechanisms": ["contracts", "peer_punishment"],
    }
    check(told(replayed(tmp_path, "public_goods", changes)), "contract.txt")


def test_a_scene_without_templates_asks_in_plain_words(tmp_path: Path) -> None:
    """Two people and a referee at a market, two rounds: things, places, a stock and a clock."""
    offline = {"models": {"default": {"model": "offline"}}}
    run = replayed(tmp_path, str(HERE / "market.py"), {"rounds": 2, "seed": 3, **offline})
    check(f"{told(run)}{chr(10).join(spoken(run))}\n", "market.txt")


def test_a_scenario_without_templates_asks_in_the_words_it_has_declared(tmp_path: Path) -> None:
    """Three farmers, two weeks: a rule with labels, units, and what happened in words."""
    offline = {"models": {"default": {"model": "offline"}}}
    run = replayed(tmp_path, str(HERE / "canal.py"), {"rounds": 2, "seed": 3, **offline})
    check(f"{told(run)}{chr(10).join(spoken(run))}\n", "canal.txt")
