"""The dilemma that programs play, and the folders that they come from, as parameters."""

from __future__ import annotations

from typing import Self

from pydantic import Field, PrivateAttr, model_validator

from society.engine.scenario import Params
from society.errors import ScenarioError
from society.sandbox.stage_games import GameName, StageGame, stage_game
from society.scenarios.programs.strategy_pool import PoolSource, StrategyPool


class DilemmaOfPrograms(Params):
    """Parameters of all scenarios in which programs play a dilemma."""

    folders: list[str] = Field(
        [], description="folders of strategies for the game; none: those that come with the program"
    )
    game: GameName = Field("public_goods", description="the dilemma that is played")
    players: int = Field(4, ge=2, le=1_000, description="n, players in a game")
    game_rounds: int = Field(20, ge=1, le=1_000, description="rounds of a game, or their mean")
    factor: float | None = Field(
        None, gt=1, description="k, of public_goods and collective_risk; none: 2"
    )
    capacity: float | None = Field(
        None, gt=0, description="K, of common_pool; none: 4 units for each player"
    )
    threshold: int | None = Field(
        None,
        ge=1,
        description="m, contributions that are enough in collective_risk; none: half of the "
        "players, at least 2",
    )
    open_source: bool = Field(
        False, description="whether programs read each other's sources, and may simulate each other"
    )

    _source: PoolSource = PrivateAttr()

    @model_validator(mode="after")
    def _note_programs(self) -> Self:
        """Note where programs come from: while a run file is read, they come from there."""
        self._source = PoolSource.now(self.folders, self.stage_game.name)
        return self

    @property
    def strategies(self) -> StrategyPool:
        """The programs of the folders; raises SandboxError."""
        return self._source.pool()

    @property
    def stage_game(self) -> StageGame:
        """The game of the parameters; raises ValueError."""
        return stage_game(
            self.game,
            self.players,
            self.game_rounds,
            factor=self.factor,
            threshold=self.threshold,
            capacity=self.capacity,
        )


def refuse_remainder(agents: int, players: int) -> None:
    """Raise ScenarioError unless groups can be made of all agents."""
    if agents % players:
        below, above = agents - agents % players, agents - agents % players + players
        fit = f"{below} or {above}" if below else str(above)
        raise ScenarioError(
            f"{agents} users make no groups of {players} players: the population must be a "
            f"multiple of the players; take {fit} users, or another number of players"
        )
