"""A fishing village whose norms are sentences: four questions to each villager and round.

The lake, fines, deaths and measures are those of fishing_village. Each round every villager
    1. decides how hard to fish, from its own norm, the policy in force, and what it saw last round;
    2. fines one villager whom it sees, or nobody, as it judges (in fishing_village: if h_j > G);
    3. rewrites its norm and proposes a policy; the winner of the vote is told word for word.
With `meeting` (ours) villagers first talk: each is heard by those who see it on `hear`, and what it
said stands in their prompts until the vote is over.
Villagers are told what they eat a day, that who falls below 0 dies, what a fine costs, their own
norm, the policy, and the efforts and payoffs of the villagers they see. They are not told of
catchability, growth, capacity, or how a catch comes about: rules, which need some of that, find it
among the facts of a question, and the prompts leave it out.

The paper gives two accounts of what else they perceive, and `perceive` takes either:
    prompts    what its printed prompts show (appendix A): no more than that
    section3   the observation of its section 3.1.1: also recent personal outcomes, which we read
               as those of the last day (the own catch, the change of payoff, fines received, and
               from whom as far as `monitor` shows it), and the stock R(t)
`stock_shown` switches the stock alone. Whoever knows its effort, its catch and the stock can infer
the law of the harvest, h = alpha e R, though nobody states it.

Three switches make the paper's four conditions, as we read them:
                         see to learn   see to punish   shared policy
    full                     yes             yes             yes
    only_social_learning     yes             yes             no
    only_group_decision      no              yes             yes
    neither                  no              no              no
Whether peers are still seen to be fined under only_group_decision the paper does not say. Where
nobody is seen to be fined, nobody is asked. Under neither an agent perceives itself alone.

Source: Gupta et al. 2026 (AAMAS), section 4.2 and appendix A. The paper gives no alpha, c, wealth
or stock for its language villages: they are ours, those of fishing_village.
"""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.personal_norm import PersonalNorm
from society.components.language.recall import EmbedderName
from society.components.village.persona import Persona, Temper
from society.components.village.voting import caps_of
from society.engine.action_spaces import Real
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, declares
from society.engine.population import Cohort, fill_from_params
from society.engine.rng import Array
from society.engine.scenario import (
    OF_DEFAULT_CAST,
    Interventions,
    Live,
    Measure,
    scenario,
)
from society.engine.script import Ask, Fact, Script, Tell, common, own, seen
from society.scenarios.village.fishing_village import (
    LAKE_FACTS,
    MEASURES,
    Village,
    admit_newcomers,
    compliance,
    pass_night,
    stated_cap,
)
from society.scenarios.village.fishing_village import STAGE as LAKE_STAGE
from society.scenarios.village.institutions import (
    NOTHING,
    Known,
    VoteRule,
    detection_chance,
    fine_neighbours,
    imitate_neighbours,
    name_finers,
    no_fines,
)
from society.scenarios.village.lake import land_catch
from society.scenarios.village.narration import hold_speeches
from society.scenarios.village.norm_measures import told_by_norms
from society.scenarios.village.norm_proposals import NormPolicy, no_policy, revise_policy
from society.scenarios.village.village_post_mortem import POST_MORTEM
from society.text import clean_line

_CAP_USES = ("effort", "punish", "propose", "vote")  # questions whose rules read or write caps


class Channels(NamedTuple):
    """The ways in which norms can come to agree."""

    learn: bool
    punish: bool
    policy: bool


CONDITIONS = {
    "full": Channels(learn=True, punish=True, policy=True),
    "only_social_learning": Channels(learn=True, punish=True, policy=False),
    "only_group_decision": Channels(learn=False, punish=True, policy=True),
    "neither": Channels(learn=False, punish=False, policy=False),
}


