"""Who has answered: language models, or what stands in for them and says nothing about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from society.calls import Entry
from society.models.settings import ModelSpec
from society.report.page import Caveat, Paragraph
from society.runs.manifest import Manifest

_OFFLINE = "offline"


def asked(runs: Iterable[tuple[Manifest, Sequence[Entry]]]) -> Paragraph | Caveat:
    """Models by the names that providers give them; a warning if others have taken their place."""
    models, recorded = dict[str, None](), dict[str, None]()
    for manifest, ledger in runs:
        named = dict.fromkeys(entry.model for entry in ledger if entry.model)
        (recorded if _taped(manifest, ledger) else models).update(named)
    if real := [name for name in models if name != _OFFLINE]:
        return Paragraph(f"Models asked: {', '.join(real)}.")
    resident = ["a scripted resident (the offline mind)"] if _OFFLINE in models else []
    tapes = [f"recorded answers of {', '.join(recorded)} (a tape)"] if recorded else []
    if who := " and ".join([*resident, *tapes]):
        return Caveat(f"No language model was asked; in its place: {who}.")
    return Paragraph("No language model was asked.")


def _taped(manifest: Manifest, ledger: Sequence[Entry]) -> bool:
    """Whether its answers are those of a tape, which costs nothing."""
    specs = [ModelSpec.model_validate(one) for one in manifest.spec["models"].values()]
    sorts = {spec.sort for spec in specs}
    return "tape" in sorts <= {"tape", _OFFLINE} and all(entry.cost == 0 for entry in ledger)
