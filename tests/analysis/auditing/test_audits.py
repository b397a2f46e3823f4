"""Audits find effects that hang on words, and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.analysis.auditing.arms import choose_perturbations
from society.analysis.auditing.audit import AuditResults, find_audit, open_audit
from society.analysis.auditing.effects import (
    ConditionPair,
    audit_conclusions,
    count_flips,
    estimate_change,
)
from society.analysis.findings.wording import format_p
from society.errors import InputError
from tests.analysis.findings.made_studies import made_run, made_study
from tests.gift_minds import EXPERIMENT, SCENARIO

Typed = Callable[..., Any]


def audit(typed: Typed, folder: Path, mind: str, *words: str) -> dict[str, Any]:
    (folder / "gifts.py").write_text(SCENARIO, "utf-8")
    (folder / "bonus.yaml").write_text(EXPERIMENT.format(mind=mind), "utf-8")
    said = typed("audit", "bonus.yaml", "--json", *words)
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def changed(found: dict[str, Any]) -> list[str]:
    [conclusion] = found["conclusions"]
    return [one["name"] for one in conclusion["perturbations"] if one["changed"]]


@pytest.mark.parametrize(
    ("mind", "perturbation"),
    [
        ("reads_order", "options_reversed"),
        pytest.param("reads_labels", "labels", marks=pytest.mark.thorough),
        pytest.param("reads_opening", "opening", marks=pytest.mark.thorough),
    ],
)
def test_an_effect_that_hangs_on_words_is_found_under_the_perturbation_of_these_alone(
    typed: Typed, tmp_path: Path, mind: str, perturbation: str
) -> None:
    others = ("options_reversed", "labels", "opening")
    assert changed(audit(typed, tmp_path, mind, "--only", *others)) == [perturbation]


@pytest.mark.thorough
def test_an_effect_that_hangs_on_names_is_found_with_other_names_and_roles(
    typed: Typed, tmp_path: Path
) -> None:
    found = audit(typed, tmp_path, "reads_names", "--only", "names", "persona", "labels")
    assert changed(found) == ["names", "persona"]


def test_a_mind_that_reads_nothing_has_the_same_runs_under_all_perturbations(
    typed: Typed, tmp_path: Path
) -> None:
    found = audit(typed, tmp_path, "reads_nothing")
    [conclusion] = found["conclusions"]
    assert conclusion["effect"]["mean"] == pytest.approx(0.6, abs=0.25)
    assert {one["change"]["mean"] for one in conclusion["perturbations"]} == {0.0}
    assert found["unused"] == {
        "numbers": "it changes no question here",
        "units": "it changes no question here",
    }
    assert found["not_reworded"] == {}


def test_an_audit_that_stopped_at_a_limit_goes_on_without_asking_twice(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    (tmp_path / "bonus.yaml").write_text(EXPERIMENT.format(mind="reads_order"), "utf-8")
    words = ("audit", "bonus.yaml", "--only", "opening", "--json")
    assert typed(*words, "--max-calls", 40).code == 3
    with pytest.raises(InputError, match="did not finish"):
        open_audit(tmp_path / "sweeps" / "bonus-audit")
    said = typed(*words, "--max-calls", 2 * 2 * 8 * 4)
    assert said.code == 0
    assert changed(json.loads(said.out)) == []


def test_the_estimate_counts_the_calls_of_all_arms_and_plays_nothing(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    (tmp_path / "bonus.yaml").write_text(EXPERIMENT.format(mind="reads_order"), "utf-8")
    said = typed("audit", "bonus.yaml", "--only", "opening", "labels", "--estimate", "--json")
    assert [model["calls"] for model in json.loads(said.out)["models"]] == [3 * 2 * 8 * 4]
    assert not (tmp_path / "sweeps").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("base: fishing_village\nfactors: {growth: [0.2, 0.6]}\n", "no condition asks a language"),
        ("base: language_village\nrounds: 1\n", "compares nothing"),
    ],
)
def test_an_experiment_that_has_nothing_to_audit_is_refused(
    typed: Typed, tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    said = typed("audit", "a.yaml")
    assert said.code == 2
    assert words in said.err


def test_an_audit_under_nothing_that_changes_a_question_is_refused(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    (tmp_path / "bonus.yaml").write_text(EXPERIMENT.format(mind="reads_order"), "utf-8")
    said = typed("audit", "bonus.yaml", "--only", "units")
    assert said.code == 2
    assert "none of units changes a question" in said.err


def test_an_unknown_perturbation_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="'lables'; did you mean 'labels'"):
        choose_perturbations(only=["lables"])


def test_a_change_is_the_difference_of_two_effects_replicate_by_replicate() -> None:
    usual = ConditionPair(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 4.0]))  # 1, 2, 1
    perturbed = ConditionPair(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))  # 0, 0, 1
    assert estimate_change(usual, perturbed, paired=True).mean == pytest.approx(-1)


def test_the_same_change_in_all_of_eight_replicates_has_the_p_of_a_sign_test() -> None:
    zeros = np.zeros(8)
    change = estimate_change(
        ConditionPair(zeros, zeros), ConditionPair(zeros, zeros + 1), paired=True
    )
    assert change == (1.0, None, 2 / 256)


def test_flips_count_sets_of_two_replicates_whose_direction_differs() -> None:
    low, high = np.zeros(4), np.ones(4)
    turned = ConditionPair(low, np.array([1.0, 1.0, -1.0, -1.0]))
    flips = count_flips(ConditionPair(low, high), turned)
    assert (flips.count, flips.n) == (1, 2)


def false_alarms(audits: int, *, seed: int, paired: bool = True) -> int:
    """Audits that report a change where there is none, of three perturbations and fresh answers.

    Replicates share a part of their luck in all arms; the rest, the mind's own, is fresh in each.
    """
    draws, alarms = np.random.default_rng(seed), 0
    for _ in range(audits):
        shared = draws.normal(size=12)
        by_arm = {
            arm: ConditionPair(shared + draws.normal(size=12), shared + 0.8 + draws.normal(size=12))
            for arm in ("none", "order", "labels", "names")
        }
        [found] = audit_conclusions({("a", "b"): by_arm}, paired=paired)
        alarms += any(one.changed for one in found.perturbed)
    return alarms


def test_forty_audits_without_any_change_rarely_report_one() -> None:
    """At 5 % more than 7 of 40 come with a chance of 0.1 %."""
    assert false_alarms(40, seed=2) <= 7


@pytest.mark.thorough
@pytest.mark.parametrize("paired", [True, False])
def test_five_hundred_audits_without_any_change_report_one_at_the_nominal_rate(
    paired: bool,
) -> None:
    assert false_alarms(500, seed=1, paired=paired) / 500 == pytest.approx(0.05, abs=0.02)


def refused(typed: Typed, folder: Path, *words: str, changed: tuple[str, str] = ("", "")) -> str:
    (folder / "gifts.py").write_text(SCENARIO, "utf-8")
    text = EXPERIMENT.format(mind="reads_order").replace(*changed)
    (folder / "bonus.yaml").write_text(text, "utf-8")
    said = typed("audit", "bonus.yaml", *words)
    assert said.code == 2
    assert not (folder / "sweeps").exists(), "nothing is asked"
    return str(said.err)


def test_one_replicate_is_refused_before_anything_is_asked(typed: Typed, tmp_path: Path) -> None:
    err = refused(typed, tmp_path, changed=("replicates: 8", "replicates: 1"))
    assert "bonus.yaml: a condition has 1 replicate, so that no effect can be tested" in err


def test_leaving_out_all_that_was_chosen_says_so(typed: Typed, tmp_path: Path) -> None:
    err = refused(typed, tmp_path, "--only", "names", "--without", "names")
    assert "no perturbation is left to play" in err


def test_two_packs_of_one_name_are_refused(typed: Typed, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder / "words" / "gifts").mkdir(parents=True)
        (tmp_path / folder / "words" / "gifts" / "give.md").write_text("Give?", "utf-8")
    assert "two folders are called words" in refused(
        typed, tmp_path, "--pack", "a/words", "b/words"
    )


def test_one_pack_that_is_given_twice_is_no_pair_of_packs(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "words" / "gifts").mkdir(parents=True)
    (tmp_path / "words" / "gifts" / "give.md").write_text("Give?", "utf-8")
    assert "--pack: words is given twice; give it once" in refused(
        typed, tmp_path, "--pack", "words", "./words"
    )


def test_the_folder_and_the_model_of_an_audit_come_from_the_file_of_the_project(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "society.toml").write_text(
        'model = "gifts.py:reads_order"\nout = "results"\n', "utf-8"
    )
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    text = EXPERIMENT.format(mind="").replace("models: {default: gifts.py:}\n", "")
    (tmp_path / "bonus.yaml").write_text(text, "utf-8")
    said = typed("audit", "bonus.yaml", "--only", "options_reversed", "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["out"] == "results/sweeps/bonus-audit"
    assert changed(found) == ["options_reversed"]


def test_sets_without_a_value_are_no_flips() -> None:
    missing = ConditionPair(np.array([0.0, 0, np.nan, np.nan]), np.ones(4))
    flips = count_flips(missing, missing)
    assert (flips.count, flips.n) == (0, 1)


def test_an_experiment_that_is_perturbed_already_is_refused_with_its_line(
    typed: Typed, tmp_path: Path
) -> None:
    err = refused(typed, tmp_path, changed=("replicates: 8", "replicates: 8\nperturbation: names"))
    assert "bonus.yaml:4:15 perturbation: got 'names'; an audit compares the experiment" in err


def test_a_file_of_python_is_refused_in_one_sentence(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    said = typed("audit", "gifts.py")
    assert said.code == 2
    [line] = said.err.splitlines()
    assert line.startswith("society: gifts.py is Python, and an experiment is a YAML file")


def test_an_audit_says_how_much_is_left_to_ask_and_warns_of_its_wiring(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    (tmp_path / "bonus.yaml").write_text(EXPERIMENT.format(mind="reads_order"), "utf-8")
    words = ("audit", "bonus.yaml", "--only", "opening")
    stopped, first = typed(*words, "--max-calls", 40), typed(*words, "--max-calls", 200)
    again = typed(*words).err
    extent = "1 perturbation and the experiment as it is: 4 conditions"
    assert f"{extent}, 4 of them to be played with about 128 calls;" in stopped.err
    assert " of them to be played with about 88 calls;" in first.err
    assert f"{extent}, which have all been played" in again
    assert "warning: gifts.py:19: language minds are asked 'give' without words" in stopped.err


def test_a_damaged_note_of_an_audit_is_written_anew_by_overwrite(
    typed: Typed, tmp_path: Path
) -> None:
    found = audit(typed, tmp_path, "reads_order", "--only", "opening")
    note = tmp_path / "sweeps" / "bonus-audit" / "sweep.json"
    note.write_text("{", "utf-8")
    words = ("audit", "bonus.yaml", "--only", "opening", "--json")
    said = typed(*words)
    assert said.code == 2
    assert "sweep.json is damaged, or was not written by a sweep; repeat the command" in said.err
    assert json.loads(typed(*words, "--overwrite").out) == found


def test_the_name_of_a_pack_is_shown_as_it_is(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "gifts.py").write_text(SCENARIO, "utf-8")
    (tmp_path / "bonus.yaml").write_text(EXPERIMENT.format(mind="reads_order"), "utf-8")
    (tmp_path / "[red]" / "gifts").mkdir(parents=True)
    words = "Keep, or give? {{ hint }}"
    (tmp_path / "[red]" / "gifts" / "give.md").write_text(words, "utf-8")
    said = typed("audit", "bonus.yaml", "--only", "opening", "--pack", "[red]")
    assert said.code == 0, said.err
    assert "pack [red]" in said.out.split("perturbation", 1)[1]


def test_a_pack_with_a_planted_effect_is_found_and_a_harmless_one_is_not(
    typed: Typed, tmp_path: Path
) -> None:
    """The mind answers as usual unless it is told to read with care."""
    for name, begin in (("planted", "Read what follows with care. "), ("harmless", "Well then. ")):
        (tmp_path / name / "gifts").mkdir(parents=True)
        words = f"{begin}The bonus is {{{{ bonus }}}}. What do you do?\n{{{{ hint }}}}\n"
        (tmp_path / name / "gifts" / "give.md").write_text(words, "utf-8")
    packs = ("--pack", "planted", "harmless")
    found = audit(typed, tmp_path, "reads_opening", "--only", "labels", *packs)
    assert changed(found) == ["pack planted"]
    assert [one["name"] for one in found["conclusions"][0]["perturbations"]] == [
        "labels",
        "pack planted",
        "pack harmless",
    ]


def test_an_audit_of_a_village_is_played_in_a_paraphrase_without_a_pack(
    typed: Typed, tmp_path: Path
) -> None:
    text = "base: language_village\nrounds: 1\nagents: 2\nreplicates: 2\nfactors: {fine: [2, 18]}\n"
    (tmp_path / "fines.yaml").write_text(text, "utf-8")
    said = typed("audit", "fines.yaml", "--only", "paraphrase", "units", "--estimate", "--json")
    assert json.loads(said.out)["perturbations"] == ["paraphrase"]


def test_an_audit_names_the_templates_that_its_paraphrase_leaves_as_they_are(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "prompts" / "gifts").mkdir(parents=True)
    words = "What do you do with your coin?\n{% include 'any/answer.md' %}\n"
    (tmp_path / "prompts" / "gifts" / "give.md").write_text(words, "utf-8")
    found = audit(typed, tmp_path, "reads_nothing", "--only", "paraphrase")
    assert found["not_reworded"] == {"paraphrase": ["gifts/give.md"]}
    said = typed("audit", "bonus.yaml", "--only", "paraphrase", "--estimate")
    assert "under paraphrase, 1 template keeps its words: gifts/give.md" in said.err


@pytest.mark.parametrize(
    ("without", "under", "words"),
    [
        (20.0, 30.0, "and its direction stays"),
        (20.0, -30.0, "and it has the opposite direction"),
        (20.0, 0.0, "and it is no longer told apart from none"),
        (0.0, 20.0, "and it is told apart from none there alone"),
    ],
)
def test_a_sentence_on_a_change_says_what_becomes_of_the_direction(
    without: float, under: float, words: str
) -> None:
    noise = np.tile([-1.0, 1.0], 6)
    arms = {
        name: ConditionPair(np.zeros(12), effect + turn * noise)
        for name, effect, turn in (("none", without, 1), ("names", under, -1))
    }
    found = audit_conclusions({("a", "b"): arms}, paired=True)
    *_, change = AuditResults("payoff", "points", tuple(found), {}).sentences()
    assert f"({format_p(found[0].perturbed[0].p)} by Holm), {words}; the direction " in change


def test_a_conclusion_without_values_is_named_and_the_others_are_tested() -> None:
    """With bonus 2 nobody has a value; bonus 1 can be compared with bonus 0."""
    given = {0: [0.1, 0.2, 0.3], 1: [0.5, 0.7, 0.6], 2: [np.nan] * 3}
    conditions = []
    for arm in ("none", "names"):
        for bonus, values in given.items():
            own = {"catch": values}
            factors = {"perturbation": arm, "bonus": bonus}
            conditions.append((made_run(own, name=f"{arm} {bonus}", factors=factors), own))
    found = find_audit(made_study(*conditions, random_numbers="common"))
    assert [one.title for one in found.conclusions] == ["bonus 1 against bonus 0"]
    assert [*found.sentences()][-1] == (
        "Not tested: bonus 2 against bonus 0 (0 pairs of runs with a value; play at least 2 "
        "replicates)."
    )
    assert [*found.as_json()["untested"]] == ["bonus 2 against bonus 0"]


def test_a_sentence_has_sign_and_unit_of_a_difference_that_is_not_told_apart() -> None:
    """Of ours the second is lower by 0.5 on average, in one replicate of two."""
    first, second = np.array([1.0, 1.0]), np.array([0.0, 1.0])
    arms = {name: ConditionPair(first, second) for name in ("none", "names")}
    found = audit_conclusions({("a", "b"): arms}, paired=True)
    sentences = [*AuditResults("payoff", "points", tuple(found), {}).sentences()]
    assert sentences == [
        "No effect is told apart, with or without perturbations.",
        "b against a: payoff is not told apart; the difference is -0.5 points (-6.85 to 5.85); "
        "p = .500. No change of this effect is found under 1 of 1 perturbation.",
    ]
    both = audit_conclusions({("a", "b"): arms, ("a", "c"): arms}, paired=True)
    *_, last = AuditResults("payoff", "points", tuple(both), {}).sentences()
    assert "; p = .500, not adjusted for the number of conclusions. No change" in last
