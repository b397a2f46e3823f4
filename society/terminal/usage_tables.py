"""The use of models by a run: calls, tokens, cost, and replies that could not be read.

    calls        exchanges, including repairs of replies that could not be read and repeats of
                 those that were cut off; retries are attempts that failed
    copied       exchanges that took the reply to an identical question, at no cost
    cached       tokens of prompts that the provider had in its cache, where it tells
    fallbacks    answers that could not be read even after repair; the fallback that the question
                 states took their place

Token counts and costs that no provider reports are shown as unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from society.config.registry import component_title
from society.engine.calls import sum_known
from society.llm.providers.pricing import cache_savings

from .console import TerminalColumn, TerminalStyle, flow_items, layout_table
from .labels import count_noun, spell_kind

if TYPE_CHECKING:
    from society.engine.calls import ParseIssue, Usage


UNKNOWN = "unknown"
_WORST = 3  # agents, and questions, that are named; the others are counted
_REASON = 100  # cells of a reason
_FINEST = 0.0001  # US dollars
_COUNTS = ("calls", "retries", "repairs", "cut", "fallbacks")
_MISHAPS = {
    "repair": ("repair", "repairs"),
    "cut": ("reply cut off", "replies cut off"),
    "shortened": ("prompt shortened", "prompts shortened"),
    "fallback": ("fallback", "fallbacks"),
    "disqualified": ("disqualification of its program", "disqualifications of its program"),
}
_TOKENS = {
    "tokens in": "prompt_tokens",
    "cached": "cached_tokens",
    "tokens out": "completion_tokens",
}


def usage_tables(ink: TerminalStyle, ledger: Sequence[Usage]) -> Iterator[Text]:
    """Lay out a table for each model, with a row for each kind of question, and one of totals."""
    by_model: dict[str, list[Usage]] = {}
    for entry in ledger:
        if entry.model:
            by_model.setdefault(entry.model, []).append(entry)
    for model, entries in by_model.items():
        kinds = dict.fromkeys(entry.kind for entry in entries)
        rows = [sum_usage([one for one in entries if one.kind == kind], kind) for kind in kinds]
        yield from _table(ink, f"asked of {model}", rows)
    if len(by_model) > 1:
        everything = [entry for entries in by_model.values() for entry in entries]
        yield from _table(ink, f"asked of {len(by_model)} models", [sum_usage(everything, "total")])


def sum_usage(entries: Sequence[Usage], kind: str = "") -> Usage:
    """Sum one or more entries under the name `kind`; sums with an unknown part are None."""
    columns = zip(*(entry[3:] for entry in entries), strict=True)
    sums: list[Any] = [sum_known(column) for column in columns]
    return type(entries[0])("", kind, entries[0].model, *sums)


def _table(ink: TerminalStyle, title: str, rows: Sequence[Usage]) -> Iterator[Text]:
    yield from flow_items([ink.text(title, "bold")], ink.width)
    if len(rows) > 1:
        rows = [*rows, sum_usage(rows, "total")]
    counts = (*_COUNTS, *(["copied"] if any(row.copied for row in rows) else []))
    columns = [(name, [str(getattr(row, name)) for row in rows]) for name in counts]
    columns += [
        (heading, [_whole(getattr(row, name)) for row in rows])
        for heading, name in _TOKENS.items()
        if name != "cached_tokens" or any(row.cached_tokens for row in rows)
    ]
    columns.append(("dollars", [format_dollars(row.cost) for row in rows]))
    stub = [ink.text(spell_kind(row.kind)) for row in rows]
    figures = [
        TerminalColumn(heading, [Text(cell) for cell in cells]) for heading, cells in columns
    ]
    yield from layout_table(ink, stub, figures)
    yield Text()


def _whole(count: int | None) -> str:
    return UNKNOWN if count is None else f"{count:,}"


def format_dollars(cost: float | None) -> str:
    """Format US dollars to a hundredth of a cent; a cost above 0 never reads 0.

    >>> [format_dollars(cost) for cost in (1234.5, 0.0123, 0.00002, 0.0, None)]
    ['1,234.5000', '0.0123', '<0.0001', '0', 'unknown']
    """
    if cost is None:
        return UNKNOWN
    if 0 < cost < _FINEST:
        return f"<{_FINEST}"
    return f"{cost:,.4f}" if cost else "0"


def spending_words(ledger: Sequence[Usage]) -> Iterator[str]:
    """Yield calls, tokens and cost so far; nothing if no model was called."""
    asked = [entry for entry in ledger if entry.model]
    if not asked:
        return
    used = sum_usage(asked)
    yield count_noun(used.calls, "call")
    if used.prompt_tokens is None or used.completion_tokens is None:
        yield f"tokens {UNKNOWN}"
    else:
        yield f"{used.prompt_tokens + used.completion_tokens:,} tokens"
    yield f"cost {UNKNOWN}" if used.cost is None else f"{format_dollars(used.cost)} US dollars"


def cache_words(ledger: Sequence[Usage]) -> Iterator[str]:
    """Yield what providers' caches have saved; nothing where none has, or nobody tells."""
    asked = [entry for entry in ledger if entry.model and entry.cached_tokens]
    if not asked:
        return
    cached = sum(entry.cached_tokens or 0 for entry in asked)
    words = f"{cached:,} tokens of prompts came from caches"
    told = [entry for entry in ledger if entry.cached_tokens is not None and entry.model]
    if total := sum_known(entry.prompt_tokens for entry in told):
        words += f", {cached / total:.0%} of those whose providers tell"
    saved = cache_savings(asked)
    if saved:
        words += f"; by the price list they saved {format_dollars(saved)} US dollars"
    elif saved is None:
        words += "; what they saved is not in the price list"
    yield words


