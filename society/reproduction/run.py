"""A paper reproduced: its experiments played, each in a folder of its own, and its claims judged.

The offline mind answers in words but is no language model: with it everything is played and judged,
to try out the way, and nothing can be told of the paper.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from society.claims.data import Trial
from society.claims.types import ClaimVerdict, Reproduction, ReproductionDesign
from society.config.build import Society, build
from society.config.run_config import Setting, override
from society.config.yaml_source import read_yaml
from society.engine.calls import Spent, Usage
from society.errors import FileError, InputError, page_path, short_path
from society.experiments.clusters import Cluster
from society.experiments.experiment import Experiment, read_experiment
from society.experiments.jobs import PlannedRun, planned_runs, run_statuses
from society.experiments.sweep import Sweep, SweepListener, play_experiment
from society.experiments.worker import JobResult
from society.index import experiments
from society.llm.providers.settings import Limits
from society.runs.runfile import Level
from society.runs.session import use_in_files

from .evidence import Evidence, ExperimentResult
from .judges import judge_claims

OFFLINE = "offline"
DRY = "the offline mind is no language model"


class ReproductionRun:
    """A reproduction with the minds that it is tried with, read and checked; raises InputError.

    models: to be asked; none: its rules are played. strategies: a folder of what models wrote, for
    papers about that. institutions: play what is ours on institutions in place of the paper's
    experiments. quick: a short and coarse form of it. seed: in
    place of that of all experiments. repetitions: how often every condition is played, that is its
    replicates, or the repetitions of its tournament with all designs. prompts: a folder of
    templates, for the conditions whose scenario it has some of. settings: of the command line, for
    all runs. results: by experiment.
    """

    def __init__(
        self,
        reproduction: Reproduction,
        out: Path,
        models: Sequence[str] = (),
        *,
        quick: bool = False,
        seed: int | None = None,
        repetitions: int | None = None,
        prompts: Path | None = None,
        settings: Sequence[Setting] = (),
        strategies: Path | None = None,
        institutions: bool = False,
    ) -> None:
        self.design = (
            _institutions(reproduction, models, strategies)
            if institutions
            else _design(reproduction, models, strategies)
        )
        self.reproduction, self.out, self.quick = reproduction, out, quick
        self.models = models if strategies is None else (str(strategies.resolve()),)
        self.seed, self.repetitions = seed, repetitions
        self.prompts = None if prompts is None else prompts.resolve()
        files = experiments()
        self.trials = [trial for trial in self.design.trials if self._is_playable(trial)]
        self.results = {
            trial.name: ExperimentResult(
                self._vary(read_experiment(files[trial.file], settings, self._instead(trial))),
                out / trial.name,
            )
            for trial in self.trials
        }
        self._refuse_unused_prompts()

    @property
    def dry(self) -> bool:
        """True if the offline mind stands in for language models."""
        return OFFLINE in self.models

    @property
    def extent(self) -> str:
        """The number of runs and conditions, in words."""
        runs = sum(part.setup.replicates for part in self.parts)
        minds = f" with {', '.join(map(page_path, self.models))}" if self.models else ""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{runs:,} runs in {len(self.parts)} conditions{minds}{seed}"

    @property
    def announcement(self) -> str:
        """A sentence on the runs to be played, their folder, and how to learn their cost."""
        words = f"{self.extent}, into {short_path(self.out)}"
        if self.dry or not self.models or self.design.asks == "strategies":
            return f"{words}; a dry run: {DRY}" if self.dry else words
        return f"{words}; the same command with --estimate tells what it costs"

    @property
    def parts(self) -> list[PlannedRun]:
        """The conditions of all experiments."""
        results = self.results.values()
        return [part for one in results for part in planned_runs(one.experiment, one.folder)]

    @property
    def spent(self) -> Spent:
        """The use of models by all experiments, over all sessions."""
        return use_in_files(file for part in self.parts for file in part.files)

    def play(
        self,
        cluster: Cluster,
        watching: SweepListener,
        limits: Limits | None,
        *,
        overwrite: bool = False,
    ) -> dict[str, JobResult]:
        """Play what is not finished, and tell how all conditions ended; limits: of all together.

        Raises InputError, before anything is played if runs in the folders are other ones, and
        KeyboardInterrupt.
        """
        run_statuses(self.parts, overwrite=overwrite)
        self._write()
        ended: dict[str, JobResult] = {}
        for name, result in self.results.items():
            level = result.experiment.record
            sweep = _ReproductionSweep(self, cluster, _Named(name, watching), level, limits)
            play_experiment(result.experiment, result.folder, sweep, overwrite=overwrite)
            ended |= {f"{name} {of}": done for of, done in sweep.results.items()}
        return ended

    def _write(self) -> None:
        """Keep each experiment as it is played, as a file to plan with; raises FileError."""
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            for trial in self.trials:
                said = self._resolved(trial)
                text = json.dumps(said, indent=2, ensure_ascii=False)  # which YAML can read
                self._file(trial).write_text(f"{text}\n", "utf-8")
        except OSError as error:
            reason = error.strerror or error
            raise FileError(
                f"cannot write {short_path(self.out)}: {reason}; name another folder with --out"
            ) from error

    def _resolved(self, trial: Trial) -> dict[str, Any]:
        """Read the experiment of a trial, with the changes that the trial makes."""
        said, _ = read_yaml(experiments()[trial.file])
        instead = self._instead(trial)
        return {**said, **instead, **_with_factors(said, instead)}

    def _instead(self, trial: Trial) -> Mapping[str, Any]:
        """Collect the changes that a trial makes to its experiment."""
        given = {**trial.instead, **(trial.quick if self.quick else {})}
        minds = self._minds(trial)
        seed = {} if self.seed is None else {"seed": self.seed}
        return {**given, **minds, **seed, **_with_factors(given, minds)}

    def _minds(self, trial: Trial) -> Mapping[str, Any]:
        """Turn minds into what they stand for; strategies, into levels of factors that vary."""
        minds = self.design.minds(self.models, quick=self.quick) if self.models else {}
        if self.design.asks == "models":
            return minds
        said, _ = read_yaml(experiments()[trial.file])
        levels = minds.get("factors", {}).items()
        return {
            "factors": {
                name: _kept_levels(one, trial.keep.get(name))
                for name, one in levels
                if name in said.get("factors", {})
            }
        }

    def _is_playable(self, trial: Trial) -> bool:
        """Tell if minds leave a trial any of the levels that it keeps."""
        return all(self._minds(trial).get("factors", {"": [""]}).values())

    def _vary(self, experiment: Experiment) -> Experiment:
        """Give every condition the prompts and the repetitions of the command line."""
        conditions = [
            one._replace(setup=build(override(one.setup.spec, settings))) if settings else one
            for one in experiment.conditions
            for settings in [self._settings_of(one.setup)]
        ]
        return experiment._replace(conditions=tuple(conditions))

    def _settings_of(self, setup: Society) -> list[Setting]:
        """List the changes that the command line makes in one condition."""
        settings = []
        if self.repetitions is not None:
            tournament = setup.scenario.seats is not None
            key = ("mechanisms", *setup.spec.mechanisms[-1]) if tournament else ()
            key = (*key, "repetitions") if tournament else ("replicates",)
            settings.append(Setting(key, self.repetitions, "--repetitions"))
        if (
            self.prompts is not None
            and setup.models_named
            and setup.words.has_use_for(self.prompts)
        ):
            settings.append(Setting(("prompts",), str(self.prompts), "--prompts"))
        return settings

    def _refuse_unused_prompts(self) -> None:
        """Raise InputError for prompts that no condition uses."""
        if self.prompts is None:
            return
        speaking = [part.setup for part in self.parts if part.speaks]
        if not speaking:
            raise InputError(
                "--prompts changes what language models read, and none is asked; "
                "add --model M (offline: a dry run)"
            )
        if not any(setup.spec.prompts for setup in speaking):
            names = sorted({setup.scenario.name for setup in speaking})
            raise InputError(
                f"{short_path(self.prompts)} has no prompt of {', '.join(names)}; write one as "
                f"{names[0]}/QUESTION.md in it, or any/question.md for all"
            )

    def _file(self, trial: Trial) -> Path:
        return self.out / f"{trial.name}.yaml"

    def verdicts(self) -> list[ClaimVerdict]:
        """Judge each claim of the paper by the runs."""
        verdicts = list(judge_claims(self.design.claims, Evidence(self.results)))
        if not self.dry:
            return verdicts
        return [
            one._replace(outcome="cannot be told", notes="; ".join(filter(None, [DRY, one.notes])))
            for one in verdicts
        ]


def reproduction_folder(paper: str, *, language: bool, institutions: bool, quick: bool) -> str:
    """Name the folder of a reproduction, so that other forms of it have others."""
    kinds = {"language": language, "institutions": institutions, "quick": quick}
    return "-".join([paper, *(name for name, given in kinds.items() if given)])


class _ReproductionSweep(Sweep):
    """A sweep that shares its limits with the other experiments of a reproduction."""

    def __init__(
        self,
        run: ReproductionRun,
        cluster: Cluster,
        watching: SweepListener,
        level: Level | None,
        limits: Limits | None,
    ) -> None:
        super().__init__(cluster, watching, level, limits)
        self.run = run

    async def play(self, parts: Sequence[PlannedRun], used: Spent) -> None:
        """Play all that are given; what the other experiments have used counts as well."""
        await super().play(parts, used if self.limits is None else self.run.spent)


class _Named:
    """A listener that puts the name of the experiment before the name of each condition."""

    def __init__(self, experiment: str, watching: SweepListener) -> None:
        self.experiment, self.watching = experiment, watching

    def advanced(self, name: str, share: float, ledger: Sequence[Usage], so_far: str = "") -> None:
        """Report the share of rounds that a run has played, its use of models, and its result."""
        self.watching.advanced(f"{self.experiment} {name}", share, ledger, so_far)

    def awaiting(self, name: str, count: int) -> None:
        """Report that an interrupted run waits for replies under way."""
        self.watching.awaiting(f"{self.experiment} {name}", count)

    def batched(self, name: str, awaited: Sequence[str]) -> None:
        """Report the batches that a run waits for."""
        self.watching.batched(f"{self.experiment} {name}", awaited)

    def done(self, name: str, done: JobResult) -> None:
        """Report the end of a run."""
        self.watching.done(f"{self.experiment} {name}", done)

    def noted(self, words: str) -> None:
        """Pass on a note for the user."""
        self.watching.noted(f"{self.experiment}: {words}")


def _design(
    reproduction: Reproduction, models: Sequence[str], strategies: Path | None
) -> ReproductionDesign:
    """Choose the design for these minds; raises InputError."""
    if not models and strategies is None:
        return reproduction.rules
    asks = "models" if reproduction.language is None else reproduction.language.asks
    if asks == "models" and strategies is not None:
        raise InputError(f"{reproduction.name} plays no strategies; leave out --strategies")
    if asks == "strategies" and models:
        raise InputError(
            f"{reproduction.name} plays what models wrote, and asks none; have strategies written "
            "by `society strategies write`, and give their folder as --strategies FOLDER"
        )
    if reproduction.language is None:
        raise InputError(f"{reproduction.name} has no experiments with models; leave out --model")
    _refuse_mixed(models)
    return reproduction.language


def _institutions(
    reproduction: Reproduction, models: Sequence[str], strategies: Path | None
) -> ReproductionDesign:
    """Choose the design on institutions, with rules or models; raises InputError."""
    if strategies is not None:
        raise InputError("--institutions plays no strategies; leave out --strategies")
    rules, language = reproduction.institutions, reproduction.institutions_language
    design = language if models else rules
    if design is None and rules is not None:
        raise InputError(
            f"{reproduction.name} has an experiment on institutions with rules alone; leave out "
            "--model"
        )
    if design is None:
        raise InputError(
            f"{reproduction.name} has no experiment on institutions; leave out --institutions"
        )
    _refuse_mixed(models)
    return design


def _refuse_mixed(models: Sequence[str]) -> None:
    """Raise InputError for the offline mind beside models."""
    if OFFLINE in models and len(models) > 1:
        raise InputError(
            f"--model {' '.join(models)}: {DRY}; leave it out, or give it alone for a dry run"
        )


def _kept_levels(levels: Any, keep: Sequence[str] | None) -> Any:
    if keep is None:
        return levels
    if isinstance(levels, Mapping):
        return {name: one for name, one in levels.items() if name in keep}
    return [one for one in levels if one in keep]


def _with_factors(given: Mapping[str, Any], instead: Mapping[str, Any]) -> Mapping[str, Any]:
    """The levels of all factors, of those of both as the second has them."""
    factors = {**given.get("factors", {}), **instead.get("factors", {})}
    return {"factors": factors} if factors else {}
