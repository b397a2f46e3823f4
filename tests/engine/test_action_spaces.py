"""What each form of reply makes of an answer: settled where there is a nearest legal value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    MixedStrategy,
    Neighbour,
    Real,
    Text,
    Value,
    fields,
)
from society.engine.component import Agent, AgentGroup, Component, Inquiry, Question
from society.engine.environment import Environment
from society.engine.graph import NOBODY, from_networkx
from society.engine.rng import Array
from society.engine.script import Ask, Script, Tell
from society.engine.tape import Tape
from society.errors import PartError

if TYPE_CHECKING:
    from tests.conftest import Answering, Play


def asking(reply: ActionSpace, who: Any = None) -> Any:
    """A script that asks for one bid."""

    def auction(env: Environment) -> Script:
        yield Ask("bid", reply, who=None if who is None else np.array(who))

    return auction


def settled(
    play: Play, answering: Answering, reply: ActionSpace, said: object, **given: Any
) -> Any:
    """Return the values that a script receives when three agents say this to it."""
    who = given.pop("who", None)
    over = play(asking(reply, who), answering(lambda ask, me: said), **given)
    return over.answers("bid")[0].tolist()


# Amount and Whole


def test_an_amount_goes_to_the_nearest_bound(play: Play, answering: Answering) -> None:
    assert settled(play, answering, Real(0, 1), [-3.0, 0.25, 7.0]) == [[0, 0.25, 1]]


def test_bounds_may_differ_from_replicate_to_replicate_and_from_agent_to_agent(
    play: Play, answering: Answering
) -> None:
    stock = np.array([[1.0], [2.0]])
    said = settled(play, answering, Real(0, stock), np.full(6, 9.0), replicates=2)
    assert said == [[1, 1, 1], [2, 2, 2]]
    purse = np.array([[1.0, 2.0, 3.0]])
    assert settled(play, answering, Real(0, purse), np.full(3, 9.0)) == [[1, 2, 3]]


def test_one_answer_serves_for_all_members(play: Play, answering: Answering) -> None:
    assert settled(play, answering, Real(0, 1), 0.5) == [[0.5, 0.5, 0.5]]


def test_a_whole_number_goes_to_the_nearest_and_halves_to_the_even_one(
    play: Play, answering: Answering
) -> None:
    assert settled(play, answering, Integer(0, 9), [0.5, 1.5, 2.4]) == [[0, 2, 2]]
    assert settled(play, answering, Integer(0, 9), [-1, 8.6, 12]) == [[0, 9, 9]]


def test_whole_numbers_stay_integers_when_somebody_is_not_asked(
    play: Play, answering: Answering
) -> None:
    """Or else a batch in which one replicate has ended would differ from the others alone."""
    oracle = answering(lambda ask, me: np.full(len(ask.asked), 7))
    for who in (None, [[True, False, True]]):
        answer = play(asking(Integer(0, 9), who), oracle).answers("bid")[0]
        assert answer.dtype == np.int64
    assert answer.tolist() == [[7, 0, 7]]


@pytest.mark.parametrize("reply", [Real(0, 1), Integer(0, 9)], ids=["amount", "whole"])
def test_what_is_no_number_is_refused_with_the_component_and_the_seat(
    play: Play, answering: Answering, reply: ActionSpace
) -> None:
    with pytest.raises(PartError, match=r"oracle.*agent 1 of replicate 0.*'bid'.*nan.*a number"):
        settled(play, answering, reply, [0.5, np.nan, 0.5])


def test_infinity_is_no_whole_number(play: Play, answering: Answering) -> None:
    with pytest.raises(PartError, match=r"agent 2 of replicate 0.*inf.*a number"):
        settled(play, answering, Integer(0, np.inf), [1, 2, np.inf])


@pytest.mark.parametrize("form", [Real, Integer])
@pytest.mark.parametrize("bounds", [(1, 0), (np.nan, 1), (0, np.nan), (0, np.array([[1.0, -1.0]]))])
def test_bounds_without_a_number_between_them_are_refused(
    form: type[Real | Integer], bounds: tuple[Any, Any]
) -> None:
    with pytest.raises(ValueError, match=rf"{form.__name__} between low=.* and high="):
        form(*bounds)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_an_optional_amount_may_be_left_out(
    play: Play, answering: Answering, missing: object
) -> None:
    cap = Real(0, 9, optional=True)
    over = play(asking(cap), answering(lambda ask, me: [3, missing, 12]))
    assert str(over.answers("bid")[0].tolist()) == "[[3.0, nan, 9.0]]"
    again = play(asking(cap), answerer=Tape(over.steps))
    assert again.outcome.digest == over.outcome.digest
    assert str(settled(play, answering, cap, 3, who=[[True, False, True]])) == "[[3.0, nan, 3.0]]"
    assert (cap.form(), Real(0, 9).form()) == ("amount 0..9 or none", "amount 0..9")


def test_an_optional_amount_is_a_number_if_it_is_not_left_out(
    play: Play, answering: Answering
) -> None:
    for said in (["many", None, 1], [[1], None, 2], [1j, None, 1]):
        with pytest.raises(PartError, match="oracle"):
            settled(play, answering, Real(0, 9, optional=True), np.array(said, object))


# Choice


def test_a_choice_is_answered_by_index_or_by_label(play: Play, answering: Answering) -> None:
    choice = Choice("C", "D")
    assert settled(play, answering, choice, [0, 1, 1]) == [[0, 1, 1]]
    assert settled(play, answering, choice, ["C", "D", "D"]) == [[0, 1, 1]]
    assert settled(play, answering, choice, "D") == [[1, 1, 1]]


@pytest.mark.parametrize("said", ["E", 2, -1, [0, 1, 2]])
def test_what_is_no_option_is_refused(play: Play, answering: Answering, said: object) -> None:
    with pytest.raises(PartError, match=r"answered 'bid' with .*(choice C/D|one of C, D)"):
        settled(play, answering, Choice("C", "D"), said)


def test_a_choice_needs_labels_or_options() -> None:
    with pytest.raises(ValueError, match="one of the two"):
        Choice()
    with pytest.raises(ValueError, match="one of the two"):
        Choice("C", options=np.array([["C"]]))


def test_options_may_differ_from_replicate_to_replicate(play: Play, answering: Answering) -> None:
    options = np.array([["red", "blue", None], ["red", "green", "blue"]], object)
    said = ["blue", "red", "blue", "blue", "red", "green"]
    answer = settled(play, answering, Choice(options=options), said, replicates=2)
    assert answer == [[1, 0, 1], [2, 0, 1]]


def test_an_option_that_is_closed_in_a_replicate_is_refused_there(
    play: Play, answering: Answering
) -> None:
    names = np.array([["red", "blue", None], ["red", "green", "blue"]], object)
    caps = np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]])
    for options in (names, caps):
        with pytest.raises(PartError, match=r"agent 0 of replicate 0.*open option"):
            settled(play, answering, Choice(options=options), 2, replicates=2)


def test_members_see_the_options_of_their_own_replicate(play: Play, answering: Answering) -> None:
    caps = np.array([[5.0, 1.0, 3.0], [4.0, 2.0, np.nan]])

    def lowest(ask: Question, agents: AgentGroup) -> Array:
        assert ask.options is not None
        assert ask.options.shape == (2, 3)
        return np.asarray(np.nanargmin(ask.options[agents.replicate], axis=1))

    over = play(asking(Choice(options=caps)), answering(lowest), agents=2, replicates=2)
    assert over.answers("bid")[0].tolist() == [[1, 1], [1, 1]]


def test_options_that_do_not_fit_the_replicates_are_refused(
    play: Play, answering: Answering
) -> None:
    with pytest.raises(PartError, match=r"parlour, 'bid'.*\(2, 2\)"):
        settled(play, answering, Choice(options=np.ones((2, 2))), 0, replicates=3)


def test_options_are_kept_as_they_were_when_asked(play: Play, answering: Answering) -> None:
    options = np.array([["a", "b"], ["c", "d"]], object)

    def fickle(env: Environment) -> Script:
        yield Ask("bid", Choice(options=options))
        options[:] = "gone"

    over = play(fickle, answering(lambda ask, me: 0), replicates=2)
    assert over.steps[0].arrays["options", ""].tolist() == [["a", "b"], ["c", "d"]]


def test_a_run_of_one_replicate_keeps_its_options_as_a_batch_does(
    play: Play, answering: Answering
) -> None:
    first = answering(lambda ask, me: 0)
    options = np.array([[1.0, 2.0], [3.0, 4.0]])
    both = play(asking(Choice(options=options)), first, replicates=2).steps[0]
    alone = play(asking(Choice(options=options[1:])), first, replicate_ids=[1]).steps[0]
    assert alone.form == both.form
    assert alone.arrays["options", ""].tolist() == both.arrays["options", ""][1:].tolist()


# Peer


def test_a_peer_is_named_by_its_seat_or_nobody_is(play: Play, answering: Answering) -> None:
    assert settled(play, answering, Neighbour("all"), [1, 2, NOBODY]) == [[1, 2, NOBODY]]
    assert settled(play, answering, Neighbour("all"), [1.0, 2.0, -1.0]) == [[1, 2, NOBODY]]


@pytest.mark.parametrize(
    "said", [[0, 0, 0], [1, 2, 3], [1, 2, -2]], ids=["oneself", "no seat", "below nobody"]
)
def test_who_is_no_neighbour_is_refused(play: Play, answering: Answering, said: object) -> None:
    with pytest.raises(PartError, match="a present neighbour on graph 'all', or NOBODY"):
        settled(play, answering, Neighbour("all"), said)


def test_only_neighbours_on_the_graph_of_the_question_can_be_named(
    play: Play, answering: Answering
) -> None:
    graphs = {"path": from_networkx([nx.path_graph(3)], np.arange(3))}
    assert settled(play, answering, Neighbour("path"), [1, 2, 1], graphs=graphs) == [[1, 2, 1]]
    with pytest.raises(PartError, match=r"oracle.*agent 0 of replicate 0.*2; .*graph 'path'"):
        settled(play, answering, Neighbour("path"), [2, 1, 1], graphs=graphs)


def test_who_is_gone_cannot_be_named(play: Play, answering: Answering) -> None:
    def funeral(env: Environment) -> Script:
        yield Tell("buried", gone=np.array([[False, True, False]]))
        yield Ask("bid", Neighbour("all"))

    with pytest.raises(PartError, match=r"agent 0 of replicate 0, answered 'bid' with 1;"):
        play(funeral, answering(lambda ask, me: [1, 0, 0]))
    mourned = play(funeral, answering(lambda ask, me: [2, 0, 0])).answers("bid")[0]
    assert mourned.tolist() == [[2, NOBODY, 0]]


def test_fractions_of_a_peer_are_refused(play: Play, answering: Answering) -> None:
    with pytest.raises(
        PartError, match=r"oracle, agent 0 of replicate 0, answered .* expected a neighbour on all"
    ):
        settled(play, answering, Neighbour("all"), [1.5, 0, 0])


def test_a_peer_on_a_graph_that_does_not_exist_is_refused_with_the_nearest_name(
    play: Play, answering: Answering
) -> None:
    with pytest.raises(PartError, match=r"no graph 'al'; did you mean 'all'\?"):
        settled(play, answering, Neighbour("al"), NOBODY)


# Mix, Words, Form


def test_a_mix_is_probabilities_over_actions(play: Play, answering: Answering) -> None:
    mixes = [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]
    assert settled(play, answering, MixedStrategy("C", "D"), mixes) == [mixes]


@pytest.mark.parametrize("mix", [[0.5, 0.6], [1.5, -0.5], [np.nan, 1.0], [0.0, 0.0]], ids=str)
def test_what_does_not_sum_to_1_is_no_mix(
    play: Play, answering: Answering, mix: list[float]
) -> None:
    with pytest.raises(PartError, match=r"agent 2 of replicate 0.*probabilities that sum to 1"):
        settled(play, answering, MixedStrategy("C", "D"), [[1, 0], [0, 1], mix])


def test_a_mix_over_the_wrong_number_of_actions_is_refused(
    play: Play, answering: Answering
) -> None:
    with pytest.raises(PartError, match=r"oracle.*shape \(3, 3\) instead of \(3, 2\)"):
        settled(play, answering, MixedStrategy("C", "D"), np.full((3, 3), 1 / 3))


def test_words_are_cut_at_the_limit(play: Play, answering: Answering) -> None:
    said = ["hello", "", "good day"]
    assert settled(play, answering, Text(4), said) == [["hell", "", "good"]]


def test_what_is_no_text_is_refused(play: Play, answering: Answering) -> None:
    with pytest.raises(PartError, match=r"agent 1 of replicate 0.* 7; expected text"):
        settled(play, answering, Text(), np.array(["hello", 7, "good day"], object))


LEASE = Fields({"rent": Real(0, 10), "years": Integer(1, 9), "tenant": Neighbour("all")})


def test_a_form_is_settled_field_by_field(play: Play, answering: Answering) -> None:
    lease = {"rent": [-1, 5, 11], "years": [1, 2.2, 99], "tenant": [1, NOBODY, 0]}
    over = play(asking(LEASE), answering(lambda ask, me: lease))
    assert over.answers("bid", "rent")[0].tolist() == [[0, 5, 10]]
    assert over.answers("bid", "years")[0].tolist() == [[1, 2, 9]]
    assert over.answers("bid", "tenant")[0].tolist() == [[1, NOBODY, 0]]


def test_a_script_receives_a_form_as_a_mapping(play: Play, answering: Answering) -> None:
    received: dict[str, Array] = {}

    def auction(env: Environment) -> Script:
        received.update((yield Ask("bid", LEASE)))

    play(auction, answering(lambda ask, me: {"rent": 3, "years": 2, "tenant": NOBODY}))
    assert list(received) == ["rent", "years", "tenant"]
    assert received["rent"].tolist() == [[3, 3, 3]]


def test_a_choice_within_a_form_takes_labels_too(play: Play, answering: Answering) -> None:
    colours = np.array([["red", "blue"], ["blue", "red"]], object)
    form = Fields({"move": Choice("C", "D"), "colour": Choice(options=colours)})
    said = {"move": ["C", "D", "C", "D"], "colour": ["red"] * 4}
    over = play(asking(form), answering(lambda ask, me: said), agents=2, replicates=2)
    assert over.answers("bid", "move")[0].tolist() == [[0, 1], [0, 1]]
    assert over.answers("bid", "colour")[0].tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("said", [{"rent": 1, "years": 2}, 7, [1, 2, 3]], ids=str)
def test_a_form_with_a_field_left_out_is_refused(
    play: Play, answering: Answering, said: object
) -> None:
    with pytest.raises(PartError, match="oracle answered 'bid'"):
        settled(play, answering, LEASE, said)


# What holds for all of them

EVERY = {
    "amount": (Real(0, 1), 0.5, 0.0),
    "whole": (Integer(1, 9), 5, 0),
    "choice": (Choice("C", "D"), "D", NOBODY),
    "peer": (Neighbour("all"), [1, 2, 0], NOBODY),
    "mix": (MixedStrategy("C", "D"), [[0.5, 0.5]] * 3, [0.0, 0.0]),
    "words": (Text(), "hello", ""),
}
every = pytest.mark.parametrize(("reply", "said", "silent"), EVERY.values(), ids=EVERY.keys())


@every
def test_silence_stands_where_nobody_was_asked(
    play: Play, answering: Answering, reply: ActionSpace, said: object, silent: object
) -> None:
    answer = settled(play, answering, reply, said, who=[[True, False, True]])
    assert answer[0][1] == silent
    assert answer[0][0] != silent
    nobody = settled(play, answering, reply, said, who=[[False]])
    assert nobody == [[silent, silent, silent]]


@every
def test_a_wrong_number_of_answers_is_refused_with_the_component(
    play: Play, answering: Answering, reply: ActionSpace, said: object, silent: object
) -> None:
    five = [np.ravel(np.array(said, object))[0]] * 5
    with pytest.raises(PartError, match=r"oracle answered 'bid' with .*one per member"):
        settled(play, answering, reply, five)


@pytest.mark.parametrize("name", ["amount", "whole", "peer", "mix"])
@pytest.mark.parametrize("nonsense", ["many", {}, [[1, 2], [3]], None, 1j], ids=str)
def test_nonsense_is_refused_with_the_component(
    play: Play, answering: Answering, name: str, nonsense: object
) -> None:
    with pytest.raises(PartError, match="oracle"):
        settled(play, answering, EVERY[name][0], nonsense)


class Clerk(Component):
    """Answers one by one with what it was given."""

    answers = ("bid",)

    def __init__(self, said: object) -> None:
        self.said = said

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        return self.said


@every
def test_those_who_answer_one_by_one_are_settled_alike(
    play: Play, answering: Answering, reply: ActionSpace, said: Any, silent: object
) -> None:
    alone = Clerk(
        1 if isinstance(reply, Neighbour) else said[0] if isinstance(said, list) else said
    )
    who = [[True, False, False]]
    expected = settled(play, answering, reply, said, who=who)
    assert play(asking(reply, who), alone).answers("bid")[0].tolist() == expected


@pytest.mark.parametrize("name", ["amount", "whole", "peer", "choice", "words", "mix"])
def test_an_answer_left_out_is_refused_and_not_silently_replaced(play: Play, name: str) -> None:
    with pytest.raises(PartError, match="clerk"):
        play(asking(EVERY[name][0]), Clerk(None))


@pytest.mark.parametrize("said", [7, {"rent": 1}], ids=["no form", "fields left out"])
def test_a_form_filled_in_badly_by_one_is_refused(play: Play, said: object) -> None:
    with pytest.raises(PartError, match="clerk"):
        play(asking(LEASE), Clerk(said))


@pytest.mark.parametrize("name", EVERY)
def test_a_list_from_one_alone_is_no_answer(play: Play, name: str) -> None:
    with pytest.raises(PartError, match="clerk"):
        play(asking(EVERY[name][0]), Clerk([1.0, 0.0, 0.0]))


def test_what_the_unasked_would_have_said_does_not_matter(play: Play, answering: Answering) -> None:
    who = [[True, False, True]]
    for reply, said in (
        (Real(0, 1), [0.5, np.nan, 0.5]),
        (Neighbour("all"), [1, 99, NOBODY]),
        (Neighbour("all"), [1, np.nan, NOBODY]),
        (Choice("C", "D"), ["C", "E", "D"]),
        (MixedStrategy("C", "D"), [[1, 0], [np.nan, 7], [0, 1]]),
        (Text(), np.array(["yes", None, "no"], object)),
    ):
        answers = np.array(settled(play, answering, reply, said, who=who), object)
        assert np.all(answers[0, 1] == np.array(reply.silent, object)), reply.form()


@given(
    raw=st.lists(st.floats(0.001, 1), min_size=6, max_size=6).map(np.array),
    reply=st.sampled_from(
        [Real(0, 0.5), Integer(0, 1), MixedStrategy("C", "D"), MixedStrategy("a", "b", "c")]
    ),
)
def test_settling_what_is_settled_changes_no_bit(raw: Array, reply: Value) -> None:
    """Replay settles recorded answers again: the digest must stay."""
    if isinstance(reply, MixedStrategy):
        shares = raw.reshape(-1, len(reply.actions))
        raw = shares / shares.sum(1, keepdims=True) * (1 + 3e-10)
    raw = raw[None]
    world: dict[str, Any] = {"graphs": {}, "asked": np.ones((1, raw.shape[1]), bool)}
    world["present"] = world["asked"]
    once = reply.settle(raw, **world)
    assert reply.settle(once.astype(reply.dtype), **world).tobytes() == once.tobytes()


@every
def test_recorded_answers_replay_to_the_same_digest(
    play: Play, answering: Answering, reply: ActionSpace, said: object, silent: object
) -> None:
    who = [[True, False, True]]
    over = play(asking(reply, who), answering(lambda ask, me: said))
    again = play(asking(reply, who), answerer=Tape(over.steps))
    assert again.outcome.digest == over.outcome.digest


def test_every_reply_says_its_form() -> None:
    assert [fields(reply)[""].form() for reply, _, _ in EVERY.values()] == [
        "amount 0..1",
        "whole 1..9",
        "choice C/D",
        "peer on all",
        "mix over C/D",
        "words up to 400",
    ]
    assert LEASE.form() == "rent: amount 0..10; years: whole 1..9; tenant: peer on all"


@pytest.mark.parametrize("reply", [Choice, MixedStrategy])
def test_labels_that_a_run_file_could_not_tell_apart_are_refused(reply: type) -> None:
    """They are read back from the form, choice a/b."""
    with pytest.raises(ValueError, match="label 'give/take' holds a slash"):
        reply("give/take", "leave")
    with pytest.raises(ValueError, match="label 'a; b' holds a slash or a semicolon"):
        reply("a; b", "leave")
