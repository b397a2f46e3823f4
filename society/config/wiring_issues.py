"""A mistake in the wiring of a society: its words, its weight, and its place."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from society.errors import ScenarioError, WiringWarning, short_path

Severity = Literal["error", "warning"]


class WiringIssue(NamedTuple):
    """A mistake in how scenario, components and prompts go together.

    severity: error if it is surely a mistake, or else warning. file, line: "" and 0 if there is no
    place to name, as for what was given as an object. deferred: to be said after a run that has
    succeeded, since a run that fails says the same itself. shared: of an experiment it is said only
    if all conditions have it.
    """

    words: str
    severity: Severity
    file: str = ""
    line: int = 0
    deferred: bool = False
    shared: bool = False

    def __str__(self) -> str:
        place = f"{short_path(self.file)}:{self.line}: " if self.file else ""
        return f"{place}{self.words}"


class WiringRefused(ScenarioError):
    """A society with mistakes in its wiring; the message has the errors first, then warnings."""

    def __init__(self, issues: Iterable[WiringIssue], *, strict: bool = False) -> None:
        found = dict.fromkeys(issues)
        errors = [issue for issue in found if strict or issue.severity == "error"]
        self.issues = [*errors, *(one for one in found if one not in errors and not one.deferred)]
        lines = [str(one) if one in errors else f"warning: {one}" for one in self.issues]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.issues,)


def issues_of_conditions(found: Iterable[Sequence[WiringIssue]]) -> list[WiringIssue]:
    """Join what is said of the conditions of an experiment."""
    each = list(found)
    return [
        issue
        for issues in each
        for issue in issues
        if not issue.shared or all(issue in others for others in each)
    ]


def announce_wiring(issues: Iterable[WiringIssue], *, strict: bool = False) -> None:
    """Warn of each issue, once; raises WiringRefused for errors, and if strict for any."""
    issues = list(dict.fromkeys(issues))
    if any(strict or issue.severity == "error" for issue in issues):
        raise WiringRefused(issues, strict=strict)
    _warn(issue for issue in issues if not issue.deferred)


def announce_deferred(issues: Iterable[WiringIssue]) -> None:
    """Warn of what was left unsaid until the run has succeeded."""
    _warn(dict.fromkeys(issue for issue in issues if issue.deferred))


@contextmanager
def wiring_warnings(*, strict: bool) -> Iterator[None]:
    """Make warnings about wiring errors meanwhile, if strict, so that they end a run."""
    with warnings.catch_warnings():
        warnings.simplefilter("error" if strict else "always", WiringWarning)
        yield


@contextmanager
def collected_warnings(*, strict: bool = False) -> Iterator[list[str]]:
    """Collect warnings about wiring meanwhile, each once; others are given at the end.

    strict: make them errors, which end what is going on.
    """
    words: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("error" if strict else "always", WiringWarning)
            yield words
    finally:
        for one in caught:
            if not issubclass(one.category, WiringWarning):
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            elif str(one.message) not in words:
                words.append(str(one.message))


def _warn(issues: Iterable[WiringIssue]) -> None:
    for issue in issues:
        warnings.warn(str(issue), WiringWarning, stacklevel=3)
