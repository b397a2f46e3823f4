"""A questionnaire around any scenario: before the first round, after some rounds, and at the end.

All questions are asides (see Ask): the history and its digest are the same without them. Agents do
not take them in, nobody else hears of them, and chance is addressed, so that nothing else changes.

    together    all items in one question
    apart       each item in a question of its own, of which the others know nothing
    interview   one item after another; earlier questions and answers are in view

Those who are asked know what they were last told by the scenario, by every kind of fact, unless
somebody was born or came back since.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from society import index
from society.engine.action_spaces import ActionSpace, Fields
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Play, PlayFunction
from society.engine.parameters import ValidationIssues
from society.engine.rng import Array
from society.engine.scenario import Finding, PostAnalysis, mean_over, mechanism
from society.engine.script import UNANSWERED, Ask, Fact, Inherit, Line, Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.games.player_matching import match_players
from society.scenarios.mechanisms.questionnaire.answers import read_answers
from society.scenarios.mechanisms.questionnaire.instrument import (
    AskedOccasion,
    Instrument,
    QuestionnaireItem,
)

QUESTION = "questionnaire"  # the kind of all questions
CHANCE_ID = "questionnaire"

FACTS = dict.fromkeys(
    (
        *("instrument", "occasion", "rounds_played", "instructions", "legend", "item"),
        *("item_ids", "wordings", "item_order", "earlier_items", "earlier_answers"),
    ),
    FactSpec(private=True),
)

Mode = Literal["together", "apart", "interview"]
Order = Literal["fixed", "shuffled"]
Count = Annotated[int, Field(ge=1)]
Given = Annotated[
    Instrument | None,
    Field(description="a file, FILE.yaml, or the name of one that comes with the program"),
]


def scale_means(after: PostAnalysis, *, own: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the mean score of all who were asked, on each scale and occasion, (R,).

    Within games that are repeated an occasion comes again; the last time counts.
    """
    instrument, found = own["instrument"], defaultdict[tuple[str, str], list[Array]](list)
    for page in after.pages():
        for given in read_answers(page, {instrument.name: instrument}):
            for name, scores in given.scores.items():
                found[name, given.occasion.label.replace(" ", "_")].append(scores)
    for (name, occasion), times in found.items():
        unit = f"{instrument.scales[name].score} of the items, mean over agents"
        if len(times) > 1:
            unit = f"{unit}, last of {len(times)} times"
        scores = times[-1]
        yield Finding(f"{name}_{occasion}", unit, mean_over(~np.isnan(scores), scores))


@mechanism(
    chance_id=CHANCE_ID,
    facts=FACTS,
    post_analysis=scale_means,
)
def questionnaire(
    play: Play,
    *,
    instrument: Given = None,
    cohorts: Annotated[tuple[str, ...], Field(description="those who are asked; none: all")] = (),
    before: Annotated[bool, Field(description="whether it is given before the first line")] = True,
    rounds: Annotated[tuple[Count, ...], Field(description="after which it is given")] = (),
    every: Annotated[Count | None, Field(description="after each so many rounds")] = None,
    after: Annotated[bool, Field(description="whether it is given at the end")] = True,
    mode: Mode = "together",
    order: Order = "fixed",
) -> PlayFunction:
    """Agents answer a questionnaire, and nothing comes of it.

    instrument: a file, or the name of one that comes with the program. cohorts: who is asked; all
    if none is named. before: before the first line. rounds, every: after these rounds, and after
    each so many. after: at the end, also in replicates that ended earlier. order: of the items,
    fixed or by chance for each agent. Raises ValidationIssues for items and scales that do not fit
    each other.
    """
    if instrument is None:
        raise ScenarioError(
            "questionnaire: no instrument is given; name a file (instrument: FILE.yaml), or one "
            f"that comes with the program: {', '.join(index.instruments())}"
        )
    if issues := [issue.under("instrument") for issue in instrument.issues()]:
        raise ValidationIssues(*issues)
    if order == "shuffled" and mode == "apart":
        raise ScenarioError(
            "questionnaire: items that are asked apart know nothing of each other, so that their "
            "order says nothing; leave order out, or take mode together or interview"
        )
    if not (before or after or rounds or every):
        raise ScenarioError("questionnaire: it is never given; set before, rounds, every or after")

    entry = object()  # another one, for each entry of a scenario file

    def due(played: int) -> bool:
        return played in rounds or bool(every and played and played % every == 0)

    def asked(env: Environment) -> Script:
        if not (before or after) and len(env.levels) < 2 and not any(map(due, _played(env))):
            raise ScenarioError(
                f"questionnaire: it is never given in a run of at most {env.horizon} rounds; "
                "name an earlier round (rounds: [...]), or play more of them"
            )
        inner = play(env)
        seats = _seats(env, cohorts)
        _refuse_clashes(entry, instrument, seats, env)
        sitting = Sitting(env, instrument, seats, mode, order)
        return _asking(inner, sitting, before, due, after)

    return asked


