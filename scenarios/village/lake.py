"""The lake of the villages: what efforts land, and how fish regrow. See fishing_village.

Arrays are (R, N) of villagers and (R, 1) of lakes. Source: Gupta et al. 2026, section 4.1; that
`allowed_catch` follows the stock is ours.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from society.engine.rng import Array


class Lake(Protocol):
    """Parameters of a lake and its villagers, as fishing_village describes them."""

    @property
    def capacity(self) -> float: ...
    @property
    def growth(self) -> float: ...
    @property
    def stock(self) -> float: ...
    @property
    def catchability(self) -> float: ...
    @property
    def consumption(self) -> float: ...
    @property
    def wealth(self) -> float: ...
    @property
    def collapse_at(self) -> float: ...


def land_catch(p: Lake, effort: Array, stock: Array) -> Array:
    """Catches, (R, N), scaled down pro rata where they would exceed the stock."""
    wish = p.catchability * effort * stock
    total = wish.sum(1, keepdims=True)
    catch: Array = wish * np.divide(stock, total, out=np.ones_like(stock), where=total > stock)
    return catch


def regrow(p: Lake, left: Array) -> Array:
    """Logistic growth, (R, 1)."""
    left = np.maximum(left, 0)  # rounding may take a hair more than there is
    grown: Array = left + p.growth * left * (1 - left / p.capacity)
    return np.maximum(grown, 0)


def maximum_yield(p: Lake) -> float:
    """Maximum sustainable yield, fish a round."""
    return float(p.growth * p.capacity / 4)


def allowed_catch(p: Lake, full_catch: Array, fishers: Array) -> Array:
    """The catch of each of so many fishers at which the lake yields most for good, (R, 1).

    F S / n, F = r / (2 + r). full_catch: at full effort, alpha S, which tells the stock; fishers:
    n, (R, 1).
    """
    stock = full_catch / p.catchability if p.catchability else np.zeros_like(full_catch)
    allowed: Array = p.growth / (2 + p.growth) * stock / np.maximum(fishers, 1)
    return allowed
