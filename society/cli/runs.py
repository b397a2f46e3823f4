"""Commands about single runs: they list, play, resume, tell, check and replay."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import console

if TYPE_CHECKING:
    from society.config.build import Setup
    from society.config.listing import Kind
    from society.engine.calls import Usage
    from society.engine.game_master import Outcome
    from society.runs.design_runs import Drafting
    from society.runs.runfile import RunFile
    from society.runs.session import Session
    from society.terminal.live import Live

KINDS: tuple[Kind, ...] = (
    "scenarios",
    "components",
    "mechanisms",
    "graphs",
    "models",
    "reproductions",
)
UNSAID = object()  # a limit that was not given, where None lifts one


def tell(args: argparse.Namespace) -> int:
    """society list"""
    from society.config.listing import listed

    for kind in [args.kind] if args.kind else KINDS:
        for line in listed(kind, parameters=args.kind is not None):
            print(line)
    if args.kind is None:
        print("`society list KIND` tells the parameters of each, by name", file=sys.stderr)
    return 0


def run(args: argparse.Namespace) -> int:
    """society run"""
    from society.config.build import prepared
    from society.config.spec import Setting, amended, changed, load, told
    from society.runs.session import Session

    sizes = {name: getattr(args, name) for name in ("seed", "rounds", "replicates", "agents")}
    given = [Setting(name, said, f"--{name}") for name, said in sizes.items() if said is not None]
    spec = amended(load(args.scenario), given, Path.cwd())
    spec = told(changed(spec, args.changes), minds_given(args))
    setup = prepared(spec)
    if args.estimate:
        return _estimate(args, setup)
    # A preset or a file of its own is not the run of the scenario that it plays.
    stem = Path(args.scenario).stem
    own = ".py" in args.scenario or stem == spec.scenario
    path = args.out or Path("runs") / f"{setup.scenario.name if own else stem}-{setup.seed}.run"
    if args.overwrite or not path.exists():  # or else it is refused before anybody is asked
        code, setup = _drafted(args, setup, path)
        if code:
            return code
    sitting = Session.begun(
        setup, path, args.record, overwrite=args.overwrite, awaiting=_say_awaiting
    )
    if not args.quiet:
        print(f"{setup.scenario.name}: {setup.found}", file=sys.stderr)
    return _played(args, sitting)


def _drafted(args: argparse.Namespace, setup: Setup, path: Path) -> tuple[int, Setup]:
    """Have designs made that a tournament needs; gives an exit code, and it with its designs."""
    from society.runs.design_runs import completed, draftings

    made = {}
    for one in draftings(setup):
        file = one.file(path)
        sitting = _drafting(one, file, path, overwrite=args.overwrite)
        if sitting is not None:
            if not args.quiet:
                print(
                    f"{setup.scenario.name}: designs for {one.mechanism}: {file}", file=sys.stderr
                )
            code = _played(args, sitting, "the same command")
            if code:
                return code, setup
        made[one.mechanism] = one.kept(file)
    return 0, completed(setup, made)


def _drafting(one: Drafting, file: Path, tournament: Path, *, overwrite: bool) -> Session | None:
    """The run in which designs are made, in a file; None if that has finished."""
    from society.experiments.jobs import PlannedRun, run_statuses
    from society.runs.session import Session, begun_or_taken_up

    run_statuses([PlannedRun(one.mechanism, one.setup, file)], overwrite=overwrite)
    # Designs that no tournament has used yet were paid for in a sitting that was cut short.
    if overwrite and file.exists() and one.used_in(tournament):
        return Session.begun(one.setup, file, "full", overwrite=True, awaiting=_say_awaiting)
    return begun_or_taken_up(one.setup, file, "full", awaiting=_say_awaiting)


def _estimate(args: argparse.Namespace, setup: Setup) -> int:
    """Calls, tokens and cost of a run that is not played."""
    from society.llm.providers.estimate import Counting
    from society.runs.design_runs import drafted
    from society.runs.manifest import manifest_of

    minds = Counting(setup.spec.models, seed=setup.seed)
    setup = drafted(setup, minds)
    manifest, outcome = manifest_of(setup), setup.gamemaster(minds=minds).play()
    forecasts = minds.forecasts()
    if args.json:
        told = [forecast._asdict() for forecast in forecasts]
        print(json.dumps({"rounds": outcome.rounds, "models": told}, indent=2))
        return 0
    from society.terminal.llm_usage import forecast

    forecast(manifest, outcome.rounds, forecasts, console())
    return 0


def resume(args: argparse.Namespace) -> int:
    """society resume"""
    from society.config.spec import told
    from society.runs.design_runs import is_drafting
    from society.runs.runfile import open_run
    from society.runs.session import taken_up

    _refuse_unbegun(args.file)
    with open_run(args.file) as run:
        if run.status == "finished":
            print(f"society: {args.file} is finished; nothing to resume", file=sys.stderr)
            return _reported(args, run, 0)
    sitting = taken_up(
        args.file, lambda spec: told(spec, minds_given(args)), awaiting=_say_awaiting
    )
    if sitting.writer.vault.since:
        print(f"society: {args.file}{sitting.writer.vault.since}", file=sys.stderr)
    code = _played(args, sitting)
    if not code and is_drafting(sitting.setup.spec.mechanisms):
        words = "the designs are made; the command that asked for them goes on with its tournament"
        print(f"society: {words}", file=sys.stderr)
    return code


def _refuse_unbegun(path: Path) -> None:
    """Raises RunFileError for a tournament that waits for its designs."""
    from society.errors import RunFileError
    from society.runs.design_runs import drafts_of
    from society.runs.runfile import open_run

    made = [] if path.exists() else drafts_of(path)
    for file in made:
        with open_run(file) as run:
            if run.status != "finished" or file == made[-1]:
                raise RunFileError(
                    f"{path} has not begun: its designs are made first, and {file} is {run.status} "
                    f"after {run.spent.calls} calls; the command that asked for {path} goes on"
                )


def minds_given(args: argparse.Namespace) -> dict[str, Any]:
    """What the command line says about minds: {"model": ..., "limits": {...}, ...}."""
    names = {"api_base": args.api_base, "concurrency": args.max_concurrency}
    model = {"model": getattr(args, "model", None), **names}
    limits = {name: getattr(args, name) for name in ("max_cost", "max_calls", "max_tokens")}
    prompts = getattr(args, "prompts", None)
    return {
        "model": {name: value for name, value in model.items() if value is not None},
        "limits": {name: value for name, value in limits.items() if value is not UNSAID},
        "prompts": None if prompts is None else str(prompts),
    }


def _played(args: argparse.Namespace, sitting: Session, again: str = "") -> int:
    """Play to the end or as far as it goes, and report; gives the exit code.

    again: what goes on with a run that another one waits for, and is not reported at its end.
    """
    from society.runs.runfile import open_run

    writer = sitting.writer
    with writer:
        with nullcontext() if args.quiet or args.json else _live(sitting) as live:
            end = sitting.play(*([] if live is None else [live]))
        if end.bug is not None:
            traceback.print_exception(end.bug)
        if not end.code and (args.json or not args.quiet):
            sitting.conclude()
        sitting.close(end)
    if not writer.published:
        print(f"society: {end.words}; nothing was kept", file=sys.stderr)
        return end.code
    with open_run(writer.path) as run:
        if end.code:
            go_on = again or f"society resume {writer.path}"
            if end.limited:
                go_on += ", with a higher limit"
            kept = f"{run.rounds} rounds are kept; go on with: {go_on}"
            print(f"society: {end.words}; {kept}", file=sys.stderr)
        return 0 if again and not end.code else _reported(args, run, end.code)


def _say_awaiting(count: int) -> None:
    replies = "a reply" if count == 1 else f"{count} replies"
    print(f"society: waiting for {replies} under way; Ctrl-C again not to wait", file=sys.stderr)


def _live(sitting: Session) -> Live:
    from society.terminal.live import Live

    return Live(sitting.writer.manifest, asked=sitting.outside.ledger.entries)


def _reported(args: argparse.Namespace, run: RunFile, code: int) -> int:
    if args.json or not args.quiet:
        _report(args, run)
    return code


def show(args: argparse.Namespace) -> int:
    """society show"""
    from society.runs.runfile import open_run

    with open_run(args.file) as run:
        _report(args, run)
        if not args.json and _has_generations(run):
            _tell_lineage(run)
    if not args.json:
        _tell_cross_play(Path(args.file))
    return 0


def _tell_cross_play(path: Path) -> None:
    from society.analysis.crossplay.scoreboard import print_scores

    print_scores(path, console())


def _has_generations(run: RunFile) -> bool:
    """Whether it tells of births; at level summary it does not."""
    first = next(run.pages(1), None)
    return first is not None and any(step.kind == "descended" for step in first.steps)


def _tell_lineage(run: RunFile) -> None:
    from society.errors import InputError
    from society.lineage import lineage
    from society.runs.heritable import heredity
    from society.terminal.lineage import ancestry

    print()
    try:
        shown = lineage(run.pages(), heredity=heredity(run.manifest))
    except InputError as error:  # a graph of the user's that is not where it was, say
        print(f"No lineage: {error}")
        return
    ancestry(shown, console(), others=run.manifest.replicates - 1)


def _report(args: argparse.Namespace, run: RunFile) -> None:
    """What a run came to, as JSON or as a page for people."""
    from society.engine.scenario import estimated
    from society.runs.conclusions import Concluded, concluded

    findings, note = concluded(run) if run.status == "finished" else Concluded()
    outcome = run.outcome()
    found = {one.name: estimated(one.values, one.unit) for one in findings}
    outcome = replace(outcome, measures={**outcome.measures, **found})
    if args.json:
        print(json.dumps(_facts(run, outcome, note), indent=2))
        return
    from society.runs.design_runs import is_drafting, of_designs
    from society.terminal.summary import summary

    if is_drafting(run.manifest.spec.get("mechanisms", ())):
        outcome = replace(outcome, measures={})  # nothing that is measured comes to pass there
    summary(run, outcome, [note] if note else [], console(), of_designs(run))


def _facts(run: RunFile, outcome: Outcome, note: str) -> dict[str, Any]:
    manifest = run.manifest
    return {
        "scenario": manifest.scenario,
        "seed": manifest.seed,
        "agents": manifest.agents,
        "replicates": manifest.replicates,
        "rounds": outcome.rounds,
        "status": run.status,
        "digest": outcome.digest,
        "out": str(run.path),
        "measures": {name: asdict(estimate) for name, estimate in outcome.measures.items()},
        **_of_types(run),
        "ends": {cause or "none": count for cause, count in outcome.ends.items()},
        "ledger": totals(outcome.ledger) | {"unanswered": run.unanswered},
        "notes": [note] if note else [],
        "minds": [entry._asdict() for entry in outcome.ledger],
    }


def _of_types(run: RunFile) -> dict[str, Any]:
    """The scores of types, in a run of cross-play."""
    if run.manifest.game is None:  # others need not wait for what computes them
        return {}
    from society.analysis.crossplay.scoreboard import scores_as_json

    types = scores_as_json(run.path)
    return {"types": types} if types else {}


def totals(ledger: Iterable[Usage]) -> dict[str, Any]:
    """Sums over all that was asked; null where something unknown is in them."""
    from society.engine.calls import added

    counts = ("calls", "retries", "repairs", "cut", "fallbacks")
    used = ("prompt_tokens", "completion_tokens", "cost")
    entries = list(ledger)
    return {name: added(getattr(one, name) for one in entries) for name in (*counts, *used)}


def verify(args: argparse.Namespace) -> int:
    """society verify"""
    from society.runs.verify import verify

    verdict = verify(args.file)
    if args.json:
        checks = [check._asdict() for check in verdict.checks]
        print(json.dumps({"ok": verdict.ok, "checks": checks}, indent=2))
    else:
        marks = {True: "ok", False: "FAILED", None: "-"}
        for check in verdict.checks:
            print(f"{marks[check.ok]:6}  {check.name}: {check.words}")
    return 0 if verdict.ok else 1


def replay(args: argparse.Namespace) -> int:
    """society replay"""
    from society.runs.runfile import open_run
    from society.terminal.replay import history

    with open_run(args.file) as run:
        history(run, console(), args.start, args.replicate, args.speed)
    return 0
