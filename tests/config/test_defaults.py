"""Defaults of a project: what its file says holds where nobody else says anything."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from society.config.build import build
from society.config.defaults import find_defaults
from society.config.run_config import (
    RunConfig,
    load_config,
    option_settings,
    override,
    parse_settings,
)
from society.errors import InputError
from society.runs.fork import Changes, plan_fork
from society.runs.runfile import open_run_file


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def filled(name: str, *texts: str) -> RunConfig:
    return find_defaults().fill(override(load_config(name), parse_settings(texts)))


def test_a_file_gives_the_model_limits_and_rates_of_language_agents(here: Path) -> None:
    (here / "society.toml").write_text(
        'model = "openai/gpt-4o-mini"\n[limits]\nmax_cost = 2.5\nrequests_per_minute = 60\n'
    )
    spec = filled("language_village")
    assert spec.models["default"].model == "openai/gpt-4o-mini"
    assert spec.models["default"].requests_per_minute == 60
    assert spec.limits.max_cost == 2.5


def test_what_somebody_says_goes_before_the_file(here: Path) -> None:
    (here / "society.toml").write_text('model = "openai/other"\nlimits = {max_cost = 2.5}\n')
    said = option_settings({"model": "offline", "max_cost": None})
    spec = find_defaults().fill(override(load_config("language_village"), said))
    assert (spec.models["default"].model, spec.limits.max_cost) == ("offline", None)


def test_a_default_model_makes_no_rule_agents_into_language_agents(here: Path) -> None:
    (here / "society.toml").write_text('model = "openai/gpt-4o-mini"\n')
    assert filled("fishing_village").models == {}
    assert filled("stag_hunt").models == {}


def test_the_nearest_file_above_counts_and_society_toml_goes_first(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "pyproject.toml").write_text("[tool.society.limits]\nmax_calls = 7\n")
    below = here / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert find_defaults().limits() == {"max_calls": 7}
    (here / "a" / "pyproject.toml").write_text("[project]\nname = 'mine'\n")
    assert find_defaults().limits() == {"max_calls": 7}, "that file says nothing about society"
    (here / "society.toml").write_text("[limits]\nmax_calls = 8\n")
    assert find_defaults().limits() == {"max_calls": 8}


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("society.toml", "\nmodle = 'x'\n", "society.toml:2 modle: .*did you mean 'model'"),
        ("society.toml", "[limits]\nmax_cots = 1\n", "society.toml:2 .*did you mean 'max_cost'"),
        ("society.toml", "[limits]\nmax_cost = -1\n", "society.toml:2 limits.max_cost: .*above 0"),
        ("society.toml", "model = \n", "society.toml is not valid TOML"),
        (
            "pyproject.toml",
            "[tool.society]\nout = 3\n",
            "pyproject.toml:2 out: ",
        ),
    ],
)
def test_a_mistake_in_the_file_is_refused_with_its_line(
    file: str, text: str, words: str, here: Path
) -> None:
    (here / file).write_text(text)
    with pytest.raises(InputError, match=words):
        find_defaults()


def test_runs_go_to_the_folder_of_the_file_and_their_manifest_keeps_the_limits(
    typed: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "society.toml").write_text('out = "results"\n[limits]\nmax_calls = 500\n')
    short = ("run", "fishing_village", "--rounds", 2, "--quiet")
    assert typed(*short).code == 0
    assert typed(*short).code == 0
    files = sorted(path.name for path in (tmp_path / "results" / "runs").iterdir())
    assert files == ["fishing_village-1-2.run", "fishing_village-1.run"], "none is overwritten"
    with open_run_file(tmp_path / "results" / "runs" / files[1]) as run:
        assert run.manifest.spec["limits"]["max_calls"] == 500


def test_verbose_runs_say_which_file_gave_a_value(
    here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (here / "society.toml").write_text("[limits]\nmax_calls = 500\n")
    with caplog.at_level(logging.INFO, logger="society"):
        filled("fishing_village", "growth=0.3")
    assert "limits.max_calls: from society.toml:2" in caplog.text
    assert "parameters.growth: from --set growth=0.3" in caplog.text


def test_limits_of_the_file_hold_for_a_sweep_as_a_whole(
    typed: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "society.toml").write_text("[limits]\nmax_calls = 1\n")
    (tmp_path / "two.yaml").write_text(
        "base: language_village\nrounds: 1\nfactors: {growth: [0.2, 0.3]}\n"
    )
    assert typed("sweep", "two.yaml", "--quiet").code == 3


def test_a_file_that_begins_with_a_byte_order_mark_is_read(here: Path) -> None:
    (here / "society.toml").write_text('out = "results"\n', encoding="utf-8-sig")
    assert find_defaults().folder("runs") == Path("results/runs")


@pytest.mark.parametrize("text", ["[tool]\nsociety = {outs = 'x'}\n", '[tool."society"]\nouts = 1'])
def test_every_spelling_of_the_section_is_read(here: Path, text: str) -> None:
    (here / "pyproject.toml").write_text(text)
    with pytest.raises(InputError, match="there is no key 'outs'; did you mean 'out'"):
        find_defaults()


def test_a_section_that_is_no_table_is_refused(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool]\nsociety = 3\n")
    with pytest.raises(InputError, match=r"pyproject.toml: tool.society: got 3; expected a table"):
        find_defaults()


def test_a_tool_that_is_no_table_is_another_program_s(here: Path) -> None:
    (here / "pyproject.toml").write_text("tool = 3  # tool.society\n")
    assert find_defaults().values.out is None


def test_a_folder_in_place_of_the_file_is_refused(here: Path) -> None:
    (here / "society.toml").mkdir()
    with pytest.raises(InputError, match=r"society.toml is not a file"):
        find_defaults()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["limits"]\n"max_cost" = -1\n', r"society.toml:2 limits.max_cost: got -1"),
        ("['limits']\n'max_cost' = -1\n", r"society.toml:2 limits.max_cost: got -1"),
        ("\n[[limits]]\nmax_cost = 1\n", r"society.toml:2 limits: got"),
        ('"max cost" = 1\n', r"society.toml:1 max cost: there is no key"),
    ],
)
def test_quoted_keys_and_lists_of_tables_have_their_line(here: Path, text: str, words: str) -> None:
    (here / "society.toml").write_text(text)
    with pytest.raises(InputError, match=words):
        find_defaults()


def test_a_message_offers_no_value_that_toml_lacks(here: Path) -> None:
    (here / "society.toml").write_text("[limits]\nmax_cost = -1\n")
    with pytest.raises(InputError, match=r"max_cost: got -1; expected a number above 0$"):
        find_defaults()


def test_a_setting_lifts_a_limit_of_the_file(here: Path) -> None:
    (here / "society.toml").write_text("[limits]\nmax_cost = 2.5\n")
    assert filled("fishing_village").limits.max_cost == 2.5
    assert filled("fishing_village", "limits.max_cost=none").limits.max_cost is None


def test_a_file_gives_the_embedder_of_scenarios_that_have_one(here: Path) -> None:
    (here / "society.toml").write_text('embedder = "hashing"\n')
    assert filled("language_village").parameters["norm_embedder"] == "hashing"
    said = filled("language_village", "norm_embedder=minilm")
    assert said.parameters["norm_embedder"] == "minilm"
    assert filled("fishing_village").parameters == {}


MEMORY = {"name": "reader", "count": 2, "components": ["recall", "language_policy"]}


def test_a_file_gives_the_embedder_of_memories_that_name_none(here: Path) -> None:
    (here / "society.toml").write_text('embedder = "minilm"\n')
    reading = {"agents": 2, "cohorts": [MEMORY]}
    spec = find_defaults().fill(load_config("stag_hunt", reading))
    assert spec.embedder == "minilm"
    assert build(spec).environment().embedder == "minilm"
    named: dict[str, Any] = {"recall": {"kind": "associative", "embedder": "hashing"}}
    reading["cohorts"] = [{**MEMORY, "components": [named, "language_policy"]}]
    assert find_defaults().fill(load_config("stag_hunt", reading)).embedder is None


def test_a_memory_of_a_default_cast_has_the_embedder_of_the_file(here: Path) -> None:
    (here / "society.toml").write_text('embedder = "minilm"\n')
    assert filled("haggling").embedder == "minilm"
    assert filled("haggling", "embedder=hashing").embedder == "hashing"
    assert filled("fishing_village").embedder is None, "nothing embeds there"


def test_a_file_gives_the_embedder_of_strategies_that_generations_devise(here: Path) -> None:
    (here / "society.toml").write_text('embedder = "hashing"\n')
    given: dict[str, Any] = {"strategies": "advice", "fitness": "final"}
    around = {"parameters": {"games": 1}, "mechanisms": [{"generations": given}]}
    assert find_defaults().fill(load_config("donor_game", around)).embedder == "hashing"
    given["embedder"] = "minilm"
    assert find_defaults().fill(load_config("donor_game", around)).embedder is None


def test_an_embedder_of_a_scenario_file_is_found_from_its_folder(here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "talk.yaml").write_text("scenario: haggling\nembedder: own.py:embed\n")
    assert load_config("mine/talk.yaml").embedder == f"{here / 'mine' / 'own.py'}:embed"
    with pytest.raises(InputError, match=r"embedder=hushing: got 'hushing'; expected hashing, mi"):
        filled("haggling", "embedder=hushing")


def test_a_run_goes_on_and_is_verified_with_its_embedder_whatever_the_file_says_later(
    here: Path, typed: Callable[..., Any]
) -> None:
    (here / "own.py").write_text(OWN_EMBEDDER)
    (here / "society.toml").write_text('embedder = "own.py:embed"\n')
    (here / "talk.yaml").write_text(ASSOCIATING)
    assert typed("run", "talk.yaml", "--max-calls", 3, "--out", "a.run", "--quiet").code == 3
    (here / "society.toml").unlink()
    assert typed("resume", "a.run", "--max-calls", "none", "--quiet").code == 0
    assert typed("verify", "a.run").code == 0
    with open_run_file(here / "a.run") as run:
        assert run.manifest.spec["embedder"] == f"{here / 'own.py'}:embed"
        assert [name.partition(" ")[0] for name in run.embedders()] == ["own.py:embed"]


OWN_EMBEDDER = """
class Counts:
    def embed_documents(self, texts):
        return [[1.0 + text.count("a"), 1.0 + text.count("e")] for text in texts]

