"""Folders of strategies, written for a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from society.sandbox.stage_games import GameName
from society.sandbox.strategy_folder import StrategyManifest, write_strategies

# Moves by name: what `act` returns.
MOVES = {
    "cooperates": "C",
    "defects": "D",
    "copies": "C if history.round_number == 0 or history.opponent_cooperators[-1] else D",
    "draws": "C if random.random() < 0.5 else D",
    "fails": "1 / 0",
    "hangs": "C if sum(1 for _ in range(10 ** 9)) else D",
}
Genes = Mapping[tuple[str, str], tuple[str, ...]]  # (model, attitude) -> names of moves
WriteFolder = Callable[..., str]


@pytest.fixture
def write_folder(tmp_path: Path) -> WriteFolder:
    """`write_folder(genes)` writes a folder with a program for each name of a gene's moves."""

    def write(genes: Genes, game: GameName = "public_goods", name: str = "strategies") -> str:
        entries, files = [], dict[str, str]()
        for (model, attitude), moves in genes.items():
            for number, move in enumerate(moves):
                title = f"{model}_{attitude}_{number}".title().replace("_", "")
                files[f"{title.lower()}.py"] = (
                    f"class {title}:\n    def __init__(self, game):\n        pass\n\n"
                    f"    def act(self, history):\n        return {MOVES[move]}\n"
                )
                entries.append(
                    {
                        "file": f"{title.lower()}.py",
                        "class": title,
                        "model": model,
                        "attitude": attitude,
                        "fallback": "C" if attitude == "collective" else "D",
                    }
                )
        whole: dict[str, Any] = {
            "game": game,
            "interface": "society",
            "models": {model: {} for model, _ in genes},
            "strategies": entries,
        }
        folder = tmp_path / name
        write_strategies(folder, StrategyManifest.model_validate(whole), files)
        return str(folder)

    return write
