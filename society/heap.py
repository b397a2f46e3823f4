"""Memory that a run has freed stays with the process, for the arrays of its next line.

A batch makes and drops some megabytes with every line. By default the C library of Linux hands them
back to the system each time, which has to find and clear them again: in large batches of small
rules that took a third of all time. Elsewhere nothing is changed.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_TRIM, _OWN_PAGES = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of <malloc.h>


@cache
def keep_freed(at_most: int = 2**28, arrays_up_to: int = 2**25) -> bool:
    """Keep so many bytes at hand, of arrays of so many bytes; says whether it could be done."""
    if sys.platform != "linux":
        return False
    try:
        choose = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return bool(choose(_OWN_PAGES, arrays_up_to) and choose(_TRIM, at_most))
