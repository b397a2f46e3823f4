"""Networks: who is connected, who did what to whom, drawn once; counts are those of the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from society.analysis.study.condition import ConditionRun
from society.analysis.study.deeds import DeedCounts, DeedGeneration, count_deeds
from society.analysis.study.study import Study
from society.config.build import build
from society.config.run_config import load_config
from society.report.figures.network_map import MOST_NODES, NetworkPanel, network_plot
from society.report.figures.style import Figure
from society.report.figures.type_colours import assign_styles
from society.report.layout import Layout
from society.report.sections.networks_section import deed_claim, generation_note, networks_section
from society.runs.manifest import Level
from society.runs.runfile import Writer, manifest_of

pytestmark = pytest.mark.usefixtures("wide_only")


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> ConditionRun:
    """Six villagers in a ring for eight rounds, who fine those who take too much."""
    folder = tmp_path_factory.mktemp("ring")
    return played(folder, "ring", graphs={"monitor": "ring"}, agents=6, rounds=8, seed=3)


def played(
    folder: Path,
    name: str,
    level: Level = "full",
    scenario: str = "fishing_village",
    **changes: object,
) -> ConditionRun:
    """Play a society into a run file of a condition."""
    setup = build(load_config(scenario, changes))
    path = folder / f"{name}.run"
    with Writer(path, manifest_of(setup, level)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return ConditionRun.read(path, name, {})


def test_graphs_and_deeds_are_drawn_once_complete_graphs_not_at_all(ring: ConditionRun) -> None:
    section = networks_section(Layout(Study("ring", (ring,))), assign_styles(["villager"]))
    graphs, deeds = (part for part in section.parts if isinstance(part, Figure))
    assert graphs.title == "Who is connected by monitor"
    assert "6 agents, who see 2 each" in graphs.alt
    assert "an arrow" not in graphs.caption, "all of them see each other"
    assert {one.label for one in deeds.data.series} <= {"fined (times)", "copied (times)"}


def test_a_ring_is_drawn_though_the_first_condition_has_a_complete_graph(tmp_path: Path) -> None:
    """Where the key `graph` sets the graph of all relations."""
    both = tuple(
        played(tmp_path, name, "summary", graph=name, agents=4, rounds=1)
        for name in ("complete", "ring")
    )
    section = networks_section(Layout(Study("both", both)), assign_styles(["villager"]))
    titles = [part.title for part in section.parts if isinstance(part, Figure)]
    assert titles[:1] == ["Who is connected by learn, monitor"]


def test_each_graph_stands_once_with_the_conditions_that_have_it(
    ring: ConditionRun, tmp_path: Path
) -> None:
    """Details of all rounds are kept, so that deeds are shown as well: those of the first."""
    graphs = {"wide": {"monitor": {"kind": "ring", "neighbours": 4}}, "like": {"monitor": "ring"}}
    more = [played(tmp_path, name, graphs=own, agents=6, rounds=1) for name, own in graphs.items()]
    section = networks_section(Layout(Study("lakes", (ring, *more))), assign_styles(["villager"]))
    drawn, *_ = (part for part in section.parts if isinstance(part, Figure))
    assert "monitor: ring and 1 more: 6 agents, who see 2 each." in drawn.alt
    assert "monitor: wide: 6 agents, who see 4 each." in drawn.alt
    assert "those with the same graphs stand once" in drawn.caption
    assert [part.name for part in section.parts if isinstance(part, Figure)][1:] == ["deeds"]


def test_a_graph_that_some_conditions_share_names_how_many(
    ring: ConditionRun, tmp_path: Path
) -> None:
    more = [
        played(tmp_path, name, graphs={"monitor": name}, agents=6, rounds=1, parameters=own)
        for name, own in (("ring", {"fine": 3}), ("complete", {}))
    ]
    section = networks_section(Layout(Study("lakes", (ring, *more))), assign_styles(["villager"]))
    drawn, *_ = (part for part in section.parts if isinstance(part, Figure))
    assert drawn.caption.endswith("Condition ring. 1 other condition of 3 has the same.")


def test_graphs_of_one_name_that_chance_drew_otherwise_are_two(tmp_path: Path) -> None:
    graphs = {"monitor": {"kind": "random_regular", "degree": 3}}
    runs = [
        played(tmp_path, f"seed {seed}", "summary", graphs=graphs, agents=12, rounds=1, seed=seed)
        for seed in (1, 2)
    ]
    section = networks_section(Layout(Study("lakes", tuple(runs))), assign_styles(["villager"]))
    drawn, *_ = (part for part in section.parts if isinstance(part, Figure))
    assert "monitor: seed 1: 12 agents, who see 3 each." in drawn.alt
    assert "monitor: seed 2: 12 agents, who see 3 each." in drawn.alt


def test_a_graph_that_a_parameter_lets_agents_change_is_drawn_as_it_became(
    tmp_path: Path,
) -> None:
    """Partners are refused and replaced in one condition alone; the graph begins complete."""
    runs = [
        played(
            tmp_path,
            partners,
            scenario="donor_game",
            agents=6,
            rounds=3,
            parameters={"partners": partners, "schedule": "random"},
        )
        for partners in ("given", "rewired")
    ]
    section = networks_section(Layout(Study("donors", tuple(runs))), assign_styles(["donor"]))
    drawn = next(part for part in section.parts if isinstance(part, Figure))
    assert drawn.title == "Who is connected by meet"
    assert "Condition rewired." in drawn.caption


def test_deeds_go_from_who_did_them_to_a_neighbour(ring: ConditionRun) -> None:
    counts = {deed.verb: deed.counts for deed in count_deeds(ring, 0)}
    fined = counts.get("fined", np.zeros((6, 6), int))
    assert fined.any()
    far = [(i, j) for i, j in np.argwhere(fined).tolist() if (i - j) % 6 not in (1, 5)]
    assert not far, "in a ring nobody fines anybody else"


def test_who_did_most_is_named_and_so_is_a_tie() -> None:
    counts = np.array([[0, 2, 0], [1, 0, 1], [0, 0, 0]])
    claim = deed_claim([DeedCounts("fined", counts)], ["1", "2", "3"], "villager")
    assert claim == "2 of 3 tie: they fined most often, 2 times each"
    gifts = DeedCounts("gave to", np.ones((2, 2), int), np.array([[np.nan, 0.5], [0.25, np.nan]]))
    assert deed_claim([gifts], ["1", "2"], "place").startswith("place 1 gave most")
    nothing = gifts._replace(mean=np.zeros((2, 2)))
    assert deed_claim([nothing], ["1", "2"], "place") == "Nobody gave anything"


def test_where_the_last_generation_does_nothing_the_first_deeds_are_shown_and_that_is_said() -> (
    None
):
    gifts = DeedCounts("gave to", np.ones((2, 2), int), np.ones((2, 2)))
    assert generation_note(gifts) == ""
    last = gifts._replace(generation=DeedGeneration(10, 10, 10))
    assert generation_note(last) == " Generation 10, the last."
    early = gifts._replace(generation=DeedGeneration(1, 6, 10))
    assert generation_note(early) == (
        " Generation 1, the first in which anybody did anything to another; after generation 6 of "
        "10, nobody did."
    )


def test_of_many_agents_some_are_drawn_at_even_distances() -> None:
    names = [str(n) for n in range(1000)]
    shown = NetworkPanel("", [(0, 1)], names, ["all"] * 1000).shown
    assert len(shown) == MOST_NODES
    assert (shown[0], shown[-1]) == (0, 999)
    assert set(np.diff(shown)) == {5, 6}


def test_edges_that_go_one_way_are_no_mutual_ones() -> None:
    assert not NetworkPanel("", [(0, 1)], ["0", "1"], ["a", "a"]).mutual
    assert NetworkPanel("", [(0, 1), (1, 0)], ["0", "1"], ["a", "a"]).mutual


def test_runs_in_which_all_see_all_and_nobody_names_anybody_have_no_section(
    tmp_path: Path,
) -> None:
    setup = build(load_config("prisoners_dilemma", {"rounds": 2}))
    with Writer(tmp_path / "one.run", manifest_of(setup)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    run = ConditionRun.read(tmp_path / "one.run", "one", {})
    assert not networks_section(Layout(Study("one", (run,))), {}).parts


@pytest.mark.filterwarnings("error::UserWarning")
def test_two_villages_without_an_edge_between_them_are_laid_out() -> None:
    """They stand far apart; the layout took the names of one of them to be outside of the axes."""
    villages = [[*range(6)], [*range(6, 12)]]
    edges = [(one, other) for own in villages for one in own for other in own if one != other]
    cohorts = ["altruist"] * 6 + ["selfish"] * 6
    panel = NetworkPanel("monitor", edges, [str(seat) for seat in range(12)], cohorts)
    styles = assign_styles(["altruist", "selfish"])
    figure = network_plot("networks", "Who is connected", "", [panel], styles)
    assert "12 agents, who see 5 each" in figure.alt
