"""What users of strategies evolve by: a run of the scenario cultural_evolution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

RULES = ("proportional", "fermi", "proportional_imitation")
GENERATIONS = {"proportional": 200}  # of a rule; those of pairs have MANY
MANY = 1_000


def evolution_settings(
    game: str,
    folders: Sequence[Path] = (),
    *,
    rule: str = RULES[0],
    players: int | None = None,
    population: int | None = None,
    generations: int | None = None,
    seed: int | None = None,
    replicates: int | None = None,
) -> dict[str, Any]:
    """Return the content of a scenario file; None leaves a value to the scenario."""
    sizes = {
        "agents": population,
        "rounds": GENERATIONS.get(rule, MANY) if generations is None else generations,
        "seed": seed,
        "replicates": replicates,
    }
    parameters = {
        "game": game,
        "rule": rule,
        "players": players,
        "folders": [str(one) for one in folders] or None,
    }
    given = {name: value for name, value in sizes.items() if value is not None}
    named = {name: value for name, value in parameters.items() if value is not None}
    return {**given, "parameters": named}
