"""Commands for single runs: run, prompts, resume, show, verify and replay."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .arguments import (
    NOT_GIVEN,
    add_fallback_option,
    add_limit_options,
    add_output_options,
    add_saving_options,
    add_strict_option,
    add_watch_option,
    add_workers_option,
    out_path,
    whole_number,
)
from .output import answers_if_possible, console, print_json
from .parser import Commands

if TYPE_CHECKING:
    from society.analysis.findings import StudyFinding
    from society.config.build import Society
    from society.config.run_config import RunConfig, Setting
    from society.engine.calls import Usage
    from society.engine.game_master import Outcome
    from society.engine.history import Recorder
    from society.llm.call_tables import BatchRecord
    from society.runs.call_search import NamedCall
    from society.runs.fork_note import ForkNote
    from society.runs.play import Watch
    from society.runs.runfile import RunFile
    from society.runs.session import End, Session
    from society.terminal.live import Live


def add_run(commands: Commands) -> None:
    """Add `society run`."""
    parser = commands.add_parser("run", help="run a scenario and record it in a run file")
    parser.add_argument("scenario", help="a name from `society list`, FILE.yaml or FILE.py")
    parser.add_argument("--seed", type=whole_number(0), metavar="S", help="random seed")
    parser.add_argument(
        "--rounds", type=whole_number(1), metavar="T", help="maximum number of rounds"
    )
    parser.add_argument(
        "--replicates", type=whole_number(1), metavar="R", help="number of replicates"
    )
    parser.add_argument("--agents", type=whole_number(1), metavar="N", help="agents per replicate")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="set one or more scenario parameters, or a graph: graph=ring, graph.RELATION=ring",
    )  # fmt: skip
    parser.add_argument(
        "--model", metavar="M", help="model for language agents (see `society list models`)"
    )
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="override the built-in prompts with these"
    )
    add_workers_option(parser)
    add_limit_options(parser)
    add_saving_options(parser)
    add_fallback_option(parser)
    parser.add_argument(
        "--estimate", action="store_true", help="estimate calls, tokens and cost; do not play"
    )
    parser.add_argument(
        "--record", choices=("full", "summary"),
        help="record every fact (full), or only measures and digests (summary); "
        "default: full up to a million agent-rounds",
    )  # fmt: skip
    parser.add_argument(
        "--out",
        type=out_path,
        metavar="FILE",
        help="run file (default: runs/SCENARIO-SEED.run, or the first -2.run, -3.run that is free)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    add_strict_option(parser)
    add_watch_option(parser)
    add_output_options(parser)
    parser.set_defaults(command=run_command)


def run_command(args: argparse.Namespace) -> int:
    """Carry out `society run`."""
    from society.config.defaults import find_defaults
    from society.config.run_config import load_config, override, parse_settings

    settings = [*parse_settings(args.changes), *given_settings(args)]
    spec = override(load_config(args.scenario), settings)
    return play_config(args, find_defaults().fill(spec))


def play_config(args: argparse.Namespace, spec: RunConfig) -> int:
    """Play a configuration as `society run` does, and print what came of it."""
    from society.config.build import build
    from society.config.defaults import find_defaults
    from society.config.wiring_issues import announce_wiring, wiring_warnings
    from society.runs.play import play
    from society.slow_work import watch_slow_work

    with nullcontext() if args.quiet else watch_slow_work(_print_work):
        setup = build(spec)
    announce_wiring(setup.wiring, strict=args.strict)
    if args.estimate:
        return _print_estimate(args, setup)
    # A preset or a file gives the run its own name, not that of the scenario that it plays.
    stem = Path(args.scenario).stem
    own = ".py" in args.scenario or stem == spec.scenario
    name = f"{setup.scenario.name if own else stem}-{setup.seed}.run"
    usual = find_defaults().folder("runs") / name
    path = args.out or (usual if args.overwrite else free_path(usual))
    moved = "" if path in (usual, args.out) else f"{usual} exists; this run is written to {path}"
    with wiring_warnings(strict=args.strict):
        end = play(
            setup,
            path,
            args.record,
            overwrite=args.overwrite,
            watch=watch_run(args, begun=True, note=moved),
            awaiting=print_awaiting,
            workers=getattr(args, "workers", 1),
            announce=print_note,
        )
    return print_end(args, path, end)


def _print_work(words: str) -> None:
    """Say what takes long before a run begins."""
    if words:
        print_note(words)


def free_path(path: Path) -> Path:
    """The path itself, or the first of NAME-2.run, NAME-3.run ... that no run has taken."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(one for one in chain([path], numbered) if not one.exists())


