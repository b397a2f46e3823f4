"""Programs that remember, draw or read where it is hard to see, with the report that is due.

A text is the body of `act`, after `start`, that of `__init__`; or a whole class. Each counts its
calls, so that its moves are wrong as soon as two games share an instance.
"""

from __future__ import annotations

from textwrap import dedent, indent
from typing import NamedTuple

_HEAD = "class Spy:\n    def __init__(self, game):\n"
_COUNTING = "return C if len(self.items) % 2 else D"
_ARRAY = "return C if self.a[0] % 2 else D"


class Hidden(NamedTuple):
    """What a program hides, its decision, and what it does before the first one."""

    text: str
    start: str = ""

    @property
    def source(self) -> str:
        text = dedent(self.text).strip("\n")
        if text.startswith(("class ", "from ", "def ", "BUMP", "ITEMS")) and "class " in text:
            return text + "\n"
        start = "self.items = []\nself.a = np.zeros(2)\nself.d = {}\n" + dedent(self.start)
        body = text + "\n" + (_ARRAY if "self.a" in text else _COUNTING)
        return (
            _HEAD
            + indent(start.strip("\n"), " " * 8)
            + "\n\n    def act(self, history):\n"
            + indent(body, " " * 8)
            + "\n"
        )


def _in_class(before: str, act: str, arguments: str = "") -> Hidden:
    return Hidden(
        f"class Spy:\n{indent(dedent(before), '    ')}\n"
        f"    def act(self, history{arguments}):\n{indent(act, '        ')}\n"
    )


