"""Tournaments of language minds as runs: what they ask, and what goes on after they are cut short.

Where a mechanism takes designs, these are made once, in a run of their own, before any match.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from society.cli.main import main
from society.runs.runfile import open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.runs.conftest import Launch

pytestmark = pytest.mark.xdist_group("provider")

NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay")


def society(
    *mechanisms: Any, game: str = "prisoners_dilemma", types: int = 2, url: str = "", **more: Any
) -> dict[str, Any]:
    """A tournament of types that ask a model each, called as they are: offline, or of a server."""
    server = {"api_base": url} if url else {}
    models = {name: {"model": name if url else "offline", **server} for name in NAMES[:types]}
    cohorts = [
        {"name": name, "components": [{"language_policy": {"model": name}}]}
        for name in NAMES[:types]
    ]
    said = {"scenario": game, "mechanisms": [*mechanisms, "tournament"]}
    return {**said, "cohorts": cohorts, "models": models, **more}


Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """`write(...)` writes a tournament as a scenario file into an empty working directory."""
    monkeypatch.chdir(tmp_path)

    def written(*mechanisms: Any, **more: Any) -> str:
        Path("t.yaml").write_text(json.dumps(society(*mechanisms, **more)))
        return "t.yaml"

    return written


REPEATED = {"repetition": {"games": 15, "continuation": 0.8, "window": 3}}
CALLS = {
    "no mechanism": ([], 72, 648),
    "repetition": ([REPEATED], 1_080, 9_720),
    "reputation": ([{"reputation": {"games": 15}}], 180, 270),
    "mediation": (["mediation"], 156, 1_314),
    "contract": (["contracts"], 228, 1_962),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("mechanisms", "of_two", "of_three"), CALLS.values(), ids=CALLS)
def test_six_types_ask_as_often_as_in_the_study(
    write: Write,
    capsys: pytest.CaptureFixture[str],
    mechanisms: Sequence[Any],
    of_two: int,
    of_three: int,
) -> None:
    """Calls of a cell, designs included, of games with two and with three seats (facts: study)."""
    for game, calls in (("prisoners_dilemma", of_two), ("public_goods", of_three)):
        file = write(*mechanisms, game=game, types=6)
        assert main(["run", file, "--estimate", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert sum(model["calls"] for model in told["models"]) == calls


class Told(NamedTuple):
    """The facts of a run file that nobody writes any more."""

    status: str
    digest: str
    calls: int
    unanswered: int


def told(path: Path) -> Told:
    if not path.exists():
        return Told("", "", 0, 0)
    with open_run_file(path) as run:
        calls = sum(entry.calls for entry in run.ledger())
        return Told(run.status, run.outcome().digest, calls, run.unanswered)


def asked(provider: Provider) -> int:
    count: int = provider.stats()["count"]
    return count


def play(file: str, *more: str) -> list[str]:
    return ["run", file, "--out", "t.run", "--quiet", *more]


DESIGNS, MATCHES = Path("t.contracts-designs.run"), Path("t.run")
OF_DESIGNS, OF_MATCHES = 4, 24  # two types on two seats; three questions to each of four pairs


@pytest.fixture
def whole(write: Write, provider: Provider, tmp_path: Path) -> tuple[Told, Told]:
    """Designs and matches of a tournament with contracts, played without interruption."""
    assert main(play(write("contracts", url=provider.url))) == 0
    ended = told(DESIGNS), told(MATCHES)
    DESIGNS.unlink()
    MATCHES.unlink()
    provider.reset()
    return ended


def test_designs_are_made_once_and_become_part_of_what_the_run_is_given(
    whole: tuple[Told, Told], write: Write, provider: Provider
) -> None:
    assert main(play(write("contracts", url=provider.url))) == 0
    assert (told(DESIGNS), told(MATCHES)) == whole
    assert [one.calls for one in whole] == [OF_DESIGNS, OF_MATCHES]
    with open_run_file(MATCHES) as run:
        given = run.manifest.spec["drafts"]["contracts"]["designs"]
    assert {name: [sorted(design) for design in made] for name, made in given.items()} == {
        "ann": [["A0", "A1"], ["A0", "A1"]],
        "bob": [["A0", "A1"], ["A0", "A1"]],
    }
    DESIGNS.unlink()
    assert verify(MATCHES).ok, "the run is complete on its own"


def test_every_repetition_of_a_tournament_goes_by_designs_of_its_own(write: Write) -> None:
    """Two types on two seats, three times: twelve designs, and four matches with each set."""
    said = json.loads(Path(write("contracts")).read_text("utf-8"))
    said["mechanisms"][-1] = {"tournament": {"repetitions": 3}}
    Path("t.yaml").write_text(json.dumps(said))
    assert main(play("t.yaml")) == 0
    with open_run_file(DESIGNS) as made, open_run_file(MATCHES) as run:
        assert made.manifest.replicates == 12
        designs = run.manifest.spec["drafts"]["contracts"]["designs"]
        assert {name: len(own) for name, own in designs.items()} == {"ann": 6, "bob": 6}
        assert run.manifest.replicates == 12
    assert verify(MATCHES).ok


@pytest.mark.thorough
def test_a_tournament_killed_at_any_moment_goes_on_and_asks_nobody_twice(
    whole: tuple[Told, Told], write: Write, provider: Provider, launch: Launch
) -> None:
    """With SIGKILL, in its designs or its matches; what is lost are calls in flight, if any."""
    file, cut = write("contracts", url=provider.url), set[str]()
    for calls in (1, 4, 5, 13, 21, 27):
        provider.reset()
        provider.plan(latency=[0.02, 0.1], seed=calls)
        process = launch(play(file))
        while asked(provider) < calls:
            time.sleep(0.01)
        process.kill()
        process.join()
        before, kept = asked(provider), (told(DESIGNS), told(MATCHES))
        cut.add("/".join(one.status for one in kept))
        again = ["resume", "t.run", "--quiet"] if kept[1].status else play(file)
        if kept[1].status != "finished":
            launch(again).join()
        ended = told(DESIGNS), told(MATCHES)
        assert [one[:3] for one in ended] == [one[:3] for one in whole]
        known = sum(one.calls for one in kept)
        assert asked(provider) - before == OF_DESIGNS + OF_MATCHES - known, "nothing kept is asked"
        assert before <= known + sum(one.unanswered for one in ended)
        DESIGNS.unlink()
        MATCHES.unlink()
    assert {"interrupted/", "finished/interrupted"} <= cut, "both of its runs are hit"


def test_a_limit_counts_designs_and_matches_and_the_same_command_goes_on(
    whole: tuple[Told, Told], write: Write, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write("contracts", url=provider.url)
    assert main(play(file, "--max-calls", "3")) == 3
    assert "continue with: the same command, with a higher limit" in capsys.readouterr().err
    assert (told(DESIGNS).status, MATCHES.exists()) == ("paused", False)
    assert main(["resume", "t.run"]) == 2
    assert (
        f"t.run has not begun, because its designs come first: {DESIGNS} is paused after 3 calls; "
        "repeat the command that was to make t.run"
    ) in capsys.readouterr().err
    assert main(play(file, "--max-calls", "10")) == 3
    assert "continue with: society resume t.run" in capsys.readouterr().err
    assert (told(DESIGNS).calls, told(MATCHES).calls) == (4, 6)
    assert main(play(file)) == 2
    assert "it is paused: continue it with `society resume t.run`" in capsys.readouterr().err
    assert main(["resume", "t.run", "--quiet", "--max-calls", "27"]) == 3
    assert main(["resume", "t.run", "--quiet", "--max-calls", "28"]) == 0
    assert (told(DESIGNS), told(MATCHES), asked(provider)) == (*whole, 28)


def test_a_run_of_designs_can_be_resumed_by_itself(
    whole: tuple[Told, Told], write: Write, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write("contracts", url=provider.url)
    assert main(play(file, "--max-calls", "3")) == 3
    assert main(["resume", str(DESIGNS), "--quiet", "--max-calls", "none"]) == 0
    assert "to play its tournament" in capsys.readouterr().err
    assert main(play(file)) == 0
    assert (told(DESIGNS), told(MATCHES), asked(provider)) == (*whole, 28)


@pytest.mark.thorough
def test_overwriting_makes_designs_anew_unless_nobody_has_used_them_yet(
    write: Write, provider: Provider
) -> None:
    file = write("contracts", url=provider.url)
    assert main(play(file)) == 0
    assert main(play(file)) == 2, "it is there already"
    assert asked(provider) == 28
    assert main(play(file, "--overwrite", "--max-calls", "3")) == 3
    assert main(play(file, "--overwrite", "--max-calls", "3")) == 3
    assert asked(provider) == 28 + 3, "what is being made anew goes on"
    assert main(play(file, "--overwrite")) == 0
    assert asked(provider) == 28 + 28
    MATCHES.unlink()
    assert main(play(file, "--overwrite")) == 0
    assert asked(provider) == 28 + 28 + OF_MATCHES


def test_designs_of_another_tournament_are_not_taken(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(play(write("contracts"))) == 0
    MATCHES.unlink()
    file = write({"contracts": {"bound": 5}})
    assert main(play(file)) == 2
    assert f"{DESIGNS} was played from another experiment" in capsys.readouterr().err
    assert main(play(file, "--overwrite")) == 0


def test_two_mechanisms_have_their_designs_made_one_after_the_other(write: Write) -> None:
    assert main(play(write("mediation", "contracts"))) == 0
    assert sorted(path.name for path in Path().glob("*.run")) == [
        "t.contracts-designs.run",
        "t.mediation-designs.run",
        "t.run",
    ]


def test_a_type_that_is_never_understood_costs_its_own_matches(
    write: Write, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bob mumbles: his three matches end, and the one of Ann against herself counts."""
    provider.plan(brains={"bob": "mumble"})
    assert main(["run", write(url=provider.url), "--out", "t.run", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ends"] == {"none": 1, "unread": 3}
    assert said["measures"]["payoff"]["n"] == 1
    of_bob = {entry["model"]: (entry["repairs"], entry["fallbacks"]) for entry in said["minds"]}
    assert of_bob == {"ann": (0, 0), "bob": (4 * 5, 4)}, "six attempts at each of four answers"
    assert main(["show", "t.run"]) == 0
    shown = capsys.readouterr().out
    assert "3 of 4 replicates ended: in 3 an answer could not be read" in shown
    assert "player 2 (bob) of replicate 1: 5 repairs, 1 fallback" in shown


def test_a_replay_names_the_types_of_its_match_and_shows_no_payoff_where_there_is_none(
    write: Write, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.plan(brains={"cyd": "mumble"})
    assert main(play(write(url=provider.url, types=3))) == 0
    assert main(["replay", "t.run", "--plain", "--replicate", "1"]) == 0
    match = capsys.readouterr().out
    assert "player 1 (ann)" in match
    assert "player 2 (bob)" in match
    assert main(["replay", "t.run", "--plain", "--replicate", "2"]) == 0
    void = capsys.readouterr().out
    assert "player 2 (cyd) could not be understood (move)\n" in void
    assert "ended      an answer could not be read" in void
    assert "played" not in void


def test_a_design_that_is_never_understood_is_no_proposal(write: Write, provider: Provider) -> None:
    provider.plan(brains={"bob": "mumble"})
    assert main(play(write("contracts", url=provider.url))) == 0
    with open_run_file(MATCHES) as run:
        designs = run.manifest.spec["drafts"]["contracts"]["designs"]
    assert designs["bob"] == [None, None]
    assert None not in designs["ann"]


def test_types_of_the_same_model_with_other_settings_are_two_types(
    write: Write, provider: Provider
) -> None:
    settings = {"model": "resident", "api_base": provider.url}
    models = {"ann": {**settings, "temperature": 0.0}, "bob": {**settings, "temperature": 1.0}}
    assert main(play(write(models=models))) == 0
    with open_run_file(MATCHES) as run:
        sent = [(call.request.model, call.said.sent["temperature"]) for call in run.calls()]
        seated = [run.manifest.cohorts[number].name for number in run.manifest.types[1]]
    assert sorted(sent) == [("ann", 0.0)] * 4 + [("bob", 1.0)] * 4
    assert seated == ["ann", "bob"]


def test_a_run_and_that_of_its_designs_tell_of_each_other(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a run of designs has measured, or scored, is nothing."""
    assert main(play(write("contracts"))) == 0
    assert main(["show", "t.run"]) == 0
    line = f"designs  for contracts, made in {DESIGNS}: 4 more calls\n"
    assert line in capsys.readouterr().out
    assert main(["show", str(DESIGNS)]) == 0
    shown = capsys.readouterr().out
    assert "designs  for contracts: each replicate has the design of one type for one seat" in shown
    assert "points, mean over players" not in shown
    assert "score" not in shown
    DESIGNS.unlink()
    assert main(["show", "t.run"]) == 0
    assert f"made in {DESIGNS}, which cannot be read\n" in capsys.readouterr().out


def test_a_rescued_tournament_finds_its_designs_under_the_name_that_it_had(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*play(write("contracts")), "--max-calls", "7"]) == 3
    capsys.readouterr()
    rescued = MATCHES.rename("t.rescued.run")
    assert main(["show", str(rescued)]) == 0
    assert f"designs  for contracts, made in {DESIGNS}: 4 more calls\n" in capsys.readouterr().out
    # Its limit counts them: three calls of matches were made, and no more are allowed.
    assert main(["resume", str(rescued), "--quiet"]) == 3
    assert "--max-calls: 7 of 7 used" in capsys.readouterr().err
    assert main(["resume", str(rescued), "--quiet", "--max-calls", "none"]) == 0


CLASSIC = """
scenario: prisoners_dilemma
mechanisms: [tournament]
cohorts:
  - {name: nice, components: [classic_strategies: {strategy: always_cooperate}]}
  - {name: nasty, components: [classic_strategies: {strategy: always_defect}]}
"""


def test_scores_of_types_are_in_the_json_of_a_run(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(write()).write_text(CLASSIC)
    assert main(["run", "t.yaml", "--out", "t.run", "--json"]) == 0
    types = json.loads(capsys.readouterr().out)["types"]
    assert types == {
        "nice": {"score": 1, "n": 4, "void": 0, "with": {"nice": 2, "nasty": 0}},
        "nasty": {"score": 2, "n": 4, "void": 0, "with": {"nice": 3, "nasty": 1}},
    }
    assert main(["show", "t.run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["types"] == types


def test_where_no_scores_are_kept_it_says_how_to_have_them(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(write()).write_text(CLASSIC)
    assert main(play("t.yaml", "--record", "summary")) == 0
    assert main(["show", "t.run"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "without the scores of agents; run it with --record full to see them" in words
