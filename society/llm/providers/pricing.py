"""Prices of tokens, from litellm's table: read from its file, without importing litellm."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from society.engine.calls import Usage, sum_known

from .settings import BATCH_PROVIDERS, ModelSpec

_TABLE = "model_prices_and_context_window_backup.json"


class Price(NamedTuple):
    """US dollars for a token of the prompt, and of the reply."""

    prompt: float
    reply: float

    def of(self, prompt: int, reply: int) -> float:
        """Return the cost of so many tokens."""
        return self.prompt * prompt + self.reply * reply


FREE = Price(0.0, 0.0)


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    """Read the table, by name of the model; empty where litellm is not installed."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    table: dict[str, Mapping[str, Any]] = json.loads(
        Path(spec.origin).with_name(_TABLE).read_text("utf-8")
    )
    return table


def find_price(spec: ModelSpec, *, batch: bool = False) -> Price | None:
    """The price of a model; None if nobody knows it. batch: of tokens in batches, if it is listed.

    A server of one's own has no listed price, whatever its models are called, and a function of the
    user's may reach any model.
    """
    if spec.sort in ("offline", "tape", "local"):
        return FREE
    if spec.sort != "litellm":
        return None
    provider, _, name = spec.model.partition("/")
    entry = _table().get(spec.model)
    if entry is None and name:
        entry = _table().get(name)
        entry = entry if entry and entry.get("litellm_provider") == provider else None
    if batch and (entry or {}).get("litellm_provider") not in BATCH_PROVIDERS:
        return None
    suffix = "_batches" if batch else ""
    prices = [(entry or {}).get(f"{way}_cost_per_token{suffix}") for way in ("input", "output")]
    match prices:
        case [int() | float() as prompt, int() | float() as reply]:
            return Price(prompt, reply)
    return None


def cache_savings(ledger: Iterable[Usage]) -> float | None:
    """US dollars that tokens from providers' caches have saved, by the price list.

    None where somebody does not say how many there were, or the list has no price for them. What
    has cost nothing has saved nothing.
    """
    return sum_known(map(_saved, ledger))


def _saved(entry: Usage) -> float | None:
    if entry.cached_tokens is None or entry.cost is None:
        return None
    if not entry.cached_tokens or not entry.cost:
        return 0.0
    listed = _table()
    name = entry.model if entry.model in listed else entry.model.partition("/")[2]
    match listed.get(name):
        case {
            "input_cost_per_token": int() | float() as full,
            "cache_read_input_token_cost": int() | float() as read,
        }:
            return entry.cached_tokens * (full - read)
    return None
