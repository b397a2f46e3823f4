"""What authors of strategies write: a description in words, then a program.

Models are free in the form of a description. The program stands in a block between fences; a reply
in which it cannot be found is no misprint that could be repaired, but a try that failed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from society.engine.action_spaces import Legal, Text
from society.errors import SandboxError, Unparsed
from society.llm.parsing.extract import strip_thoughts
from society.sandbox.source.program_text import parse_text
from society.scenarios.programs.offline_author import improvise_description, improvise_program

_FENCED = re.compile(
    r"^[ \t]*(?P<fence>```+|~~~+)[^\n]*\n(?P<code>.*?)"
    r"(?:^[ \t]*(?P=fence)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_CLASS = re.compile(r"^class\s", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class StrategyDescription(Text):
    """A strategy in words: all of a reply but the thoughts that a model marks as such."""

    code = "words"

    def hint(self, legal: Legal) -> str:
        """Say what form the description has."""
        return f"plain text or pseudocode, of at most {self.limit:,} characters"

    def parse(self, text: str, legal: Legal) -> str:
        """Take a whole reply; raises Unparsed if it is empty or too long."""
        words = _without_thoughts(text)
        if not words:
            raise Unparsed(f"got an empty reply; expected {self.hint(legal)}")
        if len(words) > self.limit:
            raise Unparsed(f"got {len(words):,} characters; expected {self.hint(legal)}")
        return words

    def improvise(self, facts: Mapping[str, Any], rng: np.random.Generator) -> str:
        """Describe a simple strategy, for the offline mind."""
        return improvise_description(facts, rng)


@dataclass(frozen=True, eq=False)
class ProgramText(Text):
    """A program: the whole reply is kept, and `find_program` takes the program from it."""

    code = "words"

    def hint(self, legal: Legal) -> str:
        """Say in what form the program stands."""
        return "one block of Python code between ```python and ```, which defines one class"

    def parse(self, text: str, legal: Legal) -> str:
        """Take a whole reply, whatever it says."""
        return _without_thoughts(text)

    def improvise(self, facts: Mapping[str, Any], rng: np.random.Generator) -> str:
        """Write the program of a description, for the offline mind."""
        return improvise_program(facts, rng)


class NoProgram(ValueError):
    """A reply from which no single program can be taken, with the reason."""


def find_program(reply: str) -> str:
    """Take the program from a reply; raises NoProgram.

    >>> find_program('Here it is:\\n```python\\nclass Kind:\\n    pass\\n```\\nGood luck!')
    'class Kind:\\n    pass\\n'
    """
    blocks = [found["code"] for found in _FENCED.finditer(reply)]
    programs = [block for block in blocks if _CLASS.search(block)]
    if len(programs) == 1:
        return _visible(programs[0])
    if programs:
        raise NoProgram(
            f"the reply has {len(programs)} blocks of code with classes; give one block with the "
            "whole program"
        )
    if blocks:
        raise NoProgram("the block of code defines no class; give the whole class")
    if _CLASS.search(reply) and _is_python(reply):
        return _visible(reply.strip() + "\n")
    raise NoProgram("the reply has no block of code between ```python and ```; give one")


def _visible(program: str) -> str:
    """Return a program in which everything can be seen; raises NoProgram."""
    for number, line in enumerate(program.split("\n"), 1):
        for sign in line:
            if sign != "\t" and unicodedata.category(sign) in ("Cc", "Cf"):
                raise NoProgram(
                    f"line {number} has the character U+{ord(sign):04X}, which readers cannot see; "
                    "leave it out"
                )
    return program


def _is_python(text: str) -> bool:
    try:
        parse_text(text, "reply")
    except SandboxError:
        return False
    return True


def _without_thoughts(text: str) -> str:
    """Remove marked thoughts and half characters; backslashes stay, which in code are no LaTeX."""
    whole = text.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    hidden = whole.replace("\0", "").replace("\\", "\0")
    return strip_thoughts(hidden).replace("\0", "\\").strip()
