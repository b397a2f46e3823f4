"""People who come and go: who is there, what newcomers begin with, and what becomes of norms."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import society
from society.analysis.study.departures import read_departures
from society.cli.main import main
from society.components.language.llm_policy import LanguagePolicy
from society.config.build import build
from society.config.run_config import load_config
from society.errors import ScenarioError
from society.runs.agent_names import AgentNames
from society.runs.reader import open_run_file
from society.scenarios.village.turnover.norm_survival import (
    half_life,
    last_known,
    last_rounds,
    mean_norms,
    retained,
)
from society.scenarios.village.turnover.turnover import drawn
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import GONE, VACANT, History
from society.theatre.view import View
from tests.child_processes import KILLED_BEFORE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Played, Recorded

LASTING = {"ends_on": "horizon", "consumption": 0}
STEPS = [{"round": 3, "leave": 2, "arrive": 1}, {"round": 5, "leave": 1, "arrive": 3}]


def moving(recorded: Recorded, *, rounds: int = 6, replicates: int = 2, **given: Any) -> Played:
    """Play a village of five in which nobody starves, and people move."""
    changes = {
        "agents": 5,
        "rounds": rounds,
        "replicates": replicates,
        "seed": 3,
        "parameters": LASTING | given.pop("parameters", {}),
        "mechanisms": [{"turnover": given}],
    }
    return recorded(build(load_config("fishing_village", changes)).gamemaster())


def setup(**given: Any) -> None:
    build(load_config("fishing_village", {"mechanisms": [{"turnover": given}], "rounds": 20}))


TWICE = r"take one of the two|take turns on the seats|measures founders"


# Who is there


def test_a_schedule_is_kept_in_every_replicate(recorded: Recorded) -> None:
    """One seat of five is empty at first; two leave and one comes; one leaves and three come."""
    over = moving(recorded, empty=1, schedule=STEPS)
    present = [page.present.sum(1).tolist() for page in over.pages]
    assert present == [[4, 4]] * 3 + [[3, 3]] * 2 + [[5, 5]] * 2


def test_lives_are_numbered_on_and_named_by_their_wave(recorded: Recorded) -> None:
    over = moving(recorded, empty=1, schedule=STEPS)
    lives = over.told("life")
    assert len(lives) == 6  # told in each round
    assert lives[0].tolist() == [[0, 1, 2, 3, 4]] * 2
    came = np.array(over.told("newcomer"))
    assert came.sum(2).tolist() == [[0, 0]] * 2 + [[1, 1]] + [[0, 0]] + [[3, 3]] + [[0, 0]]
    assert (lives[2][came[2]] // 5 == 1).all()
    assert (lives[4][came[4]] // 5 == 2).all()
    assert over.game.env.name(int(lives[4][0].max()))[:2] == "3_"


def test_who_leaves_at_once_has_its_own_name_before_and_as_it_goes(tmp_path: Path) -> None:
    """All three leave as each round begins, and others have their seats in the same round."""
    changes: dict[str, Any] = {"agents": 3, "rounds": 2, "parameters": LASTING}
    moved = {"turnover": {"leaving": 1.0, "arriving": 1.0}}
    result = society.run("fishing_village", **changes, mechanisms=[moved], out=tmp_path / "a.run")
    agents, events = result.agents, result.events
    names = [agents["name"][agents["round"] == number].tolist() for number in (0, 1, 2)]
    waves = [[f"villager {wave}_{seat}" for seat in (1, 2, 3)] for wave in (1, 2, 3)]
    assert names == waves
    left = events[events["kind"] == "left"]
    assert [left["who"][left["round"] == number].tolist() for number in (1, 2)] == waves[:2]
    with open_run_file(result.path) as run:
        names_now = AgentNames.of_run(run)
        names_now.meet(next(iter(run.pages(1))))
    assert (names_now.former(0, 0), names_now.name(0, 0)) == ("villager 1_1", "villager 2_1")


def test_a_newcomer_begins_anew_and_the_others_go_on(recorded: Recorded) -> None:
    over = moving(recorded, schedule=[{"round": 4, "leave": 1, "arrive": 1}])
    new = over.told("newcomer")[3]
    catch, wealth = over.told("catch"), over.told("wealth")
    assert wealth[3][new].tolist() == pytest.approx((30 + catch[3][new]).tolist())
    assert (wealth[3][~new] > 30 + catch[3][~new]).all()
    before, after = (page.public["persona"] for page in (over.pages[3], over.pages[4]))
    assert (before == after).all()  # a newcomer belongs to the cohort of its seat


def test_newcomers_have_traits_of_their_own(recorded: Recorded) -> None:
    parameters = {"social_learning": False}
    over = moving(recorded, schedule=[{"round": 2, "leave": 2, "arrive": 2}], parameters=parameters)
    new = over.told("newcomer")[1]
    before, after = (page.public["belief"] for page in (over.pages[1], over.pages[2]))
    assert (before != after).tolist() == new.tolist()


def test_seats_are_taken_as_often_as_theory_says(recorded: Recorded) -> None:
    """Chances .2 of leaving and .6 of arriving: .6 / (.6 + .2 (1 - .6)) = 15 / 17 of all rounds."""
    over = moving(recorded, rounds=60, replicates=60, leaving=0.2, arriving=0.6)
    taken = np.array([page.present.mean() for page in over.pages[20:]])
    theory, again = 15 / 17, 1 - 0.6 - 0.2 * (1 - 0.6)  # the correlation from round to round
    effective = 300 * len(taken) * (1 - again) / (1 + again)
    error = np.sqrt(theory * (1 - theory) / effective)
    assert taken.mean() == pytest.approx(theory, abs=4 * error)


def test_a_village_in_which_nobody_moves_is_the_village_of_before(recorded: Recorded) -> None:
    still = moving(recorded, schedule=[{"round": 6, "leave": 0, "arrive": 0}])
    changes = {"agents": 5, "rounds": 6, "replicates": 2, "seed": 3, "parameters": LASTING}
    usual = recorded(build(load_config("fishing_village", changes)).gamemaster())
    for name in ("catch", "wealth", "cap", "stock"):
        assert np.array_equal(still.told(name), usual.told(name))


def test_where_some_have_died_as_many_leave_as_there_are() -> None:
    among = np.array([[True, False, True, False]])
    lots = np.array([[0.9, 0.1, 0.2, 0.3]])
    assert drawn(among, 1, lots).tolist() == [[False, False, True, False]]
    assert drawn(among, 3, lots).tolist() == among.tolist()


def test_strangers_who_were_turned_away_make_no_room(recorded: Recorded) -> None:
    changes = {
        "agents": 6,
        "rounds": 8,
        "parameters": LASTING,
        "mechanisms": [
            {"boundaries": {"members": 4}},
            {"turnover": {"arriving": 1, "leaving": 0.3}},
        ],
    }
    over = recorded(build(load_config("fishing_village", changes)).gamemaster())
    strangers = ~over.told("member")[0]
    assert not any(page.present[strangers].any() for page in over.pages)


# Refusals


# By the state of the village


def test_a_seat_is_taken_when_it_has_been_empty_for_so_many_rounds(recorded: Recorded) -> None:
    """One seat is empty at first, one from round 2 on; each is taken after three rounds."""
    given: dict[str, Any] = {
        "empty": 1,
        "schedule": [{"round": 2, "leave": 1}],
        "vacant_at_most": 3,
    }
    over = moving(recorded, rounds=7, **given)
    present = [page.present.sum(1).tolist() for page in over.pages]
    assert present == [[4, 4]] * 2 + [[3, 3]] * 2 + [[4, 4]] + [[5, 5]] * 3


def test_villagers_leave_when_they_own_too_little(recorded: Recorded) -> None:
    """All have 10 fish at first and eat 3 a round of a lake that nobody fishes well."""
    poor = {"wealth": 10, "consumption": 3, "catchability": 0}
    over = moving(recorded, rounds=5, parameters=poor, leaving_below={"wealth": 5})
    present = [page.present.sum(1).tolist() for page in over.pages]
    assert present == [[5, 5]] * 3 + [[0, 0]] * 3, "7 and 4 fish are left after rounds 1 and 2"


def test_newcomers_come_as_long_as_the_stock_is_above_a_level(recorded: Recorded) -> None:
    """The stock is told at the end of each round: nobody comes by what was not told yet."""
    full, empty = (
        moving(recorded, rounds=3, empty=2, arriving=1, arriving_above={"stock": level})
        for level in (1, 1e9)
    )
    assert [page.present.sum() for page in full.pages] == [6, 6, 10, 10]
    assert [page.present.sum() for page in empty.pages] == [6, 6, 6, 6]


def test_levels_that_move_nobody_leave_the_chances_of_others_alone(recorded: Recorded) -> None:
    given: dict[str, Any] = {"empty": 1, "leaving": 0.2, "arriving": 0.5}
    plain = moving(recorded, rounds=6, **given)
    ruled = moving(recorded, rounds=6, **given, leaving_below={"wealth": -1e9})
    assert [page.present.tolist() for page in plain.pages] == [
        page.present.tolist() for page in ruled.pages
    ]


@pytest.mark.parametrize("words", ["BEGIN", "INSERT INTO rounds"])
@pytest.mark.thorough
def test_a_village_that_is_killed_while_people_move_goes_on_to_the_same_end(
    tmp_path: Path, words: str
) -> None:
    """kill -9 in the middle; the rules look at facts that resume has to hear again."""
    rules = {"arriving": 0.5, "arriving_above": {"stock": 100}, "leaving_below": {"wealth": 25}}
    changes = {
        "agents": 6,
        "rounds": 12,
        "parameters": {"ends_on": "horizon"},
        "mechanisms": [{"turnover": {"empty": 2, "leaving": 0.1, "vacant_at_most": 4, **rules}}],
    }
    path = tmp_path / "a.run"
    command = [sys.executable, "-c", KILLED_BEFORE, str(path), words, "6", json.dumps(changes)]
    assert subprocess.run(command).returncode == -signal.SIGKILL
    with open_run_file(path) as run:
        assert run.status == "interrupted"
        assert 3 <= run.rounds <= 8
    assert main(["resume", str(path), "--quiet"]) == 0
    whole = build(load_config("fishing_village", changes)).gamemaster().play()
    with open_run_file(path) as run:
        assert run.standing.digest == whole.digest
    assert main(["verify", str(path)]) == 0


# Seats that are vacant


def test_a_seat_that_is_vacant_at_first_has_a_sign_of_its_own(tmp_path: Path) -> None:
    """It is neither there nor dead, in frames, legends, rounds and frames of data."""
    schedule = [{"round": 2, "leave": 1}]
    moved = [{"turnover": {"empty": 2, "schedule": schedule}}]
    parameters = {"ends_on": "horizon", "consumption": 0}
    result = society.run(
        "fishing_village",
        seed=3,
        rounds=3,
        agents=5,
        parameters=parameters,
        mechanisms=moved,
        out=tmp_path / "a.run",
    )
    with open_run_file(tmp_path / "a.run") as run:
        size, style = Size(90, 24), TerminalStyle("utf-8", 90)
        first, last = (draw(History(run), View(round=n), size, style).plain for n in (0, 3))
        course = History(run).course(0)
    assert "3 of 5 alive" in first
    assert last.count("○ vacant") == 4, "two rows, the legend, and the past"
    assert last.count("† 2 left") == 1
    assert [mark.round for mark in course.marks if mark.lane == VACANT] == [0, 0]
    assert [mark.round for mark in course.marks if mark.lane == GONE] == [2]
    beginning = result.agents[result.agents["round"] == 0]
    assert len(beginning) == 3, "a row for each villager who is there"
    assert [one.kind for one in read_departures(result.study.played[0])] == ["left"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "nobody comes or goes; give schedule, leaving, arriving, leaving_below or"),
        ({"leaving": 2}, "leaving: got 2; expected a number from 0 to 1"),
        ({"schedule": [{"round": 30, "leave": 1}]}, "round 30, and the last one is 20"),
        ({"schedule": [{"round": 3, "leave": 11}]}, "11 shall leave in round 3, and at most 10"),
        ({"schedule": [{"round": 3, "arrive": 1}]}, "1 shall arrive in round 3, and at most 0"),
        ({"schedule": [{"round": 3}, {"round": 3}]}, "the schedule has round 3 twice"),
        ({"schedule": [{"round": 3, "leaves": 1}]}, "there is no parameter 'leaves'"),
        ({"empty": 10, "arriving": 0.5}, "empty is 10, and there are 10 seats"),
        ({"arriving_above": {"stock": 9}}, "says when newcomers come by chance, and arriving is 0"),
        ({"arriving": 1, "arriving_above": {"stok": 9}}, "no such number for all; did you mean 's"),
        ({"leaving_below": {"stock": 9}}, "leaving_below names 'stock', and this play tells no "),
        ({"vacant_at_most": 0}, "vacant_at_most: got 0; expected a whole number of at least 1"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        setup(**given)
    assert words in str(refused.value)


def test_plays_that_are_not_open_and_generations_are_refused() -> None:
    moves: dict[str, Any] = {"turnover": {"leaving": 0.1}}
    with pytest.raises(ScenarioError, match="this play does not let people come and go"):
        build(load_config("public_goods", {"mechanisms": [moves]}))
    lives = {"generations": {"fitness": "wealth", "count": 2}}
    for both in ([moves, lives], [lives, moves], [moves, moves]):
        with pytest.raises(ScenarioError, match=TWICE):
            build(load_config("fishing_village", {"mechanisms": both}))


# Norms


def test_the_half_life_of_a_tradition_by_hand() -> None:
    """It grows from 4 to 8, the last founder leaves after round 2, and it fades by a quarter."""
    means = np.array([[4.0], [6], [8], [7], [6], [5]])
    kept = retained(means, np.array([2]))
    assert kept[:, 0].tolist() == [0, 0.5, 1, 0.75, 0.5, 0.25]
    assert half_life(kept, np.array([2])).tolist() == [2]
    assert last_known(kept).tolist() == [0.25]


def test_a_tradition_that_lasts_has_no_half_life() -> None:
    kept = retained(np.array([[4.0], [8], [8], [7]]), np.array([1]))
    assert np.isnan(half_life(kept, np.array([1]))).all()


def test_without_a_tradition_there_is_nothing_to_fade() -> None:
    assert np.isnan(retained(np.array([[4.0], [4], [5]]), np.array([1]))).all()


def test_means_are_of_those_present_and_founders_are_followed_to_the_last() -> None:
    norms = np.array([[[2, 4, np.nan]], [[np.nan] * 3]])
    assert mean_norms(norms)[0].tolist() == [3]
    assert np.isnan(mean_norms(norms)[1]).all()
    assert last_rounds(np.array([[True, True], [True, False], [False, False]])).tolist() == [1, 0]


def test_a_run_tells_when_its_last_founder_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [{"round": 2, "leave": 2, "arrive": 2}, {"round": 4, "leave": 1, "arrive": 1}]
    file = tmp_path / "moving.yaml"
    file.write_text(
        json.dumps(
            {
                "scenario": "fishing_village",
                "agents": 2,
                "rounds": 5,
                "parameters": LASTING,
                "mechanisms": [{"turnover": {"schedule": steps}}],
            }
        )
    )
    out = tmp_path / "moving.run"
    assert main(["run", str(file), "--quiet", "--out", str(out)]) == 0
    assert main(["verify", str(out)]) == 0
    capsys.readouterr()
    assert main(["show", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["measures"]["founders"]["mean"] == 0
    assert told["measures"]["founders_left"]["mean"] == 1


# Minds in words, and files


MIND: dict[str, Any] = {"language_policy": {"model": "older", "upgrades": {4: "newer"}}}
SPOKEN: dict[str, Any] = {
    "scenario": "language_village",
    "agents": 5,
    "rounds": 7,
    "parameters": {"norm_embedder": "hashing"},
    "cohorts": [
        {
            "name": "villager",
            "count": 5,
            "components": [{"persona": {"temper": "general"}}, "personal_norm", "recall", MIND],
        }
    ],
    "models": {"older": {"model": "offline"}, "newer": {"model": "offline"}},
    "mechanisms": [{"turnover": {"schedule": [{"round": 5, "leave": 2, "arrive": 2}]}}],
}


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of villagers who speak, of whom two are replaced."""
    folder = tmp_path_factory.mktemp("spoken")
    (folder / "spoken.yaml").write_text(json.dumps(SPOKEN))
    out = folder / "spoken.run"
    assert main(["run", str(folder / "spoken.yaml"), "--quiet", "--out", str(out)]) == 0
    return out


