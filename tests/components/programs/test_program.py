"""Programs play beside rules and language minds; their runs need nothing but the run file."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.components.programs import program_host
from society.components.programs.program_host import ProgramHost
from society.llm.call_tables import checksum
from society.runs.runfile import open_run_file
from society.runs.verify import verify
from society.sandbox.kept_programs import KeptFolder
from society.sandbox.workers.program_pool import ProgramPool

if TYPE_CHECKING:
    from tests.conftest import Said, Typed

EXAMPLES = Path(__file__).resolve().parents[3] / "scenarios/games/strategies"
GAMES = ("public_goods", "collective_risk", "common_pool")

INSPECTOR = '''
class Inspector:
    """Cooperates in every other round, and raises an error where the game is not as it was told."""

    def __init__(self, game):
        self.game = game

    def act(self, history):
        now, others = history.round_number, self.game.n_players - 1
        assert len(history.my_actions) == now and len(history.my_payoffs) == now
        assert history.opponent_actions.shape == history.opponent_payoffs.shape == (now, others)
        if now:
            together = history.my_actions[-1] + history.opponent_cooperators[-1]
            assert together == history.my_actions[-1] + history.opponent_actions[-1].sum()
            assert bool(history.my_actions[-1]) == (now % 2 == 1)
            self.check(history, together)
        return C if now % 2 == 0 else D

    def check(self, history, together):
        mine, theirs = history.my_payoffs[-1], history.opponent_payoffs[-1]
        kept = 1 - history.opponent_actions[-1]
        if self.game.name == "public_goods":
            shared = self.game.k * together / self.game.n_players
            assert np.allclose(theirs, shared + kept)
        elif self.game.name == "collective_risk":
            assert np.allclose(theirs, self.game.k * (together >= self.game.m) + kept)
        else:
            assert np.allclose(theirs, history.stock[-2] * (1 + kept) / (2 * self.game.n_players))
            assert history.stock[0] == self.game.capacity
'''
SEVERAL = """
class Broken:
    def act(self, history):
        return 1 / 0


class Endless:
    def act(self, history):
        while True:
            pass


class Fine:
    def act(self, history):
        return C
"""
MISER = """
class Miser:
    def __init__(self, game):
        self.rounds = 0

    def notice_harvested(self, facts):
        self.rounds += 1

    def answer_effort(self, facts):
        return "everything" if self.rounds == 2 else 0.25 * facts.high
"""


def folder(path: Path, game: str, text: str, *names: str, fallback: str = "D") -> None:
    """Write a folder of strategies with one file."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "programs.py").write_text(text)
    manifest = {
        "game": game,
        "interface": "society",
        "models": {"hand": {}},
        "strategies": [
            {"file": "programs.py", "class": name, "model": "hand", "attitude": "any"}
            | {"fallback": fallback}
            for name in names
        ],
    }
    (path / "manifest.json").write_text(json.dumps(manifest))


def mixed(game: str, program: str, rounds: int = 6, more: str = "") -> str:
    """A scenario file with two programs, a rule and a language mind."""
    factor = "" if game == "common_pool" else ", factor: 2"
    return f"""
scenario: {game}
rounds: {rounds}
parameters: {{players: 4{factor}}}
models: {{default: offline}}
cohorts:
  - {{name: programs, count: 2, components: [program: {{{program}}}]}}
  - {{name: rules, count: 1, components: [classic_strategies: {{strategy: tit_for_tat}}]}}
  - {{name: minds, count: 1, components: [language_policy]}}
{more}
"""


Play = Callable[..., "Said"]


@pytest.fixture
def play(typed: Typed, tmp_path: Path) -> Play:
    """`play(TEXT)` plays a scenario file into a.run."""

    def run(text: str, *words: str) -> Said:
        (tmp_path / "society.yaml").write_text(text)
        return typed("run", "society.yaml", "--out", "a.run", "--quiet", "--overwrite", *words)

    return run


def public(path: Path, name: str) -> list[Any]:
    """The values of a public column at the end, in the first replicate."""
    with open_run_file(path) as run:
        page = [*run.pages()][-1]
    values: list[Any] = page.public[name][0].tolist()
    return values


