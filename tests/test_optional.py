"""A library of an extra that is missing is said in one way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder

import pytest

from society.errors import InputError
from society.optional import require


class Missing(MetaPathFinder):
    """A finder that makes a library seem not installed."""

    def __init__(self, library: str) -> None:
        self.library = library

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        if name.partition(".")[0] == self.library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize(
    ("library", "module"), [("scipy", "statsmodels.api"), ("pandas", "pandas")]
)
def test_what_is_missing_is_named_with_the_line_that_installs_it(
    library: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if another library of the extra needs it."""
    for name in list(sys.modules):
        if name.partition(".")[0] in ("scipy", "pandas", "statsmodels"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(library), *sys.meta_path])
    words = (
        rf"{library} is not installed; in the folder of society, type: pip install -e '.\[lab\]'"
    )
    with pytest.raises(InputError, match=words):
        require(module)


def test_a_library_that_is_there_but_broken_says_so_itself() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"society\.no_such_part"):
        require("society.no_such_part")
