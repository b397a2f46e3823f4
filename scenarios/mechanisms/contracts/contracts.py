"""Contracts: those who play may bind themselves to payments that depend on what each one does.

    1. Everybody proposes a contract (society.scenarios.mechanisms.contracts.terms says what one
    is); 2. all vote on the proposals of their match
    (society.scenarios.mechanisms.agreements.approval_voting); 3. everybody signs the winner or does
    not: it is in force only if all have signed; 4. the play goes on as it would, and all know the
    contract and who has signed it; 5. with every payoff the contract in force is carried out.
It is made before the first round of the play, and holds for all of its rounds.
Source: Tewolde et al. 2026 (CoopEval), section 3; Haupt et al. 2024. Bounds, the form `seat`, and
contracts over amounts are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Play, PlayFunction, add_extra_payoff, intercept
from society.engine.rng import Array
from society.engine.scenario import Drafts, Measure, RoundFacts, mean_over, mechanism
from society.engine.script import Ask, Fact, Line, Script, Tell, own
from society.errors import ScenarioError
from society.scenarios.games.game import REPAIRS
from society.scenarios.games.player_matching import Matches, match_players
from society.scenarios.mechanisms.agreements.approval_voting import (
    BALLOT,
    YES,
    Elected,
    match_fact,
    play_under_agreement,
    spread_to_players,
)
from society.scenarios.mechanisms.agreements.proposals import (
    GivenDesigns,
    Ground,
    Shape,
    Stage,
)
from society.scenarios.mechanisms.contracts.terms import Terms, contract_terms, net_transfers

_DID = "action"  # the fact that says what everybody did; else it is called as the move


def in_force(told: RoundFacts, env: Environment) -> Array:
    """Share of those present, (R,), that is of matches."""
    return mean_over(env.present, told["contract_active"])


def unanimous_signing(told: RoundFacts, env: Environment) -> Array:
    """Share of those present, (R,), that is of matches; NaN where nothing was proposed."""
    return mean_over(env.present & (told["contract_proposer"] > 0), told["contract_unanimous"])


def signing_share(told: RoundFacts, env: Environment) -> Array:
    """Share of those present who could sign, (R,); NaN where nothing was proposed."""
    return mean_over(env.present & (told["contract_proposer"] > 0), told["contract_signs"])


def amount_transferred(told: RoundFacts, env: Environment) -> Array:
    """Average the payments between players over those present, (R,)."""
    return mean_over(env.present, np.abs(told["contract_transfer"]) / 2)


MEASURES = (
    Measure(
        "contracts", "share of matches with one in force", in_force, label="contracts in force"
    ),
    Measure(
        "contract_unanimity",
        "share of matches in which all approved of the winner",
        unanimous_signing,
    ),
    Measure("contract_signing", "share of players who sign what was proposed", signing_share),
    Measure("contract_payments", "in units of payoff, per player and game", amount_transferred),
)
FACTS = {
    "contract_proposer": FactSpec("Seat of the player with the chosen contract; 0: none"),
    "contract_active": FactSpec("Whether a contract is in force"),
    "contract_signs": FactSpec("Whether a player signs the contract"),
    "contract_transfer": FactSpec("What the contract adds to the payoff"),
}


@mechanism(
    chance_id="contracted",
    measures=MEASURES,
    columns=("contract_proposer", "contract_active", "contract_transfer"),
    facts=FACTS,
    drafts=Drafts("designs", ("stage", "design"), "contract_design"),
)
def contracts(
    play: Play,
    *,
    form: Annotated[
        Shape, Field(description="one payment for each action, or one for each action of each seat")
    ] = "count",
    bound: Annotated[float, Field(gt=0, le=1e9, description="largest payment")] = 100.0,
    knots: Annotated[
        int, Field(ge=2, le=100, description="number of payments, where moves are amounts")
    ] = 5,
    designs: GivenDesigns = None,
    stage: Stage = "play",
) -> PlayFunction:
    """Players may agree on payments for what each one does, before they do it.

    bound: no payment is larger, in units of payoff. Raises ScenarioError, before the first line,
    for a play without matches that last, or that takes no payments, and for designs that do not
    fit.
    """

    def agreed(env: Environment) -> Script:
        under = partial(_under_contract, env)
        return play_under_agreement(play, env, "contracts", meaning, designs, stage, under)

    def meaning(ground: Ground) -> Terms:
        _refuse_unpaid(ground)
        return contract_terms(ground, form, bound, knots)

    return agreed


def _refuse_unpaid(ground: Ground) -> None:
    if not ground.declared.payoff:
        raise ScenarioError(
            "contracts: what is owned in this play can grow or vanish from round to round, and "
            "what was promised might not be there when it is due; take a game of fixed payoffs, "
            "or `mediation`, which needs no payments"
        )


def _under_contract(
    env: Environment, inner: Script, ground: Ground, sense: Terms, won: Elected
) -> Script:
    """Ask all to sign the contract that was elected, and play with it."""
    matches = match_players(env, ground.players)
    known = {
        **sense.blueprint.described(ground),
        "contract": match_fact(matches, won.design),
        "contract_proposer": match_fact(matches, won.proposer),
    }
    facts = {"seat": own(matches.seat + 1), **ground.terms, **known}
    who, fallback = spread_to_players(matches, won.exists), ground.fallback(env, "no")
    said = yield Ask("sign_contract", BALLOT, facts, who, fallback, REPAIRS)
    contract = Contract(env, matches, ground, sense, won, said == YES, known)
    return (yield from intercept(inner, line=contract.heard, answer=contract.answered))


class Contract:
    """A contract in each match, in force or not, and what it does to a play.

    signs: (R, N) of bool. known: facts that describe it.
    """

    def __init__(
        self,
        env: Environment,
        matches: Matches,
        ground: Ground,
        sense: Terms,
        won: Elected,
        signs: Array,
        known: Mapping[str, Fact],
    ) -> None:
        self._env, self._matches, self._ground, self._sense = env, matches, ground, sense
        signed = matches.gathered(signs)
        agree = (signed | ~matches.gathered(env.active)).all(-1)
        self._active = won.exists & agree
        self._contract = np.where(self._active[..., None], won.design, 0)
        self._asked = {
            **known,
            "contract_active": match_fact(matches, self._active),
            "contract_signed": match_fact(matches, signed),
        }
        self._told = {
            **won.told(matches, "contract"),
            "contract_active": own(spread_to_players(matches, self._active)),
            "contract_signs": own(signs),
        }
        self._did = np.zeros(env.present.shape, np.int64)
        self._transfer = np.zeros(env.present.shape)

    def heard(self, line: Line) -> Line:
        """Questions say what was agreed; payoffs are what they are after all have paid."""
        if isinstance(line, Ask):
            return replace(line, facts={**line.facts, **self._asked})
        if isinstance(line, Tell):
            self._watch(line.facts)
            return self._paid(line) if line.kind == self._ground.declared.told else line
        return line

    def answered(self, line: Line, received: Any) -> Any:
        """The play gets what it has to add to its payoffs, (R, N)."""
        if isinstance(line, Tell) and line.kind == self._ground.declared.told:
            return self._transfer if received is None else self._transfer + received
        return received

    def _watch(self, facts: Mapping[str, Fact]) -> None:
        """Note everybody's action, which is told with the payoffs, or before."""
        for name in (_DID, self._ground.declared.move):
            if name in facts:
                self._did = facts[name].values
                return

    def _paid(self, tell: Tell) -> Tell:
        matches = self._matches
        due = self._sense.due(self._contract, matches.gathered(self._did))
        present = matches.gathered(self._env.active)
        self._transfer = matches.spread(net_transfers(due, present))
        paid = add_extra_payoff(tell, self._ground.declared, self._transfer)
        transfer = {"contract_transfer": own(self._transfer)}
        return replace(paid, facts={**paid.facts, **self._told, **transfer})