def _print_estimate(args: argparse.Namespace, setup: Society) -> int:
    """Print estimated calls, tokens and cost of a run without playing it."""
    from society.runs.design_runs import make_designs
    from society.runs.manifest import manifest_of
    from society.terminal.forecast_text import print_forecast

    minds = setup.counting()
    setup = make_designs(setup, minds)
    manifest, outcome = manifest_of(setup), setup.gamemaster(minds=minds).play()
    forecasts = minds.forecasts()
    if args.json:
        told = [forecast._asdict() for forecast in forecasts]
        print_json({"rounds": outcome.rounds, "models": told})
        return 0

    print_forecast(manifest, outcome.rounds, forecasts, console())
    return 0


def add_resume(commands: Commands) -> None:
    """Add `society resume`."""
    parser = commands.add_parser("resume", help="continue an interrupted or paused run")
    parser.add_argument("file", type=Path, metavar="FILE.run")
    add_code_options(parser)
    add_workers_option(parser)
    add_limit_options(parser)
    add_saving_options(parser)
    add_fallback_option(parser)
    add_watch_option(parser)
    add_output_options(parser)
    parser.set_defaults(command=resume_command)


def resume_command(args: argparse.Namespace) -> int:
    """Carry out `society resume`."""
    from society.config.defaults import find_defaults
    from society.config.run_config import override
    from society.runs.play import resume

    defaults = find_defaults()

    def changed(spec: RunConfig) -> RunConfig:
        return defaults.fill_recorded(override(spec, given_settings(args)))

    end = resume(
        args.file,
        changed,
        watch_run(args),
        print_awaiting,
        trust=args.trust,
        files=args.files,
        announce=print_note,
        workers=args.workers,
    )
    if end.file is None:
        print(f"society: {args.file} is finished; {end.words}", file=sys.stderr)
    code = print_end(args, args.file, end)
    if not code and end.purpose:
        words = "the designs are ready; repeat the command that needed them to play its tournament"
        print(f"society: {words}", file=sys.stderr)
    return code


def given_limits(args: argparse.Namespace) -> dict[str, Any]:
    """Return the limits that the command line sets, or lifts by None."""
    from society.config.run_config import LIMITS

    given = {name: getattr(args, name, NOT_GIVEN) for name in LIMITS}
    return {name: value for name, value in given.items() if value is not NOT_GIVEN}


def given_settings(args: argparse.Namespace, *, limits: bool = True) -> list[Setting]:
    """List the settings that options stand for, with or without those of limits."""
    from society.config.run_config import option_settings

    given = {name: value for name, value in vars(args).items() if value not in (None, NOT_GIVEN)}
    given = {name: str(one) if isinstance(one, Path) else one for name, one in given.items()}
    of_limits = given_limits(args)
    return [one for one in option_settings(given | of_limits) if limits or one.key[0] != "limits"]


def add_prompts(commands: Commands) -> None:
    """Add `society prompts`."""
    parser = commands.add_parser("prompts", help="print the prompts of a scenario, without a model")
    parser.add_argument("scenario", help="a name from `society list`, FILE.yaml or FILE.py")
    parser.add_argument("--question", metavar="Q", help="print the prompt of this question only")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="set one or more scenario parameters",
    )  # fmt: skip
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="override the built-in prompts with these"
    )
    parser.set_defaults(command=prompts_command)


