"""The command line: `society list | run | show | verify | replay`.

Results go to stdout; progress, notes and errors go to stderr. Exit codes: 0 done, 1 the run
failed, 2 the user's input is wrong, 130 interrupted (what was committed is kept).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import SocietyError

if TYPE_CHECKING:
    from rich.console import Console

    from .listing import Kind
    from .runs.runfile import RunFile, Status

# Heavy imports stand inside the commands, so that `society --help` answers at once.

KINDS: tuple[Kind, ...] = ("scenarios", "components", "mechanisms", "graphs")


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
    run.add_argument(
        "--record", choices=("full", "summary"),
        help="every fact, or measures and digests (default: full up to a million agent-rounds)",
    )  # fmt: skip
    run.add_argument("--out", type=Path, metavar="FILE", help="default: runs/SCENARIO-SEED.run")
    run.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    run.add_argument("--json", action="store_true", help="one JSON object on stdout")
    run.add_argument("--quiet", action="store_true", help="no progress, no summary for people")
    run.set_defaults(command=_run)

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
        "--speed", type=_speed, default=math.inf, metavar="X", help="rounds a second"
    )
    replay.set_defaults(command=_replay)
    return parser


def _whole(least: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} up")
        return int(text)

    return whole


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not speed > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return speed


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
    from .runs.runfile import Writer, open_run
    from .scenario_file import changed, load
    from .spec import prepared
    from .theatre.live import Live

    sizes = {name: getattr(args, name) for name in ("seed", "rounds", "replicates", "agents")}
    given = {name: value for name, value in sizes.items() if value is not None}
    setup = prepared(changed(load(args.scenario, given), args.changes))
    # A preset or a file of its own is not the run of the scenario that it plays.
    name = setup.scenario.name if ".py" in args.scenario else Path(args.scenario).stem
    path = args.out or Path("runs") / f"{name}-{setup.seed}.run"
    game = setup.gamemaster()
    manifest = manifest_of(setup, game, args.record)
    status: Status = "finished"
    with Writer(path, manifest, overwrite=args.overwrite) as writer:
        if not args.quiet:
            print(f"{setup.scenario.name}: {setup.found}", file=sys.stderr)
        try:
            with nullcontext() if args.quiet or args.json else Live(manifest) as live:
                game.recorders = [writer] if live is None else [writer, live]
                game.play()
        except KeyboardInterrupt:
            status = "interrupted"
        writer.close(status)
    if not writer.published:
        print("society: interrupted in the first round; nothing was kept", file=sys.stderr)
        return 130
    with open_run(path) as run:
        if status == "interrupted":
            kept = f"{run.rounds} rounds are kept in {path}"
            print(f"society: interrupted; {kept}: see `society show {path}`", file=sys.stderr)
        if args.json or not args.quiet:
            _report(args, run)
    return 130 if status == "interrupted" else 0


def _show(args: argparse.Namespace) -> int:
    from .runs.runfile import open_run

    with open_run(args.file) as run:
        _report(args, run)
    return 0


def _report(args: argparse.Namespace, run: RunFile) -> None:
    """What a run came to, as JSON or as a page for people."""
    if args.json:
        print(json.dumps(_facts(run), indent=2))
        return
    from .theatre.summary import summary

    summary(run.manifest, run.outcome(), run.status, run.path, _console())


def _facts(run: RunFile) -> dict[str, Any]:
    manifest, outcome = run.manifest, run.outcome()
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
        "ledger": {
            "calls": sum(entry.calls for entry in outcome.ledger),
            "retries": 0,
            "repairs": 0,
            "fallbacks": sum(entry.fallbacks for entry in outcome.ledger),
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "cost": 0.0,
        },
    }


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
