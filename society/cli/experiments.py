"""Commands for experiments: sweep (also --plan), audit, report and reproduce."""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.errors import WiringWarning
from society.machine import count_cores
from society.optional import require

from .arguments import (
    add_fallback_option,
    add_limit_options,
    add_output_options,
    add_saving_options,
    add_strict_option,
    out_path,
    whole_number,
)
from .output import answers_if_possible, console, print_json
from .parser import Commands
from .runs import given_limits, given_settings

if TYPE_CHECKING:
    from society.analysis.auditing.arms import AuditArms
    from society.analysis.findings import StudyFinding
    from society.config.defaults import DefaultsFile
    from society.config.wiring_issues import WiringIssue
    from society.experiments.clusters import Cluster
    from society.experiments.experiment import Experiment
    from society.experiments.sweep import Sweep, SweepListener
    from society.experiments.worker import JobResult
    from society.llm.providers.settings import Limits
    from society.reproduction.run import ReproductionRun

_MOST_ANSWERS = 7


def add_sweep(commands: Commands) -> None:
    """Add `society sweep`."""
    parser = commands.add_parser(
        "sweep", help="run an experiment: one scenario under many conditions"
    )
    parser.add_argument(
        "experiment", type=Path, metavar="EXPERIMENT.yaml|NAME",
        help="a file, or an experiment of `society list experiments`",
    )  # fmt: skip
    parser.add_argument(
        "--plan",
        action="store_true",
        help="estimate the power of n runs and their cost; do not play",
    )
    add_strict_option(parser)
    _add_experiment_options(parser, "sweeps/NAME")
    parser.set_defaults(command=sweep_command)


def sweep_command(args: argparse.Namespace) -> int:
    """Carry out `society sweep`."""
    if args.plan:
        return plan_command(args)
    read, folder = _read_experiment(args)
    issues = _announce_issues(args, read)
    session, interrupted = _play(args, read, folder, issues)
    return _print_sweep(args, read, folder, session, interrupted)


def _announce_issues(args: argparse.Namespace, read: Experiment) -> list[WiringIssue]:
    """Warn of parts that are probably wired wrongly; return all that can be said of them."""
    from society.config.wiring_issues import announce_wiring, issues_of_conditions

    issues = issues_of_conditions([condition.setup.wiring for condition in read.conditions])
    announce_wiring(issues, strict=args.strict)
    return issues


def _play(
    args: argparse.Namespace, read: Experiment, folder: Path, issues: Sequence[WiringIssue]
) -> tuple[Sweep, bool]:
    """Play what is not finished of an experiment; tell whether it was interrupted."""
    from society.analysis.coding.rating_runs import play_coding
    from society.config.wiring_issues import announce_deferred, collected_warnings
    from society.experiments.folder import earlier_limits
    from society.experiments.sweep import Sweep, play_experiment

    said = earlier_limits(folder, overwrite=args.overwrite) | given_limits(args)
    limits = _total_limits(read, said)
    count = len(read.conditions) + (len(read.coding.raters) if read.coding else 0)
    here = collected_warnings(strict=args.strict)
    with here as warned, _progress(args, count) as watching, _cluster(args) as cluster:
        session = Sweep(cluster, watching, read.record, limits, strict=args.strict)
        notes, interrupted = list[str](), False
        try:
            play_experiment(read, folder, session, overwrite=args.overwrite, said=said)
            notes = play_coding(read, folder, session, overwrite=args.overwrite)
        except KeyboardInterrupt:
            interrupted = True
    for note in notes:
        print(f"society: {note}", file=sys.stderr)
    if not args.strict:
        _announce_meanwhile(
            [*warned, *(one for each in session.results.values() for one in each.warned)]
        )
        if all(done.status == "finished" for done in session.results.values()):
            announce_deferred(issues)
    return session, interrupted


def _announce_meanwhile(words: Iterable[str]) -> None:
    """Warn, once each, of what was noticed while conditions were played."""
    for one in dict.fromkeys(words):
        warnings.warn(one, WiringWarning, stacklevel=2)


