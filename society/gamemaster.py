"""The game master plays a script: asks agents, settles answers, tells, keeps the record.

It can tell neither rules from language models nor a live cast from a recorded one: whatever
answers, the script goes on the same way, and the digest of its rounds is the same.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from .agent import frozen
from .cast import Ledger, Raw, Troupe
from .digest import chained, page_digest
from .draws import Array
from .errors import PartError
from .replies import Choice, Illegal, Peer, Value, fields
from .scenario import Estimate, Folded, Scenario
from .table import Table
from .talk import NOBODY, Ask, Entry, Fact, Inherit, Line, Page, Recorder, Step, Tell


class Answerer(Protocol):
    """Who answers a script's questions: a troupe, or a tape."""

    ledger: Ledger

    def begin(self) -> None: ...
    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw: ...
    def author(self, kind: str, node: int) -> str: ...
    def notice(self, tell: Tell, active: Array | None, use: int) -> None: ...
    def inherit(self, line: Inherit, use: int) -> None: ...
    def public(self) -> dict[str, Array]: ...


class Tape:
    """Recorded answers in place of agents: replay drives the script alone."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self.ledger = Ledger()
        self._asks = (step for step in steps if step.sort == "ask")

    def begin(self) -> None:
        """Nobody is there to begin."""

    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw:
        step = next(self._asks, None)
        if step is None or (step.kind, step.form) != (ask.kind, ask.reply.form()):
            recorded = "nothing more" if step is None else f"{step.kind!r} ({step.form})"
            raise PartError(
                f"the script asks {ask.kind!r} ({ask.reply.form()}) where the record has "
                f"{recorded}; scenario or parameters have changed"
            )
        return Raw({name: step.arrays["answer", name] for name in fields(ask.reply)})

    def author(self, kind: str, node: int) -> str:
        return "the record"

    def notice(self, tell: Tell, active: Array | None, use: int) -> None:
        """Nobody is there to notice."""

    def inherit(self, line: Inherit, use: int) -> None:
        """Nobody is there to inherit."""

    def public(self) -> dict[str, Array]:
        return {}


@dataclass(frozen=True)
class Outcome:
    """What a run came to.

    ends: replicates by the cause that ended them; "" for those that go on or reached the horizon.
    values: each measure per replicate, (R,), NaN where it was not measured.
    """

    rounds: int
    digest: str
    measures: Mapping[str, Estimate]
    ends: Mapping[str, int]
    ledger: tuple[Entry, ...]
    values: Mapping[str, Array] = field(compare=False, repr=False)


class GameMaster:
    """Plays one scenario at one table with one answerer, in replicates that share every line."""

    def __init__(
        self,
        scenario: Scenario,
        table: Table,
        answerer: Answerer | None = None,
        recorders: Sequence[Recorder] = (),
    ) -> None:
        self.scenario, self.table, self.recorders = scenario, table, recorders
        self.answerer = answerer or Troupe(scenario.cast(table.params, table.agents), table)
        self.folded = {
            measure.name: Folded(measure.fold, measure.unit, table.replicates)
            for measure in scenario.measures
        }
        self.cause = np.full(table.replicates, "", object)
        self.digest = b""
        self.pages = 0
        self._uses: Counter[tuple[str, str]] = Counter()
        self._open()
        table.turn_page = self._turn_page

    def play(self) -> Outcome:
        """Play to the end, from synchronous code or from a notebook's running event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.perform())
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, self.perform()).result()

    async def perform(self) -> Outcome:
        """Play to the end."""
        self.answerer.begin()
        script = self.scenario.play(self.table)
        answer: Any = None
        page = self.pages
        while True:
            try:
                line = script.send(answer)
            except StopIteration:
                break
            answer = await self._play(line)
            if page != self.pages:
                page = self.pages
                # Lets an interrupt, or another run on the same loop, come in between rounds.
                await asyncio.sleep(0)
        self._turn_page()
        return self.outcome()

    def outcome(self) -> Outcome:
        """What the run has come to so far."""
        return Outcome(
            self._number,
            self.digest.hex(),
            {name: folded.estimate() for name, folded in self.folded.items()},
            dict(Counter(self.cause.tolist())),
            self.answerer.ledger.entries(),
            {name: folded.values() for name, folded in self.folded.items()},
        )

    async def _play(self, line: Line) -> Any:
        if not isinstance(line, Ask | Tell | Inherit):
            raise PartError(
                f"{self.scenario.name} yields {type(line).__name__}; "
                "a script yields Ask, Tell or Inherit"
            )
        use = self._uses[type(line).__name__, line.kind]
        self._uses[type(line).__name__, line.kind] += 1
        try:
            if isinstance(line, Ask):
                return await self._ask(line, use)
            if isinstance(line, Tell):
                return self._tell(line, use)
            return self._inherit(line, use)
        except _Misshapen as error:
            raise PartError(f"{self.scenario.name}, {line.kind!r}: {error}") from error

    async def _ask(self, ask: Ask, use: int) -> Any:
        facts = self._facts(ask.facts)
        arrays = {(_role(fact), name): fact.values for name, fact in facts.items()}
        asked: Array | None = None if self.table.active.all() else self.table.active
        if ask.who is not None:
            who = self._wide(ask.who, bool)
            arrays["who", ""] = who
            asked = who & self.table.active
        arrays |= self._offered(ask)
        heard = Ask(ask.kind, ask.reply, facts, asked, ask.otherwise)
        raw = await self.answerer.answer(heard, asked, use)
        settled = self._settled(heard, raw, asked)
        arrays |= {("answer", name): values for name, values in settled.items()}
        self._steps.append(Step("ask", ask.kind, ask.reply.form(), arrays))
        return settled.get("", settled)

    def _offered(self, ask: Ask) -> dict[tuple[str, str], Array]:
        """The options of choices that may differ between replicates, (R, K)."""
        offered = {}
        for name, value in fields(ask.reply).items():
            if isinstance(value, Peer):
                self.table.graph(value.graph)
            if isinstance(value, Choice) and not value.fixed:
                shape = (self.table.replicates, *value.options.shape[1:])
                offered["options", name] = self._kept(value.options, None, shape)
        return offered

    def _settled(self, ask: Ask, raw: Raw, asked: Array | None) -> dict[str, Array]:
        everybody = np.ones(self.table.present.shape, bool)
        settled = {}
        for name, value in fields(ask.reply).items():
            values = raw.values[name]
            if raw.unread is not None and raw.unread.any():
                fallback = self._fallback(ask, name, value, raw.unread)
                mask = raw.unread if values.ndim == 2 else raw.unread[..., None]
                values = np.where(mask, fallback.reshape(values.shape), values)
            try:
                values = value.settle(
                    values,
                    everybody if asked is None else asked,
                    self.table.graphs,
                    self.table.present,
                )
            except Illegal as error:
                replicate, seat = np.argwhere(error.where)[0]
                author = self.answerer.author(ask.kind, replicate * self.table.agents + seat)
                raise PartError(
                    f"{author}, seat {seat} of replicate {replicate}, answered {ask.kind!r} with "
                    f"{values[replicate, seat]}; expected {error}"
                ) from error
            if asked is not None:
                mask = asked if values.ndim == 2 else asked[..., None]
                values = np.where(mask, values, value.silent).astype(values.dtype, copy=False)
            settled[name] = frozen(np.ascontiguousarray(values))
        return settled

    def _fallback(self, ask: Ask, name: str, value: Value, unread: Array) -> Array:
        """What a question states in place of answers that could not be read, (R * N, ...)."""
        stated = ask.otherwise[name] if name and ask.otherwise is not None else ask.otherwise
        if stated is None:
            replicate, seat = np.argwhere(unread)[0]
            raise PartError(
                f"the answer of seat {seat} of replicate {replicate} to {ask.kind!r} could not be "
                "read, and the question states no fallback; add otherwise=..."
            )
        width = () if value.width is None else (value.width,)
        try:
            wide = np.broadcast_to(stated, (*unread.shape, *width)).reshape(-1, *width)
            replicate = np.arange(unread.size) // self.table.agents
            return value.flat(wide, unread.reshape(-1), replicate)
        except ValueError as error:
            raise _Misshapen(f"otherwise is {error}; expected {value.form()}") from None

    def _tell(self, tell: Tell, use: int) -> None:
        facts = self._facts(tell.facts)
        arrays = {(_role(fact), name): fact.values for name, fact in facts.items()}
        gone = None if tell.gone is None else self._wide(tell.gone, bool)
        ends = None if tell.ends is None else self._tall(tell.ends, bool)
        if gone is not None:
            arrays["gone", ""] = gone
        if ends is not None:
            arrays["ends", ""] = ends
            self.cause[(ends & self.table.running)[:, 0]] = tell.kind
        self._rewire(tell, arrays)
        heard = Tell(tell.kind, facts, gone, ends)
        active = None if self.table.active.all() else self.table.active
        self.answerer.notice(heard, active, use)
        self.table.close(gone, ends)
        self._told |= {name: fact.values for name, fact in facts.items()}
        self._steps.append(Step("tell", tell.kind, "", arrays))

    def _rewire(self, tell: Tell, arrays: dict[tuple[str, str], Array]) -> None:
        for name in {**tell.joins, **tell.cuts}:
            edits = []
            for role, peers in (("join", tell.joins.get(name)), ("cut", tell.cuts.get(name))):
                edits.append(None if peers is None else self._peers(peers))
                if edits[-1] is not None:
                    arrays[role, name] = edits[-1]
            self.table.graphs[name] = self.table.graph(name).edited(*edits)

    def _peers(self, peers: Array) -> Array:
        wide = self._seats(peers, "peer")
        if (wide == np.arange(self.table.agents)).any():
            raise _Misshapen("an edge from a seat to itself; name another one, or NOBODY")
        return wide

    def _seats(self, seats: Array, role: str) -> Array:
        wide = self._wide(seats, np.int64)
        outside = (wide >= self.table.agents) | (wide < NOBODY)
        if outside.any():
            raise _Misshapen(f"seat {wide[outside][0]} as a {role} of {self.table.agents} seats")
        return wide

    def _inherit(self, line: Inherit, use: int) -> None:
        parents = self._seats(line.parents, "parent")
        self.answerer.inherit(Inherit(line.kind, parents, line.columns), use)
        step = Step("inherit", line.kind, ",".join(line.columns), {("parents", ""): parents})
        self._steps.append(step)

    def _facts(self, facts: Mapping[str, Fact]) -> dict[str, Fact]:
        normal = {}
        for name, fact in facts.items():
            if fact.graph:
                self.table.graph(fact.graph)
            shaped = self._tall if fact.scope == "common" else self._wide
            try:
                normal[name] = fact._replace(values=shaped(fact.values, None))
            except _Misshapen as error:
                raise _Misshapen(f"fact {name!r} has {error}") from None
        return normal

    def _wide(self, values: Array, dtype: Any) -> Array:
        return self._kept(values, dtype, self.table.present.shape)

    def _tall(self, values: Array, dtype: Any) -> Array:
        return self._kept(values, dtype, self.table.running.shape)

    def _kept(self, values: Array, dtype: Any, shape: tuple[int, ...]) -> Array:
        """A private read-only copy, so that a script may go on changing its own array.

        The same array told twice in a round is kept (and hashed) once.
        """
        values = np.asarray(values)
        wanted = values.dtype if dtype is None else np.dtype(dtype)
        private = not values.flags.writeable and values.flags.owndata
        if private and values.shape == shape and values.dtype == wanted:
            return values
        # The script's own array is kept too: while it lives, nothing else can have its id.
        known = self._copies.get((id(values), shape, wanted))
        if known is not None and np.array_equal(known[1], values):
            return known[1]
        try:
            copy = frozen(np.array(np.broadcast_to(values, shape), wanted))
        except ValueError:
            raise _Misshapen(f"shape {values.shape} where {shape} was expected") from None
        self._copies[id(values), shape, wanted] = values, copy
        return copy

    @property
    def _number(self) -> int:
        return max(self.pages - 1, 0)

    def _open(self) -> None:
        self._steps: list[Step] = []
        self._told: dict[str, Array] = {}
        self._copies: dict[tuple[int, tuple[int, ...], np.dtype[Any]], tuple[Array, Array]] = {}
        self._lived = self.table.running[:, 0]

    def _turn_page(self) -> None:
        """Close the round: measure, digest, hand to the recorders. Page 0 is what came before."""
        if not self._steps and self.pages:
            return
        number = self.pages
        measures = self._measured(number) if number else {}
        digest = page_digest(number, self._steps)
        self.digest = chained(self.digest, digest)
        page = Page(
            number,
            self.table.path,
            tuple(self._steps),
            digest,
            self.answerer.public() if self.recorders else {},
            measures,
            self.table.present,
            self.table.running,
            self.answerer.ledger.entries(),
        )
        self.pages += 1
        for recorder in self.recorders:
            recorder.page(page)
        self._open()

    def _measured(self, number: int) -> dict[str, Array]:
        """This round's measures, (R,); NaN for replicates that had ended before."""
        measured = {}
        for measure in self.scenario.measures:
            values = measure.of(self._told, self.table)
            if values is not None:
                wide = np.asarray(values, float).reshape(self.table.replicates)
                measured[measure.name] = np.where(self._lived, wide, np.nan)
                self.folded[measure.name].add(number, measured[measure.name])
        return measured


class _Misshapen(Exception):
    """A line of the script holds an array that does not fit the table."""


def _role(fact: Fact) -> str:
    return f"seen {fact.graph}" if fact.scope == "seen" else fact.scope
