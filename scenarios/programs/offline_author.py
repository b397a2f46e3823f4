"""Simple strategies in words and code, as the offline mind writes them.

It plays no author well: it fills in a sentence, and then a program that does what the sentence
says. One try in four goes wrong, so that refusals and new tries can be seen without a model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

_WRONG = 0.25  # chance of a try that fails
_ACTIONS = {"cooperate": "C", "defect": "D"}

_DESCRIBED = re.compile(
    r"In the first round, (?P<first>cooperate|defect)\. "
    r"Later, cooperate if at least (?P<share>\d+) percent of the other players cooperated "
    r"(?:in the round before|on average over the last (?P<window>\d+) rounds), and else defect\."
    r"(?: If the stock is below (?P<stock>\d+) percent of the capacity, cooperate in any case\.)?"
    r"(?: With a chance of (?P<chance>\d+) percent, cooperate although the rule says defect\.)?"
    r"(?: In the last round, (?P<last>cooperate|defect)\.)?"
)
_SLIPS = (
    "I have thought about it, and would rather explain the strategy again than write it down.",
    "```python\nimport os\n\n\nclass {name}:\n    def __init__(self, game):\n"
    "        self.game = game\n\n    def act(self, history):\n        return C\n```",
    "```python\nclass {name}:\n    def __init__(self, game):\n        self.game = game\n\n"
    "    def act(self, history):\n        return C if history.opponent_cooperators[-1] else D\n```",
)


def improvise_description(facts: Mapping[str, Any], rng: np.random.Generator) -> str:
    """Describe a strategy: authors whose strategies fail to C are the kinder ones."""
    kind = facts["fallback_action"] == "C"
    first = "cooperate" if kind else "defect"
    share = int(rng.integers(2, 12) if kind else rng.integers(10, 20)) * 5
    window = int(rng.integers(1, 5))
    when = "in the round before"
    if window > 1:
        when = f"on average over the last {window} rounds"
    words = (
        f"In the first round, {first}. Later, cooperate if at least {share} percent of the other "
        f"players cooperated {when}, and else defect."
    )
    if facts["game"] == "common_pool" and rng.random() < 0.5:
        words += (
            f" If the stock is below {int(rng.integers(4, 16)) * 5} percent of the capacity, "
            "cooperate in any case."
        )
    if rng.random() < 0.3:
        words += (
            f" With a chance of {int(rng.integers(1, 7)) * 5} percent, cooperate although the rule "
            "says defect."
        )
    return words if kind else f"{words} In the last round, defect."


def improvise_program(facts: Mapping[str, Any], rng: np.random.Generator) -> str:
    """Write the program of a description of its own making; other descriptions it cannot read."""
    described = _DESCRIBED.fullmatch(facts["description"])
    if described is None:
        return "The offline mind writes programs for descriptions of its own only."
    name = facts["class_name"]
    if rng.random() < _WRONG:
        return _SLIPS[int(rng.integers(len(_SLIPS)))].format(name=name)
    return f"```python\n{_program(name, described)}```"


def _program(name: str, described: re.Match[str]) -> str:
    """Write what a description says, rule by rule."""
    lines = ["if history.round_number == 0:", f"    return {_ACTIONS[described['first']]}"]
    if described["last"]:
        lines += [
            "if history.round_number == self.game.n_rounds - 1:",
            f"    return {_ACTIONS[described['last']]}",
        ]
    if described["stock"]:
        share = int(described["stock"]) / 100
        lines += [f"if history.stock[-1] < {share} * self.game.capacity:", "    return C"]
    window = int(described["window"] or 1)
    lines += [
        f"recent = history.opponent_cooperators[-{window}:]",
        f"if recent.mean() >= {int(described['share']) / 100} * (self.game.n_players - 1):",
        "    return C",
    ]
    if described["chance"]:
        lines += [f"if random.random() < {int(described['chance']) / 100}:", "    return C"]
    body = "".join(f"        {line}\n" for line in [*lines, "return D"])
    return (
        f"class {name}:\n    def __init__(self, game):\n        self.game = game\n\n"
        f"    def act(self, history):\n{body}"
    )
