"""A file of programs is read class by class, and each is told apart from its neighbours."""

from __future__ import annotations

import marshal
import re

import numpy as np
import pytest

from society.errors import SandboxError
from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.running import facades
from society.sandbox.running.offered_numpy import openable_method

from .program_play import four_players, only_program, play


def decides(body: str, *, start: str = "pass") -> CheckedProgram:
    """Check a program with this decision and this beginning."""
    return only_program(
        f"class Spy:\n    def __init__(self, game):\n        {start}\n\n"
        f"    def act(self, history):\n        {body}\n        return C\n"
    )


def test_one_bad_class_refuses_only_itself() -> None:
    text = """
LIMIT = 2

def bad():
    return open("x")

class Good:
    def act(self, history):
        return C if history.round_number < LIMIT else D

class Bad:
    def act(self, history):
        return bad()
"""
    good, bad = check_programs(text)
    assert good.accepted
    assert not bad.accepted
    assert bad.line == 5
    assert bad.reason == "not allowed in Bad: `open`; programs reach no files, and read no code"


def test_the_source_of_a_program_holds_what_it_needs_and_nothing_else() -> None:
    text = "A = 1\nB = 2\n\nclass Spy:\n    def act(self, history):\n        return C if A else D\n"
    assert only_program(text).source.startswith("A = 1\n\nclass Spy:")


def test_a_base_that_plays_is_a_program_too() -> None:
    text = """
class Base:
    def act(self, history):
        return C

class Derived(Base):
    def __init__(self, game):
        self.game = game
"""
    assert [one.name for one in check_programs(text) if one.accepted] == ["Base", "Derived"]


FILES = [
    ("def (", "x.py:1: this is not Python"),
    ("x = 1\n", "x.py: there is no class that plays"),
    ("class A:\n    pass\n\nclass A:\n    pass\n", "x.py:4: A is defined twice, first in line 1"),
    ("x = '" + "a" * 3_000 + "'", "x.py:1: a line of 3,006 characters"),
    ("\n" * 4_000_001, "at most 4,000,000"),
    ("a = 1\0", "x.py:1: a null character"),
    ("x = " + "(" * 300, "x.py:1: this is not Python: too many nested parentheses"),
    ("x = " + "not \\\n" * 20_000 + "1", "nested too deeply for Python"),
    ("x = '\udc80'", "this is not Python"),
]


@pytest.mark.parametrize(("text", "sentence"), FILES, ids=lambda one: str(one)[:30])
def test_a_file_that_cannot_be_read_says_where(text: str, sentence: str) -> None:
    with pytest.raises(SandboxError, match=re.escape(sentence)):
        check_programs(text, filename="x.py")


TOPS = ["if {}x:\n    pass", "y = {}x", "{}x", "@{}x\nclass B:\n    pass"]


@pytest.mark.parametrize("top", TOPS)
def test_depth_at_the_top_of_a_file_is_no_danger(top: str) -> None:
    program = "class A:\n    def act(self, history):\n        return C\n"
    found = check_programs(top.format("not \\\n" * 900) + f"\n{program}")
    assert found[-1].name == "A"


def test_what_stands_under_a_question_for_main_is_left_out() -> None:
    program = "class A:\n    def act(self, history):\n        return C\n"
    assert only_program(f"{program}\nif __name__ == '__main__':\n    A(3)\n").accepted


def test_an_option_opens_a_name_of_numpy() -> None:
    text = "class Spy:\n    def act(self, history):\n        return np.kaiser(3, 1)\n"
    assert "--allow numpy.kaiser adds it" in check_programs(text)[0].reason
    opened = check_programs(text, allow=["numpy.kaiser"])[0]
    assert opened.accepted
    assert opened.code is not None
    kind = facades.define(opened.code, "Spy", facades.make_namespace())
    window = facades.new_instance(kind, None).act(facades.new_history())
    assert window.tolist() == np.kaiser(3, 1).tolist()


