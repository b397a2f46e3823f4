"""The report of a study: a page that stands alone, and its figures and tables as files.

    DIR/report.html    everything, without scripts and without requests
    DIR/figures/       each figure as PNG and SVG
    DIR/tables/        each table as Markdown, CSV and LaTeX
    DIR/lineage/       who descends from whom, as GraphML and Newick, where societies evolve
    DIR/SHA256SUMS     of all of these, as sha256sum writes and checks them

What a former report has left there and this one has not is removed, unless somebody has changed
it; other files are never touched. The same study gives the same bytes: nothing in it tells when or
where it was made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from society.errors import FileError, brief
from society.report.figures.style import Picture
from society.report.layout import Layout
from society.report.page import Chapter, Document, page
from society.report.sections.crossplay import cross_play
from society.report.sections.evolution import Populations, evolving
from society.report.sections.landscape import landscape
from society.report.sections.llm_usage import ledger
from society.report.sections.norms import norms, texts
from society.report.sections.outcome import outcome
from society.report.sections.over_time import measures_over_time
from society.report.sections.provenance import played, provenance, summary
from society.report.sections.survival import durations
from society.report.sections.tests import tested, tests
from society.report.tables import Table
from society.runs.manifest import versions
from society.wording import clean

if TYPE_CHECKING:
    from society.analysis.study.study import Study


_SUMS = "SHA256SUMS"
_SUM = re.compile(r"([0-9a-f]{64})  ((?:figures|tables|lineage)/[^/\\]+|report\.html)")


def report(study: Study, out: Path) -> Path:
    """Write the report into a folder; gives the path of its page. Raises FileError, InputError."""
    layout = Layout(study)
    return written(study.name, played(layout), _chapters(layout), out)


def written(title: str, lead: str, chapters: Sequence[Chapter], out: Path) -> Path:
    """Write a page and the files that belong to it; gives its path. Raises FileError."""
    html = page(clean(title), lead, chapters, f"Made by society {versions()['society']}.")
    files = _files(chapters) | {"report.html": html.encode()}
    try:
        for path, content in files.items():
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_bytes(content)
        _remove_former(out, files)
        sums = [f"{sha256(content).hexdigest()}  {path}\n" for path, content in files.items()]
        (out / _SUMS).write_text("".join(sums), "utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise FileError(f"cannot write {brief(out)}: {reason}; name another folder") from error
    return out / "report.html"


def _remove_former(out: Path, files: Mapping[str, bytes]) -> None:
    """Remove what a former report has written and this one has not, as long as it is unchanged."""
    sums = out / _SUMS
    lines = sums.read_text("utf-8", "replace").splitlines() if sums.exists() else []
    for known, path in (found.groups() for found in map(_SUM.fullmatch, lines) if found):
        old = out / path
        if path in files or not old.is_file():
            continue
        if sha256(old.read_bytes()).hexdigest() == known:
            old.unlink()


def _chapters(layout: Layout) -> list[Chapter]:
    found, populations = tested(layout), Populations(layout)
    chapters = [
        summary(layout),
        outcome(layout, found),
        landscape(layout),
        durations(layout),
        tests(layout, found),
        *cross_play(layout),
        *evolving(populations),
        measures_over_time(layout, without=populations.once),
        norms(layout),
        texts(layout),
        ledger(layout),
        provenance(layout),
    ]
    return [chapter for chapter in chapters if chapter is not None]


def _files(chapters: Sequence[Chapter]) -> dict[str, bytes]:
    """Content of each figure and table by its path."""
    found = {}
    for part in [part for chapter in chapters for part in chapter.everything()]:
        if isinstance(part, Picture):
            found[f"figures/{part.name}.svg"] = part.svg.encode()
            found[f"figures/{part.name}.png"] = part.png
        elif isinstance(part, Table):
            found[f"tables/{part.name}.md"] = part.markdown().encode()
            found[f"tables/{part.name}.csv"] = part.csv().encode()
            found[f"tables/{part.name}.tex"] = part.latex().encode()
        elif isinstance(part, Document):
            found[part.path] = part.content.encode()
    return found