def plan_command(args: argparse.Namespace) -> int:
    """Carry out `society sweep --plan`."""
    from society.analysis.planning.plan import make_plan
    from society.analysis.planning.plan_summary import plan_as_json, print_plan

    found = make_plan(*_read_experiment(args))
    if args.json:
        print_json(plan_as_json(found))
    else:
        print_plan(found, console())
    return 0


def _read_experiment(args: argparse.Namespace) -> tuple[Experiment, Path]:
    """Read the experiment, with the command line's options about models, and name its folder."""
    from society.config.defaults import find_defaults
    from society.experiments.experiment import read_experiment

    defaults, given = find_defaults(), given_settings(args, limits=False)
    read = read_experiment(args.experiment, given, defaults=defaults)
    return read, args.out or defaults.folder("sweeps") / read.name


def _progress(args: argparse.Namespace, conditions: int) -> AbstractContextManager[SweepListener]:
    from society.experiments.progress import NoProgress, Progress

    return nullcontext(NoProgress()) if args.quiet or args.json else Progress(conditions)


def _cluster(args: argparse.Namespace) -> AbstractContextManager[Cluster]:
    from society.experiments.clusters import dask_cluster, local_processes

    return (
        local_processes(args.workers)
        if args.dask is None
        else dask_cluster(args.dask, args.workers)
    )


def _total_limits(read: Experiment, given: dict[str, Any]) -> Limits | None:
    """Return the limits of all runs together; the command line overrides the file."""
    from society.config.defaults import find_defaults
    from society.llm.providers.settings import Limits

    said = {} if read.limits is None else read.limits.model_dump(exclude_unset=True)
    total = {**find_defaults().limits(), **said, **given}
    return Limits(**total) if total else None


def _print_sweep(
    args: argparse.Namespace, read: Experiment, folder: Path, session: Sweep, interrupted: bool
) -> int:
    """Print how a sweep ended; return the exit code."""
    code = _exit_code(session.results.values(), interrupted=interrupted, strict=args.strict)
    unread = 0 if args.accept_fallbacks else _say_fallbacks(session.results)
    if args.json:
        found = [one.as_json() for one in answers_if_possible(lambda: _find_answers(folder))]
        print_json(_facts(read, folder, session) | {"findings": found})
    ended = [session.results.get(condition.name) for condition in read.conditions]
    finished = sum(done is not None and done.status == "finished" for done in ended)
    words = f"{read.name}: {finished} of {len(ended)} conditions are finished"
    if code and args.quiet:
        for name, done in session.results.items():
            if done.status == "failed":
                print(f"society: {name}: {done.words}", file=sys.stderr)
    if code:
        again = "continue with: " + shlex.join(
            ["society", "sweep", str(args.experiment), "--out", str(folder)]
        )
        print(f"society: {words}; everything played so far is saved; {again}", file=sys.stderr)
    elif not (args.json or args.quiet):
        console().print(f"{words} · {folder}", markup=False)
        _print_answers(answers_if_possible(lambda: _find_answers(folder)))
        console().print(f"society report {folder}", markup=False)
    return code or unread


def _find_answers(folder: Path) -> list[StudyFinding]:
    """Return what the runs of a sweep show, in sentences; nothing if there are none."""
    from society.analysis.findings import study_findings
    from society.analysis.study import open_sweep
    from society.analysis.study.design import StudyDesign
    from society.experiments.folder import open_folder

    if not any((folder / condition.file).exists() for condition in open_folder(folder).conditions):
        return []
    return study_findings(StudyDesign(open_sweep(folder)))


def _print_answers(findings: Sequence[StudyFinding]) -> None:
    """Print the first findings, one paragraph each."""
    for one in findings[:_MOST_ANSWERS]:
        console().print(one.sentence, markup=False, highlight=False)
    if (more := len(findings) - _MOST_ANSWERS) > 0:
        console().print(f"and {more} more, in the report", markup=False, highlight=False)


