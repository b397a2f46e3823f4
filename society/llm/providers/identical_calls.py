"""Identical questions of a run, asked once at temperature 0; the others get copies of the reply.

Questions are identical if model, messages, room and schema are: a key, a hash of these, goes into
the record with each reply. A copy costs nothing, and counts to no limit.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable

from xxhash import xxh3_128_hexdigest

from society.engine.calls import Completion, Request
from society.engine.cancellation import CancellationToken
from society.errors import InputError

from .settings import FREE_SORTS, ModelSpec

_KEY = "identical"  # among the settings that a record keeps; no setting has this name


def key_of_question(request: Request) -> str:
    """Return a hash that identical questions have in common, whoever is asked.

    A seed that is derived from the address of a question is no part of it.
    """
    parts = request.fingerprint, request.room, request.schema
    return xxh3_128_hexdigest(json.dumps(parts, sort_keys=True).encode())


def refuse_chance(name: str, spec: ModelSpec) -> None:
    """Raise InputError if replies of a model are drawn by chance, or may be."""
    if spec.sort in FREE_SORTS or spec.temperature == 0:
        return
    place = "model" if name == "default" else f"models.{name}"
    if spec.sort == "own":
        reason = f"{spec.model} makes its model itself, so that nobody knows its temperature"
    elif spec.temperature is None:
        reason = f"none is set for {spec.model}; set it: --set {place}.temperature=0"
    else:
        reason = f"{spec.model} has {spec.temperature:g}; set it: --set {place}.temperature=0"
    raise InputError(
        "--share-identical needs temperature 0, since all other replies are drawn by chance, and "
        f"{reason}, or leave the option out"
    )


class IdenticalCalls:
    """The replies of one run to questions that may come again; used in one event loop."""

    def __init__(self) -> None:
        self._replies: dict[str, Completion] = {}
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}  # for the call under way

    def remember(self, recorded: Iterable[Completion]) -> None:
        """Take replies from the record of an earlier session; those without a key are left out."""
        for reply in recorded:
            if isinstance(key := reply.sent.get(_KEY), str):
                self._replies.setdefault(key, reply)

    async def call(
        self, request: Request, token: CancellationToken, ask: Callable[[], Awaitable[Completion]]
    ) -> Completion:
        """Return the reply of `ask`, or a copy of the reply to an identical question.

        Who comes while that is asked waits for it; raises Paused if the run is stopped meanwhile.
        """
        key = key_of_question(request)
        if key in self._waiting:
            ready = asyncio.get_running_loop().create_future()
            self._waiting[key].append(ready)
            await token.wait_for(ready)
        if key in self._replies:
            reply = self._replies[key]
            return reply.copy_of({_KEY: reply.sent[_KEY]})
        self._waiting[key] = []
        try:
            reply = await ask()
            self._replies[key] = reply._replace(sent={**reply.sent, _KEY: key})
        finally:
            for ready in self._waiting.pop(key):
                if not ready.done():
                    ready.set_result(None)
        return self._replies[key]
