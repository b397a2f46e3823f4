"""Experiment files: what they may say, and what is said about those that cannot be played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.errors import InputError
from society.experiments.experiment import Experiment, read_experiment
from society.runs.runfile import open_run_file

if TYPE_CHECKING:
    from tests.conftest import Typed, Written

    Read = Callable[[str], Experiment]


@pytest.fixture
def read(written: Written) -> Read:
    """An experiment file with these lines."""
    return lambda text: read_experiment(Path(written("e.yaml", text)))


def test_factors_are_crossed_and_each_condition_is_named_after_its_levels(read: Read) -> None:
    found = read("""
base: fishing_village
factors:
  fine: [2, 10.5]
  lake: {harsh: {growth: 0.2, capacity: 50}, rich: {growth: 0.6}}
""")
    assert [(one.name, one.file) for one in found.conditions] == [
        ("fine=2,lake=harsh", "fine=2,lake=harsh.run"),
        ("fine=2,lake=rich", "fine=2,lake=rich.run"),
        ("fine=10.5,lake=harsh", "fine=10.5,lake=harsh.run"),
        ("fine=10.5,lake=rich", "fine=10.5,lake=rich.run"),
    ]
    assert [one.factors for one in found.conditions][1] == {"fine": 2, "lake": "rich"}
    assert [one.setup.spec.parameters for one in found.conditions] == [
        {"fine": 2, "growth": 0.2, "capacity": 50},
        {"fine": 2, "growth": 0.6},
        {"fine": 10.5, "growth": 0.2, "capacity": 50},
        {"fine": 10.5, "growth": 0.6},
    ]
    assert found.levels == {"fine": (2, 10.5), "lake": ("harsh", "rich")}


def test_conditions_can_be_listed_by_name(read: Read) -> None:
    found = read("base: fishing_village\nconditions: {control: , no_fines: {fine: 0}}\n")
    assert [one.name for one in found.conditions] == ["control", "no_fines"]
    assert found.levels == {"condition": ("control", "no_fines")}
    assert found.conditions[0].setup.spec.parameters == {}


@pytest.mark.parametrize("name", ["gpt-5.2", "openai/gpt-5.2", "anthropic/claude-sonnet-4.5"])
def test_names_of_models_may_have_dots(read: Read, name: str) -> None:
    """Beside base, in levels of factors, and where a single setting of one is a factor."""
    found = read(f"""
base: fishing_village
rounds: 1
models: {{"{name}": {{model: offline, temperature: 1}}}}
cohorts: [{{name: "{name}", count: 2, components: [language_policy: {{model: "{name}"}}]}}]
factors:
  models.{name}.temperature: [0, 0.5]
  room: {{small: {{models: {{"{name}": {{max_tokens: 100}}}}}}, usual: }}
  cohorts.{name}.count: [3]
""")
    said = [one.setup.spec for one in found.conditions]
    assert [list(one.models) for one in said] == [[name]] * 4
    assert [one.models[name].temperature for one in said] == [0, 0, 0.5, 0.5]
    assert [one.models[name].max_tokens for one in said][0::2] == [100, 100]
    assert {one.setup.agents for one in found.conditions} == {3}


def test_an_experiment_without_factors_is_one_condition(read: Read) -> None:
    (only,) = read("base: fishing_village\nname: alone\n").conditions
    assert (only.name, only.file, only.factors) == ("alone", "alone.run", {})


def test_what_stands_beside_the_base_holds_for_all_conditions(read: Read) -> None:
    found = read("""
