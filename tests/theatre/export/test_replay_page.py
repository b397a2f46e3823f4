"""A replay's page as a browser shows it; skipped where there is no Chromium or no playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.text import Text

import society
from society.engine.action_spaces import Text as Words
from society.engine.component import AgentGroup, Component, Question
from society.engine.environment import Environment
from society.engine.population import Cast, Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, scenario
from society.engine.script import Ask, Script
from society.runs.reader import open_run_file
from society.theatre.export.html import ReplayPage
from society.theatre.frame import Frame, Size, about_agent, fit
from society.theatre.history import History
from tests.browser import open_browser, open_page

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("browser")]  # one for all

WIDE, NARROW = 1400, 400
ATTACK = (
    "</script><script>document.title='taken'</script>"
    "<img src=http://example.org/x.png onerror=alert(1)>\u2028{{ 7 * 7 }}"
)
INERT = ATTACK.replace("\u2028", "\\u2028")

Shown = Callable[..., Any]


class Attacker(Component):
    """Says what would take over a page that trusts it."""

    answers = ("speak",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        """Answer with an attack, and who says it."""
        return np.array([f"{ATTACK} from {seat}" for seat in range(len(agents))], object)


def attackers(params: object, count: int) -> Cast:
    return [Cohort("attacker", count, (Attacker(),))]


@scenario(cast=attackers, agents=3, rounds=2, display=DisplaySpec(quotes={"speak": "says"}))
def parlour(env: Environment) -> Script:
    """Everybody speaks."""
    for _ in env.rounds():
        yield Ask("speak", Words(500))


def frame(replicate: int, number: int) -> Frame:
    """A frame that names its round, attacks, and has a row about the agent on seat 1."""
    words = [f"replicate {replicate}, frame {number} ", "▁▂▃ always the same", ATTACK]
    lines = [Text(line, "bold red") for line in words]
    return fit([*lines, about_agent(Text("a row of seat 1"), 1)], Size(120, 6))


def page_of(path: Path, title: str, first: int = 0) -> str:
    """The page of a run, with simple frames of two replicates at most."""
    with open_run_file(path) as run:
        history = History(run)
        made = ReplayPage(history, Size(120, 6), first, history.last)
        for replicate in range(min(run.manifest.replicates, 2)):
            numbers = range(first, history.last + 1)
            made.add(replicate, (frame(replicate, number) for number in numbers))
        return made.render(title, ATTACK, [*made.finish(), ATTACK], 8)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """`with shown("village", width=400) as (tab, seen)` opens a page.

    seen: what the page has asked for, and what its console has said.
    """
    folder = tmp_path_factory.mktemp("pages")
    society.run(
        "language_village",
        seed=1,
        rounds=12,
        replicates=3,
        agents=4,
        parameters={"norm_embedder": "hashing"},
        out=folder / "village.run",
    )
    society.run(parlour, out=folder / "parlour.run")
    for name in ("village", "parlour"):
        page = page_of(folder / f"{name}.run", ATTACK)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    with open_browser() as browser:

        def show(name: str, width: int = WIDE, scheme: str = "light") -> Any:
            return open_page(browser, folder / f"{name}.html", width, scheme)

        yield show


def ready(tab: Any) -> None:
    tab.wait_for_selector("html[data-ready]")


def round_shown(tab: Any) -> str:
    """What the frame, the words and the slider agree on."""
    number = tab.locator("#slider").input_value()
    assert f"frame {number} " in tab.locator("#frame div").first.text_content()
    title: str = tab.locator("#title").text_content()
    assert tab.locator("#words p").text_content() == title
    assert tab.locator("#slider").get_attribute("aria-valuetext") == title
    return title


@pytest.mark.parametrize("name", ["village", "parlour"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_page_asks_for_nothing_and_fits_the_width(shown: Shown, name: str, width: int) -> None:
    with shown(name, width) as (tab, seen):
        ready(tab)
        tab.keyboard.press("End")
        tab.locator("#agents button").first.click()
        tab.keyboard.press("/")
        tab.keyboard.type("a")
        assert tab.locator("#found li").count() > 0
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        assert seen == []


def test_hostile_words_are_shown_as_they_are_and_do_nothing(shown: Shown) -> None:
    with shown("parlour") as (tab, seen):
        ready(tab)
        tab.keyboard.press("ArrowRight")
        assert tab.title() == ATTACK
        assert tab.locator("h1").text_content() == ATTACK
        said = tab.locator("#words li li")
        assert said.first.text_content() == f'agent 0 says "{INERT} from 0"'
        tab.get_by_role("button", name="agent 1").click()
        assert f"says (speak): {INERT} from 1" in tab.locator("#agent li").first.text_content()
        tab.get_by_role("searchbox").fill("onerror")
        assert tab.locator("#found mark").first.text_content() == "onerror"
        assert tab.locator("img, iframe, object, link, main script").count() == 0
        assert seen == []


def test_keys_and_slider_go_from_round_to_round(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        assert round_shown(tab) == "Before the first round"
        last = int(tab.locator("#slider").get_attribute("max"))
        for key, number in [
            ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last),
            ("Shift+ArrowLeft", max(last - 10, 0)), ("Home", 0),
            ("Shift+ArrowRight", min(10, last)),
        ]:  # fmt: skip
            tab.keyboard.press(key)
            assert tab.locator("#slider").input_value() == str(number), key
            round_shown(tab)
        tab.locator("#slider").fill("3")
        assert round_shown(tab) == "Round 3 of 12"
        tab.locator("#slider").press("ArrowRight")
        assert round_shown(tab) == "Round 4 of 12"


def test_marks_of_one_lane_are_gone_through(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        tab.keyboard.press("n")
        first = round_shown(tab)
        assert first != "Before the first round"
        tab.keyboard.press("n")
        assert round_shown(tab) != first
        tab.keyboard.press("N")
        assert round_shown(tab) == first
        lanes = tab.locator("#lane option").all_inner_texts()
        assert lanes[0] == "all"
        assert "policy" in lanes
        tab.locator("#lane").select_option("policy")
        tab.get_by_role("button", name="Next mark").click()
        assert "policy" in tab.locator("#words > ul > li").all_inner_texts()[-1].split("\n")[0]


def test_keys_choose_speed_lane_and_replicate_as_in_the_theatre(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        chosen = []
        for key, list_of in [("+", "speed"), ("-", "speed"), ("]", "lane"), ("[", "lane"),
                             ("r", "replicate"), ("R", "replicate")]:  # fmt: skip
            tab.keyboard.press(key)
            chosen.append(tab.locator(f"#{list_of}").evaluate("list => list.selectedIndex"))
        assert chosen == [4, 3, 1, 0, 1, 0]


def test_a_page_plays_and_is_quiet_meanwhile(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        assert tab.locator("#speed").input_value() == "8"
        tab.locator("#speed").select_option("32")
        words = tab.locator("#words")
        assert words.get_attribute("aria-live") == "polite"
        tab.locator("h1").click()
        tab.keyboard.press(" ")
        assert tab.locator("#play").text_content() == "Pause"
        assert words.get_attribute("aria-live") == "off"
        last = tab.locator("#slider").get_attribute("max")
        tab.get_by_role("button", name="Play", exact=True).wait_for()
        assert tab.locator("#slider").input_value() == last
        assert words.get_attribute("aria-live") == "polite"


def test_an_agent_has_a_page_with_its_numbers_words_and_exchanges(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        tab.keyboard.press("ArrowRight")
        agent = tab.get_by_role("button", name="villager 2")
        agent.focus()
        tab.keyboard.press("Enter")
        assert agent.get_attribute("aria-pressed") == "true"
        page = tab.locator("#agent")
        assert page.locator("tbody th").all_inner_texts()[:2] == ["effort", "catch (fish)"]
        assert "now holds (norm)" in page.locator("li").last.text_content()
        fold = page.locator("details").first
        assert not fold.locator("pre").first.is_visible()
        fold.locator("summary").click()
        assert "You live in a village" in fold.locator("pre").first.inner_text()
        assert fold.locator("h4").all_inner_texts()[-1].lower() == "reply"
        assert '"answer"' in fold.locator("pre").last.inner_text()
        tab.keyboard.press("Escape")
        assert not page.is_visible()


def test_a_row_of_an_agent_opens_its_page(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        tab.get_by_text("a row of seat 1").click()
        assert tab.locator("#agent h3").first.text_content() == "villager 1 (altruist)"
        tab.get_by_text("always the same").click()  # is about no one
        assert tab.get_by_role("button", name="villager 1", pressed=True).count() == 1


def test_another_replicate_can_be_chosen_and_the_page_says_which_are_missing(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        tab.locator("#replicate").select_option("1")
        assert "replicate 1, frame 0 " in tab.locator("#frame").text_content()
        notes = tab.locator("footer p").all_inner_texts()
        assert "The page holds replicates 0 to 1 of 3; --replicate R exports another one." in notes


def test_a_found_place_is_gone_to(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        tab.keyboard.press("/")
        tab.keyboard.type("villager 3 proposes")
        assert tab.locator("#found p").text_content().endswith("places")
        tab.locator("#found button").last.click()
        assert "villager 3 proposes" in tab.locator("#words").inner_text()
        tab.keyboard.press("/")
        tab.keyboard.press("Escape")
        assert not tab.locator("#found").is_visible()


def test_colours_follow_the_scheme(shown: Shown) -> None:
    ink = "line => getComputedStyle(line).color"
    found = []
    for scheme in ("light", "dark"):
        with shown("village", scheme=scheme) as (tab, _):
            ready(tab)
            found.append(tab.locator("#frame span").first.evaluate(ink))
    assert found == ["rgb(179, 38, 30)", "rgb(255, 123, 114)"]


def test_in_print_there_is_the_round_and_no_control(shown: Shown) -> None:
    with shown("village", NARROW) as (tab, _):
        ready(tab)
        tab.emulate_media(media="print")
        assert tab.locator("#frame").is_visible()
        assert tab.locator("#words").is_visible()
        assert not tab.locator("#controls").is_visible()
        assert tab.evaluate("document.documentElement.scrollWidth") == NARROW


def test_everything_that_is_used_has_a_name(shown: Shown) -> None:
    with shown("village") as (tab, _):
        ready(tab)
        assert tab.get_by_role("slider", name="Round").count() == 1
        assert tab.get_by_role("img").get_attribute("aria-labelledby") == "words"
        for name in ("Marks", "Speed", "Replicate"):
            assert tab.get_by_role("combobox", name=name).count() == 1
        names = tab.locator("button").evaluate_all(
            "all => all.filter(one => !one.innerText).length"
        )
        assert names == 0


def test_without_script_the_first_frame_is_there(shown: Shown, tmp_path: Path) -> None:
    society.run("fishing_village", rounds=2, agents=2, out=tmp_path / "v.run")
    page = page_of(tmp_path / "v.run", "A village", first=1)
    assert "replicate 0, frame 1" in page.partition("<noscript>")[0]
