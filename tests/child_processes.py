"""Processes that tests begin and interrupt."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """Heed interrupts in a child: where tests run in the background, children ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# A run of a scenario with changes (JSON) that kills itself at the n-th statement of a kind.
KILLED_BEFORE = """
import json, os, signal, sqlite3, sys
path, words, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
changes = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {"agents": 6, "rounds": 12}

class Killing(sqlite3.Connection):
    def execute(self, sql, *values):
        global count
        count -= sql.startswith(words)
        if not count:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(sql, *values)

connect = sqlite3.connect
sqlite3.connect = lambda *where, **how: connect(*where, **how, factory=Killing)

from society.runs.runfile import Writer, manifest_of
from society.config.run_config import load_config
from society.config.build import build

setup = build(load_config("fishing_village", changes))
with Writer(path, manifest_of(setup, "full")) as writer:
    setup.gamemaster([writer]).play()
"""
