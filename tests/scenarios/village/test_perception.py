"""What language villagers perceive: every prompt of every condition, in the same state."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.registry import reproduction
from society.config.run_config import load_config
from society.engine.calls import Request
from society.engine.mechanism import questions
from society.errors import InputError
from society.reproduction.run import ReproductionRun
from society.scenarios.village.language_village import CONDITIONS
from society.text import format_number
from tests.scenarios.village.test_language_village import Model, Spoken, in_words

if TYPE_CHECKING:
    from tests.conftest import Recorded

FACTS = {  # all that a prompt may show, each with all of its words
    "policy": r"Policy (of the village|so far): («.*»|none.*)",
    "peers": r"This is how hard villagers .*:\n(- villager \d+: effort \S+, payoff \S+ fish\n)+",
    "own payoff": r"Your payoff is -?\d+(\.\d+)? fish\.",
    "own effort": r"Your effort (yesterday|today) was \d+(\.\d+)?\.",
    "first day": r"This is your first day\.",
    "catch": r"(Yesterday|Today) you caught \d+(\.\d+)? fish, and ",
    "change of payoff": r"(so far )?your payoff (stayed as it was|(rose|fell) by \S+ fish)\.",
    "fines": r"(Yesterday|Today) (nobody fined you|you were fined.*)\.",
    "stock": r"(There are now|This morning there were) \d+(\.\d+)? fish in the lake\.",
    "norm": r"Your personal strategy: «.*»",
    "cap": r'- "cap".*',
}
CATCH = {"catch", "change of payoff"}
MODES = [
    {"perceive": mode, "stock_shown": stock}
    for mode, stock in itertools.product(("prompts", "section3"), (False, True))
]
# What a prompt says of a policy, besides the policy itself; and what it says where there is none.
OF_POLICY = {
    " And the village has a policy, the same for all.": "",
    " and by the policy of the village": "",
    " or the policy of the village": "",
    " you have seen\n- put your": " you have seen, put your",
    ' ("personal");\n- propose a policy for the village: what everybody should do ("community").': (
        ' ("personal").'
    ),
    '- "community": text of at most 400 characters': "",
}

Asked = tuple[int, str, int]  # the agent, the kind of the question, and the day


def played(recorded: Recorded, says: Any = None, **params: Any) -> Spoken:
    """Three days of three villagers who say the same in all conditions; by default no fines."""
    model = Model(says or in_words())
    setup = build(load_config("language_village", {"agents": 3, "rounds": 3, "parameters": params}))
    return Spoken(recorded(setup.gamemaster(minds=model)), model.requests)


def prompts(spoken: Spoken) -> dict[Asked, str]:
    """The words of every prompt; an evening's question, `propose` or `update`, has one name."""
    names = {"propose": "evening", "update": "evening"}
    return {
        (
            request.address.agent,
            names.get(request.address.kind, request.address.kind),
            request.address.use + 1,
        ): "\n\n".join(part.content for part in request.messages)
        for request in spoken.requests
    }


def facts(spoken: Spoken) -> dict[Asked, dict[str, str]]:
    """The facts of every prompt, in its own words."""
    return {
        at: {name: found[0] for name, one in FACTS.items() if (found := re.search(one, text))}
        for at, text in prompts(spoken).items()
    }


def frames(spoken: Spoken, *, policy: bool = True) -> dict[Asked, list[str]]:
    """All other words of every prompt; without a policy, also without what is said of it."""
    found = {}
    for at, text in prompts(spoken).items():
        rest = text
        for pattern in FACTS.values():
            rest = re.sub(pattern, "", rest)
        for words, instead in {} if policy else OF_POLICY.items():
            rest = rest.replace(words, instead)
        found[at] = rest.split()
    return found


