"""The page of a reproduction: chapters of what evolves, and their files."""

from __future__ import annotations

import csv
import re
from datetime import date
from pathlib import Path
from typing import get_args

import pytest

from society.claims.data import PageSection, RuleChange, Trial
from society.claims.types import ClaimVerdict, Reproduction, ReproductionDesign
from society.config.registry import reproduction
from society.experiments.clusters import local_processes
from society.experiments.progress import NoProgress
from society.report.figures.style import Figure
from society.report.page import Section, SectionPart
from society.report.sections import SECTIONS, StudyView
from society.report.tables import Table
from society.reproduction.reproduction_page import fold_after_figure, write_page
from society.reproduction.run import ReproductionRun

pytestmark = pytest.mark.xdist_group("reproduction page")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ReproductionRun:
    """Twenty generations of image scorers with a free rider, played twice."""
    few = {"replicates": 2, "record": "full", "factors": {"known": [1]}}
    trial = Trial(
        name="image",
        file="donor_image_scoring",
        title="Image scoring",
        chapters=("lives",),
        over_time=("phenotype",),
        instead=few,
    )
    change = RuleChange(
        date=date(2026, 11, 22), what="Shares are counted", counts="2 in place of 1"
    )
    design = ReproductionDesign((trial,), changes=(change,))
    paper = Reproduction("small", "Nobody 2026", design)
    run = ReproductionRun(paper, tmp_path_factory.mktemp("image"))
    with local_processes(1) as cluster:
        run.play(cluster, NoProgress(), None)
    return run


@pytest.fixture(scope="module")
def page(run: ReproductionRun) -> Path:
    verdict = ClaimVerdict("Free riders win", "Fig. 1", "Always.", "they do", "reproduced")
    return write_page(run, [verdict._replace(departures=("Our riders are rules.",))])


def test_every_chapter_that_a_trial_may_name_is_known() -> None:
    assert set(get_args(PageSection)) < set(SECTIONS)


@pytest.mark.thorough
def test_sections_on_evolution_are_those_of_a_report(run: ReproductionRun) -> None:
    of = StudyView(run.results["image"].study)
    found = [SECTIONS[name](of) for name in ("evolution", "lives", "strategies", "reactions")]
    assert [one.title if one.parts else None for one in found] == [
        *("Evolution", "Agents and lineages", None, None)
    ]


def test_lineages_of_experiments_do_not_overwrite_each_other(page: Path) -> None:
    found = sorted(path.name for path in (page.parent / "lineage").iterdir())
    assert found == ["image-1_known=1.graphml", "image-1_known=1.nwk"]
    assert "lineage/image-1_known=1.nwk" in page.read_text("utf-8")


def test_what_is_measured_once_a_generation_has_generations_on_its_axis(page: Path) -> None:
    svg = (page.parent / "figures" / "image-time_generations.svg").read_text("utf-8")
    assert re.findall(r">(round|generation)<", svg) == ["generation"]


def test_departures_stand_beside_their_claim_and_changes_at_the_end(page: Path) -> None:
    text = page.read_text("utf-8")
    claim, change = text.index("Our riders are rules."), text.index("2 in place of 1")
    before_methods = text[: text.index('id="methods"')]
    assert claim < before_methods.rindex("Image scoring") < text.index("2026-11-22") < change
    assert "Changed after results were known" in text


def test_a_reproduction_has_methods_literature_and_a_reporting_summary(page: Path) -> None:
    methods = (page.parent / "methods.txt").read_text("utf-8")
    assert methods.startswith("Experiment: Image scoring. We played donor_game, with generations")
    assert "Claims. Reproduced: all parts of a claim hold" in methods
    assert "All conditions were finished, and none was left out." in methods
    assert "@misc{vallinder2024," in (page.parent / "references.bib").read_text("utf-8")
    summary = (page.parent / "tables" / "reporting_summary.csv").read_text("utf-8")
    items = dict(csv.reader(summary.splitlines()))
    assert items["Exclusions"] == "All conditions were finished, and none was left out."
    assert items["Corrected for several tests"].startswith("Comparisons of a claim by Holm's")
    assert items["Language models"] == "None was asked."
    assert "No language model was asked." in items["Not done"]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "models"), [("donor", ["lab/one"]), ("dilemmas", ["a", "b"])])
def test_departures_of_claims_about_models_stand_on_their_page(
    tmp_path: Path, name: str, models: list[str]
) -> None:
    """Nothing was played, and nothing can be told; what stands in the system message can be."""
    run = ReproductionRun(reproduction(name), tmp_path, models)
    verdicts = run.verdicts()
    text = write_page(run, verdicts).read_text("utf-8")
    assert {one.outcome for one in verdicts} == {"cannot be told"}
    assert text.count("in a system prompt, and so have we") >= len(verdicts)


@pytest.mark.thorough
def test_no_claim_and_no_entry_is_left_out_of_a_page_since_there_are_many(tmp_path: Path) -> None:
    """62 claims about villages, 86 claims, figures and tables; other tables end at 60 rows."""
    village = ReproductionRun(reproduction("village"), tmp_path / "village", ["lab/one"])
    verdicts = village.verdicts()
    text = write_page(village, verdicts).read_text("utf-8")
    assert len(verdicts) == 62
    assert all(f'<summary class="stop">––  {one.bare}</summary>' in text for one in verdicts)
    dilemmas = ReproductionRun(reproduction("dilemmas"), tmp_path / "dilemmas")
    text = write_page(dilemmas, []).read_text("utf-8")
    assert text.count("Payoffs by match-up, ") == 20
    assert (
        "In stag hunt contracts alone fail with GPT-4o and Qwen3 30B" in text
    )  # of table 7, the last


def test_figures_behind_the_first_one_of_a_section_are_one_click_away() -> None:
    first, second = (Figure(name, name, "", "", "<svg/>", b"") for name in ("first", "second"))
    table = Table.of("t", "t", [("text", "a")], [("1",)])
    found = fold_after_figure(Section("Counterpart", ["lead", first, second, table], "there"))
    *shown, more = found.parts
    assert shown == ["lead", first]
    assert isinstance(more, Section)
    assert (more.title, more.folded) == ("More: 1 figure and 1 table", True)
    assert list(more.parts) == [second, table]
    shorter: list[list[SectionPart]] = [["lead", table], ["lead", first, table], ["lead"]]
    for short in shorter:
        kept = Section("Counterpart", short)
        assert fold_after_figure(kept) == kept
