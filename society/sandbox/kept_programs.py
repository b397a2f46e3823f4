"""Programs as a run file keeps them: their text alone, so that reading a run executes nothing.

A folder of strategies may change, or be gone, when a run that played them is played again. So the
run file has the text of each program, once; within `kept_folders` it stands for the folder. Texts
are checked anew before they are run, wherever they come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from society.errors import SandboxError

MOST_BYTES = 8 * 2**20  # of all programs that a run file keeps

_Word = Annotated[str, Field(max_length=200)]
_Text = Annotated[str, Field(max_length=MOST_BYTES)]


class KeptProgram(BaseModel):
    """A program: its text, who wrote it, and what it was meant to do.

    name: of its class, after that of its file if others in the folder are called so. number: its
    place in the folder. fallback: the move where it gives none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: _Word
    number: Annotated[int, Field(ge=0)]
    source: _Text
    fallback: Literal["C", "D"]
    author: _Word = ""
    attitude: _Word = ""
    description: _Text = ""

    @property
    def class_name(self) -> str:
        return self.name.rpartition(".")[2]


class KeptFolder(BaseModel):
    """Programs of a folder, in its order; hashes: SHA-256 of its files, when they were read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: _Word
    programs: Annotated[tuple[KeptProgram, ...], Field(min_length=1, max_length=100_000)]
    hashes: Annotated[dict[str, _Word], Field(max_length=100_000)] = {}

    def joined(self, other: KeptFolder) -> KeptFolder:
        """Return the programs of both, in the order of the folder."""
        both = {one.number: one for one in (*self.programs, *other.programs)}
        programs = tuple(both[number] for number in sorted(both))
        return KeptFolder(game=self.game, programs=programs, hashes=self.hashes | other.hashes)


_KEPT: ContextVar[Mapping[str, KeptFolder]] = ContextVar("kept_folders")


@contextmanager
def kept_folders(folders: Mapping[str, KeptFolder]) -> Iterator[None]:
    """Let these, by path, stand for folders of strategies until the block is left."""
    token = _KEPT.set(folders)
    try:
        yield
    finally:
        _KEPT.reset(token)


def kept_folder(path: str) -> KeptFolder | None:
    """Return what stands for a folder; None if the folder itself is to be read."""
    return _KEPT.get({}).get(path)


def refuse_too_much(folders: Mapping[str, KeptFolder]) -> None:
    """Raise SandboxError for more programs than a run file keeps."""
    size = sum(len(one.model_dump_json().encode()) for one in folders.values())
    if size > MOST_BYTES:
        names = ", ".join(folders)
        raise SandboxError(
            f"the programs of {names} have {size:,} bytes, and a run file keeps at most "
            f"{MOST_BYTES:,}; choose some of them by class, author or attitude"
        )
