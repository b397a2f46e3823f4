"""The tutorial notebook runs from its first cell to its last, and shows what it promises."""

from __future__ import annotations

from pathlib import Path

import pytest

import society
from society.errors import InputError, PartError

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial.ipynb"
TWO = "base: fishing_village\nrounds: 3\nagents: 4\nreplicates: 2\nfactors: {fine: [2, 18]}\n"


@pytest.mark.thorough
def test_the_tutorial_runs_and_shows_tables_and_pages(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(TUTORIAL, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [
        output["data"]["text/html"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    assert sum("<table><caption>" in one for one in shown) >= 6, "results and studies are tables"
    assert sum("data:image/svg+xml" in one for one in shown) == 1, "a figure of the report"
    assert sum("<progress" in one for one in shown) >= 1, "the sweep shows how far it is"
    assert sum("<iframe srcdoc=" in one for one in shown) == 2, "the theatre and the report"


def test_the_tutorial_is_kept_without_outputs() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    assert '"execution_count": null' in text
    assert '"output_type"' not in text


def test_a_notebook_shows_measures_with_errors_and_units() -> None:
    shown = society.run("fishing_village", rounds=3, agents=4, replicates=2, seed=2)._repr_html_()
    assert "<caption>fishing_village, seed 2: 3 rounds x 2 replicates</caption>" in shown
    assert "<td>survival_time</td><td>3</td><td>0</td><td>rounds</td>" in shown


def test_the_theatre_of_a_result_is_a_page_that_holds_all_rounds() -> None:
    page = society.run("fishing_village", rounds=3, agents=4, seed=2).theatre()
    assert page.path.suffix == ".html"
    assert page._repr_html_().startswith("<iframe srcdoc=")


def test_a_sweep_in_python_plays_all_conditions_and_opens_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(TWO)
    study = society.sweep("two.yaml")
    assert len(study.runs) == 4, "two conditions of two replicates"
    assert "2 of 2 conditions are over" in capsys.readouterr().err
    assert (tmp_path / "sweeps" / "two").is_dir()
    assert len(society.sweep("two.yaml").runs) == 4, "what is finished is opened"


def test_a_sweep_that_reaches_a_limit_says_so_and_keeps_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talk.yaml").write_text(
        "base: language_village\nrounds: 1\nagents: 2\nfactors: {growth: [0.2, 0.3]}\n"
    )
    with pytest.raises(PartError, match=r"max_calls(.|\n)*what was played is kept"):
        society.sweep("talk.yaml", limits={"max_calls": 1})


def test_an_experiment_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml"):
        society.sweep(tmp_path / "none.yaml")