def prompts_command(args: argparse.Namespace) -> int:
    """Carry out `society prompts`."""
    from society.config.build import build
    from society.config.defaults import find_defaults
    from society.config.run_config import load_config, option_settings, override, parse_setting
    from society.runs.prompt_preview import first_prompts

    folder = {} if args.prompts is None else {"prompts": str(args.prompts)}
    settings = [*map(parse_setting, args.changes), *option_settings(folder)]
    setup = build(find_defaults().fill(override(load_config(args.scenario), settings)))
    for question, prompt in first_prompts(setup, args.question).items():
        print(f"== {question}\n{prompt}\n")
    return 0


def watch_run(args: argparse.Namespace, *, begun: bool = False, note: str = "") -> Watch:
    """Return a function that announces a run to be played and opens its live view.

    note: printed once, before the first run; by then nothing has been refused.
    """
    notes = [note] if note else []
    can_watch = getattr(args, "watch", False) and _can_watch(args)

    def watch(session: Session) -> AbstractContextManager[Recorder | None]:
        while notes:
            print_note(notes.pop())
        if since := session.writer.call_store.since:
            print(f"society: {session.writer.path}{since}", file=sys.stderr)
        if begun and not args.quiet:
            where = session.purpose or session.setup.found
            name, file = session.setup.scenario.name, session.writer.path
            print(f"{name} ({where}) is recorded in {file}", file=sys.stderr)
        if can_watch and not session.purpose:
            from society.theatre.watching import WatchedRun

            return WatchedRun(session, _live_view(session))
        if args.quiet or args.json:
            return nullcontext()
        return _live_view(session)

    return watch


def _can_watch(args: argparse.Namespace) -> bool:
    """Check if there is a terminal for --watch, and say if there is none; raises InputError."""
    from society.errors import InputError

    if args.quiet:
        raise InputError("--watch shows a run while it is played, and --quiet nothing; give one")
    streams = {"stdin": sys.__stdin__, "stderr": sys.__stderr__}
    lacking = [name for name, one in streams.items() if not (one and one.isatty())]
    instead = "" if args.json else "; lines are printed instead"
    if os.name == "nt":
        print_note(f"--watch does not work on Windows{instead}")
        return False
    if os.environ.get("TERM") == "dumb":
        lacking = ["this"]
    if lacking:
        print_note(f"--watch needs a terminal, and {lacking[0]} is none{instead}")
    return not lacking


def _live_view(session: Session) -> Live:
    """Return the live view of a run."""
    from society.terminal.live import Live

    manifest, asked, minds = session.writer.manifest, session.outside.ledger.entries, session.minds
    if minds is None:
        return Live(manifest, asked=asked)
    live = Live(manifest, asked=asked, awaited=minds.desk.awaited, under_way=minds.under_way.all)
    minds.desk.announce = live.announce
    return live


def print_end(args: argparse.Namespace, path: Path, end: End) -> int:
    """Print how a run ended, its results or how to continue it; return the exit code."""
    from society.errors import InputError, user_place
    from society.runs.runfile import open_run_file

    mistaken = end.bug is not None and user_place(end.bug) is not None
    # A mistake in the user's file is told in one line, with its place; -v shows the rest.
    if end.bug is not None and (not mistaken or getattr(args, "verbose", False)):
        traceback.print_exception(end.bug)
    file = end.file or path
    if not end.saved:
        print(f"society: {end.words}; nothing was saved", file=sys.stderr)
        return InputError.exit_code if mistaken else end.code
    with open_run_file(file) as run:
        if end.code:
            from society.terminal.labels import count_noun

            # Designs that the run waits for are made again by the command that named the run.
            designs = end.purpose and file != path
            go_on = "the same command" if designs else f"society resume {file}"
            if end.limited:
                go_on += ", with a higher limit"
            kept = f"{count_noun(run.rounds, 'round')} saved; continue with: {go_on}"
            print(f"society: {end.words}; {kept}", file=sys.stderr)
            for batch in run.open_batches():
                print_note(f"{describe_batch(batch)}; resume picks it up")
        if args.json or not args.quiet:
            _print_run(args, run)
        if end.code or getattr(args, "accept_fallbacks", False):
            return end.code
        return check_fallbacks(args, run)


