"""The numbers of a published study in our figures, against what its authors computed and printed.

dilemmas_payoffs.json holds one of the three runs that CoopEval averages in its Tables 3 to 7. None
of three values is farther from their mean than twice its standard error (Samuelson's inequality):
so far may a dot of ours be from a printed mean. The file belongs to others: this test reads it
where SOCIETY_REFERENCE_DATA says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_allclose

from society.analysis.crossplay import Contest
from society.analysis.crossplay.standings import MeanOverRuns
from society.analysis.metagame import (
    Matchups,
    mean_payoffs,
    normalise_payoffs,
    payoff_tensor,
    replicator_dynamics,
)
from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array
from society.report.figures.style import Figure
from society.report.page import Section
from society.reproduction.evidence import Evidence
from society.scenarios.reproductions.tewolde2026 import metagame_figures
from society.scenarios.reproductions.tewolde2026.metagame_figures import SelectionPanel
from society.scenarios.reproductions.tewolde2026.played_dilemmas import (
    GAMES,
    MECHANISMS,
    PlayedDilemmas,
)

FOLDER = os.environ.get("SOCIETY_REFERENCE_DATA")

pytestmark = pytest.mark.skipif(not FOLDER, reason="set SOCIETY_REFERENCE_DATA to the folder")

THEIRS = {"trust": "trust_game"} | {
    "none": "no_mechanism",
    "reputation_first": "reputation_first_order",
    "reputation_higher": "reputation",
    "contract": "contracting",
}
# Payoffs in equilibrium, and where all cooperate (Table 1).
ENDS = {"prisoners_dilemma": (1, 2), "public_goods": (1, 1.5), "travellers_dilemma": (2, 5)} | {
    "trust": (4, 10),
    "stag_hunt": (3, 5),
}
# Mean payoffs of all models together in Tables 3 to 7, with standard errors over three runs, in
# the order of our mechanisms.
PRINTED = {
    "prisoners_dilemma": [
        (1.097, 0.014), (1.770, 0.027), (1.407, 0.010), (1.358, 0.043), (1.833, 0.053),
        (1.843, 0.028),
    ],
    "public_goods": [
        (1.017, 0.003), (1.166, 0.001), (1.086, 0.008), (1.051, 0.001), (1.237, 0.005),
        (1.438, 0.003),
    ],
    "travellers_dilemma": [
        (2.185, 0.116), (3.077, 0.062), (2.118, 0.083), (2.070, 0.025), (4.000, 0.080),
        (4.130, 0.088),
    ],
    "trust": [
        (4.556, 0.309), (9.311, 0.056), (7.995, 0.366), (6.551, 0.233), (8.833, 0.096),
        (8.667, 0.096),
    ],
    "stag_hunt": [
        (3.671, 0.138), (4.789, 0.018), (4.961, 0.039), (4.893, 0.107), (4.713, 0.089),
        (4.329, 0.093),
    ],
}  # fmt: skip
ROUNDING = 0.0005 + 2 * 0.0005  # of a mean and of twice its error


class PublishedContest:
    """A published cell in the place of a contest that we have played, in one run."""

    def __init__(self, game: str, mechanism: str, cell: Mapping[str, Any]) -> None:
        low, high = ENDS[game]
        seats = 3 if game == "public_goods" else 2
        self.game, self.mechanism, self.published = game, mechanism, cell["published"]
        self.types = tuple(cell.get("tensor_models", cell["models"]))
        note = SimpleNamespace(
            players=seats,
            cooperation=None,  # so that there is no table over games, which needs what was played
            equilibrial=(float(low),) * seats,
            cooperative=(float(high),) * seats,
        )
        self.first = SimpleNamespace(game=note, repetition=np.zeros(1, int))
        self.cells = (self.first,)
        self._matchups: Matchups | None = None
        if "tensor" in cell:
            places = np.array([self.types.index(name) for name in cell["models"]])
            rows = cell["matchups"]
            payoffs = np.array([row["seat_payoffs"] for row in rows])
            self._matchups = Matchups(
                self.types, places[np.array([row["m"] for row in rows])], payoffs
            )

    def of_types(self, values: Mapping[str, float]) -> Array:
        return np.array([values[name] for name in self.types])

    @property
    def matchups(self) -> Matchups:
        if self._matchups is None:
            raise NotEstimable("reputation has no meta-game")
        return self._matchups

    def tensors(self) -> list[Array]:
        return [payoff_tensor(self.matchups)]

    def by_seat(self) -> list[Array]:
        return [payoff_tensor(self.matchups, by_seat=True)]

    def selections(self) -> list[Any]:
        return [replicator_dynamics(tensor) for tensor in self.tensors()]

    def summed(self, metric: str) -> MeanOverRuns:
        if metric == "Fitness":
            (found,) = self.selections()
            values = np.array([found.average, *found.fitness])
        elif metric == "DevRank":
            raise NotEstimable("ranks are held against the published ones elsewhere")
        else:
            known = self._matchups is not None
            means = mean_payoffs(self.matchups) if known else self.of_types(self.published["mean"])
            values = np.array([means.mean(), *means])
        return MeanOverRuns.of(values[None])

    def scaled(self, metric: str) -> Array:
        return normalise_payoffs(self.summed(metric).mean, *ENDS[self.game])


@pytest.fixture(scope="module")
def played() -> PlayedDilemmas:
    assert FOLDER
    cells = json.loads(Path(FOLDER, "dilemmas_payoffs.json").read_text())["cells"]
    contests = {}
    for game in GAMES:
        for mechanism in MECHANISMS:
            theirs = f"{THEIRS.get(mechanism, mechanism)}_{THEIRS.get(game, game)}"
            (cell,) = (own for name, own in cells.items() if name.endswith(f"/{theirs}"))
            contest = PublishedContest(game, mechanism, cell)
            contests[game, mechanism] = cast(Contest, contest)
    return PlayedDilemmas(contests, rules=False)


def figures(section: Section) -> dict[str, Figure]:
    return {part.name: part for part in section.walk() if isinstance(part, Figure)}


@pytest.fixture(scope="module")
def drawn(played: PlayedDilemmas) -> dict[str, Figure]:
    """Tables 3 to 7 and Figs 13 to 32 of the published run, as we draw them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlayedDilemmas, "of", lambda evidence: played)
        nothing = Evidence({})
        tables = figures(metagame_figures.tables_section(nothing))
        return tables | figures(metagame_figures.payoffs_section(nothing))


