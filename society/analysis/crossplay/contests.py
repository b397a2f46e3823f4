"""Contests: the cells of a study, grouped and named by game and mechanism.

A mechanism is called by its name and by those of its parameters in which cells differ, a game
likewise; tournament and baseline change nothing, and have no name here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from society.analysis.metagame import Rule
from society.experiments.factors import format_label, label_of

from .cell import GameCell
from .standings import Contest

NONE = "no mechanism"
_SILENT = ("tournament", "baseline")
_FILLED = "designs"  # a parameter that another run has filled
_NO_DIFFERENCE = ("seed", "record", "limits", "drafts")  # of a spec: the same cell all the same

MechanismParameters = Mapping[str, Any]


def group_contests(cells: Sequence[GameCell], rule: Rule = "strict") -> list[Contest]:
    """Group cells by game and mechanism, each game first without any; runs of a cell are one."""
    alike: dict[str, list[GameCell]] = {}
    for cell in cells:
        alike.setdefault(_essence(cell), []).append(cell)
    firsts = [own[0] for own in alike.values()]
    manifests = [cell.run.manifest for cell in firsts]
    games = _names(
        [(manifest.scenario.replace("_", " "), manifest.params) for manifest in manifests]
    )
    stacks = [_stack(cell) for cell in firsts]
    names = _mechanisms(stacks)
    pairs = [*zip(games, names, strict=True)]
    rows = sorted(
        zip(games, names, alike.values(), strict=True),
        key=lambda row: (games.index(row[0]), row[1] != NONE),
    )
    return [
        Contest(
            game,
            name if pairs.count((game, name)) == 1 else f"{name}, {own[0].run.name}",
            own,
            rule,
        )
        for game, name, own in rows
    ]


def _essence(cell: GameCell) -> str:
    """Describe a cell as JSON, without its seed and without parameters that a run has filled."""
    spec = {
        name: value for name, value in cell.run.manifest.spec.items() if name not in _NO_DIFFERENCE
    }
    return json.dumps({**spec, "mechanisms": _stack(cell)}, sort_keys=True)


def _stack(cell: GameCell) -> list[tuple[str, MechanismParameters]]:
    """List the mechanisms of a cell from the inside, with their parameters."""
    return [
        (name, {key: value for key, value in given.items() if key != _FILLED})
        for part in cell.run.manifest.spec["mechanisms"]
        for name, given in part.items()
        if name not in _SILENT
    ]


def _mechanisms(stacks: Sequence[Sequence[tuple[str, MechanismParameters]]]) -> list[str]:
    """Name each stack of mechanisms, from the inside."""
    parts = iter(_names([part for stack in stacks for part in stack]))
    return [" in ".join(next(parts) for _ in stack) or NONE for stack in stacks]


def _names(parts: Sequence[tuple[str, MechanismParameters]]) -> list[str]:
    """Return names with those parameters in which parts of the same name differ."""
    return [
        _with(name, given, [own for other, own in parts if other == name]) for name, given in parts
    ]


def _with(name: str, given: MechanismParameters, all_given: Sequence[MechanismParameters]) -> str:
    differing = [
        f"{key} = {_value(given[key])}"
        for key in given
        if any(own.get(key) != given[key] for own in all_given)
    ]
    return f"{name} ({', '.join(differing)})" if differing else name


def _value(value: Any) -> str:
    try:
        return format_label(label_of(value))
    except ValueError:
        return json.dumps(value)
