"""Small GGUF files for tests: a header as that of a model, and no model behind it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

HEADER: dict[str, Any] = {
    "general.architecture": "llama",
    "tokenizer.ggml.tokens": ["a", "bc"],
    "llama.block_count": 30,
    "llama.context_length": 8192,
    "llama.embedding_length": 576,
    "llama.attention.head_count": 9,
    "llama.attention.head_count_kv": 3,
    "tokenizer.chat_template": "{{ messages }}",
}


def write_gguf(file: Path, version: int = 3, **changes: Any) -> Path:
    """Write a header; changes: of its entries, with _ for the dots of a name, None: without it."""
    entries = {key: changes.get(key.replace(".", "_"), value) for key, value in HEADER.items()}
    entries = {key: value for key, value in entries.items() if value is not None}
    body = b"".join(_text(key) + _value(value) for key, value in entries.items())
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + body)
    return file


def _text(words: str) -> bytes:
    return struct.pack("<Q", len(words.encode())) + words.encode()


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        strings = isinstance(value[0], str)
        parts = [_text(one) if strings else struct.pack("<I", one) for one in value]
        return struct.pack("<IIQ", 9, 8 if strings else 4, len(value)) + b"".join(parts)
    return struct.pack("<II", 4, value)
