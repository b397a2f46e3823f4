"""Answers to questionnaires by rule: as stated for an item, else about the middle of its scale.

An answer without a statement, as a share of the way from the lowest to the highest one, is

    share = 1/2 + spread z + noise e      (reversed items: 1/2 - spread z + noise e)

in [0, 1], where z is drawn once for each agent, its level, and e for each answer; both are standard
normal. So with spread s and noise n two items that are not cut off correlate by s^2 / (s^2 + n^2).
Source: ours; the model of parallel items of classical test theory (Lord and Novick 1968).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from society.engine.action_spaces import Choice, Fields, Integer, Real, Text, Value
from society.engine.component import AgentGroup, Column, Component, Question
from society.engine.parameters import Positive
from society.engine.rng import Array
from society.errors import PartError


@dataclass(frozen=True)
class QuestionnaireAnswers(Component):
    """Answers to items by rule, fixed or by chance.

    answers_to: by item, a point of its scale, a number, an option or words. spread, noise: in
    shares of the scale, between agents and between answers. reversed: items for which a higher
    level means a lower answer. Open items without a statement get no answer.
    """

    answers_to: Mapping[str, float | str] = field(default_factory=dict)
    spread: Positive = 0.0
    noise: Positive = 0.0
    reversed: tuple[str, ...] = ()

    chance_id = "questionnaire_answers"
    answers = ("questionnaire",)
    columns = (Column("response_level", text="Level of the answers to questionnaires"),)

    def begin(self, agents: AgentGroup) -> None:
        agents["response_level"] = agents.draws.normal("level")

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        if isinstance(ask.reply, Fields):
            return {
                item: self._answers(item, form, agents) for item, form in ask.reply.fields.items()
            }
        ids = ask.facts["item_ids"][np.arange(len(agents)), ask.facts["item"]]
        given: Array = np.full(len(agents), ask.reply.silent, ask.reply.dtype)
        for item in dict.fromkeys(ids[ask.asked]):
            given = np.where(ids == item, self._answers(item, ask.reply, agents), given)
        return given

    def _answers(self, item: str, form: Value, agents: AgentGroup) -> Array:
        """Return everybody's answer to one item, (M,)."""
        if item in self.answers_to:
            return np.full(len(agents), _stated(self.answers_to[item], item, form), form.dtype)
        if isinstance(form, Text):
            return np.full(len(agents), "", object)
        level = agents["response_level"] * (-1 if item in self.reversed else 1)
        share = 0.5 + self.spread * level + self.noise * agents.draws.normal(f"answer {item}")
        share = np.clip(share, 0, 1)
        if isinstance(form, Real | Integer):
            low, high = float(form.low), float(form.high)
            return low + (high - low) * share
        assert isinstance(form, Choice)
        return np.rint(share * (len(_labels(form)) - 1)).astype(np.int64)


def _labels(form: Choice) -> list[str]:
    """Return the labels of a choice but for the one that means no answer."""
    return [label for label in form.options[0] if label != "no answer"]


def _stated(stated: float | str, item: str, form: Value) -> float | str | int:
    """Return a stated answer as the form has it; raises PartError."""
    if isinstance(form, Text) and isinstance(stated, str):
        return stated
    if isinstance(form, Choice):
        label = stated if isinstance(stated, str) else f"{stated:g}"
        options = form.options[0].tolist()
        if label in options:
            return int(options.index(label))
    elif isinstance(form, Real | Integer) and isinstance(stated, int | float):
        whole = isinstance(form, Real) or float(stated).is_integer()
        if whole and float(form.low) <= stated <= float(form.high):
            return stated
    raise PartError(
        f"questionnaire_answers states {stated!r} for the item {item!r}; expected {form.expected()}"
    )
