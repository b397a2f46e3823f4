"""A pool plays what programs decide, whatever its workers suffer, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from society.errors import SandboxError
from society.sandbox.checker import check_programs
from society.sandbox.matches.live_calls import (
    AnswerCall,
    CallOutcome,
    DecisionCall,
    Notice,
    SocietySetting,
)
from society.sandbox.matches.match_batch import BatchResult, MatchBatch
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import Failure
from society.sandbox.source.play_analysis import analyse_play
from society.sandbox.stage_games import stage_game
from society.sandbox.workers import program_pool, worker_processes
from society.sandbox.workers.jail import JailReport
from society.sandbox.workers.jail_limits import JailLimits
from society.sandbox.workers.program_pool import ProgramPool
from society.sandbox.workers.replies import parse_play
from tests.sandbox.workers.kernel_lists import gone, open_sockets, processes_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")

HARMLESS = """
class Always:
    def act(self, history):
        return C

class Alternates:
    def act(self, history):
        return D if history.round_number % 2 else C

class Repays:
    def __init__(self, game):
        self.others = game.n_players - 1
        self.grudges = 0

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < self.others:
            self.grudges += 1
        return C if self.grudges < 2 else D

class Tosses:
    def act(self, history):
        return C if random.random() < 0.5 else D

class Stumbles:
    def act(self, history):
        if history.round_number == 1:
            raise ValueError("no idea")
        return C
"""

# What no checker would accept: the operating system, found through a class that is there anyway.
REACH = """
def reach():
    kinds = ().__class__.__base__.__subclasses__()
    return [one for one in kinds if one.__name__ == "_wrap_close"][0].__init__.__globals__
"""
UNCHECKED = {
    "Ends": "reach()['_exit'](3)",
    "Aborts": "reach()['abort']()",
    "Hangs": "[0] * 10**7 == [0] * 10**7\n        while history.round_number == 3: pass",
    "Floods": "reach()['write'](1, b'x' * 10**7)",
    "Lies": "reach()['write'](1, b'2' + b'\\0' * 7 + b'{}' + b' ' * 48)\n        while True: pass",
    "Hoards": "self.hoard = [b'x' * 10**9 for _ in range(9)]",
    "Forks": "reach()['fork']()",
    "Opens": "reach()['open']('/etc/passwd', 0)",
    "Writes": "reach()['open']('/tmp/escaped', 65)",
    "Kills": "reach()['kill'](1, 9)",
}


def checked(text: str) -> list[LoadedProgram]:
    return [one.loaded("D") for one in check_programs(dedent(text)) if one.accepted]


def unchecked(name: str) -> LoadedProgram:
    """A program that attacks in its third round, as no checker would let it."""
    text = f"class {name}:\n    def act(self, history):\n        if history.round_number < 2:\n"
    text += f"            return C\n        {UNCHECKED[name]}\n        return C\n"
    code = compile(REACH + text, f"<program {name}>", "exec")
    return LoadedProgram(
        name=name,
        code=code,
        source=text,
        interface="society",
        fallback="D",
        random=True,
        keeps_state=True,
        reads=frozenset({"round_number"}),
        analysis=analyse_play(text, name),
    )


ALWAYS, ALTERNATES, REPAYS, TOSSES, STUMBLES = range(5)
FIRST_ATTACKER = 5
PROGRAMS = [*checked(HARMLESS), *map(unchecked, UNCHECKED)]
ATTACKER = {name: FIRST_ATTACKER + place for place, name in enumerate(UNCHECKED)}
GAME = stage_game("public_goods", 3, 6)
QUICK = JailLimits(silence=0.5, memory=512 << 20)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProgramPool]:
    with ProgramPool(2, QUICK) as started:
        started.load(PROGRAMS)
        yield started


def batch(*seats: Sequence[int], disqualified: Sequence[int] = ()) -> MatchBatch:
    table = np.array(seats)
    seeds = np.arange(table.size, dtype=np.uint64).reshape(table.shape)
    return MatchBatch(GAME, table, seeds, frozenset(disqualified))


def moves(result: BatchResult) -> list[list[str]]:
    """Each seat's moves, by game."""
    return [["".join("DC"[int(move)] for move in seat) for seat in game] for game in result.actions]


def test_moves_are_those_of_the_programs(pool: ProgramPool) -> None:
    result = pool.play(batch([ALWAYS, ALTERNATES, REPAYS], [ALWAYS, ALWAYS, REPAYS]))
    assert moves(result) == [["CCCCCC", "CDCDCD", "CCCCDD"], ["CCCCCC"] * 3]
    assert result.troubles == []


