"""The verification of a run file, by three checks.

record    every round matches its checksum, its lines its digest, and the digests form the chain
script    the scenario's script, driven by the recorded answers, yields the same lines (level full)
again     the whole run, played again from its manifest, is the same: rules answer anew, and models
          from the record, if the words of each request are the same
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from society.config.build import Society
from society.engine.history import Page, Step, chain_digest, page_digest
from society.engine.rng import Array
from society.engine.tape import Answerer, Tape
from society.errors import InputError, RunFileError, SocietyError, UntrustedCodeError
from society.notebook_pages import html_table
from society.user_code import guard_user_code

from .agent_names import AgentNames
from .call_store import RecordedCalls
from .provenance import list_changes
from .reader import Record, RunFile, open_run_file
from .schema import endings
from .trust import RecordedCode


class Check(NamedTuple):
    """One check and its finding; ok is None where the check does not apply."""

    name: str
    ok: bool | None
    words: str


@dataclass(frozen=True)
class Verdict:
    """All checks that were made; a run file is ok if none has failed."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok is not False for check in self.checks)

    def __str__(self) -> str:
        """A line for each check, as `society verify` prints them."""
        marks = {True: "ok", False: "FAILED", None: "-"}
        lines = (f"{marks[one.ok]:6}  {one.name}: {one.words}" for one in self.checks)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        marks = {True: "ok", False: "failed", None: "-"}
        rows = [(marks[check.ok], check.name, check.words) for check in self.checks]
        caption = "nothing is wrong" if self.ok else "the run file is not what it should be"
        return html_table(caption, ("", "check", "found"), rows)


def verify(
    path: Path | str,
    *,
    trust: bool = False,
    files: Path | None = None,
    announce: Callable[[str], None] = lambda line: None,
) -> Verdict:
    """Check a run file; raises RunFileError if it cannot even be opened.

    trust, files, announce: as society.runs.play.resume takes them. Raises UntrustedCodeError for
    Python code that is not trusted, once the record is found whole. A damaged record is not played
    again, since nothing could be concluded from it.
    """
    with open_run_file(path, files) as run:
        record = _record(run)
        if not record.ok:
            return Verdict((record,))
        with guard_user_code(RecordedCode(Path(path), run.manifest, trust, announce)):
            return _play_again(run, record)


def _play_again(run: RunFile, record: Check) -> Verdict:
    try:
        setup = run.manifest.society()
    except UntrustedCodeError:
        raise
    except (InputError, ValueError) as error:
        words = f"the run cannot be built again: {error}{list_changes(run.manifest)}"
        if any(not Path(file).is_file() for file in run.manifest.files):
            words += "; --files DIR says where the files of the run are now"
        return Verdict((record, Check("again", False, words)))
    return Verdict((record, _script(run, setup), _again(run, setup)))


def _record(run: RunFile) -> Check:
    final, last, chain = run.standing.digest, run.rounds, b""
    try:
        for _ in run.calls():
            pass  # reading one checks its seal
        full, rule = run.manifest.level == "full", run.manifest.digest_rule
        for number, (page, recorded, _) in enumerate(islice(run.records(), last + 1)):
            if full and page_digest(number, page.steps, rule) != page.digest:
                return _broken_record(number, "its lines do not give its digest")
            chain = chain_digest(chain, page.digest)
            if chain.hex() != recorded:
                return _broken_record(number, "its digest does not continue the chain")
    except RunFileError as error:
        return Check("record", False, str(error))
    if final is not None and final != chain.hex():
        return _broken_record(last + 1, "it is missing: the run ended with another digest")
    sittings = [f"; resumed after round {n}{c and f', {c}'}" for n, c in run.sittings()]
    forks = [f"; fork of {note.words}" for note in run.manifest.forks[-1:]]
    words = "".join((*forks, *sittings))
    return Check("record", True, f"all {last} rounds are intact{words}")


def _broken_record(number: int, words: str) -> Check:
    return Check("record", False, f"round {number}: {words}")


def _script(run: RunFile, setup: Society) -> Check:
    if run.manifest.level == "summary":
        return Check("script", None, "not checked: level summary records no answers")
    steps = (step for page in run.pages() for step in page.steps)
    asides = (step for page in run.pages() for step in page.asides)
    return _compare_play("script", run, setup, Tape(steps, asides))


def _again(run: RunFile, setup: Society) -> Check:
    return _compare_play("again", run, setup, None)


