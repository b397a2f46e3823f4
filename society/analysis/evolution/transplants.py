"""Transplants: newborn agents and their ancestors, each alone in the same unchanging population.

Whether newborn agents give more than those they learnt from cannot be told from the generation in
which they play together, since there each makes the others give. So each of them is transplanted,
as the only one of its kind, among copies of the generation before as selection left it. The
population and the random numbers are the same for all. Newborn agents are then compared with their
own ancestors, in what they give and earn there: the survivors as a whole would be better than the
parents, where selection goes on. Vallinder and Hughes 2024, section 4.1, ask for such a test; the
design is ours. It tells about one population; several runs are several experiments.

The focal agent has seat 0 whatever its own was: on a graph, the place of node 0, which is a hub of
a scale-free one. All play a first generation, are told so, and bear names of it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
from pydantic import BaseModel

from society.analysis.study.condition import ConditionRun
from society.engine.component import Column, Component
from society.engine.graph import NOBODY
from society.engine.parameters import attribute_name, parameters_of
from society.engine.population import Cohort
from society.engine.scenario import Params
from society.errors import InputError, short_path
from society.lineage import Generation, descents
from society.runs.agent_names import AgentNames
from society.runs.trust import RecordedCode
from society.user_code import guard_user_code

from .records import GenerationRecords
from .transplant_effects import FOCAL, focal_condition

_MECHANISM = "generations"


class PlacedAgent(NamedTuple):
    """An agent to be made a cohort: its name, its seat, and the generation it is taken from."""

    name: str
    seat: int
    at: Generation


def transplant_experiment(
    run: Path | str, generation: int, *, replicate: int = 0, replicates: int = 20, seed: int = 1
) -> str:
    """Write an experiment that transplants newborn agents of a generation and their ancestors.

    Each is the focal agent of a condition, YAML. It sits among survivors of the generation before
    (parents, if nobody lived on), who fill the other seats in turn, the fittest first. All have the
    heritable traits that they had as their generation began, and play one generation, in which
    nobody is born. replicates: how often each plays. Raises InputError if there is no such
    generation, or nobody in it descends from others, or a heritable trait is kept by a component
    without a field for it, or not public, so that nobody can be set up again.
    """
    past = GenerationRecords.read(ConditionRun.read(Path(run), Path(run).stem, {}))
    before, now = _steps(past, generation, replicate)
    with guard_user_code(RecordedCode(Path(run), past.run.manifest)):
        setup = past.run.manifest.society()
    setting_up = _SettingUp(past, setup.cast(), replicate)
    focal = {
        name: setting_up.components(agent)
        for name, agent in _agents_to_compare(past, before, now, replicate).items()
    }
    first = {"name": FOCAL, "count": 1, "components": next(iter(focal.values()))}
    residents = list(_residents(past, before, now, replicate))
    each, more = divmod(now.life.shape[1] - 1, len(residents))
    cohorts = [
        {"name": agent.name, "count": count, "components": setting_up.components(agent)}
        for place, agent in enumerate(residents)
        if (count := each + (place < more))
    ]
    experiment = {
        "base": _base(past.run.manifest.config.model_dump(mode="json"), type(setup.params))
        | {"cohorts": [first, *cohorts]},
        "name": f"transplant-{_plain(Path(run).stem)}-{replicate}-{generation}",
        "replicates": replicates,
        "seed": seed,
        "record": "full",
        "conditions": {
            name: {f"cohorts.{FOCAL}.components": parts} for name, parts in focal.items()
        },
    }
    return _HEAD.format(generation=generation, run=short_path(run), replicate=replicate) + _yaml(
        experiment
    )


def _plain(name: str) -> str:
    """Spell a name as an experiment and a folder may be called; runs of sweeps have `=` and `,`."""
    return re.sub(r"[^\w.-]+", "-", name)


_HEAD = """\
# Newborn agents of generation {generation} of {run}, replicate {replicate}, and those from whom
# they descend: each alone in seat 0, among survivors of the generation before, in a first
# generation. The number behind a name: how many of the newborn agents it stands for.
# society.analysis.evolution.compare_transplants tells newborn agents from ancestors.
"""


def _steps(
    past: GenerationRecords, generation: int, replicate: int
) -> tuple[Generation, Generation]:
    """Return the generation before, and this one; raises InputError if there is none."""
    for what, number in {"generation": generation, "replicate": replicate}.items():
        if not isinstance(number, int | np.integer):
            raise InputError(f"{what} {number!r} is no whole number; give one, such as 2")
    last = len(past.generations)
    if not 2 <= generation <= last:
        raise InputError(
            f"generation {generation} of {short_path(past.run.path)}, which has {last}; choose one "
            f"from 2 to {last}, since the first has none before it"
        )
    if not 0 <= replicate < past.run.manifest.replicates:
        raise InputError(
            f"replicate {replicate} of {past.run.manifest.replicates}; they are counted from 0"
        )
    before, now = past.generations[generation - 2 : generation]
    if not now.running[replicate, 0]:
        raise InputError(f"replicate {replicate} was over before generation {generation}")
    return before, now


def _agents(past: GenerationRecords, at: Generation, replicate: int) -> Iterator[PlacedAgent]:
    """List all agents of a generation, by seat."""
    names = AgentNames(past.run.manifest)
    for seat, number in enumerate(at.life[replicate].tolist()):
        yield PlacedAgent(names.of_life(number), seat, at)


def _residents(
    past: GenerationRecords, before: Generation, now: Generation, replicate: int
) -> Iterator[PlacedAgent]:
    """List survivors of the generation before, or else its parents; the fittest first."""
    assert before.survives is not None
    resident = before.survives[replicate]
    if not resident.any():
        resident = np.isin(before.life[replicate], np.setdiff1d(now.parent[replicate], [NOBODY]))
    if not resident.any():
        raise InputError(f"nobody of generation {before.number} lived on or had children")
    everybody = list(_agents(past, before, replicate))
    fitness = past.value(before, "fitness")[replicate]
    for seat in np.argsort(-fitness, kind="stable").tolist():
        if resident[seat]:
            yield everybody[seat]


def _agents_to_compare(
    past: GenerationRecords, before: Generation, now: Generation, replicate: int
) -> dict[str, PlacedAgent]:
    """Return newborn agents and their ancestors, by origin, name and weight.

    The weight of an ancestor is how many newborn agents descend from it, by their shares.
    """
    children, elders = descents(before, now, replicate, past.heredity)
    born = now.newborn[replicate][children]
    children, elders = children[born], elders[born]
    if not len(children):
        raise InputError(f"nobody is born in generation {now.number} who descends from somebody")
    shares = 1 / np.bincount(children)[children]
    weights = np.bincount(elders, shares)
    young, old = (list(_agents(past, at, replicate)) for at in (now, before))
    agents = {
        focal_condition("newborn", young[seat].name, 1): young[seat] for seat in np.unique(children)
    }
    for seat in np.unique(elders):
        agents[focal_condition("ancestor", old[seat].name, weights[seat])] = old[seat]
    return agents


class _SettingUp:
    """The settings that make a recorded agent, as a scenario file gives them."""

    def __init__(self, past: GenerationRecords, cast: Iterable[Cohort], replicate: int) -> None:
        self._past, self._replicate = past, replicate
        self._cohorts = {
            seat: cohort
            for cohort, note in zip(cast, past.run.manifest.cohorts, strict=True)
            for seat in note.seats
        }

    def components(self, agent: PlacedAgent) -> list[dict[str, Any]]:
        """Return an agent's components, with its own heritable traits in place of its cohort's."""
        cohort: Cohort = self._cohorts[agent.seat]
        return [{part.title(): self._fields(part, agent)} for part in cohort.components]

    def _fields(self, part: Component, agent: PlacedAgent) -> dict[str, Any]:
        from pydantic_core import to_jsonable_python

        model = parameters_of(type(part))
        fields = {name: getattr(part, attribute_name(name)) for name in model.model_fields}
        for column in part.columns:
            if not column.heritable:
                continue
            field = _field(model, column)
            if not column.public or field is None:
                missing = "is not public" if not column.public else "is no field of it"
                raise InputError(
                    f"{part.title()} keeps the heritable column {column.name!r}, which {missing}, "
                    "so that no agent can be set up with it; make it both"
                )
            fields[field] = self._trait(column, agent)
        plain: dict[str, Any] = to_jsonable_python(fields)
        return plain

    def _trait(self, column: Column, agent: PlacedAgent) -> object:
        """Return a label, a text, or a number as its column keeps it."""
        value = self._past.trait(agent.at, column.name)[self._replicate, agent.seat]
        return value if isinstance(value, str) else np.array(value, column.dtype).item()


def _field(model: type[BaseModel], column: Column) -> str | None:
    """Return the parameter that sets a column: of its name, or the only one with its labels."""
    if column.name in model.model_fields:
        return column.name
    takes = [
        name
        for name, field in model.model_fields.items()
        if column.labels and get_args(field.annotation) == column.labels
    ]
    return takes[0] if len(takes) == 1 else None


def _base(spec: Mapping[str, Any], params: type[Params]) -> dict[str, Any]:
    """Return the run's own spec with one generation, in which nobody devises a strategy.

    Parameters of the default cast go, since everybody is said; and the embedder of strategies.
    """
    parameters = spec.get("parameters", {})
    remaining = {
        key: value for key, value in parameters.items() if key not in params.of_default_cast()
    }
    base = {
        key: value
        for key, value in {**spec, "parameters": remaining}.items()
        if value and key not in ("seed", "replicates", "agents", "cohorts", "mechanisms", "limits")
    }
    base["mechanisms"] = [
        {name: _once(given) if name == _MECHANISM else given}
        for part in spec["mechanisms"]
        for name, given in part.items()
    ]
    return base


def _once(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the mechanism for one generation without strategies of its own."""
    remaining = {key: value for key, value in given.items() if key != "embedder"}
    return {**remaining, "count": 1, "strategies": "none"}


def _yaml(experiment: Mapping[str, Any]) -> str:
    from ruamel.yaml import YAML

    writer, text = YAML(typ="safe", pure=True), io.StringIO()
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    writer.representer.ignore_aliases = lambda value: True
    writer.allow_unicode = True
    writer.dump(experiment, text)
    return text.getvalue()
