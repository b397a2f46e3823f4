"""A note on the village paper's Fig. 3: how often a stronger fine lets villages last longer."""

from __future__ import annotations

import numpy as np

from society.claims.data import SampleSpec
from society.reproduction.claim_samples import Samples


def rising_steps(samples: Samples, *, trial: str) -> str:
    """Count the steps from one fine to the next that raise the mean, over all growths."""
    levels = samples.evidence.levels(trial)
    means = [
        [
            samples.mean(SampleSpec(trial=trial, levels={"fine": fine, "growth": growth}), {})
            for fine in levels["fine"]
        ]
        for growth in levels["growth"]
    ]
    rising = np.diff(means, axis=1) > 0
    return f"{rising.sum()} of {rising.size} steps of the fine raise the mean, over all growths"
