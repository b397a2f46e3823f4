"""How often `society why` names a planted culprit, and somebody in villages without one.

    python tests/benchmarks/post_mortems.py [--villages 80] [--seed 40000] [--in-words]

Shares are of the villages that failed, with Wilson's intervals of 95 %. The rule was found on seeds
below 1,000 and from 200,000 to 300,000.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from society.analysis.statistics import share
from tests.planted_culprits import (
    BAD_LUCK,
    EQUAL_TAKERS,
    IN_WORDS_WITH_CULPRIT,
    IN_WORDS_WITHOUT,
    MANY_TAKERS,
    RESTRAINED,
    WITH_CULPRIT,
    Design,
    Named,
    alike,
    measure,
    measure_changed,
    measure_in_words,
    personas,
)

_OWN_LAKES = [one for one in WITH_CULPRIT if "growth" not in one.parameters]

# Villages that a fork has changed: a parameter, after a round.
CHANGED: Sequence[tuple[str, Sequence[Design], tuple[str, float], int]] = (
    ("changed, with a planted culprit", WITH_CULPRIT, ("fine", 5), 2),
    ("changed, with a planted culprit", _OWN_LAKES, ("growth", 0.5), 10),
    ("changed, with a planted culprit", WITH_CULPRIT, ("consumption", 3), 5),
    ("changed, with a planted culprit", WITH_CULPRIT, ("punish_until", 5), 5),
    ("changed, with a planted culprit", WITH_CULPRIT, ("revision", 0.8), 2),
    (
        "ruined by the change",
        (
            alike("restrained, a rich lake", RESTRAINED),
            personas("personas, altruists", population="altruist"),
            personas("personas, general"),
        ),
        ("growth", 0.15),
        10,
    ),
    ("changed, equal takers", EQUAL_TAKERS, ("growth", 0.3), 2),
    ("changed, many takers", MANY_TAKERS, ("growth", 0.3), 2),
    ("changed, equal takers", EQUAL_TAKERS, ("fine", 5), 2),
    ("changed, many takers", MANY_TAKERS, ("fine", 5), 2),
    ("changed, bad luck", BAD_LUCK, ("fine", 5), 2),
    ("changed, bad luck", BAD_LUCK, ("growth", 0.3), 20),
)


def wilson(hits: int, count: int) -> str:
    """Write a share with its interval."""
    if not count:
        return "-"
    found = share(hits, count)
    return f"{found.share:6.1%} ({found.interval.low:.1%} to {found.interval.high:.1%})"


def print_group(
    heading: str, designs: Sequence[Design], villages: int, seeds: Iterable[int]
) -> list[Named]:
    """Print a row for each design, and all of them together."""
    print(f"\n{heading}")
    rows = []
    for design, seed in zip(designs, seeds, strict=False):
        rows.append(measure(design, villages, seed))
        _print_row(design.name, rows[-1], design.planted)
    if len(rows) > 1:
        _print_row("together", Named(*map(sum, zip(*rows, strict=True))), designs[0].planted)
    return rows


def _print_row(name: str, row: Named, planted: bool) -> None:
    if planted:
        words = f"{row.culprits:5} with a culprit of {row.failed} that failed; named:"
        wrong = f"; another named: {row.wrong}"
        print(f"  {name:38} {words} {wilson(row.right, row.culprits)}{wrong}", flush=True)
    else:
        named = wilson(row.wrong, row.failed)
        print(f"  {name:38} {row.failed:5} failed; named: {named}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--villages", type=int, default=80)
    parser.add_argument("--seed", type=int, default=40_000)
    parser.add_argument("--in-words", action="store_true", help="language villages alone")
    args = parser.parse_args()
    seeds = iter(range(args.seed, args.seed + 100 * 1_000, 1_000))
    if args.in_words:
        print_in_words(args.villages, seeds)
        return
    print_group("with a planted culprit", WITH_CULPRIT, args.villages, seeds)
    print_group("equal takers", EQUAL_TAKERS, args.villages, seeds)
    print_group("many takers", MANY_TAKERS, args.villages, seeds)
    print_group("bad luck", BAD_LUCK, args.villages, seeds)
    for heading, designs, change, after in CHANGED:
        print(f"\n{heading}: {change[0]} {change[1]:g} after round {after}")
        rows = []
        for design, seed in zip(designs, seeds, strict=False):
            rows.append(measure_changed(design, change, after, args.villages, seed))
            _print_row(design.name, rows[-1], design.planted)
        _print_row("together", Named(*map(sum, zip(*rows, strict=True))), designs[0].planted)


def print_in_words(villages: int, seeds: Iterable[int]) -> None:
    """Print the same of language villages, in which minds are asked."""
    print("\nin words")
    for design, seed in zip((*IN_WORDS_WITH_CULPRIT, *IN_WORDS_WITHOUT), seeds, strict=False):
        _print_row(design.name, measure_in_words(design, villages, seed), design.greedy == 1)


if __name__ == "__main__":
    main()
