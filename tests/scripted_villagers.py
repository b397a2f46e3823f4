"""Scripted minds for language villages: those who fish with restraint, and one who does not.

Functions that models are made of, by FILE.py:function. Each villager has an effort of its own, by
its replicate and seat, from which it strays by chance; it seldom fines anybody, keeps its norm, and
puts it forward. Nobody imitates anybody.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from society.llm.providers.own_model import OwnQuestion

RESTRAINED, GREEDY = (0.2, 0.5), (0.7, 1.0)  # those of tests.planted_culprits
_STRAYS, _FINES = 0.05, 0.02
_NORMS = {
    RESTRAINED: "Nobody here should fish with more than half of all effort.",
    GREEDY: "Whoever is able to land more should do so.",
}
_EVENLY = 2**31  # seeds of questions


def restrained() -> Callable[..., object]:
    """A villager that fishes with 0.2 to 0.5."""
    return _villager(RESTRAINED)


def greedy() -> Callable[..., object]:
    """A villager that fishes with 0.7 to 1."""
    return _villager(GREEDY)


def _villager(efforts: tuple[float, float]) -> Callable[..., object]:
    low, high = efforts

    def answer(asked: OwnQuestion) -> object:
        address = asked.address
        place = zlib.crc32(f"{address.replicate} {address.agent}".encode()) / 2**32
        mood = asked.seed / _EVENLY
        match asked.kind:
            case "effort":
                return min(max(low + (high - low) * place + _STRAYS * (2 * mood - 1), 0.0), 1.0)
            case "punish":
                accused = int(mood / _FINES * len(asked.peers))
                return asked.peers[accused] if mood < _FINES else "nobody"
            case "vote":
                assert asked.options is not None
                return asked.options[int(mood * len(asked.options))]
            case "propose":
                return {"personal": _NORMS[efforts], "community": _NORMS[efforts]}
            case "update":
                return _NORMS[efforts]
        raise AssertionError(f"nobody told this villager what to say when asked {asked.kind}")

    return answer
