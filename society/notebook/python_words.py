"""Errors in the words of Python: where a message names an option, a notebook reads an argument.

Messages are written once, for the command line, since most of what can go wrong has one place. The
functions that `import society` offers put them into words of Python as they leave:

    --remove: there is no agent 'x'      remove: there is no agent 'x'
    name another --out                   name another out
    replace it with --overwrite          replace it with overwrite=True
    raise it with --max-calls N          raise it with limits={'max_calls': N}
    play it with --record full           play it with level='full'

Commands that stand between backticks stay, as does an option that has no argument here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from society.errors import SocietyError

P = ParamSpec("P")
T = TypeVar("T")

_ARGUMENTS = {
    "agent": "agents",
    "allow": "allow",
    "ask": "ask",
    "at": "at",
    "attitude": "attitudes",
    "capacity": "capacity",
    "class": "classes",
    "dir": "folder",
    "every": "every",
    "factor": "factor",
    "game": "game",
    "model": "model",
    "norm": "norm",
    "only": "only",
    "out": "out",
    "pack": "packs",
    "players": "players",
    "prompts": "prompts",
    "record": "level",
    "remove": "remove",
    "repetitions": "repetitions",
    "replicate": "replicate",
    "replicates": "replicates",
    "rounds": "rounds",
    "seed": "seed",
    "set": "parameters",
    "strategies": "strategies",
    "threshold": "threshold",
    "without": "without",
    "workers": "workers",
}
_FLAGS = ("fresh", "institutions", "open-source", "overwrite", "quick", "trust")
_KEYS = ("batch", "share-identical")  # of a scenario file, and of what stands in place of it
_LIMITS = ("max-calls", "max-cost", "max-fallbacks", "max-tokens")
_OPTION = re.compile(
    r"(?P<command>`[^`]*`)"
    r"|(?<![\w-])--set (?P<key>[\w.]+)=(?P<to>[^\s,;]+)"
    r"|(?<![\w-])--(?P<name>[a-z]+(?:-[a-z]+)*)"
    r"(?:[ =](?P<value>[A-Z]+\b|\d+|none|full|summary|offline))?(?P<heads>(?=: ))?"
)


def python_words(message: str, arguments: Mapping[str, str] = {}) -> str:
    """Name arguments of Python where a message names options; arguments: other names of some.

    >>> python_words("--model is empty; take --workers 2", {"model": "models"})
    'models is empty; take workers=2'
    """
    names = {**_ARGUMENTS, **arguments}
    changed = _OPTION.sub(lambda found: _in_python(found, names), message)
    return changed.replace("repeat the command", "repeat the call")


def _in_python(found: re.Match[str], names: Mapping[str, str]) -> str:
    if found["command"]:
        return found["command"]
    if found["key"]:
        return f"{names['set']}={{{found['key']!r}: {_value(found['to'])}}}"
    name, value = found["name"], found["value"]
    if name in _LIMITS:
        key = name.replace("-", "_")
        if value is None or found["heads"] is not None:
            return f"limits[{key!r}]" if value is None else f"limits[{key!r}]={_value(value)}"
        return f"limits={{{key!r}: {_value(value)}}}"
    if name in _FLAGS:
        flag = name.replace("-", "_")
        return flag if found["heads"] is not None else f"{flag}=True"
    if name in _KEYS:
        return f"{name.replace('-', '_')}: true"
    if name == "api-base":
        return "model={'model': NAME, 'api_base': URL}"
    if name in names:
        return names[name] if value is None else f"{names[name]}={_value(value)}"
    return f"{found[0]} of the command line"


def _value(word: str) -> str:
    """Write a value as Python has it; words in capitals stand for values."""
    if word.isupper() or word.isdecimal():
        return word
    return "None" if word == "none" else repr(word)


def speaking_python(**arguments: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let the errors of a function name arguments; arguments: other names of some options."""

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> T:
            try:
                return function(*args, **given)
            except SocietyError as error:
                if error.args and isinstance(error.args[0], str):
                    error.args = (python_words(error.args[0], arguments), *error.args[1:])
                raise

        return called

    return wrap
