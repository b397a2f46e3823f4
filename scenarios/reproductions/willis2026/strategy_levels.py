"""Folders of strategies by models, as levels of the factors of experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from society.errors import SandboxError, short_path
from society.sandbox.strategy_folder import MANIFEST, read_strategies

from .printed_tables import GAMES


def as_levels_of_strategies(folders: Sequence[str]) -> Mapping[str, Any]:
    """Let each game be played with the strategies for it, and each model with itself.

    A folder has a manifest, or a folder for each game; raises SandboxError.
    """
    games: dict[str, list[str]] = {}
    models = dict[str, None]()
    for folder in folders:
        for path in _parts(Path(folder)):
            manifest = read_strategies(path).manifest
            games.setdefault(manifest.game, []).append(str(path))
            models |= dict.fromkeys(manifest.models)
    return {
        "factors": {
            "game": {
                game: {"parameters": {"game": game, "folders": games[game]}}
                for game in GAMES
                if game in games
            },
            "model": {model: {"parameters": {"model": model}} for model in sorted(models)},
        }
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
