"""Graduated sanctions: a first offence costs little, and each further one more.

The fine of a villager that was fined k times before is min(first * factor**k, most) times the usual
one. The difference is added to what everybody owns; the fine is burnt, as the usual one is. Nothing
is forgotten, but a newcomer on a seat begins anew.
Source: Ostrom 1990, principle 5; the schedule is ours.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play, intercept
from society.engine.parameters import Positive
from society.engine.scenario import mechanism
from society.engine.script import Ask, Line, Script, Tell, own
from society.scenarios.village.principles.village_lines import lay_around, pay_more, with_facts


@mechanism(
    chance_id="graduated_sanctions",
    facts={"next_fine": FactSpec("Fine of a villager, if it is fined now", "fish")},
)
def graduated_sanctions(
    play: Play,
    *,
    first: Annotated[Positive, Field(description="first fine, as a multiple of the usual")] = 0.25,
    factor: Annotated[float, Field(ge=1, description="of each further fine to the last")] = 2.0,
    most: Annotated[Positive, Field(description="highest fine, as a multiple of the usual")] = 2.0,
) -> Play:
    """A first fine is small, and each further fine of the same villager is higher."""

    def graduated(env: Environment, village: Script, declared: Declared) -> Script:
        before, lives = np.zeros(env.present.shape), env.lives

        def line(said: Line) -> Line | Script:
            nonlocal before, lives
            before, lives = np.where(env.lives == lives, before, 0), env.lives
            with np.errstate(over="ignore"):  # of many fines; the highest one bounds it
                step = np.minimum(first * factor**before, most)
            if isinstance(said, Ask) and said.kind in ("effort", "punish"):
                facts = {"next_fine": own(step * env.params.fine)}
                if "expected_fine" in said.facts:
                    facts["expected_fine"] = own(step * said.facts["expected_fine"].values)
                return with_facts(said, **facts)
            if isinstance(said, Tell) and said.kind == declared.told:
                fined = said.facts["fined"].values
                before = before + fined
                return pay_more(said, declared, fined * (1 - step) * env.params.fine)
            return said

        return intercept(village, line=line)

    return lay_around(play, "graduated_sanctions", graduated)
