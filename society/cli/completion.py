"""Completion of commands, options and names in the shell: bash, zsh, fish.

argcomplete asks this program what may follow; it is imported only when a shell asks, or for the
lines that a user adds to the shell's settings.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection

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
    argcomplete.autocomplete(parser, always_complete_options=False)
