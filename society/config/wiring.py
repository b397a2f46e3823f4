"""Check the wiring of a society before anything is asked.

The script is rehearsed for one replicate, with nobody to answer: its lines never depend on data, so
what it asks and tells there is what it asks and tells. Where a name seems to be missing, the
rehearsal is widened before it counts: to all rounds, then to other values of switches. What comes
with the program is checked by tests, so that only parts of the user's are rehearsed here.
"""

from __future__ import annotations

import difflib
import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.engine.component import Component
from society.engine.mechanism import as_play, silent_lines
from society.engine.parameters import parameters_of
from society.engine.scenario import DisplaySpec, Params, Scenario
from society.engine.script import UNREAD, Ask
from society.errors import InputError, short_path, suggest

from .birth_parameters import at_birth_issues
from .hook_checks import (
    component_issues,
    file_of,
    is_foreign,
    mechanism_issues,
    part_issue,
    source_file,
    unset_columns,
)
from .registry import components
from .rehearsal import MakeEnvironment, Rehearsal, switched
from .source_look import SourceFile
from .wiring_issues import Severity, WiringIssue

if TYPE_CHECKING:
    from society.engine.population import Cast, Cohort
    from society.llm.prompt_files import Prompts

_MOST_LINES, _MOST_ALTOGETHER = 4_000, 40_000  # heard in one rehearsal, and in all of them
_MOST_SETTINGS = 128  # other values of switches that are rehearsed
_OF_AGENTS = ("columns", "better", "limits", "amounts", "quotes", "meeting")  # roles in a display
_MOST_SECONDS = 5.0  # of the processor, until slow scripts are rehearsed no more widely


