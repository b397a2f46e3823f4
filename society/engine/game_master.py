"""The game master plays a script: asks agents, settles answers, tells, keeps the record.

It can tell neither rules from language models nor a live cast from a recorded one: whatever
answers, the script goes on the same way, and the digest of its rounds is the same.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from types import GeneratorType
from typing import Any

import numpy as np

from society.errors import (
    InputError,
    PartError,
    definition_place,
    is_users_file,
    show_place,
)

from .action_spaces import Choice, Illegal, Integer, Neighbour, Real, Value, fields
from .arrays import ArrayNormaliser, WrongShape, spread_fallback
from .calls import Usage
from .environment import Environment, Round, UnknownGraph
from .garbage import garbage_sought_seldom
from .graph import LabelGroups
from .history import Page, Recorder, Step, chain_digest, page_digest
from .interrupts import run_interruptible
from .intervention import REMOVED, Intervention
from .mechanism import refuse_endless
from .population import Population, Raw
from .rng import Array
from .scenario import Estimate, Folded, Measure, Scenario
from .script import UNANSWERED, UNREAD, VOID_REPLICATE, Ask, Inherit, Line, Script, Tell
from .tape import Answerer

_TURN = 0.005  # seconds of rounds after which others on the same loop have their turn


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    ends: replicates by the cause that ended them; "" for those that go on or reached the horizon.
    values: each measure per replicate, (R,), NaN where it was not measured. censored: of measures
    that wait for something, where it has not come, (R,).
    """

    rounds: int
    digest: str
    measures: Mapping[str, Estimate]
    ends: Mapping[str, int]
    ledger: tuple[Usage, ...]
    values: Mapping[str, Array] = field(compare=False, repr=False)
    censored: Mapping[str, Array] = field(default_factory=dict, compare=False, repr=False)


