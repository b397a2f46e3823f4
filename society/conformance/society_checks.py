"""Check that a small society keeps the rules that all societies must keep; nobody is paid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from society.config.build import Society
from society.config.hook_checks import is_foreign
from society.config.wiring_issues import WiringIssue, WiringRefused
from society.engine.agents import RunContext
from society.engine.game_master import GameMaster, Outcome
from society.engine.history import InMemoryRecorder, Page
from society.engine.population import Cast, Population
from society.engine.tape import Tape
from society.errors import InputError, SocietyError, describe_user_error, explain_user_error
from society.llm.providers.free_minds import FreeMinds
from society.runs.design_runs import make_designs
from society.terminal.labels import count_noun

from .invariants import (
    AskedApart,
    AskedTwice,
    BrokenRule,
    WithinBounds,
    exact_record,
    replicate_record,
    split_cohorts,
)
from .structured_answers import AnswersInJson


class CheckResult(NamedTuple):
    """The result of one check: of what, how it ended, and why."""

    subject: str
    outcome: Literal["ok", "warning", "error"]
    words: str


def refused_results(subject: str, error: InputError) -> Iterator[CheckResult]:
    """Yield a result for each issue of the wiring; or for each line of another error."""
    if isinstance(error, WiringRefused):
        yield from (CheckResult(subject, one.severity, str(one)) for one in error.issues)
    else:
        yield from (CheckResult(subject, "error", line) for line in str(error).splitlines())


def wiring_results(
    subject: str, issues: Iterable[WiringIssue], checked: str = "names, values and wiring"
) -> Iterator[CheckResult]:
    """Yield a result for each issue, or one that all that was checked is well."""
    issues = dict.fromkeys(issues)
    yield from (CheckResult(subject, issue.severity, str(issue)) for issue in issues)
    if not issues:
        yield CheckResult(subject, "ok", checked)


def check_wired(setup: Society, subject: str) -> Iterator[CheckResult]:
    """Yield what is known of the wiring of a society, then play it in all ways."""
    yield from wiring_results(subject, (one for one in setup.wiring if not one.deferred))
    played = [*check_society(setup, subject)]
    yield from played
    if played[0].outcome == "ok":  # or else it has said why already
        yield from deferred_results(subject, [setup])


def deferred_results(subject: str, setups: Iterable[Society]) -> Iterator[CheckResult]:
    """Yield a result for each issue that only matters where all was played."""
    issues = dict.fromkeys(issue for one in setups for issue in one.wiring if issue.deferred)
    yield from (CheckResult(subject, issue.severity, str(issue)) for issue in issues)


class _Played(NamedTuple):
    outcome: Outcome
    pages: list[Page]


def check_society(setup: Society, subject: str) -> Iterator[CheckResult]:
    """Play a small society in ways that may change nothing; the offline mind answers for models."""
    try:
        setup = make_designs(setup, FreeMinds(setup.seed))
        whole = _play(setup)
    except Exception as error:  # code of the user's may raise anything: that is a finding
        words = describe_failure(error)
        yield CheckResult(subject, "error", f"does not play to its end: {words}")
        return
    rounds = count_noun(whole.outcome.rounds, "round")
    rounds = f"plays {rounds} in {count_noun(setup.replicates, 'replicate')}"
    yield CheckResult(subject, "ok", rounds)
    rules: tuple[
        tuple[str, Callable[[Society, _Played], None], Literal["warning", "error"]], ...
    ] = (
        ("the same seed gives the same history", _check_same_seed, "error"),
        ("each replicate alone equals the batch", _check_each_replicate, "error"),
        ("splitting a cohort changes nothing", _check_split_cohorts, "error"),
        ("answering changes nothing", _check_asking_twice, "error"),
        ("answers are within their bounds", _check_bounds, "warning"),
        ("answers fit the JSON schema that language models get", _check_schemas, "error"),
        ("replay from recorded answers equals the run", _check_replay, "error"),
    )
    if setup.says_separable:
        apart = "replicates played apart equal the batch, as `separable` says"
        rules = (*rules, (apart, _check_apart, "error"))
    for words, rule, severity in rules:
        try:
            rule(setup, whole)
        except BrokenRule as error:
            yield CheckResult(subject, severity, f"{words}: no, {error}")
        except Exception as error:  # as above
            yield CheckResult(subject, "error", f"{words}: {describe_failure(error)}")
        else:
            yield CheckResult(subject, "ok", words)


def play_once(setup: Society) -> Outcome:
    """Play a small society once, its designs included; the offline mind answers for models."""
    return _play(make_designs(setup, FreeMinds(setup.seed))).outcome


def describe_failure(error: Exception) -> str:
    """Say where in a file of the user's an error was raised, if it was."""
    if known := explain_user_error(error):
        return str(known)
    return str(error) if isinstance(error, SocietyError) else describe_user_error(error)


