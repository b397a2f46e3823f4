"""The lineage in the terminal: whose lines go on, and how."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console

from society.lineage import Life, Lineage
from society.terminal.lineage_tree_text import print_ancestry


def lineage(
    *born: tuple[int, int, int | None],
    generations: int,
    strategies: Sequence[str] = (),
    agents: int = 10,
) -> Lineage:
    """Lives, each as its number, its last generation and its parent's number.

    Somebody's fitness in a generation is its number and half of it.
    """
    said = dict(enumerate(strategies))
    lives = [
        Life(
            number,
            f"{number // agents + 1}_{number % agents + 1}",
            seat=number % agents,
            born=number // agents + 1,
            last=last,
            parent=parent,
            advisers=(),
            strategy=said.get(place, ""),
            fitness=(1.5 * number,) * (last - number // agents),
        )
        for place, (number, last, parent) in enumerate(born)
    ]
    return Lineage({life.number: life for life in lives}, generations)


def printed(
    shown: Lineage, *, width: int = 80, encoding: str = "utf-8", others: int = 0
) -> list[str]:
    file = io.TextIOWrapper(io.BytesIO(), encoding)
    print_ancestry(shown, Console(file=file, width=width), others)
    file.seek(0)
    return [line.rstrip() for line in file.read().splitlines()]


FAMILY = lineage(
    (0, 2, None),  # 1_1: parent of 2_1 and of 2_2, whose line ends
    (1, 1, None),  # 1_2: dies without children
    (10, 2, 0),  # 2_1: has one child, 3_1
    (11, 2, 0),
    (20, 4, 10),  # 3_1: lives in the end, as does its child
    (21, 4, 0),  # 3_2
    (30, 4, 20),  # 4_1
    generations=4,
)


def test_those_who_live_hang_from_the_founders_from_whom_they_descend() -> None:
    assert printed(FAMILY) == [
        "lineage · 7 lives in 4 generations · lines of 1 of 2 founders survive",
        "all descend from 1_1",
        "1_1 · until 2 · fitness 0 · 1 line ended",
        "├── 2_1 > 3_1 · fitness 30",
        "│   └── 4_1 · fitness 45",
        "└── 3_2 · fitness 31.5",
    ]


def test_a_founder_who_lives_alone_is_a_tree_of_its_own() -> None:
    alone = lineage((0, 1, None), (1, 1, None), generations=1)
    assert printed(alone) == [
        "lineage · 2 lives in 1 generation · lines of 2 of 2 founders survive",
        "1_1 · fitness 0",
        "1_2 · fitness 1.50",
    ]


def test_strategies_of_those_who_live_stand_below_their_names() -> None:
    words = ["Give half.", "Give all to those who gave and " + "so on and " * 20 + "never punish."]
    told = lineage((0, 1, None), (10, 2, 0), (11, 2, 0), generations=2, strategies=["", *words])
    lines = printed(told)
    assert lines[2:5] == [
        "1_1 · until 1 · fitness 0",
        "├── 2_1 · fitness 15",
        '│   "Give half."',
    ]
    assert lines[5:7] == ["└── 2_2 · fitness 16.5", lines[6]]
    quote = " ".join("".join(line + " " for line in lines[6:]).split())
    assert re.fullmatch('"Give all to those who gave and .* … .* never punish."', quote)


def test_a_life_stands_below_its_most_alike_adviser_and_that_is_said_to_be_a_guess() -> None:
    """The genes of 2_1 are those of 1_1, drawn by chance; its words are more like those of 1_2."""
    said = ["keep all", "give half", "give half to all"]
    born = lineage((0, 1, None), (1, 1, None), (10, 2, 0), generations=2, strategies=said)
    child = born.lives[10]._replace(advisers=(0, 1))
    assert printed(Lineage({**born.lives, 10: child}, 2)) == [
        "lineage · 3 lives in 2 generations · lines of 1 of 2 founders survive",
        "1 birth placed by similarity of words, a guess",
        "1_2 > 2_1 · fitness 15",
        '"give half to all"',
    ]


def test_that_other_replicates_are_not_shown_is_said() -> None:
    assert printed(FAMILY, others=29)[0].startswith(
        "lineage of replicate 0 (29 more not shown) · 7 lives"
    )


def test_of_many_lives_sixty_are_drawn_and_the_others_counted() -> None:
    many = lineage(
        (0, 1, None), *((200 + child, 2, 0) for child in range(100)), generations=2, agents=200
    )
    lines = printed(many)
    assert lines[-1] == "└── and 41 more, 41 of them alive"
    assert len(lines) == 2 + 60 + 1


def test_of_many_founders_sixty_are_drawn_and_the_others_counted() -> None:
    lines = printed(lineage(*((number, 1, None) for number in range(75)), generations=1, agents=75))
    assert lines[-1] == "and 15 more founders"


def test_a_deep_tree_ends_with_how_many_are_below() -> None:
    """Every life has a child, and lives in the end itself."""
    chain = [(10 * depth, 30, 10 * (depth - 1) if depth else None) for depth in range(30)]
    lines = printed(lineage(*chain, generations=30))
    assert lines[-1].strip() == "└── and 20 more, 20 of them alive"


def test_a_terminal_without_utf_8_gets_ascii() -> None:
    lines = printed(FAMILY, encoding="ascii")
    assert lines[2:] == [
        "1_1 | until 2 | fitness 0 | 1 line ended",
        "+-- 2_1 > 3_1 | fitness 30",
        "|   `-- 4_1 | fitness 45",
        "`-- 3_2 | fitness 31.5",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_no_line_is_too_wide_and_no_word_is_obeyed(width: int) -> None:
    nasty = "[bold]x[/] \x1b[2J \u202e " + "long" * 30
    lines = printed(lineage((0, 1, None), generations=1, strategies=[nasty]), width=width)
    assert all(cell_len(line) <= width for line in lines)
    assert "[bold]x[/]" in " ".join(lines)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", "".join(lines))
