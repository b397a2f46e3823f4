"""The terms of every mechanism around a scenario reach everybody who is asked anything in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from society.config import registry
from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.component import Agent, Inquiry
from society.errors import InputError
from society.llm.prompt_files import Prompts

OF_PROGRAMS = {"cultural_evolution", "program_tournament", "self_play"}  # nobody is asked in words
GAMES = (
    "collective_risk",
    "common_pool",
    "matching_pennies",
    "normal_form",
    "prisoners_dilemma",
    "public_goods",
    "stag_hunt",
    "travellers_dilemma",
    "trust",
)
MECHANISMS = """
from society.engine.scenario import mechanism
from society.engine.mechanism import intercept


@mechanism
def toll(play, *, rate: float = 0.25):
    \"\"\"Whoever passes pays a toll.\"\"\"
    return lambda env: intercept(play(env))


@mechanism
def tithe(play):
    \"\"\"Everybody owes a tithe.

    What it is for is no business of anybody's.
    \"\"\"
    return lambda env: intercept(play(env))


@mechanism
def hidden(play):
    return lambda env: intercept(play(env))
"""
TOLL, TITHE = "Whoever passes pays 25 %.", "Everybody owes a tithe."


class Question(NamedTuple):
    kind: str
    agent: str
    words: str
    system: str

    @property
    def whole(self) -> str:
        return self.system + self.words


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder with three mechanisms, of which one has terms of its own."""
    (tmp_path / "tolls.py").write_text(MECHANISMS)
    write(
        tmp_path / "prompts" / "toll" / "terms.md",
        "Whoever passes pays {{ (100 * m.rate) | number }} %.",
    )
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Callable[[Society], list[Question]]:
    """All questions in words that are asked while a society is played."""

    def played(setup: Society) -> list[Question]:
        asked: list[Question] = []
        question = Prompts.question

        def heard(self: Prompts, ask: Inquiry, agent: Agent, *, page: str = "", **more: Any) -> str:
            words = question(self, ask, agent, page=page, **more)
            if not page:
                asked.append(Question(ask.kind, agent.name, words, more["system"]))
            return words

        with monkeypatch.context() as patched:
            patched.setattr(Prompts, "question", heard)
            setup.gamemaster().play()
        return asked

    return played


def in_words(folder: Path, scenario: str, mechanisms: Sequence[Any], **more: Any) -> Society:
    """A short society of language minds."""
    said: dict[str, Any] = {
        "uses": [str(folder / "tolls.py")],
        "mechanisms": [{one: {}} if isinstance(one, str) else one for one in mechanisms],
        "models": {"default": {"model": "offline"}},
        "replicates": 1,
        "rounds": 1 if scenario in GAMES else 2,
    }
    if scenario == "fishing_village":
        said["cohorts"] = [{"name": "villagers", "count": 4, "components": ["language_policy"]}]
    elif scenario not in GAMES:
        said["agents"] = 4
    return build(load_config(scenario, {**said, **more}))


@pytest.mark.parametrize("scenario", sorted(registry.scenarios().keys() - OF_PROGRAMS))
def test_terms_of_a_users_mechanisms_are_in_every_question_in_order(
    scenario: str, folder: Path, questions: Callable[[Society], list[Question]]
) -> None:
    asked = questions(in_words(folder, scenario, ["toll", "tithe"]))
    assert asked
    for question in asked:
        assert question.whole.count(TOLL) == 1, question
        assert question.whole.index(TOLL) < question.whole.index(TITHE), question
        assert question.whole.index(TITHE) < question.whole.index("Form of the answer"), question
        assert "no business" not in question.whole
    assert len({question.agent for question in asked}) > 1 or scenario == "norm_coding"


AGREEMENTS: Mapping[str, Any] = {
    "contracts": {},
    "cheap_talk": {"rounds": 2},
    "peer_punishment": {},
    "peer_reward": {},
    "leadership": {},
    "mediation": {},
    "correlation_device": {},
}
REFUSED = {
    ("fishing_village", "correlation_device"),
    *(("donor_game", name) for name in AGREEMENTS if name not in ("cheap_talk", "mediation")),
}


@pytest.mark.parametrize("name", sorted(AGREEMENTS))
@pytest.mark.parametrize("scenario", ["prisoners_dilemma", "fishing_village", "donor_game"])
def test_a_mechanisms_own_questions_have_the_terms_of_the_others(
    scenario: str, name: str, folder: Path, questions: Callable[[Society], list[Question]]
) -> None:
    mechanisms = ["toll", {name: AGREEMENTS[name]}, "tithe"]
    if (scenario, name) in REFUSED:
        with pytest.raises(InputError):
            in_words(folder, scenario, mechanisms)
        return
    setup = in_words(folder, scenario, mechanisms)
    for question in questions(setup):
        assert question.whole.count(TOLL) == question.whole.count(TITHE) == 1, question


