"""Runs made by hand, written to a real run file, and what the theatre prints of them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from rich.console import Console

from society.engine.calls import Address, Again, Completion, ParseIssue, Request, Usage
from society.engine.history import Page, Step
from society.engine.scenario import DisplaySpec
from society.runs.runfile import Manifest, RunFile, Status, Writer, open_run_file
from society.terminal.labels import Place
from society.terminal.replay import print_history

LAKE = DisplaySpec(
    gauge=("stock", "capacity"),
    columns=("catch", "wealth", "belief"),
    limits={"catch": "limit"},
    links={"punish": "fined", "imitate": "copied"},
    notes={"cap": {"propose": "the median of {n} proposals", "vote": "the plurality of {n} votes"}},
    endings={"collapsed": "the lake collapsed"},
    presence="alive",
)

Arrays = Mapping[tuple[str, str], Any]


class Exchange(NamedTuple):
    """A call, and what came of it: None if it was never answered."""

    request: Request
    said: Completion | None


class Hand:
    """Makes pages, manifests, run files and prints by hand; three agents unless told otherwise."""

    def __init__(self) -> None:
        self._use = 0

    def ask(self, kind: str, form: str, arrays: Arrays) -> Step:
        return self._step("ask", kind, form, arrays)

    def tell(self, kind: str, arrays: Arrays) -> Step:
        return self._step("tell", kind, "", arrays)

    def page(
        self,
        number: int,
        *steps: Step,
        path: tuple[int, ...] | None = None,
        present: Any = ((True, True, True),),
        running: Any = ((True,),),
        public: Mapping[str, Any] | None = None,
        measures: Mapping[str, Any] | None = None,
        ledger: tuple[Usage, ...] = (),
        troubles: tuple[ParseIssue, ...] = (),
    ) -> Page:
        return Page(
            number,
            path or ((number,) if number else ()),
            steps,
            bytes(32),
            {name: np.array(values) for name, values in (public or {}).items()},
            {name: np.array(values) for name, values in (measures or {}).items()},
            np.array(present),
            np.array(running),
            ledger,
            troubles,
        )

    def trouble(
        self, agent: int, kind: str, what: str, reason: str = "got nothing", replicate: int = 0
    ) -> ParseIssue:
        return ParseIssue("language_policy", kind, "gpt", replicate, agent, what, reason)

    def exchange(
        self, kind: str, *, model: str = "gpt", again: Again = "", lost: bool = False, **said: Any
    ) -> Exchange:
        """One call about a kind of line: 1,000 tokens of prompt, 10 of reply, 2 cents."""
        self._use += 1
        address = Address("language_policy", f"answer {kind}", self._use, 0, 0, 0)
        given: dict[str, Any] = {
            "prompt_tokens": 1000,
            "completion_tokens": 10,
            "cost": 0.02,
            "model": model,
        }
        request = Request(address, model, (), again=again)
        return Exchange(request, None if lost else Completion("yes", **given | said))

    def manifest(self, **changes: Any) -> Manifest:
        cohorts = [{"name": "altruist", "seats": [0, 1]}, {"name": "selfish", "seats": [2]}]
        given = {
            "scenario": "lake",
            "spec": {"scenario": "lake"},
            "params": {"capacity": 100.0},
            "seed": 7,
            "agents": 3,
            "replicates": 1,
            "horizon": 10,
            "level": "full",
            "measures": [],
            "stage": LAKE,
            "cohorts": cohorts,
            "versions": {},
            "files": {},
        }
        return Manifest.model_validate(given | changes)

    def recorded(
        self,
        *pages: Page,
        manifest: Manifest | None = None,
        status: Status = "finished",
        path: str = "hand.run",
        exchanges: Iterable[Exchange] = (),
    ) -> RunFile:
        writer = Writer(path, manifest or self.manifest(), overwrite=True)
        asyncio.run(_kept(writer, exchanges))
        for page in pages:
            writer.page(page)
        writer.close(status)
        return open_run_file(path)

    def told(
        self,
        run: RunFile,
        *,
        width: int = 80,
        encoding: str = "utf-8",
        colour: bool = False,
        start: Place = 0,
        replicate: int = 0,
        whole: bool = False,
    ) -> str:
        """The history of a run as a terminal of this kind would receive it."""
        file = io.TextIOWrapper(io.BytesIO(), encoding)
        console = Console(file=file, width=width, force_terminal=colour)
        print_history(run, console, start=start, replicate=replicate, whole=whole)
        file.seek(0)
        return file.read()

    def _step(self, sort: Literal["ask", "tell"], kind: str, form: str, arrays: Arrays) -> Step:
        return Step(sort, kind, form, {key: np.array(value) for key, value in arrays.items()})


async def _kept(writer: Writer, exchanges: Iterable[Exchange]) -> None:
    for request, said in exchanges:
        await writer.call_store.sending(request)
        if said is not None:
            await writer.call_store.keep(request, said)


@pytest.fixture(autouse=True)
def _an_ordinary_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hand:
    """Its files have short names, since they are in the folder that one is in."""
    monkeypatch.chdir(tmp_path)
    return Hand()
