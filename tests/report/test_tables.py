"""Tables as Markdown, CSV and LaTeX: numbers rounded to be read, and in full to be used."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from society.analysis.statistics.samples import NotEstimable
from society.report.latex import escape_latex
from society.report.tables import CellValue, ColumnFormat, Table, TableColumn


def shown(*cells: CellValue, form: ColumnFormat) -> list[str]:
    return TableColumn("x", cells, form).rounded()


@pytest.mark.parametrize(
    ("form", "cells", "expected"),
    [
        ("figure", (59.94, 8.5, 0.0), ["59.9", "8.5", "0"]),
        ("figure", (0.12345, 0.5), ["0.123", "0.500"]),
        ("figure", (3.0, 12.0), ["3", "12"]),
        ("figure", (-0.0001, 1.0), ["0", "1"]),
        ("figure", (1.5, 2.0), ["1.5", "2.0"]),
        ("figure", (12345.678,), ["12,345.7"]),
        ("count", (1234, 0), ["1,234", "0"]),
        ("statistic", (2.37,), ["2.37"]),
        ("share", (0.06, 0.0), ["0.06", "0"]),
        ("p", (0.0009, 0.031, 1.0), ["<0.001", "0.031", "1.000"]),
        ("dollars", (0.0123, 0.00002, 0.0, None), ["0.0123", "<0.0001", "0", "unknown"]),
        ("text", ("a\nb", None), ["a b", "–"]),
        ("figure", (float("nan"), float("inf")), ["–", "inf"]),
    ],
)
def test_a_number_is_rounded_as_its_column_asks(
    form: ColumnFormat, cells: tuple[CellValue, ...], expected: list[str]
) -> None:
    assert shown(*cells, form=form) == expected


def test_what_could_not_be_computed_leads_to_the_reason() -> None:
    few = NotEstimable("1 value, at least 2 are needed")
    flat = NotEstimable("all values are 3")
    table = Table(
        "t", "T", [TableColumn("low", [few, 1.5, flat], "figure"), TableColumn("n", [1, 2, few])]
    )
    assert table.rows == [("– [a]", "1"), ("1.5", "2"), ("– [b]", "– [a]")]
    assert table.remarks == ["[a] 1 value, at least 2 are needed", "[b] all values are 3"]


def test_an_interval_stands_beside_its_number_with_the_digits_that_its_width_deserves() -> None:
    few, far = NotEstimable("1 value, at least 2 are needed"), float("nan")
    columns = [
        TableColumn("mean", [62.0123, 7.25, 1 / 3, 9.0], "figure"),
        TableColumn("t from", [56.0812, few, -2.04, 1.5], "figure"),
        TableColumn("t to", [67.9434, few, 2.7066, far], "figure"),
        TableColumn("bootstrap from", [56.23, few, None, 1.0], "figure"),
        TableColumn("bootstrap to", [67.88, few, None, 16.0], "figure"),
    ]
    table = Table("t", "T", columns)
    assert [column.heading for column in table.shown] == ["mean [t]", "bootstrap"]
    assert table.rows == [
        ("62.0 [56.1, 67.9]", "[56.2, 67.9]"),
        ("7.2 [a]", "[a]"),
        ("0.3 [-2.0, 2.7]", "–"),
        ("9.0 [1.5, –]", "[1.0, 16.0]"),
    ]
    assert table.csv().splitlines()[0] == "mean,t from,t to,bootstrap from,bootstrap to"


def test_deterministic_numbers_have_no_digits_of_an_error() -> None:
    columns = [TableColumn(name, [1.5, 3.0], "share") for name in ("rank", "95 % from", "95 % to")]
    assert Table("t", "T", columns).rows == [("1.5 [1.5, 1.5]",), ("3.0 [3.0, 3.0]",)]


def test_csv_has_the_numbers_in_full_and_the_reasons_in_their_cells() -> None:
    few = NotEstimable("1 value, at least 2 are needed")
    columns = [
        TableColumn("condition", ['a "b", c', "d"]),
        TableColumn("mean", [1 / 3, float("nan")], "figure"),
        TableColumn("low", [few, None], "figure"),
    ]
    rows = list(csv.reader(io.StringIO(Table("t", "T", columns).csv())))
    assert rows == [
        ["condition", "mean", "low"],
        ['a "b", c', "0.3333333333333333", "1 value, at least 2 are needed"],
        ["d", "", ""],
    ]


def test_no_cell_of_a_csv_is_a_formula() -> None:
    cells = ["=1+1", "+49 30", "-x", "@sum", "\tx", "-0.5", "+1e-05", "a=b", "–"]
    columns = [TableColumn("=cmd", cells), TableColumn("n", [-1] * len(cells), "count")]
    head, *rows = csv.reader(io.StringIO(Table("t", "T", columns).csv()))
    assert head == ["'=cmd", "n"]
    assert [row[0] for row in rows] == [
        *("'=1+1", "'+49 30", "'-x", "'@sum", "'    x", "-0.5", "+1e-05", "a=b", "–")
    ]
    assert {row[1] for row in rows} == {"-1"}


def test_markdown_escapes_what_would_be_markup() -> None:
    columns = [TableColumn("a|b", ["x|y", "*z*"]), TableColumn("p", [0.5, 0.0001], "p")]
    assert Table("t", "Fines [1]", columns, ["by <hand>"]).markdown() == (
        "**Fines \\[1\\]**\n"
        "\n"
        "| a\\|b | p |\n"
        "| :-- | --: |\n"
        "| x\\|y | 0.5 |\n"
        "| \\*z\\* | \\<0.001 |\n"
        "\n"
        "by \\<hand\\>  \n"
    )


def test_latex_escapes_what_would_be_commands() -> None:
    columns = [
        TableColumn("lake_1", ["50% & more", r"\input{x}"]),
        TableColumn("η²", [0.06, 0.02], "share"),
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
        "50\\% \\& more & 0.06 \\\\\n"
        "\\textbackslash{}input\\{x\\} & 0.02 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\par\\smallskip\\footnotesize \\$5\n"
        "\\end{table}\n"
    )


# Everything that our tables say, what a model may say, and what LaTeX reads in its own way.
AWKWARD = [
    *("[a]", "*", "● reproduced", "◐ in part", "○ not reproduced", "– [a]", "ε² ≥ 0.5 · ≠ → ∞"),
    *("«Größe», ‹ça›, Łódź, naïve, Ågren", "‘x’ “y” — z…", "$5 & 50 % {#1} ~ ^ _ < > |", "−3 °C"),
    *(r"\input{x}", "鱼", "🐟", "½ ﬁ\u00a0x", "e\u0301", "\u0301", ""),
]


def awkward(rows: int) -> Table:
    cells = [AWKWARD[row % len(AWKWARD)] for row in range(rows)]
    words = [TableColumn(f"*{name}", [cell * 5 for cell in cells], "words") for name in "xyz"]
    return Table("t", "[ε²]", [TableColumn("[η²]", cells), *words], AWKWARD)


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("ε² ≥ 0", r"$\varepsilon$\textsuperscript{2} $\geq$ 0"),
        ("«a»", r"$\ll$a$\gg$"),
        ("●◐○", r"$\bullet$$\odot$$\circ$"),
        ("é ç Ł", r"\'{e} \c{c} \L{}"),
        ("[a]", "{[}a]"),
        ("½ ﬁ", "{[}U+00BD] fi"),
        ("鱼", "{[}U+9C7C]"),
    ],
)
def test_signs_that_plain_fonts_lack_are_spelled(text: str, spelled: str) -> None:
    assert escape_latex(text) == spelled


@pytest.mark.parametrize("rows", [18, 40, 41])
def test_latex_is_ascii_in_balanced_braces(rows: int) -> None:
    latex = awkward(rows).latex()
    assert latex.isascii()
    bare = re.sub(r"\\[\\{}]", "", latex)
    depths = [bare[:end].count("{") - bare[:end].count("}") for end in range(len(bare) + 1)]
    assert min(depths) == depths[-1] == 0
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", latex) for word in ("begin", "end"))
    assert begun == ended[::-1] == (["table", "tabular"] if rows <= 40 else ["longtable"])


def test_no_row_begins_with_what_would_be_an_option_of_the_one_before() -> None:
    latex = awkward(len(AWKWARD)).latex()
    assert not re.findall(r"(?:\\\\|rule)\s*[\[*]", latex)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_columns_of_words_share_the_line(count: int) -> None:
    words = [TableColumn(f"w{place}", ["some words " * 20], "words") for place in range(count)]
    latex = Table("t", "T", [TableColumn("outcome", ["◐ in part"]), *words]).latex()
    widths = [float(width) for width in re.findall(r"p\{([\d.]+)\\linewidth", latex)]
    assert len(widths) == count
    assert 0.5 < sum(widths) < 0.8


def test_what_is_wider_than_a_line_is_made_smaller() -> None:
    def latex(columns: int, rows: int) -> str:
        cells = [1.5] * rows
        numbers = [TableColumn(f"number {place}", cells, "figure") for place in range(columns)]
        return Table("t", "T", numbers).latex()

    assert "resizebox" not in latex(5, 9)
    assert "% needs \\usepackage{booktabs, graphicx}\n" in latex(14, 9)
    assert "\\resizebox{\\linewidth}{!}{%\n\\begin{tabular}" in latex(14, 9)
    assert "\\end{tabular}}\n" in latex(14, 9)
    assert "\\scriptsize" in latex(14, 41)


@pytest.mark.thorough
def test_latex_compiles(tmp_path: Path) -> None:
    if not shutil.which("pdflatex"):
        missing = "pdflatex is needed to compile tables (texlive-latex-recommended)"
        if os.environ.get("SOCIETY_LATEX_TESTS") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    packages = r"\usepackage{booktabs, graphicx, longtable}"
    wide = Table("t", "T", [TableColumn(f"_{place}^", [1.5], "figure") for place in range(30)])
    tables = [awkward(len(AWKWARD)), awkward(40), awkward(60), wide]
    body = "\n".join(table.latex() for table in tables)
    (tmp_path / "t.tex").write_text(
        rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        Table("t", "T", [TableColumn("a", ["x"]), TableColumn("b", [1, 2], "count")]).csv()
