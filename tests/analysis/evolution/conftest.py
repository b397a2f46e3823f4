"""A run of two replicates and two generations that can be followed by hand.

Of agents 0, 1 and 2 the first two live on, and agent 1 is the parent of whoever takes the place of
agent 2. Both advise it, which matters if it keeps a strategy in words. The second replicate is over
after one generation.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import society
from society.analysis.evolution import Evolution
from society.engine.history import Page, Step
from society.engine.scenario import DisplaySpec
from society.runs.runfile import Level, Manifest, Writer

MANIFEST = Manifest.model_validate(
    {
        "scenario": "lake",
        "spec": {"scenario": "fishing_village", "agents": 3, "replicates": 2},
        "params": {},
        "seed": 7,
        "agents": 3,
        "replicates": 2,
        "horizon": 2,
        "level": "full",
        "measures": [
            {"name": "catch", "unit": "fish a round", "fold": "mean"},
            {"name": "failed", "unit": "rounds", "fold": "first"},
        ],
        "stage": DisplaySpec(),
        "cohorts": [
            {"name": "native", "seats": [0, 1], "heritable": ["policy", "generosity", "children"]},
            {"name": "other", "seats": [2], "heritable": ["policy"]},
        ],
        "columns": [
            {
                "name": "policy",
                "heritable": True,
                "labels": ("fixed", "random"),
                "cohorts": ("native", "other"),
            },
            {"name": "generosity", "heritable": True, "labels": (), "cohorts": ("native",)},
            {"name": "age", "heritable": False, "labels": (), "cohorts": ("native", "other")},
            {"name": "children", "heritable": True, "labels": (), "cohorts": ("native",)},
        ],
        "versions": {},
        "files": {},
    }
)

FIRST = ["Give 50 %.", "Give half.", "Give 10 %, then 20 %."]
SECOND = ["Give 50 %.", "Give half.", "Give half, or 40 %."]
ENDED = np.array([[True], [False]])


def both(values: Any) -> Any:
    """Repeat values in both replicates."""
    array = np.array(values)
    return np.stack([array.astype(object) if array.dtype.kind == "U" else array] * 2)


def step(sort: Literal["ask", "tell", "inherit"], kind: str, **said: dict[str, Any]) -> Step:
    """Arrays by role and name; `seen_advise` is the role "seen advise"."""
    arrays = {
        (role.replace("_", " "), name): values
        for role, facts in said.items()
        for name, values in facts.items()
    }
    return Step(sort, kind, "", arrays)


def generation(
    number: int, life: Any, parent: Any, newborn: Any, elder: Any, texts: Any, reaction: Any
) -> tuple[Step, ...]:
    """The lines that open a generation, before its rounds."""
    descent = {"life": both(life), "parent": both(parent), "newborn": both(newborn)}
    names = np.array([[["stranger", "gave all"]]] * 2, object)
    return (
        step("tell", "descended", common={"generation": np.full((2, 1), number)}, own=descent),
        step(
            "ask",
            "devise",
            seen_advise={"elder": both(elder)},
            who={"": both(newborn)},
        ),
        step("tell", "devised", own={"strategy": both(texts)}),
        step("tell", "supposed", own={"reaction": both(reaction)}, common={"encounter": names}),
    )


def page(
    number: int, path: tuple[int, ...], *steps: Step, catch: Any, running: Any, policy: Any
) -> Page:
    public = {
        "policy": both(np.array(policy, np.int8)),
        "generosity": both([0.25, 0.5, np.nan]),
        "age": both([number] * 3),
        "children": both([0, 2, 0]),
    }
    measures = {"catch": np.array(catch, float), "failed": np.array([0.0, 1.0])}
    present = np.ones((2, 3), bool)
    return Page(number, path, steps, bytes(32), public, measures, present, np.array(running))


def selected(fitness: Any, phenotype: Any, survives: Any) -> Step:
    told = {"fitness": fitness, "phenotype": phenotype, "survives": survives}
    return step("tell", "selected", own={name: both(values) for name, values in told.items()})


BEGUN = generation(
    1, [0, 1, 2], [-1] * 3, [True] * 3, [False] * 3, FIRST, [[0.0, 0.0], [0.5, 0.5], [1.0, 0.0]]
)
NEXT = generation(
    2,
    [0, 1, 5],
    [-1, -1, 1],
    [False, False, True],
    [True, True, False],
    SECOND,
    [[0.0, 0.0], [0.5, 0.5], [0.5, 0.75]],
)
PAGES = (
    page(0, (), catch=[9, 9], running=[[True], [True]], policy=[0, 0, 1]),
    page(1, (1,), *BEGUN, catch=[np.nan, np.nan], running=[[True], [True]], policy=[0, 0, 1]),
    page(2, (1, 1), catch=[1, 7], running=[[True], [True]], policy=[1, 1, 1]),
    page(
        3,
        (1, 2),
        selected([3.0, 2.0, 1.0], [0.0, 0.5, 1.0], [True, True, False]),
        catch=[3, 7],
        running=ENDED,
        policy=[1, 1, 1],
    ),
    page(4, (2,), *NEXT, catch=[np.nan, np.nan], running=ENDED, policy=[0, 0, 0]),
    page(
        5,
        (2, 1),
        selected([1.0, 2.0, 6.0], [0.25, 0.5, 0.75], [False, True, True]),
        catch=[5, np.nan],
        running=ENDED,
        policy=[0, 0, 0],
    ),
)


@pytest.fixture
def told(tmp_path: Path) -> Callable[..., Evolution]:
    """`told()` is the evolution of these pages, written to lake.run; or of some of them.

    heritable: in place of the columns that agent 2 has from its parent.
    """

    def written(
        pages: int = len(PAGES), level: Level = "full", heritable: tuple[str, ...] = ("policy",)
    ) -> Evolution:
        file = tmp_path / "lake.run"
        native, other = MANIFEST.cohorts
        cohorts = native, other.model_copy(update={"heritable": heritable})
        manifest = MANIFEST.model_copy(update={"level": level, "cohorts": cohorts})
        with Writer(file, manifest, overwrite=True) as writer:
            for each in PAGES[:pages]:
                writer.page(each)
            writer.close("finished")
        return Evolution(society.open_run(file))

    return written


@pytest.fixture
def rows() -> Callable[..., list[tuple[Any, ...]]]:
    """`rows(frame, "column", ...)` are these columns of all rows, None where one is missing."""

    def chosen(frame: Any, *columns: str) -> list[tuple[Any, ...]]:
        found = frame[list(columns)].astype(object)
        return [tuple(row) for row in found.where(found.notna(), None).to_numpy().tolist()]

    return chosen
