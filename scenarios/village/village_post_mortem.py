"""The post-mortem of a village: when it was too late, who took how much, and whether one is named.

A fork may have changed rules, norm or horizon; each round is reckoned by its own rules.
See doom (from when on no efforts can save a village) and blame (who is named).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from society.engine.post_mortem import PostMortem, RecordedChange, RecordedReplicate, Statement
from society.engine.rng import Array
from society.scenarios.village.blame import (
    STANDS_OUT,
    Blame,
    VillageRules,
    find_blame,
    sustainable_shares,
)
from society.scenarios.village.doom import FASTEST, LeastWealth, least_wealth
from society.scenarios.village.lake import Lake, maximum_yield
from society.scenarios.village.village_course import VillageCourse, read_course

_HARMLESS = ("questionnaire", "cheap_talk")  # mechanisms that leave lake and wealth as they are
_MOST_TAKERS = 3
_CAUSES = {"starved": "starved", "fined_to_death": "died of a fine"}


class TooLate(NamedTuple):
    """The round after which nothing could have saved a village, between two bounds.

    first: it was not too late before the end of this round, for certain; last: it was at the end of
    this round, for certain. They are 0 where it was too late from the beginning, and None where it
    was not by the round of the failure.
    """

    first: int | None
    last: int | None


def tell_village(record: RecordedReplicate) -> Iterator[Statement]:
    """Yield what the record of a village tells of its end."""
    if why_not := _unknown_village(record):
        yield Statement("nothing", why_not)
        return
    planned = [record.params_in(number + 1) for number in range(record.horizon)]
    course = read_course(planned, record.pages(), record.replicate)
    if course is None:
        yield Statement("nothing", "No round of this village is over.")
        return
    if not course.failed:
        yield _alive(record, course)
        return
    # What was changed after the failure had no part in it.
    rules = [planned[min(number, course.rounds - 1)] for number in range(record.horizon)]
    changes = [one for one in record.interventions if one.after < course.rounds]
    yield _failure(course, record.name, rules)
    if changes:
        yield _changed(changes)
    late, fastest = TooLate(None, None), max(p.growth for p in rules)
    if fastest > FASTEST:
        yield Statement(
            "too_late",
            f"From when on it was too late cannot be told: at a growth of {fastest:g}, above "
            f"{FASTEST:g}, more fish left may be fewer a round later.",
        )
    else:
        bounds = least_wealth(rules, course.villagers)
        late = _too_late(bounds, course, course.wealth.min(1))
        yield _too_late_statement(rules, course, bounds, late)
    until = late.last or course.rounds
    yield from _takers(record, rules, course, until)
    yield _blame(record, rules, course, changes, doomed=late.last == 0)


def _unknown_village(record: RecordedReplicate) -> str:
    """Say why a village is of a kind that this post-mortem does not know; "" if it knows it."""
    around = [name for name in record.mechanisms if name not in _HARMLESS]
    if around:
        return (
            f"The village is played within {', '.join(around)}, which may change who fishes, how "
            "much, or what it is worth; this post-mortem knows a village alone."
        )
    if others := [one.words for one in record.interventions if not one.same_agents]:
        return (
            f"The village was changed in its course ({'; '.join(others)}), and this post-mortem "
            "knows no villages whose agents are others, or think otherwise, later on; ask why of "
            "the run before the fork."
        )
    return ""


def _changed(changes: Sequence[RecordedChange]) -> Statement:
    words = "; ".join(one.words for one in changes)
    return Statement(
        "changed",
        f"It was changed in its course: {words}. Each round is reckoned by its own rules, and what "
        "could have been done, by those that followed.",
        {"after": [one.after for one in changes]},
    )


def _alive(record: RecordedReplicate, course: VillageCourse) -> Statement:
    numbers = {"rounds": course.rounds, "failed": False}
    if record.finished and course.rounds >= record.horizon:
        words = (
            f"The village lived to its last round, {course.rounds}: nobody died and the lake did "
            "not collapse. There is nothing to explain."
        )
    elif record.finished:
        words = (
            f"The village was given up after round {course.rounds}, since an answer could not be "
            "read. It had not failed by then, and nothing can be said of what would have been."
        )
    else:
        words = f"The village has not failed so far, by round {course.rounds} of {record.horizon}."
    return Statement("end", words, numbers)


def _failure(course: VillageCourse, name: Callable[[int], str], rules: Sequence[Lake]) -> Statement:
    deaths = [
        f"{_listed([name(seat) for seat in seats])} {_CAUSES[cause]}"
        for cause, seats in course.dead.items()
    ]
    lake = [f"the lake collapsed, with {course.stock[-1]:.1f} fish"] if course.collapsed else []
    words = f"The village failed in round {course.rounds}: {' and '.join([*deaths, *lake])}."
    if not course.collapsed:
        words += f" {course.stock[-1]:.0f} of {rules[0].capacity:g} fish were left."
    numbers = {
        "rounds": course.rounds,
        "failed": True,
        "dead": {cause: list(seats) for cause, seats in course.dead.items()},
        "collapsed": course.collapsed,
        "stock": float(course.stock[-1]),
    }
    return Statement("end", words, numbers)


def _too_late(bounds: LeastWealth, course: VillageCourse, wealth: Array) -> TooLate:
    """Bound the round after which a wealth, (T + 1,), was never again enough.

    The failure itself is past saving, whatever is left afterwards.
    """
    ends = list(enumerate(zip(course.stock[:-1], wealth[:-1], strict=True)))
    savable = [over for over, state in ends if bounds.savable(over, *state)]
    open_ended = [over for over, state in ends if not bounds.doomed(over, *state)]
    first = 1 + savable[-1] if savable else 0
    last = 1 + open_ended[-1] if open_ended else 0
    at_last = course.rounds
    return TooLate(None if first >= at_last else first, None if last >= at_last else last)


def _too_late_statement(
    rules: Sequence[Lake], course: VillageCourse, bounds: LeastWealth, late: TooLate
) -> Statement:
    """Say from when on equal efforts, and any efforts, could not have saved all villagers."""
    shared = _too_late(bounds, course, course.wealth.mean(1))
    to, failed = f"to round {len(rules)}", course.rounds
    if late.last == 0:
        words = _doomed_words(rules, course, bounds)
    elif late.first is None:
        words = (
            f"Up to the end of round {failed - 1} it was not too late: had all fished alike from "
            f"then on, and nobody been fined, all could have lived {to}."
        )
    else:
        words = (
            f"After round {_between(late, failed)} no equal efforts could have saved all {to}; "
            "before, the right ones could, with nobody fined. "
        ) + _sharing_words(late, shared, failed)
    words += (
        f" (Computed backwards over {len(bounds.stock[0]):,} stocks, {bounds.step:.2g} fish apart; "
        "the bounds hold whatever lies between them.)"
    )
    numbers = {
        "first": late.first,
        "last": late.last,
        "sharing_first": shared.first,
        "sharing_last": shared.last,
        "grid_step": bounds.step,
    }
    return Statement("too_late", words, numbers)


def _doomed_words(rules: Sequence[Lake], course: VillageCourse, bounds: LeastWealth) -> str:
    """Say what villagers who could not be saved would have needed to begin with."""
    place = bounds.place_below(0, course.stock[0])
    yields = [maximum_yield(p) / course.villagers for p in rules]
    needed = _span(bounds.low[0, place], bounds.high[0, place])
    return (
        f"It was too late from the beginning: to live to round {len(rules)}, each of "
        f"{course.villagers} villagers would have needed {needed} fish to begin with, whatever "
        f"their efforts, and had {course.wealth[0, 0]:g}; the lake yields at most "
        f"{_over_time(yields, '.2f')} a head and round, and each eats "
        f"{_over_time([p.consumption for p in rules], 'g')}."
    )


def _sharing_words(late: TooLate, shared: TooLate, failed: int) -> str:
    """Say whether unequal efforts could have done more than equal ones, with all fish shared."""
    if shared == late:
        return "Nor could any efforts, even had they shared all their fish."
    if shared.first is None:
        return (
            "Unequal ones might have, the poor fishing more: that cannot be excluded up to the end "
            f"of round {failed - 1}."
        )
    return (
        "No efforts at all could have, even had they shared all their fish, after round "
        f"{_between(shared, failed)}."
    )


def _between(late: TooLate, failed: int) -> str:
    """Write the round, or what it lies between."""
    last = failed if late.last is None else late.last
    return f"{last}" if late.first == last else f"{last} (between {late.first} and {last})"


def _span(low: float, high: float) -> str:
    if not np.isfinite(low):
        return "more than any"
    if f"{low:.1f}" == f"{high:.1f}":
        return f"{low:.1f}"
    return f"{low:.1f} to {high:.1f}" if np.isfinite(high) else f"at least {low:.1f}"


def _over_time(values: Sequence[float], form: str) -> str:
    """Write what holds in one round after the other, each time that it changes."""
    return ", then ".join(format(value, form) for value, _ in groupby(values))


def _takers(
    record: RecordedReplicate, rules: Sequence[Lake], course: VillageCourse, until: int
) -> Iterator[Statement]:
    """Say who took how much above the norm in force, and above the sustainable share."""
    share = sustainable_shares(rules, course)[:until, None]
    said = _over_time(share[:, 0].tolist(), ".2f")
    catch, limit = course.catch[:until], course.limit[:until, None]
    with_norm = np.isfinite(limit)
    above_norm = np.where(with_norm, np.maximum(catch - np.where(with_norm, limit, 0), 0), 0)
    above_share = np.maximum(catch - share, 0)
    span = "In round 1" if until == 1 else f"In rounds 1 to {until}"
    if with_norm.any():
        yield _taken(record, "above_norm", span, "the norm in force", above_norm)
        caps, borne = limit[with_norm].mean(), share[with_norm].mean()
        if caps > borne:
            yield Statement(
                "lax_norm",
                f"The norm itself allowed {caps:.1f} fish a round on average, and the lake bears "
                f"{said} a head for good.",
                {"mean_norm": float(caps), "sustainable_share": float(borne)},
            )
    else:
        yield Statement("no_norm", "No norm in fish was in force.", {})
    of_share = f"the sustainable share of {said} fish a round"
    yield _taken(record, "above_share", span, of_share, above_share)


def _taken(record: RecordedReplicate, name: str, span: str, line: str, above: Array) -> Statement:
    total, rounds = above.sum(0), (above > 0).sum(0)
    order = [int(seat) for seat in np.argsort(-total, kind="stable") if total[seat] > 0]
    numbers = {"total": total.tolist(), "rounds": rounds.tolist()}
    if not order:
        return Statement(name, f"{span} nobody took more than {line}.", numbers)
    items = [
        f"{record.name(seat)} by {total[seat]:.1f} fish in {_rounds(int(rounds[seat]))}"
        for seat in order[:_MOST_TAKERS]
    ]
    rest = order[_MOST_TAKERS:]
    if rest:
        others = "another" if len(rest) == 1 else f"{len(rest)} others together"
        items.append(f"{others} by {total[rest].sum():.1f}")
    return Statement(name, f"{span}, {line} was exceeded: {_listed(items)}.", numbers)


def _blame(
    record: RecordedReplicate,
    rules: Sequence[VillageRules],
    course: VillageCourse,
    changes: Sequence[RecordedChange],
    *,
    doomed: bool,
) -> Statement:
    """Name one villager, or say why nobody is named."""
    found = find_blame(rules, course, [one.after for one in changes])
    numbers = found._asdict()
    if doomed:
        words = "Nobody is named: the lake could not feed them all, however they fished."
        return Statement("cause", words, numbers)
    if not found.named:
        return Statement("cause", f"Nobody is named: {_objection(record, found)}.", numbers)
    spread = (
        f" {_count(found.followers)} of the others had come to fish as it did, by imitation."
        if found.followers
        else ""
    )
    words = (
        f"{record.name(found.seat)} is named: of its own accord it fished with an effort of "
        f"{found.way:.2f}, and no other with more than {found.next:.2f}. Without it the village "
        f"would have lived to round {record.horizon}, even if the others had fished as hard as any "
        f"of them did of its own accord, and been fined as they were.{spread} With those who "
        f"fished like it, it took {found.share:.0%} of all that was taken above the sustainable "
        "share. (An inference from recorded efforts; --refork tries it by playing on without that "
        "villager.)"
    )
    if record.asks_models:
        words += (
            " How often this rule is right where language models are asked was not measured; it "
            "was for villages of rules and of scripted minds."
        )
    if changes and found.fails_unchanged:
        words += (
            " The village would have failed without what was changed, too, by the efforts recorded "
            "before and after."
        )
    elif changes:
        words += (
            " Without what was changed the village might have lived, too: by the efforts recorded "
            "before and after, both may have been needed."
        )
    return Statement("cause", words[:1].upper() + words[1:], numbers, (found.seat,))


def _objection(record: RecordedReplicate, found: Blame) -> str:
    """Say which condition of the rule is not met."""
    who = record.name(found.seat)
    if not found.stands_out:
        return (
            f"no one stands out. The hardest fisher of its own accord, {who} with an effort of "
            f"{found.way:.2f}, is less than {STANDS_OUT:g} times above the next, {found.next:.2f}"
        )
    if not found.strikes_others:
        return f"{who} fished hardest, but nobody else died, and the lake did not collapse"
    if not found.lives_without:
        return (
            f"{who} fished hardest, with an effort of {found.way:.2f}, but it cannot be shown that "
            "the others would have lived without it"
        )
    return f"{who} fished hardest, but the lake would have borne it if all had fished like it"


def _listed(items: list[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"


def _count(number: int) -> str:
    return "One" if number == 1 else str(number)


POST_MORTEM = PostMortem(tell_village, lives="survival_time")
