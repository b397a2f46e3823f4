"""Check a user's file or object without playing it in earnest: scenario, part, experiment, prompts.

Names, values and wiring are checked as for a run; then a small society is played with offline
minds, in ways that may change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from society.config.birth_parameters import at_birth_issues
from society.config.build import Society, build, with_wiring_checked
from society.config.defaults import find_defaults
from society.config.hook_checks import component_issues
from society.config.registry import (
    ItemSort,
    Registry,
    RegistryItem,
    components,
    resolve_reference,
    scenarios,
)
from society.config.run_config import load_config
from society.config.yaml_source import read_yaml
from society.engine.component import ANYTHING, Component
from society.engine.mechanism import dry_run
from society.engine.population import Cohort, fill_from_params
from society.engine.scenario import Scenario
from society.engine.script import Ask, Tell
from society.errors import CatalogueError, FileError, InputError, ScenarioError, short_path
from society.index import presets

from .experiment_checks import check_experiment
from .instrument_checks import check_instrument, is_instrument
from .mechanism_checks import check_mechanism
from .pack_checks import check_pack
from .society_checks import CheckResult, check_wired, refused_results, small_society

_MOST_LINES = 500  # of a scenario, in search of one that asks what a component answers


def check_file(reference: str) -> Iterator[CheckResult]:
    """Check a scenario, component or mechanism by name, a file of any kind, or a folder of prompts.

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
    elif path.suffix or not (part := _part_called(reference)):
        yield from _check_scenario(reference, Path(reference).name)
    else:
        yield from _check_part(part, Registry())


def check_object(value: object) -> Iterator[CheckResult]:
    """Check a scenario, component or mechanism that is an object, as from the cell of a notebook.

    Raises ScenarioError for what is none of these.
    """
    registry = Registry([value])
    (thing,) = registry.own
    if thing.sort == "function":
        raise ScenarioError(
            f"got the function {thing.name!r}; expected a scenario, component or mechanism: put "
            "@scenario(...) or @mechanism above it"
        )
    if thing.sort == "scenario":
        yield from _check_scenario(thing.value, thing.name)
    else:
        yield from _check_part(thing, registry)


def _part_called(name: str) -> RegistryItem | None:
    """Find the component or mechanism of a name that no scenario has."""
    registry = Registry()
    looks: tuple[tuple[ItemSort, Callable[[str], Any]], ...] = (
        ("scenario", registry.scenario),
        ("component", registry.component),
        ("mechanism", registry.mechanism),
    )
    for sort, look in looks if resolve_reference(name) == name else ():
        try:
            found = look(name)
        except CatalogueError:
            continue
        return None if sort == "scenario" else RegistryItem(sort, name, found)
    return None


def _check_part(
    thing: RegistryItem, registry: Registry, users: Sequence[Society] = ()
) -> Iterator[CheckResult]:
    """Check a component or mechanism; users: societies of the user's that may have it."""
    if thing.sort == "component":
        yield from _check_component(thing.value, registry, users)
    else:
        yield from check_mechanism(thing, registry, users)


def _is_experiment(said: object) -> bool:
    return isinstance(said, Mapping) and "scenario" not in said


def _check_scenario(reference: str | Scenario, subject: str) -> Iterator[CheckResult]:
    objects = [] if isinstance(reference, str) else [reference]
    try:
        setup = build(find_defaults().fill(load_config(reference)), objects)
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
    # The file is read anew for each scenario: classes are told apart by their names.
    titles = {one.title() for one in seated}
    parts = [one for one in found if one.sort != "scenario" and one.name not in titles]
    users = _societies_using(Path(file)) if parts else []
    for thing in parts:
        yield from _check_part(thing, registry, users)


def _societies_using(file: Path) -> list[Society]:
    """Build what the scenario files beside a Python file play that name it under `uses`."""
    found = []
    for beside in sorted([*file.parent.glob("*.yaml"), *file.parent.glob("*.yml")]):
        try:
            if file.name not in beside.read_text("utf-8"):
                continue
            config = load_config(str(beside))
            if str(file) in config.uses:
                found.append(build(find_defaults().fill(config)))
        except (InputError, OSError, UnicodeDecodeError):
            continue  # one that is checked alone says why
    return found


