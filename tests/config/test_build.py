"""A society in a user's words: scenario files, settings of the command line, notebooks."""

from __future__ import annotations

import doctest
import importlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import networkx as nx
import numpy as np
import pytest

from society.components.village.harvest import Harvest
from society.components.village.persona import Persona
from society.config.build import Society, build
from society.config.run_config import RunConfig, load_config, override, parse_setting
from society.engine.component import AgentGroup, Component, Question
from society.engine.graph import Complete, Graph
from society.engine.population import Cohort
from society.engine.rng import Array
from society.errors import CatalogueError, FileError, GraphError, InputError, ScenarioError
from society.index import presets
from society.scenarios.village.fishing_village import Village, fishing_village, villagers
from tests.sweeps import all_but

if TYPE_CHECKING:
    from tests.conftest import Written

MISER = """
from dataclasses import dataclass
import numpy as np
from society.engine.component import Component

@dataclass(frozen=True)
class Miser(Component):
    share: float = 0.1
    answers = ("effort",)

    def answer(self, ask, me):
        return np.full(len(me), self.share)
"""
LAKE = """
from dataclasses import replace
import networkx as nx
from society.scenarios.village.fishing_village import fishing_village
from society.scenarios.mechanisms.all_mechanisms import quota

def chain(agents, rng):
    return nx.path_graph(agents)

lake = replace(
    fishing_village,
    agents=4,
    graph=chain,
    play=quota(fishing_village.play, kind="effort", at=0.3),
)
"""


def village(**said: Any) -> Society:
    return build(load_config("fishing_village", said))


def parameters(setup: Society) -> Village:
    assert isinstance(setup.params, Village)
    return setup.params


def graphs(setup: Society) -> dict[str, Graph]:
    return setup.gamemaster().env.graphs


def part(setup: Society, cohort: int, place: int) -> Component:
    return setup.cast()[cohort].components[place]


# What can be said


def changed(spec: RunConfig, *settings: str) -> RunConfig:
    """Return the configuration as changed by --set."""
    return override(spec, map(parse_setting, settings))


def test_a_name_alone_is_a_whole_society() -> None:
    setup = village()
    assert (setup.agents, setup.rounds, setup.replicates, setup.seed) == (10, 100, 1, 1)
    assert setup.found == "comes with society"
    assert setup.params == Village()


def shortened(name: str, rounds: int) -> RunConfig:
    """A preset with few rounds; what is a game of one round stays so."""
    return load_config(name, {"rounds": rounds} if build(load_config(name)).rounds > 1 else {})


@pytest.mark.parametrize("name", presets())
def test_every_preset_plays(name: str) -> None:
    setup = build(shortened(name, 2))
    assert setup.found == "a preset that comes with society"
    first, *_ = setup.gamemaster().play().measures.values()
    assert first.n == setup.replicates


def test_the_subsistence_preset_says_the_numbers_of_our_search() -> None:
    p = parameters(build(load_config("fishing_village_subsistence")))
    assert (p.capacity, p.fine, p.fining_cost, p.catchability) == (300, 10, 0, 0.0425)
    assert (p.consumption, p.wealth, p.stock, p.revision, p.selection) == (4, 60, 0.6, 0.5, 0.05)
    assert (p.effort_noise, p.belief_noise, p.payoff) == (0.1, 1, "average")
    assert (p.effort_rule, p.collapse_at) == ("trait", 0.01)


def test_a_file_says_as_much_as_it_likes(written: Written) -> None:
    written("all.yaml", """\
scenario: fishing_village
seed: 7
rounds: 5
replicates: 3
agents: 8
parameters:
  growth: .2
  punish_until: none
graph: ring
graphs:
  learn: {kind: small_world, rewiring: 0.3}
mechanisms:
  - quota: {kind: effort, at: 0.5}
""")  # fmt: skip
    setup = build(load_config("all.yaml"))
    assert (setup.seed, setup.rounds, setup.replicates, setup.agents) == (7, 5, 3, 8)
    assert parameters(setup).growth == 0.2
    assert parameters(setup).punish_until is None
    assert graphs(setup)["monitor"].neighbours(0, 0).tolist() == [1, 7]
    assert setup.found == "all.yaml"
    assert setup.gamemaster().play().rounds == 5


