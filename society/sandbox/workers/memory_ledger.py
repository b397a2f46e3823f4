"""Count how much memory each program of a worker holds more since it began.

Only a batch that has run out of memory before is counted: tracing makes a worker much slower. The
memory of a batch is shared, so that one program can fill it and another find it full.
"""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class MemoryLedger:
    """The bytes by which memory grew while each program ran; `mark` says who runs next.

    memory: bytes that all may take together.
    """

    def __init__(self, mark: Callable[[int], None], memory: int) -> None:
        self._mark, self._memory = mark, memory
        self._grown: Counter[int] = Counter()
        self._running: int | None = None
        self._before = 0

    def mark(self, program: int) -> None:
        """Note that a program begins to run, and book what the one before it has taken."""
        self._book()
        self._running = program
        self._mark(program)

    def _book(self) -> None:
        now = tracemalloc.get_traced_memory()[0]
        if self._running is not None:
            self._grown[self._running] += now - self._before
        self._before = now

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count; where memory runs out, let the mark name the program that has taken the most."""
        tracemalloc.start()
        try:
            yield
        except MemoryError:
            # The one that runs has asked for more than was left.
            self._grown[self._running or 0] += self._memory - self._before
            program, _ = max(self._grown.items(), key=lambda one: (one[1], -one[0]))
            self._mark(program)
            raise
        finally:
            tracemalloc.stop()
