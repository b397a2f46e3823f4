"""Words, figures and bars: harmless, in the room that there is, with the glyphs that there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from society.engine.fact_specs import FactSpec
from society.terminal.console import (
    TerminalColumn,
    TerminalStyle,
    decimals_for,
    flow_items,
    layout_table,
    number_column,
)
from society.terminal.trace import Trace

WIDE = TerminalStyle("utf-8", 80)
ASCII = TerminalStyle("ascii", 80)


def test_control_characters_are_spelt_out() -> None:
    assert WIDE.words("a\x1b[31mb\nc\x00\x9b\u202e\u2028") == (r"a\x1b[31mb\nc\x00\x9b\u202e\u2028")


def test_what_cannot_be_seen_is_spelt_out() -> None:
    hidden = "a\u200b\u2066\u00ad\ufeff\ufe0f\u3164\U000e0041b"
    assert WIDE.words(hidden) == r"a\u200b\u2066\xad\ufeff\ufe0f\u3164\U000e0041b"


def test_ordinary_words_of_any_language_stay() -> None:
    assert WIDE.words("pêche 漁業 [x] → 50 %") == "pêche 漁業 [x] → 50 %"
    assert ASCII.words("pêche → …") == r"p\xeache -> ~"


@given(st.text(), st.sampled_from(["utf-8", "ascii", "latin-1", "cp437"]))
def test_any_text_can_be_printed_on_any_terminal(text: str, encoding: str) -> None:
    words = TerminalStyle(encoding, 80).words(text)
    words.encode(encoding)
    assert words.isprintable()


@given(st.text(), st.integers(1, 30))
def test_cut_words_fit_their_room(text: str, room: int) -> None:
    for ink in (WIDE, ASCII):
        assert cell_len(ink.cut(text, room)) <= room


def test_a_long_quotation_keeps_whole_words_at_both_ends() -> None:
    assert WIDE.quoted("one two", 20) == '"one two"'
    assert WIDE.quoted("one two three four five six seven", 20) == '"one two … seven"'
    assert ASCII.quoted("undivided" * 9, 20) == '"undivid ~ ndivided"'


@given(st.text(), st.integers(9, 40))
def test_quotations_fit_their_room(text: str, room: int) -> None:
    for ink in (WIDE, ASCII):
        assert cell_len(ink.quoted(text, room)) <= room


def test_a_gauge_counts_in_eighths_of_a_cell() -> None:
    assert WIDE.gauge(0.5, 8) == "████░░░░"
    assert WIDE.gauge(0.5625, 2) == "█▏"
    assert WIDE.gauge(7.0, 3) == "███"
    assert WIDE.gauge(float("nan"), 3) == "░░░"
    assert ASCII.gauge(0.5, 8) == "####...."


def test_a_bar_counts_in_half_cells() -> None:
    assert [WIDE.bar(share, 2) for share in (0, 0.25, 0.5, 1)] == ["", "╸", "━", "━━"]
    assert WIDE.bar(-1, 2) == ""
    assert ASCII.bar(0.5, 4) == "=="


def test_a_sparkline_leaves_a_gap_where_there_is_no_number() -> None:
    assert WIDE.sparkline([0, np.nan, 5, 10, 20], 10) == "▁ ▅██"
    assert ASCII.sparkline([0, 10], 10) == "_#"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (2.345, "2.35"),
        (23.45, "23.4"),
        (1234.5, "1,234"),
        (-0.001, "-0.0010"),
        (7.0, "7"),
        (np.int64(7), "7"),
        (np.nan, "–"),
        (np.inf, "∞"),
        (-np.inf, "-∞"),
        (None, "–"),
        (np.True_, "yes"),
        ("a\tb", r"a\tb"),
        (("C", 2), "('C', 2)"),
    ],
)
def test_figures_are_short(value: object, words: str) -> None:
    assert WIDE.figure(value) == words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (84.3274, "84.3 litres"),
        (np.inf, "∞"),
        (np.nan, "–"),
        (None, "–"),
        (np.True_, "yes"),
        ("little", "little"),
    ],
)
def test_only_finite_numbers_have_a_unit(value: object, shown: str) -> None:
    assert WIDE.quantity(value, FactSpec(unit="litres")) == shown


def test_a_label_stands_for_its_number_and_has_no_unit() -> None:
    gate = FactSpec(unit="of 2", labels=("closed", "open"))
    assert [WIDE.quantity(value, gate) for value in (0, 1.0, 2)] == ["closed", "open", "2 of 2"]


def test_units_stand_below_the_headings() -> None:
    catch = TerminalColumn("catch", [Text("12"), Text("3")], unit="fish")
    effort = TerminalColumn("effort", [Text("0.5"), Text("1")])
    table = layout_table(WIDE, [Text("a"), Text("b")], [effort, catch])
    assert [line.plain for line in table] == [
        "   effort  catch",
        "            fish",
        "a     0.5     12",
        "b       1      3",
    ]


def test_a_rounded_negative_is_no_minus_zero() -> None:
    assert WIDE.figure(-0.001, decimals=1) == "0.0"


def test_a_column_has_as_many_decimals_as_its_largest_value_needs() -> None:
    assert decimals_for(np.array([0.001, 250.5])) == 1
    assert decimals_for(np.array([np.nan, np.inf])) == 0


def test_a_trace_keeps_the_whole_course_in_bounded_room() -> None:
    trace = Trace()
    for number in range(100_000):
        trace.add(float(number))
    assert len(trace.samples) < 512
    spread = trace.spread(rounds=100_000, cells=10)
    assert spread == pytest.approx([5_000 + 10_000 * cell for cell in range(10)], abs=300)


def test_a_trace_of_half_the_rounds_fills_half_the_cells() -> None:
    trace = Trace()
    for _ in range(50):
        trace.add(1.0)
    assert len(trace.spread(rounds=100, cells=40)) == 20


@given(
    st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=8),
    st.integers(20, 120),
)
def test_flowing_items_never_leave_the_page(items: list[str], width: int) -> None:
    texts = [WIDE.text(item) for item in items]
    lines = list(flow_items(texts, width, label=Text("label"), gutter=8, gap="   "))
    assert all(line.cell_len <= width for line in lines)
    assert lines[0].plain.startswith("label")
    kept = "".join("".join(line.plain for line in lines).split())
    assert kept == "label" + "".join("".join(item.plain for item in texts).split())


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5),
    st.integers(1, 9),
    st.integers(24, 120),
)
def test_a_table_never_leaves_the_page(values: list[float], count: int, width: int) -> None:
    ink = TerminalStyle("utf-8", width)
    columns = [number_column(ink, f"column {number}", np.array(values)) for number in range(count)]
    lines = list(layout_table(ink, [Text("somebody")] * len(values), columns))
    assert all(line.cell_len <= width for line in lines)
    headings = " ".join(line.plain for line in lines)
    assert all(f"column {number}" in headings for number in range(count))
