"""Programs as a run file keeps them: their text alone, so that reading a run executes nothing.

A folder of strategies may change, or be gone, when a run that played them is played again. So the
run file has the text of each program, once; within `kept_folders` it stands for the folder. Texts
are compressed. To open a run leaves them so; to play it again unpacks them, to no more than a
stated size. They are checked anew before they are run, wherever they come from.
"""

from __future__ import annotations

import lzma
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from society.errors import SandboxError

# Of all programs that a run file keeps. 25,000 classes with descriptions have about 100 MB, which
# shrink to a quarter and less.
MOST_BYTES, MOST_PACKED = 128 * 2**20, 96 * 2**20
_MOST_PROGRAMS = 100_000
_LONGEST, _LONGEST_LINE = 2**22, 2**25  # characters of a text, bytes of a program
_MOST_MEMORY = 2**26  # bytes to unpack with, beside the texts

_Word = Annotated[str, Field(max_length=200)]
_Text = Annotated[str, Field(max_length=_LONGEST)]


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
    """The programs of a folder, compressed; `pack` makes one, and `programs` has them again.

    hashes: SHA-256 of its files, when they were read. texts: base64 of the LZMA of the programs, a
    line of JSON each, in the order of the folder. size: bytes of these lines.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: _Word
    hashes: Annotated[dict[str, _Word], Field(max_length=_MOST_PROGRAMS)] = {}
    texts: Annotated[str, Field(max_length=MOST_PACKED)]
    size: Annotated[int, Field(ge=1, le=MOST_BYTES)]

    @classmethod
    def pack(
        cls, game: str, programs: Iterable[KeptProgram], hashes: Mapping[str, str], path: str
    ) -> Self:
        """Pack programs of the folder at a path; raises SandboxError if they are too many."""
        lines = [one.model_dump_json(exclude_defaults=True).encode() for one in programs]
        size = sum(map(len, lines)) + len(lines) - 1
        # Higher presets take longer, and gain little on programs that are much alike.
        packed = lzma.compress(b"\n".join(lines), check=lzma.CHECK_NONE, preset=0)
        texts = b64encode(packed).decode("ascii")
        _refuse_too_much([path], size, len(texts))
        return cls(game=game, hashes=dict(hashes), texts=texts, size=size)

    @cached_property
    def programs(self) -> tuple[KeptProgram, ...]:
        """The programs; raises SandboxError for texts that no run file has."""
        try:
            return tuple(map(KeptProgram.model_validate_json, self._lines()))
        except (lzma.LZMAError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise SandboxError(
                f"the programs in the run file cannot be read: {reason}; take a whole copy"
            ) from None

    def _lines(self) -> list[bytes]:
        """Unpack a line for each program, to no more than `size`; raises ValueError, LZMAError."""
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
        unpacked = unpacker.decompress(b64decode(self.texts, validate=True), self.size + 1)
        count = unpacked.count(b"\n") + 1
        if len(unpacked) != self.size or count > _MOST_PROGRAMS:
            raise ValueError(f"{len(unpacked):,} bytes of {count:,} programs, not {self.size:,}")
        lines = unpacked.split(b"\n")
        if (longest := max(map(len, lines))) > _LONGEST_LINE:
            raise ValueError(f"a program of {longest:,} bytes")
        return lines

    def joined(self, other: KeptFolder, path: str) -> KeptFolder:
        """Return the programs of both, from the folder at a path; raises SandboxError.

        It must not have changed in between, as it may where a fork names further programs.
        """
        if other.texts == self.texts:
            return self
        there = {one.number: one for one in self.programs}
        if any(one != there.get(one.number, one) for one in other.programs):
            raise SandboxError(
                f"{path} has changed since the run was made; put its new programs into a folder of "
                "their own"
            )
        both = {one.number: one for one in (*self.programs, *other.programs)}
        programs = (both[number] for number in sorted(both))
        return KeptFolder.pack(self.game, programs, self.hashes | other.hashes, path)


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
    size = sum(one.size for one in folders.values())
    _refuse_too_much([*folders], size, sum(len(one.texts) for one in folders.values()))


def _refuse_too_much(paths: Iterable[str], size: int, packed: int) -> None:
    for found, most, what in ((size, MOST_BYTES, ""), (packed, MOST_PACKED, " compressed")):
        if found > most:
            raise SandboxError(
                f"the programs of {', '.join(paths)} have {found:,}{what} bytes, and a run file "
                f"keeps at most {most:,}; choose some of them by class, author or attitude"
            )
