"""Counterparts of the paper's figures: what is drawn of small tournaments, and its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from society.analysis.crossplay import CrossPlay
from society.analysis.study.condition import ConditionRun
from society.analysis.study.study import Study
from society.claims.types import InsufficientEvidence
from society.config.build import build
from society.config.registry import reproduction
from society.config.run_config import load_config
from society.report.figures.block_rows import BarPanelOfRows
from society.report.figures.dot_panels import MetricPanel
from society.report.figures.payoff_grid import PayoffMatrix
from society.report.figures.style import HUES, Figure
from society.report.figures.type_rows import Anchors
from society.reproduction.evidence import Evidence, ExperimentResult
from society.runs.design_runs import make_designs
from society.runs.runfile import Writer, manifest_of
from society.scenarios.reproductions.tewolde2026 import dilemma_figures, metagame_figures
from society.scenarios.reproductions.tewolde2026.played_dilemmas import (
    MECHANISMS,
    PlayedDilemmas,
    name_counterpart,
)

TYPES = {"always_cooperate": "capable", "always_defect": "stubborn"}
STACKS: Mapping[str, list[dict[str, Any]]] = {
    "none": [],
    "repetition": [{"repetition": {"games": 3, "continuation": 0.5, "window": 3}}],
    "mediation": [{"mediation": {}}],
    "contract": [{"contracts": {}}],
}


def play(folder: Path, game: str, mechanism: str) -> ConditionRun:
    cohorts = [
        {
            "name": name,
            "components": [
                {"classic_strategies": {"strategy": name}},
                {"mechanism_use": {"skill": skill}},
            ],
        }
        for name, skill in TYPES.items()
    ]
    mechanisms = [*STACKS[mechanism], {"tournament": {}}]
    setup = make_designs(build(load_config(game, {"cohorts": cohorts, "mechanisms": mechanisms})))
    path = folder / f"{game}-{mechanism}.run"
    with Writer(path, manifest_of(setup, "full")) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return ConditionRun.read(path, path.stem, {"game": game, "mechanism": mechanism})


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """Who always cooperates and who always defects, in three games under four mechanisms."""
    folder = tmp_path_factory.mktemp("dilemmas")
    pairs = [play(folder, "prisoners_dilemma", mechanism) for mechanism in STACKS]
    pairs.append(play(folder, "travellers_dilemma", "repetition"))
    goods = [play(folder, "public_goods", mechanism) for mechanism in ("none", "repetition")]
    results = {
        name: SimpleNamespace(begun=True, cross_play=CrossPlay(Study(name, tuple(runs))))
        for name, runs in (("classic_pairs", pairs), ("classic_goods", goods))
    }
    return Evidence({name: cast(ExperimentResult, one) for name, one in results.items()})


class Drawn(dict[str, Sequence[Any]]):
    """The panels of figures by name, and the titles and captions that they were given."""

    def __init__(self) -> None:
        super().__init__()
        self.titles: dict[str, str] = {}
        self.captions: dict[str, str] = {}
        self.anchors: dict[str, Anchors | None] = {}

    def draw(
        self, name: str, title: str, caption: str, panels: Sequence[Any], *args: Any, **more: Any
    ) -> Figure:
        self[name], self.titles[name], self.captions[name] = panels, title, caption
        self.anchors[name] = args[0] if args and isinstance(args[0], Anchors) else None
        return Figure(name, title, caption, "", "", b"")


@pytest.fixture(scope="module")
def drawn(evidence: Evidence) -> Drawn:
    """The panels of all figures, which are not drawn."""
    kept = Drawn()
    with pytest.MonkeyPatch.context() as patch:
        for module, names in (
            (dilemma_figures, ("block_bars", "dot_panels")),
            (metagame_figures, ("dot_panels", "render_panels", "payoff_grid")),
        ):
            for name in names:
                patch.setattr(module, name, kept.draw)
        for design in reproduction("dilemmas").designs:
            for section in design.sections:
                section(evidence)
    return kept


def bars(drawn: Drawn, name: str, title: str) -> dict[str, list[float]]:
    """The shares of actions in each row of a panel, by its name."""
    panel = cast(BarPanelOfRows, next(one for one in drawn[name] if one.title == title))
    rows = [f"{block.name}: {row}" for block in panel.blocks for row in block.rows]
    return dict(zip(rows, panel.shares.tolist(), strict=True))


def test_both_ways_of_playing_have_the_same_figures() -> None:
    rules, language = reproduction("dilemmas").designs
    assert rules.sections == language.sections
    assert len(rules.sections) == 6


def test_every_figure_is_the_counterpart_of_some_of_the_papers_and_says_what_was_changed(
    drawn: Drawn,
) -> None:
    assert {name: title.partition(":")[0] for name, title in drawn.titles.items()} == {
        "table-2": name_counterpart("2", kind="Table"),
        "table-3": name_counterpart("3 to 5", kind="Table"),
        "figure-2": name_counterpart("2"),
        "figure-3": name_counterpart("3"),
        "figure-4": name_counterpart("4"),
        "figure-5": name_counterpart("5"),
        "figure-6": name_counterpart("6"),
        "figure-7": name_counterpart("7"),
        "figure-9": name_counterpart("9 to 12"),
        "figure-13-prisoners-dilemma": name_counterpart("13 to 32"),
        "figure-13-public-goods": name_counterpart("13 to 32"),
        "figure-13-travellers-dilemma": name_counterpart("13 to 32"),
    }
    whose = "Rules of ours in place of the paper's six models; one repetition, 3 in the paper."
    assert all(whose in caption for caption in drawn.captions.values())


def test_pooled_actions_are_shares_of_drawn_moves_and_delegating_is_one_of_them(
    drawn: Drawn,
) -> None:
    shares = bars(drawn, "figure-3", "prisoner's dilemma")
    assert shares[": no mechanism"][:2] == [0.5, 0.5]
    cooperates, defects, delegates = shares[": mediation"]
    assert (cooperates, defects, delegates) == (0.0, 0.5, 0.5)
    assert np.isnan(bars(drawn, "figure-3", "public goods")[": mediation"]).all()


def test_actions_of_the_travellers_dilemma_run_from_the_highest_claim_down(drawn: Drawn) -> None:
    shares = bars(drawn, "figure-4", "traveller's dilemma")
    assert shares["repetition: always cooperate"][:4] == [1, 0, 0, 0]
    assert shares["repetition: always defect"][:4] == [0, 0, 0, 1]
    styles = dilemma_figures.action_styles("travellers_dilemma")
    assert [one.words for one in styles[:4]] == ["claims 5", "claims 4", "claims 3", "claims 2"]
    ranks = [[hue.colour for hue in HUES].index(one.colour) for one in styles[:4]]
    assert ranks == sorted(ranks, reverse=True)


def test_the_first_action_in_our_words_is_what_the_game_calls_cooperation(
    evidence: Evidence,
) -> None:
    for (game, _), contest in PlayedDilemmas.of(evidence).contests.items():
        note = contest.first.game
        assert note.cooperation is not None
        first = next(iter(dilemma_figures.WORDS[game]))
        assert {own[at] for own, at in zip(note.actions, note.cooperation, strict=True)} == {first}
        assert set(dilemma_figures.WORDS[game]) == set(note.actions[0])


def test_reactions_stand_in_blocks_by_what_co_players_had_done(drawn: Drawn) -> None:
    shares = bars(drawn, "figure-6", "repetition")
    assert [*dict.fromkeys(row.partition(":")[0] for row in shares)] == [
        "first moves",
        "after 2 of 2 cooperated",
        "after 1 of 2 cooperated",
        "after 0 of 2 cooperated",
    ]
    assert shares["after 1 of 2 cooperated: always cooperate"] == [1, 0]
    assert [one.title for one in drawn["figure-6"]] == ["repetition"]
    claims = bars(drawn, "figure-7", "repetition")
    assert "after a claim of 2: always cooperate" in claims


def test_contracts_and_mediators_are_voted_on_in_blocks_of_their_own(drawn: Drawn) -> None:
    (panel,) = cast(Sequence[MetricPanel], drawn["figure-9"])
    assert [block.name for block in panel.blocks] == ["contracts", "mediation"]
    signed, delegated = ({one.label: one.values[row] for one in panel.series} for row in (2, 6))
    assert (signed["always cooperate"], signed["always defect"]) == (1, 0)
    assert delegated == {"all types": 0.5, "always cooperate": 1, "always defect": 0}
    assert np.isnan(panel.series[0].values[1])  # all types together have no proposal of their own
    assert panel.limits[0] < 0 < 1 < panel.limits[1]


def test_a_cell_of_two_players_has_both_payoffs_and_colours_are_tied_to_nash_and_cooperation(
    drawn: Drawn,
) -> None:
    first, *_ = cast(Sequence[PayoffMatrix], drawn["figure-13-prisoners-dilemma"])
    assert first.title == "no mechanism"
    assert first.payoffs.tolist() == [[[2, 0], [3, 1]], [[2, 3], [0, 1]]]
    assert drawn.anchors["figure-13-prisoners-dilemma"] == Anchors((1, 1), (2, 2))


def test_of_three_players_each_has_its_payoff_in_its_own_row(drawn: Drawn) -> None:
    first, *_ = cast(Sequence[PayoffMatrix], drawn["figure-13-public-goods"])
    pairs = ["cooperate cooperate", "cooperate defect", "defect defect"]
    assert [" ".join(name.split()[1] for name in column) for column in first.columns] == pairs
    (payoffs,) = first.payoffs
    assert payoffs.tolist() == [[1.5, 1.0, 0.5], [2.0, 1.5, 1.0]]
    assert drawn.anchors["figure-13-public-goods"] == Anchors((1.0,), (1.5,))


def test_scores_of_a_table_stand_by_mechanism_and_ranks_fall_to_the_right(drawn: Drawn) -> None:
    payoff, fitness, rank = cast(Sequence[MetricPanel], drawn["table-3"])[:3]
    assert [one.title for one in (payoff, fitness, rank)] == [
        f"prisoner's dilemma: {metric}" for metric in ("mean payoff", "fitness", "rank")
    ]
    assert payoff.blocks[0].rows == [MECHANISMS[mechanism] for mechanism in STACKS]
    none = {one.label: one.values[0] for one in payoff.series}
    assert none == {"all types": 1.5, "always cooperate": 1.0, "always defect": 2.0}
    assert payoff.marks == (1.0, 2.0)
    assert rank.falling
    assert rank.limits[0] > rank.limits[1]
    over = cast(Sequence[MetricPanel], drawn["table-2"])[0]
    assert over.series[0].values[0] == pytest.approx((0.5 + 0.5) / 2)  # two games without any


def test_fitness_along_selection_is_that_among_the_shares_of_the_time(drawn: Drawn) -> None:
    first = cast(metagame_figures.SelectionPanel, drawn["figure-2"][0])
    assert first.shares[0].tolist() == [0.5, 0.5]
    assert first.fitness[0] == pytest.approx([1.0, 1.5])
    assert first.fitness[-1] == pytest.approx([0.5, 1.0], abs=0.01)  # all defect in the end


def test_without_any_game_the_sections_say_so() -> None:
    with pytest.raises(InsufficientEvidence, match="no game between types has begun"):
        PlayedDilemmas.of(Evidence({}))


def test_places_that_coverage_names_are_sections_of_the_page() -> None:
    paper = reproduction("dilemmas")
    shown = {entry.id: entry.shown for entry in paper.coverage if entry.shown}
    figures = {f"figure-{number}" for number in range(2, 33)}
    assert shown.keys() == figures | {f"table-{number}" for number in range(2, 8)}
    anchors = {"table-2", "figure-2", "figure-3", "figure-5", "figure-9", "figure-13"}
    assert {anchor for own in shown.values() for anchor in own} == anchors