def test_terms_are_told_under_an_option_where_its_mechanism_is_in_force(
    folder: Path, questions: Callable[[Society], list[Question]]
) -> None:
    options = ["tithe", ["cheap_talk", "peer_punishment"]]
    chosen = {"institution_choice": {"options": options}}
    asked = questions(in_words(folder, "prisoners_dilemma", ["toll", chosen, {"repetition": {}}]))
    assert {question.kind for question in asked} == {"choose", "say", "move", "fine"}
    for question in asked:
        assert question.words.count(TOLL) == 1
        assert question.words.count("You play this game again and again") == 1
        assert TITHE in question.words or question.kind != "choose"
        fines = question.words.count("each of you may spend points on fining")
        assert fines == (question.kind in ("say", "fine") or "You: «" in question.words), question


def test_the_order_of_mechanisms_is_the_order_of_their_terms(
    folder: Path, questions: Callable[[Society], list[Question]]
) -> None:
    fines, talk = "may spend points on fining", "everybody says something to all"
    for order in (["peer_punishment", "cheap_talk"], ["cheap_talk", "peer_punishment"]):
        asked = questions(in_words(folder, "prisoners_dilemma", order))
        move = next(one.words for one in asked if one.kind == "move")
        assert (move.index(fines) < move.index(talk)) == (order[0] == "peer_punishment")


def test_a_template_that_does_not_place_terms_has_them_before_the_form(
    folder: Path, questions: Callable[[Society], list[Question]]
) -> None:
    write(folder / "pack/prisoners_dilemma/move.md", 'Move!\n{% include "any/answer.md" %}')
    setup = in_words(folder, "prisoners_dilemma", ["tithe"], prompts=str(folder / "pack"))
    start, _, _ = questions(setup)[0].words.partition("Think step by step")
    assert start == f"Move!\n{TITHE}\n\n"


def test_a_template_without_a_form_has_terms_at_its_end(
    folder: Path, questions: Callable[[Society], list[Question]]
) -> None:
    write(folder / "pack/prisoners_dilemma/move.md", "Move!")
    setup = in_words(folder, "prisoners_dilemma", ["tithe", "toll"], prompts=str(folder / "pack"))
    assert questions(setup)[0].words == f"Move!\n\n{TITHE}\n\n{TOLL}"


def test_a_pack_may_put_terms_into_other_words_and_a_scenario_into_its_own(
    folder: Path, questions: Callable[[Society], list[Question]]
) -> None:
    write(folder / "pack/tithe/terms.md", "A tenth is due.")
    setup = in_words(folder, "trust", ["tithe"], prompts=str(folder / "pack"))
    assert "A tenth is due." in questions(setup)[0].words
    write(folder / "pack/trust/tithe/terms.md", "A tenth of all trust is due.")
    setup = in_words(folder, "trust", ["tithe"], prompts=str(folder / "pack"))
    words = questions(setup)[0].words
    assert "A tenth of all trust is due." in words
    assert "A tenth is due." not in words


def test_a_mechanism_of_which_nothing_can_be_told_is_refused_for_language_minds(
    folder: Path,
) -> None:
    with pytest.raises(InputError, match=r"hidden .*describe it in prompts/hidden/terms\.md"):
        in_words(folder, "trust", ["hidden"])
    rules = {"uses": [str(folder / "tolls.py")], "mechanisms": [{"hidden": {}}]}
    assert build(load_config("trust", rules)).scenario.mechanisms == ("hidden",)


def test_hashes_are_of_the_terms_that_can_be_told(folder: Path) -> None:
    names = set(in_words(folder, "prisoners_dilemma", ["toll", "peer_punishment"]).words.hashes())
    assert {"toll/terms.md", "peer_punishment/terms.md", "peer_punishment/fine.md"} <= names
    assert not {"peer_punishment/option.md", "peer_reward/terms.md", "contracts/terms.md"} & names
    options = {"institution_choice": {"options": ["baseline", "peer_reward"]}}
    names = set(in_words(folder, "prisoners_dilemma", [options]).words.hashes())
    assert {"peer_reward/option.md", "peer_reward/terms.md", "peer_reward/give.md"} <= names
