"""Judges of claims: each reads what `claims.yaml` says, looks at samples, and gives a finding."""

from __future__ import annotations

import importlib
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, singledispatchmethod
from itertools import chain, product
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from society.analysis.statistics.posthoc import Difference, Tukey
from society.analysis.statistics.samples import Interval
from society.claims.comparisons import ALPHA, Comparison, Effect, MeanInterval, Odds
from society.claims.data import (
    Always,
    Bound,
    Coded,
    CodeSpec,
    Comparisons,
    CountSpec,
    DesignData,
    Direction,
    Groups,
    Judge,
    Notes,
    PairSpec,
    PaperNumber,
    RuleSpec,
    SampleSpec,
    Shares,
    Together,
    Untestable,
    Variance,
    Within,
)
from society.claims.effects import (
    ClaimEffect,
    Expected,
    PaperValue,
    effect_of_comparison,
    effect_of_mean,
    effect_of_share,
    effect_of_variance,
)
from society.claims.types import (
    Claim,
    ClaimFinding,
    ClaimVerdict,
    InsufficientEvidence,
    all_hold,
    any_holds,
    comparison_notes,
    contrary_holds,
    outcome_of,
)
from society.engine.rng import Array

from .claim_samples import Samples, Variables, fill_variables, share_runs
from .evidence import Evidence, SamplePair, TestName

LIKE = 2.0  # times as large, or as small, is as good as the same
EVEN = 0.5  # share of runs: what all runs do must not come about where half of all runs do so

_WORDS = {True: "holds", False: "does not hold", None: "not shown"}
_LIKENESS = {True: "as in the paper", False: "not as in the paper", None: "not shown"}
_SIDES: Mapping[str, Expected] = MappingProxyType(
    {"above": "greater", "below": "less", "not above": "not greater", "not below": "not less"}
)
_TRUE: Mapping[str, Callable[[Array, float], Array]] = MappingProxyType(
    {"<": operator.lt, ">": operator.gt, "==": operator.eq}
)


def judge_claims(claims: Iterable[Claim], evidence: Evidence) -> Iterator[ClaimVerdict]:
    """Judge each claim by our results."""
    for one in claims:
        try:
            found = one.judge(evidence)
        except InsufficientEvidence as untestable:
            found = ClaimFinding("cannot be told", "", str(untestable))
        words = f"{one.claim} ({one.under})" if one.under else one.claim
        yield ClaimVerdict(
            *(words, one.source, one.said, found.found, found.outcome, found.notes),
            *(one.under, one.ours, one.departures, found.effects, found.main_effect),
        )


class Stated(NamedTuple):
    """A claim as it is to be judged: with its variables, and how its samples begin.

    source: where the paper has it.
    """

    id: str
    source: str
    judge: Judge
    sample: SampleSpec
    variables: Variables


