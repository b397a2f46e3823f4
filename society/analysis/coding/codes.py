"""Codes of texts by several raters: how far they agree, and what they say about the coded runs.

Of the codes of a criterion (the labels that raters have given; what is uncoded does not count):

    share of a label = its codes / all codes     over the texts of a replicate and all raters
    mean rank = mean of k / (K - 1)              of the codes k = 0 .. K - 1, if they are ordinal
    number of codes                              on which these rest

A text that was held in several places counts in each of them. These measures are ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.agreement import (
    Agreement,
    Weights,
    cohens_kappa,
    krippendorffs_alpha,
    percent_agreement,
)
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.engine.rng import Array
from society.engine.scenario import Finding
from society.errors import InputError, short_path
from society.experiments.coding_plan import SCENARIO, CodingPlan
from society.runs.reader import RunFile, open_run_file
from society.scenarios.coding.rubric import Criterion

from .texts import Texts, gather_texts, refuse_summary


@dataclass(frozen=True, eq=False)
class Codes:
    """All codes of a run, or of several.

    texts: as they were rated, so that one that was rated again stands there again.
    given: by criterion the index of each label, (texts, raters), NaN where it is uncoded; the
    criteria that were not come to are no part.
    """

    criteria: tuple[Criterion, ...]
    raters: tuple[str, ...]
    texts: tuple[str, ...]
    given: Mapping[str, Array]


def read_codes(run: RunFile) -> Codes:
    """Read the codes of a norm_coding run; raises InputError if it keeps none."""
    given = run.manifest
    if given.scenario != SCENARIO:
        raise InputError(f"{short_path(run.path)} is a run of {given.scenario}, not of {SCENARIO}")
    refuse_summary(run)
    criteria = [Criterion.model_validate(said) for said in given.params["criteria"]]
    codes = {}
    for page in run.pages(start=1):
        criterion = criteria[page.number - 1]
        (answer,) = (step.arrays["answer", ""] for step in page.steps if step.kind == "rate")
        codes[criterion.name] = np.where(answer < len(criterion.labels), answer, np.nan)
    texts = given.params["texts"]
    return Codes(
        tuple(criteria[: len(codes)]),
        _raters(run),
        tuple(texts[replicate % len(texts)] for replicate in range(given.replicates)),
        codes,
    )


def _raters(run: RunFile) -> tuple[str, ...]:
    """Return the name of each rater by seat: its cohort, numbered where the cohort has several."""
    names = [""] * run.manifest.agents
    for cohort in run.manifest.cohorts:
        for number, seat in enumerate(cohort.seats, start=1):
            names[seat] = f"{cohort.name} {number}" if len(cohort.seats) > 1 else cohort.name
    return tuple(names)


def merge_codes(apart: Sequence[Codes]) -> Codes:
    """Merge the codes of raters who worked apart; raises InputError if their rubrics differ.

    What one has not been asked about is uncoded by it. Criteria that one has not come to are no
    part.
    """
    names = tuple(name for codes in apart for name in codes.raters)
    criteria = min((codes.criteria for codes in apart), key=len)
    if any(_as_json(codes.criteria[: len(criteria)]) != _as_json(criteria) for codes in apart):
        raise InputError(
            f"{' and '.join(names)} have coded by different rubrics; remove the run of whoever has "
            "coded by another than is meant, and sweep again"
        )
    places = [_places(codes.texts) for codes in apart]
    texts = list(dict.fromkeys(text for each in places for text in each))
    given = {
        criterion.name: np.concatenate(
            [
                _rows_at(codes.given[criterion.name], [each.get(text) for text in texts])
                for codes, each in zip(apart, places, strict=True)
            ],
            axis=1,
        )
        for criterion in criteria
    }
    return Codes(criteria, names, tuple(text for text, _ in texts), given)


def _as_json(criteria: Iterable[Criterion]) -> list[str]:
    """Return criteria as JSON, to be compared; the order of labels is that of codes."""
    return [criterion.model_dump_json() for criterion in criteria]


def _places(texts: Sequence[str]) -> dict[tuple[str, int], int]:
    """Return the row of each text by the text and the number of times that it stood before."""
    times, places = Counter[str](), dict[tuple[str, int], int]()
    for place, text in enumerate(texts):
        places[text, times[text]] = place
        times[text] += 1
    return places


def _rows_at(given: Array, places: Sequence[int | None]) -> Array:
    """Move rows of codes to their places, (texts, raters); NaN where a rater has none."""
    known = [place is not None for place in places]
    moved = np.full((len(places), given.shape[1]), np.nan)
    moved[known] = given[[place for place in places if place is not None]]
    return moved


# Agreement

Agreed = Agreement | NotEstimable


@dataclass(frozen=True)
class RaterAgreement:
    """Agreement of raters on one criterion, or why it cannot be estimated.

    same: share of pairs of codes that are the same. alpha: Krippendorff's, on the scale of the
    criterion. kappas: Cohen's, by pair of raters; of an ordinal criterion with quadratic weights.
    """

    criterion: Criterion
    same: Agreed
    alpha: Agreed
    kappas: Mapping[tuple[str, str], Agreed]


def agreement(codes: Codes) -> tuple[RaterAgreement, ...]:
    """Measure how far the raters agree, criterion by criterion."""
    return tuple(_reliability(codes, criterion) for criterion in codes.criteria)


def _reliability(codes: Codes, criterion: Criterion) -> RaterAgreement:
    ratings, places = codes.given[criterion.name].T.tolist(), range(len(criterion.labels))
    by_rater = dict(zip(codes.raters, ratings, strict=True))
    weights: Weights = "quadratic" if criterion.scale == "ordinal" else "none"
    kappa = partial(cohens_kappa, weights=weights, categories=places)
    return RaterAgreement(
        criterion,
        try_compute(percent_agreement, ratings),
        _alpha(codes, criterion),
        {pair: try_compute(kappa, *map(by_rater.get, pair)) for pair in combinations(by_rater, 2)},
    )


def _alpha(codes: Codes, criterion: Criterion) -> Agreed:
    ratings, places = codes.given[criterion.name].T.tolist(), range(len(criterion.labels))
    alpha = partial(krippendorffs_alpha, scale=criterion.scale, categories=places)
    estimate: Agreed = try_compute(alpha, ratings)
    return estimate


def reliability_doubts(codes: Codes) -> Iterator[str]:
    """List criteria whose codes cannot be shown to be reliable, and why."""
    for criterion in codes.criteria:
        alpha = _alpha(codes, criterion)
        if isinstance(alpha, NotEstimable):
            yield f"the agreement of raters on {criterion.name} cannot be estimated: {alpha}"


# Codes as measures


class CodingResults(NamedTuple):
    """Results of a coding for the coded runs, by condition, and how much they rest on."""

    findings: Mapping[str, tuple[Finding, ...]] = {}
    note: str = ""


def measure_codes(codes: Codes, coding: CodingPlan, runs: Mapping[str, Path]) -> CodingResults:
    """Measure the coded runs by the codes of their texts; raises InputError.

    runs: their files, by condition.
    """
    replicates = {}
    for name, file in runs.items():
        with open_run_file(file) as run:
            replicates[name] = run.manifest.replicates
    texts = gather_texts(runs, coding.quotes, coding.rounds)
    return CodingResults(findings(codes, texts, replicates), "; ".join(reliability_doubts(codes)))


def findings(
    codes: Codes, texts: Texts, replicates: Mapping[str, int]
) -> dict[str, tuple[Finding, ...]]:
    """Return the findings about each of the coded runs: (R,), NaN where no code says it.

    replicates: how many each run has, by condition.
    """
    by_condition: dict[str, tuple[Finding, ...]] = dict.fromkeys(replicates, ())
    for criterion in codes.criteria:
        for condition, counts in _counts(codes, criterion, texts, replicates).items():
            by_condition[condition] += tuple(_measure(criterion, counts))
    return by_condition


def _counts(
    codes: Codes, criterion: Criterion, texts: Texts, replicates: Mapping[str, int]
) -> dict[str, Array]:
    """Count how often each label was given to the texts of a replicate, (R, K) by condition."""
    labels = np.arange(len(criterion.labels))
    by_text = {text: np.zeros(len(labels)) for text in codes.texts}
    for text, given in zip(codes.texts, codes.given[criterion.name], strict=True):
        by_text[text] += (given[:, None] == labels).sum(0)
    counts = {name: np.zeros((count, len(labels))) for name, count in replicates.items()}
    for text in texts.keys() & by_text.keys():
        for place in texts[text]:
            counts[place.condition][place.replicate] += by_text[text]
    return counts


def _measure(criterion: Criterion, counts: Array) -> Iterator[Finding]:
    total = counts.sum(1, keepdims=True)
    yield Finding(criterion.count, f"codes, {criterion.name}", total[:, 0])
    shares = np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0)
    for name, values in zip(criterion.shares, shares.T, strict=True):
        yield Finding(name, f"share of codes, {criterion.name}", values)
    if criterion.scale == "ordinal":
        lowest, *_, highest = criterion.labels
        ranks = np.linspace(0, 1, len(criterion.labels))
        unit = f"mean rank, 0 = {lowest}, 1 = {highest}"
        yield Finding(criterion.rank, unit, (shares * ranks).sum(1))