class LanguageVillage(Village):
    """Parameters of rules (`revision`, `effort_rule`, ...) matter where a cohort follows rules."""

    condition: Live[Literal["full", "only_social_learning", "only_group_decision", "neither"]] = (
        Field("full", description="the paper's condition, which sets the three switches below")
    )
    see_to_learn: Live[bool | None] = Field(
        None, description="others seen when fishing and rewriting norms; none: by condition"
    )
    see_to_punish: Live[bool | None] = Field(
        None, description="others seen when fining, or else no fines; none: by condition"
    )
    shared_policy: Live[bool | None] = Field(
        None, description="policies proposed and voted on; none: by condition"
    )
    vote: Literal["plurality", "median"] = Field(
        "plurality", description="most votes, or the proposal with the median of the caps stated"
    )
    social_learning: Live[bool] = Field(
        False, description="whether villagers may also copy a peer's norm and traits (ours)"
    )
    effort_rule: Live[Literal["deterrence", "trait"]] = Field(
        "trait", description="effort by rule; deterrence asks everybody how likely it would fine"
    )
    population: Literal["altruist", "mixed", "selfish"] = Field(
        "mixed",
        description="the personas; mixed: altruists, then selfish",
        json_schema_extra=OF_DEFAULT_CAST,
    )
    peers_seen: Live[int | None] = Field(
        None,
        ge=1,
        description="how many of its neighbours an agent sees in a round, by chance; none: all",
    )
    perceive: Live[Literal["prompts", "section3"]] = Field(
        "section3",
        description="what villagers perceive: what the paper's prompts show, or as its section "
        "3.1.1 has it also their last catch, change of payoff and fines, and the stock",
    )
    stock_shown: Live[bool | None] = Field(
        None, description="whether villagers are told the stock; none: under section3"
    )
    meeting: Live[Literal["none", "at_once", "in_turn"]] = Field(
        "none",
        description="whether villagers talk in the evening, before they propose and vote (ours): "
        "not at all, all at once, or one by one, having heard those before",
    )
    caps: Literal["auto", "on", "off"] = Field(
        "auto",
        description="whether proposals may state a cap in fish; auto: where rules fish, fine, "
        "propose or vote, and under the vote median",
    )
    thinking: Live[bool] = Field(False, description="whether models reason before they answer")
    norm_embedder: EmbedderName = Field(
        "minilm",
        description="embedder that measures norms at the end; hashing compares wording only",
    )

    @property
    def channels(self) -> Channels:
        """The switches; one that is not set is as the condition says."""
        given = self.see_to_learn, self.see_to_punish, self.shared_policy
        usual = CONDITIONS[self.condition]
        return Channels(*(u if g is None else g for g, u in zip(given, usual, strict=True)))

    @property
    def vote_rule(self) -> VoteRule:
        """The way in which a policy is adopted."""
        return self.vote if self.channels.policy else "none"

    @property
    def stock_told(self) -> bool:
        """True if villagers are told how many fish there are."""
        return self.perceive == "section3" if self.stock_shown is None else self.stock_shown

    @model_validator(mode="after")
    def _countable(self) -> LanguageVillage:
        if self.vote == "median" and self.caps == "off":
            raise ValueError(
                "vote is median and caps are off, but the median is taken of caps; "
                "set caps=on, or vote=plurality"
            )
        return self

    def fines_in(self, number: int) -> bool:
        """Tell whether there are fines in a round."""
        ended = self.punish_until is not None and number > self.punish_until
        return self.channels.punish and not ended


def language_villagers(p: LanguageVillage, agents: int) -> list[Cohort]:
    """The default cast: language agents with a persona and a norm, as the population says."""
    share = {"altruist": 1.0, "mixed": p.altruists, "selfish": 0.0}[p.population]
    altruists = round(share * agents)
    counts: dict[Temper, int] = {"altruist": altruists, "selfish": agents - altruists}
    return [
        Cohort(
            temper, count, (Persona(temper), PersonalNorm(), fill_from_params(LanguagePolicy, p))
        )
        for temper, count in counts.items()
        if count
    ]


def known_facts(shown: bool, graph: str, effort: Array, payoff: Array) -> dict[str, Fact]:
    """Return the facts that each knows of itself, and of its neighbours if `shown`."""
    looks = {"effort": effort, "payoff": payoff}
    return {name: seen(graph, value) if shown else own(value) for name, value in looks.items()}


def tell_wealth(shown: bool, effort: Array, wealth: Array, fined: Array) -> Script:
    """Tell all what they own; returns what mechanisms add to it, (R, N), or 0."""
    looks = known_facts(shown, "learn", effort, wealth)
    more = yield Tell("paid", looks | {"wealth": own(wealth), "fined": own(fined)})
    return 0.0 if more is None else more


