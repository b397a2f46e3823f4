"""The folder of a sweep: what it says, and what is said about folders that are none."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.errors import FileError, Paused, RunFileError
from society.experiments.experiment import read_experiment
from society.experiments.folder import NOTE, SweepFolder, open_folder

if TYPE_CHECKING:
    from tests.conftest import Written

FINES = """
base: fishing_village
factors: {fine: [2, 10], lake: {rich: {growth: 0.6}}}
analysis: {outcome: efficiency}
"""


@pytest.fixture
def folder(written: Written, tmp_path: Path) -> SweepFolder:
    """The folder of an experiment with two conditions."""
    return SweepFolder.of(read_experiment(Path(written("fines.yaml", FINES))), tmp_path / "swept")


def test_a_folder_says_what_was_to_be_played_in_it(folder: SweepFolder) -> None:
    folder.keep({"fine=2,lake=rich": "own.py:3: ZeroDivisionError: division by zero"})
    kept = open_folder(folder.path)
    assert (kept.path, kept.name, kept.text) == (folder.path, "fines", FINES)
    assert kept.random_numbers == "common"
    assert kept.levels == {"fine": [2, 10], "lake": ["rich"]}
    assert (kept.analysis.outcome, kept.analysis.factors) == ("efficiency", ["fine"])
    assert [(one.name, one.factors, one.file) for one in kept.conditions] == [
        ("fine=2,lake=rich", {"fine": 2, "lake": "rich"}, "fine=2,lake=rich.run"),
        ("fine=10,lake=rich", {"fine": 10, "lake": "rich"}, "fine=10,lake=rich.run"),
    ]
    assert kept.failures == {"fine=2,lake=rich": "own.py:3: ZeroDivisionError: division by zero"}


def test_a_level_may_be_infinite(written: Written, tmp_path: Path) -> None:
    text = "base: fishing_village\nfactors: {patience: {.inf: {fine: 0}, 3: {}}}"
    folder = SweepFolder.of(read_experiment(Path(written("e.yaml", text))), tmp_path / "swept")
    folder.keep({})
    kept = open_folder(folder.path)
    assert kept.levels == {"patience": [float("inf"), 3]}
    assert kept.conditions[0].factors == {"patience": float("inf")}


def test_a_full_disk_pauses_the_sweep_and_leaves_no_draft(
    folder: SweepFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *given: object) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(Paused, match=r"no space left on the disk of .*; free some, and repeat the"):
        folder.keep({})
    assert list(folder.path.iterdir()) == []


def test_it_is_written_all_or_nothing(folder: SweepFolder) -> None:
    folder.keep({})
    folder.keep({"fine=2,lake=rich": "a reason"})
    assert [path.name for path in folder.path.iterdir()] == [NOTE]


def test_a_place_where_nothing_can_be_written_is_refused(
    folder: SweepFolder, tmp_path: Path
) -> None:
    (tmp_path / "swept").write_text("a file")
    with pytest.raises(FileError, match=r"cannot write swept: .*; name another folder with --out"):
        folder.keep({})


def test_what_is_no_folder_of_a_sweep_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere", Path(__file__)):
        with pytest.raises(FileError, match="is not the folder of a sweep; `society sweep"):
            open_folder(place)


def test_a_folder_of_runs_without_a_sweep_leads_to_their_list(tmp_path: Path) -> None:
    (tmp_path / "a.run").touch()
    with pytest.raises(FileError) as caught:
        open_folder(tmp_path)
    assert str(caught.value).endswith(
        f"; a page that lists them: `society list runs {tmp_path} --out PAGE.html`"
    )


def _damaged(text: str) -> str:
    return text[: len(text) // 2]


def _foreign(text: str) -> str:
    return json.dumps({**json.loads(text), "format": 2})


@pytest.mark.parametrize("change", [_damaged, _foreign])
def test_a_note_that_is_not_what_was_written_is_refused(
    folder: SweepFolder, change: Callable[[str], str]
) -> None:
    folder.keep({})
    note = folder.path / NOTE
    note.write_text(change(note.read_text()))
    with pytest.raises(RunFileError, match="--overwrite, which writes it anew, keeps the runs"):
        open_folder(folder.path)
