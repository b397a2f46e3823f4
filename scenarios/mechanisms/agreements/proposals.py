"""Designs: what a contract, or a mediator, is to be, as those write it who will play under it.

A design is a few numbers, or actions, each under a name. It is made by one player of a match, for
one seat, or given beforehand: many matches may share the designs that each type of agent makes once
for each seat (society.engine.scenario.Drafts).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, Strict

from society.engine.action_spaces import Choice, Fields, Real
from society.engine.environment import Environment
from society.engine.mechanism import Declared, Play, declared_by, survey
from society.engine.rng import Array
from society.engine.script import VOID_REPLICATE, Ask, Fact, Line, Script, Tell, common, own
from society.errors import ScenarioError, suggest
from society.scenarios.games.game import REPAIRS, Game
from society.scenarios.games.player_matching import Matches, in_order

Shape = Literal["count", "seat"]
DesignEntry = Real | Choice
DesignFields = dict[str, Annotated[float, Strict()] | str]
TypeDesigns = dict[
    str, list[DesignFields | None]
]  # by type, one for each seat, or for each repetition and seat; None: it proposes nothing
GivenDesigns = Annotated[
    TypeDesigns | None,
    Field(
        description="designs by type, one for each seat, or for each repetition and seat "
        "(none: no design); none: ask everybody"
    ),
]
Stage = Annotated[
    Literal["play", "design"],
    Field(description="design: ask for designs only, without playing"),
]


class Ground(NamedTuple):
    """The play that a mechanism stands on.

    first: the first question for a move, as it is rehearsed. terms: what all know of the mechanisms
    within before the first round. game: None where a move is an amount. players: how many make a
    match.
    """

    declared: Declared
    first: Ask
    terms: Mapping[str, Fact]
    game: Game | None
    players: int

    @property
    def lasting(self) -> bool:
        """Tell whether several games are played within, so that an agreement is for all of them."""
        return "games_played" in self.terms

    def fallback(self, env: Environment, stated: Any) -> Any:
        """Return the fallback for an unreadable answer: a run with a single match ends."""
        alone = self.game is not None and env.agents == self.players
        return VOID_REPLICATE if alone else stated


def survey_play(play: Play, env: Environment, mechanism: str) -> Ground:
    """Examine the play, which this environment was given before; raises ScenarioError."""
    declared = declared_by(play, mechanism)
    first, terms = survey(_opening, play, env, declared.move)
    if first is None:
        raise ScenarioError(f"{mechanism}: the play never asks {declared.move!r}, its move")
    if "opponents" in first.facts:
        raise ScenarioError(
            f"{mechanism} stands around reputation, where those who agree on something part after "
            f"one game; name {mechanism} before reputation"
        )
    players = env.agents if declared.players is None else declared.players(env.params)
    if players < 2:
        raise ScenarioError(f"{mechanism}: there is one player, with nobody to agree with")
    return Ground(declared, first, terms, env.rules, players)


def _opening(lines: Iterator[Line], move: str) -> tuple[Ask | None, Mapping[str, Fact]]:
    """The first question for a move, and what all know at the first question of any kind.

    Of that only what is the same in all replicates, a single number: the terms of a mechanism are,
    and it says them in all questions within, where the state of a world has a row for each.
    """
    terms: Mapping[str, Fact] | None = None
    for line in lines:
        if not isinstance(line, Ask):
            continue
        if terms is None:
            terms = {name: fact for name, fact in line.facts.items() if _is_term(fact)}
        if line.kind == move:
            return line, terms
    return None, {}


def _is_term(fact: Fact) -> bool:
    return fact.scope == "common" and fact.values.ndim == 0


def bounded_move(ground: Ground, mechanism: str, form: Shape) -> Real:
    """The move of a play without a game; raises ScenarioError unless it is a bounded amount."""
    reply = ground.first.reply
    if not isinstance(reply, Real) or not np.isfinite(reply.high).all():
        raise ScenarioError(
            f"{mechanism}: {ground.declared.move!r} asks for {reply.form()}; take a game in normal "
            "form, or a play whose move is an amount within bounds"
        )
    if form == "seat":
        raise ScenarioError(
            f"{mechanism}: all play together, and nobody has a seat of its own; take form: count"
        )
    return reply


def shared_labels(game: Game, mechanism: str) -> tuple[str, ...]:
    """The actions of every seat; raises ScenarioError if they differ."""
    labels, *others = dict.fromkeys(game.actions)
    if others:
        raise ScenarioError(
            f"{mechanism}: seats have different actions ({'/'.join(labels)} and "
            f"{'/'.join(others[0])}), and form count says the same for all; say form: seat"
        )
    return labels


@dataclass(frozen=True, eq=False)
class Blueprint:
    """The form of a design: a contract's or a mediator's.

    noun: contract or mediator. entries: by name. neutral: what stands, by name, for a design that
    could not be read, where it does not end the match. facts: what else describes it.
    """

    noun: str
    entries: Mapping[str, DesignEntry]
    neutral: Mapping[str, float]
    facts: Mapping[str, Fact]

    def described(self, ground: Ground) -> Mapping[str, Fact]:
        """Return the facts about any design that stand in all questions."""
        return {**self.facts, f"{self.noun}_lasts": common(ground.lasting)}

    def asked(
        self, env: Environment, ground: Ground, matches: Matches, who: Array | None = None
    ) -> Script:
        """Ask for everybody's design, (R, N, K)."""
        facts = {"seat": own(matches.seat + 1), **ground.terms, **self.described(ground)}
        fallback = ground.fallback(env, self.neutral)
        kind, reply = f"design_{self.noun}", Fields(self.entries)
        said = yield Ask(kind, reply, facts, who, fallback, REPAIRS)
        return np.stack([said[name] for name in self.entries], axis=-1).astype(float)

    def row(self, design: DesignFields, of: str) -> list[float]:
        """A design as numbers, (K,); raises ScenarioError. of: whose it is, in words."""
        strange = [name for name in (*self.entries, *design) if name not in design]
        strange += [name for name in design if name not in self.entries]
        if strange:
            raise ScenarioError(
                f"{of} is for {', '.join(design) or 'nothing'}; expected an entry for each of "
                f"{', '.join(self.entries)}"
            )
        return [
            _number(entry, design[name], f"{of}, {name}") for name, entry in self.entries.items()
        ]

    def text(self, row: Sequence[float]) -> str:
        """A design as JSON."""
        pairs = zip(self.entries.items(), row, strict=True)
        return json.dumps({name: _said(entry, value) for (name, entry), value in pairs})


