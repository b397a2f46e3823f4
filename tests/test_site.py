"""The site of the documents: every page is in its navigation, and it builds without a warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import society

ROOT = Path(__file__).parents[1]
MADE = {"index.md", "changes.md", "design.md", "reference.md", "further-reference.md"}


def pages_in_navigation() -> list[str]:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    return re.findall(r"([\w/-]+\.md)$", navigation, re.M)


def test_every_document_is_in_the_navigation_once() -> None:
    pages = pages_in_navigation()
    written = {path.name for path in (ROOT / "docs").glob("*.md")}
    papers = {page for page in pages if page.startswith("papers/")}
    assert sorted(pages) == sorted(written | MADE | papers)
    assert len(papers) == 4


class Addresses(HTMLParser):
    """The addresses of what a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found = set[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "iframe") and given.get("src"):
            self.found.add(str(given["src"]))
        if tag == "link" and given.get("rel") == "stylesheet":
            self.found.add(str(given["href"]))


@pytest.mark.thorough
def test_the_site_builds_without_a_warning_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "reference.html").read_text(encoding="utf-8")
    offered = [name for name in society.__all__ if name != "__version__"]
    assert [
        name for name in offered if not re.search(rf'id="society\.[\w.]*\.{name}"', reference)
    ] == []
    for page in tmp_path.rglob("*.html"):
        reader = Addresses()
        reader.feed(page.read_text(encoding="utf-8"))
        assert [one for one in reader.found if one.startswith(("http:", "https:", "//"))] == []
