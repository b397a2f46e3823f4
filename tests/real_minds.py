"""A real language model in tests: the small local one answers one question of each kind.

Every scenario and mechanism that asks language minds is played for a round. The offline mind
answers, but for the first question of each kind: the small model gets that, with the JSON schema of
its reply, and whether its first answer is valid is judged by the program's own reading, which asks
again if it is not. Replies have 48 tokens at most, and texts in them 40 characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from society.config.build import Society, build
from society.config.registry import mechanisms, scenarios
from society.config.run_config import load_config
from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Sentence,
    Text,
)
from society.engine.calls import Address, Completion, Going, Message, Request
from society.engine.cancellation import CancellationToken
from society.errors import Unparsed
from society.llm.parsing.answers import hint, read_reply
from society.llm.parsing.schemas import schema
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import SMALL, ModelSpec
from society.runs.design_runs import make_designs

ROOM = 48  # tokens of a reply
_LONGEST_TEXT = 30  # characters, each of which may be a token, beside names and braces
# One slot and one thread: what is said does not depend on who else uses the machine. Without the
# cache of prompts a reply depends on its prompt and seed alone.
SPEC = ModelSpec(
    model=SMALL,
    slots=1,
    threads=1,
    temperature=0.8,
    max_tokens=ROOM,
    most_room=ROOM,
    extra={"cache_prompt": False},
)

_SPEAKING: dict[str, Any] = {"parameters": {"minds": "language", "thinking": False}}
_GENERATIONS = {"generations": {"count": 2, "fitness": "final", "phenotype": "share"}}
_ADVISED = {"generations": {**_GENERATIONS["generations"], "strategies": "advice"}}
_TWO = {**_SPEAKING, "agents": 2}
# Types of agents, for mechanisms that let each meet all.
_MIND: dict[str, Any] = {"count": 1, "components": [{"language_policy": {}}]}
_TYPES = {"cohorts": [{"name": "first", **_MIND}, {"name": "second", **_MIND}]}


def _with(*around: Any, **more: Any) -> dict[str, Any]:
    return {**_SPEAKING, "mechanisms": list(around), **more}


_PRINCIPLES = [
    {"boundaries": {"members": 3}},
    {"nested_villages": {"villages": 2}},
    *("fitted_rules", "conflict_resolution"),
    {"monitoring": {"error": 0.1}},
    *("graduated_sanctions", "outside_authority"),
]


# Each scenario that asks language minds, and each mechanism around one of them.
SOCIETIES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("language_village", {"agents": 3, "parameters": {"caps": "on"}}),
    ("language_village", {"agents": 3, "mechanisms": [{"quota": {"kind": "effort", "at": 0.5}}]}),
    ("language_village", {"agents": 4, "mechanisms": _PRINCIPLES}),
    (
        "language_village",
        {"agents": 3, "mechanisms": [{"turnover": {"empty": 1, "arriving": 0.5}}]},
    ),
    ("village_meeting", {"agents": 3}),
    ("haggling", {"agents": 2, "rounds": 2}),
    ("pub_coordination", {"agents": 3, "rounds": 2}),
    ("collective_labour", {"agents": 4, "rounds": 2}),
    ("marketplace", {"agents": 3, "rounds": 2}),
    ("irrigation_election", {"agents": 3, "rounds": 2}),
    ("norm_coding", {"agents": 2}),
    ("persona_writing", {"agents": 2}),
    ("donor_game", {**_SPEAKING, "agents": 4}),
    ("donor_game", _with(_ADVISED, agents=4)),
    ("strategy_writing", {"agents": 2}),
    ("normal_form", _TWO),
    ("matching_pennies", _TWO),
    ("prisoners_dilemma", _TWO),
    ("stag_hunt", _TWO),
    ("travellers_dilemma", _TWO),
    ("trust", _TWO),
    ("public_goods", {**_SPEAKING, "agents": 3}),
    ("collective_risk", {**_SPEAKING, "agents": 4}),
    ("common_pool", {**_SPEAKING, "agents": 4}),
    ("prisoners_dilemma", _with("baseline")),
    ("prisoners_dilemma", _with({"questionnaire": {"instrument": "social_trust"}})),
    ("prisoners_dilemma", _with("cheap_talk")),
    ("stag_hunt", _with("contracts")),
    ("stag_hunt", _with("mediation")),
    ("stag_hunt", _with("correlation_device")),
    ("public_goods", _with("leadership")),
    ("public_goods", _with("peer_punishment")),
    ("public_goods", _with("peer_reward")),
    ("prisoners_dilemma", _with({"repetition": {"games": 2}})),
    ("prisoners_dilemma", _with({"reputation": {"games": 2}}, agents=4)),
    ("public_goods", _with({"institution_choice": {"options": ["baseline", "peer_punishment"]}})),
    ("trust", {"mechanisms": ["tournament"], **_TYPES}),
    ("stag_hunt", {"mechanisms": ["mediation", "draft_designs"], **_TYPES}),
)


class Asked(NamedTuple):
    """A question to the small model, its first answer, and why that could not be used ("": it can).

    free: whether no schema was sent, since the form of the answer has none.
    """

    society: str
    kind: str
    free: bool
    reply: str
    finish: str
    trouble: str


@dataclass
class RealMinds:
    """Minds by which the small model answers one question of each kind, and the offline one all."""

    society: str
    seed: int
    structured: bool = True
    asked: dict[str, Asked] = field(default_factory=dict)
    _first: dict[str, Address] = field(default_factory=dict)
    patience = 0.0

    def __post_init__(self) -> None:
        self._real = ModelPool({"default": SPEC}, seed=self.seed)
        self._offline = ModelPool({}, seed=self.seed)

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        kind, first = request.address.kind, self._first.get(request.address.kind)
        request = request._replace(model="default")
        if first is None:
            self._first[kind] = request.address
            form = capped(request.schema) if self.structured else None
            said = await self._real.call(request._replace(schema=form, room=ROOM), going, token)
            free = form is None
            self.asked[kind] = Asked(self.society, kind, free, said.text, said.finish, "")
            return said
        if request.address == first._replace(turn=1):
            why = request.reason or request.again
            self.asked[kind] = self.asked[kind]._replace(trouble=why)
        return await self._offline.call(request, going, token)

    async def close(self) -> None:
        await self._real.close()
        await self._offline.close()


def capped(form: Any, most: int = _LONGEST_TEXT) -> Any:
    """A schema with texts of 30 characters at most, which the texts of an object share."""
    if isinstance(form, list):
        return [capped(part, most) for part in form]
    if not isinstance(form, Mapping):
        return form
    texts = sum("maxLength" in part for part in form.get("properties", {}).values())
    most = most // max(texts, 1)
    return {
        name: min(part, most) if name == "maxLength" else capped(part, most)
        for name, part in form.items()
    }


def real_answers(
    scenario: str, changes: Mapping[str, Any], seed: int = 1, *, structured: bool = True
) -> list[Asked]:
    """Play a society for a round, and return what the small model was asked and said."""
    name = ", ".join([scenario, *map(_name, changes.get("mechanisms", ()))])
    minds = RealMinds(name, seed, structured)
    setup = make_designs(_built(scenario, {**changes, "seed": seed}), minds)
    setup.gamemaster(minds=minds).play()
    return [*minds.asked.values()]


def _built(scenario: str, changes: Mapping[str, Any]) -> Society:
    return build(load_config(scenario, {"rounds": 1, "replicates": 1, **changes}), rehearsed=False)


def _name(mechanism: Any) -> str:
    return mechanism if isinstance(mechanism, str) else next(iter(mechanism))


def left_out() -> tuple[set[str], set[str]]:
    """Return the scenarios and mechanisms in none of the societies."""
    played = {scenario for scenario, _ in SOCIETIES}
    around = {_name(one) for _, changes in SOCIETIES for one in changes.get("mechanisms", ())}
    return set(scenarios()) - played, set(mechanisms()) - around


class Form(NamedTuple):
    """A form of reply with a short question."""

    question: str
    reply: ActionSpace
    legal: Legal = Legal()


_VILLAGERS = Legal(peers=MappingProxyType({"2": 1, "3": 2, "5": 4}))
_RULES = ("Nobody takes more than five fish.", "Everybody takes what they like.", "No fishing.")
_BALLOT = Legal(options=MappingProxyType({rule: index for index, rule in enumerate(_RULES)}))
_VILLAGE = "You are villager 1 of five at a lake with 200 fish."

FORMS: Mapping[str, Form] = {
    "number": Form(f"{_VILLAGE} How hard do you fish?", Real(0, 1)),
    "whole number": Form(f"{_VILLAGE} How many fish do you take?", Integer(0, 12)),
    "labels": Form("You meet another player. Which card do you play?", Choice("red", "blue")),
    "options": Form(
        f"{_VILLAGE} Vote for a rule.", Choice(options=np.array([_RULES], object)), _BALLOT
    ),
    "name": Form(
        f"{_VILLAGE} Villager 2 took 20 fish, the others 5. Whom do you fine?",
        Neighbour("all"),
        _VILLAGERS,
    ),
    "mixed strategy": Form(
        "You play rock, paper, scissors. With what chances do you play each?",
        MixedStrategy("rock", "paper", "scissors"),
    ),
    "text": Form(f"{_VILLAGE} Say something to the others about fishing.", Text(40)),
    "sentence": Form(f"{_VILLAGE} What is your plan?", Sentence(40, opening="My plan will be")),
    "fields": Form(
        f"{_VILLAGE} Propose a rule and a limit.",
        Fields({"rule": Text(40), "limit": Integer(0, 50)}),
    ),
}


def form_request(form: Form, number: int, *, structured: bool) -> Request:
    """A request to answer in a form; number: which of many."""
    words = f"{form.question}\n\n{hint(form.reply, form.legal)}"
    address = Address("real", "answer form", number, 0, 0, 0)
    wanted = capped(schema(form.reply, form.legal)) if structured else None
    return Request(address, "default", (Message("user", words),), room=ROOM, schema=wanted)


def reading(form: Form, text: str, finish: str) -> tuple[Any, str]:
    """Return the answer that is read, and why none is ("" if one is)."""
    try:
        return read_reply(form.reply, text, form.legal, finish), ""
    except Unparsed as unread:
        return None, str(unread)
