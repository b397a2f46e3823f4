"""Programs of a society read and simulate their co-players, where the scenario says so."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.runs.runfile import open_run_file
from society.runs.verify import verify
from tests.components.programs.test_program import KILLED, folder, host_of, play, public

if TYPE_CHECKING:
    from tests.components.programs.test_program import Play
    from tests.conftest import Said, Typed

__all__ = ["host_of", "play"]  # fixtures

EXAMPLES = Path(__file__).resolve().parents[3] / "scenarios/games/strategies"
READER = '''
class Reader:
    """Cooperates if the first co-player is a copy, the second a rule, and the third its like."""

    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources

    def act(self, history):
        copy, rule, stranger = self.theirs
        seen = copy == self.mine and rule is None and "class Stranger" in stranger
        moves = simulate(stranger, stranger, 3).moves
        return C if seen and moves == (C, D, C) else D


class Stranger:
    def act(self, history):
        return D if history.round_number == 1 else C
'''


def game(cohorts: str, rounds: int = 3, more: str = "", game: str = "public_goods") -> str:
    factor = "" if game == "common_pool" else "factor: 1.5, "
    return f"""
scenario: {game}
rounds: {rounds}
parameters: {{players: 2, {factor}open_source: true}}
{more}
cohorts:
{cohorts}
"""


def pair(first: str, second: str, at: str = str(EXAMPLES / "open_source")) -> str:
    return "".join(
        f"  - {{name: {name}, count: 1, components: [program: {{folder: {at}, class: {one}}}]}}\n"
        for name, one in (("one", first), ("two", second))
    )


def moves(path: Path) -> list[list[str]]:
    """The moves of all players, by round, in the first replicate."""
    with open_run_file(path) as run:
        return [
            ["CD"[move] for move in step.arrays["own", "action"][0]]
            for page in run.pages()
            for step in page.steps
            if step.kind == "played"
        ]


def test_a_program_reads_programs_of_other_cohorts_and_none_of_who_is_no_program(
    play: Play, tmp_path: Path
) -> None:
    folder(tmp_path / "own", "public_goods", READER, "Reader", "Stranger")
    said = play("""
scenario: public_goods
rounds: 3
parameters: {players: 4, factor: 2, open_source: true}
cohorts:
  - {name: readers, count: 2, components: [program: {folder: own, class: Reader}]}
  - {name: rule, count: 1, components: [classic_strategies: {strategy: always_defect}]}
  - {name: other, count: 1, components: [program: {folder: own, class: Stranger}]}
""")
    assert (said.code, said.err) == (0, "")
    assert moves(tmp_path / "a.run") == [[*"CCDC"], [*"CCDD"], [*"CCDC"]]
    assert verify(tmp_path / "a.run").ok


@pytest.mark.parametrize("dilemma", ["public_goods", "collective_risk", "common_pool"])
def test_fair_bots_cooperate_in_each_dilemma_and_a_clique_with_its_like(
    dilemma: str, play: Play, tmp_path: Path
) -> None:
    shutil.copytree(EXAMPLES / "open_source", tmp_path / "own")
    manifest = tmp_path / "own/manifest.json"
    manifest.write_text(manifest.read_text().replace("public_goods", dilemma))
    for first, second, both in (
        ("FairBot", "FairBot", "CC"),
        ("CliqueBot", "CliqueBot", "CC"),
        ("CliqueBot", "DefectBot", "DD"),
    ):
        assert play(game(pair(first, second, "own"), 2, game=dilemma)).code == 0
        assert moves(tmp_path / "a.run") == [[*both]] * 2


def test_closed_sources_and_changing_co_players_are_refused_by_name(
    play: Play, tmp_path: Path
) -> None:
    closed = play(game(pair("CliqueBot", "DefectBot")).replace("open_source: true", ""))
    assert closed.code == 2
    assert "CliqueBot reads or simulates its co-players, and the sources of this" in closed.err
    mixed = play(
        game(
            f"  - {{name: all, count: 8, components: [program: {{folder: "
            f"{EXAMPLES / 'open_source'}, class: FairBot}}]}}",
            1,
            "mechanisms: [reputation: {games: 4}]",
        )
    )
    assert mixed.code == 2
    assert "co-players change from game to game here" in mixed.err


@pytest.mark.thorough  # a process is killed, and others begin: 2 seconds
def test_a_run_of_open_source_goes_on_and_is_verified_without_the_folder(
    play: Play, typed: Typed, tmp_path: Path
) -> None:
    shutil.copytree(EXAMPLES / "open_source", tmp_path / "own")
    assert play(game(pair("FairBot", "Opportunist", "own"), 8)).code == 0
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    shutil.rmtree(tmp_path / "own")
    assert typed("resume", "killed.run", "--quiet").code == 0
    with open_run_file(tmp_path / "a.run") as one, open_run_file(tmp_path / "killed.run") as two:
        assert one.standing.digest == two.standing.digest
    assert verify(tmp_path / "killed.run").ok


@pytest.mark.thorough
def test_runs_of_open_source_do_not_depend_on_the_number_of_workers(
    play: Play, tmp_path: Path, host_of: Callable[[int], None]
) -> None:
    digests = []
    for workers in (1, 3):
        host_of(workers)
        play(game(pair("FairBot", "Opportunist"), 3), "--replicates", "6")
        with open_run_file(tmp_path / "a.run") as run:
            digests.append(run.standing.digest)
    assert digests[0] == digests[1]


def test_children_are_read_as_what_they_have_inherited(play: Play, tmp_path: Path) -> None:
    """Cliques are paid more than defectors, and once all are of one text, all cooperate."""
    cohort = f"program: {{folder: {EXAMPLES / 'open_source'}, class: [CliqueBot, DefectBot]}}"
    text = game(
        f"  - {{name: all, count: 12, components: [{cohort}]}}",
        1,
        "mechanisms: [generations: {fitness: payoff, count: 12, selection: truncation}]",
    )
    said: Said = play(text)
    assert said.code == 0, said.err
    assert set(public(tmp_path / "a.run", "program")) == {"CliqueBot"}
    assert moves(tmp_path / "a.run")[-1] == ["C"] * 12
    assert verify(tmp_path / "a.run").ok


def test_tournaments_of_programs_play_with_open_sources(play: Play, tmp_path: Path) -> None:
    said = play(f"""
scenario: program_tournament
rounds: 1
agents: 10
parameters:
  folders: [{EXAMPLES / "open_source"}]
  players: 2
  factor: 1.5
  game_rounds: 1
  open_source: true
""")
    assert said.code == 0, said.err
    with open_run_file(tmp_path / "a.run") as run:
        steps = [step for page in run.pages() for step in page.steps]
    told = next(step.arrays for step in steps if step.kind == "games_played")
    assert set(told["own", "among_copies"][0].tolist()) <= {1.5, 1.0, 0.75, 1.75}
    assert verify(tmp_path / "a.run").ok
