"""The sections on evolution: what stands in them, and what they say where nothing can be said."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from society.analysis.study import ConditionRun, Study
from society.config.build import build
from society.config.run_config import load_config
from society.experiments.factors import Label
from society.report import write_report, write_sections
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.page import Section
from society.report.sections import SECTIONS, StudyView
from society.report.sections.evolution.populations import Populations
from society.report.sections.over_time import over_time_section
from society.report.tables import Table
from society.runs.conclusions import record_findings
from society.runs.runfile import Level, Writer, manifest_of

# A scenario of which every number can be foretold: who gives more, has more; children give 0.04
# more than their parents, and would give half as much to a stranger; what they say is code.
GIFTS = """
import numpy as np

from society.engine.component import Column, Component
from society.engine.population import Cohort
from society.engine.action_spaces import Real
from society.engine.fact_specs import FactSpec
from society.engine.scenario import Measure, Params, scenario
from society.engine.script import Ask, Tell, common, own


class Gifts(Params):
    worth: float = 10.0
    authors: bool = True


class Giver(Component):
    answers = ("give", "devise")
    columns = (Column("kindness", public=True, heritable=True),)

    def begin(self, me):
        me["kindness"] = me.draws.uniform("kindness") / 2

    def born(self, me):
        me["kindness"] = me["kindness"] + 0.04

    def answer(self, ask, me):
        if ask.kind == "devise":
            return np.array([f"<b>Give</b> {k:.3f} & smile" for k in me["kindness"]], object)
        return me["kindness"]


class Author(Giver):
    columns = (*Giver.columns, Column("strategy", object, public=True, heritable=True))


@scenario(
    params=Gifts,
    cast=lambda p, n: [Cohort("giver", n, (Author() if p.authors else Giver(),))],
    measures=(
        Measure("given", "share", lambda told, env: told["given"].mean(1)),
        Measure("rain", "mm", lambda told, env: np.zeros(env.replicates)),
    ),
    facts={"payoff": FactSpec("Worth of the own gift", unit="coins")},
    agents=6,
    rounds=3,
)
def gifts(env):
    "Agents give, and have what they give."
    given = yield Ask("give", Real(0, 1))
    whom = np.broadcast_to(np.array(["stranger", "friend"], object), (env.replicates, 1, 2))
    would = np.stack([given / 2, given], axis=2)
    yield Tell("supposed", {"reaction": own(would), "encounter": common(whom)})
    for _ in env.rounds():
        given = yield Ask("give", Real(0, 1))
        yield Tell("given", {"given": own(given), "payoff": own(given * env.params.worth)})
