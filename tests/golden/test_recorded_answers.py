"""Societies of language minds play as they did when they hear what they heard then.

`answers/*.json.gz` keep, for each society, every reply of a language mind by its address
(component, occasion, use, replicate, agent, turn) and the history that came of it: who was asked
what kind of question and what was settled, every fact that was told or shown, and who repaired or
lost an answer. The test gives each call the reply at its address, *whatever the words of the
prompt*, and compares the histories line by line. So prompts, the form of replies and the luck of
the offline mind may change, and this still says that readers, scripts, mechanisms and chance do
what they did. What it does not compare: prompts, spellings of reply forms, reasons of repairs.

The replies came from the offline mind. Those of societies marked `unruly` were spoilt on the way,
as if by a model that often answers beside the point or is cut off: there repairs, renewed calls,
their turns and fallbacks are part of what is fed and compared.

`SOCIETY_GOLDEN=rewrite pytest tests/golden/test_recorded_answers.py` asks the offline mind anew for
all societies that are kept. Chance is promised for one version of numpy and networkx: with others,
the tests are skipped.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

from society.config.build import Society
from society.engine.calls import Address, Completion, Going, Minds, Request
from society.engine.cancellation import CancellationToken

if TYPE_CHECKING:
    from tests.golden.conftest import Over, Perform

FOLDER = Path(__file__).with_name("answers")


def _read(file: Path) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return kept


FILES = {file: _read(file) for file in sorted(FOLDER.glob("*.json.gz"))}
SOCIETIES = [one for kept in FILES.values() for one in kept["societies"]]

# Of those spoilt: how often by turn, and with what.
_SPOILT = (0.3, 0.4, 0.3)
_BESIDE = "I would rather talk about something else."


class Reciting:
    """Gives each call the reply that is kept at its address."""

    patience = 0.0

    def __init__(self, replies: Mapping[Address, tuple[str, str]]) -> None:
        self.left = dict(replies)

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        assert request.address in self.left, f"nobody was asked this then: {request.address}"
        await going()
        text, finish = self.left.pop(request.address)
        return Completion(text, finish)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class Noting:
    """Notes what other minds reply; spoils some of it, by address, if they are to be unruly."""

    def __init__(self, minds: Minds, unruly: bool) -> None:
        self.minds, self.unruly = minds, unruly
        self.heard: dict[Address, tuple[str, str]] = {}

    @property
    def patience(self) -> float:
        return self.minds.patience

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        said = await self.minds.call(request, going, token)
        if self.unruly:
            said = _spoilt(request.address, said)
        self.heard[request.address] = said.text, said.finish
        return said

    async def close(self) -> None:
        await self.minds.close()


def _spoilt(address: Address, said: Completion) -> Completion:
    luck = crc32(repr(tuple(address)).encode()) / 2**32
    often = _SPOILT[min(address.turn, len(_SPOILT) - 1)]
    if luck > often:
        return said
    if luck > often / 2:
        return said._replace(text=_BESIDE)
    return said._replace(text=said.text[: len(said.text) // 2], finish="length")


def history(over: Over) -> Iterator[str]:
    """List events, a line each: no words of prompts, no spelling of forms."""
    for mechanism, designs in over.designs.items():
        yield f"designs {mechanism}: {json.dumps(designs, sort_keys=True)}"
    for page in over.pages:
        yield f"round {page.number} at {list(page.path)}"
        for step in page.steps:
            yield f"{step.sort} {step.kind}"
            for (role, name), values in step.arrays.items():
                yield f"  {f'{role} {name}'.strip()} = {json.dumps(values.tolist())}"
        for trouble in page.troubles:
            yield f"trouble {trouble.kind} {trouble.replicate} {trouble.agent} {trouble.what}"
    yield f"ends {sorted(over.outcome.ends.items())}"


def replies_of(kept: Mapping[str, Any]) -> list[dict[Address, tuple[str, str]]]:
    """Return replies by address, for each game: that of the designs, and the society's own."""
    return [
        {Address(*row[:6]): (row[6], row[7]) for row in game} for game in kept.get("replies", ())
    ]


def recorded(kept: Mapping[str, Any], perform: Perform) -> dict[str, Any]:
    """The society with what the offline mind says to it today."""
    heard: list[Noting] = []

    def noting(setup: Society) -> Minds | None:
        minds = setup.minds()
        assert minds is not None, "somebody asks language minds"
        heard.append(Noting(minds, kept.get("unruly", False)))
        return heard[-1]

    lines = list(history(perform(kept["source"], kept["changes"], noting)))
    # In an order that says nothing of who answered first.
    games = [[[*address, *said] for address, said in sorted(one.heard.items())] for one in heard]
    return {**kept, "replies": games, "history": lines}


@pytest.fixture(scope="module", autouse=True)
def of_these_versions(versions: dict[str, str], rewrite: bool) -> None:
    for file, kept in FILES.items():
        if not rewrite and versions != kept["versions"]:
            pytest.skip(f"{file.name} is of {kept['versions']}, and here is {versions}")


@pytest.mark.parametrize("kept", SOCIETIES, ids=lambda kept: kept["name"])
@pytest.mark.usefixtures("among_users_files")
def test_a_society_that_hears_the_same_plays_the_same(
    kept: dict[str, Any], perform: Perform, rewrite: bool
) -> None:
    if rewrite:
        kept |= recorded(kept, perform)
    reciting = [Reciting(replies) for replies in replies_of(kept)]
    games = iter(reciting)
    over = perform(kept["source"], kept["changes"], lambda setup: next(games))
    assert list(history(over)) == kept["history"]
    assert not any(one.left for one in reciting), "somebody is not asked any more"


@pytest.fixture(scope="module", autouse=True)
def written_anew(versions: dict[str, str], rewrite: bool) -> Iterator[None]:
    """Rewrite the kept files after the last test."""
    yield
    for file, kept in FILES.items() if rewrite else ():
        words = json.dumps({**kept, "versions": versions}, ensure_ascii=False)
        file.write_bytes(gzip.compress(words.encode(), mtime=0))


def test_repairs_renewed_calls_and_fallbacks_are_among_what_is_kept() -> None:
    troubles = [
        line.split()[-1] for one in SOCIETIES for line in one["history"] if "trouble" in line
    ]
    assert {"repair", "cut", "fallback"} <= set(troubles)


def test_what_is_kept_is_small() -> None:
    assert all(file.stat().st_size < 60_000 for file in FILES)


def test_the_words_of_prompts_do_not_matter(tmp_path: Path, perform: Perform) -> None:
    kept = next(one for one in SOCIETIES if one["source"] == "language_village")
    template = tmp_path / "language_village" / "effort.md"
    template.parent.mkdir()
    template.write_text("How hard do you fish, {{ me }}? {{ hint }}\n", encoding="utf-8")
    changes = {**kept["changes"], "prompts": str(tmp_path)}
    games = map(Reciting, replies_of(kept))
    over = perform(kept["source"], changes, lambda setup: next(games))
    assert list(history(over)) == kept["history"]