def check_fallbacks(args: argparse.Namespace, run: RunFile) -> int:
    """Return 1, and say so, if most of what language models should have answered is fallbacks."""
    from society.llm.providers.settings import Limits
    from society.runs.fallbacks import describe_fallbacks

    limits = run.manifest.spec.get("limits", {}) | given_limits(args)
    words = describe_fallbacks(run.ledger(), Limits.model_validate(limits).max_fallbacks)
    if not words:
        return 0
    print(
        f"society: {words}: what happened in this run is mostly the fallbacks of its questions, "
        f"and no model's choice. See society show {run.path}, and take another model or other "
        "settings; if this is what you want, give --accept-fallbacks",
        file=sys.stderr,
    )
    return 1


def describe_batch(batch: BatchRecord) -> str:
    """Describe a batch whose replies are still to come."""
    from society.terminal.labels import count_noun

    host = batch.place.partition(" ")[0]
    name = batch.job or f"with the key {batch.key}"
    return f"batch {name} of {count_noun(len(batch.calls), 'question')} stays at {host}"


def print_note(words: str) -> None:
    """Print a line about the command on stderr."""
    print(f"society: {words}", file=sys.stderr)


def print_awaiting(count: int) -> None:
    replies = "1 reply" if count == 1 else f"{count} replies"
    print(
        f"society: waiting for {replies} under way; press Ctrl-C again to stop at once",
        file=sys.stderr,
    )


