"""An argument parser whose errors are one line, and say what was probably meant."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

from society.errors import suggest

_UNKNOWN_CHOICE = re.compile(r"argument (\S+): invalid choice: '(.*?)'")


class ArgumentParser(argparse.ArgumentParser):
    """A parser that refuses words in one line: what came, what was meant, where to read more."""

    def error(self, message: str) -> NoReturn:
        """Print the message without the usage, and leave with exit code 2."""
        if found := _UNKNOWN_CHOICE.match(message):
            hint = suggest(found[2], self._choices(found[1]))
            named = f"argument {found[1]}: got {found[2]!r}"
            message = f"there is no command {found[2]!r}" if found[1] == "COMMAND" else named
            message = f"{message}; {hint}"
        print(f"{self.prog}: {message} (`{self.prog} --help` explains)", file=sys.stderr)
        raise SystemExit(2)

    # The signature of argparse's method.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse all words; refuse those that this command does not know."""
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self._refuse(rest)
        return found, rest

    def _refuse(self, words: Sequence[str]) -> NoReturn:
        option = next((word for word in words if word.startswith("-")), None)
        if option is None:
            self.error(f"{words[0]!r} is one word too many")
        name = option.partition("=")[0]
        legal = [name for name in self._option_string_actions if name.startswith("--")]
        self.error(f"there is no option {name}; {suggest(name, legal)}")

    def _choices(self, name: str) -> Iterable[str]:
        """The legal values of an argument, by the name that argparse calls it."""
        for action in self._actions:
            if name in (action.metavar, action.dest, "/".join(action.option_strings)):
                return map(str, action.choices or ())
        return ()


# What `add_subparsers` gives, and each function that adds a command takes.
Commands: TypeAlias = "argparse._SubParsersAction[ArgumentParser]"
