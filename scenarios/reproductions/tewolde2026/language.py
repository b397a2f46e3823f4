"""CoopEval's claims about language models, and how we judge each.

Rules of judging, set down before any model was asked. Payoffs are 0 where all defect and 1 where
all cooperate; means are over the four dilemmas, repetition by repetition.
    defect       a model cooperates in at most a tenth of its moves, in each dilemma
    half         in three to seven of ten moves; at most 35 % where the paper says about 20 %
    order        of mean payoffs; Welch's test over repetitions. Where designs play a part, and of
                 shares of matches: the paired test over the four dilemmas
    boost        after selection at least 0.9 in every repetition
    worse        payoff after selection below that before it
    share        the mean share of matches, game by game, is as high as the paper says
Mediators and contracts are made once for a game, and all its matches and repetitions go by them;
only those of different games are independent. The paper takes standard errors over games, too.
A claim about named models can be told only where those models were asked. The paper has Gemini 3
Flash twice, with and without reasoning; we ask a model once, with reasoning, and hold it against
what is claimed of either.

Source: Tewolde et al. 2026 (CoopEval), section 6, Table 2 and Fig. 4. What it says of delegating
by model and of co-players' last actions (appendices I and J) is shown in the tables, not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from society.claims.comparisons import Fared
from society.claims.types import (
    Claim,
    Design,
    Evidence,
    Finding,
    Untold,
    called,
    ordered,
    outcome_of,
)
from society.draws import Array
from society.scenarios.reproductions.tewolde2026.cells import (
    CONTRACT,
    DILEMMAS,
    FIRST,
    HIGHER,
    MEDIATION,
    NONE,
    ONE_GAME,
    PUBLIC_GOODS,
    REPETITION,
    Cells,
    mean_of,
)

CELLS = Cells("models")
CLAUDE, GPT, OLD = "claude-sonnet-4-5", "gpt-5.2", "gpt-4o"
GEMINI, QWEN = "gemini-3-flash", "qwen3-30b-a3b"
ALL = (CLAUDE, GEMINI, GPT, OLD, QWEN)

MECHANISMS = (NONE, REPETITION, FIRST, HIGHER, MEDIATION, CONTRACT)
AGREEMENTS = (MEDIATION, CONTRACT)
RARELY, HALF, FREE_RIDING, COOPERATIVE = 0.1, (0.3, 0.7), 0.35, 0.9
UNANIMOUS = (0.7, 0.9)
OVER_DILEMMAS = "tested over the four dilemmas, each of which has designs of its own"

JUDGING = (
    "Each model that is named is a type, and meets every type, itself included, on every seat, as "
    "in the paper: three times, at a temperature of 1, and with reasoning before the answer. One "
    "model alone meets itself under a second name. The prompts are ours and give the information "
    "of the paper's; an answer that cannot be read is asked for up to five times more, and then "
    "ends its match, which is counted.",
    "A cell is a game under a mechanism. Means are over the four dilemmas, in each of the three "
    "repetitions. Fitness is the payoff after 1,000 steps of replicator dynamics from equal "
    "shares, at a rate of 0.1.",
    "What is tested is tested over repetitions, which are few; but all matches of a game go by the "
    "same mediators and contracts, in all repetitions, so that claims in which these play a part "
    "are tested over the four dilemmas, for each of which a model makes them anew. As few as that "
    "show large differences only.",
    "The paper's population has Gemini 3 Flash twice, with and without reasoning. Here a model is "
    "asked once, so that all averages are over one type less.",
    "Fifteen games stand for as many as there may be: the weight of all that would follow, 3.5% "
    "with a continuation probability of 0.8, stands on the last one. Reputation has no meta-game: "
    "what a type gets hangs on all who are there.",
)


def claims() -> Iterator[Claim]:
    """Of section 6, in its order."""
    yield Claim(
        "Without a mechanism modern models defect in all dilemmas",
        "Section 6, Fig. 4",
        "Claude, Gemini, GPT-5.2 and Qwen do throughout.",
        _defecting,
    )
    yield Claim(
        "Without a mechanism GPT-4o cooperates about half of the time, but for public goods",
        "Section 6, Fig. 4",
        "There it free-rides in about 80% of its moves.",
        _halving,
    )
    yield Claim(
        "Without a mechanism selection makes all poorer",
        "Section 6, Table 2",
        "Payoffs fall as nicer models vanish.",
        _worsening,
    )
    yield Claim(
        "Contracts and mediation serve cooperation better than repetition, which beats reputation",
        "Section 6, Table 2",
        "0.80 and 0.70, 0.59, 0.32 and 0.23 of what all could gain.",
        _ranking,
    )
    yield Claim(
        "Higher-order reputation does more harm than good",
        "Section 6, Table 2",
        "Mean payoffs are lower than with first-order reputation.",
        _harming,
    )
    yield Claim(
        "Selection makes models cooperate under repetition, mediation and contracts",
        "Section 6, Table 2",
        "To 90% to 100% of what can be.",
        _boosted,
    )
    yield Claim(
        "Gemini 3 Flash fares best of all models, and GPT-4o worst",
        "Section 6, Table 2",
        "By mean payoffs, over all mechanisms.",
        _best_and_worst,
    )
    yield Claim(
        "In 70% to 90% of matches all approve of a proposal",
        "Section 6, appendix J",
        "Of a mediator or a contract, with an exception.",
        _approving,
    )
    yield Claim(
        "The contract that has won is signed by all in even more matches",
        "Section 6, appendix J",
        "More often than it was approved by all.",
        _signing,
    )


def as_types(models: Sequence[str]) -> Mapping[str, Any]:
    """Each model a type of agent; one alone is two, so that it meets somebody under reputation."""
    types = {name: name for name in models}
    if len(models) == 1:
        types[f"{models[0]} again"] = models[0]
    return {
        "models": {name: {"model": model, "temperature": 1} for name, model in types.items()},
        "cohorts": [
            {"name": name, "components": [{"language_policy": {"model": name, "thinking": True}}]}
            for name in types
        ],
    }


def _of(found: Fared, name: str) -> Array:
    """What was found of a model of the paper, (n,); raises Untold if it was not asked."""
    return found.each[called(found.each, name)]


def _population(evidence: Evidence, metric: Any, mechanism: str) -> Array:
    """The average of the paper's models, (n,); raises Untold if one was not asked."""
    found = CELLS.over_dilemmas(evidence, metric, mechanism)
    for name in ALL:
        called(found.each, name)
    return found.average


