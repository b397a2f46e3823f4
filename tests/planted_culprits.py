"""Villages with a planted culprit and without one, and how often `society why` names somebody.

A culprit is a villager without whom, in at least SAVED of CONTINUATIONS with fresh chance from the
beginning, a village that has failed lives to its horizon. Restrained and greedy villagers have the
first efforts of the paper's altruists and selfish agents, and seldom fine anybody; the personas
themselves differ in fining and beliefs as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import society
from society.analysis.histories import explain
from society.config.run_config import Setting
from society.runs.fork import Changes, branch, fork
from society.runs.runfile import RunFile, open_run_file

CONTINUATIONS, SAVED = 40, 0.9
RESTRAINED, GREEDY = (0.2, 0.5), (0.7, 1.0)


class Design(NamedTuple):
    """Villages of one kind: cohorts as (name, count, range of first efforts), and parameters.

    cohorts: (): those of the parameter `population`. planted: whether the last villager is a
    planted culprit.
    """

    name: str
    cohorts: tuple[tuple[str, int, tuple[float, float]], ...]
    parameters: Mapping[str, Any]
    planted: bool = False


class InWords(NamedTuple):
    """Language villages of one kind, in which the minds of tests.scripted_villagers are asked.

    greedy: how many of the villagers do not fish with restraint, the last ones; one is a planted
    culprit.
    """

    name: str
    villagers: int
    greedy: int
    parameters: Mapping[str, Any]


class Named(NamedTuple):
    """What was told of the villages of one design that failed.

    failed: how many. culprits: how many of them have a culprit, as the module says; of designs
    without a planted one, none was looked for. right, wrong: in how many of those that count the
    planted villager was named, or another one.
    """

    failed: int
    culprits: int
    right: int
    wrong: int


def planted(name: str, villagers: int = 10, **parameters: Any) -> Design:
    cohorts = (("restrained", villagers - 1, RESTRAINED), ("greedy", 1, GREEDY))
    return Design(name, cohorts, parameters, planted=True)


def personas(name: str, *, planted: bool = False, **parameters: Any) -> Design:
    return Design(name, (), parameters, planted)


def several(greedy: int, **parameters: Any) -> Design:
    cohorts = (("restrained", 10 - greedy, RESTRAINED), ("greedy", greedy, GREEDY))
    learning = "" if parameters.get("social_learning", True) else ", nobody imitates"
    return Design(f"{greedy} greedy among restrained{learning}", cohorts, parameters)


def alike(name: str, efforts: tuple[float, float], **parameters: Any) -> Design:
    return Design(name, (("villager", 10, efforts),), parameters)


_EDGE: Mapping[str, Any] = {  # villagers on the edge of hunger: preset fishing_village_subsistence
    "stock": 0.6,
    "catchability": 0.0425,
    "consumption": 4,
    "wealth": 60,
    "selection": 0.05,
    "effort_noise": 0.1,
    "belief_noise": 1,
    "payoff": "average",
}
WITH_CULPRIT = (
    planted("a rich lake"),
    planted("a lake that grows by half", growth=0.5),
    planted("nobody imitates", growth=0.5, social_learning=False),
    planted("five villagers", 5, catchability=0.1),
    personas("personas, a rich lake", planted=True, population="mixed", altruists=0.9),
    personas(
        "personas, it grows by half", planted=True, population="mixed", altruists=0.9, growth=0.5
    ),
)
EQUAL_TAKERS = (
    alike("all fish with 0.7", (0.7, 0.7), growth=0.5),
    alike("all fish with 0.9", (0.9, 0.9)),
    alike("all fish with 0.6, nobody imitates", (0.6, 0.6), growth=0.5, social_learning=False),
)
MANY_TAKERS = (
    several(2),
    several(3),
    several(5),
    several(3, social_learning=False),
    personas("personas, 2 selfish", population="mixed", altruists=0.8),
    personas("personas, 5 selfish", population="mixed"),
    personas("personas, all selfish", population="selfish"),
)
BAD_LUCK = (
    alike("restrained, a poor lake", RESTRAINED, growth=0.4),
    alike("restrained, nobody imitates", RESTRAINED, growth=0.4, social_learning=False),
    alike("restrained, on the edge of hunger", RESTRAINED, **_EDGE),
    personas("personas, general"),
    personas("personas, general, it grows by half", growth=0.5),
)


_IN_WORDS: Sequence[tuple[str, int, Mapping[str, Any]]] = (
    ("five, who fine, talk over norms and vote", 5, {"growth": 0.3, "catchability": 0.1}),
    (
        "five, who know of nobody",
        5,
        {"growth": 0.28, "catchability": 0.1, "condition": "neither"},
    ),
)
IN_WORDS_WITH_CULPRIT = tuple(InWords(name, count, 1, p) for name, count, p in _IN_WORDS)
IN_WORDS_WITHOUT = (
    *(InWords(f"{name}; all greedy", count, count, p) for name, count, p in _IN_WORDS),
    *(InWords(f"{name}; two greedy", count, 2, p) for name, count, p in _IN_WORDS),
    *(
        InWords(f"{name}; a poor lake", count, 0, {**p, "growth": 0.2, "wealth": 10})
        for name, count, p in _IN_WORDS
    ),
)


def cohorts_of(design: Design) -> list[dict[str, Any]] | None:
    """The cohorts of a design, as a scenario file has them."""
    return [_cohort(*one) for one in design.cohorts] or None


def _play(design: Design, villages: int, seed: int, out: Path) -> None:
    """Play villages of a design into a run file."""
    lake = {"scenario": "fishing_village", "cohorts": cohorts_of(design)}
    given = lake | {"parameters": dict(design.parameters)}
    society.run(given, replicates=villages, seed=seed, out=out)


def measure(design: Design, villages: int, seed: int) -> Named:
    """Play villages of a design, and ask of each that has failed why it did."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "lake.run")
        _play(design, villages, seed, file)
        with open_run_file(file) as run:
            outcome = run.outcome()
            failed = np.flatnonzero(~outcome.censored["survival_time"]).tolist()
            counted = [one for one in failed if not design.planted or _saved(run, one, seed)]
            named = [explain(run, one).named for one in counted]
            culprit = (run.manifest.agents - 1,) if design.planted else ()
    right = sum(one == culprit for one in named if one)
    wrong = sum(one != culprit for one in named if one)
    return Named(len(failed), len(counted) if design.planted else 0, right, wrong)


