"""Prompts: questions and events in words, for agents that read.

The words are files, looked up in the user's folders in order and then among ours (society.index),
so that a prompt pack swaps any of them without touching code:

    SCENARIO/KIND.md        a question of this scenario; where there is none:
    MECHANISM/KIND.md       one of a mechanism that it is wrapped in; where there is none:
    any/question.md         any question, in the words that its author has declared
    SCENARIO/told/KIND.md   something that happened; where there is none, as above: the sentence of
                            its Tell, or a plain one
    any/PAGE.md             what is said around questions: repair, thinking, faculties, thought; or
                            by which a faculty asks in its own interest: reflection, plan
    SCENARIO/system.md      sent as a system message before each of them; we have none of our own
    SCENARIO/premise.md     what the scenario is about, on pages by which faculties ask
    MECHANISM/terms.md      the rules of a mechanism, for everybody who is asked anything within it
    SCENARIO/MECHANISM/terms.md    the same in the words of this scenario, in its place
    MECHANISM/option.md     the mechanism as one option of several

`terms` are those of all mechanisms around the play, the innermost first, each rendered from its own
terms.md; a mechanism without one is told of by the first line of its docstring. A template places
them where it likes, once: {% if terms %}...{{ terms }}...{% endif %} says nothing where they have
been placed before. any/answer.md places them before the form of the answer if nothing else did,
and where that is not included either they follow at the end. In terms.md and option.md, `m` are the
parameters of the mechanism.

A template sees each fact by name as this agent knows it, `facts` (all of them, those that are
common to all first), `peers` (whom it sees, each with .name and its seen facts: those who can be
named in the answer first, in the order of the run's options; the others in order of id),
`everybody()` (the same with the agent itself at its place, so that all who see the same read the
same list; empty where it sees nobody), `me` and `my_name` (the agent's name, short and whole: "2",
"villager 2"; `whole_name(peer.name)` is that of another), `moment`, `clock` (the round, as memories
name it: "round 3 of generation 2"), `p` (the scenario's parameters), `rules` (of the game, as its
play describes them), `scenario` and `kind`. Of agents that facts give by the number of a life, or
by a seat, `name_of(life)` and `name_at(seat)` are the short names; `succession` says how it comes
about who lives on (none: nobody is born later), and `complete(graph)` whether everybody sees
everybody on a graph, as it was at the start. A question adds `options` (labels of those that are
open), `hint` (the form of the answer, options included), `example` (an answer with a placeholder,
`{"answer": <number>}`; nothing where the hint shows one), `choices` (options that are numbered: {%
if choices %}...{{ choices }}{% endif %} lists them there, before what is private, and `hint` refers
to them), `thinking` (whether to think before answering), `faculties` (what to think about before
that, in the same reply: {% if faculties %}...{{ faculties }}...{% endif %} says it there, else it
follows at the end), `deferred` (whether how to answer is said later), `plain` (declared words:
.summary, .rules, .known, that is .common and .own, .seen, .question; see default_words), `terms`
and `briefs` (what the agent's faculties add; on a page by which one of them asks, those before it).
Where mechanisms are made of others, option_terms(option) are the words of those in force under an
option, given by its label or its value; own_page(name) is SCENARIO/NAME.md, or nothing.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from itertools import islice, product
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import BaseModel

from society import index
from society.engine.action_spaces import Choice
from society.errors import InputError, short_path, suggest
from society.former_names import current, spellings
from society.text import format_fact

from .default_words import DefaultWords, Wording, fill_figures, full_stop
from .parsing.answers import hint, open_options
from .parsing.examples import example
from .parsing.values import are_numbered

if TYPE_CHECKING:
    from society.engine.action_spaces import Legal
    from society.engine.agents import Agent, Sight
    from society.engine.observations import Inquiry, News, OwnFacts
    from society.engine.rng import Array

    from .perturbations import Perturbation
    from .template_names import NamesRead
    from .templates import Templates

_ANY, _SYSTEM, _PREMISE = "any/question.md", "system", "premise"
_NO_WORDING = Wording()
_NO_QUESTIONS: Mapping[str, str] = {}
_MOST_FILES = 10_000  # in a folder of prompts
_MANY = 16  # entries from which on numpy finds them faster together

# What templates read beside facts, everywhere and in questions.
_VARIABLES = frozenset({
    *("facts", "peers", "me", "my_name", "whole_name", "name_of", "name_at", "succession"),
    *("complete", "moment", "clock", "p", "rules", "scenario", "kind", "everybody"),
})  # fmt: skip
_OF_QUESTIONS = frozenset({
    *("plain", "options", "hint", "example", "choices", "thinking", "terms", "briefs"),
    *("own_page", "option_terms", "system", "faculties", "deferred"),
})  # fmt: skip
# Pages around any question, with what they read beside the question's variables.
_AROUND_QUESTIONS = {
    "repair": {"reply", "reason"},
    "faculties": {"questions"},
    "thought": {"considered", "question"},
    "considered": {"considered"},
}
# Pages by which components ask a model in their own interest, whatever has happened.
_OF_COMPONENTS = {
    "reflection": {"memories", "insights", "premise"},
    "formative_memories": {"ages", "places", "ties", "premise"},
    "plan": {"plan", "news", "premise"},
    "relationships": {"others", "premise"},
}


class _Rendering(NamedTuple):
    """A question or event with its template, and the variables that the template may read."""

    what: str
    template: str
    names: frozenset[str]


class UnknownName(NamedTuple):
    """A name in a template that is no variable there: in words, and where it stands.

    sure: whether rendering the template fails in any case, and not only in some branch.
    """

    words: str
    sure: bool
    file: str
    line: int


class MechanismTerms(NamedTuple):
    """A mechanism as prompts need it: its parameters, and the first line of its docstring.

    parts: the mechanisms that it is made of, each in force under its own condition.
    """

    name: str
    parameters: Mapping[str, Any] = {}
    summary: str = ""
    parts: tuple[TermsPart, ...] = ()

    def flattened(self) -> Iterator[MechanismTerms]:
        """Yield this mechanism, and all that it is made of."""
        for part in self.parts:
            yield from part.terms.flattened()
        yield self

    def in_force(self, facts: Mapping[str, Any]) -> Iterator[MechanismTerms]:
        """Yield the mechanisms that are in force for an agent that knows these facts."""
        for part in self.parts:
            if part.fact in facts and facts[part.fact] == part.value:
                yield from part.terms.in_force(facts)
        yield self


class TermsPart(NamedTuple):
    """A mechanism within another one; it is in force for who knows the fact with this value."""

    fact: str
    value: Any
    terms: MechanismTerms


class PlacedWords:
    """Words that are said where a template places them first, and only there.

    render: makes them once they are wanted. before: what was said already; what stands in it is not
    said again.
    """

    def __init__(self, render: Callable[[], str], before: str = "") -> None:
        self._render, self._before, self._placed = render, before, False

    @cached_property
    def _words(self) -> str:
        words = self._render()
        return "" if words in self._before else words

    def __bool__(self) -> bool:
        return not self._placed and bool(self._words)

    def __str__(self) -> str:
        words, self._placed = self._words if self else "", True
        return words


class PlacedChoices:
    """Options with numbers: listed where a template places them first, else beside the hint."""

    def __init__(self, lines: str) -> None:
        self._lines, self._placed = lines, False

    def __bool__(self) -> bool:
        return not self._placed and bool(self._lines)

    def __str__(self) -> str:
        words, self._placed = self._lines if self else "", True
        return words

    def beside(self, hint: str) -> str:
        """Return the hint of an answer, with the options if they were placed nowhere."""
        return f"{hint} of these:\n{self}" if self else f"{hint} of those above"


class ChoiceHint:
    """The form of a choice by number, which knows whether its options have been placed."""

    def __init__(self, choices: PlacedChoices) -> None:
        self._choices = choices

    def __str__(self) -> str:
        return self._choices.beside("the number of one")


class Prompts:
    """The words of one scenario; `folders` override ours, and the first of them the others.

    mechanisms: those that the scenario is wrapped in, the innermost first. wording: what its author
    has declared of it, for questions without a template. perturbation: changes all that is asked;
    its templates stand in for those that come with the program.
    """

    def __init__(
        self,
        scenario: str,
        folders: Sequence[Path] = (),
        mechanisms: Sequence[MechanismTerms] = (),
        wording: Wording = _NO_WORDING,
        perturbation: Perturbation | None = None,
    ) -> None:
        self.perturbation = perturbation
        self.scenario, self.mechanisms = scenario, tuple(mechanisms)
        self.wording = wording
        self._title = _spaced(scenario)
        around = [one.name for outer in self.mechanisms for one in outer.flattened()]
        self.owners = tuple(dict.fromkeys((scenario, *around)))
        self.folders = tuple(folders)
        self._reworded = perturbation.templates() if perturbation else {}
        self._built_in = {**index.prompts(), **self._reworded}
        self._chosen: dict[str, str] = {}
        self._pages: dict[str, str] = {}
        self._files: dict[str, Path | None] = {}
        self._names: dict[str, NamesRead] = {}

    def question(
        self,
        ask: Inquiry,
        agent: Agent,
        *,
        legal: Legal,
        sight: Sight,
        thinking: bool = False,
        system: str = "",
        page: str = "",
        more: Mapping[str, object] | None = None,
        faculties: Mapping[str, str] = _NO_QUESTIONS,
        deferred: bool = False,
    ) -> str:
        """A question in words; raises InputError if a template fails.

        legal: what may be named in the answer. sight: the peers shown. system: the message before
        it; terms of mechanisms that stand there are not said again.
        page: render any/PAGE.md in place of the question, with `more` variables. faculties: what is
        to be thought about before the answer, in the same reply, by name. deferred: leave out how
        to answer.
        """
        variables = self._known(ask.kind, ask.facts, agent, sight, legal.peers)
        variables |= {
            "plain": DefaultWords(
                self.wording,
                agent.params,
                variables["facts"],
                variables["everybody"],
                variables["whole_name"],
                ask.text,
                {name for name, fact in ask.facts.facts.items() if fact.scope == "common"},
                agent.name,
            ),
            "options": list(legal.options),
            "hint": hint(ask.reply, legal),
            "example": example(ask.reply, legal),
            "choices": "",
            "thinking": thinking,
            "terms": "",
            "system": system,
            "deferred": deferred,
            **(more or {}),
        }
        if page and page not in _AROUND_QUESTIONS:  # below a question they stand already
            variables["briefs"] = PlacedWords(partial(_briefs_before, ask, agent))
            variables["premise"] = PlacedWords(partial(self._premise, variables))
        inner: PlacedWords | str = ""
        if faculties:
            inner = PlacedWords(partial(self._inner_questions, variables, faculties))
        variables["faculties"] = inner
        terms: PlacedWords | str = ""
        if not page:
            if self.mechanisms:
                terms = PlacedWords(partial(self._terms, variables), before=system)
            variables |= {
                "briefs": "\n\n".join(agent.briefs(ask)),
                "own_page": partial(self._own_page, variables),
                "option_terms": partial(self._option_terms, variables, _values(ask.reply, legal)),
                "terms": terms,
                **_placeable(ask.reply, legal, variables["hint"]),
            }
        name = f"any/{page}.md" if page else self._template(ask.kind) or _ANY
        try:
            words = self._templates.render(name, variables)
            if not words.strip():
                raise InputError(f"prompt {name} is empty for {agent.whole_name}; add text to it")
            return "\n\n".join([words, *(str(placed) for placed in (terms, inner) if placed)])
        finally:
            # Some of them refer to all: agents would wait for the garbage collector otherwise.
            variables.clear()

    def _premise(self, variables: Mapping[str, Any]) -> str:
        """What the scenario is about, for who thinks of no question of its own.

        Of a scenario that has prompts, but no such page, it is nothing.
        """
        name = f"{self.scenario}/{_PREMISE}.md"
        if self._find(name):
            return self._templates.render(name, variables)
        files = (*self._built_in, *_files_in(self.folders))
        has_own = any(_owner(file) == self.scenario for file in files)
        return "" if has_own else str(variables["plain"].summary)

    def _inner_questions(self, variables: Mapping[str, Any], faculties: Mapping[str, str]) -> str:
        """The questions of faculties, which the agent is to think about before it answers."""
        named = [SimpleNamespace(name=name, text=text) for name, text in faculties.items()]
        return self._templates.render("any/faculties.md", {**variables, "questions": named})

    def system(self, ask: Inquiry, agent: Agent) -> str:
        """Return the system message that goes before a question, or "" where there is none.

        It knows the facts of the question, and sees no peers; mechanisms are told of below it,
        unless it places their terms.
        """
        name = self._template(_SYSTEM)
        if not name:
            return ""
        variables = self._known(ask.kind, ask.facts, agent, {})
        terms: PlacedWords | str = ""
        if self.mechanisms:
            known = {"own_page": partial(self._own_page, variables), "terms": ""}
            known["option_terms"] = partial(self._option_terms, variables, {})
            terms = PlacedWords(partial(self._terms, {**variables, **known}))
        return self._templates.render(name, {**variables, "terms": terms}).strip()

    def has_template(self, kind: str) -> bool:
        """Tell whether a question has words of its own."""
        return bool(self._template(kind))

    def mute(self) -> list[str]:
        """Mechanisms of which nothing could be told to a mind that reads."""
        around = [one for outer in self.mechanisms for one in outer.flattened()]
        return [one.name for one in around if not (self._words_of(one, "terms") or one.summary)]

    def _terms(self, variables: Mapping[str, Any]) -> str:
        """Render the terms of all mechanisms that are in force, the innermost first."""
        around = [one for outer in self.mechanisms for one in outer.in_force(variables)]
        return "\n\n".join(filter(None, (self._said(one, "terms", variables) for one in around)))

    def _option_terms(
        self, variables: Mapping[str, Any], values: Mapping[str, int], option: object
    ) -> str:
        """Render the mechanisms that are in force under an option, which is a label or a value."""
        value = values.get(option, option) if isinstance(option, str) else option
        parts = [part for outer in self.mechanisms for part in outer.parts if part.value == value]
        return " ".join(self._said(part.terms, "option", variables) for part in parts)

    def _said(self, one: MechanismTerms, page: str, variables: Mapping[str, Any]) -> str:
        """A page of a mechanism, or its summary if it has none."""
        name = self._words_of(one, page)
        if not name:
            return one.summary
        known = {"m": SimpleNamespace(**one.parameters), "terms": ""}
        return self._templates.render(name, {**variables, **known})

    def _own_page(self, variables: Mapping[str, Any], page: str) -> str:
        """A page of the scenario, SCENARIO/PAGE.md, or "" if it has none."""
        name = f"{self.scenario}/{page}.md"
        return self._templates.render(name, variables) if self._find(name) else ""

    def _words_of(self, one: MechanismTerms, page: str) -> str:
        """The template of a mechanism's page, or "" where there is none."""
        at = f"{one.name}/{page}"
        if at not in self._pages:
            names = (f"{self.scenario}/{at}.md", f"{at}.md")
            self._pages[at] = next((name for name in names if self._find(name)), "")
        return self._pages[at]

    def told(self, tell: News, agent: Agent) -> str:
        """Return an event in words, as this agent knows it: one line if there is no template.

        A template may say nothing at all.
        """
        facts = agent.own(tell)
        name = self._template(f"told/{tell.kind}")
        if name:
            sight = {graph: agent.neighbours(graph) for graph in facts.graphs}
            return self._templates.render(name, self._known(tell.kind, facts, agent, sight))
        if tell.text:
            return full_stop(self._event(tell, facts, agent))
        return fact_sentence(tell.kind, facts, self.wording)

    def _event(self, tell: News, facts: OwnFacts, agent: Agent) -> str:
        """The sentence of an event, with its figures."""
        if "{seen}" not in tell.text:
            own = {name: _python(facts[name]) for name in facts}
            return fill_figures(tell.text, self.wording, own, agent.params)
        sight = {graph: agent.neighbours(graph) for graph in facts.graphs}
        known = self._known(tell.kind, facts, agent, sight)
        everybody, whole_name = known["everybody"], known["whole_name"]
        words = DefaultWords(
            self.wording, agent.params, known["facts"], everybody, whole_name, me=agent.name
        )
        return words.sentence(tell.text)

    def hashes(self) -> dict[str, str]:
        """SHA-256 of every file that a prompt of this scenario can be made of, by name.

        Of files with the same name only the one that is used. Raises InputError for a template
        that cannot be read.
        """
        reached = self._reached(self._of_scenario(_files_in(self.folders)) | self._ours)
        files = {name: self._find(name) for name in sorted(reached)}
        return {name: sha256(file.read_bytes()).hexdigest() for name, file in files.items() if file}

    def check(self, pack: Path, kinds: Iterable[str]) -> None:
        """Raise InputError unless each file of a pack that is for this scenario is of use.

        kinds: the questions that the scenario asks. Files for other scenarios do not matter.
        """
        if not pack.is_dir():
            raise InputError(f"there is no folder {short_path(pack)}; name one with prompt files")
        strays, legal = self._strays(pack, kinds)
        if strays:
            lines = (
                f"{short_path(pack / stray)} is not a prompt of {self.scenario}; "
                f"{suggest(stray, legal)}"
                for stray in strays
            )
            raise InputError("\n".join(lines))
        if not self.has_use_for(pack):
            raise InputError(
                f"{short_path(pack)} has no prompt of {self.scenario}; "
                f"it may have: {', '.join(sorted(legal))}"
            )

    def _strays(
        self, pack: Path, kinds: Iterable[str], told: Iterable[str] | None = None
    ) -> tuple[list[str], set[str]]:
        """Return the files of a folder that are no prompts of this scenario; and the names of such.

        told: kinds of events; without them, those in the folder all count.
        """
        others = _files_in(folder for folder in self.folders if folder != pack)
        legal = self._of_scenario(others) | self._ours
        legal |= {
            f"{owner}/{kind}.md" for owner in self.owners for kind in (*kinds, _SYSTEM, _PREMISE)
        }
        legal |= {
            f"{home}{name}/terms.md"
            for name in self.owners[1:]
            for home in ("", f"{self.scenario}/")
        }
        mine = self._of_scenario(_files_in([pack]))
        tales = tuple(f"{owner}/told/" for owner in self.owners)
        happened = {name for name in mine if name.startswith(tales)}
        if told is not None:
            happened = {f"{tale}{kind}.md" for tale in tales for kind in told}
        return sorted(mine - self._reached(legal | happened)), legal

    @property
    def rendered(self) -> set[Path]:
        """The files that these prompts were made of so far."""
        return self._templates.rendered

    @property
    def not_reworded(self) -> list[str]:
        """Templates that prompts were made of so far, and whose words no perturbation replaces."""
        rendered = self.rendered - {*self._reworded.values()}
        names = dict.fromkeys((*_files_in(self.folders), *self._built_in))
        return [
            name
            for name in names
            if self._find(name) in rendered and self._templates.says_words(name)
        ]

    def strays_beside(
        self, asked: Collection[str], told: Collection[str]
    ) -> Iterator[tuple[Path, str]]:
        """Yield files in the folders of prompts that say nothing here, each with a hint."""
        for folder in self.folders:
            strays, legal = self._strays(folder, asked, told)
            yield from ((folder / name, suggest(name, legal)) for name in strays)
            known = {*self.owners, *map(_owner, self._built_in)}
            homes = {_owner(name) for name in _files_in([folder])} - known
            for home in get_close_matches(self.scenario, homes, cutoff=0.8):
                yield folder / home, f"did you mean {self.scenario!r}?"

    def has_use_for(self, pack: Path) -> bool:
        """Tell whether a pack has a file that prompts of this scenario may be made of."""
        ours = self._reached(self._of_scenario(_files_in(self.folders)) | self._ours)
        given = set(_files_in([pack]))
        return not given.isdisjoint(ours | self._of_scenario(given))

    def check_parameters(self, params: BaseModel, kinds: Iterable[str]) -> None:
        """Raise InputError for a prompt of the user's that reads a parameter that is not there.

        kinds: the questions that the scenario asks.
        """
        around = [one for outer in self.mechanisms for one in outer.flattened()]
        terms = {name: one for one in around if (name := self._words_of(one, "terms"))}
        asked = {self._template(kind) or _ANY for kind in kinds}
        own, found = set(dir(type(params))) - set(dir(BaseModel)), list[str]()
        for name in sorted(self._reached(asked | terms.keys())):
            if self._find(name) in self._built_in.values():
                continue
            legal = {"p": [*type(params).model_fields, *own]}
            if name in terms:
                legal["m"] = list(terms[name].parameters)
            if self._find(name):
                found += self._templates.unknown_attributes(name, legal)
        if found:
            raise InputError("\n".join(found))

    def unknown_names(
        self, asked: Mapping[str, Collection[str]], told: Mapping[str, Collection[str]]
    ) -> list[UnknownName]:
        """List the names in the user's templates that are no variables there.

        asked, told: the facts of each question to language minds, and of each event, by kind.
        """
        renderings = list(self._renderings(asked, told))
        known = {name for one in renderings for name in one.names} | self._vocabulary
        found = dict[tuple[str, str], UnknownName]()
        for one in renderings:
            for name, issue in self._unknown_in(one, known):
                if issue.sure or (issue.file, name) not in found:
                    found[issue.file, name] = issue
        return list(found.values())

    def _unknown_in(
        self, rendering: _Rendering, known: Collection[str]
    ) -> Iterator[tuple[str, UnknownName]]:
        """Yield the unknown names in a template of the user's and in those that it includes.

        known: what other templates may read, which may stand in a branch.
        """
        pages = [name for name in self._reached([rendering.template]) if name.endswith(".md")]
        reads = {name: self._read(name) for name in pages if self._find(name)}
        exempt = {name for read in reads.values() for name in (*read.asked, *read.assigned)}
        surely = self._always_included(rendering.template, reads)
        for template, read in reads.items():
            file = self._find(template)
            if file in self._built_in.values():
                continue
            for name, line in {**read.sometimes, **read.always}.items():
                sure = template in surely and name in read.always
                legal = rendering.names if sure else known
                if name not in exempt and name not in legal:
                    hint = suggest(name, sorted(legal))
                    words = f"there is no {name!r} in {rendering.what}; {hint}"
                    yield name, UnknownName(words, sure, str(file), line)

    def _renderings(
        self, asked: Mapping[str, Collection[str]], told: Mapping[str, Collection[str]]
    ) -> Iterator[_Rendering]:
        """Yield all templates that are rendered by themselves; some of them for each question."""
        around = [one for outer in self.mechanisms for one in outer.flattened()]
        pages = [self._words_of(one, page) for one in around for page in ("terms", "option")]
        for kind, facts in asked.items():
            what, known = f"the question {kind!r}", _VARIABLES | {*facts}
            of_question = known | _OF_QUESTIONS
            yield _Rendering(what, self._template(kind) or _ANY, of_question)
            for page, more in _AROUND_QUESTIONS.items():
                yield _Rendering(what, f"any/{page}.md", of_question | more)
            for page in filter(None, pages):
                yield _Rendering(what, page, of_question | {"m"})
            if system := self._template(_SYSTEM):
                yield _Rendering(what, system, known | {"terms", "own_page", "option_terms"})
        for kind, facts in told.items():
            if template := self._template(f"told/{kind}"):
                yield _Rendering(f"the event {kind!r}", template, _VARIABLES | {*facts})
        known = _VARIABLES | _OF_QUESTIONS | {name for facts in told.values() for name in facts}
        for page, more in _OF_COMPONENTS.items():
            yield _Rendering(f"the page {page!r}", f"any/{page}.md", known | more)

    def _read(self, template: str) -> NamesRead:
        if template not in self._names:
            self._names[template] = self._templates.names(template)
        return self._names[template]

    @property
    def _vocabulary(self) -> set[str]:
        """Variables that our own templates read, of which some are there on a condition."""
        from .templates import Templates

        ours = Templates(self._built_in.get, own=True)
        pages = self._reached(self._ours) & self._built_in.keys()
        return {name for page in pages for name in ours.names(page).vocabulary}

    def _always_included(self, root: str, reads: Mapping[str, NamesRead]) -> set[str]:
        """Return a template, and all that are included whenever it is rendered."""
        found, waiting = set[str](), {root}
        while waiting:
            name = waiting.pop()
            found.add(name)
            waiting |= (reads[name].included if name in reads else set()) - found
        return found

    @cached_property
    def _templates(self) -> Templates:
        from .templates import Templates

        return Templates(self._find, own=not self.folders)

    def _known(
        self, kind: str, facts: OwnFacts, agent: Agent, sight: Sight, first: Collection[str] = ()
    ) -> dict[str, Any]:
        """Variables of any template; first: the names of peers who come before others, in order."""
        scopes = facts.facts
        shown = _shown(facts, agent, sight, first)
        common_first = sorted(scopes, key=lambda name: scopes[name].scope != "common")
        known = {name: facts.plain(name) for name in common_first}
        return known | {
            "facts": known,
            "peers": shown,
            "everybody": partial(
                _with_oneself, shown, {**known, "kind": kind}, agent, sight, first
            ),
            "me": agent.name,
            "my_name": agent.whole_name,
            "whole_name": partial(agent.env.lengthen_name, agent.replicate),
            "name_of": agent.name_of,
            "name_at": agent.name_at,
            "succession": agent.env.public.get("succession"),
            "complete": agent.complete,
            "moment": agent.moment,
            "clock": agent.env.clock,
            "p": agent.params,
            "rules": agent.rules,
            "scenario": self._title,
            "kind": kind,
        }

    def _template(self, kind: str) -> str:
        """The scenario's own template, or "" where there is none."""
        if kind not in self._chosen:
            names = (f"{owner}/{kind}.md" for owner in self.owners)
            self._chosen[kind] = next((name for name in names if self._find(name)), "")
        return self._chosen[kind]

    def _find(self, name: str) -> Path | None:
        """The file of a name, which is looked for once."""
        if name not in self._files:
            self._files[name] = self._look_for(name)
        return self._files[name]

    def _look_for(self, name: str) -> Path | None:
        """The file of a name: the user's first; none outside the folders."""
        if ".." in PurePosixPath(name).parts or PurePosixPath(name).is_absolute():
            return None
        names = _spellings(name)
        for folder in self.folders:
            for one in names:
                if (file := folder / one).is_file():
                    return _find_inside(folder, file)
        return next(filter(None, (self._built_in.get(one) for one in names)), None)

    @property
    def _ours(self) -> set[str]:
        return self._of_scenario(self._built_in)

    def _of_scenario(self, names: Iterable[str]) -> set[str]:
        """Return the names that are for this scenario, its mechanisms, or any scenario."""
        owners = (*self.owners, "any")
        return {name for name in names if _owner(name) in owners and self._is_used(name)}

    def _is_used(self, name: str) -> bool:
        """Tell if a page of a mechanism belongs to one around the play, and is used so."""
        owner, *rest = name.split("/")
        if owner == self.scenario:
            return len(rest) != 2 or rest[1] != "terms.md" or rest[0] in self.owners
        options = {part.terms.name for outer in self.mechanisms for part in outer.parts}
        return rest != ["option.md"] or owner in options

    def _reached(self, names: Iterable[str]) -> set[str]:
        """Return these names, and those of all templates that they include, directly or not."""
        reached: set[str] = set()
        waiting = set(names)
        while waiting:
            name = waiting.pop()
            reached.add(name)
            if name.endswith(".md") and self._find(name):
                found = self._templates.references(name)
                if None in found:  # computed as it is rendered: it could be any
                    found |= {*_files_in(self.folders), *self._built_in}
                waiting |= {other for other in found if other is not None} - reached
        return reached


