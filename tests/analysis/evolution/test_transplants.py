"""Newborn agents and their ancestors before the same population: rules and offline minds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import society
from society.analysis.evolution import (
    Evolution,
    compare_transplants,
    focal_agents,
    transplant_experiment,
)
from society.analysis.statistics import NotEstimable, PairedContrast
from society.errors import InputError
from society.experiments.experiment import read_experiment

Typed = Callable[..., Any]
Written = Callable[[str, str], str]

FIXED = """
scenario: donor_game
agents: 4
rounds: 3
parameters: {games: 1, schedule: random}
mechanisms: [{generations: {count: 3, fitness: final, phenotype: share}}]
cohorts: [{name: donor, count: 4, parameters: {policy: fixed}}]
"""


@pytest.fixture
def run(written: Written, typed: Typed) -> Evolution:
    """Three generations of four agents who give shares of their own to everybody."""
    done = typed("run", written("fixed.yaml", FIXED), "--seed", 2, "--out", "kept.run", "--quiet")
    assert done.code == 0, done.err
    return Evolution(society.open_run("kept.run"))


def generosity(run: Evolution, generation: int) -> dict[str, float]:
    lives = run.lives[run.lives["generation"] == generation]
    return dict(zip(lives["name"], lives["generosity"], strict=True))


def test_everybody_sits_alone_among_the_survivors_of_the_generation_before(run: Evolution) -> None:
    said = YAML(typ="safe").load(transplant_experiment("kept.run", 2, replicates=5, seed=9))
    first, second = (run.lives[run.lives["generation"] == number] for number in (1, 2))
    better = first[first["survives"]].sort_values("fitness", ascending=False)["name"].tolist()
    kind, *residents = said["base"]["cohorts"]
    assert (kind["name"], kind["count"]) == ("focal", 1)
    assert [(one["name"], one["count"]) for one in residents] == [(better[0], 2), (better[1], 1)]
    assert {one["name"]: traits(one["components"])["generosity"] for one in residents} == {
        name: generosity(run, 1)[name] for name in better
    }
    newborn = second[second["newborn"]]
    parents = Counter(name for name in first.set_index("life").loc[newborn["parent"]]["name"])
    assert list(said["conditions"]) == [
        *(f"newborn {name} x 1" for name in newborn["name"]),
        *(f"ancestor {name} x {parents[name]}" for name in first["name"] if name in parents),
    ]
    assert (said["replicates"], said["seed"]) == (5, 9)
    assert said["base"]["mechanisms"][0]["generations"]["count"] == 1


def agent_of(condition: str) -> str:
    """The agent in the name of a condition: "newborn agent 2_1 x 1"."""
    return condition.partition(" ")[2].partition(" x ")[0]


def traits(components: Any) -> Any:
    return components[0]["donation"]


def test_what_focal_agents_come_to_is_compared(
    run: Evolution, written: Written, typed: Typed
) -> None:
    """Who gives the same share to everybody gives it here, too, whatever the luck."""
    text = transplant_experiment("kept.run", 3, replicates=4)
    assert typed("sweep", written("transplant.yaml", text), "--quiet", "--out", "swept").code == 0
    study = society.open_sweep("swept")
    agents = focal_agents(study).groupby("condition", observed=True)["phenotype"]
    shares = {agent_of(name): value for name, value in agents.mean().items()}
    assert shares == pytest.approx(
        {name: (generosity(run, 2) | generosity(run, 3))[name] for name in shares}
    )
    assert set(agents.count()) == {4}
    earned = compare_transplants(study).fitness
    assert isinstance(earned.contrast, PairedContrast)
    assert earned.contrast.n == 4
    assert earned.contrast.difference == pytest.approx(earned.difference)


def test_children_are_compared_with_their_own_parents_whatever_the_others_do(
    run: Evolution, written: Written, typed: Typed
) -> None:
    """Each parent counts as often as it has children; rules leave nothing to luck."""
    third = run.lives.query("generation == 3 and newborn")
    parents = run.lives.query("generation == 2").set_index("life").loc[third["parent"]]
    file = written("transplant.yaml", transplant_experiment("kept.run", 3, replicates=2))
    assert typed("sweep", file, "--quiet", "--out", "swept").code == 0
    given, _ = compare_transplants(society.open_sweep("swept"))
    young, old = (float(lives["generosity"].mean()) for lives in (third, parents))
    assert given[:3] == pytest.approx((young, old, young - old))
    assert isinstance(given.contrast, NotEstimable)
    assert "all 2 pairs differ by" in str(given.contrast)


def test_language_minds_are_set_up_with_their_strategies(typed: Typed) -> None:
    generations = {"count": 2, "fitness": "final", "phenotype": "share", "strategies": "advice"}
    settings = "agents: 4\nrounds: 2\nparameters: {games: 1, schedule: random}\n"
    text = f"scenario: donor_game\n{settings}mechanisms: [generations: {generations}]\n"
    Path("words.yaml").write_text(text.replace("'", ""))
    done = typed("run", "words.yaml", "--model", "offline", "--out", "words.run", "--quiet")
    assert done.code == 0, done.err
    lives = Evolution(society.open_run("words.run")).lives.sort_values("agent")
    young = lives.query("generation == 2 and newborn")["strategy"].tolist()
    old = lives.query("generation == 1 and survives")["strategy"].tolist()
    said = YAML(typ="safe").load(transplant_experiment("words.run", 2, replicates=1))
    conditions = said["conditions"].values()
    told = [one["cohorts.focal.components"][0]["strategy"]["strategy"] for one in conditions]
    assert told == young + old  # by whom they were advised
    assert [name.split(" ")[-1] for name in said["conditions"]] == ["1"] * 4
    Path("transplant.yaml").write_text(transplant_experiment("words.run", 2, replicates=1))
    assert typed("sweep", "transplant.yaml", "--quiet", "--out", "swept").code == 0
    assert len(focal_agents(society.open_sweep("swept"))) == 4


@pytest.mark.parametrize(
    ("generation", "replicate", "why"),
    [
        (1, 0, "generation 1 of kept.run, which has 3; choose one from 2 to 3"),
        (4, 0, "choose one from 2 to 3"),
        (2, 1, "replicate 1 of 1"),
    ],
)
def test_a_population_that_is_not_there_cannot_be_transplanted(
    run: Evolution, generation: int, replicate: int, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        transplant_experiment("kept.run", generation, replicate=replicate)


@pytest.mark.parametrize("number", ["3", 2.5])
def test_generations_and_replicates_are_whole_numbers(run: Evolution, number: Any) -> None:
    with pytest.raises(InputError, match=f"generation {number!r} is no whole number"):
        transplant_experiment("kept.run", number)
    with pytest.raises(InputError, match=f"replicate {number!r} is no whole number"):
        transplant_experiment("kept.run", 2, replicate=number)


@pytest.mark.parametrize(
    ("preset", "settings"),
    [("donor_generations", ["minds=language"]), ("donor_language", [])],
)
def test_presets_of_language_minds_can_be_transplanted(
    typed: Typed, preset: str, settings: list[str]
) -> None:
    """What shapes the default cast, and the embedder of strategies, mean nothing here."""
    given = ["mechanisms.generations.count=2", "games=1", "schedule=random", *settings]
    how = ("--agents", 4, "--rounds", 1, "--out", "a=1,b.run", "--quiet")
    done = typed("run", preset, *[f"--set={one}" for one in given], *how)
    assert done.code == 0, done.err
    Path("transplant.yaml").write_text(transplant_experiment("a=1,b.run", 2, replicates=1), "utf-8")
    read = read_experiment(Path("transplant.yaml"))
    assert read.name == "transplant-a-1-b-0-2"
    assert len(read.conditions) == 4
    spec = read.conditions[0].setup.spec
    assert spec.parameters == {"games": 1, "schedule": "random"}
    (part,) = spec.model_dump()["mechanisms"]
    assert part["generations"] == {
        "count": 1,
        "fitness": "final",
        "phenotype": "share",
        "strategies": "none",
    }


STEADY = """
import numpy as np
from dataclasses import dataclass
from society.engine.component import Column
from society.components.donor.donation import Donation


