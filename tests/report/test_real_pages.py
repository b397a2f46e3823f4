"""Pages of real runs of each kind, as Chromium shows them, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from society.analysis.study import open_study
from society.config.build import build
from society.config.run_config import load_config
from society.report import write_report
from society.runs.play import play_session
from society.runs.session import Session
from tests.browser import open_browser, open_page

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.thorough]

MOST_SCRIPT = 30_000  # bytes
GENERATIONS = {
    "generations": {"count": 3, "fitness": "final", "phenotype": "share", "strategies": "advice"}
}
KINDS: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    "one village": [("fishing_village", {"rounds": 12})],
    "villages": [("fishing_village", {"rounds": 12, "replicates": 6})],
    "sweep": [
        ("fishing_village", {"rounds": 12, "replicates": 6, "parameters": {"fine": fine}})
        for fine in (0, 10)
    ],
    "words": [
        (
            "language_village",
            {"rounds": 3, "agents": 4, "parameters": {"norm_embedder": "hashing"}},
        )
    ],
    "chains": [
        (
            "donor_generations",
            {"replicates": 3, "mechanisms": [GENERATIONS]},
        )
    ],
    "tournament": [("dilemmas_round_robin", {})],
}
# Of the page that is shown: what stands beyond its right edge, and links that lead nowhere in it.
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"
BEYOND = """[...document.querySelectorAll('main svg')]
  .filter(one => one.getClientRects().length && one.getBoundingClientRect().right > innerWidth + 1)
  .length"""
ANCHORS = """[...document.querySelectorAll('a[href^="#"]')].map(one => one.hash.slice(1))
  .filter(name => !document.getElementById(decodeURIComponent(name)))"""
FILES = """[...document.querySelectorAll('a[href]')].map(one => one.href)
  .filter(link => link.startsWith('file:')).map(link => new URL(link))
  .filter(link => !link.hash).map(link => decodeURIComponent(link.pathname))"""

Pages = Callable[[str], Path]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """`pages("sweep")`: the page of a study of this kind, made once."""
    made: dict[str, Path] = {}

    def page(kind: str) -> Path:
        if kind not in made:
            folder = tmp_path_factory.mktemp("study")
            files = [folder / f"condition {place}.run" for place in range(len(KINDS[kind]))]
            for file, (name, changes) in zip(files, KINDS[kind], strict=True):
                setup = build(load_config(name, {"seed": 1, **changes}))
                play_session(Session.begun(setup, file, "full"), None, conclude=True)
            made[kind] = write_report(open_study(files), folder / "report")
        return made[kind]

    return page


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_a_real_run_fits_its_window_and_says_nothing_to_the_console(
    browser: Any, pages: Pages, kind: str
) -> None:
    for width in (1400, 400):
        for scheme in ("light", "dark"):
            with open_page(browser, pages(kind), width, scheme) as (tab, seen):
                whole, window = tab.evaluate(WIDTHS)
                assert whole <= window, f"{kind} at {width}, {scheme}"
                assert tab.evaluate(BEYOND) == 0, f"{kind} at {width}, {scheme}"
                assert seen == [], "no request, no complaint"


@pytest.mark.parametrize("kind", KINDS)
def test_links_of_a_real_page_lead_somewhere_and_its_script_is_small(
    browser: Any, pages: Pages, kind: str
) -> None:
    with open_page(browser, pages(kind), 1400) as (tab, _):
        assert tab.evaluate(ANCHORS) == []
        files = tab.evaluate(FILES)
        assert files, "figures, tables and runs are linked"
        assert [name for name in files if not Path(name).exists()] == []
        script = tab.evaluate("document.querySelector('body > script').textContent")
    assert 0 < len(script.encode()) <= MOST_SCRIPT