base: fishing_village
seed: 11
replicates: 7
rounds: 9
parameters: {capacity: 50}
graphs: {learn: ring}
graph: complete
factors: {fine: [2, 3]}
""")
    for one in found.conditions:
        spec = one.setup.spec
        assert (spec.seed, spec.replicates, spec.rounds) == (11, 7, 9)
        assert spec.parameters["capacity"] == 50
        assert spec.graphs["learn"].kind == "ring", "what is said of one relation outweighs graph"


def test_a_factor_outweighs_what_stands_beside_the_base(read: Read) -> None:
    text = "base: fishing_village\nparameters: {fine: 1}\nrounds: 3\nfactors: {rounds: [4, 5]}\n"
    assert [one.setup.rounds for one in read(text).conditions] == [4, 5]


BASES = {
    "a name": "fishing_village",
    "a preset": "fishing_village_ring",
    "a file beside the experiment": "villages/own.yaml",
    "a mapping": "{scenario: fishing_village, parameters: {growth: 0.3}}",
}


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_a_base_is_whatever_can_be_run(
    base: str, written: Written, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written("villages/own.yaml", "scenario: fishing_village\nparameters: {growth: 0.3}\n")
    file = Path(written("e.yaml", f"base: {base}\nfactors: {{fine: [2, 3]}}\n"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    first, second = read_experiment(file).conditions
    assert first.setup.scenario.name == "fishing_village"
    assert (first.setup.params.model_dump()["fine"], second.setup.spec.parameters["fine"]) == (2, 3)


def test_the_base_itself_can_be_a_factor(read: Read) -> None:
    found = read(
        "base: fishing_village\nfactors: {base: [fishing_village, language_village_harsh]}"
    )
    assert [(one.name, one.setup.scenario.name) for one in found.conditions] == [
        ("base=fishing_village", "fishing_village"),
        ("base=language_village_harsh", "language_village"),
    ]


def test_every_key_of_a_scenario_file_can_be_a_factor(read: Read, tmp_path: Path) -> None:
    """Here each with one level, which can be seen in the spec."""
    (tmp_path / "pack" / "language_village").mkdir(parents=True)
    template = tmp_path / "pack" / "language_village" / "effort.md"
    template.write_text("How hard? {{ hint }} {{ briefs }}\n")
    (only,) = read("""
base: language_village
cohorts: [{name: altruist, count: 6}, {name: selfish, count: 6}]
factors:
  fine: [3]
  rounds: [4]
  cohorts.altruist.count: [5]
  graph: [ring]
  graphs.learn: [{kind: small_world, neighbours: 4}]
  model: [offline]
  models.default.max_tokens: [64]
  mechanisms: {bare: {mechanisms: []}}
  prompts: [pack]
""").conditions
    spec = only.setup.spec
    assert spec.parameters == {"fine": 3}
    assert (spec.rounds, only.setup.agents) == (4, 11)
    assert spec.cohorts is not None
    assert spec.cohorts[0].count == 5
    assert spec.graph is not None
    assert (spec.graph.kind, spec.graphs["learn"].kind) == ("ring", "small_world")
    assert (spec.models["default"].model, spec.models["default"].max_tokens) == ("offline", 64)
    assert str(spec.prompts).endswith("pack")
    assert only.name == (
        "fine=3,rounds=4,cohorts.altruist.count=5,graph=ring,"
        "graphs.learn=kind small_world neighbours 4,model=offline,models.default.max_tokens=64,"
        "mechanisms=bare,prompts=pack"
    )


def test_agents_can_be_a_factor_if_conditions_share_no_luck(read: Read) -> None:
    """A draw belongs to a seat: with other seats, replicate r is another village."""
    text = "base: fishing_village\nfactors: {agents: [5, 20]}\n"
    found = read(f"{text}random_numbers: independent\n")
    assert [one.setup.agents for one in found.conditions] == [5, 20]
    with pytest.raises(InputError, match="of different size share no random numbers"):
        read(text)


def test_levels_that_differ_in_the_last_digit_are_conditions_of_their_own(read: Read) -> None:
    found = read("base: fishing_village\nfactors: {growth: [0.1234567, 0.12345671, 2.0]}\n")
    assert [one.file for one in found.conditions] == [
        "growth=0.1234567.run",
        "growth=0.12345671.run",
        "growth=2.run",
    ]


def test_factors_may_be_said_in_place_of_none(written: Written) -> None:
    file = Path(written("e.yaml", "base: fishing_village\n"))
    found = read_experiment(file, instead={"factors": {"fine": [2, 3]}})
    assert [one.name for one in found.conditions] == ["fine=2", "fine=3"]


def test_graphs_of_a_base_outweigh_its_graph_in_whatever_order_they_are_said(read: Read) -> None:
    base = "base: {scenario: fishing_village, graphs: {learn: ring}, graph: complete}"
    assert read(base).conditions[0].setup.spec.graphs["learn"].kind == "ring"


def test_a_factor_that_is_more_special_outweighs_another_whatever_comes_first(read: Read) -> None:
    found = read("""
