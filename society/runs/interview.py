"""Interviews with the agents of a run, as they were at the end of a round.

The run is played again up to there, rules anew and models from the record, and its agents are asked
as by a questionnaire: in words, with all that they know and remember. The run file stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society import index
from society.components.language.llm_policy import LanguagePolicy
from society.config.build import PastStage, Society
from society.config.defaults import DefaultsFile
from society.config.run_config import RunConfig, Setting, override
from society.config.yaml_source import Source, read_yaml
from society.engine.calls import Minds
from society.engine.gateway import ModelGateway
from society.engine.history import Page
from society.engine.parameters import Issue, ValidationIssues, validate
from society.engine.population import Cast, Cohort
from society.engine.rng import Array
from society.engine.scenario import Scenario
from society.errors import InputError, ScenarioError, short_path, suggest
from society.llm.providers.settings import Limits
from society.notebook_pages import html_table
from society.optional import require
from society.scenarios.mechanisms.questionnaire.answers import GivenAnswers, read_answers
from society.scenarios.mechanisms.questionnaire.instrument import Instrument
from society.scenarios.mechanisms.questionnaire.interview import INTERVIEW, interviewed
from society.scenarios.mechanisms.questionnaire.questionnaire import Mode

from .agent_names import AgentNames
from .fork import Place, find_end, open_trusted
from .interview_file import InterviewFile, refuse_run_file
from .parent_answers import ParentAnswers
from .provenance import list_changes
from .reader import RunFile
from .writer import Parent

if TYPE_CHECKING:
    from society.llm.providers.estimate import Counting, Forecast
    from society.llm.providers.pool import ModelPool


class Interviewee(LanguagePolicy):
    """The model that speaks for an agent in an interview, and at no other time."""

    chance_id = "interviewee"
    answers = (INTERVIEW,)


class AgentAnswers(NamedTuple):
    """The answers of one agent on one occasion; None where it gave none.

    round: its number; path: its place among nested rounds. items: by id. scales: scores by name.
    """

    round: int
    path: tuple[int, ...]
    replicate: int
    agent: int
    name: str
    cohort: str
    items: Mapping[str, Any]
    scales: Mapping[str, float | None]


@dataclass(frozen=True)
class Interview:
    """The answers of an interview; silent: cohorts in which nobody can speak."""

    instrument: Instrument
    answers: tuple[AgentAnswers, ...]
    file: Path
    asked: int
    silent: tuple[str, ...]

    def frame(self) -> Any:
        """One row for each agent and occasion; needs the extra `lab`.

        round, replicate, agent     numbers
        name, cohort                of the agent
        ITEM                        the answer, missing where there was none; `attrs` has the words
        SCALE                       the score, missing where an item was not answered
        """
        rows = [
            {**{key: getattr(one, key) for key in _WHO}, **one.items, **one.scales}
            for one in self.answers
        ]
        frame, items = require("pandas").DataFrame(rows), self.instrument.items
        frame.attrs["units"] = {one.id: one.unit for one in items if one.unit}
        frame.attrs["descriptions"] = {one.id: one.text for one in items}
        return frame

    def __str__(self) -> str:
        """A line for each answer, with who gave it and when."""
        return "\n".join(
            f"round {one.round}, {one.name}, {item}: {said}"
            for one in self.answers
            for item, said in one.items.items()
        )

    def _repr_html_(self) -> str:
        items = [one.id for one in self.instrument.items]
        rows = [
            (one.name, str(one.round), *(str(one.items.get(item) or "") for item in items))
            for one in self.answers
        ]
        words = "; ".join(one.text for one in self.instrument.items)
        return html_table(words, ("agent", "after round", *items), rows)


_WHO = ("round", "replicate", "agent", "name", "cohort")


@dataclass(frozen=True)
class Questions:
    """What is asked, whom, and how.

    instrument: see open_questions and find_instrument. agents: by name or seat; none: all.
    settings: of the models that answer and of limits. model: that speaks for all, also for those
    who follow rules; "": each has its own. defaults: of the project, for limits and rates that
    nobody gives.
    """

    instrument: Instrument
    mode: Mode = "together"
    agents: Sequence[str] = ()
    replicate: int | None = None
    settings: Sequence[Setting] = ()
    model: str = ""
    defaults: DefaultsFile | None = None


def open_questions(texts: Sequence[str]) -> Instrument:
    """Make an instrument of questions that are answered in words; raises ScenarioError."""
    for text in texts:
        if not text.strip():
            raise ScenarioError(
                f"--ask {text!r}: got no words; expected a question, such as --ask 'Why so much?'"
            )
    ids = ["answer"] if len(texts) == 1 else [f"answer_{n}" for n in range(1, len(texts) + 1)]
    items = [
        {"id": id, "text": text, "kind": "open", "limit": 2000}
        for id, text in zip(ids, texts, strict=True)
    ]
    said = {"name": INTERVIEW, "title": "An interview", "items": items}
    return _checked(said, Source("--ask"))


def find_instrument(named: str) -> Instrument:
    """Return an instrument: one that comes with the program, or FILE.yaml; raises InputError."""
    if named.endswith((".yaml", ".yml")):
        file = Path(named)
    elif named in index.instruments():
        file = index.instruments()[named]
    else:
        raise ScenarioError(
            f"there is no instrument {named!r}; {suggest(named, index.instruments())}; or name a "
            f"file, such as {named}.yaml"
        )
    said, positions = read_yaml(file)
    origin = Source(short_path(file), positions)
    if not isinstance(said, dict):
        raise origin.refusal([Issue((), "is empty; begin with title: and items:")])
    return _checked({"name": file.stem, **said}, origin)


def _checked(said: Mapping[str, Any], origin: Source) -> Instrument:
    try:
        instrument = validate(Instrument, said, "key")
    except ValidationIssues as refused:
        raise origin.refusal(refused.faults) from None
    if issues := list(instrument.issues()):
        raise origin.refusal(issues)
    return instrument


def interview_path(run: Path) -> Path:
    """Return the usual path of the interviews with the agents of a run."""
    return run.with_name(f"{run.stem}.interview.jsonl")


def interview(
    file: Path,
    places: Sequence[Place],
    questions: Questions,
    out: Path | None = None,
    *,
    every: int | None = None,
    trust: bool = False,
    files: Path | None = None,
    announce: Callable[[str], None] = lambda line: None,
    awaiting: Callable[[int], None] | None = None,
) -> Interview:
    """Ask agents of a run what they think at the end of some rounds; raises InputError, Paused.

    places: numbers or paths of rounds, 0 for before the first. every: also each so many rounds.
    out: the file of the interview, to which it is added. The others as in society.runs.play.resume.
    """
    with open_trusted(file, trust, files, announce) as run:
        asking = _Asking(run, questions, _rounds(run, places, every))
        path = out or interview_path(file)
        refuse_run_file(path, file)
        past = asking.past()
        store = InterviewFile(path, asking.about(), past)
        minds = asking.pool(store)
        given = [
            one for number in asking.rounds for one in asking.ask(number, store, minds, awaiting)
        ]
        for one in given:
            store.add("answers", {"instrument": questions.instrument.name, **one._asdict()})
        silent = tuple(asking.silent)
        return Interview(questions.instrument, tuple(given), path, store.asked, silent)


def estimate_interview(
    file: Path,
    places: Sequence[Place],
    questions: Questions,
    *,
    every: int | None = None,
    trust: bool = False,
    files: Path | None = None,
    announce: Callable[[str], None] = lambda line: None,
) -> list[Forecast]:
    """Estimate calls, tokens and cost of an interview; nothing is asked and nothing written."""
    with open_trusted(file, trust, files, announce) as run:
        asking = _Asking(run, questions, _rounds(run, places, every))
        minds = asking.counting()
        store = _Unwritten(Path(), asking.about(), asking.past())
        for number in asking.rounds:
            asking.ask(number, store, minds, None)
        return minds.forecasts()


class _Unwritten(InterviewFile):
    """An interview that is written nowhere."""

    def add(self, sort: str, said: Mapping[str, Any]) -> None:
        """Do nothing."""

    def _read(self) -> None:
        """Do nothing."""


def _rounds(run: RunFile, places: Sequence[Place], every: int | None) -> list[int]:
    """Return the numbers of the rounds at whose ends is asked; raises InputError."""
    found = [find_end(run, place) for place in places]
    if every is not None:
        found += range(every, run.rounds + 1, every)
        if every > run.rounds:
            raise InputError(
                f"--every {every}: the run has {run.rounds} rounds; name a smaller one"
            )
    return sorted(set(found))


class _Asking:
    """An interview with the agents of one run."""

    def __init__(self, run: RunFile, questions: Questions, rounds: Sequence[int]) -> None:
        self.run, self.questions, self.rounds = run, questions, rounds
        self._setup = run.manifest.society()
        self._config = self._interview_config()
        self._paths = run.paths()
        cast = self._setup.cast()
        self._speakers = [cohort.name for cohort in cast if self._speaks(cohort)]
        self.silent = [cohort.name for cohort in cast if not self._speaks(cohort)]
        if not self._speakers:
            raise InputError(
                "the agents of this run follow rules and cannot speak; --model M lets a model "
                "speak for them (--model offline costs nothing, and is no language model)"
            )
        self._spoken = _with_casts(self._setup, self._voiced) if questions.model else self._setup
        self._names: dict[int, AgentNames] = {}
        self._pages = [record.page for record in run.records(lines=False)]

    def _interview_config(self) -> RunConfig:
        """Return the configuration of models and limits that hold for the interview alone."""
        spec = self._setup.spec.model_copy(update={"limits": Limits()})
        if self.questions.model:
            spec = spec.model_copy(update={"models": {}})
        spec, defaults = override(spec, self.questions.settings), self.questions.defaults
        return spec if defaults is None else defaults.fill_recorded(spec)

    def _speaks(self, cohort: Cohort) -> bool:
        if self.questions.model:
            return True
        parts = (part for part in cohort.components if part.hears(INTERVIEW, part.answers))
        part = next(parts, None)
        return part is not None and bool(part.models)

    def _voiced(self, cohort: Cohort) -> Cohort:
        return replace(cohort, components=(Interviewee(), *cohort.components))

    def about(self) -> dict[str, Any]:
        """Say which run it is of, however far it has been played."""
        manifest = self.run.manifest
        begins = next(self.run.records(0, lines=False)).chain
        return {"run": self.run.path.name, "seed": manifest.seed, "begins": begins}

    def past(self) -> ParentAnswers:
        """Return what the run has recorded from outside."""
        return ParentAnswers(self.run.path.name, max(self.rounds) + 1, self.run)

    def _models(self) -> set[str]:
        """Return the names of the models that may be asked."""
        if self.questions.model:
            return {"default"}
        parts = [part for cohort in self._setup.cast() for part in cohort.components]
        policies = [part for part in parts if isinstance(part, LanguagePolicy)]
        return {one.questions.get(INTERVIEW) or one.model for one in policies}

    def pool(self, store: InterviewFile) -> ModelPool:
        """Open the models that may be asked; raises InputError."""
        from society.llm.providers.budget import Budget
        from society.llm.providers.pool import ModelPool

        config = self._config
        pool = ModelPool(
            config.models,
            Budget(config.limits, store.before),
            self._setup.models,
            seed=self._setup.seed,
            share=config.share_identical,
        )
        pool.check(self._models())
        return pool

    def counting(self) -> Counting:
        """Make minds that count what would be asked."""
        from society.llm.providers.estimate import Counting

        config = self._config
        return Counting(config.models, seed=self._setup.seed, share=config.share_identical)

    def ask(
        self,
        number: int,
        store: InterviewFile,
        minds: Minds,
        awaiting: Callable[[int], None] | None,
    ) -> list[AgentAnswers]:
        """Ask at the end of one round, and return the answers."""
        store.round = number
        setup, chosen = self._spoken, self.questions
        env = setup.environment()
        seats = self._seats(number, env.cohorts)
        scenario = interviewed(
            setup.scenario,
            chosen.instrument,
            chosen.mode,
            seats,
            after=number,
            paths=self._paths,
        )
        since = list_changes(self.run.manifest, self._setup)
        check = Parent(store.past, [page.digest for page in self._pages[: number + 1]], since)
        heard = _Heard(check, number, chosen.instrument)
        most = self._config.limits.max_fallbacks
        gateway = ModelGateway(lambda: minds, store, awaiting, most)
        asked = _with_words(setup, scenario)
        asked.gamemaster([heard], env=env, outside=gateway).play()
        return [one for given in heard.given for one in self._rows(number, given)]

    def _seats(self, number: int, cohorts: Mapping[str, Array]) -> Array:
        """Return the seats that are asked, (R, N) of bool; raises InputError for unknown agents."""
        manifest, questions = self.run.manifest, self.questions
        seats: Array = np.zeros((manifest.replicates, manifest.agents), bool)
        for name in self._speakers:
            seats = seats | cohorts[name]
        if questions.replicate is not None:
            if questions.replicate >= manifest.replicates:
                last = manifest.replicates - 1
                raise InputError(
                    f"there is no replicate {questions.replicate}; give --replicate a number from "
                    f"0 to {last}"
                )
            seats = seats & (np.arange(manifest.replicates) == questions.replicate)[:, None]
        if questions.agents and "all" not in questions.agents:
            seats = seats & self._wanted(number)
        present = self._pages[number].present
        if not (seats & present).any():
            raise InputError(
                f"nobody of those who shall be asked is there, and can speak, at the end of round "
                f"{number}; name others with --agent, or an earlier round"
            )
        return seats

    def _wanted(self, number: int) -> Array:
        names = self._names_at(number)
        manifest = self.run.manifest
        called = np.array(
            [
                [names.name(replicate, seat) for seat in range(manifest.agents)]
                for replicate in range(manifest.replicates)
            ]
        )
        wanted = np.zeros(called.shape, bool)
        for one in self.questions.agents:
            here = (called == one) | (np.arange(manifest.agents).astype(str) == one)
            if not here.any():
                known = dict.fromkeys(called.reshape(-1).tolist())
                raise InputError(f"--agent: there is no agent {one!r}; {suggest(one, known)}")
            wanted |= here
        return wanted

    def _names_at(self, number: int) -> AgentNames:
        if number not in self._names:
            names = AgentNames.of_run(self.run)
            for page in self.run.pages() if names.of_lives else ():
                if page.number > number:
                    break
                names.meet(page)
            self._names[number] = names
        return self._names[number]

    def _rows(self, number: int, given: GivenAnswers) -> Iterator[AgentAnswers]:
        names, scores = self._names_at(number), given.scores
        for replicate, seat in np.argwhere(given.asked).tolist():
            yield AgentAnswers(
                number,
                self._paths[number],
                replicate,
                seat,
                names.name(replicate, seat),
                names.cohort(replicate, seat),
                {name: _plain(values[replicate, seat]) for name, values in given.answers.items()},
                {name: _plain(values[replicate, seat]) for name, values in scores.items()},
            )


class _Heard:
    """A recorder that checks the past, and keeps the answers to an interview."""

    def __init__(self, check: Parent, after: int, instrument: Instrument) -> None:
        self._check, self._after, self._instrument = check, after, instrument
        self.given: list[GivenAnswers] = []

    def page(self, page: Page) -> None:
        if page.number <= self._after:
            self._check.check(page)
        own = tuple(step for step in page.asides if step.kind == INTERVIEW)
        instruments = {self._instrument.name: self._instrument}
        self.given += read_answers(page._replace(asides=own), instruments)


def _with_casts(setup: Society, change: Callable[[Cohort], Cohort]) -> Society:
    """Return a society in which each cohort is changed, now and in the past."""

    def changed(one: Society) -> Society:
        make = one.scenario.cast

        def cast(params: Any, agents: int) -> Cast:
            return [change(cohort) for cohort in make(params, agents)]

        return replace(one, scenario=replace(one.scenario, cast=cast))

    past = tuple(
        PastStage(
            changed(stage.society),
            stage.change._replace(cast=[change(cohort) for cohort in stage.change.cast]),
        )
        for stage in setup.past
    )
    return replace(changed(setup), past=past)


def _with_words(setup: Society, scenario: Scenario) -> Society:
    """Return a society that plays a scenario around its own, whose words all its stages know."""
    stages = [
        replace(
            one,
            scenario=replace(one.scenario, layers=scenario.layers, facts=scenario.facts),
        )
        for one in (*(stage.society for stage in setup.past), setup)
    ]
    past = tuple(
        PastStage(before, stage.change._replace(words=stage.change.words and after.words))
        for before, after, stage in zip(stages, stages[1:], setup.past, strict=False)
    )
    return replace(setup, scenario=scenario, past=past)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; None for NaN."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if value is None or value != value else value
