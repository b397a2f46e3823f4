"""Single runs from Python: check, run, fork, ask, compare and explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from weakref import finalize

from society.analysis.histories import Explanation, RunComparison, explain
from society.analysis.histories import compare as compare_runs
from society.config.build import Society, build
from society.config.defaults import find_defaults
from society.config.run_config import RunConfig, Setting, load_config, override, read_settings
from society.config.wiring_issues import announce_wiring
from society.conformance.file_checks import check_file, check_object
from society.conformance.society_checks import CheckResult
from society.engine.scenario import Scenario
from society.errors import InputError
from society.llm.providers.named_servers import addresses_in, naming_servers
from society.runs.fork import Changes
from society.runs.fork import fork as fork_run
from society.runs.interview import Interview, Questions, find_instrument, open_questions
from society.runs.interview import interview as interview_run
from society.runs.manifest import Level
from society.runs.play import play
from society.runs.play import resume as resume_run
from society.runs.prompt_preview import first_prompts
from society.runs.runfile import open_run_file as read_run
from society.runs.verify import Verdict
from society.runs.verify import verify as verify_run

from .given import (
    RunSource,
    listed,
    name_objects,
    output_path,
    read_limits,
    read_mapping,
    read_number,
    read_place,
    read_places,
    read_text,
    run_path,
    split_scenario,
)
from .progress import watch_in_notebook
from .python_words import speaking_python
from .results import Result, read_result

if TYPE_CHECKING:
    from society.runs.fork import Place
    from society.scenarios.mechanisms.questionnaire.questionnaire import Mode


@speaking_python()
def check(reference: object) -> list[CheckResult]:
    """Check a file, a name, or a scenario, component or mechanism that is an object.

    A file is a scenario, a .py file, an experiment, an instrument, or a folder of prompts. Returns
    what `society check` prints: a result for each check, with its subject, its outcome ("ok",
    "warning" or "error") and the words about it. Raises InputError for what is none of these.
    """
    if isinstance(reference, str | Path):
        return [*check_file(str(reference))]
    return [*check_object(reference)]


@speaking_python()
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
    if callable(model):
        raise InputError(
            f"model: got {getattr(model, '__name__', model)!r}, a function; expected words that "
            "say where it stands, such as model='FILE.py:FUNCTION'"
        )
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
    own = {key: value for key, value in given.items() if value is not None}
    written = split_scenario(scenario)[1]
    setup = _society(scenario, own, objects)
    announce_wiring(setup.wiring)
    with naming_servers([*addresses_in(written), *addresses_in(own)]):
        if out is None:
            name = setup.scenario.name
            return _keep_temporarily(name, lambda path: _play(setup, path, level))
        return _play(setup, output_path(out), level, overwrite=overwrite)


@speaking_python(set="set")
def fork(
    file: RunSource,
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
    place, changed = read_place(at), read_mapping("set", set or {}, "{'fine': 5}")
    given = {"rounds": rounds, "models": None if model is None else {"default": model}}
    own = {key: value for key, value in given.items() if value is not None}
    settings = [Setting(name, value, f"set {name}") for name, value in changed.items()]
    agents = listed("remove", remove, int, str)
    changes = Changes(
        settings=[*settings, *read_settings(own)],
        cohorts=listed("cohorts", cohorts, dict),
        norm=None if norm is None else read_text("norm", norm, "a norm"),
        remove=[str(agent) for agent in agents],
        seed=None if seed is None else read_number("seed", seed, None),
        defaults=find_defaults(),
    )
    with naming_servers(addresses_in({**own, **changed})):
        if out is not None:
            return _fork(run_path(file), place, changes, output_path(out), fresh, trust, overwrite)
        return _keep_temporarily(
            run_path(file).stem,
            lambda path: _fork(run_path(file), place, changes, path, fresh, trust, overwrite),
        )


@speaking_python()
def resume(
    file: RunSource,
    *,
    model: str | Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    trust: bool = False,
) -> Result:
    """Play an interrupted or paused run on to its end, as `society resume` does.

    model: of the default language mind, in place of that of the file. limits: for all sessions of
    the run; None lifts one. trust: execute the Python files that the run names. Raises InputError
    for what cannot be played on, and whatever ended the run before its end.
    """
    path = run_path(file)
    read_limits(limits)
    if not isinstance(model, Mapping | None):
        _model_name(model)
    settings = [
        *read_settings({} if model is None else {"models": {"default": model}}),
        *(Setting(("limits", name), value, "limits") for name, value in (limits or {}).items()),
    ]
    defaults = find_defaults()

    def changed(spec: RunConfig) -> RunConfig:
        return defaults.fill_recorded(override(spec, settings))

    with naming_servers(addresses_in({} if model is None else {"models": {"default": model}})):
        end = resume_run(path, changed, watch_in_notebook, trust=trust)
    if end.error is not None:
        raise end.error
    return read_result(path)


@speaking_python()
def verify(file: RunSource, *, trust: bool = False) -> Verdict:
    """Check that a run file is whole and gives the same when it is played again.

    trust: execute the Python files that the run names. The answer has `ok` and all `checks`, as
    `society verify` prints them. Raises RunFileError for what cannot even be opened.
    """
    return verify_run(run_path(file), trust=trust)


@speaking_python()
def preview_prompts(
    scenario: str | Path | Scenario | Mapping[str, Any],
    question: str | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    pack: str | Path | None = None,
) -> dict[str, str]:
    """Return the prompts of a scenario by question, without a model, as `society prompts` does.

    question: one of them alone. parameters: of the scenario. pack: a folder of prompts that
    override others. Raises InputError for a question that is not asked in words.
    """
    given = {"parameters": parameters, "prompts": None if pack is None else str(pack)}
    setup = _society(scenario, {key: one for key, one in given.items() if one is not None}, [])
    asked = None if question is None else read_text("question", question, "the name of one")
    return first_prompts(setup, asked)


@speaking_python()
def interview(
    file: RunSource,
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
    texts = listed("ask", ask, str)
    if bool(texts) == (questionnaire is not None):
        raise InputError("give an interview either ask=[...], its questions, or questionnaire=NAME")
    places = read_places(at)
    if not places and every is None:
        raise InputError("say when to ask: at=ROUND, at=[ROUND, ...], or every=N")
    given = {"models": None if model is None else {"default": model}, "limits": limits}
    own = {key: value for key, value in given.items() if value is not None}
    some = listed("agents", agents, int, str)
    questions = Questions(
        open_questions(texts) if texts else find_instrument(str(questionnaire)),
        mode or ("interview" if texts else "together"),
        [str(agent) for agent in some],
        None if replicate is None else read_number("replicate", replicate),
        read_settings(own),
        "" if model is None else _model_name(model),
        find_defaults(),
    )
    path = None if out is None else output_path(out)
    step = None if every is None else read_number("every", every, 1)
    with naming_servers(addresses_in(own)):
        return interview_run(run_path(file), places, questions, path, every=step, trust=trust)


@speaking_python()
def compare(first: RunSource, second: RunSource) -> RunComparison:
    """Show where two runs part, and how far apart their measures are; see `society compare`."""
    with read_run(run_path(first)) as one, read_run(run_path(second)) as other:
        return compare_runs(one, other)


@speaking_python()
def why(file: RunSource, replicate: int = 0, scenario: Scenario | None = None) -> Explanation:
    """Tell why a replicate ended as it did, from its record; see `society why`.

    scenario: of the run, if it is your own. Each of the `statements` has words and numbers.
    """
    number = read_number("replicate", replicate)
    with read_run(run_path(file)) as run:
        return explain(run, number, scenario)


def _society(
    scenario: str | Path | Scenario | Mapping[str, Any],
    own: Mapping[str, Any],
    objects: list[object],
) -> Society:
    """Build a society of what a scenario file says, and keys that override it; raises InputError.

    objects: that names may stand for; those among the values are added.
    """
    base, written = split_scenario(scenario)
    if "uses" in own:
        own = {**own, "uses": [*written.get("uses", ()), *own["uses"]]}
    if isinstance(base, Scenario):
        objects.append(base)
    settings = [
        one for said in (written, own) for one in read_settings(name_objects(said, objects))
    ]
    spec = override(load_config(base), settings)
    return build(find_defaults().fill(spec, objects), objects)


def _model_name(model: object) -> str:
    """Return the name of a model that speaks for all; raises InputError for what has none."""
    name = model.get("model") if isinstance(model, Mapping) else model
    if not isinstance(name, str):
        raise InputError(
            f"model: got {model!r:.60}; expected the name of a model, or a mapping in which the "
            "key 'model' has it"
        )
    return name


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
    end = fork_run(
        file,
        at,
        changes,
        out,
        watch=watch_in_notebook,
        fresh=fresh,
        trust=trust,
        overwrite=overwrite,
    )
    if end.error is not None:
        raise end.error
    return read_result(out)


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
    end = play(setup, path, level, overwrite=overwrite, watch=watch_in_notebook)
    if end.error is not None:
        raise end.error
    return read_result(path, setup)
