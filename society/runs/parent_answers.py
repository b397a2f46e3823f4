"""Answers from outside that a fork takes over from its parent.

Up to the end of the round at which it was forked, the parent has all of them; one that is missing
there is an error, and nothing is asked again. From then on a question is answered from the parent's
record where it is the same: of the same address, to the same model, in the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from society.engine.calls import Address, Request
from society.engine.rng import Array
from society.errors import RunFileError
from society.llm.call_tables import Call

if TYPE_CHECKING:
    from .reader import RunFile

Find = Callable[[Address], Call | None]


class ParentAnswers:
    """Answers that a fork may take over.

    name: of the parent. after: the number of the last round that both share. run: the parent, open
    while the file of the fork is not written; None if that file has what it may take over. fresh:
    take over nothing of later rounds. changed: names of models that are others from then on. bare:
    whether answers without words, which components have found by themselves, count as the same.
    """

    def __init__(
        self,
        name: str,
        after: int,
        run: RunFile | None = None,
        *,
        fresh: bool = False,
        changed: Collection[str] = (),
        bare: bool = False,
    ) -> None:
        self.name, self.after, self._run = name, after, run
        self._fresh, self._changed, self._bare = fresh, changed, bare

    def _allows(self, call: Call) -> bool:
        if call.round <= self.after:
            return True
        if self._fresh or call.request.model in self._changed:
            return False
        return self._bare or not call.request.address.bare

    def calls(self) -> Iterator[Call]:
        """Yield all calls that may be taken over."""
        return filter(self._allows, () if self._run is None else self._run.calls())

    def vector_rows(self) -> Iterator[tuple[str, str, bytes, str]]:
        """Yield the rows of embeddings."""
        return iter(()) if self._run is None else self._run.vector_rows()

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the embeddings of the parent."""
        return {} if self._run is None else self._run.vectors(embedder, texts)

    def _find(self, address: Address) -> Call | None:
        call = None if self._run is None else self._run.call(address)
        return call if call is not None and self._allows(call) else None

    def answer(self, request: Request, find: Find | None = None) -> Call | None:
        """Return the call to take over; None if the question has to be asked.

        find: looks among those that the fork's own file has taken along. Raises RunFileError for
        what the parent must have answered.
        """
        find = find or self._find
        call = find(request.address)
        if call is not None and same_words(call, request):
            return call
        if request.round > self.after:
            return None
        # The answer of a component that called a model through us is not recorded itself.
        if call is None and request.address.bare and find(request.address._replace(turn=0)):
            return None
        kind = request.address.kind
        if call is None:
            words = f"has no answer of {request.agent} to {kind!r} in round {request.round}"
            raise RunFileError(
                f"{self.name} {words}, which is to be played again; fork it before that round"
            )
        raise RunFileError(
            f"{self.name}, round {request.round}: {reworded_error(request)}; the code or the "
            "prompts have changed; restore the earlier version"
        )


def same_words(call: Call, request: Request) -> bool:
    """Check if a recorded call was made in the words of a request."""
    return call.request.fingerprint == request.fingerprint


def reworded_error(request: Request) -> str:
    """Describe a request whose words differ from the record."""
    return f"{request.agent} is not asked {request.address.kind!r} in the words of the record"
