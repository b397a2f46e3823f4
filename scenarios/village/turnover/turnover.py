"""Turnover: people come and go while a village goes on, on a schedule, by chance, or by its state.

As a round begins,
    1. so many as the schedule says leave, drawn by lot, and each other with chance `leaving`, and
       surely where a fact of its own is below `leaving_below`;
    2. of empty seats so many as the schedule says are taken by newcomers, drawn by lot, and each
       other with chance `arriving`, as long as a fact of all is above `arriving_above`, and surely
       if it has been empty for `vacant_at_most` rounds. Seats are empty after somebody has left or
       died, and `empty` of them before the first round; where strangers were turned away, nobody
       comes.
Facts are as they were told last; nobody moves by those that were not told yet.
Where there are fewer than the schedule says, as some have died, all of them go, or all seats are
taken. Who leaves takes along what it owns. A newcomer has a life of its own: its traits, norm and
memory begin as those of a villager of its cohort do, and it owns what villagers own at first.
Who leaves may be followed by somebody in the same round: with chances a of arriving and l of
leaving, a seat is taken in a / (a + l (1 - a)) of all rounds, in the long run.
Source: ours; that norms outlive those who made them: Jacobs and Campbell 1961, Journal of Abnormal
and Social Psychology 62, who replaced one of a group after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.mechanism import Play, as_play, dry_run, intercept
from society.engine.parameters import Share
from society.engine.rng import Array, Draws
from society.engine.scenario import Measure, RoundFacts, mechanism
from society.engine.script import Inherit, Line, Scope, Script, Tell, own
from society.errors import ScenarioError, suggest
from society.lineage import ARRIVED
from society.lineage.lives import name_life
from society.scenarios.village.turnover.norm_survival import told_by_turnover

CHANCE_ID = "turnover"
Count = Annotated[int, Field(ge=0)]


class ScheduledTurnover(BaseModel):
    """So many leave, and so many come, as a round begins."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    round: Annotated[int, Field(ge=1)]
    leave: Count = 0
    arrive: Count = 0


class TurnoverRules(NamedTuple):
    """When people come and go. above, below: the level of a fact, by its name."""

    planned: Mapping[int, ScheduledTurnover]
    leaving: float
    arriving: float
    above: Mapping[str, float]
    below: Mapping[str, float]
    longest: int | None  # rounds for which a seat stays empty

    @property
    def by_state(self) -> bool:
        """Tell whether facts, or how long a seat is empty, move anybody."""
        return bool(self.above or self.below or self.longest)

    @property
    def by_chance(self) -> bool:
        """Tell whether chance decides how many move."""
        return bool(self.leaving or self.arriving)


def share_of_founders(told: RoundFacts, env: Environment) -> Array:
    """The share of those present who have been here from the beginning, (R,)."""
    present = env.present.sum(1)
    share: Array = (env.present & (env.lives < env.agents)).sum(1) / np.where(
        present, present, np.nan
    )
    return share


