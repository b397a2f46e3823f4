"""A leader: one player moves first, and all others see what it does before they move.

A leader that submits a mixed strategy is seen to play the action that is drawn from it. Where the
leader takes no part any more, there is nothing to see: its action is -1. What dominates for the
others does so whatever they see, and so a leader who expects them to know that does the same.
Source: von Stackelberg 1934, Marktform und Gleichgewicht.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.action_spaces import MixedStrategy
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play, PlayFunction, declared_by, intercept, survey
from society.engine.rng import Array
from society.engine.scenario import mechanism
from society.engine.script import Ask, Fact, Line, Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.games.game import ABSENT, Game
from society.scenarios.games.normal_form import draw_actions
from society.scenarios.mechanisms.agreements.approval_voting import spread_to_players
from society.scenarios.mechanisms.cheap_talk.groups import (
    announce_terms,
    current_matches,
    group_size,
)

CHANCE_ID = "led"


@mechanism(
    chance_id=CHANCE_ID,
    columns=("leader_action",),
    facts={"leader_action": FactSpec("Move of the leader")},
)
def leadership(
    play: Play,
    *,
    leader: Annotated[int, Field(ge=1, description="seat of the leader, counted from 1")] = 1,
) -> PlayFunction:
    """One player moves first, and the others see what it does before they move."""
    declared = declared_by(play, "leadership")

    def following(env: Environment) -> Script:
        script = announce_terms(play(env), {"leader_seat": common(leader)})
        _refuse_unasked(play, env, declared, leader)
        seen: Mapping[str, Fact] | None = None

        def heard(line: Line) -> Line | Script:
            nonlocal seen
            if isinstance(line, Tell):
                known, seen = seen, None
                return line if known is None else _reported(line, declared, known)
            if not isinstance(line, Ask) or line.kind != declared.move:
                return line
            return led_by(line) if seen is None else _followed(line, seen)

        def led_by(ask: Ask) -> Script:
            nonlocal seen
            leads = current_matches(declared, env).seat == leader - 1
            answer = yield _asked(ask, leads, {"leads": own(leads)})
            action, answer = _shown(env, ask, answer)
            seen = _sight(env, declared, leader, action)
            others = yield _asked(_followed(ask, seen), ~leads, {})
            wide = leads[..., None] if isinstance(ask.reply, MixedStrategy) else leads
            return np.where(wide, answer, others)

        return intercept(script, line=heard)

    return following


def _asked(ask: Ask, some: Array, facts: Mapping[str, Fact]) -> Ask:
    """The question to some of those only whom it was for."""
    who = some if ask.who is None else ask.who & some
    return replace(ask, who=who, facts={**ask.facts, **facts})


def _followed(ask: Ask, seen: Mapping[str, Fact]) -> Ask:
    return replace(ask, facts={**ask.facts, **seen})


def _reported(tell: Tell, declared: Declared, seen: Mapping[str, Fact]) -> Tell:
    """Add the facts that all saw to those about payoffs."""
    if tell.kind != declared.told:
        return tell
    return replace(tell, facts={**tell.facts, "leader_action": seen["leader_action"]})


def _shown(env: Environment, ask: Ask, answer: Array) -> tuple[Array, Array]:
    """Return the facts about everybody's answer, (R, N), and the answer that it became."""
    if not isinstance(ask.reply, MixedStrategy):
        return answer, answer
    action = draw_actions(answer, env.draws(CHANCE_ID).uniform("action"))
    return action, np.eye(ask.reply.width)[action]


def _sight(env: Environment, declared: Declared, leader: int, action: Array) -> Mapping[str, Fact]:
    matches = current_matches(declared, env)
    here = matches.gathered(np.where(env.active, action, ABSENT))[:, :, leader - 1]
    # Others may keep the last question for a move as what everybody knew, the leader included.
    leads = own(matches.seat == leader - 1)
    return {"leads": leads, "leader_action": own(spread_to_players(matches, here))}


def _refuse_unasked(play: Play, env: Environment, declared: Declared, leader: int) -> None:
    """Raise ScenarioError for a leader who cannot move before all others."""
    players = group_size(declared, env)
    has_leader, in_turn = survey(_asked_before, play, env, declared.move)
    if has_leader:
        raise ScenarioError(
            "leadership: somebody leads in this play already; name the mechanism once"
        )
    if leader > players:
        raise ScenarioError(f"leadership: leader is seat {leader} of {players}; name one from 1 on")
    if isinstance(env.rules, Game):
        if env.rules.actions[leader - 1] != env.rules.actions[0]:
            raise ScenarioError(
                f"leadership: player {leader} has other actions than player 1, who is asked before "
                "it; let player 1 lead, or number the players differently"
            )
    elif in_turn:
        raise ScenarioError(
            "leadership: not everybody is asked for a move at the same time, so that nobody can "
            "lead; take a play in which all move together"
        )


def _asked_before(lines: Iterator[Line], move: str) -> tuple[bool, bool]:
    """Tell whether there is a leader already, and whether some move without the others."""
    moves = [said for said in lines if isinstance(said, Ask) and said.kind == move]
    return any("leads" in ask.facts for ask in moves), any(ask.who is not None for ask in moves)
