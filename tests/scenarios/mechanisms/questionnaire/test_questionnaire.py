"""Questionnaires around a scenario: when, to whom, how; and that nothing comes of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.agents import RunContext
from society.engine.component import Agent, Component, Inquiry
from society.engine.history import InMemoryRecorder, Page, page_digest
from society.engine.population import Cohort, Population
from society.errors import InputError, PartError, RunFileError, Unparsed
from society.runs.play import play, resume
from society.runs.runfile import Writer, manifest_of, open_run_file
from society.runs.verify import verify
from society.scenarios.mechanisms.questionnaire.answers import GivenAnswers, read_answers
from society.scenarios.mechanisms.questionnaire.instrument import Instrument
from tests.conftest import Written

FISHERS = ["persona", "harvest", "norm_belief", "punishment", "social_learning", "voting"]
ITEMS = [
    {"id": "like", "text": "I like it here.", "kind": "likert", "points": 5},
    {"id": "leave", "text": "I want to leave.", "kind": "likert", "points": 5, "reversed": True},
    {"id": "age", "text": "How old are you?", "kind": "number", "low": 0, "high": 99},
    {"id": "home", "text": "Where?", "kind": "choice", "options": ["hut", "boat"]},
    {"id": "why", "text": "Why?", "kind": "open", "optional": True},
]
INSTRUMENT = {
    "name": "well",
    "title": "Well-being",
    "items": ITEMS,
    "scales": {"wellbeing": {"items": ["like", "leave"]}},
}
STATED = {"like": 4, "leave": 1, "age": 30, "home": "boat", "why": "the sea"}
RESPONDENT = {"questionnaire_answers": {"answers_to": STATED}}


def village(*parts: Any, days: int = 5, **given: Any) -> Society:
    """Four fishers, asked as said; without anything said they are not asked."""
    faculties = [*FISHERS, *(parts or [RESPONDENT])]
    cohorts = [{"name": "villager", "count": 4, "components": faculties}]
    return society("fishing_village", given, cohorts=cohorts, rounds=days)


def talkers(scenario: str = "donor_game", **given: Any) -> Society:
    """Four language minds without a network, asked as said."""
    return society(scenario, given, agents=4, rounds=3, models={"default": "offline"})


def society(scenario: str, given: dict[str, Any], **changes: Any) -> Society:
    asked = [{"questionnaire": {"instrument": INSTRUMENT, **given}}] if given else []
    return build(load_config(scenario, {"replicates": 2, "mechanisms": asked, **changes}))


def pages_of(setup: Society) -> list[Page]:
    recorder = InMemoryRecorder()
    setup.gamemaster([recorder]).play()
    return recorder.pages


def answered(setup: Society) -> list[GivenAnswers]:
    instruments = {"well": Instrument.model_validate(INSTRUMENT)}
    return [one for page in pages_of(setup) for one in read_answers(page, instruments)]


# When


@pytest.mark.parametrize(
    ("given", "occasions"),
    [
        ({"before": True}, [("before", 0, 0), ("end", 5, 5)]),
        ({"after": False}, [("before", 0, 0)]),
        (
            {"rounds": [2, 3]},
            [("before", 0, 0), ("round 2", 2, 3), ("round 3", 3, 4), ("end", 5, 5)],
        ),
        ({"before": False, "every": 2}, [("round 2", 2, 3), ("round 4", 4, 5), ("end", 5, 5)]),
        ({"before": False, "rounds": [5, 9], "after": False}, [("end", 5, 5)]),
    ],
)
def test_it_is_given_before_after_rounds_and_at_the_end(
    given: dict[str, Any], occasions: list[tuple[str, int, int]]
) -> None:
    """Its label, how many rounds are over, and the page on which it stands."""
    found = answered(village(**given))
    assert [(*one.occasion, one.page) for one in found] == occasions


def test_after_a_game_of_several_rounds_comes_that_game_and_not_the_next() -> None:
    """Two games of three rounds: the third round is over before the second game begins."""
    games: list[Any] = [{"repetition": {"games": 2}}]
    asked = {"questionnaire": {"instrument": INSTRUMENT, "rounds": [3], "before": False}}
    cohort = {"name": "villager", "count": 4, "components": [*FISHERS, RESPONDENT]}
    outer = load_config(
        "fishing_village", {"rounds": 3, "mechanisms": [*games, asked], "cohorts": [cohort]}
    )
    found = answered(build(outer))
    assert [one.occasion.label for one in found] == ["round 3", "end"]
    inner = load_config(
        "fishing_village",
        {
            "rounds": 3,
            "mechanisms": [{"questionnaire": {"instrument": INSTRUMENT, "rounds": [2]}}, *games],
            "cohorts": [cohort],
        },
    )
    labels = [one.occasion.label for one in answered(build(inner))]
    assert labels == ["before", "round 2", "end"] * 2


# What


@pytest.mark.parametrize(
    "given",
    [
        {"mode": "together"},
        {"mode": "apart"},
        {"mode": "interview"},
        {"mode": "together", "order": "shuffled"},
        {"mode": "interview", "order": "shuffled"},
    ],
)
def test_answers_are_the_same_in_whatever_way_items_are_asked(given: dict[str, Any]) -> None:
    first, last = answered(village(**given))
    assert {name: set(values.flat) for name, values in first.answers.items()} == {
        "like": {4},
        "leave": {1},
        "age": {30},
        "home": {"boat"},
        "why": {"the sea"},
    }
    assert set(last.scores["wellbeing"].flat) == {(4 + 5) / 2}


def test_each_agent_has_an_order_of_its_own_which_chance_gives_it() -> None:
    pages = pages_of(village(order="shuffled"))
    (first,), (last,) = pages[0].asides, pages[-1].asides
    orders = first.arrays["own", "item_order"]
    assert orders.shape == (2, 4, 5)
    assert (np.sort(orders, axis=-1) == np.arange(5)).all()
    assert len({tuple(order) for order in orders.reshape(-1, 5).tolist()}) > 4
    assert (orders != last.arrays["own", "item_order"]).any()
    again = pages_of(village(order="shuffled", every=1))[0].asides[0]
    assert (again.arrays["own", "item_order"] == orders).all()


def test_an_interview_shows_what_was_asked_and_answered_before() -> None:
    asides = pages_of(village(mode="interview"))[0].asides
    assert len(asides) == len(ITEMS)
    last = asides[-1].arrays
    assert last["own", "earlier_items"][0, 0].tolist() == [0, 1, 2, 3]
    assert last["own", "earlier_answers"][0, 0].tolist() == ["4", "1", "30", "boat"]
    assert ("own", "earlier_items") not in asides[0].arrays


def test_only_the_cohorts_that_are_named_are_asked() -> None:
    cohorts = [
        {"name": "mute", "count": 2, "components": FISHERS},
        {"name": "villager", "count": 2, "components": [*FISHERS, RESPONDENT]},
    ]
    asked = {"questionnaire": {"instrument": INSTRUMENT, "cohorts": ["villager"]}}
    given = {"cohorts": cohorts, "mechanisms": [asked], "rounds": 2}
    first, _ = answered(build(load_config("fishing_village", given)))
    assert first.asked.tolist() == [[False, False, True, True]]
    np.testing.assert_equal(first.answers["age"], [[np.nan, np.nan, 30, 30]])


def test_who_takes_part_no_more_is_not_asked_and_who_is_over_is_asked_at_the_end() -> None:
    """In a lake that is empty soon, whoever starves is gone, and the village is over."""
    poor = {"parameters": {"growth": 0.0, "capacity": 30.0}}
    changes = load_config("fishing_village", poor)
    cohort = {"name": "villager", "count": 4, "components": [*FISHERS, RESPONDENT]}
    asked = {"questionnaire": {"instrument": INSTRUMENT, "every": 1}}
    setup = build(
        load_config(
            "fishing_village",
            {**poor, "cohorts": [cohort], "mechanisms": [asked], "rounds": 200},
        )
    )
    assert changes.parameters == poor["parameters"]
    pages = pages_of(setup)
    last = [*read_answers(pages[-1], {"well": Instrument.model_validate(INSTRUMENT)})][-1]
    assert not pages[-1].running.any(), "the village is over"
    assert last.occasion.label == "end"
    assert (last.asked == pages[-1].present).all()


# Nothing comes of it


@pytest.mark.parametrize(
    "who", ["rules", "donor_game", pytest.param("language_village", marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize(
    "given", [{"every": 1}, {"mode": "interview", "order": "shuffled", "rounds": [1, 2]}]
)
def test_the_history_is_the_same_with_it_and_without(given: dict[str, Any], who: str) -> None:
    plain, asked = (
        (village(days=3, **one) if who == "rules" else talkers(who, **one)).gamemaster().play()
        for one in ({}, given)
    )
    assert asked.digest == plain.digest
    assert asked.ends == plain.ends


def test_prompts_of_the_scenario_are_the_same_with_it_and_without(tmp_path: Path) -> None:
    prompts = []
    ways: dict[str, dict[str, Any]] = {"with": {"every": 1}, "without": {}}
    for name, given in ways.items():
        path = tmp_path / f"{name}.run"
        play(talkers(**given), path)
        with open_run_file(path) as run:
            calls = [call.request for call in run.calls()]
        prompts.append([one.messages for one in calls if one.address.kind != "questionnaire"])
    assert prompts[0] == prompts[1]


@pytest.mark.parametrize("game", ["prisoners_dilemma", "trust", "public_goods"])
def test_players_are_told_the_rules_of_their_game_from_their_own_seats(
    game: str, tmp_path: Path
) -> None:
    asked = [{"questionnaire": {"instrument": INSTRUMENT}}]
    changes = {"models": {"default": "offline"}, "mechanisms": asked}
    play(build(load_config(game, changes)), tmp_path / "a.run")
    with open_run_file(tmp_path / "a.run") as run:
        calls = [call.request for call in run.calls()]
    prompts = [one.messages[-1].content for one in calls if one.address.kind == "questionnaire"]
    assert all("You play a game" in one for one in prompts)
    second = "You A0, the other player A1: you get 2 points, the other player 6 points."
    assert (second in prompts[1]) == (game == "trust")


def test_findings_are_the_mean_scores_by_occasion(tmp_path: Path) -> None:
    play(village(every=1, days=2), tmp_path / "a.run")
    with open_run_file(tmp_path / "a.run") as run:
        found = {one.name: one.values.tolist() for one in run.findings() or ()}
    occasions = ("before", "round_1", "end")
    assert found == {f"wellbeing_{occasion}": [4.5, 4.5] for occasion in occasions}


def test_an_occasion_that_comes_again_counts_the_last_time_and_says_so(tmp_path: Path) -> None:
    asked = {"questionnaire": {"instrument": INSTRUMENT, "after": False}}
    noisy = {"questionnaire_answers": {"noise": 0.3}}
    cohorts = [{"name": "villager", "count": 4, "components": [*FISHERS, noisy]}]
    twice = {
        "mechanisms": [asked, {"generations": {"count": 2, "fitness": "wealth"}}],
        "cohorts": cohorts,
    }
    play(build(load_config("fishing_village", {"rounds": 2, **twice})), tmp_path / "a.run")
    with open_run_file(tmp_path / "a.run") as run:
        found = [one for one in run.findings() or () if one.name == "wellbeing_before"]
        instruments = {"well": Instrument.model_validate(INSTRUMENT)}
        given = [one for page in run.pages() for one in read_answers(page, instruments)]
    assert len(found) == 1
    assert found[0].unit == "mean of the items, mean over agents, last of 2 times"
    first, last = (one.scores["wellbeing"].mean() for one in given)
    assert found[0].values.tolist() == [last] != [first]


# Run files


def test_its_answers_are_kept_verified_and_kept_at_level_summary_too(tmp_path: Path) -> None:
    for level in ("full", "summary"):
        path = tmp_path / f"{level}.run"
        setup = village(every=2, mode="interview")
        with Writer(path, manifest_of(setup, level)) as writer:
            setup.gamemaster([writer]).play()
        assert verify(path).ok
        with open_run_file(path) as run:
            kinds = [step.kind for page in run.pages() for step in page.asides]
        assert kinds == ["questionnaire"] * len(ITEMS) * 4


KILLED = """
import os, signal, sys
from pathlib import Path
from society.engine.calls import Completion
from society.llm.providers.offline import Offline
from society.runs.play import play
from tests.scenarios.mechanisms.questionnaire.test_questionnaire import talkers

