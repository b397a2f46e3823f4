"""Check the wiring of a society before anything is asked.

The script is rehearsed for one replicate, with nobody to answer: its lines never depend on data, so
what it asks and tells there is what it asks and tells. Where a name seems to be missing, the
rehearsal is widened before it counts: to all rounds, then to other values of switches. What comes
with the program is checked by tests, so that only parts of the user's are rehearsed here.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import numpy as np
from pydantic import ValidationError

from society.engine.action_spaces import fields
from society.engine.arrays import ArrayNormaliser, WrongShape
from society.engine.component import ANYTHING, Component
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import as_play, rehearsal_environment, silent_lines
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, Params, Scenario
from society.engine.script import Ask, Fact, Tell
from society.errors import InputError, suggest

from .source_look import SourceFile
from .wiring_issues import WiringIssue

if TYPE_CHECKING:
    from society.engine.population import Cast
    from society.llm.prompt_files import Prompts

_MOST_LINES, _MOST_ALTOGETHER = 4_000, 40_000  # heard in one rehearsal, and in all of them
_MISSPELT = 0.75  # likeness of two names from which one is taken for the other
_HOOKS = ("begin", "answer", "consult", "brief", "notice", "born")
Stage = Callable[[Params, bool, bool], Environment]  # parameters, all rounds, first rounds only


@dataclass
class Rehearsal:
    """All that a script asks and tells when nobody answers.

    failed: why it could not be played to its end. unmeasured: for each measure that was never
    computed, the fact that it missed last. used: facts that measures have read. facts: of tells;
    in_questions: of asks. lines: how many were heard. partial: whether some were not.
    """

    asked: set[str] = field(default_factory=set)
    in_answers: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    in_questions: set[str] = field(default_factory=set)
    lines: int = 0
    partial: bool = False
    news: dict[str, set[str]] = field(default_factory=dict)  # facts of tells that only inform
    opens_rounds: bool = False
    failed: BaseException | None = None
    measured: set[str] = field(default_factory=set)
    unmeasured: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    misshapen: dict[tuple[str, str], str] = field(default_factory=dict)

    def hear(self, play: Any, env: Environment, measures: Iterable[Measure]) -> None:
        """Rehearse a play, and add what is said there."""
        measures, said = tuple(measures), _FactsTold(self.used)
        normaliser = ArrayNormaliser(env)
        try:
            for number, line in enumerate(islice(silent_lines(play, env), _MOST_LINES), 1):
                self.lines += 1
                self.partial |= number == _MOST_LINES
                if env.newly_opened():
                    self.opens_rounds = True
                    self._measure(measures, said, env)
                    said = _FactsTold(self.used)
                if isinstance(line, Ask):
                    self.asked.add(line.kind)
                    self.in_answers |= {
                        f"{line.kind} {name}" for name in fields(line.reply) if name
                    }
                    self.in_answers |= {name for name in fields(line.reply) if name}
                    self.in_questions |= set(line.facts)
                    bounds = {
                        f"bound {bound!r}": values
                        for value in fields(line.reply).values()
                        for bound, values in getattr(value, "bounds", {}).items()
                    }
                    self._shape(normaliser, line, line.facts, who=line.who, **bounds)
                elif isinstance(line, Tell):
                    self.told.add(line.kind)
                    self.facts |= set(line.facts)
                    masks = {"gone": line.gone, "back": line.back, "ends": line.ends}
                    self._shape(normaliser, line, line.facts, **masks)
                    changes = (line.gone, line.ends, line.back)
                    if all(one is None for one in changes) and not (line.joins or line.cuts):
                        self.news.setdefault(line.kind, set()).update(line.facts)
                    for name, fact in line.facts.items():
                        if isinstance(fact, Fact):
                            shape = (1, env.agents if fact.scope != "common" else 1)
                            shape = (*shape, *fact.values.shape[2:])
                            try:
                                said[name] = np.broadcast_to(fact.values, shape)
                            except ValueError:
                                said[name] = fact.values
            self.opens_rounds |= bool(env.newly_opened())
        except Exception as error:
            self.failed = error
        self._measure(measures, said, env)

    def _shape(
        self,
        normaliser: ArrayNormaliser,
        line: Ask | Tell,
        facts: Mapping[str, Fact],
        **masks: Array | None,
    ) -> None:
        """Note what is wrong with the shapes of a line."""
        try:
            normaliser.facts(facts)
            for role, mask in masks.items():
                if mask is not None:
                    shaped = normaliser.tall if role == "ends" else normaliser.wide
                    try:
                        shaped(mask, None)
                    except WrongShape as error:
                        raise WrongShape(f"{role} has {error}") from None
        except WrongShape as error:
            self.misshapen.setdefault((type(line).__name__, line.kind), str(error))

    def _measure(self, measures: Iterable[Measure], said: _FactsTold, env: Environment) -> None:
        """Compute measures from the facts of a round, to see which facts they read."""
        for measure in measures:
            try:
                with np.errstate(all="ignore"):
                    values = np.asarray(measure.of(said, env))
            except _NotTold as error:
                self.unmeasured[measure.name] = str(error.args[0])
            except Exception:
                self.measured.add(measure.name)  # silent answers may be too strange for it
            else:
                self.measured.add(measure.name)
                if values.shape not in ((1,), (1, 1)):
                    came = f"shape {values.shape}" if values.ndim else f"{values.item()!r:.60}"
                    words = f"gives {came}; expected (1,) or (1, 1), a number for each replicate"
                    self.misshapen.setdefault(("Measure", measure.name), words)


class _NotTold(KeyError):
    """A measure reads a fact that was not told."""


class _FactsTold(dict[str, Array]):
    """Facts told in a round; notes which of them are read."""

    def __init__(self, used: set[str]) -> None:
        super().__init__()
        self._used = used

    def __getitem__(self, name: str) -> Array:
        self._used.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._used.add(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self._used.add(str(name))
        return super().__contains__(name)

    def __missing__(self, name: str) -> Array:
        raise _NotTold(name)


def check_wiring(
    scenario: Scenario,
    params: Params,
    cast: Cast,
    stage: Stage,
    *,
    words: Callable[[], Prompts],
    files: Iterable[str] = (),
    own_cast: Mapping[str, tuple[str, int]] | None = None,
    everything: bool = False,
) -> list[WiringIssue]:
    """List what is wired wrongly, or looks so, in a scenario with a cast.

    stage: makes an environment for a rehearsal. words: the prompts, asked for where language minds
    play. files: the user's Python files. own_cast: where the user has put cohorts
    together, file and line of each by its name, as far as they have one.
    everything: check our own parts, too.
    """
    check = _Check(scenario, params, cast, stage, words, own_cast=own_cast, everything=everything)
    return check.issues(files)


def is_foreign(part: object) -> bool:
    """Tell whether a class or function is the user's, and did not come with the program."""
    return not getattr(part, "__module__", "").startswith("society.")


