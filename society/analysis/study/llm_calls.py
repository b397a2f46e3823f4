"""Calls to language models in a study: each exchange, sums, and answers that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from society.config.registry import component_title
from society.engine.calls import Message, ParseIssue, Usage, sum_known
from society.llm.call_tables import Call
from society.runs.agent_names import names_by_round

from .frames import Columns, FrameColumn, nullable_integers, strings

if TYPE_CHECKING:
    from .condition import ConditionRun

_TOKENS = ("prompt_tokens", "cached_tokens", "completion_tokens")


def call_columns(exchanges: Sequence[Call], names: Sequence[str]) -> Columns:
    """Return a row for each exchange with an outside mind; names: of the agents."""
    addresses = [call.request.address for call in exchanges]
    requests = [call.request for call in exchanges]
    completions = [call.said for call in exchanges]
    return {
        "replicate": _numbers((address.replicate for address in addresses), "id"),
        "round": _numbers((call.round for call in exchanges), "number"),
        "agent": _numbers((address.agent for address in addresses), "id"),
        "who": _names(names),
        "component": _titles(address.component for address in addresses),
        "occasion": _words(address.occasion for address in addresses),
        "question": _words(address.kind for address in addresses),
        "use": _numbers((address.use for address in addresses), "order in the run"),
        "turn": _numbers((address.turn for address in addresses), "order in the occasion"),
        "again": _words(request.again for request in requests),
        "reason": _words(request.reason for request in requests),
        "asked": _words(request.model for request in requests),
        "model": _words(each.model for each in completions),
        "finish": _words(each.finish for each in completions),
        "retries": _numbers((each.retries for each in completions), "attempts that failed"),
        "prompt_tokens": FrameColumn(
            nullable_integers(each.prompt_tokens for each in completions), "tokens"
        ),
        "cached_tokens": FrameColumn(
            nullable_integers(each.cached_tokens for each in completions), "tokens"
        ),
        "completion_tokens": FrameColumn(
            nullable_integers(each.completion_tokens for each in completions), "tokens"
        ),
        "copied": FrameColumn(np.array([each.copied for each in completions], bool), "flag"),
        "cost": _costs(each.cost for each in completions),
        "seconds": FrameColumn(np.array([each.latency for each in completions], float), "seconds"),
        "prompt": _words(_prompt(request.messages) for request in requests),
        "reply": _words(each.text for each in completions),
    }


def ledger_columns(entries: Sequence[Usage]) -> Columns:
    """Return a row for each component, question and model."""
    return {
        "component": _titles(entry.component for entry in entries),
        "question": _words(entry.kind for entry in entries),
        "model": _words(entry.model for entry in entries),
        **spending_columns([[entry] for entry in entries]),
    }


def spending_columns(ledgers: Sequence[Sequence[Usage]]) -> Columns:
    """Sum up each ledger; tokens and cost are missing where one of its entries is unknown."""
    columns = {
        "calls": FrameColumn(_sums(ledgers, "calls"), "exchanges"),
        "retries": FrameColumn(_sums(ledgers, "retries"), "attempts that failed"),
        "repairs": FrameColumn(_sums(ledgers, "repairs"), "exchanges"),
        "cut": FrameColumn(_sums(ledgers, "cut"), "exchanges"),
        "fallbacks": FrameColumn(_sums(ledgers, "fallbacks"), "answers"),
        "copied": FrameColumn(_sums(ledgers, "copied"), "exchanges"),
        "unasked": FrameColumn(_sums(ledgers, "unasked"), "answers"),
    }
    columns |= {
        name: FrameColumn(nullable_integers(_sums(ledgers, name)), "tokens") for name in _TOKENS
    }
    return {**columns, "cost": _costs(_sums(ledgers, "cost"))}


def trouble_columns(troubles: Sequence[tuple[int, ParseIssue]], names: Sequence[str]) -> Columns:
    """Return a row for each answer that could not be used as it came, with its round.

    names: of the agents.
    """
    each = [trouble for _, trouble in troubles]
    return {
        "replicate": _numbers((trouble.replicate for trouble in each), "id"),
        "round": _numbers((number for number, _ in troubles), "number"),
        "agent": _numbers((trouble.agent for trouble in each), "id"),
        "who": _names(names),
        "component": _titles(trouble.component for trouble in each),
        "question": _words(trouble.kind for trouble in each),
        "model": _words(trouble.model for trouble in each),
        "what": _words(trouble.what for trouble in each),
        "reason": _words(trouble.reason for trouble in each),
    }


def read_calls(runs: Iterable[ConditionRun]) -> list[tuple[list[Call], list[str]]]:
    """Read the exchanges of each run, with the names of the agents."""
    by_run = []
    for run in runs:
        with run.opened() as file:
            calls = list(file.calls())
            by_run.append((calls, names_by_round(file, [*map(_place, calls)])))
    return by_run


def _place(call: Call) -> tuple[int, int, int]:
    address = call.request.address
    return call.round, address.replicate, address.agent


def trouble_names(
    runs: Iterable[ConditionRun], troubles: Iterable[Sequence[tuple[int, ParseIssue]]]
) -> Iterator[str]:
    """Yield the names of the agents whose answers could not be used, run by run."""
    for run, own in zip(runs, troubles, strict=True):
        if own:
            with run.opened() as file:
                places = [(number, issue.replicate, issue.agent) for number, issue in own]
                yield from names_by_round(file, places)


def _prompt(messages: Sequence[Message]) -> str:
    """Return a single message as it was sent, several with their roles."""
    if len(messages) == 1:
        return messages[0].content
    return "\n\n".join(f"{message.role}: {message.content}" for message in messages)


def _sums(ledgers: Sequence[Sequence[Usage]], name: str) -> list[Any]:
    """Sum one field over each ledger; None where one of its values is unknown."""
    return [sum_known(getattr(entry, name) for entry in entries) for entries in ledgers]


def _numbers(values: Iterable[int], unit: str) -> FrameColumn:
    return FrameColumn(np.array(list(values), int), unit)


def _costs(values: Iterable[float | None]) -> FrameColumn:
    costs = [np.nan if value is None else value for value in values]
    return FrameColumn(np.array(costs, float), "US dollars")


def _titles(chance_ids: Iterable[str]) -> FrameColumn:
    ids = list(chance_ids)
    shown = {chance_id: component_title(chance_id) for chance_id in set(ids)}
    return _words(shown[chance_id] for chance_id in ids)


def _names(names: Sequence[str]) -> FrameColumn:
    return FrameColumn(strings(names), "name")


def _words(values: Iterable[str]) -> FrameColumn:
    return FrameColumn(strings(values), "text")
