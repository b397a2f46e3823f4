"""The gateway of a run to models: each is asked at most once, kept before use, counted.

kept before?  -> the record answers                       (resume, verify, fork)
else          -> note it, ask, keep it, only then use it
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from society.errors import Exhausted, PartError, Paused, Unparsed
from society.slow_work import slow_work

from .calls import (
    BARE,
    Address,
    CallStore,
    Completion,
    Minds,
    NoCallStore,
    ParseIssue,
    Request,
    Usage,
    add_known,
    stack_vectors,
    sum_known,
)
from .cancellation import CancellationToken
from .rng import Array

T = TypeVar("T")

_ENOUGH = 20  # answers from which on the share of fallbacks counts
_AT_REST = 0.05  # seconds in which those end who only wait for their turn, or for a batch
_AT_ONCE = 8  # jobs that begin before their calls may go out


class Ledger:
    """Counts of the calls to models, by component, kind of line and model.

    whole: the ledger that counts the same calls, and those of others.
    """

    def __init__(self, whole: Ledger | None = None) -> None:
        self._entries: dict[tuple[str, str, str], Usage] = {}
        self._whole = whole
        self.asked = self.fallbacks = 0  # questions to models, and those that none has answered
        self.unread = ""  # why the last of these could not be read

    def add(self, request: Request, completion: Completion) -> None:
        """Count one exchange."""
        self.asked += not (request.again or request.address.bare)
        key = request.address.component, request.address.kind, completion.model
        old = self._entries.get(key) or Usage(*key)
        self._entries[key] = old._replace(
            calls=old.calls + (not request.address.bare),
            retries=old.retries + completion.retries,
            repairs=old.repairs + (request.again == "repair"),
            cut=old.cut + (request.again == "cut"),
            shortened=old.shortened + (request.again == "shortened"),
            prompt_tokens=add_known(old.prompt_tokens, completion.prompt_tokens),
            completion_tokens=add_known(old.completion_tokens, completion.completion_tokens),
            cost=add_known(old.cost, completion.cost),
            cached_tokens=add_known(old.cached_tokens, completion.cached_tokens),
            copied=old.copied + completion.copied,
            unasked=old.unasked + request.address.bare,
        )
        if self._whole is not None:
            self._whole.add(request, completion)

    def fall_back(self, address: Address, model: str, reason: str) -> None:
        """Count one answer that could not be read in the end."""
        self.fallbacks += bool(model)
        self.unread = reason
        key = address.component, address.kind, model
        old = self._entries.get(key) or Usage(*key)
        self._entries[key] = old._replace(fallbacks=old.fallbacks + 1)
        if self._whole is not None:
            self._whole.fall_back(address, model, reason)

    def check_fallbacks(self, most: float) -> None:
        """Raise Exhausted if more than this share of all answers are fallbacks."""
        if self._whole is not None:
            self._whole.check_fallbacks(most)
        elif self.asked >= _ENOUGH and self.fallbacks > most * self.asked:
            raise Exhausted(
                f"--max-fallbacks: {self.fallbacks} of {self.asked} answers could not be read and "
                f"are fallbacks (the last: {self.unread}); change the model or its settings, or "
                "raise it with --max-fallbacks SHARE, or lift it with --max-fallbacks none"
            )

    def entries(self) -> tuple[Usage, ...]:
        """Return all entries, sorted by component, kind of line and model."""
        return tuple(entry for _, entry in sorted(self._entries.items()))


def add_usage(entries: Iterable[Usage]) -> tuple[Usage, ...]:
    """Add up entries of the same component, kind of line and model; sorted as in a ledger."""
    added: dict[tuple[str, str, str], Usage] = {}
    for entry in entries:
        key = entry[:3]
        old = added.get(key)
        more: Any = () if old is None else zip(old[3:], entry[3:], strict=True)
        added[key] = entry if old is None else Usage._make((*key, *map(sum_known, more)))
    return tuple(entry for _, entry in sorted(added.items()))


class TextEmbedder(Protocol):
    """Turns texts into vectors of unit length, (n, d) of float32."""

    @property
    def name(self) -> str: ...
    def embed(self, texts: Sequence[str]) -> Array: ...


class Asked(Protocol):
    """An agent that may call models to answer a question."""

    @property
    def address(self) -> Address:
        """The address of its next call; turn: how many it has made for this question."""
        ...

    @property
    def whole_name(self) -> str:
        """Its name, for messages."""
        ...

    @property
    def moment(self) -> int:
        """The number of the round."""
        ...


class ModelGateway:
    """The gateway of one run to models and embedders.

    reach: gives those who can be asked; called before the first question to them. awaiting: is told
    how many jobs are still under way when the run is interrupted. max_fallbacks: the share of
    answers that may be fallbacks; a run with more of them pauses before it asks again.
    """

    def __init__(
        self,
        reach: Callable[[], Minds | None] | None = None,
        call_store: CallStore | None = None,
        awaiting: Callable[[int], None] | None = None,
        max_fallbacks: float | None = None,
    ) -> None:
        self._reach, self._call_store, self._awaiting = reach, call_store or NoCallStore(), awaiting
        self._max_fallbacks = max_fallbacks
        self.token = CancellationToken()
        self.ledger = Ledger()
        self.troubles: list[ParseIssue] = []
        self._minds: Minds | None = None
        self._parts: list[ModelGateway] = []
        self._patient = True

    def part(self) -> ModelGateway:
        """Return a gateway for a part of the run, which counts its own calls and troubles.

        Models, record and token are those of the run; only the gateway of the run is closed.
        """
        one = ModelGateway(self._reached, self._call_store, self._awaiting, self._max_fallbacks)
        one.token, one.ledger = self.token, Ledger(self.ledger)
        self._parts.append(one)
        return one

    def _reached(self) -> Minds | None:
        if self._minds is None and self._reach is not None:
            self._minds = self._reach()
        return self._minds

    async def call(self, request: Request) -> Completion:
        """Return the reply to a request; raises Paused."""
        if request.reason:
            request = request._replace(reason=_text(request.reason))
        completion = self._call_store.kept(request)
        if completion is None:
            if self._max_fallbacks is not None:
                self.ledger.check_fallbacks(self._max_fallbacks)
            minds = self._minds = self._reached()
            if minds is None:
                raise PartError(
                    f"{request.address.kind!r} is asked of model {request.model!r}, but this game "
                    "reaches no models; name them in the component's `models`, or give the game a "
                    "gateway that reaches some: ModelGateway(reach)"
                )
            going = partial(self._note_going, request)
            try:
                completion = await minds.call(request, going, self.token)
            except Paused as paused:
                if paused.refused:
                    await self._call_store.withdraw(request)
                raise
            if not completion.text.isascii():
                completion = completion._replace(text=_text(completion.text))
            await self._call_store.keep(request, completion)
        self.ledger.add(request, completion)
        if request.again:
            self.trouble(request.address, completion.model, request.again, request.reason)
        return completion

    async def _note_going(self, request: Request) -> None:
        self.token.check()
        await self._call_store.sending(request)

    async def answered(self, asked: Asked, consult: Callable[[], Awaitable[Any]]) -> Any:
        """Return the answer of a component to one question, or the Unparsed that it raises.

        If it has not called through this gateway, it asked somebody on its own, and what it found
        is kept as it is.
        """
        address = Address(*asked.address[:-1], BARE)
        request = Request(address, "", (), who=asked.whole_name, round=asked.moment)
        completion = self._call_store.kept(request)
        if completion is None:
            try:
                answer = await consult()
            except Unparsed as unparsed:
                answer = unparsed
            if asked.address.turn > 0:
                return answer
            words = _in_words(answer, request.address)
            completion = Completion(
                words, prompt_tokens=0, completion_tokens=0, cost=0.0, cached_tokens=0
            )
            await self._call_store.keep(request, completion)
        self.ledger.add(request, completion)
        return _from_words(completion.text)

    def trouble(self, address: Address, model: str, what: str, reason: str) -> None:
        """Note what was wrong with an answer."""
        who = address.component, address.kind, model, address.replicate, address.agent
        self.troubles.append(ParseIssue(*who, what, reason))

    def told_troubles(self) -> tuple[ParseIssue, ...]:
        """Return the troubles since the last time, in an order that does not depend on timing."""
        told = tuple(sorted(self.troubles))
        self.troubles.clear()
        return told

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        """Vectors of texts, (n, d); those that were kept are not computed again.

        Their last bits depend on what else was computed with them, so that a record is needed.
        """
        wanted = list(dict.fromkeys(texts))
        known = self._call_store.vectors(embedder.name, wanted)
        new = [text for text in wanted if text not in known]
        if new:
            count = "1 text" if len(new) == 1 else f"{len(new):,} texts"
            with slow_work(f"embedding {count} by {embedder.name}"):
                made = dict(zip(new, embedder.embed(new), strict=True))
            self._call_store.keep_vectors(embedder.name, made)
            known |= made
        return stack_vectors(known, texts)

    async def together(self, jobs: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """All results, in order.

        As soon as one job fails, or the run is interrupted, no call goes out any more; but those
        under way may end, so that no answer is lost that is already paid for.
        """
        tasks: list[asyncio.Task[T]] = []
        waiting = iter(jobs)
        caller, running = asyncio.current_task(), self.token.jobs
        within = caller in running  # of another job, which only waits from then on
        left = set[asyncio.Task[T]]()

        def end(task: asyncio.Task[T]) -> None:
            left.discard(task)
            if not left:  # the caller may ask again, though it has not woken yet
                running.add(caller)
            self._heed(task)

        running.add(caller)
        try:
            for job in waiting:
                tasks.append(asyncio.create_task(job))
                left.add(tasks[-1])
                running.add(tasks[-1])
                tasks[-1].add_done_callback(end)
                if len(tasks) % _AT_ONCE == 0:  # models think while other prompts are written
                    await asyncio.sleep(0)
            if left:
                running.discard(caller)
            if not tasks:
                return []
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            for job in waiting:
                job.close()
            running.discard(caller)
            await self._wound_up(tasks, error)
            raise
        finally:
            (running.add if within else running.discard)(caller)
        failures = [failure for task in tasks if (failure := task.exception()) is not None]
        if failures:
            # What came first explains the others.
            raise self.token.reason if self.token.reason in failures else failures[0]
        return [task.result() for task in tasks]

    def _heed(self, task: asyncio.Task[Any]) -> None:
        """Stop the run if a job has failed; and look at every failure, or asyncio complains."""
        self.token.jobs.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self.token.cancel(failure)

    async def _wound_up(self, tasks: Sequence[asyncio.Task[Any]], why: BaseException) -> None:
        """Wait for calls under way, as long as they may take; then give up."""
        self.token.cancel(why)
        under_way = set(tasks)
        if tasks and self._patient:
            _, under_way = await asyncio.wait(tasks, timeout=_AT_REST)
        if under_way and self._minds is not None and self._patient:
            if self._awaiting is not None and self.token.jobs:
                self._awaiting(len(self.token.jobs))
            _, under_way = await asyncio.wait(under_way, timeout=self._minds.patience)
        for part in self._parts:
            part._patient = False  # all that time has been given
        for task in under_way:
            task.cancel()
        if under_way:
            await asyncio.wait(under_way)

    async def close(self) -> None:
        if self._minds is not None:
            await self._minds.close()


def _text(words: str) -> str:
    """Replace half surrogate pairs, which JSON can spell, but which no file can keep."""
    return words.encode("utf-8", "replace").decode()


def _in_words(answer: Any, address: Address) -> str:
    if isinstance(answer, Unparsed):
        return json.dumps({"unparsed": str(answer)})
    try:
        return json.dumps({"answer": answer}, default=lambda value: value.tolist())
    except (TypeError, ValueError, AttributeError) as error:
        if inspect.iscoroutine(answer):
            answer.close()  # or Python would warn of it as well
            raise PartError(
                f"{address.kind!r} was answered with a coroutine, {answer.__qualname__}, in place "
                "of what it gives; write `await` before it"
            ) from None
        raise PartError(
            f"{address.kind!r} was answered with what cannot be kept: {error}; "
            "give numbers, text, or lists and dictionaries of these"
        ) from error


def _from_words(text: str) -> Any:
    said = json.loads(text)
    return said["answer"] if "answer" in said else Unparsed(said["unparsed"])
