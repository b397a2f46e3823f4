"""A pilot: a few runs of an experiment, which tell how much runs differ and what they take.

Finished runs in the folder of the sweep are the pilot. Where there are none, rules, the offline
mind and tapes are played now, in memory, since that costs nothing. Who may cost money is never
asked: the offline mind plays in the place of models and counts what they would be asked, which
tells a price and no effect.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from society.config.build import Society
from society.engine.calls import Spent, sum_known
from society.engine.game_master import Outcome
from society.engine.rng import Array
from society.engine.scenario import Finding
from society.errors import InputError, suggest
from society.experiments.experiment import Condition, Experiment
from society.experiments.factors import Label
from society.experiments.jobs import PlannedRun, run_statuses
from society.llm.providers.budget import Budget
from society.llm.providers.estimate import Counting
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import Limits, ModelSpec
from society.runs.design_runs import make_designs
from society.runs.runfile import open_run_file

PilotOrigin = Literal["finished runs", "played now", "none"]

_CONDITIONS = 12  # in a pilot, at most
_RULES = 30  # runs of a condition by rules, which are quickly played
_SPEAKING = 10  # and by the offline mind or a tape, at most
_COUNTED = 3  # whose calls are counted: some societies last longer than others


class Demand(NamedTuple):
    """Calls, tokens, dollars and seconds that runs take; None where nobody knows.

    most_tokens, most_cost: if every reply takes all the room that it has; the same as the others
    where it was measured. cost in US dollars. seconds: of one core.
    """

    calls: float | None = None
    tokens: float | None = None
    most_tokens: float | None = None
    cost: float | None = None
    most_cost: float | None = None
    seconds: float | None = None

    def times(self, factor: float) -> Demand:
        """Multiply the demand."""
        return Demand(*(None if each is None else factor * each for each in self))


_NOTHING = Demand(0, 0, 0, 0, 0, 0)


class PilotRuns(NamedTuple):
    """The pilot runs of one condition.

    values: the outcome, (R,), NaN where there is none. censored: in how many runs it had not come.
    demand: of one run.
    """

    condition: Condition
    values: Array
    unit: str
    censored: int
    demand: Demand


class Pilot(NamedTuple):
    """A pilot: its origin, its runs, and what one run of each condition takes, all together.

    unit: of the outcome. rounds: how long societies lasted while calls were counted, the shortest
    and the longest; None if nothing was counted.
    """

    origin: PilotOrigin
    unit: str
    trials: tuple[PilotRuns, ...]
    demand: Demand
    rounds: tuple[int, int] | None = None


def find_pilot(experiment: Experiment, folder: Path) -> Pilot:
    """Find a pilot in the folder, or play or count one now, unrecorded; raises InputError."""
    every, outcome = experiment.conditions, experiment.analysis.outcome
    if outcome is None:
        raise InputError(f"{every[0].setup.scenario.name} measures nothing that could be compared")
    finished = [condition for condition in every if _is_finished(condition, folder)]
    if finished:
        trials = [
            _read_trial(condition, folder, outcome) for condition in spread_conditions(finished)
        ]
        return _make_pilot("finished runs", trials, len(every))
    if _free(experiment):
        trials = [_play_trial(condition, outcome) for condition in spread_conditions(every)]
        return _make_pilot("played now", trials, len(every))
    counted = [_estimate_demand(condition.setup) for condition in every]
    rounds = [lasted for _, lasted in counted if lasted]
    lasted = (min(rounds), max(rounds)) if rounds else None
    units = {measure.name: measure.unit for measure in every[0].setup.scenario.measures}
    return Pilot("none", units.get(outcome, ""), (), _sum(demand for demand, _ in counted), lasted)


def models_asked(experiment: Experiment) -> dict[str, ModelSpec]:
    """Return the settings of all models that are asked, by what `--model` calls them."""
    setups = [condition.setup for condition in experiment.conditions]
    asked = [
        ModelPool(setup.spec.models).spec(name) for setup in setups for name in setup.models_named
    ]
    return {spec.model: spec for spec in asked}


def asks_by_itself(setup: Society) -> bool:
    """Tell whether a component calls a model that it does not name."""
    parts = (part for cohort in setup.cast() for part in cohort.components)
    return any(part.overrides("consult") and not part.models for part in parts)


def _free(experiment: Experiment) -> bool:
    sorts = {spec.sort for spec in models_asked(experiment).values()}
    strange = any(asks_by_itself(condition.setup) for condition in experiment.conditions)
    return sorts <= {"offline", "tape"} and not strange


def spread_conditions(conditions: Sequence[Condition]) -> list[Condition]:
    """Choose a dozen conditions at most, still crossed: large factors are thinned out."""
    levels = {
        factor: list(dict.fromkeys(condition.factors[factor] for condition in conditions))
        for factor in conditions[0].factors
    }
    levels_left: dict[str, list[Label]] = dict(levels)
    while len(chosen := _having(conditions, levels_left)) > _CONDITIONS:
        longest = max(levels_left, key=lambda factor: len(levels_left[factor]))
        levels_left[longest] = _evenly(levels[longest], len(levels_left[longest]) - 1)
    return chosen


def _having(conditions: Iterable[Condition], levels: dict[str, list[Label]]) -> list[Condition]:
    return [
        condition
        for condition in conditions
        if all(condition.factors[factor] in labels for factor, labels in levels.items())
    ]


def _evenly(labels: Sequence[Label], count: int) -> list[Label]:
    """Choose labels at even distances, among them the first and the last."""
    return [labels[place] for place in np.linspace(0, len(labels) - 1, count).round().astype(int)]


def _is_finished(condition: Condition, folder: Path) -> bool:
    """Tell whether the runs of a condition are there; raises RunFileError for other ones."""
    file, setup = folder / condition.file, condition.setup
    if not file.exists():
        return False
    with open_run_file(file) as run:
        replicates = run.manifest.replicates
    # A pilot has fewer runs than what is planned from it; nothing else may differ.
    like = replace(setup, spec=setup.spec.model_copy(update={"replicates": replicates}))
    return run_statuses([PlannedRun(condition.name, like, file)])[condition.name] == "finished"


def _read_trial(condition: Condition, folder: Path, name: str) -> PilotRuns:
    with open_run_file(folder / condition.file) as run:
        return _trial(condition, run.outcome(), run.findings() or (), name)


def _play_trial(condition: Condition, name: str) -> PilotRuns:
    setup = condition.setup
    count = min(_SPEAKING, setup.replicates) if setup.models_named else _RULES
    if setup.scenario.seats is not None:  # replicates are matches, of which none stands for others
        count = setup.replicates
    setup = make_designs(setup, setup.minds(budget=Budget(Limits(), Spent())))
    game = setup.gamemaster(
        minds=setup.minds(budget=Budget(Limits(), Spent())), env=setup.environment(np.arange(count))
    )
    began = time.process_time()
    outcome = game.play()
    return _trial(condition, outcome, (), name, time.process_time() - began)


def _trial(
    condition: Condition,
    outcome: Outcome,
    findings: Iterable[Finding],
    name: str,
    seconds: float | None = None,
) -> PilotRuns:
    measured = {
        key: (outcome.values[key], measure.unit) for key, measure in outcome.measures.items()
    }
    measured |= {finding.name: (finding.values, finding.unit) for finding in findings}
    if name not in measured:
        raise InputError(
            f"analysis.outcome: no run of the pilot measures {name!r}; {suggest(name, measured)} "
            "(findings are known of runs in a folder: sweep a few, then plan)"
        )
    values, unit = measured[name]
    asked = outcome.ledger
    calls = sum_known(entry.calls for entry in asked)
    tokens = sum_known(
        count for entry in asked for count in (entry.prompt_tokens, entry.completion_tokens)
    )
    cost = sum_known(entry.cost for entry in asked)
    used = Demand(calls, tokens, tokens, cost, cost, seconds)
    waiting = outcome.censored.get(name, np.zeros(0))
    return PilotRuns(condition, values, unit, int(waiting.sum()), used.times(1 / len(values)))


def _estimate_demand(setup: Society) -> tuple[Demand, int]:
    """Estimate the demand of one run and the rounds it lasts at most; nothing is asked."""
    if asks_by_itself(setup):
        return Demand(), 0
    once, counting = (setup.counting() for _ in range(2))
    setup = make_designs(setup, once)
    count = _COUNTED if setup.scenario.seats is None else min(_COUNTED, setup.replicates)
    game = setup.gamemaster(minds=counting, env=setup.environment(np.arange(count)))
    rounds = game.play().rounds
    each = _sum_forecasts(counting).times(1 / count)
    return _sum([each, _sum_forecasts(once).times(1 / setup.replicates)]), rounds


def _sum_forecasts(counting: Counting) -> Demand:
    """Sum up the calls and tokens that were counted."""
    return _sum(
        Demand(
            forecast.calls,
            forecast.prompt_tokens + forecast.reply_tokens,
            forecast.prompt_tokens + forecast.most_reply_tokens,
            forecast.cost,
            forecast.most_cost,
        )
        for forecast in counting.forecasts()
    )


def _make_pilot(origin: PilotOrigin, trials: Sequence[PilotRuns], conditions: int) -> Pilot:
    """Return a pilot with the demand of all conditions; those left out are like the others."""
    used = _sum(trial.demand for trial in trials)
    return Pilot(origin, trials[0].unit, tuple(trials), used.times(conditions / len(trials)))


def _sum(demands: Iterable[Demand]) -> Demand:
    """Add demands up; the sum of none is nothing."""
    return Demand(*map(sum_known, zip(*(_NOTHING, *demands), strict=True)))
