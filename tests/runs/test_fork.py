"""A fork lives its past again as it was; from its round on what was changed, and nothing else."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import society
from society.cli.main import main
from society.config.build import build
from society.config.run_config import Setting, load_config
from society.engine.calls import Usage
from society.errors import (
    InputError,
    RunFileError,
    ScenarioError,
    SocietyError,
    UntrustedCodeError,
    WiringWarning,
)
from society.runs.fork import Changes, branch, fork
from society.runs.play import play
from society.runs.runfile import open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.runs.conftest import Keep

NOTHING = Changes()
WITHOUT_FINES = Changes(settings=[Setting("fine", 0, "here")])


def digest(path: Path) -> str:
    with open_run_file(path) as run:
        return run.outcome().digest


def ledger(path: Path) -> Usage:
    """The sums of what models were asked."""
    with open_run_file(path) as run:
        entries = run.ledger()
    calls, copied = (sum(getattr(one, name) for one in entries) for name in ("calls", "copied"))
    return Usage("all", "", calls=calls, copied=copied)


def pages(path: Path) -> list[Any]:
    with open_run_file(path) as run:
        return list(run.pages())


def common_fact(page: Any, kind: str, name: str) -> Any:
    step = next(step for step in page.steps if step.kind == kind)
    return step.arrays["common", name]


def own_fact(page: Any, kind: str, name: str) -> list[Any]:
    found = [step.arrays["own", name] for step in page.steps if step.kind == kind]
    return found[0][0].tolist() if found else []


@pytest.fixture
def made(keep: Keep, tmp_path: Path) -> Any:
    """`made(at, changes)` forks a village of twelve rounds, and returns the path of the fork."""
    kept = keep(parameters={"ends_on": "horizon"})

    def forked(at: Any = 5, changes: Changes = NOTHING, **how: Any) -> Path:
        end = fork(kept.path, at, changes, tmp_path / "fork.run", overwrite=True, **how)
        if end.error is not None:
            raise end.error
        return tmp_path / "fork.run"

    forked.parent = kept.path  # type: ignore[attr-defined]
    return forked


# Rounds that both share


@pytest.mark.parametrize("at", [0, 1, 5, 11])
def test_a_fork_without_changes_is_the_same_history(made: Any, at: int) -> None:
    assert digest(made(at)) == digest(made.parent)


def test_a_fork_has_the_past_of_its_parent_and_a_future_of_its_own(made: Any) -> None:
    both = zip(pages(made.parent), pages(made(5, WITHOUT_FINES)), strict=True)
    same = [before.digest == now.digest for before, now in both]
    assert same[:6] == [True] * 6
    assert same[6:] == [False] * 7


def test_a_fork_says_where_it_comes_from(made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = "a.run after round 5: fine 10 -> 0"
    file = made(5, WITHOUT_FINES)
    with open_run_file(file) as run:
        assert [note.words for note in run.manifest.forks] == [words]
    for command in ("show", "replay", "verify"):
        assert main([command, str(file)]) == 0
        assert f"fork of {words}" in " ".join(capsys.readouterr().out.split())
    assert main(["show", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["forks"] == [
        {
            "parent": "a.run",
            "after": 5,
            "path": [5],
            "seed": None,
            "changes": ["fine 10 -> 0"],
            "fresh": False,
        }
    ]


def test_an_option_that_fork_lacks_is_not_advised(
    made: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for change, words in (
        ("replicates=7", "a fork cannot change replicates"),
        ("agents=7", "a fork cannot change agents"),
        ("rounds=20", "use --rounds instead"),
    ):
        told = ["fork", str(made.parent), "--at", "5", "--set", change, "--out", "f.run"]
        assert main(told) == 2
        assert words in capsys.readouterr().err


def test_a_fork_without_a_name_lies_beside_its_parent_and_replaces_nothing(made: Any) -> None:
    told = ["fork", str(made.parent), "--at", "5", "--set", "fine=0", "--quiet"]
    assert (main(told), main(told), main([*told, "--overwrite"])) == (0, 0, 0)
    assert {file.name for file in made.parent.parent.glob("a-fork*")} == {
        "a-fork.run",
        "a-fork-2.run",
    }


def test_a_folder_is_not_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["fork", ".", "--at", "5"]) == 2
    assert ". is a folder" in capsys.readouterr().err


def test_a_fork_is_played_again_without_its_parent(made: Any) -> None:
    file = made(5, Changes(norm="2", remove=["3"], seed=8))
    made.parent.unlink()
    assert verify(file).ok


def test_a_fork_can_be_forked(made: Any, tmp_path: Path) -> None:
    first = made(4, WITHOUT_FINES).rename(tmp_path / "first.run")
    second = tmp_path / "second.run"
    assert fork(first, 8, Changes(norm="2"), second).code == 0
    assert [page.digest for page in pages(second)][:9] == [p.digest for p in pages(first)][:9]
    assert verify(second).ok
    assert fork(second, 10, Changes(), tmp_path / "third.run").code == 0
    assert digest(tmp_path / "third.run") == digest(second)


def test_generations_go_back_to_the_end_of_a_round_within_rounds(tmp_path: Path) -> None:
    spec = load_config("fishing_village_generations", {"replicates": 1, "rounds": 3})
    play(build(spec), tmp_path / "a.run")
    with open_run_file(tmp_path / "a.run") as run:
        path = run.paths()[40]
        last = max(number for number, one in enumerate(run.paths()) if one[:1] == (2,))
    fork(tmp_path / "a.run", path, Changes(), tmp_path / "b.run")
    assert digest(tmp_path / "b.run") == digest(tmp_path / "a.run")
    fork(tmp_path / "a.run", (2,), WITHOUT_FINES, tmp_path / "c.run")
    with open_run_file(tmp_path / "c.run") as run:
        assert run.manifest.forks[0].after == last


def test_a_summary_is_rewound_as_well(keep: Keep, tmp_path: Path) -> None:
    kept = keep(level="summary")
    fork(kept.path, 5, Changes(), tmp_path / "b.run")
    assert digest(tmp_path / "b.run") == kept.outcome.digest


# What changes


def test_a_norm_is_in_force_from_the_next_round_on(made: Any) -> None:
    after = pages(made(5, Changes(norm="1.5")))
    caps = [common_fact(page, "harvested", "limit")[0, 0] for page in after[5:7]]
    assert caps[1] == 1.5
    assert caps[0] == common_fact(pages(made.parent)[5], "harvested", "limit")[0, 0]


def test_who_is_removed_is_gone_from_then_on(made: Any) -> None:
    after = pages(made(5, Changes(remove=["villager 3"])))
    assert [bool(page.present[0, 3]) for page in after[4:8]] == [True, True, False, False]
    assert after[6].steps[0].kind == "removed"
    assert after[6].steps[0].arrays["gone", ""].sum() == 4  # one of each of four replicates


def test_chance_goes_on_as_it_was_or_with_a_seed_of_its_own(made: Any) -> None:
    other = pages(made(5, Changes(seed=77)))
    assert [page.digest for page in other][:6] == [page.digest for page in pages(made.parent)][:6]
    assert digest(made(5, Changes(seed=77))) != digest(made.parent)
    assert digest(made(5, Changes(seed=1))) == digest(made.parent), "the seed that it had"


def test_components_of_a_cohort_change_and_keep_their_columns(made: Any) -> None:
    restless = {"name": "villager", "parameters": {"effort_noise": 3}}
    before, after = pages(made.parent), pages(made(5, Changes(cohorts=[restless])))
    assert [page.digest for page in after][:6] == [page.digest for page in before][:6]
    assert (after[6].steps[0].arrays["answer", ""] == before[6].steps[0].arrays["answer", ""]).all()
    assert not (after[8].public["effort"] == before[8].public["effort"]).all()


def test_a_component_that_comes_new_begins_there(made: Any, tmp_path: Path) -> None:
    (tmp_path / "miser.py").write_text(MISER)
    (tmp_path / "misers.yaml").write_text(
        "uses: [miser.py]\ncohorts:\n- {name: villager, replace: {harvest: miser}}\n"
    )
    after = pages(made(5, Changes(file=tmp_path / "misers.yaml")))
    effort = [step for page in after for step in page.steps if step.kind == "effort"]
    assert not np.allclose(effort[4].arrays["answer", ""], 0.125)
    assert np.allclose(effort[5].arrays["answer", ""], 0.125)
    assert verify(tmp_path / "fork.run").ok, "a file that its user named is trusted from then on"


MISER = """
from society import Column, Component