def _parts_in(reference: str, registry: Registry) -> set[type[Component]]:
    """Return the components in the default cast of a scenario."""
    scenario = registry.scenario(reference)
    try:
        cast = scenario.cast(scenario.params(), scenario.agents)
        return {type(part) for cohort in cast for part in cohort.components}
    except Exception:  # was reported when the scenario was checked
        return set()


def _check_component(
    kind: type[Component], registry: Registry, users: Sequence[Society] = ()
) -> Iterator[CheckResult]:
    """Check a component by itself, then in a society that has it, or one that has a use for it."""
    title = kind.title()
    issues = [*component_issues(kind), *at_birth_issues(kind)]
    yield from (CheckResult(title, issue.severity, str(issue)) for issue in issues)
    if any(issue.severity == "error" for issue in issues):
        return
    having = next((one for one in users if _has_component(one, title)), None)
    if having is not None or (having := _home(kind)) is not None:
        file = Path(having.found)
        where = file.name if having in users else having.scenario.name
        yield from check_wired(small_society(having), f"{title} in {where}")
        return
    host = _host(kind)
    if host is None:
        kinds = ", ".join((*kind.answers, *kind.notices)) or "nothing"
        words = (
            f"no scenario asks or tells what it answers or notices ({kinds}), so it is not played"
        )
        yield CheckResult(title, "warning", f"{words}; check a scenario file that has it")
        return
    yield from _check_in_host(kind, host, registry)


def _has_component(society: Society, title: str) -> bool:
    return any(part.title() == title for cohort in society.cast() for part in cohort.components)


def _home(kind: type[Component]) -> Society | None:
    """Find a built-in society that has a built-in component in its cast."""
    if components().get(kind.title()) is not kind:
        return None
    hosts = (_rehearsed_host(name) for name in [*scenarios(), *presets()])
    return next(
        (one.society for one in hosts if one and _has_component(one.society, kind.title())), None
    )


def _check_in_host(
    kind: type[Component], host: Society, registry: Registry
) -> Iterator[CheckResult]:
    """Play a component in a built-in society; where it fails, say that another may be meant."""
    title, name = kind.title(), host.scenario.name
    try:
        setup = with_wiring_checked(_hosting(host, kind, registry))
    except InputError as error:
        results, foreign = [*refused_results(title, error)], True
    else:
        results = [*check_wired(small_society(setup), f"{title} in {name}")]
        foreign = any("has no fact" in result.words for result in results)
    yield from results
    if foreign:
        words = (
            f"it was tried in {name}, since that asks or tells what it answers or notices; if it "
            "is meant for a scenario of yours, write a scenario file beside it that has it in a "
            "cohort and its file under `uses`, and check again"
        )
        yield CheckResult(title, "warning", words)


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
    """Put a component into every cohort of a society, in place of those it replaces.

    These are owners of its columns, and those that answer nothing else. It stands where the first
    one stood that is replaced or answers one of its questions; or first.
    """
    part = fill_from_params(kind, host.params)
    columns = {column.name for column in kind.columns}

    def replaced(one: Component) -> bool:
        owns = not columns.isdisjoint(column.name for column in one.columns)
        return owns or bool(one.answers and set(one.answers) <= set(kind.answers))

    def with_part(cohort: Cohort) -> Cohort:
        taken = (
            index
            for index, one in enumerate(cohort.components)
            if replaced(one) or not set(one.answers).isdisjoint(kind.answers)
        )
        place = next(taken, 0)
        before, after = cohort.components[:place], cohort.components[place:]
        return replace(
            cohort, components=(*before, part, *(one for one in after if not replaced(one)))
        )

    cast = [with_part(cohort) for cohort in host.cast()]
    scenario = replace(host.scenario, cast=lambda params, agents: cast)
    return replace(host, scenario=scenario, files=registry.files)


def checks_as_json(results: list[CheckResult]) -> str:
    """Return results as a JSON list."""
    return json.dumps([result._asdict() for result in results], indent=2)