def _played(env: Environment) -> range:
    """The numbers of rounds that can be over, where rounds are not within others."""
    return range(1, env.horizon + 1)


def _refuse_clashes(entry: object, instrument: Instrument, seats: Array, env: Environment) -> None:
    """Raise ScenarioError if answers, or scores, of another entry would stand in the same place.

    seats: those that are asked, (R, N) of bool.
    """
    given: dict[object, tuple[Instrument, Array]] = env.shared.setdefault("questionnaires", {})
    for other, (another, asked) in given.items():
        if other is entry:
            continue
        if another == instrument:
            if (asked & seats).any():
                raise ScenarioError(
                    f"questionnaire: {instrument.name} is given to the same agents twice; state "
                    "all its occasions in one entry, or let each entry name other cohorts"
                )
        elif another.name == instrument.name:
            raise ScenarioError(
                f"questionnaire: two instruments are called {instrument.name!r}; give one of them "
                "another name (name: ...)"
            )
        elif shared := [name for name in instrument.scales if name in another.scales]:
            raise ScenarioError(
                f"questionnaire: {another.name} and {instrument.name} both have a scale "
                f"{shared[0]!r}, so that their scores would have one name; rename one"
            )
    given[entry] = instrument, seats


def _seats(env: Environment, cohorts: Sequence[str]) -> Array:
    """Return the seats that are asked, (R, N) of bool; raises CastError for an unknown cohort."""
    if not cohorts or not env.cohorts:
        return np.ones(env.present.shape, bool)
    seats: Array = np.any([env.cohort(name) for name in cohorts], axis=0)
    return seats


def _asking(
    script: Script, sitting: Sitting, before: bool, due: Callable[[int], bool], after: bool
) -> Script:
    """Drive a script, and give a questionnaire between its lines.

    A round is over when the next one, of any level, has been opened.
    """
    env, told = sitting.env, LastTold()
    received: Any = None
    played = given = 0  # rounds that are over; after so many it was given last
    if before:
        yield from sitting.give(AskedOccasion("before", 0), env.active, {})
    while True:
        opened = len(env.opened)
        try:
            said = script.send(received)
        except StopIteration as stop:
            if after or (due(played) and given < played):
                yield from sitting.give(AskedOccasion("end", played), env.present, told.facts)
            return stop.value
        for path, _ in env.opened[opened:]:
            if due(played) and given < played:
                given = played
                occasion = AskedOccasion(f"round {played}", played)
                yield from sitting.give(occasion, env.active, told.facts)
            played += not env.levels or len(path) == len(env.levels)
        told.note(said)
        received = yield said