def test_keys_with_nothing_below_them_say_nothing(written: Written) -> None:
    written("a.yaml", "scenario: fishing_village\nparameters:\ncohorts:\nuses:\ngraph:\nseed:\n")
    assert build(load_config("a.yaml")).params == Village()


def test_a_cohort_is_the_default_cast_with_other_fields() -> None:
    altruists = {"name": "altruists", "count": 5, "parameters": {"temper": "altruist"}}
    selfish = {"name": "selfish", "count": 4, "parameters": {"temper": "selfish"}}
    setup = village(cohorts=[altruists, selfish])
    assert setup.agents == 9
    assert part(setup, 0, 0) == Persona("altruist")
    assert part(setup, 1, 0) == Persona("selfish")
    assert part(setup, 1, 1) == Harvest()


def test_fields_come_from_the_cohort_and_else_from_the_scenario() -> None:
    steady = {"name": "steady", "count": 2, "parameters": {"effort_noise": 0}}
    others = {"name": "others", "count": 2}
    setup = village(parameters={"effort_noise": 0.2}, cohorts=[steady, others])
    assert part(setup, 0, 1) == Harvest(effort_noise=0)
    assert part(setup, 1, 1) == Harvest(effort_noise=0.2)


def test_a_component_of_ones_own_replaces_one_of_the_default_cast(written: Written) -> None:
    written("miser.py", MISER)
    written("a.yaml", """\
scenario: fishing_village
uses: [miser.py]
cohorts:
  - {name: misers, count: 3, replace: {harvest: {miser: {share: 0.2}}}}
  - {name: others, count: 7}
""")  # fmt: skip
    setup = build(load_config("a.yaml"))
    titles = [component.title() for component in setup.cast()[0].components]
    assert titles == [
        "persona", "miser", "norm_belief", "punishment", "social_learning", "voting", "grievance"
    ]  # fmt: skip
    assert vars(part(setup, 0, 1)) == {"share": 0.2}
    assert setup.gamemaster().play().rounds > 0
    assert [Path(file).name for file in setup.files] == ["miser.py"]


def test_a_cohort_may_list_all_its_components() -> None:
    listed = ["persona", {"harvest": {"effort_rule": "trait"}}, "norm_belief"]
    setup = village(cohorts=[{"name": "a", "count": 1, "components": listed}])
    assert len(setup.cast()[0].components) == 3
    assert part(setup, 0, 1) == Harvest(effort_rule="trait")


def mixed_villagers(p: Village, agents: int) -> list[Cohort]:
    return villagers(p.model_copy(update={"population": "mixed"}), agents)


def test_a_cohort_named_like_a_default_one_is_like_it() -> None:
    cohorts = [{"name": "selfish", "count": 1}, {"name": "altruist", "count": 3}]
    lake = replace(fishing_village, name="lake", cast=mixed_villagers)
    setup = build(load_config("lake", {"cohorts": cohorts}), own=[lake])
    assert part(setup, 0, 0) == Persona("selfish")


def test_one_graph_for_all_relations_is_one_draw() -> None:
    found = graphs(village(graph="small_world"))
    assert found["monitor"] is found["learn"]


def test_the_graphs_of_a_society_are_drawn_once_for_its_manifest_and_its_play() -> None:
    setup = village(graph="small_world")
    drawn = setup.environment().graphs
    assert setup.environment().graphs["monitor"] is drawn["monitor"]
    alone = setup.environment(np.array([0])).graphs["monitor"]
    assert alone.neighbours(0, 3).tolist() == drawn["monitor"].neighbours(0, 3).tolist()
    assert alone.replicates == 1


def test_separate_graphs_are_drawn_separately() -> None:
    found = graphs(village(graphs={"monitor": "small_world", "learn": "small_world"}))
    sparse = [[found[name].neighbours(0, seat).tolist() for seat in range(10)] for name in found]
    assert sparse[0] != sparse[1]


