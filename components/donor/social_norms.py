"""Social norms: who is good, by what it did to whom; and to whom the good and the bad give.

An assessment d(donor, recipient, deed) says how a deed makes its donor look to somebody who thought
good (G) or bad (B) of the two before; an action rule p(own, recipient) says whether one gives (C)
or not (D), by what one thinks of oneself and of the recipient. Written as

    d(GG C) d(GB C) d(BG C) d(BB C)   d(GG D) d(GB D) d(BG D) d(BB D)   p(GG) p(GB) p(BG) p(BB)

L1 to L8 are the leading eight, the norms with two standings under which cooperation is an ESS (L1
is also called standing, L2 consistent standing, L3 simple standing, L6 stern judging, L7 staying,
L8 judging). Image scoring looks at the deed alone. `always` and `never` act on no opinion.
Source: Ohtsuki and Iwasa 2004 and 2006, J. Theor. Biol. 231 and 239 (numbers as in Hilbe et al.
2018, PNAS 115); Nowak and Sigmund 1998, Nature 393.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from society.engine.rng import Array

LeadingEight = Literal["L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8"]
Norm = Literal[LeadingEight, "image_scoring", "always", "never"]
NORMS: tuple[Norm, ...] = get_args(Norm)
LEADING_EIGHT: tuple[LeadingEight, ...] = get_args(LeadingEight)

RULES: dict[Norm, str] = {
    "L1": "GGGG BGBB CDCC",
    "L2": "GBGG BGBB CDCC",
    "L3": "GGGG BGBG CDCD",
    "L4": "GGGB BGBG CDCD",
    "L5": "GBGG BGBG CDCD",
    "L6": "GBGB BGBG CDCD",
    "L7": "GGGB BGBB CDCD",
    "L8": "GBGB BGBB CDCD",
    "image_scoring": "GGGG BBBB CDCD",
    "always": "GGGG BBBB CCCC",
    "never": "GGGG BBBB DDDD",
}


class Tables(NamedTuple):
    """All norms in the order of NORMS: verdicts, (L, 8), and actions, (L, 4), each of bool."""

    good: Array
    gives: Array


def _tables() -> Tables:
    rows = [[*RULES[norm].replace(" ", "")] for norm in NORMS]
    letters = np.array(rows)
    return Tables(letters[:, :8] == "G", letters[:, 8:] == "C")


_TABLES = _tables()


def verdict(norm: Array, donor: Array, recipient: Array, gave: Array) -> Array:
    """Tell whether a deed makes its donor look good; arrays of one shape, or spread to one.

    norm: index into NORMS. donor, recipient: whether they were good before. gave: the deed.
    """
    column = 4 * ~gave + 2 * ~donor + ~recipient
    good: Array = _TABLES.good.reshape(-1).take(8 * norm.astype(np.int64) + column)
    return good


def gives(norm: Array, own: Array, recipient: Array) -> Array:
    """Tell who gives, by its opinions of itself and of the recipient."""
    acts: Array = _TABLES.gives[norm, 2 * ~own + ~recipient]
    return acts
