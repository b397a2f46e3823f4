"""Objects that a program can look at and not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn


class Frozen:
    """Looks like a module: names with values, none of which can be set.

    A name that it has not is an AttributeError, as with a module.
    """

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{self} cannot be changed")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    # Copies and pickles are the object itself, or would open it.
    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"{self} cannot be copied")


def freeze(name: str, values: Mapping[str, Any]) -> Frozen:
    """Make a frozen object of a class of its own; name: how messages call it."""
    frozen: Frozen = type(name, (Frozen,), {"__module__": "sandbox"})()
    frozen.__dict__.update(values)
    return frozen
