"""What a reproduction would ask of its models, counted before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable

from society.calls import added
from society.experiments.jobs import PlannedRun
from society.models.estimate import Counting, Forecast
from society.runs.drafting import drafted


def forecasts(parts: Iterable[PlannedRun]) -> list[Forecast]:
    """Of all runs together, by model; the offline mind plays all of them, designs included."""
    by_model: dict[str, list[Forecast]] = {}
    for part in parts:
        for one in _counted(part) if part.speaks else ():
            by_model.setdefault(one.model, []).append(one)
    return [_together(model, found) for model, found in sorted(by_model.items())]


def _counted(part: PlannedRun) -> list[Forecast]:
    minds = Counting(part.setup.spec.models, seed=part.setup.seed)
    drafted(part.setup, minds).gamemaster(minds=minds).play()
    return minds.forecasts()


def _together(model: str, found: Iterable[Forecast]) -> Forecast:
    """The sums; a cost is unknown if one of theirs is."""
    calls, prompt, reply, most, cost, most_cost = zip(*(one[1:] for one in found), strict=True)
    return Forecast(
        model, sum(calls), sum(prompt), sum(reply), sum(most), added(cost), added(most_cost)
    )
