"""An interview in the past of a society: its history up to a round, then questions, then nothing.

It stands around a scenario as a questionnaire does, and its questions are asides, too; but it is no
mechanism of a scenario file: `society interview` lays it around a run that is played again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from society.engine.environment import Environment
from society.engine.mechanism import as_play
from society.engine.rng import Array
from society.engine.scenario import Layer, MechanismSpec, Scenario
from society.engine.script import Script
from society.scenarios.mechanisms.questionnaire.instrument import AskedOccasion, Instrument
from society.scenarios.mechanisms.questionnaire.questionnaire import (
    FACTS,
    LastTold,
    Mode,
    Sitting,
)

INTERVIEW = "interview"  # the kind of all questions


def interviewed(
    scenario: Scenario,
    instrument: Instrument,
    mode: Mode,
    seats: Array,
    *,
    after: int,
    paths: Sequence[tuple[int, ...]],
) -> Scenario:
    """Return a scenario that ends after a round, with questions to those on some seats.

    seats: (R, N) of bool; of these, who is there is asked. after: the number of the round, 0 for
    before the first. paths: of all rounds of the run, by number.
    """
    play = as_play(scenario.play)

    def asked(env: Environment) -> Script:
        sitting = Sitting(env, instrument, seats, mode, "fixed", INTERVIEW)
        return _up_to(play(env), sitting, after, paths)

    # Its words are those of a questionnaire, whose terms tell nobody that there will be questions.
    layer = Layer(MechanismSpec("questionnaire", interviewed, facts=FACTS))
    return replace(
        scenario,
        play=replace(play, script=asked),
        layers=(*scenario.layers, layer),
        facts={**FACTS, **scenario.facts},
    )


def _up_to(
    script: Script, sitting: Sitting, after: int, paths: Sequence[tuple[int, ...]]
) -> Script:
    """Drive a script to the end of a round, then give a questionnaire, and end."""
    env, told = sitting.env, LastTold()
    received, page = None, 0
    occasion = AskedOccasion(f"round {after}" if after else "before", after)
    while True:
        opened = len(env.opened)
        try:
            said = script.send(received)
        except StopIteration:
            yield from sitting.give(occasion, env.present, told.facts)
            return
        for path, _ in env.opened[opened:]:
            over = path[: len(paths[page])] != paths[page] or not page
            if page == after and over:
                yield from sitting.give(occasion, env.active, told.facts)
                return
            if page + 1 < len(paths) and path == paths[page + 1]:
                page += 1
        told.note(said)
        received = yield said
