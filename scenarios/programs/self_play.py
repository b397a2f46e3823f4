"""Self-play: how programs of one model fare among each other, by how many are exploitative.

A round is a composition: n_e programs of one attitude and n - n_e of the other play one game of n
players. The first round has n_e = 0, the next ones `step` more each, and the last one n_e = n. A
replicate is a sample: programs are drawn from the two sets without replacement, and take seats by
chance. So the measures of a round are estimated over replicates, of which the paper has 200.

A set with fewer programs than players is refused, since no sample of such a size can be drawn from
it; with `replacement` one program may sit on several seats.
Source: Willis et al. 2026, section 5: n = 4, 16, 64 and 256, there with every fourth composition.
Replacement is ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, RoundFacts, scenario
from society.engine.script import Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.programs.imitation import inverse
from society.scenarios.programs.match_play import MatchHall, play_groups, random_order
from society.scenarios.programs.program_params import DilemmaOfPrograms
from society.scenarios.programs.program_users import ENROLLED, ProgramUser
from society.scenarios.programs.strategy_pool import StrategyPool, number_of

CHANCE_ID = "self_play"


class SelfPlay(DilemmaOfPrograms):
    """Symbols are those of the docstring above; there are as many agents as players."""

    model: str = Field("", description="the model whose programs play; none: the only one, or all")
    attitude: str = Field("exploitative", description="the attitude of which there are n_e")
    other: str = Field("collective", description="the attitude of the others")
    step: int = Field(1, ge=1, description="by how many n_e grows from round to round")
    replacement: bool = Field(False, description="whether a program may sit on several seats")

    @property
    def compositions(self) -> tuple[int, ...]:
        """The number of programs with the attitude, in each round; both ends are there."""
        return (*range(0, self.players, self.step), self.players)


class AttitudeSets(NamedTuple):
    """The numbers of the programs with an attitude, and with the other one."""

    exploiters: Array
    others: Array


def attitude_sets(p: SelfPlay) -> AttitudeSets:
    """Return the two sets that meet; raises SandboxError for names that are not there."""
    pool = p.strategies
    models = [*range(len(pool.models))]
    if p.model:
        models = [number_of(p.model, pool.models, "model")]

    def programs(attitude: str) -> Array:
        number = number_of(attitude, pool.attitudes, "attitude")
        genes = pool.gene_of(np.array(models), np.array(number)).tolist()
        return np.concatenate([pool.of_gene(gene) for gene in genes])

    return AttitudeSets(programs(p.attitude), programs(p.other))


def _refuse_few(p: SelfPlay, sets: AttitudeSets) -> None:
    """Raise ScenarioError for sets from which n programs cannot be drawn."""
    for attitude, programs in zip((p.attitude, p.other), sets, strict=True):
        if len(programs) < p.players and not p.replacement:
            of = f" of {p.model}" if p.model else ""
            raise ScenarioError(
                f"{len(programs)} {attitude} strategies{of} cannot fill {p.players} seats without "
                "replacement; take fewer players or more strategies, or say replacement: true"
            )


def program_players(p: SelfPlay, agents: int) -> list[Cohort]:
    """The default cast: as many players as there are agents."""
    return [Cohort("player", agents, (ProgramUser(p.strategies),))]


def sampled(programs: Array, uniform: Array, *, replacement: bool) -> Array:
    """Draw a program for each of some seats, (R, n) of numbers in [0, 1) -> (R, n)."""
    size = len(programs)
    if replacement:
        drawn: Array = programs[np.minimum((uniform * size).astype(int), size - 1)]
        return drawn
    left = np.tile(programs, (len(uniform), 1))
    row = np.arange(len(uniform))
    # Of those who are left, one changes places with the first (Fisher and Yates 1938).
    for place in range(min(uniform.shape[1], size)):
        pick = place + np.minimum(
            (uniform[:, place] * (size - place)).astype(int), size - place - 1
        )
        left[row, pick], left[:, place] = left[:, place].copy(), left[row, pick]
    return left[:, : uniform.shape[1]]


def _share(told: RoundFacts, env: Environment) -> Array:
    return np.asarray(told["cooperated"].mean(1) / env.params.game_rounds)


def _payoff(told: RoundFacts, env: Environment) -> Array:
    return np.asarray(told["points"].mean(1) / env.params.game_rounds)


def _efficiency(told: RoundFacts, env: Environment) -> Array:
    return np.asarray(env.params.stage_game.efficiency(_payoff(told, env)))


def _failures(told: RoundFacts, env: Environment) -> Array:
    return np.asarray(told["program_failures"].sum(1))


MEASURES = (
    Measure("payoff", "points per round and player, mean over compositions", _payoff),
    Measure("efficiency", "welfare between the bounds, mean over compositions", _efficiency),
    Measure("cooperation", "share of rounds, mean over compositions", _share),
    Measure(
        "failures", "calls of programs without a move", _failures, "total", label="failed calls"
    ),
)


@scenario(
    params=SelfPlay,
    cast=program_players,
    measures=MEASURES,
    agents=4,
    rounds=5,
    display=DisplaySpec(
        columns=("gene", "program", "points"),
        better={"points": "more", "efficiency": "more"},
        notes={"exploiters": {}},
        levels=("composition",),
        player="player",
    ),
    facts={
        "exploiters": FactSpec("Players with the attitude, n_e"),
        "gene": FactSpec("Number of the gene, a model and an attitude"),
        "program": FactSpec("Number of the program"),
        "points": FactSpec("Points in the game"),
        "cooperated": FactSpec("Rounds of cooperation in the game"),
        "program_failures": FactSpec("Calls of the program that gave no move"),
    },
)
def self_play(env: Environment) -> Script:
    """Programs of one model play in groups of each composition (Willis et al. 2026)."""
    p = env.params
    if env.agents != p.players:
        raise ScenarioError(
            f"{env.agents} agents are no game of {p.players} players; take as many of one as of "
            f"the other: --agents {p.players}, or players={env.agents}"
        )
    sets = attitude_sets(p)
    _refuse_few(p, sets)
    return _compositions(env, p.strategies, sets)


def _compositions(env: Environment, pool: StrategyPool, sets: AttitudeSets) -> Script:
    p = env.params
    hall = MatchHall(pool.programs, pool.names, env.replicates, env.rehearses, p.open_source)
    compositions = p.compositions
    for number in env.rounds(len(compositions)):
        exploiters = compositions[number - 1]
        program = _composed(env, sets, exploiters)
        gene = np.searchsorted(pool.firsts, program, "right") - 1
        yield Tell(ENROLLED, {"gene": own(gene), "program": own(program)})
        results = play_groups(env, hall, p.stage_game, program, CHANCE_ID)
        facts = {
            "points": own(results.points[:, :, 0]),
            "cooperated": own(results.cooperated[:, :, 0]),
            "program_failures": own(results.failures[:, :, 0]),
        }
        yield Tell("games_played", {"exploiters": common(exploiters), **facts})


def _composed(env: Environment, sets: AttitudeSets, exploiters: int) -> Array:
    """A program for each player, (R, n), so many of the first set."""
    order = random_order(env, CHANCE_ID, "seat")
    uniform = np.take_along_axis(env.draws(CHANCE_ID).uniform("program"), order, 1)
    anew = env.params.replacement
    some = sampled(sets.exploiters, uniform[:, :exploiters], replacement=anew)
    rest = sampled(sets.others, uniform[:, exploiters:], replacement=anew)
    return np.take_along_axis(np.concatenate([some, rest], axis=1), inverse(order), 1)