@dataclass(frozen=True)
class ClaimPanel:
    """All judges of a design. package: where code is looked up; stated: all claims."""

    design: DesignData
    package: str
    stated: Sequence[Stated] = ()

    def finding(self, stated: Stated, evidence: Evidence) -> ClaimFinding:
        """Judge a claim; raises InsufficientEvidence."""
        return self._judge(stated.judge, Samples(evidence, self.design, stated.sample), stated)

    def _function(self, code: CodeSpec, stated: Stated) -> Callable[..., Any]:
        """A function of the paper's package, with its arguments."""
        module, _, name = code.code.rpartition(".")
        function = getattr(importlib.import_module(f"{self.package}.{module}"), name)
        return partial(function, **fill_variables(code.arguments, stated.variables))

    @singledispatchmethod
    def _judge(self, judge: Judge, samples: Samples, stated: Stated) -> ClaimFinding:
        raise TypeError(f"no judge of {judge}")

    def _noted(self, notes: Notes, samples: Samples, stated: Stated) -> list[str]:
        return [
            self._function(note, stated)(samples) if isinstance(note, CodeSpec) else note
            for note in notes
        ]

    @_judge.register
    def _(self, judge: Comparisons, samples: Samples, stated: Stated) -> ClaimFinding:
        compared = compare_pairs(judge, samples, stated.variables)
        parts = compared.parts if judge.holds == "each" else [any_holds(compared.parts)]
        words = [] if not judge.by else [_by(compared)]
        words += [f"{part}: {_WORDS[held]}" for part, held in compared.named.items()]
        words += self._noted(judge.notes, samples, stated)
        ordering = all(pair.expect == "greater" for pair in judge.pairs)
        notes = comparison_notes(compared.found, "; ".join(words)) if ordering else "; ".join(words)
        return ClaimFinding(
            *(outcome_of(parts), "; ".join(map(str, compared.found)), notes),
            *(tuple(compared.effects), judge.holds == "any"),
        )

    @_judge.register
    def _(self, judge: Shares, samples: Samples, stated: Stated) -> ClaimFinding:
        counts = [
            (count, variables)
            for count in chain(*judge.counts)
            for variables in samples.bindings(count.each, stated.variables)
        ]
        runs, undecided = dict[str, Array](), list[str]()
        for count, variables in counts:
            name = str(fill_variables(count.name, variables))
            runs[name], left = _counted(count, samples.values(count.sample, variables))
            undecided += [left] if count.decided else []
        odds = samples.evidence.chances(runs, judge.chance)
        parts = [_beside_chance(one, of) for one, (of, _) in zip(odds, counts, strict=True)]
        notes = f"undecided: {', '.join(undecided)} runs" if undecided else ""
        effects = tuple(
            effect_of_share(one, _SIDES.get(of.expect, "alike"), held)
            for one, (of, _), held in zip(odds, counts, parts, strict=True)
        )
        return ClaimFinding(outcome_of(parts), "; ".join(map(str, odds)), notes, effects)

    @_judge.register
    def _(self, judge: Within, samples: Samples, stated: Stated) -> ClaimFinding:
        bounds = [
            (bound, variables)
            for bound in judge.means
            for variables in samples.bindings(bound.each, stated.variables)
        ]
        values = [samples.values(bound.sample, variables) for bound, variables in bounds]
        estimates = samples.evidence.estimates(values)
        words = dict[str, list[str]]()
        for (bound, variables), found in zip(bounds, estimates, strict=True):
            group = str(fill_variables(bound.group, variables))
            mean = bound.words.format(**variables, mean=found.mean)
            words.setdefault(group, []).append(f"{mean} {found}")
        found_words = [
            f"{group}: {', '.join(some)}" if group else "; ".join(some)
            for group, some in words.items()
        ]
        ranges = [(bound.low, bound.high) for bound, _ in bounds]
        parts = _within(estimates, ranges)
        effects = tuple(
            effect_of_mean(
                _name_mean(bound, variables, found.mean), found, ends, held, stated.source
            )
            for (bound, variables), found, ends, held in zip(
                bounds, estimates, ranges, parts, strict=True
            )
        )
        return ClaimFinding(outcome_of(parts), "; ".join(found_words), effects=effects)

    @_judge.register
    def _(self, judge: Always, samples: Samples, stated: Stated) -> ClaimFinding:
        parts, words = list[bool | None](), list[str]()
        for rule in judge.rules:
            for variables in samples.bindings(rule.each, stated.variables):
                found = [
                    samples.values(rule.sample, one)
                    for one in samples.bindings(rule.over, variables)
                ]
                parts += [_all_keep(rule, one, exact=bool(judge.exact)) for one in found]
                beside = {name: samples.mean(one, variables) for name, one in rule.beside.items()}
                words.append(_in_words(rule, variables, found, beside))
        notes = "; ".join(
            [*filter(None, [judge.exact]), *self._noted(judge.notes, samples, stated)]
        )
        return ClaimFinding(outcome_of(parts), f"{judge.begin}{'; '.join(words)}", notes)

    @_judge.register
    def _(self, judge: Variance, samples: Samples, stated: Stated) -> ClaimFinding:
        effect = judged_effects(judge, samples, stated.variables)[judge.effect]
        published = judge.published.eta_squared
        if judge.published.p >= ALPHA:
            finding = _absent(effect, LIKE * published)
            held = {"reproduced": True, "not reproduced": False}.get(finding.outcome)
            beside = effect_of_variance(effect, published, held, stated.source, shown=False)
            return finding._replace(effects=(beside,))
        low, high = published / LIKE, published * LIKE
        significant, notes = effect.p < ALPHA, ""
        size = MeanInterval(effect.eta_squared, effect.low, effect.high)
        parts: dict[str, bool | None] = {
            "significance": False if effect.high < low else significant or None,
            "size": size.within(low, high),
            "direction": None,
        }
        try:
            directed = _test_order(judge, samples, stated.variables)
            parts["direction"] = directed if significant else None
        except InsufficientEvidence as untestable:
            notes = f" ({untestable})"
        words = "; ".join(f"{part} {_LIKENESS[held]}" for part, held in parts.items())
        beside = effect_of_variance(effect, published, parts["size"], stated.source, shown=True)
        return ClaimFinding(outcome_of(parts.values()), str(effect), f"{words}{notes}", (beside,))

    @_judge.register
    def _(self, judge: Groups, samples: Samples, stated: Stated) -> ClaimFinding:
        effect = judged_effects(judge, samples, stated.variables)["model"]
        if effect.p >= ALPHA:
            return ClaimFinding(
                "cannot be told", str(effect), "no test after an effect that is not shown"
            )
        sample = samples.complete(judge.sample, stated.variables)
        trial, levels = (
            samples.trial(sample, stated.variables),
            fill_variables(sample.levels, stated.variables),
        )
        found = samples.evidence.ranked(trial, sample.measure, "model", levels)
        words = "; ".join(
            f"{one} {mean:.1f} ({found.letters[one]})" for one, mean in found.means.items()
        )
        try:
            if judge.only_pair:
                first, second = (str(samples.model(trial, name)) for name in judge.only_pair)
                parts = _only_pair(found, first, second)
            else:
                parts = [_alone_above(found, str(samples.model(trial, judge.highest_alone)))]
        except InsufficientEvidence as untestable:
            return ClaimFinding("cannot be told", words, str(untestable))
        return ClaimFinding(outcome_of(parts), words)

    @_judge.register
    def _(self, judge: Together, samples: Samples, stated: Stated) -> ClaimFinding:
        held = {
            str(fill_variables(judge.name, variables)): self._parts(judge, samples, variables)
            for variables in samples.bindings(dict(judge.each), stated.variables)
        }
        societies = [all_hold(parts) for parts in held.values()]
        words = [
            f"{under}: {parts.count(True)} of {len(parts)} parts hold, "
            f"{parts.count(False)} surely do not"
            for under, parts in held.items()
        ]
        return ClaimFinding(outcome_of([any_holds(societies)]), "; ".join(words))

    def _parts(self, judge: Together, samples: Samples, variables: Variables) -> list[bool | None]:
        """The parts of all claims that are to hold together under these variables."""
        parts: list[bool | None] = []
        for one in self.stated:
            if one.id in judge.claims and one.variables.items() <= variables.items():
                assert isinstance(one.judge, Comparisons)
                its = Samples(samples.evidence, self.design, one.sample)
                parts += compare_pairs(one.judge, its, one.variables).parts
        return parts

    @_judge.register
    def _(self, judge: Untestable, samples: Samples, stated: Stated) -> ClaimFinding:
        raise InsufficientEvidence(judge.why)

    @_judge.register
    def _(self, judge: Coded, samples: Samples, stated: Stated) -> ClaimFinding:
        function = self._function(judge, stated)
        found: ClaimFinding = function() if judge.kind == "computed" else function(samples)
        return found


