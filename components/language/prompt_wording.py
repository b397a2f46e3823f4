"""The wording of one question to a model, and which component has given what of it.

    plain     the question as its template has it; faculties ask at its end, for the same reply
    chain     the question without how to answer + the thoughts so far + a page at its end: the next
              thought, or the answer. So all calls of a chain begin with the same words, which
              providers have in their prompt caches.

What does not fit into a model is worded again with less: first fewer thoughts, then fewer memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from society.engine.action_spaces import ActionSpace, Legal, fields
from society.engine.agents import Contribution
from society.engine.calls import PartRole, PromptPart
from society.engine.component import Agent, Inquiry, Sight
from society.errors import ContextOverflow
from society.llm.parsing.json_objects import decode_objects
from society.text import quote_text

LONGEST_THOUGHT = 600  # characters
_MEMORIES = (0.5, 0.25, 0.0)  # the shares of what memory adds that stay in prompts too long
_THOUGHTS = (0.5, 0.0)  # the same of thoughts, which are the first to go


@dataclass
class Chain:
    """A chain of thoughts before an answer.

    ask, legal: the question that it is about. thoughts: those so far. question: the next one, None
    where the answer is due.
    """

    ask: Inquiry
    legal: Legal
    thoughts: list[Contribution] = field(default_factory=list)
    question: Contribution | None = None


@dataclass
class PromptWording:
    """A question in words for one agent; `write` gives them, `shorten` fewer.

    ask: what the reply shall answer, with what is legal there. page, more: a template of its own,
    with variables. faculties: questions for the same reply. Else as in Renderer.question.
    """

    ask: Inquiry
    agent: Agent
    legal: Legal
    sight: Sight
    system: str = ""
    thinking: bool = False
    page: str = ""
    more: Mapping[str, object] = field(default_factory=dict)
    faculties: Sequence[Contribution] = ()
    chain: Chain | None = None

    def __post_init__(self) -> None:
        self.parts: tuple[PromptPart, ...] = ()
        self.named = name_thoughts(self.faculties, self.ask.reply)
        self._considered = 1.0  # the share of the thoughts that are shown
        self._shares = [(1.0, share) for share in _MEMORIES]
        if self.chain is not None and self.chain.thoughts:
            fewer = [(share, 1.0) for share in _THOUGHTS]
            self._shares = [*fewer, *((0.0, share) for share in _MEMORIES)]

    def write(self) -> str:
        """Return the prompt, and note in `parts` who has given what of it."""
        if self.chain is None:
            words = self.render(self.page, self.more)
            self.parts = (
                *_locate_briefs(words, self.agent.briefed),
                *_locate(words, "question", self.faculties, words.rfind(self._first_question)),
            )
            return words
        chain = self.chain
        shown = chain.thoughts[len(chain.thoughts) - int(len(chain.thoughts) * self._considered) :]
        shown = [one._replace(words=quote_text(one.words, LONGEST_THOUGHT)) for one in shown]
        question = self.agent.prompt(
            chain.ask, legal=chain.legal, sight=self.sight, system=self.system, deferred=True
        )
        briefs = _locate_briefs(question, self.agent.briefed)
        considered = [SimpleNamespace(name=one.component, text=one.words) for one in shown]
        more: dict[str, object] = {"considered": considered}
        if chain.question is not None:
            more["question"] = chain.question.words
        end = self.render("considered" if chain.question is None else "thought", more)
        words = f"{question}\n\n{end}"
        thoughts = [*_locate(words, "thought", shown, len(question))]
        asked = [] if chain.question is None else [chain.question]
        after = sum(thoughts[-1][-2:]) if thoughts else len(question)
        self.parts = (*briefs, *thoughts, *_locate(words, "question", asked, after))
        return words

    @property
    def _first_question(self) -> str:
        return self.faculties[0].words if self.faculties else ""

    def render(self, page: str = "", more: Mapping[str, object] | None = None) -> str:
        """Return the question in words, or a page about it."""
        return self.agent.prompt(
            self.ask,
            legal=self.legal,
            sight=self.sight,
            thinking=self.thinking,
            system=self.system,
            page=page,
            more=more,
            faculties=self.named,
        )

    def shorten(self, prompt: str, reason: str) -> str:
        """Return a shorter prompt; raises ContextOverflow if nothing can be left out any more."""
        more = self.more
        while self._shares:
            self._considered, share = self._shares.pop(0)
            self.agent.memories = min(share, self.agent.memories)
            self.more = {name: _newest(value, share) for name, value in more.items()}
            shorter = self.write()
            self.more = more
            if len(shorter) < len(prompt):
                return shorter
        raise ContextOverflow(f"{reason}; nothing that memory adds is left to shorten")


def name_thoughts(faculties: Sequence[Contribution], reply: ActionSpace) -> dict[str, str]:
    """Questions by the names of their thoughts, of which no field of the answer has one."""
    taken = {*fields(reply), "answer"}
    return {
        f"{one.component}_thought" if one.component in taken else one.component: one.words
        for one in faculties
    }


def _newest(value: object, share: float) -> object:
    """The last entries of a list, a share of them; anything else as it is."""
    return value[len(value) - int(len(value) * share) :] if isinstance(value, list) else value


def _locate_briefs(words: str, briefed: Sequence[Contribution]) -> Iterator[PromptPart]:
    """Find what components have added; they stand together, near the end."""
    block = "\n\n".join(one.words for one in briefed)
    return _locate(words, "brief", briefed, words.rfind(block))


def _locate(
    words: str, role: PartRole, given: Sequence[Contribution], start: int
) -> Iterator[PromptPart]:
    """Find contributions in their order; one that a template has changed is not found."""
    end = max(start, 0)
    for one in given:
        at = words.find(one.words, end)
        if at >= 0:
            end = at + len(one.words)
            yield PromptPart(one.component, role, at, len(one.words))


def holds_thoughts(answer: Any, names: Mapping[str, str]) -> bool:
    """Tell whether thoughts stand in a text that was to be the answer alone.

    >>> holds_thoughts("plan: I wait.\\nGood morning!", {"plan": "What is your plan?"})
    True
    """
    if not isinstance(answer, str):
        return False
    starts = tuple(f"{name.casefold()}:" for name in names)
    lines = (line.lstrip(' \t"*-#').casefold() for line in answer.splitlines())
    return any(line.startswith(starts) for line in lines) if starts else False


def only_thoughts(reply: str, names: Mapping[str, str]) -> bool:
    """Tell whether the last object in a reply holds thoughts and no answer.

    >>> only_thoughts('{"weather": "It may rain at 0.9."}', {"weather": "What is it like?"})
    True
    """
    if not names:
        return False
    last = next(decode_objects(reply), None)
    return last is not None and bool(last.value) and last.value.keys() <= names.keys()
