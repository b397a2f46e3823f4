"""Societies of agents: components say what an agent is made of, scenarios say what happens.

In a notebook, `society.open_run(FILE)` and `society.open_sweep(FOLDER)` give data frames.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis.study import open_run, open_sweep

__all__ = ["open_run", "open_sweep"]

# The top folders components/, scenarios/ and memory/ are society.components and so on: by links in
# a checkout, by their place in an installation. Where the links are missing (Windows, an archive)
# the repository root, one level up, stands in for them.
if not Path(__file__).with_name("components").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))


def __getattr__(name: str) -> Any:
    """What is offered here is imported when it is first used: a run of rules needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .analysis import study

    return getattr(study, name)
