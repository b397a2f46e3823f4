"""The table of agents in a round: one row each, or the first dozen and quantiles of a crowd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED, FactSpec
from society.engine.rng import Array

from .console import (
    LONGEST_HEADING,
    TerminalColumn,
    TerminalStyle,
    decimals_for,
    largest,
    layout_table,
    shares,
)
from .labels import Names, spell_kind
from .round_view import RoundView, last_common_fact

if TYPE_CHECKING:
    from society.runs.runfile import Manifest

CROWD = 24  # of more agents, only the first dozen and quantiles are shown
_DOZEN = 12
_QUANTILES = {"10 %": 0.1, "median": 0.5, "90 %": 0.9}


class Traits:
    """The heritable columns of one replicate, and units and labels of all that the table shows."""

    def __init__(self, manifest: Manifest, replicate: int = 0) -> None:
        self._specs = manifest.specs
        self._owners = {
            one.name: manifest.seated(one.cohorts, replicate)
            for one in manifest.columns
            if one.heritable
        }
        # What is quoted has its own place.
        self.names = tuple(name for name in self._owners if name not in manifest.stage.quotes)

    def spec(self, name: str) -> FactSpec:
        """Return the declared words, unit and labels of a fact or column."""
        return self._specs.get(name, UNSPECIFIED)

    def shown(self, name: str, values: Array) -> Array:
        """Replace numbers of a column, (N,), by its labels; blank for agents without the column."""
        spec = self.spec(name)
        shown = spec.labelled(values) if spec.labels and values.dtype.kind in "biuf" else values
        if name in self._owners and values.dtype.kind in "biu":
            nothing: Any = None if spec.labels else np.nan
            return np.where(self._owners[name], shown, nothing)
        return shown


class AgentTable:
    """Prints the agents of one replicate; bars compare agents, and earlier rounds."""

    def __init__(self, ink: TerminalStyle, names: Names, replicate: int, traits: Traits) -> None:
        self.ink, self.names, self.replicate, self.traits = ink, names, replicate, traits
        self.largest: dict[str, float] = {}

    def lines(self, scene: RoundView, columns: Iterable[str]) -> list[Text]:
        """Lay out the table of all agents who took part; empty if no column is to be shown."""
        seats = np.flatnonzero(scene.present[self.replicate])
        named = seats if len(seats) <= self.ink.most(CROWD) else seats[:_DOZEN]
        rest = seats[len(named) :]
        told = [
            self._column(scene, name, self.traits.shown(name, values[self.replicate]), named, rest)
            for name in columns
            if (values := scene.column(name)) is not None
        ]
        if told and self.names.several:
            told.insert(0, self._types(named, rest))
        return list(layout_table(self.ink, self._stub(scene, named, rest), told))

    def _types(self, named: Array, rest: Array) -> TerminalColumn:
        """Return the type of each agent, which is no part of its name."""
        blank = [Text()] * (1 + len(_QUANTILES) if len(rest) else 0)
        return TerminalColumn("type", [Text(self.names.cohorts[seat]) for seat in named] + blank)

    def _stub(self, scene: RoundView, named: Array, rest: Array) -> list[Text]:
        fallen = {seat for _, gone in scene.gone for seat in np.flatnonzero(gone[self.replicate])}
        stub = [Text(self.names[seat], "red" if seat in fallen else "") for seat in named]
        if len(rest):
            stub += [Text(f"{len(rest)} more", "dim")]
            stub += [Text(f"  {quantile}", "dim") for quantile in _QUANTILES]
        return stub

    def _column(
        self, scene: RoundView, name: str, values: Array, named: Array, rest: Array
    ) -> TerminalColumn:
        # In a name of several parts the field comes last, and tells columns apart.
        heading = " ".join(self._heading(part) for part in name.split(" ", 1))
        unit = self.ink.cut(self.traits.spec(name).unit, LONGEST_HEADING)
        blank = [Text()] * (1 + len(_QUANTILES) if len(rest) else 0)
        if values.dtype.kind not in "iuf":
            return TerminalColumn(
                heading, [Text(self.ink.figure(values[seat])) for seat in named] + blank, unit=unit
            )
        decimals = decimals_for(values[np.concatenate([named, rest])])
        shown = values[named].astype(float)
        cells = self._figures(shown, decimals, self._limit(scene, name))
        if len(rest):
            spread = _quantiles(values[rest].astype(float))
            cells += blank[:1] + self._figures(spread, decimals, self._limit(scene, name))
            shown = np.concatenate([shown, [np.nan], spread])
        self.largest[name] = max(self.largest.get(name, 0.0), largest(shown))
        return TerminalColumn(heading, cells, shares(shown, self.largest[name]), unit)

    def _heading(self, name: str) -> str:
        """Return a name, or its words if it is long."""
        words = [name] if len(name) <= LONGEST_HEADING else spell_kind(name).split(" ")
        return " ".join(self.ink.cut(word, LONGEST_HEADING) for word in words)

    def _limit(self, scene: RoundView, name: str) -> float | None:
        limit = last_common_fact(scene.page, scene.stage.limits.get(name, ""))
        return None if limit is None else float(limit[self.replicate, 0])

    def _figures(self, values: Array, decimals: int, limit: float | None) -> list[Text]:
        """Format numbers; mark those above the limit, and pad the others."""
        figures = [self.ink.figure(value, decimals) for value in values]
        if limit is None:
            return [Text(figure) for figure in figures]
        return [
            Text(f"{figure}!", "bold yellow") if value > limit else Text(f"{figure} ")
            for figure, value in zip(figures, values, strict=True)
        ]


def _quantiles(values: Array) -> Array:
    there = values[~np.isnan(values)]
    if not len(there):
        return np.full(len(_QUANTILES), np.nan)
    return np.quantile(there, list(_QUANTILES.values()))
