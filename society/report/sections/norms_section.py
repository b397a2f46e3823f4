"""The sections of texts: how alike norms are, how raters coded them, and texts as written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from society.analysis.coding.codes import Codes, agreement
from society.analysis.study.condition import ConditionRun
from society.analysis.study.frames import CONDITION
from society.analysis.study.norm_vectors import HeldNorms, NormEnds, read_norm_ends
from society.engine.rng import Array
from society.memory.embedders import unit
from society.report.figures.heatmaps import HeatPanel, heatmap
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.page import Caveat, Section, SectionPart, folded_section
from society.report.tables import Head, Table, known_mean, read_fields
from society.terminal.labels import count_noun

from .provenance_section import name_models
from .word_chronicle import Quote, read_votes, word_chronicle

_SIMILARITY = "norm_similarity"
_OPEN = 3  # conditions whose words stand open on the page
_MOST_TEXTS = 24  # conditions of which the texts are shown
_MOST_MATRICES = 4  # conditions
_LEAD = (
    "Similarity is the mean cosine of norms over pairs of agents. Alignment with their mean is the "
    "same number in another form, sqrt((1 + (N - 1) similarity) / N) for N agents, and is not "
    "drawn. Embeddings show what sentences are about, not which side they take: these numbers do "
    "not say whether norms are altruistic. That takes raters and a rubric."
)
_MATRIX = (
    "A cell is a pair of agents; the lighter, the more alike their norms. Agents stand in the "
    "order in which norms of the last round differ most, in both panels."
)
_GONE = " At the end stand agents who had left by then; their cells of the last round are empty."
_NO_EMBEDDINGS = (
    "These run files keep no embeddings of their norms, so that pairs of agents cannot be compared "
    "here. A run keeps them if its norms are measured as it ends."
)
_TEXTS = (
    "Texts of the first replicate, in the words of agents and models, by agent: each message, and "
    "each change of a norm, rule or strategy, with the words that are new and gone."
)
_NO_TEXTS = "Runs at level summary do not keep what was said; run with record: full."
_AGREEMENT = (
    "1 is perfect agreement; an α of 0 is agreement by chance. Intervals: bootstrap over texts."
)


def norms_section(layout: Layout) -> Section:
    """Show how alike norms are, and how raters coded them."""
    return Section("Norms", [*_space(layout), *_codings(layout)], "norms")


def _space(layout: Layout) -> Iterator[SectionPart]:
    """Show how alike norms are, pair by pair, in the first and the last round of one replicate."""
    if _SIMILARITY not in layout.measured:
        return
    if all(np.isnan(values).all() for values in layout.values(_SIMILARITY)):
        yield "No run ended with norms."
        return
    yield _LEAD
    found = _recorded(layout)
    if not found:
        yield _NO_EMBEDDINGS
        return
    yield from (similarity_figure(*each) for each in found[:_MOST_MATRICES])
    if len(found) > _MOST_MATRICES:
        yield f"The first {_MOST_MATRICES} of {len(found)} conditions with embeddings."


def _recorded(layout: Layout) -> list[tuple[str, str, NormEnds]]:
    """Read the norms of each condition, with the name of its figure and what is said of it."""
    found = []
    for place, run in enumerate(layout.conditions):
        ends = read_norm_ends(run) if run.manifest.level == "full" else []
        if not ends:
            continue
        where = layout.name(place) if len(layout.conditions) > 1 else ""
        if run.manifest.replicates > 1:
            one = f"replicate 0 of {run.manifest.replicates}"
            where = f"{where}, {one}" if where else one
        found.append((f"norms_{place + 1}", where, ends[0]))
    return found


def similarity_figure(name: str, where: str, ends: NormEnds) -> Figure:
    """Draw the cosine of each two agents' norms, first and last round; where: which run it is."""
    order = _order(ends.last.vectors)
    seats = [*ends.last.seats[order].tolist()]
    seats += [seat for seat in ends.first.seats.tolist() if seat not in seats]  # who has left
    names = [ends.name(seat) for seat in seats]
    rounds = [ends.last] if ends.first.round == ends.last.round else [ends.first, ends.last]
    panels = [
        HeatPanel(f"Round {one.round}", ("agent", "agent"), names, names, _cosines(one, seats))
        for one in rounds
    ]
    means = ", ".join(f"{one.similarity:.2f} in round {one.round}" for one in rounds)
    title = f"Mean cosine of two agents' norms: {means}"
    begin = f"{where[:1].upper()}{where[1:]}. " if where else ""
    caption = f"{begin}{_MATRIX}{_GONE * (len(seats) > len(order))} Embeddings: {ends.embedder}."
    return heatmap(name, title, caption, "cosine of norms", panels)


def _order(vectors: Array) -> list[int]:
    """Order agents along the line on which their norms differ most, (N, d) -> N places."""
    norms = unit(vectors)
    apart = norms - norms.mean(0)
    _, strength, axes = np.linalg.svd(apart, full_matrices=False)
    along = np.round(apart @ axes[0], 6) if strength[0] > 1e-6 else np.zeros(len(norms))
    # The sign of an axis is arbitrary: the first agent stands in the first half.
    along = -along if along[0] > 0 else along
    return [int(place) for place in np.argsort(along, kind="stable")]


def _cosines(held: HeldNorms, seats: Sequence[int]) -> Array:
    """Cosines of all pairs in the order of seats; NaN of those who hold no norm, and of oneself."""
    norms, place = unit(held.vectors), {seat: at for at, seat in enumerate(held.seats.tolist())}
    values = np.full((len(seats), len(seats)), np.nan)
    rows = [at for at, seat in enumerate(seats) if seat in place]
    own = norms[[place[seats[at]] for at in rows]]
    values[np.ix_(rows, rows)] = np.clip(own @ own.T, -1, 1)
    np.fill_diagonal(values, np.nan)
    return values


