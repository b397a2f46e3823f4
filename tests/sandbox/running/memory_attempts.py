"""Attempts to remember, to draw or to read more of the history than is noted, one of each idea.

A body is that of `act`, with what `__init__` does before it; a class stands as it is. None of them
has ever played otherwise in batches than alone; hidden_memory has those that once did.
"""

from __future__ import annotations

from textwrap import indent

START = "self.items = []\nself.a = np.zeros(2)\nself.d = {}\n"


def _with_body(text: str, start: str) -> str:
    return (
        "class Spy:\n    def __init__(self, game):\n"
        + indent(START + start, " " * 8)
        + "\n\n    def act(self, history):\n"
        + indent(text, " " * 8)
        + "\n"
    )


BODIES: tuple[tuple[str, str], ...] = (
    (
        "[y.append(1) for x in [0] if (y := self.items) is not None]\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "y = [z for z in [self.items]][0]\ny += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "(lambda: self.items.append(1))()\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "f = lambda x=self.items: x.append(1)\nf()\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "def f(x=self.items):\n    x.append(1)\nf()\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "def f(*, x=self.items):\n    x.append(1)\nf()\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "def f(*a):\n    a[0].append(1)\nf(*[self.items])\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "def f(**k):\n"
        "    k['x'].append(1)\n"
        "f(x=self.items)\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "a, *b = [0, self.items]\nb[0].append(1)\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "for a in (self.items,):\n    a += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "for i, a in enumerate([self.items]):\n"
        "    a += [1]\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "for a, b in zip([self.items], [1]):\n"
        "    a.extend([b])\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = {0: self.items}\nx[0] += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = {0: self.items}\n"
        "for k, v in x.items():\n"
        "    v += [k]\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = {0: self.items}\nx.get(0).append(1)\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = {0: self.items}\n"
        "x.setdefault(0, []).append(1)\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = {0: self.items}.values()\n"
        "for v in x:\n"
        "    v.append(1)\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = dict(a=self.items)\nx['a'] += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = max([self.items], key=len)\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = sorted([self.items])[0]\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = next(iter([self.items]))\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = list(reversed([self.items]))[0]\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = list(filter(None, [self.items, [1]]))[0]\n"
        "x += [1]\n"
        "return C if len(self.items) % 2 else D",
        "self.items=[0]",
    ),
    (
        "x = (self.items if True else 0)\nx *= 2\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "self.items=[0]",
    ),
    (
        "x = self.items and self.items\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "self.items=[0]",
    ),
    (
        "x = (self.items, )[0]\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = [*[self.items]][0]\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = {**{'k': self.items}}['k']\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = getattr(self, 'items')\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = self\nx.items.append(1)\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = [self][0]\nx.items.append(1)\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = min(self.items, [9])\nx += [1]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = np.array([self.items, None], dtype=None)[0]\n"
        "x += [1]\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = np.asarray(self.a)\nx += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a[:]\nx += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a[...] if False else self.a[0:1]\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a.reshape(2, 1)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a.ravel()\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.ravel(self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.reshape(self.a, 2)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.squeeze(self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.atleast_1d(self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.transpose(self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.flip(self.a)\nx[0] += 1\nreturn C if self.a[1] % 2 else D",
        "",
    ),
    (
        "x = np.diagonal(self.b)\nreturn C if x.sum() else D",
        "self.b=np.eye(2)",
    ),
    (
        "x = np.real(self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a.real\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "self.a.real[0] = self.a.real[0] + 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a.flat\nx[0] = x[0] + 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.split(self.a, 1)[0]\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.array_split(self.a, 1)[0]\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.swapaxes(self.b, 0, 1)\nx[0] += 1\nreturn C if self.b[0, 0] % 2 else D",
        "self.b=np.eye(2)",
    ),
    (
        "x = np.broadcast_arrays(self.a, self.a)[0]\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "for x in [self.a]:\n    x -= 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "for x in self.b:\n    x += 1\nreturn C if self.b[0, 0] % 2 else D",
        "self.b=np.zeros((2,2))",
    ),
    (
        "x = np.nan_to_num(self.a, copy=False)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a.astype(float)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = self.a.astype(float, copy=False)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.where(True, self.a, self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x, y = np.divmod(self.a + 1, 9, self.a, self.a)\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.copy(self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.ix_(self.b)\nx[0][0] += 1\nreturn C if self.b[0] % 2 else D",
        "self.b=np.array([0,1])",
    ),
    (
        "x = np.meshgrid(self.a, copy=False)[0]\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "np.minimum.accumulate(self.a + 1, 0, None, self.a)\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "np.cumsum(self.a + 1, None, None, self.a)\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "np.take(self.a + 1, [0, 1], None, self.a)\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "np.round(self.a + 1, 0, self.a)\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "np.median(self.a + [0, 1], None, None, False)\nself.a\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "np.einsum('i->i', self.a)[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.einsum('i->i', self.a)\nx[0] += 1\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.einsum('i,i->i', self.a + 1, [1, 1], out=self.a)\nreturn C if self.a[0] % 2 else D",
        "",
    ),
    (
        "x = np.matmul(self.b, self.b, self.b)\nreturn C if self.b[0, 0] > 9 else D",
        "self.b=np.ones((2,2))*1.5",
    ),
    (
        "x = np.partition(self.a, 0)\nreturn C if x[0] else D",
        "",
    ),
    (
        "x = np.trace(self.b)\nreturn C if x % 2 else D",
        "self.b=np.eye(2)",
    ),
    (
        "np.random.shuffle(self.z)\nreturn C if self.z[0] == 1 else D",
        "self.z=[1,2,3]",
    ),
    (
        "random.shuffle(self.z)\nreturn C if self.z[0] == 1 else D",
        "self.z=[1,2,3]",
    ),
    (
        "r = random\nr.shuffle(self.z)\nreturn C if self.z[0] == 1 else D",
        "self.z=[1,2,3]",
    ),
    (
        "np.apply_along_axis(lambda v: self.items.append(1) or 0, 0, [1, 2])\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "np.piecewise(np.ones(1), [np.ones(1) > 0], [lambda v: self.items.append(1) or 1])\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "f'{self.items.append(1)}'\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = f'{(y := self.items)}'\ny.append(1)\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "assert self.items.append(1) is None\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "try:\n"
        "    raise ValueError(self.items)\n"
        "except ValueError as e:\n"
        "    pass\n"
        "self.items.append(1)\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "while self.items.append(1):\n    pass\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = self.items.append(1) if True else 0\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = [1, 2][self.items.append(1) or 0]\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = 0 if (self.items.append(1),) else 1\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "x = not self.items.append(1)\nreturn C if len(self.items) % 2 else D",
        "",
    ),
    (
        "def deep():\n"
        "    def deeper():\n"
        "        self.items.append(1)\n"
        "    deeper()\n"
        "deep()\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "def f(n):\n"
        "    return (n, f)[0].append(1)\n"
        "f(self.items)\n"
        "return C if len(self.items) % 2 else D",
        "",
    ),
    (
        "self.s.add(len(self.s))\nreturn C if len(self.s) % 2 else D",
        "self.s=set()",
    ),
    (
        "self.s |= {len(self.s)}\nreturn C if len(self.s) % 2 else D",
        "self.s=set()",
    ),
    (
        "s = self.s\ns |= {len(s)}\nreturn C if len(self.s) % 2 else D",
        "self.s=set()",
    ),
    (
        "s = self.s\ns ^= {1}\nreturn C if len(self.s) % 2 else D",
        "self.s=set()",
    ),
    (
        "s = self.s\ns -= {1}\ns.update([len(s)])\nreturn C if len(self.s) % 2 else D",
        "self.s=set()",
    ),
    (
        "s = self.s.symmetric_difference_update({1})\nreturn C if len(self.s) % 2 else D",
        "self.s=set()",
    ),
    (
        "self.d['n'] = self.d.get('n', 0) + 1\nreturn C if self.d['n'] % 2 else D",
        "",
    ),
    (
        "d = self.d\nd |= {len(d): 1}\nreturn C if len(self.d) % 2 else D",
        "",
    ),
    (
        "d = self.d\nd.update(x=d.get('x', 0) + 1)\nreturn C if self.d['x'] % 2 else D",
        "",
    ),
    (
        "x = self.d.popitem() if self.d else self.d.setdefault(1, 1)\nreturn C if self.d else D",
        "",
    ),
    (
        "self.n[0][0] += 1\nreturn C if self.n[0][0] % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = self.n[0]\nx[0] += 1\nreturn C if self.n[0][0] % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = self.n[:]\nx[0] += [1]\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = self.n.copy()\nx[0].append(1)\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = list(self.n)\nx[0].append(1)\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = tuple(self.n)\nx[0].append(1)\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = dict(self.m)\nx[0].append(1)\nreturn C if len(self.m[0]) % 2 else D",
        "self.m={0: []}",
    ),
    (
        "x = self.m.copy()\nx[0] += [1]\nreturn C if len(self.m[0]) % 2 else D",
        "self.m={0: []}",
    ),
    (
        "x = self.n * 2\nx[0] += [1]\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = self.n + []\nx[0] += [1]\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = [y for y in self.n]\nx[0] += [1]\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = {k: v for k, v in self.m.items()}\nx[0] += [1]\nreturn C if len(self.m[0]) % 2 else D",
        "self.m={0: []}",
    ),
    (
        "x = sum([self.n], [])\nx[0] += [1]\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x, = self.n\nx += [1]\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "[x] = self.n\nx += [1]\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = self.n.pop()\nx += [1]\nself.n.append(x)\nreturn C if len(self.n[0]) % 2 else D",
        "self.n=[[0]]",
    ),
    (
        "x = next(self.it)\nreturn C if x % 2 else D",
        "self.it = iter(range(99))",
    ),
    (
        "x = next(self.it, 0)\nreturn C if x % 2 else D",
        "self.it = (i for i in range(99))",
    ),
    (
        "x = list(zip(self.it, [0]))[0][0]\nreturn C if x % 2 else D",
        "self.it = iter([1,2,3,4,5,6,7,8,9])",
    ),
    (
        "x = 1 in self.it\nreturn C if x else D",
        "self.it = iter([1,2,3,1,2,1])",
    ),
    (
        "a, b, *c = self.it\nreturn C if a % 2 else D",
        "self.it = map(abs, [1, 2, 3])",
    ),
    (
        "x = sum(self.it)\nreturn C if x else D",
        "self.it = reversed([1,2,3])",
    ),
    (
        "x = ''.join(self.it)\nreturn C if x else D",
        "self.it = iter('abc')",
    ),
    (
        "x = any(self.it)\nreturn C if x else D",
        "self.it = enumerate([0])",
    ),
    (
        "x = np.array(list(self.it))\nreturn C if x.size else D",
        "self.it = zip([1],[2])",
    ),
    (
        "x = set(self.it)\nreturn C if x else D",
        "self.it = filter(None,[1])",
    ),
    (
        "x = self.it is not None and len([*self.it])\nreturn C if x else D",
        "self.it = iter((1,2))",
    ),
    (
        "for x in self.it:\n    return C\nreturn D",
        "self.it = [v for v in [iter([1, 2])]][0]",
    ),
    (
        "for x in self.d.get('it', []):\n    return C\nreturn D",
        "self.d['it'] = iter([1, 2])",
    ),
    (
        "x = self.r.random()\nreturn C if x < .5 else D",
        "self.r = random.Random(5)",
    ),
    (
        "x = self.r.random()\nreturn C if x < .5 else D",
        "self.r = np.random.default_rng(5)",
    ),
    (
        "x = self.f()\nreturn C if x < .5 else D",
        "self.f = np.random.RandomState(5).rand",
    ),
    (
        "random.seed(1)\nx = random.random()\nreturn C if x < .5 else D",
        "",
    ),
    (
        "random.seed(float('nan'))\nx = random.random()\nreturn C if x < .5 else D",
        "",
    ),
    (
        "x = hash(float('nan')) + hash(None) + hash((None, float('nan')))\n"
        "return C if x % 2 else D",
        "",
    ),
    (
        "x = list({abs, len, max, min, sum, sorted})\nreturn C if x[0] is abs else D",
        "",
    ),
    (
        "x = list({None, 1, 2, 'a'})\nreturn C if x[0] is None else D",
        "",
    ),
    (
        "x = [str(y) for y in {None, 'b', 'a'}]\nreturn C if x[0] == 'None' else D",
        "",
    ),
    (
        "x = {float('nan'), 1.0}.pop()\nreturn C if x == 1 else D",
        "",
    ),
    (
        "x = {lambda: 1, lambda: 2}\nreturn C if len(x) == 2 else D",
        "",
    ),
    (
        "return C if next(iter({C, D})) is C else D",
        "",
    ),
    (
        "x = {C: 1, D: 2}.keys() | {C}\nreturn C if list(x)[0] is C else D",
        "",
    ),
    (
        "x, y = {abs, len}\nreturn C if x is abs else D",
        "",
    ),
    (
        "x = {abs: 1, len: 2}.keys() - {1}\nreturn C if [*x][0] is abs else D",
        "",
    ),
    (
        "x = id(self) + id(history)\nreturn C if x % 32 else D",
        "",
    ),
    (
        "x = f'{self}{history}{abs}{random}'\nreturn C if len(x) % 2 else D",
        "",
    ),
    (
        "try:\n"
        "    self.items[0]()\n"
        "except Exception as e:\n"
        "    x = str(e)\n"
        "return C if len(x) % 2 else D",
        "self.items=[self.act]",
    ),
)
CLASSES: tuple[str, ...] = (
    (
        "class Spy:\n"
        "    items = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = [[0]][0]\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = [[0]][0]\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = list()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = list()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = [1][:]\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = [1][:]\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = dict(a=[])['a']\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = dict(a=[])['a']\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = (lambda: [])()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = (lambda: [])()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = np.zeros(0).tolist()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items = np.zeros(0).tolist()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items: list = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items: list = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items: 'ClassVar' = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    items: 'ClassVar' = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "ITEMS = []\n"
        "\n"
        "class Spy:\n"
        "    items = ITEMS\n"
        "\n"
        "    def act(self, history):\n"
        "        ITEMS.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "ITEMS = ([],)\n"
        "\n"
        "class Spy:\n"
        "    def act(self, history):\n"
        "        ITEMS[0].append(1)\n"
        "        return C if len(ITEMS[0]) % 2 else D"
    ),
    (
        "ITEMS = {'a': []}\n"
        "\n"
        "class Spy:\n"
        "    def act(self, history):\n"
        "        ITEMS['a'].append(1)\n"
        "        return C if len(ITEMS['a']) % 2 else D"
    ),
    (
        "def f(x=[]):\n"
        "    x.append(1)\n"
        "    return len(x)\n"
        "\n"
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if f() % 2 else D"
    ),
    (
        "def f(*, x={}):\n"
        "    x[len(x)] = 1\n"
        "    return len(x)\n"
        "\n"
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if f() % 2 else D"
    ),
    (
        "def make():\n"
        "    x = []\n"
        "    def f():\n"
        "        x.append(1)\n"
        "        return len(x)\n"
        "    return f\n"
        "\n"
        "class Spy:\n"
        "    f = staticmethod(make())\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.f() % 2 else D"
    ),
    (
        "def make():\n"
        "    x = []\n"
        "    return lambda: x.append(1) or len(x)\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.f = make()\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.f() % 2 else D"
    ),
    (
        "def make():\n"
        "    n = 0\n"
        "    def f():\n"
        "        nonlocal n\n"
        "        n += 1\n"
        "        return n\n"
        "    return f\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.f = make()\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.f() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    class Inner:\n"
        "        items = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.Inner.items.append(1)\n"
        "        return C if len(self.Inner.items) % 2 else D"
    ),
    (
        "class Box:\n"
        "    def __init__(self):\n"
        "        self.n = 0\n"
        "\n"
        "    def up(self):\n"
        "        self.n += 1\n"
        "        return self.n\n"
        "\n"
        "class Spy:\n"
        "    box = Box()\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.box.up() % 2 else D"
    ),
    (
        "class Box:\n"
        "    def __init__(self):\n"
        "        self.n = 0\n"
        "\n"
        "    def up(self):\n"
        "        self.n += 1\n"
        "        return self.n\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.box = Box()\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.box.up() % 2 else D"
    ),
    (
        "class Box:\n"
        "    def __init__(self):\n"
        "        self.n = 0\n"
        "\n"
        "    def __call__(self):\n"
        "        self.n += 1\n"
        "        return self.n\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.box = Box()\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.box() % 2 else D"
    ),
    (
        "class Box:\n"
        "    def __init__(self):\n"
        "        self.n = []\n"
        "\n"
        "    @property\n"
        "    def up(self):\n"
        "        self.n.append(1)\n"
        "        return len(self.n)\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.box = Box()\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.box.up % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.items = []\n"
        "\n"
        "    @property\n"
        "    def up(self):\n"
        "        self.items.append(1)\n"
        "        return len(self.items)\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.up % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.items = []\n"
        "\n"
        "    @property\n"
        "    def up(self):\n"
        "        return self.items\n"
        "\n"
        "    def act(self, history):\n"
        "        self.up.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.items = []\n"
        "\n"
        "    def get(self):\n"
        "        return self.items\n"
        "\n"
        "    def act(self, history):\n"
        "        x = self.get()\n"
        "        x += [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.items = []\n"
        "\n"
        "    def get(self, x):\n"
        "        return x\n"
        "\n"
        "    def act(self, history):\n"
        "        x = list(self.get(self.items))\n"
        "        self.get(self.items)[len(x):] = [1]\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "@dataclass\n"
        "class Box:\n"
        "    items: list = field(default_factory=list)\n"
        "\n"
        "class Spy:\n"
        "    box = Box()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.box.items.append(1)\n"
        "        return C if len(self.box.items) % 2 else D"
    ),
    (
        "@dataclass\n"
        "class Box:\n"
        "    items: list = field(default_factory=lambda: SHARED)\n"
        "\n"
        "SHARED = []\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.box = Box()\n"
        "\n"
        "    def act(self, history):\n"
        "        self.box.items.append(1)\n"
        "        return C if len(self.box.items) % 2 else D"
    ),
    (
        "@dataclass\n"
        "class Spy:\n"
        "    game: object = None\n"
        "    items: list = field(default_factory=list)\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "@dataclass\n"
        "class Spy:\n"
        "    game: object = None\n"
        "    n: int = 0\n"
        "\n"
        "    def __post_init__(self):\n"
        "        self.items = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Mood(Enum):\n"
        "    A = 1\n"
        "    B = 2\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.mood = Mood.A\n"
        "\n"
        "    def act(self, history):\n"
        "        self.mood = Mood.B if self.mood is Mood.A else Mood.A\n"
        "        return C if self.mood is Mood.A else D"
    ),
    (
        "class Mood(Enum):\n"
        "    A = [1]\n"
        "    B = [2]\n"
        "\n"
        "class Spy:\n"
        "    def act(self, history):\n"
        "        Mood.A.value.append(1)\n"
        "        return C if len(Mood.A.value) % 2 else D"
    ),
    (
        "class Mood(Enum):\n"
        "    A = [1]\n"
        "\n"
        "    def up(self):\n"
        "        self.value.append(1)\n"
        "        return len(self.value)\n"
        "\n"
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if Mood.A.up() % 2 else D"
    ),
    (
        "class Mood(IntEnum):\n"
        "    A = 1\n"
        "    B = 2\n"
        "\n"
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.m = Mood.A\n"
        "\n"
        "    def act(self, history):\n"
        "        self.m = Mood(3 - self.m)\n"
        "        return C if self.m == 1 else D"
    ),
    (
        "class Base:\n"
        "    items = []\n"
        "\n"
        "    def bump(self):\n"
        "        self.items.append(1)\n"
        "\n"
        "class Spy(Base):\n"
        "    def act(self, history):\n"
        "        self.bump()\n"
        "        return C if len(self.items) % 2 else D"
    ),
    (
        "class Base:\n"
        "    def __init__(self, game):\n"
        "        self.items = []\n"
        "\n"
        "    def act(self, history):\n"
        "        self.items.append(1)\n"
        "        return C if len(self.items) % 2 else D\n"
        "\n"
        "class Spy(Base):\n"
        "    def act(self, history):\n"
        "        return super().act(history)"
    ),
    (
        "class Base:\n"
        "    def bump(self):\n"
        "        self.n = getattr(self, 'n', 0) + 1\n"
        "        return self.n\n"
        "\n"
        "class Spy(Base):\n"
        "    def act(self, history):\n"
        "        return C if super().bump() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.k = 0\n"
        "\n"
        "    def act(self, history):\n"
        "        for self.k in [self.k + 1]:\n"
        "            pass\n"
        "        return C if self.k % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.k = 0\n"
        "\n"
        "    def act(self, history):\n"
        "        [self.k, x] = self.k + 1, 0\n"
        "        return C if self.k % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.k = 0\n"
        "\n"
        "    def act(self, history):\n"
        "        x = [0 for self.k in [self.k + 1]]\n"
        "        return C if self.k % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.k = [0]\n"
        "\n"
        "    def act(self, history):\n"
        "        x = [0 for self.k[0] in [self.k[0] + 1]]\n"
        "        return C if self.k[0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.k = [0]\n"
        "\n"
        "    def act(self, history):\n"
        "        k = self.k\n"
        "        for k[0] in [k[0] + 1]:\n"
        "            pass\n"
        "        return C if self.k[0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.k = [0]\n"
        "\n"
        "    def act(self, history):\n"
        "        k = self.k\n"
        "        k[0], z = k[0] + 1, 0\n"
        "        return C if self.k[0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.me = self\n"
        "        self.n = 0\n"
        "\n"
        "    def act(self, history):\n"
        "        self.n += 1\n"
        "        return C if self.me.n % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.me = [self]\n"
        "        self.n = 0\n"
        "\n"
        "    def act(self, history):\n"
        "        self.n += 1\n"
        "        return C if self.me[0].n % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.f = self.get\n"
        "        self.n = 0\n"
        "\n"
        "    def get(self):\n"
        "        return self.n\n"
        "\n"
        "    def act(self, history):\n"
        "        self.n += 1\n"
        "        return C if self.f() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.f = lambda: self.n\n"
        "        self.n = 0\n"
        "\n"
        "    def act(self, history):\n"
        "        self.n += 1\n"
        "        return C if self.f() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.old = None\n"
        "\n"
        "    def act(self, history):\n"
        "        x = self.old\n"
        "        self.old = history\n"
        "        return C if x is None or x.round_number % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.old = None\n"
        "\n"
        "    def act(self, history):\n"
        "        x = self.old\n"
        "        self.old = history.my_actions\n"
        "        return C if x is None or len(x) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.t = (1, [0])\n"
        "\n"
        "    def act(self, history):\n"
        "        self.t[1][0] += 1\n"
        "        return C if self.t[1][0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.x = 0.0\n"
        "\n"
        "    def act(self, history):\n"
        "        self.x = -self.x\n"
        "        return C if str(self.x) == '0.0' else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.x = 1\n"
        "\n"
        "    def act(self, history):\n"
        "        self.x = True if self.x is not True else 1\n"
        "        return C if self.x is True else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.x = [1]\n"
        "\n"
        "    def act(self, history):\n"
        "        self.x[0] = True if self.x[0] is not True else 1\n"
        "        return C if self.x[0] is True else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.x = {1: 0, 2: 0}\n"
        "\n"
        "    def act(self, history):\n"
        "        k = list(self.x)[0]\n"
        "        self.x.pop(k)\n"
        "        self.x[k] = 0\n"
        "        return C if list(self.x)[0] == 1 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.x = np.zeros(2, int)\n"
        "\n"
        "    def act(self, history):\n"
        "        self.x = self.x.astype(float) if self.x.dtype == int else self.x.astype(int)\n"
        "        return C if self.x.dtype == int else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.x = 'a'\n"
        "\n"
        "    def act(self, history):\n"
        "        self.x += 'b'\n"
        "        return C if len(self.x) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.n = np.array(0)\n"
        "\n"
        "    def act(self, history):\n"
        "        self.n += 1\n"
        "        return C if self.n % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.n = np.int64(0)\n"
        "        self.m = self.n\n"
        "\n"
        "    def act(self, history):\n"
        "        n = self.n\n"
        "        n += 1\n"
        "        return C if self.n % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.a = self.b = [0]\n"
        "\n"
        "    def act(self, history):\n"
        "        self.a = self.a + [1]\n"
        "        self.b.append(2)\n"
        "        return C if len(self.a) > len(self.b) else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.a = self.b = [0]\n"
        "        self.k = 1\n"
        "\n"
        "    def act(self, history):\n"
        "        self.b = self.a\n"
        "        self.a[0] += 1\n"
        "        return C if self.b[0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.log = []\n"
        "        self.best = self.log\n"
        "\n"
        "    def act(self, history):\n"
        "        self.log.append(history.round_number)\n"
        "        if len(self.log) > 2:\n"
        "            self.log = []\n"
        "        return C if len(self.best) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        if history.round_number == 2:\n"
        "            self.act = self.other\n"
        "        return C\n"
        "\n"
        "    def other(self, history):\n"
        "        return D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history, n=[0]):\n"
        "        n[0] += 1\n"
        "        return C if n[0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history, *, n=[0]):\n"
        "        n[0] += 1\n"
        "        return C if n[0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history, n=np.zeros(1)):\n"
        "        n += 1\n"
        "        return C if n[0] % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history, f=(lambda x=[]: x.append(1) or len(x))):\n"
        "        return C if f() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    luck = [random.random() for _ in range(3)]\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.luck[0] < .5 else D"
    ),
    (
        "LUCK = random.random()\n"
        "\n"
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if LUCK < .5 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history, luck=random.random()):\n"
        "        return C if luck < .5 else D"
    ),
    (
        "class Spy:\n"
        "    draw = random.random\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.draw() < .5 else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.draw = np.random.rand\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.draw() < .5 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        h = [history][0]\n"
        "        return C if h.opponent_cooperators[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        f = self.act2\n"
        "        return f(history)\n"
        "\n"
        "    def act2(self, x):\n"
        "        return C if x.opponent_cooperators[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return self.act2(h=history)\n"
        "\n"
        "    def act2(self, h):\n"
        "        return C if h.opponent_cooperators[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return self.act2(*[history])\n"
        "\n"
        "    def act2(self, history):\n"
        "        return C if history.opponent_cooperators[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        x = history.opponent_cooperators\n"
        "        y = x\n"
        "        return C if y[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        x = history.opponent_cooperators[-1:]\n"
        "        x = history.opponent_cooperators\n"
        "        return C if x[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        (x := history.opponent_cooperators)\n"
        "        return C if x[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        x, = [history.opponent_cooperators]\n"
        "        return C if x[1:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        def f(x=history.opponent_cooperators):\n"
        "            return x[1:2].sum()\n"
        "        return C if f() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        x = [history.opponent_cooperators[-i] for i in range(1, history.round_nu"
        "mber + 1)]\n"
        "        return C if sum(x) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        n = len(history.my_actions)\n"
        "        return C if n % 3 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        n = history.my_actions.size\n"
        "        return C if n % 3 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.round_number in (1, 3) else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.round_number % 2 == 0 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.round_number > self.n else D\n"
        "\n"
        "    n = 2"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if 1 < history.round_number < 4 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.round_number == 2 or history.round_number == 4 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if not history.round_number - 3 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators[-1:] == history.opponent_cooper"
        "ators[0:1] else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if len(history.opponent_cooperators) and history.opponent_coope"
        "rators[-True] else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators[-2:][:1].sum() else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators[:-1].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators[:3][-1:].sum() else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators[3:].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators[0:2].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators[1:3].sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators.sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if np.mean(history.opponent_cooperators) > 1 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if np.sum(history.opponent_cooperators, where=[True]) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_cooperators.mean() > 1 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if sum(history.opponent_cooperators, 1) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if sum(history.opponent_actions[-1]) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.round_number and history.opponent_actions[-1][0] else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_actions.sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_actions.mean() > .5 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if np.count_nonzero(history.opponent_actions) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if np.count_nonzero(history.opponent_actions, 0).max(initial=0)"
        " % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.opponent_payoffs.sum() > 9 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.my_payoffs.sum() % 1 > .3 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if sum(history.my_payoffs) % 1 > .3 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.my_payoffs.mean() > 1 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if max(history.my_payoffs[-3:], default=0) > 1 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if history.round_number and history.my_payoffs[-1] > history.my"
        "_payoffs[0] else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if getattr(history, 'my_payoffs', None).sum() > 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if hasattr(history, 'stock') and history.round_number < 2 else D"
    ),
    ("class Spy:\n    def act(self, history):\n        return C if history.stock is None else D"),
    ("class Spy:\n    def act(self, history):\n        return C if history else D"),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if bool(history.my_actions.any()) else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        try:\n"
        "            return C if history.opponent_cooperators[2] else D\n"
        "        except IndexError:\n"
        "            return C"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        try:\n"
        "            return C if history.opponent_cooperators[-3] else D\n"
        "        except IndexError:\n"
        "            return C"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        x = history.opponent_cooperators\n"
        "        return C if len(x) > 2 and x[-1] == x[-3] else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        x = history.opponent_cooperators\n"
        "        if len(x) > 2:\n"
        "            x = x[1:]\n"
        "        return C if x.sum() % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        for x in history.opponent_cooperators:\n"
        "            if x == 1:\n"
        "                return C\n"
        "        return D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if 1 in history.opponent_cooperators else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if [*history.opponent_cooperators][1:2] == [1] else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if list(history.opponent_cooperators).count(1) % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if f'{history.opponent_cooperators}'.count('1') % 2 else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history):\n"
        "        return C if str(history.opponent_cooperators[1:2]) == '[1]' else D"
    ),
    (
        "class Spy:\n"
        "    def act(self, history, state=3):\n"
        "        return C if history.round_number < state else D"
    ),
    (
        "class Spy:\n"
        "    def __init__(self, game):\n"
        "        self.g = game\n"
        "\n"
        "    def act(self, history):\n"
        "        return C if self.g.n_rounds - history.round_number > 2 else D"
    ),
)
ATTEMPTS = (*(_with_body(*one) for one in BODIES), *(f"{one}\n" for one in CLASSES))
