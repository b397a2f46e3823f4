"""Caveats of a plan: where its pilot comes from, and what that cannot tell."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from society.analysis.statistics.samples import has_spread
from society.experiments.experiment import Experiment
from society.llm.providers.pricing import find_price
from society.optional import require

from .pilot import Pilot, asks_by_itself, models_asked

_FEW = 10  # runs, up to which their spread says little

PAPERS = (
    "the papers behind this program rest on 3, 5 and 10 runs of a condition; the smallest effect "
    "that Gupta et al. 2026 find with 10 (Table 1: F = 3.57, 2 and 189 degrees of freedom) has a "
    "partial eta squared of .036, and an eta squared, of all spread, of .02"
)


def list_caveats(experiment: Experiment, pilot: Pilot) -> list[str]:
    """List caveats, a sentence each, the most important first."""
    caveats = [*_no_pilot(experiment, pilot), *_pilot(experiment, pilot), *_outcome(pilot)]
    return [*caveats, *_tests(pilot), *_costs(experiment, pilot)]


def _no_pilot(experiment: Experiment, pilot: Pilot) -> Iterator[str]:
    if len(experiment.conditions) == 1:
        yield "there is one condition, and nothing to compare it with: only costs can be estimated"
    elif pilot.origin == "none":
        named = ", ".join(models_asked(experiment)) or "somebody of its own"
        yield (
            f"effects need a pilot, and this experiment asks {named}, which may cost money: sweep "
            "it with replicates: 3 into a folder of its own (--out DIR), then plan with that folder"
        )


def _pilot(experiment: Experiment, pilot: Pilot) -> Iterator[str]:
    if not pilot.trials:
        return
    count, of = len(pilot.trials), len(experiment.conditions)
    if count < of:
        yield (
            f"the pilot has {count} of {of} conditions, spread over the factors; the others are "
            "taken to be like them"
        )
    runs = min(len(trial.values) for trial in pilot.trials)
    if 1 < runs <= _FEW:
        low, high = _factors(runs)
        yield (
            f"{runs} pilot runs tell the spread of a condition only roughly: the real one may be "
            f"{low:.1f} to {high:.1f} times as large, and with it each difference given here"
        )
    if "offline" in models_asked(experiment):
        yield (
            "the offline mind is a script: its runs do not differ as those of a language model do; "
            "take a pilot of the model itself before you rely on this"
        )


def _factors(runs: int) -> tuple[float, float]:
    """Return the bounds, at 95 %, of the true standard deviation over that of so many runs."""
    low, high = require("scipy.stats").chi2.ppf([0.975, 0.025], runs - 1)
    return math.sqrt((runs - 1) / low), math.sqrt((runs - 1) / high)


def _outcome(pilot: Pilot) -> Iterator[str]:
    runs = sum(len(trial.values) for trial in pilot.trials)
    if censored := sum(trial.censored for trial in pilot.trials):
        yield (
            f"{censored} of {runs} pilot runs went on to their last round, which then counts as "
            "their time: differences beyond it are not seen; more rounds would tell"
        )
    flat = [
        f"{trial.condition.name} ({trial.values[0]:g})"
        for trial in pilot.trials
        if len(trial.values) > 1 and not has_spread(trial.values)
    ]
    if flat:
        yield f"all pilot runs came to the same, so that more may show no spread: {', '.join(flat)}"
    if missing := sum(int(np.isnan(trial.values).sum()) for trial in pilot.trials):
        yield f"{missing} of {runs} pilot runs have no value, and are left out"


def _tests(pilot: Pilot) -> Iterator[str]:
    if len(pilot.trials) < 2:
        return
    yield (
        "each difference is tested alone; where several are, with a correction, larger ones are "
        "needed"
    )


def _costs(experiment: Experiment, pilot: Pilot) -> Iterator[str]:
    if pilot.rounds is not None:
        least, most = pilot.rounds
        rounds = f"{least}" if least == most else f"{least} to {most}"
        yield (
            f"costs are an estimate: the offline mind played in the place of models, {rounds} "
            "rounds long, at four characters a token, from replies as short as its own to replies "
            "that take all the room they have; real minds may end sooner, or last for all "
            f"{experiment.conditions[0].setup.rounds} rounds and take as much more"
        )
    if experiment.coding is not None:
        yield "the coding of norms is not counted"
    unpriced = [name for name, spec in models_asked(experiment).items() if find_price(spec) is None]
    if unpriced and pilot.demand.cost is None:
        yield f"dollars are unknown, since there is no price of {', '.join(unpriced)}"
    if any(asks_by_itself(condition.setup) for condition in experiment.conditions):
        yield "a component calls a model by itself: these calls are not counted"
    if pilot.origin == "finished runs":
        yield "seconds are unknown: run files do not keep how long they took"
