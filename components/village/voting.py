"""Taking part in collective choice: propose the own belief, vote for what lies nearest to it.

A proposal is a number, the cap itself, or in a village with language agents a sentence. There a
rule writes its cap at the end of the sentence and reads the caps of others at the same place:

    Nobody should land more than this on one day. (at most 6.25 fish per villager and day)

A proposal without such an ending states no cap, so that a rule cannot judge it, and votes for it
only where nothing else is open: then for the first.
Source: Gupta et al. 2026, section 3.1.3 (g* = g, median voter); the vote and the words are ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from society.engine.action_spaces import Fields
from society.engine.component import AgentGroup, Component, Question
from society.engine.graph import count_true
from society.engine.rng import Array
from society.text import clean_line

_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]\d+)?"
_ENDING = re.compile(rf" \(at most ({_NUMBER}) fish per villager and day\)\Z")
_FAR = 1e300  # stands for infinity, which is no part of a complex number
_PROPOSED = "Nobody should land more than this on one day."
_HELD = "Land no more than {cap} fish on one day."
_SAID = "I think that nobody should land more than {cap} fish on one day."


@dataclass(frozen=True)
class Voting(Component):
    """Proposing one's belief as the next cap, and voting for the proposal nearest to it.

    Answers `propose`, `update` (one's own norm in words), `vote`, and `speak` in a meeting before
    them, from the column `belief`.
    """

    chance_id = "voting"
    answers = ("propose", "update", "vote", "speak")
    at_birth = ()

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        belief = agents["belief"]
        if ask.kind == "speak":
            return _in_words(_SAID, belief)
        if ask.options is not None:
            caps = caps_of(ask.options) if ask.options.dtype == object else ask.options
            return nearest_option(caps, agents.replicate, belief)
        if not isinstance(ask.reply, Fields):
            return belief
        said = {"personal": _in_words(_HELD, belief), "community": _PROPOSED, "cap": belief}
        return {name: said[name] for name in ask.reply.fields}


def proposal_texts(sentences: Array, caps: Array) -> Array:
    """Proposals as one text each: the sentence as it is shown, and its cap (NaN: none) at the end.

    Both (R, N). A cap that is stated replaces one that the sentence ends with; it is written with
    two decimals and counts as it is written. An empty sentence makes no proposal.
    """
    return np.asarray(np.frompyfunc(_worded, 2, 1)(sentences, caps), object)


def caps_of(proposals: Array) -> Array:
    """The caps at the end of proposals, of any shape; NaN for one without, and for None."""
    return np.asarray(np.frompyfunc(_cap_of, 1, 1)(proposals), float)


def _worded(sentence: str, cap: float) -> str:
    line = clean_line(sentence)
    if not line or not np.isfinite(cap):
        return line
    return f"{_ENDING.sub('', line)} (at most {_figure(cap)} fish per villager and day)"


@lru_cache(maxsize=4096)
def _cap_of(proposal: str | None) -> float:
    ending = _ENDING.search(proposal) if proposal else None
    return float(ending[1]) if ending else np.nan


def _figure(cap: float) -> str:
    return f"{round(cap, 2):.15g}"


def _in_words(sentence: str, belief: Array) -> Array:
    """Beliefs in a sentence that has a place for the cap, (M,) of text."""
    said = np.frompyfunc(lambda cap: sentence.format(cap=_figure(cap)), 1, 1)
    return np.asarray(said(belief), object)


def nearest_option(options: Array, replicate: Array, wish: Array) -> Array:
    """The index of the option nearest to each wish, of two the smaller one, (M,).

    options: (R, K), NaN where one is not open. replicate: whose options a wish is held against,
    (M,). wish: (M,).
    """
    options, wish = np.minimum(options, _FAR), np.minimum(wish, _FAR)
    order = None if _ascend(options) else np.argsort(options, axis=1, kind="stable")
    ascending = options if order is None else np.take_along_axis(options, order, 1)
    flat, first = ascending.reshape(-1), replicate * options.shape[1]
    last = np.maximum(count_true(~np.isnan(ascending)) - 1, 0).take(replicate)
    above = _smaller(ascending, replicate, wish)
    high, low = first + np.minimum(above, last), first + np.clip(above - 1, 0, last)
    nearer = flat.take(high) - wish < wish - flat.take(low)
    chosen: Array = np.where(nearer, high, low)
    return chosen - first if order is None else order.reshape(-1).take(chosen)


def _ascend(options: Array) -> bool:
    """Tell whether each row is in ascending order, NaN last."""
    missing = np.isnan(options)
    turns = missing[:, :-1] & ~missing[:, 1:]
    return not (turns.any() or (options[:, 1:] < options[:, :-1]).any())


def _smaller(rows: Array, row: Array, wish: Array) -> Array:
    """Count the entries below each wish in its row of ascending numbers, NaN last; (M,).

    rows: (R, K). row: of each wish, (M,). All search at the same time, by halves.
    """
    width = rows.shape[1]
    step = 1 << (width.bit_length() - 1)
    padded = np.full((len(rows), 2 * step), np.nan)  # nothing is above NaN, beyond the end
    padded[:, :width] = rows
    flat, first = padded.reshape(-1), row * (2 * step)
    at = first
    while step:
        # A product, since copying only where something holds takes ten times as long.
        at = at + step * (flat[step - 1 :].take(at) < wish)
        step //= 2
    found: Array = at - first
    return found
