"""Referees and actors of all kinds in one scene: models, rules, and what people have said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.history import InMemoryRecorder
from society.llm.providers.free_minds import FreeMinds
from society.scenarios.scenes.scene import NOTHING_HAPPENS


class Referee(FreeMinds):
    """The offline mind, but for the referee, who gives these replies one after the other."""

    def __init__(self, *replies: str) -> None:
        super().__init__(1)
        self.verdicts, self.read = [*replies], list[str]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        said = await super().call(request, going, token)
        if request.address.kind != "resolve":
            return said
        self.read.append(request.messages[-1].content)
        return said._replace(text=self.verdicts.pop(0))


def evening(*replies: str) -> tuple[Any, InMemoryRecorder, Referee]:
    """An hour of two friends and a referee with these replies."""
    setup = build(load_config("pub_coordination", {"agents": 3, "rounds": 1}))
    recorder, minds = InMemoryRecorder(), Referee(*replies)
    outcome = setup.gamemaster([recorder], minds=minds).play()
    return outcome, recorder, minds


def told(recorder: InMemoryRecorder, name: str) -> list[Any]:
    steps = [step for page in recorder.pages for step in page.steps if step.sort == "tell"]
    values = [array for step in steps for key, array in step.arrays.items() if key[1] == name]
    last: list[Any] = values[-1][0].tolist()
    return last


def verdict(*moves: tuple[str, str], **stories: str) -> str:
    return json.dumps({"moves": [{"who": w, "place": p} for w, p in moves], **stories})


def test_a_referee_in_words_moves_friends() -> None:
    reply = verdict(("friend 0", "the Mill"), story_street="Friend 0 leaves without a word.")
    outcome, recorder, _ = evening(f"Let me see. {reply}")
    assert told(recorder, "place")[:2] == [3, 0]
    assert told(recorder, "story")[:2] == ["Friend 0 leaves without a word."] * 2
    assert outcome.ledger[-1].fallbacks == 0


@pytest.mark.parametrize(
    "reply",
    [
        verdict(("nobody", "the Mill")),
        verdict(("friend 7", "the Mill")),
        verdict(("friend 0", "the Lion")),
        '{"coins": 3}',
        '{"moves": [{"who": "friend 0"}]}',
        '{"moves": [{"who": "friend 0", "pla',
        "I do not know.",
    ],
)
def test_a_verdict_that_cannot_be_read_is_mended_once_and_then_changes_nothing(reply: str) -> None:
    outcome, recorder, minds = evening(*[reply] * 6)  # what breaks off gets more room, three times
    assert told(recorder, "place")[:2] == [0, 0]
    assert told(recorder, "story")[:2] == [NOTHING_HAPPENS] * 2
    assert [prompt for prompt in minds.read if "asked this before, and replied:" in prompt]
    assert sum(entry.fallbacks for entry in outcome.ledger) == 1
    assert outcome.measures["overruled"].mean == 0, "it has broken no rule"


def test_a_verdict_that_breaks_a_rule_is_asked_for_again_with_the_reason() -> None:
    wrong = verdict(("friend 0", "the Mill"), ("friend 0", "the Crown"))
    outcome, recorder, minds = evening(wrong, verdict(("friend 0", "the Crown")))
    reason = "friend 0 would be in two places, the Mill and the Crown."
    assert f"Your last decision is not possible: «{reason}» Decide once more." in minds.read[1]
    assert told(recorder, "place")[:2] == [1, 0]
    assert outcome.measures["overruled"].mean == 0


def test_after_a_second_broken_rule_nothing_changes_and_it_is_counted() -> None:
    wrong = verdict(("friend 0", "the Mill"), ("friend 0", "the Crown"))
    outcome, recorder, _ = evening(wrong, wrong)
    assert told(recorder, "place")[:2] == [0, 0]
    assert outcome.measures["overruled"].mean == 1


def test_people_play_with_rules_as_friends_and_as_the_referee(tmp_path: Path) -> None:
    """Friend 0 and the referee are what people said; friend 1 follows a rule."""
    rows = [
        {"match": 0, "round": 1, "stage": "act", "seat": 1, "decision": "Off to the Mill I go."},
        {
            "match": 0,
            "round": 1,
            "stage": "resolve",
            "seat": 3,
            "decision": {"moves": "friend 0 goes to the Mill", **dict.fromkeys(STORIES, "Oh.")},
        },
    ]
    file = tmp_path / "said.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    recorded = [{"recorded_decisions": {"file": str(file)}}]
    cohorts = [
        {"name": "person", "count": 1, "components": recorded},
        {"name": "friend", "count": 1, "components": ["pub_goer"]},
        {"name": "referee", "count": 1, "components": [*recorded, "plain_referee"]},
    ]
    said = {"agents": 3, "rounds": 1, "cohorts": cohorts}
    recorder = InMemoryRecorder()
    build(load_config("pub_coordination", said)).gamemaster([recorder]).play()
    assert told(recorder, "place")[:2] == [3, 0]
    assert told(recorder, "story")[:2] == ["Oh.", "Oh."]


STORIES = ("story_street", "story_crown", "story_anchor", "story_mill")


def test_a_verdict_on_what_each_one_does_that_cannot_be_read_changes_nothing() -> None:
    """The form has a list that is called like a fact: what workers do."""
    setup = build(load_config("collective_labour", {"agents": 3, "rounds": 1}))
    recorder, minds = InMemoryRecorder(), Referee("?", "?")
    outcome = setup.gamemaster([recorder], minds=minds).play()
    assert told(recorder, "stance") == [0, 0, 0]
    assert sum(entry.fallbacks for entry in outcome.ledger) == 1
