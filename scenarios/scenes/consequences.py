"""Consequences: typed parts of a scene's state that a referee may change, within hard rules.

    Inventory       who owns what: things are handed on, and never multiply unless that is declared
    Places          who is where: one place each, along paths
    Scores          points that a referee gives
    Clock           how much time an act takes
    DeclaredFact    any other fact of the scene's

State is a dictionary of arrays, (R, N) for a value of each agent and (R, 1) for one of all. There
is one verdict for each replicate: a dictionary of fields, some of them lists of rows. `change`
gives the new state and, for each replicate, how the verdict would break a rule, or "".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from society.components.scenes.plain_acts import clauses, read_gifts, read_moves, read_takings
from society.components.scenes.verdict_form import ActorNames, Part, Row, Rows, Span, singular
from society.engine.action_spaces import Choice, Integer, Real, Value
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.rng import Array
from society.engine.script import Fact, common, own, seen
from society.errors import ScenarioError, suggest
from society.text import format_number

from .premises import MOST, check_amount, check_number, check_option, check_words

STAGE, HERE = "stage", "here"
STOCK, NOBODY_ELSE = "stock", "nobody"
Known = Mapping[str, Any]
State = Mapping[str, Array]
Verdicts = Sequence[Mapping[str, Any]]
_SLACK = 1e-9  # sums of fractions


class HardRule(NamedTuple):
    """A rule of the scene's own: where `broken(before, after)` is true, (R, N) or (R, 1), it is."""

    sentence: str
    broken: Callable[[State, State], Array]


class Stage(NamedTuple):
    """The actors of a scene: (R, N) of bool, their seats in the order of ids, and their names.

    Names are whole, "villager 2", and the same in all replicates.
    """

    env: Environment
    actors: Array
    order: tuple[int, ...]
    names: ActorNames

    @property
    def seats(self) -> dict[str, int]:
        """The seat of each who acts, by name."""
        return dict(zip(self.names, self.order, strict=True))

    def by_name(self, of_seats: Mapping[int, Any]) -> dict[str, Any]:
        """Turn a mapping by seat into one by name, in the order of ids."""
        return {name: of_seats[seat] for name, seat in self.seats.items() if seat in of_seats}

    def name(self, seat: int) -> str:
        """The name of who acts on a seat."""
        return self.names[self.order.index(seat)]


def make_stage(env: Environment, actors: Array) -> Stage:
    """The stage of those who act, (R, N) of bool."""
    seats = [seat for seat in np.argsort(env.ids).tolist() if actors[:, seat].any()]
    return Stage(env, actors, tuple(seats), ActorNames(env.whole_name(0, seat) for seat in seats))


class Consequence(ABC):
    """A part of a scene's state that a referee may change."""

    @abstractmethod
    def begin(self, stage: Stage) -> dict[str, Array]:
        """The state at the start; raises ScenarioError for one that contradicts itself.

        An array for each fact, (R, N), or (R, 1) for one of all.
        """

    @abstractmethod
    def form(self, stage: Stage) -> dict[str, Value]:
        """The fields of a verdict that change it."""

    @abstractmethod
    def change(
        self, stage: Stage, state: State, verdicts: Verdicts
    ) -> tuple[dict[str, Array], list[str]]:
        """The state after verdicts, and what each of them would break; see above.

        state: by fact, (R, N) or (R, 1) each; a verdict and a reason for each replicate.
        """

    @abstractmethod
    def told(self, state: State) -> dict[str, Fact]:
        """The facts that agents know of it."""

    @abstractmethod
    def shown(self, stage: Stage, state: State) -> dict[str, Fact]:
        """The facts that a referee knows of it, NaN of those who do not act."""

    @property
    @abstractmethod
    def specs(self) -> dict[str, FactSpec]:
        """Words and units of its facts."""

    @property
    @abstractmethod
    def rulings(self) -> dict[str, FactSpec]:
        """Words and units of the fields of a verdict that change it."""

    def limits(self) -> list[str]:
        """Sentences on what a referee cannot decide, beside what each form holds."""
        return []

    def acts(self, stage: Stage, facts: Any) -> list[str]:
        """The plain acts that are open to who knows these facts."""
        return []