base: fishing_village
factors: {graphs.learn: [ring], graph: [complete], fine: [3], parameters: [{fine: 5, growth: 0.9}]}
""")
    spec = found.conditions[0].setup.spec
    assert spec.graphs["learn"].kind == "ring"
    assert spec.parameters == {"fine": 3, "growth": 0.9}


def test_files_have_plain_names_that_are_as_unique_as_the_conditions(read: Read) -> None:
    found = read("""
base: fishing_village
factors: {lake: {a/b: {growth: 0.2}, a:b: {growth: 0.3}, ä b: {growth: 0.4}, "../x": {fine: 1}}}
""")
    files = [one.file for one in found.conditions]
    assert len(set(files)) == 4
    assert all(file.isascii() and "/" not in file and " " not in file for file in files)
    assert [len(file) <= 100 for file in files] == [True] * 4


def test_the_analysis_takes_what_varies_if_it_is_not_said(read: Read) -> None:
    analysis = read("""
base: fishing_village
factors: {rounds: [5], fine: [2, 3], growth: [0.2, 0.4], capacity: [40, 50]}
""").analysis
    assert (analysis.outcome, analysis.factors, analysis.by) == (
        "survival_time", ["fine", "growth"], ["capacity"],
    )  # fmt: skip


def test_an_analysis_that_is_said_is_kept(read: Read) -> None:
    analysis = read("""