def _codings(layout: Layout) -> Iterator[SectionPart]:
    """The codings of a study, and how far raters agree."""
    codings, names = layout.study.codings, dict[str, None]()
    for number, coding in enumerate(codings, 1):
        codes, where = coding.codes, f", {coding.folder.name}" if len(codings) > 1 else ""
        parts: list[SectionPart] = [
            name_models((run.manifest, run.ledger) for run in coding.raters)
        ]
        if coding.note:
            words = f"{coding.note}; these are the codes so far."
            parts.append(Caveat(words[0].upper() + words[1:]))
        if len(codes.raters) > 1:
            parts += _agreement(number, codes)
        parts.append(_labels(number, codes))
        yield Section(f"Codes of texts{where}", parts)
        names |= dict.fromkeys(name for one in codes.criteria for name in (one.rank, *one.shares))
    coded = [name for name in names if name in layout.measured]
    if coded:
        rows = zip(*(map(known_mean, layout.values(name)) for name in coded), strict=True)
        notes = [f"{name}: {layout.measured[name]}" for name in coded]
        first, title = layout.factor_columns(), "Codes by condition, means over runs"
        yield Table.of("coded", title, [("share", *coded)], rows, *notes, first=first)


def _agreement(number: int, codes: Codes) -> Iterator[SectionPart]:
    found, bounds = agreement(codes), ("interval.low", "interval.high")
    rows = [
        (
            *(one.criterion.name, one.criterion.scale),
            *read_fields(one.alpha, "texts", "value", *bounds),
            *read_fields(one.same, "value"),
        )
        for one in found
    ]
    head: Head = [
        ("text", "criterion", "scale"),
        ("count", "texts"),
        ("share", "Krippendorff's α", "95 % from", "95 % to", "pairs that agree"),
    ]
    title = f"Agreement of {len(codes.raters)} raters: {', '.join(codes.raters)}"
    yield Table.of(f"agreement_{number}", title, head, rows, _AGREEMENT)
    rows = [
        (one.criterion.name, " and ".join(pair), *read_fields(kappa, "value", *bounds))
        for one in found
        for pair, kappa in one.kappas.items()
    ]
    head = [("text", "criterion", "raters"), ("share", "Cohen's κ", "95 % from", "95 % to")]
    note, title = "Ordinal criteria have quadratic weights.", "Agreement of each pair of raters"
    yield folded_section("Pairs of raters", Table.of(f"kappas_{number}", title, head, rows, note))


def _labels(number: int, codes: Codes) -> Table:
    rows = [
        (criterion.name, label, *(codes.given[criterion.name] == place).sum(0).tolist())
        for criterion in codes.criteria
        for place, label in enumerate(criterion.labels)
    ]
    head: Head = [("text", "criterion", "label"), ("count", *codes.raters)]
    return Table.of(f"labels_{number}", "How often each label was given", head, rows)


def texts_section(layout: Layout) -> Section:
    """Quote what was said in the first replicate of each condition."""
    title, anchor = "Words over time", "texts"
    if not any(run.manifest.stage.quotes for run in layout.conditions):
        return Section(title, [], anchor)
    if not layout.study.detailed:
        return Section(title, [_NO_TEXTS], anchor)
    quotes = layout.study.quotes
    first = quotes[quotes["replicate"] == 0]
    folds = [
        section
        for place, run in enumerate(layout.conditions[:_MOST_TEXTS])
        if (section := _words(layout, place, run, first[first[CONDITION] == run.name]))
    ]
    lead = _TEXTS
    if len(layout.conditions) > _MOST_TEXTS:
        lead += f" The first {_MOST_TEXTS} of {len(layout.conditions)} conditions."
    if not folds:
        return Section(title, [], anchor)
    shown, more = folds[:_OPEN], folds[_OPEN:]
    if more:
        shown.append(folded_section(f"Words of {count_noun(len(more), 'more condition')}", *more))
    return Section(title, [lead, *shown], anchor)


def _words(layout: Layout, place: int, run: ConditionRun, quotes: Any) -> Section | None:
    """One condition's texts by agent, and all of them in a table; None if there are none."""
    stage, who = run.manifest.stage, quotes["who"].fillna("all").tolist()
    columns = quotes["name"].tolist(), quotes["round"].tolist(), who, quotes["text"].tolist()
    every = [Quote(*each) for each in zip(*columns, strict=True)]
    # Numbers, such as a cap, are no texts.
    kinds = [
        kind
        for kind in dict.fromkeys((*stage.quotes, *stage.notes))
        if not all(_is_number(one.text) for one in every if one.name == kind)
    ]
    spoken = [one for one in every if one.name in kinds]
    if not spoken:
        return None
    held = [*(column.name for column in run.manifest.columns), *stage.notes]
    told = layout.study.runs
    last = int(told[(told[CONDITION] == run.name) & (told["replicate"] == 0)]["rounds"].iloc[0])
    head: Head = [("text", "kind"), ("count", "round"), ("text", "agent"), ("words", "words")]
    table = Table.of(f"texts_{place + 1}", f"All texts: {run.name}", head, spoken)
    parts: list[SectionPart] = [
        word_chronicle(spoken, held, last, read_votes(run, 0)),
        folded_section("The same in the order of rounds", table),
    ]
    return Section(layout.panel_title(place, list(layout.levels)) or run.name, parts)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