@lru_cache(maxsize=4096)  # the same files are looked for again and again
def _find_inside(folder: Path, file: Path) -> Path:
    """Return a file of a pack; raises InputError if it is a link to one elsewhere."""
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"{short_path(file)} leads out of the folder {short_path(folder)}; copy the file there "
            "if you want it in your prompts"
        )
    return file


def _briefs_before(ask: Inquiry, agent: Agent) -> str:
    """What the faculties add that stand before the one that asks."""
    return "\n\n".join(agent.briefs(ask, before=agent.address.component))


def fact_sentence(kind: str, facts: Mapping[str, Any], wording: Wording = _NO_WORDING) -> str:
    """A line and its facts as this agent knows them: "harvested: catch 4.2, effort 0.4".

    A fact whose author has described it is named by that: "harvested: fish caught: 4.2 kg".
    """
    shown = [*wording.shown(facts)]
    known = [
        f"{_name_in_words(name, wording)} {_put_in_words(name, facts[name], wording)}"
        for name in shown
    ]
    described = any(wording.spec(name).text for name in shown)
    return (
        f"{_spaced(kind)}: {('; ' if described else ', ').join(known)}" if known else _spaced(kind)
    )


def _name_in_words(name: str, wording: Wording) -> str:
    """A fact as its author described it, with a colon; else its name."""
    text = wording.spec(name).text
    return f"{text[:1].lower()}{text[1:]}:" if text else _spaced(name)


