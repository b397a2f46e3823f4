"""The files that a run file names, found again after the run file has moved with them.

A manifest has the absolute paths of its user's files and the folder where the run file was made. In
another folder, each is looked up at the same place relative to the run file; the old absolute path
is the last resort, and only for a file that still has the recorded hash.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from society.errors import FileError

from .manifest import Manifest
from .trust import hash_file

_BEFORE_PATHS = ("tape:", "local:")  # of models that are files
_UP = 3  # folders above that of the run file in which its files still count as near


def named_paths(manifest: Manifest) -> dict[str, str]:
    """Return the absolute paths in a manifest with the hashes of their content, "" if unknown."""
    specs = [manifest.spec, *(note.spec for note in manifest.forks)]
    named = [*map(_without_designs, specs), *(note.cohorts for note in manifest.forks)]
    found = {_split(text)[1]: "" for text in _texts(named)}
    # Folders of strategies and tables of people are not looked for: the run file has what it needs.
    kept = manifest.programs.keys() | manifest.tables
    paths = (path for path in found if Path(path).is_absolute() and path not in kept)
    return dict.fromkeys(paths, "") | dict(manifest.files)


def with_folder(manifest: Manifest, run: Path) -> Manifest:
    """Note the folder of the run file in a manifest that names files."""
    if not named_paths(manifest):
        return manifest
    return manifest.model_copy(update={"folder": str(run.resolve().parent)})


def find_moved_files(manifest: Manifest, run: Path, files: Path | None = None) -> Manifest:
    """Return the manifest with the present paths of the files of the run.

    files: a folder in which they are looked up first, by as much of their paths as is there.
    Raises FileError if there is none.
    """
    if files is not None and not files.is_dir():
        raise FileError(f"there is no folder {files}; name the one that holds the files of the run")
    here = run.resolve().parent
    if files is None and manifest.folder == str(here):
        return manifest
    moved = {}
    for old, hashed in named_paths(manifest).items():
        new = _find(old, hashed, manifest.folder, here, files and files.resolve())
        if new != old:
            moved[old] = new
    if not moved:
        return manifest

    def replaced(spec: Mapping[str, Any]) -> dict[str, Any]:
        return {**spec, **_replace_paths(_without_designs(spec), moved)}

    forks = [
        note.model_copy(
            update={
                "spec": replaced(note.spec),
                "cohorts": tuple(_replace_paths(note.cohorts, moved)),
            }
        )
        for note in manifest.forks
    ]
    return manifest.model_copy(
        update={
            "spec": replaced(manifest.spec),
            "forks": tuple(forks),
            "files": {moved.get(path, path): one for path, one in manifest.files.items()},
        }
    )


def _without_designs(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a spec in which users name files; designs are made by models."""
    return {key: value for key, value in spec.items() if key != "drafts"}


def _find(old: str, hashed: str, folder: str, here: Path, files: Path | None) -> str:
    near = [path for path in _candidates(old, folder, here, files) if _exists(path)]
    if files is not None and near and Path(near[0]).is_relative_to(files):
        # Whoever names the folder means the file in it, edited or not.
        inside = [path for path in near if Path(path).is_relative_to(files)]
        return next((path for path in inside if hash_file(path) == hashed), inside[0])
    if not hashed:
        return near[0] if near else old
    for path in (*near, old):
        if hash_file(path) == hashed:
            return path
    if near:
        return near[0]
    # A file of that name in the old place is not the one that was meant, if the run has moved.
    beside = _beside(old, folder, here) if folder and folder != str(here) else None
    return beside or old


def _candidates(old: str, folder: str, here: Path, files: Path | None) -> Iterator[str]:
    ends = [PurePath(*PurePath(old).parts[start:]) for start in range(1, len(PurePath(old).parts))]
    if files is not None:
        yield from (str(files / end) for end in ends)
    if folder:
        if (path := _beside(old, folder, here)) is not None:
            yield path
    else:  # before format 3
        yield from (str(base / end) for base in (here, here.parent) for end in ends)


def _beside(old: str, folder: str, here: Path) -> str | None:
    """Return the place of a file relative to the run file; None if it was far from it."""
    try:
        way = os.path.relpath(old, folder)
    except ValueError:  # on another drive
        return None
    up = PurePath(way).parts.count(os.pardir)
    return None if up > _UP or up >= len(PurePath(old).parts) else os.path.normpath(here / way)


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _split(text: str) -> tuple[str, str, str]:
    """Split a text that may name a file: tape:, local: or nothing, the path, :NAME or nothing.

    >>> _split("/a/b.py:mind"), _split("tape:/a.run")
    (('', '/a/b.py', ':mind'), ('tape:', '/a.run', ''))
    """
    kind = next(filter(text.startswith, _BEFORE_PATHS), "")
    path, mark, name = text.removeprefix(kind).rpartition(".py:")
    return (kind, f"{path}.py", f":{name}") if mark else (kind, text.removeprefix(kind), "")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _replace_paths(value: Any, moved: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        kind, path, name = _split(value)
        return f"{kind}{moved[path]}{name}" if path in moved else value
    if isinstance(value, Mapping):
        return {key: _replace_paths(one, moved) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_paths(one, moved) for one in value]
    return value
