"""Check a user's file without playing it in earnest: scenario, Python, experiment, prompts.

Names, values and wiring are checked as for a run; then a small society is played with offline
minds, in ways that may change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from society.config.build import Society, build, with_wiring_checked
from society.config.defaults import find_defaults
from society.config.hook_checks import component_issues
from society.config.registry import Registry, scenarios
from society.config.run_config import load_config
from society.config.yaml_source import read_yaml
from society.engine.component import ANYTHING, Component
from society.engine.mechanism import dry_run
from society.engine.population import Cohort, fill_from_params
from society.engine.script import Ask, Tell
from society.errors import FileError, InputError, ScenarioError, short_path
from society.index import presets

from .experiment_checks import check_experiment
from .instrument_checks import check_instrument, is_instrument
from .mechanism_checks import check_mechanism
from .pack_checks import check_pack
from .society_checks import CheckResult, check_wired, refused_results, small_society

_MOST_LINES = 500  # of a scenario, in search of one that asks what a component answers


def check_file(reference: str) -> Iterator[CheckResult]:
    """Check a scenario by name or file, a .py file, an experiment, an instrument, or prompts.

    Raises InputError for what is none of these.
    """
    path = Path(reference).expanduser()
    if path.is_dir():
        yield from check_pack(path.resolve())
    elif path.suffix == ".py":
        yield from _check_python(str(path.resolve()))
    elif path.suffix in (".yaml", ".yml") and is_instrument(said := read_yaml(path)[0]):
        yield from check_instrument(path)
    elif path.suffix in (".yaml", ".yml") and _is_experiment(said):
        yield from check_experiment(path)
    else:
        yield from _check_scenario(reference, Path(reference).name)


def _is_experiment(said: object) -> bool:
    return isinstance(said, Mapping) and "scenario" not in said


def _check_scenario(reference: str, subject: str) -> Iterator[CheckResult]:
    try:
        setup = build(find_defaults().fill(load_config(reference)))
    except InputError as error:
        yield from refused_results(subject, error)
        return
    yield from check_wired(small_society(setup), subject)


def _check_python(file: str) -> Iterator[CheckResult]:
    """Check the scenarios, components and mechanisms of a Python file."""
    registry = Registry()
    try:
        things = registry.add(file)
    except FileError:
        raise
    except InputError as error:
        yield from refused_results(Path(file).name, error)
        return
    found = [thing for thing in things if thing.sort != "function"]
    if not found:
        raise ScenarioError(
            f"{short_path(file)} defines no scenario, component or mechanism; nothing to check"
        )
    seated = set[type[Component]]()
    for thing in found:
        if thing.sort == "scenario":
            yield from _check_scenario(f"{file}:{thing.name}", thing.name)
            seated |= _parts_in(f"{file}:{thing.name}", registry)
    for thing in found:
        # The file is read anew for each scenario: classes are told apart by their names.
        if thing.sort == "component" and thing.name not in {one.title() for one in seated}:
            yield from _check_component(thing.value, file, registry)
        elif thing.sort == "mechanism":
            yield from check_mechanism(thing, file)


def _parts_in(reference: str, registry: Registry) -> set[type[Component]]:
    """Return the components in the default cast of a scenario."""
    scenario = registry.scenario(reference)
    try:
        cast = scenario.cast(scenario.params(), scenario.agents)
    except Exception:  # was reported when the scenario was checked
        return set()
    return {type(part) for cohort in cast for part in cohort.components}


def _check_component(kind: type[Component], file: str, registry: Registry) -> Iterator[CheckResult]:
    """Check a component by itself, then in a society that has a use for it."""
    title = kind.title()
    issues = [*component_issues(kind)]
    yield from (CheckResult(title, issue.severity, str(issue)) for issue in issues)
    if any(issue.severity == "error" for issue in issues):
        return
    host = _host(kind)
    if host is None:
        kinds = ", ".join((*kind.answers, *kind.notices)) or "nothing"
        words = (
            f"no scenario asks or tells what it answers or notices ({kinds}), so it is not played"
        )
        yield CheckResult(title, "warning", f"{words}; check a scenario file that has it")
        return
    try:
        setup = with_wiring_checked(_hosting(host, kind, registry))
    except InputError as error:
        yield from refused_results(title, error)
        return
    yield from check_wired(small_society(setup), f"{title} in {host.scenario.name}")


def _host(kind: type[Component]) -> Society | None:
    """Find a built-in society that asks what a component answers, or tells what it notices.

    A component that answers nothing and has words for prompts belongs among agents that read.
    """
    reads = not kind.answers and (kind.overrides("brief") or kind.overrides("ponder"))
    notices_some = kind.notices and kind.notices != ANYTHING
    for name in [*scenarios(), *presets()]:
        host = _rehearsed_host(name)
        if host is None or (reads and not host.in_words):
            continue
        heard = not (host.asked.isdisjoint(kind.answers) and host.told.isdisjoint(kind.notices))
        if heard or (reads and not notices_some):
            return host.society
    return None


class _Host(NamedTuple):
    """A built-in society, and the kinds of questions and news of its script.

    in_words: whether language minds play in it.
    """

    society: Society
    asked: frozenset[str]
    told: frozenset[str]
    in_words: bool


@cache  # each component of a file looks for its host among the same ones
def _rehearsed_host(name: str) -> _Host | None:
    try:
        setup = build(load_config(name), rehearsed=False)
    except InputError:
        return None
    lines = [*islice(dry_run(setup.scenario.play, setup.environment()), _MOST_LINES)]
    asked = frozenset(line.kind for line in lines if isinstance(line, Ask))
    told = frozenset(line.kind for line in lines if isinstance(line, Tell))
    in_words = any(part.models for cohort in setup.cast() for part in cohort.components)
    return _Host(setup, asked, told, in_words)


def _hosting(host: Society, kind: type[Component], registry: Registry) -> Society:
    """Put a component first in every cohort of a society, in place of owners of its columns."""
    part = fill_from_params(kind, host.params)
    columns = {column.name for column in kind.columns}

    def with_part(cohort: Cohort) -> Cohort:
        others = (
            one
            for one in cohort.components
            if columns.isdisjoint(column.name for column in one.columns)
            and not (one.answers and set(one.answers) <= set(kind.answers))
        )
        return replace(cohort, components=(part, *others))

    cast = [with_part(cohort) for cohort in host.cast()]
    scenario = replace(host.scenario, cast=lambda params, agents: cast)
    return replace(host, scenario=scenario, files=registry.files)


def checks_as_json(results: list[CheckResult]) -> str:
    """Return results as a JSON list."""
    return json.dumps([result._asdict() for result in results], indent=2)
