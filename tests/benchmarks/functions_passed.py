"""How many functions of ours a question passes on its way, and a run of two rounds; by tracing.

    rules   one `effort` question in a running fishing_village, all agents at once
    words   one `effort` question in a running language_village, to four agents, offline mind
    run     `society run fishing_village --rounds 2`, from the words typed to the summary shown

A question's span begins where the script yields its Ask and ends where the script gets the answers;
it is the last one of its run, so that what is made once is there. Every span is traced in a
process of its own, in all its threads, of a run that writes its run file.

A function is a pair of a source file of ours (society, components, scenarios, memory) and a name
that is called or resumed in it: what a file calls by the same name counts once (say, all
comprehensions of a file that are of one kind); bodies of modules and classes and compiled templates
do not count, and all modules are imported before the tracing begins.
When the house was about to be rebuilt, a reading of it counted 45 functions in 9 files for rules,
192 in 27 for words and 457 in 57 for the run; this definition gave 46 in 9, 186 in 28 and 428 in
57.

The spans are found by what scripts do, not by names in the engine: a generator of a scenario's file
returns an object of kind `effort` that is named Ask, and is resumed. --names lists the functions.

    python tests/benchmarks/functions_passed.py [--names]
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(f"{ROOT / room}{os.sep}" for room in ("society", "components", "scenarios", "memory"))
QUESTION = ("Ask", "effort")
RUNS = {
    "rules": ["fishing_village", "--rounds", "3", "--quiet"],
    "words": ["language_village", "--rounds", "3", "--agents", "4", "--quiet"],
    "run": ["fishing_village", "--rounds", "2"],
}


class Tracer:
    """Notes the code that is called; of questions, within the span of the latest one.

    spans: note questions and not everything.
    """

    def __init__(self, spans: bool) -> None:
        self.codes: set[CodeType] = set()
        self.spans, self.on = spans, not spans
        self.script: FrameType | None = None

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        if self.spans and event == "return" and _asks(frame, arg):
            self.on, self.script, self.codes = True, frame, set()
        elif event == "call" and self.on:
            if frame is self.script:
                self.on = False
            else:
                self.codes.add(frame.f_code)

    def functions(self) -> Iterator[tuple[str, str]]:
        """File and name of each, once."""
        called = [code for code in self.codes if code.co_flags & inspect.CO_OPTIMIZED]
        seen = {(os.path.realpath(code.co_filename), code.co_name) for code in called}
        for file, name in sorted(seen):
            if file.startswith(ROOMS) and file.endswith(".py"):
                yield file, name


def _asks(frame: FrameType, said: Any) -> bool:
    """Tell whether a script has just yielded the question."""
    if not frame.f_code.co_flags & inspect.CO_GENERATOR:
        return False
    if (type(said).__name__, getattr(said, "kind", None)) != QUESTION:
        return False
    # The generator that the engine holds: no other one passes the line on.
    outer = frame.f_back
    return outer is None or not outer.f_code.co_flags & inspect.CO_GENERATOR


def traced(name: str) -> Tracer:
    """Play a run and trace what of it is asked for."""
    sys.path.insert(0, str(ROOT))
    import society
    from society.cli.main import main

    for module in pkgutil.walk_packages(society.__path__, "society.", onerror=lambda name: None):
        with suppress(ImportError):  # of an extra that is not installed
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    tracer = Tracer(spans=name != "run")
    with tempfile.TemporaryDirectory() as folder:
        words = ["run", *RUNS[name], "--out", str(Path(folder) / "traced.run")]
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        try:
            code = main(words)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    assert code == 0, f"society {' '.join(words)} gave {code}"
    assert tracer.codes, f"nobody was asked {QUESTION}"
    return tracer


def main() -> None:
    """One line a span, each from a process of its own."""
    if sys.argv[1:2] == ["--span"]:
        for file, function in traced(sys.argv[2]).functions():
            print(f"\t{Path(file).relative_to(ROOT)}\t{function}")
        return
    for name in RUNS:
        words = [sys.executable, __file__, "--span", name]
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=True)
        rows = [line for line in done.stdout.splitlines() if line.startswith("\t")]
        files = {row.split("\t")[1] for row in rows}
        print(f"{name:6} {len(rows):4} functions in {len(files):3} files")
        if "--names" in sys.argv:
            print("\n".join(rows))


if __name__ == "__main__":
    main()
