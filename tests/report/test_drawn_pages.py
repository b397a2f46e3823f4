"""Figures of real pages can be read, and a level or a type has one colour in all of them.

Sizes are those at 180 mm. Contrast is that of tests/figure_checks.py, which looks at whatever any
other test draws; here pages of every kind are drawn whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from society.analysis.study import ConditionRun, Study
from society.config.build import build
from society.config.run_config import load_config
from society.experiments.factors import Label
from society.report import write_report
from society.runs.conclusions import record_findings
from society.runs.runfile import Writer, manifest_of
from tests.figure_checks import pale_strokes
from tests.report.drawn import series_of_page, text_sizes

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("drawn pages")]

TYPES = {"saint": "always_cooperate", "rogue": "always_defect", "mirror": "tit_for_tat"}
CHAINS = {"count": 4, "fitness": "final", "phenotype": "share", "strategies": "advice"}
PAGES: Mapping[str, tuple[str, Mapping[str, Any], list[dict[str, Label]]]] = {
    "fines": (
        "fishing_village",
        {"replicates": 6, "rounds": 30},
        [{"fine": fine, "growth": growth} for fine in (2, 10) for growth in (0.2, 0.6)],
    ),
    "doomed": ("fishing_village", {"rounds": 20}, [{"fine": 0, "growth": 0.1}]),
    "words": ("language_village", {"rounds": 4}, [{}]),
    "chains": ("donor_game", {"replicates": 2, "mechanisms": [{"generations": CHAINS}]}, [{}]),
    "genes": ("donor_language_genes", {"replicates": 2}, [{}]),
    "mediators": ("dilemmas_mediators", {}, [{}]),
    "contracts": ("dilemmas_language_contracts", {}, [{}]),
    "programs": ("evolution_by_fermi", {"agents": 32, "rounds": 6, "replicates": 2}, [{}]),
    "survey": ("fishing_village_survey", {"rounds": 4, "replicates": 6}, [{}]),
    "tournament": (
        "prisoners_dilemma",
        {
            "cohorts": [
                {
                    "name": name,
                    "count": 1,
                    "components": [{"classic_strategies": {"strategy": one}}],
                }
                for name, one in TYPES.items()
            ],
            "mechanisms": [{"repetition": {"games": 20}}, {"tournament": {"repetitions": 2}}],
        },
        [{}],
    ),
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    scenario, changes, levels = PAGES[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    runs = tuple(_run(folder, scenario, changes, factors) for factors in levels)
    study = Study(request.param, runs, _levels(levels), "common" if len(runs) > 1 else None)
    return write_report(study, folder / "report")


def _levels(levels: list[dict[str, Label]]) -> dict[str, list[Label]]:
    return {name: list(dict.fromkeys(one[name] for one in levels)) for name in levels[0]}


def _run(
    folder: Path, scenario: str, changes: Mapping[str, Any], factors: dict[str, Label]
) -> ConditionRun:
    setup = build(load_config(scenario, {"seed": 1, **changes, "parameters": factors}))
    name = ",".join(f"{factor}={label}" for factor, label in factors.items()) or scenario
    path = folder / f"{name}.run"
    with Writer(path, manifest_of(setup)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    record_findings(path)
    return ConditionRun.read(path, name, factors)


def figures(page: Path) -> dict[str, str]:
    found = {file.stem: file.read_text() for file in page.parent.glob("figures/*.svg")}
    assert found
    return found


def test_no_text_is_smaller_than_six_and_a_half_points(page: Path) -> None:
    small = {name: min(text_sizes(svg)) for name, svg in figures(page).items()}
    assert {name: size for name, size in small.items() if size < 6.5} == {}


def test_lines_and_marks_stand_out_from_their_paper(page: Path) -> None:
    pale = {name: pale_strokes(svg) for name, svg in figures(page).items()}
    assert {name: own for name, own in pale.items() if own} == {}


def test_what_is_named_has_one_colour_on_its_page(page: Path) -> None:
    """Ink and paper may be with any of them, as edges and letters are."""
    colours = dict[str, set[str]]()
    for figure in series_of_page(page.read_text("utf-8")):
        for label, own in figure.items():
            colours.setdefault(label, set()).update(own)
    named = {"fine = 2", "fine = 10", *TYPES} & set(colours)
    assert {label: own for label, own in colours.items() if label in named and len(own) > 1} == {}