"""
# Studies that are played once serve all tests.
pytestmark = pytest.mark.xdist_group("evolution sections")

TITLES = ["Evolution", "Agents and lineages", "Strategies in words", "Reaction norms"]


@dataclass
class Told:
    """A study, and the sections on evolution that it has, by their anchors."""

    study: Study
    sections: dict[str, Section]

    def __getitem__(self, anchor: str) -> Section:
        return self.sections[anchor]


Telling = Callable[..., Told]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Telling:
    """`told(replicates=3, count=4)` plays the gifts for so many generations, and tells of it.

    worth: of a gift, one for each condition. level: of the run files. strategies: how newborn
    agents come to one. authors: whether they follow it.
    """

    @cache
    def tell(
        replicates: int = 3,
        count: int = 4,
        worth: tuple[Label, ...] = (5, 10),
        level: Level = "full",
        strategies: str = "parent",
        authors: bool = True,
    ) -> Told:
        folder = tmp_path_factory.mktemp("gifts")
        (folder / "gifts.py").write_text(GIFTS)
        evolve = {"count": count, "phenotype": "given", "strategies": strategies}
        mechanisms = [{"generations": evolve}] if count else []
        changes = {"replicates": replicates, "mechanisms": mechanisms}
        runs = tuple(
            _run(folder, {**changes, "parameters": {"worth": each, "authors": authors}}, level)
            for each in worth
        )
        levels = {"worth": list(worth)} if len(worth) > 1 else {}
        study = Study("gifts", runs, levels, "common" if levels else None)
        return Told(study, sections(study))

    return tell


def _run(folder: Path, changes: dict[str, object], level: Level) -> ConditionRun:
    setup = build(load_config(str(folder / "gifts.py"), changes))
    worth = dict(setup.params)["worth"]
    path = folder / f"worth={worth:g}.run"
    with Writer(path, manifest_of(setup, level)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    record_findings(path)
    return ConditionRun.read(path, path.stem, {"worth": worth})


def sections(study: Study) -> dict[str, Section]:
    names = ("evolution", "lives", "strategies", "reactions")
    found = [SECTIONS[name](StudyView(study)) for name in names]
    return {one.anchor: one for one in found if one.parts}


class Reported(NamedTuple):
    """The sections as a page, with its files."""

    sections: dict[str, Section]
    page: str
    folder: Path


@pytest.fixture(scope="module")
def reported(told: Telling, tmp_path_factory: pytest.TempPathFactory) -> Reported:
    found, folder = told().sections, tmp_path_factory.mktemp("report")
    page = write_sections("gifts", "", [*found.values()], folder)
    return Reported(found, page.read_text("utf-8"), folder)


def table(section: Section, name: str) -> Table:
    (found,) = (part for part in section.walk() if isinstance(part, Table) and part.name == name)
    return found


def column(given: Table, heading: str) -> list[object]:
    (found,) = (one for one in given.columns if one.heading == heading)
    return list(found.cells)


def names(section: Section) -> set[str]:
    """List the names of tables of a section."""
    return {part.name for part in section.walk() if isinstance(part, Table)}


def said(section: Section) -> str:
    return " ".join(part for part in section.walk() if isinstance(part, str))


def test_societies_that_evolve_have_sections_of_their_own(told: Telling) -> None:
    assert [section.title for section in told().sections.values()] == TITLES


def test_others_have_none(told: Telling) -> None:
    assert told(count=0, replicates=1).sections == {}


@pytest.mark.thorough
def test_they_stand_before_what_happened_round_by_round(told: Telling, tmp_path: Path) -> None:
    study = told(level="summary", replicates=1, worth=(10,)).study
    page = write_report(study, tmp_path).read_text("utf-8")
    found = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert found == [
        "What was found",
        *TITLES[:2],
        "Measures over time",
        "What was played",
        "Outcome: given",
        *found[6:],
    ]


def test_every_figure_has_its_files(reported: Reported) -> None:
    found = {path.stem for path in (reported.folder / "figures").glob("*.svg")}
    assert found == {
        *("generations_fitness", "generations_measures", "slopes", "price"),
        *("lineage_1", "lineage_2", "sentences", "reactions", "transmission", "newborn"),
    }


@pytest.mark.thorough
def test_the_same_study_gives_the_same_bytes(told: Telling, tmp_path: Path) -> None:
    found = told(replicates=1, worth=(10,))
    for folder, given in (("one", found.sections), ("two", sections(found.study))):
        write_sections("gifts", "", [*given.values()], tmp_path / folder)
    one, two = ((tmp_path / folder / "SHA256SUMS").read_text() for folder in ("one", "two"))
    assert one == two


# Evolution


def test_change_is_selection_and_what_newborn_agents_differ(told: Telling) -> None:
    """Half of six agents are newborn and give 0.04 more; nobody changes while it lives."""
    price = table(told()["evolution"], "price")
    assert column(price, "newborn agents") == pytest.approx([0.02] * 6)
    assert column(price, "change of survivors") == pytest.approx([0] * 6)
    selection, newborn = (np.array(column(price, name)) for name in ("selection", "newborn agents"))
    assert column(price, "sum") == pytest.approx(selection + newborn)
    assert "entry" not in [one.heading for one in price.columns]


def test_means_and_errors_stand_in_a_table_for_every_generation(told: Telling) -> None:
    study, found = told().study, told()
    given = table(found["evolution"], "generations")
    assert column(given, "generation") == [1, 2, 3, 4] * 2
    frame = study.rounds.dropna(subset="fitness")
    by_round = frame.groupby(["condition", "round"])["fitness"]
    assert column(given, "fitness") == pytest.approx(by_round.mean().tolist())
    assert column(given, "fitness, se") == pytest.approx(by_round.sem().tolist())


@pytest.mark.thorough
def test_a_measure_that_says_the_same_as_another_is_shown_once(told: Telling) -> None:
    """What is given is the phenotype; it never rains."""
    given = table(told()["evolution"], "generations")
    assert [one.heading for one in given.columns if not one.heading.endswith("se")] == [
        *("worth", "generation", "runs"),
        *("fitness", "phenotype", "selection", "selection_differential"),
    ]


def test_axes_name_the_fact_that_fitness_is_taken_from_and_its_unit(tmp_path: Path) -> None:
    (tmp_path / "gifts.py").write_text(GIFTS)
    evolve = {"count": 2, "fitness": "payoff", "phenotype": "given"}
    run = _run(tmp_path, {"mechanisms": [{"generations": evolve}]}, "full")
    populations = Populations(Layout(Study("gifts", (run,))))
    assert populations.quantity("fitness") == "fitness (payoff, coins)"
    assert populations.quantity("phenotype") == "phenotype (given)"


def test_slopes_are_those_of_single_runs(told: Telling) -> None:
    slopes = table(told()["evolution"], "slopes")
    assert column(slopes, "runs") == [3, 3]
    assert column(slopes, "runs that rise") == [3, 3]


def test_too_few_runs_have_neither_a_scatter_nor_a_correlation_and_that_is_said(
    told: Telling,
) -> None:
    section = told()["evolution"]
    assert "foretold" not in names(section)
    assert any(
        isinstance(part, str) and "a correlation takes 8 runs at least, so none is drawn" in part
        for part in section.walk()
    )


@pytest.mark.thorough
def test_a_single_run_has_neither_slopes_nor_bands(told: Telling) -> None:
    found = told(replicates=1, worth=(10,))
    assert names(found["evolution"]) == {"generations", "price"}


@pytest.mark.thorough
def test_a_single_generation_has_changed_nothing(told: Telling) -> None:
    found = told(count=1, replicates=2, worth=(10,))
    assert names(found["evolution"]) == {"generations"}
    assert names(found["reactions"]) == set()


def test_of_many_conditions_those_at_either_end_are_shown(told: Telling) -> None:
    study = told(level="summary", replicates=1, worth=(10,)).study
    (run,) = study.played
    many = tuple(replace(run, name=f"n={n}", factors={"n": n}) for n in range(30))
    of = Populations(Layout(replace(study, played=many, levels={"n": list(range(30))})))
    assert of.shown == [0, 1, 2, 27, 28, 29]
    assert of.shown_note == (" Of 30 conditions those with the lowest and the highest mean given.")


# Agents, their words and their reactions


def test_runs_at_level_summary_have_means_and_say_that_they_keep_no_agents(told: Telling) -> None:
    found = told(level="summary", replicates=1, worth=(10,))
    assert list(found.sections) == ["evolution", "lives"]
    assert column(table(found["evolution"], "generations"), "generation") == [1, 2, 3, 4]
    assert said(found["lives"]) == (
        "Runs at level summary do not keep what single agents did, nor who descends from whom; "
        "run with record: full."
    )


@pytest.mark.thorough
def test_a_graph_that_is_gone_costs_the_agents_and_not_the_report(told: Telling) -> None:
    study = told(replicates=1, worth=(10,), strategies="advice").study
    (run,) = study.played
    spec = {**run.manifest.spec, "graph": "moved.py:circle", "uses": ["moved.py"]}
    moved = replace(run, manifest=run.manifest.model_copy(update={"spec": spec, "complete": ()}))
    found = sections(replace(study, played=(moved,)))
    assert list(found) == ["evolution", "lives"]
    assert said(found["lives"]).startswith("What single agents did is unknown: ")


def test_lineages_stand_beside_the_page(reported: Reported) -> None:
    found = sorted(path.name for path in (reported.folder / "lineage").iterdir())
    assert found == [
        *("1_worth=5.graphml", "1_worth=5.nwk", "2_worth=10.graphml", "2_worth=10.nwk")
    ]
    assert all(f"lineage/{name}" in reported.page for name in found)
    tree = ElementTree.parse(reported.folder / "lineage/2_worth=10.graphml")
    nodes = tree.iterfind(".//{http://graphml.graphdrawing.org/xmlns}node")
    assert len(list(nodes)) == 6 + 3 * 3
    assert (reported.folder / "lineage/2_worth=10.nwk").read_text().endswith(";\n")
    assert (reported.folder / "SHA256SUMS").read_text().count("lineage/") == 4


def test_a_later_report_removes_lineages_that_it_does_not_have(
    reported: Reported, tmp_path: Path
) -> None:
    write_sections("gifts", "", [*reported.sections.values()], tmp_path)
    write_sections("gifts", "", [reported.sections["evolution"]], tmp_path)
    assert list((tmp_path / "lineage").iterdir()) == []


def test_the_best_speak_as_they_wrote(told: Telling) -> None:
    best = table(told()["strategies"], "strategies")
    assert column(best, "generation") == [1, 4, 1, 4]
    kindness = column(best, "phenotype")
    spoken = column(best, "strategy")
    assert spoken == [f"<b>Give</b> {float(str(one)):.3f} & smile" for one in kindness]


def test_words_of_agents_are_never_markup(reported: Reported) -> None:
    assert "<b>" not in reported.page
    assert "&lt;b&gt;Give&lt;/b&gt;" in reported.page


def test_that_there_are_no_embeddings_is_said(told: Telling) -> None:
    assert "keep no embeddings" in said(told()["strategies"])


@pytest.mark.thorough
def test_who_was_advised_by_several_has_no_single_parent(told: Telling) -> None:
    """Three are born in each of the later three generations, and all found words of their own."""
    found = told(replicates=1, worth=(10,), strategies="advice")
    assert "Of 9 agents born after the first generation, 9 devised" in genealogy(found)


@pytest.mark.thorough
def test_whoever_does_not_follow_words_descends_from_its_parent(told: Telling) -> None:
    """Rules may say whatever they are asked for; what they do is in columns."""
    found = told(replicates=1, worth=(10,), strategies="advice", authors=False)
    assert "guess" not in genealogy(found)
    price = next(
        part
        for part in found["evolution"].walk()
        if isinstance(part, Figure) and part.name == "price"
    )
    assert "advice" not in price.caption


def genealogy(found: Told) -> str:
    """Return the words about the one lineage that is drawn."""
    (drawn,) = (part for part in found["lives"].walk() if isinstance(part, Figure))
    return drawn.caption


@pytest.mark.thorough
def test_newborn_agents_are_set_beside_those_they_descend_from(told: Telling) -> None:
    """They would give 0.04 more to a friend, half of it to a stranger, whoever was selected."""
    given = table(told()["reactions"], "newborn")
    assert column(given, "recipient") == ["stranger", "friend"] * 2
    assert column(given, "difference") == pytest.approx([0.02, 0.04] * 2)


def test_reactions_change_by_selection_and_by_birth(told: Telling) -> None:
    """Half of all are newborn, and would give 0.03 more in the mean of both encounters."""
    split = table(told()["reactions"], "transmission")
    assert column(split, "newborn agents") == pytest.approx([0.015] * 6)
    assert column(split, "change of survivors") == pytest.approx([0] * 6)


# Measures over time


@pytest.mark.thorough
def test_what_is_told_by_generation_is_not_told_by_round_again(told: Telling) -> None:
    layout = Layout(told().study)
    once = Populations(layout).once
    selection = {"selection", "selection_differential"}
    assert once == {"fitness", "first_fitness", "phenotype", *selection}
    section = over_time_section(Populations(layout), without=once)
    assert names(section) == {"time_given"}
    assert said(section).endswith("The same in every round of every run: rain (0).")


def test_what_is_measured_once_a_generation_is_shown_by_generation(told: Telling) -> None:
    section = over_time_section(Populations(Layout(told().study)), ["fitness"])
    assert column(table(section, "time_fitness"), "generation") == [1, 2, 3, 4] * 2
