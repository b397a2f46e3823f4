"""Looking and finding from Python: what can be named, what a name is, which runs there are."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, get_args

from society.authoring import STARTER_KINDS, StarterKind, write_starter
from society.config.defaults import find_defaults
from society.config.listing import KINDS, Description, Entry, Kind, describe_name, entries
from society.errors import InputError
from society.experiments.experiment import file_schema
from society.notebook_pages import html_table
from society.runs.run_list import (
    ListedRun,
    RunStatus,
    SortKey,
    filter_runs,
    list_run_files,
    sort_runs,
)
from society.terminal.labels import count_noun

from .given import choose_word, output_path, read_text
from .python_words import speaking_python


@dataclass(frozen=True, eq=False)
class NameList:
    """What can be named: the entries of each kind, by name."""

    entries: dict[Kind, dict[str, Entry]]

    @property
    def names(self) -> list[str]:
        """All names, kind by kind."""
        return [name for named in self.entries.values() for name in named]

    def frame(self) -> Any:
        """One row for each name: its kind, a line about it, and the package that brings it.

        Needs the extra `lab`.
        """
        from society.analysis.study.frames import FrameColumn, data_frame, strings

        heads = ("kind", "name", "words", "origin")
        columns = zip(*self._rows(), strict=True) if self.names else ((),) * len(heads)
        return data_frame(
            {
                head: FrameColumn(strings(values), "words")
                for head, values in zip(heads, columns, strict=True)
            }
        )

    def __repr__(self) -> str:
        return "\n".join(f"{kind:14} {name:30} {words}" for kind, name, words, _ in self._rows())

    def _repr_html_(self) -> str:
        head = ("kind", "name", "what it is", "from")
        return html_table(count_noun(len(self.names), "name"), head, self._rows())

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [
            (kind, name, one.words, one.origin)
            for kind, named in self.entries.items()
            for name, one in named.items()
        ]


@speaking_python()
def list_names(kind: Kind | None = None) -> NameList:
    """List what a scenario file or a command can name, of all kinds or of one.

    kind: "scenarios", "components", "mechanisms" and so on; as `society list` takes it. Raises
    InputError for another one.
    """
    if kind is not None:
        choose_word("kind", kind, KINDS, "; society.describe(NAME) tells of one name")
    return NameList({one: entries(one) for one in KINDS if kind in (None, one)})


@dataclass(frozen=True, eq=False)
class NameDescription:
    """All about one name, as `society list NAME` tells it.

    found: its kind, a line about it, and headings with their lines.
    """

    found: Description

    def as_json(self) -> dict[str, Any]:
        """Return all that `society list NAME --json` prints."""
        return self.found._asdict()

    def __repr__(self) -> str:
        return "\n".join(self.found.lines())

    def _repr_html_(self) -> str:
        one = self.found
        head = f"<p><b>{escape(one.name)}</b>, {escape(one.kind)}: {escape(one.words)}</p>"
        parts = (
            f"<dt>{escape(heading)}</dt>{''.join(f'<dd>{escape(line)}</dd>' for line in lines)}"
            for heading, lines in one.parts.items()
        )
        return f"{head}<dl>{''.join(parts)}</dl>"


@speaking_python()
def describe(name: str | Path) -> NameDescription:
    """Tell all about a scenario, component, mechanism or another name, or what is in a file.

    Questions and news with their facts, columns, parameters, relations and measures; as
    `society list NAME` does. Raises InputError for an unknown name.
    """
    word = str(name) if isinstance(name, Path) else read_text("name", name, "a name or a file")
    if word in KINDS:
        raise InputError(f"name: {word} is a kind; society.list_names({word!r}) lists its names")
    return NameDescription(describe_name(word, KINDS))


@dataclass(frozen=True, eq=False)
class ListedRuns:
    """The run files below a folder, read from a few rows each. closed: folders not looked into."""

    found: tuple[ListedRun, ...]
    closed: tuple[str, ...]

    def frame(self) -> Any:
        """One row for each run file, with its measure and what it has cost.

        Needs the extra `lab`.
        """
        import numpy as np

        from society.analysis.study.frames import FrameColumn, data_frame, strings

        texts = {
            "file": ([str(one.path) for one in self.found], "path"),
            "status": ([one.status for one in self.found], "word"),
            "problem": ([one.problem for one in self.found], "words"),
            "scenario": ([one.scenario for one in self.found], "name"),
            "measure": ([one.measure for one in self.found], "name"),
        }
        numbers = {
            "seed": ([one.seed for one in self.found], "number"),
            "agents": ([one.agents for one in self.found], "agents"),
            "replicates": ([one.replicates for one in self.found], "replicates"),
            "rounds": ([one.rounds for one in self.found], "rounds"),
            "calls": ([one.calls for one in self.found], "calls"),
            "size": ([one.size for one in self.found], "bytes"),
        }
        amounts = {
            "mean": ([_mean(one) for one in self.found], "of the measure"),
            "cost": ([np.nan if one.cost is None else one.cost for one in self.found], "dollars"),
        }
        return data_frame(
            {
                **{name: FrameColumn(strings(some), unit) for name, (some, unit) in texts.items()},
                **{
                    name: FrameColumn(np.array(some, int), unit)
                    for name, (some, unit) in numbers.items()
                },
                **{
                    name: FrameColumn(np.array(some, float), unit)
                    for name, (some, unit) in amounts.items()
                },
            }
        )

    def as_json(self) -> dict[str, Any]:
        """Return all that `society list runs --json` prints."""
        return {"runs": [one.facts() for one in self.found], "closed": [*self.closed]}

    def __repr__(self) -> str:
        return "\n".join(" · ".join(row) for row in self._rows()) or "no run file"

    def _repr_html_(self) -> str:
        head = ("file", "status", "scenario", "rounds", "measure")
        return html_table(count_noun(len(self.found), "run file"), head, self._rows())

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                str(one.path),
                one.problem or one.status,
                one.scenario,
                str(one.rounds),
                _measured(one),
            )
            for one in self.found
        ]


@speaking_python()
def list_runs(
    folder: str | Path | None = None,
    *,
    scenario: str | None = None,
    status: RunStatus | None = None,
    sort: SortKey | None = None,
) -> ListedRuns:
    """List the run files in a folder and in those below it.

    folder: by default that of the project, runs. scenario, status: only such runs. sort: the key
    that they are ordered by; by default their path. Raises FileError, InputError.
    """
    if sort is not None:
        choose_word("sort", sort, get_args(SortKey))
    if status is not None:
        choose_word("status", status, get_args(RunStatus))
    home = find_defaults().folder("runs") if folder is None else output_path(folder, "folder")
    listed = list_run_files(home)
    chosen = sort_runs(filter_runs(listed.runs, scenario, status), sort)
    return ListedRuns(tuple(chosen), tuple(listed.closed))


@speaking_python()
def new(kind: StarterKind, name: str, folder: str | Path = ".") -> list[Path]:
    """Write a small working file to start from, with its test, its prompt and an example.

    kind: "scenario", "component", "mechanism" or "experiment". name: such as "small_pond". Returns
    the files, the one to be edited first. Raises InputError for an unknown kind, CatalogueError for
    a name that cannot be taken, and FileError where a file is there already; then nothing is
    written.
    """
    choose_word("kind", kind, STARTER_KINDS)
    return write_starter(kind, read_text("name", name, "a name"), output_path(folder, "folder"))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of scenario and experiment files, as `society schema` prints it."""
    return file_schema()


def _mean(one: ListedRun) -> float:
    if one.estimate is None or one.estimate.mean is None:
        return float("nan")
    return one.estimate.mean


def _measured(one: ListedRun) -> str:
    from .studies import estimate_in_words

    if one.estimate is None:
        return ""
    return f"{one.measure} {estimate_in_words(one.estimate)} {one.estimate.unit}"
