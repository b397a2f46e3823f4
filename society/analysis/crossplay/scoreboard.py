"""Scores of a cross-play run, for a terminal and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from society.analysis.study.condition import ConditionRun
from society.engine.rng import Array
from society.runs.design_runs import is_drafting
from society.terminal.score_tables import print_no_scores, print_scoreboard

from .cell import GameCell, has_game_moves

if TYPE_CHECKING:
    from rich.console import Console


def print_scores(path: Path, console: Console) -> None:
    """Print who scored what against whom; nothing for a run of another kind."""
    run = ConditionRun.read(path, path.stem, {})
    if not _of_types(run):
        return
    if not has_game_moves(run):
        print_no_scores(console)
        return
    cell = GameCell.read(run)
    means = [_mean(own) for own in cell.by_type(cell.scores)]
    met = scores_with(cell) if cell.matches == 1 else None
    print_scoreboard(cell.names, np.array(means), met, int(cell.void.sum()), console)


def scores_as_json(path: Path) -> dict[str, Any]:
    """Give the scores by type, as JSON has them; nothing for a run of another kind.

    score: the mean over n agents of matches that count, null if there are none. void: matches with
    the type that do not count. with: the mean in matches with a co-player of each type that it met;
    missing where partners change.
    """
    run = ConditionRun.read(path, path.stem, {})
    if not _of_types(run) or not has_game_moves(run):
        return {}
    cell, types = GameCell.read(run), dict[str, Any]()
    met = scores_with(cell) if cell.matches == 1 else None
    for number, (name, own) in enumerate(zip(cell.names, cell.by_type(cell.scores), strict=True)):
        there = (cell.types == number).any(1)
        types[name] = {
            "score": _mean(own) if own.size else None,
            "n": own.size,
            "void": int((there & cell.void).sum()),
        }
        if met is not None:
            pairs = zip(cell.names, met[number].tolist(), strict=True)
            types[name]["with"] = {other: mean for other, mean in pairs if mean == mean}
    return types


def _of_types(run: ConditionRun) -> bool:
    """Tell whether types of agents meet in a game, rather than make designs for one."""
    given = run.manifest
    drafting = is_drafting(given.spec.get("mechanisms", ()))
    return given.game is not None and len(given.cohorts) > 1 and not drafting


def _mean(scores: Array) -> float:
    return float(scores.mean()) if scores.size else np.nan


def scores_with(cell: GameCell) -> Array:
    """Return the mean score of each type beside each type, (K, K); NaN if they never met."""
    matchups = cell.matchups()
    there = ~np.isnan(matchups.payoffs).any(1)
    seats, payoffs = matchups.seats[there], matchups.payoffs[there]
    types = len(cell.names)
    total, count = np.zeros((2, types, types))
    for own in range(seats.shape[1]):
        for other in range(seats.shape[1]):
            if own != other:
                pair = seats[:, own], seats[:, other]
                np.add.at(total, pair, payoffs[:, own])
                np.add.at(count, pair, 1)
    met: Array = total / np.where(count, count, np.nan)
    return met
