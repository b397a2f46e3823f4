"""Writings that are runs: played into their run file, or continued where they stopped."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .runs import given_settings, print_awaiting, watch_run

if TYPE_CHECKING:
    from society.config.build import Society
    from society.config.run_config import RunConfig
    from society.runs.session import End


def record_writing(
    args: argparse.Namespace,
    spec: RunConfig,
    path: Path,
    before: Callable[[Society], None] = lambda setup: None,
) -> End:
    """Play a writing into its run file, from where it stands.

    before: called before a new one begins. Raises InputError if another writing is recorded there.
    """
    from society.config.build import build
    from society.config.run_config import override
    from society.runs.play import play, resume
    from society.runs.provenance import is_unfinished
    from society.runs.session import End

    setup = build(spec)
    if not path.exists():
        before(setup)
        watch = watch_run(args, begun=True)
        return play(setup, path, "full", watch=watch, awaiting=print_awaiting, conclude=False)
    if not is_unfinished(path, setup):
        return End("finished")
    return resume(
        path,
        lambda spec: override(spec, given_settings(args)),
        watch_run(args),
        print_awaiting,
        conclude=False,
    )
