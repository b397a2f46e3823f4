"""The run file: one SQLite file that keeps what a run was given and what happened, round by round.

Each round is one transaction. While it is written, the file is in WAL mode: other processes read
it, and a kill costs nothing that was committed; at the end it becomes a single file. Commits do not
wait for the disk (synchronous NORMAL), so that recording stays cheap: a power cut may cost the
latest rounds, but a run of rules can be played again from its manifest.

Level `full` keeps every line that was said and every public column; `summary` keeps measures, who
was present and the digests, from which playing again rebuilds the rest.
"""

from .manifest import FORMAT, Level, Manifest, manifest_of
from .reader import Record, RunFile, open_run_file
from .schema import Status
from .writer import Writer

__all__ = [
    "FORMAT",
    "Level",
    "Manifest",
    "Record",
    "RunFile",
    "Status",
    "Writer",
    "manifest_of",
    "open_run_file",
]
