"""The section of prompts: each question to a language model, once, as it was asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from society.analysis.study.condition import ConditionRun
from society.engine.calls import Message, Request
from society.report.layout import Layout
from society.report.page import Section, SectionPart, Verbatim, folded_section

_SETTLED = 2  # the first round in which agents have a past, which prompts then tell of


class AskedPrompt(NamedTuple):
    """A question as it was asked of one agent, and how often it was asked in this condition."""

    occasion: str
    round: int
    request: Request
    times: int

    def parts(self) -> Iterator[SectionPart]:
        """Give its messages by their roles, and the schema that the provider was given."""
        yield (
            f"As it was asked in round {self.round}; asked {self.times:,} times in this condition."
        )
        for message in self.request.messages:
            yield Section(_role(message), [Verbatim(message.content)])
        if self.request.schema is not None:
            schema = json.dumps(self.request.schema, indent=2, ensure_ascii=False)
            yield Section("Schema of the answer", [Verbatim(schema)])


def _role(message: Message) -> str:
    return {"system": "System", "user": "User"}.get(message.role, message.role.capitalize())


def prompts_section(layout: Layout) -> Section:
    """Show the questions of the first condition of each set of templates; nothing without any."""
    chosen: dict[tuple[str, frozenset[tuple[str, str]]], ConditionRun] = {}
    for run in layout.conditions:
        if run.ledger:
            key = (run.manifest.scenario, frozenset(run.manifest.prompts.items()))
            chosen.setdefault(key, run)
    of_runs = [(run.name, [*map(fold_prompt, asked_prompts(run))]) for run in chosen.values()]
    parts: list[SectionPart] = [Section(name, folds) for name, folds in of_runs]
    if len(of_runs) == 1:
        parts = [*of_runs[0][1]]
    lead = "Each question once, as one agent was asked it; the run file has all of them."
    return Section("Prompts as they were asked", [lead, *parts] if parts else [], "prompts")


def fold_prompt(asked: AskedPrompt, title: str = "") -> Section:
    """Give a prompt as a section that is opened on request."""
    return folded_section(title or asked.occasion, *asked.parts())


def asked_prompts(run: ConditionRun) -> Sequence[AskedPrompt]:
    """List the questions of a run, one of each kind: of its second round, where there is one.

    Questions that were asked again, since the first answer could not be read, are left out.
    """
    counts, found = Counter[str](), dict[str, tuple[int, Request]]()
    with run.opened() as file:
        for call in file.calls():
            occasion = call.request.address.occasion
            if call.request.again or call.request.address.turn:
                continue
            counts[occasion] += 1
            known = found.get(occasion)
            if known is None or known[0] < _SETTLED <= call.round:
                found[occasion] = (call.round, call.request)
    return [
        AskedPrompt(occasion, number, request, counts[occasion])
        for occasion, (number, request) in found.items()
    ]
