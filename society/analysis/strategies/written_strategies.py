"""What came of the writing of strategies: every author, with all tries, read from a run file.

Descriptions that never became a program are kept beside the others: to drop them would favour
simple strategies, so success is counted by model, attitude and length of the description.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from society.engine.history import Step
from society.errors import RunFileError
from society.runs.reader import RunFile
from society.sandbox.strategy_folder import Fallback
from society.scenarios.programs.written_texts import find_program

WRITING = "strategy_writing"
_LENGTHS = 3  # classes of descriptions by length, of about as many each


class Try(NamedTuple):
    """A reply that should hold a program; reason: why it was refused, "" if it was accepted."""

    reply: str
    reason: str


@dataclass
class WrittenStrategy:
    """A strategy by one author: in words, and what was tried to make a program of it."""

    model: str
    attitude: str
    fallback: Fallback
    description: str
    tries: list[Try]

    @property
    def accepted(self) -> bool:
        """True if the last try was accepted."""
        return bool(self.tries) and not self.tries[-1].reason

    @property
    def source(self) -> str:
        """The text of the accepted program."""
        return find_program(self.tries[-1].reply)

    @property
    def words(self) -> int:
        """The length of the description in words."""
        return len(self.description.split())

    @property
    def reason(self) -> str:
        """The reason why there is no program."""
        if not self.tries:
            return "no description could be read"
        return self.tries[-1].reason


def read_writing(run: RunFile) -> list[WrittenStrategy]:
    """List all authors of a run, finished or not; raises RunFileError for runs of other kinds."""
    if run.manifest.scenario != WRITING:
        raise RunFileError(
            f"{run.path} is a run of {run.manifest.scenario}, in which no strategies are written"
        )
    models = _models(run)
    found: list[WrittenStrategy] = []
    replies = np.empty(0)
    for step in (step for page in run.pages() for step in page.steps):
        if step.kind == "describe":
            found = _described(step, models)
        elif step.kind == "implement":
            replies = step.arrays["answer", ""]
        elif step.kind == "checked":
            _add_tries(found, replies, step)
    return found


def _described(step: Step, models: Sequence[str]) -> list[WrittenStrategy]:
    texts = step.arrays["answer", ""]
    attitudes, fallbacks = step.arrays["own", "attitude"], step.arrays["own", "fallback_action"]
    authors = list(models) * len(texts)  # replicate by replicate
    rows = zip(authors, attitudes.flat, fallbacks.flat, texts.flat, strict=True)
    return [WrittenStrategy(*row, []) for row in rows]


def _add_tries(found: Sequence[WrittenStrategy], replies: Any, step: Step) -> None:
    tried, reasons = step.arrays["own", "tried"], step.arrays["own", "refusal"]
    rows = zip(found, tried.flat, replies.flat, reasons.flat, strict=True)
    for strategy, was_tried, reply, reason in rows:
        if was_tried:
            strategy.tries.append(Try(reply, reason))


def _models(run: RunFile) -> list[str]:
    """Return the model that each author asks, by seat."""
    config = run.manifest.config
    names = {"default": "offline", **{key: one.model for key, one in config.models.items()}}
    asked = {one.name: _policy_model(one.components or ()) for one in config.cohorts or ()}
    models = [names["default"]] * run.manifest.agents
    for cohort in run.manifest.cohorts:
        for seat in cohort.seats:
            models[seat] = names[asked.get(cohort.name, "default")]
    return models


def _policy_model(components: Iterable[Mapping[str, Mapping[str, Any]]]) -> str:
    for component in components:
        if "language_policy" in component:
            return str(component["language_policy"].get("model", "default"))
    return "default"


# Success


class Success(NamedTuple):
    """Success of a group of descriptions.

    tries: programs that were written for them. accepted_words, failed_words: mean length of the
    descriptions that became a program, and of the others; None without any.
    """

    group: tuple[str, ...]
    described: int
    accepted: int
    tries: int
    accepted_words: float | None
    failed_words: float | None

    @property
    def share(self) -> float:
        """Share of the descriptions that became a program."""
        return self.accepted / self.described


def success_by_author(written: Sequence[WrittenStrategy]) -> list[Success]:
    """Count success by model and attitude, in order of appearance."""
    groups: dict[tuple[str, ...], list[WrittenStrategy]] = {}
    for one in written:
        groups.setdefault((one.model, one.attitude), []).append(one)
    return [_success(name, some) for name, some in groups.items()]


def success_by_length(written: Sequence[WrittenStrategy]) -> list[Success]:
    """Count success by length of the description, in about thirds: groups are "12-30" words."""
    ordered = sorted(written, key=lambda one: one.words)
    lengths = [one.words for one in ordered]
    cuts = {lengths[part * len(lengths) // _LENGTHS] for part in range(1, _LENGTHS)}
    parts = groupby(ordered, lambda one: bisect_right(sorted(cuts), one.words))
    return [_success_of_lengths(list(part)) for _, part in parts]


def _success_of_lengths(written: Sequence[WrittenStrategy]) -> Success:
    least, most = written[0].words, written[-1].words
    return _success((str(least) if least == most else f"{least}-{most}",), written)


def _success(group: tuple[str, ...], written: Sequence[WrittenStrategy]) -> Success:
    lengths = {
        whether: [one.words for one in written if one.accepted == whether]
        for whether in (True, False)
    }
    return Success(
        group,
        len(written),
        len(lengths[True]),
        sum(len(one.tries) for one in written),
        _mean(lengths[True]),
        _mean(lengths[False]),
    )


def _mean(lengths: Sequence[int]) -> float | None:
    return sum(lengths) / len(lengths) if lengths else None


def refusal_reasons(written: Iterable[WrittenStrategy]) -> Counter[str]:
    """Count the reasons of all refusals, without names of classes, rounds and lines."""
    reasons = (one.reason for strategy in written for one in strategy.tries if one.reason)
    return Counter(map(_general_reason, reasons))


def _general_reason(reason: str) -> str:
    """Leave out of a reason what differs from program to program.

    >>> _general_reason("not allowed in Strategy_kind_3: `import os`; delete the line (line 2)")
    'not allowed: `import os`; delete the line'
    """
    reason = re.sub(r" \(line \d+\)$", "", reason)
    reason = re.sub(r"^not allowed in \w+:", "not allowed:", reason)
    reason = re.sub(r"\bprogram:\d+:", "program:", reason)
    return re.sub(r"failed in round \d+ of", "failed in", reason)
