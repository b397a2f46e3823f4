"""A scene: agents act in free words, and what comes of it is decided within hard rules.

A script makes a scene of its consequences, opens it, and plays turns:

    scene = Scene(env, PURSE, TOWN, premise="It is market day.")
    yield from scene.open()
    for _ in env.rounds():
        yield from scene.turn("What do you do?", order="shuffled")

One turn is a call for each who acts and one for the referee, who decides on all acts together. It
fills in a typed form of what it may change, and tells what is noticed. What breaks a hard rule goes
back to it once, with the reason; then nothing changes, which is counted in the fact `overruled`.

Relations: `here`, on which agents perceive each other: those in the same place, or, where there
are no places, neighbours on the graph of the scenario; and `stage`, on which a referee sees all for
whom it decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import Field

from society.components.scenes.verdict_form import Act, Row, Rows, Story
from society.engine.action_spaces import Choice, Fields, Neighbour, Value
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY, Complete
from society.engine.rng import Array
from society.engine.scenario import Live, Measure, Params
from society.engine.script import Ask, Fact, Script, Tell, common, own, seen
from society.errors import ScenarioError

from .consequences import (
    HERE,
    STAGE,
    Clock,
    Consequence,
    HardRule,
    Inventory,
    Places,
    make_stage,
    where_known,
)
from .premises import check_facts, check_number, check_option, check_shape
from .referee import Judges, apply_verdicts, check_rules, read_verdicts, silent_verdict
from .turns import CHANCE_ID, Order, check_order, choose_next, rank_turns

RELATIONS = (HERE, STAGE)
SAYS = {"act": "says"}  # quotes of a display
NOTHING_HAPPENS = "Nothing comes of it."
_OWN_FACTS = (
    *("act", "deed", "story", "heard", "addressee"),
    *("waiting", "overruled", "refusal", "over"),
)
_LONGEST_ACT, _LONGEST_STORY = 400, 600  # characters
_HOW = "Say in one or two sentences what you say and do."
_TO_WHOM = "Name the one to whom you speak alone, or nobody if all around may know it."
_JUDGING = (
    "You are the referee of this scene, and decide what comes of what everybody says and does. Go "
    "by their words, and by what each one has and where it is; words alone change nothing. Only "
    "what is possible can happen: nobody gives what it does not have, and nobody is in two places. "
    "Then tell in one or two sentences what happens."
)
_WHISPERED = "What somebody says to one alone stays between the two; do not tell of it."
_AGAIN = "Your last decision is not possible: {refusal} Decide once more."


class SceneParams(Params):
    """Parameters of any scene."""

    thinking: Live[bool] = Field(
        False,
        description="whether models reason before they answer",
        json_schema_extra={"private": True},
    )


OVERRULED = Measure(
    "overruled",
    "share of verdicts that broke a rule twice",
    lambda told, env: told["overruled"],
    fold="last",
)


def scene_facts(
    *parts: Consequence,
    referee: bool = True,
    orders: Collection[Order] = (),
    closes: bool = False,
    whispers: bool = False,
) -> dict[str, FactSpec]:
    """Words and units of all that a scene says, for @scenario(facts=...).

    orders: those of its turns, beside `at_once`, `fixed` and `shuffled`. The rest is as in Scene.
    """
    facts = {
        "act": FactSpec("What somebody says and does"),
        "deed": FactSpec("Last words and deeds"),
        "story": FactSpec("What has happened"),
    }
    if whispers:
        del facts["act"]
        facts["act words"] = FactSpec("What somebody says and does")
        facts["act to"] = FactSpec("To whom it speaks alone")
        facts["heard"] = FactSpec("Said to you alone")
        facts["addressee"] = FactSpec("To whom alone")
    if "initiative" in orders:
        facts["initiative"] = FactSpec("How much it wants to act next")
    if "referee" in orders:
        facts["choose_next"] = FactSpec("Who acts next")
        facts["waiting"] = FactSpec("Whether it waits for its turn", labels=("no", "yes"))
    for part in parts:
        facts |= part.specs
    if referee:
        facts["overruled"] = FactSpec("Share of verdicts that broke a rule twice", private=True)
        facts["refusal"] = FactSpec("Why the last verdict was refused", private=True)
        rulings = {name: spec for part in parts for name, spec in part.rulings.items()}
        places = next((part for part in parts if isinstance(part, Places)), None)
        stories = {"story": ""} if places is None else _stories(places)
        rulings |= {
            n: FactSpec(f"What is noticed at {p}" if p else "Story") for n, p in stories.items()
        }
        facts |= {f"resolve {name}": spec for name, spec in rulings.items()}
    if closes:
        facts["over"] = facts["resolve over"] = FactSpec("Whether it is over", labels=("no", "yes"))
    return facts


@dataclass(frozen=True)
class SceneAct:
    """A part of a play: its rounds, its own question, and who takes part, a cohort or all.

    kind: of the question, so that it can have a prompt of its own.
    """

    rounds: int
    question: str
    who: str = ""
    kind: str = "act"
    order: Order = "at_once"


class Scene:
    """The scene of a script; see above.

    parts: what the referee may change. rules: hard rules of the scene's own.
    premise: told at the beginning, and said with each question.
    referee: the cohort that decides; "" for a scene without one, in which words change nothing and
    the script hands things over. each: whether referees vote on everything, or each decides for the
    place where it is. closes: whether the referee may end the scene.
    players: those who act, (R, N) of bool; None: all but the referees.
    groups: (R, N) of labels: who perceives each other, in a scene without places that does not go
    by the graph. whispers: whether one may speak to one other alone; nobody else but the referee
    then perceives what it says and does.
    judging: what is asked of the referee, in place of our words.
    Raises ScenarioError where nobody may act.
    """

    def __init__(
        self,
        env: Environment,
        *parts: Consequence,
        premise: str = "",
        rules: Sequence[HardRule] = (),
        referee: str = "referee",
        players: Array | None = None,
        each: Literal["vote", "place"] = "vote",
        closes: bool = False,
        groups: Array | None = None,
        whispers: bool = False,
        judging: str = _JUDGING,
    ) -> None:
        self.env, self.parts, self.draws = env, parts, env.draws(CHANCE_ID)
        for relation in RELATIONS:
            env.graph(relation)  # says so if the scenario lacks it
        self.judges = env.cohort(referee) if referee else np.zeros(env.present.shape, bool)
        if players is not None:
            check_shape("players", players, env.present.shape)
        actors = ~self.judges if players is None else players & ~self.judges
        if not actors.any(1).all():
            who = f"all {env.agents} agents are in the cohort {referee!r}"
            who = who if players is None else "none of its players is there"
            raise ScenarioError(
                f"nobody may act in this scene: {who}; add agents to another cohort"
            )
        self.stage = make_stage(env, actors)
        self.premise, self.rules, self.judging = premise, rules, judging
        self.closes, self.groups, self.whispers = closes, groups, whispers
        self.places = next((part for part in parts if isinstance(part, Places)), None)
        check_option("each", each, ("vote", "place"))
        self.by_place = each == "place"
        if self.by_place:
            self._check_places()
        self.state: dict[str, Array] = {}
        begun = [part.begin(self.stage) for part in parts]
        check_facts([*_OWN_FACTS, *(name for one in begun for name in one)])
        for one in begun:
            self.state |= one
        check_rules(rules, self.stage, self.state)
        self.form = self._make_form()
        if self.by_place and (self.judges & (self.state["place"] < 0)).any():
            raise ScenarioError(
                "a referee decides for its place, and is nowhere; name it in start={PLACE: [ids]}"
            )
        silent = np.full(env.present.shape, "", object)
        self.said, self.story = silent, silent
        self.to = np.full(env.present.shape, NOBODY)  # to whom somebody spoke last
        self.heard, self._news = silent, silent  # what was said to each alone: unanswered, untold
        self._opened = False
        self._given, self._overruled = np.zeros((2, *env.running.shape))

    def _check_places(self) -> None:
        if self.places is None:
            raise ScenarioError("each='place' needs Places among the consequences; add them")
        shared = [
            p for p in self.parts if isinstance(p, Clock) or getattr(p, "scope", "") == "common"
        ]
        if shared or self.closes:
            what = type(shared[0]).__name__ if shared else "closes=True"
            raise ScenarioError(
                f"{what} is shared by all places, and referees of one place each cannot decide on "
                "it; take each='vote', or leave it out"
            )

    # What is known

    def known(self) -> dict[str, Fact]:
        """The facts that agents know: their state, the last acts here, and what came of them."""
        facts = {"deed": seen(HERE, self.said), "story": own(self.story)}
        if self.whispers:
            facts["heard"] = own(self.heard)
        for part in self.parts:
            facts |= part.told(self.state)
        return facts

    def _shown(self, acts: Array) -> dict[str, Fact]:
        facts: dict[str, Fact] = {"deed": seen(STAGE, acts)}
        if self.whispers:
            facts["addressee"] = seen(STAGE, np.where(acts != "", self._addressees(), ""))
        for part in self.parts:
            facts |= part.shown(self.stage, self.state)
        return facts

    def _groups(self) -> dict[str, Array]:
        """Who perceives whom: by place, or by the graph where there is no place."""
        groups: dict[str, Array] = {}
        place = self.state.get("place")
        everybody = np.zeros(self.env.present.shape, np.int64)
        groups[STAGE] = place if place is not None and self.by_place else everybody
        if place is not None:
            groups[HERE] = np.where(self.judges, -1, place)
        elif self.groups is not None:
            groups[HERE] = self.groups
        elif isinstance(self.env.graph(HERE), Complete):
            groups[HERE] = np.where(self.judges, -1, 0)
        return groups

    def open(self, **more: Fact) -> Script:
        """Tell the premise, and where everybody is, before the first round."""
        facts = {**self.known(), **more}
        text = _escaped(self.premise) or " "
        yield Tell("opened", facts, groups=self._groups(), text=text)
        self._opened = True

    # Acting

    def act(
        self,
        question: str,
        *,
        who: Array | None = None,
        kind: str = "act",
        known: Mapping[str, Fact] | None = None,
    ) -> Script:
        """Ask those in `who`, or all, what they say and do; returns texts, (R, N)."""
        self._check_acting(who)
        who = self.stage.actors if who is None else who & self.stage.actors
        places = self.places.places if self.places else ()
        words = Act(_LONGEST_ACT, plain=self._open_acts, places=places)
        how = f"{_HOW} {_TO_WHOM}" if self.whispers else _HOW
        said = yield Ask(
            kind,
            Fields({"words": words, "to": Neighbour(HERE)}) if self.whispers else words,
            {**self.known(), **(known or {})},
            who=who,
            fallback={"words": "", "to": NOBODY} if self.whispers else "",
            text=" ".join(filter(None, (_escaped(self.premise), question, how))),
        )
        acts: Array = said["words"] if self.whispers else said
        aloud = acts
        if self.whispers:
            self.to = np.where(who, said["to"], self.to)
            aloud = np.where(self.to == NOBODY, acts, "")
            self._whisper(np.where(who, acts, ""), who)
        self.said = np.where(who & (acts != ""), aloud, self.said)
        return acts

    def _check_acting(self, who: Array | None) -> None:
        if not self._opened:
            raise ScenarioError("a scene is played before it is open; yield from scene.open()")
        if who is not None and who.any() and not (who & self.stage.actors).any():
            raise ScenarioError(
                "nobody may act in this turn: all in `who` are referees, or no players of the scene"
            )

    def _whisper(self, acts: Array, who: Array) -> None:
        """Let each hear what was said to it alone; those in `who` have heard all before."""
        heard, news = np.where(who, "", self.heard), self._news.copy()
        alone = (acts != "") & (self.to != NOBODY)
        for name, seat in self.stage.seats.items():  # by id, whoever sits where
            for replicate in np.flatnonzero(alone[:, seat]).tolist():
                line = f"{name}: {acts[replicate, seat]}"
                at = replicate, self.to[replicate, seat]
                heard[at], news[at] = f"{heard[at]} {line}".strip(), f"{news[at]} {line}".strip()
        self.heard, self._news = heard, news

    def _addressees(self) -> Array:
        """The name of the one to whom somebody speaks alone, "" where it speaks to all, (R, N)."""
        names = np.full(self.env.agents + 1, "", object)
        names[list(self.stage.order)] = self.stage.names
        addressees: Array = names[self.to]  # NOBODY is the last entry
        return addressees

    def _open_acts(self, facts: Mapping[str, Any]) -> list[str]:
        return [*(act for part in self.parts for act in part.acts(self.stage, facts)), "I wait."]

    def turn(
        self,
        question: str,
        *,
        order: Order = "at_once",
        who: Array | None = None,
        kind: str = "act",
        resolve: Literal["together", "each"] = "together",
        known: Mapping[str, Fact] | None = None,
    ) -> Script:
        """Let all in `who` act, in an order of `turns`, and resolve it; returns texts, (R, N).

        One after the other each perceives those before it. resolve: whether the referee decides on
        all acts together, or on each.
        """
        check_order(order)
        check_option("resolve", resolve, ("together", "each"))
        self._check_acting(who)
        env, who = self.env, self.stage.actors if who is None else who & self.stage.actors
        ranks = yield from rank_turns(env, order, who, self.known(), _escaped(self.premise))
        done, left = np.full(who.shape, "", object), who
        for number in range(1 if order == "at_once" else len(self.stage.names)):
            mask = ranks == number
            if order == "referee":
                shown = self._shown(done)
                mask = yield from choose_next(env, left, self.judges, shown, _escaped(self.premise))
                left = left & ~mask
            acts = yield from self.act(question, who=mask, kind=kind, known=known)
            done = np.where(mask, acts, done)
            if resolve == "each":
                yield from self.resolve(acts)
        if resolve == "together":
            yield from self.resolve(done)
        return done

    def play(self, acts: Sequence[SceneAct]) -> Script:
        """Play the acts of a play one after the other, the last of them to the end.

        Raises ScenarioError for a play without acts, and for an act in which nobody of its
        cohort plays.
        """
        if not acts:
            raise ScenarioError("a play without acts; give at least one SceneAct")
        for act in acts:
            check_order(act.order)
            words = f"the rounds of the act {act.question!r:.60}"
            check_number(words, act.rounds, 1, np.inf, whole=True)
            if act.who and not (self.env.cohort(act.who) & self.stage.actors).any(1).all():
                raise ScenarioError(
                    f"nobody may act in the act {act.question!r:.60}: nobody in its cohort "
                    f"{act.who!r} plays; name another cohort"
                )
        ends = np.cumsum([act.rounds for act in acts])
        for number in self.env.rounds():
            act = acts[min(int(np.searchsorted(ends, number)), len(acts) - 1)]
            who = self.env.cohort(act.who) if act.who else None
            yield from self.turn(act.question, order=act.order, who=who, kind=act.kind)

    # Deciding

    def _make_form(self) -> Fields:
        """The verdict: what the referee may change, and what it tells of it."""
        values: dict[str, Value] = {}
        for part in self.parts:
            for name, value in part.form(self.stage).items():
                if name in values:
                    raise ScenarioError(
                        f"two consequences have a field {name!r}; take one "
                        f"{type(part).__name__}, or rename it"
                    )
                values[name] = value
        if self.closes:
            values["over"] = Choice("no", "yes")
        for value in values.values():
            if isinstance(value, Rows) and (word := value.misread()) is not None:
                raise ScenarioError(
                    f"{word!r} cannot stand in a ruling, {value.expected()}; give it another name"
                )
        for number, (name, place) in enumerate(self._stories().items()):
            of, at = (f"those who were at {place}", number) if place else ("all", None)
            plain = partial(self._plain_story, at=at)
            values[name] = Story(_LONGEST_STORY, plain=plain, of=of)
        return Fields(values)

    def _stories(self) -> dict[str, str]:
        """The stories of a verdict, by field, with the place where each is noticed."""
        return {"story": ""} if self.places is None or self.by_place else _stories(self.places)

    def _plain_story(self, facts: Any, at: int | None = None) -> str:
        """The rows that plain acts come to, as sentences; at: those about who is at a place."""
        where = None if at is None else self.stage.by_name(facts.seen("place"))
        forms = (part for one in self.parts for part in one.form(self.stage).values())
        rows = ((part, part.read(part.plain(facts))) for part in forms if isinstance(part, Rows))
        return _sentences(rows, where, at) or NOTHING_HAPPENS

    def resolve(self, acts: Array) -> Script:
        """Let the referee decide what comes of acts, (R, N) of text, and tell it.

        In a scene without a referee they are told, and nothing comes of them.
        """
        form = self.form
        if not self.judges.any():
            nothing = np.full(acts.shape, "", object)
            yield from self._tell(acts, self._silent_verdicts(form), nothing)
            return
        judging = self._judging(acts)
        first = yield self._question(form, acts, judging, None)
        judges = Judges(judging & self.env.active, self.state["place"] if self.by_place else None)
        _, refusals, _ = self._judged(form, first, judges)
        refused = np.array(refusals, object)[:, None]
        second = yield self._question(form, acts, judging & (refused != ""), refused)
        again = {name: np.where(refused != "", second[name], first[name]) for name in form.fields}
        verdicts, refusals, tellers = self._judged(form, again, judges)
        overruled = np.array([bool(reason) for reason in refusals])[:, None]
        for replicate in np.flatnonzero(overruled).tolist():
            verdicts[replicate] = silent_verdict(form, self.state, replicate)
        self._given = self._given + judges.here.any(1, keepdims=True)
        self._overruled = self._overruled + overruled
        story = self._told(again, judges, tellers, verdicts, overruled, acts != "")
        yield from self._tell(acts, verdicts, story)

    def _judging(self, acts: Array) -> Array:
        """The referees for whom there is something to decide, (R, N) of bool."""
        acted = acts != ""
        if not self.by_place:
            anybody: Array = self.judges & acted.any(1, keepdims=True)
            return anybody
        there = self.env.graph(STAGE).combined(np.add, acted * 1, self.env.active, "neighbours")
        judging: Array = self.judges & (there > 0)
        return judging

    def _silent_verdicts(self, form: Fields) -> list[dict[str, Any]]:
        return [silent_verdict(form, self.state, k) for k in range(self.env.replicates)]

    def _question(self, form: Fields, acts: Array, who: Array, refused: Array | None) -> Ask:
        """Ask for a verdict, or for another one in place of one that was refused."""
        facts = self._shown(acts)
        limits = [limit for part in self.parts for limit in part.limits()]
        limits += [rule.sentence for rule in self.rules]
        private = [_WHISPERED] if self.whispers else []
        words = [_escaped(self.premise), self.judging, *private, *map(_escaped, limits)]
        if refused is not None:
            facts["refusal"] = own(np.broadcast_to(refused, who.shape))
            words.append(_AGAIN)
        nothing: dict[str, Any] = {}
        for name, part in form.fields.items():
            rows = isinstance(part, Rows | Story)
            before = part.silent if rows else self.state.get(name, np.array(0))
            nothing[name] = before if rows else np.broadcast_to(before, who.shape)
        text = " ".join(filter(None, words))
        return Ask("resolve", form, facts, who=who, fallback=nothing, text=text)

    def _judged(
        self, form: Fields, said: Mapping[str, Array], judges: Judges
    ) -> tuple[list[dict[str, Any]], list[str], Array]:
        """The verdicts, what each of them breaks, and who tells the story; see read_verdicts."""
        verdicts, unread, tellers = read_verdicts(form, said, judges, self.stage, self.state)
        _, broken = apply_verdicts(self.parts, self.rules, self.stage, self.state, verdicts)
        reasons = [one or other for one, other in zip(unread, broken, strict=True)]
        for replicate in np.flatnonzero(~judges.here.any(1)).tolist():
            reasons[replicate] = ""  # nobody has decided anything
        return verdicts, reasons, tellers

    def _told(
        self,
        said: Mapping[str, Array],
        judges: Judges,
        tellers: Array,
        verdicts: Sequence[Mapping[str, Any]],
        overruled: Array,
        acted: Array,
    ) -> Array:
        """The story that each agent perceives, (R, N).

        That of the first referee who wanted what has been decided; if there is none, as no story is
        of it, the rows of the verdict as sentences. Of acts without a referee nothing comes.
        """
        place, keys = self.state.get("place"), self._stories()
        story = np.full(self.env.present.shape, "", object)
        decided = np.zeros(story.shape, bool)
        for k, verdict in enumerate(verdicts):
            deciding = judges.here[k] | acted[k]
            where = place[k] if place is not None and self.by_place else np.zeros(len(deciding))
            for part in np.unique(where[deciding]).tolist():
                around = where == part
                decided[k] |= around
                teller = np.flatnonzero(tellers[k] & around)
                for number, name in enumerate(keys):
                    at = None if place is None else part if self.by_place else number
                    told = said[name][k, teller[0]] if len(teller) else self._ruled(verdict, k, at)
                    here = place is None or self.by_place or (place[k] == number) | self.judges[k]
                    gap = np.where((story[k] != "") & (told != ""), " ", "")
                    story[k] = np.where(around & here, story[k] + gap + told, story[k])
        return np.where(decided & (overruled | (story == "")), NOTHING_HAPPENS, story)

    def _ruled(self, verdict: Mapping[str, Any], replicate: int, at: int | None) -> str:
        """The rows of a verdict as sentences; at: those about who is at a place."""
        where = None
        if at is not None:
            places = self.state["place"][replicate].tolist()
            where = {name: places[seat] for name, seat in self.stage.seats.items()}
        rows = (
            (part, verdict[n]) for n, part in self.form.fields.items() if isinstance(part, Rows)
        )
        return _sentences(rows, where, at)

    def hand_over(self, to: Array, amounts: Mapping[str, Array]) -> Script:
        """Let agents hand over things as the script has it, to the seats in `to`, (R, N).

        amounts: (R, N) of each item of an Inventory. Raises ScenarioError for what is no amount,
        for somebody who does not act, and where somebody has less.
        """
        goods = next((part for part in self.parts if isinstance(part, Inventory)), None)
        if goods is None:
            raise ScenarioError("the script hands over things; give the scene an Inventory")
        for item in amounts:
            check_option("what the script hands over", item, goods.items)
        verdicts = self._silent_verdicts(self.form)
        ruling: Any = self.form.fields["transfers"]
        names = {seat: name for name, seat in self.stage.seats.items()}
        check_shape("to whom the script hands things", to, self.env.present.shape)
        for item, given in amounts.items():
            check_shape(f"{item} that the script hands over", given, to.shape)
            for replicate, seat in np.argwhere(given != 0).tolist():
                giver, taker = (
                    names.get(one, "nobody who acts") for one in (seat, int(to[replicate, seat]))
                )
                amount = float(given[replicate, seat])
                row = {"from": giver, "to": taker, "amount": amount, "item": item}
                if ruling.legal(row) is None:
                    raise ScenarioError(
                        f"the script hands over what cannot be: {giver} gives {amount:g} {item} to "
                        f"{taker}"
                    )
                verdicts[replicate]["transfers"].append(row)
        _, broken = apply_verdicts(self.parts, self.rules, self.stage, self.state, verdicts)
        if reason := next(filter(None, broken), ""):
            raise ScenarioError(f"the script hands over what cannot be: {reason}")
        self._change(verdicts)
        facts = {name: fact for part in self.parts for name, fact in part.told(self.state).items()}
        yield Tell("handed_over", facts, text=" ")

    def _change(self, verdicts: Sequence[Mapping[str, Any]]) -> None:
        """Change the state by verdicts that break no rule, where the scene goes on."""
        before, running = self.state, self.env.running
        after, _ = apply_verdicts(self.parts, self.rules, self.stage, before, verdicts)
        self.state = {name: np.where(running, after[name], before[name]) for name in after}

    def _tell(self, acts: Array, verdicts: Sequence[Mapping[str, Any]], story: Array) -> Script:
        """Tell what has happened to those who were there, then let them go where they go."""
        before, text = self.state, "{seen} "
        self._change(verdicts)
        self.story = story
        aloud = np.where(self.to == NOBODY, acts, "")
        facts = {"deed": seen(HERE, aloud), "story": own(story)}
        if self.whispers:
            facts["heard"] = own(self._news)
            text += "{heard} "
            self._news = np.full(acts.shape, "", object)
        for part in self.parts:
            facts |= part.told(self.state)
        if self.judges.any():
            share = self._overruled / np.where(self._given, self._given, 1)
            facts["overruled"] = common(share)
            text += "{story}"
        yield Tell("happened", facts, text=text)
        if self.places is not None:
            self._forget(before["place"], self.state["place"])
            moved = {"place": own(where_known(self.state))}
            yield Tell("went", moved, groups=self._groups(), text=" ")
        if self.closes:
            over = np.array([[bool(verdict.get("over"))] for verdict in verdicts])
            yield Tell("closed", {"over": common(over)}, ends=over, text=" ")

    def _forget(self, before: Array, after: Array) -> None:
        """Whoever comes to a place has not heard what was said there before, nor takes it along."""
        moved = before != after
        for number in range(len(self.places.places) if self.places else 0):
            arrived = (moved & (after == number)).any(1, keepdims=True)
            self.said = np.where(arrived & (after == number), "", self.said)


def _places(row: Row, where: Mapping[str, Any]) -> list[Any]:
    """Where those are whom a row names."""
    return [where[name] for name in map(str, row.values()) if name in where]


def _sentences(
    rulings: Iterable[tuple[Rows, list[Row]]], where: Mapping[str, Any] | None, at: int | None
) -> str:
    """Rows as a sentence, "" for none; at: those about who is at a place, by `where`."""
    said = [
        part.write(row for row in rows if where is None or at in _places(row, where))
        for part, rows in rulings
    ]
    told = "; ".join(filter(None, said))
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def _stories(places: Places) -> dict[str, str]:
    """The field of a verdict with the story of each place."""
    bare = (place.lower().removeprefix("the ").replace(" ", "_") for place in places.places)
    return {f"story_{name}": place for name, place in zip(bare, places.places, strict=True)}


def _escaped(text: str) -> str:
    """A text in which braces stand for themselves."""
    return text.replace("{", "{{").replace("}", "}}")