@pytest.fixture
def host_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """`host_of(N)` lets programs run in N new workers."""
    pools: list[ProgramPool] = []

    def host(workers: int) -> None:
        pools.append(ProgramPool(workers))
        known = ProgramHost(pools[-1])
        monkeypatch.setattr(program_host, "_host", lambda process: known)

    yield host
    for pool in pools:
        pool.close()


# Games


@pytest.mark.parametrize("game", GAMES)
def test_programs_play_beside_rules_and_language_minds(
    game: str, play: Play, tmp_path: Path
) -> None:
    said = play(mixed(game, f"folder: {EXAMPLES / game}"))
    assert (said.code, said.err) == (0, "")
    assert verify(tmp_path / "a.run").ok
    names = public(tmp_path / "a.run", "program")
    listed = json.loads((EXAMPLES / game / "manifest.json").read_text())["strategies"]
    assert set(names[:2]) <= {one["class"] for one in listed}
    assert public(tmp_path / "a.run", "program_errors")[:2] == [0, 0]


@pytest.mark.parametrize("game", GAMES)
def test_a_program_is_told_its_game_and_what_everybody_did_and_got(
    game: str, play: Play, tmp_path: Path
) -> None:
    folder(tmp_path / "own", game, INSPECTOR, "Inspector")
    assert play(mixed(game, "folder: own")).code == 0
    assert public(tmp_path / "a.run", "program_errors")[:2] == [0, 0]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_of_a_society_is_the_game_that_is_played_alone(
    game: str, play: Play, typed: Typed, tmp_path: Path
) -> None:
    listed = json.loads((EXAMPLES / game / "manifest.json").read_text())["strategies"]
    names = [one["class"] for one in listed if one["class"] not in ("Matcher", "TakesTurns")]
    names = [*names, names[0]][:4]
    of_folder = f"folder: {EXAMPLES / game}"
    cohorts = "".join(
        f"  - {{name: seat{seat}, components: [program: {{{of_folder}, class: {name}}}]}}\n"
        for seat, name in enumerate(names)
    )
    parameters = "{}" if game == "common_pool" else "{factor: 2}"
    more = "agents: 4\nparameters: {players: 4, factor: 2}" if game == "public_goods" else ""
    more = more or f"parameters: {parameters}"
    play(f"scenario: {game}\nrounds: 20\n{more}\ncohorts:\n{cohorts}")
    with open_run_file(tmp_path / "a.run") as run:
        told = [
            step.arrays["own", "action"][0]
            for page in run.pages()
            for step in page.steps
            if step.kind == "played"
        ]
    moves = ["".join("CD"[round_[seat]] for round_ in told) for seat in range(4)]
    classes = [word for name in dict.fromkeys(names) for word in ("--class", name)]
    alone = typed("strategies", "play", EXAMPLES / game, "--game", game, *classes, "--json")
    assert moves == [*json.loads(alone.out)["moves"].values()]


AROUND = (
    "mediation",
    "contracts, repetition: {games: 4}",
    "reputation: {games: 4}",
    "repetition: {games: 4}, tournament",
    "institution_choice: {options: [[baseline], [peer_punishment: {most: 2}]], by: feet}",
    "cheap_talk",
)


@pytest.mark.parametrize("mechanisms", AROUND)
def test_programs_play_within_mechanisms(mechanisms: str, play: Play, tmp_path: Path) -> None:
    # A tournament seats types; by feet one goes among those of the same match.
    count = 1 if "tournament" in mechanisms else 2 if "feet" in mechanisms else 4
    program = f"program: {{folder: {EXAMPLES / 'public_goods'}}}"
    said = play(f"""
scenario: public_goods
rounds: 1
parameters: {{players: 4, factor: 2}}
mechanisms: [{mechanisms}]
cohorts:
  - {{name: a, count: {count}, components: [sanctions, mechanism_use, {program}]}}
  - {{name: b, count: {count}, components: [sanctions, mechanism_use, classic_strategies]}}
""")
    assert (said.code, said.err) == (0, "")
    assert verify(tmp_path / "a.run").ok
    errors = public(tmp_path / "a.run", "program_errors")
    assert set(errors) <= {0}


def test_repeated_games_are_one_game_to_a_program(play: Play, tmp_path: Path) -> None:
    folder(tmp_path / "own", "public_goods", INSPECTOR, "Inspector")
    repeated = mixed("public_goods", "folder: own", 1, "mechanisms: [repetition: {games: 5}]")
    assert play(repeated).code == 0
    assert public(tmp_path / "a.run", "program_errors")[:2] == [0, 0]


