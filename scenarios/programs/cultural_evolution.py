"""Cultural evolution of programs: users change to models and attitudes that do well for others.

Each of N users has a gene, the model that wrote its program and the attitude that this model was
given, and a program of that gene. A round is a generation:
    1. users are shuffled and cut into groups of n, which play one game of a dilemma; G times over
    2. fitness is the mean over the G games of the points of all rounds (raw), or of the points per
       round, placed between the bounds of the game (normalised)
    3. a rule says who keeps gene and program, and whose gene the others take
       (society.scenarios.programs.imitation)
    4. genes mutate: under `proportional` those of users who took one over, half the time to another
       model and else to another attitude; under the other rules either part of any gene
    5. whoever has taken over a gene, or whose gene has mutated, draws a program of its gene; all of
       them are equally likely
    6. the shares of genes are counted; when one of them dominates, evolution ends
At first genes are as frequent as each other: ceil(N / K) of each of K, shuffled and cut to N.

A program that breaks a rule of the sandbox, or fails three times in one game, is disqualified: it
plays its fallback for the rest of the run, whoever has it. With a geometric horizon a game goes on
after each round with probability 1 - 1 / rounds; programs are told five times as many rounds, at
which it ends at last.
Source: Willis et al. 2026, section 6: N = 512, an elite of 64, G = 4, n = 4 or 64, mutation .1,
an end at 75 %, 200 generations. What users pay for a change of models (switching_cost), loyalty to
models and geometric horizons are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import (
    DisplaySpec,
    Finding,
    Measure,
    PostAnalysis,
    RoundFacts,
    scenario,
)
from society.engine.script import Fact, Script, Tell, common, own
from society.errors import ScenarioError
from society.sandbox.stage_games import StageGame
from society.scenarios.mechanisms.generations.lineage_recorder import LineageRecorder
from society.scenarios.mechanisms.generations.selection import Heirs
from society.scenarios.programs.imitation import Imitation, ImitationRule, Learning, inverse
from society.scenarios.programs.match_play import (
    GroupResults,
    MatchHall,
    efficiency_of,
    play_groups,
    random_order,
)
from society.scenarios.programs.program_params import DilemmaOfPrograms, refuse_remainder
from society.scenarios.programs.program_users import ENROLLED, ProgramUser
from society.scenarios.programs.strategy_pool import StrategyPool

CHANCE_ID = "cultural_evolution"
LONGEST = 5  # times the mean length of a game, beyond which fewer than 1 in 100 go on
_MUTATION = {"proportional": 0.1, "fermi": 0.0025, "proportional_imitation": 0.0025}


class CulturalEvolution(DilemmaOfPrograms):
    """Symbols are those of the docstring above."""

    rule: ImitationRule = Field("proportional", description="the rule by which users imitate")
    elite: int | None = Field(
        None,
        ge=0,
        description="users who keep gene and program, under proportional; none: one in eight",
    )
    repetitions: int = Field(4, ge=1, description="G, games of each user in a generation")
    mutation: float | None = Field(
        None,
        ge=0,
        le=1,
        description="probability that a gene mutates, or either part of it; none: 0.1 under "
        "proportional, 0.0025 under the other rules",
    )
    dominance: float = Field(
        0.75, gt=0, le=1, description="share of users with one gene at which evolution ends"
    )
    beta: float = Field(10.0, ge=0, description="strength of selection, under fermi")
    learning: Learning = Field("all", description="whose genes users take: also their own or not")
    replacement: bool = Field(True, description="whether one user can be the parent of several")
    fitness: Literal["raw", "normalised"] | None = Field(
        None, description="points, or their place between the bounds; none: raw under proportional"
    )
    switching_cost: float = Field(
        0.0, ge=0, description="fitness that another model must have more to be worth as much"
    )
    loyalty: float = Field(
        0.0, ge=0, le=1, description="probability of taking over an attitude without its model"
    )
    horizon: Literal["known", "geometric"] = Field(
        "known", description="whether programs know the number of rounds"
    )
    averaged: int | None = Field(
        None,
        ge=1,
        description="generations at the end over which shares are averaged; none: 1 under "
        "proportional, 100 under the other rules",
    )

    @property
    def mutation_rate(self) -> float:
        return _MUTATION[self.rule] if self.mutation is None else self.mutation

    @property
    def is_raw(self) -> bool:
        """True if fitness counts in points."""
        return (self.fitness or ("raw" if self.rule == "proportional" else "")) == "raw"

    @property
    def last_generations(self) -> int:
        return self.averaged or (1 if self.rule == "proportional" else 100)

    def imitation(self, agents: int) -> Imitation:
        """The rule with its parameters, for so many users."""
        return Imitation(
            self.rule,
            agents // 8 if self.elite is None else self.elite,
            self.beta,
            self.learning,
            self.replacement,
            self.switching_cost,
            CHANCE_ID,
        )

    def told_game(self, game: StageGame) -> StageGame:
        """The game as programs are told it."""
        return game if self.horizon == "known" else game.over(LONGEST * game.rounds)


def program_users(p: CulturalEvolution, agents: int) -> list[Cohort]:
    """The default cast: users of programs."""
    return [Cohort("user", agents, (ProgramUser(p.strategies),))]


class Users(NamedTuple):
    """The gene and the program of each user, (R, N) each."""

    gene: Array
    program: Array


def first_users(env: Environment, pool: StrategyPool) -> Users:
    """Deal genes to users, each to as many as can be, whoever sits where."""
    genes, agents = len(pool.genes), env.agents
    many = math.ceil(agents / genes) * genes
    draws = env.draws(CHANCE_ID)
    who = random_order(env, CHANCE_ID, "user")
    one, other = (np.take_along_axis(draws.uniform("gene"), who, 1) for _ in range(2))
    slots = np.concatenate([one, *[other] * (many > agents)], axis=1)[:, :many]
    gene = (np.argsort(slots, axis=1, kind="stable") % genes)[:, :agents]
    gene = np.take_along_axis(gene, inverse(who), 1)
    return Users(gene, pool.draw(gene, draws.uniform("program")))


def mutated(env: Environment, pool: StrategyPool, gene: Array, learns: Array) -> Array:
    """Genes after mutation, (R, N); learns: who has taken over a gene."""
    p, draws = env.params, env.draws(CHANCE_ID)
    first, second, half = (draws.uniform(name) for name in ("mutates", "also", "part"))
    models, attitudes = len(pool.models), len(pool.attitudes)
    model, attitude = pool.model_of(gene), pool.attitude_of(gene)
    to_model = (model + 1 + draws.integers("model", models - 1)) % models
    to_attitude = (attitude + 1 + draws.integers("attitude", attitudes - 1)) % attitudes
    if p.rule == "proportional":
        changes = learns & (first < p.mutation_rate)
        in_model = (half < 0.5) if min(models, attitudes) > 1 else np.full(half.shape, models > 1)
        changes_model, changes_attitude = changes & in_model, changes & ~in_model
    else:
        changes_model, changes_attitude = first < p.mutation_rate, second < p.mutation_rate
        changes_model &= models > 1
        changes_attitude &= attitudes > 1
    return pool.gene_of(
        np.where(changes_model, to_model, model),
        np.where(changes_attitude, to_attitude, attitude),
    )


def _refuse_unplayable(env: Environment, pool: StrategyPool) -> None:
    """Raise ScenarioError, or SandboxError, for an evolution that cannot begin."""
    p = env.params
    refuse_remainder(env.agents, p.players)
    pool.refuse_single_gene()
    p.imitation(env.agents).refuse_contradictions(env.agents)
    most = math.ceil(env.agents / len(pool.genes)) / env.agents
    if most >= p.dominance:
        raise ScenarioError(
            f"dominance: {p.dominance:g} is reached before anything happens, since {env.agents} "
            f"users begin with {len(pool.genes)} genes; take more than {most:.3g}"
        )


def generation_fitness(p: CulturalEvolution, points: Array, lengths: Array) -> Array:
    """Mean over games of points, or of their place between the bounds, (R, N).

    points: (R, N, G); lengths: (R, G).
    """
    if not p.is_raw:
        lengths = np.broadcast_to(lengths[:, None], points.shape)
        points = efficiency_of(p.stage_game, points, lengths)
    mean: Array = points.mean(2)
    return mean


def game_lengths(env: Environment) -> Array:
    """Draw the number of rounds of the games of each repetition, (R, G)."""
    p = env.params
    shape = env.replicates, p.repetitions
    if p.horizon == "known":
        return np.full(shape, p.game_rounds)
    draws = env.draws(CHANCE_ID, per="replicate")
    uniform = np.concatenate([draws.uniform(f"length {k}") for k in range(shape[1])], axis=1)
    goes_on = 1 - 1 / p.game_rounds
    # The number of rounds of a game that goes on with this probability after each of them.
    length = 1 + np.floor(np.log1p(-uniform) / np.log(max(goes_on, 1e-12)))
    lengths: Array = np.minimum(length, LONGEST * p.game_rounds).astype(np.int64)
    return lengths


def gene_shares(pool: StrategyPool, gene: Array) -> Array:
    """The share of users with each gene, (R, K)."""
    return np.stack([(gene == kind).mean(1) for kind in range(len(pool.genes))], axis=1)


def _evolving(env: Environment, pool: StrategyPool) -> Script:
    p = env.params
    hall = MatchHall(
        pool.programs, pool.names, env.replicates, env.rehearses, env.params.open_source
    )
    lineage, users = LineageRecorder(env, "none"), first_users(env, pool)
    for number in env.rounds():
        yield from lineage.begun(number)
        yield Tell(ENROLLED, _enrolled(users, hall))
        lengths = game_lengths(env)
        game = p.told_game(p.stage_game)
        results = play_groups(env, hall, game, users.program, CHANCE_ID, lengths)
        yield Tell("games_played", _facts(p, results, lengths))
        yield from lineage.selected(
            generation_fitness(p, results.points, lengths),
            results.cooperated.sum(2) / lengths.sum(1, keepdims=True),
            np.zeros_like(env.present),
            partial(_select, p.imitation(env.agents), pool.model_of(users.gene)),
        )
        users = successors(env, pool, users, lineage.parents)
        shares = gene_shares(pool, users.gene)
        leading = shares.max(1, keepdims=True)
        facts = {
            "gene_shares": common(shares[:, None]),
            "leading_gene": common(shares.argmax(1)[:, None]),
            "leading_share": common(leading),
        }
        yield Tell("counted", facts)
        yield Tell("dominated", ends=leading >= p.dominance)


def _select(rule: Imitation, model: Array, fitness: Array, alive: Array, env: Environment) -> Heirs:
    """Select among users, all of whom are there."""
    return rule(fitness, model, env)


def _enrolled(users: Users, hall: MatchHall) -> dict[str, Fact]:
    out = np.take_along_axis(hall.out, users.program, 1)
    return {
        "gene": own(users.gene),
        "program": own(users.program),
        "program_disqualified": own(out),
    }


def _facts(p: CulturalEvolution, results: GroupResults, lengths: Array) -> dict[str, Fact]:
    welfare = efficiency_of(p.stage_game, results.points.mean(1), lengths)
    return {
        "group": own(results.group.astype(np.int32)),
        "points": own(results.points),
        "cooperated": own(results.cooperated.astype(np.int32)),
        "program_failures": own(results.failures.sum(2).astype(np.int32)),
        "game_lengths": common(lengths[:, None]),
        "game_efficiency": common(welfare.mean(1, keepdims=True)),
    }


def successors(env: Environment, pool: StrategyPool, users: Users, parents: Array) -> Users:
    """The genes and programs of the next generation; parents: NOBODY for who keeps both."""
    p, draws = env.params, env.draws(CHANCE_ID)
    learns = parents != NOBODY
    taken = np.take_along_axis(users.gene, np.where(learns, parents, 0), 1)
    own_model = learns & (draws.uniform("loyalty") < p.loyalty)
    attitude = pool.attitude_of(taken)
    taken = np.where(own_model, pool.gene_of(pool.model_of(users.gene), attitude), taken)
    gene = mutated(env, pool, np.where(learns, taken, users.gene), learns)
    fresh = pool.draw(gene, draws.uniform("program"))
    draws_anew = learns | (gene != users.gene)
    return Users(gene, np.where(draws_anew, fresh, users.program))


def _leading_share(told: RoundFacts, env: Environment) -> Array:
    share: Array = told["leading_share"]
    return share


def _dominated(told: RoundFacts, env: Environment) -> Array:
    return np.asarray(told["leading_share"] >= env.params.dominance)


def _efficiency(told: RoundFacts, env: Environment) -> Array:
    efficiency: Array = told["game_efficiency"]
    return efficiency


def _cooperation(told: RoundFacts, env: Environment) -> Array:
    return np.asarray(told["phenotype"].mean(1))


def _failures(told: RoundFacts, env: Environment) -> Array:
    return np.asarray(told["program_failures"].sum(1))


def _one(told: RoundFacts, env: Environment) -> Array:
    return np.ones(len(told["leading_share"]))


MEASURES = (
    Measure("efficiency", "welfare between the bounds, last generation", _efficiency, "last"),
    Measure("cooperation", "share of rounds, last generation", _cooperation, "last"),
    Measure("leading_share", "share of users with the commonest gene", _leading_share, "last"),
    Measure(
        "dominated",
        "whether one gene has come to dominate",
        _dominated,
        "last",
        label="dominance of one gene",
    ),
    Measure("generations", "generations played", _one, "total"),
    Measure(
        "failures", "calls of programs without a move", _failures, "total", label="failed calls"
    ),
)


def gene_findings(after: PostAnalysis) -> Iterator[Finding]:
    """The share of each gene, and of each attitude, at the end; and whether the gene has won.

    Shares are means over the last generations of each replicate; the commonest gene wins, the first
    of several.
    """
    p, pool = after.params, after.params.strategies
    shares = final_shares(after)
    winner = shares.argmax(1)
    for number, gene in enumerate(pool.genes):
        name = str(gene).replace(" ", "_")
        yield Finding(f"share_{name}", f"share of users with {gene}, at the end", shares[:, number])
        yield Finding(f"won_{name}", "share of runs that it wins", (winner == number) * 1.0)
    for number, attitude in enumerate(pool.attitudes):
        here = pool.attitude_of(np.arange(len(pool.genes))) == number
        unit = f"share of users with this attitude, mean over {p.last_generations} at the end"
        yield Finding(f"attitude_{attitude}", unit, shares[:, here].sum(1))


def final_shares(after: PostAnalysis) -> Array:
    """Shares of genes at the end of each replicate, mean over its last generations, (R, K)."""
    counted, lived = [], []
    before: Array | None = None
    for page in after.pages():
        for step in page.steps:
            if step.kind == "counted":
                counted.append(step.arrays["common", "gene_shares"][:, 0])
                lived.append(np.ones(len(counted[0]), bool) if before is None else before)
        before = page.running.reshape(-1)
    shares, alive = np.stack(counted, 1), np.stack(lived, 1)  # (R, T, K), (R, T)
    ends = alive.sum(1, keepdims=True)
    number = np.arange(shares.shape[1])
    late = alive & (number >= ends - after.params.last_generations)
    mean: Array = (shares * late[..., None]).sum(1) / late.sum(1)[:, None]
    return mean


FACTS = {
    "gene": FactSpec("Number of the gene, a model and an attitude"),
    "program": FactSpec("Number of the program"),
    "program_disqualified": FactSpec("Whether the program is disqualified", labels=("no", "yes")),
    "group": FactSpec("Group in each repetition"),
    "points": FactSpec("Points in each repetition"),
    "cooperated": FactSpec("Rounds of cooperation in each repetition"),
    "game_lengths": FactSpec("Rounds of the games of each repetition"),
    "program_failures": FactSpec("Calls of the program that gave no move"),
    "game_efficiency": FactSpec("Welfare between the bounds of the game"),
    "gene_shares": FactSpec("Share of users with each gene in the next generation"),
    "leading_gene": FactSpec("Number of the commonest gene"),
    "leading_share": FactSpec("Share of users with the commonest gene"),
    "generation": FactSpec("Number of the generation"),
    "life": FactSpec("Number of a life: a user's time with one gene and program"),
    "parent": FactSpec("Number of the life whose gene was taken over; -1: none"),
    "newborn": FactSpec("Whether a life has just begun"),
    "fitness": FactSpec("Success in a generation"),
    "phenotype": FactSpec("Share of rounds in which the program cooperated"),
    "alive": FactSpec("Whether a user takes part"),
    "survives": FactSpec("Whether a user keeps gene and program"),
    "descendants": FactSpec("Users who have the gene from this one, itself included"),
}


@scenario(
    params=CulturalEvolution,
    cast=program_users,
    measures=MEASURES,
    agents=512,
    rounds=200,
    display=DisplaySpec(
        columns=("gene", "program", "fitness", "phenotype"),
        better={"fitness": "more", "efficiency": "more"},
        endings={"dominated": "one gene had come to dominate", "extinct": "nobody was left"},
        levels=("generation",),
        noun="user",
    ),
    facts=FACTS,
    post_analysis=gene_findings,
)
def cultural_evolution(env: Environment) -> Script:
    """Users of programs take over models and attitudes that do well (Willis et al. 2026)."""
    pool = env.params.strategies
    _refuse_unplayable(env, pool)
    return _evolving(env, pool)
