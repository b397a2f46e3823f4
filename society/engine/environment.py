"""The environment of a script: parameters, rounds, graphs, who takes part, and its own draws."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from society.errors import CastError, PartError, suggest

from .array_digests import NEWEST_RULE, DigestRule
from .graph import Complete, Graph
from .naming import Naming
from .rng import Array, DrawPlaces, Draws
from .script import Script


class Round(NamedTuple):
    """A round that a script has opened: its place, and how many there are at each level."""

    path: tuple[int, ...]
    sizes: tuple[int, ...]


T = TypeVar("T")


def nobody_moves() -> Script:
    """Let nobody come or go."""
    yield from ()


def name_by_id(life: int, agents: int) -> str:
    """Name an agent by its id: each has one life only."""
    return str(life)


class NameLife(Protocol):
    """Names an agent by the number of its life and the number of agents."""

    def __call__(self, life: int, agents: int) -> str: ...


class PublicFacts(NamedTuple):
    """Facts of a play that agents and prompts know from the beginning.

    rules: of its game, None if it describes none. public: more, by name. name_life: the name of an
    agent, from the number of its life and the number of agents.
    """

    rules: Any = None
    public: Mapping[str, Any] = {}
    name_life: NameLife = name_by_id


NO_FACTS = PublicFacts()


class UnknownGraph(PartError):
    """A relation that the scenario lacks."""


class EnvironmentChange(NamedTuple):
    """What an intervention changes in an environment: everything as it shall be from then on.

    rules: the public description of the game. gone: ids of agents who take no further part.
    imposed: values that the script takes by `imposed`, each made from the environment.
    replicate_ids: (R,), where replicates get luck of their own; None: they keep theirs.
    """

    params: Any
    rules: Any
    horizon: int
    seed: int
    gone: tuple[int, ...] = ()
    imposed: Mapping[str, Callable[[Environment], Any]] = {}
    replicate_ids: Array | None = None


class DryRuns:
    """Results of dry runs of plays, kept so that each is held once for an environment."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Any] = {}

    def find(self, key: tuple[object, ...], look: Callable[[], T]) -> T:
        """Return the result of `look`, which is called for the first of equal keys only."""
        if key not in self._found:
            self._found[key] = look()
        found: T = self._found[key]
        return found