def test_all_layers_of_the_jail_hold(pool: ProgramPool) -> None:
    pool.play(batch([ALWAYS] * 3))
    assert pool.jail is not None
    assert pool.jail.lacks() == []


def test_an_error_is_told_with_its_place_in_the_whole_batch(pool: ProgramPool) -> None:
    games = [[ALWAYS] * 3] * 4 + [[ALWAYS, STUMBLES, ALWAYS]]
    result = pool.play(batch(*games))
    assert moves(result)[4] == ["CCCCCC", "CDCCCC", "CCCCCC"]
    (trouble,) = result.troubles
    assert (trouble.game, trouble.seat, trouble.round, trouble.program) == (4, 1, 1, STUMBLES)
    assert trouble.sentence == "it raised ValueError: no idea"
    assert trouble.line == 27


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Ends", "it ended its worker, with status 3"),
        ("Aborts", "it crashed Python"),
        ("Hangs", "a call did not end within 0.5 s"),
        ("Floods", "its worker wanted to answer with 8680820740569200760 bytes"),
        ("Hoards", "it used more memory than a worker may"),
        ("Lies", "its worker answered what cannot be: actions: Field required"),
    ],
)
def test_who_breaks_its_worker_is_disqualified(pool: ProgramPool, name: str, sentence: str) -> None:
    guilty = ATTACKER[name]
    result = pool.play(batch([ALWAYS, guilty, REPAYS], [ALWAYS, ALWAYS, REPAYS]))
    assert moves(result) == [["CCCCCC", "DDDDDD", "CCDDDD"], ["CCCCCC"] * 3]
    (trouble,) = result.troubles
    assert trouble[:5] == (0, 1, 0, guilty, "jail")
    assert trouble.sentence == sentence


@pytest.mark.parametrize("name", ["Forks", "Opens", "Writes", "Kills"])
def test_what_the_jail_refuses_is_an_error_like_others(pool: ProgramPool, name: str) -> None:
    result = pool.play(batch([ALWAYS, ATTACKER[name], ALWAYS]))
    assert moves(result) == [["CCCCCC", "CCDDDD", "CCCCCC"]]
    assert {one.program for one in result.troubles} == {ATTACKER[name]}


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    rng = np.random.default_rng(5)
    choice = [ALWAYS, ALTERNATES, REPAYS, TOSSES, STUMBLES, ATTACKER["Ends"], ATTACKER["Aborts"]]
    played = batch(*rng.choice(choice, (12, 3)).tolist())
    found = []
    for workers in (1, 2, 3):
        with ProgramPool(workers, QUICK) as pool:
            pool.load(PROGRAMS)
            found.append(pool.play(played))
    assert all(np.array_equal(one.actions, found[0].actions) for one in found)
    assert all(one.troubles == found[0].troubles for one in found)
    assert {one.kind for one in found[0].troubles} == {"error", "jail"}


def test_what_was_played_before_changes_nothing(pool: ProgramPool) -> None:
    played = batch([TOSSES, REPAYS, ALTERNATES])
    first = pool.play(played)
    pool.play(batch([TOSSES, ATTACKER["Ends"], TOSSES]))
    again = pool.play(played)
    assert moves(first) == moves(again)


def test_the_disqualified_are_never_run(pool: ProgramPool) -> None:
    guilty = ATTACKER["Hangs"]
    result = pool.play(batch([ALWAYS, guilty, ALWAYS], disqualified=[guilty]))
    assert moves(result) == [["CCCCCC", "DDDDDD", "CCCCCC"]]
    assert result.troubles == []


def decision(program: int, rounds: int, key: str = "game 1", seed: int = 4) -> DecisionCall:
    """A decision after so many rounds in which all others defected."""
    actions = np.zeros((rounds, 3), bool)
    return DecisionCall(program, seed, key, GAME, actions, GAME.paid(actions))


def test_a_decision_depends_on_the_path_alone(pool: ProgramPool) -> None:
    def asked(rounds: Iterable[int]) -> list[Any]:
        return [pool.decide([decision(TOSSES, one)])[0].value for one in rounds]

    forwards = asked(range(8))
    assert set(forwards) == {True, False}
    assert asked(reversed(range(8))) == forwards[::-1]
    assert asked([7, 7, 0, 5]) == [forwards[7], forwards[7], forwards[0], forwards[5]]


