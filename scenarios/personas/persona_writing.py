"""Authors describe people, of each of whom a table has a few facts; one person an author (ours).

Each author is asked once for what the facts leave open: how this person talks, what it wants, what
it would not do. A description that cannot be read is kept as a failure, and stays empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.profile import Profile
from society.engine.action_spaces import Text
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, Params, RoundFacts, scenario
from society.engine.script import Ask, Script, Tell, own
from society.personas.people import TABLES

LONGEST = 3000  # characters of a description, and of the facts
_WAYS = (
    "says little, and means it",
    "asks questions before saying anything",
    "likes a joke better than an argument",
    "keeps accounts of who owes whom",
    "gives way easily, and regrets it later",
    "wants to be asked for advice",
)
_HOPES = (
    "to be left in peace",
    "a better house for the family",
    "to be remembered as fair",
    "to have seen the sea on the other side",
    "that the young ones stay",
    "to owe nothing to anybody",
)


class Portraits(Params):
    """The length of the descriptions."""

    words: int = Field(80, ge=10, le=400, description="words of a description, about")


@dataclass(frozen=True, eq=False)
class PersonDescription(Text):
    """A description of a person, on one line."""

    def improvise(self, facts: Mapping[str, Any], rng: np.random.Generator) -> str:
        """Put the facts and two traits by chance into a sentence, for the offline mind."""
        way, hope = (str(one[rng.integers(len(one))]) for one in (_WAYS, _HOPES))
        return (
            f"Somebody of whom this is known: {facts['traits']} This person {way}; a hope: {hope}."
        )


def authors(p: Portraits, agents: int) -> list[Cohort]:
    """The default cast: a language model for each person of an example, from its first row on."""
    table = str(TABLES / "fishers.csv")
    shown = ("age", "household", "years_here", "trade", "temper")
    return [Cohort("author", agents, (Profile(table, shown, repeats=True), LanguagePolicy()))]


def described_share(told: RoundFacts, env: Environment) -> Array:
    """Share of the people of whom there is a description, (R,)."""
    share: Array = (told["words"] > 0).mean(1)
    return share


def mean_words(told: RoundFacts, env: Environment) -> Array:
    """Mean length of the descriptions that there are, (R,); NaN without any."""
    there = told["words"] > 0
    mean: Array = told["words"].sum(1) / np.where(there.any(1), there.sum(1), np.nan)
    return mean


MEASURES = (
    Measure(
        "described",
        "share of the people with a description",
        described_share,
        label="people described",
    ),
    Measure("words", "words of a description", mean_words, label="length of a description"),
)

FACTS = {
    "traits": FactSpec("What is known of the person"),
    "introduce": FactSpec("What is known of the person"),
    "describe_person": FactSpec("Description of the person"),
    "words": FactSpec("Length of the description", "words"),
}

STAGE = DisplaySpec(columns=("words",), quotes={"describe_person": "describes"}, noun="author")


@scenario(
    params=Portraits,
    cast=authors,
    measures=MEASURES,
    agents=4,
    rounds=1,
    display=STAGE,
    facts=FACTS,
)
def persona_writing(env: Environment) -> Script:
    """Authors describe people, of each of whom a few facts are given (ours)."""
    for _ in env.rounds():
        traits = yield Ask("introduce", Text(LONGEST), text="Who are you? State your traits.")
        facts = {"traits": own(traits)}
        description = yield Ask(
            "describe_person", PersonDescription(LONGEST), facts, fallback="", repairs=2
        )
        words = np.vectorize(lambda text: len(text.split()), otypes=[int])(description)
        yield Tell("described", {"words": own(words)})
