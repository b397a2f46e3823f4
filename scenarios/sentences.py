"""Norms in words: everybody rewrites its own, proposes one for all, and one of these is adopted.

A proposal is a sentence with an optional cap, and travels as one text (society.components.voting).
The policy is the text that won, word for word. Rules read its cap; a policy without one leaves the
last cap standing. Under `plurality` the distinct proposals are voted on, and chance breaks ties;
under `median` the policy is the proposal that states the median of the caps, of two the lower.

What cannot be read is settled so: a personal norm stays as it was, a proposal is none, and a vote
counts for the own proposal. Whoever proposes nothing has no vote, and where nobody proposes, the
policy stays.
Source: Gupta et al. 2026, section 3.1.3 (propose, then vote); caps and the median are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.components.voting import caps_of, worded
from society.draws import Array
from society.graph import NOBODY
from society.replies import Amount, Choice, Form, Words
from society.scenarios.institutions import Known, VoteRule, plurality
from society.table import Table
from society.talk import Ask, Script, Tell, common, own

_UPDATE = Form({"personal": Words()})
_PROPOSAL = Form(
    {"personal": Words(), "community": Words(), "cap": Amount(0, np.inf, optional=True)}
)


class Norms(NamedTuple):
    """personal: (R, N) of text. policy: (R, 1) of text, "" before the first. cap: (R, 1)."""

    personal: Array
    policy: Array
    cap: Array


class Ballot(NamedTuple):
    """options: (R, N), the distinct proposals by text, then None. own: (R, N), whose is which."""

    options: Array
    own: Array


def unwritten(table: Table) -> Norms:
    """Before anybody has said anything: no policy, and no cap."""
    personal = np.full(table.present.shape, "", object)
    return Norms(personal, personal[:, :1], np.full(table.running.shape, np.inf))


def reconsidered(table: Table, rule: VoteRule, norms: Norms, known: Known) -> Script:
    """The norms after a round in which all have seen what is `known`.

    Under `none` everybody rewrites its own norm, and there is no policy.
    """
    unread = {"personal": norms.personal, "community": "", "cap": np.nan}
    if rule == "none":
        said = yield Ask("update", _UPDATE, known, otherwise=unread)
        yield Tell("reconsidered", {"norm": own(said["personal"])})
        return norms._replace(personal=said["personal"])
    said = yield Ask("propose", _PROPOSAL, known, otherwise=unread)
    personal, proposals = said["personal"], worded(said["community"], said["cap"])
    yield Tell("reconsidered", {"norm": own(personal), "proposal": own(proposals)})
    if rule == "median":
        chosen = central(proposals)
    else:
        chosen = yield from _voted(table, proposals, known)
    policy = np.where(chosen.astype(bool), chosen, norms.policy)
    caps = caps_of(policy)
    cap = np.where(np.isnan(caps), norms.cap, caps)
    yield Tell("adopted", {"policy": common(policy), "cap": common(cap)})
    return Norms(personal, policy, cap)


def _voted(table: Table, proposals: Array, known: Known) -> Script:
    """The proposal with most votes, (R, 1); None where there is none."""
    options, mine = ballot(proposals)
    facts = {name: fact for name, fact in known.items() if fact.scope == "common"}
    choice = Choice(options=options)
    vote = yield Ask("vote", choice, facts, who=mine != NOBODY, otherwise=mine)
    tie = table.draws("reconsidered", per="replicate").uniform("tie")
    return plurality(options, vote, tie)


def ballot(proposals: Array) -> Ballot:
    """What can be voted for; "" is no proposal. (R, N) of text."""
    options = np.full(proposals.shape, None, object)
    mine = np.full(proposals.shape, NOBODY)
    for said, listed, chosen in zip(proposals, options, mine, strict=True):
        made = said != ""
        distinct, chosen[made] = np.unique(said[made], return_inverse=True)
        listed[: len(distinct)] = distinct
    return Ballot(options, mine)


def central(proposals: Array) -> Array:
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