def without(shown: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: words for name, words in shown.items() if name not in names}


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_conditions_differ_in_exactly_the_facts_that_they_are_about(
    recorded: Recorded, mode: dict[str, Any]
) -> None:
    """Without learning no peers but for fines; without a policy no policy; then no fines either.

    All other facts are the same, word for word and number for number, for each villager and day.
    """
    full, social, group, neither = (
        facts(played(recorded, condition=name, **mode)) for name in CONDITIONS
    )
    kinds, agents, days = ("effort", "punish", "evening", "vote"), range(3), range(1, 4)
    assert set(full) == set(itertools.product(agents, kinds, days))
    assert social == {at: without(shown, "policy") for at, shown in full.items() if at[1] != "vote"}
    assert group == {
        at: shown if at[1] == "punish" else without(shown, "peers") for at, shown in full.items()
    }
    assert neither == {
        at: without(shown, "policy", "peers", "fines")
        for at, shown in full.items()
        if at[1] not in ("punish", "vote")
    }


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_all_other_words_of_a_prompt_are_the_same_in_all_conditions(
    recorded: Recorded, mode: dict[str, Any]
) -> None:
    """But for what is said of a policy, where there is one: nothing else tells conditions apart."""
    full = played(recorded, condition="full", **mode)
    social, group, neither = (
        played(recorded, condition=name, **mode) for name in list(CONDITIONS)[1:]
    )
    assert frames(group) == frames(full)
    bare = frames(full, policy=False)
    for spoken, left_out in ((social, ["vote"]), (neither, ["vote", "punish"])):
        assert frames(spoken) == {at: rest for at, rest in bare.items() if at[1] not in left_out}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_all_other_words_of_a_prompt_are_the_same_under_both_readings(
    recorded: Recorded, condition: str
) -> None:
    bare, *others = (frames(played(recorded, condition=condition, **mode)) for mode in MODES)
    assert others == [bare] * 3


def test_fines_that_are_received_are_told_alike_in_all_conditions_that_have_them(
    recorded: Recorded,
) -> None:
    full, social, group = (
        facts(played(recorded, fining, condition=name)) for name in list(CONDITIONS)[:3]
    )
    assert full[0, "evening", 1]["fines"] == "Today you were fined by villagers 1, 2."
    for at, shown in full.items():
        assert at[1] == "vote" or social[at] == without(shown, "policy")
        assert group[at] == (shown if at[1] == "punish" else without(shown, "peers"))


def test_experiments_of_the_paper_differ_in_their_condition_alone() -> None:
    """As do the societies whose prompts are compared here; in each lake, population and reading."""
    run = ReproductionRun(reproduction("village"), Path("nowhere"), ["lab/one"])
    parts = [part.setup.spec.parameters for part in run.parts]
    alike: dict[str, list[str]] = {}
    for one in parts:
        rest = {name: value for name, value in one.items() if name != "condition"}
        alike.setdefault(json.dumps(rest, sort_keys=True), []).append(one.get("condition", "full"))
    assert len(alike) == 2 * 3 * 2
    assert {tuple(sorted(names)) for names in alike.values()} == {tuple(sorted(CONDITIONS))}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_readings_differ_in_exactly_the_recent_outcomes_and_the_switch_in_the_stock(
    recorded: Recorded, condition: str
) -> None:
    bare, stocked, third, both = (facts(played(recorded, condition=condition, **m)) for m in MODES)
    fines = {"fines"} if CONDITIONS[condition].punish else set()
    for at in bare:
        _, kind, day = at
        first_morning = (kind, day) == ("effort", 1)
        yet_unfined = kind == "punish" and day == 1
        outcomes = {"first day"} if first_morning else CATCH | (set() if yet_unfined else fines)
        assert set(third[at]) == set(bare[at]) | outcomes, at
        assert set(stocked[at]) == set(bare[at]) | {"stock"}, at
        assert both[at] == {**third[at], "stock": stocked[at]["stock"]}, at
        assert without(third[at], *outcomes) == bare[at], at


