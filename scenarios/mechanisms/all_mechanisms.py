"""Every mechanism, a rule laid over a game from outside. Each wraps a play and is a play again.

    baseline             changes nothing: what all other mechanisms are compared with
    boundaries           only members may fish in a village
    cheap_talk           players talk before they move
    conflict_resolution  villagers may appeal against fines
    contracts            players agree on payments that depend on what each one does
    correlation_device   a device recommends an action to each player in private
    draft_designs        types of agents make designs before a tournament
    fitted_rules         the limit of catches follows the stock of the lake
    generations          the successful live on and have children
    graduated_sanctions  fines rise from offence to offence
    institution_choice   players choose among mechanisms, by vote or by joining a group
    leadership           one player moves first, and the others see it
    mediation            players may delegate their move to a mediator that they design
    monitoring           villagers pay to look at what others have landed
    nested_villages      villages share a lake, each with a rule of its own
    outside_authority    an authority overrules a village
    peer_punishment      players pay to take points from each other
    peer_reward          players give points to each other
    questionnaire        agents answer a questionnaire, of which nothing comes
    quota                no answer to one question may exceed a bound
    repetition           the same players play again and again
    reputation           players meet new partners and see what these did before
    tournament           every type of agent meets every other type
    turnover             people come and go while a village goes on

A scenario file lists them under `mechanisms`, the innermost first; in Python they are called.
"""

from society.scenarios.mechanisms.baseline.baseline import baseline
from society.scenarios.mechanisms.cheap_talk.cheap_talk import cheap_talk
from society.scenarios.mechanisms.contracts.contracts import contracts
from society.scenarios.mechanisms.correlation_device.correlation_device import correlation_device
from society.scenarios.mechanisms.generations.generations import generations
from society.scenarios.mechanisms.institution_choice.institution_choice import institution_choice
from society.scenarios.mechanisms.leadership.leadership import leadership
from society.scenarios.mechanisms.mediation.mediation import mediation
from society.scenarios.mechanisms.peer_incentives.peer_punishment import peer_punishment
from society.scenarios.mechanisms.peer_incentives.peer_reward import peer_reward
from society.scenarios.mechanisms.questionnaire.questionnaire import questionnaire
from society.scenarios.mechanisms.quota.quota import quota
from society.scenarios.mechanisms.repetition.repetition import repetition
from society.scenarios.mechanisms.reputation.reputation import reputation
from society.scenarios.mechanisms.tournament.tournament import draft_designs, tournament
from society.scenarios.village.principles.boundaries import boundaries
from society.scenarios.village.principles.conflict_resolution import conflict_resolution
from society.scenarios.village.principles.fitted_rules import fitted_rules
from society.scenarios.village.principles.graduated_sanctions import graduated_sanctions
from society.scenarios.village.principles.monitoring import monitoring
from society.scenarios.village.principles.nested_villages import nested_villages
from society.scenarios.village.principles.outside_authority import outside_authority
from society.scenarios.village.turnover.turnover import turnover

__all__ = [
    "baseline",
    "boundaries",
    "cheap_talk",
    "conflict_resolution",
    "contracts",
    "correlation_device",
    "draft_designs",
    "fitted_rules",
    "generations",
    "graduated_sanctions",
    "institution_choice",
    "leadership",
    "mediation",
    "monitoring",
    "nested_villages",
    "outside_authority",
    "peer_punishment",
    "peer_reward",
    "questionnaire",
    "quota",
    "repetition",
    "reputation",
    "tournament",
    "turnover",
]
