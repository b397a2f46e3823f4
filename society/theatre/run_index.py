"""The index of a run: its series and marks, kept in a file beside the run file.

    seal (32) + key (32) + size of the head (uint32, little-endian) + zlib of head (JSON) and arrays

The key is a hash of the run's digest, the size of its file, its rounds and all of its manifest that
series and marks depend on. An index whose seal or key differs is damaged, stale or that of another
run: it is passed over and made anew. The seal finds damage; it is no signature. There is no index
of a run that may still grow, and none of a small file, which is gathered at once.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import get_ident

import numpy as np
from xxhash import xxh3_128_hexdigest

from society.engine.rng import Array
from society.llm.stored_database import load_json
from society.runs.runfile import Manifest, RunFile
from society.runs.schema import side_file

from .gathering import MARK_FIELDS, Gathered, Gathering

SUFFIX = "-index"
_FORMAT = 2  # to be raised whenever series or marks come out differently
_LEAST, _MOST = 2**18, 2**28  # bytes of a run file that gets an index, and of an index
_HASH = 32
_HEAD = struct.Struct("<I")

Paths = list[tuple[int, ...]]


def read_index(run: RunFile) -> tuple[Gathering, Paths] | None:
    """Read the series, marks and paths of a run from its index; None without a fitting one."""
    key = _key(run)
    for file in _places(run) if key else ():
        with suppress(OSError, ValueError, TypeError, LookupError, zlib.error, struct.error):
            if file.is_file() and file.stat().st_size <= _MOST:
                return _unpack(file.read_bytes(), key, run.manifest, run.rounds + 1)
    return None


def keep_index(run: RunFile, gathered: Gathering, last: int) -> None:
    """Write the index of a run of `last` rounds, if it is worth one, and where that is possible.

    What cannot be kept is gathered again the next time.
    """
    key = _key(run)
    if not key or run.rounds != last:
        return
    data = _pack(key, gathered.gathered(), run.paths())
    for file in _places(run):
        with suppress(OSError):
            _write(file, data)
            return


def _key(run: RunFile) -> str:
    """Return what an index of this run must say; "" if the run has none."""
    standing, manifest = run.standing, run.manifest
    size, wal = run.path.stat().st_size, side_file(run.path, "-wal")
    if standing.digest is None or standing.process is not None or size < _LEAST:
        return ""
    if wal.exists() and wal.stat().st_size:
        return ""
    shown = manifest.stage, manifest.measures, manifest.columns, manifest.cohorts, manifest.seating
    sizes = size, run.rounds, manifest.agents, manifest.replicates, manifest.level
    return _hash(repr((_FORMAT, standing.digest, sizes, shown, manifest.facts)).encode())


def _places(run: RunFile) -> Iterator[Path]:
    """Yield where an index may be: beside the run file, or in the user's cache."""
    yield side_file(run.path, SUFFIX)
    with suppress(RuntimeError):  # of a user without a home
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        yield Path(cache, "society", f"{_hash(os.fsencode(run.path.resolve()))}.run{SUFFIX}")


def _write(file: Path, data: bytes) -> None:
    """Write a file all at once, in place of what was there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}-{get_ident()}")
    try:
        draft.write_bytes(data)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _hash(data: bytes) -> str:
    return xxh3_128_hexdigest(data)


def _pack(key: str, found: Gathered, paths: Paths) -> bytes:
    arrays, layout = list[Array](), dict[str, list[str]]()
    for series in ("common", "measures", "own"):
        named: Mapping[str, Array] = getattr(found, series)
        layout[series] = [*named]
        arrays += named.values()
    head = {
        **layout,
        "marks": len(found.marks),
        "lanes": found.lanes,
        "words": found.words,
        "paths": [".".join(map(str, path)) for path in paths],
    }
    words = json.dumps(head).encode()
    packer = zlib.compressobj(1)
    packed = [packer.compress(words)]
    for one in (*arrays, found.marks):  # one by one, so that few bytes are there twice
        little = np.ascontiguousarray(one, one.dtype.newbyteorder("<"))
        packed.append(packer.compress(little.data.cast("B") if little.size else b""))
    rest = b"".join([key.encode(), _HEAD.pack(len(words)), *packed, packer.flush()])
    return _hash(rest).encode() + rest


def _unpack(data: bytes, key: str, manifest: Manifest, rounds: int) -> tuple[Gathering, Paths]:
    """Read an index; raises ValueError and the like if it is not the one of this run."""
    if data[_HASH : 2 * _HASH] != key.encode() or _hash(data[_HASH:]).encode() != data[:_HASH]:
        raise ValueError("it is stale, foreign or damaged")
    (size,) = _HEAD.unpack_from(data, 2 * _HASH)
    stream = zlib.decompressobj()
    data = stream.decompress(data[2 * _HASH + _HEAD.size :], _MOST)
    head, at = load_json(data[:size]), size

    def taken(shape: tuple[int, ...], dtype: str) -> Array:
        nonlocal at
        count = math.prod(shape)
        values: Array = np.frombuffer(data, dtype, count, at).reshape(shape)
        at += values.nbytes
        return values

    whole = manifest.replicates, rounds
    common = {str(name): taken(whole, "<f8") for name in head["common"]}
    measures = {str(name): taken(whole, "<f8") for name in head["measures"]}
    own = {str(name): taken((*whole, manifest.agents), "<f8") for name in head["own"]}
    marks = taken((head["marks"], len(MARK_FIELDS)), "<i4")
    lanes, words = [*map(str, head["lanes"])], [*map(str, head["words"])]
    most = [rounds, manifest.replicates, len(lanes), manifest.agents, 2**31 - 1, len(words)]
    if at != len(data) or (marks < [0, 0, 0, -1, 0, 0]).any() or (marks >= most).any():
        raise ValueError("it says what no run can say")
    paths = [tuple(int(part) for part in path.split(".") if part) for path in head["paths"]]
    if len(paths) != rounds:
        raise ValueError(f"it has the paths of {len(paths)} rounds")
    found = Gathered(common, measures, own, marks, lanes, words)
    return Gathering.restored(manifest, found, rounds), paths
