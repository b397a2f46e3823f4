"""Changes since a run was made that may explain why it gives another result now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from society.config.build import Society
from society.errors import short_path

from .manifest import Manifest, library_versions


def list_changes(manifest: Manifest, setup: Society | None = None) -> str:
    """List the changes in words, to follow a sentence; empty if nothing has changed.

    setup: the same run built now, if possible.
    """
    found = list(_values("", manifest.versions, library_versions()))
    if setup is not None:
        found += _values("parameter ", manifest.params, setup.params.model_dump(mode="json"))
        if manifest.prompts:
            found += _files("prompt ", manifest.prompts, setup.words.hashes())
    now = {name: _hash(Path(name)) for name in manifest.files}
    files = {short_path(name): digest for name, digest in manifest.files.items()}
    found += _files("", files, {short_path(name): hashed for name, hashed in now.items()})
    return f"; changed since: {', '.join(found)}" if found else ""


def _values(sort: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name, value in now.items():
        if before.get(name) != value:
            yield f"{sort}{name} was {before.get(name)}, now {value}"


def _files(sort: str, before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({**before, **now}):
        if not now.get(name):
            yield f"{sort}{name} is missing"
        elif name not in before:
            yield f"{sort}{name} is new"
        elif before[name] != now[name]:
            yield f"{sort}{name} has changed"


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
