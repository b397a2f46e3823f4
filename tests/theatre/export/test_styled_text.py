"""Lines keep their styles, and colours can be read on light and on dark paper."""

from __future__ import annotations

import pytest
from rich.style import Style
from rich.text import Text

from society.theatre.export.styled_text import (
    THEMES,
    Theme,
    class_names,
    contrast,
    style_rules,
    styled_runs,
)


def test_a_line_is_split_where_its_style_changes() -> None:
    line = Text("stock ", "bold").append("184.6", "green").append(" fish")
    assert [(run.text, class_names(run.style), run.cells) for run in styled_runs(line)] == [
        ("stock ", "b", 6),
        ("184.6", "b c2", 5),
        (" fish", "b", 5),
    ]


def test_a_line_of_one_style_keeps_it_and_wide_signs_take_two_cells() -> None:
    ((text, style, cells),) = styled_runs(Text("漁業", "red"))
    assert (text, class_names(style), cells) == ("漁業", "c1", 4)


def test_what_cannot_be_printed_is_replaced() -> None:
    assert [run.text for run in styled_runs(Text("a\x1b[31m\u202eb\u2028"))] == [
        "a\ufffd[31m\ufffdb\ufffd"
    ]


def test_links_and_notes_of_a_style_are_left_out() -> None:
    ((_, style, _),) = styled_runs(Text("x", Style(bold=True, link="http://example.org")))
    assert style == Style(bold=True)


def test_turned_around_and_dim_styles_have_classes_of_their_own() -> None:
    names = [class_names(Style.parse(one)) for one in ("reverse", "reverse red", "dim", "dim red")]
    assert names == ["cpaper gink", "g1", "d", "e c1"]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_every_colour_is_legible(theme: Theme) -> None:
    shown = [*theme.colours, theme.ink]
    assert min(contrast(colour, theme.paper) for colour in shown) >= 4.5
    bright = [class_names(Style.parse(one)) for one in ("#ffff00", "#000000", "color(226)")]
    rules = "".join(style_rules(bright, theme))
    colours = [part[:7] for part in rules.split("color:")[1:]]
    assert len(colours) == 2  # color(226) is #ffff00 as well
    assert min(contrast(colour, theme.paper) for colour in colours) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_ink_is_legible_on_every_background(theme: Theme) -> None:
    names = [class_names(Style(bgcolor=f"color({number})")) for number in range(16)]
    backs = [part[:7] for part in "".join(style_rules(names, theme)).split("background:")[1:]]
    assert len(backs) == 16
    assert min(contrast(theme.ink, back) for back in backs) >= 7
