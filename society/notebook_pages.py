"""What a notebook shows of societies: tables of measures, and pages in a frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path


@dataclass(frozen=True)
class HtmlPage:
    """A page that was written to a file; a notebook shows it in a frame.

    path: of the file. content: the page, which is shown even where its file is gone. height: of the
    frame, in pixels.
    """

    path: Path
    content: str = field(repr=False)
    height: int = 720

    @classmethod
    def read(cls, path: Path) -> HtmlPage:
        """Read a page that was just written."""
        return cls(path, path.read_text(encoding="utf-8"))

    def _repr_html_(self) -> str:
        # The page stands in the notebook itself, which may be sent to somebody without the file.
        content = escape(self.content)
        return (
            f'<iframe srcdoc="{content}" width="100%" height="{self.height}" '
            'style="border: 0" sandbox="allow-scripts"></iframe>'
        )


def html_lines(caption: str, lines: Iterable[str]) -> str:
    """Write a title and a list of sentences for a notebook.

    >>> html_lines("a & b", ["one"])
    '<p><b>a &amp; b</b></p><ul><li>one</li></ul>'
    """
    body = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p><b>{escape(caption)}</b></p><ul>{body}</ul>"


def html_table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table of texts for a notebook.

    >>> html_table("a & b", ["n"], [["1"]])
    '<table><caption>a &amp; b</caption><tr><th>n</th></tr><tr><td>1</td></tr></table>'
    """
    lines = [("th", head), *(("td", row) for row in rows)]
    body = "".join(
        f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
        for tag, cells in lines
    )
    return f"<table><caption>{escape(caption)}</caption>{body}</table>"
