"""What the norms of a society say at its end: numbers by hand, on vectors that one can draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest

from society.engine.gateway import TextEmbedder
from society.engine.graph import Complete, Graph, from_networkx
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.engine.scenario import Finding, Params
from society.memory.embedders import MiniLM
from society.scenarios.village import norm_measures
from society.scenarios.village.norm_measures import told_by_norms

# Where sentences lie; "" lies nowhere. Between e and ne, and between ne and n: cos 45 degrees.
PLACES = {"e": (1.0, 0.0), "n": (0.0, 1.0), "ne": (0.5**0.5, 0.5**0.5), "w": (-1.0, 0.0)}
HALF = 0.5**0.5
TOLD = ("norm", "proposal", "policy")


class Compass:
    """An embedder of directions."""

    name, size = "compass", 2

    def embed(self, texts: Sequence[str]) -> Array:
        return np.array([PLACES.get(text, (0.0, 0.0)) for text in texts])


@pytest.fixture(autouse=True)
def compass(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"compass": Compass()}
    monkeypatch.setattr(norm_measures, "embedder", known.__getitem__)


class Measured(Params):
    """Parameters of a scenario whose norms are measured."""

    norm_embedder: str = "compass"


class After(NamedTuple):
    """A run that is over; a round may hold, beside what was told, a column and who is gone."""

    rounds: Sequence[Mapping[str, Any]]
    graph: Graph | None = None

    @property
    def params(self) -> Params:
        return Measured()

    @property
    def embedder(self) -> str:
        return ""

    @property
    def graphs(self) -> Mapping[str, Graph]:
        shape = np.shape(self.rounds[0]["norm"])
        return {"learn": self.graph or Complete(shape[0], np.arange(shape[1]))}

    def holders(self, column: str) -> Array:
        raise AssertionError(f"norms need not know who has {column}")

    def pages(self) -> Iterator[Page]:
        for number, day in enumerate(self.rounds):
            told = {("own", name): np.array(day[name], object) for name in TOLD if name in day}
            public = {"norm": np.array(day["column"], object)} if "column" in day else {}
            present, running = ~np.array(day.get("gone", [[False]])), np.ones((1, 1), bool)
            step = Step("tell", "reconsidered", "", told)
            yield Page(number, (number,), (step,), b"", public, {}, present, running)

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        return embedder.embed(texts)


def findings(*rounds: Mapping[str, Any], graph: Graph | None = None) -> dict[str, list[float]]:
    """Values by name, one for each replicate."""
    found: Sequence[Finding] = list(told_by_norms(After(rounds, graph)))
    return {one.name: one.values.tolist() for one in found}


def test_by_hand() -> None:
    """Norms e, e and n: cosines of pairs 1, 0, 0; |sum| = |(2, 1)|."""
    found = findings(
        {"norm": [["e", "w", "n"]]},
        {"norm": [["e", "e", "n"]], "proposal": [["e", "n", "ne"]], "policy": [["ne"]]},
    )
    assert found["norm_similarity"] == pytest.approx([1 / 3])
    assert found["norm_alignment"] == pytest.approx([5**0.5 / 3])
    assert found["norm_to_policy"] == pytest.approx([HALF])
    assert found["norm_to_proposal"] == pytest.approx([(1 + 0 + HALF) / 3])
    assert found["norm_drift"] == pytest.approx([(0 + 2 + 0) / 3])
    assert found["norm_clusters"] == [2]


def test_the_two_numbers_of_the_paper_are_one() -> None:
    found = findings({"norm": [["e", "ne", "n", "e"]]})
    (similar,), (aligned,) = found["norm_similarity"], found["norm_alignment"]
    assert aligned == pytest.approx(((1 + 3 * similar) / 4) ** 0.5)


def test_neighbours_are_held_against_those_who_are_not() -> None:
    """On the line 0 - 1 - 2 the ends do not see each other: cos(e, n) = 0."""
    line = from_networkx([nx.path_graph(3)], np.arange(3))
    found = findings({"norm": [["e", "ne", "n"]]}, graph=line)
    assert found["norm_joined"] == pytest.approx([HALF])
    assert found["norm_apart"] == pytest.approx([0])


def test_where_all_are_neighbours_there_is_nobody_to_compare_with() -> None:
    found = findings({"norm": [["e", "n"]]})
    assert np.isnan([*found["norm_joined"], *found["norm_apart"]]).all()


def test_who_has_no_norm_is_left_out() -> None:
    found = findings({"norm": [["e", "", "ne"]]})
    assert found["norm_similarity"] == pytest.approx([HALF])


def test_a_norm_is_what_is_held_and_not_what_was_said_last() -> None:
    """Seat 0 has copied e; seat 1 holds what it held; seat 2 keeps no norm, and says one."""
    found = findings({"norm": [["", "", "n"]], "column": [["e", "e", 0]]})
    assert found["norm_similarity"] == pytest.approx([1 / 3])
    found = findings({"norm": [["", ""]], "column": [["e", "ne"]]})
    assert found["norm_similarity"] == pytest.approx([HALF])


def test_who_is_gone_is_left_out_with_the_norm_it_held() -> None:
    gone = [[False, True, False]]
    found = findings({"norm": [["e", "", "ne"]], "column": [["e", "w", "ne"]], "gone": gone})
    assert found["norm_similarity"] == pytest.approx([HALF])


def test_an_embedder_that_is_not_the_usual_one_stands_beside_each_number() -> None:
    units = [found.unit for found in told_by_norms(After([{"norm": [["e", "n"]]}]))]
    assert all(unit.endswith("; by compass") for unit in units)


def test_the_usual_one_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compass, "name", MiniLM.name)
    units = [found.unit for found in told_by_norms(After([{"norm": [["e", "n"]]}]))]
    assert not any("by" in unit.split() for unit in units)


def test_each_replicate_is_measured_in_its_own_first_and_last_round() -> None:
    """The second replicate begins a round later and is over a round earlier."""
    found = findings(
        {"norm": [["e", "e"], ["", ""]]},
        {"norm": [["e", "e"], ["n", "n"]]},
        {"norm": [["e", "e"], ["n", "e"]]},
        {"norm": [["e", "n"], ["", ""]]},
    )
    assert found["norm_similarity"] == pytest.approx([0, 0])
    assert found["norm_drift"] == pytest.approx([0.5, 0.5])


def test_without_a_policy_there_is_no_closeness_to_it() -> None:
    found = findings({"norm": [["e", "n"]]})
    assert np.isnan([*found["norm_to_policy"], *found["norm_to_proposal"]]).all()


def test_where_nobody_has_a_norm_there_is_no_number() -> None:
    found = findings({"norm": [["", ""]]})
    assert np.isnan([value for values in found.values() for value in values]).all()


def test_where_no_norms_were_told_there_is_nothing_to_say() -> None:
    assert list(told_by_norms(After([]))) == []