def by_hand(ledger: Iterable[Usage]) -> Iterator[str]:
    """Yield a line for each component that answers by itself, without a model call of ours."""
    for entry in ledger:
        if entry.model:
            continue
        if not entry.unasked:
            yield _unanswered(entry)
            continue
        times = "once" if entry.unasked == 1 else f"{entry.unasked:,} times"
        if entry.component == "language_policy":
            yield f"{spell_kind(entry.kind)} was settled {times} unasked: one answer was legal"
            continue
        words = f"{component_title(entry.component)} was asked {times} for {spell_kind(entry.kind)}"
        if entry.fallbacks:
            words += f"; {entry.fallbacks} of the answers could not be read: the fallback was used"
        yield words


def _unanswered(entry: Usage) -> str:
    """Describe a component that runs programs, and is counted only where one of them failed."""
    times = "once" if entry.fallbacks == 1 else f"{entry.fallbacks:,} times"
    return (
        f"{component_title(entry.component)} gave no {spell_kind(entry.kind)} {times}: the "
        "fallback was used"
    )


def unsure_agents(
    names: Iterable[str], troubles: Iterable[ParseIssue], replicates: int
) -> Iterator[str]:
    """Yield the agents whose replies had to be repaired or were given up, the worst first.

    names: of the agent of each trouble.
    """
    by_agent: dict[tuple[int, int, str], Counter[str]] = {}
    for name, trouble in zip(names, troubles, strict=True):
        whose = trouble.replicate, trouble.agent, name
        by_agent.setdefault(whose, Counter())[trouble.what] += 1
    ranked = sorted(
        by_agent.items(), key=lambda one: (-one[1]["fallback"], -one[1].total(), one[0])
    )
    for (replicate, _, name), counts in ranked[:_WORST]:
        where = f" of replicate {replicate}" if replicates > 1 else ""
        yield f"{name}{where}: {count_mishaps(counts)}"
    if len(ranked) > _WORST:
        yield f"and {len(ranked) - _WORST} more"


def count_mishaps(counts: Counter[str]) -> str:
    """Count each kind of mishap, such as "2 repairs, 1 fallback"."""
    return ", ".join(
        f"{counts[what]} {names[counts[what] > 1]}"
        for what, names in _MISHAPS.items()
        if counts[what]
    )


def fallback_reasons(ink: TerminalStyle, troubles: Iterable[ParseIssue]) -> Iterator[str]:
    """Yield how often the fallback was used, by kind of question, with the most frequent reason."""
    by_kind: dict[str, Counter[str]] = {}
    for trouble in troubles:
        if trouble.what == "fallback":
            by_kind.setdefault(trouble.kind, Counter())[trouble.reason] += 1
    ranked = sorted(by_kind.items(), key=lambda one: -one[1].total())
    for kind, why in ranked[:_WORST]:
        reason = ink.cut(why.most_common(1)[0][0], _REASON)
        such = "" if len(why) == 1 else ", such as"
        yield f"{why.total()} for {spell_kind(kind)}{such}: {reason}"
    if len(ranked) > _WORST:
        yield f"and for {len(ranked) - _WORST} other questions"
