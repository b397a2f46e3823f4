"""Papers that are reproduced, each in a folder of its own.

INDEX gives the folder by the name that `society reproduce` uses.
"""

from __future__ import annotations

INDEX = {
    "dilemmas": "tewolde2026",
    "donor": "vallinder2024",
    "strategies": "willis2026",
    "village": "gupta2026",
}
