"""The names in the reference: all of `import society`, and those that pages import from modules.

Both the site (pages.py) and the test of docstrings (tests/test_public_docstrings.py) read it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module

import society
from society import errors
from society.analysis import statistics

# What scenarios, components and notebooks may import beside; pages of docs/ show how.
BESIDE = {
    "Scripts and what they see": {
        "society.engine.rng": ("Draws",),
        "society.engine.observations": ("Facts", "OwnFacts", "Seen"),
        "society.engine.graph": ("Graph",),
        "society.engine.scenario": ("Live", "Meeting", "Interventions", "wrap_scenario"),
        "society.engine.post_mortem": ("PostMortem", "Statement"),
    },
    "Language minds": {
        "society.components.language.llm_policy": ("LanguagePolicy",),
        "society.components.language.recall": ("Recall",),
        "society.llm.providers.own_model": ("OwnQuestion",),
    },
    "Open scenes": {
        "society.scenarios.scenes.scene": ("Scene", "scene_facts"),
        "society.scenarios.scenes.consequences": ("HardRule", "Inventory", "Places"),
    },
    "Run files": {
        "society.runs.runfile": ("open_run_file",),
        "society.runs.fork": ("Changes", "branch"),
    },
    "Evolution": {"society.analysis.evolution": ("Evolution", "mean_over_runs")},
}


def offered() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of all that `import society` offers, but its version."""
    for name in society.__all__:
        if name in society._HOME_OF:
            yield f"society.{society._HOME_OF[name]}", name


def beside() -> Iterator[tuple[str, str, str]]:
    """Yield heading, module and name of what is offered beside, statistics and errors included."""
    for heading, modules in BESIDE.items():
        for module, names in modules.items():
            yield from ((heading, module, name) for name in names)
    for name in statistics.__all__:
        value = getattr(statistics, name)
        if inspect.isfunction(value) or isinstance(value, type):
            yield "Statistics", value.__module__, name
    for name, value in vars(errors).items():
        if isinstance(value, type) and value.__module__ == errors.__name__:
            yield "Errors", errors.__name__, name


def public_object(module: str, name: str) -> object:
    """Return the object of a name in a module."""
    found: object = getattr(import_module(module), name)
    return found