class Miser(Component):
    answers = ("effort",)
    columns = (Column("thrift"),)

    def begin(self, agents):
        agents["thrift"] = 0.125

    def answer(self, ask, agents):
        return agents["thrift"]
"""


def test_a_society_may_live_longer_than_it_was_to(made: Any) -> None:
    longer = Changes(settings=[Setting("rounds", 15, "here")])
    assert len(pages(made(12, longer))) == 16
    assert [page.digest for page in pages(made(5, longer))][:13] == [
        page.digest for page in pages(made.parent)
    ]


def test_branches_of_one_history_share_its_past_and_differ_afterwards(made: Any) -> None:
    with open_run_file(made.parent) as run:
        one = branch(run, 5, Changes(seed=5), count=40)
        again = branch(run, 5, Changes(seed=5), count=40)
        same = branch(run, 11, Changes(seed=5), count=40, replicate=2)
    assert one.digest == again.digest
    assert len(one.values["stock"]) == 40
    assert len(set(one.values["stock"].tolist())) > 30
    with open_run_file(made.parent) as run:
        old = run.outcome().values["stock"][2]
    assert abs(same.values["stock"] - old).max() < 0.05


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("parameters: 5", "parameters: got 5; expected parameters by name"),
        ("parameters:", "parameters: got none; expected parameters by name"),
        ("models: []", r"models: got \[\]; expected models by name"),
        ("uses: miser.py", "uses: got miser.py; expected a list of files"),
        ("uses: [7]", r"uses: got \[7\]; expected a list of files"),
        ("uses:", "uses: got none; expected a list of files"),
        ("cohorts: [3]", r"cohorts: got \[3\]; expected a list of cohorts, each with the name"),
    ],
)
def test_a_file_of_changes_of_another_shape_is_refused(
    made: Any, tmp_path: Path, words: str, complaint: str
) -> None:
    (tmp_path / "odd.yaml").write_text(words)
    with pytest.raises(InputError, match=complaint):
        made(5, Changes(file=tmp_path / "odd.yaml"))


@pytest.mark.parametrize("changes", [WITHOUT_FINES, Changes(remove=["3"]), Changes(seed=7)])
def test_a_fork_takes_no_change_before_its_own(made: Any, tmp_path: Path, changes: Changes) -> None:
    once = made(6, Changes(norm="2.5")).rename(tmp_path / "once.run")
    with pytest.raises(
        InputError, match=r"once.run is itself a fork of .* after round 6 \(norm: 2.5\), and that"
    ):
        fork(once, 3, changes, tmp_path / "twice.run")
    assert not (tmp_path / "twice.run").exists()
    fork(once, 3, NOTHING, tmp_path / "same.run")
    assert digest(tmp_path / "same.run") == digest(once)
    fork(once, 6, changes, tmp_path / "later.run")
    assert digest(tmp_path / "later.run") != digest(once)


def test_a_cohort_that_is_only_named_is_no_change(made: Any, tmp_path: Path) -> None:
    (tmp_path / "same.yaml").write_text("cohorts: [{name: villager}]")
    after = made(5, Changes(file=tmp_path / "same.yaml"))
    assert digest(after) == digest(made.parent)
    with open_run_file(after) as run:
        assert run.manifest.forks[0].changes == ()


PROGRAMS = Path(society.__file__).parent / "scenarios/programs/strategies/any_dilemma"


@pytest.mark.thorough  # programs play in processes of their own
def test_a_fork_may_name_a_program_that_its_parent_did_not_play(tmp_path: Path) -> None:
    folder = tmp_path / "strategies"
    shutil.copytree(PROGRAMS, folder)
    config = {
        "rounds": 4,
        "cohorts": [
            {
                "name": "player",
                "count": 3,
                "components": [{"program": {"folder": str(folder), "class": "AlwaysCooperates"}}],
            }
        ],
    }
    play(build(load_config("public_goods", config)), tmp_path / "a.run")
    wanted = Setting("cohorts.player.parameters.class", "AlwaysDefects", "here")
    end = fork(tmp_path / "a.run", 2, Changes(settings=[wanted]), tmp_path / "b.run")
    assert end.error is None
    taken = [own_fact(page, "played", "action") for page in pages(tmp_path / "b.run")]
    assert taken == [[], [0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]]
    shutil.rmtree(folder)
    assert verify(tmp_path / "b.run").ok


# What changes nothing


def test_parameters_that_count_at_birth_are_refused_where_nobody_is_born(made: Any) -> None:
    eager = {"name": "villager", "parameters": {"efforts": [[1, 1]] * 3, "effort_noise": 0.1}}
    with pytest.raises(ScenarioError) as refused:
        made(5, Changes(cohorts=[eager]))
    assert str(refused.value) == (
        "efforts of harvest in cohort 'villager' counts only where a life begins, and nobody is "
        f"born in {made.parent}, so that nothing would change; replace the component by another "
        "one, or start another run"
    )


def test_parameters_that_count_at_birth_are_said_to_leave_the_living_alone(tmp_path: Path) -> None:
    given = {"mechanisms": [{"generations": {"fitness": "wealth", "fold": "last", "count": 3}}]}
    setup = build(load_config("fishing_village", given | {"rounds": 4, "agents": 4}))
    play(setup, tmp_path / "a.run")
    eager = Changes(cohorts=[{"name": "villager", "parameters": {"efforts": [[1, 1]] * 3}}])
    words = (
        "efforts of harvest in cohort 'villager' counts only where a life begins: those who live"
    )
    with pytest.warns(WiringWarning, match=words):
        fork(tmp_path / "a.run", 2, eager, tmp_path / "b.run")


def test_a_change_that_makes_no_difference_is_said_to(tmp_path: Path) -> None:
    """Donors are endowed where a game begins, and in the last game none does."""
    play(build(load_config("donor_game", {"rounds": 3, "seed": 4})), tmp_path / "a.run")
    more = Changes(settings=[Setting("endowment", 20, "here")])
    with pytest.warns(WiringWarning) as said:
        fork(tmp_path / "a.run", (2, 1), more, tmp_path / "b.run")
    assert str(said[0].message) == (
        "it made no difference (endowment 10 -> 20): to its end the history is that of "
        f"{tmp_path / 'a.run'}"
    )


# What is refused


@pytest.mark.parametrize(
    ("at", "changes", "words"),
    [
        (13, Changes(), "there is no round 13; the record goes from round 0 to 12"),
        (12, Changes(), "the run ends with round 12, so that nothing can follow it"),
        ((2, 1), Changes(), "there is no round 2.1; the record goes to 12"),
        (5, Changes(settings=[Setting("stock", 0.5, "here")]), "stock cannot change while"),
        (5, Changes(settings=[Setting(("seed",), 5, "here")]), "--seed gives the continuation"),
        (5, Changes(settings=[Setting(("replicates",), 7, "here")]), "cannot change replicates"),
        (5, Changes(settings=[Setting("fin", 5, "here")]), "did you mean 'fine'"),
        (5, Changes(settings=[Setting("fine", -5, "here")]), "expected a number of at least 0"),
        (5, Changes(norm="little"), "got 'little'; expected a cap"),
        (5, Changes(remove=["villager 9"]), "there is no agent 'villager 9'"),
        (5, Changes(cohorts=[{"name": "misers"}]), "there is no cohort 'misers'"),
        (5, Changes(settings=[Setting("rounds", 5, "here")]), "has lived 5 rounds by then"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_is_refused_before_anything_is_written(
    made: Any, at: Any, changes: Changes, words: str, tmp_path: Path
) -> None:
    with pytest.raises(SocietyError) as refused:
        made(at, changes)
    assert words in str(refused.value)
    assert refused.value.exit_code == 2
    assert not (tmp_path / "fork.run").exists()


def test_nothing_follows_where_every_replicate_has_ended(keep: Keep, tmp_path: Path) -> None:
    kept = keep(parameters={"growth": 0, "ends_on": "collapse", "stock": 0.05}, rounds=60)
    last = len(kept.pages) - 1
    with pytest.raises(InputError, match=f"by the end of round {last} every replicate has ended"):
        fork(kept.path, last, Changes(), tmp_path / "b.run")


def test_a_scenario_that_declares_nothing_says_so(tmp_path: Path) -> None:
    play(build(load_config("collective_risk", {"rounds": 4})), tmp_path / "a.run")
    for changes, words in (
        (Changes(norm="be good"), "collective_risk declares no norm that could be imposed"),
        (Changes(remove=["0"]), "nobody can be taken out of collective_risk"),
        (Changes(settings=[Setting("rounds", 9, "here")]), "depends on how many rounds"),
    ):
        with pytest.raises(SocietyError, match=words):
            fork(tmp_path / "a.run", 2, changes, tmp_path / "b.run")


# Minds outside


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A village of four language agents over six rounds."""
    path = tmp_path_factory.mktemp("spoken") / "a.run"
    given = {"agents": 4, "rounds": 6, "parameters": {"ends_on": "horizon"}}
    assert play(build(load_config("language_village", given)), path, conclude=False).code == 0
    return path


