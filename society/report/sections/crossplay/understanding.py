"""The chapter on models: whether they were understood at the first try."""

from __future__ import annotations

from society.analysis.crossplay import CrossPlay
from society.report.page import Chapter, Paragraph
from society.report.tables import Column, Table

_LEAD = (
    "A question is valid at the first try if its first reply could be read. A reply that could not "
    "is shown to the model again with the reason (repair), one that was cut off by the limit of "
    "tokens is asked for anew with more room (cut). What stays unreadable is settled as the "
    "question says, and in a match of its own ends the replicate."
)


def understanding(of: CrossPlay) -> Chapter | None:
    """The chapter; None if no model was asked."""
    frame = of.minds
    if not len(frame):
        return None
    counts = ("questions", "valid", "repairs", "cut", "fallbacks")
    sums = frame.groupby("model", sort=True)[list(counts)].sum()
    columns = [
        Column("model", sums.index.tolist()),
        Column("questions", sums["questions"].tolist(), "count"),
        Column("valid at first try", sums["valid"].tolist(), "count"),
        Column("share", (sums["valid"] / sums["questions"]).tolist(), "share"),
        *(Column(name, sums[name].tolist(), "count") for name in counts[2:]),
    ]
    table = Table("understanding", "Replies that could be read", columns)
    return Chapter("understanding", "Models at the first try", [Paragraph(_LEAD), table])