@dataclass(frozen=True)
class Inventory(Consequence):
    """Things that agents own and hand on, in amounts.

    start: of each item a number for all, {id: number}, or an array; 0 where nothing is said.
    stock: items in a common stock, which can be taken from and given to. made: items that may come
    from nowhere or be used up; of all others there is always as much as at the start. in_all: how
    much there is of an item, which a start may not exceed. whole: whether amounts are whole.
    visible: whether others see what somebody owns.
    """

    items: tuple[str, ...]
    start: Mapping[str, Any] = field(default_factory=dict)
    stock: Mapping[str, float] = field(default_factory=dict)
    made: tuple[str, ...] = ()
    in_all: Mapping[str, float] = field(default_factory=dict)
    whole: bool = True
    visible: bool = False

    def begin(self, stage: Stage) -> dict[str, Array]:
        """Return how much of each item everybody owns, (R, N), and what is in stock, (R, 1).

        Raises ScenarioError for an unknown item, and for more than there is in all.
        """
        check_words("item", self.items)
        for name in (*self.start, *self.stock, *self.made, *self.in_all):
            if name not in self.items:
                raise ScenarioError(f"there is no item {name!r}; {suggest(name, self.items)}")
        for item, left in self.stock.items():
            check_amount(f"{item} in the stock are", left, whole=self.whole)
        for item, most in self.in_all.items():
            check_amount(f"{item} in all are", most, whole=self.whole)
        state = {item: self._amounts(stage, item) for item in self.items}
        shape = stage.env.running.shape
        for item, left in self.stock.items():
            state[f"{item}_left"] = np.full(shape, float(left))
        for item, most in self.in_all.items():
            held = state[item].sum(1).max() + self.stock.get(item, 0.0)
            if held > most:
                raise ScenarioError(
                    f"{format_number(held)} {item} are owned at the start, and there are "
                    f"{format_number(most)} in all; give agents less, or the scene more"
                )
        return state

    def _amounts(self, stage: Stage, item: str) -> Array:
        """What each actor owns at the start, (R, N)."""
        given, shape = self.start.get(item, 0.0), stage.env.present.shape
        words = f"{item} at the start are"
        if isinstance(given, Mapping):
            amounts, ids = np.zeros(shape), {str(stage.env.ids[seat]): seat for seat in stage.order}
            for agent, amount in given.items():
                if str(agent) not in ids:
                    raise ScenarioError(
                        f"agent {agent} owns {item} at the start, but does not act; those who do "
                        f"are {', '.join(ids)}"
                    )
                check_amount(words, amount, whole=self.whole)
                amounts[:, ids[str(agent)]] = amount
            return amounts
        check_amount(words, given, whole=self.whole)
        try:
            spread = np.broadcast_to(given, shape)
        except ValueError:
            raise ScenarioError(
                f"{words} an array of shape {np.shape(given)}; give a number for all, "
                f"{{id: number}}, or an array of shape {shape}"
            ) from None
        return np.where(stage.actors, spread, 0.0)

    def form(self, stage: Stage) -> dict[str, Value]:
        names = (*stage.names, *((STOCK,) if self.stock else ()))
        names = ActorNames((*names, NOBODY_ELSE) if self.made else names)
        amount = Span(whole=self.whole)
        parts: dict[str, Part] = {"from": names, "to": names, "amount": amount, "item": self.items}
        pattern = "{from} gives {amount} {item} to {to}"
        return {"transfers": Rows(pattern=pattern, parts=parts, plain=self._reader(stage))}

    def change(
        self, stage: Stage, state: State, verdicts: Verdicts
    ) -> tuple[dict[str, Array], list[str]]:
        """Return what all own after verdicts, (R, N), and what is left, (R, 1); and reasons."""
        replicate, rows = _flat(verdicts, "transfers")
        places = {**stage.seats, STOCK: stage.env.agents, NOBODY_ELSE: stage.env.agents + 1}
        source = np.array([places[str(row["from"])] for row in rows], np.int64)
        target = np.array([places[str(row["to"])] for row in rows], np.int64)
        item = np.array([self.items.index(str(row["item"])) for row in rows], np.int64)
        amount = np.array([float(row["amount"]) for row in rows])
        owned = self._owned(stage, state)
        spent, got = np.zeros_like(owned), np.zeros_like(owned)
        np.add.at(spent, (replicate, source, item), amount)
        np.add.at(got, (replicate, target, item), amount)
        # What is received in a turn can be spent in the next one: all acts of a turn come at once.
        over = spent > np.minimum(owned, MOST) + _SLACK
        reasons = [""] * len(verdicts)
        for row in np.argwhere(over)[::-1].tolist():
            reasons[row[0]] = self._overspent(stage, row, spent, owned)
        after = np.where(np.isfinite(owned), np.maximum(owned - spent, 0.0) + got, owned)
        new = {name: after[:, : stage.env.agents, k] for k, name in enumerate(self.items)}
        for name in self.stock:
            new[f"{name}_left"] = after[:, [stage.env.agents], self.items.index(name)]
        return new, reasons

    def _owned(self, stage: Stage, state: State) -> Array:
        """Amounts by owner and item, (R, N + 2, K): agents, the stock, nobody in particular."""
        count = stage.env.replicates
        held = np.stack([state[name] for name in self.items], axis=2)
        left = [state.get(f"{name}_left", np.zeros((count, 1))) for name in self.items]
        nowhere = [np.full((count, 1), np.inf if n in self.made else 0.0) for n in self.items]
        return np.concatenate([held, np.stack(left, 2), np.stack(nowhere, 2)], axis=1)

    def _overspent(self, stage: Stage, place: list[int], spent: Array, owned: Array) -> str:
        replicate, owner, item = place
        given, has = spent[replicate, owner, item], owned[replicate, owner, item]
        amount = f"{format_number(given) if given <= MOST else f'{given:g}'} {self.items[item]}"
        if owner > stage.env.agents:
            more = f"; at most {MOST:g} can" if np.isinf(has) else ""
            return f"{amount} would come from nowhere{more}."
        who = f"the {STOCK}" if owner == stage.env.agents else stage.name(owner)
        return f"{who} would give away {amount}, but has {format_number(has)}."

    def told(self, state: State) -> dict[str, Fact]:
        held = {name: state[name] for name in self.items}
        facts = {n: seen(HERE, v) if self.visible else own(v) for n, v in held.items()}
        return facts | self._stocks(state)

    def shown(self, stage: Stage, state: State) -> dict[str, Fact]:
        held = {name: _of_actors(stage, state[name]) for name in self.items}
        return held | self._stocks(state)

    def _stocks(self, state: State) -> dict[str, Fact]:
        return {f"{name}_left": common(state[f"{name}_left"]) for name in self.stock}

    @property
    def specs(self) -> dict[str, FactSpec]:
        held = {name: FactSpec(f"{name[:1].upper()}{name[1:]} owned") for name in self.items}
        left = {f"{n}_left": FactSpec(f"{n[:1].upper()}{n[1:]} in the stock") for n in self.stock}
        return held | left

    @property
    def rulings(self) -> dict[str, FactSpec]:
        return {"transfers": FactSpec("What changes hands")}

    def acts(self, stage: Stage, facts: Any) -> list[str]:
        others = [*stage.by_name(facts.seen("deed"))]
        gifts = [
            f"I give {_count(amount, item)} to {name}."
            for item in self.items
            for amount in (1, 2)
            if float(facts[item]) >= amount
            for name in others
        ]
        takings = [
            f"I take {_count(1, item)}." for item in self.stock if float(facts[f"{item}_left"]) >= 1
        ]
        return gifts + takings

    def _reader(self, stage: Stage) -> Callable[[Known], str]:
        def read(facts: Any) -> str:
            held = {item: stage.by_name(facts.seen(item)) for item in self.items}
            left = {item: float(facts[f"{item}_left"]) for item in self.stock}
            rows = []
            deeds = stage.by_name(facts.seen("deed"))  # of those who are there
            for name, text in deeds.items():
                for gift in read_gifts(text, self.items, tuple(n for n in deeds if n != name)):
                    if gift.amount <= held[gift.item][name]:
                        held[gift.item][name] -= gift.amount
                        rows.append(_transfer(name, gift.to, gift.amount, gift.item))
                for taken in read_takings(text, tuple(self.stock)) if self.stock else ():
                    if taken.amount <= left[taken.item]:
                        left[taken.item] -= taken.amount
                        rows.append(_transfer(STOCK, name, taken.amount, taken.item))
            form: Any = self.form(stage)["transfers"]
            return str(form.write(rows))

        return read


