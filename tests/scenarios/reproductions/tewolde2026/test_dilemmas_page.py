"""The whole page of the paper of dilemmas, with classic minds and with a dry run of models."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from society.claims.types import ReproductionDesign
from society.config.registry import reproduction
from society.experiments.clusters import local_processes
from society.experiments.progress import NoProgress
from society.report.page import LONGEST_CELL
from society.reproduction.reproduction_page import write_page
from society.reproduction.run import ReproductionRun
from tests.scenarios.reproductions.tewolde2026.test_dilemmas_played import ONCE

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("page of dilemmas")]

PAPER = reproduction("dilemmas")
_GAMES = {name: {"base": name} for name in ("prisoners_dilemma", "travellers_dilemma")}
_HEADINGS = {"h1", "h2", "h3", "h4", "summary"}


class Read(HTMLParser):
    """What a reader of a page sees: headings, cells without what is folded, and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.cells: list[str] = []
        self.captions: list[str] = []
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if own.get("id"):
            self.ids.add(str(own["id"]))
        if tag == "a" and str(own.get("href")).startswith("#"):
            self.links.add(str(own["href"])[1:])
        if tag in {"br", "img", "input", "meta", "link", "hr", "col"}:
            return
        self._open.append(tag)
        for kind, found in (("td", self.cells), ("figcaption", self.captions)):
            if tag == kind:
                found.append("")
        if tag in _HEADINGS:
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, text: str) -> None:
        if "script" in self._open or "style" in self._open or "svg" in self._open:
            return
        if "figcaption" in self._open:
            self.captions[-1] += text
        elif "td" in self._open and "details" not in self._open[self._open.index("td") :]:
            self.cells[-1] += text
        if _HEADINGS & set(self._open) and "td" not in self._open:
            self.headings[-1] += text


def make_page(design: ReproductionDesign, folder: Path, models: tuple[str, ...] = ()) -> Path:
    """Play a design to its end, and write its page."""
    paper = replace(PAPER, language=design) if models else replace(PAPER, rules=design)
    run = ReproductionRun(paper, folder, models)
    with local_processes(1) as cluster:
        run.play(cluster, NoProgress(), None)
    return write_page(run, list(run.verdicts()))


@pytest.fixture(scope="module", params=["rules", "offline"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of two once through, and public goods, with all claims that need no other runs."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "rules":
        pairs, goods, *_ = PAPER.rules.trials
        less = (
            pairs.model_copy(
                update={
                    "beside": {"classic_goods": {}},
                    "instead": {"factors": {"game": _GAMES, **ONCE}},
                }
            ),
            goods.model_copy(update={"instead": {"factors": {**goods.instead["factors"], **ONCE}}}),
        )
        return make_page(replace(PAPER.rules, trials=less), folder)
    assert PAPER.language is not None
    pairs, *_ = PAPER.language.trials
    alone = pairs.model_copy(update={"beside": {}, "instead": {"factors": {"game": _GAMES}}})
    return make_page(replace(PAPER.language, trials=(alone,)), folder, ("offline",))


@pytest.fixture(scope="module")
def read(page: Path) -> Read:
    return Read(page.read_text("utf-8"))


def counterparts(read: Read) -> Iterator[str]:
    for caption in read.captions:
        if found := re.search(r"Counterpart of ([\w ]+?) of Tewolde et al\.:", caption):
            yield found[1]


def test_every_counterpart_that_was_played_stands_on_the_page(read: Read, page: Path) -> None:
    found = list(counterparts(read))
    assert {"Figure 3", "Figure 4", "Figure 5", "Figure 7", "Figures 13 to 32"} <= set(found)
    assert found.count("Figures 13 to 32") >= 2
    if "rules" in str(page):
        assert {"Table 2", "Figure 2", "Figure 6"} <= set(found)
    else:
        assert "Figures 9 to 12" in found


def test_captions_say_whose_moves_these_are(read: Read, page: Path) -> None:
    whose = "Rules of ours in place of" if "rules" in str(page) else "The models asked;"
    own = [caption for caption in read.captions if "Counterpart of" in caption]
    assert own
    assert all(whose in " ".join(caption.split()) for caption in own)


def test_no_cell_of_the_page_shows_more_than_it_may(read: Read) -> None:
    assert len(read.cells) > 100
    assert max(len(" ".join(cell.split())) for cell in read.cells) <= LONGEST_CELL


def test_no_heading_has_an_identifier(read: Read) -> None:
    assert [heading for heading in read.headings if re.search(r"[a-z]_[a-z]", heading)] == []


def test_links_of_the_coverage_lead_to_the_counterparts(read: Read) -> None:
    assert {"figure-3", "figure-5", "figure-13", "table-2"} <= read.links
    assert read.links <= read.ids


def test_the_grid_of_claims_is_the_first_figure(read: Read) -> None:
    assert read.captions[0].strip().startswith("Figure 1. Verdicts on the claims")
