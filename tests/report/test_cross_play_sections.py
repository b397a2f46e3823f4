"""The sections on cross-play: what stands in them, and what they say where nothing can be said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from society.analysis.crossplay import CrossPlay
from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.condition import ConditionRun
from society.analysis.study.study import Study
from society.config.build import build
from society.config.run_config import load_config
from society.experiments.analysis_plan import AnalysisPlan
from society.report import write_report
from society.report.figures.style import Figure
from society.report.page import Caveat, Section
from society.report.sections import SECTIONS, StudyView
from society.report.sections.crossplay.scores import scores_over_games
from society.report.tables import Table
from society.runs.design_runs import make_designs
from society.runs.runfile import Level, Writer, manifest_of

pytestmark = pytest.mark.xdist_group("crossplay")  # one is looked at by many

TYPES = {"nice": ("always_cooperate", "capable"), "tit": ("tit_for_tat", "capable")} | {
    "nasty": ("always_defect", "stubborn")
}
REPEATED = {"repetition": {"games": 15, "continuation": 0.8}}


class Told(NamedTuple):
    """A study and its sections, by their anchors."""

    study: Study
    sections: Mapping[str, Section]

    def table(self, anchor: str, name: str) -> dict[str, list[Any]]:
        """Cells by heading."""
        (found,) = (
            part
            for part in self.sections[anchor].walk()
            if isinstance(part, Table) and part.name == name
        )
        return {column.heading: list(column.cells) for column in found.columns}

    def row(self, anchor: str, name: str, *begin: str) -> list[Any]:
        """The cells behind those with which a row begins."""
        rows = zip(*self.table(anchor, name).values(), strict=True)
        (found,) = (row for row in rows if row[: len(begin)] == begin)
        return list(found[len(begin) :])

    def picture(self, anchor: str, name: str) -> Figure:
        (found,) = (
            part
            for part in self.sections[anchor].walk()
            if isinstance(part, Figure) and part.name == name
        )
        return found


def play(
    path: Path, game: str, mechanisms: list[dict[str, Any]], level: Level = "full"
) -> ConditionRun:
    cohorts = [
        {
            "name": name,
            "components": [
                {"classic_strategies": {"strategy": one}},
                {"mechanism_use": {"skill": skill}},
            ],
        }
        for name, (one, skill) in TYPES.items()
    ]
    stack = [*mechanisms, {"tournament": {"repetitions": 2}}]
    setup = make_designs(build(load_config(game, {"cohorts": cohorts, "mechanisms": stack})))
    with Writer(path, manifest_of(setup, level)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return ConditionRun.read(path, path.stem, {})


def _sections(study: Study) -> list[Section]:
    view = StudyView(study)
    names = ("standings", "conduct", "agreements", "understanding")
    found = [SECTIONS[name](view) for name in names]
    return [one for one in found if one.parts]


def tell(*runs: ConditionRun) -> Told:
    study = Study("study", runs)
    return Told(study, {one.anchor: one for one in _sections(study)})


Cells = Callable[..., ConditionRun]


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Cells:
    """`cells("trust", {"repetition": {...}})` plays two repetitions of a tournament."""
    folder, kept = tmp_path_factory.mktemp("cells"), dict[str, ConditionRun]()

    def played(game: str, *mechanisms: dict[str, Any]) -> ConditionRun:
        name = "-".join([game, *(key for one in mechanisms for key in one)])
        if name not in kept:
            kept[name] = play(folder / f"{name}.run", game, list(mechanisms))
        return kept[name]

    return played


@pytest.fixture(scope="module")
def told(cells: Cells) -> Told:
    """A dilemma without and with mechanisms."""
    dilemma = "prisoners_dilemma"
    reputation = {"reputation": {"games": 3}}
    stacks: list[list[dict[str, Any]]] = [[], [REPEATED], [reputation], [{"contracts": {}}]]
    return tell(*(cells(dilemma, *stack) for stack in stacks))


@pytest.fixture(scope="module")
def of_three(cells: Cells) -> Told:
    """A game of three."""
    return tell(cells("public_goods"))


def test_the_table_of_a_game_has_mean_fitness_and_rank_of_each_type(told: Told) -> None:
    """One game: tit for tat cooperates. nice: 2, 2, 0; nasty: 3, 3, 1."""
    name, bare = "crossplay_prisoners_dilemma", "no mechanism"
    assert told.row("crossplay", name, bare, "Mean") == [
        "1.667 ± 0.000",
        "1.333 ± 0.000",
        "1.333 ± 0.000",
        "2.333 ± 0.000",
    ]
    assert told.row("crossplay", name, bare, "Fitness")[-1] == "1.000 ± 0.000"
    assert told.row("crossplay", name, bare, "DevRank")[1:] == [
        "2.500 ± 0.000",
        "2.500 ± 0.000",
        "1.000 ± 0.000",
    ]


def test_types_stand_in_the_order_of_their_scores_with_what_each_earns_beside(told: Told) -> None:
    """Over the four mechanisms nasty is ahead of tit, which is ahead of nice."""
    picture = told.picture("crossplay", "crossplay_prisoners_dilemma_ranking")
    assert picture.title == "Who scores highest in prisoners dilemma depends on the mechanism"
    bare = [one for one in picture.data.series if one.frame == 0 and one.sort == "points"]
    scores = {one.label: one.across.round(3).tolist() for one in bare}
    assert scores == {"nice": [1.333], "tit": [1.333], "nasty": [2.333]}
    assert {one.label: one.upwards.tolist() for one in bare} == {
        "nasty": [0],
        "tit": [1],
        "nice": [2],
    }
    assert picture.svg.count(">2=") == 2, "nice and tit tie without a mechanism"
    assert picture.svg.count(">1=") == 2, "and for the first place under contracts"
    assert "equilibrium: 1" in picture.svg
    assert "all cooperate: 2" in picture.svg


def test_reputation_has_a_mean_alone_and_says_why(told: Told) -> None:
    name = "crossplay_prisoners_dilemma"
    mean, fitness = (
        told.row("crossplay", name, "reputation", metric) for metric in ("Mean", "Fitness")
    )
    assert all(re.fullmatch(r"\d\.\d{3} ± \d\.\d{3}", cell) for cell in mean)
    assert all(isinstance(cell, NotEstimable) for cell in fitness)
    assert str(fitness[0]).startswith("not defined: 3 matches share one society")


def test_dilemmas_are_put_on_one_scale_and_games_that_are_none_are_named(cells: Cells) -> None:
    """nasty: 7/3 in the dilemma, on a scale from 1 to 2; 5/3 in public goods, from 1 to 1.5."""
    runs = [cells(game) for game in ("prisoners_dilemma", "public_goods", "stag_hunt")]
    table, fold = scores_over_games(CrossPlay(Study("three", tuple(runs))).contests)
    assert isinstance(table, Table)
    assert isinstance(fold, Section)
    assert "Means over prisoners dilemma, public goods" in table.notes[0]
    assert "cooperation is no dilemma there: stag hunt" in table.notes[0]
    told = Told(Study("", ()), {"": Section("", [fold])})
    mean, error, games = told.row("", "crossplay_numbers", "no mechanism", "Mean", "nasty")
    assert (mean, error, games) == (pytest.approx(4 / 3), pytest.approx(0, abs=1e-9), 2)


def test_heat_maps_and_curves_leave_out_what_has_no_meta_game(told: Told) -> None:
    payoffs = told.table("crossplay", "crossplay_prisoners_dilemma_payoffs")
    assert list(dict.fromkeys(payoffs["mechanism"])) == ["no mechanism", "repetition", "contracts"]
    seen = told.picture("crossplay", "crossplay_prisoners_dilemma_selection_simplex")
    assert "no mechanism: From equal shares to nice 0%, tit 0%, nasty 100%." in seen.alt
    assert "Evolutionarily stable: nasty." in seen.alt
    assert "reputation" not in seen.alt


@pytest.mark.thorough
def test_of_three_players_the_third_one_is_averaged_and_that_is_said(of_three: Told) -> None:
    """nasty beside nice, and nice, tit or nasty: 1 + (1 + 1 + 0.5) / 3."""
    picture = of_three.picture("crossplay", "crossplay_public_goods_ranking")
    assert "the others are of all types" in picture.caption
    payoffs = "crossplay_public_goods_payoffs", "no mechanism", "nasty"
    met = [of_three.row("crossplay", *payoffs, pair)[0] for pair in ("nice, nice", "nice, nasty")]
    assert met == [2, 1.5]
    cells = next(one for one in picture.data.series if one.label == "payoff")
    assert cells.values is not None
    assert cells.values.max() == pytest.approx(1 + 5 / 6)


def test_what_was_not_played_is_bounded(told: Told) -> None:
    games, continuation, bound = told.row("crossplay", "crossplay_truncation", "repetition")
    assert (games, continuation) == (15, 0.8)
    assert bound == pytest.approx(0.0352, abs=5e-5)


def test_frequencies_stand_by_what_was_seen_with_first_rounds_apart(told: Told) -> None:
    name = "conduct_prisoners_dilemma_after_by_type"
    first, after_a0, after_a1 = (
        told.row("conduct", name, "repetition", "tit", seen) for seen in ("none yet", "A0", "A1")
    )
    assert first[:2] == after_a0[:2] == [1, 0]
    assert after_a1[:2] == [0, 1]
    moves = told.row("conduct", "conduct_prisoners_dilemma", "contracts", "nasty")
    assert moves[1] == 1, "it submits A1"


def test_adoption_is_told_for_all_and_for_each_type(told: Told) -> None:
    """nasty signs nothing: contracts are in force in 4 of 9 matches."""
    rows = {
        one: told.row("agreements", "agreements", "prisoners dilemma", "contracts", "contract", one)
        for one in ("all", "nice", "nasty")
    }
    assert rows["all"][3:] == [pytest.approx(4 / 9), 36, 36]
    assert rows["nice"][2:] == [1, pytest.approx(2 / 3), 12, 12]
    assert rows["nasty"][2:] == [0, 0, 12, 12]


def test_one_capable_player_is_set_beside_all_and_none(told: Told) -> None:
    """Contracts of capable players work among themselves; nasty alone has 1, the others alone 2."""
    alone, others, _ = told.row(
        "agreements", "agreements_capable", "prisoners dilemma", "contracts", "nasty"
    )
    assert (alone, others) == (1, 2)


def test_designs_are_judged_by_type(told: Told) -> None:
    """Two for each seat, in each of two repetitions."""
    begin = "designs", "prisoners dilemma", "contracts", "contract"
    assert told.row("agreements", *begin, "nice") == [4, 0, 1, 1, 1]
    assert told.row("agreements", *begin, "nasty") == [4, 0, 0, 0, 1]


def test_nobody_was_asked_so_nothing_is_said_of_models(told: Told) -> None:
    assert [*told.sections] == ["crossplay", "conduct", "agreements"]


def test_runs_at_level_summary_are_named(tmp_path: Path) -> None:
    told = tell(play(tmp_path / "short.run", "prisoners_dilemma", [], "summary"))
    (caveat,) = (one for one in told.sections["crossplay"].parts if isinstance(one, Caveat))
    assert "record: full" in caveat.text
    assert caveat.items == ["short"]


@pytest.mark.thorough
def test_runs_that_are_not_finished_are_named_and_stand_in_no_table_of_scores(
    told: Told,
) -> None:
    """The others of the same study stand there as before."""
    bare, repeated, *_ = told.study.played
    part = tell(bare, replace(repeated, status="interrupted"))
    (caveat,) = (
        one
        for one in part.sections["crossplay"].parts
        if isinstance(one, Caveat) and "not finished" in one.text
    )
    assert caveat.items == [f"{repeated.name} is interrupted"]
    rows = "crossplay", "crossplay_prisoners_dilemma"
    assert all(
        str(cell) == f"{repeated.name} is interrupted; let it finish"
        for cell in part.row(*rows, "repetition", "Mean")
    )
    assert part.row(*rows, "no mechanism", "Mean") == told.row(*rows, "no mechanism", "Mean")


@pytest.mark.thorough
def test_a_game_without_mechanism_comes_first(told: Told) -> None:
    again = tell(*reversed(told.study.played))
    table = again.table("crossplay", "crossplay_prisoners_dilemma")
    assert table["mechanism"][0] == "no mechanism"


@pytest.mark.thorough
def test_a_game_of_one_type_has_no_cross_play(tmp_path: Path) -> None:
    setup = build(load_config("prisoners_dilemma", {"rounds": 2}))
    with Writer(tmp_path / "one.run", manifest_of(setup)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    told = tell(ConditionRun.read(tmp_path / "one.run", "one", {}))
    assert [*told.sections] == ["conduct"]


@pytest.mark.thorough
def test_the_sections_stand_in_the_report_with_their_files(told: Told, tmp_path: Path) -> None:
    some = replace(told.study, played=told.study.played[3:])
    page = write_report(some, tmp_path / "report")
    words = page.read_text("utf-8")
    assert 'id="crossplay"' in words
    assert 'id="agreements"' in words
    for name in ("crossplay_prisoners_dilemma", "designs", "conduct_prisoners_dilemma"):
        assert (tmp_path / "report" / "tables" / f"{name}.csv").exists()
    assert (tmp_path / "report" / "figures" / "crossplay_prisoners_dilemma_ranking.png").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["strict", "tight"])
def test_the_rule_of_deviation_ratings_is_named(
    told: Told, rule: Literal["strict", "tight"]
) -> None:
    study = replace(told.study, analysis=AnalysisPlan(deviation_rule=rule))
    parts = SECTIONS["standings"](StudyView(study)).parts
    assert any(f"(deviation_rule: {rule})" in part for part in parts if isinstance(part, str))
