"""What a language donor is told and what is hidden from it, word by word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from society.text import format_number

if TYPE_CHECKING:
    from tests.scenarios.donor.language.conftest import Speaking, Spoken


def figures(prompt: str) -> set[str]:
    """All numbers but those in names of agents and in forms of answers."""
    words = re.sub(r"[Aa]gent \d+(_\d+)?|Form of the answer: .*", "", prompt)
    return set(re.findall(r"\d+(?:\.\d+)?", words))


# Names


def test_agents_are_called_by_their_ids_where_nobody_is_born(speaking: Speaking) -> None:
    prompt = speaking().prompts("donate", 3)[0]
    assert re.search(r"You are agent 3\. It is round [12]\. You meet agent [012]\.", prompt)
    assert "generation" not in prompt


def test_in_generations_names_say_when_somebody_was_born(speaking: Speaking) -> None:
    """Of four agents 0 gives all, 3 nothing: 3 lives on, and newborn agents have names of 2."""
    spoken = speaking(evolving={})
    survives = spoken.row("survives")
    assert survives[3]
    assert not survives[0]
    first, later = spoken.prompts("donate", 3)[0], spoken.prompts("donate", 3)[-1]
    assert "You are agent 1_4. It is round" in first
    assert "of generation 2. You meet agent" in later
    assert "You are agent 1_4." in later, "who lives on keeps its name"
    assert "You are agent 2_1." in spoken.prompts("donate", 0)[-1]
    assert set(re.findall(r"You meet agent (\d)_", later)) <= {"1", "2"}


def test_peers_are_named_as_in_traces_and_in_order_of_id(speaking: Speaking) -> None:
    spoken = speaking(evolving={}, gossip=True)
    lives = [f"{life // 4 + 1}_{life % 4 + 1}" for life in spoken.row("life", -1)]
    names = ", ".join(name for name in lives if name != lives[3])
    assert f'"about": one of these names: {names}, or nobody' in spoken.prompts("gossip", 3)[-1]
    assert lives != sorted(lives)


def test_whom_one_names_is_found_by_that_name(speaking: Speaking) -> None:
    said = {"gossip": '{"about": "Agent 1_2", "verdict": "bad"}'}
    spoken = speaking(said, evolving={"count": 1}, gossip=True, rounds=2)
    assert spoken.row("about") == [1, -1, 1, 1], "nobody can name itself"


def test_the_name_of_a_recipient_is_no_amount(speaking: Speaking) -> None:
    says = {"donate": "To agent 1_3 I give 2.5 units."}
    given = speaking(says, evolving={"count": 1}, rounds=2).over.answers("donate")[0]
    assert set(given.ravel().tolist()) == {0, 2.5}


# What is told

PECULIAR = {"endowment": 88.8, "multiplier": 2.37}


@pytest.fixture(scope="module")
def peculiar(speaking: Speaking) -> Spoken:
    """Six agents, six rounds, two generations with numbers that cannot come about by chance."""
    return speaking(evolving={}, agents=6, rounds=6, **PECULIAR)


def test_the_rules_are_told_in_every_question(peculiar: Spoken) -> None:
    for prompt in peculiar.prompts("donate") + peculiar.prompts("devise"):
        assert "All begin with 88.8 units." in prompt
        assert "For each unit that it gives up the recipient gets 2.37." in prompt
        assert "A donor in one round is a recipient in the next" in prompt
        assert "You want to own as many units as possible after the last round." in prompt
        assert "the better half of all agents, by what they own, live on" in prompt


def deeds(spoken: Spoken, game: int, now: int) -> list[list[tuple[int, str, int]]]:
    """Return the deeds of each agent, by event: its last gift, that of its partner before, ...

    (round, percentage, to whom) before round `now` of a game, counted from 0.
    """
    shares, partners = spoken.over.told("share"), spoken.over.told("partner")
    donors = spoken.over.told("donor")

    def last(agent: int, before: int) -> tuple[int, str, int] | None:
        for earlier in range(before - 1, 0, -1):
            told = 6 * game + earlier - 1
            if donors[told][0, agent]:
                share = format_number(round(100 * shares[told][0, agent], 1))
                return earlier, share, int(partners[told][0, agent])
        return None

    chains = []
    for agent in range(6):
        chain, doer, before = list[tuple[int, str, int]](), agent, now
        while len(chain) < 3 and (deed := last(doer, before)) is not None:
            chain.append(deed)
            before, _, doer = deed
        chains.append(chain)
    return chains


def did(share: str) -> str:
    said = {"none": "had nothing to give", "0": "gave nothing"}
    return said.get(share, f"gave {share} % of what it owned")


def test_a_donor_is_shown_the_chain_of_deeds_that_leads_to_its_recipient(peculiar: Spoken) -> None:
    """In words, from the latest to the third, in each of two generations with two games each."""
    asked = [one for one in peculiar.requests if one.address.kind == "donate"]
    longest = 0
    for one in asked:
        game, place = divmod(one.address.use, 6)
        lives = peculiar.row("life", game // 2)
        name = {seat: f"{life // 6 + 1}_{life % 6 + 1}" for seat, life in enumerate(lives)}
        other = int(peculiar.over.told("partner")[one.address.use][0, one.address.agent])
        chain = deeds(peculiar, game, place + 1)[other]
        doers = [other, *(to for _, _, to in chain)]
        lines = [
            f"- In round {when}, agent {name[doer]} {did(share)} to agent {name[to]}."
            for (when, share, to), doer in zip(chain, doers, strict=False)
        ]
        prompt = "\n\n".join(part.content for part in one.messages)
        assert re.findall(r"^- In round .*$", prompt, re.MULTILINE) == lines
        assert f"You are agent {name[one.address.agent]}. It is round {place + 1}" in prompt
        assert f"You meet agent {name[other]}." in prompt
        assert all(to != one.address.agent for _, _, to in chain), "nobody reads of itself"
        longest = max(longest, len(lines))
    assert longest == 3


def test_own_and_opposite_resources_are_told_and_no_others(peculiar: Spoken) -> None:
    """Every figure in a prompt is one of the rules, of the two who meet, or of the chain."""
    owned = peculiar.over.told("resources")  # the endowment, then after each round, in each game
    for one in peculiar.requests:
        if one.address.kind != "donate":
            continue
        game, place = divmod(one.address.use, 6)
        held = owned[7 * game + place][0]
        agent = one.address.agent
        other = int(peculiar.over.told("partner")[one.address.use][0, agent])
        prompt = "\n\n".join(part.content for part in one.messages)
        assert f"You own {format_number(held[agent])} units." in prompt
        assert f" owns {format_number(held[other])} units." in prompt
        chain = deeds(peculiar, game, place + 1)[other]
        told = {"88.8", "2.37", "3", str(game // 2 + 1), str(place + 1)}
        told |= {format_number(held[agent]), format_number(held[other])}
        told |= {str(when) for when, _, _ in chain} | {share for _, share, _ in chain}
        assert figures(prompt) <= told


@pytest.mark.parametrize("kind", ["devise", "donate", "suppose", "accept", "review", "gossip"])
def test_the_end_is_hidden_in_every_question(speaking: Speaking, kind: str) -> None:
    """Two societies of which one lasts far longer begin with the same words."""
    options: dict[str, Any] = {"review": {"medium": "review"}, "suppose": {"probe": True}}
    extra = {"partners": "agreed", "gossip": True, **options.get(kind, {})}
    short = speaking(evolving={"count": 1}, rounds=2, games=1, **extra)
    long = speaking(evolving={"count": 2}, rounds=4, games=3, **extra)
    assert short.prompts(kind, 1)[:1] == long.prompts(kind, 1)[:1]
    assert short.prompts(kind, 1)


# Strategies


def test_the_first_generation_makes_a_strategy_out_of_nothing(peculiar: Spoken) -> None:
    first = peculiar.prompts("devise")[:6]
    for agent, prompt in enumerate(first):
        assert f"You are agent 1_{agent + 1}." in prompt
        assert "Form a strategy from what you know so far" in prompt
        assert "advice" not in prompt
        assert "in a single sentence that starts: My strategy will be" in prompt


def test_newborn_agents_read_the_strategies_of_the_survivors_with_their_scores(
    peculiar: Spoken,
) -> None:
    survives, scores = peculiar.row("survives"), peculiar.row("fitness")
    elders = [agent for agent in range(6) if survives[agent]]
    told = {agent: format_number(scores[agent]) for agent in elders}
    lines = [
        f"- {told[agent]}: «My strategy will be to follow plan {'abcdef'[agent]}x.»"
        for agent in elders
    ]
    newborn = [agent for agent in range(6) if not survives[agent]]
    assert len(newborn) == 3
    for agent in newborn:
        (_, prompt) = peculiar.prompts("devise", agent)
        assert re.findall(r"^- .*$", prompt, re.MULTILINE) == lines
        assert f"You are agent 2_{agent + 1}." in prompt


def test_where_only_parents_advise_their_strategy_alone_is_read(speaking: Speaking) -> None:
    spoken = speaking(evolving={"strategies": "parent"})
    parents, scores = spoken.row("parent", 1), spoken.row("fitness")
    newborn = [agent for agent in range(4) if spoken.row("newborn", 1)[agent]]
    for agent in newborn:
        prompt = spoken.prompts("devise", agent)[-1]
        plan = f"«My strategy will be to follow plan {'abcdef'[parents[agent]]}x.»"
        assert re.findall(r"^- .*$", prompt, re.MULTILINE) == [
            f"- {format_number(scores[parents[agent]])}: {plan}"
        ]


def test_each_donor_is_reminded_of_its_own_strategy_only(peculiar: Spoken) -> None:
    for agent in range(6):
        for prompt in peculiar.prompts("donate", agent):
            assert re.findall(r"plan (\w)", prompt) == ["abcdef"[agent]]


# The example of a trace


@pytest.mark.parametrize(
    ("params", "lines"),
    [
        ({}, ["In round 3, agent A", "In round 2, agent B", "In round 1, agent C"]),
        ({"trace": 2}, ["In round 2, agent A", "In round 1, agent B"]),
        ({"trace": 1}, []),
        ({"medium": "record"}, []),
        ({"stake": "fixed"}, []),
    ],
)
def test_who_makes_a_strategy_reads_an_example_of_a_trace(
    speaking: Speaking, params: dict[str, Any], lines: list[str]
) -> None:
    prompt = speaking(evolving={"count": 1}, games=1, rounds=2, **params).prompts("devise", 0)[0]
    assert re.findall(r"^(In round \d, agent [A-C]) gave [X-Z] %", prompt, re.MULTILINE) == lines
