"""Play a society from Python, in a script or in a notebook.

    import society

    result = society.run("fishing_village", seed=1, replicates=20, parameters={"growth": 0.2})
    result.measures["survival"].mean
    result.rounds                       # a tidy pandas frame, with units in its attrs

Whatever a scenario file can name may be given as an object: scenarios, components, mechanisms and
graph functions that are defined in a notebook cell need no file.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from weakref import finalize

from .analysis.histories import Explanation, RunComparison, explain
from .analysis.histories import compare as compare_runs
from .analysis.study import open_run, open_sweep
from .config.build import Society, build
from .config.defaults import find_defaults
from .config.run_config import Setting, load_config, override, read_settings
from .config.wiring_issues import announce_wiring
from .config.yaml_source import Source
from .conformance.file_checks import check_file, check_object
from .conformance.society_checks import CheckResult
from .engine.component import Component
from .engine.parameters import ValidationIssues, validate
from .engine.scenario import Estimate, MechanismSpec, Scenario, estimate_measure
from .errors import FileError, InputError, PartError, ScenarioError
from .llm.providers.named_servers import addresses_in, naming_servers
from .notebook_pages import HtmlPage, html_table
from .runs.conclusions import run_post_analysis
from .runs.fork import Changes
from .runs.fork import fork as fork_run
from .runs.interview import Interview, Questions, find_instrument, open_questions
from .runs.interview import interview as interview_run
from .runs.manifest import Level
from .runs.play import play
from .runs.runfile import open_run_file as read_run

if TYPE_CHECKING:
    from .analysis.study import Study
    from .experiments.experiment import Experiment
    from .llm.providers.settings import Limits
    from .runs.fork import Place
    from .scenarios.mechanisms.questionnaire.questionnaire import Mode

_SHOWN = 6  # measures in the short form of a result


@dataclass(frozen=True, eq=False)
class Result:
    """A society that was played to its end.

    measures: by name, mean and standard error over replicates, with its unit. ends: how many
    replicates each cause ended; "" counts those that reached the last round. path: the run file.
    The frames `runs`, `rounds`, `agents`, `events`, `quotes`, `questionnaires` and `calls` are
    those of `society.open_run`; they need the extra `lab`.
    seed: of its chance. replicates: R; played: rounds.
    """

    scenario: str
    seed: int
    replicates: int
    played: int
    digest: str
    measures: Mapping[str, Estimate]
    ends: Mapping[str, int]
    path: Path

    @cached_property
    def study(self) -> Study:
        """The run as a study of one condition, as `society.open_run` gives it."""
        return open_run(self.path)

    @property
    def runs(self) -> Any:
        """One row for each replicate, with its measures."""
        return self.study.runs

    @property
    def rounds(self) -> Any:
        """One row for each round of each replicate."""
        return self.study.rounds

    @property
    def agents(self) -> Any:
        """One row for each agent in each round."""
        return self.study.agents

    @property
    def events(self) -> Any:
        """One row for each thing that happened to an agent."""
        return self.study.events

    @property
    def quotes(self) -> Any:
        """One row for each text that an agent said or held."""
        return self.study.quotes

    @property
    def questionnaires(self) -> Any:
        """One row for each agent on each occasion on which it was given a questionnaire."""
        return self.study.questionnaires

    @property
    def calls(self) -> Any:
        """One row for each call to a language model."""
        return self.study.calls

    def theatre(self, out: str | Path | None = None) -> HtmlPage:
        """Write all rounds as one page, to be looked through in a notebook or a browser.

        out: its file; None: beside the run file. Raises FileError where it cannot be written.
        """
        from .theatre.export.to_file import ExportOptions, export_replay

        path = self.path.with_suffix(".html") if out is None else _out(out)
        with read_run(self.path) as played:
            export_replay(
                played, "html", path, ExportOptions(overwrite=out is None), lambda *_: None
            )
        return HtmlPage.read(path)

    def _repr_html_(self) -> str:
        caption, known = repr(self).partition("\n")[0], self.measures.items()
        rows = [
            (name, f"{one.mean:.4g}", "" if one.se is None else f"{one.se:.2g}", one.unit)
            for name, one in known
            if one.mean is not None
        ]
        return html_table(caption, ("measure", "mean", "standard error", "unit"), rows)

    def __repr__(self) -> str:
        several = "" if self.replicates == 1 else f" x {self.replicates} replicates"
        lines = [f"{self.scenario}, seed {self.seed}: {self.played} rounds{several}"]
        known = [(name, one) for name, one in self.measures.items() if one.mean is not None]
        lines += [f"  {name:24} {_in_words(one)}" for name, one in known[:_SHOWN]]
        if len(known) > _SHOWN:
            lines.append(f"  and {len(known) - _SHOWN} more in .measures")
        return "\n".join(lines)


def check(reference: object) -> list[CheckResult]:
    """Check a file, a name, or a scenario, component or mechanism that is an object.

    A file is a scenario, a .py file, an experiment, an instrument, or a folder of prompts. Returns
    what `society check` prints: a result for each check, with its subject, its outcome ("ok",
    "warning" or "error") and the words about it. Raises InputError for what is none of these.
    """
    if isinstance(reference, str | Path):
        return [*check_file(str(reference))]
    return [*check_object(reference)]


def run(
    scenario: str | Path | Scenario | Mapping[str, Any],
    *,
    seed: int | None = None,
    rounds: int | None = None,
    replicates: int | None = None,
    agents: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    cohorts: Sequence[Mapping[str, Any]] | None = None,
    mechanisms: Sequence[Any] | None = None,
    graph: Any = None,
    model: str | Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    prompts: str | Path | None = None,
    uses: Sequence[Any] = (),
    out: str | Path | None = None,
    overwrite: bool = False,
    level: Level | None = None,
) -> Result:
    """Play a society to its end.

    scenario: a name, a file, a Scenario object, or what a scenario file says, as a mapping. The
    others are keys of a scenario file and override it: seed of all chance, rounds at most,
    replicates R, agents N. Wherever such a file names a component, mechanism or graph function, the
    object itself may stand. uses: further objects or files that names refer to. model: of the
    default language mind, as `--model` takes it. out: the run file; without it the run is kept in a
    temporary one for as long as the result is held. level: "full" or "summary", as `--record`.

    Warns, as WiringWarning, of parts that are probably not wired as they were meant.
    It also works inside a running event loop, which it blocks. Raises InputError for what cannot be
    played, and whatever ended the run before its end. With `out`, the rounds up to then are kept,
    and `society resume` goes on. A scenario, component, mechanism or graph function that was given
    as an object is not in the run file: such a run can be shown, but not resumed or verified.
    """
    given = {
        "seed": seed,
        "rounds": rounds,
        "replicates": replicates,
        "agents": agents,
        "parameters": parameters,
        "cohorts": cohorts,
        "mechanisms": mechanisms,
        "graph": graph,
        "models": None if model is None else {"default": model},
        "limits": limits,
        "prompts": prompts,
        "uses": [one for one in uses if isinstance(one, (str, Path))] or None,
    }
    objects = [one for one in uses if not isinstance(one, (str, Path))]
    base, written = _split_scenario(scenario)
    if given["uses"]:
        given["uses"] = [*written.get("uses", ()), *given["uses"]]
    if isinstance(base, Scenario):
        objects.append(base)
    own = {key: value for key, value in given.items() if value is not None}
    settings = [one for said in (written, own) for one in read_settings(_named(said, objects))]
    setup = build(find_defaults().fill(override(load_config(base), settings), objects), objects)
    announce_wiring(setup.wiring)
    with naming_servers([*addresses_in(written), *addresses_in(own)]):
        if out is None:
            name = setup.scenario.name
            return _keep_temporarily(name, lambda path: _play(setup, path, level))
        return _play(setup, _out(out), level, overwrite=overwrite)


def fork(
    file: str | Path | Result,
    at: Place,
    *,
    set: Mapping[str, Any] | None = None,
    cohorts: Sequence[Mapping[str, Any]] = (),
    norm: str | None = None,
    remove: int | str | Sequence[int | str] = (),
    model: str | Mapping[str, Any] | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    fresh: bool = False,
    trust: bool = False,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> Result:
    """Rewind a recorded society to the end of a round, change it, and play it to its end.

    file: a run file, or a result. at: the number of the last round that is kept, 0 for none, or its
    path, such as (3, 1, 5). set: parameters by name, of those that may change while it lives.
    cohorts: entries of a scenario file, with other components or parameters for cohorts of these
    names. norm: in force from then on. remove: agents, by seat or by name. model: of the default
    language mind. rounds: how many there are at most, those that were kept included. seed: of
    another chance from then on. fresh: ask models all later questions anew. trust: execute the
    Python files that the run names. out, overwrite: as `run` takes them.

    Without any change, the digest is that of the run. Raises InputError for what cannot be changed
    or played again, and whatever ended the run before its end.
    """
    given = {"rounds": rounds, "models": None if model is None else {"default": model}}
    own = {key: value for key, value in given.items() if value is not None}
    settings = [Setting(name, value, f"set {name}") for name, value in (set or {}).items()]
    agents = [remove] if isinstance(remove, int | str) else remove
    changes = Changes(
        settings=[*settings, *read_settings(own)],
        cohorts=cohorts,
        norm=norm,
        remove=[str(agent) for agent in agents],
        seed=seed,
    )
    with naming_servers(addresses_in({**own, **(set or {})})):
        if out is not None:
            return _fork(_path(file), at, changes, _out(out), fresh, trust, overwrite)
        return _keep_temporarily(
            _path(file).stem,
            lambda path: _fork(_path(file), at, changes, path, fresh, trust, overwrite),
        )


def interview(
    file: str | Path | Result,
    at: Place | Sequence[Place] = (),
    *,
    ask: str | Sequence[str] = (),
    questionnaire: str | Path | None = None,
    mode: Mode | None = None,
    every: int | None = None,
    agents: int | str | Sequence[int | str] = (),
    replicate: int | None = None,
    model: str | Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    trust: bool = False,
    out: str | Path | None = None,
) -> Interview:
    """Ask the agents of a recorded society, as they were at the end of rounds.

    at: numbers of rounds, 0 for before the first, or one path such as (3, 1, 5); every: also after
    each so many rounds. ask: questions that are answered in words. questionnaire: an instrument, by
    name or file; either of the two. mode, agents, replicate: as `society interview` takes them.
    model: that speaks for all; None: each agent has its own. limits: of this interview. trust:
    execute the Python files that the run names. out: the file to which exchanges are added;
    by default NAME.interview.jsonl beside the run.

    The answers are in `answers`, a row for each agent and round. Raises InputError for what cannot
    be asked, and Paused where a limit is reached; what was answered by then is kept.
    """
    texts = [ask] if isinstance(ask, str) else list(ask)
    if bool(texts) == (questionnaire is not None):
        raise InputError("give an interview either ask=[...], its questions, or questionnaire=NAME")
    places = _places(at)
    if not places and every is None:
        raise InputError("say when to ask: at=ROUND, at=[ROUND, ...], or every=N")
    given = {"models": None if model is None else {"default": model}, "limits": limits}
    own = {key: value for key, value in given.items() if value is not None}
    some = [agents] if isinstance(agents, int | str) else agents
    questions = Questions(
        open_questions(texts) if texts else find_instrument(str(questionnaire)),
        mode or ("interview" if texts else "together"),
        [str(agent) for agent in some],
        replicate,
        read_settings(own),
        "" if model is None else str(model if isinstance(model, str) else model["model"]),
    )
    path = None if out is None else _out(out)
    with naming_servers(addresses_in(own)):
        return interview_run(_path(file), places, questions, path, every=every, trust=trust)


def sweep(
    experiment: str | Path,
    *,
    model: str | Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    workers: int = 1,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> Study:
    """Play an experiment, or what is left of it, and open it as a study.

    experiment: a file, or the name of one that comes with the program. model: of language agents,
    in all conditions. limits: of all runs together. workers: processes for conditions of rules.
    out: the folder; None: sweeps/NAME. overwrite: replace runs whose settings differ.

    Counts finished conditions on stderr. Raises InputError for what cannot be played, and
    PartError if a condition failed or was paused; what was played is kept.
    """
    from .experiments.experiment import read_experiment
    from .experiments.folder import earlier_limits
    from .llm.providers.settings import Limits

    _refuse_workers(workers)
    said = _limits(limits)
    defaults = find_defaults()
    given = {} if model is None else {"models": {"default": model}}
    with naming_servers(addresses_in(given)):
        read = read_experiment(Path(experiment), read_settings(given), defaults=defaults)
        folder = defaults.folder("sweeps") / read.name if out is None else _out(out)
        stated = {} if read.limits is None else read.limits.model_dump(exclude_unset=True)
        said = earlier_limits(folder, overwrite=overwrite) | said
        total = Limits(**{**defaults.limits(), **stated, **said})
        _beside_loop(partial(_sweep, read, folder, total, said, workers, overwrite=overwrite))
    return open_sweep(folder)


def _refuse_workers(given: object) -> None:
    """Raise InputError for what is no number of processes."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise InputError(f"workers: got {given!r}; expected a whole number of at least 1")


