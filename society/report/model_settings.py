"""The settings of every language model that a study asked, from what its run files keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from society.analysis.study.condition import ConditionRun
from society.engine.calls import sum_known
from society.llm.call_tables import CallSettings
from society.llm.providers.settings import ModelSpec

from .tables import CellValue, Head, Table

_PROMPT = 12  # hexadecimal digits of the hash of a system prompt
_ROOMS = ("max_tokens", "max_completion_tokens")
_PLACES = {
    "offline": "this program",
    "tape": "recorded answers",
    "local": "this process (llama.cpp)",
    "own": "a function of the user's",
}
_NOT_RECORDED = "not recorded"


class ModelUse(NamedTuple):
    """Calls of one model with the same settings, in all runs of a study.

    place: the host or provider that was asked. prompts: hashes of system prompts. first, last:
    days, "" where they are not on record.
    """

    model: str
    answered_as: str
    place: str
    sort: str
    settings: Mapping[str, str]
    prompts: Sequence[str]
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    first: str
    last: str

    @property
    def dates(self) -> str:
        """The days of its calls, "2026-11-27 to 2026-11-28"."""
        if not self.first:
            return _NOT_RECORDED
        return self.first if self.first == self.last else f"{self.first} to {self.last}"

    def sentence(self) -> str:
        """Say in a sentence what was asked, where, how and when."""
        if self.sort == "offline":
            return (
                f"A scripted resident, which is no language model, answered {self.calls:,} "
                "questions in the place of one."
            )
        how = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        when = f" on {self.dates}" if self.first else " (days are not recorded)"
        return f"{self.model} ({self.place}; {how}) answered {self.calls:,} calls{when}."


def models_in_use(runs: Iterable[ConditionRun]) -> list[ModelUse]:
    """Sum the calls of runs by model and settings; raises RunFileError for a damaged file."""
    found: dict[tuple[Any, ...], ModelUse] = {}
    for run in runs:
        if not any(entry.model for entry in run.ledger):
            continue
        with run.opened() as file:
            calls, prompts = file.call_settings(), file.system_prompts()
        given = {
            name: ModelSpec.model_validate(one) for name, one in run.manifest.spec["models"].items()
        }
        for one in calls:
            use = _use(one, given, prompts.get(one.name, ()))
            key = (use.model, use.answered_as, use.place, *use.settings.items())
            found[key] = _joined(found[key], use) if key in found else use
    return [*found.values()]


def embedders(runs: Iterable[ConditionRun]) -> list[str]:
    """Name the embedders of which runs keep vectors; raises RunFileError for a damaged file."""
    found: dict[str, None] = {}
    for run in runs:
        if run.ledger:
            with run.opened() as file:
                found |= dict.fromkeys(file.embedders())
    return list(found)


def _use(call: CallSettings, given: Mapping[str, ModelSpec], prompts: Sequence[str]) -> ModelUse:
    default = given.get("default") or ModelSpec.model_validate({})
    spec = given.get(call.name) or (
        default if call.name == "default" else default.model_copy(update={"model": call.name})
    )
    sent = dict(call.sent)
    room = next((sent[name] for name in _ROOMS if sent.get(name) is not None), spec.max_tokens)
    seeded = spec.sort in ("lean", "litellm", "local")
    settings: dict[str, object] = {
        "temperature": sent.get("temperature", spec.temperature),
        "most tokens": room,
        "reasoning effort": sent.get("reasoning_effort", spec.reasoning_effort),
        "form": call.form or ("free text" if seeded else ""),
        "roles": sent.get("roles", ""),
        **{f"{name}": value for name, value in spec.extra.items()},
    }
    # Of the user's own function the file, without the folders of one machine.
    label = PurePath(spec.label).name if spec.sort == "own" else spec.label
    return ModelUse(
        label,
        call.model if call.model not in (label, spec.label) else "",
        _place(spec),
        spec.sort,
        {name: _word(value) for name, value in settings.items() if value != ""},
        sorted({sha256(words.encode()).hexdigest()[:_PROMPT] for words in prompts}),
        *(call.calls, call.prompt_tokens, call.completion_tokens, call.cost),
        *(call.first, call.last),
    )


def _place(spec: ModelSpec) -> str:
    """Name who was asked: the host of a server, or the provider before the slash."""
    if spec.api_base:
        return urlsplit(spec.api_base).netloc
    return _PLACES.get(spec.sort) or spec.model.partition("/")[0]


def _word(value: object) -> str:
    return "provider's own" if value is None else str(value)


def _joined(one: ModelUse, other: ModelUse) -> ModelUse:
    days = sorted(filter(None, [one.first, one.last, other.first, other.last]))
    return one._replace(
        prompts=sorted({*one.prompts, *other.prompts}),
        calls=one.calls + other.calls,
        prompt_tokens=sum_known([one.prompt_tokens, other.prompt_tokens]),
        completion_tokens=sum_known([one.completion_tokens, other.completion_tokens]),
        cost=sum_known([one.cost, other.cost]),
        first=days[0] if days else "",
        last=days[-1] if days else "",
    )


def settings_table(models: Sequence[ModelUse], seeds: str) -> Table:
    """Make the table of models, a row for each way in which one was asked."""
    names = list(dict.fromkeys(name for one in models for name in one.settings))
    rows: list[tuple[CellValue, ...]] = [
        (
            *(one.model, one.answered_as or None, one.place),
            *(one.settings.get(name) for name in names),
            ", ".join(one.prompts) or "none",
            one.dates,
            *(one.calls, one.prompt_tokens, one.completion_tokens, one.cost),
        )
        for one in models
    ]
    words: tuple[str, ...] = ("model", "answered as", "asked at", *names, "system prompts", "days")
    head: Head = [
        ("text", *words),
        ("tokens", "calls", "tokens in", "tokens out"),
        ("dollars", "US dollars"),
    ]
    notes = [
        "system prompts: the first digits of their SHA-256. days: of calls, in UTC. A seed is sent "
        f"with each call where the provider takes one, made of the seed of the run ({seeds}) and "
        "the address of the call."
    ]
    if any(not one.first and one.sort != "offline" for one in models):
        notes.append("Files of before have no days of calls.")
    return Table.of("model_settings", "Models and their settings", head, rows, *notes)
