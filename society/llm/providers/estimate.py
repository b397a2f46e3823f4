"""Estimates of what a run would ask of its models, before anything is spent.

The offline mind plays in place of every model, and what would be sent is counted. Real minds act
otherwise, so that a village may end sooner or later than the one that was counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from society.engine.calls import Completion, Going, Request, sum_known
from society.engine.cancellation import CancellationToken

from .identical_calls import key_of_question
from .pool import ModelPool
from .pricing import Price, find_price
from .settings import ModelSpec

_CHARACTERS = 4  # of English text make about a token


class Forecast(NamedTuple):
    """An estimate for one model.

    reply_tokens: if replies are as short as the offline mind's. most_reply_tokens: if each takes
    all the room that it has. Costs in US dollars for both; None where the price is unknown.
    batch_cost, most_batch_cost: the same in batches. identical: calls that an identical one before
    them could answer at temperature 0; they cost nothing if they are shared.
    """

    model: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    most_reply_tokens: int
    cost: float | None
    most_cost: float | None
    batch_cost: float | None = None
    most_batch_cost: float | None = None
    identical: int = 0

    @classmethod
    def summed(cls, name: str, forecasts: Iterable[Forecast]) -> Self:
        """Sum up forecasts under a name; a cost is unknown if one of theirs is."""
        columns = zip(*(one[1:] for one in forecasts), strict=True)
        sums: list[Any] = [sum_known(column) for column in columns]
        return cls(name, *sums)


class Counting:
    """Minds that pass every question to the offline one, and count it.

    share, batch: whether identical calls are shared, and calls are made in batches; both change
    tokens and costs, and share the calls.
    """

    def __init__(
        self,
        specs: Mapping[str, ModelSpec],
        *,
        seed: int,
        share: bool = False,
        batch: bool = False,
    ) -> None:
        self._pool, self._share, self._batch = ModelPool(specs), share, batch
        self._offline = ModelPool({}, seed=seed)
        self._counted: dict[str, list[tuple[int, int, int]]] = {}
        self._keys: dict[str, set[str]] = {}  # of the questions so far, by model
        self._identical: Counter[str] = Counter()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """Return the offline model's reply, and count the call."""
        said = await self._offline.call(request._replace(model="default"), going, token)
        prompt = sum(len(message.content) for message in request.messages)
        # Where replies may be of any length, the usual room is taken to be the most.
        room = request.room or self._pool.spec(request.model).max_tokens or ModelSpec().max_tokens
        assert room is not None, "there is a usual room"
        row = (_tokens(prompt), _tokens(len(said.text)), room)
        rows = self._counted.setdefault(request.model, [])
        keys = self._keys.setdefault(request.model, set())
        key = key_of_question(request)
        self._identical[request.model] += key in keys
        if not (self._share and key in keys):
            rows.append(row)
        keys.add(key)
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
        once, batched = find_price(spec), find_price(spec, batch=True)
        paid = batched if self._batch else once
        return Forecast(
            spec.label,
            len(rows),
            prompt,
            reply,
            most,
            _cost(paid, prompt, reply),
            _cost(paid, prompt, most),
            _cost(batched, prompt, reply),
            _cost(batched, prompt, most),
            self._identical[name],
        )


def _cost(price: Price | None, prompt: int, reply: int) -> float | None:
    return None if price is None else price.of(prompt, reply)


def _tokens(characters: int) -> int:
    return -(-characters // _CHARACTERS)