def test_instances_of_different_games_do_not_share_what_they_remember(pool: ProgramPool) -> None:
    calls = [decision(REPAYS, one, key) for one in range(4) for key in ("game 1", "game 2")]
    assert [one.value for one in pool.decide(calls)] == [True] * 4 + [False] * 4


def test_a_decision_that_breaks_its_worker_is_the_fallback(pool: ProgramPool) -> None:
    calls = [decision(ALWAYS, 2), decision(ATTACKER["Ends"], 2), decision(ATTACKER["Ends"], 0)]
    assert pool.decide(calls) == [
        CallOutcome(True, None),
        CallOutcome(False, Failure("jail", "it ended its worker, with status 3")),
        CallOutcome(True, None),
    ]


def test_a_decision_that_fails_names_its_line(pool: ProgramPool) -> None:
    failure = Failure("error", "it raised ValueError: no idea", 27)
    assert pool.decide([decision(STUMBLES, 1)]) == [CallOutcome(False, failure)]


VILLAGER = """
class Villager:
    def __init__(self, game):
        self.caught = 0.0

    def notice_harvested(self, facts):
        self.caught += facts.payoff

    def answer_effort(self, facts):
        return min(self.caught + facts.stock.sum(), 9.5)

    def answer_norm(self, facts):
        return {"text": "take " + str(facts.fair), "weight": np.float64(0.5)}

    def answer_draw(self, facts):
        return random.random()

    def answer_list(self, facts):
        return [1, 2]

    def answer_nan(self, facts):
        return float("nan")

    def act(self, history):
        return C
"""
VILLAGE = SocietySetting("fishing_village", players=4, rounds=10)
HARVESTED = Notice("harvested", {"payoff": 1.25})


def question(kind: str, notices: int = 0, draw: int = 0, **facts: Any) -> AnswerCall:
    return AnswerCall(0, 1, "agent 3", VILLAGE, [HARVESTED] * notices, kind, facts, draw)


@pytest.fixture(scope="module")
def village() -> Iterator[ProgramPool]:
    with ProgramPool(2, QUICK) as started:
        started.load(checked(VILLAGER))
        yield started


def test_a_question_is_answered_from_all_news_before(village: ProgramPool) -> None:
    stock = np.array([1.0, 2.0])
    calls = [question("effort", told, stock=stock) for told in (0, 2, 1, 9)]
    assert [one.value for one in village.answer(calls)] == [3.0, 5.5, 4.25, 9.5]


def test_a_form_is_answered_by_fields(village: ProgramPool) -> None:
    (found,) = village.answer([question("norm", fair=3)])
    assert found == CallOutcome({"text": "take 3", "weight": 0.5}, None)


def test_an_answers_chance_is_its_own(village: ProgramPool) -> None:
    calls = [question("draw", draw=draw) for draw in (1, 2, 1)]
    first, second, third = (one.value for one in village.answer(calls))
    assert first == third != second


@pytest.mark.parametrize(("kind", "came"), [("list", "list"), ("nan", "float")])
def test_what_is_no_answer_is_told(village: ProgramPool, kind: str, came: str) -> None:
    (found,) = village.answer([question(kind)])
    assert found.value is None
    assert found.failure is not None
    assert f"a value of type {came} that is no answer" in found.failure.sentence


def test_a_question_that_nobody_can_answer_is_an_error(village: ProgramPool) -> None:
    (found,) = village.answer([question("weather")])
    assert found.value is None
    assert found.failure is not None
    assert "answer_weather" in found.failure.sentence


def reply(**changed: Any) -> dict[str, Any]:
    trouble: dict[str, Any] = {"game": 0, "seat": 1, "round": 2, "program": 1}
    trouble |= {"kind": "error", "sentence": "oh", "line": 3}
    given = {"actions": "AAAA", "troubles": [{**trouble, **changed.pop("trouble", {})}]}
    return {**given, **changed}


