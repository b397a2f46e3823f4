"""Survival of norms: how long those of the founders last after the last of them has left.

Villagers begin with norms of their own, and learn from each other. With the mean norm x(t) of those
present at the end of round t, the tradition of a village is x(T) - x(0), where T is the last round
in which any founder is present, and x(0) is what villagers bring along. What is left of it after t
is (x(t) - x(0)) / (x(T) - x(0)): 1 at T, and 0 once the norms are those that newcomers bring. Its
half-life is the number of rounds after T until half or less is left.
A norm is the public column `belief`, a number; or, of norms in words, x is the mean cosine with the
mean of all norms of round T, by the embedder that the scenario names.
Source: ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from society.engine.history import Page
from society.engine.rng import Array
from society.engine.scenario import Finding, PostAnalysis
from society.lineage import ARRIVED
from society.memory.embedders import embedder

NUMBER, WORDS = "belief", "norm"  # public columns


class NormCourse(NamedTuple):
    """The norms of a society by round, from what came before the first one.

    norms: (T + 1, R, N), NaN or "" for whoever is absent or has none. founders: (T + 1, R), whether
    any founder is present.
    """

    norms: Array
    founders: Array


def told_by_turnover(after: PostAnalysis, *, own: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings about the norms of founders, by numbers or else by words; none without norms."""
    column = next((one for one in (NUMBER, WORDS) if after.holders(one).any()), None)
    if column is None:
        return
    course = read_norms(after.pages(), column)
    left = last_rounds(course.founders)
    means = mean_norms(course.norms) if column == NUMBER else _closeness(after, course, left)
    kept = retained(means, left)
    gone = left < len(means) - 1
    half = half_life(kept, left)
    yield Finding(
        "founders_left",
        "round after which no founder was there",
        np.where(gone, left, np.nan).astype(float),
    )
    yield Finding(
        "norm_half_life",
        "rounds after the last founder has left until half of the founders' tradition is left",
        half,
    )
    yield Finding(
        "norm_retained",
        "share of the founders' tradition at the end, where all founders have left",
        np.where(gone, last_known(kept), np.nan),
    )


def read_norms(pages: Iterable[Page], column: str) -> NormCourse:
    """Read the norms of those present, and whether founders are there, round by round."""
    norms, founders, lives = list[Array](), list[Array](), None
    for page in pages:
        for step in page.steps:
            if step.kind == ARRIVED and ("own", "life") in step.arrays:
                lives = step.arrays["own", "life"]
        here = page.present & page.running
        held = page.public[column]
        norms.append(np.where(here, held, np.nan if held.dtype.kind == "f" else ""))
        founder: Array = here if lives is None else here & (lives < here.shape[1])
        founders.append(np.asarray(founder.any(1)))
    return NormCourse(np.array(norms), np.array(founders))


def last_rounds(founders: Array) -> Array:
    """Return the last round in which any founder is present, (R,)."""
    rounds = np.arange(len(founders))[:, None]
    last: Array = np.where(founders, rounds, 0).max(0)
    return last


def mean_norms(norms: Array) -> Array:
    """Average over those present, (T + 1, R); NaN where there is nobody."""
    known = ~np.isnan(norms)
    count = known.sum(2)
    mean: Array = np.where(known, norms, 0).sum(2) / np.where(count, count, np.nan)
    return mean


def retained(means: Array, left: Array) -> Array:
    """Return what is left of the tradition by round, (T + 1, R); NaN where there is none."""
    tradition = np.take_along_axis(means, left[None], 0) - means[:1]
    share: Array = (means - means[:1]) / np.where(tradition, tradition, np.nan)
    return share


def half_life(kept: Array, left: Array) -> Array:
    """Return the rounds from the last founder's last one until half is left, (R,).

    kept: (T + 1, R). NaN where that did not come about while the society lived.
    """
    rounds = np.arange(len(kept))[:, None]
    faded = (rounds > left) & (kept <= 0.5)
    found: Array = np.where(faded.any(0), faded.argmax(0) - left, np.nan)
    return found


def last_known(kept: Array) -> Array:
    """Return the last value that is known, (R,); NaN if there is none."""
    known = ~np.isnan(kept)
    last = len(kept) - 1 - known[::-1].argmax(0)
    found: Array = np.take_along_axis(kept, last[None], 0)[0]
    return found


def _closeness(after: PostAnalysis, course: NormCourse, left: Array) -> Array:
    """Mean cosine of all norms with the mean norm of the founders' last round, (T + 1, R)."""
    texts = sorted({str(text) for text in course.norms.flat} - {""})
    vectors = after.embedded(embedder(after.params.norm_embedder), texts)
    place = {text: number for number, text in enumerate(texts)}
    means = np.full(course.founders.shape, np.nan)
    for replicate in range(course.founders.shape[1]):
        held = [
            vectors[[place[str(text)] for text in norms if text]]
            for norms in course.norms[:, replicate]
        ]
        aim = held[left[replicate]].mean(0) if len(held[left[replicate]]) else None
        if aim is None or not (length := np.linalg.norm(aim)):
            continue
        means[:, replicate] = [(one @ aim).mean() / length if len(one) else np.nan for one in held]
    return means
