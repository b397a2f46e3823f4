"""The printed history: what happened can be read, whatever terminal it is read on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.cells import cell_len

from society.engine.fact_specs import FactSpec
from society.engine.history import Page
from society.engine.scenario import DisplaySpec
from society.errors import InputError
from tests.terminal.table_text import without_bars

if TYPE_CHECKING:
    from tests.terminal.conftest import Hand

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def first_two_rounds(hand: Hand) -> list[Page]:
    """In the first replicate agent 2 is fined to death; in the second the lake collapses."""
    opening = hand.page(
        0,
        hand.ask("propose", "amount", {("common", "cap"): [[np.inf]] * 2, **said([[4, 9, 7]] * 2)}),
        hand.tell("adopted", {("common", "cap"): [[7.0]] * 2}),
        public={"belief": [[4.0, 9.0, 7.0]] * 2},
        present=[[True] * 3] * 2,
        running=[[True]] * 2,
    )
    first = hand.page(
        1,
        hand.ask("effort", "amount", {("common", "cap"): [[7.0]] * 2, **said([[0.1] * 3] * 2)}),
        hand.tell(
            "harvested",
            {("seen net", "catch"): [[3.25, 5, 12.5]] * 2, ("common", "limit"): [[7.0]] * 2},
        ),
        hand.ask("punish", "peer on net", said([[2, -1, -1], [-1, -1, -1]])),
        hand.tell("paid", {("own", "wealth"): [[10.0, 20, -1.5], [1, 2, 3]]}),
        hand.tell("starved", {("gone", ""): [[False] * 3] * 2}),
        hand.tell("fined_to_death", {("gone", ""): [[False, False, True], [False] * 3]}),
        hand.tell("regrown", {("common", "stock"): [[60.0], [0.5]]}),
        hand.tell("collapsed", {("ends", ""): [[False], [True]]}),
        hand.ask("imitate", "peer on net", said([[-1, 0, -1], [-1, -1, -1]])),
        hand.ask("propose", "amount", {("common", "cap"): [[7.0]] * 2, **said([[4, 4.5, 0]] * 2)}),
        hand.tell("adopted", {("common", "cap"): [[4.25]] * 2}),
        public={"belief": [[4.0, 4.5, np.nan]] * 2},
        present=[[True, True, False], [True] * 3],
        running=[[True], [False]],
    )
    second = hand.page(
        2,
        hand.tell("regrown", {("common", "stock"): [[72.0], [0.5]]}),
        present=[[True, True, False], [True] * 3],
        running=[[True], [False]],
    )
    return [opening, first, second]


def said(answers: Any) -> dict[tuple[str, str], Any]:
    return {("answer", ""): answers}


@pytest.fixture
def story(hand: Hand) -> str:
    manifest = hand.manifest(replicates=2)
    return hand.told(hand.recorded(*first_two_rounds(hand), manifest=manifest))


def chapter(story: str, title: str) -> list[str]:
    """The lines of one round."""
    return story.partition(title)[2].split("\n\n")[0].splitlines()


def first_table(hand: Hand, page: Page, **manifest: Any) -> list[str]:
    """The table of round 1, of which a run consists, without its title, bars and gaps."""
    run = hand.recorded(hand.page(0), page, manifest=hand.manifest(**manifest))
    return without_bars(chapter(hand.told(run), "Round 1"))[1:]


def rows(story: str, title: str) -> list[str]:
    """The table of one round, without its bars and gaps."""
    lines = without_bars(chapter(story, title))
    start = next(number for number, line in enumerate(lines) if line.startswith("type catch"))
    return lines[start : start + 4]


def test_a_round_opens_with_who_is_left_and_what_is_left(story: str) -> None:
    title, stock, *_ = chapter(story, "Round 1 of 10")
    assert title.endswith("─ 3 of 3 alive")
    assert re.fullmatch("stock      █+[▉-▏]?░+  60 of 100", stock)
    assert stock.count("█") / sum(map(stock.count, "█▊░")) == pytest.approx(0.6, abs=0.03)


def test_agents_are_present_unless_the_stage_has_a_word_for_it(hand: Hand) -> None:
    felling = hand.manifest(stage=DisplaySpec(columns=("wood",)))
    told = hand.told(hand.recorded(hand.page(0), hand.page(1), manifest=felling))
    assert chapter(told, "Round 1 of 10")[0].endswith("─ 3 of 3 present")


def test_the_change_of_the_stock_is_told_from_the_second_round_on(story: str) -> None:
    title, stock, *_ = chapter(story, "Round 2 of 10")
    assert title.endswith("─ 2 of 3 alive")
    assert stock.endswith("72 of 100  ▲ 12")


def test_each_villager_has_a_row_of_figures_and_bars(story: str) -> None:
    assert rows(story, "Round 1") == [
        "type catch wealth belief",
        "agent 0 altruist 3.2 10.0 4.00",
        "agent 1 altruist 5.0 20.0 4.50",
        "agent 2 selfish 12.5! -1.5 –",
    ]


def test_who_fined_and_copied_whom_and_who_died_of_what_is_told(story: str) -> None:
    assert "1 fined    agent 0 fined agent 2\n" in story
    assert "1 copied   agent 1 copied agent 0\n" in story
    assert "fined to death  agent 2\n" in story
    assert "starved" not in story


def test_the_norm_is_told_with_how_it_was_chosen(story: str) -> None:
    assert "cap        none → 7   the median of 3 proposals, 4 to 9\n" in story
    # The dead propose nothing.
    assert "cap        7 → 4.25   the median of 2 proposals, 4 to 4.50\n" in story


def test_another_replicate_can_be_told_and_the_others_are_counted(hand: Hand) -> None:
    run = hand.recorded(*first_two_rounds(hand), manifest=hand.manifest(replicates=2))
    other = hand.told(run, replicate=1)
    assert "replicate 1 (1 more not shown)" in other
    assert "ended      the lake collapsed" in other
    assert "Round 2" not in other


def test_what_ended_in_other_replicates_is_told_in_a_line(story: str) -> None:
    assert chapter(story, "Round 1 of 10")[-1] == (
        "elsewhere  replicate 1 ended: the lake collapsed"
    )


def test_the_history_can_start_later(hand: Hand) -> None:
    run = hand.recorded(*first_two_rounds(hand), manifest=hand.manifest(replicates=2))
    late = hand.told(run, start=2)
    assert "Round 1 " not in late
    assert "Before" not in late
    assert "2 of 3 alive" in late


def test_a_round_or_replicate_that_is_not_there_is_refused(hand: Hand) -> None:
    run = hand.recorded(*first_two_rounds(hand), manifest=hand.manifest(replicates=2))
    with pytest.raises(InputError, match="no round 3; the record goes from round 0 to 2"):
        hand.told(run, start=3)
    with pytest.raises(InputError, match="no replicate 2; give --replicate a number from 0 to 1"):
        hand.told(run, replicate=2)


def test_a_run_that_was_cut_off_says_so(hand: Hand) -> None:
    pages = first_two_rounds(hand)
    run = hand.recorded(*pages, manifest=hand.manifest(replicates=2), status="interrupted")
    assert hand.told(run).endswith("So far 2 of 10 rounds; the run was interrupted.\n")


def test_a_vote_is_told_with_its_winner_first(hand: Hand) -> None:
    ballot = {("options", ""): [[2.0, 5.0, 6.0], [2.0, 5.0, np.nan]]}
    everybody: dict[str, Any] = {"present": [[True] * 3] * 2, "running": [[True]] * 2}
    page = hand.page(
        1,
        hand.ask("propose", "amount", said([[2, 5, 6], [2, 5, 5]])),
        hand.ask("vote", "choice", {**said([[0, 2, 2], [1, 1, 0]]), **ballot}),
        hand.tell("adopted", {("common", "cap"): [[6.0], [5.0]]}),
        **everybody,
    )
    run = hand.recorded(hand.page(0, **everybody), page, manifest=hand.manifest(replicates=2))
    assert "cap        6   the plurality of 3 votes: 2 for 6, 1 for 2\n" in hand.told(run)


@pytest.mark.parametrize(
    "stage", [DisplaySpec(), DisplaySpec(endings={"felled": "the wood was felled"})]
)
def test_a_scenario_that_names_nothing_to_show_shows_all_that_it_tells(
    hand: Hand, stage: DisplaySpec
) -> None:
    page = hand.page(
        1,
        hand.ask("move", "choice C/D", said([[0, 1, 1]])),
        hand.ask("greet", "peer on all", said([[1, -1, -1]])),
        hand.tell("paid", {("own", "coins"): [[3, 0, 5]], ("common", "pot"): [[8.0]]}),
    )
    assert first_table(hand, page, stage=stage) == [
        "type move coins",
        "agent 0 altruist C 3",
        "agent 1 altruist D 0",
        "agent 2 selfish D 5",
        "1 greet agent 0 greet agent 1",
        "pot 8",
    ]


def test_a_crowd_is_told_by_a_dozen_and_quantiles(hand: Hand) -> None:
    agents = 1000
    page = hand.page(
        1,
        hand.tell("paid", {("own", "wealth"): [np.arange(agents)]}),
        hand.ask("punish", "peer on net", said([[0] * agents])),
        present=[[True] * agents],
    )
    everybody = [{"name": "villager", "seats": list(range(agents))}]
    manifest = hand.manifest(agents=agents, cohorts=everybody)
    opening = hand.page(0, present=[[True] * agents])
    lines = chapter(hand.told(hand.recorded(opening, page, manifest=manifest)), "Round 1")
    named = [line for line in lines if re.match("agent [0-9]+ +[0-9]+$", line)]
    assert len(named) == 12
    rest = without_bars(lines[14:18])
    assert rest == ["988 more", "10 % 111", "median 506", "90 % 900"]
    assert len(lines) < 40
    assert lines[-1].endswith("and 988 more")


def test_without_details_the_measures_of_each_round_are_shown(hand: Hand) -> None:
    measures = [
        {"name": "gini", "unit": "", "fold": "last"},
        {"name": "survival_time", "unit": "rounds", "fold": "first"},
    ]
    pages = [
        hand.page(
            number,
            hand.tell("collapsed", {("ends", ""): [[False], [number == 2]]}),
            measures={"gini": [0.25, last], "survival_time": [0.0, 0.0]},
            present=[[True] * 3] * 2,
            running=[[True], [number < 2]],
        )
        for number, last in ((0, np.nan), (1, 0.5), (2, 0.3), (3, np.nan))
    ]
    manifest = hand.manifest(replicates=2, level="summary", measures=measures)
    text = hand.told(hand.recorded(*pages, manifest=manifest))
    assert "Details were not recorded (level summary)" in text
    table = without_bars(text.splitlines())
    assert table[table.index("gini") :][:5] == [
        "gini",
        "round 1 0.38",
        "round 2 0.28",
        "round 3 0.25",
        "round 2 replicate 1 ended: the lake collapsed",
    ]


@pytest.mark.parametrize("width", [8, 24, 40, 59, 80, 200])
def test_no_line_is_longer_than_the_terminal_is_wide(hand: Hand, width: int) -> None:
    run = hand.recorded(*first_two_rounds(hand), manifest=hand.manifest(replicates=2))
    for line in hand.told(run, width=width).splitlines():
        assert cell_len(line) <= width
        assert line == line.rstrip() or width < 20


def test_columns_that_do_not_fit_follow_below(hand: Hand) -> None:
    run = hand.recorded(*first_two_rounds(hand), manifest=hand.manifest(replicates=2))
    lines = [" ".join(line.split()) for line in hand.told(run, width=24).splitlines()]
    start = lines.index("type catch")
    assert lines[start : start + 6] == [
        "type catch",
        "agent 0 altruist 3.2",
        "agent 1 altruist 5.0",
        "agent 2 selfish 12.5!",
        "wealth belief",
        "agent 0 10.0 4.00",
    ]


def test_a_terminal_without_utf_8_gets_ascii(hand: Hand) -> None:
    run = hand.recorded(*first_two_rounds(hand), manifest=hand.manifest(replicates=2))
    text = hand.told(run, encoding="ascii")
    assert re.search(r"stock      #+\.+  60 of 100", text)
    assert "cap        none -> 7" in text
    assert "agent 0  altruist   3.2  ==" in text


def test_no_color_leaves_no_colour_but_every_mark(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = hand.recorded(*first_two_rounds(hand), manifest=hand.manifest(replicates=2))
    coloured = hand.told(run, colour=True)
    assert "\x1b[31m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    plain = hand.told(run, colour=True)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain)
    assert COLOUR.sub("", plain) == COLOUR.sub("", coloured)
    assert "12.5!" in plain


NASTY = "[bold]x[/] [link=http://e.vil]\x1b]0;own\x07\x1b[2J\r\n\u202egnp.exe"


def test_words_of_others_are_shown_and_never_obeyed(hand: Hand) -> None:
    stage = DisplaySpec(
        columns=("motto",), links={"punish": NASTY}, notes={NASTY: {}}, limits={NASTY: NASTY}
    )
    words = np.array([[NASTY, NASTY, "fine"]], object)
    page = hand.page(
        1,
        hand.ask("punish", "peer on net", said([[2, -1, -1]])),
        hand.tell(NASTY, {("own", "motto"): words, ("common", NASTY): words[:, :1]}),
        hand.tell(NASTY + "!", {("gone", ""): [[True, False, False]], ("ends", ""): [[True]]}),
        present=[[False, True, True]],
        running=[[False]],
    )
    cohorts = [{"name": NASTY, "seats": [0, 1, 2]}]
    manifest = hand.manifest(scenario=NASTY, cohorts=cohorts, stage=stage)
    run = hand.recorded(hand.page(0), page, manifest=manifest)
    for width in (40, 200):
        text = COLOUR.sub("", hand.told(run, colour=True, width=width))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
        assert "[bold]x[/]" in text
        assert r"\x1b]0;own\x07" in text
        assert all(cell_len(line) <= width for line in text.splitlines())


def test_declared_units_and_labels_stand_in_the_place_of_bare_numbers(hand: Hand) -> None:
    """Nobody has to know what 0 and 1 stand for, nor what is counted."""
    facts = {
        "catch": FactSpec("Fish caught", unit="kg"),
        "gate": FactSpec(labels=("closed", "open")),
        "quota": FactSpec(unit="fish a day"),
        "stock": FactSpec(unit="tons"),
    }
    stage = DisplaySpec(gauge=("stock", "capacity"), columns=("catch", "gate"), notes={"quota": {}})
    told = hand.tell(
        "paid",
        {
            ("own", "catch"): [[3, 0, 5]],
            ("own", "gate"): [[1, 0, 1]],
            ("common", "quota"): [[8.0]],
            ("common", "stock"): [[25.0]],
        },
    )
    assert first_table(hand, hand.page(1, told), stage=stage, facts=facts) == [
        "stock 25 of 100 tons",
        "type catch gate",
        "kg",
        "agent 0 altruist 3 open",
        "agent 1 altruist 0 closed",
        "agent 2 selfish 5 open",
        "quota 8 fish a day",
    ]
