"""Lines of descent, tournaments, networks and folders: what is in them, and their keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from society.engine.scenario import Estimate
from society.errors import FileError, InputError, MissingLibraryError
from society.runs.match_names import MatchNames, has_matches
from society.terminal.console import TerminalStyle
from society.theatre.acts import first_screens
from society.theatre.app import Theatre
from society.theatre.canvas import Canvas
from society.theatre.conditions_data import RunsFolder, RunSummary, read_folder, summarise
from society.theatre.conditions_panel import FolderView, draw_folder
from society.theatre.descent import has_generations, lines_of_descent, read_descent
from society.theatre.draw import draw
from society.theatre.events import names_in
from society.theatre.folder_app import RunsBrowser
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.keys import press
from society.theatre.lineage_panel import price_panel
from society.theatre.network_panel import places_of
from society.theatre.relations import relations_at
from society.theatre.round_deeds import deeds_in
from society.theatre.standings_data import action_signs, has_types, read_standings
from society.theatre.strategy_panel import changed_words, strategy_panel
from society.theatre.view import View

STYLE = TerminalStyle("utf-8", 80)


def pressed(history: History, view: View, *keys: str) -> View:
    for key in keys:
        view = press(history, view, key)
    return view


def test_every_life_stands_in_one_line_of_descent_below_the_one_it_comes_from(
    chain: History,
) -> None:
    descent = read_descent(chain, 0)
    for order in ("descendants", "phenotype"):
        lines = lines_of_descent(descent, order)
        lives = [life for line in lines.rows for life in line.lives]
        assert sorted(lives) == sorted(descent.lineage.lives)
        assert all(origin < place for place, origin in enumerate(lines.origins))
        for line in lines.rows:
            ancestor = descent.lineage.ancestor(line.lives[0])
            if ancestor is None:
                assert line.origin == -1
            else:
                assert ancestor.number in lines.rows[line.origin].lives


def test_all_living_lives_descend_from_the_founders(chain: History) -> None:
    descent = read_descent(chain, 0)
    assert sum(descent.living[life.number] for life in descent.lineage.founders) == 6
    assert [len(terms) for terms in descent.price] == [5, 5, 5]
    change = descent.phenotype[1] - descent.phenotype[0]
    np.testing.assert_allclose(descent.price[0].change, change)
    np.testing.assert_allclose(sum(descent.price[0][1:]), change, atol=1e-12)


def test_lines_of_descent_are_there_only_where_lives_follow_one_another(
    chain: History, village: History, rivals: History
) -> None:
    assert [has_generations(one) for one in (chain, village, rivals)] == [True, False, False]
    assert press(village, View(), "T") == View()
    assert press(chain, View(), "T").screen == "lineage"


def test_keys_move_among_lines_sort_them_and_keep_a_life_to_compare_with(chain: History) -> None:
    view = pressed(chain, View(round=8), "T", "down", "down", "up", "d")
    assert (view.row, view.screen, view.round) == (1, "lineage", 8)
    assert view.life in read_descent(chain, 0).lineage.lives
    assert pressed(chain, view, "d", "s").arranged == "phenotype"
    assert pressed(chain, view, "s").row == 0
    assert pressed(chain, view, *["down"] * 99).row == 14
    assert chain.paths[pressed(chain, view, "full_stop").round] == (3,)
    assert chain.paths[pressed(chain, view, "comma", "comma").round] == (1,)


def test_changed_words_are_marked_without_colour() -> None:
    before, after = "give half to all, or nothing", "give a tenth to all"
    words = "give [-half-] {+a tenth+} to [-all, or nothing-] {+all+}"
    assert changed_words(before, after).plain == words


def test_a_type_is_ranked_by_its_mean_score_and_beside_each_opponent(rivals: History) -> None:
    standings = read_standings(rivals)
    assert [standings.names[kind] for kind in standings.ranking] == ["mirror", "pavlov", "rogue"]
    assert standings.met is not None
    rogue, mirror = (standings.names.index(name) for name in ("rogue", "mirror"))
    # Six games: 0 and 3 points in the first, 1 each in the other five.
    np.testing.assert_allclose(standings.met[rogue, mirror], (3 + 5) / 6)
    np.testing.assert_allclose(standings.met[mirror, rogue], 5 / 6)
    np.testing.assert_allclose(standings.cooperation[rogue], 0)
    assert standings.selection.shares[-1, rogue] < 0.01


def test_a_match_is_found_by_the_names_of_its_types(rivals: History) -> None:
    names = MatchNames(rivals.manifest)
    assert has_matches(rivals.manifest)
    assert [match.key for match in names.seatings][:3] == [
        "rogue-rogue",
        "rogue-mirror",
        "rogue-pavlov",
    ]
    assert (names.find("rogue-pavlov"), names.find("rogue-pavlov:2")) == (2, 11)
    assert names[11].words() == "rogue against pavlov, repetition 2 of 2"
    with pytest.raises(InputError, match=r"no match is called 'rogue-mirrow'; did you mean 'mir"):
        names.find("rogue-mirrow")
    with pytest.raises(InputError, match="there is no repetition 3 of rogue-pavlov; give a number"):
        names.find("rogue-pavlov:3")


def test_a_tournament_opens_with_its_ranking_and_leads_to_the_rounds_of_a_match(
    rivals: History, village: History
) -> None:
    assert (first_screens(rivals), first_screens(village)) == (("ranking",), ())
    assert not has_types(village.manifest)
    start = View(screens=first_screens(rivals))
    view = pressed(rivals, start, "down", "right", "right", "enter")
    assert (view.screen, view.row, view.column) == ("matches", 1, 2)
    match = pressed(rivals, view, "down", "enter")
    name = MatchNames(rivals.manifest)[match.replicate].words()
    assert (match.screen, name) == ("", "pavlov against rogue, repetition 2 of 2")
    assert pressed(rivals, match, "m").screen == "ranking"
    assert pressed(rivals, start, "e").arranged == "selection"
    assert pressed(rivals, start, "left", "up").row == 0


def test_a_match_can_be_jumped_to_by_its_name(rivals: History) -> None:
    view = View(screens=("ranking",), round=3, typing="jump", typed="mirror-rogue:2")
    seen = press(rivals, view, "enter")
    assert (seen.screen, seen.round, MatchNames(rivals.manifest)[seen.replicate].words()) == (
        "",
        3,
        "mirror against rogue, repetition 2 of 2",
    )
    wrong = press(rivals, replace(view, typed="mirror-rouge"), "enter")
    assert wrong.note == "no match is called 'mirror-rouge'; did you mean 'rogue'?"


def test_deeds_tell_what_the_donor_had_been_told(chain: History) -> None:
    names = names_in(chain, 0, 4, STYLE)
    deeds = deeds_in(chain, 4, 0, names, STYLE)
    assert chain.paths[4] == (1, 1, 3)
    assert len(deeds) == 3
    assert {deed.verb for deed in deeds} == {"gave"}
    assert all(deed.told.endswith(", round 2") for deed in deeds)


def test_graphs_that_are_not_complete_are_drawn_again_from_the_configuration(
    ring: History, chain: History
) -> None:
    relations = relations_at(ring, 2, 0)
    assert set(relations.edges) == {"learn", "monitor"}
    assert relations.edges["monitor"][:2] == ((0, 1), (0, 7))
    assert relations_at(chain, 2, 0).edges == {}
    assert "hear" in relations_at(chain, 2, 0).complete


def test_agents_have_the_same_places_every_time() -> None:
    edges = tuple((seat, (seat + 1) % 8) for seat in range(8))
    assert places_of(8, edges) == places_of(8, edges)
    assert all(0 <= axis <= 1 for place in places_of(8, edges) for axis in place)
    assert places_of(1, ()) == ((0.5, 0.0),)


def test_a_crowd_is_listed_and_counted(record: Callable[..., History]) -> None:
    history = record("fishing_village", {"agents": 60, "rounds": 2, "seed": 1})
    text = draw(history, View(round=1, screens=("graph",)), Size(80, 24), STYLE).plain
    assert "14 fined\n  most to 58 (2)\n  0 fined → 58\n" in text
    assert "everybody sees everybody: learn, monitor" in text


def test_a_sweep_lists_its_conditions_whatever_state_their_runs_are_in(swept: RunsFolder) -> None:
    states = [summarise(row).status for row in swept.rows]
    assert (swept.factors, states) == (("fine",), ["finished", "finished", "waiting"])
    assert summarise(swept.rows[0]).ends == ("", "", "")


def test_keys_lead_from_conditions_to_replicates(swept: RunsFolder) -> None:
    view = FolderView()
    for key in ("down", "enter", "down", "right"):
        view = view.pressed(swept, key)
    assert (view.row, view.replicate, view.measure) == (1, 1, 1)
    assert view.pressed(swept, "escape").replicate == -1
    waiting = FolderView(row=2).pressed(swept, "enter")
    assert (waiting.replicate, waiting.note) == (-1, "this run has not begun")


def test_the_browser_of_a_folder_gives_the_replicate_that_was_chosen(swept: RunsFolder) -> None:
    async def drive(*keys: str) -> FolderView | None:
        browser = RunsBrowser(swept, FolderView(), STYLE)
        async with browser.run_test(size=(80, 24)) as pilot:
            await pilot.press(*keys)
        return browser.return_value

    assert asyncio.run(drive("down", "enter", "down", "enter")) == FolderView(row=1, replicate=1)
    assert asyncio.run(drive("q")) is None


def test_a_folder_that_goes_away_stays_on_the_screen_and_it_says_so(
    swept: RunsFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.theatre.folder_app._AGAIN", 0.01)
    file = tmp_path / "a.run"
    file.write_bytes(swept.rows[0].path.read_bytes())

    async def drive() -> RunsBrowser:
        browser = RunsBrowser(read_folder(tmp_path), FolderView(), STYLE)
        async with browser.run_test(size=(80, 24)) as pilot:
            file.unlink()
            for _ in range(100):
                await pilot.pause(0.01)
                if browser.view.note:
                    break
        return browser

    seen = asyncio.run(drive())
    assert "holds no runs" in seen.view.note
    assert [row.name for row in seen.folder.rows] == ["a"]


def test_a_folder_of_run_files_is_a_table_of_runs(swept: RunsFolder, tmp_path: Path) -> None:
    for row in swept.rows[:2]:
        (tmp_path / row.path.name).write_bytes(row.path.read_bytes())
    folder = read_folder(tmp_path)
    assert [row.name for row in folder.rows] == ["fine=18", "fine=2"]
    (tmp_path / "torn.run").write_bytes(swept.rows[0].path.read_bytes()[:5000])
    torn = read_folder(tmp_path).rows[2]
    assert summarise(torn).status == "unreadable"
    assert "is cut off" in summarise(torn).trouble


def test_a_folder_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no runs; name a run file, or the folder of a sweep"):
        read_folder(tmp_path)


def test_labels_on_a_canvas_take_the_cells_that_they_need() -> None:
    canvas = Canvas(10, 3, STYLE)
    canvas.line((0, 0), (9, 2))
    canvas.label((5, 1), "村長")
    assert {line.cell_len for line in canvas.panel()} == {10}
    assert "村長" in canvas.panel()[1].plain


def test_lines_are_drawn_in_braille_or_in_ascii() -> None:
    def drawn(style: TerminalStyle) -> list[str]:
        canvas = Canvas(4, 1, style)
        canvas.line((0, 0), (3.9, 0))
        return [line.plain for line in canvas.panel()]

    assert drawn(STYLE) == ["⠉⠉⠉⠉"]
    assert drawn(TerminalStyle("ascii", 80)) == ["----"]


def test_actions_have_one_harmless_sign_each() -> None:
    assert action_signs([("A0", "A1"), ("A0", "A1")], (1, 1)) == ["D", "C"]
    assert action_signs([("stag\x1b", "hare\x1b")], None) == ["a", "b"]
    assert action_signs([("low", "middle", "high")], None) == ["w", "e", "h"]


# By key: the run, the keys before it, and what it changes.
EFFECTS: dict[str, tuple[str, tuple[str, ...], Callable[[View], bool]]] = {
    "T": ("chain", (), lambda seen: seen.screen == "lineage"),
    "s": ("chain", ("T", "down"), lambda seen: (seen.arranged, seen.row) == ("phenotype", 0)),
    "d": ("chain", ("T", "down"), lambda seen: seen.life >= 0),
    "full_stop": ("chain", ("T",), lambda seen: seen.round == 1),
    "comma": ("chain", ("end",), lambda seen: seen.round == 9),
    "m": ("rivals", (), lambda seen: seen.screen == "ranking"),
    "e": ("rivals", ("m",), lambda seen: seen.arranged == "selection"),
    "right": ("rivals", ("m", "down"), lambda seen: (seen.row, seen.column) == (1, 1)),
    "enter": ("rivals", ("m", "down", "enter", "down"), lambda seen: seen.replicate == 16),
    "down": ("chain", ("g",), lambda seen: (seen.screen, seen.agent) == ("graph", 0)),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_keys_of_these_screens_reach_the_view(name: str, request: pytest.FixtureRequest) -> None:
    run, before, shown = EFFECTS[name]
    history: History = request.getfixturevalue(run)

    async def drive() -> View:
        theatre = Theatre(history, View(), STYLE)
        async with theatre.run_test(size=(80, 24)) as pilot:
            await pilot.press(*before, name)
            return theatre.view

    assert shown(asyncio.run(drive()))


def test_words_of_a_strategy_are_harmless_and_stay_within_their_panel(chain: History) -> None:
    descent = read_descent(chain, 0)
    founder = descent.lineage.founders[0]
    hostile = founder._replace(strategy="give \x1b[31m少なく獲ろう\n[bold]half[/bold] \u202e" * 9)
    for width in (30, 80):
        for beside in (None, founder):
            panel = strategy_panel(descent, hostile, 1, width, 30, STYLE, beside)
            assert max(line.cell_len for line in panel) <= width
            assert all(line.plain.isprintable() for line in panel)
    assert "\\x1b[31m" in "\n".join(line.plain for line in panel)


def test_the_parts_of_the_price_equation_stand_in_a_table(chain: History) -> None:
    panel = price_panel(read_descent(chain, 0), 2, 60, 8, STYLE)
    rows = [line.plain.split() for line in panel]
    assert rows[1] == ["change", "selection", "survivors", "newborn"]
    assert [row[:4] for row in rows[2:]] == [
        ["1", "→", "2", "-0.159"],
        ["▸", "2", "→", "3"],
        ["3", "→", "4", "0.000"],
    ]


def test_conditions_are_shown_without_the_library_that_makes_intervals(
    swept: RunsFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Means stand there, and the line below says what intervals need."""
    stock = Estimate(120.0, 4.0, 3, unit="fish")
    summary = RunSummary("finished", 12, 12, 3, {"stock": stock})
    monkeypatch.setattr("society.theatre.conditions_panel.summarise", lambda row: summary)

    def missing(module: str) -> object:
        raise MissingLibraryError(f"{module} is not installed")

    monkeypatch.setattr("society.theatre.conditions_data.require", missing)
    shown = draw_folder(swept, FolderView(), Size(120, 20), STYLE).plain
    assert "120" in shown
    assert "±" not in shown
    assert "fish; mean over replicates; intervals need the extra lab (make lab)" in shown


def test_a_run_under_way_says_of_how_many_replicates_its_mean_is_final(
    swept: RunsFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean so far is over all three replicates; one of them has ended."""
    stock = Estimate(120.0, 4.0, 3, unit="fish")
    summary = RunSummary("running", 12, 100, 3, {"stock": stock}, ends=("", "collapse", ""))
    monkeypatch.setattr("society.theatre.conditions_panel.summarise", lambda row: summary)
    lines = draw_folder(swept, FolderView(), Size(120, 20), STYLE).plain.splitlines()
    assert any("running 12/100" in line and "120" in line for line in lines)
    words = "stock so far, 1 of 3 runs over: fish; mean and interval of 95 % over replicates"
    assert words in lines