def _compare_play(name: str, run: RunFile, setup: Society, answerer: Answerer | None) -> Check:
    """Play, by live agents or by a tape, and compare with the record."""
    comparison = _Comparison(run, live=answerer is None)
    since = list_changes(run.manifest, setup)
    try:
        with suppress(_Complete):
            outside = setup.outside(RecordedCalls(run))
            setup.gamemaster([comparison], answerer, outside=outside).play()
            comparison.end()
    except UntrustedCodeError:
        raise
    except Exception as error:  # a script that has changed may raise anything: that is a finding
        kind = "" if isinstance(error, _Different | SocietyError) else f"{type(error).__name__}: "
        return Check(name, False, f"round {comparison.number}: {kind}{error}{since}")
    return Check(name, True, f"all {comparison.last} rounds are the same{since}")


class _Different(Exception):
    """A difference between run and record."""


class _Complete(Exception):
    """The signal that all recorded rounds of an unfinished run were played."""


class _Comparison:
    """A recorder that compares each round with a run file."""

    def __init__(self, run: RunFile, *, live: bool) -> None:
        self.manifest, self.live = run.manifest, live
        self.names = AgentNames(run.manifest)
        self.finished, self.last = run.status == "finished", run.rounds
        self.records = islice(run.records(), self.last + 1)
        self.running = np.ones((run.manifest.replicates, 1), bool)
        self.number = 0  # of the round that is being played

    def page(self, page: Page) -> None:
        if page.number > self.last:
            raise _Different("the record has ended, but the run continues")
        for words in self._differences(next(self.records), page):
            raise _Different(words)
        self.number, self.running = page.number + 1, page.running
        if not self.finished and page.number == self.last:
            raise _Complete

    def end(self) -> None:
        """Check that the record ends with the run."""
        if self.number <= self.last:
            raise _Different(f"the run has ended, but the record continues to round {self.last}")

    def _differences(self, record: Record, page: Page) -> Iterator[str]:
        recorded = record.page
        self.names.meet(recorded)
        told = zip_longest(recorded.steps, page.steps) if self.manifest.level == "full" else ()
        for before, now in (*told, *zip_longest(recorded.asides, page.asides)):
            yield from _step_differences(before, now, self.names)
        if recorded.digest != page.digest:
            yield "questions, answers or facts differ"
        if recorded.path != page.path:
            yield f"the place of the round is {page.path}, but {recorded.path} in the record"
        ends = endings(page, self.running)
        if record.ends != ends:
            yield f"replicates end by {ends}, but by {record.ends} in the record"
        found = _page_arrays(page)
        for name, values in _page_arrays(recorded).items():
            known = self.live or not name.startswith("column")
            if known and (name not in found or not _same(values, found[name])):
                yield f"{name} differs{_example(values, found.get(name), self.names)}"


def _page_arrays(page: Page) -> dict[str, Array]:
    """Return the arrays of a page beside its lines, by name."""
    kept = {
        "the array of present agents": page.present,
        "the array of running replicates": page.running,
    }
    kept |= {f"measure {name}": values for name, values in page.measures.items()}
    return kept | {f"column {name}": values for name, values in page.public.items()}


def _step_differences(recorded: Step | None, now: Step | None, names: AgentNames) -> Iterator[str]:
    if recorded is None or now is None or recorded[:3] != now[:3]:
        yield f"the record has {_name_step(recorded)}, but the run has {_name_step(now)}"
        return
    for role, name in {**recorded.arrays, **now.arrays}:
        before, after = recorded.arrays.get((role, name)), now.arrays.get((role, name))
        if before is None or after is None or not _same(before, after):
            entry = f"{role} {name}".strip()
            yield f"{now.sort} {now.kind!r}: {entry} differs{_example(before, after, names)}"


def _name_step(step: Step | None) -> str:
    if step is None:
        return "nothing more"
    return f"{step.sort} {step.kind!r}" + (f" ({step.form})" if step.form else "")


def _same(before: Array, now: Array) -> bool:
    """Compare arrays bit for bit, and text by its JSON, as run files store it."""
    if before.shape != now.shape or before.dtype != now.dtype:
        return False
    if before.dtype.kind in "OU":
        return json.dumps(before.tolist()) == json.dumps(now.tolist())
    return before.tobytes() == now.tobytes()


def _example(before: Array | None, now: Array | None, names: AgentNames) -> str:
    """Describe the first entry that differs."""
    if before is None or now is None or before.shape != now.shape:
        return ""
    unlike = np.argwhere((before != now) & ((before == before) | (now == now)))
    if not len(unlike):
        return ""
    place = tuple(unlike[0])
    where = f"replicate {place[0]}"
    if before.shape[1:] > (1,):
        where = f"{names.name(int(place[0]), int(place[1]))} of {where}"
    return f" ({where}: recorded {before[place]}, now {now[place]})"
