"""What language models are told of each kind of reply, and how their answers to it are read."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Graphs,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Sentence,
    Text,
    Value,
)
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.errors import PartError, Unparsed
from society.llm.parsing.answers import hint, interpret, parse

LEASE = Fields({"rent": Real(0, 10), "years": Integer(1, 9), "tenant": Neighbour("all")})

NAMES = Legal(options={"red": 0, "blue": 2}, peers={"3": 2, "5": 4})
RULES = {"Nobody takes more than five fish.": 0, "Rest.": 2}
COLOURS = Choice(options=np.array([["red", None, "blue"]], object))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Real(0, 1), "a number from 0 to 1"),
        (Real(0, 2.5, optional=True), "a number from 0 to 2.5, or none"),
        (Real(), "a number of at least 0"),
        (Real(-np.inf, 3), "a number of at most 3"),
        (Real(-np.inf, np.inf), "a number"),
        (Integer(1, 9), "a whole number from 1 to 9"),
        (Choice("yes", "no"), "one of these: yes, no"),
        (COLOURS, "one of these: red, blue"),
        (Neighbour("all"), "one of these names: 3, 5, or nobody"),
        (
            MixedStrategy("C", "D"),
            'a JSON object {"C": <percent>, "D": <percent>} of whole percentages that sum',
        ),
        (Text(80), "text of at most 80 characters"),
    ],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_a_hint_says_what_is_asked_for(reply: Value, said: str) -> None:
    assert hint(reply, NAMES).startswith(said)


def test_options_that_look_alike_are_as_many_lines_as_they_are_options() -> None:
    """What is said as a number is read by the numbers that were shown."""
    alike = Legal(options={"Fish less.": 0, "Fish\u200b less.": 1, "Take all you can get.": 2})
    assert hint(COLOURS, alike).splitlines()[1:] == [
        "1. «Fish less.»",
        "2. «Fish less.»",
        "3. «Take all you can get.»",
    ]
    assert [parse(COLOURS, number, alike) for number in "123"] == [0, 1, 2]


def test_long_options_are_shown_with_numbers_and_fields_with_names() -> None:
    assert hint(COLOURS, Legal(options=RULES)).splitlines() == [
        "the number of one of these:",
        "1. «Nobody takes more than five fish.»",
        "2. «Rest.»",
    ]
    assert hint(LEASE, NAMES).splitlines() == [
        "a JSON object with these fields:",
        '- "rent": a number from 0 to 10',
        '- "years": a whole number from 1 to 9',
        '- "tenant": one of these names: 3, 5, or nobody',
    ]
    assert hint(Neighbour("all"), Legal()) == "nobody, as you see no one"


@pytest.mark.parametrize(
    ("reply", "text", "answer"),
    [
        (Real(0, 1), "0.4", 0.4),
        (Real(0, 1), "40%", 0.4),
        (Real(0, 100), "40%", 40.0),
        (Real(0, 1), "40 percent", 0.4),
        (Real(0, 1), "I give 40 per cent of my time.", 0.4),
        (Real(0, 1), "1", 1.0),
        (Real(0, 14.854299), "14.8543", 14.8543),
        (Integer(0, 9), "3.0", 3),
        (Integer(0, 9), '{"answer": 0}', 0),
        (Choice("yes", "no"), "No.", 1),
        (COLOURS, '{"answer": "blue"}', 2),
        (Neighbour("all"), "Villager 5", 4),
        (Neighbour("all"), '{"answer": null}', NOBODY),
        (MixedStrategy("C", "D"), '{"C": 25, "D": 75}', [0.25, 0.75]),
        (MixedStrategy("C", "D"), '{"D": 0.75, "C": 0.25}', [0.25, 0.75]),
        (MixedStrategy("C", "D"), '{"C": 1, "D": 0}', [1, 0]),
        (Text(9), '"Good day to you."', "Good day to you."),
        (Text(9), '{"answer": "Good day."}', "Good day."),
        (Text(9), "I think.\n\nAnswer: Good\nday.", "Good\nday."),
        (LEASE, '{"rent": 5, "years": "2", "tenant": "3"}', {"rent": 5, "years": 2, "tenant": 2}),
    ],
)
def test_a_reply_is_read_as_consult_must_give_it(
    reply: ActionSpace, text: str, answer: object
) -> None:
    found = parse(reply, text, NAMES)
    assert found == answer
    assert type(found) is type(answer)


@pytest.mark.parametrize("text", ["none", "N/A", '{"answer": null}'])
def test_only_an_optional_amount_may_be_none(text: str) -> None:
    assert np.isnan(parse(Real(0, 1, optional=True), text, NAMES))
    with pytest.raises(Unparsed, match=r"expected a number from 0 to 1$"):
        parse(Real(0, 1), text, NAMES)


@pytest.mark.parametrize(
    ("reply", "text", "told"),
    [
        (Real(0, 1), "75", "got '75'; expected a number from 0 to 1"),
        (Real(0, 1), "7", "got '7'; expected a number from 0 to 1"),
        (Real(0, 1), "-0.1", "got '-0.1'; expected a number from 0 to 1"),
        (Real(0, 1), "140%", "got '140%'; expected a number from 0 to 1"),
        (Real(), '{"answer": -3}', "got '-3'; expected a number of at least 0"),
        (Integer(0, 9), "10", "got '10'; expected a whole number from 0 to 9"),
        (
            LEASE,
            '{"rent": 50, "years": 2, "tenant": "3"}',
            "got '50' for 'rent'; expected a number from 0 to 10",
        ),
    ],
)
def test_a_number_out_of_bounds_is_not_cut_but_refused(
    reply: ActionSpace, text: str, told: str
) -> None:
    """It may be meant in another unit: 75 as a percentage, or as nonsense."""
    with pytest.raises(Unparsed) as refused:
        parse(reply, text, NAMES)
    assert str(refused.value) == told


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Real(0, 10), "40%"),
        (Real(0, 10), "4 percent"),
        (Integer(0, 9), "3.5"),
        (Choice("yes", "no"), "perhaps"),
        (COLOURS, "green"),
        (Neighbour("all"), "4"),
        (MixedStrategy("C", "D"), '{"C": 100}'),
        (MixedStrategy("C", "D"), '{"C": 40, "D": 50}'),
        (MixedStrategy("C", "D"), '{"C": "1%", "D": "0%"}'),
        (MixedStrategy("C", "D"), '{"C": 150, "D": -50}'),
        (MixedStrategy("C", "D"), '{"C": NaN, "D": 1}'),
        (Text(9), "One paragraph.\n\nAnother one."),
        (Text(9), '{"answer": 5}'),
        (LEASE, '{"rent": 5, "years": 2}'),
    ],
)
def test_what_is_no_answer_is_refused_with_what_was_expected(reply: ActionSpace, text: str) -> None:
    with pytest.raises(Unparsed, match=r"^got .*; expected "):
        parse(reply, text, NAMES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"C": 60, "D": 60}', "which sums to 120"),
        ('{"C": 0.5, "D": 0.4}', "which sums to 0.9"),
        ('{"C": 60, "D": 40, "E": 40}', "where 'E' is no action"),
        ('{"C": 60, "D": 40, "E": 0}', "where 'E' is no action"),
        ('{"C": 60, "D": 40, "E": "0 %"}', "where 'E' is no action"),
        ('{"answer": {"C": 60, "E": 40}}', "where 'E' is no action"),
        ("C: 60\nD: 40\nE: 40", "where 'E' is no action"),
        ('{"C": 100}', "which must have 'D' once"),
        ('{"C": 60, "c": 40, "D": 40}', "which must have 'C' once"),
        ('{"C": 150, "D": -50}', "where '-50' is no share of 'D'"),
        ('{"C": 1e308, "D": 1e308}', "which sums to 2e+09"),
        ('{"C": "most", "D": 10}', "where 'most' is no share of 'C'"),
    ],
)
def test_of_a_mix_that_is_none_it_is_said_what_came_and_why(text: str, told: str) -> None:
    with pytest.raises(Unparsed) as refused:
        parse(MixedStrategy("C", "D"), text, NAMES)
    came, wrong, _ = re.split(", (?=wh)|; expected", str(refused.value))
    assert came.startswith("got \"{'C': ")
    assert wrong == told


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Real(0, 10), '{"answer": 1, "answer": {"answer": 2}}'),
        (Real(0, 10), 'First {"answer": 3}.\n\nFinal: {"answer": 4, "answer": 5}'),
        (Fields({"a": Real(0, 9), "b": Text()}), '{"a": 1, "b": "x"}\n{"a": 2, "a": 3, "b": "y"}'),
        (Text(), '{"answer": "yes", "answer": "no"}'),
        (Sentence(opening="I will"), '{"answer": "I will go.", "answer": "I will stay."}'),
    ],
)
def test_an_object_with_a_key_twice_is_in_doubt_and_nothing_else_is_taken(
    reply: ActionSpace, text: str
) -> None:
    with pytest.raises(Unparsed, match=r"^got an object in which '\w+' comes twice; expected "):
        parse(reply, text, NAMES)


@pytest.mark.parametrize(
    "text", ['{"reasoning": "I take 3"}', "{}", '{"tone": "kind", "to": "all"}']
)
@pytest.mark.parametrize("reply", [Text(), Real(0, 10)])
def test_an_object_without_an_answer_says_nothing(reply: ActionSpace, text: str) -> None:
    """Thoughts that a model gives in place of an answer are no answer."""
    with pytest.raises(Unparsed):
        parse(reply, text, NAMES)


def test_of_a_mix_over_other_actions_only_it_is_said_what_came() -> None:
    with pytest.raises(Unparsed, match=r'got \'{"E": 60, "F": 40}\'.*expected a JSON object {"C"'):
        parse(MixedStrategy("C", "D"), '{"E": 60, "F": 40}', NAMES)


def test_reasons_may_stand_beside_a_mix() -> None:
    for said in ('{"why": "60 is safe.", "C": 60, "D": 40, "E": null}', "C: 60\nD: 40\nSo be it."):
        assert parse(MixedStrategy("C", "D"), said, NAMES) == [0.6, 0.4]


def test_thirds_may_be_rounded_but_a_wrong_sum_is_never_mended() -> None:
    thirds = '{"a": 33.3, "b": 33.3, "c": 33.3}'
    assert parse(MixedStrategy("a", "b", "c"), thirds, NAMES) == pytest.approx([1 / 3] * 3)
    with pytest.raises(Unparsed, match="sum to 100"):
        parse(MixedStrategy("a", "b", "c"), thirds.replace("33.3", "33"), NAMES)


@given(shares=st.lists(st.integers(0, 100), min_size=2, max_size=5).filter(any))
def test_a_mix_that_is_read_can_be_settled(shares: list[int]) -> None:
    actions = [f"A{place}" for place in range(len(shares))]
    mix = MixedStrategy(*actions)
    given = {action: share / sum(shares) for action, share in zip(actions, shares, strict=True)}
    raw = np.array([[parse(mix, str(given), NAMES)]])
    everybody = np.ones((1, 1), bool)
    assert mix.settle(raw, everybody, {}, everybody).sum() == pytest.approx(1, abs=1e-12)


# Classes of one's own


class Cents(Real):
    """An amount that is asked for in words of its own, and read like the amount that it is."""

    def hint(self, legal: Legal) -> str:
        return f"cents, of at most {len(legal.peers)} coins"


class Weekday(Choice):
    """Read by rules of its own."""

    def taken(self, said: object, legal: Legal) -> int | None:
        return 0 if str(said).casefold().startswith("mon") else None


class Shout(Text):
    """Read from the whole reply by rules of its own."""

    def parse(self, text: str, legal: Legal) -> str:
        return text.upper()


def test_methods_of_ones_own_outweigh_ours() -> None:
    assert hint(Cents(0, 9), NAMES) == "cents, of at most 2 coins"
    assert parse(Cents(0, 9), "4", NAMES) == 4
    assert parse(Weekday("monday", "friday"), "Mon.", NAMES) == 0
    assert parse(Shout(9), "hey", NAMES) == "HEY"


def test_in_a_form_they_do_so_too() -> None:
    form = Fields({"pay": Cents(0, 9), "day": Weekday("monday", "friday")})
    assert hint(form, NAMES).splitlines()[1] == '- "pay": cents, of at most 2 coins'
    assert parse(form, '{"pay": 4, "day": "Monday!"}', NAMES) == {"pay": 4, "day": 0}


def test_of_a_class_that_is_none_of_ours_it_is_said_what_it_lacks() -> None:
    class Colour(Value):
        """A form of reply that nobody knows."""

        silent = None

        def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
            return raw

        def form(self) -> str:
            return "colour"

    with pytest.raises(PartError, match=r"Colour cannot .* method hint\(legal\), or let"):
        hint(Colour(), NAMES)
    with pytest.raises(PartError, match=r"Colour cannot .* method taken\(said, legal\)"):
        interpret(Colour(), "red", NAMES)
    with pytest.raises(PartError, match=r"Colour cannot"):
        parse(Colour(), "red", NAMES)


@pytest.mark.parametrize(
    ("low", "high", "form"),
    [
        (0, 84.3274, "a number from 0 to 84.32"),
        (1 / 3, 1, "a number from 0.3334 to 1"),
        (-84.3274, -2.00001, "a number from -84.32 to -2.001"),
        (0, 0.3, "a number from 0 to 0.3"),
        (0, 1234567.8, "a number from 0 to 1234567"),
        (1.00001, math.inf, "a number of at least 1.001"),
        (-math.inf, 0.99999, "a number of at most 0.9999"),
        (0.333331, 0.333339, "a number from 0.333331 to 0.333339"),  # no room for rounding
        (0, 7e-15, "a number from 0 to 7e-15"),
    ],
)
def test_bounds_are_rounded_inwards_where_words_are_default_ones(
    low: float, high: float, form: str
) -> None:
    assert hint(Real(low, high), Legal(rounded=True)) == form


def test_bounds_in_templates_have_six_figures_as_ever() -> None:
    assert hint(Real(0, 84.32741), Legal()) == "a number from 0 to 84.3274"
    assert hint(Fields({"cap": Real(0, 84.32741)}), Legal()).endswith("from 0 to 84.3274")


@example(low=-1.4584293468329742e-296, width=1.0, share=0.0)
@given(low=st.floats(-1e6, 1e6), width=st.floats(1e-3, 1e6), share=st.floats(0, 1))
def test_all_that_was_legal_is_read_and_all_that_is_shown_is_legal(
    low: float, width: float, share: float
) -> None:
    high = low + width
    reply, legal = Real(low, high), Legal(rounded=True)
    inside = min(max(low + share * width, low), high)
    assert parse(reply, f'{{"answer": {inside!r}}}', legal) == inside
    shown = re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", hint(reply, legal))
    assert all(parse(reply, f'{{"answer": {bound}}}', legal) == float(bound) for bound in shown)
