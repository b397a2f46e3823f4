"""Replicates of rules are played in processes, and nobody can tell from the run file."""

from __future__ import annotations

import errno
import gc
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from society.analysis.histories import first_difference
from society.config.build import Society, build
from society.config.run_config import load_config
from society.conformance.invariants import exact_record
from society.engine.action_spaces import Real
from society.engine.array_digests import FIRST_RULE
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.environment import Environment
from society.engine.history import InMemoryRecorder, Page
from society.engine.population import Cohort
from society.engine.scenario import Measure, Scenario
from society.engine.script import Ask, Script, Tell, common, own
from society.errors import InputError, WiringWarning
from society.runs.fork import Changes, fork
from society.runs.play import play, resume
from society.runs.runfile import open_run_file
from society.runs.session import End, Session
from society.runs.slice_processes import (
    SliceProcesses,
    one_core_reason,
    slices_of_blocks,
    useful_processes,
)
from society.runs.verify import verify

REPLICATES, ROUNDS = 5, 6
GAMBLER = """
import numpy as np
from society.engine.component import Component

class Gambler(Component):
    answers = ("effort",)
    separable = True

    def answer(self, ask, agents):
        return np.random.rand(len(agents))
"""
Watching = Callable[[Session], Any]


def auction(env: Environment) -> Script:
    """Replicate r is over after round r + 1; its stock shrinks on, as the others' does."""
    stock = np.full((env.replicates, 1), 100.0)
    for number in env.rounds():
        bid = yield Ask("bid", Real(0, 100))
        stock = stock - 1 - bid.mean(1, keepdims=True)
        over = env.replicate_ids[:, None] < number
        words = np.array([f"lot {one}" for one in env.replicate_ids])[:, None]
        yield Tell("sold", facts={"bid": own(bid), "again": own(bid), "lot": common(words)})
        yield Tell("closed", facts={"stock": common(stock), "over": common(over)}, ends=over)
    yield Tell("cleared", facts={"stock": common(stock)})


class Bidder(Component):
    """Bids by chance, and remembers what was sold."""

    answers, notices = ("bid",), ("sold",)
    columns = (Column("seen", public=True),)
    separable: ClassVar[bool] = True

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return 10 * agents.draws.uniform("bid")

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["seen"] = tell.facts["bid"] + agents["seen"]


def society_of(
    part: Component | None = None,
    script: Callable[[Environment], Script] = auction,
    *,
    replicates: int = REPLICATES,
    agents: int = 3,
) -> Society:
    """An auction of bidders of the user's."""
    cast = [Cohort("bidders", agents, (part or Bidder(),))]
    scenario = Scenario(
        "auction",
        script,
        cast=lambda params, count: cast,
        agents=agents,
        measures=(Measure("bids", "coins", lambda told, env: told["bid"].mean(1)),),
        separable=True,
    )
    sizes = {"replicates": replicates, "rounds": ROUNDS, "seed": 1}
    return build(load_config("auction", sizes), own=[scenario])


def village(**more: Any) -> Society:
    sizes = {"agents": 6, "replicates": 7, "rounds": 20, "seed": 3, "parameters": {"growth": 0.1}}
    return build(load_config("fishing_village", sizes | more))


def played(setup: Society, path: Path, workers: int, **more: Any) -> tuple[End, list[str]]:
    """Play a society; returns its end, and what was said of where it is played."""
    notes: list[str] = []
    return play(setup, path, workers=workers, announce=notes.append, **more), notes


@contextmanager
def _watching(recorder: Any) -> Iterator[Any]:
    yield recorder


def rounds_in(path: Path) -> int:
    with open_run_file(path) as run:
        return run.rounds


def chain_of(path: Path) -> str:
    """The digest of all rounds of a run."""
    with open_run_file(path) as run:
        return [record.chain for record in run.records()][-1]


@pytest.mark.parametrize("level", ["full", "summary"])
def test_the_file_has_the_same_bytes_whatever_the_number_of_processes(
    tmp_path: Path, level: Any
) -> None:
    """Villages that fail early are padded until the last one is over."""
    files = [tmp_path / f"{workers}.run" for workers in (1, 2, 3)]
    for workers, file in enumerate(files, 1):
        end, notes = played(village(), file, workers, level=level)
        assert (end.status, notes) == ("finished", [])
    with open_run_file(files[0]) as run:
        ended = [sum(map(len, record.ends.values())) for record in run.records()]
    assert 0 < sum(ended[:-1]) < 7, "some villages fail early, and not all of them"
    assert files[1].read_bytes() == files[0].read_bytes()
    assert files[2].read_bytes() == files[0].read_bytes()


