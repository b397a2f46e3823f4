"""Parties to contracts and mediators, who say to each kind of question what they were told to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from society.agent import Component, Members, Question
from society.calls import Going, Request, Said
from society.cancellation import CancellationToken
from society.cast import Cohort
from society.models.offline import Offline
from society.replies import Choice, Form, Mix
from society.scenario import Scenario, wrapped
from society.scenario_file import load
from society.spec import prepared

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded

DESIGNS = ("design_contract", "design_mediator")
VOTES = ("approve_contracts", "approve_mediators")


class Party(Component):
    """Each kind of question has an answer for each seat: a label, an amount, or a design.

    A vote is the numbers of the proposals that are approved of: "13".
    """

    answers = (*DESIGNS, *VOTES, "sign_contract", "delegate", "move", "effort", "propose", "donate")

    def __init__(self, said: Mapping[str, Sequence[Any]]) -> None:
        self.said = said

    def answer(self, ask: Question, me: Members) -> Any:
        mine = [self.said[ask.kind][seat] for seat in me.audience.rows.seat]
        if isinstance(ask.reply, Form):
            if ask.kind in VOTES:
                names = [name.removeprefix("proposal ") for name in ask.reply.fields]
                mine = [{f"proposal {name}": int(name in one) for name in names} for one in mine]
            return {
                name: [
                    field.options[0].tolist().index(one[name])
                    if isinstance(field, Choice) and isinstance(one[name], str)
                    else one[name]
                    for one in mine
                ]
                for name, field in ask.reply.fields.items()
            }
        if isinstance(ask.reply, Mix):
            labels = ask.reply.actions
            # Who is not asked has other actions than these.
            return np.array([[float(label == one) for label in labels] for one in mine])
        return np.array(mine)


class Listener:
    """Answers as the offline mind does, and keeps the latest prompt of each kind, by agent.

    said: JSON for some kinds of questions in place of what that would say.
    """

    patience = 0.0

    def __init__(self, said: Mapping[str, str]) -> None:
        self.said, self.prompts = said, dict[tuple[str, int], str]()
        self._mind = Offline(1)

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Said:
        await going()
        assert request.question is not None
        kind = request.question.kind
        self.prompts[kind, request.address.agent] = request.messages[0].content
        answer = self._mind(request)
        return answer._replace(text=self.said[kind]) if kind in self.said else answer

    async def close(self) -> None: ...


class Heard(NamedTuple):
    """A game that is over, and the latest prompt of each kind, by agent."""

    over: Played
    prompts: dict[tuple[str, int], str]


Parties = Callable[..., "Played"]
Models = Callable[..., Heard]
Worded = Callable[..., dict[tuple[str, int], str]]
Mechanisms = Sequence[tuple[Any, Mapping[str, Any]]]


@pytest.fixture(scope="session")
def parties(play: Play) -> Parties:
    """`parties(game, [(contracted, {...})], types="ab", move=["A0", "A1"], ...)` plays them all.

    The first mechanism is the innermost. types: a letter for each seat.
    """

    def met(
        scenario: Scenario,
        mechanisms: Mechanisms = (),
        *,
        types: str = "",
        at: Mapping[str, Any] | None = None,
        **said: Sequence[Any],
    ) -> Played:
        for wrap, given in mechanisms:
            scenario = wrapped(scenario, wrap, **given)
        agents = len(next(iter(said.values())))
        letters = np.array(list(types or "a" * agents))
        cast = [
            Cohort(name, int((letters == name).sum()), (Party(said),), where=letters == name)
            for name in dict.fromkeys(letters.tolist())
        ]
        over: Played = play(scenario, cast=cast, agents=agents, **at or {})
        return over

    return met


@pytest.fixture(scope="session")
def models(recorded: Recorded) -> Models:
    """`models("trust", [{"mediated": {}}], {kind: text}, ...)` plays language models offline."""

    def asked(
        scenario: str, mechanisms: Sequence[Any], said: Mapping[str, str] | None = None, **more: Any
    ) -> Heard:
        listener = Listener(said or {})
        setup = prepared(load(scenario, {"mechanisms": list(mechanisms), **more}))
        return Heard(recorded(setup.gamemaster(minds=listener)), listener.prompts)

    return asked


@pytest.fixture(scope="session")
def worded(models: Models) -> Worded:
    """`worded("trust", [{"mediated": {}}], {kind: text}, ...)[kind, agent]` is a prompt."""
    return lambda *given, **more: models(*given, **more).prompts