class Compared(NamedTuple):
    """Pairs that were compared, in their order.

    effects: each comparison, with what the claim expects of it. parts: of the claim. named: those
    among them that have a name. by: pairs by the words of what they are repeated over.
    """

    found: list[Comparison]
    effects: list[ClaimEffect]
    parts: list[bool | None]
    named: dict[str, bool | None]
    by: dict[str, list[bool | None]]


def compare_pairs(judge: Comparisons, samples: Samples, variables: Variables) -> Compared:
    """Test all pairs together, whatever their tests."""
    pairs = [
        (pair, one, str(fill_variables(judge.by, outer)))
        for outer in samples.bindings(judge.each, variables)
        for pair in judge.pairs
        for one in samples.bindings(pair.each, outer)
    ]
    names = [str(fill_variables(pair.name, one)) for pair, one, _ in pairs]
    given = {
        name: SamplePair(
            *samples.pair(pair, one), _test(pair, judge, samples, one), pair.logs or judge.logs
        )
        for name, (pair, one, _) in zip(names, pairs, strict=True)
    }
    found = dict(zip(given, samples.evidence.compared(given), strict=True))
    held = [_expected(pair, found[name]) for name, (pair, _, _) in zip(names, pairs, strict=True)]
    named = {
        part: all_hold(
            one for one, (pair, _, _) in zip(held, pairs, strict=True) if pair.part == part
        )
        for part in sorted({pair.part for pair in judge.pairs} - {""})
    }
    by: dict[str, list[bool | None]] = {}
    for one, (_, _, words) in zip(held, pairs, strict=True):
        by.setdefault(words, []).append(one)
    effects = [
        effect_of_comparison(found[name], pair.expect, one, _paper_value(judge.paper.get(name)))
        for name, one, (pair, _, _) in zip(names, held, pairs, strict=True)
    ]
    in_order = [found[name] for name in names]
    return Compared(in_order, effects, list(named.values()) or held, named, by)


