"""Minds that use mechanisms: what to propose, what to approve of, what to sign, when to delegate.

    capable     proposes what makes cooperation rational, and uses exactly what does so
    naive       proposes anything, and approves, signs and delegates whatever is proposed
    stubborn    proposes nothing new, and approves, signs and delegates nothing

A contract makes cooperation rational if under it to cooperate is weakly dominant for everybody; a
mediator, if it is a Nash equilibrium that all delegate; and either only if everybody then gets more
than in equilibrium without it. The contract that capable minds propose pays those who cooperate
the most that anybody could gain by not doing so, and `margin` on top, at the others' expense; their
mediator cooperates if all delegate and plays the equilibrium if fewer do. Where no game in normal
form, or no cooperation, is known, they propose nothing new and find nothing rational; nor do they
find any contract rational in a game of more players than its table of payoffs can list.

Capable minds move as the theorem has it, too, whatever strategy they have. Under a contract in
force that makes cooperation rational they cooperate, and to a mediator that does they delegate.
Where a contract or a mediator could be agreed on, and none such is there now, they play the
equilibrium: nothing was proposed, or something else has won, or not all have signed. They follow
their own strategy where neither mechanism stands around the game, and where the game has no known
cooperation or equilibrium. The naive and the stubborn always do, unless they delegate.
Source: the proof of theorem 1 in Tewolde et al. 2026 (CoopEval), appendix D; naive, stubborn: ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from society.engine.action_spaces import Choice, Fields, Real
from society.engine.component import AgentGroup, Column, Component, Question
from society.engine.parameters import Positive
from society.engine.rng import Array

from .payoff_helpers import deviation_payoffs

Skill = Literal["capable", "naive", "stubborn"]
SKILLS: tuple[Skill, ...] = get_args(Skill)
CAPABLE, NAIVE, STUBBORN = range(len(SKILLS))
_CLOSE = 1e-9  # of payoffs that count as equal


@dataclass(frozen=True)
class MechanismUse(Component):
    """Skill with contracts and mediators, which children inherit; any: by chance."""

    skill: Skill | Literal["any"] = "capable"
    margin: Positive = 1.0  # points, by which a proposed contract pays more than it must

    chance_id = "designs"
    columns = (
        Column(
            "skill",
            np.int8,
            public=True,
            heritable=True,
            labels=SKILLS,
            text="Skill with contracts and mediators",
        ),
    )

    def begin(self, agents: AgentGroup) -> None:
        any_one = agents.draws.integers("skill", len(SKILLS))
        agents["skill"] = any_one if self.skill == "any" else SKILLS.index(self.skill)

    def answer_design_contract(self, ask: Question, agents: AgentGroup) -> Any:
        bound, skill, fields = ask.facts["contract_bound"], agents["skill"], _fields(ask)
        wanted = _payments(agents.rules, self.margin)
        reach = float(np.ptp(agents.rules.payoffs)) if _is_listed(agents.rules) else 1.0
        answers = {}
        for name in fields:
            anything = agents.draws.between(name, -reach, reach)
            paid = np.where(skill == CAPABLE, wanted.get(name, 0.0), (skill == NAIVE) * anything)
            answers[name] = np.clip(paid, -bound, bound)
        return answers

    def answer_approve_contracts(self, ask: Question, agents: AgentGroup) -> Any:
        rational = binding_contracts(agents.rules, ask.facts["contract_proposals"])
        return _votes(ask, _judged(agents, rational) & ask.facts["contract_offered"].astype(bool))

    def answer_sign_contract(self, ask: Question, agents: AgentGroup) -> Array:
        return _judged(agents, binding_contracts(agents.rules, ask.facts["contract"])) * 1

    def answer_design_mediator(self, ask: Question, agents: AgentGroup) -> Any:
        wanted = _acts(agents.rules)
        answers = {}
        for name, reply in _fields(ask).items():
            if isinstance(reply, Choice):
                anything = agents.draws.integers(name, reply.options.shape[1])
                together, apart = wanted.get(name, (0, 0))
                planned = np.where(agents["skill"] == CAPABLE, together, apart)
            else:
                assert isinstance(reply, Real)
                anything, planned = agents.draws.uniform(name), np.zeros(len(agents))
            answers[name] = np.where(agents["skill"] == NAIVE, anything, planned)
        return answers

    def answer_approve_mediators(self, ask: Question, agents: AgentGroup) -> Any:
        rational = sustaining_mediators(agents.rules, ask.facts["mediator_proposals"])
        return _votes(ask, _judged(agents, rational) & ask.facts["mediator_offered"].astype(bool))

    def answer_delegate(self, ask: Question, agents: AgentGroup) -> Array:
        """Delegate without a game in normal form, where nothing is known to be rational."""
        return _judged(agents, np.zeros(len(agents), bool)) * 1


class Guidance(NamedTuple):
    """The moves that mechanisms ask for, (M,) of bool each; no member has two."""

    cooperates: Array
    delegates: Array
    resigns: Array  # to the equilibrium


def guidance(ask: Question, agents: AgentGroup) -> Guidance | None:
    """Return the moves that mechanisms ask of their users; None where there is no mechanism."""
    contract, mediator = "contract_active" in ask.facts, "mediator" in ask.facts
    if "skill" not in agents or not (contract or mediator):
        return None
    capable = agents["skill"] == CAPABLE
    cooperates, delegates = np.zeros(len(agents), bool), np.zeros(len(agents), bool)
    if mediator:
        there = ~np.isnan(ask.facts["mediator"]).any(-1)
        delegates = there & _judged(
            agents, sustaining_mediators(agents.rules, ask.facts["mediator"])
        )
    if contract:
        active = ask.facts["contract_active"].astype(bool)
        cooperates = (
            capable & active & binding_contracts(agents.rules, ask.facts["contract"]) & ~delegates
        )
    known = agents.rules.cooperation is not None and agents.rules.equilibrium is not None
    return Guidance(cooperates, delegates, known & capable & ~cooperates & ~delegates)


def binding_contracts(rules: Any, contracts: Array) -> Array:
    """Tell which contracts, (..., K) payments by their form, make cooperation rational."""
    if not _is_listed(rules) or rules.cooperation is None:
        return np.zeros(contracts.shape[:-1], bool)
    good = np.ones(contracts.shape[:-1], bool)
    received: list[Array] = []
    for seat, payments in enumerate(payments_by_seat(rules, contracts)):
        own = payments[..., rules.cooperation[seat]]
        gains = _gains(rules)[seat] + payments - own[..., None]
        good &= (gains <= _CLOSE).all(-1)
        received.append(own)
    total, others = sum(received), max(rules.players - 1, 1)
    for own, more in zip(received, _improvement(rules), strict=True):
        good &= more + own - (total - own) / others > _CLOSE
    return good


def sustaining_mediators(rules: Any, mediators: Array) -> Array:
    """Tell which mediators, (..., K) indices by their form, make cooperation rational."""
    flat = mediators.reshape(-1, mediators.shape[-1])
    good = np.zeros(len(flat), bool)
    if rules is not None and rules.cooperation is not None and len(flat):
        known = np.flatnonzero(~np.isnan(flat).any(1))
        designs, which = np.unique(flat[known], axis=0, return_inverse=True)
        judged = [_sustains(rules, tuple(map(int, design))) for design in designs]
        good[known] = np.array(judged, bool)[which.reshape(-1)]
    return good.reshape(mediators.shape[:-1])


@lru_cache(maxsize=4096)
def _sustains(rules: Any, design: tuple[int, ...]) -> bool:
    """Tell whether delegation by all is an equilibrium that beats the one without a mediator."""
    n = rules.players
    entries = np.array(design).reshape(n, -1)  # by how many delegate; one for all, or by seat
    all_do, but_one = (np.broadcast_to(entries[count - 1], n) for count in (n, max(n - 1, 1)))
    values = rules.paid(all_do)
    for seat, value in enumerate(values):
        if value < deviation_payoffs(rules, seat, but_one[None]).max() - _CLOSE:
            return False
    if rules.equilibrium is None:
        return True
    return bool((values > rules.paid(np.array(rules.equilibrium)) + _CLOSE).all())


def _is_listed(rules: Any) -> bool:
    """Tell whether these are rules in normal form with few enough payoffs to look at them all."""
    try:
        return rules is not None and rules.payoffs is not None
    except ValueError:
        return False


@lru_cache(maxsize=64)
def _gains(rules: Any) -> tuple[Array, ...]:
    """Return the most that each action may pay beyond cooperation, (A_j,) for each player."""
    gains = []
    for seat, payoffs in enumerate(rules.payoffs):
        by_action = np.moveaxis(payoffs, seat, 0).reshape(payoffs.shape[seat], -1)
        gains.append((by_action - by_action[rules.cooperation[seat]]).max(1))
    return tuple(gains)


@lru_cache(maxsize=64)
def _improvement(rules: Any) -> Array:
    """Return the gain of each player if all cooperate in place of the equilibrium, (n,)."""
    if rules.equilibrium is None:
        return np.full(rules.players, np.inf)
    both = rules.paid(np.array([rules.cooperation, rules.equilibrium]))
    more: Array = both[0] - both[1]
    return more


def payments_by_seat(rules: Any, contracts: Array) -> Iterator[Array]:
    """Yield the payments of every seat for each action, (..., A_j) each."""
    if contracts.shape[-1] == rules.sizes[0] != sum(rules.sizes):
        yield from [contracts] * rules.players
    else:
        yield from np.split(contracts, np.cumsum(rules.sizes)[:-1], axis=-1)


def _judged(agents: AgentGroup, rational: Array) -> Array:
    """Tell who agrees, (M, ...): the capable to what is rational, the naive to everything."""
    skill = agents["skill"].reshape(-1, *[1] * (rational.ndim - 1))
    goes: Array = ((skill == CAPABLE) & rational) | (skill == NAIVE)
    return goes


def _payments(rules: Any, margin: float) -> dict[str, float]:
    """Return the payments for cooperating, by the names of both forms.

    It is the same for all, so that nobody gains or loses by it if all cooperate.
    """
    if not _is_listed(rules) or rules.cooperation is None:
        return {}
    least = max(float(gains.max()) for gains in _gains(rules)) + margin
    labels = [rules.actions[seat][action] for seat, action in enumerate(rules.cooperation)]
    by_seat = [f"{label}, seat {seat}" for seat, label in enumerate(labels, 1)]
    return dict.fromkeys([*labels, *by_seat], least)


def _acts(rules: Any) -> dict[str, tuple[int, int]]:
    """Return the actions of capable and of stubborn mediators, by the names of both forms."""
    acts: dict[str, tuple[int, int]] = {}
    if rules is None:
        return acts
    apart = rules.equilibrium or rules.cooperation or (0,) * rules.players
    together = rules.cooperation or apart
    for count in range(1, rules.players + 1):
        plays = together if count == rules.players else apart
        for seat in range(rules.players):
            acts[f"{count}, seat {seat + 1}"] = plays[seat], apart[seat]
        acts[f"{count}"] = plays[0], apart[0]
    return acts


def _votes(ask: Question, approves: Array) -> dict[str, Array]:
    """Return the votes by field, from (M, n) of bool."""
    return {name: approves[:, place] * 1 for place, name in enumerate(_fields(ask))}


def _fields(ask: Question) -> Mapping[str, Any]:
    assert isinstance(ask.reply, Fields)
    return ask.reply.fields
