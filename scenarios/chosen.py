"""Choosing a mechanism: those who play decide under which rules they do.

    vote    the players of a match vote, and all play under the option with most votes; chance
            decides between equals
    feet    everybody chooses an option, and plays with those who choose the same one; who is alone
            keeps what it has, and who cannot be understood is with the first group

The options are played one after the other, each by those who are to play under it, since what a
script says never depends on data; what came of it is told once, of all. It is a game of one round:
to choose again before each, repeat it.
Source: Guererk, Irlenbusch and Rockenbach 2006, Science 312 (feet); the vote is ours.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from society.draws import Array
from society.errors import ScenarioError
from society.replies import Choice
from society.scenario import Additions, brings
from society.scenarios.games import REPAIRS
from society.scenarios.groups import game_of
from society.scenarios.matches import met
from society.scenarios.options import Option, option, refuse_fixed, titles
from society.scenarios.public_goods import PublicGood
from society.table import Table
from society.talk import VOID, Ask, Fact, Line, Script, Tell, common, own
from society.wrap import Declared, Play, declared_by, mechanism, overhear, rehearsed

By = Literal["vote", "feet"]
# What is told of somebody by the options under which it does not play, by the kind of the numbers.
_NOTHING: Mapping[str, Any] = {"f": np.nan, "i": -1, "b": False, "O": ""}


@brings(Additions(columns=("chosen_option",)))
@mechanism
def chosen(
    play: Play,
    *,
    options: Annotated[
        list[Any],
        Field(min_length=2, description="each a mechanism, or a list of them, the innermost first"),
    ],
    by: Annotated[By, Field(description="by the most votes, or each with its feet")] = "vote",
) -> Play:
    """Players choose the rules under which they play, out of several.

    Raises ScenarioError for an option that names no mechanism of ours; and, before the first line,
    for a play that is no game in normal form of one round and one match, for what an option itself
    refuses, and by feet for a game in which not any number of players can play.
    """
    declared = declared_by(play, "chosen")
    offered = [option(said, f"chosen: options[{number}]") for number, said in enumerate(options)]

    @functools.wraps(play)
    def choosing(table: Table) -> Script:
        play(table)
        _refuse_many(play, table, declared)
        if by == "feet":
            _refuse_fixed(table, offered)
        scripts = [one.laid_over(play)(table) for one in offered]
        return _played(table, declared, scripts, _choice(table, offered, by), by)

    return choosing


def _choice(table: Table, offered: list[Option], by: By) -> Ask:
    """Which option it is to be."""
    texts = [one.in_words() for one in offered]
    menu = np.broadcast_to(np.array(texts, object), (table.replicates, 1, len(texts)))
    facts = {
        "seat": own(met(table, table.agents).number),
        "chosen_options": common(menu),
        "chosen_by": common(np.array(by, object)),
    }
    otherwise: Any = VOID if by == "vote" else 0
    return Ask("choose", Choice(*titles(offered)), facts, None, otherwise, REPAIRS)


def _played(table: Table, declared: Declared, scripts: list[Script], choice: Ask, by: By) -> Script:
    mine = yield choice
    if by == "vote":
        mine = _winner(table, mine, len(scripts))
    known = {**choice.facts, "chosen_option": own(mine)}
    if by == "feet":
        known["chosen_group"] = own((mine[:, :, None] == mine[:, None]).sum(-1))
    told = []
    for number, script in enumerate(scripts):
        away = (mine != number) & table.active
        yield Tell("parted", gone=away)
        told.append((yield from _withheld(script, declared, known)))
        yield Tell("rejoined", back=away)
    yield Tell(declared.told, {**_together(told, mine), "chosen_option": own(mine)})


def _winner(table: Table, votes: Array, options: int) -> Array:
    """The option with most votes, for everybody, (R, N)."""
    count = (votes[:, :, None] == np.arange(options)).sum(1)
    most = count == count.max(1, keepdims=True)
    chance = table.draws("chosen", "replicate").uniform("tie")
    nth = np.floor(chance * most.sum(1, keepdims=True)) + 1
    winner = (np.cumsum(most, axis=1) == nth).argmax(1)
    return np.broadcast_to(winner[:, None], votes.shape)


def _withheld(script: Script, declared: Declared, known: Mapping[str, Fact]) -> Script:
    """Drive a game of one round without telling what everybody got; gives these facts."""
    kept: dict[str, Fact] = {}

    def heard(said: Line) -> Line | None:
        if isinstance(said, Ask):
            return replace(said, facts={**said.facts, **known})
        if isinstance(said, Tell) and said.kind == declared.told:
            kept.update(said.facts)
            return None
        return said

    yield from overhear(script, line=heard)
    return kept


def _together(told: list[Mapping[str, Fact]], mine: Array) -> dict[str, Fact]:
    """What is told of everybody by the option under which it plays."""
    facts = {}
    for name in dict.fromkeys(chain.from_iterable(told)):
        some = {number: one[name] for number, one in enumerate(told) if name in one}
        first = next(iter(some.values()))
        plays = mine[:, :1] if first.scope == "common" else mine
        more = first.values.shape[2:]
        values = np.full((*plays.shape, *more), _NOTHING[first.values.dtype.kind])
        for number, fact in some.items():
            here = (plays == number).reshape(*plays.shape, *(1 for _ in more))
            values = np.where(here, fact.values, values.astype(fact.values.dtype))
        facts[name] = first._replace(values=values)
    return facts


def _refuse_many(play: Play, table: Table, declared: Declared) -> None:
    """Raises ScenarioError unless a replicate is one match that is paid once."""
    players = game_of(table, "chosen").players
    if table.agents != players:
        raise ScenarioError(
            f"chosen: those who play a match choose its rules, and {table.agents} agents make "
            f"{table.agents // players} matches; take {players} agents, and replicates for more "
            "matches"
        )
    told = [said for said in rehearsed(play, table) if isinstance(said, Tell)]
    paid = sum(said.kind == declared.told for said in told)
    if paid != 1:
        raise ScenarioError(
            f"chosen: the rules are chosen for one round, and this play has {paid}; take "
            "rounds: 1, and name `repeated` after `chosen` to choose anew before each game"
        )


def _refuse_fixed(table: Table, offered: list[Option]) -> None:
    """Raises ScenarioError unless groups of any size can play."""
    if not isinstance(table.rules, PublicGood):
        raise ScenarioError(
            f"chosen: by feet groups have any size, and this is a game of {table.rules.players}; "
            "take public_goods, with all agents as players, or by: vote"
        )
    refuse_fixed(offered)
