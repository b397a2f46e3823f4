"""The JSON schema of each form of reply says what its hint says, and what its reader takes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Sentence,
    Text,
)
from society.engine.graph import NOBODY
from society.errors import Unparsed
from society.llm.parsing.answers import hint, interpret, parse
from society.llm.parsing.extract import REASONING
from society.llm.parsing.schemas import (
    follows,
    keeps_bounds,
    on_grid,
    schema,
    without_bounds,
)

NAMES = Legal(options={"red": 0, "blue": 2}, peers={"3": 2, "5": 4})
COLOURS = Choice(options=np.array([["red", None, "blue"]], object))
RULES = {"Nobody takes more than five fish.": 0, "Rest.": 2}
PLAN = Sentence(80, opening="My plan will be")
LEASE = Fields({"rent": Real(0, 10), "years": Integer(1, 9), "tenant": Neighbour("all")})


def schema_of(reply: ActionSpace, legal: Legal = NAMES, *, thinking: bool = False) -> Any:
    """Return a schema that there is, checked to be one."""
    form = schema(reply, legal, thinking=thinking)
    assert form is not None
    Draft202012Validator.check_schema(form)
    Draft202012Validator.check_schema(on_grid(form))
    return form


def valid(form: Mapping[str, Any], said: Any) -> bool:
    return bool(Draft202012Validator(form).is_valid(said))


def answer_of(reply: ActionSpace, legal: Legal = NAMES) -> Any:
    return schema_of(reply, legal)["properties"]["answer"]


# What stands in a schema


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        (Real(0, 1), {"type": "number", "minimum": 0, "maximum": 1}),
        (Real(), {"type": "number", "minimum": 0}),
        (Real(-np.inf, 2.5), {"type": "number", "maximum": 2.5}),
        (Real(0, 1, optional=True), {"anyOf": [Real(0, 1), None]}),
        (Integer(1, 3), {"type": "integer", "enum": [1, 2, 3]}),
        (Integer(0, 1000), {"type": "integer", "minimum": 0, "maximum": 1000}),
        (Integer(), {"type": "integer", "minimum": 0}),
        (Text(80), {"type": "string", "minLength": 1, "maxLength": 80}),
        (
            PLAN,
            {
                "title": "a sentence that starts: My plan will be",
                "type": "string",
                "minLength": 1,
                "maxLength": 80,
            },
        ),
    ],
    ids=repr,
)
def test_numbers_and_texts_have_their_bounds_and_are_described_by_their_hint(
    reply: ActionSpace, form: dict[str, Any]
) -> None:
    if "anyOf" in form:
        form = {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "null"}]}
    assert answer_of(reply) == {"description": hint(reply, NAMES), **form}


def test_options_and_names_are_listed_and_long_options_are_said_by_number() -> None:
    assert answer_of(COLOURS) == {"type": "string", "enum": ["red", "blue"]}
    assert answer_of(Neighbour("all")) == {"type": "string", "enum": ["3", "5", "nobody"]}
    assert answer_of(Neighbour("all"), Legal())["enum"] == ["nobody"]
    assert answer_of(COLOURS, Legal(options=RULES)) == {
        "description": "the number of an option",
        "type": "integer",
        "enum": [1, 2],
    }


def test_an_option_that_is_called_by_the_number_of_another_is_said_by_its_name() -> None:
    """Its number would be read as the other."""
    crossed = Legal(options={"2": 0, "all that there is": 2})
    assert answer_of(COLOURS, crossed)["enum"] == ["2", "all that there is"]


def test_options_are_said_by_number_where_one_is_called_by_its_own_number() -> None:
    straight = Legal(options={"all that there is": 2, "2": 0})
    assert answer_of(COLOURS, straight)["enum"] == [1, 2]


def test_shares_of_a_mixed_strategy_are_whole_percentages() -> None:
    form = answer_of(MixedStrategy("C", "D"))
    assert form["description"].endswith("whole percentages that sum to 100")
    assert form["properties"]["D"] == {"type": "integer", "minimum": 0, "maximum": 100}
    assert form["required"] == ["C", "D"]


def test_a_reply_is_an_object_of_its_answer_or_of_its_fields_and_nothing_else() -> None:
    form = schema_of(LEASE)
    assert form["required"] == ["rent", "years", "tenant"] == [*form["properties"]]
    assert form["properties"]["rent"] == answer_of(Real(0, 10))
    assert form["additionalProperties"] is False
    assert schema_of(Real())["required"] == ["answer"]


def test_who_shall_think_first_has_room_for_it_before_the_answer() -> None:
    assert schema_of(Real(), thinking=True)["required"] == ["reasoning", "answer"]
    assert schema_of(LEASE, thinking=True)["required"][0] == "reasoning"
    assert schema_of(LEASE, thinking=True)["properties"]["reasoning"]["maxLength"] == 1000
    taken = Fields({"reasoning": Text(9)})
    assert schema_of(taken, thinking=True) == schema_of(taken)


def test_without_anything_to_choose_there_is_no_schema() -> None:
    assert schema(Choice(options=np.array([[None]], object)), Legal()) is None


# On a grid


def test_numbers_are_listed_in_steps_that_are_said() -> None:
    grid = on_grid(schema_of(Real(0, 1)))["properties"]["answer"]
    assert grid["description"] == "a number from 0 to 1, in steps of 0.01"
    assert grid["enum"] == [place / 100 for place in range(101)]
    grid = on_grid(schema_of(Real(0, 84.3274)))["properties"]["answer"]
    assert grid["description"] == "a number from 0 to 84.3274, in steps of 1"
    assert grid["enum"] == [*range(85), 84.3274]


def test_mixes_that_sum_to_100_are_listed() -> None:
    grid = on_grid(schema_of(MixedStrategy("C", "D")))["properties"]["answer"]
    assert grid["description"].endswith("whole percentages that sum to 100, in steps of 1")
    assert grid["enum"] == [{"C": share, "D": 100 - share} for share in range(101)]
    grid = on_grid(schema_of(MixedStrategy("a", "b", "c")))["properties"]["answer"]
    assert grid["description"].endswith("in steps of 5")
    assert len(grid["enum"]) == 231
    many = MixedStrategy(*(f"A{place}" for place in range(40)))
    grid = on_grid(schema_of(many))["properties"]["answer"]
    assert [max(mix.values()) for mix in grid["enum"]] == [100] * 40


def test_a_number_with_one_bound_is_whole_on_the_grid() -> None:
    assert on_grid(schema_of(Real(0.5)))["properties"]["answer"] == {
        "description": "a number of at least 0.5, in steps of 1",
        "type": "integer",
        "minimum": 1,
    }
    assert on_grid(schema_of(Real(-np.inf, -0.5)))["properties"]["answer"]["maximum"] == -1


def test_a_sentence_on_the_grid_begins_with_its_opening() -> None:
    form = on_grid(schema_of(PLAN))
    assert form["properties"]["answer"]["pattern"] == r'^My plan will be [^"\\\n]{1,64}$'
    assert valid(form, {"answer": "My plan will be to give half."})
    assert not valid(form, {"answer": "My plan is to give half."})
    odd = on_grid(schema_of(Sentence(80, opening="I (agent 2.5) will")))
    assert valid(odd, {"answer": "I (agent 2.5) will give half."})
    quoted = schema_of(Sentence(80, opening='My "plan" is'))
    assert on_grid(quoted) == quoted


def test_what_may_be_none_may_be_so_on_the_grid_and_what_has_no_bounds_stays() -> None:
    either = on_grid(schema_of(Real(0, 1, optional=True)))["properties"]["answer"]["anyOf"]
    assert [len(either[0]["enum"]), either[1]] == [101, {"type": "null"}]
    for reply in (Real(-np.inf), Integer(0, 1000), COLOURS, Text(9)):
        assert on_grid(schema_of(reply)) == schema_of(reply)
    assert on_grid(schema_of(Real(3, 3)))["properties"]["answer"]["enum"] == [3]


@example(low=0.1 + 0.2, width=0.0)
@example(low=1e15, width=1.0)
@example(low=-1.4584293468329742e-296, width=1e-300)
@given(low=st.floats(-1e300, 1e300), width=st.floats(0, 1e300))
def test_a_grid_of_any_width_has_both_bounds_and_about_a_hundred_steps(
    low: float, width: float
) -> None:
    high = low + width
    form = schema_of(Real(low, high))
    values = on_grid(form)["properties"]["answer"]["enum"]
    assert values[0] == low
    assert values[-1] == high
    assert len(values) <= 103
    assert all(valid(form, {"answer": value}) for value in values)
    assert values == sorted(set(values))


def test_without_bounds_descriptions_alone_say_them() -> None:
    loose = without_bounds(schema_of(Fields({"minimum": Real(0, 1), "why": Text(9)})))
    assert loose["properties"] == {
        "minimum": {"type": "number", "description": "a number from 0 to 1"},
        "why": {"type": "string", "description": "text of at most 9 characters"},
    }
    either = without_bounds(answer_of(Real(0, 1, optional=True)))["anyOf"]
    assert either == [{"type": "number"}, {"type": "null"}]


# Schemas and readers agree: in both directions, for every form


words = st.text(max_size=60)
labels = st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=6, unique=True)
bounds = st.floats(-1e12, 1e12)


@st.composite
def numbers(draw: st.DrawFn) -> Real:
    low, high = sorted([draw(bounds), draw(bounds)])
    ends = draw(st.sampled_from([(low, high), (0, 1), (0, math.inf), (-math.inf, high)]))
    return Real(*ends, optional=draw(st.booleans()))


@st.composite
def whole_numbers(draw: st.DrawFn) -> Integer:
    low = draw(st.integers(-(10**6), 10**6))
    return Integer(low, low + draw(st.sampled_from([0, 1, 9, 100, 10**6])))


actions = st.lists(st.sampled_from(["C", "D", "A0", "A1", "stay home"]), min_size=1, unique=True)
single = st.one_of(
    numbers(),
    whole_numbers(),
    st.just(COLOURS),
    st.just(Neighbour("all")),
    actions.map(lambda names: MixedStrategy(*names)),
    st.integers(20, 80).map(Text),
    st.just(PLAN),
)
forms = st.one_of(
    single,
    st.dictionaries(
        st.sampled_from(["personal", "cap", "of A0", "proposal 1", "why"]), single, min_size=1
    ).map(Fields),
)


@st.composite
def legals(draw: st.DrawFn) -> Legal:
    options = {label: index for index, label in enumerate(draw(labels))}
    peers = {str(seat + 1): seat for seat in draw(st.sets(st.integers(0, 30), max_size=5))}
    return Legal(options, peers, rounded=draw(st.booleans()))


def drawn(draw: st.DrawFn, reply: ActionSpace, legal: Legal) -> tuple[Any, Any]:
    """Draw an answer: as it is settled, and as it is said in JSON."""
    if isinstance(reply, Fields):
        pairs = {name: drawn(draw, part, legal) for name, part in reply.fields.items()}
        settled = {name: answer for name, (answer, _) in pairs.items()}
        return settled, {name: said for name, (_, said) in pairs.items()}
    if isinstance(reply, Real | Integer):
        if getattr(reply, "optional", False) and draw(st.booleans()):
            return math.nan, None
        high = float(reply.high)
        low = max(float(reply.low), min(high, 0) - 1e9)
        if isinstance(reply, Integer):
            number: float = draw(st.integers(int(low), int(high)))
        else:
            number = draw(st.floats(low, high if math.isfinite(high) else low + 1e9))
        return number, number
    if isinstance(reply, Choice):
        label, index = draw(st.sampled_from([*legal.options.items()]))
        form = schema_of(reply, legal)["properties"]["answer"]
        by_number = form["type"] == "integer"
        return index, [*legal.options].index(label) + 1 if by_number else label
    if isinstance(reply, Neighbour):
        name, seat = draw(st.sampled_from([*legal.peers.items(), ("nobody", NOBODY)]))
        return seat, name
    if isinstance(reply, MixedStrategy):
        cuts = sorted(draw(st.integers(0, 100)) for _ in reply.actions[1:])
        shares = [b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]
        said = dict(zip(reply.actions, shares, strict=True))
        return [share / 100 for share in shares], said
    text = "My plan will be to give half."
    if not isinstance(reply, Sentence):
        limit = reply.limit if isinstance(reply, Text) else 1
        text = draw(st.text(min_size=1, max_size=limit))
        text = text if interpret(reply, text, legal) is not None else "Take { no more }."
    return interpret(reply, text, legal), text


@given(data=st.data(), reply=forms, legal=legals(), thinking=st.booleans(), thoughts=words)
def test_every_legal_answer_validates_and_is_read(
    data: st.DataObject, reply: ActionSpace, legal: Legal, thinking: bool, thoughts: str
) -> None:
    answer, said = data.draw(st.composite(drawn)(reply, legal))
    form = schema_of(reply, legal, thinking=thinking)
    whole = said if isinstance(reply, Fields) else {"answer": said}
    if thinking:
        whole = {REASONING: thoughts, **whole}
    assert valid(form, whole)
    for text in (json.dumps(whole), json.dumps(whole, ensure_ascii=False, indent=2)):
        assert follows(form, text)
        assert keeps_bounds(form, text)
        np.testing.assert_equal(parse(reply, text, legal), answer)


def validating(form: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Draw whatever satisfies a schema of ours."""
    if "anyOf" in form:
        return st.one_of(*map(validating, form["anyOf"]))
    if "enum" in form:
        return st.sampled_from(form["enum"])
    kind = form["type"]
    if kind == "null":
        return st.none()
    if "pattern" in form:
        return st.from_regex(form["pattern"], fullmatch=True)
    if kind == "string":
        return st.text(min_size=form.get("minLength", 0), max_size=form["maxLength"])
    if kind == "object":
        return st.fixed_dictionaries(
            {name: validating(part) for name, part in form["properties"].items()}
        )
    ends = form.get("minimum"), form.get("maximum")
    if kind == "integer":
        return st.integers(*ends)
    return st.floats(*ends, allow_nan=False, allow_infinity=False)