@pytest.mark.thorough
def test_mean_payoffs_stand_where_tables_3_to_7_say(drawn: dict[str, Figure]) -> None:
    data = drawn["table-3"].data
    for game, printed in PRINTED.items():
        (frame,) = (
            place
            for place, one in enumerate(data.frames)
            if one.title.endswith(f" {GAMES[game]}: mean payoff")
        )
        (dots,) = (one for one in data.series if one.frame == frame and one.label == "all types")
        means, errors = np.transpose(printed)
        assert list(dots.words) == [*MECHANISMS.values()]
        assert (np.abs(dots.across - means) <= 2 * errors + ROUNDING).all(), game


@pytest.mark.thorough
def test_cells_of_figures_13_to_32_have_the_published_payoffs(
    drawn: dict[str, Figure], played: PlayedDilemmas
) -> None:
    """Of two players both seats, mean over orders as published; of three the row's own."""
    for game in GAMES:
        figure = drawn[f"figure-13-{game.replace('_', '-')}"]
        matched = [mechanism for mechanism in MECHANISMS if "reputation" not in mechanism]
        assert len(figure.data.series) == len(matched) == 4
        for mechanism, cells in zip(matched, figure.data.series, strict=True):
            contest = cast(PublishedContest, played.contests[game, mechanism])
            (tensor,) = contest.tensors()
            assert cells.values is not None
            if game == "public_goods":
                pairs = np.triu_indices(6)
                assert_allclose(cells.values.reshape(6, 21), tensor[:, *pairs], atol=1e-12)
            else:
                first, second = cells.values.reshape(6, 2, 6).transpose(1, 0, 2)
                assert_allclose((first + second.T) / 2, tensor, atol=1e-12)


def test_courses_of_figure_2_pass_through_the_published_populations(
    played: PlayedDilemmas,
) -> None:
    contest = played.contests["public_goods", "contract"]
    course = SelectionPanel.of("contracts", contest)
    published = cast(PublishedContest, contest)
    history = published.published["population_history_at"]
    held = [step for step in map(int, history) if step in course.steps]
    assert {0, 10, 100} <= set(held)
    for step in held:
        (at,) = np.flatnonzero(course.steps == step)
        assert_allclose(course.shares[at], published.of_types(history[str(step)]), atol=1e-9)