MEMORIES = (
    # another meaning of a builtin that makes something new
    Hidden("list = lambda one: one\nx = list(self.items)\nx.append(1)"),
    Hidden("def sorted(one):\n    return one\nx = sorted(self.items)\nx.append(1)"),
    Hidden("str = lambda one: one\nx = str(self.a)\nx[0] += 1"),
    Hidden("for dict in [lambda one: one]:\n    x = dict(self.items)\n    x.append(1)"),
    # a method under another name
    Hidden("add = self.items.append\nadd(1)"),
    Hidden("x = list(map(self.items.append, [1]))"),
    Hidden("x = sorted([1], key=self.items.append)"),
    Hidden("x = [self.items.append][0](1)"),
    Hidden("x = getattr(self.items, 'append')(1)"),
    Hidden("self.add(1)", "self.add = self.items.append"),
    Hidden("list.append(self.items, 1)"),
    Hidden("f = list.append\nf(self.items, 1)"),
    Hidden("self.change()", "self.change = lambda: self.items.append(1)"),
    Hidden("self.change()", "def add():\n    self.items.append(1)\nself.change = add"),
    Hidden("self.change[0]()", "self.change = [lambda: self.items.append(1)]"),
    Hidden(
        """
        class Spy:
            def __init__(self, game):
                self.items = []
                self.change = self.add

            def add(self):
                self.items.append(1)

            def act(self, history):
                self.change()
                return C if len(self.items) % 2 else D
        """
    ),
    _in_class(
        "bump = lambda me: me.items.append(1)\n\ndef __init__(self, game):\n    self.items = []\n",
        f"self.bump()\n{_COUNTING}",
    ),
    _in_class(
        "def __init__(self, game):\n    self.items = []\n",
        f"f(self.items)\n{_COUNTING}",
        ", f=lambda x: x.append(1)",
    ),
    Hidden(
        "BUMP = lambda x: x.append(1)\n\nclass Spy:\n    def __init__(self, game):\n"
        f"        self.items = []\n\n    def act(self, history):\n        BUMP(self.items)\n"
        f"        {_COUNTING}"
    ),
    # functions of numpy that write
    Hidden("np.add(self.a, 1, self.a)"),
    Hidden("f = np.add\nf(self.a, 1, self.a)"),
    Hidden("x = list(map(np.add, [self.a], [1], [self.a]))"),
    Hidden("np.clip(self.a + 1, 0, 99, self.a)"),
    Hidden("(self.a + 1).clip(0, 99, self.a)"),
    Hidden("np.sum([self.a, [1, 1]], 0, None, self.a)"),
    Hidden("np.array([self.a, [1, 1]]).sum(0, None, self.a)"),
    Hidden("np.around(self.a + 1, 0, self.a)"),
    Hidden("np.add(*[self.a, 1, self.a])"),
    Hidden("np.add.reduce([self.a, [1, 1]], 0, None, self.a)"),
    Hidden("x = np.array(self.a, copy=False)\nx[0] += 1"),
    Hidden("x = np.array(self.a, None, copy=None)\nx[0] += 1"),
    Hidden("np.copyto(self.a, self.a + 1)"),
    Hidden("f = np.copyto\nf(self.a, self.a + 1)"),
    Hidden("x = np.asarray(self.a)\nx[0] += 1"),
    Hidden("x = self.a.T\nx[0] += 1"),
    Hidden("np.nan_to_num(self.a, False, 1.0)", "self.a[0] = np.nan"),
    Hidden("np.nan_to_num(self.a, copy=False, nan=1.0)", "self.a[0] = np.nan"),
    Hidden("self.a.partition(0)", "self.a = np.array([3, 2, 1])"),
    Hidden("np.median(self.a, overwrite_input=True)", "self.a = np.array([3, 2, 1])"),
    Hidden("np.median(self.a, None, None, True)", "self.a = np.array([3, 2, 1])"),
    Hidden(
        "from numpy import copyto\nclass Spy:\n    def __init__(self, game):\n"
        "        self.a = np.zeros(2)\n\n    def act(self, history):\n"
        f"        copyto(self.a, self.a + 1)\n        {_ARRAY}"
    ),
    # iterators that go on
    *(
        Hidden(
            f"for x in {it}:\n    break\nelse:\n    return D\nreturn C if x % 2 else D",
            start,
        )
        for it, start in (
            ("self.it", "make = iter\nself.it = make([1, 2, 3])"),
            ("self.it[0]", "self.it = list(map(iter, [[1, 2, 3]]))"),
            ("self.it[0]", "self.it = []\nself.it.append(iter([1, 2, 3]))"),
            ("self.it[0]", "self.it = []\nself.it.append(x for x in [1, 2, 3])"),
            ("self.it['x']", "self.it = dict(x=iter([1, 2, 3]))"),
            ("self.it.item()", "self.it = np.array(iter([1, 2, 3]))"),
        )
    ),
    _in_class(
        "",
        "for x in it:\n    return C if x % 2 else D\nreturn D",
        ", it=iter([1, 2, 3, 4, 5, 6])",
    ),
    _in_class(
        "",
        "for x in it:\n    return C if x % 2 else D\nreturn D",
        ", it=(x for x in [1, 2, 3, 4, 5, 6])",
    ),
    # old values inside of new ones
    Hidden("x = sum([self.items], [])\nx = sum([], self.items)\nx.append(1)"),
    Hidden("x = sum([[self.items]], [])\nx[0] += [1]"),
    Hidden("x = [0]\nfor x[0] in [self.items]:\n    x[0] += [1]"),
    Hidden("x = [0]\nx[0], y = self.items, 1\nx[0] += [1]"),
    Hidden("x = np.array([self.d])\nx[0] |= {len(self.d): 1}\nself.d\nself.items = self.d"),
    Hidden("x = (self.items,) + ()\nx[0].append(1)"),
    Hidden("x, y = self.items, 1\nx.append(1)"),
    Hidden("(x := self.items).append(1)"),
    Hidden("x = self.items if True else []\nx += [1]"),
    Hidden("x = self.items or self.items\nx += [1]"),
    Hidden("[x.append(1) for x in [self.items]]"),
    # one object or two that are equal
    *(
        Hidden(
            f"""
            seen = history.opponent_cooperators[-1:].sum()
            if seen == 2:
                self.p = {value}
            if history.round_number == 0:
                self.q = {value}
            if seen == 2:
                self.q = self.p
            return C if self.p is self.q else D
            """,
            f"self.p = {start}\nself.q = {start}",
        )
        for value, start in (
            ("min(history.round_number, 2) + 0.5", "0.5"),
            ("int(min(history.round_number, 2)) + 1000", "1000"),
            ("'ab' + str(min(history.round_number, 2))", "'ab'"),
        )
    ),
    Hidden(
        "if history.round_number == 0:\n    self.items.append(float('nan'))\n"
        "if not history.my_actions[-1:].sum():\n    self.items = [self.p]\n"
        "return C if self.p in self.items else D",
        "self.p = float('nan')",
    ),
    Hidden(
        "if history.opponent_cooperators[-1:].sum() > 1:\n    self.p = -self.p\n"
        "return C if math.copysign(1, self.p) > 0 else D",
        "self.p = float('nan')",
    ),
    # an array that lies in memory column by column
    Hidden(
        "if history.opponent_cooperators[-1:].sum() > 1:\n    self.a = self.a.copy()\n"
        "return C if self.a.flatten('K')[1] == 2 else D",
        "self.a = np.array(np.arange(4).reshape(2, 2).T)",
    ),
    # what it keeps on an object of its own
    *(
        Hidden(
            f"class Box:\n    n = 0\n\n\n{top}class Spy:\n{level}    def __init__(self, game):\n"
            f"        self.box = {start}\n\n    def act(self, history{default}):\n"
            f"        {change}\n        return C if self.box.n % 2 else D\n"
        )
        for top, level, start, default, change in (
            ("", "", "Box()", "", "self.box.n += 1"),
            ("", "", "Box()", "", "self.box.n = self.box.n + 1"),
            ("", "", "Box()", "", "self.box.n, x = self.box.n + 1, 0"),
            ("", "", "Box()", "", "(lambda: [0 for self.box.n in [self.box.n + 1]])()"),
            ("BOX = Box()\n\n\n", "", "BOX", "", "self.box.n += 1"),
            ("", "    kept = Box()\n\n", "self.kept", "", "self.box.n += 1"),
            ("", "", "None", ", kept=Box()", "self.box = kept\n        self.box.n += 1"),
        )
    ),
    # two names of one value
    Hidden("self.other = self.items\nself.other.append(1)"),
    Hidden(
        "if history.round_number == 0:\n    self.other = self.items\nself.other.append(1)",
        "self.other = [5]",
    ),
    Hidden("self.n = 1\nnp.add(self.a, 1, self.a)", "self.n = 0"),
)

