"""The section for papers: methods in sentences, settings of models, literature, and a checklist."""

from __future__ import annotations

from collections.abc import Sequence

from society.report.methods import DescribedStudy, describe_methods
from society.report.model_settings import models_in_use, settings_table
from society.report.page import LinkedFile, Section, SectionPart, Verbatim, folded_section
from society.report.references import bibliography
from society.report.reporting_summary import reporting_summary
from society.runs.manifest import library_versions

_LEAD = (
    "To be copied into a paper: the text is made of what the run files say and of the statistics "
    "that have results on this page. It stands in methods.txt, its literature in references.bib."
)
_SEEDS = 5  # at most, that are named
_SUMMARY = (
    "What a reader checks, item by item, as run files and the tables of this page have it; "
    "nothing of it was written by hand."
)


def methods_section(
    studies: Sequence[DescribedStudy], judging: str = "", corrections: Sequence[str] = ()
) -> Section:
    """Describe studies for a paper, with the statistics of which their tables have results.

    judging: how claims of a paper were judged; corrections: for several tests in that.
    """
    played = [run for one in studies for run in one.study.played]
    codings = [coding for one in studies for coding in one.study.codings]
    models = models_in_use([*played, *(run for coding in codings for run in coding.raters)])
    methods = describe_methods(studies, models, judging)
    literature = bibliography(methods.keys, library_versions()["society"])
    seeds = _name_seeds({run.manifest.seed for run in played})
    parts: list[SectionPart] = [_LEAD, folded_section("Methods in words", Verbatim(methods.text()))]
    if models:
        parts.append(settings_table(models, seeds))
    parts += [
        folded_section("Literature (BibTeX)", Verbatim(literature)),
        LinkedFile("methods.txt", methods.text()),
        LinkedFile("references.bib", literature),
        folded_section(
            "Reporting summary", _SUMMARY, *reporting_summary(studies, models, corrections)
        ),
    ]
    return Section("Methods for a paper", parts, "methods")


def _name_seeds(seeds: set[int]) -> str:
    """Name the seeds of runs, or count them where they are many: manifests have each."""
    if len(seeds) > _SEEDS:
        return f"{len(seeds)} of them, in the manifests of the runs"
    return ", ".join(map(str, sorted(seeds)))
