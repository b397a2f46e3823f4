"""Who descends from whom, in a story of three generations that can be followed by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Text
from society.engine.component import AgentGroup, Component, Question
from society.engine.environment import Environment
from society.engine.game_master import GameMaster
from society.engine.graph import NOBODY, Complete, from_networkx
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.script import Ask, Script, Tell, common, own, seen
from society.errors import InputError
from society.lineage import (
    Heredity,
    Life,
    Lineage,
    descents,
    graph,
    graphml,
    lineage,
    lineage_of,
    list_generations,
    newick,
)

LIFE = [[0, 1, 2], [0, 4, 2], [0, 4, 8]]
PARENT = [[NOBODY, NOBODY, NOBODY], [NOBODY, 0, NOBODY], [NOBODY, NOBODY, 4]]
NEWBORN = [[True, True, True], [False, True, False], [False, False, True]]
ELDER = [[False, False, False], [True, False, True], [True, True, False]]
STRATEGY = [
    ["give all", "give half", "keep all"],
    ["give all", "give all but a tenth", "keep all"],
    ["give all", "give all but a tenth", "give all but \x01 a bit"],
]
FITNESS = [[3.0, 1.0, 2.0], [2.0, 3.0, np.nan]]
SURVIVES = [[True, False, True], [True, True, False]]


def family(env: Environment) -> Script:
    """Replicate 1 is over after the first generation; the third has not come to its end."""
    for number in env.rounds():
        here = number - 1
        yield Tell(
            "descended",
            {
                "generation": common(number),
                "life": own([LIFE[here]] * 2),
                "parent": own([PARENT[here]] * 2),
                "newborn": own([NEWBORN[here]] * 2),
            },
        )
        facts = {"elder": seen("advise", [ELDER[here]] * 2), "text": own(_texts(here))}
        told = yield Ask("devise", Text(99), facts, np.array([NEWBORN[here]] * 2))
        old = _texts(here - 1) if here else told
        yield Tell("devised", {"strategy": own(np.where(NEWBORN[here], told, old))})
        if number < 3:
            facts = {"fitness": own([FITNESS[here]] * 2), "phenotype": own(0.5)}
            ends = np.array([[False], [True]])
            yield Tell("selected", {**facts, "survives": own([SURVIVES[here]] * 2)}, ends=ends)


def _texts(here: int) -> Array:
    return np.array([STRATEGY[here]] * 2, object)


class Scribe(Component):
    """Devises what it is told to."""

    answers = ("devise",)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return ask.facts["text"]


@pytest.fixture(scope="module")
def pages(play: Callable[..., Any]) -> list[Page]:
    advise = {"advise": Complete(2, np.arange(3))}
    over = play(family, Scribe(), replicates=2, rounds=3, graphs=advise)
    told: list[Page] = over.pages
    return told


@pytest.fixture
def kept(pages: list[Page]) -> Lineage:
    return lineage(pages)


def names(lives: Any) -> list[str]:
    return [life.name for life in lives]


def test_a_life_has_a_name_a_seat_and_the_generations_in_which_it_lived(kept: Lineage) -> None:
    told = {
        life.name: (life.number, life.seat, life.born, life.last) for life in kept.lives.values()
    }
    assert told == {
        "agent 1_1": (0, 0, 1, 3),
        "agent 1_2": (1, 1, 1, 1),
        "agent 1_3": (2, 2, 1, 2),
        "agent 2_2": (4, 1, 2, 3),
        "agent 3_3": (8, 2, 3, 3),
    }
    assert kept.generations == 3
    assert names(kept.generation(2)) == ["agent 1_1", "agent 2_2", "agent 1_3"]


def test_a_life_has_the_fitness_of_each_generation_that_it_finished(kept: Lineage) -> None:
    assert kept.lives[0].fitness == (3.0, 2.0)
    assert np.isnan(kept.lives[2].fitness[1])
    assert kept.lives[8].fitness == kept.lives[8].phenotype == ()
    assert [life.survives for life in kept.lives.values()] == [True, False, False, True, False]


def test_children_stand_below_their_parents(kept: Lineage) -> None:
    assert names(kept.founders) == ["agent 1_1", "agent 1_2", "agent 1_3"]
    assert names(kept.children(0)) == ["agent 2_2"]
    assert names(kept.children(1)) == []
    assert names(kept.line(8)) == ["agent 3_3", "agent 2_2", "agent 1_1"]


def test_the_living_may_descend_from_one_of_them(kept: Lineage) -> None:
    ancestor = kept.common_ancestor()
    assert ancestor is not None
    assert ancestor.name == "agent 1_1"


def test_several_founders_have_no_common_ancestor(pages: list[Page]) -> None:
    assert lineage(pages[:3]).common_ancestor() is None


def named(life: Life | None) -> str:
    return "nobody" if life is None else life.name


def test_words_come_from_advisers_and_genes_from_the_parent(kept: Lineage) -> None:
    """3_3 has the genes of 2_2; of its advisers, 1_1 and 2_2, the latter says more like it."""
    assert kept.lives[8].parent == 4
    assert kept.lives[8].advisers == (0, 4)
    assert kept.lives[4].advisers == (0, 2)
    assert named(kept.ancestor(8)) == "agent 2_2"
    assert named(kept.ancestor(4)) == "agent 1_1"
    assert named(kept.ancestor(0)) == "nobody"
    assert kept.guesses == {4, 8}


def told(strategy: str, **changes: Any) -> Life:
    life = Life(9, "2_1", 0, 2, 2, parent=0, advisers=(), strategy=strategy)
    return life._replace(**changes)


def test_a_life_stands_below_the_adviser_with_the_most_alike_words() -> None:
    """Whoever's genes it has; of equally alike ones, below the first."""
    said = ["keep", "give half to all", "give half to all", "to all half give"]
    elders = {number: Life(number, "", 0, 1, 1, None, (), text) for number, text in enumerate(said)}
    child = told("give half to all but one", advisers=(0, 1, 2, 3))
    kin = Lineage({**elders, 9: child}, 2)
    assert kin.ancestor(9) == elders[1]
    assert kin.children(1) == (child,)
    assert kin.children(0) == ()
    assert named(next(iter(kin.line(9)))) == "2_1"
    single = Lineage({**elders, 9: child._replace(advisers=(0,))}, 2)
    assert single.ancestor(9) == elders[0]
    assert single.guesses == frozenset()