def test_children_inherit_programs_and_begin_games_anew(play: Play, tmp_path: Path) -> None:
    folder(tmp_path / "own", "public_goods", INSPECTOR, "Inspector")
    text = f"""
scenario: public_goods
rounds: 4
parameters: {{players: 4, factor: 2}}
mechanisms: [generations: {{fitness: payoff, count: 3, selection: fermi}}]
cohorts:
  - {{name: own, count: 4, components: [program: {{folder: own}}]}}
  - {{name: ours, count: 4, components: [program: {{folder: {EXAMPLES / "public_goods"}}}]}}
"""
    separate = play(text)
    assert separate.code == 2
    assert "was inherited, and this cohort has none of that name" in separate.err
    alone = text.replace("folder: own", f"folder: {EXAMPLES / 'public_goods'}")
    assert play(alone).code == 0
    assert verify(tmp_path / "a.run").ok


def test_each_member_draws_a_program_and_one_class_is_for_all(play: Play, tmp_path: Path) -> None:
    of_folder = f"folder: {EXAMPLES / 'public_goods'}"
    play(mixed("public_goods", of_folder), "--replicates", "30")
    with open_run_file(tmp_path / "a.run") as run:
        page = [*run.pages()][-1]
    assert len({*page.public["program"][:, 0], *page.public["program"][:, 1]}) == 4
    play(mixed("public_goods", f"{of_folder}, class: Patient"))
    assert public(tmp_path / "a.run", "program")[:2] == ["Patient", "Patient"]
    play(mixed("public_goods", f"{of_folder}, attitude: collective, class: [Matcher]"))
    assert public(tmp_path / "a.run", "program")[:2] == ["Matcher", "Matcher"]


# Failures


def test_the_third_error_disqualifies_a_program_which_is_said_once(
    play: Play, typed: Typed, tmp_path: Path
) -> None:
    folder(tmp_path / "own", "public_goods", SEVERAL, "Broken", fallback="C")
    said = play(mixed("public_goods", "folder: own"))
    assert said.code == 0
    assert said.err.count("Broken is disqualified") == 1
    assert "it made 3 errors in one game; in the last one it raised ZeroDivisionError" in said.err
    assert public(tmp_path / "a.run", "program_errors")[:2] == [3, 3]
    assert public(tmp_path / "a.run", "disqualified")[:2] == [1, 1]
    shown = typed("show", "a.run").out
    assert "3 fallbacks, 1 disqualification" in shown
    assert json.loads(typed("show", "a.run", "--json").out)["ledger"]["fallbacks"] == 6
    with open_run_file(tmp_path / "a.run") as run:
        moves = [
            step.arrays["own", "action"]
            for page in run.pages()
            for step in page.steps
            if step.kind == "played"
        ]
    assert [move[0, :2].tolist() for move in moves] == [[0, 0]] * 6


def test_a_program_that_never_ends_is_disqualified_at_once(play: Play, tmp_path: Path) -> None:
    folder(tmp_path / "own", "public_goods", SEVERAL, "Endless")
    said = play(mixed("public_goods", "folder: own", 3))
    assert said.code == 0
    assert "Endless is disqualified: it broke a rule" in said.err
    assert public(tmp_path / "a.run", "program_errors")[:2] == [1, 1]


@pytest.mark.thorough
def test_a_run_does_not_depend_on_the_number_of_workers(
    play: Play, tmp_path: Path, host_of: Callable[[int], None]
) -> None:
    digests = []
    for workers in (1, 3):
        host_of(workers)
        play(mixed("public_goods", f"folder: {EXAMPLES / 'public_goods'}"), "--replicates", "6")
        with open_run_file(tmp_path / "a.run") as run:
            digests.append(run.standing.digest)
    assert digests[0] == digests[1]


# Other questions


