"""What was told is remembered, and some of it comes to mind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.engine.action_spaces import Real
from society.engine.calls import NoCallStore, Request
from society.engine.environment import Environment
from society.engine.population import fill_from_params
from society.engine.rng import Array
from society.engine.scenario import Params
from society.engine.script import Ask, Inherit, Script, Tell, common, own
from society.errors import CastError, Paused
from society.memory import embedders
from society.memory.embedders import MissingExtra

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking


def days(env: Environment) -> Script:
    """Every day a catch is told, each its own, then a price, then all are asked."""
    for day in env.rounds():
        yield Tell("landed", {"catch": own(np.array([[0.5, 1.5, 2.5]]) + day)})
        yield Tell("traded", {"price": common(float(day))})
        yield Ask("bid", Real(0, 1))


def recalled(held: Talk, agent: int = 1) -> list[list[str]]:
    """The memories in each prompt to one agent."""
    mine = [
        "\n\n".join(part.content for part in r.messages)
        for r in held.requests
        if r.address.agent == agent
    ]
    lists = [prompt.partition("What you remember:\n")[2].partition("\n\n")[0] for prompt in mine]
    return [memories.splitlines() for memories in lists]


def test_the_latest_memories_come_back_each_with_its_round(talk: Talking) -> None:
    held = talk(days, Recall(k=3), LanguagePolicy(), says="1", rounds=2)
    assert recalled(held) == [
        ["- Round 1: landed: catch 2.5", "- Round 1: traded: price 1"],
        [
            "- Round 1: traded: price 1",
            "- Round 2: landed: catch 3.5",
            "- Round 2: traded: price 2",
        ],
    ]


def test_everybody_remembers_what_it_was_told_itself(talk: Talking) -> None:
    held = talk(days, Recall(), LanguagePolicy(), says="1")
    assert [recalled(held, agent)[0][0] for agent in range(3)] == [
        "- Round 1: landed: catch 1.5",
        "- Round 1: landed: catch 2.5",
        "- Round 1: landed: catch 3.5",
    ]


def test_who_has_heard_nothing_remembers_nothing(talk: Talking) -> None:
    def silence(env: Environment) -> Script:
        yield Ask("bid", Real(0, 1))

    for kind in ("episodic", "associative"):
        held = talk(silence, Recall(kind), LanguagePolicy(), says="1")
        assert "remember" not in held.prompts[0]


def test_no_more_is_kept_than_the_limit(talk: Talking) -> None:
    held = talk(days, Recall(k=50, limit=4), LanguagePolicy(), says="1", rounds=9)
    assert len(recalled(held)[-1]) == 4


def test_what_has_no_words_is_not_remembered(talk: Talking, tmp_path: Path) -> None:
    """A prompt pack can hide from memory what an agent need not remember."""
    hidden = tmp_path / "parlour" / "told" / "traded.md"
    hidden.parent.mkdir(parents=True)
    hidden.write_text("")
    held = talk(days, Recall(), LanguagePolicy(), says="1", folders=[tmp_path])
    assert recalled(held)[0] == ["- Round 1: landed: catch 2.5"]


def test_an_event_without_facts_is_remembered_only_where_it_happens(talk: Talking) -> None:
    """The end is told in every round; a sentence changes nothing about that, facts do."""

    def dusk(env: Environment) -> Script:
        for day in env.rounds():
            yield Tell("ruined", ends=np.array([[False]]))
            yield Tell("burnt", ends=np.array([[False]]), text="The house burnt down.")
            yield Tell("left", gone=np.array([[day == 2, False, False]]))
            yield Tell("rang", occurs=np.array([[day == 1]]))
            yield Tell("dawned")
            yield Ask("bid", Real(0, 1))

    held = talk(dusk, Recall(k=9), LanguagePolicy(), says="1", rounds=2)
    assert recalled(held) == [
        ["- Round 1: rang", "- Round 1: dawned"],
        [
            "- Round 1: rang",
            "- Round 1: dawned",
            "- Round 2: left",
            "- Round 2: dawned",
        ],
    ]


def storm_and_calm(env: Environment) -> Script:
    """Two storms long ago, then calm days; the question is about storms."""
    for day in env.rounds():
        storm = "a storm broke the boats" if day in (2, 4) else f"nothing to report on day {day}"
        yield Tell("news", {"words": common(np.array([[storm]], object))})
        yield Ask("repair_boats_after_a_storm", Real(0, 1))


def test_an_associative_memory_brings_back_what_fits_the_question(talk: Talking) -> None:
    held = talk(storm_and_calm, Recall("associative", k=1), LanguagePolicy(), says="1", rounds=12)
    assert recalled(held)[-1] == ["- Round 4: news: words «a storm broke the boats»"]


def test_facts_of_a_question_do_not_steer_what_is_remembered(talk: Talking) -> None:
    """They may be for rules alone: prompts leave them out."""

    def remembered(words: str) -> list[str]:
        def asking(env: Environment) -> Script:
            yield from storm_and_calm(env)
            facts = {"hidden": common(np.array([[words]], object)), "depth": common(len(words))}
            yield Ask("mend_nets", Real(0, 1), facts)

        recall = Recall("associative", k=1)
        return recalled(talk(asking, recall, LanguagePolicy(), says="1", rounds=9))[-1]

    assert remembered("a storm broke the boats") == remembered("nothing to report on day 7")


class Lengths:
    """Embeds by the number of words, and keeps what it was asked for."""

    name, size = "lengths", 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Array:
        self.asked += texts
        return np.array([[len(text.split())] for text in texts], np.float32)


def test_all_agents_look_for_the_same_and_a_repair_does_not_look_again(
    talk: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a record has to keep one vector for each kind of question."""
    lengths = Lengths()
    monkeypatch.setitem(embedders._BY_NAME, "minilm", lambda: lengths)

    def says(request: Request) -> str:
        return "0.5" if request.again else "Hm."

    recall = Recall("associative", embedder="minilm")
    held = talk(storm_and_calm, recall, LanguagePolicy(), says=says, agents=2)
    assert len(held.requests) == 4
    assert lengths.asked[1:] == ["repair boats after a storm"] * 2


