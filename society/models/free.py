"""Minds that cost nothing and never fail, counted like all others."""

from __future__ import annotations

from collections.abc import Callable

from society.calls import Going, Request, Said

from .budget import Budget, Use
from .halt import Halt


class Free:
    """A mind whose answer is a function of the request."""

    def __init__(self, answer: Callable[[Request], Said], budget: Budget, halt: Halt) -> None:
        self._answer, self._budget, self._halt = answer, budget, halt

    def check(self) -> None:
        """It needs no key."""

    @property
    def patience(self) -> float:
        """It answers at once."""
        return 0.0

    async def call(self, request: Request, going: Going) -> Said:
        """The answer; raises Paused at a limit, and what the function raises."""
        said = self._answer(request)
        use = Use(1, (said.prompt_tokens or 0) + (said.completion_tokens or 0))
        await self._budget.hold(use, self._halt)
        try:
            await going()
        finally:
            self._budget.settle(use, use)
        return said

    async def close(self) -> None:
        """There is nothing to let go of."""
