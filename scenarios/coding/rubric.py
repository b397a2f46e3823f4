"""Coding schemes: criteria, each a question with labels and what every label means.

A rater gives each text one label of each criterion, or leaves it uncoded. The labels of an ordinal
criterion stand in order, the lowest first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from society.components.common.human_coder import UNCODED

_LONGEST = 24  # characters of a word
_WORDING = f"one word of at most {_LONGEST} letters, digits, - and _, and not {UNCODED!r}"


def _word(said: str) -> str:
    """A label stands bare among others, and in the names of measures."""
    signs = said.replace("-", "").replace("_", "")
    if not signs.isalnum() or len(said) > _LONGEST or said.casefold() == UNCODED:
        raise ValueError(f"got {said!r:.60}; expected {_WORDING}")
    return said


def _as_text(said: Any) -> Any:
    """Labels that are whole numbers, as on a scale from 1 to 5, are words like others."""
    if not isinstance(said, Mapping):
        return said
    return {str(key) if type(key) is int else key: value for key, value in said.items()}


def _told_apart(labels: dict[str, str]) -> dict[str, str]:
    if len({label.casefold() for label in labels}) < len(labels):
        raise ValueError("two labels differ in capitals only; give each a word of its own")
    return labels


Word = Annotated[str, AfterValidator(_word)]
Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Labels = Annotated[
    dict[Word, Phrase],
    Field(min_length=2),
    BeforeValidator(_as_text),
    AfterValidator(_told_apart),
]


class Criterion(BaseModel):
    """A question about a text. labels: each with its definition; ordinal: the lowest first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Word
    question: Phrase
    labels: Labels
    scale: Literal["nominal", "ordinal"] = "nominal"

    @property
    def shares(self) -> list[str]:
        """The names of the measures that say how often each label is given."""
        return [f"coded_{self.name}_{label}" for label in self.labels]

    @property
    def rank(self) -> str:
        """The name of the measure of an ordinal criterion."""
        return f"coded_{self.name}"

    @property
    def count(self) -> str:
        """The name of the measure that says on how many codes the others rest."""
        return f"coded_{self.name}_codes"


def _distinct(criteria: list[Criterion]) -> list[Criterion]:
    names = [name for one in criteria for name in (one.rank, one.count, *one.shares)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"two measures would be called {twice!r}; rename a criterion or a label")
    return criteria


Criteria = Annotated[list[Criterion], Field(min_length=1), AfterValidator(_distinct)]


class Rubric(BaseModel):
    """A coding scheme as a file says it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Phrase
    criteria: Criteria
