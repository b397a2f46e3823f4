"""Societies of rules play bit for bit as they did when digests.json was written.

Each entry is a society, played small, with the digest of its history (every question, answer and
fact) and the means of its measures. `SOCIETY_GOLDEN=rewrite pytest tests/golden/test_digests.py`
plays the entries that are there again and writes what they come to; a new one is added by hand with
an empty digest, and rewritten. The table was made from all cases of tests/conformance that are
played by rules, every mechanism around every game that takes it, every named rule of a component,
and the examples in users_files.md.

Digests are promised for one version of numpy and networkx: with others, the tests are skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.golden.conftest import Over, Perform

TABLE = Path(__file__).with_name("digests.json")
KEPT: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))


def come_to(over: Over) -> dict[str, Any]:
    """Return the digest and the measures of a game."""
    means = {name: one.mean for name, one in sorted(over.outcome.measures.items())}
    measures = {name: None if mean is None else f"{mean:.6g}" for name, mean in means.items()}
    return {"digest": over.outcome.digest, "measures": measures}


@pytest.fixture(scope="module", autouse=True)
def of_these_versions(versions: dict[str, str], rewrite: bool) -> None:
    if not rewrite and versions != KEPT["versions"]:
        pytest.skip(f"digests are kept for {KEPT['versions']}, and here is {versions}")


@pytest.mark.parametrize("kept", KEPT["societies"], ids=lambda kept: kept["name"])
@pytest.mark.usefixtures("among_users_files")
def test_a_society_of_rules_plays_as_it_did(
    kept: dict[str, Any], perform: Perform, rewrite: bool
) -> None:
    found = come_to(perform(kept["source"], kept["changes"]))
    if rewrite:
        kept |= found
    assert found == {"digest": kept["digest"], "measures": kept["measures"]}


@pytest.fixture(scope="module", autouse=True)
def written_anew(versions: dict[str, str], rewrite: bool) -> Any:
    """Rewrite after the last test: one line a society, so that a change is read like code."""
    yield
    if rewrite:
        KEPT["versions"] = versions
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in KEPT["societies"])
        words = f'{{"versions": {json.dumps(versions)},\n"societies": [\n{rows}\n]}}\n'
        TABLE.write_text(words, encoding="utf-8")


def test_names_are_told_apart() -> None:
    names = [kept["name"] for kept in KEPT["societies"]]
    assert len(names) == len(set(names))
