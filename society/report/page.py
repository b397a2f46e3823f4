"""A report as one HTML page that needs nothing else: no script, no request, pictures inside.

Everything but our own pictures is escaped: names, texts and errors come from files and models. The
page's policy allows neither scripts nor requests, so that what slips through does nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from society.report.figures.style import Picture
from society.report.tables import Table

if TYPE_CHECKING:
    from jinja2 import Template

LONGEST_TABLE = 60  # rows in the page; the files have all
_MANY = 9  # columns at most that a printed page has room for in its usual type


@dataclass(frozen=True)
class Paragraph:
    """A few sentences."""

    text: str
    sort: ClassVar = "paragraph"


@dataclass(frozen=True)
class Heading:
    """A heading inside a chapter; depth: 2 below another heading, else 1."""

    text: str
    depth: int = 1
    sort: ClassVar = "heading"


@dataclass(frozen=True)
class Caveat:
    """What a reader must not overlook, and what it is about."""

    text: str
    items: Sequence[str] = ()
    sort: ClassVar = "caveat"


@dataclass(frozen=True)
class Listing:
    """Text as it is in a file."""

    text: str
    sort: ClassVar = "listing"


@dataclass(frozen=True)
class Document:
    """A text that stands beside the page, in a file of its own."""

    path: str
    content: str
    sort: ClassVar = "document"


@dataclass(frozen=True)
class Fold:
    """Parts that are shown on request."""

    title: str
    parts: Sequence[Part]
    sort: ClassVar = "fold"


Part = Paragraph | Heading | Caveat | Listing | Document | Fold | Table | Picture


@dataclass(frozen=True)
class Chapter:
    """A section with a place in the table of contents; anchor: its id."""

    anchor: str
    title: str
    parts: Sequence[Part]

    def everything(self) -> list[Part]:
        """Its parts, and those inside of folds."""
        found: list[Part] = []
        for part in self.parts:
            found += [part, *(part.parts if isinstance(part, Fold) else ())]
        return found


def page(title: str, lead: str, chapters: Sequence[Chapter], footer: str) -> str:
    """The page; lead: a line below the title."""
    return _template().render(
        title=title,
        lead=lead,
        chapters=chapters,
        footer=footer,
        longest=LONGEST_TABLE,
        many=_MANY,
        labels=_labels(chapters),
    )


def _labels(chapters: Sequence[Chapter]) -> dict[tuple[str, str], str]:
    """What the box of each table and picture is called, no two alike; by sort and name."""
    labels, seen = {}, Counter[str]()
    for part in [part for chapter in chapters for part in chapter.everything()]:
        if isinstance(part, Table | Picture):
            called = part.caption if isinstance(part, Table) else part.title
            seen[called] += 1
            labels[part.sort, part.name] = (
                f"{called} ({seen[called]})" if seen[called] > 1 else called
            )
    return labels


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("society.report", "")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template(
        "page.html"
    )