def _count(amount: int, item: str) -> str:
    return f"{amount} {singular(item) if amount == 1 else item}"


def _transfer(giver: str, taker: str, amount: float, item: str) -> Row:
    return {"from": giver, "to": taker, "amount": amount, "item": item}


@dataclass(frozen=True)
class Places(Consequence):
    """Where everybody is: in one of these places, and in no other at the same time.

    start: a place for all, or the ids of those who begin in each: {"pub": [0, 2]}. paths: which
    places one can go to from each, in a turn; without them from everywhere to everywhere.
    """

    places: tuple[str, ...]
    start: str | Mapping[str, Sequence[int]] = ""
    paths: Mapping[str, Sequence[str]] | None = None

    def begin(self, stage: Stage) -> dict[str, Array]:
        """Return the place of everybody, as its number, (R, N).

        Raises ScenarioError for an unknown place.
        """
        check_words("place", self.places)
        for name in self._named():
            if name not in self.places:
                raise ScenarioError(f"there is no place {name!r}; {suggest(name, self.places)}")
        first = self.places.index(self.start) if isinstance(self.start, str) and self.start else 0
        where = np.full(stage.env.agents, -1)
        if not isinstance(self.start, str):
            ids = stage.env.ids.tolist()
            for name, agents in self.start.items():
                for agent in agents:
                    if agent not in ids:
                        raise ScenarioError(
                            f"agent {agent} begins at {name}, but ids go from 0 to {max(ids)}"
                        )
                    before = where[ids.index(agent)]
                    if before >= 0:
                        raise ScenarioError(
                            f"agent {agent} begins at {self.places[before]} and at {name}; nobody "
                            "is in two places, name it once"
                        )
                    where[ids.index(agent)] = self.places.index(name)
        place: Array = np.where(where < 0, np.where(stage.actors, first, -1), where)
        return {"place": place}

    def _named(self) -> list[str]:
        starts = [self.start] if isinstance(self.start, str) and self.start else [*self.start]
        paths = self.paths or {}
        return [*starts, *paths, *(to for places in paths.values() for to in places)]

    def form(self, stage: Stage) -> dict[str, Value]:
        parts: dict[str, Part] = {"who": stage.names, "place": self.places}
        rows = Rows(pattern="{who} goes to {place}", parts=parts, plain=self._reader(stage))
        return {"moves": rows}

    def limits(self) -> list[str]:
        """The paths, in words."""
        if self.paths is None:
            return []
        reach = {place: self.paths.get(place, ()) for place in self.places}
        ways = [f"from {place} to {' and '.join(to) or 'nowhere'}" for place, to in reach.items()]
        return [f"In a turn one can go {'; '.join(ways)}."]

    @property
    def open(self) -> Array:
        """Which places can be reached from which, (K, K) of bool."""
        count = len(self.places)
        if self.paths is None:
            return np.ones((count, count), bool)
        reach = np.eye(count, dtype=bool)
        for place, others in self.paths.items():
            reach[self.places.index(place), [self.places.index(other) for other in others]] = True
        return reach

    def change(
        self, stage: Stage, state: State, verdicts: Verdicts
    ) -> tuple[dict[str, Array], list[str]]:
        """Return where everybody is after verdicts, (R, N), and why a verdict cannot stand."""
        place, reasons, reach = state["place"].copy(), [""] * len(verdicts), self.open
        seats = stage.seats
        for replicate, verdict in enumerate(verdicts):
            moved: dict[int, str] = {}
            for row in verdict["moves"]:
                seat, to = seats[str(row["who"])], str(row["place"])
                who, before = str(row["who"]), int(state["place"][replicate, seat])
                if moved.get(seat, to) != to:
                    reasons[replicate] = f"{who} would be in two places, {moved[seat]} and {to}."
                elif before >= 0 and not reach[before, self.places.index(to)]:
                    reasons[replicate] = f"There is no way from {self.places[before]} to {to}."
                moved[seat] = to
                place[replicate, seat] = self.places.index(to)
        return {"place": place}, reasons

    def told(self, state: State) -> dict[str, Fact]:
        return {"place": own(where_known(state))}

    def shown(self, stage: Stage, state: State) -> dict[str, Fact]:
        return {"place": _of_actors(stage, where_known(state))}

    @property
    def specs(self) -> dict[str, FactSpec]:
        return {"place": FactSpec("Place", labels=self.places)}

    @property
    def rulings(self) -> dict[str, FactSpec]:
        return {"moves": FactSpec("Who goes where")}

    def acts(self, stage: Stage, facts: Any) -> list[str]:
        here = facts["place"]
        reach = self.open[int(here)] if here == here else np.ones(len(self.places), bool)
        to = [name for k, name in enumerate(self.places) if reach[k] and k != here]
        return [f"I go to {_with_article(name)}." for name in to]

    def _reader(self, stage: Stage) -> Callable[[Known], str]:
        def read(facts: Any) -> str:
            where = stage.by_name(facts.seen("place"))
            rows = []
            for name, text in stage.by_name(facts.seen("deed")).items():
                for to in read_moves(text, self.places)[:1]:
                    before, after = where[name], self.places.index(to)
                    if before != after and (before != before or self.open[int(before), after]):
                        rows.append({"who": name, "place": to})
            form: Any = self.form(stage)["moves"]
            return str(form.write(rows))

        return read