def _paper_value(number: PaperNumber | None) -> PaperValue | None:
    if number is None:
        return None
    return PaperValue(number.first, number.first, number.second, number.where)


def _name_mean(bound: Bound, variables: Variables, mean: float) -> str:
    """Name a mean by its words, without the number."""
    group = str(fill_variables(bound.group, variables))
    words = re.sub(r"\s*\{mean[^}]*\}", "", bound.words).format(**variables, mean=mean)
    return ": ".join(filter(None, [group, words.strip()])) or "mean"


def _test(pair: PairSpec, judge: Comparisons, samples: Samples, variables: Variables) -> TestName:
    """Choose the test of a pair; raises InsufficientEvidence for samples that share some runs.

    Two samples of the same runs depend on each other, as a type's payoff and the mean of all types,
    itself included: they are compared run by run, whatever the claim says.
    """
    first, second = (samples.sources(one, variables) for one in (pair.first, pair.second))
    if first == second:
        return "paired"
    test = pair.test or judge.test
    if test == "independent" and any(share_runs(*both) for both in product(first, second)):
        name = fill_variables(pair.name, variables)
        raise InsufficientEvidence(
            f"{name}: both have runs in common; compare a part with the rest"
        )
    return test


def _expected(pair: PairSpec, found: Comparison) -> bool | None:
    """Decide whether a comparison came out as the claim says; None if not shown."""
    match pair.expect:
        case "greater":
            return found.holds
        case "not greater":
            return contrary_holds(found.holds)
        case "different":
            return found.differs
    return found.alike


def _by(compared: Compared) -> str:
    """Describe how the verdict depends on the repetition of the pairs."""
    verdicts = {one: outcome_of(parts) for one, parts in compared.by.items()}
    if len(set(verdicts.values())) == 1:
        return "the same in every window"
    each = ", ".join(f"{one} {verdict}" for one, verdict in verdicts.items())
    return f"the verdict depends on the window: {each}"


def _counted(count: CountSpec, values: Array) -> tuple[Array, str]:
    """Mark the runs of which it is true, and count the undecided ones."""
    sign, bound = count.true.split()
    decided = values[(values == 0) | (values == 1)] if count.decided else values
    left = f"{len(values) - len(decided)} of {len(values)}"
    return _TRUE[sign](decided, float(bound)), left


def _beside_chance(odds: Odds, count: CountSpec) -> bool | None:
    """Compare a count with chance as the claim does."""
    if count.expect == "alike":
        return odds.alike(count.margin)
    held = odds.above if count.expect.endswith("above") else odds.below
    return contrary_holds(held) if count.expect.startswith("not") else held


def _within(
    estimates: Sequence[MeanInterval], ranges: Sequence[tuple[float, float]]
) -> list[bool | None]:
    """Decide for each mean whether it is in its range.

    That all are needs no correction, a test by intersection and union (Berger 1982); that some are,
    or are not, does.
    """

    def decided(found: Sequence[MeanInterval]) -> list[bool | None]:
        return [one.within(*bounds) for one, bounds in zip(found, ranges, strict=True)]

    alone = decided(estimates)
    return alone if all(alone) else decided([one.widened for one in estimates])


