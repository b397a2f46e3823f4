"""A command of society that notes the processor time of its play, its slices, and all of it.

    python tests/benchmarks/noted_run.py NOTES WORDS OF THE COMMAND

Each line of the file NOTES becomes a name and seconds. It imports next to nothing of its own.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any


def run_noted(notes: Path, typed: list[str]) -> int:
    """Run a command; return its exit code."""
    from society.cli.main import main as society
    from society.runs.session import Session
    from society.runs.slice_worker import SliceWorker

    play_slice, play = SliceWorker.play, Session.play

    def note(name: str, seconds: float) -> None:
        with notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, seconds]) + "\n")

    def noted_slice(worker: SliceWorker) -> Any:
        said = play_slice(worker)  # noted before it is sent, after which the process may be ended
        note("slice", processor_time())
        return said

    def noted_play(*given: Any, **more: Any) -> Any:
        before = processor_time()
        end = play(*given, **more)
        note("play", processor_time() - before)
        return end

    SliceWorker.play = noted_slice  # type: ignore[method-assign, assignment]
    Session.play = noted_play  # type: ignore[method-assign]
    code = society(typed)
    note("all", processor_time())
    return code


def processor_time() -> float:
    """Processor time of this process, the system's included; a forked one begins at 0."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__" and sys.argv[1:]:
    sys.exit(run_noted(Path(sys.argv[1]), sys.argv[2:]))