def add_show(commands: Commands) -> None:
    """Add `society show`."""
    parser = commands.add_parser("show", help="summarize a run, or show its calls to models")
    parser.add_argument("file", type=Path, metavar="FILE.run")
    parser.add_argument(
        "--calls",
        action="store_true",
        help="show prompts and replies in full, with who gave which words in the margin",
    )
    parser.add_argument("--agent", metavar="A", help="of --calls: those of one agent")
    parser.add_argument("--question", metavar="Q", help="of --calls: those about one question")
    parser.add_argument(
        "--round", type=whole_number(0), metavar="T",
        help="of --calls: those of one round; 0 is before the first",
    )  # fmt: skip
    parser.add_argument(
        "--grep", metavar="TEXT",
        help="of --calls: those that hold this text, in capitals or not (no regular expression)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=show_command)


def show_command(args: argparse.Namespace) -> int:
    """Carry out `society show`."""
    from society.errors import InputError
    from society.runs.runfile import open_run_file

    if args.calls:
        return _show_calls(args)
    for name in ("agent", "question", "round", "grep"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name} chooses among calls; add --calls")
    with open_run_file(args.file) as run:
        answers = answers_if_possible(lambda: _find_answers(run))
        _print_run(args, run, answers, run.check_calls())
        if not args.json and _has_generations(run):
            _print_lineage(run)
    return 0


def _find_answers(run: RunFile) -> list[StudyFinding]:
    """Return what a run shows, in sentences; nothing for one that makes designs alone."""
    from society.analysis.findings import study_findings
    from society.analysis.study import open_run
    from society.analysis.study.design import StudyDesign
    from society.runs.design_runs import is_drafting

    if is_drafting(run.manifest.spec.get("mechanisms", ())):
        return []
    return study_findings(StudyDesign(open_run(run.path)))


def _show_calls(args: argparse.Namespace) -> int:
    """Print calls to models in full."""
    from society.runs.call_search import CallFilter, find_calls
    from society.runs.runfile import open_run_file
    from society.terminal.call_texts import print_calls
    from society.terminal.console import TerminalStyle
    from society.theatre.exchange_page import SettledAnswers

    wanted, paper = CallFilter(args.agent, args.question, args.round, args.grep), console()
    with open_run_file(args.file) as run:
        calls = find_calls(run, wanted)
        settled = SettledAnswers(run, TerminalStyle(paper.encoding, paper.width, whole=True))
        if args.json:
            print_json(
                {"calls": [_call_facts(named) | {"answer": settled(named.call)} for named in calls]}
            )
        elif not print_calls(calls, paper, replicates=run.manifest.replicates, read=settled):
            print_note(_without_calls(run))
    return 0


def _without_calls(run: RunFile) -> str:
    """Say that no call was shown, since none is like that or since there is none at all."""
    if any(not call.request.address.bare for call in run.calls()):
        return f"{run.path} has no such call to a model"
    if run.status != "finished" and not run.rounds:
        return (
            f"{run.path} has no calls to models: it is {run.status}, and no round was saved; "
            f"`society resume {run.path}` goes on"
        )
    return (
        f"{run.path} has no calls to models, since its agents are rules, programs or recorded "
        "answers; `society replay` shows their decisions, and the facts behind them"
    )


def _call_facts(named: NamedCall) -> dict[str, Any]:
    request, said = named.call.request, named.call.said
    return {
        "round": named.call.round,
        "name": named.agent,
        **request.address._asdict(),
        "question": request.address.kind,
        "again": request.again,
        "reason": request.reason,
        "messages": [message._asdict() for message in request.messages],
        "parts": [part._asdict() for part in request.parts],
        "reply": said.text,
        "finish": said.finish,
        "model": said.model,
        "prompt_tokens": said.prompt_tokens,
        "completion_tokens": said.completion_tokens,
        "cached_tokens": said.cached_tokens,
        "cost": said.cost,
        "latency": said.latency,
    }


def _print_scores(path: Path) -> None:
    from society.analysis.crossplay.scoreboard import print_scores

    print_scores(path, console())


def _has_generations(run: RunFile) -> bool:
    """Check if the record holds births; at record level summary it does not."""
    from society.lineage import DESCENDED

    first = next(run.pages(1), None)
    return first is not None and any(step.kind == DESCENDED for step in first.steps)


def _print_lineage(run: RunFile) -> None:
    from society.errors import InputError
    from society.lineage import lineage
    from society.runs.heritable import run_heredity
    from society.terminal.lineage_tree_text import print_ancestry

    print()
    try:
        heredity, naming = run_heredity(run.manifest), run.manifest.naming
        shown = lineage(run.pages(), heredity=heredity, naming=naming)
    except InputError as error:  # for example, a file of the user's has been moved
        print(f"No lineage can be shown: {error}")
        return
    print_ancestry(shown, console(), others=run.manifest.replicates - 1)


def _print_run(
    args: argparse.Namespace,
    run: RunFile,
    answers: Sequence[StudyFinding] | None = None,
    damage: str = "",
) -> None:
    """Print the results of a run, as JSON or as text; with answers, these first.

    damage: of what the results do not rest on, for a note.
    """
    from society.engine.scenario import estimate_measure
    from society.runs.conclusions import PostAnalysisResults, run_post_analysis

    findings, note = run_post_analysis(run) if run.status == "finished" else PostAnalysisResults()
    outcome = run.outcome()
    found = {one.name: estimate_measure(one.values, one.unit) for one in findings}
    outcome = replace(outcome, measures={**outcome.measures, **found})
    notes = [words for words in (note, damage) if words]
    if args.json:
        found_words = {} if answers is None else {"findings": [one.as_json() for one in answers]}
        print_json(_facts(run, outcome, notes) | found_words)
        return
    from society.runs.design_runs import is_drafting, of_designs
    from society.terminal.summary import print_answers, print_record

    if is_drafting(run.manifest.spec.get("mechanisms", ())):
        outcome = replace(outcome, measures={})  # nothing is played there that could be measured
    paper = console()
    print_answers(run, outcome, paper, [one.sentence for one in answers or ()])
    if answers is not None:
        _print_scores(run.path)
    print_record(run, outcome, notes, paper, of_designs(run))


def _facts(run: RunFile, outcome: Outcome, notes: Sequence[str]) -> dict[str, Any]:
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
        "forks": [_fork_facts(note) for note in manifest.forks],
        "measures": {name: asdict(estimate) for name, estimate in outcome.measures.items()},
        **_type_scores(run),
        **_questionnaires(run),
        "ends": {cause or "none": count for cause, count in outcome.ends.items()},
        "ledger": sum_ledger(outcome.ledger) | {"unanswered": run.unanswered},
        "notes": list(notes),
        "batches": [
            {"job": one.job, "place": one.place, "questions": len(one.calls)}
            for one in run.open_batches()
        ],
        "minds": [entry._asdict() for entry in outcome.ledger],
    }