def _put_in_words(name: str, value: Any, wording: Wording) -> str:
    """A fact as its author declared it; else as always."""
    declared = name in wording.facts
    return wording.value(name, _python(value)) if declared else format_fact(value)


def _files_in(folders: Iterable[Path]) -> Iterator[str]:
    """Names of the files in folders of prompts, as templates are named now."""
    for folder in folders:
        try:
            # A run file of a stranger's may name any folder of this machine.
            if len([*islice(folder.rglob("*"), _MOST_FILES + 1)]) > _MOST_FILES:
                raise InputError(
                    f"{short_path(folder)} holds more than {_MOST_FILES:,} files; name a folder "
                    "with nothing in it but prompts"
                )
            names = [name for name, _ in index.prompts_in(folder)]
        except OSError as error:
            raise InputError(
                f"cannot read the folder of prompts {short_path(folder)}: {error}"
            ) from error
        yield from map(_current, names)


def _owner(name: str) -> str:
    return name.partition("/")[0]


def _current(name: str) -> str:
    """The name of a template with its scenario and its mechanism as they are called now."""
    return "/".join(
        current("scenario", current("mechanism", part)) for part in PurePosixPath(name).parts
    )


def _spellings(name: str) -> list[str]:
    """The name of a template, then those that it has now or had."""
    parts = [
        (part, *spellings("mechanism", part), *spellings("scenario", part))
        for part in PurePosixPath(name).parts
    ]
    return list(dict.fromkeys(map("/".join, product(*parts))))


