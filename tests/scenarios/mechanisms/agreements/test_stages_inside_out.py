"""Whoever is asked before the game knows of all mechanisms that are in it, whatever their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.scenarios.games import normal_form
from society.scenarios.games.player_matching import refuse_unequal

if TYPE_CHECKING:
    from society.engine.environment import Environment
    from tests.scenarios.mechanisms.conftest import Worded

LANGUAGE: dict[str, Any] = {"parameters": {"minds": "language", "thinking": False}}
REPEATED: dict[str, Any] = {"repetition": {"games": 2, "continuation": 0.8}}
CONTRACT = ("design_contract", "approve_contracts", "sign_contract")
MEDIATOR = ("design_mediator", "approve_mediators")
AGAIN = "You play this game again and again with the same player."
CHANCE = "After each game there is a chance of 80 % that another one follows."
ALL_GAMES, ONE_GAME = "It is for all games that you play.", "It is for one game only."
FINES = "may spend points on fining the others, up to 3 on each of them."
GIFTS = "may give points to the others, up to 3 to each of them."
MEDIATES = "There will be a mediator, to whom you may leave your move"
BINDS = "Before the actions are chosen, all of you may bind yourselves by a contract."
TALK = "Before the decision everybody says something to all. Nothing that is said is binding."
DEVICE = "A device will draw an action to recommend to each player"
FIRST = "With one exception: you decide first. The action that is drawn for you is shown to the "
SECOND = "With one exception: player 1 decides first. The action that is drawn for it is shown to "


@pytest.mark.parametrize(
    ("stack", "kinds", "told"),
    [
        (["repetition", "contracts"], CONTRACT, [AGAIN, CHANCE]),
        (["repetition", "mediation"], MEDIATOR, [AGAIN, CHANCE]),
        (["mediation", "contracts"], CONTRACT, [MEDIATES]),
        (["contracts", "mediation"], MEDIATOR, [BINDS]),
        (["peer_punishment", "contracts"], CONTRACT, [FINES]),
        (["contracts", "peer_punishment"], CONTRACT, [FINES]),
        (["peer_punishment", "peer_reward"], ["fine", "give"], [FINES, GIFTS]),
        (["peer_punishment", "peer_reward", "mediation"], MEDIATOR, [FINES, GIFTS]),
        (["cheap_talk", "contracts"], CONTRACT, [TALK]),
        (["contracts", "cheap_talk"], CONTRACT, [TALK]),
        (["correlation_device", "contracts"], CONTRACT, [DEVICE]),
        (["contracts", "correlation_device"], CONTRACT, [DEVICE, "100 %: you A0, player 2 A0"]),
        (["leadership", "contracts"], CONTRACT, [FIRST]),
        (["contracts", "leadership"], CONTRACT, [FIRST]),
        (["leadership", "cheap_talk"], ["say"], [FIRST]),
        (["mediation", "repetition", "contracts"], CONTRACT, [MEDIATES, AGAIN, CHANCE]),
    ],
    ids=lambda given: "-".join(given) if isinstance(given[0], str) else "",
)
def test_who_is_asked_knows_what_else_there_is(
    worded: Worded, stack: list[str], kinds: list[str], told: list[str]
) -> None:
    prompts = worded("prisoners_dilemma", stacked(stack), **LANGUAGE)
    for kind in kinds:
        for said in told:
            assert prompts[kind, 0].count(said) == 1, kind


def stacked(names: list[str]) -> list[Any]:
    return [REPEATED if name == "repetition" else name for name in names]


@pytest.mark.parametrize(
    "stack",
    [
        [REPEATED, "contracts"],
        ["mediation", "contracts"],
        ["contracts", "mediation"],
        ["leadership", "correlation_device", "cheap_talk", "contracts"],
    ],
    ids=str,
)
def test_nothing_is_said_of_what_is_not_decided_yet(worded: Worded, stack: list[Any]) -> None:
    first = "design_mediator" if stack[-1] == "mediation" else "design_contract"
    words = worded("prisoners_dilemma", stack, **LANGUAGE)[first, 0]
    for early in (
        "contract is in force",
        "nobody has proposed",
        "a vote ha",
        "There is a mediator",
        "What happened in",
        "had to decide",
        "To you it recommends",
        "So far",
    ):
        assert early not in words, early


def test_a_contract_around_games_is_for_all_of_them_and_one_within_for_one(worded: Worded) -> None:
    around = worded("prisoners_dilemma", [REPEATED, "contracts"], **LANGUAGE)
    within = worded("prisoners_dilemma", ["contracts", REPEATED], **LANGUAGE)
    alone = worded("prisoners_dilemma", ["contracts"], **LANGUAGE)
    for kind in CONTRACT:
        assert ALL_GAMES in around[kind, 0]
        assert ONE_GAME in within[kind, 0]
        assert "It is for" not in alone[kind, 0]


def test_a_mediator_around_games_is_for_all_of_them_and_one_within_for_one(worded: Worded) -> None:
    around = worded("prisoners_dilemma", [REPEATED, "mediation"], **LANGUAGE)
    within = worded("prisoners_dilemma", ["mediation", REPEATED], **LANGUAGE)
    for kind in (*MEDIATOR, "move"):
        assert ALL_GAMES in around[kind, 0]
        assert ONE_GAME in within[kind, 0]


def test_who_is_to_follow_knows_who_leads_before_it_has_moved(worded: Worded) -> None:
    prompts = worded("public_goods", ["leadership", "contracts"], **LANGUAGE)
    assert SECOND + "all others before they decide." in prompts["design_contract", 1]
    assert "player 1 had to decide first" in prompts["move", 1]


def test_villagers_who_design_a_contract_know_who_leads_and_that_they_may_fine(
    worded: Worded,
) -> None:
    villagers = [{"name": "people", "count": 3, "components": ["language_policy"]}]
    stack = ["peer_punishment", "leadership", "contracts"]
    prompts = worded("fishing_village", stack, cohorts=villagers, rounds=1)
    assert FINES in prompts["design_contract", 1]
    assert "You decide first." in prompts["design_contract", 0]
    assert "Villager 0 decides first. What it decides is shown" in prompts["design_contract", 1]


def test_partners_who_change_know_each_other_where_they_fine(worded: Worded) -> None:
    stack = [{"reputation": {"games": 2}}, "leadership", "peer_punishment"]
    words = worded("prisoners_dilemma", stack, agents=4, **LANGUAGE)["fine", 0]
    assert "You are agent 0. Now you meet agent " in words
    assert "you decide first. The action that is drawn for you is shown" in words


@pytest.mark.parametrize("layers", [1, 2, 3, 4, 5])
def test_each_mechanism_looks_at_the_game_once_and_not_in_every_game(
    monkeypatch: pytest.MonkeyPatch, layers: int
) -> None:
    """15 games are set up 15 times, and once more for each that looks at what it stands around."""
    setups: list[Environment] = []

    def set_up(env: Environment, players: int) -> None:
        setups.append(env)
        refuse_unequal(env, players)

    monkeypatch.setattr(normal_form, "refuse_unequal", set_up)
    names = ["mediation", "contracts", "cheap_talk", "leadership", "correlation_device"][:layers]
    games = {"repetition": {"games": 15, "window": 3}}
    master = build(load_config("prisoners_dilemma", {"mechanisms": [*names, games]})).gamemaster()
    setups.clear()
    master.play()
    assert len(setups) <= 15 + 3 + layers
