"""A mechanism to start from: it stands around a game, and changes what the game pays.

society check starter.py                 wraps it around every scenario that takes it
society run starter.yaml                 plays a public goods game with it
society list public_goods                lists what the game asks and tells
"""

from __future__ import annotations

from typing import Any

from pydantic import Field
from society import mechanism


@mechanism
class Starter:
    """A share of what everybody gets is collected, and given out again to all alike."""

    rate: float = Field(0.2, ge=0, le=1, description="Share that is collected")

    def on_payoff(self, tell: Any, payoff: Any) -> Any:
        """Return what is added to everybody's payoff; arrays run (replicate, agent)."""
        collected = self.rate * payoff
        return collected.mean(1, keepdims=True) - collected

    # def on_move(self, ask: Any) -> Any:     changes the question for a move, and returns it
