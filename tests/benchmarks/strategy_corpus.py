"""A generator of strategies as language models write them, in shares that were counted.

Each strategy is composed of an opening, what it looks at, a rule and an ending. What it is made of
(loops, numpy, memory, luck, helpers ...) is dealt out beforehand, so that the shares come out as in
the published corpus. Thresholds are parts of the group: a strategy plays in groups of any size.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent
from typing import Literal

Interface = Literal["counts", "full"]
Game = Literal["public_goods", "collective_risk", "common_pool"]

# Shares of the published classes; luck and memory exclude each other here.
SHARES: dict[Interface, dict[str, float]] = {
    "counts": {
        "luck": 0.09,
        "memory": 0.28,
        "numpy": 0.15,
        "for_loop": 0.12,
        "while_loop": 0.02,
        "comprehension": 0.06,
        "handler": 0.02,
        "helper": 0.10,
        "slices": 0.12,
        "getattr": 0.05,
        "static": 0.02,
        "nested": 0.01,
        "base_init": 0.05,
    },
    "full": {
        "luck": 0.18,
        "memory": 0.33,
        "numpy": 0.58,
        "for_loop": 0.12,
        "while_loop": 0.02,
        "comprehension": 0.09,
        "handler": 0.02,
        "helper": 0.14,
        "slices": 0.73,
        "getattr": 0.02,
        "static": 0.02,
        "nested": 0.01,
        "base_init": 0.05,
    },
}
DESCRIPTIONS = {
    "public_goods": "PublicGoodsDescription",
    "collective_risk": "CollectiveRiskDescription",
    "common_pool": "CommonPoolDescription",
}
HEADER = """\
import math
import random
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from emergent_llm.common import Action, C, D, PlayerHistory
from emergent_llm.games import CollectiveRiskDescription, CommonPoolDescription
from emergent_llm.games import PublicGoodsDescription
from emergent_llm.players import BaseStrategy
"""


@dataclass(frozen=True)
class Kind:
    """The interface and game that strategies are written for."""

    interface: Interface = "counts"
    game: Game = "public_goods"

    @property
    def round(self) -> str:
        return "history.round_number" if self.interface == "counts" else "state.round_number"

    @property
    def counts(self) -> str:
        """The number of cooperating opponents, round by round."""
        if self.interface == "counts":
            return "history.opponent_cooperators"
        return "history.opponent_actions.sum(axis=1)"

    @property
    def last(self) -> str:
        """The same of the last round."""
        if self.interface == "counts":
            return "int(history.opponent_cooperators[-1])"
        return "int(history.opponent_actions[-1].sum())"

    @property
    def stock(self) -> str:
        return "current_stock" if self.interface == "counts" else "state.current_stock"

    @property
    def signature(self) -> str:
        stock = ", current_stock: float" if self.game == "common_pool" else ""
        if self.interface == "counts":
            return f"self, history: PlayerHistory{stock}"
        return "self, state, history: PlayerHistory"


class Writer:
    """Writes one strategy: its plan is what it must be made of."""

    def __init__(
        self, kind: Kind, plan: frozenset[str], luck: random.Random, special_rounds: int
    ) -> None:
        self.kind, self.plan, self.luck = kind, plan, luck
        self.special_rounds = special_rounds
        # Special rules leave all else as it was without them.
        self.odd_luck = random.Random(f"{special_rounds} {luck.random()}")
        self.gives = 0.5  # how often a move that nothing suggests is C
        self.fields: dict[str, str] = {}
        self.helpers: list[str] = []
        self.body: list[str] = []
        self.signals: list[str] = []

    def write(self, name: str, attitude: str) -> str:
        """Compose the class."""
        self.gives = 0.99 if attitude == "COLLECTIVE" else 0.01
        self._opening()
        self._ending()
        for part in sorted(self.plan & {*_PARTS}):
            _PARTS[part](self)
        for _ in range(
            self.luck.choice((0, 1, 1, 2)) if self.signals else self.luck.choice((1, 2))
        ):
            self.luck.choice(_PLAIN)(self)
        self._rule()
        return self._class(name, attitude)

    def _class(self, name: str, attitude: str) -> str:
        description = DESCRIPTIONS[self.kind.game]
        start = ["self.n = game_description.n_players"]
        start += ["self.others = self.n - 1", "self.rounds = game_description.n_rounds"]
        if "base_init" in self.plan:
            start.insert(0, "super().__init__(game_description)")
        if self.kind.game == "common_pool":
            start.append("self.capacity = game_description.capacity")
        else:
            start.append("self.k = game_description.k")
        if self.kind.game == "collective_risk":
            start.append("self.m = game_description.m")
        start += [f"self.{field} = {value}" for field, value in self.fields.items()]
        words = "\n".join(self.luck.choices(_WORDS[attitude], k=self.luck.randint(1, 3)))
        parts = [
            f'"""{words}\n"""',
            f"def __init__(self, game_description: {description}):\n" + _in(start),
            *self.helpers,
            f"def __call__({self.kind.signature}) -> Action:\n" + _in(self.body),
        ]
        text = "\n\n".join(indent(part, "    ") for part in parts)
        return f"class {name}(BaseStrategy):\n{text}\n"

    def number(self, name: str, values: tuple[float, ...]) -> str:
        """Keep a constant on the instance, or write it where it is used."""
        value = self.luck.choice(values)
        if self.luck.random() < 0.4:
            return repr(value)
        name = f"{name}_{len(self.fields)}"
        self.fields[name] = repr(value)
        return f"self.{name}"

    def share(self, name: str) -> str:
        return self.number(name, _LOW if self.gives > 0.5 else _HIGH)

    def say(self, *lines: str) -> None:
        self.body += lines

    def remark(self, *texts: str) -> None:
        """Sometimes comment on what follows, as models like to."""
        if self.luck.random() < 0.75:
            self.body += ["", f"# {self.luck.choice(texts)}"]

    def add_signal(self, name: str, expression: str) -> None:
        """Name a number that is high where the others are good."""
        name = f"{name}_{len(self.signals)}"
        self.say(f"{name} = {expression}")
        self.signals.append(name)

    def move(self, kind: bool | None = None) -> str:
        kind = self.luck.random() < self.gives if kind is None else kind
        return "C" if kind else "D"

    # The first rounds and the last.

    def _opening(self) -> None:
        luck, round_number = self.luck, self.kind.round
        if "getattr" in self.plan:
            owner = "history" if self.kind.interface == "counts" else "state"
            self.say(f'round_number = getattr({owner}, "round_number", 0)')
        else:
            self.say(f"round_number = {round_number}")
        self.remark("Start with a clear signal", "Nothing is known yet", "First round")
        self.say("if round_number == 0:", f"    return {self.move()}")
        for _ in range(self.special_rounds):
            self._special_round()
        if luck.random() < 0.25:
            self.remark("Show the same face once more", "Keep to the opening for a moment")
            self.say(f"if round_number < {luck.choice((2, 3))}:", f"    return {self.move()}")

    def _ending(self) -> None:
        luck = self.luck
        if luck.random() < 0.35:
            self.remark("No future, no reason to hold back", "The end of the game is special")
            left = luck.choice((1, 1, 1, 2, 2, 3))
            self.say(f"if round_number >= self.rounds - {left}:")
            if luck.random() < 0.6:
                self.say(f"    return {self.move(luck.random() < 0.05)}")
            else:
                limit = self.share("last_stand")
                self.say(f"    return C if {self.kind.last} >= {limit} * self.others else D")
        if luck.random() < 0.03:
            self.remark("A quiet test from time to time", "Take turns by the calendar")
            period = luck.choice((3, 4, 5, 6, 7))
            self.say(f"if round_number % {period} == {luck.randrange(period)}:")
            self.say(f"    return {self.move()}")

    def _special_round(self) -> None:
        """Give one early history, which seldom comes, a rule of its own."""
        luck = self.odd_luck
        number = luck.choice((1, 2, 3, 3, 4, 4, 4))
        first = self.kind.last.replace("[-1]", "[0]")
        given, now = luck.randrange(4), luck.randrange(4)
        self.say("", "# A case of its own")
        self.say(
            f"if round_number == {number} and {first} == {given} and {self.kind.last} == {now}:"
        )
        self.say(f"    return {self.move(luck.random() < 0.5)}")

    # The rule that decides.

    def _rule(self) -> None:
        luck = self.luck
        for signal in self.signals[:-1]:
            self._branch(signal)
        last = self.signals[-1]
        if "luck" in self.plan:
            self._mix(last)
        elif luck.random() < 0.15:
            other = luck.choice(self.signals)
            self.remark("Weigh both impressions", "A common scale for all evidence")
            self.say(f"score = 0.5 * {last} + 0.5 * {other}")
            self.say(f"return C if score >= {self.share('score')} else D")
        elif luck.random() < 0.05:
            self.remark("Go against the stream", "Fill the gap that others leave")
            self.say(f"return D if {last} > {self.share('enough')} else C")
        else:
            self.remark("Answer in kind", "Decide by what the group does")
            good = "C" if self.gives > 0.5 else luck.choice("CDDDD")
            self.say(f"if {last} >= {self.share('good')}:", f"    return {good}", "return D")

    def _branch(self, signal: str) -> None:
        luck, limit = self.luck, self.share("limit")
        self.remark("Clear cases first", "A strong sign settles it", "Do not let this pass")
        more = ""
        if luck.random() < 0.4:
            more = luck.choice(
                (
                    " and bool(history.my_actions[-1])",
                    " and not history.my_actions[-1]",
                    f" and round_number > {luck.choice((1, 2, 3))}",
                    f" and {self.kind.last} >= 1",
                    f" and history.my_payoffs[-1] > {luck.choice((0.5, 1.0, 1.5, 2.0))}",
                )
            )
        if luck.random() < 0.5:
            self.say(
                f"if {signal} >= {limit}{more}:",
                f"    return {self.move(luck.random() < self.gives)}",
            )
        else:
            self.say(
                f"if {signal} < {limit}{more}:", f"    return {self.move(luck.random() < 0.05)}"
            )

    def _mix(self, signal: str) -> None:
        luck = self.luck
        self.remark("A little noise keeps the others guessing", "Mix, so that nobody can be sure")
        generous = self.gives > 0.5
        chance = luck.choice(
            (
                self.number("chance", (0.95, 0.97, 0.98) if generous else (0.02, 0.03, 0.05)),
                f"max(0.05, min(0.95, {signal}))",
            )
        )
        drawn = (
            "np.random.random()"
            if "numpy" in self.plan and luck.random() < 0.3
            else "random.random()"
        )
        if luck.random() < 0.6:
            self.say(f"if {signal} >= {self.share('sure')}:", f"    return {self.move()}")
        self.say(f"if {drawn} < {chance}:", "    return C", "return D")


def _in(lines: list[str]) -> str:
    return indent("\n".join(lines), "    ")


# Bounds of those who mean to give, and of those who mean to take.
_LOW = (0.1, 0.15, 0.2, 0.25, 0.25, 0.3, 0.3, 0.3, 0.34)
_HIGH = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.0)
_WORDS = {
    "COLLECTIVE": (
        "Builds trust early and answers decline with measured restraint.",
        "Seeks a high level of giving without being the only one who gives.",
        "Forgives single lapses; a lasting slump is answered.",
        "What helps the group comes first, as long as enough others agree.",
        "Stays generous while the group can be brought back.",
    ),
    "EXPLOITATIVE": (
        "Lives on the generosity of others and gives only to keep it alive.",
        "Takes what can be taken; gives when giving pays later.",
        "Looks for groups that carry a free rider.",
        "Cooperates as an investment, never as a habit.",
        "Gives a signal now and then, so that the others do not give up.",
    ),
}


# What a strategy looks at.


def _last(to: Writer) -> None:
    to.remark("How many of the others gave last time", "The last round says most")
    to.add_signal("latest", f"{to.kind.last} / self.others")


def _trend(to: Writer) -> None:
    to.remark("Is the mood rising or falling?")
    to.say("if round_number < 2:", f"    return {to.move()}")
    before = to.kind.last.replace("[-1]", "[-2]")
    to.say(f"change = {to.kind.last} - {before}")
    to.add_signal("mood", "0.5 + 0.5 * change / self.others")


def _average(to: Writer) -> None:
    to.remark("The long view", "Share of giving so far")
    if to.kind.interface == "full":
        to.add_signal("overall", "float(history.opponent_actions.mean())")
    else:
        form = to.luck.choice(
            (
                "int({0}.sum()) / (round_number * self.others)",
                "int({0}.sum()) / (round_number * self.others)",
                "float({0}.mean()) / self.others",
                "float(sum({0})) / (len({0}) * self.others)",
            )
        )
        to.add_signal("overall", form.format(to.kind.counts))


def _payoff(to: Writer) -> None:
    to.remark("Compare the last payoff with what full cooperation would pay")
    best = "self.capacity / (2 * self.n)" if to.kind.game == "common_pool" else "self.k"
    to.add_signal("payoff", f"float(history.my_payoffs[-1]) / ({best} + 1)")


def _group(to: Writer) -> None:
    to.remark("All who gave, with ourselves")
    to.add_signal("group", f"({to.kind.last} + int(history.my_actions[-1])) / self.n")


def _stock(to: Writer) -> None:
    to.remark("How full the pool is", "A thin stock calls for restraint")
    to.add_signal("fullness", f"{to.kind.stock} / self.capacity")


def _threshold(to: Writer) -> None:
    to.remark("Is the target within reach?", "Would one more be decisive?")
    to.add_signal("reach", f"min(1.0, ({to.kind.last} + 1) / self.m)")


# The body of a typical published strategy takes half a microsecond: it looks at the last round.
_PLAIN = [*[_last] * 6, _trend, _trend, _average, _payoff, _payoff, _group, _group]


def _for_loop(to: Writer) -> None:
    luck = to.luck
    to.remark("Recent rounds weigh more", "Go back round by round")
    if luck.random() < 0.6:
        fade = to.number("fade", (0.5, 0.6, 0.7, 0.8, 0.9))
        to.say("weight, heard, total = 1.0, 0.0, 0.0")
        to.say(f"for back in range(1, min(round_number, {luck.choice((2, 3, 4, 5, 8))}) + 1):")
        to.say(f"    heard += weight * {to.kind.last.replace('[-1]', '[-back]')}")
        to.say("    total += weight", f"    weight *= {fade}")
        to.add_signal("memory", "heard / (total * self.others)")
    else:
        to.say("good = 0", f"for given in {to.kind.counts}:")
        to.say(f"    if given >= {to.share('fair')} * self.others:", "        good += 1")
        to.add_signal("fair_rounds", "good / round_number")


def _while_loop(to: Writer) -> None:
    to.remark("How long has this lasted?")
    to.say(f"counts = {to.kind.counts}", "streak = 0")
    limit = to.share("streak_of")
    to.say(f"while streak < len(counts) and counts[-1 - streak] >= {limit} * self.others:")
    to.say("    streak += 1")
    to.add_signal("streak", f"min(1.0, streak / {to.luck.choice((2, 3, 4))})")


def _comprehension(to: Writer) -> None:
    to.remark("Count the rounds that were good enough")
    form = to.luck.choice(
        (
            "sum(1 for given in {0} if given >= {1} * self.others) / round_number",
            "len([given for given in {0} if given > {1} * self.others]) / round_number",
            "float(all(given >= {1} * self.others for given in {0}))",
            "float(any(given <= {1} * self.others for given in {0}))",
        )
    )
    to.add_signal("counted", form.format(to.kind.counts, to.share("bar")))


def _handler(to: Writer) -> None:
    to.remark("Nothing may have been given at all")
    to.say("try:", "    ratio = history.my_actions.sum() / int(history.my_payoffs.sum())")
    to.say("except (ZeroDivisionError, OverflowError):", "    ratio = 0.0")
    to.add_signal("ratio", "1.0 - min(1.0, float(ratio))")


def _helper(to: Writer) -> None:
    name, luck = "_share", to.luck
    window = luck.choice((2, 3, 4, 5))
    to.helpers.append(
        f"def {name}(self, counts) -> float:\n"
        f'    """The share of giving in the last rounds."""\n'
        f"    if len(counts) >= {window}:\n"
        f"        return (int(counts[-1]) + int(counts[-2])) / (2 * self.others)\n"
        f"    return int(counts[-1]) / self.others"
    )
    to.remark("What the last rounds were like")
    to.add_signal("share", f"self.{name}({to.kind.counts})")


def _static(to: Writer) -> None:
    low, high = sorted(to.luck.sample((0.0, 0.1, 0.2, 0.5, 0.8, 0.9, 1.0), 2))
    to.helpers.append(
        f"@staticmethod\ndef _clip(value: float) -> float:\n"
        f"    return max({low}, min({high}, value))"
    )
    to.remark("Extremes count as what lies before them")
    to.add_signal("clipped", f"self._clip({to.kind.last} / self.others)")


def _nested(to: Writer) -> None:
    to.remark("One measure for every round")
    to.say("def part(place):", f"    return int({to.kind.counts}[place]) / self.others")
    to.add_signal("ends", f"{to.number('early', (0.2, 0.4, 0.5))} * part(0) + 0.5 * part(-1)")


def _slices(to: Writer) -> None:
    luck = to.luck
    window = luck.choice((2, 3, 4, 5))
    to.remark("A window on the last rounds", "Old stories do not count")
    if to.kind.interface == "full":
        to.say(f"recent = history.opponent_actions[-{window}:]")
        to.add_signal("recent", luck.choice(("float(recent.mean())", "float(recent[-1].mean())")))
    else:
        to.say(f"recent = {to.kind.counts}[-{window}:]")
        form = luck.choice(
            ("int(recent.sum()) / len(recent)", "int(min(recent))", "int(max(recent))")
        )
        to.add_signal("recent", f"{form} / self.others")


def _numpy(to: Writer) -> None:
    luck, counts = to.luck, to.kind.counts
    to.remark("In numbers", "Some statistics of the game so far")
    last = (
        "np.sum(history.opponent_actions[-1])"
        if to.kind.interface == "full"
        else "history.opponent_cooperators[-1]"
    )
    mean = f"float(np.mean({counts})) / self.others"
    total = f"float(np.sum({counts})) / (round_number * self.others)"
    forms = [
        *(mean, mean, mean, total, total, total),
        f"float(np.mean({counts}[-3:])) / self.others",
        f"float(np.median({counts})) / self.others",
        f"1.0 - min(1.0, float(np.std({counts})))",
        f"float(np.dot({counts}, np.arange(1, round_number + 1))) / "
        "(self.others * round_number * (round_number + 1) / 2)",
        f"float(np.all({counts} > 0))",
        "float(np.mean(history.my_payoffs)) / 3.0",
        "float(np.mean(history.my_payoffs[~history.my_actions])) / 3.0 "
        "if np.any(~history.my_actions) else 0.5",
        f"float(np.where({last} >= {to.share('mark')} * self.others, 1.0, 0.25))",
    ]
    if to.kind.interface == "full":
        forms += [
            "float(np.mean(history.opponent_actions.mean(axis=0) >= 0.5))",
            "float(np.max(history.opponent_actions.mean(axis=0)))",
            "float(np.min(np.mean(history.opponent_payoffs, axis=0))) / 3.0",
        ]
    to.add_signal("statistic", luck.choice(forms))


def _memory(to: Writer) -> None:
    to.luck.choice((_grim, _patience, _trust, _log, _probe))(to)


def _grim(to: Writer) -> None:
    to.fields["angry"] = "False"
    to.remark("Some things are not forgotten")
    to.say(f"if {to.kind.last} < {to.share('insult')} * self.others:", "    self.angry = True")
    if to.luck.random() < 0.5:
        to.say(f"elif {to.kind.last} >= {to.share('apology')} * self.others:")
        to.say("    self.angry = False")
    to.say("if self.angry:", f"    return {to.move(to.luck.random() < 0.1)}")
    _last(to)


def _patience(to: Writer) -> None:
    to.fields["punishing"] = "0"
    length = to.luck.choice((1, 2, 3, 4))
    to.remark("A slump is answered for a while, and then forgiven")
    to.say("if self.punishing > 0:", "    self.punishing -= 1", "    return D")
    to.say(f"if {to.kind.last} < {to.share('slump')} * self.others:")
    to.say(f"    self.punishing = {length}", f"    return {to.move()}")
    _average(to)


def _trust(to: Writer) -> None:
    to.fields["trust"] = to.luck.choice(("0.5", "1.0", "0.8", "0.3"))
    keep = to.luck.choice((0.5, 0.6, 0.7, 0.75, 0.8))
    to.remark("Trust grows and fades slowly")
    to.say(f"seen = {to.kind.last} / self.others")
    to.say(f"self.trust = {keep} * self.trust + {round(1 - keep, 2)} * seen")
    to.signals.append("self.trust")


def _log(to: Writer) -> None:
    to.fields["log"] = "[]"
    to.remark("Write down each round")
    to.say(f"self.log.append({to.kind.last} / self.others)")
    form = to.luck.choice(("sum(self.log) / len(self.log)", "max(self.log)", "min(self.log)"))
    to.add_signal("noted", form)


def _probe(to: Writer) -> None:
    to.fields["answered"] = "None"
    at = to.luck.choice((1, 2, 3))
    to.remark("Test once whether the others hit back")
    to.say(f"if round_number == {at}:", f"    return {to.move(False)}")
    to.say(f"if round_number == {at + 1}:")
    to.say(f"    self.answered = {to.kind.last} < {to.share('calm')} * self.others")
    to.say("if self.answered:", f"    return {to.move()}")
    _last(to)


_PARTS = {
    "memory": _memory,
    "numpy": _numpy,
    "for_loop": _for_loop,
    "while_loop": _while_loop,
    "comprehension": _comprehension,
    "handler": _handler,
    "helper": _helper,
    "slices": _slices,
    "static": _static,
    "nested": _nested,
}


def deal_plans(count: int, interface: Interface, luck: random.Random) -> list[frozenset[str]]:
    """Deal out what each strategy is made of, in the shares of the published corpus."""
    plans: list[set[str]] = [set() for _ in range(count)]
    order = list(range(count))
    shares = SHARES[interface]
    luck.shuffle(order)
    lucky = round(count * shares["luck"])
    for place in order[:lucky]:
        plans[place].add("luck")
    for place in order[lucky : lucky + round(count * shares["memory"])]:
        plans[place].add("memory")
    for part, share in shares.items():
        if part not in ("luck", "memory"):
            for place in luck.sample(range(count), round(count * share)):
                plans[place].add(part)
    return [frozenset(plan) for plan in plans]


def write_strategy(
    kind: Kind, plan: frozenset[str], number: int, luck: random.Random, special_rounds: int = 0
) -> str:
    """Write one strategy; even numbers are collective, odd ones exploitative.

    special_rounds: so many histories, each of which seldom comes, have a rule of their own.
    """
    attitude = ("COLLECTIVE", "EXPLOITATIVE")[number % 2]
    return Writer(kind, plan, luck, special_rounds).write(f"Strategy_{attitude}_{number}", attitude)


def strategies(count: int, kind: Kind, seed: int = 0) -> Iterator[str]:
    """Write so many strategies, which may behave alike."""
    luck = random.Random(f"{seed} {kind}")
    for number, plan in enumerate(deal_plans(count, kind.interface, luck)):
        yield write_strategy(kind, plan, number, luck)
