"""Completion of commands, options and names in the shell: bash, zsh, fish.

argcomplete asks this program what may follow; it is imported only when a shell asks, or for the
lines that a user adds to the shell's settings.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection
from functools import partial

from .parser import ArgumentParser, Commands

SHELLS = ("bash", "zsh", "fish")
_LINES = {
    "bash": 'eval "$(society completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(society completion zsh)"   # in ~/.zshrc, after compinit',
    "fish": "society completion fish | source   # in ~/.config/fish/config.fish",
}


def add_completion(commands: Commands) -> None:
    """Add `society completion`."""
    parser = commands.add_parser(
        "completion",
        help="print the lines that make a shell complete commands, options and names",
        epilog="; ".join(_LINES.values()),
    )
    parser.add_argument(
        "shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}"
    )
    parser.set_defaults(command=completion_command)


def completion_command(args: argparse.Namespace) -> int:
    """Carry out `society completion`."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["society"], shell=args.shell))
    return 0


def _settings(
    place: str, prefix: str, parsed_args: argparse.Namespace, **_more: object
) -> list[str]:
    """List what may stand after --set for the scenario that was typed; runs no code of a file."""
    from society.config.hook_checks import source_file
    from society.config.registry import Registry
    from society.config.run_config import load_config
    from society.errors import SocietyError

    try:
        scenario = load_config(str(getattr(parsed_args, place, None) or "")).scenario
        file, mark, _ = scenario.partition(".py")
        if mark:
            names = source_file(f"{file}.py").parameters
        else:
            names = tuple(Registry().scenario(scenario).params.model_fields)
    except SocietyError:  # nothing is typed yet, or no scenario
        names = ()
    return [f"{name}=" for name in names if name.startswith(prefix)]


def complete_if_asked(parser: ArgumentParser, commands: Commands) -> None:
    """Answer a shell that asks what may follow, and leave; do nothing if none asks."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete
    from argcomplete.completers import FilesCompleter

    from society import index, plugins

    scenarios = [
        *index.scenario_names(),
        *index.presets(),
        *plugins.plugin_names("scenarios"),
    ]
    files = FilesCompleter((".yaml", ".yml", ".py"))

    def offer(names: Collection[str]) -> Callable[..., list[str]]:
        return lambda prefix, **_: [*names, *files(prefix)]

    known = {
        "run": ("scenario", scenarios),
        "prompts": ("scenario", scenarios),
        "check": ("file", scenarios),
        "sweep": ("experiment", index.experiments()),
    }
    for command, (name, names) in known.items():
        actions = commands.choices[command]._actions
        action = next(one for one in actions if one.dest == name)
        vars(action)["completer"] = offer(names)
    for command, name in (("run", "scenario"), ("prompts", "scenario")):
        for action in commands.choices[command]._actions:
            if action.dest == "changes":
                vars(action)["completer"] = partial(_settings, name)
    argcomplete.autocomplete(parser, always_complete_options=False)