LUCK = (
    Hidden("return C if getattr(np, 'random').rand() < 0.5 else D"),
    Hidden("return C if np.random.rand() < 0.5 else D"),
    Hidden("from random import random as r\nclass Spy:\n    def act(self, history):\n"
           "        return C if r() < 0.5 else D"),
    Hidden("f = id\nreturn C if f(1) % 32 else D"),
    Hidden("class Spy:\n    bias = random.random()\n\n    def act(self, history):\n"
           "        return C if self.bias < 0.5 else D"),
    Hidden("class Spy:\n    luck = random.Random(3)\n\n    def act(self, history):\n"
           "        return C if self.luck.random() < 0.5 else D"),
)  # fmt: skip

HISTORIES = (
    # each of them decides by more than it seems to read
    Hidden("def len(a):\n    return a.sum() + a[:1].sum()\n"
           "return C if len(history.opponent_cooperators) % 2 else D"),
    Hidden("def len(a):\n    return a[1:2].sum() * 3\n\nclass Spy:\n    def act(self, history):\n"
           "        return C if len(history.opponent_cooperators) % 2 else D"),
    Hidden("def sum(a):\n    return a[1:2].max(initial=0)\n\nclass Spy:\n"
           "    def act(self, history):\n"
           "        return C if sum(history.opponent_cooperators) % 2 else D"),
    Hidden("x = history\nreturn C if x.opponent_cooperators[1:2].sum() % 2 else D"),
    Hidden("f = lambda h: h.opponent_cooperators[1:2].sum()\nreturn C if f(history) % 2 else D"),
    Hidden("x = getattr(history, 'opponent_cooperators')[::2]\nreturn C if x.sum() % 2 else D"),
    Hidden("for x in [history.opponent_cooperators]:\n    y = x[1:2].sum()\n"
           "return C if y % 2 else D"),
    Hidden("class Spy:\n    def act(self, history, *more):\n"
           "        return C if history.opponent_cooperators[::2].sum() % 2 else D"),
    Hidden("class Spy:\n    def __call__(self, history, the_stock):\n"
           "        return C if the_stock > 7 else D"),
    Hidden("class Spy:\n    def __call__(self, s, history):\n        return C\n"
           "\n    def act_(self, state):\n        return D"),
)  # fmt: skip
