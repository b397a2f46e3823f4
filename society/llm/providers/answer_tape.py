"""Recorded answers in place of a model: what a run file keeps, said again to the same questions."""

from __future__ import annotations

from society.engine.calls import Completion, Request
from society.errors import InputError, short_path
from society.llm.call_tables import RecordedAnswers


class AnswerTape:
    """Answers by address, if the words are those that were recorded."""

    def __init__(self, file: str) -> None:
        """Open the tape in a run file; raises RunFileError, or InputError if it is empty."""
        self._name, self._answers = short_path(file), RecordedAnswers(file)
        if self._answers.empty:
            self._answers.close()
            raise InputError(
                f"the tape {self._name} holds no answers; name the file of a language run"
            )

    def __call__(self, request: Request) -> Completion:
        """Return the recorded reply, at no cost now; raises InputError if there is none.

        Raises RunFileError for one that cannot be read.
        """
        address = request.address
        whose = f"{address.kind!r} (use {address.use}, turn {address.turn}) of {request.agent}"
        call = self._answers.find(address)
        if call is None:
            raise InputError(
                f"the tape {self._name} has no answer for {whose}; "
                "play what was recorded, or ask a model"
            )
        if call.request.fingerprint != request.fingerprint:
            raise InputError(
                f"the tape {self._name} was asked in other words for {whose}; "
                "use the prompts and settings of that run, or ask a model"
            )
        return call.said._replace(cost=0.0, latency=0.0, retries=0)

    def close(self) -> None:
        """Close the file."""
        self._answers.close()
