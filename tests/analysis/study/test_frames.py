"""Frames begin with the factors of each condition, say their units, and never lose a column."""

from __future__ import annotations

import numpy as np

from society.analysis.study.frames import (
    Columns,
    FrameColumn,
    FrameHeading,
    add_column,
    categories_in_order,
    data_frame,
    labelled_categories,
    strings,
)

HEADING = FrameHeading(
    names=["fine=none", "fine=10", "other"],
    levels={"fine": [None, 10], "lake": ["rich", "harsh"]},
    labels=[{"fine": None, "lake": "harsh"}, {"fine": 10, "lake": "rich"}, {"fine": 10}],
)


def test_every_row_of_a_condition_has_its_levels() -> None:
    table = data_frame(HEADING.columns([1, 2, 1]))
    assert list(table.columns) == ["fine", "lake", "condition"]
    assert table.fine.tolist() == ["none", 10, 10, 10]
    assert table.lake.tolist()[:3] == ["harsh", "rich", "rich"]
    assert table.lake.isna().tolist() == [False, False, False, True]
    assert table.condition.tolist() == ["fine=none", "fine=10", "fine=10", "other"]


def test_factors_are_categories_in_the_order_of_their_levels() -> None:
    table = data_frame(HEADING.columns([1, 1, 1]))
    assert table.lake.cat.categories.tolist() == ["rich", "harsh"]
    assert table.lake.cat.ordered
    assert table.lake.max() == "harsh"


def test_a_level_that_is_none_is_kept_by_groupings() -> None:
    rows = data_frame(
        {**HEADING.columns([2, 1, 1]), "catch": FrameColumn(np.array([1.0, 3.0, 5.0, 7.0]))}
    )
    means = rows.groupby("fine", observed=True).catch.mean()
    assert means.to_dict() == {"none": 2.0, 10: 6.0}


def test_numeric_levels_can_be_calculated_with() -> None:
    levels = data_frame(
        FrameHeading(["a", "b"], {"q": [0.5, 1]}, [{"q": 1}, {"q": 0.5}]).columns([1, 1])
    ).q
    assert levels.astype(float).tolist() == [1.0, 0.5]


def test_labels_come_in_their_order_and_other_words_after_them() -> None:
    values = np.array(["open", None, "closed", 7.0, np.nan, "open"], object)
    gate = labelled_categories(values, ["closed", "open", "broken"])
    assert gate.categories.tolist() == ["closed", "open", "broken", "7"]
    assert gate.codes.tolist() == [1, -1, 0, 3, -1, 1]


def test_many_conditions_still_have_a_name_each() -> None:
    names = [f"c{number}" for number in range(300)]  # more than a byte can number
    table = data_frame(FrameHeading(names, {}, [{}] * 300).columns([2] * 300))
    assert table.condition.tolist() == [name for name in names for _ in range(2)]


def test_a_name_that_is_taken_gets_a_suffix_rather_than_replacing_a_column() -> None:
    columns: Columns = {"wealth": FrameColumn(np.array([30]), "level")}
    add_column(columns, "wealth", FrameColumn(np.array([7.5]), "fish"))
    add_column(columns, "wealth", FrameColumn(np.array([1.0])))
    assert data_frame(columns).to_dict("records") == [
        {"wealth": 30, "wealth_value": 7.5, "wealth_value_value": 1.0}
    ]


def test_a_frame_has_the_units_of_its_columns() -> None:
    table = data_frame(
        {"catch": FrameColumn(np.zeros(2), "fish"), "who": FrameColumn(strings(["a", None]))}
    )
    assert table.attrs["units"] == {"catch": "fish", "who": ""}
    assert table.who.isna().tolist() == [False, True]


def test_arrays_are_held_and_not_copied() -> None:
    values = np.arange(5.0)
    assert np.shares_memory(data_frame({"catch": FrameColumn(values)}).catch.to_numpy(), values)


def test_blocks_of_rows_get_their_names_in_order_of_appearance() -> None:
    names = categories_in_order(["tell", "ask", "tell"], [1, 2, 1])
    assert list(names) == ["tell", "ask", "ask", "tell"]
    assert names.categories.tolist() == ["tell", "ask"]
