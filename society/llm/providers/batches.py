"""Models that are asked in batches: cheaper, and answered within a day.

    questions join  ->  a job, once nobody is left who could add one  ->  replies, line by line

A job is kept in the run file before it is begun, and its id as soon as it is known: after a kill
the same job is found again, by its id or by our key. A line that failed is asked again with the
next job, as any attempt that failed is repeated.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from society.engine.calls import Address, Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.errors import ContextOverflow, InputError, Paused
from society.llm.call_tables import BatchCall, BatchRecord, text_key

from .batch_desk import BatchDesk
from .batch_server import WINDOW, BatchServer, JobState, Missing, read_line
from .budget import Budget
from .caller import Remote
from .calls_under_way import CallsUnderWay
from .endpoint import Endpoint, Outgoing
from .pricing import Price, find_price
from .responses import Client, Failed, Reply
from .retry import numbers
from .settings import BATCH_PROVIDERS, ModelSpec

T = TypeVar("T")

_LOOK = 0.02  # seconds between two looks if everybody waits
_QUIET = 250  # looks without a new question, after which a job is begun in any case
_LONGEST = 60.0  # seconds between two looks at a job
_SLOWER = 1.5
_GRACE = 1  # hours beyond the window
_MOST_LINES, _MOST_BYTES = 50_000, 100_000_000  # of one job: half of what OpenAI takes
_UNBOUNDED = 10**9
_FOREVER = 10.0 * 24 * 3600  # seconds; how long a job may take is decided here


class _Line:
    """A question on its way.

    outgoing: its words and settings, as the server takes them. sent: whether a job has it, or may
    have it. outcome: a reply, or why there is none.
    """

    def __init__(self, request: Request, outgoing: Outgoing) -> None:
        self.request, self.outgoing, self.sent = request, outgoing, False
        self.outcome: Reply | Exception | None = None
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(self, outcome: Reply | Exception) -> None:
        self.outcome = outcome
        if not self.ready.done():
            self.ready.set_result(None)


class _Job:
    """A job, and those who wait for its lines, by number; new: begun in this session."""

    def __init__(self, record: BatchRecord, *, new: bool) -> None:
        self.record, self.new = record, new
        self.waiting: list[tuple[int, _Line]] = []
        self.state: JobState | None = None  # once it has ended; None as well if it is gone
        self.outcomes: dict[str, Reply | Exception] | None = None  # of its lines, then
        self.following: asyncio.Task[None] | None = None


class BatchClient:
    """Makes each attempt a line of a batch; used in one event loop.

    settings: the client of single calls, which knows what the server takes. token: of the run; it
    is there before the first attempt.
    """

    token: CancellationToken

    def __init__(
        self, spec: ModelSpec, server: BatchServer, settings: Client, desk: BatchDesk
    ) -> None:
        self.place = server.place
        self._spec, self._server, self._settings, self._desk = spec, server, settings, desk
        self._price: Price | None = find_price(spec, batch=True)
        self._name = f"{server.place.host} {server.place.model}"
        self._earlier: dict[Address, tuple[_Job, BatchCall]] | None = None
        self._gathered: list[_Line] = []
        self._unseen = set[_Job]()  # of earlier sessions, which may have ended since
        self._tasks = set[asyncio.Task[None]]()
        self._gathering = False

    def check(self) -> None:
        """Raise InputError if a key is missing, or a setting would have no effect."""
        self._settings.check()
        self._server.check()

    @property
    def endpoint(self) -> Endpoint:
        """The ways in which requests go out: those of single calls."""
        return self._settings.endpoint

    async def send(self, request: Request, sent: Outgoing) -> Reply:
        """The reply to one attempt; raises Paused as soon as the run is stopped."""
        line = _Line(request, sent)
        self._join(line)
        try:
            await self.token.wait_for(line.ready)
        except Paused:
            if line.outcome is None and not line.sent:
                raise Failed("the run was stopped", down=False, billed=False) from None
            if line.outcome is None:
                raise
        if isinstance(line.outcome, Exception):
            raise line.outcome
        assert line.outcome is not None, "who is woken has an outcome"
        return line.outcome

    async def close(self) -> None:
        """Let jobs that are being begun be kept; then let go of connections."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self._spec.timeout)
            for task in late:
                task.cancel()
        await self._server.close()
        await self._settings.close()

    def _join(self, line: _Line) -> None:
        """Wait for a job of an earlier session that has this question, or for the next job."""
        earlier = self._take_earlier(line.request)
        if earlier is None:
            self._gathered.append(line)
            if not self._gathering:
                self._gathering = True
                self._begin(self._gather())
            return
        job, call = earlier
        line.sent = True
        job.waiting.append((call.number, line))
        if job.following is None:
            self._unseen.add(job)
            job.following = self._begin(self._follow(job))
        elif job.following.done():
            self._deliver(job)

    def _take_earlier(self, request: Request) -> tuple[_Job, BatchCall] | None:
        if self._earlier is None:
            self._earlier = {}
            for record in self._desk.records.open_batches():
                job = _Job(record, new=False)
                for call in record.calls:
                    self._earlier[call.address] = job, call
        found = self._earlier.pop(request.address, None)
        if found is None:
            return None
        job, call = found
        same = (job.record.place, call.fingerprint) == (self._name, request.fingerprint)
        return found if same else None

    def _begin(self, work: Awaitable[None]) -> asyncio.Task[None]:
        async def begun() -> None:
            await work

        task = asyncio.create_task(begun())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _gather(self) -> None:
        """Begin a job as soon as nobody is left who could add a question."""
        count = looks = 0
        while self.token.reason is None and looks < _QUIET:
            await asyncio.sleep(_LOOK)
            looks = looks + 1 if len(self._gathered) == count else 0
            count = len(self._gathered)
            if self.token.all_wait and not self._unseen:
                break
        lines, self._gathered, self._gathering = self._gathered, [], False
        if self.token.reason is None:
            for part in _split([(line, self._written(line.outgoing)) for line in lines]):
                self._begin(self._start(*zip(*part, strict=True)))

    def _written(self, sent: Outgoing) -> dict[str, Any]:
        """The body of one question."""
        settings = sent.settings
        if self._spec.sort == "litellm":
            from .litellm import translated

            settings = translated(self._spec.model, settings)
        return {"model": self.place.model, "messages": sent.messages, **settings}

    async def _start(self, lines: Sequence[_Line], bodies: Sequence[dict[str, Any]]) -> None:
        """Begin a job, keep it, and follow it to its end."""
        calls = tuple(
            BatchCall(number, line.request.address, line.request.fingerprint)
            for number, line in enumerate(lines)
        )
        record = BatchRecord(_new_key(), "", self._name, time.time(), calls, len(calls))
        job = _Job(record, new=True)
        job.waiting = [*enumerate(lines)]
        try:
            file = await self._server.upload(_file(bodies))
            self.token.check()
            await self._desk.records.keep_batch(record)
            for line in lines:
                line.sent = True
            state = await self._create(job, file)
            job.record = record._replace(job=state.id)
            await self._desk.records.keep_batch(job.record)
        except Exception as error:  # whatever it is, each question of the job is told
            refused = error
            if isinstance(error, Missing):
                refused = InputError(
                    f"{self.place.host} has no batch interface at this address: {error}; leave "
                    "--batch out, or name a server that has one"
                )
            for line in lines:
                line.settle(_again(refused))
            return
        await self._follow(job)

    async def _create(self, job: _Job, file: str) -> JobState:
        """Begin a job; if nobody heard the answer, look whether it was begun."""
        try:
            return await self._server.create(file, job.record.key)
        except Failed as failed:
            found = None
            if failed.billed:
                found = await self._insist(lambda: self._server.find(job.record.key), job)
            if found is not None:
                return found
            await self._desk.records.forget_batch(job.record)
            raise Failed(str(failed), wait=failed.wait, down=failed.down, billed=False) from None
        except (InputError, Missing):
            await self._desk.records.forget_batch(job.record)
            raise

    async def _follow(self, job: _Job) -> None:
        """Wait for the end of a job, and give everybody who waits the outcome."""
        key, count = job.record.key, job.record.size
        questions = "1 question" if count == 1 else f"{count:,} questions"
        try:
            state = await self._found(job)
            if state is not None:
                job.record = job.record._replace(job=state.id)
                words = f"batch {state.id} of {questions} at {self.place.host}"
                verb = "sent" if job.new else "found again:"
                self._desk.announce(f"{verb} {words}; waiting for it, up to {WINDOW} hours")
                job.state = await self._ended(job, f"{words}: {{}} of {count:,} done")
                job.outcomes = await self._outcomes(job)
        except Exception as error:  # whatever it is, each question that waits is told
            for _, line in job.waiting:
                line.settle(_again(error))
            job.waiting = []
            job.following = None
        else:
            self._deliver(job)
        finally:
            self._desk.tell(key, "")
            self._unseen.discard(job)

    async def _found(self, job: _Job) -> JobState | None:
        """Find a job of an earlier session again; None if it is gone, or was never begun."""
        if job.record.job:
            return JobState(job.record.job, "")
        found = await self._insist(lambda: self._server.find(job.record.key), job)
        if found is None:
            await self._desk.records.forget_batch(job.record)
        return found

    async def _ended(self, job: _Job, words: str) -> JobState | None:
        """Look at a job, ever more slowly, until it has ended; None if it is gone."""
        pause = self._spec.backoff
        while True:
            try:
                state = await self._insist(lambda: self._server.retrieve(job.record.job), job)
            except Missing:
                if job.new:
                    raise Paused(self._gone(job)) from None
                return None
            self._desk.tell(job.record.key, words.format(f"{state.done:,}"))
            if state.ended:
                return state
            self._unseen.discard(job)
            if time.time() - job.record.began > 3600 * (WINDOW + _GRACE):
                raise Paused(
                    f"batch {job.record.job} at {self.place.host} is still {state.status} after "
                    f"{WINDOW + _GRACE} hours; look there, and resume later"
                )
            await self.token.sleep(pause)
            pause = min(_LONGEST, _SLOWER * pause)

    def _gone(self, job: _Job) -> str:
        name = f"batch {job.record.job}"
        return f"{self.place.host} does not know {name} or its files any more; resume asks again"

    async def _outcomes(self, job: _Job) -> dict[str, Reply | Exception]:
        """Read the outcome of each line of a job that has ended, by number."""
        found: dict[str, Reply | Exception] = {}
        if job.state is None:
            return found
        for file in job.state.files:
            for line in await self._lines(job, file):
                number, outcome = str(line.get("custom_id")), read_line(line, self.place)
                # Of a line that comes twice the first reply stands: it has been paid for.
                if outcome is not None and not isinstance(found.get(number), Reply):
                    found[number] = self._priced(outcome)
        return found

    async def _lines(self, job: _Job, file: str) -> Sequence[Mapping[str, Any]]:
        """Read a file of a job that has ended; none if it is gone and the job is an earlier one."""
        try:
            return await self._insist(lambda: self._server.content(file, job.record.size), job)
        except Missing:
            if job.new:
                raise Paused(self._gone(job)) from None
            return ()

    def _priced(self, outcome: Reply | Exception) -> Reply | Exception:
        if isinstance(outcome, Exception) or self._price is None:
            return outcome
        if outcome.prompt_tokens is None or outcome.completion_tokens is None:
            return outcome
        cost = self._price.of(outcome.prompt_tokens, outcome.completion_tokens)
        # The price takes no account of caches, so nobody must reckon what they have saved of it.
        return outcome._replace(cost=cost, cached_tokens=None)

    def _deliver(self, job: _Job) -> None:
        """Give everybody who waits the outcome of a job that is over; ask anew where it has none.

        Who has a reply is woken first, so that it is kept, whatever comes of the others.
        """
        waiting, job.waiting = job.waiting, []
        outcomes, left = job.outcomes or {}, list[_Line]()
        for number, line in waiting:
            outcome = outcomes.get(str(number))
            if outcome is None:
                left.append(line)
            else:
                line.settle(outcome)
        for line in left:
            if job.new:
                line.settle(self._unanswered(job, len(left)))
            else:  # an expired job is no reason to stop a run that was resumed after it
                line.sent = False
                self._join(line)

    def _unanswered(self, job: _Job, count: int) -> Exception:
        """Describe why a question of a job that has ended has no reply."""
        state, host, size = job.state, self.place.host, job.record.size
        assert state is not None
        left = f"{count:,} of {size:,} questions have no reply, and cost nothing"
        if state.status == "completed":
            return Failed(f"batch {state.id} has no line for this question", down=False)
        if state.status == "failed":
            return InputError(
                f"{host} refused batch {state.id}: {state.words or 'it does not say why'}"
            )
        reason = f"not done within {WINDOW} hours" if state.status == "expired" else "cancelled"
        paused = Paused(f"batch {state.id} at {host} was {reason}: {left}; resume asks them again")
        paused.refused = True
        return paused

    async def _insist(self, ask: Callable[[], Awaitable[T]], job: _Job) -> T:
        """Ask the server about a job until it answers; raises Paused after the model's deadline."""
        began, pause = time.monotonic(), self._spec.backoff
        while True:
            try:
                return await ask()
            except Failed as failed:
                pause = min(_LONGEST, max(failed.wait or 0.0, _SLOWER * pause))
                if time.monotonic() - began + pause > self._spec.deadline:
                    name = job.record.job or f"with the key {job.record.key}"
                    raise Paused(
                        f"{self.place.host} cannot be asked about batch {name}: {failed}; what it "
                        "has is not lost, and resume looks again"
                    ) from None
            await self.token.sleep(pause)


