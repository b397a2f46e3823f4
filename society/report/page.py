"""A report as one HTML page that needs nothing else: no request, figures inside.

Everything but our own figures is escaped: names, texts and errors come from files and models. The
page's policy allows no requests, and of scripts only our own (page.js), by its hash, so that what
slips through does nothing. The script adds to a page that is whole without it: it sorts and filters
tables, reads figures out, copies, searches texts, and follows the reader in the contents.
"""

from __future__ import annotations

import os
import shlex
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from urllib.parse import quote

from .axis_notes import axis_notes
from .figures.page_drawings import PageDrawings
from .figures.style import Figure, dark_colours
from .tables import Table

if TYPE_CHECKING:
    from jinja2 import Template

LONGEST_TABLE = 60  # rows in the page; the files have all
LONGEST_CELL = 200  # characters that a cell shows; the rest is folded
_UNBROKEN = 60  # characters of a name that stand in one line of a cell
_MANY = 9  # columns at most that a printed page has room for in its usual type
_MOST_UP = 2  # folders that a link climbs; farther away it would tell of one machine


@dataclass(frozen=True)
class Caveat:
    """A warning that a reader must not overlook, and the items that it is about."""

    text: str
    items: Sequence[str] = ()
    kind: ClassVar = "caveat"


@dataclass(frozen=True)
class Verbatim:
    """Text as it is in a file."""

    text: str
    kind: ClassVar = "verbatim"


@dataclass(frozen=True)
class LinkedFile:
    """A text that stands beside the page, in a file of its own."""

    path: str
    content: str
    kind: ClassVar = "file"


@dataclass(frozen=True)
class PageLinks:
    """Links to places in the page: what they say, and the anchor that each leads to."""

    links: Sequence[tuple[str, str]]
    kind: ClassVar = "links"


@dataclass(frozen=True)
class RunFiles:
    """Links to run files, and the commands that play them again, round by round.

    runs: name, file, and the options of `society replay`, "--from 7" say.
    """

    runs: Sequence[tuple[str, Path, str]]
    kind: ClassVar = "runs"


@dataclass(frozen=True)
class ChronicleEntry:
    """A text at its time: who said it, and of which kind it is.

    pieces: the text, cut where words were "new" or "gone" since the text before, "" for others.
    note: what became of it, "4 of 9 votes" say.
    """

    round: int
    agent: str
    name: str
    pieces: Sequence[tuple[str, str]]
    note: str = ""


@dataclass(frozen=True)
class Chronicle:
    """Texts in groups, each group folded under its title; a reader filters and searches them.

    A text in place of an entry is a remark, "rounds 3 to 6: unchanged" say. note: on what is left
    out.
    """

    groups: Sequence[tuple[str, Sequence[ChronicleEntry | str]]]
    note: str = ""
    kind: ClassVar = "chronicle"


@dataclass(frozen=True)
class Section:
    """A titled run of sentences, figures, tables and further sections.

    Sections without any part say nothing, and are left out of the one they stand in. anchor: the
    place of one, to which the table of contents or a link leads. folded: shown on request.
    """

    title: str
    parts: Sequence[SectionPart]
    anchor: str = ""
    folded: bool = False
    kind: ClassVar = "section"

    def __post_init__(self) -> None:
        kept = [one for one in self.parts if not isinstance(one, Section) or one.parts]
        object.__setattr__(self, "parts", tuple(kept))

    def walk(self) -> Iterator[SectionPart]:
        """All parts, and those of inner sections after each of them."""
        for part in self.parts:
            yield part
            if isinstance(part, Section):
                yield from part.walk()


SectionPart = (
    str
    | Caveat
    | Verbatim
    | PageLinks
    | LinkedFile
    | RunFiles
    | Chronicle
    | Table
    | Figure
    | Section
)


def folded_section(title: str, *parts: SectionPart) -> Section:
    """Make a section that is shown on request."""
    return Section(title, parts, folded=True)


def render_page(
    title: str, lead: str, sections: Sequence[Section], footer: str, folder: Path | None = None
) -> str:
    """Render the page; lead: a line below the title. folder: that it is for, where links begin."""
    script = _script()
    figures = [part for part in _walk(sections) if isinstance(part, Figure)]
    labels = _labels(sections)
    return _template().render(
        title=title,
        lead=lead,
        sections=sections,
        footer=footer,
        longest=LONGEST_TABLE,
        unbroken=_UNBROKEN,
        many=_MANY,
        labels=labels,
        axis_notes=axis_notes((labels[one.kind, one.name].number, one) for one in figures),
        script=script,
        script_hash=hash_source(script),
        split_cell=split_cell,
        link=lambda path: relative_link(path, folder),
        replay=replay_command,
        dark_colours=dark_colours(),
        drawings=PageDrawings.of(figures),
    )


def _walk(sections: Sequence[Section]) -> Iterator[SectionPart]:
    """All parts of all sections."""
    return (part for section in sections for part in section.walk())


class _Label(NamedTuple):
    """The number of a figure or table, "Figure 3", and the name of its box, no two alike."""

    number: str
    box: str


def _labels(sections: Sequence[Section]) -> dict[tuple[str, str], _Label]:
    """Number tables and figures in the order of the page; by kind and name."""
    labels, seen, numbers = {}, Counter[str](), Counter[str]()
    for part in _walk(sections):
        if isinstance(part, Table | Figure):
            seen[part.title] += 1
            numbers[part.kind] += 1
            count = f" ({seen[part.title]})" if seen[part.title] > 1 else ""
            number = f"{part.kind.capitalize()} {numbers[part.kind]}"
            labels[part.kind, part.name] = _Label(number, f"{part.title}{count}")
    return labels


def split_cell(text: str) -> tuple[str, str]:
    """Split a text into what a cell shows and what is folded, between words.

    >>> split_cell("brief")
    ('brief', '')
    """
    if len(text) <= LONGEST_CELL:
        return text, ""
    begin = text[: LONGEST_CELL - 20].rpartition(" ")[0] or text[: LONGEST_CELL - 20]
    return begin, text[len(begin) :].strip()


def relative_link(path: Path, folder: Path | None) -> str:
    """Where a file is, as seen from a folder; "" if it is too far away to be named.

    >>> relative_link(Path("study/fine=2.run"), Path("study/report"))
    '../fine%3D2.run'
    """
    if folder is None:
        return ""
    try:
        parts = Path(os.path.relpath(path, folder)).parts
    except ValueError:  # another drive
        return ""
    return "" if parts.count("..") > _MOST_UP else "/".join(map(_quote_part, parts))


def replay_command(file: Path, options: str) -> str:
    """Write the command that plays a run file again, for the folder that it is in.

    >>> replay_command(Path("study/my lake.run"), "--from 7")
    "society replay 'my lake.run' --from 7"
    """
    return f"society replay {shlex.quote(file.name)} {options}".rstrip()


def _quote_part(name: str) -> str:
    return quote(name, safe="")


def hash_source(text: str) -> str:
    """Give the source expression by which a policy allows exactly this script."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _script() -> str:
    return f"\n{files('society.report').joinpath('page.js').read_text('utf-8')}"


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("society.report", "")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template("page.html")
