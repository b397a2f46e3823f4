"""The methods of a report in sentences for a paper, with the literature that they cite.

Statistics are named if a table of the page holds a result of theirs, and only then: the text is
made from the sections, after them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.study import Study
from society.engine.calls import sum_known
from society.engine.script import UNREAD
from society.errors import page_path
from society.experiments.factors import format_label
from society.runs.manifest import Manifest, library_versions
from society.terminal.labels import describe_extents

from .model_settings import ModelUse, embedders
from .page import Section
from .references import references
from .tables import Table

_FEW = 12  # levels that a sentence names
_LIBRARIES = ("scipy", "statsmodels", "pandas", "matplotlib")
_OF_TESTS = ("scipy", "statsmodels")
_LEFT_OUT = ("society", "machine")
CITED = re.compile(r"\[(\w+(?:, \w+)*)\]")

# Scenarios and mechanisms that are taken from a paper, or follow one.
_SOURCES = {
    "gupta2026": ("fishing_village", "language_village"),
    "vallinder2024": ("donor_game",),
    "willis2026": ("cultural_evolution", "program_tournament", "self_play", "strategy_writing"),
    "tewolde2026": ("mediation", "contracts", "reputation"),
}


_EMBEDDERS = {"minilm": " (all-MiniLM-L6-v2) [reimers2019, wang2020]"}


class Statistic(NamedTuple):
    """A statistic that is named if a table has results of it.

    table: matches the name of the table; column: the heading of the results, "" for any number.
    words: with keys of references in brackets. paired: for studies with common random numbers only
    (True), for others only (False), or for all (None).
    """

    table: str
    column: str
    words: str
    paired: bool | None = None


_STATISTICS = (
    Statistic("outcome", "95 % from", "Means have 95% t intervals over runs [student1908]."),
    Statistic(
        *("outcome", "bootstrap 95 % from"),
        "Means also have 95% bias-corrected and accelerated bootstrap intervals of 9,999 resamples "
        "[efron1987].",
    ),
    Statistic(
        *("outcome", "geometric from"),
        "Outcomes were tested and averaged as logarithms, so that means are geometric.",
    ),
    Statistic(
        *("outcome", "lasted from"),
        "Shares of runs in which the event had not come have 95% Wilson intervals [wilson1927].",
    ),
    Statistic(
        *("survival_.*", "restricted mean"),
        "Survival was estimated by the Kaplan-Meier method, with 95% intervals on the log-log "
        "scale and means restricted to the last round seen [kaplan1958].",
    ),
    Statistic(
        *("log_rank_.*", "p"),
        "Survival was compared between conditions by the log-rank test, which takes runs as "
        "independent [mantel1966].",
    ),
    Statistic(
        *("anova_.*", "p"),
        "Outcomes were compared by analysis of variance with type III sums of squares "
        "[fisher1925, yates1934], replicates being blocks, since their random numbers are common.",
        True,
    ),
    Statistic(
        *("anova_.*", "p"),
        "Outcomes were compared by analysis of variance with type III sums of squares "
        "[fisher1925, yates1934].",
        False,
    ),
    Statistic(
        *("tukey_.*", "letters"),
        "Levels of factors with an effect (p < 0.05) were compared by Tukey-Kramer tests "
        "[tukey1949, kramer1956] and are shown with compact letters [piepho2004].",
    ),
    Statistic(
        *("contrasts", "t"),
        "Each condition was compared with the first one by two-sided paired t tests [student1908].",
        True,
    ),
    Statistic(
        *("contrasts", "t"),
        "Each condition was compared with the first one by two-sided t tests for unequal "
        "variances [welch1947].",
        False,
    ),
    Statistic(
        *("contrasts", "p (Holm)"),
        "Their p values were corrected for {rows} contrasts by Holm's method [holm1979].",
    ),
    Statistic("contrasts", "g", "Standardised differences are Hedges' g [hedges1981].", False),
    Statistic(
        "contrasts",
        "p of ranks",
        "The same pairs were compared by Wilcoxon's signed-rank tests [wilcoxon1945].",
        True,
    ),
    Statistic(
        *("contrasts", "p of ranks"),
        "The same pairs of conditions were compared by Mann-Whitney tests [mann1947].",
        False,
    ),
    Statistic(
        *("ranks", "p"), "All conditions were compared by Friedman's test [friedman1937].", True
    ),
    Statistic(
        *("ranks", "p"),
        "All conditions were compared by Kruskal-Wallis tests [kruskal1952].",
        False,
    ),
    Statistic(
        *("price", "selection"),
        "Changes from generation to generation were split by the Price equation [price1970].",
    ),
    Statistic(
        *("price", "entry"),
        "What those without ancestors add to a mean is a term of its own [kerr2009].",
    ),
    Statistic("slopes", "slope", "Trends are least-squares slopes of single runs."),
    Statistic(
        *("foretold", "r from"),
        "Correlations have 95% intervals by Fisher's transformation [fisher1921], of ranks by "
        "Bonett and Wright [bonett2000].",
    ),
    Statistic(
        *("sentences", "different strategies, effective number"),
        "The number of different strategies is Hill's number of order 1 [hill1973].",
    ),
    Statistic(
        *(".*", "α"),
        "The reliability of scales is Cronbach's alpha [cronbach1951] and McDonald's omega "
        "[mcdonald1999].",
    ),
    Statistic(
        "kappas_.*", "Cohen's κ", "Pairs of raters were compared by Cohen's kappa [cohen1960]."
    ),
    Statistic(
        *("agreement_.*", "Krippendorff's α"),
        "The agreement of raters is Krippendorff's alpha [krippendorff2011].",
    ),
    Statistic(
        *("crossplay_.*_numbers", "mean"),
        "Types were ranked by deviation ratings [marris2025] and by their payoff against the "
        "population that replicator dynamics lead to [taylor1978].",
    ),
)


class Methods(NamedTuple):
    """Methods for a paper: paragraphs by their titles, and the keys of all that they cite."""

    paragraphs: Mapping[str, str]
    keys: Sequence[str]

    def text(self) -> str:
        """Write all paragraphs, each under its title."""
        return "\n\n".join(f"{title}. {words}" for title, words in self.paragraphs.items()) + "\n"


class DescribedStudy(NamedTuple):
    """A study of which methods are told: its title, "" if it stands alone, and its tables."""

    title: str
    study: Study
    tables: Sequence[Table]

    @classmethod
    def of(cls, title: str, study: Study, sections: Iterable[Section]) -> DescribedStudy:
        """Take the tables of all sections."""
        parts = (part for section in sections for part in section.walk())
        return cls(title, study, [part for part in parts if isinstance(part, Table)])


def describe_methods(
    studies: Sequence[DescribedStudy], models: Sequence[ModelUse], judging: str = ""
) -> Methods:
    """Say how studies were made and analysed, from their run files and the tables of their report.

    judging: how claims of a paper were judged by them.
    """
    every = [one.study for one in studies]
    statistics = " ".join(statistics_used(studies))
    tested = bool(statistics or judging)
    said = {
        **_experiments(studies),
        "Language models": " ".join(_language_models(every, models)),
        "Claims": judging,
        "Statistics": statistics,
        "Exclusions": " ".join(exclusions(every)),
        "Software": " ".join(_software(every, with_tests=tested)),
    }
    said = {title: words for title, words in said.items() if words}
    cited = (key for words in said.values() for key in chain(*map(_keys, CITED.findall(words))))
    keys = [key for key in cited if key in references()]
    return Methods(
        {title: CITED.sub(_cite, words) for title, words in said.items()},
        list(dict.fromkeys(keys)),
    )


def _experiments(studies: Sequence[DescribedStudy]) -> dict[str, str]:
    """Describe model and design of each study, in paragraphs of their own if it is the only one."""
    if len(studies) == 1 and not studies[0].title:
        (study,) = (one.study for one in studies)
        return {"Model": " ".join(_model(study)), "Design": " ".join(design_words(study))}
    return {
        f"Experiment: {one.title}": " ".join([*_model(one.study), *design_words(one.study)])
        for one in studies
    }


def _keys(found: str) -> list[str]:
    return found.split(", ")


def _cite(found: re.Match[str]) -> str:
    """Give authors and years in place of keys; other text in brackets, a list say, stays."""
    every = references()
    if not set(_keys(found[1])) <= set(every):
        return found[0]
    return f"({'; '.join(every[key].cited for key in _keys(found[1]))})"


def _model(study: Study) -> Iterator[str]:
    given = manifests(study)
    names = dict.fromkeys(one.scenario for one in given)
    mechanisms = dict.fromkeys(
        name for one in given for part in one.spec.get("mechanisms", ()) for name in part
    )
    followed = [key for key, own in _SOURCES.items() if {*own} & {*names, *mechanisms}]
    source = f" [{', '.join(followed)}]" if followed else ""
    beside = f", with {_list([*mechanisms])}" if mechanisms else ""
    yield f"We played {_list([*names])}{beside}{source}."
    parameters = [f"{name} = {_values(given, name)}" for name in _fixed(study, given)]
    if parameters:
        yield f"Parameters: {'; '.join(parameters)}."


def manifests(study: Study) -> list[Manifest]:
    """Return what run files say of the runs of a study."""
    return [run.manifest for run in study.played]


def _fixed(study: Study, given: Sequence[Manifest]) -> list[str]:
    """List the parameters that are no factors, by name."""
    return [
        name
        for name in dict.fromkeys(name for one in given for name in one.params)
        if name not in study.levels
    ]


def _values(given: Sequence[Manifest], name: str) -> str:
    values = dict.fromkeys(parameter_word(one.params[name]) for one in given if name in one.params)
    return " or ".join(values)


def parameter_word(value: Any) -> str:
    """Write the value of a parameter, paths of one machine shortened.

    >>> parameter_word(["/home/ann/strategies/public_goods"])
    "['strategies/public_goods']"
    """
    shown = _without_folders(value)
    return format_label(shown) if isinstance(shown, str | int | float | None) else str(shown)


def _without_folders(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_without_folders(one) for one in value]
    return page_path(value) if isinstance(value, str) and Path(value).is_absolute() else value


def design_words(study: Study) -> Iterator[str]:
    """Say what was varied, how many runs were played, and from which random numbers."""
    given = manifests(study)
    for name, levels in study.levels.items():
        labels = [*map(format_label, levels)]
        more = f" and {len(labels) - _FEW} more" if len(labels) > _FEW else ""
        yield f"Factor {name} had the levels {', '.join(labels[:_FEW])}{more}."
    counts = _range([one.replicates for one in given])
    conditions = f"{len(given)} conditions" if len(given) > 1 else "one condition"
    total = sum(one.replicates for one in given)
    each = f" each ({total:,} in all)" if len(given) > 1 else ""
    yield f"We played {conditions} with n = {counts} run{'s' * (counts != '1')}{each}."
    agents = _range([one.agents for one in given])
    yield f"A run is one society of {agents} agents over at most {describe_extents(given)}."
    seeds = sorted({one.seed for one in given})
    shown = ", ".join(map(str, seeds[:_FEW])) + (", ..." if len(seeds) > _FEW else "")
    yield f"Random numbers are counter-based, from the seed{'s' * (len(seeds) > 1)} {shown}."
    if study.random_numbers == "common":
        yield "Replicate r drew the same numbers in all conditions (common random numbers)."
    if study.random_numbers == "independent":
        yield "Conditions shared no random numbers."


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _language_models(studies: Sequence[Study], models: Sequence[ModelUse]) -> Iterator[str]:
    if not models:
        yield "No language model was asked."
        return
    for use in models:
        yield use.sentence()
    runs = [run for study in studies for run in study.played]
    entries = [entry for run in runs for entry in run.ledger]
    mishaps = {
        "were asked again, since the reply could not be read": sum(one.repairs for one in entries),
        "were asked again, since the reply was cut off": sum(one.cut for one in entries),
        "could not be read in the end and were settled by the fallback of the question": sum(
            one.fallbacks for one in entries
        ),
    }
    answers = sum(one.calls + one.unasked - one.repairs - one.cut for one in entries)
    for words, count in mishaps.items():
        if count:
            yield f"Of {answers:,} answers {count:,} {words}."
    if not any(mishaps.values()):
        yield "Every reply could be read as it came."
    lost = sum(run.unanswered for run in runs)
    if lost:
        yield f"{lost:,} calls never returned."
    for name in embedders(runs):
        yield f"Texts were compared by their embeddings by {name}{_EMBEDDERS.get(name, '')}."
    cost = sum_known(entry.cost for entry in entries)
    yield "The cost is unknown." if cost is None else f"All calls cost ${cost:.2f}."


def _used(study: Study, tables: Sequence[Table]) -> Iterator[tuple[Statistic, int]]:
    """Yield the statistics of which a table has results, with the number of these."""
    paired = study.random_numbers == "common"
    for one in _STATISTICS:
        if one.paired not in (None, paired):
            continue
        counts = [
            _results(table, one.column) for table in tables if re.fullmatch(one.table, table.name)
        ]
        if sum(counts):
            yield one, sum(counts)


def _results(table: Table, heading: str) -> int:
    """Count the cells with a result in the columns of a heading."""
    cells = chain(*(one.cells for one in table.columns if heading in ("", one.heading)))
    return sum(
        bool(cell)
        if isinstance(cell, str)
        else not (cell is None or isinstance(cell, NotEstimable) or math.isnan(cell))
        for cell in cells
    )


def statistics_used(studies: Iterable[DescribedStudy]) -> Iterator[str]:
    """Name the statistics of which a table has results, each once."""
    counts: dict[str, int] = {}
    for one in studies:
        for statistic, count in _used(one.study, one.tables):
            counts[statistic.words] = counts.get(statistic.words, 0) + count
    for words, count in counts.items():
        yield words.replace("{rows}", f"{count:,}")


def exclusions(studies: Sequence[Study]) -> Iterator[str]:
    """Say what failed, is not finished, was not played or is void; or that nothing was left out."""
    unfinished = [run for study in studies for run in study.played if run.status != "finished"]
    failed = [name for study in studies for name in study.failures]
    missing = [name for study in studies for name in study.missing]
    for words, count in (
        ("failed", len(failed)),
        (
            "had not finished; their rounds so far are shown, and they are not tested",
            len(unfinished),
        ),
        ("were not played", len(missing)),
    ):
        if count:
            yield f"{count:,} condition{'s' * (count > 1)} {words}."
    void = sum(int((study.run_columns["cause"].values == UNREAD).sum()) for study in studies)
    if void:
        yield f"{void:,} runs were void, as an answer could not be read, and count in no measure."
    if not (failed or unfinished or missing or void):
        yield "All conditions were finished, and none was left out."


def _software(studies: Sequence[Study], *, with_tests: bool) -> Iterator[str]:
    played = versions_played(studies)
    own = ", ".join(
        f"{name} {version}" for name, version in played.items() if name not in _LEFT_OUT
    )
    yield f"Runs were played with society {played.get('society', 'unknown')} [society] on {own}"
    yield "[numpy, networkx]."
    now = library_versions() | _installed()
    tools = [name for name in _LIBRARIES if name in now and (with_tests or name not in _OF_TESTS)]
    made = ", ".join(f"{name} {now[name]}" for name in tools)
    keys = ", ".join(tools)
    yield f"They were analysed with society {now['society']}, which rests on {made} [{keys}]."


def versions_played(studies: Sequence[Study]) -> dict[str, str]:
    """The versions of all packages with which runs were played, by name."""
    given = [manifest for study in studies for manifest in manifests(study)]
    names = dict.fromkeys(name for one in given for name in one.versions)
    return {
        name: " and ".join(dict.fromkeys(one.versions.get(name, "unknown") for one in given))
        for name in names
    }


def _installed() -> dict[str, str]:
    from importlib import metadata

    return {name: metadata.version(name) for name in _LIBRARIES}