def _play(
    setup: Society,
    cast: Callable[[Cast, tuple[int, int]], Cast] | None = None,
    answerer: Callable[[GameMaster, RunContext], Population | Tape] | None = None,
    replicate: int | None = None,
) -> _Played:
    ids = None if replicate is None else np.array([replicate])
    game = setup.gamemaster(env=setup.environment(ids), minds=FreeMinds(setup.seed))
    assert isinstance(game.answerer, Population)
    context = game.answerer.context
    if cast is not None:
        seats = game.env.cohorts
        game.answerer = AskedApart(cast(setup.cast(), game.env.present.shape), context)
        game.env.cohorts = seats  # scripts may ask for cohorts by name
    if answerer is not None:
        game.answerer = answerer(game, context)
    recorder = InMemoryRecorder()
    game.recorders = [recorder]
    return _Played(game.play(), recorder.pages)


def _expect(same: bool, words: str) -> None:
    if not same:
        raise BrokenRule(words)


def _first_difference(one: _Played, other: _Played) -> str:
    """Name the first round that differs between two ways to play."""
    for page, before in zip(one.pages, other.pages, strict=False):
        if exact_record([page]) != exact_record([before]):
            for step, told in zip(page.steps, before.steps, strict=False):
                same = exact_record([page._replace(steps=(step,))])
                if same != exact_record([before._replace(steps=(told,))]):
                    return f"{step.kind!r} of round {page.number} differs"
            return f"round {page.number} differs"
    return "the number of rounds differs"


def _check_same_seed(setup: Society, whole: _Played) -> None:
    again = _play(setup)
    _expect(
        exact_record(again.pages) == exact_record(whole.pages),
        f"{_first_difference(again, whole)}; draw all chance by agents.draws or env.draws(NAME)",
    )


def _check_each_replicate(setup: Society, whole: _Played) -> None:
    for replicate in range(len(whole.pages[0].running)):
        alone = _play(setup, replicate=replicate)
        for one, of_many in zip(alone.pages, whole.pages, strict=False):
            same = replicate_record(one, 0) == replicate_record(of_many, replicate)
            _expect(
                same,
                f"round {one.number} of replicate {replicate} differs; let no rule look at other "
                "replicates, and say along which axis it sums",
            )


def _check_apart(setup: Society, whole: _Played) -> None:
    recorder = InMemoryRecorder()
    outcome = setup.sliced_game([recorder], minds=FreeMinds(setup.seed)).play()
    _expect(
        exact_record(recorder.pages) == exact_record(whole.pages),
        f"{_first_difference(_Played(outcome, recorder.pages), whole)}; let nothing look at other "
        "replicates or at shared data, or take `separable` back",
    )


def _check_split_cohorts(setup: Society, whole: _Played) -> None:
    def split(cast: Cast, shape: tuple[int, int]) -> Cast:
        return split_cohorts(cast, shape, np.indices(shape)[1] % 2 == 0)

    other = _play(setup, cast=split)
    kinds = {type(part) for cohort in setup.cast() for part in cohort.components}
    own = (kind for kind in kinds if "at_birth" in vars(kind) and is_foreign(kind))
    joined = sorted(kind.title() for kind in own)
    words = (
        f"; at_birth of {' and '.join(joined)} gives the word that hooks look at nothing else"
        if joined
        else ""
    )
    _expect(
        exact_record(other.pages) == exact_record(whole.pages),
        f"{_first_difference(other, whole)}; let each member's answer depend on its own columns "
        f"and facts, not on how many members there are{words}",
    )


def _check_asking_twice(setup: Society, whole: _Played) -> None:
    other = _play(setup, answerer=lambda game, context: AskedTwice(setup.cast(), context))
    _expect(other.outcome.digest == whole.outcome.digest, "asking twice changes the history")


def _check_bounds(setup: Society, whole: _Played) -> None:
    _play(setup, answerer=lambda game, context: WithinBounds(setup.cast(), context))


def _check_schemas(setup: Society, whole: _Played) -> None:
    _play(setup, answerer=lambda game, context: AnswersInJson(setup.cast(), context))


def _check_replay(setup: Society, whole: _Played) -> None:
    steps = [step for page in whole.pages for step in page.steps]
    asides = [step for page in whole.pages for step in page.asides]
    replay = _play(setup, answerer=lambda game, context: Tape(steps, asides))
    _expect(
        replay.outcome.digest == whole.outcome.digest,
        "the script does not depend on the answers alone",
    )


def small_society(setup: Society) -> Society:
    """Return a society with few replicates and rounds, seated or drawn as it is."""
    rounds = min(setup.rounds, 3)
    seated = setup.scenario.seats is not None
    spec = setup.spec if seated else setup.spec.model_copy(update={"replicates": 3})
    return replace(setup, spec=spec, rounds=rounds if not setup.scenario.layers else setup.rounds)
