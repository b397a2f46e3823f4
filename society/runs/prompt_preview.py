"""The prompts of a society as its first agent reads them; the offline mind answers them."""

from __future__ import annotations

from dataclasses import replace

from society.config.build import Society
from society.errors import InputError, suggest
from society.llm.providers.free_minds import FreeMinds


def first_prompts(setup: Society, question: str | None = None) -> dict[str, str]:
    """Return the first prompt of each question in the first round, or of one; raises InputError.

    Nothing is recorded, and no model is asked but the offline one.
    """
    listener = FreeMinds(setup.seed)
    game = replace(setup, spec=setup.spec.model_copy(update={"replicates": 1})).gamemaster(
        minds=listener
    )
    game.env.played_rounds = 1  # and not a horizon of one round, of which prompts may tell
    game.play()
    if not listener.prompts:
        raise InputError(
            f"no agent of {setup.scenario.name} is asked in words in the first round; give some "
            "agents language models, such as by --set minds=language where the scenario has it"
        )
    if question is None:
        return listener.prompts
    if question not in listener.prompts:
        raise InputError(
            f"{setup.scenario.name} does not ask {question!r} in words in the first round; "
            f"{suggest(question, listener.prompts)}"
        )
    return {question: listener.prompts[question]}
