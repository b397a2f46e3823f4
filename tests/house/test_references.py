"""Names that docstrings refer to exist: after "as in", "as of a", "see" and "raises"."""

from __future__ import annotations

import ast
import builtins
import re
from pathlib import Path

from tests.parsed_sources import ONE_WORKER, parsed

pytestmark = ONE_WORKER

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("society", "components", "scenarios", "memory")
FILES = [
    file
    for room in ROOMS
    for file in sorted((ROOT / room).rglob("*.py"))
    if file.relative_to(ROOT).parts[1] not in ROOMS
]
NAMED = re.compile(r"\b(?:as in|as of an?|[Rr]aises?)\s+([A-Z]\w+)(?:,? (?:or|and) ([A-Z]\w+))?")
CITED = re.compile(
    r"[A-Z]\w+(?: et al\.?,?| and [A-Z]\w+,?)?(?:'s)? \(?\d{4}"
)  # Tewolde et al. 2026


def _references(doc: str) -> list[str]:
    text = CITED.sub("a paper", " ".join(doc.split()))
    return [name for found in NAMED.findall(text) for name in found if name]


def test_what_docstrings_refer_to_exists() -> None:
    known, said = set(dir(builtins)), []
    for file in FILES:
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.ClassDef):
                known.add(node.name)
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
                doc = ast.get_docstring(node) or ""
                said += [(f"{file.relative_to(ROOT)}", name) for name in _references(doc)]
    assert len(said) > 200, "docstrings name what they raise"
    assert [pair for pair in said if pair[1] not in known] == []
