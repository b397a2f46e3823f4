"""Programs by chance: classes that a grammar writes, of what programs may say, with much memory.

    program(seed)

They compute with numbers, lists, dictionaries, sets, texts and arrays, keep some of them on
themselves, under two names, in their class, in defaults and in closures, and go through the history
in many ways. Errors are frequent, and as good as moves.
"""

from __future__ import annotations

from random import Random
from textwrap import indent

_ARRAYS = ("my_actions", "my_payoffs", "opponent_cooperators")
_STARTS = {
    "n": ("0", "1", "game.n_players", "0.5", "-0.0", "True", "np.int64(2)"),
    "items": ("[]", "[1, 2]", "list(range(3))", "[0.5]", "[None]"),
    "other": ("self.items", "[]", "[self.items]", "[[1], [2]]", "([0],)", "(1, 2)"),
    "table": ("{}", "{1: 2}", "{True: [1]}", "dict(a=1)", "{(1, 2): 3}", "{C: 1, D: 0}"),
    "marks": ("set()", "{1}", "{C}", "frozenset({1, 2})", "{'a', 'b'}"),
    "a": ("np.zeros(3)", "np.arange(3)", "np.ones((2, 2))", "self.items", "np.array([1, 2])"),
    "text": ("''", "'ab'", "'1'"),
    "last": ("C", "D", "None"),
    "f": ("lambda x: x", "self.items.append", "abs", "lambda x: self.n", "self.helper"),
    "it": ("iter([1, 2, 3])", "0", "[1]", "(x for x in [1, 2, 3])"),
}
_CALM = {"f": ("abs", "lambda x: x", "self.inner"), "it": ("[1]", "(2, 3)")}
_HELPERS = (
    "self.items.append(x)\nreturn len(self.items)",
    "return x",
    "self.n += 1\nreturn self.n",
    "for i in range(3):\n    x = x + i\nreturn x",
    "return self.items",
    "self.table[x] = self.table.get(x, 0) + 1\nreturn self.table[x]",
    "return self.helper(x - 1) if x > 0 else 0",
    "return [x, x]",
    "y = [x for _ in range(2)]\ny.append(1)\nreturn sum(y)",
)


