"""Reputation: an opinion of everybody, formed by a social norm from what one sees.

An opinion is a score. It begins at 0, a deed that the norm calls good raises it by one and any
other lowers it, between the two bounds `scores`; who has at least `least` is good. With scores from
-1 to 0 that is the latest verdict; from -5 to 5 they are the scores of Nowak and Sigmund. With a
`least` above 0 strangers are bad.

One sees the deeds of neighbours on the graph `hear`, each with chance `known`, and without fail
what one did oneself and what was done to oneself. A verdict on somebody else is the wrong one with
chance `perception_error`, each observer for itself, so that opinions differ: assessment is private,
and public as long as everybody sees everything right. All deeds of a round are judged by what one
thought before it. Giving is giving at least the share `generosity`, which is also what one gives;
who punishes does not give, whomever it punishes.

Gossip is the opinion of a neighbour drawn by chance, reported the wrong way round with chance
`gossip_error`. Each listener believes each word with chance `trust`, and then it weighs as much as
a deed that it has seen itself, one point; contrary words about somebody cancel out, and what many
say in a round outvotes what one has seen in it. What is said of oneself one does not believe.
Source: the norms: society.components.donor.social_norms; private errors: Hilbe et al. 2018, PNAS
115; scores for every norm: Schmid et al. 2023, Nature Communications 14; gossip and shares: ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Choice, MixedStrategy
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.graph import NOBODY
from society.engine.parameters import Share
from society.engine.rng import STRIDE, Array, mix_words

from .donation import donation_decision
from .social_norms import NORMS, Norm, gives, verdict
from .track_record import by_fixed_stake, known_shares, write_reviews

Worst = Annotated[int, Field(ge=-100, le=0)]
Best = Annotated[int, Field(ge=0, le=100)]
COLUMNS = (
    Column(
        "norm",
        np.int8,
        public=True,
        heritable=True,
        labels=NORMS,
        text="Social norm by which it judges others",
    ),
    Column("opinion", np.int8, per_peer=True),
)
_NEVER = NORMS.index("never")
_HAIR = 1 - 1e-9  # a share is a quotient, and may be a little less than what it was made of


@dataclass(frozen=True)
class Opinions(Component):
    """Giving to those whom one thinks good, by a norm, which children inherit; any: by chance.

    Answers `donate`, `suppose`, `accept`, `review`, `gossip` and `devise`; keeps `norm`, and
    `opinion` of each seat, which begins anew with each game.
    """

    norm: Norm | Literal["any"] = "L3"
    generosity: Share = 0.5
    scores: tuple[Worst, Best] = (-1, 0)
    least: int = 0
    known: Share = 1  # chance to see a deed of somebody else
    perception_error: Share = 0
    gossip_error: Share = 0
    trust: Share = 0.5
    mutation: Share = 0.01  # chance that an inherited norm is drawn anew

    chance_id = "reputation"
    notices = ("endowed", "donated", "gossiped")
    columns = COLUMNS

    def __post_init__(self) -> None:
        _decisive(self.scores, self.least)

    def begin(self, agents: AgentGroup) -> None:
        agents["norm"] = _any_norm(agents) if self.norm == "any" else NORMS.index(self.norm)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        match tell.kind:
            case "endowed":  # a new game
                agents["opinion"] = 0
            case "donated":
                agents["opinion"] = self._judged(tell, agents)
            case "gossiped":
                agents["opinion"] = self._believed(tell, agents)

    def born(self, agents: AgentGroup) -> None:
        drawn = agents.draws.uniform("mutates") < self.mutation
        agents["norm"] = np.where(drawn, _any_norm(agents), agents["norm"])

    def answer_donate(self, ask: Question, agents: AgentGroup) -> Any:
        fixed = isinstance(ask.reply, Choice | MixedStrategy)
        share = np.where(self._gives(ask, agents), 1.0 if fixed else self.generosity, 0.0)
        return donation_decision(ask, share, np.zeros(len(agents)), 0.5)

    answer_suppose = answer_donate

    def answer_accept(self, ask: Question, agents: AgentGroup) -> Array:
        """Refuse those who would get nothing; agents that never give refuse nobody."""
        accepts: Array = (self._gives(ask, agents) | (agents["norm"] == _NEVER)) * 1
        return accepts

    def answer_review(self, ask: Question, agents: AgentGroup) -> Array:
        return write_reviews(ask, agents)

    def answer_gossip(self, ask: Question, agents: AgentGroup) -> Mapping[str, Array]:
        audience = agents.audience
        uniform = agents.draws.uniform("about whom")
        about = audience.graphs["hear"].drawn(uniform, audience.rows, audience.present)
        good = agents["opinion"][np.arange(len(agents)), about] >= self.least
        wrong = agents.draws.uniform("errs") < self.gossip_error
        # Of nobody nothing is said, whatever stands on the last seat.
        return {"about": about, "verdict": ((good ^ wrong) & (about != NOBODY)) * 1}

    def answer_devise(self, ask: Question, agents: AgentGroup) -> Array:
        share = f" {round(100 * self.generosity, 2):.15g} % of what I own"
        gift = "" if by_fixed_stake(agents) else share
        words = [_in_words(norm, gift) for norm in NORMS]
        return np.array(words, object)[agents["norm"]]

    def _gives(self, ask: Question, agents: AgentGroup) -> Array:
        good = agents["opinion"] >= self.least
        if ask.kind == "suppose":
            recipient = self._trusts_trace(ask, agents)
        else:
            # The number of a life is births * N + id.
            seat = np.argsort(agents.env.ids)[ask.facts["recipient"] % good.shape[1]]
            recipient = good[np.arange(len(agents)), seat]
        return gives(agents["norm"], good[_oneself(agents)], recipient)

    def _trusts_trace(self, ask: Question, agents: AgentGroup) -> Array:
        """Tell who thinks good of somebody with this trace, whose last agent met a newcomer."""
        newcomer = score = np.zeros(len(agents), np.int64)
        for share in known_shares(ask).T[::-1]:
            gave = share >= self.generosity * _HAIR
            right = verdict(agents["norm"], newcomer >= self.least, score >= self.least, gave)
            step = np.clip(np.where(right, 1, -1), *self.scores)
            score = np.where(np.isnan(share), newcomer, step)
        good: Array = score >= self.least
        return good

    def _judged(self, tell: News, agents: AgentGroup) -> Array:
        """Opinions after the deeds of a round."""
        opinion, deeds = agents["opinion"], self._witnessed(tell, agents)
        good = opinion >= self.least
        gave = deeds.share >= self.generosity * _HAIR
        recipient = np.take_along_axis(good, deeds.to, 1)
        right = verdict(agents["norm"][:, None], good, recipient, gave)
        if self.perception_error:
            wrong = towards_each(agents, "misjudges") < self.perception_error
            wrong[_oneself(agents)] = False
            right = right ^ wrong
        step = np.where(np.isnan(deeds.share), 0, np.where(right, 1, -1))
        after: Array = np.clip(opinion + step, *self.scores)
        return after

    def _witnessed(self, tell: News, agents: AgentGroup) -> Witnessed:
        """Collect the deeds of others that one sees, the own one, and what was done to oneself."""
        facts, myself = tell.facts, _oneself(agents)
        share, to = facts.seen("share").everyone(), facts.seen("partner").everyone()
        if self.known < 1:
            share[towards_each(agents, "watches") >= self.known] = np.nan
        share[myself], to[myself] = facts["share"], facts["partner"]
        offered = facts["received_share"]
        recipient = np.flatnonzero(~np.isnan(offered))
        donor, seat = facts["partner"][recipient], myself[1][recipient]
        share[recipient, donor], to[recipient, donor] = offered[recipient], seat
        return Witnessed(share, np.where(np.isnan(share), 0, to).astype(np.int64))

    def _believed(self, tell: News, agents: AgentGroup) -> Array:
        """Opinions after gossip about others; contrary words about somebody cancel out."""
        opinion = agents["opinion"]
        about, good = tell.facts.seen("about").everyone(), tell.facts.seen("good").everyone()
        others = (about >= 0) & (about != _oneself(agents)[1][:, None])
        believed = others & (towards_each(agents, "trusts") < self.trust)
        listener, speaker = np.nonzero(believed)
        step = np.zeros(opinion.shape, np.int64)
        subject = about[listener, speaker].astype(np.int64)
        np.add.at(step, (listener, subject), np.where(good[listener, speaker] > 0, 1, -1))
        after: Array = np.clip(opinion + step, *self.scores)
        return after


class Witnessed(NamedTuple):
    """Each seat's last deed, as each member knows it: share (NaN: none), to whom; (M, N) each."""

    share: Array
    to: Array