def test_what_can_be_computed_again_to_the_bit_is_not_kept(
    talk: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(NoCallStore, "vectors")
    held = talk(storm_and_calm, Recall("associative"), LanguagePolicy(), says="1", rounds=2)
    assert len(recalled(held)[-1]) == 2


def test_memories_stand_in_the_order_in_which_they_happened(talk: Talking) -> None:
    held = talk(storm_and_calm, Recall("associative", k=4), LanguagePolicy(), says="1", rounds=12)
    rounds = [int(line.split()[2].rstrip(":")) for line in recalled(held)[-1]]
    assert len(rounds) == 4
    assert rounds == sorted(rounds)


def test_the_n_th_line_of_a_kind_has_importance_one_nth(talk: Talking) -> None:
    stores: list[Any] = []

    class Look(Recall):
        def brief(self, ask: Any, one: Any) -> str:
            stores.append(one["memory"])
            return ""

    talk(days, Look("associative"), LanguagePolicy(), says="1", agents=3, rounds=3)
    kept = [(item.text.split(":")[0], round(item.importance, 3)) for item in stores[-1]]
    shares = [1.0, 0.5, 0.333]
    assert kept == [(kind, share) for share in shares for kind in ("landed", "traded")]


def test_an_heir_goes_on_with_a_memory_of_its_own(talk: Talking) -> None:
    def dynasty(env: Environment) -> Script:
        yield Tell("born", {"place": own(np.array([[1.0, 2.0, 3.0]]))})
        yield Inherit("succeeded", np.array([[-1, 0, -1]]), ("memory",))
        yield Tell("crowned", {"place": own(np.array([[4.0, 5.0, 6.0]]))})
        yield Ask("bid", Real(0, 1))

    held = talk(dynasty, Recall(), LanguagePolicy(), says="1")
    assert recalled(held, 0)[0] == [
        "- Before the first round: born: place 1",
        "- Before the first round: crowned: place 4",
    ]
    assert recalled(held, 1)[0] == [
        "- Before the first round: born: place 1",
        "- Before the first round: crowned: place 5",
    ]


def test_a_missing_extra_is_said_before_the_first_question(
    talk: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise MissingExtra("the embedder minilm")

    monkeypatch.setitem(embedders._BY_NAME, "minilm", missing)
    with pytest.raises(CastError, match="pip install"):
        talk(days, Recall("associative", embedder="minilm"), LanguagePolicy())


# Embedders of the user's own

OWN = """
from langchain_core.embeddings import DeterministicFakeEmbedding

class Failing(DeterministicFakeEmbedding):
    def embed_documents(self, texts):
        if texts != ["norm"]:
            raise ConnectionError("the server is down")
        return super().embed_documents(texts)

def fake():
    return DeterministicFakeEmbedding(size=6)

def failing():
    return Failing(size=6)
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """A file of a user's."""
    (tmp_path / "mine.py").write_text(OWN)
    return str(tmp_path / "mine.py")


def test_any_embeddings_of_langchain_may_find_memories(talk: Talking, mine: str) -> None:
    recall = fill_from_params(Recall, Params(), kind="associative", embedder=f"{mine}:fake", k=1)
    held = talk(storm_and_calm, recall, LanguagePolicy(), says="1", rounds=2)
    assert len(recalled(held)[-1]) == 1


def test_an_embedder_that_is_not_there_is_said_before_the_first_question(
    talk: Talking, mine: str
) -> None:
    with pytest.raises(CastError, match="no attribute 'absent'"):
        talk(days, Recall("associative", embedder=f"{mine}:absent"), LanguagePolicy())


def test_when_an_embedder_fails_the_run_pauses(talk: Talking, mine: str) -> None:
    with pytest.raises(Paused, match=r"mine\.py:failing .*the server is down; mend it"):
        talk(days, Recall("associative", embedder=f"{mine}:failing"), LanguagePolicy())


def test_a_name_that_is_no_embedder_is_refused_with_those_that_are() -> None:
    with pytest.raises(CastError) as refused:
        fill_from_params(Recall, Params(), embedder="bert")
    assert str(refused.value) == (
        "recall: embedder: got 'bert'; expected hashing, minilm or FILE.py:function"
    )
