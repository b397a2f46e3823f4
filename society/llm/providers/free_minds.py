"""Minds that cost nothing: the offline mind answers all calls, whatever model they name."""

from __future__ import annotations

from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken

from .pool import ModelPool


class FreeMinds:
    """The offline mind in place of all models; keeps the first prompt of each question.

    unreadable: whether the first reply to each kind of question cannot be read, so that it is
    asked for again.
    """

    def __init__(self, seed: int, *, unreadable: bool = False) -> None:
        self.prompts: dict[str, str] = {}
        self._pool, self._unreadable = ModelPool({}, seed=seed), unreadable

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        kind = request.address.kind
        first = kind not in self.prompts
        if not request.again:
            words = "\n\n".join(message.content for message in request.messages)
            self.prompts.setdefault(kind, words)
        reply = await self._pool.call(request._replace(model="default"), going, token)
        return reply._replace(text="...") if first and self._unreadable else reply

    @property
    def patience(self) -> float:
        return self._pool.patience

    async def close(self) -> None:
        await self._pool.close()
