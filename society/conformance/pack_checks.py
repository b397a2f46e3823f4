"""Check a prompt pack: each template is rendered with the facts of a small play.

Each scenario that the pack has a folder for is played until all its templates are rendered: as it
is, within the mechanisms of the pack, then with other switches of components and parameters. What
is left, such as templates of mechanisms, is looked for in other scenarios and presets. The first
reply to each question cannot be read, so that repairs are asked for as well. No model is asked but
the offline mind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from society.config.build import Society, build
from society.config.hook_checks import source_file
from society.config.registry import mechanisms, scenarios
from society.config.rehearsal import switch_values, switched
from society.config.run_config import load_config
from society.engine.component import Component
from society.engine.parameters import parameters_of
from society.engine.population import Cohort
from society.errors import InputError, ScenarioError, short_path, suggest
from society.index import presets, prompts_in
from society.llm.providers.free_minds import FreeMinds
from society.runs.design_runs import make_designs
from society.runs.prompt_preview import prompts_of

from .society_checks import CheckResult, describe_failure, refused_results, small_society

_MOST_PLAYS, _MOST_ROUNDS = 24, 3  # of one scenario, and in search of other templates


def check_pack(folder: Path) -> Iterator[CheckResult]:
    """Render each template of a folder; raises ScenarioError for one that is no prompt pack."""
    files = {file for name, file in prompts_in(folder) if "/" in name}
    owners = {file: file.relative_to(folder).parts[0] for file in sorted(files)}
    own = _scenarios_beside(folder)
    known = {*scenarios(), *mechanisms(), *own, "any"}
    names = list(dict.fromkeys(owners.values()))
    if known.isdisjoint(names):
        hint = suggest(names[0], known) if names else "name a folder in it after a scenario"
        raise ScenarioError(
            f"{short_path(folder)} has no folder of a scenario; {hint} (one of your own is found "
            f"in Python files beside {short_path(folder)})"
        )
    for name in names:
        if name not in known:
            words = f"{short_path(folder / name)} is no folder of a scenario or mechanism"
            yield CheckResult(name, "error", f"{words}; {suggest(name, known)}")
    files = {file for file in files if owners[file] in known}
    player = _PackPlayer(folder, [name for name in names if name in mechanisms()])
    for name in (name for name in names if name in own or name in scenarios()):
        wanted = {file for file in files if owners[file] == name}
        yield from player.render_by_scenario(name, wanted, own.get(name, name))
    yield from player.render_by_others(
        files, [one for one in (*scenarios(), *presets()) if one not in names]
    )
    for file in sorted(files - player.files):
        words = f"no play that was tried has rendered {short_path(file)}"
        yield CheckResult(folder.name, "warning", words)
    if not player.failed:
        count = f"{len(files & player.files)} of {len(files)} templates"
        yield CheckResult(folder.name, "ok", f"{count} rendered, in {player.plays} small plays")


def _scenarios_beside(folder: Path) -> dict[str, str]:
    """Find the user's scenarios in the folder of a pack: FILE.py:NAME, by name."""
    files = sorted(folder.resolve().parent.glob("*.py"))
    return {name: f"{file}:{name}" for file in files for name in source_file(str(file)).scenarios}


