"""Mechanisms: rules laid over a game from outside. Each wraps a play and is a play again.

    capped        no answer to one question may be above a bound
    chosen        players choose among mechanisms: by vote, or with their feet
    contracted    players agree on payments for what each one does
    discussed     players talk before they move: cheap talk
    drafted       types of agents make designs before a tournament
    fined         players pay to take points from each other
    generations   those who do well live on, and have children
    gifted        players give points to each other
    led           one player moves first, before the eyes of the others
    mediated      players may delegate their move to a mediator whom they design
    recommended   a device recommends an action to each, in private
    repeated      the same players play again and again
    reputed       players meet ever new partners, and see what these did before
    tournament    every type of agent meets every other one
    unchanged     nothing: what all others are compared with

A scenario file lists them under `mechanisms`, the innermost first; in Python they are called.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from society.scenarios.mechanisms.baseline.baseline import unchanged
    from society.scenarios.mechanisms.cheap_talk.cheap_talk import discussed
    from society.scenarios.mechanisms.contracts.contracts import contracted
    from society.scenarios.mechanisms.correlation_device.correlation_device import recommended
    from society.scenarios.mechanisms.generations.generations import generations
    from society.scenarios.mechanisms.institution_choice.institution_choice import chosen
    from society.scenarios.mechanisms.leadership.leadership import led
    from society.scenarios.mechanisms.mediation.mediation import mediated
    from society.scenarios.mechanisms.peer_incentives.punishment import fined
    from society.scenarios.mechanisms.peer_incentives.reward import gifted
    from society.scenarios.mechanisms.quota.quota import capped
    from society.scenarios.mechanisms.repetition.repetition import repeated
    from society.scenarios.mechanisms.reputation.reputation import reputed
    from society.scenarios.mechanisms.tournament.tournament import drafted, tournament

__all__ = [
    "capped",
    "chosen",
    "contracted",
    "discussed",
    "drafted",
    "fined",
    "generations",
    "gifted",
    "led",
    "mediated",
    "recommended",
    "repeated",
    "reputed",
    "tournament",
    "unchanged",
]

_HOMES = {
    "capped": "quota.quota",
    "chosen": "institution_choice.institution_choice",
    "contracted": "contracts.contracts",
    "discussed": "cheap_talk.cheap_talk",
    "drafted": "tournament.tournament",
    "fined": "peer_incentives.punishment",
    "generations": "generations.generations",
    "gifted": "peer_incentives.reward",
    "led": "leadership.leadership",
    "mediated": "mediation.mediation",
    "recommended": "correlation_device.correlation_device",
    "repeated": "repetition.repetition",
    "reputed": "reputation.reputation",
    "tournament": "tournament.tournament",
    "unchanged": "baseline.baseline",
}


def __getattr__(name: str) -> Any:
    """A mechanism is imported when it is first used: no module here brings all others."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


class _Mechanisms(ModuleType):
    """This folder: those in it do not hide mechanisms that are called as they are."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Mechanisms
