"""What files of tables and figures are called after games and mechanisms."""

from __future__ import annotations

import re


def filed(name: str) -> str:
    """A name as part of that of a file, and of an id in the page.

    >>> filed("public goods (players = 7)")
    'public_goods_players_7'
    """
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
