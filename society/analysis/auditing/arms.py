"""The arms of an audit: an experiment as it is, and once more under each perturbation.

An audit is an experiment with one more factor, the perturbation, so that a sweep plays it. All arms
have the same seeds: replicate r draws the same random numbers with and without a perturbation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from society.config.defaults import DefaultsFile
from society.config.run_config import Setting
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.errors import InputError, ScenarioError, page_path, short_path, suggest
from society.experiments.experiment import Experiment, read_experiment
from society.experiments.factors import run_file_name
from society.experiments.jobs import forecasts, planned_runs, run_statuses
from society.llm.perturbations import perturbations as all_perturbations
from society.llm.providers.pool import ModelPool
from society.runs.design_runs import make_designs
from society.runs.prompt_preview import prompts_of
from society.runs.session import use_in_files
from society.terminal.labels import count_noun

from .effects import LEAST_REPLICATES

FACTOR, UNPERTURBED = "perturbation", "none"


class AuditArms(NamedTuple):
    """An experiment with its perturbations as one more factor.

    summaries: of what each perturbation changes. unused: why others are left out, by name.
    not_reworded: templates that a perturbation by other templates leaves as they are, by its name.
    """

    experiment: Experiment
    summaries: Mapping[str, str]
    unused: Mapping[str, str]
    not_reworded: Mapping[str, Sequence[str]]

    @property
    def notes(self) -> dict[str, Any]:
        """Perturbations that change nothing here, and templates that none of them rewords."""
        left = {name: [*one] for name, one in self.not_reworded.items()}
        return {"unused": dict(self.unused), "not_reworded": left}


def choose_perturbations(only: Sequence[str] = (), without: Sequence[str] = ()) -> list[str]:
    """Choose among all perturbations; raises InputError for an unknown name."""
    known = [*all_perturbations()]
    for name in (*only, *without):
        if name not in known:
            raise InputError(f"there is no perturbation {name!r}; {suggest(name, known)}")
    return [name for name in known if name in (only or known) and name not in without]


def make_audit(
    file: Path,
    settings: Sequence[Setting],
    perturbations: Sequence[str],
    packs: Sequence[Path] = (),
    defaults: DefaultsFile | None = None,
) -> AuditArms:
    """Read an experiment and add the arms of its audit; raises InputError.

    packs: folders of prompts, each of which says the same in other words. A perturbation that
    changes no message of the offline mind's play is left out. defaults: of the project.
    """
    plain = read_experiment(file, settings, defaults=defaults)
    _refuse_unfit(plain, file)
    _refuse_perturbed(plain, file)
    known = all_perturbations()
    given = {name: (known[name].summary, Setting((FACTOR,), name)) for name in perturbations}
    for pack in packs:
        words = describe_pack(str(pack))
        name = f"pack {pack.resolve().name}"
        setting = Setting(("prompts",), str(pack.resolve()), "--pack")
        if (name, setting) in [(known, one) for known, (_, one) in given.items()]:
            raise InputError(f"--pack: {short_path(pack)} is given twice; give it once")
        if name in given:
            raise InputError(
                f"--pack: two folders are called {pack.resolve().name}, which is how the audit "
                "names them; rename one of them"
            )
        given[name] = (words, setting)
    if not given:
        raise InputError(
            "no perturbation is left to play; give fewer names with --without, or prompts with "
            "--pack FOLDER"
        )
    usual, arms, unused = _listen(plain).messages, {UNPERTURBED: plain}, dict[str, str]()
    left = dict[str, Sequence[str]]()
    for name, (_, setting) in given.items():
        arm = read_experiment(file, [*settings, setting], defaults=defaults)
        heard = _listen(arm)
        if heard.messages == usual:
            unused[name] = "it changes no question here"
            continue
        arms[name] = arm
        if name in known and known[name].templates() and heard.not_reworded:
            left[name] = heard.not_reworded
    if len(arms) == 1:
        raise InputError(
            f"{short_path(file)}: none of {', '.join(given)} changes a "
            "question of this experiment; choose others, or give prompts with --pack FOLDER"
        )
    summaries = {name: given[name][0] for name in arms if name in given}
    return AuditArms(_joined(plain, arms), summaries, unused, left)


def describe_plan(arms: AuditArms, folder: Path, *, overwrite: bool = False) -> str:
    """Say how much an audit has to ask, or that all of it was played before.

    Raises RunFileError for runs in its folder that were made otherwise; overwrite: removes them.
    """
    planned = planned_runs(arms.experiment, folder)
    found = run_statuses(planned, overwrite=overwrite)
    left = [part for part in planned if found.get(part.name) != "finished"]
    extent = (
        f"{count_noun(len(arms.summaries), 'perturbation')} and the experiment as it is: "
        f"{count_noun(len(planned), 'condition')}"
    )
    if not left:
        return f"{extent}, which have all been played"
    begun = use_in_files(file for part in left for file in part.files if file.exists())
    calls = max(0, sum(one.calls for one in forecasts(left)) - begun.calls)
    return (
        f"{extent}, {len(left)} of them to be played with about {calls:,} calls; "
        "--estimate tells what an audit costs, --max-cost and --max-calls limit it"
    )


def describe_unreworded(arms: AuditArms) -> str:
    """Say which templates keep their words under a paraphrase; "" where there are none."""
    return "\n".join(
        f"under {name}, {count_noun(len(left), 'template')} "
        f"{'keeps its' if len(left) == 1 else 'keep their'} words: {', '.join(left)}"
        for name, left in arms.not_reworded.items()
    )


def describe_pack(folder: str) -> str:
    """Say what a prompt pack changes, as a clause."""
    return f"prompts are those in {page_path(folder)}"


def _refuse_perturbed(plain: Experiment, file: Path) -> None:
    """Raise ScenarioError for an experiment that is perturbed already."""
    for condition in plain.conditions:
        spec = condition.setup.spec
        if spec.perturbation is not None:
            given = spec._source.positions.get((FACTOR,))
            where = given.value if given else short_path(file)
            raise ScenarioError(
                f"{where} {FACTOR}: got {spec.perturbation!r}; an audit compares the experiment as "
                "it is with perturbations that it gives itself: take this line out"
            )


def _refuse_unfit(plain: Experiment, file: Path) -> None:
    """Raise ScenarioError for an experiment of which nothing can be audited."""
    shown = short_path(file)
    if FACTOR in plain.levels:
        raise ScenarioError(f"{shown}: an audit varies {FACTOR} itself; take it out of the factors")
    if not any(condition.setup.models_named for condition in plain.conditions):
        raise ScenarioError(
            f"{shown}: no condition asks a language model, so that no wording can matter; audit an "
            "experiment whose agents are language minds"
        )
    if not any(len(labels) > 1 for labels in plain.levels.values()):
        raise ScenarioError(
            f"{shown}: one condition compares nothing, so that there is no conclusion to audit; "
            "give it a factor with two levels"
        )
    if any(condition.setup.replicates < LEAST_REPLICATES for condition in plain.conditions):
        raise ScenarioError(
            f"{shown}: a condition has 1 replicate, so that no effect can be tested; write "
            f"replicates: {LEAST_REPLICATES} or more"
        )


def _joined(plain: Experiment, arms: Mapping[str, Experiment]) -> Experiment:
    """The conditions of all arms as one experiment."""
    conditions = []
    for arm, experiment in arms.items():
        for one in experiment.conditions:
            name = f"{FACTOR}={arm},{one.name}"
            factors = {FACTOR: arm, **one.factors}
            conditions.append(one._replace(name=name, factors=factors, file=run_file_name(name)))
    by = [*(plain.analysis.by or ()), FACTOR]
    return plain._replace(
        name=f"{plain.name}-audit",
        text=f"{plain.text}# audited under: {', '.join(arms)}\n",
        levels={FACTOR: tuple(arms), **plain.levels},
        conditions=tuple(conditions),
        analysis=plain.analysis.model_copy(update={"by": by}),
    )


class _Heard(NamedTuple):
    """Messages to models in one replicate of each condition, all played by the offline mind.

    not_reworded: names of the templates in it that the perturbation leaves as they are.
    """

    messages: list[tuple[str, ...]]
    not_reworded: list[str]


def _listen(experiment: Experiment) -> _Heard:
    """Play one replicate of each condition that asks models; messages by address."""
    messages, left = list[tuple[str, ...]](), dict[str, None]()
    for setup in (one.setup for one in experiment.conditions if one.setup.models_named):
        minds = _Listening(setup.seed)
        made = make_designs(setup, minds)
        game = made.gamemaster(
            env=made.environment(made.environment().replicate_ids[:1]), minds=minds
        )
        game.play()
        messages += (sent for _, sent in sorted(minds.heard))
        left |= dict.fromkeys(prompts_of(game).not_reworded)
    return _Heard(messages, [*left])


class _Listening:
    """The offline mind in place of all models; it keeps what it was sent."""

    def __init__(self, seed: int) -> None:
        self._offline = ModelPool({}, seed=seed)
        self.heard: list[tuple[str, tuple[str, ...]]] = []

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        sent = tuple(message.content for message in request.messages)
        self.heard.append((str(request.address), sent))
        return await self._offline.call(request._replace(model="default"), going, token)

    @property
    def patience(self) -> float:
        return self._offline.patience

    async def close(self) -> None: ...
