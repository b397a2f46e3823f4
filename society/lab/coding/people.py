"""People who code: whether their sheets are filled in, and how far."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from society.errors import brief
from society.rubric import Rubric
from society.wording import fenced

from .texts import ByHand, codes_by_hand


class Sheet(NamedTuple):
    """What a person's sheet has come to. waits: for what, in words; "" if it can be read."""

    waits: str
    notes: tuple[str, ...] = ()


def sheet_of(rater: str, file: Path, rubric: Rubric, texts: Collection[str], blank: Path) -> Sheet:
    """How far a person has coded some texts; raises FileError, ScenarioError.

    blank: the sheet that is to be filled in.
    """
    name = brief(file)
    if not file.exists():
        return Sheet(f"coding waits for {name}: fill in {brief(blank)} and save it as {name}")
    codes = codes_by_hand(file, rubric.criteria)
    notes = tuple(_strays(rater, codes, texts))
    if not any(text in texts for coded in codes.values() for text in coded):
        return Sheet(f"coding waits for {name}: no text has a code yet", notes)
    return Sheet("", (*notes, *_gaps(name, codes, texts)))


def _strays(rater: str, codes: ByHand, texts: Collection[str]) -> Iterator[str]:
    """What somebody has coded though no run says it."""
    others = {text: None for coded in codes.values() for text in coded if text not in texts}
    if others:
        count = "a text that is" if len(others) == 1 else f"{len(others)} texts that are"
        yield f"{rater} has coded {count} in no run: {fenced(next(iter(others)), 60)}"


def _gaps(name: str, codes: ByHand, texts: Collection[str]) -> Iterator[str]:
    """What is left uncoded, by criterion."""
    for criterion, coded in codes.items():
        lacking = sum(text not in coded for text in texts)
        if lacking:
            yield f"{name}: {lacking} of {len(texts)} texts without a code of {criterion}"
