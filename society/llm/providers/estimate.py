"""Estimates of what a run would ask of its models, before anything is spent.

The offline mind plays in place of every model, and what would be sent is counted. Real minds act
otherwise, so that a village may end sooner or later than the one that was counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken

from .pool import ModelPool
from .pricing import find_price
from .settings import ModelSpec

_CHARACTERS = 4  # of English text make about a token


class Forecast(NamedTuple):
    """An estimate for one model.

    reply_tokens: if replies are as short as the offline mind's. most_reply_tokens: if each takes
    all the room that it has. Costs in US dollars for both; None where the price is unknown.
    """

    model: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    most_reply_tokens: int
    cost: float | None
    most_cost: float | None


class Counting:
    """Minds that pass every question to the offline one, and count it."""

    def __init__(self, specs: Mapping[str, ModelSpec], *, seed: int) -> None:
        self._pool = ModelPool(specs)
        self._offline = ModelPool({}, seed=seed)
        self._counted: dict[str, list[tuple[int, int, int]]] = {}

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """Return the offline model's reply, and count the call."""
        said = await self._offline.call(request._replace(model="default"), going, token)
        prompt = sum(len(message.content) for message in request.messages)
        # Where replies may be of any length, the usual room is taken to be the most.
        room = request.room or self._pool.spec(request.model).max_tokens or ModelSpec().max_tokens
        assert room is not None, "there is a usual room"
        row = (_tokens(prompt), _tokens(len(said.text)), room)
        self._counted.setdefault(request.model, []).append(row)
        return said

    @property
    def patience(self) -> float:
        """The offline mind answers at once."""
        return self._offline.patience

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def forecasts(self) -> list[Forecast]:
        """Return the estimates of all models, in the order of their names."""
        return [self._forecast(name) for name in sorted(self._counted)]

    def _forecast(self, name: str) -> Forecast:
        spec, rows = self._pool.spec(name), self._counted[name]
        prompt, reply, most = (sum(column) for column in zip(*rows, strict=True))
        known = find_price(spec)
        costs = [None if known is None else known.of(prompt, words) for words in (reply, most)]
        return Forecast(spec.label, len(rows), prompt, reply, most, *costs)


def _tokens(characters: int) -> int:
    return -(-characters // _CHARACTERS)