class BatchedModel(Remote):
    """One model, for one run, asked in batches."""

    client: BatchClient

    def __init__(
        self, spec: ModelSpec, client: BatchClient, budget: Budget, under_way: CallsUnderWay
    ) -> None:
        # A job takes as many questions as there are, and as long as it takes.
        unbounded = {
            "concurrency": _UNBOUNDED,
            "requests_per_minute": None,
            "tokens_per_minute": None,
            "timeout": _FOREVER,
            "deadline": _FOREVER,
        }
        super().__init__(spec.model_copy(update=unbounded), client, budget, under_way)
        self.price, self._patience = find_price(spec, batch=True), spec.timeout

    @property
    def patience(self) -> float:
        """Seconds that the beginning of a job may still take."""
        return self._patience

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """Return the reply; raises Paused or InputError."""
        self.client.token = token
        return await super().call(request, going, token)


def batched(
    spec: ModelSpec, settings: Client, budget: Budget, desk: BatchDesk, under_way: CallsUnderWay
) -> BatchedModel:
    """Make a model that is asked in batches; raises InputError if it has no such interface.

    settings: the client of single calls.
    """
    provider = settings.place.host
    if spec.sort == "lean":
        address = spec.api_base
    elif spec.sort == "litellm" and provider in BATCH_PROVIDERS:
        named = (os.environ.get(f"OPENAI_{name}") for name in ("BASE_URL", "API_BASE"))
        address = next(filter(None, named), "https://api.openai.com/v1")
    else:
        raise InputError(
            f"--batch: {spec.model} has no batch interface that is known here; leave the option "
            "out, or take openai/NAME or, by --api-base, a server with POST /batches"
        )
    server = BatchServer(spec.model_copy(update={"api_base": (address or "").rstrip("/")}))
    return BatchedModel(spec, BatchClient(spec, server, settings, desk), budget, under_way)


