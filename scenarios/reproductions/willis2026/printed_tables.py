"""Tables 1 and 2 as printed, and what the text says of them.

Numbers are those of Willis et al. 2026, rounded as there. To hold a sentence against the table that
it speaks of needs no strategy; whether the numbers themselves come out again is another question,
and can be told of published strategies only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from society.analysis.strategies.set_diversity import uniform_distance
from society.claims.types import ClaimFinding, outcome_of
from society.sandbox.stage_games import GameName

GAMES: tuple[GameName, ...] = ("public_goods", "collective_risk", "common_pool")
PUBLIC, RISK, POOL = GAMES
CLAUDE, DEEPSEEK, GEMINI, GPT, LLAMA, MISTRAL = MODELS = (
    "claude-haiku-4.5",
    "deepseek-r1",
    "gemini-2.5-flash",
    "gpt-5-mini",
    "llama-3.1-70b",
    "mistral-7b",
)
_Attitude = Literal["collective", "exploitative"]
FEATURES = 961
_ROUNDING = 0.05  # of numbers with one decimal


class PrintedDiversity(NamedTuple):
    """A model and game in table 1: MPD and PR of the collective and the exploitative set, and d."""

    mpd: tuple[float, float]
    d: float
    pr: tuple[float, float]


TABLE_1: Mapping[str, Sequence[PrintedDiversity]] = {
    CLAUDE: (
        PrintedDiversity((1.5, 0.2), 1.4, (2.9, 3.3)),
        PrintedDiversity((1.5, 0.5), 1.6, (2.8, 4.8)),
        PrintedDiversity((1.5, 1.0), 0.6, (2.8, 2.4)),
    ),
    DEEPSEEK: (
        PrintedDiversity((1.1, 1.6), 0.6, (3.3, 3.1)),
        PrintedDiversity((0.9, 1.5), 0.8, (3.8, 3.0)),
        PrintedDiversity((1.3, 0.9), 0.4, (2.3, 3.4)),
    ),
    GEMINI: (
        PrintedDiversity((0.4, 0.5), 1.6, (2.9, 4.8)),
        PrintedDiversity((0.9, 0.5), 1.0, (1.7, 5.6)),
        PrintedDiversity((0.8, 0.6), 0.5, (4.5, 4.3)),
    ),
    GPT: (
        PrintedDiversity((0.7, 0.5), 0.6, (6.1, 6.2)),
        PrintedDiversity((1.1, 0.7), 0.4, (3.5, 4.7)),
        PrintedDiversity((0.7, 0.7), 0.4, (6.4, 5.7)),
    ),
    LLAMA: (
        PrintedDiversity((1.5, 1.3), 0.6, (2.1, 2.7)),
        PrintedDiversity((1.3, 1.4), 0.7, (2.3, 2.5)),
        PrintedDiversity((1.5, 1.5), 0.2, (2.3, 2.3)),
    ),
    MISTRAL: (
        PrintedDiversity((1.5, 1.5), 0.1, (2.2, 2.2)),
        PrintedDiversity((1.4, 1.5), 0.1, (2.4, 2.5)),
        PrintedDiversity((1.5, 1.5), 0.1, (2.2, 2.1)),
    ),
}


class PrintedEvolution(NamedTuple):
    """A column of table 2: runs that genes won, of 100; and how runs ended."""

    group: int
    game: str
    winners: Mapping[tuple[str, _Attitude], int]
    reached: int
    generations: int
    efficiency: float


TABLE_2: Sequence[PrintedEvolution] = (
    PrintedEvolution(4, PUBLIC, {(CLAUDE, "exploitative"): 100}, 0, 200, 0.20),
    PrintedEvolution(
        4, RISK, {(CLAUDE, "exploitative"): 50, (GPT, "exploitative"): 50}, 0, 200, 0.52
    ),
    PrintedEvolution(
        4,
        POOL,
        {(DEEPSEEK, "collective"): 1, (GEMINI, "collective"): 91, (GPT, "collective"): 8},
        0,
        200,
        0.73,
    ),
    PrintedEvolution(64, PUBLIC, {(CLAUDE, "exploitative"): 100}, 100, 14, 0.12),
    PrintedEvolution(64, RISK, {(CLAUDE, "exploitative"): 100}, 20, 185, 0.20),
    PrintedEvolution(
        64, POOL, {(CLAUDE, "exploitative"): 98, (GEMINI, "exploitative"): 2}, 4, 198, 0.05
    ),
)

# Appendix A.3: mean pairwise distances that are not normalised, of collective strategies.
RAW_MPD: Mapping[str, float] = {LLAMA: 18.42, MISTRAL: 19.10, GEMINI: 6.49}
OF_NEW_PROMPT: Mapping[str, float] = {CLAUDE: 17.85, LLAMA: 18.59, MISTRAL: 18.80, GEMINI: 4.52}


def finding(parts: Mapping[str, bool]) -> ClaimFinding:
    """Judge a statement by its parts, each in words."""
    words = "; ".join(f"{name}: {'yes' if held else 'no'}" for name, held in parts.items())
    return ClaimFinding(outcome_of(parts.values()), words)


def effects(game: int) -> dict[str, float]:
    """Cohen's d of each model in a game."""
    return {model: rows[game].d for model, rows in TABLE_1.items()}