def _with_article(place: str) -> str:
    return place if place.lower().startswith("the ") else f"the {place}"


@dataclass(frozen=True)
class Scores(Consequence):
    """Points that the referee gives and takes, at most `most` to an agent and turn.

    start: a number for all. visible: whether others see the score of somebody.
    """

    name: str = "score"
    most: float = 10.0
    start: float = 0.0
    visible: bool = True

    def begin(self, stage: Stage) -> dict[str, Array]:
        check_number("the most of Scores", self.most, 0, MOST)
        check_number("the start of Scores", self.start, -MOST, MOST)
        return {self.name: np.where(stage.actors, self.start, 0.0)}

    def form(self, stage: Stage) -> dict[str, Value]:
        points = Span(-self.most, self.most, whole=False)
        parts: dict[str, Part] = {"who": stage.names, "points": points}
        rows = Rows(pattern="{who} gets {points} points", parts=parts, plain=lambda facts: "")
        return {"points": rows}

    def change(
        self, stage: Stage, state: State, verdicts: Verdicts
    ) -> tuple[dict[str, Array], list[str]]:
        replicate, rows = _flat(verdicts, "points")
        seat = np.array([stage.seats[str(row["who"])] for row in rows], np.int64)
        gain = np.zeros_like(state[self.name])
        np.add.at(gain, (replicate, seat), np.array([float(row["points"]) for row in rows]))
        reasons = [""] * len(verdicts)
        for k, at in np.argwhere(np.abs(gain) > self.most + _SLACK)[::-1].tolist():
            who = stage.name(at)
            reasons[k] = f"{who} would get {format_number(gain[k, at])} points, more than " + (
                f"{format_number(self.most)} in a turn."
            )
        return {self.name: state[self.name] + gain}, reasons

    def told(self, state: State) -> dict[str, Fact]:
        return {self.name: seen(HERE, state[self.name]) if self.visible else own(state[self.name])}

    def shown(self, stage: Stage, state: State) -> dict[str, Fact]:
        return {self.name: _of_actors(stage, state[self.name])}

    @property
    def specs(self) -> dict[str, FactSpec]:
        return {self.name: FactSpec(self.name[:1].upper() + self.name[1:], unit="points")}

    @property
    def rulings(self) -> dict[str, FactSpec]:
        return {"points": FactSpec("Points given")}


