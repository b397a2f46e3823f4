"""The calls of a run to models, by who was asked, about what, when, and in which words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from society.errors import InputError, suggest

from .agent_names import names_by_round

if TYPE_CHECKING:
    from society.llm.call_tables import Call

    from .reader import RunFile


class CallFilter(NamedTuple):
    """A choice of calls; None: all of them.

    agent: an id or a name. question: its kind. round: its number. text: words that stand in the
    prompt or the reply, in capitals or not.
    """

    agent: str | None = None
    question: str | None = None
    round: int | None = None
    text: str | None = None

    def fits(self, call: Call) -> bool:
        """Tell whether a call is chosen, whoever was asked."""
        words = (*(message.content for message in call.request.messages), call.said.text)
        return (
            self.question in (None, call.request.address.kind)
            and self.round in (None, call.round)
            and (self.text is None or any(self.text.casefold() in one.casefold() for one in words))
        )


class NamedCall(NamedTuple):
    """A call, and the name of the agent that made it."""

    call: Call
    agent: str


def find_calls(run: RunFile, wanted: CallFilter) -> Iterator[NamedCall]:
    """Yield the chosen calls in the order in which they were kept.

    Raises InputError for an agent, question or round of which the run has no call.
    """
    # Names need the pages of the run, and calls may be too many to hold: they are read twice.
    calls = [
        (call.request.address, call.round) for call in run.calls() if not call.request.address.bare
    ]
    kinds = {address.kind for address, _ in calls}
    if calls and wanted.question is not None and wanted.question not in kinds:
        raise InputError(
            f"no model was asked {wanted.question!r} in {run.path}; "
            f"{suggest(wanted.question, kinds)}"
        )
    last = max((number for _, number in calls), default=0)
    if calls and wanted.round is not None and wanted.round not in {number for _, number in calls}:
        raise InputError(
            f"no model was asked anything in round {wanted.round} of {run.path}; the last call is "
            f"of round {last}, and those before the first are of round 0"
        )
    places = [(number, address.replicate, address.agent) for address, number in calls]
    names = names_by_round(run, places)
    if wanted.agent is not None:
        known = {*names, *(str(address.agent) for address, _ in calls)}
        if calls and wanted.agent not in known:
            raise InputError(
                f"no model was asked anything by agent {wanted.agent!r} in {run.path}; "
                f"{suggest(wanted.agent, set(names))}"
            )
    spoken = (call for call in run.calls() if not call.request.address.bare)
    for call, name in zip(spoken, names, strict=False):  # a run in progress has more by now
        mine = wanted.agent in (None, name, str(call.request.address.agent))
        if mine and wanted.fits(call):
            yield NamedCall(call, name)
