"""The texts of some runs: gathered to be coded, and written for people who code them.

A text is told by how it is shown (society.text.clean_line): what looks the same is coded once.
Texts stand in an order that comes from their own words alone, so that it gives no condition away.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from io import StringIO
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from society.errors import FileError, InputError, short_path, suggest
from society.runs.manifest import HOW_TO_RECORD
from society.runs.reader import RunFile, open_run_file
from society.scenarios.coding.rubric import Criterion
from society.terminal.round_view import RoundView
from society.text import clean_line, quote_text

Rounds = Literal["last", "all"] | int  # of each agent its last text, all, or those of every n-th


class TextPlace(NamedTuple):
    """The condition, replicate, agent and round in which a text was said or held."""

    condition: str
    replicate: int
    agent: int
    round: int


Texts = Mapping[str, tuple[TextPlace, ...]]  # each text with its places


def gather_texts(runs: Mapping[str, Path], quote: str | None, rounds: Rounds) -> Texts:
    """Gather what agents said or held under the name of a quote; raises InputError.

    runs: run files by condition. quote: one of Stage.quotes of their scenario; None: its first.
    """
    places: dict[str, list[TextPlace]] = {}
    for condition, file in runs.items():
        with open_run_file(file) as run:
            for place, text in _held_texts(run, condition, _quote(run, quote), rounds):
                places.setdefault(text, []).append(place)
    return {text: tuple(places[text]) for text in sorted(places, key=_shuffle_key)}


def _shuffle_key(text: str) -> bytes:
    return blake2b(text.encode()).digest()


def _quote(run: RunFile, name: str | None) -> str:
    given, quotes = run.manifest, run.manifest.stage.quotes
    if not quotes:
        raise InputError(
            f"{short_path(run.path)} cannot be coded: {given.scenario} quotes no text; code a "
            "scenario whose agents speak, such as language_village"
        )
    if name is not None and name not in quotes:
        raise InputError(f"{given.scenario} quotes no {name!r}; {suggest(name, quotes)}")
    refuse_summary(run)
    return name or next(iter(quotes))


def refuse_summary(run: RunFile) -> None:
    """Raise InputError for a run that does not keep what was said in it."""
    if run.manifest.level == "summary":
        raise InputError(f"{short_path(run.path)} keeps nothing of what was said; {HOW_TO_RECORD}")


def _held_texts(
    run: RunFile, condition: str, quote: str, rounds: Rounds
) -> Iterator[tuple[TextPlace, str]]:
    """Return the texts of the agents who took part when a round began, with their places."""
    latest: dict[tuple[int, int], tuple[TextPlace, str]] = {}
    step, before = rounds if isinstance(rounds, int) else 1, None
    for page in run.pages():
        scene = RoundView(page, before, run.manifest.stage)
        before, values = page, scene.column(quote)
        if values is None or page.number == 0 or page.number % step:
            continue
        for replicate, agent in np.argwhere(scene.present & scene.running).tolist():
            cell = values[replicate, agent]
            if isinstance(cell, str) and (text := clean_line(cell)):
                placed = TextPlace(condition, replicate, agent, page.number), text
                if rounds == "last":
                    latest[replicate, agent] = placed
                else:
                    yield placed
    yield from latest.values()


def write_sheet(file: Path, texts: Iterable[str], criteria: Iterable[Criterion]) -> bool:
    """Write a CSV file of texts with an empty column for each criterion, unless one is there.

    Gives whether it says what it would say now: somebody may have filled it in. Raises FileError.
    """
    lines, names = StringIO(newline=""), [criterion.name for criterion in criteria]
    sheet = csv.writer(lines)
    sheet.writerow(["text", *names])
    sheet.writerows([quote_text(text, limit=len(text)), *("" for _ in names)] for text in texts)
    # The mark at the beginning tells spreadsheets that this is UTF-8, and the guillemets keep them
    # from taking a text that begins with = or - for a formula.
    blank = lines.getvalue().encode("utf-8-sig")
    try:
        if file.exists():
            return file.read_bytes() == blank
        file.write_bytes(blank)
    except OSError as error:
        raise FileError(f"cannot write {short_path(file)}: {error.strerror}") from None
    return True