def _new_key() -> str:
    """Make a key that no other job has, on any machine; it says nothing about the machine."""
    here = platform.node(), os.getpid(), time.time_ns(), next(numbers)
    return text_key("\0".join(map(str, here)))


def _file(bodies: Iterable[dict[str, Any]]) -> bytes:
    """Write questions as lines of JSON, by number."""
    lines = (
        {"custom_id": str(number), "method": "POST", "url": "/v1/chat/completions", "body": body}
        for number, body in enumerate(bodies)
    )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _split(
    lines: Iterable[tuple[_Line, dict[str, Any]]],
) -> list[list[tuple[_Line, dict[str, Any]]]]:
    """Split questions into jobs of a size that providers take."""
    parts: list[list[tuple[_Line, dict[str, Any]]]] = []
    size = 0
    for line, body in lines:
        more = len(json.dumps(body)) + 100
        if not parts or len(parts[-1]) == _MOST_LINES or size + more > _MOST_BYTES:
            parts.append([])
            size = 0
        parts[-1].append((line, body))
        size += more
    return parts


def _again(error: Exception) -> Exception:
    """Copy an error: each call raises its own."""
    match error:
        case Failed():
            return Failed(str(error), wait=error.wait, down=error.down, billed=error.billed)
        case Paused():
            copy = Paused(str(error))
            copy.refused = error.refused
            return copy
        case InputError() | ContextOverflow():  # of the job; no single question is the reason
            return InputError(str(error))
    return error
