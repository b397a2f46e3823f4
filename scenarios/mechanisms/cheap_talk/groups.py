"""Groups of players in any play that declares its move, and a script before they move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from society.engine.environment import Environment
from society.engine.mechanism import Declared, intercept
from society.engine.script import Ask, Fact, Line, Script, Tell
from society.errors import ScenarioError
from society.scenarios.games.game import Game
from society.scenarios.games.player_matching import Matches, match_players

_MOST = 100  # players who know each of the others: what they are shown grows with the square


def group_size(declared: Declared, env: Environment) -> int:
    """The number of players in a group."""
    return env.agents if declared.players is None else int(declared.players(env.params))


def current_matches(declared: Declared, env: Environment) -> Matches:
    """Return the matches of this round; one of all where a play has no number of players."""
    return match_players(env, group_size(declared, env))


def refuse_strangers(declared: Declared, env: Environment, mechanism: str) -> None:
    """Raise ScenarioError unless there are others, and few enough to deal with each of them."""
    players = group_size(declared, env)
    if not 2 <= players <= _MOST:
        raise ScenarioError(
            f"{mechanism}: players deal with each of the others, and {players} play together; "
            f"take a game of 2 to {_MOST}"
        )


def game_of(env: Environment, mechanism: str) -> Game:
    """The game in normal form that is played; raises ScenarioError if it is none."""
    if not isinstance(env.rules, Game):
        raise ScenarioError(
            f"{mechanism}: what is played has no list of actions for each player; "
            "take a game in normal form"
        )
    return env.rules


def announce_terms(script: Script, terms: Mapping[str, Fact]) -> Script:
    """Drive a play in which all are told these terms of a mechanism whenever they are asked."""

    def line(said: Line) -> Line:
        if isinstance(said, Ask):
            return replace(said, facts={**said.facts, **terms})
        return said

    return intercept(script, line=line)


def play_stage_first(script: Script, move: str, stage: Callable[[Ask], Script]) -> Script:
    """Play a stage before players move; what it returns, facts, is known to all who move then.

    A play may ask some players for their move after the others; they move at the same time if it
    tells nothing in between, and the stage is played before the first of them.
    """
    facts: dict[str, Any] | None = None

    def heard(line: Line) -> Line | Script:
        nonlocal facts
        if isinstance(line, Tell):
            facts = None
        return asked(line) if isinstance(line, Ask) and line.kind == move else line

    def asked(ask: Ask) -> Script:
        nonlocal facts
        if facts is None:
            facts = yield from stage(ask)
        return (yield replace(ask, facts={**ask.facts, **facts}))

    return intercept(script, line=heard)
