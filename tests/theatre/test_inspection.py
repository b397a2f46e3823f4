"""The inspector: an agent's page, its exchanges, and a round through its eyes.

Some pages are kept as text; SOCIETY_GOLDEN=rewrite pytest tests/theatre writes them anew.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.terminal.console import TerminalStyle
from society.theatre.draw import draw, scroll_within
from society.theatre.events import events
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.inspection import AGENT, EXCHANGE, EYES
from society.theatre.keys import press
from society.theatre.view import View

if TYPE_CHECKING:
    from tests.theatre.conftest import Record

PAGES = Path(__file__).parent / "pages"
UTF8 = TerminalStyle("utf-8", 80)
SMALL, LARGE, TALL = Size(80, 24), Size(120, 40), Size(120, 200)


def pressed(history: History, view: View, *keys: str) -> View:
    """The view after some keys."""
    for key in keys:
        view = press(history, view, key, key if len(key) == 1 else None)
    return view


def shown(history: History, view: View, size: Size = TALL) -> str:
    return draw(history, view, size, UTF8).plain


def check(history: History, view: View, name: str, *sizes: Size) -> None:
    kept = PAGES / f"{name}.txt"
    text = "\n".join(shown(history, view, size) for size in sizes)
    if os.environ.get("SOCIETY_GOLDEN") == "rewrite":
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")


def test_enter_leads_from_an_agent_to_its_page_to_an_exchange_and_escape_back(
    thinkers: History,
) -> None:
    view = pressed(thinkers, View(round=2, agent=1), "enter")
    assert view.screen == AGENT
    view = pressed(thinkers, view, "down", "enter")
    assert (view.screen, view.exchange) == (EXCHANGE, 1)
    assert "villager 1 · punish · 2 of" in shown(thinkers, view)
    view = pressed(thinkers, view, "tab", "shift+tab", "shift+tab")
    assert "villager 1 · effort · 1 of" in shown(thinkers, view)
    assert pressed(thinkers, view, "escape").screen == AGENT
    assert pressed(thinkers, view, "escape", "escape").screen == ""


def test_enter_on_an_event_opens_the_exchange_behind_it(thinkers: History) -> None:
    found = events(thinkers, View(round=2), UTF8)
    (place,) = [at for at, one in enumerate(found) if one.question == "punish"][:1]
    view = pressed(thinkers, View(round=2, pane="events", event=place), "enter")
    assert (view.screen, view.agent) == (EXCHANGE, found[place].agent)
    assert f"villager {found[place].agent} · punish" in shown(thinkers, view)


def test_changes_are_offered_where_a_model_was_asked(thinkers: History, village: History) -> None:
    asked, ruled = (View(round=2, agent=1, screens=(EXCHANGE,)) for _ in range(2))
    assert pressed(thinkers, asked, "d").changes
    assert not pressed(village, ruled, "d").changes
    assert "d changes" in shown(thinkers, asked)
    assert "d changes" not in shown(village, ruled)


def test_enter_on_nobody_says_what_to_do(thinkers: History) -> None:
    view = pressed(thinkers, View(round=2), "enter")
    assert (view.screen, view.note) == ("", "choose an agent first, with the arrows")
    assert pressed(thinkers, View(round=2), "e").note == view.note


def test_rounds_and_agents_change_on_every_page(thinkers: History) -> None:
    view = View(round=2, agent=1, screens=(EYES,))
    assert "this round, as villager 1 was told of it" in shown(thinkers, view)
    assert "as villager 2 was told of it" in shown(thinkers, pressed(thinkers, view, "tab"))
    assert "as villager 0 was told of it" in shown(thinkers, pressed(thinkers, view, "shift+tab"))
    assert pressed(thinkers, view, "left").round == 1
    assert pressed(thinkers, view, "e").screen == ""


def test_the_exchange_of_a_language_mind_is_shown_as_it_was(thinkers: History) -> None:
    view = View(round=2, agent=1, screens=(EXCHANGE,))
    check(thinkers, view, "exchange", SMALL, LARGE)


def test_the_changes_of_a_prompt_are_shown_as_they_were(thinkers: History) -> None:
    view = pressed(thinkers, View(round=2, agent=0, screens=(EXCHANGE,)), "d")
    check(thinkers, view, "changes", Size(100, 70))


def test_an_exchange_of_a_rule_is_shown_as_it_was(village: History) -> None:
    check(village, View(round=2, agent=1, screens=(EXCHANGE,)), "rule", SMALL, LARGE)


def test_the_page_of_an_agent_is_shown_as_it_was(thinkers: History, village: History) -> None:
    check(thinkers, View(round=3, agent=2, screens=(AGENT,)), "agent", SMALL, LARGE)
    check(village, View(round=village.last, agent=3, screens=(AGENT,)), "rule_agent", SMALL)


def test_a_round_through_the_eyes_of_an_agent_is_shown_as_it_was(thinkers: History) -> None:
    check(thinkers, View(round=2, agent=1, screens=(EYES,)), "eyes", SMALL, LARGE)


@pytest.mark.parametrize("size", [Size(60, 16), SMALL, Size(200, 60)])
@pytest.mark.parametrize("screen", [AGENT, EXCHANGE, EYES])
def test_pages_fit_and_obey_no_words_of_agents(thinkers: History, screen: str, size: Size) -> None:
    for number in range(thinkers.last + 1):
        for place in range(5):
            view = View(round=number, agent=2, exchange=place, changes=place % 2 == 1)
            frame = draw(thinkers, view.open(screen), size, UTF8)
            assert {line.cell_len for line in frame.lines} == {size.width}
            assert frame.plain.replace("\n", "").isprintable()
            assert "\u202e" not in frame.plain


def test_a_long_prompt_loses_no_word_by_being_folded(thinkers: History) -> None:
    call = next(call for call in thinkers.run.calls() if call.request.address.kind == "effort")
    view = View(round=1, agent=call.request.address.agent, screens=(EXCHANGE,))
    page = " ".join(line.partition("│")[2] for line in shown(thinkers, view).splitlines())
    assert (
        call.request.messages[-1].content.split()
        == [word for word in page.split() if word][: len(call.request.messages[-1].content.split())]
    )


def test_what_does_not_fit_is_scrolled_to(thinkers: History) -> None:
    view = View(round=2, agent=0, screens=(EXCHANGE,))
    assert "… more below: ↓" in shown(thinkers, view, SMALL)
    assert pressed(thinkers, view, "f", "shift+down", "b", "down").top == 11
    end = pressed(thinkers, view, *["shift+down"] * 10)
    assert "more below" not in shown(thinkers, end, SMALL)
    assert "what it was told with the question" in shown(thinkers, view)


@pytest.mark.parametrize("screen", [AGENT, EXCHANGE, EYES, "help", "fork"])
def test_scrolling_stops_at_the_last_line_of_a_page(thinkers: History, screen: str) -> None:
    far = View(round=2, agent=0, screens=(screen,), top=500)
    end = scroll_within(thinkers, far, SMALL, UTF8)
    assert shown(thinkers, end, SMALL) == shown(thinkers, far, SMALL)  # what was seen anyway
    assert "more below" not in shown(thinkers, end, SMALL)
    if end.top:
        assert shown(thinkers, end.scroll(-1), SMALL) != shown(thinkers, end, SMALL)
    assert scroll_within(thinkers, far, TALL, UTF8).top == 0  # all of it fits


def test_beside_another_run_a_page_ends_where_its_half_does(thinkers: History) -> None:
    wide, far = Size(130, 24), View(round=2, agent=0, screens=(EXCHANGE,), top=500, beside=True)
    end = scroll_within(thinkers, far, wide, UTF8)
    half = replace(far, beside=False)
    assert end.top == scroll_within(thinkers, half, Size(63, 24), UTF8).top > 0


def test_at_level_summary_pages_say_how_to_get_more(record: Record) -> None:
    history = record("fishing_village", {"agents": 4, "rounds": 2, "seed": 1}, "summary")
    for screen in (EXCHANGE, EYES):
        page = shown(history, View(round=1, agent=1, screens=(screen,)))
        assert "not recorded (level summary); society run --record full" in page
    heading = shown(history, View(round=1, agent=1, screens=(AGENT,))).splitlines()[1]
    assert heading.startswith("── villager 1 · details were not recorded (level summary) ──")