def _number(entry: DesignEntry, said: float | str, of: str) -> float:
    if isinstance(entry, Choice):
        labels = entry.options[0].tolist()
        if said in labels:
            return float(labels.index(said))
        expected = f"one of {', '.join(labels)}"
    else:
        if not isinstance(said, str | bool) and entry.low <= said <= entry.high:
            return float(said)
        expected = f"a number from {entry.low:g} to {entry.high:g}"
    raise ScenarioError(f"{of}, is {said!r}; expected {expected}")


def _said(entry: DesignEntry, value: float) -> float | str:
    if isinstance(entry, Choice):
        label: str = entry.options[0][int(value)]
        return label
    return float(value)


def designs_by_seat(
    designs: TypeDesigns, blueprint: Blueprint, env: Environment, players: int, mechanism: str
) -> Array:
    """The design of everybody's type for its seat, (R, N, K); NaN where it proposes nothing.

    Where a type has as many designs for each seat as a tournament has repetitions, the replicates
    of each repetition have designs of their own. Raises ScenarioError for designs that do not fit
    the cohorts, the seats, the repetitions or the blueprint.
    """
    of = f"{mechanism}: designs"
    for name in designs:
        if name not in env.cohorts:
            raise ScenarioError(
                f"{of} has some of {name!r}, and no cohort is called so; "
                f"{suggest(name, env.cohorts)}"
            )
    rows = np.full((*env.present.shape, len(blueprint.entries)), np.nan)
    # All assignments of types to seats make a repetition: its replicates stand side by side.
    repetition = env.replicate_ids[:, None] // len(env.cohorts) ** players
    seat, counts = in_order(env, players).seat, set[int]()
    for name, members in env.cohorts.items():
        own = designs.get(name, [])
        counts.add(len(own))
        few = players < len(own) <= players * repetition.max()
        if len(own) == 0 or len(own) % players or len(counts) > 1 or few:
            raise ScenarioError(
                f"{of} has {len(own)} of type {name!r} for {players} seats; give every type one "
                "for each seat, or one for each repetition and seat, or null where nothing is "
                "proposed"
            )
        for number, design in enumerate(own):
            if design is not None:
                which, place = divmod(number, players)
                here = members & (seat == place)
                if len(own) > players:
                    here &= repetition == which
                rows[here] = blueprint.row(design, f"{of} of {name}, seat {place + 1}")
    return rows


def designed_apart(env: Environment, ground: Ground, blueprint: Blueprint) -> Script:
    """Designs are all that is asked for: in replicate r from seat r mod n alone, told as JSON."""
    for _ in env.rounds(1):
        matches = in_order(env, ground.players)
        turn = env.replicate_ids[:, None] % ground.players
        who = matches.seat == turn
        rows = yield from blueprint.asked(env, ground, matches, who)
        texts = np.full(env.present.shape, "", object)
        for at in zip(*np.nonzero(who & env.active), strict=True):
            texts[at] = blueprint.text(rows[at])
        yield Tell("designed", {f"{blueprint.noun}_design": own(texts)})


def interpolate(knots: Sequence[float], values: Array, where: Array) -> Array:
    """Linear between ascending knots, and level beyond: (..., K) and (..., n) -> (..., n).

    >>> interpolate((0, 0.5, 1), np.array([0.0, 4.0, 2.0]), np.array([0.25, 0.5, 0.75, 2]))
    array([2., 4., 3., 2.])
    """
    at = np.asarray(knots, float)
    left = np.clip(np.searchsorted(at, where, side="right") - 1, 0, len(at) - 2)
    along = np.clip((where - at[left]) / (at[left + 1] - at[left]), 0, 1)
    low, high = (np.take_along_axis(values, left + step, axis=-1) for step in (0, 1))
    along_it: Array = low + along * (high - low)
    return along_it