def _limits(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the limits of all runs together that an argument gives; raises ScenarioError."""
    from .llm.providers.settings import Limits

    if given is not None and not isinstance(given, Mapping):
        raise ScenarioError(f"limits: got {given!r}; expected a mapping such as {{'max_calls': 9}}")
    try:
        return validate(Limits, given or {}, "key").model_dump(exclude_unset=True)
    except ValidationIssues as refused:
        raise Source("limits").refusal(refused.faults) from None


def _sweep(
    read: Experiment,
    folder: Path,
    limits: Limits,
    said: Mapping[str, Any],
    workers: int,
    *,
    overwrite: bool,
) -> None:
    """Play an experiment into a folder; raises PartError for conditions that are not finished.

    said: the limits of all sessions that no file states, which the folder keeps.
    """
    from .experiments.clusters import local_processes
    from .experiments.progress import CountedProgress
    from .experiments.sweep import Sweep, play_experiment

    watching = CountedProgress(len(read.conditions))
    with local_processes(workers) as cluster:
        session = Sweep(cluster, watching, read.record, limits if limits.model_fields_set else None)
        play_experiment(read, folder, session, overwrite=overwrite, said=said)
    unfinished = [
        f"{name}: {done.words}"
        for name, done in session.results.items()
        if done.status != "finished"
    ]
    if unfinished:
        raise PartError("\n".join([*unfinished, "what was played is kept; repeat the call"]))


def _beside_loop(job: Callable[[], None]) -> None:
    """Do a job that has an event loop of its own, also where one is running, as in a notebook."""
    with ThreadPoolExecutor(1) as beside:
        beside.submit(copy_context().run, job).result()


def make_report(
    played: Study | Result | str | Path, out: str | Path = "report", *, pdf: bool = False
) -> HtmlPage:
    """Write the page that `society report` writes, with figures, tests and tables.

    played: a study, a result, a run file or the folder of a sweep. out: the folder of the page.
    pdf: also each figure for print. A notebook shows the page. Raises FileError, InputError.
    """
    from .analysis.study import Study, open_study
    from .report import write_report

    study = played if isinstance(played, Study) else open_study([_path(played)])
    return HtmlPage.read(write_report(study, _out(out), pdf=pdf))


def compare(first: str | Path | Result, second: str | Path | Result) -> RunComparison:
    """Show where two runs part, and how far apart their measures are; see `society compare`."""
    with read_run(_path(first)) as one, read_run(_path(second)) as other:
        return compare_runs(one, other)


def why(
    file: str | Path | Result, replicate: int = 0, scenario: Scenario | None = None
) -> Explanation:
    """Tell why a replicate ended as it did, from its record; see `society why`.

    scenario: of the run, if it is your own. Each of the `statements` has words and numbers.
    """
    with read_run(_path(file)) as run:
        return explain(run, replicate, scenario)


def _path(run: str | Path | Result) -> Path:
    """Return the file of a run; raises InputError for what is none."""
    if isinstance(run, Result):
        return run.path
    if isinstance(run, str | Path):
        return Path(run)
    raise InputError(f"got {run!r:.60}; expected a run file, as str or Path, or a result")


def _out(given: object) -> Path:
    """Return a path that is to be written; raises InputError, FileError for what can be none."""
    if not isinstance(given, str | Path):
        raise InputError(f"out: got {given!r:.60}; expected a path, as str or Path")
    path = Path(given)
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # too long a name; a sign that no name may have
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {str(path)!r:.60}: {reason}; name another file") from None
    return path


def _places(at: Place | Sequence[Place]) -> list[Place]:
    """List the rounds that are meant; a tuple of numbers is one path."""
    if isinstance(at, int):
        return [at]
    numbers = tuple(one for one in at if isinstance(one, int))
    if isinstance(at, tuple) and at and len(numbers) == len(at):
        return [numbers]
    return list(at)


def _fork(
    file: Path,
    at: int | tuple[int, ...],
    changes: Changes,
    out: Path,
    fresh: bool,
    trust: bool,
    overwrite: bool,
) -> Result:
    """Fork a run into another file; raises whatever ended it early."""
    end = fork_run(file, at, changes, out, fresh=fresh, trust=trust, overwrite=overwrite)
    if end.error is not None:
        raise end.error
    return _result(out)


def _split_scenario(scenario: Any) -> tuple[str | Scenario, Mapping[str, Any]]:
    """Return what is to be played, and the keys beside it; raises ScenarioError."""
    if isinstance(scenario, Mapping):
        if "scenario" not in scenario:
            raise ScenarioError("the mapping names no scenario; begin with {'scenario': NAME, ...}")
        written = {key: value for key, value in scenario.items() if key != "scenario"}
        scenario = scenario["scenario"]
    elif isinstance(scenario, (str, Path, Scenario)):
        written = {}
    else:
        raise ScenarioError(
            f"got {scenario!r:.60}, a {type(scenario).__name__}; expected a scenario: its name, a "
            "file, what @scenario(...) gives, or a mapping with the keys of a scenario file"
        )
    return scenario if isinstance(scenario, Scenario) else str(scenario), written


def _keep_temporarily(name: str, make: Callable[[Path], Result]) -> Result:
    """Make a temporary run file, which is kept for as long as the result is held."""
    folder = Path(mkdtemp(prefix="society-"))
    try:
        result = make(folder / f"{name}.run")
    except BaseException:  # an interrupt, too, must not leave the folder behind
        rmtree(folder, ignore_errors=True)
        raise
    finalize(result, rmtree, folder, ignore_errors=True)
    return result


def _play(setup: Society, path: Path, level: Level | None, *, overwrite: bool = False) -> Result:
    """Play a society into a run file; raises whatever ended it early."""
    end = play(setup, path, level, overwrite=overwrite)
    if end.error is not None:
        raise end.error
    return _result(path, setup)


def _result(path: Path, setup: Society | None = None) -> Result:
    """Read the result of a run that is over; setup: of the run, where it is at hand."""
    with read_run(path) as played:
        outcome, found = played.outcome(), run_post_analysis(played, setup).findings
        manifest = played.manifest
    return Result(
        manifest.scenario,
        manifest.seed,
        manifest.replicates,
        outcome.rounds,
        outcome.digest,
        {**outcome.measures, **{one.name: estimate_measure(one.values, one.unit) for one in found}},
        outcome.ends,
        path,
    )


def _named(value: Any, objects: list[object]) -> Any:
    """Replace components, mechanisms and functions by their names, and add them to `objects`."""
    if isinstance(value, Mapping):
        pairs = {_named(key, objects): _named(one, objects) for key, one in value.items()}
        graph = pairs.get("function")  # {"function": f} is the graph that f alone is, too
        return {**pairs, **graph} if isinstance(graph, Mapping) else pairs
    if isinstance(value, (list, tuple)):
        return [_named(one, objects) for one in value]
    if isinstance(value, Component):
        return {_named(type(value), objects): _fields(value)}
    if isinstance(value, type) and issubclass(value, Component):
        objects.append(value)
        return value.title()
    if isinstance(value, MechanismSpec):
        objects.append(value)
        return value.name
    if inspect.isfunction(value):
        objects.append(value)
        return {"kind": "function", "function": value.__name__}
    return str(value) if isinstance(value, Path) else value


def _fields(part: Component) -> dict[str, Any]:
    """The parameters of a component that is given as an object; raises ScenarioError."""
    if dataclasses.is_dataclass(part):
        return {one.name: getattr(part, one.name) for one in dataclasses.fields(part) if one.init}
    if type(part).__init__ is not object.__init__:
        name = type(part).__name__
        raise ScenarioError(
            f"{name} is made by an __init__ of its own, so the run file could not keep its "
            f"parameters; put @dataclass(frozen=True) above class {name}"
        )
    return {}


def _in_words(one: Estimate) -> str:
    spread = "" if one.se is None else f" ± {one.se:.2g}"
    return f"{one.mean:.4g}{spread} {one.unit}"
