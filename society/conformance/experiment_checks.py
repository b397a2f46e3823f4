"""Check an experiment: every condition is built, and as many as are few are played small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from society.config.defaults import find_defaults
from society.config.wiring_issues import issues_of_conditions
from society.errors import InputError
from society.experiments.experiment import Condition, read_experiment

from .society_checks import (
    CheckResult,
    check_society,
    deferred_results,
    describe_failure,
    play_once,
    refused_results,
    small_society,
    wiring_results,
)

_MOST_PLAYED = 12


def check_experiment(path: Path) -> Iterator[CheckResult]:
    """Build all conditions, and play some of them, among them each level of each factor."""
    subject = path.name
    try:
        conditions = read_experiment(path, defaults=find_defaults()).conditions
    except InputError as error:
        yield from refused_results(subject, error)
        return
    found = issues_of_conditions([one.setup.wiring for one in conditions])
    issues = [issue for issue in found if not issue.deferred]
    yield from wiring_results(subject, issues, f"names and values of {len(conditions)} conditions")
    first, *others = choose_conditions(conditions)
    failed = False
    for result in check_society(small_society(first.setup), f"{subject}, {first.name}"):
        failed |= result.outcome == "error"
        yield result
    for condition in others:
        try:
            play_once(small_society(condition.setup))
        except Exception as error:  # code of the user's may raise anything: that is a finding
            failed = True
            words = f"does not play to its end: {describe_failure(error)}"
            yield CheckResult(f"{subject}, {condition.name}", "error", words)
    if not failed:
        yield from deferred_results(subject, (one.setup for one in conditions))
        played = f"plays {len(others) + 1} of {len(conditions)} conditions small"
        more = "" if len(others) + 1 == len(conditions) else ", with each level of each factor"
        yield CheckResult(subject, "ok", f"{played}{more}")


def choose_conditions(
    conditions: Sequence[Condition], most: int = _MOST_PLAYED
) -> Sequence[Condition]:
    """Choose conditions until each level of each factor is among them, then others up to `most`."""
    if len(conditions) <= most:
        return conditions
    seen, chosen = set[tuple[str, object]](), list[int]()
    for place, condition in enumerate(conditions):
        levels = set(condition.factors.items())
        if not levels <= seen:
            seen |= levels
            chosen.append(place)
    step = max(1, len(conditions) // most)
    rest = (place for place in range(0, len(conditions), step) if place not in chosen)
    chosen += [place for place, _ in zip(rest, range(most - len(chosen)), strict=False)]
    return [conditions[place] for place in sorted(chosen)]
