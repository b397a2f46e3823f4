"""The report of a study: a page that stands alone, and its figures and tables as files.

    DIR/report.html    everything, without scripts and without requests
    DIR/figures/       each figure as PNG and SVG
    DIR/tables/        each table as Markdown, CSV and LaTeX

The same study gives the same bytes: nothing in it tells when or where it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from society.errors import FileError, brief
from society.runs.manifest import versions
from society.wording import clean

from .comparison import outcome
from .drawing import Picture
from .duration import durations
from .expenses import ledger
from .landscape import landscape
from .layout import Layout
from .origins import played, provenance, summary, verdicts
from .page import Chapter, page
from .speech import norms, texts
from .tables import Table
from .testing import tested, tests
from .unfolding import measures_over_time

if TYPE_CHECKING:
    from society.claims import Verdict
    from society.lab.study.tidy import Study


def report(study: Study, out: Path, claims: Sequence[Verdict] = ()) -> Path:
    """Write the report into a folder; gives the path of its page. Raises FileError, InputError.

    claims: of a paper, judged by the study; they stand first.
    """
    layout = Layout(study)
    return written(study.name, played(layout), _chapters(layout, claims), out)


def written(title: str, lead: str, chapters: Sequence[Chapter], out: Path) -> Path:
    """Write a page and the files of its figures and tables; gives its path. Raises FileError."""
    html = page(clean(title), lead, chapters, f"Made by society {versions()['society']}.")
    try:
        for path, content in _files(chapters):
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_bytes(content)
        (out / "report.html").write_text(html, "utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise FileError(f"cannot write {brief(out)}: {reason}; name another folder") from error
    return out / "report.html"


def _chapters(layout: Layout, claims: Sequence[Verdict]) -> list[Chapter]:
    found = tested(layout)
    chapters = [
        verdicts(claims),
        summary(layout),
        outcome(layout, found),
        landscape(layout),
        durations(layout),
        tests(layout, found),
        measures_over_time(layout),
        norms(layout),
        texts(layout),
        ledger(layout),
        provenance(layout),
    ]
    return [chapter for chapter in chapters if chapter is not None]


def _files(chapters: Sequence[Chapter]) -> Iterator[tuple[str, bytes]]:
    """Path and content of each figure and table."""
    for part in [part for chapter in chapters for part in chapter.everything()]:
        if isinstance(part, Picture):
            yield f"figures/{part.name}.svg", part.svg.encode()
            yield f"figures/{part.name}.png", part.png
        elif isinstance(part, Table):
            yield f"tables/{part.name}.md", part.markdown().encode()
            yield f"tables/{part.name}.csv", part.csv().encode()
            yield f"tables/{part.name}.tex", part.latex().encode()