@mechanism(
    chance_id=CHANCE_ID,
    measures=(
        Measure(
            "founders",
            "share of those present, last round",
            share_of_founders,
            fold="last",
            label="founders who are left",
        ),
    ),
    facts={
        "life": FactSpec("Number of a life"),
        "newcomer": FactSpec("Whether a villager has just arrived"),
    },
    post_analysis=told_by_turnover,
)
def turnover(
    play: Play,
    *,
    schedule: Annotated[
        tuple[ScheduledTurnover, ...],
        Field(description="how many leave and arrive, as which round begins"),
    ] = (),
    leaving: Annotated[
        Share, Field(description="chance of each villager to leave, each round")
    ] = 0.0,
    arriving: Annotated[
        Share, Field(description="chance of each empty seat to be taken, each round")
    ] = 0.0,
    empty: Annotated[int, Field(ge=0, description="seats that nobody has at first")] = 0,
    arriving_above: Annotated[
        Mapping[str, float] | None,
        Field(description="facts of all, such as stock, above which newcomers come by chance"),
    ] = None,
    leaving_below: Annotated[
        Mapping[str, float] | None,
        Field(description="facts of each one, such as wealth, below which it leaves"),
    ] = None,
    vacant_at_most: Annotated[
        int | None, Field(ge=1, description="rounds for which a seat stays empty at the most")
    ] = None,
) -> Play:
    """Villagers leave and newcomers arrive, and the village goes on."""
    inner = as_play(play)
    _refuse_closed(inner)
    if arriving_above and not arriving:
        raise ScenarioError(
            "turnover: arriving_above says when newcomers come by chance, and arriving is 0; give "
            "arriving, such as 1"
        )
    planned = _by_round(schedule)
    rules = TurnoverRules(
        planned, leaving, arriving, arriving_above or {}, leaving_below or {}, vacant_at_most
    )
    if not (schedule or rules.by_chance or rules.by_state):
        raise ScenarioError(
            "turnover: nobody comes or goes; give schedule, leaving, arriving, leaving_below or "
            "vacant_at_most"
        )

    def moving(env: Environment) -> Script:
        _refuse_impossible(planned, env, empty, chance=rules.by_chance or rules.by_state)
        _refuse_unknown_facts(inner, env, rules)
        return Movement(env, rules).around(inner(env), empty)

    return replace(
        inner, script=moving, public={**inner.public, "turnover": True}, name_life=name_life
    )


def _refuse_closed(inner: Play) -> None:
    """Raise ScenarioError for a play whose seats are not open, or have several lives already."""
    if inner.declared is None or not inner.declared.open:
        raise ScenarioError(
            "turnover: this play does not let people come and go; take fishing_village or "
            "language_village, or a script that declares open=True and runs env.turnover() as a "
            "round begins"
        )
    if "turnover" in inner.public or "succession" in inner.public:
        raise ScenarioError(
            "turnover: lives take turns on the seats of this play already; name turnover once, "
            "and not around generations"
        )


def _by_round(schedule: Sequence[ScheduledTurnover]) -> dict[int, ScheduledTurnover]:
    """Return the entries of a schedule by round; raises ScenarioError if two have the same one."""
    rounds = [one.round for one in schedule]
    if twice := sorted({one for one in rounds if rounds.count(one) > 1}):
        raise ScenarioError(f"turnover: the schedule has round {twice[0]} twice; join the two")
    return {one.round: one for one in schedule}


def _refuse_impossible(
    planned: Mapping[int, ScheduledTurnover], env: Environment, empty: int, *, chance: bool
) -> None:
    """Raise ScenarioError for a schedule that cannot be kept even if nobody dies."""
    if empty >= env.agents:
        raise ScenarioError(
            f"turnover: empty is {empty}, and there are {env.agents} seats; leave somebody there"
        )
    here = env.agents - empty
    for number, step in sorted(planned.items()):
        if number > env.horizon:
            raise ScenarioError(
                f"turnover: the schedule has round {number}, and the last one is {env.horizon}; "
                "give an earlier round, or more rounds"
            )
        if chance:  # how many are there depends on it
            continue
        if step.leave > here:
            raise ScenarioError(
                f"turnover: {step.leave} shall leave in round {number}, and at most {here} are "
                "there; let fewer leave, or more arrive before"
            )
        here -= step.leave
        if step.arrive > env.agents - here:
            raise ScenarioError(
                f"turnover: {step.arrive} shall arrive in round {number}, and at most "
                f"{env.agents - here} seats are empty; let fewer arrive, or raise agents and empty"
            )
        here += step.arrive


