"""Traits of a society of donors at its end: the share of each policy and norm, or its words.

Giving alone does not tell: it is no linear function of who gives by which rule. Whoever lives in
the last generation counts, by the public columns of its components; seats whose components have no
such column are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from society.components.donor.donation import POLICIES
from society.components.donor.social_norms import NORMS
from society.engine.rng import Array
from society.engine.scenario import Finding, PostAnalysis, mean_over

TRAITS: Mapping[str, tuple[str, ...]] = {"policy": POLICIES, "norm": NORMS}


def told_by_traits(after: PostAnalysis) -> Iterator[Finding]:
    """Shares of agents, (R,), of each policy and norm that anybody begins or ends with.

    Of a society that is over before the others, what it was in its last round. Where strategies
    are words, how many there are.
    """
    yield from _told_by_words(after)
    found = {trait: after.holders(trait) for trait in TRAITS}
    held = {trait: seats for trait, seats in found.items() if seats.any()}
    if not held:
        return
    first, last = _first_and_last(after, held)
    for trait, seats in held.items():
        for index, label in enumerate(TRAITS[trait]):
            at_first, at_last = (
                _share(columns[trait] == index, seats) for columns in (first, last)
            )
            if at_first.any() or at_last.any():
                yield Finding(share_of(trait, label), "share of agents, at the end", at_last)


def share_of(trait: str, label: str) -> str:
    """The name of a finding."""
    return f"{trait}_{label}"


def _first_and_last(
    after: PostAnalysis, traits: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Columns on the first page, and on the last one on which each replicate ran; (R, N) each."""
    first, last = dict[str, Array](), dict[str, Array]()
    for page in after.pages():
        now = {trait: page.public[trait] for trait in traits if trait in page.public}
        running = page.running.reshape(-1, 1)
        last = {name: np.where(running, now[name], last.get(name, now[name])) for name in now}
        first = first or last
    return first, last


def _share(some: Array, seats: Array) -> Array:
    """Average over those who have the trait, (R, N) -> (R,)."""
    return mean_over(np.broadcast_to(seats, some.shape), some)


def _told_by_words(after: PostAnalysis) -> Iterator[Finding]:
    """Words of a strategy in the first and last generation, mean over agents; NaN without any."""
    counts = list(_words(after))
    for when, words in (("first", counts[:1]), ("last", counts[-1:])):
        for one in words:
            name = "first_strategy_words" if when == "first" else "strategy_words"
            yield Finding(name, f"words, mean of {when} generation", mean_over(one > 0, one))


def _words(after: PostAnalysis) -> Iterator[Array]:
    """Count the words of everybody's strategy in each generation, (R, N); 0 without one."""
    for page in after.pages():
        for step in page.steps:
            if step.kind == "devised":
                texts = np.where(page.present & page.running, step.arrays["own", "strategy"], "")
                yield np.vectorize(lambda text: len(str(text).split()), otypes=[int])(texts)