def forked(parent: Path, out: Path, changes: Changes, **how: Any) -> Usage:
    assert fork(parent, 3, changes, out, conclude=False, **how).code == 0
    assert verify(out).ok
    return ledger(out)


def test_unchanged_questions_are_answered_from_the_record(spoken: Path, tmp_path: Path) -> None:
    file = tmp_path / "b.run"
    same = forked(spoken, file, Changes())
    assert (digest(file), same.calls, same.calls - same.copied) == (
        digest(spoken), ledger(spoken).calls, 0,
    )  # fmt: skip


def test_only_what_is_asked_in_other_words_is_asked_anew(spoken: Path, tmp_path: Path) -> None:
    used = forked(spoken, tmp_path / "b.run", Changes(norm="Nobody takes more than three fish."))
    assert 0 < used.calls - used.copied < used.calls / 2
    after = pages(tmp_path / "b.run")[4]
    assert common_fact(after, "effort", "policy")[0, 0] == "Nobody takes more than three fish."


def test_all_is_asked_anew_if_it_shall_be_or_the_model_is_another(
    spoken: Path, tmp_path: Path
) -> None:
    half = ledger(spoken).calls // 2
    warm = Changes(settings=[Setting("model.temperature", 0.5, "here")])
    for name, changes, fresh, words in (
        ("b.run", Changes(), True, "models asked anew"),
        ("c.run", warm, False, "other settings of model offline"),
    ):
        used = forked(spoken, tmp_path / name, changes, fresh=fresh)
        assert (used.calls - used.copied, used.copied) == (half, half)
        with open_run_file(tmp_path / name) as run:
            assert run.manifest.forks[0].words == f"{spoken.name} after round 3: {words}"


