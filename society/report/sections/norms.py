"""The chapters of what was said: how alike norms are, how raters coded them, and their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from society.analysis.coding.codes import Codes, agreement
from society.analysis.study.condition import ConditionRun
from society.analysis.study.frames import CONDITION
from society.report.figures.heatmaps import Norms, norm_space
from society.report.figures.style import LOOKS
from society.report.layout import Layout, named
from society.report.page import Caveat, Chapter, Fold, Heading, Paragraph, Part
from society.report.sections.minds import asked
from society.report.tables import Column, Table, told

_SIMILARITY, _ALIGNMENT = "norm_similarity", "norm_alignment"
_MOST_TEXTS = 24  # conditions of which the texts are shown
_ONE_NUMBER = (
    "Similarity is the mean cosine of norms over pairs of agents, alignment their mean cosine with "
    "their mean. They are one number: alignment = sqrt((1 + (N - 1) similarity) / N) for N agents, "
    "the curve in the figure; where agents have died, N is smaller."
)
_NO_VALENCE = (
    "Embeddings tell what sentences are about, not which side they take: none of this says whether "
    "norms are altruistic. That takes raters and a rubric."
)


def norms(layout: Layout) -> Chapter | None:
    """How alike norms are, and what raters made of them; None without either."""
    parts = [*_space(layout), *_coded(layout)]
    return Chapter("norms", "Norms", parts) if parts else None


def _space(layout: Layout) -> Iterator[Part]:
    if not {_SIMILARITY, _ALIGNMENT} <= set(layout.measured):
        return
    yield Paragraph(f"{_ONE_NUMBER} {_NO_VALENCE}")
    groups = _clusters(layout)
    if not groups:
        yield Paragraph("No run has ended with norms.")
        return
    agents = sorted({run.manifest.agents for run in layout.conditions})
    words = "Small: runs, at their last round. Large: their means. The curve holds for N agents."
    words += named(list(layout.levels) if len(groups) == len(layout.conditions) else [])
    yield norm_space("norms", "Norms at the end of each run", words, agents, groups)


def _clusters(layout: Layout) -> dict[str, Norms]:
    """By condition; if those are too many, by the levels of one factor."""
    both = layout.values(_SIMILARITY), layout.values(_ALIGNMENT)
    for factors in (list(layout.levels), layout.factors[:1], layout.factors[1:], []):
        groups = layout.grouped(factors)
        if len(groups) <= len(LOOKS):
            break
    found = {
        layout.name(group.places[0], factors) if factors else "all": Norms(
            *(np.concatenate([values[place] for place in group.places]) for values in both)
        )
        for group in groups
    }
    return {name: norms for name, norms in found.items() if not np.isnan(norms.similarity).all()}


def _coded(layout: Layout) -> Iterator[Part]:
    """What raters said in the codings of a study, and how far they agree."""
    codings = layout.study.codings
    names = dict[str, None]()
    for number, coding in enumerate(codings, 1):
        codes, where = coding.codes, f", {coding.folder.name}" if len(codings) > 1 else ""
        yield Heading(f"Codes of texts{where}")
        yield asked([(run.manifest, run.ledger) for run in coding.raters])
        if coding.note:
            words = f"{coding.note}; what stands here is as far as it has come."
            yield Caveat(words[0].upper() + words[1:])
        if len(codes.raters) > 1:
            yield from _agreement(number, codes)
        yield _labels(number, codes)
        names |= dict.fromkeys(name for one in codes.criteria for name in (one.rank, *one.shares))
    coded = [name for name in names if name in layout.measured]
    if coded:
        yield _by_condition(layout, coded)


def _agreement(number: int, codes: Codes) -> Iterator[Part]:
    found = agreement(codes)
    alphas, same = [one.alpha for one in found], [one.same for one in found]
    yield Table(
        f"agreement_{number}",
        f"Agreement of {len(codes.raters)} raters: {', '.join(codes.raters)}",
        [
            Column("criterion", [one.criterion.name for one in found]),
            Column("scale", [one.criterion.scale for one in found]),
            Column("texts", told(alphas, lambda one: one.texts), "count"),
            Column("Krippendorff's α", told(alphas, lambda one: one.value), "share"),
            Column("95 % from", told(alphas, lambda one: one.interval.low), "share"),
            Column("95 % to", told(alphas, lambda one: one.interval.high), "share"),
            Column("pairs that agree", told(same, lambda one: one.value), "share"),
        ],
        ["1 is always, 0 of α as often as by chance; intervals by a bootstrap over texts."],
    )
    pairs = [(one, pair, kappa) for one in found for pair, kappa in one.kappas.items()]
    kappas = [kappa for _, _, kappa in pairs]
    columns = [
        Column("criterion", [one.criterion.name for one, _, _ in pairs]),
        Column("raters", [" and ".join(pair) for _, pair, _ in pairs]),
        Column("Cohen's κ", told(kappas, lambda one: one.value), "share"),
        Column("95 % from", told(kappas, lambda one: one.interval.low), "share"),
        Column("95 % to", told(kappas, lambda one: one.interval.high), "share"),
    ]
    notes = ["Of ordinal criteria with quadratic weights."]
    table = Table(f"kappas_{number}", "Agreement of each pair of raters", columns, notes)
    yield Fold("Pairs of raters", [table])


def _labels(number: int, codes: Codes) -> Table:
    rows = [
        (criterion, place, label)
        for criterion in codes.criteria
        for place, label in enumerate(criterion.labels)
    ]
    return Table(
        f"labels_{number}",
        "How often each label was given",
        [
            Column("criterion", [criterion.name for criterion, _, _ in rows]),
            Column("label", [label for _, _, label in rows]),
            *(
                Column(
                    rater,
                    [int((codes.given[one.name][:, who] == place).sum()) for one, place, _ in rows],
                    "count",
                )
                for who, rater in enumerate(codes.raters)
            ),
        ],
    )


def _by_condition(layout: Layout, names: Sequence[str]) -> Table:
    columns = layout.columns()
    for name in names:
        known = [values[~np.isnan(values)] for values in layout.values(name)]
        means = [float(each.mean()) if len(each) else None for each in known]
        columns.append(Column(name, means, "share"))
    notes = [f"{name}: {layout.measured[name]}" for name in names]
    return Table("coded", "Codes by condition, means over runs", columns, notes)


def texts(layout: Layout) -> Chapter | None:
    """What was said in the first replicate of each condition, as it was said; None if nothing."""
    if not any(run.manifest.stage.quotes for run in layout.conditions):
        return None
    chapter, title = "texts", "Words over time"
    if not layout.study.detailed:
        words = "Runs at level summary do not keep what was said; play with record: full."
        return Chapter(chapter, title, [Paragraph(words)])
    quotes = layout.study.quotes
    first = quotes[quotes["replicate"] == 0]
    folds = [
        Fold(layout.title(place, list(layout.levels)) or run.name, tables)
        for place, run in enumerate(layout.conditions[:_MOST_TEXTS])
        if (tables := _spoken(place + 1, run, first[first[CONDITION] == run.name]))
    ]
    lead = (
        "What was said in the first replicate, in the words of agents and models: each message, "
        "and each change of what is held."
    )
    if len(layout.conditions) > _MOST_TEXTS:
        lead += f" The first {_MOST_TEXTS} of {len(layout.conditions)} conditions."
    return Chapter(chapter, title, [Paragraph(lead), *folds]) if folds else None


def _spoken(number: int, run: ConditionRun, quotes: Any) -> list[Table]:
    """One condition's texts, a table for each sort; numbers, such as a cap, are no texts."""
    stage, names = run.manifest.stage, _names(run)
    whose = [names[seat] for seat in quotes["agent"].fillna(len(names) - 1).tolist()]
    columns = quotes["name"].tolist(), quotes["round"].tolist(), whose, quotes["text"].tolist()
    rows = list(zip(*columns, strict=True))
    found = []
    for sort in dict.fromkeys((*stage.notes, *stage.quotes)):
        own = [row[1:] for row in rows if row[0] == sort]
        if own and not all(_number(text) for _, _, text in own):
            rounds, who, said = zip(*own, strict=True)
            columns_of = [
                Column("round", rounds, "count"),
                Column("whose", who),
                Column("words", said, "words"),
            ]
            found.append(Table(f"texts_{number}_{sort}", f"{sort}: {run.name}", columns_of))
    return found


def _names(run: ConditionRun) -> list[str]:
    """What agents are called, by seat: "altruist 3"; the last one stands for all of them."""
    names = [f"agent {seat + 1}" for seat in range(run.manifest.agents)]
    for cohort in run.manifest.cohorts:
        for number, seat in enumerate(cohort.seats, start=1):
            names[seat] = f"{cohort.name} {number}"
    return [*names, "all"]


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