@dataclass(frozen=True)
class Clock(Consequence):
    """The time of the scene, in minutes: the referee says how long a turn takes, at most `most`."""

    most: int = 60
    start: int = 0

    def begin(self, stage: Stage) -> dict[str, Array]:
        check_number("the most of a Clock", self.most, 1, MOST, whole=True)
        check_number("the start of a Clock", self.start, 0, MOST, whole=True)
        return {"time": np.full(stage.env.running.shape, self.start)}

    def form(self, stage: Stage) -> dict[str, Value]:
        return {"minutes": Integer(0, self.most)}

    def change(
        self, stage: Stage, state: State, verdicts: Verdicts
    ) -> tuple[dict[str, Array], list[str]]:
        passed = np.array([[int(verdict["minutes"])] for verdict in verdicts])
        return {"time": state["time"] + passed}, [""] * len(verdicts)

    def told(self, state: State) -> dict[str, Fact]:
        return {"time": common(state["time"])}

    def shown(self, stage: Stage, state: State) -> dict[str, Fact]:
        return self.told(state)

    @property
    def specs(self) -> dict[str, FactSpec]:
        return {"time": FactSpec("Time since the beginning", unit="minutes")}

    @property
    def rulings(self) -> dict[str, FactSpec]:
        return {"minutes": FactSpec("How long it takes", unit="minutes")}


