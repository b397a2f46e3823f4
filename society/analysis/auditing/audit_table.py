"""An audit in the terminal: sentences, then effects by perturbation as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from society.terminal.labels import count_noun

from .arms import UNPERTURBED
from .audit import AuditResults, size_in_words

if TYPE_CHECKING:
    from rich.console import Console


def print_audit(found: AuditResults, unused: Mapping[str, str], console: Console) -> None:
    """Print what was found. unused: why perturbations were left out, by name."""
    from rich.table import Table
    from rich.text import Text

    for sentence in found.sentences():
        console.print(sentence, markup=False, highlight=False)
    for one in found.conclusions:
        title = Text(one.title)
        table = Table(title=title, box=None, title_justify="left")
        for heading in ("perturbation", "effect", "change", "p (Holm)", "direction differs"):
            table.add_column(heading)
        table.add_row(UNPERTURBED, size_in_words(one.effect, signed=True), "", "", "")
        for each in one.perturbed:
            table.add_row(
                Text(each.perturbation),
                size_in_words(each.effect, signed=True),
                size_in_words(each.change, signed=True),
                f"{each.p:.2g}",
                f"{each.flips.count} of {count_noun(each.flips.n, 'set')}",
            )
        console.print(table, highlight=False)
    for name, reason in unused.items():
        console.print(f"not tested: {name}, since {reason}", markup=False, highlight=False)
