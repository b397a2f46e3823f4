"""Attacks on the sandbox, by what they are after: each with the sentence that stops it.

An attack is the body of `act` of a class, or a whole file. REFUSED ones never run; STOPPED ones run
and break a rule; FAILED ones get an ordinary error, which counts against them.
"""

from __future__ import annotations

from textwrap import dedent, indent
from typing import NamedTuple


class Attack(NamedTuple):
    """What a program tries, and a part of the sentence that stops it."""

    aim: str
    text: str
    sentence: str

    @property
    def source(self) -> str:
        """The file: as it is if it defines a class, else with the text as a decision."""
        text = dedent(self.text).strip("\n")
        if "class " in text:
            return text
        start = "class Spy:\n    def __init__(self, game):\n        self.game = game\n"
        start += "        self.items = [1]\n\n    def act(self, history):\n"
        return start + indent(text, " " * 8) + "\n"


def _attacks(aim: str, *pairs: tuple[str, str]) -> tuple[Attack, ...]:
    return tuple(Attack(aim, text, sentence) for text, sentence in pairs)


REFUSED = (
    *_attacks(
        "leak: names",
        ("return open('/etc/passwd').read()", "programs reach no files"),
        ("return eval('1')", "`eval`"),
        ("return exec('x = 1')", "`exec`"),
        ("return compile('1', '', 'eval')", "`compile`"),
        ("return __import__('os')", "two underscores"),
        ("return __builtins__", "two underscores"),
        ("return globals()", "`globals`"),
        ("return vars(history)", "`vars`"),
        ("return dir(history)", "`dir`"),
        ("return type(history)", "`type`"),
        ("return object()", "`object`"),
        ("return memoryview(history)", "`memoryview`"),
        ("return input()", "`input`"),
        ("return breakpoint()", "`breakpoint`"),
        ("return repr(history)", "`repr`"),
        ("return format(1, '5')", "`format`"),
        ("return os.listdir('.')", "`os`; it is neither defined nor offered"),
        ("return setattr(math, 'pi', 3)", "`setattr`"),
        ("delattr(math, 'pi')\nreturn C", "`delattr`"),
        ("f = getattr\nreturn f(history, 'my_' + 'actions')", "`getattr` other than in a call"),
        ("return super", "`super` other than in a call"),
        ("return list(map(hasattr, [history], ['x']))", "`hasattr` other than in a call"),
    ),
    *_attacks(
        "leak: attributes",
        ("return history.__class__", "two underscores"),
        ("return ().__class__.__bases__[0].__subclasses__()", "two underscores"),
        ("return self.act.__globals__", "two underscores"),
        ("return self.act.__func__.__code__", "two underscores"),
        ("return history.my_actions.base", "`.base`"),
        ("return history.my_actions.data", "`.data`"),
        ("return history.my_actions.ctypes", "`.ctypes`"),
        ("return history.my_actions.view()", "`.view`"),
        ("return history.my_actions.setflags(write=True)", "`.setflags`"),
        ("return history.my_actions.flags", "`.flags`"),
        ("return history.my_actions.tofile('x')", "`.tofile`"),
        ("return history.my_actions.dump('x')", "`.dump`"),
        ("return history.my_actions.tobytes()", "`.tobytes`"),
        ("return history.my_actions.strides", "`.strides`"),
        ("return (x for x in [1]).gi_frame", "`.gi_frame`"),
        ("return (x for x in [1]).gi_code", "`.gi_code`"),
        ("return (x for x in [1]).send(None)", "`.send`"),
        ("return (x for x in [1]).throw(ValueError())", "`.throw`"),
        ("try:\n    1 / 0\nexcept Exception as e:\n    return e.__traceback__", "two underscores"),
        ("try:\n    1 / 0\nexcept Exception as e:\n    return e.tb_frame", "`.tb_frame`"),
        ("try:\n    history.x\nexcept Exception as e:\n    return e.obj", "`.x`"),
        ("try:\n    self.q()\nexcept AttributeError as e:\n    return e.obj", "`.q`"),
        ("try:\n    1 / 0\nexcept Exception as e:\n    e.add_note('x')", "`.add_note`"),
        ("return getattr(history, '__class__')", "two underscores"),
        ("return getattr(history, 'my_' + 'actions')", "without a name in quotes"),
        ("return getattr(history.my_actions, 'base')", "`.base`"),
        ("return hasattr(*[history, 'x'])", "without a name in quotes"),
        ("return '{0.__class__}'.format(history)", "`.format`"),
        ("return '{x}'.format_map({'x': history})", "`.format_map`"),
        ("return f'{history!r}'", "`!r` or `!a`"),
        ("return f'{1:>{10 ** 9}}'", "no short number format"),
        ("return f'{1:>999999999}'", "no short number format"),
        ("return str.maketrans", "`.maketrans`"),
        ("return ''.join.__self__", "two underscores"),
        ("return np.__loader__", "two underscores"),
        ("return np.mean.__globals__", "two underscores"),
        ("return int.from_bytes", "`.from_bytes`"),
        ("return type.mro(int)", "`type`"),
        ("return int.mro()", "`.mro`"),
        ("m = math\nreturn m.sin", "`.sin`"),
    ),
    *_attacks(
        "leak: own names that other objects have",
        (
            "class Spy:\n    def __init__(self, game):\n        self.base = 1\n\n"
            "    def act(self, history):\n        return history.my_actions.base",
            "`.base` other than of self",
        ),
        (
            "class Spy:\n    def __init__(self, game):\n        self.gi_frame = 1\n\n"
            "    def act(self, history):\n        return (x for x in [1]).gi_frame",
            "`.gi_frame` other than of self",
        ),
        (
            "class Spy:\n    def __init__(self, game):\n        self.ctypes = 1\n\n"
            "    def act(self, history):\n        return getattr(history.my_actions, 'ctypes')",
            "`.ctypes` other than of self",
        ),
        (
            "class Spy:\n    def view(self):\n        return 1\n\n"
            "    def act(self, history):\n        return history.my_actions.view()",
            "`.view` other than of self",
        ),
        (
            "self._member_map_ = 1\nreturn Action._member_map_.clear()",
            "`._member_map_` other than of self",
        ),
    ),
    *_attacks(
        "leak: numpy",
        ("return np.load('/etc/passwd')", "no option adds it"),
        ("return np.loadtxt('/etc/passwd')", "no option adds it"),
        ("return np.genfromtxt('/etc/passwd')", "no option adds it"),
        ("return np.fromfile('/etc/passwd')", "no option adds it"),
        ("return np.memmap('/etc/passwd')", "no option adds it"),
        ("return np.DataSource('.')", "numpy.DataSource"),
        ("return np.save('/tmp/x', 1)", "no option adds it"),
        ("return np.frombuffer('x')", "no option adds it"),
        ("return np.ctypeslib", "no option adds it"),
        ("return np.lib.stride_tricks.as_strided(history.my_actions, (99,))", "`.as_strided`"),
        ("return np.core", "no option adds it"),
        ("return np.testing", "no option adds it"),
        ("return np.f2py", "no option adds it"),
        ("return np.bmat('history')", "no option adds it"),
        ("return np.seterr(all='ignore')", "no option adds it"),
        ("return np.set_printoptions(precision=1)", "no option adds it"),
        ("return np.vectorize(len)", "no option adds it"),
        ("return np.kaiser(3, 1)", "--allow numpy.kaiser adds it"),
        ("return np.random.bit_generator", "numpy.random.bit_generator"),
        ("return np.random.get_state()", "numpy.random.get_state"),
        ("return np.linalg.linalg", "numpy.linalg.linalg"),
        ("return random.SystemRandom()", "random.SystemRandom"),
        ("return random._os", "random._os"),
        ("return math.factoril(3)", "did you mean 'factorial'?"),
        ("return np.zeros(3, dtype='U999999999')", "a dtype that is not written out"),
        ("kind = 'O'\nreturn np.zeros(3, dtype=kind)", "a dtype that is not written out"),
        ("return history.my_actions.astype('O')", "a dtype that is not written out"),
        ("return np.array([1], **{'dtype': 'O'})", "`**` in a call"),
        ("return np.multiply.outer([1], [2])", "`.outer`"),
    ),
    *_attacks(
        "leak: imports",
        ("import os\nclass Spy:\n    def act(self, history):\n        return C", "`import os`"),
        (
            "from os import *\nclass Spy:\n    def act(self, history):\n        return C",
            "`import os`",
        ),
        ("from math import *\nclass Spy:\n    def act(self, history):\n        return C", "math.*"),
        (
            "from numpy import load\nclass Spy:\n    def act(self, history):\n        return C",
            "no option adds it",
        ),
        (
            "import numpy.lib as np\nclass Spy:\n    def act(self, history):\n        return C",
            "`import numpy.lib`",
        ),
        (
            "from emergent_llm.games import open\nclass Spy:\n    def act(self, history):\n"
            "        return C",
            "emergent_llm.games.open",
        ),
        (
            "from . import x\nclass Spy:\n    def act(self, history):\n        return C",
            "`import .`",
        ),
        ("import os\nreturn C", "stand at the top of the file"),
        ("from random import _os\nreturn C", "stand at the top of the file"),
    ),
    *_attacks(
        "tamper: changes of others",
        ("math.pi = 3\nreturn C", "a change of `math.pi`"),
        ("np.mean = len\nreturn C", "a change of `np.mean`"),
        ("history.my_actions = 1\nreturn C", "a change of `history.my_actions`"),
        ("history.my_actions[0] = True\nreturn C", "a change of `history.my_actions[0]`"),
        ("history.my_payoffs[:] += 5\nreturn C", "a change of `history.my_payoffs[:]`"),
        ("self.game.k = 99\nreturn C", "a change of `self.game.k`"),
        ("Action.C = D\nreturn C", "a change of `Action.C`"),
        ("Spy.act = None\nreturn C", "a change of `Spy.act`"),
        ("self.__class__ = 1\nreturn C", "two underscores"),
        ("self.__dict__['x'] = 1\nreturn C", "two underscores"),
        ("del history.my_actions\nreturn C", "`del`"),
        ("del self.items[0]\nreturn C", "`del`"),
        ("global C\nC = D\nreturn C", "`global`"),
        ("math = None\nreturn C", "another meaning for `math`"),
        ("np = 1\nreturn C", "another meaning for `np`"),
        ("self = history\nself.x = 1\nreturn C", "another meaning for `self`"),
        ("for math.pi in [1]:\n    pass\nreturn C", "a change of `math.pi`"),
        ("[0 for history.x in [1]]\nreturn C", "a change of `history.x`"),
        ("(C, math.pi) = 1, 2\nreturn C", "a change of `math.pi`"),
        ("math.pi += 1\nreturn C", "a change of `math.pi`"),
        ("Spy.act(math, history)\nreturn C", "`Spy.act`"),
        ("x = Spy\nreturn C", "the class `Spy` as a value"),
        ("return PlayerHistory()", "a call of `PlayerHistory`"),
        ("x = [BaseStrategy]\nreturn C", "the class `BaseStrategy` as a value"),
        ("self.__init__(history)\nreturn C", "`__init__` other than"),
        ("dataclass(Action)\nreturn C", "`dataclass` other than above a class"),
        ("f = dataclass\nreturn C", "`dataclass` other than above a class"),
        ("return Action._member_map_", "the attribute `._member_map_`"),
        ("return self.answer_vote(history.my_actions)", "only the scenario calls it"),
        (
            "class Spy:\n    class Inner:\n        def mark(self):\n            self.x = 1\n\n"
            "    def act(self, history):\n        self.me = self\n"
            "        self.me.me.Inner.mark(Action)\n        return C",
            "`self.me.me.Inner.mark`",
        ),
        (
            "class Spy:\n    class Inner:\n        def mark(self):\n            self.x = 1\n\n"
            "    def act(self, history):\n        x = [self.Inner][0]\n        return C",
            "the class `Inner` as a value",
        ),
        (
            "class A:\n    def mark(self):\n        self.x = 1\n\nclass B(A, Enum):\n    X = 1\n\n"
            "class Spy:\n    def act(self, history):\n        B.mark(Action)\n        return C",
            "an Enum with another base",
        ),
        (
            "from emergent_llm.common import PlayerHistory as P\nclass Spy(P):\n"
            "    def act(self, h):\n        return C",
            "another name for `PlayerHistory`",
        ),
        (
            "import numpy as n\nclass Spy:\n    def act(self, h):\n        n = h\n        return C",
            "another meaning for `n`",
        ),
        ("class Spy(PlayerHistory):\n    def act(self, h):\n        return C", "the base `Player"),
        (
            "class Spy:\n    @classmethod\n    def mark(cls):\n        cls.x = 1\n\n"
            "    def act(self, history):\n        return C",
            "the decorator `classmethod`",
        ),
        (
            "class Spy:\n    @staticmethod\n    def mark(self):\n        self.x = 1\n\n"
            "    def act(self, history):\n        return C",
            "another meaning for `self`",
        ),
        (
            "class Spy:\n    def mark(self):\n        self.x = 1\n\n    table = [mark]\n\n"
            "    def act(self, history):\n        return C",
            "the method mark as a value",
        ),
        (
            "class Spy:\n    def act(self, history):\n        return C\n\n"
            "    def answer_vote(self, facts):\n        self.x = 1\n        return 0",
            "a change of self in answer_vote",
        ),
        (
            "class Spy:\n    def act(self, history):\n        return C\n\n"
            "    def answer_vote(self, facts):\n        facts = np.zeros(3)\n"
            "        return facts.base",
            "another meaning for `facts`",
        ),
        (
            "class Spy:\n    def __del__(self):\n        pass\n\n"
            "    def act(self, h):\n        return C",
            "`__del__`",
        ),
        (
            "class Spy:\n    def __eq__(self, other):\n        return True\n\n"
            "    def act(self, h):\n        return C",
            "`__eq__`",
        ),
        (
            "class Spy:\n    def __getattr__(self, name):\n        return C\n\n"
            "    def act(self, h):\n        return C",
            "`__getattr__`",
        ),
        (
            "class Spy(metaclass=type):\n    def act(self, h):\n        return C",
            "the keyword metaclass",
        ),
        (
            "class Spy(np.ndarray):\n    def act(self, h):\n        return C",
            "the base `np.ndarray`",
        ),
        ("class Spy(list):\n    def act(self, h):\n        return C", "the base `list`"),
        (
            "def wrap(f):\n    return f\n\nclass Spy:\n    @wrap\n    def act(self, h):\n"
            "        return C",
            "the decorator `wrap`",
        ),
        (
            "print('x')\nclass Spy:\n    def act(self, h):\n        return C",
            "a statement at the top of the file",
        ),
        (
            "math.pi = 3\nclass Spy:\n    def act(self, h):\n        return C",
            "an assignment at the top of the file",
        ),
        (
            "class Spy:\n    for math.pi in [3]:\n        pass\n\n    def act(self, h):\n"
            "        return C",
            "a statement in the body of a class",
        ),
    ),
    *_attacks(
        "denial of service: what cannot be stopped later",
        ("try:\n    pass\nexcept BaseException:\n    pass\nreturn C", "`except BaseException`"),
        ("try:\n    pass\nexcept KeyboardInterrupt:\n    pass", "`except KeyboardInterrupt`"),
        ("try:\n    pass\nexcept (ValueError, self.x):\n    pass", "`except self.x`"),
        (
            "while True:\n    try:\n        pass\n    finally:\n        continue",
            "inside `finally`",
        ),
        ("try:\n    pass\nfinally:\n    return C", "inside `finally`"),
        ("with history:\n    pass\nreturn C", "`with`"),
        ("yield C", "`yield`"),
        ("x = yield from [C]", "`yield`"),
        ("return (lambda: (yield))()", "`yield`"),
        ("match history:\n    case _:\n        return C", "`match`"),
        ("try:\n    pass\nexcept* ValueError:\n    pass\nreturn C", "`except*`"),
        ("raise self.items", "`raise`"),
        ("raise SystemExit", "`raise`"),
        ("break", "what is not Python: 'break' outside loop"),
        ("nonlocal x\nx = 1\nreturn C", "what is not Python: no binding for nonlocal"),
        ("class Spy:\n    async def act(self, history):\n        return C", "`async`"),
        ("return 'x'.ljust(10 ** 9)", "`.ljust`"),
        ("return 'x'.zfill(10 ** 9)", "`.zfill`"),
        ("f = self.items.extend\nreturn C", "`.extend` other than in a call"),
        (
            "self.items[len(self.items)] += 1\nreturn C",
            "a call inside `self.items[len(self.items)]`",
        ),
        ("return " + "-" * 150 + "1", "nested more than"),
        ("return [" + ("0, " * 300 + "\n") * 40 + "]", "pieces of syntax"),
        ("x = '''" + ("y" * 90 + "\n") * 500 + "'''\nreturn C", "characters"),
    ),
    *_attacks(
        "leak: memory of others",
        ("m = np.ones(5)\nreturn np.add(m, m, where=m > 2)", "`where` without `out`"),
        ("m = np.ones(5)\nreturn np.add(m, m, out=None, where=m > 2)", "`where` without `out`"),
        ("f = np.add\nm = np.ones(5)\nreturn f(m, m, where=m > 2)", "`where` without `out`"),
        ("x = None\nreturn np.sqrt(1, out=x, where=False)", "`where` without `out`"),
        ("return np.apply_along_axis(np.add, 0, [1], [1], where=False)", "`where` without `out`"),
        ("return np.pad([1], 5, mode='empty')", "what memory holds"),
        ("return np.pad([1], 5, 'empty')", "what memory holds"),
        ("try:\n    [].index(self)\nexcept ValueError as e:\n    return e.args[0]", "`.args`"),
    ),
    *_attacks(
        "tamper: descriptions that all games share",
        (
            "class Spy:\n    def __init__(self, game):\n        game.__init__(self, 5, 9)\n\n"
            "    def act(self, history):\n        return C",
            "`__init__` other than",
        ),
        (
            "class Spy:\n    def __init__(self, game):\n        C.__init__(self)\n\n"
            "    def act(self, history):\n        return C",
            "`__init__` other than",
        ),
    ),
    *_attacks(
        "denial of service: what is made without a step",
        (
            "@dataclass\nclass A:\n    x: int = 1\n\n@dataclass\nclass B:\n"
            "    x: object = field(default_factory=A)\n    y: object = field(default_factory=A)\n"
            "\nclass Spy:\n    def act(self, history):\n        return B()",
            "a default_factory that is neither",
        ),
        (
            "X = '''a\nb'''; Y = 2\nclass Spy:\n    def act(self, history):\n        return [Y]",
            "two statements in one line",
        ),
        (
            "from numpy import add as plus\nclass Spy:\n    def act(self, history):\n"
            "        return C",
            "another name for `add`",
        ),
        (
            "from numpy import max\nclass Spy:\n    def act(self, history):\n        return C",
            "write np.max",
        ),
    ),
    *_attacks(
        "wrong type: methods that cannot be called",
        ("class Spy:\n    def act(self):\n        return C", "must take the history"),
        ("class Spy:\n    def __call__(self):\n        return C", "must take (self, history)"),
        ("class Spy:\n    def decide(self, h):\n        return C", "has no method that decides"),
        ("class Spy:\n    def act(history):\n        return C", "without `self`"),
        (
            "class Spy:\n    def __init__(self, game, other):\n        pass\n\n"
            "    def act(self, history):\n        return C",
            "must take the game",
        ),
        (
            "class Spy:\n    def act(self, history):\n        return C\n\n"
            "    def __call__(self, history):\n        return C",
            "both `act` and `__call__`",
        ),
    ),
)

