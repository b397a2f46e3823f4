"""Headers of GGUF files: the facts about a model that decide whether it can be asked here.

magic "GGUF", version, counts of tensors and of entries; then each entry: name, type, value
Source: GGUF specification, ggml-org/ggml, docs/gguf.md, versions 2 and 3 (little-endian).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from society.errors import FileError, InputError, short_path

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
# Formats of numbers by their type, as module struct writes them.
_NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
_MOST_NUMBERS = 1_000  # of an array that is kept: one for each layer; vocabularies have more
_HALF_FLOAT = 2  # bytes of a number in the cache of keys and values


class Gguf(NamedTuple):
    """A model file. size: bytes. facts: its entries by name, without the vocabulary."""

    file: Path
    size: int
    facts: Mapping[str, Any]

    @property
    def trained_context(self) -> int | None:
        """The longest context, in tokens, that the model was trained with; None if not said."""
        return self._number("context_length")

    @property
    def chat_template(self) -> str:
        """The template that turns messages into a prompt; "" if there is none."""
        found = self.facts.get("tokenizer.chat_template", "")
        return found if isinstance(found, str) else ""

    def cache_bytes(self, tokens: int) -> int:
        """Return the bytes that keys and values of so many tokens take; 0 if the file is silent."""
        layers, heads = self._number("block_count"), self._number("attention.head_count")
        width = self._number("embedding_length")
        if not (layers and heads and width):
            return 0
        shared = self.facts.get(self._name("attention.head_count_kv"), heads)
        of_layers = sum(shared) if isinstance(shared, list) else layers * shared
        key = self._number("attention.key_length") or width // heads
        value = self._number("attention.value_length") or width // heads
        return int(_HALF_FLOAT * tokens * of_layers * (key + value))

    def _name(self, name: str) -> str:
        return f"{self.facts.get('general.architecture')}.{name}"

    def _number(self, name: str) -> int | None:
        found = self.facts.get(self._name(name))
        return found if isinstance(found, int) and found > 0 else None


def read_gguf(file: Path) -> Gguf:
    """Read the header of a model file; raises InputError."""
    name = short_path(file)
    try:
        if file.exists() and not file.is_file():  # to open a pipe could wait for ever
            raise InputError(f"{name} is no file; name a GGUF file: local:FILE.gguf")
        with file.open("rb") as opened:
            start = opened.read(8)
            if start[:4] != _MAGIC:
                raise InputError(
                    f"{name} is no GGUF file: it begins with {start[:4]!r}; local models are "
                    "files in the format of llama.cpp, which end in .gguf"
                )
            [version] = struct.unpack("<I", start[4:]) if len(start) == 8 else [0]
            if version not in _VERSIONS:
                raise InputError(
                    f"{name} is a GGUF file of version {version}; expected 2 or 3 (little-endian)"
                )
            with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return Gguf(file, len(content), _Header(content).facts())
    except FileNotFoundError:
        raise FileError(f"there is no file {name}; name a GGUF file: local:FILE.gguf") from None
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror}; name a GGUF file") from None
    except (struct.error, ValueError, KeyError):
        raise InputError(f"the header of {name} is broken or cut off; download it again") from None


class _Header:
    """A header that is read from front to back."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content, self._at = content, len(_MAGIC) + 4

    def facts(self) -> dict[str, Any]:
        _tensors, count = self._take("Q"), self._take("Q")
        return {self._text(): self._value(self._take("I")) for _ in range(count)}

    def _take(self, code: str) -> Any:
        [value] = struct.unpack_from(f"<{code}", self._content, self._at)
        self._at += struct.calcsize(f"<{code}")
        return value

    def _skip(self, length: int) -> int:
        """Pass over so many bytes, and return where they began."""
        start, self._at = self._at, self._at + length
        if self._at > len(self._content):
            raise ValueError("the file ends before its header does")
        return start

    def _text(self) -> str:
        start = self._skip(self._take("Q"))
        return self._content[start : self._at].decode(errors="replace")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._take(_NUMBERS[kind])
        inner, count = self._take("I"), self._take("Q")
        if inner == _STRING:
            for _ in range(count):
                self._skip(self._take("Q"))
            return None
        if inner == _ARRAY:
            raise ValueError("an array of arrays")
        code = _NUMBERS[inner]
        start = self._skip(count * struct.calcsize(f"<{code}"))
        if count > _MOST_NUMBERS:
            return None
        return list(struct.unpack_from(f"<{count}{code}", self._content, start))
