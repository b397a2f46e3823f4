"""Check a user's file without playing it in earnest: scenario, Python, experiment or prompts.

Names, values and wiring are checked as for a run; then a small society is played with offline
minds, in ways that may change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from society.config.build import Society, build, with_wiring_checked
from society.config.registry import Registry, RegistryItem, scenarios
from society.config.run_config import RunConfig, Setting, load_config, override
from society.config.wiring import component_issues
from society.config.yaml_source import read_yaml
from society.engine.component import Component
from society.engine.mechanism import dry_run
from society.engine.population import Cohort, fill_from_params
from society.engine.script import Ask, Inherit
from society.errors import FileError, InputError, ScenarioError, short_path, suggest
from society.experiments.experiment import read_experiment
from society.index import presets

from .society_checks import CheckResult, check_society, small_society


def check_file(reference: str) -> Iterator[CheckResult]:
    """Check a scenario by name or file, a .py file, an experiment, or a folder of prompts.

    Raises InputError for what is none of these.
    """
    path = Path(reference).expanduser()
    if path.is_dir():
        yield from _check_prompts(path.resolve())
    elif path.suffix == ".py":
        yield from _check_python(str(path.resolve()))
    elif path.suffix in (".yaml", ".yml") and _is_experiment(path):
        yield from _check_experiment(path)
    else:
        yield from _check_scenario(reference, Path(reference).name)


def _is_experiment(path: Path) -> bool:
    said, _ = read_yaml(path)
    return isinstance(said, Mapping) and "scenario" not in said


def _refused(subject: str, error: InputError) -> Iterator[CheckResult]:
    """Yield each line of an error as a result."""
    yield from (CheckResult(subject, "error", line) for line in str(error).splitlines())


def _wiring(subject: str, setup: Society) -> Iterator[CheckResult]:
    issues = dict.fromkeys(setup.wiring)
    yield from (CheckResult(subject, issue.severity, str(issue)) for issue in issues)
    if not issues:
        yield CheckResult(subject, "ok", "names, values and wiring")


def offline(spec: RunConfig) -> RunConfig:
    """Return a configuration in which every model is the offline mind, which costs nothing."""
    return override(spec, [Setting(("models", name, "model"), "offline") for name in spec.models])


def _check_scenario(
    reference: str, subject: str, changes: Mapping[str, Any] | None = None
) -> Iterator[CheckResult]:
    try:
        setup = build(offline(load_config(reference, changes)))
    except InputError as error:
        yield from _refused(subject, error)
        return
    yield from _wiring(subject, setup)
    yield from check_society(small_society(setup), subject)


def _check_experiment(path: Path) -> Iterator[CheckResult]:
    subject = path.name
    try:
        read = read_experiment(path)
    except InputError as error:
        yield from _refused(subject, error)
        return
    issues = dict.fromkeys(issue for one in read.conditions for issue in one.setup.wiring)
    yield from (CheckResult(subject, issue.severity, str(issue)) for issue in issues)
    yield CheckResult(subject, "ok", f"names and values of {len(read.conditions)} conditions")


def _check_prompts(folder: Path) -> Iterator[CheckResult]:
    """Check a prompt pack for each scenario that it has a folder for."""
    known = scenarios()
    names = [one.name for one in sorted(folder.iterdir()) if one.is_dir()]
    mine = [name for name in names if name in known]
    if not mine:
        hint = suggest(names[0], known) if names else "name a folder in it after a scenario"
        raise ScenarioError(f"{short_path(folder)} has no folder of a scenario; {hint}")
    for name in mine:
        try:
            changes = {"prompts": str(folder), "models": {"default": "offline"}}
            setup = small_society(build(load_config(name, changes)))
            setup.gamemaster().play()
        except InputError as error:
            yield from _refused(name, error)
        else:
            yield from (CheckResult(name, one.severity, str(one)) for one in setup.wiring)
            yield CheckResult(name, "ok", "every template is used, and renders in a short run")


def _check_python(file: str) -> Iterator[CheckResult]:
    """Check the scenarios, components and mechanisms of a Python file."""
    registry = Registry()
    try:
        things = registry.add(file)
    except FileError:
        raise
    except InputError as error:
        yield from _refused(Path(file).name, error)
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
            yield from _check_mechanism(thing, file)


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
        yield from _refused(title, error)
        return
    subject = f"{title} in {host.scenario.name}"
    yield from _wiring(subject, setup)
    yield from check_society(small_society(setup), subject)


def _host(kind: type[Component]) -> Society | None:
    """Find a built-in society that asks what a component answers, or tells what it notices."""
    for name in [*scenarios(), *presets()]:
        try:
            setup = build(offline(load_config(name)))
        except InputError:
            continue
        for line in dry_run(setup.scenario.play, setup.environment()):
            heard = kind.answers if isinstance(line, Ask) else kind.notices
            if not isinstance(line, Inherit) and line.kind in heard:
                return setup
    return None


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


def _check_mechanism(thing: RegistryItem, file: str) -> Iterator[CheckResult]:
    """Check a mechanism around the first built-in game that it accepts."""
    refusals = []
    for name in scenarios():
        changes = {"uses": [file], "mechanisms": [{thing.name: {}}]}
        try:
            setup = build(offline(load_config(name, changes)))
        except InputError as error:
            refusals.append(error)
            continue
        subject = f"{thing.name} around {name}"
        yield from _wiring(subject, setup)
        yield from check_society(small_society(setup), subject)
        return
    yield from _refused(thing.name, refusals[0])


def checks_as_json(results: list[CheckResult]) -> str:
    """Return results as a JSON list."""
    return json.dumps([result._asdict() for result in results], indent=2)
