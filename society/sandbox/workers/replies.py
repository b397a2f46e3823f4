"""What a worker may answer, field by field; anything else is a lie, and ends it."""

from __future__ import annotations

from base64 import b64decode
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from society.sandbox.matches.live_calls import LARGEST, LONGEST_TEXT, MOST_FIELDS, CallOutcome
from society.sandbox.matches.match_batch import BatchResult, MatchBatch, Trouble
from society.sandbox.running.runnable_program import Failure
from society.sandbox.workers.jailed_worker import SENTENCE
from society.visible import visible_text

_Index = Annotated[int, Field(ge=0, lt=2**31)]
_Sentence = Annotated[str, Field(max_length=SENTENCE)]


# Bytes of the outcome of one call, every sign as two escapes of six.
LONGEST_OUTCOME = 12 * (SENTENCE + LONGEST_TEXT) + 100 * MOST_FIELDS


class WorkerLie(ValueError):
    """A reply that no honest worker gives; its text says what is wrong."""


class _Reply(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


ReplyKind = TypeVar("ReplyKind", bound=_Reply)


class HelloReply(_Reply):
    """The layers of the jail that hold, and why others do not."""

    layers: list[str] = Field(max_length=20)
    missing: dict[str, str] = Field(max_length=20)


class LoadReply(_Reply):
    """The number of programs that were loaded."""

    loaded: _Index


class _Trouble(_Reply):
    game: _Index
    seat: _Index
    round: _Index
    program: _Index
    kind: Literal["error", "rule", "errors"]
    sentence: _Sentence
    line: _Index | None


class PlayReply(_Reply):
    """Moves as bits, and troubles."""

    actions: str
    troubles: list[_Trouble]


class _Failure(_Reply):
    kind: Literal["error", "rule", "errors"]
    sentence: _Sentence
    line: _Index | None


class _Move(_Reply):
    value: bool
    failure: _Failure | None


class MovesReply(_Reply):
    """Moves, True is C, in the order of the calls."""

    outcomes: list[_Move]


_Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
_Number = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
_Plain = bool | _Number | float | _Text


class _AnswerOutcome(_Reply):
    value: _Plain | Annotated[dict[_Text, _Plain], Field(max_length=MOST_FIELDS)] | None
    failure: _Failure | None


class AnswersReply(_Reply):
    """Answers, in the order of the calls."""

    outcomes: list[_AnswerOutcome]


def parse_reply(kind: type[ReplyKind], reply: dict[str, Any]) -> ReplyKind:
    """Check a reply; raises WorkerLie."""
    if isinstance(mistake := reply.get("mistake"), str):
        raise WorkerLie(f"the runner broke off with {visible_text(mistake[:SENTENCE])}")
    try:
        return kind.model_validate(reply)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise WorkerLie(f"{place}: {first['msg']}"[:SENTENCE]) from None


def parse_play(batch: MatchBatch, reply: dict[str, Any]) -> BatchResult:
    """Check what a worker says that was played in a batch."""
    found = parse_reply(PlayReply, reply)
    return BatchResult(
        actions=_parse_moves(batch, found.actions),
        troubles=[_parse_trouble(batch, one) for one in found.troubles],
    )


def parse_outcomes(
    kind: type[MovesReply] | type[AnswersReply], calls: int, reply: dict[str, Any]
) -> list[CallOutcome]:
    """Check what a worker says that came of so many calls."""
    found = parse_reply(kind, reply).outcomes
    if len(found) != calls:
        raise WorkerLie(f"outcomes: {len(found)} of {calls} calls")
    return [CallOutcome(one.value, _parse_failure(one.failure)) for one in found]


def _parse_failure(found: _Failure | None) -> Failure | None:
    if found is None:
        return None
    return Failure(found.kind, visible_text(found.sentence), found.line)


def longest_play_reply(batch: MatchBatch) -> int:
    """Bytes that an honest reply to a batch can have; a seat has four troubles at most."""
    seats = batch.seats.size
    trouble = 12 * SENTENCE + 200  # every sign as two escapes of six bytes
    return 4096 + 2 * (seats * batch.game.rounds // 8 + 1) + 4 * trouble * seats


def _parse_moves(batch: MatchBatch, text: str) -> NDArray[np.bool_]:
    games, players = batch.seats.shape
    moves = games * players * batch.game.rounds
    try:
        packed = np.frombuffer(b64decode(text, validate=True), np.uint8)
    except ValueError:
        raise WorkerLie("actions: no base64") from None
    if len(packed) != -(-moves // 8):
        raise WorkerLie(f"actions: {len(packed)} bytes for {moves} moves")
    bits = np.unpackbits(packed, count=moves).astype(np.bool_)
    return bits.reshape(games, players, batch.game.rounds)


def _parse_trouble(batch: MatchBatch, found: _Trouble) -> Trouble:
    games, players = batch.seats.shape
    if found.game >= games or found.seat >= players or found.round >= batch.game.rounds:
        raise WorkerLie(f"troubles: no game {found.game}, seat {found.seat}, round {found.round}")
    if found.program != batch.seats[found.game, found.seat]:
        raise WorkerLie(f"troubles: program {found.program} does not sit there")
    trouble = Trouble(**found.model_dump())
    return trouble._replace(sentence=visible_text(trouble.sentence))
