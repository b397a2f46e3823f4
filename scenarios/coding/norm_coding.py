"""Raters code texts by a rubric: a rater is an agent, a text a replicate, a criterion a round.

    replicate r rates texts[r mod len(texts)]: beyond the texts, they are rated once more
    round k asks for one label of criteria[k - 1]

A rater is shown the text, the question and what the labels mean, and nothing else: neither who
wrote the text, nor in which condition, nor what other raters say. The codes are the answers to
`rate`; society.analysis.coding computes their agreement, and what they say about runs.
Criteria and sample texts are ours.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from society.components.common.human_coder import UNCODED
from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, Params, RoundFacts, scenario
from society.engine.script import Ask, Script, Tell, common, own
from society.scenarios.coding.rubric import Criteria, Criterion, Phrase

DEMAND = Criterion(
    name="demand",
    question="What does the text ask of those who use what is shared?",
    labels={
        "restraint": "to take less than they could, to spare it, or to give something up for it",
        "use": "to take as much as they can, for themselves or for their own people",
        "neither": "something else, or nothing at all",
    },
)
FORCE = Criterion(
    name="force",
    question="How binding is the text meant to be?",
    labels={
        "wish": "a hope or a piece of advice, which anybody may pass over",
        "duty": "something that one ought to do, though exceptions are conceivable",
        "law": "a rule without exception, or one whose breach is to be punished",
    },
    scale="ordinal",
)
SAMPLES = [
    "Leave the small fish in the lake, or pay for each one that you bring ashore.",
    "It would be kind to share a good catch now and then.",
    "Everyone ought to fill the boat before the others do.",
    "Whoever speaks in the meeting stands up.",
]


class Coding(Params):
    """The texts to be coded, and the criteria."""

    criteria: Criteria = Field([DEMAND, FORCE], description="asked in this order")
    texts: Annotated[list[Phrase], Field(min_length=1)] = Field(
        SAMPLES, description="texts to rate, one in each replicate"
    )


def raters(p: Coding, agents: int) -> list[Cohort]:
    """The default cast: language models, as many as there are agents."""
    return [Cohort("rater", agents, (LanguagePolicy(),))]


def uncoded_share(told: RoundFacts, env: Environment) -> Array:
    """Share of the raters who give no label, (R,)."""
    share: Array = (told["label"] == NOBODY).mean(1)
    return share


def agreeing_pairs(told: RoundFacts, env: Environment) -> Array:
    """Pairs of raters who give the same label, (R,)."""
    most = max(len(criterion.labels) for criterion in env.params.criteria)
    times = (told["label"][:, :, None] == np.arange(most)).sum(1)  # (R, labels)
    pairs: Array = (times * (times - 1) // 2).sum(1)
    return pairs


def rated_pairs(told: RoundFacts, env: Environment) -> Array:
    """Pairs of raters who give any label, (R,)."""
    coded = (told["label"] != NOBODY).sum(1)
    pairs: Array = coded * (coded - 1) // 2
    return pairs


# Pairs are counted, since shares of texts with few and with many codes have no meaningful mean.
MEASURES = (
    Measure("uncoded", "share of raters without a label", uncoded_share),
    Measure("agreeing", "pairs of raters with the same label", agreeing_pairs, fold="sum"),
    Measure("paired", "pairs of raters with a label", rated_pairs, fold="sum"),
)

FACTS = {
    "criterion": FactSpec("Name of the criterion"),
    "text": FactSpec("Text to be rated"),
    "rate": FactSpec("Label that a rater gives"),
    "label": FactSpec("Number of that label among those of the criterion, from 0; -1: none"),
}

STAGE = DisplaySpec(columns=("rate",), notes={"criterion": {}, "text": {}}, noun="rater")


@scenario(
    params=Coding,
    cast=raters,
    measures=MEASURES,
    agents=2,
    rounds=2,
    display=STAGE,
    facts=FACTS,
)
def norm_coding(env: Environment) -> Script:
    """Raters give each text one label of each criterion, apart from each other (ours)."""
    p = env.params
    text = np.array(p.texts, object)[env.replicate_ids % len(p.texts), None]
    for number in env.rounds(len(p.criteria)):
        criterion = p.criteria[number - 1]
        labels = (*criterion.labels, UNCODED)
        facts = {"criterion": common(criterion.name), "text": common(text)}
        code = yield Ask("rate", Choice(*labels, ordered=True), facts, fallback=UNCODED)
        label = np.where(code == len(criterion.labels), NOBODY, code)
        yield Tell("rated", {"label": own(label)})