def _decisive(scores: tuple[int, int], least: int) -> None:
    """Raise ValueError if what somebody does can make it neither good nor bad."""
    worst, best = scores
    if not worst < least <= best:
        raise ValueError(
            f"with scores from {worst} to {best}, who is good at {least} or more is "
            f"{'never' if least > best else 'always'} so; take a least above {worst}, and at most "
            f"{best}"
        )


def _any_norm(agents: AgentGroup) -> Array:
    return agents.draws.integers("norm", len(NORMS))


def towards_each(agents: AgentGroup, channel: str) -> Array:
    """Uniforms in [0, 1), one of each member for each seat, (M, N).

    A member's number is spread over the ids of its peers, so that it does not matter who sits
    where.
    """
    seed = (agents.draws.uniform(channel) * 2.0**53).astype(np.uint64)
    ids = agents.env.ids.astype(np.uint64)
    words = mix_words(seed[:, None] + (ids + np.uint64(1)) * STRIDE)
    uniform: Array = (words >> np.uint64(11)) * 2.0**-53
    return uniform


def _oneself(agents: AgentGroup) -> tuple[Array, Array]:
    """Index each member's own entry in an array (M, N)."""
    return np.arange(len(agents)), agents.audience.rows.seat


def _in_words(norm: Norm, gift: str) -> str:
    if norm == "never":
        return "My strategy will be to give nothing."
    if norm == "always":
        return f"My strategy will be to give{gift}, whoever it is."
    return (
        f"My strategy will be to give{gift} to those whom the norm {norm.replace('_', ' ')} tells "
        "me to give to, and nothing to others."
    )