def test_a_program_sets_attributes_of_its_own_objects_and_knows_its_name() -> None:
    text = """
class Count:
    def __init__(self):
        self.bad = 0

class Patient:
    def __init__(self, game):
        self.count = Count()

    def act(self, history):
        if history.round_number and history.opponent_cooperators[-1] < 2:
            self.count.bad += len(type(self).__name__) - len("Patien")
        return C if self.count.bad < 2 and self.__class__.__name__ == "Patient" else D
"""
    (patient,) = check_programs(text)
    assert patient.keeps_state
    assert play(patient, patient.code, four_players("public_goods")) == "CCCCDDDDD"


def test_an_attribute_that_no_class_of_its_own_sets_is_refused() -> None:
    found = decides("self.a.size = 1", start="self.a = np.zeros(2)")
    assert found.reason == (
        "not allowed in Spy: a change of `self.a.size`; set attributes of self, or those that a "
        "class of this file sets on its own instances"
    )


PUTS = """
class Spy:
    def __init__(self, game):
        self.a = np.zeros(2)

    def act(self, history):
        self.a.put(1, self.a[1] + 1)
        return C if self.a[1] % 2 else D
"""


def test_an_option_opens_a_method_of_arrays() -> None:
    assert "`.put`; --allow ndarray.put adds it, as a method of arrays" in (
        check_programs(PUTS)[0].reason
    )
    opened = check_programs(PUTS, allow=["ndarray.put"])[0]
    assert opened.keeps_state
    assert play(opened, opened.code, four_players("public_goods")) == "CDCDCDCDC"


def test_methods_of_arrays_that_an_option_can_open_are_known() -> None:
    # One that a new numpy adds has to be looked at: does it reach memory, or change its array?
    assert {name for name in dir(np.ndarray) if openable_method(name)} == {"device", "mT", "put"}


@pytest.mark.parametrize("name", ["base", "ctypes", "data", "setflags", "tofile", "view"])
def test_no_option_opens_the_memory_of_arrays(name: str) -> None:
    text = f"class Spy:\n    def act(self, history):\n        return history.my_actions.{name}\n"
    assert "and no option adds it" in check_programs(text)[0].reason
    with pytest.raises(SandboxError, match="and none that reaches files, memory"):
        check_programs(text, allow=[f"ndarray.{name}"])


def test_what_is_offered_anyway_needs_no_option() -> None:
    with pytest.raises(SandboxError, match=r"ndarray\.sum: programs may use it anyway"):
        check_programs(PUTS, allow=["ndarray.sum"])


@pytest.mark.parametrize("name", ["numpy.load", "numpy.lib", "os.system", "numpy.memmap", "numpy"])
def test_no_option_opens_what_reaches_out(name: str) -> None:
    with pytest.raises(SandboxError, match="only functions and numbers of numpy"):
        check_programs("class A:\n    pass", allow=[name])


def test_the_code_of_a_program_can_be_sent_to_a_worker() -> None:
    program = decides("x = 1")
    assert marshal.loads(marshal.dumps(program.code)) == program.code


READS = [
    ("x = history.my_actions", {"my_actions"}),
    ("x = getattr(history, 'round_number', 0)", {"round_number"}),
    ("x = [h.stock for h in [history]]", {"stock"}),
    ("pass", set()),
]


@pytest.mark.parametrize(("body", "reads"), READS)
def test_the_report_says_what_is_read(body: str, reads: set[str]) -> None:
    assert decides(body).reads == reads


@pytest.mark.parametrize(
    "body",
    ["random.random()", "np.random.rand()", "x = id(self)", "r = random\n        r.random()"],
)
def test_the_report_says_what_draws(body: str) -> None:
    assert decides(body).random
    assert not decides("x = len('random')").random


STATE = [
    ("self.x = 1", "pass"),
    ("self.x += 1", "self.x = 0"),
    ("self.x.append(1)", "self.x = []"),
    ("x = self.x\n        x.append(1)", "self.x = []"),
    ("x = [self.x]\n        x[0].append(1)", "self.x = []"),
    ("x = list(self.x)\n        x[0] += [1]", "self.x = [[]]"),
    ("x = []\n        x.append(self.x)\n        x[0] += [1]", "self.x = []"),
    ("for x in self.x:\n            x += [1]", "self.x = [[]]"),
    ("self.x[0] = 1", "self.x = [0]"),
    ("(lambda: self.x.pop())()", "self.x = [1]"),
    ("np.put(self.x, [0], [1])", "self.x = np.zeros(3)"),
    ("np.add(1, 1, out=self.x)", "self.x = np.zeros(3)"),
    ("next(self.x)", "self.x = iter([1, 2])"),
    ("sum(self.x)", "self.x = map(int, [1])"),
    ("any(self.x)", "self.x = (n for n in [1])"),
    ("self.keep(history)\n\n    def keep(self, history):\n        self.x = 1", "pass"),
]