def test_a_relation_without_a_graph_is_complete() -> None:
    found = graphs(village(graphs={"monitor": "ring"}))
    assert isinstance(found["learn"], Complete)
    assert found["monitor"].neighbours(0, 0).tolist() == [1, 9]


def test_files_are_looked_up_beside_the_scenario_file(
    written: Written, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written("study/miser.py", MISER)
    written("study/ties.txt", "0 1\n1 2\n")
    written("study/a.yaml", """\
scenario: fishing_village
agents: 3
uses: [miser.py]
graph: {file: ties.txt}
""")  # fmt: skip
    spec = load_config("study/a.yaml")
    monkeypatch.chdir(tmp_path / "study")
    setup = build(spec)
    assert {Path(file).name for file in setup.files} == {"miser.py", "ties.txt"}
    assert graphs(setup)["learn"].neighbours(0, 1).tolist() == [0, 2]


def test_mechanisms_wrap_from_the_inside_out(written: Written) -> None:
    """The second cap hears what the first has already bounded: the lower one holds."""
    caps = [{"quota": {"kind": "effort", "at": at}} for at in (0.2, 0.4)]
    for mechanisms in (caps, caps[::-1]):
        game = village(mechanisms=mechanisms, rounds=2).gamemaster()
        assert game.play().measures["over_use"].mean == 0


# A .py file


def test_a_python_file_brings_its_scenario_with_graph_and_mechanism(written: Written) -> None:
    written("lake.py", LAKE)
    setup = build(load_config("lake.py"))
    assert (setup.scenario.name, setup.agents, setup.found) == ("lake", 4, "lake.py")
    assert graphs(setup)["learn"].neighbours(0, 0).tolist() == [1]
    assert build(load_config("lake.py", {"graph": "ring"})).drawings["learn"].graph.kind == "ring"


def test_a_graph_function_is_named_by_its_file_or_when_that_is_used(written: Written) -> None:
    written("lake.py", LAKE)
    named = village(graph={"function": "lake.py:chain"}, agents=3)
    used = village(graph={"function": "chain"}, uses=["lake.py"], agents=3)
    for setup in (named, used):
        assert graphs(setup)["learn"].neighbours(0, 0).tolist() == [1]


def test_a_name_is_first_looked_up_in_the_users_scenarios(written: Written) -> None:
    written("scenarios/lake.yaml", "scenario: fishing_village\nseed: 5\n")
    setup = build(load_config("lake"))
    assert (setup.seed, setup.found) == (5, "scenarios/lake.yaml")


# Notebooks


@dataclass(frozen=True)
class Glutton(Component):
    appetite: float

    answers = ("effort",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return np.full(len(agents), self.appetite)


def test_a_notebook_names_its_own_parts() -> None:
    def star(agents: int, rng: np.random.Generator) -> nx.Graph[int]:
        wheel: nx.Graph[int] = nx.star_graph(agents - 1)
        return wheel

    gluttons = {"name": "g", "count": 5, "replace": {"harvest": {"glutton": {"appetite": 0.4}}}}
    said = {"cohorts": [gluttons], "graph": {"function": "star"}}
    lake = replace(fishing_village, name="lake")
    setup = build(load_config("lake", said), own=[lake, Glutton, star])
    assert part(setup, 0, 1) == Glutton(0.4)
    assert graphs(setup)["learn"].neighbours(0, 3).tolist() == [0]


@pytest.mark.parametrize(
    "name",
    ["engine.parameters", "errors", "config.graph_families", "config.run_config", "config.build"],
)
def test_the_examples_in_our_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(f"society.{name}")
    assert doctest.testmod(module) == (0, doctest.testmod(module).attempted)


# The way through a run file


@pytest.mark.parametrize(
    "name",
    all_but(
        ["fishing_village", "donor_generations", "dilemmas_mediators"],
        ["fishing_village", *presets()],
    ),
)
def test_a_run_is_rebuilt_from_the_json_of_its_spec(name: str) -> None:
    spec = shortened(name, 2)
    again = RunConfig.model_validate(spec.model_dump(mode="json"))
    digests = [build(each).gamemaster().play().digest for each in (spec, again)]
    assert digests[0] == digests[1]


def test_a_run_with_files_of_ones_own_is_rebuilt_from_anywhere(
    written: Written, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written("lake.py", LAKE)
    setup = build(load_config("lake.py", {"graph": {"function": "lake.py:chain"}}))
    kept = setup.spec.model_dump(mode="json")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = build(RunConfig.model_validate(kept))
    assert again.files == setup.files
    assert again.gamemaster().play().digest == setup.gamemaster().play().digest


def test_a_file_that_has_left_since_is_missed_by_name(written: Written) -> None:
    written("lake.py", LAKE)
    kept = load_config("lake.py").model_dump(mode="json")
    Path("lake.py").unlink()
    with pytest.raises(FileError, match=r"cannot read lake.py"):
        build(RunConfig.model_validate(kept))


def test_agents_take_their_cohort_and_ties_along_when_seats_are_changed() -> None:
    altruists = {"name": "altruists", "count": 2, "parameters": {"temper": "altruist"}}
    selfish = {"name": "selfish", "count": 3, "parameters": {"temper": "selfish"}}
    setup = village(cohorts=[altruists, selfish], graph="ring")
    game = setup.gamemaster(env=setup.environment(ids=np.array([3, 0, 4, 2, 1])))
    assert game.env.graphs["learn"].neighbours(0, 1).tolist() == [4, 2]  # agent 0 sees 1 and 4
    assert setup.gamemaster().play().rounds == game.play().rounds


# Settings of the command line


def test_settings_are_parameters_and_graphs() -> None:
    settings = ["growth=.2", "vote=none", "punish_until=none", "graph.learn={kind: small_world}"]
    setup = build(changed(load_config("fishing_village"), *settings))
    p = parameters(setup)
    assert (p.growth, p.vote, p.punish_until) == (0.2, "none", None)
    assert setup.drawings["learn"].graph.kind == "small_world"
    assert setup.drawings["monitor"].graph.kind == "complete"


def test_the_parameters_of_a_mechanism_can_be_set() -> None:
    spec = load_config("fishing_village", {"mechanisms": [{"quota": {"kind": "effort", "at": 1}}]})
    capped = changed(spec, "mechanisms.quota.at=0.5")
    assert capped.mechanisms == [{"quota": {"kind": "effort", "at": 0.5}}]
    with pytest.raises(InputError, match="no mechanism is called 'qota'; did you mean 'quota'"):
        changed(spec, "mechanisms.qota.at=0.5")


def test_a_graph_set_for_all_replaces_those_of_single_relations() -> None:
    setup = build(changed(load_config("fishing_village_ring"), "graph=caveman", "graph.learn=ring"))
    kinds = {relation: drawing.graph.kind for relation, drawing in setup.drawings.items()}
    assert kinds == {"monitor": "caveman", "learn": "ring"}


def test_a_graph_file_that_is_set_lies_in_the_working_directory(written: Written) -> None:
    written("ties.txt", "0 1")
    spec = changed(load_config("fishing_village", {"agents": 2}), "graph={file: ties.txt}")
    assert graphs(build(spec))["learn"].neighbours(0, 0).tolist() == [1]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("grwoth=.2", "there is no parameter 'grwoth'; did you mean 'growth'?"),
        ("growth=fast", "got 'fast'; expected a number from 0 to 3"),
        ("growth=9", "got 9; expected a number from 0 to 3"),
        ("growth=", "got nothing; expected a number from 0 to 3"),
        ("growth", "expected KEY=VALUE, as in --set growth=0.2"),
        ("growth=[1", "expected ',' or ']', but got '<stream end>'"),
        ("graph=rnig", "there is no graph 'rnig'; did you mean 'ring'?"),
        ("graph.lern=ring", "there is no relation 'lern'; did you mean 'learn'?"),
        ("graph={kind: small_world, rewiring: 3}", "rewiring: got 3; expected a number from 0"),
        ("graph={kind: ring, neighbours: 30}", "neighbours: got 30, but each of 10 agents has"),
        ("seed=3", "seed is not a scenario parameter; use --seed"),
        ("mechanisms.qota.at=1", "no mechanism is called 'qota'; there is none"),
    ],
)
def test_a_wrong_setting_is_quoted_as_it_was_typed(setting: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        build(changed(load_config("fishing_village"), setting)).gamemaster()
    assert str(refused.value).startswith(f"--set {setting}: {words}")


def test_a_scenario_of_ones_own_with_a_senseless_graph_is_refused() -> None:
    lake = replace(fishing_village, name="lake", graph=cast(Any, 3))
    with pytest.raises(
        ScenarioError, match="graph: got 3; expected the name of a graph, or a mapping"
    ):
        build(load_config("lake"), own=[lake])


# What is wrong with a file

WRONG = [
    ("cohorts:\n  - name: a\n    count: -3",
     "v.yaml:4:12 cohorts[0].count: got -3; expected a whole number from 1 to 10000000"),
    ("cohorts:\n  - {name: a, count: 1, cuont: 3}",
     "v.yaml:3:25 cohorts[0].cuont: there is no key 'cuont'; did you mean 'count'?"),
    ("cohorts: []", "v.yaml:2:10 cohorts: got []; expected a list with at least one entry"),
    ("cohorts: {a: 3}", "v.yaml:2:10 cohorts: got {'a': 3}; expected a list"),
    ("rounds: 0", "v.yaml:2:9 rounds: got 0; expected a whole number from 1 to 10000000"),
    ("agents: 0", "v.yaml:2:9 agents: got 0; expected a whole number from 1 to 10000000"),
    ("replicates: many", "v.yaml:2:13 replicates: got 'many'; expected a whole number from 1"),
    ("seed: 1.5", "v.yaml:2:7 seed: got 1.5; expected a whole number of at least 0"),
    ("grpah: ring", "v.yaml:2:1 grpah: there is no key 'grpah'; did you mean 'graph'?"),
    ("parameters:\n  grwoth: 1",
     "v.yaml:3:3 parameters.grwoth: there is no parameter 'grwoth'; did you mean 'growth'?"),
    ("parameters:\n  growth: fast",
     "v.yaml:3:11 parameters.growth: got 'fast'; expected a number from 0 to 3"),
    ("parameters: {capacity: .inf}", "parameters.capacity: got inf; expected a number above 0"),
    ("graph: rnig", "v.yaml:2:8 graph: there is no graph 'rnig'; did you mean 'ring'?"),
    ("graph: {kind: ring, neigbours: 2}", "v.yaml:2:21 graph.neigbours: there is no parameter"),
    ("graph: {neighbours: 2}", "v.yaml:2:8 graph: has no `kind`; add one of complete"),
    ("graph: {file: none.txt}", "v.yaml:2:8 graph: cannot read none.txt: No such file"),
    ("graph: {function: none.py:f}", "v.yaml:2:8 graph: cannot read none.py: No such file"),
    ("graphs:\n  lern: ring",
     "v.yaml:3:3 graphs.lern: there is no relation 'lern'; did you mean 'learn'?"),
    ("mechanisms: [qota]",
     "v.yaml:2:14 mechanisms[0]: there is no mechanism 'qota'; did you mean 'quota'?"),
    ("mechanisms:\n  - quota: {kind: effort, at: 1, att: 1}",
     "v.yaml:3:34 mechanisms[0].quota.att: there is no parameter 'att'; did you mean 'at'?"),
    ("mechanisms: [quota: {kind: effort}]", "quota.at: is missing; expected a number"),
    ("uses: [none.py]", "v.yaml:2:8 uses[0]: cannot read none.py: No such file"),
    ("uses: [broken.py]", "v.yaml:2:8 uses[0]: broken.py:1: NameError: name 'nothing' is not"),
    ("agents: 3\ncohorts: [{name: a, count: 2}]",
     "v.yaml:2:9 agents: got 3, but the counts of the cohorts sum to 2; change the counts"),
    ("cohorts:\n  - {name: a, count: 1, components: [harvst]}",
     "v.yaml:3:38 cohorts[0].components[0]: there is no component 'harvst'; did you mean"),
    ("cohorts:\n  - {name: a, count: 1, components: [harvest: {efort_rule: trait}]}",
     "components[0].harvest.efort_rule: there is no parameter 'efort_rule'; did you mean"),
    ("cohorts:\n  - {name: a, count: 1, components: [harvest: {effort_rule: x}]}",
     "v.yaml:3:61 cohorts[0].components[0].harvest.effort_rule: got 'x'; expected one of det"),
    ("cohorts:\n  - {name: a, count: 1, components: []}", "expected a list with at least one"),
    ("cohorts:\n  - {name: a, count: 1, components: [a: 1]}",
     "components[0].a: got 1; expected a mapping"),
    ("cohorts:\n  - {name: a, count: 1, components: [{a: {}, b: {}}]}",
     "expected a name, or one name with its fields under it"),
    ("cohorts:\n  - {name: a, count: 1, parameters: {tempr: selfish}}",
     "parameters.tempr: there is no component field 'tempr'; did you mean 'temper'?"),
    ("cohorts:\n  - {name: a, count: 1, parameters: {temper: mean}}",
     "v.yaml:3:46 cohorts[0].parameters.temper: got 'mean'; expected one of general, altruist"),
    ("cohorts:\n  - {name: a, count: 1, parameters: {revision: 2}}",
     "v.yaml:3:48 cohorts[0].parameters.revision: got 2; expected a number from 0 to 1"),
    ("cohorts:\n  - {name: a, count: 1, parameters: {growth: 1}}",
     "'growth' is a parameter of the whole scenario; set it under `parameters` at the top level"),
    ("cohorts:\n  - {name: a, count: 1, replace: {harvst: voting}}",
     "replace.harvst: there is no default component 'harvst'; did you mean 'harvest'?"),
    ("cohorts:\n  - {name: a, count: 1, components: [harvest], replace: {harvest: voting}}",
     "cohorts[0].replace: replaces default components, but `components` lists all components"),
    ("cohorts:\n  - {name: a, count: 1}\n  - {name: a, count: 1}",
     "v.yaml:4:12 cohorts[1].name: two cohorts are called 'a'"),
    ("parameters: {altruists: 0.3}\ncohorts: [{name: a, count: 1}]",
     "v.yaml:2:14 parameters.altruists: shapes the default cast only"),
    ("mechanisms:\n  - generations: {fitness: welth}",
     "v.yaml:3:5 mechanisms[0]: generations: the play tells no number 'welth' of each agent, which "
     "is to be its fitness; did you mean 'wealth'?"),
    ("mechanisms:\n  - generations: {fitness: wealth, phenotype: stock}",
     "v.yaml:3:5 mechanisms[0]: generations: the play tells no number 'stock' of each agent, which "
     "is to be its phenotype; "),
    ("mechanisms:\n  - generations: {fitness: wealth, selection: moran, overlapping: false}",
     "v.yaml:3:18 mechanisms[0].generations: under selection moran it is children"),
    ("mechanisms:\n  - generations: {survivors: 0}",
     "v.yaml:3:30 mechanisms[0].generations.survivors: got 0; expected a number above 0 and of"),
    ("mechanisms:\n  - quota: {kind: effort, at: 1}\n  - quota: {kind: efort, at: 1}",
     "v.yaml:4:5 mechanisms[1]: quota: the play never asks 'efort'; did you mean 'effort'?"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_is_said_with_its_place_and_what_would_be_right(
    written: Written, text: str, words: str
) -> None:
    written("broken.py", "nothing\n")
    written("v.yaml", f"scenario: fishing_village\n{text}\n")
    with pytest.raises(ScenarioError) as refused:
        build(load_config("v.yaml"))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_cohorts_that_could_be_like_several_of_the_default_cast_must_say_more() -> None:
    lake = replace(fishing_village, name="lake", cast=mixed_villagers)
    with pytest.raises(ScenarioError, match="altruist and selfish of the default cast differ"):
        build(load_config("lake", {"cohorts": [{"name": "a", "count": 1}]}), own=[lake])


def test_a_setting_of_the_default_cast_is_refused_where_there_are_cohorts() -> None:
    spec = load_config("fishing_village", {"cohorts": [{"name": "a", "count": 2}]})
    with pytest.raises(ScenarioError, match="--set population=mixed: shapes the default cast only"):
        build(changed(spec, "population=mixed"))


def test_the_share_of_altruists_can_be_set_for_the_mixed_preset() -> None:
    setup = build(changed(load_config("fishing_village_mixed"), "altruists=0.3"))
    assert [(c.name, c.count) for c in setup.cast()] == [("altruist", 3), ("selfish", 7)]


def test_several_faults_are_listed_a_line_each_and_then_counted(written: Written) -> None:
    names = ["growth", "fine", "stock", "wealth", "capacity", "revision", "selection"]
    values = "".join(f"  {name}: x\n" for name in names)
    written("v.yaml", f"scenario: fishing_village\nparameters:\n{values}")
    with pytest.raises(ScenarioError) as refused:
        build(load_config("v.yaml"))
    lines = str(refused.value).splitlines()
    assert len(lines) == 6
    assert all(line.startswith("v.yaml:") for line in lines[:5])
    assert lines[5] == "and 2 more"


def test_a_graph_that_cannot_hold_the_agents_is_placed_too(written: Written) -> None:
    written("v.yaml", "scenario: fishing_village\nagents: 7\ngraph: lattice\n")
    with pytest.raises(GraphError, match=r"v\.yaml:3:8 graph: 7 agents fill no grid"):
        build(load_config("v.yaml")).gamemaster()


def test_a_scenario_without_relations_takes_no_graph() -> None:
    lone = replace(fishing_village, name="lone", relations=())
    with pytest.raises(ScenarioError, match="lone has no relation that a graph could limit"):
        build(load_config("lone", {"graph": "ring"}), own=[lone])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("fishing_vilage", "v.yaml:1:11 scenario: there is no scenario 'fishing_vilage'; did you"),
        (
            "fishing_village_ring",
            "fishing_village_ring.yaml is a YAML file; name a scenario or FILE.py here",
        ),
        ("lake.py", "v.yaml:1:11 scenario: cannot read lake.py: No such file"),
        ("", "v.yaml:1:1 scenario: is missing; write scenario: NAME or scenario: FILE.py"),
    ],
)
def test_a_file_must_name_a_scenario(written: Written, said: str, words: str) -> None:
    written("v.yaml", f"scenario: {said}\n")
    with pytest.raises(InputError) as refused:
        build(load_config("v.yaml"))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("fishing_vilage", CatalogueError, "no scenario 'fishing_vilage'; did you mean 'fishing_"),
        ("nowhere.yaml", FileError, "cannot read nowhere.yaml: No such file"),
        ("nowhere.py", FileError, "cannot read nowhere.py: No such file"),
        ("./nowhere", FileError, "nowhere is not a scenario file; give FILE.yaml or FILE.py"),
        ("folder.yaml", FileError, "cannot read folder.yaml: Is a directory"),
    ],
)
def test_a_source_that_is_not_there_is_said(
    written: Written, source: str, error: type[InputError], words: str
) -> None:
    written("folder.yaml/file", "")
    with pytest.raises(error) as refused:
        build(load_config(source))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "v.yaml: got no keys; begin with scenario: NAME"),
        (b"# only words\n", "v.yaml: got no keys"),
        (b"- a\n- b\n", "v.yaml:1:1: got no keys"),
        (b"a: 1\na: 2\n", 'v.yaml:2:1: found duplicate key "a"'),
        (b"a: [1\nb: 2\n", "v.yaml:2:2: expected ',' or ']'"),
        (b"\ta: 1\n", "v.yaml:1:1: found character '\\t'"),
        (b"a: 1\n---\nb: 2\n", "v.yaml:2:1: but found another document"),
        (b"a: !!python/object:os.system x\n", "v.yaml:1:4: could not determine a constructor"),
        (b"a: &a [*a]\n", "v.yaml: a value contains itself"),
        (b"a: \x01\n", "v.yaml: unacceptable character"),
        (b"\xff\xfe\x00\n", "v.yaml is not text in UTF-8"),
    ],
)
def test_what_is_no_yaml_is_said_with_its_line(written: Written, text: bytes, words: str) -> None:
    written("v.yaml", "")
    Path("v.yaml").write_bytes(text)
    with pytest.raises(ScenarioError) as refused:
        load_config("v.yaml")
    assert words in str(refused.value)