def measure_changed(
    design: Design, change: tuple[str, float], after: int, villages: int, seed: int
) -> Named:
    """Play villages of a design, change a parameter after a round, and ask why they failed.

    Those count that failed after the change. A planted villager is a culprit if the village, with
    the change, would mostly have lived without it, from that round on.
    """
    with TemporaryDirectory() as folder:
        first, file = Path(folder, "lake.run"), Path(folder, "changed.run")
        _play(design, villages, seed, first)
        setting = Setting(*change, "here")
        fork(first, after, Changes(settings=[setting]), file, conclude=False)
        with open_run_file(first) as parent, open_run_file(file) as run:
            outcome = run.outcome()
            lasted = outcome.values["survival_time"]
            over = ~outcome.censored["survival_time"] & (lasted > after)
            failed = np.flatnonzero(over).tolist()
            counted = [
                one
                for one in failed
                if not design.planted or _saved(parent, one, seed, after, (setting,))
            ]
            named = [explain(run, one).named for one in counted]
            culprit = (run.manifest.agents - 1,) if design.planted else ()
    right = sum(one == culprit for one in named if one)
    wrong = sum(one != culprit for one in named if one)
    return Named(len(failed), len(counted) if design.planted else 0, right, wrong)


def measure_in_words(
    design: InWords, villages: int, seed: int, continuations: int = CONTINUATIONS
) -> Named:
    """Play language villages of a design, and ask of each that has failed why it did.

    A continuation is a fork with fresh chance, in which the minds are asked again.
    """
    planted = design.greedy == 1
    with TemporaryDirectory() as folder:
        file = Path(folder, "lake.run")
        society.run(_in_words(design), replicates=villages, seed=seed, out=file)
        lived = np.zeros(villages)
        for number in range(continuations if planted else 0):
            without = Changes(remove=[str(design.villagers - 1)], seed=seed + number + 1)
            out = Path(folder, f"{number}.run")
            fork(file, 0, without, out, fresh=True, conclude=False)
            with open_run_file(out) as run:
                lived += run.outcome().censored["survival_time"]
        saved = lived >= SAVED * continuations if planted else np.ones(villages, bool)
        with open_run_file(file) as run:
            failed = ~run.outcome().censored["survival_time"]
            counted = np.flatnonzero(failed & saved).tolist()
            named = [explain(run, one).named for one in counted]
    culprit = (design.villagers - 1,) if planted else ()
    right = sum(one == culprit for one in named if one)
    wrong = sum(one != culprit for one in named if one)
    return Named(int(failed.sum()), len(counted) if planted else 0, right, wrong)


def _in_words(design: InWords) -> dict[str, Any]:
    """A language village, as a scenario file has it."""
    file = str(Path(__file__).with_name("scripted_villagers.py"))
    counts = {"restrained": design.villagers - design.greedy, "greedy": design.greedy}
    minds = {name: count for name, count in counts.items() if count}
    cohorts = [
        {
            "name": name,
            "count": count,
            "components": ["persona", "personal_norm", {"language_policy": {"model": name}}],
        }
        for name, count in minds.items()
    ]
    return {
        "scenario": "language_village",
        "uses": [file],
        "models": {name: f"{file}:{name}" for name in minds},
        "cohorts": cohorts,
        "rounds": 50,
        "parameters": {"norm_embedder": "hashing", **design.parameters},
    }


def _saved(
    run: RunFile, replicate: int, seed: int, after: int = 0, settings: Sequence[Setting] = ()
) -> bool:
    """Check whether a village lives on from a round, mostly, without its last villager."""
    last = str(run.manifest.agents - 1)
    without = Changes(settings=settings, remove=[last], seed=seed + replicate + 1)
    outcome = branch(run, after, without, count=CONTINUATIONS, replicate=replicate)
    return bool(outcome.censored["survival_time"].mean() >= SAVED)


def _cohort(name: str, count: int, efforts: tuple[float, float]) -> dict[str, Any]:
    faculties: list[Any] = [{"persona": {"temper": "altruist"}}, "norm_belief", "punishment"]
    harvest = {"effort_rule": "trait", "efforts": [list(efforts)] * 3}
    faculties += ["social_learning", "voting", {"harvest": harvest}]
    return {"name": name, "count": count, "components": faculties}