@dataclass(frozen=True)
class DeclaredFact(Consequence):
    """A fact of the scene's own that the referee may change.

    space: a Choice or a number. scope: `common`, one value that everybody knows; `own` or `seen`, a
    value of each agent that it knows, or who is in the same place as well. start: as an index for a
    Choice. words: what it is, as a noun phrase. phrases: plain acts by which an agent chooses a
    label for itself, {"I strike": "strikes"}.
    """

    name: str
    space: Choice | Real | Integer
    start: float = 0.0
    scope: Literal["common", "own", "seen"] = "common"
    words: str = ""
    phrases: Mapping[str, str] = field(default_factory=dict)

    def begin(self, stage: Stage) -> dict[str, Array]:
        env = stage.env
        check_option(f"the scope of {self.name}", self.scope, ("common", "own", "seen"))
        if isinstance(self.space, Choice) and len(self.space.options) > 1:
            raise ScenarioError(f"options of {self.name} differ by replicate; give labels")
        low, high = (0, len(self._labels) - 1) if self._labels else self._bounds()
        whole = not isinstance(self.space, Real)
        check_number(f"the start of {self.name}", self.start, low, high, whole=whole)
        for said in self.phrases.values() if self._labels else ():
            check_option(f"a phrase about {self.name}", said, self._labels)
        shape = env.running.shape if self.scope == "common" else env.present.shape
        kind = np.int64 if isinstance(self.space, Choice | Integer) else float
        return {self.name: np.full(shape, self.start, kind)}

    def _bounds(self) -> tuple[float, float]:
        """The bounds of a number, which are the same for all."""
        low, high = (np.asarray(getattr(self.space, end)) for end in ("low", "high"))
        if low.size > 1 or high.size > 1:
            raise ScenarioError(f"bounds of {self.name} are arrays; give one number for each")
        return float(low.item()), float(high.item())

    @property
    def _labels(self) -> tuple[str, ...]:
        return tuple(self.space.options[0]) if isinstance(self.space, Choice) else ()

    def form(self, stage: Stage) -> dict[str, Value]:
        if self.scope == "common":
            return {self.name: self.space}
        value: Any = self._labels
        if isinstance(self.space, Real | Integer):
            whole = isinstance(self.space, Integer)
            value = Span(*self._bounds(), whole)
        parts: dict[str, Part] = {"who": stage.names, "value": value}
        pattern = f"{self.name} of {{who}} becomes {{value}}"
        return {self.name: Rows(pattern=pattern, parts=parts, plain=self._reader(stage))}

    def acts(self, stage: Stage, facts: Any) -> list[str]:
        return [f"{phrase}." for phrase in self.phrases]

    def _reader(self, stage: Stage) -> Callable[[Known], str]:
        known = {phrase.casefold(): label for phrase, label in self.phrases.items()}

        def read(facts: Any) -> str:
            rows = [
                {"who": name, "value": known[clause.casefold()]}
                for name, text in stage.by_name(facts.seen("deed")).items()
                for clause in clauses(text)
                if clause.casefold() in known
            ]
            form: Any = self.form(stage)[self.name]
            return str(form.write(rows))

        return read

    def change(
        self, stage: Stage, state: State, verdicts: Verdicts
    ) -> tuple[dict[str, Array], list[str]]:
        after, reasons = state[self.name].copy(), [""] * len(verdicts)
        for replicate, verdict in enumerate(verdicts):
            if self.scope == "common":
                after[replicate, 0] = verdict[self.name]
                continue
            for row in verdict[self.name]:
                said = row["value"]
                index = self._labels.index(said) if isinstance(said, str) else said
                after[replicate, stage.seats[str(row["who"])]] = index
        return {self.name: after}, reasons

    def told(self, state: State) -> dict[str, Fact]:
        values = state[self.name]
        if self.scope == "seen":
            return {self.name: seen(HERE, values)}
        return {self.name: common(values) if self.scope == "common" else own(values)}

    def shown(self, stage: Stage, state: State) -> dict[str, Fact]:
        values = state[self.name]
        if self.scope == "common":
            return {self.name: common(values)}
        return {self.name: _of_actors(stage, values)}

    @property
    def specs(self) -> dict[str, FactSpec]:
        words = self.words or self.name.replace("_", " ").capitalize()
        return {self.name: FactSpec(words, labels=self._labels)}

    @property
    def rulings(self) -> dict[str, FactSpec]:
        return self.specs


def _of_actors(stage: Stage, values: Array) -> Fact:
    """A fact about those who act, as a referee sees it."""
    return seen(STAGE, np.where(stage.actors, values, np.nan))


def where_known(state: State) -> Array:
    """The place of each agent, NaN for one that is nowhere."""
    place: Array = np.where(state["place"] < 0, np.nan, state["place"])
    return place


def _flat(verdicts: Verdicts, name: str) -> tuple[Array, list[Row]]:
    """All rows of a list, and the replicate of each."""
    pairs = [(k, row) for k, verdict in enumerate(verdicts) for row in verdict[name]]
    return np.array([k for k, _ in pairs], np.int64), [row for _, row in pairs]
