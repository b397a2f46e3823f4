"""Norms in words: what is proposed, what is voted on, and which policy follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.action_spaces import fields
from society.engine.component import AgentGroup, Component, Question
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.script import Script, Tell, common
from society.scenarios.village.institutions import VoteRule
from society.scenarios.village.norm_proposals import (
    NormPolicy,
    ballot_options,
    median_proposal,
    no_policy,
    revise_policy,
)

if TYPE_CHECKING:
    from tests.conftest import Play, Played

NONE = np.nan
RULES: tuple[VoteRule, ...] = ("plurality", "median", "none")


class Citizen(Component):
    """Proposes a sentence with a cap, and votes for an option; one of each for each seat."""

    answers = ("propose", "update", "vote")

    def __init__(self, sentences: list[str], caps: list[float], vote: list[int]) -> None:
        personal = ["Mine."] * len(caps)
        self.said = {"personal": personal, "community": sentences, "cap": caps, "vote": vote}

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        if ask.kind == "vote":
            return self.by_seat("vote", int, agents)
        texts = [name for name in fields(ask.reply) if name != "cap"]
        return {"cap": self.by_seat("cap", float, agents)} | {
            name: self.by_seat(name, object, agents) for name in texts
        }

    def by_seat(self, name: str, dtype: type, agents: AgentGroup) -> Array:
        said: Array = np.array(self.said[name], dtype)[agents.audience.rows.seat]
        return said


def adopted(
    play: Play,
    rule: VoteRule,
    sentences: list[str],
    *,
    caps: list[float] | None = None,
    vote: list[int] | None = None,
    old: tuple[str, float] = ("", np.inf),
    gone: list[bool] | None = None,
    replicates: int = 1,
) -> Played:
    """One evening after which a policy is told as `policy` and its cap as `cap`."""
    n = len(sentences)

    def script(env: Environment) -> Script:
        words = np.full(env.running.shape, old[0], object)
        if gone is not None:
            yield Tell("left", gone=np.array([gone]))
        yield from revise_policy(env, rule, NormPolicy(words, np.full(words.shape, old[1])), {}, {})

    citizen = Citizen(sentences, caps or [NONE] * n, vote or [0] * n)
    over: Played = play(script, citizen, agents=n, replicates=replicates)
    return over


def policy(over: Played) -> tuple[str, float]:
    """Return the policy that is in force in replicate 0, and its cap."""
    return over.told("policy")[0].item(), over.told("cap")[0].item()


def test_the_most_votes_win(play: Play) -> None:
    """The options are the distinct proposals by text: A, B, C."""
    over = adopted(play, "plurality", ["C", "A", "B", "A"], vote=[1, 0, 1, 2])
    assert policy(over) == ("B", np.inf)


def test_a_tie_is_broken_by_chance_equally_among_the_winners(play: Play) -> None:
    """A and C have two votes each, B one."""
    n = 2000
    over = adopted(play, "plurality", ["A", "B", "C", "A", "B"], vote=[0, 0, 1, 2, 2], replicates=n)
    winners = over.told("policy")[0][:, 0].tolist()
    assert winners.count("B") == 0
    assert winners.count("A") == pytest.approx(n / 2, abs=4 * (n / 4) ** 0.5)


def test_a_proposal_carries_its_cap_and_rules_go_by_it(play: Play) -> None:
    over = adopted(play, "plurality", ["Less.", "More."], caps=[6.254, 9], vote=[0, 0])
    assert policy(over) == ("Less. (at most 6.25 fish per villager and day)", 6.25)


def test_a_winner_without_a_cap_leaves_the_last_one_standing(play: Play) -> None:
    over = adopted(play, "plurality", ["Share."], old=("Rest.", 4.0))
    assert policy(over) == ("Share.", 4)


def test_a_sentence_is_one_line(play: Play) -> None:
    over = adopted(play, "plurality", [" Share\n all\tfish. "])
    assert policy(over)[0] == "Share all fish."


def test_before_anybody_has_said_anything_there_is_no_policy_and_no_cap(play: Play) -> None:
    def script(env: Environment) -> Script:
        words, cap = no_policy(env)
        yield Tell("begun", {"words": common(words), "cap": common(cap)})

    over = play(script, Citizen([], [], []), replicates=2)
    assert over.told("words")[0].tolist() == [[""], [""]]
    assert over.told("cap")[0].tolist() == [[np.inf], [np.inf]]


def test_proposals_that_look_alike_are_one_option(play: Play) -> None:
    """Here two for less outvote one for all, since they know that they are for the same."""
    alike = ["Fish less.", " Fish\u200b less. ", "Take all."]
    over = adopted(play, "plurality", alike, vote=[0, 0, 1])
    assert over.told("proposal")[0].tolist() == [["Fish less.", "Fish less.", "Take all."]]
    assert policy(over)[0] == "Fish less."


def test_norms_are_told_as_they_are_shown(play: Play) -> None:
    class Scrawler(Citizen):
        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            self.said["personal"] = ["«Rest.» \u202e", "\u200b"]
            return super().answer(ask, agents)

    def script(env: Environment) -> Script:
        for rule in RULES:
            yield from revise_policy(env, rule, no_policy(env), {}, {})

    over = play(script, Scrawler(["A", "B"], [NONE] * 2, [0, 0]), agents=2)
    assert [norms[0].tolist() for norms in over.told("norm")] == [["‹Rest.›", ""]] * 3


def test_the_median_of_the_caps_stated_decides_word_for_word(play: Play) -> None:
    sentences = ["A", "B", "C", "D"]
    over = adopted(play, "median", sentences, caps=[9, NONE, 1, 4])
    assert policy(over) == ("D (at most 4 fish per villager and day)", 4)


def test_of_two_medians_the_lower_is_taken() -> None:
    proposals = np.array([[f"{cap} (at most {cap} fish per villager and day)" for cap in (3, 8)]])
    assert median_proposal(proposals.astype(object)).item().startswith("3 ")


def test_of_proposals_with_the_median_cap_the_first_by_text_is_taken() -> None:
    proposals = np.array([[f"{name} (at most 5 fish per villager and day)" for name in "BAC"]])
    assert median_proposal(proposals.astype(object)).item().startswith("A ")


@pytest.mark.parametrize("rule", ["plurality", "median"])
def test_where_nobody_proposes_anything_the_policy_stays(play: Play, rule: VoteRule) -> None:
    over = adopted(play, rule, ["", " "], caps=[3, NONE], old=("Rest.", 4.0))
    assert policy(over) == ("Rest.", 4)


def test_under_the_median_sentences_without_caps_change_nothing(play: Play) -> None:
    over = adopted(play, "median", ["A", "B"], old=("Rest.", 4.0))
    assert policy(over) == ("Rest.", 4)


def test_whoever_proposes_nothing_has_no_vote(play: Play) -> None:
    over = adopted(play, "plurality", ["A", "", "B"], vote=[0, 1, 0])
    assert over.answers("vote")[0].tolist() == [[0, NOBODY, 0]]
    assert policy(over)[0] == "A"


def test_the_dead_neither_propose_nor_vote(play: Play) -> None:
    over = adopted(play, "plurality", ["A", "B", "B"], gone=[False, True, True])
    assert over.told("norm")[0].tolist() == [["Mine.", "", ""]]
    assert over.told("proposal")[0].tolist() == [["A", "", ""]]
    assert policy(over)[0] == "A"


def test_without_a_shared_policy_norms_are_rewritten_and_no_more(play: Play) -> None:
    over = adopted(play, "none", ["A", "B"])
    assert [step.kind for step in over.steps] == ["update", "reconsidered"]
    assert over.told("norm")[0].tolist() == [["Mine.", "Mine."]]


def test_a_ballot_lists_each_proposal_once_and_knows_whose_it_is() -> None:
    options, own = ballot_options(np.array([["B", "A", "", "B"], ["", "", "", ""]], object))
    assert options.tolist() == [["A", "B", None, None], [None] * 4]
    assert own.tolist() == [[1, 0, NOBODY, 1], [NOBODY] * 4]
