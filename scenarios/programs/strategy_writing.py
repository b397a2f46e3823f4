"""Authors describe strategies for a social dilemma in words, and then write them as programs.

Each author writes one strategy: a description once, and from it a program. In each round those
who have no program yet write one; a program that is refused is written anew from the same
description, with the reason, and nobody corrects its logic. The number of rounds is that of the
tries. Source: Willis et al. 2026, 4.1 and appendix A; descriptions that never become a program
are kept, since to drop them favours simple strategies.
"""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
from pydantic import Field, JsonValue

from society.components.language.llm_policy import LanguagePolicy
from society.components.programs.author_attitude import LONGEST_ATTITUDE, AuthorAttitude
from society.engine.action_spaces import Choice, Fields, Text
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, Params, scenario
from society.engine.script import Ask, Script, Tell, common, own
from society.sandbox.stage_games import GameName
from society.scenarios.programs.trial_games import ProgramVerdict, TrialGames, WrittenReply
from society.scenarios.programs.written_texts import ProgramText, StrategyDescription

LONGEST_PROGRAM = 100_000  # characters of a reply
ACTIONS = ("C", "D")
STANCE = Fields({"attitude": Text(LONGEST_ATTITUDE), "fallback_action": Choice(*ACTIONS)})
WHICH_STANCE = (
    "You are about to write a strategy for a social dilemma. In which attitude, in one or a few "
    "words, and which action, C or D, shall stand in where its program fails?"
)
NO_STANCE = {"attitude": "undeclared", "fallback_action": "C"}
_PRIVATE: dict[str, JsonValue] = {"private": True}  # says nothing about the game


class Writing(Params):
    """The game that strategies are written for, and the words that ask for them."""

    game: GameName = Field("public_goods", description="dilemma that the strategies are to play")
    wording: Literal["specification", "overview"] = Field(
        "specification",
        description="how the game and the task are put: appendix A.1-2, or A.3",
        json_schema_extra=_PRIVATE,
    )
    mindset: Literal["attitude", "collective"] = Field(
        "attitude",
        description="mindset to align with: that of the attitude, or the collective one for all",
        json_schema_extra=_PRIVATE,
    )
    longest_description: int = Field(
        20_000, ge=100, description="characters of a description", json_schema_extra=_PRIVATE
    )
    trial: bool = Field(
        True,
        description="whether programs play trial games before acceptance",
        json_schema_extra=_PRIVATE,
    )


def authors(p: Writing, agents: int) -> list[Cohort]:
    """The default cast: one half writes collective strategies, the other exploitative ones."""
    half = (agents + 1) // 2
    collective = Cohort("collective", half, (AuthorAttitude(), LanguagePolicy()))
    if agents == 1:
        return [collective]
    parts = (AuthorAttitude("exploitative", "D"), LanguagePolicy())
    return [collective, Cohort("exploitative", agents - half, parts)]


MEASURES = (
    Measure(
        "accepted",
        "share of authors whose program is accepted",
        lambda told, env: told["accepted"].mean(1),
        fold="last",
    ),
    Measure("tries", "programs per author", lambda told, env: told["tried"].mean(1), fold="sum"),
    Measure(
        "length",
        "words per description",
        lambda told, env: told["words"].mean(1),
        fold="last",
    ),
)

FACTS = {
    "declare_attitude attitude": FactSpec("Attitude that an author writes in"),
    "declare_attitude fallback_action": FactSpec("Action where its program fails"),
    "describe": FactSpec("Strategy in words"),
    "implement": FactSpec("Reply that should hold the program"),
    "attitude": FactSpec("Attitude that the strategy is to show"),
    "fallback_action": FactSpec("Action of the strategy where its program fails"),
    "game": FactSpec("Game that the strategy is for"),
    "description": FactSpec("The strategy in words"),
    "class_name": FactSpec("Name of the program's class"),
    "refusal": FactSpec("Why the last program was refused"),
    "words": FactSpec("Length of the description", unit="words"),
    "tried": FactSpec("Whether a program was written", labels=("no", "yes")),
    "accepted": FactSpec("Whether its program is accepted", labels=("no", "yes")),
}

STAGE = DisplaySpec(
    columns=("words", "tried", "accepted"),
    better={"tried": "less", "accepted": "more"},
    quotes={"describe": "describes", "refusal": "was refused"},
    endings={"completed": "all programs were accepted"},
    noun="author",
)


@scenario(
    params=Writing,
    cast=authors,
    measures=MEASURES,
    agents=4,
    rounds=5,
    display=STAGE,
    facts=FACTS,
)
def strategy_writing(env: Environment) -> Script:
    """Authors write strategies for a social dilemma, first in words and then as programs."""
    p = env.params
    stance = yield Ask("declare_attitude", STANCE, fallback=NO_STANCE, text=WHICH_STANCE)
    fallback = np.array(ACTIONS, object)[stance["fallback_action"]]
    given = {
        "game": common(p.game),
        "attitude": own(stance["attitude"]),
        "fallback_action": own(fallback),
    }
    description = yield Ask(
        "describe", StrategyDescription(p.longest_description), given, fallback=""
    )
    given |= {"description": own(description), "class_name": own(class_names(env, stance))}
    words = np.vectorize(lambda text: len(text.split()), otypes=[int])(description)
    refusal = np.full(words.shape, "", object)
    accepted = np.zeros(words.shape, bool)
    with TrialGames(p.game, tried=p.trial) as trial:
        for _ in env.rounds():
            who = (words > 0) & ~accepted
            facts = given | {"refusal": own(refusal)}
            reply = yield Ask(
                "implement", ProgramText(LONGEST_PROGRAM), facts, who, fallback="", repairs=0
            )
            verdicts = trial.judge(
                [WrittenReply(*one) for one in zip(reply[who], fallback[who], strict=True)]
            )
            refusal, accepted = mark(verdicts, who, accepted)
            yield Tell("checked", {
                "tried": own(who),
                "accepted": own(accepted),
                "refusal": own(refusal),
                "words": own(words),
            })  # fmt: skip
            done = (accepted | (words == 0)).all(1, keepdims=True)
            yield Tell("completed", ends=done)


def mark(verdicts: list[ProgramVerdict], who: Array, accepted: Array) -> tuple[Array, Array]:
    """Spread verdicts over those who were asked: reasons, and who has an accepted program."""
    reasons = np.full(who.shape, "", object)
    reasons[who] = [verdict.reason for verdict in verdicts]
    now = accepted.copy()
    now[who] = [verdict.accepted for verdict in verdicts]
    return reasons, now


def class_names(env: Environment, stance: dict[str, Array]) -> Array:
    """Give each author's class a name of its own: Strategy_collective_12, (R, N)."""
    number = env.places.reshape(env.present.shape) + 1
    name = np.frompyfunc(
        lambda attitude, k: f"Strategy_{re.sub(r'[^A-Za-z0-9]+', '_', attitude)}_{k}", 2, 1
    )
    names: Array = name(stance["attitude"], number)
    return names
