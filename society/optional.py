"""Optional libraries, imported when they are first used."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import MissingLibraryError


def require(module: str, extra: str = "lab") -> Any:
    """Import a module of an extra; raises MissingLibraryError with the line that installs it.

    >>> require("scipy.stats").norm.cdf(0)
    np.float64(0.5)
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        # A library that is there but misses a part of its own is broken, and says so itself.
        if missing == module.partition(".")[0] and error.name != missing:
            raise
        raise MissingLibraryError(
            f"{missing} is not installed; in the folder of society, type: "
            f"pip install -e '.[{extra}]'"
        ) from None