class Environment:
    """The place where a script is played.

    params: the scenario's parameters. replicates: R; agents: N; horizon: rounds at most.
    present: (R, N), who takes part. running: (R, 1), which replicates go on. active: both.
    lives: (R, N), the number of each row's life. At first it is the id; every further birth counts
    on by N, so that the agent with id i that is born at the g-th birth has the number g N + i.
    naming: the words of which names of agents are made, see `name` and `whole_name`.
    answered_by_rule: tells whether anybody answers a kind of question by rule, and not in words.
    seats_with: gives the seats of those who have a component, by its chance_id, with these values
    of some of its parameters, (R, N) of bool.
    rules, public: facts that agents and prompts know from the beginning, see PublicFacts.
    levels: what rounds within rounds are called, from the outermost. clocks: what agents were told
    of the rounds in which there was something to remember, by moment.
    shared: what a script and the mechanisms around it share while they play, by name.
    opened: rounds that the script has opened since its last line, in order; the game master closes
    those before. first_rounds_only: leave each loop of rounds after its first round, so that a dry
    run finds how rounds are nested without playing them all. dry_runs: what was found in them.
    rehearses: whether this is a dry run, in which nobody answers, and nothing costly is computed.
    played_rounds: how many rounds of the horizon are played, so that a preview is soon over; None:
    all of them. others_run: whether replicates that are played elsewhere go on, so that rounds do.
    horizons: other horizons that hold from now on, by the rounds that were played before. on_round:
    called when a round has been opened, before the script says anything in it. turnover: a script
    by which people come and go, which a play that declares to be open runs as a round begins.
    digest_rule: by which its history is digested, see `array_digests`. seed: of all chance, a whole
    number of at least 0. embedder: the name of that which embeds texts for parts that name none
    themselves; "" where the run names none.
    """

    def __init__(
        self,
        params: Any,
        *,
        seed: int,
        ids: Array,
        replicate_ids: Array,
        horizon: int,
        graphs: Mapping[str, Graph] | None = None,
        first_rounds_only: bool = False,
        dry_runs: DryRuns | None = None,
        facts: PublicFacts = NO_FACTS,
    ) -> None:
        self.params = params
        self.seed = seed
        self.ids, self.replicate_ids = ids, replicate_ids
        self.replicates, self.agents, self.horizon = len(replicate_ids), len(ids), horizon
        self.graphs = dict(graphs or {})
        self.first_graphs = dict(self.graphs)
        self.present: Array = np.ones((self.replicates, self.agents), bool)
        self.running: Array = np.ones((self.replicates, 1), bool)
        self.active: Array = self.present
        self.complete = True  # whether nobody is gone, and nothing has ended
        self.rules, self._name_life = facts.rules, facts.name_life
        self.public = dict(facts.public)
        self.shared: dict[str, Any] = {}
        self.dry_runs = dry_runs or DryRuns()
        self.rehearses = False
        self.births = 0
        self.lives: Array = np.broadcast_to(ids, self.present.shape)
        self.path: tuple[int, ...] = ()
        self.sizes: tuple[int, ...] = ()
        self.levels: tuple[str, ...] = ()
        self._whole: Round | None = None  # the last round that was within no fewer than all levels
        self.clocks: dict[int, str] = {}
        self.opened: list[Round] = []
        self.first_rounds_only = first_rounds_only
        self.played_rounds: int | None = None
        self.others_run = False
        self.horizons: dict[int, int] = {}
        self.on_round: Callable[[], None] | None = None
        self.turnover: Callable[[], Script] = nobody_moves
        self._imposed: dict[str, Any] = {}
        self._counting = True
        self.moment = 0  # the number of the page that is being written
        self.digest_rule: DigestRule = NEWEST_RULE
        self.cohorts: dict[str, Array] = {}
        self.naming = Naming()
        self.embedder = ""
        self.answered_by_rule: Callable[[str], bool] = lambda kind: True  # until the cast is known
        self.seats_with: Callable[[str, Mapping[str, object]], Array]
        self.seats_with = lambda part, values: np.zeros_like(self.present)
        # The place of a draw is replicate * seats + id; ids run below seats.
        self._place = replicate_ids[:, None] * self.agents + ids
        self._draws: dict[tuple[str, str], Draws] = {}

    def draws(self, owner: str, per: Literal["agent", "replicate"] = "agent") -> Draws:
        """Chance of a script, institution or mechanism: (R, N) or (R, 1) at each draw.

        owner: its chance_id; how often others draw does not matter. It draws in every round or in
        none, whatever the data, since its n-th draw from a channel is always the same.
        """
        if (owner, per) not in self._draws:
            shape = (self.running if per == "replicate" else self.present).shape
            places = self._draws_at(per)
            self._draws[owner, per] = Draws(self.seed, f"{owner}\0{per}", places, shape=shape)
        return self._draws[owner, per]

    def _draws_at(self, per: str) -> DrawPlaces:
        """Return the places of the draws of a script, for each agent or for each replicate."""
        return DrawPlaces.at(self.replicate_ids if per == "replicate" else self.places)

    def name(self, life: int) -> str:
        """The name by which agents call the one with a life, there or not: "2", "2_4"."""
        if self.naming.players:
            return self.naming.short(life, self.agents)
        return self._name_life(life, self.agents)

    def whole_name(self, replicate: int, seat: int) -> str:
        """The name of the agent on a seat, as people and prompts read it: "villager 2".

        replicate, seat: counted from 0.
        """
        short = self.name(int(self.lives[replicate, seat]))
        for cohort in self.naming.of_cohorts.keys() & self.cohorts:
            seats = self.cohorts[cohort][replicate]
            if seats[seat]:
                return self.naming.whole(short, cohort, alone=seats.sum() == 1)
        return self.naming.whole(short)

    def lengthen_name(self, replicate: int, short: str) -> str:
        """The whole name of the agent who is there and called so: "2" -> "villager 2".

        replicate: counted from 0.
        """
        for cohort in self.naming.of_cohorts.keys() & self.cohorts:
            for seat in np.flatnonzero(self.cohorts[cohort][replicate]).tolist():
                if self.name(int(self.lives[replicate, seat])) == short:
                    return self.whole_name(replicate, seat)
        return self.naming.whole(short)

    def describe_agent(self, replicate: int, seat: int) -> str:
        """Describe the agent on a seat in a message: "villager 2 of replicate 0"."""
        name = self.whole_name(replicate, seat)
        where = "" if name.endswith(f" {seat}") else f" on seat {seat}"
        return f"{name}{where} of replicate {self.replicate_ids[replicate]}"

    def rounds(self, count: int | None = None) -> Iterator[int]:
        """Yield 1, 2, ... until the horizon (or `count`) is reached or every replicate has ended.

        Rounds within rounds make a path: (generation, game, round).
        """
        path, sizes = self.path, self.sizes
        for number in itertools.count(1):
            size = self.horizons.get(number - 1, self.horizon) if count is None else count
            last = min(size, 1) if self.first_rounds_only else size
            if count is None and self.played_rounds is not None:
                last = min(last, self.played_rounds)
            if number > last or not (self.running.any() or self.others_run):
                break
            self.path, self.sizes = (*path, number), (*sizes, size)
            if self._counting:
                self.opened.append(Round(self.path, self.sizes))
                if len(self.path) == len(self.levels):
                    self._whole = self.opened[-1]
                if self.on_round is not None:
                    self.on_round()
            try:
                yield number
            finally:
                self.path, self.sizes = path, sizes

    @property
    def clock(self) -> str:
        """The present round, as agents are told of it: "round 3 of generation 2".

        Of nested rounds the innermost counts, of which there are several, and the generation. How
        many games there are many scenarios do not tell; so these are named only if they are one
        round each. Between rounds it is the last one; "" before the first.
        """
        if self._whole is None:
            return f"round {self.moment}" if self.moment else ""
        path, sizes = self._whole
        several = [place for place, size in enumerate(sizes) if size > 1]
        inner = several[-1] if several else len(path) - 1
        said = f"{self.levels[inner]} {path[inner]}"
        if "generation" not in self.levels[:inner]:
            return said
        return f"{said} of generation {path[self.levels.index('generation')]}"

    @contextmanager
    def in_one_round(self) -> Iterator[None]:
        """Let rounds that are opened meanwhile be parts of the present one."""
        counting, self._counting = self._counting, False
        try:
            yield
        finally:
            self._counting = counting

    def newly_opened(self) -> list[Round]:
        """Return the rounds opened since this was last asked, in order."""
        opened, self.opened = self.opened, []
        return opened

    def graph(self, name: str) -> Graph:
        """The graph of one relation; raises UnknownGraph."""
        try:
            return self.graphs[name]
        except KeyError:
            hint = (
                suggest(name, self.graphs)
                if self.graphs
                else f"say relations=({name!r},) in @scenario"
            )
            raise UnknownGraph(f"there is no graph {name!r}; {hint}") from None

    def cohort(self, name: str) -> Array:
        """The seats that a cohort takes, (R, N) of bool; raises CastError if there is none."""
        try:
            return self.cohorts[name]
        except KeyError:
            raise CastError(
                f"this scenario needs a cohort called {name!r}; {suggest(name, self.cohorts)}"
            ) from None

    def sight(self, node: int, ids: Array) -> Array:
        """Return the order in which one node looks at these agents this round, as entries of `ids`.

        Chance ranks every id, so that the order of two of them depends on nobody else.
        node: replicate * N + seat. ids: (K,) -> (K,).
        """
        address, others = f"sight\0{self.places[node]}", DrawPlaces.at(ids)
        rank = Draws(self.seed, address, others, use=self.moment).uniform("rank")
        return np.argsort(rank, kind="stable")

    def close(
        self, gone: Array | None = None, ends: Array | None = None, back: Array | None = None
    ) -> None:
        """Mark agents as gone and replicates as ended: nobody asks them, but who is back.

        gone, back: (R, N) of bool; ends: (R, 1) of bool.
        """
        # Most lines change nothing; who keeps the same arrays need not look at them again.
        if not any(change is not None and change.any() for change in (gone, ends, back)):
            return
        if back is not None:
            self.present = self.present | back
        if gone is not None:
            self.present = self.present & ~gone
        if ends is not None:
            self.running = self.running & ~ends
        self.active = self.present & self.running
        self.complete = bool(self.active.all())

    def bear(self, newborn: Array) -> None:
        """Begin new lives in these rows, (R, N) of bool."""
        self.births += 1
        self.lives = np.where(newborn, self.births * self.agents + self.ids, self.lives)

    def intervene(self, change: EnvironmentChange) -> None:
        """Let an intervention take effect, on all but components and columns of agents."""
        self.params, self.rules = change.params, change.rules
        self.horizon = change.horizon
        self._imposed |= {name: make(self) for name, make in change.imposed.items()}
        if change.replicate_ids is not None:
            self.replicate_ids = change.replicate_ids
            self._place = self.replicate_ids[:, None] * self.agents + self.ids
        self.seed = change.seed
        for (_, per), draws in self._draws.items():
            draws.move(self.seed, self._draws_at(per))
        if change.gone:
            self.close(gone=np.isin(self.ids, change.gone) & np.ones_like(self.present))

    def imposed(self, name: str, present: T) -> T:
        """Return what an experimenter has put in the place of a value of the script, or that value.

        A script asks at the beginning of each round for what its scenario declares as imposable.
        """
        found: T = self._imposed.pop(name, present)
        return found

    @property
    def facts(self) -> PublicFacts:
        """The public facts, as another environment takes them."""
        return PublicFacts(self.rules, self.public, self._name_life)

    @property
    def places(self) -> Array:
        """The place of every row's draws, flat: replicate * N + id, (R * N,)."""
        return self._place.reshape(-1)


def complete_graphs(relations: tuple[str, ...], replicates: int, ids: Array) -> dict[str, Graph]:
    """Return graphs on which everybody sees everybody, one for each relation."""
    return {name: Complete(replicates, ids) for name in relations}
