"""Whether a long run costs more as it goes on: ten villagers, the offline mind, 1,000 rounds.

CPU time of a round is the median over a tenth of the run, with all that the run file takes; its
size is that of the database, without the journal beside it.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from society.config.build import build
from society.config.run_config import load_config
from society.engine.history import Page
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer


class Watch:
    """A recorder that notes, after every round, CPU time, and the size of a run file."""

    def __init__(self, path: Path) -> None:
        self._path, self.times, self.sizes = path, list[float](), dict[int, int]()

    def page(self, page: Page) -> None:
        self.times.append(time.process_time())
        if page.number % 500 == 0 and page.number:
            with closing(sqlite3.connect(self._path)) as reader:
                (pages,), (size,) = (
                    reader.execute(f"PRAGMA {name}").fetchone()
                    for name in ("page_count", "page_size")
                )
            self.sizes[page.number] = pages * size


def main() -> None:
    parameters = {"ends_on": "horizon", "wealth": 1e6}
    setup = build(load_config("language_village", {"rounds": 1_000, "parameters": parameters}))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "long.run"
        watch = Watch(path)
        with Writer(path, manifest_of(setup)) as writer:
            setup.gamemaster([writer, watch], outside=setup.outside(writer.call_store)).play()
    rounds = [later - sooner for sooner, later in pairwise(watch.times)]
    first, last = median(rounds[:100]), median(rounds[-100:])
    half, full = watch.sizes[500], watch.sizes[1_000]
    print(f"a village of 1,000 rounds: {first * 1e3:.1f} ms of CPU a round, {full / 1e6:.1f} MB")
    print(f"  a round, last tenth / first tenth       {last / first:.2f}")
    print(f"  run file, 1,000 rounds / 500 rounds     {full / half:.2f}")


if __name__ == "__main__":
    main()
