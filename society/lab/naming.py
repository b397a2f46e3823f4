"""What levels of a factor and conditions are called, in tables and in names of files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

Label = str | float | int | bool | None

_CODING = "coding"  # of the norms of a sweep, in the folder where each condition has a file

_LONGEST = 80  # characters of a condition's name in the name of its file


def label_of(value: Any) -> Label:
    """A level's value in a word; raises ValueError for what YAML takes for a date or worse."""
    if isinstance(value, str | float | int | bool | None):
        return value
    if isinstance(value, Mapping):
        named = value.get("model", value.get("kind"))
        if named is not None and len(value) == 1:
            return str(named)
        return " ".join(f"{key} {label_of(inner)}" for key, inner in value.items())
    if not isinstance(value, Sequence):
        raise ValueError(f"got {value}, a {type(value).__name__}; put it in quotes if it is a text")
    return " ".join(str(label_of(inner)) for inner in value)


def worded(label: Label) -> str:
    """As a person writes it; a number with all its digits, since it tells conditions apart.

    >>> worded(0.12345671), worded(2.0), worded(None), worded(True)
    ('0.12345671', '2', 'none', 'true')
    """
    if label is None or isinstance(label, bool):
        return str(label).lower()
    return repr(float(label)).removesuffix(".0") if isinstance(label, float) else str(label)


def luck(seed: int, name: str) -> int:
    """The seed of a condition that shares no luck with others."""
    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=6).digest())


def filed(name: str) -> str:
    """A condition's name as that of its run file.

    >>> filed("fine=2,lake=harsh")
    'fine=2,lake=harsh.run'
    """
    plain = re.sub(r"[^\w.,=+-]+", "-", name, flags=re.ASCII)
    if plain == name and len(name) <= _LONGEST and not name.startswith((".", "-")):
        return f"{name}.run"
    return f"{plain[:_LONGEST].strip('.-')}-{blake2b(name.encode(), digest_size=4).hexdigest()}.run"


def rated(rater: str) -> str:
    """What the coding by a rater is called; no condition is called alike."""
    return f"{_CODING}-{rater}"


def of_coding(file: str) -> bool:
    """Whether a run file is kept for a coding, also where capitals do not count.

    >>> of_coding("Coding-ann.run"), of_coding("coding.run"), of_coding("coding=2.run")
    (True, True, False)
    """
    return file.casefold().startswith((f"{_CODING}-", f"{_CODING}."))