@dataclass(frozen=True)
class Steady(Donation):
    steps: int = 3
    saying: str = ""
    columns = (
        *Donation.columns,
        Column("steps", int, public=True, heritable=True),
        Column("saying", object, public=True, heritable=True),
    )

    def begin(self, me):
        super().begin(me)
        me["steps"] = self.steps
        me["saying"] = np.full(len(me), self.saying or "no: \\x01 \u20ac\\nmore\U0001f600", object)
"""


def test_whole_numbers_and_odd_texts_are_set_up_as_they_were(
    written: Written, typed: Typed
) -> None:
    written("steady.py", STEADY)
    donors = "cohorts: [{name: donor, count: 4, components: [steady]}]\nuses: [steady.py]\n"
    file = written("steady.yaml", FIXED[: FIXED.index("cohorts")] + donors)
    assert typed("run", file, "--out", "steady.run", "--quiet").code == 0
    Path("again.yaml").write_text(transplant_experiment("steady.run", 2, replicates=1), "utf-8")
    assert typed("sweep", "again.yaml", "--quiet", "--out", "swept").code == 0
    lives = Evolution(society.open_sweep("swept")).lives
    assert set(lives["steps"]) == {3.0}
    assert set(lives["saying"]) == {"no: \x01 \u20ac\nmore\U0001f600"}


def test_a_label_may_be_set_by_a_field_of_another_name(written: Written, typed: Typed) -> None:
    """The column `persona` is set by `temper`, which takes its labels."""
    donors = (
        "cohorts:\n- {name: kind, count: 2, components: [persona: {temper: altruist}, donation]}\n"
        "- {name: mean, count: 2, components: [persona: {temper: selfish}, donation]}\n"
    )
    file = written("titled.yaml", FIXED[: FIXED.index("cohorts")] + donors)
    assert typed("run", file, "--out", "titled.run", "--quiet").code == 0
    lives = Evolution(society.open_run("titled.run")).lives
    personas = dict(zip(lives["name"], lives["persona"], strict=True))
    said = YAML(typ="safe").load(transplant_experiment("titled.run", 2, replicates=1))["conditions"]
    assert {
        name.split(" ", 1)[1].split(" x ")[0]: parts["cohorts.focal.components"][0]["persona"][
            "temper"
        ]
        for name, parts in said.items()
    } == {name: personas[name] for name in (one.split(" ", 1)[1].split(" x ")[0] for one in said)}


FORGETFUL = """
import numpy as np
from dataclasses import dataclass
from society.engine.component import Column
from society.components.donor.donation import Donation


@dataclass(frozen=True)
class Moody(Donation):
    columns = (*Donation.columns, Column("mood", int, public=True, heritable=True))
"""


def test_a_trait_that_no_field_sets_cannot_be_transplanted(written: Written, typed: Typed) -> None:
    written("moody.py", FORGETFUL)
    donors = "cohorts: [{name: donor, count: 4, components: [moody]}]\nuses: [moody.py]\n"
    file = written("moody.yaml", FIXED[: FIXED.index("cohorts")] + donors)
    assert typed("run", file, "--out", "moody.run", "--quiet").code == 0
    with pytest.raises(InputError, match="moody keeps the heritable column 'mood', which is no f"):
        transplant_experiment("moody.run", 2)


def test_another_study_is_no_transplant_experiment(run: Evolution) -> None:
    with pytest.raises(InputError, match=r"kept.run is no transplant experiment; play what"):
        compare_transplants(run.study)
