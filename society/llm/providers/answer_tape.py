"""Recorded answers in place of a model: what a run file keeps, said again to the same questions."""

from __future__ import annotations

from collections.abc import Mapping

from society.engine.calls import Address, Completion, Request
from society.errors import InputError, short_path


class AnswerTape:
    """Answers by address, if the words are those that were recorded."""

    def __init__(self, name: str, answers: Mapping[Address, tuple[str, Completion]]) -> None:
        if not answers:
            raise InputError(f"the tape {name} holds no answers; name the file of a language run")
        self._name, self._answers = name, answers

    @classmethod
    def read(cls, file: str) -> AnswerTape:
        """The tape in a run file; raises RunFileError, or InputError if it is empty."""
        from society.llm.call_tables import read_recorded_calls

        return cls(short_path(file), read_recorded_calls(file))

    def __call__(self, request: Request) -> Completion:
        """Return the recorded reply, at no cost now; raises InputError if there is none."""
        address = request.address
        whose = f"{address.kind!r} (use {address.use}, turn {address.turn}) of {request.agent}"
        if address not in self._answers:
            raise InputError(
                f"the tape {self._name} has no answer for {whose}; "
                "play what was recorded, or ask a model"
            )
        fingerprint, said = self._answers[address]
        if fingerprint != request.fingerprint:
            raise InputError(
                f"the tape {self._name} was asked in other words for {whose}; "
                "use the prompts and settings of that run, or ask a model"
            )
        return said._replace(cost=0.0, latency=0.0, retries=0)
