"""A rule for open scenes: some act in plain words, by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from society.components.scenes.verdict_form import Act
from society.engine.action_spaces import fields
from society.engine.component import Agent, Component, Inquiry, per_agent
from society.engine.graph import NOBODY
from society.engine.parameters import Share
from society.errors import PartError


@dataclass(frozen=True)
class PlainActor(Component):
    """An act in plain words, one of those that are open, each as likely as the others.

    idle: chance to wait instead. It answers `act` alone, and is meant for trying out a scene.
    """

    idle: Share = 0.25

    chance_id = "plain_actor"
    answers = ("act",)

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        parts = fields(ask.reply)
        words = next((part for part in parts.values() if isinstance(part, Act)), None)
        if words is None:
            raise PartError("plain_actor answers with acts of a scene; take another component")
        open_acts = words.plain(ask.facts)
        act = open_acts[int(agent.draws.integers("which", len(open_acts)))]
        said = "I wait." if agent.draws.uniform("idle") < self.idle else act
        return said if "" in parts else {"words": said, "to": NOBODY}
