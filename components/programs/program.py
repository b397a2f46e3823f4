"""Programs as minds: strategies that a model or a person wrote as code, run in a sandbox.

A program moves in the dilemmas of society.sandbox.stage_games, by `act(self, history)` or as the
published strategies do. It answers questions of any scenario by `answer_KIND(self, facts)`, and
takes notice of events by `notice_KIND(self, facts)`: facts are those of the question or event, and
of a question for a number also `low` and `high`.

A call that gives no move or answer is counted, and something else stands: for a move the fallback
that the folder declares, else the answer that asks the least
(society.components.programs.program_answers). The third of them in one game, or a rule that is
broken once, disqualifies the program of that player: for the rest of its life it plays its
fallback. Each player has its own chance in each game, by its place, so that nothing depends on what
else is played, or on the number of workers.

With the parameter `open_source` of a dilemma, programs also see the sources of their co-players,
and may simulate them (society.sandbox.running.open_source).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Choice, MixedStrategy
from society.engine.calls import Address
from society.engine.component import (
    Agent,
    AgentGroup,
    Column,
    Component,
    News,
    Question,
    scatter_answers,
    single_asks,
)
from society.engine.rng import STRIDE, Array, mix_words
from society.errors import ProgramWarning
from society.sandbox.kept_programs import KeptFolder
from society.sandbox.matches.live_calls import (
    AnswerCall,
    CallOutcome,
    DecisionCall,
    Notice,
    SocietySetting,
)
from society.sandbox.running.runnable_program import ERRORS_ALLOWED, Failure

from .open_sources import CoPlayers, are_sources_open, open_sources
from .program_answers import Misanswer, least_answer, plain_facts, question_facts, read_answer
from .program_choice import ChosenPrograms, NameFilter, ProgramChoice, chosen_programs
from .program_host import host_of_this_process
from .seen_rounds import (
    SeenRound,
    cooperation_mix,
    decision_call,
    dilemma_of,
    known_rounds,
    match_place,
    observe,
)

_WORD = 2**32


@dataclass(frozen=True)
class Program(Component):
    """A program from a folder of strategies, which children inherit; of several, each as likely.

    folder: a relative path starts at the scenario file. class: names of classes; attitude, author:
    as the folder's manifest has them; none: all. allow: names of numpy to open, "numpy.kaiser".
    rounds_told: the number of rounds that programs are told where a game tells none.
    """

    folder: str
    class_: NameFilter = ()
    attitude: NameFilter = ()
    author: NameFilter = ()
    allow: tuple[str, ...] = ()
    rounds_told: Annotated[int, Field(ge=1)] = 20

    chance_id = "program"
    answers = ("move",)
    notices = ("played",)
    columns = (
        Column("program", object, public=True, heritable=True, text="Program"),
        Column("program_errors", np.int32, public=True, text="Calls that gave no move"),
        Column(
            "disqualified",
            np.int8,
            public=True,
            labels=("no", "yes"),
            text="Whether its program is disqualified",
        ),
        Column("program_seed", np.uint64),
        Column("seen_rounds", object),
        Column("program_news", object),
    )

    def __post_init__(self) -> None:
        found = self.programs
        object.__setattr__(self, "answers", found.answers)
        object.__setattr__(self, "notices", found.notices)

    @cached_property
    def programs(self) -> ChosenPrograms:
        """The programs that members may have."""
        choice = ProgramChoice(self.class_, self.attitude, self.author, self.allow)
        return chosen_programs(self.folder, choice)

    @property
    def kept_folders(self) -> Mapping[str, KeptFolder]:
        return {self.folder: self.programs.folder}

    def begin(self, agents: AgentGroup) -> None:
        self._choose(agents)
        agents["program_seed"] = _words(agents, "seed")
        agents["seen_rounds"] = agents["program_news"] = _cells(() for _ in range(len(agents)))
        self._show_sources(agents)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        if ask.kind != "move":
            return self._answers(ask, agents)
        entries = np.flatnonzero(ask.asked)
        cooperates = np.zeros(len(agents), bool)
        cooperates[entries] = [one.value for one in self._decide(agents, entries)]
        if isinstance(ask.reply, Choice):
            return cooperation_mix(cooperates, agents, ask.reply.options.shape[1]).argmax(1)
        assert isinstance(ask.reply, MixedStrategy)
        return cooperation_mix(cooperates, agents, ask.reply.width)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        if tell.kind == "played" and "move" in self.answers:
            self._notice_round(tell, agents)
        if any(tell.kind in one.hears for one in self.programs.by_name.values()):
            agents["program_news"] = _cells(
                (*news, Notice(tell.kind, plain_facts(Agent(agents, entry).own(tell))))
                if tell.kind in self.programs.by_name[agents["program"][entry]].hears
                else news
                for entry, news in enumerate(agents["program_news"])
            )

    def born(self, agents: AgentGroup) -> None:
        """Refuse a program that the parent has from another folder."""
        for name in agents["program"].tolist():
            self.programs.refuse_stranger(name)
        self._show_sources(agents)

    def adapt(self, before: Program, agents: AgentGroup) -> None:
        if self.programs.by_name.keys() != before.programs.by_name.keys():
            self._choose(agents)
            agents["program_errors"] = agents["disqualified"] = 0
        self._show_sources(agents)

    def _choose(self, agents: AgentGroup) -> None:
        names = np.array([*self.programs.by_name], object)
        agents["program"] = names[agents.draws.integers("program", len(names))]

    def _show_sources(self, agents: AgentGroup) -> None:
        """Let co-players read the programs of these members."""
        if are_sources_open(agents.env):
            open_sources(agents, [self.programs.by_name[one].loaded for one in agents["program"]])

    # Moves

    def _decide(self, agents: AgentGroup, entries: Array) -> list[CallOutcome]:
        """Return what comes of asking the programs of some members for a move."""
        calls, fallbacks = dict[int, DecisionCall](), dict[int, CallOutcome]()
        host, place = host_of_this_process(), match_place(agents.env)
        game = dilemma_of(agents.rules, known_rounds(agents.env, self.rounds_told))
        self.programs.refuse_game(game.name)
        numbers, seats = self.programs.numbers(host), CoPlayers(agents, host)
        for entry in entries.tolist():
            name = agents["program"][entry]
            if agents["disqualified"][entry]:
                cooperates = self.programs.by_name[name].kept.fallback == "C"
                fallbacks[entry] = CallOutcome(cooperates, None)
            else:
                seed = _seed_of_match(agents["program_seed"][entry], place)
                seen = self._of_match(agents["seen_rounds"][entry], place)
                opponents = seats.programs_facing(entry)
                calls[entry] = decision_call(
                    numbers[name], seed, _key(agents, entry), game, seen, opponents
                )
        outcomes = dict(zip(calls, host.decide(list(calls.values())), strict=True))
        return [outcomes[entry] if entry in outcomes else fallbacks[entry] for entry in entries]

    def _of_match(self, seen: Sequence[SeenRound], place: tuple[int, ...]) -> tuple[SeenRound, ...]:
        return tuple(one for one in seen if one.match == place)

    def _notice_round(self, tell: News, agents: AgentGroup) -> None:
        """Note what everybody saw, and whose program gave no move."""
        played = np.flatnonzero(tell.facts["action"] >= 0)
        game = dilemma_of(agents.rules, known_rounds(agents.env, self.rounds_told))
        failures = {
            entry: outcome.failure
            for entry, outcome in zip(played.tolist(), self._decide(agents, played), strict=True)
            if outcome.failure is not None
        }
        place, seen = match_place(agents.env), agents["seen_rounds"]
        before = [self._of_match(one, place) for one in seen]
        stocks = [one[-1].stock if one else game.first_stock for one in before]
        rounds = observe(tell, agents, game, stocks)
        agents["seen_rounds"] = _cells(
            old if new is None else (*old, new) for old, new in zip(before, rounds, strict=True)
        )
        self._count(agents, failures)

    def _count(self, agents: AgentGroup, failures: Mapping[int, Failure]) -> None:
        """Count calls that gave no move; say once of each program that it is disqualified."""
        errors, out = agents["program_errors"].copy(), agents["disqualified"].copy()
        for entry, failure in failures.items():
            errors[entry] += 1
            out[entry] |= failure.ends_the_game
            name = agents["program"][entry]
            _report(agents, entry, "move", f"{name}: {failure.sentence}")
            if failure.ends_the_game:
                _disqualify(agents, entry, name, failure)
        agents["program_errors"], agents["disqualified"] = errors, out

    # Other questions

    def _answers(self, ask: Question, agents: AgentGroup) -> Any:
        entries, alone = single_asks(ask, agents)
        draw = _words(agents, "draw")
        numbers = self.programs.numbers(host_of_this_process())
        setting = SocietySetting(self.programs.game, agents.env.agents, self.rounds_told)
        calls = [
            AnswerCall(
                numbers[agent["program"]],
                int(agent["program_seed"]),
                _key(agents, entry),
                setting,
                agent["program_news"],
                ask.kind,
                question_facts(inquiry),
                int(draw[entry]),
            )
            for entry, (inquiry, agent) in zip(entries.tolist(), alone, strict=True)
        ]
        outcomes = host_of_this_process().answer(calls)
        answers = []
        for (inquiry, agent), entry, outcome in zip(alone, entries.tolist(), outcomes, strict=True):
            try:
                if outcome.failure is not None:
                    raise Misanswer(outcome.failure.sentence)
                answers.append(read_answer(inquiry.reply, outcome.value, inquiry, agent))
            except Misanswer as wrong:
                _report(agents, entry, ask.kind, f"{agent['program']}: {wrong}")
                answers.append(least_answer(inquiry.reply, inquiry))
        return scatter_answers(answers, ask)


def _report(agents: AgentGroup, entry: int, kind: str, reason: str) -> None:
    """Count that a program gave no move or answer, and that something else stood for it."""
    address = _question_address(agents, entry, kind)
    agents.context.gateway.ledger.fall_back(address, "", reason)
    agents.context.gateway.trouble(address, "", "fallback", reason)


def _disqualify(agents: AgentGroup, entry: int, program: str, failure: Failure) -> None:
    """Record that a program is disqualified, and say it once."""
    line = "" if failure.line is None else f" (line {failure.line} of its text)"
    many = f"made {ERRORS_ALLOWED + 1} errors in one game; in the last one it "
    why = many if failure.kind == "errors" else ""
    words = f"{program} is disqualified: it {why}{failure.sentence.removeprefix('it ')}{line}"
    address = _question_address(agents, entry, "move")
    agents.context.gateway.trouble(address, "", "disqualified", words)
    warnings.warn(f"{words}; it plays its fallback from now on", ProgramWarning, stacklevel=2)


def _question_address(agents: AgentGroup, entry: int, kind: str) -> Address:
    """Return the address of the question that a member was asked last."""
    return Agent(agents, entry).address._replace(occasion=f"answer {kind}")


def _words(agents: AgentGroup, channel: str) -> Array:
    """Return 64 bits of chance for each member, (M,) of uint64."""
    high, low = (agents.draws.integers(channel, _WORD).astype(np.uint64) for _ in range(2))
    words: Array = high * np.uint64(_WORD) + low
    return words


def _seed_of_match(seed: np.uint64, place: tuple[int, ...]) -> int:
    """Return the seed of a player in one of its games."""
    word = np.array([seed], np.uint64)
    for number in place:
        word = mix_words(word + np.array([number], np.uint64) * STRIDE)
    return int(word[0])


def _key(agents: AgentGroup, entry: int) -> str:
    """Name a player among all of the run."""
    rows, env = agents.audience.rows, agents.env
    replicate, seat = int(rows.replicate[entry]), int(rows.seat[entry])
    return f"{env.seed} {env.replicate_ids[replicate]} {env.lives[replicate, seat]}"


def _cells(values: Iterable[tuple[Any, ...]]) -> Array:
    """Return one value in each cell, (M,) of objects."""
    listed = [*values]
    return np.fromiter(listed, object, len(listed))
