"""Processes that tests begin and interrupt."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """Heed interrupts in a child: where tests run in the background, children ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