class _Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.pick = self.random.choice
        self.drawing = self.random.random() < 0.15
        # Half of them seem to remember nothing, and some of these do.
        self.calm = self.random.random() < 0.5

    def number(self, depth: int) -> str:
        """Write an expression that is often a number."""
        if depth <= 0:
            last = self.pick(_ARRAYS)
            return self.pick(
                (
                    *("0", "1", "3", "0.5", "x", "y", "self.n", "self.k", "self.game.n_players"),
                    *(f"history.{last}[-1]", f"history.{last}[0]", f"len(history.{last})"),
                    *(f"history.{last}.sum()", "history.round_number", "len(z)"),
                )
            )
        a, b, z = self.number(depth - 1), self.number(depth - 1), self.list(depth - 1)
        if self.drawing and self.random.random() < 0.2:
            return self.pick(("random.random()", "random.randint(0, 3)", "np.random.rand()"))
        return self.pick(
            (
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"({a} // {b})",
                f"({a} / {b})",
                f"({a} % 3)",
                f"({a} ** 2)",
                f"abs({a})",
                f"int({a})",
                f"round({a}, 1)",
                f"min({a}, {b})",
                f"max({z}, default=0)",
                f"sum({z})",
                f"len({z})",
                f"({a} if {b} else {z})",
                f"self.helper({a})",
                f"self.f({a})",
                f"np.mean({z})",
                f"np.sum({z})",
                f"int(np.array({z}).sum())",
                f"(lambda v: v + {a})({b})",
                f"self.table.get({a}, {b})",
                f"{z}.count({a})",
                f"{z}[{a}]",
                f"{z}.index({a})",
                f"len(str({a}) + str({z}))",
                f"({a} in {z})",
                f"({a} < {b} <= 3)",
                f"sum(v for v in {z} if v != {a})",
                f"(w := {a})",
                f"hash({a})",
                f"len({{*{z}}})",
                f"next(iter({z}), {b})",
                f"len(self.marks | {{{a}}})",
                f"self.inner({a})",
                f"default({a})",
                f"(not {a})",
                f"-{a}",
            )
        )

    def list(self, depth: int) -> str:
        """Write an expression that is often a list or an array."""
        if depth <= 0:
            last = self.pick(_ARRAYS)
            return self.pick(
                (
                    *("z", "self.items", "self.other", "[]", "[1, 2]", "self.a", "self.seen"),
                    *(f"history.{last}", f"history.{last}[-2:]", "history.opponent_actions"),
                    *("list(self.table)", "sorted(self.marks, key=str)", "(x, y)"),
                )
            )
        a, z = self.number(depth - 1), self.list(depth - 1)
        return self.pick(
            (
                f"[{a}, {self.number(depth - 1)}]",
                f"list({z})",
                f"sorted({z})",
                f"{z}[1:]",
                f"{z}[::-1]",
                f"({z} + {self.list(depth - 1)})",
                f"({z} * 2)",
                f"[v for v in {z}]",
                f"[v + {a} for v in {z} if v]",
                f"list(map(self.f, {z}))",
                f"[*{z}, {a}]",
                f"np.array({z})",
                f"np.cumsum({z})",
                f"np.diff({z})",
                f"np.where(np.array({z}) > {a}, 1, 0)",
                f"tuple({z})",
                f"[i * v for i, v in enumerate({z})]",
                f"[p + q for p, q in zip({z}, {self.list(depth - 1)})]",
                f"{z}.copy()",
                f"np.asarray({z})",
                f"list(filter(None, {z}))",
                f"[{z}]",
                f"{{v: {a} for v in {z}}}",
                f"({z} if {a} else [])",
                "list(self.it)",
                f"max({z}, {self.list(depth - 1)})",
            )
        )

    def statement(self, depth: int) -> str:
        """Write a statement, which may hold others."""
        a, z = self.number(self.random.randint(0, 2)), self.list(self.random.randint(0, 2))
        target = self.pick(("x", "y", "z", "self.n", "self.items", "self.other", "self.last"))
        plain: tuple[str, ...] = (
            f"{target} = {a}",
            f"{target} = {z}",
            f"{target} += {a}",
            f"{target} += {z}",
            f"z[{self.pick(('0', '-1', 'x'))}] = {a}",
            f"z[:1] = {z}",
            f"self.items.append({a})",
            f"z.append({a})",
            f"z.extend({z})",
            "z.pop()",
            f"self.table[{a}] = {self.number(1)}",
            f"self.table.setdefault({a}, []).append(1)",
            f"self.marks.add({a})",
            f"self.marks = self.marks | {{{a}}}",
            f"self.seen.append({a})",
            "self.a[0] += 1",
            "np.add(self.a, 1, out=self.a)",
            f"x, y = {a}, {self.number(1)}",
            f"x, *z = {z}",
            "self.other = self.items",
            f"self.helper({a})",
            f"self.text += str({a})",
            "self.text = f'{x}{z} {self.n:.1f}'",
            "z = self.other",
            f"self.f({a})",
            "x = next(self.it, 0)",
            f"self.last = C if {a} else D",
            f"x = self.box.up({a})",
            f"self.box.count = {a}",
            f"self.box.count += {a}",
            "self.box.box = self.box",
        )
        if self.calm:
            quiet = [one for one in plain if not _stores(one)]
            plain = tuple(quiet) if self.random.random() < 0.97 else plain
        if depth <= 0:
            return self.pick(plain)
        inner = indent(self.block(depth - 1, self.random.randint(1, 3)), "    ")
        more = indent(self.block(depth - 1, 1), "    ")
        return self.pick(
            (
                *plain,
                f"if {a}:\n{inner}\nelse:\n{more}",
                f"if {a} == {self.number(1)}:\n{inner}",
                f"for x in {z}:\n{inner}",
                f"for i, x in enumerate({z}):\n{inner}",
                f"for x in range({self.pick(('2', '3', 'len(z)'))}):\n{inner}",
                f"for _ in range(3):\n{inner}\n    if {a}:\n        break",
                f"try:\n{inner}\nexcept (TypeError, IndexError, ValueError):\n{more}",
                f"try:\n{inner}\nexcept Exception:\n    y = 1\nfinally:\n    x = 2",
                f"while y < 3:\n    y += 1\n{inner}",
                f"def g(v, w={self.pick(('z', '[]', '0', 'self.items'))}):\n{inner}\n    return v\n"
                f"x = g({a})",
            )
        )

    def block(self, depth: int, count: int) -> str:
        """Write some statements."""
        return "\n".join(self.statement(depth) for _ in range(count))

    def program(self) -> str:
        """Write the class with its helpers."""
        starts = {**_STARTS, **_CALM} if self.calm else _STARTS
        start = "\n".join(f"self.{name} = {self.pick(some)}" for name, some in starts.items())
        start = "self.game = game\nself.box = Box()\n" + start
        body = "x, y, z, w = 0, 1, [], 0\n"
        for _ in range(self.random.randint(2, 5)):
            some = self.statement(2)
            if self.random.random() < 0.8:
                some = f"try:\n{indent(some, '    ')}\nexcept Exception:\n    x = y"
            body += some + "\n"
        ends: tuple[str, ...] = (
            "self.n % 2",
            "len(self.items) % 2",
            "x == y",
            "self.last is C",
            "len(z) % 2",
        )
        ends += (self.number(2), "self.box.count % 2", "len(self.seen) % 2")
        body += f"try:\n    return C if {self.pick(ends)} else D\nexcept TypeError:\n    return D"
        default = self.pick(("0", "()") if self.calm else ("[]", "{}", "0", "()"))
        helpers = [one for one in _HELPERS if not self.calm or not _stores(one)]
        grown = {"[]": "kept.append(v)\n    return len(kept)", "{}": "kept[v] = 1\n    return v"}
        counts = "return v" if self.calm else "self.count += 1\n        return self.count"
        return (
            f"def default(v, kept={default}):\n    {grown.get(default, 'return v')}\n\n\n"
            "class Box:\n    def __init__(self):\n        self.count, self.box = 0, None\n\n"
            f"    def up(self, v):\n        {counts}\n\n\n"
            f"class Spy:\n    seen = {self.pick(('[]', '[1]', '()'))}\n    k = 2\n\n"
            "    def __init__(self, game):\n"
            + indent(start, " " * 8)
            + "\n\n    def helper(self, x):\n"
            + indent(self.pick(helpers), " " * 8)
            + "\n\n    @staticmethod\n    def inner(v):\n        return v\n"
            + "\n    def act(self, history):\n"
            + indent(body, " " * 8)
            + "\n"
        )


def _stores(statement: str) -> bool:
    """Tell if a statement is meant to change what the program remembers."""
    stored, _, value = statement.partition("=")
    return "self." in stored or stored.startswith(("z", "next")) or "next(" in value


def program(seed: int) -> str:
    """Write the program of a seed."""
    return _Writer(seed).program()
