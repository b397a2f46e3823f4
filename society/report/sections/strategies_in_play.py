"""The section on strategies in play: welfare by their composition, and who wins their evolution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from society.analysis.study.condition import ConditionRun
from society.engine.rng import Array
from society.engine.scenario import mean_over
from society.report.figures.stacked_shares import SharePanel, stacked_shares
from society.report.figures.style import Figure, SeriesStyle
from society.report.figures.type_colours import TypeStyle
from society.report.figures.welfare_curves import WelfareCurve, WelfarePanel, welfare_curves
from society.report.layout import Layout
from society.report.page import Section, SectionPart
from society.report.tables import CellValue, Head, Table
from society.sandbox.stage_games import GameName, StageGame, stage_game

from .evolution.aggregates import RunMean

SELF_PLAY, EVOLUTION = "self_play", "cultural_evolution"
_WON = "won_"  # how the findings begin that tell whether a gene wins
_WELFARE = (
    "Means over samples within two standard errors; none of a group is exploitative at the left, "
    "and all are at the right. Grey lines are the least and the most that groups can come to."
)


def program_play_section(layout: Layout, styles: Mapping[str, TypeStyle]) -> Section:
    """Show self-play and cultural evolution of strategies, where they were played.

    styles: of genes, by name.
    """
    runs = layout.conditions
    self_play = [n for n, run in enumerate(runs) if run.manifest.spec["scenario"] == SELF_PLAY]
    evolved = [run for run in runs if run.manifest.spec["scenario"] == EVOLUTION]
    parts: list[SectionPart] = [*_welfare(layout, self_play)] if self_play else []
    if evolved:
        parts += _evolution(layout, evolved, styles)
    return Section("Strategies in play", parts, "program-play")


def _parameters(run: ConditionRun) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run.manifest.spec.get("parameters", {})
    return found


def _game(run: ConditionRun) -> StageGame:
    p = _parameters(run)
    name: GameName = p.get("game", "public_goods")
    settings = {"factor": p.get("factor"), "threshold": p.get("enough")}
    return stage_game(
        name,
        p.get("players", 4),
        p.get("game_rounds", 20),
        capacity=p.get("capacity"),
        **{key: one for key, one in settings.items() if one is not None},
    )


def _welfare(layout: Layout, places: Sequence[int]) -> Iterator[Figure]:
    """A figure for each game, with a panel for each model."""
    runs, payoffs = layout.conditions, layout.by_round("payoff")
    games: dict[str, dict[str, list[WelfareCurve]]] = {}
    for place in places:
        run = runs[place]
        panels = games.setdefault(_game(run).name, {})
        curve = welfare_curve(run, payoffs[place], layout.style(place))
        panels.setdefault(str(_parameters(run).get("model", "")), []).append(curve)
    for game, panels in games.items():
        yield welfare_curves(
            f"welfare_{game}",
            f"Welfare in {game} by the share of exploitative strategies",
            _WELFARE,
            [WelfarePanel(model, curves) for model, curves in panels.items()],
        )


def welfare_curve(run: ConditionRun, payoffs: Array, style: SeriesStyle) -> WelfareCurve:
    """Average payoffs of samples, (R, T), of which each round has a composition."""
    game, step = _game(run), _parameters(run).get("step", 1)
    exploiters = np.minimum(np.arange(payoffs.shape[1]) * step, game.players)
    _, mean, error = RunMean.of(payoffs)
    return WelfareCurve(
        game.players,
        exploiters / game.players,
        mean,
        mean - 2 * error,
        mean + 2 * error,
        game.bounds(),
        style,
    )


def _evolution(
    layout: Layout, runs: Sequence[ConditionRun], styles: Mapping[str, TypeStyle]
) -> Iterator[SectionPart]:
    yield evolution_table(layout, runs)
    genes = evolving_genes(layout)
    first = runs[0]
    shares = shares_of_genes(first)
    if shares is not None and shares.shape[1] == len(genes):
        yield stacked_shares(
            "gene_shares",
            f"Shares of genes in one run ({first.name})",
            "The first replicate of the first condition, generation by generation. Each area is a "
            "gene; at its end stands its last share.",
            [SharePanel("", genes, np.arange(len(shares)) + 1, shares)],
            styles,
            "generation",
        )


def evolving_genes(layout: Layout) -> list[str]:
    """Names of the genes whose shares cultural evolution follows; [] without any."""
    return [name.removeprefix(_WON) for name in _wins(layout)]


def _wins(layout: Layout) -> list[str]:
    return [name for name in layout.study.run_columns if name.startswith(_WON)]


def evolution_table(layout: Layout, runs: Sequence[ConditionRun]) -> Table:
    """Tabulate the share of runs that each gene wins, and how runs end, by condition."""
    rows: list[list[CellValue]] = []
    wins = _wins(layout)
    values = [layout.values(name) for name in [*wins, "dominated", "generations", "efficiency"]]
    for run in runs:
        place = layout.conditions.index(run)
        own = [each[place].astype(float) for each in values]
        rows.append([run.name, *mean_over(~np.isnan(own), np.array(own)).tolist()])
    head: Head = [
        ("text", "condition"),
        *((("share", name.removeprefix(_WON))) for name in wins),
        ("share", "dominated"),
        ("figure", "generations"),
        ("share", "efficiency"),
    ]
    return Table.of(
        "winning_genes",
        "Share of runs that each gene wins, and how they end",
        head,
        rows,
        "A gene is a model and an attitude; the commonest one at the end wins. Dominated: the "
        "share of runs in which one gene reached the threshold. Efficiency: welfare of the last "
        "generation between the bounds of the game.",
        whole=True,
    )


def shares_of_genes(run: ConditionRun) -> Array | None:
    """The shares of genes in each generation of the first replicate, (T, K); None if not kept."""
    with run.opened() as file:
        found = [
            step.arrays["common", "gene_shares"][0, 0]
            for page in file.pages()
            for step in page.steps
            if ("common", "gene_shares") in step.arrays and page.running.ravel()[0]
        ]
    return np.array(found) if found else None