def _refuse_unknown_facts(inner: Play, env: Environment, rules: TurnoverRules) -> None:
    """Raise ScenarioError for levels of facts that the play does not tell."""
    if not (rules.above or rules.below):
        return
    told = [line for line in dry_run(inner, env) if isinstance(line, Tell)]
    wanted: tuple[tuple[str, Mapping[str, float], str, tuple[Scope, ...]], ...] = (
        ("arriving_above", rules.above, "for all", ("common",)),
        ("leaving_below", rules.below, "for each one", ("own", "seen")),
    )
    for key, levels, whose, scopes in wanted:
        known = {
            name
            for line in told
            for name, fact in line.facts.items()
            if fact.scope in scopes and fact.values.dtype.kind in "biuf" and fact.values.ndim <= 2
        }
        for name in levels:
            if name not in known:
                raise ScenarioError(
                    f"turnover: {key} names {name!r}, and this play tells no such number {whose}; "
                    f"{suggest(name, known)}"
                )


@dataclass
class Movement:
    """The coming and going in one run; number: of the round that begins.

    told: the facts that rules look at, as they were told last, (R, 1) or (R, N).
    """

    env: Environment
    rules: TurnoverRules
    number: int = 0
    seats: Array | None = None  # (R, N), those that somebody had, or may have, at first
    told: dict[str, Array] = field(default_factory=dict)

    def around(self, play: Script, empty: int) -> Script:
        """Play, with people who move as rounds begin."""
        env, self.env.turnover = self.env, self._moved
        vacant = drawn(env.present, empty, env.draws(CHANCE_ID).uniform("empty"))
        self.vacant = vacant
        self.empty_for = np.zeros(env.present.shape, np.int64)  # rounds
        yield Tell("vacant", gone=vacant)
        heard = intercept(play, line=self._heard) if self.rules.above or self.rules.below else play
        return (yield from heard)

    def _heard(self, said: Line) -> Line:
        """Note the facts that rules look at."""
        if isinstance(said, Tell):
            names = said.facts.keys() & {*self.rules.above, *self.rules.below}
            self.told |= {name: said.facts[name].values for name in names}
        return said

    def _moved(self) -> Script:
        """Let people leave and arrive, and tell whose lives these are."""
        env, draws, rules = self.env, self.env.draws(CHANCE_ID), self.rules
        self.number += 1
        if self.seats is None:
            self.seats = env.present | self.vacant
        else:
            free = self.seats & ~env.present
            self.empty_for = np.where(free, self.empty_for + 1, 0)
        step = rules.planned.get(self.number)
        come = np.zeros(env.present.shape, bool)
        if step is not None or rules.by_chance or rules.by_state:
            come = yield from self._replace(step or ScheduledTurnover(round=self.number), draws)
        # Lives are told in each round, so that each can be read alone.
        yield Tell(ARRIVED, {"life": own(env.lives), "newcomer": own(come)}, back=come)

    def _replace(self, step: ScheduledTurnover, draws: Draws) -> Script:
        """Let people go, and begin the lives of those who come; returns these, (R, N)."""
        env, seats = self.env, self.seats
        assert seats is not None
        go = drawn(env.active, step.leave, draws.uniform("goes"))
        go |= env.active & (draws.uniform("leaves") < self.rules.leaving)
        for name, level in self.rules.below.items():
            go |= env.active & (self.told.get(name, np.inf) < level)
        yield Tell("left", gone=go)
        free = seats & ~env.present & env.running
        come = drawn(free, step.arrive, draws.uniform("comes"))
        by_chance = free & (draws.uniform("arrives") < self.rules.arriving)
        for name, level in self.rules.above.items():
            by_chance &= self.told.get(name, -np.inf) > level
        come |= by_chance
        if self.rules.longest is not None:
            come |= free & (self.empty_for >= self.rules.longest)
        yield Inherit(ARRIVED, np.full(come.shape, NOBODY), (), come)
        return come


def drawn(among: Array, count: int, lots: Array) -> Array:
    """Draw so many of those marked, or all if there are fewer, by the least lots, (R, N)."""
    rank = np.argsort(np.argsort(np.where(among, lots, np.inf), axis=1, kind="stable"), axis=1)
    chosen: Array = among & (rank < count)
    return chosen
