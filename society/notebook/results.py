"""A society that was played, and studies of several, as a notebook has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.config.build import Society
from society.engine.scenario import Estimate, estimate_measure
from society.notebook_pages import HtmlPage, html_table
from society.runs.conclusions import run_post_analysis
from society.runs.runfile import open_run_file as read_run

from .given import output_path
from .studies import NotebookStudy, describe_earlier, estimate_in_words, open_run

if TYPE_CHECKING:
    from society.report.figures.style import Figure

_SHOWN = 6  # measures in the short form of a result


@dataclass(frozen=True, eq=False)
class Result:
    """A society that was played to its end.

    seed: of its chance. replicates: R. played: how many rounds. measures: by name, mean and
    standard error over replicates, with its unit. ends: how many replicates each cause ended; ""
    counts those that reached the last round. path: the run file. The frames `runs`, `rounds`,
    `agents`, `events`, `quotes`, `questionnaires` and `calls` are those of `society.open_run`; they
    need the extra `lab`.
    """

    scenario: str
    seed: int
    replicates: int
    played: int
    digest: str
    measures: Mapping[str, Estimate]
    ends: Mapping[str, int]
    path: Path

    @cached_property
    def study(self) -> NotebookStudy:
        """The run as a study of one condition, as `society.open_run` gives it."""
        return open_run(self.path)

    @property
    def runs(self) -> Any:
        """One row for each replicate, with its measures."""
        return self.study.runs

    @property
    def rounds(self) -> Any:
        """One row for each round of each replicate."""
        return self.study.rounds

    @property
    def agents(self) -> Any:
        """One row for each agent in each round."""
        return self.study.agents

    @property
    def events(self) -> Any:
        """One row for each thing that happened to an agent."""
        return self.study.events

    @property
    def quotes(self) -> Any:
        """One row for each text that an agent said or held."""
        return self.study.quotes

    @property
    def questionnaires(self) -> Any:
        """One row for each agent on each occasion on which it was given a questionnaire."""
        return self.study.questionnaires

    @property
    def calls(self) -> Any:
        """One row for each call to a language model."""
        return self.study.calls

    def theatre(self, out: str | Path | None = None) -> HtmlPage:
        """Write all rounds as one page, to be looked through in a notebook or a browser.

        out: its file; None: beside the run file. Raises FileError where it cannot be written.
        """
        from society.theatre.export.to_file import ExportOptions, export_replay

        path = self.path.with_suffix(".html") if out is None else output_path(out)
        with read_run(self.path) as played:
            export_replay(
                played, "html", path, ExportOptions(overwrite=out is None), lambda *_: None
            )
        return HtmlPage.read(path)

    def plot(self, name: str = "") -> Figure:
        """Draw a figure of its report: the first one, or that of a name; raises InputError."""
        return self.study.plot(name)

    def _repr_html_(self) -> str:
        caption, known = repr(self).partition("\n")[0], self.measures.items()
        rows = [
            (
                name,
                f"{one.mean:.4g}",
                "" if one.se is None else f"{one.se:.2g}",
                one.unit + describe_earlier(one),
            )
            for name, one in known
            if one.mean is not None
        ]
        return html_table(caption, ("measure", "mean", "standard error", "unit"), rows)

    def __repr__(self) -> str:
        several = "" if self.replicates == 1 else f" x {self.replicates} replicates"
        lines = [f"{self.scenario}, seed {self.seed}: {self.played} rounds{several}"]
        known = [(name, one) for name, one in self.measures.items() if one.mean is not None]
        lines += [
            f"  {name:24} {estimate_in_words(one)} {one.unit}{describe_earlier(one)}"
            for name, one in known[:_SHOWN]
        ]
        if len(known) > _SHOWN:
            lines.append(f"  and {len(known) - _SHOWN} more in .measures")
        return "\n".join(lines)


def read_result(path: Path, setup: Society | None = None) -> Result:
    """Read the result of a run that is over; setup: of the run, where it is at hand."""
    with read_run(path) as played:
        outcome, found = played.outcome(), run_post_analysis(played, setup).findings
        manifest = played.manifest
    return Result(
        manifest.scenario,
        manifest.seed,
        manifest.replicates,
        outcome.rounds,
        outcome.digest,
        {**outcome.measures, **{one.name: estimate_measure(one.values, one.unit) for one in found}},
        outcome.ends,
        path,
    )
