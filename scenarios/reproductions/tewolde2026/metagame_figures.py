"""Counterparts of the paper's tables and figures on the game among types.

They show scores, selection and payoffs: in points, between equilibrium and full cooperation, or,
over all dilemmas, from 0 to 1. Reputation has mean payoffs alone: what a type gets there hangs on
all who are present.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.crossplay.standings import METRICS, MeanOverRuns
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.claims.types import InsufficientEvidence
from society.engine.rng import Array
from society.report.figures.alt_text import describe_curves
from society.report.figures.block_rows import RowBlock
from society.report.figures.dot_panels import MetricPanel, dot_panels
from society.report.figures.payoff_grid import PayoffMatrix, payoff_grid
from society.report.figures.read_out import name_series
from society.report.figures.stacked_shares import SharePanel
from society.report.figures.style import Figure, render_panels, series_style
from society.report.figures.type_rows import Anchors
from society.report.page import Section, SectionPart, folded_section
from society.report.sections.crossplay.scores import scores_of_game, scores_over_games
from society.reproduction.evidence import Evidence

from .played_dilemmas import (
    GAMES,
    MECHANISMS,
    NO_DILEMMA,
    PlayedDilemmas,
    name_counterpart,
    name_dots,
    name_type,
)

_WORDS = {"Mean": "mean payoff", "Fitness": "fitness", "DevRank": "rank"}
_TABLES = {game: 3 + number for number, game in enumerate(GAMES)}
_SELECTED = "public_goods"  # the game of Fig. 2
_METRICS = (
    "Mean payoff: among equal shares. Fitness: after 1,000 steps of replicator dynamics, the black "
    "one weighted by population. Rank: by strict deviation ratings; 1 is best. Broken lines: the "
    "equilibrium, and where all cooperate."
)
_POINTS = 201  # of a course


def tables_section(evidence: Evidence) -> Section:
    """Draw Tables 2 to 7: scores of types by mechanism, over all dilemmas and in each game."""
    played = PlayedDilemmas.of(evidence)
    dilemmas = [game for game in played.games if game != NO_DILEMMA]
    parts: list[SectionPart] = []
    if len(dilemmas) > 1:
        over = dot_panels(
            "table-2",
            f"{name_counterpart('2', kind='Table')}: scores over all dilemmas",
            "Payoffs are 0 in equilibrium and 1 where all cooperate; bars: one standard error over "
            f"games. {_METRICS} {played.who}",
            list(_score_panels(played, "", _scores_over(played, dilemmas), (0.0, 1.0))),
            across=3,
        )
        of_dilemmas = [own for (game, _), own in played.contests.items() if game in dilemmas]
        parts += [over, folded_section("Table 2 in numbers", *scores_over_games(of_dilemmas))]
    numbers = [str(_TABLES[game]) for game in played.games]
    each = dot_panels(
        "table-3",
        f"{name_counterpart(*_range(numbers), kind='Table')}: scores in each game",
        f"Payoffs in points; bars: one standard error over repetitions. {_METRICS} {played.who}",
        [
            panel
            for game in played.games
            for panel in _score_panels(
                played, f"{GAMES[game]}: ", _scores_in(played, game), _ends(played, game)
            )
        ],
        across=3,
    )
    parts.append(each)
    for game in played.games:
        own = [contest for _, contest in played.of_game(game)]
        title = f"Table {_TABLES[game]} in numbers: {GAMES[game]}"
        parts.append(folded_section(title, *scores_of_game(own[0].game, own)))
    return Section(name_counterpart("2 to 7", kind="Table"), parts, "table-2")


def _range(numbers: Sequence[str]) -> list[str]:
    """Name several numbers in a row by the first and the last one."""
    return [f"{numbers[0]} to {numbers[-1]}"] if len(numbers) > 2 else [*numbers]


def _ends(played: PlayedDilemmas, game: str) -> tuple[float, ...]:
    """The payoffs of equilibrium and of full cooperation, means over seats."""
    anchors = find_anchors(played.of_game(game)[0][1], 1)
    return () if anchors is None else (*anchors.equilibrium, *anchors.cooperation)


class MetagameScores(NamedTuple):
    """Scores by metric, (1 + K, mechanisms) each: all types together, then each; and errors."""

    values: Mapping[str, Array]
    errors: Mapping[str, Array]

    @classmethod
    def unknown(cls, played: PlayedDilemmas) -> MetagameScores:
        shape = 1 + len(played.types), len(played.mechanisms)
        return cls(*({one: np.full(shape, np.nan) for one in METRICS} for _ in range(2)))

    def put(self, metric: str, places: Sequence[int], column: int, sums: MeanOverRuns) -> None:
        """Enter what is known of some types under a mechanism."""
        rows = [0, *(1 + place for place in places)]
        self.values[metric][rows, column] = sums.mean
        self.errors[metric][rows, column] = sums.error


def _scores_in(played: PlayedDilemmas, game: str) -> MetagameScores:
    found = MetagameScores.unknown(played)
    for column, mechanism in enumerate(played.mechanisms):
        if contest := played.contests.get((game, mechanism)):
            for metric in METRICS:
                sums = try_compute(contest.summed, metric)
                if not isinstance(sums, NotEstimable):
                    found.put(metric, played.place(contest), column, sums)
    return found


def _scores_over(played: PlayedDilemmas, games: Sequence[str]) -> MetagameScores:
    """Average over games that have the same types under a mechanism."""
    found = MetagameScores.unknown(played)
    for column, mechanism in enumerate(played.mechanisms):
        own = [played.contests[game, mechanism] for game in games
               if (game, mechanism) in played.contests]  # fmt: skip
        if len({contest.types for contest in own}) != 1:
            continue
        for metric in METRICS:
            scaled = [try_compute(contest.scaled, metric) for contest in own]
            known = [one for one in scaled if not isinstance(one, NotEstimable)]
            if known:
                sums = MeanOverRuns.of(np.stack(known))
                found.put(metric, played.place(own[0]), column, sums)
    return found


def _score_panels(
    played: PlayedDilemmas, game: str, scores: MetagameScores, marks: Sequence[float]
) -> Iterator[MetricPanel]:
    blocks = [RowBlock("", [MECHANISMS[one] for one in played.mechanisms])]
    for metric in METRICS:
        rank = metric == "DevRank"
        yield MetricPanel(
            f"{game}{_WORDS[metric]}",
            blocks,
            name_dots(played, scores.values[metric], scores.errors[metric]),
            marks=() if rank else marks,
            bounds=(1, len(played.types)) if rank else None,
            falling=rank,
        )


class SelectionPanel(NamedTuple):
    """Shares and fitness of types along replicator dynamics, (T, K) each, at steps (T,)."""

    title: str
    types: Sequence[str]
    steps: Array
    shares: Array
    fitness: Array

    @classmethod
    def of(cls, title: str, contest: Contest) -> SelectionPanel:
        """Average the courses of all runs; raises NotEstimable."""
        histories = [run.history for run in contest.selections()]
        steps = np.unique(np.linspace(0, len(histories[0]) - 1, _POINTS).round().astype(int))
        shares = np.mean([history[steps] for history in histories], axis=0)
        fitness = np.mean(
            [
                fitness_among(tensor, history[steps])
                for tensor, history in zip(contest.tensors(), histories, strict=True)
            ],
            axis=0,
        )
        moving = SharePanel(title, contest.types, steps, shares).until_settled()
        end = len(moving.times)
        return cls(title, contest.types, steps[:end], shares[:end], fitness[:end])

    def describe(self) -> str:
        return describe_curves(
            [
                (name_type(one), self.steps, share)
                for one, share in zip(self.types, self.shares.T, strict=True)
            ],
            "step",
        )


def fitness_among(tensor: Array, shares: Array) -> Array:
    """The payoff of each type where co-players come from populations; (K, ...), (T, K) -> (T, K).

    >>> fitness_among(np.array([[2.0, 0.0], [3.0, 1.0]]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([[2., 3.],
           [1., 2.]])
    """
    rows = np.broadcast_to(tensor, (len(shares), *tensor.shape))
    while rows.ndim > 2:
        rows = np.einsum("t...k,tk->t...", rows, shares)
    return np.array(rows)


def selection_section(evidence: Evidence) -> Section:
    """Draw Fig. 2: which types spread in public goods, and what they score on the way."""
    played = PlayedDilemmas.of(evidence)
    found = [
        (words, try_compute(SelectionPanel.of, words, contest))
        for words, contest in played.of_game(_SELECTED)
    ]
    panels = [course for _, course in found if not isinstance(course, NotEstimable)]
    if not panels:
        raise InsufficientEvidence(f"no match of {GAMES[_SELECTED]} was played to its end")

    def draw(own: Sequence[Any], panel: SelectionPanel) -> Mapping[str, Any]:
        handles = {}
        for number, one in enumerate(panel.types):
            style = series_style(played.types.index(one))
            look = {"color": style.colour, "linestyle": style.dashes}
            for axes, values in zip(own, (panel.shares, panel.fitness), strict=True):
                (line,) = axes.plot(panel.steps, values[:, number], **look)
                name_series(line, name_type(one))
                handles[name_type(one)] = line
        own[0].set_ylim(-0.03, 1.03)
        own[1].locator_params(axis="both", nbins=4)
        return handles

    def finish(figure: Any, grid: Sequence[Sequence[Any]]) -> None:
        for own in grid[1:]:
            own[1].sharey(grid[0][1])
        grid[0][1].autoscale(axis="y")

    figure = render_panels(
        "figure-2",
        f"{name_counterpart('2')}: replicator dynamics in {GAMES[_SELECTED]}",
        "Top: shares in the population, from equal ones. Bottom: payoffs against it, in points. "
        "The paper shows contracts alone. Means over repetitions, drawn until shares hardly change "
        f"any more. {played.who}",
        panels,
        draw,
        across=len(panels),
        heights=[1.15, 0.95],
        labels=played.names,
        xlabel="step of selection",
        ylabels=["share", "payoff"],
        finish=finish,
    )
    return Section(name_counterpart("2"), [figure], "figure-2")


def payoffs_section(evidence: Evidence) -> Section:
    """Draw Figs 13 to 32: what all players are paid in each match-up of types."""
    played = PlayedDilemmas.of(evidence)
    figures = [figure for game in played.games for figure in _payoffs(played, game)]
    if not figures:
        raise InsufficientEvidence("no game was played to its end under a mechanism with matches")
    return Section(name_counterpart("13 to 32"), figures, "figure-13")


def _payoffs(played: PlayedDilemmas, game: str) -> Iterator[Figure]:
    found = [
        (words, contest, try_compute(payoff_matrix, words, contest))
        for words, contest in played.of_game(game)
    ]
    known = [(own, matrix) for _, own, matrix in found if not isinstance(matrix, NotEstimable)]
    if not known:
        return
    matrices = [matrix for _, matrix in known]
    contest = known[0][0]
    players = contest.first.game.players
    cells = (
        "Upper number and colour: the type of the row, in the first seat; lower: that of the "
        "column, in the second seat."
        if players == 2
        else "The type of the row meets the two of the column. Seats are alike: the payoffs of the "
        "other two stand in their own rows."
    )
    yield payoff_grid(
        f"figure-13-{game.replace('_', '-')}",
        f"{name_counterpart('13 to 32')}: payoffs by match-up, {GAMES[game]}",
        f"Points, means over repetitions{' and orders of seats' if players > 2 else ''}. {cells} "
        f"{played.who}",
        matrices,
        find_anchors(contest, len(matrices[0].payoffs)),
    )


def payoff_matrix(title: str, contest: Contest) -> PayoffMatrix:
    """Arrange the payoffs of a contest: both seats of two, or one of three against each pair.

    Raises NotEstimable.
    """
    names = [name_type(one) for one in contest.types]
    if contest.first.game.players == 2:
        columns = [(name,) for name in names]
        return PayoffMatrix(title, names, columns, np.mean(contest.by_seat(), axis=0))
    tensor = np.mean(contest.tensors(), axis=0)
    others = list(combinations_with_replacement(range(len(names)), tensor.ndim - 1))
    payoffs = np.stack([tensor[(slice(None), *own)] for own in others], axis=1)
    columns = [tuple(names[at] for at in own) for own in others]
    return PayoffMatrix(title, names, columns, payoffs[None])


def find_anchors(contest: Contest, bands: int) -> Anchors | None:
    """The payoffs of equilibrium and cooperation, of each seat or means; None if none is better."""
    low, high = contest.first.game.equilibrial, contest.first.game.cooperative
    if low is None or high is None:
        return None
    if bands == 1:
        low, high = (float(np.mean(low)),), (float(np.mean(high)),)
    better = all(coop > rest for rest, coop in zip(low, high, strict=True))
    return Anchors(low, high) if better else None
