"""A report as one HTML page that needs nothing else: no script, no request, figures inside.

Everything but our own figures is escaped: names, texts and errors come from files and models. The
page's policy allows neither scripts nor requests, so that what slips through does nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from .figures.style import Figure, dark_colours
from .tables import Table

if TYPE_CHECKING:
    from jinja2 import Template

LONGEST_TABLE = 60  # rows in the page; the files have all
_MANY = 9  # columns at most that a printed page has room for in its usual type


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


SectionPart = str | Caveat | Verbatim | PageLinks | LinkedFile | Table | Figure | Section


def folded_section(title: str, *parts: SectionPart) -> Section:
    """Make a section that is shown on request."""
    return Section(title, parts, folded=True)


def render_page(title: str, lead: str, sections: Sequence[Section], footer: str) -> str:
    """Render the page; lead: a line below the title."""
    return _template().render(
        title=title,
        lead=lead,
        sections=sections,
        footer=footer,
        longest=LONGEST_TABLE,
        many=_MANY,
        labels=_box_labels(sections),
        dark_colours=dark_colours(),
    )


def _box_labels(sections: Sequence[Section]) -> dict[tuple[str, str], str]:
    """Name the box of each table and figure, no two alike; by kind and name."""
    labels, seen = {}, Counter[str]()
    for part in (part for section in sections for part in section.walk()):
        if isinstance(part, Table | Figure):
            seen[part.title] += 1
            count = f" ({seen[part.title]})" if seen[part.title] > 1 else ""
            labels[part.kind, part.name] = f"{part.title}{count}"
    return labels


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("society.report", "")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template("page.html")
