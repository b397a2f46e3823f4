"""The report of a study: a page that stands alone, and its figures and tables as files.

    DIR/report.html    everything, without requests, whole without its script
    DIR/figures/       each figure as PNG and SVG, and the numbers of its series as CSV
                       --pdf: as PDF, 88 and 180 mm wide
    DIR/tables/        each table as Markdown, CSV and LaTeX
    DIR/lineage/       who descends from whom, as GraphML and Newick, where societies evolve
    DIR/methods.txt    what a paper says of how the study was made; references.bib: what it cites
    DIR/SHA256SUMS     of all of these, as sha256sum writes and checks them

What a former report has left there and this one has not is removed, unless somebody has changed
it; other files are never touched. The same study gives the same bytes: nothing in it tells when or
where it was made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from society.errors import FileError, short_path
from society.runs.manifest import library_versions
from society.text import clean_line

from .figures.style import Figure, figures_for_print
from .page import LinkedFile, Section, render_page
from .sections import StudyView, every_section
from .sections.provenance_section import describe_runs
from .tables import Table

if TYPE_CHECKING:
    from society.analysis.study.study import Study


_SUMS = "SHA256SUMS"
_SUM = re.compile(
    r"([0-9a-f]{64})  ((?:figures|tables|lineage)/[^/\\]+|report\.html"
    r"|methods\.txt|references\.bib)"
)


def write_report(study: Study, out: Path, *, pdf: bool = False) -> Path:
    """Write the report into a folder; gives the path of its page. Raises FileError, InputError.

    pdf: each figure as PDF as well, as wide as one column and as two of a journal.
    """
    with figures_for_print() if pdf else nullcontext():
        return _write_report(study, out)


def _write_report(study: Study, out: Path) -> Path:
    view = StudyView(study)
    return write_sections(view.title, describe_runs(view.layout), every_section(view), out)


def write_sections(title: str, lead: str, sections: Sequence[Section], out: Path) -> Path:
    """Write a page and the files that belong to it; gives its path. Raises FileError."""
    html = render_page(
        clean_line(title), lead, sections, f"Made by society {library_versions()['society']}.", out
    )
    files = _files(sections) | {"report.html": html.encode()}
    try:
        for path, content in files.items():
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_bytes(content)
        _remove_former(out, files)
        sums = [f"{sha256(content).hexdigest()}  {path}\n" for path, content in files.items()]
        (out / _SUMS).write_text("".join(sums), "utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise FileError(f"cannot write {short_path(out)}: {reason}; name another folder") from error
    return out / "report.html"


def _remove_former(out: Path, files: Mapping[str, bytes]) -> None:
    """Remove files of a former report that this one lacks, as long as they are unchanged."""
    sums = out / _SUMS
    lines = sums.read_text("utf-8", "replace").splitlines() if sums.exists() else []
    for known, path in (found.groups() for found in map(_SUM.fullmatch, lines) if found):
        old = out / path
        if path in files or not old.is_file():
            continue
        if sha256(old.read_bytes()).hexdigest() == known:
            old.unlink()


def _files(sections: Sequence[Section]) -> dict[str, bytes]:
    """The content of each figure and table by its path."""
    found = {}
    for part in (part for section in sections for part in section.walk()):
        if isinstance(part, Figure):
            found[f"figures/{part.name}.svg"] = part.svg.encode()
            found[f"figures/{part.name}.png"] = part.png
            for width, content in part.pdfs.items():
                found[f"figures/{part.name}-{width}.pdf"] = content
            if part.data.series:
                data = part.data.table(part.name, part.title)
                found[f"figures/{part.name}.csv"] = data.csv().encode()
        elif isinstance(part, Table) and not part.page_only:
            found[f"tables/{part.name}.md"] = part.markdown().encode()
            found[f"tables/{part.name}.csv"] = part.csv().encode()
            found[f"tables/{part.name}.tex"] = part.latex().encode()
        elif isinstance(part, LinkedFile):
            found[part.path] = part.content.encode()
    return found
