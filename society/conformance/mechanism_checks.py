"""Check a mechanism around each game that there is: where it stands, and why not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from society.config.build import Society, build
from society.config.registry import Registry, RegistryItem, scenarios
from society.config.run_config import load_config
from society.errors import InputError

from .society_checks import (
    CheckResult,
    check_wired,
    describe_failure,
    play_once,
    refused_results,
    small_society,
)


def check_mechanism(
    thing: RegistryItem, registry: Registry, users: Sequence[Society] = ()
) -> Iterator[CheckResult]:
    """Wrap each scenario in a mechanism; play those that accept it, one of them in all ways.

    registry: has the mechanism, if it is the user's. users: societies of the user's; those that
    have it are played in all ways.
    """
    having = [one for one in users if _has_layer(one, thing.name)]
    for one in having:
        yield from check_wired(small_society(one), f"{thing.name} in {Path(one.found).name}")
    stands, refusals = list[str](), dict[str, list[str]]()
    played, broken = 0, False
    for name in scenarios():
        subject = f"{thing.name} around {name}"
        try:
            setup = _wrapped(name, thing, registry)
        except InputError as error:
            if f"the mechanism {thing.name} fails around" in str(error):  # it does not refuse
                broken = True
                yield from refused_results(subject, error)
            else:
                refusals.setdefault(_reason(error), []).append(name)
            continue
        results = [*(_played if played else check_wired)(setup, subject)]
        if unknown := _unknown_fact(results):
            words = f"it reads the fact {unknown}, which is not told there"
            refusals.setdefault(words, []).append(name)
            continue
        played += 1
        yield from results
        if any(result.outcome == "error" for result in results):
            broken = True
        else:
            stands.append(name)
    if stands:
        words = f"stands around {len(stands)} of {len(scenarios())} scenarios, each played small"
        yield CheckResult(thing.name, "ok", f"{words}: {', '.join(stands)}")
    elif not broken and not having:
        words = "stands around none of the scenarios that come with the program"
        yield CheckResult(thing.name, "error", words)
    for reason, names in refusals.items():
        words = f"not around {', '.join(names)}: {reason}"
        yield CheckResult(thing.name, "ok" if stands or broken or having else "error", words)


def _played(setup: Society, subject: str) -> Iterator[CheckResult]:
    """Play a small society once; yield nothing if it plays to its end."""
    try:
        play_once(setup)
    except Exception as error:  # code of the user's may raise anything: that is a finding
        words = f"does not play to its end: {describe_failure(error)}"
        yield CheckResult(subject, "error", words)


def _unknown_fact(results: Sequence[CheckResult]) -> str:
    """The name of a fact that a mechanism reads and the play around which it was tried lacks."""
    found = (re.search(r"has no fact ('\w+')", one.words) for one in results)
    return next((one[1] for one in found if one), "")


def _has_layer(society: Society, mechanism: str) -> bool:
    return any(layer.spec.name == mechanism for layer in society.scenario.layers)


def _wrapped(scenario: str, mechanism: RegistryItem, registry: Registry) -> Society:
    """Build a small society of a scenario within a mechanism; raises InputError."""
    changes: dict[str, Any] = {"mechanisms": [{mechanism.name: {}}], "replicates": 2}
    changes["uses"] = [file for file in registry.files if file.endswith(".py")]
    objects = [] if changes["uses"] else [one.value for one in registry.own]
    try:
        return build(load_config(scenario, {**changes, "rounds": 3}), objects)
    except InputError:  # perhaps it needs more rounds
        return small_society(build(load_config(scenario, changes), objects))


def _reason(error: InputError) -> str:
    """The reason of a refusal, without the place in a configuration that nobody has written."""
    line = str(error).splitlines()[0]
    place, _, words = line.partition(": ")
    root, *keys = place.split(".")  # mechanisms[0].NAME.PARAMETER
    return f"{'.'.join(keys[1:])} {words}".lstrip() if root.startswith("mechanisms[") else line
