"""Measures of a society's norms at its end, on the vectors of their sentences.

    similarity   mean cosine of personal norms over pairs of agents          S_ind
    alignment    mean cosine of personal norms with their mean               S_align
These two, of the paper, are one number: S_align = sqrt((1 + (N - 1) S_ind) / N) for N agents. Ours:
closeness to the policy in force and to the own proposal, and between those who learn from each
other against those who do not; drift since the first round; and the number of clusters.

A norm is what an agent holds at the end of a round: its column `norm`
(society.components.language.personal_norm), or, where it has none, as rules do, what it said in
that round. The last round of a replicate is the last in which anybody took part. None of it says
how altruistic a norm is: sentences about one topic lie close together, whatever they demand.
Source: Gupta et al. 2026 (AAMAS), section 4.2.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from society.engine.graph import Complete, Graph
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.scenario import Finding, PostAnalysis
from society.memory.embedders import Embedder, MiniLM, embedder
from society.memory.norm_space import (
    Edges,
    alignment,
    along_edges,
    closeness,
    clusters,
    drift,
    similarity,
)

_EXACT = 6  # decimals; what follows is rounding, since vectors have single precision
LIKENESS = 0.7  # the least cosine in a cluster: about that of one policy in two wordings


class NormSentences(NamedTuple):
    """One round's norms and proposals (R, N), and its policy (R, 1); "" for nothing.

    The same as vectors: (R, N, d) and (R, 1, d), zeros for nothing.
    """

    norm: Array
    proposal: Array
    policy: Array


def told_by_norms(after: PostAnalysis) -> Iterator[Finding]:
    """Findings about norms that were reconsidered; none if none was.

    By the embedder that `norm_embedder` names; one that is not MiniLM stands in each unit.
    """
    ends = _ends(after.pages())
    if ends is None:
        return
    by, graph = embedder(after.params.norm_embedder), after.graphs["learn"]
    label = "" if by.name == MiniLM.name else f"; by {by.name}"
    begun, (norms, proposals, policy) = _embedded(after, by, *ends)
    learn = [_between(graph, replicate, own) for replicate, own in enumerate(norms)]

    def finding(name: str, unit: str, of: Callable[[int], float]) -> Finding:
        values = np.array([of(replicate) for replicate in range(len(norms))])
        return Finding(name, f"{unit}{label}", np.round(values, _EXACT))

    yield finding(
        "norm_similarity",
        "mean cosine of personal norms over pairs, last round",
        lambda r: similarity(norms[r]),
    )
    yield finding(
        "norm_alignment",
        "sqrt((1 + (N - 1) norm_similarity) / N): the same number, as the paper's S_align",
        lambda r: alignment(norms[r]),
    )
    yield finding(
        "norm_to_policy",
        "mean cosine of personal norms with the policy in force",
        lambda r: _mean(closeness(norms[r], policy[r, 0])),
    )
    yield finding(
        "norm_to_proposal",
        "mean cosine of personal norms with the own proposal",
        lambda r: _mean(closeness(norms[r], proposals[r])),
    )
    yield finding(
        "norm_joined",
        "mean cosine of personal norms along edges of the graph `learn` of the start",
        lambda r: learn[r].joined,
    )
    yield finding(
        "norm_apart",
        "mean cosine of personal norms of pairs without such an edge",
        lambda r: learn[r].apart,
    )
    yield finding(
        "norm_drift",
        "mean of 1 - cosine of personal norms, first and last round",
        lambda r: _mean(drift(begun.norm[r], norms[r])),
    )
    yield finding(
        "norm_clusters",
        f"groups of personal norms with a cosine of at least {LIKENESS:g}",
        lambda r: _count(norms[r]),
    )


def _ends(pages: Iterable[Page]) -> tuple[NormSentences, NormSentences] | None:
    """The first and the last round of each replicate with norms; None if there was none."""
    first, last = None, None
    for page in pages:
        said = _said(page)
        if said is None:
            continue
        here = (said.norm != "").any(1, keepdims=True)
        if first is None or last is None:
            first = last = said
        first = _replaced(first, said, ~(first.norm != "").any(1, keepdims=True))
        last = _replaced(last, said, here)
    return None if first is None or last is None else (first, last)


def _said(page: Page) -> NormSentences | None:
    """The sentences of one round; None if no norms were reconsidered in it."""
    tells = [step.arrays for step in page.steps if step.sort == "tell"]
    told = {name: values for arrays in tells for (_, name), values in arrays.items()}
    if "norm" not in told:
        return None
    nothing = np.full_like(told["norm"], "")
    proposal, policy = told.get("proposal", nothing), told.get("policy", nothing[:, :1])
    kept = page.public.get("norm", nothing)  # 0 for those without such a column
    held = np.where(kept.astype(bool), kept, told["norm"])
    return NormSentences(np.where(page.present & page.running, held, ""), proposal, policy)


def _replaced(old: NormSentences, new: NormSentences, where: Array) -> NormSentences:
    """The new sentences in the replicates of a mask, (R, 1)."""
    return NormSentences(*(np.where(where, *pair) for pair in zip(new, old, strict=True)))


def _embedded(after: PostAnalysis, by: Embedder, *rounds: NormSentences) -> list[NormSentences]:
    """The vectors of all sentences, embedded together."""
    texts = sorted({text for said in rounds for part in said for text in part.flat})
    vectors = after.embedded(by, texts)
    places = {text: place for place, text in enumerate(texts)}
    place = np.frompyfunc(places.__getitem__, 1, 1)
    return [NormSentences(*(vectors[place(part).astype(int)] for part in said)) for said in rounds]


def _between(graph: Graph, replicate: int, norms: Array) -> Edges:
    """Norms of neighbours against those of others; NaN where everybody is a neighbour."""
    if isinstance(graph, Complete):
        return Edges(np.nan, np.nan)
    pairs = [
        (seat, peer)
        for seat in range(len(norms))
        for peer in graph.neighbours(replicate, seat).tolist()
    ]
    return along_edges(norms, np.array(pairs).reshape(-1, 2))


def _mean(values: Array) -> float:
    """Average over those that are there; NaN if none is."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else np.nan


def _count(norms: Array) -> float:
    """The number of clusters; NaN without norms."""
    labels = clusters(norms, LIKENESS)
    return float(labels.max() + 1) if (labels >= 0).any() else np.nan
