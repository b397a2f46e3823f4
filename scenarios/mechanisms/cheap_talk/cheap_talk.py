"""Talk before the move: everybody says something to all others of its match, and nothing binds.

Messages change no payoff, so that what dominates without them does so whatever was said.
What was said in earlier games of a repeated one is not shown again. Where players have chosen
groups (society.scenarios.mechanisms.institution_choice.institution_choice, by feet), those of
others are shown as having said nothing. Source: Farrell 1987, RAND Journal of Economics 18 (cheap
talk).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Text
from society.engine.environment import Environment
from society.engine.mechanism import Play, PlayFunction, declared_by, survey
from society.engine.rng import Array
from society.engine.scenario import mechanism
from society.engine.script import Ask, Fact, Line, Script, common, own
from society.errors import ScenarioError
from society.scenarios.games.game import REPAIRS
from society.scenarios.games.player_matching import Matches
from society.scenarios.mechanisms.cheap_talk.groups import (
    announce_terms,
    current_matches,
    play_stage_first,
    refuse_strangers,
)


@mechanism(chance_id="discussed", quotes={"say": "says"})
def cheap_talk(
    play: Play,
    *,
    rounds: Annotated[
        int, Field(ge=1, description="messages by each player before every move")
    ] = 1,
    limit: Annotated[int, Field(ge=1, description="longest message, in characters")] = 400,
) -> PlayFunction:
    """Players say something to all others before they move; what is said binds nobody."""
    declared = declared_by(play, "cheap_talk")

    def talking(env: Environment) -> Script:
        script = announce_terms(play(env), {"say_rounds": common(rounds)})
        refuse_strangers(declared, env, "cheap_talk")
        if survey(_has_talk, play, env):
            raise ScenarioError(
                "cheap_talk: players talk in this play already; name the mechanism once, with as "
                "many rounds as they need"
            )

        def talk(ask: Ask) -> Script:
            matches = current_matches(declared, env)
            known = {**ask.facts, "said_as": own(matches.number)}
            said: list[Array] = []
            for _ in range(rounds):
                facts = {**known, **_heard(matches, said)}
                said.append((yield Ask("say", Text(limit), facts, None, "", REPAIRS)))
            return {"said_as": known["said_as"], **_heard(matches, said)}

        return play_stage_first(script, declared.move, talk)

    return talking


def _has_talk(lines: Iterator[Line]) -> bool:
    return any(isinstance(said, Ask) and said.kind == "say" for said in lines)


def _heard(matches: Matches, said: list[Array]) -> Mapping[str, Fact]:
    """Return all statements by age, then by seat: (R, N, rounds), (R, N, rounds * (n - 1))."""
    if not said:
        return {}
    others = np.concatenate([matches.others(words) for words in said], axis=-1)
    return {"said_own": own(np.stack(said, axis=-1)), "said_others": own(others)}