def check_wiring(
    scenario: Scenario,
    params: Params,
    cast: Cast,
    stage: MakeEnvironment,
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


class _Check:
    def __init__(
        self,
        scenario: Scenario,
        params: Params,
        cast: Cast,
        stage: MakeEnvironment,
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
        sources = [source_file(file) for file in files]
        found = [issue for source in sources for issue in source.issues]
        for kind in self.own_parts:
            found += [*component_issues(kind), *at_birth_issues(kind)]
            found += [*(unset_columns(kind) if is_foreign(kind) else ())]
        for spec in (layer.spec for layer in self.scenario.layers):
            if isinstance(spec.source, type) and is_foreign(spec.source):
                found += mechanism_issues(spec.source, spec.name)
        if not (self.own_script or self.own_parts or self.own_cast is not None):
            return found
        if any(source.lacks_lines for source in sources):  # what follows would blame other lines
            return found
        found += [*self._unknown_graphs(), *self._unknown_relations(), *self._unkept_columns()]
        if self.own_scenario and not self.in_words:  # prompts may read any parameter
            found += self._unread_parameters()
        return [*found, *self._rehearsed()]

    def _rehearsed(self) -> list[WiringIssue]:
        """Rehearse the script, more widely as long as something seems to be missing."""
        heard, looked = Rehearsal(), list[WiringIssue]()
        began = time.thread_time()  # a busy machine finds what an idle one finds
        for number, play in enumerate(self._wider(heard)):
            play()
            if heard.failed is not None and number < 2:
                return [*self._shapes(heard)] or self._unrehearsed(heard.failed)
            # Settings that the script refuses do not go together; others may have failed by chance.
            heard.partial |= not isinstance(heard.failed, InputError | None)
            heard.failed = None
            looked = self._looked(heard)
            if not looked:
                break
            if heard.lines >= _MOST_ALTOGETHER or time.thread_time() - began > _MOST_SECONDS:
                heard.partial = True
                looked = self._looked(heard)
                break
        shapes = self._shapes(heard) if self.own_script else ()
        return [*shapes, *looked, *(self._unworded() if self.in_words else ())]

    def _wider(self, heard: Rehearsal) -> Iterator[Callable[[], None]]:
        """Yield rehearsals, each of which hears more than those before."""
        scenario = self.scenario

        def rehearsed(params: Params, whole: bool, first: bool) -> Callable[[], None]:
            def play() -> None:
                wrong = dict(heard.misshapen)
                env = self.stage(params, whole, first)
                heard.hear(scenario.play, env, scenario.measures)
                if params is not self.params:  # these settings are not the ones to be played
                    heard.misshapen = wrong

            return play

        yield rehearsed(self.params, False, True)
        yield rehearsed(self.params, False, False)
        yield rehearsed(self.params, True, False)
        settings = list(islice(switched(self.params), _MOST_SETTINGS + 1))
        heard.partial |= len(settings) > _MOST_SETTINGS
        for first in (True, False):
            for params in settings[:_MOST_SETTINGS]:
                yield rehearsed(params, True, first)

    def _unrehearsed(self, error: BaseException) -> list[WiringIssue]:
        """Say that the script could not be rehearsed; an InputError is raised by the run itself."""
        if isinstance(error, InputError) or not self.own_script:
            return []
        words = (
            f"the wiring of {self.scenario.name} could not be checked, since its script fails "
            f"where nobody answers: {type(error).__name__}: {error}"
        )
        return [self._script_issue(words, "warning")._replace(deferred=True)]

    def _looked(self, heard: Rehearsal) -> list[WiringIssue]:
        if self.own_script and not heard.opens_rounds:  # so that nothing is said, either
            return [self._roundless(heard)]
        found = [
            *self._components(heard),
            *self._occasions(heard),
            *self._tables(heard),
            *self._shadowed(heard),
        ]
        found += self._unread_faculties(heard)
        if self.own_script:
            found += self._measures(heard)
        if self.own_scenario:
            found += [
                *self._declared(heard),
                *self._display(heard),
                *self._fact_specs(heard),
                *self._relations(heard),
                *self._unheard(heard),
            ]
        if self.in_words or self._has_prompts():
            found += self._stray_prompts(heard)
        return found

    def _missing(self, name: str, heard: Rehearsal) -> Severity:
        """The severity where nothing was heard of a name: an error if nothing can be."""
        source = self._source()
        stated = source is not None and name in source.stated
        return "warning" if heard.partial or stated else "error"

    def _has_prompts(self) -> bool:
        """Tell whether prompts lie beside a script of the user's, for other agents than these."""
        file = file_of(self.origin) if self.own_scenario and is_foreign(self.origin) else ""
        return bool(file) and Path(file).with_name("prompts").is_dir()

    # The script

    def _source(self) -> SourceFile | None:
        file = file_of(self.origin)
        return source_file(file) if file else None

    def _script_issue(self, words: str, severity: Severity, line: int = 0) -> WiringIssue:
        source = self._source()
        if source is None:
            return WiringIssue(words, severity)
        line = line or source.function_line(self.origin.__name__)
        return WiringIssue(words, severity, source.file, line)

    def _at_text(self, words: str, severity: Severity, text: str, inside: str) -> WiringIssue:
        source = self._source()
        line = source.text_line(text, inside) if source else 0
        return self._script_issue(words, severity, line)

    def _at_call(
        self, words: str, severity: Severity, names: tuple[str, ...], kind: str
    ) -> WiringIssue:
        source = self._source()
        line = source.call_line(names, kind, among=0) if source else 0
        return self._script_issue(words, severity, line)

    def _roundless(self, heard: Rehearsal) -> WiringIssue:
        return self._script_issue(
            f"{self.scenario.name} never opens a round, so it is over at once; let its script "
            "play `for _ in env.rounds():`",
            "warning" if heard.partial else "error",
        )

    def _shapes(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        for (sort, kind), words in heard.misshapen.items():
            if sort == "Measure":
                words = f"the measure {kind!r} {words}, such as values.mean(1)"
                yield self._at_text(words, "error", kind, "Measure")
            else:
                yield self._at_call(f"{sort}({kind!r}): {words}", "error", (sort,), kind)
        for kind, words in heard.out_of_bounds.items():
            words = f"Ask({kind!r}): fallback {words}, and will be cut to that"
            yield self._at_call(words, "warning", ("Ask",), kind)

    def _measures(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        for measure in self.scenario.measures:
            missed = heard.unmeasured.get(measure.name, "")
            if measure.name in heard.measured or not missed:
                continue
            severity = self._missing(missed, heard)
            if missed in heard.facts:
                severity = "warning"
                words = "which no round tells together with the others, so that nothing is measured"
            elif severity == "error":
                words = f"which no Tell states; {suggest(missed, heard.facts)}"
            else:
                words = "which is told with no parameters that were tried"
            words = f"measure {measure.name!r} reads the fact {missed!r}, {words}"
            yield self._at_text(words, severity, measure.name, "Measure")

    def _declared(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find names in @declares of what the script itself neither asks nor tells."""
        declared = as_play(self.scenario.play).declared
        if declared is None:
            return
        if self.scenario.layers:  # mechanisms may ask and tell otherwise
            heard = Rehearsal()
            heard.hear(self.origin, self.stage(self.params, False, False), ())
            if heard.failed is not None:
                return
        facts = heard.facts_of.get(declared.told)
        for role, name, legal, wrong in (
            ("move", declared.move, heard.asked, "is never asked"),
            ("told", declared.told, heard.told, "is never told"),
            ("payoff", declared.payoff, facts, f"is no fact of Tell({declared.told!r})"),
        ):
            # What only other settings or longer plays say is no mistake.
            if name and legal and name not in legal and self._missing(name, heard) == "error":
                words = f"@declares says {role}={name!r}, which {wrong}; {suggest(name, legal)}"
                yield self._at_text(words, "error", name, "Declared")

    def _display(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        columns = [
            column
            for cohort in [*self.cast, *self._default_cast()]
            for part in cohort.components
            for column in part.columns
        ]
        public = {column.name for column in columns if column.public}
        told = heard.facts | heard.in_questions
        seen = told | public | heard.asked | heard.in_answers
        brought = {
            name
            for layer in self.scenario.layers
            for name in (*layer.spec.columns, *layer.spec.quotes, *layer.spec.endings)
        }
        measured = {measure.name for measure in self.scenario.measures}
        names = [
            *_displayed(self.scenario.display, told, seen, heard, self.params),
            *(("better", name, seen | measured) for name in self.scenario.display.better),
        ]
        for role, name, legal in names:
            if name in legal or name in brought:  # a mechanism suits plays of many kinds
                continue
            # Other agents than those of the default cast may have other columns.
            if self.own_cast is not None and role in _OF_AGENTS:
                continue
            if role == "endings" and not _close(name, legal):  # what ends a run may be rare
                continue
            severity, hint = self._missing(name, heard), suggest(name, legal)
            if any(column.name == name for column in columns):
                hint = f"declare it as Column({name!r}, public=True)"
            elif role == "gauge" and name in told:
                hint = f"a gauge shows what all agents share: tell it as common({name})"
            elif name in heard.told:
                hint = "it is an event; name one of its facts"
            elif severity == "warning":
                hint = "no settings were found under which it is said"
            words = f"the display's {role} names {name!r}, which is nothing that it can show"
            yield self._at_text(f"{words}; {hint}", severity, name, "DisplaySpec")

    def _fact_specs(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find words, units and labels for a misspelt name; those of others are of no harm."""
        parts = [
            part for cohort in [*self.cast, *self._default_cast()] for part in cohort.components
        ]
        known = heard.facts | heard.in_questions | heard.asked | heard.in_answers
        known |= {column.name for part in parts for column in part.columns}
        # A mechanism describes what it tells around plays of some kinds only.
        known |= {
            name
            for layer in self.scenario.layers
            for name in (*layer.spec.columns, *layer.spec.facts)
        }
        source = self._source()
        if not is_foreign(self.origin):  # ours have words for what few settings tell
            return
        for name in self.scenario.facts:
            if name in known or not _close(name, known):
                continue
            if source is None or source.mentions(name):  # else it is from another file
                words = f"facts= describes {name!r}, which is neither told, asked nor kept"
                words = f"{words}; {suggest(name, known)}"
                yield self._at_text(words, "warning", name, "scenario")

    def _relations(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find relations that nothing uses, so that their graphs have no effect."""
        brought = {name for layer in self.scenario.layers for name in layer.spec.relations}
        parts = [part for cohort in self.cast for part in cohort.components]
        sources = [
            self._source(),
            *(source_file(file) for part in parts if (file := file_of(type(part)))),
        ]
        for name in self.scenario.relations:
            used = name in heard.graphs | brought or any(
                name in vars(part).values() for part in parts
            )
            outside = ("relations", "graphs")
            if not used and not any(one.mentions(name, outside=outside) for one in sources if one):
                words = (
                    f"nothing uses the relation {name!r}, so that its graph has no effect; use it "
                    f"in Neighbour({name!r}), seen({name!r}, ...) or env.graph({name!r}), or leave "
                    "it out"
                )
                yield self._at_text(words, "warning", name, "scenario")

    def _unknown_graphs(self) -> Iterator[WiringIssue]:
        """Find graphs of relations that neither the scenario nor its mechanisms have."""
        legal = self.scenario.relations
        for name in self.scenario.graphs:
            if name not in legal:
                words = f"graphs= names the relation {name!r}; {suggest(name, legal)}"
                yield self._at_text(words, "error", name, "scenario")

    def _unknown_relations(self) -> Iterator[WiringIssue]:
        """Find components that are to look at neighbours on a relation that is not there."""
        legal = self.scenario.relations
        for cohort in self.cast:
            for part in cohort.components:
                name = getattr(part, "relation", "")
                if isinstance(name, str) and name and name not in legal:
                    words = f"{part.title()} in cohort {cohort.name!r} has relation={name!r}; "
                    place = (self.own_cast or {}).get(cohort.name, ("", 0))
                    yield WiringIssue(words + suggest(name, legal), "error", *place)

    def _unkept_columns(self) -> Iterator[WiringIssue]:
        """Find columns that a component reads when lives begin, and that nobody keeps."""
        for cohort in self.cast:
            kept = {column.name for part in cohort.components for column in part.columns}
            for part in cohort.components:
                file = file_of(type(part))
                read = source_file(file).columns_begun_from(type(part).__name__) if file else ()
                for name in dict.fromkeys(name for name in read if name not in kept):
                    keepers = [k.title() for k in components().values() if _keeps(k, name)]
                    hint = suggest(name, kept) if _close(name, kept) else ""
                    hint = hint or f"add {' or '.join(keepers) or 'the component that keeps it'}"
                    words = (
                        f"{part.title()} reads column {name!r}, which no component of cohort "
                        f"{cohort.name!r} keeps; {hint}"
                    )
                    yield self._part_in_cohort(part, "begin", cohort, words, "error")

    def _unread_parameters(self) -> Iterator[WiringIssue]:
        """Find parameters that neither the user's files nor fields of components name."""
        model, file = type(self.params), file_of(type(self.params))
        if not file or not is_foreign(model):
            return
        parts = {type(part) for cohort in self.cast for part in cohort.components}
        fields = {name for part in parts for name in parameters_of(part).model_fields}
        files = {file, file_of(self.origin), *map(file_of, self.own_parts)} - {""}
        for name in vars(model).get("__annotations__", {}):
            of_cast = name in model.of_default_cast()  # read by functions of any kind
            if name in fields or of_cast or any(source_file(one).mentions(name) for one in files):
                continue
            line = source_file(file).member_line(model.__name__, name)
            words = f"the parameter {name!r} of {self.scenario.name} is read nowhere, so that it "
            words += f"has no effect; read env.params.{name}, or leave it out"
            yield WiringIssue(words, "warning", file, line)

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

    def _unworded(self) -> Iterator[WiringIssue]:
        """Find questions to language minds that lack words of their own, or a fallback."""
        lines = silent_lines(self.scenario.play, self.stage(self.params, False, False))
        words = self.words()
        asks = {line.kind: line for line in islice(lines, _MOST_LINES) if isinstance(line, Ask)}
        for kind, ask in asks.items():
            minds = [_respondent(cohort.components, kind) for cohort in self.cast]
            if not any(part is not None and part.models for part in minds):
                continue
            if not (words.has_template(kind) or ask.text):
                folder = f"prompts/{self.scenario.name}/{kind}.md"
                yield self._at_call(
                    f"language minds are asked {kind!r} without words of its own; write {folder}",
                    "warning",
                    ("Ask",),
                    kind,
                )
            if ask.fallback is None:
                yield self._at_call(
                    f"language minds are asked {kind!r} without a fallback, so that an answer that "
                    "cannot be read ends the run; write Ask(..., fallback=...)",
                    "warning",
                    ("Ask",),
                    kind,
                )

    def _stray_prompts(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find files beside the user's Python files that are no prompts of this scenario."""
        for file, hint in self.words().strays_beside(heard.asked, heard.told):
            words = (
                f"{short_path(file)} is a prompt that {self.scenario.name} does not ask for; {hint}"
            )
            yield WiringIssue(words, "warning")

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
                yield part_issue(kind, name, words, "warning")

    def _occasions(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find faculties that wait for what is never asked or told, beside what they usually do."""
        for cohort in self.cast:
            place = (self.own_cast or {}).get(cohort.name, ("", 0))
            for part in cohort.components:
                for field, said, what in (
                    ("before", heard.asked, "asked"),
                    ("when", heard.told, "told"),
                    ("done_to_me", heard.facts, "a fact that is told"),
                ):
                    named, usual = getattr(part, field, ()), getattr(type(part), field, ())
                    for name in named if isinstance(named, tuple) else ():
                        if name == "*" or name in said or name in usual:
                            continue
                        if not heard.partial or _close(name, said):
                            words = (
                                f"{part.title()} in cohort {cohort.name!r} has {field}={name!r}, "
                                f"and this is not {what} in {self.scenario.name}; "
                            )
                            yield WiringIssue(words + suggest(name, said), "warning", *place)

    def _tables(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find answers in data files to questions that nobody asks.

        A file may serve other societies, too: only a name that is much like that of a question, or
        a file without any question of this society, is surely a mistake.
        """
        if any(layer.spec.drafts is not None for layer in self.scenario.layers):
            return  # designs are made in a run of their own, from the same file
        for part in (part for cohort in self.cast for part in cohort.components):
            places = part.places_of_answers
            useless = heard.asked.isdisjoint(places)
            for kind, place in places.items():
                if kind in heard.asked:
                    continue
                misspelt = _close(kind, heard.asked - set(places))
                sure = (misspelt or useless) and not heard.partial
                words = f"{kind!r} is no question of {self.scenario.name}"
                hint = suggest(kind, heard.asked)
                yield WiringIssue(f"{words}; {hint}", "error" if sure else "warning", *place)

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
                    yield part_issue(type(part), "answers", words, "warning")
                else:
                    yield WiringIssue(words, "warning", *place)

    def _unread_faculties(self, heard: Rehearsal) -> Iterator[WiringIssue]:
        """Find components whose words nobody reads, since rules answer whatever is asked.

        What others read of their columns, or children inherit, is of use in any case.
        """
        for cohort in self.cast:
            first = [_respondent(cohort.components, kind) for kind in sorted(heard.asked)]
            minds = [one for one in first if one is not None]
            if not minds or not all(one.overrides("answer") for one in minds):
                continue
            for part in cohort.components:
                others = [one for one in cohort.components if one is not part]
                if not _only_speaks(part) or _is_read(part, others):
                    continue
                words = (
                    f"nobody reads {part.title()} in cohort {cohort.name!r}, since rules answer "
                    "all questions there; add language_policy, or leave "
                    f"{part.title()} out"
                )
                yield self._part_in_cohort(part, "brief", cohort, words, "warning")

    def _part_in_cohort(
        self, part: Component, member: str, cohort: Cohort, words: str, severity: Severity
    ) -> WiringIssue:
        """An issue of a component in a cohort: where the user put them together, else its class."""
        place = (self.own_cast or {}).get(cohort.name)
        if place is None:
            return part_issue(type(part), member, words, severity)
        return WiringIssue(words, severity, *place)


def _keeps(kind: type[Component], name: str) -> bool:
    return any(column.name == name for column in kind.columns)


def _only_speaks(part: Component) -> bool:
    """Tell whether all that a component does is to add words to prompts, or to ask for thoughts."""
    speaks = part.overrides("brief") or part.overrides("ponder")
    lasts = any(column.heritable for column in part.columns)
    return speaks and not lasts and not (part.overrides("answer") or part.overrides("consult"))


def _is_read(part: Component, others: Iterable[Component]) -> bool:
    """Tell whether the source of another component names a column of this one."""
    sources = [source_file(file) for one in others if (file := file_of(type(one)))]
    names = [column.name for column in part.columns]
    return any(source.mentions(name) for name in names for source in sources)


def _displayed(
    display: DisplaySpec, told: set[str], seen: set[str], heard: Rehearsal, params: Params
) -> Iterator[tuple[str, str, set[str]]]:
    """Yield each name in a display with its role, and the names that are legal there."""
    parameters = set(type(params).model_fields)
    if display.gauge is not None:
        yield "gauge", display.gauge[0], heard.common
        if isinstance(full := display.gauge[1], str):
            yield "gauge", full, parameters
    named = (level for level in display.reference.values() if isinstance(level, str))
    yield from (("reference", name, told | parameters) for name in named)
    yield from (("columns", name, seen) for name in display.columns)
    for name, limit in display.limits.items():
        yield "limits", name, seen
        yield "limits", limit, told
    yield from (("links", name, heard.asked | heard.in_answers) for name in display.links)
    named = (amount for amount in display.amounts.values() if isinstance(amount, str))
    yield from (("amounts", name, seen | parameters) for name in named)
    if display.meeting is not None:
        one = display.meeting
        for name in (one.peer, one.deed, one.share, one.holds, one.apart, one.heard):
            if name:
                yield "meeting", name, seen
    for name, questions in display.notes.items():
        yield "notes", name, seen
        asked = heard.asked | heard.in_answers
        yield from (("notes", kind, asked) for kind in questions)
    yield from (("quotes", name, seen) for name in display.quotes)
    yield from (("endings", kind, heard.told | {UNREAD}) for kind in display.endings)


def _respondent(components: Sequence[Component], kind: str) -> Component | None:
    return next((part for part in components if part.hears(kind, part.answers)), None)


def _close(name: str, legal: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(name, sorted(legal), n=1)), "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