def _fork_facts(note: ForkNote) -> dict[str, Any]:
    """Return what a fork kept of its parent, and what it changed."""
    return {
        "parent": note.parent,
        "after": note.after,
        "path": list(note.path),
        "seed": note.seed,
        "changes": list(note.changes),
        "fresh": note.fresh,
    }


def _questionnaires(run: RunFile) -> dict[str, Any]:
    """Return the answers to questionnaires, if the run has given any."""
    if not any("questionnaire" in part for part in run.manifest.spec.get("mechanisms", ())):
        return {}
    from society.analysis.questionnaires import questionnaires_as_json
    from society.analysis.study.condition import ConditionRun

    return {
        "questionnaires": questionnaires_as_json(ConditionRun.read(run.path, run.path.stem, {}))
    }


def _type_scores(run: RunFile) -> dict[str, Any]:
    """Return the scores of types in a run of cross-play; else nothing."""
    if run.manifest.game is None:  # spares other runs a slow import
        return {}
    from society.analysis.crossplay.scoreboard import scores_as_json

    types = scores_as_json(run.path)
    return {"types": types} if types else {}


def sum_ledger(ledger: Iterable[Usage]) -> dict[str, Any]:
    """Sum counts, tokens and cost over entries; None where one of them is unknown.

    cache_saved: US dollars that cached tokens saved by the price list.
    """
    from society.engine.calls import sum_known
    from society.llm.providers.pricing import cache_savings

    counts = ("calls", "retries", "repairs", "cut", "fallbacks", "copied", "unasked")
    used = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost")
    entries = list(ledger)
    sums = {name: sum_known(getattr(one, name) for one in entries) for name in (*counts, *used)}
    return {**sums, "cache_saved": cache_savings(entries)}


def add_verify(commands: Commands) -> None:
    """Add `society verify`."""
    parser = commands.add_parser(
        "verify", help="check that a run file is intact and that its run can be repeated"
    )
    parser.add_argument("file", type=Path, metavar="FILE.run")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_code_options(parser)
    parser.set_defaults(command=verify_command)


def verify_command(args: argparse.Namespace) -> int:
    """Carry out `society verify`."""
    from society.runs.verify import verify

    verdict = verify(args.file, trust=args.trust, files=args.files, announce=print_note)
    if args.json:
        checks = [check._asdict() for check in verdict.checks]
        print_json({"ok": verdict.ok, "checks": checks})
    else:
        print(verdict)
    return 0 if verdict.ok else 1


def add_code_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that execute the code which a run file names."""
    parser.add_argument(
        "--trust", action="store_true",
        help="execute the Python files that the run file names, and remember them as trusted",
    )  # fmt: skip
    parser.add_argument(
        "--files", type=Path, metavar="DIR", help="look up the files of the run in this folder"
    )
