"""The file of interviews with the agents of a run: JSON lines, added to and never changed.

    {"interview": {...}}   the first: of which run
    {"call": {...}}        an exchange with a model, on the disk before it is used
    {"answers": {...}}     what one agent answered on one occasion

A question of the same address, in the same words, is answered from the file and not asked again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from society.engine.calls import Address, Completion, NoCallStore, Request, Spent, sum_known
from society.engine.rng import Array
from society.errors import FileError, InputError, Paused, short_path
from society.scenarios.mechanisms.questionnaire.interview import INTERVIEW

from .parent_answers import ParentAnswers

_MOST = 2**30  # bytes of a file that is read

_Key = tuple[int, Address, str]  # round, address and fingerprint


class InterviewFile(NoCallStore):
    """A call store: answers of the past from the run, answers to an interview from its file.

    about: which run it is of. past: the answers of the run. asked: how many calls were made now.
    Raises FileError for a file that is none of this run's.
    """

    def __init__(self, path: Path, about: Mapping[str, Any], past: ParentAnswers) -> None:
        self.path, self._about, self.past = path, dict(about), past
        self._calls: dict[_Key, Completion] = {}
        self._lines = set[str]()
        self.asked, self.round = 0, 0
        if path.exists():
            self._read()
        self.before = self.spent

    @property
    def spent(self) -> Spent:
        """What its calls have used; limits count it."""
        said = [one for key, one in self._calls.items() if not key[1].bare]
        tokens = [sum_known((one.prompt_tokens, one.completion_tokens)) or 0 for one in said]
        return Spent(len(said), sum(tokens), sum_known(one.cost for one in said))

    def _read(self) -> None:
        shown = short_path(self.path)
        if not self.path.is_file() or self.path.stat().st_size > _MOST:
            raise FileError(f"{shown} is no file of interviews; name another --out")
        text = self.path.read_bytes()
        for number, line in enumerate(text.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                said = json.loads(line)
                self._take(said)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                if number == text.count(b"\n") + 1:  # cut off by a kill
                    break
                raise FileError(
                    f"{shown}, line {number}: it is no line of an interview; name another --out"
                ) from error
            if "interview" in said and said["interview"] != self._about:
                raise FileError(f"{shown} holds interviews of another run; name another --out")
            self._lines.add(line.decode())

    def _take(self, said: Mapping[str, Any]) -> None:
        if "call" not in said:
            if not said.keys() & {"interview", "answers"}:
                raise ValueError("it says something else")
            return
        call = said["call"]
        address = Address(**call["address"])
        key = int(call["round"]), address, str(call["fingerprint"])
        self._calls[key] = Completion(**call["said"])

    def _key(self, request: Request) -> _Key:
        return self.round, request.address, request.fingerprint

    def kept(self, request: Request) -> Completion | None:
        """Return the stored reply to a request, if any; raises RunFileError."""
        if request.address.kind == INTERVIEW:
            return self._calls.get(self._key(request))
        call = self.past.answer(request)
        return None if call is None else call.said.copy_of(call.said.sent)

    async def keep(self, request: Request, said: Completion) -> None:
        """Add an answer; returns once it is on the disk. Raises Paused."""
        self._calls[self._key(request)] = said
        self.asked += not request.address.bare
        self.add(
            "call",
            {
                "round": self.round,
                "agent": request.agent,
                "address": request.address._asdict(),
                "fingerprint": request.fingerprint,
                "messages": [message._asdict() for message in request.messages],
                "said": said._asdict(),
            },
        )

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the embeddings that the run has."""
        return self.past.vectors(embedder, texts)

    def add(self, sort: str, said: Mapping[str, Any]) -> None:
        """Add a line, unless it is there already; raises Paused."""
        lines = [{sort: said}]
        if not self._lines:
            lines.insert(0, {"interview": self._about})
        new = [line for line in map(json.dumps, lines) if line not in self._lines]
        if not new:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                # After a line that was cut off a new one begins.
                file.write("".join(f"\n{line}" for line in new).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise Paused(
                f"cannot write to {short_path(self.path)}: {error}; make room or name another "
                "--out, and repeat the command"
            ) from error
        self._lines.update(new)


def refuse_run_file(path: Path, run: Path) -> None:
    """Raise InputError if an interview would be written into the run."""
    if path.resolve() == run.resolve():
        raise InputError(f"{short_path(path)} is the run itself; name another --out")