def test_an_honest_reply_is_read() -> None:
    result = parse_play(batch([0, 1, 2]), reply())
    assert moves(result) == [["DDDDDD"] * 3]
    assert result.troubles[0].sentence == "oh"


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ({"actions": "AAA"}, "actions: no base64"),
        ({"actions": "AAAAAAAA"}, "actions: 6 bytes for 18 moves"),
        ({"actions": "\u00e4"}, "actions: no base64"),
        ({"actions": 7}, "actions: Input should be a valid string"),
        ({"actions": None}, "actions: Input should be a valid string"),
        ({"troubles": {}}, "troubles: Input should be a valid list"),
        ({"more": 1}, "more: Extra inputs are not permitted"),
        ({"trouble": {"game": 1}}, "no game 1, seat 1, round 2"),
        ({"trouble": {"game": -1}}, "game: Input should be greater than or equal to 0"),
        ({"trouble": {"seat": 3}}, "no game 0, seat 3, round 2"),
        ({"trouble": {"seat": True}}, "seat: Input should be a valid integer"),
        ({"trouble": {"round": 6}}, "no game 0, seat 1, round 6"),
        ({"trouble": {"round": 1.0}}, "round: Input should be a valid integer"),
        ({"trouble": {"program": 2}}, "program 2 does not sit there"),
        ({"trouble": {"program": 10**30}}, "program: Input should be less than 2147483648"),
        ({"trouble": {"kind": "jail"}}, "kind: Input should be 'error', 'rule' or 'errors'"),
        ({"trouble": {"sentence": "x" * 301}}, "sentence: String should have at most 300"),
        ({"trouble": {"line": "3"}}, "line: Input should be a valid integer"),
        ({"mistake": "KeyError: 'x'"}, "the runner broke off with KeyError: 'x'"),
    ],
)
def test_a_lie_is_told_by_its_field(lie: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=r"(?s).+") as error:
        parse_play(batch([0, 1, 2]), reply(**lie))
    assert said in str(error.value)


def test_sentences_of_programs_cannot_control_a_terminal() -> None:
    result = parse_play(batch([0, 1, 2]), reply(trouble={"sentence": "\x1b[31mred"}))
    assert result.troubles[0].sentence == "\\x1b[31mred"


def test_a_missing_layer_is_named_with_the_way_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JailReport, "lacks", lambda _: ["landlock"])
    before = open_sockets()
    with ProgramPool(1, QUICK) as strict, pytest.raises(SandboxError) as error:
        strict.play(batch([ALWAYS] * 3))
    assert open_sockets() <= before
    assert "a layer of their jail is missing: landlock" in str(error.value)
    assert 'confinement="any"' in str(error.value)


def test_any_confinement_goes_on_and_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JailReport, "lacks", lambda _: ["landlock"])
    with ProgramPool(2, QUICK, "any") as lenient:
        lenient.load(PROGRAMS)
        with pytest.warns(match="without a layer of the jail: landlock") as warned:
            lenient.play(batch([ALWAYS] * 3, [ALWAYS] * 3))
        assert len(warned) == 1


def test_without_confinement_no_layer_is_put_on() -> None:
    with ProgramPool(1, QUICK, "none") as bare:
        bare.load(PROGRAMS)
        assert moves(bare.play(batch([ALWAYS] * 3))) == [["CCCCCC"] * 3]
        assert bare.jail == JailReport((), {})


def test_other_systems_are_told_of_the_portable_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxError, match=r"Linux only, and this is darwin; .*monty"):
        ProgramPool()


def test_a_closed_pool_starts_again() -> None:
    pool = ProgramPool(1, QUICK)
    pool.load(PROGRAMS)
    first = pool.play(batch([TOSSES] * 3))
    pool.close()
    pool.close()
    assert moves(pool.play(batch([TOSSES] * 3))) == moves(first)
    pool.close()


INTERRUPTED = """
import os, signal, sys, threading
from society.sandbox.workers.jail_limits import JailLimits
from society.sandbox.workers.program_pool import ProgramPool
from tests.sandbox.workers.test_program_pool import ATTACKER, ALWAYS, PROGRAMS, batch, moves
pool = ProgramPool(1, JailLimits(silence=30.0))
pool.load(PROGRAMS)
pool.play(batch([ALWAYS] * 3))
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    pool.play(batch([ALWAYS, ATTACKER["Hangs"], ALWAYS]))
except KeyboardInterrupt:
    print(moves(pool.play(batch([ALWAYS] * 3))))
"""


def test_a_pool_that_was_interrupted_plays_on_and_leaves_no_process() -> None:
    """It is not closed here either: the end of Python closes it."""
    words = [sys.executable, "-c", INTERRUPTED]
    # The pipe of errors closes when the last process of the family has gone.
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "[['CCCCCC', 'CCCCCC', 'CCCCCC']]\n", done.stderr


