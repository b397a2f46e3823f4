"""The components of a cohort, from its entry in a scenario file.

A field of a component takes the first value that is given: at the component; in the cohort's
`parameters`; in the default cast or the scenario's parameters; or else the component's default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from society.engine.component import Component
from society.engine.parameters import Issue, Keys, ValidationIssues, parameters_of, unknown_name
from society.engine.population import Cast, fill_from
from society.engine.scenario import Params
from society.errors import InputError
from society.former_names import current, with_current_parameters

from .registry import Registry
from .run_config import CohortConfig, ComponentEntry


class _Chosen(NamedTuple):
    """A component to be made, from the fields given at `keys`, or else from its source."""

    kind: type[Component]
    source: object
    given: Mapping[str, Any]
    keys: Keys


def build_components(
    said: CohortConfig, default: Cast, params: Params, registry: Registry
) -> tuple[Component, ...]:
    """Make the components of a cohort, or those of the default cast; raises ValidationIssues."""
    if said.components is None:
        return _alter_default(said, default, params, registry)
    if said.replace:
        words = (
            "replaces default components, but `components` lists all components; "
            "keep one of the two keys"
        )
        raise ValidationIssues(Issue(("replace",), words))
    if unknown := unknown_components(said, registry):
        raise ValidationIssues(*unknown)
    chosen = [
        _choose(part, params, registry, "components", index)
        for index, part in enumerate(said.components)
    ]
    return _assemble(chosen, said.parameters, params)


def unknown_components(said: CohortConfig, registry: Registry) -> list[Issue]:
    """List the components that a cohort misspells; if there are any, its misspelt fields as well.

    Among the cohort's parameters only those count that are much like a known field: the others may
    be fields of the component that is misspelt.
    """
    entries: list[tuple[Keys, ComponentEntry]] = [
        *((("components", index), part) for index, part in enumerate(said.components or ())),
        *((("replace", title), part) for title, part in said.replace.items()),
    ]
    found, wrong_fields, fields = list[Issue](), list[Issue](), set[str]()
    for keys, part in entries:
        ((name, given),) = part.items()
        try:
            kind = registry.component(name)
        except InputError as error:
            found.append(Issue(keys, str(error)))
            continue
        own = set(parameters_of(kind).model_fields)
        fields |= own
        names = with_current_parameters(kind.title(), given)
        wrong_fields += [
            unknown_name((*keys, name, one), "parameter", own) for one in names if one not in own
        ]
    wrong_fields += [
        unknown_name(("parameters", name), "component field", fields)
        for name in said.parameters
        if name not in fields and get_close_matches(name, fields)
    ]
    return found and found + wrong_fields


def _alter_default(
    said: CohortConfig, default: Cast, params: Params, registry: Registry
) -> tuple[Component, ...]:
    """Take the components of the default cast, and replace some of them or their fields."""
    candidates = []
    for cohort in [cohort for cohort in default if cohort.name == said.name] or default:
        chosen = {part.title(): _Chosen(type(part), part, {}, ()) for part in cohort.components}
        for title, part in said.replace.items():
            title = title if title in chosen else current("component", title)
            if title not in chosen:
                raise ValidationIssues(
                    unknown_name(("replace", title), "default component", chosen)
                )
            chosen[title] = _choose(part, params, registry, "replace", title)
        candidates.append(_assemble(list(chosen.values()), said.parameters, params))
    kinds = [[(type(part), _values(part)) for part in parts] for parts in candidates]
    if not all(kind == kinds[0] for kind in kinds):
        names = " and ".join(cohort.name for cohort in default)
        words = (
            f"{names} of the default cast differ; name the cohort after one of them, "
            "or set more of its `parameters`"
        )
        raise ValidationIssues(Issue((), words))
    if not candidates:
        raise ValidationIssues(
            Issue((), "the scenario has no default cast; list the cohort's `components`")
        )
    return candidates[0]


def _values(part: Component) -> Mapping[str, Any]:
    """Return the fields of a component, without what it has computed from them."""
    if not dataclasses.is_dataclass(part):
        return vars(part)
    return {one.name: getattr(part, one.name) for one in dataclasses.fields(part)}


def _choose(part: ComponentEntry, params: Params, registry: Registry, *keys: str | int) -> _Chosen:
    ((name, given),) = part.items()
    try:
        kind = registry.component(name)
        given = with_current_parameters(kind.title(), given)
        return _Chosen(kind, params, given, (*keys, name))
    except InputError as error:
        raise ValidationIssues(Issue(keys, str(error))) from None


def _assemble(
    chosen: Sequence[_Chosen], parameters: Mapping[str, Any], params: Params
) -> tuple[Component, ...]:
    """Make the components of one cohort; its parameters go to all fields of the same name."""
    fields = [parameters_of(one.kind).model_fields for one in chosen]
    for one in chosen:
        parameters = with_current_parameters(one.kind.title(), parameters)
    legal = set[str]().union(*fields)
    found = [_no_field(name, legal, params) for name in parameters if name not in legal]
    parts: list[Component] = []
    for one, own in zip(chosen, fields, strict=True):
        shared = {name: value for name, value in parameters.items() if name in own}
        given = {**shared, **one.given}
        if isinstance(one.source, one.kind) and not given:
            parts.append(one.source)
            continue
        try:
            parts.append(fill_from(one.kind, one.source, given))
        except ValidationIssues as refused:
            for fault in refused.faults:
                field = next(iter(fault.path), "")
                of_all = field in shared and field not in one.given
                found.append(fault.under(*(("parameters",) if of_all else one.keys)))
    if found:
        raise ValidationIssues(*found)
    return tuple(parts)


def _no_field(name: str, legal: set[str], params: Params) -> Issue:
    keys = "parameters", name
    if name in type(params).model_fields:
        words = (
            f"{name!r} is a parameter of the whole scenario; "
            "set it under `parameters` at the top level"
        )
        return Issue(keys, words, True)
    return unknown_name(keys, "component field", legal)