def test_an_answer_that_is_missing_is_named(spoken: Path, tmp_path: Path) -> None:
    shutil.copy(spoken, tmp_path / "a.run")
    with sqlite3.connect(tmp_path / "a.run") as database:
        where = "round = 2 AND agent = 1 AND occasion = 'answer effort'"
        database.execute(f"DELETE FROM calls WHERE {where}")
    database.close()
    end = fork(tmp_path / "a.run", 3, Changes(), tmp_path / "b.run")
    assert end.code == 2
    assert isinstance(end.error, RunFileError)
    assert "a.run has no answer of" in end.words
    assert "1 of replicate 0 to 'effort' in round 2" in end.words
    assert not (tmp_path / "b.run").exists()


# In Python


def test_the_front_door_forks_too(keep: Keep) -> None:
    kept = keep(parameters={"ends_on": "horizon"})
    assert society.fork(kept.path, 5).digest == kept.outcome.digest
    changed = society.fork(kept.path, 5, set={"fine": 0}, remove=3, norm="4")
    assert changed.played == 12
    assert changed.digest != kept.outcome.digest
    again = society.fork(changed, 5)
    assert again.digest == changed.digest
    assert society.compare(changed, again).equal
    found = society.compare(kept.path, changed)
    assert (found.equal, found.difference and found.difference.round) == (False, 6)
    assert str(society.why(kept.path)).startswith("The village ")