def test_no_and_off_are_words_and_not_false(written: Written) -> None:
    """YAML 1.2: a key `on` stays a key, a name `no` stays a name."""
    written("v.yaml", "scenario: fishing_village\ncohorts: [{name: no, count: 1}]\n")
    assert build(load_config("v.yaml")).cast()[0].name == "no"


def test_a_cohort_that_cannot_answer_is_found_before_anybody_is_paid(written: Written) -> None:
    """Where models are asked: rules of another cohort have nothing to say about gossip."""
    file = written(
        "v.yaml",
        "scenario: donor_game\n"
        "parameters: {gossip: true}\n"
        "cohorts:\n"
        "  - {name: speaker, count: 6, components: [strategy, language_policy]}\n"
        "  - {name: rule, count: 6, components: [donation]}\n",
    )
    with pytest.raises(InputError, match=r"v\.yaml:4:3 cohorts: nobody in cohort 'rule'"):
        build(load_config(file))


TYPES = """
scenario: prisoners_dilemma
mechanisms: [{{tournament: {{repetitions: 2}}}}]
cohorts:
  - {{name: nice, parameters: {{strategy: always_cooperate}}{nice}}}
  - {{name: nasty, parameters: {{strategy: always_defect}}}}
{more}
"""


def test_in_a_tournament_each_cohort_is_a_type_that_meets_all_on_each_seat(
    written: Written,
) -> None:
    setup = build(load_config(written("types.yaml", TYPES.format(nice="", more=""))))
    assert (setup.agents, setup.replicates) == (2, 8)
    seats = {one.name: one.where for one in setup.cast()}
    nice, nasty = seats["nice"], seats["nasty"]
    assert nice is not None
    assert nasty is not None
    assert nice[:4].tolist() == [[True, True], [True, False], [False, True], [False, False]]
    assert np.array_equal(nice, ~nasty)
    assert np.array_equal(nice[:4], nice[4:])


