"""Names of former times that still work, with a warning that says the new one."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import society
from society import former_names
from society.config.build import build
from society.config.registry import Registry, resolve_reference
from society.config.run_config import Setting, load_config, override
from society.engine.action_spaces import Real
from society.engine.environment import Environment
from society.engine.scenario import DisplaySpec, Finding, PostAnalysis, mechanism, scenario
from society.engine.script import VOID_REPLICATE, Ask, Script
from society.errors import InputError

# All public names of the modules that there were before the house was rebuilt, but for those of
# reports: a module and a name on each line.
FORMER = [
    tuple(line.split())
    for line in (Path(__file__).parent / "former_names.txt").read_text().splitlines()
]

# What there is no more: "*" where nothing of a module is left.
GONE: Mapping[str, Mapping[str, str]] = {
    "a model is found among the levels of an experiment": {"society.claims": "asked"},
    "claims, findings and trials of reproduced papers are data files, their estimators are named": {
        "society.scenarios.dilemma_by_rule": "*",
        "society.scenarios.dilemma_cells": "*",
        "society.scenarios.dilemma_in_words": "*",
        "society.scenarios.dilemma_paper": "JUDGING TRIALS claims dilemmas",
        "society.scenarios.dilemma_theory": "claims",
        "society.scenarios.donor": "FEW JUDGING TRIALS claims donor",
        "society.scenarios.donor_ablations": "*",
        "society.scenarios.donor_by_rule": "*",
        "society.scenarios.donor_changes": "CHANGES",
        "society.scenarios.donor_courses": "*",
        "society.scenarios.donor_in_words": "*",
        "society.scenarios.donor_invasions": "*",
        "society.scenarios.donor_punishment": "*",
        "society.scenarios.donor_strategies": "*",
        "society.scenarios.donor_theory": "claims",
        "society.scenarios.village": "CHANGED JUDGING READINGS SETS claims trials village",
        "society.scenarios.village_ablations": "ABLATED ABLATIONS MODELS claims",
        "society.scenarios.village_courses": "*",
        "society.scenarios.village_fading": "*",
        "society.scenarios.village_fines": "MODERATE claims strengthened",
        "society.scenarios.village_in_words": "*",
        "society.scenarios.village_variance": "*",
    },
    "one function overrides a configuration, whatever its settings come from": {
        "society.commands.runs": "minds_given",
        "society.lab.bases": "*",
        "society.scenario_file": "changed told",
    },
    "one function plays a society, and resumes what is in its file": {"society.runs.resume": "*"},
    "a play is an object that says who succeeds whom": {"society.wrap": "succeeds"},
    "functions that no scenario or component needs are called after what they do": {
        "society.errors": "blamed brief nearest",
        "society.lineage": "descent generations",
        "society.lineage.lives": "descent",
        "society.prompts": "graphs_of",
        "society.runs.manifest": "versions",
        "society.runs.reader": "open_run",
        "society.runs.runfile": "open_run",
    },
    "folders of these names stand there now": {
        "society.scenarios.mechanisms": "generations tournament"
    },
    "types that only annotate": {
        "society.components.recall": "OwnFunction",
        "society.lab.crossplay.crossplay": "Rows",
        "society.memory.norm_space": "Labels",
    },
    "a folder has a module of this name": {"society.cli": "main"},
    "types, constants and steps of an implementation that has been written anew": {
        "society.callbook": "read",
        "society.components.language": "MOST_CUTS",
        "society.lab.crossplay.rounds": "Round rounds",
        "society.lab.evolution.rows": "NUMBER biases changes gathered laid",
        "society.lab.study.details": "Agents Events Gathered Quotes",
        "society.reading": "Legible",
        "society.runs.drafting": "DRAFTED",
        "society.scenarios.contracts": "ByAction ByAmount",
        "society.scenarios.mediators": "ByCount BySeat ByShare",
        "society.scenarios.dilemmas": "TWO",
        "society.scenarios.traces": "blank",
        "society.talk": "Archive",
        "society.wrap": "P",
    },
}


def gone() -> set[tuple[str, str]]:
    everything: dict[str, list[str]] = {}
    for module, name in FORMER:
        everything.setdefault(module, []).append(name)
    return {
        (module, name)
        for group in GONE.values()
        for module, names in group.items()
        for name in (everything[module] if names == "*" else names.split())
    }


def resolves(module: str, name: str) -> bool:
    try:
        found = getattr(import_module(module), name)
    except (ModuleNotFoundError, AttributeError):
        return False
    return not isinstance(found, ModuleType)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_former_name_is_found_or_is_known_to_be_gone() -> None:
    lost = {(module, name) for module, name in FORMER if not resolves(module, name)}
    assert sorted(lost - gone()) == []
    assert sorted(gone() - lost) == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_row_of_the_table_leads_somewhere() -> None:
    for module, (home, names) in former_names._table().items():
        import_module(home)
        for name in names:
            assert resolves(module, name), f"{module}.{name}"


@pytest.fixture
def imported_anew() -> Iterator[None]:
    """Former modules are imported for the first time."""
    before = dict(sys.modules)
    offered = vars(society).pop("scenario", None)
    for name in [
        name for name, module in before.items() if isinstance(module, former_names.FormerModule)
    ]:
        del sys.modules[name]
    yield
    sys.modules.update(before)
    if offered is not None:
        society.scenario = offered


@pytest.mark.usefixtures("imported_anew")
def test_a_former_name_warns_once_with_the_new_import() -> None:
    words = r"society\.replies\.Amount is .*: from society import Real$"
    with pytest.warns(DeprecationWarning, match=words) as caught:
        exec("from society.replies import Amount\nassert Amount.__name__ == 'Real'")
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec("from society.replies import Amount")


@pytest.mark.usefixtures("imported_anew")
def test_what_the_front_door_offers_is_imported_from_there() -> None:
    with pytest.warns(DeprecationWarning, match=r"write: from society import Component$"):
        exec("from society.agent import Component")


@pytest.mark.usefixtures("imported_anew")
def test_the_former_module_scenario_leaves_the_decorator_in_use() -> None:
    with pytest.warns(DeprecationWarning, match="society.scenario.Params is"):
        exec("from society.scenario import Params")

    def script(env: Environment) -> Script:
        yield society.Tell("over", {})

    made = society.scenario(cast=lambda params, agents: [])(script)
    assert isinstance(made, society.Scenario)
    with pytest.raises(TypeError, match=r"the module society\.talk cannot be called"):
        import_module("society.talk")()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import society.nonsense", "No module named 'society.nonsense'"),
        ("import society.models.nonsense", "No module named 'society.models.nonsense'"),
        ("from society.replies import nonsense", "cannot import name 'nonsense'"),
    ],
)
def test_what_never_was_is_missing_as_ever(line: str, words: str) -> None:
    with pytest.raises(ImportError, match=words):
        exec(line)


def test_the_table_is_read_when_a_former_name_is_asked_for() -> None:
    code = "import society, sys; society.Component; print('society.former_names' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some things had other names once."""
    table = {
        "scenario": {"trusting": "trust"},
        "component": {"gambits": "classic_strategies"},
        "mechanism": {"iterated": "repetition"},
        "parameter": {
            "repetition.matches": "games",
            "classic_strategies.plan": "strategy",
            "trust.gain": "factor",
        },
    }
    monkeypatch.setattr(former_names, "RENAMED", table)
    former_names._warn_once.cache_clear()