def _shown(
    facts: OwnFacts, agent: Agent, sight: Sight, first: Collection[str]
) -> list[SimpleNamespace]:
    """The peers in sight with their facts: those of `first` in its order, others by id."""
    shown: dict[str, dict[str, Any]] = {}
    for graph, peers in sight.items():
        seats = list(peers.values())
        seen = {
            name: _entries(fact.values[agent.replicate], seats)
            for name, fact in facts.facts.items()
            if fact.graph == graph
        }
        for place, peer in enumerate(peers):
            known = shown.setdefault(peer, {"name": peer})
            for name, values in seen.items():
                known[name] = values[place]
    if len(sight) == 1 and not first:  # they come in order of id
        return [SimpleNamespace(**known) for known in shown.values()]
    ids, before = _ids_of(sight, agent), {name: number for number, name in enumerate(first)}
    in_order = sorted(shown, key=lambda name: (before.get(name, len(before)), ids[name]))
    return [SimpleNamespace(**shown[name]) for name in in_order]


def _entries(values: Array, places: Sequence[int]) -> list[Any]:
    """Some entries of an array in Python's own types; a few are looked up one by one, or faster."""
    if len(places) < _MANY and values.ndim == 1:
        return [values.item(place) for place in places]
    return list(values[places].tolist()) if places else []