def test_the_facts_of_the_paper_s_prompts_are_all_that_prompts_shows(recorded: Recorded) -> None:
    shown = {at[1:]: set(one) for at, one in facts(played(recorded, perceive="prompts")).items()}
    own = {"own payoff", "own effort", "norm", "policy"}
    assert shown["effort", 1] == own - {"own effort"}
    assert shown["effort", 2] == shown["punish", 1] == shown["evening", 1] == own | {"peers"}
    assert shown["vote", 1] == {"policy", "norm"}


def test_by_default_villagers_perceive_what_section_3_gives_them(recorded: Recorded) -> None:
    """Recent personal outcomes, outcomes of peers, g, G and R; in a vote no peers."""
    shown = {at[1:]: set(one) for at, one in facts(played(recorded)).items()}
    own = {"own payoff", "own effort", "norm", "policy", "stock"}
    assert shown["effort", 1] == own - {"own effort"} | {"first day"}
    assert shown["effort", 2] == shown["evening", 1] == own | CATCH | {"fines", "peers"}
    assert shown["punish", 1] == own | CATCH | {"peers"}
    assert shown["vote", 1] == {"policy", "norm", "stock", "fines"} | CATCH


def test_under_prompts_no_question_has_a_fact_more_than_before(recorded: Recorded) -> None:
    """So that digests of runs under this reading are those of runs made before there were two."""

    def names(**params: Any) -> dict[str, list[str]]:
        setup = build(load_config("language_village", {"parameters": params}))
        asked = questions(setup.scenario.play, setup.environment())
        return {ask.kind: [*ask.facts] for ask in asked}

    assert names(perceive="prompts", caps="on") == {
        "effort": ["policy", "cap", "effort", "payoff", "full_catch"],
        "punish": ["catch", "cap", "policy", "effort", "payoff"],
        "propose": ["policy", "cap", "effort", "payoff"],
        "vote": ["policy", "cap"],
    }
    new = ["last_catch", "last_gain", "last_fined", "last_fined_by", "stock"]
    assert names()["vote"] == ["policy", *new]


# What the facts say


def fining(request: Request) -> str:
    """Villagers 1 and 2 fine villager 0 on the first day."""
    first = request.address.use == 0 and request.address.agent > 0
    said = "Villager 0" if first else "nobody"
    return in_words(punish=said, effort="0.{n}")(request)


def test_recent_outcomes_are_those_of_the_last_day(recorded: Recorded) -> None:
    """K = 300, alpha = .05, c = 2.5, beta = 10: villager 2 with effort .2 lands 3 of 300 fish."""
    spoken = played(recorded, fining)
    stock = format_number(spoken.over.told("stock")[0][0, 0])
    assert "There are now 300 fish in the lake.\n" in spoken.prompt("effort", 2)
    assert (
        "You are villager 2. Your payoff is 30 fish.\nThis is your first day.\n"
        in spoken.prompt("effort", 2)
    )
    words = spoken.prompt("punish", 2)
    assert "This morning there were 300 fish in the lake." in words
    assert "\nToday you caught 3 fish, and so far your payoff rose by 0.5 fish.\n\n" in words
    evening = (
        "\nToday you caught 3 fish, and your payoff rose by 0.5 fish.\nToday nobody fined you.\n"
    )
    assert evening in spoken.prompt("propose", 2)
    assert evening in spoken.prompt("vote", 2)
    morning = spoken.prompt("effort", 2, use=1)
    assert evening.replace("Today", "Yesterday") in morning
    for words in (spoken.prompt("propose", 2), morning):
        assert f"There are now {stock} fish in the lake." in words


