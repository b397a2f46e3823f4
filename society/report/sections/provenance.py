"""The first chapters and the last one: what was played, and where every number is from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from society.experiments.factors import format_label
from society.report.layout import Layout
from society.report.page import Caveat, Chapter, Fold, Heading, Listing, Paragraph, Part
from society.report.sections.minds import asked
from society.report.tables import Column, Table
from society.runs.manifest import Manifest

if TYPE_CHECKING:
    from society.claims.types import Verdict

_SIGNS = {"reproduced": "●", "in part": "◐", "not reproduced": "○", "cannot be told": "–"}
_DIGEST = 16  # hexadecimal digits in the page
_FEW = 12  # levels that a sentence names


def verdicts(found: Sequence[Verdict]) -> Chapter | None:
    """Claims of a paper beside our results; None without claims."""
    if not found:
        return None
    counts = Counter[str](one.outcome for one in found)
    lead = ", ".join(f"{counts[sort]} {sort}" for sort in _SIGNS if counts[sort])
    columns = [
        Column("claim", [one.claim for one in found], "words"),
        Column("outcome", [f"{_SIGNS[one.outcome]} {one.outcome}" for one in found]),
        Column("said", [f"{one.said} ({one.source})" for one in found], "words"),
        Column("found", [_found(one) for one in found], "words"),
    ]
    table = Table("claims", "Claims of the paper beside our results", columns)
    return Chapter("claims", "Claims", [Paragraph(f"Of {len(found)} claims: {lead}."), table])


def _found(verdict: Verdict) -> str:
    return "; ".join(filter(None, [verdict.found, verdict.notes]))


def summary(layout: Layout) -> Chapter:
    """What was played with whom, and what is not there."""
    minds = asked((run.manifest, run.ledger) for run in layout.conditions)
    parts: list[Part] = [minds, *_troubles(layout), Paragraph(_how(layout))]
    return Chapter("summary", "Summary", parts)


def _troubles(layout: Layout) -> Iterator[Part]:
    """Conditions that failed, that are not finished, that are missing; what was not concluded."""
    study = layout.study
    open_ended = {run.name: run.status for run in study.played if run.status != "finished"}
    for words, items in (
        ("failed", [f"{name}: {why}" for name, why in study.failures.items()]),
        (
            "not finished, and taken as far as they go",
            [f"{name}: {status}" for name, status in open_ended.items()],
        ),
        ("not played", list(study.missing)),
    ):
        if items:
            yield Caveat(f"{counted(len(items), 'condition')} {words}:", _some(items))
    if study.notes:
        items = [f"{name}: {why}" for name, why in study.notes.items()]
        yield Caveat("Not everything could be concluded:", _some(items))


def _some(items: Sequence[str]) -> list[str]:
    more = len(items) - _FEW
    return [*items[:_FEW], *([f"and {more} more"] if more > 0 else [])]


def played(layout: Layout) -> str:
    """In a sentence."""
    given = [run.manifest for run in layout.conditions]
    runs = sum(one.replicates for one in given)
    scenarios = " and ".join(dict.fromkeys(one.scenario for one in given))
    return (
        f"{counted(len(given), 'condition')} of {scenarios}, {counted(runs, 'run')} in all "
        f"({_range([one.replicates for one in given], 'replicate')} a condition), "
        f"{_range([one.agents for one in given], 'agent')}, at most "
        f"{_range([one.most for one in given], 'round')}."
    )


def _how(layout: Layout) -> str:
    """Factors and luck."""
    levels = layout.study.levels.items()
    factors = "; ".join(f"{name}: {_listed(labels)}" for name, labels in levels)
    luck = {
        "common": "Replicate r has the same luck in every condition (common random numbers).",
        "independent": "No two conditions share their luck.",
        None: "",
    }[layout.study.random_numbers]
    replicates = "A run is one replicate, one history of a society: the unit of all statistics."
    return " ".join(filter(None, [f"{factors}." if factors else "", luck, replicates]))


def _listed(labels: Sequence[Any]) -> str:
    few = ", ".join(map(format_label, labels[:_FEW]))
    return few if len(labels) <= _FEW else f"{few} and {len(labels) - _FEW} more"


def counted(count: int, noun: str) -> str:
    """A number of things: "1 run", "1,000 runs"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _range(counts: Sequence[int], noun: str) -> str:
    low, high = min(counts), max(counts)
    return counted(low, noun) if low == high else f"{low:,} to {counted(high, noun)}"


