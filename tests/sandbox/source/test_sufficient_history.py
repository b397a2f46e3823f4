"""Which part of the history decides a move, read off the source; and that it does decide it.

Each use is judged, and played: games with tables that know a lot must give a slow runner's moves.
"""

from __future__ import annotations

from textwrap import indent

import numpy as np
import pytest

from society.errors import SandboxError
from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.match_batch import MatchBatch, play_batch
from society.sandbox.source.play_analysis import analyse_play
from society.sandbox.source.sufficient_history import EVERY_ROUND, SufficientHistory
from society.sandbox.stage_games import stage_game
from tests.sandbox.slow_runner import load_programs, play_slowly
from tests.sweeps import all_but

COUNTS = "opponent_cooperators"
X = f"history.{COUNTS}"


def program(body: str, more: str = "") -> str:
    """Write a class that plays `good`, a number: C if it is at least 1."""
    start = "def __init__(self, game):\n    self.bar, self.others = 1, game.n_players - 1\n"
    empty = "if history.round_number == 0:\n    return C\n"
    act = "def act(self, history):\n" + indent(
        empty + body + "\nreturn C if good >= 1 else D", "    "
    )
    return "class Spy:\n" + indent(f"{start}\n{act}\n{more}", "    ")


def part(body: str, more: str = "") -> SufficientHistory:
    return analyse_play(program(body, more), "Spy").sufficient


IN_ANY_ORDER = [
    f"good = min({X})",
    f"good = max({X}) - 1",
    f"good = sorted({X})[0]",
    f"good = np.median({X})",
    f"good = {X}.max()",
    f"good = np.all({X} > 0)",
    f"good = ({X} >= 2).sum()",
    f"good = float(np.mean({X} > 1)) * 2",
    f"good = sum(1 for one in {X} if one >= self.bar * self.others)",
    f"good = len([one for one in {X} if one > 1])",
    f"good = all(one >= self.bar for one in {X})",
    f"good = any(one * 2 > self.others for one in {X})",
    f"good = sum(int(one) for one in {X}) - 5",
    f"good = sum(one > 1 for one in {X})",
    f"good = 0\nfor one in {X}:\n    if one >= self.bar:\n        good += 1",
    f"good = 0\nfor one in {X}:\n    if one > 2:\n        good = 1",
    f"up = 0\ndown = 0\nfor one in {X}:\n    if one > 1:\n        up += one\n    elif one < 1:\n"
    "        down += 1\ngood = up - down",
    f"x = {X}\ngood = max(x)",
]


@pytest.mark.parametrize("body", IN_ANY_ORDER)
def test_counting_and_comparing_takes_the_values_in_any_order(body: str) -> None:
    found = part(body)
    assert (found.whole, found.bags, found.rounds) == (False, {COUNTS}, EVERY_ROUND)


IN_THEIR_ORDER = [
    f"good = sum(one / 3 for one in {X})",  # fractions are rounded on the way
    f"good = sum([one * 0.1 for one in {X}])",
    f"good = np.std({X})",
    f"good = np.dot({X}, np.arange(len({X})))",
    f"good = list({X})[0]",
    f"good = max(one * 0.0 for one in {X})",  # 0.0 or -0.0
    f"good = any(1 // int(one) for one in {X})",  # fails at some values
    f"good = any(one > 1 and self.missing for one in {X})",
    f"good = sum(1 for one in {X} if one > 1 if self.missing)",
    f"good = sum(1 for one in {X} if 0 < one < 3)",
    f"good = len([self.note(one) for one in {X}])",
    f"good = sum(1 for one in enumerate({X}) if one[1] > 1)",
    f"good = 0\nfor one in {X}:\n    if one > good:\n        good += 1",
    f"good = 0.1\nfor one in {X}:\n    good += one",
    f"good = 0\nfor one in {X}:\n    if one > 1:\n        good = 1\n    else:\n        good = 0",
    f"good = 0\nfor one in {X}:\n    if one > 1:\n        break\n    good += 1",
    f"good = 0\nfor one in {X}:\n    good += 1\ngood = one",
    f"good = 0\nfor one in {X}:\n    if one > 1:\n        if self.missing:\n            good += 1",
    f"for one in {X}:\n    self.bar += 1\ngood = 0",
    f"good = 0\nfor one in {X}:\n    good += 1\n    self.note(one)",
    f"min = lambda x: x[0]\ngood = min({X})",
    f"good = np.all({X} > history.my_actions)",
    f"good = np.all({X} > self.bar)",  # it might be an array
    f"good = max({X}, key=lambda one: -one)",
    f"good = any(int(one * 1e308) >= 1 for one in {X})",  # fails at some values
    f"good = any(int(int(one) * self.bar) >= 1 for one in {X})",
    f"good = 0\ntry:\n    for one in {X}:\n        good += one\n        if one > self.missing:\n"
    "            good += 1\nexcept AttributeError:\n    pass",
    f"up = False\nfor one in {X}:\n    up += one > 1\n    if one < 1:\n        up += 1\ngood = up",
]
NOTE = "def note(self, one):\n    self.missing = one\n    return one"


