"""Judges of claims about the behaviour of strategies, played anew in the sandbox, and of groups.

Strategies are those of the folders that the trial `evolution` played. What the paper says of its
models can be told if the folders have strategies by these models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from society.analysis.statistics.correlation import correlation
from society.analysis.statistics.samples import NotEstimable
from society.analysis.strategies.compared_sets import FolderSet, SetComparison, compare_sets
from society.analysis.strategies.group_selection import GroupSelection, read_group_selection
from society.analysis.strategies.measured_behaviour import context_lengths
from society.claims.comparisons import MATTERS
from society.claims.types import (
    ClaimFinding,
    InsufficientEvidence,
    find_model,
    order_finding,
    outcome_of,
)
from society.components.programs.program_host import chosen_confinement
from society.engine.rng import Array
from society.report.page import Section
from society.report.sections.strategy_sets import set_section
from society.reproduction.claim_samples import Samples
from society.reproduction.evidence import Evidence
from society.sandbox.strategy_folder import read_strategies
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs.strategy_pool import Gene

from .printed_tables import CLAUDE, GAMES, GEMINI, GPT, MISTRAL, MODELS, TABLE_1, finding

TRIAL = "evolution"
BROADLY = 0.7  # a correlation from which on an axis tracks something; ours
EXPLAINED = (0.655, 0.09)  # by the first two components in the paper
EARLY = 10  # generations in which genes spread
_ROUNDING = 0.05


def measured_sets(evidence: Evidence) -> SetComparison:
    """Measure all strategies that were played, of all games, in one plane."""
    paths = {
        folder: None
        for run in evidence.played(TRIAL, {})
        for folder in run.manifest.spec["parameters"]["folders"]
    }
    return _measured(tuple(paths))


@cache
def _measured(paths: tuple[str, ...]) -> SetComparison:
    folders = [read_strategies(Path(path)) for path in paths]
    with ProgramPool(confinement=chosen_confinement()) as pool:
        return compare_sets(pool, folders)


def diversity_section(evidence: Evidence) -> Section:
    """Show the plane and the diversity of all strategies, as in figure 1 and table 1."""
    section = set_section(measured_sets(evidence))
    return replace(
        section, title="Counterpart of Figure 1 and Table 1 of Willis et al.", anchor="diversity"
    )


def axes_mean(samples: Samples) -> ClaimFinding:
    """Does the first axis track cooperation, and the second one responsiveness?"""
    plane = measured_sets(samples.evidence).plane
    across = {name: float(place[0]) for name, place in plane.references.items()}
    (first, second), (cooperation, slope) = plane.explained, plane.meanings
    parts = {
        "A-D is furthest left of references": across["A-D"] == min(across.values()),
        "A-C is furthest right": across["A-C"] == max(across.values()),
        f"first axis and cooperation rate, r = {cooperation:.2f}": cooperation > BROADLY,
        f"second axis and responsiveness, r = {slope:.2f}": slope < -BROADLY,
    }
    notes = f"explained: {first:.1%} and {second:.1%} of the variance"
    return finding(parts)._replace(notes=notes)


def explained_variance(samples: Samples) -> ClaimFinding:
    """Do the first two components explain as much as in the paper?"""
    _refuse_strangers(measured_sets(samples.evidence), MODELS)
    found = measured_sets(samples.evidence).plane.explained
    return finding(
        {
            f"{ours:.1%} against {theirs:.1%}": abs(ours - theirs) <= MATTERS * theirs
            for ours, theirs in zip(found, EXPLAINED, strict=True)
        }
    )


def _refuse_strangers(compared: SetComparison, models: Sequence[str]) -> None:
    """Raise InsufficientEvidence unless there are strategies by all of these models."""
    for model in models:
        _named(compared, model)


def _named(compared: SetComparison, model: str) -> str:
    """The name by which strategies of a model go in the folders."""
    known = {one.name.model for one in compared.measured}
    try:
        return find_model(sorted(known), model)
    except InsufficientEvidence:
        raise InsufficientEvidence(
            f"there are no strategies by {model}; give a folder of them with --strategies"
        ) from None


def _effects(compared: SetComparison, game: str) -> dict[str, float]:
    """Cohen's d between the attitudes of each of the paper's models in a game."""
    found = {}
    for model in MODELS:
        name = _named(compared, model)
        for pair in compared.attitudes:
            played = compared.folders[pair.first.folder].manifest.game
            effect = pair.shift.effect
            if (pair.first.name.model, played) == (name, game) and isinstance(effect, float):
                found[model] = effect
    if len(found) < len(MODELS):
        raise InsufficientEvidence(f"some models have no two attitudes in {game}")
    return found


def separation(samples: Samples, *, which: Literal["most", "least", "pool"]) -> ClaimFinding:
    """Judge which attitudes are furthest apart, or which game is the hardest to steer."""
    effects = {game: _effects(measured_sets(samples.evidence), game) for game in GAMES}
    if which == "pool":
        *others, pool = GAMES
        return finding(
            {
                f"{model} {effects[pool][model]:.2g}": effects[pool][model]
                <= min(effects[game][model] for game in others)
                for model in MODELS
            }
        )
    parts = {}
    for game, found in effects.items():
        ranked = sorted(MODELS, key=lambda model: -found[model])
        words = ", ".join(f"{model} {found[model]:.2g}" for model in ranked)
        held = set(ranked[:2]) == {CLAUDE, GEMINI} if which == "most" else ranked[-1] == MISTRAL
        parts[f"{game}: {words}"] = held
    return finding(parts)


def _summary(compared: SetComparison, game: str, model: str, attitude: str) -> FolderSet:
    gene = Gene(_named(compared, model), attitude)
    for one in compared.summaries:
        if one.name == gene and compared.folders[one.folder].manifest.game == game:
            return one
    raise InsufficientEvidence(f"there are no {attitude} strategies by {model} for {game}")


def _value(compared: SetComparison, one: FolderSet, name: str) -> float:
    value = getattr(compared.summaries[one], name)
    if isinstance(value, NotEstimable):
        raise InsufficientEvidence(f"{compared.label(one)}: {value}")
    return float(value)


def stereotyped_exploiters(samples: Samples) -> ClaimFinding:
    """Are Claude's collective strategies twice as diverse as its exploitative ones?"""
    compared = measured_sets(samples.evidence)
    parts = {}
    for game in GAMES[:2]:
        collective, exploitative = (
            _value(compared, _summary(compared, game, CLAUDE, attitude), "normalised_mpd")
            for attitude in ("collective", "exploitative")
        )
        words = f"{game}: {collective:.2g} against {exploitative:.2g}"
        parts[words] = collective >= 2 * exploitative
    return finding(parts)