def provenance(layout: Layout) -> Chapter:
    """Enough to play all of it again, and to tell whether it came out the same."""
    given = [run.manifest for run in layout.conditions]
    parts: list[Part] = [
        Paragraph(
            "A digest stands for everything that was asked, answered and told in a run: "
            "the command society verify plays it again and compares."
        ),
        _run_table(layout),
        _versions(given),
        Fold("Parameters", [_parameters(given)]),
    ]
    prompts = {name: hashed for one in given for name, hashed in one.prompts.items()}
    files = {_short(name): hashed for one in given for name, hashed in one.files.items()}
    for name, title, hashes in (
        ("prompts", "Prompts, sha256", prompts),
        ("files", "Files, sha256", files),
    ):
        if hashes:
            columns = [Column("name", list(hashes)), Column("sha256", list(hashes.values()))]
            parts.append(Fold(title, [Table(name, title, columns)]))
    if layout.study.text:
        parts.append(Fold("The experiment as it was written", [Listing(layout.study.text)]))
    return Chapter("provenance", "Provenance", [*parts, *_methods(layout)])


def _short(path: str) -> str:
    """A file without the folders of one machine."""
    return path.replace("\\", "/").rpartition("/")[2]


def _run_table(layout: Layout) -> Table:
    runs = layout.conditions
    return Table(
        "runs",
        "Run files",
        [
            Column("condition", [run.name for run in runs]),
            Column("file", [run.path.name for run in runs]),
            Column("status", [run.status for run in runs]),
            Column("seed", [str(run.manifest.seed) for run in runs]),
            Column("rounds", [run.rounds for run in runs], "count"),
            Column("digest", [run.digest[:_DIGEST] for run in runs]),
        ],
    )


def _versions(given: Sequence[Manifest]) -> Table:
    names = dict.fromkeys(name for one in given for name in one.versions)
    found = [
        ", ".join(dict.fromkeys(one.versions.get(name, "unknown") for one in given))
        for name in names
    ]
    return Table("versions", "Versions", [Column("of", list(names)), Column("version", found)])


def _parameters(given: Sequence[Manifest]) -> Table:
    """Each with the values that it took."""
    names = dict.fromkeys(name for one in given for name in one.params)
    values = [
        list(dict.fromkeys(_value(one.params[name]) for one in given if name in one.params))
        for name in names
    ]
    shown = [_listed(each) for each in values]
    return Table(
        "parameters", "Parameters", [Column("name", list(names)), Column("value", shown, "words")]
    )


def _value(value: Any) -> str:
    return format_label(value) if isinstance(value, str | int | float | None) else str(value)


def _methods(layout: Layout) -> Iterator[Part]:
    yield Heading("Methods")
    several = len(layout.conditions) > 1
    evolving = any(run.manifest.stage.levels[0] == "generation" for run in layout.conditions)
    for needed, words in (
        (True, "Means: t intervals (Student 1908), BCa bootstrap intervals (Efron 1987)."),
        (
            bool(layout.times),
            "Survival: Kaplan-Meier (1958), Greenwood's variance on the log-log scale; restricted "
            "means; log-rank test (Mantel 1966). Shares: Wilson intervals (1927).",
        ),
        (
            several,
            "Tests: analysis of variance, type III with sum-to-zero contrasts (Fisher 1925, Yates "
            "1934), in blocks where luck is shared; Tukey-Kramer with compact letters (Piepho "
            "2004); t tests paired or by Welch (1947), corrected by Holm (1979); Hedges' g (1981); "
            "Wilcoxon (1945) and Friedman (1937), or Mann-Whitney (1947) and Kruskal-Wallis "
            "(1952). Two-sided, at a level of 0.05.",
        ),
        (
            evolving,
            "Evolution: the Price equation (Price 1970; Kerr and Godfrey-Smith 2009 for those "
            "without ancestors), least-squares slopes of single runs, correlations with intervals "
            "by Fisher (1921) and by Bonett and Wright (2000), Hill numbers (1973).",
        ),
    ):
        if needed:
            yield Paragraph(words)
