"""Mechanisms around a village: in which order they stand, and the lines that they act on.

What is asked and told travels from the inside out, and answers travel back. So whatever sets the
limits of catches stands within whatever judges by them, and who hears an appeal stands within who
errs in looking. Other mechanisms may stand anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from society.engine.environment import Environment
from society.engine.mechanism import Declared, Play, add_extra_payoff, declared_by, intercept
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Line, Script, Tell, own
from society.errors import ScenarioError

L = TypeVar("L", Ask, Tell)
PricedFines = Callable[[Ask], Script]
INSIDE_OUT = (
    "boundaries",
    "nested_villages",
    "fitted_rules",
    "conflict_resolution",
    "monitoring",
    "graduated_sanctions",
    "outside_authority",
)
_CAPS = ("cap", "limit")  # facts of a village
_AROUND = "principles"


def lay_around(
    play: Play, name: str, around: Callable[[Environment, Script, Declared], Script]
) -> Play:
    """Lay a principle around a village; raises ScenarioError for other plays and a wrong order.

    around: makes the script, from that of the village and what the village declares.
    """
    declared = declared_by(play, name, pays=True)
    if (declared.move, declared.told) != ("effort", "paid"):
        raise ScenarioError(
            f"{name}: it acts on the efforts and fines of villagers, and this play asks "
            f"{declared.move!r} and tells {declared.told!r}; take fishing_village or "
            "language_village"
        )
    within = play.public.get(_AROUND, ())
    assert isinstance(within, tuple)
    if name in within:
        raise ScenarioError(f"{name}: it stands around this village already; name it once")
    outer = [one for one in within if INSIDE_OUT.index(one) > INSIDE_OUT.index(name)]
    if outer:
        raise ScenarioError(f"{name}: it has to stand within {outer[0]}; name {name} before it")
    public = {**play.public, _AROUND: (*within, name)}
    return replace(play, script=lambda env: around(env, play(env), declared), public=public)


def pay_more(paid: Tell, declared: Declared, added: Array) -> Script:
    """Tell what everybody owns after an extra payoff, (R, N); the village keeps it in its books."""
    back = yield add_extra_payoff(paid, declared, added)
    return added if back is None else added + back


def with_priced_fines(
    env: Environment, village: Script, declared: Declared, cost: float, fines: PricedFines
) -> Script:
    """Play a village in which fining takes something that has a price, fish for each who pays.

    fines: plays the question of fines, and gives whom they hit and who pays, (R, N) each. What is
    paid is burnt at the end of the round.
    """
    pays = np.zeros(env.present.shape, bool)

    def line(said: Line) -> Line | Script:
        nonlocal pays
        if isinstance(said, Ask) and said.kind == "punish":
            return priced(said)
        if isinstance(said, Tell) and said.kind == declared.told:
            spent, pays = cost * pays, np.zeros_like(pays)
            return pay_more(said, declared, -spent)
        return said

    def priced(ask: Ask) -> Script:
        nonlocal pays
        victim, pays = yield from fines(ask)
        return victim

    return intercept(village, line=line)


def with_facts(said: L, **facts: Fact) -> L:
    """Return a line with further facts, or others under the same names."""
    return replace(said, facts={**said.facts, **facts})


def lower_caps(said: L, most: Array) -> L:
    """Return a line in which no cap is above so many fish, (R, 1) for all alike, or (R, N)."""
    return change_facts(said, dict.fromkeys(_CAPS, lambda cap: np.minimum(cap, most)))


def change_facts(said: L, changes: Mapping[str, Callable[[Array], Array]]) -> L:
    """Return a line with those of its facts changed that have these names."""
    known = {name: said.facts[name] for name in changes if name in said.facts}
    changed = {name: changes[name](fact.values) for name, fact in known.items()}
    return with_facts(
        said,
        **{
            name: fact._replace(values=changed[name])
            if changed[name].shape == fact.values.shape
            else own(changed[name])
            for name, fact in known.items()
        },
    )