def held(**seats: list[int]) -> Heredity:
    """Return, by column, the seats of those who have it."""
    return Heredity({name: np.isin(range(3), some) for name, some in seats.items()})


def test_who_does_not_do_what_it_says_descends_from_its_parent(pages: list[Page]) -> None:
    """Rules put themselves into words, too, but have what they do from their parents."""
    ruled = lineage(pages, heredity=held(policy=[0, 1, 2]))
    assert [life.advisers for life in ruled.lives.values()] == [()] * 5
    assert named(ruled.ancestor(8)) == "agent 2_2"
    assert ruled.guesses == frozenset()
    mixed = lineage(pages, heredity=held(policy=[0, 1], strategy=[2]))
    assert mixed.lives[4].advisers == ()
    assert mixed.lives[8].advisers == (0, 4)


def test_who_found_no_words_descends_from_its_parent(pages: list[Page]) -> None:
    """It follows its parent's, as they are; the parent of 3_3 is 2_2."""
    *earlier, last = list_generations(pages)
    said = np.array([[*STRATEGY[2][:2], STRATEGY[2][1]]] * 2, object)
    kept = lineage_of([*earlier, last._replace(strategy=said)])
    assert kept.lives[8].advisers == ()
    assert named(kept.ancestor(8)) == "agent 2_2"
    assert kept.guesses == {4}


def test_who_shares_no_trait_with_its_parent_has_entered(pages: list[Page]) -> None:
    """The rule in seat 2 is born to the language mind in seat 1, and has nothing of it."""
    mixed = lineage(pages, heredity=held(policy=[0, 2], strategy=[1]))
    assert mixed.lives[8].parent is None
    assert names(mixed.founders) == ["agent 1_1", "agent 1_2", "agent 1_3", "agent 3_3"]
    assert names(mixed.children(4)) == []
    assert mixed.common_ancestor() is None


def pairs(pages: list[Page], by: Heredity) -> list[tuple[int, int]]:
    """Pairs of seats, now and before, of the step to the third generation."""
    _, before, now = list_generations(pages)
    return list(zip(*(each.tolist() for each in descents(before, now, 0, by)), strict=True))


def test_all_advisers_have_a_share_in_whom_they_advised(pages: list[Page]) -> None:
    assert pairs(pages, Heredity()) == [(0, 0), (1, 1), (2, 0), (2, 1)]
    assert pairs(pages, held(policy=[0, 1, 2])) == [(0, 0), (1, 1), (2, 1)]
    assert pairs(pages, held(policy=[0, 2], strategy=[1])) == [(0, 0), (1, 1)]


