"""An installed package brings parts of societies by its entry points."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import society
from society import plugins
from society.analysis.auditing.arms import choose_perturbations
from society.config import registry
from society.config.build import build
from society.config.listing import describe_name, entries
from society.config.run_config import Setting, load_config, override
from society.errors import CatalogueError, InputError, PartError, ProgramWarning
from society.llm.perturbations import find_perturbation
from society.memory import embedders
from society.runs.prompt_preview import first_prompts
from society.runs.reader import open_run_file

REEF_KIT = Path(__file__).parent / "plugins" / "reef_kit"
CACHES = (plugins._all_brought, registry._found_in_packages, embedders._of_package)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The example package, built and unpacked, as pip does it, into a folder on sys.path."""
    from hatchling.builders.wheel import WheelBuilder

    home = tmp_path_factory.mktemp("packages")
    (wheel,) = WheelBuilder(str(REEF_KIT)).build(directory=str(home), versions=["standard"])
    site = home / "site"
    zipfile.ZipFile(wheel).extractall(site)
    sys.path.insert(0, str(site))
    _forget()
    yield site
    sys.path.remove(str(site))
    for name in [name for name in sys.modules if name.partition(".")[0] == "reef_kit"]:
        del sys.modules[name]
    _forget()


def _forget() -> None:
    importlib.invalidate_caches()
    for cached in CACHES:
        cached.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_scenario_of_a_package_is_played_by_its_name_alone(tmp_path: Path) -> None:
    result = society.run("reef", seed=1, out=tmp_path / "a.run")
    assert result.measures["left"].mean == 22.5  # 90, half of it each of two rounds
    with open_run_file(tmp_path / "a.run") as run:
        assert run.manifest.versions["reef-kit"] == "1.2"
    assert build(load_config("reef")).found == "comes with reef-kit 1.2"


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings("ignore::society.errors.ProgramWarning")
@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("scenarios", "reef", "Divers share the fish of a reef."),
        ("components", "half_catch", "Lands half of what it may."),
        ("mechanisms", "levy", "Everybody pays a flat levy each round."),
        ("graphs", "star", "One agent sees everybody, everybody sees that one."),
        ("embedders", "letters", "Counts of letters."),
        ("models", "plugin:frugal", "A mind that lands three fish."),
        ("perturbations", "tides", "the tide is told first"),
    ],
)
def test_the_list_says_which_package_brings_a_name(kind: Any, name: str, words: str) -> None:
    assert entries(kind)[name]._replace(parameters=()) == (words, (), "reef-kit 1.2")
    plain = name.removeprefix("plugin:")  # by which a model is found as well
    assert "  from reef-kit 1.2" in [*describe_name(plain, [kind]).lines()]


@pytest.mark.usefixtures("installed")
def test_what_is_ours_has_no_origin_beside_it() -> None:
    assert entries("graphs")["ring"].origin == ""


@pytest.mark.usefixtures("installed")
def test_a_graph_and_an_embedder_of_a_package_are_used_by_name() -> None:
    setup = build(
        override(load_config("reef"), [Setting(("graph",), {"kind": "star", "centre": 2})])
    )
    graph = setup.environment().graph("see")
    assert [graph.neighbours(0, seat).tolist() for seat in range(3)] == [[2], [2], [0, 1]]
    assert [(one.sort, one.name) for one in setup.plugins] == [
        ("graphs", "star"),
        ("scenarios", "reef"),
    ]
    assert embedders.embedder("letters").embed(["abba"])[0, :2].tolist() == pytest.approx(
        [0.7071, 0.7071], abs=1e-4
    )


@pytest.mark.usefixtures("installed")
def test_a_perturbation_of_a_package_is_used_by_name_and_kept_with_its_version() -> None:
    talk = {
        "perturbation": "tides",
        "cohorts": [{"name": "diver", "count": 3, "components": ["language_policy"]}],
    }
    setup = build(load_config("reef", talk))
    assert ("perturbations", "tides") in [(one.sort, one.name) for one in setup.plugins]
    [words] = first_prompts(setup).values()
    assert "The tide is low." in words


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings("ignore::society.errors.ProgramWarning")
def test_audits_play_the_perturbations_of_packages_and_leave_out_broken_ones() -> None:
    assert "tides" in choose_perturbations()
    assert "ebbs" not in choose_perturbations()
    with pytest.raises(PartError, match=r"brings 'ebbs' .* is called 'tides'; expected a Pert"):
        find_perturbation("ebbs")


@pytest.mark.usefixtures("installed")
def test_a_name_that_society_has_is_refused_where_it_is_used() -> None:
    with pytest.raises(
        CatalogueError, match=r"reef-kit 1.2 brings the component 'persona', and"
    ) as e:
        registry.Registry().component("persona")
    assert "uninstall the package, or rename its entry point" in str(e.value)


@pytest.mark.usefixtures("installed")
def test_a_broken_entry_point_is_named_with_its_package() -> None:
    with pytest.raises(PartError, match=r"brings 'gone' .* importing reef_kit.nowhere:Gone"):
        registry.Registry().component("gone")
    with pytest.raises(PartError, match=r"'misnamed', but .* is called 'half_catch'"):
        registry.Registry().component("misnamed")


@pytest.mark.usefixtures("installed")
def test_lists_leave_out_what_is_broken_and_say_so() -> None:
    registry._found_in_packages.cache_clear()
    with pytest.warns(ProgramWarning) as said:
        found = registry.components()
    assert "half_catch" in found
    assert {"gone", "misnamed"}.isdisjoint(found)
    assert sorted(str(one.message).split("'")[1] for one in said) == ["gone", "misnamed", "persona"]


@pytest.mark.usefixtures("installed")
def test_a_model_that_no_package_brings_is_refused() -> None:
    with pytest.raises(InputError, match=r"no .* package brings a model 'frugale'; did you mean"):
        registry.Registry().model("plugin:frugale")


@pytest.mark.thorough
def test_the_command_line_finds_what_is_installed(installed: Path, tmp_path: Path) -> None:
    here = {**os.environ, "PYTHONPATH": str(installed)}

    def run(*words: str) -> str:
        call = [sys.executable, "-m", "society", *words]
        done = subprocess.run(
            call, capture_output=True, text=True, env=here, cwd=tmp_path, check=True
        )
        return done.stdout

    assert json.loads(run("list", "graphs", "--json"))["graphs"]["star"]["origin"] == "reef-kit 1.2"
    words = "scenario: reef\ncohorts: [{name: diver, count: 3, components: [language_policy]}]\n"
    (tmp_path / "talk.yaml").write_text(words)
    assert "The reef holds 90.0 fish." in run("prompts", "talk.yaml")
    run("run", "talk.yaml", "--model", "plugin:frugal", "--quiet", "--out", "a.run")
    assert json.loads(run("show", "a.run", "--json"))["measures"]["left"]["mean"] == 72  # 90 - 18
    run("verify", "a.run")
