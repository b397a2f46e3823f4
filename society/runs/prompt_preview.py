"""The prompts of a society as its first agent reads them; the offline mind answers them."""

from __future__ import annotations

from dataclasses import replace

from society.config.build import Society
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.errors import InputError, suggest
from society.llm.providers.pool import ModelPool


class _Listener:
    """Keeps the first prompt of each question; the offline mind answers, whatever is named."""

    def __init__(self, seed: int) -> None:
        self.prompts: dict[str, str] = {}
        self._pool = ModelPool({}, seed=seed)

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        words = "\n\n".join(message.content for message in request.messages)
        if not request.again:
            self.prompts.setdefault(request.address.kind, words)
        # No other model is ever asked: a look at prompts costs nothing.
        return await self._pool.call(request._replace(model="default"), going, token)

    @property
    def patience(self) -> float:
        return self._pool.patience

    async def close(self) -> None:
        await self._pool.close()


def first_prompts(setup: Society, question: str | None = None) -> dict[str, str]:
    """Return the first prompt of each question in the first round, or of one; raises InputError.

    Nothing is recorded, and no model is asked but the offline one.
    """
    listener = _Listener(setup.seed)
    once = replace(setup, spec=setup.spec.model_copy(update={"replicates": 1}), rounds=1)
    once.gamemaster(minds=listener).play()
    if not listener.prompts:
        raise InputError(
            f"no agent of {setup.scenario.name} is asked in words in the first round; give some "
            "agents language models, such as by --set minds=language where the scenario has it"
        )
    if question is None:
        return listener.prompts
    if question not in listener.prompts:
        raise InputError(
            f"{setup.scenario.name} does not ask {question!r} in words in the first round; "
            f"{suggest(question, listener.prompts)}"
        )
    return {question: listener.prompts[question]}