def test_programs_answer_questions_of_a_village(play: Play, typed: Typed, tmp_path: Path) -> None:
    folder(tmp_path / "own", "fishing_village", MISER, "Miser")
    village = """
scenario: fishing_village
rounds: 5
cohorts:
  - {name: coded, count: 4, replace: {harvest: {program: {folder: own}}}}
  - {name: usual, count: 6}
"""
    assert play(village).code == 0
    with open_run_file(tmp_path / "a.run") as run:
        efforts = [
            step.arrays["answer", ""][0, :4].tolist()
            for page in run.pages()
            for step in page.steps
            if step.kind == "effort"
        ]
    assert efforts == [[0.25] * 4, [0.25] * 4, [0.0] * 4, [0.25] * 4, [0.25] * 4]
    shown = typed("show", "a.run").out
    assert "program gave no effort 4 times" in shown
    assert "Miser: it answered 'everything'; expected a number from 0 to 1" in " ".join(
        shown.split()
    )
    assert verify(tmp_path / "a.run").ok


# The run file


def test_a_run_is_verified_without_the_folder_which_may_have_changed(
    play: Play, typed: Typed, tmp_path: Path
) -> None:
    shutil.copytree(EXAMPLES / "common_pool", tmp_path / "own")
    assert play(mixed("common_pool", "folder: own, class: [Steward, Envious]")).code == 0
    with open_run_file(tmp_path / "a.run") as run:
        (kept,) = run.manifest.programs.values()
    assert [one.name for one in kept.programs] == ["Steward", "Envious"]
    assert "class Harvester" not in json.dumps(kept.model_dump(mode="json"))
    text = (tmp_path / "own/common_pool_programs.py").read_text()
    (tmp_path / "own/common_pool_programs.py").write_text(text.replace("else C", "else D"))
    changed = typed("verify", "a.run")
    assert changed.code == 0
    assert "own/common_pool_programs.py has changed" in changed.out
    shutil.rmtree(tmp_path / "own")
    gone = typed("verify", "a.run")
    assert gone.code == 0
    assert gone.out.count("ok ") == 3


KILLED = """
import os, signal, sys
from society.cli import main
from society.runs.writer import Writer
page = Writer.page
def counted(self, page_):
    page(self, page_)
    if page_.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
Writer.page = counted
main.main(["run", "society.yaml", "--out", "killed.run", "--quiet"])
"""


@pytest.mark.thorough
def test_a_killed_run_goes_on_without_the_folder(play: Play, typed: Typed, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "public_goods", tmp_path / "own")
    play(mixed("public_goods", "folder: own", 8))
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    shutil.rmtree(tmp_path / "own")
    assert typed("resume", "killed.run", "--quiet").code == 0
    with open_run_file(tmp_path / "a.run") as one, open_run_file(tmp_path / "killed.run") as two:
        assert one.standing.digest == two.standing.digest


