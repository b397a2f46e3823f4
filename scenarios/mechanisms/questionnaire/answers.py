"""Answers to questionnaires, read from the pages of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from society.engine.history import Page, Step
from society.engine.rng import Array
from society.scenarios.mechanisms.questionnaire.instrument import AskedOccasion, Instrument


class GivenAnswers(NamedTuple):
    """The answers that were given on one occasion.

    page: of the run, on which it was asked. asked: who was, (R, N) of bool. answers: by item,
    (R, N), see QuestionnaireItem.read; of nobody else.
    """

    instrument: Instrument
    occasion: AskedOccasion
    page: int
    asked: Array
    answers: Mapping[str, Array]

    @property
    def scores(self) -> dict[str, Array]:
        """The score of everybody on each scale, (R, N); NaN for none."""
        return self.instrument.scores(self.answers)


def read_answers(page: Page, instruments: Mapping[str, Instrument]) -> Iterator[GivenAnswers]:
    """Yield what was answered on a page, by occasion; instruments: by name, others do not count.

    Where some agents were asked on an occasion after others, their answers stand together.
    """
    asked = defaultdict[tuple[str, str, int], list[Step]](list)
    for step in page.asides:
        asked[_address(step)].append(step)
    for (name, label, played), steps in asked.items():
        if name in instruments:
            who = np.any([step.arrays["who", ""] for step in steps], axis=0)
            answers = _answers(instruments[name], steps)
            yield GivenAnswers(
                instruments[name], AskedOccasion(label, played), page.number, who, answers
            )


def _address(step: Step) -> tuple[str, str, int]:
    """Return instrument, occasion and rounds played; an empty name for another aside."""
    names = ("instrument", "occasion", "rounds_played")
    if any(("common", name) not in step.arrays for name in names):
        return "", "", 0
    name, label, played = (step.arrays["common", one][0, 0] for one in names)
    return str(name), str(label), int(played)


def _answers(instrument: Instrument, steps: list[Step]) -> dict[str, Array]:
    shape = steps[0].arrays["who", ""].shape
    found = {item.id: item.read_none(shape) for item in instrument.items}
    for step in steps:
        answered = step.arrays["who", ""] & ~step.arrays.get(("unread", ""), np.False_)
        number = step.arrays.get(("own", "item"))
        for place, item in enumerate(instrument.items):
            here = answered if number is None else answered & (number == place)
            settled = step.arrays.get(("answer", item.id if number is None else ""))
            if settled is not None and here.any():
                found[item.id] = np.where(here, item.read(settled, here), found[item.id])
    return found
