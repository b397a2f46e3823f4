"""Plays, and the tools that mechanisms around them are made of.

A play is an object: its script, and what mechanisms may know of it before its first line, which
travels through every mechanism by itself. A mechanism that needs more of a play looks for it when
it is called with an environment, before its first line: society.config.build.build calls it so, and
nothing has been written then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from society.errors import PartError, ScenarioError, definition_place, suggest

from .action_spaces import silence
from .arrays import fits
from .environment import Environment, NameLife, PublicFacts, complete_graphs, name_by_id
from .rng import Array
from .script import Ask, Fact, Inherit, Line, Script, Tell

MOST_LINES = 100_000  # of a script in one round; a loop that never ends has more
PlayFunction = Callable[[Environment], Script]
T = TypeVar("T")


class Declared(NamedTuple):
    """A play's statement of its move and its payoff, for mechanisms around it.

    move: the kind of the question. told: the kind of the tell. payoff: its fact, "" in a play that
    takes no payments; repeats: others in which it tells the same amounts again. players: how many
    make a match, from the parameters; None if all who are there play together. closed: why nothing
    can act on the play from outside, and what to do; "" where it can. open: whether people may come
    and go as a round begins, since the script runs env.turnover() there. The play takes what comes
    back from this tell, (R, N) or None, as what mechanisms add to everybody's payoff.
    """

    move: str
    told: str
    payoff: str = "payoff"
    players: Callable[[Any], int] | None = None
    repeats: tuple[str, ...] = ()
    closed: str = ""
    open: bool = False


@dataclass(frozen=True, eq=False)
class Play:
    """A script that mechanisms can stand around, and what they may know of it.

    declared: its move and its payoff. rules: what everybody knows of its game from the beginning,
    by the parameters; agents and prompts see it. public: more that they see, by name. name_life:
    names an agent by the number of its life and the number of agents. rematching: whether partners
    change, so that a replicate is a population and no match. origin: the function that was written,
    whose docstring says what is played.
    """

    script: PlayFunction
    origin: PlayFunction
    declared: Declared | None = None
    rules: Callable[[Any], object] | None = None
    public: Mapping[str, object] = field(default_factory=dict)
    name_life: NameLife = name_by_id
    rematching: bool = False

    def __call__(self, env: Environment) -> Script:
        return self.script(env)

    def rules_for(self, params: Any) -> object:
        """Return the public description of its game; None if it gives none."""
        return None if self.rules is None else self.rules(params)


def as_play(play: PlayFunction) -> Play:
    """A play as an object; a bare script declares nothing."""
    return play if isinstance(play, Play) else Play(play, play)


def public_facts(play: PlayFunction, params: Any) -> PublicFacts:
    """Return what agents and prompts know of a play from the beginning, as environments take it."""
    whole = as_play(play)
    return PublicFacts(whole.rules_for(params), whole.public, whole.name_life)


def declares(
    declared: Declared, *, rules: Callable[[Any], object] | None = None
) -> Callable[[PlayFunction], Play]:
    """Say what mechanisms may act on; stands above a script, below @scenario.

    rules: what everybody knows of the game, by the parameters. What it returns raises ScenarioError
    for what is no script.
    """

    def declared_play(play: PlayFunction) -> Play:
        if not callable(play):
            raise ScenarioError(
                f"@declares stands above {getattr(play, 'name', play)!r:.60}, which is no script; "
                "put it below @scenario, right above the def"
            )
        return replace(as_play(play), declared=declared, rules=rules)

    return declared_play


def declared_by(
    play: PlayFunction, mechanism: str, *, acts: bool = True, pays: bool = False
) -> Declared:
    """Return what a play declares; raises ScenarioError if it declares nothing, or is closed.

    acts: whether the mechanism changes what is asked or told, and does not only want to know.
    pays: whether it changes payoffs.
    """
    declared = as_play(play).declared
    if declared is None:
        raise ScenarioError(
            f"{mechanism}: the play declares no move and no payoff to act on; wrap one that does, "
            "or put @declares(Declared(move=..., told=...)) above it"
        )
    if acts and declared.closed:
        raise ScenarioError(f"{mechanism}: {declared.closed}")
    if pays:
        refuse_unpaid(declared, mechanism)
    return declared


def refuse_unpaid(declared: Declared, mechanism: str) -> None:
    """Raise ScenarioError for a play in which nothing can be paid."""
    if not declared.payoff:
        raise ScenarioError(
            f"{mechanism}: this play takes no payments, since what is owned in it grows or "
            "vanishes from round to round; take a play with payoffs"
        )


def add_extra_payoff(said: Tell, declared: Declared, added: Array) -> Tell:
    """Add an extra payoff, (R, N), to all facts of a line that state payoffs.

    Raises ScenarioError for another shape: that of (R,) could be taken for one of agents.
    """
    shape, own = said.facts[declared.payoff].values.shape, np.shape(added)
    if not (fits(own, shape) or fits(shape, own)):
        raise _wrong_payoff(f"shape {own} where {shape} was expected")
    names = (declared.payoff, *declared.repeats)
    facts = {name: said.facts[name] for name in names if name in said.facts}
    more = {name: fact._replace(values=fact.values + added) for name, fact in facts.items()}
    return replace(said, facts={**said.facts, **more})


def _wrong_payoff(words: str, place: str = "") -> ScenarioError:
    return ScenarioError(
        f"{place}an extra payoff has {words}; give each agent its own, or write x[:, None] for one "
        "of each replicate"
    )


def intercept(
    script: Script,
    *,
    line: Callable[[Line], Line | Script | None] = lambda said: said,
    answer: Callable[[Line, Any], Any] = lambda said, answered: answered,
) -> Script:
    """Drive `script`, changing each line on its way out and each answer on its way in.

    line: gives the line to yield in its place; None keeps it back (the script receives None); or a
    script of its own, whose result the inner script receives in place of an answer.
    answer: gives what the inner script receives, from its own line and what came back.
    """
    received: Any = None
    while True:
        try:
            said = script.send(received)
        except StopIteration as stop:
            return stop.value
        out = line(said)
        if isinstance(out, Generator):
            received = answer(said, (yield from out))
        else:
            received = answer(said, None if out is None else (yield out))


def hook_play(mechanism: object, play: Play, name: str) -> PlayFunction:
    """A play within an object that has on_move, or on_payoff, or begin.

    Raises ScenarioError for an object that has none of them, and for a play that does not say what
    its move or payoff is.
    """
    begin = getattr(mechanism, "begin", None)
    hooks = begin is not None, hasattr(mechanism, "on_move"), hasattr(mechanism, "on_payoff")
    if not any(hooks):
        raise ScenarioError(
            f"{name}: the class changes nothing; give it on_move(self, ask), "
            "on_payoff(self, tell, payoff), or begin(self, env, play)"
        )
    declared_by(play, name, pays=hooks[-1])

    def around(env: Environment) -> Script:
        acting = mechanism if begin is None else begin(env, play)
        pays = hasattr(acting, "on_payoff")
        return _acted_on(play(env), acting, declared_by(play, name, pays=pays), env)

    return around


class _ToldFacts(dict[str, Fact]):
    """Facts by name, as a hook of a mechanism reads them; one that is not there is an error."""

    def __init__(self, said: Tell) -> None:
        super().__init__(said.facts)
        self._kind = said.kind

    def __missing__(self, name: str) -> Fact:
        raise PartError(f"{self._kind!r} has no fact {name!r}; {suggest(name, self)}")


def _extra_payoff(
    on_payoff: Callable[[Tell, Array], Array],
    said: Tell,
    declared: Declared,
    env: Environment,
) -> Array:
    """Return what a hook adds to payoffs, (R, N); raises ScenarioError for what is no amount."""
    if declared.payoff not in said.facts:
        raise ScenarioError(
            f"@declares names the payoff {declared.payoff!r}, which Tell({said.kind!r}) does not "
            f"state; {suggest(declared.payoff, said.facts)}"
        )
    payoff = said.facts[declared.payoff].values
    added = np.asarray(on_payoff(replace(said, facts=_ToldFacts(said)), payoff))
    place = f"{definition_place(on_payoff)}: "
    if added.dtype.kind not in "biuf":
        given = "None (is a `return` missing?)" if added.item() is None else repr(added.tolist())
        raise _wrong_payoff(f"the value {given:.60} where numbers were expected", place)
    shape = env.present.shape
    if not fits(added.shape, shape):
        raise _wrong_payoff(f"shape {added.shape} where {shape} was expected", place)
    # A rehearsal, in which all answers are 0, may divide by what is never 0 in a run.
    if not env.rehearses and (np.isnan(added) & ~np.isnan(payoff)).any():
        raise _wrong_payoff("the value nan where the payoff is a number", place)
    return added


def _acted_on(script: Script, acting: object, declared: Declared, env: Environment) -> Script:
    """Drive a script while an object changes its moves and adds to its payoffs."""
    on_move: Callable[[Ask], Line | Script] | None = getattr(acting, "on_move", None)
    on_payoff: Callable[[Tell, Array], Array] | None = getattr(acting, "on_payoff", None)
    added: Array | None = None

    def line(said: Line) -> Line | Script:
        nonlocal added
        if isinstance(said, Ask) and said.kind == declared.move and on_move is not None:
            return on_move(said)
        if isinstance(said, Tell) and said.kind == declared.told and on_payoff is not None:
            added = _extra_payoff(on_payoff, said, declared, env)
            return add_extra_payoff(said, declared, added)
        return said

    def answer(said: Line, received: Any) -> Any:
        """A play that keeps accounts, as the village does, adds it to them."""
        nonlocal added
        if added is None or not isinstance(said, Tell) or said.kind != declared.told:
            return received
        more, added = added, None
        return more if received is None else more + received

    return intercept(script, line=line, answer=answer)


def questions(play: PlayFunction, env: Environment) -> Iterator[Ask]:
    """Yield the questions of a play up to the horizon, without asking anybody."""
    return (said for said in dry_run(play, env) if isinstance(said, Ask))


def dry_run(play: PlayFunction, env: Environment) -> Iterator[Line]:
    """Yield the lines of a play up to the horizon, with nobody to hear them.

    It is rehearsed for one replicate at an environment of its own, where every answer is silent and
    nobody leaves. Since lines do not depend on answers, these are all that can come. Asides are
    left out: what a mechanism learns of a play, and tells of it, is the same without them.
    """
    lines = silent_lines(play, rehearsal_environment(env))
    return (said for said in lines if not (isinstance(said, Ask) and said.aside))


def silent_lines(play: PlayFunction, alone: Environment) -> Iterator[Line]:
    """Play a script at an environment that is there for this alone, and answer nothing.

    Raises ScenarioError for one that goes on and on without opening a round.
    """
    script, received = play(alone), None
    opened, lines = 0, 0
    while True:
        lines = lines + 1 if len(alone.opened) == opened else 0
        opened = len(alone.opened)
        refuse_endless(lines)
        try:
            with np.errstate(all="ignore"):
                said = script.send(received)
        except StopIteration:
            return
        if not isinstance(said, Ask | Tell | Inherit):
            raise PartError(
                f"a script yields {type(said).__name__} in place of Ask, Tell or Inherit"
            )
        received = None
        yield said
        if isinstance(said, Ask):
            silent = silence(said.reply, (1, alone.agents))
            received = silent.get("", silent)


def refuse_endless(lines: int) -> None:
    """Raise ScenarioError for a script that has said too many lines in one round."""
    if lines > MOST_LINES:
        raise ScenarioError(
            f"the script has yielded {MOST_LINES:,} lines in one round, and goes on; let it play "
            "`for _ in env.rounds():`, which ends"
        )


def survey(look: Callable[..., T], play: PlayFunction, env: Environment, *given: Hashable) -> T:
    """Return `look(lines, *given)` of a play's dry run, which is held once for each environment.

    look: a function of a module, which should keep no more of the lines than it needs. Each
    mechanism rehearses what it stands around, and so all within that would do so again: the work
    would double with every mechanism, and begin anew in every game of a repeated one.
    """
    return env.dry_runs.find((look, play, given), lambda: look(dry_run(play, env), *given))


def rehearsal_environment(env: Environment, *, first_rounds_only: bool = False) -> Environment:
    """An environment like this one, of a single replicate in which everybody sees everybody."""
    alone = Environment(
        env.params,
        seed=env.seed,
        ids=env.ids,
        replicate_ids=env.replicate_ids[:1],
        horizon=env.horizon,
        graphs=complete_graphs(tuple(env.graphs), 1, env.ids),
        first_rounds_only=first_rounds_only,
        dry_runs=env.dry_runs,
        facts=env.facts,
    )
    alone.naming, alone.levels, alone.rehearses = env.naming, env.levels, True
    alone.cohorts = {name: seats[:1] for name, seats in env.cohorts.items()}
    alone.answered_by_rule = env.answered_by_rule
    return alone
