"""The sections of texts: how alike norms are, how raters coded them, and texts as written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from society.analysis.coding.codes import Codes, agreement
from society.analysis.study.condition import ConditionRun
from society.analysis.study.frames import CONDITION
from society.report.figures.scatter import PointCloud, norm_space
from society.report.figures.style import SERIES
from society.report.layout import Layout, legend_note
from society.report.page import Caveat, Section, SectionPart, folded_section
from society.report.tables import Head, Table, known_mean, read_fields

from .provenance_section import name_models
from .word_chronicle import Quote, read_votes, word_chronicle

_SIMILARITY, _ALIGNMENT = "norm_similarity", "norm_alignment"
_MOST_TEXTS = 24  # conditions of which the texts are shown
_LEAD = (
    "Similarity is the mean cosine of norms over pairs of agents; alignment is their mean cosine "
    "with their mean. The two carry the same information: alignment = sqrt((1 + (N - 1) "
    "similarity) / N) for N agents, the curve in the figure; N is smaller where agents have "
    "died. Embeddings show what sentences are about, not which side they take: these numbers do "
    "not say whether norms are altruistic. That takes raters and a rubric."
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
    if not {_SIMILARITY, _ALIGNMENT} <= set(layout.measured):
        return
    yield _LEAD
    clouds = _clouds(layout)
    if not clouds:
        yield "No run ended with norms."
        return
    agents = sorted({run.manifest.agents for run in layout.conditions})
    caption = "Small: runs, at their last round. Large: their means. The curve holds for N agents."
    caption += legend_note(list(layout.levels) if len(clouds) == len(layout.conditions) else [])
    yield norm_space("norms", "Norms at the end of each run", caption, agents, clouds)


def _clouds(layout: Layout) -> dict[str, PointCloud]:
    """Group the norms by condition; if those are too many, by the levels of one factor."""
    both = layout.values(_SIMILARITY), layout.values(_ALIGNMENT)
    for factors in (list(layout.levels), layout.factors[:1], layout.factors[1:], []):
        groups = layout.group_by(factors)
        if len(groups) <= len(SERIES):
            break
    found = {}
    for group in groups:
        name = layout.name(group.places[0], factors) if factors else "all"
        across, upwards = (
            np.concatenate([values[place] for place in group.places]) for values in both
        )
        found[name] = PointCloud(across, upwards, layout.style_of_levels(group.places[0], factors))
    return {name: cloud for name, cloud in found.items() if not np.isnan(cloud.across).all()}


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
    return Section(title, [lead, *folds] if folds else [], anchor)


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