@pytest.mark.parametrize("level", ["full", "summary"])
def test_large_arrays_are_hashed_where_they_are_and_the_file_is_the_same(
    tmp_path: Path, level: Any
) -> None:
    """Arrays of 160 kB are known by the digests of their blocks; replicates end meanwhile."""
    files = [tmp_path / f"{workers}.run" for workers in (1, 3)]
    for workers, file in zip((1, 3), files, strict=True):
        setup = society_of(replicates=40, agents=500)
        end, notes = played(setup, file, workers, level=level)
        assert (end.status, notes) == ("finished", [])
    assert files[1].read_bytes() == files[0].read_bytes()


def test_arrays_of_another_kind_in_another_slice_are_played_on_one_core(tmp_path: Path) -> None:
    """Their rows have stayed in the processes, and numbers of two kinds are hashed as one."""

    def mixed(env: Environment) -> Script:
        for _ in env.rounds():
            bid = yield Ask("bid", Real(0, 100))
            whole = env.replicate_ids[0] == 0 and env.replicates < 40
            yield Tell("sold", facts={"bid": own(bid.astype(int) if whole else bid)})

    setup = society_of(script=mixed, replicates=40, agents=500)
    end, notes = played(setup, tmp_path / "a.run", 2, level="summary")
    assert end.status == "finished"
    assert notes == [
        "this run is played on one core from here on: an array of int64 is not of the same kind "
        "in all slices of the replicates"
    ]


def test_what_ends_in_a_round_of_unlike_slices_is_over_in_the_file(tmp_path: Path) -> None:
    """Two facts are one array in some slices of a round, and two in the one where it ends."""

    def uneven(env: Environment) -> Script:
        for number in env.rounds():
            bid = yield Ask("bid", Real(0, 100))
            over = (env.replicate_ids[:, None] == 0) & (number == 2)
            yield Tell(
                "sold", facts={"bid": own(bid), "again": own(bid + 0 if over.any() else bid)}
            )
            yield Tell("closed", ends=over)

    files = [tmp_path / f"{workers}.run" for workers in (1, 3)]
    for workers, file in zip((1, 3), files, strict=True):
        setup = society_of(script=uneven, replicates=40, agents=500)
        end, notes = played(setup, file, workers, level="summary")
        assert (end.status, notes) == ("finished", [])
        with open_run_file(file) as run:
            assert [record.page.running.sum() for record in run.records()] == [40, 40, *5 * [39]]
    assert files[1].read_bytes() == files[0].read_bytes()


def test_a_run_that_was_digested_by_the_first_rule_is_verified_by_it(tmp_path: Path) -> None:
    """Files of before say no rule, and have the first."""
    newest = society_of(replicates=40, agents=500)
    chains = []
    for setup in (newest, replace(newest, digest_rule=FIRST_RULE)):
        file = tmp_path / f"{setup.digest_rule}.run"
        played(setup, file, 1)
        with open_run_file(file) as run:
            assert run.manifest.digest_rule == setup.digest_rule
        (record, *_) = verify(file).checks
        assert record.ok, "its lines give its digests"
        chains.append(chain_of(file))
    assert chains[0] != chains[1]


def test_files_of_two_rules_are_not_told_apart_by_their_digests(tmp_path: Path) -> None:
    newest = society_of(replicates=40, agents=500)
    files = [tmp_path / "now.run", tmp_path / "before.run"]
    for setup, file in zip((newest, replace(newest, digest_rule=FIRST_RULE)), files, strict=True):
        played(setup, file, 1, level="summary")
    with (
        open_run_file(files[0]) as one,
        open_run_file(files[1]) as other,
        pytest.raises(InputError, match=r"digested by two rules.* play the older one again"),
    ):
        first_difference(one, other)


@pytest.mark.thorough
def test_a_run_that_was_digested_by_the_first_rule_goes_on_by_it(tmp_path: Path) -> None:
    """It is resumed in processes, verified and forked."""

    class Interrupting:
        def page(self, page: Page) -> None:
            if page.number == 2:
                raise KeyboardInterrupt

    parameters = {"ends_on": "horizon"}
    newest = village(replicates=40, agents=500, rounds=3, parameters=parameters)
    before = replace(newest, digest_rule=FIRST_RULE)
    whole, file, now = (tmp_path / f"{name}.run" for name in ("whole", "resumed", "now"))
    played(before, whole, 1)
    played(before, file, 2, watch=lambda session: _watching(Interrupting()))
    assert resume(file, workers=2).status == "finished"
    played(newest, now, 2)
    assert chain_of(file) == chain_of(whole) != chain_of(now)
    assert verify(file).ok
    fork(file, 2, Changes(), tmp_path / "fork.run")
    rules = []
    for path in (tmp_path / "fork.run", now):
        with open_run_file(path) as run:
            rules.append(run.manifest.digest_rule)
    assert rules == [1, 2]


