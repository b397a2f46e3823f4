"""Write what workers are asked as a head in JSON and a body of arrays, and read it there."""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from society.sandbox.matches.live_calls import (
    AnswerCall,
    DecisionCall,
    FactValue,
    Notice,
    SocietySetting,
)
from society.sandbox.matches.match_batch import MatchBatch
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.source.play_analysis import PlayAnalysis
from society.sandbox.source.sufficient_history import SufficientHistory
from society.sandbox.stage_games import StageGame, stage_game
from society.sandbox.workers.worker_messages import WorkerRequest, pack_request


class _Body:
    """The arrays of a request that is being written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, data: bytes) -> int:
        """Append bytes, and return where they begin."""
        begin = self._size
        self._parts.append(data)
        self._size += len(data)
        return begin

    def array(self, values: Any, dtype: Any) -> dict[str, Any]:
        """Append an array, and return what the head says of it."""
        array = np.ascontiguousarray(values, dtype)
        return {
            "at": self.add(array.tobytes()),
            "dtype": array.dtype.str,
            "shape": array.shape,
        }

    def bytes(self) -> bytes:
        return b"".join(self._parts)


def _read_array(request: WorkerRequest, place: Mapping[str, Any]) -> NDArray[Any]:
    count = int(np.prod(place["shape"], dtype=np.int64))
    array = np.frombuffer(request.body, place["dtype"], count, offset=place["at"])
    return array.reshape(place["shape"])


def pack_programs(programs: Sequence[LoadedProgram]) -> bytes:
    """Ask a worker to take these programs."""
    body, heads = _Body(), []
    for program in programs:
        code = marshal.dumps(program.code)
        head = {name: value for name, value in vars(program).items() if name not in _PACKED}
        place = {"at": body.add(code), "size": len(code)}
        analysis = _pack_analysis(program.analysis)
        heads.append({**head, **place, "reads": sorted(program.reads), "analysis": analysis})
    return pack_request("load", {"programs": heads}, body.bytes())


def unpack_programs(request: WorkerRequest) -> list[LoadedProgram]:
    """Read programs; nothing of them is executed."""
    programs = []
    for head in request.head["programs"]:
        begin = head.pop("at")
        code = marshal.loads(request.body[begin : begin + head.pop("size")])
        reads = frozenset(head.pop("reads"))
        analysis = _unpack_analysis(head.pop("analysis"))
        programs.append(LoadedProgram(**head, code=code, reads=reads, analysis=analysis))
    return programs


_PACKED = ("code", "analysis")  # in ways of their own


def _pack_analysis(analysis: PlayAnalysis) -> dict[str, Any]:
    part = analysis.sufficient
    sufficient = {**vars(part), "sums": sorted(part.sums), "bags": sorted(part.bags)}
    return {**vars(analysis), "stored": sorted(analysis.stored), "sufficient": sufficient}


def _unpack_analysis(packed: Mapping[str, Any]) -> PlayAnalysis:
    part = packed["sufficient"]
    sets = {"sums": {*part["sums"]}, "bags": {*part["bags"]}}
    sufficient, stored = SufficientHistory(**{**part, **sets}), frozenset(packed["stored"])
    return PlayAnalysis(**{**packed, "stored": stored, "sufficient": sufficient})


def pack_batch(batch: MatchBatch, *, memory: int | None = None) -> bytes:
    """Ask a worker to play this batch; memory: bytes that it may take, if they are counted."""
    body = _Body()
    head = {
        "game": _pack_game(batch.game),
        "seats": body.array(batch.seats, np.int32),
        "seeds": body.array(batch.seeds, np.uint64),
        "disqualified": sorted(batch.disqualified),
        "open_source": batch.open_source,
        "memory": memory,
    }
    return pack_request("play", head, body.bytes())


def unpack_batch(request: WorkerRequest) -> MatchBatch:
    """Read a batch."""
    return MatchBatch(
        game=stage_game(**request.head["game"]),
        seats=_read_array(request, request.head["seats"]),
        seeds=_read_array(request, request.head["seeds"]),
        disqualified=frozenset(request.head["disqualified"]),
        open_source=request.head["open_source"],
    )


def _pack_game(game: StageGame) -> dict[str, Any]:
    names = ("name", "players", "rounds", "factor", "threshold", "capacity")
    return {name: getattr(game, name) for name in names}


def pack_decisions(calls: Sequence[DecisionCall]) -> bytes:
    """Ask a worker for these moves."""
    body = _Body()
    heads = [
        {
            "program": call.program,
            "seed": call.seed,
            "key": call.key,
            "game": _pack_game(call.game),
            "actions": body.array(call.actions, np.bool_),
            "payoffs": body.array(call.payoffs, np.float64),
            "stock": None if call.stock is None else body.array(call.stock, np.float64),
            "opponents": call.opponents,
        }
        for call in calls
    ]
    return pack_request("decide", {"calls": heads}, body.bytes())


def unpack_decisions(request: WorkerRequest) -> list[DecisionCall]:
    """Read calls for moves."""
    calls = []
    for head in request.head["calls"]:
        game = stage_game(**head.pop("game"))
        opponents = head.pop("opponents")
        arrays = {
            name: None if head[name] is None else _read_array(request, head.pop(name))
            for name in ("actions", "payoffs", "stock")
        }
        told = {"game": game, "opponents": None if opponents is None else tuple(opponents)}
        calls.append(DecisionCall(**{**head, **arrays, **told}))
    return calls


def pack_answers(calls: Sequence[AnswerCall]) -> bytes:
    """Ask a worker for these answers."""
    body = _Body()
    heads = [
        {
            "program": call.program,
            "seed": call.seed,
            "key": call.key,
            "setting": asdict(call.setting),
            "notices": [[one.kind, _pack_facts(body, one.facts)] for one in call.notices],
            "kind": call.kind,
            "facts": _pack_facts(body, call.facts),
            "draw": call.draw,
        }
        for call in calls
    ]
    return pack_request("answer", {"calls": heads}, body.bytes())


def unpack_answers(request: WorkerRequest) -> list[AnswerCall]:
    """Read calls for answers."""
    calls = []
    for head in request.head["calls"]:
        told = [Notice(kind, _unpack_facts(request, facts)) for kind, facts in head["notices"]]
        facts = _unpack_facts(request, head["facts"])
        setting = SocietySetting(**head["setting"])
        calls.append(AnswerCall(**{**head, "notices": told, "facts": facts, "setting": setting}))
    return calls


def _pack_facts(body: _Body, facts: Mapping[str, FactValue]) -> dict[str, Any]:
    return {
        name: body.array(value, value.dtype) if isinstance(value, np.ndarray) else value
        for name, value in facts.items()
    }


def _unpack_facts(request: WorkerRequest, facts: Mapping[str, Any]) -> dict[str, FactValue]:
    return {
        name: _read_array(request, value) if isinstance(value, dict) else value
        for name, value in facts.items()
    }
