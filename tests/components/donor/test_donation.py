"""Giving by rule: what each policy gives to whom, and what children inherit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.donor.donation import POLICIES, TRAITS, Donation, Policy
from society.engine.action_spaces import Choice, Fields, MixedStrategy, Real, Text
from society.engine.rng import Array
from society.engine.script import HERITABLE, Ask, Inherit, Script, Tell, own

if TYPE_CHECKING:
    from society.engine.environment import Environment
    from tests.components.conftest import Answer
    from tests.conftest import Play, Played

UNKNOWN = float("nan")
N = 4000

# Three recipients: a stranger, one who gave .2 after others had given .8 (mean .4), one of .8.
TRACES = np.array([[UNKNOWN, UNKNOWN], [0.2, 0.8], [0.8, UNKNOWN]])
KEEP_OR_GIVE = Choice("keep", "give")
OR_PUNISH = Choice("keep", "give", "punish")
DEED = Fields({"deed": Choice("donate", "punish"), "amount": Real(0, 100)})


def donor(policy: Policy, generosity: float = 0.6, **fields: Any) -> Donation:
    return Donation(policy, generosity, **{"threshold": 0.5, "severity": 0.1, **fields})


def facts(replicates: int = 1, resources: float = 100) -> Any:
    """Each of three donors meets one of the recipients."""
    traces = np.broadcast_to(TRACES, (replicates, 3, 2))
    return {"trace_share": own(traces), "resources": own(np.full((replicates, 3), resources))}


def given(answer: Answer, part: Donation) -> Any:
    """Units of 100 that go to the stranger, to the one of .4, to the one of .8."""
    return answer("donate", Real(0, 100), part, facts=facts())[0].tolist()


@pytest.mark.parametrize(
    ("policy", "units"),
    [
        ("fixed", [60, 60, 60]),
        ("reciprocal", [60, 40, 80]),
        ("discriminating", [60, 0, 60]),
        ("forwarding", [60, 60, 60]),
        ("free_rider", [0, 0, 0]),
    ],
)
def test_every_policy_gives_by_its_rule(answer: Answer, policy: Policy, units: list[float]) -> None:
    assert given(answer, donor(policy)) == pytest.approx(units)


def test_whoever_gives_as_much_as_the_threshold_is_not_refused(answer: Answer) -> None:
    assert given(answer, donor("discriminating", threshold=0.2))[1] == 60


def test_random_donors_give_any_share(answer: Answer) -> None:
    units = answer("donate", Real(0, 100), donor("random"), facts=facts(N), replicates=N)
    assert units.mean() == pytest.approx(50, abs=4 * 29 / (3 * N) ** 0.5)
    assert (units < 10).mean() == pytest.approx(0.1, abs=4 * (0.09 / (3 * N)) ** 0.5)


def test_who_owns_nothing_gives_nothing(answer: Answer) -> None:
    units = answer("donate", Real(0, 0), donor("fixed"), facts=facts(resources=0))
    assert units.tolist() == [[0, 0, 0]]


def test_a_supposed_recipient_is_given_as_much_as_a_real_one(answer: Answer) -> None:
    """But by chance, where the policy is."""
    for policy in set(POLICIES) - {"random"}:
        part = donor(policy)
        supposed = answer("suppose", Real(0, 100), part, facts=facts())[0].tolist()
        assert supposed == given(answer, part)


def test_under_a_fixed_stake_the_share_is_the_chance_to_give(answer: Answer) -> None:
    part = donor("reciprocal")
    deeds = answer("donate", KEEP_OR_GIVE, part, facts=facts(N), replicates=N)
    assert deeds.mean(0) == pytest.approx([0.6, 0.4, 0.8], abs=4 * 0.5 / N**0.5)


@pytest.mark.parametrize(
    ("policy", "chances"),
    [
        ("fixed", [[0.4, 0.6, 0]] * 3),
        ("reciprocal", [[0.4, 0.6, 0], [0.6, 0.4, 0], [0.2, 0.8, 0]]),
        ("discriminating", [[0.4, 0.6, 0], [0.9, 0, 0.1], [0.4, 0.6, 0]]),
        ("free_rider", [[1, 0, 0]] * 3),
    ],
)
def test_asked_for_its_chances_a_donor_says_with_which_it_keeps_gives_and_punishes(
    answer: Answer, policy: Policy, chances: list[list[float]]
) -> None:
    said = answer("suppose", MixedStrategy("keep", "give", "punish"), donor(policy), facts=facts())[
        0
    ]
    np.testing.assert_allclose(said, chances, atol=1e-12)
    if policy != "discriminating":
        said = answer("suppose", MixedStrategy("keep", "give"), donor(policy), facts=facts())[0]
        np.testing.assert_allclose(said, np.array(chances)[:, :2], atol=1e-12)


# Punishing and refusing


def decided(play: Play, part: Donation) -> Played:
    def script(env: Environment) -> Script:
        yield Ask("donate", DEED, facts())

    return play(script, part)


def test_discriminating_donors_spend_on_punishing_what_they_would_not_give(play: Play) -> None:
    over = decided(play, donor("discriminating"))
    assert over.answers("donate", "deed")[0].tolist() == [[0, 1, 0]]
    assert over.answers("donate", "amount")[0].tolist() == [[60, 10, 60]]


def test_without_severity_they_give_nothing_instead(play: Play) -> None:
    over = decided(play, donor("discriminating", severity=0))
    assert over.answers("donate", "deed")[0].tolist() == [[0, 0, 0]]
    assert over.answers("donate", "amount")[0].tolist() == [[60, 0, 60]]


def test_nobody_else_punishes(play: Play) -> None:
    for policy in set(POLICIES) - {"discriminating"}:
        assert decided(play, donor(policy)).answers("donate", "deed")[0].tolist() == [[0, 0, 0]]


def test_under_a_fixed_stake_severity_is_the_chance_to_punish(answer: Answer) -> None:
    part = donor("discriminating", generosity=1, severity=0.3)
    deeds = answer("donate", OR_PUNISH, part, facts=facts(N), replicates=N)
    assert set(deeds[:, [0, 2]].ravel().tolist()) == {1}
    assert set(deeds[:, 1].tolist()) == {0, 2}
    assert (deeds[:, 1] == 2).mean() == pytest.approx(0.3, abs=4 * (0.21 / N) ** 0.5)


def test_discriminating_donors_meet_nobody_whom_they_would_give_nothing(answer: Answer) -> None:
    meet = Choice("refuse", "accept")
    assert answer("accept", meet, donor("discriminating"), facts=facts()).tolist() == [[1, 0, 1]]
    for policy in set(POLICIES) - {"discriminating"}:
        assert answer("accept", meet, donor(policy), facts=facts()).tolist() == [[1, 1, 1]]


# Paying forward


def test_forwarding_donors_give_the_share_that_was_last_to_be_had(play: Play) -> None:
    """The first was given .9, then met somebody who had nothing; the second was given nothing."""

    def script(env: Environment) -> Script:
        for share in ([0.9, 0.0, UNKNOWN], [UNKNOWN, UNKNOWN, UNKNOWN]):
            yield Tell("donated", {"received_share": own([share])})
            yield Ask("donate", Real(0, 100), facts())
        yield Tell("endowed")
        yield Ask("donate", Real(0, 100), facts())

    first, second, new_game = play(script, donor("forwarding")).answers("donate")
    assert first.tolist() == [[90, 0, 60]]
    assert second.tolist() == [[90, 0, 60]]
    assert new_game.tolist() == [[60, 60, 60]]


# What they say of themselves


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("fixed", "to give 60 % of what I own, whoever it is."),
        (
            "reciprocal",
            "to give the share that the recipient and those before it are known to have given, the "
            "latest gift counting most, and 60 % to a stranger.",
        ),
        (
            "discriminating",
            "to give 60 % to strangers and to those who are known to have given 50 % or more, and "
            "to others nothing, but where I may, to spend 10 % on punishing them.",
        ),
        (
            "forwarding",
            "to pass on the share that somebody gave to me last, and to begin with 60 %.",
        ),
        ("random", "to give any share, as chance has it."),
        ("free_rider", "to give nothing."),
    ],
)
def test_the_rule_describes_itself(answer: Answer, policy: Policy, words: str) -> None:
    said = answer("devise", Text(), donor(policy))
    assert said.tolist() == [[f"My strategy will be {words}"] * 3]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("fixed", "to give with a chance of 60 %, whoever it is."),
        (
            "reciprocal",
            "to give the more often, the more often the recipient and those before it are known to "
            "have given, the latest deed counting most, and to a stranger with a chance of 60 %.",
        ),
        (
            "discriminating",
            "to give with a chance of 60 % to strangers and to those who are known to have given "
            "50 % of the time or more, the latest deed counting most, and to others nothing, but "
            "where I may, to punish them with a chance of 10 %.",
        ),
        (
            "forwarding",
            "to give if somebody gave to me last, and to begin with a chance of 60 %.",
        ),
        ("random", "to give or to keep, as chance has it."),
        ("free_rider", "to give nothing."),
    ],
)
def test_under_a_fixed_stake_it_speaks_of_chances(
    answer: Answer, policy: Policy, words: str
) -> None:
    said = answer("devise", Text(), donor(policy), stake="fixed")
    assert said.tolist() == [[f"My strategy will be {words}"] * 3]


# Where traits come from


def test_by_default_all_policies_are_equally_frequent_and_traits_anything(column: Any) -> None:
    policies = column("policy", Donation(), agents=N)[0]
    assert np.bincount(policies) == pytest.approx(N / 6, abs=4 * (N * 5 / 36) ** 0.5)
    for trait in TRAITS:
        values = column(trait, Donation(), agents=N)[0]
        assert values.mean() == pytest.approx(0.5, abs=4 * 0.29 / N**0.5)


def born(play: Play, part: Donation, generations: int = 1) -> Played:
    """Children of the first agent of three, in every seat, in N replicates."""

    def script(env: Environment) -> Script:
        everybody = np.ones((N, 3), bool)
        for _ in range(generations):
            yield Inherit("born", np.zeros((N, 3), int), HERITABLE, newborn=everybody)

    return play(script, part, replicates=N)


def test_without_noise_and_mutation_children_are_like_their_parent(play: Play) -> None:
    """To the last bit."""
    founders, children = (
        born(play, Donation(noise=0, mutation=0), generations=number).pages[-1].public
        for number in (0, 1)
    )
    for name in ("policy", *TRAITS):
        assert (children[name] == founders[name][:, :1]).all()


def test_mutants_have_any_policy(play: Play) -> None:
    """A sixth of them their parent's: with chance .3, one of five others in a quarter."""
    policy = born(play, donor("fixed", mutation=0.3)).pages[-1].public["policy"]
    share = np.bincount(policy.ravel(), minlength=6) / policy.size
    assert share == pytest.approx([0.75, *[0.05] * 5], abs=4 * (0.19 / policy.size) ** 0.5)


def test_noise_is_reflected_so_that_traits_stay_shares_and_none_is_favoured(play: Play) -> None:
    """From 0, after many steps of .5, all shares are equally likely: mean 1/2, variance 1/12."""
    part = donor("fixed", generosity=0, noise=0.5)
    values = born(play, part, generations=8).pages[-1].public["generosity"][:, 1]
    assert values.min() >= 0
    assert values.max() <= 1
    assert values.mean() == pytest.approx(0.5, abs=4 * 0.29 / N**0.5)
    assert values.var() == pytest.approx(1 / 12, abs=0.006)


def test_a_small_step_has_the_standard_deviation_that_was_asked_for(play: Play) -> None:
    values: Array = born(play, donor("fixed", 0.5, noise=0.1)).pages[-1].public["generosity"]
    assert values.std() == pytest.approx(0.1, rel=0.03)