def tell_policy(p: LanguageVillage, policy: NormPolicy, caps: bool) -> dict[str, Fact]:
    """Return the policy, if there can be one; its cap, if there are caps, is for rules."""
    words = {"policy": common(policy.words)} if p.channels.policy else {}
    return words | ({"cap": common(policy.cap)} if caps else {})


def caps_asked(p: LanguageVillage, env: Environment) -> bool:
    """Tell whether proposals may state caps: by default where somebody can make use of them."""
    if p.caps != "auto":
        return p.caps == "on"
    return p.vote == "median" or any(map(env.answered_by_rule, _CAP_USES))


class RecentOutcomes(NamedTuple):
    """The last day of each agent, (R, N); NaN, or "", where there was none.

    catch: fish landed. gain: change of payoff. fined: 1 if it was fined, else 0. fined_by: names of
    those among the finers whom it sees.
    """

    catch: Array
    gain: Array
    fined: Array
    fined_by: Array

    def without(self, new: Array) -> RecentOutcomes:
        """Leave out those who have not been here on the last day, (R, N) of bool."""
        catch, gain, fined = (
            np.where(new, np.nan, one) for one in (self.catch, self.gain, self.fined)
        )
        return RecentOutcomes(catch, gain, fined, np.where(new, "", self.fined_by))


def perceive_outcomes(p: LanguageVillage, recent: RecentOutcomes, stock: Array) -> dict[str, Fact]:
    """Return the facts that `perceive` and `stock_shown` add to those of the paper's prompts."""
    facts = {}
    if p.perceive == "section3":
        facts = {"last_catch": own(recent.catch), "last_gain": own(recent.gain)}
        if p.channels.punish:
            facts |= {"last_fined": own(recent.fined), "last_fined_by": own(recent.fined_by)}
    return facts | ({"stock": common(stock)} if p.stock_told else {})


def meet(env: Environment, known: Known) -> Script:
    """Let villagers talk, if they meet; returns the words, as those know them who hear them."""
    meeting = env.params.meeting
    if meeting == "none":
        return NOTHING
    words = yield from hold_speeches(env, in_turn=meeting == "in_turn", who=env.active, known=known)
    return {"words": seen("hear", words)}


OWN_MEASURES = (
    Measure("compliance", "share of catches within the cap, where a policy states one", compliance),
    Measure(
        "norm",
        "cap that a policy stated, fish a round, last round",
        stated_cap,
        fold="last",
        label="stated cap",
    ),
)
_OWN = [measure.name for measure in OWN_MEASURES]

FACTS = {
    **LAKE_FACTS,
    "payoff": FactSpec("Fish that a villager owns", "fish"),
    "norm": FactSpec("Personal norm, in words"),
    "proposal": FactSpec("Policy that a villager has proposed"),
    "policy": FactSpec("Policy in force, in words"),
    "update personal": FactSpec("Personal norm that a villager now states"),
    "propose personal": FactSpec("Personal norm that a villager now states"),
    "propose community": FactSpec("Policy that a villager proposes"),
    "propose cap": FactSpec("Cap that its proposal states", "fish"),
    "speak": FactSpec("What a villager says in the evening"),
    "words": FactSpec("What a villager has said this evening"),
    "vote": FactSpec("Policy that a villager votes for"),
    "last_catch": FactSpec("Latest catch", "fish"),
    "last_gain": FactSpec("Latest change of the fish that one owns", "fish"),
    "last_fined": FactSpec("Whether one was fined when fines were last given"),
    "last_fined_by": FactSpec("Names of those who gave that fine, if one sees them"),
}

STAGE = dataclasses.replace(
    LAKE_STAGE,
    columns=("effort", "catch", "wealth"),
    notes={
        "policy": {
            "propose community": "the median cap of {n} proposals",
            "vote": "the plurality of {n} votes",
        },
        "cap": {},
    },
    quotes={"norm": "now holds", "proposal": "proposes", "words": "says"},
)