def test_some_matches_of_a_tournament_can_be_played_alone(written: Written) -> None:
    setup = build(load_config(written("types.yaml", TYPES.format(nice="", more=""))))
    whole = setup.gamemaster().play().values["payoff"]
    some = setup.gamemaster(env=setup.environment(np.array([5, 3]))).play().values["payoff"]
    assert whole.tolist() == [2, 1.5, 1.5, 1, 2, 1.5, 1.5, 1]
    assert some.tolist() == [1.5, 1]


@pytest.mark.parametrize(
    ("nice", "more", "words"),
    [
        (", count: 3", "", "cohorts[0].count: tournament assigns the seats; leave count out"),
        ("", "replicates: 4", "replicates: tournament assigns the seats; leave replicates out"),
        ("", "agents: 4", "agents: tournament assigns the seats; leave agents out"),
    ],
)
def test_a_tournament_says_itself_how_many_there_are(
    written: Written, nice: str, more: str, words: str
) -> None:
    with pytest.raises(InputError) as error:
        build(load_config(written("types.yaml", TYPES.format(nice=nice, more=more))))
    assert words in str(error.value)


def test_a_tournament_without_types_is_refused() -> None:
    with pytest.raises(InputError, match="tournament matches types of agents; name each"):
        build(load_config("prisoners_dilemma", {"mechanisms": ["tournament"]}))


@pytest.mark.parametrize(
    ("scenario", "parameters", "agents"),
    [
        ("public_goods", {}, 3),
        ("public_goods", {"players": 4}, 4),
        ("normal_form", {"payoffs": [[[[1, 2, 3]]]]}, 3),
        ("prisoners_dilemma", {}, 2),
    ],
)
def test_by_default_there_are_as_many_agents_as_make_a_match(
    scenario: str, parameters: dict[str, Any], agents: int
) -> None:
    assert build(load_config(scenario, {"parameters": parameters})).agents == agents
