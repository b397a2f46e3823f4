"""A tournament of programs: what each is paid in mixed groups, among defectors, among its copies.

In each round every program plays three games of n players, all in one batch:
    mixed       with others: all programs are shuffled and cut into groups of n
    defectors   alone among n - 1 players who always defect
    copies      with n - 1 copies of itself
A program is robust if it is paid about as much among defectors as who defects there, and well
among its copies. Agents stand for the programs of the folders, in turn if there are more agents.
Source: ours, after what Willis et al. 2026, section 5, ask of collective and exploitative sets.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, RoundFacts, scenario
from society.engine.script import Fact, Script, Tell, own
from society.sandbox.stage_games import StageGame
from society.scenarios.programs.match_play import (
    MatchHall,
    match_payoffs,
    play_groups,
    program_seeds,
)
from society.scenarios.programs.program_params import DilemmaOfPrograms, refuse_remainder
from society.scenarios.programs.program_users import ENROLLED, ProgramUser
from society.scenarios.programs.strategy_pool import StrategyPool, always_defect

CHANCE_ID = "program_tournament"


def entrants(p: DilemmaOfPrograms, agents: int) -> list[Cohort]:
    """The default cast: an agent for each program, in turn."""
    return [Cohort("program", agents, (ProgramUser(p.strategies),))]


def _mean_of(name: str, told: RoundFacts, env: Environment) -> Array:
    return np.asarray(told[name].mean(1))


MEASURES = tuple(
    Measure(name, words, partial(_mean_of, name))
    for name, words in (
        ("payoff", "points per round in mixed groups"),
        ("among_defectors", "points per round among players who always defect"),
        ("among_copies", "points per round among copies of itself"),
        ("cooperation", "share of rounds in mixed groups"),
    )
)


@scenario(
    params=DilemmaOfPrograms,
    cast=entrants,
    measures=MEASURES,
    agents=16,
    rounds=10,
    display=DisplaySpec(
        columns=("program", "payoff", "among_defectors", "among_copies"),
        better={"payoff": "more", "among_defectors": "more", "among_copies": "more"},
        noun="program",
    ),
    facts={
        "gene": FactSpec("Number of the gene, a model and an attitude"),
        "program": FactSpec("Number of the program"),
        "payoff": FactSpec("Points per round in a mixed group"),
        "among_defectors": FactSpec("Points per round among players who always defect"),
        "among_copies": FactSpec("Points per round among copies of itself"),
        "cooperation": FactSpec("Share of rounds of cooperation in a mixed group"),
    },
)
def program_tournament(env: Environment) -> Script:
    """Programs play in mixed groups, among defectors and among copies of themselves (ours)."""
    refuse_remainder(env.agents, env.params.players)
    return _rounds(env, env.params.strategies)


def _rounds(env: Environment, pool: StrategyPool) -> Script:
    game = env.params.stage_game
    programs = (*pool.programs, always_defect(pool.programs[0]))
    names = (*pool.names, "always defect")
    hall = MatchHall(programs, names, env.replicates, env.rehearses, env.params.open_source)
    program = np.broadcast_to(env.ids % len(pool.programs), env.present.shape)
    gene = np.searchsorted(pool.firsts, program, "right") - 1
    for _ in env.rounds():
        yield Tell(ENROLLED, {"gene": own(gene), "program": own(program)})
        mixed = play_groups(env, hall, game, program, CHANCE_ID)
        special = _SpecialGames(env, hall, game, program)
        facts: dict[str, Fact] = {
            "payoff": own(mixed.points[:, :, 0] / game.rounds),
            "cooperation": own(mixed.cooperated[:, :, 0] / game.rounds),
            "among_defectors": own(special.first_paid(len(programs) - 1, "defectors")),
            "among_copies": own(special.first_paid(None, "copies")),
        }
        yield Tell("games_played", facts)


class _SpecialGames(NamedTuple):
    """Games that each program plays with partners of one kind."""

    env: Environment
    hall: MatchHall
    game: StageGame
    program: Array

    def first_paid(self, partner: int | None, channel: str) -> Array:
        """Points per round of each program on the first seat, (R, N); None: among copies."""
        n, shape = self.game.players, (*self.program.shape, self.game.players)
        seats = np.array(np.broadcast_to(self.program[..., None], shape))
        if partner is not None:
            seats[..., 1:] = partner
        names = (f"{channel} {seat}" for seat in range(n))
        seeds = np.stack([program_seeds(self.env, CHANCE_ID, name) for name in names], axis=2)
        played = self.hall.play(self.game, seats, seeds, self.env.running[:, 0])
        paid: Array = match_payoffs(self.game, played.actions).points[..., 0] / self.game.rounds
        return paid