def _exit_code(ended: Iterable[JobResult], *, interrupted: bool, strict: bool = False) -> int:
    """Return the exit code for the results of all jobs; strict: 2 if one was warned of."""
    ended = list(ended)
    statuses = [done.status for done in ended]
    if interrupted:
        return 130
    if strict and any(done.warned for done in ended):
        return 2
    return 1 if "failed" in statuses else 3 if "paused" in statuses else 0


def _say_fallbacks(ended: Mapping[str, JobResult]) -> int:
    """Return 1, and say so, if most answers of language models in some runs are fallbacks."""
    unread = {name: done.fallbacks for name, done in ended.items() if done.fallbacks}
    for name, words in unread.items():
        print(f"society: {name}: {words}", file=sys.stderr)
    if unread:
        print(
            "society: what happened in these runs is mostly the fallbacks of their questions, and "
            "no model's choice; take another model or other settings, or, if this is what you "
            "want, give --accept-fallbacks",
            file=sys.stderr,
        )
    return min(len(unread), 1)


def _facts(read: Experiment, folder: Path, session: Sweep) -> dict[str, Any]:
    from society.experiments.jobs import planned_runs
    from society.experiments.worker import JobResult
    from society.runs.session import use_in_files

    conditions = []
    for name, factors, _, file in read.conditions:
        done = session.results.get(name, JobResult("interrupted"))
        told = {"status": done.status, "words": done.words}
        conditions.append({"name": name, "factors": dict(factors), "file": file, **told})
    used = use_in_files(file for part in planned_runs(read, folder) for file in part.files)
    return {
        "name": read.name,
        "out": str(folder),
        "spent": used._asdict(),
        "conditions": conditions,
    }


def add_audit(commands: Commands) -> None:
    """Add `society audit`."""
    parser = commands.add_parser(
        "audit", help="test whether conclusions hold when questions are worded otherwise"
    )
    parser.add_argument(
        "experiment", type=Path, metavar="EXPERIMENT.yaml|NAME",
        help="a file, or an experiment of `society list experiments`",
    )  # fmt: skip
    parser.add_argument(
        "--only", nargs="+", action="extend", default=[], metavar="NAME",
        help="perturbations to play (default: all that change a question)",
    )  # fmt: skip
    parser.add_argument(
        "--without", nargs="+", action="extend", default=[], metavar="NAME",
        help="perturbations to leave out",
    )  # fmt: skip
    parser.add_argument(
        "--pack", nargs="+", action="extend", default=[], type=Path, metavar="DIR",
        help="prompts that say the same in other words, each folder a perturbation of its own",
    )  # fmt: skip
    parser.add_argument(
        "--estimate", action="store_true", help="estimate calls, tokens and cost; do not play"
    )
    add_strict_option(parser)
    _add_experiment_options(parser, "sweeps/NAME-audit")
    parser.set_defaults(command=audit_command)


def audit_command(args: argparse.Namespace) -> int:
    """Carry out `society audit`."""
    from society.analysis.auditing.arms import (
        choose_perturbations,
        describe_plan,
        describe_unreworded,
        make_audit,
    )
    from society.config.defaults import find_defaults
    from society.experiments.jobs import forecasts, planned_runs
    from society.terminal.forecast_text import print_costs
    from society.terminal.labels import count_noun

    defaults = find_defaults()
    arms = make_audit(
        args.experiment,
        given_settings(args, limits=False),
        choose_perturbations(args.only, args.without),
        args.pack,
        defaults,
    )
    read = arms.experiment
    folder = args.out or defaults.folder("sweeps") / read.name
    issues = _announce_issues(args, read)
    if arms.not_reworded and not args.quiet:
        print(f"society: {describe_unreworded(arms)}", file=sys.stderr)
    if args.estimate:
        expected = forecasts(planned_runs(read, folder))
        if args.json:
            told = [one._asdict() for one in expected]
            facts = {"name": read.name, "perturbations": [*arms.summaries]}
            print_json(facts | {"not_reworded": dict(arms.not_reworded), "models": told})
        else:
            extent = count_noun(len(read.conditions), "condition")
            print_costs(expected, extent, "this audit", console())
        return 0
    require("scipy.stats")  # of the tests, before anything is played and paid for
    if not args.quiet:
        print(f"society: {describe_plan(arms, folder, overwrite=args.overwrite)}", file=sys.stderr)
    session, interrupted = _play(args, read, folder, issues)
    return _print_audit(args, arms, folder, session, interrupted)


