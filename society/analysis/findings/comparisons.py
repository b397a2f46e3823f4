"""Findings about what differs between conditions, and what cannot be told apart.

    two conditions      the paired t test where random numbers are common, else Welch's
    several levels      F test of the analysis of variance, then Tukey's comparison of all pairs
    two factors         the same for each factor, and their interaction; where that is found, one
                        factor within each level of the other

All F tests and contrasts that findings rest on are one family: their p are adjusted by Holm, so
that the chance of any false claim among them is at most 5 %. A direction is claimed of a pair whose
interval excludes zero; levels "rise" if every pair that differs rises, and the outermost do.
Conditions of fewer than five runs are described, and nothing is concluded from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from society.analysis.statistics.anova import Anova, AnovaRow, anova
from society.analysis.statistics.contrasts import Contrast, PairedContrast, paired, welch
from society.analysis.statistics.posthoc import Tukey, correct_p_values, tukey_after
from society.analysis.statistics.samples import Interval, NotEstimable, try_compute
from society.engine.rng import Array
from society.experiments.factors import Label, format_label

from .statements import Basis, StudyFinding
from .wording import (
    FEWEST,
    Averages,
    Quantity,
    WordedDifference,
    at_level,
    count_runs,
    format_above,
    format_adjusted_p,
    format_decimals,
    format_p,
    is_ordered,
    join_words,
    list_levels,
    per_condition,
)

LEVEL = 0.05
_MOST_CELLS = 130  # of an analysis of variance
_MOST_LEVELS = 16  # of Tukey's comparison
_MOST_SLICES = 4
_MOST_VALUES = 10  # in a sentence

Cell = tuple[Label, ...]


@dataclass(frozen=True)
class ComparedConditions:
    """The conditions of a panel by their levels of one or two factors.

    values: of the outcome, one per replicate, (R,), by the levels of the factors in their order.
    paired: whether replicate r has the same random numbers in all conditions. shared: the levels
    that all of them have of other factors, in words. untested: why nothing can be tested here.
    """

    factors: Mapping[str, Sequence[Label]]
    values: Mapping[Cell, Array]
    paired: bool
    shared: str = ""
    untested: str = ""
    quantity: Quantity = field(default_factory=lambda: Quantity("outcome"))

    @property
    def where(self) -> str:
        """The shared levels behind a statement: " where lake = rich"."""
        return f" where {self.shared}" if self.shared else ""

    @property
    def samples(self) -> list[Array]:
        return list(self.values.values())

    @cached_property
    def scaled(self) -> dict[Cell, Array]:
        """The values on the scale on which they are tested."""
        return {cell: self.quantity.scale.transform(own) for cell, own in self.values.items()}

    @property
    def too_few(self) -> bool:
        """True if a condition has so few runs that nothing is concluded."""
        return min(count_runs([values]) for values in self.samples) < FEWEST

    def by_level(self, factor: str) -> dict[Label, Array]:
        """Pool the values of all conditions by their level of a factor."""
        place, pooled = list(self.factors).index(factor), dict[Label, list[Array]]()
        for cell, own in self.values.items():
            pooled.setdefault(cell[place], []).append(own)
        return {level: np.concatenate(pooled[level]) for level in self.factors[factor]}

    def within(self, factor: str, level: Label) -> ComparedConditions:
        """Take the conditions with this level of one of two factors."""
        place = list(self.factors).index(factor)
        rest = {name: levels for name, levels in self.factors.items() if name != factor}
        values = {
            tuple(label for at, label in enumerate(cell) if at != place): own
            for cell, own in self.values.items()
            if cell[place] == level
        }
        shared = ", ".join(filter(None, [self.shared, at_level(factor, level)]))
        return replace(self, factors=rest, values=values, shared=shared)

    @cached_property
    def variance(self) -> Anova:
        """The analysis of variance over the factors; raises NotEstimable."""
        if self.untested:
            raise NotEstimable(self.untested)
        if len(self.values) > _MOST_CELLS:
            raise NotEstimable(
                f"{len(self.values):,} conditions are too many for an analysis of variance here"
            )
        sizes = [len(own) for own in self.samples]
        labels = {
            name: np.repeat([format_label(cell[place]) for cell in self.values], sizes).tolist()
            for place, name in enumerate(self.factors)
        }
        replicates = [number for size in sizes for number in range(size)]
        values = np.concatenate(list(self.scaled.values()))
        return anova(values, labels, replicates if self.paired else None)

    @cached_property
    def contrast(self) -> Contrast | PairedContrast:
        """The second of two conditions less the first; raises NotEstimable."""
        if self.untested:
            raise NotEstimable(self.untested)
        first, second = self.scaled.values()
        return paired(second, first) if self.paired else welch(second, first)


@dataclass(frozen=True)
class FactorEffect:
    """A test that a claim may rest on: of two conditions, of a factor, or of an interaction."""

    conditions: ComparedConditions
    source: str  # a factor, or "a × b"
    p: float
    adjusted: float = 1.0

    @property
    def found(self) -> bool:
        return self.adjusted < LEVEL

    @property
    def interaction(self) -> bool:
        return self.source not in self.conditions.factors


def compare_conditions(
    quantity: Quantity, panels: Sequence[ComparedConditions]
) -> list[StudyFinding]:
    """Say what differs in each panel, effects first; "cannot be told apart" is said as well."""
    panels = [replace(panel, quantity=quantity) for panel in panels]
    said = [_values(panel) for panel in panels if panel.too_few]
    tested, effects = [panel for panel in panels if not panel.too_few], list[FactorEffect]()
    for panel in tested:
        found = try_compute(_effects, panel)
        if isinstance(found, NotEstimable):
            said.append(_untested(panel, found))
        else:
            effects += found
    adjusted = correct_p_values([effect.p for effect in effects]).tolist()
    effects = [replace(one, adjusted=p) for one, p in zip(effects, adjusted, strict=True)]
    found_of = {id(panel): [one for one in effects if one.conditions is panel] for panel in tested}
    sentences = [one for panel in tested for one in _panel(found_of[id(panel)])]
    return [
        *(one for one in sentences if one.kind == "effect"),
        *(one for one in sentences if one.kind != "effect"),
        *said,
    ]


def _effects(panel: ComparedConditions) -> list[FactorEffect]:
    """Test a panel: two conditions by their contrast, others by an analysis of variance."""
    if len(panel.values) == 2 and len(panel.factors) == 1:
        (factor,) = panel.factors
        return [FactorEffect(panel, factor, panel.contrast.p)]
    return [
        FactorEffect(panel, row.name, row.p) for row in panel.variance.sources if row.p is not None
    ]


def _panel(effects: Sequence[FactorEffect]) -> Iterator[StudyFinding]:
    """Say what the tests of one panel have found."""
    crossed = next((one for one in effects if one.interaction), None)
    if crossed is not None and crossed.found:
        yield from _interaction(crossed)
        return
    for effect in effects:
        if not effect.interaction:
            yield _of_factor(effect)
    if crossed is not None:
        first, second = crossed.conditions.factors
        yield StudyFinding(
            f"Whether the effect of {first} depends on {second} cannot be told"
            f"{crossed.conditions.where} ({_f_words(crossed)}).",
            _basis_of_f(crossed),
            "no effect",
        )


def _of_factor(effect: FactorEffect) -> StudyFinding:
    panel = effect.conditions
    if len(panel.values) == 2 and len(panel.factors) == 1:
        return _two(effect)
    found = try_compute(_tukey, effect)
    if isinstance(found, NotEstimable):
        return _by_f_alone(effect, found)
    return _levels(effect, found)


def _tukey(effect: FactorEffect) -> Tukey:
    analysis = effect.conditions.variance
    if len(analysis.margins[effect.source]) > _MOST_LEVELS:
        raise NotEstimable(
            f"{len(analysis.margins[effect.source])} levels are too many to compare all pairs"
        )
    return tukey_after(analysis, effect.source)


def _by_f_alone(effect: FactorEffect, why: NotEstimable) -> StudyFinding:
    """Say whether levels differ at all, where pairs are not compared."""
    panel, quantity = effect.conditions, effect.conditions.quantity
    words = f"{_f_words(effect)}; {why}"
    if not effect.found:
        sentence = f"An effect of {effect.source} on {quantity.label} cannot be told{panel.where}"
        return StudyFinding(f"{sentence} ({words}).", _basis_of_f(effect), "no effect")
    own = panel.by_level(effect.source)
    averages = Averages.of(quantity, list(own.values()))
    sentence = f"{quantity.subject} differs by {effect.source}{panel.where}"
    numbers = f"{averages.words(quantity)} at {list_levels([*own])}"
    short = f"{quantity.label} differs by {effect.source}"
    return StudyFinding(f"{sentence}: {numbers} ({words}).", _basis_of_f(effect), "effect", short)


# Two conditions


def _two(effect: FactorEffect) -> StudyFinding:
    panel, quantity = effect.conditions, effect.conditions.quantity
    contrast, factor = panel.contrast, effect.source
    low, high = (at_level(factor, cell[0]) for cell in panel.values)
    averages = Averages.of(quantity, panel.samples)
    found = WordedDifference.of(quantity, contrast.difference, contrast.interval)
    n = contrast.n if isinstance(contrast.n, int) else sum(contrast.n)
    name = "paired t test" if panel.paired else "Welch's t test"
    count = f"{n} pairs" if panel.paired else f"{n} runs"
    basis = Basis(name, n, found.value, found.interval, effect.adjusted)
    test = f"{name}, {count}, {format_adjusted_p(effect.adjusted, effect.p, LEVEL)}"
    numbers = quantity.with_unit(f"{averages.number(1)} against {averages.number(0)}")
    apart = quantity.scale.contrast_name
    if not effect.found:
        return StudyFinding(
            f"{quantity.subject} with {high} and with {low} cannot be told apart{panel.where}: "
            f"{numbers}; the {apart} is between {found.joined(' and ')}{found.points} "
            f"(95 % interval, {test}).",
            basis,
            "no effect",
        )
    more = "higher" if contrast.difference > 0 else "lower"
    return StudyFinding(
        f"{quantity.subject} was {more} with {high} than with {low}{panel.where}: {numbers}, a "
        f"{apart} of {found.number} (95 % interval {found.limits}; {test}).",
        basis,
        "effect",
        f"{quantity.label} was {more} with {high}",
    )


# Several levels of a factor


@dataclass(frozen=True)
class _Step:
    """Two levels that differ, the later one less the earlier one in the order of levels."""

    first: Label
    second: Label
    difference: float
    interval: Interval


def _steps(found: Tukey, levels: Sequence[Label]) -> list[_Step]:
    """List all pairs of levels in their order."""
    known = {(pair.first, pair.second): pair for pair in found.pairs}
    steps = []
    for at, first in enumerate(levels):
        for second in levels[at + 1 :]:
            names = format_label(first), format_label(second)
            pair = known.get(names) or known[names[::-1]]
            low, high, level = pair.interval
            if (pair.first, pair.second) == names:  # the first less the second
                difference, interval = -pair.difference, Interval(-high, -low, level)
            else:
                difference, interval = pair.difference, pair.interval
            steps.append(_Step(first, second, difference, interval))
    return steps


def _differs(step: _Step) -> bool:
    return step.interval.low > 0 or step.interval.high < 0


def _levels(effect: FactorEffect, found: Tukey) -> StudyFinding:
    """Say how the levels of a factor differ, in their order if they have one."""
    panel, levels = effect.conditions, effect.conditions.factors[effect.source]
    steps = _steps(found, levels)
    apart = [step for step in steps if _differs(step)]
    if not effect.found or not apart:
        return _no_levels_differ(effect, steps)
    ends = steps[len(levels) - 2]  # the first level and the last one
    ways = {step.difference > 0 for step in apart}
    if is_ordered(levels) and len(ways) == 1 and ends in apart:
        return _trend(effect, ends)
    if is_ordered(levels) or len(levels) == 2:
        widest = max(apart, key=lambda step: abs(step.difference))
        return _widest(effect, widest, one_way=len(ways) == 1)
    return _ranked(effect, found, panel)


def _course(effect: FactorEffect) -> tuple[str, str]:
    """Return the means of the levels in a row, and what the levels are."""
    panel, quantity = effect.conditions, effect.conditions.quantity
    own = panel.by_level(effect.source)
    averages = Averages.of(quantity, list(own.values()))
    over = [name for name in panel.factors if name != effect.source]
    means = f", over all levels of {over[0]}" if over else ""
    return averages.words(quantity), f"{effect.source} = {list_levels([*own])}{means}"


def _trend(effect: FactorEffect, ends: _Step) -> StudyFinding:
    panel, quantity = effect.conditions, effect.conditions.quantity
    verb = "rose" if ends.difference > 0 else "fell"
    numbers, levels = _course(effect)
    apart, basis = _apart(effect, ends)
    return StudyFinding(
        f"{quantity.subject} {verb} with {effect.source}{panel.where}: {numbers} ({levels}; "
        f"{format_label(ends.first)} and {format_label(ends.second)} differ by {apart}).",
        basis,
        "effect",
        f"{quantity.label} {verb} with {effect.source}",
    )


def _widest(effect: FactorEffect, step: _Step, *, one_way: bool) -> StudyFinding:
    panel, quantity = effect.conditions, effect.conditions.quantity
    more = "higher" if step.difference > 0 else "lower"
    numbers, levels = _course(effect)
    apart, basis = _apart(effect, step)
    first, second = (at_level(effect.source, one) for one in (step.first, step.second))
    mixed = "" if one_way else " Levels differ in both directions: there is no single trend."
    return StudyFinding(
        f"{quantity.subject} was {more} with {second} than with {first}{panel.where}, by {apart}: "
        f"{numbers} ({levels}).{mixed}",
        basis,
        "effect",
        f"{quantity.label} was {more} with {second} than with {first}",
    )


def _apart(effect: FactorEffect, step: _Step) -> tuple[str, Basis]:
    """Return by how much two levels differ, in words, and the basis of that."""
    panel, quantity = effect.conditions, effect.conditions.quantity
    found = WordedDifference.of(quantity, step.difference, step.interval)
    times = "a factor of " if quantity.scale.logarithmic else ""
    words = f"{times}{found.size.number}, 95 % interval {found.size.limits} by Tukey"
    test = "Tukey's comparison after an analysis of variance"
    return words, Basis(test, panel.variance.n, found.value, found.interval, effect.adjusted)


def _no_levels_differ(effect: FactorEffect, steps: Sequence[_Step]) -> StudyFinding:
    """Say that levels cannot be told apart, and what difference is excluded."""
    panel, quantity = effect.conditions, effect.conditions.quantity
    most = max(limit for step in steps for limit in _sizes(quantity, step.interval))
    numbers, levels = _course(effect)
    times = "a factor of " if quantity.scale.logarithmic else ""
    excluded = format_above(most) if times else quantity.difference_above(most)
    interval = Interval(1 / most if quantity.scale.logarithmic else -most, most)
    return StudyFinding(
        f"{quantity.subject} cannot be told apart by {effect.source}{panel.where}: {numbers} "
        f"({levels}; {_f_words(effect)}); no two levels differ by more than {times}{excluded} "
        "(95 % intervals by Tukey).",
        Basis(
            "analysis of variance, Tukey's intervals",
            panel.variance.n,
            None,
            interval,
            effect.adjusted,
        ),
        "no effect",
    )


def _sizes(quantity: Quantity, interval: Interval) -> list[float]:
    """Return how far the limits of a difference are from none: amounts, or factors."""
    sizes = [abs(limit) for limit in interval[:2]]
    return [float(np.exp(size)) for size in sizes] if quantity.scale.logarithmic else sizes


def _ranked(effect: FactorEffect, found: Tukey, panel: ComparedConditions) -> StudyFinding:
    """Name the best of unordered levels, those tied with it, and those that are behind."""
    quantity, factor = panel.quantity, effect.source
    own = panel.by_level(factor)
    names = {format_label(level): level for level in own}
    averages = Averages.of(quantity, list(own.values()))
    number = dict(zip(map(format_label, own), averages.means, strict=True))
    order = [*found.means]
    best = set(found.letters[order[0]])
    top = [name for name in order if best & set(found.letters[name])]
    behind = [name for name in order if name not in top]

    def listed(some: Sequence[str]) -> str:
        shown = [
            f"{at_level(factor, names[name])} "
            f"({quantity.with_unit(format_decimals(number[name], averages.decimals))})"
            for name in some[:_MOST_VALUES]
        ]
        more = len(some) - len(shown)
        return join_words([*shown, *([f"{more} more"] if more else [])])

    steps = _steps(found, list(own))
    if not behind:  # others differ, though none from the highest
        widest = max((one for one in steps if _differs(one)), key=lambda one: abs(one.difference))
        return _widest(effect, widest, one_way=True)
    lowest = names[behind[-1]]
    ends = next(one for one in steps if {one.first, one.second} == {names[order[0]], lowest})
    apart, basis = _apart(effect, ends)
    tied = f", not to be told apart from {listed(top[1:])}" if len(top) > 1 else ""
    short = f"{quantity.label} differs by {factor}"
    if not tied:
        short = f"{quantity.label} was highest with {at_level(factor, names[top[0]])}"
    return StudyFinding(
        f"{quantity.subject} was highest with {listed(top[:1])}{panel.where}{tied}, and above "
        f"{listed(behind)}; the highest and the lowest differ by {apart} "
        f"({len(own)} levels of {factor}, {per_condition(list(own.values()))}).",
        basis,
        "effect",
        short,
    )


# Two factors that depend on each other


def _interaction(crossed: FactorEffect) -> Iterator[StudyFinding]:
    """Say what one factor does within each level of the other, and that this differs."""
    panel = crossed.conditions
    along, across = _roles(panel)
    levels = list(panel.factors[across])
    slices = [panel.within(across, level) for level in levels[:_MOST_SLICES]]
    found = [try_compute(_effects, one) for one in slices]
    known = [one[0] for one in found if not isinstance(one, NotEstimable)]
    adjusted = correct_p_values([one.p for one in known]).tolist()
    effects = [replace(one, adjusted=p) for one, p in zip(known, adjusted, strict=True)]
    left = len(levels) - len(slices)
    outside = f" {left} more levels of {across} are left out here." if left else ""
    sentences = [_of_factor(one) for one in effects]
    together = _same_direction(crossed, effects)
    if together:
        yield together
        return
    yield from sentences
    for one, why in zip(slices, found, strict=True):
        if isinstance(why, NotEstimable):
            yield _untested(one, why)
    yield StudyFinding(
        f"How much {panel.quantity.label} changes with {along} depends on {across}"
        f"{panel.where} (interaction, {_f_words(crossed)}).{outside}",
        _basis_of_f(crossed),
        "effect",
        f"the effect of {along} depends on {across}",
    )


def _roles(panel: ComparedConditions) -> tuple[str, str]:
    """Choose the factor that is followed, an ordered one if there is one, and the other."""
    first, second = panel.factors
    if is_ordered(panel.factors[second]) and not is_ordered(panel.factors[first]):
        return second, first
    return first, second


def _same_direction(crossed: FactorEffect, slices: Sequence[FactorEffect]) -> StudyFinding | None:
    """Put trends that go the same way in all slices into one sentence; else None."""
    panel = crossed.conditions
    along, across = _roles(panel)
    levels = panel.factors[along]
    if len(slices) != len(panel.factors[across]) or not is_ordered(levels):
        return None
    parts, ways, ends = [], set(), list[_Step]()
    for one in slices:
        tukey = try_compute(_tukey, one)
        if isinstance(tukey, NotEstimable):
            return None
        finding = _levels(one, tukey)
        step = _steps(tukey, levels)[len(levels) - 2]
        if not finding.short.endswith(f" with {along}") or " than " in finding.short:
            return None
        ways.add(step.difference > 0)
        ends.append(step)
        numbers, _ = _course(one)
        parts.append(f"{numbers}{one.conditions.where}")
    if len(ways) != 1:
        return None
    verb = "rose" if ways.pop() else "fell"
    quantity = panel.quantity
    least = min(ends, key=lambda step: abs(step.difference))
    _, basis = _apart(slices[ends.index(least)], least)
    return StudyFinding(
        f"{quantity.subject} {verb} with {along}: {', '.join(parts)} ({along} = "
        f"{list_levels(levels)}; {per_condition(panel.samples)}; {format_label(levels[0])} and "
        f"{format_label(levels[-1])} differ in each, by Tukey; the effect depends on {across}: "
        f"interaction, {_f_words(crossed)}).",
        basis,
        "effect",
        f"{quantity.label} {verb} with {along}",
    )


# What cannot be tested


def _f_row(effect: FactorEffect) -> tuple[AnovaRow, AnovaRow]:
    analysis = effect.conditions.variance
    return analysis[effect.source], analysis.residual


def _f_words(effect: FactorEffect) -> str:
    row, residual = _f_row(effect)
    return f"F({row.df}, {residual.df:,}) = {row.f:.3g}, {format_p(effect.adjusted)}"


def _basis_of_f(effect: FactorEffect) -> Basis:
    row, _ = _f_row(effect)
    return Basis("analysis of variance", effect.conditions.variance.n, row.f, None, effect.adjusted)


def _values(panel: ComparedConditions) -> StudyFinding:
    """Give the values of conditions with few runs, and claim nothing."""
    quantity, names = panel.quantity, list(panel.factors)
    if len(panel.values) > _MOST_VALUES:
        return _extreme_means(panel)
    shown = []
    for cell, own in panel.values.items():
        known = own[~np.isnan(own)]
        numbers = ", ".join(map(quantity.value, known[:FEWEST])) or "none"
        more = f" and {len(known) - FEWEST} more" if len(known) > FEWEST else ""
        condition = ", ".join(map(at_level, names, cell))
        shown.append(f"{numbers}{more} with {condition}")
    unit = f" ({quantity.unit})" if quantity.unit else ""
    return StudyFinding(
        f"{quantity.subject}{unit}{panel.where}: {'; '.join(shown)}. With fewer "
        f"than {FEWEST} runs of a condition, nothing is concluded.",
        Basis("values of runs", count_runs(panel.samples)),
    )


def _extreme_means(panel: ComparedConditions) -> StudyFinding:
    """Say between which means many conditions with few runs lie, and claim nothing."""
    quantity = panel.quantity
    means = {
        cell: float(np.nanmean(own))
        for cell, own in panel.values.items()
        if not np.isnan(own).all()
    }
    unit = f" ({quantity.unit})" if quantity.unit else ""
    known, every = sorted({*means.values()}), len(panel.values)
    if len(known) > 1:
        ends = " to ".join(_with_mean(panel, means, end) for end in (known[0], known[-1]))
        span = f"means from {ends}, in {every}"
    elif known:
        many = f"all {every}" if len(means) == every else f"{len(means)} of {every}"
        span = f"a mean of {quantity.value(known[0])} in {many}"
    else:
        span = f"no values in {every}"
    return StudyFinding(
        f"{quantity.subject}{unit}{panel.where}: {span} conditions. With fewer "
        f"than {FEWEST} runs of a condition, nothing is concluded.",
        Basis("values of runs", count_runs(panel.samples)),
    )


def _with_mean(panel: ComparedConditions, means: Mapping[Cell, float], mean: float) -> str:
    """Name a mean with the first condition that has it, and count the others."""
    cells = [cell for cell, own in means.items() if own == mean]
    more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
    where = ", ".join(map(at_level, panel.factors, cells[0]))
    return f"{panel.quantity.value(mean)} ({where}{more})"


def _untested(panel: ComparedConditions, why: NotEstimable) -> StudyFinding:
    """Describe the highest and the lowest mean of conditions that were not tested."""
    quantity, names = panel.quantity, list(panel.factors)
    averages = Averages.of(quantity, panel.samples)
    known = [place for place, one in enumerate(averages.means) if not np.isnan(one)]
    basis = Basis(f"means of runs; no test: {why}", count_runs(panel.samples))
    begin = f"{quantity.subject}{panel.where}"
    if not known:
        return StudyFinding(f"{begin} has no values.", basis)
    ends = [function(known, key=averages.means.__getitem__) for function in (min, max)]
    cells = list(panel.values)
    low, high = (
        f"{quantity.with_unit(averages.number(place))} with "
        f"{', '.join(map(at_level, names, cells[place]))}"
        for place in ends
    )
    if averages.means[ends[0]] == averages.means[ends[1]]:
        every = "both" if len(cells) == 2 else f"all {len(cells):,}"
        words = f"{quantity.with_unit(averages.number(ends[0]))} in {every} conditions"
    else:
        words = f"between {low} and {high}, of {len(cells):,} conditions"
    return StudyFinding(f"{begin}: {words}. Not tested: {why}.", basis)
