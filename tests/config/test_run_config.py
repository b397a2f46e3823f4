"""What a user says about minds: models, limits and prompts, in files and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from society.config.build import Society, build
from society.config.run_config import (
    RunConfig,
    load_config,
    option_settings,
    override,
    parse_setting,
)
from society.engine.calls import Spent
from society.errors import InputError, ScenarioError
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import Limits, ModelSpec

MODEL = """
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

def parrot():
    return GenericFakeChatModel(messages=iter([]))
"""
JUDGED = """\
scenario: fishing_village
models:
  judge: {model: offline, temperature: 0.5}
cohorts:
  - name: villagers
    count: 2
    replace:
      punishment: {language_policy: {model: judge}}
"""

Study = Callable[[str], Path]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """`study(text)` writes study/a.yaml beside a model, prompts and a tape; we are elsewhere."""
    folder = tmp_path / "study"
    (folder / "pack" / "language_village").mkdir(parents=True)
    (folder / "pack" / "language_village" / "effort.md").write_text("How hard? {{ hint }}")
    (folder / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)

    def written(text: str) -> Path:
        (folder / "a.yaml").write_text(text)
        return folder

    return written


def with_options(spec: RunConfig, **said: Any) -> RunConfig:
    """Overridden by options of the command line."""
    return override(spec, option_settings(said))


def setting(spec: RunConfig, name: str = "default") -> Mapping[str, Any]:
    """Return the settings of one model that differ from the defaults."""
    return spec.models[name].model_dump(exclude_defaults=True)


# Files


def test_a_model_may_be_a_name_alone_or_have_settings() -> None:
    models = {"default": "openai/gpt-4o", "judge": {"model": "offline", "temperature": 0}}
    spec = load_config("language_village", {"models": models})
    assert setting(spec) == {"model": "openai/gpt-4o"}
    assert setting(spec, "judge") == {"temperature": 0.0}


def test_limits_and_prompts_are_part_of_a_scenario_file(study: Study) -> None:
    folder = study("scenario: language_village\nprompts: pack\nlimits: {max_calls: 9, max_cost: 2}")
    spec = load_config("study/a.yaml")
    assert spec.limits == Limits(max_calls=9, max_cost=2.0)
    assert build(spec).words.folders[0] == folder / "pack"


def test_tapes_functions_and_prompts_lie_beside_the_file_that_names_them(study: Study) -> None:
    folder = study("""\
scenario: language_village
prompts: pack
models:
  default: model.py:parrot
  old: tape:old.run
  other: {model: "tape:../other.run"}
