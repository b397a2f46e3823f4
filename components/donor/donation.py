"""Rules for the share that a donor gives to somebody of whom something is known.

    fixed           the share g, whoever it is
    reciprocal      the mean of the shares known of the recipient; g to a stranger
    discriminating  g, but nothing if that mean is below the threshold; g to a stranger
    forwarding      the share that somebody gave to oneself last; g before anybody had a chance to
    random          any share, all equally likely
    free_rider      nothing
In the mean an entry weighs half as much as the one before (society.components.donor.track_record);
a punishment is a share of nothing there, like keeping. Under stake `fixed` the share is the chance
to give. Where one may punish, discriminating donors spend the
share `severity` on it (or punish with that chance) instead of giving nothing; where one may refuse
to meet somebody, they refuse whom they would give nothing. All others accept everybody.

Children have the traits of their parent, with normal noise that is reflected at 0 and 1, so that
all values remain equally likely where nothing selects; with chance `mutation`, any policy.
Source: discriminating (k = threshold) and unconditional donors: Nowak and Sigmund 1998, Nature 393;
forwarding: Nowak and Roch 2007, Proc. R. Soc. B 274; shares, and what becomes of them: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from society.engine.action_spaces import ActionSpace, Choice, Fields, MixedStrategy, Real
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.parameters import Positive, Share
from society.engine.rng import Array

from .track_record import by_fixed_stake, known_shares, mean_share, write_reviews

Policy = Literal["fixed", "reciprocal", "discriminating", "forwarding", "random", "free_rider"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
FIXED, RECIPROCAL, DISCRIMINATING, FORWARDING, RANDOM, FREE_RIDER = range(len(POLICIES))
KEEP, GIVE, PUNISH = range(3)  # what can be done under stake `fixed`
TRAITS = {
    "generosity": "Share that it gives of what it owns",
    "threshold": "Share that a recipient must have given to get anything",
    "severity": "Share that it spends on punishing whoever gave less",
}
COLUMNS = (
    Column(
        "policy",
        np.int8,
        public=True,
        heritable=True,
        labels=POLICIES,
        text="Rule by which it gives",
    ),
    *(Column(name, public=True, heritable=True, text=text) for name, text in TRAITS.items()),
    Column("offered"),
)


@dataclass(frozen=True)
class Donation(Component):
    """Giving by rule: a policy with traits g, threshold and severity; None and any: by chance.

    Answers `donate`, `suppose`, `accept`, `review` and `devise`; keeps `policy` and the traits,
    which children inherit, and `offered`, the share that was given to oneself last.
    """

    policy: Policy | Literal["any"] = "any"
    generosity: Share | None = None
    threshold: Share | None = None
    severity: Share | None = None
    noise: Positive = 0.05  # standard deviation, of inherited traits
    mutation: Share = 0.01  # chance that an inherited policy is drawn anew

    chance_id = "donation"
    notices = ("endowed", "donated")
    columns = COLUMNS

    def begin(self, agents: AgentGroup) -> None:
        agents["policy"] = (
            _any_policy(agents) if self.policy == "any" else POLICIES.index(self.policy)
        )
        for trait in TRAITS:
            agents[trait] = _first(agents, trait, getattr(self, trait))
        agents["offered"] = np.nan

    def adapt(self, before: Donation, agents: AgentGroup) -> None:
        if self.policy != before.policy:
            agents["policy"] = (
                _any_policy(agents) if self.policy == "any" else POLICIES.index(self.policy)
            )
        for trait in TRAITS:
            given = getattr(self, trait)
            if given != getattr(before, trait):
                agents[trait] = _first(agents, trait, given)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["offered"] = _offered_last(tell, agents)

    def born(self, agents: AgentGroup) -> None:
        drawn = agents.draws.uniform("mutates") < self.mutation
        agents["policy"] = np.where(drawn, _any_policy(agents), agents["policy"])
        for trait in TRAITS:
            agents[trait] = reflect_into_unit(
                agents[trait] + self.noise * agents.draws.normal(trait)
            )

    def answer_donate(self, ask: Question, agents: AgentGroup) -> Any:
        known, generosity = mean_share(known_shares(ask)), agents["generosity"]
        scorns, offered, policy = _scorns(agents, known), agents["offered"], agents["policy"]
        # One `where` after the other: `choose` takes four times as long.
        share = np.where(scorns | (policy == FREE_RIDER), 0.0, generosity)
        share = np.where((policy == RECIPROCAL) & ~np.isnan(known), known, share)
        share = np.where((policy == FORWARDING) & ~np.isnan(offered), offered, share)
        share = np.where(policy == RANDOM, agents.draws.uniform("any share"), share)
        if isinstance(ask.reply, Real):
            return ask.facts["resources"] * share
        fine = scorns * agents["severity"] * may_punish(ask.reply)
        return donation_decision(ask, share, fine, agents.draws.uniform("give"))

    answer_suppose = answer_donate

    def answer_accept(self, ask: Question, agents: AgentGroup) -> Array:
        accepts: Array = ~_scorns(agents, mean_share(known_shares(ask))) * 1
        return accepts

    def answer_review(self, ask: Question, agents: AgentGroup) -> Array:
        return write_reviews(ask, agents)

    def answer_devise(self, ask: Question, agents: AgentGroup) -> Array:
        """The rule as it is now, in a sentence, of those who were asked."""
        said = np.full(len(agents), "", object)
        traits = (np.rint(100 * agents[trait][ask.asked]) for trait in TRAITS)
        words = _OF_CHANCES if by_fixed_stake(agents) else _OF_SHARES
        in_words = np.frompyfunc(lambda k, g, t, s: words[k].format(g=g, t=t, s=s), 4, 1)
        said[ask.asked] = in_words(agents["policy"][ask.asked], *traits)
        return said


def donation_decision(ask: Question, share: Array, fine: Array, lot: Array | float) -> Any:
    """Shares to be given, or where `fine` is above 0 spent on punishing, as the question has it.

    lot: under stake `fixed` one gives, or punishes, if it is below the share, unless the chance
    itself is asked for. Each (M,).
    """
    if isinstance(ask.reply, MixedStrategy):
        gives = np.maximum(share - fine, 0)
        return np.stack([1 - gives - fine, gives, fine][: ask.reply.width], axis=-1)
    if isinstance(ask.reply, Choice):
        return np.where(lot < fine, PUNISH, np.where(lot < share, GIVE, KEEP))
    units = ask.facts["resources"] * np.where(fine > 0, fine, share)
    if isinstance(ask.reply, Fields):
        return {"deed": (fine > 0) * 1, "amount": units}
    return units


def may_punish(reply: ActionSpace) -> bool:
    """Tell whether a donor may punish."""
    if isinstance(reply, MixedStrategy):
        return "punish" in reply.actions
    return isinstance(reply, Fields) or (isinstance(reply, Choice) and "punish" in reply.options)


def reflect_into_unit(values: Array) -> Array:
    """Reflect values into [0, 1] at both ends.

    >>> reflect_into_unit(np.array([-0.25, 0.5, 1.25])).tolist()
    [0.25, 0.5, 0.75]
    """
    distance = np.abs(values) % 2
    inside: Array = np.where(distance > 1, 2 - distance, distance)  # what is inside stays as it is
    return inside


def _any_policy(agents: AgentGroup) -> Array:
    return agents.draws.integers("policy", len(POLICIES))


def _first(agents: AgentGroup, trait: str, given: float | None) -> Array | float:
    return agents.draws.uniform(trait) if given is None else given


def _offered_last(tell: News, agents: AgentGroup) -> Array | float:
    """Return the last share that was to be had; NaN at the beginning of a game."""
    if tell.kind == "endowed":
        return np.nan
    offered = tell.facts["received_share"]
    return np.where(np.isnan(offered), agents["offered"], offered)


def _scorns(agents: AgentGroup, known: Array) -> Array:
    """Tell who thinks the recipient, known by its mean share, unworthy, (M,) of bool."""
    scorns: Array = (agents["policy"] == DISCRIMINATING) & (known < agents["threshold"])
    return scorns


_OF_SHARES = (
    "My strategy will be to give {g:g} % of what I own, whoever it is.",
    "My strategy will be to give the share that the recipient and those before it are known to "
    "have given, the latest gift counting most, and {g:g} % to a stranger.",
    "My strategy will be to give {g:g} % to strangers and to those who are known to have given "
    "{t:g} % or more, and to others nothing, but where I may, to spend {s:g} % on punishing them.",
    "My strategy will be to pass on the share that somebody gave to me last, and to begin with "
    "{g:g} %.",
    "My strategy will be to give any share, as chance has it.",
    "My strategy will be to give nothing.",
)
_OF_CHANCES = (
    "My strategy will be to give with a chance of {g:g} %, whoever it is.",
    "My strategy will be to give the more often, the more often the recipient and those before it "
    "are known to have given, the latest deed counting most, and to a stranger with a chance of "
    "{g:g} %.",
    "My strategy will be to give with a chance of {g:g} % to strangers and to those who are known "
    "to have given {t:g} % of the time or more, the latest deed counting most, and to others "
    "nothing, but where I may, to punish them with a chance of {s:g} %.",
    "My strategy will be to give if somebody gave to me last, and to begin with a chance of "
    "{g:g} %.",
    "My strategy will be to give or to keep, as chance has it.",
    "My strategy will be to give nothing.",
)
