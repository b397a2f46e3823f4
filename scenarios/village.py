"""The village paper reproduced: what it claims of rules, and how we judge each claim.

Rules of judging, set down before claims were first judged (means of these conditions were known):
    orderings     survival times of replicates that share their luck are compared in pairs; an
                  ordering holds if its p, corrected by Holm over the claim, is below .05
    fading        catches above an equal share of the sustainable yield (over_use) in the ten
                  rounds after fines have ended at round 15, compared likewise
    starvation    if altruists die of under-harvesting, the selfish outlast them without fines, too
                  (at first we counted causes of death, but whom fines made poor starves as well)
The paper leaves most parameters open. Every claim is judged under both our sets, the default and
fishing_village_subsistence (both ours, found by search), and where its table and text differ in
who fines more, under both readings. Numbers are mean survival times in rounds.

Source: Gupta et al. 2026 (AAMAS), section 4.1. How fines and growth are judged (Fig. 3) stands in
village_fines.py, and what is claimed of language models (section 4.2) in village_in_words.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.claims import (
    Claim,
    Comparison,
    Design,
    Evidence,
    Finding,
    Reproduction,
    Trial,
    Untold,
    ordered,
    outcome_of,
)
from society.draws import Array
from society.scenarios import village_fines as fines
from society.scenarios.village_in_words import LANGUAGE

SETS = {"default": "fishing_village", "subsistence": "fishing_village_subsistence"}
READINGS = ("table", "text")
FINES = (10, 14)
SWITCHED_OFF = 15  # round
AFTERWARDS = 10  # rounds


def trials() -> Iterator[Trial]:
    """Four experiments, each under both sets of parameters.

    The order of populations rests on small differences, for which a quick look takes all runs, too.
    """
    for name, base in SETS.items():
        given = {"base": base}
        yield Trial(
            f"punishment-{name}",
            "village_punishment",
            f"Fig. 2: fines for good, until round 15, never ({name} parameters)",
            chapters=("outcome", "survival"),
            over_time=("efficiency", "over_use"),
            instead=given,
            quick={"replicates": 200},
        )
        coarse = {"fine": [2, 10, 18], "growth": [0.2, 0.35, 0.5, 0.65, 0.8]}
        yield Trial(
            f"fines_by_growth-{name}",
            "village_fines_by_growth",
            f"Fig. 3: fines by growth ({name} parameters)",
            chapters=("maps",),
            instead=given,
            quick={"replicates": 50, "factors": coarse},
        )
        yield Trial(
            f"populations-{name}",
            "village_populations",
            f"Figs 4 and 12: altruists and selfish villagers ({name} parameters)",
            instead=given,
        )
        yield Trial(
            f"unfined-{name}",
            "village_unfined",
            f"Ours: the rich lake without fines ({name} parameters)",
            instead=given,
        )


def claims() -> Iterator[Claim]:
    """Of section 4.1, in its order."""
    for name in SETS:
        yield from _of_punishment(name)
    for name in SETS:
        yield from fines.claims(name)
    for name in SETS:
        for reading in READINGS:
            yield from _of_populations(name, reading)
    for name in SETS:
        yield _of_starvation(name)
    yield from _untestable()
    yield Claim(
        "All of section 4.1 in one society",
        "Section 4.1",
        "One set of parameters shows what Figs 2, 3, 4 and 12 show.",
        _together,
    )


def _of_punishment(name: str) -> Iterator[Claim]:
    yield Claim(
        f"1. Fines sustain the village ({name} parameters)",
        "Fig. 2",
        "With fines the village lasts longer than if they end at round 15; "
        "ours: and that longer than without any. Fines of 10 and 14.",
        lambda evidence: ordered(_switched_off(evidence, name)),
    )
    yield Claim(
        f"1b. Cooperation fades once fines have ended ({name} parameters)",
        "Fig. 2",
        "After round 15 cooperation collapses faster and the lake is used up faster.",
        lambda evidence: ordered(_faded(evidence, name), "share of catches in rounds 16 to 25"),
    )


def _switched_off(evidence: Evidence, name: str) -> list[Comparison]:
    pairs = {}
    for fine in FINES:
        for longer, shorter in (("always", "until_15"), ("until_15", "never")):
            pairs[f"fine {fine}: {longer} > {shorter}"] = (
                _survival(evidence, f"punishment-{name}", fine=fine, punishment=longer),
                _survival(evidence, f"punishment-{name}", fine=fine, punishment=shorter),
            )
    return evidence.paired(pairs)


def _faded(evidence: Evidence, name: str) -> list[Comparison]:
    def over_use(fine: int, punishment: str) -> Array:
        levels = {"fine": fine, "punishment": punishment}
        course = evidence.courses(f"punishment-{name}", "over_use", levels)
        return _mean(course[:, SWITCHED_OFF : SWITCHED_OFF + AFTERWARDS])

    return evidence.paired(
        {
            f"fine {fine}: over-use until_15 > always": (
                over_use(fine, "until_15"),
                over_use(fine, "always"),
            )
            for fine in FINES
        }
    )


def _of_populations(name: str, reading: str) -> Iterator[Claim]:
    under = f"{name} parameters, {'selfish' if reading == 'table' else 'altruists'} fine more"
    yield Claim(
        f"3. In a harsh lake altruists last longest ({under})",
        "Figs 4, 12",
        "At growth 0.2 altruistic villages outlast the others; ours: mixed ones the selfish.",
        lambda evidence: ordered(_harsh(evidence, name, reading)),
    )
    yield Claim(
        f"4. In a rich lake mixed villages last longest, altruists shortest ({under})",
        "Figs 4, 12",
        "At growth 0.6 mixed villages do best, and selfish ones better than altruistic ones.",
        lambda evidence: ordered(_rich(evidence, name, reading)),
    )


def _harsh(evidence: Evidence, name: str, reading: str) -> list[Comparison]:
    return _by_population(evidence, name, reading, "harsh", ("altruist", "mixed", "selfish"))


def _rich(evidence: Evidence, name: str, reading: str) -> list[Comparison]:
    return _by_population(evidence, name, reading, "rich", ("mixed", "selfish", "altruist"))


def _by_population(
    evidence: Evidence, name: str, reading: str, lake: str, order: tuple[str, str, str]
) -> list[Comparison]:
    """Each population against the next in order, which is from the longest survival on."""
    survival = {
        population: _survival(
            evidence, f"populations-{name}", population=population, lake=lake, punishers=reading
        )
        for population in order
    }
    longest, middle, shortest = order
    return evidence.paired(
        {
            f"{one} > {other}": (survival[one], survival[other])
            for one, other in ((longest, middle), (middle, shortest))
        }
    )


def _of_starvation(name: str) -> Claim:
    return Claim(
        f"4b. In a rich lake altruists die of under-harvesting ({name} parameters)",
        "Section 4.1",
        "Selfish villages do better since they avoid such deaths; "
        "ours: so they do better without fines as well.",
        lambda evidence: ordered(_unfined(evidence, name)),
    )


def _unfined(evidence: Evidence, name: str) -> list[Comparison]:
    selfish, altruist = (
        _survival(evidence, f"unfined-{name}", population=population)
        for population in ("selfish", "altruist")
    )
    return evidence.paired({"selfish > altruist": (selfish, altruist)})


def _untestable() -> Iterator[Claim]:
    def without(words: str) -> Finding:
        raise Untold(words)

    yield Claim(
        "5. Variety lets mixed villages converge on helpful norms",
        "Section 4.1",
        "The reason given for their success in the rich lake.",
        lambda evidence: without("the paper names no measure of convergence or of helpful norms"),
    )
    yield Claim(
        "6. Under weak fines behaviour seems stable, and diverges late",
        "Section 4.1",
        "Over-harvesting costs little at first, until the stock has been used up.",
        lambda evidence: without("the paper names no fine, round or measure for it"),
    )


def _together(evidence: Evidence) -> Finding:
    """Whether claims 1 to 4 hold at once under any set and reading."""
    held = {}
    for name in SETS:
        general = [*_switched_off(evidence, name), *fines.strengthened(evidence, name)]
        for reading in READINGS:
            lakes = [*_harsh(evidence, name, reading), *_rich(evidence, name, reading)]
            held[f"{name}, {reading}"] = [one.holds for one in (*general, *lakes)]
    whole = any(outcome_of(parts) == "reproduced" for parts in held.values())
    words = [
        f"{under}: {parts.count(True)} of {len(parts)} orderings hold"
        for under, parts in held.items()
    ]
    return Finding("reproduced" if whole else "not reproduced", "; ".join(words))


def _survival(evidence: Evidence, trial: str, **levels: object) -> Array:
    return evidence.runs(trial, "survival_time", levels)


def _mean(course: Array) -> Array:
    """Over rounds, (R, T) -> (R,); NaN where there is none."""
    known = ~np.isnan(course)
    total, count = np.where(known, course, 0).sum(1), known.sum(1)
    mean: Array = np.divide(total, count, out=np.full(len(course), np.nan), where=count > 0)
    return mean


village = Reproduction(
    "village",
    "Gupta et al. 2026 (AAMAS)",
    rules=Design(tuple(trials()), claims),
    language=LANGUAGE,
)