# Files of others, and code that has changed


def test_code_that_is_not_trusted_is_not_executed(tmp_path: Path) -> None:
    (tmp_path / "miser.py").write_text(MISER)
    cohorts = [{"name": "general", "count": 4, "replace": {"harvest": "miser"}}]
    given = {"cohorts": cohorts, "rounds": 4, "uses": [str(tmp_path / "miser.py")]}
    play(build(load_config("fishing_village", given)), tmp_path / "a.run")
    (tmp_path / "miser.py").write_text(MISER.replace("0.125", "0.25"))
    with pytest.raises(UntrustedCodeError, match="changed since the run was made"):
        fork(tmp_path / "a.run", 2, NOTHING, tmp_path / "b.run")
    end = fork(tmp_path / "a.run", 2, NOTHING, tmp_path / "b.run", trust=True)
    assert end.code == 2
    assert "a.run: round 1 differs from the record when it is played again" in end.words
    assert "miser.py has changed" in end.words
    assert not (tmp_path / "b.run").exists()


def test_a_damaged_run_is_not_forked(made: Any, tmp_path: Path) -> None:
    whole = made.parent.read_bytes()
    made.parent.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunFileError, match="cut off"):
        made(5)
    made.parent.write_bytes(whole)
    with sqlite3.connect(made.parent) as database:
        database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(RunFileError, match="is a run file of format 9"):
        made(5)
    assert not (tmp_path / "fork.run").exists()