def _print_audit(
    args: argparse.Namespace, arms: AuditArms, folder: Path, session: Sweep, interrupted: bool
) -> int:
    """Print what an audit has found; return the exit code."""
    from society.analysis.auditing.audit import open_audit
    from society.analysis.auditing.audit_table import print_audit

    code = _exit_code(session.results.values(), interrupted=interrupted, strict=args.strict)
    unread = 0 if args.accept_fallbacks else _say_fallbacks(session.results)
    if code:
        reasons = {done.words for done in session.results.values() if done.status != "finished"}
        words = "this audit is not finished; what was played is saved; repeat the command to go on"
        print("society: " + "\n".join([*sorted(reasons), words]), file=sys.stderr)
        return code
    found = open_audit(folder)
    if args.json:
        facts = {"name": arms.experiment.name, "out": str(folder), **arms.notes}
        print_json(facts | found.as_json())
    elif not args.quiet:
        print_audit(found, arms.unused, console())
        console().print(f"society report {folder}", markup=False)
    return unread


def add_report(commands: Commands) -> None:
    """Add `society report`."""
    parser = commands.add_parser(
        "report", help="write one page with figures, tests and tables of runs"
    )
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="run file or sweep folder"
    )
    parser.add_argument(
        "--out",
        type=out_path,
        metavar="DIR",
        help="output folder (default: report/ in the sweep folder, or else here)",
    )
    parser.add_argument(
        "--pdf", action="store_true",
        help="also write each figure as PDF for print, 88 and 180 mm wide",
    )  # fmt: skip
    parser.set_defaults(command=report_command)


def report_command(args: argparse.Namespace) -> int:
    """Carry out `society report`."""
    from society.analysis.study import open_study
    from society.report import write_report

    one_sweep = len(args.paths) == 1 and args.paths[0].is_dir()
    folder = args.paths[0] / "report" if one_sweep else Path("report")
    page = write_report(open_study(args.paths), args.out or folder, pdf=args.pdf)
    print(page)
    return 0


def add_reproduce(commands: Commands) -> None:
    """Add `society reproduce`."""
    parser = commands.add_parser("reproduce", help="test the claims of a paper in new runs")
    parser.add_argument("paper", help="a name from `society list reproductions`")
    parser.add_argument("--quick", action="store_true", help="play fewer and shorter runs")
    parser.add_argument(
        "--model", nargs="+", action="extend", metavar="M", dest="models",
        help="play the experiments for language models, with these models (offline: a dry run)",
    )  # fmt: skip
    parser.add_argument(
        "--strategies", type=Path, metavar="FOLDER",
        help="strategies that models wrote, for a paper on them: a folder, or one folder a game",
    )  # fmt: skip
    parser.add_argument(
        "--institutions", action="store_true",
        help="play our experiment on Ostrom's design principles instead (village)",
    )  # fmt: skip
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR",
        help="override the built-in prompts with these, for each scenario that they are for",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=whole_number(0), metavar="S", help="random seed of all experiments"
    )
    parser.add_argument(
        "--repetitions", type=whole_number(1), metavar="N",
        help="replicates of each condition; of a tournament, repetitions, with new designs in each",
    )  # fmt: skip
    parser.add_argument(
        "--estimate", action="store_true", help="estimate calls, tokens and cost; do not play"
    )
    _add_experiment_options(parser, "reproductions/PAPER[-language][-institutions][-quick]")
    parser.set_defaults(command=reproduce_command)


