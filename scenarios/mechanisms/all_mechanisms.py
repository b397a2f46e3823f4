"""Every mechanism, a rule laid over a game from outside. Each wraps a play and is a play again.

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
