"""Pages as Chromium shows them, for tests; these are skipped without Chromium or playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a Chromium; SOCIETY_BROWSER_TESTS=required fails where there is none."""
    if not (CHROMIUM and find_spec("playwright")):
        missing = "Chromium and playwright are needed to look at a page"
        if os.environ.get("SOCIETY_BROWSER_TESTS") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    playwright = import_module("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        # As root, as in containers, Chromium runs without its sandbox or not at all.
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def open_page(
    browser: Any, file: Path, width: int, scheme: str = "light"
) -> Iterator[tuple[Any, list[str]]]:
    """Open a file; yields the tab, and a list of what it asks for and what its console says."""
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    seen: list[str] = []
    tab.on("request", lambda request: seen.append(request.url))
    tab.on("console", lambda message: seen.append(message.text))
    tab.on("pageerror", lambda error: seen.append(str(error)))
    tab.on("dialog", lambda dialog: seen.append(dialog.message))
    tab.goto(file.as_uri())
    seen.remove(file.as_uri())
    yield tab, seen
    tab.close()
