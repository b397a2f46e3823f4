"""The test in the report of an experiment: an outcome over factors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field

from society.config.run_config import FileSection
from society.engine.parameters import Issue, ValidationIssues
from society.errors import suggest

from .factors import Label


class AnalysisPlan(FileSection):
    """An outcome over one or two factors, once for each level of others.

    outcome: a measure or finding; none: the first measure. factors: none: the first two that have
    several levels. by: none: all others that have. deviation_rule: of DevRank, as in
    society.analysis.metagame.deviation_ratings.
    """

    outcome: str | None = None
    factors: Annotated[list[str], Field(min_length=1, max_length=2)] | None = None
    by: list[str] | None = None
    deviation_rule: Literal["strict", "tight"] = "strict"

    def completed(
        self, levels: Mapping[str, Sequence[Label]], measures: Sequence[str], *, more: bool
    ) -> Self:
        """Fill the gaps; raises ValidationIssues for names that are unknown or given twice.

        more: whether findings, which are not known yet, come beside the measures.
        """
        wrong = list(self._misnamed(levels))
        if self.outcome not in (None, *measures) and not more:
            hint = suggest(str(self.outcome), measures)
            wrong.append(Issue(("outcome",), f"there is no measure {self.outcome!r}; {hint}"))
        if wrong:
            raise ValidationIssues(*wrong)
        varied = [name for name, labels in levels.items() if len(labels) > 1]
        tested = self.factors or [name for name in varied if name not in (self.by or ())][:2]
        rest = [name for name in varied if name not in tested]
        given = {
            "outcome": self.outcome or next(iter(measures), None),
            "factors": tested or None,
            "by": rest if self.by is None else self.by,
        }
        return self.model_copy(update=given)

    def _misnamed(self, factors: Mapping[str, object]) -> Iterator[Issue]:
        before = set[str]()
        for key, names in (("factors", self.factors), ("by", self.by)):
            for index, name in enumerate(names or ()):
                if name not in factors:
                    hint = suggest(name, factors)
                    yield Issue((key, index), f"there is no factor {name!r}; {hint}")
                elif name in before:
                    words = f"{name!r} comes twice; name it once"
                    yield Issue((key, index), words)
                before.add(name)
