"""A mistake in the wiring of a society: its words, its weight, and its place."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Literal, NamedTuple

from society.errors import ScenarioError, WiringWarning, short_path


class WiringIssue(NamedTuple):
    """A mistake in how scenario, components and prompts go together.

    severity: error if it is surely a mistake, or else warning. file, line: "" and 0 if there is no
    place to name, as for what was given as an object.
    """

    words: str
    severity: Literal["error", "warning"]
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{short_path(self.file)}:{self.line}: " if self.file else ""
        return f"{place}{self.words}"


def announce_wiring(issues: Iterable[WiringIssue], *, strict: bool = False) -> None:
    """Warn of each issue, once; raises ScenarioError for errors, and if strict for warnings too."""
    issues = list(dict.fromkeys(issues))
    refused = [issue for issue in issues if strict or issue.severity == "error"]
    if refused:
        raise ScenarioError("\n".join(map(str, refused)))
    for issue in issues:
        warnings.warn(str(issue), WiringWarning, stacklevel=2)
