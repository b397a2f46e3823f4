"""Effects of transplants: what newborn agents do and earn, less what their ancestors do."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, get_args

from society.analysis.statistics import NotEstimable, PairedContrast, paired
from society.analysis.statistics.samples import try_compute
from society.analysis.study.condition import ConditionRun
from society.analysis.study.frames import CONDITION
from society.analysis.study.study import Study
from society.errors import InputError, short_path
from society.optional import require

from .evolution_study import Evolution

FOCAL = "focal"  # the cohort of the one that is compared; residents are called as they were

TransplantOrigin = Literal["newborn", "ancestor"]


def focal_condition(origin: TransplantOrigin, agent: str, weight: float) -> str:
    """Name the condition of a focal agent.

    weight: as how many newborn agents it counts.

    >>> focal_condition("ancestor", "agent 1_2", 1.5)
    'ancestor agent 1_2 x 1.5'
    """
    return f"{origin} {agent} x {weight:.6g}"


_NAME = rf"(?P<origin>{'|'.join(get_args(TransplantOrigin))}) .+ x (?P<weight>\S+)"


class TransplantDifference(NamedTuple):
    """A difference of means over newborn agents and over their ancestors, weighted by descent.

    contrast: with its interval over replicates, which differ by chance alone; or why there is none,
    as where all replicates differ by the same.
    """

    newborn: float
    ancestors: float
    difference: float
    contrast: PairedContrast | NotEstimable


class TransplantEffects(NamedTuple):
    """Newborn agents less those from whom they descend, before the same population.

    Intervals are over chance: they hold for these very agents.
    """

    phenotype: TransplantDifference
    fitness: TransplantDifference


def focal_agents(study: Study) -> Any:
    """Tabulate the focal agents of a transplant experiment, one row for each in each replicate.

    origin: newborn or ancestor. weight: how many newborn agents it stands for. replicate; fitness,
    phenotype: as in Evolution.lives. Raises InputError for another study.
    """
    seats = {run.name: _focal_seat(run) for run in study.played}
    lives = Evolution(study).lives
    rows = lives[lives["agent"] == lives[CONDITION].astype(str).map(seats)]
    origins = rows[CONDITION].astype(str).str.extract(_NAME)
    origins["weight"] = origins["weight"].astype(float)
    named = rows[[CONDITION, "replicate", "fitness", "phenotype"]]
    return require("pandas").concat([origins, named], axis=1).reset_index(drop=True)


def _focal_seat(run: ConditionRun) -> int:
    seats = [seat for note in run.manifest.cohorts if note.name == FOCAL for seat in note.seats]
    if len(seats) != 1 or not re.fullmatch(_NAME, run.name):
        raise InputError(
            f"{short_path(run.path)} is no transplant experiment; play what "
            "society.analysis.evolution.transplant_experiment writes"
        )
    return seats[0]


def compare_transplants(study: Study) -> TransplantEffects:
    """Compare newborn agents with their ancestors in the sweep of a transplant experiment.

    Raises NotEstimable if newborn agents or ancestors have not been played; InputError for another
    study.
    """
    agents = focal_agents(study)
    for origin in get_args(TransplantOrigin):
        if not (agents["origin"] == origin).any():
            raise NotEstimable(f"no {origin} has been played; there is nothing to compare")
    return TransplantEffects(*(_difference(agents, name) for name in ("phenotype", "fitness")))


def _difference(agents: Any, name: str) -> TransplantDifference:
    known = agents[agents[name].notna()]
    sums = known.assign(**{name: known[name] * known["weight"]})
    sums = sums.groupby(["origin", "replicate"])[[name, "weight"]].sum()
    means = (
        (sums[name] / sums["weight"]).unstack("origin").reindex(columns=get_args(TransplantOrigin))
    )
    newborn, ancestors = (means[origin].to_numpy(float) for origin in get_args(TransplantOrigin))
    both = means.dropna().mean()
    young, old = (float(both[origin]) for origin in get_args(TransplantOrigin))
    return TransplantDifference(young, old, young - old, try_compute(paired, newborn, ancestors))