class Runner(ABC):
    """Plays a society once, from synchronous code or within an event loop.

    pages: rounds that are over, what precedes the first included. announce: takes words about
    answers of the user's rules that were cut, in the first round.
    """

    pages = 0
    announce: Callable[[str], None] | None = None

    def play(self) -> Outcome:
        """Play to the end, from synchronous code or from a notebook's running event loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        with garbage_sought_seldom():
            return run_interruptible(self.perform()) if loop is None else self._play_aside()

    def _play_aside(self) -> Outcome:
        """Play in a thread with an event loop of its own; an interrupt ends the game there, too."""
        playing: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

        async def performing() -> Outcome:
            playing.append((asyncio.get_running_loop(), asyncio.current_task()))
            return await self.perform()

        with ThreadPoolExecutor(1) as pool:
            # The gate before the user's code, and the servers that the user named, hold there too.
            job = pool.submit(copy_context().run, asyncio.run, performing())
            try:
                return job.result()
            except KeyboardInterrupt:
                for loop, task in playing:
                    if task is not None:
                        loop.call_soon_threadsafe(task.cancel)
                raise

    @abstractmethod
    async def perform(self) -> Outcome:
        """Play to the end; only once, since agents and environment keep what has happened."""


class GameMaster(Runner):
    """Plays one scenario in an environment with one answerer; replicates share every line.

    ready: awaited before the script is asked for its next line, if it is set. in_parts: whether its
    rounds are parts of larger ones, which have a digest in their place. interventions: of a fork,
    in their order.
    """

    ready: Callable[[], Awaitable[None]] | None = None
    in_parts = False

    def __init__(
        self,
        scenario: Scenario,
        env: Environment,
        answerer: Answerer | None = None,
        recorders: Sequence[Recorder] = (),
        interventions: Sequence[Intervention] = (),
    ) -> None:
        self.scenario, self.env, self.recorders = scenario, env, recorders
        self._interventions = deque(interventions)
        self._recasts: list[Intervention] = []
        if interventions:
            env.horizons = {one.after: one.world.horizon for one in interventions}
            env.on_round = self._intervene
        self.answerer = answerer or Population(scenario.cast(env.params, env.agents), env)
        self.folded = {
            measure.name: Folded(measure.fold, measure.unit, env.replicates)
            for measure in scenario.measures
        }
        self.cause = np.full(env.replicates, "", object)
        self.digest = b""
        self._script: Any = None
        self._uses: Counter[tuple[str, str]] = Counter()
        self._lived: Array = env.running[:, 0]
        self._announced: set[tuple[str, str]] = set()
        self._open(env.path)

    async def perform(self) -> Outcome:
        if self.pages:
            raise PartError("this game has already been played; make a new one to play again")
        try:
            await self.play_lines()
        finally:
            await self.answerer.gateway.close()
        return self.outcome()

    async def play_lines(self) -> None:
        """Play all lines of the script; the gateway stays open."""
        await self.answerer.begin()
        script = self.scenario.play(self.env)
        if not isinstance(script, Generator):
            raise PartError(f"{self.scenario.name} yields nothing; a script is a generator")
        self._script = script
        await self._drive(script)

    async def _drive(self, script: Script) -> None:
        answer: Any = None
        turn = 0.0
        while True:
            if self.ready is not None:
                await self.ready()
            try:
                line = script.send(answer)
            except StopIteration:
                break
            finally:
                # Also where the script fails in a new round: those before it are over, and kept.
                if opened := self.env.newly_opened():
                    self._close_rounds(opened)
            while self._recasts:
                change = self._recasts.pop(0)
                await self.answerer.recast(change.cast, change.words)
            answer = await self._play(line)
            if opened and time.monotonic() > turn:
                # Lets an interrupt, or another run on the same loop, come in between rounds.
                await asyncio.sleep(0)
                turn = time.monotonic() + _TURN
        self._close_round(self.env.path)

    def outcome(self) -> Outcome:
        """Return the result of the run so far."""
        return Outcome(
            self._number,
            self.digest.hex(),
            {name: folded.estimate() for name, folded in self.folded.items()},
            dict(Counter(self.cause.tolist())),
            self.answerer.gateway.ledger.entries(),
            {name: folded.values() for name, folded in self.folded.items()},
            {
                name: folded.censored()
                for name, folded in self.folded.items()
                if folded.fold == "first"
            },
        )

    async def _play(self, line: Line) -> Any:
        if not isinstance(line, Ask | Tell | Inherit):
            part = inspect.isgenerator(line)
            raise PartError(
                f"{self._line_place()}{self.scenario.name} yields {type(line).__name__}; "
                + ("write `yield from`" if part else "a script yields Ask, Tell or Inherit")
            )
        refuse_endless(len(self._steps) + len(self._asides))
        use = self._uses[type(line).__name__, line.kind]
        self._uses[type(line).__name__, line.kind] += 1
        try:
            if isinstance(line, Ask):
                return await self._ask(line, use)
            if isinstance(line, Tell):
                return await self._tell(line, use)
            return await self._inherit(line, use)
        except (WrongShape, UnknownGraph) as error:
            at = self._line_place()
            raise PartError(f"{at}{self.scenario.name}, {line.kind!r}: {error}") from error

    def _line_place(self) -> str:
        """Return the place of the line that the script has yielded, "wood.py:12: "; "" if ours."""
        script, place = self._script, ""
        while isinstance(script, GeneratorType) and (frame := script.gi_frame) is not None:
            if is_users_file(frame.f_code.co_filename):
                place = f"{show_place(frame.f_code.co_filename, frame.f_lineno)}: "
            # A mechanism drives the script within it by `intercept`, or yields from it.
            script = script.gi_yieldfrom or frame.f_locals.get("script")
        return place

    async def _ask(self, ask: Ask, use: int) -> Any:
        facts, arrays = self._keeper.facts(ask.facts)
        reached = self.env.present if ask.aside else self.env.active
        asked: Array | None = None if self.env.complete else reached
        if ask.who is not None:
            who = self._keeper.wide(ask.who, bool)
            arrays["who", ""] = who
            asked = who & reached
        arrays |= self._offered(ask)
        heard = Ask(
            ask.kind,
            ask.reply,
            facts,
            asked,
            ask.fallback,
            ask.repairs,
            text=ask.text,
            aside=ask.aside,
        )
        raw = await self.answerer.answer(heard, asked, use)
        if ask.fallback is UNANSWERED and raw.unread is not None and raw.unread.any():
            unread = arrays["unread", ""] = self._keeper.wide(raw.unread, bool)
            asked = ~unread if asked is None else asked & ~unread
            raw = Raw(raw.values)
        if ask.fallback is VOID_REPLICATE and raw.unread is not None and raw.unread.any():
            void = arrays["void", ""] = self._voided(raw.unread)
            asked = self.env.active if asked is None else asked & ~void
            raw = Raw(raw.values)
        settled = self._settled(heard, raw, asked)
        if ("unread", "") in arrays:
            settled = {name: _left_out(one, unread) for name, one in settled.items()}
        for name, values in settled.items():
            arrays["answer", name] = values
        step = Step("ask", ask.kind, ask.reply.form(), arrays)
        (self._asides if ask.aside else self._steps).append(step)
        return settled.get("", settled)

    def _voided(self, unread: Array) -> Array:
        """Replicates with an answer that could not be read are over, (R, 1); no measure counts."""
        void = self._keeper.tall(np.any(unread, axis=1, keepdims=True), bool)
        self.cause[(void & self.env.running)[:, 0]] = UNREAD
        self.env.close(ends=void)
        self._lived = self._lived & ~void[:, 0]
        for folded in self.folded.values():
            folded.strike(void[:, 0])
        return void

    def _offered(self, ask: Ask) -> dict[tuple[str, str], Array]:
        """Options, (R, K), and bounds, (R, N), that may differ between replicates or agents."""
        offered = {}
        for name, value in fields(ask.reply).items():
            if isinstance(value, Neighbour):
                self.env.graph(value.graph)
            if isinstance(value, Choice) and not value.fixed:
                offered["options", name] = self._keeper.options(value.options)
            if isinstance(value, Real | Integer):
                for bound, values in value.bounds.items():
                    offered[bound, name] = self._keeper.wide(values, float)
        return offered

    def _settled(self, ask: Ask, raw: Raw, asked: Array | None) -> dict[str, Array]:
        everybody = np.ones(self.env.present.shape, bool) if asked is None else asked
        settled = {}
        for name, value in fields(ask.reply).items():
            values = raw.values[name]
            if raw.unread is not None and raw.unread.any():
                fallback = self._fallback(ask, name, value, raw.unread)
                mask = raw.unread if values.ndim == 2 else raw.unread[..., None]
                values = np.where(mask, fallback.reshape(values.shape), values)
            try:
                values = value.settle(values, everybody, self.env.graphs, self.env.present)
            except Illegal as error:
                replicate, seat = np.argwhere(error.where)[0].tolist()
                node = replicate * self.env.agents + seat
                author = self.answerer.author(ask.kind, node)
                raise PartError(
                    f"{self.answerer.author_place(ask.kind, node)}{author}, "
                    f"{self.env.describe_agent(replicate, seat)}, answered {ask.kind!r} with "
                    f"{values[replicate, seat]}; expected {error}"
                ) from error
            if self.announce is not None and self.pages <= 1 and isinstance(value, Real | Integer):
                self._announce_cut(ask, name, value, raw.values[name], asked)
            if asked is not None:
                mask = asked if values.ndim == 2 else asked[..., None]
                values = np.where(mask, values, value.silent).astype(values.dtype, copy=False)
            # Its own, so that one that is told again stays one array, whatever else was asked.
            values = np.ascontiguousarray(values)
            settled[name] = values = values if values.flags.owndata else values.copy()
            values.flags.writeable = False
        return settled

    def _announce_cut(
        self, ask: Ask, name: str, value: Real | Integer, raw: Array, asked: Array | None
    ) -> None:
        """Say once of a question that a rule of the user's answers it out of bounds."""
        outside = (raw < value.low) | (raw > value.high)
        outside &= self.env.active if asked is None else asked
        if not outside.any() or (ask.kind, name) in self._announced or self.announce is None:
            return
        replicate, seat = np.argwhere(outside)[0]
        node = replicate * self.env.agents + seat
        if place := self.answerer.author_place(ask.kind, node):
            self._announced.add((ask.kind, name))
            low, high = (np.broadcast_to(one, raw.shape) for one in (value.low, value.high))
            field = f" in field {name!r}" if name else ""
            self.announce(
                f"{place}{self.answerer.author(ask.kind, node)} answered {ask.kind!r}{field} with "
                f"{raw[replicate, seat]:g}; expected {low[replicate, seat]:g} to "
                f"{high[replicate, seat]:g}, and it is cut to that"
            )

    def _fallback(self, ask: Ask, name: str, value: Value, unread: Array) -> Array:
        """Return the fallback that a question states for unreadable answers, (R * N, ...)."""
        if ask.fallback is None:
            replicate, seat = np.argwhere(unread)[0].tolist()
            author = self.answerer.author(ask.kind, replicate * self.env.agents + seat)
            raise PartError(
                f"the answer of {author}, {self.env.describe_agent(replicate, seat)}, to "
                f"{ask.kind!r} could not be read or is not legal, and the question states no "
                "fallback; add fallback=..."
            )
        return spread_fallback(ask.fallback, name, value, self.env.present.shape, unread)

    async def _tell(self, tell: Tell, use: int) -> None:
        facts, arrays = self._keeper.facts(tell.facts)
        gone = None if tell.gone is None else self._keeper.wide(tell.gone, bool)
        back = None if tell.back is None else self._keeper.wide(tell.back, bool)
        ends = None if tell.ends is None else self._keeper.tall(tell.ends, bool)
        if gone is not None:
            arrays["gone", ""] = gone
        if back is not None:
            arrays["back", ""] = back
            self.env.close(back=back)  # whoever is back hears it
        if ends is not None:
            arrays["ends", ""] = ends
            self.cause[(ends & self.env.running)[:, 0]] = tell.kind
        self._rewire(tell, arrays)
        occurs = self._occurring(tell, gone, back, ends)
        heard = Tell(tell.kind, facts, gone, ends, text=tell.text, occurs=occurs)
        active = None if self.env.complete else self.env.active
        await self.answerer.notice(heard, active, use)
        self.env.close(gone, ends)
        self._told |= {name: fact.values for name, fact in facts.items()}
        self._steps.append(Step("tell", tell.kind, "", arrays))

    def _occurring(self, tell: Tell, *changes: Array | None) -> Array | None:
        """Replicates in which an event happens, (R, 1); None: in all, as where it states facts.

        changes: who goes or comes, and what ends, of which an event without facts consists.
        """
        if tell.facts:
            return None
        if tell.occurs is not None:
            return self._keeper.tall(tell.occurs, bool)
        marked = [change.any(1, keepdims=True) for change in changes if change is not None]
        otherwise = tell.joins or tell.cuts or tell.restores or tell.groups
        return np.logical_or.reduce(marked) if marked and not otherwise else None

    def _rewire(self, tell: Tell, arrays: dict[tuple[str, str], Array]) -> None:
        for name in tell.restores:
            self.env.graph(name)
            self.env.graphs[name] = self.env.first_graphs[name]
            arrays["restored", name] = self._keeper.tall(np.array(True), bool)
        for name, labels in tell.groups.items():
            self.env.graph(name)
            arrays["group", name] = kept = self._keeper.labels(labels)
            self.env.graphs[name] = LabelGroups(self.env.ids, kept)
        for name in {**tell.joins, **tell.cuts}:
            edits: list[Array | None] = [None, None]
            for place, (role, edges) in enumerate((("join", tell.joins), ("cut", tell.cuts))):
                if name in edges:
                    edits[place] = arrays[role, name] = self._keeper.peers(edges[name])
            self.env.graphs[name] = self.env.graph(name).edited(*edits)

    async def _inherit(self, line: Inherit, use: int) -> None:
        parents = self._keeper.seats(line.parents, "parent")
        arrays = {("parents", ""): parents}
        newborn = None if line.newborn is None else self._keeper.wide(line.newborn, bool)
        if newborn is not None:
            arrays["newborn", ""] = newborn
            self.env.bear(newborn)
        await self.answerer.inherit(Inherit(line.kind, parents, line.columns, newborn), use)
        self._steps.append(Step("inherit", line.kind, ",".join(line.columns), arrays))

    @property
    def _number(self) -> int:
        return max(self.pages - 1, 0)

    def _open(self, path: tuple[int, ...]) -> None:
        self._steps: list[Step] = []
        self._asides: list[Step] = []
        self._told = _Told()
        self._path = path
        self._keeper = ArrayNormaliser(self.env)
        self._lived = self.env.running[:, 0]

    def _close_rounds(self, opened: Sequence[Round]) -> None:
        """Close the round before each one that the script has opened since its last line.

        Rounds in which nothing is said count, but for those that only hold other rounds.
        """
        for path, _ in opened:
            holds = path[: len(self._path)] == self._path
            if self._steps or not self.pages or not holds:
                self._close_round(path)
            self._path = path

    def _intervene(self) -> None:
        """Let what comes at the end of this round take effect, once the round is closed."""
        if not self._interventions or self.pages != self._interventions[0].after:
            return
        self._close_rounds(self.env.newly_opened())
        while self._interventions and self.pages == self._interventions[0].after + 1:
            change = self._interventions.popleft()
            before = self.env.present
            self.env.intervene(change.world)
            if change.world.gone:
                arrays = {("gone", ""): before & ~self.env.present}
                self._steps.append(Step("tell", REMOVED, "", arrays))
            self._recasts.append(change)

    def _close_round(self, path: tuple[int, ...]) -> None:
        """Measure, digest, hand to the recorders, and open the round at a path.

        Page 0 is what came before the first round; what is said after the last one belongs to it.
        """
        number = self.pages
        measures = self._measured(number) if number else {}
        rule = self.env.digest_rule
        digest = b"" if self.in_parts else page_digest(number, self._steps, rule)
        self.digest = chain_digest(self.digest, digest)
        page = Page(
            number,
            self._path,
            tuple(self._steps),
            digest,
            self.answerer.public() if self.recorders else {},
            measures,
            self.env.present,
            self.env.running,
            self.answerer.gateway.ledger.entries(),
            self.answerer.gateway.told_troubles(),
            tuple(self._asides),
        )
        self.pages += 1
        self.env.moment = self.pages
        for recorder in self.recorders:
            recorder.page(page)
        self._open(path)

    def _measured(self, number: int) -> dict[str, Array]:
        """Compute the measures of this round, (R,); NaN for replicates that had ended before."""
        measured = {}
        for measure in self.scenario.measures:
            with suppress(_Untold):
                wide = _per_replicate(measure, self._told, self.env)
                measured[measure.name] = np.where(self._lived, wide, np.nan)
                self.folded[measure.name].add(number, measured[measure.name], self._lived)
        return measured


def _per_replicate(measure: Measure, told: Mapping[str, Array], env: Environment) -> Array:
    """Compute a measure, (R,); raises InputError for what is not one number per replicate."""
    given = measure.of(told, env)
    try:
        values = np.asarray(given, float)
    except (TypeError, ValueError):
        values = None
    if values is not None and values.shape in ((env.replicates,), (env.replicates, 1)):
        return values.reshape(env.replicates)
    came = f"{given!r:.60}" if values is None else f"shape {values.shape}"
    raise InputError(
        f"{definition_place(measure.of)}: the measure {measure.name!r} gives {came}; expected "
        f"({env.replicates},) or ({env.replicates}, 1), a number for each replicate, such as "
        "values.mean(1)"
    )


def _left_out(values: Array, unread: Array) -> Array:
    """Return settled answers; real numbers are NaN where they could not be read."""
    if values.dtype.kind != "f":
        return values
    left: Array = np.where(unread if values.ndim == 2 else unread[..., None], np.nan, values)
    left.flags.writeable = False
    return left


class _Told(dict[str, Array]):
    """Facts told in a round, by name; what needs another one is not measured in this round."""

    def __missing__(self, name: str) -> Array:
        raise _Untold(name)


class _Untold(KeyError):
    pass
