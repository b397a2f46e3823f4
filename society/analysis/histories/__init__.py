"""Histories of runs beside each other, and what came of them: where they part, and why they ended.

first_difference, compare       two runs: the first line that differs; inputs, ends, measures
explain                         one run: the post-mortem that its scenario declares
"""

from __future__ import annotations

from .comparison import RunComparison, compare
from .explanation import Explanation, explain
from .first_difference import FirstDifference, first_difference

__all__ = [
    "Explanation",
    "FirstDifference",
    "RunComparison",
    "compare",
    "explain",
    "first_difference",
]