def dimensions(samples: Samples) -> ClaimFinding:
    """Has GPT the highest participation ratio of all models, by game and attitude?"""
    compared, parts = measured_sets(samples.evidence), {}
    for game in GAMES:
        for attitude in ("collective", "exploitative"):
            ratios = {
                model: _value(
                    compared, _summary(compared, game, model, attitude), "participation_ratio"
                )
                for model in MODELS
            }
            best = max(ratios, key=lambda model: ratios[model])
            parts[f"{game} {attitude}: highest {best}, {ratios[best]:.2g}"] = best == GPT
    return finding(parts)


def table_1_again(samples: Samples) -> ClaimFinding:
    """Are MPD, d and PR those of table 1, to the decimal that it has?"""
    compared = measured_sets(samples.evidence)
    parts: dict[str, bool] = {}
    for number, game in enumerate(GAMES):
        effects = _effects(compared, game)
        for model in MODELS:
            printed = TABLE_1[model][number]
            found = {f"{game} {model} d": (effects[model], printed.d)}
            for place, attitude in enumerate(("collective", "exploitative")):
                one = _summary(compared, game, model, attitude)
                numbers = {"normalised_mpd": printed.mpd, "participation_ratio": printed.pr}
                for name, of in numbers.items():
                    words = f"{game} {model} {attitude} {name}"
                    found[words] = (_value(compared, one, name), of[place])
            parts |= {
                f"{words} {ours:.2g} against {theirs:g}": abs(ours - theirs) <= _ROUNDING
                for words, (ours, theirs) in found.items()
            }
    return _counted(parts)