def _with_oneself(
    shown: Sequence[SimpleNamespace],
    known: Mapping[str, Any],
    agent: Agent,
    sight: Sight,
    first: Collection[str],
) -> list[SimpleNamespace]:
    """The peers shown and the agent itself, at its place in their order; empty without peers."""
    if not shown:
        return []
    seen: dict[str, Any] = {}
    for peer in shown:
        seen |= vars(peer)
    oneself = SimpleNamespace(
        **{"name": agent.name, **{name: known[name] for name in seen if name in known}}
    )
    ids = _ids_of(sight, agent)
    if not first:  # they stand in order of id
        place = bisect([ids[peer.name] for peer in shown], agent.agent)
        return [*shown[:place], oneself, *shown[place:]]
    ids |= {agent.name: agent.agent}
    ranked = sorted(ids[name] for name in {*first, agent.name})
    ranked = agent.shuffle(np.array(ranked), known["kind"]).tolist()
    places = {number: place for place, number in enumerate(ranked)}
    return sorted(
        [*shown, oneself],
        key=lambda one: (places.get(ids[one.name], len(places)), ids[one.name]),
    )


def _ids_of(sight: Sight, agent: Agent) -> dict[str, int]:
    """The ids of the peers in sight, by name."""
    seats = {name: seat for peers in sight.values() for name, seat in peers.items()}
    return dict(zip(seats, _entries(agent.env.ids, [*seats.values()]), strict=True))


def _values(reply: Any, legal: Legal) -> Mapping[str, int]:
    """The options that are open, by label; none of other replies."""
    return open_options(reply, legal) if isinstance(reply, Choice) else {}


def _placeable(reply: Any, legal: Legal, hint: str) -> dict[str, Any]:
    """The variables of options with numbers, which a template may list where it likes."""
    if not isinstance(reply, Choice) or hasattr(reply, "hint"):
        return {}
    if not are_numbered(open_options(reply, legal)):
        return {}
    choices = PlacedChoices(hint.partition("\n")[2])
    return {"choices": choices, "hint": ChoiceHint(choices)}


def _python(value: Any) -> Any:
    """A number as Python's own, so that templates can reckon with it; of several a list."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def _spaced(name: str) -> str:
    return name.replace("_", " ")