STEPS = "steps in one call"
ITEMS = "items"
ORDER = "the order of a set"
BITS = "a whole number of more than"

NOT_ITS_OWN = "no object of the program's own classes"
# Each sets an attribute that its class sets on itself as well.
_ON_OTHERS = (
    "C",
    "history",
    "self.game",
    "history.my_actions",
    "np.mean",
    "random",
    "math",
    "len",
    "lambda: 1",
    "self.act",
    "[1].append",
    "Mood.CALM",
    "(v for v in [1])",
    "np.random.default_rng(1)",
    "np.float64",
    "'text'",
    "{1: 2}",
)

STOPPED = (
    *_attacks(
        "tamper: attributes of what is not its own",
        *(
            (
                "class Mood(Enum):\n    CALM = 1\n\n\nclass Spy:\n"
                "    def __init__(self, game):\n        self.game = game\n        self.mark = 0\n\n"
                f"    def act(self, history):\n        self.x = {value}\n"
                f"        self.x.mark = 1\n        return C\n",
                NOT_ITS_OWN,
            )
            for value in _ON_OTHERS
        ),
        (
            "class Spy:\n    def __init__(self, game):\n        self.shape = (1,)\n\n"
            "    def act(self, history):\n        self.x = history.my_actions\n"
            "        self.x.shape = (1, -1)\n        return C\n",
            NOT_ITS_OWN,
        ),
    ),
    *_attacks(
        "denial of service: time",
        ("while True:\n    pass", STEPS),
        (
            "while True:\n    try:\n        while True:\n            pass\n"
            "    except:\n        pass",
            STEPS,
        ),
        ("for _ in range(100_000):\n    for _ in range(100_000):\n        pass", STEPS),
        ("return [0 for _ in range(99_999) for _ in range(99_999)]", STEPS),
        ("return sum(1 for _ in range(99_999) for _ in range(99_999))", STEPS),
        ("for item in self.items:\n    self.items.append(item)", STEPS),
        ("def f(n):\n    return f(n)\nreturn f(1)", "functions that call themselves"),
        ("def f(n):\n    return f(n - 1) + f(n - 1) if n else 1\nreturn f(60)", STEPS),
        (
            "f = lambda g, n: g(g, n - 1) or g(g, n - 1) if n else 0\nreturn f(f, 60)",
            STEPS,
        ),
        (
            "try:\n    while True:\n        pass\nfinally:\n    while True:\n        pass",
            STEPS,
        ),
        (
            "def loop():\n    try:\n        return loop()\n"
            "    except:\n        return loop()\nloop()",
            "functions that call themselves",
        ),
        ("f = lambda g: g(g)\ntry:\n    return f(f)\nexcept:\n    return C", "RecursionError"),
        ("return max(range(10 ** 12))", "a range of more than"),
        ("return list(range(10 ** 40))", "a range of more than"),
        ("x = [0]\nfor _ in range(60):\n    x = [x, x]\nreturn str(x)", "nested too deeply"),
        ("x = (1,)\nfor _ in range(19):\n    x = (x, x)\nreturn f'{x}'", STEPS),
        ("x = (1,)\nfor _ in range(60):\n    x = (x, x)\nreturn hash(x)", STEPS),
        ("return round(5, -10 ** 8)", "rounding"),
        ("x = [1] * 9000\nfor _ in range(99_000):\n    x.sort()", STEPS),
        ("x = [1] * 9000\nfor _ in range(99_000):\n    y = -1 in x", STEPS),
        ("x = [1] * 9000\nfor _ in range(99_000):\n    y = x == x", STEPS),
        ("x = [1] * 9000\nfor _ in range(99_000):\n    y = sum(x)", STEPS),
        ("x = [1] * 9000\nfor _ in range(99_000):\n    y = sorted(x)", STEPS),
        ("x = [1] * 9000\nfor _ in range(99_000):\n    y = max(x)", STEPS),
        ("x = [1] * 9000\nfor _ in range(99_000):\n    y = x.count(2)", STEPS),
        ("x = [1]\nreturn list(map(x.append, x))", STEPS),
        ("x = [1]\nreturn any(map(x.append, x))", STEPS),
        ("x = [1]\nreturn sum(filter(x.append, x))", STEPS),
        ("x = [1]\nx.extend(map(x.append, x))", STEPS),
        ("x = [1]\nfor _ in range(60):\n    x = [x, x]\nreturn x == [x]", "nested too deeply"),
        ("x = [1]\nfor _ in range(99_000):\n    x = (v for v in x)", "nested too deeply"),
        ("x = [1]\nfor _ in range(99_000):\n    x = enumerate(x)", "nested too deeply"),
        ("x = [1]\nfor _ in range(99_000):\n    x = map(abs, x)", "nested too deeply"),
        ("x = [1]\nfor _ in range(99_000):\n    x = zip(x)", "nested too deeply"),
        ("x = [1]\nfor _ in range(99_000):\n    x = filter(None, x)", "nested too deeply"),
        (
            "class N:\n    def __init__(self, n):\n        self.a = N(n - 1) if n else 0\n"
            "        self.b = N(n - 1) if n else 0\n\nclass Spy:\n"
            "    def act(self, history):\n        return N(60)",
            STEPS,
        ),
        ("return sorted(range(99_999), key=lambda n: [0 for _ in range(99_999)])", STEPS),
    ),
    *_attacks(
        "leak: addresses in the order of a set",
        ("return list({abs, len})", ORDER),
        ("return [f for f in {abs, len, max}]", ORDER),
        ("return {lambda: 1, lambda: 2}.pop()", ORDER),
        ("x, y = {abs, len}\nreturn C if x is abs else D", ORDER),
        ("return next(iter({history, self.game}))", ORDER),
        ("return sorted({abs, len}, key=lambda f: 0)", ORDER),
        ("return [*{abs, len}]", ORDER),
        ("return max({abs, len}, key=lambda f: 0)", ORDER),
        ("return tuple(frozenset([abs, len]))", ORDER),
        ("return [*({abs: 1, len: 2}.keys() - {1})]", ORDER),
        ("return [*({abs: 1, len: 2}.items() & {(abs, 1), (len, 2)})]", ORDER),
        ("x = []\nx += {abs, len}\nreturn x", ORDER),
        ("x = []\nx.extend({abs, len})\nreturn x", ORDER),
        ("return list(map(callable, {abs, len}))", ORDER),
        ("return list(zip({abs, len}, [1, 2]))", ORDER),
        ("f = lambda *a: a\nreturn f(*{abs, len})", ORDER),
        ("return {f: 1 for f in {abs, len}}", ORDER),
        ("return list({(abs, 1), (len, 1)})", ORDER),
        ("x = [0]\nx[:] = {abs, len}\nreturn x", ORDER),
        ("f = {abs, len}.pop\nreturn f()", ORDER),
        ("return set.pop({abs, len})", ORDER),
        ("x = {abs, len}\nreturn getattr(x, 'pop')()", ORDER),
        ("(a, b), c = {abs, len}, 1\nreturn a", ORDER),
        ("for a, b in [{abs, len}]:\n    return a", ORDER),
        ("return [a for a, b in [{abs, len}]]", ORDER),
        ("return dict([{abs, len}])", ORDER),
        ("return list(map(set.pop, [{abs, len}]))", ORDER),
    ),
    *_attacks(
        "denial of service: size",
        ("return [0] * 10 ** 9", ITEMS),
        ("return 10 ** 9 * [0]", ITEMS),
        ("return 'x' * 10 ** 9", ITEMS),
        ("x = [0]\nfor _ in range(60):\n    x = x + x\nreturn x", ITEMS),
        ("x = [0]\nfor _ in range(60):\n    x += x\nreturn x", ITEMS),
        ("x = [0]\nfor _ in range(60):\n    x *= 2\nreturn x", ITEMS),
        ("x = 'y'\nfor _ in range(60):\n    x = x + x\nreturn x", ITEMS),
        ("x = [0]\nfor _ in range(60):\n    x.extend(x)\nreturn x", ITEMS),
        ("x = [0]\nfor _ in range(60):\n    x = [*x, *x]\nreturn x", ITEMS),
        ("x = [0]\nfor _ in range(60):\n    x[0:0] = x\nreturn x", ITEMS),
        ("x = 'y'\nfor _ in range(60):\n    x = ''.join([x, x])\nreturn x", ITEMS),
        ("x = 'y'\nfor _ in range(60):\n    x = x.replace('y', 'yy')\nreturn x", ITEMS),
        ("x = 'y'\nfor _ in range(60):\n    x = f'{x}{x}'\nreturn x", ITEMS),
        ("x = [0]\nfor _ in range(60):\n    x = sum([x, x], [])\nreturn x", ITEMS),
        ("return '%999999999d' % 1", "text filled in"),
        ("x = '%999999999d'\nx %= 1\nreturn x", "text filled in"),
        ("return 10 ** 10 ** 9", BITS),
        ("return pow(10, 10 ** 9)", BITS),
        ("x = 10\nx **= 10 ** 9\nreturn x", BITS),
        ("return 1 << 10 ** 9", BITS),
        ("x = 1\nx <<= 10 ** 9\nreturn x", BITS),
        ("x = 10\nfor _ in range(60):\n    x = x * x\nreturn x", BITS),
        ("x = 10\nfor _ in range(60):\n    x = x ** 2\nreturn x", BITS),
        ("return math.factorial(10 ** 6)", "a factorial"),
        ("return math.comb(10 ** 6, 10 ** 5)", "a number of choices"),
        ("return math.perm(10 ** 6)", "a number of choices"),
        ("return math.prod([10 ** 1000] * 100)", BITS),
        ("return random.choices([1], k=10 ** 9)", ITEMS),
        ("return random.getrandbits(10 ** 9)", BITS),
    ),
    *_attacks(
        "denial of service: arrays",
        ("return np.zeros(10 ** 9)", ITEMS),
        ("return np.ones((10 ** 5, 10 ** 5))", ITEMS),
        ("return np.full(10 ** 9, 1.0)", ITEMS),
        ("return np.empty(10 ** 9)", ITEMS),
        ("return np.arange(10 ** 9)", ITEMS),
        ("return np.linspace(0, 1, 10 ** 9)", ITEMS),
        ("return np.eye(10 ** 5)", ITEMS),
        ("return np.identity(10 ** 5)", ITEMS),
        ("return np.tile([1, 2], 10 ** 9)", ITEMS),
        ("return np.repeat([1], 10 ** 9)", ITEMS),
        ("return np.array([1]).repeat(10 ** 9)", ITEMS),
        ("return np.resize([1], (10 ** 9,))", ITEMS),
        ("return np.broadcast_to(1, (10 ** 9,))", ITEMS),
        ("return np.pad([1], 10 ** 9)", ITEMS),
        ("return np.bincount([10 ** 9])", ITEMS),
        ("return np.indices((10 ** 5, 10 ** 5))", ITEMS),
        ("return np.histogram([1], 10 ** 9)", ITEMS),
        ("x = np.arange(90_000)\nreturn np.outer(x, x)", ITEMS),
        ("x = np.arange(90_000)\nreturn np.kron(x, x)", ITEMS),
        ("x = np.arange(90_000)\nreturn np.meshgrid(x, x)", ITEMS),
        ("x = np.arange(90_000)\nreturn np.diag(x)", ITEMS),
        ("x = np.arange(90_000)\nreturn x[:, np.newaxis] * x", ITEMS),
        ("x = np.arange(90_000)\nreturn x[:, None] + x", ITEMS),
        ("x = np.arange(9)\nfor _ in range(60):\n    x = np.append(x, x)", ITEMS),
        ("x = np.arange(9)\nfor _ in range(60):\n    x = np.concatenate([x, x])", ITEMS),
        ("x = np.arange(9)\nfor _ in range(60):\n    x = np.hstack((x, x))", ITEMS),
        ("return np.random.rand(10 ** 5, 10 ** 5)", ITEMS),
        ("return np.random.normal(0, 1, 10 ** 9)", ITEMS),
        ("return np.random.default_rng().normal(size=10 ** 9)", ITEMS),
        ("return np.random.permutation(10 ** 9)", ITEMS),
        ("text = 'U999999999'\nreturn np.zeros(3, text)", "dtype 'U999999999'"),
    ),
)

