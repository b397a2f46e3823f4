"""The match of a run file and a society: their configurations, and all that has changed since."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from society.config.build import Society
from society.config.run_config import RunConfig
from society.errors import InputError, RunFileError, short_path
from society.former_names import RENAMED
from society.llm.providers.settings import Limits, ModelSpec

from .manifest import Manifest, library_versions
from .reader import open_run_file
from .schema import SIDES, Header, Status, side_file
from .trust import hash_file

BOUNDS = ("concurrency", "requests_per_minute", "tokens_per_minute")  # of a model
_SHOWN = 3  # prompts that are named
REACH = ("api_base", "timeout", "attempts", "backoff", "deadline", *BOUNDS)


def config_hash(spec: RunConfig) -> str:
    """Hash what decides how a run comes out, as a SHA-256.

    Left out are how models are reached, what may be spent, and what an earlier run has made, which
    follows from the rest.
    """
    usual = ModelSpec()
    reach = {name: getattr(usual, name) for name in REACH}
    models = {name: model.model_copy(update=reach) for name, model in spec.models.items()}
    bare = spec.model_copy(update={"limits": Limits(), "models": models})
    said = bare.model_dump(mode="json", exclude={"drafts", "batch"})
    if said["option_order"] == RunConfig.model_fields["option_order"].default:
        del said["option_order"]  # the hashes of rules' runs are those from before there was one
    for name in ("share_identical", "perturbation", "embedder"):
        if not said[name]:
            del said[name]
    now = RENAMED["mechanism"]
    said["mechanisms"] = [
        {now.get(name, name): given for name, given in part.items()} for part in said["mechanisms"]
    ]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def run_file_statuses(
    files: Iterable[tuple[Path, Society]], *, overwrite: bool = False
) -> dict[Path, Status]:
    """Find the status of each file that holds a run of its society; raises RunFileError.

    Runs of other societies are refused, or removed by `overwrite`, and so are damaged ones;
    `overwrite` also removes what was made with other code.
    """
    found, others = dict[Path, Status](), list[Path]()
    for file, setup in files:
        if file.exists():
            status = _status(file, setup, overwrite)
            if status is None:
                others.append(file)
            else:
                found[file] = status
    if others and not overwrite:
        raise RunFileError(
            f"{name_runs([short_path(file) for file in others])} played from another experiment "
            "than the one given now; name another --out, or replace such runs by --overwrite"
        )
    for file in others:
        for suffix in ("", *SIDES):
            side_file(file, suffix).unlink(missing_ok=True)
    return found


def _status(file: Path, setup: Society, overwrite: bool) -> Status | None:
    """Return the status of the run in a file; None if it is to be played anew."""
    try:
        with open_run_file(file) as run:
            status, manifest = run.status, run.manifest
            deque(run.records(), 0)  # raises if it is damaged anywhere
    except RunFileError as error:
        if overwrite and Header.of(file).ours:
            return None
        raise RunFileError(f"{error}; --overwrite plays it again") from error
    if status == "running":
        raise RunFileError(f"{short_path(file)} is being written right now; wait for that sweep")
    same = config_hash(manifest.config) == config_hash(setup.spec)
    if overwrite and list_changes(manifest, setup):
        return None
    return status if same else None


def name_runs(names: Sequence[str]) -> str:
    """Name some runs as the subject of a sentence.

    >>> name_runs(["a"]), name_runs(["a", "b", "c"])
    ('a was', 'a and 2 more were')
    """
    return f"{names[0]} was" if len(names) == 1 else f"{names[0]} and {len(names) - 1} more were"


def list_changes(manifest: Manifest, setup: Society | None = None) -> str:
    """List the changes in words, to follow a sentence; empty if nothing has changed.

    setup: the same run built now, if possible.
    """
    found = list(_values("", manifest.versions, _versions_now(manifest.versions)))
    if setup is not None:
        before = {**manifest.params, **manifest.former_parameters}
        found += _values("parameter ", before, setup.params.model_dump(mode="json"))
        if manifest.prompts:
            prompts = [*_files("prompt ", manifest.prompts, setup.words.hashes())]
            found += prompts[:_SHOWN]
            if len(prompts) > _SHOWN:
                found.append(f"{len(prompts) - _SHOWN} more of the prompts")
    found += _file_changes(manifest.files)
    found += _strategy_changes(manifest)
    changed = _file_changes(manifest.table_hashes)
    found += [f"{words} (the run keeps its people)" for words in changed]
    return f"; changed since: {', '.join(found)}" if found else ""


def _versions_now(names: Iterable[str]) -> dict[str, str]:
    """The versions of libraries here and now, and those of the packages that a run names."""
    found = library_versions()
    for name in names:
        if name not in found:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                found[name] = "not installed"
    return found


def _file_changes(files: Mapping[str, str]) -> list[str]:
    """List the files, by path with their hashes, that are others now, or gone."""
    before = {short_path(name): digest for name, digest in files.items()}
    return [*_files("", before, {short_path(name): hash_file(name) for name in files})]


def _strategy_changes(manifest: Manifest) -> Iterator[str]:
    """Yield how folders of strategies differ from what the run file has of them, and plays."""
    for path, folder in manifest.programs.items():
        files = {str(Path(path, name)): digest for name, digest in folder.hashes.items()}
        changed = _file_changes(files)
        if len(changed) > 1:
            yield f"{len(changed)} files of {short_path(path)} have changed or are missing"
        else:
            yield from changed


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


def is_unfinished(path: Path, setup: Society) -> bool:
    """Tell if a run is to go on; raises InputError if another writing is recorded there."""
    with open_run_file(path) as run:
        if config_hash(run.manifest.config) != config_hash(setup.spec):
            raise InputError(
                f"{short_path(path)} records another writing than the one asked for now; repeat "
                "its command to go on with it, or name another --out"
            )
        return run.status != "finished"
