"""What a player of a dilemma saw of its game, round by round, as programs are told it.

A game goes on as long as its rounds do, and begins anew with them; where single rounds are repeated
(society.scenarios.mechanisms.repetition.repetition), those of a generation are one game. A round in
which one takes no part oneself is not seen; a co-player who takes none does not cooperate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from society.components.games.payoff_helpers import by_seat, cooperative_actions, of_others
from society.engine.component import AgentGroup, News
from society.engine.environment import Environment
from society.engine.rng import Array
from society.errors import CastError
from society.sandbox.matches.live_calls import DecisionCall
from society.sandbox.stage_games import StageGame


class SeenRound(NamedTuple):
    """One round: who cooperated and what that paid, the own part first; the stock after it.

    match: the place of its game among those of the run.
    """

    match: tuple[int, ...]
    cooperated: tuple[bool, ...]
    payoffs: tuple[float, ...]
    stock: float | None


def match_place(env: Environment) -> tuple[int, ...]:
    """Return the place of the present game among the games of the run: () if there is only one."""
    if env.sizes and env.sizes[-1] > 1:
        return env.path[:-1]
    return env.path[:1] if "succession" in env.public else ()


def known_rounds(env: Environment, otherwise: int) -> int:
    """Return the number of rounds that players know; `otherwise` where the game tells none."""
    chance = getattr(env.params, "continuation", None)
    return env.sizes[-1] if chance is None and env.sizes and env.sizes[-1] > 1 else otherwise


def dilemma_of(rules: Any, rounds: int) -> StageGame:
    """Return the dilemma that is played, of so many rounds; raises CastError for another game."""
    try:
        single: StageGame | None = getattr(rules, "single", None)
    except ValueError as error:
        raise CastError(f"programs cannot play this game: {error}") from None
    if single is None:
        raise CastError(
            "programs move in public_goods, collective_risk and common_pool alone; give players "
            "of another game another component, such as classic_strategies"
        )
    return single.over(rounds)


def cooperation_mix(cooperates: Array, agents: AgentGroup, width: int) -> Array:
    """Return pure strategies, (M, K), of who cooperates, (M,) of bool, or plays the other part."""
    wanted = np.broadcast_to(by_seat(cooperative_actions(agents.rules), agents), cooperates.shape)
    action = np.where(cooperates, wanted, 1 - wanted)
    mix: Array = np.eye(width)[action]
    return mix


def observe(tell: News, agents: AgentGroup, game: StageGame, stocks: Sequence[float | None]) -> Any:
    """Return the round that each member has seen, (M,) of objects; None of who took no part.

    stocks: before the round.
    """
    rules, facts = agents.rules, tell.facts
    wanted = np.stack(
        [np.broadcast_to(by_seat(one, agents), len(agents)) for one in of_others(rules)], axis=1
    )
    own = facts["action"] == by_seat(cooperative_actions(rules), agents)
    cooperated = np.column_stack([own, facts["others"] == wanted])
    stock = facts["stock"].tolist() if "stock" in facts else [None] * len(agents)
    told = "others_payoff" in facts
    seen = np.full(len(agents), None, object)
    place = match_place(agents.env)
    for entry in np.flatnonzero(facts["action"] >= 0).tolist():
        paid = facts["others_payoff"][entry] if told else _paid(game, cooperated, stocks, entry)
        payoffs = (float(facts["payoff"][entry]), *np.nan_to_num(paid).tolist())
        seen[entry] = SeenRound(place, tuple(cooperated[entry].tolist()), payoffs, stock[entry])
    return seen


def _paid(game: StageGame, cooperated: Array, stocks: Sequence[float | None], entry: int) -> Array:
    """Return what the game pays the co-players of one member, (n - 1,)."""
    paid: Array = game.paid(cooperated[entry], stocks[entry])[1:]
    return paid


def decision_call(
    program: int,
    seed: int,
    key: str,
    game: StageGame,
    seen: Sequence[SeenRound],
    opponents: tuple[int | None, ...] | None,
) -> DecisionCall:
    """Make the call that asks a program for its next move.

    opponents: the programs of the co-players if sources are open, None for one that is no program.
    """
    shape = len(seen), game.players
    stocks = None
    if game.first_stock is not None:
        after = (cast(float, one.stock) for one in seen)
        stocks = np.array([game.first_stock, *after])
    return DecisionCall(
        program,
        seed,
        key,
        game,
        np.array([one.cooperated for one in seen], bool).reshape(shape),
        np.array([one.payoffs for one in seen], float).reshape(shape),
        stocks,
        opponents,
    )