def test_who_fined_one_is_told_to_those_who_saw_it(recorded: Recorded) -> None:
    """One pays for one fine, whoever fined: 0 - 2.5 - 10."""
    spoken = played(recorded, fining)
    words = spoken.prompt("propose", 0)
    assert "Today you caught 0 fish, and your payoff fell by 12.5 fish." in words
    assert "\nToday you were fined by villagers 1, 2.\n" in words
    assert "\nYesterday you were fined by villagers 1, 2.\n" in spoken.prompt("effort", 0, use=1)
    assert "\nYesterday you were fined by villagers 1, 2.\n" in spoken.prompt("punish", 0, use=1)
    nearsighted = played(recorded, fining, peers_seen=1)
    finers = re.findall(r"fined by villager (\d)\.", nearsighted.prompt("propose", 0))
    shown = re.findall(r"^- villager (\d)", nearsighted.prompt("propose", 0), re.MULTILINE)
    (seen,) = {*shown} - {"0"}
    assert finers in ([seen], [])


def test_a_memory_holds_catch_and_stock_where_they_are_perceived(recorded: Recorded) -> None:
    parts = ["persona", "personal_norm", {"recall": {"k": 30}}, "language_policy"]
    cohorts = [{"name": "rememberer", "count": 2, "components": parts}]

    def remembered(**params: Any) -> list[str]:
        changes = {"cohorts": cohorts, "rounds": 2, "parameters": params}
        model = Model(in_words())
        spoken = Spoken(
            recorded(build(load_config("language_village", changes)).gamemaster(minds=model)),
            model.requests,
        )
        return re.findall(r"- Round 1: (.*)", spoken.prompt("effort", 1, use=1))

    assert "You caught 1.5 fish." in remembered()
    # 300 - 1.5 fish, and what these grow to: 298.5 + .6 * 298.5 (1 - .995)
    assert "There were 299.396 fish in the lake when the day was over." in remembered()
    assert not any("caught" in line or "lake" in line for line in remembered(perceive="prompts"))


# Caps


def test_villagers_who_all_speak_are_asked_for_no_cap(recorded: Recorded) -> None:
    spoken = played(recorded)
    assert "cap" not in facts(spoken)[1, "evening", 1]
    assert "limits how many fish" not in spoken.prompt("propose", 1)
    assert np.isnan([page.measures["compliance"][0] for page in spoken.over.pages[1:]]).all()


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ({}, False),
        ({"parameters": {"caps": "on"}}, True),
        ({"parameters": {"vote": "median"}}, True),
        ({"cohorts": [{"name": "selfish", "count": 3, "components": ["language_policy"]}]}, False),
    ],
)
def test_caps_are_asked_for_where_somebody_can_use_them(
    changes: dict[str, Any], asked: bool
) -> None:
    setup = build(load_config("language_village", changes))
    (form,) = {
        ask.reply.form()
        for ask in questions(setup.scenario.play, setup.environment())
        if ask.kind == "propose"
    }
    assert ("cap: " in form) == asked


def test_where_rules_live_with_speakers_caps_are_asked_for() -> None:
    setup = build(load_config("language_village_mixed_minds"))
    asked = questions(setup.scenario.play, setup.environment())
    assert any("cap: " in ask.reply.form() for ask in asked)


def test_the_median_needs_caps() -> None:
    changes = {"parameters": {"vote": "median", "caps": "off"}}
    with pytest.raises(InputError, match="the median is taken of caps; set caps=on"):
        build(load_config("language_village", changes))


# Ballots


def test_each_voter_has_the_proposals_in_an_order_of_its_own(recorded: Recorded) -> None:
    """A voter who always says 1 votes for what it is shown first."""
    form = json.dumps({"personal": "P.", "community": "Policy of {n}."})
    model = Model(in_words(propose=form, vote="1"))
    setup = build(load_config("language_village", {"agents": 8, "rounds": 1}))
    spoken = Spoken(recorded(setup.gamemaster(minds=model)), model.requests)
    ballots = [
        re.findall(r"^\d\. «Policy of (\d)\.»", spoken.prompt("vote", n), re.M) for n in range(8)
    ]
    assert all(sorted(ballot) == [*"01234567"] for ballot in ballots)
    assert len({tuple(ballot) for ballot in ballots}) == 8
    votes = spoken.over.answers("vote")[0][0].tolist()
    assert votes == [int(ballot[0]) for ballot in ballots]