@pytest.mark.parametrize(("body", "start"), STATE)
def test_the_report_finds_state(body: str, start: str) -> None:
    program = decides(body, start=start)
    assert program.accepted, program.reason
    assert program.keeps_state


STATELESS = [
    ("x = history.my_actions.sum()", "self.n = game.n_players"),
    ("x = []\n        x.append(history.round_number)", "self.n = 3"),
    ("x = {'C': 0}\n        x['C'] += 1", "self.n = 3"),
    ("total = 0.0\n        total += history.my_payoffs[-1]", "self.n = 3"),
    ("x = sorted(self.x)\n        x.reverse()", "self.x = list(zip([1], [2]))"),
    ("x = self.n", "self.setup()\n\n    def setup(self):\n        self.n = 1"),
]


@pytest.mark.parametrize(("body", "start"), STATELESS)
def test_the_report_knows_programs_without_state(body: str, start: str) -> None:
    program = decides(body, start=start)
    assert program.accepted, program.reason
    assert not program.keeps_state


def test_the_kinds_of_questions_that_a_program_answers_are_listed() -> None:
    text = """
class Voter:
    def notice_voted(self, facts):
        self.share = facts.share

    def answer_vote(self, facts):
        return facts.options[0]

    def answer_effort(self, facts):
        return facts.stock / 2
"""
    program = only_program(text)
    assert program.answers == ("effort", "vote")
    assert program.interface == "society"
    assert program.code is not None
    kind = facades.define(program.code, "Voter", facades.make_namespace())
    voter = facades.new_instance(kind, None)
    assert voter.answer_effort(facades.new_facts({"stock": 8.0})) == 4.0


def test_a_program_of_the_common_pool_takes_the_stock() -> None:
    text = "class Spy:\n    def __call__(self, history, current_stock):\n        return C\n"
    assert only_program(text).takes_stock
    assert only_program(text).interface == "counts"


def test_chance_comes_from_the_seed_of_the_namespace() -> None:
    text = (
        "class Spy:\n    def act(self, history):\n"
        "        fresh = np.random.default_rng()\n"
        "        return [random.random(), np.random.rand(), fresh.random(), id(self)]\n"
    )
    program = only_program(text)
    assert program.code is not None
    namespace = facades.make_namespace(7)
    instance = facades.new_instance(facades.define(program.code, "Spy", namespace), None)

    def drawn(seed: int) -> object:
        facades.reseed(namespace, seed)
        return instance.act(None)

    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)


def test_each_seat_can_have_its_own_chance() -> None:
    program = only_program(
        "class Spy:\n    def act(self, history):\n        return random.random()\n"
    )
    assert program.code is not None
    namespace = facades.make_namespace()
    instance = facades.new_instance(facades.define(program.code, "Spy", namespace), None)
    seats = [facades.Chance(1), facades.Chance(2)]
    drawn: list[list[float]] = [[], []]
    for _ in range(3):
        for seat, chance in enumerate(seats):
            facades.use_chance(namespace, chance)
            drawn[seat].append(instance.act(None))
    facades.use_chance(namespace, facades.Chance(1))
    assert drawn[0] == [instance.act(None) for _ in range(3)]
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize(("value", "number"), [("'C'", 1_037_565_863), ("3", 3), ("True", 1)])
def test_hashes_are_the_same_in_every_process(value: str, number: int) -> None:
    program = only_program(
        f"class Spy:\n    def act(self, history):\n        return hash({value})\n"
    )
    assert program.code is not None
    kind = facades.define(program.code, "Spy", facades.make_namespace())
    assert facades.new_instance(kind, None).act(None) == number


def test_an_action_flips_as_an_attribute_and_as_a_method() -> None:
    assert facades.C.flip is facades.D
    assert facades.D.flip() is facades.C
    assert (facades.C.value, facades.D.name) == (1, "D")
