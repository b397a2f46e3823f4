"""The program's own files as syntax trees, each parsed once: tests of one worker look at them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ONE_WORKER = pytest.mark.xdist_group("sources")


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))
