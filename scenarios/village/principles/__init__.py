"""Ostrom's design principles, as mechanisms around a village.

Each can be switched alone, and any of them together. Three of the eight need no mechanism of
their own: villagers choose their rules by the parameter `vote` (in words, `shared_policy`), and
govern themselves as long as no `outside_authority` stands around them; without `monitoring`, fines
are given for nothing, and `punish_until: 0` ends them.
Source: Ostrom 1990, Governing the Commons, Table 3.1.
"""
