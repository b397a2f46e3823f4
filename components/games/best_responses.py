"""Best responses: what each own action would have paid, and what it would pay now.

An action pays what the rules say and, if a contract is in force, what that pays for it; what others
owe for their own actions does not depend on it. Fines, gifts and mediators are not foreseen. A game
in which somebody took no part teaches nothing, since it was another one.
"""

from __future__ import annotations

import numpy as np

from society.engine.component import AgentGroup, News, Question
from society.engine.rng import Array

from .mechanism_use import payments_by_seat
from .payoff_helpers import deviation_payoffs, game_seats


def update_responses(
    tell: News, agents: AgentGroup, responds: Array, recalls: Array
) -> tuple[Array, Array, Array]:
    """The columns `would_pay`, `games` and `response` after a game.

    responds: who plays best responses. recalls: who goes by all games, not by the last one alone.
    (M,) of bool each. Of actions that pay the same the first is the best.
    """
    rules, sits, others = agents.rules, game_seats(agents), tell.facts["others"]
    would_pay, games, response = agents["would_pay"], agents["games"], agents["response"]
    learns = responds & (others >= 0).all(1)
    for seat in range(rules.players):
        rows = np.flatnonzero(learns & (sits == seat))
        if not rows.size:
            continue
        pays = deviation_payoffs(rules, seat, np.insert(others[rows], seat, 0, axis=1))
        # New arrays, cell by cell: those of the round before are not changed.
        before = np.where(recalls[rows], would_pay[rows], 0)
        would_pay[rows] = before + np.fromiter(pays, object, len(pays))
        games[rows] = np.where(recalls[rows], games[rows], 0) + 1
        response[rows] = np.stack(list(would_pay[rows])).argmax(1)
    return would_pay, games, response


def best_response(ask: Question, agents: AgentGroup, responds: Array) -> Array:
    """The best response of everybody, (M,); -1 of who knows of nothing to respond to.

    Who has seen nothing responds to the equilibrium where a contract is in force.
    """
    response = agents["response"].copy()
    if "contract_active" not in ask.facts:
        return response
    rules, games, sits = agents.rules, agents["games"], game_seats(agents)
    bound = responds & ask.facts["contract_active"].astype(bool)
    if rules.equilibrium is None:
        bound &= games > 0
    for seat, payments in enumerate(payments_by_seat(rules, ask.facts["contract"])):
        rows = np.flatnonzero(bound & (sits == seat))
        if rows.size:
            scale = np.maximum(games[rows], 1)[:, None]
            pays = _expected(agents, seat, rows) + scale * payments[rows]
            response[rows] = pays.argmax(1)
    return response


def _expected(agents: AgentGroup, seat: int, rows: Array) -> Array:
    """Return the payoff of each action to these players of one seat, over games, (m, A_j)."""
    paid, games = list(agents["would_pay"][rows]), agents["games"][rows]
    if not games.all():
        first = deviation_payoffs(agents.rules, seat, np.array([agents.rules.equilibrium]))[0]
        paid = [one if count else first for one, count in zip(paid, games, strict=True)]
    return np.stack(paid)
