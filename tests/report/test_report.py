"""The report of a study: what stands in it, and what it says where nothing can be said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from society.analysis.study import ConditionRun, Study
from society.analysis.study.panel_tests import compare_panels
from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Usage
from society.errors import FileError, InputError
from society.experiments.analysis_plan import AnalysisPlan
from society.experiments.factors import Label
from society.report import write_report
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.page import Caveat, Section
from society.report.sections.evolution.populations import Populations
from society.report.sections.hypothesis_tests import hypothesis_tests_section
from society.report.sections.llm_usage_section import llm_usage_section
from society.report.sections.norms_section import texts_section
from society.report.sections.outcome import maps_section, outcome_section
from society.report.sections.provenance_section import summary_section
from society.report.sections.survival_section import survival_section
from society.report.tables import Table
from society.runs.conclusions import record_findings
from society.runs.runfile import Level, Writer, manifest_of

pytestmark = pytest.mark.xdist_group("report")  # one is looked at by many

# A scenario of which every number can be foretold: a crowd of gossips falls silent in a round that
# depends on chance and on `patience`, and what it says is code.
GOSSIP = """
import numpy as np

from society.engine.component import Component
from society.engine.population import Cohort
from society.engine.action_spaces import Text
from society.engine.scenario import Finding, Measure, Params, DisplaySpec, scenario
from society.engine.script import Ask, Tell, common, own


class Crowd(Params):
    patience: float = 4.0
    place: str = "inn"


class Gossip(Component):
    answers = ("say",)

    def answer(self, ask, me):
        return np.full(len(me), "<script>alert('<b>')</script> & $x^2$", object)


def told(after):
    alike = np.linspace(0.2, 0.6, len(next(iter(after.pages())).present))
    yield Finding("norm_similarity", "mean cosine", alike)
    yield Finding("norm_alignment", "sqrt", np.sqrt((1 + 2 * alike) / 3))


@scenario(
    params=Crowd,
    cast=lambda p, n: [Cohort("gossip", n, (Gossip(),))],
    measures=(
        Measure("silence", "rounds", lambda told, env: told["over"], fold="first"),
        Measure("noise", "words a round", lambda told, env: told["noise"]),
    ),
    display=DisplaySpec(quotes={"word": "says"}, notes={"law": {}}),
    agents=3,
    rounds=12,
    post_analysis=told,
)
def gossip(env):
    "A crowd that talks until it tires."
    patience = env.params.patience * (1 + env.draws("crowd").uniform("patience")[:, :1])
    for number in env.rounds():
        said = yield Ask("say", Text())
        over = number > patience
        noise = common(10.0 / number + patience)
        law = common(np.full(over.shape, "be brief", object))
        yield Tell("heard", {"word": own(said), "over": common(over), "noise": noise, "law": law})
        yield Tell("silent", ends=over)
