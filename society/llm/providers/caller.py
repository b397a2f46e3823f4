"""A call to a model that is reached from outside: budget, turn, attempt, and again if it fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from society.engine.calls import ASKED_ON, OVERFLOW, Completion, Going, Request, sum_known
from society.engine.cancellation import CancellationToken
from society.errors import ContextOverflow, InputError, Paused

from .budget import Budget, Use
from .calls_under_way import CallsUnderWay
from .endpoint import Outgoing
from .pricing import find_price
from .rate_limits import shared_limiter
from .responses import Client, Failed, Refused, Reply
from .retry import ask_persistently, numbers
from .settings import ModelSpec

_LETTERS = 4  # to a token, about
_FRAME = 16  # tokens that roles and templates may add to a message, and to the whole


class Remote:
    """One model, for one run."""

    def __init__(
        self,
        spec: ModelSpec,
        client: Client,
        budget: Budget,
        under_way: CallsUnderWay | None = None,
    ) -> None:
        self.spec, self.client, self.budget = spec, client, budget
        self.under_way = under_way or CallsUnderWay()
        self.limiter = shared_limiter(spec)
        self.price = find_price(spec)
        self.answered = False  # whether any call has been

    def check(self) -> None:
        """Raise InputError if a key is missing, or a setting would have no effect."""
        self.client.check()

    @property
    def patience(self) -> float:
        """Seconds that an attempt under way may still take."""
        return self.spec.timeout

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """Return the reply; raises Paused or InputError."""
        call = _Call(self, request, going, token)
        try:
            return await call.said()
        except Failed as failed:
            raise call.refusal(
                Paused(
                    f"{self.client.place.host} did not answer after {call.attempts} "
                    f"attempt{'s' * (call.attempts != 1)} in {call.busy():.1f} s; last: {failed}; "
                    "resume later"
                )
            ) from None
        except Paused as paused:
            raise call.refusal(paused) from paused.__cause__
        except ContextOverflow as overflow:
            return call.overflowed(overflow)

    def record(self, sent: Outgoing) -> Mapping[str, Any]:
        """Return what went out besides the messages, as the run file keeps it."""
        settings = {"model": self.client.place.model, **sent.settings}
        if sent.folded:
            settings["roles"] = "user-only"
        if self.spec.most_room is not None:
            settings["most_room"] = self.spec.most_room
        # Providers change what answers under a name, so that a paper says when it was asked.
        return {**settings, ASKED_ON: f"{datetime.now(UTC):%Y-%m-%d}"}

    async def close(self) -> None:
        await self.client.close()


class _Call:
    """One call on its way, and the replies that it has had."""

    def __init__(
        self, remote: Remote, request: Request, going: Going, token: CancellationToken
    ) -> None:
        self.remote, self.request, self.going, self.token = remote, request, going, token
        self.room = request.room or remote.spec.max_tokens or 0
        self.sent = Outgoing([], {})  # what the last attempt was
        self.number = next(numbers)
        self.attempts = 0
        self._answerable = False  # an attempt may have been answered, whether or not we heard it
        self._failure = ""  # of the last attempt
        self.replies: list[Reply] = []  # all but the last without words, though paid for
        self._began, self._queued = time.monotonic(), 0.0

    def refusal(self, paused: Paused) -> Paused:
        """Mark the error as refused if each attempt was refused; no limit counts the call then."""
        if self.attempts and not self._answerable:
            paused.refused = True
            self.remote.budget.give_back(1)
        return paused

    def busy(self) -> float:
        """Seconds since it was begun, without those of waiting for a turn."""
        return time.monotonic() - self._began - self._queued

    def overflowed(self, why: ContextOverflow) -> Completion:
        """A reply without words, for a prompt that was refused as too long: it cost nothing."""
        return Completion(
            "",
            OVERFLOW,
            sum_known([0, *(reply.prompt_tokens for reply in self.replies)]),
            sum_known([0, *(reply.completion_tokens for reply in self.replies)]),
            sum_known([0.0, *(reply.cost for reply in self.replies)]),
            self.busy(),
            self.attempts - 1,
            self.remote.spec.label,
            {**self.remote.record(self.sent), OVERFLOW: str(why)},
            sum_known([0, *(reply.cached_tokens for reply in self.replies)]),
        )

    async def said(self) -> Completion:
        """The first reply with words. If none has any, that is what was said."""
        remote = self.remote
        last = await ask_persistently(
            self._attempt, remote.spec, self.number, self.busy, self._rest
        )
        return Completion(
            last.text,
            last.finish,
            sum_known(reply.prompt_tokens for reply in self.replies),
            sum_known(reply.completion_tokens for reply in self.replies),
            sum_known(reply.cost for reply in self.replies),
            self.busy(),
            self.attempts - 1,
            last.model or remote.spec.label,
            remote.record(self.sent),
            sum_known(reply.cached_tokens for reply in self.replies),
        )

    async def _rest(self, seconds: float) -> None:
        """Wait before the next attempt."""
        why = self._failure or "an empty reply"
        self.remote.under_way.note(self.request, "retrying", seconds, why)
        await self.token.sleep(seconds)

    async def _hold(self, seconds: float) -> None:
        """Wait for the pace that limits allow."""
        host, resting = self.remote.client.place.host, self.remote.limiter.resting
        why = f"{host} asked for a pause" if resting else "requests or tokens per minute"
        self.remote.under_way.note(self.request, "held back", seconds, why)
        await self.token.sleep(seconds)

    async def _attempt(self) -> Reply:
        """One more reply, within the budget."""
        self.token.check()
        self.remote.under_way.note(self.request, "waiting")
        waiting, budget = time.monotonic(), self.remote.budget
        if not budget.limited:
            return await self._in_turn(waiting)
        most = self._most()
        await budget.hold(most, self.token)
        before = self.attempts
        used = Use()
        try:
            reply = await self._in_turn(waiting)
            used = self._used(reply, most)
            return reply
        except Failed as failed:
            used = most if failed.billed else Use(most.calls)
            raise
        except ContextOverflow:
            used = Use(most.calls)
            raise
        except BaseException:
            # Whoever ends a call that has gone out does not know what becomes of it.
            used = most if self.attempts > before else Use()
            raise
        finally:
            budget.settle(most, used)

    async def _in_turn(self, waiting: float) -> Reply:
        """Wait for a place and for the pace; then send. waiting: since when."""
        spec, limiter, token = self.remote.spec, self.remote.limiter, self.token
        await limiter.enter(spec.concurrency, token)
        try:
            prompt = sum(len(message.content) for message in self.request.messages) // _LETTERS
            need = await limiter.pace(spec, self.number, prompt, self.room, self._hold)
            limiter.breaker.check(self.remote.client.place.host)
            self._queued += time.monotonic() - waiting
            await self.going()
            self.attempts += 1
            self.remote.under_way.note(self.request, "sent")
            self._failure = ""
            try:
                reply = await self._reply()
            except Failed as failed:
                self._answerable |= failed.billed
                self._failure = str(failed)
                raise
            except BaseException:  # cut off on its way: it may have been answered all the same
                self._answerable = True
                raise
            self._answerable = True
            limiter.used(spec, need, (reply.prompt_tokens, reply.completion_tokens))
        finally:
            limiter.leave(spec.concurrency)
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
        except InputError as error:
            # Settings by which others are answered are right: this may go better, now or later.
            if not self.remote.answered:
                raise
            limiter.breaker.answered()
            raise Failed(str(error), down=False, billed=False) from None
        except ContextOverflow:
            limiter.breaker.answered()
            raise
        limiter.breaker.answered()
        self.remote.answered = True
        return reply

    async def _in_time(self) -> Reply:
        seconds = self.remote.spec.timeout
        try:
            async with asyncio.timeout(seconds):
                return await self._adapted()
        except TimeoutError:
            raise Failed(f"no answer within {seconds:g} s") from None

    async def _adapted(self) -> Reply:
        """Send; where the server refuses how, send again in the way that it takes."""
        client = self.remote.client
        endpoint = client.endpoint
        while True:
            self.sent = sent = endpoint.outgoing(self.request, len(self.replies))
            try:
                reply = await client.send(self.request, sent)
            except Refused as refused:
                if endpoint.adapt(sent, refused.details):
                    continue
                if self.request.room and endpoint.names_room(refused.details):
                    raise ContextOverflow(str(refused)) from None  # the model's own room is less
                raise
            except ContextOverflow as overflow:
                if not self.request.room:
                    endpoint.refuse_room(sent, str(overflow))
                raise
            else:
                endpoint.learn(sent, reply.text, reply.finish)
                return reply

    def _most(self) -> Use:
        """Return the most that one attempt can use: a token is at least a byte."""
        words = [message.content.encode(errors="replace") for message in self.request.messages]
        prompt = _FRAME + sum(_FRAME + len(text) for text in words)
        price = self.remote.price
        cost = 0.0 if price is None else price.of(prompt, self.room)
        return Use(0 if self.attempts else 1, prompt + self.room, cost)

    def _used(self, reply: Reply, most: Use) -> Use:
        """Return what an attempt used; what nobody says is taken to be the most."""
        tokens = sum_known((reply.prompt_tokens, reply.completion_tokens))
        cost = most.cost if reply.cost is None else reply.cost
        return Use(most.calls, most.tokens if tokens is None else tokens, cost)
