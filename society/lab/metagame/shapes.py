"""What a tensor of payoffs must look like, before anything is computed from it."""

from __future__ import annotations

import numpy as np

from society.draws import Array
from society.errors import InputError


def check_tensor(tensor: Array, *, by_seat: bool) -> tuple[int, int]:
    """How many seats and types it has; raises InputError if it is no tensor of payoffs."""
    axes = tensor.shape[1:] if by_seat else tensor.shape
    seats = len(axes)
    if not axes or len(set(axes)) > 1 or 0 in axes or (by_seat and len(tensor) != seats):
        wanted = "(n, K, ..., K), one matrix a seat" if by_seat else "(K, ..., K), one axis a seat"
        raise InputError(f"payoffs have the shape {tensor.shape}; give {wanted}")
    if not np.isfinite(tensor).all():
        raise InputError("a payoff is not finite; play or leave out the match-ups that miss one")
    return seats, axes[0]
