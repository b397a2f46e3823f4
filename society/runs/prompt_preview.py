"""The prompts of a society as its first agent reads them; the offline mind answers them."""

from __future__ import annotations

import json
from dataclasses import replace

from society.config.build import Society
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.game_master import GameMaster
from society.engine.population import Population
from society.errors import InputError, suggest
from society.llm.prompt_files import Prompts
from society.llm.providers.free_minds import FreeMinds


class _Listener(FreeMinds):
    """The offline mind, which keeps the first request of each question.

    Those by which a component asks in its own interest have the name of the component.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.requests: dict[str, Request] = {}

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        hook, address = request.address.occasion.partition(" ")[0], request.address
        # Several components may ask as lives begin, and of one event.
        self.requests.setdefault(address.kind if hook == "answer" else address.component, request)
        return await super().call(request, going, token)


def first_prompts(setup: Society, question: str | None = None) -> dict[str, str]:
    """Return the first prompt of each question in the first round, or of one; raises InputError.

    With a system message, or a schema that goes along, each part has a heading. Nothing is
    recorded, and no model is asked but the offline one.
    """
    listener = _Listener(setup.seed)
    game = replace(setup, spec=setup.spec.model_copy(update={"replicates": 1})).gamemaster(
        minds=listener
    )
    game.env.played_rounds = 1  # and not a horizon of one round, of which prompts may tell
    game.play()
    prompts = {kind: _in_words(request) for kind, request in listener.requests.items()}
    if not prompts:
        raise InputError(
            f"no agent of {setup.scenario.name} is asked in words in the first round; give some "
            "agents language models, such as by --set minds=language where the scenario has it"
        )
    if question is None:
        return prompts
    if question not in prompts:
        raise InputError(
            f"{setup.scenario.name} does not ask {question!r} in words in the first round; "
            f"{suggest(question, prompts)}"
        )
    return {question: prompts[question]}


def prompts_of(game: GameMaster) -> Prompts:
    """Return the prompts that the agents of a play read."""
    assert isinstance(game.answerer, Population)
    words = game.answerer.context.words
    assert isinstance(words, Prompts)
    return words


def _in_words(request: Request) -> str:
    """A request with all that is sent: its messages, and the schema of the reply if it has one."""
    parts: list[tuple[str, str]] = [(message.role, message.content) for message in request.messages]
    if request.schema is not None:
        schema = json.dumps(request.schema, indent=2, ensure_ascii=False)
        parts.append(("schema of the reply", schema))
    if len(parts) == 1:
        return parts[0][1]
    return "\n\n".join(f"-- {heading}\n{words}" for heading, words in parts)