def forge(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the programs in a run file, and seal it again."""
    with sqlite3.connect(path) as connection:
        (said,) = connection.execute("SELECT value FROM manifest WHERE key = 'programs'").fetchone()
        programs = json.loads(said)
        change(programs)
        rows = dict(connection.execute("SELECT key, value FROM manifest"))
        del rows["seal"]
        rows["programs"] = json.dumps(programs)
        rows["seal"] = checksum(*sorted(rows.items()))
        connection.executemany("INSERT OR REPLACE INTO manifest VALUES (?, ?)", rows.items())
    connection.close()


def test_a_forged_program_is_checked_before_it_is_run(
    play: Play, typed: Typed, tmp_path: Path
) -> None:
    play(mixed("public_goods", f"folder: {EXAMPLES / 'public_goods'}, class: Patient"))
    spy = "class Patient:\n    def act(self, history):\n        return open('/etc/passwd')"

    def attack(programs: dict[str, Any]) -> None:
        for path, one in programs.items():
            (patient,) = KeptFolder.model_validate(one).programs
            forged = patient.model_copy(update={"source": spy})
            packed = KeptFolder.pack(one["game"], [forged], one["hashes"], path)
            programs[path] = packed.model_dump(mode="json")

    forge(tmp_path / "a.run", attack)
    assert typed("show", "a.run").code == 0
    said = typed("verify", "a.run")
    assert said.code == 1
    assert "Patient is refused: not allowed in Patient: `open`" in said.out


@pytest.mark.parametrize("wrong", [{"texts": 3}, {"size": 2**40}, {"game": 4}, {"more": 1}])
def test_programs_that_no_run_keeps_are_refused(
    wrong: dict[str, Any], play: Play, typed: Typed, tmp_path: Path
) -> None:
    play(mixed("public_goods", f"folder: {EXAMPLES / 'public_goods'}, class: Patient", 1))

    def spoil(programs: dict[str, Any]) -> None:
        for one in programs.values():
            one.update(wrong)

    forge(tmp_path / "a.run", spoil)
    said = typed("show", "a.run")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "the manifest cannot be read" in said.err
    assert "checksum" not in said.err


def bomb(size: int) -> str:
    """Texts that unpack to so many bytes."""
    return b64encode(lzma.compress(b"x" * size, check=lzma.CHECK_NONE)).decode()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"texts": bomb(5_000_000), "size": 5}, "6 bytes of 1 programs, not 5"),
        ({"texts": bomb(5), "size": 5_000_000}, "5 bytes of 1 programs, not 5,000,000"),
        ({"texts": bomb(5), "size": 5}, "1 validation error for KeptProgram"),
        ({"texts": "eHh4" * 9, "size": 5}, "Input format not supported by decoder"),
        ({"texts": "&", "size": 5}, "Only base64 data is allowed"),
    ],
)
def test_texts_that_no_run_keeps_are_shown_by_nobody_and_refused_by_verify(
    wrong: dict[str, Any], reason: str, play: Play, typed: Typed, tmp_path: Path
) -> None:
    play(mixed("public_goods", f"folder: {EXAMPLES / 'public_goods'}, class: Patient", 1))

    def spoil(programs: dict[str, Any]) -> None:
        for one in programs.values():
            one.update(wrong)

    forge(tmp_path / "a.run", spoil)
    assert typed("show", "a.run").code == 0, "to show a run unpacks nothing"
    said = typed("verify", "a.run")
    assert said.code == 1
    assert f"the programs in the run file cannot be read: {reason}" in " ".join(said.out.split())


# Mistakes


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("folder: nowhere", "there is no folder nowhere"),
        ("folder: own, class: Fin", "own has no class 'Fin'; did you mean 'Fine'?"),
        ("folder: own, attitude: kind", "own has no attitude 'kind'; choose one of: any"),
        ("folder: own, author: me", "own has no author 'me'"),
        ("folder: own, clas: Fine", "there is no parameter 'clas'; did you mean 'class'?"),
        ("folder: other", "were written for common_pool, and this game is public_goods"),
        ("folder: odd", "Miser answers 'effort' and"),
        ("folder: refused", "Spy is refused: not allowed in Spy: `open`"),
        ("folder: missing", "holds no class 'Absent'"),
        ("folder: void", "void lists no strategy"),
        ("folder: own, allow: [numpy.load]", "numpy.load"),
    ],
)
def test_mistakes_are_one_message(program: str, words: str, play: Play, tmp_path: Path) -> None:
    folder(tmp_path / "own", "public_goods", SEVERAL, "Fine")
    folder(tmp_path / "other", "common_pool", SEVERAL, "Fine")
    folder(tmp_path / "odd", "public_goods", SEVERAL + MISER, "Miser", "Fine")
    folder(tmp_path / "refused", "public_goods", "class Spy:\n  def act(self, history):\n"
           "    return open('a')", "Spy")  # fmt: skip
    folder(tmp_path / "missing", "public_goods", SEVERAL, "Absent")
    folder(tmp_path / "void", "public_goods", SEVERAL)
    said = play(mixed("public_goods", program))
    assert said.code == 2
    assert words in said.err
    assert said.err.count("society: ") == 1


def test_programs_refuse_games_that_are_no_dilemmas_of_theirs(play: Play, tmp_path: Path) -> None:
    folder(tmp_path / "own", "public_goods", SEVERAL, "Fine")
    steep = mixed("public_goods", "folder: own").replace("factor: 2", "factor: 5")
    said = play(steep)
    assert said.code == 2
    assert "programs cannot play this game" in said.err
    assert "1 < factor < players" in said.err
    said = play(
        "scenario: prisoners_dilemma\n"
        "cohorts: [{name: a, count: 2, components: [program: {folder: own}]}]"
    )
    assert said.code == 2
    assert "programs move in public_goods, collective_risk and common_pool alone" in said.err


def test_confinement_is_chosen_by_the_users_environment(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "SOCIETY_CONFINEMENT", "loose")
    monkeypatch.setattr(program_host, "_host", program_host._host.__wrapped__)
    said = play(mixed("public_goods", f"folder: {EXAMPLES / 'public_goods'}"))
    assert said.code == 2
    assert "SOCIETY_CONFINEMENT is 'loose'; choose one of: any, strict" in said.err
