"""An audit as a tidy frame, and as the rows of a table for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from society.analysis.findings.wording import format_p
from society.analysis.study.frames import (
    FrameColumn,
    data_frame,
    nullable_flags,
    nullable_integers,
    strings,
)

from .arms import UNPERTURBED
from .audit import AuditResults, size_in_words
from .effects import AuditedConclusion, EstimatedEffect, PerturbedEffect

Arm = tuple[AuditedConclusion, PerturbedEffect | None]


def audit_frame(found: AuditResults) -> Any:
    """Make one row for each conclusion and perturbation, "none" for what is not perturbed."""
    arms, unit = [*_arms(found)], found.unit
    texts = {
        "conclusion": [one.title for one, _ in arms],
        "first": [one.first for one, _ in arms],
        "second": [one.second for one, _ in arms],
        "perturbation": [each.perturbation if each else UNPERTURBED for _, each in arms],
    }
    effects = [each.effect if each else one.effect for one, each in arms]
    changes = [each.change if each else None for _, each in arms]
    shares = [each.flips if each else None for _, each in arms]
    numbers = {
        "effect": ([one.mean for one in effects], unit),
        "effect_low": ([_end(one, 0) for one in effects], unit),
        "effect_high": ([_end(one, 1) for one in effects], unit),
        "change": ([one.mean if one else np.nan for one in changes], unit),
        "change_low": ([_end(one, 0) for one in changes], unit),
        "change_high": ([_end(one, 1) for one in changes], unit),
        "p_holm": ([each.p if each else np.nan for _, each in arms], "p"),
        "flip_share": ([one.share if one else np.nan for one in shares], "share of sets"),
        "flip_low": ([one.interval.low if one else np.nan for one in shares], "share of sets"),
        "flip_high": ([one.interval.high if one else np.nan for one in shares], "share of sets"),
    }
    changed = np.array([each.changed if each else None for _, each in arms], dtype=object)
    frame = data_frame(
        {
            **{name: FrameColumn(strings(values), "words") for name, values in texts.items()},
            **{
                name: FrameColumn(np.array(one), of, _TEXTS[name])
                for name, (one, of) in numbers.items()
            },
            "changed": FrameColumn(nullable_flags(changed), "yes or no", _TEXTS["changed"]),
            "flips": FrameColumn(
                nullable_integers([one.count if one else None for one in shares]), "sets"
            ),
            "sets": FrameColumn(
                nullable_integers([one.n if one else None for one in shares]), "sets"
            ),
        }
    )
    frame.attrs["outcome"] = found.outcome
    return frame


_TEXTS = {
    "effect": "outcome of the second condition less that of the first",
    "effect_low": "lower end of the 95 % interval of the effect",
    "effect_high": "upper end of the 95 % interval of the effect",
    "change": "effect under the perturbation less the effect without it",
    "change_low": "lower end of the 95 % interval of the change",
    "change_high": "upper end of the 95 % interval of the change",
    "p_holm": "of the change, two-sided, adjusted over all changes of the audit",
    "flip_share": "share of sets of runs in which the direction of the effect differs",
    "flip_low": "lower end of Wilson's 95 % interval of the share",
    "flip_high": "upper end of Wilson's 95 % interval of the share",
    "changed": "whether p_holm is below 5 %",
}


def audit_rows(found: AuditResults) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of a table in words."""
    unit = f", {found.unit}" if found.unit else ""
    head = ["conclusion", "perturbation", f"effect{unit}", f"change{unit}", "p (Holm)", "flips"]
    rows = []
    for one, each in _arms(found):
        row = [one.title, UNPERTURBED, size_in_words(one.effect, signed=True), "", "", ""]
        if each is not None:
            row = [
                one.title,
                each.perturbation,
                size_in_words(each.effect, signed=True),
                size_in_words(each.change, signed=True),
                format_p(each.p),
                f"{each.flips.count} of {each.flips.n} sets",
            ]
        rows.append(row)
    return head, rows


def _arms(found: AuditResults) -> Iterator[Arm]:
    """Yield each conclusion as it is, then under each perturbation."""
    for one in found.conclusions:
        yield one, None
        yield from ((one, each) for each in one.perturbed)


def _end(effect: EstimatedEffect | None, place: int) -> float:
    """Return the lower or upper end of an interval, NaN where there is none."""
    if effect is None or effect.interval is None:
        return float("nan")
    return effect.interval[:2][place]
