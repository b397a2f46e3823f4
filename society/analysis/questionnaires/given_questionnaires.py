"""Questionnaires as they were given in the conditions of a study, occasion by occasion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from society.analysis.statistics import cronbachs_alpha, mcdonalds_omega
from society.analysis.statistics.reliability import Reliability
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.study.condition import ConditionRun
from society.analysis.study.questionnaire_rows import answers_of, instruments_of
from society.analysis.study.study import Study
from society.engine.rng import Array
from society.engine.scenario import estimate_measure, mean_over
from society.scenarios.mechanisms.questionnaire.answers import GivenAnswers
from society.scenarios.mechanisms.questionnaire.instrument import Instrument, QuestionnaireItem


class Wave(NamedTuple):
    """The answers of one condition on one occasion; label: of the occasion, the same for none."""

    label: str
    given: GivenAnswers

    def means(self, scale: str) -> Array:
        """The mean score of those asked in each run, (R,); NaN where nobody has one."""
        scores = self.given.scores[scale]
        return mean_over(~np.isnan(scores), scores)

    def scored_items(self, scale: str) -> tuple[Array, Array]:
        """Return the answers of all who were asked to a scale, (n, K), and their runs, (n,)."""
        every = self.given.instrument.scored_items(scale, self.given.answers)
        return every[:, self.given.asked].T, np.nonzero(self.given.asked)[0]

    def alpha(self, scale: str) -> Reliability | NotEstimable:
        """Return Cronbach's alpha of a scale; its interval draws runs anew."""
        found: Reliability | NotEstimable = try_compute(cronbachs_alpha, *self.scored_items(scale))
        return found

    def omega(self, scale: str) -> Reliability | NotEstimable:
        """Return McDonald's omega of a scale; its interval draws runs anew."""
        found: Reliability | NotEstimable = try_compute(mcdonalds_omega, *self.scored_items(scale))
        return found


@dataclass(frozen=True)
class GivenQuestionnaire:
    """An instrument, and its waves by the place of the condition in the study."""

    instrument: Instrument
    waves: dict[int, list[Wave]] = field(default_factory=dict)

    def every(self) -> Iterator[tuple[int, Wave]]:
        """Yield all waves with the place of their condition, in order."""
        return ((place, wave) for place, waves in self.waves.items() for wave in waves)


class ItemSummary(NamedTuple):
    """The answers to one item: how many gave one, how many who were asked did not.

    mean, sd: of numbers, as they were given; None for words. counts: of points or options.
    """

    answered: int
    missing: int
    mean: float | None
    sd: float | None
    counts: Mapping[str, int]


def read_questionnaires(study: Study) -> list[GivenQuestionnaire]:
    """Read all questionnaires of a study; instruments that differ are different ones."""
    found: list[GivenQuestionnaire] = []
    for place, run in enumerate(study.played):
        given = [answers for _, answers in answers_of(run)]
        for instrument in instruments_of(run.manifest).values():
            own = [one for one in given if one.instrument.name == instrument.name]
            same = (one for one in found if one.instrument == instrument)
            into = next(same, None)
            if into is None:
                into = GivenQuestionnaire(instrument)
                found.append(into)
            into.waves[place] = list(_waves(own))
    return found


def _waves(given: Sequence[GivenAnswers]) -> Iterator[Wave]:
    """Label occasions; within games that are repeated one comes again, and is told by its page."""
    times = Counter(one.occasion.label for one in given)
    for one in given:
        again = times[one.occasion.label] > 1
        label = f"{one.occasion.label} (page {one.page})" if again else one.occasion.label
        yield Wave(label, one)


def summarise_item(item: QuestionnaireItem, given: GivenAnswers) -> ItemSummary:
    """Summarise the answers to an item by all who were asked."""
    answers = given.answers[item.id][given.asked].tolist()
    known = [one for one in answers if one is not None and one == one]
    missing = len(answers) - len(known)
    if item.kind == "open":
        return ItemSummary(len(known), missing, None, None, {})
    if item.kind == "choice":
        times = Counter(known)
        counts = {option: times[option] for option in item.options}
        return ItemSummary(len(known), missing, None, None, counts)
    mean = float(np.mean(known)) if known else None
    sd = float(np.std(known, ddof=1)) if len(known) > 1 else None
    points = range(1, item.points + 1) if item.kind == "likert" else ()
    counts = {str(point): known.count(point) for point in points}
    return ItemSummary(len(known), missing, mean, sd, counts)


def questionnaires_as_json(run: ConditionRun) -> list[dict[str, Any]]:
    """Describe the answers of one run file: a mapping for each instrument."""
    found = []
    study = Study(run.name, (run,))
    for given in read_questionnaires(study):
        instrument = given.instrument
        found.append(
            {
                "instrument": instrument.name,
                "title": instrument.title,
                "note": instrument.note,
                "occasions": [_wave_as_json(instrument, wave) for _, wave in given.every()],
            }
        )
    return found


def _wave_as_json(instrument: Instrument, wave: Wave) -> dict[str, Any]:
    items = {item.id: summarise_item(item, wave.given)._asdict() for item in instrument.items}
    scales = {}
    for name, scale in instrument.scales.items():
        score = estimate_measure(wave.means(name), f"{scale.score} of the items")
        scales[name] = {
            "mean": score.mean,
            "se": score.se,
            "n": score.n,
            "unit": score.unit,
            "alpha": _reliability_as_json(wave.alpha, name),
            "omega": _reliability_as_json(wave.omega, name),
        }
    return {
        "occasion": wave.label,
        "rounds_played": wave.given.occasion.played,
        "asked": int(wave.given.asked.sum()),
        "items": items,
        "scales": scales,
    }


def _reliability_as_json(
    compute: Callable[[str], Reliability | NotEstimable], scale: str
) -> dict[str, Any]:
    """Describe a coefficient; where there is none, or no interval, why."""
    found = compute(scale)
    if isinstance(found, NotEstimable):
        return {"value": None, "reason": str(found)}
    bounds = found.interval
    if isinstance(bounds, NotEstimable):
        return {"value": found.value, "respondents": found.respondents, "reason": str(bounds)}
    return {
        "value": found.value,
        "respondents": found.respondents,
        "interval": [bounds.low, bounds.high],
    }