def read_policy(words: str, env: Environment) -> NormPolicy:
    """Return the policy that an experimenter imposes, word for word; raises ValueError.

    Rules read its cap where it states one as proposals do.
    """
    if not (shown := clean_line(words).strip()):
        raise ValueError("got no words; expected a policy in words")
    if not env.params.channels.policy:
        raise ValueError(f"there is no policy under condition={env.params.condition}")
    policy = np.full((env.replicates, 1), shown, object)
    cap = caps_of(policy)
    return NormPolicy(policy, np.where(np.isnan(cap), np.inf, cap))


@scenario(
    params=LanguageVillage,
    cast=language_villagers,
    measures=(*(measure for measure in MEASURES if measure.name not in _OWN), *OWN_MEASURES),
    relations=("monitor", "learn", "hear"),
    rounds=50,
    display=STAGE,
    facts=FACTS,
    post_mortem=POST_MORTEM,
    post_analysis=told_by_norms,
    interventions=Interventions(norm=read_policy, longer=True, removal=True),
)
@declares(Declared("effort", "paid", payoff="wealth", repeats=("payoff",), open=True))
def language_village(env: Environment) -> Script:
    """A lake shared by villagers whose norms are sentences (Gupta et al. 2026, section 4.2)."""
    p, channels = env.params, env.params.channels
    stock = np.full((env.replicates, 1), p.stock * p.capacity)
    wealth = np.full(env.present.shape, float(p.wealth))
    average, survived = np.zeros_like(wealth), np.ones_like(stock, bool)
    effort, policy, caps = np.full_like(wealth, np.nan), no_policy(env), caps_asked(p, env)
    recent = RecentOutcomes(effort, effort, effort, np.full(wealth.shape, "", object))
    for number in env.rounds():
        new = yield from admit_newcomers(env)
        if new.any():
            wealth, average = np.where(new, p.wealth, wealth), np.where(new, 0, average)
            effort, recent = np.where(new, np.nan, effort), recent.without(new)
        p, fishing = env.params, env.active
        channels, punishing = p.channels, p.fines_in(number)
        policy = env.imposed("norm", policy)
        law = tell_policy(p, policy, caps)
        looks = known_facts(channels.learn, "learn", effort, wealth)
        looks |= perceive_outcomes(p, recent, stock)
        facts = law | looks | {"full_catch": common(p.catchability * stock)}
        if p.effort_rule == "deterrence":
            risk = (yield from detection_chance(env, law)) if punishing else np.zeros_like(wealth)
            facts["expected_fine"] = own(p.fine * risk)
        effort = yield Ask("effort", Real(0, 1), facts, fallback=np.nan_to_num(effort, nan=0.5))
        catch = land_catch(p, effort, stock)
        yield Tell(
            "harvested", {"catch": own(catch), "limit": common(policy.cap), "fishing": own(fishing)}
        )
        gain = catch - p.consumption
        looks = known_facts(channels.punish, "monitor", effort, wealth + gain)
        looks |= perceive_outcomes(p, recent._replace(catch=catch, gain=gain), stock)
        fines = no_fines(catch)
        if punishing:
            fines = yield from fine_neighbours(env, catch, policy.cap, law | looks)
        payoff = gain - p.fining_cost * fines.given - p.fine * fines.received
        wealth = wealth + payoff * fishing
        more = yield from tell_wealth(channels.learn, effort, wealth, fines.received)
        wealth, average = wealth + more, 0.9 * average + 0.1 * (payoff + more)
        finers = name_finers(env, fines, p.peers_seen)
        recent = RecentOutcomes(catch, payoff + more, fines.received.astype(float), finers)
        looks = known_facts(channels.learn, "learn", effort, wealth)
        dead, left = fishing & (wealth < 0), stock - catch.sum(1, keepdims=True)
        stock, survived = yield from pass_night(env, dead, fines.received, left, survived)
        if p.social_learning:
            better_off = wealth if p.payoff == "wealth" else average
            yield from imitate_neighbours(better_off, ("effort", "monitoring", "belief", "norm"))
        sensed = law | perceive_outcomes(p, recent, stock)
        said = yield from meet(env, sensed | looks)
        policy = yield from revise_policy(
            env, p.vote_rule, policy, sensed | looks | said, sensed | said, caps=caps
        )
