"""Folders of strategies by models, as levels of the factors of experiments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from society.errors import SandboxError, short_path
from society.sandbox.strategy_folder import MANIFEST, read_strategies

from .dilemma_arithmetic import GROUPS
from .printed_tables import GAMES

FIFTHS = 5  # compositions from none to all exploitative, of a quick look


def as_levels_of_strategies(folders: Sequence[str], *, quick: bool) -> Mapping[str, Any]:
    """Let each game be played with the strategies for it, and each model with itself.

    A folder has a manifest, or a folder for each game. Groups are as large as the sets allow, and
    of all compositions, but for groups of 256: of every fourth, as in the paper; quick: of five.
    Raises SandboxError.
    """
    games: dict[str, list[str]] = {}
    sizes = Counter[tuple[str, str, str]]()  # of sets: game, model, attitude
    for path in (part for folder in folders for part in _parts(Path(folder))):
        manifest = read_strategies(path).manifest
        games.setdefault(manifest.game, []).append(str(path))
        sizes.update((manifest.game, one.model, one.attitude) for one in manifest.strategies)
    models = sorted({model for _, model, _ in sizes})
    return {
        "factors": {
            "game": {
                game: {"parameters": {"game": game, "folders": games[game]}}
                for game in GAMES
                if game in games
            },
            "model": {model: {"parameters": {"model": model}} for model in models},
            "group": _groups(min(sizes.values(), default=0), quick=quick),
        }
    }


def _groups(fewest: int, *, quick: bool) -> Mapping[str, Any]:
    """Groups that every set can fill without replacement; those of 4 in any case."""
    steps = {n: n // (FIFTHS - 1) if quick else 4 if n == GROUPS[-1] else 1 for n in GROUPS}
    return {
        str(players): {
            "agents": players,
            "rounds": players // step + 1,
            "parameters": {"players": players, "step": step},
        }
        for players, step in steps.items()
        if players <= max(fewest, GROUPS[0])
    }


def _parts(folder: Path) -> list[Path]:
    """The folder itself, or those in it that have a manifest."""
    if (folder / MANIFEST).exists():
        return [folder]
    found = sorted(file.parent for file in folder.glob(f"*/{MANIFEST}"))
    if not found:
        raise SandboxError(
            f"{short_path(folder)} has no {MANIFEST}, nor has a folder in it; give a folder of "
            "strategies, or one with a folder of strategies for each game"
        )
    return found
