"""Coverage of a paper: all of its claims, figures and tables, as `coverage.yaml` lists them.

Each is judged by claims of `claims.yaml`, or declared as left out, with the reason. Figures and
tables are numbered as in the paper: their ids are `figure-3` and `table-1`.
"""

from __future__ import annotations

import re
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from .data import Data

_LEAST_WORDS = 4  # of a reason


class CoverageEntry(Data):
    """A claim, figure or table of a paper, in our own words.

    where: section, figure or table. judged_by: claims of `claims.yaml`, by their words; of one that
    is declared, those that stand on the page as untestable. reason: why it is left out; of one that
    is judged, what is left out of it. shown: places of the page that show its counterpart, by their
    anchors: sections of the paper's own, or trials.
    """

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    where: str
    claim: str
    status: Literal["judged", "declared"]
    judged_by: tuple[str, ...] = ()
    reason: str = ""
    shown: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_settled(self) -> Self:
        """Refuse an entry that is judged by no claim, or left out without a reason."""
        if self.status == "judged" and not self.judged_by:
            raise ValueError(f"{self.id} is judged by no claim; name claims under judged_by")
        if self.status == "declared" and len(self.reason.split()) < _LEAST_WORDS:
            raise ValueError(f"{self.id} is left out without a reason; give a sentence")
        return self

    @property
    def is_picture(self) -> bool:
        """True of a figure or table of the paper."""
        return re.fullmatch(r"(figure|table)-\d+", self.id) is not None


class Coverage(Data):
    """The claims, figures and tables of a paper. texts: shared parts, for YAML's anchors."""

    texts: dict[str, str] = Field(default_factory=dict)
    entries: tuple[CoverageEntry, ...]

    @field_validator("entries")
    @classmethod
    def _have_unique_ids(cls, entries: tuple[CoverageEntry, ...]) -> tuple[CoverageEntry, ...]:
        """Refuse two entries with the same id."""
        ids = [one.id for one in entries]
        if twice := {one for one in ids if ids.count(one) > 1}:
            raise ValueError(f"the id {min(twice)} stands there twice; rename one of its entries")
        return entries
