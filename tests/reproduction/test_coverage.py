"""Every claim, figure and table of the papers is judged, or declared with a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from society.claims.data import PaperData
from society.claims.types import Reproduction
from society.config.registry import reproduction
from society.config.yaml_source import read_yaml
from society.errors import ScenarioError
from society.report.page import Section
from society.report.tables import Table
from society.reproduction.papers import read_paper
from society.reproduction.reproduction_page import coverage_section
from society.scenarios import reproductions
from tests.reproduction.made_up import PAPER

FOLDER = Path(next(iter(reproductions.__path__)))
DOCS = Path(__file__).parents[2] / "docs" / "reproducing-papers.md"
# Counted by hand in each paper, its appendices included: claims as listed, figures, tables.
PAPERS = {
    "village": ("gupta2026", 38, 16, 4),
    "donor": ("vallinder2024", 33, 11, 3),
    "dilemmas": ("tewolde2026", 47, 32, 7),
    "strategies": ("willis2026", 58, 7, 2),
}
SMALL = f"{PAPER}            {{kind: untestable, why: there are no nets}}\n"
ENTRY = "entries:\n  - {id: nets, where: Fig. 1, claim: Nets are better., "


@pytest.fixture(params=PAPERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def numbered(paper: Reproduction, kind: str) -> list[str]:
    return [one.id for one in paper.coverage if one.is_picture and one.id.startswith(kind)]


def test_all_claims_figures_and_tables_that_a_paper_has_are_listed(name: str) -> None:
    paper, (_, claims, figures, tables) = reproduction(name), PAPERS[name]
    assert sum(not one.is_picture for one in paper.coverage) == claims
    assert numbered(paper, "figure") == [f"figure-{number}" for number in range(1, figures + 1)]
    assert numbered(paper, "table") == [f"table-{number}" for number in range(1, tables + 1)]


def test_every_claim_that_is_not_ours_stands_in_the_list(name: str) -> None:
    paper = reproduction(name)
    named = {one for entry in paper.coverage for one in entry.judged_by}
    claims = [claim for design in paper.designs for claim in design.claims]
    assert [one.claim for one in claims if not one.ours and one.claim not in named] == []


def test_what_is_judged_is_judged_by_a_claim_that_can_be_tested(name: str) -> None:
    values, _ = read_yaml(FOLDER / PAPERS[name][0] / "claims.yaml")
    data = PaperData.model_validate(values)
    designs = [one for one in (data.rules, data.language) if one is not None]
    testable = {
        claim.claim
        for design in designs
        for group in design.claims
        for claim in group.claims
        if claim.judge.kind != "untestable"
    }
    paper = reproduction(name)
    assert [
        entry.id
        for entry in paper.coverage
        if (entry.status == "judged") != bool(testable & set(entry.judged_by))
    ] == []


def test_the_page_counts_them_and_lists_them_all(name: str) -> None:
    paper = reproduction(name)
    (section,) = coverage_section(paper)
    (folded,) = (part for part in section.parts if isinstance(part, Section))
    (table,) = folded.parts
    assert isinstance(table, Table)
    assert folded.folded
    assert len(table.excerpt(60)) == len(paper.coverage)
    assert f"Of {PAPERS[name][1]} claims of the paper: " in str(section.parts[0])


def test_the_readme_gives_the_same_counts_as_the_page(name: str) -> None:
    (section,) = coverage_section(reproduction(name))
    text = (FOLDER / PAPERS[name][0] / "README.md").read_text("utf-8").replace("\n", " ")
    assert str(section.parts[0]) in text
    assert str(section.parts[1]) in text


def test_the_table_of_the_docs_has_the_same_counts(name: str) -> None:
    sorts = "judged with rules", "judged if the models are asked", "declared as left out"
    (section,) = coverage_section(reproduction(name))
    counts = [
        {words: int(number) for number, words in re.findall(r"(\d+) ([a-z ]+)", str(part))}
        for part in section.parts[:2]
    ]
    claims, pictures = ([count.get(sort, 0) for sort in sorts] for count in counts)
    row = [sum(claims), *claims, sum(pictures), sum(pictures[:2]), pictures[2]]
    text = DOCS.read_text("utf-8")
    assert f"| `{name}` | {' | '.join(map(str, row))} |\n" in text


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("status: missing}", "3:"),
        ("status: judged}", "nets is judged by no claim; name claims under judged_by"),
        ("status: declared, reason: later}", "nets is left out without a reason"),
        ("status: judged, judged_by: [Hooks do]}", "there is no claim 'Hooks do' in claims.yaml"),
        ("status: declared, raeson: None has any nets.}", "did you mean 'reason'?"),
    ],
)
def test_a_list_that_leaves_something_open_is_refused(
    tmp_path: Path, rest: str, words: str
) -> None:
    (tmp_path / "claims.yaml").write_text(SMALL.lstrip())
    (tmp_path / "coverage.yaml").write_text(ENTRY.replace("\n", "\n\n") + rest + "\n")
    with pytest.raises(ScenarioError) as refused:
        read_paper(tmp_path / "claims.yaml", "nowhere")
    assert words in str(refused.value)
    assert "coverage.yaml:3" in str(refused.value)


def test_two_entries_with_one_id_are_refused(tmp_path: Path) -> None:
    (tmp_path / "claims.yaml").write_text(SMALL.lstrip())
    entry = ENTRY + "status: declared, reason: There are no nets at all.}\n"
    (tmp_path / "coverage.yaml").write_text(entry + entry.removeprefix("entries:\n"))
    with pytest.raises(ScenarioError, match="the id nets stands there twice"):
        read_paper(tmp_path / "claims.yaml", "nowhere")


def test_a_paper_without_a_list_is_read_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "claims.yaml").write_text(SMALL.lstrip())
    assert read_paper(tmp_path / "claims.yaml", "nowhere").coverage == ()