class _Check:
    def __init__(
        self,
        scenario: Scenario,
        params: Params,
        cast: Cast,
        stage: Stage,
        words: Callable[[], Prompts],
        *,
        own_cast: Mapping[str, tuple[str, int]] | None,
        everything: bool,
    ) -> None:
        self.own_cast = own_cast
        self.scenario, self.params, self.cast = scenario, params, cast
        self.stage, self.words, self.everything = stage, words, everything
        self.origin: Any = inspect.unwrap(as_play(scenario.play).origin)
        around = [layer.spec.source for layer in scenario.layers]
        self.own_scenario = everything or is_foreign(self.origin)
        self.own_script = self.own_scenario or any(map(is_foreign, around))
        # A mechanism of the user's around a play of ours: what is wrong is wrong there.
        if not self.own_scenario:
            self.origin = next(filter(is_foreign, around), self.origin)
        kinds = dict.fromkeys(type(part) for cohort in cast for part in cohort.components)
        self.own_parts = [kind for kind in kinds if everything or is_foreign(kind)]
        self.in_words = any(part.models for cohort in cast for part in cohort.components)

    def issues(self, files: Iterable[str]) -> list[WiringIssue]:
        found = [issue for file in files for issue in source_file(file).issues()]
        found += [issue for kind in self.own_parts for issue in component_issues(kind)]
        if not (self.own_script or self.own_parts or self.own_cast is not None):
            return found
        heard, looked = Rehearsal(), list[WiringIssue]()
        for number, play in enumerate(self._wider(heard)):
            play()
            if heard.failed is not None and number < 2:
                break
            heard.partial |= heard.failed is not None  # other settings may not go together
            heard.failed = None
            looked = self._looked(heard)
            if not looked or heard.lines >= _MOST_ALTOGETHER:
                break
        if heard.partial:  # what was not heard may exist
            looked = [issue._replace(severity="warning") for issue in looked]
        if heard.failed is not None:
            return [*found, *self._unrehearsed(heard.failed)]
        return [*found, *looked, *(self._wordless() if self.in_words else ())]

    def _wider(self, heard: Rehearsal) -> Iterator[Callable[[], None]]:
        """Yield rehearsals, each of which hears more than those before."""
        scenario = self.scenario

        def rehearsed(params: Params, whole: bool, first: bool) -> Callable[[], None]:
            def play() -> None:
                env = self.stage(params, whole, first)
                heard.hear(scenario.play, env, scenario.measures)

            return play

        yield rehearsed(self.params, False, True)
        yield rehearsed(self.params, False, False)
        yield rehearsed(self.params, True, False)
        for first in (True, False):
            for params in _switched(self.params):
                yield rehearsed(params, True, first)

    def _unrehearsed(self, error: BaseException) -> list[WiringIssue]:
        """Say that the script could not be rehearsed; an InputError is raised by the run itself."""
        if isinstance(error, InputError) or not self.own_script:
            return []
        words = (
            f"the wiring of {self.scenario.name} could not be checked, since its script fails "
            f"where nobody answers: {type(error).__name__}: {error}"
        )
        return [self._script_issue(words, "warning")]

    def _looked(self, heard: Rehearsal) -> list[WiringIssue]:
        found = [*self._components(heard), *self._shadowed(heard)]
        if self.own_script:
            found += [*self._script(heard), *self._measures(heard)]
        if self.own_scenario:
            found += [*self._display(heard), *self._declared(heard), *self._unheard(heard)]
        return found

    # The script

    def _source(self) -> SourceFile | None:
        file = _file_of(self.origin)
        return source_file(file) if file else None

    def _script_issue(
        self, words: str, severity: Literal["error", "warning"], line: int = 0
    ) -> WiringIssue:
        source = self._source()
        if source is None:
            return WiringIssue(words, severity)
        line = line or source.function_line(self.origin.__name__)
        return WiringIssue(words, severity, source.file, line)

    def _at_text(self, words: str, text: str, inside: str) -> WiringIssue:
        source = self._source()
        return self._script_issue(words, "error", source.text_line(text, inside) if source else 0)

    def _at_call(
        self, words: str, severity: Literal["error", "warning"], names: tuple[str, ...], kind: str
    ) -> WiringIssue:
        source = self._source()
        line = source.call_line(names, kind, among=0) if source else 0
        return self._script_issue(words, severity, line)

    def _script(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        if not heard.opens_rounds:
            yield self._script_issue(
                f"{self.scenario.name} never opens a round, so it is over at once; let its script "
                "play `for _ in env.rounds():`",
                "error",
            )
        for (sort, kind), words in heard.misshapen.items():
            if sort == "Measure":
                words += ", such as values.mean(1)"
                yield self._at_text(f"the measure {kind!r} {words}", kind, "Measure")
            else:
                yield self._at_call(f"{sort}({kind!r}): {words}", "error", (sort,), kind)

    def _measures(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        for measure in self.scenario.measures:
            missed = heard.unmeasured.get(measure.name, "")
            if measure.name not in heard.measured and missed and missed not in heard.facts:
                words = (
                    f"measure {measure.name!r} reads the fact {missed!r}, which no Tell states; "
                    f"{suggest(missed, heard.facts)}"
                )
                yield self._at_text(words, measure.name, "Measure")

    def _columns(self) -> dict[str, bool]:
        """The columns of all components by name, and whether they are public."""
        return {
            column.name: column.public
            for cohort in [*self.cast, *self._default_cast()]
            for part in cohort.components
            for column in part.columns
        }

    def _declared(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find words of facts whose names are probably misspelt: others like them have no words.

        What is told in rare settings only may be unheard, and is not warned of.
        """
        public = {name for name, shown in self._columns().items() if shown}
        legal = heard.facts | heard.in_questions | heard.asked | heard.in_answers | public
        source, wordless = self._source(), legal - set(self.scenario.facts)
        for name in sorted(set(self.scenario.facts) - legal):
            if difflib.get_close_matches(name, wordless, n=1, cutoff=_MISSPELT):
                words = (
                    f"facts= declares {name!r}, which is neither asked nor told in "
                    f"{self.scenario.name}, nor a public column; {suggest(name, wordless)}"
                )
                line = source.key_line(name, FactSpec.__name__) if source else 0
                yield self._script_issue(words, "warning", line)

    def _display(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        columns = self._columns()
        public = {name for name, shown in columns.items() if shown}
        told = heard.facts | heard.in_questions
        seen = told | public | heard.asked | heard.in_answers
        brought = {
            name
            for layer in self.scenario.layers
            for name in (*layer.spec.columns, *layer.spec.quotes, *layer.spec.endings)
        }
        for role, name, legal in _displayed(self.scenario.display, told, seen, heard, self.params):
            if name in legal or name in brought:  # a mechanism suits plays of many kinds
                continue
            # Other agents than those of the default cast may have other columns.
            if self.own_cast is not None and role in ("columns", "limits", "quotes", "meeting"):
                continue
            hint = suggest(name, legal)
            if name in columns:
                hint = f"declare it as Column({name!r}, public=True)"
            words = f"the display's {role} names {name!r}, which is nothing that it can show"
            yield self._at_text(f"{words}; {hint}", name, "DisplaySpec")

    def _default_cast(self) -> Cast:
        try:
            return self.scenario.cast(self.params, self.scenario.agents)
        except Exception:  # of the user's; where it is needed, it is called again
            return ()

    def _unheard(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find events that nobody notices, whose facts nothing measures or shows.

        Where nothing is measured or shown at all, the record is what the events are for.
        """
        declared = as_play(self.scenario.play).declared
        if self.scenario.post_analysis is not None or self.scenario.layers:
            return
        display = self.scenario.display
        shown = {name for _, name, _ in _displayed(display, set(), set(), heard, self.params)}
        noticed = {
            kind
            for cohort in [*self.cast, *self._default_cast()]
            for part in cohort.components
            for kind in part.notices
        }
        if not (self.scenario.measures or shown):
            return
        used = heard.used | heard.in_questions | shown
        shown |= set(display.endings)
        for kind, facts in heard.news.items():
            is_payoff = declared is not None and kind == declared.told
            idle = kind not in noticed | shown and not facts & used and "*" not in noticed
            if idle and not is_payoff:
                words = (
                    f"nobody notices {kind!r}, and nothing measures or shows its facts "
                    f"({', '.join(sorted(facts)) or 'it has none'})"
                )
                yield self._at_call(words, "warning", ("Tell",), kind)

    def _wordless(self) -> Iterator[WiringIssue]:
        """Find questions to language minds that have no words of their own."""
        lines = silent_lines(self.scenario.play, self.stage(self.params, False, False))
        words = self.words()
        asks = {line.kind: line for line in islice(lines, _MOST_LINES) if isinstance(line, Ask)}
        for kind, ask in asks.items():
            minds = [_respondent(cohort.components, kind) for cohort in self.cast]
            if not any(part is not None and part.models for part in minds):
                continue
            text: str = getattr(ask, "text", "")
            if not (words.has_template(kind) or text):
                folder = f"prompts/{self.scenario.name}/{kind}.md"
                yield self._at_call(
                    f"language minds are asked {kind!r} without words of its own; write {folder}",
                    "warning",
                    ("Ask",),
                    kind,
                )

    # The components

    def _components(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find kinds of questions and events that a component names and nobody says."""
        for kind in self.own_parts:
            if not is_foreign(kind):
                continue
            for name, said, what in (
                ("answers", heard.asked, "asked"),
                ("notices", heard.told, "told"),
            ):
                kinds = [one for one in getattr(kind, name) if one != "*"]
                idle = [one for one in kinds if one not in said]
                meant = {one: _close(one, said - set(kinds)) for one in idle}
                if kinds and len(idle) == len(kinds):
                    words = f"{_listed(idle)}, and none of this is {what} in {self.scenario.name}"
                    hint = suggest(idle[0], said)
                elif suspects := [one for one in idle if meant[one]]:
                    words = f"{suspects[0]!r}, which is not {what} in {self.scenario.name}"
                    hint = f"did you mean {meant[suspects[0]]!r}?"
                else:
                    continue
                words = f"{kind.title()} {name} {words}; {hint}"
                yield _part_issue(kind, name, words, "warning")

    def _shadowed(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find components whose questions are all answered by one that stands before them."""
        for cohort in self.cast:
            for part in cohort.components:
                mine = sorted(kind for kind in heard.asked if part.hears(kind, part.answers))
                first = {kind: _respondent(cohort.components, kind) for kind in mine}
                if not mine or any(one is part for one in first.values()):
                    continue
                by = ", ".join(
                    dict.fromkeys(one.title() for one in first.values() if one is not None)
                )
                words = (
                    f"{part.title()} answers nothing in cohort {cohort.name!r}: {by} stands before "
                    f"it and answers {_listed(mine)}; name {part.title()} first, or leave one out"
                )
                place = (self.own_cast or {}).get(cohort.name)
                if place is None:
                    yield _part_issue(type(part), "answers", words, "warning")
                else:
                    yield WiringIssue(words, "warning", *place)


def component_issues(kind: type[Component]) -> Iterator[WiringIssue]:
    """Find hooks of a component that can never be called, by its class alone."""
    title, told = kind.title(), kind.notices
    notices, answers = kind.overrides("notice"), kind.overrides("answer")
    if notices and not told:
        yield _part_issue(
            kind,
            "notice",
            f"{title} has `notice`, but no `notices`, so it is never called; "
            'write notices = ("KIND", ...), the events that it shall notice',
            "error",
        )
    if told and not notices:
        yield _part_issue(
            kind,
            "notices",
            f"{title} has `notices`, but no `notice` to take them in; write "
            "notice(self, tell, agents), or leave `notices` out",
            "error",
        )
    if answers and not kind.answers:
        yield _part_issue(
            kind,
            "answer",
            f"{title} has `answer`, but no `answers`, so it is never asked; "
            'write answers = ("KIND", ...)',
            "error",
        )
    general = kind.answer is not Component.answer or kind.overrides("consult")
    for question in kind.answers:
        if not general and question != "*" and answers and not hasattr(kind, f"answer_{question}"):
            words = f"{title} answers {question!r} and has no method answer_{question}; write it"
            yield _part_issue(kind, "answers", words, "error")
    if answers and kind.overrides("consult"):
        yield _part_issue(
            kind,
            "consult",
            f"{title} has both `answer` and `consult`, and `consult` is never called; "
            "leave one of them out",
            "warning",
        )
    if kind.overrides("born") and not kind.columns:
        words = f"{title} has `born`, but no columns that could be inherited, so it is never "
        yield _part_issue(kind, "born", f"{words}called; declare columns", "error")
    for name, value in vars(kind).items():
        if not inspect.isfunction(value) or hasattr(Component, name) or name.startswith("_"):
            continue
        close = difflib.get_close_matches(name, _HOOKS, n=1, cutoff=0.8)
        like = [*inspect.signature(value).parameters]
        if close and like == [*inspect.signature(getattr(Component, close[0])).parameters]:
            words = f"{title} has a method {name!r}, which is never called"
            yield _part_issue(kind, name, f"{words}; did you mean {close[0]!r}?", "error")
        answer = name.removeprefix("answer_")
        if answer != name and answer not in kind.answers and kind.answers != ANYTHING:
            words = f"{title} has the method {name}, but {answer!r} is not among its `answers`"
            yield _part_issue(kind, name, f"{words}, so it is never called; add it", "error")


def _displayed(
    display: DisplaySpec, told: set[str], seen: set[str], heard: Rehearsal, params: Params
) -> Iterator[tuple[str, str, set[str]]]:
    """Yield each name in a display with its role, and the names that are legal there."""
    if display.gauge is not None:
        yield "gauge", display.gauge[0], told
        yield "gauge", display.gauge[1], set(type(params).model_fields)
    yield from (("columns", name, seen) for name in display.columns)
    for name, limit in display.limits.items():
        yield "limits", name, seen
        yield "limits", limit, told
    yield from (("links", name, heard.asked | heard.in_answers) for name in display.links)
    if display.meeting is not None:
        one = display.meeting
        for name in (one.peer, one.deed, one.share, one.holds, one.apart):
            if name:
                yield "meeting", name, seen
    for name, questions in display.notes.items():
        yield "notes", name, seen
        asked = heard.asked | heard.in_answers
        yield from (("notes", kind, asked) for kind in questions)
    yield from (("quotes", name, seen) for name in display.quotes)


def _switched(params: Params) -> Iterator[Params]:
    """Yield the defaults, then the parameters with each other value of each switch."""
    model = type(params)
    options = {name: _options(info.annotation) for name, info in model.model_fields.items()}
    changes = [{name: value} for name, values in options.items() for value in values]
    for given in [{}, *changes, *({**dict(params), **one} for one in changes)]:
        with suppress(ValidationError, ValueError):
            yield model(**given)


def _options(annotation: Any) -> Sequence[Any]:
    if annotation is bool:
        return (False, True)
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(annotation)
    return [value for one in get_args(annotation) for value in _options(one)]


def _respondent(components: Sequence[Component], kind: str) -> Component | None:
    return next((part for part in components if part.hears(kind, part.answers)), None)


def _part_issue(
    kind: type[Component], member: str, words: str, severity: Literal["error", "warning"]
) -> WiringIssue:
    """An issue of a component, at the line of one of its members."""
    file = _file_of(kind)
    if not file or not is_foreign(kind):
        return WiringIssue(words, severity)
    return WiringIssue(words, severity, file, source_file(file).member_line(kind.__name__, member))


def _file_of(part: Any) -> str:
    """Return the file of a class or function, "" for what was typed in a notebook."""
    try:
        file = inspect.getsourcefile(part) or ""
    except (TypeError, OSError):
        return ""
    return file if file.endswith(".py") else ""


@cache
def source_file(file: str) -> SourceFile:
    """Return a file of the user's, which is read once."""
    return SourceFile(file)


def _close(name: str, legal: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(name, sorted(legal), n=1)), "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def rehearsal_stage(bare: Callable[[Params, int], Environment], rounds: int, usual: int) -> Stage:
    """Return a function that makes environments for rehearsals, of so many rounds or as usual."""

    def stage(params: Params, whole: bool, first_rounds_only: bool) -> Environment:
        env = bare(params, max(rounds, usual) if whole else rounds)
        return rehearsal_environment(env, first_rounds_only=first_rounds_only)

    return stage
