"""Attacks by way of sources and simulations: nothing leaks, is tampered with, or goes on for ever.

Each attack plays three rounds against a program that repays, which it can read and simulate.
"""

from __future__ import annotations

from textwrap import indent
from typing import NamedTuple

import numpy as np
import pytest

from society.sandbox.checker import check_programs
from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.match_batch import BatchResult, MatchBatch, play_batch
from society.sandbox.running.open_source import turn
from society.sandbox.stage_games import stage_game
from tests.sandbox.slow_runner import load_programs

GAME = stage_game("public_goods", 2, 3, factor=1.5)
VICTIM = """
class Victim:
    def __init__(self, game):
        self.seen, self.mine = [], game.my_source

    def act(self, history):
        self.seen.append(history.round_number)
        return C if len(self.seen) == history.round_number + 1 and len(self.mine) else D
"""


class Attack(NamedTuple):
    """The body of a decision, and a part of the sentence that stops it."""

    aim: str
    text: str
    sentence: str


def spy(body: str) -> str:
    """Write a program that attacks in each decision."""
    start = "class Spy:\n    def __init__(self, game):\n"
    start += "        self.game, self.mine, self.theirs = (\n"
    start += "            game, game.my_source, game.opponent_sources[0])\n\n"
    start += "    def result(self):\n        return simulate(self.theirs, self.theirs, 3)\n\n"
    return start + "    def act(self, history):\n" + indent(body, " " * 8) + "\n"


def meet(text: str, other: str = VICTIM) -> BatchResult:
    """Let the first program of a text meet another one."""
    programs = [load_programs(text)[0], load_programs(other)[0]]
    batch = MatchBatch(GAME, np.array([[0, 1]]), np.array([[1, 2]], np.uint64), open_source=True)
    return play_batch(programs, batch, AutomatonTables(), lambda _: None)


REFUSED = (
    Attack("leak", "return simulate.__globals__", "two underscores"),
    Attack("leak", "return simulate.__closure__[0]", "two underscores"),
    Attack("leak", "return self.result().__dict__", "two underscores"),
    Attack("leak", "return self.result().runnable", "the attribute `.runnable`"),
    Attack("leak", "return self.result().instance", "the attribute `.instance`"),
    Attack("leak", "return getattr(self.result(), 'se' + 'at')", "getattr"),
    Attack("leak", "return type(self.result())", "`type`"),
    Attack("leak", "return open_source", "neither defined nor offered"),
    Attack("leak", "return turn.seat", "neither defined nor offered"),
    Attack(
        "leak",
        "try:\n    return self.result()\nexcept Exception as error:\n    return error.args",
        "the attribute `.args`",
    ),
    Attack("tamper", "global simulate\nsimulate = None", "`global`"),
    Attack("tamper", "found = self.result()\nfound.moves = (D,)", "a change of `found.moves`"),
    Attack("tamper", "self.result().moves[0] = D", "a change of"),
    Attack("tamper", "self.game.my_source = ''", "a change of `self.game.my_source`"),
    Attack("tamper", "self.game.opponent_sources[0] = self.mine", "a change of"),
    Attack("tamper", "eval(self.theirs)", "`eval`"),
    Attack("tamper", "exec(self.theirs)", "`exec`"),
)


@pytest.mark.parametrize("attack", REFUSED, ids=lambda one: one.text[:40])
def test_the_checker_refuses(attack: Attack) -> None:
    (program,) = check_programs(spy(attack.text))
    assert not program.accepted
    assert attack.sentence in program.reason


FAILED = (
    Attack("tamper", "self.result().moves.append(D)", "AttributeError"),
    Attack("wrong type", "simulate(self, self.mine)", "not Spy"),
    Attack("wrong type", "simulate(self.theirs, history)", "not PlayerHistory"),
    Attack("wrong type", "simulate(None, self.mine)", "not NoneType"),
    Attack("wrong type", "simulate(C, self.mine)", "not Action"),
    Attack("wrong type", "simulate(self.theirs, [self])", "not Spy"),
    Attack("wrong type", "simulate(self.theirs, {self.mine: 1})", "not dict"),
    Attack("wrong type", "simulate(self.theirs, (one for one in [self.mine]))", "not generator"),
    Attack("wrong type", "simulate(self.theirs, self.mine, True)", "not bool"),
    Attack("wrong type", "simulate(self.theirs, self.mine, 1.0)", "not float"),
    Attack("wrong type", "simulate(self.theirs, self.mine, '1')", "not str"),
    Attack("wrong type", "simulate(self.theirs, self.mine, 1, self)", "TypeError"),
    Attack("wrong type", "simulate()", "TypeError"),
    Attack("leak", "simulate('class Mine: pass', self.mine)", "none has the text it took"),
    Attack("leak", "simulate(self.theirs + ' ', self.mine)", "none has the text it took"),
    Attack("leak", "simulate(self.theirs, [self.mine] * 2)", "in this game are 1"),
    Attack("denial", "simulate(self.theirs, self.mine, 10**9)", "1 to 3"),
    Attack("denial", "simulate(self.theirs, self.mine, 0)", "1 to 3"),
    Attack("denial", "simulate(self.theirs, self.mine, -1)", "1 to 3"),
    Attack("denial", "simulate(self.theirs, self.mine, np.int64(4))", "1 to 3"),
    Attack("denial", "simulate(self.theirs, [self.mine] * 20_000)", "in this game are 1"),
)