def test_who_keeps_all_pages_has_those_of_the_batch(tmp_path: Path) -> None:
    """More of them than there are slots for pages under way; text and what is told last, too."""
    batch, apart = InMemoryRecorder(), InMemoryRecorder()
    for workers, recorder in ((1, batch), (3, apart)):
        played(
            society_of(),
            tmp_path / f"{workers}.run",
            workers,
            watch=lambda session, kept=recorder: _watching(kept),
        )
    assert len(batch.pages) == REPLICATES + 1
    assert exact_record(apart.pages) == exact_record(batch.pages)
    last = batch.pages[-1]
    assert [step.kind for step in last.steps][-1] == "cleared"
    assert [page.digest for page in apart.pages] == [page.digest for page in batch.pages]
    assert (tmp_path / "3.run").read_bytes() == (tmp_path / "1.run").read_bytes()


def test_a_process_that_is_killed_plays_its_slice_again(tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    class Mortal(Bidder):
        separable: ClassVar[bool] = True

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            if agents.moment == 3 and 4 in agents.env.replicate_ids and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().answer(ask, agents)

    end, notes = played(society_of(Mortal()), tmp_path / "a.run", 2)
    assert mark.exists()
    played(society_of(Mortal()), tmp_path / "b.run", 1)
    assert (end.status, notes) == ("finished", [])
    assert chain_of(tmp_path / "a.run") == chain_of(tmp_path / "b.run")


def test_a_process_that_is_killed_again_and_again_pauses_the_run(tmp_path: Path) -> None:
    class Doomed(Bidder):
        separable: ClassVar[bool] = True

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            if agents.moment == 3 and 0 in agents.env.replicate_ids:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().answer(ask, agents)

    end, _ = played(society_of(Doomed()), tmp_path / "a.run", 2)
    assert (end.status, end.code) == ("paused", 3)
    assert "plays replicates 0 to 2 was ended from outside 3 times" in end.words
    assert end.words.endswith("go on with --workers 1")
    assert 1 <= rounds_in(tmp_path / "a.run") <= 2, "the second may have waited to be sent"


def test_without_memory_or_processes_for_slices_one_core_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(SliceProcesses, "start", refuse)
    end, notes = played(village(rounds=3), tmp_path / "a.run", 2)
    assert end.status == "finished"
    assert notes == [
        "this run is played on one core: processes for the replicates cannot be started: Cannot "
        "allocate memory"
    ]


def test_a_process_that_cannot_be_started_again_leaves_the_run_to_one_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = SliceProcesses.start

    def once(processes: SliceProcesses, one: Any) -> None:
        if one.lives:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        start(processes, one)

    class Mortal(Bidder):
        separable: ClassVar[bool] = True

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            if agents.moment == 3 and agents.env.replicates < REPLICATES:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().answer(ask, agents)

    monkeypatch.setattr(SliceProcesses, "start", once)
    end, notes = played(society_of(Mortal()), tmp_path / "a.run", 2)
    assert (end.status, rounds_in(tmp_path / "a.run")) == ("finished", REPLICATES)
    assert notes == [
        "this run is played on one core from here on: a process was ended from outside and cannot "
        "be started again: Resource temporarily unavailable"
    ]


def test_a_rule_that_fails_fails_as_on_one_core(tmp_path: Path) -> None:
    class Wrong(Bidder):
        separable: ClassVar[bool] = True

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            late = agents.env.replicate_ids[agents.replicate] == 4
            return np.where(late & (agents.moment == 4), np.nan, 1.0)

    ends = []
    for workers in (1, 2):
        end, _ = played(society_of(Wrong()), tmp_path / f"{workers}.run", workers)
        ends.append((end.status, end.words, rounds_in(tmp_path / f"{workers}.run")))
    assert ends[0] == ends[1]
    assert "agent 0 of replicate 4, answered 'bid' with nan" in ends[0][1]
    assert ends[0][0::2] == ("failed", 3)


def test_code_that_does_not_say_so_is_not_played_apart(tmp_path: Path) -> None:
    class Silent(Bidder):
        """Inherits the hooks, and not the word."""

    end, notes = played(society_of(Silent()), tmp_path / "a.run", 2)
    assert end.status == "finished"
    assert notes == [
        "this run is played on one core: Silent is code of yours that does not say `separable`, "
        "so that it may look at other replicates"
    ]


def test_slices_that_say_other_lines_are_played_on_one_core(tmp_path: Path) -> None:
    """The word `separable` was not true."""

    def moody(env: Environment) -> Script:
        for number in env.rounds():
            if number == 3 and env.replicate_ids[0] == 3:
                yield Tell("told", facts={"bid": own(0.0)})
            bid = yield Ask("bid", Real(0, 100))
            yield Tell("sold", facts={"bid": own(bid)})

    end, notes = played(society_of(script=moody), tmp_path / "a.run", 2)
    assert end.status == "finished"
    assert "on one core from here on: round 3 has other lines in one replicate" in notes[0]
    played(society_of(script=moody), tmp_path / "b.run", 1)
    assert (tmp_path / "a.run").read_bytes() == (tmp_path / "b.run").read_bytes()


DICE = """
import numpy as np
from society import Component

DICE = np.random.default_rng(3)


class Dicer(Component):
    answers = ("effort",)
    separable = True

    def answer(self, ask, agents):
        return DICE.random(len(agents))
"""


def test_a_generator_of_ones_own_keeps_a_run_on_one_core(tmp_path: Path) -> None:
    """Each process would have a copy of it, so that slices would have the same answers."""
    (tmp_path / "dice.py").write_text(DICE, "utf-8")
    (tmp_path / "a.yaml").write_text(
        "scenario: fishing_village\nreplicates: 4\nrounds: 2\nuses: [dice.py]\n"
        "cohorts: [{name: all, count: 3, replace: {harvest: dicer}}]\n",
        "utf-8",
    )
    setup = build(load_config(str(tmp_path / "a.yaml")))
    assert one_core_reason(setup).endswith("dice.py draws chance that all replicates share")


def test_chance_that_all_replicates_share_is_drawn_on_one_core(tmp_path: Path) -> None:
    """Processes would draw the same numbers, each for its own replicates."""

    class Gambler(Bidder):
        separable: ClassVar[bool] = True

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            late = agents.moment >= 3
            return np.random.rand(len(agents)) if late else np.full(len(agents), 0.5)  # noqa: NPY002

    recorder = InMemoryRecorder()
    with pytest.warns(WiringWarning, match=r"drawn from np\.random up to round 4") as caught:
        end, notes = played(
            society_of(Gambler()), tmp_path / "a.run", 5, watch=lambda _: _watching(recorder)
        )
    assert (end.status, len(caught)) == ("finished", 1)
    assert notes == [
        "this run is played on one core from here on: something draws from np.random, which all "
        "replicates share"
    ]
    bids = recorder.pages[3].steps[0].arrays["answer", ""]
    assert len(np.unique(bids[2:])) == 9, "of the three replicates that still run"


def test_a_file_that_says_that_it_draws_shared_chance_is_played_on_one_core(tmp_path: Path) -> None:
    rule = tmp_path / "gambler.py"
    rule.write_text(GAMBLER)
    given = {"replicates": 3, "uses": [str(rule)], "parameters": {"social_learning": False}}
    given["cohorts"] = [{"name": "all", "count": 2, "replace": {"harvest": "gambler"}}]
    reason = one_core_reason(build(load_config("fishing_village", given)))
    assert reason.endswith("gambler.py draws chance that all replicates share")


@pytest.mark.parametrize(
    ("agents", "rounds", "processes"),
    [
        (50_000, 400, 10),
        (10_000, 200, 2),
        (9_999, 100_000, 1),  # too few at once: each process would be busy with its interpreter
        (50_000, 39, 1),  # over before it is worth while
    ],
)
def test_processes_are_taken_by_default_where_they_are_of_use(
    agents: int, rounds: int, processes: int
) -> None:
    assert useful_processes(agents, rounds) == processes


def test_replicates_are_split_between_blocks_of_their_digests() -> None:
    assert [len(part) for part in slices_of_blocks(1000, 2)] == [512, 488]
    assert [len(part) for part in slices_of_blocks(7, 3)] == [3, 2, 2]
    assert np.concatenate(slices_of_blocks(100, 4)).tolist() == [*range(100)]


def test_there_are_no_more_processes_than_replicates(tmp_path: Path) -> None:
    end, notes = played(village(replicates=2, rounds=3), tmp_path / "a.run", 9)
    assert (end.status, notes) == (
        "finished",
        ["--workers 9: there are 2 replicates, and so 2 workers"],
    )


def test_who_wants_more_processes_than_there_are_blocks_hears_why(tmp_path: Path) -> None:
    """Digests of 33 replicates are made of 17 blocks: sixteen of two replicates, and one of one."""
    end, notes = played(village(replicates=33, rounds=1), tmp_path / "a.run", 20)
    assert (end.status, notes) == (
        "finished",
        ["--workers 20: there are 33 replicates, of which 2 stay together, and so 17 workers"],
    )


def test_what_the_program_has_set_aside_from_garbage_stays_aside(tmp_path: Path) -> None:
    gc.freeze()
    try:
        aside = gc.get_freeze_count()
        end, _ = played(village(replicates=2, rounds=3), tmp_path / "a.run", 2)
        assert end.status == "finished"
        assert gc.get_freeze_count() > aside / 2, "some of it may be gone meanwhile"
    finally:
        gc.unfreeze()


def test_a_run_that_was_interrupted_is_resumed_with_the_same_digest(tmp_path: Path) -> None:
    class Interrupting:
        def page(self, page: Page) -> None:
            if page.number == 9:
                raise KeyboardInterrupt

    file, whole = tmp_path / "a.run", tmp_path / "b.run"
    end, _ = played(village(), file, 2, watch=lambda session: _watching(Interrupting()))
    assert (end.status, rounds_in(file)) == ("interrupted", 9)
    assert resume(file, workers=3).status == "finished"
    played(village(), whole, 1)
    assert chain_of(file) == chain_of(whole)


@pytest.mark.thorough
def test_after_a_kill_no_process_is_left_and_the_run_is_resumed(
    tmp_path: Path, launch: Callable[[list[str]], Any], typed: Any
) -> None:
    file = tmp_path / "a.run"
    words = (
        "run fishing_village --seed 2 --replicates 40 --rounds 200 --quiet --set ends_on=horizon"
    )
    process = launch([*words.split(), "--workers", "2", "--out", str(file)])
    children: list[int] = []
    while not file.exists() or rounds_in(file) < 20:
        children = _children_of(process.pid) or children
        assert process.is_alive()
    assert len(children) == 2
    process.kill()
    process.join()
    while any(map(_alive, children)):
        time.sleep(0.01)
    assert 20 <= rounds_in(file) < 200
    assert typed("resume", file, "--workers", 2).code == 0
    other = tmp_path / "b.run"
    assert typed(*words.split(), "--workers", 1, "--out", other).code == 0
    assert chain_of(file) == chain_of(other)
    assert typed("verify", file).code == 0


def _children_of(process: int) -> list[int]:
    with suppress(OSError):
        return [
            int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()
        ]
    return []


def _alive(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_what_several_slices_warn_of_is_said_once(tmp_path: Path) -> None:
    class Loud(Bidder):
        """Bids too much, in a way of which numpy warns, and by chance without a seed."""

        separable: ClassVar[bool] = True

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            return np.full(len(agents), 1.0) / 0.0

    said = []
    for workers in (1, 3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            played(society_of(Loud()), tmp_path / f"{workers}.run", workers)
        said.append([(one.category, str(one.message)) for one in caught])
    assert said[0] == said[1]
    assert [category for category, _ in said[0]] == [RuntimeWarning, WiringWarning]


def test_what_slices_have_warned_of_is_not_said_again_on_one_core(tmp_path: Path) -> None:
    class Leaving(Bidder):
        """Divides by zero, and does what only one core can play."""

        separable: ClassVar[bool] = True

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            late = agents.moment == 3 and agents.env.replicates < REPLICATES
            return np.full(len(agents), np.nan if late else 1 / np.float64(0))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        end, notes = played(society_of(Leaving()), tmp_path / "a.run", 2)
    assert (end.status, len(notes)) == ("finished", 1)
    assert [one.category for one in caught] == [RuntimeWarning, WiringWarning]
    assert "answered 'bid' with inf; expected 0 to 100" in str(caught[1].message)


@pytest.mark.parametrize(
    ("setup", "reason"),
    [
        (lambda: village(replicates=1), "there is one replicate"),
        (lambda: village(), ""),
        (
            lambda: build(load_config("language_village", {"replicates": 2})),
            "is no rule, and asks outside",
        ),
    ],
)
def test_only_rules_with_several_replicates_are_played_in_processes(
    setup: Callable[[], Society], reason: str
) -> None:
    assert one_core_reason(setup()).endswith(reason)
    assert bool(one_core_reason(setup())) == bool(reason)
