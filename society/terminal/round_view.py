"""One round as the display shows it: numbers, actions, words, departures, decisions.

Arrays are (R, N). The scenario's DisplaySpec says which facts and questions matter; a scenario
without one is shown with all facts that it tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.engine.action_spaces import Choice, Neighbour, Text
from society.engine.graph import NOBODY
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec
from society.engine.script import UNREAD
from society.lineage import DESCENDED

if TYPE_CHECKING:
    from society.runs.runfile import Manifest


class Answered(NamedTuple):
    """The answers to one field of one question, (R, N, ...), and the agents asked, (R, N)."""

    values: Array
    asked: Array
    form: str
    options: Array | None


class Chosen(NamedTuple):
    """The decision behind a note in one replicate: words, and each answer with its count."""

    words: str
    answers: Array
    counts: Array
    voted: bool


def present_at_end(page: Page) -> tuple[Array, Array]:
    """Return the agents present, (R, N), and replicates running, (R, 1), at the end of a round."""
    return page.present, page.running.reshape(-1, 1)


def present_at_start(page: Page, before: Page | None) -> tuple[Array, Array]:
    """Return the agents present, (R, N), and replicates running, (R, 1), at its beginning.

    before: the preceding page; None: all agents are present and all replicates running.
    """
    if before is not None:
        return present_at_end(before)
    present, running = present_at_end(page)
    return np.ones_like(present), np.ones_like(running)


def last_common_fact(page: Page, name: str) -> Array | None:
    """Return the last value of a common fact, (R, 1); None if it has several entries."""
    for step in reversed(page.steps):
        if ("common", name) in step.arrays and step.arrays["common", name].ndim == 2:
            return step.arrays["common", name]
    return None


def facts_told(page: Page, kind: str, name: str) -> Array | None:
    """Return an own fact from a tell of this kind, (R, N)."""
    for step in page.steps:
        if step.kind == kind and ("own", name) in step.arrays:
            return step.arrays["own", name]
    return None


class RoundView:
    """One page, read with a display; `before`, the preceding page, tells who was present."""

    def __init__(self, page: Page, before: Page | None, stage: DisplaySpec) -> None:
        self.page, self.before, self.stage = page, before, stage
        present, running = present_at_start(page, before)
        self.running = running
        # Agents who come back take part in the round.
        back = [step.arrays["back", ""] for step in page.steps if ("back", "") in step.arrays]
        self.present = np.logical_or.reduce([present, *back])
        self.newborn = facts_told(page, DESCENDED, "newborn")  # (R, N), where a generation begins
        self.answered: dict[str, list[Answered]] = {}
        self._asked: list[tuple[Step, dict[str, Answered]]] = []  # by field
        self.gone: list[tuple[str, Array]] = []  # kind of the tell, (R, N)
        self.vacant: list[tuple[str, Array]] = []  # those who are gone before the first round
        self.ended: list[tuple[str, Array]] = []  # cause, (R,)
        self.arrived: list[tuple[str, Array]] = []  # kind of the line, (R, N); within a generation
        self.leavers = 0  # how many entries of `gone` made room for those who arrived
        for step in page.steps:
            if step.sort == "ask":
                self._note_answers(step, present & running)
            present = present | step.arrays.get(("back", ""), np.False_)
            if ("newborn", "") in step.arrays and self.newborn is None:
                self.arrived.append((step.kind, step.arrays["newborn", ""]))
                self.leavers = len(self.gone)
            if ("gone", "") in step.arrays:
                going = step.arrays["gone", ""] & present
                present = present & ~going
                if page.number:
                    self.gone.append((step.kind, going))
                else:  # nobody was ever on these seats
                    self.vacant.append((step.kind, going))
                    self.present = self.present & ~going
            for role, cause in (("void", UNREAD), ("ends", step.kind)):
                if (role, "") in step.arrays:
                    ending = step.arrays[role, ""] & running
                    running = running & ~ending
                    self.ended.append((cause, ending[:, 0]))

    def _note_answers(self, step: Step, active: Array) -> None:
        forms = forms_of(step)
        asked = active & step.arrays.get(("who", ""), np.True_)
        fields: dict[str, Answered] = {}
        for (role, name), values in step.arrays.items():
            if role == "answer":
                question = f"{step.kind} {name}" if name else step.kind
                options = step.arrays.get(("options", name))
                answer = Answered(values, asked, forms.get(name, ""), options)
                self.answered.setdefault(question, []).append(answer)
                fields[name] = answer
        self._asked.append((step, fields))

    def void(self, replicate: int) -> bool:
        """Check if an unreadable answer ended the replicate; its facts then mean nothing."""
        return any(cause == UNREAD and over[replicate] for cause, over in self.ended)

    def unshown(self) -> Iterator[tuple[Step, Mapping[str, Answered]]]:
        """Yield questions that the display does not name, with their answers by field."""
        stage = self.stage
        choosing = (question for questions in stage.notes.values() for question in questions)
        shown = (*stage.columns, *stage.links, *stage.quotes, *choosing)
        kinds = {name.partition(" ")[0] for name in shown}
        yield from (one for one in self._asked if one[0].kind not in kinds)

    def column(self, name: str) -> Array | None:
        """Return an own fact as last told, else a public column, else the answers to a question."""
        held = self._held(name)
        if held is not None:
            return held
        answers = self.answered.get(name)
        return answer_words(answers[-1]) if answers else None

    def is_answer(self, name: str) -> bool:
        """Tell whether a column is what was answered, and was neither told nor is kept."""
        return name in self.answered and self._held(name) is None

    def _held(self, name: str) -> Array | None:
        """Return an own fact as last told, else a public column; both hold until they change."""
        for step in reversed(self.page.steps):
            if step.sort == "tell":
                for (role, fact), values in step.arrays.items():
                    if fact == name and _is_own(role):
                        return _single(values)
        return self.page.public.get(name)

    def stated(self, name: str) -> tuple[Array, Array] | None:
        """Return a common fact as first and as last stated this round, (R, 1) each."""
        found = [step.arrays["common", name] for step in self.page.steps if _states(step, name)]
        return (_single(found[0]), _single(found[-1])) if found else None

    def links(self) -> Iterator[tuple[str, Array]]:
        """Yield actions towards peers: the verb, and the seat of each agent's peer, (R, N).

        What moved nothing, such as a fine of 0, was no action.
        """
        for question, verb in self.stage.links.items():
            amount = self._amount(question)
            for answer in self.answered.get(question, ()):
                yield verb, np.where(amount == 0, NOBODY, answer.values)

    def _amount(self, question: str) -> Array:
        """Return what each answer moved, (R, N), or one number for all; NaN where unknown."""
        amount = self.stage.amounts.get(question, np.nan)
        told = self._held(amount) if isinstance(amount, str) else np.array(amount)
        return np.array(np.nan) if told is None else told

    def quotes(self) -> Iterator[tuple[str, str, Array]]:
        """Yield texts to be quoted: name, verb, and the new ones, (R, N), with "" for the others.

        A column's text is new where it has changed; an answer is always new.
        """
        if not self.stage.quotes:
            return
        earlier = None if self.before is None else RoundView(self.before, None, self.stage)
        for name, verb in self.stage.quotes.items():
            held = self._held(name)
            if held is None:
                for answer in self.answered.get(name, ()):
                    texts = answer_words(answer)
                    yield name, verb, np.where(answer.asked & _said(texts), texts, "")
                continue
            known = None if earlier is None else earlier.column(name)
            new = self._new(held, known) & _said(held) & self.page.present  # the gone hold nothing
            yield name, verb, np.where(new, held, "")

    def _new(self, texts: Array, known: Array | None) -> Array:
        """Mark the texts that were not known before, (R, N) of bool."""
        if self.newborn is None:
            return np.ones(texts.shape, bool) if known is None else texts != known
        # Another life held what was known of this seat; what survivors hold has been told. Of those
        # who put themselves into words and keep none, it is known when they were born.
        return self.newborn if known is None else self.newborn | (_said(known) & (texts != known))

    def chosen(self, note: str, replicate: int) -> Chosen | None:
        """Return the decision behind a note; None if nobody was asked."""
        questions = self.stage.notes.get(note, {})
        asked = [name for name in self.answered if name in questions]
        if not asked:
            return None
        answer = self.answered[asked[-1]][-1]
        answers = answer_words(answer)[replicate][answer.asked[replicate]]
        if not len(answers):
            return None
        words = _counted(questions[asked[-1]], len(answers))
        distinct, counts = np.unique(answers, return_counts=True)
        return Chosen(words, distinct, counts, answer.form.startswith(Choice.code))


def _counted(words: str, n: int) -> str:
    """Put a number for {n}; the noun after it is in the plural, and stands in the singular for 1.

    >>> _counted("the median of {n} proposals", 1)
    'the median of 1 proposal'
    """
    if n == 1:
        words = re.sub(r"(\{n\} \w+)s\b", r"\1", words)
    return words.replace("{n}", str(n))


def default_display(page: Page, stage: DisplaySpec) -> DisplaySpec:
    """Return the display; if it names nothing to show, one that shows all that the page holds."""
    if stage.gauge or stage.columns or stage.links or stage.notes or stage.quotes:
        return stage
    scene = RoundView(page, None, DisplaySpec())
    if stage.meeting is not None and scene.column(stage.meeting.deed) is not None:
        return stage
    peers = [
        name for name, given in scene.answered.items() if given[0].form.startswith(Neighbour.code)
    ]
    columns = [name for name in scene.answered if name not in peers]
    notes: dict[str, Mapping[str, str]] = {}
    for step in page.steps:
        if step.sort == "tell":
            single = [key for key, values in step.arrays.items() if values.ndim == 2]
            columns += [name for role, name in single if _is_own(role)]
            notes |= {name: {} for role, name in single if role == "common"}
    unique = dict.fromkeys([*columns, *page.public])
    quotes = {name: "says" for name in unique if _in_words(scene, name)}
    numbers = tuple(name for name in unique if name not in quotes)
    links = {name: name for name in peers}
    return replace(stage, columns=numbers, links=links, notes=notes, quotes=quotes)


def _said(texts: Array) -> Array:
    """Mark entries with words; a public column holds a number for agents who do not have it."""
    if texts.dtype.kind != "O":
        return np.ones(texts.shape, bool)
    words: Array = np.array([isinstance(text, str) for text in texts.flat])
    return words.reshape(texts.shape)


def _is_own(role: str) -> bool:
    return role == "own" or role.startswith("seen ")


def _in_words(scene: RoundView, name: str) -> bool:
    """Check if a column is free text, rather than numbers or labels of options."""
    if name in scene.answered:
        return scene.answered[name][-1].form.startswith(Text.code)
    values = scene.column(name)
    return values is not None and isinstance(values.flat[0], str)


def _states(step: Step, name: str) -> bool:
    return ("common", name) in step.arrays


def forms_of(step: Step) -> dict[str, str]:
    """Return the form of each field of a reply; a plain reply is one field without a name."""
    if ("answer", "") in step.arrays:
        return {"": step.form}
    parts = (part.partition(": ") for part in step.form.split("; "))
    return {name: form for name, _, form in parts}


def answer_words(answer: Answered) -> Array:
    """Return one value per agent: options by their label, mixtures as text."""
    if not answer.form.startswith(Choice.code):
        return _single(answer.values)
    return answer_labels(answer.values, answer.form, answer.options)


def _single(values: Array) -> Array:
    """Join several entries per agent into one text, (R, N, K) -> (R, N)."""
    if values.ndim == 2:
        return values
    rows = values.reshape(-1, values.shape[-1])
    joined = ["/".join(map(_entry, row)) for row in rows]
    return np.array(joined, object).reshape(values.shape[:2])


def _entry(value: Any) -> str:
    if not isinstance(value, float | np.floating):
        return str(value)
    return "–" if np.isnan(value) else f"{value:.2f}"


def answer_labels(values: Array, form: str, options: Array | None) -> Array:
    """Return the labels of answers to a choice, (R, N).

    options: the labels of each replicate; None: all have those of the form, and "" marks agents
    who were not asked.
    """
    if options is not None:
        picked: Array = np.take_along_axis(options, np.maximum(values, 0), 1)
        return picked
    labels = np.array([*form.removeprefix("choice ").split("/"), ""], object)
    return labels[np.where(values == NOBODY, len(labels) - 1, values)]


def full_scale(manifest: Manifest) -> float:
    """The stock that fills the gauge; NaN where there is none."""
    _, full = manifest.stage.gauge or ("", None)
    full = manifest.params.get(full) if isinstance(full, str) else full
    return float(full) if full and isinstance(full, int | float) else float("nan")


def mean_measures(measures: Mapping[str, Array]) -> dict[str, float]:
    """Average each measure, (R,), over the replicates in which it was taken; leave out the rest."""
    taken = {name: values[~np.isnan(values)] for name, values in measures.items()}
    return {name: float(values.mean()) for name, values in taken.items() if len(values)}