def most_distinct() -> ClaimFinding:
    """Are Gemini's and Claude's attitudes the two furthest apart in every game?"""
    parts = {}
    for number, game in enumerate(GAMES):
        first = sorted(effects(number), key=lambda model: -effects(number)[model])[:2]
        parts[f"{game}, {' and '.join(first)} lead"] = set(first) == {GEMINI, CLAUDE}
    return finding(parts)


def least_distinct() -> ClaimFinding:
    """Has Mistral the lowest d in every game?"""
    return finding(
        {
            f"{game}, {effects(number)[MISTRAL]:g}": effects(number)[MISTRAL]
            == min(effects(number).values())
            for number, game in enumerate(GAMES)
        }
    )


def hardest_to_steer() -> ClaimFinding:
    """Is d in the common pool at most that in the other games, for each model?"""
    return finding(
        {
            f"{model} {rows[2].d:g} against {rows[0].d:g} and {rows[1].d:g}": rows[2].d
            <= min(rows[0].d, rows[1].d)
            for model, rows in TABLE_1.items()
        }
    )


def asymmetry() -> ClaimFinding:
    """Is Claude's collective set far more diverse than its exploitative one, in two games?"""
    return finding(
        {
            f"{GAMES[game]} {TABLE_1[CLAUDE][game].mpd[0]:g} against "
            f"{TABLE_1[CLAUDE][game].mpd[1]:g}": TABLE_1[CLAUDE][game].mpd[0]
            >= 2 * TABLE_1[CLAUDE][game].mpd[1]
            for game in (0, 1)
        }
    )


def many_dimensions() -> ClaimFinding:
    """Has GPT the highest participation ratios, and a low d, in every game?"""
    parts = {}
    for number, game in enumerate(GAMES):
        for attitude, words in enumerate(("collective", "exploitative")):
            ratios = {model: rows[number].pr[attitude] for model, rows in TABLE_1.items()}
            best = max(ratios, key=lambda model: ratios[model])
            parts[f"{game} {words}, highest PR {best}"] = best == GPT
        below = sum(effects(number)[GPT] <= one for one in effects(number).values())
        parts[f"{game}, d {effects(number)[GPT]:g} among the lower half"] = below > len(MODELS) / 2
    return finding(parts)


def raw_distances() -> ClaimFinding:
    """Are raw distances of appendix A.3, divided by that of uniform vectors, those of table 1?"""
    uniform = uniform_distance(FEATURES)
    parts = {}
    for model, raw in RAW_MPD.items():
        printed = TABLE_1[model][0].mpd[0]
        words = f"{model} {raw:g} / {uniform:.2f} = {raw / uniform:.2f} against {printed:g}"
        parts[words] = abs(raw / uniform - printed) <= _ROUNDING
    return finding(parts)


def new_prompt_distances() -> ClaimFinding:
    """Is Gemini's set far less diverse than the other three under the new prompt?"""
    least = min(one for model, one in OF_NEW_PROMPT.items() if model != GEMINI)
    return finding(
        {f"{OF_NEW_PROMPT[GEMINI]:g} against {least:g} or more": OF_NEW_PROMPT[GEMINI] < least / 2}
    )


def exploitative_dominates() -> ClaimFinding:
    """Do exploitative genes win most runs in all columns of table 2 but one?"""
    parts = {}
    for one in TABLE_2:
        wins = sum(runs for (_, attitude), runs in one.winners.items() if attitude != "collective")
        collective = (one.group, one.game) == (4, POOL)
        words = f"{one.game}, n = {one.group}: {wins} of 100 runs exploitative"
        parts[words] = wins < 50 if collective else wins > 50
    return finding(parts)


def larger_groups_fare_worse() -> ClaimFinding:
    """Is welfare at the end lower in groups of 64 than in groups of 4?"""
    small, large = TABLE_2[:3], TABLE_2[3:]
    return finding(
        {
            f"{one.game} {one.efficiency:.0%} against {other.efficiency:.0%}": one.efficiency
            > other.efficiency
            for one, other in zip(small, large, strict=True)
        }
    )


def poor_welfare() -> ClaimFinding:
    """Is less than half of what there is to gain reached where exploitative genes win?"""
    return finding(
        {
            f"{one.game}, n = {one.group}: {one.efficiency:.0%}": one.efficiency < 0.5
            for one in TABLE_2
            if all(attitude == "exploitative" for _, attitude in one.winners)
        }
    )


def claude_preferred() -> ClaimFinding:
    """Does Claude win more runs of table 2 than all other models together?"""
    wins = sum(
        runs for one in TABLE_2 for (model, _), runs in one.winners.items() if model == CLAUDE
    )
    return finding({f"{wins} of {100 * len(TABLE_2)} runs": wins > 50 * len(TABLE_2)})


def table_2_adds_up() -> ClaimFinding:
    """Does every column have 100 winners, and fewer generations where the threshold was reached?"""
    parts = {}
    for one in TABLE_2:
        place = f"{one.game}, n = {one.group}"
        wins = sum(one.winners.values())
        parts[f"{place}: {wins} winners"] = wins == 100
        words = f"{place}: {one.reached} reached it, {one.generations} generations"
        parts[words] = (one.reached == 0) == (one.generations == 200)
    return finding(parts)
