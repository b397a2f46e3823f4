"""Run files and sweeps become one study, in which nothing can be mistaken for something else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import society
from society.analysis.study import open_run, open_study, open_sweep
from society.errors import InputError, RunFileError
from society.experiments.experiment import read_experiment
from society.experiments.folder import SweepFolder
from society.runs.session import Session
from society.scenarios.donor.donor_game import donor_game

LAKES = """
base: fishing_village
agents: 4
rounds: 3
replicates: 2
factors:
  punish_until: [null, 0]
  lake: {rich: {growth: 0.6}, harsh: {growth: 0.2}}
"""

Sweep = Callable[..., Path]


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sweep:
    """`sweep("lakes", text)` plays an experiment into the folder lakes, but for some conditions."""
    monkeypatch.chdir(tmp_path)

    def played(name: str = "lakes", text: str = LAKES, but: Iterable[str] = ()) -> Path:
        file = Path(f"{name}.yaml")
        file.write_text(text)
        read = read_experiment(file)
        folder = SweepFolder.of(read, Path(name))
        folder.keep(dict.fromkeys(but, "the lake has leaked"))
        for condition in read.conditions:
            if condition.name not in but:
                session = Session.begun(condition.setup, folder.path / condition.file, "summary")
                session.close(session.play())
        return folder.path

    return played


def rows(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    """Return these columns of all rows."""
    return [tuple(row) for row in table[list(columns)].astype(object).to_numpy().tolist()]


def test_a_measure_is_called_what_its_scenario_declares_or_by_its_name(sweep: Sweep) -> None:
    study = open_sweep(sweep())
    assert study.label("gini") == "inequality (Gini)"
    assert study.label("survival_time") == "survival time"


def test_a_sweep_has_a_row_for_each_replicate_of_each_condition(sweep: Sweep) -> None:
    study = society.open_sweep(sweep())
    assert rows(study.runs, "punish_until", "lake", "condition", "replicate")[::2] == [
        ("none", "rich", "punish_until=none,lake=rich", 0),
        ("none", "harsh", "punish_until=none,lake=harsh", 0),
        (0, "rich", "punish_until=0,lake=rich", 0),
        (0, "harsh", "punish_until=0,lake=harsh", 0),
    ]
    assert (study.name, study.random_numbers, study.text) == ("lakes", "common", LAKES)
    assert study.levels == {"punish_until": [None, 0], "lake": ["rich", "harsh"]}
    assert study.analysis is not None
    assert study.analysis.factors == ["punish_until", "lake"]


def test_a_sweep_says_the_same_as_each_of_its_files(sweep: Sweep) -> None:
    study = open_sweep(sweep())
    for run in study.played:
        alone = open_run(run.path)
        for whole, part in ((study.runs, alone.runs), (study.rounds, alone.rounds)):
            ours = whole[whole.condition == run.name]
            shared = [name for name in part.columns if name != "condition"]
            assert ours[shared].reset_index(drop=True).equals(part[shared])


def test_conditions_that_were_not_played_are_named(sweep: Sweep) -> None:
    leaked = "punish_until=0,lake=harsh"
    study = open_sweep(sweep(but=[leaked]))
    assert len(study.conditions) == 3
    assert (study.missing, study.failures) == ((leaked,), {leaked: "the lake has leaked"})


def test_a_sweep_that_has_not_begun_cannot_be_studied(sweep: Sweep) -> None:
    text = "base: fishing_village"
    with pytest.raises(InputError, match="no condition of lakes has been played"):
        open_sweep(sweep(text=text, but=["lakes"]))


def test_a_damaged_run_file_is_named(sweep: Sweep) -> None:
    file = open_sweep(sweep()).played[1].path
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(RunFileError, match=f"{file} is cut off"):
        open_sweep("lakes")


def test_a_factor_called_like_a_measure_or_a_column_stays_apart_from_it(sweep: Sweep) -> None:
    text = """
    {base: fishing_village, agents: 4,
     factors: {rounds: [2, 3], norm: {free: {vote: none}, voted: {}}}}
    """
    study = open_sweep(sweep(text=text))
    assert list(study.levels) == ["rounds_level", "norm_level"]
    assert study.analysis is not None
    assert study.analysis.factors == ["rounds_level", "norm_level"]
    assert rows(study.runs, "rounds_level", "norm_level", "rounds") == [
        (2, "free", 2),
        (2, "voted", 2),
        (3, "free", 3),
        (3, "voted", 3),
    ]
    assert study.runs.norm.dtype == float


def test_a_setting_called_like_a_column_of_conditions_stays_apart_from_it(sweep: Sweep) -> None:
    text = "{base: fishing_village, rounds: 1, factors: {agents: {few: {agents: 3}}}}"
    assert rows(open_sweep(sweep(text=text)).conditions, "agents", "agents_value") == [("few", 3)]


def test_a_factor_called_condition_is_not_the_name_of_the_condition(sweep: Sweep) -> None:
    text = """
    {base: fishing_village, agents: 4, rounds: 1,
     factors: {condition: {control: {}, poor: {wealth: 5}}}}
    """
    runs = open_sweep(sweep(text=text)).runs
    assert rows(runs, "condition_level", "condition") == [
        ("control", "condition=control"),
        ("poor", "condition=poor"),
    ]


def test_one_path_is_studied_as_what_it_is(sweep: Sweep) -> None:
    folder = sweep()
    assert open_study([folder]).levels == open_sweep(folder).levels
    file = folder / "punish_until=none,lake=rich.run"
    assert (open_study([file]).levels, len(open_study([file]).conditions)) == ({}, 1)


def test_sweeps_together_keep_their_conditions_and_factors_apart(sweep: Sweep) -> None:
    one = sweep("one", "{base: fishing_village, agents: 4, rounds: 1, factors: {fine: [2]}}")
    text = """
    {base: fishing_village, agents: 4, rounds: 1, seed: 2, factors: {fine: [10, 2], vote: [none]}}
    """
    two = sweep("two", text, but=["fine=10,vote=none"])
    three = sweep("three", "{base: fishing_village, agents: 4, rounds: 1, factors: {fine: [2]}}")
    study = open_study([one, two, three])
    assert study.runs.condition.tolist() == ["one/fine=2", "fine=2,vote=none", "three/fine=2"]
    assert study.levels == {"fine": [2, 10], "vote": ["none"]}
    assert study.runs.vote.isna().tolist() == [True, False, True]
    assert study.missing == ("fine=10,vote=none",)
    assert (study.name, study.analysis) == ("one and two and three", None)


def test_a_file_that_is_named_twice_counts_once(sweep: Sweep) -> None:
    folder = sweep()
    assert len(open_study([folder, next(folder.glob("*.run"))]).conditions) == 4


@pytest.mark.parametrize(
    ("first", "second", "luck"),
    [
        (("fishing_village", 1, 4), ("fishing_village", 1, 4), "common"),
        # The place of a draw depends on how many seats there are, its meaning on the scenario.
        (("fishing_village", 1, 4), ("fishing_village", 1, 5), None),
        (("fishing_village", 1, 4), ("norm_coding", 1, 4), None),
        (("fishing_village", 1, 4), ("fishing_village", 2, 5), "independent"),
    ],
)
def test_runs_share_luck_if_they_have_the_same_scenario_seed_and_seats(
    sweep: Sweep, first: tuple[str, int, int], second: tuple[str, int, int], luck: str | None
) -> None:
    names = ("a", "b")
    text = "{{base: {}, rounds: 1, seed: {}, agents: {}}}"
    for name, said in zip(names, (first, second), strict=True):
        sweep(name, text.format(*said))
    files = [next(Path(name).glob("*.run")) for name in names]
    assert open_study(files).random_numbers == luck
    assert open_study(files[:1]).random_numbers is None


def test_three_runs_of_which_two_share_luck_are_neither_common_nor_independent(
    sweep: Sweep,
) -> None:
    text = "{{base: fishing_village, rounds: 1, agents: 4, seed: {}}}"
    folders = [sweep(name, text.format(seed)) for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    assert open_study(folders).random_numbers is None


def test_nothing_to_study_is_said() -> None:
    with pytest.raises(InputError, match="nothing to study"):
        open_study([])
    with pytest.raises(
        InputError, match=r"there is no nowhere\.run; name run files, or folders of sweeps"
    ):
        open_study(["nowhere.run"])


def test_the_package_offers_what_a_notebook_needs_and_imports_it_late() -> None:
    script = (
        "import sys, society\n"
        "assert 'society.analysis' not in sys.modules\n"
        "society.open_run, society.open_sweep\n"
        "print('pandas' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "False"
    with pytest.raises(AttributeError, match="no attribute 'open_door'"):
        society.open_door  # noqa: B018


def test_a_run_that_is_named_beside_its_sweep_keeps_its_levels(sweep: Sweep) -> None:
    """In whatever order."""
    folder = sweep()
    file = min(folder.glob("*.run"))
    for paths in ([folder, file], [file, folder]):
        study = open_study(paths)
        assert [run.factors for run in study.played if run.path == file] != [{}]
        assert all(run.factors for run in study.played)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no .*nope; name run files, or folders of"):
        open_study([tmp_path / "nope"])


def test_runs_whose_files_have_changed_places_are_not_taken_for_each_other(sweep: Sweep) -> None:
    folder = sweep()
    first, second, *_ = sorted(folder.glob("*.run"))
    first.rename(folder / "aside")
    second.rename(first)
    (folder / "aside").rename(second)
    with pytest.raises(InputError, match=r"is not the run of .*; was it renamed"):
        open_study([folder])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            donor_game,
            "open_run got the scenario donor_game; expected a run file, as str or Pa",
        ),
        (7, r"open_run got 7 \(int\); expected a run file, as str or Path"),
        (None, r"open_run got None \(NoneType\); expected a run file"),
        (["a.run"], r"open_run got \['a.run'\] \(list\); expected a run file"),
        (SimpleNamespace(path=Path("a.run")), r"\(SimpleNamespace\); .* Path; give its .path"),
    ],
)
def test_what_is_no_path_is_refused_with_what_was_expected(wrong: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_run(wrong)


def test_a_sweep_and_a_study_say_what_they_expected_too() -> None:
    wrong: Any = 7
    with pytest.raises(InputError, match=r"open_sweep got 7 \(int\); expected the folder of a sw"):
        open_sweep(wrong)
    for one in (wrong, [wrong], "a.run"):
        with pytest.raises(InputError, match=r"open_study got .*; expected a list of run files"):
            open_study(one)
