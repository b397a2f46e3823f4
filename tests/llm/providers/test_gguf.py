"""Headers of model files tell what must be known before a model is loaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from society.errors import InputError
from society.llm.providers.gguf import read_gguf

from .gguf_files import write_gguf


def test_a_header_tells_the_template_and_the_context_and_passes_over_the_vocabulary(
    tmp_path: Path,
) -> None:
    model = read_gguf(write_gguf(tmp_path / "a.gguf"))
    assert (model.chat_template, model.trained_context) == ("{{ messages }}", 8192)
    assert model.facts["tokenizer.ggml.tokens"] is None
    assert model.size == (tmp_path / "a.gguf").stat().st_size


@pytest.mark.parametrize(
    ("changes", "size"),
    [
        ({}, 2 * 100 * 30 * 3 * 2 * 64),  # bytes a number, tokens, layers, heads, K and V, width
        ({"llama_attention_head_count_kv": None}, 2 * 100 * 30 * 9 * 2 * 64),
        ({"llama_attention_head_count_kv": [3, 1]}, 2 * 100 * (3 + 1) * 2 * 64),
        ({"llama_block_count": None}, 0),
    ],
    ids=["shared heads", "heads", "by layer", "silent"],
)
def test_the_memory_of_keys_and_values_is_two_bytes_for_each_number(
    tmp_path: Path, changes: dict[str, Any], size: int
) -> None:
    assert read_gguf(write_gguf(tmp_path / "a.gguf", **changes)).cache_bytes(100) == size


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"root:x:0", r"a\.gguf is no GGUF file: it begins with b'root'"),
        (b"", r"a\.gguf is no GGUF file: it begins with b''"),
        (b"GGUF", r"a\.gguf is a GGUF file of version 0; expected 2 or 3"),
        (b"GGUF\x00\x00\x00\x03", r"version 50331648; expected 2 or 3 \(little-endian\)"),
        (b"GGUF\x03\x00\x00\x00\x07", r"the header of .*a\.gguf is broken or cut off; download"),
    ],
    ids=["text", "empty", "magic only", "big-endian", "cut"],
)
def test_what_is_no_model_file_is_said_to_be_none(
    tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "a.gguf").write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_gguf(tmp_path / "a.gguf")


def test_a_header_is_broken_wherever_it_is_cut(tmp_path: Path) -> None:
    whole = write_gguf(tmp_path / "a.gguf").read_bytes()
    for length in range(8, len(whole), 7):
        (tmp_path / "b.gguf").write_bytes(whole[:length])
        with pytest.raises(InputError, match="broken or cut off"):
            read_gguf(tmp_path / "b.gguf")


def test_a_count_that_no_file_can_hold_takes_no_time(tmp_path: Path) -> None:
    huge = b"\xff" * 8
    (tmp_path / "a.gguf").write_bytes(b"GGUF\x03\x00\x00\x00" + huge + huge + huge)
    with pytest.raises(InputError, match="broken or cut off"):
        read_gguf(tmp_path / "a.gguf")


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*none\.gguf; name a GGUF file"):
        read_gguf(tmp_path / "none.gguf")
    with pytest.raises(InputError, match="is no file; name a GGUF file"):
        read_gguf(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes in folders")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.gguf")
    with pytest.raises(InputError, match=r"a\.gguf is no file; name a GGUF file"):
        read_gguf(tmp_path / "a.gguf")