@pytest.mark.parametrize("attack", FAILED, ids=lambda one: one.text[:50])
def test_what_it_tries_is_an_error_of_its_own(attack: Attack) -> None:
    result = meet(spy(f"{attack.text}\nreturn C"))
    assert [one.kind for one in result.troubles] == ["error", "error", "errors"]
    assert {one.seat for one in result.troubles} == {0}
    assert attack.sentence in result.troubles[0].sentence
    assert result.actions.tolist() == [[[False] * 3, [True] * 3]]


STOPPED = (
    Attack("denial", "while True:\n    simulate(self.theirs, self.mine)", "100,000 steps"),
    Attack("denial", "simulate(self.mine, self.mine)", "more than 100 simulations"),
    Attack("denial", "simulate(self.mine, self.theirs, 3)", "more than 100 simulations"),
    Attack(
        "denial",
        "for one in map(simulate, [self.mine] * 9, [self.mine] * 9):\n    pass",
        "more than 100 simulations",
    ),
    Attack(
        "denial",
        "for _ in range(2):\n    try:\n        simulate(self.mine, self.mine)\n"
        "    except Exception:\n        pass",
        "more than 100 simulations",
    ),
    Attack(
        "denial",
        "simulate(self.mine, self.mine, history.round_number + 1)\n"
        "simulate(self.mine, self.mine, history.round_number + 1)",
        "more than 100 simulations",
    ),
)


@pytest.mark.parametrize("attack", STOPPED, ids=lambda one: one.text[:50])
def test_what_never_ends_is_stopped_and_hurts_nobody_else(attack: Attack) -> None:
    result = meet(spy(f"{attack.text}\nreturn C"))
    assert attack.sentence in result.troubles[0].sentence
    assert {one.seat for one in result.troubles} == {0}
    assert result.actions.tolist() == [[[False] * 3, [True] * 3]]
    assert (turn.seat, turn.depth) == (None, 0)


HARMLESS = {
    "it keeps simulate, and calls it in later rounds": """
class Spy:
    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]
        self.run = simulate

    def act(self, history):
        return self.run(self.theirs, self.mine).moves[0]
""",
    "it simulates from a generator of an earlier round": """
class Spy:
    def __init__(self, game):
        theirs = game.opponent_sources[0]
        self.later = (simulate(theirs, theirs, rounds).moves[-1] for rounds in [1, 2, 3])

    def act(self, history):
        return next(self.later)
""",
    "it simulates in a comparison and in a key of sorting": """
class Spy:
    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]

    def one(self, rounds):
        return len(simulate(self.theirs, self.theirs, rounds).moves)

    def act(self, history):
        return C if sorted([3, 1, 2], key=self.one) == [1, 2, 3] else D
""",
    "simulated programs remember nothing of each other": """
class Spy:
    SEEN = []

    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]

    def act(self, history):
        self.SEEN.append(1)
        if len(self.SEEN) != history.round_number + 1:
            return D
        for _ in range(5):
            again = simulate(self.theirs, [self.theirs], 3)
            if again.moves != (C, C, C) or again.against_moves != (C, C):
                return D
        return C
""",
    "what a simulated program stores in lists of its class is its own": """
class Spy:
    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]

    def act(self, history):
        first, second = (simulate(self.theirs, self.theirs, 3).moves for _ in range(2))
        return C if first == second == (C, C, C) else D
""",
}
KEEPS = """
class Keeps:
    SEEN = []

    def act(self, history):
        self.SEEN.append(history.round_number)
        return C if len(self.SEEN) == history.round_number + 1 else D
"""


@pytest.mark.parametrize("text", HARMLESS.values(), ids=[*HARMLESS])
@pytest.mark.parametrize("other", [VICTIM, KEEPS], ids=["instance", "class"])
def test_both_play_as_if_nobody_had_been_simulated(text: str, other: str) -> None:
    result = meet(text, other)
    assert result.troubles == []
    assert result.actions.tolist() == [[[True] * 3, [True] * 3]]