"""
README = Path(__file__).parents[2] / "README.md"
SECTION_TITLES = [
    *("What was found", "Outcome: silence", "What was played", "Survival", "How runs ended"),
    *("Tests", "Measures over time", "Norms", "Words over time", "Provenance"),
    "Methods for a paper",
]

Levels = Mapping[str, list[Label]]
Sweep = Callable[..., Study]


class Reported(NamedTuple):
    """A report of two conditions, patience 3 and 6, of twenty runs each."""

    study: Study
    page: str
    folder: Path


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """`sweep(patience=[3, 6])` plays the gossips under all crossed levels of these parameters."""

    def played(replicates: int = 6, level: Level = "full", **levels: list[Label]) -> Study:
        folder = tmp_path_factory.mktemp("gossips")
        (folder / "gossip.py").write_text(GOSSIP)
        crossed: list[dict[str, Label]] = [{}]
        for name, labels in levels.items():
            crossed = [{**factors, name: label} for factors in crossed for label in labels]
        runs = tuple(_run(folder, replicates, level, factors) for factors in crossed)
        return Study("gossips", runs, levels, "common" if len(runs) > 1 else None)

    return played


def _run(
    folder: Path,
    replicates: int,
    level: Level,
    factors: Mapping[str, Label],
    scenario: str = "gossip",
) -> ConditionRun:
    changes = {"replicates": replicates, "seed": 1, "parameters": dict(factors)}
    setup = build(load_config(str(folder / f"{scenario}.py"), changes))
    name = ",".join(f"{factor}={label}" for factor, label in factors.items()) or scenario
    path = folder / f"{name}.run"
    with Writer(path, manifest_of(setup, level)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    record_findings(path)
    return ConditionRun.read(path, name, factors)


@pytest.fixture(scope="module")
def reported(sweep: Sweep, tmp_path_factory: pytest.TempPathFactory) -> Reported:
    study, folder = sweep(replicates=20, patience=[3, 6]), tmp_path_factory.mktemp("report")
    return Reported(study, write_report(study, folder).read_text("utf-8"), folder)


def titles(page: str) -> list[str]:
    return re.findall(r"<h2[^>]*>(.*?)</h2>", page)


def said(section: Section) -> list[str]:
    """Return the words of a section between its tables, and the names of these."""
    told = []
    for part in section.walk():
        if isinstance(part, str):
            told.append(part)
        elif isinstance(part, Section) and not part.folded:
            told.append(part.title)
        elif isinstance(part, Caveat):
            told.append(" ".join([part.text, *part.items]))
        elif isinstance(part, Table):
            told.append(part.title)
    return told


def table(section: Section, name: str) -> list[tuple[str, ...]]:
    """The rows of a table, as they are shown."""
    (found,) = (part for part in section.walk() if isinstance(part, Table) and part.name == name)
    return found.rows


def remarks(section: Section, name: str) -> str:
    """Return the remarks below a table."""
    (found,) = (part for part in section.walk() if isinstance(part, Table) and part.name == name)
    return " ".join(found.remarks)


def compared(study: Study) -> Section:
    layout = Layout(study)
    return hypothesis_tests_section(layout, compare_panels(layout))


# The page


@pytest.mark.parametrize("levels", [[0.1], [0.1, 0.2]], ids=["a run", "a sweep"])
def test_a_scenario_without_measures_has_a_report_without_an_outcome(
    levels: list[Label], tmp_path: Path
) -> None:
    (code,) = re.findall(r"```python\n(# wood\.py\n.*?)```", README.read_text("utf-8"), re.DOTALL)
    (tmp_path / "wood.py").write_text(code)
    runs = tuple(_run(tmp_path, 3, "full", {"growth": level}, "wood") for level in levels)
    study = Study("wood", runs, {"growth": levels}, "common" if len(runs) > 1 else None)
    page = write_report(study, tmp_path / "report").read_text("utf-8")
    assert titles(page) == [
        *("What was found", "Outcome", "What was played", "Provenance", "Methods for a paper")
    ]
    assert "no measures, so there is no outcome to show or to test" in page
    assert "measures=(Measure(...),)" in page


def test_a_report_has_a_section_for_everything_that_was_measured(reported: Reported) -> None:
    assert titles(reported.page) == SECTION_TITLES


def test_figures_and_tables_stand_beside_the_page(reported: Reported) -> None:
    folder = reported.folder
    found = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    figures = {"outcome", "survival_silence", "time"}
    tables = {
        *("outcome", "survival_silence", "log_rank_silence", "anova_1", "tukey_1"),
        *("tukey_1_pairs", "contrasts", "texts_1", "texts_2", "endings", "findings"),
        *("time_noise", "runs", "versions", "parameters", "files", "reporting_summary"),
    }
    assert found == {
        *(f"figures/{name}.{ending}" for name in figures for ending in ("png", "svg")),
        *(f"figures/{name}.csv" for name in figures),
        *(f"tables/{name}.{ending}" for name in tables for ending in ("csv", "md", "tex")),
    }


def test_no_two_columns_of_a_table_have_the_same_heading(reported: Reported) -> None:
    for file in reported.folder.glob("tables/*.csv"):
        head = file.read_text().splitlines()[0].split(",")
        assert len(head) == len(set(head)), file.name


@pytest.mark.thorough
def test_the_same_study_gives_the_same_bytes(reported: Reported, tmp_path: Path) -> None:
    write_report(reported.study, tmp_path)
    one, two = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (reported.folder, tmp_path)
    )
    assert one == two


def test_words_of_models_are_never_markup(reported: Reported) -> None:
    assert reported.page.count("<script>") == 1  # our own
    assert "<script>alert" not in reported.page
    assert "&lt;script&gt;alert(&#39;&lt;b&gt;&#39;)&lt;/script&gt; &amp; $x^2$" in reported.page


def test_a_page_asks_for_nothing_from_elsewhere(reported: Reported) -> None:
    assert "default-src 'none'" in reported.page
    links = re.findall(r"""(?:src|href)=["']([^"'#][^"']*)""", reported.page)
    assert all((reported.folder / unquote(link)).is_file() for link in links), links
    assert not re.findall(r"url\((?!#)", reported.page)


def test_ids_of_a_page_are_unique(reported: Reported) -> None:
    ids = re.findall(r'\bid="([^"]+)"', reported.page)
    assert len(ids) == len(set(ids))


def test_a_single_run_has_a_report_without_comparisons(sweep: Sweep, tmp_path: Path) -> None:
    page = write_report(sweep(replicates=1), tmp_path).read_text("utf-8")
    # Its course comes first; its one value and its end need less room, and come after it.
    assert titles(page) == [
        *("What was found", "Measures over time", "What was played", "Outcome: silence"),
        *("How runs ended", "Norms", "Words over time", "Provenance", "Methods for a paper"),
    ]
    assert ">nan<" not in page


@pytest.mark.thorough
def test_many_conditions_make_few_figures_and_say_what_was_left_out(
    sweep: Sweep, tmp_path: Path
) -> None:
    study = sweep(replicates=2)
    (run,) = study.played
    many = tuple(replace(run, name=f"n={n}", factors={"n": n}) for n in range(200))
    page = write_report(replace(study, played=many, levels={"n": list(range(200))}), tmp_path)
    words = " ".join(page.read_text("utf-8").split())
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 2
    assert "200 conditions are too many for one figure of points" in words
    assert "Of 200 conditions those with the lowest and the highest mean silence" in words
    assert 'The first 60 of 200 rows; all are in <a href="tables/outcome.csv">' in words
    assert len((tmp_path / "tables/outcome.csv").read_text().splitlines()) == 201


def test_what_a_figure_shows_over_time_stands_in_a_table(reported: Reported) -> None:
    head, *rows = (reported.folder / "tables/time_noise.csv").read_text().splitlines()
    assert head == "patience,round,mean,95 % from,95 % to,runs in the mean,runs that go on"
    played = reported.study.rounds[["patience", "round", "noise"]].dropna()
    expected = played.groupby(["patience", "round"], observed=True)["noise"].mean()
    found = {tuple(row.split(",")[:2]): float(row.split(",")[2]) for row in rows}
    assert found == pytest.approx(
        {(str(one), str(at)): mean for (one, at), mean in expected.items()}
    )
    assert rows[0].endswith(",20,20")
    assert "Measures by round in numbers</summary>" in reported.page
    assert f"12 of {len(rows)} rows; all are in <a" in reported.page


@pytest.mark.thorough
def test_letters_under_shared_luck_say_how_it_was_taken(sweep: Sweep) -> None:
    study = sweep(patience=[3, 6])
    for one, blocks in ((study, True), (replace(study, random_numbers="independent"), False)):
        layout = Layout(one)
        figure = outcome_section(Populations(layout), compare_panels(layout)).parts[1]
        assert isinstance(figure, Figure)
        assert "Levels of patience that share no letter differ (Tukey)." in figure.caption
        assert ("Replicates are blocks in that test" in figure.caption) is blocks


def test_an_outcome_that_nobody_measured_is_refused(sweep: Sweep, tmp_path: Path) -> None:
    study = replace(sweep(), analysis=AnalysisPlan(outcome="silnce"))
    with pytest.raises(InputError, match="no run has measured 'silnce'; did you mean 'silence'"):
        write_report(study, tmp_path)


@pytest.mark.thorough
def test_a_folder_that_cannot_be_written_is_named(sweep: Sweep, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(FileError, match=r"cannot write .*taken: .*; name another folder"):
        write_report(sweep(replicates=1), tmp_path / "taken")


# What was played


def test_what_is_missing_stands_at_the_top(reported: Reported) -> None:
    first, second = reported.study.played
    broken = replace(
        reported.study,
        played=(replace(first, status="interrupted"), second),
        failures={"patience=8": "no such model"},
        missing=("patience=9",),
    )
    assert said(summary_section(Layout(broken)))[:3] == [
        "1 condition failed: patience=8: no such model",
        "1 condition not finished; the report uses what they have: patience=3: interrupted",
        "1 condition not played: patience=9",
    ]


def test_the_summary_tells_factors_minds_and_luck(reported: Reported) -> None:
    assert said(summary_section(Layout(reported.study))) == [
        "No language model was asked. patience: 3, 6. Replicate r draws the same random numbers in "
        "every condition (common random numbers). "
        "A run is one replicate, one history of a society: the unit of all statistics.",
    ]


def asked(study: Study, model: str, *, tape: bool = False, cost: float = 0.0) -> Study:
    """The same study, as if this model had been asked."""
    entry = Usage("language_policy", "say", model, 4, 0, 0, 0, 0, 100, 20, cost)
    spec = {"models": {"default": {"model": "tape:gone.run"}} if tape else {}}
    played = [
        replace(run, ledger=(entry,), manifest=run.manifest.model_copy(update={"spec": spec}))
        for run in study.played
    ]
    return replace(study, played=tuple(played))


@pytest.mark.parametrize(
    ("model", "tape", "words"),
    [
        ("offline", False, "a scripted resident (the offline mind)"),
        ("offline", True, "recorded answers of offline (a tape)"),
        ("gpt", True, "recorded answers of gpt (a tape)"),
    ],
)
def test_what_stands_in_for_language_models_is_named_first(
    reported: Reported, model: str, tape: bool, words: str
) -> None:
    told = said(summary_section(Layout(asked(reported.study, model, tape=tape))))
    assert told[0] == f"No language model was asked; in its place: {words}."


def test_language_models_that_were_asked_are_named(reported: Reported) -> None:
    for study in (asked(reported.study, "gpt"), asked(reported.study, "gpt", tape=True, cost=0.1)):
        assert said(summary_section(Layout(study)))[0].startswith("Models asked: gpt. patience: 3")


def test_unknown_costs_stay_unknown(reported: Reported) -> None:
    priced = Usage("language_policy", "say", "gpt", 4, 1, 0, 0, 0, 100, 20, 0.5)
    unpriced = priced._replace(kind="vote", cost=None)
    first, second = reported.study.played
    asked = replace(first, ledger=(priced, unpriced)), replace(second, ledger=(priced,))
    assert table(llm_usage_section(Layout(replace(reported.study, played=asked))), "ledger") == [
        ("gpt", "say", "8", "2", "0", "0", "0", "200", "0", "40", "1.0000"),
        ("gpt", "vote", "4", "1", "0", "0", "0", "100", "0", "20", "unknown"),
        ("in all", "", "12", "3", "0", "0", "0", "300", "0", "60", "unknown"),
    ]


def test_copies_have_a_column_where_there_are_any(reported: Reported) -> None:
    shared = Usage("language_policy", "say", "gpt", 4, 1, 0, 0, 0, 100, 20, 0.5, 50, copied=3)
    played = [replace(run, ledger=(shared,)) for run in reported.study.played[:1]]
    section = llm_usage_section(Layout(replace(reported.study, played=(*played,))))
    assert table(section, "ledger") == [
        ("gpt", "say", "4", "1", "0", "0", "0", "3", "100", "50", "20", "0.5000")
    ]
    assert not llm_usage_section(Layout(reported.study)).parts


def test_runs_at_level_summary_say_that_no_words_were_kept(sweep: Sweep) -> None:
    assert said(texts_section(Layout(sweep(level="summary")))) == [
        "Runs at level summary do not keep what was said; run with record: full."
    ]


# What is compared


def test_the_outcome_of_each_condition_stands_in_a_table(reported: Reported) -> None:
    head, first, second = (reported.folder / "tables/outcome.csv").read_text().splitlines()
    assert head.split(",")[:5] == ["patience", "runs", "mean", "95 % from", "95 % to"]
    mean = reported.study.runs.groupby("patience", observed=True)["silence"].mean()
    assert first.split(",")[:3] == ["3", "20", str(mean[3])]
    assert second.split(",")[:3] == ["6", "20", str(mean[6])]


def test_replicates_that_share_their_luck_are_blocks_and_pairs(sweep: Sweep) -> None:
    section = compared(sweep(patience=[3, 4, 6]))
    assert said(section) == [
        "One-way analysis of variance",
        "Analysis of variance of silence",
        "Which levels differ (Tukey)",
        "Silence (rounds) by patience",
        "All pairs: Silence (rounds) by patience",
        "Contrasts with the first condition",
        "Silence (rounds): paired contrasts",
        "Ranks",
        "Friedman test of silence over conditions",
    ]
    assert [row[:2] for row in table(section, "anova_1")] == [
        *[("patience", "2"), ("replicates", "5"), ("residual", "10")]
    ]
    assert "Replicates are blocks" in remarks(section, "anova_1")
    assert "with 10 degrees of freedom" in remarks(section, "tukey_1")


def test_a_log_rank_test_of_shared_luck_is_marked(reported: Reported) -> None:
    marked = "The test takes runs as independent; with common random numbers they are not."
    assert remarks(survival_section(Layout(reported.study)), "log_rank_silence") == marked


@pytest.mark.thorough
def test_letters_follow_the_effect_that_was_found(sweep: Sweep) -> None:
    """One factor hides behind another one, thirty times as strong, in a one-way comparison."""
    study = sweep(patience=[3, 4], place=["inn", "mill"])
    study.runs.loc[study.runs["place"] == "mill", "silence"] += 30
    (found,) = compare_panels(Layout(study))
    assert found.letters("patience") == {"4": "a", "3": "b"}
    assert found.letters("place") == {"mill": "a", "inn": "b"}


@pytest.mark.thorough
def test_too_many_levels_are_not_compared_in_pairs(sweep: Sweep) -> None:
    """Each of 136 pairs would take its time."""
    study = sweep(patience=[3, 6])
    many = [
        replace(run, name=f"{run.name},{way}", factors={"way": 2 * way + place})
        for way in range(9)
        for place, run in enumerate(study.played)
    ][:17]
    layout = Layout(replace(study, played=tuple(many), levels={"way": list(range(17))}))
    told = said(hypothesis_tests_section(layout, compare_panels(layout)))
    why = "17 levels of way are too many to compare all pairs here; at most 16"
    assert f"Silence (rounds) by way: {why}." in told


def test_what_is_not_finished_is_not_tested(sweep: Sweep) -> None:
    study = sweep(patience=[3, 4, 6])
    last = replace(study.played[2], status="interrupted")
    section = compared(replace(study, played=(*study.played[:2], last)))
    why = "patience=6 is interrupted; tests take finished conditions"
    assert f"Analysis of variance of silence: {why}." in said(section)
    assert remarks(section, "contrasts").startswith(f"[a] {why}")
    assert remarks(section, "ranks").startswith(f"[a] {why}")
    assert [row[6] for row in table(section, "contrasts")] == ["<0.001", "– [a]"]


def test_different_horizons_are_not_compared(sweep: Sweep) -> None:
    study = sweep(patience=[3, 6])
    first, second = study.played
    longer = replace(second, manifest=second.manifest.model_copy(update={"horizon": 60}))
    told = said(compared(replace(study, played=(first, longer))))
    why = (
        "horizons of 12 (patience=3), 60 (patience=6) rounds; tests take conditions of the same one"
    )
    assert f"Analysis of variance of silence: {why}." in told


def test_independent_luck_is_compared_by_welch_without_a_warning(reported: Reported) -> None:
    told = said(compared(replace(reported.study, random_numbers="independent")))
    assert told == [
        "One-way analysis of variance",
        "Analysis of variance of silence",
        "Which levels differ (Tukey)",
        "Silence (rounds) by patience",
        "All pairs: Silence (rounds) by patience",
        "Contrasts with the first condition",
        "Silence (rounds): Welch contrasts",
        "Ranks",
        "Kruskal-Wallis test of silence over conditions",
    ]


@pytest.mark.thorough
def test_an_analysis_is_split_by_the_factors_that_are_not_compared(sweep: Sweep) -> None:
    study = sweep(patience=[3, 6], place=["inn", "mill"])
    split = replace(study, analysis=AnalysisPlan(factors=["patience"], by=["place"]))
    variances = [words for words in said(compared(split)) if words.startswith("Analysis of")]
    assert variances == [
        "Analysis of variance of silence, place = inn",
        "Analysis of variance of silence, place = mill",
    ]
    crossed = table(compared(study), "anova_1")
    assert [row[0] for row in crossed] == [
        *("patience", "place", "patience × place", "replicates", "residual")
    ]


def test_a_panel_in_which_no_factor_varies_has_no_analysis(sweep: Sweep) -> None:
    study = sweep(patience=[3, 6], place=["inn", "mill"])
    third = [
        replace(run, name=f"{run.name},law={law}", factors={**run.factors, "law": law})
        for law, runs in ((1, study.played[::2]), (2, study.played[:2]))
        for run in runs
    ]
    levels = {**study.levels, "law": [1, 2]}
    split = AnalysisPlan(factors=["patience"], by=["law"])
    told = said(compared(replace(study, played=tuple(third), levels=levels, analysis=split)))
    assert "Analysis of variance of silence, law = 1" in told
    assert "Analysis of variance of silence, law = 2: patience does not vary here." in told


def test_runs_that_lack_a_factor_stand_beside_those_that_have_it(sweep: Sweep) -> None:
    study = sweep(patience=[3, 6])
    other = replace(study.played[0], name="other", factors={})
    layout = Layout(replace(study, played=(*study.played, other)))
    assert layout.levels == {"patience": [3, 6, None]}
    assert [layout.name(place) for place in range(3)] == [
        "patience = 3",
        "patience = 6",
        "patience = none",
    ]


def test_levels_have_letters_only_after_an_effect(sweep: Sweep) -> None:
    study = sweep(patience=[3, 6], place=["inn", "mill"])
    letters = {name: one for one in compare_panels(Layout(study)) for name in one.tukeys}
    assert set(letters) == {"patience"}
    assert letters["patience"].letters("patience") == {"6": "a", "3": "b"}
    assert letters["patience"].letters("place") == {}


@pytest.mark.thorough
def test_two_parameters_of_three_numbers_each_make_a_map(sweep: Sweep) -> None:
    study = sweep(replicates=2, patience=[2, 4, 6])
    ways = [
        replace(run, name=f"{run.name},{way}", factors={**run.factors, "way": way})
        for run in study.played
        for way in (1, 2, 3)
    ]
    crossed = replace(study, played=tuple(ways), levels={**study.levels, "way": [1, 2, 3]})
    section = maps_section(Layout(crossed))
    assert [type(part) for part in section.parts] == [Figure]
    assert not maps_section(Layout(study)).parts


def test_what_cannot_be_computed_says_why(sweep: Sweep) -> None:
    layout = Layout(sweep(replicates=1, patience=[3, 6]))
    (found,) = (
        part for part in outcome_section(Populations(layout), []).parts if isinstance(part, Table)
    )
    assert found.remarks[0] == "[a] this sample: 1 of at least 2 values"
    assert "1 run in each of 2 combinations of patience" in " ".join(said(compared(layout.study)))
