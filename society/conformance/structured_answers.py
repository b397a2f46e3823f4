"""Check that answers fit the JSON schema that a language model would get with their question.

Some answers to each question, of whatever mind, are written as that schema wants them: they must
satisfy it and be read as the answers that they were. Mixed strategies are rounded to percentages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from society.components.language.llm_policy import agent_view
from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Illegal,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Text,
    fields,
    restrict_bounds,
)
from society.engine.agents import Agent, AgentGroup, Occasion
from society.engine.graph import NOBODY
from society.engine.observations import Facts, Inquiry, News
from society.engine.population import Population, Raw
from society.engine.rng import Array
from society.engine.script import Ask
from society.errors import Unparsed
from society.llm.parsing.answers import interpret, open_options, parse
from society.llm.parsing.schemas import follows, keeps_bounds, on_grid, schema

from .invariants import BrokenRule

_TRIED = 3  # answers to each question in each cohort


class AnswersInJson(Population):
    """Agents whose answers must fit the schema of their question, and be read back from it."""

    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw:
        raw = await super().answer(ask, asked, use)
        here = self.env.active if asked is None else asked
        try:
            settled = {
                name: value.settle(raw.values[name], here, self.env.graphs, self.env.present)
                for name, value in fields(ask.reply).items()
            }
        except Illegal:
            return raw  # the script's fallback stands there
        for inquiry, agent in self._heard(ask, here if raw.unread is None else here & ~raw.unread):
            own = {name: values[agent.replicate, agent.seat] for name, values in settled.items()}
            legal = agent_view(inquiry, agent).legal
            if use == 0:  # it takes a while
                _check_schema(ask.kind, inquiry.reply, legal)
            check_in_json(ask.kind, inquiry.reply, own, legal)
        return raw

    def _heard(self, ask: Ask, asked: Array) -> Iterator[tuple[Inquiry, Agent]]:
        """Yield the question as some of those hear it who were asked."""
        shape = asked.shape
        for seated in self.states:
            audience = self._audience(seated, None)
            members = np.flatnonzero(asked.reshape(-1)[audience.rows.node])
            if not len(members):
                continue  # nobody here needs to know an answer
            part, _ = seated.respondent(ask.kind)
            occasion = Occasion(part.chance_id, f"answer {ask.kind}", 0)
            agents = AgentGroup(self.context, seated, occasion, audience, pure=True)
            news = News(ask.kind, Facts(ask.kind, ask.facts, audience), ask.text)
            for entry in members[:: max(len(members) // _TRIED, 1)].tolist():
                agent = Agent(agents, entry)
                reply, options = ask.reply, None
                if isinstance(reply, Choice):
                    rows, many = shape[0], reply.options.shape[1]
                    options = np.broadcast_to(reply.options, (rows, many))[agent.replicate]
                bounds = partial(_entry, agent.replicate, agent.seat, shape)
                own = restrict_bounds(reply, bounds)
                yield Inquiry(ask.kind, agent.own(news), own, options), agent


def _check_schema(kind: str, reply: ActionSpace, legal: Legal) -> None:
    """Raise BrokenRule if the schema of a question is none; one of the user's may be anything."""
    from jsonschema import Draft202012Validator, SchemaError  # takes a while to import

    form = schema(reply, legal)
    for wanted in (form, on_grid(form)) if form else ():
        try:
            Draft202012Validator.check_schema(wanted)
        except SchemaError as error:
            raise BrokenRule(f"the schema of {kind!r} is none: {error.message}") from None


def _entry(replicate: int, seat: int, shape: tuple[int, ...], bounds: Array) -> Any:
    return np.broadcast_to(bounds, (*shape, *bounds.shape[2:]))[replicate, seat]


def check_in_json(kind: str, reply: ActionSpace, answers: dict[str, Any], legal: Legal) -> None:
    """Raise BrokenRule unless the answer to a question fits its schema and is read from it.

    answers: settled values by field. A form without a schema, and what no model could say, passes.
    """
    form = schema(reply, legal, thinking=True)
    if form is None:
        return
    parts = {name or "answer": part for name, part in fields(reply).items()}
    own = {name or "answer": answer for name, answer in answers.items()}
    said: dict[str, Any] = {"reasoning": "It is {fair}."}
    for name, part in parts.items():
        words = _said(part, own[name], legal, form["properties"][name])
        if words is ...:
            return
        said[name] = words
    text = json.dumps(said)
    if not (follows(form, text) and keeps_bounds(form, text)):
        raise BrokenRule(f"{kind!r} is answered {text}, which does not fit its schema {form}")
    try:
        read = parse(reply, text, legal)
    except Unparsed as unread:
        raise BrokenRule(f"{kind!r} is answered {text}, which is not read: {unread}") from None
    for name, part in parts.items():
        answer, again = own[name], read[name] if isinstance(reply, Fields) else read
        tolerance = 0.01 if isinstance(part, MixedStrategy) else 0
        same = (
            again == interpret(part, said[name], legal)
            if isinstance(part, Text)
            else np.allclose(again, answer, 0, tolerance, equal_nan=True)
        )
        if not same:
            raise BrokenRule(f"{kind!r} is answered {answer!r}, and read as {again!r}")


def _said(part: Any, answer: Any, legal: Legal, form: dict[str, Any]) -> Any:
    """An answer as a schema wants it; ... for what no model could say, or has words of its own."""
    if any(hasattr(part, method) for method in ("schema", "taken")):
        return ...
    if isinstance(part, Real | Integer):
        return None if math.isnan(answer) else answer.item()
    if isinstance(part, Choice):
        place = [*open_options(part, legal).values()].index(answer)
        return form["enum"][place]
    if isinstance(part, Neighbour):
        names = {seat: name for name, seat in legal.peers.items()}
        return "nobody" if answer == NOBODY else names[int(answer)]
    if isinstance(part, MixedStrategy):
        return dict(zip(part.actions, _percentages(answer), strict=True))
    return answer if interpret(part, answer, legal) is not None else ...


def _percentages(shares: Array) -> list[int]:
    """Round shares to whole percentages that sum to 100: those that lost most get the rest."""
    down = np.floor(100 * shares + 1e-9).astype(int)
    order = np.argsort(down - 100 * shares, kind="stable")
    down[order[: 100 - down.sum()]] += 1
    return [int(share) for share in down]