def test_an_exception_of_a_simulated_program_carries_nothing_out() -> None:
    thrower = """
class Thrower:
    def __init__(self, game):
        self.secret = [game]

    def act(self, history):
        raise ValueError(self, self.secret)
"""
    body = "try:\n    found = self.result()\nexcept Exception:\n    return D\n"
    result = meet(spy(f"{body}return C if found.fallbacks == 3 else D"), thrower)
    assert result.actions[0, 0].tolist() == [True] * 3
    assert {one.seat for one in result.troubles} == {1}


def test_what_a_simulated_program_does_to_its_chance_and_its_helpers_stays_there() -> None:
    deep = """
class Deep:
    def down(self, level):
        return self.down(level - 1) if level else C

    def act(self, history):
        random.seed(3)
        np.random.seed(3)
        return self.down(90)
"""
    body = """
drawn = [random.random(), np.random.random()]
self.result()
drawn += [random.random(), np.random.random()]
return C if len(set(drawn)) == 4 and self.down(90) else D

"""
    text = spy(body.strip()) + "\n    def down(self, level):\n"
    text += "        return self.down(level - 1) if level else self.result().fallbacks == 0\n"
    result = meet(text, deep)
    assert result.troubles == []
    assert result.actions[0].all()


def test_a_program_that_recurses_without_end_in_a_simulation_breaks_a_rule_of_its_own() -> None:
    endless = """
class Endless:
    def down(self):
        return self.down()

    def act(self, history):
        return self.down()
"""
    result = meet(spy("return C if self.result().fallbacks == 3 else D"), endless)
    assert [(one.seat, one.kind) for one in result.troubles] == [(1, "rule")]
    assert result.actions[0, 0].tolist() == [True] * 3


def test_stacks_of_sort_keys_inside_simulations_end_by_a_rule_before_they_crash_python() -> None:
    text = (
        spy("return C if self.down(90) else D")
        + """
    def down(self, level):
        if level:
            return sorted([level - 1], key=self.down)[0]
        return len(simulate(self.mine, self.theirs).moves)
"""
    )
    (trouble,) = meet(text).troubles
    assert trouble.sentence == "it broke a rule: RecursionError in a simulation"


def test_nothing_is_simulated_while_a_class_is_defined() -> None:
    text = "class Spy:\n    EARLY = simulate('a', 'b')\n\n    def act(self, history):\n"
    result = meet(text + "        return C\n")
    assert [one.kind for one in result.troubles] == ["errors"]
    assert "simulate runs while a game of open source is played" in result.troubles[0].sentence


def test_a_program_that_gives_simulate_another_meaning_has_only_that() -> None:
    own = """
def simulate(game, moves):
    return C


class Spy:
    def __init__(self, game):
        self.my_source = game.n_players

    def act(self, history):
        return simulate(self.my_source, 1)
"""
    (program,) = check_programs(own)
    assert (program.reads_sources, program.simulates) == (False, False)
    (mixed,) = load_programs(
        "class Spy:\n    def act(self, history):\n        return self.other() or simulate('', '')\n"
        "\n    def other(self):\n        simulate = None\n        return simulate\n"
    )
    assert not mixed.sees_sources
    batch = MatchBatch(GAME, np.array([[0, 0]]), np.zeros((1, 2), np.uint64), open_source=True)
    result = play_batch([mixed], batch, AutomatonTables(), lambda _: None)
    assert "RuntimeError: simulate runs while" in result.troubles[0].sentence


@pytest.mark.parametrize(
    ("line", "reads", "simulates"),
    [
        ("return C if self.game.my_source else D", True, False),
        ("return C if getattr(self.game, 'opponent_sources') else D", True, False),
        ("return simulate('', '').moves[0]", False, True),
        ("return C", False, False),
    ],
)
def test_the_checker_tells_who_reads_and_who_simulates(
    line: str, reads: bool, simulates: bool
) -> None:
    text = "class A:\n    def __init__(self, game):\n        self.game = game\n\n"
    text += f"    def act(self, history):\n        {line}\n"
    (program,) = check_programs(text)
    assert program.accepted, program.reason
    assert (program.reads_sources, program.simulates) == (reads, simulates)


def test_a_published_interface_does_not_have_simulate() -> None:
    text = "class A:\n    def __call__(self, history):\n        return simulate('', '')\n"
    (program,) = check_programs(text)
    assert program.reason == (
        "not allowed in A: `simulate`; only programs with act(self, history) have it"
    )
