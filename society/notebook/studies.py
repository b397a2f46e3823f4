"""Studies as notebooks have them: their frames, and the figures of their report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from society.analysis.study import ConditionRun, Study, open_study
from society.analysis.study import open_run as read_run
from society.analysis.study import open_sweep as read_sweep
from society.engine.scenario import Estimate
from society.notebook_pages import html_table

from .python_words import speaking_python

if TYPE_CHECKING:
    from society.report.figures.style import Figure

_MOST_ROWS = 24  # conditions that a notebook shows
_MOST_MEASURES = 5


class NotebookStudy(Study):
    """A study that a notebook shows as a table, and whose figures it draws."""

    @classmethod
    def of(cls, study: Study) -> NotebookStudy:
        """Take over a study."""
        return cls(**{one.name: getattr(study, one.name) for one in fields(Study)})

    def plot(self, name: str = "") -> Figure:
        """Draw a figure of its report: the first one, or that of a name; raises InputError.

        name: as of its files, "outcome" say; an unknown one is refused with all there are. Needs
        the extra `lab`.
        """
        from society.report.sections import find_figure

        return find_figure(self, name)

    def _repr_html_(self) -> str:
        """Means of measures by condition; without the extra `lab`, what `repr` says."""
        rows = [
            [
                run.name,
                f"{run.manifest.replicates:,}",
                run.status,
                *_means(run, self._shown),
            ]
            for run in self.played[:_MOST_ROWS]
        ]
        heads = [f"{name}, {self.units[name]}" for name in self._shown]
        more = len(self.played) - len(rows)
        caption = f"{self!r}; the first {len(rows)} are shown" if more else repr(self)
        return html_table(caption, ["condition", "replicates", "status", *heads], rows)

    @property
    def _shown(self) -> list[str]:
        """The measures that a notebook shows, the outcome first."""
        outcome = self.analysis.outcome if self.analysis else None
        first = [outcome] if outcome is not None and outcome in self.units else []
        return [*dict.fromkeys([*first, *self.units])][:_MOST_MEASURES]


def _means(run: ConditionRun, names: Sequence[str]) -> list[str]:
    """Write the means of measures with their standard errors; "" for what was not measured."""
    with run.opened() as file:
        known = file.results().measures
    return [estimate_in_words(known[name]) if name in known else "" for name in names]


def estimate_in_words(one: Estimate) -> str:
    """Write a mean and its standard error, as far as they are known."""
    if one.mean is None:
        return ""
    return f"{one.mean:.4g}" + ("" if one.se is None else f" ± {one.se:.2g}")


def describe_earlier(one: Estimate) -> str:
    """Say how many values are from before the last round, behind a semicolon; "" for none."""
    return f"; in {one.earlier} of {one.n} of an earlier round" if one.earlier else ""


@speaking_python()
def open_run(path: Path | str) -> NotebookStudy:
    """Open a run file as a study of one condition without factors; raises InputError."""
    return NotebookStudy.of(read_run(path))


@speaking_python()
def open_sweep(path: Path | str) -> NotebookStudy:
    """Open the folder of a sweep or an audit, as far as it has been played.

    A factor that is called like a measure, or like a column that identifies rows, has `_level`
    behind its name; one called condition only if its levels are not the names of the conditions.
    Raises InputError if nothing was played, or a run file is damaged.
    """
    return NotebookStudy.of(read_sweep(path))


def open_any(path: Path | str) -> NotebookStudy:
    """Open a run file or the folder of a sweep; raises InputError."""
    return NotebookStudy.of(open_study([path]))
