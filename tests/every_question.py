"""Small societies of language minds that are asked every question there is, and what they read.

The offline mind answers. Used by tests of prompts and by benchmarks of prefix caches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.llm.providers.free_minds import FreeMinds

REMEMBERING: dict[str, Any] = {"components": ["recall", "language_policy"]}
IN_WORDS = {"minds": "language", "thinking": False}


def _game(scenario: str, *mechanisms: Any, agents: int = 4, **params: Any) -> Mapping[str, Any]:
    return {
        "scenario": scenario,
        "agents": agents,
        "parameters": IN_WORDS | params,
        "mechanisms": list(mechanisms),
    }


_OFTEN = {"repetition": {"games": 3, "continuation": 0.8, "window": 2}}
_STRANGERS = {"reputation": {"games": 3, "order": "higher"}}
_ELDERS = {"count": 2, "fitness": "final", "phenotype": "share", "strategies": "advice"}
_VILLAGERS = ["persona", "personal_norm", "recall", {"reflection": {"every": 2}}, "language_policy"]
_MENU = [["baseline"], [{"peer_punishment": {"most": 2}}], ["leadership"], ["cheap_talk"]]
_MENU += [[{"peer_reward": {}}], ["contracts"], ["mediation"], ["correlation_device"]]

SOCIETIES: Mapping[str, Mapping[str, Any]] = {
    "village": {"scenario": "language_village", "agents": 6, "rounds": 3},
    "village that imitates": {
        "scenario": "language_village",
        "agents": 6,
        "rounds": 3,
        "parameters": {"social_learning": True, "condition": "only_social_learning"},
    },
    "village that remembers": {
        "scenario": "language_village",
        "agents": 6,
        "rounds": 3,
        "parameters": {"caps": "on", "effort_rule": "deterrence"},
        "cohorts": [{"name": "people", "count": 6, "components": _VILLAGERS}],
    },
    "village of caps": {
        "scenario": "fishing_village",
        "agents": 6,
        "rounds": 3,
        "parameters": {"vote": "plurality", "social_learning": True},
        "cohorts": [{"name": "people", "count": 6, **REMEMBERING}],
    },
    "village that meets": {
        "scenario": "language_village",
        "agents": 6,
        "rounds": 3,
        "parameters": {"meeting": "at_once"},
        "cohorts": [{"name": "people", "count": 6, "components": _VILLAGERS}],
    },
    "meeting": {"scenario": "village_meeting", "rounds": 2},
    "hagglers": {"scenario": "haggling", "agents": 6, "rounds": 2},
    "friends": {
        "scenario": "pub_coordination",
        "agents": 6,
        "rounds": 2,
        "parameters": {"order": "at_once"},
    },
    "canal": {"scenario": "irrigation_election", "agents": 6, "rounds": 2},
    "traders": {"scenario": "marketplace", "agents": 6, "rounds": 2},
    "strikers": {"scenario": "collective_labour", "agents": 5, "rounds": 2},
    "friends who wait": {
        "scenario": "pub_coordination",
        "agents": 5,
        "rounds": 2,
        "parameters": {"order": "referee"},
    },
    "donors": {
        "scenario": "donor_game",
        "agents": 6,
        "rounds": 4,
        "parameters": {**IN_WORDS, "games": 1},
        "mechanisms": [{"generations": _ELDERS}],
    },
    "donors who talk": {
        "scenario": "donor_game",
        "agents": 6,
        "rounds": 4,
        "parameters": {**IN_WORDS, "gossip": True, "games": 1, "partners": "agreed", "probe": True},
    },
    "donors who review": {
        "scenario": "donor_game",
        "agents": 6,
        "rounds": 4,
        "parameters": {**IN_WORDS, "medium": "review", "punishment": True},
    },
    "game": _game("prisoners_dilemma", agents=2),
    "game of seats": _game("trust", _OFTEN, agents=2),
    "game of strangers": _game("prisoners_dilemma", _STRANGERS),
    "game with agreements": _game("public_goods", "mediation", "contracts", _OFTEN, agents=3),
    "game with fines": _game("public_goods", "peer_punishment", agents=3),
    "game with gifts": _game("public_goods", "peer_reward", agents=3),
    "game with talk": _game("public_goods", "cheap_talk", agents=3),
    "game with a leader": _game("public_goods", "leadership", agents=3),
    "game with a device": _game("public_goods", "correlation_device", agents=3),
    "game with a menu": _game("public_goods", {"institution_choice": {"options": _MENU}}, agents=3),
    "game of claims": _game("travellers_dilemma", agents=2),
    "risk": {**_game("collective_risk"), "rounds": 3},
    "pool": {**_game("common_pool"), "rounds": 3},
    "raters": {"scenario": "norm_coding", "agents": 3},
    "authors": {"scenario": "strategy_writing", "agents": 3},
    "authors of people": {"scenario": "persona_writing", "agents": 3},
}


class Heard(NamedTuple):
    """A question as one agent read it."""

    society: str
    kind: str
    occasion: tuple[str, int, int]  # kind, use, replicate: those who share it are asked at once
    agent: int
    words: str
    request: Request


class _Listener(FreeMinds):
    """The offline mind, which keeps every request."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.requests: list[Request] = []

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        self.requests.append(request)
        return await super().call(request, going, token)


def listen(society: str, option_order: str = "round", **changes: Any) -> list[Heard]:
    """Play a society with the offline mind; return what was asked, in order of asking."""
    spec = {"seed": 4, "option_order": option_order, **SOCIETIES[society], **changes}
    setup = build(load_config(spec.pop("scenario"), spec))
    listener = _Listener(setup.seed)
    setup.gamemaster(minds=listener).play()
    return [
        Heard(
            society,
            one.address.kind,
            (one.address.kind, one.address.use, one.address.replicate),
            one.address.agent,
            "\n\n".join(message.content for message in one.messages),
            one,
        )
        for one in listener.requests
    ]


def shared_share(prompts: Sequence[str]) -> float:
    """The characters that all prompts begin with, divided by their mean length."""
    return shared_start(min(prompts), max(prompts)) * len(prompts) / sum(map(len, prompts))


def shared_start(one: str, other: str) -> int:
    """The number of characters with which both texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def groups(heard: Sequence[Heard]) -> Iterator[tuple[str, list[str]]]:
    """Yield the prompts of those who are asked the same question at once, with its kind."""
    found: dict[tuple[str, int, int], list[str]] = {}
    for one in heard:
        found.setdefault(one.occasion, []).append(one.words)
    for (kind, _, _), prompts in found.items():
        if len(prompts) > 1:
            yield kind, prompts
