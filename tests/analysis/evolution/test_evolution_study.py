"""What the frames of evolution say of a run that can be followed by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import society
from society.analysis.evolution import Evolution, mean_over_runs
from society.engine.rng import Array
from society.errors import InputError
from society.experiments.factors import Label

Told = Callable[..., Evolution]
Rows = Callable[..., list[tuple[Any, ...]]]


def test_lives_have_a_row_for_each_agent_of_each_generation(told: Told, rows: Rows) -> None:
    lives = told().lives
    assert rows(lives, "replicate", "generation", "agent", "name", "parent", "newborn") == [
        (0, 1, 0, "agent 1_1", None, True),
        (0, 1, 1, "agent 1_2", None, True),
        (0, 1, 2, "agent 1_3", None, True),
        (1, 1, 0, "agent 1_1", None, True),
        (1, 1, 1, "agent 1_2", None, True),
        (1, 1, 2, "agent 1_3", None, True),
        (0, 2, 0, "agent 1_1", None, False),
        (0, 2, 1, "agent 1_2", None, False),
        (0, 2, 2, "agent 2_3", 1, True),
    ]
    assert lives.attrs["units"]["parent"] == "id or none"


def test_a_life_has_what_came_of_it_and_the_traits_with_which_it_began(
    told: Told, rows: Rows
) -> None:
    """Policies change later on, agent 2 has no generosity, and age is not heritable."""
    lives = told().lives.query("replicate == 0")
    assert rows(lives, "fitness", "phenotype", "reaction", "survives", "policy", "generosity") == [
        (3.0, 0.0, 0.0, True, "fixed", 0.25),
        (2.0, 0.5, 0.5, True, "fixed", 0.5),
        (1.0, 1.0, 0.5, False, "random", None),
        (1.0, 0.25, 0.0, False, "fixed", 0.25),
        (2.0, 0.5, 0.5, True, "fixed", 0.5),
        (6.0, 0.75, 0.625, True, "fixed", None),
    ]
    assert lives["policy"].cat.categories.tolist()[0] == "fixed"
    assert lives["strategy"].tolist()[-1] == "Give half, or 40 %."
    assert rows(lives, "children")[:3] == [(0.0,), (2.0,), (None,)]
    assert "age" not in lives


def test_a_generation_that_is_not_over_has_no_fitness(told: Told, rows: Rows) -> None:
    lives = told(pages=5).lives.query("generation == 2")
    assert rows(lives, "fitness", "survives") == [(None, None)] * 3


def test_generations_fold_measures_over_their_rounds(told: Told, rows: Rows) -> None:
    """`failed` waits for something, and belongs to the whole run."""
    generations = told().generations
    assert rows(generations, "replicate", "generation", "agents", "newborns", "catch") == [
        (0, 1, 3, 3, 2.0),
        (1, 1, 3, 3, 7.0),
        (0, 2, 3, 1, 5.0),
    ]
    assert "failed" not in generations


def test_generations_tell_how_strategies_and_traits_spread(told: Told, rows: Rows) -> None:
    generations = told().generations.query("replicate == 0")
    assert rows(generations, "strategy_words", "strategy_numbers", "strategy_kinds") == [
        (pytest.approx(8 / 3), 1.0, pytest.approx(3.0)),
        (pytest.approx(8 / 3), pytest.approx(2 / 3), pytest.approx(3.0)),
    ]
    kinds = float(np.exp(-(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3))))
    assert rows(generations, "policy_kinds", "generosity", "generosity_sd") == [
        (pytest.approx(kinds), 0.375, 0.125),
        (1.0, 0.375, 0.125),
    ]


def test_reactions_have_a_row_for_each_encounter(told: Told, rows: Rows) -> None:
    newest = told().reactions.query("generation == 2 and agent == 2")
    assert rows(newest, "newborn", "encounter", "share") == [
        (True, "stranger", 0.5),
        (True, "gave all", 0.75),
    ]


def test_the_change_of_a_mean_is_split_by_parents(told: Told, rows: Rows) -> None:
    """w = 1, 2, 0: selection (0 + 2 * 0.5) / 3 - 0.5; agent 0 adds 0.25, the newborn 0.75 - 0.5."""
    (change,) = rows(told().changes(), "change", "selection", "survivors", "newborn", "entry")
    assert change == pytest.approx((0, -1 / 6, 1 / 12, 1 / 12, 0))


WORDS = "policy", "strategy"


def test_or_by_advice_where_words_are_followed(told: Told, rows: Rows) -> None:
    """w = 1.5, 1.5, 0: selection 0.75 / 3 - 0.5; the newborn adds 0.75 - 0.25."""
    evolution = told(heritable=WORDS)
    (change,) = rows(evolution.changes(), "change", "selection", "survivors", "newborn", "entry")
    assert change == pytest.approx((0, -1 / 4, 1 / 12, 1 / 6, 0))
    assert (told().advised, evolution.advised) == (False, True)


def test_who_has_nothing_of_its_parent_enters(told: Told, rows: Rows) -> None:
    """Of 0.25 and 0.5 the mean is 0.375, and half with 0.75; selection 0.25 - 0.5."""
    stranger = told(heritable=("norm",))
    (change,) = rows(stranger.changes(), "change", "selection", "survivors", "newborn", "entry")
    assert change == pytest.approx((0, -1 / 4, 1 / 8, 0, 1 / 8))
    assert rows(stranger.biases(), "newborn", "ancestors", "bias") == [(None, None, None)]


def test_before_the_battery_only_newborn_agents_differ(told: Told, rows: Rows) -> None:
    changes = told().changes(of="reaction")
    (change,) = rows(changes, "change", "selection", "survivors", "newborn")
    mean, selected = 1 / 3, (0 + 2 * 0.5) / 3
    assert change == pytest.approx((0.375 - mean, selected - mean, 0, 0.125 / 3))


def test_the_bias_is_against_ones_own_ancestors(told: Told, rows: Rows) -> None:
    """2_3 says 0.625, its parent 1_2 said 0.5; its advisers said 0 and 0.5."""
    columns = "replicate", "generation", "newborn", "ancestors", "bias"
    assert rows(told().biases(), *columns) == [(0, 2, 0.625, 0.5, 0.125)]
    assert rows(told(heritable=WORDS).biases(), *columns) == [(0, 2, 0.625, 0.25, 0.375)]


GENERATIONS = "{count: 4, fitness: final, phenotype: share, strategies: advice}"
SOME = "scenario: donor_game\nrounds: 2\nparameters: {games: 1, schedule: random}\n"


@pytest.mark.parametrize("minds", [(), ("--model", "offline")])
def test_the_parts_add_up_in_a_run(
    typed: Callable[..., Any], tmp_path: Path, minds: tuple[str, ...]
) -> None:
    """Rules, who are advised and do not follow it, and minds that do."""
    file = tmp_path / "some.yaml"
    file.write_text(f"{SOME}agents: 6\nmechanisms: [generations: {GENERATIONS}]\n")
    done = typed("run", file, *minds, "--replicates", 2, "--out", "some.run", "--quiet")
    assert done.code == 0, done.err
    evolution = Evolution(society.open_run("some.run"))
    changes = evolution.changes()
    parts = changes[["selection", "survivors", "newborn", "entry"]].sum(axis=1)
    assert len(changes) == 2 * 3
    assert parts.to_numpy() == pytest.approx(changes["change"].to_numpy(), abs=1e-12)
    assert evolution.advised == bool(minds)
    assert bool(evolution.lineage("some").guesses) == bool(minds)


def test_a_child_of_somebody_without_its_traits_has_entered(
    typed: Callable[..., Any], tmp_path: Path
) -> None:
    """Half are minds, half rules: words pass among the former, policies among the latter."""
    file = tmp_path / "mixed.yaml"
    file.write_text(
        f"{SOME}models: {{default: offline}}\n"
        f"mechanisms: [generations: {GENERATIONS.replace('advice', 'parent')}]\n"
        "cohorts:\n- {name: minds, count: 3, components: [strategy, language_policy]}\n"
        "- {name: rules, count: 3, components: [donation]}\n"
    )
    done = typed("run", file, "--out", "mixed.run", "--quiet")
    assert done.code == 0, done.err
    lineage = Evolution(society.open_run("mixed.run")).lineage("mixed")
    later = [life for life in lineage.lives.values() if life.born > 1]
    ends = [(life, lineage.ancestor(life.number)) for life in later]
    assert all(elder is None or (elder.seat < 3) == (life.seat < 3) for life, elder in ends)
    assert 0 < sum(elder is None for _, elder in ends) < len(later)


def test_courses_tell_the_beginning_and_the_end_of_each_run(told: Told, rows: Rows) -> None:
    columns = "first_phenotype", "last_phenotype", "first_fitness", "last_fitness", "slope"
    assert rows(told().courses, "replicate", *columns) == [
        (0, 0.5, 0.5, 2.0, 3.0, 0.0),
        (1, 0.5, None, 2.0, None, None),
    ]


class Halves:
    """An embedder that knows whether a half is called so."""

    name = "halves"

    def embed(self, texts: Sequence[str]) -> Array:
        return np.array([[1.0, 0.0] if "half" in text else [0.0, 1.0] for text in texts])


def test_diversity_is_the_mean_distance_of_two_strategies(told: Told, rows: Rows) -> None:
    """Of three strategies one names a half, then two: two of three pairs differ."""
    diversity = told().diversity(Halves())
    assert rows(diversity.query("replicate == 0"), "generation", "distance") == [
        (1, pytest.approx(2 / 3)),
        (2, pytest.approx(2 / 3)),
    ]
    assert diversity.attrs["embedder"] == "halves"


def test_vectors_that_a_run_does_not_keep_are_missed_aloud(told: Told) -> None:
    with pytest.raises(InputError, match=r"lake.run keeps no vectors by minilm of 4 of its 4"):
        told().diversity("minilm")


def test_a_lineage_is_told_by_condition_and_replicate(told: Told) -> None:
    evolution = told(heritable=WORDS)
    assert evolution.lineage("lake").lives[5].advisers == (0, 1)
    assert evolution.lineage("lake", 1).generations == 1
    with pytest.raises(InputError, match="did you mean 'lake'"):
        evolution.lineage("lakes")


def test_means_over_runs_have_intervals_where_runs_differ(told: Told, rows: Rows) -> None:
    """Of 2 and 7 the mean is 4.5, and t(1) = 12.7 standard errors of 2.5 to either side."""
    bands = mean_over_runs(told().generations, "catch")
    assert rows(bands, "condition", "generation", "mean", "low", "high", "n") == [
        ("lake", 1, 4.5, pytest.approx(-27.266, abs=1e-3), pytest.approx(36.266, abs=1e-3), 2),
        ("lake", 2, 5.0, None, None, 1),
    ]


def test_a_run_at_level_summary_says_which_run_it_is(told: Told) -> None:
    with pytest.raises(InputError, match=r"lake.run: this run was recorded at level summary"):
        told(level="summary").lives  # noqa: B018


def frames(evolution: Evolution) -> list[Any]:
    """All frames of an evolution."""
    return [
        evolution.lives,
        evolution.generations,
        evolution.reactions,
        evolution.changes(),
        evolution.biases(),
        evolution.courses,
        evolution.diversity(Halves()),
        mean_over_runs(evolution.changes(), "change"),
    ]


def levelled(evolution: Evolution, levels: dict[str, Label]) -> Evolution:
    """The same runs as conditions of factors."""
    study = evolution.study
    played = tuple(replace(run, factors=levels) for run in study.played)
    named = {name: [label] for name, label in levels.items()}
    return Evolution(replace(study, played=played, levels=named))


def test_no_level_of_a_factor_gets_into_a_number(told: Told) -> None:
    """Whatever column of whatever frame a factor is called like."""
    plain = frames(told())
    columns = dict.fromkeys(name for frame in plain for name in frame if name != "condition")
    factors = [name for name in columns if name not in told().study.units]
    mixed = frames(levelled(told(), dict.fromkeys(factors, "word")))
    for alone, both in zip(plain, mixed, strict=True):
        assert list(both)[: len(factors)] == [f"{name}_level" for name in factors]
        pandas.testing.assert_frame_equal(both[list(alone)], alone)


@pytest.mark.parametrize("name", ["survivors", "newborn", "change", "entry", "generation"])
def test_levels_stand_in_a_column_of_their_own(told: Told, name: str) -> None:
    label = 0.25 if name == "survivors" else "word"
    for frame in frames(levelled(told(), {name: label})):
        assert set(frame[f"{name}_level"]) == {label}
        assert frame.attrs.get("units", {}).get(f"{name}_level", "level") == "level"


def test_factors_that_are_renamed_stay_apart(told: Told) -> None:
    lives = levelled(told(), {"agent": "a", "agent_level": "b"}).lives
    assert set(lives["agent_level"]) == {"b"}
    assert set(lives["agent_level_level"]) == {"a"}
