"""Norms in words: everybody rewrites its own, proposes one for all, and one of these is adopted.

A proposal is a sentence, with an optional cap where caps are asked for, and travels as one text
(society.components.village.voting). Norms and proposals are taken as they will be shown, so that
two which look alike are one. The policy is the text that won, word for word. Rules read its cap; a
policy without one leaves the last cap standing. Under `plurality` the distinct proposals are voted
on, and chance breaks ties; under `median` the policy is the proposal that states the median of the
caps, of two the lower.

A personal norm belongs to its owner (society.components.language.personal_norm): "" is told where
nothing new was said, and leaves what the owner holds, which it may have copied from a peer just
before. What cannot be read is settled so: a personal norm stays as it is, a proposal is none, and a
vote counts for the own proposal. Whoever proposes nothing has no vote, and where nobody proposes,
the policy stays.
Source: Gupta et al. 2026, section 3.1.3 (propose, then vote); caps and the median are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.components.village.voting import caps_of, proposal_texts
from society.engine.action_spaces import Choice, Fields, Real, Text
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array, Draws
from society.engine.script import Ask, Script, Tell, common, own
from society.scenarios.village.institutions import Known, VoteRule, plurality_winner
from society.text import clean_line

CHANCE_ID = "reconsidered"
_UPDATE = Fields({"personal": Text()})
_PROPOSAL = Fields({"personal": Text(), "community": Text()})
_CAPPED_PROPOSAL = Fields({**_PROPOSAL.fields, "cap": Real(0, np.inf, optional=True)})
_NOTHING = {"personal": "", "community": "", "cap": np.nan}
_CLEAN = np.frompyfunc(clean_line, 1, 1)


class NormPolicy(NamedTuple):
    """The policy in force: its words, (R, 1) of text, "" before the first; its cap, (R, 1)."""

    words: Array
    cap: Array


class Ballot(NamedTuple):
    """options: (R, N), the distinct proposals by text, then None. own: (R, N), whose is which."""

    options: Array
    own: Array


def no_policy(env: Environment) -> NormPolicy:
    """Make the first policy: no words, and no cap."""
    shape = env.running.shape
    return NormPolicy(np.full(shape, "", object), np.full(shape, np.inf))


def revise_policy(
    env: Environment,
    rule: VoteRule,
    old: NormPolicy,
    known: Known,
    known_to_voters: Known,
    *,
    caps: bool = True,
) -> Script:
    """The policy after a round in which all have seen what is `known`.

    Under `none` everybody rewrites its own norm, and the policy stays. caps: whether proposals may
    state one.
    """
    if rule == "none":
        said = yield Ask("update", _UPDATE, known, fallback=_NOTHING)
        yield Tell("reconsidered", {"norm": own(_CLEAN(said["personal"]))})
        return old
    form = _CAPPED_PROPOSAL if caps else _PROPOSAL
    said = yield Ask("propose", form, known, fallback=_NOTHING)
    stated = said["cap"] if caps else np.full(env.present.shape, np.nan)
    norms, proposals = _CLEAN(said["personal"]), proposal_texts(said["community"], stated)
    yield Tell("reconsidered", {"norm": own(norms), "proposal": own(proposals)})
    if rule == "median":
        chosen = median_proposal(proposals)
    else:
        chosen = yield from _voted(env, proposals, known_to_voters)
    words = np.where(chosen.astype(bool), chosen, old.words)
    written = caps_of(words)
    cap = np.where(np.isnan(written), old.cap, written)
    yield Tell("adopted", {"policy": common(words), "cap": common(cap)})
    return NormPolicy(words, cap)


def _voted(env: Environment, proposals: Array, known: Known) -> Script:
    """The proposal with most votes, (R, 1); None where there is none."""
    options, mine = ballot_options(proposals)
    choice = Choice(options=options)
    vote = yield Ask("vote", choice, known, who=mine != NOBODY, fallback=mine)
    tie = env.draws(CHANCE_ID, per="replicate").uniform("tie")
    return plurality_winner(options, vote, tie)


def vote_in_groups(
    groups: Array, proposals: Array, before: Array, known: Known, draws: Draws
) -> Script:
    """The words that each one's own group has chosen by plurality, (R, N) of text.

    groups: (R, N) of numbers; each votes on what its own members have proposed, one after the
    other. before: (R, N), which stays where a group proposes nothing. draws: (R, 1), for ties,
    which all groups of a replicate break by the same lot.
    """
    chosen = before
    for number in np.unique(groups):
        ours = groups == number
        options, mine = ballot_options(np.where(ours, proposals, ""))
        facts = {**known, "at_home": own(ours)}
        vote = yield Ask("vote", Choice(options=options), facts, mine != NOBODY, mine)
        won = plurality_winner(options, vote, draws.uniform("tie"))
        chosen = np.where(ours & won.astype(bool), won, chosen)
    return chosen


def ballot_options(proposals: Array) -> Ballot:
    """Return the proposals to vote on, (R, N) of text; "" is no proposal."""
    options = np.full(proposals.shape, None, object)
    mine = np.full(proposals.shape, NOBODY)
    for said, listed, chosen in zip(proposals, options, mine, strict=True):
        made = said != ""
        distinct, chosen[made] = np.unique(said[made], return_inverse=True)
        listed[: len(distinct)] = distinct
    return Ballot(options, mine)


def median_proposal(proposals: Array) -> Array:
    """The proposal with the median of the caps stated, of two the lower; (R, N) -> (R, 1).

    Of several with that cap the first by text; "" where nobody states one.
    """
    return np.array([[_central(row)] for row in proposals], object).reshape(-1, 1)


def _central(proposals: Array) -> str:
    caps = caps_of(proposals)
    stated = ~np.isnan(caps)
    if not stated.any():
        return ""
    ranked = np.sort(caps[stated])
    return str(min(proposals[caps == ranked[(len(ranked) - 1) // 2]]))
