"""Pictures of the documents are what their scripts draw; `make pictures` draws them anew."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPTS = sorted((ROOT / "docs/pictures").glob("*.py"))


@pytest.mark.thorough
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_picture_is_what_its_script_draws(script: Path) -> None:
    drawn = runpy.run_path(str(script))["draw_picture"]()
    assert drawn == script.with_suffix(".svg").read_text("utf-8"), "run `make pictures`"


def test_every_picture_is_shown_and_every_shown_one_is_there() -> None:
    pages = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    shown = {
        (page.parent / path).resolve()
        for page in pages
        for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text("utf-8"))
    }
    assert shown == set((ROOT / "docs/pictures").glob("*.svg"))
    assert {picture.with_suffix(".py") for picture in shown} == set(SCRIPTS)