class LastTold:
    """The facts that were told last, by name, as those who were there know them."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}

    def note(self, line: Line) -> None:
        """Take in a line; who is born or comes back does not know what was told before."""
        if isinstance(line, Inherit) or (isinstance(line, Tell) and line.back is not None):
            self.facts = {}
        if isinstance(line, Tell):
            self.facts |= line.facts


@dataclass(frozen=True, eq=False)
class Sitting:
    """A questionnaire as it is given to those on some seats, (R, N) of bool."""

    env: Environment
    instrument: Instrument
    seats: Array
    mode: Mode
    order: Order
    kind: str = QUESTION

    def give(self, occasion: AskedOccasion, there: Array, told: Mapping[str, Fact]) -> Script:
        """Ask all who are there, (R, N) of bool, about all items; told: what they know."""
        items, who = self.instrument.items, self.seats & there
        facts = {**told, **self._facts(occasion)}
        if self.mode == "together":
            forms = {item.id: item.form() for item in items}
            shown = None if self.order == "fixed" else self._drawn(occasion)
            if shown is not None:
                facts["item_order"] = own(shown)
            yield self._ask(Fields(forms, shown), facts, who)
        elif self.mode == "apart":
            for place, item in enumerate(items):
                yield self._ask(item.form(), {**facts, "item": own(place)}, who)
        else:
            yield from self._interview(occasion, facts, who)

    def _interview(self, occasion: AskedOccasion, facts: Mapping[str, Fact], who: Array) -> Script:
        """Ask one item after another; agents whose items have the same form are asked together."""
        items, shape = self.instrument.items, self.env.present.shape
        fixed = np.broadcast_to(np.arange(len(items)), (*shape, len(items)))
        order = fixed if self.order == "fixed" else self._drawn(occasion)
        answers = np.full(order.shape, "", object)
        for position in range(len(items)):
            now = order[..., position]
            known = {**facts, "item": own(now)}
            if position:
                known["earlier_items"] = own(order[..., :position])
                known["earlier_answers"] = own(answers[..., :position])
            for alike in self._alike([items[position]] if self.order == "fixed" else items):
                here = who & np.isin(now, alike)
                settled = yield self._ask(items[alike[0]].form(), known, here)
                for place in alike:
                    mine = here & (now == place)
                    given = items[place].read(settled, mine)[mine]
                    answers[mine, position] = [*map(items[place].shown, given.tolist())]

    def _alike(self, items: Sequence[QuestionnaireItem]) -> list[list[int]]:
        """Group the numbers of items by the form of their answers."""
        groups: dict[str, list[int]] = {}
        for item in items:
            groups.setdefault(item.form().form(), []).append(self.instrument.items.index(item))
        return list(groups.values())

    def _facts(self, occasion: AskedOccasion) -> dict[str, Fact]:
        instrument, alone = self.instrument, self.mode != "together"
        words = {
            "instrument": instrument.name,
            "occasion": occasion.label,
            "instructions": instrument.instructions,
            "legend": "" if alone else instrument.legend,
        }
        lists = {
            "item_ids": [item.id for item in instrument.items],
            "wordings": [instrument.wording(item, alone=alone) for item in instrument.items],
        }
        seats: dict[str, Fact] = {}
        if self.env.rules is not None:  # of a game, which are told as they are from one's own seat
            seats["seat"] = own(match_players(self.env, self.env.rules.players).number)
        return {
            **seats,
            **{name: common(np.array(text, object)) for name, text in words.items()},
            **{name: common(np.array([[texts]], object)) for name, texts in lists.items()},
            "rounds_played": common(occasion.played),
        }

    def _drawn(self, occasion: AskedOccasion) -> Array:
        """Return an order of the items for everybody, (R, N, K)."""
        draws, name = self.env.draws(CHANCE_ID), self.instrument.name
        ranks = [
            draws.uniform(f"{name}\0{occasion.label}\0{item.id}") for item in self.instrument.items
        ]
        order: Array = np.argsort(np.stack(ranks, axis=-1), axis=-1, kind="stable")
        return order

    def _ask(self, reply: ActionSpace, facts: Mapping[str, Fact], who: Array) -> Ask:
        return Ask(self.kind, reply, facts, who, UNANSWERED, aside=True)