def test_only_elders_in_sight_are_advisers(pages: list[Page]) -> None:
    line = Heredity(advise=from_networkx([nx.path_graph(3)] * 2, np.arange(3)))  # 0 - 1 - 2
    assert lineage(pages, heredity=line).lives[4].advisers == (0, 2)
    assert lineage(pages, heredity=line).lives[8].advisers == (4,)


def test_a_replicate_that_is_over_has_no_more_generations(pages: list[Page]) -> None:
    ended = lineage(pages, replicate=1)
    assert ended.generations == 1
    assert names(ended.lives.values()) == ["agent 1_1", "agent 1_2", "agent 1_3"]


def test_newick_forks_at_births_and_has_a_tip_for_every_life(kept: Lineage) -> None:
    """1_1 forks after the first of its three generations, 2_2 after its first, the second."""
    assert (
        newick(kept)
        == "(('agent 1_1':2,('agent 2_2':1,'agent 3_3':1):1):1,'agent 1_2':1,'agent 1_3':2);"
    )


def test_in_newick_a_tip_is_as_far_from_the_root_as_its_last_generation(kept: Lineage) -> None:
    depths, lengths = {}, list[int]()
    for part in reversed(re.findall(r"'agent \w+'|:\d+|[(]", newick(kept))):
        if part.startswith(":"):  # read from behind, a length comes before what it leads to
            lengths.append(int(part[1:]))
            continue
        if part != "(":
            depths[part.strip("'")] = sum(lengths)
        lengths = lengths[:-1]
    assert depths == {life.name: life.last for life in kept.lives.values()}


def test_a_newick_tree_keeps_the_age_of_those_who_came_later(pages: list[Page]) -> None:
    """3_3 has no ancestor, and lives in the third generation, as 1_1 and 2_2 do."""
    mixed = lineage(pages, heredity=held(policy=[0, 2], strategy=[1]))
    assert (
        newick(mixed)
        == "(('agent 1_1':2,'agent 2_2':2):1,'agent 1_2':1,'agent 1_3':2,'agent 3_3':3);"
    )


def test_the_graph_tells_genes_and_advice_apart_and_who_is_drawn_below_whom(kept: Lineage) -> None:
    edges = sorted((*ends, *data.values()) for *ends, data in graph(kept).edges(data=True))
    assert edges == [
        ("agent 1_1", "agent 2_2", "advice", True),
        ("agent 1_1", "agent 2_2", "parent", False),
        ("agent 1_1", "agent 3_3", "advice", False),
        ("agent 1_3", "agent 2_2", "advice", False),
        ("agent 2_2", "agent 3_3", "advice", True),
        ("agent 2_2", "agent 3_3", "parent", False),
    ]
    assert sorted(name for name, alive in graph(kept).nodes(data="alive") if alive) == [
        "agent 1_1",
        "agent 2_2",
        "agent 3_3",
    ]


def test_graphml_is_xml_whatever_a_model_wrote(kept: Lineage) -> None:
    text = graphml(kept)
    ElementTree.parse(StringIO(text))
    read = nx.parse_graphml(text)
    assert read.nodes["agent 3_3"] == {
        "alive": True,
        "guessed": True,
        "seat": 2,
        "born": 3,
        "last": 3,
        "strategy": "give all but \N{REPLACEMENT CHARACTER} a bit",
    }
    assert read.nodes["agent 1_3"]["fitness"] == 2.0  # of the generation in which it had one
    assert len(read.edges) == 6


def test_a_run_without_generations_says_how_it_gets_some(play: Callable[..., Any]) -> None:
    def day(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("rested")

    with pytest.raises(InputError, match="no generations; wrap its scenario"):
        lineage(play(day).pages)


def test_a_run_without_lines_says_how_it_keeps_them(pages: list[Page]) -> None:
    with pytest.raises(InputError, match=r"level summary.*--record full"):
        list(list_generations(page._replace(steps=()) for page in pages))


def test_the_lineage_of_a_played_run_is_whole(recorded: Callable[[GameMaster], Any]) -> None:
    mechanisms = [{"generations": {"count": 4, "fitness": "final", "phenotype": "share"}}]
    changes = {"agents": 4, "rounds": 3, "mechanisms": mechanisms}
    setup = build(load_config("donor_game", {**changes, "parameters": {"schedule": "random"}}))
    kept = lineage(recorded(setup.gamemaster()).pages)
    assert [len(kept.generation(number)) for number in (1, 2, 3, 4)] == [4] * 4
    assert len(kept.lives) == 4 + 3 * 2  # the better half lives on
    for life in kept.lives.values():
        assert len(life.fitness) == life.last - life.born + 1
        if life.parent is not None:
            assert kept.lives[life.parent].last >= life.born - 1
