"""Tables as a terminal shows them, made easy to compare."""

from __future__ import annotations

import re
from collections.abc import Iterable


def without_bars(lines: Iterable[str]) -> list[str]:
    """Return lines without bars, and with single blanks for gaps."""
    return [" ".join(re.sub("[━╸█▊░]", "", line).split()) for line in lines]
