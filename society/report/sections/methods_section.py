"""The section for papers: methods in sentences, settings of models, and the literature."""

from __future__ import annotations

from collections.abc import Sequence

from society.report.layout import Layout
from society.report.methods import describe_methods
from society.report.model_settings import models_in_use, settings_table
from society.report.page import LinkedFile, Section, SectionPart, Verbatim, folded_section
from society.report.references import bibliography
from society.runs.manifest import library_versions

_LEAD = (
    "To be copied into a paper: the text is made of what the run files say and of the statistics "
    "that have results on this page. It stands in methods.txt, its literature in references.bib."
)


def methods_section(layout: Layout, others: Sequence[Section]) -> Section:
    """Describe a study for a paper; others: the sections before, whose statistics are named."""
    study = layout.study
    raters = [run for coding in study.codings for run in coding.raters]
    models = models_in_use([*study.played, *raters])
    methods = describe_methods(study, others, models)
    literature = bibliography(methods.keys, library_versions()["society"])
    seeds = ", ".join(sorted({str(run.manifest.seed) for run in study.played}))
    parts: list[SectionPart] = [_LEAD, Verbatim(methods.text())]
    if models:
        parts.append(settings_table(models, seeds))
    parts += [
        folded_section("Literature (BibTeX)", Verbatim(literature)),
        LinkedFile("methods.txt", methods.text()),
        LinkedFile("references.bib", literature),
    ]
    return Section("Methods for a paper", parts, "methods")
