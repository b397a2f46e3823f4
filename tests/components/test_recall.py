"""What was told is remembered, and some of it comes to mind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.language import LanguagePolicy
from society.components.recall import Recall
from society.errors import CastError
from society.memory import embedders
from society.memory.embedders import MissingExtra
from society.replies import Amount
from society.table import Table
from society.talk import Ask, Inherit, Script, Tell, common, own

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking


def days(table: Table) -> Script:
    """Every day a catch is told, each its own, then a price, then all are asked."""
    for day in table.rounds():
        yield Tell("landed", {"catch": own(np.array([[0.5, 1.5, 2.5]]) + day)})
        yield Tell("traded", {"price": common(float(day))})
        yield Ask("bid", Amount(0, 1))


def recalled(held: Talk, agent: int = 1) -> list[list[str]]:
    """The memories in each prompt to one agent."""
    mine = [r.messages[0].content for r in held.requests if r.address.agent == agent]
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
    def silence(table: Table) -> Script:
        yield Ask("bid", Amount(0, 1))

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


def storm_and_calm(table: Table) -> Script:
    """Two storms long ago, then calm days; the question is about storms."""
    for day in table.rounds():
        storm = "a storm broke the boats" if day in (2, 4) else f"nothing to report on day {day}"
        yield Tell("news", {"words": common(np.array([[storm]], object))})
        yield Ask("repair_boats_after_a_storm", Amount(0, 1))


def test_an_associative_memory_brings_back_what_fits_the_question(talk: Talking) -> None:
    held = talk(storm_and_calm, Recall("associative", k=1), LanguagePolicy(), says="1", rounds=12)
    assert recalled(held)[-1] == ["- Round 4: news: words «a storm broke the boats»"]


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
    def dynasty(table: Table) -> Script:
        yield Tell("born", {"place": own(np.array([[1.0, 2.0, 3.0]]))})
        yield Inherit("succeeded", np.array([[-1, 0, -1]]), ("memory",))
        yield Tell("crowned", {"place": own(np.array([[4.0, 5.0, 6.0]]))})
        yield Ask("bid", Amount(0, 1))

    held = talk(dynasty, Recall(), LanguagePolicy(), says="1")
    assert recalled(held, 0)[0] == ["- Round 0: born: place 1", "- Round 0: crowned: place 4"]
    assert recalled(held, 1)[0] == ["- Round 0: born: place 1", "- Round 0: crowned: place 5"]


def test_a_missing_extra_is_said_before_the_first_question(
    talk: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise MissingExtra("the embedder minilm")

    monkeypatch.setitem(embedders._BY_NAME, "minilm", missing)
    with pytest.raises(CastError, match="pip install"):
        talk(days, Recall("associative", embedder="minilm"), LanguagePolicy())
