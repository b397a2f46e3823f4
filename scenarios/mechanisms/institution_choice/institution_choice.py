"""Choosing a mechanism: those who play decide under which rules they do.

    vote    the players of a match vote, and all play under the option with most votes; chance
            decides between equals
    feet    everybody chooses an option, and plays with those who choose the same one; who is alone
            keeps what it has, and who cannot be understood is with the first group

All options are played (society.scenarios.mechanisms.institution_choice.branches), and what came of
them is told once, of all. It is a game of one round: to choose again before each, repeat it.

What acts on moves, or on what is paid, belongs into the options. Around the choice it would take
what is said under one option for what all others heard.
Source: Guererk, Irlenbusch and Rockenbach 2006, Science 312 (feet); the vote is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, ValidationInfo

from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play, declared_by, dry_run
from society.engine.rng import Array
from society.engine.scenario import InnerMechanism, Measure, RoundFacts, mean_over, mechanism
from society.engine.script import VOID_REPLICATE, Ask, Fact, Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.games.game import REPAIRS
from society.scenarios.games.player_matching import match_players
from society.scenarios.games.public_goods import PublicGood
from society.scenarios.mechanisms.agreements.proposals import survey_play
from society.scenarios.mechanisms.cheap_talk.groups import game_of
from society.scenarios.mechanisms.institution_choice.branches import MEASURED, Branch, play_branches
from society.scenarios.mechanisms.institution_choice.options import (
    Option,
    describe_options,
    option_titles,
    parse_options,
    parts_of,
    refuse_fixed,
)

By = Literal["vote", "feet"]
_CLOSED = (
    "players choose the rules of this play, and what stands around the choice would act on options "
    "that were not chosen as well; name it as part of each option"
)

CHANCE_ID = "chosen"


def _resolved(options: list[Any], info: ValidationInfo) -> list[Option]:
    """Read options, which may name mechanisms of the user's that the context's registry knows."""
    return parse_options(options, (info.context or {}).get("registry"))


def option_measures(*, own: Mapping[str, Any]) -> Iterator[Measure]:
    """Yield the share of players under each option, and the measures of the options."""
    offered = parse_options(own["options"])
    for number, title in enumerate(option_titles(offered)):
        name = "_".join(re.findall(r"\w+", title))
        yield Measure(f"chose_{name}", "share of players", partial(_under, number))
    inner = {one.name: one for each in offered for one in each.measures}
    for name, measure in inner.items():
        unit = f"{measure.unit}; under options that have it"
        yield replace(measure, unit=unit, of=partial(_measured, name))


def _under(option: int, told: RoundFacts, env: Environment) -> Array:
    """Return the share of players under an option, (R,)."""
    return mean_over(env.present, told["chosen_option"] == option)


def _measured(name: str, told: RoundFacts, env: Environment) -> Array:
    return told[f"{MEASURED}{name}"]


def option_parts(*, own: Mapping[str, Any]) -> Iterator[InnerMechanism]:
    """The mechanisms of all options."""
    return parts_of(parse_options(own["options"]), "chosen_option")


@mechanism(
    chance_id=CHANCE_ID,
    measuring=option_measures,
    columns=("chosen_option",),
    facts={"chosen_option": FactSpec("Rules that a player plays under, by number from 0")},
    parts=option_parts,
)
def institution_choice(
    play: Play,
    *,
    options: Annotated[
        list[Any],
        AfterValidator(_resolved),
        Field(
            min_length=2,
            description="each a mechanism or a list of mechanisms, the innermost first",
        ),
    ],
    by: Annotated[
        By,
        Field(description="vote: the majority decides; feet: everybody joins the group it prefers"),
    ] = "vote",
) -> Play:
    """Players choose the rules under which they play, out of several.

    Raises ScenarioError for an option that names no mechanism; and, before the first line,
    for a play that is no game in normal form of one round and one match, for what an option itself
    refuses, and by feet for a game in which not any number of players can play.
    """
    declared = declared_by(play, "institution_choice")
    offered = parse_options(options)
    plays = [one.laid_over(play) for one in offered]

    def choosing(env: Environment) -> Script:
        play(env)
        _refuse_many(play, env, declared)
        if by == "feet":
            _refuse_fixed(env, offered)
        terms = survey_play(play, env, "institution_choice").terms
        scripts = [one(env) for one in plays]
        branches = [
            Branch(script, one.measures) for script, one in zip(scripts, offered, strict=True)
        ]
        return _played(env, declared, branches, _choice(env, offered, by, terms), by)

    return replace(play, script=choosing, declared=declared._replace(closed=_CLOSED))


def _choice(env: Environment, offered: list[Option], by: By, terms: Mapping[str, Fact]) -> Ask:
    """Return the question for an option; terms: what all know of the mechanisms within."""
    facts = {
        "seat": own(match_players(env, env.agents).number),
        "chosen_by": common(np.array(by, object)),
        **terms,
        **describe_options(offered, env.replicates),
    }
    fallback: Any = VOID_REPLICATE if by == "vote" else 0
    return Ask("choose", Choice(*option_titles(offered)), facts, None, fallback, REPAIRS)


def _played(
    env: Environment, declared: Declared, branches: list[Branch], choice: Ask, by: By
) -> Script:
    for _ in env.rounds(1):
        mine = yield choice
        if by == "vote":
            mine = _winner(env, mine, len(branches))
        known = {**choice.facts, "chosen_option": own(mine)}
        if by == "feet":
            known["chosen_group"] = own((mine[:, :, None] == mine[:, None]).sum(-1))
        told = yield from play_branches(env, declared, branches, mine, known)
        yield Tell(declared.told, {**told, "chosen_option": own(mine)})


def _winner(env: Environment, votes: Array, options: int) -> Array:
    """The option with most votes, for everybody, (R, N)."""
    count = (votes[:, :, None] == np.arange(options)).sum(1)
    most = count == count.max(1, keepdims=True)
    chance = env.draws(CHANCE_ID, "replicate").uniform("tie")
    nth = np.floor(chance * most.sum(1, keepdims=True)) + 1
    winner = (np.cumsum(most, axis=1) == nth).argmax(1)
    return np.broadcast_to(winner[:, None], votes.shape)


def _refuse_many(play: Play, env: Environment, declared: Declared) -> None:
    """Raise ScenarioError unless a replicate is one match that is paid once."""
    players = game_of(env, "institution_choice").players
    if env.agents != players:
        raise ScenarioError(
            f"institution_choice: those who play a match choose its rules, and {env.agents} agents "
            f"make {env.agents // players} matches; take {players} agents, and replicates for more "
            "matches"
        )
    told = [said for said in dry_run(play, env) if isinstance(said, Tell)]
    paid = sum(said.kind == declared.told for said in told)
    if paid != 1:
        raise ScenarioError(
            f"institution_choice: the rules are chosen for one round, and this play has {paid}; "
            "take rounds: 1, and name `repetition` after `institution_choice` to choose anew "
            "before each game"
        )


def _refuse_fixed(env: Environment, offered: list[Option]) -> None:
    """Raise ScenarioError unless groups of any size can play."""
    if not isinstance(env.rules, PublicGood):
        raise ScenarioError(
            f"institution_choice: by feet groups have any size, and this is a game of "
            f"{env.rules.players}; take public_goods, with all agents as players, or by: vote"
        )
    refuse_fixed(offered)
