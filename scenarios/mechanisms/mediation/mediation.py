"""Mediation: a third party, whose plan all know, plays for those who delegate to it.

    1. Everybody proposes a mediator (society.scenarios.mechanisms.mediation.plans says what one
    is); 2. all vote on the proposals of their match
    (society.scenarios.mechanisms.agreements.approval_voting); 3. where the play asks for a move, to
    delegate is one more action of the mixed strategy; where
       the move is an amount, everybody is asked first whether it delegates;
    4. those who delegate are counted, after all actions are drawn, and the mediator does for them
       what it does for so many.
The mediator is elected before the first round of the play, and serves in all of its rounds.
Source: Monderer and Tennenholtz 2009, Artificial Intelligence 173; Tewolde et al. 2026 (CoopEval),
section 3. The form `seat` and mediators of amounts are ours.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.action_spaces import MixedStrategy
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Play, PlayFunction
from society.engine.rng import Array
from society.engine.scenario import Drafts, Measure, RoundFacts, mean_over, mechanism
from society.engine.script import Script
from society.errors import ScenarioError
from society.scenarios.games.player_matching import match_players
from society.scenarios.mechanisms.agreements.approval_voting import Elected, play_under_agreement
from society.scenarios.mechanisms.agreements.proposals import (
    GivenDesigns,
    Ground,
    Shape,
    Stage,
)
from society.scenarios.mechanisms.mediation.plans import Plans, mediator_plans
from society.scenarios.mechanisms.mediation.service import (
    CHANCE_ID,
    DELEGATE,
    ActionMediator,
    Amounts,
)


def delegation_share(told: RoundFacts, env: Environment) -> Array:
    """Share of those who could delegate, (R,); NaN where nobody could."""
    return mean_over(told["mediator_asked"], told["mediator_delegated"])


def all_delegate(told: RoundFacts, env: Environment) -> Array:
    """Share of those who could delegate in whose match all did, (R,)."""
    return mean_over(told["mediator_asked"], told["mediator_count"] == told["mediator_most"])


def unanimous_approval(told: RoundFacts, env: Environment) -> Array:
    """Share of those present, (R,), that is of matches; NaN where nothing was proposed."""
    return mean_over(env.present & (told["mediator_proposer"] > 0), told["mediator_unanimous"])


MEASURES = (
    Measure(
        "mediators",
        "share of matches in which all delegate",
        all_delegate,
        label="unanimous delegation",
    ),
    Measure(
        "mediator_unanimity",
        "share of matches in which all approved of the winner",
        unanimous_approval,
    ),
    Measure("delegating", "share of those who could", delegation_share, label="delegation"),
)
FACTS = {
    "mediator_proposer": FactSpec("Seat of the player with the chosen mediator; 0: none"),
    "mediator_asked": FactSpec("Whether a player may delegate its move to the mediator"),
    "mediator_delegated": FactSpec("Whether a player delegates its move to the mediator"),
    "mediator_count": FactSpec("Players of the match who delegate"),
    "mediator_most": FactSpec("Players of the match who may delegate"),
}


@mechanism(
    chance_id=CHANCE_ID,
    measures=MEASURES,
    columns=("mediator_proposer", "mediator_delegated"),
    facts=FACTS,
    drafts=Drafts("designs", ("stage", "design"), "mediator_design"),
)
def mediation(
    play: Play,
    *,
    form: Annotated[
        Shape, Field(description="one action for all seats, or one for each")
    ] = "count",
    knots: Annotated[
        int,
        Field(ge=2, le=100, description="number of points of the plan, where moves are amounts"),
    ] = 4,
    designs: GivenDesigns = None,
    stage: Stage = "play",
) -> PlayFunction:
    """Players may leave their move to a mediator, whose plan depends on how many do.

    Raises ScenarioError, before the first line, for a play without matches that last, or in which
    not all move at the same time, and for designs that do not fit.
    """

    gaps = any(None in of_type for of_type in (designs or {}).values())

    def helped(env: Environment) -> Script:
        under = partial(_under_mediator, env, gaps=gaps)
        return play_under_agreement(play, env, "mediation", meaning, designs, stage, under)

    def meaning(ground: Ground) -> Plans:
        _refuse_turns(ground)
        return mediator_plans(ground, form, knots)

    return helped


def _refuse_turns(ground: Ground) -> None:
    """Raise ScenarioError for a game in which some move before others, or that has a mediator."""
    game, (reply, who) = ground.game, (ground.first.reply, ground.first.who)
    if game is None:
        return
    if any(DELEGATE in labels for labels in game.actions):
        raise ScenarioError(
            f"mediation: an action of this game is called {DELEGATE!r}, as is leaving the move to "
            "the mediator; call that action something else"
        )
    if not isinstance(reply, MixedStrategy) or DELEGATE in reply.actions:
        raise ScenarioError(
            f"mediation: {ground.declared.move!r} asks for {reply.form()}; take mixed strategies, "
            "and no more than one mediator"
        )
    alike = np.array([labels == reply.actions for labels in game.actions])
    seats = ground.first.facts["seat"].values - 1
    if not np.array_equal(np.ones(seats.shape, bool) if who is None else who, alike[seats]):
        raise ScenarioError(
            "mediation: not all move at the same time, so that those who delegate could not be "
            "counted before anybody moves; name mediation before leadership"
        )


def _under_mediator(
    env: Environment, inner: Script, ground: Ground, sense: Plans, won: Elected, *, gaps: bool
) -> Script:
    """Play with the mediator that was elected."""
    service = Amounts if ground.game is None else ActionMediator
    matches = match_players(env, ground.players)
    return service(env, matches, ground, sense, won, gaps=gaps).serving(inner)
