"""Leaving something out of a history: it is played on many times, as it was and without it.

A run is forked at the end of a round, with fresh chance in every continuation, as it was and with
one thing changed: an agent taken out, a parameter, a norm. Runs of rules are continued in memory.
With language models every continuation is a fork with a file of its own, which is thrown away. The
shares of continuations that live to the horizon have Wilson's intervals, their difference has
Newcombe's: the two share no chance, and so are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from society.analysis.statistics import Interval, SuccessCount, fisher, share
from society.config.run_config import Setting
from society.engine.calls import Spent
from society.engine.game_master import Outcome
from society.engine.post_mortem import Statement
from society.errors import Exhausted, InputError, Paused
from society.runs.fork import Changes, Place, branch, find_end, fork
from society.runs.runfile import RunFile, open_run_file
from society.runs.session import use_in_files
from society.runs.trust import RecordedCode
from society.terminal.labels import count_noun
from society.user_code import guard_user_code

CONTINUATIONS = 40
_LIMITS = {"max_calls": "calls", "max_tokens": "tokens", "max_cost": "cost"}


@dataclass(frozen=True)
class LeftOut:
    """What is left out, and how it is played on.

    changes: of the fork; their seed is the first of fresh chance. words: what is left out, as in
    "without villager 3". at: the last round that is kept. model: to be asked; None: no model is.
    reach: settings of limits, which hold for all continuations together, and of how a model is
    reached.
    """

    changes: Changes
    words: str
    at: Place = 0
    continuations: int = CONTINUATIONS
    model: str | None = None
    reach: tuple[Setting, ...] = ()


class LivedOn(NamedTuple):
    """How many of n continuations lived to the horizon."""

    lived: int
    n: int
    interval: Interval


class ReforkDifference(NamedTuple):
    """The continuations as it was and with something left out, and the second share less the first.

    after: the last round that is kept.
    """

    after: int
    as_it_was: LivedOn
    left_out: LivedOn
    difference: float
    interval: Interval


def estimate_calls(run: RunFile, given: LeftOut) -> int:
    """Estimate how many calls to models all continuations take, by those of the recorded run."""
    after = find_end(run, given.at)
    return 2 * given.continuations * sum(call.round > after for call in run.calls())


def refork(
    run: RunFile,
    replicate: int,
    lives: str,
    given: LeftOut,
    *,
    trust: bool = False,
    announce: Callable[[str], None] = lambda line: None,
) -> ReforkDifference:
    """Play a replicate on, as it was and with something left out; raises InputError.

    lives: the measure that says when it failed; see society.engine.post_mortem. trust, announce: as
    in society.runs.play. Raises Paused where a model cannot be asked any more.
    """
    _refuse(run, lives, given)
    first = given.changes.seed or 0
    ways = Changes(seed=first), replace(given.changes, seed=first + given.continuations)
    with guard_user_code(RecordedCode(run.path, run.manifest, trust, announce)):
        if run.manifest.prompts:
            played = _with_models(run, ways, given)
        else:
            count = given.continuations
            played = [[branch(run, given.at, w, count=count, replicate=replicate)] for w in ways]
    as_it_was, left_out = (_count(outcomes, lives) for outcomes in played)
    found = fisher(left_out, as_it_was)
    after = find_end(run, given.at)
    return ReforkDifference(
        after, _lived(as_it_was), _lived(left_out), found.difference, found.interval
    )


def _refuse(run: RunFile, lives: str, given: LeftOut) -> None:
    manifest = run.manifest
    if not lives:
        raise InputError(
            f"{manifest.scenario} declares no measure of whether it has lived on, so that there is "
            "nothing to count"
        )
    if manifest.prompts and given.model is None:
        raise InputError(
            "language models play in this run, and are asked again only if you say which: --model M"
        )
    if manifest.prompts and manifest.replicates > 1:
        raise InputError(
            f"the run has {manifest.replicates} replicates, and a fork would ask models for all of "
            "them; play it with one replicate"
        )


def _with_models(
    run: RunFile, ways: tuple[Changes, Changes], given: LeftOut
) -> list[list[Outcome]]:
    """Play each continuation into a file of its own, each way in turn."""
    outcomes: list[list[Outcome]] = [[] for _ in ways]
    model = Setting("model", given.model, "--model")
    with TemporaryDirectory() as folder:
        for number in range(given.continuations):
            for place, changes in enumerate(ways):
                used = use_in_files(Path(folder).glob("*.run"))
                out = Path(folder, f"{number}-{place}.run")
                settings = (*changes.settings, model, *_left(given.reach, used))
                changed = replace(changes, settings=settings, seed=(changes.seed or 0) + number)
                end = fork(run.path, given.at, changed, out, fresh=True, conclude=False)
                if end.code:
                    raise Paused(f"after {number} continuations of each: {end.words}")
                with open_run_file(out) as played:
                    outcomes[place].append(played.outcome())
    return outcomes


def _left(reach: tuple[Setting, ...], used: Spent) -> Iterator[Setting]:
    """Yield the settings with what is left of limits; raises Exhausted for none."""
    for setting in reach:
        sort = _LIMITS.get(setting.key[-1])
        spent = None if sort is None else getattr(used, sort)
        if setting.value is None or not spent:
            yield setting
        elif setting.value > spent:
            yield setting._replace(value=setting.value - spent)
        else:
            raise Exhausted(f"{setting.where} {setting.value:g} is used up; give more")


def _count(outcomes: list[Outcome], lives: str) -> SuccessCount:
    """Count the continuations that lived; one that an unread answer ended does not count."""
    lived = sum(int(one.censored[lives].sum()) for one in outcomes)
    return SuccessCount(lived, sum(int((~np.isnan(one.values[lives])).sum()) for one in outcomes))


def _lived(count: SuccessCount) -> LivedOn:
    return LivedOn(count.hits, count.n, share(count.hits, count.n).interval)


def refork_statement(found: ReforkDifference, given: LeftOut, horizon: int) -> Statement:
    """Put into words what came of leaving something out."""
    start = f"after round {found.after}" if found.after else "from the beginning"
    low, high = (round(100 * end) for end in found.interval[:2])
    words = (
        f"Played on {start}, {count_noun(given.continuations, 'time')} each with fresh chance: as "
        f"it was, {_share(found.as_it_was)} lived to round {horizon}; {given.words}, "
        f"{_share(found.left_out)}. The difference is {round(100 * found.difference):+} percentage "
        f"points ({low:+} to {high:+})."
    )
    numbers = {
        "after": found.after,
        "as_it_was": [found.as_it_was.lived, found.as_it_was.n],
        "left_out": [found.left_out.lived, found.left_out.n],
        "difference": found.difference,
        "interval": list(found.interval[:2]),
    }
    return Statement("refork", words, numbers)


def _share(lived: LivedOn) -> str:
    low, high, _ = lived.interval
    return f"{lived.lived} of {lived.n} ({low:.0%} to {high:.0%})"
