"""A scenario to start from: people share a resource that grows back.

society check starter.py                 finds mistakes, and plays it small
society run starter.py                   with the rule below
society run starter.py --model MODEL     with language models; `offline` costs nothing
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field
from society import (
    Ask,
    Cohort,
    Column,
    Component,
    DisplaySpec,
    Environment,
    FactSpec,
    Measure,
    Params,
    Real,
    Script,
    Tell,
    common,
    own,
    scenario,
    seen,
)
from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall


class StarterParams(Params):
    """What `--set growth=0.3` and scenario files can change. Descriptions are told as rules."""

    capacity: float = Field(
        100, gt=0, description="Most that there can be of the resource"
    )
    growth: float = Field(
        0.5, ge=0, description="Growth each round, as a share of what is left"
    )
    minds: Literal["rules", "language"] = Field(
        "rules", json_schema_extra={"private": True}
    )


class FairShare(Component):
    """Takes its equal share of the growth to be expected, times a greed of its own."""

    answers = ("take",)  # the questions that it answers
    columns = (Column("greed", public=True, text="How much of a fair share it takes"),)

    def begin(self, agents: Any) -> None:
        """Draw each agent's greed, from 0.5 to 1.5."""
        agents["greed"] = 0.5 + agents.draws.uniform("greed")

    def answer(self, ask: Any, agents: Any) -> Any:
        """Answer for all agents at once: one number for each."""
        return np.minimum(agents["greed"] * ask.facts["fair"], ask.reply.high)


def people(params: StarterParams, count: int) -> list[Cohort]:
    """Say who plays: by rules, or with a memory and a language model."""
    minds = (
        (Recall(), LanguagePolicy()) if params.minds == "language" else (FairShare(),)
    )
    return [Cohort("person", count, minds)]


# What facts mean, with units: prompts, replays, figures and data frames use these words.
FACTS = {
    "stock": FactSpec("What there is of the resource now", unit="units"),
    "fair": FactSpec("An equal share of the growth to be expected", unit="units"),
    "taken": FactSpec("What somebody took", unit="units"),
}

# What a run is summed up by. told: what the last Tell of a round said, by name.
MEASURES = (
    Measure(
        "stock", "units", lambda told, env: told["stock"], label="stock", fold="last"
    ),
    Measure(
        "taken", "units a round", lambda told, env: told["taken"].sum(1, keepdims=True)
    ),
)

# What the replay shows: a gauge up to a parameter, a column for each agent, words for the end.
SHOWN = DisplaySpec(
    gauge=("stock", "capacity"),
    columns=("taken",),
    better={"stock": "more"},
    endings={"exhausted": "nothing is left"},
    noun="person",
)


@scenario(
    params=StarterParams,
    cast=people,
    relations=("see",),  # whose `taken` one sees; `graph: ring` changes it
    measures=MEASURES,
    facts=FACTS,
    display=SHOWN,
    agents=5,
    rounds=20,
    language_variant={"minds": "language"},  # what `--model` sets
)
def starter(env: Environment) -> Script:
    """People share a resource that grows back."""
    # Arrays run (replicate, agent).
    stock = np.full((env.replicates, 1), env.params.capacity)
    taken = np.zeros((env.replicates, env.agents))
    for _ in env.rounds():
        grown = env.params.growth * stock * (1 - stock / env.params.capacity)
        facts = {
            "stock": common(stock),  # everybody knows it
            "fair": common(np.maximum(grown, stock / 10) / env.agents),
            "taken": seen("see", taken),  # of oneself and one's neighbours
        }
        # The template of this question is prompts/starter/take.md; unreadable answers count as 0.
        taken = yield Ask("take", Real(0, stock / env.agents), facts, fallback=0)
        left = stock - taken.sum(1, keepdims=True)
        stock = left + env.params.growth * left * (1 - left / env.params.capacity)
        yield Tell(
            "taken",
            {"taken": own(taken), "stock": common(stock)},
            text="You took {taken} units; {stock} units are there now.",
        )
        yield Tell("exhausted", ends=stock < 1)
