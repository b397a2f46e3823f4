"""A language model as a mind: prompt, reply, reading, and what to do if the reply cannot be read.

    only one legal answer:  that is the answer, and nobody is asked; of several fields those that
                            are open are asked for
    briefs of the siblings + the question in words  ->  model  ->  answer
    cut off by a limit:  the same prompt again, with twice the widest room so far, and at most
                         `most_room` of the model, or as much as the server takes
    too long a prompt:   with fewer thoughts, then with half of what memory adds, a quarter, nothing
    not readable:        the prompt again with the reply and the reason below it (any/repair.md),
                         in the first room, as often as the question allows; then it stays unread

Faculties may put questions to the agent's mind before it answers (`ponder`). They are asked
    together   at the end of the prompt; the same reply holds the thoughts, by name, and the answer
    chain      in a call of its own each, with the thoughts so far; then comes the answer, with all.
               A thought that cannot be read is left out, and counted.

A repair is one fresh message and not a longer conversation: it begins with the very words of the
prompt, which providers have in their prefix caches, it does not grow from one repair to the next,
and the reply stands in it as data, whereas some providers refuse a conversation in which an
assistant has said nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Text,
    fields,
)
from society.engine.agents import Contribution
from society.engine.calls import OVERFLOW, Again, Completion, Message
from society.engine.component import ANYTHING, Agent, AgentGroup, Component, Inquiry, Sight
from society.engine.graph import NOBODY
from society.errors import CastError, CutOff, Unparsed
from society.llm.parsing.answers import hint, open_options, read_reply
from society.llm.parsing.schemas import schema
from society.text import format_number, shorten

from .perturbed_question import Perturbed
from .prompt_wording import LONGEST_THOUGHT, Chain, PromptWording, holds_thoughts, only_thoughts

MOST_ROOM = 4  # times the first room that a reply may get, unless the model says `most_room`
_ROOM = 1024  # tokens that a reply is taken to have had if nobody says how many
_QUOTED = 600  # characters of an unreadable reply that are shown in a repair


@dataclass(frozen=True)
class LanguagePolicy(Component):
    """A language model: it answers every question that no component before it answers.

    model, and by kind of question another one in `questions`: names among the run's models.
    An agent that has a column `model_gene` asks the model that this names in place of `model`.
    upgrades: by round, counted as the pages of a run are, the model that takes the place of `model`
    from then on.
    thinking: step by step before the answer, instead of the answer only.
    peers_seen: so many of the neighbours at most are shown and can be named, by chance each round.
    faculties: whether the questions of faculties, such as situation or options, are put in the same
    call as the question, or in a chain of calls before it.
    """

    model: str = "default"
    questions: Mapping[str, str] = field(default_factory=dict)
    upgrades: Mapping[Annotated[int, Field(ge=1)], str] = field(default_factory=dict)
    thinking: bool = False
    peers_seen: Annotated[int, Field(ge=0)] | None = None
    faculties: Literal["together", "chain"] = "together"

    chance_id = "language_policy"
    answers = ANYTHING

    @property
    def models(self) -> tuple[str, ...]:
        named = (self.model, *self.questions.values(), *self.upgrades.values())
        return tuple(dict.fromkeys(named))

    def begin(self, agents: AgentGroup) -> None:
        """Raise CastError for an upgrade after the last round."""
        late = [number for number in self.upgrades if number > agents.env.horizon]
        if late and len(agents.env.levels) < 2:  # of rounds within rounds there are more
            raise CastError(
                f"language_policy: upgrades has round {max(late)}, and the last one is "
                f"{agents.env.horizon}; give an earlier round, or more rounds"
            )

    def model_in(self, number: int) -> str:
        """Return the model that is asked in a round.

        number: of the round, from 1.
        """
        past = [begins for begins in self.upgrades if begins <= number]
        return self.upgrades[max(past)] if past else self.model

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        """Ask the model, unless only one answer is legal: that is taken without a question."""
        model = self.questions.get(ask.kind) or _gene(agent) or self.model_in(agent.env.moment)
        sight, legal = agent_view(ask, agent, self.peers_seen)
        if (only := only_answer(ask.reply, legal)) is not None:
            return only
        asked, settled = open_fields(ask, legal)
        shown = ShownFacts(sight, shuffle_legal(legal, asked, agent))
        questions, chain = agent.ponders(ask), None
        if questions and self.faculties == "chain":
            chain = await _think(questions, Chain(asked, shown.legal), agent, model, shown)
            questions = []
        said = await ask_model(
            asked, agent, model, shown, thinking=self.thinking, faculties=questions, chain=chain
        )
        return {**settled, **said} if settled else said


async def _think(
    questions: Sequence[Contribution], chain: Chain, agent: Agent, model: str, shown: ShownFacts
) -> Chain:
    """Put questions to the mind of an agent, one after the other; returns the chain of thoughts.

    A thought that cannot be read is left out, and counted.
    """
    ask, without_options = (
        chain.ask._replace(reply=Text(LONGEST_THOUGHT)),
        ShownFacts(shown.sight, Legal()),
    )
    for question in questions:
        step = dataclasses.replace(chain, question=question)
        try:
            thought = await ask_model(ask, agent, model, without_options, chain=step)
        except Unparsed as unread:
            agent.fell_back(str(unread))
        else:
            chain.thoughts.append(question._replace(words=thought[:LONGEST_THOUGHT]))
    return chain


def _gene(agent: Agent) -> str:
    """The model that an agent has inherited; "" if none is heritable here."""
    return str(agent["model_gene"]) if "model_gene" in agent else ""


class ShownFacts(NamedTuple):
    """The peers whom an agent is shown, and what it may name in its answer, as it is shown that."""

    sight: Sight
    legal: Legal


def agent_view(ask: Inquiry, agent: Agent, peers_seen: int | None = None) -> ShownFacts:
    """The peers on the graphs of the question, and those and the options that can be named."""
    replies = fields(ask.reply).values()
    asked = [reply.graph for reply in replies if isinstance(reply, Neighbour)]
    graphs = dict.fromkeys([*asked, *ask.facts.graphs])
    sight = {graph: agent.neighbours(graph, peers_seen) for graph in graphs}
    nameable = {name: seat for graph in asked for name, seat in sight[graph].items()}
    return ShownFacts(sight, Legal(option_labels(ask), nameable))


def shuffle_legal(legal: Legal, ask: Inquiry, agent: Agent) -> Legal:
    """The same options and peers in the order of the run, `option_order` of a scenario file.

    Answers by number are read in this order. Chance ranks options by index, and peers by id.
    """
    seats = [*legal.peers.values()]
    ids = dict(zip(legal.peers, agent.env.ids[seats].tolist(), strict=True)) if seats else {}
    ordered = isinstance(ask.reply, Choice) and ask.reply.ordered
    options = legal.options if ordered else _shuffle(legal.options, legal.options, ask, agent)
    return Legal(options, _shuffle(legal.peers, ids, ask, agent))


def _shuffle(
    named: Mapping[str, int], numbers: Mapping[str, int], ask: Inquiry, agent: Agent
) -> Mapping[str, int]:
    """Order names by the numbers that chance ranks."""
    if len(named) < 2:
        return named
    name_of = {number: name for name, number in numbers.items()}
    order = agent.shuffle(np.array([*name_of], np.int64), ask.kind).tolist()
    return {name_of[number]: named[name_of[number]] for number in order}


def only_answer(reply: ActionSpace, legal: Legal) -> Any:
    """The one answer that is legal, such as 0 from 0 to 0; None if there is a choice."""
    if isinstance(reply, Fields):
        answers = {name: only_answer(part, legal) for name, part in reply.fields.items()}
        return None if None in answers.values() else answers
    if isinstance(reply, Real | Integer):
        low, high = float(reply.low), float(reply.high)
        return low if low == high and not getattr(reply, "optional", False) else None
    if isinstance(reply, Choice):
        options = open_options(reply, legal)
        return next(iter(options.values())) if len(options) == 1 else None
    if isinstance(reply, Neighbour):
        return None if legal.peers else NOBODY
    if isinstance(reply, MixedStrategy):
        return [1.0] if reply.width == 1 else None
    return None


def open_fields(ask: Inquiry, legal: Legal) -> tuple[Inquiry, Mapping[str, Any]]:
    """The question without the fields that have one legal answer, and these answers."""
    if not isinstance(ask.reply, Fields):
        return ask, {}
    only = {name: only_answer(part, legal) for name, part in ask.reply.fields.items()}
    settled = {name: answer for name, answer in only.items() if answer is not None}
    if not settled:
        return ask, {}
    left = {name: part for name, part in ask.reply.fields.items() if name not in settled}
    return ask._replace(reply=Fields(left)), settled


def option_labels(ask: Inquiry) -> dict[str, int]:
    """The open options of a choice as text, with their indices; none for other replies."""
    if ask.options is None or not isinstance(ask.reply, Choice):
        return {}
    there = {index: option for index, option in enumerate(ask.options) if _is_open(option)}
    words = {index: _worded(option) for index, option in there.items()}
    if len(set(words.values())) < len(words):  # numbers that differ after the third decimal
        words = {index: str(option) for index, option in there.items()}
    return {label: index for index, label in words.items()}


def _worded(option: Any) -> str:
    return option if isinstance(option, str) else format_number(option)


def _is_open(option: Any) -> bool:
    """Tell whether a value is neither None nor NaN."""
    return option is not None and bool(option == option)


async def ask_model(
    ask: Inquiry,
    agent: Agent,
    model: str,
    shown: ShownFacts,
    *,
    thinking: bool = False,
    page: str = "",
    more: Mapping[str, object] | None = None,
    faculties: Sequence[Contribution] = (),
    chain: Chain | None = None,
) -> Any:
    """The answer of a model to a question in words; raises Unparsed.

    page: ask by the template any/PAGE.md, with `more` variables, in place of the question's own.
    faculties: what to think about in the same reply. chain: ask below the question of a chain.
    """
    # Prompts of templates keep the six figures with which they have been recorded.
    rounded = not agent.context.prompts.has_template(ask.kind)
    perturbed = Perturbed.of(ask, agent, shown.legal)
    legal = perturbed.legal._replace(rounded=rounded)
    if chain is not None:
        arranged = perturbed.arrange(chain.legal)
        chain = dataclasses.replace(chain, legal=arranged._replace(rounded=rounded))
    system = agent.context.prompts.system(ask, agent)
    before = (Message("system", system),) if system.strip() else ()
    wording = PromptWording(
        ask, agent, legal, shown.sight, system, thinking, page, more or {}, faculties, chain
    )
    prompt, repair = wording.write(), ""
    form = schema(ask.reply, legal, thinking=thinking, thoughts=wording.named)
    ids, attempt = agent.env.ids, _Attempt(ask.repairs)
    while True:
        said = await agent.call(
            model,
            perturbed.messages((*before, Message("user", prompt + repair))),
            room=attempt.room,
            again=attempt.again,
            reason=attempt.reason,
            schema=perturbed.schema(form),
            question=ask,
            peers=sorted(legal.peers, key=lambda name: ids[legal.peers[name]]),
            parts=perturbed.parts(wording.parts, prompt + repair),
        )
        said = perturbed.reply(said)
        if said.finish == OVERFLOW and attempt.again != "cut":
            attempt.again = "shortened"
            attempt.reason = str(said.sent.get(OVERFLOW, "the prompt is too long"))
            prompt = wording.shorten(prompt, attempt.reason)
            continue
        try:
            if said.finish == OVERFLOW:  # the prompt fits, but with less room: there is no more
                attempt.most = attempt.widest
                raise CutOff(attempt.reason)
            return _read_answer(ask, said, legal, wording.named)
        except Unparsed as unread:
            attempt.go_on(said, unread)
            if attempt.again == "repair":
                reply = {"reply": shorten(said.text, _QUOTED), "reason": attempt.reason}
                repair = f"\n\n{wording.render('repair', reply)}"


@dataclass
class _Attempt:
    """How a question is asked next, after replies that could not be used.

    repairs: how many are left. room: tokens for the reply; None leaves it to the model. widest,
    most: rooms in tokens, so far and in all; known once a reply has come.
    """

    repairs: int
    again: Again = ""
    reason: str = ""
    room: int | None = None
    widest: int = 0
    most: int = 0

    def go_on(self, said: Completion, unread: Unparsed) -> None:
        """Give more room or repair; raises what could not be read where neither is left."""
        self.reason = str(unread)
        self.widest = self.widest or _room(said)
        self.most = self.most or said.sent.get("most_room") or MOST_ROOM * self.widest
        if isinstance(unread, CutOff) and self.widest < self.most:
            self.again, self.room = "cut", min(2 * self.widest, self.most)
            self.widest = self.room
        elif self.repairs:
            self.again, self.room, self.repairs = "repair", None, self.repairs - 1
        else:
            raise unread


def _read_answer(ask: Inquiry, said: Completion, legal: Legal, thoughts: Mapping[str, str]) -> Any:
    """Read the answer in a reply, in which no thought may stand as one; raises Unparsed."""
    answer = read_reply(ask.reply, said.text, legal, said.finish)
    if holds_thoughts(answer, thoughts) or only_thoughts(said.text, thoughts):
        raise Unparsed(f"thoughts stand in the answer; expected {hint(ask.reply, legal)}")
    return answer


def _room(said: Completion) -> int:
    """The tokens that a reply was allowed to have."""
    names = ("max_tokens", "max_completion_tokens")
    sent = next((said.sent[name] for name in names if name in said.sent), None)
    return sent if isinstance(sent, int) else max(said.completion_tokens or 0, _ROOM)