def _all_keep(rule: RuleSpec, values: Array, *, exact: bool) -> bool | None:
    """Decide whether all runs keep a rule; one that does not refutes it, however few there are.

    None if some run has no value, and if so few runs do alike by chance; by a rule with `either`
    runs that do not keep it count as those that do.
    """
    known = values[~np.isnan(values)]
    kept = np.ones(known.shape, dtype=bool)
    if rule.at_least is not None:
        kept &= known >= rule.at_least
    if rule.at_most is not None:
        kept &= known <= rule.at_most
    if rule.exactly is not None:
        kept &= known == rule.exactly
    if rule.near is not None:
        kept &= np.abs(known - rule.near) <= 1e-9
    if not rule.either and not kept.all():
        return False
    by_chance = not exact and EVEN ** len(known) >= ALPHA
    if len(known) < len(values) or by_chance:
        return None
    if kept.all():
        return True
    return None if kept.any() else False


def _in_words(
    rule: RuleSpec, variables: Variables, found: list[Array], beside: Mapping[str, float]
) -> str:
    values = np.concatenate(found)
    numbers = {"mean": float(values.mean()), "min": float(values.min()), **beside}
    plain = {name: round(number, 6) + 0.0 for name, number in numbers.items()}  # and never -0
    return rule.words.format(**variables, **plain, n=len(values))


def judged_effects(
    judge: Variance | Groups, samples: Samples, variables: Variables
) -> dict[str, Effect]:
    """The analysis of variance of a sample; raises InsufficientEvidence."""
    sample = samples.complete(judge.sample, variables)
    trial = samples.trial(sample, variables)
    if len(samples.evidence.levels(trial)["model"]) < 2:
        raise InsufficientEvidence("one model was asked; differences between models need two")
    levels = fill_variables(sample.levels, variables)
    return samples.evidence.variance(trial, sample.measure, judge.factors, levels)


def _only_pair(found: Tukey, first: str, second: str) -> list[bool | None]:
    """Decide whether these two differ, and whether all other pairs are alike."""
    pairs = {frozenset((one.first, one.second)): _by_tukey(found, one) for one in found.pairs}
    apart = pairs.pop(frozenset((first, second))).differs
    return [apart, all_hold(one.alike for one in pairs.values())]


def _alone_above(found: Tukey, best: str) -> bool | None:
    """Decide whether one mean is above each other."""
    pairs = [one for one in found.pairs if best in (one.first, one.second)]
    return all_hold(
        (_by_tukey(found, one) if one.first == best else _by_tukey(found, _reverse(one))).holds
        for one in pairs
    )


def _reverse(one: Difference) -> Difference:
    """The same difference, of the second less the first."""
    interval = Interval(-one.interval.high, -one.interval.low, one.interval.level)
    return Difference(one.second, one.first, -one.difference, interval, one.p)


def _by_tukey(found: Tukey, one: Difference) -> Comparison:
    means = (found.means[one.first], found.means[one.second])
    low, high, _ = one.interval
    return Comparison(
        f"{one.first} > {one.second}", means, one.difference, low, high, "Tukey", p=one.p
    )


def _absent(effect: Effect, most: float) -> ClaimFinding:
    """Judge that there is no effect large enough to contradict the paper."""
    if effect.high < most:
        return ClaimFinding("reproduced", str(effect), f"eta squared of {most:g} is excluded")
    notes = f"eta squared of {most:g} is not excluded"
    return ClaimFinding(
        "not reproduced" if effect.p < ALPHA else "cannot be told", str(effect), notes
    )


def _test_order(judge: Variance, samples: Samples, variables: Variables) -> bool | None:
    """Test the order of means that the paper has (Welch); raises InsufficientEvidence."""
    direction = judge.direction or Direction()
    if direction.greater is not None and direction.than is not None:
        first, second = direction.greater, direction.than
        pair = (samples.values(first, variables), samples.values(second, variables))
        (found,) = samples.evidence.independent({"direction": pair})
        return found.holds
    sample = samples.complete(judge.sample, variables)
    trial = samples.trial(sample, variables)
    best = samples.model(trial, direction.highest)

    def runs(model: object) -> Array:
        one = sample.model_copy(update={"levels": {**sample.levels, "model": model}})
        return samples.values(one, variables)

    others = {
        str(model): (runs(best), runs(model))
        for model in samples.evidence.levels(trial)["model"]
        if model != best
    }
    return all_hold(one.holds for one in samples.evidence.independent(others))
