"""Experiments from Python: sweeps, audits, power, reproductions and reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.config.defaults import find_defaults
from society.config.run_config import read_settings
from society.config.wiring_issues import announce_wiring, issues_of_conditions
from society.errors import PartError
from society.llm.providers.named_servers import addresses_in, naming_servers
from society.notebook_pages import HtmlPage, html_table
from society.optional import require

from .given import (
    RunSource,
    beside_loop,
    experiment_path,
    listed,
    output_path,
    read_limits,
    read_text,
    refuse_workers,
    run_path,
)
from .progress import watch_sweep
from .python_words import speaking_python
from .studies import NotebookStudy, open_any, open_sweep

if TYPE_CHECKING:
    from society.analysis.auditing.arms import AuditArms
    from society.analysis.auditing.audit import AuditResults
    from society.analysis.planning.plan import PowerPlan
    from society.analysis.study import Study
    from society.claims.types import ClaimVerdict
    from society.experiments.clusters import Cluster
    from society.experiments.experiment import Experiment
    from society.experiments.worker import JobResult
    from society.llm.providers.settings import Limits
    from society.report.figures.style import Figure
    from society.reproduction.run import ReproductionRun

ModelGiven = str | Mapping[str, Any]


@speaking_python()
def sweep(
    experiment: str | Path,
    *,
    model: ModelGiven | None = None,
    limits: Mapping[str, Any] | None = None,
    workers: int = 1,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> NotebookStudy:
    """Play an experiment, or what is left of it, and open it as a study.

    experiment: a file, or the name of one that comes with the program. model: of language agents,
    in all conditions. limits: of all runs together. workers: processes for conditions of rules.
    out: the folder; None: sweeps/NAME. overwrite: replace runs whose settings differ.

    Shows how far it is, in a notebook or on stderr. Warns, as WiringWarning, of parts that are
    probably not wired as they were meant. Raises InputError for what cannot be played, and
    PartError if a condition failed or was paused; what was played is kept.
    """
    from society.experiments.experiment import read_experiment

    refuse_workers(workers)
    said, given = read_limits(limits), _model(model)
    with naming_servers(addresses_in(given)):
        defaults = find_defaults()
        read = read_experiment(experiment_path(experiment), read_settings(given), defaults=defaults)
        folder = _folder(out, "sweeps", read.name)
        _play(read, folder, said, workers, overwrite=overwrite)
    return open_sweep(folder)


@dataclass(frozen=True, eq=False)
class Audit:
    """An audit that was played: which conclusions hold when questions are worded otherwise.

    found: all numbers. study: the runs. arms: what was compared, why other perturbations were left
    out (`unused`), and which templates keep their words (`not_reworded`). path: the folder.
    """

    found: AuditResults
    study: NotebookStudy
    arms: AuditArms
    path: Path

    @property
    def sentences(self) -> list[str]:
        """What was found of each conclusion, and of each perturbation that changes it."""
        return [*self.found.sentences()]

    def frame(self) -> Any:
        """One row for each conclusion and perturbation; needs the extra `lab`.

        conclusion, first, second   in words; effects are the second's outcome less the first's
        perturbation                its name, "none" for the experiment as it is
        effect, change              in the unit of the outcome, with `_low` and `_high`, their 95 %
                                    intervals
        p_holm, changed             of the change, over all changes of the audit
        flips, sets                 sets of runs, and in how many of them the direction differs
        flip_share                  with `_low` and `_high`, Wilson's 95 % interval
        """
        from society.analysis.auditing.audit_frame import audit_frame

        return audit_frame(self.found)

    def plot(self) -> Figure:
        """Draw the change of each effect by perturbation; needs the extra `lab`."""
        from society.report.sections.audit_section import audit_figure

        return audit_figure(self.found)

    def as_json(self) -> dict[str, Any]:
        """Return all that `society audit --json` prints."""
        facts = {"name": self.study.name, "out": str(self.path), **self.arms.notes}
        return facts | self.found.as_json()

    def __repr__(self) -> str:
        left_out = (f"not tested: {name}, since {why}" for name, why in self.arms.unused.items())
        return "\n".join([*self.sentences, *left_out, *self._unreworded()])

    def _unreworded(self) -> list[str]:
        from society.analysis.auditing.arms import describe_unreworded

        return describe_unreworded(self.arms).splitlines()

    def _repr_html_(self) -> str:
        from society.analysis.auditing.audit_frame import audit_rows

        head, rows = audit_rows(self.found)
        return html_table(repr(self), head, rows)


@speaking_python()
def audit(
    experiment: str | Path,
    *,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    packs: Sequence[str | Path] = (),
    model: ModelGiven | None = None,
    limits: Mapping[str, Any] | None = None,
    workers: int = 1,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> Audit:
    """Test whether conclusions of an experiment hold when its questions are worded otherwise.

    only, without: names of perturbations to play, and to leave out. packs: folders of prompts that
    say the same in other words, each a perturbation. workers: processes; it and the others as
    `society.sweep` takes them, as are errors. `society audit` does the same.
    """
    from society.analysis.auditing.arms import choose_perturbations, make_audit
    from society.analysis.auditing.audit import open_audit

    refuse_workers(workers)
    said, given = read_limits(limits), _model(model)
    names = choose_perturbations(listed("only", only, str), listed("without", without, str))
    files = [Path(one) for one in listed("packs", packs, str, Path)]
    with naming_servers(addresses_in(given)):
        settings = read_settings(given)
        arms = make_audit(experiment_path(experiment), settings, names, files, find_defaults())
        folder = _folder(out, "sweeps", arms.experiment.name)
        require("scipy.stats")  # of the tests, before anything is played and paid for
        _play(arms.experiment, folder, said, workers, overwrite=overwrite)
    return Audit(open_audit(folder), open_sweep(folder), arms, folder)


@speaking_python()
def power(
    experiment: str | Path, *, model: ModelGiven | None = None, out: str | Path | None = None
) -> PowerPlan:
    """Estimate which effects n runs of each condition find, and what they cost.

    As `society sweep --plan`: from finished runs in the folder `out`, or else from a pilot that is
    played now, where that costs nothing. Raises InputError.
    """
    from society.analysis.planning.plan import make_plan
    from society.experiments.experiment import read_experiment

    given = _model(model)
    with naming_servers(addresses_in(given)):
        defaults = find_defaults()
        read = read_experiment(experiment_path(experiment), read_settings(given), defaults=defaults)
        return beside_loop(partial(make_plan, read, _folder(out, "sweeps", read.name)))


@dataclass(frozen=True, eq=False)
class PaperReproduction:
    """A paper whose claims were judged in new runs.

    verdicts: a claim beside our result each. page: with all figures. path: the folder.
    """

    paper: str
    verdicts: tuple[ClaimVerdict, ...]
    page: HtmlPage
    path: Path

    def frame(self) -> Any:
        """One row for each claim, with its source and its verdict; needs the extra `lab`."""
        from society.analysis.study.frames import FrameColumn, data_frame, strings

        names = ("claim", "source", "said", "found", "outcome", "notes", "under")
        return data_frame(
            {
                name: FrameColumn(strings([getattr(one, name) for one in self.verdicts]), "words")
                for name in names
            }
        )

    def __repr__(self) -> str:
        lines = [f"{one.outcome:16} {one.claim}" for one in self.verdicts]
        return "\n".join([f"{self.paper}: {len(lines)} claims", *lines])

    def _repr_html_(self) -> str:
        rows = [(one.claim, one.source, one.found, one.outcome) for one in self.verdicts]
        caption = f"{self.paper}: {len(rows)} claims; the page is {self.page.path}"
        return html_table(caption, ("claim", "source", "found", "verdict"), rows)


@speaking_python(model="models")
def reproduce(
    paper: str,
    *,
    quick: bool = False,
    models: str | Sequence[str] = (),
    strategies: str | Path | None = None,
    institutions: bool = False,
    prompts: str | Path | None = None,
    seed: int | None = None,
    repetitions: int | None = None,
    limits: Mapping[str, Any] | None = None,
    workers: int = 1,
    out: str | Path | None = None,
    overwrite: bool = False,
) -> PaperReproduction:
    """Test the claims of a paper in new runs, and write their page, as `society reproduce` does.

    paper: a name from `society list reproductions`. quick: fewer and shorter runs. models: to play
    the experiments for language models with. strategies: a folder of strategies that models wrote.
    institutions, prompts, seed, repetitions: as the command takes them. workers: processes for
    conditions of rules. limits: of all runs together. Raises InputError, and PartError if runs did
    not finish; what was played is kept.
    """
    from society.config.registry import reproduction
    from society.reproduction.reproduction_page import write_page
    from society.reproduction.run import ReproductionRun, reproduction_folder

    refuse_workers(workers)
    paper = read_text("paper", paper, "a name such as 'village'")
    said, minds = {**find_defaults().limits(), **read_limits(limits)}, listed("models", models, str)
    require("pandas")  # of the claims, before anything is played and paid for
    name = reproduction_folder(
        paper, language=bool(minds or strategies), institutions=institutions, quick=quick
    )
    run = ReproductionRun(
        reproduction(paper),
        _folder(out, "reproductions", name),
        minds,
        quick=quick,
        seed=seed,
        repetitions=repetitions,
        prompts=None if prompts is None else Path(prompts),
        strategies=None if strategies is None else Path(strategies),
        institutions=institutions,
    )
    ended = beside_loop(partial(_reproduced, run, said, workers, overwrite=overwrite))
    _refuse_unfinished(ended)
    verdicts = tuple(run.verdicts())
    return PaperReproduction(paper, verdicts, HtmlPage.read(write_page(run, verdicts)), run.out)


@speaking_python()
def make_report(
    played: Study | RunSource, out: str | Path = "report", *, pdf: bool = False
) -> HtmlPage:
    """Write the page that `society report` writes, with figures, tests and tables.

    played: a study, a result, an audit, a run file or the folder of a sweep. out: the folder of the
    page. pdf: also each figure for print. A notebook shows the page. Raises FileError, InputError.
    """
    from society.analysis.study import Study
    from society.report import write_report

    study = played if isinstance(played, Study) else open_any(run_path(played))
    return HtmlPage.read(write_report(study, output_path(out), pdf=pdf))


def _model(given: ModelGiven | None) -> dict[str, Any]:
    return {} if given is None else {"models": {"default": given}}


def _folder(given: str | Path | None, kind: str, name: str) -> Path:
    """Return the folder to play into; kind: of outputs, where no folder is given."""
    return find_defaults().folder(kind) / name if given is None else output_path(given)


def _play(
    read: Experiment, folder: Path, said: Mapping[str, Any], workers: int, *, overwrite: bool
) -> None:
    """Play what is left of an experiment; raises PartError for conditions that are not finished."""
    from society.experiments.folder import earlier_limits
    from society.llm.providers.settings import Limits

    announce_wiring(issues_of_conditions([one.setup.wiring for one in read.conditions]))
    stated = {} if read.limits is None else read.limits.model_dump(exclude_unset=True)
    kept = {**earlier_limits(folder, overwrite=overwrite), **said}
    total = Limits(**{**find_defaults().limits(), **stated, **kept})
    _refuse_unfinished(
        beside_loop(partial(_played, read, folder, total, kept, workers, overwrite=overwrite))
    )


def _played(
    read: Experiment,
    folder: Path,
    limits: Limits,
    said: Mapping[str, Any],
    workers: int,
    *,
    overwrite: bool,
) -> dict[str, JobResult]:
    """Play an experiment and code its norms; tell how each part ended.

    said: the limits of all sessions that no file states, which the folder keeps.
    """
    from society.analysis.coding.rating_runs import play_coding
    from society.experiments.sweep import Sweep, play_experiment

    parts = len(read.conditions) + (len(read.coding.raters) if read.coding else 0)
    with _cluster(workers) as cluster, watch_sweep(parts) as watching:
        session = Sweep(cluster, watching, read.record, limits if limits.model_fields_set else None)
        play_experiment(read, folder, session, overwrite=overwrite, said=said)
        for note in play_coding(read, folder, session, overwrite=overwrite):
            watching.noted(note)
    return session.results


def _cluster(workers: int) -> AbstractContextManager[Cluster]:
    """Open workers; a single one is a thread, since no process has to be started for it."""
    from society.experiments.clusters import local_processes, own_thread

    return own_thread() if workers == 1 else local_processes(workers)


def _reproduced(
    run: ReproductionRun, said: Mapping[str, Any], workers: int, *, overwrite: bool
) -> dict[str, JobResult]:
    """Play what is left of a reproduction; tell how each part ended."""
    from society.llm.providers.settings import Limits

    limits = Limits(**said) if said else None
    with _cluster(workers) as cluster, watch_sweep(len(run.parts)) as watching:
        return run.play(cluster, watching, limits, overwrite=overwrite)


def _refuse_unfinished(ended: Mapping[str, JobResult]) -> None:
    """Raise PartError if a part has not finished."""
    left: Iterable[str] = [
        f"{name}: {done.words}" for name, done in ended.items() if done.status != "finished"
    ]
    if left:
        raise PartError("\n".join([*left, "what was played is kept; repeat the call"]))