def embed():
    return Counts()
"""
ASSOCIATING = """
scenario: stag_hunt
agents: 2
models: {default: offline}
cohorts:
- {name: reader, count: 2, components: [recall: {kind: associative}, language_policy]}
mechanisms: [repetition: {games: 3}]
"""


def test_an_embedder_that_is_none_is_refused_with_its_line(here: Path) -> None:
    (here / "society.toml").write_text('embedder = "hushing"\n')
    with pytest.raises(InputError, match=r"society.toml:1 parameters.norm_embedder: got 'hushing'"):
        build(filled("language_village"))


def test_an_embedder_in_a_file_is_found_from_the_folder_of_the_defaults(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "society.toml").write_text('embedder = "mine.py:embed"\n')
    (here / "below").mkdir()
    monkeypatch.chdir(here / "below")
    given = filled("language_village").parameters["norm_embedder"]
    assert given == f"{here / 'mine.py'}:embed"


SHORT = ("--rounds", 2, "--agents", 2, "--set", "norm_embedder=hashing", "--quiet")


@pytest.fixture
def paused(typed: Callable[..., Any], tmp_path: Path) -> Path:
    """A run of the offline mind that has stopped after three calls, and then a file of defaults."""
    given = ("run", "language_village", *SHORT, "--max-calls", 3, "--out", "a.run")
    assert typed(*given).code == 3
    (tmp_path / "society.toml").write_text("[limits]\nmax_calls = 4\nmax_tokens = 9000\n")
    return tmp_path


def test_a_resumed_run_takes_limits_that_neither_it_nor_the_command_gives(
    typed: Callable[..., Any], paused: Path
) -> None:
    said = typed("resume", "a.run", "-v", "--quiet")
    assert said.code == 3, "max_calls stays that of the run"
    assert "limits.max_tokens: from society.toml:3" in said.err
    assert "limits.max_calls: from" not in said.err
    lifted = typed("resume", "a.run", "--max-calls", "none", "--max-tokens", 10, "--quiet")
    assert "max-tokens" in lifted.err, "the command goes before the file"
    assert typed("resume", "a.run", "--max-calls", "none", "--max-tokens", "none").code == 0


def test_forks_and_interviews_take_limits_and_say_where_from(
    typed: Callable[..., Any], paused: Path
) -> None:
    (paused / "society.toml").unlink()
    for limit in ("calls", "tokens"):
        assert typed("run", "language_village", *SHORT, "--out", f"{limit}.run").code == 0
        (paused / "society.toml").write_text(f"[limits]\nmax_{limit} = 1\n")
        fork = typed("fork", f"{limit}.run", "--at", 1, "--fresh", "-v", "--quiet")
        asked = typed("interview", f"{limit}.run", "--at", 2, "--ask", "Why?", "-v")
        assert (fork.code, asked.code) == (3, 3)
        for said in (fork, asked):
            assert f"limits.max_{limit}: from society.toml:2" in said.err
        (paused / "society.toml").unlink()


def test_a_fork_keeps_the_models_of_its_run(typed: Callable[..., Any], tmp_path: Path) -> None:
    assert typed("run", "language_village", *SHORT, "--out", "a.run").code == 0
    (tmp_path / "society.toml").write_text('model = "gpt-none"\n')
    with open_run_file("a.run") as run:
        planned = plan_fork(run, 1, Changes(defaults=find_defaults()))
    assert planned.same
    assert planned.setup.spec.models == {}


def test_prompts_are_those_of_a_run_with_the_defaults(
    typed: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "society.toml").write_text('embedder = "hashing"\n')
    said = typed("prompts", "language_village", "--question", "effort", "-v")
    assert said.code == 0
    assert "parameters.norm_embedder: from society.toml:1" in said.err
