"""Tables as Markdown, CSV and LaTeX: numbers rounded to be read, and in full to be used."""

from __future__ import annotations

import csv
import io

import pytest

from society.lab.report.tables import Cell, Column, Form, Table
from society.lab.statistics.samples import Unanswerable


def shown(*cells: Cell, form: Form) -> list[str]:
    return Column("x", cells, form).shown()


@pytest.mark.parametrize(
    ("form", "cells", "expected"),
    [
        ("figure", (59.94, 8.5, 0.0), ["59.9", "8.5", "0.0"]),
        ("figure", (0.12345, 0.5), ["0.123", "0.500"]),
        ("figure", (3.0, 12.0), ["3", "12"]),
        ("figure", (-0.0001, 1.0), ["0.00", "1.00"]),
        ("figure", (12345.678,), ["12,345.7"]),
        ("count", (1234, 0), ["1,234", "0"]),
        ("statistic", (2.37,), ["2.37"]),
        ("share", (0.06,), ["0.060"]),
        ("p", (0.0009, 0.031, 1.0), ["<0.001", "0.031", "1.000"]),
        ("dollars", (0.0123, 0.00002, 0.0, None), ["0.0123", "<0.0001", "0", "unknown"]),
        ("text", ("a\nb", None), ["a b", "–"]),
        ("figure", (float("nan"), float("inf")), ["–", "inf"]),
    ],
)
def test_a_number_is_rounded_as_its_column_asks(
    form: Form, cells: tuple[Cell, ...], expected: list[str]
) -> None:
    assert shown(*cells, form=form) == expected


def test_what_could_not_be_computed_leads_to_the_reason() -> None:
    few = Unanswerable("1 value, at least 2 are needed")
    flat = Unanswerable("all values are 3")
    table = Table("t", "T", [Column("low", [few, 1.5, flat], "figure"), Column("n", [1, 2, few])])
    assert table.shown() == [("– [a]", "1"), ("1.50", "2"), ("– [b]", "– [a]")]
    assert table.remarks == ["[a] 1 value, at least 2 are needed", "[b] all values are 3"]


def test_csv_has_the_numbers_in_full_and_the_reasons_in_their_cells() -> None:
    few = Unanswerable("1 value, at least 2 are needed")
    columns = [
        Column("condition", ['a "b", c', "d"]),
        Column("mean", [1 / 3, float("nan")], "figure"),
        Column("low", [few, None], "figure"),
    ]
    rows = list(csv.reader(io.StringIO(Table("t", "T", columns).csv())))
    assert rows == [
        ["condition", "mean", "low"],
        ['a "b", c', "0.3333333333333333", "1 value, at least 2 are needed"],
        ["d", "", ""],
    ]


def test_markdown_escapes_what_would_be_markup() -> None:
    columns = [Column("a|b", ["x|y", "*z*"]), Column("p", [0.5, 0.0001], "p")]
    assert Table("t", "Fines [1]", columns, ["by <hand>"]).markdown() == (
        "**Fines \\[1\\]**\n"
        "\n"
        "| a\\|b | p |\n"
        "| :-- | --: |\n"
        "| x\\|y | 0.500 |\n"
        "| \\*z\\* | \\<0.001 |\n"
        "\n"
        "by \\<hand\\>  \n"
    )


def test_latex_escapes_what_would_be_commands() -> None:
    columns = [
        Column("lake_1", ["50% & more", r"\input{x}"]),
        Column("η²", [0.06, 0.02], "share"),
    ]
    assert Table("t", "Model × lake", columns, ["$5"]).latex() == (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{Model $\\times$ lake}\n"
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "lake\\_1 & $\\eta$\\textsuperscript{2} \\\\\n"
        "\\midrule\n"
        "50\\% \\& more & 0.060 \\\\\n"
        "\\textbackslash{}input\\{x\\} & 0.020 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\par\\smallskip\\footnotesize \\$5\n"
        "\\end{table}\n"
    )


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        Table("t", "T", [Column("a", ["x"]), Column("b", [1, 2], "count")]).shown()