""")
    spec = load_config("study/a.yaml")
    assert setting(spec) == {"model": f"{folder}/model.py:parrot"}
    assert setting(spec, "old") == {"model": f"tape:{folder}/old.run"}
    assert Path(setting(spec, "other")["model"].removeprefix("tape:")).resolve() == (
        folder.parent / "other.run"
    )
    assert spec.prompts == str(folder / "pack")


def test_a_model_may_be_a_function_of_the_user(study: Study) -> None:
    study("scenario: language_village\nmodels: {default: model.py:parrot}\n")
    setup = build(load_config("study/a.yaml"))
    assert [Path(name).name for name in setup.models] == ["model.py:parrot"]
    assert [Path(file).name for file in setup.files] == ["model.py"], "its hash is kept"
    assert isinstance(setup.minds(), ModelPool)


def test_a_run_is_set_up_again_from_anywhere(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = study("scenario: language_village\nmodels: {default: model.py:parrot}\nprompts: pack")
    spec = load_config("study/a.yaml")
    kept = spec.model_dump(mode="json")
    monkeypatch.chdir("/")
    again = build(RunConfig.model_validate(kept))
    assert again.spec.model_dump() == spec.model_dump()
    assert again.words.folders[0] == folder / "pack"


WRONG = [
    ("models: {default: 3}", "v.yaml:2:19 models.default: got 3; expected text or a mapping"),
    ("models: {default: {modle: x}}", "models.default.modle: there is no key 'modle'; did you"),
    ("models: {default: {temperature: 3}}",
     "v.yaml:2:33 models.default.temperature: got 3; expected a number from 0 to 2"),
    ("models: {default: {api_key: sk-123456}}", "models.default.api_key: there is no key"),
    ("models: {default: none.py:f}", "models.default.model: cannot read none.py: No such file"),
    ("models: {default: model.py:f}", "v.yaml:2:19 models.default.model: there is no function"),
    ("models: {default: {api_base: 'http://here'}}",
     "v.yaml:2:19 models.default: a server is given, but the model is 'offline'"),
    ("models: {default: {model: m, api_base: 'http://me:secret@here'}}",
     "models.default.api_base: holds a user, password or query"),
    ("limits: {max_cost: -1}", "v.yaml:2:20 limits.max_cost: got -1; expected a number above 0"),
    ("limits: {max_cots: 1}", "limits.max_cots: there is no key 'max_cots'; did you mean 'max_co"),
    ("prompts: nowhere", "v.yaml:2:10 prompts: there is no folder nowhere; name one with prompt"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_is_said_with_its_place_and_what_would_be_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)
    Path("v.yaml").write_text(f"scenario: language_village\n{text}\n")
    with pytest.raises(ScenarioError) as refused:
        build(load_config("v.yaml"))
    assert words in str(refused.value)
    assert "sk-123456" not in str(refused.value)
    assert "secret" not in str(refused.value)


# The command line


def test_the_command_line_changes_what_it_names_and_leaves_the_rest() -> None:
    said = {"model": "openai/gpt-4o", "temperature": 0.5, "concurrency": 4}
    spec = load_config(
        "language_village", {"models": {"default": said}, "limits": {"max_calls": 9}}
    )
    again = with_options(spec, model="openai/mini", max_concurrency=2, max_cost=1.5)
    assert setting(again) == {"model": "openai/mini", "temperature": 0.5, "concurrency": 2}
    assert again.limits == Limits(max_calls=9, max_cost=1.5)
    assert with_options(spec) == spec


def test_what_is_set_of_a_model_finds_it_by_its_longest_name() -> None:
    """A name may have dots, and another one may begin it."""
    models = {"gpt-5": "offline", "gpt-5.2": "offline"}
    setting = parse_setting("models.gpt-5.2.temperature=0.5")
    spec = override(load_config("fishing_village", {"models": models}), [setting])
    assert spec.models["gpt-5.2"].temperature == 0.5
    assert spec.models["gpt-5"].temperature != 0.5


def test_where_only_other_models_are_named_the_command_line_speaks_of_all_of_them() -> None:
    models = {"one": {"model": "m"}, "two": {"model": "n", "api_base": "http://there/v1"}}
    again = with_options(
        load_config("language_village", {"models": models}),
        api_base="http://here/v1",
        max_concurrency=2,
    )
    assert {name: (one.model, one.api_base) for name, one in again.models.items()} == {
        "one": ("m", "http://here/v1"),
        "two": ("n", "http://here/v1"),
    }


def test_what_the_command_line_names_lies_in_the_working_directory(study: Study) -> None:
    folder = study("scenario: language_village\n")
    spec = with_options(load_config("study/a.yaml"), model="tape:b.run", prompts="study/pack")
    assert setting(spec) == {"model": f"tape:{folder.parent}/b.run"}
    assert spec.prompts == str(folder / "pack")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"model": "m", "api_base": "here"}, "--api-base: is not a URL; expected one"),
        ({"prompts": "nowhere"}, "--prompts: there is no folder nowhere"),
        ({"model": "none.py:f"}, "--model: cannot read none.py"),
    ],
)
def test_a_wrong_flag_is_quoted(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        build(with_options(load_config("language_village"), **given))
    assert str(refused.value).startswith(words)


# Who asks whom


def named(setup: Society) -> tuple[str, set[str]]:
    return setup.scenario.name, setup.models_named


def test_the_fishing_village_of_language_minds_is_the_one_in_words() -> None:
    assert named(build(load_config("fishing_village"))) == ("fishing_village", set())
    spoken = build(with_options(load_config("fishing_village"), model="offline"))
    assert named(spoken) == ("language_village", {"default"})


def test_where_language_minds_are_a_parameter_models_set_it() -> None:
    """Unless something else is said."""
    assert named(build(load_config("donor_game"))) == ("donor_game", set())
    spoken = build(with_options(load_config("donor_game"), model="offline"))
    assert named(spoken) == ("donor_game", {"default"})
    given = load_config("donor_game", {"parameters": {"minds": "rules"}})
    with pytest.raises(ScenarioError, match="no agent in donor_game asks a model"):
        build(with_options(given, model="offline"))


def test_cohorts_of_ones_own_stay_in_the_scenario_that_was_named(study: Study) -> None:
    study(JUDGED)
    setup = build(load_config("study/a.yaml"))
    assert named(setup) == ("fishing_village", {"judge"})
    assert setup.gamemaster().play().ledger[0].component == "language_policy"


def test_models_that_nobody_asks_are_refused() -> None:
    cohorts = [{"name": "rules", "count": 2}]
    spec = load_config("fishing_village", {"models": {"default": "offline"}, "cohorts": cohorts})
    with pytest.raises(
        ScenarioError, match="no agent in fishing_village asks a model; add the comp"
    ):
        build(spec)


def test_models_that_nobody_asks_are_refused_where_they_are_named(study: Study) -> None:
    study(
        "scenario: fishing_village\nparameters: {growth: 0.5}\nmodels: {default: offline}\n"
        "cohorts: [{name: rules, count: 2}]\n"
    )
    with pytest.raises(ScenarioError, match=r"a\.yaml:3:\d+ models: no agent in fishing_village"):
        build(load_config("study/a.yaml"))


def test_a_model_of_the_command_line_that_nobody_asks_is_refused_there(study: Study) -> None:
    """Cohorts whose models have names of their own ask none of --model."""
    mixed = with_options(load_config("donor_language_mixed_minds"), model="offline")
    with pytest.raises(ScenarioError, match=r"^--model: no component asks the model default"):
        build(mixed)


def test_without_anybody_who_asks_there_are_no_minds() -> None:
    assert build(load_config("fishing_village", {"limits": {"max_calls": 1}})).minds() is None


def test_limits_that_nobody_could_keep_are_refused_before_play() -> None:
    models = {"default": ModelSpec(model="m", api_base="http://here").model_dump()}
    setup = build(load_config("language_village", {"models": models, "limits": {"max_cost": 1}}))
    with pytest.raises(InputError, match="--max-cost cannot be kept: the price of 'm' is unknown"):
        setup.minds()
    setup = build(load_config("language_village", {"limits": {"max_cost": 1}}))
    with pytest.raises(InputError, match="--max-cost cannot be kept: nobody knows what"):
        setup.minds(Spent(3, 9, None))