@pytest.mark.parametrize("exchanges", [0, 1, 2], ids=["start", "load", "play"])
def test_a_pool_that_was_interrupted_at_any_step_plays_on(
    monkeypatch: pytest.MonkeyPatch, exchanges: int
) -> None:
    """Its worker still has an answer to give, which belongs to nothing that is asked later."""
    exchange, left = worker_processes.exchange, iter(range(exchanges))

    def interrupted(*arguments: Any) -> Any:
        if next(left, None) is not None:
            return exchange(*arguments)
        for worker, task in arguments[0].items():
            worker.connection.send(task.request)
        raise KeyboardInterrupt

    before = open_sockets()
    with ProgramPool(1, QUICK) as pool:
        pool.load(PROGRAMS)
        monkeypatch.setattr(program_pool, "exchange", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.play(batch([ALWAYS] * 3))
        assert open_sockets() <= before
        monkeypatch.undo()
        assert moves(pool.play(batch([ALWAYS] * 3))) == [["CCCCCC"] * 3]


def test_a_pool_whose_processes_have_gone_says_so_once_and_plays_on() -> None:
    before = processes_of(os.getpid())
    with ProgramPool(1, QUICK) as pool:
        pool.load(PROGRAMS)
        pool.play(batch([ALWAYS] * 3))
        family = processes_of(os.getpid()) - before
        assert len(family) == 3, "a keeper, a zygote, a worker"
        for process in family:
            with suppress(ProcessLookupError):  # it ended with one before it
                os.kill(process, signal.SIGKILL)
        assert all(map(gone, family))
        with pytest.raises(SandboxError, match="the process that starts workers has ended"):
            pool.play(batch([ALWAYS] * 3))
        assert moves(pool.play(batch([ALWAYS] * 3))) == [["CCCCCC"] * 3]


def test_a_forked_copy_of_a_pool_does_not_close_it(pool: ProgramPool) -> None:
    pool.play(batch([ALWAYS] * 3))
    held = len(open_sockets())
    child = os.fork()
    if child == 0:
        pool.close()
        os._exit(len(open_sockets()))
    kept = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert kept <= held - 2, "it lets go of those to the zygote and to the workers"
    assert moves(pool.play(batch([ALWAYS] * 3))) == [["CCCCCC"] * 3]


def test_threads_take_turns_with_a_pool(pool: ProgramPool) -> None:
    calls = [[decision(TOSSES, one % 5, seed=one)] for one in range(40)]
    one_by_one = [pool.decide(call) for call in calls]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(pool.decide, calls)) == one_by_one


@pytest.mark.thorough
def test_a_worker_is_replaced_before_its_processor_time_ends() -> None:
    with ProgramPool(1, JailLimits(processor=1)) as short_lived:
        short_lived.load(PROGRAMS)
        played = [short_lived.play(batch(*[[TOSSES, REPAYS, TOSSES]] * 1500)) for _ in range(12)]
    assert all(np.array_equal(one.actions, played[0].actions) for one in played)
    assert all(one.troubles == [] for one in played)


HOARDERS = """
class Hoarder:
    def __init__(self, game):
        self.kept = []

    def act(self, history):
        self.kept.append([[0] * 20_000 for _ in range(16)])
        return C


class Frugal:
    def act(self, history):
        return C if len([[0] * 20_000 for _ in range(60)]) > 90 * random.random() else D


class Greedy:
    def act(self, history):
        kept = []
        while random.random() < 1:
            kept = [kept, np.ones(250_000) + 1]
        return C
"""


@pytest.mark.thorough
@pytest.mark.parametrize("workers", [1, 2])
def test_memory_that_another_program_fills_is_nobody_elses_fault(workers: int) -> None:
    """Frugal finds no memory where Hoarder has kept it."""
    limits = replace(QUICK, memory=24 << 20)
    with ProgramPool(workers, limits) as pool:
        pool.load(checked(HOARDERS))
        result = pool.play(batch([0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1]))
    told = [(one.program, one.sentence) for one in result.troubles]
    assert told == [(0, "it used more memory than a worker may")]
    assert "C" in moves(result)[3][0]


def test_a_program_that_asks_for_all_memory_at_once_is_blamed() -> None:
    with ProgramPool(1, replace(QUICK, memory=24 << 20)) as pool:
        pool.load(checked(HOARDERS))
        result = pool.play(batch([1, 2, 1]))
    assert [one.program for one in result.troubles] == [2]


def test_an_instance_that_finds_memory_full_is_asked_again_in_a_new_worker() -> None:
    with ProgramPool(1, replace(QUICK, memory=24 << 20)) as pool:
        pool.load(checked(HOARDERS))
        calls = [
            DecisionCall(program, 1, str(key), GAME, np.zeros((4, 3), bool), np.zeros((4, 3)))
            for key in range(3)
            for program in (0, 1)
        ]
        outcomes = pool.decide(calls)
    assert [one.failure for one in outcomes] == [None] * 6