def test_a_run_is_not_forked_into_itself(made: Any) -> None:
    with pytest.raises(InputError, match="is the run that is forked; name another --out"):
        fork(made.parent, 5, NOTHING, made.parent, overwrite=True)


def test_an_interrupted_run_is_forked_up_to_where_it_came(keep: Keep, tmp_path: Path) -> None:
    def until_seven(page: Any) -> Any:
        if page.number == 8:
            raise KeyboardInterrupt
        return page

    with pytest.raises(KeyboardInterrupt):
        keep(name="broken.run", told=until_seven)
    whole = keep()
    assert fork(tmp_path / "broken.run", 7, NOTHING, tmp_path / "b.run").code == 0
    assert digest(tmp_path / "b.run") == digest(whole.path)
    with pytest.raises(InputError, match="there is no round 8"):
        fork(tmp_path / "broken.run", 8, NOTHING, tmp_path / "c.run")


def test_a_tournament_is_forked_between_rounds(tmp_path: Path) -> None:
    play(build(load_config("dilemmas_mediators")), tmp_path / "a.run", conclude=False)
    with open_run_file(tmp_path / "a.run") as run:
        middle = run.rounds // 2
    fork(tmp_path / "a.run", middle, NOTHING, tmp_path / "b.run", conclude=False)
    assert digest(tmp_path / "b.run") == digest(tmp_path / "a.run")