def _shares(
    evidence: Evidence, names: Sequence[str], right: Callable[[str, float], bool]
) -> Finding:
    """Whether the share of cooperation of these models is right in each dilemma."""
    parts, words = list[bool | None](), list[str]()
    for name in names:
        found = {
            game: _of(CELLS.fared(evidence, "cooperation", game, NONE), name) for game in DILEMMAS
        }
        parts += [right(game, float(share.mean())) for game, share in found.items()]
        said = ", ".join(f"{game} {share.mean():.0%}" for game, share in found.items())
        words.append(f"{name}: {said}")
    return Finding(outcome_of(parts), "; ".join(words))


def _defecting(evidence: Evidence) -> Finding:
    modern = [name for name in ALL if name != OLD]
    return _shares(evidence, modern, lambda game, share: share <= RARELY)


def _halving(evidence: Evidence) -> Finding:
    def right(game: str, share: float) -> bool:
        return share <= FREE_RIDING if game == PUBLIC_GOODS else HALF[0] <= share <= HALF[1]

    return _shares(evidence, [OLD], right)


def _by_dilemma(evidence: Evidence, mechanism: str) -> Fared:
    """Payoffs in each of the four dilemmas, (4,); raises Untold if a model was not asked."""
    cells = [CELLS.fared(evidence, "mean", game, mechanism) for game in DILEMMAS]
    return Fared(
        np.array([cell.average.mean() for cell in cells]),
        {name: np.array([_of(cell, name).mean() for cell in cells]) for name in ALL},
    )


def _worsening(evidence: Evidence) -> Finding:
    before, after = (_population(evidence, metric, NONE) for metric in ("mean", "fitness"))
    return ordered(evidence.paired({"before > after selection": (before, after)}))


def _ranking(evidence: Evidence) -> Finding:
    found = {name: _by_dilemma(evidence, name).average for name in MECHANISMS}
    pairs = {
        f"{one} > {other}": (found[one], found[other])
        for one, other in (
            (CONTRACT, REPETITION),
            (MEDIATION, REPETITION),
            (REPETITION, FIRST),
            (REPETITION, HIGHER),
        )
    }
    return ordered(evidence.paired(pairs), OVER_DILEMMAS)


def _harming(evidence: Evidence) -> Finding:
    first, higher = (_population(evidence, "mean", name) for name in (FIRST, HIGHER))
    return ordered(evidence.independent({"first > higher order": (first, higher)}))


def _boosted(evidence: Evidence) -> Finding:
    parts, words = list[bool | None](), list[str]()
    for name in (REPETITION, *AGREEMENTS):
        found = _population(evidence, "fitness", name)
        parts.append(bool((found >= COOPERATIVE).all()))
        words.append(f"{name} {found.mean():.3g}")
    return Finding(outcome_of(parts), f"payoff after selection: {'; '.join(words)}")


def _best_and_worst(evidence: Evidence) -> Finding:
    means = mean_of([_by_dilemma(evidence, name) for name in MECHANISMS]).each
    others = [name for name in ALL if name not in (GEMINI, OLD)]
    orders = [*((GEMINI, name) for name in others), *((name, OLD) for name in others)]
    pairs = {f"{one} > {other}": (means[one], means[other]) for one, other in orders}
    return ordered(evidence.paired(pairs), OVER_DILEMMAS)


def _shared(evidence: Evidence, measure: str, mechanism: str) -> Array:
    """A share of the matches of each dilemma, (4,); raises Untold as _population does."""
    _population(evidence, "mean", mechanism)
    shares = []
    for game in DILEMMAS:
        found = CELLS.runs(evidence, measure, game, mechanism)
        if not np.isfinite(found).any():
            raise Untold(f"no match of {game} under {mechanism} was played to its end")
        shares.append(np.nanmean(found))
    return np.array(shares)


def _approving(evidence: Evidence) -> Finding:
    parts, words = list[bool | None](), list[str]()
    for mechanism, measure in zip(AGREEMENTS, ("mediator", "contract"), strict=True):
        share = float(_shared(evidence, f"{measure}_unanimity", mechanism).mean())
        parts.append(UNANIMOUS[0] <= share <= UNANIMOUS[1])
        words.append(f"{mechanism} {share:.0%}")
    return Finding(outcome_of(parts), "; ".join(words))


def _signing(evidence: Evidence) -> Finding:
    signed, approved = (
        _shared(evidence, measure, CONTRACT) for measure in ("contracts", "contract_unanimity")
    )
    pairs = {"signed > approved by all": (signed, approved)}
    return ordered(evidence.paired(pairs), OVER_DILEMMAS)


LANGUAGE = Design(
    tuple(CELLS.trials("dilemmas_models", "dilemmas_models_populations", "models", ONE_GAME)),
    tuple(claims()),
    JUDGING,
    as_types,
)