FAILED = (
    *_attacks(
        "tamper: what is frozen",
        ("a = history.my_actions\na[0] = False\nreturn C", "read-only"),
        ("a = history.my_payoffs\na += 100\nreturn C", "read-only"),
        ("history.my_actions.sort()\nreturn C", "read-only"),
        ("history.my_actions.fill(True)\nreturn C", "read-only"),
        ("np.copyto(history.my_actions, True)\nreturn C", "read-only"),
        ("np.add(1, 1, out=history.my_payoffs)\nreturn C", "read-only"),
        ("np.put(history.my_payoffs, [0], [9])\nreturn C", "read-only"),
        ("np.fill_diagonal(history.opponent_payoffs, 9)\nreturn C", "read-only"),
        ("random.shuffle(history.my_payoffs)\nreturn C", "read-only"),
        ("return np.ndarray((3,))", "np.ndarray makes no arrays"),
        ("return np.array(['x'], str)", "Cannot interpret"),
        ("return iter(int, 1)", "takes 1 positional argument"),
        ("random.seed(self)\nreturn C", "a seed is a number or a text"),
        ("return hash(self)", "no stable hash"),
        ("return {self, 1}", "unhashable type"),
        ("return [].index(self)", "the value is not in the list"),
        ("return np.random.seed([1])", "not list"),
        ("return random.seed(math.nan)", "no number"),
        ("return random.vonmisesvariate(0, math.nan)", "finite"),
        ("return random.gammavariate(math.inf, 1)", "finite"),
        ("return random.betavariate(1, math.nan)", "finite"),
        ("return random.gammavariate(alpha=1, beta=math.nan)", "finite"),
    ),
)

# What a program may return, and what must not be taken for an action.
WRONG_TYPES = {
    "return 1": "int",
    "return True": "bool",
    "return 'C'": "str",
    "return None": "NoneType",
    "pass": "NoneType",
    "return [C]": "list",
    "return np.bool_(True)": "bool",
    "return Action": "EnumType",
    "return C.value": "int",
    "return lambda: C": "function",
}
