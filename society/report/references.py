"""The literature that reports cite: entries of references.bib, by key.

The file is plain BibTeX, an entry a line. What a report cites is copied out of it, so that a paper
can take it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_ENTRY = re.compile(r"@(\w+)\{(\w+), (.*)\}")
_FIELD = re.compile(r"(\w+) = \{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}(?:, |$)")


class Reference(NamedTuple):
    """An entry of a bibliography."""

    key: str
    sort: str
    fields: Mapping[str, str]

    def bibtex(self, **more: str) -> str:
        """Write the entry, a field a line; more: fields that are added or replaced."""
        fields = {**self.fields, **more}
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@{self.sort}{{{self.key},", *lines, "}"])

    @property
    def cited(self) -> str:
        """The entry as a text cites it: "Kaplan and Meier 1958"."""
        people = self.fields["author"].replace("{", "").replace("}", "").split(" and ")
        names = [one.partition(",")[0] for one in people]
        who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
        return f"{who} {self.fields['year']}"


@cache
def references() -> Mapping[str, Reference]:
    """Read all entries, by key."""
    text = files("society.report").joinpath("references.bib").read_text("utf-8")
    found = {}
    for line in text.splitlines():
        if entry := _ENTRY.fullmatch(line):
            sort, key, fields = entry.groups()
            found[key] = Reference(key, sort, dict(_FIELD.findall(fields)))
    return found


def bibliography(keys: Iterable[str], version: str) -> str:
    """Write the entries of these keys as BibTeX; version: of this program."""
    every = references()
    given = {"society": {"version": version}}
    entries = [every[key].bibtex(**given.get(key, {})) for key in sorted(set(keys))]
    return "\n\n".join(entries) + "\n"
