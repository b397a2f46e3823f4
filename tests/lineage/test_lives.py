"""Lives that begin and end in a row: birth, what is heritable, coming back, graphs restored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.action_spaces import Real
from society.engine.component import AgentGroup, Column, Component, News
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.population import Cohort
from society.engine.script import HERITABLE, Ask, Inherit, Script, Tell
from society.errors import GraphError, PartError

if TYPE_CHECKING:
    from tests.conftest import Answering, Play, Played


class Store(list[str]):
    """A store in a cell."""

    def copy(self) -> Store:
        return Store(self)


class Body(Component):
    """Has a size that children inherit, a luck of its own, and a diary."""

    notices = ("aged",)
    columns = (
        Column("size", int, public=True, heritable=True),
        Column("luck", public=True),
        Column("age", int, public=True),
        Column("diary", object),
    )

    def begin(self, agents: AgentGroup) -> None:
        agents["size"] = 10 * (agents.agent + 1)
        agents["luck"] = agents.draws.uniform("luck")
        agents["diary"] = [Store([f"agent {name} is born"]) for name in agents.agent]

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["age"] += 1
        for diary in agents["diary"]:
            diary.append("a year older")

    def born(self, agents: AgentGroup) -> None:
        agents["size"] += 1


class Voice(Component):
    """A heritable column that not everybody has."""

    columns = (Column("pitch", int, public=True, heritable=True),)

    def begin(self, agents: AgentGroup) -> None:
        agents["pitch"] = 5


def birth(parents: list[int], newborn: list[bool] | None = None) -> Inherit:
    """A birth, by default in the rows that have a parent."""
    mask = np.array([parents]) != NOBODY if newborn is None else np.array([newborn])
    return Inherit("born", np.array([parents]), HERITABLE, mask)


def living(*lines: Inherit | Tell) -> Any:
    """A script that says these lines, each in a round of its own."""

    def script(env: Environment) -> Script:
        for _, line in zip(env.rounds(len(lines)), lines, strict=True):
            yield line

    return script


def diaries(over: Played) -> list[Any]:
    (members,) = over.population.states
    return list(members.values["diary"])


# Birth


def test_a_newborn_has_what_is_heritable_from_its_parent_and_begins_the_rest_anew(
    play: Play,
) -> None:
    over = play(living(Tell("aged"), birth([1, NOBODY, NOBODY])), Body())
    assert over.column("size") == [21, 20, 30]
    assert over.column("age") == [0, 1, 1]
    assert diaries(over) == [
        ["agent 0 is born"],
        ["agent 1 is born", "a year older"],
        ["agent 2 is born", "a year older"],
    ]


def test_a_newborn_without_a_parent_is_like_one_of_the_first(play: Play) -> None:
    newborn = [True, False, False]
    over = play(living(Tell("aged"), birth([NOBODY] * 3, newborn)), Body())
    assert over.column("size") == [10, 20, 30]
    assert over.column("age") == [0, 1, 1]


def test_each_birth_has_its_own_luck_and_survivors_keep_theirs(play: Play) -> None:
    lines = [birth([1, NOBODY, NOBODY]), birth([1, NOBODY, NOBODY])]
    luck = np.array([page.public["luck"][0] for page in play(living(*lines), Body()).pages])
    assert len(set(luck[:, 0].tolist())) == 3
    assert len(set(luck[:, 1].tolist())) == 1


def test_parents_who_make_room_for_children_pass_on_what_they_had(play: Play) -> None:
    """Where all are replaced at once, or a child takes the place of its own parent."""
    assert play(living(birth([1, 2, 0])), Body()).column("size") == [21, 31, 11]
    assert play(living(birth([0, 0, NOBODY])), Body()).column("size") == [11, 11, 30]
    grown = [birth([0, NOBODY, NOBODY]), birth([0, NOBODY, NOBODY])]
    assert play(living(*grown), Body()).column("size") == [12, 20, 30]


def test_of_a_parent_in_another_cohort_a_child_has_what_both_have(play: Play) -> None:
    cast = [Cohort("silent", 2, (Body(),)), Cohort("loud", 1, (Body(), Voice()))]
    over = play(living(birth([2, NOBODY, 0])), cast=cast)
    assert over.column("size") == [31, 20, 11]
    assert over.column("pitch") == [0, 0, 5]


def test_nobody_is_born_where_nobody_is_said_to_be(play: Play) -> None:
    newborn = [False, True, False]
    over = play(living(Tell("aged"), birth([2, 2, NOBODY], newborn)), Body())
    assert over.column("size") == [31, 31, 30]  # the first has only learnt from the third
    assert over.column("age") == [1, 0, 1]


def test_lives_are_numbered_on_from_birth_to_birth(play: Play) -> None:
    lines = [birth([1, NOBODY, NOBODY]), birth([NOBODY, 2, NOBODY]), birth([1, NOBODY, NOBODY])]
    over = play(living(*lines), Body(), ids=[2, 0, 1])
    assert over.game.env.lives.tolist() == [[3 * 3 + 2, 2 * 3 + 0, 1]]
    assert over.game.env.births == 3


def test_a_birth_of_the_wrong_shape_is_refused(play: Play) -> None:
    line = Inherit("born", np.array([[NOBODY] * 3]), HERITABLE, np.ones((1, 4), bool))
    with pytest.raises(PartError, match=r"parlour, 'born': shape \(1, 4\) where \(1, 3\)"):
        play(living(line), Body())


def test_who_is_born_is_kept_with_the_line(play: Play) -> None:
    (step,) = play(living(birth([1, NOBODY, NOBODY])), Body()).steps
    assert step.arrays["newborn", ""].tolist() == [[True, False, False]]
    assert step.form == "*"


# Coming back


def test_who_comes_back_hears_of_it_and_is_asked_again(play: Play, answering: Answering) -> None:
    away = np.array([[False, True, True]])

    def journey(env: Environment) -> Script:
        yield Tell("left", gone=away)
        yield Ask("bid", Real())
        yield Tell("aged", back=np.array([[False, True, False]]))
        yield Ask("bid", Real())

    over = play(journey, answering(lambda ask, me: me.agent + 1), Body())
    assert [bids.tolist() for bids in over.answers("bid")] == [[[1, 0, 0]], [[1, 2, 0]]]
    assert over.column("age") == [1, 1, 0]
    assert over.pages[-1].present.tolist() == [[True, True, False]]


def test_nobody_comes_back_to_a_replicate_that_has_ended(play: Play, answering: Answering) -> None:
    def siege(env: Environment) -> Script:
        yield Tell("fallen", gone=np.ones((2, 3), bool), ends=np.array([[True], [False]]))
        yield Tell("relieved", back=np.ones((2, 3), bool))
        yield Ask("bid", Real())

    over = play(siege, answering(lambda ask, me: me.agent + 1), replicates=2)
    assert over.answers("bid")[0].tolist() == [[0, 0, 0], [1, 2, 3]]


# Graphs


def test_a_graph_can_be_as_it_was_at_the_start(play: Play) -> None:
    def quarrel(env: Environment) -> Script:
        yield Tell("cut", cuts={"all": np.array([[1, NOBODY, NOBODY]])})
        yield Tell("made_up", restores=("all",))

    over = play(quarrel)
    assert over.game.env.graph("all").neighbours(0, 0).tolist() == [1, 2]
    assert over.steps[1].arrays["restored", "all"].tolist() == [[True]]


def test_edges_may_change_in_the_line_that_restores_a_graph(play: Play) -> None:
    """First it is as at the start."""

    def quarrel(env: Environment) -> Script:
        yield Tell("cut", cuts={"all": np.array([[1, NOBODY, NOBODY]])})
        yield Tell("cut", cuts={"all": np.array([[2, NOBODY, NOBODY]])}, restores=("all",))

    assert play(quarrel).game.env.graph("all").neighbours(0, 0).tolist() == [1]


def test_a_graph_that_does_not_exist_cannot_be_restored(play: Play) -> None:
    with pytest.raises(PartError, match="there is no graph 'al'; did you mean 'all'"):
        play(living(Tell("made_up", restores=("al",))))


def test_who_has_the_same_label_sees_each_other_from_then_on(play: Play) -> None:
    def rooms(env: Environment) -> Script:
        yield Tell("went", groups={"all": np.array([[3, 5, 3]])})
        yield Tell("went", groups={"all": np.array([[5, 5, 3]])})

    over = play(rooms)
    graph = over.game.env.graph("all")
    assert [graph.neighbours(0, seat).tolist() for seat in range(3)] == [[1], [0], []]
    assert over.steps[0].arrays["group", "all"].tolist() == [[3, 5, 3]]


def test_a_graph_of_groups_can_be_as_it_was_at_the_start(play: Play) -> None:
    def rooms(env: Environment) -> Script:
        yield Tell("went", groups={"all": np.array([[3, 5, 3]])})
        yield Tell("met", restores=("all",))

    assert play(rooms).game.env.graph("all").neighbours(0, 0).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (np.array([[0.5, 1, 2]]), "groups of float64; label them by integers"),
        (np.array([[0, 1]]), r"the array of groups has shape \(1, 2\) where \(1, 3\)"),
    ],
)
def test_groups_are_an_integer_for_each_agent(play: Play, labels: Any, said: str) -> None:
    with pytest.raises(PartError, match=said):
        play(living(Tell("went", groups={"all": labels})))


def test_edges_of_a_relation_that_is_by_groups_are_not_cut(play: Play) -> None:
    labels = np.zeros((1, 3), int)
    cut = {"all": np.array([[1, NOBODY, NOBODY]])}
    with pytest.raises(GraphError, match="joins and cuts of a relation that is by groups"):
        play(living(Tell("went", groups={"all": labels}, cuts=cut)))