def _reproduction_run(args: argparse.Namespace, defaults: DefaultsFile) -> ReproductionRun:
    """Return the reproduction that the words of a command ask for, not played yet."""
    from society.config.registry import reproduction
    from society.reproduction.run import ReproductionRun, reproduction_folder

    name = reproduction_folder(
        args.paper,
        language=bool(args.models or args.strategies),
        institutions=args.institutions,
        quick=args.quick,
    )
    return ReproductionRun(
        reproduction(args.paper),
        args.out or defaults.folder("reproductions") / name,
        args.models or (),
        quick=args.quick,
        seed=args.seed,
        repetitions=args.repetitions,
        prompts=args.prompts,
        strategies=args.strategies,
        institutions=args.institutions,
        settings=[
            one
            for one in given_settings(args, limits=False)
            if one.key not in (("seed",), ("prompts",))
        ],
    )


def reproduce_command(args: argparse.Namespace) -> int:
    """Carry out `society reproduce`."""
    from society.config.defaults import find_defaults
    from society.llm.providers.settings import Limits

    if not args.estimate:
        require("pandas")  # of the claims, before anything is played and paid for
    defaults = find_defaults()
    run = _reproduction_run(args, defaults)
    if args.estimate:
        return _print_estimate(args, run)
    if not args.quiet:
        print(f"society: {run.announcement}", file=sys.stderr)
    given = {**defaults.limits(), **given_limits(args)}
    limits = Limits(**given) if given else None
    with _progress(args, len(run.parts)) as watching, _cluster(args) as cluster:
        ended: dict[str, JobResult] = {}
        interrupted = False
        try:
            ended = run.play(cluster, watching, limits, overwrite=args.overwrite)
        except KeyboardInterrupt:
            interrupted = True
    code = _exit_code(ended.values(), interrupted=interrupted)
    unread = 0 if args.accept_fallbacks else _say_fallbacks(ended)
    if code:
        reasons = dict.fromkeys(done.words for done in ended.values() if done.status != "finished")
        words = (
            "some runs are not finished; what was played is saved; repeat the command to continue"
        )
        print("society: " + "\n".join([*reasons, words]), file=sys.stderr)
    return code if interrupted else _print_verdicts(args, run, code or unread)


def _print_estimate(args: argparse.Namespace, run: ReproductionRun) -> int:
    """Print estimated calls, tokens and cost of a reproduction without playing it."""
    from society.experiments.jobs import forecasts

    found = forecasts(run.parts)
    if args.json:
        told = [forecast._asdict() for forecast in found]
        print_json({"name": args.paper, "models": told})
        return 0
    from society.terminal.forecast_text import print_costs

    print_costs(found, run.extent, "this reproduction", console())
    return 0


def _print_verdicts(args: argparse.Namespace, run: ReproductionRun, code: int) -> int:
    """Print and write the verdicts of a reproduction, as far as it was played."""
    from society.analysis.findings import claim_findings
    from society.reproduction.claim_grid import ClaimGrid
    from society.reproduction.reproduction_page import write_page

    verdicts = run.verdicts()
    page = write_page(run, verdicts)
    if args.json:
        told = [verdict.facts() for verdict in verdicts]
        facts = {
            "name": args.paper,
            "out": str(run.out),
            "report": str(page),
            "findings": [one.as_json() for one in claim_findings(verdicts)],
        }
        spent = run.spent._asdict()
        print_json(facts | {"spent": spent, "verdicts": told})
    elif not args.quiet:
        out = console()
        _print_answers(claim_findings(verdicts)[:1])
        out.print(ClaimGrid.of(verdicts).text(out.width), markup=False, highlight=False)
        out.print(str(page), markup=False)
    return code


def _add_experiment_options(parser: argparse.ArgumentParser, out: str) -> None:
    """Add the options of commands that play experiments."""
    parser.add_argument(
        "--workers", type=whole_number(1), default=count_cores(), metavar="N",
        help="processes for conditions without language models (default: number of cores)",
    )  # fmt: skip
    parser.add_argument(
        "--dask", nargs="?", const="here", metavar="ADDRESS",
        help="play on a dask cluster: at this address, or a new one on this machine",
    )  # fmt: skip
    add_limit_options(parser)
    add_saving_options(parser)
    add_fallback_option(parser)
    parser.add_argument(
        "--out", type=out_path, metavar="DIR", help=f"output folder (default: {out})"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace runs whose settings differ"
    )
    add_output_options(parser)
