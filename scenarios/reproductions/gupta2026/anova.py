"""The village paper's Table 1, analyses of variance over models and populations: how we judge them.

Rules of judging
    shown       an effect that is significant in the paper has three parts: it is significant here;
                eta squared is between half and twice the paper's; means are ordered as its words
                say. Each surely does not hold if the interval of eta squared excludes that range,
                and is not shown otherwise
    not shown   one that is not significant there reproduces if it is not here, and the interval of
                eta squared excludes twice the paper's; a significant one does not reproduce
    directions  harsh lake: gpt-4o outlasts llama-3.3-70b (Fig. 5), and altruists gain more on the
                selfish in larger models than in smaller ones; rich lake: deepseek-r1 outlasts all,
                selfish villages altruistic ones (Fig. 6). By means; none where a model is missing
With one model there is no such analysis, and nothing can be told. These
rules are of 2026-11-21, before any model was asked; the first ones looked at significance alone.

Source: Gupta et al. 2026 (AAMAS), Table 1 and sections 4.2.1 and 4.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from society.claims.comparisons import ALPHA, Effect
from society.claims.types import Claim, Evidence, Finding, Untold, asked, outcome_of

MODELS = "models"  # the experiment
ONE = "one model was asked; differences between models need two"
LARGER = ("claude-sonnet-4", "deepseek-r1", "gpt-4o")
SMALLER = ("gpt-4o-mini", "llama-3.3-70b", "qwen3-32b")
LIKE = 2.0  # times as large, or as small


class Published(NamedTuple):
    """A row of the paper's Table 1; its residual has 189 degrees of freedom."""

    df: int
    f: float
    p: float
    eta_squared: float

    def __str__(self) -> str:
        p = "p < 0.001" if self.p < 0.001 else f"p = {self.p}"
        return f"F({self.df}, 189) = {self.f}, {p}, eta squared {self.eta_squared}"


TABLE_1 = {
    "harsh": {
        "model": Published(6, 2.37, 0.031, 0.06),
        "population": Published(2, 2.28, 0.106, 0.02),
        "model × population": Published(12, 2.24, 0.012, 0.11),
    },
    "rich": {
        "model": Published(6, 13.61, 0.0, 0.28),
        "population": Published(2, 3.57, 0.030, 0.02),
        "model × population": Published(12, 1.00, 0.449, 0.04),
    },
}
_EFFECTS = {
    "model": "survival differs between models",
    "population": "survival differs with the share of altruists",
    "model × population": "survival differs with this share otherwise in each model",
}
_WORDS = {True: "as in the paper", False: "not as in the paper", None: "not shown"}


def claims(lake: str) -> Iterator[Claim]:
    """Of one lake."""
    for effect, published in TABLE_1[lake].items():
        yield _of_effect(lake, effect, published)


def found(evidence: Evidence, lake: str) -> dict[str, Effect]:
    """The analysis of survival in a lake; raises Untold."""
    if len(evidence.levels(MODELS)["model"]) < 2:
        raise Untold(ONE)
    return evidence.variance(MODELS, "survival_time", ("model", "population"), {"lake": lake})


def _of_effect(lake: str, name: str, published: Published) -> Claim:
    shown = "" if published.p < ALPHA else "no sign that "
    judge = _like if published.p < ALPHA else _absent

    return Claim(
        f"In the {lake} lake {shown}{_EFFECTS[name]}",
        "Table 1",
        str(published),
        lambda evidence: judge(evidence, lake, name, published),
    )


def _absent(evidence: Evidence, lake: str, name: str, published: Published) -> Finding:
    """Whether there is no effect of a size that would be another finding than the paper's."""
    effect = found(evidence, lake)[name]
    most = LIKE * published.eta_squared
    if effect.p < ALPHA:
        return Finding("not reproduced", str(effect))
    if effect.high < most:
        return Finding("reproduced", str(effect), f"eta squared of {most:g} is excluded")
    return Finding("cannot be told", str(effect), f"eta squared of {most:g} is not excluded")


def _like(evidence: Evidence, lake: str, name: str, published: Published) -> Finding:
    """Whether an effect is there, is as large, and goes the same way as the paper's."""
    effect = found(evidence, lake)[name]
    low, high = published.eta_squared / LIKE, published.eta_squared * LIKE
    significant, notes = effect.p < ALPHA, ""
    alike = significant and low <= effect.eta_squared <= high
    parts: dict[str, bool | None] = {
        "significance": significant or (False if effect.high < low else None),
        "size": alike or (False if effect.high < low or high < effect.low else None),
        "direction": None,
    }
    try:
        directed = _DIRECTIONS[lake, name](evidence)
        parts["direction"] = directed if significant else None
    except Untold as untold:
        notes = f" ({untold})"
    words = "; ".join(f"{part} {_WORDS[held]}" for part, held in parts.items())
    return Finding(outcome_of(parts.values()), str(effect), f"{words}{notes}")


def _mean(evidence: Evidence, lake: str, *models: object, population: str | None = None) -> float:
    """Survival over these models, or over all."""
    levels = {"lake": lake} | ({"population": population} if population else {})
    chosen = [{"model": model} for model in models] or [{}]
    return float(
        np.mean([evidence.runs(MODELS, "survival_time", levels | one).mean() for one in chosen])
    )


def _gpt_above_llama(evidence: Evidence) -> bool:
    gpt, llama = (asked(evidence, MODELS, name) for name in ("gpt-4o", "llama-3.3-70b"))
    return _mean(evidence, "harsh", gpt) > _mean(evidence, "harsh", llama)


def _larger_bifurcate(evidence: Evidence) -> bool:
    def gained(names: tuple[str, ...]) -> float:
        models = [asked(evidence, MODELS, name) for name in names]
        altruists, selfish = (
            _mean(evidence, "harsh", *models, population=population)
            for population in ("altruist", "selfish")
        )
        return altruists - selfish

    return gained(LARGER) > gained(SMALLER)


def _deepseek_first(evidence: Evidence) -> bool:
    best = asked(evidence, MODELS, "deepseek-r1")
    models = evidence.levels(MODELS)["model"]
    return best == max(models, key=lambda model: _mean(evidence, "rich", model))


def _selfish_above(evidence: Evidence) -> bool:
    selfish, altruists = (
        _mean(evidence, "rich", population=population) for population in ("selfish", "altruist")
    )
    return selfish > altruists


_DIRECTIONS: dict[tuple[str, str], Callable[[Evidence], bool]] = {
    ("harsh", "model"): _gpt_above_llama,
    ("harsh", "model × population"): _larger_bifurcate,
    ("rich", "model"): _deepseek_first,
    ("rich", "population"): _selfish_above,
}
