"""Shares of genes in a population over the generations of one run, stacked upon each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from society.engine.rng import Array

from .alt_text import describe_curves
from .style import PAPER, SERIES, Figure, add_legend, legend_height, render_figure, wrap_label

_HATCHES = ("", "////", "....", "xxxx")  # after each turn of the colours


def stacked_shares(name: str, title: str, caption: str, shares: Mapping[str, Array]) -> Figure:
    """Draw how the shares of genes, (T,) each, change from generation to generation."""
    names = [wrap_label(gene) for gene in shares]
    generations = np.arange(len(next(iter(shares.values())))) + 1

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        areas = axes.stackplot(generations, *shares.values(), edgecolor=PAPER, linewidth=0.3)
        for number, area in enumerate(areas):
            turn, colour = divmod(number, len(SERIES))
            area.set(facecolor=SERIES[colour].colour, hatch=_HATCHES[turn % len(_HATCHES)])
        axes.set(xlim=(generations[0], max(generations[-1], 2)), ylim=(0, 1))
        axes.set_xlabel("generation")
        axes.set_ylabel("share of the population")
        axes.locator_params(axis="x", integer=True)
        add_legend(figure, areas, names)

    alt = describe_curves((gene, generations, share) for gene, share in shares.items())
    return render_figure(name, title, caption, alt, draw, 3.2 + legend_height(names))