def calls(run: Path, capsys: pytest.CaptureFixture[str], *given: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["show", str(run), "--calls", "--json", *given]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["calls"]
    return found


def test_newcomers_are_told_what_they_would_know(
    spoken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = calls(spoken, capsys, "--question", "effort", "--round", "5")
    words = {one["name"]: one["messages"][-1]["content"] for one in asked}
    new = [text for name, text in words.items() if name.startswith("villager 2_")]
    old = [text for name, text in words.items() if name.startswith("villager 1_")]
    assert (len(new), len(old)) == (2, 3)
    assert all("This is your first day." in text for text in new)
    assert not any("Your effort yesterday" in text for text in new)
    remembered = [text.split("What you remember:")[1].split("\n")[1] for text in new]
    assert remembered == ["- Round 5: You settled in the village."] * 2
    assert all("What you remember" in text and "new here" in text for text in old)
    assert all("Policy of the village: «" in text for text in new)  # which all know
    assert not any("nan" in text for text in words.values())


def test_a_model_is_replaced_in_the_middle_of_a_run() -> None:
    """The pool is asked for a model by its name: `older` before round 11, and `newer` from then."""
    policy = LanguagePolicy(model="older", upgrades={11: "newer", 20: "newest"})
    asked = [policy.model_in(number) for number in (1, 10, 11, 19, 20, 99)]
    assert asked == ["older", "older", "newer", "newer", "newest", "newest"]
    assert policy.models == ("older", "newer", "newest")


def test_an_estimate_counts_calls_of_both_models() -> None:
    """Five villagers answer four questions a round, in three rounds with either model."""
    changes = {name: SPOKEN[name] for name in ("agents", "cohorts", "parameters")}
    changes |= {
        "rounds": 6,
        "models": {"older": {"model": "lab/one"}, "newer": {"model": "lab/two"}},
    }
    counting = build(load_config("language_village", changes)).counting()
    build(load_config("language_village", changes)).gamemaster(minds=counting).play()
    calls = {one.model: one.calls for one in counting.forecasts()}
    assert calls == {"lab/one": 60, "lab/two": 60}


def test_a_fork_of_a_village_in_which_people_move_goes_on_with_those_who_are_there(
    spoken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "fork.run"
    assert main(["fork", str(spoken), "--at", "5", "--set", "growth=0.3", "--out", str(out)]) == 0
    assert main(["verify", str(out)]) == 0
    asked = calls(out, capsys, "--question", "effort", "--round", "6")
    assert sum(one["name"].startswith("villager 2_") for one in asked) == 2


def test_the_replay_names_who_left_and_who_came(
    spoken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["replay", str(spoken), "--plain", "--from", "5"]) == 0
    fifth = capsys.readouterr().out.split("Round 6")[0]
    left, arrived = (
        next(line for line in fifth.splitlines() if line.startswith(kind)).split("villager ")[1:]
        for kind in ("left", "arrived")
    )
    assert len(left) == len(arrived) == 2
    assert all(name.startswith("1_") for name in left)
    assert all(name.startswith("2_") for name in arrived)


def test_an_upgrade_after_the_last_round_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "late.yaml"
    file.write_text(json.dumps({**SPOKEN, "mechanisms": [], "rounds": 3}))
    assert main(["run", str(file), "--quiet", "--out", str(tmp_path / "late.run")]) == 2
    assert "upgrades has round 4, and the last one is 3" in capsys.readouterr().err
    assert not (tmp_path / "late.run").exists()
