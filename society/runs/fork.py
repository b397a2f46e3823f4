"""Forks: a recorded society is rewound to the end of a round, changed, and lives on.

Nothing but answers from outside is kept of a society's state. So its past is played again, rules
anew and models from the record, and compared with the record round by round; then the changes take
effect (society.engine.intervention), and it goes live, in a run file of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from society.config.birth_parameters import birth_parameters
from society.config.build import Society
from society.config.defaults import DefaultsFile
from society.config.hook_checks import is_foreign
from society.config.run_config import (
    CohortConfig,
    RunConfig,
    Setting,
    override,
    setting_place,
)
from society.config.yaml_source import Source, read_yaml
from society.engine.calls import Spent
from society.engine.game_master import Outcome
from society.engine.gateway import ModelGateway
from society.engine.parameters import Issue, ValidationIssues, validate
from society.errors import InputError, ScenarioError, WiringWarning, short_path, suggest
from society.user_code import guard_user_code

from .agent_names import AgentNames
from .call_store import RecordedCalls
from .fork_note import ForkNote
from .manifest import Level, Manifest, manifest_of
from .parent_answers import ParentAnswers
from .play import Watch, play_session
from .provenance import list_changes
from .reader import RunFile, open_run_file
from .session import End, Session
from .trust import RecordedCode, trust_files
from .writer import Parent, Writer

Place = int | tuple[int, ...]  # the number of a round, or its path
_FREE = ("limits", "share_identical", "batch")  # change how it is asked, not what is lived
_CHANGED_BY = ("parameters", "models", "uses", "rounds")


@dataclass(frozen=True)
class Changes:
    """What a fork changes; all at once, at the end of its round.

    settings: of parameters, models and limits, and of cohorts by name (cohorts.miser.parameters.x).
    file: a scenario file of which uses, parameters, models and cohorts count. cohorts: more entries
    like those of the file. norm: in words. remove: agents, by seat or by name. seed: of the chance
    that goes on from there. defaults: of the project, for limits and rates that nobody gives.
    """

    settings: Sequence[Setting] = ()
    file: Path | None = None
    cohorts: Sequence[Mapping[str, Any]] = ()
    norm: str | None = None
    remove: Sequence[str] = ()
    seed: int | None = None
    defaults: DefaultsFile | None = None


@dataclass(frozen=True)
class Planned:
    """A fork that was checked: the society with its past, its last note, and its parent.

    changed_models: names of models that are others from then on. same: whether nothing is changed.
    """

    setup: Society
    notes: tuple[ForkNote, ...]
    before: Society
    changed_models: frozenset[str]
    same: bool

    @property
    def note(self) -> ForkNote:
        """The note of the last fork, which is the one that is planned."""
        return self.notes[-1]


def find_end(run: RunFile, place: Place) -> int:
    """Return the number of the round that ends a place; raises InputError if there is none.

    A path that holds other rounds ends with the last of these.
    """
    paths = run.paths()
    if not paths:
        raise InputError(
            f"{short_path(run.path)} has no rounds yet; there is nothing to go back to"
        )
    last = len(paths) - 1
    if isinstance(place, int):
        if 0 <= place <= last:
            return place
        raise InputError(f"there is no round {place}; the record goes from round 0 to {last}")
    found = [number for number, path in enumerate(paths) if path[: len(place)] == place]
    if not found:
        said, end = (".".join(map(str, one)) for one in (place, paths[-1]))
        raise InputError(f"there is no round {said}; the record goes to {end or 'round 0'}")
    return found[-1]


def plan_fork(run: RunFile, at: Place, changes: Changes) -> Planned:
    """Check a fork and build its society; raises InputError before anything is written.

    The gate for the code that the run file names has to stand by then.
    """
    manifest = run.manifest
    after = find_end(run, at)
    before = manifest.society()
    settings, entries = _settings(changes, before)
    config = override(manifest.config, settings)
    if changes.defaults is not None:
        config = changes.defaults.fill_recorded(config)
    _refuse_other_keys(manifest.config, config)
    _refuse_fixed(before, config.parameters)  # before a society of other agents is built
    names = _seats(run, after, changes.remove)
    digest, path = _state_at(run, after)
    note = ForkNote(
        parent=run.path.name,
        digest=digest,
        after=after,
        path=path,
        spec=manifest.config.model_dump(mode="json"),
        cohorts=tuple(entry.model_dump(mode="json", exclude_unset=True) for entry in entries),
        norm=changes.norm,
        removed=tuple(names),
        seed=changes.seed,
    )
    _refuse_undeclared(before, changes)
    setup = manifest.with_past(config, (*manifest.forks, note))
    changed_models = _changed_models(before, setup)
    _refuse_unlike(before, setup, after)
    _refuse_over(run, before, setup, after)
    _check_birth_parameters(run, before, setup)
    words = (*_describe(before, setup, entries, changed_models), *_taken_out(names, changes))
    _refuse_before_last_change(run, after, words)
    note = note.model_copy(update={"changes": words})
    notes = (*manifest.forks, note)
    return Planned(setup, notes, before, changed_models, not words)


def fork(
    file: Path,
    at: Place,
    changes: Changes,
    out: Path,
    *,
    fresh: bool = False,
    trust: bool = False,
    files: Path | None = None,
    overwrite: bool = False,
    watch: Watch | None = None,
    awaiting: Callable[[int], None] | None = None,
    conclude: bool = True,
    announce: Callable[[str], None] = lambda line: None,
) -> End:
    """Fork the run in a file into another file, and play it to its end; raises InputError.

    fresh: ask all questions after the fork anew, also those that are the same. The others as in
    society.runs.play.
    """
    with open_trusted(file, trust, files, announce, _named_code(changes)) as run:
        if out.resolve() == file.resolve():
            raise InputError(f"{short_path(out)} is the run that is forked; name another --out")
        planned = plan_fork(run, at, changes)
        if fresh and planned.setup.models_named:
            note = planned.note.model_copy(update={"fresh": True})
            planned = replace(planned, notes=(*planned.notes[:-1], note))
        session = _session(run, planned, out, fresh, overwrite, awaiting)
        end = play_session(session, watch, conclude)
        if not end.code and not planned.same:
            _warn_of_no_difference(run, planned, session.writer.path)
        return end


@contextmanager
def open_trusted(
    file: Path,
    trust: bool,
    files: Path | None,
    announce: Callable[[str], None],
    named: Sequence[str] = (),
) -> Iterator[RunFile]:
    """Open a run behind the gate for the code that it names; named: what the user has named."""
    with (
        open_run_file(file, files) as run,
        guard_user_code(RecordedCode(file, run.manifest, trust, announce, named)),
    ):
        yield run


def _named_code(changes: Changes) -> list[str]:
    """List the files of code that a file of changes names; what is wrong in it is said later."""
    said: Any = read_yaml(changes.file)[0] if changes.file is not None else None
    uses = said.get("uses") if isinstance(said, Mapping) else None
    if changes.file is None or not isinstance(uses, list):
        return []
    folder = changes.file.resolve().parent
    return [str(Path(folder, one).resolve()) for one in uses if isinstance(one, str)]


def _session(
    run: RunFile,
    planned: Planned,
    out: Path,
    fresh: bool,
    overwrite: bool,
    awaiting: Callable[[int], None] | None,
) -> Session:
    setup, after = planned.setup, planned.note.after
    minds, env = setup.minds(Spent()), setup.environment()
    if minds is not None and setup.spec.share_identical:
        minds.remember(call.said for call in run.calls() if call.round <= after)
    answers = ParentAnswers(
        run.path.name,
        after,
        run,
        fresh=fresh,
        changed=planned.changed_models,
        bare=planned.same,
    )
    digests = [page.digest for page in islice(_pages(run), after + 1)]
    parent = Parent(answers, digests, list_changes(run.manifest, planned.before))
    manifest = fork_manifest(planned, run.manifest.level)
    writer = Writer(out, manifest, overwrite=overwrite, parent=parent)
    trust_files(setup.files)
    if minds is not None:
        minds.desk.records = writer.call_store
    outside = setup.outside(writer.call_store, awaiting, minds)
    return Session(setup, env, outside, writer, fresh=False, minds=minds)


def _pages(run: RunFile) -> Iterator[Any]:
    return (record.page for record in run.records(lines=False))


def fork_manifest(planned: Planned, level: Level) -> Manifest:
    """Make the manifest of a fork."""
    return manifest_of(planned.setup, level).model_copy(update={"forks": planned.notes})


def branch(run: RunFile, at: Place, changes: Changes, *, count: int, replicate: int = 0) -> Outcome:
    """Play many continuations of one replicate of a run of rules, in memory; raises InputError.

    Each is a replicate of the outcome, and has chance of its own from the fork on, by the seed of
    the changes. Models are not asked: their recorded answers serve up to the fork, and a question
    to one after it raises PartError.
    count: how many continuations; replicate: the one that is continued, from 0.
    """
    planned = plan_fork(run, at, changes)
    manifest = run.manifest
    setup = manifest.with_past(planned.setup.spec, planned.notes, np.arange(count))
    env = setup.environment(np.full(count, replicate))
    gateway = ModelGateway(call_store=_UpTo(run, planned.note.after))
    return setup.gamemaster(env=env, outside=gateway).play()


class _UpTo(RecordedCalls):
    """The recorded calls up to the end of a round; later ones are not known."""

    def __init__(self, run: RunFile, after: int) -> None:
        super().__init__(run)
        self._after = after

    def kept(self, request: Any) -> Any:
        return super().kept(request) if request.round <= self._after else None


def _settings(changes: Changes, before: Society) -> tuple[list[Setting], list[CohortConfig]]:
    """Return the settings of a fork, and its changes of cohorts."""
    given, entries = list(changes.settings), [dict(one) for one in changes.cohorts]
    origin, folder = Source("--set"), Path.cwd()
    if changes.file is not None:
        origin, said = _read_changes(changes.file)
        folder = changes.file.resolve().parent
        # An entry that only names its cohort changes nothing.
        entries += [one for one in said.pop("cohorts", []) if one.keys() - {"name"}]
        given += _settings_in_file(said, folder, before)
    settings = []
    for setting in given:
        head, *rest = setting_place(setting.key)
        if head == "cohorts" and rest:
            entries.append(_cohort_entry(setting, rest))
        else:
            settings.append(setting)
    return settings, [
        _checked_entry(entry, index, origin, folder) for index, entry in enumerate(entries)
    ]


def _read_changes(file: Path) -> tuple[Source, dict[str, Any]]:
    """Read a file of changes, whose keys and shapes are checked; raises ScenarioError."""
    said, positions = read_yaml(file)
    origin = Source(short_path(file), positions)
    if not isinstance(said, dict):
        raise origin.refusal([Issue((), "got no keys; expected cohorts, models or parameters")])
    legal = ("cohorts", "models", "parameters", "uses")
    if unknown := [key for key in said if key not in legal]:
        words = f"a fork cannot change {unknown[0]}; {suggest(str(unknown[0]), legal)}"
        raise origin.refusal([Issue((unknown[0],), words, True)])
    if unlike := list(_ill_shaped(said)):
        raise origin.refusal(unlike)
    return origin, said


def _settings_in_file(said: Mapping[str, Any], folder: Path, before: Society) -> Iterator[Setting]:
    """Yield what a file of changes sets, cohorts aside; its files come to those of before."""
    for key, value in said.items():
        if key == "uses":
            files = [*before.spec.uses, *value]
            yield Setting((key,), [str(Path(folder, one)) for one in files], "")
        else:
            for name, one in value.items():
                yield Setting((key, str(name)), one)


def _cohort_entry(setting: Setting, place: Sequence[str]) -> dict[str, Any]:
    """Return an entry of cohorts for a setting of one; place: its name, and where below it."""
    name, *below = place
    if not below:
        raise ScenarioError(f"{setting.where}: name what changes: {setting.words}.parameters.X")
    entry: dict[str, Any] = {"name": name}
    inner = entry
    for key in below[:-1]:
        inner = inner.setdefault(key, {})
    inner[below[-1]] = setting.value
    return entry


def _checked_entry(
    entry: Mapping[str, Any], index: int, origin: Source, folder: Path
) -> CohortConfig:
    """Return an entry of cohorts that has its form; raises ScenarioError with its place."""
    try:
        return validate(CohortConfig, entry, "key", {"folder": folder})
    except ValidationIssues as refused:
        faults = (fault.under("cohorts", index) for fault in refused.faults)
        raise origin.refusal(list(faults)) from None


def _ill_shaped(said: Mapping[str, Any]) -> Iterator[Issue]:
    """Yield what in a file of changes is no list or no mapping where one is needed."""
    for key, kind, inner, wanted in (
        ("cohorts", list, dict, "a list of cohorts, each with the name of one that there is"),
        ("uses", list, str, "a list of files"),
        ("models", dict, object, "models by name"),
        ("parameters", dict, object, "parameters by name"),
    ):
        value = said.get(key, kind())
        if not isinstance(value, kind) or not all(isinstance(one, inner) for one in value):
            yield Issue((key,), f"got {_word(value)}; expected {wanted}")


def _refuse_other_keys(before: RunConfig, after: RunConfig) -> None:
    """Raise ScenarioError for a change of what a society cannot change while it lives."""
    was, now = before.model_dump(mode="json"), after.model_dump(mode="json")
    for key, value in now.items():
        if value != was[key] and key not in (*_FREE, *_CHANGED_BY):
            hint = "; --seed gives the continuation a seed of its own" if key == "seed" else ""
            raise ScenarioError(
                f"a fork cannot change {key}: the past of the society was lived with it{hint}; "
                "start another run"
            )


def _refuse_undeclared(before: Society, changes: Changes) -> None:
    """Raise InputError for an intervention that the scenario does not declare."""
    scenario = before.scenario
    legal = scenario.interventions
    if changes.norm is not None:
        if legal.norm is None:
            raise ScenarioError(
                f"--norm: {scenario.name} declares no norm that could be imposed "
                "(Interventions(norm=...) in @scenario)"
            )
        try:
            legal.norm(changes.norm, before.environment())
        except ValueError as error:
            raise ScenarioError(f"--norm: {error}") from None
    if changes.remove and not legal.removal:
        raise ScenarioError(
            f"--remove: nobody can be taken out of {scenario.name}, which does not declare that it "
            "goes on without some of its agents (Interventions(removal=True) in @scenario)"
        )
    if changes.remove and scenario.seats is not None:
        raise ScenarioError("--remove: the types of a tournament keep their seats")


def _refuse_fixed(before: Society, values: Mapping[str, Any]) -> None:
    """Raise ScenarioError for a value of a parameter that cannot become another one."""
    scenario, was = before.scenario, before.params.model_dump(mode="json")
    live = scenario.params.live()
    for name in (name for name in was.keys() & values if values[name] != was[name]):
        if name in live:
            continue
        known = f"those that may: {', '.join(sorted(live))}" if live else "none of them may"
        if is_foreign(scenario.params):
            known += (
                f"; if the script reads it in every round, declare {name}: Live[...] in "
                f"{scenario.params.__name__} (from society.engine.scenario import Live)"
            )
        raise ScenarioError(
            f"{name} cannot change while {scenario.name} lives, since its script or its first "
            f"state depends on it; {known}"
        )


def _refuse_unlike(before: Society, setup: Society, after: int) -> None:
    """Raise InputError for a fork that would be another society and not the same one, changed."""
    scenario, now = before.scenario, setup.scenario
    if scenario.name != now.name:
        raise ScenarioError(
            f"a fork keeps its script: with language models, {scenario.name} is played as "
            f"{now.name}; start another run"
        )
    _refuse_fixed(before, setup.params.model_dump(mode="json"))
    contradiction = scenario.interventions.contradiction
    if contradiction and (reason := contradiction(before.params, setup.params)):
        raise ScenarioError(reason)
    if setup.rounds == before.rounds:
        return
    levels, sized = scenario.display.levels, scenario.interventions.longer
    if len(levels) > 1 or scenario.layers or not sized:
        raise ScenarioError(
            f"--rounds: {scenario.name} depends on how many rounds it was to have"
            + (f", in {' and '.join(f'{one}s' for one in levels)}" if len(levels) > 1 else "")
            + "; leave it out"
        )
    if setup.rounds <= after:
        raise ScenarioError(
            f"--rounds: got {setup.rounds}, but the society has lived {after} rounds by then; give "
            "a larger number"
        )


def _refuse_over(run: RunFile, before: Society, setup: Society, after: int) -> None:
    """Raise InputError where nothing comes after a round."""
    longer = setup.rounds > before.rounds
    record = next(run.records(after, lines=False))
    if not record.page.running.any():
        raise InputError(
            f"by the end of round {after} every replicate has ended; fork at an earlier round"
        )
    over = run.status == "finished" and after == run.rounds
    if over and not longer:
        can = setup.scenario.interventions.longer and not setup.scenario.layers
        more = ", or give more --rounds" if can else ""
        raise InputError(
            f"the run ends with round {after}, so that nothing can follow it; fork at an earlier "
            f"round{more}"
        )


def _check_birth_parameters(run: RunFile, before: Society, setup: Society) -> None:
    """Look for changed parameters of components that count only where a life begins.

    Raises ScenarioError if nobody is born in the run, and warns of what they do if somebody is.
    """
    unread = [*_changed_birth_parameters(before, setup)]
    if not unread:
        return
    first, *more = unread
    words = f"{first} counts only where a life begins"
    if more:
        words = f"{', '.join(more)} and {first} count only where a life begins"
    whole = run.manifest.level == "full" and run.status == "finished"
    if whole and not any(
        key == ("newborn", "") for look in run.looks() for *_, keys in look.lines for key in keys
    ):
        raise ScenarioError(
            f"{words}, and nobody is born in {short_path(run.path)}, so that nothing would change; "
            "replace the component by another one, or start another run"
        )
    warnings.warn(f"{words}: those who live keep what they have", WiringWarning, stacklevel=2)


def _changed_birth_parameters(before: Society, setup: Society) -> Iterator[str]:
    """Yield the changed parameters of components that only `begin` reads, in words."""
    for was, now in zip(before.cast(), setup.cast(), strict=True):
        old = {part.chance_id: part for part in was.components}
        for part in now.components:
            same = old.get(part.chance_id)
            if type(same) is not type(part):
                continue
            for name in sorted(birth_parameters(type(part))):
                if getattr(part, name) != getattr(same, name):
                    yield f"{name} of {part.title()} in cohort {now.name!r}"


def _warn_of_no_difference(run: RunFile, planned: Planned, out: Path) -> None:
    """Warn of changes after which both histories are the same to their end."""
    if run.status != "finished":
        return
    with open_run_file(out) as child:
        if child.standing.digest != run.standing.digest:
            return
    warnings.warn(
        f"it made no difference ({'; '.join(planned.note.changes)}): to its end the history is "
        f"that of {short_path(run.path)}",
        WiringWarning,
        stacklevel=2,
    )


def _refuse_before_last_change(run: RunFile, after: int, words: Sequence[str]) -> None:
    """Raise InputError for a change that comes before what the run, a fork itself, has changed."""
    later = [note for note in run.manifest.forks if note.after > after and note.changes]
    if words and later:
        first, last = later[0], later[-1]
        raise InputError(
            f"{short_path(run.path)} is itself a fork of {last.parent} after round {last.after} "
            f"({'; '.join(last.changes)}), and that change cannot follow one after round {after}; "
            f"fork {first.parent}, or at round {last.after} or later"
        )


def _seats(run: RunFile, after: int, wanted: Sequence[str]) -> dict[int, str]:
    """Return the ids of agents, with their names; raises InputError for an unknown or gone one."""
    if not wanted:
        return {}
    manifest = run.manifest
    names = AgentNames.of_run(run)
    for page in run.pages() if names.of_lives else ():
        if page.number > after:
            break
        names.meet(page)
    called = {
        (replicate, seat): names.name(replicate, seat)
        for replicate in range(manifest.replicates)
        for seat in range(manifest.agents)
    }
    present = next(run.records(after, lines=False)).page.present
    found: dict[int, str] = {}
    for one in wanted:
        seats = {seat for (_, seat), name in called.items() if one in (name, str(seat))}
        if not seats:
            raise InputError(
                f"--remove: there is no agent {one!r}; {suggest(one, {*called.values()})}"
            )
        if len(seats) > 1:
            raise InputError(
                f"--remove: {one!r} has another seat in each replicate; give a seat, a number"
            )
        (seat,) = seats
        if not present[:, seat].any():
            raise InputError(
                f"--remove: {called[0, seat]} is gone by the end of round {after} already"
            )
        found[seat] = called[0, seat]
    return found


def _state_at(run: RunFile, after: int) -> tuple[str, tuple[int, ...]]:
    """Return the digest of all rounds up to one, and its path."""
    record = next(run.records(after, lines=False))
    return record.chain, record.page.path


def _changed_models(before: Society, setup: Society) -> frozenset[str]:
    """Return the names of models that are others after a fork."""
    names = before.models_named | setup.models_named
    if not names:
        return frozenset()
    from society.llm.providers.pool import ModelPool

    was, now = ModelPool(before.spec.models), ModelPool(setup.spec.models)
    return frozenset(name for name in names if _asked(was, name) != _asked(now, name))


def _asked(pool: Any, name: str) -> dict[str, Any]:
    """Return what a model is asked with, without how it is reached."""
    from .provenance import REACH

    said: dict[str, Any] = pool.spec(name).model_dump(mode="json", exclude=set(REACH))
    return said


def _describe(
    before: Society, setup: Society, entries: Sequence[CohortConfig], models: frozenset[str]
) -> Iterator[str]:
    """Yield the changes of a fork in words."""
    old, new = (one.params.model_dump(mode="json") for one in (before, setup))
    for name in (name for name in new if new[name] != old[name]):
        yield f"{name} {_word(old[name])} -> {_word(new[name])}"
    if setup.rounds != before.rounds:
        yield f"rounds {before.rounds} -> {setup.rounds}"
    for name in sorted(models):
        of = "" if name == "default" else f" {name}"
        was, now = (_model(one, name) for one in (before, setup))
        yield f"model{of} {was} -> {now}" if was != now else f"other settings of model{of} {now}"
    for entry in entries:
        yield f"cohort {entry.name}: {', '.join(_changed(entry))}"


def _changed(entry: CohortConfig) -> Iterator[str]:
    """Yield what an entry changes in a cohort."""
    if entry.components is not None:
        yield f"components {' '.join(name for part in entry.components for name in part)}"
    for title, part in entry.replace.items():
        yield f"{title} -> {' '.join(part)}"
    for name, value in entry.parameters.items():
        yield f"{name} = {_word(value)}"


def _model(setup: Society, name: str) -> str:
    spec = setup.spec.models.get(name) or setup.spec.models.get("default")
    return "offline" if spec is None else spec.model


def _word(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool | None) else str(value)


def _taken_out(names: Mapping[int, str], changes: Changes) -> Iterator[str]:
    if changes.norm is not None:
        yield f"norm: {changes.norm}"
    for name in names.values():
        yield f"without {name}"
    if changes.seed is not None:
        yield f"chance of seed {changes.seed} from there on"
