"""A replay is written to a file of each kind, or it is said why not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import society

if TYPE_CHECKING:
    from tests.conftest import Typed

ROUNDS = 5


@pytest.fixture(scope="module")
def village(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three replicates."""
    path = tmp_path_factory.mktemp("runs") / "v.run"
    society.run("fishing_village", seed=3, rounds=ROUNDS, replicates=3, out=path)
    return path


def test_text_holds_the_frames_between_form_feeds(village: Path, typed: Typed) -> None:
    said = typed("replay", village, "--export", "txt", "--out", "v.txt", "--size", "80x24")
    assert (said.code, said.out) == (0, "")
    assert said.err == "society: v.txt holds rounds 0 to 5\n"
    frames = Path("v.txt").read_text("utf-8").split("\f\n")
    assert len(frames) == ROUNDS + 1
    assert {len(frame.splitlines()) for frame in frames} == {24}
    assert max(len(line) for frame in frames for line in frame.splitlines()) <= 80
    assert "Before the first round" in frames[0]
    assert all(f"round {number} of 5" in frames[number] for number in range(1, ROUNDS + 1))


def test_a_part_of_a_replay_of_another_replicate_is_exported(village: Path, typed: Typed) -> None:
    part = ("--from", 2, "--to", 3, "--replicate", 2)
    said = typed("replay", village, "--export", "txt", "--out", "v.txt", *part)
    assert said.err == "society: v.txt holds rounds 2 to 3\n"
    frames = Path("v.txt").read_text("utf-8").split("\f\n")
    assert ["round 2 of 5" in frames[0], "round 3 of 5" in frames[1], len(frames)] == [
        True,
        True,
        2,
    ]
    assert all("replicate 2" in frame for frame in frames)


def test_a_picture_is_of_the_round_from_which_one_looks_or_of_the_last(
    village: Path, typed: Typed
) -> None:
    assert typed("replay", village, "--export", "svg", "--out", "last.svg").code == 0
    said = typed("replay", village, "--export", "svg", "--out", "second.svg", "--from", 2)
    assert said.err == "society: second.svg holds round 2 of 5\n"
    titles = [
        '<title id="t">fishing village, seed 3: round 5 of 5</title>',
        '<title id="t">fishing village, seed 3: round 2 of 5</title>',
    ]
    pictures = [Path(name).read_text("utf-8") for name in ("last.svg", "second.svg")]
    assert [title in picture for title, picture in zip(titles, pictures, strict=True)] == [True] * 2


def test_no_file_names_keys_that_it_does_not_have(village: Path, typed: Typed) -> None:
    typed("replay", village, "--export", "txt", "--out", "v.txt")
    assert "quit" not in Path("v.txt").read_text("utf-8")


def test_a_recording_plays_at_the_speed_that_is_asked_for(village: Path, typed: Typed) -> None:
    said = typed("replay", village, "--export", "cast", "--out", "v.cast", "--speed", 10)
    assert said.code == 0
    header, *events = map(json.loads, Path("v.cast").read_text("utf-8").splitlines())
    assert (header["width"], header["height"]) == (120, 40)
    output = [time for time, code, _ in events if code == "o"]
    assert output == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 2.5]


def test_a_page_holds_all_replicates_or_the_one_that_is_chosen(village: Path, typed: Typed) -> None:
    said = typed("replay", village, "--export", "html", "--out", "all.html")
    assert said.err == "society: all.html holds rounds 0 to 5 of 3 replicates\n"
    said = typed("replay", village, "--export", "html", "--out", "one.html", "--replicate", 1)
    assert said.err.splitlines() == [
        "society: one.html holds rounds 0 to 5 of 1 replicate",
        "society: the page holds replicate 1 of 3; --replicate R exports another one",
    ]


