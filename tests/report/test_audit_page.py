"""The page of an audit begins with what holds, what does not, and by how much it changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.analysis.auditing.audit import AuditResults
from society.analysis.auditing.effects import ConditionPair, audit_conclusions
from society.cli.main import main
from society.report.sections.audit_section import audit_figure, audit_table
from tests.browser import open_browser, open_page
from tests.gift_minds import EXPERIMENT, SCENARIO

ZERO = np.zeros(8)
GIVEN = np.array([0.5, 0.7, 0.5, 0.7, 0.5, 0.7, 0.5, 0.7])
NOISE = np.array([0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1])


@pytest.fixture(scope="module")
def found() -> AuditResults:
    """An effect of 0.6 that is gone under `order`, and hardly changed under `names`."""
    arms = {
        "none": ConditionPair(ZERO, GIVEN),
        "order": ConditionPair(ZERO, ZERO),
        "names": ConditionPair(ZERO, GIVEN + NOISE),
    }
    conclusions = audit_conclusions({("bonus 0", "bonus 2"): arms}, paired=True)
    return AuditResults("given", "coins", tuple(conclusions), {"order": "the order differs"})


@pytest.mark.usefixtures("wide_only")
def test_the_figure_has_each_change_with_its_interval_and_p(found: AuditResults) -> None:
    figure = audit_figure(found)
    assert figure.title == "The conclusion changes under 1 of 2 perturbations"
    assert figure.alt == (
        "bonus 2 against bonus 0: order: -0.6 (95 % interval -0.689 to -0.511), p < .001. "
        "names: 0 (95 % interval -0.0894 to 0.0894), p = 1."
    )
    labels = {series.label for series in figure.data.series}
    assert labels == {"the effect changes (p < .05)", "no change is found"}


def test_the_table_has_a_row_for_each_perturbation_with_flips_and_their_interval(
    found: AuditResults,
) -> None:
    table = audit_table(found)
    assert table.title == "Conclusions on given, coins by perturbation"
    _, order, names = table.rows
    assert order[1:3] == ("order", "0")
    assert order[-3:] == ("<0.001", "4 of 4", "1.00 [0.51, 1.00]")
    assert names[-3:] == ("1", "0 of 4", "0 [0, 0.49]")
    assert table.notes[-1] == "order: the order differs."


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    (folder / "gifts.py").write_text(SCENARIO, "utf-8")
    (folder / "bonus.yaml").write_text(EXPERIMENT.format(mind="reads_order"), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        only = ["--only", "options_reversed", "opening"]
        assert main(["audit", "bonus.yaml", "--quiet", *only]) == 0
        assert main(["report", "sweeps/bonus-audit"]) == 0
    return folder / "sweeps" / "bonus-audit" / "report" / "report.html"


@pytest.fixture(scope="module")
def browser(page: Path) -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.mark.thorough
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("width", [1400, 400])
def test_the_page_of_an_audit_begins_with_its_sentences(
    browser: Any, page: Path, width: int
) -> None:
    with open_page(browser, page, width) as (tab, seen):
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert tab.text_content("h1") == (
            "Gifts: the conclusion changes under 1 of 2 perturbations"
        )
        first = "main section:first-of-type "
        assert tab.text_content(f"{first} h2") == "What the audit found"
        words = tab.text_content("main section:first-of-type")
        assert "Under options_reversed (options and peers stand in reverse order)" in words
        assert tab.locator(f"{first} figure").count() >= 1
        assert tab.locator(f"{first} table tbody tr").count() == 3
        assert seen == []
