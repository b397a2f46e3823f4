"""A call to a model that is reached from outside: budget, turn, attempt, and again if it fails."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from society.calls import Going, Request, Said
from society.errors import Paused

from .budget import Budget, Use
from .keys import redacted
from .limits import limiter
from .prices import price
from .retry import numbers, persistent
from .settings import ModelSpec
from .wire import Client, Failed, Reply

_LETTERS = 4  # to a token, about
_FRAME = 16  # tokens that roles and templates may add to a message, and to the whole
_NAP = 1.0  # seconds after which a waiting call looks whether the run still goes on


T = TypeVar("T", int, float)


def added(parts: Iterable[T | None]) -> T | None:
    """The sum; None if one is unknown."""
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)


class Remote:
    """One model, for one run."""

    def __init__(
        self, spec: ModelSpec, client: Client, budget: Budget, halted: Callable[[], None]
    ) -> None:
        self.spec, self.client, self.budget, self.halted = spec, client, budget, halted
        self.limiter = limiter(spec)
        self.price = price(spec)
        self._sent: dict[int | None, Mapping[str, Any]] = {}

    def check(self) -> None:
        """Raises InputError if a key is missing."""
        self.client.check()

    async def call(self, request: Request, going: Going) -> Said:
        """What comes back; raises Paused or InputError."""
        call = _Call(self, request, going)
        try:
            return await call.said()
        except Failed as failed:
            raise Paused(
                f"{self.client.place.host} did not answer after {call.attempts} attempts in "
                f"{call.busy():.1f} s; last: {failed}; resume later"
            ) from None

    def sent(self, room: int | None) -> Mapping[str, Any]:
        """The settings that go out, as the run file keeps them."""
        if room not in self._sent:
            # A function of the user's has its own settings.
            settings = {} if self.spec.sort == "own" else self.spec.sent(room)
            said = json.dumps({"model": self.client.place.model, **settings})
            self._sent[room] = json.loads(redacted(said))
        return self._sent[room]

    async def sleep(self, seconds: float) -> None:
        """Sleep, but wake up if the run is stopped meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.halted()
            await asyncio.sleep(min(left, _NAP))

    async def close(self) -> None:
        await self.client.close()


class _Call:
    """One call on its way, and the replies that it has had."""

    def __init__(self, remote: Remote, request: Request, going: Going) -> None:
        self.remote, self.request, self.going = remote, request, going
        self.room = request.room or remote.spec.max_tokens
        self.number = next(numbers)
        self.attempts = 0
        self.replies: list[Reply] = []  # all but the last without words, though paid for
        self._began, self._queued = time.monotonic(), 0.0

    def busy(self) -> float:
        """Seconds since it was begun, without those of waiting for a turn."""
        return time.monotonic() - self._began - self._queued

    async def said(self) -> Said:
        """The first reply with words. If none has any, that is what was said."""
        remote = self.remote
        last = await persistent(self._attempt, remote.spec, self.number, self.busy, remote.sleep)
        return Said(
            last.text,
            last.finish,
            added(reply.prompt_tokens for reply in self.replies),
            added(reply.completion_tokens for reply in self.replies),
            added(reply.cost for reply in self.replies),
            self.busy(),
            self.attempts - 1,
            last.model or remote.spec.model,
            remote.sent(self.request.room),
        )

    async def _attempt(self) -> Reply:
        """One more reply, within the budget."""
        self.remote.halted()
        waiting, budget = time.monotonic(), self.remote.budget
        if not budget.limited:
            return await self._in_turn(waiting)
        most = self._most()
        used = Use(most.calls)
        await budget.hold(most)
        try:
            reply = await self._in_turn(waiting)
            used = self._used(reply, most)
            return reply
        finally:
            budget.settle(most, used)

    async def _in_turn(self, waiting: float) -> Reply:
        """Wait for a place and for the pace; then send. waiting: since when."""
        spec, limiter = self.remote.spec, self.remote.limiter
        await limiter.enter(spec.concurrency)
        try:
            prompt = sum(len(message.content) for message in self.request.messages) // _LETTERS
            need = await limiter.pace(spec, prompt, self.room, self.remote.sleep)
            limiter.breaker.check(self.remote.client.place.host)
            self._queued += time.monotonic() - waiting
            await self.going()
            self.attempts += 1
            reply = await self._reply()
            limiter.used(spec, need, (reply.prompt_tokens, reply.completion_tokens))
        finally:
            limiter.leave()
        self.replies.append(reply)
        return reply

    async def _reply(self) -> Reply:
        """Send, and note what this tells about the provider's health."""
        limiter = self.remote.limiter
        began = limiter.clock()
        try:
            reply = await self._in_time()
        except Failed as failed:
            limiter.rest(failed.wait or 0.0)
            if failed.down:
                limiter.breaker.failed(self.number, began, str(failed))
            else:
                limiter.breaker.answered()
            raise
        limiter.breaker.answered()
        return reply

    async def _in_time(self) -> Reply:
        seconds = self.remote.spec.timeout
        try:
            async with asyncio.timeout(seconds):
                return await self.remote.client.send(self.request.messages, self.request.room)
        except TimeoutError:
            raise Failed(f"no answer within {seconds:g} s") from None

    def _most(self) -> Use:
        """What one attempt can use at most: a token is at least a byte."""
        words = [message.content.encode(errors="replace") for message in self.request.messages]
        prompt = _FRAME + sum(_FRAME + len(text) for text in words)
        price = self.remote.price
        cost = 0.0 if price is None else price.of(prompt, self.room)
        return Use(0 if self.attempts else 1, prompt + self.room, cost)

    def _used(self, reply: Reply, most: Use) -> Use:
        """What it did use; what nobody says is taken to be the most."""
        tokens = added((reply.prompt_tokens, reply.completion_tokens))
        cost = most.cost if reply.cost is None else reply.cost
        return Use(most.calls, most.tokens if tokens is None else tokens, cost)
