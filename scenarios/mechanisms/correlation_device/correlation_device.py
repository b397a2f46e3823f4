"""Recommendations: a device draws what all should do, and tells each player its own part only.

Everybody knows the profiles of actions that the device may draw, and how likely each is. If
nobody gains by not obeying while the others obey, the distribution is a correlated equilibrium;
what is dominant without the device stays so with it.
Source: Aumann 1974, Journal of Mathematical Economics 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play, PlayFunction, declared_by, intercept
from society.engine.rng import Array
from society.engine.scenario import Measure, Params, RoundFacts, mean_over, mechanism
from society.engine.script import Ask, Fact, Line, Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.games.game import Game
from society.scenarios.mechanisms.cheap_talk.groups import (
    announce_terms,
    current_matches,
    game_of,
    play_stage_first,
)

_ROUNDED = 1e-6  # of a sum of probabilities

CHANCE_ID = "recommended"


class Recommendation(Params):
    """One thing that the device may draw; actions are counted from 0."""

    profile: list[Annotated[int, Field(ge=0)]] = Field(
        description="the action of each player, counted from 0, counted from 0"
    )
    probability: float = Field(ge=0, le=1)


class Device(NamedTuple):
    """A lottery over profiles, (K, n), with their probabilities, (K,)."""

    profiles: Array
    probabilities: Array

    def drawn(self, uniform: Array) -> Array:
        """Profiles from uniforms, (...) -> (..., n)."""
        below = np.cumsum(self.probabilities)[:-1]
        profiles: Array = self.profiles[np.searchsorted(below, uniform, side="right")]
        return profiles

    def facts(self, replicates: int) -> Mapping[str, Fact]:
        """Return the public facts of the device: K, and (R, 1, K * n) and (R, 1, K)."""
        both = {
            "device_profiles": self.profiles.reshape(-1),
            "device_probabilities": self.probabilities,
        }
        return {"device_choices": common(len(self.profiles))} | {
            name: common(np.broadcast_to(values, (replicates, 1, len(values))))
            for name, values in both.items()
        }


def following_share(told: RoundFacts, env: Environment) -> Array:
    """Share of players who do as recommended, (R,)."""
    return mean_over(env.present, told["action"] == told["recommended_action"])


@mechanism(
    chance_id=CHANCE_ID,
    measures=(
        Measure(
            "followed",
            "share of recommendations",
            following_share,
            label="recommendations followed",
        ),
    ),
    columns=("recommended_action",),
    facts={"recommended_action": FactSpec("Action that the device recommends, by number from 0")},
)
def correlation_device(
    play: Play,
    *,
    profiles: Annotated[
        list[Recommendation] | None,
        Field(description="profiles to draw from, with probabilities; none: everybody cooperates"),
    ] = None,
) -> PlayFunction:
    """A device draws an action for each player, and recommends it to that player in private."""
    declared = declared_by(play, "correlation_device")

    def advised(env: Environment) -> Script:
        script = play(env)
        device = _device(game_of(env, "correlation_device"), profiles)
        script = announce_terms(script, device.facts(env.replicates))
        told: dict[str, Fact] = {}

        def advise(ask: Ask) -> Script:
            yield from ()  # nobody is asked
            told["recommended_action"] = own(_parts(env, declared, device))
            return told

        def reported(line: Line) -> Line:
            if isinstance(line, Tell) and line.kind == declared.told:
                return replace(line, facts={**line.facts, **told})
            return line

        return intercept(play_stage_first(script, declared.move, advise), line=reported)

    return advised


def _parts(env: Environment, declared: Declared, device: Device) -> Array:
    """The action that is recommended to everybody, (R, N): one draw for each match."""
    matches = current_matches(declared, env)
    uniform = matches.gathered(env.draws(CHANCE_ID).uniform("profile"))[:, :, 0]
    return matches.spread(device.drawn(uniform))


def _device(game: Game, profiles: Sequence[Recommendation] | None) -> Device:
    """Raise ScenarioError for profiles that are none of the game's."""
    if profiles is None:
        if game.cooperation is None:
            raise ScenarioError(
                "correlation_device: nothing is cooperation in this game; say what to recommend, "
                "as in profiles: [{profile: [0, 1], probability: 1}]"
            )
        return Device(np.array([game.cooperation]), np.ones(1))
    for one in profiles:
        fits = len(one.profile) == game.players
        if not fits or any(a >= k for a, k in zip(one.profile, game.sizes, strict=True)):
            raise ScenarioError(
                f"correlation_device: got the profile {one.profile}; expected an action, counted "
                f"from 0, of each of {game.players} players, who have {game.sizes} of them"
            )
    chances = np.array([one.probability for one in profiles])
    if abs(chances.sum() - 1) > _ROUNDED:
        raise ScenarioError(
            "correlation_device: the probabilities of profiles sum to "
            f"{chances.sum():g}; expected 1"
        )
    return Device(np.array([one.profile for one in profiles]), chances)
