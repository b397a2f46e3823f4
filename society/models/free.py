"""Minds that cost nothing and never fail, counted like all others."""

from __future__ import annotations

from collections.abc import Callable

from society.calls import Going, Request, Said
from society.cancellation import CancellationToken

from .budget import Budget, Use


class Free:
    """A mind whose answer is a function of the request."""

    def __init__(self, answer: Callable[[Request], Said], budget: Budget) -> None:
        self._answer, self._budget = answer, budget

    def check(self) -> None:
        """It needs no key."""

    @property
    def patience(self) -> float:
        """It answers at once."""
        return 0.0

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Said:
        """The answer; raises Paused at a limit, and what the function raises."""
        said = self._answer(request)
        use = Use(1, (said.prompt_tokens or 0) + (said.completion_tokens or 0))
        await self._budget.hold(use, token)
        try:
            await going()
        finally:
            self._budget.settle(use, use)
        return said

    async def close(self) -> None:
        """There is nothing to let go of."""