@given(data=st.data(), reply=forms, legal=legals(), thinking=st.booleans(), coarse=st.booleans())
def test_all_that_validates_is_legal_or_turned_down_with_a_reason(
    data: st.DataObject, reply: ActionSpace, legal: Legal, thinking: bool, coarse: bool
) -> None:
    """Texts may fail, and mixes that are not on a grid, as no schema can state their sum."""
    form = schema_of(reply, legal, thinking=thinking)
    said = data.draw(validating(on_grid(form) if coarse else form))
    assert valid(form, said)
    try:
        answer = parse(reply, json.dumps(said), legal)
    except Unparsed as refused:
        reason = str(refused)
    else:
        check_legal(reply, answer, legal)
        return
    parts = reply.fields.values() if isinstance(reply, Fields) else [reply]
    assert any(isinstance(part, Text if coarse else Text | MixedStrategy) for part in parts)
    assert reason.startswith("got ")


def check_legal(reply: ActionSpace, answer: Any, legal: Legal) -> None:
    if isinstance(reply, Fields):
        assert answer.keys() == reply.fields.keys()
        for name, part in reply.fields.items():
            check_legal(part, answer[name], legal)
    elif isinstance(reply, Real | Integer):
        unsaid = getattr(reply, "optional", False) and math.isnan(answer)
        assert unsaid or reply.low <= answer <= reply.high
    elif isinstance(reply, Choice):
        assert answer in legal.options.values()
    elif isinstance(reply, Neighbour):
        assert answer in {NOBODY, *legal.peers.values()}
    elif isinstance(reply, MixedStrategy):
        assert sum(answer) == pytest.approx(1)
    elif isinstance(reply, Sentence):
        assert answer.startswith(reply.opening)
        assert len(answer) <= reply.limit
    else:
        assert isinstance(reply, Text)
        assert answer.strip()