def test_more_replicates_than_fit_are_left_out_and_it_is_said(
    village: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.theatre.export.html.MOST_FRAMES", 2 * ROUNDS)
    said = typed("replay", village, "--export", "html", "--out", "v.html")
    assert said.err.splitlines()[1] == (
        "society: the page holds replicates 0 to 1 of 3; --replicate R exports another one"
    )


def test_exchanges_that_do_not_fit_are_left_out_and_it_is_said(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashing = {"norm_embedder": "hashing"}
    society.run("language_village", rounds=2, agents=3, parameters=hashing, out="words.run")
    for limit in ("MOST_BYTES", "LEAST_CALL_BYTES"):
        monkeypatch.setattr(f"society.theatre.export.html.{limit}", 0)
    said = typed("replay", "words.run", "--export", "html", "--out", "v.html")
    assert said.code == 0
    assert said.err.splitlines()[1:] == [
        "society: the page holds the first 0 of 24 exchanges with models; "
        "society show words.run --calls prints all"
    ]


@pytest.mark.parametrize("kind", ["txt", "html"])
def test_a_run_at_level_summary_gives_measures_and_says_so(kind: str, typed: Typed) -> None:
    society.run("fishing_village", rounds=3, out="s.run", level="summary")
    said = typed("replay", "s.run", "--export", kind, "--out", "v")
    assert said.code == 0
    assert said.err.splitlines()[1:] == [
        "society: this run was recorded at level summary, so the frames show measures only; "
        "`society run --record full` records everything"
    ]
    assert "over use" in Path("v").read_text("utf-8")


def test_files_are_replaced_on_request_and_run_files_never(village: Path, typed: Typed) -> None:
    Path("v.svg").write_text("precious", encoding="utf-8")
    said = typed("replay", village, "--export", "svg", "--out", "v.svg")
    assert (said.code, said.err) == (
        2,
        "society: v.svg already exists; name another file, or replace it with --overwrite\n",
    )
    assert Path("v.svg").read_text("utf-8") == "precious"
    assert typed("replay", village, "--export", "svg", "--out", "v.svg", "--overwrite").code == 0
    assert Path("v.svg").read_text("utf-8").startswith("<svg")
    said = typed("replay", village, "--export", "svg", "--out", village, "--overwrite")
    assert said.err.endswith("is a run file, which an export never replaces; name another file\n")


def test_two_runs_are_exported_side_by_side_for_as_long_as_one_of_them_lasts(
    village: Path, typed: Typed
) -> None:
    society.run("fishing_village", seed=3, rounds=2, out="short.run")
    more = ("--overwrite", "--size", "160x40")
    for left, right in (("short.run", village), (village, "short.run")):
        said = typed("replay", left, "--beside", right, "--export", "txt", "--out", "v.txt", *more)
        assert said.err == "society: v.txt holds rounds 0 to 5\n"
        frames = Path("v.txt").read_text("utf-8").split("\f\n")
        title = frames[5].partition("\n")[0]
        assert (title.count("round 2 of 2"), title.count("round 5 of 5")) == (1, 1)
    said = typed("replay", village, "--beside", "short.run", "--export", "html", "--out", "v.html")
    assert said.err == (
        "society: --export html holds one run; leave --beside out, or export svg, cast, txt\n"
    )


def test_a_file_without_a_name_lies_beside_the_run_and_replaces_nothing(
    village: Path, tmp_path: Path, typed: Typed
) -> None:
    run = shutil.copy(village, tmp_path / "lake.run")
    for more in ((), (), ("--overwrite",)):
        assert typed("replay", run, "--export", "svg", "--from", 1, *more).code == 0
    assert {one.name for one in tmp_path.glob("lake*")} == {"lake.run", "lake.svg", "lake-2.svg"}


WRONG = {
    "an unknown kind": (
        ("--export", "pdf", "--out", "v"),
        "there is no export 'pdf'; choose one of: cast, html, svg, txt",
    ),
    "too narrow": (
        ("--export", "txt", "--out", "v", "--size", "9x40"),
        "--size 9x40: frames have from 60 to 500 columns",
    ),
    "too high": (
        ("--export", "txt", "--out", "v", "--size", "80x900"),
        "--size 80x900: frames have from 15 to 200 lines",
    ),
    "too fast": (
        ("--export", "cast", "--out", "v", "--speed", 101),
        "--speed 101: an export shows at most 100 rounds per second",
    ),
    "a picture of several rounds": (
        ("--export", "svg", "--out", "v", "--to", 3),
        "--export svg draws one round; give --from T alone",
    ),
    "the end before the start": (
        ("--export", "txt", "--out", "v", "--from", 3, "--to", 2),
        "--to stands for round 2, which is before --from, round 3",
    ),
    "a round that is not there": (
        ("--export", "txt", "--out", "v", "--to", 6),
        "there is no round 6; the record goes from round 0 to 5",
    ),
    "a replicate that is not there": (
        ("--export", "html", "--out", "v", "--replicate", 3),
        "there is no replicate 3; give --replicate a number from 0 to 2",
    ),
    "a folder": (("--export", "txt", "--out", "."), ". is a folder; name a file"),
    "both ways": (
        ("--plain", "--export", "txt", "--out", "v"),
        "--plain prints a replay, and --export writes it; give one of them",
    ),
    "an option alone": (
        ("--plain", "--size", "80x24"),
        "--size is an option of exports; add --export KIND",
    ),
}


@pytest.mark.parametrize(("options", "words"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_exported_is_refused(
    options: tuple[str, ...], words: str, village: Path, typed: Typed
) -> None:
    said = typed("replay", village, *options)
    assert said.code == 2
    assert words in said.err
    assert not list(Path().iterdir())


def test_a_size_is_columns_and_lines(typed: Typed, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        typed("replay", "v.run", "--export", "txt", "--out", "v", "--size", "wide")
    assert "got 'wide'; expected columns and lines, such as 120x40" in capsys.readouterr().err


def test_a_path_stands_for_all_rounds_within_it(typed: Typed) -> None:
    society.run("donor_generations", agents=4, parameters={"schedule": "random"}, out="d.run")
    part = ("--from", "2.", "--to", "2.1", "--size", "80x24")
    assert typed("replay", "d.run", "--export", "txt", "--out", "d.txt", *part).code == 0
    frames = Path("d.txt").read_text("utf-8").split("\f\n")
    assert "generation 2 of 10" in frames[0].partition("\n")[0]
    assert "2.1.12" in frames[-1].partition("\n")[0]
