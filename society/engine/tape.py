"""Sources of answers to a script's questions: a live population, or a tape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from society.errors import PartError

from .action_spaces import fields
from .agents import Renderer
from .gateway import ModelGateway
from .history import Step
from .population import Cast, Raw
from .rng import Array
from .script import Ask, Inherit, Tell


class Answerer(Protocol):
    """A source of answers to a script's questions: a population, or a tape."""

    @property
    def gateway(self) -> ModelGateway: ...
    async def begin(self) -> None: ...
    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw: ...
    def author(self, kind: str, node: int) -> str: ...
    def author_place(self, kind: str, node: int) -> str: ...
    async def notice(self, tell: Tell, active: Array | None, use: int) -> None: ...
    async def inherit(self, line: Inherit, use: int) -> None: ...
    async def recast(self, cast: Cast, words: Renderer | None) -> None: ...
    def public(self) -> dict[str, Array]: ...


class Tape:
    """Recorded answers in place of agents: replay drives the script alone.

    asides: questions beside the history, which are recorded apart.
    """

    def __init__(self, steps: Iterable[Step], asides: Iterable[Step] = ()) -> None:
        self.gateway = ModelGateway()
        self._asks = (step for step in steps if step.sort == "ask")
        self._asides = iter(asides)

    async def begin(self) -> None:
        """Do nothing: no agent has to begin."""

    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw:
        step = next(self._asides if ask.aside else self._asks, None)
        if step is None or (step.kind, step.form) != (ask.kind, ask.reply.form()):
            recorded = "nothing more" if step is None else f"{step.kind!r} ({step.form})"
            raise PartError(
                f"the script asks {ask.kind!r} ({ask.reply.form()}) where the record has "
                f"{recorded}; scenario or parameters have changed"
            )
        answers = {name: step.arrays["answer", name] for name in fields(ask.reply)}
        unread = step.arrays.get(("unread", ""), step.arrays.get(("void", "")))
        return Raw(answers, unread)

    def author(self, kind: str, node: int) -> str:
        return "the record"

    def author_place(self, kind: str, node: int) -> str:
        return ""

    async def notice(self, tell: Tell, active: Array | None, use: int) -> None:
        """Do nothing: no agent can notice."""

    async def inherit(self, line: Inherit, use: int) -> None:
        """Do nothing: no agent can inherit."""

    async def recast(self, cast: Cast, words: Renderer | None) -> None:
        """Do nothing: there are no agents."""

    def public(self) -> dict[str, Array]:
        return {}
