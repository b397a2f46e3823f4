"""One question to a model under the perturbation of the run, if there is one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from society.engine.action_spaces import Legal
from society.engine.calls import Completion, Message, PromptPart
from society.engine.component import Agent, Inquiry
from society.llm.parsing.schemas import Schema
from society.llm.perturbations import Perturbation, Vocabulary, vocabulary
from society.llm.prompt_files import Prompts


@dataclass(frozen=True)
class Perturbed:
    """The way of a question to a model and back; without a perturbation all stays as it is.

    legal: what may be named in the answer, in the order in which it is shown.
    """

    by: Perturbation | None
    known: Vocabulary
    legal: Legal

    @classmethod
    def of(cls, ask: Inquiry, agent: Agent, legal: Legal) -> Perturbed:
        """Take up a question as an agent is shown it."""
        prompts = agent.context.prompts
        by = prompts.perturbation if isinstance(prompts, Prompts) else None
        if by is None:
            return cls(None, Vocabulary(), legal)
        words = vocabulary(ask.reply, legal, agent.env.naming.noun)
        return cls(by, words, by.arrange(legal))

    def arrange(self, legal: Legal) -> Legal:
        """Arrange what may be named in another answer, to which this question belongs."""
        return legal if self.by is None else self.by.arrange(legal)

    def messages(self, plain: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return the messages that are sent in place of these."""
        by = self.by
        if by is None:
            return plain
        *before, last = (one._replace(content=by.rename(one.content, self.known)) for one in plain)
        return (*before, last._replace(content=by.change(plain[-1].content, self.known)))

    def schema(self, plain: Schema | None) -> Schema | None:
        """Return the schema of the reply, with its names as the messages have them."""
        if self.by is None or plain is None:
            return plain
        renamed: Schema = json.loads(self.by.rename(json.dumps(plain), self.known))
        return renamed

    def reply(self, said: Completion) -> Completion:
        """Return a reply with the names that were there before."""
        return (
            said if self.by is None else said._replace(text=self.by.restore(said.text, self.known))
        )

    def parts(self, plain: Sequence[PromptPart], prompt: str) -> tuple[PromptPart, ...]:
        """Find again what each component has given of a prompt, in the changed one.

        What stands otherwise on its own than in the whole prompt is not found, and left out.
        """
        if self.by is None:
            return tuple(plain)
        changed, end, found = self.by.change(prompt, self.known), 0, []
        for one in plain:
            words = self.by.rename(prompt[one.start : one.start + one.length], self.known)
            if (at := changed.find(words, end)) >= 0:
                end = at + len(words)
                found.append(one._replace(start=at, length=len(words)))
        return tuple(found)
