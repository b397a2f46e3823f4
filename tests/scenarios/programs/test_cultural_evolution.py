"""Cultural evolution of programs: theory, a plain reference, and runs that can be resumed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.history import InMemoryRecorder, Page
from society.engine.rng import Array
from society.errors import InputError, ProgramWarning
from society.runs.play import play, resume
from society.runs.runfile import open_run_file
from society.runs.verify import verify
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs import match_play
from society.scenarios.programs.cultural_evolution import (
    first_users,
    mutated,
    successors,
)

if TYPE_CHECKING:
    from tests.scenarios.programs.conftest import Genes, WriteFolder

GOOD_AND_BAD: Genes = {("m", "collective"): ("cooperates",), ("m", "exploitative"): ("defects",)}
FOUR: Genes = {
    ("a", "collective"): ("cooperates", "copies"),
    ("a", "exploitative"): ("defects",),
    ("b", "collective"): ("copies", "draws"),
    ("b", "exploitative"): ("defects", "draws"),
}


def evolution(folder: str = "", *, agents: int = 32, rounds: int = 4, **given: Any) -> Society:
    sizes: dict[str, Any] = {"seed": given.pop("seed", 1), "replicates": given.pop("replicates", 1)}
    parameters = {"elite": 4, "folders": [folder] if folder else [], **given}
    changes = {"agents": agents, "rounds": rounds, **sizes}
    return build(load_config("cultural_evolution", {**changes, "parameters": parameters}))


def pages_of(setup: Society) -> list[Page]:
    recorder = InMemoryRecorder()
    setup.gamemaster([recorder]).play()
    return recorder.pages


def facts(pages: Sequence[Page], name: str) -> list[Array]:
    """A fact in each generation, (R, N, ...) or (R, 1, ...)."""
    return [
        values
        for page in pages
        for step in page.steps
        for (_, one), values in step.arrays.items()
        if one == name
    ]


# Theory


def test_where_all_earn_the_same_a_gene_wins_as_often_as_its_share() -> None:
    """Neutral drift: of 4 genes with equal programs each wins a quarter of 200 evolutions."""
    env_setup = evolution(agents=16, rounds=1, replicates=400, mutation=0.0, elite=0)
    env, pool = env_setup.environment(), env_setup.params.strategies  # type: ignore[attr-defined]
    users, equal = first_users(env, pool), np.ones(env.present.shape)
    for _ in range(200):
        heirs = env.params.imitation(env.agents)(equal, pool.model_of(users.gene), env)
        users = successors(env, pool, users, heirs.parents)
    assert (users.gene == users.gene[:, :1]).all()  # fixed in all of them
    wins = np.bincount(users.gene[:, 0], minlength=4) / 400
    assert wins == pytest.approx([0.25] * 4, abs=4 * 0.0217)


@pytest.mark.thorough
def test_always_defect_takes_over_public_goods(write_folder: WriteFolder) -> None:
    """n = 4, k = 2: a defector earns 20 k n_c / n + 20, 10 more than a cooperator in any group."""
    pages = pages_of(evolution(write_folder(GOOD_AND_BAD), agents=512, rounds=200, elite=64))
    *_, last = facts(pages, "gene_shares")
    collective, exploitative = last[0, 0]
    assert exploitative >= 0.75
    assert collective + exploitative == 1
    assert len(pages) - 1 < 30  # long before the last generation


def test_defectors_gain_on_cooperators_as_their_payoffs_say(write_folder: WriteFolder) -> None:
    """Half and half, 127 x 10 (1 + 63 x 3 / 127) against 20 more: 34.9 of 59.8 parents defect."""
    setup = evolution(
        write_folder(GOOD_AND_BAD), agents=128, rounds=3, mutation=0.0, elite=0, replicates=100
    )
    pages = pages_of(setup)
    first, second, third = (one[:, 0, 1].mean() for one in facts(pages, "gene_shares"))
    cooperator, defector = 5 * (1 + 3 * 63 / 127), 5 * 3 * 64 / 127 + 20 / 2
    assert first == pytest.approx(defector / (cooperator + defector), abs=0.015)
    assert first < second < third
    assert facts(pages, "game_efficiency")[-1].mean() < 0.4


def test_a_generation_pays_what_the_dilemma_says(write_folder: WriteFolder) -> None:
    """A group with c cooperators: 20 x 2 c / 4 for each of them, and 20 more for defectors."""
    pages = pages_of(evolution(write_folder(GOOD_AND_BAD), agents=16, rounds=1))
    (gene,), (group,), (points,) = (facts(pages, one) for one in ("gene", "group", "points"))
    for repetition in range(4):
        for number in range(4):
            here = np.flatnonzero(group[0, :, repetition] == number)
            cooperators = int((gene[0, here] == 0).sum())
            expected = [10 * cooperators + 20 * int(one) for one in gene[0, here]]
            assert points[0, here, repetition].tolist() == expected


# A plain reference


def test_one_generation_equals_a_plain_reference() -> None:
    """The same numbers from loops over users, for two models and two attitudes."""
    setup = evolution(agents=16, rounds=1, seed=5, mutation=0.5, loyalty=0.3, elite=3)
    env, twin = setup.environment(), setup.environment()
    pool, p = env.params.strategies, env.params
    users = first_users(env, pool)
    first_users(twin, pool)
    fitness = np.random.default_rng(1).integers(10, 40, (1, 16)).astype(float)
    heirs = p.imitation(env.agents)(fitness, pool.model_of(users.gene), env)
    after = successors(env, pool, users, heirs.parents)

    draws = twin.draws("cultural_evolution")
    luck = {name: draws.uniform(name)[0] for name in ("tie", "parent", "loyalty", "mutates")}
    luck |= {name: draws.uniform(name)[0] for name in ("part", "model", "attitude", "program")}
    order = sorted(range(16), key=lambda seat: (-fitness[0, seat], luck["tie"][seat]))
    elite, wheel = order[:3], np.cumsum([fitness[0, seat] for seat in order])
    for seat in range(16):
        old = pool.genes[users.gene[0, seat]]
        if seat in elite:
            assert (after.gene[0, seat], after.program[0, seat]) == (
                users.gene[0, seat],
                users.program[0, seat],
            )
            continue
        mark = luck["parent"][seat] * wheel[-1]
        parent = next(one for one, total in zip(order, wheel, strict=True) if mark < total)
        model, attitude = pool.genes[users.gene[0, parent]]
        if luck["loyalty"][seat] < 0.3:
            model = old.model
        if luck["mutates"][seat] < 0.5:
            if luck["part"][seat] < 0.5:
                model = {"plain": "wary", "wary": "plain"}[model]
            else:
                other = {"collective": "exploitative", "exploitative": "collective"}
                attitude = other[attitude]
        gene = pool.genes.index((model, attitude))
        assert after.gene[0, seat] == gene
        assert after.program[0, seat] == pool.firsts[gene] + int(luck["program"][seat] * 4)


def test_mutation_changes_the_model_half_the_time_and_the_attitude_else() -> None:
    setup = evolution(agents=32, replicates=500, mutation=0.1)
    env = setup.environment()
    pool = env.params.strategies
    gene = np.zeros(env.present.shape, int)
    after = mutated(env, pool, gene, np.ones(gene.shape, bool))
    shares = [(after == one).mean() for one in range(4)]
    assert shares == pytest.approx([0.9, 0.05, 0.05, 0], abs=0.006)


def test_who_keeps_its_program_does_not_mutate_under_the_proportional_rule() -> None:
    env = evolution(agents=32, mutation=1.0).environment()
    gene, nobody = np.zeros((1, 32), int), np.zeros((1, 32), bool)
    assert (mutated(env, env.params.strategies, gene, nobody) == 0).all()


def test_at_first_genes_are_as_frequent_as_each_other() -> None:
    """ceil(18 / 4) = 5 of each, shuffled and cut to 18."""
    env = evolution(agents=20, replicates=200, players=2, factor=1.5).environment()
    pool = env.params.strategies
    assert [np.bincount(one).tolist() for one in first_users(env, pool).gene[:3]] == [[5] * 4] * 3
    env = evolution(agents=18, replicates=200, players=2, factor=1.5).environment()
    counts = np.array([np.bincount(one, minlength=4) for one in first_users(env, pool).gene])
    assert counts.sum(1).tolist() == [18] * 200
    assert set(counts.flat) == {3, 4, 5}


# Conservation


@pytest.mark.parametrize("rule", ["proportional", "fermi", "proportional_imitation"])
def test_shares_sum_to_one_and_everybody_plays_each_repetition(
    rule: str, write_folder: WriteFolder
) -> None:
    setup = evolution(write_folder(FOUR), rule=rule, rounds=3, repetitions=2)
    pages = pages_of(setup)
    for shares in facts(pages, "gene_shares"):
        assert shares.sum() == pytest.approx(1, abs=1e-12)
    for group in facts(pages, "group"):
        assert all((np.bincount(group[0, :, k]) == 4).all() for k in range(2))
    for descendants in facts(pages, "descendants"):
        assert descendants.sum() == 32


def test_programs_are_always_of_the_gene(write_folder: WriteFolder) -> None:
    setup = evolution(write_folder(FOUR), rounds=5)
    pool = setup.params.strategies  # type: ignore[attr-defined]
    pages = pages_of(setup)
    for gene, program in zip(facts(pages, "gene"), facts(pages, "program"), strict=True):
        assert (
            (pool.firsts[gene] <= program) & (program < (pool.firsts + pool.counts)[gene])
        ).all()
    assert pages[-1].public["gene"][0, 0] in {"a collective", "a exploitative"} | {
        "b collective",
        "b exploitative",
    }


def test_geometric_games_have_the_stated_mean_length(write_folder: WriteFolder) -> None:
    given = {"horizon": "geometric", "game_rounds": 5, "repetitions": 20}
    setup = evolution(write_folder(GOOD_AND_BAD), agents=8, rounds=40, mutation=1.0, **given)
    lengths = np.concatenate([one[0, 0] for one in facts(pages_of(setup), "game_lengths")])
    assert lengths.min() >= 1
    assert lengths.max() <= 25
    assert lengths.mean() == pytest.approx(5, abs=1)


# Programs that fail


@pytest.mark.parametrize("move", ["fails", "hangs"])
def test_a_disqualified_program_plays_its_fallback_for_the_rest_of_the_run(
    move: str, write_folder: WriteFolder
) -> None:
    genes: Genes = {("m", "collective"): ("cooperates",), ("m", "exploitative"): (move,)}
    setup = evolution(write_folder(genes), agents=16, rounds=3, mutation=0.5)
    with pytest.warns(ProgramWarning, match="MExploitative0 is disqualified"):
        pages = pages_of(setup)
    first, *later = facts(pages, "program_disqualified")
    assert not first.any()
    for out, gene in zip(later, facts(pages, "gene")[1:], strict=True):
        assert (out == (gene == 1)).all()
    failures = [one.sum() for one in facts(pages, "program_failures")]
    assert failures[0] > 0
    assert failures[1:] == [0, 0]


# Runs


@pytest.mark.thorough
def test_results_do_not_depend_on_the_number_of_workers(
    write_folder: WriteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, digests = write_folder(FOUR), set()
    for workers in (1, 3):
        with monkeypatch.context() as patch:
            patch.setattr(match_play, "ProgramPool", partial(ProgramPool, workers))
            patch.setattr(match_play, "_workers_of", lambda process: match_play._Workers())
            digests.add(evolution(folder).gamemaster().play().digest)
    assert len(digests) == 1


def test_a_run_is_verified_when_its_folder_is_gone(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    folder, path = write_folder(FOUR), tmp_path / "evolved.run"
    play(evolution(folder), path)
    for file in Path(folder).iterdir():
        file.unlink()
    assert verify(path).ok


KILLED = """
import os, signal, sys
from society.runs.play import play
from society.scenarios.programs import match_play
from tests.scenarios.programs.test_cultural_evolution import evolution

