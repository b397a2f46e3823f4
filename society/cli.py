"""The command line: `society list | run | resume | show | verify | replay`.

Results go to stdout; progress, notes and errors go to stderr. Exit codes: 0 done, 1 the run
failed, 2 the user's input is wrong, 3 paused by a limit or an outage, 130 interrupted (after both,
what was committed is kept, and `resume` goes on).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import Paused, SocietyError

if TYPE_CHECKING:
    from rich.console import Console

    from .calls import Entry
    from .gamemaster import GameMaster, Outcome
    from .listing import Kind
    from .runs.manifest import Manifest
    from .runs.runfile import RunFile, Status, Writer
    from .spec import Setup
    from .theatre.live import Live

# Heavy imports stand inside the commands, so that `society --help` answers at once.

KINDS: tuple[Kind, ...] = ("scenarios", "components", "mechanisms", "graphs", "models")


_UNSAID = object()  # where None means something


def main(argv: list[str] | None = None) -> int:
    """Run one command and give its exit code."""
    words = sys.argv[1:] if argv is None else argv
    args = _parser().parse_args(list(_one_by_one(words)))
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        return command(args)
    except SocietyError as error:
        print(f"society: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has left (`| head`): nothing is wrong, nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _one_by_one(words: Iterable[str]) -> Iterator[str]:
    """`--set A=1 B=2 NAME` as `--set A=1 --set B=2 NAME`: argparse would take NAME as well."""
    setting = False
    for before, word in pairwise(["", *words]):
        if word.startswith("-"):
            setting = word == "--set"
        elif setting and before != "--set" and "=" in word:
            yield "--set"
        yield word


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="society",
        description="Play societies of agents: commons, norms, punishment, cultural evolution.",
        epilog="Start with: society run fishing_village",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="what can be played, and what agents are made of")
    listing.add_argument("kind", nargs="?", choices=KINDS, help="one kind, with its parameters")
    listing.set_defaults(command=_list)

    run = commands.add_parser("run", help="play a scenario and keep its history in a run file")
    run.add_argument("scenario", help="a name from `society list`, FILE.yaml or FILE.py")
    run.add_argument("--seed", type=_whole(0), metavar="S", help="of all chance")
    run.add_argument("--rounds", type=_whole(1), metavar="T", help="at most")
    run.add_argument("--replicates", type=_whole(1), metavar="R", help="societies at once")
    run.add_argument("--agents", type=_whole(1), metavar="N", help="in each society")
    run.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="one or several: parameters of the scenario; graph=ring, graph.RELATION=ring",
    )  # fmt: skip
    run.add_argument("--model", metavar="M", help="of language minds: see `society list models`")
    run.add_argument("--prompts", type=Path, metavar="DIR", help="templates that outweigh ours")
    _limits(run)
    run.add_argument("--estimate", action="store_true", help="tell calls, tokens, cost; play not")
    run.add_argument(
        "--record", choices=("full", "summary"),
        help="every fact, or measures and digests (default: full up to a million agent-rounds)",
    )  # fmt: skip
    run.add_argument("--out", type=Path, metavar="FILE", help="default: runs/SCENARIO-SEED.run")
    run.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    _output(run)
    run.set_defaults(command=_run)

    resume = commands.add_parser("resume", help="go on with a run that was interrupted or paused")
    resume.add_argument("file", type=Path, metavar="FILE.run")
    _limits(resume)
    _output(resume)
    resume.set_defaults(command=_resume)

    for name, command, words in (
        ("show", _show, "what a run came to"),
        ("verify", _verify, "check that a run file is whole and can be played again"),
    ):
        sub = commands.add_parser(name, help=words)
        sub.add_argument("file", type=Path, metavar="FILE.run")
        sub.add_argument("--json", action="store_true", help="one JSON object on stdout")
        sub.set_defaults(command=command)

    replay = commands.add_parser("replay", help="read a run's history, round by round")
    replay.add_argument("file", type=Path, metavar="FILE.run")
    replay.add_argument("--plain", action="store_true", help="as text (the only way so far)")
    replay.add_argument("--from", type=_whole(0), default=0, metavar="T", dest="start")
    replay.add_argument("--replicate", type=_whole(0), default=0, metavar="R", help="default: 0")
    replay.add_argument(
        "--speed", type=_above_zero, default=math.inf, metavar="X", help="rounds a second"
    )
    replay.set_defaults(command=_replay)
    return parser


def _limits(parser: argparse.ArgumentParser) -> None:
    """How language minds are reached, and how much may be spent; counted over all sittings."""
    parser.add_argument("--api-base", metavar="URL", help="an OpenAI-compatible server")
    # A limit of the run file holds unless it is given again; none lifts it.
    limit = (("cost", _above_zero, "USD"), ("calls", _whole(1), "N"), ("tokens", _whole(1), "N"))
    for name, number, unit in limit:
        parser.add_argument(
            f"--max-{name}", type=_or_none(number), default=_UNSAID, metavar=unit,
            help="pause before it is exceeded; none: no limit",
        )  # fmt: skip
    parser.add_argument("--max-concurrency", type=_whole(1), metavar="N", help="calls at once")


def _or_none(number: Callable[[str], float]) -> Callable[[str], float | None]:
    return lambda text: None if text == "none" else number(text)


def _output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.add_argument("--quiet", action="store_true", help="no progress, no summary for people")


def _whole(least: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} up")
        return int(text)

    return whole


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def _list(args: argparse.Namespace) -> int:
    from .listing import listed

    for kind in [args.kind] if args.kind else KINDS:
        for line in listed(kind, parameters=args.kind is not None):
            print(line)
    if args.kind is None:
        print("`society list KIND` tells the parameters of each, by name", file=sys.stderr)
    return 0


def _run(args: argparse.Namespace) -> int:
    from .runs.manifest import manifest_of
    from .runs.runfile import Writer
    from .scenario_file import changed, load, told
    from .spec import prepared

    sizes = {name: getattr(args, name) for name in ("seed", "rounds", "replicates", "agents")}
    given = {name: value for name, value in sizes.items() if value is not None}
    spec = told(changed(load(args.scenario, given), args.changes), _minds_given(args))
    setup = prepared(spec)
    if args.estimate:
        return _estimate(args, setup)
    # A preset or a file of its own is not the run of the scenario that it plays.
    stem = Path(args.scenario).stem
    own = ".py" in args.scenario or stem == spec.scenario
    path = args.out or Path("runs") / f"{setup.scenario.name if own else stem}-{setup.seed}.run"
    game = setup.gamemaster(minds=setup.minds())
    writer = Writer(path, manifest_of(setup, game, args.record), overwrite=args.overwrite)
    if not args.quiet:
        print(f"{setup.scenario.name}: {setup.found}", file=sys.stderr)
    return _played(args, setup, game, writer)


def _estimate(args: argparse.Namespace, setup: Setup) -> int:
    """Calls, tokens and cost of a run that is not played."""
    from .models.estimate import Counting

    minds = Counting(setup.spec.models, seed=setup.seed)
    outcome = setup.gamemaster(minds=minds).play()
    forecasts = minds.forecasts()
    if args.json:
        told = [forecast._asdict() for forecast in forecasts]
        print(json.dumps({"rounds": outcome.rounds, "models": told}, indent=2))
        return 0
    from .theatre.forecast import forecast

    forecast(outcome.rounds, forecasts, _console())
    return 0


def _resume(args: argparse.Namespace) -> int:
    from .runs.resume import taken_up
    from .runs.runfile import open_run
    from .scenario_file import told

    with open_run(args.file) as run:
        if run.status == "finished":
            print(f"society: {args.file} is finished; nothing to resume", file=sys.stderr)
            return _reported(args, run, 0)
    sitting = taken_up(args.file, lambda spec: told(spec, _minds_given(args)))
    if sitting.writer.vault.since:
        print(f"society: {args.file}{sitting.writer.vault.since}", file=sys.stderr)
    return _played(args, *sitting)


def _minds_given(args: argparse.Namespace) -> dict[str, Any]:
    """What the command line says about minds: {"model": ..., "limits": {...}, ...}."""
    names = {"api_base": args.api_base, "concurrency": args.max_concurrency}
    model = {"model": getattr(args, "model", None), **names}
    limits = {name: getattr(args, name) for name in ("max_cost", "max_calls", "max_tokens")}
    prompts = getattr(args, "prompts", None)
    return {
        "model": {name: value for name, value in model.items() if value is not None},
        "limits": {name: value for name, value in limits.items() if value is not _UNSAID},
        "prompts": None if prompts is None else str(prompts),
    }


class _End(NamedTuple):
    """How a sitting ended: what to keep as status, the exit code, and why."""

    status: Status
    code: int = 0
    words: str = ""


def _played(args: argparse.Namespace, setup: Setup, game: GameMaster, writer: Writer) -> int:
    """Play to the end or as far as it goes, and report; gives the exit code."""
    from .runs.runfile import open_run

    game.answerer.outside.awaiting = _say_awaiting
    with writer:
        with nullcontext() if args.quiet or args.json else _live(writer.manifest, game) as live:
            game.recorders = [writer] if live is None else [writer, live]
            end = _sitting(game)
        if not end.code and (args.json or not args.quiet):
            _conclude(setup, writer)
        # Where the disk is full, its end cannot be written either: why it ended says more.
        with suppress(Paused) if end.code else nullcontext():
            writer.close(end.status)
    if not writer.published:
        print(f"society: {end.words}; nothing was kept", file=sys.stderr)
        return end.code
    with open_run(writer.path) as run:
        if end.code:
            kept = f"{run.rounds} rounds are kept; go on with: society resume {writer.path}"
            print(f"society: {end.words}; {kept}", file=sys.stderr)
        return _reported(args, run, end.code)


def _say_awaiting(count: int) -> None:
    replies = "a reply" if count == 1 else f"{count} replies"
    print(f"society: waiting for {replies} under way; Ctrl-C again not to wait", file=sys.stderr)


def _sitting(game: GameMaster) -> _End:
    try:
        game.play()
    except KeyboardInterrupt:
        return _End("interrupted", 130, "interrupted")
    except Paused as paused:
        return _End("paused", paused.exit_code, f"paused: {paused}")
    except SocietyError as error:
        return _End("failed", error.exit_code, str(error))
    except Exception:  # of a component or script: its author needs to see where
        traceback.print_exc()
        return _End("failed", 1, "the run failed where the lines above say")
    return _End("finished")


def _live(manifest: Manifest, game: GameMaster) -> Live:
    from .theatre.live import Live

    return Live(manifest, asked=game.answerer.outside.ledger.entries)


def _conclude(setup: Setup, writer: Writer) -> None:
    """Keep what the scenario concludes from the run, so that it need not be found again."""
    from .runs.afterword import concluded
    from .runs.runfile import open_run

    if setup.scenario.afterword is not None:
        with open_run(writer.path) as run:
            findings, note = concluded(run, setup, writer.vault)
        if not note:
            writer.conclude(findings)


def _reported(args: argparse.Namespace, run: RunFile, code: int) -> int:
    if args.json or not args.quiet:
        _report(args, run)
    return code


def _show(args: argparse.Namespace) -> int:
    from .runs.runfile import open_run

    with open_run(args.file) as run:
        _report(args, run)
    return 0


def _report(args: argparse.Namespace, run: RunFile) -> None:
    """What a run came to, as JSON or as a page for people."""
    from .runs.afterword import Concluded, concluded
    from .scenario import estimated

    findings, note = concluded(run) if run.status == "finished" else Concluded()
    outcome = run.outcome()
    found = {one.name: estimated(one.values, one.unit) for one in findings}
    outcome = replace(outcome, measures={**outcome.measures, **found})
    if args.json:
        print(json.dumps(_facts(run, outcome, note), indent=2))
        return
    from .theatre.summary import summary

    summary(run, outcome, [note] if note else [], _console())


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
        "ends": {cause or "none": count for cause, count in outcome.ends.items()},
        "ledger": _totals(outcome.ledger) | {"unanswered": run.unanswered},
        "notes": [note] if note else [],
        "minds": [entry._asdict() for entry in outcome.ledger],
    }


def _totals(ledger: Iterable[Entry]) -> dict[str, Any]:
    """Sums over all that was asked; null where something unknown is in them."""
    counts = ("calls", "retries", "repairs", "cut", "fallbacks")
    used = ("prompt_tokens", "completion_tokens", "cost")
    entries = list(ledger)
    totals: dict[str, Any] = {name: sum(getattr(one, name) for one in entries) for name in counts}
    for name in used:
        values = [getattr(one, name) for one in entries]
        totals[name] = None if None in values else sum(values)
    return totals


def _verify(args: argparse.Namespace) -> int:
    from .runs.verify import verify

    verdict = verify(args.file)
    if args.json:
        checks = [check._asdict() for check in verdict.checks]
        print(json.dumps({"ok": verdict.ok, "checks": checks}, indent=2))
    else:
        marks = {True: "ok", False: "FAILED", None: "-"}
        for check in verdict.checks:
            print(f"{marks[check.ok]:6}  {check.name}: {check.words}")
    return 0 if verdict.ok else 1


def _replay(args: argparse.Namespace) -> int:
    from .runs.runfile import open_run
    from .theatre.plain import history

    with open_run(args.file) as run:
        history(run, _console(), args.start, args.replicate, args.speed)
    return 0


def _console() -> Console:
    """Stdout; a reader that has left is handled in `main`, not by rich."""
    from rich.console import Console

    class Paper(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Paper(highlight=False)
