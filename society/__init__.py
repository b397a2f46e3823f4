"""Societies of agents made of components, played by a game master; scenarios say what happens.

    import society

    result = society.run("fishing_village", seed=1, replicates=20)

All that a scenario, a component or a mechanism of one's own needs is offered here, and imported
when it is first used. `society.open_run(FILE)` and `society.open_sweep(FOLDER)` give data frames.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from .engine.action_spaces import (
        Choice,
        Fields,
        Integer,
        MixedStrategy,
        Neighbour,
        Real,
        Sentence,
        Text,
    )
    from .engine.agents import Agent, AgentGroup
    from .engine.component import Component, per_agent
    from .engine.environment import Environment
    from .engine.fact_specs import FactSpec
    from .engine.mechanism import Declared, declares, intercept
    from .engine.observations import Inquiry, News, Question
    from .engine.population import Cohort
    from .engine.scenario import DisplaySpec, Measure, Params, Scenario, mechanism, scenario
    from .engine.script import Ask, Inherit, Script, Tell, common, own, seen
    from .engine.state import Column
    from .llm.perturbations import Perturbation
    from .notebook.catalogue import describe, list_names, list_runs, new, schema
    from .notebook.experiments import audit, make_report, power, reproduce, sweep
    from .notebook.results import Result
    from .notebook.single_runs import (
        check,
        compare,
        fork,
        interview,
        preview_prompts,
        resume,
        run,
        verify,
        why,
    )
    from .notebook.strategies import (
        check_strategies,
        compare_strategies,
        evolve_strategies,
        play_strategies,
        write_strategies,
    )
    from .notebook.studies import open_run, open_sweep

    __version__: str

__all__ = [
    "Agent",
    "AgentGroup",
    "Ask",
    "Choice",
    "Cohort",
    "Column",
    "Component",
    "Declared",
    "DisplaySpec",
    "Environment",
    "FactSpec",
    "Fields",
    "Inherit",
    "Inquiry",
    "Integer",
    "Measure",
    "MixedStrategy",
    "Neighbour",
    "News",
    "Params",
    "Perturbation",
    "Question",
    "Real",
    "Result",
    "Scenario",
    "Script",
    "Sentence",
    "Tell",
    "Text",
    "__version__",
    "audit",
    "check",
    "check_strategies",
    "common",
    "compare",
    "compare_strategies",
    "declares",
    "describe",
    "evolve_strategies",
    "fork",
    "intercept",
    "interview",
    "list_names",
    "list_runs",
    "make_report",
    "mechanism",
    "new",
    "open_run",
    "open_sweep",
    "own",
    "per_agent",
    "play_strategies",
    "power",
    "preview_prompts",
    "reproduce",
    "resume",
    "run",
    "scenario",
    "schema",
    "seen",
    "sweep",
    "verify",
    "why",
    "write_strategies",
]

_HOMES = {
    "engine.action_spaces": (
        "Choice",
        "Fields",
        "Integer",
        "MixedStrategy",
        "Neighbour",
        "Real",
        "Sentence",
        "Text",
    ),
    "engine.agents": (
        "Agent",
        "AgentGroup",
    ),
    "engine.component": (
        "Component",
        "per_agent",
    ),
    "engine.environment": ("Environment",),
    "engine.fact_specs": ("FactSpec",),
    "engine.mechanism": (
        "Declared",
        "declares",
        "intercept",
    ),
    "engine.observations": (
        "Inquiry",
        "News",
        "Question",
    ),
    "engine.population": ("Cohort",),
    "engine.scenario": (
        "DisplaySpec",
        "Measure",
        "Params",
        "Scenario",
        "mechanism",
        "scenario",
    ),
    "engine.script": (
        "Ask",
        "Inherit",
        "Script",
        "Tell",
        "common",
        "own",
        "seen",
    ),
    "engine.state": ("Column",),
    "llm.perturbations": ("Perturbation",),
    "notebook.catalogue": (
        "describe",
        "list_names",
        "list_runs",
        "new",
        "schema",
    ),
    "notebook.experiments": (
        "audit",
        "make_report",
        "power",
        "reproduce",
        "sweep",
    ),
    "notebook.results": ("Result",),
    "notebook.single_runs": (
        "check",
        "compare",
        "fork",
        "interview",
        "preview_prompts",
        "resume",
        "run",
        "verify",
        "why",
    ),
    "notebook.strategies": (
        "check_strategies",
        "compare_strategies",
        "evolve_strategies",
        "play_strategies",
        "write_strategies",
    ),
    "notebook.studies": (
        "open_run",
        "open_sweep",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

# The top folders components/, scenarios/ and memory/ are society.components and so on: by links in
# a checkout, by their place in an installation. Where the links are missing (Windows, an archive)
# the repository root, one level up, stands in for them.
if not Path(__file__).with_name("components").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))


class _FormerModules:
    """Finds modules of ours that are elsewhere now, when nothing else does."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        if not name.startswith("society."):
            return None
        from .former_names import spec_of

        return spec_of(name)


sys.meta_path.append(_FormerModules)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("society")
    elif name in _HOME_OF:
        found = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found  # asked for once
    return found


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__", "__name__", "__path__"]
