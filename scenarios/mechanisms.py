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

from society.scenarios.capped import capped
from society.scenarios.chosen import chosen
from society.scenarios.contracted import contracted
from society.scenarios.discussed import discussed
from society.scenarios.fined import fined
from society.scenarios.generations import generations
from society.scenarios.gifted import gifted
from society.scenarios.led import led
from society.scenarios.mediated import mediated
from society.scenarios.recommended import recommended
from society.scenarios.repeated import repeated
from society.scenarios.reputed import reputed
from society.scenarios.tournament import drafted, tournament
from society.scenarios.unchanged import unchanged

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