left, plain = [5], match_play.play_batches

def dying(programs, batch):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(programs, batch)

match_play.play_batches = dying
from pathlib import Path
play(evolution(sys.argv[1], rounds=6), Path(sys.argv[2]))
"""


@pytest.mark.thorough
def test_a_killed_run_is_resumed_to_the_same_digest(
    write_folder: WriteFolder, tmp_path: Path
) -> None:
    folder, path, whole = write_folder(FOUR), tmp_path / "killed.run", tmp_path / "whole.run"
    play(evolution(folder, rounds=6), whole)
    done = subprocess.run([sys.executable, "-c", KILLED, folder, str(path)], check=False)
    assert done.returncode == -9
    resume(path)
    with open_run_file(path) as one, open_run_file(whole) as other:
        assert one.rounds == other.rounds == 6
        assert one.outcome().digest == other.outcome().digest


# Errors


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"agents": 30}, "30 users make no groups of 4 players.*take 28 or 32 users"),
        ({"elite": 32}, "elite: 32 of 32 users leaves nobody who learns"),
        ({"dominance": 0.2}, "dominance: 0.2 is reached before anything happens"),
        ({"factor": 4.5}, "no dilemma: it needs 1 < factor < players"),
        ({"rule": "moran"}, "got 'moran'; expected one of proportional, fermi"),
    ],
)
def test_evolutions_that_cannot_begin_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        evolution(**given).gamemaster().play()


@pytest.mark.parametrize(
    ("genes", "words"),
    [
        ({("m", "collective"): ("cooperates",)}, "have one gene, m collective"),
        (
            {("a", "collective"): ("copies",), ("b", "exploitative"): ("defects",)},
            "a has no strategy with the attitude 'exploitative'",
        ),
    ],
)
def test_folders_without_a_choice_are_refused(
    genes: Genes, words: str, write_folder: WriteFolder
) -> None:
    with pytest.raises(InputError, match=words):
        evolution(write_folder(genes)).gamemaster().play()


def test_strategies_for_another_game_are_refused(write_folder: WriteFolder) -> None:
    with pytest.raises(InputError, match="written for common_pool, and this game is public_goods"):
        evolution(write_folder(GOOD_AND_BAD, "common_pool")).gamemaster().play()
