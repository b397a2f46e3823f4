"""Notes on rules in the donor paper's experiment, beside what is tested."""

from __future__ import annotations

from society.claims.data import SampleSpec
from society.reproduction.claim_samples import Samples


def runs_that_rise(samples: Samples, *, multiplier: float) -> str:
    """Share of runs that end richer than they began, and the means, which few runs make."""
    last, first = (
        samples.values(SampleSpec(measure=measure, levels={"multiplier": multiplier}), {})
        for measure in ("fitness", "first_fitness")
    )
    return (
        f"{(last > first).mean():.1%} of runs end richer; "
        f"arithmetic means {last.mean():.3g} and {first.mean():.3g}"
    )


def share_punished(samples: Samples) -> str:
    """Share of encounters that are punished, where they may be."""
    punished = samples.mean(SampleSpec(measure="punished", levels={"punishment": True}), {})
    return f"{punished:.1%} of encounters are punished"
