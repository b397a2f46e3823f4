"""What came of the writing of people: descriptions, and people of whom there is none."""

from __future__ import annotations

from typing import NamedTuple

from society.errors import RunFileError
from society.personas.people import DESCRIPTION, PeopleTable, parse_people
from society.runs.reader import RunFile

WRITING = "persona_writing"


class WrittenPeople(NamedTuple):
    """The people of a table with their descriptions, "" where there is none; (P,)."""

    people: PeopleTable
    descriptions: list[str]

    @property
    def failed(self) -> list[int]:
        """The rows of the people without a description."""
        return [row for row, text in enumerate(self.descriptions) if not text]

    @property
    def described(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Columns and cells of those who are described, in place of any former description."""
        kept = [place for place, name in enumerate(self.people.columns) if name != DESCRIPTION]
        columns = (*(self.people.columns[place] for place in kept), DESCRIPTION)
        rows = zip(self.people.cells, self.descriptions, strict=True)
        return columns, [(*(row[place] for place in kept), text) for row, text in rows if text]


def read_written_people(run: RunFile) -> WrittenPeople:
    """Read the people of a run that is finished; raises RunFileError for runs of other kinds."""
    if run.manifest.scenario != WRITING or len(run.manifest.tables) != 1:
        raise RunFileError(
            f"{run.path} is a run of {run.manifest.scenario}, in which no people are written"
        )
    ((path, text),) = run.manifest.tables.items()
    told = (step for page in run.pages() for step in page.steps if step.kind == "describe_person")
    descriptions = next(told).arrays["answer", ""][0].tolist()
    return WrittenPeople(parse_people(text, path), descriptions)
