"""Diversity of the strategies of a generation, on the vectors of their sentences.

    strategy_diversity = mean of 1 - cosine over all pairs of agents
It tells of what sentences speak and in which words, and not how much they would have one give:
for that everybody is put before a battery (society.scenarios.donor.probe). Source: ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from society.components.language.recall import EmbedderName
from society.engine.rng import Array
from society.engine.scenario import Finding, PostAnalysis
from society.errors import ScenarioError
from society.memory.embedders import MiniLM, NoEmbedder, embedder
from society.memory.norm_space import similarity

_EXACT = 6  # decimals; what follows is rounding, since vectors have single precision


def refuse_missing(name: EmbedderName | None) -> None:
    """Raise ScenarioError for an embedder of the user's that is not to be had."""
    if name is None or ".py:" not in name:
        return
    try:
        embedder(name)
    except NoEmbedder as missing:
        raise ScenarioError(str(missing)) from None


def told_by_strategies(after: PostAnalysis, *, own: Mapping[str, Any]) -> Iterator[Finding]:
    """Diversity in the first and in the last generation; nothing if nobody devised a strategy.

    The vectors of all generations are kept with the run. own: the parameters of the mechanism;
    `embedder` names what embeds, else the run does; it stands in the unit if it is not MiniLM.
    """
    name: str = own.get("embedder") or after.embedder
    generations = list(_devised(after)) if name else []
    if not name or not generations:
        return
    by = embedder(name)
    label = "" if by.name == MiniLM.name else f"; by {by.name}"
    texts = sorted({text for one in generations for text in one.flat if text})
    vectors = dict(zip(texts, after.embedded(by, texts), strict=True))
    for when, strategies in (("first", generations[0]), ("last", generations[-1])):
        yield Finding(
            "strategy_diversity" if when == "last" else "first_strategy_diversity",
            f"mean cosine distance of strategies, {when} generation{label}",
            np.round([_distance(row, vectors) for row in strategies], _EXACT),
        )


def _devised(after: PostAnalysis) -> Iterator[Array]:
    """Yield everybody's strategy in each generation, (R, N) of text."""
    for page in after.pages():
        for step in page.steps:
            if step.kind == "devised":
                yield np.where(page.present & page.running, step.arrays["own", "strategy"], "")


def _distance(strategies: Array, vectors: Mapping[str, Array]) -> float:
    """Return the mean distance of strategies, one replicate's; NaN for fewer than two."""
    known = [vectors[text] for text in strategies if text]
    return 1 - similarity(np.array(known)) if len(known) > 1 else np.nan