plain, left = Offline.__call__, [int(sys.argv[2])]

def dying(self, request):
    left[0] -= request.address.kind == "questionnaire"
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(self, request)

Offline.__call__ = dying
play(talkers(every=1, mode="interview"), Path(sys.argv[1]))
"""


@pytest.mark.thorough
def test_a_run_killed_amid_an_interview_is_resumed_to_the_same_answers(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed.run", tmp_path / "whole.run"
    play(talkers(every=1, mode="interview"), whole)
    done = subprocess.run([sys.executable, "-c", KILLED, str(killed), "49"], check=False)
    assert done.returncode == -9
    resume(killed)
    with open_run_file(killed) as one, open_run_file(whole) as other:
        assert one.outcome().digest == other.outcome().digest
        for page, same in zip(one.pages(), other.pages(), strict=True):
            assert page_digest(page.number, page.asides) == page_digest(same.number, same.asides)


def test_a_resumed_run_whose_answers_differ_is_refused(tmp_path: Path) -> None:
    """Rules that answer otherwise than before change no history, and are found nevertheless."""
    path = tmp_path / "a.run"
    setup = village(every=1)
    with pytest.raises(KeyboardInterrupt):
        _play_until(setup, path, 3)
    with open_run_file(path) as run:
        writer = Writer.resumed(run)
    other = village({"questionnaire_answers": {"answers_to": {**STATED, "age": 31}}}, every=1)
    with pytest.raises(RunFileError, match="round 0 differs from the record"), writer:
        other.gamemaster([writer]).play()


def _play_until(setup: Society, path: Path, number: int) -> None:
    with Writer(path, manifest_of(setup, "full")) as writer:

        class Leaving:
            def page(self, page: Page) -> None:
                writer.page(page)
                if page.number == number:
                    raise KeyboardInterrupt

        setup.gamemaster([Leaving()]).play()


# Errors


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cohorts": ["fisher"]}, "needs a cohort called 'fisher'"),
        ({"order": "shuffled", "mode": "apart"}, "leave order out"),
        ({"before": False, "after": False}, "it is never given"),
        ({"rounds": [0]}, "rounds.0.: got 0; expected a whole number of at least 1"),
        ({"instrument": None}, "no instrument is given.*social_norms, social_trust"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        village(**given)


def test_two_instruments_of_one_name_are_refused() -> None:
    other = {**INSTRUMENT, "title": "Another"}
    asked = [{"questionnaire": {"instrument": one}} for one in (INSTRUMENT, other)]
    with pytest.raises(InputError, match="two instruments are called 'well'"):
        build(load_config("fishing_village", {"mechanisms": asked}))


def test_a_questionnaire_after_a_round_that_is_never_played_is_refused() -> None:
    given = {"instrument": INSTRUMENT, "rounds": [9], "before": False, "after": False}
    asked = {"mechanisms": [{"questionnaire": given}], "rounds": 3}
    words = "it is never given in a run of at most 3 rounds"
    with pytest.raises(InputError, match=words):
        build(load_config("fishing_village", asked))
    build(load_config("fishing_village", {**asked, "rounds": 9}))


def test_two_instruments_with_a_scale_of_one_name_are_refused() -> None:
    other = {**INSTRUMENT, "name": "ill"}
    asked = [{"questionnaire": {"instrument": one}} for one in (INSTRUMENT, other)]
    with pytest.raises(InputError, match="well and ill both have a scale 'wellbeing'"):
        build(load_config("fishing_village", {"mechanisms": asked}))


def test_the_same_instrument_is_for_the_same_agents_once_and_for_others_again() -> None:
    cohorts = [{"name": name, "count": 2, "components": [*FISHERS, RESPONDENT]} for name in "ab"]

    def asked(*cohorts_of_entries: str) -> Society:
        entries = [
            {"questionnaire": {"instrument": INSTRUMENT, "cohorts": [*names]}}
            for names in cohorts_of_entries
        ]
        return build(load_config("fishing_village", {"cohorts": cohorts, "mechanisms": entries}))

    assert asked("a", "b").unanswered() is None
    with pytest.raises(InputError, match="well is given to the same agents twice"):
        asked("a", "ab")


def test_a_mistake_of_the_script_within_keeps_its_place(written: Written) -> None:
    file = written("wood.py", WOOD)
    asked = {"questionnaire": {"instrument": INSTRUMENT, "before": False}}
    setup = build(load_config(file, {"mechanisms": [asked]}), rehearsed=False)
    with pytest.raises(PartError, match=r"wood.py:10: wood, 'felled': fact 'cut' has shape"):
        setup.gamemaster().play()


WOOD = """
import numpy as np
from society import Cohort, Params, Tell, own, scenario