base: fishing_village
factors: {fine: [2, 3], growth: [0.2, 0.4]}
analysis: {outcome: efficiency, factors: [growth], by: []}
""").analysis
    assert (analysis.outcome, analysis.factors, analysis.by) == ("efficiency", ["growth"], [])


WRONG = {
    "an unknown key": (
        "base: fishing_village\nreplicats: 3\n",
        "e.yaml:2:1 replicats: there is no key 'replicats'; did you mean 'replicates'?",
    ),
    "an unknown parameter": (
        "base: fishing_village\nfactors:\n  grwoth: [0.2]\n",
        "e.yaml:3:12 parameters.grwoth: there is no parameter 'grwoth'; did you mean 'growth'?",
    ),
    "several bad values": (
        "base: fishing_village\nfactors:\n  growth: [0.2, fast]\n  lake: {a: {fine: -1}}\n",
        "e.yaml:4:20 parameters.fine: got -1; expected a number of at least 0\n"
        "e.yaml:3:17 parameters.growth: got 'fast'; expected a number from 0 to 3",
    ),
    "a bad value beside the base": (
        "base: fishing_village\nrounds: 0\n",
        "e.yaml:2:9 rounds: got 0; expected a whole number from 1 to 10000000 or none",
    ),
    "a bad value in the base": (
        "base: {scenario: fishing_village, parameters: {growth: x}}\n",
        "e.yaml:1:56 parameters.growth: got 'x'; expected a number from 0 to 3",
    ),
    "two factors that set the same": (
        "base: fishing_village\nfactors:\n  fine: [2]\n  lake: {a: {fine: 3}}\n",
        "e.yaml:4:20: fine is set by two factors, fine and lake; leave it to one of them",
    ),
    "the same by another name": (
        "base: fishing_village\nfactors:\n  fine: [2]\n  parameters.fine: [3]\n",
        "e.yaml:4:21: parameters.fine is set by two factors, fine and parameters.fine; "
        "leave it to one of them",
    ),
    "the same graph by another name": (
        "base: fishing_village\nfactors:\n  graph.learn: [ring]\n  graphs.learn: [complete]\n",
        "e.yaml:4:18: graphs.learn is set by two factors, graph.learn and graphs.learn; "
        "leave it to one of them",
    ),
    "the same model by another name": (
        "base: language_village\n"
        "factors:\n  model.temperature: [0]\n  models.default.temperature: [1]\n",
        "e.yaml:4:32: models.default.temperature is set by two factors, model.temperature and "
        "models.default.temperature; leave it to one of them",
    ),
    "bases with luck of their own": (
        "base: fishing_village\nfactors: {base: [fishing_village, {scenario: fishing_village, "
        "seed: 2}]}\n",
        "e.yaml: conditions with seeds of their own share no random numbers; say seed: N beside "
        "base, or random_numbers: independent",
    ),
    "bases with different numbers of replicates": (
        "base: fishing_village\nrandom_numbers: independent\n"
        "factors: {base: [fishing_village, {scenario: fishing_village, replicates: 2}]}\n",
        "e.yaml: conditions have different numbers of replicates; say replicates: N beside base",
    ),
    "seeds as a factor": (
        "base: fishing_village\nfactors: {seed: [1]}\n",
        "e.yaml:2:18: seed is no factor: random_numbers: independent gives each condition random "
        "numbers of its own",
    ),
    "replicates as a factor": (
        "base: fishing_village\nconditions: {a: {replicates: 3}}\n",
        "e.yaml:2:30: replicates is no factor: all conditions have the same number",
    ),
    "limits as a factor": (
        "base: language_village\nfactors: {limits.max_calls: [3]}\n",
        "e.yaml:2:30: limits is no factor: they hold for all runs together",
    ),
    "an unknown cohort": (
        "base: fishing_village\ncohorts: [{name: misers, count: 4}]\n"
        "factors: {cohorts.miser.count: [1]}\n",
        "e.yaml:3:33 cohorts.miser.count: no cohort is called 'miser'; did you mean 'misers'?",
    ),
    "two equal levels": (
        "base: fishing_village\nfactors: {fine: [2, 3, 2.0]}\n",
        "e.yaml:2:17 factors.fine: comes twice: 2, 2.0",
    ),
    "labels that are written alike": (
        "base: fishing_village\nfactors: {lake: {null: {fine: 1}, none: {fine: 2}}}\n",
        "e.yaml: condition lake=none and condition lake=none would share the file lake=none.run; "
        "rename a condition",
    ),
    "labels that differ in capitals, where file names may not": (
        "base: fishing_village\nconditions: {rich: {}, Rich: {growth: 0.9}}\n",
        "e.yaml: condition rich and condition Rich would share the file Rich.run; "
        "rename a condition",
    ),
    "a condition in place of the coding": (
        "base: fishing_village\nconditions: {coding: {}, plain: {growth: 0.9}}\n",
        "e.yaml: condition coding has a file of the coding of norms, coding.run; rename it",
    ),
    "a condition in place of a rater": (
        "base: fishing_village\nconditions: {Coding-ann: {}, plain: {growth: 0.9}}\n",
        "e.yaml: condition Coding-ann has a file of the coding of norms, Coding-ann.run; rename it",
    ),
    "a factor without levels": (
        "base: fishing_village\nfactors: {fine: []}\n",
        "e.yaml:2:17 factors.fine: got []; expected a list of values, or a mapping from labels "
        "to settings, such as {harsh: {growth: 0.2}, fined: {mechanisms: [peer_punishment]}}",
    ),
    "a label without settings": (
        "base: fishing_village\nfactors: {lake: {a: 3}}\n",
        "e.yaml:2:17 factors.lake: got {'a': 3}; expected a list of values, or a mapping from "
        "labels to settings, such as {harsh: {growth: 0.2}, "
        "fined: {mechanisms: [peer_punishment]}}",
    ),
    "a graph that is not there": (
        "base: fishing_village\nfactors: {graph: [ring, rnig]}\n",
        "e.yaml:2:25 graph: there is no graph 'rnig'; did you mean 'ring'?",
    ),
    "a mechanism that is not there": (
        "base: fishing_village\nfactors: {by: {a: {mechanisms: [qota]}}}\n",
        "e.yaml:2:32 mechanisms[0]: there is no mechanism 'qota'; did you mean 'quota'?",
    ),
    "no base": (
        "factors: {fine: [2]}\n",
        "e.yaml:1:1: is not an experiment; begin with base: SCENARIO, then list factors",
    ),
    "a scenario file": (
        "scenario: fishing_village\n",
        "e.yaml is a scenario file, which has no conditions; play it by: society run e.yaml; "
        "to compare conditions of it, write base: e.yaml and factors: into another file",
    ),
    "a list": (
        "- fishing_village\n",
        "e.yaml:1:1: is not an experiment; begin with base: SCENARIO, then list factors",
    ),
    "nothing": (
        "",
        "e.yaml: is not an experiment; begin with base: SCENARIO, then list factors",
    ),
    "a base that is no scenario": (
        "base: fishing_vilage\n",
        "e.yaml:1:7 scenario: there is no scenario 'fishing_vilage'; "
        "did you mean 'fishing_village'?",
    ),
    "a base that is neither": (
        "base: {rounds: 3}\n",
        "e.yaml:1:7 base: got {'rounds': 3}; expected a scenario, FILE.yaml, or a mapping that "
        "names a scenario",
    ),
    "a number as base": (
        "base: 3\n",
        "e.yaml:1:7 base: got 3; expected text or a mapping of names to values",
    ),
    "a base file that is not there": (
        "base: own.yaml\n",
        "e.yaml:1:7 base: cannot read own.yaml: No such file or directory",
    ),
    "a scenario beside the base": (
        "base: fishing_village\nscenario: language_village\n",
        "e.yaml:2:1 scenario: an experiment names its scenario by base",
    ),
    "an analysis of what is not there": (
        "base: fishing_village\nfactors: {fine: [2, 3]}\n"
        "analysis: {outcome: survival, factors: [fin], by: [x]}\n",
        "e.yaml:3:41 analysis.factors[0]: there is no factor 'fin'; did you mean 'fine'?\n"
        "e.yaml:3:52 analysis.by[0]: there is no factor 'x'; choose one of: fine\n"
        "e.yaml:3:21 analysis.outcome: there is no measure 'survival'; "
        "did you mean 'survival_time'?",
    ),
    "an analysis that names a factor twice": (
        "base: fishing_village\nfactors: {fine: [2, 3]}\n"
        "analysis: {factors: [fine, fine], by: [fine]}\n",
        "e.yaml:3:28 analysis.factors[1]: 'fine' comes twice; name it once\n"
        "e.yaml:3:40 analysis.by[0]: 'fine' comes twice; name it once",
    ),
    "a coding without its rubric": (
        "base: language_village\ncoding: {raters: {a: offline, b: offline}}\n",
        "e.yaml:2:9 coding.rubric: is missing; expected text",
    ),
    "a limit that is not there": (
        "base: language_village\nlimits: {max_call: 3}\n",
        "e.yaml:2:10 limits.max_call: there is no key 'max_call'; did you mean 'max_calls'?",
    ),
    "other luck": (
        "base: fishing_village\nrandom_numbers: same\n",
        "e.yaml:2:17 random_numbers: got 'same'; expected one of common, independent",
    ),
    "conditions and factors": (
        "base: fishing_village\nconditions: {a: }\nfactors: {fine: [2]}\n",
        "e.yaml:2:1 conditions: list conditions or cross factors; a factor may have labels, as "
        "conditions have",
    ),
    "no YAML": (
        "base: [fishing\n",
        "e.yaml:2:1: expected ',' or ']', but got '<stream end>'",
    ),
    "a key twice": (
        "base: fishing_village\nbase: language_village\n",
        "e.yaml:2:1: found duplicate key \"base\" with value \"language_village\" (original value: "
        '"fishing_village")',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_played_is_said_with_its_place_and_nothing_is_written(
    typed: Typed, text: str, words: str
) -> None:
    Path("e.yaml").write_text(text)
    said = typed("sweep", "e.yaml", "--quiet")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"society: {words}"), said.err
    assert [path.name for path in Path().iterdir()] == ["e.yaml"]


def test_of_many_faults_five_are_named(read: Read) -> None:
    with pytest.raises(InputError) as refused:
        read(f"base: fishing_village\nfactors: {{growth: {list(range(4, 13))}}}\n")
    *named, rest = str(refused.value).splitlines()
    assert [line.partition(":")[0] for line in named] == ["e.yaml"] * 5
    assert rest == "and 4 more"


def test_what_is_no_experiment_file_at_all_is_refused(typed: Typed) -> None:
    assert typed("run", "fishing_village", "--rounds", 1, "--quiet", "--out", "a.run").code == 0
    Path("folder").mkdir()
    for name, words in (
        ("nowhere.yaml", "cannot read nowhere.yaml: No such file or directory"),
        ("folder", "cannot read folder: Is a directory"),
        ("a.run", "a.run is not text in UTF-8"),
    ):
        said = typed("sweep", name)
        assert (said.code, said.out) == (2, "")
        assert words in said.err


def test_common_luck_pairs_replicates_and_equals_a_single_run(typed: Typed) -> None:
    """Two labels with the same settings are the same history; so is `society run`."""
    Path("e.yaml").write_text(
        "base: fishing_village\nseed: 5\nreplicates: 3\nrounds: 8\n"
        "conditions: {a: {fine: 4}, b: {fine: 4}, c: {fine: 9}}\n"
    )
    assert typed("sweep", "e.yaml", "--quiet", "--out", "s").code == 0
    alone = ("--seed", 5, "--replicates", 3, "--rounds", 8, "--set", "fine=4", "--out", "alone.run")
    assert typed("run", "fishing_village", *alone, "--quiet").code == 0
    a, b, c, single = (
        _digest(path) for path in (*sorted(Path("s").glob("*.run")), Path("alone.run"))
    )
    assert a == b == single != c


def test_independent_luck_belongs_to_a_condition_whatever_the_others_are(read: Read) -> None:
    def seeds(levels: str) -> dict[str, int]:
        text = f"base: fishing_village\nrandom_numbers: independent\nfactors: {{fine: {levels}}}\n"
        return {one.name: one.setup.seed for one in read(text).conditions}

    two, three = seeds("[2, 10]"), seeds("[5, 2, 10]")
    assert len({*three.values(), 1}) == 4, "all differ, also from the seed itself"
    assert two.items() < three.items(), "adding a level shifts nobody"


def _digest(path: Path) -> str:
    with open_run_file(path) as run:
        return run.outcome().digest


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("fine: [2020-01-01, 2]", "e.yaml:2:18 factors.fine[0]: got 2020-01-01, a date; put it in"),
        ("? [a]\n  : b", "e.yaml: "),
        (f"fine: [{'9' * 5001}]", "expected texts as keys, and numbers of usual size"),
    ],
)
def test_values_that_yaml_can_say_and_nobody_can_mean_are_refused(
    read: Read, said: str, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        read(
            f"base: fishing_village\nfactors: {{{said}}}\n"
            if "\n" not in said
            else f"base: fishing_village\nfactors:\n  {said}\n"
        )
    assert words in str(refused.value)


def test_anchors_that_repeat_each_other_without_end_are_refused(read: Read) -> None:
    """Ten to the eighth values in 400 bytes."""
    lines = ["a0: &a0 [1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(
        InputError, match="more than 100,000 values, including those that anchors repeat"
    ):
        read("\n".join(["base: fishing_village", *lines]))


def test_more_conditions_than_anybody_can_play_are_refused_before_they_are_made(read: Read) -> None:
    """Two to the fortieth."""
    factors = "".join(f"  x{n}: {{a: {{fine: 1}}, b: {{fine: 2}}}}\n" for n in range(40))
    with pytest.raises(InputError) as refused:
        read(f"base: fishing_village\nfactors:\n{factors}")
    words = "makes 1,099,511,627,776 conditions; at most 10,000 can be played in one sweep"
    assert str(refused.value) == f"e.yaml:2:1 factors: {words}"


def test_an_experiment_that_comes_with_the_program_is_read_by_its_name() -> None:
    read = read_experiment(Path("village_unfined"))
    assert (read.name, len(read.conditions)) == ("village_unfined", 3)
