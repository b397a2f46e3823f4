"""Small scenes: agents who say what they were told to say, and referees with ready verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.scenes.verdict_form import Rows, Story
from society.engine.action_spaces import Choice, fields
from society.engine.component import Agent, Component, Inquiry, per_agent
from society.engine.environment import Environment
from society.engine.graph import Complete
from society.engine.population import Cohort
from society.engine.script import Script
from society.scenarios.scenes.consequences import Consequence
from society.scenarios.scenes.scene import Scene

if TYPE_CHECKING:
    from tests.conftest import Play, Played


class Talker(Component):
    """Says its lines, of each agent by id, one after the other; "" when there are no more.

    Keeps what it was shown: (id, deeds of those it saw, by seat, its story).
    """

    answers = ("act", "initiative")

    def __init__(self, lines: Mapping[int, Sequence[str]], eager: Sequence[int] = ()) -> None:
        self.lines, self.eager = lines, eager
        self.saw: list[tuple[int, dict[int, str], str]] = []

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        if ask.kind == "initiative":
            return self.eager[agent.agent]
        said = {seat: text for seat, text in ask.facts.seen("deed").items() if text}
        self.saw.append((agent.agent, said, ask.facts["story"]))
        lines = self.lines.get(agent.agent, ())
        return lines[asked] if (asked := agent.times_asked("act")) < len(lines) else ""


class Judge(Component):
    """Gives its verdicts one after the other; what one leaves out stays as it is.

    Keeps what it was shown: the acts by seat, and why its last verdict was refused.
    """

    answers = ("resolve", "choose_next")

    def __init__(self, *verdicts: Mapping[str, Any], order: Sequence[int] = ()) -> None:
        self.verdicts, self.order = verdicts, order
        self.saw: list[tuple[dict[int, str], str]] = []

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        if ask.kind == "choose_next":
            return self.order[agent.times_asked("choose_next")]
        facts = {name: ask.facts[name] for name in ask.facts}
        refusal = facts.get("refusal", "")
        acts = {seat: text for seat, text in ask.facts.seen("deed").items() if text}
        self.saw.append((acts, refusal))
        number = agent.times_asked("resolve")
        given = self.verdicts[number] if number < len(self.verdicts) else {}
        plain = {}
        for name, part in fields(ask.reply).items():
            silent = 0 if isinstance(part, Choice) else part.silent
            known = silent if isinstance(part, Rows | Story) else facts.get(name, silent)
            plain[name] = given.get(name, known)
        return plain


Stages = Callable[..., "Played"]


@pytest.fixture
def stages(play: Play) -> Stages:
    """`stages(Talker(...), Judge(...), PURSE, TOWN, turns=2, ...)` plays turns of a scene.

    Agents 0 to people - 1 act; the others are referees. More is passed to the scene, or to a turn.
    """

    def staged(
        talker: Component,
        judge: Component,
        *parts: Consequence,
        people: int = 3,
        referees: int = 1,
        turns: int = 1,
        turn: Mapping[str, Any] | None = None,
        script: Callable[[Scene], Script] | None = None,
        ids: Sequence[int] | None = None,
        replicates: int = 1,
        **more: Any,
    ) -> Played:
        def acted(env: Environment) -> Script:
            scene = Scene(env, *parts, **more)
            yield from scene.open()
            if script is not None:
                yield from script(scene)
                return
            for _ in env.rounds():
                yield from scene.turn("What do you do?", **(turn or {}))

        count = people + referees
        seats = np.arange(count) if ids is None else np.array(ids)
        acting = np.broadcast_to(seats < people, (replicates, count))
        cast = [
            Cohort("person", people, (talker,), acting),
            Cohort("referee", referees, (judge,), ~acting),
        ]
        graphs = {name: Complete(replicates, seats) for name in ("here", "stage")}
        return play(
            acted,
            cast=cast,
            agents=count,
            rounds=turns,
            ids=ids,
            replicates=replicates,
            graphs=graphs,
        )

    return staged
