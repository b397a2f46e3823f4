"""The rules as they are told: what is said of pairs, of news, of selection and of advice is so."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from society.llm.providers.offline import Offline

if TYPE_CHECKING:
    from tests.scenarios.donor.language.conftest import Speaking

# Who lives on

PLACES = "live on and play again in the next generation. Newcomers take the places of the others."
REPLACED = "nobody lives on. Newcomers take all places"
SUCCESSIONS: dict[str, tuple[dict[str, Any], str]] = {
    "half": ({}, f"the better half of all agents, by what they own, {PLACES}"),
    "quarter": (
        {"survivors": 0.25},
        f"the best 25 % of all agents, by what they own, {PLACES}",
    ),
    "another fact": (
        {"fitness": "received", "fold": "sum"},
        f'the better half of all agents, by the sum of "received", {PLACES}',
    ),
    "all replaced": (
        {"overlapping": False},
        f"{REPLACED}, and each of them takes after one of the better half of all agents, by what "
        "they own.",
    ),
    "proportional": (
        {"selection": "proportional"},
        "the best of all agents, by what they own, lives on and plays again in the next "
        "generation. Newcomers take the places of the others. The better agents did, the likelier "
        "it is that newcomers take after them.",
    ),
    "proportional, all replaced": (
        {"selection": "proportional", "overlapping": False},
        f"{REPLACED}. The better agents did, by what they own, the likelier it is that newcomers "
        "take after them.",
    ),
    "tournament": (
        {"selection": "tournament", "elite": 2},
        f"the best 2 agents, by what they own, {PLACES} The better agents did, the likelier it is "
        "that newcomers take after them.",
    ),
    "tournament of one": (
        {"selection": "tournament", "elite": 0, "entrants": 1},
        f"{REPLACED}, and each of them takes after an agent picked by chance.",
    ),
    "fermi": (
        {"selection": "fermi"},
        "every agent is compared, by what they own, with one other agent, picked by chance. The "
        "better the other one did in comparison, the likelier it is that the agent is replaced by "
        "a newcomer who takes after the other one. All who are not replaced live on and play again "
        "in the next generation.",
    ),
    "moran": (
        {"selection": "moran"},
        "one agent, picked by chance, makes room for a newcomer. The better agents did, by what "
        "they own, the likelier it is that the newcomer takes after them. All others live on and "
        "play again in the next generation.",
    ),
    "moran without selection": (
        {"selection": "moran", "strength": 0},
        "one agent, picked by chance, makes room for a newcomer. The agent whom the newcomer "
        "takes after is picked by chance as well. All others live on and play again in the next "
        "generation.",
    ),
    "none": (
        {"selection": "none"},
        "a new generation begins, and everybody who is there by then plays again.",
    ),
}


@pytest.mark.parametrize("case", SUCCESSIONS)
def test_how_one_lives_on_is_told_as_it_is(speaking: Speaking, case: str) -> None:
    evolving, words = SUCCESSIONS[case]
    prompt = speaking(evolving={"count": 1, **evolving}, rounds=2, games=1).prompts("donate")[0]
    assert re.findall(r"^When the last round is over, (.*)$", prompt, re.MULTILINE) == [
        f"{words} Everybody then begins anew with the same number of units."
    ]


def test_where_nobody_is_born_nothing_is_told_of_living_on(speaking: Speaking) -> None:
    assert "When the last round is over" not in speaking(rounds=2, games=1).prompts("donate")[0]


def test_whom_one_is_compared_with_depends_on_the_graph(speaking: Speaking) -> None:
    at = {"graphs": {"advise": "ring"}}
    prompt = speaking(evolving={"count": 1, "selection": "fermi"}, at=at, rounds=2).prompts(
        "devise"
    )
    assert "one other agent, picked by chance among those whom it knows." in prompt[0]


def test_villagers_are_told_of_their_selection_as_well(speaking: Speaking) -> None:
    villager = {
        "name": "villager",
        "count": 4,
        "components": [
            {"persona": {"temper": "altruist"}},
            "personal_norm",
            "strategy",
            "language_policy",
        ],
    }
    mind = Offline(1)
    evolving = {"count": 1, "fitness": "payoff", "strategies": "advice", "overlapping": False}
    spoken = speaking(
        lambda request: mind(request).text,
        source="language_village",
        agents=None,
        rounds=1,
        at={"cohorts": [villager], "mechanisms": [{"generations": evolving}]},
        norm_embedder="hashing",
    )
    assert (
        "When a generation is over, nobody lives on. Newcomers take all places, and each of them "
        'takes after one of the better half of all agents, by the mean of "payoff".'
    ) in spoken.prompts("devise")[0]


# Whose advice it is

BEST = "This is the advice of those who did best in the last generation:"
OTHERS = (
    "This is the advice of those who were here in the last generation, whether they did well or "
    "not:"
)
ADVICE: dict[str, tuple[dict[str, Any], str]] = {
    "half": ({}, BEST),
    "elite": ({"selection": "proportional"}, BEST),
    "no elite": ({"selection": "tournament", "elite": 0}, OTHERS),
    "moran": ({"selection": "moran"}, OTHERS),
    "parent": ({"strategies": "parent"}, "This is the advice of the agent whom you take after:"),
}


@pytest.mark.parametrize("case", ADVICE)
def test_advice_is_that_of_the_best_only_where_it_is(speaking: Speaking, case: str) -> None:
    evolving, words = ADVICE[case]
    prompts = speaking(evolving=evolving, rounds=2, games=1).prompts("devise")
    advised = [prompt for prompt in prompts if "generation 2 begins" in prompt]
    assert advised
    assert all(re.findall(r"This is the advice of .*?:", prompt) == [words] for prompt in advised)


def test_who_knows_few_is_advised_by_those_of_the_best_whom_it_knows(speaking: Speaking) -> None:
    at = {"graphs": {"advise": "ring"}}
    prompts = speaking(evolving={}, at=at, agents=6, rounds=2, games=1).prompts("devise")
    told = "This is the advice of those whom you know among the ones who did best in the last"
    assert any(told in prompt for prompt in prompts)


# Who meets whom, and who hears of it

ALL = (
    "you meet one other agent, picked by chance. One of you two is the donor, the other one "
    "the recipient."
)
SOME = (
    "you meet at most one other agent, picked by chance from those whom you can meet; if none of "
    "them is free, you meet nobody. One of the two who meet is the donor, the other one the "
    "recipient."
)
TURNS = "donor in one round is a recipient in the next, and the other way round"
TWICE = "but it may happen that somebody has the same role twice in a row."
CHANCE = "Chance decides who is which."
RANDOM = {"schedule": "random"}
MEETING: dict[str, tuple[dict[str, Any], str, str]] = {
    "turns": ({}, "complete", f"{ALL} A {TURNS}."),
    "published": ({"schedule": "published"}, "complete", f"{ALL} As a rule, a {TURNS}; {TWICE}"),
    "random": (RANDOM, "complete", f"{ALL} {CHANCE}"),
    "random on a graph": (RANDOM, "ring", f"{SOME} {CHANCE}"),
    "rewired": (RANDOM | {"partners": "rewired"}, "complete", f"{SOME} {CHANCE}"),
}


@pytest.mark.parametrize("case", MEETING)
def test_pairs_are_told_as_the_schedule_and_the_graph_make_them(
    speaking: Speaking, case: str
) -> None:
    params, meet, words = MEETING[case]
    spoken = speaking(at={"graphs": {"meet": meet}}, rounds=2, games=1, **params)
    assert all(f"In every round {words}" in prompt for prompt in spoken.prompts("donate"))


def test_under_the_published_schedule_one_half_gives_twice_running(speaking: Speaking) -> None:
    """Of four agents, in the second and in the third round; which is why the rules say so."""
    donors = speaking(schedule="published", games=1).over.told("donor")
    assert [(one == other).all() for one, other in pairwise(donors)] == [
        False,
        True,
        False,
    ]


NEWS = "News of a deed reaches only the two agents in it and those who know one of them"
HEARING: dict[str, tuple[dict[str, Any], str]] = {
    "trace": ({}, "; to all others it is unknown, and so is what comes after it in the chain."),
    "last deed": ({"trace": 1}, "; to all others it is unknown.\n"),
    "record": ({"medium": "record"}, "; to all others it is unknown.\n"),
}


@pytest.mark.parametrize("case", HEARING)
def test_where_few_know_each_other_it_is_told_how_news_travels(
    speaking: Speaking, case: str
) -> None:
    params, words = HEARING[case]
    ring = {"graphs": {"hear": "ring"}}
    assert NEWS + words in speaking(at=ring, rounds=2, games=1, **params).prompts("donate")[0]
    assert NEWS not in speaking(rounds=2, games=1, **params).prompts("donate")[0]


@pytest.mark.parametrize("params", [{"trace": 0}, {"medium": "review"}])
def test_what_all_can_read_or_nobody_knows_does_not_travel(
    speaking: Speaking, params: dict[str, Any]
) -> None:
    ring = {"graphs": {"hear": "ring"}}
    assert NEWS not in speaking(at=ring, rounds=2, games=1, **params).prompts("donate")[0]


def test_a_long_chain_may_lead_back_to_its_beginning_and_a_short_one_not(
    speaking: Speaking,
) -> None:
    back = "Of what A did before its last deed it hears nothing, unless the chain leads back to A."
    only = "So it hears of one deed of A, the last one, and of no other."
    longer, short = (speaking(trace=k, rounds=2, games=1).prompts("donate")[0] for k in (2, 1))
    assert (back in longer, only in longer) == (True, False)
    assert (back in short, only in short) == (False, True)


def test_gossip_goes_to_all_or_to_those_who_know_one(speaking: Speaking) -> None:
    everybody = speaking(gossip=True, rounds=1, games=1).prompts("gossip")[0]
    ring = {"graphs": {"hear": "ring"}}
    few = speaking(gossip=True, at=ring, rounds=1, games=1).prompts("gossip")[0]
    assert "one other agent whether it is good or bad, and everybody will hear it" in everybody
    assert "agent whom you know whether it is good or bad, and those who know you will" in few


# What one remembers of it

REMEMBERING = {
    "name": "donor",
    "count": 4,
    "components": ["strategy", {"recall": {"k": 30}}, "language_policy"],
}


def test_in_games_that_are_repeated_one_hears_when_each_is_over(speaking: Speaking) -> None:
    at = {"cohorts": [REMEMBERING], "mechanisms": [{"repetition": {"games": 2}}]}
    spoken = speaking(at=at, agents=None, rounds=2, games=1)
    remembered = re.findall(r"^- Round \d+: (.*)$", spoken.prompts("donate")[-1], re.MULTILINE)
    assert remembered.count("A game is over. Whatever comes next begins anew.") == 1
    assert all(re.fullmatch(r"(You|A game) .*\.", line) for line in remembered)