def _counted(parts: Mapping[str, bool]) -> ClaimFinding:
    """Judge many numbers: count those that are as printed, and name the others."""
    misses = [words for words, held in parts.items() if not held]
    count = f"{len(parts) - len(misses)} of {len(parts)} numbers are as printed"
    return ClaimFinding(outcome_of(parts.values()), count, "; ".join(misses))


def rotas(samples: Samples, *, model: str = "") -> ClaimFinding:
    """Do some strategies for collective risk go by the number of the round alone?"""
    compared = measured_sets(samples.evidence)
    author = _named(compared, model) if model else ""
    sets = [
        found
        for one, found in compared.measured.items()
        if compared.folders[one.folder].manifest.game == "collective_risk"
        and author in ("", one.name.model)
    ]
    if not sets:
        whose = f" by {model}" if model else ""
        raise InsufficientEvidence(f"there are no strategies for collective_risk{whose}")
    names = [
        name
        for found in sets
        for name, turns in zip(found.names, by_round_alone(found.features), strict=True)
        if turns
    ]
    shown = ", ".join(names[:5]) + (" ..." if len(names) > 5 else "")
    return finding({f"{len(names)} strategies{f' ({shown})' if names else ''}": bool(names)})


def by_round_alone(features: Array) -> Array:
    """Mark strategies that do the same in all contexts of a round, and not in all rounds, (S,)."""
    lengths = context_lengths()
    means = [features[:, lengths == length] for length in range(lengths.max() + 1)]
    fixed = np.all([np.ptp(one, axis=1) == 0 for one in means], axis=0)
    firsts = np.array([one[:, 0] for one in means])
    marked: Array = fixed & (np.ptp(firsts, axis=0) > 0)
    return marked


def _selection(samples: Samples, game: str, players: int) -> GroupSelection:
    runs = samples.evidence.played(TRIAL, {"game": game, "players": players})
    found = [read_group_selection(run, EARLY) for run in runs]
    between, within = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return GroupSelection(between, within)


def group_selection(samples: Samples, *, small: int, large: int) -> ClaimFinding:
    """Does selection between groups outweigh that within them in small groups of the pool only?"""
    near, far = (_selection(samples, "common_pool", size) for size in (small, large))
    found = samples.evidence.paired(
        {
            f"n = {small}: between > against it within": (near.between, -near.within),
            f"n = {large}: against it within > between": (-far.within, far.between),
        }
    )
    return order_finding(found, f"changes of cooperation in a generation, of the first {EARLY}")


def pool_selects_most(samples: Samples, *, players: int) -> ClaimFinding:
    """Is selection between groups strongest in the common pool?"""
    pool = _selection(samples, "common_pool", players).between
    found = samples.evidence.independent(
        {
            f"common_pool > {game}": (pool, _selection(samples, game, players).between)
            for game in GAMES[:2]
        }
    )
    return order_finding(found, f"selection between groups of {players}")


def recent_models_do_worse(samples: Samples) -> ClaimFinding:
    """Is welfare among exploitative strategies the lower, the later a model was released?"""
    dates, welfare = list[float](), list[float]()
    for model, released in _release_dates(samples).items():
        dates.append(released.toordinal())
        welfare.append(_exploitative_welfare(samples, model))
    try:
        found = correlation(np.array(dates), np.array(welfare))
    except NotEstimable as reason:
        raise InsufficientEvidence(f"{len(dates)} models with release dates: {reason}") from None
    low, high = found.spearman_interval[:2]
    held = True if high < 0 else False if low > 0 else None
    words = f"rank correlation {found.spearman:.2f} [{low:.2f}, {high:.2f}] over {found.n} models"
    return ClaimFinding(outcome_of([held]), words)


def _release_dates(samples: Samples) -> dict[str, date]:
    """The day on which each model that plays was released, as far as a manifest says so."""
    authors = {
        name: author
        for folder in measured_sets(samples.evidence).folders
        for name, author in folder.manifest.models.items()
    }
    played = map(str, samples.evidence.levels("self_play")["model"])
    return {model: released for model in played if (released := authors[model].release) is not None}


def _exploitative_welfare(samples: Samples, model: str) -> float:
    """Mean efficiency of groups that are all exploitative, over games and sizes."""
    levels = {"model": model}
    return float(samples.evidence.rounds("self_play", "efficiency", levels)[:, -1].mean())
