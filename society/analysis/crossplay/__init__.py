"""Cross-play: types of agents that met each other in games, under mechanisms.

    play = CrossPlay(society.open_sweep("sweeps/dilemmas"))
    play.matches.groupby(["condition", "type"]).score.mean()

    crossplay_study      CrossPlay: matches, decisions, adoption, minds as data frames
    cell                 GameCell: one run, with its decisions as an agent-round table
    contests             names of games and mechanisms, and which runs belong together
    standings            Mean, Fitness and DevRank, by run, and means over runs and games
    action_frequencies   frequencies of actions, also by what co-players did last
    rankings             the order of types by score, ties, and what may be said of the first
    reaction_profiles    cooperation after CC, CD, DC and DD
    adoption             how good designs of contracts and mediators are, and who took them up

The game among types is society.analysis.metagame.
"""

from __future__ import annotations

from .cell import GameCell, has_game_moves
from .crossplay_study import CrossPlay
from .standings import Contest, RunStandings

__all__ = ["Contest", "CrossPlay", "GameCell", "RunStandings", "has_game_moves"]
