"""Narrated scenes: agents speak in free text, and a referee says what has come of it.

Sub-scripts for any scenario, as institutions are. Arrays are (R, N); texts are cells of dtype
object, "" where nobody speaks. The referee is an agent like any other: a language model, a rule
that reads simple texts, or a person. The idea is Concordia's (Vezhnevets et al. 2023), where a game
master decides what comes of each attempt; here it answers a typed question.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from society.engine.action_spaces import Fields, Text, Value
from society.engine.environment import Environment
from society.engine.rng import Array
from society.engine.script import Ask, Script, Tell, common, seen
from society.scenarios.village.institutions import NOTHING, Known

SPEECH = Text(400)


def hold_speeches(env: Environment, *, in_turn: bool, who: Array, known: Known = NOTHING) -> Script:
    """Let everybody in `who` speak to those who can hear it; returns the words, (R, N).

    in_turn: one after the other by id, each having heard those before it; this takes as many
    questions as there are agents. Else all at once, and nobody has heard anything. Words that
    cannot be read are silence. Whom one hears is a matter of the relation `hear`.
    """
    words = np.full(env.present.shape, "", object)
    turns = [env.ids == agent for agent in np.sort(env.ids)] if in_turn else [who]
    for turn in turns:
        heard = {"words": seen("hear", words), **known}
        words = words + (yield Ask("speak", SPEECH, heard, who=who & turn, fallback=""))
    yield Tell("spoke", {"words": seen("hear", words)})
    return words


def judge_attempts(
    env: Environment,
    attempts: Array,
    verdict: Value,
    *,
    whose: Array,
    by: Array,
    fallback: Any,
    known: Known = NOTHING,
) -> Script:
    """Let a referee judge the attempts, texts, of all in `whose`: a verdict on each, (R, N).

    by: the referee's seat; it is asked once for all verdicts, in a form with a field for each id,
    so that they cost one call and fit together. The form must not depend on what has happened: of
    those in `whose` who are gone the referee reads nothing, and its verdict on them is not used.
    Who is not judged holds the verdict's silent value. fallback: each verdict, where the referee
    could not be understood.
    """
    seats = {str(env.ids[seat]): seat for seat in np.argsort(env.ids) if whose[:, seat].any()}
    facts = {f"attempt_{name}": common(attempts[:, [seat]]) for name, seat in seats.items()}
    said = yield Ask(
        "judge",
        Fields(dict.fromkeys(seats, verdict)),
        {**facts, **known},
        who=by if seats else np.zeros_like(by),
        fallback=dict.fromkeys(seats, fallback),
    )
    verdicts = np.full(env.present.shape, verdict.silent, verdict.dtype)
    for name, seat in seats.items():
        # Nobody else was asked, so that all other seats are silent; so is one without a referee.
        verdicts[:, seat] = np.take_along_axis(said[name], by.argmax(1)[:, None], 1)[:, 0]
    judging = whose & env.active & (by & env.active).any(1, keepdims=True)
    return np.where(judging, verdicts, np.asarray(verdict.silent, verdict.dtype))
