"""Authors describe the people of a table, and failures are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.components.language.profile import Profile
from society.engine.component import AgentGroup, Component, Question
from society.engine.rng import Array
from society.scenarios.personas.persona_writing import persona_writing

if TYPE_CHECKING:
    from tests.conftest import Play, Written


class Author(Component):
    """Repeats what is known of a person, but for millers."""

    def answer_describe_person(self, ask: Question, agents: AgentGroup) -> Array:
        said: Array = np.where(agents["trade"] == "miller", "", ask.facts["traits"])
        return said


def test_what_is_known_of_a_person_is_what_its_author_is_told(play: Play, written: Written) -> None:
    part = Profile(written("p.csv", "age,trade\n41,miller\n23,smith\n60,baker\n"))
    over = play(persona_writing, part, Author())
    told = over.answers("describe_person")[0].tolist()
    assert told == [["", "age: 23; trade: smith.", "age: 60; trade: baker."]]
    assert over.told("words")[0].tolist() == [[0, 4, 4]]
    measured = over.pages[-1].measures
    assert measured["described"].tolist() == [pytest.approx(2 / 3)]
    assert measured["words"].tolist() == [4]


def test_without_a_description_there_is_no_mean_length(play: Play, written: Written) -> None:
    part = Profile(written("p.csv", "trade\nmiller\n"), repeats=True)
    measured = play(persona_writing, part, Author()).pages[-1].measures
    assert measured["described"].tolist() == [0]
    assert np.isnan(measured["words"]).all()