@pytest.mark.usefixtures("renamed")
def test_a_scenario_file_may_say_former_names() -> None:
    part = {"gambits": {"plan": "always_defect"}}
    said = {
        "mechanisms": [{"iterated": {"matches": 3}}],
        "cohorts": [{"name": "all", "count": 2, "components": [part]}],
    }
    with pytest.warns(DeprecationWarning, match="write that") as caught:
        old = build(load_config("trusting", said))
    told = "\n".join(str(one.message) for one in caught)
    for words in (
        "the scenario 'trusting' is called 'trust' now; write that",
        "the component 'gambits' is called 'classic_strategies' now; write that",
        "the mechanism 'iterated' is called 'repetition' now; write that",
        "the parameter 'repetition.matches' is called 'games' now; write that",
        "the parameter 'classic_strategies.plan' is called 'strategy' now; write that",
    ):
        assert told.count(words) == 1
    part = {"classic_strategies": {"strategy": "always_defect"}}
    said = {
        "mechanisms": [{"repetition": {"games": 3}}],
        "cohorts": [{"name": "all", "count": 2, "components": [part]}],
    }
    new = build(load_config("trust", said))
    assert old.gamemaster().play().digest == new.gamemaster().play().digest


@pytest.mark.usefixtures("renamed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_setting_may_say_the_former_name_of_a_mechanism() -> None:
    spec = load_config("trust", {"mechanisms": ["repetition"]})
    changed = override(spec, [Setting("mechanisms.iterated.games", 4)])
    assert changed.mechanisms == [{"repetition": {"games": 4}}]
    spec = load_config("trust", {"mechanisms": ["iterated"]})
    changed = override(spec, [Setting("mechanisms.repetition.games", 4)])
    assert changed.mechanisms == [{"iterated": {"games": 4}}]


@pytest.mark.usefixtures("renamed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_is_the_users_own_outweighs_a_former_name() -> None:
    @society.mechanism
    def iterated(play: object) -> object:
        """Do nothing."""
        return play

    assert Registry([iterated]).mechanism("iterated") is iterated
    assert Registry().mechanism("iterated").name == "repetition"
    assert resolve_reference("trusting") == "trusting"  # no preset: looked up among scenarios


@pytest.mark.usefixtures("renamed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_prompt_pack_may_say_former_names(tmp_path: Path) -> None:
    for name in ("iterated/terms.md", "trusting/iterated/terms.md", "trusting/nonsense.md"):
        file = tmp_path / "pack" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"words of {name}")
    said = {
        "mechanisms": ["repetition"],
        "cohorts": [{"name": "all", "count": 2, "components": ["language_policy"]}],
        "prompts": str(tmp_path / "pack"),
    }
    with pytest.raises(InputError, match=r"nonsense\.md is not a prompt of trust"):
        build(load_config("trust", said))
    (tmp_path / "pack" / "trusting" / "nonsense.md").unlink()
    words = build(load_config("trust", said)).words
    found = words._find("trust/repetition/terms.md")
    assert found == tmp_path / "pack" / "trusting" / "iterated" / "terms.md"
    assert {"repetition/terms.md", "trust/repetition/terms.md"} <= set(words.hashes())


def test_a_question_still_takes_its_fallback_as_otherwise() -> None:
    with pytest.warns(DeprecationWarning, match=r"Ask\('bid', otherwise=...\) is now .*fallback="):
        ask = Ask("bid", Real(0, 9), otherwise=VOID_REPLICATE)
    assert ask.fallback is VOID_REPLICATE


def test_a_changed_question_keeps_its_fallback() -> None:
    ask = Ask("bid", Real(0, 9), fallback=3)
    assert replace(ask, kind="offer").fallback == 3
    assert replace(ask, fallback=4).fallback == 4


def test_former_keywords_of_decorators_still_work_and_say_the_new_ones() -> None:
    former_names._warn_once.cache_clear()

    def day(env: Environment) -> Script:
        yield Ask("work", Real())

    def found(after: PostAnalysis) -> list[Finding]:
        return []

    shown = DisplaySpec(levels=("day",))
    former: Any = {"stage": shown, "in_words": "evening", "afterword": found}
    with pytest.warns(DeprecationWarning, match="called 'display' now"):
        made = scenario(cast=lambda params, agents: [], **former)(day)
    assert (made.name, made.display, made.language_variant) == ("day", shown, "evening")
    assert made.post_analysis is found
    with pytest.warns(DeprecationWarning, match="called 'post_analysis' now"):
        spec = mechanism(**{name: former[name] for name in ["afterword"]})(lambda play: play)
    assert [spec.post_analysis] == [former["afterword"]]
