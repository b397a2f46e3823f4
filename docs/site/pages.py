"""Pages of the site that are made of other files: the start page, papers, changes, reference.

mkdocs calls the functions below while it builds (`make docs`). Links that lead out of docs/
become links to the page made of that file, or its path where the site has no such page.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import Any

import offered
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
PAPERS = {
    "gupta2026": "villages",
    "vallinder2024": "donors",
    "tewolde2026": "dilemmas",
    "willis2026": "strategies",
}
_LINK = re.compile(r"(!?)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def made_of() -> dict[str, Path]:
    """Return the pages that are files elsewhere in the repository, by their place in the site."""
    papers = ROOT / "scenarios" / "reproductions"
    return {
        "index.md": ROOT / "README.md",
        "changes.md": ROOT / "CHANGELOG.md",
        "design.md": ROOT / "DESIGN.md",
        **{f"papers/{page}.md": papers / name / "README.md" for name, page in PAPERS.items()},
    }


def reference() -> str:
    """Write the page on all that `import society` offers."""
    lines = ["# Reference", "", "All that `import society` offers, in alphabetical order.", ""]
    for module, name in offered.offered():
        lines += [f"::: {module}.{name}", ""]
    return "\n".join(lines)


def further_reference() -> str:
    """Write the page on what other pages import from modules of the program."""
    lines = [
        "# Further reference",
        "",
        "What is imported from a module of its own: `from society.engine.scenario import Meeting`.",
        "",
    ]
    for heading, parts in groupby(offered.beside(), key=lambda part: part[0]):
        lines += [f"## {heading}", ""]
        for _, module, name in parts:
            lines += [f"::: {module}.{name}", "    options: {heading_level: 3}", ""]
    return "\n".join(lines)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made of other files."""
    for place, path in made_of().items():
        text = _with_links(path.read_text(encoding="utf-8"), path, place)
        files.append(File.generated(config, place, content=text))
    files.append(File.generated(config, "reference.md", content=reference()))
    files.append(File.generated(config, "further-reference.md", content=further_reference()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Mend links of pages in docs/ that lead out of it."""
    place = page.file.src_uri
    if place in made_of() or place in ("reference.md", "further-reference.md"):
        return markdown
    return _with_links(markdown, ROOT / "docs" / place, place)


def _with_links(text: str, source: Path, place: str) -> str:
    """Rewrite the links of a text that stands in `source` for a page at `place`."""
    homes = {path: page for page, path in made_of().items()}

    def rewritten(found: re.Match[str]) -> str:
        mark, words, link, part = found.groups()
        target = (source.parent / link).resolve()
        page = homes.get(target)
        if page is None and target.is_file() and target.is_relative_to(ROOT / "docs"):
            page = target.relative_to(ROOT / "docs").as_posix()
        if page is None:
            return f"{words} (`{target.relative_to(ROOT).as_posix()}`)"
        up = "../" * place.count("/")
        return f"{mark}[{words}]({up}{page}{part or ''})"

    return _LINK.sub(rewritten, text)
