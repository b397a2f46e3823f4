"""An interrupted cell of a real kernel: nothing is lost, and another cell plays on."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import society

SLOW = """
import asyncio
from pathlib import Path

def mind():
    async def answer(asked):
        with Path("asked.txt").open("a") as file:
            file.write(f"{asked.address}\\n")
        await asyncio.sleep(0.05)
        if asked.options is not None:
            return asked.options[asked.seed % len(asked.options)]
        return {"effort": 0.4, "punish": "nobody"}.get(asked.kind, "Let us all take the same.")
    return answer
"""
PLAY = (
    "import society\n"
    "given = dict(rounds=8, agents=3, parameters={'norm_embedder': 'hashing'})\n"
    "society.run('language_village', model='slow.py:mind', out='a.run', **given)\n"
)


class Kernel:
    """A kernel in a folder, whose cells are executed one after another."""

    def __init__(self, manager: Any, client: Any) -> None:
        self.manager, self.client = manager, client

    def begin(self, code: str) -> str:
        """Begin a cell; return the number of its message."""
        message: str = self.client.execute(code)
        return message

    def end(self, message: str) -> dict[str, Any]:
        """Wait for the reply to a cell: its status, and the name of its error."""
        while True:
            reply = self.client.get_shell_msg(timeout=240)
            if reply["parent_header"].get("msg_id") == message:
                content: dict[str, Any] = reply["content"]
                return content

    def printed(self) -> str:
        """Return all that cells have printed by now."""
        words = ""
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except queue.Empty:
                return words
            if message["msg_type"] == "stream":
                words += message["content"]["text"]


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    jupyter = pytest.importorskip("jupyter_client")
    pytest.importorskip("ipykernel")
    manager = jupyter.KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=240)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.thorough
def test_an_interrupted_cell_keeps_its_answers_and_another_one_plays_on(
    kernel: Kernel, tmp_path: Path
) -> None:
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    cell, asked = kernel.begin(PLAY), tmp_path / "asked.txt"
    while not asked.exists() or len(asked.read_text("utf-8").splitlines()) < 12:
        assert kernel.manager.is_alive()
        time.sleep(0.1)
    kernel.manager.interrupt_kernel()
    ended = kernel.end(cell)
    assert (ended["status"], ended.get("ename")) == ("error", "KeyboardInterrupt")
    before = len(asked.read_text("utf-8").splitlines())

    with society.open_run(tmp_path / "a.run").played[0].opened() as run:
        assert run.status == "interrupted"
        kept = sum(entry.calls for entry in run.ledger())
    assert 0 < kept <= before

    reply = kernel.end(kernel.begin("print(society.resume('a.run').played, 'rounds')"))
    assert reply["status"] == "ok", reply
    assert "8 rounds" in kernel.printed()
    everything = asked.read_text("utf-8").splitlines()
    repeated = len(everything) - len(set(everything))
    assert repeated <= before - kept, "only calls that were under way are asked again"
