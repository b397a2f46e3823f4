"""Words, units and labels of facts, public columns, answers and parameters: declared once.

They belong to names and not to values, so that the arrays of a run, and its digest, do not know
them: `@scenario(facts={"flow": FactSpec("Water in the canal", unit="litres a second")})`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .rng import Array

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


@dataclass(frozen=True)
class FactSpec:
    """The words, unit and labels of a fact, a public column or an answer, wherever it is shown.

    text: a noun phrase, without a full stop. unit: of its numbers. labels: what whole numbers
    stand for, in order from 0. private: for rules only; default prompts do not show it.
    """

    text: str = ""
    unit: str = ""
    labels: tuple[str, ...] = ()
    private: bool = False

    def label(self, value: object) -> str:
        """Return the label that a whole number stands for; "" if it has none.

        >>> FactSpec(labels=("closed", "open")).label(1)
        'open'
        """
        if not isinstance(value, bool | int | float | np.bool_ | np.number):
            return ""
        # NaN is no whole number, and so has no label.
        whole = int(value) if float(value).is_integer() else -1
        return self.labels[whole] if 0 <= whole < len(self.labels) else ""

    def labelled(self, values: Array) -> Array:
        """Replace numbers by their labels: "7" for one without a label, None for NaN.

        Keeps the shape, such as (R, N).
        """
        words: Array = np.empty(values.shape, object)
        for value in np.unique(values):
            missing = math.isnan(value)
            where = np.isnan(values) if missing else values == value
            words[where] = None if missing else self.label(value) or f"{value:g}"
        return words

    def with_unit(self, figure: str) -> str:
        """Return a figure with its unit behind it; a share, "0.84", is read without one.

        >>> FactSpec(unit="litres").with_unit("84.33"), FactSpec(unit="%").with_unit("5")
        ('84.33 litres', '5%')
        """
        if self.unit.startswith("share"):
            return figure
        return f"{figure}{self.unit}" if self.unit == "%" else f"{figure} {self.unit}".rstrip()

    def completed(self, other: FactSpec) -> FactSpec:
        """Return this with words, unit and labels of another one where it has none."""
        return FactSpec(
            self.text or other.text,
            self.unit or other.unit,
            self.labels or other.labels,
            self.private or other.private,
        )


UNSPECIFIED = FactSpec()


def parameter_spec(field: FieldInfo) -> FactSpec:
    """Return the words of a parameter: its description, and what json_schema_extra adds.

    growth: float = Field(0.2, description="Growth of the wood", json_schema_extra={"unit":
    "trees a year"}); "labels" and "private" likewise. A parameter of the default cast is private.
    """
    extra: dict[str, Any] = {}
    if isinstance(field.json_schema_extra, dict):
        extra = field.json_schema_extra
    return FactSpec(
        field.description or "",
        str(extra.get("unit", "")),
        tuple(extra.get("labels", ())),
        bool(extra.get("private") or extra.get("of_default_cast")),
    )
