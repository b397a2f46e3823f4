"""Cross-play as tidy data frames: who met whom and scored what, and what everybody did.

Frames begin as those of society.analysis.study do: a column for each factor, then `condition`.
They hold only runs of games in normal form that were recorded at level full. The units of
observation are repetitions, never rounds or agents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from society.analysis.metagame import Rule
from society.analysis.study.frames import LongForm
from society.analysis.study.study import Study

from .adoption import adoption_rows
from .cell import GameCell, has_game_moves
from .contests import group_contests
from .match_tables import UNITS, TableRows, decision_rows, match_rows
from .reply_quality import reply_quality_rows
from .standings import Contest


@dataclass(frozen=True, eq=False)
class CrossPlay:
    """The runs of a study that are of games in normal form, and were recorded at level full."""

    study: Study

    @cached_property
    def cells(self) -> tuple[GameCell, ...]:
        """The runs of games, each read as a whole."""
        return tuple(GameCell.read(run) for run in self.study.played if has_game_moves(run))

    @cached_property
    def contests(self) -> list[Contest]:
        """Games under mechanisms; runs that differ by seed alone belong to one."""
        return group_contests(self.cells, self.deviation_rule)

    @property
    def deviation_rule(self) -> Rule:
        """The rule of deviation ratings that the study's analysis names."""
        plan = self.study.analysis
        return "strict" if plan is None else plan.deviation_rule

    @cached_property
    def matches(self) -> Any:
        """One row for each agent in each replicate.

        replicate, agent    numbers; agents by place at the table
        who                 name of the agent, as prompts have it: "player 1", "agent 3"
        repetition          from 0
        type, seat          its type, and its seat in the game, from 1
        opponents           types of its co-players in order of seat: "a, b"; missing where partners
                            change
        void                whether an answer could not be read, so that nothing counts
        score               sum over rounds of weight x points; NaN if void. Of a run that is not
                            finished as far as it goes: not to be compared with others
        """
        return self._tabulate(match_rows)

    @cached_property
    def decisions(self) -> Any:
        """One row for each move; a large frame.

        replicate, round, agent     numbers; rounds as the run numbers its pages
        who, type, seat             as in `match_rows`
        void                        whether the replicate is void; its moves are told all the same
        action                      what was done, by whomever it was chosen
        others                      what co-players did, in order of seat: "A0, A1"; a dash for one
                                    who plays under other rules
        delegated                   whether a mediator chose it
        payoff                      points of this round, after all that mechanisms added
        p_ACTION, p_delegate        probabilities as submitted; NaN where not offered
        """
        return self._tabulate(decision_rows)

    @cached_property
    def adoption(self) -> Any:
        """One row for each agent and each ballot on contracts or mediators that it had part in.

        replicate, agent, who, type, seat   as in `match_rows`
        mechanism           contract or mediator
        ballot              from 1; more than one where they are made anew in every game
        winner              type of whoever made the proposal that won; missing if nobody made any
        unanimous           whether it was approved by all; approvals: by how many
        agreed              whether the agent signed, or the share of its moves that it delegated
        active              share of rounds in which it was in force: all signed, or somebody
                            delegated; 0 where nothing was proposed, the other numbers are NaN there
        """
        return self._tabulate(adoption_rows)

    @cached_property
    def minds(self) -> Any:
        """One row for each model that was asked, for designs, too; also of runs at level summary.

        model               as the run names it
        questions           asked; repairs, cut and re-asked ones not counted again
        valid               of these, read at the first try; first_try: as a share
        repairs, cut        further exchanges that mended a reply, or asked for one cut off again
        fallbacks           questions that stayed unreadable
        """
        rows = ([reply_quality_rows(run)] for run in self.study.played)
        return self.study.table(LongForm(rows), UNITS)

    def _tabulate(self, rows: Callable[[GameCell], TableRows]) -> Any:
        games = replace(self.study, played=tuple(cell.run for cell in self.cells))
        return games.table(LongForm([rows(cell)] for cell in self.cells), UNITS)
