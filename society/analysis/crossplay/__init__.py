"""Cross-play in the laboratory: types of agents that met each other in games, under mechanisms.

    play = CrossPlay(society.open_sweep("sweeps/dilemmas"))
    play.matches.groupby(["condition", "type"]).score.mean()

    crossplay    CrossPlay: matches, decisions, adoption, minds as data frames
    cell         Cell: one run, as arrays by replicate and agent
    contests     what games and mechanisms of a study are called, and which runs belong together
    standing     Mean, Fitness and DevRank, by run, and summed up over runs and games
    conduct      frequencies of actions, and those given what co-players did last
    adoption     how good designs of contracts and mediators are for cooperation

The game among types is society.analysis.metagame.
"""

from __future__ import annotations

from .cell import GameCell, has_game_moves
from .crossplay_study import CrossPlay
from .standings import Contest, Standing

__all__ = ["Contest", "CrossPlay", "GameCell", "Standing", "has_game_moves"]
