"""The public face: everything is found in one place, and costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys

import society.analysis.statistics as face

IMPORTED = """
import sys
import society.analysis.statistics
heavy = {"scipy", "statsmodels", "pandas"}
print("heavy:", *sorted(heavy & {name.split(".")[0] for name in sys.modules}))
"""


def test_the_first_lines_name_every_function() -> None:
    documented = (face.__doc__ or "").replace(",", " ").split()
    functions = [name for name in face.__all__ if name.islower()]
    assert [name for name in functions if name not in documented] == []


def test_libraries_are_imported_when_they_are_used() -> None:
    words = [sys.executable, "-c", IMPORTED]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "heavy:"