@pytest.mark.parametrize("body", IN_THEIR_ORDER)
def test_what_may_depend_on_the_order_counts_as_the_whole_history(body: str) -> None:
    assert part(body, NOTE).whole


COUNTED = [
    ("good = int(np.count_nonzero(history.my_actions) % 2)", set(), {"my_actions"}),
    (f"good = int(np.count_nonzero({X}) % 2)", {COUNTS}, set()),
]


@pytest.mark.parametrize(("body", "bags", "sums"), COUNTED)
def test_counting_what_is_not_zero_adds_up_moves_alone(
    body: str, bags: set[str], sums: set[str]
) -> None:
    assert (part(body).bags, part(body).sums) == (bags, sums)
    assert part("good = int(np.count_nonzero(history.my_payoffs) % 2)").whole


def test_a_smallest_of_what_may_be_no_number_bounds_nothing() -> None:
    body = "good = min(history.round_number, min(self.bar, 2)) % 2"
    assert part(body).rounds == EVERY_ROUND


@pytest.mark.parametrize("more", ["share = len", "class share:\n    pass"])
def test_a_method_whose_name_means_something_else_is_not_followed(more: str) -> None:
    assert part(f"good = self.share({X}) % 2", f"{SHARE}\n\n{more}").whole


def test_nothing_is_imported_under_the_name_of_a_builtin() -> None:
    text = f"from math import comb as min\n{program('good = min(3, 2)')}"
    with pytest.raises(SandboxError, match="`comb` under the name of Python's `min`"):
        load_programs(text)


def test_properties_may_count_their_readings_so_that_order_matters() -> None:
    more = "@property\ndef low(self):\n    self.bar += 1\n    return self.bar"
    assert part(f"good = any(one > self.bar for one in {X})", more).whole


LOOP = f"    good += {X}[-back]"
WINDOWS = [
    (f"good = 0\nfor back in range(1, min(history.round_number, 4) + 1):\n{LOOP}", 4),
    (f"good = sum({X}[-back] for back in range(1, min(3, len({X})) + 1))", 3),
    (f"n = history.round_number\ngood = 0\nfor back in range(1, min(n, 2) + 1):\n{LOOP}", 2),
    (f"good = self.share({X}) - 1", 2),
]
SHARE = "def share(self, counts):\n    return int(counts[-1]) + int(counts[-2:][0])"


@pytest.mark.parametrize(("body", "length"), WINDOWS)
def test_loops_with_bounds_and_methods_read_a_window(body: str, length: int) -> None:
    found = part(body, SHARE)
    assert (found.whole, found.tails) == (False, {COUNTS: length})


BOUNDED = "good = 0\nfor back in range(1, min(history.round_number, 3) + 1):\n"
NO_WINDOWS = [
    f"good = 0\nfor back in range(1, history.round_number + 1):\n{LOOP}",
    f"good = 0\nfor back in range(0, min(history.round_number, 3)):\n{LOOP}",
    f"{BOUNDED}    back = 1\n{LOOP}",
    f"good = self.keep({X})",
    f"good = self.deep({X}, 3)",
]
KEEP = """
def keep(self, counts):
    self.kept = counts
    return 1

def deep(self, counts, n):
    return counts[-n] if n < 2 else self.deep(counts, n - 1)
"""


@pytest.mark.parametrize("body", NO_WINDOWS)
def test_windows_without_bounds_count_as_the_whole_history(body: str) -> None:
    assert part(body, KEEP).whole


OTHERS = """
class Lucky:
    def act(self, history):
        return C if random.random() < 0.5 else D
"""


@pytest.mark.parametrize(
    "name", all_but(["collective_risk"], ["public_goods", "collective_risk", "common_pool"])
)
def test_programs_play_as_they_do_one_by_one_whatever_tables_know(name: str) -> None:
    bodies = [(body, "") for body in IN_ANY_ORDER] + [(body, NOTE) for body in IN_THEIR_ORDER]
    bodies += [(body, SHARE) for body, _ in WINDOWS] + [(body, KEEP) for body in NO_WINDOWS]
    game = stage_game(name, 4, 8)  # type: ignore[arg-type]
    programs = [one for body in bodies for one in load_programs(program(*body))]
    programs += load_programs(OTHERS)
    lucky, tables = len(programs) - 1, AutomatonTables()
    for seed in range(3):
        seats = np.array([[one, lucky, lucky, lucky] for one in range(lucky)])
        seeds = np.arange(seats.size, dtype=np.uint64).reshape(seats.shape) + np.uint64(1000 * seed)
        batch = MatchBatch(game, seats, seeds)
        expected, _ = play_slowly(programs, batch)
        assert play_batch(programs, batch, tables, lambda _: None).actions.tolist() == expected