class _PackPlayer:
    """Plays small societies with a pack, and notes the files that were rendered.

    around: mechanisms that the pack has folders for. failed: whether a play has failed.
    """

    def __init__(self, folder: Path, around: Sequence[str]) -> None:
        self.folder = folder
        self._around: list[dict[str, Any]] = [{"mechanisms": [{one: {}}]} for one in around]
        self.files, self.plays, self.failed = set[Path](), 0, False

    def render_by_scenario(
        self, name: str, wanted: set[Path], reference: str
    ) -> Iterator[CheckResult]:
        """Play a scenario in one way after another, until all its templates are rendered."""
        kept = _asking_models(reference)
        try:
            setup = self._built(reference, **({"parameters": kept} if kept else {}))
        except InputError as error:
            yield from refused_results(name, error)
            self._give_up(wanted)
            return
        for one in islice(self._variants(setup, reference, kept), _MOST_PLAYS):
            if wanted <= self.files:
                return
            try:
                self._play(one)
            except Exception as error:  # of a template, or of a play that fails otherwise
                yield CheckResult(name, "error", describe_failure(error))
                self._give_up(wanted)
                return

    def render_by_others(self, wanted: set[Path], names: Iterable[str]) -> Iterator[CheckResult]:
        """Play other scenarios and presets, for templates that belong to several of them."""
        most = self.plays + _MOST_PLAYS
        for name in names:
            for changes in self._useful(wanted - self.files):
                if wanted <= self.files or self.plays == most:
                    return
                try:
                    setup = self._built(name, rounds=_MOST_ROUNDS, **changes)
                except InputError:  # nobody reads there, or the mechanism does not fit
                    continue
                try:
                    self._play(setup)
                except Exception as error:  # as above
                    yield CheckResult(name, "error", describe_failure(error))
                    self._give_up(wanted)

    def _useful(self, left: set[Path]) -> Iterator[dict[str, Any]]:
        """Yield changes by which files that are left could be rendered."""
        owners = {file.relative_to(self.folder).parts[0] for file in left}
        yield from (one for one in self._around if not owners.isdisjoint(*one["mechanisms"]))
        if not owners <= {name for one in self._around for name in one["mechanisms"][0]}:
            yield {}

    def _give_up(self, files: set[Path]) -> None:
        """Expect no more of files: nothing is known of them until one of them is mended."""
        self.failed = True
        self.files |= files

    def _built(self, name: str, **changes: Any) -> Society:
        """Build a small society of language minds with the pack; raises InputError."""
        given = {"prompts": str(self.folder), "models": {"default": "offline"}, **changes}
        given.setdefault("replicates", 1)
        return small_society(build(load_config(name, given), rehearsed=False))

    def _play(self, setup: Society) -> None:
        """Play a small society, and note the templates that were rendered."""
        self.plays += 1
        setup = make_designs(setup, FreeMinds(setup.seed))
        game = setup.gamemaster(minds=FreeMinds(setup.seed, unreadable=True))
        game.play()
        self.files |= prompts_of(game).rendered

    def _variants(self, setup: Society, name: str, kept: Mapping[str, Any]) -> Iterator[Society]:
        """Yield a society, then others in which other questions may be asked in other words.

        kept: parameters that all of them have.
        """
        yield setup
        yield from self._accepted(name, ({"parameters": {**kept}, **one} for one in self._around))
        for part, fields in _switched_parts(setup):
            yield _with_part(setup, part, fields)
        given = dict(setup.params)
        settings = (dict(params) for params in switched(setup.params))
        yield from self._accepted(
            name,
            (
                {
                    "parameters": {
                        **kept,
                        **{key: one[key] for key in one if one[key] != given[key]},
                    }
                }
                for one in settings
            ),
        )

    def _accepted(self, name: str, changes: Iterable[Mapping[str, Any]]) -> Iterator[Society]:
        """Yield societies with these changes, as far as they go together."""
        for one in changes:
            with suppress(InputError):
                yield self._built(name, **one)


def _asking_models(name: str) -> Mapping[str, Any]:
    """Find the switch of a scenario of rules with which its agents ask a model: a parameter.

    Gives nothing where they do so by default, or where no switch does.
    """
    spoken = {"models": {"default": "offline"}, "replicates": 1}
    try:
        params = build(load_config(name, {"replicates": 1}), rehearsed=False).params
    except InputError:
        return {}
    given = dict(params)
    changed = (
        {name: value}
        for name, values in switch_values(type(params)).items()
        for value in values
        if value != given[name]
    )
    for changes in ({}, *changed):
        with suppress(InputError):
            build(load_config(name, {**spoken, "parameters": changes}), rehearsed=False)
            return changes
    return {}


def _switched_parts(setup: Society) -> Iterator[tuple[Component, Mapping[str, Any]]]:
    """Yield each component that asks models, with another value of one of its switches."""
    parts = {id(part): part for cohort in setup.cast() for part in cohort.components}
    for part in parts.values():
        for name, values in switch_values(parameters_of(type(part))).items():
            for value in values:
                if value != getattr(part, name):
                    yield part, {name: value}


def _with_part(setup: Society, part: Component, fields: Mapping[str, Any]) -> Society:
    """Change some fields of one component."""

    def changed(cohort: Cohort) -> Cohort:
        parts = tuple(
            replace(one, **fields) if one is part else one  # type: ignore[type-var]
            for one in cohort.components
        )
        return replace(cohort, components=parts)

    cast = [changed(cohort) for cohort in setup.cast()]
    scenario = replace(setup.scenario, cast=lambda params, agents: cast)
    return replace(setup, scenario=scenario)