def cast(params, count):
    return [Cohort("feller", count, ())]

@scenario(params=Params, cast=cast, rounds=1, agents=3)
def wood(env):
    yield Tell("felled", {"cut": own(np.zeros((1, 7)))})
"""


def test_a_cohort_in_which_nobody_answers_is_told_who_could() -> None:
    setup = village("questionnaire_answers")  # not asked
    assert setup.unanswered() is None


# Within and around other mechanisms


PLAYERS = ["mechanism_use", "sanctions", "classic_strategies", RESPONDENT]
ASKED = {"questionnaire": {"instrument": INSTRUMENT, "every": 2}}
TYPES = [{"name": name, "components": PLAYERS} for name in ("ann", "bob")]
GENERATIONS = {"generations": {"count": 2, "fitness": "final", "phenotype": "share"}}
CHOICE = {"institution_choice": {"options": ["baseline", "peer_punishment"], "by": "feet"}}
FOUR = [{"name": "player", "count": 4, "components": PLAYERS}]
THREE = [{"name": "player", "count": 3, "components": PLAYERS}]
DONORS = [{"name": "donor", "count": 4, "components": ["donation", RESPONDENT]}]
STACKS: list[tuple[str, list[Any], list[Any]]] = [
    ("prisoners_dilemma", FOUR, [{"repetition": {"games": 3}}, ASKED]),
    ("prisoners_dilemma", FOUR, [ASKED, {"reputation": {"games": 3}}]),
    ("prisoners_dilemma", FOUR, [ASKED, "contracts", "cheap_talk"]),
    ("prisoners_dilemma", TYPES, [{"repetition": {"games": 2}}, ASKED, "tournament"]),
    ("prisoners_dilemma", TYPES, [ASKED, "contracts", "tournament"]),
    ("donor_game", DONORS, [GENERATIONS, ASKED]),
    ("donor_game", DONORS, [ASKED, GENERATIONS]),
    ("public_goods", THREE, [ASKED, CHOICE]),
    ("public_goods", THREE, [CHOICE, ASKED]),
]


@pytest.mark.parametrize("number", range(len(STACKS)))
def test_the_history_is_the_same_within_and_around_other_mechanisms(
    number: int, tmp_path: Path
) -> None:
    scenario, cohorts, mechanisms = STACKS[number]
    digests = []
    for stack in (mechanisms, [one for one in mechanisms if one is not ASKED]):
        given: dict[str, Any] = {"cohorts": cohorts, "mechanisms": stack}
        if scenario == "donor_game":
            given["rounds"] = 4
        path = tmp_path / f"{len(stack)}.run"
        play(build(load_config(scenario, given)), path)
        with open_run_file(path) as run:
            digests.append(run.outcome().digest)
            asked = any(page.asides for page in run.pages())
        assert asked == (stack is mechanisms)
    assert digests[0] == digests[1]


def test_those_who_are_asked_after_others_stand_with_them() -> None:
    """Players of two groups play, and are asked, one group after the other."""
    given = {"cohorts": THREE, "mechanisms": [ASKED, CHOICE]}
    first, last = answered(build(load_config("public_goods", given)))
    assert first.asked.tolist() == last.asked.tolist() == [[True, True, True]]
    assert first.answers["age"].tolist() == [[30, 30, 30]]


def test_slices_of_replicates_have_the_answers_of_the_batch() -> None:
    """Both replicates, each a game of its own, in an interview of shuffled items."""
    setup = village(every=2, mode="interview", order="shuffled")
    whole, merged = pages_of(setup), InMemoryRecorder()
    setup.sliced_game([merged]).play()
    for page, same in zip(whole, merged.pages, strict=True):
        assert page.digest == same.digest
        assert page_digest(page.number, page.asides) == page_digest(same.number, same.asides)


def test_answers_of_people_are_read_from_a_table(written: Written) -> None:
    """Seat 1 answers before and at the end; seat 2 leaves out why, as it may."""
    rows = [
        {"match": 0, "round": when, "stage": "questionnaire", "seat": seat, "decision": said}
        for when in (1, 2)
        for seat, said in (
            (1, {"like": 5, "leave": 2, "age": 41, "home": "hut", "why": f"time {when}"}),
            (2, {"like": "3", "leave": 3, "age": 20.5, "home": "boat", "why": "no answer"}),
        )
    ]
    file = written("answers.jsonl", "\n".join(map(json.dumps, rows)))
    people = {"name": "people", "count": 2, "components": []}
    people["components"] = [*FISHERS, {"recorded_decisions": {"file": file}}]
    given = {"cohorts": [people], "mechanisms": [{"questionnaire": {"instrument": INSTRUMENT}}]}
    first, last = answered(build(load_config("fishing_village", {"rounds": 2, **given})))
    assert first.answers["like"].tolist() == [[5, 3]]
    assert first.answers["age"].tolist() == [[41, 20.5]]
    assert first.answers["home"].tolist() == [["hut", "boat"]]
    assert first.answers["why"].tolist() == [["time 1", None]]
    assert last.answers["why"].tolist() == [["time 2", None]]
    assert last.scores["wellbeing"].tolist() == [[(5 + 4) / 2, 3]]


class Mumbling(Component):
    """Seat 0 of the first replicate cannot be understood."""

    answers = ("questionnaire",)

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        if (agent.replicate, agent.seat) == (0, 0):
            raise Unparsed("mumble")
        return STATED


def test_an_answer_that_cannot_be_read_is_missing_and_counted(tmp_path: Path) -> None:
    cohorts = [Cohort("villager", 4, (*map(_made, FISHERS), Mumbling()))]
    setup = village(after=False)
    recorder = InMemoryRecorder()
    game = setup.gamemaster([recorder])
    game.answerer = Population(cohorts, RunContext(game.env))
    outcome = game.play()
    instruments = {"well": Instrument.model_validate(INSTRUMENT)}
    (given,) = read_answers(recorder.pages[0], instruments)
    np.testing.assert_equal(given.answers["like"][0], [np.nan, 4, 4, 4])
    assert given.answers["home"][0].tolist() == [None, "boat", "boat", "boat"]
    assert np.isnan(given.scores["wellbeing"]).sum() == 1
    assert given.asked.all()
    (usage,) = outcome.ledger
    assert (usage.kind, usage.fallbacks) == ("questionnaire", 1)


def _made(name: str) -> Component:
    setup = village(days=1)
    return next(one for one in setup.cast()[0].components if one.title() == name)
