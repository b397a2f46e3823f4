"""`society personas` draws people into a file, lets a model describe them, and compares them."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.cli.main import main
from society.personas.people import TABLES, read_people
from society.runs.runfile import open_run_file

if TYPE_CHECKING:
    from tests.conftest import Provider, Typed

pytestmark = pytest.mark.xdist_group("provider")

PEOPLE = "age,trade\n41,miller\n23,smith\n60,baker\n35,judge\n"
AXES = (
    "axes:\n"
    "  - {name: age, low: 18, high: 80, whole: true}\n"
    "  - {name: trust, levels: [nobody, friends], wording: 'You trust {value}.'}\n"
)


@pytest.fixture
def people(typed: Typed) -> Path:
    """A table in the working directory."""
    Path("p.csv").write_text(PEOPLE)
    return Path("p.csv")


# draw


def test_people_are_drawn_from_a_table_without_its_weights(typed: Typed) -> None:
    said = typed(
        "personas", "draw", "fishers", "--count", 6, "--weight", "households", "--out", "a.csv"
    )
    assert said.out == "6 people, 6 different ones of 16 · a.csv\n"
    drawn = read_people("a.csv")
    ours = read_people(TABLES / "fishers.csv")
    assert drawn.columns == ours.columns[:-1]
    assert set(drawn.cells) <= {row[:-1] for row in ours.cells}


def test_the_same_command_draws_the_same_people_and_overwrites_none(typed: Typed) -> None:
    draw = ["personas", "draw", "townspeople", "--count", "9", "--quiet", "--out"]
    assert typed(*draw, "a.csv").code == 0
    assert typed(*draw, "b.csv").out == ""
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    said = typed(*draw, "a.csv", "--seed", "2")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "a.csv exists already; name another --out, or replace it by --overwrite" in said.err
    assert typed(*draw, "a.csv", "--seed", "2", "--overwrite").code == 0
    assert Path("a.csv").read_bytes() != Path("b.csv").read_bytes()


def test_quotas_are_kept(typed: Typed) -> None:
    said = typed(
        "personas", "draw", "townspeople", "--strata", "gender", "district",
        "--quota", "woman,old town=3", "man,harbour=2", "--json", "--out", "a.csv",
    )  # fmt: skip
    assert json.loads(said.out) == {
        "out": "a.csv",
        "people": 5,
        "different": 5,
        "source": "townspeople",
        "seed": 1,
    }
    drawn = read_people("a.csv")
    pairs = sorted(zip(drawn.column("gender"), drawn.column("district"), strict=True))
    assert pairs == [("man", "harbour")] * 2 + [("woman", "old town")] * 3


def test_people_are_spread_over_axes_and_their_coverage_is_told(typed: Typed) -> None:
    Path("axes.yaml").write_text(AXES)
    said = typed("personas", "draw", "axes.yaml", "--count", 8, "--out", "a.csv")
    assert said.out.startswith("8 people on 2 axes · a.csv\n")
    assert "trust  nobody: 4, friends: 4" in said.out
    assert "of independent random people" in said.out
    age, trust, description = read_people("a.csv").cells[0]
    assert description == f"age: {age}. You trust {trust}."
    halton = ["--sequence", "halton", "--json", "--out", "b.csv"]
    told = json.loads(typed("personas", "draw", "axes.yaml", "--count", 8, *halton).out)
    assert told["discrepancy"] < told["random"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["p.csv"], "--count is missing: say how many people to draw"),
        (["p.csv", "--count", "5"], "p.csv, line 5: 5 people are asked for, and the table has 4"),
        (["p.csv", "--count", "2", "--weight", "trade"], "line 2: the weight in column 'trade'"),
        (["p.csv", "--count", "2", "--weight", "w"], "p.csv, line 1: there is no column 'w'"),
        (["p.csv", "--count", "2", "--strata", "jobs"], "there is no column 'jobs'"),
        (["p.csv", "--count", "2", "--quota", "miller=2"], "--quota is about the values of some"),
        (["p.csv", "--strata", "trade", "--quota", "miller"], "--quota miller: expected values"),
        (["p.csv", "--strata", "trade", "--quota", "a=1", "a=2"], "a is given twice"),
        (["p.csv", "--count", "2", "--sequence", "sobol"], "--sequence is for axes"),
        (["axes.yaml", "--count", "2", "--weight", "age"], "--weight is for tables"),
        (["axes.yaml"], "--count is missing"),
        (["fisher", "--count", "2"], "there is no table 'fisher'; give FILE.csv or FILE.yaml, or"),
        (["none.csv", "--count", "2"], "cannot read none.csv: No such file or directory"),
        (["one.yaml", "--count", "2"], "one.yaml:2:21 axes[0].levels: got the one level 'a'"),
    ],
)
def test_wrong_input_of_draw_is_one_line(
    typed: Typed, people: Path, words: list[str], complaint: str
) -> None:
    Path("axes.yaml").write_text(AXES)
    Path("one.yaml").write_text("axes:\n- {name: t, levels: [a]}\n")
    said = typed("personas", "draw", *words, "--out", "out.csv")
    assert (said.code, said.out) == (2, "")
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert not Path("out.csv").exists()


# write


def test_a_model_describes_each_person(typed: Typed, people: Path) -> None:
    said = typed("personas", "write", people, "--out", "w.csv", "--json")
    told = json.loads(said.out)
    assert said.code == 0
    assert (told["people"], told["described"], told["failed"]) == (4, 4, [])
    assert told["ledger"]["calls"] == 4
    written = read_people("w.csv")
    assert written.columns == ("age", "trade", "description")
    assert [row[:2] for row in written.cells] == list(read_people(people).cells)
    assert "age: 23; trade: smith" in written.column("description")[1]


def test_the_facts_are_asked_about_once_and_not_as_those_of_the_author(
    provider: Provider, typed: Typed, people: Path
) -> None:
    model = ["--model", "m", "--api-base", provider.url, "--words", "50"]
    typed("personas", "write", people, "--out", "w.csv", "--quiet", "--accept-fallbacks", *model)
    with open_run_file("w.run") as run:
        prompt = next(iter(run.calls())).request.messages[-1].content
    assert prompt.count("miller") == 1
    assert "About you" not in prompt
    assert "about 50 words" in prompt


def test_people_who_are_not_described_are_kept_in_the_run_and_named(
    provider: Provider, typed: Typed, people: Path
) -> None:
    provider.plan(brain="mute")
    model = ["--model", "m", "--api-base", provider.url]
    said = typed("personas", "write", people, "--out", "w.csv", *model)
    assert said.code == 1
    assert "p.csv, line 2: no description could be read; this person is left out" in said.err
    assert "nobody is described, so that no file is made; society show w.run" in said.err
    assert not Path("w.csv").exists()
    with open_run_file("w.run") as run:
        assert len(list(run.calls())) == 4 * 3  # a question and two repairs each
    told = json.loads(typed("personas", "write", people, "--out", "w.csv", "--json", *model).out)
    assert told["failed"] == [2, 3, 4, 5]


def test_whoever_could_be_described_is_written(
    provider: Provider, typed: Typed, people: Path
) -> None:
    """The first three calls are answered in words, and all later ones without any."""
    model = ["--model", "m", "--api-base", provider.url, "--max-calls", "3"]
    assert typed("personas", "write", people, "--out", "w.csv", *model).code == 3
    provider.plan(brain="mute")
    model[-1] = "none"
    said = typed("personas", "write", people, "--out", "w.csv", *model)
    assert said.code == 0
    assert said.err.count("no description could be read; this person is left out") == 1
    assert "3 of 4 people described · w.csv" in said.out
    assert len(read_people("w.csv")) == 3


def test_an_older_description_is_a_fact_and_is_replaced(typed: Typed) -> None:
    Path("p.csv").write_text("description,age\nYou are tall.,3\n")
    assert typed("personas", "write", "p.csv", "--out", "w.csv", "--quiet").code == 0
    ((age, description),) = read_people("w.csv").cells
    assert age == "3"
    assert description != "You are tall."
    assert "You are tall." in description


def test_a_limit_pauses_and_the_same_command_goes_on_with_the_same_people(
    typed: Typed, people: Path
) -> None:
    write = ["personas", "write", people, "--out", "w.csv", "--quiet"]
    paused = typed(*write, "--max-calls", "2")
    assert paused.code == 3
    assert "continue with the same command" in paused.err
    assert not Path("w.csv").exists()
    people.write_text(PEOPLE.replace("judge", "thief"))
    done = typed(*write, "--max-calls", "none")
    assert done.code == 0
    assert "p.csv has changed (the run keeps its people)" in done.err
    assert read_people("w.csv").column("trade") == ["miller", "smith", "baker", "judge"]
    again = typed(*write)
    assert "w.csv is written; nothing in it is changed" in again.err
    other = typed(*write, "--words", "20")
    assert other.code == 2
    assert "records another writing" in other.err


def test_descriptions_are_not_paid_for_if_they_could_not_be_written(
    typed: Typed, people: Path
) -> None:
    Path("precious.csv").write_text("a\n1\n")
    for out, words in (("p.csv", "is the table of people itself"), ("precious.csv", "exists")):
        said = typed("personas", "write", people, "--out", out)
        assert (said.code, said.out) == (2, "")
        assert words in said.err
    assert Path("p.csv").read_text() == PEOPLE
    assert not list(Path().glob("*.run"))


@pytest.mark.thorough
def test_a_kill_loses_and_repeats_no_paid_answer(
    provider: Provider, typed: Typed, tmp_path: Path
) -> None:
    provider.plan(brain="author", latency=0.05)
    Path("p.csv").write_text("age\n" + "".join(f"{20 + k}\n" for k in range(24)))
    words = ["personas", "write", "p.csv", "--quiet", "--out", "w.csv", "--max-concurrency", "2"]
    words += ["--model", "m", "--api-base", provider.url]
    process = subprocess.Popen([sys.executable, "-m", "society", *words], cwd=tmp_path)
    while provider.stats()["full"] < 9:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert main(words) == 0
    assert provider.stats()["full"] <= 24 + 2
    with open_run_file("w.run") as run:
        assert len(list(run.calls())) == 24
    assert len(read_people("w.csv")) == 24
    assert main(["verify", "w.run"]) == 0


# diversity


def test_diversity_names_near_duplicates_by_their_lines(typed: Typed) -> None:
    Path("p.csv").write_text(
        "age,description\n1,You mend nets.\n2,She sold an orchard.\n3,You mend nets.\n"
    )
    said = typed("personas", "diversity", "p.csv")
    assert said.out.startswith("3 people · column description · embedder hashing\n")
    assert "near-duplicates, cosine of at least 0.95:\n  lines 2 and 4  1.000\n" in said.out
    told = json.loads(typed("personas", "diversity", "p.csv", "--json").out)
    assert told["pairs"] == [{"lines": [2, 4], "cosine": pytest.approx(1)}]
    assert 1.8 < told["effective"] < 2
    assert told["copies"]["nearest"] == pytest.approx(1)
    assert set(told["shuffled"]) == {"distance", "nearest", "effective"}


def test_without_a_description_all_columns_are_compared(typed: Typed, people: Path) -> None:
    said = typed("personas", "diversity", people)
    assert said.out.startswith("4 people · all columns · embedder hashing\n")
    assert "the nearest pair:\n  lines " in said.out
    said = typed("personas", "diversity", people, "--column", "trade")
    assert said.out.startswith("4 people · column trade")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["p.csv", "--column", "trad"], "there is no column 'trad'; did you mean 'trade'?"),
        (["p.csv", "--embedder", "bert"], "--embedder: no embedder 'bert'"),
        (["one.csv"], "one.csv, line 2: there is one person only; compare two or more"),
        (["mute.csv"], "mute.csv: text 1 has no words; choose another --column"),
    ],
)
def test_wrong_input_of_diversity_is_one_line(
    typed: Typed, people: Path, words: list[str], complaint: str
) -> None:
    Path("one.csv").write_text("age\n3\n")
    Path("mute.csv").write_text("description\n-\nkind\n")
    said = typed("personas", "diversity", *words)
    assert (said.code, said.out) == (2, "")
    assert complaint in said.err
    assert said.err.count("\n") == 1


def test_the_verbs_are_listed(typed: Typed) -> None:
    verbs = [line.split()[2] for line in typed("personas").out.splitlines()]
    assert verbs == ["draw", "write", "diversity"]


def test_what_is_drawn_is_plain_csv(typed: Typed) -> None:
    typed("personas", "draw", "fishers", "--count", 3, "--out", "a.csv")
    with Path("a.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 3
