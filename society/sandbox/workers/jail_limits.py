"""How much a jailed process may use before it is ended, and how strictly it is confined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Confinement = Literal["strict", "any", "none"]


@dataclass(frozen=True)
class JailLimits:
    """Bounds of one worker. They guard the host; the step budget is what programs are held to.

    memory: bytes beyond what numpy and Python take. processor: seconds over a worker's life; it is
    replaced at half of them. silence: seconds in which a worker may neither call a program nor
    answer, and what is added for each decision that it was asked for.
    """

    memory: int = 1 << 30
    processor: int = 3600
    silence: float = 5.0
    silence_per_decision: float = 20e-6
    longest_per_decision: float = 0.05

    def quiet(self, decisions: int) -> float:
        """Seconds without a sign of progress after which a worker hangs."""
        return self.silence + self.silence_per_decision * decisions

    def longest(self, decisions: int) -> float:
        """Seconds after which a worker hangs, whatever signs it gives."""
        return self.silence + self.longest_per_decision * decisions