# Whether a server keeps to it


@pytest.mark.parametrize(
    ("text", "form_kept", "bounds_kept"),
    [
        ('{"rent": 5, "years": 2, "tenant": "3"}', True, True),
        ('<think>{"rent": 5}?</think>\n{"rent": 5, "years": 2, "tenant": "3"}', True, True),
        ('{"rent": 50, "years": 2, "tenant": "3"}', True, False),
        ('{"rent": 5, "years": 20, "tenant": "3"}', False, True),
        ('{"rent": 5, "years": 2, "tenant": "4"}', False, True),
        ('{"rent": 5, "years": 2}', False, True),
        ('{"rent": 5, "years": 2, "tenant": "3", "why": ""}', False, True),
        ("I ask 5 coins of nobody.", False, True),
        ("<think>I should ask", False, True),
        ("", False, True),
    ],
)
def test_a_server_that_ignores_a_schema_or_its_bounds_is_noticed(
    text: str, form_kept: bool, bounds_kept: bool
) -> None:
    form = schema_of(LEASE)
    assert follows(form, text) is form_kept
    assert keeps_bounds(form, text) is bounds_kept


def test_of_a_number_that_may_be_none_the_bounds_are_noticed_as_well() -> None:
    form = schema_of(Real(0, 1, optional=True))
    for text, form_kept, bounds_kept in (
        ('{"answer": null}', True, True),
        ('{"answer": 4}', True, False),
        ('{"answer": "4"}', False, True),
    ):
        assert (follows(form, text), keeps_bounds(form, text)) == (form_kept, bounds_kept)


def test_lengths_that_a_server_does_not_bound_say_nothing_against_it() -> None:
    form = schema_of(Text(9))
    assert follows(form, '{"answer": "more than nine characters"}')


# Classes of one's own


class Cents(Real):
    """An amount in words of its own, without a schema."""

    def hint(self, legal: Legal) -> str:
        return "cents"


class Weekday(Choice):
    """Read by rules of its own, and with a schema that goes with them."""

    def hint(self, legal: Legal) -> str:
        return "Monday or Friday"

    def taken(self, said: object, legal: Legal) -> int | None:
        return {"Monday": 0, "Friday": 1}.get(str(said))

    def schema(self, legal: Legal) -> dict[str, Any]:
        return {"enum": ["Monday", "Friday"]}


def test_a_class_with_words_of_its_own_is_free_text_unless_it_has_a_schema() -> None:
    assert schema(Cents(0, 9), NAMES) is None
    assert schema(Fields({"pay": Cents(0, 9), "years": Integer(1, 9)}), NAMES) is None
    day = Weekday("monday", "friday")
    assert answer_of(day) == {"enum": ["Monday", "Friday"]}
    assert parse(day, '{"answer": "Friday"}', NAMES) == 1
    form = schema_of(Fields({"day": day, "years": Integer(1, 9)}))
    assert form["properties"]["day"] == {"enum": ["Monday", "Friday"]}
